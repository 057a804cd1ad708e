"""A request planned by two sets of rules, side by side: line by line, the final configuration, and the difference."""

import functools
from dataclasses import dataclass

import numpy as np
import pandas as pd

from dominoperf import tables
from dominoperf.laws import disk
from dominoperf.planning import STEPS, Request, example, plan, side_by_side
from dominoperf.study.recompute.cases import CORRECTED, PUBLISHED, case_study_beside, system_drives
from dominoperf.tables import doubts, rendering

_BRIEF = "brief"  # what comes before the steps in the document
_TOLD = 2  # volumes that a sentence tells one by one
_CONFIGURED = ("memory", "paging_file", "storage_needed", "drives", "usable_space")  # of each server, by key
_HEADS = {"printed": "printed", "planned": "its rules", "corrected": CORRECTED}  # over a page's columns
_COUNTS = {"1", "person", "user", "server", "drive", "database"}  # units that the quantity names itself


def plans_beside(request, other=CORRECTED):
    """Lay the plans of a request by the document's rules and by others side by side, a row a quantity.

    Returns
    -------
    DataFrame
        As `planning.side_by_side` has it: planned by compaq_1998, corrected by the others.

    Raises
    ------
    CannotPlan
        When the request cannot be read, or not be met.
    UnknownName
        When there are no such rules.
    """
    return side_by_side(plan(request, rules=PUBLISHED), plan(request, rules=other))


def _by_server(frame):
    """The rows of a server together, the servers in the order in which they come: 10 after 9."""
    order = pd.Series(pd.factorize(frame["server"])[0], frame.index)
    return frame.loc[order.sort_values(kind="stable").index].reset_index(drop=True)


