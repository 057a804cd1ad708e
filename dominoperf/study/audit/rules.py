"""The mistakes of the audit itself: verdicts that claims, errata and cells do not bear out, found by rule.

A verdict is ours, and can be as wrong as a printed number. Repetition does not confirm a result or a piece of advice.
It does confirm a set-up or a definition. A row of ``data/exceptions.csv`` argues why a verdict stands against a rule;
one that is no longer needed is itself a problem. The words that name a workload, a task, a set-up or a platform are in
``data/scopes.csv``.
"""

import ast
import functools
import re
from collections import defaultdict
from collections.abc import Iterable

import pandas as pd

from dominoperf import tables
from dominoperf.study.audit.audited import judge_claims
from dominoperf.study.audit.claim_rows import Claim, claims, page_in_locator
from dominoperf.study.audit.grounds import (
    CIRCLE,
    grounds_of,
    numbers_in_claim,
    printed_table_for_claims,
    unverifiable_statements,
)
from dominoperf.study.audit.verdicts import CONTRADICTED, HOLDS, REPEATED, UNVERIFIABLE
from dominoperf.tables import folders, loading
from dominoperf.tables.reading import read_printed_csv

_COLUMNS = ["rule", "source", "id", "claim", "expected", "found", "remedy"]
_AGREES = (*HOLDS, REPEATED)
_MEASURED = ("%", "percentage point", "% of CPU", "s", "ms", "tpm", "transaction/min", "1/min")
_OF_CHANGE = {"increase", "decrease", "difference"}  # readings of what something gains or loses
_SUBJECTS = ("workload", "task", "set_up", "platform", "quantity")  # columns that say of what a row is
_ARGUE = "Or argue in a row of data/exceptions.csv why it stands."


def check_verdicts(rows: Iterable[Claim] | None = None, errata: pd.DataFrame | None = None) -> pd.DataFrame:
    """Test the verdicts of our claims by the rules that find our own mistakes.

    Parameters
    ----------
    rows : sequence of Claim, optional
        By default the claims of the five documents.
    errata : DataFrame, optional
        By default those of the five documents, as `tables.errata` gives them.

    Returns
    -------
    DataFrame
        rule (a name in `RULES`, or "exceptions"), source, id, claim, expected, found, remedy: one row per claim and
        rule that it breaks without an argued exception, and one per exception that is not needed. Empty when all is
        well.

    Examples
    --------
    >>> from dominoperf.study import audit
    >>> len(audit.check_verdicts(audit.claims("ibm_330")))
    0
    """
    ours = [folder.name for folder in folders.our_data_folders()]
    rows = tuple(claim for claim in claims() if claim.source in ours) if rows is None else tuple(rows)
    printed = functools.cache(lambda id: loading.load(id, "printed", text=True))
    rows = judge_claims(rows, printed).claims  # the audit tells of one that cannot be judged
    errata = tables.errata() if errata is None else errata
    errata = errata[errata["source"].isin(ours)]
    problems = [
        (name, claim.source, claim.id, claim.claim, expected, seen, remedy)
        for name, broken in RULES.items()
        for claim, expected, seen, remedy in broken(rows, errata)
    ]
    frame = pd.DataFrame(problems, columns=_COLUMNS, dtype="str").drop_duplicates(_COLUMNS[:3])
    broken = list(zip(frame["rule"], frame["source"], frame["id"], strict=True))
    exceptions = read_printed_csv(tables.home() / "exceptions.csv")
    argued = set(zip(exceptions["rule"], exceptions["source"], exceptions["id"], strict=True))
    texts, sources = {(claim.source, claim.id): claim.claim for claim in rows}, {claim.source for claim in rows}
    remedy = "Take the row out of data/exceptions.csv."
    idle = [
        ("exceptions", source, id, texts.get((source, id), ""), f"a verdict against the rule {rule!r}", "none", remedy)
        for rule, source, id in sorted(argued - set(broken))
        if source in sources
    ]
    kept = frame[[key not in argued for key in broken]]
    return pd.concat([kept, pd.DataFrame(idle, columns=_COLUMNS, dtype="str")], ignore_index=True)


