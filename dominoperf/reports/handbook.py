"""The handbook in the site: how to, methods, glossary, reference, data, citation; made from registries and files.

Its pages lie in a folder of their own, so that their names meet no run's: those are plain file names.
"""

import ast
import csv
import math
import re
import string
import tomllib

import pandas as pd

from dominoperf import machines, planning, tables
from dominoperf.errors import capitalized
from dominoperf.laws import FAMILIES, LAWS
from dominoperf.planning.rules import planning_method
from dominoperf.reports import citation, downloads, linking, reference
from dominoperf.reports.cells import FOLDER as FILES
from dominoperf.reports.cells import handbook_text, notebook_of_cells, rendered_template
from dominoperf.reports.notebooks import pages_of_documents
from dominoperf.study.audit import coding
from dominoperf.study.commands import RUN_IT
from dominoperf.tables import rendering
from dominoperf.tables.columns import meaning_and_empty

FOLDER = "handbook"
_COMMENTED = re.compile(r"^(\S.*?) {2,}# (.*)$", re.MULTILINE)  # on a page the comment is over its line
SEAMS = ("data", "law", "series", "reader", "report", "claim", "document", "rules")
"""What can be added: a section each of the page that says how, with an example that a test runs."""
PAGES = {
    "run_it": "Run it",
    "how_to": "How to add something",
    "load_tests": "Load tests, from files to a decision",
    "methods": "Methods and formulas",
    "codebook": "How a claim gets its verdict",
    "glossary": "Glossary",
    "reference": "API reference",
    "data": "Data to download",
    "cite": "How to cite",
}
LISTED = tuple((f"{FOLDER}/{name}", label) for name, label in PAGES.items())


def handbook_pages(pages, audited):
    """Return the pages that follow from the library and the data alone, as notebooks by the name Sphinx knows them by.

    `pages` has the runs that have a page, with their executed notebooks: what the data link to. `audited` is a
    function that gives the `Audit` of the claims of all documents.
    """
    about = citation.software_citation()
    cited = {"about": about, "bibtex": citation.bibtex(about), "entries": citation.document_references()}
    made = {
        "run_it": notebook_of_cells(_COMMENTED.sub(r"# \2\n\1", RUN_IT.read_text(encoding="utf-8"))),
        "how_to": notebook_of_cells(
            handbook_text("how_to.md"), *(handbook_text(f"how_to/{seam}.md") for seam in SEAMS)
        ),
        "load_tests": load_tests_page(),
        "methods": methods_page(linking.LocatorLinks([run for run, _ in pages], {})),
        "codebook": codebook_page(audited()),
        "data": downloads.downloads_page(pages),
        "cite": notebook_of_cells(handbook_text("cite.md"), rendered_template("handbook/cite.html", **cited)),
        "reference": reference.reference_page(),
    }
    return {f"{FOLDER}/{name}": page for name, page in (made | reference.pages_of_rooms()).items()}


def load_tests_page():
    """Return the page; what it says of simulated rates of a node is counted from a file with a row for each design."""
    designs = tables.read_table(FILES / FOLDER / "node_rates.csv")
    rows = []
    for group, part in designs.groupby("group", sort=False):
        nodes, suffice = part["nodes"].sum(), part["nodes_suffice"].sum()
        rows.append({
            "Simulated load tests": capitalized(group),
            "Designs": len(part),
            "Intervals that hold the true rate": _from_to(100 * part["held"] / part["tests"]),
            "Width of the interval": _from_to(part["width_percent"]),
            "Nodes that suffice": f"{suffice} of {nodes}, {100 * suffice / nodes:.0f}\u00a0%",
        })  # fmt: skip
    grows = designs[designs["noise_last_percent"] > designs["noise_first_percent"]]
    words = {
        "designs": len(designs),
        "tests": designs["tests"].iloc[0],
        "table": rendering.as_markdown(pd.DataFrame(rows)),
    }
    words |= {f"noise_{end}": f"{grows[f'noise_{end}_percent'].iloc[0]:g}" for end in ("first", "last")}
    return notebook_of_cells(string.Template(handbook_text("load_tests.md")).substitute(words))


def _from_to(percents):
    """The least and the greatest of percents in words."""
    low, high = f"{percents.min():.0f}", f"{percents.max():.0f}"
    return f"{low} %" if low == high else f"{low} to {high} %"


