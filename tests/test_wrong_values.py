"""What every public function answers to values that cannot be: a valid result, or an error in four parts.

Never an error of Python's that names no argument, and never a warning of numpy's.
"""

import importlib
import inspect
import math
import re
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from conftest import write_notebook
from matplotlib.figure import Figure

import dominoperf
from dominoperf import fitting, loadtests, planning, tables
from dominoperf.errors import BadTable, DominoperfError, UnknownName
from dominoperf.figures import pictures
from dominoperf.fitting.resampling import MOST_DRAWS

WRONG = (None, "", np.str_("x"), np.int64(-1), 0, math.nan, np.float64(math.inf), 10**400, [], {}, object(),
         "long " * 1_000)  # fmt: skip
ROOMS = ("planning", "laws", "queueing", "fitting", "loadtests", "runs", "tables", "")
POINTS = pd.DataFrame({"processors": [1.0, 2.0, 4.0, 8.0], "users": [10.0, 19.0, 35.0, 60.0]})
TWO = pd.concat([POINTS.assign(box="a"), POINTS.assign(box="b")], ignore_index=True)
TIMES = np.arange(60.0)
RUN = pd.DataFrame({"time_s": TIMES, "users": 5, "throughput_tps": 5 + 0.1 * np.cos(TIMES)})
CURVE = pd.DataFrame(
    {"load": [1, 2, 4, 8], "throughput_per_s": [10, 19, 35, 60], "response_s": [0.1, 0.11, 0.12, 0.14]}
)
REPORT = Path(__file__).parent / "samples" / "wrk" / "connections_4.txt"
FEW = planning.Request((planning.Group("mail", 100, "light_mail"),), "ProLiant 3000 1xP2/300")
MACHINE = {"processors": 2, "clock_mhz": 200, "ram_mb": 512, "drives": 4, "processor_family": "Pentium Pro"}
QUEUE = {"service_s": 0.1, "utilization": 0.5}
PASSED_ON = {"compare": "bounded", "fit_parts": "level", "steady_runs": "between", "fitted_rating": "sigma",
             "picture": "subtitle", **dict.fromkeys(("ab", "measured_runs", "change_points"), "settle")}  # fmt: skip
