"""Two curves of load tests compared load by load: how far they are apart, and how well that is known.

Everything is in logarithms. At load j with k runs before and m after, ``l = mean(ln after) - mean(ln before)`` and
``var(l) = sum(v)/k^2 + sum(v)/m^2``, where the variance v of a run is the larger of its own (batch means) and of T^2,
that of a repeated run: of both sides, of steady runs if these have degrees of freedom enough. ln T^2 is a line in x,
the ln load standardized over all F degrees of freedom, fitted by gamma regression, each load weighted by its own
(Davidian and Carroll, Journal of the American Statistical Association 82 1987). Beyond the repeated loads it stays.
Where repeats have fewer degrees of freedom than the changes at the loads among each other, all loads have the same T^2,
which makes these scatter as they do about their mean, or from five loads on about a line in ln load (Paule and Mandel,
Journal of Research of the NBS 87 1982).

The change over all loads is the mean of l with the weights 1/var(l) of a T^2 that is the same at all loads. Its
interval is of Student's t with ``F / (1 + c^2)`` degrees of freedom, where c is the mean of x, weighted by the parts of
its variance (Satterthwaite, Biometrics Bulletin 2 1946).

Where fewer than three loads are on both sides, every load within the range of both is compared, and a side that was not
run at it lies between two bounds. The response R and, as N/X = R + Z, the load over the throughput are convex in the
load N, as they are in every closed network of servers with fixed rates and in the universal scalability law. Hence the
curve is at most the chord between the loads on either side, and at least the lines through the two before and through
the two after, and the lower of its neighbours. The interval reaches from the least, less its error, to the greatest,
plus its error; the ratio is in the middle. Then T^2 is that of repeats, and without them there is no interval.
"""

import math
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
import pandas as pd
from scipy import optimize

from dominoperf.loadtests.batch_means import t_quantile

_FOR_A_LINE = 5  # loads, from which on a change may grow with the load without counting as noise
_LOADS_TO_COMPARE_DIRECTLY = 3  # on both sides: with so many no load is interpolated
_LOADS_TO_INTERPOLATE = 3  # of one side: between so many another load may be interpolated
_LEAST_RUN_VARIANCE = 1e-12  # variance of a repeated run
_AGAIN = "run each load again on both sides: a single run does not tell how runs differ"


@dataclass(frozen=True)
class Change:
    """A ratio, after divided by before, with its interval; NaN where it is unknown, and why."""

    ratio: float
    low: float = math.nan
    high: float = math.nan
    reason: str = ""


def loads_to_compare(runs_before, runs_after):
    """Return the loads that both sides ran; where these are fewer than three, every load within the range of both."""
    before, after = (sorted(set(runs["load"])) for runs in (runs_before, runs_after))
    both = sorted({*before} & {*after})
    if len(both) >= _LOADS_TO_COMPARE_DIRECTLY or min(len(before), len(after)) < _LOADS_TO_INTERPOLATE:
        return np.array(both)
    low, high = max(before[0], after[0]), min(before[-1], after[-1])
    return np.array([load for load in sorted({*before, *after}) if low <= load <= high])


def compare_columns(before, after, column, loads, *, interpolated):
    """Return a column of the runs of both sides compared at some loads, as `ColumnsCompared`.

    `interpolated` says whether some of the loads were run on one side alone: what lies between two loads hides its own
    error, so its scatter tells nothing of how runs differ.
    """
    values = pd.concat([before[column], after[column]]).dropna()
    places = [Decimal(f"{value:.12g}").as_tuple().exponent for value in values]
    step = 10.0 ** min([*places, 0])  # of the printed numbers: equal ones differ by less, not by nothing
    curves = [_curve_in_logs(runs, column, step) for runs in (before, after)]
    (low, high), (low_after, high_after) = (curve.bounds_at(loads) for curve in curves)
    measured = np.isfinite(low_after[0] - low[0]) & all(len(curve.loads) for curve in curves)
    ends = []
    for (values_before, slopes), (values_after, slopes_after) in ((high, low_after), (low, high_after)):
        sides = list(zip(curves, (slopes[measured], slopes_after[measured]), strict=True))
        ends.append(Changes((values_after - values_before)[measured], sides))
    repeat = _run_variance(before, after, column, step, loads[measured], ends[0], interpolated)
    return ColumnsCompared(curves, loads[measured], ends, repeat)


def _run_variance(before, after, column, step, loads, changes, interpolated):
    """The `RunVariance` of a column: of repeats, or of how the changes scatter; NaN where nothing tells it."""
    terms = 2 if len(loads) >= _FOR_A_LINE else 1
    dof = 0 if interpolated else len(loads) - terms
    for steady_alone in (True, False):
        sides = []
        for runs in (before, after):
            sure = (runs["steady"] != 0) | runs["throughput_std_error"].isna()  # steady, or totals
            repeats = runs[(sure if sure.any() else ~sure) if steady_alone else runs[column] > 0]
            sides.append(_scatter_of_repeats(repeats["load"], repeats[column], step))
        repeats = pd.concat(sides)
        free = repeats["count"] - 1
        if free.sum() >= max(dof, 1):
            return _variance_of_repeats(*(part.groupby(level=0).sum() for part in (free * repeats["var"], free)))
    variance = _variance_of_runs(changes, np.log(loads), terms) if dof >= 1 else math.nan
    return RunVariance(variance, variance, dof)


