"""Judge a stated number against what cells imply, under the readings that its words allow."""

import re
from dataclasses import dataclass

import numpy as np

from dominoperf.runs.printed_text import read_count, step_of_digits
from dominoperf.tables.reading import read_number

# A hedge says that the number is a floor, that it is a ceiling, or (any other word) that it is not exact. After a
# negation each says the other: no more than, never below. Claims of a user's own have no other words than these.
AT_LEAST = (
    *("over", "more than", "greater than", "at least", "a minimum of", "upwards of", "exceed", "exceeding", "exceeds"),
    *("above", "or more", "or greater", "beyond"),
)
AT_MOST = ("less than", "fewer than", "under", "below", "at most", "a maximum of", "or less", "or fewer", "within")
NOT_EXACT = (
    *("about", "approximately", "approaching", "around", "roughly", "almost", "nearly", "practically", "some", "circa"),
    *("up to", "as much as", "as many as", "as high as", "projected"),
    *("usually", "typically", "generally", "often"),
)
# Words of degree that a person may take for a hedge; before most numbers they are none.
OF_DEGREE = (
    *("average", "comparable", "considerably", "even", "frequently", "longer than", "maximum", "might", "only"),
    *("overall", "plenty", "possible", "practical", "relatively", "significantly", "slight", "slightly"),
    *("substantially", "very"),
)
EXACT = ("exact", "exactly", "precisely")
"""Words before a number that are no hedge: nothing but the number agrees."""
HEDGES = (*AT_LEAST, *AT_MOST, *NOT_EXACT, *OF_DEGREE, *EXACT)
NEGATION = r"(?:not?|never|cannot|without|\w+n['’]t)"
_RANGE = re.compile(
    r"(\S.*?)(?:\s*(?:-|–|to|through)\s*(\$?[\d.,]+\s?\S*)|\s+(?:to|through|or)\s+(-[\d.,]+|[\d.,]+|[A-Za-z]+))"
)
_FACTORS = {"half": 0.5, "quarter": 0.25, "twice": 2.0, "double": 2.0, "triple": 3.0}  # to a tenth
_COUNTS = {"single": 1.0, "no": 0.0, "none": 0.0}
PERCENT = ("%", "percent", "percentage point")  # units of a percentage
POINT = 1.0  # of a hedged percentage
SHARE = 0.05  # of any other hedged number


@dataclass(frozen=True)
class StatedNumber:
    """A number or a range as stated; each end has its step, a unit of its last printed digit."""

    low: float
    high: float
    low_step: float
    high_step: float

    def agrees(self, computed, hedge="", tolerance=1.0):
        """Whether every computed number lies in the range, to half a unit; or above a floor, below a ceiling."""
        # Exactly half a unit agrees: either way of rounding may have been meant.
        below, above = (tolerance * step / 2 * (1 + 1e-9) for step in (self.low_step, self.high_step))
        at_least, at_most = (_claim_hedge_has(hedge, words) for words in (AT_LEAST, AT_MOST))
        if _is_negated(hedge):
            at_least, at_most = at_most, at_least
        floor, ceiling = -np.inf if at_most else self.low - below, np.inf if at_least else self.high + above
        return bool(np.all((floor <= computed) & (computed <= ceiling)))

    def near(self, computed, unit, tolerance=1.0):
        """Whether every computed number lies within 5 % of the range, or within a point of a percentage."""
        slack = [tolerance * (POINT if unit in PERCENT else SHARE * abs(edge)) for edge in (self.low, self.high)]
        low, high = self.low - slack[0], self.high + slack[1]
        return bool(np.all((low - 1e-9 <= computed) & (computed <= high + 1e-9)))  # as printed decimals would compare

    def off(self, computed):
        """How far the furthest computed number is from the range, as a share of it."""
        beyond = np.maximum(np.maximum(self.low - computed, computed - self.high), 0)
        return float(np.max(beyond) / max(abs(self.low), abs(self.high), 1e-300))


def read_stated(text):
    """Read a stated number or range: ``42``, ``1,425``, ``$13.22``, ``20-30``, ``two to three``; None for a text."""
    text = text.strip().replace("−", "-")
    one = _stated_number(text)
    if one is not None:
        return StatedNumber(one, one, *[_last_digit_step_of_claim(text)] * 2)
    match = _RANGE.fullmatch(text)
    ends = list(filter(None, match.groups())) if match else []
    numbers = [_stated_number(end) for end in ends]
    if not ends or None in numbers:
        return None
    (low, low_step), (high, high_step) = sorted(zip(numbers, map(_last_digit_step_of_claim, ends), strict=True))
    return StatedNumber(low, high, low_step, high_step)


def _stated_number(text):
    """A number in digits or, where the text is one word, in letters."""
    number, word = read_number(text), text.lower()
    if number is not None or not text.isalpha():
        return number
    value = (_FACTORS | _COUNTS).get(word, read_count(word))
    return None if value is None else float(value)


def _last_digit_step_of_claim(text):
    """Return a unit of the last printed digit; of a word, a tenth of a fraction, else one."""
    bare = re.sub(r"[^\d.,-]", "", text).lstrip("-")
    return step_of_digits(bare) or (0.1 if text.lower() in _FACTORS else 1.0)


