"""The files that a user names; each read with the reader it is of, as frames of bounded size; what was read written."""

import contextlib
import glob
import importlib
import itertools
import os
import pkgutil
import re
import sys
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from dominoperf import tables
from dominoperf.errors import BadTable, DominoperfError, MissingFile, UnknownName, counted, names_its_keywords, spelling
from dominoperf.loadtests.readers import foreign, own_tables
from dominoperf.loadtests.readers.recording import (
    EMPTY_COLUMNS,
    RESPONSES,
    HeadOfFile,
    Reader,
    ReaderNote,
    Recording,
)
from dominoperf.tables import reading, rendering
from dominoperf.tables.columns import USER
from dominoperf.tables.files import STDIN, WEB, is_url
from dominoperf.tables.folders import WRITTEN, path_of_argument
from dominoperf.tables.headings import checked_mapping, columns_of_headings
from dominoperf.tables.reading import PARQUET

PathOrPaths = str | os.PathLike | list | tuple
"""What names files: a file, folder, pattern or URL, or a list of them."""
_PATTERN = re.compile(r"[*?\[]")
_HIDDEN = "."  # names that begin so are the system's own
Where = dict[str, Any] | Sequence[tuple[str, Any]]
"""Which rows count: headings, or our columns, each with the value that it prints."""
ROWS = 20_000  # rows of a part
_HEAD_LINES = 50  # by which a reader knows its format: tools write what they are before what they measured
_WRITTEN = (".csv", ".parquet")
_TOLD = 10  # files that cannot be read, each with why


def files(*paths: PathOrPaths) -> list[str]:
    """Return the files that paths name: each once, in natural order (``c2.txt`` before ``c10.txt``).

    Parameters
    ----------
    *paths : str, Path, or list of them
        A file; a folder, for all files below it whose names do not begin with a dot, without those of our reports in
        it; a pattern with ``*``, ``?``, ``[...]`` or ``**``; ``-``, for standard input; an fsspec URL, which may name
        a folder or be a pattern. Packed files (gzip, bzip2, xz, zstd) are unpacked when they are read.

    Raises
    ------
    BadTable, OSError
        When a pattern or folder has no file, or nothing is named; when there is no such file.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> for name in ("c10.txt", "c2.txt", ".hidden"):
    ...     _ = (folder / name).write_text("")
    >>> [pathlib.Path(path).name for path in files(folder)]
    ['c2.txt', 'c10.txt']
    """
    named = [file for path in paths for file in (path if isinstance(path, (list, tuple)) else [path])]
    if not named:
        raise BadTable("files", expected="the path of a file", found="none", remedy="Name one at least.")
    by_place = {}
    for path in named:
        path_of_argument(path, "files(path)", "the path, pattern or URL of recorded files")
        for file in _files_of_path(os.fspath(path)):
            by_place.setdefault(file if file == STDIN or is_url(file) else os.path.realpath(file), file)
    return sorted(by_place.values(), key=natural_order)


def natural_order(path):
    """Return a key by which numbers in names are compared as numbers; standard input comes first."""
    parts = re.split(r"(\d+)", path, flags=re.ASCII)
    return path != STDIN, [int(part) if k % 2 else part.casefold() for k, part in enumerate(parts)], path


def _files_of_path(text):
    if text == STDIN or text.startswith(WEB):
        return [text]
    if is_url(text):
        return _files_of_url(text)
    text = os.path.expanduser(text)
    if os.path.isdir(text):
        return _at_least_one_file(_files_of_folder(text), text, "a folder with files", "it has none")
    if os.path.exists(text):
        return [text]
    if _PATTERN.search(text) and "\0" not in text:
        places = [file for place in glob.glob(text, recursive=True) if not os.path.basename(place).startswith(_HIDDEN)
                  for file in (_files_of_folder(place) if os.path.isdir(place) else _files_of_path(place))]  # fmt: skip
        return _at_least_one_file(places, text, "a pattern that some file matches", "none that does")
    raise MissingFile(text)


