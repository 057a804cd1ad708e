"""What is released: wheel and source archive have the same bytes each time, and hold what git tracks and no more."""

import csv
import json
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile

import behind
import bom
import licences
import pytest
from conftest import ROOT

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
