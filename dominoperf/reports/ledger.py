"""The ledger of the standard reports: which inputs and parameters gave which tables, by checksum.

``reports/ledger.toml`` is committed and says nothing of the machine or the time. It covers data, notebooks, parameters
and tables, deliberately not the code of the library: a change of code that changes no number leaves the ledger as it
is, and one that does shows in the tables. What has to run again
is the business of `cache`, which looks at the code too.
"""

import hashlib
import json
import re
import tomllib
from pathlib import Path

import pandas as pd

from dominoperf.errors import BadTable
from dominoperf.reports.cache import digest, our_data_files
from dominoperf.reports.folder import LEDGER, PENDING, is_pending
from dominoperf.reports.notebooks import find, runs
from dominoperf.tables import folders

_PARTS = ("inputs", "parameters", "tables")
_HEAD = """\
# Written by `dominoperf report`, compared by `dominoperf verify`.
# SHA-256 of what each standard run read (its notebook and all data) and of the tables that it saved.
"""


def checksums():
    """Return the checksum of every file of our data, under names that are the same everywhere."""
    return {f"data/{path.relative_to(folders.home()).as_posix()}": digest(path) for path in our_data_files()}


def entry(run, tables, data):
    """Return a run's entry: one checksum of its notebook and all data, its parameters, and a checksum per table."""
    digests = data | {f"notebooks/{run.notebook}.ipynb": digest(find(run.notebook))}
    lines = "".join(f"{name} {digests[name]}\n" for name in sorted(digests))
    saved = {path.name: digest(path) for path in sorted(tables)}
    one = hashlib.sha256(lines.encode()).hexdigest()
    return {"inputs": one, "parameters": dict(run.parameters), "tables": saved}


def read(out):
    """Read the ledger of an out folder; nothing where there is none.

    Raises
    ------
    BadTable
        When it cannot be read.
    """
    path = Path(out) / LEDGER
    try:
        entries = tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        return {name: {part: said[part] for part in _PARTS} for name, said in entries.items()}
    except (OSError, ValueError, KeyError, TypeError) as error:
        remedy = "Remove it, then run `dominoperf report`."
        expected, found = "the ledger that a report wrote", f"{type(error).__name__}: {error}"
        raise BadTable(str(path), expected=expected, found=found, remedy=remedy) from error


def text(entries):
    """Return the entries as TOML, sorted: a line for each table, which a comparison of versions shows."""
    lines = []
    for name, said in sorted(entries.items()):
        lines += ["", f"[{_key(name)}]", f"inputs = {json.dumps(said['inputs'])}"]
        lines += [f"parameters = {_inline(said['parameters'])}", "", f"[{_key(name)}.tables]"]
        lines += [f"{_key(table)} = {json.dumps(checksum)}" for table, checksum in sorted(said["tables"].items())]
    return _HEAD + "\n".join([*lines, ""])


def _inline(parameters):
    """Texts, numbers and truth values are the same in TOML as in JSON."""
    listed = ", ".join(f"{_key(name)} = {json.dumps(value)}" for name, value in sorted(parameters.items()))
    return f"{{ {listed} }}" if listed else "{}"


def _key(name):
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else json.dumps(name)


def verify(out="reports"):
    """Compare a folder of standard reports, and the inputs that we have, with its ledger.

    Parameters
    ----------
    out : path
        The folder.

    Returns
    -------
    DataFrame
        A row per difference: report, file, expected, found. Empty when all agree. Where a run was ended while its
        files went into place, that is the one row.

    Raises
    ------
    BadTable
        When there is no ledger, or none that can be read.
    """
    out, entries, rows = Path(out), read(out), []
    if is_pending(out):
        found = "a run that was ended on its way: the next `dominoperf report` completes it"
        return _frame([("", PENDING, "every file in its place", found)])
    if not entries:
        remedy = "Run `dominoperf report`."
        raise BadTable(str(out / LEDGER), expected="the ledger of the reports", found="none", remedy=remedy)
    standard, data = {run.name: run for run in runs() if run.is_ours}, checksums()
    for name, said in entries.items():
        run = standard.get(name)
        if run is None:
            rows.append((name, LEDGER, "a run of the run list", "none of that name"))
            continue
        now = entry(run, (), data)
        if said["inputs"] != now["inputs"]:
            rows.append((name, f"notebooks/{run.notebook}.ipynb, data", said["inputs"], now["inputs"]))
        if said["parameters"] != now["parameters"]:
            rows.append((name, "notebooks/runs.toml", _inline(said["parameters"]), _inline(now["parameters"])))
        for table, expected in said["tables"].items():
            path = out / "tables" / table
            found = digest(path) if path.is_file() else "no file"
            rows += [(name, f"tables/{table}", expected, found)] if found != expected else []
    rows += [(name, LEDGER, "an entry for the run", "none") for name in standard if name not in entries]
    known = {table for said in entries.values() for table in said["tables"]}
    there = sorted(path.name for path in (out / "tables").glob("*") if path.suffix in (".csv", ".md"))
    rows += [("", f"tables/{name}", "an entry in the ledger", "none") for name in there if name not in known]
    return _frame(rows)


def _frame(rows):
    return pd.DataFrame(rows, columns=["report", "file", "expected", "found"], dtype=object)
