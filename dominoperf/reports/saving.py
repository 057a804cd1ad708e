"""Save the tables of a notebook, and say what they are computed from, so that each number leads back to its page.

A table with a column ``locator`` says it row by row. Of any other, `save` is told it, and writes it below the table and
into the descriptor beside the CSV file: a data resource of the Frictionless Data Package. ``computed_from.csv`` has it
of all tables of a folder.
"""

import contextlib
import functools
import itertools
import json
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from dominoperf import runs, tables
from dominoperf.errors import BadTable, UnknownName, as_python, names_its_keywords
from dominoperf.tables import carried_errata, folders, loading, rendering
from dominoperf.tables.columns import check_columns, column_names
from dominoperf.tables.files import replace_file
from dominoperf.tables.folders import DESCRIPTOR, PROFILE

OUT = "DOMINOPERF_OUT"  # environment variable: where a notebook's tables go
PLACES = "computed_from.csv"  # in a folder of tables: where the numbers of each are printed
NOWHERE = "none: no document prints it"
SIDECAR = ".resource.json"  # behind the name of a table, where a run has saved it
_LONG = 200  # rows: a longer table is for machines, and is not written as Markdown
_PLAIN = r"[A-Za-z0-9_][A-Za-z0-9_.-]*"  # a data folder's name may be part of it
_NAME = re.compile(rf"({_PLAIN}/)?{_PLAIN}")
_MADE_WITH = ".parameters.json"  # in a folder of tables: how papermill was called


@dataclass(frozen=True)
class Missing:
    """A part of a page that cannot be had, and why; what hangs on it is missing for the same reason, told once."""

    reason: str
    again: bool = False

    def __bool__(self):
        """Nothing is there."""
        return False

    def __repr__(self):
        """Return the reason."""
        return "Not here, for the reason given above." if self.again else f"Not here: {self.reason}"

    def _repr_markdown_(self):
        return rendering.SafeMarkdown(repr(self))._repr_markdown_()

    def tidy(self) -> "Missing":
        """Return what is there of the table: itself."""
        return self


