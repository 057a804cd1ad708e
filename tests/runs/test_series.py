"""Named series meet their points, as the pages print them."""

import pytest

from dominoperf import fit, runs
from dominoperf.errors import BadTable


def test_mail_series():
    """Appendix A, page A-1, rows 5 to 7: 1,920, 2,850 and 3,400 users on one, two and three processors."""
    points = runs.series("smp_mail")
    assert list(points["processors"]) == [1, 2, 3]
    assert list(points["users"]) == [1920, 2850, 3400]
    assert [place.rpartition(", ")[2] for place in points["locator"]] == [f"row {k} of a_mail" for k in (5, 6, 7)]


def test_series_that_lost_a_row_teaches():
    """A row that the table no longer has is named."""
    record = runs.find("smp_mail")
    with pytest.raises(BadTable, match="8xP6"):
        runs.Series(**{**record.__dict__, "rows": {"cpu": ["8xP6/200"]}}).points()


def test_what_stands_beside_the_series():
    """Appendix A, page A-1, rows 1 to 3: the machines with 1 MB of cache; what is confounded is told."""
    found = runs.find("smp_mail")
    assert list(found.left_out_points()["users"]) == [5150, 3600, 2850]
    assert any("Memory grows" in warning for warning in found.warnings)


@pytest.mark.parametrize(
    ("name", "x", "y"),
    [
        ("smp_discdb", [1, 2, 3], [720, 900, 1000]),  # page
        ("smp_mail_os2", [1, 2], [1300, 1900]),  # page B-1
        ("clock_mail", [100, 133, 166], [350, 600, 740]),  # Table 3-1
        ("clock_mail_clean", [133, 166], [600, 740]),  # Table 3-1, the two with 2 MB of cache
        ("cache_mail", [256, 512], [1500, 1920]),  # Table 3-1
        ("spindles", [1, 4, 7, 14], [631, 137, 129, 124]),  # Table 3-4
    ],
)
def test_points_of_the_series(name, x, y):
    """The points as their pages print them; x may be read from a description."""
    points = runs.series(name)
    assert points.iloc[:, 0].tolist() == x
    assert points.iloc[:, 1].tolist() == y
    assert runs.find(name).warnings


def test_rules_are_series_too():
    """The memory tables: 14 and 6 rows, fitted without errors."""
    assert [len(runs.series(name)) for name in ("memory_mail", "memory_groupware")] == [14, 6]
    assert fit("linear", "memory_mail").error_from == "rule"


def test_columns_in_proportion_to_the_first_row():
    """DiscDB: users 720, 900, 1000 and transactions 1248, 1491, 1425 a minute, each over the first."""
    found = runs.find("smp_discdb").relative("users", "notesmark_tpm")
    assert found["value"].tolist() == [720, 900, 1000, 1248, 1491, 1425]
    assert found["ratio"].tolist() == pytest.approx([1, 900 / 720, 1000 / 720, 1, 1491 / 1248, 1425 / 1248])
    assert found["processors"].tolist() == [1, 2, 3] * 2