def _files_of_folder(folder):
    """The files of a folder and of those in it; neither links to folders nor our own reports, which are no runs."""
    files = []
    for place, inside, names in os.walk(folder):
        ours = {name for name in inside if os.path.exists(os.path.join(place, name, WRITTEN))}
        inside[:] = [name for name in inside if not name.startswith(_HIDDEN) and name not in ours]
        paths = (os.path.join(place, name) for name in names if not name.startswith(_HIDDEN))
        files += filter(os.path.isfile, paths)
    return files


def _files_of_url(text):
    """The files that a URL, a folder or a pattern behind one names."""
    import fsspec

    try:
        system, path = fsspec.url_to_fs(text)
        pattern = _PATTERN.search(path)
        folder = not pattern and system.isdir(path)
        paths = system.glob(path) if pattern else system.find(path) if folder else []
    except (ValueError, ImportError):  # told when it is opened
        return [text]
    if not pattern and not folder:
        return [text]
    start = len(_PATTERN.split(path)[0])
    shown = [place for place in paths if not any(part.startswith(_HIDDEN) for part in place[start:].split("/"))]
    paths = [system.unstrip_protocol(place) for place in shown if not system.isdir(place)]
    return _at_least_one_file(paths, text, "a folder or pattern with files", "it has none")


def _at_least_one_file(paths, where, expected, found):
    if not paths:
        raise BadTable(where, expected=expected, found=found, remedy="Look at the name, and at what lies there.")
    return paths


def readers_of_this_package():
    """Return the readers that the modules of this package name, by name in alphabetical order."""
    package = __name__.rpartition(".")[0]
    names = {info.name for info in pkgutil.iter_modules(sys.modules[package].__path__, f"{package}.")} - {__name__}
    modules = [importlib.import_module(name) for name in sorted(names)]
    readers = [each for module in modules for each in vars(module).values() if isinstance(each, Reader)]
    return {reader.name: reader for reader in sorted(readers, key=lambda reader: reader.name)}


def installed_readers():
    """Return the readers of other packages by name: their entry points of the group `dominoperf.readers`."""
    readers = {}
    for entry in metadata.entry_points(group="dominoperf.readers"):
        try:
            reader = entry.load()
            if not isinstance(reader, Reader) or reader.name in OURS:
                raise TypeError(f"{entry.value} is no Reader with a name of its own")
            readers[reader.name] = reader
        except Exception as error:  # of another's code anything may come
            warnings.warn(f"the reader {entry.name} of another package is left out: {error}", stacklevel=2)
    return readers


OURS = readers_of_this_package()
READERS = OURS | installed_readers()
"""Every `Reader` by its name, those of other packages among them."""


