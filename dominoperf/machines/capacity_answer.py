"""How many users a machine carries of a workload, with an interval and the resource that runs out first."""

import functools
import itertools
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from dominoperf.errors import capitalized, check_level, check_number, counted, joined_with, names_its_keywords, spelling
from dominoperf.machines.asked_machines import (
    CONFIGURATION,
    Machine,
    asked_machines_of,
    machines_beyond_reach,
    measured_ranges,
    parts_beyond_measured,
    refused_machine,
    unmeasured_levels,
)
from dominoperf.machines.levels import level_of_printed_cell, spelt_as_known, texts_of_column
from dominoperf.machines.observations import CAPACITY, LOWER_LIMIT, UTILIZATION, all_observations
from dominoperf.machines.own_runs import OWN_WORKLOAD, read_own_runs
from dominoperf.machines.parts import MACHINE_TEXTS, POWERS, TEXTS, UNITS, not_known, part_in_words
from dominoperf.machines.resources import BY_RULE, ENDS, RESOURCES, nearest_runs, resource_limits
from dominoperf.machines.users_model import BUSY, Posterior, UsersModel, fit_users
from dominoperf.runs import benchmarks
from dominoperf.tables import carried_errata, folders
from dominoperf.tables.columns import units
from dominoperf.tables.rendering import Result, coverage, number, percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes  # which takes long to import

_PARTS_OF_RESOURCE = {
    "processor": POWERS,
    "memory": ("ram_mb",),
    "disk_space": ("drives", "drive_gb"),
    "spindles": ("drives",),
    "response": POWERS,
}
_RATES_IN_WORDS = {
    "1/s": "per second", "tps": "transactions per second", "tpm": "transactions per minute", "1": "of throughput",
}  # fmt: skip
_GLANCE = (  # of one machine, and of each in a frame
    "workload", "users", "low", "high", "binds", "recommended_users", "nearest_system", "nearest_run", "nearest_users",
    "beyond_measured", "basis", "reason",
)  # fmt: skip
_NUMBERS = ("users", "low", "high", "recommended_users", "nearest_users")  # of these columns; all others are text
_HEADINGS_SHOWN = 6
_SHOWS_A_BEND = 3  # so many numbers of processors
_MUCH_LESS_MEMORY = 0.8  # for each user, as a share of what any run of a user's own had
_MACHINES_AT_A_TIME, _OF_MIXTURE_AT_A_TIME = 10_000, 500  # the latter beyond lower limits


