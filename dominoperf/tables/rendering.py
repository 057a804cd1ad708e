"""A frame as text, CSV, JSON, Markdown or HTML, everything that came from data escaped; how results show themselves."""

import abc
import base64
import contextlib
import contextvars
import csv
import functools
import html
import io
import json
import re
import textwrap
from dataclasses import dataclass

import numpy as np
import pandas as pd

from dominoperf.errors import CONTROL, as_python
from dominoperf.tables import carried_errata
from dominoperf.tables.columns import meanings
from dominoperf.tables.reading import read_number

_TOGETHER = 10_000  # rows that are written at once
_JSON = json.JSONEncoder(ensure_ascii=False, allow_nan=False, default=lambda value: value.item())  # of NumPy
# What a spreadsheet would compute: by its first sign, or a leading sign with a call, pipe, operator or cell behind it.
# Such a sign alone is left, since documents print "-f", "--", "-ft -s 60" and "@delivered"; so is a number's.
_FORMULA = re.compile(
    r"[=\t\r\n＝＋－＠]|(?![-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?\s*$)[-+@]"
    r"(.*[(|!*^&={]|[\w.$%]+\s*[+/]|[\w.$%]+-|\$?[A-Za-z]{1,3}\$?\d+\b)",
    re.DOTALL,
)
_CONTROL = re.compile(f"{CONTROL}+")
_PRINTED_NUMBER = re.compile(
    r"(?:\$\u00a0?\s?)?(?P<sign>[-+]?)(?P<whole>\d{1,3}(?:,\d{3})+|\d*)(?P<rest>(?:\.\d+|(?<=\d)\.)?)"
    r"[\s\u00a0\u202f]?(?:%|[KMG]B|\$)?",
    re.ASCII,
)
_MARKDOWN = re.compile(r"([\\`*_\[\]|#$~])")
_BEGINS = re.compile(r"(\d{0,9})([-+=%(:.)])")  # what would make a list, a heading or a target of a line
_BREAKS = re.compile("([/_])")  # where a long id may break
_ITEM, _BOLD = "- ", "**"
_DIGITS = 4  # of a computed number in a table, figure or sentence
_DIGITS_IN_FILES = 6  # of a computed number in a saved file: the same on every machine
_WITH_CENTS, _DECIMALS = (1e4, 1e7), 2  # numbers between these have so many decimals there, as prices have
_WHOLE = 1e15  # from here on a float holds no cents, and is written with an exponent
_LOCATOR = "locator"  # the column with the place of a row, and the class of its cells
_YEAR = "year"  # a column or unit whose numbers are names of years
_WIDTH = contextvars.ContextVar("dominoperf_width", default=None)  # columns of the terminal; None: no limit
_BETWEEN = 2  # blanks between two columns
_NARROWEST = 14  # characters of a text before it wraps
_PIECES = re.compile(r"(?<=[_/.])(?=.)")  # where a heading or an id may break
PRINTED = "printed"
"""The key of a frame's ``attrs`` with what pages print in its columns: column to `forms_of_printed_numbers`."""


class PrintedForms(carried_errata.NeverChanged, dict):
    """What pages print, in the ``attrs`` of a frame."""


def number(value, digits=_DIGITS, unit=""):
    """Return a computed number as text: the one rule by which numbers for readers are rounded.

    A whole number keeps all its digits, as sums and differences of printed whole numbers must. Any other is rounded to
    `digits` significant digits, but never before its decimal point. Thousands are set off by commas, except in years
    (`unit` "year"). A missing value is nothing. What a document prints is never rounded: `printed_number` has its form.

    Examples
    --------
    >>> [number(each) for each in (1739252, 1739252.4, 3762.3, 0.95118, 3.6666e-14, float("nan"))]
    ['1,739,252', '1,739,252', '3,762', '0.9512', '3.667e-14', '']
    >>> number(27.34, 2), number(127.34, 2), number(1998, unit="year")
    ('27', '127', '1998')
    """
    if value is None or value is pd.NA or value != value:
        return ""
    if isinstance(value, (int, np.integer)):
        return str(value) if unit == _YEAR else f"{value:,}"
    if not abs(value) < _WHOLE:
        return f"{value:.{digits}g}"
    whole = float(value).is_integer() or abs(value) >= 10**digits
    near = float(f"{value:.0f}" if whole else f"{value:.{digits}g}") + 0.0  # no minus before nothing
    text = f"{near:,.0f}" if near.is_integer() else f"{near:,}" if abs(near) >= 1 else f"{near:.{digits}g}"
    return text.replace(",", "") if unit == _YEAR else text


