"""Draft the audit of another document from its text: a data folder with its tables, and a row of claims a sentence.

Text that was extracted from pages keeps columns as tabs, pipes, or blanks that line up. A run of such lines is a table;
what is in none is prose. Nobody's sentences are copied: a drafted claim has the numbers of a sentence and its place,
and asks for the statement.
"""

import bisect
import csv
import functools
import io
import itertools
import os
import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import PurePosixPath

import pandas as pd

from dominoperf.errors import CONTROL, BadTable
from dominoperf.study.audit.claim_rows import COLUMNS
from dominoperf.study.audit.verdicts import AT_LEAST, AT_MOST, NEGATION, NOT_EXACT, read_stated
from dominoperf.tables import headings, new_folder, units
from dominoperf.tables.checking import questions_left_in_draft
from dominoperf.tables.files import decoded_text, read_bytes
from dominoperf.tables.folders import CLAIMS, folder_path, open_descriptor_question, our_toml_file, path_of_argument
from dominoperf.tables.reading import is_absent_cell, read_anybodys_csv, read_number

OWN = ("begins", "numbers", "candidates")
"""Columns of a drafted ``claims.csv`` that help to write it; the audit does not read them."""
_LONGEST_NAME = 60  # characters of the name of a table, which is that of its file too, and of a column
_BULLET = re.compile(r"^\s*(?:[-*•■▪◦●–]|\(?\d{1,2}[.)]|\(?[a-z][.)])\s+")
_HEADING = re.compile(r"^\s*#+\s+")
_ENDS = re.compile(r"[.!?][\"”')\]]*\s+(?=[\"“(]?[A-Z0-9•])")
_NO_END = re.compile(
    r"(?:\b(?i:e\.g|i\.e|vs|cf|approx|ca|no|fig|figs|tab|sec|min|max|avg|inc|corp|co|st|mr|dr|et al)|\b[A-Z])\.$"
)
_NUMBER = r"(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)"
_IN_DIGITS = re.compile(
    rf"(?<![\w.,:/_=-])(?P<number>[$]?{_NUMBER}(?:\s?%?\s?[-–]\s?[$]?{_NUMBER})?)(?![\d_]|[.,/:-]\d|[A-Za-z]+\d)-?\s?(?P<sign>%)?"
)
_NAMING = (  # words behind which a number names something
    *("table", "figure", "fig.", "chart", "chapter", "section", "appendix", "page", "pages", "version", "release"),
    *("model", "revision", "raid", "step", "level", "note", "part", "item", "volume", "no.", "copyright", "©"),
)
_OF_A_NAME = re.compile(
    rf"(?i:(?:^|[\W_])(?:{'|'.join(map(re.escape, _NAMING))}))\s*$|\w[\w,]* [A-Z][\w/]*[A-Za-z]\s*$"
)
_HEDGES = (*AT_LEAST, *AT_MOST, *NOT_EXACT)
_HEDGE = re.compile(
    rf"\b((?:{NEGATION}\s+)?(?:{'|'.join(sorted(_HEDGES, key=len, reverse=True))}))\b(?:\s+\w+)?\s*$", re.IGNORECASE
)
_WORD = re.compile(r"[A-Za-z%/][A-Za-z%/'’]*")
_NUMBERED = re.compile(rf"{_NUMBER}(?:[-.]\d+)*\b(?!\s?%)")  # a heading or a running title, where no sentence ends
_AROUND = 60  # characters beside a number
_POWERS_OF_THOUSAND = ("thousand", "million", "billion")
_NEAR = 3  # words behind a number in which its unit is looked for
_FIRST_WORDS = 5
_LONGEST_SENTENCE = 2_000  # characters; what goes on is none
_HEADING_WORDS = 3
_MOST_CANDIDATES = 3  # cells that print a number; more would be chance
_FOOT = re.compile(r"\s*(?:-\s*(\d{1,4})\s*-|page\s+(\d{1,4})(?:\s+of\s+\d{1,4})?)\s*", re.IGNORECASE)
_CAPTION = re.compile(r"[\s*#_]*(?:table|tab\.|exhibit)\s+([A-Z]?[\d][\w.-]*|[IVX]+\b)", re.IGNORECASE)
_LEADERS = re.compile(r"\.{4,}|(?:\. ){4,}")  # between the words of a list of contents and the page
_RULE = re.compile(r"[\s|+:=_-]*[-=_]{3,}[\s|+:=_-]*")  # a line drawn under a heading
_GAP = re.compile(r"\S+(?: \S+)*")  # a cell between two or more blanks
_LONG = 40  # characters of a cell that is a sentence rather than a cell
_LONGEST_ROW = 2_000  # characters of a line that can be of a table
_ROWS_OF_ONE_CELL = 3  # one after the other that a table can have: names of groups, parts of what the row above names
_PIPE, _TAB, _GAPS = "pipes", "tabs", "gaps"


