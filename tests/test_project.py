"""The files around the code agree with each other, and setting up says what it does."""

import os
import pickle
import re
import shutil
import subprocess
import sys
import tomllib

import pytest
import yaml
from conftest import ROOT

from dominoperf import __version__
from dominoperf.errors import ReportFailed

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
ENVIRONMENT = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))
CONDA_NAMES = {"matplotlib": "matplotlib-base", "fastjsonschema": "python-fastjsonschema"}  # no window toolkit


# What conda-forge has not, or under a name we did not check.
TO_PIP = {"axe-playwright-python", "ciw", "mlcroissant", "playwright", "pyrefly", "rocrate"}


def requirements():
    """Name to bounds of what is needed to run and to test."""
    lines = PROJECT["project"]["dependencies"] + PROJECT["dependency-groups"]["dev"]
    return dict(re.fullmatch(r"([\w.-]+)(.*)", line).groups() for line in lines)


def conda():
    """Name to bounds of the conda dependencies, and the lines that are left to pip."""
    lines = [line for line in ENVIRONMENT["dependencies"] if isinstance(line, str)]
    pip = [line for entry in ENVIRONMENT["dependencies"] if isinstance(entry, dict) for line in entry["pip"]]
    return dict(line.partition(" ")[::2] for line in lines), pip


def test_environment_has_the_bounds_of_the_project():
    """conda users get what pip users get, the tools of the tests too."""
    names, pip = conda()
    assert names.pop("python") == PROJECT["project"]["requires-python"]
    assert names.pop("pip") == ""
    wanted = requirements()
    assert pip == ["--editable .", *(f"{name}{wanted.pop(name)}" for name in sorted(TO_PIP))]
    assert names == {CONDA_NAMES.get(name, name): bounds for name, bounds in wanted.items()}
    assert ENVIRONMENT["channels"] == ["conda-forge"]


def test_environment_is_read_by_condas_grammar():
    """Every line is a match specification."""
    rattler = pytest.importorskip("rattler")
    for name, bounds in conda()[0].items():
        assert rattler.MatchSpec(f"{name} {bounds}".strip()).name.normalized == name


def test_pip_takes_its_section_of_the_environment(tmp_path):
    """As conda hands it over, beside the file; of this environment, where all is there, nothing has to be fetched."""
    pytest.importorskip("pip")
    (tmp_path / "section.txt").write_text("\n".join(conda()[1]))
    how = ["--dry-run", "--no-index", "--no-build-isolation", "--disable-pip-version-check", "--quiet"]
    command = [sys.executable, "-m", "pip", "install", "-U", "-r", str(tmp_path / "section.txt"), *how]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_lock_satisfies_the_project():
    """Every runtime and development dependency is locked within its bounds, with hashes."""
    from packaging.requirements import Requirement

    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    locked = re.findall(r"^([\w.-]+)==([\w.]+)(.*)$", lock, re.MULTILINE)
    versions = {}
    for name, version, _ in locked:
        versions.setdefault(name.lower().replace("_", "-"), []).append(version)
    for line in [*PROJECT["project"]["dependencies"], *PROJECT["dependency-groups"]["dev"]]:
        wanted = Requirement(line)
        assert all(wanted.specifier.contains(version) for version in versions[wanted.name]), line
    assert lock.count("--hash=sha256:") > 5 * len(locked)


def test_no_host_and_no_absolute_path():
    """Neither lock, code nor docs name a package registry or a path of one machine."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False).stdout.split()
    hosts = "|".join(
        ["python" + "hosted", r"pypi\." + "org", "index" + "-url", r"anaconda\." + "org", r"npmjs\." + "org"]
    )
    for name in listed or pytest.skip("not a git checkout"):
        if not (ROOT / name).is_file():
            continue
        text = (ROOT / name).read_text(encoding="utf-8", errors="replace")  # a sample may be binary
        assert not re.search(hosts, text), name
        assert not re.search(r"(?<![\w./])/(work|root|home|Users)/\w", text), name


def test_versions_agree():
    """The version of the package is that of the citation and of the newest changes, which have the citation's date."""
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == __version__
    assert {"cff-version", "message", "title", "authors", "license"} <= set(citation)
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(r"^## (.*)", changes, re.MULTILINE)[1] == f"{__version__}, {citation['date-released']}"


def test_bare_make_lists_the_targets():
    """Each target with what it does; README names the first two."""
    shown = subprocess.run(["make"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert all(f"make {target} " in shown for target in ("report", "verify", "test", "check", "data", "clean", "lab"))
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert readme.index("make report") < readme.index("make test")


def set_up(tmp_path, *pythons):
    """Run the set-up script in a copy of its folder with nothing but the given pythons on the path."""
    (tmp_path / ".ci").mkdir()
    shutil.copy(ROOT / ".ci" / "venv", tmp_path / ".ci" / "venv")
    (tmp_path / "bin").mkdir()
    for tool in ("dirname", "cat", "cmp", "rm"):
        (tmp_path / "bin" / tool).symlink_to(shutil.which(tool))
    for name, body in pythons:
        (tmp_path / "bin" / name).write_text(f"#!/bin/sh\n{body}\n")
        (tmp_path / "bin" / name).chmod(0o755)
    environment = {"PATH": str(tmp_path / "bin")}
    command = [shutil.which("sh"), str(tmp_path / ".ci" / "venv")]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("python3", "says"),
    [
        ("exit 1", "needs Python 3.11 or newer"),
        ('case "$2" in *ensurepip*) exit 1;; esac', "has no venv module"),  # Debian's without python3-venv
    ],
)
def test_what_is_lacking_gets_one_sentence(tmp_path, python3, says):
    """No Python, one too old or without its module: what is needed and what to do."""
    done = set_up(tmp_path, ("python3", python3))
    assert done.returncode == 1
    assert says in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("copied", [False, True])
def test_a_fresh_environment_is_left_alone(tmp_path, copied):
    """Lock and project unchanged: nothing is done or said; one copied from elsewhere would run the first one's code."""
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    os.symlink(shutil.which("true"), tmp_path / ".venv" / "bin" / "python")
    (tmp_path / "requirements.lock").write_text("a==1\n")
    (tmp_path / "pyproject.toml").write_text("[project]\n")
    (tmp_path / ".venv" / "made-from").write_text(f"{'/elsewhere' if copied else tmp_path}\na==1\n[project]\n")
    done = set_up(tmp_path)
    if copied:
        assert done.returncode != 0  # it sets out to make a new one, which this empty PATH does not allow
    else:
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_errors_travel_between_processes():
    """With their class, their four parts, and the cell of a notebook."""
    told = pickle.loads(pickle.dumps(ReportFailed("n", expected="a", found="b", remedy="C.", cell=3)))
    assert (type(told), told.cell) == (ReportFailed, 3)
    assert (told.where, str(told)) == ("n", "n: expected a, found b. C.")


def test_an_editable_install_gets_no_copy_of_data_or_notebooks(monkeypatch):
    """It would go stale; what a wheel gets `test_release.py` compares with the checkout."""
    monkeypatch.syspath_prepend(str(ROOT))
    import hatch_build

    build = {"force_include": {}}
    hatch_build.CustomBuildHook.initialize(None, "editable", build)
    assert build["force_include"] == {}
