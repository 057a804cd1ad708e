"""Text from data stays text: on pages, on a terminal, in a spreadsheet; a folder reads and asks for nothing else."""

import ast
import json
import os
import pty
import re
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import licences
import nbformat
import numpy as np
import pandas as pd
import pytest
from conftest import ROOT, opened, read_package, write_executed, write_notebook, write_package
from hypothesis import example, given
from hypothesis import strategies as st
from IPython.core.formatters import DisplayFormatter
from markdown_it import MarkdownIt

from dominoperf import reports, tables
from dominoperf.errors import BadTable, DominoperfError
from dominoperf.reports import cells, explorer, site
from dominoperf.tables import expressions, rendering

EXAMPLE = ROOT / "tests" / "samples" / "own" / "web_tier"
TRACE = "window.pwned"  # set by any script that runs
FETCH = "http://evil.invalid/x"
PARTS = (
    f"<script>{TRACE}=1</script>",
    f"<img src=x onerror={TRACE}=2>",
    f"\"><svg onload={TRACE}=3>'><svg onload={TRACE}=4>",
    f"[x](javascript:{TRACE}=5)![y](https://evil.invalid/y.png)<https://evil.invalid>",
    "{{ 7*7 }}{% raw %}",
    f"\n```{{raw}} html\n<script>{TRACE}=6</script>\n```\n",
    "\n```{include} /etc/passwd\n```\n",
    "{download}`/etc/passwd`<file:///etc/passwd>",
    "$$x^2$$ $\\frac$ `code` |pipe| **bold** & &amp; -->",
    "</td></table></textarea></script>\n(tag)=\n# heading\n- item\n1. item\n",
    "\x1b]0;owned\x07\x1b[31m\x9b31m\u202eturned\u2028\\",
    # HTML
    f"<iframe srcdoc='<script>parent.{TRACE}=7</script>'></iframe>",
    f"<object data={FETCH}></object><embed src={FETCH}>",
    f"<base href={FETCH}><meta http-equiv=refresh content='0;url={FETCH}'>",
    f"<link rel=stylesheet href={FETCH}><style>@import '{FETCH}';</style>",
    f"<form action={FETCH}><button formaction=javascript:{TRACE}=8>x</button></form>",
    f"<details open ontoggle={TRACE}=9><summary>x</summary></details>",
    f"<math><mtext><table><mglyph><style><img src=x onerror={TRACE}=10>",
    f"<a href=data:text/html,<script>{TRACE}=11</script>>x</a>",
    f"<input autofocus onfocus={TRACE}=12>",
    f"<video poster={FETCH}><source onerror={TRACE}=13></video>",
    "</title></style></noscript></template><!--",
    "</details></section></article><h1>taken over</h1>",
    f"' onmouseover='{TRACE}=14' x='",
    f'" autofocus onfocus="{TRACE}=15" style="--columns: 1; background: url({FETCH})" x="',
    f"&lt;script&gt;{TRACE}=16&lt;/script&gt;",
    f'<tr id="claim-x"><td class="place"><script>{TRACE}=17</script></td></tr>',
    '--><a data-place="x"><span data-origin="claims">x</span>',
    # scripts and style sheets in which a text may stand
    f"';{TRACE}=18;'",
    f"`;{TRACE}=19;`${{{TRACE}=20}}",
    f"\\u003cscript\\u003e{TRACE}=21\\u003c/script\\u003e",
    f"\u2028{TRACE}=22\u2029",
    "*/}} body { display: none } /*",
    "__proto__ constructor toString",
    # MyST, Sphinx and Markdown
    "{math}`x` {ref}`genindex` {doc}`index` {py:obj}`os.system`",
    "\n:::{eval-rst}\n.. raw:: html\n\n   <script>window.pwned=23</script>\n:::\n",
    "\n```{literalinclude} /etc/hostname\n```\n",
    "\n```{image} http://evil.invalid/x.png\n```\n",
    "\n```{figure-md}\n![x](http://evil.invalid/x)\n```\n",
    "\n```{code-cell}\nimport os; os._exit(3)\n```\n",
    "\n```{toctree}\n/etc/passwd\n```\n",
    "{{ config.__class__.__init__.__globals__ }}{# x #}{%% for x in () %%}",
    "[x]: http://evil.invalid/x\n![x][x] [^1]: y",
    '+++ {"tags": ["remove-cell"]}\n---\nmyst:\n  substitutions: {}\n---',
    "<!-- sphinx --> |version| `x <javascript:window.pwned=24>`_ x_ *y* ::",
    # LaTeX
    "\\input{/etc/passwd} \\write18{id} $\\href{javascript:window.pwned=25}{x}$",
    "\\begin{align} \\require{html} \\class{x}{y} \\end{align} $$\\unicode{x3c}$$",
    # Vega and Vega-Lite
    "datum['constructor']['constructor']('window.pwned=26')()",
    '{"signal": "warn(\'x\')"} {"expr": "window.pwned=27"}',
    '{"href": "javascript:window.pwned=28", "url": "http://evil.invalid/x.json"}',
    # spreadsheets
    '=HYPERLINK("http://evil.invalid/x")',
    "+SUM(1,1)*cmd|' /C calc'!A0",
    "-2+3+cmd|' /C calc'!A0",
    "@SUM(1+1)*cmd|' /C calc'!A0",
    "\t=1+1\r=1+1",
    '=IMPORTXML("http://evil.invalid", "//a")',
    # signs that turn, hide or join
    "\u202e\u2066\u2069\u200f\u061c turned back \u202c",
    "a\u200bb\u00adc\ufeffd\u2060e",
    "Z\u0351\u036b\u0343\u036a\u0302 \U0001f468\u200d\U0001f469 \U000e0041\U000e007f",
    "%00 %2e%2e%2f ..\\..\\x CON NUL C:\\x",
    "9" * 400,
    "x" * 400,
)
EVIL = " ".join(PARTS)
FORMULA = f"=cmd|' /C calc'!A1 {EVIL}"


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """The example with something hostile wherever a text can stand."""
    folder = Path(shutil.copytree(EXAMPLE, tmp_path_factory.mktemp("hostile") / "evil_tier"))
    package = read_package(folder)
    package |= {"title": f"T {EVIL}", "description": EVIL, "sources": [{"title": EVIL}], "licenses": [{"title": EVIL}]}
    for resource in package["resources"]:
        resource |= {"title": f"R {EVIL}", "locator": f"L {EVIL}", "notes": [EVIL]}
        fields = resource["schema"]["fields"]
        for field in fields:
            field |= {"title": EVIL, "description": EVIL}
        fields.append({"name": f"x {EVIL}", "type": "string", "title": EVIL, "description": EVIL})
        table = pd.read_csv(folder / resource["path"], dtype=str)
        table["system"] = [f"{name} {EVIL}" for name in table["system"]]
        table.assign(**{f"x {EVIL}": FORMULA}).to_csv(folder / resource["path"], index=False)
    package["benchmarks"] = [{"table": "scaling"}, {"table": "servers"}]
    write_package(folder, package)
    told = json.dumps(EVIL, ensure_ascii=False)
    series = (folder / "series.toml").read_text(encoding="utf-8")
    series = re.sub('title = ".*"', lambda _: f"title = {told}", series)
    (folder / "series.toml").write_text(
        re.sub("warnings = .*", lambda _: f"warnings = [{told}]", series), encoding="utf-8"
    )
    claims = pd.read_csv(folder / "claims.csv", dtype=str, keep_default_na=False)
    claims.assign(locator=EVIL, topic=EVIL, claim=EVIL, comment=EVIL).to_csv(folder / "claims.csv", index=False)
    errata = pd.read_csv(folder / "errata.csv", dtype=str)
    errata.assign(locator=EVIL, mistake=EVIL, consequence=EVIL).to_csv(folder / "errata.csv", index=False)
    return folder