def _claims_despite_erratum(rows, errata):
    """Claims that hold though an erratum corrects the number they state, or the cell that decides about them."""
    expected = "a verdict that agrees with the erratum"
    remedy = f"Test it by what is right, and name it there. {_ARGUE}"
    corrected = errata[errata["corrected"] != ""]
    of_source = {source: [*group.itertuples()] for source, group in corrected.groupby("source")}
    misprints = {}  # the erratum of a claim's page that replaces all numbers it states
    for claim in rows:
        numbers = numbers_in_claim(claim.stated)
        for erratum in of_source.get(claim.source, ()) if numbers else ():
            wrong = numbers_in_claim(erratum.printed) - numbers_in_claim(erratum.corrected)
            pages = page_in_locator(erratum.locator), erratum.locator.partition(" / ")[0]
            if numbers <= wrong and claim.page in pages:
                key = claim.source, claim.id
                misprints.setdefault(key, f"{erratum.printed!r} should be {erratum.corrected!r}")

    @functools.cache
    def mended_cells(id):
        """The printed cells of a table with all errata applied, the suspected ones too."""
        frame = loading.load(id, "printed", text=True)
        of = corrected[(corrected["source"] + "/" + corrected["table"] == id) & corrected["row"].notna()]
        for erratum in of.itertuples():
            frame.loc[int(erratum.row) - 1, erratum.column] = erratum.corrected
        return frame

    printed = functools.cache(lambda id: loading.load(id, "printed", text=True))
    for claim, judgement in judge_claims(rows, mended_cells).judged:
        if claim.expected not in _AGREES:
            continue
        wrong = misprints.get((claim.source, claim.id)) or misprints.get((claim.source, _repeated_claim(claim)))
        if wrong:
            yield claim, expected, f"{claim.expected}, and the erratum {wrong}", remedy
            continue
        # A pin that is wrong by the printed cells too is not the erratum's doing: its own test tells it.
        turned = judgement.verdict not in (*_AGREES, UNVERIFIABLE)
        if turned and {each.verdict for _, each in judge_claims([claim], printed, rows).judged} & set(_AGREES):
            yield claim, expected, f"{claim.expected}, and {judgement.verdict} by the corrected cells", remedy


def _contradicted_claims_without_erratum(rows, errata):
    """Claims that are contradicted, and that no erratum names."""
    named = {(erratum.source, id) for erratum in errata.itertuples() for id in erratum.claim_ids.split()}
    for claim in rows:
        if claim.expected == CONTRADICTED and (claim.source, claim.id) not in named:
            remedy = f"Add a row to data/errata.csv, or its id to the claim_ids of one. {_ARGUE}"
            yield claim, "an erratum that names it", "none", remedy


def _claims_of_one_expression(rows, _errata):
    """Claims that compute the same from the same cells, and differ in assumption, or in verdict on one number."""
    groups = defaultdict(list)
    for claim in (claim for claim in rows if claim.tested):
        groups[claim.source, _expression_over_cells(claim)].append(claim)
    for (_, text), group in groups.items():
        for claim in group[1:]:
            first, same = group[0], claim.stated.casefold() == group[0].stated.casefold()
            if claim.assumption != first.assumption or (same and claim.expected != first.expected):
                found = f"{claim.expected} assuming {claim.assumption or 'nothing'}, by {text}"
                yield claim, f"{first.expected} assuming {first.assumption or 'nothing'}, as {first.id}", found, _ARGUE


def _expression_over_cells(claim):
    """The expression with its cells in place of their names; a table that repeats another is that table."""
    names = {}
    for wanted in claim.inputs:
        table, column = wanted.table, wanted.column
        again = (
            next((each for each in loading.declared_identities(table) if "repeats" in each), None) if table else None
        )
        if again:
            table = f"{table.partition('/')[0]}/{again['repeats']}"
            column = again.get("columns", {}).get(column, column)
        names[wanted.name] = f"claim:{wanted.claim}" if wanted.claim else f"{table}.{column}[{wanted.rows}]"
    if not claim.expression or claim.expression.startswith("@"):
        return " ".join([claim.expression, *claim.readings, *sorted(f"{name}={at}" for name, at in names.items())])
    tree = ast.parse(claim.expression.strip(), mode="eval")
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            node.id = names.get(node.id, node.id)
    return ast.unparse(tree)


