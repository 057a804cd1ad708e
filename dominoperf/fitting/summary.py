"""A fit in words: what was fitted to what, how sure, why not."""

import math
import re
from typing import TYPE_CHECKING, Any

import numpy as np

from dominoperf import tables
from dominoperf.errors import UnknownName, capitalized, counted, joined_with, spelling
from dominoperf.fitting import diagnostics
from dominoperf.fitting.least_squares import FROM_REPEATS, GIVEN_PER_POINT, IN_PROPORTION
from dominoperf.laws import OF_ANY_AXES
from dominoperf.tables import columns
from dominoperf.tables.headings import why_no_throughput
from dominoperf.tables.rendering import coverage, number, p_in_words, percent

if TYPE_CHECKING:
    from dominoperf.fitting.result import Fit  # which imports this module

FEW_BETWEEN = "too few between two loads"
_STATED_DOF = "stated with their degrees of freedom"
_ORIGIN = {
    "residuals": "Errors from the residuals, {dof}.",
    "resolution": "Errors from the step of the printed numbers, larger than the residuals; {dof}.",
    "given": "Errors from the stated sigma.",
    GIVEN_PER_POINT: "The standard errors were given with the points and taken as they are; {dof}.",
    _STATED_DOF: "The standard errors were given with the points, and rest on {dof}.",
    FROM_REPEATS: "Errors of the means from the scatter of the rows of each x, pooled; {dof}.",
    "likelihood": "Errors from the likelihood of the intervals; {dof}.",
    "none": "The curve passes through every point: no error can be told.",
    "rule": "The points follow a rule that somebody published: no error can be told.",
}

ERROR_MODEL = {
    "relative": "relative (noise in proportion to the value)",
    "constant": "constant (the same noise at every point)",
    "power": "noise in proportion to the value to the power {power:g}",
    GIVEN_PER_POINT: "a standard error given per point",
    IN_PROPORTION: "in proportion to the standard errors given",
}

AUTO = 'error="auto"'
SATURATED = "above 100 %: the processor is saturated before"
ENDS_AT_MOST = "one-sided: the upper end is 100 %, the most there can be"
_UNDETERMINED = "no standard error: other values of the parameters fit as well"
_UNMOVED = "no standard error: no parameter fitted inside its bounds changes it"
_NOT_FOUND = "no interval could be found"
_NOT_ASKED_FOR = "no interval asked for"
_NO_SCATTER = (
    "No more points between two loads than parameters: all curves within the intervals fit alike, and nothing shows "
    "how tests scatter"
)
_TESTS = {diagnostics.SIGMA: "the stated sigma", diagnostics.REPEATS: "repeats at the same x"}
_LEAST_OF_PERCENT = 0.01  # a column of percent that is never above 1 has shares, most likely


def error_model_in_words(*fits):
    """Return how the noise was taken to grow, as a sentence; of several fits that differ in it, for which laws."""
    laws = {}
    for fit in fits:
        why = "".join(f", {words}" for words in (fit.why_error_model, rows_behind_means_in_words(fit)) if words)
        noise = fit.curves.repeats or fit.curves
        model = ERROR_MODEL[noise.error].format(power=noise.power) + why
        laws.setdefault(model, []).append(fit.law.name)
    models = [model + (f" for {joined_with('and', names)}" if len(laws) > 1 else "") for model, names in laws.items()]
    return f"Error model: {'; '.join(models)}."


def rows_behind_means_in_words(fit):
    """Return how many rows the means that a law was fitted to are of; "" where the points are the rows."""
    repeats = fit.curves.repeats
    if not (repeats and repeats.rows):
        return ""
    return f"means of each x, with the scatter of {repeats.rows:,} rows about them"


def contradicted_error_model_in_words(fit):
    """Return that residuals contradict the error model, how, how surely; else ""."""
    p, faster = fit.trend
    if not p < diagnostics.FALSE_ALARMS:
        return ""
    assumed = {"relative": "a relative error would", "constant": "a constant error would"}
    grow = f"{'faster' if faster else 'less'} with the value than {assumed.get(fit.curves.error, 'assumed')}"
    return f"the residuals contradict the error model: they grow {grow} ({p_in_words(p)})"


def _outlying_point_in_words(fit):
    """That the others contradict one of the points, as a sentence; "" without such a point."""
    found = diagnostics.outlying_point(fit)
    if found is None:
        return ""
    (point, without), (x, y) = found, fit.points
    before, after = (percent(sd) if fit.relative else number(sd, 2) for sd in (fit.residual_sd, without))
    apart = f"The point at {number(x[point])} ({number(y[point])}) lies apart"
    return f"{apart}: without it the scatter falls from {before} to {after}. Look whether it is mistyped."


