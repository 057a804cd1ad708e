"""A fitted law: plain frames of its parameters, its quality, its points and its forecasts; a summary in words."""

import functools
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from scipy import stats

from dominoperf import catalog, rendering
from dominoperf.errors import CannotFit, UnknownName
from dominoperf.fitting.problem import Problem, crossing, rms
from dominoperf.laws import LAWS, Law


@dataclass(frozen=True)
class Fit:
    """A fitted law. `tidy`, `glance`, `augment` and `predict` give plain frames; printing gives a summary."""

    law: Law
    problem: Problem = field(repr=False)
    params: np.ndarray
    x: str
    y: str
    level: float
    spread: float  # standard deviation of a weighted residual; NaN when it cannot be known
    error_from: str
    where: str

    def tidy(self):
        """Give a row per parameter: term, unit, estimate, std_error, low, high, at_bound, reason."""
        errors, bound = self._std_errors(), self._on_bound()
        rows = []
        for k, param in enumerate(self.law.params):
            hold = lambda value, free, k=k: np.insert(free, k, value)  # noqa: E731
            low, high, reason = self._interval(self.params[k], (param.low, param.high), hold, k)
            reason = "; ".join(filter(None, (reason, "on its bound: no standard error" if bound[k] else "")))
            rows.append((param.name, self._unit(param), self.params[k], errors[k], low, high, bool(bound[k]), reason))
        return pd.DataFrame(
            rows, columns=["term", "unit", "estimate", "std_error", "low", "high", "at_bound", "reason"]
        )

    def glance(self):
        """Give one row on the whole fit: counts, errors, tests, and why a value is unknown."""
        problem, reasons = self.problem, []
        residual = self._fitted() - problem.y
        rmse = np.sqrt(np.sum(residual**2) / problem.dof) if problem.dof else np.nan
        known = functools.partial(_known, rule=self.error_from == "rule", reasons=reasons)
        row = {
            "law": self.law.name,
            "n": len(problem.x),
            "n_params": len(self.law.params),
            "dof": problem.dof,
            "rmse": known(rmse, "rmse: no residual degrees of freedom"),
            "log_error": known(rms(np.log(self._fitted() / problem.y)), ""),
            "loo_log_error": known(self._loo(), "loo_log_error: too few points to leave one out"),
            "f_test_p": known(self._f_test(), "f_test_p: no simpler law, or no error to judge by"),
            "aicc": known(self._aicc(), "aicc: needs n > p + 2 and a residual"),
            "error_from": self.error_from,
            "at_bound": ", ".join(p.name for p, on in zip(self.law.params, self._on_bound(), strict=True) if on),
        }
        return pd.DataFrame([row | {"reason": "; ".join(dict.fromkeys(reasons))}])

    def augment(self):
        """Give a row per point: x, y, fitted, residual."""
        fitted = self._fitted()
        return pd.DataFrame(
            {"x": self.problem.x, "y": self.problem.y, "fitted": fitted, "residual": self.problem.y - fitted}
        )

    def predict(self, x):
        """Forecast at the given x values, or at those of a frame's column.

        Returns
        -------
        DataFrame
            x, predicted, std_error (of the curve), mean_low, mean_high (of the curve), obs_low, obs_high (of a new
            observation), extrapolated. The interval of the curve is the profile of the forecast itself.

        Raises
        ------
        CannotFit
            When an x is not a number above zero.
        """
        rows = [self._forecast(each) for each in self._asked(x)]
        names = ["x", "predicted", "std_error", "mean_low", "mean_high", "obs_low", "obs_high", "extrapolated"]
        return pd.DataFrame(rows, columns=names)

    def __str__(self):
        """Lay the summary out for a terminal."""
        return f"{self.headline()}\n\n{rendering.Table(self.tidy())}\n{rendering.Table(self.glance())}"

    __repr__ = __str__

    def _repr_html_(self):
        tables = rendering.Table(self.tidy())._repr_html_() + rendering.Table(self.glance())._repr_html_()
        return f"<p>{rendering.html.escape(self.headline())}</p>{tables}"

    def headline(self):
        """Say in a sentence or three what was fitted to what, and where the errors come from."""
        law, count = self.law, len(self.problem.x)
        start = f"{law.title} ({law.formula}; {law.source}) through {count} points of {self.where}."
        bounded = zip(law.params, self.params, self._on_bound(), strict=True)
        on = [f"{param.name} = {value:g}" for param, value, bound in bounded if bound]
        said = f" At its bound: {', '.join(on)}." if on else ""
        if law.nested and self.params[-1] == law.params[-1].low:
            said += f" The law without it ({law.nested}) says the same."
        return f"{start} {ORIGIN[self.error_from].format(dof=self.problem.dof)}{said}"

    def say(self, term):
        """Say a parameter with its interval in words, or with the reason why there is none."""
        tidy = self.tidy().set_index("term")
        if term not in tidy.index:
            raise UnknownName.among("parameter", term, tidy.index, f"Known are {', '.join(tidy.index)}.")
        row = tidy.loc[term]
        return f"{term} {row['estimate']:.4g} {self._interval_in_words(row['low'], row['high'], '.4g')}"

    def say_forecast(self, x):
        """Say the forecast at one x in words, with its interval and whether it is extrapolated."""
        row = self.predict(x).iloc[0]
        words = self._interval_in_words(row["mean_low"], row["mean_high"], ",.0f")
        beyond = ", extrapolated" if row["extrapolated"] else ""
        return f"{row['predicted']:,.0f} {catalog.label(self.y)} at {x:g} {catalog.label(self.x)} {words}{beyond}"

    def _interval_in_words(self, low, high, digits):
        if np.isnan(low):
            return f"(no interval: {ORIGIN[self.error_from].format(dof=self.problem.dof).removesuffix('.').lower()})"
        return f"({self.level:.0%} interval {low:{digits}} to {high:{digits}})"

    def _asked(self, x):
        """The x values as plain numbers; NaN where one is none."""
        values = x[self.x] if isinstance(x, pd.DataFrame) and self.x in x else x
        numbers = pd.to_numeric(pd.Series(np.ravel(values)), errors="coerce").to_numpy(float)
        if not (np.isfinite(numbers) & (numbers > 0)).all():
            where, remedy = f"forecast of {self.law.name}", f"Give values of {self.x}, or a frame with that column."
            raise CannotFit(where, expected="x above zero", found=repr(x), remedy=remedy)
        return numbers.tolist()

    def _fitted(self):
        return self.law.function(self.problem.x, *self.params)

    def _unit(self, param):
        units = catalog.units()
        unit = param.unit.format(x=units.get(self.x, self.x), y=units.get(self.y, self.y))
        return unit.removesuffix("/1")

    def _on_bound(self):
        return np.array([value in (p.low, p.high) for p, value in zip(self.law.params, self.params, strict=True)])

    def _jacobian(self, function):
        """Central differences by the free parameters; NaN columns for those on a bound."""
        columns = []
        for k, (value, on) in enumerate(zip(self.params, self._on_bound(), strict=True)):
            step = 6e-6 * max(abs(value), 1e-3)
            move = np.eye(len(self.params))[k] * step
            up, down = function(self.params + move), function(self.params - move)
            columns.append(np.full_like(np.atleast_1d(up), np.nan) if on else np.atleast_1d(up - down) / (2 * step))
        return np.stack(columns, axis=-1)

    def _covariance(self):
        free = ~self._on_bound()
        jacobian = self._jacobian(self.problem.residuals)[:, free]
        return self.spread**2 * np.linalg.inv(jacobian.T @ jacobian), free

    def _std_errors(self):
        errors = np.full(len(self.params), np.nan)
        if np.isfinite(self.spread):
            covariance, free = self._covariance()
            errors[free] = np.sqrt(np.diag(covariance))
        return errors

    def _quantile(self, one_sided=False):
        """How far, in units of the spread squared, the sum of squares may rise within the interval."""
        level = 2 * self.level - 1 if one_sided else self.level
        known = self.error_from == "given"
        return stats.chi2.ppf(level, 1) if known else stats.f.ppf(level, 1, self.problem.dof)

    def _interval(self, value, edges, build, index):
        """Profile interval of a quantity within its edges.

        `build` makes all parameters from it and from those other than number `index`.
        """
        if not np.isfinite(self.spread):
            return np.nan, np.nan, ORIGIN[self.error_from].format(dof=self.problem.dof)
        free, bounds = np.delete(self.params, index), np.delete(self.problem.bounds, index, axis=0)
        rise = self.spread**2 * self._quantile(one_sided=value in edges)

        def excess(at):
            solved = self.problem.solve(free, lambda others: build(at, others), bounds)
            return self.problem.squares(solved) - self.problem.squares(self.params) - rise

        ends = [crossing(excess, value, edge) for edge in edges]
        bounded = [name for end, edge, name in zip(ends, edges, ("low", "high"), strict=True) if end == edge]
        return *ends, "; ".join(f"{name} is the bound itself" for name in bounded)

    def _forecast(self, x):
        at = lambda scale, others: float(self.law.function(x, scale, *others))  # noqa: E731

        def build(value, others):
            """All parameters of a curve through the forecast: the law is linear in its first."""
            base, slope = at(0.0, others), at(1.0, others) - at(0.0, others)
            return np.concatenate([[(value - base) / slope], others])

        predicted = at(self.params[0], self.params[1:])
        low, high, _ = self._interval(predicted, (0.0, np.inf), build, 0)
        error = self._forecast_error(x)
        spread = self.spread * (predicted if self.problem.error == "relative" else 1.0)
        noise = np.sqrt(self._quantile()) * spread if np.isfinite(spread) else np.nan
        obs_low, obs_high = predicted - np.hypot(predicted - low, noise), predicted + np.hypot(high - predicted, noise)
        outside = not self.problem.x.min() <= x <= self.problem.x.max()
        return x, predicted, error, low, high, max(obs_low, 0.0) if obs_low == obs_low else obs_low, obs_high, outside

    def _forecast_error(self, x):
        if not np.isfinite(self.spread):
            return np.nan
        covariance, free = self._covariance()
        slope = self._jacobian(lambda params: self.law.function(x, *params))[0, free]
        return float(np.sqrt(slope @ covariance @ slope))

    def _loo(self):
        rest = [len(np.unique(self.problem.without(k).x)) for k in range(len(self.problem.x))]
        if min(rest) < len(self.law.params):
            return np.nan  # some point cannot be left out: the others do not tell the parameters
        forecasts = []
        for k in range(len(self.problem.x)):
            rest = self.problem.without(k)
            params = rest.solve(self.params)
            forecasts.append(np.log(self.law.function(self.problem.x[k], *params) / self.problem.y[k]))
        return rms(np.array(forecasts))

    def _f_test(self):
        """P value of the simpler law; halved, because it has the last parameter on its bound (a mixture with zero)."""
        simpler = LAWS.get(self.law.nested)
        if simpler is None or not np.isfinite(self.spread):
            return np.nan
        nested = Problem(simpler, self.problem.x, self.problem.y, self.problem.error)
        gain = nested.squares(nested.solve(simpler.start(nested.x, nested.y))) - self.problem.squares(self.params)
        if self.params[-1] == self.law.params[-1].low:
            return 1.0
        known = self.error_from == "given"
        tail = (
            stats.chi2.sf(gain / self.spread**2, 1) if known else stats.f.sf(gain / self.spread**2, 1, self.problem.dof)
        )
        return float(tail) / 2

    def _aicc(self):
        n, k = len(self.problem.x), len(self.law.params) + 1
        if n - k - 1 <= 0 or self.problem.exact(self.params):
            return np.nan
        return n * np.log(self.problem.squares(self.params) / n) + 2 * k + 2 * k * (k + 1) / (n - k - 1)


ORIGIN = {
    "residuals": "Errors from the residuals, {dof} degree(s) of freedom.",
    "resolution": "Errors from the step of the printed numbers, larger than the residuals; {dof} degree(s) of freedom.",
    "given": "Errors from the stated sigma.",
    "none": "The curve passes through every point: no error can be told.",
    "rule": "The points follow a rule that somebody published: no error can be told.",
}


def _known(value, why, *, rule, reasons):
    """A statistic, or NaN with the reason: of points that follow a published rule none has a meaning."""
    if rule or value != value:
        reasons.append("a published rule: nothing to judge a fit by" if rule else why)
        return np.nan
    return value
