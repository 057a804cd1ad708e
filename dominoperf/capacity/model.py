"""A fitted log-linear model: plain frames of its terms, its quality, its rows and its forecasts; what is confounded."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from scipy import special

from dominoperf import tables
from dominoperf.capacity.confounded import confounding
from dominoperf.capacity.demand import PROPORTIONAL
from dominoperf.capacity.design import Design, Number
from dominoperf.capacity.rows import Response, read_cells
from dominoperf.errors import UnknownName
from dominoperf.tables import doubts, rendering
from dominoperf.tables.rendering import number

NO_RANKING = (
    "Platforms are not ranked: each was tested on other hardware, so a ratio between two of them is one between whole"
    " systems."
)
"""What is said beside a model that has the platform among its factors."""
_PLATFORM = "operating_system"


@doubts.handing_on("tidy", "glance", "augment", "predict", "confounding")
@dataclass(frozen=True, eq=False)
class FactorModel:
    """A fitted factor model. `tidy`, `glance`, `augment`, `predict` and `confounding` give plain frames."""

    response: Response
    design: Design = field(repr=False)
    rows: pd.DataFrame = field(repr=False)
    dropped: pd.DataFrame = field(repr=False)  # run and reason of the rows left out
    params: np.ndarray  # of the kept terms, on the logarithmic scale
    covariance: np.ndarray = field(repr=False)  # NaN where no error can be told
    robust: str  # "HC3" or "none"
    reason: str  # why the errors are not robust, or unknown
    level: float

    @property
    def errata(self):
        """The errata that touch the rows."""
        return doubts.doubts(self.rows)

    def tidy(self):
        """Give a row per term: term, unit, estimate, std_error, low, high, vif, baseline, reason.

        The intercept is the response at every baseline and at the geometric mean of every number. A number's estimate
        is its exponent; a level's is its ratio to the baseline. Standard errors are on the scale of the estimate.
        """
        inflation, aliases = self.design.inflation(), self.design.aliases()
        rows = []
        for k, term in enumerate(self.design.terms):
            owner = self.design.owner(term)
            plain = isinstance(owner, Number)
            cells = self._estimate(k, plain) if term not in aliases else (np.nan,) * 4
            vif = inflation.get(owner.name, np.nan) if owner and term not in aliases else np.nan
            unit = "1" if owner else tables.units()[self.response.column]
            why = [_alias(aliases[term])] if term in aliases else [self.reason if np.isnan(cells[1]) else ""]
            also = [other for other, those in aliases.items() if term in those]
            why += [f"stands also for what {', '.join(also)} would explain"] if also else []
            rows.append((term, unit, *cells, vif, owner.baseline if owner else "", "; ".join(filter(None, why))))
        names = ["term", "unit", "estimate", "std_error", "low", "high", "vif", "baseline", "reason"]
        return pd.DataFrame(rows, columns=names)

    def glance(self):
        """Give one row on the whole model: counts, log_rmse, r_squared, kind of errors, condition number, reason."""
        logs = np.log(self.rows[self.response.column])
        total = float(np.sum((logs - logs.mean()) ** 2))
        square = float(np.sum(self._residuals() ** 2))
        row = {
            "response": self.response.name,
            "n": len(self.rows),
            "n_params": len(self.params),
            "dof": self.dof,
            "log_rmse": np.sqrt(square / self.dof) if self.dof else np.nan,
            "r_squared": 1 - square / total if self.dof and total > 0 else np.nan,
            "robust": self.robust,
            "condition_number": self.design.condition(),
            "reason": self.reason,
        }
        return pd.DataFrame([row])

    def augment(self):
        """Give a row per run: run, observed, fitted, residual (their difference), log_residual, leverage."""
        observed, residuals = self.rows[self.response.column].to_numpy(float), self._residuals()
        fitted = observed / np.exp(residuals)
        cells = {"run": self.rows["run"], "observed": observed, "fitted": fitted, "residual": observed - fitted}
        return pd.DataFrame(cells | {"log_residual": residuals, "leverage": self.design.leverage()})

    def predict(self, frame):
        """Forecast for the rows of a frame with a column per factor.

        Returns
        -------
        DataFrame
            A column per factor; predicted (the median), std_error, mean_low, mean_high (of the median), obs_low,
            obs_high (of a new run), extrapolated, reason. A level that no row has is refused: NaN.

        Raises
        ------
        UnknownName
            When the frame lacks a factor.
        BadTable
            When a numeric factor holds text.
        """
        asked = self._asked(frame)
        refused = [self._refused(row) for row in asked.to_dict("records")]
        coded = self.design.code(self._standing_in(asked, refused))
        told, leverage = self.design.estimable(coded), self.design.leverage(coded)
        rows = []
        for k, row in enumerate(asked.to_dict("records")):
            why = refused[k] or ("" if told[k] else "differs in terms that the rows cannot tell apart")
            beyond = self._beyond(row, leverage[k]) if not why else ""
            cells = self._forecast(coded[k, self.design.kept]) if not why else (np.nan,) * 6
            unknown = self.reason if not why and np.isnan(cells[1]) else ""
            rows.append((*row.values(), *cells, bool(why or beyond), "; ".join(filter(None, (why, beyond, unknown)))))
        names = ["predicted", "std_error", "mean_low", "mean_high", "obs_low", "obs_high", "extrapolated", "reason"]
        return pd.DataFrame(rows, columns=[*asked.columns, *names])

    def confounding(self):
        """Say what is confounded with what: term, confounded_with, kind, reason."""
        return confounding(self.design, self.rows)

    def headline(self):
        """Say in a few sentences what was fitted to what, which rows are missing and what to beware of."""
        explained = tables.label(self.response.column, tables.user_of(self.rows))
        what = f"ln({explained}) on {', '.join(f.name for f in self.design.factors)}"
        of = len(self.rows) + len(self.dropped)
        parts = [f"Least squares of {what}: {len(self.rows)} of {of} rows, {len(self.params)} terms, {self.dof} dof."]
        parts += [f"Left out: {self._left_out()}."] if len(self.dropped) else []
        parts.append(self._errors())
        if any(factor.name == _PLATFORM for factor in self.design.factors):
            parts.append(NO_RANKING)
        parts += [PROPORTIONAL] if not self.response.is_capacity else []
        return " ".join(parts)

    def _errors(self):
        if np.isnan(self.spread):
            return f"No errors: {self.reason}."
        kind = "classical" if self.robust == "none" else self.robust
        return f"Errors: {kind} ({self.reason})." if self.reason else f"Errors: {kind}."

    def say(self, term):
        """Say a term with its interval in words; a platform's with the reason why it is no rank.

        Raises
        ------
        UnknownName
            When there is no such term. Asked for all platforms at once, which would be a ranking, it says why not.
        """
        if term == _PLATFORM:
            return NO_RANKING
        tidy = self.tidy().set_index("term")
        if term not in tidy.index:
            raise UnknownName.among("term", term, tidy.index, f"Known are {', '.join(tidy.index)}.")
        row = tidy.loc[term]
        if np.isnan(row["estimate"]):
            return f"{term}: not known ({row['reason']})"
        ends = f"no interval: {row['reason']}"
        if not np.isnan(row["low"]):
            ends = f"{self.level:.0%} interval {number(row['low'], 3)} to {number(row['high'], 3)}"
        against = f" times that of {row['baseline']}" if row["baseline"] else ""
        said = f"{term} {number(row['estimate'], 3)}{against} ({ends})"
        return f"{said}. {NO_RANKING}" if term.startswith(f"{_PLATFORM}[") else said

    @property
    def dof(self):
        """Residual degrees of freedom."""
        return len(self.rows) - len(self.params)

    @property
    def spread(self):
        """Residual standard deviation of the logarithm; NaN where no error can be told."""
        known = np.isfinite(self.covariance).all()
        return float(np.sqrt(np.sum(self._residuals() ** 2) / self.dof)) if known else np.nan

    def __str__(self):
        """Lay the summary out for a terminal."""
        return rendering.as_report(self.headline(), self._tables())

    __repr__ = __str__

    def _repr_html_(self):
        return rendering.as_html_report(self.headline(), self._tables())

    def _tables(self):
        return self.tidy(), self.glance(), self.confounding()

    def _residuals(self):
        return np.log(self.rows[self.response.column].to_numpy(float)) - self.design.columns @ self.params

    def _estimate(self, k, plain):
        """Estimate, error and interval of a term: of a number as it is, else raised from the logarithm."""
        at = int(np.flatnonzero(self.design.kept == k)[0])
        value, error = self.params[at], np.sqrt(self.covariance[at, at])
        reach = self._quantile() * error
        if plain:
            return value, error, value - reach, value + reach
        return np.exp(value), np.exp(value) * error, np.exp(value - reach), np.exp(value + reach)

    def _quantile(self):
        return special.stdtrit(self.dof, (1 + self.level) / 2) if self.dof else np.nan

    def _forecast(self, row):
        value, error = float(row @ self.params), float(np.sqrt(row @ self.covariance @ row))
        near, far = self._quantile() * error, self._quantile() * np.hypot(error, self.spread)
        ends = np.exp([value - near, value + near, value - far, value + far])
        return np.exp(value), np.exp(value) * error, *ends

    def _asked(self, frame):
        factors = [factor.name for factor in self.design.factors]
        tables.check_columns(frame, factors, "predict(frame)", hint=f"The model's factors are {', '.join(factors)}.")
        cells = {name: read_cells(frame, name, "predict(frame)") for name in factors}
        return pd.DataFrame(cells).reset_index(drop=True)

    def _refused(self, row):
        """Why a row cannot be forecast; "" where it can."""
        parts = []
        for factor in self.design.factors:
            value = row[factor.name]
            if isinstance(factor, Number):
                parts += [] if value > 0 else [f"no {factor.name} above zero"]
            elif value not in factor.levels:
                parts.append(f"no row has {factor.name} {value!r}; known are {', '.join(factor.levels)}")
        return "; ".join(parts)

    def _standing_in(self, asked, refused):
        """The rows asked for, a row of the model's own in place of each that is refused."""
        # A level that no row has cannot be coded; what is forecast for the row in its place is not shown.
        own, bad = self.rows[list(asked)].iloc[[0] * len(asked)].set_axis(asked.index), np.array(refused, bool)
        return pd.DataFrame({name: own[name].where(bad, asked[name]) for name in asked})

    def _beyond(self, row, leverage):
        """How a row that can be forecast lies outside the model's rows; "" where it does not."""
        parts = [factor.outside(row[factor.name]) for factor in self.design.factors if isinstance(factor, Number)]
        far = leverage > self.design.leverage().max() * (1 + 1e-9)
        parts += ["no row has factors in such a combination"] if far and not any(parts) else []
        return "; ".join(filter(None, parts))

    def _left_out(self):
        """The reasons, each with how many rows it takes, the most frequent first."""
        return "; ".join(f"{count} ({reason})" for reason, count in self.dropped["reason"].value_counts().items())


def _alias(others):
    return f"aliased with {', '.join(others)}" if others else "takes one value only: no different from the intercept"
