"""What several test modules here plan with: a system of a user's own, groups of mail, and the values of a plan."""

import pandas as pd

from dominoperf import planning
from dominoperf.planning import Group, Request, plan

PL5000 = "ProLiant 5000 1xP6/200-512"
SYSTEM = {"system": "S", "users": 2000.0, "response_s": 0.5, "think_s": 45.0, "processors": 1, "price_usd": 1000.0}
OWN_GROUP = {"name": "callers", "users": 2000, "profile": "own", "workload": "checkout", "ram_mb": 512,
             "ram_mb_per_user": 0.5, "disk_mb_per_user": 2}  # fmt: skip


def known(*names, **changed):
    """A catalogue of systems, by default one, that each carry 2,000 users of every workload."""
    rows = [SYSTEM | {"system": name, "workload": each} | changed for name in names or ("S",)
            for each in planning.WORKLOADS]  # fmt: skip
    return pd.DataFrame(rows)


def mail(users, spread=None, name="mail", **fields):
    """A group of light mail: two users of the benchmark each."""
    return Group(name, users, fields.pop("profile", "light_mail"), spread=spread, **fields)


def asked(*groups, **settings):
    """A request on the case study's system."""
    return Request(groups, **{"system": PL5000} | settings)


def planned(*groups, catalogue=None, rules="corrected", **asked):
    """A plan on that system, its data critical (RAID 1), all groups on one server where they fit."""
    request = Request(tuple(groups), system="S", critical=True, **asked)
    return plan(request, rules=rules, catalogue=known() if catalogue is None else catalogue)


def only(frame):
    """The one row of a frame."""
    assert len(frame) == 1
    return frame.iloc[0]


def values(request, rules="corrected", **settings):
    """The values of a plan by server, group and key."""
    return plan(request, rules=rules, **settings).tidy().set_index(["server", "group", "key"])["value"]
