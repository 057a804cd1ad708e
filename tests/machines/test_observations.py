"""Runs as evidence of capacity, row by row: which kind, of which machine, in which order; a user's own runs."""

import numpy as np
import pandas as pd
import pytest

from dominoperf.errors import BadTable, UnknownName
from dominoperf.machines.design_matrix import DesignMatrix
from dominoperf.machines.levels import (
    level_of_printed_cell,
    machine_columns,
    run_names,
    system_model,
)
from dominoperf.machines.observations import all_observations, capacity_observations, machines_called_by_parts
from dominoperf.machines.own_runs import read_own_runs
from dominoperf.tables.reading import numbers_of_column

RUNS = pd.DataFrame(
    {
        "run": ["a", "b", "c", "d", "e"],
        "source": ["compaq_domino45", "ibm_330", "x", "compaq_domino45", "x"],
        "system": ["Compaq ProLiant 5000 P6/200- 512", None, " my server ", "IBM PC Server 330", "z"],
        "processors": [1, 2, np.nan, 4, 1],
        "workload": ["Mail", "Mail", " orders", "DiscDB", "Mail"],
        "users": [600, 800, 90, 400, 0],
        "cpu_utilization_percent": [50, np.nan, 0, 80, 10],
        "limited_by": ["", "drivers", "load chosen", "server", ""],
        "notesmark_tpm": [1200, 2400, np.nan, 1600, 5],
    },
    index=[7, 7, 3, 2, 1],
)


def test_runs_as_evidence_row_by_row():
    """All runs with users first, then those with a utilization; who was stopped is a lower limit; rates to Mail's."""
    found = capacity_observations(RUNS, ours=False)
    rows = found.rows
    assert rows.index.tolist() == list(range(6))
    assert rows["run"].tolist() == ["a", "b", "c", "d", "a", "d"]
    limits = ["capacity", "lower limit", "lower limit", "capacity", "utilization", "utilization"]
    assert rows["observation"].tolist() == limits
    assert rows["users"].tolist() == [600, 800, 90, 400, 600, 400]
    assert np.exp(rows["log_users"]).tolist() == pytest.approx([600, 800, 90, 400, 1200, 500])
    assert rows["system"].tolist()[:4] == ["ProLiant 5000", "2 processors", "my server", "PC Server 330"]
    assert rows["workload"].tolist()[:4] == ["Mail", "Mail", "orders", "DiscDB"]
    assert rows["source"].tolist()[:3] == ["compaq_domino45", "ibm_330", "x"]
    assert rows["clock_mhz"].isna().all()
    assert (rows["processor_family"] == "").all()
    assert found.script_rates == {"Mail": 1.0, "DiscDB": pytest.approx(4 / 2.5)}  # medians of 2 and 3; of 4 alone
    alone = capacity_observations(RUNS.iloc[[3]], ours=False)
    assert (alone.script_rates, alone.own_workloads, alone.load_tests) == ({}, frozenset(), ())
    assert capacity_observations(RUNS.iloc[[4]], ours=False).rows.empty


def test_names_of_systems_and_of_machines_without_one():
    """The model without its vendor and its processors, else the whole name; parts that are known; or unnamed."""
    names = {
        None: "", np.nan: "", " box ": "box", "IBM PC Server 330": "PC Server 330", "HP ": "HP",
        "Node 2 SSD": "Node 2 SSD", "Compaq ProLiant 5000 P6/200- 512 Model 1- X 2P": "ProLiant 5000",
        "zSeries z900 model 2064-116": "zSeries z900", "Compaq X 5 Model b": "X 5",
    }  # fmt: skip
    assert [system_model(name) for name in names] == [*names.values()]
    machines = pd.DataFrame(
        {"processors": [1, np.nan, 2], "processor_family": ["Xeon", "", ""], "clock_mhz": [400, np.nan, np.nan],
         "ram_mb": [4096.0, np.nan, 512]}, index=[4, 2, 2],
    )  # fmt: skip
    named = machines_called_by_parts(machines)
    assert named.tolist() == ["1 processor, Xeon, 400 MHz, 4,096 MB", "unnamed", "2 processors, 512 MB"]
    assert named.index.tolist() == [4, 2, 2]
    cells = {"processor_family": [" Xeon ", None], "domino_release": [8.5, np.nan], "processors": ["2", "two"]}
    found = machine_columns(pd.DataFrame(cells, index=[9, 1]))
    assert [*found] == [
        "processors", "clock_mhz", "l2_kb", "ram_mb", "drives",
        "processor_family", "system", "operating_system", "domino_release", "workload",
    ]  # fmt: skip
    assert found[["processor_family", "domino_release", "workload"]].to_numpy().tolist() == [
        ["Xeon", "8.5", ""],
        [""] * 3,
    ]
    assert found["processors"].tolist() == pytest.approx([2, np.nan], nan_ok=True)
    assert found.index.tolist() == [9, 1]


