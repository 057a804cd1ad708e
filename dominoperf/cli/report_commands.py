"""Commands that make, compare and deposit reports, and open the notebooks."""

import shlex
import sys

from dominoperf.cli.parsing import by_name
from dominoperf.cli.printing import DIFFERS, print_table, say, tell
from dominoperf.errors import BadUsage, counted

FEW_CELLS = 10  # of one table that differ, told one by one


def report(arguments):
    """Run the notebooks that changed, or whose data or library did; write tables and pages."""
    from dominoperf import reports

    if word := next((name for name in arguments.names if "=" in name), ""):
        remedy = f"Write a parameter with -p: {shlex.join(['-p', *word.split('=', 1)])}."
        raise BadUsage("dominoperf report", expected="names of reports", found=repr(word), remedy=remedy)
    parameters = by_name("-p", arguments.parameters)
    selection = {"out": arguments.out, "names": arguments.names, "parameters": parameters}
    if arguments.explain:
        for name, reasons in reports.explain(**selection).items():
            again = reasons or (["--fresh"] if arguments.fresh else [])
            say(f"{name}: would be made again: {'; '.join(again)}" if again else f"{name}: unchanged")
        return
    tell_line, show = reports.printers(sys.stderr)
    limits = reports.Limits(arguments.timeout, arguments.max_output)
    how = {"jobs": arguments.jobs, "fresh": arguments.fresh, "limits": limits}
    say(reports.build(**selection, **how, tell=tell_line, show=show))


def sweep(arguments):
    """Run a notebook over a grid of parameters, finished sets kept; print where the tables are."""
    from dominoperf import reports

    how = {"out": arguments.out, "jobs": arguments.jobs, "scheduler": arguments.scheduler}
    how["limits"] = reports.Limits(arguments.timeout, arguments.max_output)
    result = reports.sweep(arguments.notebook, arguments.grid, **how, tell=reports.printers(sys.stderr)[0])
    say(result.out / "tables")
    if len(result.failures):
        tell(f"{counted(len(result.failures), 'set')} failed: see {result.out / 'tables' / 'failures.csv'}")
        return DIFFERS
    return 0


def verify(arguments):
    """Compare the reports and what they were made from with their ledger; print every difference."""
    import pandas as pd

    from dominoperf import reports

    differing = reports.verify(arguments.out)
    if arguments.format == "text":
        for (name, file), rows in differing.groupby(["report", "file"], sort=False):
            for row in rows.head(FEW_CELLS).itertuples():
                cell = "" if row.row is pd.NA else f", row {row.row}{f', {row.column}' if row.column else ''}"
                say(f"{f'{name}, ' if name else ''}{file}{cell}: expected {row.expected}, found {row.found}")
            if len(rows) > FEW_CELLS:
                say(f"{name}, {file}: {len(rows) - FEW_CELLS} more; --format csv lists them all")
    else:
        print_table(differing, arguments)
    tell(f"{arguments.out}: {counted(len(differing), 'difference')} from the ledger")
    return DIFFERS if len(differing) else 0


def archive(arguments):
    """Write data, results, notebooks and site to a folder to deposit, described as RO-Crate and Croissant."""
    from dominoperf import reports

    say(reports.archive(arguments.out, arguments.reports))


def lab(arguments):
    """Explore the notebooks in JupyterLab, from a welcome page on."""
    from dominoperf.app import lab as open_lab

    open_lab(arguments.folder, port=arguments.port, browser=not arguments.no_browser)


def app(arguments):
    """Open the interactive notebook, or another, as a page without code; parameters may stand in its address."""
    from dominoperf.app import app as open_app

    open_app(arguments.notebook, port=arguments.port, browser=not arguments.no_browser)
