"""iostat of sysstat with ``-t``: a row for each report, of the processors and of all whole disks together.

Form: runs of sysstat 12.6.1 made for the tests. A kB is 1,024 bytes; with ``-m`` iostat prints MB of 1,024 kB.
"""

import re
from dataclasses import dataclass, field
from datetime import datetime

from dominoperf.loadtests.readers import resources
from dominoperf.loadtests.readers.recording import (
    ReaderClock,
    iso_moment,
    moment_with_month_first,
    reader,
    recorded_number,
)
from dominoperf.loadtests.readers.resources import KIB, kernel_line_host, note_disks_left_out, whole_disks

_NEVER = ("ram_free_mib", "ram_available_mib", "run_queue", "network_bytes_per_s")
COLUMNS = tuple(name for name in resources.COLUMNS if name not in _NEVER)
_PROCESSORS = {"%user": "cpu_user_percent", "%system": "cpu_system_percent", "%iowait": "cpu_wait_percent",
               "%steal": "cpu_steal_percent"}  # fmt: skip
_BUSY = ("%user", "%nice", "%system", "%steal")
_DISKS = {
    "disk_read_bytes_per_s": {"rkB/s": KIB, "kB_read/s": KIB, "rMB/s": KIB**2, "MB_read/s": KIB**2},
    "disk_write_bytes_per_s": {"wkB/s": KIB, "kB_wrtn/s": KIB, "wMB/s": KIB**2, "MB_wrtn/s": KIB**2},
    "disk_transfers_per_s": {"tps": 1, "r/s": 1, "w/s": 1},
}


@dataclass
class _Report:
    """What iostat prints at one time."""

    line: int
    moment: datetime
    shares: dict = field(default_factory=dict)  # of the processors, by name
    disks: dict = field(default_factory=dict)  # the numbers of each disk, by its name and theirs
    measured: list = field(default_factory=list)  # names of these numbers; none where a line of them cannot be read


@reader("iostat", "what iostat -t prints", "a table that begins with avg-cpu: or Device",
        lambda head: any(re.match(r"avg-cpu: |Device:? .*(?:/s|tps)", line) for line in head.lines[:6]),
        COLUMNS)  # fmt: skip
def iostat(source):
    """Yield a row for each report but the first of each recording, an average since the machine was started.

    A disk that a report leaves out was idle in it, as ``-z`` asks for, and counts as 0.
    """
    clock, first, last, devices = ReaderClock(source.notes), True, None, set()
    for report in _iostat_reports(source):
        if report is None:  # another recording begins
            first = True
            continue
        devices |= report.disks.keys()
        if first:
            average = "the first report is an average since the start of the machine: left out"
            source.notes.add("first", report.line, average)
            first = False
            continue
        row, shares = clock.stamp(report.moment, report.line), report.shares
        row |= {ours: shares[name] for name, ours in _PROCESSORS.items() if name in shares}
        if shares:
            row["cpu_utilization_percent"] = round(sum(shares.get(name, 0.0) for name in _BUSY), 6)
        if disks := whole_disks(devices):  # without a disk in any report there is none to be idle
            whole = [report.disks[name] for name in sorted(disks & report.disks.keys())]
            measured = {name for name in report.measured if all(name in disk for disk in whole)}
            for ours, names in _DISKS.items():
                if here := [name for name in names if name in measured]:
                    row[ours] = sum(disk[name] * names[name] for disk in whole for name in here)
            if "%util" in measured:
                row["disk_busy_percent"] = max((disk["%util"] for disk in whole), default=0.0)
        last = report.line
        yield row
    clock.finish()
    note_disks_left_out(source.notes, devices)
    if first or last is None:
        source.notes.add(
            "times", None, "no time that is read but that of the first report: run S_TIME_FORMAT=ISO iostat -t 1"
        )


def _iostat_reports(source):
    """Yield each report; None where another recording begins.

    A report with a line of a disk that cannot be read measured no disks: a sum without that one would be wrong.
    """
    report, header = None, []
    for number, text in source.lines():
        cells = text.split()
        if moment := iso_moment(text) or moment_with_month_first(text):
            if report:
                yield report
            report, header = _Report(number, moment), []
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
                report.measured = header[1:]
        elif header and report:
            of_processors = header[0] == "avg-cpu:"
            values = [recorded_number(cell) for cell in (cells if of_processors else cells[1:])]
            if len(values) != len(header) - 1 or None in values:
                source.skip(number, f"{len(header) - 1} numbers")
                if not of_processors:
                    report.measured = []
            elif of_processors:
                report.shares.update(zip(header[1:], values, strict=True))
            else:
                report.disks[cells[0]] = dict(zip(header[1:], values, strict=True))
    if report:
        if header and not report.disks:  # cut off before its disks: they were not idle
            report.measured = []
        yield report