@doubts.handing_on("lines", "differing", "configuration", "glance", "spaces", "lacking")
@dataclass(frozen=True)
class Beside:
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
    def of(cls, left, right):
        """Lay plans beside each other that are there: of one request, by the document's own rules and by others."""
        made = cls(right.request, right.rules.name)
        made.__dict__["plans"] = (left, right)  # where `plans` keeps them
        return made

    @property
    def is_printed(self):
        """Whether the request is the document's, so that its printed numbers apply."""
        return self.request == example()

    def tidy(self):
        """Return a row a number: of the document's request as `case_study_beside`, of another as `plans_beside`."""
        return doubts.mark(self._tidy.copy(), (*doubts.doubts(self._tidy), *self.errata))

    @functools.cached_property
    def _tidy(self):
        return case_study_beside(self.rules) if self.is_printed else self.lines()

    @functools.cached_property
    def errata(self):
        """The errata of the rules that the plans follow and, where the request is the document's, of its numbers."""
        rules = [doubt for each in self.plans for doubt in each.errata]
        return (*rules, *(doubts.doubts(self._tidy) if self.is_printed else ()))

    def lines(self):
        """Return both plans as `plans_beside`, whether the request is printed or not."""
        return side_by_side(*self.plans)

    def differing(self):
        """Return the quantities of the plans that differ, as `plans_beside`."""
        both = self.lines()
        return both[both["differs"]].drop(columns="differs").reset_index(drop=True)

    def constants(self):
        """Return the rules that the two sets have otherwise: step, rule, planned, corrected (as text), locator."""
        left, right = (each.rules for each in self.plans)
        rows = [
            (step, name, *(rendering.cell_text(each.value(step, name)) for each in (left, right)))
            for step, name in left.differing(right)
        ]
        frame = pd.DataFrame(rows, columns=["step", "rule", "planned", "corrected"])
        found = frame.assign(locator=[right.locator(*key) for key in zip(frame["step"], frame["rule"], strict=True)])
        return doubts.mark(found, left.errata(*left.differing(right)))

    def configuration(self):
        """Return the final configuration: server, group, key, quantity, planned, corrected, unit, differs."""
        keys = ["server", "group", "key", "quantity", "unit"]
        left, right = (_configuration(each).set_index(keys)["value"] for each in self.plans)
        index = left.index.union(right.index, sort=False)
        both = pd.DataFrame({"planned": left.reindex(index), "corrected": right.reindex(index)}).reset_index()
        same = np.isclose(both["planned"], both["corrected"], rtol=1e-9, equal_nan=True)
        return _by_server(both.assign(differs=~same))[[*keys[:4], "planned", "corrected", "unit", "differs"]]

    def glance(self):
        """Return what is bought, a row for each set of rules, as `Plan.glance`."""
        return pd.concat([each.glance() for each in self.plans], ignore_index=True)

    def spaces(self):
        """Return the space of each data volume: server, basis (what is told), drives, space_gb.

        Needed; usable in the drives of the document's plan as its rules count it, and by the definition of the RAID
        level; and usable in those of the other plan.
        """
        left, right = self.plans
        level, rows = left.raid_level, []
        for each, honest in zip(left.volumes, _honest(left), strict=True):
            rows += [(each.server, "needed", np.nan, each.needed_gb)]
            rows += [(each.server, "the document's drives, as it counts", each.drives, each.usable_gb)]
            rows += [(each.server, f"the same drives, RAID {level} by definition", each.drives, honest)]
        rows += [
            (each.server, f"drives of the {self.rules} plan", each.drives, each.usable_gb) for each in right.volumes
        ]
        frame = pd.DataFrame(rows, columns=["server", "basis", "drives", "space_gb"])
        return _by_server(frame)

    def lacking(self):
        """Return the data volumes of the document's plan that hold less than they need, by the definition of RAID.

        Columns: server, drives, needed_gb, usable_gb.
        """
        left = self.plans[0]
        rows = [
            (each.server, each.drives, each.needed_gb, honest)
            for each, honest in zip(left.volumes, _honest(left), strict=True)
            if not honest >= each.needed_gb - 1e-9
        ]
        return pd.DataFrame(rows, columns=["server", "drives", "needed_gb", "usable_gb"])

    def short(self):
        """Say how many data volumes of the document's plan lack space."""
        return f"{len(self.lacking())} of {len(self.plans[0].volumes)} data volumes cannot hold what they need"

    def shortfall(self):
        """Say how many data volumes of the document's plan lack space, and what the first of them hold."""
        lacking = self.lacking()
        told = [_lack(row) for row in lacking.head(_TOLD).itertuples()]
        more = [f"and {len(lacking) - _TOLD} more"] if len(lacking) > _TOLD else []
        return self.short() + (f": {', '.join([*told, *more])}" if told else "")

    def headline(self):
        """Say in a sentence or two how many numbers agree and how many differ."""
        rows = self._tidy
        if not self.is_printed:
            return (
                f"This is not the document's request, so its printed numbers do not apply. The two plans have "
                f"{len(rows)} quantities; {int(rows['differs'].sum())} of them differ."
            )
        agree, of = int(rows["agrees"].sum()), len(rows)
        told = f"all {of}" if agree == of else f"{agree} of the {of}"
        return (
            f"By the document's own rules the planner gives {told} printed numbers, to their last digit. "
            f"By the {self.rules} rules {int(rows['differs'].sum())} of them differ."
        )

    def __repr__(self):
        """Lay the rows out for a terminal."""
        names = [
            name
            for name in ("step", "server", "quantity", *_HEADS, "unit", "differs", "arithmetic")
            if name in self._tidy
        ]
        return f"{self.headline()}\n{rendering.as_text(self._tidy[names])}"

    def _repr_html_(self):
        return steps(self.tidy(), self.rules)


def _lack(row):
    """What the drives of a volume hold; of fewer than its RAID level takes nothing is said of their space."""
    drives = f"the {row.drives} drives of" if row.drives != 1 else "the one drive of"
    if row.usable_gb != row.usable_gb:
        return f"{drives} {row.server} cannot form an array of that RAID level"
    hold = "hold" if row.drives != 1 else "holds"
    return f"{drives} {row.server} {hold} {rendering.number(row.usable_gb)} of the {rendering.number(row.needed_gb)} GB"