_ERRORS = {
    "relative": "grows with the value: a residual counts as a share of it",
    "constant": "the same at every value",
}
_SUMS = (ast.Add, ast.Sub)
_NAMED = ("exp", "max", "min", "sin", "cos", "tan", "sinh", "cosh", "tanh")  # what LaTeX has a sign for
_CALLS = {"sqrt": r"\sqrt{%s}", "ln": r"\ln %s", **{name: rf"\{name}\left( %s \right)" for name in _NAMED}}
_SHORT = {"S": "service_s", "R_max": "response_max_s", "rate": "rate_per_s", "c": "servers"}  # letters in formulas
_HEADS = {
    "processors": "Users against processors",
    "overhead": "Forms of overhead, for forecasts",
    "clock": "Capacity against the clock",
    "cache": "Capacity against the cache",
    "sizing": "Memory that users need",
    "memory": "Response against memory",
    "disk": "Response against drives",
    "utilization": "Utilization against users",
    "response": "Response against utilization or users",
    "price": "Users against price",
    "cost": "Price against users",
}


def methods_page(links):
    """Return the page: the laws by family, each once, then inference, planning and audit in words; `links` to rows."""
    cells = [handbook_text("methods.md")]
    for family in dict.fromkeys(law.family for law in LAWS.values()):
        listed = ", ".join(f"{{ref}}`{name} <law-{name}>`" for name in FAMILIES[family])
        cells.append(f"### {_HEADS.get(family, family.capitalize())}\n\nFamily `{family}`: {listed}.")
        for law in (law for law in LAWS.values() if law.family == family):
            cells.append(f"(law-{law.name})=\n#### {law.title}\n\n$$\n{formula_as_latex(law.formula)}\n$$")
            cells.append(_law_html(law))
    terms = machines.effects().round(2)  # what the model of users knows before it sees a run, and what runs leave of it
    priors = rendering.as_markdown(terms[~terms["term"].str.contains("[", regex=False)])  # without those of levels
    printed, corrected = planning.rules_named(planning.rule_sets()[0]), planning.rules_named()
    printed_by = tables.document(planning_method()["document"])["title"]
    rules = []
    for step, name in [(step, name) for step, names in printed.steps.items() for name in names]:
        values = {"printed": printed.value(step, name), "corrected": corrected.value(step, name)}
        place, note = printed.locator(step, name), corrected.steps[step][name].get("note", "")
        href = links.of_place(f"{printed_by}, {printed.steps[step][name]['locator']}")
        about = {"place": place, "href": f"../{href}" if href else "", "note": note}
        rules.append({"step": step, "name": name} | values | about)
    cells += [handbook_text("inference.md"), handbook_text("capacity.md"), priors, handbook_text("planning.md")]
    return notebook_of_cells(*cells, rendered_template("handbook/rules.html", rows=rules), handbook_text("audit.md"))


def formula_as_python(formula):
    """Return a formula of a record as Python: a space is a product, ``^`` a power, ``ln N`` needs no brackets."""
    return re.sub(r"(?<=[\w)]) (?=[\w(])", "*", re.sub(r"ln (\w+)", r"ln(\1)", formula)).replace("^", "**")


def formula_as_latex(formula):
    """Return a formula of a record as LaTeX; as it is where it is no equation."""
    equation, solved, letter = formula.partition(", solved for ")
    if " = " not in equation:
        return rf"\text{{{formula}}}"
    sides = [_latex(ast.parse(formula_as_python(side), mode="eval").body) for side in equation.split(" = ")]
    return " = ".join(sides) + (rf"\text{{{solved}{letter}}}" if solved else "")


def _latex(node, within=()):
    """The LaTeX of a part of a formula, in brackets where it is one of some operations."""
    match node:
        case ast.Name(name):
            return name if len(name) == 1 else rf"\text{{{name}}}"
        case ast.Constant(number):
            return str(number)
        case ast.UnaryOp(_, part):
            return f"-{_latex(part)}"
        case ast.Call(ast.Name(name), parts):
            return _CALLS.get(name, name + r"\left( %s \right)") % ", ".join(map(_latex, parts))
        case ast.BinOp(left, ast.Div(), right):
            made = rf"\frac{{{_latex(left)}}}{{{_latex(right)}}}"
        case ast.BinOp(left, ast.Pow(), right):
            return rf"{_latex(left, ast.operator)}^{{{_latex(right)}}}"
        case ast.BinOp(left, ast.Mult(), right):
            made = rf"{_latex(left, _SUMS)} \, {_latex(right, _SUMS)}"
        case ast.BinOp(left, operation, right):
            made = f"{_latex(left)} {'+' if isinstance(operation, ast.Add) else '-'} {_latex(right, _SUMS)}"
    return rf"\left( {made} \right)" if within and isinstance(node.op, within) else made