@names_its_keywords()
def read(
    path: PathOrPaths,
    reader: str | None = None,
    *,
    mapping: Mapping[str, str] | None = None,
    responses: bool = False,
    where: Where = (),
) -> pd.DataFrame:
    """Return the rows of a benchmark file, or of many, in our columns.

    Parameters
    ----------
    path : str or Path, or list of them
        Whatever `files` takes. Logs of the threads of one run of pgbench (``log.123``, ``log.123.1``) are added up.
    reader : str, optional
        A name of `READERS`; by default the one that recognises the file.
    mapping : dict, optional
        Name in the file to ours, with the unit of the file's numbers where its header does not name it:
        ``{"elapsed": "response_s[ms]"}``. For the formats whose names are one's own.
    responses : bool
        Of logs of single requests: whether there is a column ``responses_s`` too, the response times of the requests of
        each row as an array.
    where : sequence
        Pairs of a heading and a value: only rows count that print it, as in `fitting.rows_of`. Of a table of one's own
        the headings are the file's, else those of the columns here.

    Returns
    -------
    DataFrame
        Numbers in the unit that the vocabulary gives a column, NaN where the file has none; ``line`` is the line of the
        file, counting from 1. Time series have ``time``, ISO text of the clock that recorded it, where there was one,
        and ``time_s``, seconds since the first sample. ``attrs["notes"]`` lists what was odd: gaps, a clock set back,
        lines left out; ``attrs["user"]`` says what the tool calls a user: pgbench has clients.

        Of several runs one frame, a run after the other: a column ``file`` first, and the columns of all files. A file
        that cannot be read is left out; where that shows only after thousands of its rows, those before it stay, with
        a note. ``attrs`` has ``readers``, how many runs each read, and ``unread``, file to why it was not read.

    Raises
    ------
    UnknownName, BadTable, OSError
        When no reader or more than one recognises the file, or a name is not known; when the file is empty, broken,
        another tool's, a part of a run, or has nothing that a test measures; when it cannot be opened. Of many files:
        when none can be read.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> for users, rate in ((2, 190.5), (10, 820.0)):
    ...     text = f"users,throughput_per_s\\n{users},{rate}\\n"
    ...     _ = (folder / f"c{users}.csv").write_text(text)
    >>> _ = (folder / "README").write_text("Runs of Monday")
    >>> runs = read(folder)
    >>> runs["throughput_per_s"].tolist(), [pathlib.Path(path).name for path in runs.attrs["unread"]]
    ([190.5, 820.0], ['README'])
    """
    if not where:
        return _frames_of_readers_joined(read_parts(path, reader, mapping=mapping, responses=responses))
    from dominoperf import fitting  # with every law

    source = None if isinstance(path, (list, tuple)) else _benchmark_file_or_url(path, mapping)
    if source is None or not _reader_for_file(source, reader).mapped:
        frame = _frames_of_readers_joined(read_parts(path, reader, mapping=mapping, responses=responses))
        frame.attrs["source"] = fitting.Source(locator=str(path))  # for messages
        frame = fitting.rows_of(frame, where).reset_index(drop=True)
        del frame.attrs["source"]
        return frame
    if source.path == STDIN:
        remedy = "Write it to a file first."
        raise BadTable("where", expected="a file, which can be read twice", found="standard input", remedy=remedy)
    table, lines = tables.read_table(source.path), reading.lines_of_rows(source.path)
    table = table.reset_index(drop=table.index.names == [None])  # of a Parquet file any
    table.attrs["source"] = fitting.Source(locator=source.path)  # for messages
    source.chosen = frozenset(lines[row] if lines else row + 1 for row in fitting.rows_of(table, where).index)
    return _frames_of_readers_joined(_parts_of_runs([_begin_reading_run([source], reader)], {}, ROWS, responses))


def read_parts(
    path: PathOrPaths,
    reader: str | None = None,
    *,
    mapping: Mapping[str, str] | None = None,
    responses: bool = False,
    rows: int = ROWS,
) -> Iterator[pd.DataFrame]:
    """Yield what `read` returns, in frames of about `rows` rows: a file larger than the memory can be read.

    The notes of a frame are those made while it was read; those of several runs come with the last one.
    """
    named = list(path) if isinstance(path, (list, tuple)) else [path]
    paths = files(*named)
    if len(paths) == 1:
        runs, unread = [_begin_reading_run([_benchmark_file_or_url(paths[0], mapping)], reader)], {}
    else:
        runs, unread = _runs_begun_by_readers(paths, reader, mapping)
    # Logs whose names do not say whose they are: who names each of them says that they belong together.
    unsaid = [run for run in runs if run.reader.several and run.reader.several(run.source.path) is None]
    if len(paths) == len(named) and len(unsaid) == len(runs) > 1 and not unread:
        runs = [_begin_reading_run([run.source for run in unsaid], reader)]
    yield from _parts_of_runs(runs, unread, rows, responses)


def files_of_runs(*paths: PathOrPaths) -> list[list[str]]:
    """Return the files that paths name as a list for each run: one, but for the logs of the threads of a run of
    pgbench.
    """
    tell, runs = {reader.several for reader in READERS.values() if reader.several}, {}
    for path in files(*paths):
        key = path
        if any(several(path) for several in tell):  # the name is that of a part: what it is its first lines say
            with contextlib.suppress(DominoperfError, OSError):
                key = _key_of_files_of_run(Recording(path), None)
        runs.setdefault(key, []).append(path)
    return list(runs.values())


