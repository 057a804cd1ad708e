"""JupyterLab and the app, as `dominoperf lab` and `dominoperf app` start them, in a real browser."""

import re
import shutil
import urllib.error
import urllib.request
from types import SimpleNamespace

import nbformat
import pytest
from browsing import opened, serving
from conftest import ROOT, write_notebook

from dominoperf import reports
from dominoperf.app import jupyter_classes, servers
from dominoperf.errors import ReportFailed, UnknownName
from dominoperf.reports import notebooks

# Runs all cells of the notebook in front, once its kernel is there: waiting for "idle" alone hangs one time in three.
RUN_ALL = """async () => {
  const app = window.jupyterapp; await app.restored;
  const shown = app.shell.currentWidget; await shown.context.ready; await shown.sessionContext.ready;
  await shown.sessionContext.session.kernel.info;
  await app.commands.execute("notebook:run-all-cells");
  const cells = shown.content.model.cells, found = [];
  for (let k = 0; k < cells.length; k++) {
    const cell = cells.get(k);
    if (cell.type !== "code") continue;
    const outputs = cell.outputs.toJSON();
    found.push([cell.executionCount, outputs.filter(each => each.output_type === "error").map(each => each.evalue)]);
  }
  return found;
}"""


@pytest.fixture
def checkout(tmp_path):
    """A checkout whose notebooks a test may write to, compiled as it is here."""
    for name in ("dominoperf", "data", "notebooks"):
        shutil.copytree(ROOT / name, tmp_path / "checkout" / name)
    return tmp_path / "checkout"


