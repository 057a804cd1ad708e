"""A frame as text, CSV, JSON, Markdown or HTML, with everything that came from data escaped."""

import base64
import csv
import html
import io
import json
import os
import re
from dataclasses import dataclass

import numpy as np
import pandas as pd

from dominoperf import doubts
from dominoperf.errors import CONTROL

# What a spreadsheet would compute: by its first sign, or a leading sign with a call, pipe, operator or cell behind it.
# Such a sign alone is left, since documents print "-f", "--", "-ft -s 60" and "@delivered"; so is a number's.
_FORMULA = re.compile(
    r"[=\t\r\n＝＋－＠]|(?![-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?\s*$)[-+@]"
    r"(.*[(|!*^&={]|[\w.$%]+\s*[+/]|[\w.$%]+-|\$?[A-Za-z]{1,3}\$?\d+\b)",
    re.DOTALL,
)
_CONTROL = re.compile(f"{CONTROL}+")
_MARKDOWN = re.compile(r"([\\`*_\[\]|#$~])")
_BEGINS = re.compile(r"(\d{0,9})([-+=%(:.)])")  # what would make a list, a heading or a target of a line
_ITEM, _BOLD = "- ", "**"


@dataclass(frozen=True)
class Table:
    """A frame as pages and notebooks show it: numbers to the right and to a few digits, all text escaped.

    The errata that touch it are told below.
    """

    frame: pd.DataFrame
    digits: int = 5
    headings: dict | None = None  # what is shown over a heading
    link: str = ""  # a column of ids, each linked to its section of the page

    def __repr__(self):
        """Lay the table out for a terminal."""
        return as_text(rounded(self.frame, self.digits))

    def _repr_html_(self):
        table = as_html(rounded(self.frame, self.digits), headings=self.headings, link=self.link)
        return table + doubts.as_html(doubts.doubts(self.frame))


@dataclass(frozen=True)
class Words:
    """Sentences of a notebook: pairs of stars make bold, ``- `` a list; all else, which may be data, is text.

    Parameters
    ----------
    text : str
    """

    text: str

    def __repr__(self):
        """Give the sentences as they are."""
        return self.text

    def _repr_markdown_(self):
        return "\n".join(map(_words, self.text.split("\n")))


def rounded(frame, digits):
    """Give the frame with its floating-point columns rounded to so many significant digits."""
    floats = frame.select_dtypes("float").columns
    return frame.assign(**{name: [float(f"{value:.{digits}g}") for value in frame[name]] for name in floats})


def cell_text(value):
    """Give a cell as text: nothing for a missing value, `yes` and `no` for truth values, all digits of a number."""
    if value is None or value is pd.NA or value != value:
        return ""
    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value)


def as_text(frame):
    """Lay the frame out in columns padded with blanks, numbers to the right."""
    cells = _cells(frame, _one_line)
    header = [_one_line(str(name)) for name in frame.columns]
    widths = [max(map(len, column)) for column in zip(header, *cells, strict=True)]
    right = [_is_number(dtype) for dtype in frame.dtypes]
    pad = lambda row: "  ".join(t.rjust(w) if r else t.ljust(w) for t, w, r in zip(row, widths, right, strict=True))  # noqa: E731
    return "\n".join(pad(row).rstrip() for row in [header, ["-" * width for width in widths], *cells]) + "\n"


def as_csv(frame):
    """Write CSV for whatever opens it; a text that a spreadsheet would compute gets an apostrophe in front.

    Numbers are never touched, nor are the files of ``data``. Who reads the file again finds the apostrophe; JSON and
    Parquet, which no spreadsheet computes, carry the text as it is.
    """
    made = io.StringIO()
    rows = [[_no_formula(str(name)) for name in frame.columns], *_cells(frame, _no_formula)]
    csv.writer(made, lineterminator="\n").writerows(rows)
    return made.getvalue()


def csv_cell(value):
    """Give a value as the cell of a CSV file."""
    return _no_formula(cell_text(value))