RIGHT = {
    "planning": {
        **dict.fromkeys(("as_toml", "choose", "differing", "plan", "read_request"), lambda: {"request": FEW}),
        "assess": lambda: {"plan": planning.plan(FEW), "n": 20},
        "fitted_rating": lambda: {"law": "linear", "data": POINTS, "x": 4, "workload": "Mail"},
        "grid": lambda: {"request": FEW, "table": pd.DataFrame({"mail.users": [80]}), "jobs": 1},
        "modelled_rating": lambda: {"machine": {"processors": 2, "clock_mhz": 200}, "workload": "Mail"},
        "node_count": lambda: {"curve": CURVE, "rate_per_s": 500},
        "rating": lambda: {"catalogue": None, "system": FEW.system, "workload": "Mail"},
        "recommend": lambda: {"servers": {FEW.system: 2}, "request": FEW},
        "risks": lambda: {"request": FEW, "table": pd.DataFrame({"mail.users": [80]}), "n": 20, "jobs": 1},
        "systems": lambda: {"catalogue": pd.DataFrame({"system": ["A"], "workload": "Mail", "users": 500})},
        "side_by_side": lambda: {"left": planning.plan(FEW), "right": planning.plan(FEW)},
        "with_spread": lambda: {"request": FEW, "percent": 20},
    },
    "laws": {
        "family": lambda: {"name": "clock"},
        **dict.fromkeys(("find", "resolve_law"), lambda: {"law": "amdahl"}),
    },
    "queueing": {
        **dict.fromkeys(("bounds", "mva"), lambda: {"demand_s": [0.1, 0.2], "users": 10}),
        **dict.fromkeys(("erlang_b", "erlang_c"), lambda: {"servers": 2, "offered_load": 1.0}),
        "interactive_response": lambda: {"users": 10, "throughput_per_s": 2.0},
        "little_population": lambda: {"throughput_per_s": 2.0, "response_s": 1.0},
        "mmc_response": lambda: QUEUE | {"servers": 2},
        "service_demand": lambda: {"utilization": 0.5, "throughput_per_s": 2.0},
        "station_throughput": lambda: {"throughput_per_s": 2.0, "visits": 3.0},
        "utilization": lambda: {"throughput_per_s": 2.0, "demand_s": 0.1},
    },
    "fitting": {
        "bootstrap": lambda: {"fit": fitting.fit("linear", POINTS), "n": 3},
        "compare": lambda: {"family": ["linear", "amdahl"], "data": POINTS},
        "fit": lambda: {"law": "linear", "data": POINTS},
        "fit_many": lambda: {"law": "linear", "data": TWO, "by": "box"},
        "fit_parts": lambda: {"source": "no_such.parquet", "law": "linear", "by": "box"},
        "forecast": lambda: {"data": POINTS, "at": 16},
        "forecast_many": lambda: {"data": TWO, "at": 16, "by": "box"},
        "rows_of": lambda: {"data": TWO, "pairs": [("box", "a")]},
    },
    "loadtests": {
        "ab": lambda: dict.fromkeys(("before", "after"), loadtests.measured_runs(REPORT)),
        "change_points": lambda: {"folder": dict.fromkeys("ab", loadtests.measured_runs(REPORT))},
        "curve": lambda: {"paths": REPORT},
        "read_run": lambda: {"path": RUN},
        **dict.fromkeys(("roll_up", "steady_runs", "steady_state"), lambda: {"frame": RUN}),
    },
    "runs": {
        "find": lambda: {"name": "smp_mail"},
    },
    "tables": {
        **dict.fromkeys(("cells", "document", "pages"), lambda: {"source": "rhel5"}),
        **dict.fromkeys(
            ("describe", "is_view", "load", "locators", "resolution", "show"), lambda: {"id": "rhel5/table_4"}
        ),
        "label": lambda: {"name": "users"},
        "new": lambda: {"folder": "mine", "from_": "no_such.csv"},
        **dict.fromkeys(("use", "using"), lambda: {"folder": tables.home() / "rhel5"}),
        **dict.fromkeys(("read_table", "user_of"), lambda: {"data": POINTS}),
    },
    "": {
        "build": lambda: {"names": ["no_such"], "parameters": {"no_such": 1}},
        "capacity": lambda: {"machine": MACHINE, "workload": "Mail"},
        "capacity_ratio": lambda: {"machine": MACHINE, "other": MACHINE | {"processors": 4}, "workload": "Mail"},
        "cheapest_upgrades": lambda: {"machine": MACHINE, "workload": "Mail", "target": 3000},
        **dict.fromkeys(("diff_table", "regenerate"), lambda: {"id": "rhel5/table_4"}),
        **dict.fromkeys(("picture", "plot"), lambda: {"result": fitting.fit("linear", POINTS)}),
        "read": lambda: {"path": "no_such.csv"},
        "run_notebook": lambda: {
            "notebook": write_notebook(Path("n.ipynb"), "n"),
            "parameters": {"no_such": 1},
            "out": "out",
        },
        "save": lambda: {"table": POINTS, "name": "points"},
        "sweep": lambda: {"notebook": "20_processors", "grid": {"no_such": [1]}},
    },
}
"""Arguments that a function needs, by its room and name; the room "" is the package itself."""
FOR_CODE = {
    "laws": ("gradient",),
    "loadtests": ("curve_of_runs", "measured_runs", "usable_runs"),  # what `curve` and `ab` call
    "runs": ("list_series", "prints", "read_own_series", "read_processor", "step_of_digits", "table_of", "values"),
    "": ("measured_runs",),
}
"""Functions that hand a number from one room to another: no value of a user's comes to them unread."""
# A quarter of the values for each argument, in turn: these read files, draw, run, or ask a model or all claims.
LONG = ("ab", "audit_claims", "capacity", "capacity_ratio", "change_points", "cheapest_upgrades", "curve",
        "factor_model", "fitted_rating", "modelled_rating", "node_count", "picture", "plot", "recommend",
        "run_notebook", "systems")  # fmt: skip
