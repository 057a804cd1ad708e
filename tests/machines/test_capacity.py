"""Capacity of a machine: recovery of a known truth, monotone answers, refusals, and answers that are pinned to runs."""

import functools
import re
from pathlib import Path

import matplotlib.pyplot
import numpy as np
import pandas as pd
import pytest
from scipy import stats

from dominoperf import benchmarks, capacity, capacity_ratio, cheapest_upgrades, forecast, planning, tables
from dominoperf.errors import BadTable, CannotFit, UnknownName
from dominoperf.machines import effects, fitted_users_model, prior_influence
from dominoperf.machines.asked_machines import asked_machines_of, parts_of_machine
from dominoperf.machines.levels import machine_columns
from dominoperf.machines.observations import (
    Observations,
    all_observations,
    capacity_observations,
    machines_called_by_parts,
)
from dominoperf.machines.own_runs import read_own_runs
from dominoperf.machines.resources import Limit, capacity_draws, quantiles_of_least
from dominoperf.machines.users_model import UsersModel, fit_users
from dominoperf.tables.folders import our_toml_file

MACHINE = {
    "processor_family": "Pentium Pro", "processors": 2, "clock_mhz": 200, "l2_kb": 512, "ram_mb": 512, "drives": 9,
    "operating_system": "Windows NT", "domino_release": "4.51",
}  # fmt: skip


FAR = MACHINE | {"processor_family": "Pentum Pro", "operating_system": "BeOS", "clock_mhz": np.nan}


UNMEASURED = [
    "no run has processor family 'Pentum Pro' (near: Pentium Pro)",
    "no run has operating system 'BeOS' (tested: AIX, Linux, NetWare, OS/2, Solaris, Windows 2000, Windows NT, z/OS)",
]


CONFIGURATIONS = (
    "Of 2 configurations of Compaq ProSignia 200, this is the first that ran Mail: ram_mb 128. Others have ram_mb 256:"
    " to ask for one, describe the machine in a dict"
)


def asked(workload="Mail", **changes):
    """The answer for the machine with other parts."""
    return capacity(MACHINE | changes, workload)


def test_measured_machines_are_within_their_intervals():
    """Every run of 1997 and 1998 that printed its memory: the fitted model passes within 35 %, inside its interval."""
    rows = fitted_users_model().model.observations.rows
    rows = rows[(rows["observation"] == "capacity") & rows["ram_mb"].notna()]
    for workload, part in rows.groupby("workload"):
        found = capacity(part.drop(columns=["observation", "log_users"]), workload)
        assert (np.abs(np.log(found["users"] / part["users"])) < 0.35).all()
        assert part["users"].between(found["low"], found["high"]).all()
    assert len(rows) == 23


@pytest.mark.parametrize("workload", ["Mail", "DiscDB", "R6Mail"])
def test_more_is_never_fewer_users(workload):
    """More clock, processors, cache, memory or drives: neither fewer users nor fewer recommended users.

    Each part of sixteen machines drawn at random, in one frame with the machine that has up to four times as much.
    """
    rng = np.random.default_rng([*workload.encode()])
    ends = {"processors": (1, 8), "clock_mhz": (60, 150), "l2_kb": (128, 1024), "ram_mb": (64, 4096), "drives": (1, 20)}
    less = pd.DataFrame({part: rng.uniform(*each, 80) for part, each in ends.items()})
    less[["processors", "drives"]] = less[["processors", "drives"]].round()
    more, which = less.copy(), np.resize(list(ends), 80)
    for part in ends:
        grown = less[part] * rng.uniform(1, 4, 80)
        more[part] = np.where(which == part, np.ceil(grown) if part in ("processors", "drives") else grown, less[part])
    found = capacity(pd.concat([less, more], ignore_index=True).assign(processor_family="Pentium Pro"), workload)
    users = found[["users", "recommended_users"]].to_numpy().reshape(2, 80, 2)
    assert np.isfinite(users).all()
    assert (users[1] >= users[0] * (1 - 1e-12)).all()


def test_a_frame_is_answered_as_its_rows():
    """Row by row the same, index kept; a row beyond reach is NaN with its reason."""
    frame = pd.DataFrame([MACHINE, MACHINE | {"ram_mb": 128}, MACHINE | {"processors": 0}], index=[5, 3, 9])
    found = capacity(frame, "Mail", response_s=2.0)
    assert found.index.tolist() == [5, 3, 9]
    assert set(found) <= set(tables.vocabulary())
    for at in (5, 3):
        alone = capacity(frame.loc[at], "Mail", response_s=2.0)
        pd.testing.assert_frame_equal(found.loc[[at]].reset_index(drop=True), alone.glance(), rtol=1e-9)
    assert np.isnan(found.loc[9, "users"])
    assert found.loc[9, "binds"] == ""
    assert "processors 0" in found.loc[9, "reason"]
    both = capacity(frame.set_index(["processors", "drives"], drop=False), "Mail", response_s=2.0)
    assert both["users"].tolist() == pytest.approx(found["users"].tolist(), nan_ok=True)
    with pytest.raises(BadTable, match="drives: expected a number, found True"):
        capacity(frame.assign(drives=True), "Mail")
    assert capacity(frame.iloc[:0], "Mail").empty


@pytest.mark.parametrize(
    ("machine", "workload", "error", "told"),
    [
        ({"clock_mhz": 2}, "Mail", CannotFit, "2 GHz are 2000"),
        ({"clock_mhz": 2000, "processor_family": "pentium pro"}, "Mail", CannotFit, "on Pentium Pro"),
        ({"processors": 0}, "Mail", CannotFit, "that were measured; 1 to 48 can be answered. Give a number"),
        ({"ram_mb": 63}, "Mail", CannotFit, "its unit is MB; 64 to 65536 can be answered"),
        ({"processors": [1, 2]}, "Mail", BadTable, "[1, 2]"),
        ({"processors": 1.5}, "Mail", BadTable, "expected a whole number, found 1.5"),
        (pd.DataFrame({"processors": [1, 2], "drives": [4, 2.5]}), "Mail", BadTable, "drives: expected a whole number"),
        ({"processors": 2}, "", UnknownName, "Workloads that were run"),
        ({"clock_mhz": "200 MHz"}, "Mail", BadTable, "expected a number, in MHz (2 GHz are 2000), found '200 MHz'"),
        ({"clock": 200}, "Mail", UnknownName, "Did you mean clock_mhz?"),
        ({"ram": 64}, "Mail", UnknownName, "Did you mean ram_mb? ram_mb is in MB. What a machine can have"),
        ({"processors": 2, "processor": "Pentium Pro"}, "Mail", UnknownName, "Did you mean processor_family?"),
        ({"processors": 2, "servers": 2}, "Mail", UnknownName, "found 'servers'"),  # a column of ours, and no part
        (pd.DataFrame({"processor": [1, 2]}), "Mail", UnknownName, "Did you mean processors?"),
        (pd.Series({"threads": 4}), "Mail", UnknownName, "Did you mean processors?"),
        ({}, "Mial", UnknownName, "Did you mean Mail"),
        ("ProLiant 50000", "Mail", UnknownName, "ProLiant 5000"),
        (3, "Mail", BadTable, "int"),
        ("no_such.toml", "Mail", BadTable, "no_such.toml"),
        ("machine.csv", "Mail", UnknownName, "a file has to be there."),
        ("ProSignia 500", "Mail", UnknownName, "found 'ProSignia 500'. Did you mean Compaq ProSignia 200? Or give a d"),
    ],
)
def test_refusals(machine, workload, error, told):
    """Each in four parts, with the nearest known name or the unit."""
    with pytest.raises(error) as caught:
        capacity(machine, workload)
    assert told in str(caught.value)
    assert all([caught.value.where, caught.value.expected, caught.value.found, caught.value.remedy])


@pytest.mark.parametrize("response_s", [0.05, 0.1])
def test_nobody_is_answered_as_soon_as_by_an_idle_server(response_s):
    """6.7e-10 users were told at 0.1 s, 0.017 recommended; less than the shortest response of any run is refused."""
    found = capacity("PC Server 330", "Mail", response_s=response_s).glance().iloc[0]
    assert found[["users", "low", "recommended_users"]].tolist() == [0, 0, 0]
    assert found["high"] > 500
    with pytest.raises(CannotFit, match=r"expected 0\.05 s, the shortest measured, or more, found 0\.049 s"):
        capacity("PC Server 330", "Mail", response_s=0.049)


def test_beyond_what_was_measured_is_by_the_workload():
    """DiscDB ran with 256 MB and more, at 200 MHz and more; other workloads with less were taken for its tests."""
    machine = {"processors": 4, "clock_mhz": 100, "l2_kb": 512, "ram_mb": 128, "drives": 1, "drive_gb": 2}
    found = capacity(machine, "DiscDB")
    assert found.glance()["beyond_measured"].item() == "processors, clock_mhz, ram_mb, drive_gb"
    assert found.tidy()["beyond_measured"].tolist()[:3] == ["processors, clock_mhz", "ram_mb", "drive_gb"]
    told = (
        "processors (1 to 3), clock (200 to 300 MHz), memory (256 to 1,024 MB), size of the drives (2.1 to 146.8 GB)."
    )
    assert told in found.sentences()["notes"]
    assert capacity(machine | {"ram_mb": 256}, "DiscDB").tidy()["beyond_measured"][1] == ""