def executed(stem, folder, **parameters):
    """A notebook of ours run here, without a kernel: what it shows is what a kernel would show."""
    notebook = nbformat.read(ROOT / "notebooks" / f"{stem}.ipynb", as_version=4)
    shown, names = DisplayFormatter(), {}
    for cell in [cell for cell in notebook.cells if cell.cell_type == "code"]:
        tree = ast.parse(cell.source)
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, stem, "exec"), names)
        if "parameters" in cell.metadata.get("tags", []):
            names |= parameters
        if last:
            data, _ = shown.format(eval(compile(ast.Expression(last.value), stem, "eval"), names))
            cell.outputs = [nbformat.v4.new_output("execute_result", data, execution_count=1)] if data else []
    path = folder / f"{stem}.ipynb"
    nbformat.write(notebook, path)
    return path


SEEN = """() => ({
  ran: window.pwned ?? null,
  links: [...document.querySelectorAll("a[href], form[action], iframe, object, embed, base")]
    .map(each => each.getAttribute("href") ?? each.outerHTML).filter(text => /^(javascript:|data:text.html|file:|https?:)/i.test(text)),
  handlers: [...document.querySelectorAll("*")].filter(each => [...each.attributes].some(one => /^on/i.test(one.name))).length,
  images: [...document.querySelectorAll("img")].map(each => each.getAttribute("src")).filter(text => /^(x$|https?:)/.test(text)),
  scripts: document.querySelectorAll(
    "article script:not([src^='explore/'], [src^='_static/'], [src='vega.js'], [type='application/json']), article svg[onload], article textarea").length,
})"""  # noqa: E501
CLEAN = {"ran": None, "links": [], "handlers": 0, "images": [], "scripts": 0}


