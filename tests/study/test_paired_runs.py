"""Pairs of runs, quoted gains and two prices of one machine: what they say, and what else differs."""

import numpy as np
import pandas as pd
import pytest

from dominoperf import runs, study, tables
from dominoperf.errors import UnknownName
from dominoperf.study import paired_runs


def test_pairs_of_the_second_level_cache():
    """Appendix A, page A-1: 1,500 to 1,920 users, 2,850 to 2,850 and 3,400 to 3,600; server and memory differ."""
    found = study.pairs("l2_kb")
    own = found[~found["other_differences"].str.contains("operating system")]
    assert own["users_baseline"].tolist() == [1500, 2850, 3400]
    assert own["users_comparison"].tolist() == [1920, 2850, 3600]
    assert set(own["other_differences"]) == {"server, memory"}
    assert np.allclose(own["gain_per_doubling_percent"], [28, 0, 100 * (3600 / 3400 - 1)])
    assert len(found) == 9  # the others cross from OS/2 or NetWare
    implied = found[found["implied_by"] != ""]
    assert implied[["baseline", "implied_by", "comparison"]].to_numpy().tolist() == [
        ["compaq_domino45/b_mail#2", "compaq_domino45/a_mail#6", "compaq_domino45/a_mail#3"]
    ]


def test_pairs_of_the_clock():
    """Table 3-1 and Appendix A; what the table does not print is unknown, and no difference."""
    found = study.pairs("clock_mhz", same=("workload", "processor_family", "processors"))
    assert found["users_comparison"].tolist() == [600, 740, 740, 2200, 825]
    assert np.allclose(found["exponent"], [1.890, 1.477, 0.946, 5.141, 0.650], atol=5e-4)
    assert found["other_differences"].tolist() == ["cache", "cache", "", "server, memory", "server, memory"]
    assert not found["unknown"].head(3).str.contains("cache").any()  # the text names the caches of the Pentiums
    assert found["unknown"].tail(2).str.contains("cache").all()
    assert study.pairs("clock_mhz")["users_comparison"].tolist() == [740, 2200, 825]  # none with two caches
    assert found["implied_by"].tolist() == ["", "compaq_domino45/table_3_1#2", "", "", ""]
    assert found["ratio"][1] == pytest.approx(found["ratio"][0] * found["ratio"][2])
    assert paired_runs.pair_labels(found)[4] == "DiscDB, 1 x Pentium II, 233 to 300 MHz"


def test_pairs_by_hand():
    """Four times the memory, twice the users: exponent a half, 41 % a doubling; spelling makes no other server."""
    rows = {"run": ["a", "b"], "users": [100, 200], "ram_mb": [64, 256], "system": ["Server 1-X", "Server 1- X"]}
    rows |= {"domino_release": ["R4.5", "Domino 4.51 Server"], "workload": "Mail", "locator": "here"}
    frame = pd.DataFrame(rows).reindex(columns=["run", "users", "locator", *runs.benchmarks().columns[2:14]])
    frame = frame.loc[:, ~frame.columns.duplicated()].assign(workload="Mail")
    (pair,) = study.pairs("ram_mb", frame).to_dict("records")
    assert pair["exponent"] == pytest.approx(0.5)
    assert pair["gain_per_doubling_percent"] == pytest.approx(100 * (2**0.5 - 1))
    assert (pair["baseline"], pair["other_differences"], pair["locator"]) == ("a", "release", "here")
    assert study.pairs("ram_mb", frame, same=("domino_release",)).empty


def test_a_pair_needs_a_number_of_a_machine():
    """A name or a result is no factor."""
    with pytest.raises(UnknownName, match="l2_kb"):
        study.pairs("system")


def test_quoted_gains_in_both_readings():
    """System Processor (CPU): 20 % faster is 1.2 of the speed or 1.25; 156 % can be no less time; 58 % less load."""
    found = paired_runs.quoted_gains("compaq_netware/cpu_upgrades")
    assert found["ratio"].round(3).tolist()[:4] == [1.2, 1.25, 1.5, 2.56]
    assert found["reading"].tolist()[:4] == ["more", "less time", "more", "more"]
    assert found["ratio"].iloc[-1] == pytest.approx(1 / 0.42)
    assert found["exponent"].iloc[0] == pytest.approx(np.log(1.2) / np.log(100 / 66))
    assert set(found.loc[found["exponent"].isna(), "reason"]) == {"another processor family"}


def test_quoted_gains_of_users():
    """Page 3-2/3-3: a factor, a percentage, a range read at both ends; one clock has no exponent."""
    found = paired_runs.quoted_gains("compaq_domino45/processor_ratios")
    assert found["ratio"].tolist() == pytest.approx([3, 1.42, 1.2, 1.3, 1.28])
    assert found["exponent"].isna().all()
    assert found["reason"].tolist() == 2 * ["another processor family"] + 3 * ["the clock is the same"]


def test_runs_with_a_price_of_ones_own(tmp_path):
    """A price without a price per user counts with their quotient; what no run has is refused, with what there is."""
    (tmp_path / "own.csv").write_text(
        "system,workload,operating_system,users,price_usd\nBox,Mail,Linux (64),500,9000\n"
    )
    tables.new(tmp_path / "shop", from_=tmp_path / "own.csv", title="Shop", source="A test")
    with tables.using(tmp_path / "shop"):
        run = paired_runs.priced_runs("Mail", "Linux (64)").iloc[0]
        assert (run["users"], run["price_usd"], run["price_per_user_usd"]) == (500, 9000, 18)
        assert run["origin"] == "derived: price_per_user_usd"
    with pytest.raises(UnknownName, match=r"found 'Nope'. Known are Mail, DiscDB"):
        paired_runs.priced_runs("Nope", "Windows NT")
    with pytest.raises(UnknownName, match=r"platform of runs with a price.*found 'Linux'"):
        paired_runs.priced_runs("Mail", "Linux")


def test_why_a_machine_has_two_prices():
    """By hand from Appendices A to C: users times price per user, corrected; half a cent for each user."""
    found = paired_runs.two_prices().set_index(["system", "processors"])
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
    row = paired_runs.two_prices().iloc[-1]
    assert (row["price_low_usd"], row["price_high_usd"], row["rounding_usd"]) == (29581, 31797, 0)
    assert 2200 * tables.load("ibm_330/results")["price_per_user_usd"][0] == pytest.approx(29581, abs=11)
    assert "quote" in row["reason"]


def test_every_reason_fits_its_difference():
    """No row is without a difference; cents explain no more than they can; no machine stands twice."""
    found = paired_runs.two_prices()
    assert (found["difference_usd"] > 0).all()
    cents = found["reason"].str.startswith("the cents")
    assert (found["difference_usd"] <= found["rounding_usd"]).equals(cents)
    assert not found.duplicated(["system", "processors"]).any()
    assert (found["locator"] != "").all()
