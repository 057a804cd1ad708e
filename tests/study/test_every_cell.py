"""Every printed cell beside what regenerates it: nothing is lost, nothing measured is called regenerated."""

import numpy as np
import pytest

from dominoperf import fit, tables
from dominoperf.study import capacity_evidence, recompute
from dominoperf.study.recompute import regeneration


@pytest.fixture(scope="module")
def made():
    return recompute.every_table()


def test_every_printed_cell_is_there_once_for_each_way(made):
    """Each cell that a table prints, ours (labels and units) too; a way gives a cell one value."""
    assert list(made) == [id for id in tables.list_tables()["id"] if not tables.is_view(id)]
    for id, frame in made.items():
        printed = tables.load(id, "printed", text=True).drop(columns="locator", errors="ignore")
        cells = frame.drop_duplicates(["row", "column"])
        assert len(cells) == (printed != "").to_numpy().sum()
        assert all(printed[cell.column][cell.row - 1] == cell.printed for cell in cells.itertuples())
        assert not frame.duplicated(["row", "column", "how"]).any()
        assert set(frame["how"]) <= set(recompute.HOW)


def test_a_prediction_is_not_called_regenerated(made):
    """The users of each run beside the model without its machine; where a law gives them too, both are there."""
    held_out = capacity_evidence.held_out("machine").set_index("run")
    rows = 0
    for id, frame in made.items():
        predicted = frame[frame["how"] == "predicted"]
        rows += len(predicted)
        assert (predicted["regenerated"] == "").all()
        assert (frame[frame["how"] != "predicted"]["regenerated"] != "").all()
        for cell in predicted.itertuples():
            forecast = held_out.loc[f"{id}#{cell.row}"]
            assert [cell.predicted, cell.low, cell.high, cell.inside] == pytest.approx(
                list(forecast[["predicted", "low", "high", "inside"]])
            )
    assert rows == len(held_out) == 23
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


def test_the_sizing_rule_gives_the_memory_tables(made):
    for name in ("table_3_2", "table_3_3"):
        cells = made[f"compaq_domino45/{name}"].query("column == 'ram_min_mb'")
        assert set(cells["how"]) == {"law"}
        assert list(cells["regenerated"]) == list(cells["printed"])


def test_kinds_count_each_cell_once(made):
    counts = recompute.kinds(made)
    cells = sum(len(frame.drop_duplicates(["row", "column"])) for frame in made.values())
    assert counts["cells"].sum() == cells
    totals = counts.groupby("how")["cells"].sum()
    assert totals["planner"] == 128 + 65
    assert totals["predicted"] == 23 - 8  # those that no law gives
    assert totals.drop(["copied", "predicted"]).sum() > 480


def test_a_table_that_cannot_be_made_is_named(monkeypatch):
    """An expression in a column that is not there: its table says why, the others are made."""
    formulas = regeneration._formulas() | {"ibm_330/results": {"prise": {"1": "users"}}}
    monkeypatch.setattr(regeneration, "_formulas", lambda: formulas)
    made = recompute.every_table("ibm_330")
    assert made["ibm_330/results"].empty
    assert (
        "recomputed.toml, ibm_330/results: expected a known name, found 'prise'"
        in made["ibm_330/results"].attrs["reason"]
    )
    assert len(made["ibm_330/pricing"])
    formulas["ibm_330/results"] = {"users": {"9": "users"}}
    assert (
        "expected a row from 1 to 2, found row 9" in recompute.every_table("ibm_330")["ibm_330/results"].attrs["reason"]
    )
