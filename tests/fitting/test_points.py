"""Points as people have them: lists, dicts, arrays, and files with two columns of numbers."""

import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dominoperf import compare, fit, fit_many, forecast, forecast_many
from dominoperf.cli import main
from dominoperf.errors import BadTable, CannotFit, DominoperfError, UnknownName

LOADS, RATES = [1, 2, 4, 8, 16], [100, 190, 340, 560, 780]
FRAME = pd.DataFrame({"processors": LOADS, "users": RATES})


@pytest.mark.parametrize(
    ("given", "names"),
    [
        ({"x": LOADS, "y": RATES}, ("x", "y")),
        ({"x": np.array(LOADS), "y": tuple(RATES)}, ("x", "y")),
        ({"x": pd.Series(LOADS, name="clients"), "y": pd.Series(RATES, name="tps")}, ("clients", "tps")),
        ({"data": {"clients": LOADS, "tps": RATES}}, ("clients", "tps")),
        ({"data": {"tps": RATES, "clients": LOADS}, "x": "clients"}, ("clients", "tps")),
        ({"data": {"tps": RATES, "processors": LOADS}}, ("processors", "tps")),
        ({"data": {"tps": RATES, "users": RATES, "processors": LOADS}}, ("processors", "users")),
        ({"data": np.column_stack([LOADS, RATES])}, ("x", "y")),
        ({"data": [*zip(LOADS, RATES, strict=True)]}, ("x", "y")),
        ({"data": pd.DataFrame({"box": "a", "clients": LOADS, "tps": RATES})}, ("clients", "tps")),
        ({"data": pd.DataFrame({"load": LOADS, "throughput_per_s": RATES, "e": 0.0})}, ("load", "throughput_per_s")),
    ],
)
def test_the_same_points_in_every_form(given, names):
    """One fit, whatever holds the points; the columns keep their names, and units do not change the numbers."""
    found = fit("usl", **given)
    assert (found.x, found.y) == names
    pd.testing.assert_frame_equal(found.tidy().drop(columns="unit"), fit("usl", FRAME).tidy().drop(columns="unit"))


@pytest.mark.parametrize(
    ("law", "columns", "names", "same"),
    [
        ("usl", {"latency [ms]": RATES, "RPS": RATES, "Concurrency": LOADS}, ("Concurrency", "RPS"), RATES),
        ("usl", {"threads": LOADS, "box": LOADS, "tps": RATES, "tps_err": RATES}, ("threads", "tps"), RATES),
        ("amdahl", {"year": LOADS, "Clients": RATES, "Cores": LOADS}, ("Cores", "Clients"), RATES),
        ("usl", {"tps": RATES, "threads": LOADS}, ("threads", "tps"), RATES),
    ],
)
def test_columns_are_found_by_what_their_headings_mean(tmp_path, law, columns, names, same):
    """As `curve` reads them: the usual ones of the law, or a load and its throughput; the answer says which."""
    path = tmp_path / "loads.csv"
    pd.DataFrame(columns).to_csv(path, index=False)
    found = fit(law, path)
    assert (found.x, found.y) == names
    assert found.params.to_numpy() == pytest.approx(fit(law, x=LOADS, y=same).params.to_numpy(), rel=1e-9)
    how = "By their headings" if len(columns) > 2 else "The two columns of numbers"
    assert f"{how}: x is {names[0]}, y is {names[1]}." in found.headline()
    assert forecast(path, 32).x == names[0]


