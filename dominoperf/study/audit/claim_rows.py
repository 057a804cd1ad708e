"""The quantitative statements of the documents: the rows of ``claims.csv``, checked, and the cells that they name."""

import functools
import os
import re
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from dominoperf import tables
from dominoperf.errors import BadTable, DominoperfError, UnknownName, as_python
from dominoperf.study.audit.verdicts import HEDGES, NUMERIC_READINGS, is_claim_hedge, read_stated
from dominoperf.tables import folders, reading
from dominoperf.tables.validation import keys_needed_by_schema, schema_fault

COLUMNS = (
    *("id", "source", "locator", "topic", "claim", "stated", "unit", "reading", "hedge", "inputs", "expression"),
    *("check", "assumption", "expected_verdict", "bears_on", "comment"),
)
_INPUT = re.compile(
    r"\s*(?P<name>\w+)\s*=\s*"
    r"(?:claim:(?P<claim>\S+)|(?P<table>[\w./-]+)\.(?P<column>\S.*?)\[(?P<rows>\s*\*\s*|[\d,\s-]+)\])"
    r"(?:\s+in\s+(?P<unit>\S.*?))?\s*"
)
BEARS_ON = ("plan", "conclusion", "wording", "")  # what a contradiction changes, the gravest first
_KIND_OF_PLACE = re.compile(r"^(?:page|section) ")
_MOST_ROWS = 1_000_000  # of an input: what is beyond is a slip
_EXAMPLE = (
    "name = table.column[rows], rows as 3, 1-4, 1,3 or *; or name = claim:ID; each perhaps in UNIT, that of its cells"
)


@dataclass(frozen=True)
class ClaimInput:
    """Cells that an expression names: a column of a table in some rows, or the number that another claim states."""

    name: str
    claim: str = ""
    table: str = ""
    column: str = ""
    rows: tuple = ()  # none for all of them
    many: bool = False
    unit: str = ""  # of its cells, where the row says that the expression converts it

    def __str__(self):
        """Say which cells these are, as the file has it."""
        unit = f" in {self.unit}" if self.unit else ""
        if self.claim:
            return f"{self.name} = claim:{self.claim}{unit}"
        rows = ",".join(map(str, self.rows)) or "*"
        return f"{self.name} = {self.table}.{self.column}[{rows}]{unit}"


@dataclass(frozen=True)
class Claim:
    """A quantitative statement of a document, in our words, and how it is tested."""

    id: str
    source: str
    locator: str
    topic: str
    claim: str
    stated: str
    unit: str
    readings: tuple
    hedge: str
    inputs: tuple
    expression: str
    check: str
    assumption: str
    expected: str
    bears_on: str
    comment: str
    where: str = field(default="", repr=False)  # file and line

    @property
    def page(self):
        """The page or section of its place."""
        return page_in_locator(self.locator)

    @property
    def tested(self):
        """Whether anything is computed of it."""
        return bool(self.inputs or self.expression)


def page_in_locator(locator):
    """Return the page or section of a locator, as tables of prose have it; what follows a comma is a place on it.

    Examples
    --------
    >>> page_in_locator("page 3-16/3-19, sentence 2"), page_in_locator("3-16/3-19"), page_in_locator("Front matter")
    ('3-16/3-19', '3-16/3-19', 'Front matter')
    """
    return _KIND_OF_PLACE.sub("", locator.partition(",")[0])


def claims(source: str | None = None) -> tuple[Claim, ...]:
    """Return the claims of the documents in use, or of one, as a tuple of `Claim`.

    Raises
    ------
    BadTable
        When a row of a ``claims.csv`` does not keep its contract: file, line, what was expected, what was found.
    UnknownName
        When there is no such source.
    """
    sources = [folder.name for folder in tables.in_use()]
    if source is not None and source not in sources:
        raise UnknownName.among("source", source, sources)
    files = [folder / folders.CLAIMS for folder in (tables.home(), *folders.users_data_folders())]
    rows = [claim for path in files if path.exists() for claim in read_claims(path)]
    return tuple(claim for claim in rows if source in (None, claim.source))