def printed_number(text, unit=""):
    """Return a number that a document prints as our own tables, figures and sentences show it.

    It keeps all its digits, zeros at its end and a bare decimal point too. Thousands are set off by commas, whether the
    document does so or not; the sign of the unit is left to the heading. What is no number stays as it is.

    Examples
    --------
    >>> [printed_number(each) for each in ("19749184", "1,920", ".890", "$13.20", "54%", "352835.13", "--")]
    ['19,749,184', '1,920', '.890', '13.20', '54', '352,835.13', '--']
    """
    parts = _PRINTED_NUMBER.fullmatch(text.strip())
    if not parts or not (parts["whole"] or parts["rest"]):
        return text
    whole, rest = parts["whole"].replace(",", ""), parts["rest"]
    return parts["sign"] + (f"{int(whole):,}" if whole and unit != _YEAR else whole) + rest


def forms_of_printed_numbers(texts):
    """Return the forms of a column of printed numbers that `number` would write otherwise, for ``attrs[PRINTED]``.

    Where a column prints one value in two forms (``0.1`` and ``0.10``) the shorter one is shown for both, which claims
    no digit that is not printed.
    """
    forms = {printed_number(text) for text in texts if any(map(str.isdigit, text))}
    forms = [form for form in forms if _PRINTED_NUMBER.fullmatch(form)]
    special = {_number_of_printed_form(form) for form in forms if form != number(_number_of_printed_form(form))}
    return tuple(sorted(form for form in forms if _number_of_printed_form(form) in special))


def forms_of_given_numbers(values):
    """Return the forms of numbers that somebody gave and no page prints: all digits of those that have nine or fewer.

    A number with more is the result of a computation and is rounded as one.
    """
    different = {*np.asarray(values, float).tolist()}
    return forms_of_printed_numbers(
        text for value in different if value == value and float(text := f"{value:.9g}") == value
    )


def _number_of_printed_form(form):
    return float(form.replace(",", ""))


def percent(share, digits=0):
    """Return a share as a percentage for a sentence: "95 %"."""
    return f"{100 * share:.{digits}f} %"


def p_in_words(p):
    """Return a p value for a sentence: "p = 0.012", "p < 0.0001"."""
    return "p < 0.0001" if p < 1e-4 else f"p = {number(p, 2)}"


def coverage(level):
    """Return the level of an interval for a sentence, never rounded up to certainty: "99.9 %"."""
    return f"{100 * level:.10g} %"


def keep_printed_forms(frame, *of):
    """Return the frame with the printed forms of the frames that its columns come from, where pandas lost them.

    pandas hands ``attrs`` on where rows or columns are chosen, not where frames are joined or built anew.
    """
    forms_of = {}
    for origin in (*of, frame):
        for name, forms in origin.attrs.get(PRINTED, {}).items():
            forms_of[name] = tuple(sorted({*forms_of.get(name, ()), *forms}))
    if forms_of:
        frame.attrs[PRINTED] = PrintedForms(forms_of)
    return frame


def numbers_as_shown(column):
    """Return the numbers of a column as texts for sentences and labels, as `number_texts` has them in its table."""
    return pd.Series(number_texts(column.to_frame())[0], index=column.index, dtype=object)


def number_texts(frame):
    """Return the cells as a reader sees them, a list a column: printed numbers in their form, computed ones rounded."""
    units = frame["unit"].tolist() if "unit" in frame and frame.columns.is_unique else [""] * len(frame)
    columns = []
    for k, name in enumerate(frame.columns):
        forms, texts = _printed_forms(frame, name), []
        for value, unit in zip(frame.iloc[:, k], units, strict=True):
            is_number = isinstance(value, (int, float, np.number)) and not isinstance(value, (bool, np.bool_))
            unit = name if name == _YEAR else unit
            texts.append(forms.get(value) or number(value, unit=unit) if is_number else cell_text(value))
        columns.append(texts)
    return columns


def _printed_forms(frame, name):
    """The printed forms of a column by their value; of two the one with fewer decimals, which claims no more."""
    forms = frame.attrs.get(PRINTED, {}).get(name, ())
    return {_number_of_printed_form(form): form for form in sorted(forms, key=len, reverse=True)}


