"""What several test modules share: the source texts, a small data folder to break, the built site, a browser.

`README.md` beside this file says how the tests are laid out.
"""

import fcntl
import gc
import importlib
import json
import os
import shutil
from pathlib import Path

import pytest
from hypothesis import settings

import dominoperf

for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):  # read when NumPy is first imported
    os.environ.setdefault(name, "1")  # threads wait for each other longer than matrices as small as ours take
dominoperf._without_address_grammar()  # two seconds of each worker, were nbformat imported first
settings.register_profile("untimed", deadline=None)  # nothing is timed in a test
settings.load_profile("untimed")

ROOT = Path(__file__).parent.parent
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


def pytest_xdist_auto_num_workers():
    """Three workers for two processors: some tests wait, but what one more loads and keeps takes longer than that."""
    from dominoperf import parallel

    return -(-3 * parallel.processors() // 2)


def pytest_collection_modifyitems(items):
    """Put the files beside this one first: they start servers and build sites, and at the end one worker would wait."""
    items.sort(key=lambda item: item.path.parent != Path(__file__).parent)


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Look for no garbage meanwhile, nor later among what was collected: it is used to the end."""
    gc.disable()
    found = yield
    gc.freeze()
    gc.set_threshold(100_000, 10, 10)  # as where notebooks run: most of what tests make stays
    gc.enable()
    return found


@pytest.fixture(scope="session")
def source_texts():
    """The folder of the extracted texts; without it the test is skipped, visibly."""
    folder = os.environ.get("DOMINOPERF_SOURCES", "")
    if not folder or not Path(folder).is_dir():
        pytest.skip("DOMINOPERF_SOURCES names no folder: the printed cells are not compared with the source texts")
    return Path(folder)


@pytest.fixture
def folder(tmp_path):
    """A good data folder of one table; tests change `package` or the CSV and write it with `write_package`."""
    path = tmp_path / "mine"
    path.mkdir()
    (path / "runs.csv").write_text('system,users,unit\nA,"1,200",user\nB,.5,user\n', encoding="utf-8")
    fields = [
        {"name": "system", "type": "string", "description": "System"},
        {"name": "users", "type": "number", "unit": "user", "groupChar": ",", "description": "Users"},
        {"name": "unit", "type": "string", "description": "Unit"},
    ]
    schema = {"fields": fields, "primaryKey": ["system"], "missingValues": [""]}
    resource = {
        "name": "runs",
        "type": "table",
        "path": "runs.csv",
        "format": "csv",
        "encoding": "utf-8",
        "schema": schema,
    }
    write_package(path, {"name": "mine", "resources": [resource]})
    return path


def write_package(folder, package):
    """Write the descriptor of a folder."""
    (folder / "datapackage.json").write_text(json.dumps(package), encoding="utf-8")


def read_errata(monkeypatch, frame):
    """Let the catalogue find these errata of ours; what it keeps of tables knows only that files change."""
    tables = importlib.import_module("dominoperf.tables.loading")
    monkeypatch.setattr(tables, "errata_of_our_tables", lambda: frame)
    runs = importlib.import_module("dominoperf.runs.tidy_runs")
    for module, kept in ((tables, "_frame_of_table"), (runs, "_benchmarks")):
        monkeypatch.setattr(module, kept, getattr(module, kept).__wrapped__)


def public_curve(name):
    """A curve of `fitting/curves`, whose README says where each is from: processors and users."""
    import pandas as pd

    points = pd.read_csv(ROOT / "tests" / "fitting" / "curves" / f"{name}.csv")
    return points.rename(columns={"load": "processors", "throughput": "users"})


def read_package(folder):
    """Read the descriptor of a folder."""
    return json.loads((folder / "datapackage.json").read_text(encoding="utf-8"))


def write_executed(path, *cells):
    """An executed notebook: of str a Markdown cell, of dict a code cell with that output."""
    import nbformat

    made = [
        nbformat.v4.new_markdown_cell(cell)
        if isinstance(cell, str)
        else nbformat.v4.new_code_cell("1", outputs=[nbformat.v4.new_output("execute_result", cell)])
        for cell in cells
    ]
    nbformat.write(nbformat.v4.new_notebook(cells=made), path)
    return path


def write_notebook(path, *cells, parameters="n: int = 1  # a number"):
    """Write a notebook with a parameters cell and the given code cells."""
    import nbformat

    tagged = nbformat.v4.new_code_cell(parameters, metadata={"tags": ["parameters"]})
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    notebook = nbformat.v4.new_notebook(cells=[tagged, *map(nbformat.v4.new_code_cell, cells)], metadata=kernel)
    path.write_text(nbformat.writes(notebook), encoding="utf-8")
    return path


def add_prose(path, text):
    """Add a cell of prose to a notebook, at its end."""
    import nbformat

    notebook = nbformat.read(path, as_version=4)
    notebook.cells.append(nbformat.v4.new_markdown_cell(text))
    path.write_text(nbformat.writes(notebook), encoding="utf-8")


@pytest.fixture(scope="session")
def built(tmp_path_factory):
    """All standard reports and the lines told: those of `make report`, or where they are not up to date built apart."""
    from dominoperf import reports
    from dominoperf.reports import cache

    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    out, told = shared / "built", shared / "built.txt"
    with open(shared / "built.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # the first worker that asks builds for all
        if not told.exists():
            why = reports.explain()
            if not any(why.values()):
                lines, out = [f"unchanged {name}" for name in why if name != "site"], ROOT / "reports"
            else:
                known = ROOT / "reports" / cache.FOLDER
                if known.is_dir():
                    shutil.copytree(known, out / cache.FOLDER, dirs_exist_ok=True)
                lines = []
                reports.build(out, tell=lines.append)
            told.write_text("\n".join([str(out), *lines]), encoding="utf-8")
    out, *lines = told.read_text(encoding="utf-8").splitlines()
    return Path(out), lines


def pages_of(out):
    """What `build_site` is given: the runs with their executed notebooks."""
    from dominoperf import reports
    from dominoperf.reports import cache

    return [(run, out / cache.FOLDER / run.name / cache.EXECUTED) for run in reports.runs()]


@pytest.fixture
def small_site(monkeypatch):
    """Sites without the handbook, its files, and what the first page tells of our documents: a user's it has.

    These take longer than all else of a small site, and are the same in each.
    """
    from dominoperf.reports import cells, downloads, front_page, handbook
    from dominoperf.study import audit
    from dominoperf.tables.folders import users_data_folders

    def facts(_):
        names = [folder.name for folder in users_data_folders()]
        documents = [front_page.row_of_document(name, audit.audit_claims(name)) for name in names]
        none = {"rows": [], "count": 0, "cells": 0, "fresh": 0}
        own = [each["title"] for each in documents]
        return {
            "documents": documents,
            "own": own,
            "errors": none,
            "identities": none,
            "runs": 0,
            "claims": 0,
            "data": "",
        }

    monkeypatch.setattr(front_page, "facts_of_data", facts)
    few = {"glossary": "Glossary", "cite": "How to cite"}
    monkeypatch.setattr(handbook, "PAGES", few)
    monkeypatch.setattr(handbook, "LISTED", tuple((f"handbook/{name}", label) for name, label in few.items()))
    cite = cells.notebook_of_cells("# How to cite")
    monkeypatch.setattr(handbook, "handbook_pages", lambda pages, _: {"handbook/cite": cite})
    monkeypatch.setattr(downloads, "write_download_files", lambda folder, _: folder.mkdir(parents=True))


def shorten_sites(library):
    """Let a copy of the library make sites without what takes longest and is the same in each, as `small_site` does."""
    none = {"rows": [], "count": 0, "cells": 0, "fresh": 0}
    facts = {"documents": [], "own": [], "errors": none, "identities": none, "runs": 0, "claims": 0, "data": ""}
    without = {
        "front_page": f"facts_of_data = lambda _: {facts}",
        "handbook": "handbook_pages = lambda pages, _: {}",
        "reference": "rooms_with_public_names = lambda: ['laws']",
        "downloads": "write_download_files = lambda folder, _: folder.mkdir(parents=True)",
    }
    for module, line in without.items():
        with (library / "reports" / f"{module}.py").open("a", encoding="utf-8") as file:
            file.write(f"\n{line}\n")


@pytest.fixture(scope="module")
def chromium():
    """Headless Chromium, one for all tests of a file: to start it takes longer than most of them."""
    if CHROMIUM is None:
        pytest.skip("no Chromium on this machine: the pages are not opened in a browser")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        started = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture
def browser(chromium):
    """Headless Chromium without what another test opened in it."""
    yield chromium
    page, _ = _PAGES.get(chromium, (None, None))
    for context in [each for each in chromium.contexts if not page or each is not page.context]:
        context.close()
    if page:
        for other in [each for each in page.context.pages if each is not page]:
            other.close()
        if page.url.startswith("file:"):
            page.evaluate("localStorage.clear()")
        page.mouse.move(0, 0)
        page.goto("about:blank")  # else an address that differs in its place alone would not be loaded anew


_PAGES = {}  # of each browser, with what goes wrong on it


def opened(browser, width, scheme="light"):
    """A page without a network, and what goes wrong on it: one for all tests of a file, emptied by `browser`.

    A new one takes longer than to read a page of the site.
    """
    if browser not in _PAGES:
        page, wrong = browser.new_context(offline=True).new_page(), []
        page.on("request", lambda r: None if r.url.startswith(("file:", "data:")) else wrong.append(r.url))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
        _PAGES[browser] = page, wrong
    page, wrong = _PAGES[browser]
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(media="null", color_scheme=scheme)
    wrong.clear()
    return page, wrong
