"""Many files to one curve: loads, steady windows, repeats and errors against simulations, and files that are broken."""

import gzip
import heapq
import itertools
import json
import math
import os
import random
import shutil
import threading

import numpy as np
import pandas as pd
import pytest
from conftest import ROOT
from made import noisy, notes, written
from scipy.signal import lfilter
from scipy.stats import chi2, norm, t

from dominoperf import ab, compare, curve, fit, forecast, loadtests, measured_runs, mva, planning, tables
from dominoperf.cli import main
from dominoperf.errors import BadTable, UnknownName
from dominoperf.loadtests import load_generators, readers
from dominoperf.loadtests.batch_means import mean_by_batches, quantile_by_batches
from dominoperf.loadtests.load_curve import curve_of_runs
from dominoperf.loadtests.load_generators import (
    clock_of_recording,
    overlapping_clocks_in_words,
    ran_at_once,
    requests_added_up,
)
from dominoperf.loadtests.run_settings import RunSettings
from dominoperf.loadtests.runs_from_files import runs_of_samples

SAMPLES = ROOT / "tests" / "samples"
NAN = math.nan


def usl(load, scale=100.0, contention=0.05, coherency=0.001):
    return scale * load / (1 + contention * (load - 1) + coherency * load * (load - 1))


def series(mean, seed, *, count=150, alike=0.5, wide=0.03, ramp=0):
    """A throughput a second about a mean, autoregressive, after a ramp; `wide` is its relative standard deviation."""
    drawn = np.random.default_rng(seed).standard_normal(count + 200)
    noise = lfilter([wide * math.sqrt(1 - alike**2)], [1, -alike], drawn)[200:]
    values = mean * (1 + noise)
    values[:ramp] *= (np.arange(ramp) + 1) / (ramp + 1)
    return values


def write(path, values, **columns):
    path.parent.mkdir(parents=True, exist_ok=True)
    frame = pd.DataFrame({"time_s": np.arange(len(values)), "throughput_per_s": values} | columns)
    frame.to_csv(path, index=False)
    return path


def closed_test(path, users, *, service_s, seconds, ramp_s=0.0, first=0, names=None):
    """Write the JMeter log of users who think for 1 s between requests to one server; return ends and responses.

    Both times are exponential. Users start evenly over the ramp; `names` are those of their threads.
    """
    drawn = random.Random(users)
    began = [1.7e9 + ramp_s * k / users for k in range(users)]
    waiting = [(at + drawn.expovariate(1), user) for user, at in enumerate(began)]
    heapq.heapify(waiting)
    free, requests = 0.0, []
    while waiting[0][0] < 1.7e9 + seconds:
        arrived, user = heapq.heappop(waiting)
        free = max(free, arrived) + drawn.expovariate(1 / service_s)
        requests.append((arrived, round(1000 * (free - arrived)), user))
        heapq.heappush(waiting, (free + drawn.expovariate(1), user))
    lines = ["timeStamp,elapsed,label,responseCode,responseMessage,threadName,success,allThreads"]
    for arrived, spent, user in requests[first:]:
        alive = sum(at <= arrived + spent / 1000 for at in began)
        thread = names[user] if names else f"Thread Group 1-{user + 1}"
        lines.append(f"{int(1000 * arrived)},{spent},page,200,OK,{thread},true,{alive}")
    path.write_text("\n".join([*lines, ""]))
    return np.array([(int(1000 * arrived) + spent, spent) for arrived, spent, _ in requests]).T / 1000


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """The curve of two runs of each of five loads, which differ by 2 % between runs; the load is in the name."""
    random, folder = np.random.default_rng(7), tmp_path_factory.mktemp("runs")
    for load in (1, 2, 4, 8, 16):
        for again in (1, 2):
            mean = usl(load) * (1 + 0.02 * random.standard_normal())
            write(folder / f"c{load}_run{again}.csv", series(mean, 10 * load + again, ramp=10))
    return curve(folder)


def test_curve_of_simulated_runs(found):
    """Every point within 3 of its standard errors of the truth; the errors are those of two runs that differ by 2 %."""
    assert found["load"].tolist() == [1, 2, 4, 8, 16]
    assert found["runs"].tolist() == [2] * 5
    assert found["steady_runs"].sum() >= 7  # the detector does without ramp-up, and may refuse a run
    off = (found["throughput_per_s"] - usl(found["load"])) / found["throughput_std_error"]
    assert (off.abs() < 3).all()
    relative = found["throughput_std_error"] / found["throughput_per_s"]
    assert relative.between(0.005, 0.03).all()  # 0.02 / sqrt(2) = 0.014, from 5 degrees of freedom


def variances_by_likelihood(loads, rates, waits=None):
    """The variance of a run by load, relative to its square: the mean over models by likelihood and prior.

    The models say that the scatter grows with a power of the load, from the first repeated load to the last, and maybe
    with the users that wait.
    """
    loads, dof, variances, weights = np.array(loads), np.array([len(each) - 1 for each in rates]), [], []
    loads = loads.clip(loads[dof > 0].min(), loads[dof > 0].max())
    relative = np.array([np.var(each, ddof=1) / np.mean(each) ** 2 if len(each) > 1 else 0 for each in rates])
    again, shares = dof > 0, [np.ones(len(loads)), *([] if waits is None else [waits])]
    for power, share in itertools.product(np.linspace(-1, 1, 17), shares):
        shape = (loads**power * share) ** 2
        likeliest = np.average(relative / shape, weights=dof) * shape
        scale = likeliest[again] / dof[again]
        variances.append(likeliest)
        weights.append(norm.pdf(power, scale=0.35) * np.prod(chi2.pdf(relative[again] / scale, dof[again]) / scale))
    return np.average(variances, axis=0, weights=weights)


def rows(frame, rate, settings=None, named_load=None):
    """The rows of `measured_runs` of a frame."""
    return list(runs_of_samples(frame, rate, settings or RunSettings(), named_load))


def test_what_begins_at_until_is_not_measured(tmp_path):
    """1,000 transactions a second until 300 s, in intervals of a minute, of which pgbench prints the ends."""
    rates = [1000] * 5 + [400] * 5
    lines = [f"progress: {60 * k}.0 s, {rate}.0 tps, lat 9.000 ms stddev 1.000, 0 failed" for k, rate in
             enumerate(rates, 1)]  # fmt: skip
    pgbench = written(tmp_path, "\n".join(["pgbench (16.1)", *lines, "number of clients: 10", ""]), "pgb.txt")
    seconds = write(tmp_path / "seconds.csv", np.repeat([50.0, 100.0, 200.0], [10, 20, 30]), users=10)
    for file, settle, until, rate, samples in ((pgbench, 60, 300, 1000, 4), (seconds, 10, 30, 100, 20)):
        (run,) = measured_runs(file, settle=settle, until=until).to_dict("records")
        assert (run["throughput_per_s"], run["samples"]) == (rate, samples)


def test_a_manifest_of_files_in_several_folders(tmp_path):
    """A file is the one whose path the manifest has, also where the files that are read share its folder."""
    for place, rate in (("a/run", 80.0), ("a/x", 40.0), ("b/run", 150.0)):
        (tmp_path / place).parent.mkdir(exist_ok=True)
        write(tmp_path / f"{place}.csv", series(rate, 1))
    listed = pd.DataFrame({"file": ["a/run.csv", "a/x.csv", "b/run.csv", "none.csv"], "load": [8, 4, 16, 2]})
    found = curve(tmp_path / "a", manifest=listed)
    assert found["load"].tolist() == [4, 8]
    told = [note for note in found.attrs["notes"] if note.startswith("the manifest: ")]
    assert [note.split()[2] for note in told] == ["b/run.csv", "none.csv"]
    assert curve(tmp_path, manifest=listed)["load"].tolist() == [4, 8, 16]
    with pytest.raises(BadTable, match=r"found none of this one. Add a row for run.csv"):
        curve(tmp_path / "a", manifest=listed[2:])


def test_recorded_totals():
    """Four runs of pgbench as it summed them up: tests/samples/pgbench_summary, read by eye; loads are its clients."""
    found = curve(SAMPLES / "pgbench_summary")
    assert found["load"].tolist() == [1, 2, 4, 8]
    assert found["throughput_per_s"].round(1).tolist() == [2546.0, 2790.5, 1421.6, 537.1]
    assert found["response_s"].round(9).tolist() == [0.000393, 0.000716, 0.002809, 0.014868]
    assert found["throughput_std_error"].isna().all()
    assert found["reason"].str.contains("no error without samples or repeats").all()
    assert found["load_unit"].unique().tolist() == ["clients"]
    assert tables.user_of(found.copy().set_axis(found.columns, axis=1)) == "client"
    found.attrs.clear()  # as of a curve that was written and read
    assert tables.user_of(found) == "client"


def test_broken_and_foreign_files_leave_the_others(tmp_path):
    """Each is named with its reason, and the curve is that of the others."""
    for load in (1, 2):
        write(tmp_path / f"c{load}.csv", noisy(50.0 * load, 30))
    good = curve(tmp_path)
    (tmp_path / "c32.csv").write_text("")
    (tmp_path / "c64.csv").write_bytes(b"\0\1\2")
    (tmp_path / "notes.txt").write_text("hello\n")
    (tmp_path / "broken.csv").write_text("users,throughput_per_s\n1,x\n")
    shutil.copy(SAMPLES / "vmstat" / "plain.txt", tmp_path / "vmstat.txt")
    write(tmp_path / "c0.csv", noisy(1.0, 30))
    write(tmp_path / "c128.csv", np.zeros(60), failures=90.0)
    mixed = curve(tmp_path)
    columns = ["load", "throughput_per_s", "throughput_std_error", "runs"]
    pd.testing.assert_frame_equal(mixed[columns], good[columns])
    told = notes(mixed)
    for name in ("c32.csv", "c64.csv", "notes.txt", "vmstat.txt", "broken.csv"):
        assert f"{name}: left out" in told
    assert "c0.csv: left out: a load of 0" in told
    assert "c128.csv: left out: no throughput, all requests failed" in told
    assert "broken.csv: left out: line 2: expected a number" in told
    listed = measured_runs(tmp_path)
    assert len(listed) == 9
    assert listed["reason"].str.startswith("left out").sum() == 7
    assert listed.set_index("file")["throughput_per_s"].isna()["broken.csv"]


def test_columns_of_other_names_are_mapped(tmp_path):
    """As `readers.read` maps them."""
    path = written(tmp_path, "threads,rate\n1,10\n2,19\n4,33\n8,60\n", "a.csv")
    found = curve(path, mapping={"threads": "users", "rate": "throughput_per_s[1/s]"})
    assert found[["load", "throughput_per_s"]].to_numpy().tolist() == [[1, 10], [2, 19], [4, 33], [8, 60]]


