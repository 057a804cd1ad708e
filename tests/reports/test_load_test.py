"""The page of a load test of one's own: every part is there, or says in its place why it is not."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from conftest import ROOT
from scipy import optimize, stats

from dominoperf import figures, fit, loadtests, planning
from dominoperf.errors import BadTable, DominoperfError, UnknownName
from dominoperf.loadtests.run_settings import RunSettings
from dominoperf.reports.load_test import LoadTest
from dominoperf.reports.notebooks import notebooks_folder
from dominoperf.reports.saving import Missing, save

SAMPLES = ROOT / "tests" / "samples"
FOLDERS = ("csv", "domstat", "locust_stats", "nmon", "notesnum", "parquet", "perfmon", "pgbench", "pgbench_log",
           "pgbench_summary", "sadf", "ab", "autocannon", "fio", "hey", "hey_requests", "iostat", "jmeter", "k6",
           "sysbench", "sysbench_summary", "vegeta", "vegeta_requests", "vmstat", "wrk")  # fmt: skip
FILES = [path for folder in FOLDERS for path in sorted((SAMPLES / folder).iterdir())]
FILES += [SAMPLES / "locust" / "demo_stats_history.csv"]
REFUSED = {  # files that are no load test by themselves, and the one message that says so
    "decimal_comma.csv": "expected a column of what a test measures",
    **dict.fromkeys(("rate_400.28435", "rate_400.28435.1", "rate_400.28435.2"), "expected the logs of all 3 threads"),
}
ONE_OF_EACH = {  # of files whose names differ in a number alone
    (path.parent, re.sub(r"\d+", "", path.name)): path for path in reversed(FILES) if path.name not in REFUSED
}.values()
DRAWS = ("test.picture(", "test.responses(", "test.busiest(", "test.both(")
# What pictures show are rows and points. These have all kinds: a second a row, requests, runs, and what failed.
DRAWN = ("csv", "jmeter", "notesnum", "pgbench_log")
MEASURES = ("response_s", "response_p95_s")
TABLES = {
    "one row": "users,throughput_tps,response_s\n8,500,0.01\n",
    "two loads": "users,throughput_tps,response_s\n8,500,0.01\n16,700,0.02\n",
    "no response": "users,throughput_tps\n1,100\n2,195\n4,370\n8,660\n16,1040\n",
    "a row of zeros and a blank one": "users,throughput_tps,response_s\n0,0,0\n,,\n8,500,0.01\n16,800,0.02\n",
    "nothing was delivered": "users,throughput_tps,response_s\n8,0,0.01\n16,0,0.02\n32,0,0.03\n64,0,0.04\n",
    "no load delivered anything": "users,throughput_tps\n0,100\n8,0\n,50\n",
    "no throughput": "users,cpu_utilization_percent\n8,50\n16,80\n",
}


def page(*, pictures=False, **parameters):
    """Run the cells of the notebook here, as a kernel would: what each shows, by its id, and what they named.

    What cells draw is left out, if not asked for: it takes longer than all else, and no other cell needs it.
    """
    names, shown = {}, {}
    for cell in json.loads((notebooks_folder() / "02_your_own_data.ipynb").read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            *lines, last = "".join(cell["source"]).split("\n")
            if last.startswith(DRAWS) and not pictures:
                last = "None"
            exec("\n".join(lines), names)
            try:
                shown[cell["id"]] = eval(last, names)
            except SyntaxError:
                exec(last, names)
            names |= parameters if "parameters" in cell["metadata"].get("tags", []) else {}
    return {name: repr(value) for name, value in shown.items()}, names


@pytest.fixture(autouse=True)
def tables_go_elsewhere(tmp_path, monkeypatch):
    """What the cells save is not kept."""
    monkeypatch.setenv("DOMINOPERF_OUT", str(tmp_path / "out"))


@pytest.fixture(scope="module")
def recorded():
    """The file that comes with the package, its points and its law."""
    test = LoadTest.from_files()
    points = test.points()
    return test, points, test.curve(points, "usl")


def a_test(rows, **settings):
    """A load test of made rows, whose points are given."""
    return LoadTest(rows, rows, "users", "throughput_tps", RunSettings(**settings), "made")


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_load_test_is_one_message(name):
    """Columns that nobody has mapped, and the log of one thread of several."""
    (path,) = (path for path in FILES if path.name == name)
    with pytest.raises(DominoperfError, match=REFUSED[name]):
        page(raw=str(path))


@pytest.mark.parametrize("path", ONE_OF_EACH, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_every_sample_has_a_page(path):
    """Whatever a file lacks, the samples and the answer are there, and each other part or its reason."""
    shown, _ = page(raw=str(path), pictures=path.parent.name in DRAWN)
    assert len(shown["own00008"].splitlines()) > 2
    assert shown["own00028"]
    assert all(text and "Traceback" not in text for text in shown.values() if text is not shown["own00034"])
    told = [text for text in shown.values() if text.startswith("Not here: ")]
    assert all(": expected " in text for text in told)
    if any(text.startswith("Not here, for the reason") for text in shown.values()):
        assert told


@pytest.mark.parametrize("name", TABLES)
def test_small_tables_have_a_page(tmp_path, name):
    """One row, two loads, rows of nothing: no warning, no number made of nothing."""
    (tmp_path / "runs.csv").write_text(TABLES[name])
    shown, _ = page(raw=str(tmp_path / "runs.csv"), pictures=True)
    assert "nan" not in shown["own00028"]
    assert "inf" not in shown["own00028"]
    nothing = ("no throughput", "nothing was delivered", "no load delivered anything")
    assert ("no curve to look at" in shown["own00028"]) == (name in nothing)
    assert ("No law goes" in shown["own00028"]) == (name != "no response" and name not in nothing)


def test_repeats_in_one_file_count_as_those_in_several(tmp_path):
    """One table of a run a row, in milliseconds, has the means, errors and verdict of the same runs in three files."""
    rows = [(1, 102, 9.9), (2, 190, 10.5), (4, 351, 11.4), (8, 560, 14.3), (16, 770, 20.8), (32, 800, 40.2)]
    tables = [[(n, x * (1 + 0.01 * k), ms) for n, x, ms in rows] for k in (-1, 0, 1)]
    head = "users,throughput_per_s,response_ms\n"
    lines = ["".join(f"{n},{x},{ms}\n" for n, x, ms in table) for table in tables]
    (tmp_path / "several").mkdir()
    for k, part in enumerate(lines):
        (tmp_path / "several" / f"{k}.csv").write_text(head + part)
    (tmp_path / "one.csv").write_text(head + "".join(lines))
    made = []
    for raw in ("one.csv", "several"):
        test = LoadTest.from_files(str(tmp_path / raw))
        points = test.points()
        curve, means = test.curve(points, "amdahl"), test.means(points)
        made.append((means, str(test.verdict(points, curve=curve)), test.peak(points), test.responses(points).title))
    (one, verdict, peak, responses), others = made[0], made[1]
    pd.testing.assert_frame_equal(one[["users", "mean", "std_error"]], others[0][["users", "mean", "std_error"]])
    assert one.loc[one["metric"] == "throughput_per_s", "mean"].tolist() == pytest.approx([x for _, x, _ in rows])
    assert (verdict, peak, responses) == others[1:]
    assert " on 4 and 12 degrees of freedom" in verdict  # six means less two parameters, twice six rows more than means
    assert responses == "The mean response is 9.9 ms at 1 user and 40.2 ms at 32 users"


@pytest.mark.parametrize("path", ["", SAMPLES / "jmeter" / "four_threads.jtl"], ids=str)
def test_the_points_are_those_of_the_curve(path):
    """Means, errors and percentiles of all requests, not of seconds; a run that is not steady counts alike."""
    test = LoadTest.from_files(str(path), failed_share=1)
    means = test.means(test.points())
    found = loadtests.curve(test.path, failed_share=1)
    for metric, name in ((test.rate, "throughput_per_s"), *[(each, each) for each in MEASURES]):
        part = means[means["metric"] == metric]
        known = found.dropna(subset=name)
        assert part["mean"].tolist() == pytest.approx(known[name].tolist(), rel=1e-12)
        errors = known[name.replace("_per_s", "").removesuffix("_s") + "_std_error"]
        np.testing.assert_allclose(part["std_error"], errors, rtol=1e-12)


def test_a_load_in_the_name_of_a_file_and_none_at_all():
    """One client of pgbench, by the name of its file; of Locust's totals the whole, not the mean of it and a part."""
    test = LoadTest.from_files(str(SAMPLES / "pgbench" / "clients_1.txt"))
    assert test.points()["users"].tolist() == [1]
    assert test.peak(test.points()).endswith(" transactions per second at 1 client")
    test = LoadTest.from_files(str(SAMPLES / "locust_stats" / "demo_stats.csv"), failed_share=1)
    points, totals = test.points(), pd.read_csv(SAMPLES / "locust_stats" / "demo_stats.csv").set_index("Name")
    assert points["throughput_per_s"].item() == pytest.approx(
        totals.loc["Aggregated", "Requests/s"] - totals.loc["Aggregated", "Failures/s"]
    )
    assert test.peak(points).startswith("The file tells no load: its run delivered 71.3 ")
    assert "expected a load, found none in the file or its name" in repr(test.ahead(points))


