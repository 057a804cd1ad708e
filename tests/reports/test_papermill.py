"""Notebooks run by papermill's own command, without ours: from any folder, their tables beside the output."""

import shutil
import subprocess
import sys

import pandas as pd
from conftest import write_notebook

SAVES = """import pandas
from dominoperf import reports
reports.save(pandas.DataFrame({'source': [source]}), 't', computed_from='claims')"""


def test_tables_stand_beside_the_output_and_none_is_lost(tmp_path):
    """Nothing else is made. papermill makes an output anew with other parameters: the tables of the first stay.

    Those of the same output and parameters again are renewed.
    """
    made = tmp_path / "work" / "made"
    made.mkdir(parents=True)
    notebook = write_notebook(tmp_path / "n.ipynb", SAVES, parameters="source: str = ''")

    def run():
        command = [sys.executable, "-m", "papermill", str(notebook), "made/out.ipynb", "-p", "source", "ibm_330"]
        subprocess.run(command, cwd=tmp_path / "work", check=True, capture_output=True)

    run()
    assert sorted(path.name for path in (tmp_path / "work").iterdir()) == ["made"]
    assert sorted(path.name for path in made.iterdir()) == ["out.ipynb", "out_tables"]
    (made / "out_tables" / "t.csv").write_text("source\nold\n")
    shutil.copytree(made / "out_tables", made / "out_tables_2")
    (told,) = (made / "out_tables").glob(".*.json")  # as if the first were of other parameters
    told.write_text(told.read_text().replace("ibm_330", "rhel5"))
    run()
    assert sorted(path.name for path in made.iterdir()) == ["out.ipynb", "out_tables", "out_tables_2"]
    for name, source in (("out_tables", "old"), ("out_tables_2", "ibm_330")):
        assert pd.read_csv(made / name / "t.csv")["source"].item() == source
