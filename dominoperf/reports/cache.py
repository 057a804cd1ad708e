"""What has to run again: the content of every input is compared with that from which a run was made.

Each run's folder below ``.engine`` holds what it made, and a list of what that was made from. Prose is no input of a
run: a page takes it from the notebook as it is now (`site.executed_with_new_prose`), and only the site is built again.
"""

import contextlib
import functools
import hashlib
import json
import os
import platform
import re
import shutil
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from dominoperf import __version__, tables
from dominoperf.errors import DominoperfError
from dominoperf.reports.notebooks import find_notebook
from dominoperf.tables import folders
from dominoperf.tables.files import STDIN, is_url, opened_file, replace_file

PACKAGE = Path(__file__).parent.parent
_COPIES = {"_data", "_notebooks", "__pycache__"}  # of an installed package: the first two are inputs of their own
_KINDS = {".csv", ".json", ".toml"}


def our_data_files_of_reports():
    """List every file of our own data, in order."""
    return sorted(path for path in tables.home().rglob("*") if path.suffix in _KINDS and path.is_file())


def data_files():
    """List every data file in use: ours, and what the descriptors of other folders name.

    Not all that lies in a folder of the user's: it may hold much that is no table.
    """
    return our_data_files_of_reports() + [
        path for folder in folders.users_data_folders() for path in folders.files_of_data_folder(folder)
    ]


def package_files():
    """List every file of the package: modules, and what the site is made with."""
    files = [(path, path.relative_to(PACKAGE).parts) for path in PACKAGE.rglob("*") if path.is_file()]
    return sorted(path for path, parts in files if not _COPIES & {*parts} and not any(p.startswith(".") for p in parts))


def library_files():
    """List every module of the package."""
    return [path for path in package_files() if path.suffix == ".py"]


