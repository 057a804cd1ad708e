"""Folders of data: which are in use, where our own lies, and what the descriptor of one says."""

import contextlib
import functools
import json
import os
import re
import shlex
import tomllib
from collections.abc import Generator
from pathlib import Path, PurePosixPath

import pandas as pd

from dominoperf.errors import BadTable, UnknownName, did_you_mean, names_its_keywords, system_reason
from dominoperf.tables.validation import SchemaFault, schema_fault

DESCRIPTOR = "datapackage.json"
PROFILE = "https://datapackage.org/profiles/2.0/datapackage.json"
CLAIMS, ERRATA, SERIES = "claims.csv", "errata.csv", "series.toml"
"""Files that may stand beside the descriptor of a data folder: its claims, its errata, its point series."""
WRITTEN = ".written"  # in the out folder of reports: the files of ours there, the only ones that we ever remove
IN_USE = "DOMINOPERF_DATA"  # environment variable: data folders beside ours; processes that we start inherit it
NAME_IN_WORDS = "a folder name of letters, digits, - _ and ., first a letter or digit"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")
_QUESTION = "?"


@functools.cache
def home() -> Path:
    """Return the folder of our own data."""
    return shipped_folder("data")


def shipped_folder(name):
    """Return a folder that comes with the library: inside it where it is installed, beside it in a checkout."""
    library = Path(__file__).parent.parent
    inside = library / f"_{name}"
    return inside if inside.is_dir() else library.parent / name


def cached_until_file_changes(function):
    """Keep what a function makes of a file, by its path, until the file changes; nobody may change what it returns."""

    @functools.cache
    def cached(path, _modified):
        return function(path)

    return functools.wraps(function)(lambda path: cached(path, os.stat(path).st_mtime_ns))


def path_of_our_file(name):
    """Return the path of a file of our own data as text: thousands of questions need it, and a Path takes longer."""
    return os.path.join(home(), name)


def our_toml_file(name):
    """Return what a TOML file of our own data says; nothing in it is to be changed."""
    return _toml_content(path_of_our_file(name))


@cached_until_file_changes
def _toml_content(path):
    return tomllib.loads(Path(path).read_text(encoding="utf-8"))


def path_of_argument(path: str | os.PathLike, where: str, expected: str) -> Path:
    """Return the path that an argument names; a `BadTable` where it is neither text nor a path.

    A number would be taken for a file that is open already.
    """
    if not isinstance(path, (str, os.PathLike)):
        raise BadTable(where, expected=expected, found=type(path).__name__, remedy="Give the path as text.")
    return Path(path)


def folder_path(folder: str | os.PathLike, where: str, expected: str = "the path of a data folder") -> Path:
    """Return the path of a folder that an argument names, which need not be there.

    A `BadTable` where it is neither text nor a path, or one that the system cannot have or may not look at.
    """
    path = path_of_argument(folder, where, expected)
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        pass
    except (OSError, ValueError) as error:  # too long, in a circle, forbidden; with a zero byte
        remedy = "Name a folder that can be opened."
        raise BadTable(str(folder), expected=expected, found=system_reason(error), remedy=remedy) from error
    return path


@names_its_keywords()
def use(folder: str | os.PathLike) -> None:
    """Add a data folder of your own to every later call; its tables get the folder's name as their source.

    Parameters
    ----------
    folder : path
        With a ``datapackage.json``; nothing in it is written to.

    Raises
    ------
    BadTable
        When the folder has no usable ``datapackage.json``, or its name is that of a source in use.
    """
    path = folder_path(folder, "use(folder)").resolve()
    folder_descriptor(path)
    before = os.environ.get(IN_USE, "")
    if path in in_use():
        return
    # Names are judged of all folders together: this one has to be among them before it can be refused.
    os.environ[IN_USE] = os.pathsep.join([*filter(None, before.split(os.pathsep)), str(path)])
    try:
        in_use()
    except BadTable:
        os.environ[IN_USE] = before
        raise


