"""The planner's races: one plan, many futures, the choice among many systems."""

import numpy as np
import pandas as pd
from one_program import cheapest_by_one_program
from timing import race

from dominoperf import planning

FUTURES = 100_000
SAMPLE = 200  # of them, planned one by one
SYSTEMS, GROUPS = 21, 10


def races():
    """A plan against itself a hundred times, futures against as many plans, choices among few and many systems."""
    request = planning.with_spread(planning.example(), 20)
    bought = planning.plan(request)
    yield race(
        "one plan",
        lambda: planning.plan(request),
        "the same a hundred times",
        lambda: [planning.plan(request) for _ in range(100)],
        target="ours <= 10 ms",
    )
    yield race(
        f"{FUTURES:,} futures of a plan",
        lambda: planning.assess(bought, n=FUTURES).glance(),
        "a plan for each (sampled)",
        lambda: [planning.plan(request) for _ in range(SAMPLE)],
        scale=FUTURES / SAMPLE,
        target="ours: a few seconds",
    )
    asked, known = market()
    yield race(
        f"cheapest of {SYSTEMS} systems, {GROUPS} groups",
        lambda: planning.choose(asked, catalogue=known, runners_up=0),
        "with three runners-up",
        lambda: planning.choose(asked, catalogue=known, runners_up=3).sets,
        repeats=3,
        target="ours <= 1,000 ms",
    )
    price_usd = planning.choose(asked, catalogue=known, runners_up=0).bound_usd
    yield race(
        "the same",
        lambda: planning.choose(asked, catalogue=known, runners_up=0),
        "one program, told the least price",
        lambda: cheapest_by_one_program(asked, known, price_usd),
        repeats=1,
    )
    yield race(
        "the same with a spare server",
        lambda: planning.choose(asked | {"spare_servers": 1}, catalogue=known, runners_up=0),
        "without one",
        lambda: planning.choose(asked, catalogue=known, runners_up=0),
        repeats=3,
        target="ours <= 3,000 ms",
    )
    for systems, groups in ((1_000, GROUPS), (10_000, 5), (20, 50), (5, 1_000)):
        many, offered = market(systems, groups)
        yield race(
            f"cheapest of {systems:,} systems, {groups:,} groups",
            lambda many=many, offered=offered: planning.choose(many, catalogue=offered, runners_up=0),
            f"of {SYSTEMS} systems, {GROUPS} groups",
            lambda: planning.choose(asked, catalogue=known, runners_up=0),
            repeats=1,
            target="ours <= 10,000 ms",
        )


def market(systems=SYSTEMS, groups=GROUPS, seed=0):
    """A request of so many groups, and systems of random ratings, memory and prices."""
    random = np.random.default_rng(seed)
    row = dict.fromkeys(planning.systems().columns, np.nan) | {"basis": "given", "locator": ""}
    rows = [
        row | {"system": f"S{s}", "workload": workload, "users": float(random.integers(300, 5000))}
        for s in range(systems)
        for workload in planning.WORKLOADS
    ]
    frame = pd.DataFrame(rows)
    kinds = frame["system"].unique()
    ram, price = random.choice([512.0, 1024, 2048, 4096], len(kinds)), random.integers(5000, 90_000, len(kinds))
    about = pd.DataFrame({"system": kinds, "ram_mb": ram, "price_usd": price.astype(float)})
    frame = frame.drop(columns=["ram_mb", "price_usd"]).merge(about, on="system").assign(users_low=frame["users"])
    profiles = list(planning.PROFILES)
    asked = [
        {"name": f"g{k}", "users": int(random.integers(50, 900)), "profile": profiles[k % len(profiles)]}
        for k in range(groups)
    ]
    return {"groups": asked}, frame
