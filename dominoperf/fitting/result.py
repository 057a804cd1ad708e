"""A fitted law, which answers with plain frames and sentences."""

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
import pandas as pd

from dominoperf import tables
from dominoperf.errors import CannotFit, spelling
from dominoperf.fitting import diagnostics, summary
from dominoperf.fitting.diagnostics import BETWEEN
from dominoperf.fitting.intervals import ConfidenceRegion, profile_intervals, wald_intervals
from dominoperf.fitting.least_squares import FROM_REPEATS, GIVEN_PER_POINT, IN_PROPORTION, Curves
from dominoperf.fitting.points import MeasuredPoints, NumbersLike, Source, axis_values, with_index_of
from dominoperf.laws import Law, gradient
from dominoperf.tables import carried_errata, rendering
from dominoperf.tables.headings import most_of_column
from dominoperf.tables.rendering import Result

_FORECAST = ["x", "predicted", "std_error", "mean_low", "mean_high", "obs_low", "obs_high", "extrapolated", "reason"]
_BELOW_ZERO = "the law falls below 0 there"
_DERIVED = {"term": "str", "unit": "str", **dict.fromkeys(("x", "estimate", "std_error", "low", "high"), float)}
_DERIVED |= {"extrapolated": bool, "reason": "str"}
_NO_NOISE = "obs: nobody gave the error of a new observation"
_RULE = "a published rule: nothing to judge a fit by"
_KEPT = 8  # forecasts that a fit keeps
_ROWS_ADDED_UP_FROM = 1000  # rows from which on those of one x are added up for the intervals


class DrawnResult:
    """A result that `figures.plot` draws."""

    def plot(self, ax=None, **settings):
        """Return axes with the points, the curve and its interval, dashed beyond the points: `figures.plot`.

        `ax` is where to draw, by default a new figure; until and beside are as for `figures.plot`.

        Examples
        --------
        >>> from dominoperf import fit
        >>> fit("linear", x=[1, 2, 4], y=[10, 21, 39]).plot(until=8).get_xlabel()
        'x'
        """
        from dominoperf.figures import plot  # drawn only where it is shown

        return plot(self, ax, **settings)


