"""Means of steady windows, of columns and groups, and of each run of a frame: by hand, and as recorded."""

import gzip
import math

import numpy as np
import pandas as pd
import pytest
from made import every_second, noisy

from dominoperf import loadtests
from dominoperf.cli import main
from dominoperf.errors import BadTable, UnknownName
from dominoperf.loadtests import readers, roll_up, steady_runs, steady_state
from dominoperf.loadtests.batch_means import mean_by_batches, quantile_by_batches

NAN = math.nan
COLUMNS = ["metric", "unit", "mean", "std_error", "low", "high", "samples", "effective_samples", "reason"]


def test_roll_up_row_by_row():
    """Units of known columns alone; what is counted is a rate over its seconds; each group by itself, in order."""
    frame = pd.DataFrame({"time_s": [0.0, 1, 3, 4], "driver": ["b", "b", "a", "a"], "users": [1, 2, 3, NAN]})
    frame = frame.assign(mine=[5.0, 7, 9, 11], transactions=[10, 20, 60, 30])
    found = roll_up(frame, by="driver", columns=["users", "mine"], counts="transactions")
    assert [*found] == [
        "driver", "metric", "unit", "mean", "std_error", "low", "high", "samples", "effective_samples", "reason",
    ]  # fmt: skip
    assert found[["driver", "metric", "unit", "mean", "samples"]].to_numpy().tolist() == [
        ["b", "users", "user", 1.5, 2], ["b", "mine", "", 6.0, 2], ["b", "transactions_per_s", "1/s", 20.0, 1],
        ["a", "users", "user", 3.0, 1], ["a", "mine", "", 10.0, 2], ["a", "transactions_per_s", "1/s", 30.0, 1],
    ]  # fmt: skip
    weighted = roll_up(frame.assign(response_s=[NAN, 7, 9, 11]), columns=["mine", "response_s"], weights="users")
    assert weighted[["mean", "samples"]].to_numpy().tolist() == [[8, 4], [41 / 5, 2]]  # responses alone are weighted
    assert roll_up(frame, (1, 4), columns=["mine"])["mean"].item() == 8
    assert roll_up(frame, [True, False, False, True], columns=["mine"])["mean"].item() == 8
    assert roll_up(frame.drop(columns="time_s"), columns=["mine"])["samples"].item() == 4
    assert roll_up(frame)["metric"].tolist() == ["users", "mine", "transactions"]


@pytest.mark.parametrize(
    ("settings", "error", "says"),
    [
        ({"time": 3}, BadTable, r"roll_up\(time=...\): expected a name, found 3"),
        ({"by": "driver"}, UnknownName, r"roll_up\(by=...\)"),
        ({"columns": ["speed"]}, UnknownName, r"roll_up\(columns=...\)"),
        ({"counts": "speed"}, UnknownName, r"roll_up\(counts=...\)"),
        ({"weights": "speed"}, UnknownName, r"roll_up\(weights=...\)"),
        ({"window": [True]}, BadTable, r"roll_up\(window=...\): expected 3 truth values, found 1 values"),
        ({"columns": ["text"]}, BadTable, "column text, row 1"),
        ({"counts": "users"}, BadTable, "order of time"),
        ({"weights": "below", "columns": ["response_s"]}, BadTable, "response_s: expected weights from 0"),
        ({"counts": "users", "columns": []}, BadTable, r"expected weights from 0, found -1\. Rows must be"),
    ],
)  # fmt: skip
def test_what_roll_up_refuses(settings, error, says):
    """Each argument by its name."""
    frame = pd.DataFrame(
        {"time_s": [0.0, 2, 1], "users": [1, 2, 3], "text": "a", "below": [1, -3, 2], "response_s": 1.0}
    )
    with pytest.raises(error, match=says):
        roll_up(frame, **settings)


def test_percentiles_and_the_longest_of_samples():
    """A mean of percentiles says that it is one, of several samples; the longest has no error."""
    frame = pd.DataFrame({"time_s": range(12), "response_p95_s": np.arange(12.0), "response_max_s": np.arange(12.0)})
    found = roll_up(frame).set_index("metric")
    assert found.loc["response_max_s", ["mean", "reason"]].tolist() == [11, "the longest of all, which has no error"]
    assert found.loc["response_p95_s", "mean"] == 5.5
    assert found.loc["response_p95_s", "reason"].startswith(
        "mean of the samples' percentiles, which is mostly less than"
    )
    one = roll_up(frame.iloc[:1]).set_index("metric")
    assert one.loc["response_p95_s", "reason"] == "1 sample: too few for an error"


