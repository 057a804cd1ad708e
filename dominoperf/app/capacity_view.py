"""The panel of capacity: a machine and a workload, the users it carries, and what an upgrade would change."""

from dataclasses import dataclass

import pandas as pd

from dominoperf import figures
from dominoperf.app import views
from dominoperf.app.views import CapacityState, check_state_of_panel, wrong_parameter_of_panel
from dominoperf.errors import CannotFit, UnknownName
from dominoperf.machines import capacity, capacity_ratio, fitted_users_model
from dominoperf.machines.upgrades import RATIO_IN_WORDS
from dominoperf.tables import rendering
from dominoperf.tables.rendering import number

PARTS = {  # of a machine: field of the state to what its control says
    "processors": "Processors",
    "clock_mhz": "Clock, MHz",
    "l2_kb": "Cache each, KB",
    "ram_mb": "Memory, MB",
    "drives": "Data drives",
}
NOW, THEN = "as it is", "after the upgrade"
_FOOT = "Source: all runs of the documents, joined by one model"


@dataclass(frozen=True)
class CapacityView(views.View):
    """A machine with its answer, and the same after the upgrade; `problems` say why one has none."""

    state: CapacityState
    answers: dict  # NOW and THEN to `Capacity`, as far as there is one
    ratio: pd.DataFrame  # one row, as `capacity_ratio`; none without an upgrade
    problems: tuple

    def summary(self):
        """Return in a few sentences what the machine carries, and what the upgrade brings."""
        headline = self.answers[NOW].headline() if NOW in self.answers else "No capacity is known of this machine."
        return f"{headline} {self.upgrade()}".strip()

    def upgrade(self):
        """Return in a sentence the users before and after the upgrade, and how sure it helps; nothing without one."""
        if self.ratio.empty:
            return ""
        row = self.ratio.iloc[0]
        before, after, low, high = (
            number(row[name], 3) for name in ("users_baseline", "users_comparison", "low", "high")
        )
        level = number(100 * self.answers[NOW].level)
        return (
            f"After the upgrade: {after} users in place of {before}. The ratio lies between {low} and {high} "
            f"({level} % interval). With {100 * row['probability']:.0f} % a test of it would show more than one of the "
            f"machine as it is. First to run out then: {row['binds_comparison'].replace('_', ' ')}."
        )

    def resources(self):
        """Return the users that each resource allows, a row for each of each machine: machine, then `Capacity.tidy`."""
        frames = [answer.tidy() for answer in self.answers.values()]
        frames = [frame.assign(machine=name) for name, frame in zip(self.answers, frames, strict=True)]
        whole = pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=["machine", "resource"])
        return whole[["machine", *whole.columns.drop("machine")]]

    def nearest(self):
        """Return the nearest measured machine of each: machine, nearest_system, nearest_run, nearest_users."""
        columns = ["machine", "nearest_system", "nearest_run", "nearest_users"]
        frames = [answer.glance().assign(machine=name) for name, answer in self.answers.items()]
        return pd.concat(frames, ignore_index=True)[columns] if frames else pd.DataFrame(columns=columns)

    def notes(self):
        """Return what makes an answer uncertain, in sentences: what nobody measured, or no run is near to."""
        unknown = [words for field, words in PARTS.items() if not getattr(self.state, field)]
        unknown = [f"Not known, which widens the interval: {'; '.join(unknown)}."] if unknown else []
        reasons = (answer.glance()["reason"].item() for answer in self.answers.values())
        return tuple(dict.fromkeys([*unknown, *filter(None, reasons)]))

    @property
    def alternatives(self):
        """Return what a reader can do about a machine that has no answer."""
        return ("Type another number for the part that is named, or 0: then it is not known.",) if self.problems else ()

    def picture(self):
        """Return the picture: users by resource with their intervals, of both machines; None without an answer."""
        rows = self.resources()
        if rows.empty:
            return None
        rows = rows.dropna(subset=["users"]).drop_duplicates(["resource", "users", "low", "high"])  # the same in both
        after = rows["machine"].eq(THEN) & rows.duplicated("resource")
        rows = rows.assign(item=rows["resource"].str.replace("_", " ") + after.map({True: ", after", False: ""}))
        rows = rows.sort_values("resource", key=lambda names: pd.factorize(names)[0], kind="stable")
        binds = next(iter(self.answers.values())).row["binds"].replace("_", " ")
        title = f"Expected to run out first: {binds}"
        if len(self.ratio):
            before, after = (number(self.ratio[f"users_{end}"].item(), 3) for end in ("baseline", "comparison"))
            title = f"{after} users after the upgrade, {before} before"
        group = {"group": "machine"} if len(self.answers) > 1 else {}
        drawing = figures.dots(rows, "item", "users", low="low", high="high", log=True, unit="users", **group)
        words = {"subtitle": f"{self.state.workload} users by resource, with 95 % intervals", "foot": _FOOT}
        return figures.picture(drawing, title=title, alt=f"{title}. {self.summary()}", **words)

    def _html(self, alternatives):
        picture = self.picture()
        download = rendering.as_download("explore_capacity.csv", rendering.as_csv(self.resources()))
        answer, *rest = self.answers[NOW].sentences().values() if NOW in self.answers else [""]
        return views.panel_html(
            views.panel_notice(" ".join(self.problems), alternatives) if self.problems else "",
            views.panel_paragraph(answer, "said"),
            views.panel_paragraph(" ".join(rest)),
            views.panel_paragraph(self.upgrade(), "said"),
            picture._repr_html_() if picture else "",
            views.panel_notes(self.notes()),
            *(
                views.panel_table(_shown_resources(answer), f"Resource by resource, {name}")
                for name, answer in self.answers.items()
            ),
            views.panel_table(self.ratio, "The upgrade, both machines drawn together") if len(self.ratio) else "",
            views.panel_paragraph(RATIO_IN_WORDS) if len(self.ratio) else "",
            views.panel_table(self.nearest().drop(columns="nearest_run"), "Nearest measured machine")
            if self.answers
            else "",
            f"<p>Download: {download}</p>",
        )


