"""Start a user's data folder: the tables as plain CSV, and a descriptor with what can be inferred from them.

From the cells come types and keys; from a heading the unit, and which column of our vocabulary it is. What cannot be
told is a question in the descriptor.
"""

import contextlib
import csv
import datetime
import itertools
import json
import os
import re
import tempfile
import urllib.parse
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

import pandas as pd

from dominoperf.errors import BadTable, UnknownName, as_python, names_its_keywords, spelling
from dominoperf.tables import folders, reading
from dominoperf.tables.checking import check
from dominoperf.tables.columns import (
    COUNTED,
    OF_ITS_ROW,
    is_currency,
    known_unit,
    meaning_of,
    names_are_listed,
    unit_fits,
    vocabulary,
)
from dominoperf.tables.files import decoded_text, is_url, read_bytes
from dominoperf.tables.headings import heading_and_unit, heading_words, is_plain_count, synonyms

# A table with one of these has runs, the others are what a run measures.
_RUNS = ("users", "response_s", "cpu_utilization_percent", "notesmark_tpm", "throughput_tps")
_MEASURED = (*_RUNS[1:], "network_bytes_per_s", "disk_bytes_per_s", "price_usd")
_LEADING_ZERO = re.compile(r"0\d+")  # of an identifier, not of a number
_KEY_COLUMNS = 12  # columns that are looked at in pairs


@dataclass(frozen=True)
class File:
    """A file to be taken in: where it came from, and its cells as a sheet.

    `headings` has the printed heading of each column that has another name in the CSV: units are read from it.
    """

    path: Path | PurePosixPath
    sheet: reading.Sheet
    headings: dict = field(default_factory=dict)


@names_its_keywords()
def new(
    folder: str | os.PathLike,
    from_: str | os.PathLike | list | tuple | set,
    *,
    title: str = "",
    source: str = "",
    licence: str = "",
    units: Mapping[str, str] | None = None,
    names: Mapping[str, str] | None = None,
) -> pd.DataFrame:
    """Make a data folder of CSV or Parquet files: plain CSV, and a ``datapackage.json`` inferred from them.

    Plain CSV is in UTF-8, with commas between cells and a point before decimals; digits and texts stay as they are.
    What can be told is filled in: types, keys, and, from the headings, units and columns of our vocabulary. What cannot
    is left as a question, a text that begins with ``?``.

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
        When the folder is there already, a file cannot be read as a table, or a number may be two (``1,200`` between
        semicolons); then nothing has been made.
    UnknownName
        When a column that is named is in none of the files, or one of ours does not exist.
    """
    folder = folders.folder_path(folder, "new(folder, ...)", "the path of the folder to make").resolve()
    for option, text in (("title", title), ("source", source), ("licence", licence)):
        if not isinstance(text, str):
            remedy = "Give a text, or leave it out."
            raise BadTable(f"new({option}=...)", expected="a text", found=as_python(text), remedy=remedy)
    for option, columns in (("units", units), ("names", names)):
        if columns is not None and not isinstance(columns, Mapping):
            remedy = "Give a dict, or leave it out."
            raise BadTable(f"new({option}=...)", expected="a dict by column", found=as_python(columns), remedy=remedy)
    check_new_folder_name(folder)
    files, units, names = _read_files_as_tables(folders.setting_as_list(from_)), units or {}, names or {}
    columns, ours = [name for file in files.values() for name in file.sheet.header], vocabulary()
    as_units, as_names = spelling("units=...", "--unit"), spelling("names=...", "--as")
    for option, named in ((as_units, units), (as_names, names)):
        for name in named:
            if name not in columns:
                raise UnknownName.among(f"{option}, column", name, columns)
    for name, as_ in names.items():
        if as_ and as_ != name and as_ not in ours:
            listing = f"{names_are_listed()}; COLUMN=COLUMN says that it is none of ours."
            raise UnknownName.among(f"{as_names}, column {name!r}", as_, ours, listing)
        if as_ and as_ != name and name in ours:
            found = f"{as_!r}, while the name itself is one of ours"
            remedy = f"Leave it out of {as_names}, or rename the column in a copy of the file."
            raise BadTable(f"{as_names}, column {name!r}", expected=repr(name), found=found, remedy=remedy)
    for name, unit in units.items():
        where, meant = f"{as_units}, column {name!r}", names.get(name) or name
        wanted = ours.get(meant, {}).get("unit", "")
        if unit and not known_unit(unit):
            remedy = "Write it as pint does: s, ms, MB, GB, percent, user, USD/user, EUR, 1."
            raise BadTable(where, expected="a unit that pint knows", found=repr(unit), remedy=remedy)
        # "row" and "axis" are no units: there any one will do.
        any_fits = not unit or not wanted or wanted in OF_ITS_ROW
        if not any_fits and not (unit == wanted if name in ours else unit_fits(unit, wanted)):
            remedy = f"Leave it out of {as_units}, or rename the column in a copy of the file: {meant} has {wanted}."
            raise BadTable(where, expected=repr(wanted), found=repr(unit), remedy=remedy)
    about = {"title": title, "source": source, "licence": licence, "units": units, "names": names}
    descriptor = descriptor_of(folder.name, files, **about)
    with new_folder_beside(folder) as made:
        write_folder(made, files, descriptor)
        files.clear()  # the check needs the room
        return check(made)


