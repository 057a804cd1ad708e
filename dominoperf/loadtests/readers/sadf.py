"""sysstat's ``sadf -d``: values separated by semicolons, one section after another, each under a header of its own.

Form: recordings of sysstat 12.6.1 made for the tests, and its manual page sadf(1). With ``-h`` all sections stand
beside each other in one. Older versions print sectors (``rd_sec/s``) where newer ones print ``rkB/s``.
"""

import itertools
import re
from datetime import UTC

from dominoperf.loadtests.readers import numbers
from dominoperf.loadtests.readers.clock import Clock, from_epoch, iso, seconds_of
from dominoperf.loadtests.readers.resources import COLUMNS, KIB, outside, whole_disks

_SECTOR = 512  # bytes
_HEADER = re.compile(r"#?\s*hostname;interval;timestamp;")
_ITEMS = ("CPU", "DEV", "IFACE")  # columns that name one of several things a sample is of
_BUSY = ("%user", "%usr", "%nice", "%system", "%sys", "%irq", "%soft", "%guest", "%gnice")


def read(source):
    """Read the output of ``sadf -d``, a row per sample with the values of all sections.

    CPU utilization is what is neither idle, waiting for a disk, nor stolen. Disks are added up without their partitions
    and networks without the loopback; kB are 1,024 bytes. The busy share is that of the busiest disk. `line` is that of
    the sample in the first section.
    """
    return COLUMNS, _rows(source)


def recognises(head):
    """Tell by the header of the first section."""
    return bool(head.lines) and _HEADER.match(head.lines[0]) is not None


def _rows(source):
    """A row a sample, of all the sections that have it."""
    clock = Clock(source.notes)
    for block in _blocks(source):
        for stamp, groups in _side_by_side([_samples(source, *section) for section in block]):
            line = min(lines[0][0] for _, lines in groups)
            moment, time = _moment(stamp)
            if moment is None:
                source.skip(line, "a time such as 2026-11-21 20:26:50 UTC")
                continue
            row = {"time": time, "time_s": clock.since(moment, line), "line": line}
            yield row | _measures(groups)
    clock.finish()


def _blocks(source):
    """The sections between two starts of the machine, or of one of several outputs in a file: header and place each."""
    block, before = [], None
    for number, offset, text in source.places():
        if _HEADER.match(text):
            names = [name.replace("[...]", "") for name in text.lstrip("# ").split(";")]
            if names in [header for header, _ in block]:
                yield block
                block = []
            block.append((names, (number, offset)))
        elif "LINUX-RESTART" in text:
            source.notes.add("restart", number, "the machine, or its recorder, was started again")
            yield block
            block = []
        elif before is None:
            remedy = "Give what `sadf -d` prints, from its first line on."
            raise source.wrong(
                number, "a header that begins with # hostname;interval;timestamp", repr(text[:60]), remedy
            )
        before = number
    yield block


def _samples(source, names, place):
    """The samples of a section: the stamp, and the lines of it, each with its cells by name."""
    lines = _lines(source, names, place)
    for stamp, group in itertools.groupby(lines, key=lambda line: line[1]["timestamp"]):
        yield stamp, list(group)


def _lines(source, names, place):
    """The lines of one section, up to the next header."""
    for number, _, text in itertools.islice(source.places(place), 1, None):
        cells = text.split(";")
        if _HEADER.match(text) or "LINUX-RESTART" in text:
            return
        if len(cells) == len(names):
            yield number, dict(zip(names, cells, strict=True))
        elif cells[1:2] != ["-1"]:  # what a person wrote into the recording, as a line COM
            source.skip(number, f"{len(names)} values")


def _side_by_side(sections):
    """The samples of several sections by their time: sections have the same times, unless one has lost some."""
    heads = [next(section, None) for section in sections]
    while any(heads):
        stamp = min(head[0] for head in heads if head)
        if heads[0] and all(head and head[0] == heads[0][0] for head in heads):
            stamp = heads[0][0]  # together they may go back
        groups = [(k, head[1]) for k, head in enumerate(heads) if head and head[0] == stamp]
        for k, _ in groups:
            heads[k] = next(sections[k], None)
        yield stamp, groups


