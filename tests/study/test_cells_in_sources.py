"""Every printed cell is looked up in the extracted text near its locator, where the texts are present."""

import hashlib
import re
import tomllib
from functools import cache

import pytest

from dominoperf.runs import benchmarks
from dominoperf.runs.tidy_runs import runs
from dominoperf.tables import document, home, list_tables, load, rendering, sources
from dominoperf.tables.reading import read_number

SOURCES = list(sources()["source"])
WORDS = {"1": "one|single|a|An", "2": "two|Two", "3": "three|Three", "4": "four", "5": "five"}
WORDS |= {"6": "six", "7": "seven", "9": "nine", "10": "ten", "14": "fourteen"}

# Cells that the text holds otherwise than they stand here, and why.
BROKEN = {
    ("compaq_domino45/b_maildb", 1, "price_per_user_usd"): "the text breaks the number, '$19.3 7'",
    ("ibm_330/registry_changes", 2, "parameter"): "the text breaks the line within the path",
    ("rhel5/nmon_options", 6, "parameter"): "a label of ours, for the run time that a sentence states",
    ("rhel5/procedure", 21, "value"): "hours that a sentence states in words",
    ("rhel5/procedure", 22, "value"): "hours that a sentence states in words",
}


@cache
def tidy(text):
    """Undo what the extraction adds: escapes, emphasis, field marks, look-alike letters, line breaks."""
    text = re.sub(r"\\([$_#%&*])|</?i>", r"\1", text)
    text = re.sub("[*`\ufffd]", " ", text).replace("\u041c\u0412", "MB")  # Cyrillic look-alikes
    return re.sub(r"\s+", " ", text)


@cache
def written(source):
    """What a person wrote of a source's tables."""
    return tomllib.loads((home() / source / "package.toml").read_text(encoding="utf-8"))["tables"]


@cache
def read(path):
    """A source's text; two field marks end the row of a table."""
    return path.read_text(encoding="utf-8", errors="replace").replace("\ufffd\ufffd", "\n")


def window(text, table, row, places):
    """The stretch of the text that must hold the cells of a row: its pages, its section, or the table's own window."""
    place = row.get("locator", "")
    if re.match(r"[\dA-C]-\d+", place):
        return tidy(pages(text, place))
    if place:
        return tidy(section(text, place, places))
    start, end = (tidy(phrase).strip() for phrase in table["window"])
    flat = tidy(text)
    assert start in flat, f"the window starts at {start!r}, which the text does not hold"
    begin = flat.index(start)
    return flat[begin : flat.index(end, begin + len(start))]


def pages(text, locator):
    """The text from the first page of the locator to the next page that the text marks (it marks the even ones)."""
    first = re.match(r"[\dA-C]-\d+", locator)[0]
    starts = {match[1]: match.start() for match in re.finditer(r"^(\d-\d+|[A-C]-\d) [A-Z]", text, re.MULTILINE)}
    starts["3-32"] = text.index("System Under Test\n\nProLiant")  # unmarked, but page 3-31 ends in a running title
    if first not in starts:  # 3-1 lies in front of the first mark of its chapter, 3-2, and after 2-14
        begin = max(start for page, start in starts.items() if page < first)
        return text[begin : min(start for page, start in starts.items() if page.startswith(first[:2]))]
    return text[starts[first] : min((start for start in starts.values() if start > starts[first]), default=len(text))]


def section(text, locator, others):
    """The text under the headings of a locator, as 'Solaris / Test configuration', to the next heading of `others`.

    A heading that stands in the table of contents too gives two stretches.
    """
    first, *rest = locator.split(" / ")
    stop = heading([part for other in others for part in other.split(" / ")])
    stretches = []
    for match in heading([first]).finditer(text):
        begin = match.end()
        for part in rest:
            begin = heading([part]).search(text, begin).end()
        after = stop.search(text, begin)
        stretches.append(text[begin : after.start() if after else len(text)])
    return "\n".join(stretches)


