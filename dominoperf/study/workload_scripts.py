"""What each workload of the documents models, which tables have results of it, and what its script has a user do."""

import re
from collections import defaultdict

import pandas as pd

from dominoperf import runs, tables
from dominoperf.errors import UnknownName
from dominoperf.machines.service_demands import transaction_demand
from dominoperf.runs import printed_text
from dominoperf.tables import carried_errata
from dominoperf.tables.folders import our_toml_file


def workloads(name: str | None = None) -> pd.DataFrame:
    """Return the workloads of the documents: what each models, and what no document describes.

    From ``data/workloads.toml``; the first eight are those that the 1998 TechNote lists for NotesBench.

    Parameters
    ----------
    name : str, optional
        Only the workload of this name, or one that a table calls so; in any case of letters.

    Returns
    -------
    DataFrame
        workload, benchmark (whose script it is), models, locator (documents and places, the fullest first), runs (how
        many of `benchmarks`), results_in (ids of the tables that print results of it), missing (what no document
        describes); empty where there is none.

    Raises
    ------
    UnknownName
        When no document names such a workload.

    Examples
    --------
    >>> workloads("idle")[["workload", "locator", "runs", "results_in"]].values.tolist()
    [['Idle', 'Lotus Domino 4.5 Performance and Capacity Planning on Compaq Platforms, page 2-8/2-9', 0, '']]
    """
    written, counts = our_toml_file("workloads.toml"), runs.benchmarks()["workload"].value_counts()
    where = defaultdict(dict)  # the ids of the tables with results of a workload: of its runs, or its name in a cell
    for run in runs.benchmarks()[["run", "workload"]].itertuples():
        where[run.workload][runs.table_of(run.run)] = None
    for id in tables.list_tables().query("kind == 'measured'")["id"]:
        frame = tables.load(id, "printed", text=True)
        for cell in frame.reindex(columns=["workload", "task"], fill_value="").to_numpy().ravel():
            where[cell][id] = None
    rows = []
    for workload, block in written.items():
        called = (workload, *block.get("names", ()))
        locator = "; ".join(f"{tables.document(source)['title']}, {place}" for source, place in block["places"])
        ids = dict.fromkeys(id for each in called for id in where.get(each, ()))
        ran = int(sum(counts.get(each, 0) for each in called))
        if name is None or str(name).casefold() in [each.casefold() for each in called]:
            rows.append((workload, block["benchmark"], block["models"], locator, ran, ", ".join(ids), block["missing"]))
    if not rows:
        known = [each for workload, block in written.items() for each in (workload, *block.get("names", ()))]
        raise UnknownName.among("workload", name, known)
    return pd.DataFrame(rows, columns=["workload", "benchmark", "models", "locator", "runs", "results_in", "missing"])


def describe_workload(name: str) -> str:
    """Return what is known of a workload in lines: what it models, where, which tables have it, what is missing.

    Examples
    --------
    >>> print(describe_workload("Repl_Hub").splitlines()[0])
    Repl_Hub (NotesBench): A hub that passes changes between other servers and has no users of its own.
    """
    row = workloads(name).iloc[0]
    return (
        f"{row['workload']} ({row['benchmark']}): {row['models'] or 'no document says what it models'}.\n"
        f"  described: {row['locator'] or 'nowhere'}\n"
        f"  results:   {row['results_in'] or 'none in any document'}; {row['runs']} runs\n"
        f"  missing:   {row['missing']}.\n"
    )


_PARTIAL = (
    "No share: the document lists the script's actions but for the miscellaneous ones, and of a pass only the waiting"
    " time, so that this rate is the most that the listed actions can come to."
)
_FULL = (
    "The document gives every action and the length of a pass (approximately). Which of the actions NotesMark counts it"
    " does not say."
)
_UNKNOWN = "Cannot tell: the document names the workload and describes neither its actions nor its pauses."


def script_share() -> pd.DataFrame:
    """Return the actions that a script has a user do beside the transactions that NotesMark counts, run by run.

    ``operations_per_user_min = operations_per_iteration / iteration_min`` and ``notesmark_per_user_tpm = NotesMark /
    users``; `ratio` is the second over the first, and counted_share_percent the same where all actions are listed. A
    view or database opened and closed is one action. A memo is sent by the older scripts at intervals of its own, not
    once a pass; its rate is added as such. What a document does not give is NaN. The place is that of the script, else
    of the run.
    """
    frame = runs.benchmarks()
    frame = frame[frame["notesmark_tpm"].notna() & frame["users"].notna()]
    scripts, rows = _printed_scripts(), []
    nothing = {"actions": float("nan"), "minutes": float("nan"), "is_whole": False, "reason": _UNKNOWN, "locator": ""}
    for run in frame.to_dict("records"):
        script = scripts.get((run["source"], run["workload"]), nothing)
        rate, counted = script["actions"] / script["minutes"], run["notesmark_tpm"] / run["users"]
        rows.append(
            {name: run[name] for name in ("run", "source", "workload", "users", "notesmark_tpm")}
            | {"operations_per_iteration": script["actions"], "iteration_min": script["minutes"]}
            | {"operations_per_user_min": rate, "notesmark_per_user_tpm": counted, "ratio": counted / rate}
            | {"counted_share_percent": 100 * counted / rate if script["is_whole"] else float("nan")}
            | {"reason": script["reason"], "locator": script["locator"] or run["locator"]}
        )
    return carried_errata.propagate_errata(
        pd.DataFrame(rows), carried_errata.columns_used(frame, "users", "notesmark_tpm")
    )


def _printed_scripts():
    """What a pass of each script does and how long it takes, by source and workload."""
    scripts, id = {}, "ibm_330/workload_scripts"
    for workload, part in tables.load(id).assign(place=tables.locators(id)).groupby("workload", sort=False):
        value = part.set_index("quantity")["value"]
        minutes = float(value["waiting time in the script"])
        sent = minutes / value["time between mail messages sent"]
        actions = float(part.loc[part["unit"] == "1", "value"].sum() + sent)
        script = {"actions": actions, "minutes": minutes, "is_whole": False, "reason": _PARTIAL}
        scripts["ibm_330", workload] = script | {"locator": part["place"].iloc[0]}
    # Red Hat's table counts the actions; its last row has their total, the hours and the passes.
    total, place = tables.load("rhel5/table_4", text=True).iloc[-1], tables.locators("rhel5/table_4")[-1]
    hours, passes = re.search(r"(\w+)-hour period, (\d+) iterations", total["action"]).groups()
    minutes, actions = 60 * printed_text.read_count(hours) / int(passes), float(total["count"]) / int(passes)
    script = {"actions": actions, "minutes": minutes, "is_whole": True, "reason": _FULL, "locator": place}
    return scripts | {("rhel5", "N8Mail"): script}


def think_times(data: pd.DataFrame | None = None) -> pd.DataFrame:
    """Return the think time that the runs of each document and workload imply, beside what its script says.

    The runs are as for `machines.transaction_demand`; of several it is the median.
    """
    demand = transaction_demand(data)
    parts = demand.groupby(["source", "workload"], sort=False)
    times = parts.agg(
        n=("run", "size"),
        users_fewest=("users", "min"),
        users_most=("users", "max"),
        think_s=("think_s", "median"),
        think_least_s=("think_s", "min"),
        think_most_s=("think_s", "max"),
        think_error_s=("think_error_s", "max"),
    )
    listed = script_share().groupby(["source", "workload"])["operations_per_user_min"].first()
    return carried_errata.propagate_errata(
        times.assign(listed_s=60 / listed.reindex(times.index)).reset_index(), demand
    )
