"""Which law of a family the points speak for, or that they cannot tell."""

import functools
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from scipy import special

from dominoperf import catalog, rendering
from dominoperf.errors import CannotFit, UnknownName
from dominoperf.fitting import quality, words
from dominoperf.rendering import number

CANNOT_TELL = "cannot tell"
_FORECASTS = "{} forecasts left-out points best, but the nested test"
_LEFT_OUT = ["law", "x", "observed", "predicted", "log_error", "extrapolated"]
_GLANCE = ["best", "runner_up", "verdict", "reason"]


@dataclass(frozen=True)
class Comparison:
    """Laws fitted to the same points, those with fewer parameters first.

    `best` forecasts the left-out points best; whether that is more than luck is the verdict's to say.
    """

    fits: tuple = field(repr=False)
    refused: dict = field(repr=False)  # laws that could not be fitted, and why
    where: str
    level: float

    @functools.cached_property
    def errors(self):
        """Logarithms of forecast over observed of every left-out point, by law; those laws alone that have them."""
        found = {fit.law.name: _left_out_errors(fit) for fit in self.fits}
        return {name: errors for name, errors in found.items() if errors is not None and np.isfinite(errors).all()}

    def left_out(self):
        """Give a row per law and point: what the other points forecast for it, over what was observed.

        Returns
        -------
        DataFrame
            law, x, observed, predicted, log_error, extrapolated (the point left out is the first or the last); laws
            alone whose points can all be left out.
        """
        frames = [self._left_out(name, errors) for name, errors in self.errors.items()]
        return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=_LEFT_OUT)

    def _left_out(self, name, errors):
        x, y = self._fit(name).points
        outside = (x == x.min()) | (x == x.max())
        parts = (name, x, y, y * np.exp(errors), errors, outside)
        return pd.DataFrame(dict(zip(_LEFT_OUT, parts, strict=True)))

    def derive(self, x=None):
        """Give what follows from the parameters of each law, as `Fit.derive` has it, with the law in front."""
        frames = [fit.derive(x).assign(law=fit.law.name) for fit in self.fits]
        frame = pd.concat(frames, ignore_index=True)
        return frame[["law", *frame.columns.drop("law")]]

    @functools.cached_property
    def order(self):
        """Names of the laws by leave-one-out error; of equals the one with fewer parameters comes first."""
        size = {name: np.sqrt(np.mean(errors**2)) for name, errors in self.errors.items()}
        return sorted(size, key=lambda name: (float(f"{size[name]:.9g}"), self._fit(name).curves.free.sum()))

    @functools.cached_property
    def reach(self):
        """Laws whose leave-one-out error may be no worse than the best's, and that no nested test refutes.

        Their mean squares are compared as two variances, by the F quantile of their degrees of freedom.
        """
        if not self.order:
            return [fit.law.name for fit in self.fits]
        refuted = self._refuted()
        near = [name for name in self.order if self._within(name)]
        return [name for name in near if name not in refuted or name == self.order[0]]

    def _within(self, name):
        least, own = (np.mean(self.errors[each] ** 2) for each in (self.order[0], name))
        return own <= special.fdtri(self._fit(name).dof, self.best.dof, self.level) * least

    def _refuted(self):
        """Laws that a nested test refutes: another, with a parameter more, fits better than chance allows."""
        found = [(fit.law.reduces, quality.nested_test(fit)) for fit in self.fits if fit.law.reduces]
        return {reduces[0] for reduces, p in found if p < 1 - self.level}

    @property
    def best(self):
        """The fit that forecasts left-out points best; where none can be left out the one with fewest parameters."""
        return self._fit(self.order[0]) if self.order else self.fits[0]

    def _fit(self, name):
        return next(fit for fit in self.fits if fit.law.name == name)

    def __getitem__(self, name):
        """Give the fit of a law by its name."""
        if name not in {fit.law.name for fit in self.fits}:
            known = [fit.law.name for fit in self.fits]
            raise UnknownName.among("law of this comparison", name, known, f"Compared are {', '.join(known)}.")
        return self._fit(name)

    def tidy(self):
        """Give a row per law, as `Fit.glance` has it; one that could not be fitted has the reason alone."""
        rows = [fit.glance() for fit in self.fits]
        lost = [pd.DataFrame([{"law": name, "reason": why}]) for name, why in self.refused.items()]
        frame = pd.concat([*rows, *lost], ignore_index=True) if lost else pd.concat(rows, ignore_index=True)
        texts = {name: frame[name].fillna("") for name in ("error_from", "at_bound", "reason")}
        return frame.assign(**texts)

    def augment(self):
        """Give a row per law and point: law, x, y, fitted, residual."""
        parts = [fit.augment().assign(law=fit.law.name) for fit in self.fits]
        return pd.concat(parts, ignore_index=True)[["law", "x", "y", "fitted", "residual"]]

    def glance(self):
        """Give one row: best, runner_up, verdict (a law, or "cannot tell"), reason."""
        runner_up = self.order[1] if len(self.order) > 1 else ""
        return pd.DataFrame([(self.best.law.name, runner_up, *self.verdict)], columns=_GLANCE)

    @functools.cached_property
    def verdict(self):
        """The law the points speak for, or "cannot tell", and why."""
        return _verdict(self)

    def check_x(self):
        """Refuse to set laws side by side at one x where some follow y from another column."""
        _check_same(self.fits, "x")

    def predict(self, x):
        """Forecast with the best law, beside the least and the most that any law within reach of it says.

        Returns
        -------
        DataFrame
            x, law, predicted, span_low, span_high, n_laws (within reach), extrapolated.

        Raises
        ------
        CannotFit
            When the laws took different columns of a frame for x.
        """
        self.check_x()
        best = self.best.predict(x)
        spans = np.array([self._fit(name).curve(best["x"]) for name in self.reach])
        spans = np.where((spans > 0) | (not self.best.positive), spans, np.nan)  # a law that ends before x says nothing
        parts = {"x": best["x"], "law": self.best.law.name, "predicted": best["predicted"]}
        parts |= {"span_low": np.nanmin(spans, 0), "span_high": np.nanmax(spans, 0)}
        parts |= {"n_laws": np.isfinite(spans).sum(0)}
        return pd.DataFrame(parts | {"extrapolated": best["extrapolated"]})

    def headline(self):
        """Say in a sentence or two what was compared and what came of it."""
        count, points = len(self.fits), len(self.fits[0].points[0])
        lost = f" Not fitted: {', '.join(self.refused)}." if self.refused else ""
        return f"{count} law{'s'[: count != 1]} through {words.of_points(points, self.where)}. {self.say()}{lost}"

    def say(self):
        """Say the verdict and its reason."""
        verdict, reason = self.verdict
        said = "The points cannot tell which law holds" if verdict == CANNOT_TELL else f"The points speak for {verdict}"
        return f"{said}: {reason}."

    def say_forecast(self, x):
        """Say what the laws within reach of the best forecast at one x."""
        row = self.predict(x).iloc[0]
        place = f"{catalog.label(self.best.y)} at {number(x, 6)} {catalog.label(self.best.x)}"
        beyond = ", extrapolated" if row["extrapolated"] else ""
        if row["n_laws"] == 1:
            return f"{number(row['predicted'], 3)} {place} by {row['law']}{beyond}"
        return f"{number(row['span_low'], 3)} to {number(row['span_high'], 3)} {place} by {row['n_laws']} laws{beyond}"

    def say_spread(self, x):
        """Say what all laws forecast at one x; a law that is below zero there, where nothing can be, is named apart."""
        self.check_x()
        ahead = {fit.law.name: float(fit.curve(np.array([float(x)]))[0]) for fit in self.fits}
        below = [name for name, y in ahead.items() if y < 0 and self._fit(name).positive]
        kept = [y for name, y in ahead.items() if np.isfinite(y) and name not in below]
        count = f"{len(kept)} of {len(ahead)}" if len(kept) < len(ahead) else f"{len(ahead)}"
        ends = f"{number(min(kept), 3)} to {number(max(kept), 3)}" if kept else "no"
        said = (
            f"{count} laws forecast {ends} {catalog.label(self.best.y)} at {number(x, 6)} {catalog.label(self.best.x)}"
        )
        return f"{said}; below zero, which cannot be: {_listed(below)}" if below else said

    def __str__(self):
        """Lay the comparison out for a terminal."""
        return rendering.as_report(self.headline(), (self.tidy(),))

    __repr__ = __str__

    def _repr_html_(self):
        return rendering.as_html_report(self.headline(), (self.tidy(),))