def test_a_sample_of_weight_0_measured_nothing():
    """A second without a request says nothing of the response, in `roll_up` as in `curve`: as if it had no value."""
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"time_s": np.arange(200.0), "throughput_tps": rng.poisson(20, 200) + 1.0})
    frame["response_s"] = rng.gamma(4, 0.05, 200)
    frame.loc[::5, ["throughput_tps", "response_s"]] = 0.0
    gaps = frame.assign(response_s=frame["response_s"].where(frame["throughput_tps"] > 0))
    rows = [roll_up(each, columns=["response_s"], weights="throughput_tps") for each in (frame, gaps)]
    pd.testing.assert_frame_equal(*rows)
    assert rows[0]["samples"].tolist() == [160]


def several(loads, seed=7, n=60):
    """Runs one after the other, each begun anew: about 100 a second and user."""
    rng = np.random.default_rng(seed)
    return pd.concat(
        [
            pd.DataFrame({"users": load, "time_s": np.arange(n), "throughput_tps": 100 * load + rng.normal(0, 2, n)})
            for load in loads
        ],
        ignore_index=True,
    )


def test_a_run_without_a_window_has_its_reason():
    """Five samples are too few: NaN and why, beside the load that has enough."""
    means = steady_runs(several([1, 2]).iloc[:65], by="users").means()
    assert (means["users"].tolist(), means["mean"].isna().tolist()) == ([1, 2], [False, True])
    assert "at least 20" in means["reason"].iloc[-1]


def test_runs_without_users_or_with_a_ramp_are_counted():
    """A number of users that changes within a run tells no runs apart; without that column they are counted too."""
    ramped = several([3, 3]).assign(users=[*np.minimum(np.arange(60), 20), *np.minimum(np.arange(60), 30)])
    for frame in (ramped, several([3, 5]).drop(columns="users")):
        found = loadtests.steady_runs(frame)
        assert (found.by, found.glance()["run"].tolist()) == (("run",), ["1", "2"])


def test_samples_that_stand_for_unequal_times_are_noted(tmp_path):
    """In turn 9 s of 20 a second and 1 s of 200: all counts over all seconds are 38, the mean of the rates is 110."""
    times = np.cumsum(np.tile([9.0, 1.0], 60))
    frame = pd.DataFrame({"time_s": times, "throughput_per_s": np.tile([20.0, 200.0], 60) * noisy(1.0, 120)})
    frame["done"] = frame["throughput_per_s"] * np.tile([9.0, 1.0], 60)
    told = "the samples are 1 to 9 s apart, but each counts alike: a mean over time may differ"
    means = roll_up(frame, counts=["done"], columns=["throughput_per_s"]).set_index("metric")
    assert told in means.at["throughput_per_s", "reason"]
    assert told not in means.at["done_per_s", "reason"]  # each rate is weighted by its seconds
    assert told in steady_state(frame).headline()
    frame.to_csv(tmp_path / "c8.csv", index=False)
    assert told in loadtests.curve(tmp_path)["reason"][0]
    even = frame.assign(time_s=np.arange(120.0) + np.r_[np.zeros(60), np.full(60, 300)])  # one gap
    assert "apart" not in "".join([*roll_up(even)["reason"], steady_state(even).headline()])


def test_loads_without_a_sample_in_the_stretch_are_left_out():
    """One of several loads that follow each other on one clock is looked at alone."""
    frame = pd.DataFrame({"time_s": np.arange(180.0), "users": np.repeat([4, 8, 16], 60)})
    frame["throughput_per_s"] = frame["users"] * noisy(10.0, 180)
    for between, loads in (((0, 59), [4]), ((60, 119), [8]), ((100, 170), [8, 16]), ((0, 200), [4, 8, 16])):
        assert steady_runs(frame, between=between).glance()["users"].tolist() == loads
    for between in ((200, 300), ("a", 1), (1, 2, 3)):
        with pytest.raises(BadTable, match="between"):
            steady_runs(frame, between=between)


