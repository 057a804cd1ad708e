"""What the runs say of capacity: loads that a server carried at its limit, loads with a utilization, lower limits.

The runs are those of the documents and data folders in use, and a user's own (`own_runs`).
"""

import functools
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from dominoperf.errors import BadTable, spelling
from dominoperf.machines.censoring import why_no_capacity
from dominoperf.machines.levels import machine_columns, run_names, texts_of_column
from dominoperf.machines.own_runs import MACHINE_AND_LOAD, OwnRuns, capacities_of_folder, difference_of_two_tests
from dominoperf.machines.parts import MACHINE_TEXTS, NUMBERS, POWERS, TEXTS
from dominoperf.runs import benchmarks
from dominoperf.tables import carried_errata, folders
from dominoperf.tables.folders import our_toml_file
from dominoperf.tables.reading import numbers_of_column
from dominoperf.tables.rendering import number

CAPACITY, UTILIZATION, LOWER_LIMIT = "capacity", "utilization", "lower limit"
_ALIKE_ON_CURVE = ["l2_kb", "processor_family", "operating_system", "domino_release"]
_CALLED_BY = ["processors", "processor_family", "clock_mhz", "ram_mb"]


@dataclass(frozen=True, eq=False)
class Observations:
    """The rows of the model of users, and the script rates of the workloads.

    Each row has run, source, system (its model), processor_family, operating_system, domino_release, workload (levels),
    processors, clock_mhz, l2_kb, ram_mb, drives, users, response_s, observation ("capacity", "utilization" or "lower
    limit") and log_users: of a utilization U the logarithm of ``users / U``, the users at which the CPU would be busy.
    """

    rows: pd.DataFrame
    script_rates: Mapping[str, float]  # transactions a minute and user of a workload, over those of the reference one
    own_sources: frozenset = frozenset()  # of the runs of a user's table, and of the data folders in use
    own_table: OwnRuns | None = None  # a user's own, as it was read
    load_tests: tuple[tuple[str, str], ...] = ()  # workload of each, and which of its loads counts, or why none does
    errata: tuple[carried_errata.CarriedErratum, ...] = ()  # of the machines and loads

    @functools.cached_property
    def own_workloads(self) -> frozenset:
        """Workloads that no document has; they may be counted in another unit than users."""
        return self._of_user_alone("workload")

    @functools.cached_property
    def own_systems(self) -> frozenset:
        """Systems that no document has."""
        return self._of_user_alone("system")

    def _of_user_alone(self, name):
        is_own = self.rows["source"].isin(self.own_sources)
        return frozenset(self.rows[name][is_own]) - frozenset(self.rows[name][~is_own])

    def are_own(self, machines: pd.DataFrame) -> np.ndarray:
        """Tell which machines are a user's: those that no document has, with a workload that no document has."""
        of_documents = self.rows["system"][~self.rows["system"].isin(self.own_systems)]
        of_own_workload = machines["workload"].isin(self.own_workloads) & ~machines["system"].isin(of_documents)
        return (machines["system"].isin(self.own_systems) | of_own_workload).to_numpy()

    @functools.cached_property
    def untold_of_own(self) -> frozenset[str]:
        """What no run on a user's own machines tells of them: names of numbers and of levels."""
        own = self.rows[self.rows["system"].isin(self.own_systems)]
        numbers = {name for name in POWERS if own[name].isna().all()}
        texts = {name for name in TEXTS if (own[name] == "").all()}
        return frozenset(numbers | texts) if len(own) else frozenset()

    @functools.cached_property
    def own_curves(self) -> dict[str, pd.DataFrame]:
        """Mean ln(users), its standard error and how many machines by processors, of each workload of a user's own.

        Of those whose machines differ in nothing else, in clock by no more than two tests of one differ. The users are
        those carried at capacity; where more numbers of processors tell how busy they were, those of a busy CPU. The
        error is 0 where no number of processors was tested twice.
        """
        curves = {}
        tested = self.rows[self.rows["workload"].isin(self.own_workloads) & (self.rows["observation"] != LOWER_LIMIT)]
        for workload, observed in tested.dropna(subset=["processors"]).groupby("workload"):
            counts = observed.groupby("observation")["processors"].nunique()  # capacity before utilization
            runs = observed[observed["observation"] == counts.idxmax()]
            by_processors = runs.groupby("processors")
            curve = by_processors["log_users"].agg(["mean", "count"])
            alike = runs[_ALIKE_ON_CURVE].nunique(dropna=False).max() == 1
            clocks = np.log(runs["clock_mhz"])
            told_of_all_or_none = clocks.isna().nunique() == 1
            alike &= told_of_all_or_none and not clocks.max() - clocks.min() > difference_of_two_tests()
            if alike and len(curve) > 1:
                squares = ((runs["log_users"] - runs["processors"].map(curve["mean"])) ** 2).sum()
                error = np.sqrt(squares / max(len(runs) - len(curve), 1) / curve["count"])
                points = {"log_users": curve["mean"], "std_error": error, "machines": by_processors["system"].nunique()}
                curves[workload] = pd.DataFrame(points)
        return curves

    @functools.cached_property
    def tested_off_own_curves(self) -> dict[str, np.ndarray]:
        """Numbers of processors that were tested, not to their limit: no points of the curve of a user's workload."""
        return {
            workload: np.setdiff1d(self.rows["processors"][self.rows["workload"] == workload].dropna(), curve.index)
            for workload, curve in self.own_curves.items()
        }

    def own_limit(self, workload: str) -> str:
        """Return which part may limit a user's own workload beside the processors, ram_mb or drives; "" for none.

        A machine carried more than another, by more than two tests differ, with more of it and no more of all else.
        """
        of_workload = (self.rows["workload"] == workload) & (self.rows["observation"] == CAPACITY)
        tested, differ = self.rows[of_workload], 2 * np.sqrt(2) * difference_of_two_tests()
        texts = [name for name in TEXTS if name != "system"]
        for part, other in (("ram_mb", "drives"), ("drives", "ram_mb")) if workload in self.own_workloads else ():
            parts = [part, other, *POWERS]
            machines = tested.dropna(subset=[part]).groupby([*parts, *texts], dropna=False)["log_users"]
            machines = machines.agg(["min", "max"]).reset_index()
            pairs = machines.merge(machines, on=texts, suffixes=("", "_less"))
            more = (pairs[part] > pairs[f"{part}_less"]) & (pairs["max"] > pairs["min_less"] + differ)
            for name in parts[1:]:
                same = pairs[[name, f"{name}_less"]]
                more &= (same.notna().all(axis=1) & (same[name] <= same[f"{name}_less"])) | same.isna().all(axis=1)
            if more.any():
                return part
        return ""

    def errata_of_workload(self, workload: str) -> tuple[carried_errata.CarriedErratum, ...]:
        """Return the errata of the machines and loads of the runs of a workload."""
        runs = {"", *self.rows["run"][self.rows["workload"] == workload]}
        return tuple(erratum for erratum in self.errata if erratum.run in runs)

    @functools.cached_property
    def own_runs(self) -> pd.DataFrame:
        """The rows of a user's own runs that are in no data folder."""
        return self.rows[self.rows["source"] == "own"]

    @functools.cached_property
    def runs_of_user(self) -> pd.DataFrame:
        """The rows of a user's own runs, of a table or of the data folders in use."""
        return self.rows[self.rows["source"].isin(self.own_sources)]

    @functools.cached_property
    def without_a_name(self) -> pd.DataFrame:
        """The rows whose machine has no name but that of its parts."""
        return self.rows[self.rows["system"] == machines_called_by_parts(self.rows)]

    @functools.cached_property
    def common_to_systems(self) -> list[tuple[list[str], pd.DataFrame]]:
        """What all runs of a system have, NaN where they differ: of each with as many processors, and of each system.

        Beside the columns by which the runs are of one system.
        """
        parts = [*NUMBERS, *(name for name in MACHINE_TEXTS if name != "system")]
        told, found = self.rows[["system", *parts]].replace("", np.nan), []
        for of in (["system", "processors"], ["system"]):
            alike = told.groupby(of)[[name for name in parts if name not in of]]
            found.append((of, alike.first().where(alike.nunique() == 1)))
        return found