def formats() -> pd.DataFrame:
    """Return what can be read, a row per reader: its name, what it reads, how it knows it, which columns it gives."""
    rows = [(reader.name, reader.reads, reader.by, ", ".join(reader.columns)) for reader in READERS.values()]
    return pd.DataFrame(rows, columns=["reader", "reads", "recognised_by", "columns_given"])


@dataclass
class _OpenRun:
    """A run about to be read: its file, or the first of them, and what its reader promises."""

    source: Recording
    reader: Reader
    columns: tuple
    records: Iterable


def _begin_reading_run(sources, name):
    source, *others = sources
    reader = _reader_for_file(source, name)
    names = {reader.name, *(_reader_for_file(other, None).name for other in others)}
    if others and (not reader.several or len(names) > 1):
        remedy = "Read one at a time; several are read where a run of pgbench -j N wrote a log a thread."
        expected = "one file, or the logs of the threads of one run of pgbench"
        several = f"{len(sources)} files of {', '.join(sorted(names))}"
        raise BadTable(source.path, expected=expected, found=several, remedy=remedy)
    source.others = tuple(others)
    if source.mapping and not reader.mapped:
        mapped = ", ".join(one.name for one in READERS.values() if one.mapped)
        remedy = f"Leave the mapping out; it is for {mapped}."
        where = spelling("mapping", "--map")
        raise UnknownName(where, expected="names of one's own", found=f"a file of {reader.name}", remedy=remedy)
    return _OpenRun(source, reader, *reader.read(source))


def _rows_of_run(run):
    """The rows of a run, as its reader gives them; then empty columns are noted, and a run of no values refused."""
    source, unfilled, count = run.source, set(run.columns), 0
    for count, record in enumerate(run.records, 1):  # noqa: B007
        unfilled = {name for name in unfilled if (value := record.get(name)) is None or value != value}
        yield record
    if not count:
        found = next(iter(source.notes.take(last=True)), "nothing of the kind")  # the others are alike
        expected = f"rows as {run.reader.name} reads them ({run.reader.reads})"
        remedy = f"Name another reader, {spelling('reader=...', '--reader NAME')}, or mend the file."
        raise source.wrong(None, expected, found, remedy)
    filled = set(run.columns) - unfilled
    if not own_tables.has_measure(filled, source.mapping):
        found = f"rows without a value of {', '.join(name for name in run.columns if name != 'line')}"
        if why := "; ".join(source.notes.take(last=True)):
            found = f"{found} ({why})"
        expected = f"values of what a test measures in {run.reader.reads}"
        raise source.wrong(None, expected, found, "Look whether the recording went wrong.")
    if unfilled:
        empty = ", ".join(name for name in run.columns if name in unfilled)
        source.notes.add(EMPTY_COLUMNS, None, f"the file has no values of {empty}")


def _frames_of_run(run, rows, columns):
    """The frames of one run, each with the notes made while it was read."""
    part = []
    for record in itertools.chain(_rows_of_run(run), [None]):  # None after the last
        if record is None or len(part) == rows:
            notes = _last_reader_notes(run) if record is None else run.source.notes.take()
            frame = _frame_of_reader_rows(part, columns)
            frame.attrs = {"reader": run.reader.name, "notes": notes, USER: run.reader.user}
            yield frame
            part = []
        part.append(record)


def _last_reader_notes(run):
    """The notes of a run that are left, and what the other files of it have to say, by their names."""
    notes = run.source.notes.take(last=True)
    for other in run.source.others:
        notes += [ReaderNote(f"{other.path}: {note}", note.kind) for note in other.notes.take(last=True)]
    return notes


def _key_of_files_of_run(source, name):
    """What the files of one run have in common: the path of a file that is a run by itself."""
    several = _reader_for_file(source, name).several
    return (several and several(source.path)) or source.path


