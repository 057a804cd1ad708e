"""Printed descriptions become numbers; the tables of all documents become one row per run."""

import math
import re

import pandas as pd
import pytest
from conftest import write_package
from hypothesis import given
from hypothesis import strategies as st

from dominoperf import runs, tables
from dominoperf.errors import UnknownName
from dominoperf.runs import printed_text, tidy_runs


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2xP6/200 -512", (2, "Pentium Pro", 200, 512)),
        ("4xP6/200 - 1M", (4, "Pentium Pro", 200, 1024)),
        ("P6/200 – 512", (1, "Pentium Pro", 200, 512)),
        ("P6/200-256-KB L2 cache", (1, "Pentium Pro", 200, 256)),
        ("P5/100", (1, "Pentium", 100, None)),
        ("Pent. II 300 MHz", (1, "Pentium II", 300, None)),
        ("2 x 233MHz Pentium II Processors", (2, "Pentium II", 233, None)),
        ("400 MHz Ultra Sparc II", (1, "UltraSPARC II", 400, None)),
        ("550 MHz PIII Xeon", (1, "Pentium III Xeon", 550, None)),
        ("1 Intel Xeon Dual-Core 3.0 GHz", (2, "Xeon", 3000, None)),
        ("1 x 133MHz Pentium Processor", (1, "Pentium", 133, None)),
        ("486DX/50", (1, "486", 50, None)),
    ],
)
def test_processors(text, expected):
    """Every form of a processor in the five documents."""
    read = printed_text.read_processor(text)
    assert tuple(map(read.get, ("processors", "processor_family", "clock_mhz", "l2_kb"))) == expected


@pytest.mark.parametrize(
    ("text", "mb"),
    [
        ("512-MB", 512),
        ("1024- МВ", 1024),  # look-alikes of another alphabet
        ("1024- MB", 1024),
        ("512MB Memory", 512),
        ("12 GB of central storage", 12288),
        ("512KB L2 write-back cache per processor", 0.5),
        ("much", None),
        ("9 x 4.51 drives", None),
    ],
)
def test_memory(text, mb):
    """Every form of an amount of memory; nothing where none is printed."""
    assert printed_text.read_mb(text) == mb


@pytest.mark.parametrize(
    ("text", "count"),
    [("One Drive", 1), ("Six", 6), ("14 Drives Hardware Striping", 14), ("9 x 4.51GB Drives", 9), ("a single", None)],
)
def test_counts(text, count):
    """Digits and words."""
    assert printed_text.read_count(text) == count


@given(st.text())
def test_reading_never_falls_over(text):
    """Any text is read as numbers or as nothing."""
    (
        printed_text.read_processor(text),
        printed_text.read_mb(text),
        printed_text.read_count(text),
        printed_text.read_release(text),
    )


@pytest.fixture(scope="module")
def frame():
    """All runs."""
    return runs.benchmarks().set_index("run")


def test_every_measured_row_is_in_one_run(frame):
    """Each row of each table of runs is the place of exactly one run, but for rows without a measured value."""
    places = [place for cell in frame["locator"] for place in cell.split("; ")]
    assert len(places) == len(
        set(zip(places, frame["source"].repeat(frame["locator"].str.count("; ") + 1), strict=True))
    )
    assert frame.index.is_unique
    printed = tables.load("domino6/peak_load", "printed", text=True)
    measured = printed["users"].ne("--").sum()
    assert measured == 44
    assert frame.index.str.startswith("domino6/peak_load").sum() == measured


@pytest.mark.parametrize(
    ("run", "places"),
    [
        (
            "compaq_domino45/a_mail#1",
            ["Appendix A, page A-1, row 1", "Figure 3-19", "page 3-34/3-35", "page 3-36/3-37"],
        ),
        ("compaq_domino45/a_mail#5", ["Appendix A, page A-1, row 5", "Table 3-1, page 3-2/3-3, row 5"]),
        ("compaq_domino45/a_mail#8", ["Appendix A, page A-1, row 8", "Table 3-1, page 3-2/3-3, row 4"]),
        ("compaq_netware/table_4_2#1", ["Table 4-2", "Table 4-3"]),
        ("ibm_330/results#1", ["Executive Summary", "NotesNum"]),
        (
            "rhel5/results#value_600_users",
            ["section 5.1, row 1 of results, column value_600_users", "row 1 of nb_domstat, column driver_1"],
        ),
    ],
)
def test_a_run_printed_twice_is_one_row(frame, run, places):
    """Both places are named, in the order of print."""
    found = frame.loc[run, "locator"].split("; ")
    assert len(found) >= len(places)
    assert all(place in cell for place, cell in zip(places, found, strict=False))


def test_what_differs_stays_apart(frame):
    """RAID 5 and no fault tolerance have the same response and CPU utilization, but not the same throughput."""
    two = frame.loc[["compaq_netware/table_4_2#1", "compaq_netware/table_4_2#2"]]
    assert two["response_s"].nunique() == 1
    assert two["network_bytes_per_s"].tolist() == [146250, 145740]


