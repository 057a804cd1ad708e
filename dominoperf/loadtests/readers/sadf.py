"""sysstat's ``sadf -d``: values separated by semicolons, sections one after another under headers; and ``sadf -j``.

Form: recordings of sysstat 12.6.1 made for the tests, and its manual page sadf(1). With ``-h`` all sections stand
beside each other in one. Older versions print sectors (``rd_sec/s``) where newer ones print ``rkB/s``.
"""

import itertools
import re
from datetime import UTC

from dominoperf.loadtests.readers.recording import (
    ReaderClock,
    epoch_as_iso,
    epoch_seconds,
    iso_moment,
    json_value_at,
    reader,
    recorded_number,
)
from dominoperf.loadtests.readers.resources import (
    COLUMNS,
    KIB,
    note_disks_left_out,
    note_networks_left_out,
    outside_networks,
    whole_disks,
)

_SECTOR = 512  # bytes
_HEADER = re.compile(r"#?\s*hostname;interval;timestamp;")
_ONE_HOST = "Read one of them alone: grep -E '^#|^HOST;' FILE | dominoperf ingest -"
_BUSY = ("%user", "%usr", "%nice", "%system", "%sys", "%irq", "%soft", "%guest", "%gnice", "%steal")


@reader("sadf", "the output of sadf -d", "# hostname;interval;timestamp at the start",
        lambda head: _HEADER.match(head.first), COLUMNS)  # fmt: skip
def sadf(source):
    """Yield a row per sample with the values of all sections.

    What counts as busy, as a disk and as a network is said in `resources`; the busy share is that of the busiest disk.
    """
    clock, left_out, devices = ReaderClock(source.notes), set(), set()
    for block in _sections_between_starts(source):
        for stamp, samples in _sadf_sections_side_by_side(
            [_sadf_section_samples(source, *section) for section in block]
        ):
            line = min(lines[0][0] for lines in samples)
            moment, time = _sadf_time(stamp)
            if moment is None:
                source.skip(line, "a time such as 2026-11-21 20:26:50 UTC")
                continue
            row = {"time": time, "time_s": clock.since(moment, line), "line": line}
            row |= _sadf_sample_values(samples, left_out, devices)
            if devices and "disk_busy_percent" not in row:
                source.notes.add("no disk", line, "no line of a disk, unlike samples before: idle, or not recorded")
            yield row
    clock.finish()
    note_disks_left_out(source.notes, devices)
    note_networks_left_out(source.notes, left_out)


@reader("sadf_json", "the output of sadf -j, in JSON", '{"sysstat": at the start',
        lambda head: re.match(r'\s*\{\s*"sysstat"\s*:', "".join(head.lines[:3])), COLUMNS)  # fmt: skip
def sadf_json(source):
    """Yield a row per sample, as `sadf` does; of a file that was cut off those before."""
    clock, before, line = ReaderClock(source.notes), 0, 1
    left_out, devices = set(), set()
    text = source.text()
    for host in re.findall(r'"nodename"\s*:\s*"([^"]*)"', text):
        source.check_computer(host, None, "Write a file for each host: sadf -j FILE of its own recording.")
    for stamp_key in re.finditer(r'(\{\s*)?"timestamp"\s*:', text):
        line, before = line + text.count("\n", before, stamp_key.start()), stamp_key.start()
        try:
            sample, _ = json_value_at(text, before)
            stamp = sample["timestamp"]
            moment, time = _sadf_time(f"{stamp['date']} {stamp['time']}{' UTC' if stamp.get('utc') else ''}")
            row = _sadf_sample_values(_sadf_json_sections(sample), left_out, devices)
        except (ValueError, KeyError, TypeError, AttributeError, OverflowError):
            source.skip(line, "a whole sample in JSON")
            continue
        if moment is None:
            source.skip(line, "a time such as 2026-11-21 20:26:50")
            continue
        yield {"time": time, "time_s": clock.since(moment, line), "line": line} | row
    if not text.rstrip().endswith("}"):
        source.notes.add("cut", None, "no end of the JSON, so the file may be cut off here")
    clock.finish()
    note_disks_left_out(source.notes, devices)
    note_networks_left_out(source.notes, left_out)


def _sadf_json_sections(sample):
    """The sections of a sample in JSON as those of ``sadf -d``: lines of cells by the names that they have there."""
    named = {"memfree": "kbmemfree", "avail": "kbavail", "disk-device": "DEV", "rkB": "rkB/s", "wkB": "wkB/s",
             "util-percent": "%util", "iface": "IFACE", "rxkB": "rxkB/s", "txkB": "txkB/s", "bread": "bread/s",
             "bwrtn": "bwrtn/s"}  # fmt: skip
    io, network = sample.get("io", {}), sample.get("network", {}).get("net-dev", [])
    io = {"tps": io.get("tps", ""), **io.get("io-reads", {}), **io.get("io-writes", {})} if io else {}
    processors = [{("CPU" if name == "cpu" else f"%{name}"): cell for name, cell in line.items()}
                  for line in sample.get("cpu-load", sample.get("cpu-load-all", []))]  # fmt: skip
    disks = sample.get("disk", [])
    if not any("rkB" in disk for disk in disks):  # before version 12 the same bytes were sectors
        named |= {"rd_sec": "rd_sec/s", "wr_sec": "wr_sec/s"}
    others = [[sample.get("memory", {})], [sample.get("queue", {})], [io], disks, network]
    renamed = [[{named.get(name, name): cell for name, cell in line.items()} for line in lines] for lines in others]
    return [[(0, {name: str(cell) for name, cell in line.items()}) for line in lines]
            for lines in [processors, *renamed] if lines and lines[0]]  # fmt: skip