def read_claims(path: str | os.PathLike) -> tuple[Claim, ...]:
    """Read a file of claims; the source of all in a user's folder is its name, those of ours say theirs.

    Raises
    ------
    BadTable
        When the argument is no path, or a row does not keep its contract.
    UnknownName
        When a topic or unit of ours is in no vocabulary.
    """
    path = folders.path_of_argument(path, "read_claims(path)", "the path of a CSV file of claims")
    rows, faults = _rows_and_faults(path)
    for line, id, error in faults:
        where = f"{path.name}, line {line} ({id}), column {error.where}"
        raise type(error)(where, expected=error.expected, found=error.found, remedy=error.remedy)
    return rows


def faults_of_claims(path: Path) -> list[tuple[int | None, DominoperfError]]:
    """Return what is wrong with a file of claims: of each row that does not keep its contract the line and the error.

    The error says the column; what keeps the file from being read at all has no line.
    """
    try:
        return [(line, error) for line, _, error in _rows_and_faults(path)[1]]
    except BadTable as error:
        return [(None, error)]


@folders.cached_until_file_changes
def _rows_and_faults(path):
    """The claims of a file, and line, id and error of each row that is none."""
    try:
        table = reading.read_printed_csv(path)
    except (OSError, ValueError) as error:
        remedy = "Mend the file."
        raise BadTable(str(path), expected="a CSV file of claims", found=str(error), remedy=remedy) from error
    missing = [name for name in keys_needed_by_schema("claims") if name not in table]
    if missing:
        remedy = f"Its columns are {', '.join(COLUMNS)}."
        raise BadTable(str(path), expected="every column", found=f"no {', '.join(missing)}", remedy=remedy)
    rows, faults = {}, []
    for line, row in enumerate(table.reindex(columns=COLUMNS, fill_value="").to_dict("records"), start=2):
        row = {name: text.strip() for name, text in row.items()}
        try:
            claim = _claim_of_row(row, path, f"{path.name}, line {line} ({row['id']})")
            if claim.id in rows:  # other claims name it
                remedy = "Give each claim an id of its own."
                raise BadTable("id", expected="a new id", found=repr(claim.id), remedy=remedy)
            rows[claim.id] = claim
        except DominoperfError as error:
            faults.append((line, row["id"], error))
    return tuple(rows.values()), tuple(faults)


def _claim_of_row(row, path, where):
    """The claim of a row; the error of one that does not keep its contract names the column."""
    if fault := schema_fault("claims", row):
        raise BadTable(fault.locator, expected=fault.expected, found=fault.found, remedy=fault.remedy)
    source = row["source"]
    if path.parent == tables.home():
        for column, (known, listing) in _words_of_our_claims().items():
            if row[column] not in known:
                raise UnknownName.among(column, row[column], known, listing)
    else:  # a claim of a user's folder is one of that folder, and takes no place of ours
        source = source or path.parent.name
        if source != path.parent.name:
            expected = f"{path.parent.name!r}, the folder's name, or an empty cell"
            remedy = "Empty the cell, or move the row to the claims.csv of that folder."
            raise BadTable("source", expected=expected, found=repr(source), remedy=remedy)
        if row["hedge"] and not is_claim_hedge(row["hedge"]):  # any word would allow 5 %
            listing = f"Words that say what they allow are {', '.join(HEDGES)}."
            raise UnknownName.among("hedge", row["hedge"], HEDGES, listing)
    inputs = tuple(_input_of_text(text, source) for text in row["inputs"].split(";") if text.strip())
    readings = tuple(filter(None, row["reading"].split("|")))
    if NUMERIC_READINGS.intersection(readings) and read_stated(row["stated"]) is None:
        expected = "a number: in digits, a word to fourteen, or a range as 20-30"
        remedy = "Write it so; of what is no number the reading is text, or truth with yes or no."
        raise BadTable("stated", expected=expected, found=as_python(row["stated"]), remedy=remedy)
    parsed = {"source": source, "inputs": inputs, "readings": readings, "expected": row["expected_verdict"]}
    as_they_are = {name: row[name] for name in COLUMNS if name not in (*parsed, "reading", "expected_verdict")}
    return Claim(**as_they_are, **parsed, where=where)


