"""Run the notebooks that have to run, then put their tables and pages in place, all or none."""

import contextlib
import dataclasses
import functools
import importlib
import os
import shlex
import shutil
import signal
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent import futures
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from dominoperf import parallel
from dominoperf.errors import DominoperfError, ReportFailed, UnknownName, names_its_keywords, spelling
from dominoperf.reports import ledger, notebook_process, notebooks, saving
from dominoperf.reports.cache import EXECUTED, FOLDER, ReportCache, json_digest
from dominoperf.reports.folder import LEDGER, move_reports_into_place, refused_report_file, work_folder_of_reports
from dominoperf.reports.notebooks import check_run, find_notebook, runs
from dominoperf.reports.running import Limits, run_notebook
from dominoperf.tables import rendering
from dominoperf.tables.files import replace_file
from dominoperf.tables.folders import DESCRIPTOR, users_data_folders

_SITE = ".site"  # in the folder of what runs made: what the site is made with
_OURS = Path("reports")
_LOOK_S = 0.05  # between looks at whether an interrupt came


@names_its_keywords()
def build(
    out: str | os.PathLike | None = None,
    names: str | Iterable[str] = (),
    *,
    parameters: Mapping[str, Any] | None = None,
    jobs: int | None = None,
    fresh: bool = False,
    limits: Limits | None = None,
    tell: Callable[[str], object] = lambda line: None,
    show: Callable[[str], object] | None = None,
) -> Path:
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
    show : callable, optional
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
    plan = _checked_build(out, names, parameters)
    with work_folder_of_reports(plan.out, FOLDER) as work:
        others = ledger.read_ledger(plan.out)[0] if plan.standard and not plan.everything else {}  # entries that stay
        cache = ReportCache(plan.out)
        stale = {}  # run to what it is made from
        for run, notebook in plan.chosen:
            inputs = cache.inputs(run, notebook)
            if fresh or cache.made_by(run).why_again(inputs):
                stale[run.name] = (run, inputs)
            else:
                tell(f"unchanged {run.name}")
        if fresh:
            shutil.rmtree(cache.home / _SITE, ignore_errors=True)

        def meanwhile():
            from dominoperf.reports import site  # imports half of Jupyter

            coming = _site_pages(plan, cache, coming=stale)
            with contextlib.suppress(DominoperfError, OSError):  # told when the site is built
                site.prepare_common_pages(coming, cache.home / _SITE, cache.key_of_site(coming))

        failed = _run_stale_notebooks(
            list(stale.values()), cache, work, meanwhile, jobs, limits, BuildProgress(tell, show)
        )
        if len(failed) == 1:
            raise failed[0]
        if failed:
            where, expected = f"{len(failed)} notebooks", "every notebook to run to its end"
            mistakes = [isinstance(error.__cause__, DominoperfError) for error in failed]
            listed = "; ".join(
                f"{error.where}: {error.found}" + f" in place of {error.expected}" * mistake
                for error, mistake in zip(failed, mistakes, strict=True)
            )
            remedy = f"{failed[0].remedy} Then run again." if mistakes[0] else "Mend the first, then run again."
            raise ReportFailed(where, expected=expected, found=listed, remedy=remedy)
        _publish_reports(plan, cache, work, others, fresh)
    return plan.out / "site" / "index.html"


def explain(
    out: str | os.PathLike | None = None,
    names: str | Iterable[str] = (),
    *,
    parameters: Mapping[str, Any] | None = None,
) -> dict[str, list[str]]:
    """Say what `build` would run, and why; run and write nothing.

    Returns
    -------
    dict
        Name of each selected run, then ``site``, to the list of reasons; an unchanged one has none.
    """
    plan = _checked_build(out, names, parameters)
    cache = ReportCache(plan.out)
    reasons = {run.name: cache.made_by(run).why_again(cache.inputs(run, notebook)) for run, notebook in plan.chosen}
    again = [f"{name} runs" for name, why in reasons.items() if why]
    return reasons | {"site": again or cache.site.why_again(cache.inputs_of_site(_site_pages(plan, cache)))}


@dataclass(frozen=True)
class _Plan:
    """What was asked for, checked."""

    out: Path
    chosen: list  # of a run and the path of its notebook
    everything: bool
    standard: bool  # neither other parameters nor other data
    default_place: bool  # no folder was named