def test_logs_of_threads_are_one_run():
    """The three logs of one run of pgbench -j 3, which only together are a run."""
    found = measured_runs(SAMPLES / "pgbench_log", x_from=r"(?:rate|clients)_(\d+)", generators="apart")
    assert found["file"].str.startswith("rate_400").sum() == 1
    assert found.set_index("file")["throughput_per_s"]["rate_400.28435"] == pytest.approx(400, rel=0.1)


def test_a_curve_goes_into_fit_compare_and_forecast(found, tmp_path):
    """As a frame and as a file; with its errors."""
    curve_of = fit("usl", found, y_err="throughput_std_error")
    assert curve_of.params["contention"] == pytest.approx(0.05, abs=0.03)
    assert compare("processors", found).source.locator == ""
    assert forecast(found, 32).tidy()["predicted"].iloc[0] == pytest.approx(usl(32), rel=0.25)
    path = tmp_path / "curve_of_runs.csv"
    found.to_csv(path, index=False)
    again = fit("usl", path, y_err="throughput_std_error")
    assert again.params["scale"] == pytest.approx(curve_of.params["scale"])
    assert again.user == "user"


def test_samples_or_repeats_that_are_all_equal_give_no_error(tmp_path):
    """A tool that holds its rate is not known exactly: an error of 0 would be refused by `fit`, and weigh all."""
    for load, rate in ((4, noisy(40, 60)), (8, np.full(60, 75.0)), (16, noisy(130, 60)), (32, noisy(200, 60))):
        write(tmp_path / f"{load}_users.csv", rate)
    found = curve(tmp_path)
    assert found["throughput_std_error"].isna().tolist() == [False, True, False, False]
    assert found["reason"].tolist() == ["", EQUAL.format("throughput_per_s"), "", ""]
    known = found.dropna(subset="throughput_std_error")
    assert fit("amdahl", known, y_err="throughput_std_error").params["scale"] == pytest.approx(10, rel=0.1)
    write(tmp_path / "8_users_again.csv", noisy(75, 60))  # repeats tell it
    assert (curve(tmp_path)["throughput_std_error"] > 0).all()
    totals = [{"users": 8, "throughput_per_s": 80.0, "response_s": 0.1}] * 2
    path = tmp_path / "totals.csv"
    pd.DataFrame(totals).to_csv(path, index=False)
    row = curve(path).iloc[0]
    assert row[["throughput_std_error", "response_std_error"]].isna().all()
    assert row["reason"].endswith("all repeats of throughput_per_s are equal: they give no error; all repeats of "
                                  "response_s are equal: they give no error")  # fmt: skip


def runs_with(load, throughput, response, error):
    """Runs as `measured_runs` gives them, each with this error of its own throughput."""
    rows = {"load": load, "throughput_per_s": throughput, "throughput_std_error": error, "response_s": response}
    rest = {"response_std_error": NAN, "response_p95_s": NAN, "response_p95_std_error": NAN, "response_p95_of": ""}
    return pd.DataFrame(rows | rest | {"failures": 0, "steady": 1, "file": "", "reason": ""})


def test_repeats_tell_how_errors_grow_with_the_users_that_wait():
    """Of 1 user a tenth waits, of 10 all: all models at their most likely scale, and their mean."""
    rates, waits, runs = [[1.0, 1.004, 0.99], [5.0, 5.3]], np.array([0.1, 1.0]), np.array([3, 2])
    load = np.repeat([1.0, 10], runs)
    response = waits[[0, 0, 0, 1, 1]] * load / np.repeat([np.mean(each) for each in rates], runs)
    found = curve_of_runs(runs_with(load, np.concatenate(rates), response, NAN))
    errors = found["throughput_std_error"] / found["throughput_per_s"]
    assert errors.to_numpy() == pytest.approx(
        np.sqrt(variances_by_likelihood([1.0, 10], rates, waits) / runs), rel=1e-6
    )
    assert found["throughput_dof"].eq(3).all()


def test_what_several_runs_of_a_load_have_is_told_once():
    """A reason of two parts, the first of which every run has."""
    runs = runs_with([4.0, 4, 4], [9.0, 10, 11], NAN, 0.5).assign(reason=["a", "a; not steady: b", ""])
    assert curve_of_runs(runs)["reason"].tolist() == ["a; not steady: b"]


def test_a_run_in_which_the_service_stood_still_widens_no_error_but_its_own():
    """Six loads of seven runs that differ by 1.5 %; a fifth of one run stands still, so it has no steady window.

    Of the 90 means of 15 curves Student's interval holds the truth in 95 %, 80 or more but for chance; with that run
    among the repeats it was more than twice as wide.
    """
    loads, random, held, reaches = np.repeat([8.0, 16, 24, 32, 40, 52], 7), np.random.default_rng(8), 0, []
    truth = 60 * np.unique(loads) / (np.unique(loads) + 40)
    for _ in range(15):
        rates = np.repeat(truth, 7) * np.exp(0.015 * random.standard_normal(len(loads)))
        runs = runs_with(loads, rates, NAN, 0.004 * rates)
        still = random.integers(len(runs))
        runs.loc[still, ["throughput_per_s", "throughput_std_error"]] = 0.8 * rates[still], 0.3 * rates[still]
        runs.loc[still, "steady"] = 0
        curve = curve_of_runs(runs)
        reach = t.ppf(0.975, curve["throughput_dof"]) * curve["throughput_std_error"]
        held += ((curve["throughput_per_s"] - truth).abs() <= reach).sum()
        reaches.append((reach / truth).median())
    assert 80 <= held < 90
    assert np.median(reaches) == pytest.approx(t.ppf(0.975, 35) * 0.015 / math.sqrt(7), rel=0.1)


def test_runs_at_several_arrival_rates_are_no_repeats(tmp_path):
    """Five rates under 50 connections were averaged without a word; repeats that differ by a third are repeats."""

    def noted(rates):
        text = "".join(f"50,{rate}\n" for rate in rates)
        found = curve(written(tmp_path, f"users,throughput_per_s\n{text}", "runs.csv"))
        return [note for note in found.attrs["notes"] if "a rate of its own" in note]

    (note,) = noted([20, 40, 60, 72, 76])
    assert note.startswith("the 5 runs at load 50 have from 20 to 76 per second. If each")
    assert "x_from=PATTERN" in note
    assert noted([60, 72, 82]) == []
    assert noted([40, 60, 61]) != []
    named = folder_of(tmp_path / "named", **{f"rate{rate}.csv": f"throughput_per_s\n{rate}\n" for rate in (20, 40, 76)})
    assert curve(named, x_from=r"rate(\d+)")["load"].tolist() == [20, 40, 76]


def test_a_copy_of_a_file_is_no_repeat(tmp_path):
    """However it is packed: without a clock nothing else tells. One sample that differs makes it a repeat."""
    folder = tmp_path / "runs"
    first = write(folder / "4_users.csv", noisy(40, 60))
    write(folder / "8_users.csv", noisy(75, 60))
    alone = measured_runs(folder)
    (folder / "4_users.csv.gz").write_bytes(gzip.compress(first.read_bytes()))
    shutil.copy(first, folder / "4_users (copy).csv")
    shutil.copy(first, folder / "16_users.csv")  # the same numbers of another load are no copy
    found = measured_runs(folder)
    told = "left out: a copy of another file that is read"
    assert found["reason"].tolist().count(told) == 2
    assert sum(told in note for note in found.attrs["notes"]) == 1
    kept = found[(found["in_curve"] == 1) & (found["load"] < 16)].reset_index(drop=True)
    pd.testing.assert_frame_equal(kept.drop(columns="file"), alone.drop(columns="file"), check_dtype=False)
    assert curve_of_runs(found)["throughput_dof"].eq(0).all()
    write(first, noisy(40, 60) + 1e-9)
    assert curve(folder)["throughput_dof"].eq(1).all()


@pytest.mark.parametrize("how", [None, "together", "apart"])
def test_a_copy_of_a_log_with_a_clock_is_no_load_generator(generators, tmp_path, how):
    """As a browser or an archive leaves them: neither a second run nor a second half of the load."""
    log = generators / "plain" / "run.jtl"
    expected = curve(log)
    for name in ("run.jtl", "run (1).jtl"):
        shutil.copy(log, tmp_path / name)
    (tmp_path / "run.jtl.gz").write_bytes(gzip.compress(log.read_bytes()))
    found = curve(tmp_path, generators=how)
    assert "run.jtl and 1 other: left out: a copy of another file that is read" in notes(found)
    pd.testing.assert_frame_equal(found.drop(columns="files"), expected.drop(columns="files"))


def test_on_the_command_line(tmp_path, capsys):
    """JSON with a row a load; notes on stderr; --show runs, measured as --settle says."""
    for load in (1, 2):
        write(tmp_path / f"c{load}.csv", noisy(50.0 * load, 60))
    (tmp_path / "c99.csv").write_text("")
    assert main(["curve", str(tmp_path), "--format", "json"]) == 0
    out, err = capsys.readouterr()
    assert [row["load"] for row in json.loads(out)] == [1, 2]
    assert "note: c99.csv: left out" in err
    assert main(["curve", str(tmp_path), "--show", "runs", "--settle", "20", "--format", "json"]) == 0
    assert [row["from_s"] for row in json.loads(capsys.readouterr().out)] == [20, 20, None]


def test_seconds_of_locust_begin_with_the_line_before(tmp_path):
    """A line is written at the end of its second; the first one has no user yet. Brute force from Locust's totals."""
    path = SAMPLES / "load_tests" / "python" / "before" / "users_16_run_1.csv"
    found = measured_runs(path)
    assert found[["load", "samples"]].to_numpy().tolist() == [[16, 14]]
    lines = pd.read_csv(path).query("Name == 'Aggregated'").set_index("Timestamp")
    done, start = lines["Total Request Count"] - lines["Total Failure Count"], lines.index[0]
    settled = measured_runs(path, settle=3, until=10)
    assert settled["samples"].tolist() == [7]
    assert settled["throughput_per_s"][0] == pytest.approx((done[start + 10] - done[start + 3]) / 7)
    assert found["throughput_per_s"][0] == pytest.approx(149.9, abs=1)  # 2095 requests in 14 s


def test_the_pause_of_users_is_that_of_their_file():
    """By Little's law users paused as their Locust file says; short runs are measured from a second that is named."""
    settled = curve(SAMPLES / "load_tests" / "python" / "after", settle=3)
    assert settled["steady_runs"].tolist() == [2] * 6
    think = settled["load"] / settled["throughput_per_s"] - settled["response_s"]
    assert think.to_numpy() == pytest.approx(0.1, abs=0.0011)


