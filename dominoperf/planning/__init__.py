"""From people to servers: the five steps, the choice among systems, and how sure a plan is."""

from dominoperf.planning.cheapest import Choice, choose
from dominoperf.planning.grids import grid, risks
from dominoperf.planning.nodes_for_rate import NodePlan, node_count
from dominoperf.planning.plan import CAVEATS, STEPS, Plan, differing, plan, side_by_side
from dominoperf.planning.recommendation import Recommendation, recommend
from dominoperf.planning.request import (
    PROFILES,
    WORKLOADS,
    Group,
    Request,
    as_toml,
    example,
    read_request,
    template,
    with_spread,
)
from dominoperf.planning.risk import Assessment, assess
from dominoperf.planning.rules import Rules, rule_sets, rules_named
from dominoperf.planning.systems import rating, ratings, systems
from dominoperf.planning.unmeasured import fitted_rating, modelled_rating

__all__ = [
    "CAVEATS",
    "PROFILES",
    "STEPS",
    "WORKLOADS",
    "Assessment",
    "Choice",
    "Group",
    "NodePlan",
    "Plan",
    "Recommendation",
    "Request",
    "Rules",
    "as_toml",
    "assess",
    "choose",
    "differing",
    "example",
    "fitted_rating",
    "grid",
    "modelled_rating",
    "node_count",
    "plan",
    "rating",
    "ratings",
    "read_request",
    "recommend",
    "risks",
    "rule_sets",
    "rules_named",
    "side_by_side",
    "systems",
    "template",
    "with_spread",
]
