"""What each workload of the documents models, where that is described, and which tables have results of it."""

import pandas as pd

from dominoperf import runs, tables
from dominoperf.errors import UnknownName
from dominoperf.tables.folders import our_file

_NAMED_IN = ("workload", "task")  # columns whose cells name a workload


def workloads(name: str | None = None) -> pd.DataFrame:
    """Return the workloads of the documents: what each models, and what no document describes.

    They stand in ``data/workloads.toml``; the first eight are those that the 1998 TechNote lists for NotesBench.

    Parameters
    ----------
    name : str, optional
        Only the workload of this name, or one that a table calls so; in any case of letters.

    Returns
    -------
    DataFrame
        workload, benchmark (whose script it is), models, locator (documents and places, the fullest first; empty where
        it is only named), runs (how many of `benchmarks`), results_in (ids of the tables that print results of it;
        empty where none does), missing (what no document describes).

    Raises
    ------
    UnknownName
        When no document names such a workload.

    Examples
    --------
    >>> workloads("idle")[["workload", "locator", "runs", "results_in"]].values.tolist()
    [['Idle', 'Lotus Domino 4.5 Performance and Capacity Planning on Compaq Platforms, page 2-8/2-9', 0, '']]
    """
    written, counts, where = our_file("workloads.toml"), runs.benchmarks()["workload"].value_counts(), _tables_of()
    rows = []
    for workload, block in written.items():
        called = (workload, *block.get("names", ()))
        locator = "; ".join(f"{tables.document(source)['title']}, {place}" for source, place in block["places"])
        ids = dict.fromkeys(id for each in called for id in where.get(each, ()))
        ran = int(sum(counts.get(each, 0) for each in called))
        if name is None or str(name).casefold() in [each.casefold() for each in called]:
            rows.append((workload, block["benchmark"], block["models"], locator, ran, ", ".join(ids), block["missing"]))
    if not rows:
        known = [each for workload, block in written.items() for each in (workload, *block.get("names", ()))]
        raise UnknownName.among("workload", name, known, f"Known are {', '.join(written)}.")
    return pd.DataFrame(rows, columns=["workload", "benchmark", "models", "locator", "runs", "results_in", "missing"])


def describe_workload(name: str) -> str:
    """Return what is known of a workload in lines: what it models, where, which tables have it, what is missing.

    Raises
    ------
    UnknownName
        When no document names such a workload.

    Examples
    --------
    >>> print(describe_workload("Repl_Hub").splitlines()[0])
    Repl_Hub (NotesBench): A hub that passes changes between other servers and has no users of its own.
    """
    row = workloads(name).iloc[0]
    return (
        f"{row['workload']} ({row['benchmark']}): {row['models'] or 'no document says what it models'}.\n"
        f"  described: {row['locator'] or 'nowhere'}\n"
        f"  results:   {row['results_in'] or 'none in any document'}; {row['runs']} runs\n"
        f"  missing:   {row['missing']}.\n"
    )


def _tables_of():
    """The ids of the tables with results of each workload: of its runs, or with its name in a cell."""
    found = {}
    for row in runs.benchmarks()[["run", "workload"]].itertuples():
        found.setdefault(row.workload, {})[runs.table_of(row.run)] = None
    for about in tables.list_tables().query("kind == 'measured'").itertuples():
        frame = tables.load(about.id, "printed", text=True)
        for column in frame.columns.intersection(list(_NAMED_IN)):
            for cell in frame[column].unique():
                found.setdefault(cell, {})[about.id] = None
    return {name: list(ids) for name, ids in found.items()}