def test_times_and_counts_that_contradict_each_other_are_told(tmp_path):
    """R X / N of 1.5 cannot be; of 0.5 it is a pause."""
    for response, told in ((0.15, True), (0.05, False)):
        (tmp_path / "runs.csv").write_text(f"users,throughput_per_s,response_s\n1,10,{response}\n2,20,{response}\n")
        notes = " ".join(curve(tmp_path / "runs.csv").attrs["notes"])
        assert ("at 2 of 2 loads the mean response is longer than load / throughput, by up to 50 %" in notes) == told


def test_a_reader_that_is_named_reads_all_files(tmp_path):
    """A report behind sixty lines of a script, where no reader knows it by its first lines."""
    for load in (4, 8, 16):
        report = (SAMPLES / "load_tests" / "nginx" / "before" / f"connections_{load}_run_1.txt").read_text()
        written(tmp_path, "warming up\n" * 60 + report, f"{load}_connections.txt")
    with pytest.raises(UnknownName, match="a file that one reader recognises"):
        curve(tmp_path / "8_connections.txt")
    found = curve(tmp_path, reader="wrk")
    assert found["load"].tolist() == [4, 8, 16]
    assert ab(tmp_path, tmp_path, reader="wrk").tidy()["ratio"].tolist() == [1, 1, 1]
    with pytest.raises(BadTable, match="found text that begins with 'warming up'"):
        ab(tmp_path, tmp_path)


def test_a_load_that_is_a_rate_is_called_so(tmp_path):
    """An open workload has a rate and no users; what the pattern says of it is what the curve, read back, has too."""
    for load in (10, 20):
        name = f"rate_{load}_rps_users_{load}_tps_{load}_rpm_rate_{load}_tps.csv"
        written(tmp_path, f"throughput_per_s\n{load}\n", name)
    second, minute = "requests per second", "requests per minute"
    for pattern, unit in ((r"rate_(\d+)", second), (r"(\d+)_rps", second), (r"_(\d+)_", "users"),
                          (r"(\d+)_rpm", minute), (r"users_(\d+)", "users"), (r"\w+_(\d+)_tps", second)):  # fmt: skip
        found = curve(tmp_path, x_from=pattern)
        assert found["load_unit"].unique().tolist() == [unit]
        one = {"users": "user"}.get(unit, unit.replace("requests", "request"))
        assert tables.user_of(found.reset_index(drop=True)) == one
        assert tables.label("load", one) == unit


def test_steady_reads_what_a_named_reader_reads(tmp_path, capsys):
    """Progress of pgbench behind sixty lines of a script."""
    path = written(tmp_path, "warming up\n" * 60 + (SAMPLES / "pgbench" / "clients_1.txt").read_text(), "log.txt")
    assert main(["steady", str(path)]) == 2
    assert main(["steady", str(path), "--reader", "pgbench", "--show", "glance", "--format", "json"]) == 0
    printed = capsys.readouterr().out
    assert main(["steady", str(SAMPLES / "pgbench" / "clients_1.txt"), "--show", "glance", "--format", "json"]) == 0
    assert capsys.readouterr().out == printed


def test_a_last_second_at_another_load_takes_no_other_point_away(tmp_path):
    """Steps of 10 s: the log ends at another load, in a second that is not whole."""
    starts = [(step, second, k) for step in range(3) for second in range(10) for k in range(2 * (step + 1))]
    rows = [(1700000000000 + 1000 * (10 * step + second) + k, 5, 200, "true", 5 * (step + 1)) for step, second, k in
            starts]  # fmt: skip
    rows += [(1700000030000, 5, 200, "true", 20)]
    log = pd.DataFrame(rows, columns=["timeStamp", "elapsed", "responseCode", "success", "allThreads"])
    log.to_csv(tmp_path / "steps.jtl", index=False)
    found = curve(tmp_path / "steps.jtl")
    assert found[["load", "throughput_per_s"]].to_numpy().tolist() == [[5, 2], [10, 4], [15, 6]]
    assert "steps.jtl: left out: a load of 1 sample, passed through on the way to others" in found.attrs["notes"]


def test_rows_of_different_requests_are_parts_of_one_run(tmp_path):
    """Their total counts, in JMeter's reports too; without one they are refused. A request that comes again repeats."""
    aggregate = (SAMPLES / "jmeter_report" / "synthetic_aggregate.csv").read_text(encoding="utf-8")
    written(tmp_path, aggregate, "10_users.csv")
    written(tmp_path, aggregate.replace("TOTAL", "总体"), "40_users.csv")
    found = measured_runs(tmp_path, failed_share=1)
    assert found[["load", "samples", "failures"]].to_numpy().tolist() == [[10, 1, 309], [40, 1, 309]]
    assert found["throughput_per_s"].tolist() == pytest.approx([98.5 * 0.948] * 2)
    assert found["response_p95_s"].tolist() == [0.25] * 2
    own = "users,endpoint,throughput_per_s,response_ms\n10,/a,50,100\n10,All requests,79,140\n20,/a,90,110\n"
    total = curve(written(tmp_path, f"{own}10,/a,54,100\n10,All requests,81,140\n", "total.csv"))
    assert total[["throughput_per_s", "runs"]].to_numpy().tolist() == [[80, 2], [90, 1]]
    with pytest.raises(
        BadTable, match=r"expected one row for all requests of a run, found 2 \(/a, /b\)\. Give the row"
    ):
        curve(written(tmp_path, f"{own}20,/b,30,200\n", "own.csv"))


@pytest.mark.parametrize(("minutes", "repeats"), [(60, 2), (30, 3), (10, 10), (1, 4)])
def test_rows_of_runs_with_a_date_are_no_samples_of_one(tmp_path, minutes, repeats):
    """Some minutes apart, on two days: as without the column; samples seconds apart are those of one run each."""
    random, loads = np.random.default_rng(minutes), np.repeat([1, 4, 16], repeats)
    runs = pd.DataFrame({"users": loads, "tps": 90.0 * loads**0.9 * random.normal(1, 0.02, len(loads))})
    clock = pd.Timestamp(2026, 3, 2, 9) + pd.to_timedelta(minutes * np.arange(len(loads)), unit="min")
    clock += pd.to_timedelta(np.where(loads > 4, 1, 0), unit="D")
    known = curve(written(tmp_path, runs.to_csv(index=False), "none.csv"))
    for name in ("time", "date", "timestamp"):
        dated = runs.assign(**{name: [each.isoformat() for each in clock]})
        found = curve(written(tmp_path, dated.to_csv(index=False), "dated.csv"))
        pd.testing.assert_frame_equal(found.drop(columns="files"), known.drop(columns="files"))
        assert found.attrs["notes"] == [
            f"dated.csv: its rows are {minutes} minutes apart, so each is taken for a run: no sample of one"
        ]
    samples = runs.loc[np.repeat(runs.index, 30)].assign(time_s=range(30 * len(runs)))
    assert curve(written(tmp_path, samples.to_csv(index=False), "samples.csv"))["runs"].tolist() == [1, 1, 1]


def test_tests_of_different_things_at_one_load_are_refused(tmp_path):
    """redis-benchmark's come one after the other; runs that are numbered are repeats."""
    text = "test,rps,avg_latency_ms\n{},100,0.3\n{},300,0.1\n"
    tests = written(tmp_path, text.format("SET", "GET"), "50_clients.csv")
    with pytest.raises(BadTable, match=r"50_clients\.csv: expected one workload or test at a load, found SET, GET"):
        curve(tests)
    repeats = written(tmp_path, text.format("run 1", "run 2"), "50_clients.csv")
    assert curve(repeats)[["throughput_per_s", "runs"]].to_numpy().tolist() == [[200, 2]]
    jobs = [{"jobname": name, "groupid": k, "read": {"total_ios": 900, "iops": iops, "runtime": 9000, "lat_ns":
             {"mean": 1e6, "max": 9e6, "stddev": 1e5}, "clat_ns": {}}, "write": {"total_ios": 0}}
            for k, (name, iops) in enumerate((("random", 30.0), ("sequential", 40.0)))]  # fmt: skip
    about = {"fio version": "fio-3.33", "global options": {"ioengine": "psync"}}
    fio = written(tmp_path, json.dumps(about | {"jobs": jobs}), "fio.json")
    with pytest.raises(BadTable, match=r"found random, sequential at load 1\. Make a file of each"):
        curve(fio)


@pytest.mark.parametrize(("step", "samples"), [(3600, 13), (-3600, 6)])
def test_a_clock_that_was_set_makes_no_rate(tmp_path, step, samples):
    """An hour to or fro in the middle of a run: what lies over the step is no rate, and is told with its line."""
    name = "users_8_run_1.csv"
    header, *lines = (SAMPLES / "load_tests" / "python" / "before" / name).read_text().splitlines()
    seconds = [line.split(",", 1) for line in lines]
    moved = [f"{int(second) + step * (k >= 14)},{rest}" for k, (second, rest) in enumerate(seconds)]
    (tmp_path / name).write_text("\n".join([header, *moved, ""]))
    found = measured_runs(tmp_path)
    assert found["samples"].tolist() == [samples]
    assert found["throughput_per_s"][0] == pytest.approx(74, abs=1)
    assert "line 16: " in " ".join(found.attrs["notes"])


def test_a_percentile_is_that_of_the_requests_and_not_the_mean_of_the_seconds(tmp_path):
    """5 requests a second: the 95th percentile of all 1,000 is twice the mean of the 200 seconds' own."""
    ends, responses = closed_test(tmp_path / "6_users.jtl", 6, service_s=0.1, seconds=220)
    window = (np.floor(ends) >= np.floor(ends[0]) + 10) & (np.floor(ends) < np.floor(ends[0]) + 210)
    expected = np.percentile(responses[window], 95)
    found = curve(tmp_path, settle=10, until=210).iloc[0]
    assert found["response_p95_s"] == pytest.approx(expected, abs=1e-9)
    assert found["response_p95_of"] == "requests"
    assert 0.02 < found["response_p95_std_error"] / expected < 0.15
    seconds = readers.read(tmp_path / "6_users.jtl").query("10 <= time_s <= 209")
    assert seconds["response_p95_s"].mean() < 0.75 * expected


@pytest.fixture(scope="module")
def generators(tmp_path_factory):
    """A test of 20 users as one log, and as the two logs of its generators."""
    tmp_path = tmp_path_factory.mktemp("generators")
    for name in ("plain", "generators"):
        (tmp_path / name).mkdir()
    plain = tmp_path / "plain" / "run.jtl"
    closed_test(plain, 20, service_s=0.03, seconds=80)
    header, *lines = plain.read_text().splitlines()
    halves = [line.removesuffix("20") + "10" for line in lines]  # each counts its own threads
    for k, of_second in enumerate((False, True), 1):
        own = [line for line in halves if (int(line.split(",")[5].rpartition("-")[2]) > 10) == of_second]
        (tmp_path / "generators" / f"{k}.jtl").write_text("\n".join([header, *own, ""]))
    return tmp_path