@names_its_keywords()
@contextlib.contextmanager
def using(folder: str | os.PathLike) -> Generator[Path, None, None]:
    """Add a data folder for the length of a ``with`` block; yields its path."""
    path = folder_path(folder, "using(folder)").resolve()
    was_in_use = path in in_use()
    use(path)
    try:
        yield path
    finally:
        if not was_in_use:  # this folder and no other: what is in use may have changed since it came
            others = [other for other in os.environ.get(IN_USE, "").split(os.pathsep) if other not in ("", str(path))]
            os.environ.pop(IN_USE, None)
            if others:
                os.environ[IN_USE] = os.pathsep.join(others)


def data_folders_in(folder):
    """List the data folders that a path means: itself, or, where it has no descriptor, those in it that have one."""
    folder = folder_path(folder, "folder")
    inner = [] if (folder / DESCRIPTOR).exists() else sorted(path.parent for path in folder.glob(f"*/{DESCRIPTOR}"))
    return inner or [folder]


def each_data_folder(folder):
    """Return the path of each data folder that a path means, in use while it is looked at."""
    for inner in data_folders_in(folder):
        with using(inner) as path:
            yield path


def our_data_folders():
    """List the folders of the five documents, in the order of ``sources.toml``."""
    return list(_folders_of_documents(path_of_our_file("sources.toml")))


@cached_until_file_changes
def _folders_of_documents(path):
    """The folders that a file names, listed once: a report asks some hundred thousand times."""
    return tuple(Path(path).parent / key for key in _toml_content(path))


def users_data_folders():
    """List the data folders in use that are not ours."""
    if not os.environ.get(IN_USE):
        return []
    documents = our_data_folders()
    return [folder for folder in in_use() if folder not in documents]


def files_of_data_folder(folder):
    """List the files of a data folder that are read: its descriptor, what that names, and what may be beside it."""
    return [path for path in (folder / name for name in _names_of_data_files(folder)) if path.is_file()]


def _names_of_data_files(folder):
    """The names that the files of a data folder have, whether they are there or not."""
    named = (resource["path"] for resource in folder_descriptor(folder)["resources"])
    return dict.fromkeys((DESCRIPTOR, CLAIMS, ERRATA, SERIES, *named))


def stamp_of_data_folders(*, ours=False):
    """Return what tells whether the user's data in use, or with ours all, are the same: every file with its time."""
    folders = in_use() if ours else users_data_folders()
    paths = [os.path.join(folder, name) for folder in map(os.fspath, folders) for name in _names_of_data_files(folder)]
    paths += sorted(entry.path for entry in os.scandir(home()) if entry.is_file()) if ours else []
    stamp = []
    for path in paths:  # texts: this is asked for thousands of times, and a Path takes longer to make
        with contextlib.suppress(OSError):  # not there, and nobody has to have it
            stamp.append((path, os.stat(path).st_mtime_ns))
    return tuple(stamp)


def cached_until_data_change(maxsize, *, ours=False):
    """Keep the last results of a function as long as the user's data in use, or with ours all data, do not change.

    What it returns is shared by all who ask: nobody may change it.
    """

    def decorate(function):
        @functools.lru_cache(maxsize)
        def cached(_stamp, *arguments):
            return function(*arguments)

        return functools.wraps(function)(lambda *arguments: cached(stamp_of_data_folders(ours=ours), *arguments))

    return decorate


def sources() -> pd.DataFrame:
    """List the documents in use.

    Returns
    -------
    DataFrame
        source, title, count (of its tables).
    """
    rows = [(f.name, folder_descriptor(f)["title"], len(folder_descriptor(f)["resources"])) for f in in_use()]
    return pd.DataFrame(rows, columns=["source", "title", "count"])


@names_its_keywords()
def document(source: str) -> dict[str, str]:
    """Return what is known of a document.

    Parameters
    ----------
    source : str
        Its key, see `sources`.

    Returns
    -------
    dict
        title, publisher, date, rights, year, system, as far as they are known.
    """
    return dict(folder_descriptor(folder_of(source))["document"])


