"""Learn the constants of forecasts from a corpus of curves, and judge them on sources that were left out.

The last one, two and three points of each curve are dropped and forecast from the others. Every source weighs the same,
however many curves it has, for its curves are alike. A frame of errors has a row for each dropped point: source, curve,
dropped (how many points), distance (``ln(x / last x)``), error (``ln observed - ln forecast``) and smape, in percent
(``200 |p - y| / (p + y)``).
"""

import dataclasses
import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from dominoperf import tables
from dominoperf.fitting.comparison import compare
from dominoperf.fitting.forecasting import combine_forecasts_of_laws, constants_of_forecasts
from dominoperf.fitting.many import fit_many
from dominoperf.laws import LAWS
from dominoperf.tables.rendering import headline_and_points

CORPUS = "scaling_curves"
DROPS = (1, 2, 3)
OURS, HALF = "forecast", "half the last slope"
_TAILS = (1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 10.0, 30.0)
_FEW_POINTS = 60  # a source of fewer has the weight of its points, not that of a source
_FACTORS = np.linspace(0.7, 2.0, 131)  # by which bands are widened
_LEVEL = 0.95
_RATIOS = (1.0, 1.15, 1.35, 1.65, 2.1, 3.3, 5.0, 10.0, np.inf)  # ends of the ranges of `by_distance`


class Truncation(NamedTuple):
    """A curve without its last points, and these."""

    source: str
    curve: str
    dropped: int
    x: np.ndarray
    y: np.ndarray
    at: np.ndarray
    ahead: np.ndarray


def corpus():
    """Return the curves of ``data/scaling_curves``: source, curve, x, y, for_learning."""
    folder = tables.home() / CORPUS
    points, sources = (tables.read_table(folder / f"{name}.csv") for name in ("points", "sources"))
    learning = sources.set_index("source")["for_learning"] == "yes"
    return points.assign(for_learning=points["source"].map(learning))


def sources_of_public_curves():
    """Return a row for each source of the corpus, as `collection`: repository, commit, licence, axes, counts."""
    sources = tables.read_table(tables.home() / CORPUS / "sources.csv").rename(columns={"source": "collection"})
    grouped = corpus().groupby("source")
    counts = pd.DataFrame({"curves": grouped["curve"].nunique(), "points": grouped.size()})
    return sources.join(counts, on="collection")


def curves_without_last_points(curves):
    """Return every curve (source, curve, x, y; each x once) without its last points, three points left at least."""
    return [
        Truncation(*names, k, x[:-k], y[:-k], x[-k:], y[-k:])
        for names, x, y in _points_of_curves(curves)
        for k in DROPS
        if len(x) - k >= 3
    ]


def curves_without_one_between(curves):
    """Return every curve without one point that lies between two others, three points left at least."""
    return [
        Truncation(*names, 1, np.delete(x, k), np.delete(y, k), x[[k]], y[[k]])
        for names, x, y in _points_of_curves(curves)
        for k in range(1, len(x) - 1)
        if len(x) > 3
    ]


def _points_of_curves(curves):
    """Source and name, x and y of each curve."""
    for names, rows in curves.groupby(["source", "curve"], sort=False):
        points = rows[["x", "y"]].to_numpy(float)
        yield names, *points[np.argsort(points[:, 0], kind="stable")].T


def naming_rates(tested: Sequence[float], truths: Sequence[tuple[str, float, float]], noise: float) -> pd.DataFrame:
    """Return how often points of each true law name it, and how often a wrong one.

    The points are at `tested` processors; a truth is a law, its contention and its coherency, at a scale of 1; `noise`
    is the relative standard deviation of a point.
    """
    n, frames = np.asarray(tested, dtype=float), []
    for law, contention, coherency in truths:
        y = n / (1 + contention * (n - 1) + coherency * n * (n - 1))
        rates = compare("processors", x=n, y=y, interval="none").rates(law, noise=noise)
        frames.append(rates.assign(contention=contention, coherency=coherency))
    return pd.concat(frames, ignore_index=True).drop(columns="reason")


def errors_of(cut, forecasts):
    """Return the errors of forecasts of ln y, an array for each truncation."""
    rows = pd.DataFrame(
        [
            (curve.source, curve.curve, curve.dropped, np.log(at / curve.x[-1]), at, y, log)
            for curve, logs in zip(cut, forecasts, strict=True)
            for at, y, log in zip(curve.at, curve.ahead, logs, strict=True)
        ],
        columns=["source", "curve", "dropped", "distance", "at", "y", "log"],
    )
    finite = np.isfinite(rows["log"])
    forecast = np.exp(rows.pop("log").where(finite))
    smape = (200 * (forecast - rows["y"]).abs() / (forecast + rows["y"])).fillna(200.0)  # no forecast is wholly wrong
    return rows.drop(columns=["at", "y"]).assign(error=np.log(rows["y"] / forecast), smape=smape)


