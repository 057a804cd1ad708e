"""The measured window of a run as documents print it."""

from decimal import Decimal

import numpy as np
import pandas as pd

from dominoperf import tables
from dominoperf.tables import carried_errata, rendering

_NB_DOMSTAT = "rhel5/nb_domstat"
_MINUTE, _HOUR = pd.Timedelta(1, "min"), pd.Timedelta(1, "h")


def steady_states() -> pd.DataFrame:
    """Return the measured window of every run whose document prints one, in order of the documents.

    The times are as printed, with the date; `begun` is the start of the first load, `waited_min` the minutes of load
    before the window, `window_min` its length.

    >>> steady_states()[["source", "users", "response_s", "waited_min", "window_min"]].round({"waited_min": 0})
        source   users  response_s  waited_min  window_min
    0  ibm_330  2200.0    0.360000       142.0       396.0
    1  ibm_330  1700.0    1.427000       146.0       392.0
    2    rhel5   600.0    0.266610        46.0        60.0
    3    rhel5  1200.0    0.182895       173.0        60.0
    """
    rows = []
    numbers, texts = tables.load("ibm_330/notesnum"), tables.load("ibm_330/notesnum", text=True)
    for row, users, place in zip(
        texts.to_dict("records"), numbers["users"], tables.locators("ibm_330/notesnum"), strict=True
    ):
        about = {"source": "ibm_330", "workload": row["workload"], "users": float(users), "locator": place}
        about["response_s"] = str(Decimal(row["response_ms"].replace(",", "")).scaleb(-3))
        times = (row[name] for name in ("min_start_time", "window_start", "window_end"))
        rows.append((about, [pd.to_datetime(text, format="%m/%d/%y %I:%M:%S %p") for text in times]))

    # Red Hat prints a column for each steady state; the beginning of the first load is in the schedule.
    states, table = tables.load(_NB_DOMSTAT, text=True).set_index("metric"), tables.describe(_NB_DOMSTAT)
    schedule = tables.load("rhel5/run_schedule", text=True).set_index("quantity")["setting"]
    workload = tables.load("rhel5/server_settings", text=True).set_index("parameter").at["Workload_Name", "setting"]
    begun = pd.to_datetime(schedule["start of the workload, first driver"], format="%I:%M %p")
    place = f"{table.document}, {table.full_locator}"
    for name in ("driver_1", "driver_2"):
        state = states[name]
        about = {"source": "rhel5", "workload": workload, "users": float(state["Active Users"])}
        about |= {"response_s": state["Response Time"], "locator": f"{place}, column {name}"}
        times = (f"{begun:%I:%M:%S %p}", state["Start Time"], state["End Time"])
        rows.append(
            (about, [pd.to_datetime(f"{state['Date']} {text}", format="%m/%d/%Y %I:%M:%S %p") for text in times])
        )

    windows = pd.DataFrame([about for about, _ in rows])
    times = pd.DataFrame([times for _, times in rows], columns=["begun", "window_start", "window_end"])
    response = windows["response_s"]
    windows = windows.assign(response_s=response.astype(float), **times.map("{:%Y-%m-%d %H:%M:%S}".format))
    windows["waited_min"] = (times["window_start"] - times["begun"]) / _MINUTE
    windows["window_min"] = (times["window_end"] - times["window_start"]) / _MINUTE
    names = ["source", "workload", "users", "response_s", *times, "waited_min", "window_min", "locator"]
    windows = windows[names]
    windows.attrs[rendering.PRINTED] = {"response_s": rendering.printed_forms(response)}
    return carried_errata.propagate_errata(windows, *map(tables.load, ("ibm_330/notesnum", _NB_DOMSTAT)))


def measured_timeline() -> pd.DataFrame:
    """Return the moments of the Red Hat measurement as printed, beside those that its own procedure gives.

    The second client starts later than the first; the beginning of each load is left out, then averages are taken over
    a window. nmon takes a given number of records at an interval. `printed` is empty where no time is; the difference
    is printed minus regenerated.

    >>> measured_timeline()[["quantity", "printed", "regenerated", "difference"]].round(1).iloc[[0, 2]]
                        quantity   printed regenerated  difference
    0   600 users: window, start  09:11:43    09:11:00         0.7
    2  1200 users: window, start  11:19:03    11:11:00         8.0
    """
    steps = tables.load("rhel5/procedure").set_index("order")["value"]
    late, load, left_out, window, records = (
        steps[order] * pd.Timedelta(1, unit)
        for order, unit in ((21, "h"), (20, "min"), (23, "min"), (24, "min"), (13, "s"))
    )
    windows = tables.load(_NB_DOMSTAT, text=True).set_index("metric")
    schedule = tables.load("rhel5/run_schedule", text=True).set_index("quantity")["setting"]
    header = tables.load("rhel5/nmon_header", text=True).set_index("parameter")["setting"]
    first = pd.to_datetime(schedule["start of the workload, first driver"], format="%I:%M %p")
    nmon, interval = pd.to_datetime(header["time"], format="%H:%M.%S"), float(header["interval"])
    moments = []
    for column, start, from_first in (("driver_1", first, ""), ("driver_2", first + late, f" + {late / _HOUR:g} h")):
        begin, users = start + left_out, windows[column]["Active Users"]
        words = f"{first:%H:%M}{from_first} + {left_out / _MINUTE:g} min"
        moments.append((f"{users} users: window, start", windows[column]["Start Time"], begin, words))
        words += f" + {window / _MINUTE:g} min"
        moments.append((f"{users} users: window, end", windows[column]["End Time"], begin + window, words))
    moments.append(("end of the load", "", first + load, f"{first:%H:%M} + {load / _MINUTE:g} min"))
    for count, whose in (
        (records / pd.Timedelta(1, "s"), "by the command"),
        (float(header["snapshots"]), "by the file"),
    ):
        words = f"{nmon:%H:%M:%S} + {count:g} x {interval:g} s"
        moments.append((f"last record of nmon, {whose}", "", nmon + count * pd.Timedelta(interval, "s"), words))
    rows = []
    for quantity, printed, computed, words in moments:
        clock = pd.to_datetime(printed, format="%I:%M:%S %p") if printed else pd.NaT
        times = {"printed": f"{clock:%H:%M:%S}" if printed else "", "regenerated": f"{computed:%H:%M:%S}"}
        difference = (clock - computed) / _MINUTE if printed else np.nan
        rows.append({"quantity": quantity} | times | {"difference": difference, "unit": "min", "computed_from": words})
    return pd.DataFrame(rows)
