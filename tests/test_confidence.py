"""How sure a plan is: closed-form probabilities, seeds, bounds, swings by hand, and capacities from laws."""

import dataclasses

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from dominoperf import catalog, planning
from dominoperf.errors import CannotPlan
from dominoperf.planning import Group, Request, assess, example, fitted_capacity, plan

PL5000 = "ProLiant 5000 1xP6/200-512"  # 1,920 Mail users: 960 light ones


def of(*groups, **settings):
    """The plan of a request on the case study's system."""
    return plan(Request(groups=tuple(groups), **{"system": PL5000} | settings))


def light(users, **spread):
    """A group of light mail users, with a spread."""
    return Group("a", users, "light_mail", spread=spread or None)


def load(found):
    """Probability that the load fits, with four of its standard errors."""
    told = found.glance().iloc[0]
    p = told["probability_load"]
    return p, 4 * np.sqrt(max(p * (1 - p), 1e-6) / told["n"])


def test_uniform_people():
    """800 to 1,100 people on a server for 960: (960 - 800)/300."""
    p, slack = load(assess(of(light(900, kind="uniform", low=800, high=1100)), n=50_000))
    assert p == pytest.approx(160 / 300, abs=slack)


def test_triangular_people():
    """On (700, 900, 1100) the chance of more than 960 is (1100 - 960)² / (400 · 200)."""
    p, slack = load(assess(of(light(900, kind="triangular", low=700, high=1100)), n=50_000))
    assert p == pytest.approx(1 - 140**2 / (400 * 200), abs=slack)


def test_two_normals():
    """Loads add: the sum of two normals of 400 ± 60 and 480 ± 80 is 880 ± 100."""
    groups = [
        Group(name, users, "light_mail", spread={"kind": "normal", "sd": sd})
        for name, users, sd in (("a", 400, 60), ("b", 480, 80))
    ]
    p, slack = load(assess(of(*groups), n=50_000))
    assert p == pytest.approx(stats.norm.cdf(960, 880, 100), abs=slack)


def test_a_capacity_with_an_error():
    """Student's t about the estimate: 1,800 users on a system that carries 2,000 ± 150, 5 degrees of freedom."""
    row = dict.fromkeys(planning.systems().columns, np.nan) | {
        "system": "box",
        "workload": "Mail",
        "basis": "law x",
        "locator": "",
    }
    box = pd.DataFrame([row | {"users": 2000.0, "users_low": 1900.0, "std_error": 150.0, "dof": 5}])
    found = plan({"groups": [{"name": "a", "users": 900, "profile": "light_mail"}], "system": "box"}, catalogue=box)
    assert found.selection.total == pytest.approx(1800 / 1900)  # the lower end is planned with
    p, slack = load(assess(found, n=50_000, catalogue=box))
    assert p == pytest.approx(stats.t.sf((1800 - 2000) / 150, 5), abs=slack)


def test_seeds_and_levels():
    """The same seed gives the same answer, another one another; the bound is the quantile of the demand."""
    found = of(light(900, kind="uniform", low=800, high=1100))
    one, again, other = (assess(found, n=1000, seed=seed).glance()["probability"].item() for seed in (1, 1, 2))
    assert one == again != other
    bound = assess(found, n=50_000, level=0.9).glance()["systems_bound"].item()
    assert bound == pytest.approx((800 + 0.9 * 300) / 960, rel=0.005)


def test_nothing_uncertain_is_no_certainty():
    """No probability of 1 for a plan that nothing was said about: NaN, and why."""
    told = assess(of(light(900))).glance().iloc[0]
    assert np.isnan(told["probability"])
    assert "distribution" in told["reason"]
    assert assess(of(light(900))).tidy()["probability"].isna().all()


def test_one_more_server():
    """Monotone in servers; 1,200 to 2,200 people need two servers for 1,920 of them."""
    found = assess(of(light(1700, kind="uniform", low=1200, high=2200)), n=20_000).servers()
    assert found["servers"].tolist() == [1, 2, 3, 4]
    assert found["probability"].is_monotonic_increasing
    assert found["probability"].tolist()[1:3] == pytest.approx([0.72, 1.0], abs=0.02)