@names_its_keywords()
def save(
    table: pd.DataFrame | Missing,
    name: str,
    *,
    show: str | Sequence[str] | None = None,
    computed_from: str | Path | Iterable[str | Path] = (),
) -> rendering.Table | Missing:
    """Save a result table of a notebook as ``name.csv`` and, unless it is long, as ``name.md``.

    What it stands on is said by its column ``locator``, row by row, or by `computed_from`: below the table, and in
    ``name.resource.json``, which describes the CSV file as a data resource (Frictionless Data Package).

    Inside a run they go to the run's folder. Where ``papermill in.ipynb out.ipynb`` runs a notebook they go beside
    ``out.ipynb``, to the folder ``out_tables``; elsewhere to ``runs/interactive`` under the current one. Numbers are
    written to six significant digits, so that another version of the arithmetic gives the same file; from 10,000 to
    10 million to two decimals, whole and printed ones with all their digits.

    Parameters
    ----------
    table : DataFrame or Missing
        Of results; its index is left out. What is missing is not saved.
    name : str
        Letters, digits, - _ and ., not first a point. With a folder before it, ``my_runs/scaling``, it is one of
        many alike, and gets no Markdown.
    show : list of str, optional
        The columns that the page shows, where all that are saved would be too wide for it. Without a column
        ``locator`` among them, the place of a row is shown over it, and the site links it.
    computed_from : str, path or list of them
        Needed unless the table has a column ``locator``: what the numbers are computed from, as for
        `origins_of_table`: tables, series, documents, ``benchmarks``, ``claims``, ``errata``, files, or tables saved
        before. Of a notebook of your own, the `Path` of the file that it reads.

    Returns
    -------
    rendering.Table
        Shows the table, so that a cell can save and show it; of a long one its first rows. Of one that is missing, why.

    Raises
    ------
    BadTable
        When the name could leave the folder, or nothing says what the table stands on.
    UnknownName
        When `computed_from` names what is not there.
    """
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        remedy = "Use letters, digits, underscores, hyphens and points, with one folder before them if need be."
        raise BadTable("save(table, name)", expected="a plain name", found=as_python(name), remedy=remedy)
    if isinstance(table, Missing):
        return table
    if not isinstance(table, pd.DataFrame):
        remedy = "Give a frame; of a result its tidy()."
        raise BadTable("save(table, name)", expected="a DataFrame", found=type(table).__name__, remedy=remedy)
    if "locator" not in table and isinstance(computed_from, (str, list, tuple)) and not computed_from:
        expected = "what the numbers are computed from: a column locator, or computed_from"
        remedy = 'Give computed_from="smp_mail", say: a table, series, document, data file, or Path of yours.'
        raise BadTable(f"save(table, {as_python(name)})", expected=expected, found="neither", remedy=remedy)
    if show is not None:
        show = column_names(show, "save(show=...)")
        check_columns(table, show, "the table")
    folder = Path(os.environ.get(OUT) or _papermill_tables_folder() or Path("runs", "interactive"))
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    sources = origins_of_table(computed_from, folder)
    about_table = {
        "name": name,
        "computed_from": tuple((origin.name, origin.words, origin.locators) for origin in sources),
    }
    if "locator" in table:
        table = table.assign(locator=_full_places(table))
    short, shown = rendering.rounded_for_files(table), table
    if show is not None:
        used = carried_errata.columns_used(table, *show)  # whose runs may not be shown
        shown = carried_errata.propagate_errata(table[show], used)
    if "locator" in table and "locator" not in shown:
        about_table["locators"] = tuple(table["locator"])
    replace_file(folder / f"{name}.csv", rendering.as_csv(short))
    about = resource_of_saved_table(name, table, sources)
    replace_file(folder / f"{name}{SIDECAR}", json.dumps(about, ensure_ascii=False))
    if len(table) > _LONG:
        note = f"The first {_LONG} of {len(table)} rows; all of them are in {name}.csv."
        return rendering.Table(shown.head(_LONG), note=note, **about_table)
    if "/" not in name:
        words = rendering.as_markdown_text("; ".join(origin.words for origin in sources))
        below = f"\nComputed from {words}.\n" if sources else ""
        replace_file(folder / f"{name}.md", rendering.as_markdown(short) + below)
    return rendering.Table(shown, **about_table)


def _full_places(table):
    """The place of each row with the title of its document, which its source or the id of its table names."""
    titles = tables.sources().set_index("source")["title"].to_dict()
    of_row = table["source"] if "source" in table else table["id"] if "id" in table else [""] * len(table)
    places = []
    for place, source in zip(table["locator"], of_row, strict=True):
        title = titles.get(str(source).partition("/")[0], "")
        if isinstance(place, str) and place and title and not place.startswith(tuple(titles.values())):
            place = "; ".join(f"{title}, {part}" for part in place.split("; "))
        places.append(place)
    return places


@functools.cache
def _papermill_tables_folder():
    """Where tables go when papermill's own command started this kernel: a folder for each output; None elsewhere.

    The kernel is told of the output only with ``--inject-output-path``; else it is in the command of its parent.
    An output that is made again with other parameters gets a further folder, so that no table is lost.
    """
    import psutil  # a part of ipykernel, which runs the kernel

    try:
        parent = psutil.Process().parent()
        words, folder = (parent.cmdline(), Path(parent.cwd())) if parent else ([], Path())
    except psutil.Error:  # it has ended, or is another user's
        return None
    notebooks = [word for word in words if word.endswith(".ipynb")]
    if len(notebooks) != 2 or not any(Path(word).stem == "papermill" for word in words):
        return None
    output = folder / notebooks[1]
    given = [word for word in words[words.index(notebooks[1]) + 1 :] if not word.endswith("progress-bar")]
    files = [path.read_text(encoding="utf-8") for word in given if (path := folder / word).is_file()]
    parameters = json.dumps([notebooks[0], *given, *files], ensure_ascii=False)
    for number in itertools.count(1):
        made = output.with_name(f"{output.stem}_tables{f'_{number}' if number > 1 else ''}")
        about = made / _MADE_WITH
        if not made.exists() or (about.exists() and about.read_text("utf-8") == parameters):
            break
    made.mkdir(parents=True, exist_ok=True)
    about.write_text(parameters, encoding="utf-8")
    return made