@folders.cached_until_data_change(maxsize=2, ours=True)
def _observations_of_data_in_use():
    """The observations of the data in use, with the errata, and what is told of load tests in the user's folders."""
    every = benchmarks()
    errata = carried_errata.errata_of(carried_errata.columns_used(every, *MACHINE_AND_LOAD))
    runs = every[numbers_of_column(every, "time_s").isna()]  # rows with times are samples of a load test, no runs
    of_user = runs["source"].isin([folder.name for folder in folders.users_data_folders()])
    read, load_tests = [runs[~of_user]], ()
    for _, of_folder in runs[of_user].groupby("source"):
        capacities, peaks = capacities_of_folder(of_folder)
        read.append(capacities)
        load_tests += peaks
    observations = capacity_observations(pd.concat(read, ignore_index=True))
    own_sources = frozenset(["own", *(folder.name for folder in folders.users_data_folders())])
    return replace(observations, own_sources=own_sources, load_tests=load_tests, errata=errata)


def all_observations(own_runs: OwnRuns | None = None) -> Observations:
    """Return the observations of the data in use, and those of a user's own runs with them."""
    observations = _observations_of_data_in_use()
    if own_runs is None:
        return observations
    frame = own_runs.frame.drop(columns=["run", "source"], errors="ignore")
    own = capacity_observations(frame, ours=False).rows
    own = own.assign(source="own", run="own, " + own["run"].astype(str))
    called = {"": ""} | dict(zip(own_runs.frame["run"], "own, " + run_names(frame).astype(str), strict=True))
    errata = tuple(each._replace(run=called[each.run]) for each in own_runs.errata if each.run in called)
    every = replace(
        observations,
        rows=pd.concat([observations.rows, own], ignore_index=True),
        own_table=own_runs,
        load_tests=observations.load_tests + own_runs.load_tests,
        errata=observations.errata + errata,
    )
    for workload, unit in own_runs.counted_in.items():
        if unit != "users" and workload not in every.own_workloads:
            where = spelling("capacity(data=...), column workload", "--data, column workload")
            expected, found = f"users of {workload}, a workload of the documents", f"{unit} alone"
            remedy = "Give the users that each machine carried, or call the workload by a name of your own."
            raise BadTable(where, expected=expected, found=found, remedy=remedy)
    return every


