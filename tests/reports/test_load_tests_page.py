"""The handbook's page of load tests: every command of it runs on the recorded files, and prints what the page shows."""

import re
import shlex
import shutil
from pathlib import Path

from conftest import ROOT

from dominoperf.cli import main
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
    """One of its cells, simulated again: of 200 pairs with a slow-down of 3 %, two runs of each load tell so many."""
    monkeypatch.syspath_prepend(ROOT / "tests" / "benchmarks")
    import ab_power

    (row,) = re.findall(
        r"^\| 2 \| [\d.]+ % \| (\d+) % \| .* \| \d+ % \| (\d+) % \| \d+ % \| \d+ % \|$", PAGE, re.MULTILINE
    )
    assert [f"{share:.0%}" for share in ab_power.shares(2, 3)] == [f"{cell}%" for cell in row]
