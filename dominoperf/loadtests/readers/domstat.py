"""Server.Load's roll-up ``NB_domstat.csv``: a metric per line, a column per number of client drivers.

Form: the first lines of one that a report of 2008 prints, and the statistics that it takes from it. It shows no
separators, so commas, tabs and semicolons are read. It prints response times elsewhere too, so their unit is known.
"""

from dominoperf.loadtests.readers.recording import plain_number, reader, split_csv_line

COLUMNS = ("client_drivers", "workload", "users", "throughput_tps", "response_s", "test_warnings", "test_errors",
           "test_failures", "window_start", "window_end", "cpu_utilization_percent", "cpu_user_percent",
           "cpu_system_percent", "ram_available_mib", "network_bytes_per_s", "line")  # fmt: skip
_FIRST = "Client Drivers"
_MINUTE = 60.0  # seconds
_METRICS = {
    _FIRST: ("client_drivers", 1),
    "Active Users": ("users", 1),
    "Transactions per Minute": ("throughput_tps", 1 / _MINUTE),
    "Response Time": ("response_s", 1),
    "Warnings": ("test_warnings", 1),
    "Errors": ("test_errors", 1),
    "Failures": ("test_failures", 1),
    "Platform.System.PctCombinedCpuUtil": ("cpu_utilization_percent", 1),
    "Platform.System.PctTotalUserCpuUtil": ("cpu_user_percent", 1),
    "Platform.System.PctTotalPrivilegedCpuUtil": ("cpu_system_percent", 1),
    "Platform.Memory.RAM.AvailMBytes": ("ram_available_mib", 1),
    "Platform.Network.Total.NetworkBytesPerSec": ("network_bytes_per_s", 1),
}
_TEXTS = {"Date": "date", "Start Time": "window_start", "End Time": "window_end", "Workload_Name": "workload"}


@reader("domstat", "Server.Load's roll-up NB_domstat.csv", "Client Drivers at the start",
        lambda head: head.first.startswith(_FIRST), COLUMNS, user="Server.Load user")  # fmt: skip
def domstat(source):
    """Yield a row per column of numbers of each roll-up; times of windows stay as they are printed."""
    rows, others = [], 0
    for number, text in source.lines(keep_last=True):
        name, *values = [cell.strip() for cell in split_csv_line(text, max(",\t;", key=text.count))] or [""]
        if name == _FIRST:
            yield from map(_with_domstat_windows, rows)
            rows = [{"line": number} for value in values if value]
        if not rows or not text.strip():
            continue
        if name not in _METRICS and name not in _TEXTS:
            others += 1
        elif len(values) < len(rows):
            source.skip(number, f"{len(rows)} values of {name}")
        else:
            for row, value in zip(rows, values, strict=False):
                if name in _TEXTS:
                    row[_TEXTS[name]] = value or None
                elif (measure := plain_number(value)) is not None:
                    column, factor = _METRICS[name]
                    row[column] = measure * factor
                elif value:
                    source.skip(number, f"numbers of {name}")
    yield from map(_with_domstat_windows, rows)
    if others:
        source.notes.add("columns", None, f"{others} lines of other statistics are not read")


def _with_domstat_windows(row):
    """A row with day and time of day put together."""
    date = row.pop("date", None) or ""
    return row | {name: f"{date} {row[name]}".strip() for name in ("window_start", "window_end") if row.get(name)}
