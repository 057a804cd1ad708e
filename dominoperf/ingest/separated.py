"""CSV of one's own: names, units and ways of writing numbers of any kind."""

import contextlib
from itertools import islice

from dominoperf import catalog
from dominoperf.ingest import mapping, numbers, tables
from dominoperf.ingest.files import split

_DELIMITERS = ",;\t"
_FIRST = 1000  # rows by which the file's way of writing numbers is told
_LONGEST = 1 << 20  # characters of a row: a quote that is never closed must not fill the memory
_NO_STYLE = "Write the numbers without signs between thousands, and the decimals of all with one sign."


def read(source):
    """Read a table of text, separated by commas, semicolons or tabs, with a header.

    A header is one of our names, or is mapped to one; the unit that it or the mapping names is converted. Numbers may
    have a decimal comma and signs between thousands, as long as it can be told which is which. `line` is where a row
    begins. A column ``time`` must be ISO 8601, and gives ``time_s``.
    """
    rows = _records(source)
    _, header = next(rows, (1, []))
    header = [name.strip() for name in header]
    columns = tables.chosen(source, header)
    places = [(header.index(column.source), column) for column in columns]
    point = _point(source, places)
    return tables.names(columns), tables.timed(source, columns, _rows(source, rows, places, len(header), point))


def recognises(head):
    """Tell whether the first line has one of our names, or one that is mapped."""
    first = head.lines[0] if head.lines else ""
    names = [name.strip() for name in split(first, _delimiter(first))]
    known = {*catalog.vocabulary(), *head.mapping}
    return any(name in known or mapping.split_unit(name)[0] in head.mapping for name in names)


def _records(source):
    """The cells of every row and the line it begins in; a cell in quotes may hold line ends."""
    begun, text, delimiter = 1, "", None
    for number, line in source.lines(keep_last=True):
        delimiter = delimiter or _delimiter(line)
        begun, text = (begun, f"{text}\n{line}") if text else (number, line)
        if text.count('"') % 2 == 0:
            if text.strip():
                yield begun, split(text, delimiter)
            text = ""
        elif len(text) > _LONGEST:
            break
    if text and source.cut:
        source.skip(begun, "a whole row: a quote is not closed")
    elif text:
        raise source.wrong(begun, "a quote that is closed", "none", "Close it.")


def _delimiter(header):
    """The separator that stands most often in the header."""
    return max(_DELIMITERS, key=header.count)


def _point(source, places):
    """The decimal sign of the file, from its first rows; nothing where it cannot be told."""
    numeric = [place for place, column in places if column.factor is not None]
    with contextlib.closing(_records(source)) as records:
        rows = islice(records, 1, _FIRST)
        cells = [row[place] for _, row in rows for place in numeric if place < len(row)]
    return numbers.style(cells, comma_separated=_delimiter(source.first_lines()[0]) == ",")


def _rows(source, records, places, count, point):
    """The rows; one of another length breaks the table, unless the file was cut off there."""
    for line, row in records:
        if len(row) == count:
            yield {column.name: _cell(source, line, column, row[at], point) for at, column in places} | {"line": line}
        elif source.cut:  # nothing comes after a line without an end
            source.skip(line, f"a whole row: {len(row)} of {count} cells")
        else:
            remedy = "Give every row as many cells as the header; quote a cell that holds the separator."
            raise source.wrong(line, f"{count} cells", str(len(row)), remedy)


def _cell(source, line, column, text, point):
    """A cell as our column has it: text as it stands, a number in our unit."""
    if column.factor is None:
        return text.strip() or None
    if numbers.absent(text):
        return float("nan")
    number = numbers.local(text, point or ".") if point or "," not in text else None
    if number is None:
        remedy = _NO_STYLE if "," in text or "." in text else "Leave the cell empty where there is no value."
        raise source.wrong(line, f"a number in column {column.source!r}", repr(text), remedy)
    return number * column.factor
