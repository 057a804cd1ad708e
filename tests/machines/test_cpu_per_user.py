"""CPU per user: demands, its growth with the load, and ratios of pairs; by hand and by brute force."""

import math

import numpy as np
import pandas as pd
import pytest
from scipy import optimize, stats

from dominoperf.errors import CannotFit, UnknownName
from dominoperf.machines import (
    demand,
    paired_ratios,
    proportionality,
)
from dominoperf.study import paired_runs


def test_demand_by_hand():
    """44.4 % of twelve processors of 400 MHz for 10,000 users; z/OS prints no clock."""
    found = demand().set_index("run")
    row = found.loc["domino6/peak_load#1"]
    assert row["cpu_percent_per_1000_users"] == pytest.approx(4.44)
    assert row["processors_per_1000_users"] == pytest.approx(0.444 * 12 / 10)
    assert row["mhz_per_user"] == pytest.approx(0.444 * 12 * 400 / 10000)
    other = found.loc["domino6/peak_load#13"]
    assert np.isnan(other["mhz_per_user"])
    assert other["reason"] == "clock_mhz not printed"
    assert (other["platform"], other["release_family"]) == ("z/OS", "6")
    assert len(found) == 51


def test_proportionality_by_hand():
    """Three cases; Solaris R6Mail from 38 % at 9,000 to 44.4 % at 10,000 users."""
    found = proportionality().set_index("platform")
    assert sorted(found.index) == ["Linux", "Solaris", "z/OS"]
    row = found.loc["Solaris"]
    assert row["ratio"] == pytest.approx(44.4 / 10000 / (38 / 9000))
    assert row["exponent"] == pytest.approx(np.log(44.4 / 38) / np.log(10 / 9))
    assert found.loc["Linux", "exponent"] == pytest.approx(np.log(15.14 / 7.10) / np.log(2))


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


def pairs_frame():
    """Two pairs, ratios 0.5 and 0.72, a smaller load to be passed over, and one without a partner."""
    columns = ["operating_system", "workload", "domino_release", "users", "cpu_utilization_percent"]
    cells = [("AIX 5.1", "A", "R5.0.10", 1000, 40), ("AIX 5.1", "A", "Domino 6", 2000, 40)]
    cells += [("AIX 5.1", "A", "Domino 6", 1500, 99), ("Solaris 2.8", "A", "R5.0.11", 1000, 50)]
    cells += [("Solaris 2.8", "A", "Domino 6", 1000, 36), ("AIX 5.1", "B", "Domino 6", 100, 5)]
    return pd.DataFrame(cells, columns=columns)


def test_paired_ratios_by_hand():
    """The geometric mean of 0.5 and 0.72 is 0.6; its t interval has one degree of freedom."""
    found = paired_ratios(pairs_frame())
    tidy = found.tidy()
    assert tidy["ratio"].dropna().tolist() == pytest.approx([0.5, 0.72])
    row = found.glance().iloc[0]
    assert (row["n"], row["dof"], row["ratio"]) == (2, 1, pytest.approx(0.6))
    reach = 12.706204736432095 * np.log(0.72 / 0.5) / 2  # t(0.975, 1) times half the difference of the logarithms
    assert [row["low"], row["high"]] == pytest.approx([0.6 * np.exp(-reach), 0.6 * np.exp(reach)])
    missing = tidy[tidy["ratio"].isna()].set_index("platform")["reason"]
    assert missing["AIX"] == "release 5.0: no peak load printed"
    assert missing["Solaris"] == "release 5.0: no peak load printed; release 6: no peak load printed"
    assert found.by("platform")["reason"].tolist() == ["one pair has no spread: no interval"] * 2
    assert found.describe_below() == "2 of 2"
    assert found.describe_below(["B"]) == "0 of 0"


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
    ends = "ratio 1.9, 80\N{NO-BREAK SPACE}% interval 0.5 to 7.4"
    assert found.describe() == f"{told} ({ends}; 2 pairs on 2 platforms)"
    one = paired_ratios(frame.iloc[:2], comparison="6.0")
    assert one.describe().endswith(
        "(ratio 1.2, no interval: one pair has no spread: no interval; 1 pairs on 1 platforms)"
    )
    assert (found.describe_below(), found.by("workload")["n"].tolist()) == ("0 of 2", [1, 1])
    none = paired_ratios(frame.iloc[[0, 3]], comparison="6.0").glance().iloc[0]
    assert (none["n"], none["dof"], none["reason"]) == (0, 0, "no pair")
    with pytest.raises(CannotFit, match=r"^paired_ratios\(level"):
        paired_ratios(frame, level=95)


def test_runs_of_one_load_count_by_their_mean():
    """In any order of the rows: 50 and 60 % against 40 and 48 % at one peak are 0.8, and 10 and 14 % grow from 12."""
    columns = ["operating_system", "workload", "domino_release", "users", "cpu_utilization_percent", "locator"]
    cells = [("AIX", "a", "5.0.10", 100, 50, "p 1"), ("AIX", "a", "5.0.10", 100, 60, "p 2")]
    cells += [("AIX", "a", "6.0", 100, 48, "p 3"), ("AIX", "a", "6.0", 100, 40, "p 3"), ("AIX", "a", "6.0", 50, 99, "")]
    steps = [("AIX", "b", "6.0", users, cpu, "p 4") for users, cpu in ((10, 10), (20, 26), (10, 14), (20, 22))]
    for order in (1, -1):
        pairs = paired_ratios(pd.DataFrame(cells[::order], columns=columns), comparison="6.0").tidy()
        assert pairs["ratio"].tolist() == pytest.approx([0.8])
        assert {*pairs["locator"].item().split("; ")} == {"p 1", "p 2", "p 3"}
        row = proportionality(pd.DataFrame(steps[::order], columns=columns).assign(system="s", source="t")).iloc[0]
        expected = [10, 20, 12, 24, 1]
        assert (
            row[["users_fewest", "users_most", "cpu_percent_fewest", "cpu_percent_most", "ratio"]].tolist() == expected
        )


