"""The audit of the claims: each judged by the cells that it names, beside the verdict that is pinned."""

import functools
import html
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from dominoperf import tables
from dominoperf.errors import BadTable, UnknownName
from dominoperf.study import recompute
from dominoperf.study.audit.claims import BEARS_ON, claims, value_of
from dominoperf.study.audit.verdicts import CONTRADICTED, UNVERIFIABLE, VERDICTS, changes, judge, read_stated
from dominoperf.tables import rendering


@dataclass(frozen=True)
class Audit:
    """Claims and what became of them; `claims` and `judgements` go side by side."""

    claims: tuple
    judgements: tuple

    def tidy(self):
        """Return a frame: id, source, locator, topic, claim, stated, computed, unit, reading, check, verdict..."""
        rows = [_row(claim, judged) for claim, judged in zip(self.claims, self.judgements, strict=True)]
        return pd.DataFrame(rows, columns=_COLUMNS, dtype="str")

    def glance(self, by=None):
        """Count the verdicts: a row, or with `by` (a column of `tidy`) a row each of its values."""
        tidy = self.tidy()
        groups = [("", tidy)] if by is None else tidy.groupby(by, sort=False)
        rows = [{by or "": name} | _counts(group) for name, group in groups]
        return pd.DataFrame(rows).drop(columns="", errors="ignore")

    def counts(self, rows, columns):
        """Count the claims: a row each value of one column of `tidy`, a column each value of another, and the sum."""
        tidy = self.tidy()
        return pd.crosstab(tidy[columns], tidy[rows], margins=True, margins_name="claims").reset_index()

    def turned(self, other):
        """Return the claims whose verdict is another one in `other`, the same claims judged by corrected cells.

        Returns
        -------
        DataFrame
            id, source, locator, claim, stated, computed, unit, verdict (here), corrected (the verdict in `other`).
        """
        printed, mended = self.tidy(), other.tidy()
        here = printed.assign(corrected=mended["verdict"])[printed["verdict"] != mended["verdict"]]
        names = ["id", "source", "locator", "claim", "stated", "computed", "unit", "verdict", "corrected"]
        return here[names].reset_index(drop=True)

    def only(self, verdict=None, topic=None):
        """Return the part with this verdict, this topic.

        Raises
        ------
        UnknownName
            When there is no such verdict or topic.
        """
        _known("verdict", verdict, VERDICTS)
        _known("topic", topic, {claim.topic for claim in self.claims})
        pairs = [
            (claim, judged)
            for claim, judged in zip(self.claims, self.judgements, strict=True)
            if verdict in (None, judged.verdict) and topic in (None, claim.topic)
        ]
        return Audit(*(tuple(each) for each in zip(*pairs, strict=True))) if pairs else Audit((), ())

    def contradictions(self):
        """Return the contradicted claims: those that change a plan first, among them what is off by most, or wholly."""
        order = [
            (BEARS_ON.index(claim.bears_on), -min(judged.off, 1.0), k)
            for k, (claim, judged) in enumerate(zip(self.claims, self.judgements, strict=True))
            if judged.verdict == CONTRADICTED
        ]
        tidy = self.tidy().iloc[[k for *_, k in sorted(order)]]
        return tidy.assign(bears_on=[self.claims[k].bears_on for *_, k in sorted(order)]).reset_index(drop=True)

    def unpinned(self):
        """Return the claims whose verdict is not the one that is pinned."""
        tidy = self.tidy()
        return tidy[tidy["verdict"] != tidy["expected"]].reset_index(drop=True)

    def __repr__(self):
        """Lay the counts out for a terminal, and what differs from its pin."""
        news = self.unpinned()
        told = f"\nAgainst their pins:\n{rendering.as_text(news)}" if len(news) else ""
        return f"{rendering.as_text(self.glance('source'))}{told}"

    def _repr_html_(self):
        return rendering.as_html(self.glance("source")) + "".join(
            f"<p>Against its pin: {html.escape(id)}</p>" for id in self.unpinned()["id"]
        )


_COLUMNS = [
    *("id", "source", "locator", "topic", "claim", "stated", "hedge", "computed", "unit", "reading", "inputs"),
    *("expression", "check", "verdict", "expected", "assumption", "comment"),
]


def audit_claims(source=None, *, as_="printed"):
    """Judge every quantitative claim of the documents in use.

    Each is computed from the cells that it names, as printed, and judged: "confirmed" within half a unit of the last
    stated digit, "approximate" where it is hedged and within 5 % (a percentage: 1 point) or agrees only under a named
    assumption, "contradicted", or "unverifiable".

    Parameters
    ----------
    source : str, optional
        Only the claims of this document.
    as_ : {"printed", "corrected", "suspected"}
        "corrected" takes the cells with the certain errata applied.

    Returns
    -------
    Audit

    Raises
    ------
    UnknownName
        When there is no such source, or a claim names no known table, column or function.
    BadTable
        When a row of a ``claims.csv`` does not keep its contract or its expression cannot be computed.
    """
    return judge_claims(claims(source), _reader(as_), claims())


def unpinned_claims(folder=None):
    """Return the claims whose verdict is not the pinned one, as `Audit.tidy` has them.

    Parameters
    ----------
    folder : path, optional
        A data folder of your own, or a folder of such folders; by default all in use.

    Raises
    ------
    BadTable
        When a folder cannot be used, or a claim not be tested.
    """
    if folder is None:
        return audit_claims().unpinned()
    return pd.concat([audit_claims(path.name).unpinned() for path in tables.in_turn(folder)], ignore_index=True)


