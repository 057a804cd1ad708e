"""vmstat of procps: a line for each interval, with the time where ``-t`` was given.

Form: runs of vmstat 4.0.2 made for the tests, and its manual page: memory in KiB, blocks of 1,024 bytes.
"""

from dominoperf.loadtests.readers import resources
from dominoperf.loadtests.readers.recording import ReaderClock, iso_moment, plain_number, reader
from dominoperf.loadtests.readers.resources import KIB

_NEVER = ("ram_available_mib", "disk_transfers_per_s", "disk_busy_percent", "network_bytes_per_s")
COLUMNS = tuple(name for name in resources.COLUMNS if name not in _NEVER)
_NAMES = {
    "us": ("cpu_user_percent", 1),
    "sy": ("cpu_system_percent", 1),
    "wa": ("cpu_wait_percent", 1),
    "st": ("cpu_steal_percent", 1),
    "free": ("ram_free_mib", 1 / KIB),
    "r": ("run_queue", 1),
    "bi": ("disk_read_bytes_per_s", KIB),
    "bo": ("disk_write_bytes_per_s", KIB),
}
_PAGE, _LEAST = 4, 16_384  # KiB: of a page on all machines or a part of one, and free, buffers and cache together
_IDLE = ("id", "wa")
_SCREEN = 21  # lines after which the header comes again in a file; on a high terminal more
_AVERAGED = ("bi", "bo", "in", "cs", "us", "sy", "id", "wa", "st")  # what the first line has since the start


@reader("vmstat", "what vmstat prints", "procs -----------memory----------",
        lambda head: any(line.startswith(("procs -", "--procs--")) for line in head.lines[:3]),
        COLUMNS)  # fmt: skip
def vmstat(source):
    """Return the columns and rows of what vmstat prints, a row for each interval.

    The first line of a recording, an average since the machine was started, is left out. A header that does not come
    where vmstat repeats it begins another recording. With ``-S`` the unit of memory is not printed: numbers that are no
    pages of 4 KiB are in another one, and left out.
    """
    timed = any("-timestamp-" in line for line in source.first_lines())
    return COLUMNS if timed else COLUMNS[2:], _vmstat_intervals(source)


def _vmstat_intervals(source):
    """A row for each interval but the first of each recording."""
    clock, header, first, since_start = ReaderClock(source.notes), [], False, None
    screen, below = 0, 0  # lines between two headers, and since the last one
    in_kib = all(map(_is_memory_in_kib, source.first_lines()[:-1]))
    if not in_kib:
        text = (
            "the memory is not in KiB, as with vmstat -S, and the file does not name its unit: ram_free_mib is left out"
        )
        source.notes.add("unit", None, f"{text}; run vmstat without -S to have it")
    for number, text in source.lines():
        cells = text.split()
        if cells[:2] == ["r", "b"]:
            if header:
                screen = screen or max(below, _SCREEN)
            first = first or not header or below != screen
            below, header = 0, [name for name in cells if name.islower()]  # behind them a time zone
            continue
        if not cells or cells[0].strip("-") == "procs":
            continue
        below += 1
        values = [plain_number(cell) for cell in cells[: len(header)]]
        if not header or len(values) < len(header) or None in values:
            source.skip(number, f"{len(header)} numbers")
            continue
        numbers = dict(zip(header, values, strict=True))
        averages = [numbers.get(name) for name in _AVERAGED]
        if first or (below == 1 and averages == since_start):  # a recording that ended with a screen
            first, since_start = False, averages
            text = "the first line is an average since the start of the machine, unless vmstat ran with -y: left out"
            source.notes.add("first", number, text)
            continue
        row = {ours: numbers[name] * factor for name, (ours, factor) in _NAMES.items() if name in numbers}
        idle = sum(numbers.get(name, 0.0) for name in _IDLE)  # us + sy may be 101: each is rounded to whole percents
        row |= {"cpu_utilization_percent": max(100.0 - idle, 0.0), "line": number}
        if len(cells) == len(header) + 2:
            moment = iso_moment(" ".join(cells[-2:]))
            if moment is None:
                source.skip(number, "a time as 2026-11-21 20:26:50")
                continue
            row |= clock.stamp(moment, number)
        if not in_kib:
            row.pop("ram_free_mib", None)
        yield row
    clock.finish()


def _is_memory_in_kib(line):
    """Whether a line's swap, free, buffers and cache may be KiB: whole pages, and more than any Linux runs with."""
    numbers = [plain_number(cell) for cell in line.split()[2:6]]
    if len(numbers) < 4 or None in numbers:
        return True
    return not any(number % _PAGE for number in numbers) and sum(numbers[1:]) >= _LEAST
