"""Start a data folder of the user's: a copy of the files, and a descriptor with what they say of themselves."""

import codecs
import contextlib
import json
import re
import tempfile
import urllib.parse
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from dominoperf.errors import BadTable, UnknownName
from dominoperf.tables import sheets
from dominoperf.tables.columns import vocabulary
from dominoperf.tables.contract import check
from dominoperf.tables.descriptors import CLAIMS, DESCRIPTOR, ERRATA, NAME_IN_WORDS, fault_of_name, fields_of, listed
from dominoperf.tables.folders import ours as our_folders
from dominoperf.tables.folders import path_of
from dominoperf.tables.generating import PROFILE
from dominoperf.tables.inferring import key_of, type_of, writing_of
from dominoperf.tables.naming import Heading, field_of, sure_meaning
from dominoperf.tables.opening import decoded, is_url, read_bytes
from dominoperf.tables.questions import asked
from dominoperf.tables.reading import PARQUET, read_parquet
from dominoperf.tables.sheets import read_sheet

# A table with one of these has runs, the others are what a run measures.
_RUNS = ("users", "response_s", "cpu_utilization_percent", "notesmark_tpm", "throughput_tps")
_MEASURED = (*_RUNS[1:], "network_bytes_per_s", "disk_bytes_per_s", "price_usd")
_READ_BY_US = {CLAIMS, ERRATA}


@dataclass(frozen=True)
class Said:
    """What the user says of the data from the start."""

    title: str = ""
    source: str = ""
    licence: str = ""
    units: dict = field(default_factory=dict)  # column to unit
    names: dict = field(default_factory=dict)  # column to our name for it


def new(folder, from_, *, title="", source="", licence="", units=None, names=None):
    """Make a data folder of CSV or Parquet files: copies in UTF-8, and a ``datapackage.json`` inferred from them.

    What can be told is filled in: types, keys, what stands between cells and before decimals, and, from the headings,
    units and columns of our vocabulary. What cannot is left as a question, a text that begins with ``?``.

    Parameters
    ----------
    folder : path
        The folder to make; its name becomes the source of its tables. It must not be there, or be empty.
    from_ : path, URL or list of them
        CSV files (with commas, semicolons or tabs), or Parquet files, which become CSV.
    title, source, licence : str, optional
        Of the data.
    units : dict, optional
        Column to unit, as pint reads it.
    names : dict, optional
        Column to the column of our vocabulary that it is; to its own name where it is none.

    Returns
    -------
    DataFrame
        What is left to fill in, as `check` gives it.

    Raises
    ------
    BadTable
        When the folder is there already, or a file cannot be read as a table; then nothing has been made.
    UnknownName
        When a column that is named is in none of the files, or one of ours does not exist.
    """
    folder = path_of(folder, "new(folder, ...)", "the path of the folder to make").resolve()
    said = Said(title, source, licence, units or {}, names or {})
    _check_free(folder)
    read = _read_all(listed(from_))
    _check_named(said, read)
    descriptor = _package(folder.name, read, said)
    with _beside(folder) as made:
        for name, (_, content, _) in read.items():
            (made / f"{name}.csv").write_bytes(content)
        text = json.dumps(descriptor, indent=1, ensure_ascii=False) + "\n"
        (made / DESCRIPTOR).write_text(text, encoding="utf-8", newline="\n")
        return check(made)


def _check_free(folder):
    """Refuse a folder that is there, or has a name that cannot be a source."""
    remedy = "Name another folder."
    if fault_of_name(folder.name):
        raise BadTable(str(folder), expected=NAME_IN_WORDS, found=repr(folder.name), remedy=remedy)
    if folder.name in [each.name for each in our_folders()]:
        found = f"{folder.name!r}, the name of a document of ours"
        raise BadTable(str(folder), expected="a name that no other data folder has", found=found, remedy=remedy)
    if folder.exists() and not (folder.is_dir() and not any(folder.iterdir())):
        found = "a folder with files" if folder.is_dir() else "a file"
        raise BadTable(str(folder), expected="a new or empty folder", found=found, remedy=remedy)


