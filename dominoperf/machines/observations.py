"""What the runs say of capacity: loads that a server carried at its limit, loads with a utilization, lower limits."""

import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from dominoperf.machines.censoring import why_no_capacity
from dominoperf.machines.levels import level_of, names, numbers, texts
from dominoperf.runs import benchmarks
from dominoperf.tables.folders import home, in_use, our_file
from dominoperf.tables.rendering import number

NUMBERS = ("processors", "clock_mhz", "l2_kb", "ram_mb", "drives")
MACHINE_TEXTS = ("processor_family", "system", "operating_system", "domino_release")
TEXTS = (*MACHINE_TEXTS, "workload")
CAPACITY, UTILIZATION, LOWER_LIMIT = "capacity", "utilization", "lower limit"
_READ = (".csv", ".toml", ".json")
_LEVELS = ("operating_system", "domino_release", "workload")


@dataclass(frozen=True, eq=False)
class Observations:
    """The rows of the model of users, and the script rates of the workloads.

    Parameters
    ----------
    rows : DataFrame
        run, source, system (its model), processor_family, operating_system, domino_release, workload (levels),
        processors, clock_mhz, l2_kb, ram_mb, drives, users, observation
        ("capacity", "utilization" or "lower limit") and log_users: of a utilization U the
        logarithm of ``users / U``, the users at which the CPU would be busy.
    script_rates : dict
        Transactions per minute and user of a workload, divided by those of the reference workload.
    own_workloads : frozenset
        Workloads of a user's own, which may be counted in another unit than users.
    load_tests : tuple of pairs
        Workload of each load test, and which of its loads counts, or why none does.
    """

    rows: pd.DataFrame
    script_rates: Mapping[str, float]
    own_workloads: frozenset = frozenset()
    load_tests: tuple[tuple[str, str], ...] = ()

    def keeping(self, rows: pd.Series) -> "Observations":
        """Return the observations with those rows alone; the script rates stay, for they are part of the question."""
        return replace(self, rows=self.rows[rows].reset_index(drop=True))


def observe(frame: pd.DataFrame, ours: bool = True) -> Observations:
    """Return what the runs of a frame say of capacity, one row per run and kind of evidence.

    A run whose load the server set is a capacity. A run that the drivers or a choice stopped, or of a document whose
    loads are no capacities, is a lower limit: the machine carried so many. A utilization is evidence of its own:
    ``U = users x demand / power``, so ``users / U`` are the users of a busy CPU.

    Parameters
    ----------
    frame : DataFrame
        Runs in the columns of `benchmarks`; what is missing is unknown.
    ours : bool
        Whether these are runs of the data folders, whose limits `censored` knows. Else the column limited_by says
        which are lower limits.

    Returns
    -------
    Observations

    Examples
    --------
    >>> run = {"workload": "Mail", "processors": 1, "users": 600, "cpu_utilization_percent": 50.0}
    >>> observe(pd.DataFrame([run]), ours=False).rows[["observation", "users", "log_users"]].round(2)
       observation  users  log_users
    0     capacity  600.0       6.40
    1  utilization  600.0       7.09
    """
    frame = frame[numbers(frame, "users") > 0].reset_index(drop=True)
    described = described_machines(frame).assign(
        run=names(frame).to_numpy(),
        source=texts(frame, "source"),
        users=frame["users"].astype(float),
        reason=texts(frame.fillna({"reason": ""}), "reason"),
    )
    described["system"] = described["system"].where(described["system"] != "", _named_by_parts(described))
    of_capacity = np.where(why_no_capacity(frame, described, ours) != "", LOWER_LIMIT, CAPACITY)
    stopped = described.assign(observation=of_capacity, log_users=np.log(described["users"]))
    busy = numbers(frame, "cpu_utilization_percent") / 100
    measured = described.assign(observation=UTILIZATION, log_users=np.log(described["users"] / busy))[busy > 0]
    script = our_file("capacity.toml")["script"]
    per_user = numbers(frame, "notesmark_tpm") / described["users"]  # transactions per minute
    of_generation = per_user[described["source"].isin(script["sources"])]
    rates = of_generation.groupby(described["workload"]).median().dropna()
    relative = (rates / rates[script["reference"]]).to_dict() if script["reference"] in rates else {}
    return Observations(pd.concat([stopped, measured], ignore_index=True), relative)


def checksum_of_data() -> tuple:
    """Return what tells whether a file of the data in use changed: path, time and size of each."""
    files = (file for folder in (home(), *in_use()) for file in folder.iterdir() if file.suffix in _READ)
    return tuple((str(file), about.st_mtime_ns, about.st_size) for file in files for about in [file.stat()])


@functools.lru_cache(maxsize=2)
def runs_at(_checksum: tuple) -> pd.DataFrame:
    """Return the runs of the data in use, read once as long as no file of them changes; not to be changed."""
    return benchmarks()


def described_machines(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the columns of NUMBERS and TEXTS of a frame: numbers as they are, texts as levels, "" where unknown."""
    cells = {name: numbers(frame, name) for name in NUMBERS}
    for name in TEXTS:
        column = frame[name] if name in frame else pd.Series(np.nan, frame.index, dtype=object)
        codes, distinct = pd.factorize(column)  # of a large frame each text is read once
        if name == "system":
            levels = [system_model(text) for text in distinct]
        elif name in _LEVELS:
            levels = [level_of(name, text) for text in distinct]
        else:
            levels = ["" if text is None else str(text).strip() for text in distinct]
        cells[name] = pd.Series(np.array([*levels, ""], dtype=object)[codes], frame.index, dtype=object)
    return pd.DataFrame(cells, index=frame.index)


def _named_by_parts(described):
    """What a machine without a name is called, by its parts: rows with the same parts are one machine."""
    names = []
    for processors, family, clock_mhz, ram_mb in described[
        ["processors", "processor_family", "clock_mhz", "ram_mb"]
    ].itertuples(index=False):
        parts = [f"{number(processors)} processor{'s' * (processors != 1)}"] if processors == processors else []
        parts += [family] if family else []
        parts += [f"{number(clock_mhz)} MHz"] if clock_mhz == clock_mhz else []
        parts += [f"{number(ram_mb)} MB"] if ram_mb == ram_mb else []
        names.append(", ".join(parts) or "unnamed")
    return names


def system_model(name: object) -> str:
    """Return the model of a system as printed: its name without the vendor and without what it is fitted with.

    Examples
    --------
    >>> system_model("Compaq ProLiant 5000 P6/200- 512 Model 1- X 2P"), system_model("my server")
    ('ProLiant 5000', 'my server')
    """
    text = "" if name is None or name != name else str(name).strip()
    match = re.match(our_file("capacity.toml")["model"]["system_model"], text)
    return match[1] if match else text
