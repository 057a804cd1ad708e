"""Run the notebooks that have to run, then put their tables and pages in place, all or none."""

import contextlib
import dataclasses
import functools
import hashlib
import json
import shutil
import tempfile
import threading
from concurrent import futures
from dataclasses import dataclass
from pathlib import Path

from dominoperf import parallel, tables
from dominoperf.errors import DominoperfError, ReportFailed, UnknownName
from dominoperf.reports import ledger
from dominoperf.reports import parameters as declarations
from dominoperf.reports.engine import EXECUTED, Engine, only_prose
from dominoperf.reports.engine import FOLDER as ENGINE
from dominoperf.reports.limits import Limits
from dominoperf.reports.locking import alone
from dominoperf.reports.progress import Progress
from dominoperf.reports.publishing import LEDGER, complete, publish
from dominoperf.reports.rewording import reword
from dominoperf.reports.running import check_run, find, run_notebook, runs
from dominoperf.reports.storage import DAY_S, clear, refused, writing
from dominoperf.tables import rendering

_BUILDING, _SITE = ".building", ".site"
_OURS = Path("reports")
_LOOK_S = 0.05  # between looks at whether threads that are to end have ended


def build(
    out=None,
    names=(),
    *,
    parameters=None,
    jobs=None,
    fresh=False,
    limits=None,
    tell=lambda line: None,
    show=lambda text: None,
):
    """Run the notebooks whose inputs changed since they last ran, and write tables and pages.

    A notebook whose prose alone changed does not run: its page has the new prose among what its code gave.

    Parameters
    ----------
    out : path, optional
        Gets ``tables`` (CSV and Markdown), ``site`` (HTML) and, for standard runs, ``ledger.toml``; by default
        ``reports``, or a folder below ``runs`` for other parameters or where data folders beside ours are in use. What
        stood there stays until everything has run; a file there that no report wrote is never replaced.
    names : collection of str
        Only these runs; by default all.
    parameters : dict, optional
        Values in place of the notebooks' defaults; every notebook that runs must declare them. A text is read as the
        declared type.
    jobs : int, optional
        Notebooks at once; by default one per processor.
    fresh : bool
        Run everything, changed or not.
    limits : Limits, optional
        What each notebook may take: by default 600 s a cell and 20 MB of output.
    tell : callable
        Called with a line for every run that starts, ends or is unchanged.
    show : callable
        Called with a short text whenever a run is at another cell.

    Returns
    -------
    Path
        The site's index.

    Raises
    ------
    ReportFailed
        Before anything starts, when a notebook cannot run as asked, the folder cannot be written to, or another run is
        at work in it; afterwards, when notebooks failed: all that could run have run, nothing is put in place, and the
        message names each that failed.
    """
    plan, how = _planned(out, names, parameters or {}), {"jobs": jobs, "limits": limits, "tell": tell, "show": show}
    with alone(plan.out, ENGINE) as certain, writing(plan.out):
        complete(plan.out)
        clear(plan.out, f"{_BUILDING}*", older_s=0 if certain else DAY_S)
        return _built(dataclasses.replace(plan, ledger=_before(plan)), fresh, how)


def _built(plan, fresh, how):
    with Engine(plan.out) as engine, _work(plan.out) as work:
        stale = _stale(plan.chosen, engine, work, fresh, how["tell"])
        if fresh:
            shutil.rmtree(engine.home / _SITE, ignore_errors=True)
        meanwhile = functools.partial(_prepare_site, _pages(plan, engine, coming=stale), engine)
        _raise(_run(stale, engine, work, meanwhile, **how))
        _publish(plan, engine, work, fresh)
    return plan.out / "site" / "index.html"


def _stale(chosen, engine, work, fresh, tell):
    """The runs that have to run again; one whose notebook has other prose, and nothing else changed, gets that here."""
    stale = []
    for run, notebook in chosen:
        reasons = engine.why(run, notebook)
        if not reasons and not fresh:
            tell(f"unchanged {run.name}")
        elif not fresh and only_prose(reasons, notebook) and _reworded(run, notebook, engine, work / run.name):
            tell(f"reworded {run.name}")
        else:
            stale.append(run)
    return stale


def _reworded(run, notebook, engine, made):
    """Put the new prose among what a run's code gave; tell whether that could be."""
    shutil.copytree(engine.folder(run), made)
    if not reword(made / EXECUTED, notebook):
        shutil.rmtree(made)
        return False
    engine.keep(run, made)
    return True


def _before(plan):
    """The entries of the ledger that stay beside those of some reports."""
    return ledger.read(plan.out) if plan.standard and not plan.everything else {}