def keep_the_plan_alone(path):
    """Leave of the interactive notebook what plans and what saves the plan: the app shows all of it."""
    notebook = nbformat.read(path, as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    notebook.cells = [code[0], code[1], next(cell for cell in code if "PlanPanel" in cell.source), code[-1]]
    lines = code[-1].source.splitlines()
    code[-1].source = "\n".join(line for line in lines if line.startswith("dp.save(plans."))
    path.write_text(nbformat.writes(notebook) + "\n", encoding="utf-8")


def test_the_welcome_page_has_a_question_for_every_notebook():
    """Every report stands in it under the question that heads it, and nothing else does."""
    text = (ROOT / "notebooks" / servers.WELCOME).read_text(encoding="utf-8")
    linked = dict(re.findall(r"^\| ([^*|]+) \| \[\w+\]\((\w+\.ipynb)\) \|$", text, re.MULTILINE))
    questions = {f"{run.notebook}.ipynb": _question(run.notebook) for run in reports.runs()}
    assert {name: question for question, name in linked.items()} == questions


def _question(stem):
    first = nbformat.read(ROOT / "notebooks" / f"{stem}.ipynb", as_version=4).cells[0]
    return first.source.splitlines()[0].removeprefix("# ")


def test_a_folder_gets_what_it_lacks_and_keeps_what_it_has(tmp_path):
    """What a user changed, or added, stays; what is missing comes."""
    changed, own = tmp_path / "20_processors.ipynb", tmp_path / "mine.txt"
    changed.write_text("mine")
    own.write_text("mine")
    servers.notebooks_folder_to_open(tmp_path)
    assert changed.read_text() == own.read_text() == "mine"
    names = {path.name for path in notebooks.notebooks_folder().glob("*.ipynb")} | {servers.WELCOME, own.name}
    assert {path.name for path in tmp_path.iterdir()} == names
    assert (tmp_path / "03_explore.ipynb").read_bytes() == (ROOT / "notebooks" / "03_explore.ipynb").read_bytes()


def test_a_file_is_no_folder(tmp_path):
    (tmp_path / "file").write_text("mine")
    with pytest.raises(UnknownName, match="a folder"):
        servers.notebooks_folder_to_open(tmp_path / "file")
    assert (tmp_path / "file").read_text() == "mine"


def test_an_installed_package_copies(tmp_path, monkeypatch):
    """Its own notebooks lie where nobody should write."""
    shutil.copytree(ROOT / "notebooks", tmp_path / "_notebooks")
    monkeypatch.setattr(notebooks, "notebooks_folder", lambda: tmp_path / "_notebooks")
    monkeypatch.chdir(tmp_path)
    assert servers.notebooks_folder_to_open(None) == tmp_path / servers.COPIES
    assert (tmp_path / servers.COPIES / servers.WELCOME).is_file()


def executed(stem):
    """A notebook of ours as JupyterLab sends it to be saved: with outputs, and words about the machine."""
    content = nbformat.read(ROOT / "notebooks" / f"{stem}.ipynb", as_version=4)
    content.metadata["widgets"] = {"state": {}}
    content.metadata["language_info"] = {"name": "python", "version": "3.99"}
    for cell in content.cells:
        cell.metadata["trusted"] = True
        if cell.cell_type == "code":
            cell.execution_count, cell.outputs = 7, [nbformat.v4.new_output("stream", text="said")]
    return {"type": "notebook", "content": content}


def test_a_report_is_saved_without_outputs_and_your_own_notebook_with_them():
    manager = SimpleNamespace(_get_os_path=lambda path: str(ROOT / "notebooks" / path))
    model = executed("20_processors")
    jupyter_classes.notebook_without_outputs(model, "20_processors.ipynb", manager)
    assert nbformat.from_dict(model["content"]) == nbformat.read(
        ROOT / "notebooks" / "20_processors.ipynb", as_version=4
    )
    for path in ("my_copy.ipynb", "mine/20_processors.ipynb"):
        model = executed("20_processors")
        jupyter_classes.notebook_without_outputs(model, path, manager)
        assert model == executed("20_processors")


def visit(notebook, **asked):
    """The notebook as a visitor with these words in the address gets it."""
    request = SimpleNamespace(query_arguments=asked)
    handler = SimpleNamespace(request=request, get_argument=asked.__getitem__, xsrf_token=b"")
    return servers.notebook_with_address_parameters(
        notebook, handler, nbformat.read(notebook, as_version=4), str(notebook.parent)
    ).cells


def test_an_address_gives_parameters(tmp_path):
    """As the types say; text stays text whatever it holds; the token is no word for the notebook."""
    path = write_notebook(tmp_path / "n.ipynb", "1", parameters="n: int = 1\nname: str = ''")
    before = nbformat.read(path, as_version=4).cells
    name = '\'; import os #\n"""'
    cells = visit(path, n="3", name=name, token="secret")
    assert [cells[0], *cells[2:]] == before
    given = {}
    exec(cells[1].source, given)
    assert (given["n"], given["name"]) == (3, name)
    assert "secret" not in cells[1].source


@pytest.mark.parametrize(
    "asked", [{"n": "x"}, {"n": "1.5"}, {"n": "<img src=x>"}, {"nn": "1"}, {"os.system": "1"}, {"theme": "dark"}]
)
def test_a_mistake_in_an_address_is_told(tmp_path, asked):
    """At the head of the page, as text; the notebook itself runs as it is."""
    path = write_notebook(tmp_path / "n.ipynb", "1")
    told, *cells = visit(path, **asked)
    assert cells == nbformat.read(path, as_version=4).cells
    assert told.cell_type == "markdown"
    assert "Not as asked" in told.source
    assert "<" not in told.source


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({"law": "foo"}, "Known are linear, amdahl"),
        ({"level": "2.0", "law": "usl"}, "0.6 to 0.99"),
        ({"processors": "-1"}, "0 or more"),
        ({"table": "nope"}, "expected a known name"),
    ],
)
def test_a_value_that_no_panel_can_begin_with_is_told_at_the_head(asked, says):
    """In the panel's words; it was an error of the server, and from that panel on the page was empty."""
    path = ROOT / "notebooks" / "03_explore.ipynb"
    told, *cells = visit(path, **asked)
    assert cells == [cell for cell in visit(path) if cell.cell_type == "markdown" or cell.source]
    assert all(words in told.source for words in ("Not as asked", says))
    assert "law = 'usl'" in [cell.source for cell in visit(path, law="usl")]


@pytest.mark.parametrize(
    ("headers", "elsewhere"),
    [
        ({"Host": "127.0.0.1:8888", "Origin": "http://127.0.0.1:8888"}, False),
        ({"Host": "127.0.0.1:8888", "Origin": "http://127.0.0.1:9999"}, True),  # another port of the same site
        ({"Host": "127.0.0.1:8888", "Origin": "null", "Sec-Fetch-Site": "same-origin"}, True),
        ({"Sec-Fetch-Site": "same-origin"}, False),
        ({"Sec-Fetch-Site": "none"}, False),  # typed by the user
        ({"Sec-Fetch-Site": "same-site"}, True),
        ({"Sec-Fetch-Site": "cross-site"}, True),
        ({}, False),  # no browser
    ],
)
def test_a_request_of_another_origin_is_known(headers, elsewhere):
    assert jupyter_classes.request_of_other_origin(headers) is elsewhere


