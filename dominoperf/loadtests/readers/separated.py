"""CSV of one's own: names, units and ways of writing numbers of any kind."""

import contextlib
from dataclasses import dataclass
from itertools import islice

from dominoperf import tables
from dominoperf.errors import BadTable
from dominoperf.loadtests.readers import frames, mapping
from dominoperf.loadtests.readers.files import split
from dominoperf.tables import sheets

_FIRST = 1000  # rows by which the file's way of writing numbers is told
_LONGEST = 1 << 20  # characters of a row: a quote that is never closed must not fill the memory


def read(source):
    """Read a table of text, separated by commas, semicolons or tabs, with a header.

    A header is one of our names, or is mapped to one; the unit that it or the mapping names is converted. Numbers may
    have a decimal comma and signs between thousands, as long as it can be told which is which
    (`dominoperf.tables.sheets`). `line` is where a row begins. A column ``time`` must be ISO 8601, and gives
    ``time_s``.
    """
    delimiter = _delimiter(source.first_lines())
    rows = _records(source, delimiter)
    _, header = next(rows, (1, []))
    header = [name.strip() for name in header]
    columns = frames.chosen(source, header)
    places = [(header.index(column.source), column) for column in columns]
    ways = _ways(source, columns, header, delimiter)
    return frames.names(columns), frames.timed(source, columns, _rows(source, rows, places, len(header), ways))


@dataclass
class _Way:
    """How the numbers of a column are written."""

    sign: str  # before decimals, as `decimal_signs` gives it
    unit: str  # whose sign may stand at them


def recognises(head):
    """Tell whether the first line has a name of ours for what a test measures, or one that is mapped."""
    names = [name.strip() for name in split(head.lines[0], _delimiter(head.lines))] if head.lines else []
    return any(frames.is_measure(name) or name in head.mapping or mapping.split_unit(name)[0] in head.mapping
               for name in names)  # fmt: skip


def headers(lines):
    """Return the headings of a table, by its first lines; nothing where they are none."""
    try:
        sheet = sheets.read_sheet("", "\n".join(lines[:-1] if len(lines) > 1 else lines))
    except BadTable:
        return ()
    return sheet.header if len(sheet.header) > 1 and sheet.lines else ()


def _records(source, delimiter):
    """The cells of every row and the line it begins in; a cell in quotes may hold line ends."""
    begun, text = 1, ""
    for number, line in source.lines(keep_last=True):
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


def _delimiter(lines):
    """What stands between the cells, by the first lines; the last of them may be half a line."""
    return sheets.delimiter_of_text("\n".join(lines[:-1] if len(lines) > 1 else lines))


def _ways(source, columns, header, delimiter):
    """How each column is written, as far as the first rows tell."""
    with contextlib.closing(_records(source, delimiter)) as records:
        rows = [row for _, row in islice(records, 1, _FIRST) if len(row) == len(header)]
    signs = sheets.decimal_signs({name: [row[k] for row in rows] for k, name in enumerate(header)}, delimiter)
    ours = tables.units()
    return {
        each.source: _Way(signs[each.source], ours.get(each.name) if each.factor == 1 else "the unit that is named")
        for each in columns
    }


def _rows(source, records, places, count, ways):
    """The rows; one of another length breaks the table, unless the file was cut off there."""
    for line, row in records:
        if len(row) == count:
            yield {column.name: _cell(source, line, column, row[at], ways[column.source]) for at, column in places} | {
                "line": line
            }
        elif source.cut:  # nothing comes after a line without an end
            source.skip(line, f"a whole row: {len(row)} of {count} cells")
        else:
            remedy = "Give every row as many cells as the header; quote a cell that holds the separator."
            raise source.wrong(line, f"{count} cells", str(len(row)), remedy)


def _cell(source, line, column, text, way):
    """A cell as our column has it: text as it stands, a number in our unit; it may tell the sign of its decimals."""
    if column.factor is None:
        return text.strip() or None
    number = sheets.number_in(text, way.sign)
    if number is None:
        if sheets.is_absent(text):
            return float("nan")
        raise sheets.refusal(f"{source.path}, line {line}", column.source, text, way.sign)
    sheets.check_sign(f"{source.path}, line {line}", column.source, text, way.unit)
    way.sign = way.sign or sheets.sign_told([text])
    return number * column.factor