UNTRIED = ("out", "tell")  # arguments that say where to write, and whom to tell


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path, monkeypatch):
    """Work in a folder of the test's own: what `RIGHT` gives, and what a function makes of it, may be written there."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture(autouse=True)
def _one_size(monkeypatch):
    """Draw the wide size of a picture alone: the narrow one is drawn of the same values."""
    wide = pictures.figure_with_words
    narrow = lambda draw, size, *how: wide(draw, size, *how) if size is pictures.TEXT else Figure()  # noqa: E731
    monkeypatch.setattr(pictures, "figure_with_words", narrow)


def functions():
    """The public functions of the rooms, each once: room and name."""
    found = {}
    for room in ROOMS:
        module = _module(room)
        for name in module.__all__:
            function = getattr(module, name)
            if inspect.isfunction(function) and name not in FOR_CODE.get(room, ()):
                found.setdefault(function, (room, name))
    return list(found.values())


def _module(room):
    return importlib.import_module(f"dominoperf.{room}".rstrip("."))


@pytest.mark.parametrize(("room", "name"), functions(), ids=map(".".join, functions()))
def test_a_wrong_value_is_told_in_four_parts(room, name):
    """Each argument in turn is what it cannot be, the others are right; what is written goes to a folder of its own."""
    function = getattr(_module(room), name)
    right, leaks = RIGHT[room].get(name, dict)(), []
    parameters = inspect.signature(function).parameters.values()
    needed = {each.name for each in parameters if each.default is each.empty and each.kind is not each.VAR_KEYWORD}
    assert needed <= set(right), f"Say in RIGHT what {room}.{name} needs."
    for place, parameter in enumerate(parameters):
        if parameter.kind is parameter.VAR_KEYWORD or parameter.name in UNTRIED:
            continue
        for wrong in WRONG[place % 4 :: 4] if name in LONG else WRONG:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                try:
                    function(**right | {parameter.name: wrong})
                except (DominoperfError, OSError) as error:  # of a file that cannot be opened the system's own words
                    if re.search(r"\bnp\.\w+\(", str(error)):  # the user typed no such thing
                        leaks.append(f"{parameter.name}={wrong!r:.20}: {error!s:.200}")
                except Exception as error:
                    leaks.append(f"{parameter.name}={wrong!r:.20}: {type(error).__name__}: {error!s:.80}")
    assert not leaks, "\n".join([f"{room}.{name}", *leaks])


POINTS_REFUSED = [  # a column of numbers above zero, as `data` has it, and what is told
    ([0.0, 2, 3, 4], "row 1: expected a number above zero, found 0"),
    ([1.0, -2, 3, 4], "row 2: expected a number above zero, found -2"),
    ([1.0, 2, math.inf, 4], "row 3: expected a number above zero, found inf"),
    ([1.0, "many", 3, 4], "row 2: expected a number, found 'many'"),
]


@pytest.mark.parametrize("column", ["processors", "users"])
@pytest.mark.parametrize(("values", "told"), POINTS_REFUSED, ids=[told[31:] for _, told in POINTS_REFUSED])
def test_points_that_cannot_be_are_refused_alike(column, values, told):
    """By every function that fits, of the first curve where there are several."""
    for room, name in [each for each in functions() if each[0] in ("fitting", "planning")]:
        right = RIGHT[room].get(name, dict)()
        if isinstance(right.get("data"), pd.DataFrame) and name != "rows_of":
            rows = right["data"][column].to_list()
            data = right["data"].assign(**{column: [*values, *rows[4:]]})
            with pytest.raises(DominoperfError, match=rf"column {column}, .*{told}"):
                getattr(_module(room), name)(**right | {"data": data})


@pytest.mark.parametrize(
    ("call", "found"),
    [
        (lambda: fitting.forecast(POINTS, [np.float64(-3)]), "found [-3.0]"),
        (lambda: fitting.forecast(POINTS, 16, level=np.float64(3)), "found 3.0"),
        (lambda: fitting.fit("linear", pd.DataFrame({"processors": [1, 2, "x"], "users": 1.0})), "found 'x'"),
        (lambda: fitting.compare("processors", POINTS).rates(noise=np.float64(-1)), "rates(noise=-1.0)"),
    ],
)
def test_numbers_of_numpy_are_told_as_they_were_typed(call, found):
    with pytest.raises(DominoperfError, match=re.escape(found)):
        call()


TEXTS = pd.DataFrame({"load": [1, 2, 4, 8], "throughput_per_s": ["1,000", "1,900", "3,500", "6,000"]})
WANTED = "Write numbers alone: thousands without a sign"


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: loadtests.ab("a", "b", fail_belo=0.05), "ab: .* found 'fail_belo'. Did you mean fail_below"),
        (lambda: loadtests.measured_runs("a", setle=3), "measured_runs: .* found 'setle'. Did you mean settle"),
        (lambda: loadtests.change_points("a", sed=3), "change_points: .* found 'sed'. Did you mean seed"),
        (lambda: fitting.fit("usl", TEXTS, x="load", y="throughput_per_s"), f"found '1,000'. .*{WANTED}"),
        (lambda: planning.node_count(TEXTS, 9), f"throughput_per_s, row 1: .*found '1,000'. {WANTED}"),
        (lambda: planning.node_count(POINTS, 9), r"found no throughput_per_s. Make one with `curve\(FILES\)`"),
        (lambda: fitting.compare(POINTS, "processors"), "family of laws: .*found a DataFrame. Known are processors"),
        (lambda: planning.plan({"groups": []}), r"planning.template\(\) shows how each field is written"),
        (lambda: planning.plan("no_such.toml"), "no_such.toml: expected a file or folder, found no such file"),
        (lambda: dominoperf.capacity(MACHINE, "bogus"), "found 'bogus'. Workloads that were run"),
        (lambda: dominoperf.capacity(MACHINE, "Mial"), r"Did you mean Mail\? "),
        (lambda: fitting.fit("usl,amdahl", POINTS), r"Name one, or compare them: compare\("),
    ],
)
def test_a_mistake_in_python_is_told_in_python(call, told):
    """Where, what was found as it was typed, and a remedy that is Python; no guess where none is near."""
    with pytest.raises(DominoperfError, match=told) as caught:
        call()
    assert "`dominoperf " not in str(caught.value)


@pytest.mark.parametrize(("room", "name"), [("planning", "assess"), ("planning", "risks"), ("fitting", "bootstrap")])
def test_more_draws_than_tell_more_are_refused(room, name):
    """One above the limit that they share."""
    function, right = getattr(_module(room), name), RIGHT[room][name]()
    with pytest.raises(DominoperfError, match=f"{name}, n: expected a whole number from 1 to 1,000,000, found 1000001"):
        function(**right | {"n": MOST_DRAWS + 1})


def _last_cell(frame, name):
    """A frame whose last cell of a column is a number that no float holds."""
    return frame.assign(**{name: [*frame[name].astype(object)[:-1], 10**400]})


RUNS = pd.DataFrame([MACHINE | {"workload": "Mail", "users": 2000}] * 2)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("call", "place"),
    [
        (lambda: fitting.fit("linear", _last_cell(POINTS, "users")), "column users, row 4"),
        (lambda: fitting.fit_many(_last_cell(TWO, "users"), "linear", by="box"), "column users, row 8"),
        (lambda: fitting.forecast_many(_last_cell(TWO, "users"), 16, by="box"), "column users, row 8"),
        (lambda: planning.node_count(_last_cell(CURVE, "response_s"), 500), "column response_s, row 4: "),
        (lambda: dominoperf.capacity(MACHINE, "Mail", data=_last_cell(RUNS, "users")), "users, row 2"),
        (lambda: dominoperf.factor_model(data=_last_cell(dominoperf.benchmarks(), "users")), "column users"),
    ],
)
def test_a_cell_that_is_infinite_is_named(call, place):
    """A number that no float holds is infinite: whoever needs finite numbers says where."""
    with pytest.raises(DominoperfError, match=place):
        call()


@pytest.mark.parametrize(
    "call",
    [
        lambda: fitting.fit("linear", _with_column_twice(POINTS, "users")),
        lambda: fitting.fit_many(_with_column_twice(TWO, "users"), "linear", by="box"),
        lambda: fitting.fit_many(TWO, "linear", by=["box", "box"]),
        lambda: loadtests.steady_runs(_with_column_twice(RUN, "users")),
        lambda: planning.node_count(_with_column_twice(CURVE, "load"), 500),
        lambda: planning.grid(FEW, _with_column_twice(pd.DataFrame({"mail.users": [80]}), "mail.users")),
        lambda: dominoperf.capacity(MACHINE, "Mail", data=_with_column_twice(RUNS, "users")),
    ],
)
def test_a_column_twice_is_one_kind_of_error(call):
    """Whatever function gets the frame, and whether the frame has the column twice or the call names it twice."""
    with pytest.raises(BadTable, match=r"expected every column once, found '[a-z_.]+' twice"):
        call()


def _with_column_twice(frame, name):
    """A frame with one column again at its end."""
    return pd.concat([frame, frame[[name]]], axis=1)


@pytest.mark.parametrize(("room", "name"), functions(), ids=map(".".join, functions()))
def test_a_keyword_with_a_slip_is_answered_with_the_near_one(room, name):
    """Of every function, with what its settings go to: Python's own error names none."""
    function, settings = getattr(_module(room), name), PASSED_ON.get(name)
    names = [each.name for each in inspect.signature(function).parameters.values() if each.kind is not each.VAR_KEYWORD]
    for near in filter(None, (max(names, key=len, default=None), settings)):
        with pytest.raises(UnknownName, match=rf"^argument of {name}: .*Did you mean {near}\?"):
            function(**{near[0] + near: 1})
