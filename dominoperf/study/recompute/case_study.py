"""The case study and the worked examples of the main TechNote beside the planner: printed, by its rules, corrected.

``data/case_study.toml`` says how each printed number follows from a plan.
"""

import ast
import dataclasses
import functools

import numpy as np
import pandas as pd

from dominoperf import runs, tables
from dominoperf.planning import Group, Request, example, plan, rules_named
from dominoperf.planning.steps import RAID5_OF_ONE_MORE, memory_table, usable_drives
from dominoperf.study.recompute.regeneration import printed_cell_as_number, rounded_as_printed
from dominoperf.tables import carried_errata, rendering
from dominoperf.tables.expressions import FUNCTIONS, evaluate
from dominoperf.tables.folders import our_toml_file
from dominoperf.tables.reading import read_number

PUBLISHED, CORRECTED = "compaq_1998", "corrected"
_SOURCE = "compaq_domino45"
_WRITTEN = "case_study.toml"
_CASE = "case_study"  # of the tables, and of the requests: the planner's own example
_CUT = {"over"}  # "over 46" of 46.8: cut to the printed digits, not rounded
_SIGNS = {"*": "×", "ceil": "rounded up "}


def case_study_beside(other: str = CORRECTED) -> pd.DataFrame:
    """Lay every number of the case study (pages 4-20 to 4-24) beside the planner's.

    `planned` is by the document's own rules, `planned_other` by the `other` ones. It carries the errata of the table:
    of the column printed each has its row.
    """
    return _plans_beside_table(_CASE, ["step_name", "server"], other)


def worked_examples_beside(other: str = CORRECTED) -> pd.DataFrame:
    """Lay the worked examples of the chapter beside the planner, as `case_study_beside` does its numbers.

    Of a row that no plan gives planned and planned_other are NaN, agrees is missing, and reason says why.
    """
    return _plans_beside_table("worked_examples", ["example"], other)


def case_request(
    light_mail: float | None = None,
    active: float | None = None,
    groupware: float | None = None,
    databases: int | None = None,
    critical: bool | None = None,
    system: str | None = None,
    overlap: float = 0,
) -> Request:
    """Return the request of the case study with some of it changed.

    Parameters
    ----------
    light_mail, active, groupware : float, optional
        People of each group; a group without people is left out.
    databases : int, optional
        Shared databases of the active ones.
    critical : bool, optional
    system : str, optional
    overlap : float
        People of the light mail group who are groupware users too, and are planned as those alone.

    Returns
    -------
    Request
        Equal to `planning.example` where nothing is changed.
    """
    request = example(_CASE)
    changes = {"mail": {"users": light_mail}, "active": {"users": active, "databases": databases}}
    changes["power"] = {"users": groupware}
    changed = lambda values: {name: value for name, value in values.items() if value is not None}  # noqa: E731
    groups = [dataclasses.replace(group, **changed(changes[group.name])) for group in request.groups]
    groups = tuple(group for group in groups if group.users)
    also = ({"groups": ["mail", "power"], "users": overlap},) if overlap else ()
    return dataclasses.replace(
        request, groups=groups, overlap=also, **changed({"critical": critical, "system": system})
    )


def _plans_beside_table(table, keys, other):
    """The rows of a table with what the plans by both sets of rules have for each."""
    id = f"{_SOURCE}/{table}"
    frame = tables.load(id, "printed", text=True)
    frame = frame.assign(order=frame["order"].astype(int), printed=frame["value"], locator=tables.locators(id))
    carried, written = our_toml_file(_WRITTEN)["carried"].get(table, {}), _expressions_of_table(table)
    computed = []
    for row in frame.itertuples():
        order = str(row.order)
        if order in carried:
            computed.append((np.nan, np.nan, pd.NA, pd.NA, "", carried[order]))
            continue
        request, value, how = written[order]
        where = f"{_WRITTEN}, {table}, row {order}"
        sides = [_names_in_expressions(request, rules) for rules in (PUBLISHED, other)]
        left, right = (float(_value_of_plan_expression(value, side, where)) for side in sides)
        differs = not np.isclose(left, right, rtol=1e-9, equal_nan=True)
        arithmetic = dict.fromkeys(_plan_arithmetic_written_out(how, side, where) for side in sides) if how else {}
        arithmetic = "; ".join(text for text in arithmetic if " " in text)  # a number alone is none
        computed.append(
            (left, right, plan_agrees_with_print(left, row.printed, row.qualifier), differs, arithmetic, "")
        )
    names = ["planned", "planned_other", "agrees", "differs", "arithmetic", "reason"]
    computed = pd.DataFrame(computed, columns=names).astype({"agrees": "boolean", "differs": "boolean"})
    reasons = ["reason"] * bool(computed["reason"].any())
    names = ["order", *keys, "quantity", "qualifier", "printed", "planned", "planned_other", "unit", "agrees"]
    result = frame.join(computed)[[*names, "differs", "arithmetic", *reasons, "locator"]]
    cells = [erratum._replace(column="printed") for erratum in carried_errata.errata_of(frame[["value"]])]
    return carried_errata.attach_errata(
        result, (*cells, *carried_errata.errata_of(carried_errata.propagate_errata(computed, frame)))
    )