def our_errors(cut):
    """Return the errors of our forecast at what was cut off."""
    return errors_of(cut, [parts.centre[:, 0] for parts in _combined_forecasts(cut)])


def errors_between(cut):
    """Return the errors of points left out between others, as `curves_without_one_between` gives them.

    The distance is ``sqrt(a b / (a + b))``, with a and b the distances of a point in ln x from its two neighbours: a
    random walk with both ends known spreads by it.
    """
    combined = _combined_forecasts(cut)
    errors = errors_of(cut, [parts.centre[:, 0] for parts in combined])
    return errors.assign(distance=[np.sqrt(parts.bridge[0]) for parts in combined])


def _combined_forecasts(cut):
    """Local growth and the laws through each truncated curve, at what was cut off."""
    constants = constants_of_forecasts()
    return [combine_forecasts_of_laws(curve.x, np.log(curve.y)[:, None], curve.at, constants) for curve in cut]


def learn(errors):
    """Return the constants that errors (`our_errors`) teach: low, high and tails; the others stay as shipped."""
    low, high = _widened_band(errors)
    error, distance = errors["error"], errors["distance"]

    def missed(tails):
        """By how much bands of other levels miss their share of the errors."""
        shares = {q: stdtrit(tails, (1 + q) / 2) / stdtrit(tails, (1 + _LEVEL) / 2) for q in (0.5, 0.8, 0.9)}
        return sum(abs(error.between(-low * s * distance, high * s * distance).mean() - q) for q, s in shares.items())

    return dataclasses.replace(constants_of_forecasts(), low=low, high=high, tails=min(_TAILS, key=missed))


def learn_between(errors):
    """Return the constant of the band between points that these errors teach, of either side."""
    return _widened_band(pd.concat([errors, errors.assign(error=-errors["error"])]))[1]


def _calibrated_band(source, error, wide):
    """Both ends of the 95 % band in units of the distance: the quantiles of least pinball loss, by source (a code)."""
    weight = 1 / np.maximum(np.bincount(source)[source], _FEW_POINTS)
    ends = []
    for side in (-1, 1):
        ratio = side * error / wide
        order = np.argsort(ratio, kind="stable")
        passed = np.cumsum((weight * wide)[order])
        ends.append(float(ratio[order][np.searchsorted(passed, (1 + _LEVEL) / 2 * passed[-1])]))
    return tuple(ends)


def _widened_band(rows):
    """The ends of all sources, times the least factor by which sources left out are covered on average, each alike."""
    source, names = pd.factorize(rows["source"])
    error, wide = rows["error"].to_numpy(), rows["distance"].to_numpy()
    ends = _calibrated_band(source, error, wide)
    if len(names) < 3:
        return ends
    left_out = []  # of each source its errors, and how far down and up the band of the other sources reaches there
    for out in range(len(names)):
        own, others = source == out, source != out
        low, high = _calibrated_band(source[others], error[others], wide[others])
        left_out.append((error[own], low * wide[own], high * wide[own]))
    for factor in _FACTORS:
        shares = [np.mean((error >= -factor * down) & (error <= factor * up)) for error, down, up in left_out]
        if np.mean(shares) >= _LEVEL:
            break
    return tuple(float(factor) * end for end in ends)


def peers(cut):
    """Return the errors of what else could be done, by name: simple rules, and laws as `fit_many` fits them."""
    slopes = [np.log(curve.y[-1] / curve.y[-2]) / np.log(curve.x[-1] / curve.x[-2]) for curve in cut]
    errors = {}
    for name, share in {HALF: 0.5, "the last value": 0.0, "the last slope": 1.0}.items():
        pairs = zip(cut, slopes, strict=True)
        logs = [np.log(curve.y[-1]) + share * slope * np.log(curve.at / curve.x[-1]) for curve, slope in pairs]
        errors[name] = errors_of(cut, logs)
    points = {name: np.concatenate([getattr(curve, name) for curve in cut]) for name in ("x", "y")}
    frame = pd.DataFrame({"cut": np.repeat(np.arange(len(cut)), [len(curve.x) for curve in cut]), **points})
    for law in (LAWS["usl"], LAWS["amdahl"]):
        params = fit_many(frame, law, by="cut", x="x", y="y")[list(law.names)].to_numpy(float)
        with np.errstate(all="ignore"):
            logs = [np.log(law.function(curve.at, *values)) for curve, values in zip(cut, params, strict=True)]
        errors[law.title] = errors_of(cut, logs)
    return errors


def each_left_out(sources):
    """Return a split for each source: those that teach, all the others, and itself, which is judged."""
    names = list(dict.fromkeys(sources))
    return [([other for other in names if other != name], [name]) for name in names]


