"""The points that the Domino 6 article pairs, what is not printed, and a migration, by hand."""

from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from dominoperf import study
from dominoperf.errors import CannotPlan
from dominoperf.study import release_migration


def moved(servers, platform, workload, **settings):
    """The row of a migration for one pair of peak loads."""
    return study.migration(servers, **settings).query("platform == @platform and workload == @workload")


def test_eight_points_are_paired():
    """By the sentences: the CPU of the other side where one is printed, and the cost per user."""
    points = release_migration.release_points()
    assert list(points["ratio"]) == pytest.approx([2 / 3, 70 / 95, 30 / 42, 25 / 35, 0.58, 0.08, 0.125, 0.6])
    assert list(points["cpu_percent_comparison"]) == pytest.approx(
        [82.2, 51, 85.2, 78, np.nan, 36 * 0.08, 36, np.nan], nan_ok=True
    )
    assert points["reason"][0].startswith("at most")
    assert "8,000 users" in points["reason"][4]
    assert points["ratio_peaks"][1] == pytest.approx(52.9 / 10000 / (51 / 7000))


def test_what_is_not_printed_is_counted():
    lost = release_migration.missing_points()
    assert [tuple(row) for row in lost[["platform", "workload", "domino_release"]].to_numpy()] == [
        ("z/OS", "R5IMAP", "6"), ("z/OS", "R5IMAP", "5.0.11"), ("AIX", "R6IMAP", "5.0.10"), ("AIX", "R5IMAP", "5.0.10"),
    ]  # fmt: skip


def test_a_migration_by_hand():
    """7,000 R6Mail users on z/OS at 51 %; 10,000 at 52.9 % on release 6."""
    plan = moved(10, "z/OS", "R6Mail", level=0.9).iloc[0]
    ratio = 52.9 / 10000 / (51 / 7000)
    assert plan["ratio"] == pytest.approx(ratio)
    assert plan["cpu_percent_comparison"] == pytest.approx(51 * ratio)
    assert plan["users_comparison"] == pytest.approx(7000 / ratio)
    assert list(plan[["servers_needed", "servers_saved"]]) == [8, 2]
    assert list(plan[["response_baseline_s", "response_comparison_s"]]) == [0.18, 0.45]
    logs = np.log([44.4 / 10 / (74.2 / 9), 52.9 / 10 / (51 / 7), 52 / 54, 29 / 10 / (42 / 9)])
    half = stats.t.ppf(0.95, 3) * logs.std(ddof=1) * np.sqrt(1 + 1 / 4)
    assert list(plan[["low", "high"]]) == pytest.approx([np.exp(logs.mean() + k * half) for k in (-1, 1)])
    assert plan["servers_most"] == np.ceil(10 * np.exp(logs.mean() + half))


def test_no_server_carries_more_than_was_tested():
    """R6Mail on Solaris: the CPU would carry 16,712 users, 10,000 were tested; nine servers of 10,000 for 81,000."""
    plan = moved(9, "Solaris", "R6Mail").iloc[0]
    assert plan["users_comparison"] > 16000
    assert plan["servers_needed"] == 9
    assert "10,000 users that were tested" in plan["reason"]


def test_whole_servers_are_counted_whole():
    """IMAP on Windows 2000: 87 % for 9,000 users against 34 % for 3,500, so 204 servers become exactly 203."""
    ratio = Fraction(87, 9000) / Fraction(34, 3500)
    assert 204 * ratio == 203
    assert moved(204, "Windows 2000", "R6IMAP")["servers_needed"].tolist() == [203]
    assert moved(205, "Windows 2000", "R6IMAP")["servers_needed"].tolist() == [204]


def test_what_cannot_be_asked():
    with pytest.raises(CannotPlan, match="whole number"):
        study.migration(0)
