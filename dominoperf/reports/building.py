"""Run the standard notebooks, then put their tables and pages in place, all or none."""

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

from dominoperf import catalog, parallel, rendering
from dominoperf.errors import ReportFailed, UnknownName
from dominoperf.reports.running import run_notebook, runs
from dominoperf.reports.site import write_index, write_page

WRITTEN = ".written"  # in the out folder: the files of ours there, the only ones that we ever remove


def build(out=None, names=(), *, jobs=None, tell=lambda line: None):
    """Run the standard notebooks and write tables and pages.

    Parameters
    ----------
    out : path, optional
        Gets ``tables`` (CSV and Markdown) and ``site`` (HTML); by default ``reports``, or ``runs/with-NAME`` where data
        folders beside ours are in use. What stood there stays until everything has run.
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
    out, chosen = Path(out or _default_out()), _chosen(names)
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".building", dir=out.resolve()) as work:
        work = Path(work)
        failed = []
        for run, error in parallel.pmap(_Runner(work, os.environ.get(catalog.folders.IN_USE, "")), chosen, jobs):
            tell(f"{'failed' if error else 'done  '} {run.name}")
            failed += [error] if error else []
        if failed:
            raise failed[0] if len(failed) == 1 else _all_failed(failed)
        _publish(work, out, chosen, everything=not names)
    return out / "site" / "index.html"


def _default_out():
    """Foreign data never touch the committed reports."""
    ours = {folder.name for folder in catalog.ours()}
    foreign = [source for source in catalog.sources()["source"] if source not in ours]
    return Path("runs", f"with-{'-'.join(foreign)}") if foreign else Path("reports")


@dataclass(frozen=True)
class _Runner:
    """Runs one notebook in a process of its own; an error comes back as a value, so that the others go on."""

    work: Path
    data: str  # the folders in use here: a process that joblib kept from before has those of its start

    def __call__(self, run):
        os.environ[catalog.folders.IN_USE] = self.data
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
    where, expected = f"{len(failed)} notebooks", "every notebook to run to its end"
    listed = "; ".join(f"{error.where}: {error.found}" for error in failed)
    return ReportFailed(where, expected=expected, found=listed, remedy="Mend the first, then run again.")


def _publish(work, out, chosen, *, everything):
    """Move tables and pages into place; where everything ran, a file of ours that no run wrote is old and goes."""
    site, tables = work / "site", [path for run in chosen for path in _tables_of(work / run.name)]
    site.mkdir()
    for run in chosen:
        write_page(work / run.name / "executed.ipynb", run, site)
    fresh = {f"tables/{path.name}": path for path in tables} | {f"site/{path.name}": path for path in site.iterdir()}
    for name, path in fresh.items():
        (out / name).parent.mkdir(exist_ok=True)
        os.replace(path, out / name)
    write_index(runs(), out / "site")
    before = set((out / WRITTEN).read_text("utf-8").split()) if (out / WRITTEN).exists() else set()
    now = {*fresh, "site/index.html"}
    for name in before - now if everything else ():
        (out / name).unlink(missing_ok=True)
    rendering.replace_file(out / WRITTEN, "\n".join(sorted(now if everything else before | now)) + "\n")


def _tables_of(folder):
    return [path for path in sorted(folder.iterdir()) if path.suffix in (".csv", ".md")]
