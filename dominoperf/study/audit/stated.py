"""What a claim states: a number or a range with the unit of its last digit, and which way its hedge leans."""

import re
from dataclasses import dataclass

import numpy as np

from dominoperf.runs.reading import read_count, step
from dominoperf.tables import read_number

# A hedge says that the number is a floor, that it is a ceiling, or (any other word) that it is not exact.
AT_LEAST = ("over", "more than", "at least", "exceeding", "exceeds", "above", "or more", "or greater", "beyond")
AT_MOST = ("less than", "under", "below", "at most", "no more than", "or less", "not exceed", "within")
_RANGE = re.compile(r"(\S.*?)\s*(?:-|–|to|through)\s*(\$?[\d.,]+\s?\S*)")
_FACTORS = {"half": 0.5, "quarter": 0.25, "twice": 2.0, "double": 2.0, "triple": 3.0}  # to a tenth
_COUNTS = {"single": 1.0, "no": 0.0, "none": 0.0}
_POINT = 1.0  # of a hedged percentage
_SHARE = 0.05  # of any other hedged number


@dataclass(frozen=True)
class Stated:
    """A number or a range as stated; `step` is a unit of the last printed digit."""

    low: float
    high: float
    step: float

    def agrees(self, computed, hedge=""):
        """Whether every computed number lies in the range, to half a unit; or above a floor, below a ceiling."""
        half = self.step / 2 * (1 + 1e-9)  # exactly half a unit agrees: either way of rounding may have been meant
        floor = -np.inf if _says(hedge, AT_MOST) else self.low - half
        ceiling = np.inf if _says(hedge, AT_LEAST) else self.high + half
        return bool(np.all((floor <= computed) & (computed <= ceiling)))

    def near(self, computed, unit):
        """Whether every computed number lies within 5 % of the range, or within a point of a percentage."""
        percent = unit in ("%", "percentage point")
        slack = [_POINT if percent else _SHARE * abs(edge) for edge in (self.low, self.high)]
        low, high = self.low - slack[0], self.high + slack[1]
        return bool(np.all((low - 1e-9 <= computed) & (computed <= high + 1e-9)))  # as printed decimals would compare

    def off(self, computed):
        """How far the furthest computed number is from the range, as a share of it."""
        beyond = np.maximum(np.maximum(self.low - computed, computed - self.high), 0)
        return float(np.max(beyond) / max(abs(self.low), abs(self.high), 1e-300))


def read_stated(text):
    """Read a stated number or range: ``42``, ``1,425``, ``$13.22``, ``20-30``, ``three``; None where it is a text."""
    text = text.strip()
    one = _number(text)
    if one is not None:
        return Stated(one, one, _step(text))
    ends = _RANGE.fullmatch(text)
    low, high = map(_number, ends.groups()) if ends else (None, None)
    if low is None or high is None:
        return None
    return Stated(low, high, max(map(_step, ends.groups())))


def _number(text):
    """A number in digits or, where the text is one word, in letters."""
    number, word = read_number(text), text.lower()
    if number is not None or not text.isalpha():
        return number
    known = (_FACTORS | _COUNTS).get(word, read_count(word))
    return None if known is None else float(known)


def _step(text):
    bare = re.sub(r"[^\d.,-]", "", text).lstrip("-")
    return step(bare) or (0.1 if text.lower() in _FACTORS else 1.0)


def _says(hedge, words):
    return any(re.search(rf"\b{word}\b", hedge) for word in words)