def test_a_frame_says_what_is_not_known_as_one_machine_does():
    """A table showed an interval of 24 times without why."""
    partly = {"processors": 2, "clock_mhz": 200, "ram_mb": 512}
    machines = [partly, MACHINE, FAR, {"processors": 99}, {"processors": 1, "operating_system": "BeOS"}]
    reasons = capacity(pd.DataFrame(machines), "Mail")["reason"].tolist()
    assert reasons[:2] == ["not known of the machine: L2 cache", ""]
    assert reasons[3].startswith("processors 99 is too far from")
    for at in (0, 1, 2, 4):
        alone = capacity(machines[at], "Mail").glance()["reason"].item()
        assert alone.startswith(reasons[at])
    assert "not known of the machine: clock" in reasons[2]


def test_a_frame_may_have_columns_that_are_no_parts():
    """A label, a price, users that were measured: the answer is that of the parts alone."""
    machines = pd.DataFrame([MACHINE])
    others = machines.assign(label="x", price_usd=3.0, users=7, processor="as printed")
    pd.testing.assert_frame_equal(capacity(others, "Mail"), capacity(machines, "Mail"))
    row = benchmarks().iloc[0]
    assert capacity(row, "Mail").users == capacity(row.to_dict(), "Mail").users


def test_a_machine_beyond_reach_in_words():
    """Of one machine an error, of the priors too; in a frame a reason."""
    machine = MACHINE | {"drives": 113}
    told = "113 is too far from the 1 to 28 that were measured; 1 to 112 can be answered."
    for ask in (capacity, prior_influence):
        with pytest.raises(CannotFit) as caught:
            ask(machine, "Mail")
        assert told in str(caught.value)
        assert caught.value.where == "capacity(machine=...)"
    with pytest.raises(CannotFit, match=r"^prior_influence\(level=...\): "):
        prior_influence(machine, "Mail", level=95)
    row = capacity(pd.DataFrame([machine]), "Mail").iloc[0]
    assert (row["binds"], row["nearest_run"]) == ("", "")
    assert f"found {row['reason']}. Give a number" in str(caught.value)


def test_a_system_of_the_data_by_name():
    """With or without its vendor, in any letters; of two memories of one model the first that ran Mail, as is told."""
    found = capacity("Compaq ProSignia 200", "Mail")
    assert (found.machine["ram_mb"], found.glance()["reason"].item()) == (128, CONFIGURATIONS)
    short = capacity("prosignia 200", "Mail")
    assert short.users == found.users
    assert short.glance()["reason"].item() == CONFIGURATIONS.replace("Compaq ProSignia 200", "prosignia 200")
    assert "this is the first: ram_mb 128." in capacity("prosignia 200", "R6Mail").glance()["reason"].item()
    other = {name: part for name, part in found.machine.items() if name not in ("configuration", "workload")}
    assert "configurations" not in str(capacity(other | {"ram_mb": 256}, "Mail"))
    alone = capacity("PC Server 330", "Mail")  # tested in one
    assert (alone.machine["processors"], alone.machine["ram_mb"]) == (2, 512)
    assert "configurations" not in str(alone)


def test_a_row_that_has_nothing_but_a_system_is_that_system():
    """By name, in a row and in a frame: one answer. An unknown name is taken as it is.

    A row that says more keeps what all runs of its system have: 233 MHz.
    """
    rows = [{"system": "PC Server 330"}, {"system": "prosignia 200"}, {"system": "NoName"}, {}]
    frame = pd.DataFrame([*rows, {"system": "PC Server 330", "processors": 4}], index=[7, 7, 1, 2, 3])
    users = capacity(frame, "Mail")["users"].to_numpy()
    by_name = [capacity(row["system"], "Mail").users for row in rows[:2]]
    assert np.allclose(users[:2], by_name, rtol=1e-12)
    assert np.allclose(users[2:3], capacity(rows[2], "Mail").users)
    assert capacity(rows[0], "Mail").headline() == capacity("PC Server 330", "Mail").headline()
    four = {"system": "PC Server 330", "processors": 4}
    assert capacity(four, "Mail").users == capacity(four | {"clock_mhz": 233}, "Mail").users
    assert capacity(four | {"clock_mhz": 300}, "Mail").users > 1.1 * capacity(four, "Mail").users


@pytest.mark.parametrize(
    ("machine", "workload", "options", "said"),
    [
        (MACHINE, "Mail", {}, """2,509 Mail users (95 % interval 1,640 to 3,509, of a new test).
First to run out: processor. Recommended, with the CPU at most 70 % busy: 1,911 users.
A plan counts people, each as one or more of these users, with its own memory tables.
Nearest measured machine: ProLiant 5000: 2,850 users."""),
        (MACHINE | {"processors": 4, "ram_mb": 1024, "drives": 4}, "Mail", {},
         """2,863 Mail users (95 % interval 1,201 to 4,685, of a new test).
First to run out: spindles, by a rule rather than a test (good to a factor of 2.7 either way).
Recommended, with the CPU at most 70 % busy: 1,092 users (limited by the document's advice on disk space; the disks
may hold 6,618). Each of its drives is taken to have 9.1 GB.
A plan counts people, each as one or more of these users, with its own memory tables.
Nearest measured machine: ProLiant 5000: 3,400 users."""),
        ("Compaq ProSignia 200", "Mail", {}, """608 Mail users (95 % interval 528 to 699, of a new test).
First to run out: memory. Recommended, with the CPU at most 70 % busy: 303 users (limited by memory, of which 64 MB
are not counted, as the documents advise). A plan counts people, each as one or more of these users, with its own
memory tables. This machine was tested: 600 users. Of 2 configurations of Compaq ProSignia 200, this is
the first that ran Mail: ram_mb 128. Others have ram_mb 256: to ask for one, describe the machine in a dict."""),
        (FAR, "R6Mail", {}, """6,139 R6Mail users (95 % interval 1,138 to 33,099, of a new test).
First to run out: processor. Recommended, with the CPU at most 70 % busy: 4,583 users.
Nearest measured machine: Netfinity 8500Rs: 10,000 users.
Beyond what was measured with R6Mail, and so a forecast: processors (6 to 12), memory (4,096 to 16,384 MB).
Wide, for no run has processor family 'Pentum Pro' (near: Pentium Pro),
and no run has operating system 'BeOS' (tested: AIX, Linux, NetWare, OS/2, Solaris, Windows 2000, Windows NT, z/OS).
Wide also for what is not known of the machine: clock."""),
    ],
)  # fmt: skip
def test_the_answer_in_words(machine, workload, options, said):
    """Every sentence; users with three digits, the others as they are."""
    assert capacity(machine, workload, **options).headline() == said.replace("\n", " ")


def test_the_reasons_of_an_answer():
    """Levels, parts and notes, each once; which row is of which basis, with how many runs of the workload."""
    rows = fitted_users_model().model.observations.rows
    beyond = (
        "Beyond what was measured with R6Mail, and so a forecast: processors (6 to 12), memory (4,096 to 16,384 MB)."
    )
    assert capacity(FAR, "R6Mail").glance()["reason"].item() == "; ".join(
        [*UNMEASURED, "not known of the machine: clock", beyond]
    )
    pentium = {"processors": 3, "clock_mhz": 166, "l2_kb": 512, "ram_mb": 512, "processor_family": "Pentium"}
    told = capacity(pentium, "Groupware_A").sentences()["notes"]
    assert "with Groupware_A, and so a forecast: processors (1), clock (200 MHz)." in told
    far = capacity(FAR | {"processors": 16}, "R6Mail").tidy().set_index("resource")
    assert far.loc["processor", ["basis", "beyond_measured"]].tolist() == ["modelled", "processors"]
    assert far.loc["processor", "reason"] == "; ".join(UNMEASURED)
    assert far.loc["processor", "runs"] == rows["run"][rows["workload"] == "R6Mail"].nunique()
    unknown = "no document says what R6Mail takes of it"
    assert far["reason"].tolist()[1:] == [unknown] * 3 + ["no longest response was asked for"]


def test_the_bases_of_an_answer():
    """By rule or by model, and on how many runs of the workload; which parts are beyond what was measured."""
    rows = fitted_users_model().model.observations.rows
    found = capacity(MACHINE | {"ram_mb": 32000, "drives": 40, "drive_gb": 200}, "Mail", response_s=1)
    tidy, mail = found.tidy().set_index("resource"), rows[rows["workload"] == "Mail"]
    assert list(tidy.index) == ["processor", "memory", "disk_space", "spindles", "response"]
    assert tidy["basis"].tolist() == ["modelled"] * 2 + ["rule"] * 3
    assert tidy["beyond_measured"].tolist() == ["", "ram_mb", "drives, drive_gb", "drives", ""]
    with_memory = mail[mail["ram_mb"].notna() & (mail["observation"] == "capacity")]
    assert tidy["runs"].tolist() == [mail["run"].nunique(), with_memory["run"].nunique(), 0, 0, 0]
    rules = our_toml_file("capacity.toml")
    assert tidy.loc["response", "rule"] == rules["response"]["source"]
    for name, end in (("low", "low"), ("high", "high"), ("recommended_users", "recommended")):
        assert tidy[name].tolist() == [found.row[f"{each}_{end}"] for each in tidy.index]


def test_a_machine_without_a_name_is_called_by_its_parts():
    """A test of one's own is the nearest machine, in words that a reader knows."""
    mine = pd.DataFrame([{"processors": 4, "clock_mhz": 2400, "ram_mb": 8192, "workload": "calendar", "users": 900}])
    found = capacity({"processors": 4, "clock_mhz": 2400, "ram_mb": 8192}, "calendar", data=mine)
    assert found.glance()["nearest_system"].item() == "4 processors, 2,400 MHz, 8,192 MB"
    alone = machines_called_by_parts(machine_columns(pd.DataFrame({"processors": [1, np.nan]})))
    assert alone.tolist() == ["1 processor", "unnamed"]