def crossed_by_brute_force(pairs):
    """Mean ratio and its error of crossed random effects: the restricted likelihood by the book, searched by scipy."""
    logs = np.log(pairs["ratio"].to_numpy())
    inside = [pd.get_dummies(pairs[name]).to_numpy(float) for name in ("platform", "workload")]

    def solve(shares):
        covariance = np.eye(len(logs)) + sum(share * z @ z.T for share, z in zip(shares, inside, strict=True))
        inverse = np.linalg.inv(covariance)
        weight, mean = inverse.sum(), (inverse @ logs).sum() / inverse.sum()
        square = (logs - mean) @ inverse @ (logs - mean) / (len(logs) - 1)
        return (
            (len(logs) - 1) * np.log(square) + np.linalg.slogdet(covariance)[1] + np.log(weight),
            mean,
            square / weight,
        )

    starts = [(0.1, 0.1), (1, 0.01), (0.01, 1), (0.5, 0)]
    found = [optimize.minimize(lambda at: solve(at)[0], start, bounds=[(0, None)] * 2) for start in starts]
    _, mean, variance = solve(min(found, key=lambda each: each.fun).x)
    return np.exp(mean), np.exp(mean) * np.sqrt(variance)


def test_pairs_of_the_article():
    """24 combinations, 21 pairs; Solaris R6Mail 44.4 % of 10,000 over 74.2 % of 9,000; the pinned means."""
    found = paired_ratios(paired_runs.peak_loads())
    tidy = found.tidy().set_index(["platform", "workload"])
    assert (len(tidy), tidy["ratio"].notna().sum()) == (24, 21)
    assert tidy.loc[("Solaris", "R6Mail"), "ratio"] == pytest.approx(4.44 / (74.2 / 9))
    assert set(tidy.index[tidy["ratio"].isna()]) == {("z/OS", "R5IMAP"), ("AIX", "R6IMAP"), ("AIX", "R5IMAP")}
    row, brute = found.glance().iloc[0], crossed_by_brute_force(found.tidy().dropna(subset="ratio"))
    assert [row["ratio"], row["std_error"]] == pytest.approx(brute, rel=1e-4)
    reach = 3.182446305284263 * brute[1] / brute[0]  # t(0.975, 3): four platforms
    assert [row["low"], row["high"]] == pytest.approx([brute[0] * np.exp(-reach), brute[0] * np.exp(reach)], rel=1e-4)
    assert (row["dof"], found.describe_below(), found.describe_below(["R6Mail", "R6iNotes", "R6IMAP"])) == (
        3,
        "21 of 21",
        "11 of 11",
    )
    assert found.describe().startswith(
        "Release 6 needs 33\N{NO-BREAK SPACE}% less CPU per user than release 5.0 (ratio 0.67"
    )
    assert "proportional" in str(found)
    assert "<table" in found._repr_html_()


def test_crossed_pairs_by_a_search():
    """Platforms and workloads that repeat: the restricted likelihood by the book is nowhere better, mean and error."""
    costs = {("AIX", "a"): 0.6, ("AIX", "b"): 0.8, ("Linux", "a"): 0.5, ("Linux", "b"): 0.9, ("z/OS", "a"): 0.7}
    rows = [
        {"operating_system": name, "workload": work, "domino_release": release, "users": 100,
         "cpu_utilization_percent": 50 * ratio}
        for (name, work), cost in costs.items() for release, ratio in (("5.0", 1), ("6", cost))
    ]  # fmt: skip
    found = paired_ratios(pd.DataFrame(rows), level=0.9).glance().iloc[0]
    pairs = pd.DataFrame([(*names, cost) for names, cost in costs.items()], columns=["platform", "workload", "ratio"])
    mean, error = crossed_by_brute_force(pairs)
    assert found["ratio"] == pytest.approx(mean, rel=1e-4)
    assert found["std_error"] == pytest.approx(error, rel=1e-3)
    reach = stats.t.ppf(0.95, 1) * found["std_error"] / found["ratio"]  # two workloads
    assert [found["low"], found["high"]] == pytest.approx([found["ratio"] * math.exp(end) for end in (-reach, reach)])
    assert (found["n"], found["dof"], found["reason"]) == (5, 1, "")


def test_names_of_pairs_that_are_not_there():
    """A release, what pairs are taken by, and a column."""
    with pytest.raises(UnknownName, match=r"Known are 5\.0, 6"):
        paired_ratios(paired_runs.peak_loads(), baseline="5.1")
    with pytest.raises(UnknownName, match="Known are workload, platform"):
        paired_ratios(pairs_frame()).by("users")
    with pytest.raises(UnknownName, match="users"):
        demand(pd.DataFrame({"users": [1]}))