def test_runs_of_a_users_own_beside_those_of_the_documents():
    """They come last, under their own source; only a workload that no document has is their own."""
    mine = pd.DataFrame({"workload": ["Mail", "orders"], "users": [100, 200], "run": ["x", "y"], "source": "page"})
    before, found = all_observations(), all_observations(read_own_runs(mine))
    assert found.rows.index.tolist() == list(range(len(before.rows) + 2))
    pd.testing.assert_frame_equal(found.rows.iloc[:-2], before.rows)
    last = found.rows.iloc[-2:]
    assert last["source"].tolist() == ["own", "own"]
    assert last["run"].tolist() == ["own, row 1", "own, row 2"]
    assert (before.own_workloads, found.own_workloads) == (frozenset(), frozenset({"orders"}))
    assert found.script_rates == before.script_rates


def own(**columns):
    """The runs that are read."""
    return read_own_runs(pd.DataFrame(columns)).frame


@pytest.mark.parametrize("heading", ["req/s", "tps", "Throughput (1/s)"])
def test_a_throughput_of_ones_own_under_any_of_its_names(heading):
    """As spreadsheets and tools have it; users under another name are still preferred."""
    runs = pd.DataFrame({"processors": [1, 2], heading: [100.0, 190.0]})
    assert read_own_runs(runs).frame["users"].tolist() == [100, 190]
    assert read_own_runs(runs.assign(users=[10, 19])).frame["users"].tolist() == [10, 19]


@pytest.mark.parametrize("heading", ["team", "notes", "operations", "date", "requests"])
def test_a_column_of_ones_own_that_only_looks_a_little_like_ours_stays(heading):
    """A column that says something else is no reason to refuse a table."""
    runs = pd.DataFrame({"processors": [1, 2], "users": [100.0, 190.0], heading: ["a", "b"]})
    assert read_own_runs(runs).frame[heading].tolist() == ["a", "b"]


def test_cells_of_ones_own_that_mean_the_same():
    """A workload is the same however it is spelt; a row without a load is told; digits in groups are no number."""
    runs = pd.DataFrame({"users": [1000, 1900, 0], "workload": ["web", "Web ", "WEB"]})
    with pytest.raises(BadTable, match=r"column users, row 1: expected a number, 0 or more, found '1,000'"):
        read_own_runs(runs.assign(users=["1,000", "1,900", "0"]))
    read = read_own_runs(runs)
    assert read.frame["users"].tolist() == [1000, 1900]
    assert read.frame["workload"].tolist() == ["web", "web"]
    assert ("web", "1 row left out: no users or throughput above zero") in read.load_tests


def test_a_row_that_was_copied_is_no_test_of_its_own():
    """Each run three times narrowed the interval as three tests do; a column with the day tells them apart."""
    runs = pd.DataFrame({"users": [500.0, 900], "processors": [1, 2], "workload": "web"})
    read = read_own_runs(pd.concat([runs] * 3))
    assert read.frame["users"].tolist() == [500, 900]
    assert read.load_tests[0][0] == "web"
    assert read.load_tests[0][1].startswith("4 rows left out: the same in every cell as another row")
    assert read_own_runs(runs).load_tests == ()
    assert len(read_own_runs(pd.concat([runs] * 3).assign(day=range(6))).frame) == 6