UNNAMED = {"processors": 2, "clock_mhz": 200, "l2_kb": 512, "ram_mb": 512}
REPEATED = pd.DataFrame([UNNAMED | {"workload": "Mail", "users": users} for users in range(1400, 1600, 10)])


def test_runs_of_a_machine_without_a_name_answer_for_that_machine():
    """Twenty tests of 1,495 users in the mean: so many within 3 %, as narrow as with a name and all that is known."""
    found = capacity(UNNAMED, "Mail", data=REPEATED)
    assert found.users == pytest.approx(REPEATED["users"].mean(), rel=0.03)
    assert found.row["high"] / found.row["low"] < 1.25
    assert found.row["nearest_users"] == 1495
    assert "This machine was tested: 1,495 users, the mean of 20 tests." in found.headline()
    named = {"system": "Mine 1", "processor_family": "Xeon", "operating_system": "Linux", "domino_release": "8.0"}
    of_named = capacity(UNNAMED | named, "Mail", data=REPEATED.assign(**named))
    ends = ["users", "low", "high"]
    assert found.row[ends].tolist() == pytest.approx(of_named.row[ends].tolist(), rel=0.01)
    again = capacity(found.machine.drop("workload"), "Mail", data=REPEATED)
    assert again.row[ends].tolist() == found.row[ends].tolist()


@pytest.mark.parametrize(
    ("machine", "data"),
    [
        ({"processors": 1, "clock_mhz": 200, "l2_kb": 512, "ram_mb": 512}, None),  # as a ProLiant 5000, of any family
        (UNNAMED | {"l2_kb": np.nan}, REPEATED),
        (UNNAMED | {"l2_kb": 1024}, REPEATED),
        (UNNAMED | {"operating_system": "Linux"}, REPEATED),
    ],
)
def test_a_machine_that_may_be_another_was_not_tested(machine, data):
    """Less is told of it than of the one that was tested, or something else: it is answered by the model."""
    found = capacity(machine, "Mail", data=data)
    assert "This machine was tested" not in found.headline()
    assert found.glance()["basis"].item() == "modelled"


def test_an_upgrade_of_a_tested_machine_without_a_name_is_of_that_machine():
    """Twice the processors: a ratio as sharp as with a name, from either side."""
    more = UNNAMED | {"processors": 4}
    named = {"system": "Mine 1"}
    sharp = capacity_ratio(UNNAMED | named, more | named, "Mail", data=REPEATED.assign(**named)).iloc[0]
    up, down = (capacity_ratio(*pair, "Mail", data=REPEATED).iloc[0] for pair in ((UNNAMED, more), (more, UNNAMED)))
    for name in ("ratio", "low", "high"):
        assert up[name] == pytest.approx(sharp[name], rel=0.01)
    assert down["ratio"] == pytest.approx(1 / up["ratio"], rel=0.01)


def test_shares_under_a_heading_of_percent_are_refused():
    """0.62 to 0.71 read as percent would be a machine that is idle, and a capacity a hundred times as high."""
    runs = {"processors": [1, 2, 4], "workload": "Web", "users": [1250, 2310, 3950]}
    with pytest.raises(BadTable, match="expected percent, found nothing above"):
        read_own_runs(pd.DataFrame(runs | {"CPU (%)": [0.625, 0.661, 0.71]}))
    with pytest.raises(BadTable, match="at most 100 %, found 245 %, as where each processor counts 100"):
        read_own_runs(pd.DataFrame(runs | {"CPU (%)": [62.5, 131, 245]}))
    idle = pd.DataFrame(runs | {"cpu_utilization": [0.001, 0.002, 0.004]})  # a share by its name
    assert len(read_own_runs(idle).frame) == 3


def test_a_share_of_the_cpu_is_read_as_its_percentage():
    """The column cpu_utilization is in the vocabulary, as a share: 0.3 of the CPU is 30 % of it."""
    run = UNNAMED | {"workload": "Mail", "users": 600}
    share, percent = (
        read_own_runs(pd.DataFrame([run | busy])).frame
        for busy in ({"cpu_utilization": 0.3}, {"cpu_utilization_percent": 30.0})
    )
    pd.testing.assert_frame_equal(share, percent, check_like=True)
    assert share["limited_by"].tolist() == ["load chosen"]


@pytest.mark.parametrize("utilization", [0.7, 1])
@pytest.mark.parametrize("machine", [UNNAMED, "PC Server 330", MACHINE | {"processors": 4, "ram_mb": 256}])
def test_no_more_users_are_recommended_than_are_carried(machine, utilization):
    """At capacity a CPU is 94 % busy: where it may be busier than that, its capacity is the advice."""
    for response_s in (None, 0.3):
        found = capacity(machine, "Mail", utilization=utilization, response_s=response_s)
        resources = found.tidy().dropna(subset="users")
        assert (resources["recommended_users"] <= resources["users"] * (1 + 1e-12)).all()
        assert found.row["recommended_users"] <= found.row["users"] * (1 + 1e-12)


def test_a_toml_and_a_row_are_the_same_machine(tmp_path):
    """Written to a file, given as a Series, or as a dict."""
    path = tmp_path / "machine.toml"
    path.write_text("".join(f"{name} = {value!r}\n" for name, value in MACHINE.items()))
    answers = [capacity(each, "mail-only").users for each in (MACHINE, pd.Series(MACHINE), path, str(path))]
    assert answers == [answers[0]] * 4


def test_the_picture_has_a_row_per_resource():
    """Resources that are known, with intervals, and a line at the recommended users."""
    matplotlib.use("agg")
    found = capacity("PC Server 330", "MailDB")
    ax = found.plot()
    assert [label.get_text() for label in ax.get_yticklabels()] == ["processor", "memory", "disk space", "spindles"]
    assert found.row["recommended_users"] in {line.get_xdata()[0] for line in ax.lines}
    matplotlib.pyplot.close(ax.figure)


def test_effects_have_priors_with_a_source():
    """Every term of the model, with those of runs of one's own; the runs sharpen each prior or leave it."""
    tested = {"workload": "orders", "processors": [1, 2, 4, 8, 4, 4], "users": [100, 190, 340, 300, 60, 340]}
    runs = pd.DataFrame(tested | {"cpu_utilization_percent": [np.nan, np.nan, np.nan, 50, np.nan, np.nan]})
    found = effects(runs[:4])
    for kind in ("l2_kb", "processors off the curve["):
        assert found["term"].str.startswith(kind).any(), kind
    assert (found["basis"] != "").all()
    assert (found["std_error"] <= found["prior_sd"] * (1 + 1e-9)).all()
    assert set(found.columns) <= set(tables.vocabulary())


def test_little_memory_is_a_wide_forecast_and_no_recommendation():
    """64 MB are for 150 to 300 users (Table 4-5); what the server takes is uncertain, and nothing is to spare."""
    found = capacity({"processors": 1, "clock_mhz": 200, "l2_kb": 512, "ram_mb": 64}, "Mail")
    assert found.row["memory_low"] < found.row["memory_users"] / 3
    assert 300 < found.row["memory_high"] < 500
    assert "busy: 0 users (limited by memory, of which 64 MB are not counted, as" in found.headline()


def test_a_small_machine_is_recommended_for_about_as_many_as_in_a_plan():
    """128 MB are for 150 people with light mail, 300 users (Table 4-5); 110 were recommended where 600 were carried."""
    people = planning.recommend("ProSignia 200 1xP2/233, 128 MB").tidy().set_index("group")
    found = capacity("ProSignia 200 1xP2/233, 128 MB", "Mail")
    assert found.row["recommended_users"] == pytest.approx(people.loc["light_mail", "users"], rel=0.05)


def simulated(rng, count):
    """Runs of a known truth: exponents 0.8, 0.7 and 0.25, 0.12 MB for each user, errors of 8 %, all of one machine."""
    frame = pd.DataFrame(
        {
            "system": "M 1", "operating_system": "Linux", "domino_release": "8.0", "processor_family": "Xeon",
            "workload": "Mail", "processors": rng.choice([1, 2, 4, 8], count),
            "clock_mhz": rng.choice([100.0, 200, 400], count), "l2_kb": rng.choice([256.0, 512, 1024], count),
            "ram_mb": rng.choice([128.0, 256, 4096], count),
        }
    )  # fmt: skip
    cpu = 1500 * frame["processors"] ** 0.8 * (frame["clock_mhz"] / 200) ** 0.7 * (frame["l2_kb"] / 512) ** 0.25
    memory = (frame["ram_mb"] - 50) / 0.12
    return frame.assign(users=(cpu**-6 + memory**-6) ** (-1 / 6) * np.exp(rng.normal(0, 0.08, count)))


def test_a_known_truth_is_recovered():
    """Eighty simulated runs: each power within four standard errors of the truth and 0.08; the memory within 10 %."""
    runs = capacity_observations(simulated(np.random.default_rng(5), 80), ours=False)
    found = fit_users(UsersModel.from_observations(Observations(runs.rows, {"Mail": 1.0})))
    error = np.sqrt(np.diag(found.covariance))
    for name, truth in {"clock_mhz": 0.7, "l2_kb": 0.25, "memory_mb_per_user": np.log(0.12)}.items():
        at = found.model.column_of(name)
        assert abs(found.mean[at] - truth) < min(4 * error[at], 0.1), name
    shared = found.mean[found.model.column_of("processors")] + found.mean[found.model.column_of("processors[Mail]")]
    assert shared == pytest.approx(0.8, abs=0.05)
    assert found.error == pytest.approx(0.08, rel=0.35)


