"""The methods: every law with its formula, how fits, plans and verdicts come about, every planning rule."""

import math
import re

from dominoperf import planning
from dominoperf.laws import FAMILIES, LAWS
from dominoperf.reports.cells import notebook, prose, rendered

_ERRORS = {
    "relative": "grows with the value: a residual counts as a share of it",
    "constant": "the same at every value",
}
_SHORT = {"S": "service_s", "R_max": "response_max_s", "rate": "rate_per_s", "c": "servers"}  # letters in formulas
_HEADS = {
    "processors": "Users against processors",
    "overhead": "Forms of overhead, for forecasts",
    "clock": "Capacity against the clock",
    "cache": "Capacity against the cache",
    "sizing": "Memory that users need",
    "memory": "Response against memory",
    "disk": "Response against drives",
    "utilization": "Utilization against users",
    "response": "Response against utilization or users",
    "price": "Users against price",
    "cost": "Price against users",
}


def page(pages):
    """Give the page: the laws by family, then inference, planning and audit in words."""
    return notebook(
        prose("methods.md"), *_laws(), prose("inference.md"), prose("planning.md"), _rules(), prose("audit.md")
    )


def _laws():
    """The families in order, each law once, under the family that it is of."""
    for family in dict.fromkeys(law.family for law in LAWS.values()):
        yield f"### {_HEADS.get(family, family.capitalize())}\n\nFamily `{family}`: {_listed(FAMILIES[family])}."
        for law in (law for law in LAWS.values() if law.family == family):
            words = rf"\text{{{law.formula}}}"
            yield f"(law-{law.name})=\n#### {law.title}\n\n$$\n{law.latex or words}\n$$"
            yield rendered(
                "handbook/law.html", law=law, about=_about(law), params=[_param(law, each) for each in law.params]
            )


def _listed(names):
    return ", ".join(f"{{ref}}`{name} <law-{name}>`" for name in names)


def _about(law):
    """What stands beside the table of a law, as (word, text); the letters of the formula first."""
    x, y, short = letters(law)
    said = [f"`{y}` is {_axis(law.y, law.y_unit)}", f"`{x}` is {_axis(law.x, law.x_unit)}"] if x else []
    said += [f"`{each}` is `{param}`" for each, param in short.items()]
    named = [("Letters", ", ".join(said) + ".")] if said else []
    derived = "; ".join(f"`{each.name}`, {each.meaning}" for each in law.derived)
    less = f"`{law.reduces[0]}` where {law.reduces[1]} = {law.reduces[2]:g}" if law.reduces else ""
    said = [("Source", law.source), ("Where it stops", law.limits), ("Error", _ERRORS[law.error])]
    return [*named, *said, *(pair for pair in (("Is also", less), ("What follows", derived)) if pair[1])]


def letters(law):
    """Return what a formula calls its x and y, and its short names of parameters; nothing where it is no equation."""
    equation, _, solved_for = law.formula.partition(", solved for ")
    if " = " not in equation:
        return "", "", {}
    names = set(re.findall(r"[A-Za-z_]+(?![\w(])", equation)) - {"ln"}
    short = {each: long for each, long in _SHORT.items() if each in names and long in law.names}
    y = solved_for or equation.partition(" = ")[0]
    (x,) = names - {*law.names, *short, y}
    return x, y, short


def _axis(column, unit):
    """An axis by its column, with the unit that the formula needs of it."""
    return f"`{column}`" + (f" (in {unit})" if unit else "")


def _param(law, param):
    unit = param.unit.replace("{x}", law.x).replace("{y}", law.y)
    held = "" if param.held is None else "to be given" if math.isnan(param.held) else f"held at {param.held:g}"
    return {
        "name": param.name,
        "unit": unit,
        "meaning": param.meaning,
        "range": _range(param),
        "held": held or "fitted",
    }


def _range(param):
    low, high = (math.isinf(each) for each in (param.low, param.high))
    if low and high:
        return "any"
    return f"{param.low:g} or more" if high else f"up to {param.high:g}" if low else f"{param.low:g} to {param.high:g}"


def _rules():
    """Both sets of planning rules side by side, each rule with its page."""
    printed, corrected = (planning.rules(name) for name in ("compaq_1998", "corrected"))
    rows = [
        {
            "step": step,
            "name": name,
            "printed": printed.value(step, name),
            "corrected": corrected.value(step, name),
            "place": printed.locator(step, name),
            "note": corrected.steps[step][name].get("note", ""),
        }
        for step, rules in printed.steps.items()
        for name in rules
    ]
    return rendered("handbook/rules.html", rows=rows)
