"""Forecast a throughput or capacity beyond its points: the growth that scaling laws give it, and a calibrated band.

Everything is in logarithms: ``z = ln y``, and ``d = ln(x / x_n)`` is the distance beyond the last point.

1. Laws: ``c + ln r - ln(1 + (A r)^q + (B r)^(2 q)) / q`` with ``r = x / x_n``. For q = 1 they are linear scaling,
   Amdahl's law (B = 0) and the universal law; for q = 2 and 8 a capacity that is reached and kept (B = 0), or lost
   again. A and B take the values of one grid for every curve, for r has no unit.
2. Weights of the laws: a law misses every point by an error of unknown size, expected to be `misfit`; that expectation
   is worth `misfit_points` points, and c is free. With Q the sum of squares about the best c, a grid point weighs
   ``(Q + misfit_points misfit^2)^(-(n - 1 + misfit_points) / 2)``, and a law the mean of its grid points.
3. Forecast: the weighted mean of the laws, led through the points. By how much it misses two points changes along a
   straight line in ln x between them; beyond the last point, and before the first, it stays what it is there.
4. Band: from ``-low d`` to ``+high d`` about it, as a slope that is wrong would be off. The widths were learnt from the
   errors on a corpus of curves. With only two points the band is `few` times as wide. Between two points it is that of
   a bridge between two known ends, ``between sqrt(a b / (a + b))`` on either side with a and b the distances in ln x
   from the two, as the errors of points left out of a corpus of curves were.
5. Known errors of the points, e in ln y: a law misses a point by ``misfit^2 + e^2``, so that the point counts
   ``misfit^2 / (misfit^2 + e^2)`` in Q and in n. What they do to the forecast (each point moved by its error, squares
   summed) is added to the band in squares.
6. Where no errors are known, no band is narrower than how far one more run may be off: ``t s sqrt(1 + 1/k)``, with s of
   the k runs of one x about their means. Without repeats, of more than three points, it is ``t s sqrt(2)`` with s of
   what the laws miss of the points, n - 3 degrees of freedom. Either s is pooled with `least`, worth `misfit_points`.
"""

import functools
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.special import ndtri, stdtrit

from dominoperf.errors import CannotFit, capitalized, check_level, names_its_keywords, spelling
from dominoperf.fitting import points, summary
from dominoperf.fitting.points import NumbersLike, PointsLike, Source, ValuesLike
from dominoperf.fitting.result import DrawnResult
from dominoperf.laws import LAWS
from dominoperf.tables import carried_errata, rendering
from dominoperf.tables.columns import check_columns, check_group_columns, column_names
from dominoperf.tables.folders import our_toml_file
from dominoperf.tables.headings import heading_words, most_of_column, why_no_throughput
from dominoperf.tables.rendering import Result, coverage, percent

_IN_WORDS = {
    "linear": "linear scaling", "amdahl": "Amdahl's law", "usl": "the universal scalability law",
    "saturation": "levelling off at a capacity", "falling": "falling again beyond a peak",
}  # fmt: skip
NAMES = tuple(_IN_WORDS)
"""What a forecast combines; "saturation" is a capacity reached and kept, "falling" one that is lost again."""
_NUMBERS = ("predicted", "low", "high")
_FORECASTS_OF_GROUP = ["x", *_NUMBERS, "distance", "basis", "extrapolated", "reason"]
_MEASURED = "measured there, so nothing is forecast: the band is an assumed error of one run"
_MEASURED_AMONG = (
    "measured there, so nothing is forecast: the band is how far one more run may be off, by the laws' misses"
)
_MEASURED_AGAIN = "measured there, so nothing is forecast: the band is how far one more run may be off, by the repeats"
_MEASURED_WITH_ERROR = "measured there, so nothing is forecast: the band is that of its error"
_BEFORE = "before the first point: the band is not calibrated there"
_MISSED = "the laws miss the last point by more than a factor of 2: these points have another shape"
_TOO_LARGE = "no number of this machine is so large or so small"
_TOO_FEW_X = "fewer than two different x"
_LEAST_DIFFERENT_X = 2
_LAW_PARAMETERS = 3  # at most: c, A and B
_MOST_MISSED = np.log(2)  # of the last point, in ln y: no curve of the corpus is missed by so much
_TWO = "two points show no bend and hide their noise: the band is widened, and rests on the public curves alone"
_CURVES = 1000  # forecast together: what is made on the way does not grow with the data


