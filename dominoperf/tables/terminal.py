"""Tables that fit a terminal: long texts wrap, empty columns go, and what still finds no room is named below."""

import contextlib
import contextvars
import re
import textwrap

_WIDTH = contextvars.ContextVar("dominoperf_width", default=None)  # columns of the terminal; None: no limit
_BETWEEN = 2  # blanks between two columns
_NARROWEST = 14  # characters of a text before it wraps
_PIECES = re.compile(r"(?<=[_/.])(?=.)")  # where a heading or an id may break


@contextlib.contextmanager
def table_width_limit(width):
    """Limit the line length of tables while this runs, in characters; None sets no limit."""
    before = _WIDTH.set(width)
    try:
        yield
    finally:
        _WIDTH.reset(before)


def wrapped_for_terminal(text):
    """Return a text whose lines fit the terminal, where one is known: longer ones are broken at blanks."""
    width = _WIDTH.get()
    if width is None:
        return text
    lines = []
    for line in text.split("\n"):
        indent = line[: len(line) - len(line.lstrip())]
        how = {"subsequent_indent": indent, "break_on_hyphens": False, "break_long_words": False}
        lines.append(line if len(line) <= width else textwrap.fill(line, width, **how))
    return "\n".join(lines)


def format_table(heads, rows, right):
    """Return a table in lines, and below it which columns are not shown on a terminal that has no room for all.

    Heads and rows are texts. `right` says of each column whether it is set to the right, as numbers are, which never
    wrap.

    Examples
    --------
    >>> heads, row = ["law", "reason", "error", "note"], ["usl", "too few points to tell", "0.2", ""]
    >>> with table_width_limit(26):
    ...     print("\\n".join(format_table(heads, [row], [False, False, True, False])))
    law  reason          error
    ---  --------------  -----
    usl  too few points    0.2
         to tell
    Not shown: note (empty).
    --wide shows all columns.
    """
    columns, width, hidden = list(zip(heads, *rows, strict=True)), _WIDTH.get(), []
    right = [*right]
    widths = [max(map(len, column)) for column in columns]
    if width is not None and _table_width(widths) > width:
        empty = [k for k, column in enumerate(columns) if rows and not any(column[1:])]
        hidden = [f"{heads[k]} (empty)" for k in empty]
        filled = [k for k in range(len(columns)) if k not in empty]
        columns, right, widths = ([parts[k] for k in filled] for parts in (columns, right, widths))
        least = [_narrowest_column(column, number) for column, number in zip(columns, right, strict=True)]
        while len(columns) > 1 and _table_width(least) > width:  # the last columns say least
            hidden.insert(0, columns[-1][0])
            columns, right, widths, least = columns[:-1], right[:-1], widths[:-1], least[:-1]
        while _table_width(widths) > width and widths != least:
            widest = max((k for k in range(len(widths)) if widths[k] > least[k]), key=lambda k: widths[k])
            widths[widest] -= 1
    cells = [[_cell_in_lines(text, room) for text in column] for column, room in zip(columns, widths, strict=True)]
    lines = []
    for k, row in enumerate(zip(*cells, strict=True)):
        for level in range(max(map(len, row))):
            texts = [(cell[level] if level < len(cell) else "") for cell in row]
            padded = [t.rjust(w) if r else t.ljust(w) for t, w, r in zip(texts, widths, right, strict=True)]
            lines.append((" " * _BETWEEN).join(padded).rstrip())
        if k == 0:
            lines.append((" " * _BETWEEN).join("-" * room for room in widths))
    return lines + (
        wrapped_for_terminal(f"Not shown: {', '.join(hidden)}. --wide shows all columns.").split("\n") if hidden else []
    )


def _table_width(widths):
    return sum(widths) + _BETWEEN * (len(widths) - 1)


def _narrowest_column(column, number):
    """How narrow a column may get: numbers stay whole, a heading breaks between its words."""
    head = max(map(len, _PIECES.split(column[0])))
    longest = max(map(len, column[1:]), default=0)
    return min(max(map(len, column)), max(head, longest if number else min(longest, _NARROWEST)))


def _cell_in_lines(text, room):
    """A cell in lines of so many characters: broken at blanks, else where an id may break, else anywhere."""
    if len(text) <= room:
        return [text]
    lines = []
    for line in textwrap.wrap(text, room, break_long_words=False, break_on_hyphens=False):
        for piece in _PIECES.split(line) if len(line) > room else [line]:
            fits = lines and len(line) > room and len(lines[-1]) + len(piece) <= room and not piece.startswith(" ")
            if fits and lines[-1][-1:] in "_/.":
                lines[-1] += piece
            else:
                lines += textwrap.wrap(piece, room)
    return lines