def versions_of_libraries():
    """Return the versions of Python, of the package and of what it is declared to need."""
    installed = {"python": platform.python_version(), "dominoperf": __version__}
    try:
        needed = metadata.requires("dominoperf") or ()
    except metadata.PackageNotFoundError:  # a checkout on the path, not installed
        needed = ()
    for name in [re.match(r"[\w.-]+", line)[0] for line in needed if ";" not in line]:
        try:
            installed[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            installed[name] = "none"
    return installed


def file_digest(path):
    """Return the SHA-256 of a file."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def digests_of_named_files(text):
    """Return the SHA-256 of each file that a parameter names by its path: a file, folder, pattern or URL.

    What cannot be read is left out: the notebook tells of it. All bytes are read: a copy may keep the size and time of
    what it replaces.
    """
    if text in ("", STDIN):
        return {}
    from dominoperf.loadtests.readers import files  # imports every reader

    named, digests = (), {}
    with contextlib.suppress(DominoperfError, OSError, ValueError):
        named = files(text)
    for path in named:
        with contextlib.suppress(DominoperfError, OSError, ValueError):
            if is_url(path):
                with opened_file(path, None) as file:
                    digests[path] = hashlib.sha256(file.read()).hexdigest()
            elif os.path.isfile(path):  # no pipe, which gives its bytes once
                digests[os.path.abspath(path)] = file_digest(path)
    return digests


def json_digest(value):
    """Return the SHA-256 of a value as JSON."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


FOLDER = ".engine"  # in the out folder
EXECUTED = "executed.ipynb"
MANIFEST = "made.json"
_SITE = "site.json"
_FILES_NAMED_IN_REASON = 5  # files that a reason names; a library that was exchanged has too many


class ReportCache:
    """What was made from what, in one out folder; inputs count as they are when this is made."""

    def __init__(self, out):
        self.out, self.home = Path(out), Path(out) / FOLDER
        self._versions = versions_of_libraries()
        self._data, self._package = _digests_of_files(data_files()), _digests_of_files(package_files())
        self._named = functools.cache(digests_of_named_files)  # several runs may have a parameter in common

    def folder(self, run):
        """Return the folder with what a run made last."""
        return self.home / run.name

    def tables(self, run):
        """Return the tables that a run made last, by their names below its folder."""
        paths = sorted(path for path in self.folder(run).rglob("*") if path.suffix in (".csv", ".md"))
        return {path.relative_to(self.folder(run)).as_posix(): path for path in paths}

    def inputs(self, run, notebook):
        """Return what a run is made from: values by their name, digests by file or part of a notebook."""
        values = {f"parameter {name}": value for name, value in run.parameters.items()} | self._versions
        library = {path: digest for path, digest in self._package.items() if path.endswith(".py")}
        code = {f"the code of {notebook.name}": _code_and_prose(notebook)[0]}
        texts = [value for value in run.overrides.values() if isinstance(value, str)]
        named = {path: digest for text in texts for path, digest in self._named(text).items()}
        return {"values": values, "files": code | library | self._data | named}

    def inputs_of_site(self, pages):
        """Return what the site is made from, in the same form."""
        values = {f"page {run.name}": [run.title, run.parameters] for run, _ in pages} | self._versions
        notebooks = dict.fromkeys(find_notebook(run.notebook) for run, _ in pages)
        prose = {f"the prose of {notebook.name}": _code_and_prose(notebook)[1] for notebook in notebooks}
        executed = _digests_of_files(path for _, path in pages if path.is_file())
        return {"values": values, "files": prose | executed | self._package | self._data}

    def key_of_site(self, pages):
        """Return what changes with all that pages have in common: the library, the data, the list of pages."""
        values = {run.name: [run.title, run.parameters] for run, _ in pages} | self._versions
        return json_digest([values, self._package, self._data])

    def made_by(self, run):
        """Return what a run made last."""
        return Made(self.folder(run) / MANIFEST, self.folder(run))

    def keep(self, run, inputs, made):
        """Put what a run made in the place of what it made before, with the list of what it was made from."""
        files = [path.relative_to(made).as_posix() for path in made.rglob("*") if path.is_file()]
        Made(made / MANIFEST, made).remember(inputs, files)
        shutil.rmtree(self.folder(run), ignore_errors=True)
        os.replace(made, self.folder(run))

    @property
    def site(self):
        """The site that was built last, already in place."""
        return Made(self.home / _SITE, self.out / "site")


@dataclass(frozen=True)
class Made:
    """Files in a folder, and the list of them, with all that they were made from."""

    manifest: Path
    folder: Path

    def remember(self, inputs, names):
        """Write the list of files, by their names in the folder, with the inputs that they were made from."""
        made = {name: file_digest(self.folder / name) for name in names}
        replace_file(self.manifest, json.dumps(inputs | {"made": made}))

    def read(self):
        """Return what was written: values, files and made; each empty where there is none, or what is no such list."""
        try:
            manifest = json.loads(self.manifest.read_text(encoding="utf-8"))
            return {part: dict(manifest[part]) for part in ("values", "files", "made")}
        except (OSError, ValueError, KeyError, TypeError):
            return {"values": {}, "files": {}, "made": {}}

    def why_again(self, now):
        """List the reasons why it has to be made again, in words: inputs that differ, files that are gone."""
        before = self.read()
        if not before["files"]:
            return ["it has not run here yet"]
        was, is_ = before["values"], now["values"]
        differing = [name for name in sorted({*was, *is_}) if was.get(name) != is_.get(name)]
        values = [f"{name} was {was.get(name, 'not set')!r} and is {is_.get(name, 'not set')!r}" for name in differing]
        was, is_ = before["files"], now["files"]
        files = [f"{_report_input_as_typed(name)} changed" for name in is_ if was.get(name, is_[name]) != is_[name]]
        files += [f"{_report_input_as_typed(name)} is new" for name in is_ if name not in was]
        files += [f"{_report_input_as_typed(name)} is gone" for name in was if name not in is_]
        for path, digest in ((self.folder / name, digest) for name, digest in before["made"].items()):
            if not path.is_file() or file_digest(path) != digest:
                files.append(f"{_report_input_as_typed(path)} is not as it was written")
        more = len(files) - _FILES_NAMED_IN_REASON
        return values + files[:_FILES_NAMED_IN_REASON] + ([f"{more} more files differ"] if more > 0 else [])


def _code_and_prose(notebook):
    """Digests of a notebook's code, with all that says how to run it, and of its prose, with its places among that."""
    content = json.loads(notebook.read_text(encoding="utf-8"))
    cells = content.pop("cells")
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    prose = [cell.get("id") if cell["cell_type"] == "code" else cell for cell in cells]
    return json_digest([content, code]), json_digest(prose)


def _digests_of_files(paths):
    """The SHA-256 of each file by its path."""
    return {str(path): file_digest(path) for path in paths}


def _report_input_as_typed(name):
    """A path as the user would type it; the part of a notebook as it is called."""
    path, here = Path(name), Path.cwd()
    return path.relative_to(here).as_posix() if path.is_absolute() and path.is_relative_to(here) else str(name)