def _runs_begun_by_readers(paths, name, mapping):
    """The runs of many files, those of one run joined; and the files that cannot be read, each with its error."""
    sources_of_runs, unread = {}, {}
    for path in paths:
        source = _benchmark_file_or_url(path, mapping)
        try:
            sources_of_runs.setdefault(_key_of_files_of_run(source, name), []).append(source)
        except (DominoperfError, OSError) as error:
            unread[path] = error
    runs = []
    for sources in sources_of_runs.values():
        try:
            runs.append(_begin_reading_run(sources, name))
        except (DominoperfError, OSError) as error:
            unread |= {source.path: error for source in sources}
    return runs, unread


def _parts_of_runs(runs, unread, rows, responses):
    """The frames of a run; of many one is held back, as the last has the notes and what could not be read."""
    more = [RESPONSES] if responses else []
    if len(runs) == 1 and not unread:
        yield from _frames_of_run(runs[0], rows, [*runs[0].columns, *more])
        return
    names = dict.fromkeys(name for run in runs for name in run.columns if name != "line")
    columns = ["file", *names, "line", *more]
    files_of_note, held = {}, None
    for run in runs:
        path, count, notes = run.source.path, 0, []
        try:
            for frame in _frames_of_run(run, rows, columns):
                if held is not None:
                    yield held
                count, notes = count + len(frame), notes + frame.attrs["notes"]
                held = frame.assign(file=path)
                held.attrs = {}
        except (DominoperfError, OSError) as error:
            unread[path] = error
            before = f"its first {counted(count, 'row')} were read before that showed"
            notes = [*notes, *_last_reader_notes(run), before] if count else []
        for note in notes:
            files_of_note.setdefault(note, []).append(path)
    if held is None:
        (path, error), *others = unread.items()
        if not others:
            raise error
        found, remedy = f"none of {len(unread)}; {path}: {error}", "Look at the first one."
        raise BadTable(files_in_words([*unread]), expected="files that `read` takes", found=found, remedy=remedy)
    read = [run for run in runs if run.source.path not in unread]
    readers, words = Counter(run.reader.name for run in read), {run.reader.user for run in read}
    told = [f"{files_in_words(files)}: {note}" for note, files in files_of_note.items()]
    refused = [f"not read: {error}" for error in unread.values()]
    if len(refused) > _TOLD:
        refused = [*refused[:_TOLD], f"not read: {len(refused) - _TOLD} files more"]
    if len(readers) > 1:
        tools = ", ".join(f"{counted(count, 'run')} of {name}" for name, count in readers.items())
        told.append(f"several tools: {tools}; a column that a tool does not give is empty in its rows")
    user = words.pop() if len(words) == 1 else "user"
    held.attrs = {"reader": " ".join(readers), "readers": dict(readers), "notes": told + refused, USER: user,
                  "unread": {path: str(error) for path, error in unread.items()}}  # fmt: skip
    yield held


def files_in_words(paths):
    """Return a file, and how many others there are, in words."""
    return paths[0] if len(paths) == 1 else f"{paths[0]} and {counted(len(paths) - 1, 'other')}"


def _frames_of_readers_joined(parts):
    """Frames that follow on one another as one, with all their notes."""
    parts = list(parts)
    if len(parts) == 1:
        return parts[0]
    whole = pd.concat(parts, ignore_index=True)
    whole.attrs = parts[-1].attrs | {"notes": [note for part in parts for note in part.attrs.get("notes", ())]}
    return whole


def _benchmark_file_or_url(path, mapping):
    """The file to be read; a URL stays the text that it is, where a `Path` would spoil it."""
    path_of_argument(path, "read(path)", "the path or URL of a recorded file")
    return Recording(os.fspath(path), checked_mapping(mapping))


def recognise(path: str | os.PathLike, *, mapping: Mapping[str, str] | None = None) -> str:
    """Return the name of the reader that a file is of; `UnknownName` or `BadTable` where none or several are."""
    return _reader_for_file(_benchmark_file_or_url(path, mapping), None).name