@dataclass(frozen=True)
class ForecastConstants:
    """What a forecast does not learn from its own points; ``data/forecast.toml`` says what each is, and how learnt."""

    low: float
    high: float
    tails: float
    misfit: float
    misfit_points: float
    least: float
    corners: tuple
    first: float
    last: float
    values: int
    far: float
    few: float
    between: float
    coverage_kept_apart: float
    coverage_of_worst_source: float
    coverage_between_kept_apart: float

    def ends(self, distance, level=0.95, *, points=3, bridge=np.nan, least=None):
        """Return how far, in ln y, the band reaches down and up at some distances in ln x beyond so many points.

        `bridge` is ``a b / (a + b)`` of a place between two points, NaN elsewhere; `least` how narrow a side can be.
        """
        share = stdtrit(self.tails, (1 + level) / 2) / stdtrit(self.tails, 0.975) * (1.0 if points > 2 else self.few)
        least, inside = self.least if least is None else least, self.between * np.sqrt(bridge)
        wide = [np.where(np.isnan(bridge), end * distance, inside) for end in (self.low, self.high)]
        return tuple(share * np.maximum(end, least) for end in wide)


def constants_of_forecasts():
    """Return the constants of ``data/forecast.toml``.

    Examples
    --------
    >>> constants_of_forecasts().misfit
    0.1
    """
    written = our_toml_file("forecast.toml")
    values = written["learnt"] | written["chosen"] | written["judged"]
    return ForecastConstants(**values | {"corners": tuple(values["corners"])})


class CombinedForecast(NamedTuple):
    """What `combine_forecasts_of_laws` gives: of m places and k curves, in ln y."""

    centre: np.ndarray  # m x k
    distance: np.ndarray  # m: from the nearest point, in ln x
    bridge: np.ndarray  # m: a b / (a + b) of a place between two points, a and b ln x away from it; NaN elsewhere
    missed: np.ndarray  # n x k: by how much the laws miss each point
    laws: np.ndarray  # laws x k: their weights, which sum to 1


def combine_forecasts_of_laws(x, log_y, at, constants, errors=None):
    """Return forecasts of ln y for many curves with the same x: n of it, rising, two at least; `log_y` is n x curves.

    `at` are m places above zero; `errors`, where given, n known standard errors of ln y, of every curve.

    Examples
    --------
    >>> x, log_y, at = np.array([1.0, 2, 4]), np.log([[1.0], [2], [4]]), np.array([8.0])
    >>> mixed = combine_forecasts_of_laws(x, log_y, at, constants_of_forecasts())
    >>> np.exp(mixed.centre).round(2).tolist()
    [[7.48]]
    """
    distance = np.abs(np.log(at[:, None] / x)).min(axis=1)
    errors = np.zeros(len(x)) if errors is None else errors
    by_laws, laws = _forecasts_by_laws(x, log_y, np.r_[x, at], constants, errors)
    missed = log_y - by_laws[: len(x)]
    # A place of 1.5 is midway between the second point and the third; before the first it is 0, beyond the last n - 1.
    place = np.interp(np.log(at), np.log(x), np.arange(len(x)))
    left = np.minimum(place.astype(int), len(x) - 2)
    share = (place - left)[:, None]
    centre = by_laws[len(x) :] + (1 - share) * missed[left] + share * missed[left + 1]
    gaps = np.log(x[left + 1] / x[left])
    bridge = np.where((at >= x[0]) & (at <= x[-1]), gaps * share[:, 0] * (1 - share[:, 0]), np.nan)
    return CombinedForecast(centre, distance, bridge, missed, laws)