def as_json(frame):
    """Write a list of objects, one a row; a missing value is null."""
    return json.dumps(_objects(frame), ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def as_json_of(frames):
    """Write one object of several frames by name, each a list of objects."""
    whole = {name: _objects(frame) for name, frame in frames.items()}
    return json.dumps(whole, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def _objects(frame):
    return [{str(k): _plain(v) for k, v in row.items()} for row in frame.to_dict("records")]


def as_markdown(frame):
    """Write a pipe table."""
    rows = [
        [as_markdown_text(str(name)) for name in frame.columns],
        ["---"] * frame.shape[1],
        *_cells(frame, as_markdown_text),
    ]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def as_html(frame, *, caption="", titles=None, headings=None, printed=None, classes=None, marks=None, link=""):
    """Write an HTML table.

    Parameters
    ----------
    frame : DataFrame
    caption : str
        Stands above the table.
    titles : sequence of str, optional
        One a row: what is shown over the row's cells (their locator).
    headings : dict, optional
        Column name to the text over its heading.
    printed : dict, optional
        Column name to the heading that the page prints, set below ours.
    classes : dict, optional
        Column name to the class of its cells; by default "number" where the dtype is numeric.
    marks : dict, optional
        (row position, column name) to the class of a cell that is wrong or doubtful, and to what is shown over it.
    link : str
        A column of ids, each linked to its section of the page.
    """
    classes = _numeric(frame) if classes is None else classes
    heads = [_head(name, classes.get(name), (headings or {}).get(name), (printed or {}).get(name)) for name in frame]
    body = []
    for k, row in enumerate(_cells(frame, html.escape)):
        texts = [_linked(text) if name == link else text for name, text in zip(frame, row, strict=True)]
        marked = [(marks or {}).get((k, name), ("", "")) for name in frame]
        cells = [_cell(*each) for each in zip(texts, map(classes.get, frame), marked, strict=True)]
        body.append(f"<tr{_attribute('title', titles[k] if titles else '')}>{''.join(cells)}</tr>\n")
    top = f"<caption>{html.escape(caption)}</caption>" if caption else ""
    return f"<table>{top}\n<thead><tr>{''.join(heads)}</tr></thead>\n<tbody>\n{''.join(body)}</tbody></table>\n"


def as_html_list(items):
    """Write an HTML list of texts; nothing of none."""
    return f"<ul>{''.join(f'<li>{html.escape(item)}</li>' for item in items)}</ul>" if items else ""


def as_report(words, frames):
    """Lay a result out for a terminal: what it says in words, then its tables."""
    return "\n\n".join([words, *(str(Table(frame)) for frame in frames)])


def as_html_report(words, frames, digits=5):
    """Write a result as HTML: what it says in words, then its tables."""
    return f"<p>{html.escape(words)}</p>" + "".join(Table(frame, digits)._repr_html_() for frame in frames)


def as_download(name, text, kind="text/csv"):
    """Write a link that carries a file within it, so that it works wherever the page is opened."""
    data, name = base64.b64encode(text.encode()).decode(), html.escape(name)
    return f'<a download="{name}" href="data:{kind};base64,{data}">{name}</a>'


def replace_file(path, text):
    """Write beside the old file, then rename: a reader meets the old text or the new, never half of one."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        beside.write_text(text, encoding="utf-8", newline="\n")
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)


FORMATS = {"text": as_text, "csv": as_csv, "json": as_json, "md": as_markdown}


def _cells(frame, escape):
    columns = [[escape(cell_text(value)) for value in frame.iloc[:, k]] for k in range(frame.shape[1])]
    return [list(row) for row in zip(*columns, strict=True)]


def _plain(value):
    if value is None or value is pd.NA or value != value or value in (float("inf"), float("-inf")):
        return None  # JSON has no infinity
    return value.item() if hasattr(value, "item") else value


def _no_formula(text):
    """The cell of a CSV file; a bare carriage return would end the row for some readers, and becomes a line feed."""
    return re.sub("\r\n?", "\n", f"'{text}" if _FORMULA.match(text) else text)


def _one_line(text):
    return _CONTROL.sub(" ", text)


def as_markdown_text(text):
    """Give a text in one line as Markdown that shows it to the letter."""
    return _MARKDOWN.sub(r"\\\1", html.escape(_one_line(text), quote=False))


def _words(line):
    """A line of `Words` as Markdown."""
    item = _ITEM if line.startswith(_ITEM) else ""
    text = _BOLD.join(map(as_markdown_text, line.removeprefix(item).split(_BOLD))).strip()
    if item and not text:  # a bare hyphen would make a heading of the line before
        return ""
    opens = _BEGINS.match(text)
    return item + (f"{opens[1]}&#{ord(opens[2])};{text[opens.end() :]}" if opens else text)


def _numeric(frame):
    return {name: "number" for name in frame if _is_number(frame[name].dtype)}


def _is_number(dtype):
    return pd.api.types.is_numeric_dtype(dtype) and not pd.api.types.is_bool_dtype(dtype)


def _head(name, kind, title, printed):
    """A heading: our name, which may break at its underscores, and the page's own below it."""
    ours = html.escape(str(name)).replace("_", "_<wbr>")
    theirs = f"<br><small>{html.escape(printed)}</small>" if printed else ""
    return f'<th scope="col"{_look(kind)}{_attribute("title", title)}>{ours}{theirs}</th>'


def _linked(text):
    """An escaped id, linked to the section of the page that has it; it may break where its parts meet."""
    parts = re.sub("([/_])", r"\1<wbr>", text)
    return f'<a href="#{text}">{parts}</a>'


def _cell(text, kind, marked):
    mark, title = marked
    return f"<td{_look(' '.join(filter(None, (kind, mark))))}{_attribute('title', title)}>{text}</td>"


def _look(kind):
    """The class of a cell; text says that it stands on the left, where JupyterLab sets all cells to the right."""
    left = "" if kind and "number" in kind else ' style="text-align:left"'
    return f"{_attribute('class', kind)}{left}"


def _attribute(name, value):
    return f' {name}="{html.escape(value)}"' if value else ""
