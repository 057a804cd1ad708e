"""A table is handed out as printed or corrected, each row with its place."""

import os
import re

import numpy as np
import pandas as pd
import pytest
from conftest import read_package, write_package

from dominoperf import tables
from dominoperf.errors import BadTable, DominoperfError, UnknownName
from dominoperf.tables import folders
from dominoperf.tables.columns import known_unit
from dominoperf.tables.reading import read_number, unit_sign

IDS = list(tables.list_tables()["id"])
MAIL = "compaq_domino45/a_mail"


def test_printed_digits_are_kept():
    """Appendix A, page A-1, first row: as the page has it, and as numbers, of which counts stay whole."""
    names = ["users", "price_per_user_usd", "response_s"]
    assert list(tables.load(MAIL, "printed", text=True).loc[0, names]) == ["5,150", "$13.22", ".890"]
    assert list(tables.load(MAIL, "printed").loc[0, names]) == [5150, 13.22, 0.890]
    assert tables.load(MAIL, "printed")["users"].dtype == np.int64


def test_certain_errata_are_applied_and_nothing_else():
    """The cells in which a corrected table is not as printed are those of the certain errata; prices are exchanged."""
    certain = tables.errata().query("status == 'certain' and table != '' and column != ''").dropna(subset="row")
    wanted = {(f"{e.source}/{e.table}", e.row, e.column, e.corrected) for e in certain.itertuples()}
    changed = set()
    for id in [id for id in tables.list_tables()["id"] if not tables.is_view(id)]:
        printed, corrected = tables.load(id, "printed", text=True), tables.load(id, text=True)
        for name in printed:
            differ = printed[name] != corrected[name]
            changed |= {(id, k + 1, name, cell) for k, cell in corrected.loc[differ, name].items()}
            if name == "price_per_user_usd":
                assert (printed[name][differ] == corrected["price_per_tpm_usd"][differ]).all()
    assert changed == wanted
    assert sum(column.startswith("price_per") for _, _, column, _ in changed) == 12
    assert tables.load("ibm_330/server_under_test")["setting"][1].startswith("2 x 233MHz")


def test_corrected_prices_obey_the_identity():
    """Users x $/user and NotesMark x $/tpm are both the system price, to the rounding of the cents."""
    for name in ("a_mail", "a_discdb", "a_maildb", "a_groupware_a", "b_mail", "b_maildb", "c_mail", "c_maildb"):
        t = tables.load(f"compaq_domino45/{name}")
        by_user, by_tpm = t["users"] * t["price_per_user_usd"], t["notesmark_tpm"] * t["price_per_tpm_usd"]
        assert np.allclose(by_user, by_tpm, rtol=2e-3), name


def test_signs_for_nothing_are_missing_numbers():
    """The R5IMAP column of z/OS is printed as dashes."""
    assert tables.load("domino6/zos_r5", text=True)["R5IMAP"].eq("--").all()
    assert tables.load("domino6/zos_r5")["R5IMAP"].isna().all()


def test_view_has_the_printed_layout():
    """Solaris prints the network row for Domino 6 only; z/OS for both; AIX not at all."""
    assert list(tables.load("domino6/solaris_r6")["metric"]).count("Total network (bytes/sec)") == 1
    assert list(tables.load("domino6/zos_r6")["metric"]).count("Total network (bytes/sec)") == 2
    assert "Total network (bytes/sec)" not in set(tables.load("domino6/aix_r6")["metric"])
    assert list(tables.load("domino6/aix_r5", text=True)) == ["release", "metric", "R5Mail", "R5iNotes", "R5IMAP"]
    wrong = {id: tables.errata(f"domino6/{id}")["row"].tolist() for id in ("zos_r6", "zos_r5", "windows_r6")}
    assert wrong == {"zos_r6": [13, 14, 16, 17, 18], "zos_r5": [19, 20, 22, 23], "windows_r6": []}  # of the rows shown