def test_the_terms_are_the_mode_of_the_posterior_by_the_book():
    """Capacities, lower limits, utilizations: by the densities of SciPy no step of a term is better; the covariance."""
    rng = np.random.default_rng(2)
    frame = simulated(rng, 24).drop(columns="ram_mb")
    frame["limited_by"] = ["", "", "drivers", "load chosen"] * 6
    frame["cpu_utilization_percent"] = np.where(frame["limited_by"] == "load chosen", rng.uniform(20, 60, 24), np.nan)
    observations = capacity_observations(frame, ours=False)
    found = fit_users(UsersModel.from_observations(observations))
    model, rows = found.model, observations.rows
    assert rows["observation"].value_counts().to_dict() == {"capacity": 12, "lower limit": 12, "utilization": 6}
    coded, tails = model.code(rows), model.constants["model"]["tails"]
    columns = coded.columns.copy()
    busy, limit = rows["observation"] == "utilization", rows["observation"] == "lower limit"
    columns[~busy, model.column_of("busy_at_capacity")] = 1
    scale = np.where(busy, found.error_of_utilization, found.error)

    def loss(terms):
        error = (rows["log_users"] - columns @ terms - coded.cpu_offset) / scale
        density = stats.t.logpdf(error, tails) - np.log(scale)
        density = np.where(limit, stats.t.logsf(error, tails), density)
        return -density.sum() - stats.norm.logpdf(terms, model.mean, model.sd).sum()

    own = np.diag(np.sqrt(np.diag(found.covariance)) * 1e-3)
    gradient = np.array([loss(found.mean + each) - loss(found.mean - each) for each in own]) / 2e-3
    assert gradient == pytest.approx(0, abs=1e-3)
    error = (rows["log_users"] - columns @ found.mean - coded.cpu_offset) / scale
    step = 1e-4
    bent = -sum(way * stats.t.logsf(error + step * move, tails) for way, move in ((1, 1), (-2, 0), (1, -1))) / step**2
    weight = np.where(limit, bent, (tails + 1) / (tails + 3)) / scale**2  # expected information of Student's t
    information = columns.T @ (columns * weight[:, None]) + np.diag(model.sd**-2)
    assert found.covariance == pytest.approx(np.linalg.inv(information), abs=1e-5)


OWN = pd.DataFrame(
    {
        "system": ["old", "old", "new", "new"], "processor_family": "Xeon", "processors": [2, 2, 4, 4],
        "clock_mhz": [2000, 2000, 3000, 3000], "throughput_per_s": [40.0, 60.0, 70.0, 130.0],
    }
)  # fmt: skip


def test_two_machines_and_two_loads_are_enough():
    """Throughput of a workload without a name: measured machines within 15 %, one between them between."""
    old, new = (capacity(OWN.drop(columns="throughput_per_s").iloc[k], "own", data=OWN) for k in (0, 2))
    assert (old.users, new.users) == (pytest.approx(60, rel=0.15), pytest.approx(130, rel=0.15))
    between = capacity({"processor_family": "Xeon", "processors": 3, "clock_mhz": 2500}, "own", data=OWN)
    assert old.users < between.users < new.users
    assert between.row["low"] < 60 * 1.5**0.65 * 1.25**0.8 < between.row["high"]
    assert "4 runs of yours on 2 machines; what processors, clock and cache do leans on the documents" in str(between)
    assert (
        "no document says what your workload takes of it"
        in between.tidy().set_index("resource").loc["memory", "reason"]
    )
    ratio = capacity_ratio(OWN.iloc[0, :4], OWN.iloc[2, :4], "own", data=OWN).iloc[0]
    assert ratio["low"] < 130 / 60 < ratio["high"]


def test_own_runs_move_the_answer_and_leave_the_documents_alone(tmp_path):
    """Three runs of Mail on one machine pull it to their users; asked without them the answer is the former."""
    mine = pd.DataFrame([MACHINE | {"workload": "Mail", "system": "Mine 1", "users": 2000.0}] * 3)
    path = tmp_path / "mine.csv"
    mine.to_csv(path, index=False)
    before = asked(system="Mine 1").users
    after = capacity(MACHINE | {"system": "Mine 1"}, "Mail", data=path)
    assert abs(np.log(after.users / 2000)) < 0.5 * abs(np.log(before / 2000))
    assert asked(system="Mine 1").users == before
    assert after.users == pytest.approx(capacity(MACHINE | {"system": "Mine 1"}, "Mail", data=mine).users)


@pytest.mark.parametrize("scatter", [0.02, 0.1])
def test_the_interval_is_as_wide_as_ones_own_tests_scatter(scatter):
    """Ten tests of one machine: about the interval of a new one by Student's t, which knows nothing else.

    The scatter of the documents' tests gave half of it where ones own was 10 %.
    """
    normal = np.random.default_rng(5).standard_normal(10)
    users = 1000 * np.exp(scatter * (normal - normal.mean()) / normal.std(ddof=1))
    runs = pd.DataFrame({"system": "box", "processors": 8, "users": users, "workload": "w"})
    row = capacity({"system": "box"}, "w", data=runs).glance().iloc[0]
    half = stats.t.ppf(0.975, 9) * scatter * np.sqrt(1 + 1 / 10)
    assert np.log(row["high"] / row["low"]) / 2 == pytest.approx(half, rel=0.35)
    assert row["users"] == pytest.approx(1000, rel=0.02)


def test_the_scatter_of_ones_own_tests_is_expected_as_that_of_public_curves():
    """The prior of capacity.toml: what public curves scatter by about a cubic of the logarithms, as Student's t."""
    points = tables.read_table(Path(__file__).parents[2] / "data" / "scaling_curves" / "points.csv")
    scatter = []
    for _, curve in points.groupby(["source", "curve"]):
        if curve["x"].nunique() >= 6:
            powers = np.vander(np.log(curve["x"]), 4)
            squares = np.linalg.lstsq(powers, np.log(curve["y"]))[1]
            scatter.append(np.sqrt(squares.sum() / (len(curve) - 4)))
    prior = our_toml_file("capacity.toml")["effects"]["own_error"]
    assert len(scatter) > 200
    assert prior["mean"] == pytest.approx(np.log(np.median(scatter) / stats.t.std(6)), abs=0.1)
    assert prior["sd"] == pytest.approx(np.log(scatter).std(), abs=0.1)


def test_runs_that_carried_less_are_told():
    """Half of what the machine carried in another run: a load below its limit, unless the table says otherwise."""
    runs = pd.DataFrame({"system": "box", "processors": 8, "users": [500, 980, 1000], "workload": "w"})
    found, otherwise = read_own_runs(runs), read_own_runs(runs.assign(limited_by="server"))
    assert found.frame["limited_by"].tolist() == ["load chosen", "", ""]
    [(workload, told)] = found.load_tests
    assert (workload, told.partition(":")[0]) == ("w", "1 run of a machine that carried more in another")
    assert otherwise.frame["limited_by"].tolist() == ["server"] * 3
    assert otherwise.load_tests == ()


def test_what_is_told_of_a_workload_under_another_printed_name():
    """Mail-Only is Mail: that a row of it counts once is told in an answer about Mail."""
    runs = pd.DataFrame({"system": ["A", "A", "B"], "processors": [1, 1, 2], "users": [900, 900, 1500]})
    told = capacity({"processors": 2}, "Mail", data=runs.assign(workload="Mail-Only")).headline()
    assert "1 row left out: the same in every cell as another row" in told


def test_a_load_test_in_a_folder_in_use_leaves_other_workloads_alone(tmp_path):
    """Each sample was once a capacity of an unnamed machine; now Mail is answered as without the folder."""
    source, before = tmp_path / "samples.csv", asked().glance()[["users", "low", "high"]]
    samples = {"time_s": range(60), "users": 16, "throughput_per_s": 100, "workload": ""}
    pd.DataFrame(samples).to_csv(source, index=False)
    tables.new(tmp_path / "nameless", [source], title="Runs", source="here", licence="CC0-1.0")
    with tables.using(tmp_path / "nameless"):
        after = asked().glance()[["users", "low", "high"]]
        assert "nameless" not in set(fitted_users_model().model.observations.rows["source"])
    assert after.to_numpy() == pytest.approx(before.to_numpy(), rel=0.005)


def test_wider_priors_widen_the_answer():
    """Twice the spread of all priors: a wider interval, the median inside the first one's."""
    found = prior_influence(MACHINE | {"processors": 4}, "DiscDB")
    width = np.log(found["high"] / found["low"])
    assert width.is_monotonic_increasing
    assert found["low"][1] < found["users"][2] < found["high"][1]


def test_a_lower_limit_pulls_upwards_only():
    """A run that its drivers ended above the forecast moves it up; one far below it moves it by less than 1 %."""
    machine = MACHINE | {"system": "Mine 1", "ram_mb": 4096, "drives": np.nan}
    before = capacity(machine, "Mail").users
    for users, moved in ((1.6 * before, True), (before / 4, False)):
        run = pd.DataFrame([machine | {"workload": "Mail", "users": users, "limited_by": "drivers"}])
        after = capacity(machine, "Mail", data=run).users
        assert after > 1.1 * before if moved else after == pytest.approx(before, rel=0.01)


