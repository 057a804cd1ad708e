"""Which of several laws the points refute, which one they name, and how often such points would name it.

**Refuted.** Each law is simulated at its own fit, and refuted by missing more than that. For a law a with the least
weighted sum of squares S_a, and every other law b of the same error model:

1. Statistic: ``T = ln S_a - min ln S_b``; with a stated sigma ``(S_a - min S_b) / sigma^2``.
2. Replicates: the curve of a at its own fit with normal noise of its size (in ln y where errors grow with y), and all
   laws fitted again. p is the share of them, the points included, whose T is at least that of the points: never zero.
   Numbers printed to a stated step leave no smaller residuals than its rounding, even where a curve meets them all.
3. Further tests where there are any: points that share an x (pure error, F) and a stated sigma or error (chi-squared).
   The least p counts times the number of tests. A law is refuted where it is below its limit (``data/evidence.toml``).

**Named.** Of the laws with a mechanism (linear scaling, Amdahl's, the universal law) the simplest that is not refuted,
unless another unrefuted law may lie far from it at twice the last load: its forecast there, or the far end of the
one-sided interval of it, differs by more than 15 %, or 20 % where it does not contain the named law. Where all of these
are refuted, the one law that is not, unless it is a form without a mechanism (power, quadratic).

**Rates.** Many sets of points are simulated, and judged as the points are. ``T`` has no unit and hardly depends on the
noise, so that few replicates do for many sets of points alike: they are made once per curve.

Sources: Cox, Tests of separate families of hypotheses, 1961, with the parametric bootstrap in place of his asymptotics;
Davison and Hinkley, Bootstrap Methods and their Application, 1997, section 4.2.
"""

import functools
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import pandas as pd

from dominoperf.fitting import diagnostics
from dominoperf.laws import LAWS
from dominoperf.tables.folders import our_toml_file

_ARITHMETIC_SHARE = 1e-24  # of the sum of squares of y: what is below is the arithmetic's
_TIE = 1e-9  # of the statistic
_MOST_REPLICATES = 20_000  # enough for a level of 99.99 %
# A law that beats its rivals by far has p = P(chi2_d >= d) whatever the points, d its residual degrees of freedom: this
# share of its replicates misses by more than the points do. It is 0.32 or more, so a limit up to 0.2 cannot refute it.
_HIGHEST_LIMIT = 0.2
_NUMBERS_AT_ONCE = 2**16  # of y: what the processor's cache holds is fitted in two thirds of the time
_ONE_CURVE = 1e-6  # of y: curves that differ by less are one, for two searches do not end at the very same place
UNDECIDED_INDEX, NO_LAW_INDEX = -1, -2  # in place of the number of a law
_NO_NOISE = "no law says how large the noise is"
_BELOW = "no law that stands is above zero there"


@dataclass(frozen=True)
class EvidenceConstants:
    """How laws are judged; ``data/evidence.toml`` says what each number is for."""

    replicates: int
    sets: int
    seed: int
    steps: int
    laws: tuple
    forms: tuple
    reach: float
    apart: float
    apart_unrelated: float
    one_sided: float
    refuted_below: dict
    multiples: tuple


@functools.cache
def constants_of_law_tests():
    """Return the constants of ``data/evidence.toml``."""
    written = our_toml_file("evidence.toml")
    naming = written["naming"] | {name: tuple(written["naming"][name]) for name in ("laws", "forms")}
    loads = {"multiples": tuple(written["next_load"]["multiples"])}
    return EvidenceConstants(**written["simulation"], **naming, refuted_below=written["refuted_below"], **loads)


class Solved(NamedTuple):
    """Laws fitted to many sets of points, a column each."""

    curves: list  # a `Curves` per law
    params: list
    squares: np.ndarray  # laws x sets, not less than the arithmetic or the step of the numbers allows