def test_columns_are_mapped_as_for_load_tests(tmp_path, capsys):
    """The same --map as of `ingest`, in `fit`, `compare`, `forecast` and `steady`, with the same errors."""
    path, mapped = tmp_path / "own.csv", ["--map", "boxes=users", "--map", "rate=throughput_per_s[1/min]"]
    rates = np.array(RATES * 8)
    pd.DataFrame({"boxes": LOADS * 8, "rate": rates * 60, "c": 1, "at": range(40)}).to_csv(path, index=False)
    assert main(["fit", "usl", str(path), *mapped, "--show", "glance", "--format", "csv"]) == 0
    assert main(["compare", "linear,usl", str(path), *mapped]) == 0
    assert main(["forecast", str(path), "--at", "32", *mapped]) == 0
    assert "931 throughput" in capsys.readouterr().out
    for command in (["fit", "usl"], ["forecast", "--at", "32"], ["steady"]):
        assert main([*command, "--map", "pace=users", str(path)]) == 2
        told = capsys.readouterr().err
        assert "what stands before = in --map, or --x: expected a known name, found 'pace'. " in told
        assert main([*command, "--map", "rate=throughput_per_s", str(path)]) == 2
        assert "column 'rate': expected a unit, to be throughput_per_s in 1/s, found none" in capsys.readouterr().err
    mapped = ["--map", "at=time_s[min]", "--map", "rate=throughput_per_s[1/min]"]
    assert main(["steady", str(path), *mapped, "--show", "means", "--format", "csv", "--method", "fixed",
                 "--settle", "0", "--measure", "inf"]) == 0  # fmt: skip
    assert f"throughput_per_s,1/s,{rates.mean():g}," in capsys.readouterr().out


def test_what_a_heading_may_mean_is_no_axis(tmp_path):
    """Of laws of other axes a load and a throughput are none, nor is a column that only may be one."""
    with pytest.raises(UnknownName, match=r"no column price_usd and none users among threads, tps, c\. Name them as x"):
        fit("price_power", {"threads": LOADS, "tps": RATES, "c": RATES})
    with pytest.raises(UnknownName, match="no column processors and none users among people, rate, c"):
        fit("usl", {"people": LOADS, "rate": RATES, "c": RATES})


def test_a_file_without_a_header_is_refused(tmp_path):
    """Its first point would become the names of the columns; a year as a name can still be asked for."""
    path = tmp_path / "loads.csv"
    path.write_text("1,1920\n2,2850\n3,3400\n", encoding="utf-8")
    with pytest.raises(UnknownName, match="a line of column names, found the numbers 1, 1920"):
        fit("amdahl", path)
    assert fit("linear", path, x="1", y="1920").dof == 1
    path.write_text("1,1920,0.5\n2,2850,0.6\n", encoding="utf-8")
    with pytest.raises(UnknownName, match=r"a line of column names, found the numbers 1, 1920, 0\.5"):
        fit("amdahl", path)


def test_a_terminal_says_what_each_quantity_of_a_fit_means(capsys):
    """Below the quantities, and not in the files that are made of them."""
    meaning = "\n\nefficiency: capacity of each, as a share of that of one alone\nmarginal_gain: "
    for shown in ([], ["--show", "derive"]):
        assert main(["fit", "amdahl", "smp_mail", *shown]) == 0
        printed = capsys.readouterr().out
        assert meaning in printed
        assert printed.endswith("\nlimit: capacity of any number of processors\n")
    assert main(["fit", "amdahl", "smp_mail", "--show", "derive", "--format", "csv"]) == 0
    assert "alone" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, r"expected points, found none\. Give the values"),
        ({"x": LOADS}, r"fit\(y=\.\.\.\): expected the values of y, found none\. Give them, y=\[\.\.\.\]\."),
        ({"x": "processors", "y": RATES}, r"the values of x, found 'processors'\. .* or the data with that column"),
        ({"x": pd.date_range("2026", periods=5), "y": RATES}, r"expected numbers in x, found 2026-01-01"),
        ({"x": LOADS, "y": RATES, "y_err": "y"}, r"a column of standard errors, besides those of x and y, found y"),
        ({"x": LOADS, "y": RATES[:3]}, r"expected 5 values of y, found 3\. Give a value of y for each x"),
        ({"x": 3, "y": 4}, r"fit\(x=\.\.\.\): expected a list of numbers, found int"),
        ({"x": ["a", "b"], "y": [1, 2]}, r"expected numbers in x, found 'a'"),
        ({"x": [1, np.nan, 2, -3], "y": [1, 2, 3, 4]}, r"column x, row 4: expected a number above zero, found -3"),
        ({"data": FRAME.assign(users=[True, False] * 2 + [True])}, r"expected numbers in users, found True"),
        ({"data": FRAME.assign(users=[100, 190, True, 560, 780])}, r"users, row 3: expected a number, found True"),
        ({"data": FRAME.assign(processors=pd.period_range("2026", periods=5))}, r"numbers in processors, found 2026"),
        ({"x": [], "y": []}, r"at least 3 points"),
        ({"data": FRAME, "y": RATES}, r"expected the name of a column, found a list\. Name a column of the data"),
        ({"data": np.array(LOADS)}, r"expected two columns, x and y, found ndarray of 5\."),
        ({"data": [(1, 2), (3,)]}, r"expected two columns, x and y, found list"),
        ({"data": {"a": LOADS, "b": RATES[:2]}}, r"columns of one length, found 5 of a, 2 of b"),
        ({"data": {}}, r"expected columns for x and y"),
        ({"data": {"a": LOADS, "b": RATES, "c": RATES}}, r"among a, b, c\. Name them as x and y"),
        ({"data": 5}, r"expected points, found int"),
    ],
)
def test_what_is_no_points_is_refused_in_plain_words(given, message):
    """Each message says what was expected, what was found and what to do."""
    with pytest.raises(DominoperfError, match=message):
        fit("usl", **given)


