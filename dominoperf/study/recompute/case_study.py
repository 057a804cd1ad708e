"""The case study and the worked examples of the main TechNote beside the planner: printed, by its rules, corrected.

``data/case_study.toml`` says how each printed number follows from a plan.
"""

import ast
import dataclasses
import functools
from dataclasses import dataclass

import numpy as np
import pandas as pd

from dominoperf import runs, tables
from dominoperf.laws import disk
from dominoperf.planning import STEPS, Group, Request, example, plan, rules_named, side_by_side
from dominoperf.planning.steps import memory_table, usable_drives
from dominoperf.study.recompute.regeneration import printed_cell_as_number, rounded_as_printed
from dominoperf.tables import carried_errata, rendering
from dominoperf.tables.expressions import FUNCTIONS, evaluate
from dominoperf.tables.folders import our_toml_file
from dominoperf.tables.numerals import read_number

PUBLISHED, CORRECTED = "compaq_1998", "corrected"
_SOURCE = "compaq_domino45"
_WRITTEN = "case_study.toml"
_CASE = "case_study"  # of the tables, and of the requests: the planner's own example
_CUT = {"over"}  # "over 46" of 46.8: cut to the printed digits, not rounded
_SIGNS = {"*": "×", "ceil": "rounded up "}
_BRIEF = "brief"  # what comes before the steps in the document
_NAMED = 2  # volumes that a sentence names one by one
_CONFIGURED = ("memory", "paging_file", "storage_needed", "drives", "usable_space")  # of each server, by key
_HEADS = {"printed": "printed", "planned": "its rules", "planned_other": CORRECTED}  # over a page's columns
_COUNTS = {"1", "person", "user", "server", "drive", "database"}  # units that the quantity names itself


def case_study_beside(other=CORRECTED):
    """Lay every number of the case study (pages 4-20 to 4-24) beside the planner's.

    Parameters
    ----------
    other : str
        The rules on the right, see `planning.rule_sets`.

    Returns
    -------
    DataFrame
        order, step_name, server, quantity, qualifier, printed (its digits), planned (by the document's own rules),
        planned_other (by the others; NaN where that plan has no such number), unit, agrees (planned, rounded to the
        digits of the print, is the printed number), differs (planned_other is not planned), arithmetic (of planned
        and, where it differs, of planned_other), locator. It carries the errata of the table: of the column printed
        each has its row.

    Raises
    ------
    UnknownName
        When there are no such rules.
    """
    return _plans_beside_table(_CASE, ["step_name", "server"], other)


def worked_examples_beside(other=CORRECTED):
    """Lay the worked examples of the chapter beside the planner, as `case_study_beside` does its numbers.

    Of a row that no plan gives planned and planned_other are NaN, agrees is missing, and reason says why.
    """
    return _plans_beside_table("worked_examples", ["example"], other)


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
        return 0 < value - stated < runs.step(printed)  # 46.8, but neither 46 nor 47
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
        return drives + (raid_level in (4, 5) and not constants.value("disk", "raid5_lost"))

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


def _rule_locators_with_document(frame):
    """The rows with the document before each place of a rule; before that of a run it stands already."""
    title = tables.document(_SOURCE)["title"]
    places = [
        "; ".join(f"{title}, {place}" if place.startswith("page ") else place for place in locator.split("; "))
        for locator in frame["locator"]
    ]
    return frame.assign(locator=places)


def _plan_rows_by_server(frame):
    """The rows of a server together, the servers in the order in which they come: 10 after 9."""
    order = pd.Series(pd.factorize(frame["server"])[0], frame.index)
    return frame.loc[order.sort_values(kind="stable").index].reset_index(drop=True)