def test_which_runs_of_ones_own_are_lower_limits():
    """A CPU below 85 %; much less than the same machine carried in another run; a column says it itself.

    Much is a quarter, or 10 % where rows may be loads of one test, and nothing where the CPU was busy.
    """
    assert own(users=[9, 9], processors=[1, 2], cpu_utilization_percent=[84.9, 85])["limited_by"].tolist() == [
        "load chosen", "",
    ]  # fmt: skip
    assert own(users=[100, 75, 76], processors=1)["limited_by"].tolist() == ["", "load chosen", ""]
    loads = own(users=[100, 89.9, 90.1], processors=1, response_s=0.1)
    assert loads["limited_by"].tolist() == ["", "load chosen", ""]
    assert own(users=[100, 60], processors=1, cpu_utilization_percent=90)["limited_by"].tolist() == ["", ""]
    assert own(users=[100, 50], system=["a", "b"])["limited_by"].tolist() == ["", ""]
    assert own(users=[9, 9], limited_by=["server", None], cpu_utilization_percent=50.0)["limited_by"].tolist() == [
        "server", "load chosen",
    ]  # fmt: skip


def test_what_each_workload_was_measured_by():
    """Users where a workload has any, else its throughput; rows without either are left out; names stay."""
    found = own(
        workload=["a", "a", "b", "b", None, "c"], users=[10, np.nan, np.nan, np.nan, 7, 0],
        throughput_per_s=[1, 2, 3, 4, 5, np.nan], notesmark_tpm=[np.nan] * 5 + [60],
    )  # fmt: skip
    assert found["users"].tolist() == [10, 3, 4, 7, 60]
    assert found["workload"].tolist() == ["a", "b", "b", "own", "c"]
    assert found["run"].tolist() == ["row 1", "row 3", "row 4", "row 5", "row 6"]
    assert own(users=[1], workload=[""])["workload"].tolist() == ["own"]


def test_the_same_cells_are_the_same_runs():
    """Two frames alike are one key of the cache; another number is another."""
    frame = pd.DataFrame({"users": [1, 2]})
    assert read_own_runs(frame) == read_own_runs(frame.copy())
    assert read_own_runs(frame) != read_own_runs(frame.assign(users=[1, 3]))


@pytest.mark.parametrize(
    ("columns", "error", "told"),
    [
        ({"users": [1, np.inf]}, BadTable, "column users, row 2: expected a finite number, found inf"),
        ({"users": [1], "processors": ["two"]}, BadTable, "processors, row 1: expected a number, from 0.25, found"),
        ({"users": [1], "ram_mb": [50]}, BadTable, "expected a number, in MB, from 64, found 50. Mend the cell"),
        ({"users": [1], "clock_mhz": [24.9]}, BadTable, "in MHz (2 GHz are 2000), from 25 to 12000, found 24.9"),
        ({"processors": [1], "colour": [2]}, BadTable, "expected users, throughput_per_s or notesmark_tpm, found"),
        ({"users": [0, 0]}, BadTable, "expected a row with users or throughput above zero, found none. Give how much"),
        ({"users": [9, -1]}, BadTable, "column users, row 2: expected a number, 0 or more, found -1. Mend the cell"),
        ({"users": [9, 9], "response_s": [1, "100 ms"]}, BadTable, "column response_s, row 2: expected a number"),
        ({"users": [1], "Time (s)": [3]}, BadTable, "a row for each run, found times, as samples of a load test have"),
        ({"users": [1], "clock": [2]}, UnknownName, "capacity(data=...), column: expected a column of runs,"),
        ({"users": [1], "cpu_limit": [0.5]}, UnknownName, "found 'cpu_limit'. Did you mean processors?"),
        ({"users": [1], "memory_limit_mib": [512]}, UnknownName, "found 'memory_limit_mib'. Did you mean ram_mb?"),
        ({"users": [1], "vCPUs": [2]}, UnknownName, "column of runs, found 'vCPUs'. Did you mean processors?"),
        ({"users": [1], "processor": ["Xeon"]}, UnknownName, "Did you mean processor_family?"),
        ({"users": [1], "cpu": [2]}, UnknownName, "Did you mean processors or cpu_utilization_percent?"),
        ({"users": [1], "ram": [2]}, UnknownName, "mean ram_mb? Rename the column, so that it is read; ram_mb is in"),
        ({"users": [1], "Stopped by": ["server"]}, UnknownName, "found 'Stopped by'. Did you mean limited_by?"),
        ({"cores": [1], "Users carried": [9]}, UnknownName, "Did you mean users? Rename the column, so that it is"),
        (
            {"vCPUs": [2], "Users carried": [9], "max. TPS at peak": [9]}, UnknownName,
            "processors for 'vCPUs', users for 'Users carried', throughput_tps for 'max. TPS at peak'? Rename them",
        ),
    ],
)  # fmt: skip
def test_own_runs_that_cannot_be_read_in_words(columns, error, told):
    """Where, what was expected, what was found."""
    with pytest.raises(error) as caught:
        own(**columns)
    assert told in str(caught.value)