def test_generators_of_one_test_are_added_up_and_are_no_repeats(generators):
    expected = curve(generators / "plain").iloc[0]
    assert expected["load"] == 20
    found = curve(generators / "generators", generators="together").iloc[0]
    assert found["files"] == "1.jtl + 2.jtl"
    for name in ("load", "throughput_per_s", "response_s", "response_p95_s", "runs", "failures"):
        assert found[name] == pytest.approx(expected[name], rel=0.01)  # seconds that are whole for both
    assert curve(generators / "generators", generators="apart")["runs"].tolist() == [2]
    named = curve(generators / "generators", generators="together", x_from=r"(\d)\.jtl")
    assert named["load"].tolist() == [1 + 2]


def test_the_logs_of_generators_are_read_once(generators, tmp_path):
    """A pipe has its log once, for the clock and the rows."""
    logs = sorted((generators / "generators").iterdir())
    expected = curve(logs, generators="together")
    paths = [tmp_path / log.name for log in logs]
    for log, path in zip(logs, paths, strict=True):
        os.mkfifo(path)
        threading.Thread(target=path.write_bytes, args=[log.read_bytes()], daemon=True).start()
    pd.testing.assert_frame_equal(curve(paths, generators="together"), expected)


def test_runs_that_overlap_a_little_are_noted_with_their_seconds(tmp_path):
    """The second begins 8 s before the first has ended, the third as the second ends; no two are of one half."""
    for name, users, first in (("old", 8, 0), ("old", 16, 31), ("new", 8, 70), ("new", 16, 200)):
        clock = pd.date_range("2026-11-21T20:00:00Z", periods=40, freq="s") + pd.Timedelta(seconds=first)
        write(
            tmp_path / name / f"{users}_users.csv", noisy(10.0 * users, 40), time=clock.strftime("%Y-%m-%dT%H:%M:%SZ")
        )
    told = "8_users.csv and 16_users.csv ran at the same time for 8 of 39 s: on one server neither had it to itself"
    assert told in notes(curve(tmp_path / "old"))
    assert told in notes(curve(tmp_path / "old", generators="together"))
    assert "same time" not in notes(curve(tmp_path / "old", generators="apart"))
    found = ab(tmp_path / "old", tmp_path / "new")
    assert told in notes(found.before)
    assert "same time" not in notes(found.after)  # one after the other


def test_recordings_that_overlap():
    """More than half of the shorter one is at once; a note names the longest overlap."""
    assert [ran_at_once((0, 10), other) for other in ((5, 15), (4.9, 15), (0, 10), (10, 20), (NAN, NAN))] == [
        False, True, True, False, False,
    ]  # fmt: skip
    clocks = {"a": (0, 60), "b": (50, 110), "c": (109, 140), "d": (30, 45)}
    (note,) = overlapping_clocks_in_words(itertools.combinations(clocks, 2), clocks)
    assert note.startswith("a and d ran at the same time for 15 of 15 s, 1 other pair for no longer: on one server")
    assert overlapping_clocks_in_words([("b", "c")], clocks) == []
    for frame in (pd.DataFrame({"time": [1, 2]}), pd.DataFrame({"x": [1]}), pd.DataFrame({"time": ["soon"]})):
        assert np.isnan(clock_of_recording(frame)).all()


@pytest.mark.parametrize("told", [True, False])
def test_users_that_are_still_being_started_are_no_part_of_their_load(tmp_path, told):
    """100 users, the last of them after 150 of 300 s, on a server that is saturated by 21: exact is a mean of 4.00 s.

    The throughput is level from 26 s on; over all that time the mean response was 3.1 s. Without the users in the file
    the response shows them, which here wanders too much to be called steady.
    """
    path = tmp_path / "100_users.jtl"
    closed_test(path, 100, service_s=0.05, seconds=300, ramp_s=150)
    if not told:
        path.write_text("".join(line.rpartition(",")[0] + "\n" for line in path.read_text().splitlines()))
    found = curve(tmp_path).iloc[0]
    exact = mva([0.05], [100], think_s=1.0)["response_s"].item()
    assert exact == pytest.approx(4.0, abs=0.01)
    assert found["response_s"] == pytest.approx(exact, rel=0.08)
    assert found["steady_runs"] == told
    if told:
        assert abs(found["response_s"] - exact) < 3 * found["response_std_error"]
        phases = loadtests.steady_runs(loadtests.read_run(path)).tidy().set_index("phase")
        assert 120 < phases.loc["steady", "from_s"].item() < 180
    else:
        assert found["reason"].startswith("not steady: the response changes until")


def row_of(values, level=0.95, weights=None):
    """Mean and standard error of batch means, which tests of their own compare with simulations."""
    found = mean_by_batches(np.asarray(values, float), level, weights)
    return found.value, found.std_error


def same_rows(found, expected):
    """Whole rows: every column, numbers to 9 digits, NaN equal to NaN."""
    assert [*map(set, found)] == [*map(set, expected)]
    for row, other in zip(found, expected, strict=True):
        assert {name: pytest.approx(value, rel=1e-9, nan_ok=True) if isinstance(value, float) else value
                for name, value in other.items()} == row  # fmt: skip


TOTALS = {"samples": 1, "steady": math.nan, "in_curve": 1, "reason": "totals, with the beginning of the run"}
EQUAL = "all samples of {} are equal: they give no error"
NO_LOAD, NO_RATE = "left out: no load", "left out: no throughput"


@pytest.mark.parametrize(
    ("columns", "settings", "expected"),
    [
        (
            {"users": [4.0, 8], "response_min": [0.5, NAN], "response_p95_s": [0.0, 0.2], "test_failures": [1.0, 2],
             "test_errors": [3.0, 4]},
            {},
            [{"load": 4.0, "response_s": 30.0, "response_p95_s": 0.0, "response_p95_of": "", "failures": 1.0},
             {"load": 8.0, "response_s": NAN, "response_p95_s": 0.2, "response_p95_of": "requests", "failures": 2.0}],
        ),
        (
            {"users": [4.0, 8], "threads": [1.0, 2], "time_s": [NAN, NAN], "request": ["a", "b"],
             "test_errors": [0.0, 4], "response_s": [1.0, 2], "response_ms": [5.0, 5]},
            {"settings": RunSettings(x="threads")},
            [{"load": 1.0, "response_s": 1.0, "response_p95_s": NAN, "response_p95_of": "", "failures": 0.0},
             {"load": 2.0, "response_s": 2.0, "response_p95_s": NAN, "response_p95_of": "", "failures": 4.0}],
        ),
        (
            {"response_ms": [500.0, 1000]},
            {},
            [{"load": NAN, "response_s": value, "response_p95_s": NAN, "response_p95_of": "", "failures": NAN,
              "in_curve": 0, "reason": NO_LOAD} for value in (0.5, 1.0)],
        ),
        (
            {"users": [4.0, 8], "failures": [0.0, 0.5], "test_failures": [9.0, 9]},
            {"named_load": 3.0},
            [{"load": 3.0, "response_s": NAN, "response_p95_s": NAN, "response_p95_of": "", "failures": value}
             for value in (0.0, 0.5)],
        ),
    ],
)  # fmt: skip
def test_every_column_of_totals(columns, settings, expected):
    """A row for each row of the file, whatever columns it has; a rate a minute is a sixtieth."""
    frame = pd.DataFrame({"notesmark_tpm": [60.0, 120]} | columns)
    expected = [row | {"failed_share": 0.0 if row["failures"] == 0 else NAN} for row in expected]  # of how many?
    rates = [{"throughput_per_s": rate} for rate in (1.0, 2.0)]
    same_rows(rows(frame, "notesmark_tpm", **settings), [TOTALS | a | b for a, b in zip(rates, expected, strict=True)])


STEADY = noisy(50, 60)
RESPONSE = np.tile([10.0, 30, 20], 20)


def timed(values=STEADY, **columns):
    """A sample every 2 s from second 10 on."""
    return pd.DataFrame({"time_s": 10 + 2.0 * np.arange(len(values)), "throughput_tps": values} | columns)


def of_run(values=STEADY, **columns):
    """The row of a steady run of 8 users without responses and failures, with the columns that differ."""
    value, error = row_of(values)
    row = {"load": 8.0, "throughput_per_s": value, "throughput_std_error": error, "failures": NAN, "from_s": 10.0}
    row |= {"to_s": 8.0 + 2 * len(values), "samples": len(values), "steady": 1, "in_curve": 1, "reason": ""}
    row["effective_samples"] = mean_by_batches(np.asarray(values, float), 0.95).effective
    row |= columns
    requests = row["failures"] + 2 * np.sum(values)
    return row | {"failed_share": row["failures"] / requests if requests else NAN}


def quarters(values):
    return float(np.std([part.mean() for part in np.array_split(values, 4)], ddof=1))


