"""The contract of results: every column of every frame is in the vocabulary, a glance has one row, a page is HTML.

A class has the same columns of the same types whatever it is asked and finds; what is missing has a reason.
"""

import collections
import dataclasses
import functools
import importlib
import inspect
import pkgutil
import re

import numpy as np
import pandas as pd
import pytest
from conftest import ROOT
from test_wrong_values import CURVE, FEW, MACHINE, POINTS, REPORT, RIGHT, RUN

import dominoperf
from dominoperf import loadtests, planning, tables
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
# Columns of those who ask, the parameter of their law, and words of status.
OWN = {*POINTS, "box", "mail.users", "scale", "scale_std_error", "certain", "suspected"}
LIMITS = {"x": [1, 2, 4, 8], "y_low": [95, 190, 390, 700], "y_high": [105, 190, np.inf, 800]}
BOX = pd.DataFrame({"system": ["Box"], "workload": "Mail", "users": 500})
NOBODY = planning.Request((planning.Group("nobody", 0, "light_mail"),))
UNSURE = planning.with_spread(FEW, 20)
TWICE = loadtests.measured_runs(sorted(REPORT.parent.parent.glob("pgbench_summary/*.txt")))
RISING = RUN.assign(throughput_tps=5 + RUN["time_s"])
# What else is asked of a function: too little to answer all of it, or more than before.
OTHERWISE = {
    ("fitting", "fit"): [
        *({"law": law} for law in ("amdahl", "usl", "quadratic")),
        {"law": "amdahl", "data": POINTS.head(2)},  # no degrees of freedom
        *({"law": "amdahl", "interval": interval} for interval in ("none", "wald")),
        {"law": "amdahl", "sigma": 0.02},
        {"law": "amdahl", "y_err": [0.1] * 4},  # which refutes it
        {"law": "usl", "fixed": {"coherency": 0.0}},
        {"law": "linear", "data": POINTS.assign(users=10 * POINTS["processors"])},  # exact
        {"law": lambda x, a, b: a * x**b, "start": {"a": 1.0, "b": 1.0}},  # derives nothing
        {"law": "amdahl", "data": None} | LIMITS,
        {"law": "amdahl", "data": None} | {name: values[:2] for name, values in LIMITS.items()},
    ],
    ("fitting", "compare"): [
        {"family": "processors"},  # some cannot be fitted
        {"family": "processors", "data": POINTS.head(2)},
        {"family": ["linear"]},
        {"y_err": [0.1] * 4},  # refutes both
    ],
    ("fitting", "forecast"): [{"at": [3, 4, 8]}, {"data": POINTS.head(2)}, {"y_err": [0.1] * 4}, {"at": 1e9}],
    ("loadtests", "ab"): [
        {"before": TWICE},
        {"before": TWICE, "after": TWICE, "fail_below": 0.05},
        {"before": TWICE.assign(response_s=np.nan), "after": TWICE},
        {"before": pd.concat([TWICE] * 2), "after": pd.concat([TWICE] * 2)},
    ],
    ("loadtests", "change_points"): [
        {"folder": {"a": TWICE, "b": TWICE}},
        {
            "folder": {k: TWICE.assign(throughput_per_s=rate) for k, rate in enumerate([9] * 5 + [8])},
            "fail_below": 0.05,
        },
    ],
    ("loadtests", "steady_state"): [
        {"frame": RUN.head(6)},
        {"frame": RISING},
        {"method": "fixed", "settle_s": 5},
        {"method": "fixed", "settle_s": 500},
    ],
    ("loadtests", "steady_runs"): [{"frame": RUN.head(6)}, {"frame": RISING}],
    ("machines", "capacity"): [
        {"response_s": 1.0},
        {"machine": {"processors": 2}, "workload": "R6Mail"},
        {"machine": "PC Server 330"},
        {
            "workload": "mine",
            "data": pd.DataFrame({"system": [*"abc"], "processors": [1, 2, 4], "users": [90, 170, 320]}),
        },
        {"machine": pd.DataFrame([MACHINE, MACHINE | {"processors": 0}]), "response_s": 1.0},  # a frame, as glance
    ],
    ("machines", "factor_model"): [{"robust": "none"}, {"response": "cpu_per_user"}, {"factors": ["clock_mhz"]}],
    ("planning", "node_count"): [
        {"rate_per_s": None},
        {"response_s": 0.5},  # which a law forecasts
        {"curve": CURVE.assign(throughput_std_error=0.1, throughput_dof=8), "response_s": 0.13, "node_price": 7},
        {"curve": CURVE.assign(throughput_std_error=0.1, throughput_dof=8), "rate_per_s": None, "response_s": 0.13},
    ],
    ("planning", "plan"): [
        {"request": dataclasses.replace(FEW, system="Box"), "catalogue": BOX},
        {"request": UNSURE, "rules": "compaq_1998"},
    ],
    ("planning", "recommend"): [
        {"request": None},
        {"servers": {"Box": 2}, "catalogue": BOX},
        {"servers": {"Box": 2}, "request": None, "catalogue": BOX},
    ],
    ("planning", "choose"): [{"request": NOBODY}, {"request": dataclasses.replace(FEW, spare_servers=1)}],
    ("planning", "assess"): [{"plan": planning.plan(UNSURE), "n": 20}],
    ("study.audit", "diff_table"): [{"id": "compaq_domino45/figure_2_1"}],
    ("study.audit", "audit_claims"): [{"source": "rhel5", "as_": "corrected"}],
    ("study.recompute", "PlanComparison"): [{"request": recompute.case_request(light_mail=400)}],
}
# Files that are not there; all advice again, in columns of `advice` and of the check.
UNASKED = ("fit_parts", "read", "every_table", "unpinned_advice")
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


