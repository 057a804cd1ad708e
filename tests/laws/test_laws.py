"""What every law must keep, whichever it is, and what each says of a published or closed example."""

import dataclasses
import itertools
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize

from dominoperf import compare, fit, fit_many, laws, tables
from dominoperf.errors import CannotFit, UnknownName
from dominoperf.laws import FAMILIES, LAWS, gradient, numerics

WITHOUT_INVERSE = {"users_at_response"}  # it steps from processor to processor
every_law = pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)


def example(law):
    """The points and parameters of a law's example."""
    x, params = law.example
    return np.array(x, float), [float(param) for param in params]


def held(law):
    """Values of the constants of a law, as a fit would hand them on."""
    return {p.name: value for p, value in zip(law.params, example(law)[1], strict=True) if p.held is not None}


def grown(law, by):
    """The parameters of a law's example grown by a factor or several; a constant that is always given is as it is."""
    return [value * (by**0 if param.required else by) for param, value in zip(law.params, example(law)[1], strict=True)]


def bends(law, x, params, step=1e-6):
    """Central differences of a curve by each parameter, but for constants that are always given."""
    for k, value in enumerate(params):
        if law.params[k].required:
            yield None
            continue
        size = step * abs(value)
        up, down = ([*params[:k], value + way * size, *params[k + 1 :]] for way in (1, -1))
        yield (law.function(x, *up) - law.function(x, *down)) / (2 * size)


def test_every_law_has_an_example_and_a_family():
    """What follows speaks of all laws: each has points enough, and a value for each parameter."""
    assert all(len(x) > len(law.params) == len(params) for law in LAWS.values() for x, params in [law.example])
    shares = np.concatenate(
        [law.function(x, *params) for law in laws.family("utilization") for x, params in [example(law)]]
    )
    assert 0 < min(shares) < max(shares) < 1
    assert {name for names in FAMILIES.values() for name in names} == set(LAWS)
    assert all(
        LAWS[name].family == family or family == "overhead" for family, names in FAMILIES.items() for name in names
    )


@every_law
def test_says_where_it_comes_from(law):
    """Formula, source, limits, meanings, units; a docstring; axes that the vocabulary knows."""
    assert all((law.formula, law.source, law.limits, law.title, law.family, law.function.__doc__))
    assert all(part.meaning and part.unit.format(x="processor", y="user") for part in (*law.params, *law.derived))
    assert law.error in ("relative", "constant")
    assert {law.x, law.y} <= set(tables.vocabulary()) - {"x", "y"}
    assert all(
        unit in ("", tables.vocabulary()[axis]["unit"]) for unit, axis in ((law.x_unit, law.x), (law.y_unit, law.y))
    )
    names = [*law.names, *(quantity.name for quantity in law.derived)]
    assert len(names) == len(set(names))
    assert all(param.low < param.high for param in law.params)


@every_law
def test_the_use_of_its_family_is_listed(law):
    """What y by what x: the column `use` of `dominoperf laws`."""
    use = laws.list_laws(law.name)["use"].item()
    assert use, f"say what laws of the family {law.family!r} are for: a line in USES beside its record"


@every_law
def test_its_source_can_be_looked_up_or_is_called_elementary(law):
    """A year to find the book by, or a document of ours with its page; a form that needs neither says so."""
    printed = any(f"{key}, " in law.source and "page" in law.source for key in tables.sources()["source"])
    assert printed or re.search(r"\b(19|20)\d\d\b", law.source) or law.source.startswith("elementary: "), law.source


@every_law
def test_its_equation_is_named_or_it_says_how_it_follows(law):
    """An equation by its number, a section or chapter; else where it is or how it follows. Elementary is elementary."""
    number = r"\b(equation|section|chapter) \d"
    assert re.search(number, law.equation) or re.match(r"(without a number|elementary): \w", law.equation), law.equation
    assert law.source.startswith("elementary") <= law.equation.startswith("elementary"), law.equation
    assert laws.list_laws(law.name)[["reference", "equation"]].values.tolist() == [[law.source, law.equation]]


