"""Judge a stated number against what cells imply, under the readings that its words allow."""

from dataclasses import dataclass

import numpy as np

from dominoperf.study.audit.stated import read_stated

CONFIRMED, APPROXIMATE, CONTRADICTED, UNVERIFIABLE = "confirmed", "approximate", "contradicted", "unverifiable"
VERDICTS = (CONFIRMED, APPROXIMATE, CONTRADICTED, UNVERIFIABLE)
"""What a claim can turn out to be, the best first."""

# What a change from `old` to `new` is called, and the number it then has; "faster" is the increase of a rate whose
# times are old and new.
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


@dataclass(frozen=True)
class Judgement:
    """What was computed, under which reading, and the verdict; `off` is the share by which it misses."""

    computed: object
    reading: str
    verdict: str
    off: float = 0.0
    others: tuple = ()  # the other readings, as (name, computed)
    printed: str = ""  # what was computed as it is printed, where it is a printed number and no result


def judge(stated, computed, *, unit="", hedge="", assumption=""):
    """Judge a claim.

    Parameters
    ----------
    stated : str
        As printed: a number, a range, yes or no, a text.
    computed : dict
        What the cells imply under each reading that the words allow: number, array of numbers, truth value or text.
    unit, hedge, assumption : str
        A hedge ("about", "over") allows for 5 %, in a percentage for 1 point; a floor ("over", "at least") is kept by
        any greater number, a ceiling by any smaller one. Under an assumption nothing is more than approximate.

    Returns
    -------
    Judgement
        Of the reading that agrees best; "unverifiable" where all that is computed is unknown.
    """
    judged = [_judged(stated, value, name, unit, hedge) for name, value in computed.items() if _known(value)]
    if not judged:
        return Judgement(np.nan, "", UNVERIFIABLE)
    best = min(judged, key=lambda each: (VERDICTS.index(each.verdict), each.off))
    capped = APPROXIMATE if assumption and best.verdict == CONFIRMED else best.verdict
    others = tuple((each.reading, each.computed) for each in judged if each is not best)
    return Judgement(best.computed, best.reading, capped, best.off, others)


def changes(old, new, unit, names):
    """Return a change from `old` to `new` under the named readings, in % where that is the unit."""
    whole = 100.0 if unit == "%" else 1.0
    old, new = (np.asarray(each, float)[()] for each in (old, new))  # of these a division by nothing is no number
    with np.errstate(all="ignore"):
        return {name: CHANGES[name](old, new, whole) for name in names}


def _judged(stated, computed, reading, unit, hedge):
    """The judgement under one reading: a text or truth value by its words, a number by its digits and hedge."""
    number = None if reading == "text" else read_stated(stated)
    if number is None or isinstance(computed, (str, bool, np.bool_)):
        same = _words(stated) == _words(computed)
        return Judgement(computed, reading, CONFIRMED if same else CONTRADICTED, float(not same))
    if number.agrees(computed, hedge):
        return Judgement(computed, reading, CONFIRMED)
    near = bool(hedge) and number.near(computed, unit)
    return Judgement(computed, reading, APPROXIMATE if near else CONTRADICTED, number.off(computed))


def _known(value):
    return isinstance(value, (str, bool, np.bool_)) or bool(np.all(np.isfinite(np.asarray(value, float))))


def _words(value):
    """A text, or a truth value as yes or no, without regard to case and blanks."""
    text = ("yes" if value else "no") if isinstance(value, (bool, np.bool_)) else str(value)
    return " ".join(text.casefold().split())
