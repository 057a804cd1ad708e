"""The handbook: nothing public without its place; examples run, files read back, every formula is its law."""

import contextlib
import functools
import html
import importlib
import inspect
import io
import itertools
import os
import re
import shlex
import shutil
import subprocess
import sys
import types
import warnings
import zipfile
from pathlib import Path
from unittest import mock

import numpy as np
import pandas as pd
import pytest
import yaml
from conftest import ROOT, opened, pages_of
from test_site import PHONE, READ, Links, check_that_it_fits_and_can_be_read, read

import dominoperf
from dominoperf import cli, planning, reports
from dominoperf.laws import LAWS
from dominoperf.queueing import erlang_c
from dominoperf.reports import citation, downloads, handbook, reference
from dominoperf.reports.cells import FOLDER
from dominoperf.runs import benchmarks, list_series
from dominoperf.study import audit
from dominoperf.tables import document, errata, list_tables, load, locators, rendering, sources, vocabulary

PROSE = FOLDER / "handbook"
SEAMS = sorted((PROSE / "how_to").glob("*.md"))
FENCE = re.compile(r"^```(?:\{code-block\} )?(\w+)\n(?::caption: (\S+)\n\n)?(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def built(built):
    """The folder of the site, and the runs with their executed notebooks."""
    return built[0] / "site", pages_of(built[0])


def text_of(built, name):
    """A page of the handbook as HTML."""
    return read(built[0] / "handbook" / f"{name}.html")


def test_every_law_is_there(built):
    """With its formula, each parameter with unit and meaning, its source and limits."""
    page = text_of(built, "methods")
    for law in LAWS.values():
        assert f'id="law-{law.name.replace("_", "-")}"' in page, law.name  # as docutils writes ids
        assert html.escape(law.title, quote=False) in page.replace("&#39;", "'")
        for text in (law.source, law.equation, law.limits, *(param.meaning for param in law.params)):
            plain = html.unescape(re.sub(r"<[^>]+>", "", page))
            assert text.replace("`", "") in plain, text
    assert page.count("<math") == len(LAWS) + 3
    for step, rules in planning.rules_named("compaq_1998").steps.items():
        assert all(f"<code>{name}</code>" in page for name in rules), step


def of_latex(latex):
    """LaTeX of a formula as Python: names and signs, then fractions, roots and powers from the innermost outwards."""
    group = r"\{([^{}]*)\}"
    called = rf"\\left|\\right|\\(?=(?:{'|'.join({*FUNCTIONS} - {'ln', 'sqrt'})})\b)"
    for tex, python in ((rf"\\text{group}", r"\1"), (r"\\ln (\w+)", r"ln(\1)"), (called, "")):
        latex = re.sub(tex, python, latex)
    latex, before = latex.replace(r"\,", "*"), ""
    forms = ((rf"\\frac{group}{group}", r"((\1)/(\2))"), (rf"\\sqrt{group}", r"sqrt(\1)"), (rf"\^{group}", r"**(\1)"))
    while latex != before:
        before = latex
        for tex, python in forms:
            latex = re.sub(tex, python, latex)
    return latex


OF_ONE = {name: getattr(np, name) for name in ("exp", "sqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh")}
FUNCTIONS = {"ln": np.log, "max": np.maximum, "min": np.minimum} | OF_ONE


@pytest.mark.parametrize("name", OF_ONE)
def test_a_formula_may_use_each_function(name):
    """A law of one's own with tanh ended in a NameError; its LaTeX has the function's own sign."""
    formula, known = f"most {name}(N / knee)", {"most": 3.0, "N": 2.0, "knee": 5.0}
    latex = handbook.formula_as_latex(f"X = {formula}").partition(" = ")[2]
    assert f"\\{name}" in latex
    for written in (handbook.formula_as_python(formula), of_latex(latex)):
        assert eval(written, FUNCTIONS | known) == pytest.approx(3 * OF_ONE[name](0.4))


@pytest.mark.parametrize("write", [handbook.formula_as_python, of_latex])
@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
def test_the_formula_is_the_function(law, write):
    """The record's formula, as text and as the page shows it, gives what the law's function gives."""
    if law.name == "closed":
        pytest.skip("in words")
    x, y, short = handbook.formula_letters(law)
    values = {"servers": 4.0, "reference_mb": 64.0, "loss": 0.01, "working_set": 20.0}
    values |= {"service_s": 0.1, "response_max_s": 0.2, "rate_per_s": 0.05} if law.name == "users_at_response" else {}
    params = [values.get(param.name, 0.3 + 0.1 * k) for k, param in enumerate(law.params)]
    known = dict(zip(law.names, params, strict=True))
    known |= {each: known[name] for each, name in short.items()} | FUNCTIONS
    shown = law.formula if write is not of_latex else handbook.formula_as_latex(law.formula)
    written = shown.replace(r"\text{, solved", ", solved")
    left, right = map(write, written.partition(", solved")[0].split(" = "))
    for at in (0.4, 0.9) if law.x == "cpu_utilization" else (2.0, 3.0, 7.0):
        found = law.function(np.array([at]), *params)[0]
        point = known | {x: at, y: found, "C": at if x == "C" else lambda c, a: float(erlang_c(int(c), a))}
        assert eval(right, point) == pytest.approx(eval(left, point), rel=1e-9)


def test_every_column_is_there(built):
    """With unit and meaning, an anchor, and the tables and results that have it."""
    page = text_of(built, "glossary")
    ids = set(Links(page).ids)
    for name, known in vocabulary().items():
        assert f"column-{name}" in ids
        assert html.escape(known["meaning"]).replace("&#x27;", "&#39;") in page
    assert f">{len(vocabulary())} names<" in page.replace("Every column: ", ">").replace("</caption>", "<")
    places = {
        each["name"]: each["places"]
        for each in handbook.glossary_columns([*handbook.table_headers(built[1]), *handbook.saved_headers(built[1])])
    }
    tables = {id for id in list_tables()["id"] if "notesmark_tpm" in load(id, text=True)}
    assert tables
    assert {each["name"] for each in places["notesmark_tpm"]} >= tables
    assert {"name": "processors_fit", "href": "../processors.html"} in places["law"]
    assert {f"term-{each['key']}" for each in handbook.glossary_terms()} <= ids


def test_every_public_name_is_there(built):
    """With an anchor, in the reference of its room; those of the first page lead to it."""
    rooms = reference.rooms_with_public_names()
    ids = {room: set(re.findall(r' id="([^"]+)"', text_of(built, f"reference_{room}"))) for room in rooms}
    for name, *_ in public_parts():
        assert f"dominoperf.{name}" in ids[next(room for room in rooms[::-1] if name.startswith(f"{room}."))], name
    tops = [name.rpartition(".")[2] for name in documented() if reference.is_name_of_package(*name.rsplit(".", 1))]
    assert sorted(tops) == sorted({*dominoperf.__all__})
    linked = set(Links(text_of(built, "reference")).links)
    assert {f"reference_{name.rpartition('.')[0]}.html#dominoperf.{name}" for name in documented()} <= linked


def test_names_in_docstrings_are_links(built):
    """Also from one room to another; a signature shows defaults as they are written, and no address."""
    page = text_of(built, "reference_fitting")
    assert "reference_laws.html#dominoperf.laws.LAWS" in page
    assert "reference_parallel.html#dominoperf.parallel.pmap" in page
    assert 'href="#dominoperf.fitting.fit_many"' in page
    for path in (built[0] / "handbook").glob("reference*.html"):
        assert not re.search(r"\bat 0x[0-9a-f]{4}|&lt;function|" + re.escape(str(ROOT)), read(path)), path.name


def documented():
    """Every public object by the name that it stands under, as room.name."""
    return [f"{room}.{name}" for room in reference.rooms_with_public_names() for name in reference.public_names(room)]


def public_parts():
    """Every public object with the public methods of the classes: name, object, whether it is one of the package's."""
    for key in documented():
        room, _, name = key.rpartition(".")
        found, top = (
            getattr(importlib.import_module(f"dominoperf.{room}"), name),
            reference.is_name_of_package(room, name),
        )
        yield key, found, top
        for part, each in vars(found).items() if inspect.isclass(found) else ():
            kinds = (property, functools.cached_property, types.FunctionType)
            if not part.startswith("_") and isinstance(each, kinds):
                yield f"{key}.{part}", each, False


def test_docstrings_are_complete():
    """numpydoc's checks: a summary; parameters as they are, none left out where some are told; for the names of the
    package itself all parameters with a description, and what is returned. A constant has a text below it.
    """
    from numpydoc.validate import validate

    wrong = []
    always = {"GL08", "PR02", "PR03", "PR05", "PR06", "PR10", "SS01", "SS02", "SS03", "SS04", "SS05"}
    for key, found, top in public_parts():
        if not callable(found) and not isinstance(found, (property, functools.cached_property)):
            wrong += [] if reference.docstring_summary(*key.rsplit(".", 1)) else [(key, "no text")]
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of sections in a docstring of another package
            told = validate(f"dominoperf.{key}")
        asked = {"PR01"} if re.search(r"Parameters\n\s*---", told["docstring"]) else set()
        asked |= {"PR01", "PR07", "RT01"} if top and not inspect.isclass(found) else set()
        wrong += [(key, code, text) for code, text in told["errors"] if code in always | asked]
    assert wrong == []


def test_every_seam_is_there(built):
    """A section each, as the table says; no file of the folder is left out."""
    page = text_of(built, "how_to")
    assert {path.stem for path in SEAMS} == set(handbook.SEAMS)
    assert len(re.findall(r"^\| (?!To add|---)", (PROSE / "how_to.md").read_text(), re.MULTILINE)) == len(SEAMS) == 8
    assert {f"how-to-{seam}" for seam in handbook.SEAMS} <= set(Links(page).ids)


@pytest.mark.parametrize("path", SEAMS, ids=lambda path: path.stem)
def test_examples_run(path, tmp_path, monkeypatch):
    """Files are written, commands and Python run, one after the other, in an empty folder; each command ends well."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DOMINOPERF_DATA", "")
    monkeypatch.syspath_prepend(str(tmp_path))
    blocks, names = FENCE.findall(path.read_text(encoding="utf-8")), {}
    assert len(blocks) == path.read_text(encoding="utf-8").count("```") // 2 > 0
    with contextlib.redirect_stdout(io.StringIO()), mock.patch.dict(dominoperf.READERS):  # as they were afterwards
        for kind, file, body in blocks:
            if file:
                Path(file).write_text(body, encoding="utf-8")
            elif kind == "shell":
                for line in body.replace("\\\n", "").splitlines():
                    assert cli.main(shlex.split(line)[1:]) == 0, line
            else:
                assert kind == "python"
                exec(compile(body, path.name, "exec"), names)
    for name in ("benchlog", "requestlog", "nearing"):
        sys.modules.pop(name, None)


def test_a_law_is_added_as_the_handbook_says(tmp_path):
    """Step by step in a copy, to the letter: the contract over all laws takes it, and its formula is its function."""
    text = (PROSE / "how_to" / "law.md").read_text(encoding="utf-8")
    ((file, body),) = [(file, body) for _, file, body in FENCE.findall(text) if file]
    # With what is compiled, but for what another process compiles just now.
    shutil.copytree(ROOT / "dominoperf", tmp_path / "dominoperf", ignore=shutil.ignore_patterns("*.pyc.*"))
    for name in ("data", "notebooks", "pyproject.toml", "CITATION.cff"):
        (tmp_path / name).symlink_to(ROOT / name)
    for folder in ("tests", "tests/laws", "tests/reports"):
        (tmp_path / folder).mkdir()
        for path in (ROOT / folder).glob("*.py"):
            shutil.copy(path, tmp_path / folder)
    (tmp_path / "dominoperf" / "laws" / file).write_text(body, encoding="utf-8")
    (command,) = re.findall(r"`pytest (.*?)`", text)
    run = [sys.executable, "-m", "pytest", *shlex.split(command), "-n", "0", "-p", "no:cacheprovider"]
    there = os.environ | {"PYTHONPATH": str(tmp_path)}
    done = subprocess.run(run, cwd=tmp_path, env=there, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert done.stdout.split()[0].count(".") > 10


def test_files_read_back(built):
    """Each table as printed and corrected, to the character, with its places; nothing else lies there."""
    folder = built[0] / "handbook" / downloads.FILES
    read_csv = lambda path: pd.read_csv(path, dtype=str, keep_default_na=False)  # noqa: E731
    links = Links(text_of(built, "data")).links
    for id, as_ in itertools.product(list_tables()["id"], ("printed", "corrected")):
        name = downloads.download_file_name(id, as_)
        assert f"{downloads.FILES}/{name}" in links
        found, told = read_csv(folder / name), load(id, as_, text=True).assign(locator=locators(id))
        assert found.to_numpy().tolist() == told.map(rendering.csv_cell).to_numpy().tolist(), id
        assert list(found) == list(told)
    written = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert {f"{downloads.FILES}/{name}" for name in written} == {
        link for link in links if link.startswith(downloads.FILES)
    }
    assert len(read_csv(folder / "errata.csv")) == len(errata())
    assert len(read_csv(folder / "benchmarks.csv")) == len(benchmarks())
    assert len(read_csv(folder / "series.csv")) == list_series()["n"].sum()
    with zipfile.ZipFile(folder / "dominoperf_data.zip") as packed:
        inside = {name.partition("/")[2]: packed.read(name) for name in packed.namelist()}
    assert inside == {name: (folder / name).read_bytes() for name in written - {"dominoperf_data.zip"}}


def test_citations_come_from_one_place(built):
    """CITATION.cff, the checksum of the data, the five documents; BibTeX that a parser of braces can read."""
    page, about = html.unescape(text_of(built, "cite")), yaml.safe_load((ROOT / "CITATION.cff").read_text())
    for text in (about["title"], about["version"], citation.data_checksum(), about["license"], about["abstract"]):
        assert text in page
    for entry in (
        citation.bibtex(citation.software_citation()),
        *(each["bibtex"] for each in citation.document_references()),
    ):
        assert entry.count("{") == entry.count("}") > 3
        assert entry in page
    for source in sources()["source"]:
        assert document(source)["rights"] in page
    assert citation.bibtex_entry("book", "k", {"title": citation.bibtex_text("a } b & c_d")}).count("\\") == 3


def test_the_sidebar_has_the_handbook(built):
    """On every page, with the page that one is on marked."""
    for name, label in handbook.LISTED:
        page = read(built[0] / f"{name}.html")
        assert re.search(rf'<a href="[^"]*" aria-current="page">{re.escape(label)}</a>', page)
    assert 'href="handbook/data.html"' in read(built[0] / "index.html")


def test_tables_have_headings_that_are_told(built):
    """A caption or a heading before it, and a scope for each heading: Markdown's tables too."""
    for path in (built[0] / "handbook").glob("*.html"):
        heads = re.findall(r"<th\b[^>]*>", read(path))
        assert all("scope=" in head for head in heads), path.name


def test_files_of_a_hostile_folder_stay_below_theirs(folder, monkeypatch, tmp_path):
    """A name cannot leave the folder, and no cell is a formula; of the pages tests/test_safety.py says so."""
    (folder / "runs.csv").write_text('system,users,unit\n"=HYPERLINK(1)",1,user\n', encoding="utf-8")
    monkeypatch.setenv("DOMINOPERF_DATA", str(folder))
    downloads.write_download_files(tmp_path, lambda: audit.audit_claims("mine"))
    assert "'=HYPERLINK(1)" in read(tmp_path / downloads.FILES / "mine" / "mine_runs.csv")
    assert downloads.download_file_name("mine/../x y", "printed") == "mine/mine_.._x_y.csv"


def test_names_of_runs_cannot_meet_the_handbook():
    """Its pages lie in a folder, and a run's name has no slash."""
    assert all("/" in name for name, _ in handbook.LISTED)
    names = {name for name, _ in handbook.LISTED} | {f"handbook/{name}" for name in reference.pages_of_rooms()}
    assert not names & {run.name for run in reports.runs()}


def test_pages_fit_and_can_be_read(built, browser):
    """At a desk and on a telephone; of the reference one page, for all are alike; the search finds a function."""
    page, wrong = opened(browser, PHONE, "dark")
    for path in sorted((built[0] / "handbook").glob("*.html")):
        if not path.stem.startswith("reference_") or path.stem in READ:
            check_that_it_fits_and_can_be_read(page, path)
    page.goto((built[0] / "search.html").as_uri() + "?q=fit_many")
    place = "reference_fitting.html#dominoperf.fitting.fit_many"
    page.locator(f'#search-results a[href$="{place}"]').first.wait_for()
    assert wrong == []