@dataclass(frozen=True)
class TextLine:
    """A line of a text: its page (0 where the text has no pages), its number there from 1, and its words."""

    page: int
    number: int
    text: str

    @property
    def locator(self):
        """Its place, as a locator names it."""
        return (f"page {self.page}, " if self.page else "") + f"line {self.number}"


@dataclass(frozen=True)
class TextTable:
    """A table of a text: the label that its caption gives it, its first line, headings, and rows as wide as these."""

    label: str
    line: TextLine
    header: tuple
    rows: tuple


@dataclass(frozen=True)
class Number:
    """A number of a sentence as printed, its unit as claims have it, and the hedge before it."""

    stated: str
    unit: str
    hedge: str


def draft(
    folder: str | os.PathLike, text: str | os.PathLike, *, title: str = "", source: str = "", licence: str = ""
) -> pd.DataFrame:
    """Make a data folder from the text of a document: its tables, and a claim to write for a sentence with a number.

    A row of its ``claims.csv`` has the place of a sentence, a number of it with unit and hedge, all its numbers, the
    cells that print one of them, and the sentence's first words. The statement, and how it is tested, are to be
    written; until then its verdict is unverifiable. While its ``datapackage.json`` says ``"draft": true`` what is left
    open is told as a note: such a folder passes `dominoperf.check`, and can be audited.

    Not drafted are numbers that are negative, have a decimal comma, are times of day or ratios as 1:4, are in words, or
    are part of a name or a reference. Signs as ≥ and < and words as million beside a number are not read.

    Parameters
    ----------
    folder : path
        The folder to make, as `dominoperf.new` makes it.
    text : path or URL
        The document as plain text, in UTF-8, UTF-16 or Windows-1252; form feeds part its pages.
    title, source, licence : str, optional
        Of the document.

    Returns
    -------
    DataFrame
        What is left to write: file, line, column, expected, found, remedy.

    Raises
    ------
    BadTable
        When the folder is there already, or the file is no text or has no number; then nothing has been made.
    """
    folder = folder_path(folder, "draft(folder, ...)", "the path of the folder to make").resolve()
    for option, given in (("title", title), ("source", source), ("licence", licence)):
        if not isinstance(given, str):
            remedy = "Give a text, or leave it out."
            raise BadTable(f"draft({option}=...)", expected="a text", found=repr(given), remedy=remedy)
    new_folder.check_new_folder_name(folder)
    path_of_argument(text, "draft(text=...)", "the path or URL of a text")
    lines = _read_lines_of_document(text)
    printed, prose = _tables_and_prose(lines)
    files, times = {}, Counter()
    for table in printed:
        name = re.sub(r"[^a-z0-9]+", "_", f"table {table.label or table.line.locator}"[:_LONGEST_NAME].lower())
        name = name.strip("_")
        times[name] += 1
        name = name if times[name] == 1 else f"{name}_again_{times[name]}"
        content, printed_headings = _drafted_table_as_csv(table)
        path = PurePosixPath(f"{name}.csv")
        files[name] = new_folder.File(path, read_anybodys_csv(path, content), printed_headings)
    sentences = [found for found in _sentences_with_numbers(prose) if found[2]]
    if not files and not sentences:
        found, remedy = f"{len(lines)} lines without any", "Name a text that states numbers, or has tables."
        raise BadTable(str(text), expected="a text with numbers", found=found, remedy=remedy)
    descriptor = new_folder.descriptor_of(folder.name, files, title=title, source=source, licence=licence)
    descriptor.pop("benchmarks", None)  # which of its tables hold runs, a person says
    descriptor = {"$schema": descriptor.pop("$schema"), "draft": True} | descriptor
    for table, resource in zip(printed, descriptor["resources"], strict=True):
        resource["title"] = f"Table {table.label}" if table.label else f"Table at {table.line.locator}"
        resource["locator"] = table.line.locator
        for field, heading in zip(resource["schema"]["fields"], table.header, strict=True):
            field["title"] = heading or field["name"]
    with new_folder.new_folder_beside(folder) as made:
        new_folder.write_folder(made, files, descriptor)
        _write_claims(made / CLAIMS, sentences, {name: file.sheet.columns for name, file in files.items()})
        return questions_left_in_draft(made)


