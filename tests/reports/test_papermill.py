"""Notebooks run by papermill's own command, without ours: from any folder, their tables beside the output."""

import subprocess
import sys

import pandas as pd
from conftest import ROOT


def run(folder, output, *words):
    """Run the notebook of the documents by ``papermill``, as somebody types it in that folder."""
    command = [sys.executable, "-m", "papermill", str(ROOT / "notebooks" / "00_sources.ipynb"), output, *words]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)


def test_tables_stand_beside_the_output(tmp_path):
    """Two outputs with other parameters: neither overwrites the other's tables, and nothing else is made."""
    (tmp_path / "made").mkdir()
    run(tmp_path, "out.ipynb", "-p", "source", "ibm_330")
    run(tmp_path, "made/other.ipynb", "-p", "source", "rhel5")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["made", "out.ipynb", "out_tables"]
    assert sorted(path.name for path in (tmp_path / "made").iterdir()) == ["other.ipynb", "other_tables"]
    first = pd.read_csv(tmp_path / "out_tables" / "sources_contents.csv")
    second = pd.read_csv(tmp_path / "made" / "other_tables" / "sources_contents.csv")
    assert (list(first["source"]), list(second["source"])) == (["ibm_330"], ["rhel5"])


def test_other_parameters_of_one_output_overwrite_no_table(tmp_path):
    """papermill makes the notebook anew; the tables of the first stay, and those of the same again are renewed."""
    for source in ("ibm_330", "rhel5", "ibm_330"):
        run(tmp_path, "out.ipynb", "-p", "source", source)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.ipynb", "out_tables", "out_tables_2"]
    folders = [tmp_path / name for name in ("out_tables", "out_tables_2")]
    assert [pd.read_csv(folder / "sources_contents.csv")["source"].item() for folder in folders] == ["ibm_330", "rhel5"]
