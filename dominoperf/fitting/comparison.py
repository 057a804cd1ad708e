"""Several laws fitted to the same points: which ones the points refute, and whether only one is left."""

import functools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from dominoperf import laws, tables
from dominoperf.errors import (
    CannotFit,
    UnknownName,
    as_python,
    check_number,
    counted,
    joined_with,
    names_its_keywords,
    spelling,
)
from dominoperf.fitting import diagnostics, model_selection, summary
from dominoperf.fitting.fit import fit
from dominoperf.fitting.points import NumbersLike, PointsLike, Source, axis_values, check_axis_names, with_index_of
from dominoperf.fitting.result import Fit
from dominoperf.laws import Law
from dominoperf.tables import carried_errata
from dominoperf.tables.headings import why_no_throughput
from dominoperf.tables.rendering import Result, number, p_in_words

CANNOT_TELL, NONE = "cannot tell", "none"
_LEFT_OUT = ["law", "x", "observed", "predicted", "log_ratio", "extrapolated"]
_GLANCE = ["best", "runner_up", "not_refuted", "refuted", "verdict", "grounds"]
_MOST_POINTS = 5000  # the simulation of larger sets takes minutes and gigabytes
_ONE_LAW = (
    "one law is left, so the span has no width; that is no certainty: the interval of its fit says how sure it is"
)
_UNTESTED = "refuted_p: no larger law, repeats or sigma to test it by"
_MOST_NAMED = 3  # laws in a sentence


@names_its_keywords("dominoperf.fitting:fit")
def compare(family: str | Sequence[str | Law], data: PointsLike | None = None, *,
            fixed: Mapping[str, float | None] | None = None, level: float = 0.95,
            **settings: Any) -> "Comparison":  # fmt: skip
    """Return every law of a family fitted to the same points, which laws these refute, and which one they name.

    A law is refuted by simulating it at its own fit: ``T = ln S - min ln S`` of the other laws (S the weighted sum of
    squares) is larger than in most replicates. Of linear scaling, Amdahl's law and the universal law the simplest that
    is not refuted is named, unless another unrefuted law may lie far from it at twice the last load. The limits are in
    ``data/evidence.toml``. A refuted law has no part in forecasts and spans.

    Parameters
    ----------
    family : str or list
        A name in `FAMILIES`, or laws by name or record.
    data : str, path, DataFrame, dict or array, optional
        As for `fit`; left out, x and y are the values.
    fixed : dict, optional
        Known constants by name; each law takes those that it has.
    level : float
        Coverage of the intervals; a law is refuted when its p value is below ``1 - level``, some sooner or later.
    **settings
        x, y, error, bounded, sigma, y_err, resolution, interval, by_x, as for `fit`.

    Returns
    -------
    Comparison

    Raises
    ------
    CannotFit
        When no law of the family can be fitted to the points, or two take different columns of them for y; with more
        than 5,000 points, for each law is simulated on as many: `by_x` makes one of the rows of each x.
    UnknownName
        When the family, a law, a column or a held parameter of no law exists.

    Examples
    --------
    >>> from dominoperf import compare
    >>> compare(["linear", "amdahl"], "smp_mail").not_refuted
    ['amdahl']
    """
    for name in ("y_low", "y_high"):
        if settings.pop(name, None) is not None:
            where = spelling(f"compare({name}=...)", f"--{name.replace('_', '-')}")
            remedy = "Compare the laws by one value per point, y, such as the last load that passed, or fit one law."
            raise CannotFit(where, expected="points", found="capacities between two loads", remedy=remedy)
    if data is not None:
        check_axis_names("compare", settings.get("x"), settings.get("y"))
    members, fixed = [*{id(law): law for law in laws.family(family)}.values()], fixed or {}
    if twice := [law.name for place, law in enumerate(members) if law.name in [one.name for one in members[:place]]]:
        found, remedy = f"two laws called {twice[0]}", "Give one of the records another name."
        raise CannotFit("compare", expected="a name of its own for each law", found=found, remedy=remedy)
    laws.check_named("fixed", fixed)
    names = sorted({name for law in members for name in law.names})
    for name in fixed:
        if name not in names:
            listing = f"Parameters are {', '.join(names)}."
            raise UnknownName.among("parameter of these laws to hold", name, names, listing)
    fits, not_fitted, first_error = [], {}, None
    for law in members:
        constants = {name: value for name, value in fixed.items() if name in law.names}
        try:
            fits.append(fit(law, data, fixed=constants, level=level, **settings))
        except CannotFit as error:
            first_error = first_error or error
            not_fitted[law.name] = f"{error.where}: expected {error.expected}, found {error.found}"
            continue
        if (count := len(fits[-1].curves.x)) > _MOST_POINTS:
            found = f"{count:,} at {len(np.unique(fits[-1].curves.x)):,} different x"
            how = spelling("by_x=True", "--by-x")
            remedy = f"Compare the means of each x with their standard errors ({how}), or fit one law to all of them."
            expected = f"at most {_MOST_POINTS:,} points, for each law is simulated on as many"
            raise CannotFit(f"compare, {fits[-1].source}", expected=expected, found=found, remedy=remedy)
    if first_error is not None and not fits:
        raise first_error
    check_laws_share_axis(fits, "y")
    fits.sort(key=lambda fit: fit.curves.free.sum())
    return Comparison(tuple(fits), not_fitted, fits[0].source, level)


