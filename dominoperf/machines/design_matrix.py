"""The design matrix of a log-linear model: coded factors, aliased terms, variance inflation, confounding in words."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

INTERCEPT = "intercept"
_LARGE = 10.0  # variance inflation above which the effect of a factor is hardly told from that of the others
_ALIASED = 1e-8  # a column this near to the others, relative to its length, is one of them


@dataclass(frozen=True, eq=False)
class DesignMatrix:
    """The columns of a log-linear model over its rows.

    A factor that is no number is a category: a column of zeros and ones for each level but its baseline, the most
    frequent level, of several the first by name. Of terms that cannot be told apart the first is estimated.
    """

    rows: pd.DataFrame  # a column for each factor: numbers above zero, or texts
    factors: tuple[str, ...]  # in their order
    numbers: frozenset[str]  # those that enter as the logarithm of a number, less its mean

    @cached_property
    def levels(self) -> dict[str, list[str]]:
        """The levels of each category, its baseline first."""
        levels = {}
        for name in (factor for factor in self.factors if factor not in self.numbers):
            count = self.rows[name].value_counts()
            levels[name] = sorted(count.index, key=lambda level, count=count: (-count[level], str(level)))
        return levels

    @cached_property
    def factor_of(self) -> dict[str, str]:
        """The factor of each term but the intercept."""
        terms = {}
        for name in self.factors:
            terms |= {name: name} if name in self.numbers else {f"{name}[{at}]": name for at in self.levels[name][1:]}
        return terms

    def baseline(self, term: str) -> str:
        """Return the level that a term is set against; "" of a number and of the intercept."""
        return self.levels.get(self.factor_of.get(term, ""), [""])[0]

    @cached_property
    def columns(self) -> pd.DataFrame:
        """The column of each term over the rows, intercept first."""
        return self.code(self.rows)

    def code(self, rows: pd.DataFrame) -> pd.DataFrame:
        """Return the columns of further rows; NaN where a level or a number cannot be coded."""
        columns = {INTERCEPT: pd.Series(1.0, rows.index)}
        for name in self.factors:
            if name in self.numbers:
                columns[name] = np.log(rows[name].where(rows[name] > 0)) - np.log(self.rows[name]).mean()
            for level in self.levels.get(name, ())[1:]:
                is_known = rows[name].isin(self.levels[name])
                columns[f"{name}[{level}]"] = (rows[name] == level).astype(float).where(is_known)
        return pd.DataFrame(columns)

    @cached_property
    def aliases(self) -> dict[str, pd.Series]:
        """The terms that earlier ones imply, each with the weights that make it up of those."""
        independent, aliased, columns = [], {}, self.columns.to_numpy()
        for at, term in enumerate(self.columns):
            basis, column = columns[:, independent], columns[:, at]
            weights = np.linalg.lstsq(basis, column, rcond=None)[0] if independent else np.zeros(0)
            # A constant factor is coded as zeros but for the arithmetic of its mean.
            if np.linalg.norm(column - basis @ weights) > _ALIASED * max(np.linalg.norm(column), 1e-3):
                independent.append(at)
            else:
                aliased[term] = pd.Series(weights, self.columns.columns[independent].tolist())
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

    def confounding(self) -> pd.DataFrame:
        """Return what is confounded: aliased terms, inflated variances, levels that meet one value of another factor.

        The rows have the columns run and source besides the factors.

        The columns are term, confounded_with, confounding ("aliased", "one value", "source", "inflated", "one row" or
        "one surrounding") and reason. "source" is a factor that has a single value in each document: it may stand for
        anything else in which the documents' vendors and laboratories differ, and no inflation of variances shows it,
        for no term is a vendor.
        """
        found, rows = [], self.rows
        for term in self.aliases:
            if others := self.partners(term):
                reason = "The rows cannot tell it from these: their columns add up to it."
                found.append((term, ", ".join(others), "aliased", reason))
            else:
                found.append((term, "intercept", "one value", "Every row has the same value."))
        # Categories of one level have no term at all.
        alone = [(name, levels[0]) for name, levels in self.levels.items() if len(levels) == 1]
        found += [(name, "intercept", "one value", f"Every row has {only}.") for name, only in alone]

        varying = [name for name in self.factors if rows[name].nunique() > 1]
        for name in varying if rows["source"].nunique() > 1 else ():
            in_document = rows.groupby("source", sort=False)[name]
            if name != "source" and (in_document.nunique() == 1).all():
                values = ", ".join(
                    f"{_first_value_of_factor(part)} in all {len(part)} rows of {key}" for key, part in in_document
                )
                found.append((name, "source", "source", f"It has one value in each document: {values}."))

        inflation = self.inflation()
        inflated = [name for name, vif in inflation.items() if vif > _LARGE]
        without = {}  # a factor: the inflation of each other one then
        for name in inflation if inflated else ():
            fewer = tuple(factor for factor in self.factors if factor != name)
            without[name] = inflation | DesignMatrix(rows, fewer, self.numbers).inflation()
        for name in inflated:  # with the other factor whose absence would relieve it most
            others = [other for other in inflation if other != name]
            partner = min(others, key=lambda other, of=name: without[other][of])
            reason = f"Its variance is {inflation[name]:.0f} times what it would be by itself"
            found.append((name, partner, "inflated", f"{reason}; without {partner} {without[partner][name]:.1f}."))

        for factor in varying:
            for level in self.levels.get(factor, ()):
                part, term = rows[rows[factor] == level], f"{factor}[{level}]"
                fixed = [name for name in varying if name != factor and part[name].nunique() == 1]
                if len(part) == 1:
                    run = part["run"].iloc[0]
                    found.append((term, run, "one row", f"One row alone, {run}: the model passes through it."))
                elif fixed:
                    values = ", ".join(f"{name} {_first_value_of_factor(part[name])}" for name in fixed)
                    reason = f"All its {len(part)} rows have the same, which vary elsewhere."
                    found.append((term, values, "one surrounding", reason))
        return pd.DataFrame(found, columns=["term", "confounded_with", "confounding", "reason"], dtype="str")


def _first_value_of_factor(values):
    """The first of some values as a reason prints it."""
    value = values.iloc[0]
    return f"{value:g}" if isinstance(value, float) else value
