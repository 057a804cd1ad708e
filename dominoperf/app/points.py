"""The points that can be fitted: the named series of a document, the runs of each workload, the rows of a file."""

import tempfile
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from dominoperf import runs, tables
from dominoperf.app.views import wrong_parameter_of_panel
from dominoperf.errors import CannotFit, UnknownName
from dominoperf.fitting import Source
from dominoperf.tables import loading
from dominoperf.tables.columns import USER
from dominoperf.tables.folders import cached_until_data_change
from dominoperf.tables.rendering import numbers_as_shown

RUNS = "runs: "  # before the name of a workload
_NAMELESS = "a workload without a name"
ROWS = "rows"  # of a file: its only choice of points
_PREFIX = "file: "
_FILES = {}  # the files that a reader gave, as long as the kernel runs: "file: runs.csv" to its rows
_AXES = (  # of runs: the first pair that has two different x
    ("processors", "users"),
    ("users", "response_s"),
    ("users", "cpu_utilization_percent"),
    ("workstations", "response_s"),
    ("drives", "response_s"),
)
_OF_RUNS = "Runs of one workload may differ in more than is drawn: system, memory, release. Their places tell."


@dataclass(frozen=True)
class ChosenPoints:
    """Points to fit a law to.

    `frame` has the columns `x`, `y`, `locator`, `place` (the locator without its document) and `words`, which name the
    point; `left_out` has points of the same table that were never in the series.
    """

    title: str
    frame: pd.DataFrame
    x: str
    y: str
    warnings: tuple
    source: Source  # its locator says in words where the points are printed
    left_out: pd.DataFrame

    @property
    def last(self):
        """The largest x; 0 where there is no point."""
        return float(self.frame[self.x].max()) if len(self.frame) else 0.0


def documents_offered():
    """Return the documents in use, and the files of the reader: key to title."""
    return dict(tables.sources()[["source", "title"]].itertuples(index=False)) | {key: key for key in _FILES}


def take_file(name, content):
    """Take a file of the reader, and return the key by which its rows are chosen.

    A `DominoperfError` where it cannot be read, or has no two columns of numbers.
    """
    name = Path(name).name
    with tempfile.TemporaryDirectory() as work:
        path = Path(work, name)
        path.write_bytes(content)
        frame = tables.read_table(path, where=name)
    numbers = list(frame.select_dtypes("number"))
    if len(numbers) < 2:
        remedy, found = "Give a file with x and y.", ", ".join(numbers) or "none"
        raise CannotFit(name, expected="two columns of numbers", found=found, remedy=remedy)
    key = f"{_PREFIX}{name}"
    _FILES[key] = frame
    return key


def point_choices_of_document(document):
    """Return what can be fitted of a document: name to words, series first."""
    if document in _FILES:
        return {ROWS: f"All rows ({len(_FILES[document])})"}
    return dict(_choices_of_points(document))


@cached_until_data_change(maxsize=16)
def _choices_of_points(document):
    """The choices: to count the points of each reads all their tables."""
    titles = documents_offered()
    if document not in titles:
        listing = f"Known are {', '.join(titles)}; a file of yours when you have given it."
        raise UnknownName.among("parameter document", document, titles, listing)
    listed = runs.list_series()
    ours = listed[listed["table"].str.startswith(f"{document}/")]
    series = {row.series: f"{row.title} ({row.n} points)" for row in ours.itertuples()}
    every = runs.benchmarks()
    counts = every[every["source"] == document].groupby("workload", sort=False).size()
    of_runs = {f"{RUNS}{name or _NAMELESS}": f"Runs of {name or _NAMELESS} ({n})" for name, n in counts.items()}
    return series | of_runs


def axis_columns_offered(document, name):
    """Return the columns of numbers that can be x or y: of a series its own two, of others all that have a number."""
    if document in _FILES:
        return list(_FILES[document].select_dtypes("number"))
    if not name.startswith(RUNS):
        series = runs.find(name)
        return [series.x, series.y]
    frame = _runs_of_workload(document, name)
    return [column for column in frame.select_dtypes("number") if frame[column].notna().any()]


def _runs_of_workload(document, name):
    frame, workload = runs.benchmarks(), name.removeprefix(RUNS).replace(_NAMELESS, "")
    return frame[(frame["source"] == document) & (frame["workload"] == workload)]