LEVEL_99 = RunSettings(settle=50.0, level=0.99)
ARRAYS = [np.array([0.1 * (k % 7), 0.2]) for k in range(60)]
RAMP, SHORT = np.linspace(0.2, 0.4, 60) * STEADY, noisy(50, 19)
GAPS = np.where(np.arange(60) % 10 == 3, NAN, STEADY)
TIMED = {
    "a steady run": (timed(users=8), {}, [of_run()]),
    "no users": (timed(), {}, [of_run(load=NAN, in_curve=0, reason=NO_LOAD)]),
    "empty users": (timed(users=NAN), {}, [of_run(load=NAN, in_curve=0, reason=NO_LOAD)]),
    "a load by its name": (timed(users=8), {"named_load": 3.0}, [of_run(load=3.0)]),
    "nothing delivered": (
        timed(np.zeros(60), users=8, failures=1.0), {},
        [of_run(np.zeros(60), throughput_std_error=NAN, failures=60.0, in_curve=0, steady=0,
                reason=f"{NO_RATE}, all requests failed")],
    ),
    "nothing delivered, and nothing failed": (
        timed(np.zeros(60), users=8, failures=0.0), {},
        [of_run(np.zeros(60), throughput_std_error=NAN, failures=0.0, in_curve=0, steady=0, reason=NO_RATE)],
    ),
    "responses over requests": (
        timed(users=8, response_ms=RESPONSE, response_p95_s=RESPONSE), {},
        [of_run(response_s=row_of(RESPONSE, weights=STEADY)[0] / 1000, response_p95_of="samples",
                response_std_error=row_of(RESPONSE, weights=STEADY)[1] / 1000,
                response_p95_s=row_of(RESPONSE, weights=STEADY)[0],
                response_p95_std_error=row_of(RESPONSE, weights=STEADY)[1])],
    ),
    "responses of requests": (
        timed(users=8, response_p95_s=0.0, responses_s=ARRAYS), {},
        [of_run(response_p95_of="requests", response_p95_s=quantile_by_batches(ARRAYS, 0.95, 0.95).value,
                response_p95_std_error=quantile_by_batches(ARRAYS, 0.95, 0.95).std_error)],
    ),
    "percentiles that are none": (
        timed(users=8, response_p95_s=NAN), {}, [of_run(response_p95_s=NAN, response_p95_std_error=NAN)],
    ),
    "failures a second": (timed(users=8, failures_per_s=[0.3, *[0.1] * 59]), {}, [of_run(failures=12.0)]),
    "failures a second, of samples at one time": (
        timed(users=8, failures_per_s=1.0).assign(time_s=np.repeat(np.arange(20.0), 3)), {},
        [of_run(failures=NAN, from_s=0.0, to_s=19.0)],
    ),
    "empty failures a second": (timed(users=8, failures_per_s=NAN), {}, [of_run()]),
    "counts before rates": (timed(users=8, failures_per_s=1.0, test_errors=2.0), {}, [of_run(failures=120.0)]),
    "samples without a number": (
        timed(GAPS, users=8, response_s=1.0), {},
        [of_run(STEADY[~np.isnan(GAPS)], to_s=128.0, response_s=1.0, response_std_error=NAN,
                reason=f"6 rows without a number left out; {EQUAL.format('response_s')}")],
    ),
    "threads for users": (timed(users=8, threads=5), {"settings": RunSettings(x="threads")}, [of_run(load=5.0)]),
    **{
        f"users from 100 to {most}, {named}": (
            timed(users=np.r_[most, np.linspace(100, most, 58), most]),
            {"settings": RunSettings(settle=0), "named_load": named},
            [of_run(load=named or 100 + 29.5 / 57 * (most - 100),
                    reason="; ".join([f"fewer users in {out} samples of it", *varies]))],
        )
        for most, named, out, varies in (
            (106.0, None, 47, ["loads from 100 to 106"]), (106.0, 3.0, 47, []), (105.0, None, 46, [])
        )
    },
}  # fmt: skip


@pytest.mark.parametrize("name", TIMED)
def test_every_column_of_a_run_of_samples(name):
    """The whole row, with the errors of batch means over the samples or over the requests."""
    frame, settings, expected = TIMED[name]
    found = rows(frame, "throughput_tps", **settings)
    same_rows(found, expected)


def test_the_error_of_a_run_that_is_not_steady():
    """The spread between its quarters, after the ramp-up; of fewer than four samples there are none."""
    (row,) = rows(timed(RAMP, users=8), "throughput_tps")
    assert row["steady"] == 0
    assert row["throughput_per_s"] == pytest.approx(RAMP.mean())
    assert row["throughput_std_error"] == pytest.approx(quarters(RAMP))
    assert row["reason"].startswith("not steady: it keeps rising from ")
    assert [row[name] for name in ("from_s", "to_s", "samples")] == [10, 128, 60]
    (row,) = rows(timed(SHORT, users=8), "throughput_tps")
    assert row["reason"] == "not steady: cannot tell: 19 samples, at least 20 are needed"
    assert row["throughput_std_error"] == pytest.approx(max(quarters(SHORT), row_of(SHORT)[1]))
    for count in (3, 4):
        values = np.arange(count) + 1.0
        (row,) = rows(timed(values, users=8).assign(notesmark_tpm=60 * values), "notesmark_tpm")
        assert row["throughput_std_error"] == pytest.approx(quarters(values) if count == 4 else NAN, nan_ok=True)
    (row,) = rows(timed(RAMP, users=8), "throughput_tps", settings=RunSettings(settle=30, until=101))
    part = RAMP[15:51]
    assert (row["steady"], row["from_s"], row["to_s"], row["samples"]) == (0, 40, 110, 36)
    assert row["throughput_std_error"] == pytest.approx(quarters(part))
    assert row["reason"].startswith("not steady: It drifts: the change over the window of 70 s lies between +")
    assert not row["reason"].endswith(".")
    (row,) = rows(timed(users=8), "throughput_tps", settings=LEVEL_99)
    assert (row["steady"], row["throughput_std_error"]) == (1, pytest.approx(row_of(STEADY[25:])[1]))
    climb = np.r_[np.linspace(1, 50, 20), noisy(50, 60) * np.linspace(1, 1.5, 60)]
    (row,) = rows(timed(climb, users=8), "throughput_tps")
    phases = loadtests.steady_state(timed(climb)).tidy()
    assert phases["phase"].tolist()[0] == "ramp-up"
    assert row["from_s"] == phases["from_s"][1]
    assert row["samples"] == phases["samples"][1:].sum()


def steps(*held):
    """A stepped test: loads, each held for so many samples a second."""
    users = np.repeat([load for load, _ in held], [count for _, count in held]).astype(float)
    return pd.DataFrame({"time_s": np.arange(len(users)) * 1.0, "users": users, "throughput_tps": 10 * users})


@pytest.mark.parametrize(
    ("held", "settings", "expected"),
    [
        ([(8, 20), (16, 19), (32, 20)], {}, [(8, 20, 1, ""), (16, 19, 0, "passed"), (32, 20, 1, "")]),
        ([(8, 19), (16, 18)], {}, [(8, 19, 0, "not steady"), (16, 18, 0, "not steady")]),
        ([(8, 5), (16, 40)], {"settle": 5}, [(8, 0, 0, "no sample at load 8 from 5 s on"), (16, 35, 1, "")]),
        ([(8, 4), (16, 40)], {"settle": 4}, [(16, 36, 1, "")]),
        ([(8, 40), (16, 5)], {"settle": 5}, [(8, 35, 1, ""), (16, 0, 0, "no sample at load 16 from 5 s on")]),
        ([(8, 40), (16, 40)], {"settle": 20, "until": 40}, [(8, 20, 1, ""), (16, 20, 1, "")]),
    ],
)
def test_the_loads_of_a_stepped_test(held, settings, expected):
    """Which are runs, and why others are none: 20 samples at least where one has them; 5 seen at all to be told."""
    found = rows(steps(*held), "throughput_tps", settings=RunSettings(**settings))
    equal = EQUAL.format("throughput_per_s")
    why = {"passed": "left out: a load of 19 samples, passed through on the way to others", "": equal}
    for row, (load, samples, steady, reason) in zip(found, expected, strict=True):
        assert (row["load"], row["samples"], row["steady"]) == (load, samples, steady)
        if reason == "not steady":
            assert (row["reason"], row["in_curve"]) == (
                f"not steady: cannot tell: {samples} samples, at least 20 are needed; {equal}", 1,
            )  # fmt: skip
        else:
            left_out = "left out: " * reason.startswith("no sample")
            assert row["reason"] == why.get(reason, f"{left_out}{reason}")
            assert row["in_curve"] == (reason == "")
        if not row["in_curve"]:
            assert {*row} == {"load", "samples", "steady", "in_curve", "reason"}


def test_seconds_without_a_sample_are_refused():
    for settings, said in (({"settle": 89.5}, "from 89.5 s on"), ({"settle": 0.5, "until": 1}, "from 0.5 to 1 s")):
        with pytest.raises(BadTable) as caught:
            rows(
                timed(users=8).assign(time_s=np.linspace(10, 99, 60)),
                "throughput_tps",
                settings=RunSettings(**settings),
            )
        assert str(caught.value) == (
            f"settle=..., until=...: expected samples {said}, found runs of 89 s at most. Give seconds with samples."
        )


def folder_of(tmp_path, **texts):
    """A folder of small files, by their names."""
    for name, text in texts.items():
        path = tmp_path / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


UNTIMED = (
    "{0} rows without a time are taken for runs that are independent of each other; if they are samples of one run, "
    "the errors are too small: call the column of their times time_s"
)
NOT_AGAIN = "no load was run again: the errors do not know how runs differ from each other"
ONE_LOAD = "one load only: a law needs runs at three different loads or more"
TOTAL = "totals, with the beginning of the run"


def test_a_curve_of_totals_in_all_its_columns(tmp_path):
    """Loads 1 and 2 of two files: means, failures, errors by the repeats of load 1, files, reasons, notes.

    One repeated load does not tell whether errors are the same at both, as a power of the load or as the users that
    wait, 66 and 60 %.
    """
    texts = {"b.csv": "1,10,0.05,0.2,0\n2,20,0.06,0,\n", "a.csv": "1,12,0.07,0.4,2\n4,0,,,3\n"}
    head = "users,throughput_per_s,response_s,response_p95_s,failures\n"
    folder = folder_of(tmp_path, **{f"{name}": head + text for name, text in texts.items()})
    found = curve(folder)
    pooled = variances_by_likelihood([1.0, 2], [[10, 12], [20]], np.array([0.66, 0.6]))
    expected = pd.DataFrame({
        "load": [1.0, 2], "throughput_per_s": [11.0, 20],
        "throughput_std_error": np.sqrt(pooled / [2, 1]) * [11, 20],
        "response_s": [0.06, 0.06], "response_std_error": [0.01, math.sqrt(2) / 6 * 0.06],
        "response_p95_s": [0.3, 0.0], "response_p95_std_error": [0.1, NAN], "response_p95_of": ["requests", ""],
        "failures": [2.0, NAN], "failed_share": [0.0, NAN], "failed_load": [4.0, 4.0],
        "runs": [2, 1], "steady_runs": [NAN, NAN], "throughput_dof": [1, 1],
        "files": ["a.csv; b.csv", "b.csv"], "load_unit": ["users"] * 2, "reason": [TOTAL] * 2,
    })  # fmt: skip
    pd.testing.assert_frame_equal(found, expected, check_dtype=False)
    uncounted = (
        "a.csv: requests failed at load 1, but it is not told of how many, so what succeeded is taken for the "
        "throughput there; a column requests, test_time_s or failed_share would tell"
    )
    assert found.attrs == {"user": "user", "notes": [uncounted, "a.csv: left out: no throughput, all requests failed"]}
    runs = measured_runs(folder)
    assert [*runs] == [
        "file", "load", "throughput_per_s", "throughput_std_error", "response_s", "response_std_error",
        "response_p95_s", "response_p95_std_error", "response_p95_of", "failures", "failed_share", "from_s", "to_s",
        "samples", "effective_samples", "steady", "in_curve", "reason",
    ]  # fmt: skip
    nan = [NAN] * 4
    expected = pd.DataFrame({
        "file": ["a.csv"] * 2 + ["b.csv"] * 2, "load": [1.0, 4, 1, 2], "throughput_per_s": [12.0, 0, 10, 20],
        "throughput_std_error": nan, "response_s": [0.07, NAN, 0.05, 0.06], "response_std_error": nan,
        "response_p95_s": [0.4, NAN, 0.2, 0], "response_p95_std_error": nan,
        "response_p95_of": ["requests", "", "requests", ""], "failures": [2, 3, 0, NAN],
        "failed_share": [NAN, NAN, 0, NAN], "from_s": nan, "to_s": nan,
        "samples": [1] * 4, "effective_samples": nan, "steady": nan, "in_curve": [1, 0, 1, 1],
        "reason": [TOTAL, "left out: no throughput, all requests failed", TOTAL, TOTAL],
    })  # fmt: skip
    pd.testing.assert_frame_equal(runs, expected, check_dtype=False)
    assert runs.attrs == {"user": "user", "notes": found.attrs["notes"], "clocks": {}, "failed": [(4.0, "a.csv")]}