def kept_apart():
    """Return the one split of sources for learning, and of those that were not looked at."""
    curves = corpus()
    return [tuple(curves.loc[curves["for_learning"] == each, "source"].unique() for each in (True, False))]


def scores(cut, errors, splits):
    """Return errors and bands of our forecast and its peers, of the sources that each split judges by those that teach.

    `errors` is what `our_errors` gave. A peer's band is learnt as ours is, about its own forecast. The interval score
    is the width of the 95 % band, in ln y, and 2 / 0.05 times what lies outside.
    """
    parts = []
    for method, rows in {OURS: errors, **peers(cut)}.items():
        for teachers, judged in splits:
            ends = _widened_band(rows[rows["source"].isin(teachers) & rows["error"].notna()])
            parts.append(_with_band(rows, judged, *ends).assign(method=method))
    return pd.concat(parts, ignore_index=True)


def scores_between(errors, splits):
    """Return the same of our forecast at points between others (`errors_between`)."""
    taught = [learn_between(errors[errors["source"].isin(teachers)]) for teachers, _ in splits]
    return pd.concat(_with_band(errors, judged, end, end) for end, (_, judged) in zip(taught, splits, strict=True))


def _with_band(rows, judged, low, high):
    """The rows of some sources with the width of the band, whether they lie in it, and their interval score."""
    rows = rows[rows["source"].isin(judged)]
    wide, error = rows["distance"], rows["error"]
    outside = (-low * wide - error).clip(lower=0) + (error - high * wide).clip(lower=0)
    width, inside = (low + high) * wide, error.between(-low * wide, high * wide)
    return rows.assign(width=width, inside=inside, score=width + 2 / (1 - _LEVEL) * outside)


def _mean_smape(rows):
    """The mean SMAPE by method and how many points were dropped: over curves, and over sources."""
    keys = ["method", "dropped"]
    curves = rows.groupby([*keys, "source", "curve"], sort=False)["smape"].mean()
    over = {"smape_percent": curves, "smape_by_source_percent": curves.groupby([*keys, "source"], sort=False).mean()}
    return pd.DataFrame({name: means.groupby(keys, sort=False).mean() for name, means in over.items()})


def by_method(scored):
    """Return a row for each method and number of points dropped: SMAPE over curves and over sources, and the band."""
    bands = scored.groupby(["method", "dropped"], sort=False).agg(
        coverage=("inside", "mean"), width=("width", "median"), score=("score", "mean")
    )
    return _mean_smape(scored).join(bands).reset_index()


def beside_extrap(scored, cut):
    """Return a row for each method and number of points dropped, on curves of which Extra-P has five points left.

    Its forecasts are those of ``data/scaling_curves/extrap.csv``, made by ``tests/benchmarks/beyond.py``: N/X is a
    model of processors times time, as its documentation advises, X one of the throughput itself.
    """
    theirs = tables.read_table(tables.home() / CORPUS / "extrap.csv")
    keys = ["source", "curve", "dropped"]
    theirs_by_curve = {key: rows.sort_values("x", kind="stable") for key, rows in theirs.groupby(keys)}
    shared = [curve for curve in cut if (curve.source, curve.curve, curve.dropped) in theirs_by_curve]
    frames = []
    for name, column in (("Extra-P on N/X", "by_work"), ("Extra-P on X", "by_rate")):
        values = [theirs_by_curve[curve[:3]][column].to_numpy(float) for curve in shared]
        with np.errstate(invalid="ignore"):
            frames.append(errors_of(shared, list(map(np.log, values))).assign(method=name))
    same = scored.merge(theirs[keys].drop_duplicates(), on=keys)
    rows = pd.concat([same, *frames], ignore_index=True)
    counts = rows.drop_duplicates(["method", *keys]).groupby(["method", "dropped"], sort=False).size()
    return counts.rename("curves").to_frame().join(_mean_smape(rows)).reset_index()


def by_source(scored):
    """Return a row for each source, as `collection`: points, coverage, SMAPE beside that of half the last slope."""
    ours = scored[scored["method"] == OURS].groupby("source", sort=False)
    half = scored[scored["method"] == HALF].groupby("source", sort=False)
    parts = {"points": ours.size(), "smape_percent": ours["smape"].mean()}
    parts |= {"half_slope_smape_percent": half["smape"].mean()}
    parts |= {"coverage": ours["inside"].mean(), "score": ours["score"].mean()}
    return pd.DataFrame(parts).rename_axis("collection").reset_index()


def by_distance(scored):
    """Return a row for each range of x divided by the last x: points, SMAPE, coverage and band."""
    rows = scored[scored["method"] == OURS]
    ratio = np.exp(rows["distance"])
    part = pd.cut(ratio, _RATIOS)
    parts = rows.assign(ratio=ratio).groupby(part.rename("part"), observed=True).agg(
        median_distance=("ratio", "median"), points=("error", "size"), smape_percent=("smape", "mean"),
        coverage=("inside", "mean"), width=("width", "mean"), score=("score", "mean"),
    )  # fmt: skip
    return parts.reset_index(drop=True)