@every_law
def test_its_worked_example_comes_out(law):
    """To the digits that its source prints, a value by hand to five."""
    assert law.worked, f"{law.name}: give a value that its source prints, or one found by hand"
    x, params, printed, source = dataclasses.astuple(law.worked)
    value = law.function(x, *params)
    assert f"{value:.{len(printed.partition('.')[2])}f}" == printed
    assert not source.startswith("by hand: ") or np.isclose(value, float(printed), rtol=5e-5, atol=0)
    assert all(param.low <= value <= param.high for param, value in zip(law.params, params, strict=True))
    assert re.search(r"\b(19|20)\d\d\b", source) or source.startswith("by hand: "), source
    (line,) = laws.list_laws(law.name)["worked"]
    assert line.startswith(f"{law.y} = {printed} at {law.x} = {x:g}, {law.names[0]} = ")
    assert line.endswith(f"({source})")


# These x have one unit only, as has that of this law: they count from one, or are a share.
COUNTED = {"processors", "drives", "cpu_utilization", "closed"}


def in_other_units(law, values, parts, by):
    """The values of parameters or quantities, each made larger as its unit says."""
    exponent = dict(zip(law.names, example(law)[1], strict=True)).get("exponent")
    for value, part in zip(values, parts, strict=True):
        unit = part.unit.replace("{x}", "x").replace("{y}", "y").replace("^", "**")
        yield value * eval(unit, {}, by | {"exponent": exponent})


@every_law
def test_units_are_those_of_the_formula(law):
    """In other units of x, y and time it is the same curve: parameters and what is derived follow their units."""
    x, params = example(law)
    larger = 8.0 if COUNTED.isdisjoint((law.x, law.name)) else 1.0
    by = {"s": 3.0, "x": larger, "y": {"s": 3.0, "1": 1.0}.get(law.y_unit, 5.0)}
    by["MB"] = by["x"] if law.x_unit == "MB" else 1.0
    if law.name == "users_at_response":  # its users are those of seconds
        by["y"] = 1.0
    changed, far = [*in_other_units(law, params, law.params, by)], x * by["x"]
    told = ", ".join(f"{param.name} in {param.unit or 'no unit'}" for param in law.params)
    told = (
        f"{law.name}: in other units it is another curve. Mend the unit of a parameter ({told}), or say in x_unit or "
    )
    told += f"y_unit which one the formula needs, or name {law.x} or {law.name} in COUNTED, if x counts from one"
    assert np.allclose(law.function(far, *changed), law.function(x, *params) * by["y"], rtol=1e-11, atol=0), told
    for quantity in law.derived:
        one, other = (quantity.function(*((at,) if quantity.at_x else ()), *given)
                      for at, given in ((x, params), (far, changed)))  # fmt: skip
        (expected,) = in_other_units(law, [one], [quantity], by)
        assert np.allclose(other, expected, rtol=1e-9, atol=0, equal_nan=True), quantity.name


@every_law
def test_takes_numbers_and_arrays(law):
    """A curve, a number, and a column per curve give the same; for a column per curve x may be one column."""
    x, params = example(law)
    one = law.function(x, *params)
    assert one.shape == x.shape
    assert np.isfinite(one).all()
    assert np.allclose([float(law.function(each, *params)) for each in x], one, rtol=1e-14, atol=0)
    several = grown(law, np.array([1, 1.1, 0.9]))
    many = law.function(x[:, None], *several)
    assert many.shape == (len(x), 3)
    for k in range(3):
        assert np.allclose(many[:, k], law.function(x, *(value[k] for value in several)), rtol=1e-12, atol=0)
    assert np.allclose(law.function(np.repeat(x[:, None], 3, 1), *several), many, rtol=1e-14, atol=0)


@every_law
@pytest.mark.parametrize("columns", [False, True], ids=["curve", "columns"])
def test_derivatives_are_those_of_the_curve(law, columns):
    """What a fit uses equals the complex step of the formula to 12 digits, and central differences to 6."""
    x, params = example(law)
    if columns:
        x, params = x[:, None], grown(law, np.array([1, 1.05]))
    given = law.gradient(x, *params)
    exact = gradient(lambda *params: law.function(x, *params), params)
    assert given.shape == exact.shape == (len(params), *np.shape(law.function(x, *params)))
    size = np.abs(exact).max()
    assert np.allclose(given, exact, rtol=1e-12, atol=1e-14 * size), f"{law.name}: mend jacobian, or leave it out"
    if columns:
        return
    for (param, value), mine, near in zip(
        zip(law.params, params, strict=True), given, bends(law, x, params), strict=True
    ):
        if not param.required:
            told = f"{law.name}: a complex {param.name} gives no derivative; take no abs and no comparison of it"
            least = 1e-6 * np.abs(law.function(x, *params)).max() / abs(value)
            assert np.allclose(mine, near, rtol=1e-5, atol=least), told