@dataclass(frozen=True)
class Origin:
    """One thing that a table is computed from.

    Its name, or that of its printed table; words for a reader; its file; the places of its printed rows, or of the
    tables of a document.
    """

    name: str
    words: str
    path: str
    locators: tuple = ()


def origins_of_table(names, folder=None):
    """Return what a table is computed from as `Origin`s, by one name or several.

    Each is the id of a table or view, a series, a document, ``benchmarks``, ``claims``, ``errata``, a file or folder of
    ``data``, or a table that was saved in the same `folder` before; a ``Path`` is a file of the user's, and is told by
    its name alone. `UnknownName` where a name is none of these.
    """
    names = [names] if isinstance(names, (str, Path)) or not isinstance(names, Iterable) else names
    return tuple(_origin_by_name(name, Path(folder or ".")) for name in names)


def _origin_by_name(name, folder):
    if not isinstance(name, (str, Path)):
        remedy = "Name tables, series, documents or files."
        raise BadTable("save, computed_from", expected="a name or a path", found=as_python(name), remedy=remedy)
    if isinstance(name, Path):
        return Origin(name.name, name.name, name.name)
    documents, data, named = set(tables.sources()["source"]), tables.home(), folders.our_toml_file("origins.toml")
    if name in documents:
        described = map(loading.find_table, tables.list_tables(name)["id"])
        places = tuple(dict.fromkeys(f"{table.document}, {table.full_locator}" for table in described))
        return Origin(name, f"the tables of {tables.document(name)['title']}", _file_from_project(name), places)
    if name in named["registries"]:
        return Origin(name, named["registries"][name]["words"], named["registries"][name]["file"])
    if folders.is_inside_folder(data, name) and (data / name).exists():
        words = f"{named['files'][name]['words']} (data/{name})" if name in named["files"] else f"data/{name}"
        return Origin(name, words, f"data/{name}", _places_of_rules() if name == "rules.toml" else ())
    with contextlib.suppress(UnknownName):
        series = runs.find(name)
        table, places = loading.find_table(series.table), tuple(series.points()["locator"])
        words = f"the series \N{LEFT DOUBLE QUOTATION MARK}{series.short}\N{RIGHT DOUBLE QUOTATION MARK}"
        words = f"{words} of {_table_in_words(table)}"
        return Origin(table.id, words, _file_from_project(f"{table.id}.csv"), places)
    with contextlib.suppress(UnknownName):
        words, places = _table_in_words(loading.find_table(name)), tuple(tables.locators(name))
        return Origin(name, words, _file_from_project(f"{name}.csv"), places)
    if (folder / f"{name}.csv").is_file():
        return Origin(name, f"the table {name}", f"{name}.csv")
    of_tables, files = tables.list_tables()["id"], [path.name for path in data.iterdir()]
    names = [*runs.series_names(), *of_tables, *documents, *named["registries"], *files]
    listing = "Name a table, a series, a document, benchmarks, claims, errata, a data file, or a table saved before."
    raise UnknownName.among("save, computed_from", name, sorted(names), listing)


def _places_of_rules():
    """The pages that print the planning rules, with their document."""
    from dominoperf.planning.rules import planning_method, rules_named  # with SciPy, which takes as long as the rest

    title = tables.document(planning_method()["document"])["title"]
    pages = [rule["locator"] for names in rules_named().steps.values() for rule in names.values()]
    return tuple(f"{title}, {page}" for page in dict.fromkeys(pages))