FAILED_AT_32 = "94 % of the requests at load 32 failed, more than 1 %"


def runs_that_fail():
    """Totals as a tool writes them: at 16 users 0.5 % failed, at 32 94 %; what succeeded is the throughput."""
    rows = {
        "users": [1, 4, 16, 32],
        "throughput_per_s": [100, 380, 900, 950],
        "response_s": [0.01, 0.0105, 0.017, 0.03],
    }
    share = np.array([0, 0, 0.005, 0.94])
    requests = np.round(60 * np.array(rows["throughput_per_s"]) / (1 - share))
    return pd.DataFrame(rows | {"requests": requests, "failures": np.round(share * requests), "test_time_s": 60.0})


def test_a_load_that_failed_is_no_point_of_the_curve(tmp_path, capsys):
    """By one rule for curve and plan --curve, with a note; what a load-test tool counts as failed is no throughput."""
    runs_that_fail().to_csv(tmp_path / "runs.csv", index=False)
    found = curve(tmp_path / "runs.csv")
    assert found["load"].tolist() == [1, 4, 16]
    assert found["failed_share"].tolist() == pytest.approx([0, 0, 0.005], abs=1e-5)
    assert found["failed_load"].tolist() == [32] * 3
    assert f"runs.csv: left out: {FAILED_AT_32}" in found.attrs["notes"]
    assert measured_runs(tmp_path / "runs.csv")["in_curve"].tolist() == [1, 1, 1, 0]
    assert curve(tmp_path / "runs.csv", failed_share=0.95)["load"].tolist() == [1, 4, 16, 32]
    assert main(["curve", str(tmp_path / "runs.csv"), "--failed-share", "95%", "--format", "csv"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 5
    with pytest.raises(BadTable, match=r"failed_share=.*: expected a share from 0 to 1, found 95"):
        curve(tmp_path / "runs.csv", failed_share=95)
    rates = runs_that_fail().drop(columns=["requests", "test_time_s", "failures"])
    for column, values in (("Error %", [0, 0, 0.5, 94]), ("failures_per_s", [0, 0, 4.5, 950 * 0.94 / 0.06])):
        rates.assign(**{column: values}).to_csv(tmp_path / "rates.csv", index=False)
        assert curve(tmp_path / "rates.csv")["load"].tolist() == [1, 4, 16], column


def test_a_load_at_which_every_request_failed_is_one_that_failed(tmp_path):
    """A node was planned for the 32 users of the law, where at 20 not one request succeeded."""
    rows = [(1, 100, 0.01, 0), (4, 380, 0.0105, 0), (16, 900, 0.017, 0), (20, 0, "", 6000)]
    text = "users,throughput_per_s,response_s,test_failures\n" + "".join(f"{','.join(map(str, row))}\n" for row in rows)
    (tmp_path / "runs.csv").write_text(text, encoding="utf-8")
    found = curve(tmp_path / "runs.csv")
    assert found["load"].tolist() == [1, 4, 16]
    assert found["failed_load"].tolist() == [20] * 3
    assert planning.node_count(found, 3000, response_s=1).tidy()["load"].item() <= 20


def test_words_of_ours_with_another_meaning_in_a_load_test(tmp_path):
    """`failed` are requests; `mean` tells no unit, which is said; a share of failed requests is no more than all."""
    runs = runs_that_fail().rename(columns={"failures": "failed", "response_s": "mean"}).assign(server="a")
    runs.to_csv(tmp_path / "runs.csv", index=False)
    found = curve(tmp_path / "runs.csv")
    assert (found["load"].tolist(), found["response_s"].notna().any()) == ([1, 4, 16], False)
    assert "runs.csv: columns left out, as they are not mapped: mean" in found.attrs["notes"]
    assert FAILED_AT_32 in str(fit("usl", tmp_path / "runs.csv", x="users", y="throughput_per_s"))
    runs_that_fail().to_csv(tmp_path / "plain.csv", index=False)
    nodes = [planning.node_count(tmp_path / name, 3000).nodes for name in ("runs.csv", "plain.csv")]
    assert nodes[0] == nodes[1]
    assert readers.read(tmp_path / "runs.csv")["system"].tolist() == ["a"] * 4
    for percent in (400, -1):
        shares = runs_that_fail()[["users", "throughput_per_s"]].assign(**{"Error %": percent})
        shares.to_csv(tmp_path / "shares.csv", index=False)
        with pytest.raises(BadTable, match=f"line 2: .* from 0 to 100 % in column 'Error %', found {percent} %"):
            curve(tmp_path / "shares.csv")


def test_a_run_that_failed_takes_its_load_with_it(tmp_path):
    """Three runs of a load, one of which failed: to keep the others would be to choose those that went well."""
    runs = pd.concat([runs_that_fail(), runs_that_fail().assign(failures=0)])
    runs.to_csv(tmp_path / "runs.csv", index=False)
    found = curve(tmp_path / "runs.csv")
    assert found["load"].tolist() == [1, 4, 16]
    assert "runs.csv: left out: another run of load 32 failed" in found.attrs["notes"]
    runs_that_fail().tail(1).to_csv(tmp_path / "runs.csv", index=False)
    with pytest.raises(BadTable, match=f"found {FAILED_AT_32}.*failed_share=SHARE"):
        curve(tmp_path / "runs.csv")
    both = [runs_that_fail(), runs_that_fail().assign(throughput_per_s=lambda runs: 0.9 * runs["throughput_per_s"])]
    for name, runs in zip(("before", "after"), both, strict=True):
        pd.concat([runs, runs]).to_csv(tmp_path / f"{name}.csv", index=False)
    compared = ab(tmp_path / "before.csv", tmp_path / "after.csv")  # what succeeded is compared at every load
    assert compared.tidy()["load"].tolist() == [1, 4, 16, 32]


WRK = "Running 1s test @ x\n  1 threads and {0} connections\n  {1}00 requests in 1.00s, \nRequests/sec: {1}00.0\n"
PROGRESS = "progress: {0}.0 s, {1}.0 tps, lat 5.000 ms stddev 1.000\n"
SUMMARY = "transaction type: x\nnumber of clients: {0}\nnumber of transactions actually processed: 9\ntps = {1}\n"


def progress(clients, rate, count):
    return "".join(PROGRESS.format(k + 1, rate + k % 2) for k in range(count)) + f"number of clients: {clients}\n"


SAMPLED = "left out: this load is read from the files of pgbench, of the same tool"
SUMMED = "left out: this load is read from the files of pgbench_summary, of the same tool"
OF_WRK = "left out: a run of csv, as most are of wrk"


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (
            {"w4": WRK.format(4, 1), "w8": WRK.format(8, 2), "c.csv": "users,throughput_per_s\n4,9\n0,3\n"},
            [("c.csv", 4, OF_WRK), ("c.csv", 0, "left out: a load of 0"), ("w4", 4, TOTAL), ("w8", 8, TOTAL)],
        ),
        (
            {"p4": progress(4, 50, 30), "s4": SUMMARY.format(4, 40), "s8": SUMMARY.format(8, 60)},
            [("p4", 4, EQUAL.format("response_s")), ("s4", 4, SAMPLED), ("s8", 8, TOTAL)],
        ),
        (
            {"p4": progress(4, 50, 2), "s4": SUMMARY.format(4, 40), "t4": SUMMARY.format(4, 60)},
            [("p4", 4, "not steady: cannot tell: 2 samples, at least 20 are needed"), ("s4", 4, SAMPLED),
             ("t4", 4, SAMPLED)],
        ),
        (
            {"p4": progress(4, 50, 1), "s4": SUMMARY.format(4, 40), "t4": SUMMARY.format(4, 60)},
            [("p4", 4, SUMMED), ("s4", 4, TOTAL), ("t4", 4, TOTAL)],
        ),
    ],
)  # fmt: skip
def test_which_runs_of_a_tool_are_taken(tmp_path, texts, expected):
    """The tool of most runs; of a load that is in two kinds of its files the samples, else those of more runs."""
    runs = measured_runs(folder_of(tmp_path, **texts))
    assert runs[["file", "load", "reason"]].to_numpy().tolist() == [[*row] for row in expected]
    assert runs["in_curve"].tolist() == [int(not reason.startswith("left out")) for *_, reason in expected]


def test_runs_of_as_many_runs_of_two_tools_are_refused(tmp_path):
    folder = folder_of(
        tmp_path, w4=WRK.format(4, 1), a=SUMMARY.format(4, 1), b=SUMMARY.format(8, 1), w8=WRK.format(8, 1)
    )
    with pytest.raises(BadTable) as caught:
        curve(folder)
    assert str(caught.value) == (
        "a and 3 others: expected runs of one tool, found 2 runs of pgbench, 2 runs of wrk. "
        "Name the files of one of them; a pattern will do: 'runs/*.jtl'."
    )


SHOW = "Name files with a throughput and a load; `read(FILE)` shows what is read of one."
SERVER = "Look at the server's errors first: requests that fail are no throughput."


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (
            {"a.csv": "users,throughput_per_s,failures\n4,0,9\n"},
            ("a.csv", "no throughput, all requests failed", SERVER),
        ),
        ({"a.csv": "users,throughput_per_s,failures\n0,5,9\n"}, ("a.csv", "a load of 0", SHOW)),
        ({"x__b.csv": "users,throughput_per_s\n0,5\n", "x__c.csv": "", "x__d.csv": "a"},
         ("b.csv and 2 others", "an empty one", "Look whether the recording has run.")),
    ],
)  # fmt: skip
def test_the_message_where_nothing_was_measured(tmp_path, texts, expected):
    """Why the first run is no point of a curve, or the first error of a file; and what to do about it."""
    with pytest.raises(BadTable) as caught:
        curve(folder_of(tmp_path, **texts))
    where, found, remedy = expected
    assert (caught.value.where, caught.value.found, caught.value.remedy) == (where, found, remedy)
    assert caught.value.expected == "a run with a load and a throughput"


LEFT = "columns left out, as they are not mapped: speed"
OF_TABLE = (
    "Say which column is one, with its unit: mapping={'COLUMN': 'throughput_per_s[1/s]'}. To fit the columns as they "
    "are: `fit(usl, FILE, x=..., y=...)`."
)
NO_TABLE = "Leave it out: a curve is made of load tests."