def compared(members, fit_one, level):
    """Fit each law with `fit_one`; those that cannot be fitted are kept with the reason.

    Raises
    ------
    CannotFit
        When no law can be fitted, for the reason of the first, or when two do not say the same y.
    """
    fits, refused = [], {}
    for law in members:
        try:
            fits.append(fit_one(law))
        except CannotFit as error:
            refused[law.name] = error
    if not fits:
        raise next(iter(refused.values()))
    _check_same(fits, "y")
    fits.sort(key=lambda fit: fit.curves.free.sum())
    why = {name: f"{each.where}: expected {each.expected}, found {each.found}" for name, each in refused.items()}
    return Comparison(tuple(fits), why, fits[0].where, level)


def _check_same(fits, axis):
    """Refuse laws that took different columns of a frame for an axis."""
    taken = {getattr(fit, axis): f"{getattr(fit, axis)} of {fit.law.name}" for fit in fits}
    if len(taken) > 1:
        remedy = f"Name the column with {axis}=, or compare laws of one kind."
        found = ", ".join(taken.values())
        raise CannotFit("compare", expected=f"laws of the same {axis}", found=found, remedy=remedy)


def _left_out_errors(fit):
    if fit.error_from == "rule":
        return None
    forecasts = quality.left_out(fit.curves, fit.params)
    if forecasts is None or (forecasts <= 0).any() or (fit.points[1] <= 0).any():
        return None
    return np.log(forecasts / fit.points[1])