@names_its_keywords()
def capacity(
    machine: Machine,
    workload: str,
    *,
    utilization: float = 0.7,
    response_s: float | None = None,
    level: float = 0.95,
    data: pd.DataFrame | str | os.PathLike | None = None,
) -> "Capacity | pd.DataFrame":
    """Return how many users a machine carries of a workload, and which resource runs out first.

    ``users^-6 = CPU users^-6 + memory users^-6``, and no more than disks and response allow. CPU users are a product
    of powers of processors, clock and cache, and of the effects of family, system, operating system, release and
    workload; memory users are ``(ram_mb - 50) / MB per user``. Fitted to every run of the data in use, with weak
    priors (``data/capacity.toml``). Where the runs of a workload of your own differ in processors alone, `forecast`
    says what processors do in place of a power. Runs that show that memory or drives limit a workload of yours are
    refused: no law of that is known.

    Parameters
    ----------
    machine : dict, row, DataFrame, path of a TOML file, or str
        Columns of `benchmarks`: processors, clock_mhz, l2_kb (of each processor), ram_mb, drives, processor_family,
        system, operating_system, domino_release; and drive_gb. What is missing is unknown and costs precision. A str is
        the name of a system in the data; so is a row that has nothing but a system.
    workload : str
        One that was run: Mail, MailDB, DiscDB, Groupware_A, R6Mail, N8Mail, ...
    utilization : float
        Share of the CPU that the recommended users may take; at capacity it is about 94 % busy, and no busier.
    response_s : float, optional
        Average response R that must not be exceeded, by the documents' rule ``R = floor / (1 - U)``, U how busy the CPU
        is. Refused of a workload that no document ran, or of which your own runs tell R: `node_count` answers it from
        the measured responses.
    level : float
        Coverage of the intervals; they are of a new test of such a machine.
    data : DataFrame, CSV file or data folder, optional
        Runs of your own that join those of the documents: users or throughput, a workload (without that column, the one
        that is asked for), and the columns of a machine that you have. Two machines with two loads are enough; the
        answer then leans on the documents, and says so.

    Returns
    -------
    Capacity or DataFrame
        Of a frame a frame with a row per machine, in the columns of `Capacity.glance`; a machine beyond the reach of
        the measured ones has NaN and the reason.

    Raises
    ------
    UnknownName
        When the workload, a column or a system is not known.
    CannotFit
        When a single machine is beyond the reach of the measured ones, or an argument is out of range.
    BadTable
        When a cell is no number.

    Examples
    --------
    >>> machine = {"processors": 2, "clock_mhz": 200, "l2_kb": 512, "ram_mb": 512, "processor_family": "Pentium Pro"}
    >>> answer = capacity(machine, "Mail")
    >>> answer.glance()["binds"].item(), bool(2000 < answer.glance()["users"].item() < 3000)
    ('processor', True)
    """
    check_capacity_question("capacity", level, response_s)
    if utilization != 1:
        check_number(spelling("capacity(utilization=...)", "--utilization"), utilization, 0, 1)
    posterior = fitted_users_model(data=data, workload=workload)
    machines, single = asked_machines_of(posterior.model, machine, workload, response_s)
    answers = capacity_rows(posterior, machines, utilization, response_s, level)
    if not single:
        unknown = _unknown_of(posterior, machines, answers)
        answers["reason"] = answers["refused"].where(answers["refused"] != "", unknown)
        answers["workload"] = machines["workload"]
        by_rule, tested = answers["binds"].isin(BY_RULE), answers["same_machine"].fillna(False).astype(bool)
        kinds = [answers["refused"] != "", by_rule, tested]
        answers["basis"] = np.select(kinds, ["", "rule", "measured"], "modelled")
        answers = answers[list(_GLANCE)]
        answers = answers.astype(dict.fromkeys(answers.columns.difference(_NUMBERS), "str"))
        return carried_errata.attach_errata(answers, answer_errata(posterior, *machines["workload"].head(1)))
    row = answers.iloc[0]
    if row["refused"]:
        raise refused_machine(row["refused"])
    return Capacity(machines["workload"].iloc[0], utilization, response_s, level, machines.iloc[0], row, posterior)


def _unknown_of(posterior, machines, answers):
    """What nobody measured of each machine, and which of its parts are not known: why its interval is wide."""
    model, tested = posterior.model, answers["same_machine"].fillna(False).astype(bool).to_numpy()
    levels = machines[list(MACHINE_TEXTS)]
    codes, which = pd.factorize(pd.MultiIndex.from_frame(levels))
    unmeasured = [unmeasured_levels(model, pd.Series(row, levels.columns)) for row in which]
    untold, own = model.observations.untold_of_own, model.observations.are_own(machines)
    reasons = []
    configurations = texts_of_column(machines, CONFIGURATION).tolist()
    for at, row in enumerate(machines[list(POWERS)].isna().to_numpy()):
        unknown = [name for name, lacks in zip(POWERS, row, strict=True) if lacks and not (own[at] and name in untold)]
        lacking = _parts_not_known([] if tested[at] else unknown)
        reasons.append("; ".join(filter(None, [*unmeasured[codes[at]], lacking, configurations[at]])))
    return pd.Series(reasons, answers.index, dtype=object)


def _parts_not_known(names):
    """Which parts are not known, in words; "" without any."""
    return f"not known of the machine: {', '.join(map(part_in_words, names))}" if names else ""


def answer_errata(posterior: Posterior, *workloads: str) -> list:
    """Return the errata of the runs of workloads, for a frame of answers: whatever columns it has."""
    errata = itertools.chain(*map(posterior.model.observations.errata_of_workload, workloads))
    return list(dict.fromkeys(erratum._replace(column="", run="") for erratum in errata))


def check_capacity_question(name: str, level: float, response_s: float | None) -> None:
    """Refuse a level and a response that cannot be, in the words of the function that was called."""
    check_level(level, name)
    if response_s is not None:
        check_number(spelling(f"{name}(response_s=...)", "--response"), response_s, 0, float("inf"))