def test_processes_are_not_mixed():
    """Each is a run of its own; the mean over the rows of two would be that of neither, nor of both together."""
    values = {"web": noisy(30.0, 60), "db": noisy(10.0, 60, 1)}
    rows = [(float(k), name, values[name][k]) for k in range(60) for name in values]
    frame = pd.DataFrame(rows, columns=["time_s", "process", "process_cpu_percent"])
    runs = steady_runs(frame)
    assert runs.glance()["process"].tolist() == ["web", "db"]
    assert runs.means()["mean"].tolist() == pytest.approx([np.mean(each) for each in values.values()])
    two = pd.concat([frame.assign(file="a"), frame.assign(file="b")])
    keys = steady_runs(two).glance()[["file", "process"]].to_numpy().tolist()
    assert keys == [["a", "web"], ["a", "db"], ["b", "web"], ["b", "db"]]
    for mixed in (steady_state, roll_up):
        with pytest.raises(BadTable, match="expected rows of one process, found of 2 processes"):
            mixed(frame)
    assert roll_up(frame, by="process")["mean"].tolist() == runs.means()["mean"].tolist()
    assert steady_state(frame[frame["process"] == "web"]).found


def test_the_recorded_runs_by_command(capsys):
    """The file of eight loads: a line each, and the means that pgbench printed; none of 13,046."""
    assert main(["steady", str(readers.sample())]) == 0
    told = capsys.readouterr().out
    assert told.startswith("7 of 8 runs have a steady window; each run is looked at by itself.\nusers 16: Throughput")
    assert "users 64: No steady window" in told
    assert "13046" not in told
    means = steady_runs(readers.sample()).means().query("metric == 'throughput_tps'")
    assert means["users"].tolist() == [16, 32, 48, 64, 96, 128, 192, 256]
    summary = readers.read(readers.sample(), "pgbench_summary")["throughput_tps"]
    assert np.nanmax(np.abs(means["mean"].to_numpy() / summary.to_numpy() - 1)) < 0.06


def test_a_run_with_names_of_its_own(tmp_path):
    """As it stands, packed or not, however its numbers are written; a tool's file is that tool's."""
    text = "t;tput;driver\n" + "".join(f"{k};1.00{k % 10},5;a\n" for k in range(30))
    path = tmp_path / "run.csv.gz"
    path.write_bytes(gzip.compress(text.encode()))
    frame = loadtests.read_run(path)
    assert frame["tput"].tolist() == [1000.5 + k % 10 for k in range(30)]
    assert loadtests.steady_runs(frame, on="tput", time="t").glance()["metric"].tolist() == ["tput"]
    path = tmp_path / "results.jtl"
    path.write_text("timeStamp,elapsed,label,success\n1700000000000,12,Home,true\n", encoding="utf-8")
    assert loadtests.read_run(path)["response_s"].tolist() == [0.012]


def test_steady_takes_folders_and_patterns(capsys, tmp_path):
    """Each file is a run, also where its time does not go back; what is no run is told."""
    for users, level in ((2, 20.0), (10, 100.0)):
        noise = np.random.default_rng(users).normal(0, level / 50, 100)
        run = pd.DataFrame({"time_s": range(100), "users": users, "throughput_tps": level + noise})
        run.assign(time_s=run["time_s"] + 1000 * users).to_csv(tmp_path / f"c{users}.csv", index=False)
    (tmp_path / "README").write_text("Runs of Monday")
    frame = loadtests.read_run(tmp_path)
    found = loadtests.steady_runs(frame).glance()
    assert found["users"].tolist() == [2, 10]
    assert [path.rpartition("/")[2] for path in found["file"]] == ["c2.csv", "c10.csv"]
    assert found["from_s"].tolist() == [2000, 10000]
    assert main(["steady", str(tmp_path), "--format", "csv", "--show", "means"]) == 0
    out, err = capsys.readouterr()
    assert [line.split(",")[1] for line in out.splitlines()] == ["users", "2", "10"]
    assert "not read" in err
    assert len(loadtests.read_run(f"{tmp_path}/c*.csv")) == 200


def test_text_among_the_users_is_named_by_its_row():
    for cell, found in (("many", "'many'"), (10**400, "'?1000")):  # which no float holds
        frame = pd.DataFrame({"time_s": range(3), "users": [1, cell, 3], "throughput_tps": [1.0, 2.0, 3.0]})
        with pytest.raises(BadTable, match=f"column users, row 2: expected a number, found {found}"):
            loadtests.steady_runs(frame)