def _forecasts_by_laws(x, log_y, at, constants, errors):
    """The laws' mean forecast, and the weight of each law: two matrix products, for both factors are centred."""
    n, counts = len(x), constants.misfit**2 / (constants.misfit**2 + errors**2)
    law, which = _curve_shapes(tuple(np.r_[x, at] / x[-1]), constants)
    share, root = counts / counts.sum(), np.sqrt(counts)
    law = law - (law[:, :n] @ share)[:, None]
    mean = share @ log_y
    here, z = law[:, :n] * root, (log_y - mean) * root[:, None]
    squares = np.maximum((here**2).sum(axis=1)[:, None] - 2 * here @ z + (z**2).sum(axis=0), 0.0)
    prior = constants.misfit_points * constants.misfit**2
    half = (max(counts.sum() - 1, 0.0) + constants.misfit_points) / 2
    logs = -half * np.log(squares + prior) - np.log(np.bincount(which)[which])[:, None]
    weight = np.exp(logs - logs.max(axis=0))
    weight /= weight.sum(axis=0)
    # The laws of `_curve_shapes`: linear, Amdahl's and the universal law; then each sharper corner without and with B.
    kinds = {"linear": which == 0, "amdahl": which == 1, "usl": which == 2,
             "saturation": (which > 2) & (which % 2 == 1), "falling": (which > 2) & (which % 2 == 0)}  # fmt: skip
    by_name = np.stack([weight[kinds[name]].sum(axis=0) for name in NAMES])
    return mean + law[:, n:].T @ weight, by_name


@functools.lru_cache(maxsize=64)
def _curve_shapes(ratio, constants):
    """The ln X of every law and grid point at each ``x / x_n``, without scale; and of which law each row is.

    Law 0 has neither A nor B; then for each corner come one without B and one with both.
    """
    ratio, grid = np.array(ratio), np.geomspace(constants.first, constants.last, constants.values)
    rows, which = [np.log(ratio)[None]], [[0]]
    for corner in constants.corners:
        for first, second in ((grid, [0.0]), (np.r_[0.0, grid], grid)):
            a, b = (axis.reshape(-1, 1) for axis in np.meshgrid(first, second))
            rows.append(np.log(ratio) - np.log1p((a * ratio) ** corner + (b * ratio) ** (2 * corner)) / corner)
            which.append([which[-1][-1] + 1] * len(a))
    return np.concatenate(rows), np.concatenate(which)


class RunsOfOneX(NamedTuple):
    """How the runs of one x scatter, of curves with the same x."""

    counts: np.ndarray  # at each x
    squares: np.ndarray  # of ln y about the means of each x, of each curve

    @property
    def dof(self):
        """Degrees of freedom of the scatter: runs minus x."""
        return int((self.counts - 1).sum())

    def reach_of_one_run(self, x, at, level, constants, missed):
        """Return how far one more run at each place may be off in ln y, m x k; 0 where nothing tells it.

        Repeats tell it; where no x has two runs, what the laws miss of the points, n x k, of which a new run and the
        last point have two.
        """
        if self.dof:
            nearest = self.counts[np.abs(np.log(at[:, None] / x)).argmin(axis=1)]
            times, squares, dof = 1 + 1 / nearest, self.squares, self.dof
        elif len(x) > _LAW_PARAMETERS:
            times, squares, dof = np.ones(len(at)), 2 * np.sum(missed**2, axis=0), len(x) - _LAW_PARAMETERS
        else:
            return np.zeros((len(at), len(self.squares)))
        guess = (constants.least / ndtri(0.975)) ** 2 * constants.misfit_points
        dof += constants.misfit_points
        return stdtrit(dof, (1 + level) / 2) * np.sqrt(np.outer(times, squares + guess) / dof)