def test_memory_and_disk():
    """One person more than 800 asks for the next row of the table; the drives hold as many mail files as they hold."""
    found = assess(of(light(800, kind="uniform", low=700, high=900)), n=50_000)
    table = found.tidy().set_index("constraint")["probability"]
    assert table["memory"] == pytest.approx(0.5, abs=0.01)
    volume = found.plan.disks.volumes[0]
    most = (volume.usable_gb * 1000 - volume.paging_mb) / 50
    assert table["disk"] == pytest.approx((min(most, 900) - 700) / 200, abs=0.01)


def test_tornado():
    """Each input moved alone: half of 200 people at 2 of 1,920 each, at the ends of a uniform."""
    groups = (
        light(500, kind="uniform", low=400, high=600),
        Group("b", 100, "groupware", spread={"kind": "normal", "sd": 5}),
    )
    found = assess(of(*groups), n=100, level=0.9).tornado()
    assert found["input"].tolist() == ["a: people", "b: people"]
    assert found["swing"].tolist() == pytest.approx([0.9 * 200 * 2 / 1920, 2 * stats.norm.ppf(0.95) * 5 / 440])
    middle = 500 * 2 / 1920 + 100 / 440
    assert found["low"].iloc[0] == pytest.approx(middle - 0.9 * 100 * 2 / 1920)


def test_scenarios_are_named_and_have_no_probability():
    """The case study under one rule of the document at a time: memory, RAID; and at 70 %."""
    found = assess(plan(example())).scenarios().set_index("scenario")
    assert "probability" not in found
    assert found.loc["all rules of compaq_1998", ["ram_mb", "drives"]].tolist() == [896, 12]
    assert found.loc["disk: raid_critical of compaq_1998", "drives"] == 6 + 5 + 2
    assert found.loc["planned at 70 % utilization", "systems"] == pytest.approx(
        (1600 / 1920 + 900 / 1440) * 5 / 7 + 100 / 440
    )


def test_capacity_by_a_law():
    """Amdahl's law through 1,920, 2,850, 3,400 users gives 3,762 at four processors, extrapolated; two points none."""
    row = fitted_capacity("amdahl", "smp_mail", 4, workload="Mail", system="4P").iloc[0]
    assert row["users"] == pytest.approx(3762, abs=1)
    assert row["users_low"] < row["users"] < row["users_high"]
    assert row["basis"] == "law amdahl, extrapolated"
    two = pd.DataFrame({"processors": [1, 2], "users": [1920, 2850]})
    through = fitted_capacity("amdahl", two, 3, workload="Mail").iloc[0]
    assert np.isnan(through["std_error"])
    assert through["users_low"] == through["users"]
    assert "no interval" in through["basis"]
    found = plan(
        {"groups": [{"name": "a", "users": 1500, "profile": "light_mail"}], "system": "4P"},
        catalogue=pd.DataFrame([row]),
    )
    assert "law" in found.glance()["basis"][0]


def test_columns_and_arguments():
    """Every column is in the vocabulary; bad numbers are named."""
    found = assess(plan(planning.with_spread(example(), 10)), n=100)
    frames = (found.glance(), found.tidy(), found.servers(), found.tornado(), found.scenarios())
    assert {name for frame in frames for name in frame} <= set(catalog.vocabulary())
    assert "<script" not in found._repr_html_()
    for wrong in ({"n": 0}, {"n": 1.5}, {"level": 95}, {"level": 0.5}):
        with pytest.raises(CannotPlan, match="assess"):
            assess(found.plan, **wrong)


def test_spread_of_every_group():
    """Percent below and above."""
    request = planning.with_spread(dataclasses.replace(example()), 20)
    assert request.groups[0].spread == {"kind": "triangular", "low": 640, "high": 960}