def test_values_of_a_run(frame):
    """Appendix A, row 1: parsed, corrected and joined from four places."""
    row = frame.loc["compaq_domino45/a_mail#1"]
    assert (row["processors"], row["l2_kb"]) == (4, 1024)
    assert row["ram_mb"] == 1536
    assert row["price_per_user_usd"] == 17.37  # corrected; printed under $/TPM
    assert row["cpu_utilization_percent"] == 89  # from the prose
    assert math.isclose(row["price_usd"], 5150 * 17.37)
    assert "corrected: price_per_user_usd, price_per_tpm_usd" in row["origin"]
    assert "derived: " in row["origin"]


def test_units_are_converted(frame):
    """Milliseconds, minutes and kilobytes of the pages become seconds and bytes."""
    assert frame.loc["rhel5/results#value_600_users", "response_s"] == 0.26661
    assert frame.loc["compaq_netware/table_4_7#1", "response_s"] == pytest.approx(19.93 * 60)
    assert frame.loc["domino6/peak_load#1", "ram_mb"] == 12 * 1024


def test_every_value_has_a_basis_and_a_place():
    """A value is printed, corrected or derived in words that say how."""
    each = runs.values()
    kinds = each["origin"].str.partition(":")[0]
    assert set(kinds) == {"printed", "corrected", "derived"}
    assert each.loc[kinds == "derived", "origin"].str.len().gt(len("derived: ")).all()
    assert each["locator"].ne("").all()
    assert set(each["column"]) <= set(runs.COLUMNS)


def test_how_a_value_was_read():
    """Printed in ms, and so derived in s; said by the heading of the table; the unit and the text are named."""
    each = runs.values().set_index(["run", "column"])[["as_read", "printed", "origin"]]
    converted, said = each.loc["rhel5/results#value_600_users", "response_s"], each.loc["compaq_domino45/a_mail#1"]
    assert converted.tolist() == ["0.26661", "266.61", "derived: 266.61 ms"]
    assert said.loc["workload"].tolist() == ["Mail", "Mail", "printed"]


def test_columns_are_of_the_vocabulary(frame):
    """Every column is defined; numbers are numbers."""
    assert set(frame.reset_index().columns) <= set(tables.vocabulary())
    for name in set(runs.COLUMNS) - set(tidy_runs.TEXTS):
        assert pd.api.types.is_float_dtype(frame[name])
        assert "unit" in tables.vocabulary()[name]


def test_one_run_of_two_prints_needs_agreement(tmp_path):
    """Two tables of a folder print six runs: one row where nothing that both have differs, else two."""
    second = {  # users -> what the second table prints of the run, and how many rows there are
        100: ("response_s", "0.237", 1),  # half a unit of the coarser print agrees, more does not
        200: ("response_s", "0.246", 2),
        300: ("domino_release", "Domino 5.0.10", 1),
        400: ("domino_release", "R5.0.11", 2),
        500: ("system", "proliant 6500, 2xP6/200", 1),
        600: ("system", "ProLiant 5000", 2),
    }
    row = {"system": "ProLiant 6500", "domino_release": "R5.0.10", "response_s": "0.24"}
    fields = [{"name": name, "type": "string"} for name in ("system", "domino_release")]
    fields += [
        {"name": name, "type": "number", "unit": unit} for name, unit in (("response_s", "s"), ("users", "user"))
    ]
    (tmp_path / "mine").mkdir()
    first = [row | {"users": users} for users in second]
    again = [row | {column: cell, "users": users} for users, (column, cell, _) in second.items()]
    for name, rows in (("one", first), ("two", again)):
        pd.DataFrame(rows).to_csv(tmp_path / "mine" / f"{name}.csv", index=False)
    resources = [{"name": name, "path": f"{name}.csv", "schema": {"fields": fields}} for name in ("one", "two")]
    blocks = [{"table": "one"}, {"table": "two"}]
    write_package(tmp_path / "mine", {"name": "mine", "resources": resources, "benchmarks": blocks})
    with tables.using(tmp_path / "mine"):
        found = runs.benchmarks().query("source == 'mine'")
    assert found["users"].value_counts().to_dict() == {users: count for users, (*_, count) in second.items()}


def test_a_series_over_another_axis_is_refused_with_those_that_are():
    """By the notebooks of processors and drives; the series over that axis are named."""
    assert runs.find("spindles", "drives").name == "spindles"
    told = (
        "expected a series over processors, found 'spindles'. Series over processors are smp_mail, smp_discdb, smp_mail"
    )
    with pytest.raises(UnknownName, match=re.escape(told)):
        runs.find("spindles", "processors")
    with pytest.raises(UnknownName, match=r"found 'smp_mial'\. Did you mean smp_mail\? Series are smp_mail, "):
        runs.find("smp_mial")
