"""The planning constants, each with its page; ``compaq_1998`` as published, ``corrected`` with its errors mended."""

from dataclasses import dataclass

from dominoperf import tables
from dominoperf.errors import UnknownName
from dominoperf.tables.folders import our_file

_METHOD = our_file("planning.toml")
DOCUMENT = _METHOD["document"]
"""The document whose method a plan follows."""
CASE_STUDY = _METHOD["case_study"]
"""The table that prints the request of its case study."""


@dataclass(frozen=True)
class Rules:
    """A set of planning rules by step and name."""

    name: str
    steps: dict

    def value(self, step, name):
        """Give the number or word of a rule: a bound in KB, users for a person, percent, MB or GB, as its name says."""
        rule = self.steps[step][name]
        return rule.get("value", rule.get("multiplier"))

    def locator(self, step, name):
        """Give the page of a rule in the main TechNote, and the note on our reading where there is one."""
        rule = self.steps[step][name]
        return rule["locator"] + (f" ({rule['note']})" if "note" in rule else "")

    def errata(self, *keys):
        """Give the errata of the cells that print some rules, as (step, name); the rules are as printed."""
        cells = [self.steps[step][name].get("cell", "").partition("#") for step, name in keys]
        return [
            doubt._replace(column="", row=0)
            for table, _, row in cells
            if table
            for doubt in tables.doubted(f"{DOCUMENT}/{table}", "printed", rows={int(row)})
        ]

    def carried(self):
        """Name the column of `systems` whose users a system is planned with.

        "users" that passed, or "users_low", the lower bound of what it carries: that too of a set that does not say.
        """
        return self.steps["servers"]["share"].get("carried", "users_low")

    def differing(self, other):
        """List the rules that another set has otherwise, as (step, name)."""
        return [
            (step, name)
            for step, rules in self.steps.items()
            for name in rules
            if str(self.value(step, name)) != str(other.value(step, name))
        ]


def rules(name="corrected"):
    """Give a set of planning rules by its name; a set of rules is one already.

    Raises
    ------
    UnknownName
        When there is no such set.
    """
    if isinstance(name, Rules):
        return name
    known = _written()
    if not isinstance(name, str) or name not in known:
        raise UnknownName.among("rules", name, known, f"Known are {', '.join(known)}.")
    return Rules(name, known[name])


def rule_sets():
    """List the names of the sets of rules."""
    return list(_written())


def _written():
    return our_file("rules.toml")
