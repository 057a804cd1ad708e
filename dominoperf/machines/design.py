"""The design matrix of a log-linear model: coded factors, aliased terms, variance inflation, confounding in words.

patsy writes the columns from a formula. What the rows cannot tell apart is found here.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

INTERCEPT = "intercept"
LARGE = 10.0
"""Variance inflation above which the effect of a factor is hardly told from that of the others."""
_ALIASED = 1e-8  # a column this near to the others, relative to its length, is one of them


@dataclass(frozen=True, eq=False)
class Design:
    """The columns of a log-linear model over its rows.

    Parameters
    ----------
    rows : DataFrame
        A column for each factor: numbers above zero, or texts.
    factors : tuple of str
        The factors in their order. Of terms that cannot be told apart the first is estimated.
    numbers : frozenset of str
        The factors that enter as the logarithm of a number, less its mean. Each other one is a category: a column of
        zeros and ones for each level but its baseline, the most frequent one, of several the first by name.
    """

    rows: pd.DataFrame
    factors: tuple[str, ...]
    numbers: frozenset[str]

    @cached_property
    def levels(self) -> dict[str, list[str]]:
        """The levels of each category, its baseline first."""
        counts = {name: self.rows[name].value_counts() for name in self.factors if name not in self.numbers}
        return {
            name: sorted(count.index, key=lambda level, count=count: (-count[level], str(level)))
            for name, count in counts.items()
        }

    @cached_property
    def factor_of(self) -> dict[str, str]:
        """The factor of each term but the intercept."""
        terms = {}
        for name in self.factors:
            terms |= {name: name} if name in self.numbers else {f"{name}[{at}]": name for at in self.levels[name][1:]}
        return terms

    def baseline(self, term: str) -> str:
        """Return the level that a term is set against; "" of a number and of the intercept."""
        return self.levels.get(self.factor_of.get(term), [""])[0]

    @cached_property
    def columns(self) -> pd.DataFrame:
        """The column of each term over the rows, intercept first."""
        return self._named_columns(self._matrix)

    def code(self, rows: pd.DataFrame) -> pd.DataFrame:
        """Return the columns of further rows; NaN in a row with a level or a number that cannot be coded."""
        import patsy

        cells = self._factor_cells(rows)
        (matrix,) = patsy.build_design_matrices([self._matrix.design_info], cells, return_type="dataframe")
        return self._named_columns(matrix).reindex(rows.index)

    @cached_property
    def _matrix(self):
        """The columns over the rows, in the order of patsy."""
        import patsy

        formula = " + ".join(self._formula(name) for name in self.factors)
        return patsy.dmatrix(formula, self._factor_cells(self.rows), return_type="dataframe")

    def _formula(self, name):
        """A factor as patsy writes it."""
        return f"center(np.log(Q({name!r})))" if name in self.numbers else f"C(Q({name!r}))"

    def _factor_cells(self, rows):
        """The factors as patsy takes them; what has no logarithm and what is no level is missing."""
        return pd.DataFrame(
            {
                name: rows[name].where(rows[name] > 0)
                if name in self.numbers
                else rows[name].where(rows[name].isin(self.levels[name])).astype(pd.CategoricalDtype(self.levels[name]))
                for name in self.factors
            }
        )

    def _named_columns(self, matrix):
        """The columns in the order of the factors, by the names of the terms; patsy puts categories first."""
        places = self._matrix.design_info.term_name_slices
        order = [0, *(at for name in self.factors for at in range(matrix.shape[1])[places[self._formula(name)]])]
        return matrix.iloc[:, order].set_axis([INTERCEPT, *self.factor_of], axis=1)

    @cached_property
    def aliases(self) -> dict[str, pd.Series]:
        """The terms that earlier ones imply, each with the weights that make it up of those."""
        independent, aliased = [], {}
        for term, column in self.columns.items():
            basis = self.columns[independent].to_numpy()
            weights = np.linalg.lstsq(basis, column, rcond=None)[0] if independent else np.zeros(0)
            # A constant factor is coded as zeros but for the arithmetic of its mean.
            if np.linalg.norm(column - basis @ weights) > _ALIASED * max(np.linalg.norm(column), 1e-3):
                independent.append(term)
            else:
                aliased[term] = pd.Series(weights, independent.copy())
        return aliased

    def partners(self, term: str) -> list[str]:
        """Return the terms that an aliased one is confounded with; none if it takes only one value."""
        weights = self.aliases[term].drop(INTERCEPT)
        return weights.index[weights.abs() > 1e-6].tolist()

    @property
    def estimated(self) -> pd.DataFrame:
        """The columns whose coefficients the rows determine."""
        return self.columns.drop(columns=list(self.aliases))

    def determined(self, coded: pd.DataFrame) -> pd.Series:
        """Return for coded rows whether every aliased term keeps to what it is aliased with."""
        determined = pd.Series(True, index=coded.index)
        for term, weights in self.aliases.items():
            determined &= np.isclose(coded[weights.index] @ weights, coded[term], rtol=1e-6, atol=1e-6)
        return determined

    def condition(self) -> float:
        """Return the condition number of the estimated columns, each of length 1 (Belsley, Kuh and Welsch 1980)."""
        columns = self.estimated.to_numpy()
        return float(np.linalg.cond(columns / np.linalg.norm(columns, axis=0)))

    def inflation(self) -> dict[str, float]:
        """Return the generalised variance inflation of each factor with estimated terms (Fox and Monette 1992).

        ``(det A det B / det C)^(1 / terms)``, of the correlations of its own columns, of all others and of both. Of
        a factor with one column it is ``1 / (1 - R^2)``, the `variance_inflation_factor` of statsmodels; that one
        depends on the baseline where a category has several columns.
        """
        columns = self.estimated.drop(columns=INTERCEPT)
        if columns.empty:
            return {}
        shared = np.atleast_2d(np.corrcoef(columns.to_numpy(), rowvar=False))
        owners = np.array([self.factor_of[term] for term in columns])
        inflation = {}
        for name in dict.fromkeys(owners.tolist()):
            mine = owners == name
            apart = np.linalg.det(shared[np.ix_(mine, mine)]) * np.linalg.det(shared[np.ix_(~mine, ~mine)])
            inflation[name] = float((apart / np.linalg.det(shared)) ** (1 / mine.sum()))
        return inflation

    def without(self, name: str) -> "Design":
        """Return the design without one factor."""
        return Design(self.rows, tuple(factor for factor in self.factors if factor != name), self.numbers)


def confounding(design: Design) -> pd.DataFrame:
    """Return what is confounded: aliased terms, inflated variances, levels that meet one value of another factor.

    Parameters
    ----------
    design : Design
        Over rows with the columns run and source besides the factors.

    Returns
    -------
    DataFrame
        term, confounded_with, confounding ("aliased", "one value", "source", "inflated", "one row" or "one
        surrounding"), reason. "source" is a factor that has a single value in each document: it may stand for anything
        else in which the documents' vendors and laboratories differ, and no inflation of variances shows it, for no
        term is a vendor.
    """
    rows = []
    for term in design.aliases:
        if others := design.partners(term):
            reason = "The rows cannot tell it from these: their columns add up to it."
            rows.append((term, ", ".join(others), "aliased", reason))
        else:
            rows.append((term, "intercept", "one value", "Every row has the same value."))
    # Categories of one level have no term at all.
    alone = [(name, levels[0]) for name, levels in design.levels.items() if len(levels) == 1]
    rows += [(name, "intercept", "one value", f"Every row has {only}.") for name, only in alone]
    rows += [*_constant_in_documents(design), *_inflated_factors(design), *_poor_levels(design)]
    return pd.DataFrame(rows, columns=["term", "confounded_with", "confounding", "reason"])


def _constant_in_documents(design):
    """Factors that vary between the documents and within none of them."""
    documents = design.rows.groupby("source", sort=False)
    for name in design.factors if len(documents) > 1 else ():
        if name != "source" and design.rows[name].nunique() > 1 and (documents[name].nunique() == 1).all():
            parts = documents[name]
            values = ", ".join(f"{_shown_value(part)} in all {len(part)} rows of {key}" for key, part in parts)
            yield name, "source", "source", f"It has one value in each document: {values}."


def _inflated_factors(design):
    """Factors of large variance, each with the other whose absence would relieve it most."""
    inflation = design.inflation()
    for name, vif in inflation.items():
        if vif > LARGE:
            relief = {other: design.without(other).inflation().get(name, vif) for other in inflation if other != name}
            partner = min(relief, key=relief.get)
            reason = f"Its variance is {vif:.0f} times what it would be by itself"
            yield name, partner, "inflated", f"{reason}; without {partner} {relief[partner]:.1f}."


def _poor_levels(design):
    """Levels of a category that stand on one row, or that meet one value of another factor only."""
    varying = [name for name in design.factors if design.rows[name].nunique() > 1]
    for factor in varying:
        for level in design.levels.get(factor, ()):
            part, term = design.rows[design.rows[factor] == level], f"{factor}[{level}]"
            fixed = [name for name in varying if name != factor and part[name].nunique() == 1]
            if len(part) == 1:
                run = part["run"].iloc[0]
                yield term, run, "one row", f"One row alone, {run}: the model passes through it."
            elif fixed:
                values = ", ".join(f"{name} {_shown_value(part[name])}" for name in fixed)
                yield term, values, "one surrounding", f"All its {len(part)} rows have the same, which vary elsewhere."


def _shown_value(values):
    """The first of some values as a reason prints it."""
    value = values.iloc[0]
    return f"{value:g}" if isinstance(value, float) else value
