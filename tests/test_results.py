"""The contract of results: every column of every frame is in the vocabulary, a glance has one row, a page is HTML."""

import collections
import functools
import importlib
import inspect
import numbers
import pkgutil
import re

import numpy as np
import pandas as pd
import pytest
from conftest import ROOT
from test_wrong_values import MACHINE, POINTS, RIGHT

import dominoperf
from dominoperf import planning, tables
from dominoperf.reports.reference import public_names
from dominoperf.study import audit, changes, paired_runs, recompute
from dominoperf.tables.rendering import Result

OF_A_MACHINE = {"machine": MACHINE, "workload": "Mail"}
MORE = {  # rooms that answer values that cannot be in tests of their own
    "machines": {
        "capacity": lambda: OF_A_MACHINE,
        "capacity_ratio": lambda: OF_A_MACHINE | {"other": MACHINE | {"processors": 4}},
        "cheapest_upgrades": lambda: OF_A_MACHINE | {"target": 2500},
        "parts_of_machine": lambda: OF_A_MACHINE,
        "prior_influence": lambda: OF_A_MACHINE,
        "paired_ratios": lambda: {"data": paired_runs.peak_loads()},
    },
    "study": {
        "pairs": lambda: {"factor": "clock_mhz"},
        "check_data": lambda: {"folder": tables.home() / "ibm_330"},  # of one document: that of all takes seconds
        "advice": lambda: {"source": "compaq_netware"},
    },
    "study.added_processors": {},
    "study.changes": {"local_exponents": lambda: {"ratios": changes.response_by_memory()}},
    "study.paired_runs": {"quoted_gains": lambda: {"table": "compaq_netware/cpu_upgrades"}},
    "study.printed_windows": {},
    "study.release_migration": {},
    "study.workload_scripts": {},
    "study.audit": {
        "audit_claims": lambda: {"source": "ibm_330"},
        "check_consistency": lambda: {"folder": tables.home() / "ibm_330"},
        "check_verdicts": lambda: {"rows": audit.claims("ibm_330")},
        "diff_table": lambda: {"id": "ibm_330/results"},
    },
    "study.recompute.consequences": {},
    "study.recompute": {"PlanComparison": lambda: {"request": recompute.case_request()}},
}
ROOMS = ("planning", "laws", "queueing", "fitting", "loadtests", "runs", *MORE)
# Columns of those who ask, the parameter of their law, rule sets, and words of status.
OWN = {*POINTS, "box", "mail.users", "scale", "scale_std_error", *planning.rule_sets(), "certain", "suspected"}
# Files that are not there; a dict of frames; all advice again, in columns of `advice` and of the check.
UNASKED = ("fit_parts", "read", "change_points", "every_table", "unpinned_advice")
ROWS = ("PlanComparison", "diffs")  # a glance for each group or set of rules


def asked():
    """Every public function whose arguments are known, or that needs none: its room and name."""
    for room in ROOMS:
        module = importlib.import_module(f"dominoperf.{room}")
        for name in public_names(room):
            each = getattr(module, name)
            alone = inspect.isfunction(each) and needs_nothing(each)
            if (name in (RIGHT | MORE).get(room, {}) or alone) and name not in UNASKED:
                yield room, name


def needs_nothing(function, given=0):
    """Whether a function can be called without an argument, beside those that are given."""
    return all(part.default is not part.empty for part in [*inspect.signature(function).parameters.values()][given:])


def frames(found):
    """The frames of a result by the method that returns them: itself, and of each that needs no argument."""
    if isinstance(found, pd.DataFrame):
        return {"": found}
    methods = inspect.getmembers(type(found), lambda each: inspect.isfunction(each) and needs_nothing(each, given=1))
    ours = [method for name, method in methods if name[0] != "_" and method.__module__.startswith("dominoperf.")]
    made = {method.__name__: method(found) for method in ours if method.__name__ != "plot"}
    return {name: each for name, each in made.items() if isinstance(each, pd.DataFrame)}


@functools.cache
def answer(room, name):
    """What a public function answers."""
    return getattr(importlib.import_module(f"dominoperf.{room}"), name)(
        **(RIGHT | MORE).get(room, {}).get(name, dict)()
    )


def results():
    """Every class with both `tidy` and `glance`, its own or inherited."""
    for module in pkgutil.walk_packages(dominoperf.__path__, "dominoperf."):
        if not re.search(r"\.(__main__|_data|_notebooks|app|preloaded|jupyter\w*)\b", module.name):
            for _, each in inspect.getmembers(importlib.import_module(module.name), inspect.isclass):
                ours = each.__module__ == module.name and not inspect.isabstract(each)
                if ours and hasattr(each, "tidy") and hasattr(each, "glance"):
                    yield each


def test_the_map_names_every_result():
    """Those that `Result` shows, and those that show themselves; what inherits another result goes with it."""
    part = re.search(
        r"inherits `tables.rendering.Result`(.*?)\n## ", (ROOT / "ARCHITECTURE.md").read_text("utf-8"), re.DOTALL
    )[1]
    shown, own = (set(re.findall(r"`([A-Z]\w+)`", text)) for text in part.split("Others have"))
    assert shown == {each.__name__ for each in results() if Result in each.__bases__}
    assert own == {each.__name__ for each in results() if not issubclass(each, Result)}


def test_every_result_is_frozen_and_held_by_the_contract():
    """Each is a frozen dataclass, and some public function of those that are asked below answers it."""
    answered = tuple({type(answer(room, name)) for room, name in asked()} & {*results()})
    assert [each for each in results() if not each.__dataclass_params__.frozen] == []
    assert [each for each in results() if not issubclass(each, answered)] == [], "RIGHT and MORE lack who answers it"


@pytest.mark.parametrize(("room", "name"), [*asked()], ids=map(".".join, asked()))
def test_a_result_keeps_the_contract(room, name):
    """Its own columns and those of the frames that its methods return; of queues the number of the station aside."""
    found = answer(room, name)
    for method, frame in frames(found).items():
        columns = {re.sub(r"_\d+$", "", each) if room == "queueing" else str(each) for each in frame}
        assert columns <= {*tables.vocabulary()} | OWN, f"{room}.{name}: describe the columns in data/columns.toml"
        assert method != "glance" or len(frame) == 1 or name in ROWS
    if hasattr(type(found), "_repr_html_"):
        assert "<" in found._repr_html_()
        assert str(found)


def kind_of(column):
    """Whether the cells of a column that are not empty are truths, numbers or text."""
    cells = [cell for cell in column.dropna() if cell != ""]
    kinds = {"truth": (bool, np.bool_), "number": numbers.Number, "text": str}
    return next((kind for kind, types in kinds.items() if all(isinstance(cell, types) for cell in cells)), "mixed")


def test_a_column_has_one_kind_of_cells():
    """The same name holds truths, numbers or text in every result."""
    kinds = collections.defaultdict(dict)
    for room, name in asked():
        for method, frame in frames(answer(room, name)).items():
            for column in {str(each) for each in frame if frame.columns.tolist().count(each) == 1}:
                if (frame[column].notna() & (frame[column].astype(str) != "")).any():
                    kinds[column][kind_of(frame[column])] = f"{room}.{name} {method}"
    assert {column: kind for column, kind in kinds.items() if len(kind) > 1 and column not in OWN} == {}