def heading(titles):
    """A line that is one of the headings: the title, with a colon and more, or as the number of a section."""
    titles = "|".join(map(re.escape, titles))
    return re.compile(rf"^(\W*({titles})(:.*)?\W*|#+ ({titles}) .*)$", re.MULTILINE)


def holds(stretch, cell):
    """Whether a stretch of text holds a cell, a number not as part of a longer one."""
    cell = tidy(cell).strip()
    if not re.fullmatch(r"[\d.,]+", cell):
        return cell in stretch
    digits = rf"(?<![\d.,]){re.escape(cell)}(?!\d|[.,]\d)"
    spelled = rf"|\b({WORDS[cell]})\b" if cell in WORDS else ""
    return bool(re.search(digits + spelled, stretch))


@pytest.mark.parametrize("source", SOURCES)
def test_text_is_the_one_transcribed(source, source_texts):
    """Catch a different text under the same name."""
    about = document(source)
    assert hashlib.sha256((source_texts / about["text"]).read_bytes()).hexdigest() == about["sha256"]


@pytest.mark.parametrize("source", SOURCES)
def test_printed_cells_stand_in_the_text(source, source_texts):
    """Catch a slip of the transcription: a cell that its page does not hold."""
    text = read(source_texts / document(source)["text"])
    missing = {}
    for name, table in written(source).items():
        frame = load(f"{source}/{name}", "printed", text=True)
        printed = set(table["columns"]) - set(table.get("assigned", [])) - {"locator"}
        places = set(frame.get("locator", ()))
        for number, row in enumerate(frame.to_dict("records"), start=1):
            stretch = window(text, table, row, places)
            absent = [column for column in printed if row[column] and not holds(stretch, row[column])]
            missing |= {(f"{source}/{name}", number, column): row[column] for column in absent}
    assert set(missing) == {key for key in BROKEN if key[0].startswith(f"{source}/")}, missing


def test_a_wrong_digit_is_seen(source_texts):
    """The look-up must not be so lenient that a slip passes."""
    text = read(source_texts / document("compaq_domino45")["text"])
    stretch = window(text, written("compaq_domino45")["a_mail"], {}, ())
    assert holds(stretch, "5,150")
    assert not any(holds(stretch, slip) for slip in ("5,160", "150", ".89", "$13.23", "6,76"))


def test_pins_name_cells_that_exist():
    """Catch a pin left behind by a renamed table."""
    for id, row, column in BROKEN:
        assert load(id, "printed", text=True)[column][row - 1]


# Tables that the text lays out otherwise: column by column, or as prose.
LOOSE = {
    "compaq_domino45/b_maildb",
    "compaq_domino45/partitioned_price_performance",
    "ibm_330/notesnum",
    "ibm_330/workload_scripts",
    "ibm_330/notes_ini_changes",
    "ibm_330/disk_partitions",
    "ibm_330/software_versions",
    "ibm_330/registry_changes",
    "ibm_330/network_changes",
    "rhel5/initial_mail",
    "rhel5/init_script_variables",
    "rhel5/n8mail_script_variables",
    "rhel5/rollup_notes_ini",
    "rhel5/nmon_options",
}


@pytest.mark.parametrize("source", SOURCES)
def test_cells_of_a_row_stand_together(source, source_texts):
    """Catch a cell in the wrong row: a row's cells follow each other in the text."""
    text, torn = read(source_texts / document(source)["text"]), set()
    for name, table in written(source).items():
        frame = load(f"{source}/{name}", "printed", text=True)
        if "locator" in frame or f"{source}/{name}" in LOOSE:
            continue
        columns = [column for column in table["columns"] if column not in table.get("assigned", [])]
        stretch = window(text, table, {}, ())
        for number, row in enumerate(frame.to_dict("records"), start=1):
            cells = [re.escape(tidy(row[column]).strip()) for column in columns if row[column]]
            if not re.search(".{0,40}?".join(cells), stretch):
                torn.add((name, number))
    assert torn == set()