def _tidy_forecasts(x, log_y, runs, at, level, constants, y, most, errors=None):
    """The rows of `Forecast.tidy` for curves with the same x, curve by curve; `y` is their column, at most `most`."""
    no_band = why_no_throughput(y)
    no_band = no_band and f"no band: {no_band}, from which bands were learnt"
    combined, curves = combine_forecasts_of_laws(x, log_y, at, constants, errors), log_y.shape[1]
    least = None if errors is None else 0.0  # what one run is off by is known
    ends = constants.ends(combined.distance, level, points=len(x), bridge=combined.bridge, least=least)
    down, up = (end[:, None] for end in ends)
    if errors is not None:  # each point moved by its error: the forecast is nearly linear in ln y
        moved = combine_forecasts_of_laws(x, log_y + np.diag(errors), at, constants, errors).centre - combined.centre
        of_errors = ndtri((1 + level) / 2) * np.sqrt(np.sum(moved**2, axis=1, keepdims=True))
        down, up = np.hypot(down, of_errors), np.hypot(up, of_errors)
    else:
        one_run = runs.reach_of_one_run(x, at, level, constants, combined.missed)
        down, up = np.maximum(down, one_run), np.maximum(up, one_run)
    with np.errstate(over="ignore", under="ignore"):
        values = np.exp([combined.centre, combined.centre - down, combined.centre + up])
    finite = np.isfinite(values).all(axis=0) & (values > 0).all(axis=0)
    if no_band:
        values[1:] = np.nan
    inside = (at >= x[0]) & (at <= x[-1])
    beyond = f"more than {constants.far:g} times the last point: hardly any public curve reaches so far"
    measured = np.isin(at, x)
    reason = np.where(at < x[0], _BEFORE, "")
    here = _MEASURED_AGAIN if runs.dof else _MEASURED_AMONG if len(x) > _LAW_PARAMETERS else _MEASURED
    reason = np.where(measured, here if errors is None else _MEASURED_WITH_ERROR, reason)
    reason = np.where(at > constants.far * x[-1], beyond, reason)
    always = (_TWO if len(x) == 2 else "", no_band)
    told, when_missed = (
        np.array([summary.joined_reasons((text, *always, more)) for text in reason], object) for more in ("", _MISSED)
    )
    reason = np.where(np.outer(np.abs(combined.missed[-1]) > _MOST_MISSED, at > x[-1]), when_missed, told)
    basis = np.where(measured, "measured", np.where(inside, "laws through the points", "laws")).astype(object)
    basis = "two points: " + basis if len(x) == 2 else basis
    parts = {"x": np.tile(at, curves)}
    parts |= {name: np.where(finite, numbers, np.nan).T.ravel() for name, numbers in zip(_NUMBERS, values, strict=True)}
    parts |= {"distance": np.tile(np.exp(combined.distance), curves), "basis": np.tile(basis, curves)}
    parts["extrapolated"] = np.tile(~inside, curves)
    reason, beyond = np.where(finite.T, reason, _TOO_LARGE).ravel(), parts["predicted"] > most
    parts["predicted"] = np.where(beyond, np.nan, parts["predicted"])
    reason[beyond] = [summary.joined_reasons((summary.SATURATED, text)) for text in reason[beyond]]
    return pd.DataFrame(parts | {"reason": reason}).astype({"basis": "str", "reason": "str"})


