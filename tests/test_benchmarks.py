"""Printed configurations become numbers; series meet their points."""

import pytest

from dominoperf import benchmarks
from dominoperf.errors import BadTable, UnknownName


def test_mail_series():
    """Appendix A, page A-1, rows 5 to 7: 1,920, 2,850 and 3,400 users on one, two and three processors."""
    points = benchmarks.series("smp_mail")
    assert list(points["processors"]) == [1, 2, 3]
    assert list(points["users"]) == [1920, 2850, 3400]
    assert [place.rpartition(", ")[2] for place in points["locator"]] == [f"row {k} of a_mail" for k in (5, 6, 7)]


def test_unknown_series_teaches():
    """A misspelt series names the near ones."""
    with pytest.raises(UnknownName, match="smp_mail"):
        benchmarks.find("smp_mial")


def test_series_that_lost_a_row_teaches():
    """A row that the table no longer has is named."""
    record = benchmarks.find("smp_mail")
    with pytest.raises(BadTable, match="8xP6"):
        benchmarks.Series(**{**record.__dict__, "rows": {"cpu": ["8xP6/200"]}}).points()


def test_what_stands_beside_the_series():
    """Appendix A, page A-1, rows 1 to 3: the machines with 1 MB of cache; what is confounded is told."""
    found = benchmarks.find("smp_mail")
    assert list(found.beside()["users"]) == [5150, 3600, 2850]
    assert any("Memory grows" in warning for warning in found.warnings)
