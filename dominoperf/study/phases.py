"""When the steady states were measured: the window of each run, and how long the load had been running by then."""

from decimal import Decimal

import pandas as pd

from dominoperf import tables
from dominoperf.tables import doubts, rendering

_CLOCK = "%m/%d/%Y %I:%M:%S %p"
_NB_DOMSTAT = "rhel5/nb_domstat"


def steady_states():
    """Give the measured window of every run whose document prints one, in order of the documents.

    Returns
    -------
    DataFrame
        source, workload, users, response_s, begun (start of the first load), window_start, window_end, waited_min
        (minutes of load before the window), window_min (its length), locator. Times are as printed, with the date.
    """
    found = pd.DataFrame([*_notesnum(), *_domstat()])
    texts, found["response_s"] = found["response_s"], found["response_s"].astype(float)
    found.attrs[rendering.PRINTED] = {"response_s": rendering.printed_forms(texts)}
    return doubts.hand_on(found, *map(tables.load, ("ibm_330/notesnum", _NB_DOMSTAT)))


def _notesnum():
    """The output of NOTESNUM prints all times of a run in one row."""
    frame, places = tables.load("ibm_330/notesnum", text=True), tables.locators("ibm_330/notesnum")
    numbers = tables.load("ibm_330/notesnum")
    for k, row in frame.iterrows():
        times = [pd.to_datetime(row[name], format="%m/%d/%y %I:%M:%S %p") for name in _TIMES]
        about = (row["workload"], numbers["users"][k], str(Decimal(row["response_ms"].replace(",", "")).scaleb(-3)))
        yield _row("ibm_330", *about, times, places[k])


_TIMES = ("min_start_time", "window_start", "window_end")


def _domstat():
    """One column a steady state; when the first load began stands in the schedule."""
    frame = tables.load(_NB_DOMSTAT, text=True).set_index("metric")
    schedule = tables.load("rhel5/run_schedule", text=True).set_index("quantity")["setting"]
    workload = tables.load("rhel5/server_settings", text=True).set_index("parameter").at["Workload_Name", "setting"]
    hour, _, half = schedule["start of the workload, first driver"].partition(" ")
    about = tables.describe(_NB_DOMSTAT)
    place = ", ".join(filter(None, (about.document, about.number, about.place)))
    for name in ("driver_1", "driver_2"):
        cells = frame[name]
        texts = (f"{hour}:00 {half}", cells["Start Time"], cells["End Time"])
        times = [pd.to_datetime(f"{cells['Date']} {text}", format=_CLOCK) for text in texts]
        run = (workload, float(cells["Active Users"]), cells["Response Time"])
        yield _row("rhel5", *run, times, f"{place}, column {name}")


def _row(source, workload, users, response, times, place):
    begun, start, end = times
    minutes = {"waited_min": (start - begun).total_seconds() / 60, "window_min": (end - start).total_seconds() / 60}
    stamps = {name: f"{time:%Y-%m-%d %H:%M:%S}" for name, time in zip(_STAMPS, times, strict=True)}
    about = {"source": source, "workload": workload, "users": float(users), "response_s": response}
    return about | stamps | minutes | {"locator": place}


_STAMPS = ("begun", "window_start", "window_end")