def test_a_utilization_is_evidence_of_capacity():
    """1,200 users at 20 % of the CPU, of drivers' choice: a busy CPU carries about 6,000, within 25 %."""
    machine = {"system": "Mine 1", "processor_family": "Xeon", "processors": 2, "clock_mhz": 2000}
    run = machine | {"workload": "calendar", "users": 1200, "cpu_utilization_percent": 20.0}
    found = capacity(machine, "calendar", data=pd.DataFrame([run]))
    assert found.users == pytest.approx(6000, rel=0.25)
    assert found.row["recommended_users"] == pytest.approx(0.7 * 6000, rel=0.25)


def test_throughputs_are_no_users_of_a_workload_of_the_documents():
    """They would be read as 90 users beside 2,000; under another name they are a workload of one's own."""
    runs = pd.DataFrame({"processors": [1, 2], "throughput_per_s": [50, 90], "workload": "Mail"})
    for name in ("Mail", "Mail-Only"):  # its other printed name
        told = "expected users of Mail, a workload of the documents, found throughput_per_s"
        with pytest.raises(BadTable, match=told):
            capacity({"processors": 2}, "Mail", data=runs.assign(workload=name))
    assert capacity({"processors": 2}, "mine", data=runs.assign(workload="mine")).users == pytest.approx(90, rel=0.1)


def test_a_machine_by_the_name_that_a_plan_prints():
    """It is the machine of that printed name, in any spelling; each system on offer is found so."""
    for name, printed in (
        ("ProLiant 5000 1xP6/200-512", "Compaq ProLiant 5000 P6/200 Model 1-X"),
        ("proliant 800 1xp6/200-256, os/2", "Compaq ProLiant 800 P6/200 Model 4300"),
    ):
        machine = parts_of_machine(name, "Mail")
        assert machine["system"] == printed
    sold = planning.systems()
    for row in sold[["system", "workload", "processors", "ram_mb"]].itertuples():
        machine = parts_of_machine(row.system, row.workload)
        assert (machine["processors"], machine["ram_mb"]) == (row.processors, row.ram_mb)
    with pytest.raises(UnknownName, match="Did you mean ProLiant 5000 1xP6/200-512"):
        parts_of_machine("ProLiant 5000 1xP6/200-51", "Mail")


def test_what_no_run_of_ones_own_tells_of_memory_and_cpu_is_told():
    """Where no run shows that memory limits: 1 GB is 0.28 MB for each of 3,514 users; the runs had 2.3 MB."""
    runs = pd.DataFrame({"processors": [2, 4, 8], "ram_mb": 8192, "users": [1000, 1900, 3500]})
    told = (
        "Beside 50 MB of the server it has 0.28 MB for each user, any run of yours at least 2.3 MB: "
        "whether its memory is enough, no run tells."
    )
    headline = capacity({"processors": 8, "ram_mb": 1024}, "own", data=runs).headline()
    assert told in headline
    # 70 % of what is carried would be less than what is recommended.
    says = r"No run of yours tells its CPU: with the most that it carries it is taken to be 9\d % busy\."
    assert re.search(says, headline)
    assert "its memory is enough" not in capacity({"processors": 8, "ram_mb": 8192}, "own", data=runs).headline()


def test_equal_tests_of_ones_own_do_not_make_an_interval_of_nothing():
    """A new test differs by some percent all the same; it was less than 1 % of the users."""
    tests = pd.DataFrame({"processors": 4, "users": [1000] * 50, "day": range(50)})
    row = capacity({"processors": 4}, "own", data=tests).row
    assert 0.06 < np.log(row["high"] / row["low"]) < 0.12
    assert row["users"] == pytest.approx(1000, rel=0.01)


def test_columns_of_ones_own_that_are_not_used_are_told():
    """By their headings; not those of our vocabulary, nor one without a cell."""
    runs = pd.DataFrame(
        {"processors": [1, 2], "users": [50, 90], "run": ["a", "b"], "Tested by": "Kim", "empty": np.nan}
    )
    assert read_own_runs(runs).unused == ("Tested by",)
    many = capacity({"processors": 2}, "own", data=runs.assign(Limit=1.5, **{f"note {k}": "x" for k in range(9)}))
    assert "Of your table Tested by, Limit, note 0, note 1, note 2, note 3 and 5 more are not used." in str(many)
    assert read_own_runs(runs.drop(columns="Tested by")).unused == ()
    assert read_own_runs(runs.drop(columns="Tested by").assign(n=[1, 2])).unused == ("n",)


def test_a_data_folder_of_ones_own(tmp_path):
    """The runs of a folder join for that question alone; the folder is not left in use."""
    source = tmp_path / "runs.csv"
    mine = [MACHINE | {"workload": "calendar", "users": users, "processors": n} for n, users in ((1, 500), (2, 800))]
    pd.DataFrame(mine).drop(columns="drives").to_csv(source, index=False)
    tables.new(tmp_path / "mine", [source], title="Runs", source="here", licence="CC0-1.0")
    before = tables.in_use()
    found = capacity(MACHINE, "calendar", data=tmp_path / "mine")
    assert found.users == pytest.approx(800, rel=0.15)
    assert tables.in_use() == before
    assert "It stands on 2 runs of yours on 2 machines; what clock and cache do leans on the documents, wh" in str(
        found
    )


def test_two_sizes_of_ones_own_machines_are_what_was_measured():
    """Six tests weighed less than the documents' processors: 1.44 times the users, and 14 processors for 750."""
    tests = {"system": ["a"] * 3 + ["b"] * 3, "processors": [4] * 3 + [8] * 3, "limited_by": "server", "workload": "w"}
    runs = pd.DataFrame(tests | {"users": [400, 404, 396, 800, 790, 806]})
    ratio = capacity_ratio("a", {"system": "a", "processors": 8}, "w", data=runs).iloc[0]
    assert (ratio["users_baseline"], ratio["users_comparison"]) == pytest.approx((400, 799), rel=0.03)
    upgrades = cheapest_upgrades("a", "w", 750, data=runs).set_index("component")
    assert upgrades["needed"]["processors"] == 8
    rows = [capacity({"processors": n}, "w", data=runs).row for n in (4, 6, 8, 16)]
    assert [row["users"] for row in rows] == pytest.approx([400, 600, 799, 1451], rel=0.03)  # as `forecast` says
    assert [row["low"] < users < row["high"] for row, users in zip(rows, (400, 600, 799, 1451), strict=True)] == [
        True
    ] * 4
    assert rows[0]["high"] / rows[0]["low"] < 3


def test_a_table_of_loads_in_a_folder_in_use_is_read_as_from_its_file(tmp_path):
    """Seven loads of three machines, beyond the peak of each: every load was once a capacity of its machine.

    Their workload is not told, so they are of "own". The effects, which pages print, have their priors.
    """
    users, processors = pd.Series([1, 2, 4, 8, 16, 32, 64] * 3), pd.Series(np.repeat([4, 8, 16], 7))
    loads = {"system": "m" + processors.astype(str), "processors": processors, "ram_mb": 4096 * processors}
    loads |= {"users": users, "throughput_tps": 480 * np.minimum(users, processors)}
    pd.DataFrame(loads).to_csv(tmp_path / "loads.csv", index=False)
    tables.new(tmp_path / "own", [tmp_path / "loads.csv"], title="Runs", source="here", licence="CC0-1.0")
    alone = capacity({"processors": 12}, "own", data=tmp_path / "loads.csv")
    with tables.using(tmp_path / "own"):
        found = capacity({"processors": 12}, "own")
        assert (effects()["basis"] != "").all()
    for answer in (alone, found):
        assert "4 users are the peak of the loads in" in answer.headline()
    columns = ["users", "low", "high", "recommended_users", "nearest_users"]
    assert found.glance()[columns].to_numpy() == pytest.approx(alone.glance()[columns].to_numpy())


@pytest.mark.parametrize("response_s", [0.11, 0.2, 1.0])
def test_a_response_limits_as_in_joint_draws(response_s):
    """Median and ends are quantiles of 4,000 joint draws, whose own error is 3 %: an idle server may be as slow."""
    posterior = fitted_users_model()
    machine = {"processor_family": "Pentium Pro", "processors": 2, "clock_mhz": 200, "l2_kb": 512} | {
        "ram_mb": 1024, "drives": 6,
    }  # fmt: skip
    machines, _ = asked_machines_of(posterior.model, machine, "Mail")
    drawn = np.exp(capacity_draws(posterior, machines, response_s)[:, 0])
    found = capacity(machine, "Mail", response_s=response_s).glance().iloc[0]
    expected = np.quantile(drawn, [0.5, 0.025, 0.975])
    assert found[["users", "low", "high"]].tolist() == pytest.approx(expected.tolist(), rel=0.2, abs=20)
    assert (drawn >= found["users"]).mean() == pytest.approx(0.5, abs=0.03)
    assert found["high"] <= capacity(machine, "Mail").glance()["high"].item()


@pytest.mark.parametrize("ram_mb", [128, 300, 512])
def test_processors_and_memory_limit_together_as_in_joint_draws(ram_mb):
    """Where both run out at nearly the same load neither alone tells the median: 40 % of the draws carried it."""
    posterior = fitted_users_model()
    machine = {"processor_family": "Pentium Pro", "processors": 2, "clock_mhz": 200, "l2_kb": 512, "ram_mb": ram_mb}
    machines, _ = asked_machines_of(posterior.model, machine, "Mail")
    drawn = np.exp(capacity_draws(posterior, machines, None)[:, 0])
    found = capacity(machine, "Mail").glance().iloc[0]
    for end, share in (("users", 0.5), ("low", 0.025), ("high", 0.975)):
        standard_error = np.sqrt(share * (1 - share) / len(drawn))
        assert (drawn < found[end]).mean() == pytest.approx(share, abs=4 * standard_error), end