def plan_agrees_with_print(value, printed, qualifier=""):
    """Tell whether a number prints as stated: rounded to its digits, or cut to them where "over" qualifies it."""
    stated = read_number(printed)
    if qualifier in _CUT:
        return 0 < value - stated < runs.step_of_digits(printed)  # 46.8, but neither 46 nor 47
    return rounded_as_printed(value, printed) == stated


def _value_of_plan_expression(expression, allowed, where):
    """The value of an expression over what a plan allows it to use."""
    names, functions = allowed
    return evaluate(expression, names, FUNCTIONS | functions, where)


def _plan_arithmetic_written_out(expression, allowed, where):
    """The arithmetic with numbers in place of what it calls: ``1,600 / 1,920``."""

    class Filled(ast.NodeTransformer):  # the value of each name and call of a plan in its place; arithmetic stays
        def visit_Call(self, node):
            return self.number(node) if node.func.id in allowed[1] else self.generic_visit(node)

        def visit_Name(self, node):
            return self.number(node) if node.id in allowed[0] else node

        def number(self, node):
            return ast.Name(rendering.number(_value_of_plan_expression(ast.unparse(node), allowed, where)))

    text = ast.unparse(Filled().visit(ast.parse(expression, mode="eval")))
    for sign, shown in _SIGNS.items():
        text = text.replace(sign, shown)
    return text


@functools.cache
def _names_in_expressions(request, by):
    """What an expression may use of the plan of a request by a set of rules: names and functions by name."""
    planned = plan(_request_of_example(request), rules=by)
    constants, raid_level = planned.rules, planned.raid_level
    tidy = planned.tidy().set_index(["key", "server", "group"])
    servers, single = len(planned.volumes), system_volume_drives_of_plan(planned)
    names = {
        "drive_gb": planned.request.drive_gb or constants.value("disk", "drive_gb"),
        "processors": planned.system["processors"],
        "servers": servers,
        "system_drives": single,
        "volumes": len(planned.volumes) / servers + single,  # a system volume is a single drive
    }
    groups = {group.name: group for group in planned.request.groups}
    of = lambda column: lambda key, server="", group="": tidy[column].get((key, server, group), np.nan)  # noqa: E731

    def chart(workload, people, column):  # memory in the next row up of Table 4-5 or 4-6
        most, sizes = memory_table(workload, column)
        return sizes[np.searchsorted(most, people)]

    def smaller(server):  # the next smaller number of drives that the RAID level allows; NaN without one
        fewer = np.arange(1.0, tidy["value"]["drives", server, ""])
        allowed = fewer[np.isfinite(usable_drives(fewer, raid_level, constants))]
        return allowed.max() if len(allowed) else np.nan

    def parts(drives):  # into which the space of the drives is cut: n + 1 where the rules take n/(n + 1), else n
        return drives + (raid_level in (4, 5) and constants.value("disk", "raid5_usable") == RAID5_OF_ONE_MORE)

    return names, {
        "plan": of("value"),
        "low": of("low"),
        "high": of("high"),
        "rule": constants.value,
        "asked": lambda group: groups[group].users,
        "databases": lambda group: groups[group].databases,
        "rating": {part.group: part.rating for part in planned.groups}.get,
        "chart": chart,
        "held": lambda drives: usable_drives(drives, raid_level, constants) * parts(drives) / drives,
        "parts": parts,
        "smaller": smaller,
    }


def system_volume_drives_of_plan(planned):
    """Return the drives of the system volume of each server: what the plan buys beyond the data volumes."""
    data = [volume.drives for volume in planned.volumes]
    spare = planned.request.spare_servers * max(data)
    return (planned.glance()["drives"].item() - sum(data) - spare) / planned.servers


def _request_of_example(name):
    """The request of an example, its people computed from the printed numbers by the document's own rules."""
    if name == _CASE:
        return example(name)
    about = our_toml_file(_WRITTEN)["requests"][name]
    functions = {
        "row": lambda order: printed_cell_as_number(f"{_SOURCE}/{about['table']}", "value", order),
        "rule": rules_named(PUBLISHED).value,
    }
    where = f"{_WRITTEN}, requests.{name}"
    groups = [
        Group(group, float(evaluate(text["users"], {}, functions, where)), text["profile"])
        for group, text in about["groups"].items()
    ]
    return Request(groups=tuple(groups), system=about.get("system", example(_CASE).system), name=name)


def _expressions_of_table(table):
    """Request, value and arithmetic of each row of a table by its order; "" where the value is no arithmetic."""
    expressions = {}
    for request, rows in our_toml_file(_WRITTEN)[table].items():
        for order, written in rows.items():
            if isinstance(written, dict):
                expressions[order] = request, written["value"], written["how"]
            else:
                is_arithmetic = isinstance(ast.parse(written, mode="eval").body, ast.BinOp)
                expressions[order] = request, written, written if is_arithmetic else ""
    return expressions