def judge_claims(chosen, cells, every=None):
    """Judge these claims by cells that a function gives, by the id of a table as a frame of texts."""
    known = {(claim.source, claim.id): claim for claim in every or chosen}
    judgements = tuple(_judged(claim, cells, known) for claim in chosen)
    return Audit(tuple(chosen), judgements)


def _reader(as_):
    return functools.cache(lambda id: tables.load(id, as_, text=True))


def _judged(claim, cells, known):
    """The judgement of a claim, with the reading that agrees best."""
    if not claim.tested:
        return judge(claim.stated, {})
    names = {each.name: value_of(each, cells, _stated_by(claim, known), claim.where) for each in claim.inputs}
    settings = {"unit": claim.unit, "hedge": claim.hedge, "assumption": claim.assumption}
    judged = judge(claim.stated, _computed(claim, names, cells), **settings)
    return replace(judged, printed=_repeated(claim, cells, known))


def _repeated(claim, cells, known):
    """The printed number of the one cell, or other claim, that a claim repeats without any arithmetic; else ""."""
    for each in claim.inputs:
        if each.name == claim.expression and each.claim:
            return known[claim.source, each.claim].stated
        if each.name == claim.expression and not each.many:
            return _number(cells(each.table)[each.column][each.rows[0] - 1], claim.unit)
    return ""


def _number(text, unit):
    """A printed number in its printed form; nothing of what is none."""
    return rendering.printed(text, unit) if tables.read_number(text) is not None else ""


def _computed(claim, names, cells):
    """The numbers under the readings: of the expression, or of the change from old to new."""
    if claim.expression.startswith("@"):
        return {claim.readings[0]: _model(claim, cells)}
    if claim.expression:
        return {claim.readings[0]: _evaluated(claim, names)}
    return changes(*_ends(claim, names), claim.unit, claim.readings)


def _ends(claim, names):
    """The numbers between which a change lies."""
    ends = [names.get(name) for name in ("old", "new")]
    if not all(np.issubdtype(np.asarray(each).dtype, np.floating) for each in ends):
        found = ", ".join(f"{name} {_text(value)}" for name, value in names.items())
        remedy = "Name two cells so that hold numbers, or give an expression."
        raise BadTable(claim.where, expected="inputs old and new, numbers", found=found, remedy=remedy)
    return ends


def _model(claim, cells):
    """What a function of `recompute` gives for a claim that needs a model."""
    name = claim.expression[1:]
    if name not in recompute.MODELS:
        listing = f"Known are {', '.join(recompute.MODELS) or 'none'}."
        raise UnknownName.among(f"{claim.where}, expression", name, recompute.MODELS, listing)
    return recompute.MODELS[name](cells)


def _evaluated(claim, names):
    """The value of the expression, of Python's own types where there is just one."""
    where = f"{claim.where}, expression"
    value = recompute.evaluate(claim.expression, names, recompute.FUNCTIONS, where)
    if isinstance(value, np.ndarray) and value.dtype == object and value.size != 1:
        expected, remedy = "numbers, a truth value or one text", "Compare the texts in the expression."
        raise BadTable(where, expected=expected, found=_text(value), remedy=remedy)
    return value.item() if isinstance(value, (np.ndarray, np.generic)) and np.size(value) == 1 else value


def _stated_by(claim, known):
    """What gives the statement of another claim of the document: a number, both ends of a range, or its text."""

    def stated(id):
        other = known.get((claim.source, id))
        if other is None:
            ids = [each for source, each in known if source == claim.source]
            raise UnknownName.among(f"{claim.where}, inputs", id, ids, "It is the id of another claim of the document.")
        number = read_stated(other.stated)
        if number is None:
            return other.stated
        return number.low if number.low == number.high else np.array([number.low, number.high])

    return stated


def _row(claim, judged):
    inputs = "; ".join(map(str, claim.inputs))
    computed = judged.printed or _text(judged.computed, claim.unit)
    says = (claim.stated, claim.hedge, computed, claim.unit, judged.reading, inputs, claim.expression)
    ends = (claim.check, judged.verdict, claim.expected, claim.assumption, _comment(claim, judged))
    return (claim.id, claim.source, claim.locator, claim.topic, claim.claim, *says, *ends)


def _comment(claim, judged):
    """Our comment, and what the other readings give where the claim is not confirmed."""
    others = ", ".join(f"{name} {_text(value, claim.unit)}" for name, value in judged.others)
    told = f"Other readings: {others}." if others and judged.verdict != "confirmed" else ""
    unknown = "A cell that it names is empty." if judged.verdict == UNVERIFIABLE and claim.tested else ""
    return " ".join(filter(None, (claim.comment, told, unknown)))


def _text(value, unit=""):
    """A computed value as text: a number, yes or no, both ends where there are many."""
    if isinstance(value, (bool, np.bool_, str)):
        return rendering.cell_text(value)
    if np.asarray(value).dtype == object:
        return ", ".join(dict.fromkeys(map(str, value)))
    numbers = np.unique(np.asarray(value, float))
    if np.isnan(numbers).all():
        return ""
    said = [rendering.number(each, unit=unit) for each in numbers]
    return said[0] if len(said) == 1 else f"{said[0]}, {said[1]}" if len(said) == 2 else f"{said[0]} to {said[-1]}"


def _counts(tidy):
    return {"claims": len(tidy)} | {verdict: int((tidy["verdict"] == verdict).sum()) for verdict in VERDICTS}


def _known(what, name, names):
    if name is not None and name not in names:
        raise UnknownName.among(what, name, names, f"Known are {', '.join(sorted(names))}.")
