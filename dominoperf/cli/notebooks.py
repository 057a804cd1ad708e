"""What each command does that runs or opens notebooks: a function each, its docstring the command's help."""

import sys

from dominoperf.cli.pairs import by_name
from dominoperf.cli.printing import WRONG, counted, print_table, say, tell


def report(arguments):
    """Run the notebooks that changed, or whose data or library did; write tables and pages."""
    from dominoperf import reports

    asked = {"out": arguments.out, "names": arguments.names, "parameters": by_name("-p", arguments.parameters)}
    if arguments.explain:
        for name, reasons in reports.explain(**asked).items():
            again = reasons or (["--fresh"] if arguments.fresh else [])
            say(f"{name}: would be made again: {'; '.join(again)}" if again else f"{name}: unchanged")
        return
    # For notebooks jsonschema need not know internationalised addresses: to build that grammar takes two seconds.
    sys.modules.setdefault("rfc3987_syntax", None)
    tell, show = reports.printers(sys.stderr)
    how = {"jobs": arguments.jobs, "fresh": arguments.fresh, "limits": _limits(arguments)}
    say(reports.build(**asked, **how, tell=tell, show=show))


def sweep(arguments):
    """Run a notebook over a grid of parameters, finished sets kept; print where the tables are."""
    from dominoperf import reports

    how = {"out": arguments.out, "jobs": arguments.jobs, "scheduler": arguments.scheduler}
    how["limits"] = _limits(arguments)
    found = reports.sweep(arguments.notebook, arguments.grid, **how, tell=reports.printers(sys.stderr)[0])
    say(found.out / "tables")
    if len(found.failures):
        told = f"{counted(len(found.failures), 'set')} failed"
        tell(f"{told}: see {found.out / 'tables' / 'failures.csv'}")
        return WRONG
    return 0


def _limits(arguments):
    from dominoperf import reports

    return reports.Limits(arguments.timeout, arguments.max_output)


def verify(arguments):
    """Compare the reports and what they were made from with their ledger; print every difference."""
    from dominoperf import reports

    differing = reports.verify(arguments.out)
    if arguments.format == "text":
        for row in differing.itertuples():
            say(f"{row.report or 'no report'}, {row.file}: expected {row.expected}, found {row.found}")
    else:
        print_table(differing, arguments)
    tell(f"{arguments.out}: {counted(len(differing), 'difference')} from the ledger")
    return WRONG if len(differing) else 0


def lab(arguments):
    """Explore the notebooks in JupyterLab, from a welcome page on."""
    from dominoperf.app import lab as open_lab

    open_lab(arguments.folder, port=arguments.port, browser=not arguments.no_browser)


def app(arguments):
    """Open the interactive notebook, or another, as a page without code; parameters may stand in its address."""
    from dominoperf.app import app as open_app

    open_app(arguments.notebook, port=arguments.port, browser=not arguments.no_browser)
