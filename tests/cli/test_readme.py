"""README and the handbook's page "Run it": every command runs as it stands, every name of the Python block exists."""

import ast
import gzip
import re
import shlex
import shutil

import pytest
from conftest import ROOT

import dominoperf
from dominoperf.cli import main, parser
from dominoperf.study.commands import EXAMPLES, RUN_IT

README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGE = RUN_IT.read_text(encoding="utf-8")
SAMPLES = ROOT / "tests" / "samples"
BLOCKS = re.findall(r"^```(?:shell)?\n(.*?)^```", PAGE + README, re.MULTILINE | re.DOTALL)
LINES = re.findall(r"^dominoperf .*", "".join(BLOCKS), re.MULTILINE)
# These run in minutes, until they are ended, or on much data; other tests run them, and here they are only read.
READ_ONLY = {"report", "verify", "archive", "sweep", "lab", "app", "ab", "audit", "check", "diff"}
CURVE = "load,throughput_per_s,throughput_std_error,response_s,response_p95_s\n" + "".join(
    f"{load},{100 * load / (1 + 0.02 * load):.1f},5,{0.01 + 0.001 * load:.3f},{0.02 + 0.003 * load:.3f}\n"
    for load in (1, 4, 16, 64)
)
FILES = {
    "my.csv": "threads,tps\n1,100\n2,190\n4,350\n8,600\n16,900\n",
    "loads.csv": "load,tps,std_error\n1,100,2\n2,190,3\n4,350,5\n8,600,9\n16,900,12\n",
    "tests.csv": "cpus,passed,failed\n1,100,110\n2,190,210\n4,350,370\n8,600,\n",
    "machines.csv": "processors,clock_mhz,ram_mb\n2,200,512\n",
    "my_runs.csv": "system,workload,users,processors,clock_mhz,ram_mb\nA,mail,1500,1,200,512\nB,mail,2500,2,200,512\n",
    "open.toml": '[[groups]]\nname = "mail"\nusers = 1500\nprofile = "light_mail"\n',
    "many.csv": "mail.users\n800\n1200\n",
    "systems.csv": "system,workload,users,price_usd\n"
    + "".join(f"ProLiant 5000 1xP6/200-512,{name},2000,9000\n" for name in ("Mail", "MailDB", "Groupware_A", "DiscDB")),
    "report.txt": "One processor carried 1,150 users.\n",
    "runs.csv": "processors,users\n1,100\n2,190\n4,350\n",
}


@pytest.fixture
def place(tmp_path, monkeypatch):
    """The files that the commands name, in the folder where they run."""
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    shutil.copy(next((SAMPLES / "nmon").glob("*.nmon")), tmp_path / "capture.nmon")
    shutil.copytree(SAMPLES / "pgbench", tmp_path / "runs")
    shutil.copy(SAMPLES / "pgbench_summary" / "clients_1.txt", tmp_path / "load_test.txt")
    (tmp_path / "more").mkdir()
    log = next(path for path in (SAMPLES / "jmeter").iterdir() if path.suffix in (".jtl", ".csv"))
    (tmp_path / "more" / "log.jtl.gz").write_bytes(gzip.compress(log.read_bytes()))
    return tmp_path


def test_the_commands_of_readme_run(capsys, place):
    """Each ends with 0 and prints; it is one test, for what a command writes to a file stands there for those below."""
    wrong = []
    for line in LINES:
        words = shlex.split(line, comments=True)[1:]
        words, into = (words[:-2], words[-1]) if words[-2:-1] == [">"] else (words, "")
        if words[0] in READ_ONLY:
            assert parser().parse_args(words).command.__name__ == words[0]
            continue
        status, (out, err) = main(words), capsys.readouterr()
        prints = bool(out) or "--out" in words or words[0] == "new"
        if status or not prints or "dominoperf: " in err:
            wrong.append(f"{line}: ended with {status}, {len(out)} characters printed. {err}")
        if into:
            (place / into).write_text(CURVE if into == "curve.csv" else out)  # our samples have no percentiles
    assert not wrong, "\n".join(wrong)


def test_the_page_has_a_line_for_every_command():
    assert {line.split()[1] for line in LINES} == set(EXAMPLES)


def test_the_fit_of_readme_is_what_is_printed(capsys):
    """README shows commands with their output and a picture with its numbers, and can be read to its end."""
    (block,) = re.findall(r"^```\n(\$ .*?)^```", README, re.MULTILINE | re.DOTALL)
    for command, shown in re.findall(r"^\$ (.*?)\n(.*?)(?=^\$ |\Z)", block, re.MULTILINE | re.DOTALL):
        assert main(shlex.split(command)[1:]) == 0
        assert shown.splitlines() == [line.rstrip() for line in capsys.readouterr().out.rstrip().splitlines()]
    (row,) = dominoperf.forecast("smp_mail", 4).tidy().itertuples()
    (told,) = re.findall(r"^!\[(.*)\]\(README.svg\)$", README, re.MULTILINE)
    assert all(f"{value:,.0f}" in told for value in (row.predicted, row.low, row.high))
    assert (ROOT / "README.svg").read_text(encoding="utf-8").startswith("<svg")
    assert README.count("\n") <= 80


def test_names_of_python_exist():
    """What the page imports and calls; an attribute of the package or of what it hands out."""
    (code,) = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    tree = ast.parse(code)
    (imports,) = [each for each in tree.body if isinstance(each, ast.ImportFrom)]
    exec(compile(ast.Module([imports], []), "the page", "exec"), {})
    imported = {name.name for name in imports.names}
    called = [each.func for each in ast.walk(tree) if isinstance(each, ast.Call)]
    assert {each.id for each in called if isinstance(each, ast.Name)} <= imported
    for each in called:
        if isinstance(each, ast.Attribute) and getattr(each.value, "id", "") in imported:
            assert hasattr(getattr(dominoperf, each.value.id), each.attr)