def hostile_load_test(folder):
    """A load test with something hostile in its name, its headings and its cells."""
    folder.mkdir()
    path = folder / f"<img src=x onerror={TRACE}=2>'\";{{{{ 7*7 }}}}`$x$`.csv"
    loads = [(users, second) for users in (1, 2, 4, 8, 16) for second in range(30)]
    rows = {"time_s": [second for _, second in loads], "users": [users for users, _ in loads]}
    rows["throughput_tps"] = [100.0 * users / (1 + 0.01 * users) + second % 3 for users, second in loads]
    rows["response_s"] = [0.01 + 0.001 * users for users, _ in loads]
    pd.DataFrame(rows | {EVIL: EVIL, f"run {EVIL}": FORMULA}).to_csv(path, index=False)
    return path


def assert_only_text(found, name):
    """Nothing ran, and there is no link, handler, picture or script but those of ours."""
    ours = lambda link: "evil" not in link and link.startswith(("https:", "files/"))  # noqa: E731
    assert found | {"links": [link for link in found["links"] if not ours(link)]} == CLEAN, name


@pytest.mark.filterwarnings("ignore::UserWarning")  # of the drawing: no font has such signs, no picture such room
def test_no_page_runs_what_stands_in_data(hostile, tmp_path, monkeypatch, browser):
    """The site of a hostile folder: its tables, runs, series, claims and load test, the first page, and the search."""
    monkeypatch.setenv("DOMINOPERF_OUT", str(tmp_path / "tables"))
    monkeypatch.setenv("PYTHONHASHSEED", "0")
    short = cells.notebook_of_cells("# Short")
    monkeypatch.setattr("dominoperf.reports.reference.rooms_with_public_names", list)  # of the library: long, and ours
    monkeypatch.setattr("dominoperf.reports.handbook.methods_page", lambda links: short)
    monkeypatch.setattr("dominoperf.reports.handbook.codebook_page", lambda _: short)
    monkeypatch.setattr("dominoperf.reports.downloads.write_download_files", lambda at, _: at.mkdir(parents=True))
    with tables.using(hostile):
        runs = {run.name: run for run in reports.runs()}
        asked = {name: (runs[name].notebook, {}) for name in ("sources", "benchmarks", "claims_audit", "errata")}
        asked["claims_audit"] = ("80_claims_audit", {"source": "evil_tier"})
        asked["published_tables_evil_tier"] = ("01_published_tables", {"source": "evil_tier"})
        asked["processors"] = ("20_processors", {"series": "web_users"})
        asked["your_own_data"] = ("02_your_own_data", {"raw": str(hostile_load_test(tmp_path / "load"))})
        pages = [(runs[name], executed(stem, tmp_path, **values)) for name, (stem, values) in asked.items()]
        site.build_site(pages, tmp_path / "site")
    page, wrong = opened(browser, 1200)
    shown = {}
    for name in ("index", *asked, "gallery", "handbook/data", "handbook/cite", "handbook/glossary", "search"):
        page.goto((tmp_path / "site" / f"{name}.html").as_uri() + ("?q=script+heading" if name == "search" else ""))
        if name == "search":
            page.wait_for_selector("#search-results li")
        for width in (1200, 390):
            page.set_viewport_size({"width": width, "height": 900})
            shown[name] = shown.get(name, "") + page.evaluate("document.body.innerText")
            assert_only_text(page.evaluate(SEEN), name)
    assert wrong == []
    for name in (
        "index",
        "sources",
        "published_tables_evil_tier",
        "benchmarks",
        "claims_audit",
        "errata",
        "processors",
    ):
        assert f"<script>{TRACE}=1</script>" in shown[name], name  # it is there to be read
        assert "{{ 7*7 }}" in shown[name], name
    assert "{{ 7*7 }}" in shown["your_own_data"]
    assert not [name for name, text in shown.items() if "root:" in text]


