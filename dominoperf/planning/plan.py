"""A plan: the five steps in a row, and what differs between two sets of rules."""

import html
from dataclasses import dataclass

import numpy as np
import pandas as pd

from dominoperf.errors import CannotPlan
from dominoperf.planning.request import read_request
from dominoperf.planning.rules import rule_sets
from dominoperf.planning.rules import rules as rules_named
from dominoperf.planning.steps import ROW, Disks, check_target, classify, convert, select, size_disks, size_memory
from dominoperf.planning.systems import capacities
from dominoperf.tables import rendering

_WEAK = ("extrapolated", "closed queue", "law", "no rule", "no interval", "as measured: not at")
STEPS = ("people", "users of the benchmark", "system and servers", "memory", "disks")
"""What the five steps of the method are about, in order."""


@dataclass(frozen=True)
class Plan:
    """What to buy for the people of a request, step by step, each quantity with its rule and page."""

    disks: Disks

    @property
    def request(self):
        """The request."""
        return self.disks.memory.selection.demand.profile.request

    @property
    def selection(self):
        """The record of step 3."""
        return self.disks.memory.selection

    @property
    def rules(self):
        """The rules."""
        return self.selection.demand.profile.rules

    @property
    def servers(self):
        """How many servers, spare ones too."""
        return len(self.selection.servers) + self.request.spare_servers

    def tidy(self):
        """Give a row a quantity: step, server, quantity, value, low, high, unit, rule, locator, basis."""
        tidy = pd.DataFrame(self._rows(), columns=ROW)
        asked = tidy.loc[tidy["basis"] == "request", "value"].dropna()  # to be seen as it was written
        tidy.attrs[rendering.PRINTED] = {"value": rendering.given_forms(asked)}
        return tidy

    def _rows(self):
        memory = self.disks.memory
        demand = memory.selection.demand
        chain = (demand.profile, demand, memory.selection, memory, self.disks)
        return [row for record in chain for row in record.rows]

    def glance(self):
        """Give one row: servers, processors, ram_mb, drives, price_usd (of the servers as priced), rules, basis."""
        return pd.DataFrame([self.summary()])

    def summary(self):
        """Give the row of `glance` as a dict: of thousands of plans, frames would take nearly all the time."""
        system, servers = self.selection.system, self.servers
        spare = self.request.spare_servers
        ram = self.disks.memory.ram_mb
        drives = [volume.drives for volume in self.disks.volumes]
        return {
            "servers": servers,
            "processors": servers * system["processors"],
            "ram_mb": sum(ram.values()) + spare * max(ram.values()),
            "drives": sum(drives) + spare * max(drives) + servers,  # and a system volume each
            "price_usd": round(servers * system["price_usd"], 2),
            "rules": self.rules.name,
            "basis": self._basis(),
        }

    def _basis(self):
        """What the plan stands on, the weakest part named."""
        told = "\n".join(dict.fromkeys(row[-1] for row in self._rows()))
        weak = [each for each in _WEAK if each in told]
        carried = zip(self.selection.demand.groups, self.selection.carried, strict=True)
        own = all(part.own and row["basis"] == "given" for part, row in carried)
        return ", ".join(["given" if own else "measured and rules", *weak])

    def __repr__(self):
        """Lay the plan out for a terminal, step by step."""
        tidy = self.tidy()
        shown = ["server", "quantity", "value", "low", "high", "unit", "rule", "basis"]
        parts = [
            f"{step}. {name}\n{rendering.as_text(tidy[tidy['step'] == step][shown])}"
            for step, name in enumerate(STEPS, start=1)
        ]
        return "\n".join([*parts, rendering.as_text(self.glance())])

    def _repr_html_(self):
        tidy = self.tidy()
        parts = [
            f"<h4>{step}. {html.escape(name)}</h4>{rendering.as_html(tidy[tidy['step'] == step].drop(columns='step'))}"
            for step, name in enumerate(STEPS, start=1)
        ]
        return "".join(parts) + rendering.as_html(self.glance())


def plan(request, *, rules="corrected", catalogue=None):
    """Plan servers, memory and disks for groups of people, by the five steps of the main TechNote (chapter 4).

    Parameters
    ----------
    request : Request, dict or path
        What is asked, see `Request`; a path of a TOML file.
    rules : {"corrected", "compaq_1998"} or Rules
        "compaq_1998" reproduces the document, its errors included; "corrected" is its method with right arithmetic.
    catalogue : path, DataFrame or dict, optional
        Systems of your own, see `systems` and `capacities`.

    Returns
    -------
    Plan

    Raises
    ------
    CannotPlan
        When the request cannot be read, or not be met: field, value, what is allowed.
    UnknownName
        When a key, profile, system or set of rules does not exist.
    """
    asked = read_request(request)
    if asked.system is None:
        known = "; ".join(dict.fromkeys(name for name, _ in capacities(catalogue)))
        remedy = f"Name one, or let `choose` find the cheapest. Known are {known}."
        raise CannotPlan("request, system", expected="the name of a system", found="none", remedy=remedy)
    return five_steps(asked, rules_named(rules), capacities(catalogue))


def five_steps(request, rules, known):
    """Take the five steps: give the plan of a `Request` that is checked, by `Rules`, with `capacities`."""
    demand = convert(classify(request, rules))
    check_target(demand)
    return Plan(size_disks(size_memory(select(demand, known))))


def differing(request, *, catalogue=None):
    """Give the quantities in which the plans of the two sets of rules differ.

    Returns
    -------
    DataFrame
        step, server, quantity, compaq_1998, corrected, unit, locator (of the corrected rule); NaN where there is none.
    """
    keys = ["step", "server", "quantity", "unit"]
    tidy = {name: plan(request, rules=name, catalogue=catalogue).tidy() for name in rule_sets()}
    both = tidy["compaq_1998"][[*keys, "value"]].merge(
        tidy["corrected"][[*keys, "value", "locator"]], on=keys, how="outer", suffixes=("_printed", ""), sort=False
    )
    both = both.rename(columns={"value_printed": "compaq_1998", "value": "corrected"})
    same = np.isclose(both["compaq_1998"], both["corrected"], rtol=1e-12)
    names = ["step", "server", "quantity", "compaq_1998", "corrected", "unit", "locator"]
    return both[~same][names].sort_values(["step", "server"], kind="stable").reset_index(drop=True)