def _checked_build(out, names, parameters):
    """The plan of a build: which runs, where to, with what; every wrong argument is refused here."""
    listed, parameters = {run.name: run for run in runs()}, notebooks.given_parameters(parameters)
    names = [names] if isinstance(names, str) or not isinstance(names, Iterable) else list(names)
    for name in names:
        if not isinstance(name, str) or name not in listed:
            listing = f"Known are {', '.join(listed)}."
            if isinstance(name, str) and name.endswith(".ipynb"):
                sets = spelling(f"sweep({name!r}, grid)", f"`dominoperf sweep {shlex.quote(name)} GRID`")
                listing = f"Of a notebook of yours {sets} runs each set of parameters. {listing}"
            raise UnknownName.among("report", name, listed, listing)
    chosen = []
    for run in [run for run in listed.values() if not names or run.name in names]:
        for name in [name for name in parameters if name in run.parameters]:
            where, expected = f"parameter of {run.notebook}, {name}", "a parameter that the run list leaves open"
            found, remedy = f"one that {run.name} sets", "Name the report that has the value you want."
            raise ReportFailed(where, expected=expected, found=found, remedy=remedy)
        values = notebooks.read_parameters(find_notebook(run.notebook), parameters) if parameters else {}
        run = dataclasses.replace(run, parameters=run.parameters | values, overrides=values)
        chosen.append((run, check_run(run.notebook, run.parameters)))
    folders = users_data_folders()
    standard = not parameters and not folders
    if out:
        place = Path(out)
    elif parameters:  # neither other parameters nor foreign data ever touch the committed reports
        settings = [[run.name, run.parameters] for run, _ in chosen] + [str(folder) for folder in folders]
        name = chosen[0][0].name if len(chosen) == 1 else "reports"
        place = Path("runs", f"{name}-{json_digest(settings)[:8]}")
    else:
        place = Path("runs", f"with-{'-'.join(folder.name for folder in folders)}") if folders else _OURS
    if not standard:
        refuse_folder_of_standard_reports(place)
    return _Plan(place, chosen, not names, standard, out is None)


def refuse_folder_of_standard_reports(out):
    """Refuse a folder of standard reports for any other, and to write where the user's data are."""
    for folder in users_data_folders():
        if out.resolve().is_relative_to(folder):
            expected, found = "a folder outside the data", f"one in the data folder {folder.name}"
            raise ReportFailed(str(out), expected=expected, found=found, remedy="Name another with --out.")
    if out.resolve() == _OURS.resolve() or (out / LEDGER).exists():
        expected, found = "a folder of its own for other parameters or data", "the folder of standard reports"
        raise ReportFailed(str(out), expected=expected, found=found, remedy="Leave out --out, or name another.")


def _run_stale_notebooks(stale, cache, work, meanwhile, jobs, limits, progress):
    """Run what has to run; what succeeds is kept at once, the errors of the others are returned.

    `meanwhile` is called once, while the kernels are at work.
    """
    if not stale:
        return []
    jobs, at_work = jobs or parallel.processors(), {}
    with _BuildInterrupts() as interrupts, progress:
        try:
            with notebook_process.notebook_threads(len(stale), jobs) as (submit, warm):
                importlib.import_module("dominoperf.reports.execution")  # and papermill, while processes load libraries
                how = {"limits": limits, "warm": warm}
                for run, inputs in sorted(stale, key=lambda item: not item[0].first):
                    at_work[submit(_run_notebook_in_thread, run, work, progress, how)] = (run, inputs)
                with interrupts.at_once():
                    meanwhile()
                waiting = set(at_work)
                while waiting:
                    if interrupts.came:
                        raise KeyboardInterrupt
                    done, waiting = futures.wait(waiting, _LOOK_S, futures.FIRST_COMPLETED)
                    for future in done:
                        run, inputs = at_work[future]
                        if not future.result():
                            cache.keep(run, inputs, work / run.name)
        except BaseException:
            if interrupts.came:  # what else is wrong, as an import that broke, comes of that
                raise KeyboardInterrupt from None
            raise
    if interrupts.came:
        raise KeyboardInterrupt
    return [error for future in at_work if (error := future.result())]  # in the order of the runs, not of their ends


class _BuildInterrupts:
    """Ctrl-C and SIGTERM while notebooks run: noted, and raised only where the main thread says that it is safe.

    Raised wherever it comes, an interrupt breaks the import of compiled code, which then fails as any mistake would.
    """

    def __init__(self):
        self.came, self._raised, self._held = False, False, ()

    def __enter__(self):
        usual = signal.default_int_handler  # one that is ignored, or that somebody else answers, stays so
        if threading.current_thread() is threading.main_thread():
            self._held = [number for number in (signal.SIGINT, signal.SIGTERM) if signal.getsignal(number) is usual]
        for number in self._held:
            signal.signal(number, self._note)
        return self

    def __exit__(self, *_):
        for number in self._held:
            signal.signal(number, signal.default_int_handler)

    def _note(self, *_):
        self.came = True
        if self._raised:
            raise KeyboardInterrupt

    @contextlib.contextmanager
    def at_once(self):
        """Raise what comes, and what has come, at once: for long work that nothing waits for."""
        self._raised = True
        try:
            if self.came:
                raise KeyboardInterrupt
            yield
        finally:
            self._raised = False


