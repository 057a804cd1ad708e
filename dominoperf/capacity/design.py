"""The columns of a log-linear model: coded factors, what is aliased with what, leverage, inflation of variances."""

from dataclasses import dataclass

import numpy as np

_ALIASED = 1e-8  # a column this near to the others, relative to its length, is one of them
INTERCEPT = "intercept"


@dataclass(frozen=True)
class Number:
    """A numeric factor: enters as ln(value / centre), the centre being the geometric mean of the rows."""

    name: str
    centre: float
    low: float
    high: float

    baseline = ""

    @property
    def terms(self):
        """Its one term."""
        return [self.name]

    def code(self, values):
        """Give its column."""
        return np.log(values.to_numpy(float) / self.centre)[:, None]

    def outside(self, value):
        """Say how a value lies outside the rows; "" where it does not."""
        inside = self.low * (1 - 1e-12) <= value <= self.high * (1 + 1e-12)
        return "" if inside else f"{self.name} {value:g} is outside {self.low:g} to {self.high:g}"


@dataclass(frozen=True)
class Category:
    """A factor of text: a column of zeros and ones per level but the first, its baseline."""

    name: str
    levels: tuple

    @property
    def baseline(self):
        """The level that the others are set against: the most frequent, of several the first by name."""
        return self.levels[0]

    @property
    def terms(self):
        """A term per level but the baseline."""
        return [f"{self.name}[{level}]" for level in self.levels[1:]]

    def code(self, values):
        """Give its columns."""
        return np.array([[value == level for level in self.levels[1:]] for value in values], float).reshape(
            len(values), len(self.levels) - 1
        )


@dataclass(frozen=True)
class Design:
    """The factors of a model over its rows, and which of its terms the rows can tell apart."""

    factors: tuple
    terms: tuple
    matrix: np.ndarray
    kept: np.ndarray  # positions of the terms that are estimated
    combination: np.ndarray  # of every term from the kept ones: one column a term

    @classmethod
    def of(cls, rows, factors, is_numeric):
        """Code the factors over the rows; a term that earlier ones imply is set aside."""
        coded = tuple(_number(rows, name) if is_numeric(name) else _category(rows, name) for name in factors)
        terms = (INTERCEPT, *(term for factor in coded for term in factor.terms))
        matrix = _code(coded, rows)
        return cls(coded, terms, matrix, *_independent(matrix))

    @property
    def columns(self):
        """The columns that are estimated."""
        return self.matrix[:, self.kept]

    def code(self, rows):
        """Code further rows."""
        return _code(self.factors, rows)

    def owner(self, term):
        """The factor of a term; None of the intercept."""
        return next((factor for factor in self.factors if term in factor.terms), None)

    def leverage(self, rows=None):
        """Give the leverage of rows: the diagonal of ``X (X'X)^-1 X'``, by default of the model's own."""
        _, triangle = np.linalg.qr(self.columns)
        own = self.columns if rows is None else rows[:, self.kept]
        return np.sum(np.linalg.solve(triangle.T, own.T) ** 2, axis=0)

    def estimable(self, rows):
        """Tell of coded rows whether every aliased term keeps to what it is aliased with."""
        implied = rows[:, self.kept] @ self.combination
        return np.isclose(implied, rows, rtol=1e-6, atol=1e-6).all(axis=1)

    def aliases(self):
        """Give the terms that cannot be told apart from others: term to the list of the others."""
        found = {}
        for k in sorted(set(range(len(self.terms))) - set(self.kept.tolist())):
            weights = self.combination[:, k]
            found[self.terms[k]] = [
                self.terms[j]
                for j, w in zip(self.kept, weights, strict=True)
                if abs(w) > 1e-6 and j != 0  # the intercept is no factor
            ]
        return found

    def condition(self):
        """Give the condition number of the estimated columns, each of length 1 (Belsley, Kuh and Welsch 1980)."""
        lengths = np.linalg.norm(self.columns, axis=0)
        return float(np.linalg.cond(self.columns / lengths))

    def inflation(self):
        """Give the variance inflation of every factor with estimated terms, by name.

        For one column ``1 / (1 - R^2)`` of that column on all others; for a category of several the generalised factor
        ``(det A det B / det C)^(1 / terms)`` of the correlations of its columns, of all others and of both (Fox and
        Monette 1992), which does not depend on the baseline and is on the same scale.
        """
        names = [self.owner(self.terms[k]) for k in self.kept if k]
        if len(names) < 1:
            return {}
        centred = self.columns[:, 1:] - self.columns[:, 1:].mean(axis=0)
        scaled = centred / np.linalg.norm(centred, axis=0)
        both, found = _log_det(scaled), {}
        for factor in dict.fromkeys(names):
            own = np.array([name is factor for name in names])
            found[factor.name] = float(
                np.exp((_log_det(scaled[:, own]) + _log_det(scaled[:, ~own]) - both) / own.sum())
            )
        return found

    def without(self, name):
        """Give the design without one factor."""
        factors = tuple(factor for factor in self.factors if factor.name != name)
        keep = [k for k, term in enumerate(self.terms) if not k or self.owner(term).name != name]
        matrix = self.matrix[:, keep]
        return Design(factors, tuple(self.terms[k] for k in keep), matrix, *_independent(matrix))


def _number(rows, name):
    values = rows[name].to_numpy(float)
    return Number(name, float(np.exp(np.log(values).mean())), float(values.min()), float(values.max()))


def _category(rows, name):
    counts = rows[name].value_counts()
    return Category(name, tuple(sorted(counts.index, key=lambda level: (-counts[level], str(level)))))


def _code(factors, rows):
    return np.column_stack([np.ones(len(rows)), *(factor.code(rows[factor.name]) for factor in factors)])


def _independent(matrix):
    """Positions of columns that the earlier ones do not imply; every column as a combination of those."""
    kept = []
    for k in range(matrix.shape[1]):
        column, basis = matrix[:, k], matrix[:, kept]
        rest = column - basis @ np.linalg.lstsq(basis, column, rcond=None)[0] if kept else column
        # A constant factor is coded as zeros but for the arithmetic of its centre.
        if np.linalg.norm(rest) > _ALIASED * max(np.linalg.norm(column), 1e-3):
            kept.append(k)
    kept = np.array(kept)
    return kept, np.linalg.lstsq(matrix[:, kept], matrix, rcond=None)[0]


def _log_det(columns):
    """Logarithm of the determinant of the columns' cross products; 0 of none."""
    return float(np.linalg.slogdet(columns.T @ columns)[1]) if columns.shape[1] else 0.0