def descriptor_of(name, files, *, title, source, licence, units=None, names=None):
    """Return the descriptor of a data folder with this name: what can be told of its files, and what the user said.

    The numbers of the files are spelt as our documents spell them from then on.
    """
    units, names, columns, resources = units or {}, names or {}, vocabulary(), []
    for table, file in files.items():
        sheet, fields, missing = file.sheet, [], set()
        taken = [column for column in sheet.header if column in columns] + list(names.values())
        for column, cells in sheet.columns.items():
            ours = names.get(column, column)
            numeric = "unit" in columns[ours] if ours in columns else True if column in units else None
            kind, sign, nothing = column_type(cells, sheet.decimals[column], numeric)
            written = {"name": column, "type": kind}
            if kind in ("number", "integer"):
                sheet.columns[column] = _numerals_of_column(file, column)
                written |= {"groupChar": ",", "bareNumber": False} if sign else {"groupChar": ","}
            heading, said = file.headings.get(column, column), (units.get(column, ""), names.get(column, ""))
            about = _meaning_of_column(written, heading, sign, *said, taken)
            taken.append(about.get("as", ""))
            fields.append(written | about)
            missing |= nothing
        kinds = {field["name"]: field["type"] for field in fields}
        key = key_columns(sheet.columns, kinds, [field["name"] for field in fields if meaning_of(field) in _MEASURED])
        resources.append(
            folders.csv_resource(table)
            | {
                "title": file.path.stem,
                "locator": f"file {file.path.name}",
                "kind": "measured",
                "schema": {
                    "fields": fields,
                    **({"primaryKey": key} if key else {}),
                    "missingValues": ["", *sorted(missing)],
                },
            }
        )
    meanings = {resource["name"]: {*map(meaning_of, folders.fields_of(resource))} for resource in resources}
    runs = [{"table": name} for name, meant in meanings.items() if meant & {*_RUNS}]
    no_licence = {"name": "notspecified", "title": folders.open_descriptor_question("the licence")}
    return {
        "$schema": folders.PROFILE,
        "name": re.sub(r"[^a-z0-9._-]+", "-", name.lower()),
        "title": title or folders.open_descriptor_question("a title of the data, in a line"),
        "sources": [
            {"title": source or folders.open_descriptor_question("where the data come from: who measured what, when")}
        ],
        "licenses": [{"name": licence} if licence else no_licence],
        "resources": resources,
        **({"benchmarks": runs} if runs else {}),
    }


def write_folder(folder, files, descriptor):
    """Write the files of a data folder, a dict of `File` by the names of their tables, and its descriptor."""
    for name, file in files.items():
        with (folder / f"{name}.csv").open("w", encoding="utf-8", newline="") as table:
            writer = csv.writer(table, lineterminator="\n")
            writer.writerow(file.sheet.header)
            writer.writerows(zip(*file.sheet.columns.values(), strict=True))
    text = json.dumps(descriptor, indent=1, ensure_ascii=False) + "\n"
    (folder / folders.DESCRIPTOR).write_text(text, encoding="utf-8", newline="\n")


def check_new_folder_name(folder):
    """Refuse a folder that is there, or has a name that cannot be a source."""
    remedy = "Name another folder."
    if not folders.can_be_table_source(folder.name):
        raise BadTable(str(folder), expected=folders.NAME_IN_WORDS, found=repr(folder.name), remedy=remedy)
    if folder.name in [document.name for document in folders.our_data_folders()]:
        found = f"{folder.name!r}, the name of a document of ours"
        raise BadTable(str(folder), expected="a name that no other data folder has", found=found, remedy=remedy)
    check_new_or_empty_folder(folder)


def check_new_or_empty_folder(folder):
    """Refuse a folder that has files, and a file of its name."""
    if folder.exists() and not (folder.is_dir() and not any(folder.iterdir())):
        found, remedy = "a folder with files" if folder.is_dir() else "a file", "Name another folder."
        raise BadTable(str(folder), expected="a new or empty folder", found=found, remedy=remedy)


