"""Compare the standard reports with their ledger, and name the causes: the file that changed, the cell that differs.

The ledger has checksums alone. What a table held when it was written is found in the folder of its run, or in the last
commit; where it is in neither, the table is named as a whole.
"""

import csv
import difflib
import hashlib
import io
import itertools
import subprocess
from pathlib import Path

import pandas as pd

from dominoperf.errors import BadTable
from dominoperf.reports import ledger
from dominoperf.reports.cache import FOLDER, file_digest
from dominoperf.reports.folder import LEDGER, PENDING, is_pending
from dominoperf.reports.notebooks import runs

_COLUMNS = ("report", "file", "row", "column", "expected", "found")
_AS_READ, _CHANGED, _NONE = "the file that it was made from", "another", "no file"


def verify(out="reports"):
    """Compare a folder of standard reports, and the inputs that we have, with its ledger.

    Parameters
    ----------
    out : path
        The folder.

    Returns
    -------
    DataFrame
        A row per difference: report ("" where it is any report's), file, row and column (of a cell of a table),
        expected, found. Empty when all agree. Where a run was ended while its files went into place, that is the one
        row.

    Raises
    ------
    BadTable
        When there is no ledger, or none that can be read.
    """
    out = Path(out)
    entries, data = ledger.read_ledger(out)
    if is_pending(out):
        found = "a run that was ended on its way: the next `dominoperf report` completes it"
        return _differences_frame([("", PENDING, None, "", "every file in its place", found)])
    if not entries:
        remedy = "Run `dominoperf report`."
        raise BadTable(str(out / LEDGER), expected="the ledger of the reports", found="none", remedy=remedy)
    standard, now = {run.name: run for run in runs() if run.is_ours}, ledger.data_checksums()
    rows = [("", *difference) for difference in _changed_data_files(data, now)]
    for name, run_entry in entries.items():
        if name not in standard:
            rows.append((name, LEDGER, None, "", "a run of the run list", "none of that name"))
            continue
        rows += [(name, *difference) for difference in _changed_inputs(standard[name], run_entry, data, now)]
        for table, expected in run_entry["tables"].items():
            rows += [
                (name, f"tables/{table}", *difference) for difference in _differing_cells(out, name, table, expected)
            ]
    rows += [(name, LEDGER, None, "", "an entry for the run", "none") for name in standard if name not in entries]
    saved = {table for run_entry in entries.values() for table in run_entry["tables"]}
    files = [path for path in (out / "tables").rglob("*") if path.suffix in (".csv", ".md")]
    there = sorted(path.relative_to(out / "tables").as_posix() for path in files)
    rows += [("", f"tables/{name}", None, "", "an entry in the ledger", "none") for name in there if name not in saved]
    return _differences_frame(rows)


def _changed_data_files(before, now):
    """The data files that are others than when the reports were made, each once."""
    for name in sorted({*before, *now}):
        if name not in now:
            yield name, None, "", _AS_READ, _NONE
        elif before.get(name) != now[name]:
            yield name, None, "", _AS_READ if name in before else _NONE, _CHANGED if name in before else "a new one"


def _changed_inputs(run, run_entry, data, now):
    """What one run was made from and is not there now; data files that every run reads are told once, above."""
    notebook = f"notebooks/{run.notebook}.ipynb"
    fresh = ledger.entry_of_run(run, {}, now)
    if run_entry["notebook"] != fresh["notebook"]:
        yield notebook, None, "", _AS_READ, _CHANGED
    if run_entry["data"] not in (ledger.joint_checksum(data), fresh["data"]):
        yield "data", None, "", "the files that it was made from", "others, changed before another report was made"
    if run_entry["parameters"] != fresh["parameters"]:
        expected, found = (ledger.parameters_in_line(side["parameters"]) for side in (run_entry, fresh))
        yield "notebooks/runs.toml", None, "", expected, found


def _differing_cells(out, run, table, checksum):
    """The cells of a table that are others than those that its run saved: row, column, expected, found."""
    path = out / "tables" / table
    if not path.is_file():
        return [(None, "", "the table that the run saved", _NONE)]
    if file_digest(path) == checksum:
        return []
    before = _table_as_saved(out, run, table, checksum)
    if before is None or path.suffix != ".csv":
        return [(None, "", "the table that the run saved", _CHANGED)]
    return cells_between(before, path.read_text(encoding="utf-8")) or [(None, "", "its cells, byte for byte", _CHANGED)]


def _table_as_saved(out, run, table, checksum):
    """The text of a table with that checksum; None where neither the run's folder nor the last commit has it."""
    path = out / FOLDER / run / table
    if path.is_file() and file_digest(path) == checksum:
        return path.read_text(encoding="utf-8")
    try:
        command = ["git", "-C", str(out), "show", f"HEAD:./tables/{table}"]
        content = subprocess.run(command, capture_output=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):  # no git, no repository, or no such file in it
        return None
    return content.decode("utf-8") if hashlib.sha256(content).hexdigest() == checksum else None


def cells_between(before, now):
    """Return the cells in which two CSV files differ.

    Rows are matched in order, so that one that was put in or taken out is told as a row and does not move the others.

    Returns
    -------
    list of tuple
        Row in the newer file from 1 below the header (of one that is gone in the older), column, expected, found; of a
        row that is new or gone the column is "".

    Examples
    --------
    >>> cells_between("law,n\\na,1\\nb,2\\n", "law,n\\na,1\\nb,3\\nc,4\\n")
    [(2, 'n', '2', '3'), (3, '', 'no row', 'c, 4')]
    """
    (old_names, *old), (names, *new) = (list(csv.reader(io.StringIO(text))) or [[]] for text in (before, now))
    if old_names != names:
        return [(None, "", ", ".join(old_names), ", ".join(names))]
    differences, matcher = [], difflib.SequenceMatcher(None, [*map(tuple, old)], [*map(tuple, new)], autojunk=False)
    for _, i, i_end, k, k_end in [code for code in matcher.get_opcodes() if code[0] != "equal"]:
        both = min(i_end - i, k_end - k)
        for step in range(both):
            pairs = itertools.zip_longest(names, old[i + step], new[k + step], fillvalue="")  # whoever edited it
            differences += [(k + step + 1, name, was, is_) for name, was, is_ in pairs if was != is_]
        differences += [(row + 1, "", ", ".join(old[row]), "no row") for row in range(i + both, i_end)]
        differences += [(row + 1, "", "no row", ", ".join(new[row])) for row in range(k + both, k_end)]
    return differences


def _differences_frame(rows):
    """The differences as a frame."""
    frame = pd.DataFrame(rows, columns=_COLUMNS, dtype=object)
    return frame.astype({"row": "Int64"})