def test_lost_body_is_an_empty_table_with_a_note():
    """Table 4-3: caption and heading survive, the body does not."""
    assert tables.load("compaq_domino45/table_4_3").empty
    assert "lost" in " ".join(tables.describe("compaq_domino45/table_4_3").notes)


@pytest.mark.parametrize("id", IDS)
def test_contract_of_every_table(id):
    """Every table: columns of the vocabulary, units that pint reads, a place for every row, both views of data."""
    about, frame = tables.describe(id), tables.load(id)
    known = tables.vocabulary()
    assert set(about.columns["column"]) <= set(known)
    assert all(known_unit(unit) for unit in about.columns["unit"] if unit)
    places = tables.locators(id)
    assert len(places) == len(frame) == len(set(places))
    for k, place in enumerate(places, start=1):
        assert place.startswith(f"{about.document}, ")
        assert re.search(rf", (row|item) {k}( of {id.partition('/')[2]})?$", place)
    numeric = about.columns.loc[about.columns["type"] == "number", "column"]
    if set(numeric) <= set(frame):  # a view lays its numbers out under other names
        assert all(pd.api.types.is_numeric_dtype(frame[name]) for name in numeric)
    assert about.title
    assert about.locator
    assert id in str(about)


def test_locator_leads_to_document_page_table_and_row():
    """The four parts of a place."""
    assert tables.locators(MAIL)[1] == (
        "Lotus Domino 4.5 Performance and Capacity Planning on Compaq Platforms, Appendix A, page A-1, row 2 of a_mail"
    )
    assert "page 3-10/3-11" in tables.locators("compaq_domino45/memory_response")[4]


@pytest.mark.parametrize("source", tables.sources()["source"])
def test_a_locator_is_one_row(source):
    """No two rows of a document's tables and views have the same place: a page may hold several unnumbered tables."""
    places = [place for id in tables.list_tables(source)["id"] for place in tables.locators(id)]
    assert len(places) == len(set(places))


def test_cells_are_the_printed_ones():
    """The long table holds the page's cells alone: no labels of ours, nothing empty, no view twice."""
    cells = tables.cells("domino6")
    assert "domino6/solaris_r6" not in set(cells["id"])
    assert "generation" not in set(cells["column"])
    assert (cells["printed"] != "").all()
    assert len(cells) == len(cells.drop_duplicates(["id", "row", "column"]))


def test_page_shows_every_cell_with_its_place():
    """Each row's place stands in the page and over the row; a wrong cell is marked, and so is its correction."""
    page = tables.show(MAIL)
    assert page.frame.equals(tables.load(MAIL, "printed", text=True))
    html = page._repr_html_()
    assert "printed $13.22, corrected $17.37" in html
    assert "row 1 price_per_user_usd $13.22 → $17.37" in html
    assert html.count("Appendix A, page A-1, row 3") >= 2
    assert html.count('class="number wrong"') == 10
    assert html.count('class="number corrected"') == 10
    assert html.count('class="number suspected"') == 4  # response and throughput, in both views
    assert "Corrected (10 cells)" in html
    assert ".890" in html


def test_own_folder_joins_and_clashes(folder, monkeypatch):
    """A folder of one's own adds its tables, once, also in processes that we start; a name of ours is refused."""
    monkeypatch.setenv("DOMINOPERF_DATA", "")
    tables.use(folder)
    tables.use(folder)
    assert os.environ["DOMINOPERF_DATA"] == str(folder.resolve())
    monkeypatch.setenv("DOMINOPERF_DATA", os.pathsep.join([str(folder)] * 2))
    assert list(tables.sources()["source"]).count("mine") == 1
    assert "mine/runs" in set(tables.list_tables()["id"])
    assert list(tables.load("mine/runs")["users"]) == [1200, 0.5]
    monkeypatch.delenv("DOMINOPERF_DATA")
    clash = folder.with_name("rhel5")
    folder.rename(clash)
    with pytest.raises(BadTable, match="Rename the folder"):
        tables.use(clash)
    assert list(tables.sources()["source"]).count("rhel5") == 1


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: tables.load("compaq_domino45/a_mial"), "Did you mean compaq_domino45/a_mail"),
        (lambda: tables.load(MAIL, "regenerated"), "printed, corrected"),
        (lambda: tables.list_tables("compaq"), "compaq_domino45"),
        (lambda: tables.load("a_mail"), "Did you mean compaq_domino45/a_mail\\?"),
        (lambda: tables.load("x/a_mial"), "Did you mean compaq_domino45/a_mail"),
        (lambda: tables.load("none_such"), r"found 'none_such'\. list_tables\(\) lists them all"),
    ],
)
def test_unknown_names_teach(call, says):
    """A misspelt name is answered with the names that exist."""
    with pytest.raises(UnknownName, match=says):
        call()