def _read_lines_of_document(path):
    """The lines of a text file, a list of `TextLine`.

    Pages are parted by form feeds; without any, by lines that say a page's number and nothing else. `BadTable` where it
    cannot be read, holds nothing, or is no text.
    """
    content = read_bytes(path)
    expected = "the text of a document"
    if content.startswith((b"%PDF", b"PK\x03\x04", b"\xd0\xcf\x11\xe0")):
        remedy = (
            "Save its text first: `pdftotext -layout FILE.pdf` does so of a PDF, any word processor of its own files."
        )
        raise BadTable(str(path), expected=expected, found="a PDF or office file", remedy=remedy)
    text = re.sub(r"\r\n?", "\n", decoded_text(content, str(path)))
    if not text.strip():
        raise BadTable(str(path), expected=expected, found="an empty file", remedy="Name a file with text.")
    text = re.sub(rf"(?![\n\t\f]){CONTROL}|[\u200b-\u200f\ufeff]", " ", text.replace("\u00a0", " "))
    if "\f" in text:
        pages = [(k, page.split("\n")) for k, page in enumerate(text.removesuffix("\f").split("\f"), start=1)]
    else:
        texts = text.split("\n")
        feet = [(k, int(found[1] or found[2])) for k, text in enumerate(texts) if (found := _FOOT.fullmatch(text))]
        numbers, pages = [number for _, number in feet], [(0, texts)]
        if len(feet) > 1 and all(after == before + 1 for before, after in itertools.pairwise(numbers)):
            cuts = itertools.pairwise([0, *(k + 1 for k, _ in feet), len(texts)])  # a page's number ends the page
            numbered = zip([*numbers, numbers[-1] + 1], cuts, strict=True)
            pages = [(number, texts[first:last]) for number, (first, last) in numbered if first < last]
    lines = []
    for page, texts in pages:
        texts = ["" if _FOOT.fullmatch(text) else text.rstrip(" ") for text in texts]
        lines += [TextLine(page, number, text) for number, text in enumerate(texts, start=1)]
    return lines


def _tables_and_prose(lines):
    """The tables among lines, a list of `TextTable`, and the lines that are in none of them."""
    kinds = [_separator_of_line(line.text) for line in lines]
    tables, prose, k = [], [], 0
    while k < len(lines):
        last = _end_of_table_lines(lines, kinds, k) if kinds[k] else k
        table = _table_of_lines(lines, k, last, kinds[k]) if last > k + 1 else None
        if table:
            tables.append(table)
        else:
            last = max(last, k + 1)
            prose += lines[k:last]
        k = last
    return tables, prose