def test_a_series_is_no_file_and_what_is_written_as_a_path_is_one(tmp_path, monkeypatch):
    """Also where a file of the name of a series lies beside; what is there without an ending is read."""
    monkeypatch.chdir(tmp_path)
    for name in ("smp_mail", "mine"):
        (tmp_path / name).write_text("processors,users\n1,100\n2,190\n4,350\n", encoding="utf-8")
    assert fit("amdahl", "smp_mail").estimates[0] > 1900
    assert fit("amdahl", "mine").estimates[0] == pytest.approx(100, rel=0.05)
    with pytest.raises(DominoperfError, match="no such file"):
        fit("amdahl", "./gone")


def test_law_and_data_exchanged():
    """The message says which comes first."""
    with pytest.raises(UnknownName, match=r"expected the name of a law, before the points, found 'my.csv'"):
        fit("my.csv", "usl")
    with pytest.raises(DominoperfError, match=r"found 'spindle'\. Did you mean spindles"):
        fit("spindle", "spindles")  # a series has that name too


def test_parameters_by_name():
    """As of any result of statsmodels; a change of the copy changes no fit."""
    found = fit("usl", FRAME)
    assert found.params.index.tolist() == ["scale", "contention", "coherency"]
    assert found.params["contention"] == found.tidy()["estimate"][1]
    changed = found.params
    changed["contention"] = 1.0
    assert found.params["contention"] < 1
    assert found.law.function(4.0, **found.params) == pytest.approx(found.curve([4])[0])


def test_a_fit_draws_itself_where_it_is_shown_and_nowhere_else():
    """With a picture in the page, which loads nothing; who only fits never imports a plotting library."""
    found = fit("usl", FRAME)
    assert found.plot(until=32).get_xlabel() == "processors"
    page = found._repr_html_()
    assert '<figure role="img" aria-label="Axes: processors across' in page
    assert page.count("<svg") == 1
    assert page.index("</p>") < page.index("<svg") < page.index("<table")
    assert "<img" not in page
    assert "780" in page
    quiet = "import sys; from dominoperf import fit; fit('usl', x=[1, 2, 4], y=[1, 2, 3]).params['scale']; "
    quiet += "assert not {'matplotlib', 'seaborn'} & {*sys.modules}, 'drawn'"
    subprocess.run([sys.executable, "-c", quiet], check=True)


def test_the_cell_that_is_no_number_is_named_and_not_an_absent_one_before_it(tmp_path):
    path = tmp_path / "own.csv"
    path.write_text("clients,tps\n1,100\n2,n/a\n4,x340\n8,560\n16,700\n")
    for axes in ({}, {"x": "clients", "y": "tps"}):
        with pytest.raises(CannotFit, match="column tps, line 4: expected a number, found 'x340'"):
            fit("usl", path, **axes)
    path.write_text(path.read_text().replace("x340", "340"))
    assert fit("usl", path).glance()["n"].item() == 4