def law_within_sentence(title):
    """Return the title of a law within a sentence: its first letter is small, unless it is that of a name."""
    first = title.partition(" ")[0]
    if "'" in first or not (first == "A" or first[1:].islower()):
        return title
    return f"{'the ' * (' law' in title)}{title[0].lower()}{title[1:]}"


@carried_errata.carries_errata("tidy", "glance", "augment", "predict", "derive", "left_out")
@dataclass(frozen=True)
class Comparison(Result):
    """Laws fitted to the same points, those with fewer parameters first; `compare` says how they are judged.

    Of the unrefuted laws `best` forecasts left-out points best, which is no evidence that it is true.
    """

    fits: tuple
    not_fitted: dict  # laws that could not be fitted, and why
    source: Source
    level: float

    @property
    def errata(self) -> tuple:
        """The errata that touch the points."""
        return carried_errata.errata_of(*self.fits)

    @functools.cached_property
    def left_out_errors(self) -> dict[str, np.ndarray]:
        """Logarithms of forecast over observed of every left-out point, by law; those laws alone that have them."""
        errors = {}
        for one in self.fits:
            y = one.points[1]
            forecasts = None if one.error_from == "rule" else one.left_out_forecasts
            if forecasts is not None and np.isfinite(forecasts).all() and (forecasts > 0).all() and (y > 0).all():
                errors[one.law.name] = np.log(forecasts / y)
        return errors

    def left_out(self) -> pd.DataFrame:
        """Return a row per law and point: what the other points forecast for it, over what was observed.

        Columns: law, x, observed, predicted, log_ratio, extrapolated (the point left out is the first or the last);
        laws alone whose points can all be left out.
        """
        frames = {}
        for name, errors in self.left_out_errors.items():
            x, y = self[name].points
            parts = {"x": x, "observed": y, "predicted": y * np.exp(errors), "log_ratio": errors}
            frames[name] = pd.DataFrame(parts | {"extrapolated": (x == x.min()) | (x == x.max())})
        return _in_one_frame(frames) if frames else pd.DataFrame(columns=_LEFT_OUT)

    def derive(self, x: NumbersLike | None = None) -> pd.DataFrame:
        """Return what follows from the parameters of each law, as `Fit.derive` has it, with the law in front."""
        return _in_one_frame({fit.law.name: fit.derive(x) for fit in self.fits})

    @functools.cached_property
    def law_tests(self) -> model_selection.LawTests:
        """The laws set against each other, from which the verdict follows."""
        return model_selection.LawTests(self.fits, self.level)

    @property
    def test_results(self) -> dict[str, tuple[str, float]]:
        """What tests each law hardest (another law, "repeats", "sigma", "y_err" or ""), and its p value, by law."""
        return self.law_tests.test_results

    @functools.cached_property
    def refuted(self) -> dict[str, float]:
        """P values of the laws that the points refute, by law."""
        return {name: self.test_results[name][1] for name in self._names if name not in self.not_refuted}

    @functools.cached_property
    def not_refuted(self) -> list[str]:
        """Names of the laws that are not refuted, those with fewer parameters first; often more than one, or none."""
        not_refuted = self.law_tests.not_refuted(self.law_tests.p)[:, 0]
        return [name for name, unrefuted in zip(self._names, not_refuted, strict=True) if unrefuted]

    @property
    def _names(self):
        """The names of the laws, in the order of the fits."""
        return [fit.law.name for fit in self.fits]

    @functools.cached_property
    def order(self) -> list[str]:
        """Names of the unrefuted laws, by leave-one-out error; of equals the one with fewer parameters first.

        Where every law is refuted, of all laws.
        """
        size = {name: np.sqrt(np.mean(errors**2)) for name, errors in self.left_out_errors.items()}
        size = {name: size[name] for name in self.not_refuted or size if name in size}
        return sorted(size, key=lambda name: (float(f"{size[name]:.9g}"), self[name].curves.free.sum()))

    @property
    def best(self) -> Fit:
        """The fit that predicts left-out points best, of the laws that are not refuted, or of all if every law is.

        Where no point can be left out, that with fewest parameters.
        """
        return self[[*self.order, *self.not_refuted, *self._names][0]]

    def __getitem__(self, name):
        """Return the fit of a law by its name."""
        fits = dict(zip(self._names, self.fits, strict=True))
        if name not in fits:
            raise UnknownName.among("law of this comparison", name, fits, f"Compared are {', '.join(fits)}.")
        return fits[name]

    def tidy(self) -> pd.DataFrame:
        """Return a row per law, as `Fit.glance` has it, with what refutes it and its p value.

        Before the reason come refuted_by (a law, "sigma", "y_err", "repeats", or "" for an unrefuted law), refuted_p
        (its p value, NaN where nothing tests it) and refuted_below (below which p value the law is refuted). A law that
        could not be fitted has the reason alone.
        """
        rows = []
        for one in self.fits:
            (by, p), row = self.test_results[one.law.name], one.glance()
            reasons = [*row.pop("reason"), _UNTESTED if p != p and one.error_from != "rule" else ""]
            row["refuted_by"], row["refuted_p"] = by if one.law.name in self.refuted else "", p
            row["refuted_below"] = np.nan if p != p else self.law_tests.limits[self._names.index(one.law.name)]
            rows.append(row.assign(reason=summary.joined_reasons(reasons)))
        lost = [pd.DataFrame([{"law": name, "reason": why}]) for name, why in self.not_fitted.items()]
        frame = pd.concat([*rows, *lost], ignore_index=True)
        frame = frame.astype(dict.fromkeys(rows[0].select_dtypes("integer"), "Int64"))  # a law without a fit has none
        texts = frame.columns.drop(["law", *frame.select_dtypes("number").columns])
        return frame.assign(**{name: frame[name].fillna("") for name in texts})

    def augment(self) -> pd.DataFrame:
        """Return a row per law and point: law, and the columns of `Fit.augment`."""
        return _in_one_frame({fit.law.name: fit.augment() for fit in self.fits})

    def glance(self) -> pd.DataFrame:
        """Return one row on the whole comparison.

        Columns: best, runner_up, not_refuted and refuted (the names of the laws that are), verdict (the name of the law
        that the points name, "cannot tell" or "none"), grounds (why).
        """
        runner_up, not_refuted = self.order[1] if len(self.order) > 1 else "", ", ".join(self.not_refuted)
        row = (self.best.law.name, runner_up, not_refuted, ", ".join(self.refuted), *self.verdict)
        return pd.DataFrame([row], columns=_GLANCE)

    def rates(self, law: str | None = None, *, noise: float | None = None) -> pd.DataFrame:
        """Return how often points like these would name each law if it held, and how often they would name another.

        Each law is taken for the truth at its own fit, with its own noise, or that of the unrefuted laws where it is
        refuted; `law_tests` judges the simulated points as it does the measured ones.

        Parameters
        ----------
        law : str, optional
            The one that is taken for the truth; by default each in turn.
        noise : float, optional
            Standard deviation of the noise, relative or in units of y as the error model has it: for a test that is
            still to be made, whose loads are known.

        Raises
        ------
        CannotFit
            When the noise is not a number above zero.
        UnknownName
            When the law is none of this comparison.

        Returns
        -------
        DataFrame
            law (the truth), named (share of simulated sets of points that name it, or a smaller law that has the same
            curve), wrong (that name another), far_off (that name one whose forecast at twice the last load is off by
            more than 15 %, or 20 % if it is not contained in the truth), cannot_tell (that name none), refuted_share
            (that refute the truth), n_simulated, reason.

        Examples
        --------
        >>> from dominoperf import compare
        >>> laws = compare(["linear", "amdahl"], x=[1, 2, 4, 8, 12], y=[100, 181, 309, 475, 569])
        >>> bool(laws.rates()["wrong"].max() < 0.1)
        True
        """
        if noise is not None:
            check_number(f"rates(noise={as_python(noise)})", noise, 1e-12, 1e100)
        return model_selection.rates_of_naming(self.law_tests, None if law is None else self[law].law.name, noise)

    def next_load(self) -> pd.DataFrame:
        """Return which load to test next: how often one more point there would name the true law.

        Each unrefuted law is taken for the truth in turn, with the same weight; of laws with the same curve the
        smallest.

        Returns
        -------
        DataFrame
            Best load first: x, distance (x divided by the last load), apart (the largest forecast of an unrefuted law
            there, divided by the least), named, wrong, far_off, cannot_tell (as in `rates`), n_simulated, reason.

        Examples
        --------
        >>> from dominoperf import compare
        >>> laws = compare(["amdahl", "usl"], x=[1, 2, 4, 8], y=[100, 181, 309, 472])
        >>> sorted(laws.next_load()["x"])
        [10.0, 12.0, 16.0, 24.0, 32.0]
        """
        check_laws_share_axis(self.fits, "x")
        return model_selection.next_loads_to_test(self.law_tests)

    @functools.cached_property
    def verdict(self) -> tuple[str, str]:
        """The law that the points name, "cannot tell", or "none" if they refute every law; and why."""
        return self._verdict()

    def _verdict(self, points_called="the points"):
        """The verdict and why; in a sentence that has named the points before, the reason may call them "they"."""
        not_refuted = self.not_refuted
        if self.best.error_from == "rule":
            return CANNOT_TELL, "a published rule is not data"
        if not_refuted and len(self.fits) == 1:
            return CANNOT_TELL, "a single law could be fitted"
        if not_refuted and np.isnan(self.law_tests.p).all():
            return CANNOT_TELL, "too few points to test a law by"
        naming = model_selection.name_law(self.law_tests, self.law_tests.p, self.law_tests.observed)
        named, first, far = naming.named[0], naming.first[0], naming.far[:, 0]
        refuted = self._listed(self.refuted, lambda name: f"{self.title(name)} ({self._missed(name)})")
        refuted = f"{points_called} refute {refuted}" if refuted else ""
        if named == model_selection.NO_LAW_INDEX:
            return NONE, refuted
        others = [name for name in not_refuted if named < 0 or name != self._names[named]]
        at, one = number(model_selection.load_of_naming(self.law_tests), 6), len(others) == 1
        x, unit = self.best.x, tables.units().get(self.best.x)
        at = f"{x} = {at}" if unit in (None, "axis") else f"{at} {self.best.label(x)}"
        if named >= 0:
            indexes = map(self._names.index, others)
            apart = (model_selection.tolerance_of_naming(self.law_tests, named, index) for index in indexes)
            within = max(apart, default=0)
            verbs = ("is", "forecasts") if one else ("are", "forecast")
            beside = f"{self._listed(others)} {verbs[0]} not refuted either, but {verbs[1]} the same within "
            beside += f"{100 * within:.0f} % at {at}"
            return self._names[named], summary.joined_reasons((refuted, beside if others else ""))
        reasons = [f"{self._listed(others)} {'is' if one else 'are'} not refuted"]
        if len(self.order) > 1:
            reasons[0] += f", of which {self.title(self.best.law.name)} predicts left-out points best"
        if far.any():
            names = [name for name, is_far in zip(self._names, far, strict=True) if is_far]
            they = "the others" if len(names) == len(others) - 1 > 1 else self._listed(names)
            reasons.append(f"at {at} {they} may lie far from {self.title(self._names[first])}")
        reasons.append(refuted)
        full = [name for name in not_refuted if not self[name].dof and np.isnan(self.test_results[name][1])]
        if full:
            reasons.append(f"nothing can test {self._listed(full)}, with as many parameters as points")
        return CANNOT_TELL, summary.joined_reasons(reasons)

    def title(self, name: str) -> str:
        """Return what a law is called within a sentence; what follows a comma only if it tells two laws apart."""
        title, alike = self[name].law.title, [re.split("[,:]", fit.law.title)[0] for fit in self.fits]
        short = re.split("[,:]", title)[0]
        return law_within_sentence(short if alike.count(short) == 1 else title)

    def _listed(self, names, words=None):
        """Some laws in a row, by their titles or other words: of more than three the two best, and how many others.

        Those that forecast left-out points best come first, then those that miss the points least.
        """
        names, words = [*names], words or self.title
        if len(names) <= _MOST_NAMED:
            return joined_with("and", map(words, names))
        errors = {name: np.sqrt(np.mean(errors**2)) for name, errors in self.left_out_errors.items()}
        best = sorted(names, key=lambda name: (errors.get(name, np.inf), self[name].squares))[:2]
        return f"{words(best[0])}, {words(best[1])} and {len(names) - 2} others"

    def _missed(self, name):
        """By how much a refuted law misses the points, in words; of points with errors by the test that refutes it."""
        fit, (test, p) = self[name], self.test_results[name]
        if fit.y_err is not None and summary.tests_errors_of_points(fit, test):
            return summary.misfit_in_errors_of_points(fit)
        if fit.y_err is not None and test == diagnostics.REPEATS:
            return f"points of the same x differ far less, {p_in_words(p)}"
        if fit.y_err is not None:
            return f"{self.title(test)} comes far closer, {p_in_words(p)}"
        x, y = fit.points
        share = diagnostics.log_error(fit.curve(x), y) if fit.relative else np.nan
        if np.isfinite(share):
            return f"misses by {number(100 * share, 2)} %"
        return f"misses by {number(np.sqrt(np.mean((y - fit.curve(x)) ** 2)), 2)}"

    def predict(self, x: NumbersLike) -> pd.DataFrame:
        """Return forecasts of the best law, with the lowest and the highest of all laws that are not refuted.

        Columns: x, law, predicted, span_low, span_high, n_laws (unrefuted ones with a forecast there), extrapolated,
        reason (why a span of a single law is no certainty). Where every law is refuted there is no forecast: NaN; nor
        is a CPU utilization above 100 %. Where `x` is a frame or a Series, its index is that of `x`. `CannotFit` where
        the laws took different columns for x.
        """
        check_laws_share_axis(self.fits, "x")
        best = self.best
        where, zero = spelling(f"predict of {best.law.name}", "--at"), all(fit.law.at_zero for fit in self.fits)
        at = axis_values(x, best.x, where, positive=best.law.positive, zero=zero)
        spans = self._forecasts_at(at)
        predicted = best.curve(at) if self.not_refuted else np.full(len(at), np.nan)
        predicted = np.where(predicted > best.most, np.nan, predicted)
        parts = {"x": at, "law": best.law.name if self.not_refuted else "", "predicted": predicted}
        parts |= {"span_low": spans.min().to_numpy(), "span_high": spans.max().to_numpy()}
        parts |= {"n_laws": spans.count().to_numpy()}
        reason = np.where(parts["n_laws"] == 1, _ONE_LAW, "").astype(object)
        return with_index_of(x, pd.DataFrame(parts | {"extrapolated": best.outside(at), "reason": reason}))

    def _forecasts_at(self, x):
        """What each unrefuted law forecasts, a row per law and a column per x; NaN where it ends before that x."""
        curves = [self[name].curve(x) for name in self.not_refuted]
        frame = pd.DataFrame(curves, index=self.not_refuted, columns=range(len(x)), dtype=float)
        possible = ((frame > 0) | (not self.best.positive)) & (frame <= self.best.most)
        return frame.where(np.isfinite(frame) & possible)

    def headline(self) -> str:
        """Return the verdict in words, what was compared, and by which error model."""
        points = summary.points_of_fit_in_words(len(self.fits[0].points[0]), self.source)
        what = f"{counted(len(self.fits), 'law')} through {points}."
        lost = []
        for name in self.not_fitted:
            title = re.split("[,:]", laws.LAWS[name].title)[0] if name in laws.LAWS else ""
            lost.append(f"{law_within_sentence(title)} ({name})" if title else name)
        lost = f"Not fitted: {', '.join(lost)}." if lost else ""
        columns = summary.columns_of_fit_in_words(self.fits[0])
        ahead = ""
        if self.verdict[0] not in (CANNOT_TELL, NONE) and not why_no_throughput(self.best.y):
            how = spelling("`dominoperf.forecast`", "`dominoperf forecast`")
            ahead = f"Beyond the points this law may not hold; {how} takes no law for right."
        parts = (self.describe(), ahead, what, columns, summary.error_model_in_words(*self.fits), lost)
        return " ".join(filter(None, parts))

    def describe(self) -> str:
        """Return the verdict and its reason as a sentence."""
        verdict, reason = self.verdict
        words = {CANNOT_TELL: "The points do not settle which law is right", NONE: "No law fits"}
        if verdict in words:
            return f"{words[verdict]}: {reason}."
        _, reason = self._verdict("they")
        return f"The points speak for {self.title(verdict)}: {reason}."

    def finding(self) -> str:
        """Return the verdict as what the points do, to follow the words "the points"."""
        verdict = self.verdict[0]
        words = {CANNOT_TELL: "do not settle which law is right", NONE: "refute every law"}
        return words.get(verdict) or f"speak for {self.title(verdict)}"

    def describe_forecast(self, x: float) -> str:
        """Return in words what the laws that are not refuted forecast at one x; refuted ones are named separately."""
        check_laws_share_axis(self.fits, "x")
        ahead = self._forecasts_at(np.array([float(x)]))[0].dropna()
        below = [name for name in self.not_refuted if self[name].positive and self[name].curve([x])[0] < 0]
        forecast = "no law forecasts any"
        if len(ahead) > 1:
            ends = f"{number(ahead.min(), 3)} to {number(ahead.max(), 3)}"
            forecast = f"{len(ahead)} of {len(self.fits)} laws forecast {ends}"
        elif len(ahead):
            forecast = f"{self.title(ahead.index[0])} forecasts {number(ahead.iloc[0], 3)}"
        beyond = ", extrapolated" if self.best.outside(x) else ""
        refuted = f"; refuted: {joined_with('and', map(self.title, self.refuted))}" if self.refuted else ""
        ended = f"; below zero, which cannot be: {joined_with('and', map(self.title, below))}" if below else ""
        at = summary.x_of_fit_in_words(self.best, x)
        return f"{forecast} {self.best.label(self.best.y)} at {at}{beyond}{refuted}{ended}"


def check_laws_share_axis(fits, axis):
    """Refuse to set laws side by side that took different columns of a frame for an axis."""
    taken = {getattr(fit, axis): f"{getattr(fit, axis)} of {fit.law.name}" for fit in fits}
    if len(taken) > 1:
        remedy = f"Name the column with {axis}=, or compare laws of one kind."
        found = ", ".join(taken.values())
        raise CannotFit("compare", expected=f"laws of the same {axis}", found=found, remedy=remedy)


def _in_one_frame(frames):
    """Frames by law as one, the law in front."""
    frame = pd.concat([frame.assign(law=name) for name, frame in frames.items()], ignore_index=True)
    return frame[["law", *frame.columns.drop("law")]]
