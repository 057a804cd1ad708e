"""Fit one law to one table, say how sure, say why not."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from scipy import optimize, stats

from dominoperf import benchmarks, catalog, rendering
from dominoperf.errors import CannotFit, UnknownName
from dominoperf.laws import LAWS, Law

_EXACT = 1e-12  # a residual below this share of y is the arithmetic's, not the data's
_ON_BOUND = 1e-7  # relative to the span of a bounded parameter, absolute at zero


def fit(law, data, *, x=None, y=None, error=None, sigma=None, resolution=None, level=0.95):
    """Fit a law to points by weighted least squares within the bounds of its parameters.

    Minimises ``sum(((y - f(x)) w)^2)`` with ``w = 1 / y`` for relative errors and 1 for constant ones.

    Parameters
    ----------
    law : str or Law
        A name in `LAWS`, or a record of your own.
    data : str or DataFrame
        The name of a series, the id of a table, or a frame.
    x, y : str, optional
        Columns; by default those of the series, else those of the law.
    error : {"relative", "constant"}, optional
        How the noise grows; by default as the law says.
    sigma : float, optional
        Known standard deviation of the noise, relative or in units of y. Gives intervals without residual freedom.
    resolution : float, optional
        Step of the printed y values; by default the series' own. A residual error below ``step / sqrt(12)`` is not
        believed.
    level : float
        Coverage of the intervals.

    Returns
    -------
    Fit

    Raises
    ------
    CannotFit
        With fewer different x values than parameters, values that no law can take, or a level, sigma or resolution
        that cannot be.
    UnknownName
        When the law, the series or a column does not exist.
    """
    law = _law(law)
    _check_arguments(sigma, resolution, level)
    points, x, y, step, kind, where = _points(data, x or "", y or "", law)
    step = step if resolution is None else resolution
    problem = _problem(law, points[x], points[y], error or law.error, where)
    best = problem.solve(law.start(problem.x, problem.y))
    return Fit(law, problem, best, x, y, level, *_spread(problem, best, sigma, step, kind), where)


@dataclass(frozen=True)
class _Problem:
    """Points, weights and a law: the sum of squares to be made small."""

    law: Law
    x: np.ndarray
    y: np.ndarray
    weights: np.ndarray

    @property
    def dof(self):
        return len(self.x) - len(self.law.params)

    @property
    def bounds(self):
        return np.array([(param.low, param.high) for param in self.law.params])

    def residuals(self, params):
        return (self.law.function(self.x, *params) - self.y) * self.weights

    def squares(self, params):
        return float(np.sum(self.residuals(params) ** 2))

    def solve(self, start, build=None, bounds=None):
        """The best parameters; with `build`, those it makes from the free ones."""
        build = build or (lambda free: free)
        bounds = self.bounds if bounds is None else bounds
        start = np.clip(np.asarray(start, float), bounds[:, 0], bounds[:, 1])
        if not len(start):
            return build(start)
        scale = np.where(start == 0, 1.0, np.abs(start))
        tight = {"ftol": 1e-15, "xtol": 1e-15, "gtol": 1e-15}
        found = optimize.least_squares(
            lambda free: self.residuals(build(free)), start, bounds=bounds.T, x_scale=scale, **tight
        )
        return np.asarray(build(_snap(found.x, bounds)), float)

    def without(self, index):
        keep = np.arange(len(self.x)) != index
        return _Problem(self.law, self.x[keep], self.y[keep], self.weights[keep])


@dataclass(frozen=True)
class Fit:
    """A fitted law. `tidy`, `glance`, `augment` and `predict` give plain frames; printing gives a summary."""

    law: Law
    problem: _Problem = field(repr=False)
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
            low, high, reason = self._interval(self.params[k], lambda v, free, k=k: np.insert(free, k, v), k)
            reason = reason or ("on its bound: no standard error" if bound[k] else "")
            rows.append((param.name, self._unit(param), self.params[k], errors[k], low, high, bool(bound[k]), reason))
        return pd.DataFrame(
            rows, columns=["term", "unit", "estimate", "std_error", "low", "high", "at_bound", "reason"]
        )

    def glance(self):
        """Give one row on the whole fit: counts, errors, tests, and why a value is unknown."""
        problem, reasons = self.problem, []
        residual = self._fitted() - problem.y
        rmse = np.sqrt(np.sum(residual**2) / problem.dof) if problem.dof else np.nan
        row = {
            "law": self.law.name,
            "n": len(problem.x),
            "n_params": len(self.law.params),
            "dof": problem.dof,
            "rmse": _known(rmse, "rmse: no residual degrees of freedom", reasons),
            "log_error": _rms(np.log(self._fitted() / problem.y)),
            "loo_log_error": _known(self._loo(), "loo_log_error: too few points to leave one out", reasons),
            "f_test_p": _known(self._f_test(), "f_test_p: no simpler law, or no residual degrees of freedom", reasons),
            "aicc": _known(self._aicc(), "aicc: needs n > p + 2", reasons),
            "error_from": self.error_from,
            "at_bound": ", ".join(p.name for p, on in zip(self.law.params, self._on_bound(), strict=True) if on),
        }
        return pd.DataFrame([row | {"reason": "; ".join(reasons)}])

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
        return f"{start} {_ORIGIN[self.error_from].format(dof=self.problem.dof)}{said}"

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
            return f"(no interval: {_ORIGIN[self.error_from].format(dof=self.problem.dof).removesuffix('.').lower()})"
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

    def _interval(self, value, build, index):
        """Profile interval of a quantity: `build` makes all parameters from it and those other than number `index`."""
        if not np.isfinite(self.spread):
            return np.nan, np.nan, _ORIGIN[self.error_from].format(dof=self.problem.dof)
        free, bounds = np.delete(self.params, index), np.delete(self.problem.bounds, index, axis=0)
        edges = self.problem.bounds[index] if build(value, free)[index] == value else (0.0, np.inf)
        rise = self.spread**2 * self._quantile(one_sided=value in edges)

        def excess(at):
            solved = self.problem.solve(free, lambda others: build(at, others), bounds)
            return self.problem.squares(solved) - self.problem.squares(self.params) - rise

        ends = [_crossing(excess, value, edge) for edge in edges]
        bounded = [name for end, edge, name in zip(ends, edges, ("low", "high"), strict=True) if end == edge]
        return *ends, f"{' and '.join(bounded)} is the bound itself" if bounded else ""

    def _forecast(self, x):
        shape = lambda others: float(self.law.function(x, 1.0, *others))  # noqa: E731
        predicted = float(self.law.function(x, *self.params))
        low, high, _ = self._interval(predicted, lambda v, others: np.concatenate([[v / shape(others)], others]), 0)
        error = self._forecast_error(x)
        weight = 1 / predicted if self.problem.weights[0] != 1 else 1.0
        noise = np.sqrt(self._quantile()) * self.spread / weight if np.isfinite(self.spread) else np.nan
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
        if self.problem.dof < 1:
            return np.nan
        forecasts = []
        for k in range(len(self.problem.x)):
            rest = self.problem.without(k)
            params = rest.solve(self.params)
            forecasts.append(np.log(self.law.function(self.problem.x[k], *params) / self.problem.y[k]))
        return _rms(np.array(forecasts))

    def _f_test(self):
        if not self.law.nested or not np.isfinite(self.spread):
            return np.nan
        simpler = LAWS[self.law.nested]
        nested = _Problem(simpler, self.problem.x, self.problem.y, self.problem.weights)
        gain = nested.squares(nested.solve(simpler.start(nested.x, nested.y))) - self.problem.squares(self.params)
        more = len(self.law.params) - len(simpler.params)
        if self.error_from == "given":
            return float(stats.chi2.sf(gain / self.spread**2, more))
        return float(stats.f.sf(gain / more / self.spread**2, more, self.problem.dof))

    def _aicc(self):
        n, k = len(self.problem.x), len(self.law.params) + 1
        if n - k - 1 <= 0:
            return np.nan
        return n * np.log(self.problem.squares(self.params) / n) + 2 * k + 2 * k * (k + 1) / (n - k - 1)


_ORIGIN = {
    "residuals": "Errors from the residuals, {dof} degree(s) of freedom.",
    "resolution": "Errors from the step of the printed numbers, larger than the residuals; {dof} degree(s) of freedom.",
    "given": "Errors from the stated sigma.",
    "none": "The curve passes through every point: no error can be told.",
    "rule": "The points follow a rule that somebody published: no error can be told.",
}


def _check_arguments(sigma, resolution, level):
    """Refuse a level, sigma or resolution that cannot be."""
    for name, value, high in (("level", level, 1), ("sigma", sigma, np.inf), ("resolution", resolution, np.inf)):
        number = isinstance(value, (int, float, np.number)) and not isinstance(value, bool)
        if value is not None and not (number and 0 < value < high):
            expected, remedy = f"a number between 0 and {high}", f"Mend {name}, or leave it out."
            raise CannotFit(f"fit({name}=...)", expected=expected, found=repr(value), remedy=remedy)


def _law(law):
    if isinstance(law, Law):
        return law
    if law not in LAWS:
        raise UnknownName.among("law", law, LAWS, f"Known are {', '.join(LAWS)}.")
    return LAWS[law]


def _points(data, x, y, law):
    """The points, their columns, the step of the printed y, the kind of the table, and what to call them."""
    if isinstance(data, pd.DataFrame):
        x, y, kind, where = x or law.x, y or law.y, "measured", "a frame"
        points, step = data, data.attrs.get("resolution", {}).get(y, np.nan)
    elif not isinstance(data, str):
        remedy = "Give a DataFrame, the name of a series or the id of a table."
        raise CannotFit("fit(data=...)", expected="points", found=type(data).__name__, remedy=remedy)
    elif "/" in data:
        x, y, kind = x or law.x, y or law.y, catalog.describe(data).kind
        points, step, where = catalog.load(data), catalog.resolution(data).get(y, np.nan), data
    else:
        found = benchmarks.find(data)
        points, x, y, kind = found.points(), x or found.x, y or found.y, catalog.describe(found.table).kind
        step, where = found.resolution, f"{data} ({found.table})"
    for name in (x, y):
        if name not in points:
            listing = f"Columns are {', '.join(map(str, points.columns))}.{_series_of(where)}"
            raise UnknownName.among(f"column of {where}", name, points.columns, listing)
    return points, x, y, step, kind, where


def _series_of(table):
    """A hint at the series that take their points from a table."""
    named = benchmarks.named()
    known = named.loc[named["table"] == table, "series"]
    return f" Series of this table: {', '.join(known)}." if len(known) else ""


def _problem(law, x, y, error, where):
    """The points as numbers, weighted, once nothing speaks against a fit."""
    where = f"fit of {law.name} to {where}"
    x, y = (pd.to_numeric(values, errors="coerce").to_numpy(float) for values in (x, y))
    different = len(np.unique(x[np.isfinite(x)]))
    if different < len(law.params):
        fewer = [other.name for other in LAWS.values() if other.family == law.family and len(other.params) <= different]
        expected = f"at least {len(law.params)} points with different x, one a parameter"
        remedy = f"Of its family {', '.join(fewer) or 'no law'} would fit."
        raise CannotFit(where, expected=expected, found=str(different), remedy=remedy)
    if not (np.isfinite(x).all() and np.isfinite(y).all() and (x > 0).all() and (y > 0).all()):
        remedy = "Leave out the rows without a value, and text."
        raise CannotFit(where, expected="x and y above zero", found="others among them", remedy=remedy)
    if error not in ("relative", "constant"):
        raise UnknownName.among("error", error, ("relative", "constant"), "It is relative or constant.")
    return _Problem(law, x, y, 1 / y if error == "relative" else np.ones_like(y))


def _spread(problem, best, sigma, step, kind):
    """Standard deviation of a weighted residual, and where it comes from."""
    if kind == "rule":
        return np.nan, "rule"
    if sigma is not None:
        return float(sigma), "given"
    if problem.dof < 1:
        return np.nan, "none"
    residual = np.sqrt(problem.squares(best) / problem.dof)
    if residual < _EXACT * _rms(problem.weights * problem.y) and not step > 0:
        return np.nan, "none"
    floor = _rms(problem.weights) * step / np.sqrt(12)
    return (float(floor), "resolution") if residual < floor else (float(residual), "residuals")


def _crossing(excess, value, edge):
    """Where the profile rises to its limit between the estimate and an edge; the edge where it does not."""
    way = 1.0 if edge > value else -1.0
    step, inner = max(abs(value), 1e-6) * 1e-4, value
    while value != edge:
        outer = value + way * step
        if way * (outer - edge) >= 0:
            outer = edge
        if outer == edge and (not np.isfinite(edge) or excess(edge) <= 0):
            return edge
        if excess(outer) > 0:
            return float(optimize.brentq(excess, inner, outer, rtol=1e-12))
        inner, step = outer, step * 2
        if step > 1e12 * max(abs(value), 1e-6):
            return edge
    return edge


def _snap(params, bounds):
    """Set a parameter that has all but reached a bound onto it."""
    low, high = bounds.T
    span = np.where(np.isfinite(high - low), high - low, 1.0)
    params = np.where(params - low < _ON_BOUND * span, low, params)
    return np.where(high - params < _ON_BOUND * span, high, params)


def _known(value, why, reasons):
    if value != value:
        reasons.append(why)
    return value


def _rms(values):
    return float(np.sqrt(np.mean(np.asarray(values) ** 2)))