def test_a_bad_cell_is_named_by_its_line_of_a_file_and_its_row_of_a_frame(tmp_path):
    """Blank lines count as lines; a frame and a Parquet file have rows, from 1."""
    path = tmp_path / "own.csv"
    path.write_text("clients,tps,error\n1,100,1\n\n2,190,0\n4,-3,1\n", encoding="utf-8")
    with pytest.raises(CannotFit, match="column tps, line 5: expected a number above zero"):
        fit("usl", str(path), x="clients", y="tps")
    with pytest.raises(CannotFit, match="column error, line 4: expected a standard error above zero"):
        fit("usl", str(path), x="clients", y="tps", y_err="error")
    with pytest.raises(CannotFit, match="column tps, row 3: expected a number above zero"):
        fit("usl", pd.read_csv(path), x="clients", y="tps")
    pd.read_csv(path).to_parquet(tmp_path / "own.parquet")
    with pytest.raises(CannotFit, match="column tps, row 3: expected a number above zero"):
        fit("usl", str(tmp_path / "own.parquet"), x="clients", y="tps")


BOXES = pd.DataFrame({"box": [1] * 5 + [2] * 5, "processors": LOADS * 2, "users": RATES * 2})
OF_GROUPS = {
    "fit_many": lambda frame, **given: fit_many(frame, "usl", by="box", **given),
    "forecast_many": lambda frame, **given: forecast_many(frame, 32, by="box", **given),
}


@pytest.mark.parametrize("call", OF_GROUPS)
def test_columns_of_groups_are_refused_as_those_of_one_curve_are(call):
    """A column twice, values where a name belongs, and errors that are the points themselves."""
    frame, of_groups = BOXES, OF_GROUPS[call]
    for name in frame:
        with pytest.raises(DominoperfError, match=rf"expected every column once, found '{name}' twice"):
            of_groups(pd.concat([frame, frame[[name]]], axis=1))
    for axis in ("x", "y"):
        with pytest.raises(CannotFit, match=rf"\({axis}=\.\.\.\): expected the name of a column, found a Series"):
            of_groups(frame, **{axis: frame["users"]})
    if call != "forecast_many":
        with pytest.raises(CannotFit, match=r"y_err='users'\): expected .*, found users, which is one of the two"):
            of_groups(frame, y_err="users")
    for odd in (pd.period_range("2026", periods=len(frame)), [True] * len(frame)):
        with pytest.raises(CannotFit, match=r"expected .*number.*, found (nan|True|2026)"):
            of_groups(frame.assign(processors=odd))


def test_a_law_of_capacities_says_what_is_none():
    """A response that falls with the drives had a serial share of 1, without a word."""
    told = "Response time (s) is no throughput or capacity, which this law is of."
    assert told in fit("usl", "spindles", x="drives", y="response_s").headline()
    assert (
        "no throughput"
        not in fit("usl", FRAME).headline() + fit("power", "spindles", x="drives", y="response_s").headline()
    )


def test_an_empty_column_is_called_so():
    with pytest.raises(CannotFit, match="expected numbers in users, found empty cells alone"):
        fit("usl", FRAME.assign(users=np.nan))


@pytest.mark.parametrize("folder", ["runs/first", Path("runs")])
def test_a_folder_in_the_place_of_the_points_is_called_so(folder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "runs" / "first").mkdir(parents=True)
    with pytest.raises(BadTable, match=r"expected a file of points, found a folder\. Name a file in it"):
        fit("usl", folder)


def test_a_folder_named_as_a_series_does_not_hide_it(tmp_path, monkeypatch):
    known = fit("linear", "smp_mail").tidy()
    monkeypatch.chdir(tmp_path)
    (tmp_path / "smp_mail").mkdir()
    assert fit("linear", "smp_mail").tidy().equals(known)