def in_use() -> list[Path]:
    """List the folders in use: our documents, then those of ``DOMINOPERF_DATA``.

    Raises
    ------
    BadTable
        When two folders have one name, or a name cannot be the first part of ids and file names.
    """
    documents = our_data_folders()
    users = [Path(part).resolve() for part in os.environ.get(IN_USE, "").split(os.pathsep) if part]
    if not users:
        return documents
    folders = list(dict.fromkeys([*documents, *users]))
    first = {folder.name: folder for folder in reversed(folders)}
    remedy = "Rename the folder: its name is the first part of its tables' ids."
    for folder in users:
        if not can_be_table_source(folder.name):
            raise BadTable(str(folder), expected=NAME_IN_WORDS, found=repr(folder.name), remedy=remedy)
        if first[folder.name] != folder:
            other = "a document of ours" if first[folder.name] in documents else str(first[folder.name])
            found = f"{folder.name!r}, also the name of {other}"
            raise BadTable(str(folder), expected="a name that no other data folder has", found=found, remedy=remedy)
    return folders


def folder_of(source):
    """Return the folder of a source; an `UnknownName` where no folder in use has that name."""
    used = {folder.name: folder for folder in in_use()}
    if not isinstance(source, str) or source not in used:
        raise UnknownName.among("source", source, used)
    return used[source]


def can_be_table_source(name):
    """Tell whether a folder's name can be the first part of ids and file names."""
    return bool(_NAME.fullmatch(name))


def table_names(folder):
    """List the names of a folder's tables, then of its views."""
    descriptor = folder_descriptor(folder)
    return [*(resource["name"] for resource in descriptor["resources"]), *descriptor.get("views", {})]


def fields_of(resource):
    """List the fields of a table's schema."""
    return resource["schema"]["fields"]


def folder_descriptor(folder):
    """Return a folder's descriptor as a dict, with a title and what is known of its document filled in.

    A `BadTable` where there is none that can be used.
    """
    path = os.path.join(folder, DESCRIPTOR)
    try:
        return _checked_descriptor(path)
    except (OSError, ValueError, RuntimeError) as error:  # no file, no JSON, nested too deep
        raise unusable_data_file(Path(path), error) from error


@cached_until_file_changes
def _checked_descriptor(path):
    path = Path(path)
    descriptor = read_descriptor(path.read_text(encoding="utf-8"))
    if fault := link_out_of_data_folder(path.parent):
        raise ValueError(fault)
    for fault in descriptor_faults(descriptor, path.parent):
        raise ValueError(f"{fault.found} in {fault.locator} (expected {fault.expected})")
    descriptor.setdefault("title", path.parent.name)
    if "document" not in descriptor:  # what the words of the standard say of it
        facts = {"title": descriptor["title"], "description": descriptor.get("description")}
        for name, key in (("publisher", "sources"), ("rights", "licenses")):
            several = descriptor.get(key) if isinstance(descriptor.get(key), list) else ()
            entries = [one for one in several if isinstance(one, dict)]
            facts[name] = "; ".join(str(one.get("title") or one.get("name") or "") for one in entries)
        descriptor["document"] = {name: text for name, text in facts.items() if isinstance(text, str) and text}
    return descriptor


def csv_resource(name):
    """Return what a descriptor says of the CSV file of every table."""
    about = {"type": "table", "path": f"{name}.csv", "format": "csv", "mediatype": "text/csv", "encoding": "utf-8"}
    return {"name": name} | about


def read_descriptor(text):
    """Return the text of a descriptor as Python values; a ValueError where it is no JSON.

    NaN and infinity are none, nor is half of a character, which could not be written elsewhere.
    """

    def refuse(constant):
        raise ValueError(f"{constant}, which is no JSON")

    descriptor = json.loads(text, parse_constant=refuse)
    json.dumps(descriptor, ensure_ascii=False).encode()
    return descriptor


