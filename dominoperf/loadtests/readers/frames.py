"""What tables of one's own have in common, whatever their format: columns, times."""

from dominoperf import tables
from dominoperf.errors import BadTable
from dominoperf.loadtests.readers import domstat, foreign, locust, mapping, pgbench, resources
from dominoperf.loadtests.readers.clock import Clock, iso, seconds_of
from dominoperf.tables.columns import OF_ITS_ROW

_TIMES = ("line", "time_s", "from_s", "to_s", "test_time_s", "threads")  # of a sample or run, and not measured in it
_RECORDED = {*resources.COLUMNS, *pgbench.PROGRESS, *pgbench.LOG, *locust.HISTORY, *locust.STATS, *domstat.COLUMNS}
_LOADS = {"load", "throughput", "utilization", "cpu_utilization"}  # plain numbers, as many files have them


def is_measure(name):
    """Tell whether a name is that of a load, a throughput, a response or a use: what a table is read for."""
    unit = tables.units().get(name)
    if unit is None or name in _TIMES:
        return False
    return name in _RECORDED | _LOADS or unit not in ("1", *OF_ITS_ROW)


def asked(source):
    """Return our names of numbers that the caller has mapped: who names one wants it, whatever it is."""
    return {mapping.target(text)[0] for text in source.mapping.values()} & set(tables.units())


def chosen(source, headers):
    """Choose the columns that are ours; those left out are noted.

    Raises
    ------
    BadTable
        When none is of what a test measures, nor a number that is mapped.
    """
    found, left = mapping.columns(headers, source.mapping, source.path)
    found = [column for column in found if column.name != "line"]  # the line of this file, not of another
    if not any(is_measure(column.name) or column.name in asked(source) for column in found):
        foreign.check(source, source.head(), source.first_lines()[:1])
        raise foreign.unmapped(source, headers, BadTable)
    if left:
        source.notes.add("columns", None, f"columns left out, as they are not mapped: {', '.join(left)}")
    return found


def names(columns):
    """Return the columns of the rows: ours, the seconds where there is a time, and the line."""
    found = [column.name for column in columns]
    return [*found, *(["time_s"] if "time" in found and "time_s" not in found else []), "line"]


def timed(source, columns, rows):
    """Yield the rows with the seconds since the first one, where there is a time, and note what is odd about it.

    Seconds of the file's own stay as they are; where they go back, another run begins.
    """
    found = {column.name for column in columns}
    rows = _possible(source, columns, rows)
    if not found & {"time", "time_s"}:
        yield from rows
        return
    clock, last = Clock(source.notes), float("-inf")
    for row in rows:
        if "time_s" not in found:
            yield row | {"time_s": _since(source, clock, row)}
            continue
        now = row["time_s"]
        if now < last:
            told = f"time_s goes back by {last - now:g} s: another run begins here, or rows are out of order"
            source.notes.add("run", row["line"], told)
            clock.finish()
            clock = Clock(source.notes)
        if now == now:
            last = now
            clock.since(now, row["line"])
        yield row
    clock.finish()


def _possible(source, columns, rows):
    """The rows, none with a load, a rate or a response below zero."""
    counted = {each.name: each.source for each in columns if each.name in _RECORDED | _LOADS and is_measure(each.name)}
    for row in rows:
        for name, header in counted.items():
            if row[name] < 0:
                remedy = "Mend the cell; leave it empty where nothing was measured."
                raise source.wrong(row["line"], f"a number from 0 in column {header!r}", f"{row[name]:g}", remedy)
        yield row


def _since(source, clock, row):
    """The seconds of a row since the first; NaN where it has no time."""
    if row["time"] is None:
        return float("nan")
    moment = iso(row["time"])
    if moment is None:
        remedy = "Write times as 2026-11-21T20:26:50, or map the column to another name."
        raise source.wrong(row["line"], "an ISO 8601 time", repr(row["time"]), remedy)
    return clock.since(seconds_of(moment), row["line"])
