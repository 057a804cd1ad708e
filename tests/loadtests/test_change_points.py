"""A history of builds by brute force: energies, random orders, and every column of the answer."""

import itertools
import re

import numpy as np
import pandas as pd
import pytest
from made import build
from scipy import stats

from dominoperf import change_points, measured_runs
from dominoperf.cli import main
from dominoperf.errors import BadTable, UnknownName


def energy(values, start, end):
    """The energy statistic of a stretch against all others, by its definition."""
    x, y = values[start:end], np.delete(values, slice(start, end))
    mean = [np.abs(a[:, None] - b).mean() for a, b in ((x, y), (x, x), (y, y))]
    return len(x) * len(y) / len(values) * (2 * mean[0] - mean[1] - mean[2])


def largest(values, ends):
    return max(energy(values, a, b) for a, b in itertools.combinations(ends, 2) if b - a < len(values))


def share(values, ends, random):
    """How many of 400 orders, this one among them, have an energy as large."""
    limit = largest(values, ends) * (1 - 1e-12)
    return (1 + sum(largest(random.permutation(values), ends) >= limit for _ in range(399))) / 400


RATES = np.array([100.0, 103, 98, 101, 97, 104, 99, 102])


@pytest.mark.parametrize(("factor", "seed", "level"), [(0.9, 0, 0.95), (0.985, 1, 0.6), (1.0, 0, 0.95)])
def test_two_builds_by_brute_force(factor, seed, level):
    """Eight runs of a load each: p is the larger of that of the stretch and of the change in it."""
    old, new = build(RATES[:5], [2] * 5), build(factor * RATES[::-1], [2] * 8)
    found = change_points({"a": old, "b": new}, seed=seed, level=level)
    values = np.concatenate([np.log(each["throughput_per_s"]) for each in (old, new)])
    random = np.random.default_rng(seed)
    p = [share(values, [0, 5, 13], random)]
    if p[0] < 0.8 * (1 - level):
        p.append(share(values, [0, 5, 13], random))
    means = values[:5].mean(), values[5:].mean()
    changed = bool(max(p) < 0.8 * (1 - level))
    first = means[0] if changed else values.mean()
    expected = pd.DataFrame({
        "build": ["a", "b"], "runs": [5, 8], "loads": [1, 1], "ratio": np.exp(np.array(means) - first),
        "level_ratio": [1.0, np.exp(means[1] - means[0]) if changed else 1.0],
        "change_ratio": [1.0, np.exp(means[1] - means[0]) if changed else 1.0],
        "p": [np.nan, max(p) if changed else np.nan], "failed_share": np.nan,
        "reason": ["no change; failures unknown", "failures unknown" if changed else "no change; failures unknown"],
    })  # fmt: skip
    pd.testing.assert_frame_equal(found.tidy(), expected, check_dtype=False)
    assumed = (
        "p assumes that the sessions of equal builds differ no more than the runs of one session: where they do, for a "
        "reboot or another day, far too many changes are found; to see it, run one build in several sessions"
    )
    note = assumed if changed else f"no change is found at the level {100 * level:g} %"
    alone = "throughput and failures alone are looked at, not the response: compare two builds for that"
    assert (found.fails_from, found.notes) == (None, (note, alone))


