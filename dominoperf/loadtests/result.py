"""A run with its phases: what `steady_state` found, as frames and in words."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from dominoperf import tables
from dominoperf.loadtests.samples import Samples
from dominoperf.loadtests.spread import Estimate
from dominoperf.tables import rendering
from dominoperf.tables.rendering import number


@dataclass(frozen=True, eq=False)
class Steady:
    """The steady window of a run, or why there is none. `tidy` and `glance` give plain frames."""

    method: str  # "change" or "documents"
    samples: Samples = field(repr=False)  # of the column looked at
    row_times: np.ndarray = field(repr=False)  # of every row of the frame, in seconds
    phases: pd.DataFrame = field(repr=False)
    from_s: float
    to_s: float
    drift: Estimate  # 1/hour: slope over the mean
    drifting: str  # "yes", "no" or "cannot tell"
    mean: Estimate  # of the column over the window
    reasons: tuple  # why there is no window, or what is to be known of it
    level: float

    @property
    def reason(self):
        """The reasons in a row."""
        return "; ".join(self.reasons)

    @property
    def found(self):
        """Whether there is a steady window."""
        return bool(np.isfinite(self.from_s))

    @property
    def window(self):
        """Which rows of the frame lie in the steady window: an array of truth values, all false where there is none."""
        return (self.row_times >= self.from_s) & (self.row_times <= self.to_s)

    def tidy(self):
        """Return a row per phase: phase, from_s, to_s (of its first and last sample), samples, reason."""
        return self.phases.copy()

    def glance(self):
        """Return one row: method, metric, from_s, to_s, samples, drift per hour with its interval, drifting, reason."""
        row = {"method": self.method, "metric": self.samples.column, "from_s": self.from_s, "to_s": self.to_s}
        row["samples"] = len(self.samples.part(self.from_s, self.to_s).times)
        ends = {"drift_per_hour": self.drift.value, "drift_low_per_hour": self.drift.low}
        ends |= {"drift_high_per_hour": self.drift.high, "drifting": self.drifting}
        return pd.DataFrame([row | ends | {"reason": self.reason}])

    def headline(self):
        """Say in a sentence or three where the run is steady, on which level, and whether it drifts."""
        name = tables.label(self.samples.column)
        if not self.found:
            return f"No steady window of {name}: {self.reason}."
        what = f"{name[0].upper()}{name[1:]} is steady" if self.method == "change" else "The measured period is"
        whose = "mean" if self.method == "change" else f"mean of {name}"
        parts = [f"{what} from {number(self.from_s)} to {number(self.to_s)} s, {whose} {self._mean()}."]
        parts += [self.say_drift(), f"Note: {self.reason}." if self.reason else ""]
        return " ".join(filter(None, parts))

    def _mean(self):
        if np.isnan(self.mean.low):
            return f"{number(self.mean.value)} (no interval: {self.mean.reason})"
        return (
            f"{number(self.mean.value)} ({self.level:.0%} interval {number(self.mean.low)} to {number(self.mean.high)})"
        )

    def say_drift(self):
        """Say in a sentence whether the run drifts, and the change over its window: the drift an hour times its hours.

        An hour is much longer than many a window: what the line would be by then no reader can use.
        """
        said = {"yes": "It drifts", "no": "It does not drift", "cannot tell": "Whether it drifts cannot be told"}
        span = self.to_s - self.from_s
        low, high = (end * span / 3600 for end in (self.drift.low, self.drift.high))
        if not np.isfinite([low, high]).all():
            return f"{said[self.drifting]}."
        said["cannot tell"] = "Too short or too noisy to tell a drift"
        digits = 1 if max(-low, high) >= 0.01 else 2
        ends = f"{low:+.{digits}%} and {high:+.{digits}%} of its mean ({self.level:.0%} interval)"
        return f"{said[self.drifting]}: the change over the window of {number(span)} s lies between {ends}."

    def __str__(self):
        """Lay the summary out for a terminal."""
        return f"{self.headline()}\n\n{rendering.Table(self.tidy())}\n{rendering.Table(self.glance())}"

    __repr__ = __str__

    def _repr_html_(self):
        return rendering.as_html_report(self.headline(), (self.tidy(), self.glance()))
