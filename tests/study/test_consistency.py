"""The identities find what is wrong, and nothing else; every erratum of a table follows from one."""

import functools
import importlib
import json

import numpy as np
import pandas as pd
import pytest
from conftest import read_package, write_package

from dominoperf import tables
from dominoperf.errors import BadTable
from dominoperf.study import audit
from dominoperf.study.audit import consistency

DOCUMENT = {id.partition("/")[2]: tables.home() / id.partition("/")[0] for id in tables.list_tables()["id"]}


@pytest.fixture(scope="module")
def broken():
    """What is broken in the five documents."""
    return audit.check_consistency()


def cells(frame):
    """The cells of a frame, a set of table, row, column."""
    return {(row.table, None if pd.isna(row.row) else int(row.row), row.column) for row in frame.itertuples()}


def test_exchanged_prices(broken):
    """Appendix A: the price columns of six rows are exchanged; rows 1 to 4 and 9 of Mail, row 5 of DiscDB."""
    found = broken[broken["identity"] == "price"]
    rows = {("compaq_domino45/a_mail", k) for k in (1, 2, 3, 4, 9)} | {("compaq_domino45/a_discdb", 5)}
    assert {(row.table, row.row) for row in found.itertuples()} == rows
    assert found["reason"].str.contains("; exchanged, ").all()
    assert set(found["status"]) == {"certain"}
    first = found.iloc[0]
    assert (first["printed"], first["computed"]) == ("$13.22", "17.37")


@pytest.mark.parametrize(
    ("identity", "table", "rows"),
    [
        ("printed twice", "compaq_domino45/a_mail", {1}),
        ("closed loop", "compaq_domino45/a_mail", {3}),
        ("closed loop", "compaq_domino45/a_discdb", {4}),
        ("per station", "compaq_netware/table_4_7", {1, 2, 3}),
        ("per station", "compaq_netware/table_4_1", {1, 2}),
        ("per user", "domino6/peak_load", {13, 14, 16, 17, 18, 19, 20, 22, 23}),
        ("copied", "domino6/peak_load", {1, 8}),
    ],
)
def test_what_else_is_known(broken, identity, table, rows):
    """Each error that the documents are known to have, and no other row of those tables."""
    found = broken[(broken["identity"] == identity) & (broken["table"] == table)]
    assert set(found["row"]) == rows
    assert found["locator"].str.startswith(tables.document(table.partition("/")[0])["title"]).all()


def test_every_broken_cell_has_an_erratum_and_every_erratum_a_broken_cell_or_claim(broken):
    """Strict both ways: errata.csv follows from what identities and the audit find, but for sentences and headings."""
    assert set(broken["status"]) <= {"certain", "suspected"}
    found = cells(broken)
    for erratum in tables.errata().itertuples():
        table = f"{erratum.source}/{erratum.table}"
        row = None if pd.isna(erratum.row) else erratum.row
        touched = {c for c in found if c[0] == table and row in (None, c[1]) and erratum.column in ("", c[2])}
        worded = not erratum.table or row is None or tables.describe(table).number.startswith("prose")
        assert touched or worded or erratum.claim_ids, erratum


def test_exact_sums_hold(broken):
    """IBM's system prices, 31,797 and 29,581 USD, are the sums of count × price; N8Mail's 267 transactions add up."""
    for table in ("ibm_330/pricing", "ibm_330/driver_counts", "rhel5/table_4", "rhel5/table_3"):
        assert table not in set(broken["table"])


def spoil(monkeypatch, table, row, column, text):
    """Change a printed cell, for as long as the test runs."""
    module, runs = (importlib.import_module(f"dominoperf.{name}") for name in ("tables.loading", "runs.tidy_runs"))
    for where, name in (
        (runs, "_prints_of_runs"),
        (module, "_frame_of_table"),
    ):  # the files have not changed, what is read has
        monkeypatch.setattr(where, name, functools.cache(getattr(where, name).__wrapped__))
    read = module.TableRecord.printed_cells

    def spoiled(record):
        frame = read(record)
        if record.resource["name"] == table:
            frame.loc[row - 1, column] = text
        return frame

    monkeypatch.setattr(module.TableRecord, "printed_cells", spoiled)


