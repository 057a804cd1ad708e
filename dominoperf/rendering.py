"""A frame as text, CSV, JSON, Markdown or HTML, with everything that came from data escaped."""

import html
import json
import re

import pandas as pd

# What a spreadsheet would run as a formula. A leading sign alone is left: "-f" and "--" are printed cells.
_FORMULA = re.compile(r"[=\t\r]|[-+@].*[(|!]", re.DOTALL)
_MARKDOWN = re.compile(r"([\\`*_\[\]|#$~])")


def cell_text(value):
    """Give a cell as text: nothing for a missing value, `yes` and `no` for truth values, all digits of a number."""
    if value is None or value is pd.NA or value != value:
        return ""
    if isinstance(value, bool) or type(value).__name__ == "bool_":
        return "yes" if value else "no"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value)


def as_text(frame):
    """Lay the frame out in columns padded with blanks, numbers to the right."""
    cells = _cells(frame, lambda text: text.replace("\n", " "))
    header = [str(name) for name in frame.columns]
    widths = [max(map(len, column)) for column in zip(header, *cells, strict=True)]
    right = [pd.api.types.is_numeric_dtype(dtype) for dtype in frame.dtypes]
    pad = lambda row: "  ".join(t.rjust(w) if r else t.ljust(w) for t, w, r in zip(row, widths, right, strict=True))  # noqa: E731
    return "\n".join(pad(row).rstrip() for row in [header, ["-" * width for width in widths], *cells]) + "\n"


def as_csv(frame):
    """Write CSV; a text that a spreadsheet would run as a formula gets an apostrophe in front."""
    cells = _cells(frame, lambda text: f"'{text}" if _FORMULA.match(text) else text)
    return pd.DataFrame(cells, columns=frame.columns).to_csv(index=False, lineterminator="\n")


def as_json(frame):
    """Write a list of objects, one a row; a missing value is null."""
    rows = [{str(k): _plain(v) for k, v in row.items()} for row in frame.to_dict("records")]
    return json.dumps(rows, ensure_ascii=False, indent=1) + "\n"


def as_markdown(frame):
    """Write a pipe table."""
    rows = [[_markdown(str(name)) for name in frame.columns], ["---"] * frame.shape[1], *_cells(frame, _markdown)]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def as_html(frame, *, caption="", titles=None, headings=None, numeric=None, element_id=""):
    """Write an HTML table.

    Parameters
    ----------
    frame : DataFrame
    caption : str
        Stands above the table.
    titles : sequence of str, optional
        One a row: what is shown over the row's cells (their locator).
    headings : dict, optional
        Column name to the text over the heading.
    numeric : collection, optional
        Columns to set to the right; by default those with a numeric dtype.
    element_id : str
        The table's anchor.
    """
    numeric = {c for c in frame if pd.api.types.is_numeric_dtype(frame[c])} if numeric is None else set(numeric)
    kinds = [' class="number"' if name in numeric else "" for name in frame.columns]
    head = "".join(
        f'<th scope="col"{kind}{_title((headings or {}).get(name))}>{html.escape(str(name))}</th>'
        for name, kind in zip(frame.columns, kinds, strict=True)
    )
    rows = [
        f"<tr{_title(title)}>{''.join(f'<td{k}>{c}</td>' for c, k in zip(row, kinds, strict=True))}</tr>\n"
        for row, title in zip(_cells(frame, html.escape), titles or [None] * len(frame), strict=True)
    ]
    top = f"<caption>{html.escape(caption)}</caption>" if caption else ""
    anchor = f' id="{html.escape(element_id)}"' if element_id else ""
    body = "".join(rows)
    return f"<table{anchor}>{top}\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody></table>\n"


FORMATS = {"text": as_text, "csv": as_csv, "json": as_json, "md": as_markdown}


def _cells(frame, escape):
    columns = [[escape(cell_text(value)) for value in frame.iloc[:, k]] for k in range(frame.shape[1])]
    return [list(row) for row in zip(*columns, strict=True)]


def _plain(value):
    if value is None or value is pd.NA or value != value:
        return None
    return value.item() if hasattr(value, "item") else value


def _markdown(text):
    return _MARKDOWN.sub(r"\\\1", html.escape(text, quote=False)).replace("\n", " ")


def _title(text):
    return f' title="{html.escape(text)}"' if text else ""