def inside(law, found, y):
    """Whether a start can be used: every parameter, in shape, within bounds, and a curve where y is."""
    assert len(found) == len(law.params)
    for param, value in zip(law.params, found, strict=True):
        assert np.shape(value) == np.shape(y)[1:]
        assert np.isfinite(value).all()
        assert (param.low <= value).all()
        assert (value <= param.high).all()
        if param.held is None and not {0.0, np.inf}.isdisjoint((param.low, param.high)):
            assert np.all((value > param.low) & (value < param.high)), param.name


@every_law
def test_starts_near_its_own_curve(law):
    """From exact points the start explains them to a fifth; what is held it leaves alone."""
    x, params = example(law)
    y = law.function(x, *params)
    found = law.start(x, y, held(law))
    inside(law, found, y)
    assert np.max(np.abs(law.function(x, *found) / y - 1)) < 0.2
    for param, value, true in zip(law.params, found, params, strict=True):
        assert param.held is None or value == true
    for param, true in zip(law.params, grown(law, 1.01), strict=True):
        start = law.start(x, y, held(law) | {param.name: true})
        assert start[law.names.index(param.name)] == true
        assert np.max(np.abs(law.function(x, *start) / y - 1)) < 0.2


@every_law
def test_starts_many_curves_as_it_starts_each(law):
    """A column per curve, x one column or as many: the same as one at a time."""
    x, params = example(law)
    y = law.function(x, *params)[:, None] * np.array([1.0, 3.0, 0.5]) * (1 + 0.05 * np.cos(np.arange(len(x))))[:, None]
    for many_x in (x[:, None], x[:, None] * [1.0, 1.2, 1.05]):
        each = [law.start(one_x, y[:, k], held(law)) for k, one_x in enumerate(np.broadcast_to(many_x, y.shape).T)]
        many = law.start(many_x, y, held(law))
        inside(law, many, y)
        assert np.allclose(np.array(many), np.array(each).T, rtol=1e-7, atol=0)


@every_law
@given(data=st.data())
@settings(max_examples=5, deadline=None)
def test_starts_inside_its_bounds_whatever_the_points(law, data):
    """Noisy, flat and falling points, as few as parameters: a start inside the bounds, and not a word of warning."""
    x, params = example(law)
    count = data.draw(st.integers(len(law.params), len(x)))
    scale = np.median(law.function(x, *params))
    shape = data.draw(st.sampled_from(["noisy", "flat", "falling", "rising"]))
    y = {
        "flat": np.ones(count),
        "falling": 1.0 / np.arange(1, count + 1) ** 3,
        "rising": np.arange(1.0, count + 1) ** 4,
    }
    noise = data.draw(st.lists(st.floats(0.01, 100), min_size=count, max_size=count))
    y = scale * y.get(shape, np.array(noise)) * data.draw(st.sampled_from([1e-6, 1.0, 1e6]))
    inside(law, law.start(x[:count], y, held(law)), y)


@every_law
def test_inverse_goes_there_and_back(law):
    """Of each y of the rising (or falling) part the x, and of that x the y, to 1e-9."""
    if law.name in WITHOUT_INVERSE:
        assert law.inverse is None
        return
    assert law.inverse, f"{law.name}: give an inverse, or list it in WITHOUT_INVERSE"
    x, params = example(law)
    if law.name == "memory_knee":
        x = x[x < 400]  # from the working set on it is flat
    if law.name == "closed":
        x = np.array([2.5, 5, 10, 20, 40, 80])  # two servers: nobody waits for one or two users
    y = law.function(x, *params)
    told = f"{law.name}: of y = {y} the inverse is not x; `inverse_of_rising_law` takes low= and high="
    assert np.allclose(law.inverse(y, *params), x, rtol=1e-9, atol=0), told
    between = (y[1:] + y[:-1]) / 2
    assert np.allclose(law.function(law.inverse(between, *params), *params), between, rtol=1e-9, atol=0)
    assert np.allclose(law.inverse(y[:, None], *grown(law, np.ones(2))), np.column_stack([x, x]), rtol=1e-9, atol=0)