@dataclass(frozen=True)
class Table:
    """A frame as pages and notebooks show it: numbers to the right and as `number_texts` has them, all text escaped.

    Over each heading is its meaning in the vocabulary; the errata that touch the frame are reported below.
    """

    frame: pd.DataFrame
    link: str = ""  # a column of ids, each linked to its section of the page
    note: str = ""  # a sentence below: that rows are missing, say
    computed_from: tuple = ()  # of each: a name, by which the site links it; words for a reader; places of its rows
    locators: tuple = ()  # one a row, where no column shows them: over the row, and on the site behind its first cell
    name: str = ""  # of the file that has all of it: the site numbers the table and links the file

    def __repr__(self):
        """Lay the table out for a terminal."""
        origins = f"Computed from {'; '.join(words for _, words, _ in self.computed_from)}."
        return "\n".join(filter(None, (as_text(self.frame), self.note, origins * bool(self.computed_from))))

    def _repr_html_(self):
        return self.without_errata() + carried_errata.errata_as_html(carried_errata.errata_of(self.frame))

    def without_errata(self):
        """Return the table as HTML: what holds several tells their errata once, below all."""
        # A column without a single value tells a reader nothing; the file of the table has it.
        filled = [k for k in range(self.frame.shape[1]) if any(map(cell_text, self.frame.iloc[:, k]))]
        shown = self.frame.iloc[:, filled] if filled else self.frame
        table = as_html(shown, headings=meanings(), link=self.link, locators=self.locators)
        words = self.note or "No rows." * self.frame.empty
        note = f"<p>{html.escape(words)}</p>" if words else ""
        if self.computed_from:
            origins = "; ".join(
                f"<span{_html_attribute('data-origin', name)}{_html_attribute('data-locators', '; '.join(places))}>"
                f"{html.escape(words)}</span>"
                for name, words, places in self.computed_from
            )
            note += f'<p class="origins">Computed from {origins}.</p>'
        table = f'<div data-table="{html.escape(self.name)}">{table}</div>' if self.name else table
        return table + note


class Result(abc.ABC):
    """A result, which is a frozen dataclass: `headline()`, `tidy()` and `glance()`, and how they are shown."""

    @abc.abstractmethod
    def headline(self) -> str:
        """Return what was found, in a sentence or a few."""

    @abc.abstractmethod
    def tidy(self) -> pd.DataFrame:
        """Return a row for each part."""

    @abc.abstractmethod
    def glance(self) -> pd.DataFrame:
        """Return one row for the whole."""

    def _tables(self):
        """The frames below the headline."""
        return (self.tidy(),)

    def _page_tables(self):
        """Those of them on a page."""
        return self._tables()

    def __str__(self):
        """Return the headline and the tables as text for a terminal."""
        return "\n".join([f"{self.headline()}\n", *(str(Table(frame)) for frame in self._tables())])

    def __repr__(self):
        """Return what `print` shows."""
        return str(self)

    def __init_subclass__(cls, **settings):
        """Keep that where a dataclass would write its fields."""
        super().__init_subclass__(**settings)
        cls.__repr__ = Result.__repr__

    def _repr_html_(self):
        frames = self._page_tables()
        tables = "".join(Table(frame).without_errata() for frame in frames)
        errata = carried_errata.errata_as_html(carried_errata.errata_of(*frames))  # each once, below all tables
        return f"<p>{html.escape(self.headline())}</p>{tables}{errata}"


class SafeMarkdown(str):
    """Sentences of a notebook: pairs of stars make bold, ``- `` a list; all else, which may be data, is text."""

    def __repr__(self):
        """Return the sentences as they are."""
        return str(self)

    def _repr_markdown_(self):
        together = re.sub(r"(?<=\d) (?=(?:m?s|[KMG]B|MHz)\b)", "\N{NO-BREAK SPACE}", typeset(self))
        return "\n".join(map(_words_as_markdown, together.split("\n")))


def as_points(*sentences):
    """Return sentences as a list, without those that have no words."""
    return SafeMarkdown("\n".join(f"- {sentence}" for sentence in sentences if sentence))


def headline_and_points(headline, *points):
    """Return an answer: its headline in bold, then each point that has words as an item of a list."""
    return SafeMarkdown(f"**{headline}**\n\n{as_points(*points)}")


def typeset(words):
    """Return words with true minus signs, and each percent sign a space that does not break behind its number."""
    words = re.sub(r"(?<![\w.)-])-(?=\.?\d)", "\N{MINUS SIGN}", words)
    return re.sub(r"(?<=\d) ?%", "\N{NO-BREAK SPACE}%", words)


def rounded_for_files(frame):
    """Return the frame as files keep it: computed numbers to six digits, whole and printed ones with all of theirs.

    Six digits are the same on every machine. A number from 10,000 to 10 million has two decimals, so that sums of
    prices agree to the cent; a larger one, as an interval may reach to, has six digits again.
    """

    def as_kept(name, value):
        exact = value in printed_of[name] or float(value).is_integer()
        if exact:
            return value
        least, most = _WITH_CENTS
        return round(value, _DECIMALS) if least <= abs(value) < most else float(f"{value:.{_DIGITS_IN_FILES}g}")

    floats = frame.select_dtypes("float").columns
    printed_of = {name: _printed_forms(frame, name) for name in floats}
    return frame.assign(**{name: [as_kept(name, value) for value in frame[name]] for name in floats})


