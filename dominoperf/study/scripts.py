"""What the scripts of the workloads have a user do, beside what NotesMark counts of it."""

import re

import pandas as pd

from dominoperf import tables
from dominoperf.runs import reading
from dominoperf.runs.tidy import benchmarks
from dominoperf.tables import doubts

_HOUR_MIN = 60
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
    users``; the share is the second over the first. A view or database opened and closed is one action.

    Returns
    -------
    DataFrame
        run, source, workload, users, notesmark_tpm, operations_per_iteration, iteration_min, operations_per_user_min,
        notesmark_per_user_tpm, ratio (NotesMark to listed actions), counted_share_percent (where all actions are
        listed), reason, locator (of the script, else of the run). What a document does not give is NaN.

    Notes
    -----
    A memo is sent by the older scripts at intervals of its own, not once a pass; its rate is added as such.

    Examples
    --------
    Red Hat's script lists every action, and NotesMark counts about one in eight:

    >>> script_share()[["workload", "users", "counted_share_percent"]].round(1).tail(2)
       workload   users  counted_share_percent
    23   N8Mail   600.0                   13.3
    24   N8Mail  1200.0                   13.3
    """
    frame = benchmarks()
    frame = frame[frame["notesmark_tpm"].notna() & frame["users"].notna()]
    scripts, rows = _ibm_scripts() | _red_hat_script(), []
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
    return doubts.hand_on(pd.DataFrame(rows), doubts.within(frame, "users", "notesmark_tpm"))


def _ibm_scripts():
    """The scripts of the IBM report, by source and workload: what a pass does, and its waiting time."""
    frame, places = tables.load("ibm_330/workload_scripts"), tables.locators("ibm_330/workload_scripts")
    found = {}
    for workload, part in frame.assign(place=places).groupby("workload", sort=False):
        value = part.set_index("quantity")["value"]
        minutes = float(value["waiting time in the script"])
        sent = minutes / value["time between mail messages sent"]
        actions = float(part.loc[part["unit"] == "1", "value"].sum() + sent)
        script = {"actions": actions, "minutes": minutes, "is_whole": False, "reason": _PARTIAL}
        found["ibm_330", workload] = script | {"locator": part["place"].iloc[0]}
    return found


def _red_hat_script():
    """The script of the Red Hat paper: a table of action counts, its last row their total, the hours and the passes."""
    total, place = tables.load("rhel5/table_4", text=True).iloc[-1], tables.locators("rhel5/table_4")[-1]
    hours, passes = re.search(r"(\w+)-hour period, (\d+) iterations", total["action"]).groups()
    minutes, actions = reading.read_count(hours) * _HOUR_MIN / int(passes), float(total["count"]) / int(passes)
    script = {"actions": actions, "minutes": minutes, "is_whole": True, "reason": _FULL, "locator": place}
    return {("rhel5", "N8Mail"): script}
