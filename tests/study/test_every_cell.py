"""Every printed cell beside what regenerates it: nothing is lost, nothing measured is called regenerated."""

import re

import numpy as np
import pandas as pd
import pytest
from conftest import ROOT

from dominoperf import fit, tables
from dominoperf.cli import main
from dominoperf.study import capacity_evidence, recompute
from dominoperf.study.recompute import regenerated_cells, regeneration

README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def made():
    return regenerated_cells.every_table()


def test_every_printed_cell_is_there_once_for_each_way(made):
    """Each cell that a table prints, ours (labels and units) too; a way gives a cell one value."""
    assert list(made) == [id for id in tables.list_tables()["id"] if not tables.is_view(id)]
    for id, frame in made.items():
        printed = tables.load(id, "printed", text=True).drop(columns="locator", errors="ignore")
        cells = frame.drop_duplicates(["row", "column"])
        assert len(cells) == (printed != "").to_numpy().sum()
        assert all(printed[cell.column][cell.row - 1] == cell.printed for cell in cells.itertuples())
        assert not frame.duplicated(["row", "column", "how"]).any()
        assert set(frame["how"]) <= set(regenerated_cells.HOW)


def test_readme_has_the_share_that_is_computed_again(made):
    """Of all printed cells, and by the ways: each cell counts once, by the first of its ways."""
    counts = regenerated_cells.kinds(made).groupby("how")["cells"].sum()
    exact, percent = ["other table", "arithmetic", "planner"], (100 * counts / counts.sum())
    shares = [100 - percent["copied"], percent[exact].sum(), percent["law"], percent["predicted"]]
    said = re.search(r"compute (\d+) % of the printed cells again: (\d+) %.*?(\d+) %.*?(\d+) %", README, re.DOTALL)
    assert [int(number) for number in said.groups()] == [*map(round, shares)]


def test_a_prediction_is_not_called_regenerated(made):
    """The users of each run beside the model without its machine; where a law gives them too, both are there."""
    left_out = capacity_evidence.left_out("machine", unknown_memory=True).set_index("run")
    busy = capacity_evidence.utilization_left_out().set_index("run")
    rows = utilizations = 0
    for id, frame in made.items():
        predicted = frame[frame["how"] == "predicted"]
        utilizations += (predicted["column"] == "cpu_utilization_percent").sum()
        rows += (predicted["column"] == "users").sum()
        assert (predicted["regenerated"] == "").all()
        assert (frame[frame["how"] != "predicted"]["regenerated"] != "").all()
        for cell in predicted.itertuples():
            forecast = (left_out if cell.column == "users" else busy).loc[f"{id}#{cell.row}"]
            assert [cell.predicted, cell.low, cell.high, cell.inside] == pytest.approx(
                list(forecast[["predicted", "low", "high", "inside"]])
            )
    assert rows == len(left_out) == 26  # three of them of machines whose memory is not printed
    assert utilizations == busy.index.str.startswith("domino6").sum() == 47
    both = made["compaq_domino45/a_mail"].query("row == 7 and column == 'users'")
    assert list(both["how"]) == ["law", "predicted"]


def test_the_planner_gives_every_number_of_the_case_study(made):
    """By the document's own rules, to the last digit; of the worked examples what a plan gives."""
    numbers = made["compaq_domino45/case_study"].query("column == 'value'")
    assert set(numbers["how"]) == {"planner"}
    assert len(numbers) == 128
    assert list(numbers["regenerated"]) == list(numbers["printed"])
    examples = made["compaq_domino45/worked_examples"].query("column == 'value'")
    assert set(examples["how"]) == {"planner", "copied"}


def test_users_by_processors_follow_from_the_law(made):
    """Amdahl's law through the three points, with the interval of one more run."""
    cells = made["compaq_domino45/a_mail"].query("column == 'users' and how == 'law'")
    ahead = fit("amdahl", "smp_mail").predict([1, 2, 3])
    assert np.allclose(cells[["low", "high"]], ahead[["obs_low", "obs_high"]])
    assert list(cells["regenerated"]) == ["1,920", "2,850", "3,400"]
    assert (cells["inside"] == 1).all()


def test_the_interactive_response_law_finds_the_wrong_row(made):
    """1,000 users at 1,425 a minute: with the think time of the other runs, near 8.5 s and not .147 s."""
    cells = made["compaq_domino45/a_discdb"].query("row == 4 and how == 'law'").set_index("column")
    assert cells.loc["response_s", "inside"] == cells.loc["notesmark_tpm", "inside"] == 0
    others = [60 * 825 / 1427 - 1.102, 60 * 720 / 1248 - 1.025, 60 * 900 / 1491 - 2.795, 60 * 700 / 1211 - 1.097]
    assert float(cells.loc["response_s", "regenerated"]) == pytest.approx(
        60 * 1000 / 1425 - np.median(others), abs=5e-4
    )


def test_the_interactive_response_law_reads_runs_in_columns_and_of_other_documents(made):
    """IBM's one Mail run by the think time of Compaq's; Red Hat's two loads, a column each, by each other's."""
    ibm = made["ibm_330/results"].query("how == 'law' and row == 1").set_index("column")
    assert "runs of Mail in other documents" in ibm.loc["notesmark_tpm", "computed_from"]
    assert (ibm["inside"] == 1).all()
    think = 60 * 1200 / 118 - 0.182895
    for id, column, unit in (("rhel5/nb_domstat", "driver_1", 1), ("rhel5/results", "value_600_users", 1000)):
        cells = made[id][(made[id]["how"] == "law") & (made[id]["column"] == column)]
        cells = cells.set_index("row")["regenerated"].astype(float)
        assert cells.loc[2] == round(60 * 600 / (0.26661 + think)) == 59
        assert cells.iloc[1] == pytest.approx(unit * (60 * 600 / 59 - think), rel=1e-4)


