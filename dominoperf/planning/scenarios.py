"""Named scenarios of a plan: what has no honest distribution (a rule, a target, growth) taken otherwise."""

import dataclasses
from typing import NamedTuple

import numpy as np
import pandas as pd

from dominoperf.errors import DominoperfError
from dominoperf.planning.plan import Plan, five_steps
from dominoperf.planning.request import Request
from dominoperf.planning.rules import Rules, rule_sets, rules
from dominoperf.planning.steps import classify
from dominoperf.planning.systems import capacities
from dominoperf.tables.rendering import number

AS_PLANNED = "as planned"
_BOUGHT = ["servers", "ram_mb", "drives", "price_usd"]


class Scenario(NamedTuple):
    """A request and rules that differ from the plan's in one thing, which is its name."""

    name: str
    request: Request
    rules: Rules

    @property
    def profiles(self):
        """The profile of each group as these rules classify it."""
        return {each.group: each.profile for each in classify(self.request, self.rules).groups}


def scenarios(plan):
    """List the scenarios, one thing otherwise in each, whether or not they bear on the plan.

    The other set of rules; each rule that it has otherwise; memory of MailDB as that of Mail and of Groupware, between
    which the document puts it; CPU utilization at the rules' target and threshold, and 100 %, which is no head-room;
    no growth.
    """
    request, own = plan.request, plan.rules
    return [
        *_rules_otherwise(request, own),
        *(
            Scenario(f"memory, MailDB as {kind}", request, _with(own, "memory", "maildb_share", {"value": share}))
            for share, kind in ((0.0, "Mail"), (1.0, "Groupware"))
        ),
        *_targets(request, own),
        Scenario("no growth", dataclasses.replace(request, months_ahead=0.0), own),
    ]


def scenario_table(plan, catalogue=None):
    """Give what is to be bought as planned, and under each scenario that changes any quantity of the plan.

    Each is planned anew on the same system, with the placement of the request or our own packing.

    Returns
    -------
    DataFrame
        scenario, systems (the sum of the shares), servers, ram_mb, drives, price_usd, changes (of what is bought, in
        words), reason (why there is no plan).
    """
    known = capacities(catalogue) | {(row["system"], row["workload"]): row for row in plan.selection.carried}
    base = _replanned(plan.request, plan.rules, known)
    first = _summary(base)
    rows = [{"scenario": AS_PLANNED} | first | {"changes": "", "reason": _reason(base)}]
    for each in scenarios(plan):
        found = _replanned(each.request, each.rules, known)
        if _differs(base, found):
            row = _summary(found)
            rows.append({"scenario": each.name} | row | {"changes": _changes(first, row), "reason": _reason(found)})
    return pd.DataFrame(rows)


def _reason(found):
    return "" if isinstance(found, Plan) else str(found)


def _rules_otherwise(request, own):
    """The other sets of rules, whole, and each of their rules alone that is not the plan's."""
    for name in rule_sets():
        if name != own.name:
            other = rules(name)
            yield Scenario(f"rules: {name}", request, other)
            for step, rule in own.differing(other):
                told = f"{step}, {rule}: {other.value(step, rule)} in place of {own.value(step, rule)}"
                yield Scenario(told, request, _with(own, step, rule, other.steps[step][rule]))


def _targets(request, own):
    """CPU utilization at the rules' target, at their threshold, and without head-room."""
    planned, threshold = (own.value("headroom", f"{name}_percent") for name in ("planned", "threshold"))
    for target, words in ((planned, ""), (threshold, ""), (100.0, ", no head-room")):
        changed = dataclasses.replace(request, utilization_percent=float(target))
        yield Scenario(f"utilization {target:g} %{words}", changed, own)


def _with(own, step, rule, changed):
    """The rules with one of them otherwise."""
    kept = {"locator": own.steps[step][rule]["locator"]}
    return Rules(own.name, own.steps | {step: own.steps[step] | {rule: kept | changed}})


def _replanned(request, rules, known):
    """The plan of a scenario on the same system, or the error that says why there is none."""
    try:
        return five_steps(request, rules, known)
    except DominoperfError as error:
        return error


def _differs(base, found):
    if not (isinstance(base, Plan) and isinstance(found, Plan)):
        return isinstance(base, Plan) or isinstance(found, Plan)
    names = ["server", "quantity", "value"]
    return not base.tidy()[names].equals(found.tidy()[names])


def _summary(found):
    if not isinstance(found, Plan):
        return dict.fromkeys(["systems", *_BOUGHT], np.nan)
    bought = found.glance().iloc[0]
    return {"systems": found.selection.total} | {name: float(bought[name]) for name in _BOUGHT}


def _changes(first, row):
    """What is bought otherwise than as planned, in words."""
    words = [
        f"{name} {number(first[name])} → {number(row[name])}"
        for name in _BOUGHT
        if first[name] == first[name] and row[name] == row[name] and first[name] != row[name]
    ]
    return ", ".join(words)
