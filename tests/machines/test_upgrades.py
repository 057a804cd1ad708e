"""Upgrades of a machine and the ratio of two: against capacities asked one by one, and joint draws of the model."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from dominoperf import capacity, capacity_ratio, cheapest_upgrades
from dominoperf.errors import CannotFit
from dominoperf.machines import correlation, fitted_users_model
from dominoperf.machines.asked_machines import asked_machines_of
from dominoperf.machines.resources import capacity_draws
from dominoperf.study.capacity_evidence import doubling
from dominoperf.tables.folders import our_toml_file

MACHINE = {
    "processor_family": "Pentium Pro", "processors": 2, "clock_mhz": 200, "l2_kb": 512, "ram_mb": 512, "drives": 9,
    "operating_system": "Windows NT", "domino_release": "4.51",
}  # fmt: skip


@pytest.fixture(scope="module")
def upgrades_for_4000():
    """The cheapest upgrades of MACHINE for 4,000 users by component: they ask some thousand machines."""
    return cheapest_upgrades(MACHINE, "Mail", 4000).set_index("component")


def test_a_ratio_is_sharper_than_two_capacities():
    """A second processor: 1.48 times the users by the document; the ratio's interval is a third of the quotient's."""
    found = capacity_ratio(MACHINE | {"processors": 1}, MACHINE, "Mail").iloc[0]
    one, two = (capacity(MACHINE | {"processors": count}, "Mail").glance().iloc[0] for count in (1, 2))
    assert found["low"] < 1.48 < found["high"]
    assert found["ratio"] == pytest.approx(two["users"] / one["users"], rel=0.03)  # no other resource is near
    quotient = np.log(two["high"] / one["low"]) - np.log(two["low"] / one["high"])
    assert np.log(found["high"] / found["low"]) < quotient / 2.5
    same = capacity_ratio(MACHINE, MACHINE, "Mail").iloc[0]
    assert (same["ratio"], same["probability"]) == (1, pytest.approx(0.5, abs=0.03))


@pytest.mark.parametrize("drives", [1, 4])
def test_machines_limited_by_the_same_part_are_equal_there(drives):
    """Where disks set both capacities, a draw is a tie: half of it counts for either, so both ways add up to one."""
    few = MACHINE | {"drives": drives}
    assert capacity_ratio(few, few, "Mail")["probability"].item() == pytest.approx(0.5, abs=0.03)
    more = few | {"processors": 4}
    there, back = (capacity_ratio(*pair, "Mail")["probability"].item() for pair in ((few, more), (more, few)))
    assert there + back == pytest.approx(1, abs=0.03)  # the two are drawn in another order


def test_a_ratio_by_asking_both():
    """Users and what binds are those of two answers at full utilization; the ratio has no errors of tests in it."""
    other = MACHINE | {"ram_mb": 200, "drives": 18}
    found = capacity_ratio(MACHINE, other, "Mail", response_s=1, level=0.8).iloc[0]
    before, after = (capacity(each, "Mail", response_s=1).glance().iloc[0] for each in (MACHINE, other))
    assert (found["workload"], found["binds_baseline"], found["binds_comparison"]) == ("Mail", "response", "memory")
    assert [found["users_baseline"], found["users_comparison"]] == pytest.approx([before["users"], after["users"]])
    machines = pd.concat([asked_machines_of(fitted_users_model().model, each, "Mail")[0] for each in (MACHINE, other)])
    drawn = capacity_draws(fitted_users_model(), machines.reset_index(drop=True), 1.0, of_tests=False)
    assert found["ratio"] == pytest.approx(np.exp(np.median(drawn[:, 1] - drawn[:, 0])))
    assert found["low"] < found["ratio"] < found["high"]
    assert found["probability"] < 0.05


def test_the_interval_of_a_ratio_follows_the_level():
    """The quantiles of the joint draws at both ends."""
    posterior, other = fitted_users_model(), MACHINE | {"ram_mb": 200, "drives": 18}
    machines, _ = asked_machines_of(posterior.model, pd.DataFrame([MACHINE, other]), "Mail")
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


@pytest.mark.parametrize("part", ["processors", "ram_mb", "drives"])
def test_more_of_a_part_never_means_fewer_users(part):
    """The interval of the ratio does not cross one where nothing else differs; it may where something does."""
    more = MACHINE | {part: 2 * MACHINE[part]}
    up, down = (capacity_ratio(*pair, "Mail").iloc[0] for pair in ((MACHINE, more), (more, MACHINE)))
    assert 1 <= up["low"] <= up["high"]
    assert down["low"] <= down["high"] <= 1
    other = capacity_ratio(MACHINE, more | {"operating_system": "OS/2"}, "Mail").iloc[0]
    assert other["low"] < 1


def test_least_upgrades_are_the_least():
    """Asked again with the value found the target is reached, a step below it is not."""
    target = 1.3 * capacity(MACHINE | {"drives": 20}, "Mail").users
    found = cheapest_upgrades(MACHINE | {"drives": 20}, "Mail", target).set_index("component")
    assert {"processors", "clock_mhz"} <= set(found.index[found["needed"].notna()])
    for part, row in found[found["needed"].notna()].iterrows():
        step = our_toml_file("capacity.toml")["steps"][part]
        assert capacity(MACHINE | {"drives": 20, part: row["needed"]}, "Mail").users >= target
        assert capacity(MACHINE | {"drives": 20, part: row["needed"] - step}, "Mail").users < target
        assert 0.3 < row["probability"] < 0.8
    assert "runs out at" in found.loc["drives", "reason"]
    for target in (0, -1):
        with pytest.raises(CannotFit, match=r"cheapest_upgrades\(target=...\)"):
            cheapest_upgrades(MACHINE, "Mail", target)


def test_upgrades_by_asking_each(upgrades_for_4000):
    """What runs out, with how many users at the most that is tried; a target that is met needs nothing."""
    found = upgrades_for_4000
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
    machine = MACHINE | dict.fromkeys(("l2_kb", "ram_mb", "drives"), np.nan)
    easy = cheapest_upgrades(machine, "Mail", 0.5, response_s=0.3, level=0.8)
    answer = capacity(machine, "Mail", response_s=0.3, level=0.8).glance().iloc[0]
    for row in easy.iloc[:2].to_dict("records"):
        assert [row[name] for name in ("users", "low", "high")] == pytest.approx(
            answer[["users", "low", "high"]].tolist()
        )
        assert (row["needed"], row["binds"], row["reason"]) == (row["present"], answer["binds"], "")
        # No test answers within 0.3 s where the response without a queue, 0.1 s times or over e^0.7, is longer.
        assert row["probability"] == pytest.approx(stats.norm.cdf(np.log(3) / 0.7), abs=0.01)
    assert easy.iloc[4][["binds", "reason"]].tolist() == ["", "drives are not known"]


def test_doubled_parts_and_shared_errors():
    """A row per part that is told, as `capacity_ratio` has it; tests of one machine are alike, of two less so."""
    found = doubling({"processors": 1}, "Mail", level=0.6)
    assert found[["component", "present", "doubled"]].to_numpy().tolist() == [["processors", 1, 2]]
    ratio = capacity_ratio({"processors": 1}, {"processors": 2}, "Mail", level=0.6)
    ends = ["ratio", "low", "high", "binds_comparison"]
    assert found[ends].iloc[0].tolist() == ratio[ends].iloc[0].tolist()
    far = doubling({"clock_mhz": 3000, "processor_family": "Pentium Pro"}, "Mail").iloc[0]
    assert far[["ratio", "low", "high"]].isna().all()
    assert "clock_mhz 3000 is too far" in far["reason"]
    with pytest.raises(CannotFit, match=r"doubling\(level=...\): .*between 0.5 and 1"):
        doubling({"processors": 1}, "Mail", level=95)
    shared = correlation(pd.DataFrame([MACHINE | {"workload": "Mail", "system": name} for name in ("a", "a", "b")]))
    assert np.diag(shared) == pytest.approx(1)
    assert shared[0, 1] > shared[0, 2] + 0.1
    assert shared == pytest.approx(shared.T)