def _claims_tested_by_other_subject(rows, _errata):
    """Claims that name a workload, task, set-up, script or platform of which none of their cells are."""
    claims_by_id = {(claim.source, claim.id): claim for claim in rows}
    scopes = defaultdict(dict)
    for row in read_printed_csv(tables.home() / "scopes.csv").itertuples():
        scopes[row.dimension][row.name] = re.compile(row.words)
    subjects = {}  # what the rows of a table say that they are of, and its title
    for id in {wanted.table for claim in rows for wanted in claim.inputs if wanted.table}:
        frame, about = printed_table_for_claims(id)
        subjects[id] = frame[[name for name in _SUBJECTS if name in frame]].to_numpy().tolist(), about.title
    for claim in (claim for claim in rows if claim.inputs):
        sources = {wanted.table.partition("/")[0] for wanted in claim.inputs if wanted.table}
        if elsewhere := sources - {claim.source}:
            remedy = f"Another document measured another system. {_ARGUE}"
            yield claim, f"cells of {claim.source}", f"cells of {', '.join(sorted(elsewhere))}", remedy
        said, of_cells = f"{claim.locator}: {claim.claim}", set()
        for wanted in claim.inputs:  # what says of what its cells are: their rows, or the title of their table
            if wanted.claim:
                other = claims_by_id[claim.source, wanted.claim]
                of_cells.add(f"{other.locator}: {other.claim}")
                continue
            cells, title = subjects[wanted.table]
            chosen = [cells[row - 1] for row in wanted.rows] if wanted.rows else cells
            of_cells |= {cell for row in chosen for cell in row} or {title}
        for dimension, patterns in scopes.items():
            named = {name for name, words in patterns.items() if words.search(said)}
            used = {name for name, words in patterns.items() if any(map(words.search, of_cells))}
            missing = named - used
            if used and missing:
                found = f"cells and claims of {', '.join(sorted(used))}"
                remedy = f"Name cells of that {dimension}, or leave it unverifiable. {_ARGUE}"
                yield claim, f"cells of {', '.join(sorted(missing))}", found, remedy


def _unsupported_claims(rows, _errata):
    """Claims that hold by nothing but unverifiable ones, or that are results and hold by their repetition alone."""
    claims_by_id = {(claim.source, claim.id): claim for claim in rows}
    alone = unverifiable_statements(rows)
    for claim in rows:
        if claim.expected not in _AGREES or not claim.inputs or claim.check == "arithmetic":
            continue
        grounds = grounds_of(claim, claims_by_id, alone)
        if grounds == UNVERIFIABLE or (grounds == CIRCLE and claim.unit in _MEASURED):
            names = ", ".join(wanted.claim or f"{wanted} (the statement itself)" for wanted in claim.inputs)
            found = f"{claim.expected} by {names} alone"
            yield claim, "a cell, or a statement that is not unverifiable", found, f"It is unverifiable too. {_ARGUE}"


def _claims_repeated_with_other_verdict(rows, _errata):
    """A statement and its repetition, the number of the one taken for the other, have one verdict."""
    claims_by_id = {(claim.source, claim.id): claim for claim in rows}
    for claim in (claim for claim in rows if _repeated_claim(claim)):
        first = claims_by_id[claim.source, _repeated_claim(claim)]
        if claim.stated == first.stated and claim.expected != first.expected:
            yield claim, f"{first.expected}, as {first.id}, which it repeats", claim.expected, _ARGUE


def _repeated_claim(claim):
    """The id of the claim that is repeated: the only input, taken as it is."""
    only = claim.inputs[0] if len(claim.inputs) == 1 else None
    return only.claim if only and claim.expression.strip() == only.name else ""


def _claims_of_same_number(rows, _errata):
    """One number of one unit and topic, stated twice in a document, is not once testable and once not.

    What something gains is another number than what it carries.
    """
    groups = defaultdict(list)
    for claim in rows:
        numbers = tuple(sorted(numbers_in_claim(claim.stated)))
        if numbers and claim.unit not in ("", "1"):
            kind = claim.topic, numbers, claim.unit, _OF_CHANGE.isdisjoint(claim.readings)
            groups[claim.source, *kind].append(claim)
    for group in groups.values():
        tested = [claim for claim in group if claim.expected in _AGREES]
        for claim in (claim for claim in group if claim.expected == UNVERIFIABLE and tested):
            expected = f"{tested[0].expected}, as {tested[0].id}: {tested[0].claim}"
            yield claim, expected, "unverifiable", f"Test both by the same evidence, or neither. {_ARGUE}"


def _claims_judged_by_assumption_alone(rows, _errata):
    """What agrees only under an assumption is conditional; what disagrees only under one is not contradicted."""
    for claim in rows:
        if claim.expected == CONTRADICTED and claim.assumption:
            found = f"contradicted assuming {claim.assumption}"
            yield claim, "unverifiable, or a contradiction without an assumption", found, _ARGUE


RULES = {
    "corrected": _claims_despite_erratum,
    "erratum": _contradicted_claims_without_erratum,
    "expression": _claims_of_one_expression,
    "subject": _claims_tested_by_other_subject,
    "grounds": _unsupported_claims,
    "repetition": _claims_repeated_with_other_verdict,
    "number": _claims_of_same_number,
    "assumption": _claims_judged_by_assumption_alone,
}
"""What must hold of our own verdicts, by name: each a function of the claims and the errata.

It yields every claim that breaks the rule, with what was expected, what was found, and the remedy.
"""