def _scatter_of_repeats(loads, values, step):
    """The variance of the logarithms of the values of each load that has several, and their number.

    Repeats that round to one number scatter all the same: none has less than ``step / sqrt(12)``.
    """
    known = values.notna()
    loads, at, count = np.unique(loads[known], return_inverse=True, return_counts=True)
    logs = np.log(values[known].to_numpy(float))
    means = np.bincount(at, logs) / count
    variance = np.bincount(at, (logs - means[at]) ** 2) / np.maximum(count - 1, 1)
    variance = np.fmax(variance, np.fmax(step**2 / 12 / np.exp(2 * means), _LEAST_RUN_VARIANCE))
    return pd.DataFrame({"var": variance, "count": count}, loads)[count > 1]


@dataclass(frozen=True)
class RunVariance:
    """The variance of the ln of a run, ``middle exp(slope x)``, where x is the ln load, standardized over the `dof`."""

    pooled: float  # if it is the same at all loads
    middle: float
    dof: int
    slope: float = 0.0
    mean: float = 0.0  # of the ln load
    deviation: float = math.inf
    repeated: tuple = (0.0, 0.0)  # x of the first and last load with repeats, beyond which it stays

    def of_sum(self, sides):
        """Return the variance of a sum of means, of each side its curve and weights, and its degrees of freedom."""
        total = places = 0.0
        for curve, weights in sides:
            x = np.clip((np.log(curve.loads) - self.mean) / self.deviation, *self.repeated)
            parts = weights**2 * curve.variance(self.middle * np.exp(self.slope * x))
            total, places = total + float(parts.sum()), places + float(parts @ x)
        return total, self.dof / (1 + (places / total) ** 2)


@dataclass(frozen=True)
class Changes:
    """Changes of an ln at the compared loads: the least or the greatest that the bounds of both sides allow."""

    values: np.ndarray
    sides: list  # of each the curve, and the derivatives of the changes by its means

    def variances(self, repeat):
        """Return the variances of the changes, if a repeated run has this variance at every load."""
        return sum(slopes**2 @ curve.variance(np.full(len(curve.loads), repeat)) for curve, slopes in self.sides)

    def of_loads(self, weight, repeat):
        """Return the weighted mean of the changes, its variance and its degrees of freedom."""
        mean = float(weight @ self.values)
        return mean, *repeat.of_sum([(curve, weight @ slopes) for curve, slopes in self.sides])


@dataclass(frozen=True)
class ColumnsCompared:
    """A column of both sides: their curves, its changes at the loads that are compared, how much a run varies."""

    curves: list
    loads: np.ndarray  # at which both sides have it
    ends: list  # the least and the greatest `Changes` there
    repeat: RunVariance

    def change_at_each_load(self, level):
        """Return the `Change` at each load, by itself."""
        rows = zip(self.loads, np.eye(len(self.loads)), strict=True)
        return {load: self._change(row, level) for load, row in rows}

    def change_over_loads(self, level):
        """Return the `Change` of the mean over the loads, each weighted by how well its own change is known."""
        low, high = self.ends
        variance = np.fmax(*(end.variances(self.repeat.pooled) for end in self.ends))
        variance += (high.values - low.values) ** 2 / 4
        weight = 1 / variance if (variance > 0).all() else np.ones(len(variance))
        return self._change(weight / weight.sum(), level)

    def change_of_highest(self, loads, level):
        """Return the `Change` of the highest value of either curve among some loads, whichever load that is."""
        (low, high), (low_after, high_after) = (
            [(values[(at := np.nanargmax(values))], slopes[at]) for values, slopes in curve.bounds_at(loads)]
            for curve in self.curves
        )
        ends = [
            (after - before, *self.repeat.of_sum(zip(self.curves, (slopes, slopes_after), strict=True)))
            for (before, slopes), (after, slopes_after) in ((high, low_after), (low, high_after))
        ]
        return _change_with_interval(ends, level)

    def _change(self, weight, level):
        return _change_with_interval([end.of_loads(weight, self.repeat) for end in self.ends], level)


