"""Notebooks run by papermill's own command, without ours: from any folder, their tables beside the output."""

import subprocess
import sys

import pandas as pd
from conftest import ROOT


def run(folder, output, *words):
    """Run the notebook of the documents by ``papermill``, as somebody types it in that folder."""
    command = [sys.executable, "-m", "papermill", str(ROOT / "notebooks" / "00_sources.ipynb"), output, *words]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)


def test_tables_stand_beside_the_output_and_none_is_lost(tmp_path):
    """Nothing else is made. papermill makes an output anew with other parameters: the tables of the first stay.

    Those of the same output and parameters again are renewed.
    """
    (tmp_path / "made").mkdir()
    for source in ("ibm_330", "rhel5", "ibm_330"):
        run(tmp_path, "made/out.ipynb", "-p", "source", source)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["made"]
    assert sorted(path.name for path in (tmp_path / "made").iterdir()) == ["out.ipynb", "out_tables", "out_tables_2"]
    for name, source in (("out_tables", "ibm_330"), ("out_tables_2", "rhel5")):
        assert pd.read_csv(tmp_path / "made" / name / "sources_contents.csv")["source"].item() == source
