"""Two prices of one machine: the cents of a price per user, another part, another seller, or no reason in print."""

import pytest

from dominoperf import study, tables


def test_why_a_machine_has_two_prices():
    """By hand from Appendices A to C: users times price per user, corrected; half a cent for each user."""
    found = study.two_prices().set_index(["system", "processors"])
    one = found.loc["Compaq ProLiant 5000 P6/200 Model 1-X", 1.0]
    assert one["price_low_usd"] == pytest.approx(1920 * 19.97)
    assert one["difference_usd"] == pytest.approx(720 * 53.26 - 1920 * 19.97)
    assert one["rounding_usd"] == pytest.approx(0.005 * (1920 + 720))
    assert one["reason"].startswith("the cents")
    small = found.loc["Compaq ProSignia 200", 1.0]  # 128 and 256 MB
    assert (small["reason"], small["difference_usd"]) == ("another memory", pytest.approx(700 * 11.77 - 600 * 10.00))
    assert found.loc["Compaq ProLiant 800 P6/200 Model 4300", 1.0]["reason"] == "another operating system"
    assert "nothing printed differs" in found.loc["Compaq ProLiant 3000", 1.0]["reason"]


def test_the_two_totals_of_ibm():
    """Appendix G prints both; its prices per user are those of the quote."""
    row = study.two_prices().iloc[-1]
    assert (row["price_low_usd"], row["price_high_usd"], row["rounding_usd"]) == (29581, 31797, 0)
    assert 2200 * tables.load("ibm_330/results")["price_per_user_usd"][0] == pytest.approx(29581, abs=11)
    assert "quote" in row["reason"]


def test_every_reason_fits_its_difference():
    """No row is without a difference; cents explain no more than they can; no machine stands twice."""
    found = study.two_prices()
    assert (found["difference_usd"] > 0).all()
    cents = found["reason"].str.startswith("the cents")
    assert (found["difference_usd"] <= found["rounding_usd"]).equals(cents)
    assert not found.duplicated(["system", "processors"]).any()
    assert (found["locator"] != "").all()