def test_parts_under_other_headings_are_read_in_our_units():
    """As `ingest` and `new` read them; a heading that only may mean a part is asked."""
    ours = own(users=[10], processors=[2], ram_mb=[8192], clock_mhz=[2400], response_s=[0.08])
    found = own(**{"Users": [10], "cores": [2], "RAM (GB)": [8], "clock_ghz": [2.4], "response [ms]": [80]})
    pd.testing.assert_frame_equal(found, ours, check_dtype=False)


def test_parts_at_the_ends_of_their_reach_are_read():
    """A quarter of the least, four times the greatest clock; of what a server of today has more there is no end."""
    ends = {"clock_mhz": [25, 12000], "processors": [0.25, 9999], "ram_mb": [64, 1e9], "l2_kb": [64, None]}
    assert len(own(users=[1, 2], **ends)) == 2


def test_levels_and_numbers_of_cells():
    """Families in any letters; the first two numbers of a release; a text that is no number is unknown."""
    names = ("32-bit Domino 8.0.1", "R5", "Notes", None, np.nan, 6, 8.5)
    assert [level_of_printed_cell("domino_release", name) for name in names] == ["8.0", "5", "", "", "", "6", "8.5"]
    systems = ("windows nt 4.0", "32-bit RHEL 5.2 Server", "Linux", "Linux 5.15", "Linux 6.8", "AIX 7.3", "RHEL 9.4")
    assert [level_of_printed_cell("operating_system", name) for name in systems] == [
        "Windows NT", "Linux", "Linux", *systems[3:],
    ]  # fmt: skip
    assert [level_of_printed_cell("workload", nothing) for nothing in (None, np.nan, pd.NA, "")] == [""] * 4
    assert level_of_printed_cell("colour", " Red ") == "Red"
    frame = pd.DataFrame({"users": ["1", "x", None], "run": [1, 2, 3]}, index=[5, 5, 1])
    assert numbers_of_column(frame, "users").tolist() == pytest.approx([1, np.nan, np.nan], nan_ok=True)
    assert numbers_of_column(frame, "drives").isna().tolist() == [True] * 3
    assert numbers_of_column(frame, "drives").index.tolist() == [5, 5, 1]
    assert run_names(frame).tolist() == ["1", "2", "3"]
    assert run_names(frame.drop(columns="run")).to_dict() == {5: "row 2", 1: "row 3"}


