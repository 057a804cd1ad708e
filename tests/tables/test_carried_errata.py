"""Errata follow the numbers that they touch: to every table and picture, with both readings where they differ."""

import functools
import html
import json
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from conftest import pages_of

from dominoperf import compare, figures, fit, machines, planning, tables
from dominoperf.planning.steps import memory_needed
from dominoperf.reports.notebooks import FINDING, notebooks_folder
from dominoperf.runs import benchmarks, series
from dominoperf.runs.printed_text import read_count
from dominoperf.study import audit, changes, paired_runs, recompute
from dominoperf.study.recompute import readings
from dominoperf.tables import carried_errata, rendering
from dominoperf.tables.folders import our_toml_file
from dominoperf.tables.reading import read_number

RULE, DRIVES, PEAKS = "compaq_domino45/table_3_2", "compaq_domino45/table_3_4", "domino6/peak_load"
CASE = "compaq_domino45/case_study"
TOUCHED = ("20_processors", "30_memory", "40_disk", "50_utilization_and_response", "70_workloads")
_NOTE = re.compile(r"<details.*?</details>|† .*", re.DOTALL)  # what tells of an erratum is not what it changes


def mistakes(*things):
    """The mistakes of the errata that touch something."""
    return {erratum.mistake for erratum in carried_errata.errata_of(*things)}


def test_a_frame_has_the_errata_of_its_columns_and_runs():
    """Each open erratum of a cell of a run touches that column of that run, and no frame without them."""
    runs, wrong = benchmarks(), tables.errata().query("table == 'peak_load' and status == 'suspected'")
    for row in wrong.itertuples():
        one = runs[runs["run"] == f"{PEAKS}#{row.row}"]
        assert row.mistake in mistakes(one[["run", row.column]])
        assert row.mistake not in mistakes(one[["run", "users"]])
        assert row.mistake not in mistakes(runs[runs["source"] == "rhel5"])


def test_what_follows_has_the_errata_of_what_it_follows_from():
    """Fits, comparisons, models and their frames; ratios of times keep the doubt of the unit that they had."""
    curve, laws = fit("spindles", "spindles"), compare("disk", "spindles", interval="none")
    unit = mistakes(tables.load(DRIVES))
    frames = (curve.tidy(), curve.predict([2]), laws.tidy(), laws.left_out(), laws.derive(2))
    assert len(unit) == 1
    assert all(mistakes(each) == unit for each in (curve, laws, *frames))
    sentences = mistakes(tables.load("compaq_domino45/disk_ratios"))
    assert mistakes(changes.drive_ratios()) == mistakes(changes.drive_percentages()) == unit | sentences
    assert mistakes(changes.capacity_shares()) == set()  # the same table, other rows
    pairs = machines.paired_ratios(paired_runs.peak_loads())
    model = machines.factor_model("cpu_per_user", where={"source": "domino6"})
    exchanged = {"The numbers of R6Mail and R5Mail on 5.0.10 look exchanged."}
    assert all(mistakes(each) == exchanged for each in (pairs.by("workload"), pairs.glance(), model.tidy()))
    assert mistakes(fit("amdahl", "smp_mail").tidy()) == set()


def test_tables_and_pictures_tell_their_errata():
    """A table below itself, a picture at its foot, in its title and in its words."""
    points = series("spindles")
    (erratum,) = carried_errata.errata_of(points)
    assert f'data-erratum="{erratum.name}"' in rendering.Table(points)._repr_html_()
    drawn = figures.picture(figures.points(points, "drives", "response_s"), title="It fell", foot="Source")
    assert drawn.title == "It fell†"
    assert "† Suspected erratum: The heading's unit cannot be right" in drawn.alt
    assert f'data-erratum="{erratum.name}"' in drawn._repr_html_()
    plain = figures.picture(figures.points(points.assign(x=1), "drives", "x"), title="It fell")
    assert (plain.title, plain.errata) == ("It fell", ())
    many = carried_errata.errata_of(benchmarks())
    statuses = [*{erratum.name: erratum.status for erratum in many}.values()]
    count = f"† {len(statuses)} errata touch these numbers, {statuses.count('suspected')} of them suspected: see"
    assert carried_errata.errata_as_foot(many).startswith(count)


