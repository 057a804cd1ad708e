"""An existing Dask cluster: the same answers to the bit as here, also when a worker is killed in the middle."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from conftest import ROOT, write_notebook
from elsewhere import AXES, LOAD, curves, drawn

from dominoperf import fit_parts, planning, reports
from dominoperf.parallel import pmap

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """A Dask scheduler and two workers, processes of their own on the loopback: its address, the workers' numbers."""
    place = tmp_path_factory.mktemp("cluster")
    path = os.pathsep.join([str(ROOT), str(HERE), os.environ.get("PYTHONPATH", "")])
    command = [sys.executable, str(HERE / "forked_cluster.py"), str(place), "2"]
    quiet = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "text": True}
    with subprocess.Popen(command, env=os.environ | {"PYTHONPATH": path}, cwd=place, **quiet) as process:
        address, *workers = process.stdout.readline().split()
        yield address, [*map(int, workers)]
        process.terminate()


def test_fits_of_partitions(cluster, tmp_path):
    """Each worker reads and writes its parts; what they hold is what one process here gives."""
    source = tmp_path / "source"
    source.mkdir()
    for k in range(3):
        curves(40, 40 * k).to_parquet(source / f"{k}.parquet", row_group_size=20 * len(LOAD), index=False)
    there = fit_parts(source, "usl", by="curve", scheduler=cluster[0], out=tmp_path / "there", **AXES)
    assert there["curves"].tolist() == [20] * 6
    here = fit_parts(source, "usl", by="curve", jobs=1, **AXES)
    pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / "there"), here, check_exact=True, check_dtype=False)


def test_plans(cluster):
    """A table of plans, one of which cannot be."""
    request, table = planning.example(), pd.DataFrame({"mail.users": [100, 800, -5]})
    there = planning.grid(request, table, scheduler=cluster[0])
    pd.testing.assert_frame_equal(there, planning.grid(request, table), check_exact=True)


def test_notebooks(cluster, tmp_path):
    """The notebook travels to the workers, its tables come back."""
    place = "pathlib.Path(os.environ['DOMINOPERF_OUT'], 'doubled.csv')"
    cell = f"import os, pathlib\n{place}.write_text(f'double\\n{{2 * n}}')"
    notebook = write_notebook(tmp_path / "one.ipynb", cell)
    found = reports.sweep(notebook, {"n": [2]}, out=tmp_path / "swept", scheduler=cluster[0])
    assert (found.out / "tables" / "doubled.csv").read_text() == "n,double\n2,4\n"


def test_a_killed_worker_loses_nothing(cluster):
    """Seeded draws in order, with both workers, then with one killed on the way: the same to the bit."""
    address, workers = cluster
    items = [(3, chunk) for chunk in range(20)]
    expected = [drawn(item) for item in items]
    assert list(pmap(drawn, items, scheduler=address, ordered=True)) == expected
    there = pmap(drawn, items, scheduler=address, ordered=True)
    first = next(there)
    os.kill(workers[0], signal.SIGKILL)
    assert [first, *there] == expected