def test_a_rate_of_ones_own_counts_alike_for_a_file_and_for_several(tmp_path):
    """Beside the throughput that would be taken by itself: -p rate."""
    table = "users,throughput_per_s,requests_per_s\n1,10,20\n2,19,38\n4,34,68\n"
    (tmp_path / "several").mkdir()
    for path in (tmp_path / "one.csv", tmp_path / "several" / "a.csv", tmp_path / "several" / "b.csv"):
        path.write_text(table)
    (tmp_path / "several" / "b.csv").write_text(table.replace("68", "72"))
    for raw, rates in (("one.csv", [20, 38, 68]), ("several", [20, 38, 70])):
        points = LoadTest.from_files(str(tmp_path / raw), rate="requests_per_s").points()
        assert points["requests_per_s"].tolist() == rates


def test_what_one_part_lacks_another_has(tmp_path):
    """Summaries without times have a law; a line of Locust lacks users."""
    text = "".join((SAMPLES / "pgbench_summary" / f"clients_{n}.txt").read_text() for n in (1, 2, 4, 8))
    (tmp_path / "runs.txt").write_text(text)
    shown, names = page(raw=str(tmp_path / "runs.txt"), law="amdahl", pictures=True)
    assert "found whole runs, a row each" in shown["own00012"]
    assert names["curve"].fit.law.name == "amdahl"
    assert names["points"]["reason"].str.startswith("totals, with the beginning of the run").all()
    assert "without known errors" in shown["own00028"]
    history = (SAMPLES / "locust" / "demo_stats_history.csv").read_text()
    (tmp_path / "history.csv").write_text(history.replace("1795292883,2,,Aggregated", "1795292883,,,Aggregated"))
    shown, names = page(raw=str(tmp_path / "history.csv"), failed_share=1)
    assert "1 of 19 rows without a load or " in shown["own00034"]
    assert names["points"]["users"].tolist() == [10]  # as `curve` has it: the ramp passed through the others


