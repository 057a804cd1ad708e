"""What tables of one's own have in common, whatever their format: columns, times."""

from dominoperf.ingest import mapping
from dominoperf.ingest.clock import Clock, iso, seconds_of


def chosen(source, headers):
    """Choose the columns that are ours; those left out are noted.

    Raises
    ------
    BadTable
        When there is none.
    """
    found, left = mapping.columns(headers, source.mapping, source.path)
    found = [column for column in found if column.name != "line"]  # the line of this file, not of another
    if not found:
        remedy = "Map them: --map COLUMN=NAME, or mapping={column: name}; data/columns.toml lists the names."
        raise source.wrong(1, "a column of the vocabulary", f"only {', '.join(headers) or 'nothing'}", remedy)
    if left:
        source.notes.add("columns", None, f"columns left out, as they are not mapped: {', '.join(left)}")
    return found


def names(columns):
    """Give the columns of the rows: ours, the seconds where there is a time, and the line."""
    found = [column.name for column in columns]
    return [*found, *(["time_s"] if "time" in found and "time_s" not in found else []), "line"]


def timed(source, columns, rows):
    """Yield the rows with the seconds since the first one, where there is a time, and note what is odd about it."""
    found = {column.name for column in columns}
    if not found & {"time", "time_s"}:
        yield from rows
        return
    clock = Clock(source.notes)
    for row in rows:
        yield _watched(clock, row) if "time_s" in found else row | {"time_s": _since(source, clock, row)}
    clock.finish()


def _watched(clock, row):
    """Seconds of the file's own stay as they are."""
    if row["time_s"] == row["time_s"]:
        clock.since(row["time_s"], row["line"])
    return row


def _since(source, clock, row):
    """The seconds of a row since the first; NaN where it has no time."""
    if row["time"] is None:
        return float("nan")
    moment = iso(row["time"])
    if moment is None:
        remedy = "Write times as 2026-11-21T20:26:50, or map the column to another name."
        raise source.wrong(row["line"], "an ISO 8601 time", repr(row["time"]), remedy)
    return clock.since(seconds_of(moment), row["line"])
