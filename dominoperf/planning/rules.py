"""The rules of a plan: the constants of its method, each with its page; the published ones and corrected ones."""

from dataclasses import dataclass
from typing import Any

from dominoperf.errors import UnknownName, names_its_keywords
from dominoperf.tables import loading
from dominoperf.tables.folders import our_toml_file


def planning_method() -> dict:
    """Return what ``data/planning.toml`` says: whose method a plan follows, its sets of rules, its tables."""
    return our_toml_file("planning.toml")


@dataclass(frozen=True)
class Rules:
    """A set of planning rules by step and name.

    Examples
    --------
    >>> rules_named("compaq_1998").differing(rules_named("corrected"))[0]
    ('users', 'maildb_reader')
    """

    name: str
    steps: dict

    def value(self, step: str, name: str) -> Any:  # a number, or a word: which, its name tells
        """Return the number or word of a rule: a bound in KB, users a person, percent, MB or GB, as its name says."""
        rule = self.steps[step][name]
        return rule.get("value", rule.get("multiplier"))

    def words(self, step: str, name: str) -> str:
        """Return what a rule is, in words, with its unit."""
        return planning_method()["words"][step][name]

    def locator(self, step: str, name: str) -> str:
        """Return the page of a rule in its document, and the note on our reading where there is one."""
        rule = self.steps[step][name]
        return rule["locator"] + (f" ({rule['note']})" if "note" in rule else "")

    def errata(self, *keys: tuple[str, str]) -> list:
        """Return the errata of the cells that print some rules, as (step, name); the rules are as printed."""
        cells = [self.steps[step][name].get("cell", "").partition("#") for step, name in keys]
        return [
            erratum._replace(column="", row=0)
            for table, _, row in cells
            if table
            for erratum in loading.errata_touching(
                f"{planning_method()['document']}/{table}", "printed", rows={int(row)}
            )
        ]

    def rating_column(self) -> str:
        """Return the column of `systems` whose users a system is planned with.

        "users" that passed, or "users_low", the lower bound of what it carries: that too of a set that does not say.
        """
        return self.steps["servers"]["share"].get("rating", "users_low")

    def differing(self, other: "Rules") -> list[tuple[str, str]]:
        """Return the rules that another set has otherwise, as (step, name)."""
        return [
            (step, name)
            for step, rules in self.steps.items()
            for name in rules
            if str(self.value(step, name)) != str(other.value(step, name))
        ]


@names_its_keywords()
def rules_named(name: str | Rules | None = None) -> Rules:
    """Return a set of planning rules by its name, by default the corrected one; a set of rules is one already.

    What a set does not say is as in the first one of ``data/rules.toml``, which says all.

    Raises
    ------
    UnknownName
        When there is no such set.

    Examples
    --------
    >>> rules_named("corrected").value("users", "light_mail"), rules_named().value("disk", "raid_critical")
    (2, 1)
    """
    if isinstance(name, Rules):
        return name
    name = planning_method()["rules"] if name is None else name
    sets = our_toml_file("rules.toml")
    if not isinstance(name, str) or name not in sets:
        raise UnknownName.among("rules", name, sets)
    first, own = next(iter(sets.values())), sets[name]
    return Rules(name, {step: rules | own.get(step, {}) for step, rules in first.items()})


def rule_sets() -> list[str]:
    """Return the names of the sets of rules, that of the document first.

    Examples
    --------
    >>> rule_sets()[:2]
    ['compaq_1998', 'corrected']
    """
    return list(our_toml_file("rules.toml"))