def test_what_cannot_be_read_is_one_clear_message():
    """A missing file, columns that are not there."""
    with pytest.raises(BadTable, match=r"none\.csv: expected the file of a load test, found no such file"):
        LoadTest.from_files("none.csv")
    for column in ({"load": "usres"}, {"rate": "tps"}):
        with pytest.raises(UnknownName, match="Columns are time"):
            LoadTest.from_files(**column)
    with pytest.raises(BadTable, match="column time: expected numbers above zero, found none"):
        LoadTest.from_files(load="time")


def test_no_question_of_the_example_is_asked_of_a_file_of_ones_own(tmp_path):
    """Neither its rate nor its limit of 0.01 s: the page asks for them; a question that was asked is answered."""
    path = tmp_path / "runs.csv"
    path.write_text("users,throughput_tps,response_s\n50,5,0.4\n100,10,0.5\n200,15,3\n")
    shown, _ = page(raw=str(path))
    assert shown["own00043"].startswith("One node carries ")
    assert "-p peak_rate_per_s NUMBER" in shown["own-nodes-words"]
    shown, _ = page(raw=str(path), limit_s=1.0, peak_rate_per_s=1000.0)
    assert shown["own00043"].startswith("90 nodes, 1 of them spare, for 1,000 requests per second")
    assert "0 % of a node's rate is left free" in shown["own-nodes-words"]
    shown, _ = page()
    assert "for 100,000 requests per second" in shown["own00043"]