@pytest.mark.parametrize(
    ("name", "text", "found", "remedy"),
    [
        ("a.csv", "users,speed,line\n4,1,7\n", f"numbers of users alone; {LEFT}", OF_TABLE),
        ("a", "Percentage served,Time in ms\n50,1\n95,2\n", "numbers of response_median_s, response_p95_s alone",
         NO_TABLE),
    ],
)  # fmt: skip
def test_the_message_of_a_file_without_a_throughput(tmp_path, name, text, found, remedy):
    with pytest.raises(BadTable) as caught:
        curve(folder_of(tmp_path, **{name: text}))
    error = caught.value
    assert (error.where, error.expected, error.found, error.remedy) == (
        str(tmp_path / name), "a throughput", found, remedy,
    )  # fmt: skip


def test_a_table_of_requests_says_what_to_do(tmp_path):
    text = "time_s,response_s,users\n0.1,0.2,4\n0.3,0.2,4\n"
    with pytest.raises(BadTable, match="Where each row is a request, write a row per second with how many there were"):
        curve(folder_of(tmp_path, **{"a.csv": text}))


def test_the_throughput_is_the_first_column_that_has_values(tmp_path):
    text = "users,throughput_per_s,throughput_tps,requests_per_s\n4,,7,9\n8,,8,9\n"
    assert curve(folder_of(tmp_path, **{"a.csv": text}))["throughput_per_s"].tolist() == [7, 8]


def test_notes_of_several_files_in_their_order(tmp_path):
    """A note that several files have is told once; columns without values are not told; then what is odd about all."""
    rows = "".join(f"{k},{10 + k % 2},0.5,\n" for k in range(30))
    head = "time_s,throughput_per_s,response_p95_s,response_s,speed\n"
    texts = {f"x__c{load}_a.csv": head + rows.replace(",\n", ",,1\n") for load in (4, 8)}
    texts["y__c4_b.csv"] = "throughput_per_s\n3\n4\n"
    texts["y__z.csv"] = "time_s,throughput_per_s\n0,1\n"
    found = curve(folder_of(tmp_path, **texts))
    assert found["files"].tolist() == ["x/c4_a.csv; y/c4_b.csv", "x/c8_a.csv"]
    remedy = "expected a load, found none in the file or its name"
    assert found.attrs["notes"] == [
        f"x/c4_a.csv and 1 other: {LEFT}",
        f"y/c4_b.csv: {UNTIMED.format(2)}",
        f"y/z.csv: left out: {remedy}",
        "x/c4_a.csv and 1 other: there are no single requests, so the 95th percentile is the mean of the "
        "percentiles of the samples; that of all requests is mostly longer",
        "the 3 runs at load 4 have from 3 to 10.5 per second. If each was a test at a rate of its own, say which load "
        "each file has: by its name (x_from=PATTERN) or in a table (manifest=TABLE)",
    ]
    assert curve(tmp_path / "x" / "c4_a.csv").attrs["notes"] == [
        f"c4_a.csv: {LEFT}",
        "c4_a.csv: there are no single requests, so the 95th percentile is the mean of the percentiles of the samples; "
        "that of all requests is mostly longer",
        ONE_LOAD,
        NOT_AGAIN,
    ]


def test_a_load_of_files_at_once_is_refused_in_words(tmp_path):
    clock = pd.date_range("2026-11-21T20:00:00Z", periods=60, freq="s").strftime("%Y-%m-%dT%H:%M:%SZ")
    for seed, name in enumerate(("a_8_users", "b_8_users", "c_9_users")):
        write(tmp_path / f"{name}.csv", noisy(50, 60, seed), time=clock)
    with pytest.raises(BadTable) as caught:
        curve(tmp_path)
    assert str(caught.value) == (
        "a_8_users.csv and b_8_users.csv: expected runs of a load one after the other, found two of 8 that ran at the "
        "same time. Say generators='together', if they are the load generators of one test, to be added up; or "
        "generators='apart', if each tested a system of its own. Leave one out, if both are of one run."
    )
    (tmp_path / "b_8_users.csv").unlink()
    found = measured_runs(tmp_path)
    assert found.attrs["clocks"] == {f"{name}.csv": (1795291200.0, 1795291259.0) for name in ("a_8_users", "c_9_users")}
    assert found.attrs["notes"][0] == (
        "a_8_users.csv and c_9_users.csv ran at the same time for 59 of 59 s: on one server neither had it to itself "
        "then. Run one after the other, or leave these seconds out (settle, until); if each tested a system of its "
        "own, say generators='apart'; if they are load generators of one test, generators='together'"
    )


def test_repeats_of_loads_by_brute_force():
    """Six loads of one to four runs, some without errors, responses or percentiles: every number of the curve."""
    random, count = np.random.default_rng(3), 15
    runs = pd.DataFrame({"load": np.repeat([1.0, 2, 3, 4, 5, 6], [1, 2, 3, 4, 3, 2])})
    for name, scale in (("throughput_per_s", 100), ("response_s", 0.002), ("response_p95_s", 0.005)):
        error = name.removesuffix("_per_s").removesuffix("_s") + "_std_error"
        runs[name] = scale * (1 + 0.1 * random.standard_normal(count))
        runs[error] = scale * random.uniform(0, 0.2, count)
    runs.loc[[4, 9], "throughput_std_error"] = NAN
    runs.loc[[2, 3, 4, 5], "response_s"] = NAN
    runs.loc[13, ["response_std_error", "throughput_std_error"]] = NAN, 0.0
    few = (np.arange(count) % 4 == 0).astype(int)  # too few repeats are steady to do without the others
    runs = runs.assign(steady=few, failures=np.where(np.arange(count) % 2, NAN, 1.0))
    runs = runs.assign(file=[f"f{k // 2}" for k in range(count)], reason=["", "a", "b"] * 5, response_p95_of="requests")
    runs.loc[7, "response_p95_of"] = "samples"
    found = curve_of_runs(runs)
    of_loads = dict(iter(runs.groupby("load")))

    def pooled_of(name):
        values = [part[name if name in part else f"{name}_s"].dropna().to_numpy() for part in of_loads.values()]
        repeats = [each for each in values if len(each) > 1]
        of_all = sum((len(each) - 1) * np.var(each, ddof=1) / each.mean() ** 2 for each in repeats)
        return of_all / sum(len(each) - 1 for each in repeats)

    pooled = variances_by_likelihood([*of_loads], [part["throughput_per_s"] for part in of_loads.values()])
    for row, (load, part), among_runs in zip(found.to_dict("records"), of_loads.items(), pooled, strict=True):
        rate, own = part["throughput_per_s"].to_numpy(), part["throughput_std_error"].to_numpy()
        variance = [max(each**2 if each == each else 0, among_runs * rate.mean() ** 2) for each in own]
        weight = 1 / np.array(variance)
        weight /= weight.sum()
        expected = {"load": load, "throughput_per_s": weight @ rate, "load_unit": "users", "runs": len(part)}
        expected["throughput_std_error"] = math.sqrt(weight**2 @ variance)
        expected["throughput_dof"] = 9
        for name in ("response", "response_p95"):
            values, errors = part[f"{name}_s"].to_numpy(), part[f"{name}_std_error"].to_numpy()
            known = ~np.isnan(values)
            expected[f"{name}_s"] = weight[known] @ values[known] / weight[known].sum() if known.any() else NAN
            among = pooled_of(name) * expected[f"{name}_s"] ** 2
            shares = weight[known] / weight[known].sum() if known.any() else weight[known]
            of_mean = math.sqrt(shares**2 @ np.fmax(errors[known] ** 2, among))
            expected[f"{name}_std_error"] = of_mean if known.any() else NAN
        expected |= {
            "steady_runs": part["steady"].sum(),
            "failures": NAN if part["failures"].isna().all() else part["failures"].sum(),
        }
        expected |= {
            "files": "; ".join(sorted({*part["file"]})),
            "reason": "; ".join(dict.fromkeys(filter(None, part["reason"]))),
        }
        expected["response_p95_of"] = "samples" if load == 4 else "requests"
        expected |= {"failed_share": NAN, "failed_load": NAN}
        same_rows(
            [row], [{name: float(each) if isinstance(each, np.floating) else each for name, each in expected.items()}]
        )
    [note] = found.attrs["notes"]  # the responses and rates are drawn without each other
    assert note.startswith("at 6 users each seems to pause 0.06373 s, at fewer 0.006482 s")


def log_of_requests(users, began, responses, **attrs):
    """A frame of a log of requests: arrays of response times from a second on, a row a second."""
    seconds = pd.date_range("2026-11-21T20:00:00Z", periods=99, freq="s")[began:][: len(responses)]
    frame = pd.DataFrame({"time": seconds.strftime("%Y-%m-%dT%H:%M:%SZ"), "users": float(users), "failures": 1.0})
    frame = frame.assign(
        throughput_per_s=[float(len(each)) for each in responses], line=np.arange(len(responses)) + began
    )
    frame["responses_s"] = [np.array(each, float) for each in responses]
    frame.attrs = {"reader": "jmeter", "notes": ["odd"], "user": "user"} | attrs
    return frame


def test_requests_of_generators_added_up_by_hand():
    """Two seconds that both ran in: users, failures and requests are sums, response times those of all requests."""
    one, two = (
        log_of_requests(3, 0, [[9], [1, 2], [3]]),
        log_of_requests(4, 1, [[3, 5], [4], [8]], notes=["odd", "even"]),
    )
    whole = requests_added_up([one, two], "x")
    percentiles = [np.percentile(each, [50, 95, 99]) for each in ([1, 2, 3, 5], [3, 4])]
    expected = pd.DataFrame({
        "time": ["2026-11-21T20:00:01Z", "2026-11-21T20:00:02Z"], "time_s": [0.0, 1], "users": [7.0, 7],
        "failures": [2.0, 2], "throughput_per_s": [4.0, 2], "line": [1, 2], "response_s": [2.75, 3.5],
        "response_median_s": [2.5, 3.5], "response_p95_s": [each[1] for each in percentiles],
        "response_p99_s": [each[2] for each in percentiles], "response_max_s": [5.0, 4],
    })  # fmt: skip
    assert [each.tolist() for each in whole.pop("responses_s")] == [[1, 2, 3, 5], [3, 4]]
    pd.testing.assert_frame_equal(whole, expected)
    assert whole.attrs == {
        "reader": "jmeter", "user": "user",
        "notes": ["odd", "even", "2 load generators added up; 2 seconds in which not all of them ran left out"],
    }  # fmt: skip
    same = requests_added_up([one, one], "x")
    assert same.attrs["notes"][-1] == "2 load generators added up"
    assert same["users"].tolist() == [6, 6, 6]
    empty = requests_added_up([log_of_requests(NAN, 0, [[], [1]]), log_of_requests(NAN, 0, [[], [3]])], "x")
    assert (empty["users"].isna().all(), empty["response_s"].isna().tolist()) == (True, [True, False])
    unknown = one.assign(throughput_per_s=[NAN, 2, 1])
    assert requests_added_up([one, unknown], "x")["throughput_per_s"].fillna(-1).tolist() == [-1, 4, 2]
    assert requests_added_up([one], "x") is one