@pytest.mark.usefixtures("small_site")
def test_the_explore_page_draws_hostile_names(hostile, tmp_path, monkeypatch, browser):
    """Titles, notes and units of a series go through Vega-Lite, which knows expressions, links and addresses."""
    monkeypatch.setenv("PYTHONHASHSEED", "0")
    monkeypatch.setattr(explorer, "capacity_grid", lambda links: {})
    monkeypatch.setattr(explorer, "plan_grid", dict)
    monkeypatch.setattr(explorer, "LEVELS", (0.95,))  # the fits of four levels take four times as long,
    monkeypatch.setattr(explorer, "_SUBSETS", 0)  # those of all choices of points as long again,
    monkeypatch.setattr(explorer.laws, "made_for_axes", lambda x, y: ["amdahl", "usl"])  # and so those of all laws
    monkeypatch.setattr(explorer.laws, "OF_ANY_AXES", ())
    monkeypatch.setattr(explorer.runs, "series_names", lambda: ["web_users"])
    panel = {"text/html": '<div data-panel="fit"></div><!-- panel -->', "text/plain": ""}
    notebook = write_executed(tmp_path / "explore.ipynb", "# Explore", panel)
    with tables.using(hostile):
        runs = {run.name: run for run in reports.runs()}
        site.build_site([(runs["explore"], notebook)], tmp_path / "site")
    page, wrong = opened(browser, 1200)
    page.goto((tmp_path / "site" / "explore.html").as_uri() + "#panel=fit&series=web_users")
    page.locator("#panel-fit .drawing svg").wait_for()
    page.locator("#panel-fit .numbers summary").click()
    page.locator("#panel-fit .drawing [aria-roledescription=point]").first.hover()
    assert f"<script>{TRACE}=1</script>" in page.locator("#panel-fit").inner_text()
    assert_only_text(page.evaluate(SEEN), "explore")
    assert wrong == []


TAGS = {"p", "ul", "li", "strong"}


@example(["**", "**"])
@example(["**", " ", "**", "**"])
@given(st.lists(st.sampled_from([*PARTS, *"\\`*_{}[]()#+-.!|<>&=~%:$'\" \n\t1a", "**", "- ", "    "]), max_size=12))
def test_sentences_have_no_markup_but_their_own(parts):
    """As MyST and JupyterLab would read them: bold and lists, no tag, link, image, heading, code or rule."""
    text = "".join(parts)
    read = MarkdownIt("commonmark", {"html": True}).enable("table").render
    html = read(rendering.SafeMarkdown(text)._repr_markdown_())
    assert set(re.findall(r"<(\w+)", html)) <= TAGS, html
    assert read(rendering.SafeMarkdown("**2 < 3_a_b.** So.")._repr_markdown_()) == (
        "<p><strong>2 &lt; 3_a_b.</strong> So.</p>\n"
    )
    assert read(rendering.SafeMarkdown("- a\n- 1. b")._repr_markdown_()).count("<li>") == 2


