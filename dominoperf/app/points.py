"""Which points can be chosen: the named series of a document, and the runs of each of its workloads."""

import functools
from dataclasses import dataclass

import pandas as pd

from dominoperf import tables
from dominoperf.app.state import wrong
from dominoperf.errors import UnknownName
from dominoperf.fitting import Source
from dominoperf.runs import benchmarks, find
from dominoperf.runs import named as named_series
from dominoperf.runs import series as series_points
from dominoperf.tables.rendering import shown

RUNS = "runs: "  # before the name of a workload
_PAIRS = (
    ("processors", "users"),
    ("users", "response_s"),
    ("users", "cpu_utilization_percent"),
    ("workstations", "response_s"),
    ("drives", "response_s"),
)
_OF_RUNS = "Runs of one workload may differ in more than is drawn: system, memory, release. Their places tell."


@dataclass(frozen=True)
class Chosen:
    """Points to fit a law to: `frame` has the columns `x`, `y`, words (that name the point) and locator."""

    name: str
    title: str
    frame: pd.DataFrame
    x: str
    y: str
    warnings: tuple
    source: Source  # its locator says in words where the points are printed
    beside: pd.DataFrame  # points of the same table that were never in the series
    code: str  # the Python that gives the frame

    @property
    def is_series(self):
        """Whether it is a named series."""
        return bool(self.source.series)


def documents():
    """Return the documents in use: key to title."""
    return dict(tables.sources()[["source", "title"]].itertuples(index=False))


def choices(document):
    """Return the points of a document that can be chosen: name to words, series first.

    Raises
    ------
    UnknownName
        When there is no such document.
    """
    return dict(_choices(document, tables.stamp()))


@functools.lru_cache(maxsize=16)
def _choices(document, _stamp):
    """The choices, as long as no file in use changes: to count the points of each reads all their tables."""
    known = documents()
    if document not in known:
        raise UnknownName.among("parameter document", document, known, f"Known are {', '.join(known)}.")
    listed = named_series()
    own = listed[listed["table"].str.startswith(f"{document}/")]
    series = {row.series: f"{row.title} ({row.n} points)" for row in own.itertuples()}
    counts = _runs(document).groupby("workload", sort=False).size()
    runs = {f"{RUNS}{name}": f"Runs of {name or 'a workload without a name'} ({n})" for name, n in counts.items()}
    return series | runs


def axes(document, points):
    """Return the columns of numbers that a choice of points has; of a series its x and y alone."""
    if not points.startswith(RUNS):
        found = find(points)
        return [found.x, found.y]
    frame = _of_workload(document, points)
    return [name for name in frame.select_dtypes("number") if frame[name].notna().any()]


def choose(document, points, x="", y=""):
    """Return the points of a choice.

    Raises
    ------
    UnknownName
        When the document, the points or a column does not exist.
    BadTable
        When x and y are the same column.
    """
    return _choose(document, points, x, y, tables.stamp())


@functools.lru_cache(maxsize=64)
def _choose(document, points, x, y, _stamp):
    known = choices(document)
    if points not in known:
        listing = f"{document} has {', '.join(known) or 'none'}."
        raise UnknownName.among("parameter points", points, known, listing)
    return _chosen_runs(document, points, x, y) if points.startswith(RUNS) else _chosen_series(points, x, y)


def _chosen_series(name, x, y):
    found = find(name)
    for axis, given, own in (("x", x, found.x), ("y", y, found.y)):
        if given not in ("", own):
            raise UnknownName.among(f"parameter {axis}", given, [own], f"The series {name} has {own}.")
    about = tables.describe(found.table)
    frame = series_points(name)
    source = Source(found.title, found.table, name, f"{about.document}, {about.place}: {about.title}")
    code = f'runs.series("{name}")'
    named = _named(frame, found.x, found.y)
    return Chosen(name, found.title, named, found.x, found.y, found.warnings, source, found.beside(), code)


def _chosen_runs(document, points, x, y):
    """The runs of a workload that have both axes."""
    frame, columns = _of_workload(document, points), axes(document, points)
    x, y = _pair(frame, columns, x, y)
    for axis, given in (("x", x), ("y", y)):
        if given not in columns:
            raise UnknownName.among(f"parameter {axis}", given, columns, f"These runs have {', '.join(columns)}.")
    if x == y:
        raise wrong("y", f"another column than x, of {', '.join(columns)}", y)
    workload = points.removeprefix(RUNS)
    kept = frame[frame[x].notna() & frame[y].notna()][[x, y, "locator", "system"]].reset_index(drop=True)
    user = kept.attrs[tables.USER] = tables.user_of(document)
    title = f"{tables.label(y, user)} by {tables.label(x, user)}, runs of {workload or 'a workload without a name'}"
    query = f"source == {document!r} and workload == {workload!r}"
    code = f"runs.benchmarks().query({query!r})"
    place = f"{tables.document(document)['title']}, as read into one row a run"
    source = Source(f"the runs of {workload} in {document}", locator=place)
    notes = (_OF_RUNS,) if len(kept) > 1 else ()
    return Chosen(points, title, _named(kept, x, y), x, y, notes, source, kept.head(0), code)


def _pair(frame, columns, x, y):
    """The axes asked for; else the first usual pair with two different x, else any two columns."""
    if x or y:
        return x or next(each for each in columns if each != y), y or next(each for each in columns if each != x)
    known = [pair for pair in _PAIRS if {*pair} <= {*columns}]
    full = [pair for pair in known if frame.dropna(subset=list(pair))[pair[0]].nunique() > 1]
    return (full or known or [tuple(columns[:2])])[0]


def short_places(frame, document):
    """Return a frame whose locators do without the document, which stands beside it."""
    title = f"{documents().get(document, '')}, "
    return frame.assign(locator=frame["locator"].str.removeprefix(title)) if "locator" in frame else frame


def _named(frame, x, y):
    """The points with words for each: its number, both values with their labels, and the system where it is told."""
    across, upwards = (tables.label(name, tables.user_of(frame)) for name in (x, y))
    words = [
        f"{k}. {across} {values[0]}, {upwards} {values[1]}"
        for k, values in enumerate(zip(shown(frame[x]), shown(frame[y]), strict=True), start=1)
    ]
    return frame.assign(words=words)


def _runs(document):
    runs = benchmarks()
    return runs[runs["source"] == document]


def _of_workload(document, points):
    runs = _runs(document)
    return runs[runs["workload"] == points.removeprefix(RUNS)]