def test_loads_that_cannot_be_told_apart(recorded):
    """128 and 192 clients differ by 0.9 standard errors; with errors a tenth of theirs 192 is alone."""
    test, points, _ = recorded
    known = points.set_index("users")
    apart = known.loc[192, "throughput_tps"] - known.loc[128, "throughput_tps"]
    assert apart / np.hypot(*known.loc[[128, 192], "std_error"]) == pytest.approx(0.92, abs=0.01)
    highest = "Throughput is highest at 192 clients: 20,776 transactions per second"
    assert test.peak(points) == f"{highest}; at 128 it is within two standard errors of that"
    assert test.peak(points.assign(std_error=points["std_error"] / 10)) == highest
    wide = points.assign(std_error=points["std_error"] * 10)
    assert test.peak(wide) == f"{highest}; at 64, 96, 128 and 256 it is within two standard errors of that"


def test_the_highest_of_equal_loads_is_seldom_told_from_the_others():
    """At 95 % at most one table of twenty, of four loads that deliver the same, calls one of them the highest."""
    rng, told = np.random.default_rng(1), 0
    for _ in range(200):
        points = pd.DataFrame({"users": [1.0, 2, 3, 4], "std_error": 1.0, "effective_samples": 60.0})
        points["throughput_tps"] = 100 + rng.standard_normal(4)
        told += "within two standard errors" not in a_test(points).peak(points)
    assert told <= 18


def test_a_law_that_the_means_refute_has_no_interval():
    """F of the nearest curve, against MINPACK's least squares; no band, no standard error, and a sentence."""
    test = LoadTest.from_files(str(ROOT / "tests" / "samples" / "load_tests" / "nginx" / "before"))
    points = test.points()
    curve = test.curve(points, "usl")
    found = curve.nearest

    def left(params):
        off = points[test.rate] - found.law.function(points[test.load].to_numpy(float), *params)
        return off / points["std_error"]

    least = optimize.least_squares(left, [13000, 0.05, 1e-3], x_scale=[1e4, 1e-2, 1e-3], bounds=([0] * 3, [1e5, 1, 1]))
    assert found.squares == pytest.approx(2 * least.cost, rel=1e-5)
    assert (found.test_dof, curve.refuted) == (4, True)
    words = repr(test.verdict(points, curve=curve))
    assert f"F {found.squares / 4:.2f} on 4 and 7 degrees of freedom" in words  # seven loads, each run twice
    assert curve.drawn.predict([100.0, 300.0])[["mean_low", "mean_high"]].isna().all(axis=None)
    assert "does not hold here" in words
    assert re.search(r"misses one by \d+ %, where no standard error is above [\d.]+ %\.", words)
    table = test.parameters(curve)
    assert table[["std_error", "low", "high"]].isna().all(axis=None)
    assert table["reason"].eq("the points refute the law: no error can be told").all()
    drawn = test.picture(points, curve=curve)
    assert "interval of the curve" not in drawn.svg + drawn.alt


def test_a_law_is_not_judged_by_errors_that_lack_how_runs_differ(recorded):
    """Eight loads of one run each, whose errors within a run are at most 4 %: the residuals have the intervals."""
    test, points, curve = recorded
    assert not curve.refuted
    assert test.parameters(curve)["low"].notna().any()
    assert "cannot be tested: no load was run again" in repr(test.verdict(points, curve=curve))


