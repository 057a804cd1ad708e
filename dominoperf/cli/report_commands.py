"""Commands that make, compare and deposit reports, and open the notebooks."""

import shlex
import sys

from dominoperf.cli.options import ValuesByName, parallel_options
from dominoperf.cli.printing import DIFFERS, print_lines, print_message, print_text
from dominoperf.errors import counted

_REPORTS = "the folder of standard reports (default: reports)"


def report_options(command):
    """What to run, with which parameters, and where it goes."""
    command.add_argument("names", nargs="*", metavar="NAME", help="only these reports")
    value = "a value in place of a notebook's default, read as the type declared there; every report named must have it"
    pair = {"nargs": 2, "metavar": ("NAME", "VALUE"), "action": ValuesByName, "default": {}}
    command.add_argument("-p", dest="parameters", help=value, **pair)
    command.add_argument("--jobs", type=int, metavar="N", help="notebooks at once (default: one per processor)")
    command.add_argument("--fresh", action="store_true", help="run unchanged ones too")
    command.add_argument("--explain", action="store_true", help="say what would run and why; run and write nothing")
    where = "where tables and site go (default: reports; below runs with -p or data of your own)"
    command.add_argument("--out", metavar="DIR", help=where)
    _limit_options(command)


def report(arguments):
    """Run the notebooks that changed, or whose data or library did; write tables and pages."""
    from dominoperf import reports

    selection = {"out": arguments.out, "names": arguments.names, "parameters": arguments.parameters}
    if arguments.explain:
        for name, reasons in reports.explain(**selection).items():
            again = reasons or (["--fresh"] if arguments.fresh else [])
            print_text(f"{name}: would be made again: {'; '.join(again)}" if again else f"{name}: unchanged")
        return
    tell_line, show = reports.printers(sys.stderr)
    limits = reports.Limits(arguments.timeout, arguments.max_output)
    how = {"jobs": arguments.jobs, "fresh": arguments.fresh, "limits": limits, "tell": tell_line, "show": show}
    print_text(reports.build(**selection, **how))


def sweep_options(command):
    """Notebook, grid, and where the tables go."""
    command.add_argument("notebook", metavar="NOTEBOOK", help="the stem of a notebook of ours, or a path")
    grid = "TOML: one list per parameter, all their combinations; a table (CSV, TSV or Parquet, path or URL): one row "
    grid += "per set"
    command.add_argument("grid", metavar="GRID", help=grid)
    where = "where the tables go, and what is finished (default: a folder of this grid below runs)"
    command.add_argument("--out", metavar="DIR", help=where)
    parallel_options(command, "notebooks")
    _limit_options(command)


def sweep(arguments):
    """Run a notebook for each set of a grid of parameters that is not finished; print where the tables are."""
    from dominoperf import reports

    how = {"out": arguments.out, "jobs": arguments.jobs, "scheduler": arguments.scheduler}
    how["limits"] = reports.Limits(arguments.timeout, arguments.max_output)
    result = reports.sweep(arguments.notebook, arguments.grid, **how, tell=reports.printers(sys.stderr)[0])
    if result.tables or len(result.failures):
        print_text(result.out / "tables")
    else:
        how = (
            "`dominoperf.reports.save` in the notebook saves one, or a CSV file in the folder that DOMINOPERF_OUT names"
        )
        print_message(f"no set saved a table: {how}")
    if len(result.failures):
        print_message(f"{counted(len(result.failures), 'set')} failed: see {result.out / 'tables' / 'failures.csv'}")
        return DIFFERS
    return 0


def verify_options(command):
    """Which reports."""
    command.add_argument("--out", default="reports", metavar="DIR", help=_REPORTS)


def verify(arguments):
    """Compare data, notebooks, parameters and tables with the ledger of the reports; print every difference."""
    from dominoperf import reports

    differing = reports.verify(arguments.out)
    line = "{0.file}: expected {0.expected}, found {0.found}".format
    print_lines(differing, lambda row: f"{row.report}, {line(row)}" if row.report else line(row), arguments)
    told = f"{arguments.out}: {counted(len(differing), 'difference')} from the ledger"
    if len(differing):
        again = shlex.join(["dominoperf", "report", *(["--out", arguments.out] if arguments.out != "reports" else [])])
        told += f". `{again}` makes tables and ledger anew: look whether you meant what then changes"
    print_message(told)
    return DIFFERS if len(differing) else 0


def archive_options(command):
    """The folder to make, and of which reports."""
    command.add_argument("out", metavar="OUT", help="the folder to make")
    command.add_argument("--reports", default="reports", metavar="DIR", help=_REPORTS)


def archive(arguments):
    """Write data, results, notebooks and site to a folder to deposit, described as RO-Crate and Croissant."""
    from dominoperf import reports

    print_text(reports.archive(arguments.out, arguments.reports))


def lab_options(command):
    """The folder of notebooks, and where to listen."""
    copies = "gets copies of the notebooks, and is opened (default: a checkout's own; else dominoperf-notebooks)"
    command.add_argument("folder", nargs="?", metavar="FOLDER", help=copies)
    _server_options(command, 8888)


def lab(arguments):
    """Open the notebooks in JupyterLab, at a welcome page."""
    from dominoperf.app import lab as open_lab

    open_lab(arguments.folder, port=arguments.port, browser=not arguments.no_browser)


def app_options(command):
    """The notebook, and where to listen."""
    served = "the stem of a notebook of ours, or a path (default: 03_explore)"
    command.add_argument("notebook", nargs="?", default="03_explore", metavar="NOTEBOOK", help=served)
    _server_options(command, 8866)


def app(arguments):
    """Open the interactive notebook, or another, as a page without code; its address can give parameters."""
    from dominoperf.app import app as open_app

    open_app(arguments.notebook, port=arguments.port, browser=not arguments.no_browser)


def _limit_options(command):
    """How long a cell may take, and how much it may print."""
    longest = "how long a cell may take before its notebook is stopped (default: 600)"
    command.add_argument("--timeout", type=int, default=600, metavar="SECONDS", help=longest)
    most = "how much a notebook may print and show before it is stopped (default: 20)"
    command.add_argument("--max-output", type=int, default=20, metavar="MB", help=most)


def _server_options(command, port):
    where = f"where to listen, on this machine alone (default: {port}, or the next that is free)"
    command.add_argument("--port", type=int, most=65535, default=port, metavar="N", help=where)
    command.add_argument("--no-browser", action="store_true", help="open no browser; the address is printed")
