"""One law fitted to each group of a frame alone: nothing is pooled."""

from dataclasses import dataclass, field

import pandas as pd

from dominoperf.fitting import words
from dominoperf.fitting.result import Fit
from dominoperf.tables import rendering


@dataclass(frozen=True)
class Fits:
    """Fits of one law to the groups of a frame, by the name of the group; their frames have the group in front."""

    by: str
    fits: dict[str, Fit] = field(repr=False)

    def __getitem__(self, name):
        """Return the fit of a group."""
        return self.fits[name]

    def tidy(self):
        """Return the parameters of each group, as `Fit.tidy` has them."""
        return self._each(Fit.tidy)

    def glance(self):
        """Return a row per group, as `Fit.glance` has it."""
        return self._each(Fit.glance)

    def predict(self, x):
        """Forecast for each group at the given x values."""
        return self._each(lambda fit: fit.predict(x))

    def inverse(self, y):
        """Return the x at which the curve of each group reaches each y."""
        return self._each(lambda fit: fit.inverse(y))

    def _each(self, ask):
        frames = [ask(fit).assign(**{self.by: name}) for name, fit in self.fits.items()]
        frame = pd.concat(frames, ignore_index=True)
        return frame[[self.by, *frame.columns.drop(self.by)]]

    def headline(self):
        """Say which law was fitted to each of how many groups, and by which error model."""
        one = next(iter(self.fits.values()))
        return f"{one.law.title} through each of {len(self.fits)} groups by {self.by}. {words.error_model(one)}"

    def __str__(self):
        """Lay the parameters out for a terminal."""
        return rendering.as_report(self.headline(), (self.tidy(),))

    __repr__ = __str__

    def _repr_html_(self):
        return rendering.as_html_report(self.headline(), (self.tidy(),))