def test_a_column_of_ones_own_has_the_unit_that_its_name_ends_in():
    """Milliseconds and percents of a user's columns are seconds and shares of the law; min may be a minimum."""
    shares, seconds = [0.1, 0.5, 0.8], [0.11, 0.2, 0.5]
    known = fit("mm1", x=shares, y=seconds).params["service_s"]
    own = pd.DataFrame({"busy_percent": [10, 50, 80], "wait_ms": [110, 200, 500], "wait_min": seconds, "run": "a"})
    own = own.assign(**{"wait [ms]": own["wait_ms"], "Wait, msec": own["wait_ms"], "busy %": own["busy_percent"]})
    assert fit("mm1", own, x="busy %", y="wait_ms").params["service_s"] == pytest.approx(known, rel=1e-9)
    for y in ("wait_ms", "wait_min", "wait [ms]", "Wait, msec"):
        assert fit("mm1", own, x="busy_percent", y=y).params["service_s"] == pytest.approx(known, rel=1e-9)
        found = fit_many(own, "mm1", by="run", x="busy_percent", y=y)
        assert found["service_s"][0] == pytest.approx(known, rel=1e-9)
    said = fit("mm1", own, x="busy_percent", y="wait_ms").headline()
    assert "Read in the unit of the law: busy_percent as busy and wait_ms as wait_s; values that you ask for" in said
    assert "Read in the unit" not in fit("mm1", x=shares, y=seconds).headline()
    errors = fit("mm1", own.assign(e_s=0.01), x="busy_percent", y="wait_ms", y_err="e_s")
    again = fit_many(own.assign(e_ms=10), "mm1", by="run", x="busy_percent", y="wait_ms", y_err="e_ms", interval="wald")
    assert again["service_s_low"][0] == pytest.approx(errors.tidy()["low"][0], rel=1e-6)


@pytest.mark.parametrize(("law", "named", "factor", "becomes", "fixed"), [
    ("paging", "ram_gb", 1024, "ram_mb", {"reference_mb": 128}),
    ("paging", "ram_GiB", 1024, "ram_MB", {"reference_mb": 128}),
    ("clock_time", "clock_ghz", 1000, "clock_mhz", None), ("cache_time", "l2_mb", 1024, "l2_kib", None),
])  # fmt: skip
def test_memory_and_clock_are_read_in_the_unit_of_the_law(law, named, factor, becomes, fixed):
    """A constant in MB beside x in GB gave an excess of 1e-9 s at 128 MB, where 0.2 s is right."""
    x, y = np.array([64, 96, 128, 192, 256]), [2, 1, 0.7, 0.55, 0.52]
    known = fit(law, x=x, y=y, fixed=fixed).params.to_numpy()
    own = fit(law, pd.DataFrame({named: x / factor, "y": y}), x=named, y="y", fixed=fixed)
    assert own.params.to_numpy() == pytest.approx(known, rel=1e-6)
    assert f"Read in the unit of the law: {named} as {becomes};" in own.headline()


@pytest.mark.parametrize("fitted", [fit, lambda law, data, **axes: fit_many(data, law, by="run", **axes)])
def test_percents_are_no_shares(fitted):
    points = pd.DataFrame({"busy": [0.1, 50, 80], "wait_s": [0.11, 0.2, 0.5], "run": "a"})
    with pytest.raises(CannotFit, match=r"column busy, row 2: expected a share .*, found 50\. .* busy_percent"):
        fitted("mm1", points, x="busy", y="wait_s")
    points = pd.DataFrame({"users": [100, 200, 400], "busy": [0.1, 20.1, 42.0], "run": "a"})
    with pytest.raises(CannotFit, match=r"column busy, row 2: expected a share .*, found 20\.1\. .* busy_percent"):
        fitted("utilization_law", points, x="users", y="busy")


@pytest.mark.parametrize("name", ["rate_per_s", "arrivals (req/min)", "throughput_tps"])
def test_a_rate_is_told_how_to_become_a_utilization(name):
    """What the message says leads to the law: of M/M/1 with 20 ms, that service time."""
    rates = np.array([5.0, 20.0, 40.0])
    points = pd.DataFrame({name: rates, "response_s": 0.02 / (1 - 0.02 * rates)})
    with pytest.raises(CannotFit, match=r"share.*, found .*\. A rate is no utilization: give the rate times"):
        fit("mm1", points, x=name, y="response_s")
    told = fit("mm1", points.assign(utilization=rates * 0.02), x="utilization", y="response_s")
    assert told.params["service_s"] == pytest.approx(0.02)


def test_the_usual_columns_of_a_law_were_not_typed():
    told = r"found no column processors among system, .*\. Name it as x\. Series of this table: smp_mail\."
    with pytest.raises(UnknownName, match=told):
        fit("usl", "compaq_domino45/a_mail")