@carried_errata.carries_errata("lines", "differing", "configuration", "glance", "spaces", "lacking_volumes")
@dataclass(frozen=True)
class PlanComparison:
    """A request by the document's own rules, errors included, beside other rules; with the print where it is its own.

    Parameters
    ----------
    request : Request
    rules : str
        The rules on the right.
    """

    request: Request
    rules: str = CORRECTED

    @functools.cached_property
    def plans(self):
        """The plans: by the document's own rules, and by the others."""
        return plan(self.request, rules=PUBLISHED), plan(self.request, rules=self.rules)

    @classmethod
    def from_plans(cls, left, right):
        """Compare existing plans of one request: by the document's own rules and by others."""
        made = cls(right.request, right.rules.name)
        made.__dict__["plans"] = (left, right)  # where `plans` keeps them
        return made

    @property
    def is_printed(self):
        """Whether the request is the document's, so that its printed numbers apply."""
        return self.request == example()

    def tidy(self):
        """Return one row per number: of the document's request as `case_study_beside`, of another as `lines`."""
        return carried_errata.attach_errata(self._tidy.copy(), (*carried_errata.errata_of(self._tidy), *self.errata))

    @functools.cached_property
    def _tidy(self):
        return case_study_beside(self.rules) if self.is_printed else self.lines()

    @functools.cached_property
    def errata(self):
        """The errata of the rules that the plans follow and, where the request is the document's, of its numbers."""
        rules = [erratum for plan_of in self.plans for erratum in plan_of.errata]
        return (*rules, *(carried_errata.errata_of(self._tidy) if self.is_printed else ()))

    def lines(self):
        """Return both plans as `planning.side_by_side` has them, whether the request is printed or not."""
        return _rule_locators_with_document(side_by_side(*self.plans))

    def differing(self):
        """Return the quantities of the plans that differ, as `lines`."""
        both = self.lines()
        return both[both["differs"]].drop(columns="differs").reset_index(drop=True)

    def constants(self):
        """Return the rules that differ: step_key, rule, constant, constant_other (as text), locator."""
        left, right = (side.rules for side in self.plans)
        rows = [
            (step, name, *(rendering.cell_text(side.value(step, name)) for side in (left, right)))
            for step, name in left.differing(right)
        ]
        frame = pd.DataFrame(rows, columns=["step_key", "rule", "constant", "constant_other"])
        rules = frame.assign(
            locator=[right.locator(*key) for key in zip(frame["step_key"], frame["rule"], strict=True)]
        )
        return carried_errata.attach_errata(_rule_locators_with_document(rules), left.errata(*left.differing(right)))

    def configuration(self):
        """Return the final configuration: server, group, key, quantity, planned, planned_other, unit, differs."""
        keys = ["server", "group", "key", "quantity", "unit"]
        left, right = (_configuration_of_plan_servers(side).set_index(keys)["value"] for side in self.plans)
        index = left.index.union(right.index, sort=False)
        both = pd.DataFrame({"planned": left.reindex(index), "planned_other": right.reindex(index)}).reset_index()
        same = np.isclose(both["planned"], both["planned_other"], rtol=1e-9, equal_nan=True)
        return _plan_rows_by_server(both.assign(differs=~same))[
            [*keys[:4], "planned", "planned_other", "unit", "differs"]
        ]

    def glance(self):
        """Return what is bought, a row for each set of rules, as `Plan.glance`."""
        return pd.concat([side.glance() for side in self.plans], ignore_index=True)

    def spaces(self):
        """Return the space of each data volume: server, space (which), drives, space_gb.

        Needed; usable in the drives of the document's plan as its rules count it, and by the definition of the RAID
        level; and usable in those of the other plan.
        """
        left, right = self.plans
        rows = []
        for volume, usable in zip(left.volumes, _usable_gb_of_plan_volumes(left), strict=True):
            rows += [(volume.server, "needed", np.nan, volume.needed_gb)]
            rows += [(volume.server, "the document's drives, as it counts", volume.drives, volume.usable_gb)]
            rows += [(volume.server, f"the same drives, RAID {left.raid_level} by definition", volume.drives, usable)]
        rows += [
            (volume.server, f"drives of the {self.rules} plan", volume.drives, volume.usable_gb)
            for volume in right.volumes
        ]
        frame = pd.DataFrame(rows, columns=["server", "space", "drives", "space_gb"])
        return _plan_rows_by_server(frame)

    def lacking_volumes(self):
        """Return the data volumes of the document's plan that hold less than they need, by the definition of RAID.

        Columns: server, drives, needed_gb, usable_gb.
        """
        left = self.plans[0]
        rows = [
            (volume.server, volume.drives, volume.needed_gb, usable)
            for volume, usable in zip(left.volumes, _usable_gb_of_plan_volumes(left), strict=True)
            if not usable >= volume.needed_gb - 1e-9
        ]
        return pd.DataFrame(rows, columns=["server", "drives", "needed_gb", "usable_gb"])

    def shortfall(self):
        """Say how many data volumes of the document's plan lack space, and how much the first two of them have."""
        lacking, parts = self.lacking_volumes(), []
        for row in lacking.head(_NAMED).itertuples():
            several = row.drives != 1
            drives = f"the {row.drives} drives of" if several else "the one drive of"
            if np.isnan(row.usable_gb):  # fewer drives than the RAID level takes
                parts.append(f"{drives} {row.server} cannot form an array of that RAID level")
                continue
            usable, needed = rendering.number(row.usable_gb), rendering.number(row.needed_gb)
            parts.append(f"{drives} {row.server} {'have' if several else 'has'} {usable} of the {needed} GB needed")
        if len(lacking) > _NAMED:
            parts.append(f"and {len(lacking) - _NAMED} more")
        are = "is" if len(lacking) == 1 else "are"
        count = f"{len(lacking)} of {len(self.plans[0].volumes)} data volumes {are} too small"
        return count + (f": {', '.join(parts)}" if parts else "")

    def headline(self):
        """Say in a sentence or two how many numbers agree and how many differ."""
        rows = self._tidy
        if not self.is_printed:
            return (
                f"This is not the document's request, so its printed numbers do not apply. The two plans have "
                f"{len(rows)} quantities; {int(rows['differs'].sum())} of them differ."
            )
        agree, of = int(rows["agrees"].sum()), len(rows)
        count = f"all {of}" if agree == of else f"{agree} of the {of}"
        return (
            f"By the document's own rules the planner gives {count} printed numbers, to their last digit. "
            f"By the {self.rules} rules {int(rows['differs'].sum())} of them differ."
        )

    def __repr__(self):
        """Lay the rows out for a terminal."""
        names = [
            name
            for name in ("step", "step_name", "server", "quantity", *_HEADS, "unit", "differs", "arithmetic")
            if name in self._tidy
        ]
        return f"{self.headline()}\n{rendering.as_text(self._tidy[names])}"

    def _repr_html_(self):
        return steps(self.tidy(), self.rules)