def steps(rows, rules=CORRECTED, *, places=False, left=""):
    """Write rows as `Beside.tidy` or `plans_beside` gives them as HTML, a table a step, the differing lines marked.

    Parameters
    ----------
    rows : DataFrame
    rules : str
        The rules on the right.
    places : bool
        Whether the page of each rule has a column; else it stands over the row.
    left : str
        What stands over the numbers by the document's rules, where nothing printed is beside them.

    Returns
    -------
    str
    """
    heads, errata = _HEADS | {"corrected": rules} | ({"planned": left} if left else {}), doubts.doubts(rows)
    cells = {each.row: _mark(each) for each in errata if each.column == "printed"}
    told = "".join(_step(step, each, heads, places, cells) for step, each in rows.groupby("step", sort=False))
    return told + doubts.as_html(errata)


def _mark(doubt):
    """How a printed number is marked that an erratum touches, and what is shown over it."""
    return "doubtful" if doubt.status == "suspected" else "wrong", f"Erratum: {doubt.reason}"


def _step(step, rows, heads, places, cells):
    """The table of a step: the lines that differ are marked by a sign and an outline, and doubted printed numbers."""
    rows = rows.reset_index(drop=True)
    caption = f"Step {step}" if isinstance(step, str) else f"Step {step}: {STEPS[step - 1]}"  # the document's, a plan's
    if step == _BRIEF:
        caption = _BRIEF.capitalize()
    marks = {(k, "printed"): cells[row] for k, row in enumerate(rows.get("order", [])) if row in cells}
    marks |= {
        (k, heads["corrected"]): ("differing", f"by the document's rules {rendering.number(rows['planned'][k])}")
        for k in np.flatnonzero(rows["differs"].astype(bool))
    }
    table = rendering.as_html(
        _shown(rows, places).rename(columns=heads),
        caption=caption,
        titles=list(rows["locator"]),
        headings={heads[each]: text for each, text in tables.meanings().items() if each in heads},
        classes=dict.fromkeys(heads.values(), "number"),
        marks=marks,
    )
    return f'<div class="scroll">{table}</div>'


def _shown(rows, places):
    """The columns of a page, narrow enough for a phone: what goes with a number stands beside the quantity."""
    frame = pd.DataFrame({"quantity": [_named(row) for row in rows.to_dict("records")]})
    if "printed" in rows:
        frame["printed"] = rows["printed"]
    frame["planned"], frame["corrected"] = (
        [rendering.number(each) for each in rows[name]] for name in ("planned", "corrected")
    )
    how = "arithmetic" if "arithmetic" in rows else "rule"
    return frame.assign(**{how: rows[how]} | ({"page": rows["locator"]} if places else {}))


def _named(row):
    """Server, quantity, unit and qualifier: ``Server 2: memory (at least, MB)``."""
    server = f"{row['server']}: " if row["server"] else ""
    told = ", ".join(filter(None, (row.get("qualifier", ""), "" if row["unit"] in _COUNTS else row["unit"])))
    return f"{server}{row['quantity']}" + (f" ({told})" if told else "")


def _configuration(planned):
    """What each server of a plan is: server, group, key, quantity, value, unit."""
    names = ["server", "group", "key", "quantity", "value", "unit"]
    of_servers = planned.tidy().query("server != ''")[names]
    people = of_servers[of_servers["key"] == "people"]
    whole = of_servers[of_servers["group"] == ""]
    system = ("drives of the system volume", system_drives(planned), "drive")
    rows = []
    for server in planned.ram_mb:
        rows += people[people["server"] == server].itertuples(index=False)
        here = whole[whole["server"] == server].set_index("key", drop=False)
        rows += here.loc[list(_CONFIGURED)].itertuples(index=False)
        rows.append((server, "", "raid_level", "RAID level", planned.raid_level, "1"))
        rows.append((server, "", "system_drives", *system))
    return pd.DataFrame(rows, columns=names)


def _honest(planned):
    """GB that the data volumes of a plan hold by the definition of their RAID level."""
    size = planned.request.drive_gb or planned.rules.value("disk", "drive_gb")
    return [float(size * disk.raid_usable(each.drives, planned.raid_level)) for each in planned.volumes]
