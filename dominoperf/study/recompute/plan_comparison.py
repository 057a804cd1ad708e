"""Two plans of one request beside each other: by the document's own rules, errors included, and by other rules."""

import functools
from dataclasses import dataclass

import numpy as np
import pandas as pd

from dominoperf import tables
from dominoperf.laws import disk
from dominoperf.planning import STEPS, Plan, Request, example, plan, side_by_side
from dominoperf.study.recompute.case_study import CORRECTED, PUBLISHED, case_study_beside, system_volume_drives_of_plan
from dominoperf.tables import carried_errata, rendering
from dominoperf.tables.rendering import Result

_SOURCE = "compaq_domino45"
_BRIEF = "brief"  # what comes before the steps in the document
_NAMED = 2  # volumes that a sentence names one by one
_CONFIGURED = ("memory", "paging_file", "storage_needed", "drives", "usable_space")  # of each server, by key
_HEADS = {"printed": "printed", "planned": "its rules", "planned_other": CORRECTED}  # over a page's columns
_COUNTS = {"1", "person", "user", "server", "drive", "database"}  # units that the quantity names itself


@carried_errata.carries_errata("tidy", "differing", "configuration", "glance", "spaces", "lacking_volumes")
@dataclass(frozen=True)
class PlanComparison(Result):
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
    def plans(self) -> tuple[Plan, Plan]:
        """The plans: by the document's own rules, and by the others."""
        return plan(self.request, rules=PUBLISHED), plan(self.request, rules=self.rules)

    @property
    def is_printed(self) -> bool:
        """Whether the request is the document's, so that its printed numbers apply."""
        return self.request == example()

    def tidy(self) -> pd.DataFrame:
        """Return a row for each quantity of the plans as `planning.side_by_side`, each place with its document."""
        return _rule_locators_with_document(side_by_side(*self.plans))

    @property
    def beside_print(self) -> pd.DataFrame:
        """A row per printed number of the document's request, as `case_study_beside`; of another request `tidy`."""
        errata = (*carried_errata.errata_of(self._beside_print), *self.errata)
        return carried_errata.attach_errata(self._beside_print.copy(), errata)

    @functools.cached_property
    def _beside_print(self):
        return case_study_beside(self.rules) if self.is_printed else self.tidy()

    @functools.cached_property
    def errata(self) -> tuple:
        """The errata of the rules that the plans follow and, where the request is the document's, of its numbers."""
        rules = [erratum for plan_of in self.plans for erratum in plan_of.errata]
        return (*rules, *(carried_errata.errata_of(self._beside_print) if self.is_printed else ()))

    def differing(self) -> pd.DataFrame:
        """Return the quantities of the plans that differ, as `tidy`."""
        both = self.tidy()
        return both[both["differs"]].drop(columns="differs").reset_index(drop=True)

    def constants(self) -> pd.DataFrame:
        """Return the rules that differ: step_key, rule, rule_meaning, constant, constant_other (as text), locator."""
        left, right = (side.rules for side in self.plans)
        rows = [
            (step, name, left.words(step, name), *(rendering.cell_text(s.value(step, name)) for s in (left, right)))
            for step, name in left.differing(right)
        ]
        frame = pd.DataFrame(rows, columns=["step_key", "rule", "rule_meaning", "constant", "constant_other"])
        rules = frame.assign(
            locator=[right.locator(*key) for key in zip(frame["step_key"], frame["rule"], strict=True)]
        )
        return carried_errata.attach_errata(_rule_locators_with_document(rules), left.errata(*left.differing(right)))

    def configuration(self) -> pd.DataFrame:
        """Return the final configuration: server, group, key, quantity, planned, planned_other, unit, differs."""
        keys = ["server", "group", "key", "quantity", "unit"]
        left, right = (_configuration_of_plan_servers(side).set_index(keys)["value"] for side in self.plans)
        index = left.index.union(right.index, sort=False)
        both = pd.DataFrame({"planned": left.reindex(index), "planned_other": right.reindex(index)}).reset_index()
        same = np.isclose(both["planned"], both["planned_other"], rtol=1e-9, equal_nan=True)
        return _plan_rows_by_server(both.assign(differs=~same))[
            [*keys[:4], "planned", "planned_other", "unit", "differs"]
        ]

    def glance(self) -> pd.DataFrame:
        """Return what is bought, a row for each set of rules, as `Plan.glance`."""
        return pd.concat([side.glance() for side in self.plans], ignore_index=True)

    def spaces(self) -> pd.DataFrame:
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

    def lacking_volumes(self) -> pd.DataFrame:
        """Return the data volumes of the document's plan that hold less than they need, by the definition of RAID."""
        left = self.plans[0]
        rows = [
            (volume.server, volume.drives, volume.needed_gb, usable)
            for volume, usable in zip(left.volumes, _usable_gb_of_plan_volumes(left), strict=True)
            if not usable >= volume.needed_gb - 1e-9
        ]
        return pd.DataFrame(rows, columns=["server", "drives", "needed_gb", "usable_gb"])

    def shortfall(self) -> str:
        """Say how many data volumes of the document's plan lack space, and how much the first of them have."""
        lacking = self.lacking_volumes()
        if lacking.empty:
            return "every data volume has the space that it needs"
        held = lacking["usable_gb"].map(rendering.number).where(lacking["usable_gb"].notna(), "nothing")  # of no array
        parts = (
            lacking["server"] + " has " + held + " of the " + lacking["needed_gb"].map(rendering.number) + " GB needed"
        )
        more = f", and {len(lacking) - _NAMED} more" if len(lacking) > _NAMED else ""
        count = f"{len(lacking)} of {len(self.plans[0].volumes)} data volumes {'is' if len(lacking) == 1 else 'are'}"
        return f"{count} too small: {', '.join(parts.head(_NAMED))}{more}"

    def headline(self) -> str:
        """Say in a sentence or two how many numbers agree and how many differ."""
        rows = self._beside_print
        if not self.is_printed:
            return (
                f"This is not the document's request, so its printed numbers do not apply. The two plans have "
                f"{len(rows)} quantities; {int(rows['differs'].sum())} of them differ."
            )
        agree, of = int(rows["agrees"].sum()), len(rows)
        count = f"all {of}" if agree == of else f"{agree} of the {of}"
        other = f" By the {self.rules} rules {int(rows['differs'].sum())} of them differ." * (self.rules != PUBLISHED)
        return f"By the document's own rules the planner gives {count} printed numbers, to their last digit.{other}"

    def __str__(self):
        """Lay the rows out for a terminal."""
        names = [
            name
            for name in ("step", "step_name", "server", "quantity", *_HEADS, "unit", "differs", "arithmetic")
            if name in self._beside_print
        ]
        return f"{self.headline()}\n{rendering.as_text(self._beside_print[names])}"

    def _repr_html_(self):
        return steps(self.beside_print, self.rules)


def steps(rows: pd.DataFrame, rules: str = CORRECTED, *, places: bool = False, left: str = "") -> str:
    """Write rows of `PlanComparison.tidy` or `beside_print` as HTML, a table a step, the differing lines marked.

    `rules` are those on the right. With `places` the page of each rule has a column; else it is over the row. `left` is
    over the numbers by the document's rules, where nothing printed is beside them.
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