def test_one_task_has_one_cpu_time(made):
    """The utilization law asks more than the whole processor of the table whose heading counts workstations wrongly."""
    wrong = made["compaq_netware/table_4_7"].query("how == 'law'")
    assert len(wrong) == 3
    assert (wrong["inside"] == 0).all()
    assert (wrong["low"] > 100).all()
    others = pd.concat([made[f"compaq_netware/table_4_{k}"].query("how == 'law'") for k in (1, 2, 3, 4, 5, 8)])
    assert len(others) == 12
    assert (others["low"] < 80).all()


def test_the_actions_of_a_script_follow_from_its_settings(made):
    cells = made["rhel5/table_4"].query("column == 'count' and how != 'copied'")
    assert list(cells["row"]) == [2, 3, 4, 5, 6, 7, 8, 10, 14]
    assert list(cells["regenerated"]) == list(cells["printed"])


def test_the_sizing_rule_gives_the_memory_tables(made):
    for name in ("table_3_2", "table_3_3"):
        cells = made[f"compaq_domino45/{name}"].query("column == 'ram_least_mb'")
        assert set(cells["how"]) == {"law"}
        assert list(cells["regenerated"]) == list(cells["printed"])


def test_kinds_count_each_cell_once(made):
    counts = regenerated_cells.kinds(made)
    for source, cells in counts.groupby("source")["cells"].sum().items():
        assert cells == len(tables.cells(source))  # ours are not counted
    totals = counts.groupby("how")["cells"].sum()
    assert totals["planner"] == 128 + 65
    assert totals["predicted"] == 26 - 8 + 47  # but the users that a law gives
    assert totals.drop(["copied", "predicted"]).sum() > 560


def test_a_table_that_cannot_be_made_is_named(monkeypatch):
    """An expression in a column that is not there: its table says why, the others are made."""
    formulas = regeneration._formulas_by_id() | {"ibm_330/results": {"prise": {"1": "users"}}}
    monkeypatch.setattr(regeneration, "_formulas_by_id", lambda: formulas)
    made = regenerated_cells.every_table("ibm_330")
    assert made["ibm_330/results"].empty
    assert (
        "recomputed.toml, ibm_330/results: expected a known name, found 'prise'"
        in made["ibm_330/results"].attrs["reason"]
    )
    assert len(made["ibm_330/pricing"])
    formulas["ibm_330/results"] = {"users": {"9": "users"}}
    assert (
        "expected a row from 1 to 2, found row 9"
        in regenerated_cells.every_table("ibm_330")["ibm_330/results"].attrs["reason"]
    )


def test_what_cannot_be_recomputed_is_named_and_the_rest_is_shown(monkeypatch, capsys):
    """`dominoperf diff` and the page of the document: counts of the other tables, the table without its third view."""
    formulas = regeneration._formulas_by_id() | {"ibm_330/results": {"price_per_user_usd": {"each": "quote / users"}}}
    monkeypatch.setattr(regeneration, "_formulas_by_id", lambda: formulas)
    assert main(["diff"]) == 1
    printed = capsys.readouterr()
    assert "ibm_330/results: not regenerated: recomputed.toml, ibm_330/results, price_per_user_usd" in printed.err
    assert "ibm_330/pricing" in printed.out
    assert list(recompute.failing("ibm_330")) == ["ibm_330/results"]
    pages = {page.about.id: page for page in recompute.pages("ibm_330").pages}
    assert pages["ibm_330/results"].more is None
    assert pages["ibm_330/pricing"].more


def test_a_table_of_ones_own_keeps_its_headings(tmp_path, monkeypatch):
    """Response in milliseconds and throughput under other names: N = X (R + Z) gives them in their own unit."""
    csv = "system,processors,workload,users,Response (ms),tpm\n"
    csv += "".join(f"A,{n},Mail,{users},{ms},{tpm}\n" for n, users, ms, tpm in
                   ((1, 1250, 310, 4870), (2, 2310, 335, 9010), (4, 3950, 402, 15400)))  # fmt: skip
    (tmp_path / "runs.csv").write_text(csv)
    meant = {"Response (ms)": "response_s", "tpm": "notesmark_tpm"}
    tables.new(tmp_path / "mini", tmp_path / "runs.csv", title="t", source="s", licence="CC0-1.0", names=meant,
               units={"tpm": "tpm"})  # fmt: skip
    monkeypatch.setenv("DOMINOPERF_DATA", str(tmp_path / "mini"))
    cells = regenerated_cells.every_table("mini")["mini/runs"].set_index(["row", "column"])["regenerated"]
    think = np.median([60 * 1250 / 4870 - 0.31, 60 * 3950 / 15400 - 0.402])  # of the two other runs
    assert float(cells[2, "Response (ms)"]) == pytest.approx(1000 * (60 * 2310 / 9010 - think), abs=0.5)
    assert float(cells[2, "tpm"]) == pytest.approx(60 * 2310 / (0.335 + think), abs=0.5)