@contextlib.contextmanager
def _beside(folder):
    """Return a folder of the same name elsewhere on the disk, which takes its place when nothing went wrong."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".new", dir=folder.parent) as work:  # to rename works on one disk alone
        made = Path(work) / folder.name
        made.mkdir()
        yield made
        if folder.exists():
            folder.rmdir()
        made.rename(folder)


def _read_all(paths):
    """Every file by the name of its table: path, bytes of the CSV, sheet."""
    found = {}
    for place in paths:
        content = _content(place)
        path = PurePosixPath(urllib.parse.urlsplit(place).path) if is_url(str(place)) else Path(place)
        name = _table_name(path)
        if name in found:
            found_ = f"{name!r} also from {found[name][0]}"
            raise BadTable(str(path), expected="a table of its own", found=found_, remedy="Rename one of the files.")
        found[name] = path, content, read_sheet(path, content)
        _check_table(*found[name][::2])
    return found


def _check_table(path, sheet):
    """Refuse what can be read as a table and is none: a text of lines, rows without a header, a header without rows."""
    if len(sheet.header) == 1:
        found = f"one column alone, {sheet.header[0]!r}"
        expected, remedy = "columns with commas, semicolons or tabs between them", f"Save it as CSV. {sheets.RECORDED}"
    elif all(map(sheets.readings, sheet.header)):
        found = f"numbers alone, {', '.join(sheet.header)}"
        expected, remedy = "a header in the first line", f"Write one above the rows. {sheets.RECORDED}"
    elif not sheet.lines:
        found = f"the header {', '.join(sheet.header)} and nothing below it"
        expected, remedy = "rows under the header", "Name a file with rows: types, units and keys are told from them."
    else:
        return
    raise BadTable(str(path), expected=expected, found=found, remedy=remedy)


def _table_name(path):
    name = re.sub(r"[^a-z0-9_.-]+", "_", path.stem.lower()).strip("_.-") or "table"
    if f"{name}.csv" in _READ_BY_US:
        remedy = "Put it into the folder yourself, beside the datapackage.json: it is read as it is."
        raise BadTable(str(path), expected="a table", found=f"a file of {name}", remedy=remedy)
    return name


def _content(path):
    """The bytes of a CSV file, in UTF-8 whatever it was in; those that Arrow makes of a Parquet file."""
    content = read_bytes(path)
    if not content.startswith(PARQUET):
        return content if content.startswith(codecs.BOM_UTF8) else decoded(content, str(path)).encode()
    import pyarrow as pa
    from pyarrow import csv

    sink = pa.BufferOutputStream()
    try:
        csv.write_csv(read_parquet(path, content), sink)
    except (pa.ArrowException, ValueError) as error:
        remedy, found = "Give every column plain numbers, texts or dates.", str(error).splitlines()[0]
        raise BadTable(str(path), expected="a Parquet file of flat columns", found=found, remedy=remedy) from error
    return sink.getvalue().to_pybytes()


def _check_named(said, sheets):
    """Refuse a column that no file has."""
    known = [name for _, _, sheet in sheets.values() for name in sheet.header]
    for option, named in (("--unit", said.units), ("--as", said.names)):
        for name in named:
            if name not in known:
                raise UnknownName.among(f"{option}, column", name, known, f"Columns are {', '.join(known)}.")


def _package(name, sheets, said):
    """The descriptor of the folder."""
    licence = {"name": said.licence} if said.licence else {"name": "notspecified", "title": asked("the licence")}
    resources = [_resource(table, path, sheet, said) for table, (path, _, sheet) in sheets.items()]
    runs = [{"table": each["name"]} for each in resources if _has_runs(each)]
    return {
        "$schema": PROFILE,
        "name": re.sub(r"[^a-z0-9._-]+", "-", name.lower()),
        "title": said.title or asked("a title of the data, in a line"),
        "sources": [{"title": said.source or asked("where the data come from: who measured what, when")}],
        "licenses": [licence],
        "resources": resources,
        **({"benchmarks": runs} if runs else {}),
    }


def _has_runs(resource):
    return bool({sure_meaning(each) for each in fields_of(resource)} & set(_RUNS))


def _resource(name, path, sheet, said):
    """The description of a table."""
    fields, missing = _fields(sheet, said)
    kinds = {each["name"]: each["type"] for each in fields}
    measured = [each["name"] for each in fields if sure_meaning(each) in _MEASURED]
    key = key_of(sheet.columns, kinds, measured)
    dialect = {} if sheet.delimiter == "," else {"dialect": {"delimiter": sheet.delimiter}}
    schema = {"fields": fields, **({"primaryKey": key} if key else {}), "missingValues": ["", *sorted(missing)]}
    return {
        "name": name,
        "type": "table",
        "path": f"{name}.csv",
        "format": "csv",
        "mediatype": "text/csv",
        "encoding": "utf-8-sig" if sheet.bom else "utf-8",
        "title": path.stem,
        "locator": f"file {path.name}",
        "kind": "measured",
        **dialect,
        "schema": schema,
    }


def _fields(sheet, said):
    """The fields of a table, and the cells of its columns of numbers that stand for nothing."""
    fields, missing, known = [], set(), vocabulary()
    taken = [name for name in sheet.header if name in known] + list(said.names.values())
    for name, cells in sheet.columns.items():
        ours = said.names.get(name, name)
        numeric = "unit" in known[ours] if ours in known else True if name in said.units else None
        kind, sign, whole, nothing = type_of(cells, sheet.decimals[name], numeric)
        number = kind in ("number", "integer")
        heading = Heading(name, number, whole, sign, said.units.get(name, ""), said.names.get(name, ""))
        about = field_of(heading, taken)
        taken.append(about.get("as", ""))
        fields.append({"name": name, "type": kind} | _writing(sheet, name, sign, number) | about)
        missing |= nothing
    return fields, missing


def _writing(sheet, name, sign, number):
    """How the numbers of a column are written, in the words of the Table Schema."""
    return writing_of(sheet, name) | ({"bareNumber": False} if sign else {}) if number else {}