@carried_errata.carries_errata("tidy", "weights", "glance")
@dataclass(frozen=True)
class Forecast(Result, DrawnResult):
    """A forecast; `tidy`, `weights` and `glance` give plain frames, `plot` draws it. Printing gives a summary."""

    at: np.ndarray
    points: tuple  # x and y, x rising and each once: the y of several runs of one x are their geometric mean
    x: str
    y: str
    level: float
    source: Source
    constants: ForecastConstants
    user: str
    errata: tuple = field(compare=False)
    y_err: np.ndarray | None  # known standard errors of the points, relative to y
    runs: RunsOfOneX | None

    def tidy(self) -> pd.DataFrame:
        """Return a row for each x asked for.

        Columns: x, predicted, low, high (ends of the band), distance (x divided by the last point; before the first
        point, that divided by x; between points the ratio to the nearest), basis ("laws", "laws through the points"
        between two of them, or "measured", where nothing is forecast), extrapolated, reason (why the row is to be read
        with care, or has no value or band: there is no CPU utilization above 100 %, and no band of what is no
        throughput or capacity).
        """
        return self.tidy_at(self.at)

    def tidy_at(self, at: Sequence[float] | np.ndarray) -> pd.DataFrame:
        """Return the rows of `tidy` at other x, an array: those of a curve, for a picture."""
        settings = self.level, self.constants, self.y, most_of_column(self.y, self.points[1]), self.y_err
        return _tidy_forecasts(*self._points_in_logs, self.runs, np.asarray(at, float), *settings)

    def weights(self) -> pd.DataFrame:
        """Return how much each law adds to the mean of ln y that is the forecast: law, weight; they sum to 1."""
        return pd.DataFrame({"law": NAMES, "weight": self._weights_of_laws})

    def glance(self) -> pd.DataFrame:
        """Return one row: n (different x), heaviest_law and weight (its share of the laws), level, reason."""
        laws = self._weights_of_laws
        reasons = [summary.rows_left_out_in_words(self.source), *self.tidy()["reason"]]
        reason = "; ".join(dict.fromkeys(filter(None, reasons)))
        row = {"n": len(self.points[0]), "heaviest_law": NAMES[int(laws.argmax())], "weight": laws.max()}
        return pd.DataFrame([row | {"level": self.level, "reason": reason}])

    @property
    def _points_in_logs(self) -> tuple[np.ndarray, np.ndarray]:
        """The points as `combine_forecasts_of_laws` takes them: x, and the logarithms of y as a column."""
        x, y = self.points
        return x, np.log(y)[:, None]

    @property
    def _weights_of_laws(self):
        return combine_forecasts_of_laws(*self._points_in_logs, self.at, self.constants, self.y_err).laws[:, 0]

    def headline(self) -> str:
        """Return in a few sentences what is forecast, how sure, and what it rests on."""
        rows, sentences, what = self.tidy(), [], f" {self.label(self.y)}"
        for row in (rows if len(rows) <= 3 else rows.iloc[[-1]]).itertuples():
            at = rendering.number(row.x, 6)
            value, low, high = (rendering.number(end, 3) for end in (row.predicted, row.low, row.high))
            band = f"{coverage(self.level)} band {low} to {high}" if row.low == row.low else ""
            sentence = f"{value}{what} at {at} ({'; '.join(filter(None, (band, row.reason)))})."
            sentences.append(sentence if value else f"No forecast{what} at {at}: {row.reason}.")
            what = ""  # of the first alone
        held, worst = self.constants.coverage_kept_apart, self.constants.coverage_of_worst_source
        points = f"the points, and {percent(worst)} of those of the worst source"
        if self.at[-1] < self.points[0][-1]:
            held, points = self.constants.coverage_between_kept_apart, "the points left out between others"
        if rows["low"].notna().any():
            sentences.append(f"On curves from which it was not learnt, a 95 % band held {percent(held)} of {points}.")
        last, n = rendering.number(self.points[0][-1], 6), len(self.points[0])
        of = f" of {self.source.title}" if self.source.title else ""
        with_errors = " with their standard errors" if self.y_err is not None else ""
        sentences.append(f"From {n} points{of}{with_errors}, the last at {last} {self.label(self.x)}.")
        left_out = summary.rows_left_out_in_words(self.source)
        sentences += [f"{capitalized(left_out)}."] if left_out else []
        glance = self.glance().iloc[0]
        rests = "on scaling laws"
        if self.at[-1] < self.points[0][-1]:
            rests = "on the points on either side, and for the bend between them on scaling laws"
        where = f"The forecast at {rendering.number(self.at[-1], 6)}" if len(self.at) > 1 else "It"
        if not np.isin(self.at[-1], self.points[0]):
            most = f"{_IN_WORDS[glance['heaviest_law']]} weighs most ({percent(glance['weight'])})"
            sentences.append(f"{where} rests {rests}, of which {most}.")
        return " ".join(sentences)

    label = summary.axis_label_of_fit

    def _page_tables(self):
        return self.tidy(), self.weights()