def test_suspected_readings_are_those_of_the_errata():
    """Exchanged cells change places, an unknown one is empty, the numbers under a heading are multiplied."""
    printed, read = (tables.load(PEAKS, as_) for as_ in ("corrected", "suspected"))
    assert list(read["cpu_utilization_percent"][[39, 45]]) == list(printed["cpu_utilization_percent"][[45, 39]])
    assert read["network_bytes_per_s"][[0, 7]].isna().all()
    ratio = tables.load(DRIVES)["response_s"] / tables.load(DRIVES, "suspected")["response_s"]
    assert ratio.to_list() == pytest.approx([1000] * 4, rel=1e-12)
    headings = tables.errata().query("status == 'suspected' and row.isna() and column != ''")
    known = {f"{row.source}/{row.table}": row for row in headings.itertuples()}
    for id, columns in our_toml_file("readings.toml").items():
        assert known[id].corrected
        assert set(columns) <= set(headings.loc[headings["table"] == known[id].table, "column"])


def test_memory_is_compared_in_both_readings():
    """Of the Mail runs 8 of 8 had less than the rule asks; if it counts people, two users each, 5 of 12 had."""
    runs = benchmarks().dropna(subset=["users", "ram_mb"])
    runs = runs[runs["workload"].str.fullmatch("Mail|Mail-Only")]
    short = readings.count_short(readings.beside_rule(RULE, runs))
    assert short[["fewer", "n"]].to_numpy().tolist() == [[8, 8], [5, 12]]
    rows, people = tables.load(RULE), runs["users"] / 2  # by hand: of two rows the one above, as the planner has it
    asked = [rows.loc[rows["users"] >= each, "ram_least_mb"].min() for each in people]
    inside = (people <= rows["users"].max()).to_numpy()
    assert (inside.sum(), (inside & (runs["ram_mb"].to_numpy() < asked)).sum()) == (12, 5)
    beside = readings.beside_rule(RULE, runs).query("view == 'as suspected'")
    planned = memory_needed("Mail", beside["users"] / 2, "ram_least_mb", planning.rules_named())
    assert beside["ram_rule_mb"].to_numpy() == pytest.approx(planned)
    said = readings.describe_both(short, "{fewer} of {n}")
    assert said == '8 of 8 as printed; 5 of 12 if the heading in the table should say "Number of Real World Users"'


def test_other_answers_are_given_in_both_readings():
    """The unit of the drives' responses, and the cost of a user in a newer release."""
    said = readings.describe_unit("spindles")
    assert '631 s as printed; 0.631 s if the heading in the table should say "Response Time (Milliseconds)"' in said
    again = readings.releases()
    assert readings.describe_both(again, "{ratio:.2f}") == "0.67"  # which the exchange of two cells does not change


def test_the_case_study_tells_the_errata_of_its_numbers():
    """Each number of an erratum is marked, and the tables that are planned by such rules tell it, of any request."""
    wrong = tables.errata(CASE).dropna(subset="row")
    beside = recompute.PlanComparison(recompute.case_request())
    told = {
        (erratum.row, erratum.mistake)
        for erratum in carried_errata.errata_of(beside.beside_print)
        if erratum.column == "printed"
    }
    assert told == set(zip(wrong["row"], wrong["mistake"], strict=True))
    page = beside._repr_html_()
    marked = re.findall(r'<td class="[^"]*\b(wrong|suspected)"[^>]*>([^<]*)<', page)
    expected = wrong.sort_values("row")
    assert [text for _, text in marked] == list(expected["printed"])
    assert [kind == "wrong" for kind, _ in marked] == list(expected["status"] == "certain")
    share, level = "Wrong usable share of RAID 5, in both notes.", "The case study takes RAID 5"
    for asked in (beside, recompute.PlanComparison(recompute.case_request(light_mail=400))):
        made = (
            asked.tidy(),
            asked.constants(),
            asked.configuration(),
            asked.glance(),
            asked.spaces(),
            asked.lacking_volumes(),
        )
        assert all(share in mistakes(each) and any(level in reason for reason in mistakes(each)) for each in made)
    careless = recompute.PlanComparison(recompute.case_request(light_mail=400, critical=False))
    assert not any(level in reason for reason in mistakes(careless.glance()))


