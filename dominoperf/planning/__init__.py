"""From people to servers: the five steps, the choice among systems, and how sure a plan is."""

from dominoperf.planning.grids import grid, template
from dominoperf.planning.plan import Plan, differing, plan
from dominoperf.planning.request import PROFILES, WORKLOADS, Group, Request, example, read_request
from dominoperf.planning.rules import Rules, rule_sets, rules
from dominoperf.planning.systems import capacities, capacity, systems

__all__ = [
    "PROFILES",
    "WORKLOADS",
    "Group",
    "Plan",
    "Request",
    "Rules",
    "capacities",
    "capacity",
    "differing",
    "example",
    "grid",
    "plan",
    "read_request",
    "rule_sets",
    "rules",
    "systems",
    "template",
]