def _server_of_requests(users, processors=4, service_s=0.02, think_s=20.0):
    """Seconds of a response, and percent of the CPU, of users who think and of processors with one queue (M/M/c//N)."""
    inside = np.arange(1, users + 1)
    logs = np.cumsum(np.log((users - inside + 1) / think_s) - np.log(np.minimum(inside, processors) / service_s))
    chances = np.exp(np.array([0.0, *logs]) - logs.max())
    chances /= chances.sum()
    busy = chances @ np.minimum(np.arange(users + 1), processors)
    return users * service_s / busy - think_s, 100 * busy / processors


def _ladder(loads, processors=4):
    """A table of such loads as a monitoring prints them."""
    told = np.array([_server_of_requests(users, processors) for users in loads])
    rows = {"users": loads, "response_s": told[:, 0].round(4), "cpu_utilization_percent": told[:, 1].round(1)}
    return pd.DataFrame(rows).assign(processors=processors, clock_mhz=2400)


def test_loads_with_a_full_cpu_are_no_capacities():
    """Without a throughput: some 4,000 users fill the CPU, 2,804 take 70 % of it; 8,000 and 12,000 only wait longer."""
    machine, loads = {"processors": 4, "clock_mhz": 2400}, _ladder([2000, 3200, 4200, 8000, 12_000])
    found = capacity(machine, "web", data=loads)
    assert found.users == pytest.approx(4004, rel=0.05)
    assert found.row["recommended_users"] == pytest.approx(2804, rel=0.05)
    assert "4,200 users are the fewest with a full CPU of the loads in row 1 to row 5" in found.headline()
    in_proportion = capacity(machine, "web", data=_ladder([1000, 2000, 3000, 5200]).drop(columns="response_s"))
    assert in_proportion.row["recommended_users"] == pytest.approx(2804, rel=0.02)
    assert "4,005 users fill the CPU, in proportion to the busiest load that does not" in in_proportion.headline()
    for busy, told in ((99, "200 users are the fewest with a full CPU"), (98.9, "202.2 users fill the CPU")):
        loads = pd.DataFrame({"processors": 4, "users": [100, 200, 400], "cpu_utilization_percent": [50, busy, 100]})
        assert told in read_own_runs(loads).load_tests[0][1]
    tests = loads.iloc[[2, 2, 2]].assign(users=[3400, 4200, 5200])  # one machine tested three times: all count
    assert read_own_runs(tests).frame["users"].tolist() == [3400, 4200, 5200]


@pytest.mark.parametrize(
    "failures",
    [{"failed_share": [0, 0, 0, 0.42]}, {"requests": [9000] * 4, "failures": [0, 0, 80, 3780]},
     {"throughput_per_s": [10, 20, 40, 75], "failures_per_s": [0, 0, 0.1, 31]}],
)  # fmt: skip
def test_loads_that_failed_are_no_capacities(failures):
    """What fails is quick: with 42 % of failures at 800 users the rest are answered within 0.03 s."""
    loads = {"processors": 4, "users": [100, 200, 400, 800], "response_s": [0.05, 0.06, 0.12, 0.03]}
    found = read_own_runs(pd.DataFrame(loads | failures))
    assert found.frame[["users", "limited_by"]].to_numpy().tolist()[-1] == [400, "server"]
    said = "at 800 users more than 1 % of the requests failed: 400 are the most that passed"
    assert ("own", said) in found.load_tests
    again = pd.DataFrame(loads | failures).iloc[[0, 1, 2, 3, 3]].reset_index(drop=True)
    again.loc[4, list(failures)[-1]] = 0  # the load of which one run failed
    assert read_own_runs(again).frame["users"].tolist() == [100, 200, 400]


@pytest.mark.parametrize(("part", "word"), [("ram_mb", "memory"), ("drives", "drives")])
def test_runs_that_memory_or_drives_limit_are_refused(part, word):
    """Without a law of memory 256 MB were told three times their users; with more of all else it may be that."""
    columns = {"processors": [4, 4, 8], "clock_mhz": 2400, "users": [1000, 4000, 4200], "workload": "orders"}
    runs = pd.DataFrame(columns | {part: [2, 8, 8], "system": ["a", "b", "c"]})
    runs[part] *= 1024 if part == "ram_mb" else 1
    with pytest.raises(CannotFit, match=f"more with more {word} and no more of all else.*column {part} out"):
        capacity({"processors": 4}, "orders", data=runs)
    for other in (runs.drop(columns=part), runs.assign(processors=[2, 8, 8]), runs.assign(users=[3900, 4000, 4200])):
        assert capacity({"processors": 4}, "orders", data=other).users > 0


def test_a_response_of_ones_own_workload_is_asked_of_its_curve():
    """And that of a workload of the documents of which one's own runs tell the response."""
    runs = pd.DataFrame({"processors": [2, 4], "users": [900, 1650], "response_s": [0.2, 0.3]})
    for workload, data in (("orders", runs.drop(columns="response_s")), ("Mail", runs)):
        for ask in (capacity, functools.partial(capacity_ratio, {"processors": 2})):
            with pytest.raises(CannotFit, match=f"0.5 s of {workload}.*node_count"):
                ask({"processors": 4}, workload, response_s=0.5, data=data)
    assert capacity({"processors": 4}, "Mail", response_s=0.5, data=runs.drop(columns="response_s")).users > 0


def test_users_beyond_the_peak_of_the_throughput_are_no_capacity():
    """A table of a load a row: 1,600 users get less done than 800, who are what the machine carries."""
    loads = {"users": [100, 200, 400, 800, 1600], "throughput_per_s": [50, 99, 195, 300, 290]}
    runs = pd.DataFrame(loads).assign(system="Web 1", processors=4, clock_mhz=2000, ram_mb=8192, workload="shop")
    found = read_own_runs(runs)
    assert found.frame["users"].max() == 800
    assert ("shop", "800 users are the peak of the loads in row 1 to row 5") in found.load_tests
    assert read_own_runs(runs.assign(throughput_per_s=[50, 99, 195, 380, 700])).frame["users"].max() == 1600


def test_a_system_of_a_file_is_found_by_its_whole_name(tmp_path):
    """Two disks of one node are two machines, and a name of the file is a machine of the question."""
    runs = pd.DataFrame({"system": ["Node 2 SSD", "Node 2 HDD"], "users": [2150, 1150]})
    path = tmp_path / "own.csv"
    runs.assign(processors=1, clock_mhz=200, ram_mb=4096, drives=4, workload="Mail").to_csv(path, index=False)
    for name, users in (("Node 2 SSD", "2,150"), ("Node 2 HDD", "1,150")):
        assert f"This machine was tested: {users} users" in capacity(name, "Mail", data=path).headline()


def test_a_release_in_a_file_is_a_text(tmp_path):
    """5.0 is the documents' release, which 5 is not: the file and its data folder give the same runs."""
    path = tmp_path / "own.csv"
    path.write_text("system,processors,domino_release,workload,users\nBig 1,1,5.0,Mail,2000\nBig 1,4,5.0,Mail,3500\n")
    tables.new(tmp_path / "mine", from_=path)
    for data in (path, tmp_path / "mine"):
        runs = read_own_runs(data).frame[["processors", "domino_release", "users"]]
        assert runs.to_numpy().tolist() == [[1, "5.0", 2000], [4, "5.0", 3500]]


def test_processors_of_ones_own_machines_do_what_a_forecast_of_their_curve_says():
    """Of public curves over threads the last point, from the others as machines of their own.

    Forecasts were learnt from none of these. The root mean square of ln(told / measured) is 0.5 where processors are a
    power.
    """
    points = pd.read_csv(tables.home() / "scaling_curves" / "points.csv")
    points = points[points["source"].isin(["concmap", "meltdown"]) & (points["x"] <= 48)]
    misses = []
    for _, curve in list(points.sort_values("x").groupby("curve"))[::7]:
        rest, at = own_machines(curve["x"][:-1], curve["y"][:-1]), float(curve["x"].iloc[-1])
        row = capacity({"processors": at, "clock_mhz": 3000}, "w", data=rest).glance().iloc[0]
        expected = forecast(rest, at, x="processors", y="throughput_per_s").tidy()["predicted"].item()
        assert row["users"] == pytest.approx(expected, rel=0.03)  # the level is that of all points
        assert row["low"] < curve["y"].iloc[-1] < row["high"]
        misses.append(np.log(row["users"] / curve["y"].iloc[-1]))
    assert len(misses) >= 4
    assert np.sqrt(np.mean(np.square(misses))) < 0.25


