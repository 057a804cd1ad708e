"""Every notebook keeps the rules: prose with calls, one typed parameters cell, no stored output."""

import ast
import json
import re
from pathlib import Path

import papermill
import pytest

import dominoperf
from dominoperf import laws, reports
from dominoperf.errors import DominoperfError
from dominoperf.reports.notebooks import declared_parameters, notebooks_folder

LINK = re.compile(r"\[([^\]]*)\]\(([^)]*)\)")
NOTEBOOKS = sorted(notebooks_folder().glob("*.ipynb"))


@pytest.fixture(params=NOTEBOOKS, ids=lambda path: path.stem)
def notebook(request):
    """A notebook as its path and cells."""
    return request.param, json.loads(request.param.read_text(encoding="utf-8"))["cells"]


def code(cells):
    """The source of the code cells."""
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]


def test_every_notebook_is_in_the_run_list():
    """A notebook that nothing runs is dead; a run needs its notebook."""
    assert {run.notebook for run in reports.runs()} == {path.stem for path in NOTEBOOKS}
    names = [run.name for run in reports.runs()]
    assert len(names) == len(set(names))


def test_one_typed_parameters_cell(notebook):
    """Papermill finds each parameter with its type and its help, the same that we read."""
    path, cells = notebook
    assert sum("parameters" in cell["metadata"].get("tags", []) for cell in cells) == 1
    known = papermill.inspect_notebook(str(path))
    assert known
    assert all(about["inferred_type_name"] != "None" and about["help"] for about in known.values())
    assert declared_parameters(path) == {name: about["inferred_type_name"] for name, about in known.items()}


def test_no_stored_output(notebook):
    """Outputs belong to the run."""
    assert not any(cell.get("outputs") or cell.get("execution_count") for cell in notebook[1])


def test_prose_with_calls(notebook):
    """No cell of code is over 15 lines; no function, class, loop over what the library should do, or empty cell."""
    sources = code([cell for cell in notebook[1] if "parameters" not in cell["metadata"].get("tags", [])])
    assert max(source.count("\n") + 1 for source in sources) <= 15
    banned = (ast.FunctionDef, ast.ClassDef, ast.For, ast.While, ast.Lambda)
    assert not any(isinstance(node, banned) for source in sources for node in ast.walk(ast.parse(source)))
    assert all("".join(cell["source"]).strip() for cell in notebook[1])


def test_every_cell_of_prose_says_something(notebook):
    """No filler between cells of code, such as a line that ends in a colon; no paragraph over 600 characters."""
    prose = ["".join(cell["source"]) for cell in notebook[1] if cell["cell_type"] == "markdown"]
    body = [re.sub(r"^#.*\n*", "", text).strip() for text in prose]
    assert [text for text in body if text.endswith((":", ",")) and len(text) < 60] == []
    assert [text for text in prose if max(map(len, text.splitlines())) > 600] == []


def test_the_answer_comes_first(notebook):
    """Right after what it is computed from; a document and the panels of an interactive page are their own answer."""
    path, cells = notebook
    findings = [k for k, cell in enumerate(cells) if "finding" in cell["metadata"].get("tags", [])]
    headings = [k for k, cell in enumerate(cells) if "".join(cell["source"]).startswith("## ")]
    if path.stem not in ("01_published_tables", "03_explore"):
        assert "".join(cells[headings[0]]["source"]) == "## The answer"
        assert findings == list(range(headings[0] + 1, headings[1]))


def test_no_number_typed_in_prose(notebook):
    """A number of the data in a sentence would be false under other parameters."""
    prose = " ".join("".join(cell["source"]) for cell in notebook[1] if cell["cell_type"] == "markdown")
    prose = LINK.sub(r"\1", prose)  # the name of a notebook begins with its number
    prose = re.sub(r"\$[^$\n]+\$", "", prose)  # the digits of a formula are the same for all data
    prose = re.sub(r"\b(RAID|Domino) \d\b", r"\1", prose)  # a level of RAID and a release are names
    prose = re.sub(r"`[a-z]\w*`", "", prose)  # and that of a parameter may have one: `response_p95_s`
    assert not [word for word in prose.split() if any(c.isdigit() for c in word)]


