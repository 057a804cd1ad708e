"""What a claim rests on: printed cells, its own numbers, another sentence, or nothing but itself said twice."""

import functools
import re

from dominoperf import tables
from dominoperf.study.audit.claim_rows import page_in_locator
from dominoperf.study.audit.verdicts import PERCENT, UNVERIFIABLE, read_stated
from dominoperf.tables import folders, loading
from dominoperf.tables.reading import read_number

CELLS, CIRCLE = "cells", "circle"
EVIDENCE = ("printed table", "own numbers", "our own check", "another sentence")
"""What a verdict is reached by, whatever it is, the strongest first; of a picture nothing is left to test by."""
PRINTED_TABLE, OWN_NUMBERS, OWN_CHECK, ANOTHER_SENTENCE = EVIDENCE


def evidence_of(claim, claims_by_id):
    """Return what a claim is tested by: a name in `EVIDENCE`, "" where nothing tests it.

    Cells of a printed table, also by way of another claim; arithmetic on the sentence's own numbers; a check that we
    wrote for it; or another sentence, list or caption of the document.
    """
    if not claim.tested:
        return ""
    if claim.expression.startswith("@"):
        return OWN_CHECK
    if claim.check == "arithmetic":
        return OWN_NUMBERS
    return PRINTED_TABLE if _claim_reaches_table(claim, claims_by_id, ()) else ANOTHER_SENTENCE


def _claim_reaches_table(claim, claims_by_id, path):
    """Tell whether an input of a claim, or of a claim that it names, is of a table that the document prints."""
    key = (claim.source, claim.id)
    if key in path:
        return False
    others = [claims_by_id.get((claim.source, item.claim)) for item in claim.inputs if item.claim]
    return any(not printed_table_for_claims(item.table)[1].prose for item in claim.inputs if item.table) or any(
        _claim_reaches_table(other, claims_by_id, (*path, key)) for other in others if other
    )


def grounds_of(claim, claims_by_id, alone, path=()):
    """Return what a claim rests on: "cells", in a "circle" on itself, or "unverifiable".

    `alone` is what `unverifiable_statements` gives, `path` the claims that lead to this one. A cell of prose that says
    the same again is no ground.
    """
    key = (claim.source, claim.id)
    if claim.expected == UNVERIFIABLE:
        return UNVERIFIABLE
    if key in path:
        return CIRCLE
    if not claim.inputs:
        return CELLS  # arithmetic, or a model of cells
    below = set()
    for wanted in claim.inputs:
        if wanted.claim:
            other = claims_by_id.get((claim.source, wanted.claim))  # who judges it tells of one that is not there
            below.add(grounds_of(other, claims_by_id, alone, (*path, key)) if other else CELLS)
            continue
        frame, about = printed_table_for_claims(wanted.table)
        if wanted.column not in frame or "locator" not in frame or not about.prose:
            below.add(CELLS)
            continue
        every = _rows_of_table(wanted.table)
        rows = [every[row - 1] for row in wanted.rows if row <= len(every)] or every
        stated = [_stated_in_prose(claim.source, row, wanted.column) for row in rows]
        again = claim.expression.strip() == wanted.name and len(rows) == 1
        if all(each & alone for each in stated):
            below.add(UNVERIFIABLE)
        else:
            is_same = again and {number for _, _, _, number in stated[0]} == stated_numbers(claim)
            below.add(CIRCLE if is_same else CELLS)
    return next(ground for ground in (CELLS, CIRCLE, UNVERIFIABLE) if ground in below)


def _stated_in_prose(source, row, column):
    """What a cell of a table of prose states: source, page, unit, number; of a word the numbers of its row."""
    names = [column] if numbers_in_claim(row[column]) else [name for name in row if name != "locator"]
    known = tables.vocabulary()
    return {
        (source, page_in_locator(row["locator"]), row.get("unit") or known.get(name, {}).get("unit", ""), number)
        for name in names
        for number in numbers_in_claim(row[name])
    }


def unverifiable_statements(rows):
    """Source, page, unit and number of each unverifiable claim: a cell of prose with them is the same statement."""
    of = [claim for claim in rows if claim.expected == UNVERIFIABLE]
    return {
        (claim.source, claim.page, "percent" if claim.unit in (*PERCENT, "% of CPU") else claim.unit, number)
        for claim in of
        for number in stated_numbers(claim)
    }


def stated_numbers(claim):
    """The numbers that a claim states, in digits or as a word."""
    word = read_stated(claim.stated)
    return numbers_in_claim(claim.stated) or ({word.low} if word else set())


@functools.cache
def numbers_in_claim(text):
    """The numbers in a text."""
    numbers = (read_number(digits.rstrip(".,")) for digits in re.findall(r"\d[\d,]*(?:\.\d+)?|\.\d+", text))
    return frozenset(number for number in numbers if number is not None)


@folders.cached_until_data_change(maxsize=512)
def printed_table_for_claims(id):
    """The printed cells of a table, and its description: the rules ask for a table thousands of times."""
    return loading.load(id, "printed", text=True), tables.describe(id)


@folders.cached_until_data_change(maxsize=512)
def _rows_of_table(id):
    """The rows of the printed cells as dicts."""
    return printed_table_for_claims(id)[0].to_dict("records")