def capacity_observations(frame: pd.DataFrame, ours: bool = True) -> Observations:
    """Return what the runs of a frame say of capacity, one row per run and kind of evidence.

    A run whose load the server set is a capacity. A run that the drivers or a choice stopped, or of a document whose
    loads are no capacities, is a lower limit: the machine carried so many. A utilization is evidence of its own:
    ``U = users x demand / power``, so ``users / U`` are the users of a busy CPU.

    `frame` is in the columns of `benchmarks`; what is missing is unknown. `ours` says that these are runs of the data
    folders, whose limits `censored` knows; else the column limited_by says which are lower limits.
    """
    frame = frame.assign(run=run_names(frame))[numbers_of_column(frame, "users") > 0].reset_index(drop=True)
    described = machine_columns(frame).assign(
        run=frame["run"],
        source=texts_of_column(frame, "source"),
        users=frame["users"].astype(float),
        response_s=numbers_of_column(frame, "response_s"),
    )
    # A machine without a name is called by its parts: rows with the same parts are one machine.
    described["system"] = described["system"].where(described["system"] != "", machines_called_by_parts(described))
    of_capacity = np.where(why_no_capacity(frame, described, ours) != "", LOWER_LIMIT, CAPACITY)
    stopped = described.assign(observation=of_capacity, log_users=np.log(described["users"]))
    busy = numbers_of_column(frame, "cpu_utilization_percent") / 100
    measured = described.assign(observation=UTILIZATION, log_users=np.log(described["users"] / busy))[busy > 0]
    script = our_toml_file("capacity.toml")["script"]
    per_user = numbers_of_column(frame, "notesmark_tpm") / described["users"]  # transactions per minute
    of_generation = per_user[described["source"].isin(script["sources"])]
    rates = of_generation.groupby(described["workload"]).median().dropna()
    relative = (rates / rates[script["reference"]]).to_dict() if script["reference"] in rates else {}
    return Observations(pd.concat([stopped, measured], ignore_index=True), relative)


def machines_called_by_parts(machines: pd.DataFrame) -> pd.Series:
    """Return what each machine is called that has no name."""
    names = []
    for processors, family, clock_mhz, ram_mb in machines[_CALLED_BY].itertuples(index=False):
        words = [f"{number(processors)} processor{'s' * (processors != 1)}"] if processors == processors else []
        words += [family] if family else []
        words += [f"{number(clock_mhz)} MHz"] if clock_mhz == clock_mhz else []
        words += [f"{number(ram_mb)} MB"] if ram_mb == ram_mb else []
        names.append(", ".join(words) or "unnamed")
    return pd.Series(names, machines.index, dtype=object)
