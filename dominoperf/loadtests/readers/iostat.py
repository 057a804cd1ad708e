"""iostat of sysstat with ``-t``: a row for each report, of the processors and of all whole disks together.

Form: runs of sysstat 12.6.1 made for the tests. A kB is 1,024 bytes; with ``-m`` iostat prints MB of 1,024 kB.
"""

import re

from dominoperf.loadtests.readers import resources
from dominoperf.loadtests.readers.recording import (
    ReaderClock,
    iso_moment,
    moment_with_dots,
    moment_with_month_first,
    reader,
    recorded_number,
)
from dominoperf.loadtests.readers.resources import KIB, kernel_line_host, note_disks_left_out, whole_disks

_NEVER = ("ram_free_mib", "ram_available_mib", "run_queue", "network_bytes_per_s")
COLUMNS = tuple(name for name in resources.COLUMNS if name not in _NEVER)
_PROCESSORS = {"%user": "cpu_user_percent", "%system": "cpu_system_percent", "%iowait": "cpu_wait_percent",
               "%steal": "cpu_steal_percent"}  # fmt: skip
_BUSY = ("%user", "%nice", "%system")
_DISKS = {
    "disk_read_bytes_per_s": {"rkB/s": KIB, "kB_read/s": KIB, "rMB/s": KIB**2, "MB_read/s": KIB**2},
    "disk_write_bytes_per_s": {"wkB/s": KIB, "kB_wrtn/s": KIB, "wMB/s": KIB**2, "MB_wrtn/s": KIB**2},
    "disk_transfers_per_s": {"tps": 1, "r/s": 1, "w/s": 1},
}


@reader("iostat", "what iostat -t prints", "a table that begins with avg-cpu: or Device",
        lambda head: any(re.match(r"avg-cpu: |Device:? .*(?:/s|tps)", line) for line in head.lines[:6]),
        COLUMNS)  # fmt: skip
def iostat(source):
    """Yield a row for each report but the first of each recording, an average since the machine was started.

    Times are as ``S_TIME_FORMAT=ISO`` has them, month first, or of a German locale (``21.11.2026 20:26:50``).
    A disk that a report leaves out was idle in it, as ``-z`` asks for, and counts as 0.
    """
    clock, first, last, devices = ReaderClock(source.notes), True, None, set()
    for report in _iostat_reports(source):
        if report is None:  # another recording begins
            first = True
            continue
        number, moment, cells, disks, measured = report
        devices |= disks.keys()
        if first:
            source.notes.add("first", number, "the first report is an average since the start of the machine: left out")
            first = False
            continue
        row = clock.stamp(moment, number)
        row |= {ours: cells[name] for name, ours in _PROCESSORS.items() if name in cells}
        if cells:
            row["cpu_utilization_percent"] = round(sum(cells.get(name, 0.0) for name in _BUSY), 6)
        if devices:  # without a disk in any report there is none to be idle
            whole = [disks[name] for name in sorted(whole_disks(devices) & disks.keys())]
            for ours, names in _DISKS.items():
                if here := [name for name in names if name in measured]:
                    row[ours] = sum(disk[name] * names[name] for disk in whole for name in here)
            if "%util" in measured:
                row["disk_busy_percent"] = max((disk["%util"] for disk in whole), default=0.0)
        last = number
        yield row
    clock.finish()
    note_disks_left_out(source.notes, devices)
    if first or last is None:
        source.notes.add(
            "times", None, "no time that is read but that of the first report: run S_TIME_FORMAT=ISO iostat -t 1"
        )


def _iostat_reports(source):
    """The line and time of each report, the shares of the processors by name, and the numbers of each disk by name.

    Last the columns of the disks: none where a line of them cannot be read, since a sum without it would be none.
    None in its place where another recording begins.
    """
    report, header = None, []
    for number, text in source.lines():
        cells = text.split()
        if moment := iso_moment(text) or moment_with_month_first(text) or moment_with_dots(text):
            if report:
                yield report
            report, header = [number, moment, {}, {}, ()], []
        elif text.startswith("Linux "):
            source.check_computer(kernel_line_host(text), number)
            if report:
                yield report
                yield None
            report, header = None, []
        elif not cells:
            header = []
        elif cells[0] in ("avg-cpu:", "Device", "Device:"):
            header = cells
            if report and header[0] != "avg-cpu:":
                report[4] = header[1:]
        elif header and report:
            shares = header[0] == "avg-cpu:"
            values = [recorded_number(cell) for cell in (cells if shares else cells[1:])]
            if len(values) != len(header) - 1 or None in values:
                source.skip(number, f"{len(header) - 1} numbers")
                report[4] = report[4] if shares else ()
            elif shares:
                report[2].update(zip(header[1:], values, strict=True))
            else:
                report[3][cells[0]] = dict(zip(header[1:], values, strict=True))
    if report:
        if header and not report[3]:  # cut off before its disks: they were not idle
            report[4] = ()
        yield report