def chosen_points(document, name, x="", y=""):
    """Return the points of a choice."""
    listed = point_choices_of_document(document)
    if name not in listed:
        listing = f"{document} has {', '.join(listed) or 'none'}."
        raise UnknownName.among("parameter points", name, listed, listing)
    if document in _FILES:
        return _points_of_file(document, x, y)
    if name.startswith(RUNS):
        return _points_of_runs(document, name, x, y)
    return _points_of_series(name, x, y)


def _points_of_series(name, x, y):
    series = runs.find(name)
    for axis, wanted, column in (("x", x, series.x), ("y", y, series.y)):
        if wanted not in ("", column):
            raise UnknownName.among(f"parameter {axis}", wanted, [column], f"The series {name} has {column}.")
    about, frame = tables.describe(series.table), runs.series(name)
    places = dict(zip(tables.locators(series.table), loading.locators_within_document(series.table), strict=True))
    frame = _points_with_words(frame.assign(place=frame["locator"].map(places)), series.x, series.y)
    source = Source(series.title, series.table, name, f"{about.document}, {about.full_locator}: {about.title}")
    return ChosenPoints(series.title, frame, series.x, series.y, series.warnings, source, series.left_out_points())


def _points_of_file(key, x, y):
    """The rows of a reader's file as points; a place is the number of the row."""
    frame, name = _FILES[key], key.removeprefix(_PREFIX)
    x, y = _two_columns(frame, axis_columns_offered(key, ROWS), x, y, "This file has")
    frame = frame.assign(locator=[f"{name}, row {k}" for k in range(1, len(frame) + 1)])
    rows = frame.dropna(subset=[x, y])[[x, y, "locator"]].reset_index(drop=True)
    title, source = f"{tables.label(y)} by {tables.label(x)}, {name}", Source(name, locator=name)
    return ChosenPoints(
        title, _points_with_words(rows.assign(place=rows["locator"]), x, y), x, y, (), source, rows.head(0)
    )


def _two_columns(frame, names, x, y, have):
    """The columns of the axes: those chosen; without a choice the first pair that varies."""
    if x or y:  # the other one: any further column
        x, y = (
            x or next(column for column in names if column != y),
            y or next(column for column in names if column != x),
        )
    else:
        pairs = [pair for pair in _AXES if {*pair} <= {*names}]
        varied = [pair for pair in pairs if frame.dropna(subset=list(pair))[pair[0]].nunique() > 1]
        x, y = (varied or pairs or [tuple(names[:2])])[0]
    for axis, column in (("x", x), ("y", y)):
        if column not in names:
            raise UnknownName.among(f"parameter {axis}", column, names, f"{have} {', '.join(names)}.")
    if x == y:
        raise wrong_parameter_of_panel("y", f"another column than x, of {', '.join(names)}", y)
    return x, y


@cached_until_data_change(maxsize=64)
def _points_of_runs(document, name, x, y):
    """The runs of a workload as points."""
    frame = _runs_of_workload(document, name)
    x, y = _two_columns(frame, axis_columns_offered(document, name), x, y, "These runs have")
    named = name.removeprefix(RUNS)
    rows = frame[frame[x].notna() & frame[y].notna()][[x, y, "locator", "system"]].reset_index(drop=True)
    user = rows.attrs[USER] = tables.user_of(document)
    title = f"{tables.label(y, user)} by {tables.label(x, user)}, runs of {named}"
    place = f"{tables.document(document)['title']}, as read into one row per run"
    source = Source(f"the runs of {named} in {document}", locator=place)
    warnings = (_OF_RUNS,) if len(rows) > 1 else ()
    within = rows["locator"].str.replace(f"{tables.document(document)['title']}, ", "", regex=False)
    frame = _points_with_words(rows.assign(place=within), x, y)
    return ChosenPoints(title, frame, x, y, warnings, source, rows.head(0))


def _points_with_words(frame, x, y):
    """The points with words for each: its number, and both values with their labels."""
    across, upwards = (tables.label(name, tables.user_of(frame)) for name in (x, y))
    pairs = enumerate(zip(numbers_as_shown(frame[x]), numbers_as_shown(frame[y]), strict=True), start=1)
    return frame.assign(words=[f"{k}. {across} {x_text}, {upwards} {y_text}" for k, (x_text, y_text) in pairs])
