"""The measured window of a run as documents print it, and the steps of one measurement."""

from decimal import Decimal

import pandas as pd

from dominoperf import tables
from dominoperf.study.recompute.regenerated_cells import every_cell
from dominoperf.tables import carried_errata, rendering

_NB_DOMSTAT = "rhel5/nb_domstat"
_MINUTE = pd.Timedelta(1, "min")


def steady_states() -> pd.DataFrame:
    """Return the measured window of every run whose document prints one, in order of the documents.

    The times are as printed, with the date; `begun` is the start of the first load, `waited_min` the minutes of load
    before the window, `window_min` its length.
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
    windows.attrs[rendering.PRINTED] = {"response_s": rendering.forms_of_printed_numbers(response)}
    return carried_errata.propagate_errata(windows, *map(tables.load, ("ibm_330/notesnum", _NB_DOMSTAT)))


def procedure_beside_tools(level: float = 0.95) -> pd.DataFrame:
    """Return the steps of Red Hat's measurement as printed, each beside the number that its tools' settings imply."""
    id = "rhel5/procedure"
    cells = every_cell(id, level).query("column == 'value'").set_index("row")[["regenerated", "how"]]
    steps = tables.load(id).assign(locator=tables.locators(id))
    return steps.join(cells, on="order").fillna({"regenerated": "", "how": ""})