def cell_text(value):
    """Return a cell as text: nothing for a missing value, `yes` and `no` for truth values, all digits of a number."""
    if value is None or value is pd.NA or value != value:
        return ""
    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return as_python(value) if isinstance(value, int) else str(value)


def as_text(frame):
    """Lay the frame out in columns padded with blanks, numbers to the right and as `number_texts` has them.

    On a terminal that the command line prints to, it fits: see `format_table`.
    """
    cells = _escaped_rows(number_texts(frame), _text_on_one_line)
    header = [_text_on_one_line(str(name)) for name in frame.columns]
    right = [
        is_number_dtype(dtype) or all(read_number(text) is not None for text in filter(None, column))
        for dtype, column in zip(frame.dtypes, zip(*cells, strict=True) if cells else [()] * len(header), strict=True)
    ]
    return "\n".join(format_table(header, cells, right)) + "\n"


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


def as_csv(frame):
    """Write CSV for whatever opens it; a text that a spreadsheet would compute gets an apostrophe in front.

    Numbers are never touched, nor are the files of ``data``. Who reads the file again finds the apostrophe; JSON and
    Parquet, which no spreadsheet computes, carry the text as it is.
    """
    made = io.StringIO()
    writer = csv.writer(made, lineterminator="\n")
    writer.writerow([_cell_without_formula(str(name)) for name in frame.columns])
    for first in range(0, len(frame), _TOGETHER):  # a large frame is not all texts at once
        writer.writerows(_raw_cells(frame.iloc[first : first + _TOGETHER], _cell_without_formula))
    return made.getvalue()


def csv_cell(value):
    """Return a value as the cell of a CSV file."""
    return _cell_without_formula(cell_text(value))


def as_json(frame):
    """Write a list of objects, one per row and line; a missing value is null."""
    return f"{_json_list_of_objects(frame)}\n"


def as_json_of(frames):
    """Write one object of several frames by name, each a list of objects."""
    members = [f"{_JSON.encode(name)}: {_json_list_of_objects(frame)}" for name, frame in frames.items()]
    return "{" + ",\n".join(members) + "}\n"


def _json_list_of_objects(frame):
    """The rows of a frame as JSON has them: without infinity, and with null for what is missing."""
    names, lines = [str(name) for name in frame.columns], []
    for first in range(0, len(frame), _TOGETHER):  # a large frame is not all objects at once
        cells = frame.iloc[first : first + _TOGETHER].astype(object)
        cells = cells.mask(cells.isna() | cells.isin([np.inf, -np.inf]), None)
        lines += [_JSON.encode(dict(zip(names, row, strict=True))) for row in cells.itertuples(index=False, name=None)]
    return "[\n" + ",\n".join(lines) + "\n]" if lines else "[]"


def as_markdown(frame):
    """Write a pipe table."""
    rows = [
        [as_markdown_text(str(name)) for name in frame.columns],
        ["---"] * frame.shape[1],
        *_raw_cells(frame, as_markdown_text),
    ]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def as_html(
    frame,
    *,
    caption="",
    titles=None,
    ids=None,
    locators=(),
    headings=None,
    page_headings=None,
    classes=None,
    marks=None,
    link="",
):
    """Write an HTML table, numbers as `number_texts` has them.

    `caption` is above it. Of each row: `titles`, shown over it; `ids`, by which a link leads to it; `locators`, shown
    over it and made a link by the site. Of each column, by name: `headings`, shown over its heading; `page_headings`,
    those of the page, below ours; `classes` of its cells. `marks`: (row position, column) to the class of a cell that
    is wrong or suspected, and to what is shown over it. `link`: a column of ids, each linked to its section.
    """
    if classes is None:
        classes = {name: "number" for name in frame if is_number_dtype(frame[name].dtype)} | {_LOCATOR: _LOCATOR}
    heads = []
    for name in frame:  # our name, which may break at its underscores, and the page's own below it
        ours, theirs = html.escape(str(name)).replace("_", "_<wbr>"), html.escape((page_headings or {}).get(name, ""))
        theirs = f"<br><small>{theirs}</small>" if theirs else ""
        title = _html_attribute("title", (headings or {}).get(name))
        heads.append(f'<th scope="col"{_cell_class(classes.get(name))}{title}>{ours}{theirs}</th>')
    rows = []
    for k, texts in enumerate(_escaped_rows(number_texts(frame), html.escape)):
        cells = []
        for name, text in zip(frame, texts, strict=True):
            if name == link:  # it may break where its parts meet
                parts = _BREAKS.sub(r"\1<wbr>", text)
                text = f'<a href="#{text}">{parts}</a>'
            mark, title = (marks or {}).get((k, name), ("", ""))
            look = _cell_class(" ".join(filter(None, (classes.get(name), mark))))
            cells.append(f"<td{look}{_html_attribute('title', title)}>{text}</td>")
        about = _html_attribute("id", ids[k] if ids else "") + _html_attribute("title", titles[k] if titles else "")
        about += "".join(
            _html_attribute(name, cell_text(locators[k])) for name in ("title", "data-locator") if locators
        )
        rows.append(f"<tr{about}>{''.join(cells)}</tr>\n")
    top = f"<caption>{html.escape(caption)}</caption>" if caption else ""
    return f"<table>{top}\n<thead><tr>{''.join(heads)}</tr></thead>\n<tbody>\n{''.join(rows)}</tbody></table>\n"