def test_x_may_be_in_the_index_as_groupby_leaves_it():
    """Of a frame or a Series, whatever else the rows are named by; the rows of `augment` keep it."""
    runs = pd.DataFrame({"processors": [1, 1, 2, 2, 4, 4, 8], "host": [*"abababa"]})
    runs["users"] = [100, 102, 190, 195, 350, 345, 560]
    for by in ("processors", ["processors", "host"]):
        flat = runs.groupby(by, as_index=False)[["users"]].mean()
        expected = fit("usl", flat, x="processors", y="users").tidy()
        for grouped in (runs.groupby(by)[["users"]].mean(), runs.groupby(by)["users"].mean()):
            found = fit("usl", grouped)
            pd.testing.assert_frame_equal(found.tidy(), expected)
            assert found.augment().index.equals(grouped.index)
            assert forecast(grouped, 16).tidy().equals(forecast(flat, 16).tidy())
    spread = runs.groupby("processors")["users"].agg(["mean", "sem"]).fillna(3)
    flat = spread.reset_index()
    pd.testing.assert_frame_equal(
        fit("usl", spread, y="mean", y_err="sem").tidy(), fit("usl", flat, y="mean", y_err="sem").tidy()
    )
    with pytest.raises(CannotFit, match="expected points, found Series"):
        fit("usl", pd.Series([1, 2, 4]))


def test_levels_of_an_index_are_columns():
    """Of a table with a column for each machine x may be the index; a level that tells machines apart is not lost."""
    runs = pd.DataFrame(
        {"host": [*"aaaabbbb"], "threads": [1, 2, 4, 8] * 2, "tps": [100, 180, 300, 450, 50, 95, 170, 280]}
    )
    wide = runs.pivot(index="threads", columns="host", values="tps")
    expected = fit("amdahl", x=[1, 2, 4, 8], y=[100, 180, 300, 450])
    found = fit("amdahl", wide, x="threads", y="a")
    assert found.tidy()["estimate"].equals(expected.tidy()["estimate"])
    assert found.augment().index.equals(wide.index)
    assert fit("amdahl", wide, x="b", y="a").x == "b"
    with pytest.raises(UnknownName, match="no column processors among threads, a, b"):
        fit("amdahl", wide, y="a")
    for levels in ("host", ["host", "threads"]):
        indexed = runs.set_index(levels)
        assert "The points differ in host, 2 (a, b)" in fit("amdahl", indexed, x="threads", y="tps").headline()
        flat = fit_many(runs, "amdahl", by="host", x="threads", y="tps")
        pd.testing.assert_frame_equal(fit_many(indexed, "amdahl", by="host", x="threads", y="tps"), flat)


def test_texts_of_a_frame_that_may_be_two_numbers_or_are_in_another_unit_are_none():
    for name, cells in (("wait", ["12 ms", "3 req/s", "1.234,5"]), ("ram_mb", ["1 GB", "2 GB", "4 GB"])):
        frame = pd.DataFrame({"threads": [1, 2, 4], name: cells})
        with pytest.raises(CannotFit, match=f"expected numbers in {name}, found '{cells[0]}'"):
            fit("power", frame, x="threads", y=name)


@pytest.mark.parametrize(
    "call",
    [
        lambda: fit("linear", FRAME, x="users", y="users"),
        lambda: fit("linear", FRAME, x="users"),
        lambda: fit("linear", FRAME, y="processors"),
        lambda: fit("linear", FRAME, x="processors", y_low="processors", y_high="users"),
        lambda: compare(["linear", "amdahl"], FRAME, x="users"),
        lambda: forecast(FRAME, 32, x="users"),
        lambda: fit_many(FRAME.assign(box="a"), "linear", by="box", x="users"),
        lambda: forecast_many(FRAME.assign(box="a"), 32, by="box", x="users"),
    ],
)
def test_one_column_is_not_both_axes(call):
    """Named twice, or named once where it is the usual one of the other axis: a line would fit it exactly."""
    with pytest.raises(CannotFit, match=r"expected two columns, found (users|processors) for both\. Name another one"):
        call()


