"""The ledger of the standard reports: which inputs and parameters gave which tables, by checksum.

``reports/ledger.toml`` is committed and says nothing of the machine or the time. It covers data, notebooks, parameters
and tables, deliberately not the code of the library: a change of code that changes no number leaves the ledger as it
is, and one that does shows in the tables. What has to run again is the engine's business, which does look at the code.
"""

import hashlib
import json
import re
import tomllib
from pathlib import Path

import pandas as pd

from dominoperf import catalog
from dominoperf.errors import BadTable
from dominoperf.reports import inputs
from dominoperf.reports.folder import LEDGER, PENDING, is_pending
from dominoperf.reports.running import find, runs

COLUMNS = ["report", "file", "expected", "found"]
_PARTS = ("inputs", "parameters", "tables")
_CUT_SHORT = ("every file in its place", "a run that was ended on its way: the next `dominoperf report` completes it")
_BARE = re.compile(r"[A-Za-z0-9_-]+")  # a key that TOML needs no quotes for
_HEAD = """\
# Written by `dominoperf report`, compared by `dominoperf verify`.
# SHA-256 of what each standard run read (its notebook and all data) and of the tables that it saved.
"""


def checksums():
    """Give the checksum of every file of our data, under names that are the same everywhere."""
    return {f"data/{path.relative_to(catalog.home()).as_posix()}": inputs.digest(path) for path in inputs.our_data()}


def entry(run, tables, data):
    """Give a run's entry: one checksum of its notebook and the data, its parameters, and a checksum per table."""
    saved = {path.name: inputs.digest(path) for path in sorted(tables)}
    return {"inputs": _inputs(run, data), "parameters": dict(run.parameters), "tables": saved}


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
    """Lay the entries out as TOML, sorted."""
    return _HEAD + "".join(_block(name, entries[name]) for name in sorted(entries))


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
    out, entries = Path(out), read(out)
    if is_pending(out):
        return pd.DataFrame([("", PENDING, *_CUT_SHORT)], columns=COLUMNS, dtype=object)
    if not entries:
        remedy = "Run `dominoperf report`."
        raise BadTable(str(out / LEDGER), expected="the ledger of the reports", found="none", remedy=remedy)
    standard = {run.name: run for run in runs() if run.is_ours}
    now = checksums()
    rows = [row for name, said in entries.items() for row in _differences(name, standard.get(name), said, out, now)]
    rows += [(name, LEDGER, "an entry for the run", "none") for name in standard if name not in entries]
    known = {table for said in entries.values() for table in said["tables"]}
    there = sorted(path.name for path in (out / "tables").glob("*") if path.suffix in (".csv", ".md"))
    rows += [("", f"tables/{name}", "an entry in the ledger", "none") for name in there if name not in known]
    return pd.DataFrame(rows, columns=COLUMNS, dtype=object)


def _differences(name, run, said, out, data):
    """What differs of one run."""
    if run is None:
        yield name, LEDGER, "a run of the run list", "none of that name"
        return
    found = _inputs(run, data)
    if said["inputs"] != found:
        yield name, f"notebooks/{run.notebook}.ipynb, data", said["inputs"], found
    if said["parameters"] != run.parameters:
        yield name, "notebooks/runs.toml", _inline(said["parameters"]), _inline(run.parameters)
    for table, expected in said["tables"].items():
        path = out / "tables" / table
        found = inputs.digest(path) if path.is_file() else "no file"
        if found != expected:
            yield name, f"tables/{table}", expected, found


def _inputs(run, data):
    """One checksum of the notebook and all data, whose own are given."""
    digests = data | {f"notebooks/{run.notebook}.ipynb": inputs.digest(find(run.notebook))}
    lines = "".join(f"{name} {digests[name]}\n" for name in sorted(digests))
    return hashlib.sha256(lines.encode()).hexdigest()


def _block(name, said):
    tables = "".join(f"{_key(table)} = {json.dumps(digest)}\n" for table, digest in sorted(said["tables"].items()))
    head = f"inputs = {json.dumps(said['inputs'])}\nparameters = {_inline(said['parameters'])}\n"
    return f"\n[{_key(name)}]\n{head}\n[{_key(name)}.tables]\n{tables}"


def _inline(parameters):
    """Texts, numbers and truth values are the same in TOML as in JSON."""
    listed = ", ".join(f"{_key(name)} = {json.dumps(value)}" for name, value in sorted(parameters.items()))
    return f"{{ {listed} }}" if listed else "{}"


def _key(name):
    return name if _BARE.fullmatch(name) else json.dumps(name)