@every_law
def test_inverse_has_the_derivative_by_the_parameters(law):
    """Complex steps through the inverse, also where it is found by halving, equal central differences."""
    x, params = example(law)
    if law.inverse is None:
        return
    y = np.array([law.function((x[1] + x[2]) / 2, *params)])
    exact = gradient(lambda *params: law.inverse(y, *params), params)
    for k, (param, value) in enumerate(zip(law.params, params, strict=True)):
        if param.required:
            continue
        up, down = ([*params[:k], value * (1 + way), *params[k + 1 :]] for way in (1e-6, -1e-6))
        near = (law.inverse(y, *up) - law.inverse(y, *down)) / (2e-6 * value)
        assert np.allclose(exact[k], near, rtol=1e-4, atol=1e-6 * x[1] / abs(value)), param.name


@every_law
def test_becomes_the_simpler_law(law):
    """With the parameter at the stated value it is the law it says it reduces to."""
    if not law.reduces:
        return
    name, parameter, value = law.reduces
    x, params = example(law)
    k = law.names.index(parameter)
    params[k] = value
    assert np.allclose(
        law.function(x, *params), LAWS[name].function(x, *params[:k], *params[k + 1 :]), rtol=1e-14, atol=0
    )
    assert law.params[k].low <= value <= law.params[k].high
    assert len(LAWS[name].fitted_names) == len(law.fitted_names) - 1


@every_law
def test_says_which_simpler_law_it_becomes(law):
    """Where one fitted parameter of 0 or 1 gives the curve of another law of the same axes, it says so."""
    x, params = example(law)
    for k, param in enumerate(law.params):
        names, rest = law.names[:k] + law.names[k + 1 :], params[:k] + params[k + 1 :]
        alike = [other for other in LAWS.values() if (other.x, other.y, other.names) == (law.x, law.y, names)]
        for value, other in itertools.product((0.0, 1.0), alike if param.fitted and param.low <= 0 else ()):
            with np.errstate(all="ignore"):
                becomes = law.function(x, *params[:k], value, *params[k + 1 :])
            if np.allclose(becomes, other.function(x, *rest)):
                assert law.reduces == (other.name, param.name, value), f"{law.name}: say so in `reduces`"


@every_law
def test_derived_quantities_are_those_of_the_curve(law):
    """Peak, its height, limit, knee, efficiency, gain: what the curve itself says, found without the formula."""
    x, params = example(law)
    for quantity in law.derived:
        assert quantity.name in DIRECT, f"say in DIRECT of this file how the curve itself shows {quantity.name}"
        value = quantity.function(x, *params) if quantity.at_x else quantity.function(*params)
        direct = DIRECT[quantity.name](law, x, params)
        assert np.allclose(value, direct, rtol=1e-6, equal_nan=True), quantity.name
        steps = gradient(lambda *p, q=quantity: q.function(x, *p) if q.at_x else q.function(*p), params)
        assert not np.iscomplexobj(steps)


def greatest(function, low, high):
    """Where a function with one maximum has it, by looking ever closer."""
    for _ in range(12):
        grid = np.linspace(low, high, 201)
        best = int(np.argmax(function(grid)))
        low, high = grid[max(best - 1, 0)], grid[min(best + 1, 200)]
    return (low + high) / 2


def ratio(law, x, params):
    return law.function(x, *params) / law.function(1.0, *params)


def peak(law, params):
    return greatest(lambda N: law.function(N, *params), 1, 2000)


def knee(law, x, params):
    if law.name == "closed":  # where the asymptotic bounds cross: N/(S + Z) users against servers/S
        return (params[0] + params[1]) * params[2] / params[0]
    return greatest(lambda U: U / law.function(U, *params), 1e-6, 0.99)


DIRECT = {
    "efficiency": lambda law, x, params: ratio(law, x, params) / x,
    "marginal_gain": lambda law, x, params: law.function(x + 1, *params) - law.function(x, *params),
    "karp_flatt": lambda law, x, params: [
        np.nan if N == 1 else (1 / ratio(law, N, params) - 1 / N) / (1 - 1 / N) for N in x
    ],
    "peak": lambda law, x, params: peak(law, params),
    "peak_capacity": lambda law, x, params: law.function(peak(law, params), *params),
    "limit": lambda law, x, params: (
        LAWS["amdahl"].function(1e9, *params[:2])
        if law.name == "usl"
        else law.function(1e9 if law.name != "geometric" else 1e4, *params)
    ),
    "payback": lambda law, x, params: np.nan,
    "core_share": lambda law, x, params: 1 - params[0] * law.function(x, *params),
    "saturation": lambda law, x, params: law.inverse(1.0, *params),
    "knee": knee,
    "next_drive": lambda law, x, params: -np.expm1(np.log(law.function(x + 1, *params) / law.function(x, *params))),
}


