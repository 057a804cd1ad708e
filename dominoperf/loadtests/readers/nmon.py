"""nmon for Linux, as it records to a file (``nmon -f``): a snapshot begins with a line ZZZZ, one line per section.

Form: recordings of nmon 16n made for the tests, and a printed header of version 11f. Sections name their
columns in a line of their own at first (``CPU_ALL,CPU Total host,User%,...``); -1 stands for what a kernel has not.
"""

import re

from dominoperf.loadtests.readers import numbers
from dominoperf.loadtests.readers.clock import Clock, day_first, seconds_of
from dominoperf.loadtests.readers.resources import COLUMNS, KIB, outside, whole_disks

_SNAPSHOT = re.compile(r"T\d{4,}")
_SORTED = "Give the file as nmon wrote it, not sorted, and without pieces cut out of it."
_SECTIONS = ("CPU_ALL", "MEM", "PROC", "NET", "DISKBUSY", "DISKREAD", "DISKWRITE", "DISKXFER")


def read(source):
    """Read a recording of nmon, a row per snapshot.

    CPU utilization is User% + Sys%. Disks are added up without their partitions, networks without the loopback; KB are
    1,024 bytes. The busy share is that of the busiest disk. `line` is that of the snapshot's ZZZZ.
    """
    return COLUMNS, _rows(source)


def recognises(head):
    """Tell by the first line, of the section AAA."""
    return bool(head.lines) and re.match(r"AAA,", head.lines[0]) is not None


def _rows(source):
    """A row a snapshot; one whose stamp cannot be read is lost, and noted."""
    clock, headers = Clock(source.notes), {}
    for line, stamp, sections in _snapshots(source, headers):
        moment = day_first(*stamp[1:3]) if len(stamp) == 3 else None
        if moment is None:
            source.skip(line, "a time and a date (ZZZZ,T0001,20:26:50,21-NOV-2026), so that the snapshot is lost")
            continue
        _tell_missing(source, line, stamp[0], headers, sections)
        time = {"time": moment.isoformat(), "time_s": clock.since(seconds_of(moment), line), "line": line}
        yield time | _measures(sections)
    clock.finish()


def _snapshots(source, headers):
    """The line, stamp and sections of every snapshot; a section as a dict of its columns."""
    current = None
    for number, text in source.lines():
        cells = text.split(",")
        if cells[0] == "ZZZZ":
            if current:
                yield current
            current = number, cells[1:], {}
        elif len(cells) < 2 or cells[0] in ("AAA", "BBBP"):
            _tell_restart(source, number, text, current)
        elif not _SNAPSHOT.fullmatch(cells[1]):
            headers[cells[0]] = cells[2:]
        elif current is None or cells[1] != current[1][0]:
            found = f"{cells[1]} of {cells[0]} outside its snapshot"
            raise source.wrong(number, "the lines of a snapshot after its ZZZZ", found, _SORTED)
        else:
            current[2][cells[0]] = _section(source, number, headers.get(cells[0], []), cells[2:])
    if current:
        yield current


def _tell_restart(source, number, text, current):
    if current and text.startswith("AAA,progname"):
        source.notes.add("restart", number, "another recording begins")


def _section(source, number, header, cells):
    """The numbers of a line by column; there may be more of them than the header names."""
    names = [name for name in header if name]
    if len(cells) < len(names):
        source.skip(number, f"as many cells as its section names: {len(cells)} of {len(names)}")
    found = {name: numbers.plain(cell.strip()) for name, cell in zip(names, cells, strict=False)}
    return {name: value for name, value in found.items() if value is not None and value >= 0}


def _tell_missing(source, line, stamp, headers, sections):
    """A section that the file names, and a snapshot has not."""
    lost = [name for name in _SECTIONS if name in headers and name not in sections]
    if lost:
        source.notes.add("incomplete", line, f"snapshot {stamp} has no {', '.join(lost)}")


def _measures(sections):
    """Our columns of a snapshot, as far as its sections have them."""
    cpu, memory, disks = sections.get("CPU_ALL", {}), sections.get("MEM", {}), _disks(sections)
    found = {
        "cpu_utilization_percent": _sum(cpu, ("User%", "Sys%")),
        "cpu_user_percent": cpu.get("User%"),
        "cpu_system_percent": cpu.get("Sys%"),
        "cpu_wait_percent": cpu.get("Wait%"),
        "cpu_steal_percent": cpu.get("Steal%"),
        "ram_free_mib": memory.get("memfree"),
        "run_queue": sections.get("PROC", {}).get("Runnable"),
        "network_bytes_per_s": _network(sections.get("NET", {})),
    }
    return {name: value for name, value in (found | disks).items() if value is not None}


def _disks(sections):
    """Sums over the disks; beyond 150 disks a section goes on as DISKREAD1, DISKREAD2..."""
    kinds = {"DISKREAD": {}, "DISKWRITE": {}, "DISKXFER": {}, "DISKBUSY": {}}
    for name, cells in sections.items():
        kinds.get(name.rstrip("0123456789"), {}).update(cells)
    read, write, transfers, busy = (_of_disks(cells) for cells in kinds.values())
    return {
        "disk_read_bytes_per_s": sum(read) * KIB if read else None,
        "disk_write_bytes_per_s": sum(write) * KIB if write else None,
        "disk_transfers_per_s": sum(transfers) if transfers else None,
        "disk_busy_percent": max(busy, default=None),
    }


def _of_disks(cells):
    return [cells[name] for name in whole_disks(cells)]


def _network(cells):
    found = [value for name, value in cells.items() if outside(re.sub(r"-(read|write)-KB/s$", "", name.strip()))]
    return sum(found) * KIB if found else None


def _sum(cells, names):
    return round(sum(cells[name] for name in names), 6) if all(name in cells for name in names) else None