def test_no_parameter_of_one_law_is_explained():
    """The law of the drives is the reader's choice: what is said of another's parameters is false beside its table."""
    cells = json.loads((notebooks_folder() / "40_disk.ipynb").read_text(encoding="utf-8"))["cells"]
    prose = " ".join("".join(cell["source"]) for cell in cells if "parameters of that law" in "".join(cell["source"]))
    assert prose
    assert not [each.name for law in laws.family("disk") for each in law.params if f"`{each.name}`" in prose]


def test_a_price_of_too_little_memory_says_so():
    """Five ProSignia 200 with 128 MB each are half as dear as the cheapest set, and need 363 MB."""
    cells = json.loads((notebooks_folder() / "72_choice_and_risk.ipynb").read_text(encoding="utf-8"))["cells"]
    assert ['alone["reason"]' in source for source in code(cells) if "x {other} for" in source] == [True]


def test_domino_6_is_always_compared_with_domino_5():
    """As in the sentences of its article; the other way round a migration fills more than the whole machine."""
    assert not {"baseline", "comparison"} & declared_parameters(notebooks_folder() / "70_workloads.ipynb").keys()


def test_leads_on(notebook):
    """A reader who is through is told where to go on; every link leads to a notebook that is there."""
    prose = ["".join(cell["source"]) for cell in notebook[1] if cell["cell_type"] == "markdown"]
    links = [target for text in prose for _, target in LINK.findall(text)]
    assert {f"{path.stem}.ipynb" for path in NOTEBOOKS} >= set(links)
    assert LINK.search(prose[-1]), "the last text cell of a notebook links to the one to read next"


def test_what_is_sorted_has_one_order(notebook):
    """NumPy orders equal values by what the processor has instructions for, unless it is asked for a stable order."""
    assert [told for source in code(notebook[1]) for told in unstable(source)] == []


def test_what_the_library_sorts_has_one_order():
    """Its tables and pictures too."""
    paths = Path(dominoperf.__file__).parent.rglob("*.py")
    assert [(path.stem, told) for path in paths for told in unstable(path.read_text(encoding="utf-8"))] == []


def run_here(notebook, values):
    """The names of a notebook run in this process, with these values in place of its parameters' own."""
    names = {}
    for cell in json.loads((notebooks_folder() / f"{notebook}.ipynb").read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), names)
            names |= values if "parameters" in cell["metadata"].get("tags", []) else {}
    return names


@pytest.mark.parametrize(
    ("notebook", "name", "value", "told"),
    [
        ("02_benchmarks", "workload", "Mial", "^workload: expected a known .*, found 'Mial'. Did you mean Mail"),
        ("30_memory", "workload", "[", r"^workload: expected a pattern of .*, found '\['. Known are Mail, "),
        ("30_memory", "table", "rhel5/results", "^table: expected a table of .* Known are .*/table_3_2, "),
        ("40_disk", "law", "spindle", "^law: expected the name of a .*'spindle'. Did you mean spindles"),
        ("60_price", "source", "rhel5", "^source: expected a known name of at least 2 runs, found 'rhel5'"),
        ("70_workloads", "generation", "R7", "the beginning of a known name, found 'R7'. Known are R6Mail, "),
        ("03_explore", "release", "5", "^parameter release: expected a known .*'5'. .* Known are 4.5, "),
        ("65_capacity", "system", "Foo", "found 'Foo'. .*, ram_mb, ...[.]$"),
    ],
)
def test_a_name_that_is_not_known_is_told_with_those_that_are(tmp_path, monkeypatch, notebook, name, value, told):
    """Where the notebook picks its data: no error of what it does with none, and no page about nothing."""
    monkeypatch.setenv("DOMINOPERF_OUT", str(tmp_path))
    with pytest.raises(DominoperfError, match=told):
        run_here(notebook, {name: value})


def test_prices_of_every_platform_name_it_so(tmp_path, monkeypatch):
    """The sentences and pictures had nothing where the platform is named."""
    monkeypatch.setenv("DOMINOPERF_OUT", str(tmp_path))
    assert run_here("60_price", {"platform": ""})["scope"]["platform"] == "any platform"


def unstable(source):
    """The calls that sort by one column in no stable order; by several pandas always does."""
    for call in [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]:
        named = {each.arg: each.value for each in call.keywords}
        several = call.args and isinstance(call.args[0], ast.List) and len(call.args[0].elts) > 1
        if getattr(call.func, "attr", "") in {"sort_values", "argsort"} and "kind" not in named and not several:
            yield ast.unparse(call)
