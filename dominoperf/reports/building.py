"""Run the standard notebooks, then put their tables and pages in place, all or none."""

import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from dominoperf import parallel
from dominoperf.errors import ReportFailed, UnknownName
from dominoperf.reports.running import run_notebook, runs
from dominoperf.reports.site import write_index, write_page


def build(out="reports", names=(), *, jobs=None, tell=lambda line: None):
    """Run the standard notebooks and write tables and pages.

    Parameters
    ----------
    out : path
        Gets ``tables`` (CSV and Markdown) and ``site`` (HTML). What stood there stays until everything has run.
    names : collection of str
        Only these runs; by default all.
    jobs : int, optional
        Notebooks at once; by default one per processor.
    tell : callable
        Called with a line for every run that ends.

    Returns
    -------
    Path
        The site's index.

    Raises
    ------
    ReportFailed
        When notebooks failed: all that could run have run, and the message names each that did not.
    """
    out, chosen = Path(out), _chosen(names)
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".building", dir=out) as work:
        work = Path(work)
        failed = []
        for run, error in parallel.pmap(_Runner(work), chosen, jobs):
            tell(f"{'failed' if error else 'done  '} {run.name}")
            failed += [error] if error else []
        if failed:
            raise failed[0] if len(failed) == 1 else _all_failed(failed)
        _publish_tables(work, out / "tables", chosen, everything=not names)
        _publish_site(work, out / "site", chosen, everything=not names)
    return out / "site" / "index.html"


@dataclass(frozen=True)
class _Runner:
    """Runs one notebook in a process of its own; an error comes back as a value, so that the others go on."""

    work: Path

    def __call__(self, run):
        try:
            run_notebook(run.notebook, run.parameters, out=self.work / run.name)
        except ReportFailed as error:
            return run, error
        return run, None


def _chosen(names):
    known = {run.name: run for run in runs()}
    for name in names:
        if name not in known:
            raise UnknownName.among("report", name, known, f"Known are {', '.join(known)}.")
    return [run for run in known.values() if not names or run.name in names]


def _all_failed(failed):
    listed = "; ".join(f"{error.where}: {error.found}" for error in failed)
    remedy = "Mend the first, then run again."
    return ReportFailed(f"{len(failed)} notebooks", expected="every notebook to run to its end", found=listed, remedy=remedy)


def _publish_tables(work, folder, chosen, *, everything):
    """Move the tables of the runs into place; where everything ran, a table that no run wrote is old and goes."""
    folder.mkdir(parents=True, exist_ok=True)
    written = [path for run in chosen for path in sorted((work / run.name).glob("*.*")) if path.suffix in (".csv", ".md")]
    for path in written:
        os.replace(path, folder / path.name)
    stale = set(folder.glob("*.*")) - {folder / path.name for path in written} if everything else ()
    for path in stale:
        path.unlink()


def _publish_site(work, folder, chosen, *, everything):
    fresh = work / "site"
    if folder.exists() and not everything:
        shutil.copytree(folder, fresh)
    fresh.mkdir(exist_ok=True)
    for run in chosen:
        write_page(work / run.name / "executed.ipynb", run, fresh)
    write_index(runs(), fresh)
    old = work / "old"
    if folder.exists():
        os.replace(folder, old)
    os.replace(fresh, folder)
