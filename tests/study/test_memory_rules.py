"""The line behind a printed table of memory by users: against the printed tables, and by hand."""

import numpy as np
import pytest

from dominoperf.laws.elementary import line
from dominoperf.study.memory_rules import memory_sizing_steps, sizing_rule
from dominoperf.tables import load


@pytest.mark.parametrize(
    ("table", "per_user", "base"), [("table_3_2", 0.64, 192 - 0.64 * 500), ("table_3_3", 1.28, -64)]
)
def test_memory_rules_of_the_document(table, per_user, base):
    """From 500 users on 192 MB and 0.64 a user more (Groupware 1.28 a user less 64), in modules of 64 MB."""
    rows = load(f"compaq_domino45/{table}")
    upper = rows[rows["users"] >= 500]
    found = sizing_rule(upper["users"], upper["ram_least_mb"], 64).set_index("term")
    assert np.isclose(found.loc["per_user", "estimate"], per_user)
    assert found.loc["base", "low"] <= base <= found.loc["base", "high"]
    for terms in ((per_user, base), tuple(found["estimate"][["per_user", "base"]])):
        rounded = np.ceil(np.round(line(upper["users"], *terms) / 64, 9)) * 64
        assert (rounded == upper["ram_least_mb"]).all()


def test_memory_rules_of_whole_tables():
    """One line gives each table, "150 or less" too; that of Table 3-2 has less than 0.64 a user."""
    for table in ("table_3_2", "table_3_3"):
        rows = load(f"compaq_domino45/{table}")
        found = sizing_rule(rows["users"], rows["ram_least_mb"], 64).set_index("term")
        per_user, base = found["estimate"][["per_user", "base"]]
        modules = np.maximum(np.ceil(line(rows["users"], per_user, base) / 64), 1)
        assert (modules * 64 == rows["ram_least_mb"]).all()
        assert (found["low"] < found["estimate"]).all()
        assert (found["estimate"] < found["high"]).all()
    mail = sizing_rule(
        load("compaq_domino45/table_3_2")["users"], load("compaq_domino45/table_3_2")["ram_least_mb"], 64
    )
    assert np.allclose(mail[["low", "high"]], [[-128, -112], [0.608, 0.64]])


def test_memory_rule_that_does_not_exist():
    """Values that no line gives: no numbers, and the reason."""
    found = sizing_rule([100, 200, 300], [128, 512, 128], 64)
    assert found[["estimate", "low", "high"]].isna().all(axis=None)
    assert (found["reason"] == "no straight line, rounded up to 64, gives every value").all()


def test_memory_rule_of_one_row():
    """One row leaves both numbers without ends."""
    assert np.isinf(sizing_rule([300], [512], 64)[["low", "high"]]).all(axis=None)


def test_sizing_steps():
    """Whole modules, one at least; a line that meets a module is not rounded up to the next."""
    assert list(memory_sizing_steps([0, 100, 101], 0.64, 0, 64)) == [64, 64, 128]
    assert list(memory_sizing_steps([500], 0.64, -128, 64)) == [192]