def _run_notebook_in_thread(run, work, progress, how):
    """Run one notebook in a thread; an error is returned, so that the others go on."""
    error, on_cell = None, functools.partial(progress.at, run.name)
    progress.began(run.name)
    try:
        run_notebook(run.notebook, run.parameters, out=work / run.name, on_cell=on_cell, **how)
    except DominoperfError as caught:
        error = caught
    except OSError as caught:  # a full disk
        error = refused_report_file(caught, work / run.name)
    except ValueError as caught:  # a file that papermill cannot read
        remedy = "Mend that, then run again."
        error = ReportFailed(run.name, expected="the notebook to run", found=str(caught), remedy=remedy)
    progress.ended(run.name, well=not error)
    return error


def _site_pages(plan, cache, coming=()):
    """Every run of the list that ran in this folder, now or before, or is to come, with its executed notebook."""
    chosen = {run.name: run for run, _ in plan.chosen}
    pages = [(chosen.get(run.name, run), cache.folder(run) / EXECUTED) for run in runs()]
    return [(run, notebook) for run, notebook in pages if notebook.is_file() or run.name in coming]


def _publish_reports(plan, cache, work, others, fresh):
    """Move everything into place; an old file of ours goes when what makes it ran and did not write it."""
    new = {}
    for run, _ in plan.chosen:
        for name, path in cache.tables(run).items():
            if f"tables/{name}" in new:  # one would hide the other
                remedy = "Give the tables of the notebooks names of their own."
                other = f"{name} also from {new[f'tables/{name}'].relative_to(cache.home).parts[0]}"
                raise ReportFailed(run.name, expected="tables that no other run saves", found=other, remedy=remedy)
            new[f"tables/{name}"] = path
    described = saving.resources_of_tables(new.values())
    if not plan.everything:
        described += saving.kept_resources(plan.out / "tables", [name.removeprefix("tables/") for name in new])
    replace_file(work / DESCRIPTOR, saving.tables_package(described))
    replace_file(work / saving.PLACES, rendering.as_csv(saving.places_of_tables(described)))
    new |= {f"tables/{name}": work / name for name in (DESCRIPTOR, saving.PLACES)}
    if plan.standard:
        data = ledger.data_checksums()
        entries = others | {run.name: ledger.entry_of_run(run, cache.tables(run), data) for run, _ in plan.chosen}
        replace_file(work / LEDGER, ledger.ledger_text(entries, data))
        new[LEDGER] = work / LEDGER
    pages, built, unchanged = _site_pages(plan, cache), work / "site", ()
    inputs = cache.inputs_of_site(pages)
    if again := fresh or bool(cache.site.why_again(inputs)):
        from dominoperf.reports import site

        site.build_site(pages, built, cache=cache.home / _SITE, key=cache.key_of_site(pages))
    else:
        unchanged = [f"site/{name}" for name in sorted(cache.site.read()["made"])]
    names = sorted(path.relative_to(built).as_posix() for path in built.rglob("*") if path.is_file())
    new |= {f"site/{name}": built / name for name in names}
    gone = lambda name: plan.everything or name.startswith("site/")  # noqa: E731
    move_reports_into_place(plan.out, new, unchanged, gone=gone, replace=plan.default_place, work=work)
    if again:
        cache.site.remember(inputs, names)


class BuildProgress:
    """Tells of runs as they start, go from cell to cell and end, each in a thread of its own.

    `tell` gets a line when a run starts or ends, `show` a text whenever one is at another cell, and "" at the end.
    """

    def __init__(self, tell, show=None):
        self._tell, self._show = tell, show or (lambda text: None)
        self._cells, self._since, self._lock = {}, {}, threading.Lock()

    def __enter__(self):
        """Return itself."""
        return self

    def __exit__(self, *_):
        """Leave the line empty."""
        self._show("")

    def began(self, name):
        """Tell that a run started."""
        with self._lock:
            self._since[name] = time.monotonic()
            self._tell(f"start {name}")

    def at(self, name, number, of):
        """Tell that a run is at a cell."""
        with self._lock:
            self._cells[name] = f"{number}/{of}"
            self._show(", ".join(f"{run}: cell {cell}" for run, cell in self._cells.items()))

    def ended(self, name, *, well):
        """Tell that a run ended, and how long it took; or that it failed, perhaps before it started."""
        with self._lock:
            self._cells.pop(name, None)
            self._tell(f"done {name} {time.monotonic() - self._since[name]:.1f} s" if well else f"failed {name}")


def printers(stream: TextIO) -> tuple[Callable[[str], object], Callable[[str], object] | None]:
    """Return `tell` and `show` for a stream; what is no terminal is shown nothing that changes."""
    if not stream.isatty():
        return lambda line: print(line, file=stream, flush=True), None
    width = 0

    def tell(line, end="\n"):
        nonlocal width
        print(f"\r{line.ljust(width)}", end=end, file=stream, flush=True)
        width = 0

    def show(text):
        nonlocal width
        text = text[: shutil.get_terminal_size().columns - 1]
        tell(text, end="" if text else "\r")
        width = len(text)

    return tell, show