def test_a_law_that_the_means_bear_out_keeps_its_interval():
    """Points off a curve by their errors: refuted in about 5 % of simulated tables at 95 %, 1 to 8 of 70."""
    rng, x, refuted = np.random.default_rng(2), np.array([1.0, 2, 4, 8, 16, 24]), 0
    truth = 100 * x / (1 + 0.03 * (x - 1) + 0.001 * x * (x - 1))
    errors = 0.01 * truth
    points = pd.DataFrame({"users": x, "std_error": errors, "effective_samples": 50.0})
    test = a_test(points)
    for _ in range(70):
        drawn = points.assign(throughput_tps=truth + errors * rng.standard_normal(6))
        refuted += test.curve(drawn, "usl").refuted
    assert 1 <= refuted <= 8
    curve = test.curve(drawn, "usl")
    assert curve.drawn.predict([10.0])["mean_low"].notna().all()
    assert "do not refute the universal scalability law" in repr(test.verdict(drawn, curve=curve))


def test_lack_of_fit_says_why_it_is_unknown():
    """Without an error for each point, or without degrees of freedom."""
    rows = pd.DataFrame({"users": [1.0, 2, 4], "throughput_tps": [100.0, 180, 250], "dof": 5})
    test = a_test(rows)
    for law, errors, reason in (
        ("amdahl", [1, np.nan, 1], "no standard error"),
        ("amdahl", [1, 0, 1], "no standard error"),
        ("usl", [1, 1, 1], "no more points than parameters"),
    ):
        points = rows.assign(std_error=errors)
        curve = test.curve(points, law)
        assert reason in repr(test.verdict(points, curve=curve))
        assert not curve.refuted


def test_missing_is_shown_once():
    """As text in a page: what a file is called may hold any sign."""
    missing = Missing("a *file*: expected rows")
    assert not missing
    assert save(missing.tidy(), "plan") is missing
    assert missing._repr_markdown_() == r"Not here: a \*file\*: expected rows"
    assert "reason given above" in repr(Missing("x", again=True))


def test_a_folder_of_runs_has_every_part():
    """Twelve runs of six loads: curve, law, responses, nodes; and the change from the earlier ones."""
    runs = SAMPLES / "load_tests" / "postgresql"
    asked = {"before": str(runs / "before"), "limit_s": 0.02, "peak_rate_per_s": 20_000.0}
    shown, names = page(raw=str(runs / "after"), **asked, pictures=True)
    assert names["test"].source == "12 files of after"
    points = names["points"]
    expected = loadtests.curve(runs / "after")
    assert points["throughput_per_s"].tolist() == expected["throughput_per_s"].tolist()
    assert points["std_error"].tolist() == expected["throughput_std_error"].tolist()
    assert "clients" in shown["own00028"]
    assert "1 to 32" not in shown["own00028"]  # 1 client does not deliver as much as 4
    assert "logarithmic" in shown["own00041"]
    assert "before" in shown["own00046"]
    assert names["counted"].nodes == 4  # 20,000 over 9,144, and a spare one: 8 clients are near the peak
    assert names["change"].verdict == "faster"
    assert shown["own00012"].startswith("Picture: ")
    single, names = page()
    assert single["own00045"].startswith("Not here: before: expected earlier runs")
    assert names["counted"].nodes > 1


def test_a_curve_over_decades_is_smooth_on_its_axis():
    """On a logarithmic axis of loads from 1 to 10,000 the line meets its law between any two loads, 10 and 20 too."""
    x = np.array([1.0, 10, 100, 1000, 10_000])
    curve = fit("usl", x=x, y=300 * x / (1 + 0.01 * (x - 1) + 1e-6 * x * (x - 1)))
    line = figures.plot(curve, log="x").get_lines()[0]
    for load in (2.0, 15.0, 300.0):
        drawn = np.interp(load, *(np.asarray(data, float) for data in line.get_data()))
        assert drawn == pytest.approx(float(curve.curve(np.array([load]))[0]), rel=0.01)


def test_what_lies_beyond_the_loads_is_forecast_without_a_law(tmp_path):
    """Twice the largest load, by the forecast with a band; of one load it is said what is missing."""
    path = tmp_path / "runs.csv"
    path.write_text(TABLES["no response"])
    test = LoadTest.from_files(path)
    assert "at 32 (95 % band" in repr(test.ahead(test.points()))
    path.write_text(TABLES["one row"])
    test = LoadTest.from_files(path)
    assert isinstance(test.ahead(test.points()), Missing)