def rendered_template(folder, template, **values):
    """Return the HTML of a template of a folder; the values are escaped."""
    from markupsafe import Markup

    return Markup(_templates_of_folder(folder).get_template(template).render(values))


@functools.cache
def _templates_of_folder(folder):
    """The environment of Jinja for a folder; its filter `in_code` makes code of what is between backquotes."""
    import jinja2  # takes a while, and no command that prints text needs it
    from markupsafe import Markup, escape

    made = jinja2.Environment(loader=jinja2.FileSystemLoader(folder), autoescape=True, trim_blocks=True)
    made.filters["in_code"] = lambda text: Markup(re.sub(r"``?([^`]+)``?", r"<code>\1</code>", str(escape(text))))
    return made


def as_html_list(items):
    """Write an HTML list of texts; nothing of none."""
    return f"<ul>{''.join(f'<li>{html.escape(item)}</li>' for item in items)}</ul>" if items else ""


def as_download(name, text, kind="text/csv"):
    """Write a link that carries a file within it, so that it works wherever the page is opened."""
    data, name = base64.b64encode(text.encode()).decode(), html.escape(name)
    return f'<a download="{name}" href="data:{kind};base64,{data}">{name}</a>'


FORMATS = {"text": as_text, "csv": as_csv, "json": as_json, "md": as_markdown}


def _raw_cells(frame, escape):
    """The cells of a machine's format, raw, in rows."""
    return _escaped_rows([[cell_text(value) for value in frame.iloc[:, k]] for k in range(frame.shape[1])], escape)


def _escaped_rows(columns, escape):
    """Columns of texts as rows, each text escaped."""
    return [[escape(text) for text in row] for row in zip(*columns, strict=True)]


def _cell_without_formula(text):
    """The cell of a CSV file; a bare carriage return would end the row for some readers, and becomes a line feed."""
    return re.sub("\r\n?", "\n", f"'{text}" if _FORMULA.match(text) else text)


def _text_on_one_line(text):
    """A text with control characters and line ends as blanks."""
    return _CONTROL.sub(" ", text)


def as_markdown_text(text):
    """Return a text in one line as Markdown that shows it to the letter."""
    return _MARKDOWN.sub(r"\\\1", html.escape(_text_on_one_line(text), quote=False))


def _words_as_markdown(line):
    """A line of `SafeMarkdown` as Markdown."""
    item = _ITEM if line.startswith(_ITEM) else ""
    text = _BOLD.join(map(as_markdown_text, line.removeprefix(item).split(_BOLD))).strip()
    if item and not text:  # a bare hyphen would make a heading of the line before
        return ""
    if text and not text.strip("* "):  # stars around nothing would make a rule across the page
        return item + text.replace("*", r"\*")
    opens = _BEGINS.match(text)
    return item + (f"{opens[1]}&#{ord(opens[2])};{text[opens.end() :]}" if opens else text)


def is_number_dtype(dtype):
    """Tell whether a dtype is one of numbers; truth values are none."""
    return pd.api.types.is_numeric_dtype(dtype) and not pd.api.types.is_bool_dtype(dtype)


def _cell_class(kind):
    """The class of a cell; text says that it stands on the left, where JupyterLab sets all cells to the right."""
    alignment = "" if kind and "number" in kind else ' style="text-align:left"'
    return f"{_html_attribute('class', kind)}{alignment}"


def _html_attribute(name, value):
    """An HTML attribute, or nothing for no value."""
    return f' {name}="{html.escape(value)}"' if value else ""
