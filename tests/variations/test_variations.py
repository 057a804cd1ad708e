"""What `make check-all` compares with; the variations themselves take an hour."""

import os
import re
import subprocess
import sys
import tomllib

import pytest
from conftest import ROOT
from hypothesis import given
from hypothesis import strategies as st

sys.path.append(str(ROOT / "tests" / "variations"))  # a program of its own: `python tests/variations`

import comparing
import copies
import locales
import settings
import varying


@pytest.fixture
def two(tmp_path):
    """Two folders of the same files."""
    for name in ("expected", "found"):
        (tmp_path / name / "deep").mkdir(parents=True)
        (tmp_path / name / "deep" / "a.csv").write_text("x,y\n1,2.5\n", encoding="utf-8")
        (tmp_path / name / "b.bin").write_bytes(b"\xff\x00")
    return tmp_path / "expected", tmp_path / "found"


def test_equal_folders_have_no_difference(two):
    """Nor have hidden files any, which are nobody's result."""
    (two[1] / ".state").write_text("x", encoding="utf-8")
    assert comparing.folders(*two, comparing.to_the_byte) == []


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


def test_named_files_may_differ_but_not_be_missing(two):
    """The named list is of patterns."""
    (two[1] / "b.bin").write_bytes(b"")
    assert comparing.folders(*two, comparing.to_the_byte, {"*.bin": "because"}) == []
    (two[1] / "b.bin").unlink()
    assert comparing.folders(*two, comparing.to_the_byte, {"*.bin": "because"}) == ["b.bin: missing"]


def test_an_empty_folder_proves_nothing(tmp_path):
    """A report that wrote nothing would else agree with nothing."""
    assert comparing.folders(tmp_path, tmp_path, comparing.to_the_byte)


def test_lines_that_only_one_has():
    """And ends of lines, which a decoding comparison would lose."""
    assert comparing.to_the_byte(b"a\nb\n", b"a\n") == "line 2: expected 'b', found ''"
    assert comparing.to_the_byte(b"a", b"a\nb") == "1 lines expected, 2 found"
    assert comparing.to_the_byte(b"a\n", b"a\r\n") == r"line 1: expected 'a', found 'a\r'"


def test_a_long_line_is_shown_where_it_differs():
    """A page may be one line."""
    told = comparing.to_the_byte(b"x" * 9000 + b"1", b"x" * 9000 + b"2")
    assert "x1'" in told
    assert len(told) < 200


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


@given(st.floats(1e-200, 1e200), st.sampled_from([1e-15, -1e-15]))
def test_rounding_after_the_last_bit_is_no_difference(value, off):
    """Whatever side a number falls to when it is rounded as `save` does; a change of the fifth digit is one."""
    printed = [f"{each:.6g}".encode() for each in (value, value * (1 + off), value * 1.0001)]
    assert comparing.within_digits(printed[0], printed[1]) == ""
    assert comparing.within_digits(printed[0], printed[2]) != ""


def test_a_locale_is_made_where_it_can_be(tmp_path):
    """And writes a comma into decimals."""
    more = locales.available(settings.COMMA, tmp_path)
    if more is None:
        pytest.skip(f"this system has no {settings.COMMA}, nor what it is made of")
    code = "import locale; locale.setlocale(locale.LC_ALL, ''); print(locale.str(1.5))"
    environment = os.environ | more | {"LC_ALL": settings.COMMA}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == "1,5\n"


def test_the_callers_settings_do_not_vary_the_runs(monkeypatch):
    """What is varied comes from the variation alone."""
    for name in ("PYTHONPATH", "LC_NUMERIC", "LANG", "DOMINOPERF_DATA"):
        monkeypatch.setenv(name, "mine")
    given = copies.environment({"TZ": "UTC"})
    assert given["TZ"] == "UTC"
    assert not {"PYTHONPATH", "LC_NUMERIC", "LANG", "DOMINOPERF_DATA"} & {*given}
    assert given["PATH"] == os.environ["PATH"]


def test_a_failure_is_an_outcome_and_the_others_go_on(tmp_path, monkeypatch):
    """No reports in the checkout: said, and counted as a difference."""
    monkeypatch.setattr(copies, "ROOT", tmp_path)
    (told,) = varying.outcomes(["site"], tmp_path)
    assert "make report" in str(told)
    assert told.differing


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