def _separator_of_line(text):
    """What is between the cells of a line; "" where it is none of a table."""
    if _LEADERS.search(text) or not text.strip() or len(text) > _LONGEST_ROW:
        return ""
    if text.count("|") > 1 or (text.count("|") == 1 and text.strip("| ") == text.strip()):
        return _PIPE
    if "\t" in text.rstrip():
        return _TAB
    if len(cells := _GAP.findall(text.strip())) > 1 and sum(map(len, cells)) <= _LONG * len(cells):
        return _GAPS
    return ""


def _end_of_table_lines(lines, kinds, first):
    """Where the run of lines of one kind ends; a blank line may interrupt it, or a rule and rows that have one cell."""
    last = first
    for k in range(first + 1, len(lines)):
        between = [line.text.strip() for line in lines[last + 1 : k + 1]]
        text = between[-1]
        short = len(text) <= _LONG and not text.endswith(tuple(".:;?!"))
        one_cell = short or lines[k].text.endswith("\t") or _is_ruled_line(text)
        many = len(between) > (1 if "" in between else _ROWS_OF_ONE_CELL)
        if kinds[k] == kinds[first]:
            last = k
        elif many or not one_cell or _CAPTION.match(text):
            break
    return last + 1


def _table_of_lines(lines, first, last, kind):
    """The table that a run of lines is, or None where it has no two rows, no digit, or by blanks alone few numbers."""
    chosen = [line for line in lines[first:last] if line.text.strip() and not _is_ruled_line(line.text)]
    grid = _cells_of_lines([line.text for line in chosen], kind)
    before = 0
    while before < len(grid) and (sum(map(bool, grid[before])) < 2 or _CAPTION.match(chosen[before].text)):
        before += 1  # a caption, above the headings
    body = next((k for k in range(before, len(grid)) if any(map(_reads_as_number, grid[k][1:]))), len(grid))
    if kind in (_PIPE, _TAB) and before + 1 < min(body, len(grid) - 1):  # cells are whole: headings are one line
        values = len(grid[before]) == 2 and re.search(r"\b\d", grid[before][1])  # beside their names, without headings
        body = before if values else before + 1
    header = next((k for k in range(before, body) if sum(map(bool, grid[k])) < 2), body)  # then groups of rows begin
    rows = [tuple(row) for row in grid[header:] if any(row)]
    width = max((k + 1 for row in rows for k, cell in enumerate(row) if cell), default=0)
    numeric = sum(any(map(_reads_as_number, row[1:])) for row in rows)
    digits = any(character.isdecimal() for row in rows for cell in row for character in cell)
    if len(rows) < 2 or width < 2 or not digits or (kind == _GAPS and (numeric < 2 or 2 * numeric < len(rows))):
        return None
    headings = tuple(" ".join(filter(None, parts)) for parts in zip(*grid[before:header], strict=True)) or ("",) * width
    above = [line.text for line in chosen[:before]] + [line.text for line in lines[max(0, first - 3) : first]][::-1]
    label = next((found[1].rstrip(".:-") for text in above if (found := _CAPTION.match(text))), "")
    return TextTable(label, chosen[before], headings[:width], tuple(row[:width] for row in rows))


def _is_ruled_line(text):
    """Whether a line is drawn, as under a heading."""
    return len(text) <= _LONGEST_ROW and bool(_RULE.fullmatch(text))


def _reads_as_number(cell):
    """Whether a cell is a printed number; what stands for nothing is none."""
    return not is_absent_cell(cell) and read_number(cell) is not None


def _cells_of_lines(texts, kind):
    """The cells of each line, as many in each."""
    if kind == _PIPE:
        rows = [[cell.strip() for cell in text.strip().strip("|").split("|")] for text in texts]
    elif kind == _TAB:
        rows = [[cell.strip() for cell in text.split("\t")] for text in texts]
    else:
        rows = _cells_by_position([[(found.span(), found[0]) for found in _GAP.finditer(text)] for text in texts])
    width = max(map(len, rows), default=0)
    return [row + [""] * (width - len(row)) for row in rows]


