"""Named scenarios of a plan: what has no honest distribution (a rule, a target, growth) taken otherwise."""

import dataclasses
from typing import NamedTuple

import numpy as np
import pandas as pd

from dominoperf.errors import DominoperfError
from dominoperf.planning.catalogue import Catalogue
from dominoperf.planning.plan import Plan, five_steps
from dominoperf.planning.request import Request
from dominoperf.planning.rules import Rules, rule_sets, rules_named
from dominoperf.planning.systems import ratings
from dominoperf.tables import label, vocabulary
from dominoperf.tables.rendering import number

_KEYS = ["server", "group", "key", "value"]  # in which two plans may differ
_BOUGHT = ["servers", "ram_mb", "drives", "price_usd"]


class Scenario(NamedTuple):
    """A request and rules that differ from the plan's in one thing: its key, and its name in words."""

    key: str
    name: str
    request: Request
    rules: Rules


def scenarios(plan: Plan) -> list[Scenario]:
    """Return the scenarios, one thing otherwise in each, whether or not they bear on the plan.

    The other sets of rules; each rule that they have otherwise; memory of MailDB as that of Mail and of Groupware,
    between which the document puts it; CPU utilization at the rules' target and threshold, and 100 %, which is no
    headroom; no growth.
    """
    request, base = plan.request, plan.rules
    made = []
    for name in rule_sets():
        if name != base.name:
            other = rules_named(name)
            made.append(Scenario(f"rules.{name}", f"rules: {name}", request, other))
            for step, rule in base.differing(other):
                taken, instead = (_value_in_words(rules.value(step, rule)) for rules in (other, base))
                words = f"{base.words(step, rule)}: {taken} in place of {instead}"
                changed = _rules_with_one_changed(base, step, rule, other.steps[step][rule])
                made.append(Scenario(f"{step}.{rule}", words, request, changed))
    for share, kind in ((0.0, "Mail"), (1.0, "Groupware")):
        changed = _rules_with_one_changed(base, "memory", "maildb_share", {"value": share})
        made.append(Scenario(f"memory.maildb_as_{kind.lower()}", f"memory, MailDB as {kind}", request, changed))
    planned, threshold = (base.value("headroom", f"{name}_percent") for name in ("planned", "threshold"))
    for target, words in ((planned, ""), (threshold, ""), (100.0, ", no headroom")):
        changed = dataclasses.replace(request, utilization_percent=float(target))
        made.append(Scenario(f"utilization.{target:g}", f"utilization {target:g} %{words}", changed, base))
    return [*made, Scenario("growth.none", "no growth", dataclasses.replace(request, months_ahead=0.0), base)]


def _value_in_words(value):
    """The value of a rule; of a column what its heading says."""
    return vocabulary().get(str(value), {}).get("heading", value)


def _rules_with_one_changed(base, step, rule, changed):
    unchanged = {"locator": base.steps[step][rule]["locator"]}
    return Rules(base.name, base.steps | {step: base.steps[step] | {rule: unchanged | changed}})


def scenario_table(plan: Plan, catalogue: Catalogue | None = None) -> pd.DataFrame:
    """Return what is to be bought as planned, and under each scenario that changes any quantity of the plan.

    Each is planned anew on the same system, with the placement of the request or our own packing.

    Returns
    -------
    DataFrame
        key ("planned", or that of the scenario), scenario (in words), systems (the sum of the shares), servers, ram_mb,
        drives, price_usd, changes (of what is bought, in words), reason (why there is no plan).
    """
    systems = ratings(catalogue) | {(row["system"], row["workload"]): row for row in plan.ratings.values()}
    base, first = _bought_under_scenario(plan.request, plan.rules, systems)
    rows = [{"key": "planned", "scenario": "as planned"} | first]
    for scenario in scenarios(plan):
        other, bought = _bought_under_scenario(scenario.request, scenario.rules, systems)
        if other.equals(base):
            continue  # as planned
        bought["changes"] = ", ".join(
            f"{label(name)} {number(first[name])} → {number(bought[name])}"
            for name in _BOUGHT
            if first[name] == first[name] and bought[name] == bought[name] and first[name] != bought[name]
        )
        rows.append({"key": scenario.key, "scenario": scenario.name} | bought)
    return pd.DataFrame(rows)


def _bought_under_scenario(request, rules, catalogue):
    """The quantities of a plan, none without a plan; and its columns of `scenario_table`, or the reason."""
    try:
        plan = five_steps(request, rules, catalogue)
    except DominoperfError as error:
        return pd.DataFrame(columns=_KEYS), dict.fromkeys(["systems", *_BOUGHT], np.nan) | {
            "changes": "",
            "reason": str(error),
        }
    summary = plan.summary()
    bought = {"systems": plan.systems} | {name: float(summary[name]) for name in _BOUGHT}
    return plan.tidy()[_KEYS], bought | {"changes": "", "reason": ""}
