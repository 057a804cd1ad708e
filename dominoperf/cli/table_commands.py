"""Commands for tables, series and folders of data."""

import contextlib
import shlex
from pathlib import Path

from dominoperf.cli.options import TABLES_AS, pairs_option
from dominoperf.cli.printing import (
    DIFFERS,
    print_lines,
    print_message,
    print_notes,
    print_result,
    print_table,
    print_text,
)
from dominoperf.errors import BadUsage, UnknownName, counted


def tables_options(command):
    """Which table, and in which view."""
    command.add_argument("id", nargs="?", metavar="ID", help="a document, or source/name of a table or view")
    shown = (
        "the page to the digit, numbers with certain errata mended (default), with suspected ones too, or recomputed"
    )
    command.add_argument("--as", dest="as_", choices=TABLES_AS, help=shown)
    command.add_argument("--locators", action="store_true", help="add the place of each row in its document")


def tables(arguments):
    """List the tables, all or those of a document, or print one."""
    from dominoperf.tables import carried_errata, errata, list_tables, load, locators, sources

    id, as_ = arguments.id, arguments.as_
    if id is None or id in set(sources()["source"]):
        if as_ or arguments.locators:  # the list has no cells to show in one way or another
            remedy = "Name the table; without the option the tables are listed."
            raise UnknownName("--as and --locators", expected="the ID of a table", found="none", remedy=remedy)
        return print_table(list_tables(id), arguments)
    if as_ == "printed":
        # the page and no more, without notes of ours
        frame = carried_errata.attach_errata(load(id, "printed", text=True), ())
    elif as_ == "regenerated":
        from dominoperf.study import recompute

        frame = recompute.regenerate(id)
        recomputed = int(frame.attrs["recomputed"].to_numpy().sum())
        print_message(f"note: {recomputed} cells are recomputed from others, {frame.size - recomputed} carried")
    elif as_ == "suspected":
        frame = load(id, "suspected")
    else:
        corrections = errata(id)
        cells = corrections[(corrections["status"] == "certain") & corrections["row"].notna()]
        if len(cells):
            corrected = f"{counted(len(cells), 'cell')} {'are' if len(cells) > 1 else 'is'} corrected by errata"
            print_message(f"note: {corrected}; `dominoperf describe {id}` lists them, --as printed shows the page")
        frame = load(id)
        told = carried_errata.errata_of(frame)  # those that are applied have a line already
        frame = carried_errata.attach_errata(frame, [each for each in told if each.status != "certain"])
    return print_table(frame.assign(locator=locators(id)) if arguments.locators else frame, arguments)


def describe_options(command):
    """Which table."""
    command.add_argument("id", metavar="ID", help="source/name of a table or view, or the name of a workload")
    which = "print this alone of a table (default: all in text and json, columns in csv and md)"
    command.add_argument("--show", choices=("columns", "errata"), help=which)


def describe(arguments):
    """Say what is known of a table, with the workloads in it, or of a workload."""
    from dominoperf import study
    from dominoperf.tables import describe as describe_table
    from dominoperf.tables import list_tables

    id, is_text = arguments.id, arguments.format == "text"
    if "/" not in id:
        with contextlib.suppress(UnknownName):
            row = study.workloads(id)
            return print_text(study.describe_workload(id), end="") if is_text else print_table(row, arguments)
    workloads = study.workloads()
    try:
        known = describe_table(id)
    except UnknownName:
        listing = f"`dominoperf tables` lists the tables; workloads are {', '.join(workloads['workload'])}."
        known = [*workloads["workload"], *list_tables()["id"]]
        raise UnknownName.among("describe", id, known, listing, expected="a table or workload") from None
    print_result(str(known), arguments, {"columns": lambda: known.columns, "errata": lambda: known.errata})
    for row in workloads[[id in ids for ids in workloads["results_in"].str.split(", ")]].itertuples():
        print_message(f"note: workload {row.workload}: {row.models} ({row.locator})")
    return None


def series_options(command):
    """Which series."""
    command.add_argument("name", nargs="?", metavar="NAME", help="name of a series")


def series(arguments):
    """List the point series, or print one."""
    from dominoperf import runs

    if arguments.name is None:
        return print_table(runs.list_series(), arguments)
    points = runs.find(arguments.name)
    print_notes(points.warnings)
    return print_table(points.points(), arguments)