def write(parts: Iterable[pd.DataFrame], path: str | os.PathLike) -> int:
    """Write frames, one after the other, to a CSV or Parquet file; return the number of rows.

    They go to a temporary file, which takes the name at the end: an error on the way leaves nothing. A file that is
    there already, which may be what is read, is refused.
    """
    path = Path(path)
    if path.suffix not in _WRITTEN:
        remedy = "End the name in one of them."
        raise UnknownName(str(path), expected=" or ".join(_WRITTEN), found=path.suffix or "no ending", remedy=remedy)
    if not path.parent.is_dir():
        remedy = "Make the folder first, or name another."
        raise BadTable(str(path), expected="a folder to write to", found=f"no folder {path.parent}", remedy=remedy)
    if path.is_file():
        remedy = "Name another file, or move the one that is there."
        raise BadTable(str(path), expected="a name that is free", found="a file", remedy=remedy)
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        if path.suffix == ".parquet":
            count = _write_parquet(parts, beside)
        else:
            with beside.open("w", encoding="utf-8", newline="") as file:
                count = 0
                for part in parts:
                    text = rendering.as_csv(part)
                    file.write(text if count == 0 else text.partition("\n")[2])
                    count += len(part)
        os.replace(beside, path)
    except OSError as error:  # of the file that the user named, and no other
        if str(error.filename or "") == str(beside):
            error.filename, error.filename2 = str(path), None
        raise
    finally:
        beside.unlink(missing_ok=True)
    return count


def _write_parquet(parts, path):
    """Write frames as one Parquet file; return the number of rows."""
    import pyarrow
    import pyarrow.parquet

    with contextlib.ExitStack() as files:
        count, writer, numeric = 0, None, {"f": pyarrow.float64(), "i": pyarrow.int64()}
        for part in parts:
            # Types by the vocabulary, so that a part without a single text has the type of the others.
            types = [(name, numeric.get(part[name].dtype.kind, pyarrow.string())) for name in part]
            table = pyarrow.Table.from_pandas(part, schema=pyarrow.schema(types), preserve_index=False)
            writer = writer or files.enter_context(pyarrow.parquet.ParquetWriter(path, table.schema))
            writer.write_table(table)
            count += len(part)
    return count


def check_reader_name(name):
    """Refuse a name that no reader has; None is that of each file's own."""
    if name is not None and name not in list(READERS):  # which may be no text
        raise UnknownName.among("reader", name, READERS)


def _reader_for_file(source, name):
    """The reader asked for, or the one that recognises the file."""
    check_reader_name(name)
    start = source.head()
    if not start:
        raise source.wrong(None, "a file with rows", "an empty one", "Look whether the recording has run.")
    if b"\0" in start and not start.startswith(PARQUET):
        foreign.refuse_spreadsheets_and_archives(source)
        remedy = "Save it as text in UTF-8, or have its recorder print it as text."
        raise source.wrong(None, "text in UTF-8, or Parquet", "zero bytes, as in a binary file", remedy)
    if name is not None:
        return READERS[name]
    lines = source.first_lines()
    head = HeadOfFile(start[:4], lines[:_HEAD_LINES], source.mapping, "".join(lines))
    recognising = [reader for reader in READERS.values() if reader.recognises(head)]
    if len(recognising) == 1:
        return recognising[0]
    if not recognising:
        if headings := own_tables.table_headings(source, head.lines):
            meant, _ = columns_of_headings(headings, source.mapping, source.path)
            if any(own_tables.is_measure(column.name) for column in meant):
                return READERS["csv"]
            raise foreign.unmapped_file_error(source, headings)
        raise foreign.unrecognised_file_error(source, head, READERS.values())
    names = " and ".join(reader.name for reader in recognising)
    remedy = "Name the one that is meant."
    raise UnknownName(source.path, expected="a file that one reader recognises", found=names, remedy=remedy)


def _frame_of_reader_rows(records, columns):
    units, cells = tables.units(), {}
    for name in columns:
        values = [record.get(name) for record in records]
        if name == RESPONSES:
            if any(value is not None for value in values):
                cells[name] = pd.Series(values, dtype="object")
        elif name in units:
            cells[name] = np.array(values, "int64" if name == "line" else "float64")  # of None not a number
        else:
            texts = pd.Series(values, dtype="object")
            cells[name] = texts.astype("str").where(texts.notna())  # pandas 2 writes out what is missing: "None"
    return pd.DataFrame(cells)