def capacity_rows(
    posterior: Posterior, machines: pd.DataFrame, utilization: float, response_s: float | None, level: float
) -> pd.DataFrame:
    """Return a row per machine: the columns of a frame's answer, and those of `resource_limits`."""
    refused = machines_beyond_reach(posterior.model, machines)
    numbered, parts = machines.reset_index(drop=True), []
    answerable = numbered[refused == ""]
    at_a_time = _MACHINES_AT_A_TIME if len(posterior.terms.weights) == 1 else _OF_MIXTURE_AT_A_TIME
    for start in range(0, max(len(answerable), 1), at_a_time):
        part = answerable.iloc[start : start + at_a_time]
        limits = resource_limits(posterior, part, utilization, response_s, level)
        parts.append(limits.join(nearest_runs(posterior, part)))
    answers = pd.concat(parts).reindex(numbered.index).set_axis(machines.index)
    for name in ("binds", "nearest_run", "nearest_system"):
        answers[name] = answers[name].astype(object).where(refused == "", "")
    return answers.assign(
        users=answers["all_users"],
        low=answers["all_low"],
        high=answers["all_high"],
        recommended_users=answers["all_recommended"],
        beyond_measured=np.where(refused == "", parts_beyond_measured(posterior.model, machines), ""),
        refused=refused,
    )


def what_limits_advice(row: pd.Series) -> str:
    """Return the resource that the recommended users of a row of `capacity_rows` are limited by."""
    limits = {name: row[f"{name}_recommended"] for name in RESOURCES if not np.isnan(row[f"{name}_recommended"])}
    return min(limits, key=limits.__getitem__, default="processor")


def prior_influence(machine: Machine, workload: str, *, level: float = 0.95) -> pd.DataFrame:
    """Return the answer for a machine with priors half as wide, as they are, and twice as wide.

    Parameters
    ----------
    machine, workload, level
        As for `capacity`; one machine.

    Returns
    -------
    DataFrame
        A row per width: widened (factor on the standard deviations of all priors), users, low, high, binds.

    Examples
    --------
    >>> prior_influence({"processors": 2, "processor_family": "Pentium Pro"}, "Mail")["widened"].tolist()
    [0.5, 1.0, 2.0]
    """
    check_level(level, "prior_influence")
    rows = []
    for widened in (0.5, 1.0, 2.0):
        posterior = fitted_users_model(widened)
        machines, _ = asked_machines_of(posterior.model, machine, workload)
        row = capacity_rows(posterior, machines, 0.7, None, level).iloc[0]
        if row["refused"]:
            raise refused_machine(row["refused"])
        rows.append({"widened": widened} | {name: row[name] for name in ("users", "low", "high", "binds")})
    return pd.DataFrame(rows)


def effects(data: pd.DataFrame | str | os.PathLike | None = None) -> pd.DataFrame:
    """Return every effect of the model of users: its prior, and what the runs leave of it.

    Effects are in logarithms of users; those of processors, clock_mhz and l2_kb are powers.

    Parameters
    ----------
    data : DataFrame, CSV file or data folder, optional
        Runs of your own that join those of the documents.

    Returns
    -------
    DataFrame
        term, prior, prior_sd, estimate, std_error, basis (what the prior rests on).

    Examples
    --------
    >>> terms = effects().set_index("term")
    >>> terms.loc["clock_mhz", ["prior", "prior_sd"]].tolist()
    [0.8, 0.15]
    """
    posterior = fitted_users_model(data=data)
    model, constants = posterior.model, posterior.model.constants
    about = constants["effects"] | constants["levels"]
    bases = [about[term.partition("[")[0]]["source"] for term in model.terms]
    columns = {"prior": model.mean, "prior_sd": model.sd, "estimate": posterior.mean}
    columns |= {"std_error": np.sqrt(np.diag(posterior.covariance)), "basis": bases}
    return pd.DataFrame({"term": model.terms} | columns)


def fitted_users_model(
    widened: float = 1.0, data: pd.DataFrame | str | os.PathLike | None = None, workload: str | None = None
) -> Posterior:
    """Return the model of users fitted to all runs of the data in use; kept until one of their files changes.

    Parameters
    ----------
    widened : float
        Factor on the standard deviations of the priors: 2 shows how much an answer leans on them.
    data : DataFrame, CSV file or data folder, optional
        Runs of your own that join them.
    workload : str, optional
        What these ran, where no column workload tells.

    Examples
    --------
    >>> posterior = fitted_users_model()
    >>> bool(0.3 < posterior.mean[posterior.model.column_of("processors")] < 0.9)
    True
    """
    if data is None:
        return _fitted_users(widened, None)
    of_folders = [level_of_printed_cell("workload", name) for name in benchmarks()["workload"].unique()]
    [called] = spelt_as_known([level_of_printed_cell("workload", workload or OWN_WORKLOAD)], of_folders)
    return _fitted_users(widened, read_own_runs(data, called))