@pytest.mark.parametrize("name", ["metric", "mean", "reason"])
def test_groups_are_not_named_by_a_column_of_the_answer(name):
    """Of two columns of one name a reader would take the wrong one."""
    run = pd.DataFrame(
        {"time_s": [*range(60)] * 2, "throughput_tps": [99, 100, 101] * 40, name: ["a"] * 60 + ["b"] * 60}
    )
    for answer in (loadtests.roll_up, loadtests.steady_runs):
        with pytest.raises(BadTable, match=f"by=.*, found '{name}'. Rename"):
            answer(run, by=name)


def test_every_column_of_a_roll_up_by_batch_means():
    """Whole frames: errors, ends and independent samples as those of batch means; of responses over requests."""
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(
        {"time_s": np.arange(80.0), "throughput_tps": rng.poisson(20, 80) + 1.0, "driver": ["a", "b"] * 40}
    )
    frame = frame.assign(response_s=rng.gamma(4, 0.05, 80), response_ms=rng.gamma(4, 50, 80), cpu=rng.normal(50, 3, 80))
    frame = frame.assign(response_p99_s=rng.gamma(4, 0.1, 80), transactions=rng.poisson(30, 80), text="x", line=1)
    found = roll_up(frame, (10, 70), by="driver", counts="transactions", weights="throughput_tps", level=0.9)
    rows = []
    for driver in "ab":
        part = frame[frame["time_s"].between(10, 69) & (frame["driver"] == driver)]
        weight = part["throughput_tps"].to_numpy()
        for name, unit in (("throughput_tps", "tps"), ("response_s", "s"), ("response_ms", "ms"), ("cpu", ""),
                           ("response_p99_s", "s"), ("transactions", "1/s")):  # fmt: skip
            values, weights, reason = part[name].to_numpy(float), weight if "response" in name else None, ""
            if name == "transactions":
                values, weights = values[1:] / 2, np.full(len(part) - 1, 2.0)
            mean = mean_by_batches(values, 0.9, weights)
            if name == "response_p99_s":
                reason = "mean of the samples' percentiles, which is mostly less than the percentile of all requests"
            metric = f"{name}_per_s" if name == "transactions" else name
            numbers = mean.value, mean.std_error, mean.low, mean.high, len(values), mean.effective
            rows.append((driver, metric, unit, *numbers, "; ".join(filter(None, (reason, mean.reason)))))
    pd.testing.assert_frame_equal(found, pd.DataFrame(rows, columns=["driver", *COLUMNS]))
    assert found.attrs["user"] == "user"
    clock = frame.assign(time_s=pd.Timestamp("2026-01-01") + pd.to_timedelta(frame["time_s"], unit="s"))
    same = roll_up(clock.rename(columns={"time_s": "t"}), (10, 70), by=["driver"], counts=["transactions"],
                   weights="throughput_tps", level=0.9, time="t")  # fmt: skip
    pd.testing.assert_frame_equal(same, found)


@pytest.mark.parametrize(
    ("name", "share"), [("response_median_s", 0.5), ("response_p95_s", 0.95), ("response_p99_s", 0.99)]
)
def test_percentiles_of_requests_by_batch_means(name, share):
    """All requests decide; of a frame in which a row has none it is the mean of the samples."""
    rng = np.random.default_rng(6)
    arrays = [rng.gamma(4, 0.05, 9) for _ in range(60)]
    frame = pd.DataFrame({"time_s": range(60), name: [float(np.median(each)) for each in arrays]})
    frame["responses_s"] = arrays
    row, expected = roll_up(frame, columns=name).iloc[0], quantile_by_batches(arrays, share, 0.95)
    assert row[["metric", "unit", "samples", "reason"]].tolist() == [name, "s", 60, expected.reason]
    assert row[["mean", "std_error", "low", "high", "effective_samples"]].tolist() == [
        pytest.approx(each, nan_ok=True)
        for each in (expected.value, expected.std_error, expected.low, expected.high, expected.effective)
    ]
    arrays[3] = None
    row = roll_up(frame.assign(responses_s=arrays), columns=name).iloc[0]
    assert row["mean"] == pytest.approx(frame[name].mean())
    assert row["reason"].startswith("mean of the samples' percentiles")
    untimed = roll_up(frame.drop(columns=["time_s", "responses_s"]), columns=name).iloc[0]
    assert untimed["reason"] == ""