def view(state):
    """Return what the panel of capacity shows for a state."""
    check_state_of_panel(state)
    for field, offered in options(state).items():
        names = [name for _, name in offered]
        if getattr(state, field) not in names:
            raise UnknownName.among(f"parameter {field}", getattr(state, field), [*filter(None, names)])
    for field in (*PARTS, *(f"to_{name}" for name in PARTS), "response_s"):
        if getattr(state, field) < 0:
            raise wrong_parameter_of_panel(field, "0 or more", getattr(state, field))
    if not 0 < state.busy_percent <= 100:
        raise wrong_parameter_of_panel("busy_percent", "above 0, at most 100", state.busy_percent)
    now, then = machine_of_panel(state), upgraded_machine_of_panel(state)
    parts_of = {NOW: now} | ({THEN: then} if then != now else {})
    answers, problems, ratio = {}, {}, pd.DataFrame()
    response = {"response_s": state.response_s} if state.response_s else {}
    for name, parts in parts_of.items():
        try:
            answers[name] = capacity(parts, state.workload, utilization=state.busy_percent / 100, **response)
        except CannotFit as error:  # beyond the reach of what was measured: the reader turns another control
            problems[str(error)] = name
    if len(answers) == 2:
        ratio = capacity_ratio(*parts_of.values(), state.workload, **response)
    return CapacityView(state, answers, ratio, tuple(f"The machine {name}: {why}" for why, name in problems.items()))


def machine_of_panel(state):
    """Return the machine of a state as `capacity` takes it, without what is not known."""
    texts = {"processor_family": state.family, "operating_system": state.operating_system}
    texts |= {"domino_release": state.release}
    return {name: value for name, value in ({field: getattr(state, field) for field in PARTS} | texts).items() if value}


def upgraded_machine_of_panel(state):
    """Return the machine after the upgrade: a part whose new value is 0 stays as it is."""
    changes = {field: getattr(state, f"to_{field}") for field in PARTS}
    return machine_of_panel(state) | {field: value for field, value in changes.items() if value}


def options(state):
    """Return what each list of the panel offers: field to (words, value)."""
    levels = fitted_users_model().model.levels
    known = {"family": "processor_family", "operating_system": "operating_system", "release": "domino_release"}
    offered = {field: [("not known", "")] + [(name, name) for name in levels[of]] for field, of in known.items()}
    return {"workload": [(name, name) for name in levels["workload"]]} | offered


def _shown_resources(answer):
    """The resources of an answer as the panel shows them: names in words, without columns that say nothing."""
    rows = answer.tidy()
    rows = rows.assign(resource=rows["resource"].str.replace("_", " "))
    return rows[[name for name in rows if name != "runs" and rows[name].astype(bool).any()]]