def _verdict(comparison):
    """Leave-one-out error and nested test must agree, and no other law be within reach."""
    if comparison.best.error_from == "rule":
        return CANNOT_TELL, "a published rule is not data"
    if len(comparison.fits) == 1:
        return CANNOT_TELL, "a single law could be fitted"
    if len(comparison.order) < 2:
        return CANNOT_TELL, "too few points to leave one out"
    best = comparison.best
    for fit in comparison.fits:
        quarrel = _quarrel(fit, best, comparison.level)
        if quarrel:
            return CANNOT_TELL, quarrel
    rest = [name for name in comparison.reach if not _nested(comparison[name].law, best.law)]
    if rest:
        others = f"{best.law.name} forecasts left-out points best, {_listed(rest)} as well within the noise"
        return CANNOT_TELL, others
    return best.law.name, "the nested test and the leave-one-out error agree, and no other law is within reach"


def _nested(one, other):
    """Whether two laws are the same or one is the other with a parameter held, which the nested test decides."""
    return one.name == other.name or one.reduces[:1] == (other.name,) or other.reduces[:1] == (one.name,)


def _listed(names):
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _quarrel(fit, best, level):
    """What the nested test says against the leave-one-out error, if it does."""
    if not fit.law.reduces:
        return ""
    p = quality.nested_test(fit)
    simpler, name, _ = fit.law.reduces
    if simpler == best.law.name and not fit.dof:
        return f"{simpler} forecasts left-out points best, but too few points judge the {name} of {fit.law.name}"
    if fit is best and not p < 1 - level:
        return f"{_FORECASTS.format(fit.law.name)} does not ask for its {name} (p = {number(p, 2)})"
    if simpler == best.law.name and p < 1 - level:
        return f"{_FORECASTS.format(simpler)} asks for the {name} of {fit.law.name} (p = {number(p, 2)})"
    return ""
