"""nmon for Linux, as it records to a file (``nmon -f``): a snapshot begins with a line ZZZZ, one line per section.

Form: recordings of nmon 16n made for the tests, and a printed header of version 11f. Sections name their
columns in a line of their own at first (``CPU_ALL,CPU Total host,User%,...``); -1 is what a kernel does not count.
"""

import re

from dominoperf.loadtests.readers.recording import ReaderClock, moment_with_day_first, plain_number, reader
from dominoperf.loadtests.readers.resources import (
    COLUMNS,
    KIB,
    note_disks_left_out,
    note_networks_left_out,
    outside_networks,
    whole_disks,
)

_SNAPSHOT = re.compile(r"T\d{4,}")
_SECTIONS = ("CPU_ALL", "MEM", "PROC", "NET", "DISKBUSY", "DISKREAD", "DISKWRITE", "DISKXFER")


@reader("nmon", "a recording of nmon", "AAA, at the start", lambda head: head.first.startswith("AAA,"), COLUMNS)
def nmon(source):
    """Yield a row per snapshot; one whose stamp cannot be read is lost, and noted.

    What counts as busy, as a disk and as a network is said in `resources`; the busy share is that of the busiest disk.
    """
    clock, headers, left_out, devices = ReaderClock(source.notes), {}, set(), set()
    for line, stamp, sections in _nmon_snapshots(source, headers):
        moment = moment_with_day_first(*stamp[1:3]) if len(stamp) == 3 else None
        if moment is None:
            source.skip(line, "a time and a date (ZZZZ,T0001,20:26:50,21-NOV-2026), so that the snapshot is lost")
            continue
        if missing := [name for name in _SECTIONS if name in headers and name not in sections]:
            source.notes.add("incomplete", line, f"snapshot {stamp[0]} has no {', '.join(missing)}")
        cpu, memory = sections.get("CPU_ALL", {}), sections.get("MEM", {})
        busy = [cpu[name] for name in ("User%", "Sys%", "Steal%") if name in cpu]
        networks = [(re.sub(r"-(read|write)-KB/s$", "", name.strip()), value)
                    for name, value in sections.get("NET", {}).items()]  # fmt: skip
        outside = outside_networks(name for name, _ in networks)
        left_out |= {name for name, _ in networks} - outside
        network = [value for name, value in networks if name in outside]
        disks = {"DISKREAD": {}, "DISKWRITE": {}, "DISKXFER": {}, "DISKBUSY": {}}
        for name, cells in sections.items():  # beyond 150 disks a section goes on as DISKREAD1, DISKREAD2...
            disks.get(name.rstrip("0123456789"), {}).update(cells)
        devices |= disks["DISKXFER"].keys() | disks["DISKREAD"].keys()
        read, write, transfers, shares = ([cells[name] for name in whole_disks(cells)] for cells in disks.values())
        row = {
            "cpu_utilization_percent": round(sum(busy), 6) if cpu.keys() >= {"User%", "Sys%"} else None,
            "cpu_user_percent": cpu.get("User%"),
            "cpu_system_percent": cpu.get("Sys%"),
            "cpu_wait_percent": cpu.get("Wait%"),
            "cpu_steal_percent": cpu.get("Steal%"),
            "ram_free_mib": memory.get("memfree"),
            "run_queue": sections.get("PROC", {}).get("Runnable"),
            "disk_read_bytes_per_s": sum(read) * KIB if read else None,
            "disk_write_bytes_per_s": sum(write) * KIB if write else None,
            "disk_transfers_per_s": sum(transfers) if transfers else None,
            "disk_busy_percent": max(shares, default=None),
            "network_bytes_per_s": sum(network) * KIB if network else None,
        }
        yield clock.stamp(moment, line) | row
    clock.finish()
    note_disks_left_out(source.notes, devices)
    note_networks_left_out(source.notes, left_out)


def _nmon_snapshots(source, headers):
    """The line, stamp and sections of every snapshot; a section as a dict of its numbers by column."""
    current = None
    for line, text in source.lines():
        cells = text.split(",")
        if cells[0] == "ZZZZ":
            if current:
                yield current
            current = line, cells[1:], {}
        elif len(cells) < 2 or cells[0] in ("AAA", "BBBP"):
            if text.startswith("AAA,host,"):
                source.check_computer(cells[2].strip(), line)
            elif current and text.startswith("AAA,progname"):
                source.notes.add("restart", line, "another recording begins")
        elif not _SNAPSHOT.fullmatch(cells[1]):
            headers[cells[0]] = [name for name in cells[2:] if name]
        elif current is None or cells[1] != current[1][0]:
            found = f"{cells[1]} of {cells[0]} outside its snapshot"
            remedy = "Give the file as nmon wrote it, not sorted, and without pieces cut out of it."
            raise source.wrong(line, "the lines of a snapshot after its ZZZZ", found, remedy)
        else:  # there may be more numbers than the header names
            names, values = headers.get(cells[0], []), [plain_number(cell.strip()) for cell in cells[2:]]
            if len(values) < len(names):
                source.skip(line, f"as many cells as its section names: {len(values)} of {len(names)}")
            cells_by_name = zip(names, values, strict=False)
            current[2][cells[0]] = {name: value for name, value in cells_by_name if value is not None and value >= 0}
    if current:
        yield current
