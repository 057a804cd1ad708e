"""The handbook's page of load tests: every command of it runs on the recorded files, and prints what the page shows."""

import math
import re
import shlex
import shutil
from pathlib import Path

import pandas as pd
from conftest import ROOT

from dominoperf.cli import main
from dominoperf.reports import handbook
from dominoperf.reports.cells import FOLDER

PAGE = (FOLDER / "handbook" / "load_tests.md").read_text(encoding="utf-8")
_BLOCK = re.compile(r"^```(shell|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_commands_print_what_the_page_shows(tmp_path, monkeypatch, capsys):
    """One after the other, in a folder with the files; each line that is shown is printed by the command above it."""
    shutil.copytree(ROOT / "tests" / "samples" / "load_tests", tmp_path / "runs")
    monkeypatch.chdir(tmp_path / "runs")
    printed, count = "", 0
    for kind, body in _BLOCK.findall(PAGE):
        if kind == "text":
            for line in body.splitlines():
                assert line in printed, f"{line}\n\nis not in\n\n{printed}"
            continue
        for line in body.splitlines():
            words, _, file = line.partition(" > ")
            status = main(shlex.split(words)[1:])
            printed = capsys.readouterr().out
            assert status == (1 if "ab nginx" in words else 0), line
            if file:
                Path(file).write_text(printed, encoding="utf-8")
            count += 1
    assert count == PAGE.count("\ndominoperf ") == 14


def test_the_table_of_slow_downs_is_the_simulations(monkeypatch):
    """One of its cells, its first pairs again: of 200 with a slow-down of 3 %, two runs of each load tell so many.

    The shares of 60 of them are within 4 standard errors of those of all 200, but for one draw in 10,000.
    """
    monkeypatch.syspath_prepend(ROOT / "tests" / "benchmarks")
    import ab_power

    (row,) = re.findall(
        r"^\| 2 \| [\d.]+ % \| (\d+) % \| .* \| \d+ % \| (\d+) % \| \d+ % \| \d+ % \|$", PAGE, re.MULTILINE
    )
    pairs = 60
    for again, cell in zip(ab_power.shares(2, 3, pairs), row, strict=True):
        share = int(cell) / 100
        error = math.sqrt(share * (1 - share) * (1 / pairs - 1 / ab_power.PAIRS))
        assert abs(again - share) <= 4 * error + 0.005  # the page rounds


def test_the_figures_of_node_rates_are_counted_from_the_simulation(monkeypatch):
    """The file has the designs of the program; the first tests of one come out again; the page counts each group.

    That one is the quickest to simulate.
    """
    monkeypatch.syspath_prepend(ROOT / "tests" / "benchmarks")
    import node_rates

    path = FOLDER / "handbook" / "node_rates.csv"
    rows = pd.read_csv(path)
    assert rows["design"].tolist() == [design.design for design in node_rates.DESIGNS]
    (k,) = rows.index[rows["design"] == "peak midway, then level"]
    again = node_rates.row_of(node_rates.DESIGNS[k], node_rates.answers_of(k, range(node_rates.FIRST)))
    counted = ["tests", "held", "truth_above", "truth_below", "width_percent", "nodes", "nodes_suffice"]  # of all
    alone = rows.columns.drop(counted)
    assert [str(rows.loc[k, name]) for name in alone] == [str(again[name]) for name in alone]
    page = handbook.load_tests_page()["cells"][0]["source"]
    for group, part in rows.groupby("group"):
        held = part["held"] / part["tests"]
        ((least, most, nodes),) = re.findall(
            rf"^\| {group} \| {len(part)} \| (?:(\d+) to )?(\d+) % \| .* \| .* of (\d+), \d+\s% \|$", page, re.M | re.I
        )
        assert [float(least or most), float(most)] == [round(100 * held.min()), round(100 * held.max())]
        assert int(nodes) == part["nodes"].sum()
    assert "$" not in page
