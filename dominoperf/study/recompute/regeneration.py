"""Recompute the cells that other cells imply, by the expressions of ``data/recomputed.toml``; carry the others.

A view is a layout that code makes of another table's cells: every one of them is recomputed, by laying it out.
"""

import dataclasses
import functools
import re
from collections import defaultdict
from decimal import ROUND_HALF_UP, Decimal

import pandas as pd

from dominoperf import runs, tables
from dominoperf.errors import BadTable, DominoperfError, UnknownName, counted, names_its_keywords
from dominoperf.tables import carried_errata, is_view, list_tables, load, loading, locators, rendering
from dominoperf.tables.document_pages import ViewOfData
from dominoperf.tables.expressions import FUNCTIONS, evaluate
from dominoperf.tables.folders import our_toml_file
from dominoperf.tables.reading import read_number

_CELL = {"table": "str", "row": "int64", "column": "str", "printed": "str"}
_CELL |= {"implied": "float64", "expression": "str", "locator": "str"}  # of a table without any too


@names_its_keywords()
def regenerate(id: str) -> pd.DataFrame:
    """Return a table with every cell that other cells imply recomputed, the others carried from the corrected table.

    Recomputed numbers are rounded to the digits that the page prints, halves up.

    Parameters
    ----------
    id : str
        ``source/name``, see `tables.list_tables`.

    Returns
    -------
    DataFrame
        Shaped as `tables.load` gives it. Its ``attrs["recomputed"]`` is a frame of truth values of the same shape:
        which cells were recomputed; the others are carried.

    Raises
    ------
    UnknownName
        When there is no such table.
    BadTable
        When an expression of ours cannot be computed.
    """
    frame, texts = load(id), {}
    done = pd.DataFrame(is_view(id), index=frame.index, columns=frame.columns)
    for cell in cells_of(id).itertuples():
        frame[cell.column] = frame[cell.column].astype("float64")
        frame.loc[cell.row - 1, cell.column] = rounded_as_printed(cell.implied, cell.printed)
        done.loc[cell.row - 1, cell.column] = True
        texts.setdefault(cell.column, []).append(as_printed(cell.implied, cell.printed))
    forms = pd.DataFrame()
    forms.attrs[rendering.PRINTED] = {
        name: rendering.forms_of_printed_numbers(written) for name, written in texts.items()
    }
    frame.attrs["recomputed"] = done
    return rendering.keep_printed_forms(frame, forms)


def as_printed(value, printed):
    """Write a number as the page would: in its characters where it rounds to them, else with as many decimals."""
    value = rounded_as_printed(value, printed)
    if read_number(printed) == value:
        return printed
    digits = len(printed.strip("$% ").partition(".")[2])
    return f"{'$' if printed.startswith('$') else ''}{value:{',' if ',' in printed else ''}.{digits}f}"


def cells(source: str | None = None) -> pd.DataFrame:
    """List every recomputed cell: a frame of table, row, column, printed, implied, expression, locator.

    `implied` has all its digits. A table whose cells cannot be computed has none: `failing` names it.
    """
    none = pd.DataFrame(columns=list(_CELL)).astype(_CELL)
    return pd.concat([none, *_cells_or_reasons(source)[0].values()], ignore_index=True)


def failing(source: str | None = None) -> dict[str, str]:
    """Return why tables of a document, or of all, cannot be recomputed: the message by the id of the table."""
    return _cells_or_reasons(source)[1]


def _cells_or_reasons(source):
    """By id the cells of each table that has expressions, and why those of others cannot be computed."""
    cells, reasons = {}, {}
    for id in list_tables(source)["id"]:
        if id in _formulas_by_id():
            try:
                cells[id] = cells_of(id)
            except DominoperfError as error:
                reasons[id] = str(error)
    return cells, reasons


def cells_of(id: str) -> pd.DataFrame:
    """List the recomputed cells of a table, as `cells` does; none for a view."""
    frame, printed = load(id), load(id, "printed", text=True)
    source, places, rows = id.partition("/")[0], locators(id), []
    for name, expressions in _formulas_by_id().get(id, {}).items():
        if name not in printed:
            raise UnknownName.among(f"recomputed.toml, {id}", name, printed)
        beyond = [row for row in expressions if row != "each" and not 0 < int(row) <= len(printed)]
        if beyond:
            expected, remedy = f"a row from 1 to {len(printed)}", "Rows are counted from 1, without the heading."
            raise BadTable(f"recomputed.toml, {id}, {name}", expected=expected, found=f"row {beyond[0]}", remedy=remedy)
        every = dict.fromkeys(range(1, len(frame) + 1), expressions["each"]) if "each" in expressions else expressions
        for k, expression in ((int(row), expression) for row, expression in every.items()):
            if not printed[name][k - 1]:
                continue
            functions = FUNCTIONS | {
                "row": lambda other, name=name: frame[name][other - 1],
                "cell": lambda table, column, other: printed_cell_as_number(f"{source}/{table}", column, other),
                "total": lambda *columns, k=k: frame[list(columns)].drop(index=k - 1).prod(axis=1, skipna=False).sum(),
            }
            names, where = frame.iloc[k - 1].to_dict() | {"n": k}, f"recomputed.toml, {id}, {name}, row {k}"
            implied = float(evaluate(expression, names, functions, where))
            rows.append((id, k, name, printed[name][k - 1], implied, expression, places[k - 1]))
    return pd.DataFrame(rows, columns=list(_CELL)).astype(_CELL)