def test_no_notebook_makes_markdown_of_its_own():
    """Its sentences have names of systems and titles in them: `rendering.SafeMarkdown` knows what may be markup."""
    for path in (ROOT / "notebooks").glob("*.ipynb"):
        sources = [cell.source for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
        assert not re.search(r"IPython|\bMarkdown\(|\bHTML\(", "\n".join(sources)), path.name


# --- a terminal


def on_a_terminal(*words):
    """What a command writes to a terminal, and its exit status."""
    parent, child = pty.openpty()
    run = [sys.executable, "-m", "dominoperf.cli", *words]
    plain = os.environ | {"NO_COLOR": "1"}  # else our own bold is among it
    done = subprocess.Popen(run, stdout=child, stderr=child, stdin=subprocess.DEVNULL, env=plain)
    os.close(child)
    told = b""
    while True:
        try:
            more = os.read(parent, 65536)
        except OSError:  # the other end is closed
            break
        told += more
    os.close(parent)
    return told.decode(), done.wait()


@pytest.mark.parametrize(
    "words", [["describe", "evil_tier/scaling"], ["tables", "evil_tier/scaling", "--format", "csv"]]
)
def test_a_terminal_is_told_nothing_it_would_obey(hostile, words):
    said, status = on_a_terminal(*words, "--data", str(hostile))
    assert status == 0, said
    assert "owned" in said
    assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", said)


def test_messages_and_notes_are_tame(hostile, capsys):
    """Whether on a terminal or in a log that somebody reads on one."""
    from dominoperf.cli import main

    assert main(["check", str(hostile)]) in (0, 1)
    assert main(["describe", f"evil_tier/{EVIL}"]) == 2
    said = capsys.readouterr().err
    assert "\\x1b]0;owned\\x07" in said
    assert not set(said) & set("\x1b\x07\x9b\u202e")


# --- a spreadsheet

COMPUTED = ("=1", "@SUM(1)", "-1+1", "+1+1", "+A1", "-$B$2", "@A1", "\n=1", "＝1", "－1", "-2*3", "-1e5+1", FORMULA)


@pytest.mark.parametrize("cell", COMPUTED)
def test_what_a_spreadsheet_would_compute_has_an_apostrophe(cell):
    assert rendering.csv_cell(cell).startswith("'")


@pytest.mark.parametrize(
    "cell", ["-1", "+1.5", "-1e-5", "-.5", "--", "-ft -s 60 -c 251", "@delivered_recipients", "'x"]
)
def test_what_documents_print_has_none(cell):
    assert rendering.csv_cell(cell) == cell


@given(st.floats(allow_nan=False))
def test_numbers_are_never_touched(number):
    assert not rendering.csv_cell(number).startswith("'")
    assert not rendering.csv_cell(str(number)).startswith("'")


# --- files


@pytest.fixture
def alone(monkeypatch):
    """Nobody is asked for anything."""

    def refused(*asked, **_):
        raise AssertionError(f"a connection to {asked}")

    for name in ("connect", "connect_ex", "bind"):
        monkeypatch.setattr(socket.socket, name, refused)
    monkeypatch.setattr(socket, "getaddrinfo", refused)


@pytest.fixture
def own(tmp_path):
    """A copy of the example beside something secret."""
    (tmp_path / "secret.csv").write_text("a,b\nsecret,1\n")
    return Path(shutil.copytree(EXAMPLE, tmp_path / "mine"))


def looked_at(folder):
    """What is said of a folder by what reads it first: its check, and its tables where it can be used."""
    told = tables.check(folder).to_string()
    try:
        with tables.using(folder) as path:
            return told + "".join(tables.load(id, text=True).to_string() for id in tables.list_tables(path.name)["id"])
    except DominoperfError as error:
        return told + str(error)


PLACES = ("../secret.csv", "/etc/passwd", "http://127.0.0.1:9/x", "file:///etc/passwd", "local:///etc/passwd")
PLACES += ("simplecache::http://127.0.0.1:9/x.csv", "memory://x", "a/../../secret.csv", "..\\secret.csv", "C:\\x", "\0")


@pytest.mark.parametrize("place", PLACES)
def test_a_path_stays_in_its_folder(own, alone, place):
    package = read_package(own)
    package["resources"][0]["path"] = place
    write_package(own, package)
    told = looked_at(own)
    assert "a path that leaves the folder" in told
    assert "root:" not in told
    assert "secret,1" not in told


@pytest.mark.parametrize("place", ["http://127.0.0.1:9/x.json", "../secret.json", "xlsx"])
def test_no_description_is_fetched(own, alone, place):
    """Neither from an address nor from beside the folder, and no other program of the library reads the file."""
    (own.parent / "secret.json").write_text(json.dumps({"fields": [{"name": "secret"}]}))
    package = read_package(own)
    package["profile"] = package["$schema"] = place
    for key in ("dialect", "profile", "$schema", "checklist", "pipeline", "format", "scheme", "compression"):
        package["resources"][0][key] = place
    write_package(own, package)
    told = looked_at(own)
    assert f"the place '{place}'" in told
    for words in ("is not safe", "cannot retrieve", "invalid excel"):
        assert words not in told


@pytest.mark.parametrize("name", ["scaling.csv", "claims.csv", "errata.csv", "series.toml", "datapackage.json"])
def test_a_link_out_of_the_folder_is_not_followed(own, alone, name):
    """A folder that somebody packed shows nothing of this machine."""
    outside = own.parent / f"outside-{name}"
    shutil.move(own / name, outside)
    (own / name).symlink_to(outside)
    problems = tables.check(own)
    assert len(problems)
    with pytest.raises(BadTable, match="leaves the folder"), tables.using(own):
        pass


def test_half_a_character_is_told(own):
    """JSON can write it, and no file could hold it."""
    write_package(own, read_package(own) | {"title": "\ud800"})
    assert "surrogates" in tables.check(own)["found"].iloc[0]
    with pytest.raises(BadTable, match="surrogates"):
        tables.use(own)


DANGEROUS = {"eval", "exec", "__import__", "system", "popen", "extractall", "full_load", "unsafe_load", "read_pickle"}


def test_nothing_is_loaded_that_can_run():
    """No pickle, no YAML beyond plain values, no archive unpacked, no shell, no text compiled."""
    for path in (ROOT / "dominoperf").rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.Import | ast.ImportFrom):
                names = {alias.name for alias in node.names} | {getattr(node, "module", "")}
                assert not names & {"pickle", "marshal", "shelve", "dill", "cloudpickle"}, path
            if isinstance(node, ast.Call):
                called = getattr(node.func, "id", "") or node_name(node.func)
                of = getattr(getattr(node.func, "value", None), "id", "")
                assert called not in DANGEROUS, (path, node.lineno)
                assert (of, called) not in {("yaml", "load"), ("pickle", "loads")}, (path, node.lineno)
                assert not {each.arg for each in node.keywords} & {"shell", "allow_pickle"}, (path, node.lineno)


