"""Notebooks run by papermill's own command, without ours: from any folder, their tables beside the output."""

import subprocess
import sys

import pandas as pd
from conftest import ROOT


def run(folder, output, *words):
    """Run the notebook of processors by ``papermill``, as somebody types it in that folder."""
    command = [sys.executable, "-m", "papermill", str(ROOT / "notebooks" / "20_processors.ipynb"), output, *words]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)


def test_tables_stand_beside_the_output(tmp_path):
    """Two outputs with other parameters: neither overwrites the other's tables, and nothing else is made."""
    (tmp_path / "made").mkdir()
    run(tmp_path, "out.ipynb", "-p", "until", "3")
    run(tmp_path, "made/other.ipynb", "-p", "until", "6")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["made", "out.ipynb", "out_tables"]
    assert sorted(path.name for path in (tmp_path / "made").iterdir()) == ["other.ipynb", "other_tables"]
    first = pd.read_csv(tmp_path / "out_tables" / "processors_forecast.csv")
    second = pd.read_csv(tmp_path / "made" / "other_tables" / "processors_forecast.csv")
    assert (list(first["x"]), list(second["x"])) == ([1, 2, 3], [1, 2, 3, 4, 5, 6])