@every_law
def test_no_parameter_says_what_others_say(law):
    """At the example no parameter moves the curve as the others can together; else it has one too many."""
    x, params = example(law)
    slopes = law.gradient(x, *params)[[param.fitted for param in law.params]]
    slopes = slopes / np.linalg.norm(slopes, axis=1)[:, None]
    told = f"{law.name}: other values of {', '.join(law.fitted_names)} give the same curve; leave one of them out"
    assert np.linalg.svd(slopes, compute_uv=False).min() > 1e-6, told


@every_law
def test_a_fit_recovers_the_parameters(law):
    """Points of its own give the parameters back, to 1e-7, one curve alone and many at once, and from elsewhere."""
    x, params = example(law)
    points = pd.DataFrame({law.x: x, law.y: law.function(x, *params)})
    elsewhere = {name: 0.9 * value for name, value in zip(law.names, params, strict=True) if name not in held(law)}
    for start in (None, elsewhere):
        found = fit(law, points, fixed=held(law), start=start)
        assert np.allclose(found.params, params, rtol=1e-7, atol=0)
    many = fit_many(points.assign(curve="a"), law, by="curve", fixed=held(law))
    assert np.allclose(many[list(law.names)].to_numpy()[0], params, rtol=1e-7, atol=0)


# ---- names, and what may be held


def test_laws_are_found_by_name():
    """By name, as a record, by family and as a list; a family for forecasts has laws of others."""
    assert laws.find("amdahl") is laws.find(LAWS["amdahl"]) is LAWS["amdahl"]
    assert laws.family("clock") == [LAWS["clock_time"], LAWS["clock_power"]]
    assert laws.family(["usl", LAWS["amdahl"]]) == [LAWS["usl"], LAWS["amdahl"]]
    assert {"linear", "amdahl", "usl", "log_usl", "saturation", "overhead_log"} < set(FAMILIES["overhead"])
    assert len(set(FAMILIES["overhead"])) == len(FAMILIES["overhead"])


POINTS = pd.DataFrame({"x": [1.0, 2.0], "y": [1.0, 2.0]})


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda: laws.find("amdall"), UnknownName, r"^law: .*'amdall'.* mean amdahl\?$"),
        (lambda: laws.family("dsk"), UnknownName, r"^family of laws: .*'dsk'.* mean disk\? Known are processors, cl"),
        (lambda: laws.find("clock"), UnknownName, r"before the points, found 'clock'\. Did you mean clock_time or"),
        (lambda: laws.family("clock_time"), UnknownName, "or name several laws, "),
        (
            lambda: laws.find(POINTS),
            UnknownName,
            "the name or the record of a law, before the points, found a DataFrame",
        ),
        (lambda: held_of("usl", contentoin=0.1), UnknownName, r"of usl to hold: .*mean contention\? Its .* scale, con"),
        (lambda: held_of("usl", contention=1.01), CannotFit, "contention of usl: expected a number from 0 to 1.*1.01"),
        (lambda: held_of("sizing", base=np.inf), CannotFit, "a number, found inf"),
        (lambda: held_of("closed", think_s=1), CannotFit, r"servers given, found none.*fixed=\{'servers'"),
        (lambda: laws.resolve_law("usl", {"contention": 2}), CannotFit, r"found 2\. Give start=\{'contention'"),
        (lambda: laws.resolve_law("usl", {"contentoin": 0.1}), UnknownName, "usl to start from: .*mean contention"),
        (lambda: laws.list_laws("usll"), UnknownName, "family or law: .* Did you mean usl"),
    ],
)
def test_what_cannot_be_held_is_refused(call, error, says):
    """Names that a law does not have, values out of bounds or no numbers, constants not given."""
    with pytest.raises(error, match=says):
        call()


def held_of(name, **fixed):
    """Ask whether a law takes what is held."""
    return laws.check_fixed(LAWS[name], fixed)


def test_what_can_be_held():
    """The ends of the bounds, whole numbers, and None for a parameter that is to be free."""
    for fixed in ({"contention": 0}, {"contention": 1.0}, {"coherency": 10**6}, {"contention": None}, {}):
        assert held_of("usl", **fixed) is None
    assert held_of("cache_time", exponent=None) is None
    assert held_of("closed", think_s=1, servers=np.int64(2)) is None
    assert LAWS["cache_time"].fitted_names == ("hit_time", "miss_time")


