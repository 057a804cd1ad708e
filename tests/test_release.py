"""What is released: wheel and source archive have the same bytes each time, and hold what git tracks and no more.

The wheel alone, in an empty environment and an empty folder, makes a report.
"""

import csv
import json
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import behind
import bom
import licences
import pytest
from conftest import ROOT, shorten_sites

from dominoperf import __version__

WHEEL, SDIST = f"dominoperf-{__version__}-py3-none-any.whl", f"dominoperf-{__version__}.tar.gz"
STRAYS = (
    *("data/.ipynb_checkpoints/claims.csv", "data/.claims.csv.swp", "notebooks/.ipynb_checkpoints/a.ipynb"),
    *("runs/a/tables/t.csv", "reports/site/index.html", "build/x", "dominoperf/runs/__pycache__/tidy.pyc", ".venv/x"),
)


def build(folder, out, *targets):
    """Build with the locked hatchling, which fetches nothing."""
    wanted = [word for target in targets for word in ("-t", target)]
    command = [sys.executable, "-m", "hatchling", "build", *wanted, "-d", str(out)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def tracked():
    """The files that git tracks, by name."""
    if not (ROOT / ".git").exists():
        pytest.skip("no checkout: git cannot say which files are the project's")
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return {name for name in listed.split("\0") if name and (ROOT / name).is_file()}


@pytest.fixture(scope="module")
def built(tmp_path_factory, tracked):
    """A copy of the checkout with what work leaves behind, and the folder of what was built of it."""
    place = tmp_path_factory.mktemp("release")
    for name in tracked:
        (place / "copy" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, place / "copy" / name)
    for name in STRAYS:
        (place / "copy" / name).parent.mkdir(parents=True, exist_ok=True)
        (place / "copy" / name).write_text("stray")
    build(place / "copy", place / "first", "wheel", "sdist")
    return place


def test_the_source_archive_holds_what_git_tracks(built, tracked):
    with tarfile.open(built / "first" / SDIST) as archive:
        names = {member.name.partition("/")[2] for member in archive if member.isfile()}
    assert names == tracked | {"PKG-INFO"}


def test_the_wheel_holds_the_package_its_data_and_notebooks(built, tracked):
    with zipfile.ZipFile(built / "first" / WHEEL) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
    folders = {"dominoperf/": "dominoperf/", "data/": "dominoperf/_data/", "notebooks/": "dominoperf/_notebooks/"}
    expected = {
        there + name.removeprefix(here) for here, there in folders.items() for name in tracked if name.startswith(here)
    }
    assert names == expected | {"dominoperf/CITATION.cff", "dominoperf/LICENSE"}


def test_another_build_has_the_same_bytes(built):
    """From a checkout with other times of its files; and the wheel that is built of the source archive is the same."""
    for path in (built / "copy").rglob("*"):
        path.touch()
    build(built / "copy", built / "second", "wheel", "sdist")
    with tarfile.open(built / "first" / SDIST) as archive:
        archive.extractall(built / "unpacked", filter="data")
    build(built / "unpacked" / SDIST.removesuffix(".tar.gz"), built / "third", "wheel")
    for name in (WHEEL, SDIST):
        assert (built / "second" / name).read_bytes() == (built / "first" / name).read_bytes(), name
    assert (built / "third" / WHEEL).read_bytes() == (built / "first" / WHEEL).read_bytes()


@pytest.fixture(scope="module")
def python(built):
    """The Python of a new environment with the wheel, and the packages of this one behind it; nothing is fetched."""
    run([sys.executable, "-m", "venv", "--without-pip", str(built / "env")], built)  # pip takes longer than its work
    found = built / "env" / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    pip = [sys.executable, "-m", "pip", "--python", str(found), "install"]
    run([*pip, "--no-index", "--no-deps", "--quiet", str(built / "first" / WHEEL)], built)
    site = run([str(found), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], built).strip()
    # A folder that a .pth file names is searched last, and its own .pth files, as of a checkout, are not read.
    Path(site, "locked.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    # What the locked packages put beside their modules: nbconvert's templates.
    (built / "env" / "share").mkdir(exist_ok=True)
    (built / "env" / "share" / "jupyter").symlink_to(Path(sys.prefix, "share", "jupyter"))
    shorten_sites(Path(site, "dominoperf"))
    return found


def run(command, folder):
    """Run with a clean environment; give what it prints."""
    clean = {"PATH": "/usr/bin:/bin", "HOME": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(command, cwd=folder, env=clean, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_wheel_makes_a_report_anywhere(python, tmp_path):
    """Package, data, notebooks and templates all come from the wheel; the result is the committed one."""
    code = "import dominoperf; from dominoperf import tables; print(dominoperf.__file__, tables.home(), sep='\\n')"
    for path in run([str(python), "-c", code], tmp_path).splitlines():
        assert Path(path).is_relative_to(python.parents[1])
    command = str(python.with_name("dominoperf"))
    printed = run([command, "report", "sources", "--out", "out"], tmp_path)
    assert printed.split() == [str(Path("out", "site", "index.html"))]
    assert "Where do the numbers come from?" in (tmp_path / "out/site/sources.html").read_text(encoding="utf-8")
    for table in ("sources.csv", "sources.md", "sources_contents.csv"):
        assert (tmp_path / "out/tables" / table).read_bytes() == (ROOT / "reports/tables" / table).read_bytes()
    assert {path.name for path in tmp_path.iterdir() if not path.name.startswith(".")} == {"out"}


def test_the_list_of_parts_is_that_of_the_lock():
    """CycloneDX: every locked package once, with what it needs; renewed by `make audit`."""
    assert bom.BOM.read_text(encoding="utf-8") == bom.made()
    parts = json.loads(bom.made())
    scopes = {part["name"]: part["scope"] for part in parts["components"]}
    assert [scopes[name] for name in ("numpy", "distributed", "pytest")] == ["required", "optional", "excluded"]
    known = {part["bom-ref"] for part in (parts["metadata"]["component"], *parts["components"])}
    assert {other for edge in parts["dependencies"] for other in (edge["ref"], *edge["dependsOn"])} == known
    assert all(part["licenses"][0]["expression"] != "unknown" for part in parts["components"])


def test_the_list_of_newer_versions_is_of_this_lock():
    """Renewed with the lock, by `make audit`."""
    locked = set(re.findall(r"^([\w.-]+)==([^\s;\\]+)", licences.LOCK.read_text(encoding="utf-8"), re.MULTILINE))
    with behind.TABLE.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {(row["package"], row["locked"]) for row in rows} <= locked
    assert all(row["held_by"] and row["newest"] != row["locked"] for row in rows)