def test_a_total_is_no_point(tmp_path):
    """A row that is named as one is refused, unless all are; one without a name is noted where it is the sum."""
    frame = pd.DataFrame(
        {"run": [*"abcd", "Total"], "processors": [1, 2, 4, 8, 15], "users": [99, 190, 340, 560, 1189]}
    )
    path = tmp_path / "own.csv"
    frame.to_csv(path, index=False)
    answers = (
        lambda data: fit("usl", data),
        lambda data: forecast(data, 32),
        lambda data: compare(["linear", "amdahl"], data),
    )
    places = (frame, "row 5"), (path, "own.csv, line 6"), (path, "own.csv")
    for (data, place), answer in zip(places, answers, strict=True):
        with pytest.raises(BadTable, match=f"{place}.*: expected a measurement in every row, found 'Total'"):
            answer(data)
    assert len(fit("amdahl", frame.assign(run="Total")).points[0]) == 5
    frame.attrs["author"] = "me"  # a user's own says nothing of where the rows are from
    with pytest.raises(BadTable, match="found 'Total'"):
        fit("amdahl", frame)


def test_forecasts_keep_the_index_of_what_was_asked():
    """A frame joins its forecasts by its own index, as with statsmodels; a list counts from 0."""
    points = pd.DataFrame({"load": [1, 2, 4, 8], "throughput": [10, 19, 35, 60]}, index=list("abcd"))
    curve, laws = fit("amdahl", points), compare(["amdahl", "usl"], points)
    asked = points.loc[["d", "b"]]
    for made in (curve, laws):
        joined = asked.join(made.predict(asked)[["predicted"]])
        assert made.predict(asked["load"]).index.tolist() == ["d", "b"]
        assert joined["predicted"].tolist() == made.predict([8, 2])["predicted"].tolist()
        assert made.predict([8, 2]).index.tolist() == [0, 1]


def test_points_that_are_handed_out_are_the_callers_own():
    """What a caller writes into them changes no forecast."""
    curve = fit("amdahl", x=[1, 2, 4, 8], y=[10, 19, 35, 60])
    before = curve.predict([16])
    for each in curve.points:
        each *= 0
    assert curve.points[1].tolist() == [10, 19, 35, 60]
    assert fit("amdahl", x=[1, 2, 4, 8], y=[10, 19, 35, 60]).predict([16]).equals(before)


def test_a_frame_without_the_column_of_x_is_refused():
    """Its other columns are no values of x."""
    found, frame = fit("amdahl", FRAME), pd.DataFrame({"users": [3000], "cpus": [4]})
    for ask in (found.predict, found.derive, lambda at: forecast(FRAME, at)):
        with pytest.raises(CannotFit, match="found a frame of users, cpus"):
            ask(frame)
        ask(frame.rename(columns={"cpus": "processors"}))  # which has it


def test_a_fit_by_a_law_of_ours_is_pickled():
    """For processes that share the work: the law is found again by its name, and every number is the same."""
    found, of_all = fit("usl", FRAME), compare(["linear", "amdahl"], FRAME)
    again = pickle.loads(pickle.dumps(found))
    assert again.law is found.law
    pd.testing.assert_frame_equal(again.tidy(), found.tidy())
    pd.testing.assert_frame_equal(pickle.loads(pickle.dumps(of_all)).tidy(), of_all.tidy())


@pytest.mark.parametrize(
    ("gaps", "kept"),
    [
        ({"x": [*LOADS, np.nan], "y": [*RATES, 900]}, slice(0, 5)),
        ({"x": np.ma.array([*LOADS, 3], mask=[0, 0, 0, 0, 0, 1]), "y": [*RATES, 900]}, slice(0, 5)),
        ({"data": {"a": [7, *LOADS], "b": [np.nan, *RATES]}}, slice(1, 6)),
        ({"data": {"a": [7, *LOADS], "b": np.ma.array([7, *RATES], mask=[1, 0, 0, 0, 0, 0])}}, slice(1, 6)),
    ],
)
def test_rows_without_x_or_y_are_left_out_and_counted(gaps, kept):
    """As missing="drop" of statsmodels does: the answer is that of the others, and says how many they are."""
    whole, found = fit("usl", x=LOADS, y=RATES), fit("usl", **gaps)
    assert found.estimates.tolist() == whole.estimates.tolist()
    assert "Left out: 1 row without x or y." in found.headline()
    assert found.glance()["note"].item() == "left out: 1 row without x or y"
    assert found.augment().index.tolist() == [*range(6)][kept]
    assert "Left out: 1 row" in compare(["linear", "amdahl"], **gaps).headline()
    ahead = forecast(**gaps, at=[64])
    assert ahead.tidy().equals(forecast(x=LOADS, y=RATES, at=[64]).tidy())
    assert ahead.glance()["reason"].item().startswith("left out: 1 row without x or y")
    assert "Left out: 1 row" in ahead.headline()