def test_machines_of_ones_own_that_were_not_driven_to_their_limit_are_points_of_their_curve():
    """Of 16 processors the CPU was 71 % busy at 18,400: it carries more, and is known as well as that run tells.

    The curve of 1 to 4 processors alone gave 1,642 to 62,072 users, less than 16 processors carried.
    """
    runs = pd.DataFrame({"processors": [1, 2, 4, 8, 16], "users": [2250, 4400, 8300, 13900, 18400], "workload": "w"})
    runs["cpu_utilization_percent"] = [93, 92, 88, 81, 71]
    answers = [capacity({"processors": n}, "w", data=runs) for n in (8, 12, 16)]
    assert "tells its CPU" not in answers[0].headline()
    asked = [answer.glance().iloc[0] for answer in answers]
    for row, busy in zip(asked[::2], (13900 / 0.81, 18400 / 0.71), strict=True):
        assert row["users"] == pytest.approx(0.93 * busy, rel=0.02)  # the CPU is 93 % busy at the limits of 1 to 4
        assert row["low"] > 0.7 * row["users"]
        assert row["high"] < 1.4 * row["users"]
    of_busy = runs.assign(users=runs["users"] / runs["cpu_utilization_percent"])
    between = forecast(of_busy, 12, x="processors", y="users").tidy()["predicted"].item() * 93
    assert asked[1]["users"] == pytest.approx(between, rel=0.02)
    assert asked[1]["low"] > 0.5 * between


def test_what_processors_off_the_curve_carried_counts():
    """The drivers ended a test of 16 processors at 12,000 users, of a curve that reaches to 8.

    The answer was 3,324 to 21,431, though that machine is asked for.
    """
    runs = pd.DataFrame({"processors": [1, 2, 4, 8, 16], "users": [1000, 1900, 3500, 6000, 12000], "workload": "w"})
    runs["limited_by"] = ["", "", "", "", "drivers"]
    row = capacity({"processors": 16}, "w", data=runs).glance().iloc[0]
    assert row["users"] > 12000
    assert row["low"] > 8000
    further = capacity({"processors": 17}, "w", data=runs).glance().iloc[0]
    assert further["low"] < 0.5 * row["low"]  # of it nothing is measured


@pytest.mark.parametrize("carried", [15000, 33000])
def test_what_processors_off_the_curve_carried_adds_no_doubt_above(carried):
    """A forecast doubts less above than below; of 8 processors that carried 33,000, 170,094 were taken to be likely."""
    runs = pd.DataFrame({"processors": [1, 2, 4, 8], "users": [6000, 11500, 20900, carried], "workload": "w"})
    runs["limited_by"] = ["", "", "", "load chosen"]
    tested = capacity({"processors": 8}, "w", data=runs).glance().iloc[0]
    untested = capacity({"processors": 8}, "w", data=runs[:3]).glance().iloc[0]
    assert 0.85 * carried < tested["low"] < tested["users"]
    assert tested["high"] < 1.2 * untested["high"]


def test_a_ratio_of_ones_own_machines_follows_their_curve():
    """Processors that were measured to carry less do so, though more are asked for."""
    small, large = ({"processors": n, "clock_mhz": 3000, "l2_kb": 1024} for n in (4, 16))
    falling = own_machines([1, 2, 4, 8, 16], [100, 180, 260, 250, 190])
    ratio = capacity_ratio(small, large, "w", data=falling).iloc[0]
    assert ratio["low"] < ratio["ratio"] < ratio["high"] < 1.1
    assert ratio["ratio"] == pytest.approx(190 / 260, rel=0.03)
    more = cheapest_upgrades(small, "w", 300, data=falling).set_index("component")
    users, processors = re.search(r"runs out at ([\d,]+) users, even with (\d+)", more["reason"]["processors"]).groups()
    assert 255 < int(users) < 275
    assert 4 <= int(processors) <= 6  # at the peak, though up to 48 were tried
    beyond, rising = small | {"processors": 32}, own_machines([1, 2, 4, 8, 16], [100, 190, 350, 600, 900])
    ratio = capacity_ratio(small, beyond, "w", data=rising).iloc[0]
    row, users = capacity(beyond, "w", data=rising).row, capacity(small, "w", data=rising).users  # 4 are known well
    expected = [row[name] / users for name in ("users", "low", "high")]
    assert ratio[["ratio", "low", "high"]].tolist() == pytest.approx(expected, rel=0.25)


def test_what_keeps_processors_of_ones_own_a_power():
    """Another part of a machine would be taken for the processors' doing; hardly another clock would not."""
    curve = own_machines([1, 2, 4, 8], [100, 190, 340, 520])
    nearly = curve.assign(clock_mhz=[3000, 3000, 3000, 3200])
    for runs in (curve, curve[:2], nearly):
        assert all_observations(read_own_runs(runs)).own_curves
    assert "leans on the documents" not in capacity({"processors": 4}, "w", data=curve[:3]).headline()
    parts = {"clock_mhz": (3000, 3500), "l2_kb": (1024, 2048), "processor_family": ("Xeon", "486")}
    parts |= {"operating_system": ("AIX", "z/OS"), "domino_release": ("5.0", "6.0")}
    of_two = [curve.assign(**{name: [usual, usual, usual, other]}) for name, (usual, other) in parts.items()]
    for runs in (curve[:1], nearly.assign(clock_mhz=[3000, 3000, 3000, None]), *of_two):
        assert not all_observations(read_own_runs(runs)).own_curves


def test_repeated_tests_of_machines_that_differ_widen_a_forecast_of_them():
    """Two machines of each number of processors, a factor of two apart, tell less than four that agree."""
    agree = pd.concat([own_machines([1, 2, 4], rates) for rates in ([100, 190, 350], [101, 191, 351])])
    apart = pd.concat([own_machines([1, 2, 4], rates) for rates in ([70, 270, 250], [141, 135, 501])])
    apart["system"] = [f"machine {n}" for n in range(6)]
    rows = [capacity({"processors": 8}, "w", data=runs).glance().iloc[0] for runs in (agree, apart)]
    assert rows[1]["high"] / rows[1]["low"] > 1.5 * rows[0]["high"] / rows[0]["low"]


def test_machines_of_ones_own_differ_by_as_much_as_their_loads_show():
    """Loads in proportion to processors, but for a factor that no column tells."""
    rng, asked, count = np.random.default_rng(3), {"processors": 6}, 40
    processors = rng.choice([1.0, 2, 4, 8], count)
    widths = []
    for ln_sd in (0.0, 0.6):
        loads = 100 * processors * np.exp(ln_sd * rng.standard_normal(count))
        machines = pd.DataFrame({"system": [f"m{n}" for n in range(count)], "processors": processors, "users": loads})
        row = capacity(asked, "w", data=machines.assign(workload="w")).glance().iloc[0]
        assert row["low"] < 600 < row["high"]
        widths.append(row["high"] / row["low"])
    assert widths[0] < 3.5 < 8 < widths[1]


def test_the_documents_machines_as_ones_own_of_which_little_is_told():
    """Systems are left out, and asked of the others: Mail on machines whose family and software nobody tells."""
    rows = fitted_users_model().model.observations.rows.query("workload == 'Mail' and observation == 'capacity'")
    runs = rows[["system", "processors", "clock_mhz", "users"]].drop_duplicates().assign(workload="w")
    runs["system"] = "my " + runs["system"]
    holds = []
    for system, left_out in list(runs.groupby("system"))[::3]:
        asked = left_out[["processors", "clock_mhz"]].iloc[0].dropna().to_dict()
        row = capacity(asked, "w", data=runs[runs["system"] != system]).glance().iloc[0]
        holds.append(row["low"] < left_out["users"].iloc[0] < row["high"])
    assert len(holds) >= 4
    assert sum(holds) >= len(holds) - 1


def test_what_no_run_of_ones_own_tells_changes_nothing():
    """A clock of 3 GHz beside runs whose clock is unknown: nothing says that those were slower."""
    runs = pd.DataFrame({"processors": [1, 2, 4, 8], "users": [1000, 2000, 4000, 8000], "workload": "w"})
    asked = {"processors": 6}
    untold, told = (capacity(asked | more, "w", data=runs) for more in ({}, {"clock_mhz": 3000}))
    assert told.users == untold.users == pytest.approx(6000, rel=0.2)
    assert "What you say of clock changes nothing, for want of a comparison." in told.headline()
    assert "changes nothing" not in untold.headline()
    faster = capacity(asked | {"clock_mhz": 3000}, "w", data=runs.assign(clock_mhz=[1500, 1500, 1500, 3000]))
    assert "changes nothing" not in faster.headline()


def own_machines(processors, rates):
    """Runs on machines that differ in their processors alone, a name for each."""
    columns = {"workload": "w", "clock_mhz": 3000, "l2_kb": 1024, "throughput_per_s": [*map(float, rates)]}
    return pd.DataFrame({"system": [f"i{n:g}" for n in processors], "processors": [*map(float, processors)]} | columns)


def test_headings_of_texts_in_other_words(tmp_path):
    """Server, OS and Workload are read as any other heading; a number under one may have lost its last zero: asked."""
    rows = {"Cores": [2, 4, 8], "Clock GHz": [2.4] * 3, "RAM GB": [8] * 3, "Users": [1500, 2800, 5000]}
    texts = {"system": ["A", "B", "C"], "operating_system": ["Linux"] * 3, "workload": ["Shop"] * 3}
    ours = capacity("B", "Shop", data=pd.DataFrame(rows | texts))
    theirs = dict(zip(("Server", "OS", "Workload"), texts.values(), strict=True))
    assert capacity("B", "Shop", data=pd.DataFrame(rows | theirs)).glance().equals(ours.glance())
    asked = pd.DataFrame(rows | {"Workload": [1.0, 1.0, 1.0]})
    with pytest.raises(UnknownName, match="Did you mean workload"):
        capacity({"processors": 4}, "own", data=asked)