@carried_errata.carries_errata("tidy", "glance", "augment", "predict", "derive", "inverse")
@dataclass(frozen=True)
class Fit(Result, DrawnResult):
    """A fitted law. `tidy`, `glance`, `augment`, `predict`, `derive` and `inverse` give plain frames.

    Printing gives a summary.
    """

    law: Law
    curves: Curves  # a single one
    estimates: np.ndarray  # in the order of `law.names`
    measured: MeasuredPoints = field(compare=False)  # as they were read
    level: float
    residual_sd: float  # standard deviation of a weighted residual; NaN when it cannot be known
    error_from: str
    interval: str = "profile"
    why_error_model: str = ""  # why error="auto" took it, or how given errors were read

    @property
    def x(self) -> str:
        """The name of the column x."""
        return self.measured.names[0]

    @property
    def y(self) -> str:
        """The name of the column y."""
        return self.measured.names[1]

    @property
    def source(self) -> Source:
        """The `Source` of the points."""
        return self.measured.source

    @property
    def user(self) -> str:
        """What a user is called where the points come from."""
        return self.measured.user

    @property
    def errata(self) -> tuple:
        """The errata that touch the points."""
        return self.measured.errata

    @property
    def points(self) -> tuple[np.ndarray, np.ndarray]:
        """The x and y values, arrays of one's own."""
        return self.curves.x[:, 0].copy(), self.curves.y[:, 0].copy()

    @property
    def params(self) -> pd.Series:
        """The parameters by name: ``fit.params["contention"]``; `estimates` has them as an array."""
        return pd.Series(self.estimates, index=list(self.law.names), name=self.law.name)

    @property
    def dof(self) -> int:
        """Residual degrees of freedom: points minus parameters fitted."""
        return int(self.curves.dof[0])

    @functools.cached_property
    def squares(self) -> float:
        """Weighted sum of squares."""
        return self.squares_at(self.estimates)

    def squares_at(self, params: Sequence[float] | np.ndarray | pd.Series) -> float:
        """Return the weighted sum of squares at given parameters."""
        return float(np.sum(self.curves.residuals(np.asarray(params, float)[:, None]) ** 2))

    @property
    def exact(self) -> bool:
        """Whether the curve passes through every point."""
        return bool(self.curves.exact(self.squares)[0])

    @functools.cached_property
    def left_out_forecasts(self) -> np.ndarray | None:
        """What the other points forecast for each point, as an array; None where they are too few."""
        return diagnostics.forecasts_of_left_out_points(self.curves, self.estimates)

    @functools.cached_property
    def covariance(self) -> np.ndarray:
        """Covariance of the parameters; 0 for what is held or on a bound, NaN without a residual standard deviation."""
        return self.curves.covariance(self.estimates[:, None])[0] * self.residual_sd**2

    @functools.cached_property
    def on_bound(self) -> np.ndarray:
        """Whether each parameter lies on a bound; one that is held does not."""
        return self.curves.on_bound(self.estimates[:, None])[:, 0]

    @functools.cached_property
    def undetermined(self) -> np.ndarray:
        """Whether the points leave each parameter open: other values, of it or of several together, fit as well."""
        best = self.estimates[:, None]
        return (self.curves.inside(best) & ~np.isfinite(self.curves.standard_errors(best, 1.0)))[:, 0]

    @property
    def test_dof(self) -> int:
        """Degrees of freedom by which the law is tested: a parameter on its bound took none of them."""
        return int(self.curves.test_dof(self.estimates[:, None])[0])

    def tidy(self) -> pd.DataFrame:
        """Return a row per parameter: term, unit, estimate, std_error, low, high, at_bound, reason."""
        return self._tidy.copy()

    @functools.cached_property
    def _tidy(self):
        errors = self.curves.standard_errors(self.estimates[:, None], self.residual_sd)[:, 0]
        if self.interval == "none" or not np.isfinite(self.residual_sd):
            low, high = np.full((2, len(self.estimates)), np.nan)
        elif self.interval == "wald":
            low, high = wald_intervals(self.curves, self.estimates[:, None], self._threshold)[:, :, 0]
        else:
            low, high = self._profile[0][:, :, 0]
        if self._between_models is not None:
            other = self._between_models.tidy()
            low, high = np.minimum(low, other["low"].to_numpy()), np.maximum(high, other["high"].to_numpy())
        reasons = [summary.why_interval_is_unknown(self, k, low[k], high[k]) for k in range(len(errors))]
        units = [self.unit(param.unit) for param in self.law.params]
        parts = {"term": self.law.names, "unit": units, "estimate": self.estimates, "std_error": errors}
        return pd.DataFrame(parts | {"low": low, "high": high, "at_bound": self.on_bound, "reason": reasons})

    @functools.cached_property
    def _between_models(self):
        """The same law with noise that grows as the root of the value, where `error="auto"` took other noise, or None.

        Intervals hold those of it too, for residuals choose a wrong model now and then.
        """
        curves, chosen = self.curves, self.why_error_model and self.error_from == "residuals"
        if not chosen or curves.error == IN_PROPORTION or curves.power == BETWEEN or not (curves.y > 0).all():
            return None
        settings = {"fixed": curves.fixed, "error": "power", "bounded": curves.bounded, "power": BETWEEN}
        curves = Curves.from_points(self.law, curves.x, curves.y, **settings)
        params, squares, (converged,) = curves.solve(self.estimates[:, None])
        (residual_sd,), _ = curves.residual_sd(squares)
        if not converged or not np.isfinite(residual_sd):
            return None
        return replace(self, curves=curves, estimates=params[:, 0], residual_sd=float(residual_sd), why_error_model="")

    @property
    def sigma_given(self) -> bool:
        """Whether the noise is known from elsewhere than the residuals: given, or from the repeats behind means.

        Intervals then follow the normal law, or Student's with the degrees of freedom of the repeats.
        """
        return self.error_from in ("given", GIVEN_PER_POINT, FROM_REPEATS)

    @property
    def interval_dof(self) -> float:
        """Degrees of freedom of the intervals: of the residuals or the repeats, infinite where the noise is known."""
        if self.curves.repeats is not None:
            return float(self.curves.repeats.dof)
        return np.inf if self.sigma_given else float(self.dof)

    @property
    def y_err(self) -> np.ndarray | None:
        """The standard error of each point, given or from the repeats behind it; None without."""
        return 1 / self.curves.weights[:, 0] if self.curves.error == GIVEN_PER_POINT else None

    @functools.cached_property
    def refuted(self) -> str:
        """How the points refute the law if given errors do, in words; "" otherwise."""
        test, p = diagnostics.strongest_test(self) if self.y_err is not None else ("", np.nan)
        return summary.refutation_in_words(self, test, p) if p < 1 - self.level else ""

    @property
    def quantile(self) -> float:
        """How many standard errors an interval is wide on either side: Student's, or normal if sigma is given."""
        return float(np.sqrt(self.curves.profile_threshold(np.ones(1), self.level, sigma_given=self.sigma_given))[0])

    def glance(self) -> pd.DataFrame:
        """Return one row on the whole fit, each statistic as the function of its name in `diagnostics` has it.

        Returns
        -------
        DataFrame
            law, n, n_params (those fitted), dof, rmse, log_error, loo_log_error, f_test_p, aicc, error_test_p (whether
            the residuals contradict the error model: `residual_trend`), error_model (relative, constant, a power or
            given per point), error_from, level (of every interval), params_at_bound (their names), note (why the error
            model was chosen, or what contradicts it), reason (why a number is NaN).
        """
        statistics = self._statistics()
        row: dict[str, Any] = {"law": self.law.name, "n": len(self.points[0])}
        row |= {"n_params": int(self.curves.free.sum()), "dof": self.dof}
        if self.error_from == "rule":  # of points that follow a published rule no statistic has a meaning
            row |= dict.fromkeys(statistics, np.nan)
            reasons = [_RULE]
        else:
            row |= {name: value for name, (value, _) in statistics.items()}
            reasons = [why for value, why in statistics.values() if value != value]
        noise = self.curves.repeats or self.curves
        model = f"power {noise.power:g}" if noise.error == "power" else noise.error
        row |= {"error_model": model, "error_from": self.error_from, "level": self.level}
        row["params_at_bound"] = self.curves.names_on_bound(self.estimates[:, None])[0]
        return pd.DataFrame([row | {"note": self.note, "reason": summary.joined_reasons(reasons)}])

    def _statistics(self):
        """The statistics of `glance`, each with what is said where it is NaN."""
        (x, y), left_out = self.points, self.left_out_forecasts
        rows = self.curves.repeats and self.curves.repeats.rows
        untested = "means are not tested" if rows else "no two residual degrees of freedom, or errors that are known"
        return {
            "rmse": (self.curves.rmse(self.estimates[:, None])[0], "rmse: no residual degrees of freedom"),
            "log_error": (diagnostics.log_error(self.curve(x), y), "log_error: a value is not above zero"),
            "loo_log_error": (
                np.nan if left_out is None else diagnostics.log_error(left_out, y),
                "loo_log_error: without some point the others do not tell the parameters",
            ),
            "f_test_p": (diagnostics.nested_test(self), "f_test_p: no simpler law, or no error to judge by"),
            "aicc": (diagnostics.aicc(self), f"aicc: needs n > p + {'1' if self.sigma_given else '2 and a residual'}"),
            "error_test_p": (self.trend.p, f"error_test_p: {untested}"),
        }  # fmt: skip

    def augment(self) -> pd.DataFrame:
        """Return a row per point: x, y, fitted, residual. The index is that of the data; of means it counts from 0."""
        x, y = self.points
        fitted = self.curve(x)
        frame = pd.DataFrame({"x": x, "y": y, "fitted": fitted, "residual": y - fitted}, self.measured.index)
        frame.attrs[rendering.PRINTED] = {name: rendering.forms_of_given_numbers(frame[name]) for name in ("x", "y")}
        return frame

    def curve(self, x: NumbersLike) -> np.ndarray:
        """Return the fitted curve at some x, as an array."""
        return np.broadcast_to(self.law.function(np.asarray(x, float), *self.estimates), np.shape(x)).astype(float)

    def predict(self, x: NumbersLike) -> pd.DataFrame:
        """Return forecasts at the given x values, or at those of a frame's column.

        Returns
        -------
        DataFrame
            x, predicted, std_error (of the curve), mean_low, mean_high (of the curve), obs_low, obs_high (of a new
            observation; NaN where errors are given per point), extrapolated, reason (why a number is NaN, or an end
            tells nothing, as for `derive`). The interval of the curve is the profile of the forecast itself: the least
            and the greatest forecast of all parameters within the bounds whose sum of squares is at most
            ``squares + s² F(1, dof)``, s the residual standard deviation. That of an observation adds the scatter of
            the residuals. There is no forecast of a CPU utilization above 100 %, where an interval ends, nor below 0 of
            what is never negative. Where `x` is a frame or a Series, its index is that of `x`.

        Raises
        ------
        CannotFit
            When an x is not a number above zero; 0 has a meaning for some laws (`Law.at_zero`).
        """
        at = self._asked(x, self.x, "predict", "--at")
        key = at.tobytes()
        if key not in self._forecasts:
            while len(self._forecasts) >= _KEPT:
                self._forecasts.pop(next(iter(self._forecasts)))
            least = 0.0 if self.positive else -np.inf
            values, errors, low, high = self.quantity(self.law.function, at, (least, np.inf))
            noise = self.quantile * self.noise(values)  # of an observation, beside the error of the curve
            finite = np.where(np.isfinite(values), values, np.nan)  # about an infinite one there is no scatter
            obs_low, obs_high = finite - np.hypot(finite - low, noise), finite + np.hypot(high - finite, noise)
            beyond, below = values > self.most, values < least
            cut = ~beyond & ((high > self.most) | (obs_high > self.most))
            high, obs_high = np.minimum(high, self.most), np.minimum(obs_high, self.most)
            parts = values, errors, low, high, obs_low, obs_high
            values, errors, low, high, obs_low, obs_high = np.where(beyond | below, np.nan, parts)
            if self.positive:
                obs_low = np.where(obs_low == obs_low, np.maximum(obs_low, 0.0), np.nan)
            missing = np.select([beyond, below], [summary.SATURATED, _BELOW_ZERO], "the law has no value there")
            no_noise, reasons = _NO_NOISE * self._noise_is_unknown, []
            for *found, is_cut in zip(values, errors, low, high, missing.tolist(), cut.tolist(), strict=True):
                why = summary.why_quantity_is_unknown(self, *found, least=least)
                reasons.append(summary.joined_reasons((why, summary.ENDS_AT_MOST * is_cut, no_noise)))
            parts = (at, values, errors, low, high, obs_low, obs_high, self.outside(at), reasons)
            self._forecasts[key] = pd.DataFrame(dict(zip(_FORECAST, parts, strict=True)))
        return with_index_of(x, self._forecasts[key].copy())

    @functools.cached_property
    def _forecasts(self):
        """The last few forecasts: a picture in two sizes and the words beside it ask for the same ones."""
        return {}

    def outside(self, x: float | np.ndarray) -> np.ndarray:
        """Return whether each x lies before the first point or behind the last."""
        points = self.points[0]
        return (x < points.min()) | (x > points.max())

    def noise(self, values: NumbersLike) -> np.ndarray:
        """Return the standard deviation of an observation where the curve has these values; NaN if nobody gave it."""
        if self._noise_is_unknown:
            return np.full(np.shape(values), np.nan)
        repeats = self.curves.repeats
        sd, power = (repeats.sd, repeats.power) if repeats else (self.residual_sd, self.curves.power)
        with np.errstate(invalid="ignore"):  # a value below zero has no power
            return sd * np.asarray(values, float) ** power

    @property
    def _noise_is_unknown(self):
        """Whether errors were given with the points alone, so that nobody knows that of a new observation."""
        return self.error_from == GIVEN_PER_POINT or self.curves.error == IN_PROPORTION

    @functools.cached_property
    def trend(self) -> diagnostics.Trend:
        """Whether residuals contradict the error model; untested where others tell the size of the noise."""
        if self.error_from not in ("residuals", "given"):
            return diagnostics.UNTESTED
        return diagnostics.residual_trend(self.curves, self.estimates)

    @property
    def note(self) -> str:
        """How many rows were left out, why `fit` chose the error model, what means are of, what contradicts the model.

        It is "" without any.
        """
        why = self.why_error_model and f"error model: {self.why_error_model}"
        left_out = summary.rows_left_out_in_words(self.source)
        noise = why, summary.rows_behind_means_in_words(self), summary.contradicted_error_model_in_words(self)
        return "; ".join(filter(None, (left_out, *noise)))

    @property
    def relative(self) -> bool:
        """Whether errors grow in proportion to y."""
        return self.curves.error == "relative"

    @property
    def positive(self) -> bool:
        """Whether no y lies below zero, as users, seconds and dollars do not; of a plain function nothing is known."""
        return self.curves.power > 0 or self.law.positive

    @property
    def most(self) -> float:
        """What y can be at most: 1 of a law of shares, all of a processor of its utilization; else infinity."""
        return 1.0 if self.law.y_unit == "1" else most_of_column(self.y, self.points[1])

    def quantity(
        self, function: Callable, at: np.ndarray, edges: tuple[float, float] = (-np.inf, np.inf)
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Return ``function(at, *params)`` at the estimates: values, standard errors, low and high ends.

        The function takes arrays and complex parameters, as a law does; the quantity is known to lie between the
        `edges`. The standard error is that of the delta method, ``sqrt(g' C g)`` with g the derivatives by the
        parameters and C their covariance; NaN where no parameter inside its bounds moves the quantity, or one that no
        point determines does. The ends are made as the fit's `interval` says. All are NaN where the value is, or where
        there is no residual standard deviation to judge by.
        """
        best, count = self.estimates[:, None], len(at)
        with np.errstate(all="ignore"):
            values = np.broadcast_to(np.real(function(at, *best)), count).astype(float)
            slope = np.broadcast_to(gradient(functools.partial(function, at), list(best)), (len(self.estimates), count))
            slope = np.where(self.curves.inside(best), slope, 0.0)
        errors = np.sqrt(np.maximum(np.einsum("pt,pq,qt->t", slope, self.covariance, slope), 0.0))
        moved = slope != 0
        known = moved.any(axis=0) & ~(moved & self.undetermined[:, None]).any(axis=0)
        errors = np.where(known & np.isfinite(values) & np.isfinite(self.residual_sd), errors, np.nan)
        if self.interval == "none" or not np.isfinite(self.residual_sd):
            low = high = np.full(count, np.nan)
        elif self.interval == "wald":
            half = errors * self.quantile
            low, high = np.clip([values - half, values + half], *edges)
        else:
            low, high = self._region.extremes(function, at, edges)
            low, high = np.where(low <= high, (low, high), np.nan)
        if self._between_models is not None:
            *_, other_low, other_high = self._between_models.quantity(function, at, edges)
            low, high = np.minimum(low, other_low), np.maximum(high, other_high)
        return values, errors, *np.where(np.isnan(values), np.nan, (low, high))

    @functools.cached_property
    def _region(self):
        """The parameters that the points allow, at the fit's level."""
        furthest = self._profile[1].reshape(-1, len(self.estimates)).T
        curves, squares = self._rows_of_one_x_together
        return ConfidenceRegion(curves, self.estimates[:, None], squares, self._threshold[0], furthest)

    @functools.cached_property
    def _rows_of_one_x_together(self):
        """Curves, and their sum of squares, that rise as those of all rows do: of many rows the mean at each x.

        The rows of one x add ``sum(w^2) (f - mean)^2`` to it, with w the weights of the mean, and a constant.
        """
        x, y, weights = self.curves.x[:, 0], self.curves.y[:, 0], self.curves.weights[:, 0] ** 2
        different, group = np.unique(x, return_inverse=True)
        if type(self.curves) is not Curves or len(x) < _ROWS_ADDED_UP_FROM or 2 * len(different) > len(x):
            return self.curves, self.squares
        total = np.bincount(group, weights)
        means = np.bincount(group, weights * y) / total
        curves = replace(self.curves, x=different[:, None], y=means[:, None], weights=np.sqrt(total)[:, None])
        return curves, float(np.sum(curves.residuals(self.estimates[:, None]) ** 2))

    @functools.cached_property
    def _profile(self):
        """The ends of the parameters, and all parameters there."""
        curves, squares = self._rows_of_one_x_together
        return profile_intervals(curves, self.estimates[:, None], self._threshold, np.array([squares]))

    def at_levels(self, levels: Sequence[float]) -> list[Self]:
        """Return the same fit at each of several levels, the ends of its parameters sought for all of them at once."""
        fits = [replace(self, level=level) for level in levels]
        if self.interval == "profile" and np.isfinite(self.residual_sd):
            curves, squares = self._rows_of_one_x_together
            params = np.repeat(self.estimates[:, None], len(fits), axis=1)
            thresholds = np.concatenate([each._threshold for each in fits])
            curves, squares = curves.take(np.zeros(len(fits), int)), np.full(len(fits), squares)
            ends, furthest = profile_intervals(curves, params, thresholds, squares)
            for k, each in enumerate(fits):
                each.__dict__["_profile"] = ends[..., [k]], furthest[..., [k]]
        return fits

    @property
    def _threshold(self):
        """How far the sum of squares may rise within an interval."""
        return self.curves.profile_threshold(np.array([self.residual_sd]), self.level, sigma_given=self.sigma_given)

    def derive(self, x: NumbersLike | None = None) -> pd.DataFrame:
        """Return what follows from the parameters: peak, limit, efficiency...: whatever the law's record lists.

        `x` says where to ask for quantities of a point of the curve; by default at the largest x of the points.

        Returns
        -------
        DataFrame
            term, unit, x (NaN for a quantity of the whole curve), estimate, std_error, low, high, extrapolated (whether
            the x asked for, a peak or a limit lies outside the points; a peak's capacity as its load), reason.
            An end that the points do not give is infinite, or 0 where nothing lies below; the reason then says
            "one-sided", or "flat" where they give neither.

        Notes
        -----
        The intervals take the law for the true one. Of 697 simulated curves of the universal scalability law they held
        the load of its peak in 97 %; of curves of closed queues whose throughput falls in another way in 79 %, and with
        y_err in 62 % of those not refuted. `node_count` needs no law for the highest throughput.
        """
        at_x = self._asked(self.points[0].max() if x is None else x, self.x, "derive", "--at")
        rows = []
        for quantity in self.law.derived:
            at, function = at_x, quantity.function
            if not quantity.at_x:
                at, function = np.full(1, np.nan), lambda _, *params, of=quantity.function: of(*params)
            below = np.zeros(len(at), dtype=bool)
            if quantity.at_x and self.positive:  # a law below 0 has no efficiency
                below = self.curve(at) < 0
            found = np.where(below, np.nan, self.quantity(function, at))
            for x, is_below, value, error, low, high in zip(at, below, *found, strict=True):
                missing = _BELOW_ZERO if is_below else quantity.missing
                reason = summary.why_quantity_is_unknown(self, value, error, low, high, missing)
                place, axis = x, self.points[0]
                if quantity.place is not None:
                    place = np.real(quantity.place(*self.estimates))
                elif np.isnan(x):  # a peak lies on the axis of x, a limit on that of y
                    place, axis = value, self.points[1 if quantity.unit == "{y}" else 0]
                outside = bool(place < axis.min() or place > axis.max())
                rows.append((quantity.name, self.unit(quantity.unit), x, value, error, low, high, outside, reason))
        return pd.DataFrame(rows, columns=list(_DERIVED)).astype(_DERIVED)  # of a law without any, too

    def inverse(self, y: NumbersLike) -> pd.DataFrame:
        """Return the x at which the curve reaches each y, with the profile interval of that x (Fieller's, for a line).

        Columns: y, estimate (in the unit of x), std_error, low, high, extrapolated, reason ("one-sided" or "flat" as
        for `derive`: where the curve may never reach that y, the upper end is infinite). There is no x for a CPU
        utilization above 100 %, nor where the curve has that y below an x of 0 alone. `CannotFit` where the law has no
        inverse, or a y is no number.
        """
        if self.law.inverse is None:
            remedy = "Forecast with predict() at several x instead."
            raise CannotFit(f"inverse of {self.law.name}", expected="a law with one", found="none", remedy=remedy)
        at, x = self._asked(y, self.y, "inverse", "--inverse"), self.points[0]
        with np.errstate(all="ignore"):
            there, further = (self.law.inverse(at * factor, *self.estimates) for factor in (1, 1 + 1e-6))
        rising, middle = not np.any(further < there), np.median(x)

        def inverse(y, *params):
            """The x; where the curve reaches a y at none, that lies beyond all x, or before the first."""
            at_y = self.law.inverse(y, *params)
            short = np.real(self.law.function(middle, *params)) < y
            return np.where(np.isnan(np.real(at_y)), np.where(short == rising, np.inf, 0.0), at_y)

        beyond, below = at > self.most, self.law.positive & (there < 0)
        found = ~(np.isnan(there) | beyond | below)
        values, errors, low, high = quantity = np.full((4, len(at)), np.nan)
        quantity[:, found] = self.quantity(inverse, at[found], (0.0, np.inf))
        outside = ~((values >= x.min()) & (values <= x.max()))
        missing = [
            summary.SATURATED if is_beyond else f"the fitted curve never reaches {rendering.number(y)}{above}"
            for y, is_beyond, above in zip(at, beyond, np.where(below, " above 0", ""), strict=True)
        ]
        found_there = zip(values, errors, low, high, missing, strict=True)
        reasons = [summary.why_quantity_is_unknown(self, *each, 0.0) for each in found_there]
        parts = {"y": at, "estimate": values, "std_error": errors, "low": low, "high": high}
        return pd.DataFrame(parts | {"extrapolated": outside, "reason": reasons})

    def _asked(self, values, name, method, option):
        """Values of an axis that a method was asked for, as numbers."""
        where = spelling(f"{method} of {self.law.name}", option)
        zero = self.law.at_zero and method == "predict"
        return axis_values(values, name, where, positive=self.law.positive, zero=zero)

    label = summary.axis_label_of_fit

    def unit(self, template: str) -> str:
        """Return a unit of the law with the units of the axes put in."""
        units = [(name, tables.units().get(name, name)) for name in (self.x, self.y)]
        x, y = (name if unit == "axis" else unit for name, unit in units)  # columns called x and y have no unit
        return template.format(x=x, y=y).removesuffix("/1")

    def _page_tables(self):
        return self.tidy(), self.glance()

    def _repr_html_(self):
        from dominoperf.figures import small  # drawn only where it is shown

        words, end, frames = super()._repr_html_().partition("</p>")
        return f"{words}{end}{small(self)}{frames}"

    headline = summary.fit_headline
    describe = summary.describe_term
    describe_forecast = summary.describe_forecast
    describe_inverse = summary.describe_inverse