@names_its_keywords()
def forecast(data: PointsLike | None = None, at: NumbersLike | None = None, *, x: ValuesLike | None = None,
             y: ValuesLike | None = None, y_err: ValuesLike | None = None,
             level: float = 0.95) -> Forecast:  # fmt: skip
    """Return a forecast of a throughput or capacity at some x, as a rule beyond the points, with a band.

    Formula: ``ln forecast = ln(last y) + mean over laws of ln(law(x) / law(last x))``, each law weighted by how well it
    fits the points; the band is ``forecast exp(-low d)`` to ``forecast exp(high d)``, with ``d = ln(x / last x)``. Up
    to the last point the laws are led through the points, and the band is that of points left out between two others.
    No band is narrower than what one more run is off by, as several runs of one x tell, or else how the points lie
    about the laws, if they are more than three. The head of this module has the whole method, ``data/forecast.toml``
    the constants and how they were learnt.

    Parameters
    ----------
    data : str, path, DataFrame, dict or array, optional
        As for `fit`; left out, x and y are the values. y is what grows with x until something limits it: users,
        transactions per second, 1 / time. Where the unit of the column tells another thing, there is no band.
    at : float or array
        Where to forecast, in the unit of x: above zero. Beyond ten times the last point the answer is marked.
    x, y : str or sequence, optional
        Columns; by default those of the series, else "processors" and "users", else the only two of numbers. Without
        data the values.
    y_err : str or sequence, optional
        A standard error per point, as for `fit`. A point counts the less, the larger its error is against what a law
        misses anyway, and the band becomes wider by what the errors do to the forecast.
    level : float
        Coverage of the band. 0.95 is calibrated, and the answer says what share of the points it held on curves from
        which it was not learnt; other levels follow from it and are rough.

    Returns
    -------
    Forecast

    Raises
    ------
    CannotFit
        With an x that is a time, fewer than two different x, values or an `at` that are not above zero, or a level or
        an error that cannot be. Two points are enough, and the answer is marked: it is wide.
    UnknownName
        When the series, the table or a column does not exist.

    Notes
    -----
    Source: our own; a mean of laws weighted by their marginal likelihood under a scaled inverse chi-squared prior
    (Gelman and others, Bayesian Data Analysis, 2013, section 3.2), and a band by split conformal thinking: quantiles of
    the errors on curves of sources left out. The report "How far can five points see?" judges it.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"processors": [1, 2, 4, 8], "users": [100, 190, 340, 560]})
    >>> forecast(frame, [16]).tidy()[["predicted", "low", "high"]].round().to_numpy().tolist()
    [[787.0, 206.0, 1227.0]]
    """
    check_level(level, "forecast")
    measured, at = _points_to_forecast("forecast", data, at, x, y, y_err)
    different = len(np.unique(measured.x))
    if different < _LEAST_DIFFERENT_X:
        where, remedy = f"forecast of {measured.source}", "Measure at one more x: one point shows no growth."
        raise CannotFit(where, expected="two different x or more", found=str(different), remedy=remedy)
    order = np.argsort(measured.x, kind="stable")
    columns, log_y, runs = _merged_repeats(measured.x[order], np.log(measured.y[order])[:, None])
    errors = None
    if measured.y_err is not None:  # those of the geometric mean of the runs of one x
        variances = ((measured.y_err / measured.y)[order] ** 2)[:, None]
        errors = np.sqrt(_merged_repeats(measured.x[order], variances)[1][:, 0] / runs.counts)
    x_name, y_name = measured.names
    return Forecast(
        at, (columns, np.exp(log_y[:, 0])), x_name, y_name, level, measured.source, constants_of_forecasts(),
        measured.user, measured.errata, errors, runs,
    )  # fmt: skip


def _points_to_forecast(call, data, at, x, y, y_err=None):
    """The points, once nothing speaks against a forecast of them, and where to make one."""
    measured = points.read_points(data, x, y, LAWS["linear"], y_err, call=call)
    where, (x, _), values = f"{call} of {measured.source}", measured.names, (measured.x, measured.y)
    times, words = our_toml_file("forecast.toml")["times"], heading_words(str(x))[0].split("_")
    if {*words} & {*times["words"]} and {*words} <= {*times["words"], *times["beside"]}:
        remedy = (
            "No scaling law says how a load grows in time: extend it by a trend, and plan servers for what that gives."
        )
        raise CannotFit(where, expected="a load or a size as x", found=f"{x}, a time", remedy=remedy)
    rows = np.arange(len(measured.x))
    points.check_points(where, LAWS["linear"], "relative", measured.names, values, rows, measured.source, in_logs=True)
    return measured, points.axis_values(at, x, spelling(f"{call}(at=...)", "--at"), some=True)