@folders.cached_until_data_change(maxsize=8, ours=True)
def _fitted_users(widened, own_runs):
    """The fitted model, of runs that are read."""
    return fit_users(UsersModel.from_observations(all_observations(own_runs), widened))


@carried_errata.carries_errata("tidy", "glance")
@dataclass(frozen=True, eq=False)
class Capacity(Result):
    """What a machine carries of a workload. `tidy` has a row per resource, `glance` one row.

    Parameters
    ----------
    workload : str
    utilization, response_s, level
        As asked.
    machine, row : Series
        The machine as it was read; its answer.
    posterior : Posterior
        The fitted model.
    """

    workload: str
    utilization: float
    response_s: float | None
    level: float
    machine: pd.Series
    row: pd.Series
    posterior: Posterior

    @functools.cached_property
    def errata(self) -> list:
        """The errata of the machines and loads of the runs of the workload."""
        return answer_errata(self.posterior, self.workload)

    @property
    def users(self) -> float:
        """The users that it carries: the median of the forecast; beyond your lower limits the likeliest ones."""
        return float(self.row["users"])

    def tidy(self) -> pd.DataFrame:
        """Return a row per resource: users, low, high, recommended_users, basis, runs, beyond_measured, rule, reason.

        rule is the one that a number of basis "rule" follows, with its source.
        """
        model, rows = self.posterior.model, []
        observed = model.observations.rows
        of_workload = observed[observed["workload"] == self.workload]
        of_capacity = (of_workload["observation"] == CAPACITY) & of_workload["ram_mb"].notna()
        for name in RESOURCES:
            users, low, high, recommended = (float(self.row[f"{name}_{end}"]) for end in ENDS)
            basis, by_rule, runs, beyond, reason = "", "", 0, [], ""
            part = "ram_mb" if name == "memory" else "drives"
            described = {*(model.constants["memory_ratios"] if name == "memory" else model.observations.script_rates)}
            if users == users:
                basis = self._basis(name)
                if basis == "rule":
                    rule = model.constants[name]
                    advice = rule.get("recommended_source", "")
                    by_rule = "; recommended: ".join(filter(None, [rule["source"], advice]))
                else:
                    runs = (of_workload[of_capacity] if name == "memory" else of_workload)["run"].nunique()
                    reason = "; ".join(unmeasured_levels(model, self.machine)) if name == "processor" else ""
                beyond = [each for each in self.row["beyond_measured"].split(", ") if each in _PARTS_OF_RESOURCE[name]]
            elif name == "response":
                reason = "no longest response was asked for"
            elif self.workload not in described:
                reason = f"no document says what {self._name or 'your workload'} takes of it"
            else:
                reason = not_known(part)
            row = {"resource": name, "users": users, "low": low, "high": high, "recommended_users": recommended}
            row |= {"basis": basis, "runs": runs, "beyond_measured": ", ".join(beyond), "rule": by_rule}
            rows.append(row | {"reason": reason})
        return pd.DataFrame(rows)

    def glance(self) -> pd.DataFrame:
        """Return one row: what it carries, what runs out first, and the nearest measured machine.

        Returns
        -------
        DataFrame
            workload, users, low, high, binds, recommended_users, nearest_system, nearest_run, nearest_users,
            beyond_measured, basis (of the resource that runs out first), reason (what of the machine nobody measured,
            and which configuration of a named system was taken).
        """
        levels, parts, notes = self._notes
        cells = self.row.to_dict() | {"workload": self.workload, "basis": self._basis(self.row["binds"])}
        cells["reason"] = "; ".join(reason for reason in [*levels, parts, *notes] if reason)
        return pd.DataFrame([{name: cells[name] for name in _GLANCE}])

    def headline(self) -> str:
        """Return the answer in words."""
        return " ".join(self.sentences().values())

    def sentences(self) -> dict[str, str]:
        """Return the sentences of the headline by what each is about: users, first_out, advice, nearest, notes."""
        row, first_out = self.row, self.row["binds"]
        unit = self._unit()
        users, low, high = (number(row[name], 3) for name in ("users", "low", "high"))
        level = number(100 * self.level)
        amount = f"{users} {self._name} users" if unit == "users" else f"{self._name}: {users} {unit}"
        amount = amount if self._name else f"{users} {unit}"
        parts = {"users": f"{amount} ({level} % interval {low} to {high}, of a new test)."}
        by_rule = ""
        if first_out in ("disk_space", "spindles") and self._basis(first_out) == "rule":
            factor = float(np.sqrt(row[f"{first_out}_high"] / row[f"{first_out}_low"]))
            by_rule = f", by a rule rather than a test (good to a factor of {number(factor, 2)} either way)"
        parts["first_out"] = f"First to run out: {first_out.replace('_', ' ')}{by_rule}."
        advised = number(row["recommended_users"], 3)
        busy = f"with the CPU at most {number(100 * self.utilization)} % busy"
        tight = what_limits_advice(row)
        why = "" if tight == "processor" else f" (limited by {tight.replace('_', ' ')})"
        if tight == "memory":
            spare = self.posterior.model.constants["model"]["memory_headroom_mb"]
            why = f" (limited by memory, of which {spare} MB are not counted, as the documents advise)"
        if tight == "disk_space" and first_out != tight:  # the advice asks for more space than users were seen to fill
            held = number(row["disk_space_users"], 3)
            why = f" (limited by the document's advice on disk space; the disks may hold {held})"
        parts["advice"] = f"Recommended, {busy}: {advised} {unit}{why}."
        if "disk_space" in (tight, first_out):
            told, of_rules = self.machine["drive_gb"], self.posterior.model.constants["disk_space"]["drive_gb"]
            has = f"is taken to have {of_rules:g} GB" if np.isnan(told) else f"has {told:g} GB"
            parts["advice"] += f" Each of its drives {has}."
        if self.workload in self.posterior.model.constants["memory_ratios"]:
            parts["advice"] += " A plan counts people, each as one or more of these users, with its own memory tables."
        nearest = f"Nearest measured machine: {row['nearest_system']}"
        nearest = "This machine was tested" if row["same_machine"] else nearest
        again = f", the mean of {row['nearest_tests']:.0f} tests" if row["nearest_tests"] > 1 else ""
        parts["nearest"] = f"{nearest}: {number(row['nearest_users'])} {unit}{again}."
        levels, unknown, notes = self._notes
        told = [f"{note.removesuffix('.')}." for note in notes]
        told += [f"Wide, for {', and '.join(levels)}."] if levels else []
        told += [f"Wide {'also ' if levels else ''}for what is {unknown}."] if unknown else []
        return parts | ({"notes": " ".join(told)} if told else {})

    @functools.cached_property
    def _notes(self):
        """What nobody measured of the machine, which of its parts are not known, and on what the answer stands."""
        observations = self.posterior.model.observations
        untold = [name for name in (*POWERS, *TEXTS) if name in observations.untold_of_own]
        if untold and not observations.are_own(self.machine.to_frame().T)[0]:
            untold = []
        unused = [part_in_words(name) for name in untold if self.machine[name] == self.machine[name] != ""]
        notes = self._notes_on_own_runs()
        if unused:
            notes.append(f"What you say of {joined_with('and', unused)} changes nothing, for want of a comparison.")
        notes += self._notes_on_memory()
        notes += filter(None, [self.machine.get(CONFIGURATION, "")])  # which of several was taken
        notes += self._notes_on_parts_beyond_measured()
        notes += [capitalized(reason) for workload, reason in observations.load_tests if workload == self.workload]
        unknown = [name for name in POWERS if np.isnan(self.machine[name]) and name not in untold]
        parts = _parts_not_known([] if self.row["same_machine"] else unknown)
        return unmeasured_levels(self.posterior.model, self.machine), parts, notes

    @functools.cached_property
    def _own_runs_of_workload(self):
        """The user's own runs of the workload."""
        return self.posterior.model.observations.runs_of_user[lambda runs: runs["workload"] == self.workload]

    def _notes_on_own_runs(self):
        """On which runs of the user's it stands, what they were taken for, and what of their table is not used."""
        model, own, notes = self.posterior.model, self._own_runs_of_workload, []
        if own.empty:
            return notes
        machines = own["system"].nunique()
        curve = model.observations.own_curves.get(self.workload, ())
        if machines < model.constants["own_machines"] and len(curve) < _SHOWS_A_BEND:
            runs = f"{counted(own['run'].nunique(), 'run')} of yours on {counted(machines, 'machine')}"
            leans = "what clock and cache do leans on the documents, what other processors do on public curves"
            leans = leans if len(curve) else "what processors, clock and cache do leans on the documents"
            notes.append(f"It stands on {runs}; {leans}.")
        described = ["system", *POWERS]
        tests = own[(own[described].fillna(0) == self.machine[described].fillna(0)).all(axis=1)]
        if {*tests["observation"]} == {LOWER_LIMIT}:
            carried = number(tests["users"].max())
            notes.append(f"It was not driven to its limit: that it carries {carried} is known, how many more is not.")
        table = model.observations.own_table
        if table and table.without_workload and self.workload != OWN_WORKLOAD:
            notes.append(f"No column workload says what your runs ran: they count as {self.workload}, as asked.")
        if unused := table.unused if table else ():
            more = len(unused) - _HEADINGS_SHOWN
            shown = [*unused[:_HEADINGS_SHOWN], *([f"{more} more"] if more > 0 else [])]
            notes.append(f"Of your table {joined_with('and', shown)} {'is' if len(unused) == 1 else 'are'} not used.")
        rows = model.observations.rows
        if UTILIZATION not in {*rows["observation"][rows["workload"] == self.workload]}:
            busy = percent(np.exp(self.posterior.mean[model.column_of(BUSY)]))
            notes.append(f"No run of yours tells its CPU: with the most that it carries it is taken to be {busy} busy.")
        return notes

    def _notes_on_memory(self):
        """Whether the machine has less memory for each user than any run of the user's own workload had."""
        model, own = self.posterior.model, self._own_runs_of_workload
        if self.workload not in model.observations.own_workloads:
            return []
        base = model.constants["model"]["memory_base_mb"]
        least = ((own["ram_mb"] - base) / own["users"]).min()
        spare, users = np.maximum(self.machine["ram_mb"] - base, 0), self.row["users"]
        if not spare < _MUCH_LESS_MEMORY * least * users:
            return []
        had, has = number(least, 2), number(spare / users, 2)
        return [
            f"Beside {base:g} MB of the server it has {has} MB for each user, any run of yours at least {had} MB:"
            " whether its memory is enough, no run tells."
        ]

    def _notes_on_parts_beyond_measured(self):
        """In which parts the machine is beyond what was measured with the workload, with the range of each."""
        ranges, parts = measured_ranges(self.posterior.model, self.workload), []
        for name in filter(None, self.row["beyond_measured"].split(", ")):
            low, high = ranges[name].get(self.machine["processor_family"], ranges[name][""])
            span = f"{high:,g}" if low == high else f"{low:,g} to {high:,g}"
            parts.append(
                f"{part_in_words(name)} ({span}{' ' * (name in UNITS)}{UNITS.get(name, '').partition(' ')[0]})"
            )
        if not parts:
            return []
        measured = f"was measured with {self._name}" if self._name else "your runs measured"
        return [f"Beyond what {measured}, and so a forecast: {', '.join(parts)}."]

    def plot(self, ax: "Axes | None" = None) -> "Axes":
        """Return axes with the users of each resource and their intervals, the recommended users as a line."""
        from dominoperf.figures import dots  # drawn only where it is shown

        if ax is None:
            import matplotlib.pyplot as plt

            ax = plt.subplots()[1]
        resources = self.tidy().dropna(subset=["users"])
        resources = resources.assign(resource=resources["resource"].str.replace("_", " "))
        words = f"{f'{self._name} {self._unit()}'.strip()} ({coverage(self.level)} intervals; line: recommended)"
        how = {"low": "low", "high": "high", "reference": self.row["recommended_users"], "unit": words}
        dots(resources, "resource", "users", **how)(ax)
        ax.set_xlim(0, 1.05 * resources["high"].max())
        return ax

    @property
    def _name(self):
        """The name of the workload, "" where the user's own runs give none."""
        return "" if self.workload == OWN_WORKLOAD else self.workload

    def _unit(self):
        """What the numbers count: users, or the throughput that a user's own runs have in their place."""
        table = self.posterior.model.observations.own_table
        counted_in = table.counted_in.get(self.workload, "users") if table else "users"
        return "users" if counted_in == "users" else _RATES_IN_WORDS[units()[counted_in]]

    def _basis(self, name):
        """What the number of a resource stands on."""
        if name in BY_RULE:
            return "rule"
        return "measured" if self.row["same_machine"] else "modelled"
