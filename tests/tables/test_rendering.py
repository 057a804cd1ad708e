"""Frames become text, CSV, JSON, Markdown and HTML, and nothing in them becomes markup or a formula."""

import csv
import io
import json
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dominoperf import fit
from dominoperf.tables import rendering
from dominoperf.tables.files import replace_file

TEXT = st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=20)
SEVERAL = settings(max_examples=40)
CELLS = st.lists(st.tuples(TEXT, st.floats(allow_nan=False, allow_infinity=False)), max_size=6)


def frame(rows):
    """A frame of a text and a number column."""
    return pd.DataFrame(rows, columns=["text", "number"]).astype({"text": object, "number": float})


@SEVERAL
@given(CELLS)
def test_csv_round_trip(rows):
    """What is written is read again, but for the apostrophe before a formula."""
    read = list(csv.reader(io.StringIO(rendering.as_csv(frame(rows)), newline="")))[1:]
    assert [text.removeprefix("'") if text != row[0] else text for (text, _), row in zip(read, rows, strict=True)] == [
        row[0] for row in rows
    ]
    assert [float(number) for _, number in read] == [row[1] for row in rows]


@SEVERAL
@given(CELLS)
def test_json_round_trip(rows):
    """JSON gives back text and numbers."""
    assert json.loads(rendering.as_json(frame(rows))) == [{"text": text, "number": number} for text, number in rows]


@SEVERAL
@given(CELLS)
def test_html_has_no_markup_from_cells(rows):
    """As many tags as the table itself needs, whatever the cells hold."""
    html = rendering.as_html(frame(rows), caption="<b>", titles=['"><i>'] * len(rows))
    assert html.count("<") == html.count(">") == 2 * (1 + 1 + 1 + 1 + 2 + 1) + len(rows) * 6


@SEVERAL
@given(CELLS)
def test_markdown_keeps_its_columns(rows):
    """Every line has the two columns, whatever the cells hold."""
    for line in rendering.as_markdown(frame(rows)).splitlines():
        assert len(re.findall(r"(?<!\\)\|", line.replace("\\\\", ""))) == 3


def test_missing_is_nothing_or_null():
    """An unknown number is an empty cell, null in JSON, as infinity is there; never 0."""
    table = frame([("a", float("nan"))])
    assert rendering.as_csv(table).splitlines()[1] == "a,"
    assert json.loads(rendering.as_json(table))[0]["number"] is None
    assert "nan" not in rendering.as_text(table).lower()
    endless = pd.DataFrame({"a": [float("inf"), 1.0, float("-inf")]})
    assert json.loads(rendering.as_json(endless)) == [{"a": None}, {"a": 1.0}, {"a": None}]


def test_json_has_a_line_per_row():
    """An object per row, whatever its cells are; several frames are members of one object."""
    cells = {"a %": [1.5, -0.0], 'b"': ["é\n%s", "/"], "c": [1, 2], "d": [True, None], "e": [[1, {"x": "y"}], {}]}
    table, rows = pd.DataFrame(cells), [dict(zip(cells, row, strict=True)) for row in zip(*cells.values(), strict=True)]
    lines = rendering.as_json(table).splitlines()
    assert (lines[0], lines[-1]) == ("[", "]")
    assert [json.loads(line.removesuffix(",")) for line in lines[1:-1]] == rows
    assert "é" in lines[1]
    of_frames = rendering.as_json_of({"tidy": table, "glance": table.head(0)})
    assert json.loads(of_frames) == {"tidy": rows, "glance": []}


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


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (1739252, "1,739,252"),
        (1739252.0, "1,739,252"),  # a column with an empty cell holds floats
        (19749184.0, "19,749,184"),
        (100852, "100,852"),
        (1739252.4, "1,739,252"),
        (68083.2, "68,083"),
        (3762.3, "3,762"),
        (999.96, "1,000"),
        (0.951184, "0.9512"),
        (-2.64581, "-2.646"),
        (-0.0, "0"),
        (3.6666e-14, "3.667e-14"),
        (2.5e18, "2.5e+18"),
        (float("nan"), ""),
        (pd.NA, ""),
    ],
)
def test_computed_numbers_are_rounded_by_one_rule(value, shown):
    """Four digits, never before the decimal point; whole numbers keep all of theirs."""
    assert rendering.number(value) == shown


@given(st.integers(-(10**14), 10**14))
def test_whole_numbers_keep_every_digit(value):
    """Sums and differences of printed whole numbers are exact, whatever type their column has."""
    assert rendering.number(value) == rendering.number(float(value)) == f"{value:,}"


@given(st.floats(1e-3, 1e12), st.integers(1, 6))
def test_rounding_keeps_the_digits_asked_for(value, digits):
    """Within half a unit of the last digit asked for, and of the unit before the point."""
    found = float(rendering.number(value, digits).replace(",", ""))
    unit = min(10.0 ** (np.floor(np.log10(value)) + 1 - digits), 1.0)
    assert abs(found - value) <= unit / 2 * (1 + 1e-9) + 1e-15 * value


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("19749184", "19,749,184"),
        ("1,739,252", "1,739,252"),
        ("352835.13", "352,835.13"),
        (".890", ".890"),
        ("$13.20", "13.20"),
        ("54%", "54"),
        ("-1200.50", "-1,200.50"),
        ("0012", "12"),
        ("--", "--"),
        ("", ""),
        (".", "."),
        ("$", "$"),
        ("4.8.1", "4.8.1"),
    ],
)
def test_printed_numbers_keep_their_form(text, shown):
    """All their digits; only thousands are set off, and the sign of the unit is left to the heading."""
    assert rendering.printed_number(text) == shown