@names_its_keywords()
def forecast_many(
    data: PointsLike, at: NumbersLike, *, by: str | Sequence[str], x: str | None = None, y: str | None = None,
    level: float = 0.95,
) -> pd.DataFrame:  # fmt: skip
    """Return forecasts for every group of a frame, as `forecast` would give for each alone; made for thousands.

    Parameters
    ----------
    data : DataFrame, str or path
        The points of all curves, as for `forecast`.
    at : float or array
        Where to forecast each.
    by : str or list of str
        The columns that tell the curves apart.
    x, y
        As for `forecast`.
    level : float
        As for `forecast`.

    Returns
    -------
    DataFrame
        The `by` columns and those of `Forecast.tidy`: a row for each group and x, in the order in which the groups
        first appear. A group of one x has no values, and the reason; one of two is marked.

    Raises
    ------
    BadTable
        When two columns have the name of one that is needed, or a `by` column that of a column of the answer.
    CannotFit
        When a value or an `at` is not above zero, or a level cannot be.
    UnknownName
        When a column does not exist.

    Examples
    --------
    >>> import pandas as pd
    >>> runs = pd.DataFrame({"box": [1, 1, 1], "processors": [1, 2, 4], "users": [100, 180, 300]})
    >>> forecast_many(runs, 8, by="box")[["box", "x", "predicted"]].round().to_numpy().tolist()
    [[1.0, 8.0, 451.0]]
    """
    check_level(level, "forecast_many")
    constants = constants_of_forecasts()
    data = points.frame_with_source(data, "forecast_many(data=...)")[0]
    keys = column_names(by, "forecast_many(by=...)", least=1)
    check_group_columns(keys, _FORECASTS_OF_GROUP, "forecast_many(by=...)")
    points.check_axis_names("forecast_many", x, y)
    check_columns(data, keys, "forecast_many(data=...)")
    if data.empty:
        remedy = "Give some rows."
        raise CannotFit("forecast_many(data=...)", expected="points", found="an empty frame", remedy=remedy)
    measured, at = _points_to_forecast("forecast_many", data.drop(columns=keys), at, x, y)
    (x, y), rows = measured.names, measured.source.rows
    codes = data.groupby(keys, sort=False, dropna=False, observed=True).ngroup().to_numpy()
    names, lost = data[keys].drop_duplicates(ignore_index=True), np.bincount(codes)
    codes = codes if rows is None else codes[rows]
    lost = lost - np.bincount(codes, minlength=len(names))
    order = np.lexsort((measured.x, codes))  # stable, so that runs of one x keep their order
    x_values, log_y = measured.x[order], np.log(measured.y[order])
    ends = np.cumsum(np.bincount(codes, minlength=len(names)))
    alike = defaultdict(list)  # the groups that have the same x
    for group, (start, end) in enumerate(zip(np.r_[0, ends[:-1]], ends, strict=True)):
        alike[x_values[start:end].tobytes()].append((group, start))
    parts, most = [], most_of_column(y, measured.y)
    for x_bytes, members in alike.items():
        loads = np.frombuffer(x_bytes)
        for first in range(0, len(members), _CURVES):
            groups, starts = np.array(members[first : first + _CURVES]).T
            if len(np.unique(loads)) < _LEAST_DIFFERENT_X:
                rows = pd.DataFrame({"x": np.tile(at, len(groups)), "basis": "", "reason": _TOO_FEW_X})
            else:
                merged = _merged_repeats(loads, log_y[starts + np.arange(len(loads))[:, None]])
                rows = _tidy_forecasts(*merged, at, level, constants, y, most)
            parts.append(rows.assign(group=np.repeat(groups, len(at))))
    rows = pd.concat(parts, ignore_index=True).sort_values("group", kind="stable", ignore_index=True)
    group = rows.pop("group").to_numpy()
    if lost.any():
        untold = replace(measured.source, failed_loads="", several_systems="")
        of_group = [replace(untold, left_out=int(count)) for count in lost]
        words = np.array([*map(summary.rows_left_out_in_words, of_group)])
        rows["reason"] = [*map(summary.joined_reasons, zip(rows["reason"], words[group], strict=True))]
    named = names.iloc[group].reset_index(drop=True)
    frame = pd.concat([named, rows.reindex(columns=_FORECASTS_OF_GROUP)], axis=1)
    return carried_errata.propagate_errata(frame, carried_errata.columns_used(data, x, y))


def _merged_repeats(x, log_y) -> tuple[np.ndarray, np.ndarray, RunsOfOneX]:
    """Each x once: the y of several runs of one x become their geometric mean; and how these runs scatter."""
    starts = np.flatnonzero(np.r_[True, np.diff(x) > 0])
    counts = np.diff(np.r_[starts, len(x)])
    means = np.add.reduceat(log_y, starts, axis=0) / counts[:, None]
    return x[starts], means, RunsOfOneX(counts, np.sum((log_y - np.repeat(means, counts, axis=0)) ** 2, axis=0))