def test_means_of_runs_have_their_windows():
    """Those of several runs, and of one."""
    frame = several([2, 5]).assign(response_s=0.1)
    found = steady_runs(frame, by="users", level=0.9).means(columns=["throughput_tps", "response_s"])
    assert [*found] == ["users", "from_s", "to_s", *COLUMNS]
    assert found[["users", "from_s", "to_s", "metric", "samples"]].to_numpy().tolist() == [
        [users, 0, 59, metric, 60] for users in (2, 5) for metric in ("throughput_tps", "response_s")
    ]
    mean = mean_by_batches(frame["throughput_tps"][:60].to_numpy(), 0.9)
    assert found.loc[0, ["mean", "std_error", "low", "high"]].tolist() == [
        mean.value, mean.std_error, mean.low, mean.high,
    ]  # fmt: skip
    assert [*steady_runs(several([2])).means(columns="throughput_tps")] == ["from_s", "to_s", *COLUMNS]
    weighted = steady_runs(frame).means(columns=["response_s"], weights="throughput_tps", counts=["users"])
    assert weighted["metric"].tolist() == ["response_s", "users_per_s"] * 2
    assert weighted.attrs["user"] == "user"


def test_which_columns_tell_runs_apart():
    """Files and runs of several values, those without a name among them; users where each run has one number."""
    one, two = every_second(noisy(10, 30), users=1.0), every_second(noisy(20, 30), users=2.0)
    both = pd.concat([one, two], ignore_index=True)
    changing = both.assign(users=[1.0] * 30 + [2.0, 3.0] * 15)
    half = ["a"] * 30 + [None] * 30
    assert steady_runs(both.assign(run=half)).by == ("run", "users")
    assert steady_runs(changing.assign(run=half)).by == ("run",)
    assert steady_runs(changing.assign(file=["a"] * 30 + ["b"] * 30)).by == ("file",)
    assert steady_runs(both.assign(file="a")).by == ("users",)
    assert steady_runs(both.assign(run="a")).by == ("users",)
    assert steady_runs(both.assign(file="a", run=half)).by == ("run", "users")
    named = steady_runs(both, by="users")
    assert (named.by, [len(run) for run in named.runs], named.time, named.level) == (
        ("users",),
        [30, 30],
        "time_s",
        0.95,
    )
    again = steady_runs(pd.concat([both, both], ignore_index=True), by=["users"])
    assert [len(run) for run in again.runs] == [30] * 4
    assert [run["users"].iloc[0] for run in again.runs] == [1, 1, 2, 2]
    for count, by in ((4, ()), (5, ("users",))):
        held = pd.DataFrame({"time_s": range(4 * count), "users": np.repeat([1, 2, 3, 4], count)})
        assert steady_runs(held.assign(throughput_tps=5.0)).by == by
    unknown = both.assign(users=np.nan, time_s=range(60))
    assert (steady_runs(unknown).by, len(steady_runs(unknown).runs)) == ((), 1)
    idle = pd.concat([one.assign(users=0.0), one.assign(users=0.0)], ignore_index=True)
    assert len(steady_runs(idle).runs) == 2
    assert [len(run) for run in steady_runs(pd.concat([one.assign(users=0.0), two])).runs] == [30]
    with pytest.raises(BadTable, match="by="):
        steady_runs(both, by=[])
    with pytest.raises(UnknownName, match=r"steady_runs\(by=...\)"):
        steady_runs(both, by="driver")


def test_a_summary_of_runs():
    """A line for each run, named by its columns; the tables; found where any is."""
    frame = pd.concat([several([2]), several([5]).iloc[:10]], ignore_index=True)
    found = steady_runs(frame)
    assert found.found
    assert found.headline().split("\n") == [
        "1 of 2 runs have a steady window; each run is looked at by itself.",
        f"users 2: {found.each[0].headline()}", f"users 5: {found.each[1].headline()}",
    ]  # fmt: skip
    assert str(found).startswith(f"{found.headline()}\n\n")
    assert not steady_runs(frame.iloc[60:]).found
    alone = steady_runs(several([2]))
    assert str(alone) == str(alone.each[0])
    tidy, glance = found._page_tables()
    pd.testing.assert_frame_equal(tidy, found.tidy())
    pd.testing.assert_frame_equal(glance, found.glance())