def test_years_have_no_separators():
    """1998 is a year, 1,998 a count."""
    assert rendering.number(1998, unit="year") == rendering.number(1998.0, unit="year") == "1998"
    assert rendering.printed_number("1998", "year") == "1998"
    table = pd.DataFrame({"year": [1998.0, 2008.0], "count": [1998, 2008]})
    assert rendering.number_texts(table) == [["1998", "2008"], ["1,998", "2,008"]]
    facts = pd.DataFrame({"fact": ["published", "users"], "value": [1998.0, 1998.0], "unit": ["year", "user"]})
    assert rendering.number_texts(facts)[1] == ["1998", "1,998"]


def test_a_printed_number_is_told_from_a_computed_one():
    """In one column: what the page prints keeps its zeros and digits, the mean beside it is rounded; CSV has both."""
    table = frame([("a", 0.89), ("b", 352835.13), ("mean", 176418.01004)])
    table.attrs[rendering.PRINTED] = {"number": rendering.forms_of_printed_numbers([".890", "352835.13", "--", ""])}
    assert rendering.number_texts(table)[1] == [".890", "352,835.13", "176,418"]
    assert list(rendering.numbers_as_shown(table["number"].iloc[1:])) == ["352,835.13", "176,418"]
    for shown in (rendering.as_text(table), rendering.as_html(table), repr(rendering.Table(table))):
        assert all(text in shown for text in (".890", "352,835.13", "176,418"))
    assert [row.split(",")[1] for row in rendering.as_csv(table).split()[1:]] == ["0.89", "352835.13", "176418.01004"]
    assert list(rendering.rounded_for_files(table)["number"]) == [0.89, 352835.13, 176418.01]  # as a report keeps it


def test_a_saved_table_keeps_the_cents_of_a_large_number():
    """1,234,567.89 became 1,234,570; six digits of a small number are kept, whatever its size."""
    values = [1234567.891, -1234567.891, 7428329416.71, 9876.54321, 0.000123456789, 1e6, np.inf, np.nan]
    kept = rendering.rounded_for_files(pd.DataFrame({"number": values}))["number"].tolist()
    assert kept[:-1] == [1234567.89, -1234567.89, 7428330000.0, 9876.54, 0.000123457, 1e6, np.inf]
    assert np.isnan(kept[-1])


def test_of_two_printed_forms_the_shorter_is_shown():
    """One claims no digit that is not printed."""
    table = frame([("a", 0.1), ("b", 0.1)])
    table.attrs[rendering.PRINTED] = {"number": rendering.forms_of_printed_numbers(["0.10", "0.1"])}
    assert rendering.number_texts(table)[1] == ["0.1", "0.1"]


def test_what_somebody_gave_is_not_rounded():
    """A measured value of a file of one's own is no result: a fit and a plan show it as it was given."""
    assert rendering.forms_of_given_numbers([0.26661, 12.5, 100 / 3, 1200.0, float("nan")]) == ("0.26661",)
    points = fit(
        "utilization_law", pd.DataFrame({"x": [600, 1200, 1800], "y": [0.07101, 0.151437, 0.22]}), x="x", y="y"
    )
    assert rendering.number_texts(points.augment())[1] == ["0.07101", "0.151437", "0.22"]


def test_printed_forms_are_carried_over_a_join():
    """What pandas loses there is put back, of every frame that had part in it."""
    one, other = frame([("a", 0.89)]), pd.DataFrame({"text": ["a"], "price": [13.2]})
    one.attrs[rendering.PRINTED] = {"number": (".890",)}
    other.attrs[rendering.PRINTED] = {"price": ("13.20",)}
    joined = rendering.keep_printed_forms(one.merge(other), one, other)
    assert rendering.number_texts(joined)[1:] == [[".890"], ["13.20"]]


def test_a_column_without_a_cell_is_not_shown():
    """In a notebook and on its page; the frame keeps it, and a table without rows has all its headings."""
    frame = pd.DataFrame({"users": [1, 2], "reason": ["", None], "<b>": [np.nan, np.nan]})
    shown = rendering.Table(frame)._repr_html_()
    assert ">users<" in shown
    assert ">reason<" not in shown

    assert ">reason<" in rendering.Table(frame.head(0))._repr_html_()


def test_files_are_replaced_whole(tmp_path):
    """The old file stays when writing fails; nothing is left beside it."""
    path = tmp_path / "table.csv"
    replace_file(path, "old")
    with pytest.raises(UnicodeEncodeError):
        replace_file(path, "\ud800")
    assert path.read_text() == "old"
    assert [each.name for each in tmp_path.iterdir()] == ["table.csv"]