def descriptor_faults(descriptor, folder):
    """Yield what keeps a descriptor from being used as a `SchemaFault`: of a table, or of the whole, the first alone.

    A schema says what each part must be (``datapackage.json``, ``table.json`` and ``benchmarks.json`` in ``schemas``).
    What only the parts together can tell is asked here: a path that leaves the folder, a view or a block of runs that
    names no table or column of the folder.
    """
    whole = schema_fault("datapackage", descriptor)
    if whole:
        yield whole
    resources = descriptor.get("resources") if isinstance(descriptor, dict) else None
    if not isinstance(resources, list) or not all(isinstance(resource, dict) for resource in resources):
        return
    usable = True
    for k, resource in enumerate(resources):
        fault = schema_fault("table", resource)
        if not fault and not is_inside_folder(folder, resource["path"]):
            remedy = "Move the file into the folder and name it relative to the folder."
            found = f"{resource['path']!r}, a path that leaves the folder"
            fault = SchemaFault(("path",), "a file inside the folder", found, remedy)
        if fault:
            usable = False
            yield fault._replace(path=("resources", k, *fault.path))
    if not usable or whole:
        return
    columns = {resource["name"]: {field["name"] for field in fields_of(resource)} for resource in resources}
    for name, view in descriptor.get("views", {}).items():
        yield from _unknown_name_fault(
            ("views", name), view["of"], (*view["where"], view["rows"], view["across"]), columns
        )
    blocks = descriptor.get("benchmarks", [])
    if fault := schema_fault("benchmarks", blocks):
        yield fault._replace(path=("benchmarks", *fault.path))
        return
    for k, block in enumerate(blocks):  # a table is named with or without the folder's name before it
        wanted = (*block.get("columns", {}).values(), *block.get("where", {}))
        yield from _unknown_name_fault(("benchmarks", k), block["table"].rpartition("/")[2], wanted, columns)


def _unknown_name_fault(path, table, wanted, columns):
    """The fault of what names a table that is not in the folder, or a column that the table does not have."""
    remedy = "Name a table of the folder, and columns that it has."
    if table not in columns:
        yield SchemaFault(path, f"one of {', '.join(columns)}", f"no table {table!r}", remedy)
        return
    for column in wanted:
        if column not in columns[table]:
            expected = f"one of {', '.join(sorted(columns[table]))}"
            yield SchemaFault(path, expected, f"no column {column!r} in {table!r}", remedy)
            return


def unusable_data_file(path, error):
    """Make the error for a file of a data folder that cannot be used, and send the user to the check that says why."""
    if not path.parent.is_dir():
        found, near = ("a file", "") if path.parent.exists() else ("none", did_you_mean(path.parent))
        remedy = f"{near}Name the folder that holds the datapackage.json."
        return BadTable(str(path.parent), expected="a folder", found=found, remedy=remedy)
    expected = "a file of a data folder (a Frictionless Data Package) that can be used"
    how = shlex.join(["dominoperf", "check", str(path.parent)])
    remedy = f"Run `{how}` for all that is wrong with the folder."
    return BadTable(str(path), expected=expected, found=system_reason(error), remedy=remedy)


def is_inside_folder(folder, path):
    """Tell whether a path that a descriptor gives stays inside its folder, through links too."""
    pure = PurePosixPath(path.replace("\\", "/"))  # a path may have been written on Windows
    safe = "\0" not in path and pure.parts and not pure.is_absolute() and ".." not in pure.parts
    safe = safe and ":" not in pure.parts[0]  # a drive, or a URL
    try:
        (folder / path).exists()  # falls over a name that no file can have
        return bool(safe) and (folder / path).resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError, ValueError):  # a loop of links, a name that no file can have
        return False


def link_out_of_data_folder(folder):
    """Say which of the files that are read by their names leads out of the folder as a link, or nothing.

    A folder that somebody else packed must not show what else is on this machine.
    """
    names = (DESCRIPTOR, CLAIMS, ERRATA, SERIES)
    return next((f"{name}, a link that leaves the folder" for name in names if not is_inside_folder(folder, name)), "")


def setting_as_list(value):
    """Return what a setting names as a list: the several values of one, or its only one."""
    return list(value) if isinstance(value, (list, tuple, set)) else [value]


def is_draft_folder(descriptor):
    """Tell whether a data folder says that it is a draft: then its open questions are no problems yet."""
    return isinstance(descriptor, dict) and descriptor.get("draft") is True


def open_descriptor_question(text):
    """Return a question as it is in a descriptor where `new` could not tell; `text` is expected in its place."""
    return f"{_QUESTION} {text}"


def question_in_descriptor(value):
    """Return what a value of a descriptor asks for where it is a question left open, else nothing."""
    is_question = isinstance(value, str) and value.startswith(_QUESTION)
    return (value.removeprefix(_QUESTION).strip() or "an answer") if is_question else ""