def advantage(scored, draws=2000, seed=1):
    """Return our mean SMAPE over curves less that of each peer, with 95 % of draws of sources with replacement.

    `better` is the share of the draws in which ours is less.
    """
    rows, rng = [], np.random.default_rng(seed)
    smape = scored.groupby(["method", "dropped", "source", "curve"])["smape"].mean()
    for method in [name for name in scored["method"].unique() if name != OURS]:
        for dropped in DROPS:
            less = smape[OURS, dropped] - smape[method, dropped]
            mean, low, high, means = _mean_over_drawn_sources(less.groupby("source").agg(["sum", "count"]), draws, rng)
            rows.append((method, dropped, mean, low, high, np.mean(means < 0)))
    return pd.DataFrame(rows, columns=["method", "dropped", "difference", "low", "high", "better"])


def coverage(scored, draws=2000, seed=1):
    """Return what share of points lies in the 95 % band of each method, with 95 % of draws of sources."""
    rng = np.random.default_rng(seed)
    rows = [
        (method, *_mean_over_drawn_sources(part.groupby("source")["inside"].agg(["sum", "count"]), draws, rng)[:3])
        for method, part in scored.groupby("method", sort=False)
    ]
    return pd.DataFrame(rows, columns=["method", "coverage", "low", "high"])


def _mean_over_drawn_sources(sums, draws, rng):
    """A mean from its sums and counts by source, where 95 % of draws of sources have it, and all of these."""
    sums = sums.to_numpy(float)
    drawn = sums[rng.integers(len(sums), size=(draws, len(sums)))].sum(axis=1)
    means = drawn[:, 0] / drawn[:, 1]
    ends = np.quantile(means, [(1 - _LEVEL) / 2, (1 + _LEVEL) / 2])
    return sums[:, 0].sum() / sums[:, 1].sum(), *ends, means


def compared(learnt):
    """Return learnt constants beside those shipped."""
    shipped = constants_of_forecasts()
    rows = [(name, getattr(shipped, name), getattr(learnt, name)) for name in ("low", "high", "tails")]
    return pd.DataFrame(rows, columns=["forecast_constant", "shipped", "learnt"])


# ---- what was found, in sentences


def headline(learnt, scored, advantage, apart, apart_coverage):
    """Return how far off a forecast is, how often it beats the other methods, and how many points its band has.

    The arguments are what `learn` returns, `scores` with each source left out, `advantage` of that, `scores` of
    those kept apart, and `coverage` of that.
    """
    mine = scored[scored["method"] == OURS][["inside", "score"]].mean()
    ours = by_method(scored).set_index(["method", "dropped"])["smape_percent"][OURS]
    coverage = 100 * by_source(scored).set_index("collection")["coverage"]
    better = 100 * advantage.set_index("method")["better"]
    half = better[HALF]
    distances = by_distance(scored)
    double = distances.iloc[(distances["median_distance"] - 2).abs().argmin()]["smape_percent"]
    down, up = (100 * math.expm1(end * math.log(2)) for end in (-learnt.low, learnt.high))
    scores = scored.groupby("method")["score"].mean().drop(OURS)
    methods = by_method(apart)
    best = methods.loc[methods.groupby("dropped")["smape_percent"].idxmin(), "method"]
    away, least, most = 100 * apart_coverage.set_index("method").loc[OURS, ["coverage", "low", "high"]]
    return headline_and_points(
        f"At twice the last load a forecast from a few points is off by {double:.0f} % on average; a band right 19 "
        f"times in 20 goes from {-down:.0f} % less to {up:.0f} % more.",
        "If each source in turn is left out and predicted, our method has the smallest mean error of all methods "
        f"tried: {', '.join(f'{each:.0f}' for each in ours)} % with one, two and three points dropped.",
        f"On the sources kept apart it has the smallest in {(best == OURS).sum()} of {len(best)} cases.",
        "If sources are drawn at random, it "
        f"beats the method 'half the last slope' in {half.min():.0f} to {half.max():.0f} % of the draws, and every "
        f"other method in {better.drop(HALF).min():.0f} % or more.",
        f"The 95 % band contains {100 * mine['inside']:.0f} % of all points, but {coverage.min():.0f} % of the source "
        f"{coverage.idxmin()} and {away:.0f} % ({least:.0f} to {most:.0f} % over sources) of the sources kept apart.",
        f"Its interval score (smaller is better) is {mine['score']:.2f}; the best of the other methods has "
        f"{scores.min():.2f}.",
    )