def new_options(command):
    """The folder, its files, and answers known from the start."""
    command.add_argument("folder", metavar="FOLDER", help="the folder to make; its name is that of the source")
    files = "a CSV, TSV or Parquet file, or its URL; again for another table"
    command.add_argument("--from", dest="from_", action="append", default=[], metavar="FILE", help=files)
    text = "the text of a document: its tables, and sentences with plain numbers, become the draft of an audit"
    command.add_argument("--from-text", metavar="FILE", help=text)
    command.add_argument("--title", default="", metavar="TEXT", help="what the data are, in a line")
    command.add_argument("--source", default="", metavar="TEXT", help="where they come from")
    command.add_argument("--licence", default="", metavar="NAME", help="the licence they are under: CC-BY-4.0, ...")
    unit = "the unit of a column"
    pairs_option(command, "--unit", dest="units", metavar="COLUMN=UNIT", help=unit)
    ours = "the column of our vocabulary that a column is; COLUMN=COLUMN: none of ours"
    pairs_option(command, "--as", dest="names", metavar="COLUMN=NAME", help=ours)


def new(arguments):
    """Make a data folder of CSV or Parquet files, or draft one from a text; print what is left to fill in."""
    from dominoperf.study.audit import draft, read_claims
    from dominoperf.tables import folders
    from dominoperf.tables import new as new_folder

    if bool(arguments.from_) == bool(arguments.from_text):
        found = "both" if arguments.from_ else "neither"
        remedy = "Name files of tables with --from, or the text of a document with --from-text."
        raise BadUsage("dominoperf new", expected="--from or --from-text", found=found, remedy=remedy)
    answers = {"title": arguments.title, "source": arguments.source, "licence": arguments.licence}
    columns = {"units": arguments.units, "names": arguments.names}
    if arguments.from_text:
        if any(columns.values()):
            remedy = "Write units and names into the datapackage.json that is made."
            raise BadUsage("dominoperf new", expected="no --unit or --as with --from-text", found="one", remedy=remedy)
        left = draft(arguments.folder, arguments.from_text, **answers)
        print_lines(left, _line_of_folder_problem, arguments)
        drafted = len(read_claims(Path(arguments.folder) / folders.CLAIMS))
        count = counted(len(folders.folder_descriptor(Path(arguments.folder))["resources"]), "table")
        print_message(f"{arguments.folder}: drafted, {count} and {counted(drafted, 'claim')} to be written")
        return
    questions = new_folder(arguments.folder, arguments.from_, **answers, **columns)
    print_lines(questions, _line_of_folder_problem, arguments)
    again = f"; then `{shlex.join(['dominoperf', 'check', arguments.folder])}`" if len(questions) else ""
    open_ones = counted(len(questions), "question") if len(questions) else "nothing"
    print_message(f"{arguments.folder}: made, {open_ones} left to fill in{again}")


def check_options(command):
    """Which folder."""
    which = "a folder with a datapackage.json (default: all data in use)"
    command.add_argument("folder", nargs="?", metavar="FOLDER", help=which)


def check(arguments):
    """Check a data folder; print every problem, cell that breaks an identity and claim without its expected verdict."""
    from dominoperf.study import audit, check_data
    from dominoperf.tables.checking import questions_left_in_draft

    found = check_data(arguments.folder)
    if len(found.problems):
        print_lines(found.problems, _line_of_folder_problem, arguments)
        print_message(found.headline())
        return DIFFERS
    if arguments.folder:
        print_notes(map(_line_of_folder_problem, questions_left_in_draft(arguments.folder).itertuples()))
    for claim in found.claims.itertuples():
        print_message(audit.unpinned_in_words(claim))
    for row in found.advice.itertuples():
        print_message(f"recommendation {row.id}: expected {row.expected_verdict}, found {row.verdict}: {row.advice}")
    for claim in found.against_rules.itertuples():
        print_message(f"claim {claim.id}, {claim.rule}: expected {claim.expected}, found {claim.found}. {claim.remedy}")
    print_lines(found.unexplained if arguments.format == "text" else found.broken, _broken_identity, arguments)
    print_message(found.headline())
    return DIFFERS if found.differs else 0


def _line_of_folder_problem(row):
    line = "" if row.line != row.line or row.line is None else f", line {int(row.line)}"
    place = row.column if Path(row.file).name == "datapackage.json" else f"column {row.column}"
    column = f", {place}" if row.column else ""
    return f"{row.file}{line}{column}: expected {row.expected}, found {row.found}. {row.remedy}"


def _broken_identity(cell):
    from dominoperf.tables import rendering

    row = rendering.cell_text(cell.row)
    place = f"{cell.table}{f', row {row}' if row else ''}, column {cell.column}"
    values = f"printed {cell.printed or 'as headed'}" + (f", computed {cell.computed}" if cell.computed else "")
    return f"{place}: {values}. {cell.identity}: {cell.reason}. Erratum: {cell.status or 'none'}."