def steps(rows, rules=CORRECTED, *, places=False, left=""):
    """Write rows of `PlanComparison.tidy` or `lines` as HTML, a table a step, the differing lines marked.

    Parameters
    ----------
    rows : DataFrame
    rules : str
        The rules on the right.
    places : bool
        Whether the page of each rule has a column; else it is over the row.
    left : str
        What is over the numbers by the document's rules, where nothing printed is beside them.

    Returns
    -------
    str
    """
    heads = _HEADS | {"planned_other": rules} | ({"planned": left} if left else {})
    errata, page = carried_errata.errata_of(rows), ""
    of_row = {
        erratum.row: ("suspected" if erratum.status == "suspected" else "wrong", f"Erratum: {erratum.mistake}")
        for erratum in errata
        if erratum.column == "printed"
    }
    for step, part in rows.groupby("step_name" if "step_name" in rows else "step", sort=False):
        part = part.reset_index(drop=True)
        caption = f"Step {step}" if "step_name" in rows else f"Step {step}: {STEPS[step - 1]}"
        marks = {(k, "printed"): of_row[row] for k, row in enumerate(part.get("order", [])) if row in of_row}
        for k in np.flatnonzero(part["differs"].astype(bool)):
            by_document = rendering.number(part["planned"][k])
            marks[k, heads["planned_other"]] = "differing", f"by the document's rules {by_document}"
        table = rendering.as_html(
            _case_study_columns_for_page(part, places).rename(columns=heads),
            caption=_BRIEF.capitalize() if step == _BRIEF else caption,
            titles=list(part["locator"]),
            headings={heads[name]: text for name, text in tables.meanings().items() if name in heads},
            classes=dict.fromkeys(heads.values(), "number") | {"page": "locator"},
            marks=marks,
        )
        page += f'<div class="scroll">{table}</div>'
    return page + carried_errata.errata_as_html(errata)


def _case_study_columns_for_page(rows, places):
    """The columns of a page, narrow enough for a phone: server, unit and qualifier stand beside the quantity."""
    quantities = []
    for row in rows.to_dict("records"):  # Server 2: memory (at least, MB)
        server = f"{row['server']}: " if row["server"] else ""
        unit = "" if row["unit"] in _COUNTS else row["unit"]
        notes = ", ".join(filter(None, (row.get("qualifier", ""), unit)))
        quantities.append(f"{server}{row['quantity']}" + (f" ({notes})" if notes else ""))
    frame = pd.DataFrame({"quantity": quantities})
    if "printed" in rows:
        frame["printed"] = rows["printed"]
    for name in ("planned", "planned_other"):
        frame[name] = [rendering.number(value) for value in rows[name]]
    how = "arithmetic" if "arithmetic" in rows else "rule"
    return frame.assign(**{how: rows[how]} | ({"page": rows["locator"]} if places else {}))


def _configuration_of_plan_servers(planned):
    """What each server of a plan is: server, group, key, quantity, value, unit."""
    names = ["server", "group", "key", "quantity", "value", "unit"]
    of_servers = planned.tidy().query("server != ''")[names]
    people = of_servers[of_servers["key"] == "people"]
    whole = of_servers[of_servers["group"] == ""]
    system = ("drives of the system volume", system_volume_drives_of_plan(planned), "drive")
    rows = []
    for server in planned.ram_mb:
        rows += people[people["server"] == server].itertuples(index=False)
        here = whole[whole["server"] == server].set_index("key", drop=False)
        rows += here.loc[list(_CONFIGURED)].itertuples(index=False)
        rows.append((server, "", "raid_level", "RAID level", planned.raid_level, "1"))
        rows.append((server, "", "system_drives", *system))
    return pd.DataFrame(rows, columns=names)


def _usable_gb_of_plan_volumes(planned):
    """GB that the data volumes of a plan hold by the definition of their RAID level."""
    size = planned.request.drive_gb or planned.rules.value("disk", "drive_gb")
    return [float(size * disk.raid_usable(volume.drives, planned.raid_level)) for volume in planned.volumes]