@dataclass(frozen=True)
class CurveInLogs:
    """The mean ln of a column at each load of one side, and what is known of the variance of its runs."""

    loads: np.ndarray
    means: np.ndarray
    run_variances: np.ndarray  # of each run by itself
    load_of_run: np.ndarray  # its place among the loads
    runs: np.ndarray  # at each load
    is_rate: bool  # a throughput, whose cost N/X is convex in the load, as a response is by itself

    def variance(self, repeat):
        """Return the variance of the mean at each load, if a run has that of `repeat` at the load or its own."""
        variances = np.fmax(self.run_variances, repeat[self.load_of_run])
        return np.bincount(self.load_of_run, variances) / self.runs**2

    def bounds_at(self, loads):
        """Return the least and the greatest ln of the column at other loads, each with its derivatives by the means.

        NaN where a load is neither among those of the curve nor to be interpolated: outside them, or of too few.
        """
        values, slopes = np.full((2, len(loads)), np.nan), np.full((2, len(loads), len(self.loads)), np.nan)
        costs = self.loads / np.exp(self.means) if self.is_rate else np.exp(self.means)
        for row, load in enumerate(loads):
            after = int(np.searchsorted(self.loads, load))
            if after < len(self.loads) and self.loads[after] == load:
                values[:, row], slopes[:, row] = self.means[after], np.arange(len(self.loads)) == after
            elif 0 < after < len(self.loads) >= _LOADS_TO_INTERPOLATE:
                near = [pair for pair in ((after - 2, after - 1), (after, after + 1)) if pair[0] >= 0]
                chord, *lines = (
                    _weights_of_line(self.loads, *pair, load)
                    for pair in ((after - 1, after), *near)
                    if pair[1] < len(self.loads)
                )
                neighbour = after - 1 if costs[after - 1] <= costs[after] else after
                lines.append(np.where(np.arange(len(self.loads)) == neighbour, 1.0, 0.0))
                highest = max(lines, key=lambda line: line @ costs)
                for end, line in enumerate(sorted((chord, highest), key=lambda line: line @ costs)):
                    end = 1 - end if self.is_rate else end  # the least cost is the greatest rate
                    values[end, row] = np.log(load / (line @ costs) if self.is_rate else line @ costs)
                    slopes[end, row] = line * costs / (line @ costs)
        return list(zip(values, slopes, strict=True))


def _curve_in_logs(runs, column, step):
    """The curve of a column over the runs that have it; no run is known better than ``step / sqrt(12)``."""
    runs = runs[runs[column] > 0]
    loads, load_of_run, count = np.unique(runs["load"].to_numpy(float), return_inverse=True, return_counts=True)
    means = np.bincount(load_of_run, np.log(runs[column].to_numpy(float))) / count
    error = f"{column.removesuffix('_per_s').removesuffix('_s')}_std_error"
    variances = np.fmax(runs[error].to_numpy(float) ** 2, step**2 / 12) / runs[column].to_numpy(float) ** 2
    return CurveInLogs(loads, means, variances, load_of_run, count, column == "throughput_per_s")


def _weights_of_line(loads, first, second, at):
    """The weights by which the values at two of the loads give that of their line at another load."""
    weights = np.zeros(len(loads))
    weights[second] = (at - loads[first]) / (loads[second] - loads[first])
    weights[first] = 1 - weights[second]
    return weights


def _variance_of_repeats(squares, dof):
    """The `RunVariance` of squares about means, by load: a gamma regression of ``squares / dof`` on the ln load."""
    total, pooled = int(dof.sum()), squares.sum() / dof.sum()
    if len(dof) == 1:
        return RunVariance(pooled, pooled, total)
    places, logs = np.log(dof.index.to_numpy(float)), np.log(squares.to_numpy())
    mean = np.average(places, weights=dof)
    deviation = math.sqrt(np.average((places - mean) ** 2, weights=dof))
    x = (places - mean) / deviation
    # the deviance over `total`, but for a constant: that of the best middle, as the mean of x over `dof` is 0
    best = optimize.minimize_scalar(lambda slope: np.logaddexp.reduce(logs - slope * x))
    return RunVariance(pooled, math.exp(best.fun) / total, total, best.x, mean, deviation, (x[0], x[-1]))


def _variance_of_runs(changes, places, terms):
    """The variance of a run that makes `Changes` scatter as they do, about their mean or about a line in ln load."""
    terms = np.vander(places, terms)

    def excess(repeat):
        """The weighted squares about the mean or line, less what noise alone would leave."""
        weight = 1 / np.sqrt(changes.variances(repeat))
        values, columns = weight * changes.values, weight[:, None] * terms
        residual = values - columns @ np.linalg.lstsq(columns, values)[0]
        return float(residual @ residual) - (len(changes.values) - terms.shape[1])

    least, most = _LEAST_RUN_VARIANCE, max(float(np.var(changes.values)), 2 * _LEAST_RUN_VARIANCE)
    if excess(least) <= 0:  # the runs' own errors explain more
        return least
    while excess(most) > 0:
        most *= 2
    return float(optimize.brentq(excess, least, most, xtol=_LEAST_RUN_VARIANCE / 100))


def _change_with_interval(ends, level):
    """A change as a ratio with its interval, from the least and the greatest ln, their variances and freedom."""
    reaches = [t_quantile(level, dof) * math.sqrt(variance) for _, variance, dof in ends]
    (low, *_), (high, *_) = ends
    with np.errstate(over="ignore"):  # of builds without anything in common, beyond any number
        ratio, *far = map(float, np.exp([(low + high) / 2, low - reaches[0], high + reaches[1]]))
    return Change(ratio, reason=_AGAIN) if math.isnan(sum(reaches)) else Change(ratio, *far)