def _cells_by_position(rows):
    """Cells by the columns in which they stand: those of most rows with numbers; a heading goes to the nearest."""
    numeric = [row for row in rows if any(_reads_as_number(text) for _, text in row[1:])]
    counts = [len(row) for row in numeric]
    most = max(set(counts), key=counts.count, default=0)
    full = [row for row in numeric if len(row) == most]
    if most < 2:
        return [[text for _, text in row] for row in rows]
    spans = [(min(row[k][0][0] for row in full), max(row[k][0][1] for row in full)) for k in range(most)]

    def nearest(span):
        return min(range(most), key=lambda k: (max(span[0] - spans[k][1], spans[k][0] - span[1]), -k))

    placed = []
    for row in rows:
        cells = [""] * most
        for k, (span, text) in enumerate(row):
            at = k if len(row) == most else nearest(span)
            cells[at] = f"{cells[at]} {text}".strip()
        placed.append(cells)
    return placed


def _drafted_table_as_csv(table):
    """A table as CSV, and the printed headings by the names that a claim can write, of which none is a number."""
    names, printed_headings = [], {}
    for k, heading in enumerate(table.header):
        cells = [row[k] for row in table.rows if row[k]]
        numbers = sum(read_number(cell) is not None for cell in cells)
        name = headings.heading_words(heading)[2] or f"column_{k + 1}"
        name = name[:_LONGEST_NAME].rstrip("_")
        name = f"column_{name}" if read_number(name) is not None else name
        # A column that is partly numbers cannot have the unit and the meaning that its name would promise.
        partly = 0 < numbers < len(cells)
        name = f"{name}_as_printed" if partly else name
        names.append(name if name not in names else f"{name}_in_column_{k + 1}")
        if heading and not partly:
            printed_headings[names[-1]] = heading
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([names, *table.rows])
    return out.getvalue(), printed_headings


def _sentences_with_numbers(prose):
    """Yield the place, the first words and the numbers of each sentence of the prose, an id with it."""
    paragraph, gap = [], False
    for line in prose:
        if not line.text.strip():
            gap = True
        elif not _LEADERS.search(line.text):
            begins = not paragraph or _BULLET.match(line.text) or _HEADING.match(line.text)
            if not begins:  # it goes on if it is the next line of its page, or a page cuts the sentence
                last = paragraph[-1]
                if line.page == last.page:
                    begins = line.number != last.number + 1 or gap
                else:
                    begins = last.text.rstrip()[-1] in ".:!?" or not line.text.lstrip()[:1].islower()
            if begins and paragraph:
                yield from _claim_sentences_of_paragraph(paragraph)
                paragraph = []
            paragraph.append(line)
            gap = False
    if paragraph:
        yield from _claim_sentences_of_paragraph(paragraph)


def _claim_sentences_of_paragraph(lines):
    """Yield id, place and numbers of each sentence of a paragraph, and its first words."""
    joined, starts = "", []
    for line in lines:
        words = re.sub(r"\\([$%_&#])", r"\1", _HEADING.sub("", _BULLET.sub("", line.text, count=1)).strip())
        joined = joined[:-1] if re.search(r"[a-z]-$", joined) else f"{joined} " if joined else ""
        starts.append(len(joined))
        joined += words
    ends = [
        found.end()
        for found in _ENDS.finditer(joined)
        if not _NO_END.search(joined[max(0, found.start() - _AROUND) : found.start() + 1])
    ]
    order = defaultdict(int)
    for first, last in zip([0, *ends], [*ends, len(joined)], strict=True):
        line = lines[bisect.bisect_right(starts, first) - 1]
        order[line] += 1
        locator = line.locator if order[line] == 1 else f"{line.locator}, sentence {order[line]}"
        sentence = joined[first : min(last, first + _LONGEST_SENTENCE)].strip()
        yield locator, sentence, _numbers_stated_in_sentence(sentence)


