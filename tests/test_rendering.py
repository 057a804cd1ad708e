"""Frames become text, CSV, JSON, Markdown and HTML, and nothing in them becomes markup or a formula."""

import csv
import io
import json
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dominoperf import rendering

TEXT = st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=20)
CELLS = st.lists(st.tuples(TEXT, st.floats(allow_nan=False, allow_infinity=False)), max_size=6)


def frame(rows):
    """A frame of a text and a number column."""
    return pd.DataFrame(rows, columns=["text", "number"]).astype({"text": object, "number": float})


@given(CELLS)
def test_csv_round_trip(rows):
    """What is written is read again, but for the apostrophe before a formula."""
    read = list(csv.reader(io.StringIO(rendering.as_csv(frame(rows)), newline="")))[1:]
    assert [text.removeprefix("'") if text != row[0] else text for (text, _), row in zip(read, rows, strict=True)] == [
        row[0] for row in rows
    ]
    assert [float(number) for _, number in read] == [row[1] for row in rows]


@given(CELLS)
def test_json_round_trip(rows):
    """JSON gives back text and numbers."""
    assert json.loads(rendering.as_json(frame(rows))) == [{"text": text, "number": number} for text, number in rows]


@given(CELLS)
def test_html_has_no_markup_from_cells(rows):
    """As many tags as the table itself needs, whatever the cells hold."""
    html = rendering.as_html(frame(rows), caption="<b>", titles=['"><i>'] * len(rows))
    assert html.count("<") == html.count(">") == 2 * (1 + 1 + 1 + 1 + 2 + 1) + len(rows) * 6


@given(CELLS)
def test_markdown_keeps_its_columns(rows):
    """Every line has the two columns, whatever the cells hold."""
    for line in rendering.as_markdown(frame(rows)).splitlines():
        assert len(re.findall(r"(?<!\\)\|", line.replace("\\\\", ""))) == 3


FORMULAS = ["=1+1", "=cmd|' /C calc'!A0", "@SUM(1)", "+1|x", "-2+3+cmd|' /C calc'!A0", "\t=1", "+Sheet1!A1", "-1\n|cmd"]


@pytest.mark.parametrize("cell", [*FORMULAS, "\r=1"])
def test_formulas_are_disarmed(cell):
    """A spreadsheet must show the text, not run it."""
    assert list(csv.reader(io.StringIO(rendering.as_csv(frame([(cell, 1)])), newline="")))[1] == [
        f"'{cell}".replace("\r", "\n"),
        "1",
    ]


@pytest.mark.parametrize("cell", ["-f", "--", "-1 -1 641 25", "-12.5", "+5"])
def test_printed_signs_stay(cell):
    """Cells that the documents print begin with a sign and are no formulas."""
    assert rendering.as_csv(frame([(cell, 1)])).splitlines()[1] == f"{cell},1"


def test_missing_is_nothing_or_null():
    """An unknown number is an empty cell, null in JSON; never 0."""
    table = frame([("a", float("nan"))])
    assert rendering.as_csv(table).splitlines()[1] == "a,"
    assert json.loads(rendering.as_json(table))[0]["number"] is None
    assert "nan" not in rendering.as_text(table).lower()


def test_text_sets_numbers_to_the_right():
    """Columns line up."""
    assert (
        rendering.as_text(frame([("a", 1.5), ("bcd", 10)]))
        == "text  number\n----  ------\na        1.5\nbcd       10\n"
    )


def test_marks_and_titles():
    """A marked cell carries its reason, a row its locator."""
    html = rendering.as_html(frame([("a", 1)]), titles=["page 1"], marks={(0, "number"): ("wrong", "exchanged")})
    assert (
        '<tr title="page 1"><td style="text-align:left">a</td><td class="number wrong" title="exchanged">1</td></tr>'
        in html
    )


def test_files_are_replaced_whole(tmp_path):
    """The old file stays when writing fails; nothing is left beside it."""
    path = tmp_path / "table.csv"
    rendering.replace_file(path, "old")
    with pytest.raises(UnicodeEncodeError):
        rendering.replace_file(path, "\ud800")
    assert path.read_text() == "old"
    assert [each.name for each in tmp_path.iterdir()] == ["table.csv"]


def test_line_breaks_and_markup_in_a_cell():
    """A cell stays one cell, a row one row, and nothing reaches a terminal that it would obey."""
    table = pd.DataFrame({"a": ["<b>x\ny"]})
    assert rendering.as_markdown(table) == "| a |\n| --- |\n| &lt;b&gt;x y |\n"
    assert rendering.as_text(table).count("\n") == 3
    wild = pd.DataFrame({"a\rb": ["x\r\n\x1b]0;t\x07y"]})
    for text in (rendering.as_markdown(wild), rendering.as_text(wild)):
        assert text.count("\n") == 3
        assert not set(text) & set("\r\x1b\x07")
    assert rendering.cell_text(1200.0) == "1200"


@pytest.mark.parametrize("dtype", [bool, "boolean", object])
def test_truth_values_are_words(dtype):
    """NumPy 2 gave its truth values another name; columns of pandas' own kind hand them out."""
    column = pd.Series([True, False], dtype=dtype)
    assert rendering.as_csv(pd.DataFrame({"agrees": column})) == "agrees\nyes\nno\n"
    assert [rendering.cell_text(value) for value in (np.True_, np.False_, True)] == ["yes", "no", "yes"]


def test_headings_are_no_formulas_either():
    """A heading from data is a cell of the CSV."""
    assert rendering.as_csv(pd.DataFrame({"=1+1": [1]})) == "'=1+1\n1\n"


def test_json_has_no_infinity():
    """What JSON cannot say is null."""
    assert json.loads(rendering.as_json(pd.DataFrame({"a": [float("inf"), 1.0]}))) == [{"a": None}, {"a": 1.0}]
