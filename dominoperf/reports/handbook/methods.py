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
    """Return the page: the laws by family, each once, then inference, planning and audit in words."""
    cells = [prose("methods.md")]
    for family in dict.fromkeys(law.family for law in LAWS.values()):
        listed = ", ".join(f"{{ref}}`{name} <law-{name}>`" for name in FAMILIES[family])
        cells.append(f"### {_HEADS.get(family, family.capitalize())}\n\nFamily `{family}`: {listed}.")
        for law in (law for law in LAWS.values() if law.family == family):
            formula = law.latex or rf"\text{{{law.formula}}}"
            cells.append(f"(law-{law.name})=\n#### {law.title}\n\n$$\n{formula}\n$$")
            params = [_param(law, each) for each in law.params]
            cells.append(rendered("handbook/law.html", law=law, about=_about(law), params=params))
    return notebook(*cells, prose("inference.md"), prose("planning.md"), _rules(), prose("audit.md"))


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


def _about(law):
    """What stands beside the table of a law, as (word, text); the letters of the formula first."""
    x, y, short = letters(law)
    axes = [(y, law.y, law.y_unit), (x, law.x, law.x_unit)] if x else []
    said = [f"`{letter}` is `{column}`" + (f" (in {unit})" if unit else "") for letter, column, unit in axes]
    said += [f"`{each}` is `{param}`" for each, param in short.items()]
    pairs = {
        "Letters": f"{', '.join(said)}." if said else "",
        "Source": law.source,
        "Where it stops": law.limits,
        "Error": _ERRORS[law.error],
        "Is also": f"`{law.reduces[0]}` where {law.reduces[1]} = {law.reduces[2]:g}" if law.reduces else "",
        "What follows": "; ".join(f"`{each.name}`, {each.meaning}" for each in law.derived),
    }
    return [pair for pair in pairs.items() if pair[1]]


def _param(law, param):
    """A row of the table of a law's parameters."""
    low, high, held = param.low, param.high, param.held
    above = "any" if math.isinf(low) else f"{low:g} or more"
    below = f"up to {high:g}" if math.isinf(low) else f"{low:g} to {high:g}"
    fitted = "fitted" if held is None else "to be given" if math.isnan(held) else f"held at {held:g}"
    unit = param.unit.replace("{x}", law.x).replace("{y}", law.y)
    about = {"range": above if math.isinf(high) else below, "held": fitted}
    return {"name": param.name, "unit": unit, "meaning": param.meaning} | about


def _rules():
    """Both sets of planning rules side by side, each rule with its page."""
    printed, corrected = (planning.rules(name) for name in ("compaq_1998", "corrected"))
    rows = []
    for step, name in [(step, name) for step, rules in printed.steps.items() for name in rules]:
        values = {"printed": printed.value(step, name), "corrected": corrected.value(step, name)}
        about = {"place": printed.locator(step, name), "note": corrected.steps[step][name].get("note", "")}
        rows.append({"step": step, "name": name} | values | about)
    return rendered("handbook/rules.html", rows=rows)
