"""Ratios of printed numbers by hand: percentages in their readings, rounding as intervals."""

import numpy as np
import pandas as pd
import pytest

from dominoperf.study import changes
from dominoperf.study.changes import speed_ratios


def test_response_by_memory_of_the_document():
    """56 % less is 0.44 of the response, within half a percent; the base is one by definition; growth lies above."""
    found = changes.response_by_memory()
    assert len(found) == 12
    mail = found[found["workload"] == "Mail"]
    assert list(mail["ram_mb"]) == [128, 192, 256]
    assert np.allclose(mail[["ratio", "low", "high"]], [[1, 1, 1], [0.44, 0.435, 0.445], [0.315, 0.3145, 0.3155]])
    assert list(found.loc[found["workload"] == "Repl_Hub", "ratio"]) == [1, 1.03, 1.05]


def test_local_exponents_by_hand():
    """Twice the memory and a quarter of the response: 2; rounding moves both ends."""
    ratios = pd.DataFrame({"workload": "a", "ram_mb": [64.0, 128.0], "ratio": [1, 0.25], "low": [1, 0.2]})
    found = changes.local_exponents(ratios.assign(high=[1, 0.5])).iloc[0]
    assert np.allclose(found[["estimate", "low", "high"]].astype(float), [2, 1, np.log2(5)])
    assert list(found[["ram_base_mb", "ram_mb"]]) == [64, 128]


def test_no_single_power_of_memory():
    """In no workload do the steps agree but where nothing changed."""
    steps = changes.local_exponents(changes.response_by_memory())
    apart = steps.groupby("workload").apply(lambda two: two["low"].max() > two["high"].min(), include_groups=False)
    assert apart.to_dict() == {"Groupware_A": True, "Mail": True, "MailDB": True, "Repl_Hub": False}


def test_table_ratios():
    """Seconds and minutes, each over the first row of its table; two equal rounded numbers are equal within a step."""
    found = changes.table_ratios("compaq_netware/table_4_3", "compaq_netware/table_4_7")
    assert np.allclose(found["ratio"], [1, 19.66 / 19.93, 19.71 / 19.93])
    assert list(found["metric"]) == ["response_s", "response_min", "response_min"]
    assert np.isclose(found["high"][0], 1569.5 / 1568.5)
    assert np.isclose(found["low"][1], 19.655 / 19.935)


def test_readings_of_a_percentage():
    """60 % better is 1.6 or 1/0.4 of the speed, of performance the one alone; 64 % longer 1/1.64; a range has ends."""
    row = {"metric": "response time", "direction": "better", "unit": "percent", "value_upper": np.nan, "value": 60}
    drives = {"direction": "increase", "comparison": "7 drives", "value": 10}
    for other, readings in (
        ({}, {"more": 1.6, "less time": 1 / 0.4}),
        ({"metric": "performance"}, {"more": 1.6}),
        ({"value": 500}, {"more": 6}),
        ({"value": 64, "direction": "increase"}, {"longer": 1 / 1.64}),
        (drives, {"more": 1.1, "less time": 1 / 0.9}),
        ({"value": 3, "unit": "1"}, {"factor": 3}),
        ({"value": 5, "direction": "lower", "metric": "CPU utilization"}, {"less load": 1 / 0.95}),
    ):
        assert dict(speed_ratios(row | other)) == pytest.approx(readings)
    both = speed_ratios(row | {"metric": "performance", "value": 10, "value_upper": 15})
    assert both == [("more", 1.1), ("more", pytest.approx(1.15))]


def test_stated_ratios():
    """Every sentence but the shares of capacity; the rate's reading lies among the readings."""
    found = changes.stated_ratios()
    assert len(found) == 11
    assert ((found["low"] <= found["ratio"]) & (found["ratio"] <= found["high"])).all()
    assert set(changes.drive_ratios()["origin"]) == {"sentence", "table"}


def test_sentences_beside_the_table():
    """ "Over 10 %" from four drives to seven is 6 % by the table; "slightly over 4 %" holds as a rate."""
    found = changes.drive_percentages()
    assert list(found["value"]) == [500, 10, 4]
    assert np.allclose(found["faster_percent"], [408.87, 6.20, 4.03], atol=0.01)
    assert np.isclose(found["shorter_percent"][1], 5.839, atol=5e-4)


def test_capacity_shares():
    """The printed shares are (n - 1)/n; n/(n + 1) of the planner would print 75 for three drives."""
    found = changes.capacity_shares()
    assert list(found["drives"]) == [2, 3, 14, 3, 14, 2]
    assert (found["computed_percent"].round() == found["value"]).all()
    assert list(found["planner_percent"].round().dropna()) == [25, 7, 75, 93]


def test_raid_levels():
    """Fourteen drives: half for RAID 1, 13/14 for RAID 5; 30 % of writes at four operations each are 1.9."""
    found = changes.raid_levels(14, 0.3).set_index("raid_level")
    assert np.allclose(found.loc["RAID 5", ["usable_percent", "drive_load"]].astype(float), [1300 / 14, 1.9])
    assert found.loc["RAID 1", "usable_percent"] == 50
    assert np.isnan(changes.raid_levels(7, 0.3).set_index("raid_level").loc["RAID 1", "usable_percent"])