@functools.cache
def frames(room, name, other=-1):
    """The frames of an answer by the method that returns them: itself, and of each that needs no argument."""
    found = answer(room, name, other)
    if isinstance(found, pd.DataFrame):
        return {"": found}
    methods = inspect.getmembers(type(found), lambda each: inspect.isfunction(each) and needs_nothing(each, given=1))
    ours = {name: method for name, method in methods if method.__module__.startswith("dominoperf.")}
    made = {name: method(found) for name, method in ours.items() if name[0] != "_" and name != "plot"}
    return {name: each for name, each in made.items() if isinstance(each, pd.DataFrame)}


@functools.cache
def answer(room, name, other=-1):
    """What a public function answers; or what it does to another question, by its place in `OTHERWISE`."""
    arguments = (RIGHT | MORE).get(room, {}).get(name, dict)()
    more = OTHERWISE[room, name][other] if other >= 0 else {}
    return getattr(importlib.import_module(f"dominoperf.{room}"), name)(**arguments | more)


def answers():
    """Every frame of every answer that is asked for: where it is from, its method and the frame."""
    for room, name in asked():
        for other in range(-1, len(OTHERWISE.get((room, name), ()))):
            found = answer(room, name, other)
            for method, frame in frames(room, name, other).items():
                yield f"{room}.{name} {other} {method}", isinstance(found, Result), frame


def results():
    """Every class with both `tidy` and `glance`, its own or inherited."""
    for module in pkgutil.walk_packages(dominoperf.__path__, "dominoperf."):
        if not re.search(r"\.(__main__|_data|_notebooks|app|preloaded|jupyter\w*)\b", module.name):
            for _, each in inspect.getmembers(importlib.import_module(module.name), inspect.isclass):
                ours = each.__module__ == module.name and not inspect.isabstract(each)
                if ours and hasattr(each, "tidy") and hasattr(each, "glance"):
                    yield each


def test_the_map_names_every_result():
    """Each inherits `Result`; what inherits another result goes with it."""
    part = re.search(
        r"inherits `tables.rendering.Result`(.*?)\n## ", (ROOT / "ARCHITECTURE.md").read_text("utf-8"), re.DOTALL
    )
    shown = set(re.findall(r"`([A-Z]\w+)`", part[1]))
    assert shown == {each.__name__ for each in results() if Result in each.__bases__}
    assert [each for each in results() if not issubclass(each, Result)] == []


def test_every_result_is_frozen_and_held_by_the_contract():
    """Each is a frozen dataclass, and some public function of those that are asked below answers it."""
    answered = tuple({type(answer(room, name)) for room, name in asked()} & {*results()})
    assert [each for each in results() if not each.__dataclass_params__.frozen] == []
    assert [each for each in results() if not issubclass(each, answered)] == [], "RIGHT and MORE lack who answers it"


@pytest.mark.parametrize(("room", "name"), [*asked()], ids=map(".".join, asked()))
def test_a_result_keeps_the_contract(room, name):
    """Its own columns and those of the frames that its methods return; of queues the number of the station aside."""
    found = answer(room, name)
    for method, frame in frames(room, name).items():
        columns = {re.sub(r"_\d+$", "", each) if room == "queueing" else str(each) for each in frame}
        assert columns <= {*tables.vocabulary()} | OWN, f"{room}.{name}: describe the columns in data/columns.toml"
        assert method != "glance" or len(frame) == 1 or name in ROWS
    if hasattr(type(found), "_repr_html_"):
        assert "<" in found._repr_html_()
        assert str(found)


@pytest.mark.parametrize(("room", "name"), [*OTHERWISE], ids=map(".".join, OTHERWISE))
def test_a_result_has_the_same_columns_whatever_is_asked(room, name):
    """In the same order and of the same types; a frame of machines has those of one machine's glance."""
    whole = frames(room, name)
    for other, asked_for in enumerate(OTHERWISE[room, name]):
        for method, frame in frames(room, name, other).items():
            assert [*frame.dtypes.items()] == [*whole[method or "glance"].dtypes.items()], (asked_for, method)


def test_a_column_holds_what_the_vocabulary_says():
    """Numbers where it has a unit, and else texts or truths, always the same of both; without a row, too."""
    known, kinds = tables.vocabulary(), collections.defaultdict(dict)
    for where, _, frame in answers():
        for column, dtype in frame.dtypes.items():
            if (about := known.get(column)) is None or column in OWN:
                continue
            is_truth = pd.api.types.is_bool_dtype(dtype)
            kind = "truth" if is_truth else "number" if pd.api.types.is_numeric_dtype(dtype) else str(dtype)
            kinds[column][kind if column != "run" else "str"] = where
            assert ("unit" in about) == (kind == "number") or column == "run", (column, where)
    assert {column: kind for column, kind in kinds.items() if len(kind) > 1} == {}


def test_what_is_missing_has_a_reason():
    """In its row; or in the vocabulary, which says when a cell of the column may be empty. So of every result."""
    may_be_empty = {name for name, column in tables.vocabulary().items() if "empty" in column}
    for where, is_result, frame in answers():
        if is_result or "reason" in frame:
            missing = frame.drop(columns=may_be_empty & {*frame}).isna().any(axis=1)
            assert not missing.any() or (frame.get("reason", pd.Series("", frame.index))[missing] != "").all(), where


def test_a_number_has_a_unit():
    """Where the vocabulary leaves it to the row, the row has it; an interval or error has that of its number."""
    of_rows = {name for name, unit in tables.units().items() if unit == "row"} - {"low", "high", "std_error"}
    for where, is_result, frame in answers():
        assert not is_result or "unit" in frame or not of_rows & {*frame}, where