def node_name(function):
    """The name of a method; simpleeval's is called eval."""
    name = getattr(function, "attr", "")
    return "" if name == "eval" else name


# --- what somebody else wrote as an expression, a parameter, a request

REFUSED = ["x.__class__", "[a for a in x]", "(lambda: 1)()", "f'{x}'", "'a' * 10**9", "t * 9", "'%999999999d' % 5"]
REFUSED += ["1 << 10**9", "1 << 9", "1 | 2", "__import__('os')", "x[0]", "(1,) * 10**9", "(a := 5)", "1; 2", "1\n2"]
REFUSED += ["max", "...", "b'a'", "None", "1j", "exp(x, x)", "abs(x, x)", "sqrt(x, out=x)", "max(*x)", "all(x, 0, x)"]
REFUSED += ["t + t", "f'{x:>1000000000}'", "x = 1", "unknown(1)", "nothing", "1 / 0", "all(x", "x if x else 1"]
REFUSED += ["(" * 240 + "1" + ")" * 240, "1+" * 300 + "1", "x.tofile('pwned')", "open('pwned', 'w')", "import os", ""]


@pytest.mark.parametrize("expression", REFUSED)
def test_an_expression_is_arithmetic_alone(expression):
    """Anything else is refused at once, and the cells stay as they were."""
    cells = np.array([1.0, 2.0, 3.0])
    with pytest.raises(BadTable, match=r"^here"):
        expressions.evaluate(expression, {"x": cells, "t": "text"}, expressions.FUNCTIONS, "here")
    assert cells.tolist() == [1, 2, 3]


def test_powers_are_soon_done():
    assert np.isinf(expressions.evaluate("9**9**9**9", {}, {}, "here"))


CODE = '\'; import os; os._exit(3) #\n"""\\' + EVIL


def test_a_parameter_of_a_notebook_is_a_value(tmp_path):
    """Through papermill into a kernel and back, to the letter."""
    shown = "import pathlib; pathlib.Path(OUT).write_text(name, encoding='utf-8', newline='')".replace(
        "OUT", repr(str(tmp_path / "said"))
    )
    path = write_notebook(tmp_path / "n.ipynb", shown, parameters="name: str = ''")
    reports.run_notebook(path, {"name": CODE}, out=tmp_path / "out")
    assert (tmp_path / "said").read_text(encoding="utf-8") == CODE.replace("\r", "\n")


# --- what we depend on

FREE = {
    "0BSD",
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "CC0-1.0",
    "ISC",
    "MIT",
    "MIT-0",
    "MIT-CMU",
    "PSF-2.0",
    "Zlib",
}
BY_FILE = {"MPL-2.0"}  # binds who changes its files; we change none
THOUGHT_OF = {
    "docutils": "the GPL is that of an Emacs mode in its tools; the library is in the public domain or BSD",
    "text-unidecode": "of its two licences we take the Artistic one; frictionless uses it through python-slugify",
}


def test_the_licences_are_listed_and_known():
    """In step with the lock; each may be used by a package under MIT, or has been thought of."""
    if "lowest-direct" in licences.LOCK.read_text(encoding="utf-8"):
        pytest.skip("a lock of the lowest versions: the list is of the newest")
    assert list(licences.rows()) == list(licences.read().values()), "run python tests/licences.py"
    told = {name: set(re.split(" AND | OR ", row["licence"])) for name, row in licences.read().items()}
    assert {name for name, terms in told.items() if not terms <= FREE | BY_FILE} == set(THOUGHT_OF)