@pytest.mark.parametrize("id", list(list_tables("compaq_domino45")["id"]))
def test_a_tables_page_is_where_its_window_begins(id, source_texts):
    """Catch a wrong page of a table that has one place: the text marks its pages."""
    text = read(source_texts / document("compaq_domino45")["text"])
    table = written("compaq_domino45")[id.partition("/")[2]]
    place = re.fullmatch(r"page (\d[\d/-]+)", table["locator"])
    if place is None:
        return  # gathered from several pages, each row with its own; or of an appendix, a page each
    stretch = pages(text, place[1])
    begin = tidy(table["window"][0]).strip()
    assert begin in tidy(stretch)


@pytest.mark.parametrize("source", SOURCES)
def test_what_is_said_of_runs_stands_in_the_text(source, source_texts):
    """Catch a workload, a system or a number of workstations that no caption or heading says."""
    blocks = tomllib.loads((home() / "benchmarks.toml").read_text(encoding="utf-8"))["runs"]
    text, tables = read(source_texts / document(source)["text"]), written(source)
    for block in blocks:
        if block["table"].startswith(f"{source}/"):
            said = dict(block.get("said", {}))
            count = said.pop("workstations", None)
            table = tables[block["table"].partition("/")[2]]
            if count:
                assert re.search(rf"\b{count} Workstation", window(text, table, {}, ())), block["table"]
            assert all(each.casefold() in tidy(text).casefold() for each in said.values()), block["table"]


@pytest.mark.parametrize("id", list_tables()["id"])
@pytest.mark.parametrize("as_", ["printed", "corrected"])
def test_numbers_of_a_table_are_shown_as_printed(id, as_):
    """Every printed number, on a page and at the command line, with all its digits: not one is rounded."""
    numbers, texts = load(id, as_), load(id, as_, text=True)
    shown = dict(zip(numbers, rendering.number_texts(numbers), strict=True))
    for name in numbers.select_dtypes("number"):
        cells = [cell if read_number(cell) is not None else "" for cell in texts[name]]
        assert alike(shown[name], [rendering.printed_number(cell) for cell in cells], numbers[name]), name


def alike(shown, printed, values):
    """Whether the shown texts are the printed ones, or the shorter of two in which the column prints one value."""
    forms = {}
    for text, value in zip(printed, values, strict=True):
        forms[value] = min(forms.get(value, text), text, key=len)
    return shown == [forms[value] if value == value else "" for value in values]


def test_runs_show_what_their_cells_print():
    """Every value of a run that is simply printed, of whatever table; one in another unit keeps its digits."""
    frame = benchmarks()
    columns = dict(zip(frame, rendering.number_texts(frame), strict=True))
    for name in frame.select_dtypes("number"):
        known = [run.values.get(name) for run in runs()]
        texts = [each.printed if each else "" for each in known]
        same = [each is not None and read_number(each.printed) == each.value for each in known]
        printed = [rendering.printed_number(text) if one else "" for text, one in zip(texts, same, strict=True)]
        shown = [text if one else "" for text, one in zip(columns[name], same, strict=True)]
        assert alike(shown, printed, frame[name].where(same)), name
        turned = [k for k, each in enumerate(known) if each and each.printed and not same[k]]
        assert [float(columns[name][k].replace(",", "")) for k in turned] == [known[k].value for k in turned], name


def test_one_cell_has_one_text_everywhere():
    """1,739,252 was 1739300 in one table, 1739250 in another and 1739252 in a third."""
    runs = benchmarks()
    table = load("domino6/peak_load")
    for frame in (table, runs, runs[runs["source"] == "domino6"], runs.assign(more=1).sort_values("users")):
        for shown in (rendering.as_text(frame), rendering.as_html(frame), repr(rendering.Table(frame))):
            assert "1,739,252" in shown
            assert not re.search(r"1,?739,?[03]|1\.739", shown)
    assert "1,739,252" in "".join(load("domino6/peak_load", "printed", text=True)["network_bytes_per_s"])