def test_a_change_and_back_in_all_its_columns():
    """Six builds of two loads: values are means of logarithms less those of the load; fewer repeats of a load count."""
    factors = [1, 1, 0.8, 0.8, 1.05, 1.05]
    grids = [factor * np.array([[100, 101, 99, 102], [190, 188, 191, 189]]) for factor in factors]
    builds = {k: build(grid.ravel(), [1] * 4 + [2] * 4) for k, grid in enumerate(grids)}
    builds[3] = pd.concat([builds[3], build([77.0, 10], [1, 4])], ignore_index=True)  # one more of a load, one alone
    builds[4] = builds[4].iloc[:-1]  # three of load 2: the fourth of load 1 counts in no value
    found = change_points(builds).tidy()
    logs = [np.log(grid) for grid in grids]
    logs[4] = logs[4][:, :3]
    centre = np.mean([each.mean(axis=1) for each in logs], axis=0)
    values = [(each - centre[:, None]).mean(axis=0) for each in logs]
    levels = [np.concatenate(values[k : k + 2]).mean() for k in (0, 2, 4)]
    expected = pd.DataFrame({
        "build": [*"012345"], "runs": [8, 8, 8, 10, 7, 8], "loads": [2, 2, 2, 3, 2, 2],
        "ratio": np.exp([value.mean() - levels[0] for value in values]),
        "level_ratio": np.exp(np.repeat(levels, 2) - levels[0]),
        "change_ratio": np.exp([0, 0, levels[1] - levels[0], 0, levels[2] - levels[1], 0]),
    })  # fmt: skip
    pd.testing.assert_frame_equal(found.drop(columns=["p", "failed_share", "reason"]), expected, check_dtype=False)
    assert found["p"].isna().tolist() == [True, True, False, True, False, True]
    assert found["p"].dropna().between(1 / 400, 0.05, inclusive="left").all()


def test_a_folder_of_builds(tmp_path):
    """Folders in natural order, without hidden ones and files; settings reach the runs."""
    settings = {"x": "threads", "until": 39}
    for k, (name, factor) in enumerate((("b2", 1.0), ("b10", 0.9), (".old", 0.1))):
        (tmp_path / name).mkdir()
        rate = factor * 50 * (1 + np.random.default_rng(k).normal(0, 0.01, 60))
        frame = pd.DataFrame({"time_s": range(60), "threads": 5, "throughput_per_s": rate})
        frame.to_csv(tmp_path / name / "n1_c6.csv", index=False)
    (tmp_path / "README").write_text("x")
    found = change_points(tmp_path, **settings)
    assert found.tidy()["build"].tolist() == ["b2", "b10"]
    runs = {name: measured_runs(tmp_path / name, **settings) for name in ("b2", "b10")}
    pd.testing.assert_frame_equal(found.tidy(), change_points(runs).tidy())


def test_candidates_come_before_their_release(tmp_path):
    names = ["v1.10", "v2.0-alpha", "v2.0.beta2", "v2.0rc9", "v2.0-RC10", "v2.0", "v2.0-5-g1a", "v2.0.1", "v2.0.10"]
    for name in sorted(names):
        (tmp_path / name).mkdir()
        (tmp_path / name / "4_users.csv").write_text("throughput_per_s\n100\n")
    assert change_points(tmp_path).tidy()["build"].tolist() == names


def test_what_is_no_history(tmp_path):
    good = build([1.0, 2, 3])
    remedy = "Give a folder with a folder of runs for each build, or one table with the column of the builds (by=...)."
    for folder, said in (
        ({"a": good}, f"change_points(folder): expected two builds or more, found 1. {remedy}"),
        (tmp_path, f"change_points(folder): expected two builds or more, found 0. {remedy}"),
        (tmp_path / "no", f"{tmp_path / 'no'}: expected a folder, found none of this name. {remedy}"),
        ({"a": good, "b": build([1.0], [9])},
         "the builds: expected a load that all have, found none. Run at least one load in every build."),
    ):  # fmt: skip
        with pytest.raises(BadTable) as caught:
            change_points(folder)
        assert str(caught.value) == said
    for name in ("load", "throughput_per_s"):
        with pytest.raises(UnknownName, match=f"change_points.*{name}"):
            change_points({"a": good, "b": good.drop(columns=name)})
    with pytest.raises(BadTable, match="seed"):
        change_points({"a": good, "b": good}, seed=-1)


