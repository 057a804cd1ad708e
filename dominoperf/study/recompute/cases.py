"""The case study and the worked examples of the main TechNote beside the planner: printed, by its rules, corrected.

How a number follows from a plan stands in ``data/case_study.toml``; what it prints, in the tables of the document.
"""

import ast
import dataclasses
import functools

import numpy as np
import pandas as pd

from dominoperf import runs, tables
from dominoperf.planning import Group, Request, example, plan, rules
from dominoperf.planning.sizing import memory_table, usable_drives
from dominoperf.study.recompute.expressions import FUNCTIONS, evaluate
from dominoperf.study.recompute.regeneration import number, rounded
from dominoperf.tables import doubts, rendering
from dominoperf.tables.folders import our_file

PUBLISHED, CORRECTED = "compaq_1998", "corrected"
_SOURCE = "compaq_domino45"
_WRITTEN = "case_study.toml"
_CASE = "case_study"  # of the tables, and of the requests: the planner's own example
_CUT = {"over"}  # "over 46" of 46.8: cut to the printed digits, not rounded
_SIGNS = {"*": "×", "ceil": "rounded up "}


def case_study_beside(other=CORRECTED):
    """Lay every number of the case study (pages 4-20 to 4-24) beside the planner's.

    Parameters
    ----------
    other : str
        The rules on the right, see `planning.rule_sets`.

    Returns
    -------
    DataFrame
        order, step, server, quantity, qualifier, printed (its digits), planned (by the document's own rules), corrected
        (by the others; NaN where that plan has no such number), unit, agrees (planned, rounded to the digits of the
        print, is the printed number), differs (corrected is not planned), arithmetic (of planned and, where it
        differs, of corrected), locator. It carries the errata of the table: of the column printed each has its row.

    Raises
    ------
    UnknownName
        When there are no such rules.
    """
    return _beside(_CASE, ["step", "server"], other)


def worked_examples_beside(other=CORRECTED):
    """Lay the worked examples of the chapter beside the planner, as `case_study_beside` does its numbers.

    Returns
    -------
    DataFrame
        order, example, then as `case_study_beside`. Of a row that no plan gives planned and corrected are NaN, agrees
        is missing, and reason says why it is carried.
    """
    return _beside("worked_examples", ["example"], other)


def case_request(light_mail=None, active=None, groupware=None, databases=None, critical=None, system=None, overlap=0):
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
    asked = example(_CASE)
    changes = {"mail": {"users": light_mail}, "active": {"users": active, "databases": databases}}
    changes["power"] = {"users": groupware}
    groups = [dataclasses.replace(group, **_given(**changes[group.name])) for group in asked.groups]
    groups = tuple(group for group in groups if group.users)
    also = ({"groups": ["mail", "power"], "users": overlap},) if overlap else ()
    return dataclasses.replace(asked, groups=groups, overlap=also, **_given(critical=critical, system=system))


def _given(**values):
    return {name: value for name, value in values.items() if value is not None}


def _beside(table, keys, other):
    """The rows of a table with what the plans by both sets of rules have for each."""
    id = f"{_SOURCE}/{table}"
    frame = tables.load(id, "printed", text=True)
    frame = frame.assign(order=frame["order"].astype(int), printed=frame["value"], locator=tables.locators(id))
    found = [_row(table, *each, other) for each in frame[["order", "qualifier", "printed"]].itertuples(index=False)]
    names = ["planned", "corrected", "agrees", "differs", "arithmetic", "reason"]
    found = pd.DataFrame(found, columns=names).astype({"agrees": "boolean", "differs": "boolean"})
    reasons = ["reason"] * bool(found["reason"].any())
    names = ["order", *keys, "quantity", "qualifier", "printed", "planned", "corrected", "unit", "agrees", "differs"]
    result = frame.join(found)[[*names, "arithmetic", *reasons, "locator"]]
    cells = [doubt._replace(column="printed") for doubt in doubts.doubts(frame[["value"]])]
    return doubts.mark(result, (*cells, *doubts.doubts(doubts.hand_on(found, frame))))


def _row(table, order, qualifier, printed, other):
    """Planned, corrected, whether they agree and differ, the arithmetic, and why there is none."""
    if str(order) in _carried(table):
        return np.nan, np.nan, pd.NA, pd.NA, "", _carried(table)[str(order)]
    request, value, how = _expressions(table)[str(order)]
    where = f"{_WRITTEN}, {table}, row {order}"
    known = [_named(request, each) for each in (PUBLISHED, other)]
    left, right = (float(_computed(value, each, where)) for each in known)
    differs = not np.isclose(left, right, rtol=1e-9, equal_nan=True)
    told = dict.fromkeys(_written_out(how, each, where) for each in known) if how else {}
    return left, right, agrees(left, printed, qualifier), differs, "; ".join(filter(_is_arithmetic, told)), ""