def rounded_as_printed(value, printed):
    """Round a number to the digits of a printed one, halves away from zero as people do."""
    step = runs.step_of_digits(printed)
    if not step:
        return float(value)
    exact = Decimal(f"{value:.12g}")  # 0.945 stays 0.945
    return float(exact.quantize(Decimal(str(step)).normalize(), ROUND_HALF_UP))


def printed_cell_as_number(id, column, row, as_="corrected"):
    """A cell as a number, in a column of text too."""
    value = load(id, as_)[column][row - 1]
    return read_number(value) if isinstance(value, str) else float(value)


@functools.cache
def _formulas_by_id():
    """The expressions by id of the table, column and row."""
    written = our_toml_file("recomputed.toml")
    return {f"{source}/{table}": columns for source, tables in written.items() for table, columns in tables.items()}


COLUMNS = ["figure", "label", "value", "unit", "origin", "expression"]
_BARE_CELL = re.compile(r"cell\([^()]*\)")


def figure_values(id: str | None = None, source: str | None = None) -> pd.DataFrame:
    """Return the values that a figure must have shown; without `id` of all of a document, or of all documents.

    By the expressions of ``data/figures.toml``. Without a unit the points are multiples of the one that is 1.

    Returns
    -------
    DataFrame
        figure, label, value, unit, origin ("printed" in a table, or "derived" from other numbers), expression. No rows
        where nothing of a picture survives. It carries the errata of the cells that its points are made of.

    Raises
    ------
    UnknownName
        When there is no such figure, or no such source.
    """
    figures = list(tables.figures(source)["id"])
    if id is not None and id not in figures:
        raise UnknownName.among("figure", id, figures, "Known are those that the page of the document lists.")
    used = defaultdict(set)  # of each column of a table the rows that the points are made of
    rows = []
    for figure in [id] if id else figures:
        document, _, name = figure.partition("/")

        def cell(table, column, row, document=document):
            used[f"{document}/{table}", column].add(row - 1)
            return printed_cell_as_number(f"{document}/{table}", column, row)

        def text(table, column, row, document=document):
            return tables.load(f"{document}/{table}", text=True)[column][row - 1]

        about = our_toml_file("figures.toml").get(document, {}).get(name, {"points": {}})
        for label, expression in about["points"].items():
            where = f"figures.toml, {figure}, {label}"
            value, is_cell = (
                evaluate(expression, {}, FUNCTIONS | {"cell": cell}, where),
                _BARE_CELL.fullmatch(expression),
            )
            printed = evaluate(expression, {}, {"cell": text}, where) if is_cell else ""
            unit, origin = about["unit"].removesuffix("1"), "printed" if printed else "derived"
            rows.append((figure, label, value, unit, origin, expression, printed))
    frame = pd.DataFrame(rows, columns=[*COLUMNS, "printed"])
    values = frame[COLUMNS].astype(dict.fromkeys(COLUMNS, "str") | {"value": "float64"})
    values.attrs[rendering.PRINTED] = {"value": rendering.forms_of_printed_numbers(frame["printed"])}
    cells = [
        carried_errata.columns_used(loading.load_where(table, lambda frame, rows=rows: frame.index.isin(rows)), column)
        for (table, column), rows in used.items()
    ]
    return carried_errata.propagate_errata(values, *cells)


def pages(source: str) -> tables.Pages:
    """Return all tables and views of a document as `tables.pages` does, with a view "regenerated" where it has one.

    A table that cannot be recomputed, which `failing` names, is there without that view.
    """
    shown, cannot = [], failing(source)
    for page in tables.pages(source).pages:
        id = page.about.id
        shown.append(page)
        if is_view(id) or id in cannot:  # a view is laid out again, which shows nothing new
            continue
        text, marks = page.corrected.copy(), {}
        for cell in cells_of(id).itertuples():
            implied, place = as_printed(cell.implied, cell.printed), (cell.row - 1, cell.column)
            text.loc[place] = implied
            same = "implied", "other cells imply the printed number"
            differing = "differing", f"printed {cell.printed}; other cells imply {implied}"
            marks[place] = same if implied == cell.printed else differing
        if marks:
            view = ViewOfData(f"Regenerated ({counted(len(marks), 'cell')})", "regenerated", text, marks)
            shown[-1] = dataclasses.replace(page, more=view)
    return tables.Pages(tuple(shown))
