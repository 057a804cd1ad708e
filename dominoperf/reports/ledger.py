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

from dominoperf.errors import BadTable, system_reason
from dominoperf.reports.cache import file_digest, our_data_files
from dominoperf.reports.folder import LEDGER
from dominoperf.reports.notebooks import find_notebook
from dominoperf.tables import folders

_PARTS = ("notebook", "data", "parameters", "tables")
_DATA = "data files"  # no run has a name with a blank
_HEAD = """\
# Written by `dominoperf report`, compared by `dominoperf verify`.
# SHA-256 of each data file; of what each standard run read, its notebook and all data; and of the tables that it saved.
"""


def data_checksums():
    """Return the checksum of every file of our data, under names that are the same everywhere."""
    return {f"data/{path.relative_to(folders.home()).as_posix()}": file_digest(path) for path in our_data_files()}


def entry_of_run(run, tables, data):
    """Return a run's entry: checksums of its notebook and of all data, its parameters, and one of each of its `tables`.

    Parameters
    ----------
    run : Run
    tables : dict
        Their paths by name.
    data : dict
        What `checksums` gives.
    """
    saved = {name: file_digest(path) for name, path in sorted(tables.items())}
    notebook = file_digest(find_notebook(run.notebook))
    return {"notebook": notebook, "data": joint_checksum(data), "parameters": dict(run.parameters), "tables": saved}


def joint_checksum(data):
    """Return one checksum of many files, from theirs by name."""
    lines = "".join(f"{name} {data[name]}\n" for name in sorted(data))
    return hashlib.sha256(lines.encode()).hexdigest()


def read_ledger(out):
    """Read the ledger of an out folder; nothing where there is none.

    Returns
    -------
    tuple of dict
        The entry of each run by its name, and the checksum of each data file by its own.

    Raises
    ------
    BadTable
        When it cannot be read.
    """
    path = Path(out) / LEDGER
    try:
        entries = tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        data = entries.pop(_DATA, {})
        return {name: {part: run_entry[part] for part in _PARTS} for name, run_entry in entries.items()}, dict(data)
    except (OSError, ValueError, KeyError, TypeError) as error:
        remedy = "Remove it, then run `dominoperf report`."
        expected, found = "the ledger that a report wrote", system_reason(error)
        if isinstance(error, KeyError):
            found = f"one without {error.args[0]}, as another version writes it"
        raise BadTable(str(path), expected=expected, found=found, remedy=remedy) from error


def ledger_text(entries, data):
    """Return entries and checksums of data as TOML, sorted: a line for each file, so that a diff names what changed."""
    lines = ["", f"[{_toml_key(_DATA)}]", *_checksum_lines(data)]
    for name, run_entry in sorted(entries.items()):
        lines += [
            "",
            f"[{_toml_key(name)}]",
            *_checksum_lines({part: run_entry[part] for part in ("data", "notebook")}),
        ]
        lines += [f"parameters = {parameters_in_line(run_entry['parameters'])}", "", f"[{_toml_key(name)}.tables]"]
        lines += _checksum_lines(run_entry["tables"])
    return _HEAD + "\n".join([*lines, ""])


def _checksum_lines(files):
    """A line of TOML for each file, sorted by name."""
    return [f"{_toml_key(name)} = {json.dumps(checksum)}" for name, checksum in sorted(files.items())]


def parameters_in_line(parameters):
    """Return parameters as a table of TOML in a line; texts, numbers and truth values are as in JSON."""
    listed = ", ".join(f"{_toml_key(name)} = {json.dumps(value)}" for name, value in sorted(parameters.items()))
    return f"{{ {listed} }}" if listed else "{}"


def _toml_key(name):
    """A key of TOML, in quotes where it needs them."""
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else json.dumps(name)
