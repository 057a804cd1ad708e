"""What fuzzing found, replayed; and the same ways in under edits that hypothesis chooses."""

import functools

import pytest
from conftest import ROOT
from hypothesis import given, settings
from hypothesis import strategies as st

from dominoperf import planning
from dominoperf.errors import BadTable, CannotPlan, DominoperfError, shortened, without_control_characters
from dominoperf.reports.sweeping import read_parameter_sets
from dominoperf.tables import reading
from fuzz.judging import check_message, meet
from fuzz.mutating import mutated
from fuzz.targets import TARGETS

FOUND = sorted((ROOT / "tests" / "fuzz" / "found").glob("*/*"))
EXAMPLES = {"address": 1}  # a slow one


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

    @settings(max_examples=EXAMPLES.get(name, 2), derandomize=True, database=None)
    @given(at=st.integers(0, 99), random=st.randoms(use_true_random=False))
    def edited(at, random):
        known = seeds(name)
        meet(TARGETS[name].call, mutated(known[at % len(known)], random))

    edited()


@pytest.mark.parametrize("name", sorted(TARGETS.keys() - {"address", "words"}))
def test_nothing_at_all(name):
    for data in (b"", b"\n", b"\0", b"\xff\xfe"):
        meet(TARGETS[name].call, data)


# ---- what the limits say


def written(tmp_path, text, name="file.csv"):
    """A file with a text."""
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def test_a_table_has_rows_of_one_length(tmp_path):
    """Blank lines at the end are nothing; a row that is shorter would have cells that are none."""
    whole = reading.read_printed_csv(written(tmp_path, "a,b\n1,2\n\n\n"))
    assert whole.to_dict("records") == [{"a": "1", "b": "2"}]
    for torn, line in (("a,b\n1\n", 2), ("a,b\n1,2\n\n3,4\n", 3), ("a,b\n1,2,3\n", 2)):
        with pytest.raises(ValueError, match=f"line {line}: [0-3] cells under 2 headings"):
            reading.read_printed_csv(written(tmp_path, torn))


def test_a_plan_ends_at_ten_thousand_systems():
    group = {"name": "mail", "profile": "light_mail"}
    asked = {"groups": [group | {"users": 1e10}], "system": "ProLiant 5000 1xP6/200-512"}
    with pytest.raises(CannotPlan, match="people for 10,000 systems at most"):
        planning.plan(asked)
    with pytest.raises(CannotPlan, match="at most 1e\\+12, found 1"):
        planning.plan(asked | {"months_ahead": 10**400})
    with pytest.raises(
        CannotPlan,
        match=r"growth_percent: expected a growth to a number of people, found 1e\+06 percent over 1e\+06 months",
    ):
        planning.plan(asked | {"groups": [group | {"users": 1}], "months_ahead": 1e6, "growth_percent": 1e6})


def test_a_sweep_has_an_end():
    lists = {f"p{k}": [0] * 100 for k in range(10)}
    with pytest.raises(BadTable, match="more than 1,000,000 sets"):
        read_parameter_sets(lists)
    assert len(read_parameter_sets({"p": [0] * 100, "q": [0] * 100})) == 10_000


# ---- messages


@settings(max_examples=30)
@given(parts=st.lists(st.text(max_size=40) | st.integers(0, 3000).map("x".__mul__), min_size=4, max_size=4))
def test_a_message_is_short_and_keeps_what_has_room(parts):
    error = DominoperfError(parts[0], expected=parts[1], found=parts[2], remedy=parts[3])
    check_message(error)
    if sum(len(without_control_characters(shortened(part, 3000))) for part in parts) <= 1900:
        assert [error.where, error.expected, error.found, error.remedy] == [
            without_control_characters(shortened(part, 3000)) for part in parts
        ]