def _numbers_stated_in_sentence(sentence):
    """The numbers that a sentence states, in its order; those that are part of a name or a reference are none."""
    numbers, is_open = [], sentence[-1:] not in ".!?"
    heading = _NUMBERED.match(sentence) if is_open else None
    for match in _IN_DIGITS.finditer(sentence, heading.end() if heading else 0):
        before, behind = sentence[max(0, match.start() - _AROUND) : match.start()], sentence[match.end() :]
        number, unit = match["number"].strip(), "%" if match["sign"] or "%" in match["number"] else ""
        unit = unit or ("USD" if number.startswith("$") else _claim_unit_behind_number(behind[:_AROUND]))
        counted = unit.islower() and len(unit) > 2  # users, servers: "Domino 6 servers" are not six
        if (unit and not counted) or not _OF_A_NAME.search(before):
            numbers.append(Number(number.replace("%", ""), unit, _claim_hedge_before_number(before)))
    is_heading = is_open and len(sentence.split()) <= _HEADING_WORDS
    return [] if is_heading and not any(each.unit for each in numbers) else numbers


def _claim_hedge_before_number(before):
    """The hedge that ends what is before a number, a word between at most."""
    found = _HEDGE.search(before)
    return found[1].lower() if found else ""


def _claim_unit_behind_number(behind):
    """The unit that one of the next words names, before another number or the end of the phrase."""
    known = _claim_units_by_word()
    phrase = re.split(r"[\d.,;:()]", behind, maxsplit=1)[0]
    for word in _WORD.findall(phrase)[:_NEAR]:
        if word.lower() in _POWERS_OF_THOUSAND:  # 1.2 million dollars are not 1.2 dollars: a person has to write it
            return ""
        for spelt in (word, word.lower(), word.lower().removesuffix("s"), re.sub("ies$", "y", word.lower())):
            if spelt in known:
                return known[spelt]
    return ""


@functools.cache
def _claim_units_by_word():
    """The words for a unit to the unit as claims have it."""
    words = our_toml_file("claim_words.toml")["units"]
    ours = {unit: unit for unit in {*words, *units().values()} if len(unit) > 1}
    return headings.synonyms("units") | ours | {"percent": "%", "points": "percentage point"}


def _write_claims(path, sentences, tables):
    """Write a row for each sentence: what is known of it, what helps, and what is asked."""
    cells = defaultdict(list)
    for table, columns in tables.items():
        for column, texts in columns.items():
            for row, text in enumerate(texts, start=1):
                if (number := read_number(text)) is not None:
                    cells[number].append(f"{table}.{column}[{row}]")  # as an input of a claim names it
    with open(path, "w", encoding="utf-8", newline="") as file:
        rows = csv.DictWriter(file, [*COLUMNS, *OWN], restval="", lineterminator="\n")
        rows.writeheader()
        for locator, sentence, numbers in sentences:
            first = min(numbers, key=lambda number: not number.unit)
            candidates = []
            for each in numbers:
                stated = read_stated(each.stated)
                same = cells.get(stated.low, []) if stated and stated.low == stated.high else []
                candidates.append((each.stated, same))
            rows.writerow(
                {
                    "id": re.sub(r"[^0-9a-z]+", "-", locator.replace("sentence ", "").lower()),
                    "locator": locator,
                    "topic": "draft",
                    "claim": open_descriptor_question("what the sentence states, in words of your own"),
                    "stated": first.stated,
                    "unit": first.unit,
                    "hedge": first.hedge,
                    "expected_verdict": "unverifiable",
                    "comment": "Drafted; not yet written",
                    "begins": " ".join(re.findall(r"\w(?:[\w'’.,-]*\w)?", sentence)[:_FIRST_WORDS]),
                    "numbers": "; ".join(f"{each.stated} {each.unit}".strip() for each in numbers),
                    "candidates": "; ".join(
                        f"{stated}: {' | '.join(found[:_MOST_CANDIDATES])}" for stated, found in candidates if found
                    ),
                }
            )