def test_lost_pictures_tell_the_errata_of_the_cells_they_are_made_of():
    """Of the drives the unit, of the peak loads the exchange; a picture of other cells tells neither."""
    assert mistakes(recompute.figure_values("compaq_domino45/figure_3_12")) == mistakes(tables.load(DRIVES))
    assert mistakes(recompute.figure_values(source="domino6")) == {
        "The numbers of R6Mail and R5Mail on 5.0.10 look exchanged."
    }
    assert mistakes(recompute.figure_values("compaq_domino45/figure_3_8")) == set()


# Errata of prose whose number stands in a cell of their page all the same: (document, printed) to the reason why the
# cell is not the one that is wrong.
ELSEWHERE = {
    ("compaq_domino45", "page 3-42"): "the number of a page",
    ("compaq_domino45", "128 31.7-MB increases"): "the cells have the 128 MB, which are right; the 31.7 stands in none",
    ("compaq_domino45", "49-3MB"): "the cell has the 493 that is meant, and a note of its table tells what is printed",
    ("domino6", "from 8,000 on R5.0.10"): "the .10 of a release is no response time; no table has 8,000 users",
    (
        "rhel5",
        "one per iteration, and an",
    ): "the counts of three other actions; how often memos are sent is in no table",
}


def test_an_erratum_whose_number_stands_in_a_table_names_its_cell():
    """Else no table, picture or sentence that takes the number from there could tell of it."""
    prose = tables.errata().query("table == ''")
    found = {(each.source, each.printed): cells_of(each) for each in prose.itertuples()}
    found = {key: cells for key, cells in found.items() if cells}
    assert found.keys() - ELSEWHERE.keys() == set(), {key: found[key] for key in found.keys() - ELSEWHERE.keys()}
    assert ELSEWHERE.keys() - found.keys() == set(), "argued, but in no cell any more"


def cells_of(erratum):
    """The printed cells of the page of an erratum of prose that hold one of its numbers, or all its words."""
    at = [re.compile(rf"(?<![\w.-]){re.escape(place)}(?![\w.-])") for place in places_of(erratum.locator)]
    wrong = numbers_of(erratum.printed)
    return [
        f"{cell.id}, row {cell.row}, {cell.column}: {cell.printed}"
        for cell in printed_cells(erratum.source).itertuples()
        if any(place.search(cell.locator) for place in at)
        and (read_number(cell.printed) in wrong or erratum.printed.casefold() in cell.printed.casefold())
    ]


def places_of(locator):
    """The pages or sections that a locator of an erratum names: "page 4-24/4-25, note" is at 4-24/4-25."""
    pages = re.findall(r"\d-\d+/\d-\d+|(?<=page )\d-\d+|(?<=section )[\d.]+", locator)
    return pages or [re.sub(r", .*", "", locator)]


def numbers_of(text):
    """The numbers of a text, in digits or as a word."""
    digits = (read_number(each) for each in re.findall(r"[\d,]*\.?\d+", text))
    words = map(read_count, re.findall(r"[a-z]+", text.casefold()))
    return {number for number in (*digits, *words) if number is not None}


@functools.cache
def printed_cells(source):
    """The printed cells of a document, each with its place."""
    return tables.cells(source)