def _sections_between_starts(source):
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


def _sadf_section_samples(source, names, place):
    """The samples of a section up to the next header: the stamp, and the lines of it, each with its cells by name."""
    stamp, group = None, []
    for number, _, text in itertools.islice(source.places(place), 1, None):
        cells = text.split(";")
        if _HEADER.match(text) or "LINUX-RESTART" in text:
            break
        if len(cells) == len(names):
            named = dict(zip(names, cells, strict=True))
            source.check_computer(cells[0], number, _ONE_HOST)
            if group and named["timestamp"] != stamp:
                yield stamp, group
                group = []
            stamp = named["timestamp"]
            group.append((number, named))
        elif cells[1:2] != ["-1"]:  # what a person wrote into the recording, as a line COM
            source.skip(number, f"{len(names)} values")
    if group:
        yield stamp, group


def _sadf_sections_side_by_side(sections):
    """The samples of several sections by their time: sections have the same times, unless one has lost some."""
    heads = [next(section, None) for section in sections]
    while any(heads):
        stamp = min(head[0] for head in heads if head)
        if heads[0] and all(head and head[0] == heads[0][0] for head in heads):
            stamp = heads[0][0]  # together they may go back
        here = [k for k, head in enumerate(heads) if head and head[0] == stamp]
        samples = [heads[k][1] for k in here]
        for k in here:
            heads[k] = next(sections[k], None)
        yield stamp, samples


def _sadf_time(stamp):
    """The seconds and the ISO text of a time: with UTC or another zone behind it, bare, or seconds since 1970."""
    if re.fullmatch(r"\d{9,10}", stamp):
        return float(stamp), epoch_as_iso(int(stamp))
    text = stamp.strip().removesuffix(" UTC")
    moment = iso_moment(re.sub(r" [A-Z]{3,5}$", "", text))
    if moment is None:
        return None, None
    utc = stamp.endswith(" UTC")
    return epoch_seconds(moment.replace(tzinfo=UTC) if utc else moment), moment.isoformat() + ("Z" if utc else "")


def _sadf_sample_values(samples, left_out, devices):
    """The values of a sample's sections; -b, of the whole machine, comes before sums over disks."""
    row = {}
    for lines in samples:
        texts = [cells for _, cells in lines]
        numbers = [{name: value for name, cell in cells.items() if (value := recorded_number(cell)) is not None}
                   for cells in texts]  # fmt: skip
        if "DEV" in texts[0]:
            whole = whole_disks(text["DEV"] for text in texts)
            devices |= {text["DEV"] for text in texts}
            disks = [cells for text, cells in zip(texts, numbers, strict=True) if text["DEV"] in whole]
            found = {
                "disk_read_bytes_per_s": _weighted_sum_of_sadf_lines(disks, {"rkB/s": KIB, "rd_sec/s": _SECTOR}),
                "disk_write_bytes_per_s": _weighted_sum_of_sadf_lines(disks, {"wkB/s": KIB, "wr_sec/s": _SECTOR}),
                "disk_transfers_per_s": _weighted_sum_of_sadf_lines(disks, {"tps": 1}),
                "disk_busy_percent": max((cells["%util"] for cells in disks if "%util" in cells), default=None),
            } | row
        elif "IFACE" in texts[0]:
            names = {text["IFACE"] for text in texts}
            outside = outside_networks(names)
            left_out |= names - outside
            cells = [cells for text, cells in zip(texts, numbers, strict=True) if text["IFACE"] in outside]
            found = {"network_bytes_per_s": _weighted_sum_of_sadf_lines(cells, {"rxkB/s": KIB, "txkB/s": KIB})}
        elif "CPU" in texts[0]:  # with -h beside the values of the whole machine
            every = (cells for text, cells in zip(texts, numbers, strict=True) if text["CPU"] in ("-1", "all"))
            cells = next(every, {})
            busy = [cells[name] for name in _BUSY if name in cells]
            found = _whole_machine_values(cells) | {
                "cpu_utilization_percent": round(sum(busy), 6) if busy else None,
                "cpu_user_percent": cells.get("%user", cells.get("%usr")),
                "cpu_system_percent": cells.get("%system", cells.get("%sys")),
                "cpu_wait_percent": cells.get("%iowait"),
                "cpu_steal_percent": cells.get("%steal"),
            }
        else:  # the sections of which a sample has one line
            found = _whole_machine_values(numbers[0])
        # Of -n EDEV and -m CPU the first column is that of -n DEV and -u, and nothing else is.
        row |= {name: value for name, value in found.items() if value is not None}
    return row


def _whole_machine_values(cells):
    """The values of the whole machine that a line has."""
    scaled = {
        "ram_free_mib": ("kbmemfree", 1 / KIB),
        "ram_available_mib": ("kbavail", 1 / KIB),
        "run_queue": ("runq-sz", 1),
        "disk_read_bytes_per_s": ("bread/s", _SECTOR),
        "disk_write_bytes_per_s": ("bwrtn/s", _SECTOR),
    }
    row = {name: cells[column] * factor for name, (column, factor) in scaled.items() if column in cells}
    return row | ({"disk_transfers_per_s": cells["tps"]} if cells.keys() >= {"tps", "rtps"} else {})


def _weighted_sum_of_sadf_lines(lines, factors):
    """The sum of what lines have of some columns, each times its factor; None where they have none."""
    parts = [cells[name] * factor for cells in lines for name, factor in factors.items() if name in cells]
    return sum(parts) if parts else None