def test_the_beginning_that_is_left_out(tmp_path):
    """As many seconds of each run as asked for, of one file and of several, in every part that measures."""
    for users in (4, 8):
        rate = np.r_[np.full(60, 10.0), np.full(60, 100.0 * users), np.tile([99.0, 101.0], 60) * users]
        run = pd.DataFrame({"time_s": range(240), "users": users, "throughput_per_s": rate, "response_s": 0.01})
        run.to_csv(tmp_path / f"{users}_users.csv", index=False)
    for raw in (tmp_path / "8_users.csv", tmp_path):
        _, names = page(raw=str(raw), settle_s=60.0, limit_s=0.1)
        assert names["points"].set_index("users").loc[8, "throughput_per_s"] == 800
    assert names["counted"].curve["throughput_per_s"].tolist() == [400, 800]
    assert page(raw=str(tmp_path / "8_users.csv"), settle_s=120.0)[1]["points"]["from_s"].tolist() == [120.0]
    with pytest.raises(DominoperfError, match="settle_s: expected 0 or more, found -1"):
        LoadTest.from_files(settle_s=-1)


ONE = """threads,tps
1,1004.7
1,1062.5
1,953.4
2,1991.7
2,1872.9
2,1872.7
4,3730.8
4,3434.0
4,3399.8
8,5671.5
8,5780.3
8,5463.5
16,7385.8
16,6825.6
16,7043.3
32,6903.2
32,6587.6
32,6525.4
"""


def test_a_law_is_no_surer_than_the_means_it_goes_through(tmp_path):
    """Where means lie on the law by luck, though runs scatter by 5 %, intervals are those of `fit` with errors."""
    (tmp_path / "one.csv").write_text(ONE)
    test = LoadTest.from_files(str(tmp_path / "one.csv"))
    points = test.points()
    table = test.parameters(test.curve(points, "usl"))
    curve = loadtests.curve(tmp_path / "one.csv")
    expected = fit("usl", curve, y_err="throughput_std_error").tidy()
    assert np.allclose(table[["std_error", "low", "high"]], expected[["std_error", "low", "high"]])
    assert (table["error_from"] == "repeats").all()
    assert (fit("usl", curve).tidy()["std_error"] < table["std_error"] / 2).all()
    means, reach = test.means(points), stats.t.ppf(0.975, points["dof"]) * points["std_error"]
    np.testing.assert_allclose(means[["low", "high"]].T, [points[test.rate] - reach, points[test.rate] + reach])


def test_a_column_of_threads_is_the_load_in_all_words(tmp_path):
    """No row is said to be left out that is used, no thread is called a user, and no hint is one of Python."""
    (tmp_path / "one.csv").write_text(ONE)
    shown, names = page(raw=str(tmp_path / "one.csv"))
    assert "left out" not in shown["own00034"]
    assert "call the column of their times time_s" in shown["own00034"]
    assert not {"`", "mapping"} & {*shown["own00034"].split()}
    assert "highest at 16 threads" in shown["own00028"]
    assert "; at 32 it is within" in shown["own00028"]
    assert [*names["points"]["threads"]] == [1, 2, 4, 8, 16, 32]
    assert names["test"].first_rows().frame["threads"].tolist() == [1, 2, 4, 8, 16, 32]


def test_the_page_plans_as_many_nodes_as_the_command(tmp_path):
    """One idea of headroom: none of its own, and what is asked for is said beside the nodes."""
    (tmp_path / "one.csv").write_text(ONE)
    shown, names = page(raw=str(tmp_path / "one.csv"), peak_rate_per_s=20_000.0)
    plan = planning.node_count(loadtests.curve(tmp_path / "one.csv"), 20_000)
    assert names["counted"].nodes == plan.nodes == 6
    assert "left free" not in shown["own00043"]
    shown, names = page(raw=str(tmp_path / "one.csv"), peak_rate_per_s=20_000.0, headroom=0.3)
    assert names["counted"].nodes == 7
    assert "Of that rate 30 % is left free." in shown["own00043"]
