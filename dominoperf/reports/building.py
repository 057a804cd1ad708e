"""Run the standard notebooks, then put their tables and pages in place, all or none."""

import os
import re
import shutil
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from dominoperf import catalog, parallel, rendering
from dominoperf.errors import DominoperfError, ReportFailed, UnknownName
from dominoperf.reports.running import check_run, run_notebook, runs
from dominoperf.reports.site import write_index, write_page

_BUILDING = ".building"
_DAY_S = 24 * 60 * 60
WRITTEN = ".written"  # in the out folder: the files of ours there, the only ones that we ever remove


def build(out=None, names=(), *, jobs=None, tell=lambda line: None):
    """Run the standard notebooks and write tables and pages.

    Parameters
    ----------
    out : path, optional
        Gets ``tables`` (CSV and Markdown) and ``site`` (HTML); by default ``reports``, or ``runs/with-NAME`` where data
        folders beside ours are in use. What stood there stays until everything has run; a file there that no report
        wrote is never replaced.
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
        Before anything starts, when a notebook cannot run as asked; afterwards, when notebooks failed: all that could
        run have run, and the message names each that did not.
    """
    own, out, chosen = out is None, Path(out or _default_out()), _chosen(names)
    out.mkdir(parents=True, exist_ok=True)
    _clear(out)
    with tempfile.TemporaryDirectory(prefix=_BUILDING, dir=out.resolve()) as work:
        work = Path(work)
        failed = []
        for run, error in parallel.pmap(_Runner(work, os.environ.get(catalog.folders.IN_USE, "")), chosen, jobs):
            tell(f"{'failed' if error else 'done  '} {run.name}")
            failed += [error] if error else []
        if failed:
            raise failed[0] if len(failed) == 1 else _all_failed(failed)
        _publish(work, out, chosen, everything=not names, own=own)
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
        except DominoperfError as error:
            return run, error
        except (OSError, ValueError) as error:  # a full disk, a file that papermill cannot read
            remedy = "Mend that, then run again."
            return run, ReportFailed(run.name, expected="the notebook to run", found=str(error), remedy=remedy)
        return run, None


def _chosen(names):
    known = {run.name: run for run in runs()}
    for name in names:
        if name not in known:
            raise UnknownName.among("report", name, known, f"Known are {', '.join(known)}.")
    chosen = [run for run in known.values() if not names or run.name in names]
    for run in chosen:
        check_run(run.notebook, run.parameters)
    return chosen


def _clear(out):
    """Remove the work folders of builds that were killed more than a day ago."""
    for path in out.glob(f"{_BUILDING}*"):
        if time.time() - path.stat().st_mtime > _DAY_S:
            shutil.rmtree(path, ignore_errors=True)


def _all_failed(failed):
    where, expected = f"{len(failed)} notebooks", "every notebook to run to its end"
    listed = "; ".join(f"{error.where}: {error.found}" for error in failed)
    return ReportFailed(where, expected=expected, found=listed, remedy="Mend the first, then run again.")


def _publish(work, out, chosen, *, everything, own):
    """Move tables and pages into place; where everything ran, a file of ours that no run wrote is old and goes."""
    site, tables = work / "site", [path for run in chosen for path in _tables_of(work / run.name)]
    site.mkdir()
    for run in chosen:
        write_page(work / run.name / "executed.ipynb", run, site)
    fresh = {f"tables/{path.name}": path for path in tables} | {f"site/{path.name}": path for path in site.iterdir()}
    now, before = {*fresh, "site/index.html"}, _written(out)
    _keep_strangers(out, set() if own else now - before)
    for name, path in fresh.items():
        (out / name).parent.mkdir(exist_ok=True)
        os.replace(path, out / name)
    write_index(runs(), out / "site")
    for name in before - now if everything else ():
        (out / name).unlink(missing_ok=True)
    rendering.replace_file(out / WRITTEN, "\n".join(sorted(now if everything else before | now)) + "\n")


def _written(out):
    """What we wrote into the folder before; a line that leads anywhere else is not ours."""
    path = out / WRITTEN
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    return {line for line in lines if re.fullmatch(r"(tables|site)/[^/\\]+", line) and not line.endswith("/..")}


def _keep_strangers(out, names):
    """Refuse to replace what no report wrote."""
    taken = [out / name for name in sorted(names) if (out / name).exists()]
    taken += [path for path in (out / "tables", out / "site") if path.exists() and not path.is_dir()]
    if taken:
        expected, remedy = (
            "a name that is free, or a file that a report wrote",
            "Choose another --out, or move the file.",
        )
        raise ReportFailed(str(taken[0]), expected=expected, found="a file of somebody else's", remedy=remedy)


def _tables_of(folder):
    return [path for path in sorted(folder.iterdir()) if path.suffix in (".csv", ".md")]