def test_errata_are_told_wherever_a_table_is_described():
    """Terminal and notebook alike; a view does not repeat the notes of the table it shows."""
    about = tables.describe(MAIL)
    for shown in (str(about), about._repr_html_()):
        assert "$17.37" in shown
        assert MAIL in shown
    assert tables.describe("domino6/aix_r5").notes == ()


@pytest.mark.parametrize("content", [b"", b"system,users,unit\nA,1\n", b"\xe9,users,unit\n", None])
def test_an_unusable_file_teaches(folder, monkeypatch, content):
    """A table that cannot be read sends its user to the check, and does so as one message."""
    (folder / "runs.csv").unlink() if content is None else (folder / "runs.csv").write_bytes(content)
    monkeypatch.setenv("DOMINOPERF_DATA", str(folder))
    with pytest.raises(BadTable, match="dominoperf check"):
        tables.load("mine/runs")


def test_folders_that_are_no_data_folders(folder, tmp_path):
    """None without a descriptor, nor with a path that leads out of it; neither is left in use."""
    with pytest.raises(DominoperfError, match=r"datapackage\.json"):
        tables.use(tmp_path)
    package = read_package(folder)
    package["resources"][0]["path"] = "../runs.csv"
    write_package(folder, package)
    with pytest.raises(BadTable, match="leaves the folder"):
        tables.use(folder)
    tables.list_tables()


def test_the_errata_that_are_handed_out_are_the_callers_own():
    """What a caller writes into them corrects no table."""
    given = tables.errata()
    given["corrected"] = "999"
    assert "999" not in tables.errata()["corrected"].to_numpy()


@pytest.mark.parametrize("path", ["..\\runs.csv", "C:runs.csv", "C:\\runs.csv", "a" * 5000, "x\ud800.csv", "a\0b"])
def test_paths_that_no_folder_has_inside(folder, path):
    """Those of other systems, and names that no file can have."""
    assert not folders.is_inside_folder(folder, path)


def test_a_changed_file_is_read_again(folder, monkeypatch):
    """An edit shows without a restart of the kernel."""
    monkeypatch.setenv("DOMINOPERF_DATA", str(folder))
    assert len(tables.load("mine/runs")) == 2
    (folder / "runs.csv").write_text("system,users,unit\nC,7,user\n", encoding="utf-8")
    package = read_package(folder)
    package["resources"][0]["title"] = "Renewed"
    write_package(folder, package)
    for path in folder.iterdir():
        os.utime(path, ns=(1, 1))  # another stamp, whatever the clock's step
    assert list(tables.load("mine/runs")["users"]) == [7]
    assert tables.describe("mine/runs").title == "Renewed"


def test_errata_are_read_again_when_their_file_changed(folder, monkeypatch):
    """They come and go with `errata.csv`, and so do the cells that they correct."""
    monkeypatch.setenv("DOMINOPERF_DATA", str(folder))
    head, wrong = "locator,table,row,column,printed,corrected,status,mistake\n", folder / "errata.csv"
    for k, right in enumerate(("1,5", "2,5"), start=1):
        wrong.write_text(f'{head}row 2,runs,2,users,.5,"{right}",certain,Slip.\n', encoding="utf-8")
        os.utime(wrong, ns=(k, k))  # another stamp, whatever the clock's step
        assert list(tables.errata("mine/runs")["corrected"]) == [right]
        assert tables.load("mine/runs", text=True)["users"][1] == right
    wrong.unlink()
    assert tables.errata("mine/runs").empty
    assert tables.load("mine/runs", text=True)["users"][1] == ".5"


