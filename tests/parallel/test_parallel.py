"""Work over processes: the same answers to the bit, also when one is killed in the middle; data in partitions."""

import contextlib
import gc
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import fsspec
import numpy as np
import pandas as pd
import pytest
from conftest import ROOT
from elsewhere import AXES, LOAD, curves, drawn, fatal, fatal_once, refused

from dominoperf import fit_many, fit_parts, parallel, planning, tables
from dominoperf.errors import BadTable, CannotFit, CannotRun, UnknownName
from dominoperf.fitting import many
from dominoperf.laws import Law, Param
from dominoperf.parallel import pmap
from dominoperf.planning import grids
from dominoperf.planning.request import request_with_fields

HERE = Path(__file__).parent


@pytest.fixture
def source(tmp_path):
    """Three files of two row groups each."""
    folder = tmp_path / "source"
    folder.mkdir()
    for k in range(3):
        curves(40, 40 * k).to_parquet(folder / f"{k}.parquet", row_group_size=20 * len(LOAD), index=False)
    return folder


def test_a_cluster_that_is_none(monkeypatch):
    """Nothing there, or what never answers; no package for it: the message says what to do, and no client is left."""
    monkeypatch.setattr(parallel, "_CONNECT_S", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        for scheduler in ("", "x", "tcp://127.0.0.1:9", f"127.0.0.1:{port}", f"tcp://127.0.0.1:{port}"):
            with pytest.raises(CannotRun, match=f"scheduler {scheduler}: .*Start both"):
                list(pmap(drawn, [(0, 0)], scheduler=scheduler))
    clients = [each for each in gc.get_objects() if isinstance(each, sys.modules["distributed"].Client)]
    assert [each for each in clients if each.status != "closed"] == []
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(CannotRun, match=r"pip install 'dominoperf\[cluster\]'"):
        list(pmap(drawn, [(0, 0)], scheduler="tcp://127.0.0.1:9"))


def test_processes_give_the_same_and_few_items_are_out(tmp_path):
    """In order and in any order; an endless source is asked for no more than a few items beyond what was taken."""
    items = [(1, chunk) for chunk in range(6)]
    expected = [drawn(item) for item in items]
    assert list(pmap(drawn, items, 2, ordered=True)) == list(pmap(drawn, items, 1)) == expected
    assert sorted(pmap(drawn, items, 2)) == sorted(expected)
    asked = []
    endless = ((1, asked.append(k) or k) for k in range(10**9))
    with contextlib.closing(pmap(drawn, endless, 2, ordered=True)) as found:
        for taken in range(1, 10):
            next(found)
            assert len(asked) <= taken + 2 * parallel._AHEAD
    with pytest.raises(CannotFit, match="here"):
        list(pmap(refused, range(3), 2))


def test_a_killed_process_loses_nothing(tmp_path):
    """What it had in work is done again, once; an item that kills again is named."""
    items = [(k, str(tmp_path / "mark")) for k in range(12)]
    assert list(pmap(fatal_once, items, 2, ordered=True)) == list(range(12))
    assert (tmp_path / "mark").exists()
    with pytest.raises(CannotRun, match=r"item \d+ lost with its process"):
        list(pmap(fatal, range(12), 2))
    assert list(pmap(abs, [-1, -2], 2, ordered=True)) == [1, 2]


def test_processes_end_with_the_one_that_started_them():
    """Of a command that was killed nothing goes on: what it began would be done a second time meanwhile."""
    code = (
        "import os, time\nfrom dominoperf.parallel import pmap\nimport elsewhere\n"
        "for pid in pmap(elsewhere.own_number, range(9), 2): print(pid, flush=True)"
    )
    path = os.pathsep.join([str(ROOT), str(HERE)])
    command, quiet = [sys.executable, "-c", code], {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(command, text=True, env=os.environ | {"PYTHONPATH": path}, **quiet) as process:
        worker = int(process.stdout.readline())
        process.kill()
    for _ in range(200):
        if not _runs(worker):
            return
        time.sleep(0.1)
    os.kill(worker, signal.SIGKILL)
    raise AssertionError("the process goes on")


def _runs(pid):
    state = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False).stdout
    return bool(state.strip()) and not state.startswith("Z")  # ended, and nobody asked for its status


def test_parts_are_as_the_whole(source, tmp_path):
    """The answers of `fit_many` on all the data, to the eighth digit; in two processes and in files those of one."""
    whole = fit_many(pd.concat([curves(40, 40 * k) for k in range(3)]), "usl", by="curve", interval="wald", **AXES)
    settings = {"by": "curve", "interval": "wald"} | AXES
    for jobs in (1, 2):
        found = fit_parts(source, "usl", jobs=jobs, **settings)
        pd.testing.assert_frame_equal(found, whole, rtol=1e-8)
    out, told = tmp_path / "out", []
    listed = fit_parts(source, "usl", out=out.as_uri(), jobs=1, tell=told.append, **settings)
    pd.testing.assert_frame_equal(pd.read_parquet(out), found, check_exact=True, check_dtype=False)
    assert set(listed) <= set(tables.vocabulary())
    assert (told[0], told[-1], listed["kept"].any()) == ("0 of 6, 0 resumed", "6 of 6, 0 resumed", False)


def test_parts_read_the_errors_of_points(tmp_path):
    """And the degrees of freedom beside them; errors that are not there are named in the source's own words."""
    data = curves(3, 0)
    data = data.assign(std_error=0.03 * data[AXES["y"]], dof=2)
    data.to_parquet(tmp_path / "a.parquet")
    settings = {"by": "curve", "y_err": "std_error", "interval": "wald"} | AXES
    whole = fit_many(data, "usl", **settings)
    assert not whole.equals(fit_many(data.drop(columns="dof"), "usl", **settings))
    pd.testing.assert_frame_equal(fit_parts(tmp_path, "usl", jobs=1, **settings), whole, rtol=1e-8)
    with pytest.raises(UnknownName, match=r"column of a\.parquet, row group 0"):
        fit_parts(tmp_path, "usl", jobs=1, **settings | {"y_err": "sd"})


def test_parts_resume(source, tmp_path):
    """What is there stays as it is; what is gone, or of a file that changed, is fitted; others' files stay."""
    out, settings = tmp_path / "out", {"by": "curve", "jobs": 1} | AXES
    first = fit_parts(source, "usl", out=out, **settings)
    (out / "notes.txt").write_text("mine", encoding="utf-8")
    (out / first["part"][3]).unlink()
    inode = (out / first["part"][2]).stat().st_ino
    curves(40, 200).to_parquet(source / "0.parquet", row_group_size=20 * len(LOAD), index=False)
    again = fit_parts(source, "usl", out=out, **settings)
    assert again["kept"].tolist() == [False, False, True, False, True, True]
    assert (out / first["part"][2]).stat().st_ino == inode
    assert {path.name for path in out.iterdir()} == {*again["part"], "notes.txt", many._SETTINGS}
    found = pd.concat([pd.read_parquet(out / name) for name in again["part"]])
    assert found["curve"].tolist() == [*range(200, 240), *range(40, 120)]


def test_parts_of_another_fit_are_refused(source, tmp_path):
    """Results of two fits are never mixed, nor results and source."""
    fit_parts(source, "usl", by="curve", out=tmp_path / "out", jobs=1, **AXES)
    for law, more in (("amdahl", {}), ("usl", {"error": "constant"}), ("usl", {"level": 0.9})):
        with pytest.raises(CannotFit, match="a folder of its own"):
            fit_parts(source, law, by="curve", out=tmp_path / "out", jobs=1, **AXES, **more)
    fit_parts(source, "usl", by="curve", out=tmp_path / "narrow", jobs=1, **AXES, level=0.9)
    with pytest.raises(CannotFit, match=r"found parts fitted with level = 0\.9\."):  # left out now
        fit_parts(source, "usl", by="curve", out=tmp_path / "narrow", jobs=1, **AXES)
    with pytest.raises(CannotFit, match="outside the source"):
        fit_parts(source, "usl", by="curve", out=source / "out", jobs=1, **AXES)


def test_parts_of_a_law_of_ones_own_are_not_kept(tmp_path):
    """Nothing tells whether its code is the same as before."""
    law = Law("root", lambda x, a: a * np.sqrt(x), (Param("a"),), "elementary", example=((1, 2), (9,)))
    curves(2).to_parquet(tmp_path / "a.parquet")
    assert len(fit_parts(tmp_path / "a.parquet", law, by="curve", jobs=1, **AXES)) == 2
    with pytest.raises(CannotFit, match=r"expected a law of the library, .*, found one of your own, root"):
        fit_parts(tmp_path / "a.parquet", law, by="curve", out=tmp_path / "out", jobs=1, **AXES)


def test_a_group_without_a_key_is_in_one_part(tmp_path):
    for k, data in enumerate((curves(1), curves(1))):
        data.assign(curve=np.nan).to_parquet(tmp_path / f"{k}.parquet")
    with pytest.raises(CannotFit, match=r"curve = None in .*0\.parquet, row group 0 and .*1\.parquet, row group 0"):
        fit_parts(tmp_path, "usl", by="curve", jobs=1, **AXES)


def test_a_group_in_two_parts_is_named(tmp_path):
    """Neighbours, strangers, keys of text, several keys; parts whose keys only overlap are good."""
    data = curves(9)
    data.to_parquet(tmp_path / "cut.parquet", row_group_size=6)
    with pytest.raises(CannotFit, match=r"curve = \d in .*cut\.parquet, row group 0 and .*row group 1"):
        fit_parts(tmp_path / "cut.parquet", "usl", by="curve", jobs=1, **AXES)
    for name, keys in (("text", [f"c{k}" for k in data["curve"]]), ("number", data["curve"] % 4 * 1.0)):
        folder = tmp_path / name
        folder.mkdir()
        data = data.assign(key=keys)
        for k, which in enumerate(([0, 8], [1, 7], [2, 6], [3, 5], [4])):
            data[data["curve"].isin(which)].to_parquet(folder / f"{k}.parquet")
        settings = {"by": ["key", "curve"], "jobs": 1} | AXES
        assert len(fit_parts(folder, "usl", **settings)) == 9
        data[data["curve"] == 8].iloc[:2].to_parquet(folder / "9.parquet")
        with pytest.raises(CannotFit, match=r"curve = 8 in .*0\.parquet, row group 0 and .*9\.parquet, row group 0"):
            fit_parts(folder, "usl", **settings)


def test_data_in_memory():
    """A URL in, a URL out, in this process alone; folders may name a column."""
    system = fsspec.filesystem("memory")
    try:
        for k in range(2):
            curves(5).to_parquet(f"memory://fits/in/run={k}/a.parquet", index=False)
        listed = fit_parts("memory://fits/in", "usl", by=["run", "curve"], out="memory://fits/out", jobs=2, **AXES)
        found = pd.concat([pd.read_parquet(f"memory://fits/out/{name}") for name in listed["part"]])
        assert found["run"].tolist() == [0] * 5 + [1] * 5
        expected = fit_many(curves(5), "usl", by="curve", **AXES)
        pd.testing.assert_frame_equal(
            found[found["run"] == 1].drop(columns="run"), expected, check_exact=True, check_dtype=False
        )
        with pytest.raises(CannotRun, match="memory"):
            fit_parts("memory://fits/in", "usl", by="curve", scheduler="tcp://127.0.0.1:9", **AXES)
    finally:
        system.rm("/fits", recursive=True)


def test_sources_that_are_none(source, tmp_path):
    """No file, no Parquet, no such protocol, no such column, a cell that is no number: each names its place."""
    (tmp_path / "empty").mkdir()
    for place in (tmp_path / "empty", tmp_path / "gone", "nope://x"):
        with pytest.raises(BadTable):
            fit_parts(place, "usl", by="curve", **AXES)
    with pytest.raises(UnknownName, match=r"0\.parquet.*Did you mean curve"):
        fit_parts(source, "usl", by="curv", **AXES)
    curves(3, 500).assign(rate=-1.0).to_parquet(source / "8.parquet")
    with pytest.raises(CannotFit, match=r"8\.parquet, row group 0: .*column rate, row 1.*above zero"):
        fit_parts(source, "usl", by="curve", jobs=1, **AXES)
    (source / "9.parquet").write_text("no", encoding="utf-8")
    with pytest.raises(BadTable, match=r"9\.parquet"):
        fit_parts(source, "usl", by="curve", **AXES)


def test_plans_in_chunks(monkeypatch):
    """Two processes plan as one does; the futures of a row have a seed of their own, wherever it is planned."""
    monkeypatch.setattr(grids, "PLANS_AT_ONCE", 3)
    monkeypatch.setattr(grids, "RISKS_AT_ONCE", 2)
    request, table = planning.with_spread(planning.example(), 20), pd.DataFrame({"mail.users": [100, 800, 3000, -5, 9]})
    table["mail.spread"] = None
    one, two = (planning.grid(request, table, jobs=jobs) for jobs in (1, 2))
    pd.testing.assert_frame_equal(one, two)
    glances = [planning.plan(request_with_fields(request, {"mail.users": n})).glance() for n in (800,)]
    assert one.loc[1, glances[0].columns].tolist() == glances[0].iloc[0].tolist()
    table = pd.DataFrame({"months_ahead": [0, 0, 12, 24], "growth_percent": 10})
    one, two = (planning.risks(request, table, n=500, seed=4, jobs=jobs) for jobs in (1, 2))
    pd.testing.assert_frame_equal(one, two)
    assert one["draws"].tolist() == [500] * 4
    assert one["probability"].nunique() > 1
    assert one["systems_bound"][0] != one["systems_bound"][1]