@functools.cache
def _words_of_our_claims():
    """The topics and units that our claims may have, where two spellings would count as two, and where they are."""
    words = folders.our_toml_file("claim_words.toml")
    topics = f"Topics are {', '.join(words['topics'])}; data/claim_words.toml says what each means."
    units = sorted({"", *words["units"], *tables.units().values()})
    return {
        "topic": (words["topics"], topics),
        "unit": (units, "Units are those of data/columns.toml and of data/claim_words.toml."),
    }


def _input_of_text(text, source):
    """The cells that a part of `inputs` names; a table without a source is one of the claim's own document."""
    match = _INPUT.fullmatch(text)
    if not match:
        raise BadTable("inputs", expected=_EXAMPLE, found=repr(text), remedy="Mend the cell.")
    name, unit = match["name"], match["unit"] or ""
    if match["claim"]:
        return ClaimInput(name, claim=match["claim"], unit=unit)
    parts = []
    for part in "".join(match["rows"].split()).split(","):
        first, _, last = part.partition("-")
        is_range = first.isdecimal() and (last or first).isdecimal()
        rows = range(int(first), int(last or first) + 1) if is_range else range(0)  # none for all of them
        if part != "*" and not 1 <= rows.start < rows.stop < 2**31:
            raise BadTable("inputs", expected=_EXAMPLE, found=repr(text), remedy="Mend the cell.")
        parts.append(rows)
    if sum(map(len, parts)) > _MOST_ROWS:
        raise BadTable("inputs", expected=f"{_MOST_ROWS:,} rows at most", found=repr(text), remedy="Mend the cell.")
    table = match["table"] if "/" in match["table"] else f"{source}/{match['table']}"
    rows, many = tuple(row for part in parts for row in part), not match["rows"].strip().isdecimal()
    return ClaimInput(name, table=table, column=match["column"], rows=rows, many=many, unit=unit)


def value_of_claim_input(wanted, claim, cells, claims_by_id):
    """Return what an input of a claim names: a number, or a text where it is none; of several rows an array of them.

    `cells` gives the printed texts of a table as a frame, by its id; `claims_by_id` are those that an input may name.
    """
    if wanted.claim:
        other = claims_by_id.get((claim.source, wanted.claim))
        if other is None:
            ids = [id for source, id in claims_by_id if source == claim.source]
            listing = "It is the id of another claim of the document."
            raise UnknownName.among(f"{claim.where}, inputs", wanted.claim, ids, listing)
        number = read_stated(other.stated)
        if number is None:
            return other.stated
        return number.low if number.low == number.high else np.array([number.low, number.high])
    frame, where = cells(wanted.table), f"{claim.where}, input {wanted.name}"
    if wanted.column not in frame:
        raise UnknownName.among(where, wanted.column, frame)
    rows = wanted.rows or range(1, len(frame) + 1)
    if max(rows) > len(frame):
        found = f"row {max(rows)} of {wanted.table}"
        remedy = "Rows are counted from 1, without the heading."
        raise BadTable(where, expected=f"a row to {len(frame)}", found=found, remedy=remedy)
    column = frame[wanted.column].array  # one cell after another of a frame with attrs takes long
    texts = [column[row - 1] for row in rows]
    numbers = [reading.read_number(text) for text in texts]
    values = [text or np.nan if number is None else number for text, number in zip(texts, numbers, strict=True)]
    if not wanted.many:
        return values[0]
    return np.asarray(values, dtype=object if any(isinstance(value, str) for value in values) else float)