def _file_from_project(path):
    """A file of ours from the project on; one of a folder of the user's from its folder on, wherever that is."""
    return f"data/{path}" if path.partition("/")[0] in {folder.name for folder in folders.our_data_folders()} else path


def _table_in_words(table):
    """A printed table in words: title, place and document."""
    return f"{table.title} ({table.full_locator}, {table.document})"


def resource_of_saved_table(name, table, sources):
    """Return the data resource of a saved table as a dict: its columns in our vocabulary, and what it stands on.

    A table without a column of places has those of its sources.
    """
    units, meanings = tables.units(), tables.meanings()
    fields = []
    for column in map(str, table.columns):
        dtype = table[column].dtype  # a truth value is written as yes or no, which is a text
        plain = rendering.is_number_dtype(dtype)
        field = {"name": column, "type": "number" if plain else "string"}
        field |= {"unit": units[column]} if units.get(column) else {}
        fields.append(field | ({"description": meanings[column]} if column in meanings else {}))
    resource = {"name": name, "type": "table", "path": f"{name}.csv", "format": "csv", "encoding": "utf-8"}
    told = [{"title": origin.words, "path": origin.path} for origin in sources]
    if "locator" not in table:
        for origin, source in zip(sources, told, strict=True):
            if origin.name in folders.our_toml_file("origins.toml")["registries"]:
                source["locator_column"] = f"{origin.name}.csv"
            elif origin.locators:
                source["locators"] = list(origin.locators)
    resource |= {"sources": told} if told else {}
    return resource | {"schema": {"fields": fields}}


def places_of_tables(resources):
    """Return where the numbers of saved tables are printed, from their data resources, in a row per table and place.

    A table that has a place in each row has one line, which names its column; so has one that is computed from such a
    table. What no document prints says so.
    """
    by_path, rows = {resource["path"]: resource for resource in resources}, []
    columns = {path: [field["name"] for field in each["schema"]["fields"]] for path, each in by_path.items()}
    placed = {path for path, names in columns.items() if "locator" in names}

    def places(source):
        path = source.get("locator_column", source["path"])
        if path in placed or "locator_column" in source:
            return [f"column locator of {path}"]
        before = by_path.get(path, {}).get("sources", ())
        return source.get("locators") or [place for each in before for place in places(each)] or [NOWHERE]

    for resource in sorted(resources, key=lambda resource: resource["name"]):
        own = [{"title": "the printed row that its column locator names", "path": resource["path"]}]
        for source in own if resource["path"] in placed else resource.get("sources", ()):
            about = resource["name"], source["title"], source["path"]
            rows += [(*about, place) for place in dict.fromkeys(places(source))]
    return pd.DataFrame(rows, columns=["saved_table", "computed_from", "path", "locator"])


def tables_package(resources):
    """Return the descriptor of a folder of tables as text, from their data resources."""
    head = {"$schema": PROFILE, "name": "dominoperf-reports", "title": "Tables of the reports"}
    head |= {"description": f"{PLACES} says of each table what it is computed from, and where that is printed."}
    ordered = sorted(resources, key=lambda resource: resource["name"])
    return json.dumps(head | {"resources": ordered}, indent=1, ensure_ascii=False) + "\n"


def resources_of_tables(paths):
    """Return the data resources that runs have written beside these tables."""
    beside = [path.with_suffix(SIDECAR) for path in paths if path.suffix == ".csv"]
    return [json.loads(path.read_text(encoding="utf-8")) for path in beside if path.is_file()]


def listed_resources(folder):
    """Return the data resources that the descriptor of a folder of tables lists; none where it has no descriptor."""
    path = Path(folder, DESCRIPTOR)
    return json.loads(path.read_text(encoding="utf-8"))["resources"] if path.is_file() else []


def kept_resources(folder, written):
    """Return the data resources of a folder for those of its tables that stay: there, and not among the written."""
    return [
        resource
        for resource in listed_resources(folder)
        if resource["path"] not in written and Path(folder, resource["path"]).is_file()
    ]