def formula_letters(law):
    """Return what a formula calls its x and y, and its short names of parameters; nothing where it is no equation."""
    equation, _, solved_for = law.formula.partition(", solved for ")
    if " = " not in equation:
        return "", "", {}
    names = set(re.findall(r"[A-Za-z_]+(?![\w(])", equation)) - {"ln"}
    short = {letter: long for letter, long in _SHORT.items() if letter in names and long in law.names}
    y = solved_for or equation.partition(" = ")[0]
    (x,) = names - {*law.names, *short, y}
    return x, y, short


def _law_html(law):
    """The table of a law's parameters, and what else is known of it as pairs; the letters of the formula first."""
    params = []
    for param in law.params:
        low, high, held = param.low, param.high, param.held
        above = "any" if math.isinf(low) else f"{low:g} or more"
        below = f"up to {high:g}" if math.isinf(low) else f"{low:g} to {high:g}"
        fitted = "fitted" if held is None else "to be given" if math.isnan(held) else f"held at {held:g}"
        about = {"name": param.name, "meaning": param.meaning, "held": fitted}
        about["unit"] = param.unit.replace("{x}", law.x).replace("{y}", law.y)
        params.append(about | {"range": above if math.isinf(high) else below})
    x, y, short = formula_letters(law)
    axes = [(y, law.y, law.y_unit), (x, law.x, law.x_unit)] if x else []
    explained = [f"`{letter}` is `{column}`" + (f" (in {unit})" if unit else "") for letter, column, unit in axes]
    explained += [f"`{letter}` is `{param}`" for letter, param in short.items()]
    facts = {
        "Letters": f"{', '.join(explained)}." if explained else "",
        "Source": law.source,
        "Equation": law.equation,
        "Example": law.worked_in_words,
        "Where it stops": law.limits,
        "Error": _ERRORS[law.error],
        "Is also": f"`{law.reduces[0]}` where {law.reduces[1]} = {law.reduces[2]:g}" if law.reduces else "",
        "What follows": "; ".join(f"`{quantity.name}`, {quantity.meaning}" for quantity in law.derived),
    }
    known = [(word, text) for word, text in facts.items() if text]
    return rendered_template("handbook/law.html", law=law, about=known, params=params)


_PARTS = {
    "verdict": "The verdicts",
    "evidence": "The grades of evidence",
    "tolerance": "How exact a number is",
    "hedge": "Hedges",
    "assumption": "Assumptions",
}


def codebook_page(audited):
    """Return the page: each rule by which claims are coded, with a claim that it decides, and every assumption."""
    rules = coding.codebook(audited).groupby("part", sort=False)
    parts = [{"name": name, "heading": _PARTS[name], "rules": rows.to_dict("records")} for name, rows in rules]
    assumed = coding.assumptions(audited).to_dict("records")
    return notebook_of_cells(
        handbook_text("codebook.md"), rendered_template("handbook/codebook.html", parts=parts, assumptions=assumed)
    )


_OF_ITS_ROW = {"row": "that of its row", "axis": "that of its axis", "1": "a plain number", "": "text"}


def glossary_page(pages, collected):
    """Return the page."""
    listed = glossary_columns([*collected["headers"], *saved_headers(pages)])
    return notebook_of_cells(
        handbook_text("glossary.md"),
        rendered_template("handbook/glossary.html", terms=glossary_terms(), columns=listed),
    )


def glossary_terms():
    """Return the words of the field in alphabetical order, as dicts of key, term and text."""
    listed = tomllib.loads(handbook_text("terms.toml"))
    return sorted(({"key": key} | term for key, term in listed.items()), key=lambda term: term["term"].lower())


def table_headers(pages):
    """Yield the name of every table in use, the link to it or nothing, and its columns."""
    hrefs = pages_of_documents(run for run, _ in pages)
    for source in tables.sources()["source"]:
        for id in tables.list_tables(source)["id"]:
            columns = list(tables.load(id, "printed", text=True).columns)
            yield id, f"../{hrefs[source]}#{id}" if source in hrefs else "", columns


def saved_headers(pages):
    """Yield the same of every table that the reports save beside their notebooks."""
    for run, executed in pages:
        for path in sorted(executed.parent.glob("*.csv")):
            with path.open(encoding="utf-8", newline="") as lines:
                yield path.stem, f"../{run.name}.html", next(csv.reader(lines), [])


def glossary_columns(headers):
    """Return every column as a dict of name, unit, meaning and places, each with the link to it where there is one."""
    places = {}
    for name, href, header in headers:
        for column in header:
            places.setdefault(column, []).append({"name": name, "href": href})
    rows = []
    for name, column in tables.vocabulary().items():
        unit = column.get("unit", "")
        about = {"unit": _OF_ITS_ROW.get(unit, unit), "meaning": meaning_and_empty(column)}
        rows.append({"name": name, "places": places.get(name, [])} | about)
    return rows