def test_runs_without_a_workload_are_of_the_one_asked_for(tmp_path):
    """In any spelling of it; told, and equal to what a column would say. A folder is as its file."""
    box = {"processors": 2, "clock_mhz": 200, "l2_kb": 512, "ram_mb": 768}
    runs, machine = pd.DataFrame([{"system": "box", **box, "users": 1500}]), {"system": "box", **box}
    found, expected = (capacity(machine, "mail", data=data) for data in (runs, runs.assign(workload="Mail")))
    assert found.tidy().equals(expected.tidy())
    told = "No column workload says what your runs ran: they count as Mail, as asked."
    assert [told in answer.headline() for answer in (found, expected)] == [True, False]
    misspelt = capacity(machine, "Mial", data=runs)
    assert misspelt.users == pytest.approx(1500, rel=0.05)
    assert "they count as Mial, as asked." in misspelt.headline()
    assert "they count as" not in capacity(machine, "own", data=runs).headline()
    runs.to_csv(tmp_path / "runs.csv", index=False)
    tables.new(tmp_path / "mine", [tmp_path / "runs.csv"], title="Runs", source="here", licence="CC0-1.0")
    assert capacity(machine, "Mial", data=tmp_path / "mine").users == pytest.approx(misspelt.users)


def test_quantiles_of_one_limit_are_those_that_are_sought():
    """Beside another limit that never binds they are sought; of what sets no limit or lets nobody in, too."""
    rng, count, shares = np.random.default_rng(0), 50, [0.5, 0.025, 0.975]
    centre = np.r_[np.inf, -np.inf, np.nan, rng.normal(7, 1, count - 3)]
    one = Limit(centre, rng.uniform(0.05, 0.5, (2, count)), rng.uniform(4.2, 60, (2, count)), (1.0,))
    free = Limit(np.full(count, np.inf), 1.0, 5.0)
    sought = quantiles_of_least([one, free], [], shares)
    assert quantiles_of_least([one], [], shares) == pytest.approx(sought, rel=1e-12)


def test_a_system_has_what_all_its_runs_have():
    """Its memory differs between its runs with two processors, and is the same in those with four."""
    rows = [(2, 256, 1500), (2, 512, 1500), (4, 512, 2000)]
    runs = pd.DataFrame(rows, columns=["processors", "ram_mb", "users"]).assign(system="box", clock_mhz=200)
    model = UsersModel.from_observations(all_observations(read_own_runs(runs, "orders")))
    machines, _ = asked_machines_of(model, pd.DataFrame({"system": "box", "processors": [2, 4]}), "orders")
    assert machines["clock_mhz"].tolist() == [200, 200]
    assert machines["ram_mb"].tolist() == pytest.approx([np.nan, 512], nan_ok=True)


def _own_machines(clock_mhz, users, **columns):
    machines = {"system": [f"m{k}" for k in range(len(users))], "processors": 8, "clock_mhz": clock_mhz}
    return pd.DataFrame(machines | {"users": users, "workload": "w"} | columns)


def test_many_runs_of_ones_own_outweigh_what_the_documents_say_of_the_clock():
    """Twenty machines at two clocks, which carry the same: the ratio was 1.28, with a probability of 0.96."""
    users = 1000 * np.exp(np.random.default_rng(4).normal(0, 0.02, 20))
    runs = _own_machines([2400, 3600] * 10, users)
    slow, fast = ({"processors": 8, "clock_mhz": clock} for clock in (2400, 3600))
    row = capacity_ratio(slow, fast, "w", data=runs).iloc[0]
    assert row["low"] <= 1 <= row["high"] < 1.15
    assert row["ratio"] == pytest.approx(1, abs=0.05)
    assert capacity(slow, "w", data=runs).users == pytest.approx(1000, rel=0.02)


def test_another_machine_of_forty_that_are_alike_is_like_them():
    """They scatter by 2 %; the interval was 1,267 to 3,183."""
    users = 2000 * np.exp(np.random.default_rng(6).normal(0, 0.02, 40))
    row = capacity({"processors": 8}, "w", data=_own_machines([np.nan] * 40, users)).glance().iloc[0]
    assert 1800 < row["low"] < 1920
    assert 2080 < row["high"] < 2200


def test_machines_of_ones_own_that_differ_leave_another_as_wide():
    """A scatter of 40 % between machines that say the same of themselves is not taken for that of a test."""
    users = 2000 * np.exp(np.random.default_rng(6).normal(0, 0.4, 12))
    row = capacity({"processors": 8}, "w", data=_own_machines([np.nan] * 12, users)).glance().iloc[0]
    assert row["low"] < 2000 * np.exp(-0.8)
    assert row["high"] > 2000 * np.exp(0.6)


def test_of_loads_that_tell_their_cpu_the_light_ones_do_not_count():
    """A CPU that is 10 % busy in idle and 5 % more for each 100 users is full at 1,800; 1,402 was told."""
    users = np.array([50, 100, 200, 400, 1400])
    runs = _own_machines(2400, users, cpu_utilization_percent=10 + 0.05 * users, limited_by="load chosen")
    found = capacity({"processors": 8, "clock_mhz": 2400}, "w", data=runs.assign(system="m"))
    assert found.users == pytest.approx(1800 * 0.93, rel=0.03)  # as the documents' tests end, at 93 % busy
    said = "4 runs left out, with half of the CPU free, of a machine that tells its CPU at a higher load too"
    assert said in found.headline()


def test_a_share_of_a_processor_is_asked_of_ones_own_runs_alone():
    """A container may have half of one; no server of the documents has."""
    runs = pd.DataFrame({"processors": [0.5, 1, 2, 4], "users": [100, 205, 390, 700], "workload": "pod"})
    assert capacity({"processors": 1.5}, "pod", data=runs).users == pytest.approx(301, rel=0.05)
    with pytest.raises(BadTable, match=r"expected a whole number, found 1\.5"):
        capacity({"processors": 1.5}, "Mail", data=runs)


def test_a_throughput_without_users_whose_requests_failed_is_no_capacity():
    """70 per second, half of which failed, of a machine that passed 40."""
    runs = pd.DataFrame({"system": ["a", "a"], "processors": 4, "throughput_per_s": [40, 70], "failed_share": [0, 0.5]})
    found = capacity("a", "w", data=runs)
    assert found.users == pytest.approx(40, rel=0.02)
    assert "1 row left out: more than 1 % of the requests failed" in found.headline()


def test_a_limit_that_is_not_the_cpu_is_the_limit():
    """A pool of connections ends a test at 500 users with 25 % of the CPU busy; 1,824 were told, by users / CPU."""
    runs = pd.DataFrame({"system": ["a", "b"], "processors": [8, 16], "users": [500, 980], "workload": "w"})
    runs = runs.assign(cpu_utilization_percent=[25, 24], limited_by="server")
    found = capacity("a", "w", data=runs)
    assert found.users == pytest.approx(500, rel=0.02)
    assert "2 runs that the server limited with half of the CPU free" in found.headline()


def test_the_first_load_at_the_peak_is_the_capacity_and_a_rise_in_proportion_none():
    """From 42 users on the throughput is 420: the 160 that somebody chose were told, and 40 of 40 without a limit."""
    loads = pd.DataFrame({"system": "a", "processors": 4, "users": [10, 20, 40, 80, 160], "workload": "w"})
    loads = loads.assign(throughput_per_s=[100, 200, 400, 420, 421], response_s=[0.1, 0.1, 0.1, 0.19, 0.38])
    assert capacity("a", "w", data=loads).users == pytest.approx(40, rel=0.02)
    with pytest.raises(CannotFit, match="the throughput still rises in proportion at 40 users: a load below the limit"):
        capacity("a", "w", data=loads[:3])
    again = loads[2:3].loc[[2, 2, 2]].assign(users=[39, 40, 41], throughput_per_s=[390, 400, 410])
    assert capacity("a", "w", data=again).users == pytest.approx(40, rel=0.02)  # tests of one load
    limited = loads[:3].assign(limited_by=["", "", "server"])
    assert capacity("a", "w", data=limited).users == pytest.approx(40, rel=0.02)


def _loads_of_one_machine(**columns):
    return read_own_runs(pd.DataFrame({"system": "a", "processors": 4, "workload": "w"} | columns)).frame


def test_where_loads_of_ones_own_begin_to_count():
    """Each limit from both sides: 5 % below the peak, 10 % below proportion, half of the CPU, 20 % apart."""
    users = [10, 20, 40, 80, 160]
    below = _loads_of_one_machine(users=users, throughput_per_s=[100, 200, 370, 400, 401])
    assert below["users"].max() == 80  # 370 is 8 % below the peak
    assert _loads_of_one_machine(users=users, throughput_per_s=[100, 200, 385, 400, 401])["users"].max() == 40
    bent = _loads_of_one_machine(users=users[:3], throughput_per_s=[100, 200, 330])
    assert bent["limited_by"].iloc[-1] == ""
    straight = _loads_of_one_machine(users=users[:3], throughput_per_s=[100, 200, 370])
    assert straight["limited_by"].iloc[-1] == "load chosen"
    for busy, count in ((47, 1), (55, 2)):
        loads = _loads_of_one_machine(users=[500, 900], cpu_utilization_percent=[busy, 90])
        assert len(loads) == count
        server = _loads_of_one_machine(users=[500], cpu_utilization_percent=[busy], limited_by="server")
        assert server["cpu_utilization_percent"].notna().tolist() == [busy > 50]
    assert len(_loads_of_one_machine(users=[500, 590], cpu_utilization_percent=[40, 41])) == 2  # tests of one load