def origin_of_errors_in_words(fit):
    """Return where the errors come from, as a sentence."""
    if fit.error_from == FEW_BETWEEN:
        sigma = spelling("sigma", "--sigma")
        return f"{_NO_SCATTER}. With a {sigma} of a tenth of their width, intervals are the range of these curves."
    if fit.error_from == "none" and fit.on_bound.any() and not fit.exact:
        return "As many parameters as points, one of them on its bound: no error can be told."
    repeats = fit.curves.repeats
    if fit.error_from == "given" and fit.relative and fit.residual_sd >= 1:
        constant = spelling('error="constant"', "--error constant")
        share = f"{number(100 * fit.residual_sd)} % of each value: {constant} takes sigma in the unit of {fit.y}"
        return f"{_ORIGIN['given'].removesuffix('.')}, {share}."
    dof, origin = repeats.dof if repeats else fit.dof, _STATED_DOF if repeats and not repeats.rows else fit.error_from
    return _ORIGIN[origin].format(dof=f"{dof:g} degree{'s' * bool(dof != 1)} of freedom")


def axis_label_of_fit(result: Any, name: str) -> str:
    """Return what a column holds, in the words of where the points come from."""
    return name if tables.units().get(name) == "axis" else tables.label(name, result.user)


def x_of_fit_in_words(result: Any, x: float) -> str:
    """Return an x with what it counts: "4 processors", "1 processor"."""
    words = axis_label_of_fit(result, result.x)
    if x == 1 and tables.units().get(result.x) in columns.COUNTED:
        words = columns.singular_of_users(words)
    return f"{number(x, 6)} {words}"


def points_of_fit_in_words(count, source):
    """Return how many points, and of what: a series by its title, a table by its id; of a frame there is no name."""
    name = source.title if source.series else source.table or source.title or source.locator
    return f"{counted(count, 'point')}{name and f' of {name}'}"


def columns_of_fit_in_words(fit):
    """Return notes on the points: columns that were guessed or are no capacity, units converted; "" if none."""
    guessed = f"{fit.measured.guessed}: x is {fit.x}, y is {fit.y}." if fit.measured.guessed else ""
    left_out = rows_left_out_in_words(fit.source)
    left_out = left_out and f"{capitalized(left_out)}."
    odd = why_no_throughput(fit.y) if fit.law.y == "users" and fit.law.name not in OF_ANY_AXES else ""
    odd = odd and f"{capitalized(odd)}, which this law is of."
    return " ".join(filter(None, (left_out, guessed, odd, converted_columns_in_words(fit))))


def rows_left_out_in_words(source):
    """Return how many rows are no points, for want of x or y or being 0 in both, and which points failed; else ""."""
    rows = [f"{counted(source.left_out, 'row')} without x or y"] if source.left_out else []
    rows += [f"{counted(source.without_load, 'row')} in which x and y are 0"] if source.without_load else []
    left_out = f"left out: {joined_with('and', rows)}" if rows else ""
    return "; ".join(filter(None, (left_out, source.failed_loads, source.several_systems)))


def converted_columns_in_words(fit):
    """Return which columns are in another unit now, as a sentence; "" without any."""
    changed = " and ".join(f"{before} as {after}" for before, after in fit.measured.converted)
    if not changed:
        return ""
    told = f"Read in the unit of the law: {changed}; values that you ask for are in that unit too."
    for before, name in fit.measured.converted:
        values = fit.points[name == fit.y]
        if re.search("percent|pct|%", before, re.IGNORECASE) and np.max(values) <= _LEAST_OF_PERCENT:
            most = number(100 * np.max(values))
            told += f" {capitalized(before)} is at most {most} %: if its numbers are shares of 1, call it {name}."
    return told