class LawTests:
    """Laws that are set against each other on the same points.

    The limits of `refuted_below` are those of 95 %; at another `level` they are ``(1 - level) / 0.05`` times as high,
    but at most 0.2. `x` is a column of other loads than those of the fits, which come first among them.
    """

    def __init__(self, fits, level=0.95, constants=None, x=None):
        self.fits, self.level = fits, level
        constants = constants or constants_of_law_tests()
        below = constants.refuted_below
        limits = [below.get(fit.law.name, below["default"]) for fit in fits]
        self.limits = np.minimum(np.array(limits) * (1 - level) / 0.05, _HIGHEST_LIMIT)
        needed = min(np.ceil(2 / self.limits.min()), _MOST_REPLICATES)  # p is never below that of one replicate
        self.constants = replace(constants, replicates=max(constants.replicates, int(needed)))
        self.x = fits[0].curves.x if x is None else x
        self.dof = np.array([fit.dof + len(self.x) - len(fit.curves.x) for fit in fits])
        self.laws = LAWS | {fit.law.name: fit.law for fit in fits}  # a caller's own among them
        self.rivals = [[k for k in range(len(fits)) if self._may_refute(k, i)] for i in range(len(fits))]
        self.names = {fit.law.name: k for k, fit in enumerate(fits)}

    def _may_refute(self, k, other):
        """Whether law k is one that another is set against: with one degree of freedom only if it contains that."""
        one, two = self.fits[k], self.fits[other]
        alike = _error_model_of_compared_law(one) == _error_model_of_compared_law(two)
        if k == other or not alike or "rule" in (one.error_from, two.error_from):
            return False
        return one.sigma_given or self.dof[k] > 1 or (self.dof[k] == 1 and self.contains(k, other))

    def contains(self, k, other):
        """Return whether law k becomes the other one where some of its parameters, none of them held, have a value.

        USL with no coherency is Amdahl's law, and that with no contention is linear scaling.
        """
        law, held = self.fits[k].law, {*self.fits[k].curves.fixed}
        while law is not None and law.reduces and law.reduces[1] not in held:
            name, parameter, _ = law.reduces
            if name == self.fits[other].law.name:
                return True
            held.add(parameter)  # two records that name each other end
            law = self.laws.get(name)
        return False

    @functools.cached_property
    def observed(self):
        """The points themselves, a single set, as the fits have it."""
        squares = np.array([[fit.squares] for fit in self.fits])
        curves = [fit.curves for fit in self.fits]
        params = [fit.estimates[:, None] for fit in self.fits]
        return Solved(curves, params, np.maximum(squares, self._floors(curves)))

    @functools.cached_property
    def test_results(self):
        """What tests each law hardest on the points (a law, "repeats", "sigma", "y_err" or ""), and p, by law."""
        means = np.array([fit.curve(self.x[:, 0]) for fit in self.fits])
        sds = np.array([fit.residual_sd for fit in self.fits])  # NaN where a curve passes through every point
        nulls, results = self.nulls(means, sds), {}
        for k, (p,) in enumerate(self.p_values(self.observed, nulls)):
            by, _ = min(self._tests(k, self.observed, nulls[k]), key=lambda test: test[1][0], default=("", None))
            if self.rivals[k] and self.dof[k] and self.fits[k].exact and np.isnan(sds[k]):
                p = 1.0  # nothing is left to chance, and no noise is known to simulate it with
            results[self.fits[k].law.name] = by, float(p)
        return results

    @functools.cached_property
    def p(self):
        """The p value of each law on the points, laws x 1; NaN where nothing tests it."""
        return np.array([[p] for _, p in self.test_results.values()])

    # Many sets of points at once

    def solve(self, y, *, simulated=False):
        """Return every law fitted to sets of points, a column each; simulated ones have errors of their own."""
        through = self._law_through_simulated_sets if simulated else self._law_through_sets
        curves = [through(k, y) for k in range(len(self.fits))]
        params, squares = zip(*map(self._best_params_and_squares, curves), strict=True)
        return Solved(curves, [*params], np.maximum(np.array(squares), self._floors(curves)))

    def _law_through_sets(self, k, y):
        """A law through sets of points, with the errors of the measured points."""
        return self.fits[k].curves.through(self.x, y)

    def _law_through_simulated_sets(self, k, y):
        """A law through simulated sets; where the errors are from repeats, each set has some of its own."""
        return self._law_through_sets(k, y).with_errors_of_other_repeats(np.random.default_rng(self.constants.seed + 2))

    def _best_params_and_squares(self, curves):
        """The best parameters of each curve, and the sum of squares, infinite where there are none."""
        blocks = np.array_split(np.arange(curves.n_curves), -(-curves.y.size // _NUMBERS_AT_ONCE))
        with np.errstate(all="ignore"):
            solved = [curves.take(block).solve(steps=self.constants.steps) for block in blocks]
        params, least = (np.concatenate([of_block[k] for of_block in solved], axis=-1) for k in (0, 1))
        return params, np.where(np.isfinite(least), least, np.inf)

    def _floors(self, curves):
        """What a sum of squares is at least: of arithmetic, and of numbers printed to a step."""
        floors = np.array([_ARITHMETIC_SHARE * of_law.norm**2 for of_law in curves])
        steps = [fit.residual_sd**2 * dof if fit.error_from == "resolution" else 0.0
                 for fit, dof in zip(self.fits, self.dof, strict=True)]  # fmt: skip
        return np.maximum(np.nan_to_num(floors, posinf=0.0), np.array(steps)[:, None])

    def statistic(self, k, squares):
        """Return T of a law for sets of points; infinite where no best parameters were found."""
        rivals = squares[self.rivals[k]].min(axis=0)
        with np.errstate(all="ignore"):
            if self.fits[k].sigma_given:
                T = (squares[k] - rivals) / self.fits[k].residual_sd ** 2
            else:
                T = np.log(squares[k]) - np.log(rivals)
        return np.where(np.isfinite(T), T, np.inf)

    def noisy(self, k, mean, sd, count, seed):
        """Return sets of points about a curve with the noise of a law, a column each.

        The noise is drawn in the order of x, so that the same points in another order are judged alike.
        """
        curves = self._law_through_sets(k, mean[:, None])
        noise = curves.in_order_of_x(sd * np.random.default_rng(seed).standard_normal((count, len(self.x))).T)
        if power := self.fits[k].curves.power:  # in the logarithm, so that no y is below zero
            return mean[:, None] * np.exp(np.clip(noise * mean[:, None] ** (power - 1), -300, 300))
        return mean[:, None] + noise / curves.weights

    def nulls(self, means, sds):
        """Return the sorted T of replicates of each law at a curve; None for one without a known noise or rivals."""
        replicates, count, which = [None] * len(self.fits), self.constants.replicates, []
        for k in range(len(self.fits)):
            if self.rivals[k] and self.dof[k] and np.isfinite(sds[k]) and np.isfinite(means[k]).all():
                which.append(k)
        if which:
            sets = [self.noisy(k, means[k], sds[k], count, self.constants.seed) for k in which]
            needed = {*which, *(rival for k in which for rival in self.rivals[k])}
            y, squares = np.concatenate(sets, axis=1), np.full((len(self.fits), len(which) * count), np.inf)
            for k in needed:
                squares[k] = self._best_params_and_squares(self._law_through_simulated_sets(k, y))[1]
            squares = np.maximum(squares, self._floors([self._law_through_sets(k, y) for k in range(len(self.fits))]))
            for place, k in enumerate(which):
                replicates[k] = np.sort(self.statistic(k, squares[:, place * count : (place + 1) * count]))
        return replicates

    def p_values(self, solved, nulls):
        """Return the p value of each law for sets of points, laws x sets; NaN where nothing tests a law."""
        p = np.full(solved.squares.shape, np.nan)
        for k, null in enumerate(nulls):
            of_tests = [of_test for _, of_test in self._tests(k, solved, null)]
            if of_tests:
                p[k] = np.minimum(1.0, len(of_tests) * np.min(of_tests, axis=0))
        return p

    def _tests(self, k, solved, null):
        """The tests of a law: what by (of the first set of points, where it is another law), and p of every set."""
        fit, curves, params, squares = self.fits[k], solved.curves[k], solved.params[k], solved.squares[k]
        tests = []
        if null is not None:
            rival = min(self.rivals[k], key=lambda i: solved.squares[i, 0])
            as_far = len(null) - np.searchsorted(null, self.statistic(k, solved.squares) - _TIE)
            tests.append((self.fits[rival].law.name, (1 + as_far) / (1 + len(null))))
        return tests + diagnostics.tests_without_rival(fit, curves, params, squares)

    def not_refuted(self, p):
        """Return whether each law is left unrefuted; a law that nothing tests is."""
        return ~(p < self.limits[:, None])


def _error_model_of_compared_law(fit):
    """What the sums of squares of two laws must have in common to be compared: how the noise grows."""
    noise = fit.curves.repeats or fit.curves
    return fit.curves.error, noise.power


class Naming(NamedTuple):
    """Which law each of many sets of points names, and why no other."""

    named: np.ndarray  # the number of a law, `UNDECIDED_INDEX` or `NO_LAW_INDEX`
    first: np.ndarray  # that of the simplest unrefuted law with a mechanism, -1 where there is none
    far: np.ndarray  # laws x sets: whether each may lie far from `first`


def name_law(tests, p, solved):
    """Return the `Naming` of sets of points, whose p values and fits are given."""
    not_refuted, count = tests.not_refuted(p), p.shape[1]
    named, first = np.full(count, UNDECIDED_INDEX), np.full(count, -1)
    far = np.zeros(p.shape, bool)
    undecided = np.ones(count, bool)
    for k in (tests.names[name] for name in tests.constants.laws if name in tests.names):
        here = np.flatnonzero(undecided & not_refuted[k])
        here = here[np.isfinite(p[k, here])]  # a law that nothing tests is never named
        if not len(here):
            continue
        curves, params = [law.take(here) for law in solved.curves], [law[:, here] for law in solved.params]
        some = Solved(curves, params, solved.squares[:, here])
        for other in range(len(tests.fits)):
            if other != k and not_refuted[other, here].any():
                far[other, here] = not_refuted[other, here] & may_differ_from_law(tests, k, other, some)
        named[here] = np.where(far[:, here].any(axis=0), UNDECIDED_INDEX, k)
        first[here], undecided[here] = k, False
    only = not_refuted.argmax(axis=0)
    nameable = np.ones(len(tests.fits), bool)
    if set(tests.constants.laws) & set(tests.names):
        nameable = np.array([fit.law.name not in tests.constants.forms for fit in tests.fits])
    alone = undecided & (not_refuted.sum(axis=0) == 1) & nameable[only] & np.isfinite(p[only, np.arange(count)])
    named[alone] = only[alone]
    named[~not_refuted.any(axis=0)] = NO_LAW_INDEX
    return Naming(named, first, far)


def load_of_naming(tests):
    """Return the load at which the unrefuted laws are asked to agree."""
    return tests.constants.reach * tests.x.max()


def tolerance_of_naming(tests, k, other):
    """Return by which share another law may differ from law k at the asked load: less if it contains that."""
    return tests.constants.apart if tests.contains(other, k) else tests.constants.apart_unrelated


def may_differ_from_law(tests, k, other, solved):
    """Return whether another law may lie far from law k at the asked load, for every set of points."""
    far, here = tolerance_of_naming(tests, k, other), _forecast_at_load_of_naming(tests, k, solved)
    with np.errstate(all="ignore"):
        ratio = _forecast_at_load_of_naming(tests, other, solved) / here
        differs = ~((ratio >= 1 - far) & (ratio <= 1 + far))
    # How far its sum of squares may rise one-sidedly: NaN if unknown.
    fit, curves, squares = tests.fits[other], solved.curves[other], solved.squares[other]
    if fit.sigma_given:
        sd = np.full(len(squares), fit.residual_sd)
    else:
        sd = np.where(curves.dof > 0, np.sqrt(squares / np.maximum(curves.dof, 1)), np.nan)
    threshold = curves.profile_threshold(sd, 2 * tests.constants.one_sided - 1, sigma_given=fit.sigma_given)
    differs |= ~np.isfinite(threshold)
    near = np.flatnonzero(~differs)
    for side in (1 - far, 1 + far):
        some = near[~differs[near]]
        if len(some):
            differs[some] = _reaches(tests, other, solved, some, here[some] * side, threshold[some], sd[some])
    return differs


def _forecast_at_load_of_naming(tests, k, solved):
    """What law k forecasts at the asked load for every set of points."""
    law = tests.fits[k].law
    with np.errstate(all="ignore"):
        return np.broadcast_to(law.function(load_of_naming(tests), *solved.params[k]), solved.squares[k].shape)


def _reaches(tests, k, solved, some, value, threshold, sd):
    """Whether a law can have a value at the asked load where its sum of squares has risen by `threshold` at most.

    By the least sum of squares of all curves through that value. A law that has no scale in proportion to which it
    grows is judged by the standard error of its forecast.
    """
    curves, params, at = solved.curves[k].take(some), solved.params[k][:, some], load_of_naming(tests)
    pinned = _law_through_a_load(tests.fits[k].law, at)
    with np.errstate(all="ignore"):
        if pinned is None or not curves.free[0]:
            slope = np.where(curves.inside(params), curves.law.gradient(at, *params), 0.0)
            error = sd * np.sqrt(np.einsum("pr,rpq,qr->r", slope, curves.covariance(params), slope))
            distance = np.abs(value - curves.law.function(at, *params))
            return ~(distance > error * np.sqrt(threshold) / sd)
        start, free = params.copy(), np.repeat(curves.free[:, None], len(some), axis=1)
        start[0], free[0] = value, False
        least = replace(curves, law=pinned).solve(start, free, steps=tests.constants.steps)[1]
    return least - solved.squares[k, some] <= threshold


def _law_through_a_load(law, at):
    """A law with its value at a load in place of its scale; None where it does not grow in proportion to one."""
    if law.names[0] != "scale" or not law.example:
        return None
    rest = law.example[1][1:]
    if not np.isclose(law.function(at, 2.0, *rest), 2 * law.function(at, 1.0, *rest)):
        return None

    def function(x, value, *others):
        """The law, proportional to its value at the load."""
        return value * law.function(x, 1.0, *others) / law.function(at, 1.0, *others)

    return replace(law, function=function, jacobian=None)


def rates_of_naming(tests, law=None, noise=None):
    """Return how often such points name each law where it is true; `Comparison.rates` has the columns.

    The replicates that give p values are those of each law at its fit to the true curve, once for all sets.
    """
    rows, count = [], tests.constants.sets
    for k, fit in enumerate(tests.fits):
        if law not in (None, fit.law.name):
            continue
        sd = _residual_noise(tests, k) if noise is None else float(noise)
        if np.isnan(sd):
            rows.append((fit.law.name, *[np.nan] * 5, count, _NO_NOISE))
            continue
        mean = fit.curve(tests.x[:, 0])
        sets = tests.solve(tests.noisy(k, mean, sd, count, tests.constants.seed + 1), simulated=True)
        near = tests.solve(mean[:, None])
        means, sds = [], []
        for other, params, squares, dof in zip(tests.fits, near.params, near.squares, tests.dof, strict=True):
            means.append(np.broadcast_to(other.law.function(tests.x, *params), tests.x.shape)[:, 0])
            alike = _error_model_of_compared_law(other) == _error_model_of_compared_law(fit)
            missed = squares[0] / max(dof, 1)
            sds.append(other.residual_sd if other.sigma_given else np.sqrt(sd**2 * alike + missed))
        means = np.array(means)
        p = tests.p_values(sets, tests.nulls(means, np.array(sds)))
        refuted = float(np.mean(~tests.not_refuted(p)[k]))
        rows.append((fit.law.name, *_naming_shares(tests, p, sets, k, means), refuted, count, ""))
    names = ["law", "named", "wrong", "far_off", "cannot_tell", "refuted_share", "n_simulated", "reason"]
    return pd.DataFrame(rows, columns=names)


def next_loads_to_test(tests):
    """Return how much one more point at each of some loads would help; `Comparison.next_load` has the columns."""
    names = ["x", "distance", "apart", "named", "wrong", "far_off", "cannot_tell", "n_simulated", "reason"]
    tested = tests.x[:, 0]
    loads = tested.max() * np.array(tests.constants.multiples)
    if (tested == np.round(tested)).all():
        loads = np.round(loads)
    rows = [_next_load(tests, x) for x in np.unique(loads[loads > tested.max()])]
    return pd.DataFrame(rows, columns=names).sort_values(["named", "x"], ascending=[False, True], ignore_index=True)


def _next_load(tests, x):
    """The row of one load: each unrefuted law is the truth in turn, and the other points stay as they are."""
    fits, (tested, y) = tests.fits, tests.fits[0].points
    further = LawTests(fits, tests.level, tests.constants, np.append(tested, x)[:, None])
    ahead = np.array([fit.curve(np.array([x]))[0] for fit in fits])
    noise = np.array([_residual_noise(tests, k) for k in range(len(fits))])
    unrefuted = tests.not_refuted(tests.p)[:, 0] & np.isfinite(ahead) & ((ahead > 0) | (not fits[0].positive))
    means = np.array([np.append(fit.curve(tested), there) for fit, there in zip(fits, ahead, strict=True)])
    sds = np.array([fit.residual_sd for fit in fits])
    nulls = further.nulls(means, np.where(np.isfinite(sds), sds, noise))
    shares, count = [], tests.constants.sets
    for k in np.flatnonzero(unrefuted & np.isfinite(noise)):
        if (_laws_with_same_curve(means, k) & unrefuted)[:k].any():
            continue
        sets = further.noisy(k, means[k], noise[k], count, tests.constants.seed + 1)
        sets[:-1] = y[:, None]
        solved = further.solve(sets)
        shares.append(_naming_shares(further, further.p_values(solved, nulls), solved, k, means))
    apart = ahead[unrefuted].max() / ahead[unrefuted].min() if unrefuted.any() else np.nan
    shares = np.mean(shares, axis=0) if shares else [np.nan] * 4
    reason = "" if np.isfinite(shares[0]) else _NO_NOISE if unrefuted.any() else _BELOW
    return x, x / tested.max(), apart, *shares, count, reason


def _residual_noise(tests, k):
    """The residual standard deviation of an unrefuted law, else the least of the unrefuted ones; NaN if unknown."""
    fit, unrefuted = tests.fits[k], tests.not_refuted(tests.p)[:, 0]
    if unrefuted[k] and np.isfinite(fit.residual_sd):
        return fit.residual_sd
    alike = [other for other, known in zip(tests.fits, unrefuted, strict=True)
             if known and _error_model_of_compared_law(other) == _error_model_of_compared_law(fit)]  # fmt: skip
    sds = [other.residual_sd for other in alike if np.isfinite(other.residual_sd)]
    return min(sds, default=np.nan)


def _naming_shares(tests, p, solved, k, means):
    """Shares of sets that name law k or one no larger with its curve, that name another, a far one, and none."""
    named = name_law(tests, p, solved).named
    decided, which = named >= 0, np.maximum(named, 0)
    size = np.array([fit.curves.free.sum() for fit in tests.fits])
    right = decided & (_laws_with_same_curve(means, k) & (size <= size[k]))[which]
    ahead = np.array([_forecast_at_load_of_naming(tests, i, solved) for i in range(len(size))])
    far = np.array([tolerance_of_naming(tests, i, k) for i in range(len(size))])[which]
    with np.errstate(all="ignore"):
        ratio = ahead[which, np.arange(len(which))] / tests.fits[k].curve(np.array([load_of_naming(tests)]))[0]
    off = decided & ~right & ~(np.abs(ratio - 1) <= far)
    return tuple(float(np.mean(share)) for share in (right, decided & ~right, off, ~decided))


def _laws_with_same_curve(means, k):
    """Whether each law has the curve of law k at the points."""
    with np.errstate(all="ignore"):
        return (np.abs(means - means[k]) <= _ONE_CURVE * np.abs(means[k])).all(axis=1)
