"""The panel of plans: the case study's request, changed, by the document's rules and by corrected ones."""

import dataclasses
import functools
from dataclasses import dataclass

import pandas as pd

from dominoperf import planning
from dominoperf.app import views
from dominoperf.app.views import PlanState, check_state_of_panel, wrong_parameter_of_panel
from dominoperf.errors import CannotPlan
from dominoperf.study import recompute
from dominoperf.study.recompute.case_study import CORRECTED, PUBLISHED
from dominoperf.study.recompute.plan_comparison import steps
from dominoperf.tables import rendering
from dominoperf.tables.rendering import number

RULES = (PUBLISHED, CORRECTED)
_IN_WORDS = {PUBLISHED: "the document's rules", CORRECTED: "the corrected rules"}
PEOPLE = {"mail": "Light mail, people", "active": "With databases, people", "power": "Groupware, people"}
RAIDS = {"rules": None, "0": 0, "1": 1, "4": 4, "5": 5, "10": 10}
_LINES = 60  # of a step, as a page has room for: a plan for a million people has thousands
_COLUMNS = ["step", "server", "group", "key", "quantity", "planned", "planned_other", "unit", "differs", "rule"]
_COLUMNS += ["locator"]


@dataclass(frozen=True)
class PlanView(views.View):
    """A request and its plans by both sets of rules; `refused` has the reason of a set that gives none."""

    state: PlanState
    request: planning.Request
    plans: dict
    refused: dict

    @functools.cached_property
    def beside(self):
        """Both plans side by side, if there are two."""
        return recompute.PlanComparison(self.request, RULES[1])

    @functools.cached_property
    def table(self):
        """Both plans side by side, as `planning.side_by_side`; NaN where one has no such line."""
        if len(self.plans) == len(RULES):
            return self.beside.tidy()
        if not self.plans:
            return pd.DataFrame(columns=_COLUMNS)
        ((name, only),) = self.plans.items()
        rows = only.tidy().rename(columns={"value": "planned" if name == RULES[0] else "planned_other"})
        return rows.assign(differs=True).reindex(columns=_COLUMNS).astype({"planned": float, "planned_other": float})

    def glance(self):
        """Return what is bought, one row per set of rules that gives a plan, as `Plan.glance`."""
        rows = [plan.glance() for plan in self.plans.values()]
        whole = pd.concat(rows, ignore_index=True) if rows else pd.DataFrame(columns=["rules"])
        return whole[["rules", *whole.columns.drop("rules")]]

    def differing(self):
        """Return the lines that differ."""
        return self.table[self.table["differs"].astype(bool)]

    def summary(self):
        """Return in a sentence or two what the difference comes to."""
        if len(self.plans) < len(RULES):
            return self.reading()
        lines = f"{len(self.differing())} of {len(self.table)} lines differ."
        return f"{self.reading()} {lines} In the document's plan {self.beside.shortfall()}."

    def reading(self):
        """Return in a sentence what each set of rules buys, then what its servers need beyond the system."""
        if not self.plans:
            return "Neither set of rules gives a plan for this request."
        bought = []
        for row in [plan.summary() for plan in self.plans.values()]:
            priced = row["price_usd"] == row["price_usd"]  # of one system, so of both plans or of none
            price = f" for ${number(row['price_usd'])}" if priced else ""
            servers = "1 server" if row["servers"] == 1 else f"{row['servers']} servers"
            has = f"{number(row['ram_mb'])} MB of memory and {number(row['drives'])} drives"
            bought.append(f"{servers} with {has}{price}")
        if len(bought) == 1:
            what = f"Only {_IN_WORDS[next(iter(self.plans))]} give a plan: {bought[0]}."
        elif bought[0] == bought[1]:
            what = f"Both sets of rules buy {bought[0]}."
        else:
            what = f"The document's rules buy {bought[0]}; the corrected rules buy {bought[1]}."
        unpriced = ["The price is of the servers as tested: drives and memory beyond theirs are not in it."] * priced
        unbuyable = [*{plan.memory_remark(): None for plan in self.plans.values() if plan.memory_remark()}]
        return " ".join([what, *unbuyable, *unpriced, *self._beyond_system()])

    def _beyond_system(self):
        """Where servers need more than the system has, in a sentence each; said once if both plans agree."""
        lacks = {name: plan.beyond_system() for name, plan in self.plans.items()}
        if len(set(map(tuple, lacks.values()))) == 1:
            return [f"{words}." for words in next(iter(lacks.values()))]
        return [f"By {_IN_WORDS[name]}, {words}." for name, some in lacks.items() for words in some]

    @property
    def alternatives(self):
        """Return what a reader can do about a plan that is refused."""
        if not self.refused:
            return ()
        if not self.request.groups:
            return (f"Move one of: {'; '.join(PEOPLE.values())}.",)
        measured = systems_offered_in_panel()
        needed = {planning.PROFILES[group.profile] for group in self.request.groups}
        able = [name for name, workloads in measured.items() if needed <= set(workloads)]
        mine = measured.get(self.request.system, ())
        lacking = [PEOPLE[group.name] for group in self.request.groups if planning.PROFILES[group.profile] not in mine]
        if not lacking:
            return ("Turn the last control back, or take fewer people.",)
        others = [f"Choose a system measured with all of these workloads: {', '.join(able)}."] if able else []
        return (*others, f"Or take to 0: {'; '.join(lacking)}.")

    def _html(self, alternatives):
        rules = {}  # refused for one reason
        for name, reason in self.refused.items():
            rules.setdefault(reason, []).append(_IN_WORDS.get(name, name))
        reasons = [f"By {' and '.join(names)}: {reason}" for reason, names in rules.items()]
        shown = self.table.groupby("step", sort=False).head(_LINES)
        more = len(self.table) - len(shown)
        lines = []
        if len(shown):
            lines = [
                "<h3>Line by line</h3>",
                views.panel_paragraph("A line that differs is in bold, with an outline and the sign ≠."),
                steps(shown, RULES[1], places=True, left=RULES[0]),
            ]
        plan = rendering.as_download("explore_plan.csv", rendering.as_csv(self.table))
        toml = planning.as_toml(self.request)
        request = rendering.as_download("explore_request.toml", toml, "application/toml")
        return views.panel_html(
            views.panel_notice(" ".join(reasons), alternatives) if reasons else "",
            views.panel_paragraph(self.summary(), "said"),
            views.panel_table(self.glance(), "What is bought") if self.plans else "",
            *lines,
            views.panel_paragraph(f"{more:,} more lines are in the download.") if more else "",
            f"<p>Download: {plan}, {request}</p>",
        )