def fit_headline(fit: "Fit") -> str:
    """Return the fitted parameters in a sentence, then the error model, where the errors come from, and the formula."""
    law, params = fit.law, dict(zip(fit.law.names, fit.estimates, strict=True))
    # What no comparison is needed for: residuals far above a stated sigma, or above the scatter of repeats.
    test, p = diagnostics.strongest_test(fit)
    is_refuted = bool(fit.refuted) or p < 1 - fit.level
    found, intervals = [], ""
    for row in fit.tidy()[fit.curves.free].itertuples():
        found.append(f"{row.term} {number(row.estimate)}")
        if math.isfinite(row.high - row.low) and not is_refuted:
            found[-1] += f" ({number(row.low)} to {number(row.high)})"
            intervals = f"; {coverage(fit.level)} intervals, if the law is right"
    points = points_of_fit_in_words(len(fit.points[0]), fit.source)
    sentences = [f"{law.title} through {points}: {', '.join(found)}{intervals}.", columns_of_fit_in_words(fit)]
    sentences += [error_model_in_words(fit), origin_of_errors_in_words(fit)]
    if fit.why_error_model and fit.curves.error != IN_PROPORTION:
        sentences.append("Intervals hold those with noise in proportion to the square root of the value, too.")
    if fit.refuted:
        sentences.append(f"The law is refuted: {fit.refuted}. No interval is valid.")
    elif fit.y_err is not None and not fit.dof:
        sentences.append("With as many parameters as points, nothing can show whether the law holds.")
    elif p < 1 - fit.level:
        sentences.append(f"The residuals refute this law (by {_TESTS[test]}, {p_in_words(p)}): no interval is valid.")
    if contradicted := contradicted_error_model_in_words(fit):
        remedy = "" if fit.why_error_model else f" Try {spelling(AUTO, '--error auto')}."
        sentences.append(f"{capitalized(contradicted)}; the intervals are not to be relied on.{remedy}")
    sentences.append(_outlying_point_in_words(fit))
    if fit.curves.fixed:
        sentences.append(f"Held: {', '.join(f'{name} = {value:g}' for name, value in fit.curves.fixed.items())}.")
    if fit.on_bound.any():
        on_bound = [name for name, on in zip(law.names, fit.on_bound, strict=True) if on]
        sentences.append(f"At its bound: {', '.join(f'{name} = {params[name]:g}' for name in on_bound)}.")
    if fit.undetermined.any():
        names = [name for name, is_open in zip(law.names, fit.undetermined, strict=True) if is_open]
        which = f"{'all of ' * (len(names) > 1)}{joined_with('and', names)}"
        sentences.append(f"The points do not determine {which}: other values fit as well.")
    if law.reduces and params[law.reduces[1]] == law.reduces[2]:
        sentences.append(f"The law without it ({law.reduces[0]}) says the same.")
    if params.get("contention", 0.0) < 0:
        sentences.append("Contention is negative: capacity grows faster than in proportion (superlinear).")
    if law.formula:
        sentences.append(f"Formula: {law.formula} ({law.source}).")
    return " ".join(filter(None, sentences))


def refutation_in_words(fit, test, p):
    """Return how a test refutes a law whose points have errors, as a sentence without its stop."""
    if tests_errors_of_points(fit, test):
        return (
            f"it misses the points by far more than their errors ({misfit_in_errors_of_points(fit)}, {p_in_words(p)})"
        )
    return f"it misses the points by far more than those of the same x differ from each other ({p_in_words(p)})"


def tests_errors_of_points(fit, test):
    """Return whether a test compares the residuals with the errors of the points, given or from the rows of means."""
    return test == diagnostics.Y_ERR or (test == diagnostics.REPEATS and fit.curves.repeats is not None)


def misfit_in_errors_of_points(fit):
    """Return the statistic by which errors per point test a law: chi-squared, or F where they are from repeats."""
    dof, repeats = fit.test_dof, fit.curves.repeats
    if repeats:
        return f"F {number(fit.squares / dof, 3)} on {dof} and {repeats.dof:g} degrees of freedom"
    return f"chi-squared {number(fit.squares, 3)} on {counted(dof, 'degree')} of freedom"


def joined_reasons(reasons):
    """Return reasons in a row, each once, with semicolons; a sentence among several loses its stop."""
    reasons = [*dict.fromkeys(filter(None, reasons))]
    return "; ".join(reason.removesuffix(".") for reason in reasons) if len(reasons) > 1 else "".join(reasons)