def test_words_of_the_pages():
    """Units in meanings, labels, figures of one document, cells that are ours, a lost body."""
    assert {id.partition("/")[0] for id in tables.figures("rhel5")["id"]} == {"rhel5"}
    assert tables.meanings()["response_s"].endswith("(s)")
    assert tables.label("processors") == "processors"
    assert "ours, not the page&#x27;s" in tables.show("domino6/systems")._repr_html_()
    assert "body of this table is lost" in tables.show("compaq_domino45/table_4_3")._repr_html_()


@pytest.mark.parametrize(
    ("text", "number", "sign"),
    [
        ("5,150", 5150, ""),
        ("1500", 1500, ""),
        ("+5", 5, ""),
        ("-3", -3, ""),
        ("$13.22", 13.22, "$"),
        (".890", 0.89, ""),
        ("44.4%", 44.4, "%"),
        ("16 KB", 16, "KB"),
        ("1e-05", 1e-05, ""),
        ("9" * 400, None, ""),
        ("５", None, ""),
        *(
            (text, None, "")
            for text in ("", "--", "N/A", "about 5", "5,15", "1.2.3", ".", "5 users", "1e999", "nan", "-")
        ),
        ("$", None, ""),
    ],
)
def test_printed_numbers(text, number, sign):
    """Digits and the sign they carry; what is no finite number is none."""
    assert read_number(text) == number
    assert unit_sign(text) == sign


def test_large_and_split_numbers(folder, monkeypatch):
    """A column is whole only where every cell is a whole number that a float holds exactly."""
    monkeypatch.setenv("DOMINOPERF_DATA", str(folder))
    for cells, dtype in ((("1", "2"), "int64"), (("1", "2.0"), "float64"), (("1", "9" * 20), "float64")):
        (folder / "runs.csv").write_text(f"system,users,unit\nA,{cells[0]},user\nB,{cells[1]},user\n", encoding="utf-8")
        os.utime(folder / "runs.csv", ns=(len(cells[1]), len(cells[1])))
        assert tables.load("mine/runs")["users"].dtype == dtype


@pytest.mark.parametrize("name", ["my runs", "-x", ".hidden", "a&b"])
def test_a_folder_whose_name_cannot_be_part_of_an_id(folder, monkeypatch, name):
    """Spaces and signs would break ids, file names and pages: refused with what to do."""
    folder.rename(folder.parent / name)
    with pytest.raises(BadTable, match="Rename the folder"):
        tables.use(folder.parent / name)


@pytest.mark.parametrize(
    "views", [None, [], {"v": {}}, {"v": {"of": "runs", "where": {"x": "1"}, "rows": "a", "across": "b"}}]
)
def test_views_that_cannot_be_laid_out_are_refused(folder, views):
    """Before a table is asked for."""
    write_package(folder, read_package(folder) | {"views": views})
    with pytest.raises(BadTable, match="view"):
        tables.use(folder)


def test_a_view_names_a_column_without_a_title(folder):
    """By the column's own name: a title is no duty."""
    view = {"of": "runs", "where": {"unit": "user"}, "rows": "unit", "across": "system"}
    write_package(folder, read_package(folder) | {"views": {"v": view}})
    with tables.using(folder):
        assert tables.load("mine/v").to_dict("records") == [{"unit": "user", "metric": "users", "A": 1200, "B": 0.5}]


def test_data_in_use_are_known_to_change_by_the_times_of_their_files(folder):
    """A file that is written again, and one that was not there."""
    with tables.using(folder):
        stamps = [folders.stamp_of_data_folders()]
        os.utime(folder / "runs.csv", (1, 1))
        stamps.append(folders.stamp_of_data_folders())
        (folder / folders.SERIES).touch()
        stamps.append(folders.stamp_of_data_folders())
    assert len({*stamps}) == 3
