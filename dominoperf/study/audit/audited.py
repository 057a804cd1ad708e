"""The audit of the claims: each judged by the cells that it names, and compared with its expected verdict."""

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from dominoperf.errors import BadTable, DominoperfError, UnknownName, counted, names_its_keywords
from dominoperf.study import recompute
from dominoperf.study.audit.claim_rows import BEARS_ON, Claim, claims, value_of_claim_input
from dominoperf.study.audit.grounds import ANOTHER_SENTENCE, CIRCLE, evidence_of, grounds_of, unverifiable_statements
from dominoperf.study.audit.verdicts import (
    CONFIRMED,
    CONTRADICTED,
    HOLDS,
    NUMERIC_READINGS,
    PERCENT,
    REPEATED,
    UNVERIFIABLE,
    VERDICTS,
    Judgement,
    changes_by_reading,
    judge_claim_value,
)
from dominoperf.tables import loading, rendering
from dominoperf.tables.columns import known_unit, unit_factor, unit_fits
from dominoperf.tables.expressions import FUNCTIONS, evaluate
from dominoperf.tables.rendering import Result


@dataclass(frozen=True)
class Audit(Result):
    """Claims and what became of them: `judged` are pairs of a claim and its judgement.

    `failed` holds those that could not be judged, as on a cell that does not exist, each with the error.
    """

    judged: tuple
    failed: tuple = ()

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The claims that were judged."""
        return tuple(claim for claim, _ in self.judged)

    def tidy(self) -> pd.DataFrame:
        """Return a frame: id, source, locator, topic, claim, stated, computed, unit, reading, check, verdict..."""
        return pd.DataFrame([_audit_row(*pair) for pair in self.judged], columns=_COLUMNS, dtype="str")

    def glance(self, by: str | None = None) -> pd.DataFrame:
        """Count the verdicts: a row, or with `by` (a column of `tidy`) a row each of its values."""
        tidy = self.tidy()
        groups = [("", tidy)] if by is None else tidy.groupby(by, sort=False)
        rows = [
            {by or "": name, "claims": len(group)}
            | {verdict: int((group["verdict"] == verdict).sum()) for verdict in VERDICTS}
            for name, group in groups
        ]
        return pd.DataFrame(rows).drop(columns="", errors="ignore")

    def counts(self, rows: str, columns: str) -> pd.DataFrame:
        """Count the claims: a row each value of one column of `tidy`, a column each value of another, and the sum."""
        tidy = self.tidy()
        return pd.crosstab(tidy[columns], tidy[rows], margins=True, margins_name="claims").reset_index()

    def turned(self, other: "Audit") -> pd.DataFrame:
        """Return the claims whose verdict is another one in `other`, the same claims judged by corrected cells."""
        printed, mended = self.tidy(), other.tidy()
        here = printed.assign(verdict_corrected=mended["verdict"])[printed["verdict"] != mended["verdict"]]
        names = ["id", "source", "locator", "claim", "stated", "computed", "unit", "verdict", "verdict_corrected"]
        return here[names].reset_index(drop=True)

    def only(self, verdict: str | None = None, topic: str | None = None) -> "Audit":
        """Return the part with this verdict, this topic.

        Raises
        ------
        UnknownName
            When there is no such verdict or topic.
        """
        topics = sorted({claim.topic for claim in self.claims})
        for what, name, names in (("verdict", verdict, VERDICTS), ("topic", topic, topics)):
            if name is not None and name not in names:
                raise UnknownName.among(what, name, names)
        kept = (
            (claim, judgement)
            for claim, judgement in self.judged
            if verdict in (None, judgement.verdict) and topic in (None, claim.topic)
        )
        return Audit(tuple(kept))

    def contradictions(self) -> pd.DataFrame:
        """Return the contradicted claims: those that change a plan first, among them what is off by most, or wholly."""
        gravity = lambda pair: (BEARS_ON.index(pair[0].bears_on), -min(pair[1].off, 1.0))  # noqa: E731
        wrong = tuple(sorted(self.only(CONTRADICTED).judged, key=gravity))
        return Audit(wrong).tidy().assign(bears_on=[claim.bears_on for claim, _ in wrong])

    def unpinned(self) -> pd.DataFrame:
        """Return the claims whose verdict is not the one that is pinned; one that failed has none, and says why."""
        tidy = self.tidy()
        failed = [
            _audit_row(claim, Judgement(np.nan, "", "")) | {"comment": str(error)} for claim, error in self.failed
        ]
        news = pd.DataFrame(failed, columns=_COLUMNS, dtype="str")
        return pd.concat([tidy[tidy["verdict"] != tidy["expected_verdict"]], news], ignore_index=True)

    def headline(self) -> str:
        """Return how many claims have which verdict, and below that each verdict that was not expected."""
        counts = self.glance().drop(columns="claims").iloc[0]
        verdicts = ", ".join(f"{count:,} {verdict}" for verdict, count in counts[counts > 0].items())
        what = f"{counted(len(self.judged), 'claim')}{': ' * bool(verdicts)}{verdicts}."
        return "\n".join([what, *map(unpinned_in_words, self.unpinned().itertuples())])

    def _tables(self):
        counts = self.glance("source")
        told = ["source", "claims", "confirmed", "contradicted", "unverifiable"]  # a narrow terminal hides the last
        return (counts[[*told, *counts.columns.drop(told)]],)


_COLUMNS = [
    *("id", "source", "locator", "topic", "claim", "stated", "hedge", "computed", "unit", "reading", "inputs"),
    *("expression", "check", "evidence", "verdict", "expected_verdict", "assumption", "comment"),
]


@names_its_keywords()
def audit_claims(source: str | None = None, *, as_: str = "printed") -> Audit:
    """Judge every quantitative claim of the documents in use.

    Each is computed from the cells that it names, as printed, and judged: "confirmed" within half a unit of the last
    stated digit, "approximate" where it is hedged and within 5 % (a percentage: 1 point), "conditional" where it agrees
    only under a named assumption, "repeated" where only another sentence says the same, "contradicted", or
    "unverifiable". The column `evidence` says by what.

    Parameters
    ----------
    source : str, optional
        Only the claims of this document.
    as_ : {"printed", "corrected", "suspected"}
        "corrected" takes the cells with the certain errata applied.

    Returns
    -------
    Audit
        A claim that names no known table, column, row or function, or whose expression cannot be computed, is among its
        `failed`; the others are judged.

    Raises
    ------
    UnknownName
        When there is no such source.
    BadTable
        When a row of a ``claims.csv`` does not keep its contract.
    """
    cells = functools.cache(lambda id: loading.load(id, as_, text=True))
    return judge_claims(claims(source), cells, claims())


def unpinned_in_words(claim: Any) -> str:
    """Return a sentence on a claim of `Audit.unpinned`: the verdict expected and found, what is stated and computed.

    Examples
    --------
    >>> claim = next(audit_claims("ibm_330").tidy().assign(expected_verdict="unverifiable").itertuples())
    >>> unpinned_in_words(claim).partition(". ")[0]
    'claim audit-date: expected unverifiable, found confirmed; stated yes, computed yes'
    """
    if not claim.verdict:
        return f"claim {claim.id}: expected {claim.expected_verdict}, not judged: {claim.comment}"
    stated, computed = stated_and_computed(claim)
    nothing = (
        "no number in its cells" if claim.expected_verdict != UNVERIFIABLE and claim.verdict == UNVERIFIABLE else ""
    )
    numbers = f"; stated {stated}, computed {computed or nothing}" if computed or nothing else ""
    return f"claim {claim.id}: expected {claim.expected_verdict}, found {claim.verdict}{numbers}. {claim.claim}"


def stated_and_computed(row):
    """Stated, with its hedge, and computed, each with the unit."""
    unit = f" {row.unit}" if row.unit not in ("", "1") and row.stated != "yes" else ""
    return f"{row.hedge} {row.stated}{unit}".strip(), f"{row.computed}{unit}" if row.computed else ""


def judge_claims(
    chosen: Sequence[Claim],
    cells: Callable[[str], pd.DataFrame],
    every: Sequence[Claim] | None = None,
    *,
    tolerance: float = 1.0,
    known: dict[tuple[str, str], Any] | None = None,
) -> Audit:
    """Return the audit of these claims by cells that a function gives, by the id of a table as a frame of texts.

    Claims name those of `every`, by default each other. `tolerance` multiplies every allowance: half a unit of the last
    digit; 5 %, or a point, of a hedged number. What is computed from the cells is taken from `known`, by source and id
    of a claim, and put there: for claims that are judged again under other rules. One that cannot be judged is among
    the `failed` of the audit, with the error.
    """
    claims_by_id = {(claim.source, claim.id): claim for claim in every or chosen}
    alone = functools.cache(lambda: unverifiable_statements(claims_by_id.values()))  # few need it
    judged, failed, known = [], [], {} if known is None else known
    for claim in chosen:
        computed, printed = {}, ""
        try:
            if claim.tested:
                key = claim.source, claim.id
                if key not in known:
                    known[key] = _computed_by_claim(claim, cells, claims_by_id)
                computed, printed = known[key]
            words = {"unit": claim.unit, "hedge": claim.hedge, "assumption": claim.assumption}
            judgement = judge_claim_value(claim.stated, computed, **words, tolerance=tolerance)
            judgement = replace(judgement, printed=printed)
            if judgement.verdict != UNVERIFIABLE:
                judgement = replace(judgement, evidence=evidence_of(claim, claims_by_id))
            agrees = judgement.verdict in HOLDS and judgement.evidence == ANOTHER_SENTENCE
            if agrees and grounds_of(claim, claims_by_id, alone()) == CIRCLE:
                judgement = replace(judgement, verdict=REPEATED)
        except DominoperfError as error:
            failed.append((claim, error))
        else:
            judged.append((claim, judgement))
    return Audit(tuple(judged), tuple(failed))


def _computed_by_claim(claim, cells, claims_by_id):
    """What the cells of a claim imply under each reading, and how it is printed, where it is one printed number."""
    inputs = {wanted.name: value_of_claim_input(wanted, claim, cells, claims_by_id) for wanted in claim.inputs}
    _check_units_of_inputs(claim, claims_by_id)
    # A claim that repeats one cell, or another claim, without any arithmetic is reported in its printed characters.
    only, printed = next((wanted for wanted in claim.inputs if wanted.name == claim.expression), None), ""
    if only and only.claim:
        printed = claims_by_id[claim.source, only.claim].stated
    elif only and not only.many:
        printed = cells(only.table)[only.column][only.rows[0] - 1]
    if not claim.expression:
        computed = _changes_of_claim(claim, inputs, claims_by_id)
    elif claim.expression.startswith("@"):
        name = claim.expression.removeprefix("@")
        if name not in recompute.MODELS:
            raise UnknownName.among(f"{claim.where}, expression", name, recompute.MODELS)
        computed = {claim.readings[0]: recompute.MODELS[name](cells)}
    else:
        computed = {claim.readings[0]: _value_of_expression(claim, inputs, printed)}
    return computed, printed if only and only.claim else rendering.printed_number(printed, claim.unit)


def _changes_of_claim(claim, inputs, claims_by_id):
    """What the inputs old and new of a claim imply under each of its readings."""
    ends = [inputs.get(name) for name in ("old", "new")]
    if not all(np.issubdtype(np.asarray(end).dtype, np.floating) for end in ends):
        found = ", ".join(f"{name} {_computed_text(value)}" for name, value in inputs.items())
        remedy = "Name two cells so that hold numbers, or give an expression."
        raise BadTable(claim.where, expected="inputs old and new, numbers", found=found, remedy=remedy)
    if len({np.size(end) for end in ends} - {1}) > 1:
        found = " and ".join(f"{np.size(end)} of {name}" for name, end in zip(("old", "new"), ends, strict=True))
        remedy = "Name as many rows for new as for old, or one row for one of them."
        raise BadTable(claim.where, expected="pairs of old and new", found=found, remedy=remedy)
    units = [_unit_of_claim_input(wanted, claim, claims_by_id) for wanted in claim.inputs]
    if "faster" in claim.readings and not all(unit_fits(unit, "s") for unit in units):
        found = " and ".join(dict.fromkeys(unit or "no unit" for unit in units))
        remedy = "Take the reading increase, or decrease; or give the columns their unit."
        raise BadTable(f"{claim.where}, reading faster", expected="two times", found=found, remedy=remedy)
    return changes_by_reading(*ends, claim.unit, claim.readings)


def _value_of_expression(claim, inputs, printed):
    """What the expression of a claim gives, of the kind that its reading takes: a number, a truth value or a text."""
    where, reading = f"{claim.where}, expression", claim.readings[0]
    value = evaluate(claim.expression, inputs, FUNCTIONS, where)
    if isinstance(value, (np.ndarray, np.generic)) and np.size(value) == 1:
        value = value.item()  # of Python's own types
    if reading == "text" and printed:
        value = printed
    kind, one = np.asarray(value).dtype.kind, np.size(value) == 1
    right = kind in "iufU" if reading in NUMERIC_READINGS else one and kind == {"truth": "b", "text": "U"}[reading]
    if not right and not np.all(pd.isna(value)):
        expected = {"truth": "one truth value", "text": "one text"}.get(reading, "numbers")
        found = _computed_text(value) if one or kind != "b" else f"{np.size(value)} truth values"
        remedy = "Compare the texts in the expression, or name one." if kind == "O" else "Take another reading."
        remedy = "Write all(...) or any(...) around the comparison." if kind == "b" and not one else remedy
        raise BadTable(where, expected=f"{expected}, by the reading {reading}", found=found, remedy=remedy)
    return value


def _check_units_of_inputs(claim, claims_by_id):
    """Refuse an input in another unit than the claim or one before it, unless `in` says that the expression knows."""
    units = [_unit_of_claims(claim.unit)]
    for wanted in claim.inputs:
        unit, named = _unit_of_claim_input(wanted, claim, claims_by_id), _unit_of_claims(wanted.unit)
        other = next((each for each in units if _are_sizes_of_one_unit(unit, each)), "")
        if (other and not (named == unit and claim.expression)) or named not in ("", unit):
            found = f"{unit or 'no unit'} beside {other or named}"
            remedy = f"Write '{replace(wanted, unit=unit)}', and an expression that converts it."
            where = f"{claim.where}, input {wanted.name}"
            raise BadTable(where, expected="numbers in one unit", found=found, remedy=remedy)
        units += [] if named else [unit]


def _unit_of_claim_input(wanted, claim, claims_by_id):
    """The unit of the cells, or of the other claim, that an input names; "" without one."""
    if wanted.claim:
        return _unit_of_claims(claims_by_id[claim.source, wanted.claim].unit)
    return _unit_of_claims(loading.find_table(wanted.table).fields.get(wanted.column, {}).get("unit"))


def _unit_of_claims(unit):
    """A unit of a claim or of its cells as tables have it; a count is of anything."""
    return "percent" if unit in PERCENT else "" if unit in (None, "1") else unit


@functools.cache
def _are_sizes_of_one_unit(unit, other):
    """Whether two units measure the same thing and differ in size, as ms and s do."""
    if "percent" in (unit, other):  # pint takes a bit for a plain number, and so a percentage for megabytes
        return False
    return known_unit(unit) and known_unit(other) and unit_fits(unit, other) and unit_factor(unit, other) != 1


def _audit_row(claim, judgement):
    """The cells of `Audit.tidy`; the other readings are reported where the claim is not confirmed."""
    others = ", ".join(f"{name} {_computed_text(value, claim.unit)}" for name, value in judgement.others)
    comment = [
        claim.comment,
        f"Other readings: {others}." if others and judgement.verdict != CONFIRMED else "",
        "A cell that it names is empty." if judgement.verdict == UNVERIFIABLE and claim.tested else "",
    ]
    return vars(claim) | {
        "computed": judgement.printed or _computed_text(judgement.computed, claim.unit),
        "reading": judgement.reading,
        "inputs": "; ".join(map(str, claim.inputs)),
        "evidence": judgement.evidence,
        "verdict": judgement.verdict,
        "expected_verdict": claim.expected,
        "comment": " ".join(filter(None, comment)),
    }


def _computed_text(value, unit=""):
    """A computed value as text: a number, yes or no, both ends where there are many."""
    if isinstance(value, (bool, np.bool_, str)):
        return rendering.cell_text(value)
    if np.asarray(value).dtype == object:
        return ", ".join(dict.fromkeys(map(str, value)))
    numbers = np.unique(np.asarray(value, float))
    if np.isnan(numbers).all():
        return ""
    first, *others = (rendering.number(number, unit=unit) for number in numbers)
    return f"{first}{', ' if len(others) == 1 else ' to '}{others[-1]}" if others else first