# ---- a law of few words


def nearing(load, most, knee):
    return most * load / (knee**2 + load**2) ** 0.5


FEW_WORDS = {"name": "nearing", "function": nearing, "source": "elementary: it nears a ceiling"}
FEW_WORDS["params"] = (laws.Param("most", low=0), laws.Param("knee", low=0))


def test_function_parameters_source_and_example_are_a_law():
    """It is fitted from its example, in any unit, one and many alike, and compared with others."""
    law, x = laws.Law(**FEW_WORDS, example=((1, 2, 4, 8, 16, 32), (4000, 8))), np.array([1.0, 2, 4, 8, 16, 32])
    for most, knee in ((3000, 5), (3e9, 12), (3e-9, 6)):
        points = pd.DataFrame({"x": x, "y": nearing(x, most, knee), "curve": "a"})
        assert np.allclose(fit(law, points, x="x", y="y").params, [most, knee], rtol=1e-7, atol=0)
        assert fit(law, points, x="x", y="y", fixed={"knee": knee}).estimates[1] == knee
        many = fit_many(points, law, by="curve", x="x", y="y")
        assert np.allclose(many[["most", "knee"]].to_numpy()[0], [most, knee], rtol=1e-7, atol=0)
    assert compare([law, "amdahl"], points, x="x", y="y")["nearing"].law.title == "nearing"
    assert law.family == "own"
    assert fit(law, points, x="x", y="y").tidy()["unit"].tolist() == ["", ""]


def test_a_law_without_a_formula_has_no_empty_one_in_its_headline():
    """It was "Formula:  (elementary)."; of capacities between two loads "(; elementary)"."""
    law = laws.Law(**FEW_WORDS, example=((1, 2, 4, 8), (4000, 8)))
    y = nearing(np.array([1.0, 2, 4, 8, 16]), 3000, 5)
    for points in ({"y": y * [1, 1.01, 0.99, 1.01, 1]}, {"y_low": 0.9 * y, "y_high": 1.1 * y}):
        told = fit(law, x=[1, 2, 4, 8, 16], **points).headline()
        assert "Formula" not in told
        assert "(; " not in told


def test_a_law_may_use_abs():
    """Whose derivative is no step along the imaginary axis: the fit would stay where it begins, without a word."""
    law = laws.Law(
        **FEW_WORDS | {"function": lambda x, most, knee: most * x / (abs(knee) + x)}, example=((1, 2), (9, 5))
    )
    x = np.array([1.0, 2, 4, 8, 16])
    points = pd.DataFrame({"x": x, "y": 5000 * x / (10 + x), "curve": "a"})
    assert np.allclose(fit(law, points, x="x", y="y").params, [5000, 10], rtol=1e-6)
    assert np.allclose(fit_many(points, law, by="curve", x="x", y="y")[["most", "knee"]], [[5000, 10]], rtol=1e-6)


def test_the_example_of_a_law_has_a_value_for_each_parameter():
    with pytest.raises(CannotFit, match=r"law nearing: expected example=\(\(x, \.\.\.\), \(most, knee\)\), found "):
        laws.Law(**FEW_WORDS, example=((1, 2), (9,)))


def test_a_law_of_few_words_that_is_not_proportional():
    """The start is the example as it is, but for what is held."""
    bent = laws.Law(
        "bent", lambda x, a, b: 1 / (a + b / x), FEW_WORDS["params"], "elementary", example=((1, 2), (3, 4))
    )
    assert [float(value) for value in bent.start(np.ones(2), np.ones(2), {"knee": 5.0})] == [3, 5]


def test_a_law_without_a_beginning_is_refused():
    """A fit has to begin somewhere."""
    with pytest.raises(CannotFit, match="law nearing: expected where a fit begins, found no example"):
        laws.Law(**FEW_WORDS)


# ---- what starts and inverses are made of


def test_a_formula_holds_where_its_condition_does():
    """Elsewhere it is what is told, in silence; of complex numbers the real parts are compared."""
    of_positive = numerics.defined_where(lambda a, b: b > 0, otherwise=np.inf)(lambda a, b: a / b)
    assert of_positive(1, 0) == np.inf
    assert of_positive([1, 2], [2, -1]).tolist() == [0.5, np.inf]
    assert np.imag(of_positive(1.0, 2 + 1e-100j)) / 1e-100 == -0.25
    assert of_positive(1.0, 1e-100j) == np.inf
    limit = numerics.defined_where(lambda a: a != 0, otherwise=lambda a: 7 + a)(np.reciprocal)
    assert limit([0, 4]).tolist() == [7, 0.25]