@pytest.mark.parametrize(("builds", "runs", "told"), [(10, 1, "so few runs can show no change"), (11, 1, "p assumes")])
def test_too_few_runs_for_any_change_are_told(builds, runs, told):
    """Half the throughput from the middle on is found where the runs suffice; else they are said to be too few."""
    scatter, history = np.random.default_rng(1).normal(1, 0.005, (builds, 2 * runs)), {}
    for k, of_build in enumerate(scatter):
        rates = np.array([100.0, 190] * runs) * of_build / (1 if k < builds // 2 else 2)
        history[f"b{k}"] = build(rates, [1, 2] * runs)
    found = change_points(history)
    assert found.tidy()["p"].notna().any() == (told == "p assumes")
    assert found.notes[0].startswith(told)


def test_no_change_where_one_would_be_found_is_told():
    history = {f"b{k}": build([100.0 + k % 2, 190.0], (1, 2)) for k in range(12)}
    assert change_points(history).notes[0] == "no change is found at the level 95 %"


@pytest.mark.parametrize(("newest", "earlier"), [(1, 11), (2, 10), (3, 8), (1, 29)])
def test_the_newest_builds_are_found_though_no_order_of_so_few_shows_them(newest, earlier):
    """One run at each of four loads, scatter 1.5 %: a build 15 % slower passed, as one of 12 or 30 in random order."""
    rates, random = np.array([100.0, 360, 900, 1200]), np.random.default_rng(5)
    factors = [*[1.0] * earlier, *[0.85] * newest]
    history = {
        f"b{k}": build(rates * factor * np.exp(random.normal(0, 0.015, 4)), [1, 4, 16, 64])
        for k, factor in enumerate(factors)
    }
    found = change_points(history)
    changed = found.tidy().dropna(subset="p")
    assert changed["build"].tolist() == [f"b{earlier}"]
    assert changed["change_ratio"].item() == pytest.approx(0.85, abs=0.03)
    assert any("Student's t" in note for note in found.notes)


def test_p_of_the_newest_build_is_that_of_the_t_test():
    """Of scipy, for the last two of six builds, and three times as much, for one, two or three are tried."""
    values = np.array([0.0, 0.011, -0.012, 0.004, -0.21, -0.202])
    found = change_points({str(k): build([100 * np.exp(value)], [1]) for k, value in enumerate(values)})
    expected = 3 * stats.ttest_ind(values[:4], values[4:]).pvalue
    assert found.tidy()["p"].dropna().to_dict() == {4: pytest.approx(expected)}
    few = change_points({str(k): build([100 * np.exp(value)], [1]) for k, value in enumerate(values[2:5])})
    assert few.notes[0].startswith("so few runs can show no change at the level 95 %, however large")


def test_a_slow_decline_is_one_loss():
    """Five levels, each 3 % below the one before, none of them a failure alone: 11 % is one. A recovery ends it."""
    random, rates = np.random.default_rng(2), np.array([100.0, 190, 340] * 3)
    levels = np.repeat(0.97 ** np.arange(5), 4)
    history = {f"b{k:02}": build(rates * level * np.exp(random.normal(0, 0.002, 9)), [1, 2, 4] * 3)
               for k, level in enumerate(levels)}  # fmt: skip
    found = change_points(history, fail_below=0.05)
    (row,) = found.glance().to_dict("records")
    assert (row["build"], row["failed"], row["change_ratio"]) == ("b04", True, pytest.approx(0.97**4, abs=0.003))
    said = r"From build b04 on the throughput is 11\.\d % lower, in 4 changes, the last one at b16 \(p = 0\.\d+\)\. "
    assert re.match(said + r"It fails: the throughput is more than 5 % lower\. P assumes", found.headline())
    assert not change_points(history, fail_below=0.15).failed
    for k in range(20, 24):
        history[f"b{k}"] = build(rates * np.exp(random.normal(0, 0.002, 9)), [1, 2, 4] * 3)
    mended = change_points(history, fail_below=0.05)
    assert (mended.failed, mended.glance()["build"].item()) == (False, "b20")


def test_builds_of_one_table_are_those_of_frames_by_build(tmp_path, capsys):
    """In the order of the rows, 1.9.0 before 1.10.0; a path and a frame alike, and the command."""
    random, rates = np.random.default_rng(3), np.array([100.0, 190, 340] * 3)
    parts = {f"1.{k}.0": build(rates * (0.9 if k > 9 else 1) * np.exp(random.normal(0, 0.01, 9)), [1, 2, 4] * 3)
             for k in range(4, 14)}  # fmt: skip
    known = change_points(parts, fail_below=0.05)
    rows = [runs[["load", "throughput_per_s"]].assign(release=name) for name, runs in parts.items()]
    table = pd.concat(rows).rename(columns={"load": "users"})
    table.to_csv(tmp_path / "runs.csv", index=False)
    for given in (table, tmp_path / "runs.csv"):
        found = change_points(given, by="release", fail_below=0.05)
        pd.testing.assert_frame_equal(found.tidy(), known.tidy())
        assert found.notes[0] == "builds are in the order of the rows, from 1.4.0 to 1.13.0"
    assert main(["ab", "--history", str(tmp_path / "runs.csv"), "--by", "release", "--fail-below", "5%"]) == 1
    assert capsys.readouterr().out.startswith("From build 1.10.0 on the throughput is 10.")
    assert main(["ab", str(tmp_path / "runs.csv"), "--by", "release"]) == 2
    assert "as a history (--history TABLE --by COLUMN)" in capsys.readouterr().err
    with pytest.raises(UnknownName, match="the table of builds: expected one that is there, found 'bild'"):
        change_points(table, by="bild")


@pytest.mark.parametrize("dated", [True, False])
def test_a_table_with_the_newest_row_first_is_in_the_order_of_times_or_numbers(tmp_path, capsys, dated):
    """As exports have it: in the order of the rows a loss of 10 % was a gain. A path and a frame alike."""
    random, rows = np.random.default_rng(4), []
    for k, (release, users, _) in enumerate(itertools.product(range(4, 14), (4, 16, 64), range(2))):
        at = pd.Timestamp(2026, 11, 2) + pd.Timedelta(hours=release, minutes=10 * k)
        rate = 50 * users * (0.9 if release > 9 else 1) * np.exp(random.normal(0, 0.01))
        rows.append((f"{at:%Y-%m-%d %H:%M}", f"1.{release}.0", users, rate))
    table = pd.DataFrame(rows, columns=["date", "build", "users", "rps"])
    table = table if dated else table.drop(columns="date")
    table.to_csv(tmp_path / "old.csv", index=False)
    table[::-1].to_csv(tmp_path / "new.csv", index=False)
    known = change_points(tmp_path / "old.csv", by="build", fail_below=0.05)
    assert known.failed
    for given in (tmp_path / "new.csv", table[::-1]):
        found = change_points(given, by="build", fail_below=0.05)
        assert found.failed
        assert found.tidy()["build"].tolist() == known.tidy()["build"].tolist()
        assert found.tidy()["ratio"].tolist() == pytest.approx(known.tidy()["ratio"].tolist())
        order = "the column date" if dated else "the numbers in their names, not of the rows"
        assert f"builds are in the order of {order}, from 1.4.0 to 1.13.0" in found.notes
    assert main(["ab", "--history", str(tmp_path / "new.csv"), "--by", "build", "--fail-below", "5%"]) == 1
    two = pd.read_csv(tmp_path / "new.csv").query("build in ('1.4.0', '1.13.0')")
    two.to_csv(tmp_path / "two.csv", index=False)
    capsys.readouterr()
    main(["ab", str(tmp_path / "two.csv"), "--by", "build"])
    first, second, order = ("1.4.0", "1.13.0", "the column date") if dated else ("1.13.0", "1.4.0", "the rows")
    said = capsys.readouterr().err
    assert f"before is build {first}, after is build {second}: in the order of {order}" in said
    assert ("though 1.4.0 is the smaller number" in said) == (not dated)


def dated_runs(folder, names, factors, days):
    """A folder of runs for each build, with a clock that begins on a day of September, or without."""
    random = np.random.default_rng(7)
    for name, factor, day in zip(names, factors, days, strict=True):
        (folder / name).mkdir(parents=True)
        for users, run in itertools.product((1, 2), range(3)):
            rate = 50 * users * factor * np.exp(random.normal(0, 0.005)) * (1 + random.normal(0, 0.01, 60))
            frame = pd.DataFrame({"time_s": range(60), "users": users, "throughput_per_s": rate})
            if day:
                began = pd.Timestamp(2026, 9, day, 10, 5 * (3 * users + run))
                frame.insert(
                    0, "time", (began + pd.to_timedelta(frame["time_s"], unit="s")).map(pd.Timestamp.isoformat)
                )
            frame.to_csv(folder / name / f"u{users}_{run}.csv", index=False)
    return folder


def test_builds_named_by_commits_are_in_the_order_of_their_clocks(tmp_path):
    """In that of their names a loss of 10 % from the fourth of six on was none; without clocks names are refused."""
    names = ["c05ed1dd", "5a1d538e", "f0469620", "0856e385", "a16a7aa0", "2c8848f3"]
    factors = [1.0] * 3 + [0.9] * 3
    found = change_points(dated_runs(tmp_path / "clocks", names, factors, range(1, 7)), fail_below=0.05)
    assert found.tidy()["build"].tolist() == names
    assert (found.failed, found.glance()["build"].item()) == (True, names[3])
    with pytest.raises(BadTable, match="names of commits, and files without a clock"):
        change_points(dated_runs(tmp_path / "none", names, factors, [0] * 6))


def test_clocks_have_the_order_where_names_contradict_them(tmp_path):
    """German dates sort by their day: the loss of 10 % from 2 October on was a rise, exit status 0.

    Builds that were run in turn are in the order of their names; the note says which order is taken.
    """
    names = ["28.9.2026", "29.9.2026", "30.9.2026", "2.10.2026", "3.10.2026", "4.10.2026"]
    folder = dated_runs(tmp_path / "dates", names, [1.0] * 3 + [0.9] * 3, range(1, 7))
    found = change_points(folder, fail_below=0.05)
    assert found.tidy()["build"].tolist() == names
    assert (found.failed, found.glance()["build"].item()) == (True, "2.10.2026")
    told = "by the clocks of their files 4.10.2026 was run after 28.9.2026, by their names before it: the order is "
    assert f"{told}that of the clocks" in found.notes
    again = folder / "2.10.2026" / "u1_0.csv"
    again.write_text(again.read_text().replace("2026-09-04", "2026-09-09"))
    in_turn = change_points(folder, fail_below=0.05)
    assert in_turn.tidy()["build"].tolist() == names[3:] + names[:3]
    assert f"{told}that of the names, as builds were run in turn" in in_turn.notes


@pytest.mark.parametrize("name", ["v1.{}", "00{}-5a1d538e", "2026-09-0{}"])
def test_numbers_in_names_have_the_order_though_old_builds_are_run_later(tmp_path, name):
    """By the clocks the loss of 10 % at the fourth release was a gain, exit status 0."""
    names = [name.format(k) for k in range(1, 7)]
    folder = dated_runs(tmp_path / "runs", names, [1.0] * 3 + [0.9] * 3, range(6, 0, -1))
    found = change_points(folder, fail_below=0.05)
    assert (found.failed, found.glance()["build"].item()) == (True, names[3])
    assert any("the order is that of the numbers in their names" in note for note in found.notes)


def test_builds_in_another_order_than_their_names_are_told():
    """Levels in turn are no change in any order, though builds differ far more than their runs."""
    history = {str(k): build([100.0 + 4 * (k % 2), 100.2 + 4 * (k % 2)] * 2, [1] * 4) for k in range(8)}
    told = "no change is found at the level 95 %, though builds differ by more than their runs (F test, p < 0.0001)"
    assert change_points(history).notes[0].startswith(told)
