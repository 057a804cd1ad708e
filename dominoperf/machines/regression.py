"""Several factors at once: ordinary least squares on logarithms by statsmodels; its terms, quality and predictions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from dominoperf import tables
from dominoperf.errors import BadTable, CannotFit, UnknownName, as_python, as_typed, check_level, names_its_keywords
from dominoperf.machines.censoring import why_no_capacity
from dominoperf.machines.cpu_per_user import COST, PROPORTIONAL
from dominoperf.machines.design_matrix import DesignMatrix
from dominoperf.machines.levels import benchmark_runs, level_of_printed_cell, run_names, texts_of_column
from dominoperf.tables import carried_errata, folders
from dominoperf.tables.columns import check_columns, column_names
from dominoperf.tables.reading import as_numbers
from dominoperf.tables.rendering import Result, coverage, is_number_dtype, number

NO_RANKING = (
    "Platforms are not ranked: each was tested on other hardware, so a ratio between two of them is one between whole"
    " systems."
)
"""What is said beside a model that has the platform among its factors."""
_PLATFORM = "operating_system"
_SOFTWARE = ("operating_system", "workload", "domino_release")
_FULL = 1e-8  # a leverage this near to 1 is 1
_EXACT = 1e-12  # a residual logarithm below this is the arithmetic's
_FORECAST = {
    "predicted": "mean", "std_error": "mean_se", "mean_low": "mean_ci_lower", "mean_high": "mean_ci_upper",
    "obs_low": "obs_ci_lower", "obs_high": "obs_ci_upper",
}  # fmt: skip


@dataclass(frozen=True)
class Response:
    """What a model explains: its column, the columns it is computed from, the factors by default."""

    name: str
    column: str
    needs: tuple[str, ...]
    factors: tuple[str, ...]
    is_capacity: bool


RESPONSES = {
    "users": Response("users", "users", ("users",), ("clock_mhz", "l2_kb", "processors", "ram_mb", *_SOFTWARE), True),
    "cpu_per_user": Response("cpu_per_user", COST, ("users", "cpu_utilization_percent"), _SOFTWARE, False),
}
"""What `factor_model` can explain, by name."""


@names_its_keywords()
def factor_model(
    response: str = "users",
    factors: Sequence[str] | str | None = None,
    data: pd.DataFrame | None = None,
    *,
    where: Mapping | None = None,
    level: float = 0.95,
    robust: str = "HC3",
) -> "FactorModel":
    """Return a model that explains a response by several factors at once: least squares on logarithms.

    ``ln y = a + sum p_i ln(x_i / centre_i) + sum b_jk [category j has level k]``: the p are exponents, the exp(b)
    ratios to a baseline. Errors are HC3 (MacKinnon and White 1985) with the t distribution. A row with leverage 1
    makes those meaningless; then the classical ones are given and the row is named. The baseline of a category is its
    most frequent level, of several the first by name.

    Parameters
    ----------
    response : {"users", "cpu_per_user"}
        Users (a capacity), or percent of the machine's CPU per 1,000 users. As a capacity no row enters whose
        load the drivers or a choice set (`censored`), and none of a document that ``data/limits.toml`` excludes.
    factors : sequence of str, optional
        Columns; by default of users clock_mhz, l2_kb, processors, ram_mb, operating_system, workload, domino_release,
        of CPU per user the last three. Printed texts are read into families first: platform, first two numbers of the
        release.
    data : DataFrame, optional
        Rows in the columns of `benchmarks`; by default those. In a frame of your own a column `limited_by` marks the
        censored rows.
    where : dict, optional
        Column to the value, or the list of values, that its rows must have.
    level : float
        Coverage of the intervals.
    robust : {"HC3", "none"}
        Kind of the errors; "none" asks for the classical ones.

    Returns
    -------
    FactorModel

    Raises
    ------
    CannotFit
        With fewer than two complete rows, a value not above zero, no factor or a level that cannot be.
    UnknownName
        When the response, a factor or a column does not exist.
    BadTable
        When a numeric column holds text.

    Examples
    --------
    Twice the processors, and a workload that costs more:

    >>> rows = pd.DataFrame({
    ...     "users": [1000, 1900, 3500, 410, 770, 1400],
    ...     "processors": [1, 2, 4, 1, 2, 4],
    ...     "workload": ["mail"] * 3 + ["calendar"] * 3,
    ... })
    >>> model = factor_model("users", ["processors", "workload"], rows)
    >>> model.tidy()[["term", "estimate", "low", "high"]].round(2)
                 term  estimate     low    high
    0       intercept    761.73  736.14  788.20
    1      processors      0.89    0.85    0.94
    2  workload[mail]      2.47    2.35    2.59
    """
    check_level(level, "factor_model")
    if robust not in ("HC3", "none"):
        raise UnknownName.among("robust", robust, ("HC3", "none"))
    if response not in list(RESPONSES):
        raise UnknownName.among("response", response, RESPONSES)
    wanted = RESPONSES[response]
    factors = wanted.factors if factors is None else tuple(column_names(factors, "factor_model(factors=...)"))
    if where is not None and not isinstance(where, Mapping):
        expected, remedy = "a dict of column to value", "Give a dict, or leave it out."
        raise BadTable("factor_model(where=...)", expected=expected, found=as_python(where), remedy=remedy)
    response_columns = {wanted.column, *wanted.needs} & set(factors)
    if not factors or response_columns or len(set(factors)) < len(factors):
        found = f"{', '.join(response_columns)}, the response itself" if response_columns else as_python(factors)
        remedy = f"Choose among {', '.join(wanted.factors)}, or other columns of the rows."
        raise CannotFit("factor_model(factors=...)", expected="different factors", found=found, remedy=remedy)
    rows, dropped, index = gather_model_rows(wanted, factors, data, where)
    design = DesignMatrix(rows, factors, frozenset(name for name in factors if is_numeric_factor(rows, name)))

    from statsmodels.regression.linear_model import OLS  # of statsmodels.api the rest takes a second to load

    logs = np.log(rows[wanted.column].astype(float))
    model = OLS(logs, design.estimated)
    results, errors, reason = model.fit(method="qr"), "", ""
    if len(logs) <= design.estimated.shape[1]:
        reason = "as many terms as rows: no residual degree of freedom"
    elif np.sqrt(np.mean(results.resid**2)) < _EXACT * max(1.0, logs.abs().max()):
        reason = "the model passes through every row"
    elif robust == "none":
        errors = "none"
    elif len(full := rows["run"][results.get_influence().hat_matrix_diag > 1 - _FULL]):
        errors, reason = "none", f"not robust: leverage 1 of {', '.join(full)}"
    else:
        results, errors = model.fit(method="qr", cov_type="HC3", use_t=True), "HC3"
    return FactorModel(wanted, design, dropped, results, errors, reason, level, index)


@carried_errata.carries_errata("tidy", "glance", "augment", "predict", "confounding")
@dataclass(frozen=True, eq=False)
class FactorModel(Result):
    """A fitted factor model. `tidy`, `glance`, `augment`, `predict` and `confounding` return plain frames."""

    response: Response
    design: DesignMatrix
    dropped: pd.DataFrame  # run and reason of the rows left out
    results: Any  # of statsmodels, on the logarithmic scale, over the terms that are estimated
    errors: str  # "HC3", "none" for classical ones, "" where no error can be told
    reason: str  # why the errors are not robust, or unknown
    level: float
    index: pd.Index  # of the rows in the data

    @property
    def rows(self) -> pd.DataFrame:
        """The rows of the model: run, source, the response and the factors."""
        return self.design.rows

    @property
    def errata(self) -> tuple:
        """The errata that touch the rows."""
        return carried_errata.errata_of(self.rows)

    def tidy(self) -> pd.DataFrame:
        """Return a row per term: term, unit, estimate, std_error, low, high, vif, baseline, reason.

        The intercept is the response at every baseline and at the geometric mean of every number. A number's estimate
        is its exponent; a level's is its ratio to the baseline. Standard errors are on the scale of the estimate.
        """
        terms = pd.Index(self.design.columns.columns, name="term")
        cells = pd.DataFrame(np.nan, index=terms, columns=["estimate", "std_error", "low", "high"])
        cells["estimate"] = self.results.params
        if self.errors:
            cells["std_error"], ends = self.results.bse, self.results.conf_int(1 - self.level)
            cells["low"], cells["high"] = ends[0], ends[1]
        raised = ~terms.isin(self.design.numbers)
        cells.loc[raised, ["estimate", "low", "high"]] = np.exp(cells.loc[raised, ["estimate", "low", "high"]])
        cells.loc[raised, "std_error"] *= cells.loc[raised, "estimate"]
        reasons = []
        for term in terms:
            if term in self.design.aliases:
                others = ", ".join(self.design.partners(term))
                reasons.append(
                    f"aliased with {others}" if others else "takes one value only: no different from the intercept"
                )
                continue
            also = [other for other in self.design.aliases if term in self.design.partners(other)]
            parts = [] if self.errors else [self.reason]
            parts += [f"stands also for what {', '.join(also)} would explain"] if also else []
            reasons.append("; ".join(parts))
        factors, inflation = self.design.factor_of, self.design.inflation()
        table = cells.assign(
            unit=["1" if term in factors else tables.units()[self.response.column] for term in terms],
            vif=[
                np.nan if term in self.design.aliases else inflation.get(factors.get(term, ""), np.nan)
                for term in terms
            ],
            baseline=[self.design.baseline(term) for term in terms],
            reason=reasons,
        ).reset_index()
        return table[["term", "unit", *cells.columns, "vif", "baseline", "reason"]]

    def glance(self) -> pd.DataFrame:
        """Return one row on the whole model: counts, log_rmse, r_squared, kind of errors, condition number, reason."""
        varies = self.rows[self.response.column].nunique() > 1
        row = {
            "response": self.response.name,
            "n": len(self.rows),
            "n_params": len(self.results.params),
            "dof": self.dof,
            "log_rmse": np.sqrt(self.results.scale) if self.dof else np.nan,
            "r_squared": self.results.rsquared if self.dof and varies else np.nan,
            "robust": self.errors or "none",
            "condition_number": self.design.condition(),
            "reason": self.reason,
        }
        return pd.DataFrame([row])

    def augment(self) -> pd.DataFrame:
        """Return a row per run: run, observed, fitted, residual (their difference), log_residual, leverage.

        The index is that of the data.
        """
        observed, residuals = self.rows[self.response.column].astype(float), self.results.resid
        fitted = observed / np.exp(residuals)
        cells = {"run": self.rows["run"], "observed": observed, "fitted": fitted, "residual": observed - fitted}
        cells |= {"log_residual": residuals, "leverage": self._leverage(self.design.estimated)}
        return pd.DataFrame(cells).set_axis(self.index)

    def _leverage(self, columns):
        """The diagonal of ``X (X'X)^-1 X'``, of the model's own rows or of others."""
        return np.einsum("ij,jk,ik->i", columns, self.results.normalized_cov_params, columns)

    def predict(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return forecasts for the rows of a frame with a column per factor.

        Returns
        -------
        DataFrame
            A column per factor; predicted (the median), std_error, mean_low, mean_high (of the median), obs_low,
            obs_high (of a new run), extrapolated, reason; the index is that of the frame. A level that no row has is
            refused: NaN.

        Raises
        ------
        UnknownName, BadTable
            When the frame lacks a factor; when a numeric factor holds text.
        """
        names = self.design.factors
        check_columns(frame, names, "predict(frame)", hint=f"The model's factors are {', '.join(names)}.")
        rows = {name: cells_of_factor(frame, name, "predict(frame)") for name in names}
        rows = pd.DataFrame(rows).reset_index(drop=True)
        coded = self.design.code(rows)
        columns, determined = coded[self.design.estimated.columns], self.design.determined(coded)
        if self.errors:
            forecasts = self.results.get_prediction(columns).summary_frame(alpha=1 - self.level)
        else:
            forecasts = pd.DataFrame({"mean": columns @ self.results.params}, columns.index)
        forecasts = forecasts.reindex(columns=list(_FORECAST.values())).set_axis(list(_FORECAST), axis=1)
        ends = forecasts.columns.drop("std_error")
        forecasts[ends] = np.exp(forecasts[ends])
        forecasts["std_error"] *= forecasts["predicted"]
        leverage = self._leverage(columns)
        is_far = leverage > self._leverage(self.design.estimated).max() * (1 + 1e-9)
        reasons, extrapolated = [], []
        for at, row in enumerate(rows.to_dict("records")):
            refused, beyond = [], []
            for name, value in row.items():
                if name not in self.design.numbers:
                    if value not in self.design.levels[name]:
                        known = ", ".join(self.design.levels[name])
                        refused.append(f"no row has {name} {as_python(value)}; known are {known}")
                elif not value > 0:
                    refused.append(f"no {name} above zero")
                else:
                    low, high = self.rows[name].min(), self.rows[name].max()
                    if not low * (1 - 1e-12) <= value <= high * (1 + 1e-12):
                        beyond.append(f"{name} {value:g} is outside {low:g} to {high:g}")
            if not refused and not determined[at]:
                refused = ["differs in terms that the rows cannot tell apart"]
            if not beyond and is_far[at]:
                beyond = ["no row has factors in such a combination"]
            if refused:
                forecasts.iloc[at] = np.nan
            unknown = [] if self.errors else filter(None, [self.reason])
            reasons.append("; ".join(refused or [*beyond, *unknown]))
            extrapolated.append(bool(refused or beyond))
        return rows.join(forecasts).assign(extrapolated=extrapolated, reason=reasons).set_axis(frame.index)

    def confounding(self) -> pd.DataFrame:
        """Return what is confounded with what: term, confounded_with, confounding, reason."""
        return self.design.confounding()

    def headline(self) -> str:
        """Return a few sentences: what was fitted to what, which rows are missing, what to beware of."""
        explained = tables.label(self.response.column, tables.user_of(self.rows))
        what = f"ln({explained}) on {', '.join(self.design.factors)}"
        of, terms = len(self.rows) + len(self.dropped), len(self.results.params)
        parts = [f"Least squares of {what}: {len(self.rows)} of {of} rows, {terms} terms, {self.dof} dof."]
        if len(self.dropped):
            counts = self.dropped["reason"].value_counts()
            parts.append(f"Left out: {'; '.join(f'{count} ({reason})' for reason, count in counts.items())}.")
        if not self.errors:
            parts.append(f"No errors: {self.reason}.")
        else:
            kind = "classical" if self.errors == "none" else self.errors
            parts.append(f"Errors: {kind} ({self.reason})." if self.reason else f"Errors: {kind}.")
        parts += [NO_RANKING] if _PLATFORM in self.design.factors else []
        parts += [PROPORTIONAL] if not self.response.is_capacity else []
        return " ".join(parts)

    def describe(self, term: str, *, named: bool = True) -> str:
        """Return a term with its interval in words; a platform's with the reason why it is no rank.

        With `named=False`, without the name in front: for a sentence that has said what it is.

        Raises
        ------
        UnknownName
            When there is no such term. Asked for all platforms at once, which would be a ranking, it says why not.
        """
        if term == _PLATFORM:
            return NO_RANKING
        tidy = self.tidy().set_index("term")
        if term not in tidy.index:
            raise UnknownName.among("term", term, tidy.index)
        row = tidy.loc[term]
        if np.isnan(row["estimate"]):
            return f"{term}: not known ({row['reason']})" if named else f"not known ({row['reason']})"
        ends = f"no interval: {row['reason']}"
        if not np.isnan(row["low"]):
            ends = f"{coverage(self.level)} interval {number(row['low'], 3)} to {number(row['high'], 3)}"
        against = f" times that of {row['baseline']}" if row["baseline"] else ""
        name = f"{term} " if named else ""
        sentence = f"{name}{number(row['estimate'], 3)}{against} ({ends})"
        return f"{sentence}. {NO_RANKING}" if self.design.factor_of.get(term) == _PLATFORM else sentence

    @property
    def dof(self) -> int:
        """Residual degrees of freedom."""
        return len(self.rows) - len(self.results.params)

    def _tables(self):
        return self.tidy(), self.glance(), self.confounding()


def gather_model_rows(
    response: Response, factors: tuple[str, ...], data: pd.DataFrame | None, where: Mapping | None
) -> tuple[pd.DataFrame, pd.DataFrame, pd.Index]:
    """Return the rows of a model, run and reason of those left out, and the index of the rows in the data.

    The rows have run, source (the document, "" where it is not told), the response's column and the factors, with
    levels in place of printed texts. Errors are those of `factor_model`.
    """
    place = "factor_model(data=...)"
    frame = benchmark_runs(data, (*response.needs, *factors, *(where or {})), "factor_model")
    for name, wanted in (where or {}).items():
        for value in folders.setting_as_list(wanted):
            if not (frame[name] == value).any():
                known = [*dict.fromkeys(map(str, frame[name].dropna()))]
                listing = f"Values are {', '.join(known)}."
                raise UnknownName.among(f"factor_model(where=...), {name}", value, known, listing)
        frame = frame[frame[name].isin(folders.setting_as_list(wanted))]
    index, frame = frame.index, frame.reset_index(drop=True)
    cells = pd.DataFrame(
        {"run": frame["run"], "source": texts_of_column(frame, "source")}
        | {name: cells_of_factor(frame, name, place) for name in factors}
    )
    needed = {name: cells_of_factor(frame, name, place) for name in response.needs}
    if response.is_capacity:
        cells[response.column] = needed["users"]
        reasons = why_no_capacity(frame, cells, data is None)
    else:  # without users there is no cost of one: unknown, not infinite
        costs = needed["cpu_utilization_percent"] / needed["users"] * 1000
        cells[response.column] = costs.where(needed["users"] != 0)
        reasons = pd.Series("", cells.index, dtype=object)
    missing = cells[[response.column, *factors]].rename(columns={response.column: response.name})
    missing = (missing.isna() | (missing == "")).to_dict("records")
    incomplete = [f"no {', '.join(name for name in row if row[name])}" if any(row.values()) else "" for row in missing]
    reasons = reasons.where(reasons != "", pd.Series(incomplete, cells.index, dtype=object))
    kept = (reasons == "").to_numpy()
    rows = cells[kept].reset_index(drop=True)
    carried_errata.propagate_errata(rows, carried_errata.columns_used(frame, *response.needs, *factors))
    if len(rows) < 2:
        expected = f"two or more rows with {response.name} and every factor"
        remedy = f"Name fewer factors, other rows, or add what is missing; {', '.join(factors)} were asked for."
        raise CannotFit(place, expected=expected, found=f"{len(rows)} of {len(frame)}", remedy=remedy)
    for column, values in rows[[response.column, *factors]].select_dtypes(np.number).items():
        if (values <= 0).any():
            at = (values <= 0).idxmax()
            of_run, expected = f"{place}, {rows['run'][at]}", f"{column} above zero"
            remedy = "A logarithm needs it; leave the row out."
            raise CannotFit(of_run, expected=expected, found=f"{values[at]:g}", remedy=remedy)
    dropped = pd.DataFrame({"run": cells["run"], "reason": reasons})[~kept].reset_index(drop=True)
    return rows, dropped, index[kept]


def is_numeric_factor(frame: pd.DataFrame, name: str) -> bool:
    """Return whether a factor is a number: by the vocabulary of columns, or else by its type."""
    return name in tables.units() or is_number_dtype(frame[name].dtype)


def cells_of_factor(frame: pd.DataFrame, name: str, place: str) -> pd.Series:
    """Return the cells of a factor: numbers, or the levels of printed texts."""
    if not is_numeric_factor(frame, name):
        return frame[name].map(lambda value: level_of_printed_cell(name, value), na_action=None).astype(object)
    numbers = as_numbers(frame[name]).astype(float)
    lost = np.isinf(numbers) | numbers.isna() & frame[name].notna() & frame[name].ne("")
    if lost.any():
        row, remedy = lost.to_numpy().argmax(), "Give the column as plain numbers."
        where = f"{place}, {run_names(frame).iloc[row]}, column {name}"
        raise BadTable(where, expected="a number", found=as_typed(frame[name].iloc[row]), remedy=remedy)
    return numbers
