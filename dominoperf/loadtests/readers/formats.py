"""Every reader there is."""

from collections.abc import Callable
from dataclasses import dataclass

from dominoperf.loadtests.readers import domstat, locust, nmon, notesnum, parquet, perfmon, pgbench, sadf, separated


@dataclass(frozen=True)
class Reader:
    """A file format: a source in, columns and rows out."""

    name: str
    read: Callable  # Source -> the columns of the rows, and an iterator of rows as dicts
    reads: str  # what it is for
    by: str  # how it is recognised, in words
    recognises: Callable  # Head -> bool
    mapped: bool = False  # whether names of the file can be mapped to ours
    user: str = "user"  # what the tool calls a user of the test
    several: bool = False  # whether a run may have written several files, to be read together


_LISTED = (
    Reader(
        "csv",
        separated.read,
        "a CSV file of your own",
        "a column that has one of our names, or is mapped",
        separated.recognises,
        mapped=True,
    ),
    Reader(
        "domstat",
        domstat.read,
        "Server.Load's roll-up NB_domstat.csv",
        "Client Drivers at the start",
        domstat.recognises,
        user="Server.Load user",
    ),
    Reader(
        "locust",
        locust.read_history,
        "Locust's _stats_history.csv",
        "its header: Timestamp,User Count,...",
        locust.recognises_history,
    ),
    Reader(
        "locust_stats", locust.read_stats, "Locust's _stats.csv", "its header: Type,Name,...", locust.recognises_stats
    ),
    Reader("nmon", nmon.read, "a recording of nmon", "AAA, at the start", nmon.recognises),
    Reader(
        "notesnum",
        notesnum.read,
        "the output of NotesNum",
        "a NotesMark or a Min Start Time",
        notesnum.recognises,
        user="NotesBench user",
    ),
    Reader(
        "parquet",
        parquet.read,
        "a Parquet file of your own",
        "the letters PAR1 at the start",
        parquet.recognises,
        mapped=True,
    ),
    Reader(
        "perfmon",
        perfmon.read,
        "a counter log of Windows Performance Monitor, as CSV",
        "(PDH-CSV 4.0) at the start",
        perfmon.recognises,
        mapped=True,
    ),
    Reader(
        "pgbench",
        pgbench.read_progress,
        "what pgbench -P prints as it runs",
        "a line progress: 1.0 s, ...",
        pgbench.recognises_progress,
        user="client",
    ),
    Reader(
        "pgbench_log",
        pgbench.read_log,
        "a log of pgbench --aggregate-interval",
        "whole numbers alone",
        pgbench.recognises_log,
        several=True,
    ),
    Reader(
        "pgbench_summary",
        pgbench.read_summary,
        "what pgbench prints at the end",
        "transaction type: without progress",
        pgbench.recognises_summary,
        user="client",
    ),
    Reader("sadf", sadf.read, "the output of sadf -d", "# hostname;interval;timestamp at the start", sadf.recognises),
)
READERS = {reader.name: reader for reader in _LISTED}
"""Every `Reader` by its name."""
