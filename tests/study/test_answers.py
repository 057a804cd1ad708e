"""Sentences that open the notebooks: their numbers, worked out again from the tables beside them."""

import pytest

from dominoperf import compare, fit, study


@pytest.mark.parametrize("law", ["drive_power", "spindles", "drive_hyperbola"])
def test_a_law_predicts_within_a_percentage_of_the_observed(law):
    """A logarithm of 0.5 is two thirds too much, not a half; the answer is rounded up to a tenth of a percent."""
    laws = compare("disk", "spindles", interval="none")
    left = laws.left_out().query("law == @law and x > 1")
    worst = max(abs(100 * row.predicted / row.observed - 100) for row in left.itertuples())
    words = study.answer_disk(laws, fit(law, "spindles"), study.capacity_shares(), drives=3)
    told = float(words.partition("from the others within ")[2].partition(" %")[0])
    assert 0 <= told - worst <= 0.1 + 1e-9
