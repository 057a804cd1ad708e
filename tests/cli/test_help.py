"""Help: what to try first runs, every command has an example that runs, and all of it fits 80 columns."""

import argparse
import re
import shlex
import shutil

import pytest
from conftest import ROOT

from dominoperf.cli import main, parser
from dominoperf.study.commands import EXAMPLES, OVERVIEW, RUN_IT

RUN_ELSEWHERE = {"ab", "app", "archive", "lab", "sweep", "verify"}  # long ones, and servers
HEADINGS = re.findall(r"^  (dominoperf .*?)(?:  +\S|$)", OVERVIEW, re.MULTILINE)


@pytest.fixture
def files(tmp_path, monkeypatch):
    """The files that examples name."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    shutil.copy(next((ROOT / "tests" / "samples" / "nmon").glob("*.nmon")), "capture.nmon")
    (tmp_path / "runs.csv").write_text("processors,users\n1,100\n2,190\n4,350\n")
    (tmp_path / "runs").mkdir()
    for path in (ROOT / "tests" / "samples" / "wrk").iterdir():
        shutil.copy(path, "runs")
    main(["ingest", "capture.nmon", "--out", "samples.csv"])
    return tmp_path


def helped(capsys, *words):
    """What a command's help says."""
    with pytest.raises(SystemExit) as ended:
        main([*words, "--help"])
    assert ended.value.code == 0
    return capsys.readouterr().out


def test_alone_it_says_what_to_try_first(capsys):
    """An overview on one screen: five commands to try, and every command by its group."""
    assert main([]) == 0
    shown, told = capsys.readouterr()
    assert not told
    assert shown.count("\n") < 24
    assert max(map(len, shown.splitlines())) <= 80
    groups = shown.partition("Commands:")[2]
    assert all(re.search(rf"\b{name}\b", groups) for name in EXAMPLES)


@pytest.mark.parametrize("command", HEADINGS)
def test_what_to_try_first_runs(capsys, command):
    assert len(HEADINGS) == 5
    assert main(shlex.split(command)[1:]) == 0
    assert capsys.readouterr().out


def test_help_fits_a_terminal(capsys, monkeypatch):
    """80 columns, for each command; its example stands last; the handbook has the command too."""
    page = RUN_IT.read_text(encoding="utf-8")
    monkeypatch.setenv("COLUMNS", "80")
    commands = next(each.choices for each in parser()._actions if isinstance(each, argparse._SubParsersAction))
    assert set(EXAMPLES) == set(commands)  # dominoperf/study/commands.py; name it in the overview there too
    no_table = {"archive", "report", "sweep", "lab", "app"}
    for name, example in EXAMPLES.items():
        commands[name].add_options()
        options = commands[name]._option_string_actions
        assert ({"--format", "--wide"} <= {*options}) == (name not in no_table), name
        assert f"dominoperf {name}" in page
        shown = helped(capsys, name)
        assert max(map(len, shown.splitlines())) <= 80, name
        assert " ".join(shown.split()).endswith(f"Example: {example}")
    assert max(map(len, helped(capsys).splitlines())) <= 80


@pytest.mark.parametrize("name", sorted(set(EXAMPLES) - RUN_ELSEWHERE))
def test_the_example_of_a_command_runs(capsys, files, name):
    words = shlex.split(EXAMPLES[name])[1:]
    if name == "check":
        main(["new", "my_runs", "--from", "runs.csv"])
    if name == "ingest":
        (files / "samples.csv").unlink()  # it is not written over
    assert main(words) in ((0, 1) if name == "check" else (0,))
    assert not capsys.readouterr().err.startswith("dominoperf")
