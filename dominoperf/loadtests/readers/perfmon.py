"""Windows Performance Monitor, as CSV: a first line with ``(PDH-CSV 4.0)`` and the path of every counter.

Form: Microsoft's description of the log file formats of the PDH library, and Performance Monitor's own counter names.
Times are local, month first. The sample in the tests is made by hand.
"""

import re

from dominoperf.errors import UnknownName
from dominoperf.loadtests.readers.recording import (
    ReaderClock,
    moment_with_month_first,
    reader,
    recorded_number,
    split_csv_line,
)
from dominoperf.loadtests.readers.resources import COLUMNS, KIB, note_networks_left_out, outside_networks
from dominoperf.tables.headings import factor_of_column, heading_and_unit, target_of_mapping

_HEADER = re.compile(r"\"?\(PDH-CSV 4\.0\)")
_MIB = 1 / KIB**2  # in bytes
_CPU = r"\\processor(?: information)?\(_total\)\\% "
_DISK = r"\\physicaldisk\(_total\)\\"
_NETWORK = r"\\network interface\((.*)\)\\bytes total/sec"
# Counter path in small letters, without the computer -> our name and the factor; networks are added up.
_COUNTERS = (
    (_CPU + "processor time", "cpu_utilization_percent", 1),
    (_CPU + "user time", "cpu_user_percent", 1),
    (_CPU + "privileged time", "cpu_system_percent", 1),
    (r"\\memory\\available bytes", "ram_available_mib", _MIB),
    (r"\\memory\\available kbytes", "ram_available_mib", _MIB * KIB),
    (r"\\memory\\available mbytes", "ram_available_mib", 1),
    (r"\\system\\processor queue length", "run_queue", 1),
    (_DISK + r"disk read bytes/sec", "disk_read_bytes_per_s", 1),
    (_DISK + r"disk write bytes/sec", "disk_write_bytes_per_s", 1),
    (_DISK + r"disk transfers/sec", "disk_transfers_per_s", 1),
    (_NETWORK, "network_bytes_per_s", 1),
)
_ADDED = "network_bytes_per_s"


@reader("perfmon", "a counter log of Windows Performance Monitor, as CSV", "(PDH-CSV 4.0) at the start",
        lambda head: _HEADER.match(head.first), COLUMNS, mapped=True)  # fmt: skip
def perfmon(source):
    """Return the columns and rows of a counter log, a row per sample.

    A counter is known by its English path, or mapped by its path without the computer
    (``\\Prozessor(_Total)\\Prozessorzeit (%)`` to ``cpu_utilization_percent[percent]``). Where the counter of a network
    interface is blank there is no sum. A log of several computers is refused.
    """
    names = [name for name in (target_of_mapping(text)[0] for text in source.mapping.values()) if name not in COLUMNS]
    return (*COLUMNS[:-1], *dict.fromkeys(names), "line"), _sample_rows(source)


def _sample_rows(source):
    """One row per sample, under the header before it; a file may hold several recordings."""
    clock, counters, count = ReaderClock(source.notes), None, 0
    for line, text in source.lines():
        cells = split_csv_line(text)
        if _HEADER.match(text):
            if counters:
                source.notes.add("restart", line, "another recording begins")
            counters, count = _recognised_counters(source, line, cells), len(cells)
        elif counters is None:
            remedy = "Give the log as Performance Monitor or relog wrote it, from its first line on."
            raise source.wrong(line, "a header with (PDH-CSV 4.0)", repr(text[:60]), remedy)
        elif len(cells) != count or (moment := moment_with_month_first(cells[0])) is None:
            source.skip(line, f"a time (11/21/2026 20:26:50.123) and {count - 1} values")
        else:
            row = clock.stamp(moment, line)
            numbers = [(name, recorded_number(cells[place]), factor) for place, name, factor in counters]
            row |= {name: number * factor for name, number, factor in numbers if number is not None and name != _ADDED}
            added = [(number, factor) for name, number, factor in numbers if name == _ADDED]
            if added and all(number is not None for number, _ in added):  # a sum without one of them is none
                row[_ADDED] = sum(number * factor for number, factor in added)
            yield row
    clock.finish()


def _recognised_counters(source, line, header):
    """The place, our name and the factor of every counter that is one of ours; those left out are counted."""
    parts = [re.fullmatch(r"(?:\\\\([^\\]+))?(.*)", path, re.DOTALL).groups("") for path in header[1:]]
    computers, paths = [computer for computer, _ in parts], [path for _, path in parts]
    mapped = {}
    for path, text in source.mapping.items():
        if path not in paths:
            raise UnknownName.among(f"mapping of {source.path}", path, paths, f"Counters are {', '.join(paths)}.")
        name, unit = target_of_mapping(text)
        mapped[path] = name, factor_of_column(unit or heading_and_unit(path)[1], name, path, source.path)
    networks = {match[1] for path in paths if (match := re.fullmatch(_NETWORK, path, re.IGNORECASE))}
    left_out = networks - outside_networks(networks)
    note_networks_left_out(source.notes, left_out)
    counters = []
    for place, path in enumerate(paths, 1):
        columns = [(name, factor) for form, name, factor in _COUNTERS if re.fullmatch(form, path.lower())]
        if (match := re.fullmatch(_NETWORK, path, re.IGNORECASE)) and match[1] in left_out:
            columns = []
        counters += [(place, *column) for column in ([mapped[path]] if path in mapped else columns[:1])]
    if not counters:
        remedy = "Counters of another language are mapped: --map 'PATH=NAME[unit]', the path without the computer."
        raise source.wrong(line, "a counter that is known", f"only {', '.join(paths[:3]) or 'none'}", remedy)
    named = {computers[place - 1].lower(): computers[place - 1] for place, *_ in counters}
    if len(named) > 1:
        names = list(named.values())
        remedy = (
            f"Make a file for each: its first column, and those whose path begins with \\\\{names[0]}. For a log of "
            f"Performance Monitor, relog LOG -cf PATHS.txt -f csv -o {names[0]}.csv keeps the counters in PATHS.txt."
        )
        raise source.wrong(line, "counters of one computer", f"those of {' and '.join(names)}", remedy)
    source.check_computer(*named.values(), line)
    if len(counters) < len(paths):
        source.notes.add("columns", None, f"{len(paths) - len(counters)} of {len(paths)} counters are not read")
    return counters