def test_the_smaller_root():
    """Against numpy's roots; without a quadratic term, without a real root, and with none above zero."""
    for a, b, c in ((1, 3, 2), (1e-9, 5, 1), (2, 7, 3)):
        assert np.isclose(numerics.smaller_root(a, b, c), np.roots([a, -b, c]).min(), rtol=1e-12, atol=0)
    assert numerics.smaller_root(0, 4, 2) == 0.5
    assert np.isnan([numerics.smaller_root(*terms) for terms in ((1, 1, 1), (1, -3, 2), (0, 1, -1))]).all()


def test_a_line_that_falls_starts_rising():
    """Memory that falls with users has no rule, yet a start: a small rise, through the middle of the points."""
    per_user, base = LAWS["sizing"].start(np.array([100.0, 200, 300]), np.array([300.0, 200, 100]), {})
    assert 0 < per_user < 0.01
    assert np.isclose(base + 200 * per_user, 200)


@pytest.mark.parametrize("name", ["amdahl", "usl", "log_usl", "overhead_square"])
def test_starts_of_scaling_laws_are_nearly_there(name):
    """Of noisy points the start is what scipy's least squares of relative errors ends at, to six digits."""
    law, (x, params) = LAWS[name], example(LAWS[name])
    y = law.function(x, *params) * (1 + 0.05 * np.array([1, -1, 0.5, -0.2, 1, -0.7]))
    found = optimize.least_squares(
        lambda p: law.function(x, *p) / y - 1, params, x_scale=params, xtol=1e-15, ftol=1e-15
    )
    assert np.allclose(law.start(x, y, {}), found.x, rtol=1e-6, atol=0)


@pytest.mark.parametrize("name", ["log_usl", "overhead_log", "overhead_cube"])
def test_an_inverse_reaches_below_one_processor(name):
    """There and back a little below the capacity of one, where intervals of loads near one end."""
    law = laws.LAWS[name]
    params = [100.0, *([0.05] * (len(law.names) - 1))]
    capacity = law.function(np.array([0.8, 0.97]), *params)
    np.testing.assert_allclose(law.inverse(capacity, *params), [0.8, 0.97], rtol=1e-9)


@pytest.mark.parametrize(("name", "overhead", "turn"), [("overhead_log", 0.9, 0.895), ("overhead_root", 0.8, 0.5625)])
def test_an_inverse_ends_where_capacity_turns(name, overhead, turn):
    """With much overhead capacity falls to there and then rises: exp(1 - 1/share), (2 - 1/share)^2."""
    law, loads = LAWS[name], np.array([0.9, 1.0, 1.1, 1.02, 0.98]) * turn
    falls_before, least, rises_after, *near = law.function(loads, 100.0, overhead)
    assert least < min(falls_before, rises_after, *near)
    np.testing.assert_allclose(law.inverse(rises_after, 100.0, overhead), 1.1 * turn, rtol=1e-9)
    assert np.isnan(law.inverse(0.999 * least, 100.0, overhead))


def test_no_law_is_another_in_disguise():
    """Each law fitted to the curve of each other of as many parameters: within 1e-6 both ways, the two are one."""
    alike = set()
    for one, other in itertools.permutations(LAWS.values(), 2):
        if (one.x, one.y, len(one.fitted_names)) == (other.x, other.y, len(other.fitted_names)) and _passes(other, one):
            alike.add((one.name, other.name))
    both = sorted(pair for pair in alike if pair[::-1] in alike)
    assert not both, "Leave one of two laws with the same curves out."


def _passes(law, other):
    """Whether a law passes through nine points of the curve of another."""
    x = np.linspace(np.min(other.example[0]), np.max(other.example[0]), 9)
    y = other.function(x, *other.example[1])
    held = {
        param.name: value for param, value in zip(law.params, law.example[1], strict=True) if param.held is not None
    }
    try:
        found = fit(law, x=x, y=y, fixed=held)
    except CannotFit:  # a curve that is not above zero, or has no x of the law
        return False
    return np.allclose(law.function(x, *found.estimates), y, rtol=1e-6, atol=0)