def explain(out=None, names=(), *, parameters=None):
    """Say what `build` would run, and why; run and write nothing.

    Returns
    -------
    dict
        Name of each selected run, then ``site``, to the list of reasons; an unchanged one has none.
    """
    plan = _planned(out, names, parameters or {})
    with Engine(plan.out, look=True) as engine:
        told = {run.name: engine.why(run, notebook) for run, notebook in plan.chosen}
        again = [f"{name} runs" for name, reasons in told.items() if reasons]
        return told | {"site": again or engine.why_site(_pages(plan, engine))}


@dataclass(frozen=True)
class _Plan:
    """What was asked for, checked."""

    out: Path
    chosen: list  # of a run and the path of its notebook
    everything: bool
    standard: bool  # neither other parameters nor other data
    own: bool  # no folder was named
    ledger: dict = dataclasses.field(default_factory=dict)  # the entries that were there and stay


def _planned(out, names, parameters):
    chosen = _chosen(names, parameters)
    standard = not parameters and not tables.foreign()
    place = Path(out or _default_out(chosen, parameters))
    if not standard:
        refuse_standard(place)
    return _Plan(place, chosen, not names, standard, out is None)


def _chosen(names, parameters):
    known = {run.name: run for run in runs()}
    for name in names:
        if name not in known:
            raise UnknownName.among("report", name, known, f"Known are {', '.join(known)}.")
    chosen = [_with(run, parameters) for run in known.values() if not names or run.name in names]
    return [(run, Path(check_run(run.notebook, run.parameters))) for run in chosen]


def _with(run, given):
    """The run with values that were asked for."""
    for name in given:
        if name in run.parameters:
            where, expected = f"parameter of {run.notebook}, {name}", "a parameter that the run list leaves open"
            found, remedy = f"one that {run.name} sets", "Name the report that has the value you want."
            raise ReportFailed(where, expected=expected, found=found, remedy=remedy)
    values = declarations.read(find(run.notebook), given) if given else {}
    return dataclasses.replace(run, parameters=run.parameters | values, given=values)


def _default_out(chosen, parameters):
    """Neither other parameters nor foreign data ever touch the committed reports."""
    folders = tables.foreign()
    if parameters:
        asked = [[run.name, run.parameters] for run, _ in chosen] + [str(folder) for folder in folders]
        short = hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()[:8]
        return Path("runs", f"{chosen[0][0].name if len(chosen) == 1 else 'reports'}-{short}")
    return Path("runs", f"with-{'-'.join(folder.name for folder in folders)}") if folders else _OURS


def refuse_standard(out):
    """Refuse a folder of standard reports for any other, and to write where the user's data are."""
    for folder in tables.foreign():
        if out.resolve().is_relative_to(folder):
            expected, found = "a folder outside the data", f"one in the data folder {folder.name}"
            raise ReportFailed(str(out), expected=expected, found=found, remedy="Name another with --out.")
    if out.resolve() == _OURS.resolve() or (out / LEDGER).exists():
        expected, found = "a folder of its own for other parameters or data", "the folder of standard reports"
        raise ReportFailed(str(out), expected=expected, found=found, remedy="Leave out --out, or name another.")


@contextlib.contextmanager
def _work(out):
    with tempfile.TemporaryDirectory(prefix=_BUILDING, dir=out.resolve()) as work:
        yield Path(work)


def _run(stale, engine, work, meanwhile, *, jobs, limits, tell, show):
    """Run what has to run; what succeeds is kept at once, the errors of the others are given back.

    `meanwhile` is called once, while the kernels are at work.
    """
    if not stale:
        return []
    from dominoperf.reports import warm  # imports Jupyter's client

    jobs, failed = jobs or parallel.processors(), []
    kernels = jobs + (jobs > 1)  # one comes up or ends while others are at work, where any are at once
    with Progress(tell, show) as progress, _threads(kernels) as submit:
        runner = _Runner(work, progress, limits, warm.prepared(len(stale), jobs), threading.Semaphore(jobs))
        early = sorted(stale, key=lambda run: not run.first)
        at_work = [submit(runner, run) for run in early]
        meanwhile()
        for future in futures.as_completed(at_work):
            run, error = future.result()
            if error:
                failed.append(error)
            else:
                engine.keep(run, work / run.name)
    return failed


@contextlib.contextmanager
def _threads(jobs):
    """Threads, each of which waits for a kernel; they are stopped with their kernels when the work ends early.

    Yields a function that gives a thread work, as an executor's `submit` does.
    """
    given = []
    with futures.ThreadPoolExecutor(jobs) as pool:
        try:
            yield lambda work, *values: given.append(pool.submit(work, *values)) or given[-1]
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            from dominoperf.reports.kernel import end_kernels

            begun = [each for each in given if not each.cancelled()]  # `wait` would wait for the others for ever
            while futures.wait(begun, timeout=_LOOK_S).not_done:  # a kernel may be on its way up
                end_kernels()
            raise


