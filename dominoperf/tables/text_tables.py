"""A document's extracted text: its pages and lines, the tables among them, and what is prose.

Text that was extracted from pages keeps columns as tabs, pipes, or blanks that line up. A run of such lines is a table.
"""

import itertools
import re
from dataclasses import dataclass

from dominoperf.errors import CONTROL, BadTable
from dominoperf.tables.files import decoded_text, read_bytes
from dominoperf.tables.reading import is_absent_cell, read_number

_FOOT = re.compile(r"\s*(?:-\s*(\d{1,4})\s*-|page\s+(\d{1,4})(?:\s+of\s+\d{1,4})?)\s*", re.IGNORECASE)
_CAPTION = re.compile(r"[\s*#_]*(?:table|tab\.|exhibit)\s+([A-Z]?[\d][\w.-]*|[IVX]+\b)", re.IGNORECASE)
LEADERS = re.compile(r"\.{4,}|(?:\. ){4,}")
"""What a line of a list of contents has between its words and the page."""
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


def read_lines_of_document(path):
    """Return the lines of a text file, a list of `TextLine`.

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


def tables_and_prose(lines):
    """Return the tables among lines, a list of `TextTable`, and the lines that are in none of them."""
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
    if LEADERS.search(text) or not text.strip() or len(text) > _LONGEST_ROW:
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
