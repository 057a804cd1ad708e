"""From people to servers: the five steps, the choice among systems, and how sure a plan is."""

from dominoperf.planning.choosing import Choice, choose
from dominoperf.planning.plan import Plan, differing, plan
from dominoperf.planning.request import PROFILES, WORKLOADS, Group, Request, example, read_request
from dominoperf.planning.rules import Rules, rule_sets, rules
from dominoperf.planning.systems import capacities, capacity, systems

__all__ = [
    "PROFILES",
    "WORKLOADS",
    "Choice",
    "Group",
    "Plan",
    "Request",
    "Rules",
    "capacities",
    "capacity",
    "choose",
    "differing",
    "example",
    "plan",
    "read_request",
    "rule_sets",
    "rules",
    "systems",
]