@dataclass(frozen=True)
class _Runner:
    """Runs one notebook; an error comes back as a value, so that the others go on."""

    work: Path
    progress: Progress
    limits: Limits | None
    warm: bool
    turns: threading.Semaphore  # so many notebooks are at work at once

    def __call__(self, run):
        error = None
        try:
            self._run(run)
        except DominoperfError as told:
            error = told
        except OSError as told:  # a full disk
            error = refused(told, self.work / run.name)
        except ValueError as told:  # a file that papermill cannot read
            remedy = "Mend that, then run again."
            error = ReportFailed(run.name, expected="the notebook to run", found=str(told), remedy=remedy)
        (self.progress.failed if error else self.progress.done)(run.name)
        return run, error

    def _run(self, run):
        from jupyter_core.utils import ensure_event_loop

        how = {"limits": self.limits, "warm": self.warm, "turn": self._turn(run)}
        how["on_cell"] = functools.partial(self.progress.at, run.name)
        try:
            run_notebook(run.notebook, run.parameters, out=self.work / run.name, **how)
        finally:
            ensure_event_loop().close()  # this thread's own, which would stay open

    @contextlib.contextmanager
    def _turn(self, run):
        with self.turns:
            self.progress.began(run.name)
            yield


def _raise(failed):
    """Tell of every failure, not of the first alone."""
    if len(failed) == 1:
        raise failed[0]
    if failed:
        where, expected = f"{len(failed)} notebooks", "every notebook to run to its end"
        listed = "; ".join(f"{error.where}: {error.found}" for error in failed)
        raise ReportFailed(where, expected=expected, found=listed, remedy="Mend the first, then run again.")


def _pages(plan, engine, coming=()):
    """Every run of the list that ran in this folder, now or before, or is to come, with its executed notebook."""
    chosen = {run.name: run for run, _ in plan.chosen}
    known = [chosen.get(run.name, run) for run in runs()]
    pages = [(run, engine.folder(run) / EXECUTED) for run in known]
    return [(run, notebook) for run, notebook in pages if notebook.is_file() or run in coming]


def _publish(plan, engine, work, fresh):
    """Move everything into place; an old file of ours goes when what makes it ran and did not write it."""
    new, pages, site = _tables(plan, engine), _pages(plan, engine), work / "site"
    if plan.standard:
        rendering.replace_file(work / LEDGER, ledger.text(_entries(plan, engine)))
        new[LEDGER] = work / LEDGER
    again = bool(engine.why_site(pages)) or fresh
    if again:
        _build_site(pages, site, engine.home / _SITE, engine.key_of_site(pages))
    built = sorted(path.relative_to(site).as_posix() for path in site.rglob("*") if path.is_file())
    new |= {f"site/{name}": site / name for name in built}
    kept = () if again else [f"site/{name}" for name in engine.site()]
    gone = lambda name: plan.everything or name.startswith("site/")  # noqa: E731
    publish(plan.out, new, kept, gone=gone, own=plan.own, work=work)
    if again:
        engine.keep_site(built)


def _prepare_site(pages, engine):
    """Make what the site takes from data and library alone; what cannot be made is told when the site is built."""
    from dominoperf.reports import site  # imports half of Jupyter

    site.load()
    with contextlib.suppress(DominoperfError, OSError):
        site.prepare(pages, engine.home / _SITE, engine.key_of_site(pages))


def _build_site(pages, folder, kept, key):
    from dominoperf.reports.site import build_site

    build_site(pages, folder, kept=kept, key=key)


def _tables(plan, engine):
    """The tables of the runs by where they go; two runs with one name for theirs would hide each other."""
    found = {}
    for run, _ in plan.chosen:
        for path in engine.tables(run):
            if f"tables/{path.name}" in found:
                remedy = "Give the tables of the notebooks names of their own."
                found_ = f"{path.name} also from {found[f'tables/{path.name}'].parent.name}"
                raise ReportFailed(run.name, expected="tables that no other run saves", found=found_, remedy=remedy)
            found[f"tables/{path.name}"] = path
    return found


def _entries(plan, engine):
    """The entries of the ledger: of a report alone, its own and those that were there."""
    data = ledger.checksums()
    return plan.ledger | {run.name: ledger.entry(run, engine.tables(run), data) for run, _ in plan.chosen}
