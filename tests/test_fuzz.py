"""What fuzzing found, replayed; and the same ways in under edits that hypothesis chooses."""

import functools

import pytest
from conftest import ROOT
from fuzz.judging import MESSAGE, check_message, meet
from fuzz.mutating import mutated
from fuzz.targets import TARGETS
from hypothesis import given, settings
from hypothesis import strategies as st

from dominoperf.errors import BadTable, DominoperfError, UnknownName, shortened

FOUND = sorted((ROOT / "tests" / "fuzz" / "found").glob("*/*"))
EXAMPLES = {"folder": 3, "check": 5, "address": 2, "grid": 4, "fit": 5, "request": 5, "words": 5}


@functools.cache
def seeds(name):
    """The inputs that a target begins with."""
    return list(TARGETS[name].seeds())


@pytest.mark.parametrize("path", FOUND, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_found(path):
    """Each of these ended in a traceback, took minutes or gigabytes, or was told in a message as long as itself."""
    meet(TARGETS[path.parent.name].call, path.read_bytes())


@pytest.mark.parametrize("name", TARGETS)
def test_edited(name):
    """A file mutilated gives a result or an error in form."""

    @settings(max_examples=EXAMPLES.get(name, 20), derandomize=True, database=None)
    @given(at=st.integers(0, 99), random=st.randoms(use_true_random=False))
    def edited(at, random):
        known = seeds(name)
        meet(TARGETS[name].call, mutated(known[at % len(known)], random))

    edited()


@pytest.mark.parametrize("name", sorted(TARGETS.keys() - {"address", "words"}))
def test_nothing_at_all(name):
    for data in (b"", b"\n", b"\0", b"\xff\xfe"):
        meet(TARGETS[name].call, data)


# ---- messages


@given(parts=st.lists(st.text(max_size=40) | st.integers(0, 3000).map("x".__mul__), min_size=4, max_size=4))
def test_a_message_is_short_and_keeps_what_has_room(parts):
    error = DominoperfError(parts[0], expected=parts[1], found=parts[2], remedy=parts[3])
    check_message(error)
    if sum(map(len, parts)) <= 1900:
        assert [error.where, error.expected, error.found, error.remedy] == [shortened(part, 3000) for part in parts]


def test_a_long_part_keeps_both_ends():
    error = BadTable("a.csv", expected="a number", found="b" + "x" * 10**6 + "e", remedy="Mend it.")
    told = str(error)
    assert told.startswith("a.csv: expected a number, found bxxx")
    assert told.endswith("xxe. Mend it.")
    assert 1_000 < len(told) < MESSAGE


def test_half_a_character_can_be_printed():
    assert shortened("a\ud800b", 50) == "a\\ud800b"
    check_message(UnknownName.among("table", "\ud800" * 10**5, ["a", "b"], "Known are a, b."))