@pytest.mark.parametrize(
    ("other", "expected", "found", "remedy"),
    [
        (log_of_requests(1, 9, [[1]]), "load generators that ran at the same time", "no such second",
         "Give the files of one test alone."),
        (log_of_requests(1, 0, [[1]]).rename(columns={"throughput_per_s": "throughput_tps"}),
         "logs of single requests of one tool", "jmeter",
         "Add them up yourself, or give the logs of their single requests."),
        (log_of_requests(1, 0, [[1]], reader="wrk").drop(columns="responses_s"), "logs of single requests of one tool",
         "jmeter and wrk", "Add them up yourself, or give the logs of their single requests."),
    ],
)  # fmt: skip
def test_logs_that_cannot_be_added_up(other, expected, found, remedy):
    with pytest.raises(BadTable) as caught:
        requests_added_up([log_of_requests(3, 0, [[9], [1, 2], [3]]), other], "a + b")
    assert str(caught.value) == f"a + b: expected {expected}, found {found}. {remedy}"


def test_the_files_of_each_test():
    """C joins A and B, which do not overlap; D ran later; what cannot be read, and what has no clock, is by itself."""
    frames = {
        "a": log_of_requests(1, 0, [[1]] * 10), "b": log_of_requests(1, 20, [[1]] * 10),
        "c": log_of_requests(1, 3, [[1]] * 26), "d": log_of_requests(1, 60, [[1]] * 9),
        "none": pd.DataFrame({"time": [1.0]}),
    }  # fmt: skip

    def read(logs):
        if logs[0] not in frames:
            raise (OSError if logs[0] == "gone" else BadTable("x", expected="y", found="z", remedy=""))
        return frames[logs[0]]

    names = ["a", "gone", "b", "d", "none", "c", "broken"]
    files = [[(name, [name])] for name in names]
    found = [[name for name, _ in test] for test in load_generators.tests_of_generators(files, read)]
    assert found == [["gone"], ["d"], ["none"], ["a", "b", "c"], ["broken"]]


def test_two_machines_are_no_curve(tmp_path):
    """Their mean is of neither: refused with their names, and how to take one; one machine, named in each row, is."""
    path = tmp_path / "my.csv"
    rows = pd.DataFrame({"machine": ["A"] * 4 + ["B"] * 4, "threads": [1, 2, 4, 8] * 2, "tps": range(100, 900, 100)})
    rows.to_csv(path, index=False)
    with pytest.raises(BadTable, match="expected runs of one machine, found 2 \\(A, B\\)"):
        curve(path)
    rows.iloc[:4].to_csv(path, index=False)
    assert curve(path)["throughput_per_s"].tolist() == [100, 200, 300, 400]
    rows.drop(columns="machine").assign(processors=[2] * 4 + [4] * 4).to_csv(path, index=False)
    with pytest.raises(BadTable, match=r"column processors: expected runs of one machine, found 2 \(2, 4\)"):
        curve(path)
    assert curve(path, x="processors")["load"].tolist() == [2, 4]
    rows.rename(columns={"machine": "build"}).to_csv(path, index=False)
    with pytest.raises(BadTable, match=r"column build: expected runs of one build, found 2 \(A, B\)"):
        curve(path)


def test_a_ramp_says_that_it_is_one_and_what_to_do(tmp_path, capsys):
    """As k6 stages, a spawn rate of Locust or a long ramp-up of JMeter give it, if the load is held nowhere."""
    users = np.repeat(np.arange(1, 161), 3)
    path = write(tmp_path / "ramp.csv", 2 * users * (1 + 0.01 * np.sin(users)), users=users)
    told = "a ramp, whose load changes throughout, is one row: hold each load for a minute or longer, in steps"
    found = curve(path)
    assert found["load"].tolist() == [80.5]
    assert f"ramp.csv: loads from 1 to 160: {told}" in notes(found)
    for words in (["plan", "--rate", "100", "--curve"], ["fit", "usl"]):
        found.to_csv(tmp_path / "curve.csv", index=False)
        assert main([*words, str(tmp_path / "curve.csv")]) == 2
        assert told[1:] in capsys.readouterr().err
    held = write(tmp_path / "held.csv", noisy(300.0, 400), users=np.r_[np.arange(1, 101), np.full(300, 100)])
    assert "ramp, whose" not in notes(curve(held))


def test_the_rows_of_one_machine_are_a_curve(tmp_path):
    """As in a file by itself: samples whose clock begins anew with each machine; a total of the other is not in it."""
    clock = [f"2026-01-01T10:{second // 60:02}:{second % 60:02}" for second in range(60)]
    one = pd.DataFrame({"time": clock, "users": [1] * 20 + [2] * 20 + [4] * 20, "throughput_per_s": range(100, 160)})
    one = one.assign(box=1)
    every = pd.concat([one.assign(machine="A", throughput_per_s=range(300, 360)), one.assign(machine="B")])
    (tmp_path / "both").mkdir()
    every.to_parquet(tmp_path / "all.parquet")
    for frame, name in ((every, "all.csv"), (every, "both/all.csv"), (one, "one.csv")):
        frame.to_csv(tmp_path / name, index=False)
    (tmp_path / "both" / "other.csv").write_text("machine,users,throughput_per_s\nA,1,1\nA,2,2\n", encoding="utf-8")
    expected = curve(tmp_path / "one.csv").drop(columns="files")
    of_b = {"machine": "B"}
    for name, where in (
        ("all.csv", of_b), ("all.parquet", {"box": 1} | of_b), ("both", of_b),
    ):  # fmt: skip
        found = curve(tmp_path / name, where=where)
        pd.testing.assert_frame_equal(found.drop(columns="files"), expected)
    assert "other.csv: left out: expected a value of machine, found 'B'" in found.attrs["notes"]
    path = tmp_path / "all.csv"
    assert ab(path, path, where=of_b).before["throughput_per_s"].tolist() == expected["throughput_per_s"].tolist()
    assert curve(tmp_path / "one.csv", where={"users": 2})["load"].tolist() == [2]
    for wrong in (3, "machine=A", [("machine",)], {3: 4}):
        with pytest.raises(BadTable, match=r"^where=...: expected a value for each column, found "):
            curve(path, where=wrong)


def test_rows_of_a_table_with_totals_are_chosen_first(tmp_path, capsys):
    """A total of another machine is no row of this one; in columns of ours another format has some."""
    text = "machine,users,tps\nA,1,100\nA,2,190\ntotal,3,290\nB,1,50\nB,2,95\n"
    (tmp_path / "my.csv").write_text(text, encoding="utf-8")
    assert main(["curve", str(tmp_path / "my.csv"), "--where", "machine=B", "--format", "csv"]) == 0
    assert [line.split(",")[:2] for line in capsys.readouterr().out.splitlines()[1:]] == [["1", "50"], ["2", "95"]]
    log = SAMPLES / "jmeter" / "four_threads.jtl"
    whole = readers.read(log)
    part = readers.read(log, where=[("users", "3")])
    assert 0 < len(part) < len(whole)
    assert part["line"].tolist() == whole.loc[whole["users"] == 3, "line"].tolist()


@pytest.mark.parametrize(("rate", "told"), [(40, True), (2, False)])
def test_pauses_of_the_server_through_which_users_wait_are_told(tmp_path, rate, told):
    """Two seconds of thirty without an answer; with two answers a second, a second without one is chance."""
    rates = np.random.default_rng(3).poisson(rate, 120) * (np.arange(120) % 30 > 1)
    pd.DataFrame({"time_s": range(120), "users": 20, "throughput_per_s": rates}).to_csv(tmp_path / "a.csv", index=False)
    said = "nothing is answered in 6.7 % of its samples: users of a test wait through such pauses"
    assert (said in curve(tmp_path / "a.csv")["reason"].item()) == told


@pytest.mark.parametrize("apart_s", [1, 600])
def test_a_table_with_the_newest_row_first_has_the_same_curve(tmp_path, apart_s):
    """Of samples and of runs; all rows but the first were left out, as their clock goes back."""
    times = pd.Timestamp(2026, 11, 2, 10) + pd.to_timedelta(np.arange(80) * apart_s, unit="s")
    users = np.repeat([10, 20], 40)
    rates = 10 * users * np.random.default_rng(1).normal(1, 0.03, 80)
    table = pd.DataFrame({"time": times, "users": users, "rps": rates})
    paths = [tmp_path / name for name in ("old.csv", "new.csv", "mixed.csv")]
    for path, rows in zip(paths, (table, table[::-1], table.sample(frac=1, random_state=2)), strict=True):
        rows.to_csv(path, index=False)
    known, turned = map(curve, paths[:2])
    assert known["load"].tolist() == [10, 20]
    columns = ["load", "throughput_per_s", "throughput_std_error", "runs", "steady_runs"]
    pd.testing.assert_frame_equal(turned[columns], known[columns])
    assert any("its newest row is the first" in note for note in turned.attrs["notes"])
    if apart_s == 600:  # of runs no order matters, and none counts twice
        pd.concat([table, table.head(30)]).to_csv(tmp_path / "twice.csv", index=False)
        for path in (paths[2], tmp_path / "twice.csv"):
            pd.testing.assert_frame_equal(curve(path)[columns], known[columns])
        notes = curve(tmp_path / "twice.csv").attrs["notes"]
        assert any("30 rows left out: the same as another one, its time, too" in note for note in notes)
        days = table.assign(time=table["time"].dt.strftime("%Y-%m-%d"), rps=table["users"])  # rounded, no copies
        days.to_csv(tmp_path / "days.csv", index=False)
        assert curve(tmp_path / "days.csv")["runs"].tolist() == [40, 40]


@pytest.mark.parametrize("heading", ["date", "time"])
@pytest.mark.parametrize("day", ["2026-11-02", "02.11.2026"])
def test_rows_of_one_day_are_runs(tmp_path, heading, day):
    """They were one ramp: a day is no time of a sample."""
    rows = "".join(f"{day},{load},{load * rate}\n" for load in (1, 2, 4) for rate in (50, 51))
    found = curve(written(tmp_path, f"{heading},users,rps\n{rows}", "own.csv"))
    assert found["load"].tolist() == [1, 2, 4]
    assert found["runs"].tolist() == [2, 2, 2]
    assert found["throughput_per_s"].tolist() == pytest.approx([50.5, 101, 202], rel=1e-3)
