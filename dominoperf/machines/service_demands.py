"""What the operational laws say of the printed runs: CPU demand of a transaction or task, and the think time.

They are identities between averages of one interval; no law is fitted here.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy import special

from dominoperf import laws, queueing, tables
from dominoperf.errors import CannotFit, check_level
from dominoperf.machines.levels import benchmark_runs, texts_of_column
from dominoperf.tables import carried_errata, columns, rendering

_NEEDED = ("users", "notesmark_tpm", "response_s", "cpu_utilization_percent", "processors", "workload")
_TASK = ("workstations", "response_s", "cpu_utilization_percent", "workload", "factor")


def transaction_demand(data: pd.DataFrame | None = None) -> pd.DataFrame:
    """Return demand and think time of the runs that print users, throughput and response, by the operational laws.

    With N users, X = NotesMark / 60 a second, m processors of which each is busy the share U, and R printed:

    - demand ``D = U m / X``, seconds of one processor a transaction (service demand law);
    - think ``Z = N / X - R``, seconds between an answer and the next transaction of a user (interactive response law);
    - queue ``D (1 + C(m, m U) / (m (1 - U)))``, what a transaction would take if the processors were the only queue
      (M/M/m): theory, no measurement;
    - implied response ``N / X`` less the median Z of the runs of one document under one workload, whose users think
      alike.

    Parameters
    ----------
    data : DataFrame, path or URL, optional
        Runs in the columns of `benchmarks`; by default those.

    Returns
    -------
    DataFrame
        run, source, workload, processors, users, notesmark_tpm, cpu_utilization_percent, response_s, demand_s, queue_s,
        queue_share_percent (of the printed response), think_s, think_error_s (by how much half a transaction per
        minute, to which NotesMark is printed, moves N / X), response_implied_s, locator. What needs a CPU utilization
        is NaN where none is printed.

    Notes
    -----
    D is the CPU time per *counted* transaction: work that NotesMark does not count is in it. Denning and Buzen,
    Computing Surveys 10(3), 1978.

    Examples
    --------
    >>> run = {"users": 100, "notesmark_tpm": 120, "response_s": 0.5, "cpu_utilization_percent": 50}
    >>> found = transaction_demand(pd.DataFrame([run | {"processors": 2, "workload": "mail"}]))
    >>> found[["demand_s", "think_s"]]
       demand_s  think_s
    0       0.5     49.5
    """
    frame = benchmark_runs(data, _NEEDED, "transaction_demand")
    frame = frame[(frame["users"] > 0) & (frame["notesmark_tpm"] > 0) & (frame["response_s"] > 0)]
    users, rate, response = frame["users"], frame["notesmark_tpm"] / 60, frame["response_s"]
    share, processors = frame["cpu_utilization_percent"] / 100, frame["processors"]
    demand = queueing.service_demand(share, rate, processors)
    queue = pd.Series(np.nan, frame.index)
    stable = demand.notna() & (share < 1)
    if stable.any():
        stations = (column[stable].to_numpy(float) for column in (demand, share, processors))
        queue[stable] = queueing.mmc_response(*stations)
    think = queueing.interactive_response(users, rate, response)  # R = N / X - Z, solved for Z
    source = texts_of_column(frame, "source")
    usual = think.groupby([source, frame["workload"]]).transform("median")
    printed = ("workload", "processors", "users", "notesmark_tpm", "cpu_utilization_percent", "response_s")
    cells = {
        "run": frame["run"],
        "source": source,
        **{name: frame[name] for name in printed},
        "demand_s": demand,
        "queue_s": queue,
        "queue_share_percent": 100 * queue / response,
        "think_s": think,
        "think_error_s": users / rate / 2 / frame["notesmark_tpm"],
        "response_implied_s": queueing.interactive_response(users, rate, usual),
        "locator": texts_of_column(frame, "locator"),
    }
    rows = pd.DataFrame(cells).reset_index(drop=True)
    return carried_errata.propagate_errata(
        rendering.keep_printed_forms(rows, frame), carried_errata.columns_used(frame, *_NEEDED)
    )


def task_demand(data: pd.DataFrame | None = None) -> pd.DataFrame:
    """Return the CPU seconds of a task that every workstation does once, run by run: ``D = U R / workstations``.

    All W workstations together complete ``X = W / R`` tasks a second while the machine is busy the share U, so that
    ``D = U / X`` seconds of the whole machine go into a task (service demand law). One task on one machine should have
    one D, whatever was done to the disks.

    Parameters
    ----------
    data : DataFrame, path or URL, optional
        Runs in the columns of `benchmarks`; by default those.

    Returns
    -------
    DataFrame
        run, workload (the task), factor (what the table varies), workstations, cpu_utilization_percent, response_s,
        demand_s, ratio (to the median over the runs of the task), locator.

    Examples
    --------
    >>> task = {"workload": "copy", "factor": "drives", "workstations": 10}
    >>> runs = [task | {"response_s": 100, "cpu_utilization_percent": 50}]
    >>> runs += [task | {"response_s": 80, "cpu_utilization_percent": 70}]
    >>> task_demand(pd.DataFrame(runs))[["demand_s", "ratio"]].round(3)
       demand_s  ratio
    0       5.0  0.943
    1       5.6  1.057
    """
    frame = benchmark_runs(data, _TASK, "task_demand")
    frame = frame[(frame["workstations"] > 0) & (frame["response_s"] > 0) & (frame["cpu_utilization_percent"] > 0)]
    throughput = frame["workstations"] / frame["response_s"]
    demand = queueing.service_demand(frame["cpu_utilization_percent"] / 100, throughput)
    printed = ("workload", "factor", "workstations", "cpu_utilization_percent", "response_s")
    cells = {
        "run": frame["run"],
        **{name: frame[name] for name in printed},
        "demand_s": demand,
        "ratio": demand / demand.groupby(frame["workload"]).transform("median"),
        "locator": texts_of_column(frame, "locator"),
    }
    demands = pd.DataFrame(cells).reset_index(drop=True)
    return carried_errata.propagate_errata(
        rendering.keep_printed_forms(demands, frame), carried_errata.columns_used(frame, *_TASK)
    )


def added_demand(data: pd.DataFrame, *, level: float = 0.95) -> pd.DataFrame:
    """Return the cost of each user added from one load to the next, and that of the first ones.

    ``added = (U2 - U1) / (N2 - N1)`` over ``first = U1 / N1``, percent of the machine per 1,000 users; U is the mean of
    the runs of a load. With noise of standard deviation s in each run, ``added - first`` has the standard deviation
    s c, c from the loads and how many runs each has; it differs from 0 at the level while
    ``s < |added - first| / (c z)``, z the normal quantile: `sigma_percent` is that s, in points of utilization.

    Parameters
    ----------
    data : DataFrame, path or URL
        Runs of one system: users, cpu_utilization_percent.
    level : float
        How sure the difference is to be, two-sided.

    Returns
    -------
    DataFrame
        A row per load above the smallest: users_fewest, users_most, first_percent_per_1000_users,
        added_percent_per_1000_users, ratio (added over first), sigma_percent.

    Raises
    ------
    CannotFit
        With fewer than two different loads, or a level that cannot be.

    Examples
    --------
    >>> loads = pd.DataFrame({"users": [100, 200], "cpu_utilization_percent": [10.0, 30.0]})
    >>> added_demand(loads)["ratio"].item()
    2.0
    """
    data = tables.read_table(data)
    columns.check_columns(data, ("users", "cpu_utilization_percent"), "added_demand(data=...)")
    check_level(level, "added_demand")
    touched = carried_errata.columns_used(data, "users", "cpu_utilization_percent")
    loads = data[["users", "cpu_utilization_percent"]].dropna().groupby("users")["cpu_utilization_percent"]
    loads = loads.agg(["mean", "size"]).reset_index()
    if len(loads) < 2:
        remedy = "Give runs of one system with several loads."
        raise CannotFit("added_demand(data=...)", expected="two loads or more", found=str(len(loads)), remedy=remedy)
    users, percent, runs = loads.to_numpy(float).T
    per_first, per_added = 1 / users[0], 1 / np.diff(users)
    first, added = percent[0] * per_first, np.diff(percent) * per_added
    # c, the deviation of `added - first` for one of 1 in each run: in the first step U1 is in both.
    variance = per_added**2 * (1 / runs[1:] + 1 / runs[:-1]) + per_first**2 / runs[0]
    variance[0] = per_added[0] ** 2 / runs[1] + (per_added[0] + per_first) ** 2 / runs[0]
    cells = {"users_fewest": users[:-1], "users_most": users[1:], "first_percent_per_1000_users": 1000 * first}
    cells |= {"added_percent_per_1000_users": 1000 * added, "ratio": added / first}
    sigma = abs(added - first) / np.sqrt(variance) / special.ndtri((1 + level) / 2)
    return carried_errata.propagate_errata(pd.DataFrame(cells | {"sigma_percent": sigma}), touched)


def stretch(processors: Sequence[float], utilization: Sequence[float]) -> pd.DataFrame:
    """Return what queueing theory makes of a utilization: how many times the service time a request then takes.

    ``1 + C(m, m U) / (m (1 - U))`` of M/M/m, for one processor ``1 / (1 - U)``; random arrivals, exponential times,
    no other queue. The knee is the utilization at which utilization over response is greatest (Kleinrock's power).

    Parameters
    ----------
    processors, utilization : list of float
        Every number of processors is set beside every utilization (a share).

    Returns
    -------
    DataFrame
        processors, utilization, stretch, knee_utilization.

    Examples
    --------
    >>> stretch([1, 2], [0.5]).round(2)
       processors  utilization  stretch  knee_utilization
    0         1.0          0.5     2.00              0.50
    1         2.0          0.5     1.33              0.58
    """
    rows = [(float(m), float(share)) for m in processors for share in utilization]
    frame = pd.DataFrame(rows, columns=["processors", "utilization"])
    times = queueing.mmc_response(1.0, frame["utilization"].to_numpy(), frame["processors"].to_numpy())
    knee = next(quantity for quantity in laws.LAWS["mmc"].derived if quantity.name == "knee").function
    at = {m: float(knee(np.array(1.0), np.array(m))) for m in frame["processors"].unique()}
    return frame.assign(stretch=times, knee_utilization=frame["processors"].map(at))