@pytest.mark.parametrize(
    ("table", "row", "column", "text", "identity"),
    [
        ("pricing", 7, "unit_price_usd", "1,265", "declared"),
        ("pricing", 14, "quote_usd", "$29,580", "declared"),
        ("driver_counts", 6, "count", "12", "declared"),
        ("table_4", 2, "count", "121", "declared"),
        ("table_3", 3, "share_percent", "55%", "declared"),
        ("table_3_5", 4, "ram_least_mb", "265", "declared"),
        ("table_3_2", 6, "ram_recommended_mb", "567", "allowance"),
        ("b_mail", 1, "price_per_user_usd", "$15.95", "price"),
        ("c_mail", 1, "notesmark_tpm", "1,220", "price"),
        ("a_mail", 7, "response_s", "6.43", "closed loop"),
        ("table_4_4", 2, "lan_kbyte_per_s", "9.72", "per station"),
        ("peak_load", 25, "network_bytes_per_s", "1,980", "per user"),
        ("peak_load", 31, "network_bytes_per_s", "1,980,202", "copied"),
        ("nb_domstat", 2, "driver_1", "95", "printed twice"),
    ],
)
def test_a_changed_digit_is_found(monkeypatch, broken, table, row, column, text, identity):
    """Every identity can fail: a wrong digit in a good row breaks it."""
    spoil(monkeypatch, table, row, column, text)
    of_tables = audit.IDENTITIES[identity].of == "table"  # then no other document need be looked at
    fresh = audit.check_consistency(DOCUMENT[table] if of_tables else None)
    new = fresh[~fresh.apply(tuple, axis=1).isin(broken.apply(tuple, axis=1))]
    assert identity in set(new["identity"])
    assert table in {each.partition("/")[2] for each in new["table"]} | {"results", "table_3_5"}


def test_a_run_does_not_bend_the_line_that_it_is_compared_with(monkeypatch, broken):
    """What the response should be follows from the other runs, whatever the run itself says of it."""
    spoil(monkeypatch, "a_mail", 3, "response_s", ".02")
    expected = set()
    for found in (broken, audit.check_consistency()):
        here = (found["identity"] == "closed loop") & (found["table"] == "compaq_domino45/a_mail")
        expected |= set(found.loc[here & (found["row"] == 3), "computed"])
    assert len(expected) == 1


def priced(folder, rows):
    """A user's table of prices in the folder."""
    names = ["system", "users", "notesmark_tpm", "price_per_user_usd", "price_per_tpm_usd"]
    units = ["", "user", "tpm", "USD/user", "USD/tpm"]
    fields = [
        {"name": name, "type": "number", "unit": unit} if unit else {"name": name, "type": "string"}
        for name, unit in zip(names, units, strict=True)
    ]
    text = ",".join(names) + "\n" + "".join(f"{','.join(map(str, row))}\n" for row in rows)
    (folder / "runs.csv").write_text(text, encoding="utf-8")
    resource = {"name": "runs", "path": "runs.csv", "schema": {"fields": fields}}
    write_package(folder, {"name": "mine", "resources": [resource]})


def test_columns_are_of_the_vocabulary(broken):
    """Every column is defined, and a computed value goes with a unit."""
    assert list(broken.columns) == consistency.COLUMNS
    assert set(broken.columns) <= set(tables.vocabulary())
    assert broken.loc[broken["computed"] != "", "unit"].ne("").all()
    assert json.dumps(broken["reason"].tolist())
    assert np.isin(broken["identity"], list(audit.IDENTITIES)).all()


EXCHANGED, OTHER = ("B", 1000, 1300, 10.0, 13.0), ("B", 1000, 1300, 13.0, 20.0)


@pytest.mark.parametrize(
    ("row", "computed"),
    [
        (EXCHANGED, ["13.00", "10.00"]),
        (OTHER, ["26.00", "10.00"]),  # what either price should be, if the other is right
        (("B", "", 1300, 10.0, 13.0), []),  # what is not known cannot be wrong
        (("B", 0, 0, 10.0, 13.0), []),
    ],
)
def test_a_folder_of_ones_own(folder, row, computed):
    """The same identities hold a user's prices, row by row; nothing of ours is told, and no folder stays in use."""
    priced(folder, [("A", 1000, 1300, 13.0, 10.0), row])
    found = audit.check_consistency(folder)
    assert found["computed"].tolist() == computed
    assert cells(found) == {
        ("mine/runs", 2, column) for column in ("price_per_user_usd", "price_per_tpm_usd") if computed
    }
    assert set(found["status"]) <= {""}
    assert audit.check_consistency(folder.parent).equals(found)  # each data folder in it, as `check` takes it
    assert "mine" not in set(tables.sources()["source"])


@pytest.mark.parametrize(
    "identity", [{"add": "users"}, {"sum": "nothing", "equals": 1}, {"sum": "users", "more": 1}, 5]
)
def test_an_identity_that_is_none_teaches(folder, identity):
    """A descriptor may declare its own; what it may say is told."""
    priced(folder, [("A", 1000, 1300, 13.0, 10.0)])
    package = read_package(folder)
    package["resources"][0]["identities"] = [identity]
    write_package(folder, package)
    with pytest.raises(BadTable, match="identities of mine/runs"):
        audit.check_consistency(folder)


def test_an_identity_of_ones_own(folder):
    """A sum that a user declares is tested."""
    priced(folder, [("A", 1000, 1300, 13.0, 10.0), ("all", 1001, 1300, 12.99, 10.0)])
    package = read_package(folder)
    for rounded in (False, True):  # half a unit of one part is less than the one that lacks
        package["resources"][0]["identities"] = [{"sum": "users", "total": {"system": "all"}, "rounded": rounded}]
        write_package(folder, package)
        found = audit.check_consistency(folder)
        assert cells(found[found["identity"] == "declared"]) == {("mine/runs", 2, "users")}