@pytest.fixture(scope="module")
def reread():
    """What notebooks say where every cell that a suspected erratum touches has another value."""
    paths = [str(notebooks_folder() / f"{stem}.ipynb") for stem in TOUCHED]
    script = Path(__file__).with_name("rereading.py")
    found = subprocess.run([sys.executable, str(script), *paths], capture_output=True, text=True, check=True)
    return json.loads(found.stdout)


def said(output):
    """What an output of an executed notebook says, and whether it tells an erratum."""
    shown = output["data"].get("text/html", "")
    drawn = re.match(r'<figure role="img" aria-label="([^"]*)"', shown)
    words = html.unescape(drawn[1]) if drawn else shown or output["data"]["text/plain"]
    return _NOTE.sub("", words), "data-erratum" in shown


def test_whatever_a_cell_of_an_erratum_changes_tells_the_erratum(built, reread):
    """Each cell of an erratum is changed and the notebooks run again: what differs has to be marked.

    A sentence has no mark of its own; the answer of its page tells the errata of the whole page.
    """
    pages, changed = {run.notebook: (run, path) for run, path in pages_of(built[0])}, 0
    for stem, outputs in reread.items():
        run, path = pages[stem]
        codes = [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
        for k, again in outputs:
            before, told = said(codes[k].outputs[0])
            differs = before != _NOTE.sub("", again)
            changed += differs
            sentence = "text/html" not in codes[k].outputs[0]["data"]
            assert told or sentence or not differs, f"{stem}, {codes[k].source.splitlines()[-1]}"
        page = (built[0] / "site" / f"{run.name}.html").read_text(encoding="utf-8")
        assert 'data-erratum="' in page[: page.index("<h2>")], f"{stem}: not told at the answer"
    assert changed > 25


def test_every_erratum_that_is_told_has_its_place(built):
    """The answer of a page tells each erratum of its tables and pictures; links lead to the page of errata."""
    places = set(re.findall(r'id="(erratum-[^"]*)"', (built[0] / "site" / "errata.html").read_text(encoding="utf-8")))
    assert len(places) == len(audit.errata_groups())
    for run, path in pages_of(built[0]):
        cells = nbformat.read(path, as_version=4).cells
        told = {name for cell in cells for name in re.findall(r'data-erratum=\\?"([^"\\]*)', json.dumps(cell))}
        page = (built[0] / "site" / f"{run.name}.html").read_text(encoding="utf-8")
        answered = any(FINDING in cell.metadata.get("tags", []) for cell in cells)
        assert told <= places
        assert told <= set(re.findall(r'href="errata.html#([^"]*)"', page)), run.name
        assert not answered or told == set(re.findall(r'data-erratum="([^"]*)"', page[: page.index("<h2>")])), run.name


def test_a_plan_tells_the_errata_of_the_rules_that_it_follows():
    """By each set of rules, in its frames and its page: those of rules that it does not use are left out."""
    request = planning.example()
    printed, mended = (planning.plan(request, rules=name) for name in ("compaq_1998", "corrected"))
    writers = "Users who write are converted by a workload that only reads in shared databases."
    assert writers in mistakes(mended.tidy()) & mistakes(mended.glance()) & mistakes(printed)
    raid = "Wrong usable share of RAID 5, in both notes."
    assert raid in mistakes(printed) - mistakes(mended)
    assert html.escape(writers) in mended._repr_html_()
    mail = planning.plan({"groups": [{"name": "a", "users": 500, "profile": "light_mail"}], "system": request.system})
    assert writers not in mistakes(mail)


def test_an_erratum_of_a_caption_touches_what_the_caption_says():
    """By the key in ``benchmarks.toml``: what else is said of the rows stands elsewhere."""
    (wrong,) = tables.errata("compaq_netware/table_4_7").query("column == '' and row.isna()").itertuples()
    touched = {each.column for each in carried_errata.errata_of(benchmarks()) if each.mistake == wrong.mistake}
    assert touched == {"workstations"}
