"""Server.Load's roll-up ``NB_domstat.csv``: a metric per line, a column per number of client drivers.

Form: the first lines of one that a report of 2008 prints, and the statistics that it takes from it. It shows neither
the separators nor a whole file, so commas, tabs and semicolons are read, and statistics not listed here are left out.
That report prints the same response times in seconds here and in milliseconds elsewhere: so their unit is known.
"""

from dominoperf.loadtests.readers import numbers
from dominoperf.loadtests.readers.files import split

COLUMNS = (
    "client_drivers",
    "workload",
    "users",
    "throughput_tps",
    "response_s",
    "test_warnings",
    "test_errors",
    "test_failures",
    "window_start",
    "window_end",
    "cpu_utilization_percent",
    "cpu_user_percent",
    "cpu_system_percent",
    "ram_available_mib",
    "network_bytes_per_s",
    "line",
)
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
_TEXTS = {"Start Time": "window_start", "End Time": "window_end", "Workload_Name": "workload"}
_DELIMITERS = ",\t;"


def read(source):
    """Read a roll-up, a row per column of numbers; day and time of the windows stay as they are printed.

    `line` is that of the heading, the same for all columns of one roll-up.
    """
    return COLUMNS, _rows(source)


def recognises(head):
    """Tell by the first word."""
    return bool(head.lines) and head.lines[0].startswith(_FIRST)


def _rows(source):
    """A file may hold several roll-ups, one after the other."""
    block, left = None, 0
    for number, text in source.lines(keep_last=True):
        cells = [cell.strip() for cell in split(text, max(_DELIMITERS, key=text.count))] or [""]
        if cells[:1] == [_FIRST]:
            yield from _turned(block)
            block = [{"line": number} for _ in cells[1:] if _]
        if block is not None and text.strip():
            left += not _fill(source, block, number, cells)
    yield from _turned(block)
    if left:
        source.notes.add("columns", None, f"{left} lines of other statistics are not read")


def _fill(source, block, number, cells):
    """Put the values of a line into the rows; whether the line is one of those read."""
    name, values = cells[0], cells[1 : len(block) + 1]
    if name not in _METRICS and name not in _TEXTS and name != "Date":
        return False
    if len(values) < len(block):
        source.skip(number, f"{len(block)} values of {name}")
        return True
    for row, value in zip(block, values, strict=True):
        row.update(_value(source, number, name, value))
    return True


def _value(source, number, name, text):
    """What a cell adds to its row: a text as it stands, a number in our unit, nothing where it is none."""
    if name not in _METRICS:
        return {_TEXTS.get(name, "date"): text or None}
    ours, factor = _METRICS[name]
    found = numbers.plain(text)
    if found is None and text:
        source.skip(number, f"numbers of {name}")
    return {} if found is None else {ours: found * factor}


def _turned(block):
    """The rows of a roll-up, day and time of day put together."""
    for row in block or ():
        date = row.pop("date", None)
        window = {name: f"{date or ''} {row[name]}".strip() for name in ("window_start", "window_end") if row.get(name)}
        yield row | window