def view(state):
    """Return what the panel of plans shows for a state."""
    request = request_of_panel(state)
    plans, refused = {}, {}
    for name in RULES:
        try:
            plans[name] = planning.plan(request, rules=name)
        except CannotPlan as error:  # of the request: the reader turns another control
            refused[name] = str(error) if request.groups else "there are no people to plan for."
    return PlanView(state, request, plans, refused)


def request_of_panel(state):
    """Return the request of a state, checked: the case study's where nothing is changed."""
    check_state_of_panel(state)
    if state.raid not in RAIDS:
        raise wrong_parameter_of_panel("raid", f"one of {', '.join(RAIDS)}", state.raid)
    if state.system not in systems_offered_in_panel():
        planning.rating(planning.ratings(), state.system, "")
    people = (state.light_mail, state.active, state.groupware, state.databases)
    request = recompute.case_request(*people, state.critical, state.system)
    usual = planning.rules_named(RULES[1]).value("headroom", "planned_percent")
    return dataclasses.replace(
        request,
        utilization_percent=None if state.utilization_percent == usual else state.utilization_percent,
        raid=RAIDS[state.raid],
        growth_percent=state.growth_percent,
        months_ahead=state.months_ahead if state.growth_percent else None,
        spare_servers=state.spare_servers,
    )


def systems_offered_in_panel():
    """Return the systems that can be planned with: name to the workloads that each was measured with."""
    workloads = {}
    for name, workload in planning.ratings():
        workloads.setdefault(name, []).append(workload)
    return workloads


def options(state):
    """Return what each list of the panel offers, systems with most workloads first: field to (words, value)."""
    measured = sorted(systems_offered_in_panel().items(), key=lambda pair: -len(pair[1]))
    levels = [(f"RAID {name}" if name != "rules" else "as the rules say", name) for name in RAIDS]
    return {"system": [(f"{name} ({', '.join(carries)})", name) for name, carries in measured], "raid": levels}
