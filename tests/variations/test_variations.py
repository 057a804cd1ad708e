"""What `make check-all` compares with; the variations themselves take an hour."""

import re
import subprocess
import sys
import tomllib

import pytest
from conftest import ROOT

sys.path.append(str(ROOT / "tests" / "variations"))  # a program of its own: `python tests/variations`

import comparing


@pytest.fixture
def two(tmp_path):
    """Two folders of the same files."""
    for name in ("expected", "found"):
        (tmp_path / name / "deep").mkdir(parents=True)
        (tmp_path / name / "deep" / "a.csv").write_text("x,y\n1,2.5\n", encoding="utf-8")
        (tmp_path / name / "b.bin").write_bytes(b"\xff\x00")
    return tmp_path / "expected", tmp_path / "found"


def test_each_difference_names_file_and_place(two):
    """Content, a byte of what is no text, a file too few, one too many."""
    (two[1] / "deep" / "a.csv").write_text("x,y\n1,2.6\n", encoding="utf-8")
    (two[1] / "b.bin").write_bytes(b"\xff\x01")
    (two[0] / "c.md").touch()
    (two[1] / "d.md").touch()
    assert comparing.folders(*two, comparing.to_the_byte) == [
        "c.md: missing",
        "d.md: not expected",
        "b.bin, byte 2: no text, 2 bytes expected, 2 found",
        "deep/a.csv, line 2: expected '1,2.5', found '1,2.6'",
    ]


def test_an_empty_folder_proves_nothing(tmp_path):
    """A report that wrote nothing would else agree with nothing."""
    assert comparing.folders(tmp_path, tmp_path, comparing.to_the_byte)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("0.123456", "0.123457", True),
        ("0.123456", "0.123458", False),
        ("a,-1.23456e-09,b", "a,-1.23457e-09,b", True),
        ("1.23456", "-1.23456", False),
        ("0.5", "0.500001", True),
        ("99999.9", "100000", True),
        ("1600", "1601", False),
        ("0", "0.001", False),
        ("model 5,1", "model 6,1", False),
        ("yes,1", "no,1", False),
        ("1", "", False),
        ("1,2", "2,1", False),
    ],
)
def test_printed_digits(one, other, same):
    """One unit of the sixth digit, no more, and nothing but numbers."""
    assert (comparing.within_digits(one.encode(), other.encode()) == "") is same
    assert (comparing.within_digits(other.encode(), one.encode()) == "") is same


def test_an_unknown_name_is_refused():
    """With the names that there are, before anything runs."""
    done = subprocess.run([sys.executable, "tests/variations", "moon"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 2
    assert "moon" in done.stderr
    assert "hashseed" in done.stderr


def test_the_lowest_lock_has_the_lower_bounds():
    """Each bound of pyproject.toml, that of a runtime dependency or of a development one, is what the lock has."""
    from packaging.requirements import Requirement
    from packaging.version import Version

    lock = (ROOT / "tests" / "variations" / "lowest.lock").read_text(encoding="utf-8")
    locked = {name: Version(version) for name, version in re.findall(r"^([\w.-]+)==([\w.]+)", lock, re.MULTILINE)}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    for line in [*project["project"]["dependencies"], *project["dependency-groups"]["dev"]]:
        wanted = Requirement(line)
        lowest = min(Version(each.version) for each in wanted.specifier if each.operator == ">=")
        assert locked[wanted.name].release[: len(lowest.release)] == lowest.release, line
    assert lock.count("--hash=sha256:") > 5 * len(locked)
