"""The ledger of the standard reports: which inputs and parameters gave which tables, by checksum; and what differs now.

``reports/ledger.toml`` is committed and says nothing of the machine or the time. It covers data, notebooks, parameters
and tables, deliberately not the code of the library: a change of code that changes no number leaves the ledger as it
is, and one that does shows in the tables. What has to run again is decided by `cache`, which looks at the code too.
"""

import hashlib
import os
import shlex
import tomllib
from pathlib import Path

import pandas as pd

from dominoperf.errors import BadTable, system_reason
from dominoperf.reports import saving
from dominoperf.reports.cache import file_digest, our_data_files_of_reports
from dominoperf.reports.folder import LEDGER, PENDING, are_report_moves_pending
from dominoperf.reports.notebooks import find_notebook, runs
from dominoperf.tables import folders, rendering
from dominoperf.tables.files import key_as_toml, value_as_toml
from dominoperf.tables.folders import DESCRIPTOR

_PARTS = ("notebook", "data", "parameters", "tables")
_DATA = "data files"  # no run has a name with a blank
_HEAD = """\
# Written by `dominoperf report`, compared by `dominoperf verify`.
# SHA-256 of each data file; of what each standard run read, its notebook and all data; and of the tables that it saved.
"""
_AS_READ = "the file that it was made from"
_CHANGED, _NONE = "another", "no file"


def data_checksums():
    """Return the checksum of every file of our data, under names that are the same everywhere."""
    return {
        f"data/{path.relative_to(folders.home()).as_posix()}": file_digest(path) for path in our_data_files_of_reports()
    }


def joint_checksum(data):
    """Return one checksum of many files, from theirs by name."""
    lines = "".join(f"{name} {data[name]}\n" for name in sorted(data))
    return hashlib.sha256(lines.encode()).hexdigest()


def entry_of_run(run, tables, data):
    """Return a run's entry: checksums of its notebook and of all data, its parameters, a checksum of each table.

    `tables` has their paths by name, `data` the checksums of `data_checksums`.
    """
    saved = {name: file_digest(path) for name, path in sorted(tables.items())}
    notebook = file_digest(find_notebook(run.notebook))
    return {"notebook": notebook, "data": joint_checksum(data), "parameters": dict(run.parameters), "tables": saved}


def read_ledger(out):
    """Read the ledger of an out folder: the entry of each run, the checksum of each data file; without it, none."""
    path = Path(out) / LEDGER
    try:
        entries = tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        data = entries.pop(_DATA, {})
        return {name: {part: entry[part] for part in _PARTS} for name, entry in entries.items()}, dict(data)
    except (OSError, ValueError, KeyError, TypeError) as error:
        found = system_reason(error)
        if isinstance(error, KeyError):
            found = f"one without {error.args[0]}, as another version writes it"
        remedy = "Remove it, then run `dominoperf report`."
        raise BadTable(str(path), expected="the ledger that a report wrote", found=found, remedy=remedy) from error


def ledger_text(entries, data):
    """Return entries and checksums of data as TOML, sorted: a line for each file, so that a diff names what changed."""
    sections = {key_as_toml(_DATA): data}
    for name, entry in sorted(entries.items()):
        key, saved = key_as_toml(name), entry["tables"]
        sections |= {key: {part: entry[part] for part in _PARTS if part != "tables"}, f"{key}.tables": saved}
    lines = []
    for heading, values in sections.items():
        lines += ["", f"[{heading}]"]
        lines += [f"{key_as_toml(name)} = {value_as_toml(value)}" for name, value in sorted(values.items())]
    return _HEAD + "\n".join([*lines, ""])


def verify(out: str | os.PathLike = "reports") -> pd.DataFrame:
    """Compare a folder of standard reports, and the inputs that we have, with its ledger.

    The ledger has checksums alone: a table that differs is named, and ``git diff`` shows its cells.

    Parameters
    ----------
    out : path
        The folder.

    Returns
    -------
    DataFrame
        A row per difference: report ("" where it is any report's), file, expected, found. Empty when all agree. Where a
        run was ended while its files went into place, that is the one row.

    Raises
    ------
    BadTable
        When there is no ledger, or none that can be read.
    """
    out = Path(out)
    entries, data = read_ledger(out)
    if are_report_moves_pending(out):
        found = "a run that was ended on its way: the next `dominoperf report` completes it"
        rows = [("", PENDING, "every file in its place", found)]
    elif not entries:
        remedy = f"Run `{shlex.join(['dominoperf', 'report', '--out', str(out)])}`."
        raise BadTable(str(out / LEDGER), expected="the ledger of the reports", found="none", remedy=remedy)
    else:
        rows = _differences_from_ledger(out, entries, data)
    return pd.DataFrame(rows, columns=["report", "file", "expected", "found"], dtype=object)


def _differences_from_ledger(out, entries, data):
    """Yield each difference: report, file, what was expected and found."""
    standard, now = {run.name: run for run in runs() if run.is_ours}, data_checksums()
    for name in sorted({*data, *now}):  # every run reads them: each is reported once, as no report's
        if name not in now:
            yield "", name, _AS_READ, _NONE
        elif name not in data:
            yield "", name, _NONE, "a new one"
        elif data[name] != now[name]:
            yield "", name, _AS_READ, _CHANGED
    for name, entry in entries.items():
        if name not in standard:
            yield name, LEDGER, "a run of the run list", "none of that name"
            continue
        fresh = entry_of_run(standard[name], {}, now)
        if entry["notebook"] != fresh["notebook"]:
            yield name, f"notebooks/{standard[name].notebook}.ipynb", _AS_READ, _CHANGED
        if entry["data"] not in (joint_checksum(data), fresh["data"]):
            yield name, "data", "the files that it was made from", "others, changed before another report was made"
        if entry["parameters"] != fresh["parameters"]:
            yield name, "notebooks/runs.toml", *(value_as_toml(each["parameters"]) for each in (entry, fresh))
        for table, checksum in entry["tables"].items():
            path = out / "tables" / table
            if not path.is_file() or file_digest(path) != checksum:
                yield name, f"tables/{table}", "the table that the run saved", _CHANGED if path.is_file() else _NONE
    for name in standard:
        if name not in entries:
            yield name, LEDGER, "an entry for the run", "none"
    saved = {table for entry in entries.values() for table in entry["tables"]} | {saving.PLACES}
    for path in sorted((out / "tables").rglob("*")):
        table = path.relative_to(out / "tables").as_posix()
        if path.suffix in (".csv", ".md") and table not in saved:
            yield "", f"tables/{table}", "an entry in the ledger", "none"
    path = out / "tables" / saving.PLACES  # no run saved it: it is made from the descriptor of all that they saved
    made = rendering.as_csv(saving.places_of_tables(saving.listed_resources(out / "tables")))
    if not path.is_file() or path.read_text(encoding="utf-8") != made:
        found = _CHANGED if path.is_file() else _NONE
        yield "", f"tables/{saving.PLACES}", f"the places that {DESCRIPTOR} names", found
