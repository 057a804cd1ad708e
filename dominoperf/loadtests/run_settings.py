"""The settings of many runs of load tests, and the load of each file by them."""

import itertools
import math
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

import pandas as pd

from dominoperf import tables
from dominoperf.errors import (
    BadTable,
    UnknownName,
    as_python,
    check_level,
    check_number,
    spelling,
)
from dominoperf.loadtests.load_generators import APART, TOGETHER
from dominoperf.loadtests.readers.reading import check_reader_name
from dominoperf.tables.columns import check_columns
from dominoperf.tables.headings import (
    LOADS,
    checked_mapping,
    likely_mapping,
    possible_meaning,
    target_of_mapping,
    unit_of_offered_rate,
    user_of_mapped_load,
)
from dominoperf.tables.reading import as_numbers, lines_of_rows
from dominoperf.tables.rows_of_one_curve import checked_failed_share

# Words beside the load in the name of a file, the surer ones first; a run of 16 clients may have 2 threads.
_WORDS = r"clients?|connections?|conns?|users?|vus?|workers?|concurrency|load|c", r"threads?"
_NUMBER = r"\d+(?:[.,]\d+|_\d{3}(?!\d))*(?:k|e\d+)?"  # plain, or 1.5, 1,500, 1_500, 2k, 1e3, which could be two numbers
_IN_NAMES = [
    re.compile(
        rf"(?:(?<![a-z\d])(?<!\d[.,])(?P<before>{_NUMBER})(?P<left>[ _-]?))?(?<![a-z])(?:{words})(?![a-z])"
        rf"(?=(?P<right>[ _=-]?)(?P<after>{_NUMBER})|)",
        re.IGNORECASE,
    )
    for words in _WORDS
]
_OF_A_WORD_BEFORE = re.compile(rf"(?<![a-z])(?:{'|'.join(_WORDS)})[ _=-]?$", re.IGNORECASE)
_OF_A_WORD_BEHIND = re.compile(rf"[ _-]?(?:{'|'.join(_WORDS)})(?![a-z])", re.IGNORECASE)


@dataclass(frozen=True, eq=False)
class RunSettings:
    """How files of load tests become runs, checked: `curve` says what each of them is."""

    settle: float | None = None
    until: float | None = None
    x: str | None = None
    x_from: Any = None
    manifest: Any = None
    mapping: Mapping[str, str] | None = None
    generators: str | None = None
    reader: str | None = None  # that all files are read by; by default each file's own
    where: Any = ()  # pairs of a column and the value of the rows that count, or a dict of them
    level: float = 0.95
    failed_share: float | None = None  # of the requests above which a load did not pass
    rate: str | None = None  # the column of what was delivered; by default the first throughput of a file

    def __post_init__(self):
        """Refuse settings that cannot be."""
        check_level(self.level, "curve")
        check_reader_name(self.reader)
        if self.generators is not None and not (
            isinstance(self.generators, str) and self.generators in (TOGETHER, APART)
        ):
            where, remedy = spelling("generators=...", "--generators"), "Leave it out, or name one of them."
            found = as_python(self.generators)
            raise UnknownName(where, expected=f"{TOGETHER!r} or {APART!r}", found=found, remedy=remedy)
        if isinstance(self.x, str) and self.x not in tables.vocabulary():  # a heading of a table of one's own
            mapping = {self.x: "load"} | checked_mapping(self.mapping)
            object.__setattr__(self, "mapping", mapping)
            object.__setattr__(self, "x", target_of_mapping(mapping[self.x])[0])
        if self.x_from is not None:
            object.__setattr__(self, "x_from", _pattern_of_load_in_names(self.x_from))
        for name, value in {"settle": self.settle, "until": self.until}.items():
            if value is not None:
                check_number(spelling(f"{name}=...", f"--{name}"), value, 0, math.inf, low_included=True)
        object.__setattr__(self, "failed_share", checked_failed_share(self.failed_share, "curve"))
        object.__setattr__(self, "where", _pairs_of_column_and_value(self.where))
        if self.manifest is not None:
            object.__setattr__(self, "manifest", _loads_of_manifest(self.manifest))

    def load_column(self, frame, named_load=None):
        """Return the column of a frame that is the load: as named; else the first known one with numbers, or users."""
        known = LOADS if named_load is None else ()
        return self.x or next((name for name in known if _has_numbers(frame, name)), "users")

    @property
    def user(self):
        """What the load counts where its pattern in names or its heading says, "request per second"; "" if users."""
        words = re.findall(r"[a-z]+", re.sub(r"\\.", " ", self.x_from.pattern), re.IGNORECASE) if self.x_from else []
        if unit := next(filter(None, map(unit_of_offered_rate, words)), ""):
            return f"request per {'second' if unit in ('1/s', 'tps') else unit.removeprefix('1/')}"
        return user_of_mapped_load(self.mapping)

    @property
    def timed(self):
        """Whether the seconds that are measured of each run are given."""
        return self.settle is not None or self.until is not None

    def load_named_by_file(self, name, frame, path=None):
        """Return the load by the manifest, the pattern or the file's name, None where its rows tell it."""
        if self.manifest is not None:
            loads = {file: load for file, load in self.manifest.items() if is_file_of_manifest(path or name, file)}
            if not loads:
                remedy = f"Add a row for {name}, or leave the file out."
                raise BadTable(
                    "the manifest", expected="the load of each file", found="none of this one", remedy=remedy
                )
            if len({*loads.values()}) > 1:
                found, remedy = f"{len(loads)}, {' and '.join(loads)}", f"Leave one row of {name}."
                raise BadTable("the manifest", expected="one row for this file", found=found, remedy=remedy)
            return next(iter(loads.values()))
        if self.x_from is not None:
            texts = self.x_from.findall(PurePath(name).name) or self.x_from.findall(name)
            try:
                loads = {float(text) for text in texts}
            except ValueError:
                loads = set()
            if len(loads) == 1:
                return loads.pop()
            found = " and ".join(f"{load:.12g}" for load in sorted(loads)) or "no number"
            remedy = r"Write a pattern that finds one number in every name, as _c(\d+), or use a manifest."
            raise BadTable(name, expected=f"{self.x_from.pattern} in the name", found=found, remedy=remedy)
        column = self.load_column(frame)
        told = _has_numbers(frame, column)
        if told and (self.x or column == "users"):
            return None
        if self.x:
            check_columns(frame, [self.x], name)
        found, parts = "none in the file or its name", [*reversed(PurePath(name).parts)]
        for part, form in itertools.product(parts, _IN_NAMES):
            if loads := _loads_in_name(part, form):
                if len(loads) == 1 and (load := loads[0]).isdecimal():
                    return float(load)
                found = f"{' or '.join(loads)} in the name {part}"
                break
        if told:  # a name says more than a column of threads
            return None
        how = spelling(r"x_from=r'c(\d+)'", r"--x-from 'c(\d+)'")
        remedy = (
            f"Say where the load is in the names ({how}), name its column ({spelling('x=', '--x')}), or use a manifest."
        )
        unmapped = [heading for note in frame.attrs.get("notes", ()) for heading in getattr(note, "headings", ())]
        if perhaps := [heading for heading in unmapped if possible_meaning(heading) in LOADS]:
            remedy = f"If {perhaps[0]} is the load: {likely_mapping(perhaps[:1], missing=['load'])}. Else: {remedy}"
        raise BadTable(name, expected="a load", found=found, remedy=remedy)