def agrees(value, printed, qualifier=""):
    """Tell whether a number prints as stated: rounded to its digits, or cut to them where "over" qualifies it."""
    stated = tables.read_number(printed)
    if qualifier in _CUT:
        return 0 < value - stated < runs.step(printed)  # 46.8, but neither 46 nor 47
    return rounded(value, printed) == stated


def _computed(expression, known, where):
    names, functions = known
    return evaluate(expression, names, FUNCTIONS | functions, where)


def _written_out(expression, known, where):
    """The arithmetic with numbers in place of what it calls: ``1,600 / 1,920``."""
    filled = _Filled(lambda part: _computed(ast.unparse(part), known, where), set().union(*known))
    text = ast.unparse(filled.visit(ast.parse(expression, mode="eval")))
    for sign, shown in _SIGNS.items():
        text = text.replace(sign, shown)
    return text


class _Filled(ast.NodeTransformer):
    """Puts the value of each name and call of a plan in its place; arithmetic stays."""

    def __init__(self, value, known):
        self.value, self.known = value, known

    def visit_Call(self, node):
        return self._number(node) if node.func.id in self.known else self.generic_visit(node)

    def visit_Name(self, node):
        return self._number(node) if node.id in self.known else node

    def _number(self, node):
        return ast.Name(rendering.number(self.value(node)))


@functools.cache
def _named(request, by):
    """What an expression may use of the plan of a request by a set of rules: names and functions by name."""
    planned = plan(_request(request), rules=by)
    return _names(planned), _functions(planned)


def _names(planned):
    servers, drives = len(planned.volumes), system_drives(planned)
    return {
        "drive_gb": planned.request.drive_gb or planned.rules.value("disk", "drive_gb"),
        "processors": planned.system["processors"],
        "servers": servers,
        "system_drives": drives,
        "volumes": len(planned.volumes) / servers + drives,  # a system volume is a single drive
    }


def _functions(planned):
    constants, level, tidy = planned.rules, planned.raid_level, planned.tidy().set_index(["key", "server", "group"])
    groups = {group.name: group for group in planned.request.groups}
    of = lambda column: lambda key, server="", group="": tidy[column].get((key, server, group), np.nan)  # noqa: E731
    return {
        "plan": of("value"),
        "low": of("low"),
        "high": of("high"),
        "rule": constants.value,
        "asked": lambda group: groups[group].users,
        "databases": lambda group: groups[group].databases,
        "capacity": {part.group: part.capacity for part in planned.groups}.get,
        "chart": _chart,
        "held": lambda drives: usable_drives(drives, level, constants) * _parts(drives, level, constants) / drives,
        "parts": lambda drives: _parts(drives, level, constants),
        "smaller": lambda server: _smaller(tidy["value"]["drives", server, ""], level, constants),
    }


def _chart(workload, people, column):
    """Memory in the next row up of Table 4-5 or 4-6."""
    most, sizes = memory_table(workload, column)
    return sizes[np.searchsorted(most, people)]


def _parts(drives, level, constants):
    """Into how many parts the space of the drives is cut: n + 1 where the rules take n/(n + 1), else n."""
    return drives + (level in (4, 5) and not constants.value("disk", "raid5_lost"))


def _smaller(drives, level, constants):
    """The next smaller number of drives that the level allows; NaN without one."""
    fewer = np.arange(1.0, drives)
    allowed = fewer[np.isfinite(usable_drives(fewer, level, constants))]
    return allowed.max() if len(allowed) else np.nan


def system_drives(planned):
    """Return the drives of the system volume of each server: what the plan buys beyond the data volumes."""
    data = [volume.drives for volume in planned.volumes]
    spare = planned.request.spare_servers * max(data)
    return (planned.glance()["drives"].item() - sum(data) - spare) / planned.servers


def _request(name):
    """The request of an example, its people computed from the printed numbers by the document's own rules."""
    if name == _CASE:
        return example(name)
    about = our_file(_WRITTEN)["requests"][name]
    functions = {
        "row": lambda order: number(f"{_SOURCE}/{about['table']}", "value", order),
        "rule": rules(PUBLISHED).value,
    }
    where = f"{_WRITTEN}, requests.{name}"
    groups = [
        Group(each, float(evaluate(text["users"], {}, functions, where)), text["profile"])
        for each, text in about["groups"].items()
    ]
    return Request(groups=tuple(groups), system=about.get("system", example(_CASE).system), name=name)


def _expressions(table):
    """Request, value and arithmetic of each row of a table by its order; how is "" where the value is no more."""
    return {
        order: (request, *_both(each))
        for request, rows in our_file(_WRITTEN)[table].items()
        for order, each in rows.items()
    }


def _is_arithmetic(text):
    return " " in text


def _both(written):
    """An expression and its arithmetic: the same, where it has some."""
    if isinstance(written, dict):
        return written["value"], written["how"]
    return written, written if isinstance(ast.parse(written, mode="eval").body, ast.BinOp) else ""


def _carried(table):
    return our_file(_WRITTEN)["carried"].get(table, {})
