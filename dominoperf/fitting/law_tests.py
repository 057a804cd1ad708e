"""What points say for and against laws: each law is simulated at its own fit, and refuted by missing more than that.

For a law a with the least weighted sum of squares S_a, and every other law b of the same error model:

1. Statistic: ``T = ln S_a - min ln S_b``; with a stated sigma ``(S_a - min S_b) / sigma^2``.
2. Replicates: the curve of a at its own fit with normal noise of its size (in ln y where errors grow with y), and all
   laws fitted again. p is the share of them, the points included, whose T is at least that of the points: never zero.
   Numbers printed to a stated step leave no smaller residuals than its rounding, even where a curve meets them all.
3. Further tests where there are any: points that share an x (pure error, F) and a stated sigma or error (chi-squared).
   The least p counts times the number of tests. A law is refuted where it is below its limit (``data/evidence.toml``).

`law_naming` says which of the laws that are not refuted the points name, `naming_rates` how often such points would.
``T`` has no unit and hardly depends on the noise, so that few replicates do for many sets of points alike:
`naming_rates` makes them once per curve.

Sources: Cox, Tests of separate families of hypotheses, 1961, with the parametric bootstrap in place of his asymptotics;
Davison and Hinkley, Bootstrap Methods and their Application, 1997, section 4.2.
"""

import functools
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from dominoperf.fitting import goodness_of_fit
from dominoperf.laws import LAWS
from dominoperf.tables.folders import our_toml_file

_ARITHMETIC_SHARE = 1e-24  # of the sum of squares of y: what is below is the arithmetic's
_TIE = 1e-9  # of the statistic
_MOST_REPLICATES = 20_000  # enough for a level of 99.99 %
# A law that beats its rivals by far has p = P(chi2_d >= d) whatever the points, d its residual degrees of freedom: this
# share of its replicates misses by more than the points do. It is 0.32 or more, so a limit up to 0.2 cannot refute it.
_HIGHEST_LIMIT = 0.2
ONE_CURVE = 1e-6  # of y: curves that differ by less are one, for two searches do not end at the very same place


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
        if (
            k == other
            or "rule" in (one.error_from, two.error_from)
            or error_model_of_compared_law(one) != error_model_of_compared_law(two)
        ):
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
        results = {}
        for k, null in enumerate(self.nulls(means, sds)):
            tests, name = self._tests(k, self.observed, null), self.fits[k].law.name
            by, p = "", np.nan
            if tests:
                by, (least,) = min(tests, key=lambda test: test[1][0])
                p = min(1.0, len(tests) * least)
            if self.rivals[k] and self.dof[k] and self.fits[k].exact and np.isnan(sds[k]):
                p = 1.0  # nothing is left to chance, and no noise is known to simulate it with
            results[name] = by, float(p)
        return results

    @functools.cached_property
    def p(self):
        """The p value of each law on the points, laws x 1; NaN where nothing tests it."""
        return np.array([[p] for _, p in self.test_results.values()])

    # Many sets of points at once

    def solve(self, y, *, simulated=False):
        """Return every law fitted to sets of points, a column each; simulated ones have errors of their own."""
        curves = [(self._simulated if simulated else self._through)(k, y) for k in range(len(self.fits))]
        params, squares = zip(*map(self._best_params_and_squares, curves), strict=True)
        return Solved(curves, [*params], np.maximum(np.array(squares), self._floors(curves)))

    def _through(self, k, y):
        """A law through sets of points, with the errors of the measured points."""
        return self.fits[k].curves.through(self.x, y)

    def _simulated(self, k, y):
        """A law through simulated sets; where the errors are from repeats, each set has some of its own."""
        return self._through(k, y).with_errors_of_other_repeats(np.random.default_rng(self.constants.seed + 2))

    def _best_params_and_squares(self, curves):
        """The best parameters of each curve, and the sum of squares, infinite where there are none."""
        with np.errstate(all="ignore"):
            params, least, _ = curves.solve(steps=self.constants.steps)
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
        curves = self._through(k, mean[:, None])
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
                squares[k] = self._best_params_and_squares(self._simulated(k, y))[1]
            squares = np.maximum(squares, self._floors([self._through(k, y) for k in range(len(self.fits))]))
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
        return tests + goodness_of_fit.tests_without_rival(fit, curves, params, squares)

    def not_refuted(self, p):
        """Return whether each law is left unrefuted; a law that nothing tests is."""
        return ~(p < self.limits[:, None])


def error_model_of_compared_law(fit):
    """What the sums of squares of two laws must have in common to be compared: how the noise grows."""
    noise = fit.curves.repeats or fit.curves
    return fit.curves.error, noise.power