def _pairs_of_column_and_value(where):
    """The pairs of a dict, or as they are in a list; None is none."""
    pairs = [] if where is None else [*where.items()] if isinstance(where, Mapping) else where
    is_pair = lambda pair: isinstance(pair, tuple) and len(pair) == 2 and isinstance(pair[0], str)  # noqa: E731
    if not (isinstance(pairs, (list, tuple)) and all(map(is_pair, pairs))):
        remedy = "Give {column: value}."
        place = spelling("where=...", "--where")
        raise BadTable(place, expected="a value for each column", found=as_python(where), remedy=remedy)
    return tuple(pairs)


def _has_numbers(frame, name):
    return name in frame and as_numbers(frame[name]).notna().any()


def _pattern_of_load_in_names(x_from):
    """The compiled pattern of `x_from`, which must have one group."""
    where = spelling("x_from=...", "--x-from")
    remedy = r"Put the number in brackets: c(\d+) finds 16 in run_c16.txt."
    try:
        pattern = re.compile(x_from)
    except (re.error, TypeError) as error:  # no pattern, or no text
        raise UnknownName(
            where, expected="a regular expression", found=f"{_as_pattern(x_from)} ({error})", remedy=remedy
        ) from None
    if pattern.groups != 1:
        raise UnknownName(where, expected="a pattern with one group", found=_as_pattern(x_from), remedy=remedy)
    return pattern


def _as_pattern(x_from):
    """A pattern as it was typed: backslashes once."""
    return f"'{x_from}'" if isinstance(x_from, str) else as_python(x_from)


def is_file_of_manifest(path, file):
    """Return whether a path is the `file` that a manifest names: in full, or by its end from a folder on."""
    whole = PurePath(path if "://" in str(path) else os.path.abspath(path)).as_posix()
    return whole == file or (not PurePath(file).is_absolute() and whole.endswith(f"/{file}"))


def _loads_of_manifest(manifest):
    """The load of each file that a manifest names, by its path as written there."""
    frame = tables.read_table(manifest)
    where = spelling("manifest=...", "--manifest")
    check_columns(frame, ["file", "load"], where)
    files = [PurePath(str(file)).as_posix() for file in frame["file"]]
    loads = as_numbers(frame["load"])
    lines = [] if isinstance(manifest, pd.DataFrame) else lines_of_rows(manifest)
    places = [f"{manifest}, line {line}" for line in lines] or [f"row {k + 1}" for k in range(len(frame))]
    if loads.isna().any():
        row = int(loads.isna().to_numpy().argmax())
        found, remedy = as_python(frame["load"].iloc[row]), f"Give a number for {files[row]}."
        raise BadTable(f"{where}, {places[row]}", expected="a load", found=found, remedy=remedy)
    again = pd.Series(files, dtype="object").duplicated()
    if again.any():
        row = int(again.argmax())
        found, remedy = f"{files[row]} again, after {places[files.index(files[row])]}", "Leave one of the two rows out."
        raise BadTable(f"{where}, {places[row]}", expected="each file once", found=found, remedy=remedy)
    return dict(zip(files, loads.astype(float), strict=True))


def _loads_in_name(part, form):
    """The numbers beside a word in a part of a path, as texts; one that touches the word (50users_1) counts alone.

    So does one of two that is not beside another such word: 16_clients_2_threads. A number of 8 digits is a date.
    """
    loads = {}
    for match in form.finditer(part):
        beside = [(match["before"], match["left"]), (match["after"], match["right"])]
        beside = [(number, gap) for number, gap in beside if number and not re.match(r"\d{8}", number)]
        touching = [number for number, gap in beside if not gap]
        if len(beside) == 2 and not touching:
            if _OF_A_WORD_BEHIND.match(part, match.end("after")):
                beside.pop()
            elif _OF_A_WORD_BEFORE.search(part[: match.start()]):
                beside.pop(0)
        loads |= dict.fromkeys(touching or [number for number, _ in beside])
    return [*loads]
