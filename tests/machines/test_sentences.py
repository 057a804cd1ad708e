"""What is said of a capacity, an upgrade and a model, word for word; its numbers are those of the tables beside it."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from dominoperf import capacity, capacity_ratio, cheapest_upgrades, factor_model
from dominoperf.errors import BadTable, CannotFit, DominoperfError, UnknownName, at_shell
from dominoperf.machines import (
    added_demand,
    censored,
    demand,
    fitted_users_model,
    paired_ratios,
    proportionality,
    task_demand,
)
from dominoperf.machines.asked_machines import asked_machines_of, parts_of_machine
from dominoperf.machines.capacity_answer import prior_influence
from dominoperf.machines.observations import runs_of_data_folders
from dominoperf.machines.regression import NO_RANKING
from dominoperf.machines.resources import capacity_draws
from dominoperf.tables.carried_errata import attach_errata, errata_of
from dominoperf.tables.folders import our_toml_file, stamp_of_data_folders
from dominoperf.tables.rendering import number

MACHINE = {
    "processor_family": "Pentium Pro", "processors": 2, "clock_mhz": 200, "l2_kb": 512, "ram_mb": 512, "drives": 9,
    "operating_system": "Windows NT", "domino_release": "4.51",
}  # fmt: skip
FAR = MACHINE | {"processor_family": "Pentum Pro", "operating_system": "BeOS", "clock_mhz": np.nan}
UNMEASURED = [
    "no run has processor_family 'Pentum Pro' (near: Pentium Pro, Pentium, Pentium II)",
    "no run has operating_system 'BeOS' (near: z/OS)",
]
CONFIGURATIONS = (
    "Of 2 configurations of Compaq ProSignia 200, this is the first that ran Mail: ram_mb 128. Others have ram_mb 256:"
    " to ask for one, describe the machine in a dict"
)


@pytest.mark.parametrize(
    ("machine", "workload", "options", "first", "advice", "nearest", "notes"),
    [
        (MACHINE, "Mail", {}, "processor", "", "Nearest measured machine: ProLiant 5000: 2,850", []),
        (
            MACHINE, "Mail", {"response_s": 0.5, "utilization": 0.9, "level": 0.8},
            "response", " (limited by response)", "Nearest measured machine: ProLiant 5000: 2,850", [],
        ),
        (
            MACHINE | {"drives": 2, "drive_gb": 2.1}, "Mail", {},
            "disk space, by a rule rather than a test (good to a factor of 2.2 either way)",
            " (limited by disk space)", "Nearest measured machine: ProLiant 5000: 2,850", [],
        ),
        (
            MACHINE | {"processors": 4, "ram_mb": 1024, "drives": 4}, "Mail", {},
            "spindles, by a rule rather than a test (good to a factor of 2.7 either way)",
            " (limited by the document's advice on disk space; the disks may hold 6,618)",
            "Nearest measured machine: ProLiant 5000: 3,400", [],
        ),
        (
            "Compaq ProSignia 200", "Mail", {}, "memory", " (limited by memory)", "This machine was tested: 600",
            [f"{CONFIGURATIONS}."],
        ),
        (
            {"processors": 16, "drives": 50}, "Mail", {},
            "processor", "", "Nearest measured machine: ProLiant 7000: 5,150",
            [
                "Beyond what was measured: processors, drives.",
                "Wide for what is not known of the machine: clock_mhz, l2_kb.",
            ],
        ),
        (
            FAR, "R6Mail", {}, "processor", "", "Nearest measured machine: Netfinity 8500Rs: 10,000",
            [f"Wide, for {', and '.join(UNMEASURED)}.", "Wide also for what is not known of the machine: clock_mhz."],
        ),
    ],
)  # fmt: skip
def test_the_answer_in_words(machine, workload, options, first, advice, nearest, notes):
    """Every sentence; users with three digits, the others as they are."""
    found = capacity(machine, workload, **options)
    row = found.row
    users, low, high, advised = (number(row[name], 3) for name in ("users", "low", "high", "recommended_users"))
    level, busy = 100 * options.get("level", 0.95), 100 * options.get("utilization", 0.7)
    assert found.headline() == " ".join(
        [
            f"{users} {workload} users ({level:g} % interval {low} to {high}, of a new test).",
            f"First to run out: {first}.",
            f"Recommended, with the CPU at most {busy:g} % busy: {advised} users{advice}.",
            f"{nearest} users.",
            *notes,
        ]
    )


def test_the_reasons_of_an_answer():
    """Levels, parts and notes, each once; which row is of which basis, with how many runs of the workload."""
    rows = fitted_users_model().model.observations.rows
    assert capacity(FAR, "R6Mail").glance()["reason"].item() == "; ".join(
        [*UNMEASURED, "not known of the machine: clock_mhz"]
    )
    assert capacity("Compaq ProSignia 200", "Mail").glance()["reason"].item() == CONFIGURATIONS
    far = capacity(FAR | {"processors": 16}, "R6Mail").tidy().set_index("resource")
    assert far.loc["processor", ["basis", "beyond_measured"]].tolist() == ["modelled", "processors"]
    assert far.loc["processor", "reason"] == "; ".join(UNMEASURED)
    assert far.loc["processor", "runs"] == rows["run"][rows["workload"] == "R6Mail"].nunique()
    unknown = "no document says what R6Mail takes of it"
    assert far["reason"].tolist()[1:] == [unknown] * 3 + ["no response_s was asked for"]


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
    assert tidy.loc["response", "reason"] == rules["response"]["source"]
    for name, end in (("low", "low"), ("high", "high"), ("recommended_users", "recommended")):
        assert tidy[name].tolist() == [found.row[f"{each}_{end}"] for each in tidy.index]


def test_what_is_not_known_of_a_machine_or_was_measured():
    """Memory and drives that are not told; a machine that was tested."""
    bare = capacity({"processors": 1}, "Mail").tidy().set_index("resource")["reason"]
    assert bare[["memory", "disk_space"]].tolist() == ["ram_mb is not known", "drives is not known"]
    assert capacity("PC Server 330", "Mail").tidy()["basis"].tolist()[:2] == ["measured"] * 2


def test_a_system_of_the_data_by_name():
    """With or without its vendor, in any letters; what it ran first, and what other configurations have."""
    assert parts_of_machine("Compaq ProSignia 200", "Mail")["configuration"] == CONFIGURATIONS
    short = parts_of_machine("prosignia 200", "")
    assert short["system"] == "Compaq ProSignia 200"
    assert short["configuration"] == CONFIGURATIONS.replace("Compaq ProSignia 200", "prosignia 200").replace(
        " that ran Mail", ""
    )
    assert parts_of_machine("Compaq ProSignia 200", "none")["configuration"] == CONFIGURATIONS.replace(
        " that ran Mail", ""
    )
    assert parts_of_machine("ProLiant 5000", "MAIL")["configuration"] == (
        "Of 3 configurations of ProLiant 5000, this is the first that ran MAIL: processors 1, ram_mb 512,"
        " domino_release 4.5. Others have processors 2 or 3; ram_mb 768 or 1024; domino_release 4.51: to ask for one,"
        " describe the machine in a dict"
    )
    alone = parts_of_machine("PC Server 330", "Mail")
    assert (alone["processors"], alone["ram_mb"], "configuration" in alone) == (2, 512, False)
    with pytest.raises(UnknownName) as caught:
        parts_of_machine("ProSignia 500", "Mail")
    assert str(caught.value) == (
        "system: expected a known name, found 'ProSignia 500'. Did you mean Compaq ProSignia 200? Or give a dict:"
        " processors, clock_mhz, l2_kb, ram_mb, ...."
    )
    with pytest.raises(UnknownName, match=r"a file has to be there\.$"):
        parts_of_machine("machine.csv", "Mail")
    with pytest.raises(BadTable, match=r"^capacity\(machine=\.\.\.\): expected a machine, found int\. Give a dict"):
        parts_of_machine(3, "Mail")


@pytest.mark.parametrize(
    ("machine", "told"),
    [
        (MACHINE | {"ram_mb": 50}, "ram_mb 50 is no more than the 50 MB that the server needs without users. Mend"),
        (MACHINE | {"drives": 113}, "drives 113 is too far from the 1 to 28 that were measured. Mend the number,"),
    ],
)  # fmt: skip
def test_a_machine_beyond_reach_in_words(machine, told):
    """Of one machine an error, of the priors too; in a frame a reason."""
    for ask in (capacity, prior_influence):
        with pytest.raises(CannotFit) as caught:
            ask(machine, "Mail")
        assert told in str(caught.value)
        assert caught.value.where == "capacity(machine=...)"
    row = capacity(pd.DataFrame([machine]), "Mail").iloc[0]
    assert (row["binds"], row["nearest_run"]) == ("", "")
    assert f"found {row['reason']}. Mend" in str(caught.value)


def test_upgrades_by_asking_each():
    """What runs out, with how many users at the most that is tried; a target that is met needs nothing."""
    found = cheapest_upgrades(MACHINE, "Mail", 4000).set_index("component")
    most = {"processors": 48, "clock_mhz": 800, "l2_kb": 8192, "ram_mb": 65536, "drives": 112}
    assert found["present"].to_dict() == {name: MACHINE[name] for name in most}
    for name, value in most.items():
        alone = capacity(MACHINE | {name: value}, "Mail")
        binds = alone.glance()["binds"].item()
        reason = f"{binds.replace('_', ' ')} runs out at {alone.users:,.0f} users, even with {value}"
        assert found.loc[name, ["binds", "reason"]].tolist() == [binds, reason]
    assert found[["needed", "users", "low", "high", "probability"]].isna().all(axis=None)


def test_an_upgrade_that_is_not_needed():
    """A target that the machine carries as it is: its own parts, its own answer; one that is not known stays so."""
    easy = cheapest_upgrades(MACHINE | {"drives": np.nan}, "Mail", 0.5, response_s=0.3, level=0.8)
    answer = capacity(MACHINE, "Mail", response_s=0.3, level=0.8).glance().iloc[0]
    for row in easy.iloc[:4].to_dict("records"):
        assert [row[name] for name in ("users", "low", "high")] == pytest.approx(
            answer[["users", "low", "high"]].tolist()
        )
        assert (row["needed"], row["binds"], row["reason"]) == (row["present"], answer["binds"], "")
        # No test answers within 0.3 s where the response without a queue, 0.1 s times or over e^0.7, is longer.
        assert row["probability"] == pytest.approx(stats.norm.cdf(np.log(3) / 0.7), abs=0.01)
    assert easy.iloc[4][["binds", "reason"]].tolist() == ["", "drives is not known"]


def test_an_upgrade_that_cannot_be_asked():
    """A level, a response and a target that cannot be, in the words of the function."""
    with pytest.raises(CannotFit, match=r"cheapest_upgrades\(target=...\)"):
        cheapest_upgrades(MACHINE, "Mail", -1)


def test_a_ratio_by_asking_both():
    """Users, ratio and what binds are those of two answers at full utilization; the interval follows the level."""
    other = MACHINE | {"ram_mb": 200, "drives": 18}
    found = capacity_ratio(MACHINE, other, "Mail", response_s=1, level=0.8).iloc[0]
    before, after = (capacity(each, "Mail", response_s=1).glance().iloc[0] for each in (MACHINE, other))
    assert (found["workload"], found["binds_baseline"], found["binds_comparison"]) == ("Mail", "response", "memory")
    assert [found["users_baseline"], found["users_comparison"]] == pytest.approx([before["users"], after["users"]])
    assert found["ratio"] == pytest.approx(after["users"] / before["users"])
    assert found["low"] < found["ratio"] < found["high"]
    assert found["probability"] < 0.05


def test_the_interval_of_a_ratio_follows_the_level():
    """The quantiles of the joint draws at both ends."""
    posterior, other = fitted_users_model(), MACHINE | {"ram_mb": 200, "drives": 18}
    machines, _ = asked_machines_of(posterior, pd.DataFrame([MACHINE, other]), "Mail")
    logs = capacity_draws(posterior, machines, None)
    ends = np.exp(np.quantile(logs[:, 1] - logs[:, 0], [0.05, 0.95]))
    found = capacity_ratio(MACHINE, other, "Mail", level=0.9).iloc[0]
    assert found[["low", "high"]].tolist() == pytest.approx(ends.tolist())
    assert found["probability"] == np.mean(logs[:, 1] > logs[:, 0])


def test_a_ratio_that_cannot_be_asked():
    """Two machines at once, one beyond reach, a level or a response; another system is no upgrade of parts."""
    other, named = MACHINE | {"drives": 18}, {"system": "PC Server 330"}
    moved = capacity_ratio(MACHINE, MACHINE | named | {"ram_mb": 600}, "Mail").iloc[0]
    assert moved["low"] < 1 < moved["high"]  # another machine, though none of its parts is less
    with pytest.raises(CannotFit, match="found 2 machines"):
        capacity_ratio(MACHINE, pd.DataFrame([MACHINE, other]), "Mail")
    with pytest.raises(CannotFit, match="drives 1000"):
        capacity_ratio(MACHINE | {"drives": 1000}, other, "Mail")


RUN = {"operating_system": "Linux", "workload": "mail", "domino_release": "8", "cpu_utilization_percent": np.nan}


def test_what_set_the_load_in_words():
    """What is printed and what is not; three runs that stop at one load are said, two are not."""
    runs = [RUN | {"users": 900, "response_s": 0.25}, RUN | {"users": 900, "response_s": np.nan}]
    runs += [RUN | {"users": 800, "response_s": np.nan, "cpu_utilization_percent": 84.9}]
    said = censored(pd.DataFrame(runs))
    nothing = "Nothing says what stopped it: "
    assert said["reason"].tolist() == [
        f"{nothing}no CPU utilization is printed, the response was 0.25 s, and no limit is printed.",
        f"{nothing}no CPU utilization is printed, no response is printed.",
        f"{nothing}the CPU was 84.9 % busy, no response is printed.",
    ]
    three = censored(pd.DataFrame([*runs, runs[1]]).assign(locator="page 7"))
    alike = " 3 runs of the document stop at this load, its largest."
    assert [alike in reason for reason in three["reason"]] == [True, True, False, True]
    assert three["reason"][1] == f"{nothing}no CPU utilization is printed, no response is printed.{alike}"
    assert three["locator"].tolist() == ["page 7"] * 4
    limited = pd.DataFrame([RUN | {"users": 5.0, "response_s": 0.4, "source": "domino6"}])
    assert (
        censored(limited)["reason"].item()
        == f"{nothing}no CPU utilization is printed, the response was 0.4 s of 1 s allowed."
    )
    slow = censored(limited.assign(response_s=0.5)).iloc[0]
    assert slow[["limited_by", "reason"]].tolist() == ["server", "The response of 0.5 s is near the limit of 1 s."]
    of_drivers = limited.assign(operating_system="AIX", users=[10000.0])
    assert censored(of_drivers)["reason"].item() == "All that the drivers could play: 10,000 users."
    assert censored(of_drivers.assign(users=9999.0))["limited_by"].item() == "cannot tell"
    assert censored(of_drivers.assign(source="other"))["limited_by"].item() == "cannot tell"
    with pytest.raises(UnknownName, match=r"censored\(data=...\)"):
        censored(limited.drop(columns="response_s"))


def test_pairs_in_words_and_in_full():
    """Loads, costs, ratios and places of both sides; more and less; the interval, or why there is none."""
    cells = [("AIX", "a", "5.0.10", 1000, 40, "p 1"), ("AIX", "a", "6.0", 2000, 100, "p 2")]
    cells += [("Linux", "b", "5.0.11", 500, 10, "p 3"), ("Linux", "b", "6.0", 500, 30, "p 3")]
    columns = ["operating_system", "workload", "domino_release", "users", "cpu_utilization_percent", "locator"]
    frame = pd.DataFrame(cells, columns=columns)
    found = paired_ratios(frame, comparison="6.0", level=0.8)
    tidy = found.tidy().dropna(subset="ratio")
    assert tidy[["platform", "workload", "locator", "reason"]].to_numpy().tolist() == [
        ["AIX", "a", "p 1; p 2", ""], ["Linux", "b", "p 3", ""],
    ]  # fmt: skip
    assert tidy[["baseline", "comparison"]].to_numpy().tolist() == [["5.0.10", "6.0"], ["5.0.11", "6.0"]]
    assert tidy[["users_baseline", "users_comparison"]].to_numpy().tolist() == [[1000, 2000], [500, 500]]
    costs = ["cpu_percent_per_1000_users_baseline", "cpu_percent_per_1000_users_comparison", "ratio"]
    assert tidy[costs].to_numpy().tolist() == [pytest.approx([40, 50, 1.25]), pytest.approx([20, 60, 3])]
    mean = (1.25 * 3) ** 0.5
    reach = 3.0776835371752536 * np.log(3 / 1.25) / 2  # t(0.9, 1)
    row = found.glance().iloc[0]
    assert (row["n"], row["dof"], row["reason"]) == (2, 1, "")
    assert row["std_error"] == pytest.approx(mean * np.log(3 / 1.25) / 2)
    low, high = mean * np.exp(-reach), mean * np.exp(reach)
    assert [row["low"], row["ratio"], row["high"]] == pytest.approx([low, mean, high])
    told = "Release 6.0 needs 94\N{NO-BREAK SPACE}% more CPU per user than release 5.0"
    assert found.finding() == told
    assert found.describe() == (
        f"{told} (ratio 1.9, 80\N{NO-BREAK SPACE}% interval {number(low, 2)} to {number(high, 2)};"
        " 2 pairs on 2 platforms)"
    )
    one = paired_ratios(frame.iloc[:2], comparison="6.0")
    assert one.describe().endswith(
        "(ratio 1.2, no interval: one pair has no spread: no interval; 1 pairs on 1 platforms)"
    )
    assert (found.describe_below(), found.by("workload")["n"].tolist()) == ("0 of 2", [1, 1])
    none = paired_ratios(frame.iloc[[0, 3]], comparison="6.0").glance().iloc[0]
    assert (none["n"], none["dof"], none["reason"]) == (0, 0, "no pair")
    with pytest.raises(CannotFit, match=r"^paired_ratios\(level"):
        paired_ratios(frame, level=95)


def test_growth_of_cpu_row_by_row():
    """Least and most users of a system; one load is none; places of both, once if they are the same."""
    cells = [("a", 300, 31.0, "p 1"), ("a", 100, 10.0, "p 2"), ("a", 200, 50.0, "p 3")]
    cells += [
        ("b", 100, 5.0, "p 4"),
        ("c", 50, 5.0, "p 5"),
        ("c", 100, 20.0, "p 5"),
        ("d", 9, 1.0, "p 6"),
        ("d", 9, 2.0, "p 7"),
    ]
    frame = pd.DataFrame(cells, columns=["system", "users", "cpu_utilization_percent", "locator"])
    found = proportionality(frame.assign(source="s", operating_system="AIX", workload="w", domino_release="6"))
    assert [*found] == [
        "platform", "workload", "domino_release", "users_fewest", "users_most", "cpu_percent_fewest",
        "cpu_percent_most", "ratio", "exponent", "locator",
    ]  # fmt: skip
    assert found.iloc[:, :3].to_numpy().tolist() == [["AIX", "w", "6"]] * 2
    assert found.iloc[:, 3:7].to_numpy().tolist() == [[100, 300, 10, 31], [50, 100, 5, 20]]
    assert found["ratio"].tolist() == pytest.approx([3.1 / 3, 2])
    assert found["exponent"].tolist() == pytest.approx([np.log(3.1) / np.log(3), 2])
    assert found["locator"].tolist() == ["p 2; p 1", "p 5"]


def test_crossed_pairs_by_a_search():
    """Platforms and workloads that repeat: the restricted likelihood by the book is nowhere better, mean and error."""
    costs = {("AIX", "a"): 0.6, ("AIX", "b"): 0.8, ("Linux", "a"): 0.5, ("Linux", "b"): 0.9, ("z/OS", "a"): 0.7}
    rows = [
        {"operating_system": name, "workload": work, "domino_release": release, "users": 100,
         "cpu_utilization_percent": 50 * ratio}
        for (name, work), cost in costs.items() for release, ratio in (("5.0", 1), ("6", cost))
    ]  # fmt: skip
    found = paired_ratios(pd.DataFrame(rows), level=0.9).glance().iloc[0]
    logs, alike = np.log([*costs.values()]), [np.array([[one[k] == two[k] for two in costs] for one in costs], float)
                                              for k in (0, 1)]  # fmt: skip

    def solve(shares):
        inverse = np.linalg.inv(np.eye(5) + shares[0] * alike[0] + shares[1] * alike[1])
        weights = inverse.sum(axis=0)
        mean = weights @ logs / weights.sum()
        square = (logs - mean) @ inverse @ (logs - mean)
        deviance = 4 * np.log(square) - np.linalg.slogdet(inverse)[1] + np.log(weights.sum())
        return deviance, mean, math.sqrt(square / 4 / weights.sum())

    grid = np.r_[0, np.geomspace(1e-3, 100, 60)]
    _, mean, error = min((solve((one, two)) for one in grid for two in grid), key=lambda each: each[0])
    assert found["ratio"] == pytest.approx(math.exp(mean), rel=0.005)
    assert found["std_error"] == pytest.approx(math.exp(mean) * error, rel=0.02)
    reach = stats.t.ppf(0.95, 1) * found["std_error"] / found["ratio"]  # two workloads
    assert [found["low"], found["high"]] == pytest.approx([found["ratio"] * math.exp(end) for end in (-reach, reach)])
    assert (found["n"], found["dof"], found["reason"]) == (5, 1, "")


def test_errata_travel_with_what_is_computed():
    """Those of the columns that are used, of a model, a cost and a demand; of another column none."""
    frame = pd.DataFrame({"users": [100, 200, 400], "processors": [1, 2, 4], "cpu_utilization_percent": [10, 30, 70.0]})
    frame = frame.assign(operating_system="AIX", workload="w", domino_release="6", ram_mb=[1, 3, 2.0])
    wrong = [
        errata_of(runs_of_data_folders(stamp_of_data_folders(ours=True)))[0]._replace(column=name, name=name, run="")
        for name in frame
    ]
    frame = attach_errata(frame, wrong)
    columns = lambda found: {erratum.name for erratum in errata_of(found)}  # noqa: E731
    assert columns(added_demand(frame)) == {"users", "cpu_utilization_percent"}
    assert columns(factor_model("users", "processors", frame).rows) == {"users", "processors"}
    used = {"operating_system", "workload", "domino_release", "users", "cpu_utilization_percent", "processors"}
    assert columns(demand(frame)) == used
    tasks = frame.assign(workstations=[1, 2, 3], response_s=1.0, factor="x")
    assert columns(task_demand(tasks)) == {"workload", "cpu_utilization_percent"}


def test_empty_cells_of_a_number_are_missing():
    """As text, as a file has them: the rows are left out, and named."""
    frame = FACTORS.assign(processors=["1", "2", "4", "", "2", "4"])
    found = factor_model("users", "processors", frame)
    assert found.dropped.to_numpy().tolist() == [["row 4", "no processors"]]
    with pytest.raises(CannotFit, match=r"^prior_influence\(level=...\): "):
        prior_influence(MACHINE, "Mail", level=95)


FACTORS = pd.DataFrame(
    {
        "users": [1000, 1440, 2000, 390, 560, 810.0],
        "processors": [1, 2, 4, 1, 2, 4],
        "operating_system": ["AIX"] * 3 + ["Linux"] * 3,
        "cpu_utilization_percent": [50, 60, 80, 40, 45, 70.0],
    }
)


def test_a_factor_model_in_words():
    """The rows that are missing, which errors, what to beware of; a term with its interval and baseline."""
    frame = pd.concat([FACTORS, FACTORS.iloc[[0, 1, 2]].assign(processors=[np.nan, np.nan, 1], users=[1, 2, np.nan])])
    found = factor_model("users", ["processors", "operating_system"], frame.reset_index(drop=True), level=0.9)
    said = found.headline()
    assert "6 of 9 rows" in said
    assert said.endswith(f"Left out: 2 (no processors); 1 (no users). Errors: HC3. {NO_RANKING}")
    tidy = found.tidy().set_index("term")
    row = tidy.loc["operating_system[Linux]"]
    ends = f"90 % interval {number(row['low'], 3)} to {number(row['high'], 3)}"
    assert found.describe("operating_system[Linux]") == (
        f"operating_system[Linux] {number(row['estimate'], 3)} times that of AIX ({ends}). {NO_RANKING}"
    )
    row = tidy.loc["processors"]
    ends = f"90 % interval {number(row['low'], 3)} to {number(row['high'], 3)}"
    assert found.describe("processors") == f"processors {number(row['estimate'], 3)} ({ends})"
    two = factor_model("users", "operating_system", FACTORS.iloc[[0, 3]])
    assert two.describe("intercept") == (
        "intercept 1,000 (no interval: as many terms as rows: no residual degree of freedom)"
    )
    assert "No errors: as many terms as rows: no residual degree of freedom." in two.headline()
    assert "Errors: classical." in factor_model("users", "processors", FACTORS, robust="none").headline()


def test_costs_and_rows_of_a_factor_model():
    """Percent per 1,000 users; of nobody no cost; a list of values that a column may have."""
    frame = pd.concat([FACTORS, FACTORS.iloc[[5]].assign(users=0)], ignore_index=True)
    found = factor_model("cpu_per_user", "processors", frame)
    assert found.rows["cpu_percent_per_1000_users"].tolist() == pytest.approx(
        (1000 * FACTORS["cpu_utilization_percent"] / FACTORS["users"]).tolist()
    )
    assert found.dropped.to_numpy().tolist() == [["row 7", "no cpu_per_user"]]
    assert found.tidy()["unit"].tolist() == ["percent/kilouser", "1"]
    assert factor_model("users", "processors", FACTORS).tidy()["unit"].tolist() == ["user", "1"]
    some = factor_model("users", "processors", FACTORS, where={"processors": [1, 2], "operating_system": "AIX"})
    assert some.rows["run"].tolist() == ["row 1", "row 2"]
    with pytest.raises(BadTable, match=r"factor_model\(where=...\): expected a dict of column to value, found 'AIX'"):
        factor_model("users", "processors", FACTORS, where="AIX")
    with pytest.raises(UnknownName, match=r"predict\(frame\).*The model's factors are processors"):
        found.predict(FACTORS.drop(columns="processors"))
    with pytest.raises(CannotFit, match=r"factor_model\(data=...\), row 3: expected users above zero, found -5\."):
        factor_model("users", "processors", FACTORS.assign(users=[10, 20, -5, 4, 3, 2]))
    with pytest.raises(CannotFit, match=r"found 1 of 6\. Name fewer factors, other rows, .*; processors were"):
        factor_model("users", "processors", FACTORS.assign(users=[10, *[np.nan] * 5]))


@pytest.mark.parametrize(
    ("call", "where"),
    [
        (lambda: capacity(MACHINE, "Mail", utilization=2), "--utilization"),
        (lambda: capacity(MACHINE, "Mail", response_s=0), "--response"),
        (lambda: capacity(MACHINE, "Mail", level=2), "--level"),
        (lambda: capacity({"processors": "two"}, "Mail"), "the machine, processors"),
        (lambda: capacity({"processors": 1.5}, "Mail"), "the machine, processors"),
        (lambda: capacity(3, "Mail"), "the machine"),
        (lambda: capacity(MACHINE, "Mail", data=pd.DataFrame({"users": [0]})), "--data"),
        (lambda: capacity(MACHINE, "own", data=pd.DataFrame({"users": [5], "limited_by": "drivers"})), "--workload"),
        (lambda: cheapest_upgrades(MACHINE, "Mail", 0), "--target"),
        (lambda: capacity(MACHINE | {"ram_mb": 40}, "Mail"), "the machine"),
    ],
)
def test_a_mistake_at_the_shell_names_the_option(call, where):
    """As it was typed there."""
    with at_shell(["capacity", "x"]), pytest.raises(DominoperfError) as caught:
        call()
    assert caught.value.where == where


@pytest.mark.parametrize(
    ("part", "value", "option"),
    [
        ("clock_mhz", 2, "--clock 2 is too far"), ("l2_kb", 1, "--l2 1 is too far"), ("ram_mb", 1, "--ram 1 is too"),
        ("drive_gb", 9999, "--drive-gb 9999 is too far"), ("processors", 0, "--processors 0 is too far"),
        ("ram_mb", 49, "--ram 49 is no more than the 50 MB that the server needs without users"),
    ],
)  # fmt: skip
def test_a_part_at_the_shell_is_called_as_its_option(part, value, option):
    """Of one that is too far, and of memory that is too little."""
    words = ["capacity", *itertools.chain.from_iterable((each, "1") for each in OPTIONS)]
    with at_shell(words), pytest.raises(CannotFit) as caught:
        capacity(MACHINE | {part: value}, "Mail")
    assert caught.value.found.startswith(option)


OPTIONS = ("--clock", "--l2", "--ram", "--drive-gb", "--processors")