def _moment(stamp):
    """The seconds and the ISO text of a time: with UTC or another zone behind it, bare, or seconds since 1970."""
    if re.fullmatch(r"\d{9,10}", stamp):
        return float(stamp), from_epoch(int(stamp))
    text = stamp.strip().removesuffix(" UTC")
    moment = iso(re.sub(r" [A-Z]{3,5}$", "", text))
    if moment is None:
        return None, None
    utc = stamp.endswith(" UTC")
    return seconds_of(moment.replace(tzinfo=UTC) if utc else moment), moment.isoformat() + ("Z" if utc else "")


def _measures(groups):
    """The values of a sample's sections; -b, of the whole machine, stands before sums over disks."""
    found = {}
    for _, lines in groups:
        kind = next((name for name in _ITEMS if name in lines[0][1]), "")
        new = _KINDS[kind]([(cells, _numbers(cells)) for _, cells in lines])
        found |= new if kind != "DEV" else {name: new[name] for name in new if name not in found}
    return {name: value for name, value in found.items() if value is not None}


def _numbers(cells):
    found = {name: numbers.recorded(cell) for name, cell in cells.items()}
    return {name: value for name, value in found.items() if value is not None}


def _machine(lines):
    """The sections of which a sample has one line, and those of ``-h``."""
    return _single(lines[0][1])


def _single(cells):
    scaled = {
        "ram_free_mib": ("kbmemfree", 1 / KIB),
        "ram_available_mib": ("kbavail", 1 / KIB),
        "run_queue": ("runq-sz", 1),
        "disk_read_bytes_per_s": ("bread/s", _SECTOR),
        "disk_write_bytes_per_s": ("bwrtn/s", _SECTOR),
    }
    found = {name: cells[column] * factor for name, (column, factor) in scaled.items() if column in cells}
    return found | ({"disk_transfers_per_s": cells["tps"]} if cells.keys() >= {"tps", "rtps"} else {})


def _processors(lines):
    """The line of all processors, which has the number -1."""
    cells = next((cells for texts, cells in lines if texts["CPU"] in ("-1", "all")), {})
    busy = [cells[name] for name in _BUSY if name in cells]
    return _single(cells) | {
        "cpu_utilization_percent": round(sum(busy), 6) if busy else None,
        "cpu_user_percent": cells.get("%user", cells.get("%usr")),
        "cpu_system_percent": cells.get("%system", cells.get("%sys")),
        "cpu_wait_percent": cells.get("%iowait"),
        "cpu_steal_percent": cells.get("%steal"),
    }


def _disks(lines):
    """Sums over whole disks, in bytes of kilobytes or sectors; the share of the busiest one."""
    whole = whole_disks(texts["DEV"] for texts, _ in lines)
    cells = [cells for texts, cells in lines if texts["DEV"] in whole]
    return {
        "disk_read_bytes_per_s": _total(cells, {"rkB/s": KIB, "rd_sec/s": _SECTOR}),
        "disk_write_bytes_per_s": _total(cells, {"wkB/s": KIB, "wr_sec/s": _SECTOR}),
        "disk_transfers_per_s": _total(cells, {"tps": 1}),
        "disk_busy_percent": max((each["%util"] for each in cells if "%util" in each), default=None),
    }


def _networks(lines):
    cells = [cells for texts, cells in lines if outside(texts["IFACE"])]
    return {"network_bytes_per_s": _total(cells, {"rxkB/s": KIB, "txkB/s": KIB})}


def _total(lines, factors):
    found = [cells[name] * factor for cells in lines for name, factor in factors.items() if name in cells]
    return sum(found) if found else None


_KINDS = {"": _machine, "CPU": _processors, "DEV": _disks, "IFACE": _networks}
