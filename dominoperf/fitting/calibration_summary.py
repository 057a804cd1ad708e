"""What the calibration of forecasts found, in sentences."""

import math

from dominoperf.fitting.forecast_calibration import HALF, OURS, by_distance, by_method, by_source
from dominoperf.tables.rendering import headline_and_points, number


def headline(learnt, scored, advantage, apart, apart_coverage):
    """Return how far off a forecast is, how often it beats the other methods, and how many points its band has.

    The arguments are what `learn`, `left_out_scores`, `advantage` (of that), `kept_apart` and `coverage` (of that) of
    `forecast_calibration` return.
    """
    mine = scored[scored["method"] == OURS][["inside", "score"]].mean()
    ours = by_method(scored).set_index(["method", "dropped"])["smape_percent"][OURS]
    coverage = 100 * by_source(scored).set_index("collection")["coverage"]
    better = 100 * advantage.set_index("method")["better"]
    half = better[HALF]
    distances = by_distance(scored)
    double = distances.iloc[(distances["median_distance"] - 2).abs().argmin()]["smape_percent"]
    down, up = (100 * math.expm1(end * math.log(2) ** learnt.power) for end in (-learnt.low, learnt.high))
    scores = scored.groupby("method")["score"].mean().drop(OURS)
    best = _least_error(apart)
    away, least, most = _share_of_points(apart_coverage)
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


def describe_ends(learnt, others):
    """Return which end of the band depends more on who is left out, of what `learn` and `without_each_source` return.

    Examples
    --------
    >>> from types import SimpleNamespace as Ends
    >>> describe_ends(Ends(low=2.0, high=0.5), {"a": Ends(low=1.0, high=0.5), "b": Ends(low=2.1, high=0.6)})
    'The lower end depends more on which source is left out: without a it is 1.00 instead of 2.00.'
    """
    off = {
        (name, end): abs(math.log(getattr(constants, end) / getattr(learnt, end)))
        for name, constants in others.items()
        for end in ("low", "high")
    }
    name, end = max(off, key=off.get)
    which = {"low": "lower", "high": "upper"}[end]
    return (
        f"The {which} end depends more on which source is left out: without {name} it is "
        f"{getattr(others[name], end):.2f} instead of {getattr(learnt, end):.2f}."
    )


def describe_kept_apart(apart_coverage, sources):
    """Return how many points of the sources kept apart lie in the band (`coverage`), and which source decides it."""
    away, least, most = _share_of_points(apart_coverage)
    ours = apart_coverage[apart_coverage["method"] == OURS].set_index("weighed")
    first, second = sources.nsmallest(2, "coverage").itertuples()
    return (
        f"In the band lie {away:.1f} % of all points, and {100 * ours.at['sources', 'coverage']:.1f} % if each source "
        f"counts alike. {first.collection} decides: {100 * first.coverage:.0f} % of its {first.points} points lie in "
        f"the band, of every other source {100 * second.coverage:.0f} % or more. With sources drawn again it is "
        f"{least:.0f} to {most:.0f} % of all points: a coverage of 95 % is "
        f"{'not ruled out' if least <= 95 <= most else 'ruled out'}."
    )


def _share_of_points(coverage):
    """Percent of all points in the band of our forecasts, and its ends with sources drawn again."""
    ours = coverage[coverage["method"] == OURS].set_index("weighed")
    return 100 * ours.loc["points", ["coverage", "low", "high"]]


def describe_extrap(extrap):
    """Return the mean errors of ours and of Extra-P, as `forecast_calibration.beside_extrap` gives them."""
    errors = extrap.pivot(index="method", columns="dropped", values="smape_percent")
    mine, other = (" / ".join(map("{:.1f}".format, errors.loc[name])) for name in (OURS, "Extra-P on N/X"))
    return f"Mean error in percent with one, two and three points dropped: ours {mine}, Extra-P on N/X {other}."


def describe_least_error(scored):
    """Return the method of the smallest mean error by the points dropped, of forecasts that are scored."""
    return "Smallest mean error: " + "; ".join(f"{k} dropped, {name}" for k, name in _least_error(scored).items()) + "."


def _least_error(scored):
    """The method of the smallest mean error, by the points dropped."""
    methods = by_method(scored)
    return methods.loc[methods.groupby("dropped")["smape_percent"].idxmin()].set_index("dropped")["method"]


def describe_peers(advantage, scored, learning):
    """Return which methods have a smaller mean error than ours on the sources kept apart, and what the others teach.

    `advantage` is of the sources kept apart, `scored` has each source left out, `learning` names those for learning.
    """
    before = by_method(scored[scored["source"].isin(learning)])
    before = before.set_index(["method", "dropped"])["smape_percent"]
    lost = advantage[advantage["difference"] > 0]
    sentences = [
        f"{row.method} is better by {row.difference:.1f} points of the mean error with {row.dropped} dropped; sources "
        f"drawn again give {number(row.low, 2)} to {number(row.high, 2)}. On the sources for learning its error is "
        f"{before[row.method, row.dropped]:.0f} %, ours {before[OURS, row.dropped]:.0f} %: nothing they "
        "teach would give it more weight."
        for row in lost.itertuples()
    ]
    return " ".join(sentences) or "No peer has a smaller mean error."


def describe_named(named, tested, noise):
    """Return how often each law is named where it is the truth, and a wrong one (`naming_rates`); noise is a share."""
    share = 100 * named.groupby("law")["named"].agg(["min", "max"])
    return (
        f"With {len(tested)} loads up to {tested[-1]} and noise of {100 * noise:g} %, linear scaling is named in "
        f"{share['min']['linear']:.0f} % of sets, Amdahl's law in {share['min']['amdahl']:.0f} to "
        f"{share['max']['amdahl']:.0f} %, and the universal scalability law in {share['min']['usl']:.0f} to "
        f"{share['max']['usl']:.0f} %; a wrong law in at most {100 * named['wrong'].max():.1f} %. "
        f"Each share comes from {named['n_simulated'].min()} sets."
    )