@contextlib.contextmanager
def new_folder_beside(folder):
    """Yield a folder of the same name elsewhere on the disk, which takes its place when nothing went wrong."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".new", dir=folder.parent) as work:  # to rename works on one disk alone
        made = Path(work) / folder.name
        made.mkdir()
        yield made
        if folder.exists():
            folder.rmdir()
        made.rename(folder)


def _read_files_as_tables(places):
    """Every file by the name of its table."""
    files = {}
    if not places:
        raise BadTable("new(from_=...)", expected="a file at least", found="none", remedy="Name one.")
    for place in places:
        folders.path_of_argument(place, "new(from_=...)", "the path or URL of a CSV or Parquet file")
        path = PurePosixPath(urllib.parse.urlsplit(place).path) if is_url(str(place)) else Path(place)
        name = re.sub(r"[^a-z0-9_.-]+", "_", path.stem.lower()).strip("_.-") or "table"
        if f"{name}.csv" in (folders.CLAIMS, folders.ERRATA):
            remedy = "Put it into the folder yourself, beside the datapackage.json: it is read as it is."
            raise BadTable(str(path), expected="a table", found=f"a file of {name}", remedy=remedy)
        if name in files:
            found, remedy = f"{name!r} also from {files[name].path}", "Rename one of the files."
            raise BadTable(str(path), expected="a table of its own", found=found, remedy=remedy)
        sheet, found = reading.read_anybodys_csv(path, _text_of_table(place)), ""
        if len(sheet.header) == 1:
            expected, found = "columns with commas, semicolons or tabs between them", "one column alone, "
            found, remedy = f"{found}{sheet.header[0]!r}", f"Save it as CSV. {reading.how_to_read_recordings()}"
        elif all(map(reading.readings_of_numeral, sheet.header)):
            expected, found = "a header in the first line", f"numbers alone, {', '.join(sheet.header)}"
            remedy = f"Write one above the rows. {reading.how_to_read_recordings()}"
        elif not sheet.lines:
            expected, found = "rows under the header", f"the header {', '.join(sheet.header)} and nothing below it"
            remedy = "Name a file with rows: types, units and keys are told from them."
        if found:
            raise BadTable(str(path), expected=expected, found=found, remedy=remedy)
        files[name] = File(path, sheet)
    return files


def _text_of_table(path):
    """The text of a CSV file; that which Arrow makes of a Parquet file."""
    content = read_bytes(path)
    if not content.startswith(reading.PARQUET):
        return decoded_text(content, str(path))
    import pyarrow as pa
    from pyarrow import csv

    sink = pa.BufferOutputStream()
    try:
        csv.write_csv(reading.read_parquet(path, content), sink)
    except (pa.ArrowException, ValueError) as error:
        remedy, found = "Give every column plain numbers, texts or dates.", str(error).splitlines()[0]
        raise BadTable(str(path), expected="a Parquet file of flat columns", found=found, remedy=remedy) from error
    return sink.getvalue().to_pybytes().decode()


def _numerals_of_column(file, name):
    """The cells of a column of numbers as our documents would print them; one that may be two numbers is refused."""
    cells, sign = file.sheet.columns[name], file.sheet.decimals[name]
    if sign == "." and reading.in_plain_digits(cells):
        return cells
    for line, cell in zip(file.sheet.lines, cells, strict=True):
        if reading.readings_of_numeral(cell) and reading.number_in_cell(cell.strip(), sign) is None:
            raise reading.refused_numeral(f"{file.path}, line {line}", name, cell, sign)
    return [reading.numeral_in_our_form(cell, sign) for cell in cells]


def column_type(cells, decimal, numeric):
    """Return type, sign, and which cells stand for nothing, of a column.

    `decimal` is the sign before decimals, as `decimal_signs` gives it; `numeric` whether the vocabulary says that the
    column holds numbers, None where it says nothing.
    """
    texts = [cell.strip() for cell in cells if cell.strip()]
    if numeric is not False and texts and decimal != "," and reading.in_plain_digits(cells):
        zeros = numeric is None and any(map(_LEADING_ZERO.fullmatch, texts))
        if not zeros:
            return "integer" if reading.in_plain_digits(cells, "") else "number", "", set()
    numbers = [text for text in texts if (decimal or ".") in reading.readings_of_numeral(text)]
    strange = set(texts) - set(numbers)
    signs = {reading.unit_sign(text) for text in numbers} - {""}
    zeros = numeric is None and any(_LEADING_ZERO.fullmatch(text) for text in numbers)
    absent = {text for text in strange if reading.is_absent_cell(text)}
    # Of a column that is one of ours half the cells may be slips, which `check` tells; else a single word says text.
    enough = len(numbers) > 0 and (strange == absent or (numeric and 2 * len(numbers) >= len(texts)))
    point = decimal or "."
    whole = bool(numbers) and all(
        point not in n and reading.readings_of_numeral(n)[point].is_integer() for n in numbers
    )
    if numeric is False or zeros or not enough or len(signs) > 1:
        try:
            dates = bool(texts) and all(len(text) == 10 and datetime.date.fromisoformat(text) for text in texts)
        except ValueError:
            dates = False
        return "date" if dates else "string", "", set()
    kind = "integer" if whole and not signs else "number"
    return kind, next(iter(signs), ""), {cell for cell in cells if cell.strip() in absent}


def key_columns(columns, kinds, measured):
    """Return the first column that tells the rows apart, else the first two that do; nothing, where none do.

    A number with decimals is no key, nor is what was measured: that two runs never answered alike is chance.
    """
    names = [name for name in columns if kinds[name] in ("string", "integer") and name not in measured]
    names = [name for name in names if all(columns[name])][:_KEY_COLUMNS]
    frame = pd.DataFrame({name: columns[name] for name in names}, dtype=object)
    several = itertools.chain(((name,) for name in names), itertools.combinations(names, 2))
    return next((list(key) for key in several if len(frame) and not frame.duplicated(key).any()), [])


def _meaning_of_column(field, heading, sign, unit, as_, taken):
    """Unit, ``as`` and description of a field with this heading; what cannot be told is a question.

    `sign`: that of a unit in its cells; `unit`, `as_`: what the user said; `taken`: columns of the vocabulary that
    other columns of the table are.
    """
    columns, name, numeric = vocabulary(), field["name"], reading.is_number_field(field)
    if name in columns and columns[name].get("unit") not in OF_ITS_ROW:  # by exact name: it has our unit and meaning
        unit_of_ours = {"unit": columns[name]["unit"]} if numeric and "unit" in columns[name] else {}
        is_measure = unit_of_ours and len(name) > 1  # n and comment of anybody's are not what they are in our answers
        return unit_of_ours | {"description": columns[name]["meaning"] if is_measure else name}
    base, unit_of_name, whole_name = heading_words(heading)
    bracket = heading_and_unit(heading)[1]

    def possible(column):  # the cells and the unit that was given allow it, and no other column is that
        ours = columns.get(column, {}).get("unit", "")
        return column not in taken and bool(ours) == numeric and (not given or not ours or unit_fits(given, ours))

    of_sign = synonyms("units").get(sign.lower(), "")
    of_sign += "/user" * (is_currency(of_sign) and base.endswith("_per_user"))
    sure, perhaps = "" if as_ == name else as_, ""  # one that is said to be itself is none of ours
    if not as_ and name not in columns:
        wordings = (whole_name, base)
        sure, perhaps = (next(filter(None, map(synonyms(kind).get, wordings)), "") for kind in ("columns", "perhaps"))
    meant = sure or perhaps
    if meant and not unit_fits(unit_of_name, columns[meant].get("unit")) and not _measured_in_field(unit_of_name):
        unit_of_name = ""  # a constant or an element to pint alone, a thousand to whoever wrote "Users (k)"
    given = unit or of_sign or unit_of_name
    if not as_:
        sure, perhaps = (column if possible(column) else "" for column in (sure, perhaps))
    question = "the unit of {!r}, as pint writes it: s, ms, MB, percent...; {}"
    if sure:  # one of ours under another name
        ours = columns[sure].get("unit", "")
        if not numeric or not ours:
            return {"as": sure, "description": columns[sure]["meaning"]}
        untold = bracket and not is_plain_count(bracket, base, sure)
        given = given or (ours if not untold and (ours in (*COUNTED, "1") or as_) else "")
        thousands = f", or k{ours} where it counts thousands" if ours in COUNTED else ""
        given = given or folders.open_descriptor_question(question.format(name, f"{sure} is in {ours}{thousands}"))
        return {"unit": given, "as": sure, "description": columns[sure]["meaning"]}
    about = {}
    if numeric:
        about["unit"] = given or folders.open_descriptor_question(question.format(name, "1 for a plain count or ratio"))
    if perhaps:
        text = f"{perhaps!r} if {name!r} is that ({columns[perhaps]['meaning']}), else no `as` at all"
        about["as"] = folders.open_descriptor_question(text)
    return about | {"description": repr(name) if folders.question_in_descriptor(name) else name}


def _measured_in_field(unit):
    """Tell whether a unit is money, or measures what a unit with words of its own does: time, bytes, a rate..."""
    return is_currency(unit.partition("/")[0]) or any(unit_fits(unit, each) for each in synonyms("units").values())