def _claim_hedge_has(hedge, words):
    return any(re.search(rf"\b{word}\b", hedge.casefold()) for word in words)


def is_claim_hedge(hedge):
    """Return whether a hedge has a word that says what it allows."""
    return _claim_hedge_has(hedge, HEDGES)


def _is_negated(hedge):
    return re.search(rf"\b{NEGATION}(?!\w)", hedge.casefold()) is not None


CONFIRMED, APPROXIMATE, CONDITIONAL = "confirmed", "approximate", "conditional"
REPEATED, CONTRADICTED, UNVERIFIABLE = "repeated", "contradicted", "unverifiable"
VERDICTS = (CONFIRMED, APPROXIMATE, CONDITIONAL, REPEATED, CONTRADICTED, UNVERIFIABLE)
"""What a claim can turn out to be, the best first."""
HOLDS = (CONFIRMED, APPROXIMATE, CONDITIONAL)
"""The verdicts of a claim that the documents' numbers bear out: exactly, nearly, or under a named assumption."""

# What a change from `old` to `new` is called, and the number it then has; "faster" is of times alone: the increase of
# the rate that they stand for.
CHANGES = {
    "increase": lambda old, new, whole: whole * (new / old - 1),
    "decrease": lambda old, new, whole: whole * (1 - new / old),
    "faster": lambda old, new, whole: whole * (old / new - 1),
    "ratio": lambda old, new, whole: whole * new / old,
    "difference": lambda old, new, whole: new - old,
}
# Readings of an expression: a number (value, count, sum, bound, or a change that it works out itself), whether
# something holds ("truth", stated as yes or no), or a text that must be the same ("text").
OTHERS = ("value", "count", "sum", "bound", "truth", "text")
READINGS = (*CHANGES, *OTHERS)
"""How the number of a claim is meant: a change from old to new, or what an expression gives."""
NUMERIC_READINGS = {*READINGS} - {"truth", "text"}


@dataclass(frozen=True)
class Judgement:
    """What was computed, under which reading, and the verdict; `off` is the share by which it misses."""

    computed: object
    reading: str
    verdict: str
    off: float = 0.0
    others: tuple = ()  # the other readings, as (name, computed)
    printed: str = ""  # what was computed as it is printed, where it is a printed number and no result
    evidence: str = ""  # by what it was reached, see `grounds.EVIDENCE`


def judge_claim_value(stated, computed, *, unit="", hedge="", assumption="", tolerance=1.0):
    """Return the judgement of the reading that agrees best; "unverifiable" where all that is computed is unknown.

    `stated` is as printed: a number, a range, yes or no, a text; `computed` is what the cells imply under each reading
    that the words allow: number, array of numbers, truth value or text. A hedge ("about", "over") allows for 5 %, in a
    percentage for 1 point, "exactly" for nothing; a floor ("over", "at least") is kept by any greater number, a ceiling
    by any smaller one. What agrees, exactly or nearly, under an assumption is "conditional". `tolerance` multiplies
    every allowance.
    """
    number, judgements = read_stated(stated), []
    for reading, value in computed.items():
        is_text = isinstance(value, (str, bool, np.bool_))
        if not is_text and not np.all(np.isfinite(np.asarray(value, float))):
            continue  # unknown
        if is_text or number is None or reading == "text":
            same = _claim_in_plain_words(stated) == _claim_in_plain_words(value)
            judgements.append(Judgement(value, reading, CONFIRMED if same else CONTRADICTED, float(not same)))
        elif number.agrees(value, hedge, tolerance):
            judgements.append(Judgement(value, reading, CONFIRMED))
        else:
            hedged = bool(hedge) and (_is_negated(hedge) or not _claim_hedge_has(hedge, EXACT))
            near = hedged and number.near(value, unit, tolerance)
            judgements.append(Judgement(value, reading, APPROXIMATE if near else CONTRADICTED, number.off(value)))
    if not judgements:
        return Judgement(np.nan, "", UNVERIFIABLE)
    best = min(judgements, key=lambda judgement: (VERDICTS.index(judgement.verdict), judgement.off))
    verdict = CONDITIONAL if assumption and best.verdict in HOLDS else best.verdict
    others = tuple((judgement.reading, judgement.computed) for judgement in judgements if judgement is not best)
    return Judgement(best.computed, best.reading, verdict, best.off, others)


def changes_by_reading(old, new, unit, names):
    """Return a change from `old` to `new` under the named readings, in % if the unit is one."""
    whole = 100.0 if unit in PERCENT else 1.0
    old, new = (np.asarray(end, float)[()] for end in (old, new))  # of these a division by nothing is no number
    with np.errstate(all="ignore"):
        return {name: CHANGES[name](old, new, whole) for name in names}


def _claim_in_plain_words(value):
    """A text, or a truth value as yes or no, without regard to case and blanks."""
    text = ("yes" if value else "no") if isinstance(value, (bool, np.bool_)) else str(value)
    return " ".join(text.casefold().split())