def test_what_is_confounded_in_words():
    """One value, one value in each document, one row, one surrounding: in the order of rows and factors."""
    rows = pd.DataFrame(
        {
            "run": ["r1", "r2", "r3", "r4", "r5"],
            "source": ["b", "b", "a", "a", "a"],
            "ram_mb": [512.0, 512, 64.5, 64.5, 64.5],
            "drives": [1.0, 2, 1, 2, 5],
            "system": ["x", "x", "y", "y", "z"],
            "platform": "AIX",
        }
    )
    design = DesignMatrix(rows, ("ram_mb", "drives", "platform"), frozenset({"ram_mb", "drives"}))
    assert design.confounding().to_numpy().tolist() == [
        ["platform", "intercept", "one value", "Every row has AIX."],
        ["ram_mb", "source", "source",
         "It has one value in each document: 512 in all 2 rows of b, 64.5 in all 3 rows of a."],
    ]  # fmt: skip
    found = DesignMatrix(rows, ("drives", "system", "ram_mb"), frozenset({"ram_mb", "drives"})).confounding()
    told = found.set_index(["term", "confounding"])
    surrounding = "All its 2 rows have the same, which vary elsewhere."
    assert told.loc[("system[x]", "one surrounding")].tolist() == ["ram_mb 512", surrounding]
    assert told.loc[("system[y]", "one surrounding")].tolist() == ["ram_mb 64.5", surrounding]
    assert told.loc[("system[z]", "one row")].tolist() == ["r5", "One row alone, r5: the model passes through it."]
    aliased = "The rows cannot tell it from these: their columns add up to it."
    assert told.loc[("ram_mb", "aliased")].tolist() == [
        ", ".join(design.levels and ["system[y]", "system[z]"]),
        aliased,
    ]
    alone = DesignMatrix(rows.assign(source="a"), ("ram_mb", "drives"), frozenset({"ram_mb", "drives"}))
    assert alone.confounding().empty
    assert [*alone.confounding()] == ["term", "confounded_with", "confounding", "reason"]


def test_inflated_variances_name_the_partner_that_relieves_them_most():
    """By 1 / (1 - R^2) of least squares, with and without each other factor; ten is where it is said."""
    rng = np.random.default_rng(1)
    base = rng.normal(0, 1, 40)
    logs = np.column_stack([base, base + 0.1 * rng.normal(0, 1, 40), rng.normal(0, 1, 40)])
    names = ("processors", "ram_mb", "drives")
    rows = pd.DataFrame(np.exp(logs), columns=names).assign(run="r", source="s")
    centred = logs - logs.mean(axis=0)

    def inflation(name, others):
        y, x = centred[:, names.index(name)], centred[:, [names.index(other) for other in others]]
        rest = y - x @ np.linalg.lstsq(x, y, rcond=None)[0]
        return (y @ y) / (rest @ rest)

    whole = {name: inflation(name, [each for each in names if each != name]) for name in names}
    design = DesignMatrix(rows, names, frozenset(names))
    assert design.inflation() == pytest.approx(whole)
    found = design.confounding()
    assert found["term"].tolist() == [name for name in names if whole[name] > 10] == ["processors", "ram_mb"]
    assert found["confounded_with"].tolist() == ["ram_mb", "processors"]
    for row in found.to_dict("records"):
        alone = inflation(row["term"], ["drives"])
        assert row["reason"] == (
            f"Its variance is {whole[row['term']]:.0f} times what it would be by itself;"
            f" without {row['confounded_with']} {alone:.1f}."
        )
    unit = np.column_stack([np.ones(40), centred])
    assert design.condition() == pytest.approx(np.linalg.cond(unit / np.sqrt((unit**2).sum(axis=0))))


@pytest.mark.parametrize("word", ["load generators", "clients", "memory"])
def test_a_word_of_limited_by_that_says_nothing_is_refused(word):
    """A run that its load generators stopped counted as a capacity; capitals and spaces do no harm."""
    with pytest.raises(BadTable) as told:
        own(users=[2500, 1000], limited_by=["server", word], system=["a", "b"])
    assert f"column limited_by, row 2: expected server, drivers, load chosen or cannot tell, found '{word}'" in str(
        told.value
    )
    words = own(users=[2500, 1000, 900], limited_by=["Server", " Drivers", "cannot tell"], system=["a", "b", "c"])
    assert words["limited_by"].tolist() == ["server", "drivers", "cannot tell"]