def test_what_cannot_be_served_is_refused_before_anything_starts(tmp_path):
    with pytest.raises(UnknownName, match="explored"):
        servers.app("explored")
    with pytest.raises(ReportFailed, match="parameters"):
        servers.app(_untagged(tmp_path))


def _untagged(folder):
    nbformat.write(nbformat.v4.new_notebook(), folder / "n.ipynb")
    return folder / "n.ipynb"


def status(address):
    """What a visitor without the token gets in the end."""
    try:
        with urllib.request.urlopen(address) as answer:
            return answer.url
    except urllib.error.HTTPError as error:
        return error.code


def test_jupyterlab_from_the_welcome_page_to_a_plan(checkout, tmp_path, browser):
    """The welcome page leads to the interactive notebook; it runs to its end, a slider moves the plan, nothing is kept.

    Its tables are those of the headless run. Nothing is asked of any other machine, and without the token there is only
    the page that asks for it.
    """
    keep_the_plan_alone(checkout / "notebooks" / "03_explore.ipynb")
    before = (checkout / "notebooks" / "03_explore.ipynb").read_bytes()
    with serving(tmp_path, "lab", package=checkout) as address:
        assert "/login" in status(address.partition("?")[0])
        with opened(browser, address) as page:
            page.locator(".jp-MarkdownViewer >> text=03_explore").first.click()
            page.wait_for_function("window.jupyterapp?.shell.currentWidget?.context?.path === '03_explore.ipynb'")
            ran = page.evaluate(RUN_ALL)
            assert [count for count, _ in ran] == list(range(1, len(ran) + 1))
            assert [errors for _, errors in ran if errors] == []
            move_a_slider(page)
            page.evaluate("() => window.jupyterapp.commands.execute('docmanager:save')")
    assert (checkout / "notebooks" / "03_explore.ipynb").read_bytes() == before
    saved = {path.name: path.read_text() for path in (tmp_path / "runs" / "interactive").glob("*.[cm]*")}
    assert "explore_plan.csv" in saved
    assert saved == {name: (ROOT / "reports" / "tables" / name).read_text() for name in saved}


def move_a_slider(page):
    """Move the slider of the first group of people by the keyboard; both plans follow."""
    from playwright.sync_api import expect

    cells = page.locator(".jupyter-widgets tr", has_text="mail: people, light_mail").first.locator("td")
    cells.nth(1).wait_for()
    before = cells.all_text_contents()
    page.locator(".widget-slider", has_text="Light mail, people").locator("[role=slider]").press("ArrowRight")
    expect(cells.nth(1)).not_to_have_text(before[1], timeout=30_000)
    after = cells.all_text_contents()
    assert after[1] == after[2]
    assert int(after[1].replace(",", "")) > int(before[1].replace(",", ""))


def a_file_gets_a_curve(page, path):
    """Choose a file: its columns are fitted, and the curve, beside all of its controls, tells what it gives."""
    path.write_text("threads,rate\n1,100\n2,190\n4,330\n8,500\n", encoding="utf-8")
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Your own CSV file").click()
    chooser.value.set_files(path)
    page.get_by_text("Where threads = 8, rate = ").first.wait_for()
    curve = page.locator(".vega-embed svg").first
    curve.scroll_into_view_if_needed()
    box, button = curve.bounding_box(), page.locator(".widget-upload").bounding_box()
    assert box["y"] + box["height"] - button["y"] < 1000
    curve.hover(position={"x": box["width"] / 2, "y": box["height"] / 3})
    page.locator("#vg-tooltip-element >> text=threads: ").wait_for()


def test_the_app(tmp_path, browser):
    """It shows no code and fits a phone and a desk; a slider moves the plan, a file gets a curve: one kernel serves.

    It ends with the page.
    """
    with serving(tmp_path, "app") as address:
        assert "/login" in status(address.partition("?")[0])
        with opened(browser, address, width=390, scheme="dark") as page:
            move_a_slider(page)
            for width, scheme in ((390, "dark"), (1200, "light")):
                page.emulate_media(color_scheme=scheme)
                page.set_viewport_size({"width": width, "height": 900})
                assert page.locator(".jp-InputArea-editor:visible").count() == 0
                assert page.get_by_role("heading", name="The answer").count() == 0  # it would not follow
                assert page.evaluate("document.documentElement.scrollWidth") <= width
            a_file_gets_a_curve(page, tmp_path / "mine.csv")
            page.goto("about:blank")
            while "Kernel shutdown" not in (said := (tmp_path / "said.txt").read_text()):
                assert "403" not in said
                page.wait_for_timeout(100)
