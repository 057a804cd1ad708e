"""What the scripts of the workloads have a user do, beside what NotesMark counts of it."""

import pandas as pd

from dominoperf import tables
from dominoperf.runs.tidy import benchmarks
from dominoperf.tables import doubts

_HOUR_MIN = 60
# Quantities of the script that are actions.
_LISTED = ("documents", "view scrolling", "databases opened", "views opened")
_PARTIAL = (
    "No share: the document lists the script's actions but for the miscellaneous ones, and of a pass only the waiting"
    " time, so that this rate is the most that the listed actions can come to."
)
_FULL = (
    "The document gives every action and the length of a pass (approximately). Which of the actions NotesMark counts it"
    " does not say."
)
_UNKNOWN = "Cannot tell: the document names the workload and describes neither its actions nor its pauses."


def script_share():
    """Compare the actions that a script has a user do with the transactions that NotesMark counts, run by run.

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
    """
    frame = benchmarks()
    frame = frame[frame["notesmark_tpm"].notna() & frame["users"].notna()]
    known = _older() | _newer()
    rows = [_row(run, known.get((run["source"], run["workload"]))) for run in frame.to_dict("records")]
    return doubts.hand_on(pd.DataFrame(rows), doubts.within(frame, "users", "notesmark_tpm"))


def _row(run, script):
    """A run beside its script; NaN where the document describes none."""
    tpm = run["notesmark_tpm"] / run["users"]
    nothing = {"actions": float("nan"), "minutes": float("nan"), "share": False, "reason": _UNKNOWN, "locator": ""}
    script = script or nothing
    rate = script["actions"] / script["minutes"]
    return {
        **{name: run[name] for name in ("run", "source", "workload", "users", "notesmark_tpm")},
        "operations_per_iteration": script["actions"],
        "iteration_min": script["minutes"],
        "operations_per_user_min": rate,
        "notesmark_per_user_tpm": tpm,
        "ratio": tpm / rate,
        "counted_share_percent": 100 * tpm / rate if script["share"] else float("nan"),
        "reason": script["reason"],
        "locator": script["locator"] or run["locator"],
    }


def _older():
    """The scripts of the IBM report, by source and workload: what a pass does, and its waiting time."""
    frame, places = tables.load("ibm_330/workload_scripts"), tables.locators("ibm_330/workload_scripts")
    found = {}
    for workload, part in frame.assign(place=places).groupby("workload", sort=False):
        value = part.set_index("quantity")["value"]
        minutes = value["waiting time in the script"]
        listed = value[[name.startswith(_LISTED) for name in value.index]].sum()
        sent = minutes / value["time between mail messages sent"]
        cells = {"actions": float(listed + sent), "minutes": float(minutes), "share": False, "reason": _PARTIAL}
        found["ibm_330", workload] = cells | {"locator": part["place"].iloc[0]}
    return found


def _newer():
    """The script of the Red Hat paper: a table of action counts, its last row their total and how long they take."""
    table = tables.load("rhel5/table_4", text=True)
    total, place = table.iloc[-1], tables.locators("rhel5/table_4")[-1]
    passes = float(table.set_index("action").loc["New mail poll", "count"])  # once a pass
    hours = 6 if "six-hour" in total["action"] else float("nan")
    minutes = hours * _HOUR_MIN / passes
    cells = {"actions": float(total["count"]) / passes, "minutes": minutes, "share": True, "reason": _FULL}
    return {("rhel5", "N8Mail"): cells | {"locator": place}}