@pytest.mark.parametrize("settings", [{}, {"y_err": [5.0, 5, 5, 5, 5, 5]}])
def test_a_row_without_load_and_without_throughput_is_left_out(settings):
    """Tables of load tests begin so: every law of throughput passes through it, and its logarithm is none."""
    whole = fit("usl", x=LOADS, y=RATES, **{name: values[1:] for name, values in settings.items()})
    found = fit("usl", x=[0, *LOADS], y=[0, *RATES], **settings)
    assert found.estimates.tolist() == whole.estimates.tolist()
    assert "Left out: 1 row in which x and y are 0." in found.headline()
    told = fit("usl", x=[0, *LOADS, np.nan], y=[0, *RATES, 900]).headline()
    assert "Left out: 1 row without x or y and 1 row in which x and y are 0." in told
    with pytest.raises(CannotFit, match="row 1: expected a number above zero, found 0"):
        fit("usl", x=[0, *LOADS], y=[5, *RATES])


def test_standard_errors_of_rows_without_y_are_left_out_too():
    """Neither are they asked for there."""
    gaps = {"x": [*LOADS, 64], "y": [*RATES, np.nan]}
    found = fit("usl", **gaps, y_err=[1, 1, 2, 2, 3, np.nan])
    assert found.estimates.tolist() == fit("usl", x=LOADS, y=RATES, y_err=[1, 1, 2, 2, 3]).estimates.tolist()


@pytest.mark.parametrize("index", [list("abcde"), [5, 5, 3, 3, 1], [9, 8, 7, 6, 5]])
def test_augment_has_the_index_of_the_frame(index):
    """As predict has it, of a filtered, shuffled or doubled one; of means of each x there is none."""
    frame = FRAME.set_axis(index)
    assert fit("usl", frame).augment().index.tolist() == index
    assert fit("usl", frame.iloc[::-1].iloc[1:]).augment().index.tolist() == index[::-1][1:]
    assert fit("usl", x=LOADS, y=frame["users"]).augment().index.tolist() == index
    limits = frame.assign(least=frame["users"], most=1.1 * frame["users"])
    between = fit("usl", limits, x="processors", y_low="least", y_high="most")
    assert between.augment().index.tolist() == index
    twice = pd.concat([frame, frame.assign(users=1.01 * frame["users"])])
    assert fit("usl", twice, by_x=True).augment().index.tolist() == [*range(5)]


def test_groups_without_points_say_how_many_rows_were_left_out():
    """The others are as without these rows; a group that has no point left is told."""
    gaps = pd.DataFrame({"box": [3] * 6 + [1] * 5 + [2] * 2, "processors": [*LOADS, 99, *LOADS, 1, 2]})
    gaps["users"] = [*RATES, np.nan, *RATES, np.nan, np.nan]
    whole = gaps.dropna()
    found, right = (fit_many(frame, "usl", by="box") for frame in (gaps, whole))
    assert found["box"].tolist() == [3, 1, 2]
    pd.testing.assert_frame_equal(found.iloc[:2].drop(columns="reason"), right.drop(columns="reason"))
    words = ["left out: 1 row without x or y", "", "fewer different x than parameters; left out: 2 rows without x or y"]
    assert found["reason"].tolist() == words
    ahead, right = (forecast_many(frame, [99], by="box") for frame in (gaps, whole))
    assert ahead["box"].tolist() == [3, 1, 2]
    assert ahead["predicted"].tolist()[:2] == right["predicted"].tolist()
    assert [("left out: 1 row" in text, "left out: 2 rows" in text) for text in ahead["reason"]] == [
        (True, False), (False, False), (False, True)]  # fmt: skip


def test_a_reason_is_told_once():
    """Of a parameter without bounds neither end of which the points give."""
    start = {"a": 10, "b": 0.01}
    found = fit(lambda x, a, b: a * x / (1 + b * x), x=[1, 2, 3, 4], y=[10, 21, 29, 41], start=start, sigma=50)
    assert found.tidy()["reason"].tolist() == ["flat: the points do not bound it"] * 2