def why_interval_is_unknown(fit, k, low, high):
    """Return why a parameter has no standard error or no end of an interval."""
    name, param = fit.law.names[k], fit.law.params[k]
    if name in fit.curves.fixed:
        return "held, not fitted"
    reasons = []
    if not math.isfinite(fit.residual_sd):
        reasons.append(origin_of_errors_in_words(fit))
    for end, edge, side in ((low, param.low, "low"), (high, param.high, "high")):
        if end == edge and math.isinf(edge):
            reasons.append(_ends_without_bound(low, high))
        elif end == edge:
            reasons.append(f"{side} is the bound itself")
    if fit.refuted and low == low:
        reasons.append("the law is refuted by the points")
    if fit.on_bound[k]:
        reasons.append("on its bound: no standard error")
    elif fit.undetermined[k]:
        reasons.append(_UNDETERMINED)
    elif (math.isnan(low) or math.isnan(high)) and math.isfinite(fit.residual_sd):
        reasons.append(_NOT_ASKED_FOR if fit.interval == "none" else _NOT_FOUND)
    return joined_reasons(reasons)


def why_quantity_is_unknown(fit, value, error, low, high, missing, least=-math.inf):
    """Return why a quantity that follows from the parameters, its error, its interval or an end of it is unknown.

    `missing` says why there is no value.
    `least` is what the quantity can be at least; an end there tells no more than is known without points.
    """
    if math.isnan(value):
        return missing
    infinite = "infinite for these parameters" if math.isinf(value) else ""
    if not math.isfinite(fit.residual_sd):
        return infinite or origin_of_errors_in_words(fit)
    no_error = ""
    if math.isnan(error) and not infinite:
        no_error = _UNDETERMINED if fit.undetermined.any() else _UNMOVED
    if math.isnan(low):
        no_interval = _NOT_ASKED_FOR if fit.interval == "none" else _NOT_FOUND
        return joined_reasons((infinite or no_interval, no_error))
    refuted = "the law is refuted by the points" if fit.refuted else ""
    return joined_reasons((infinite, _ends_without_bound(low, high, least), refuted, no_error))


def _ends_without_bound(low, high, least=-math.inf):
    """Which ends of an interval the points do not give."""
    if high == math.inf and low <= max(least, 0.0):
        return "flat: the points do not bound it"
    if high == math.inf:
        return "one-sided: the points give no upper end"
    return "one-sided: the points give no lower end" if low == least else ""


def describe_term(fit: "Fit", term: str, *, named: bool = True) -> str:
    """Return a parameter or derived quantity with its interval in words, or with the reason why there is none.

    With `named=False`, without the name in front: for a sentence that has said what it is.
    """
    tidy = fit.tidy().set_index("term")
    if term not in tidy.index:
        tidy = fit.derive().set_index("term")
    if term not in tidy.index:
        names = [*fit.law.names, *tidy.index]
        raise UnknownName.among("parameter", term, names)
    row = tidy.loc[term]
    name = f"{term} " if named else ""
    return f"{name}{number(row['estimate'])} {_interval_in_words(fit, row['low'], row['high'])}"


def describe_forecast(fit: "Fit", x: float) -> str:
    """Return the forecast at one x in words, with its interval and whether it is extrapolated."""
    row = fit.predict(x).iloc[0]
    if math.isnan(row["predicted"]):
        return f"no {fit.label(fit.y)} at {x_of_fit_in_words(fit, x)} ({row['reason']})"
    interval = _interval_in_words(fit, row["mean_low"], row["mean_high"], 3)
    beyond = ", extrapolated" if row["extrapolated"] else ""
    return f"{number(row['predicted'], 3)} {fit.label(fit.y)} at {x_of_fit_in_words(fit, x)} {interval}{beyond}"


def describe_inverse(fit: "Fit", y: float) -> str:
    """Return the x at which the curve reaches one y in words, with its interval and whether it is extrapolated."""
    row = fit.inverse(y).iloc[0]
    if math.isnan(row["estimate"]):
        return f"no {fit.label(fit.x)} ({row['reason']})"
    beyond = ", extrapolated" if row["extrapolated"] else ""
    interval = _interval_in_words(fit, row["low"], row["high"], 3)
    return f"{number(row['estimate'], 3)} {fit.label(fit.x)} {interval}{beyond}"


def _interval_in_words(fit, low, high, digits=4):
    """An interval in words, or why there is none."""
    if low != low:
        return f"(no interval: {origin_of_errors_in_words(fit).removesuffix('.').lower()})"
    if high == math.inf:
        ends = f"from {number(low, digits)} on" if low > 0 else "unknown"
        return f"({coverage(fit.level)} interval {ends}; {_ends_without_bound(low, high)})"
    refuted = "; the points refute the law: no interval is valid" if fit.refuted else ""
    return f"({coverage(fit.level)} interval {number(low, digits)} to {number(high, digits)}{refuted})"
