"""What one more processor brought by runs, sentences, bands and the law; partitioned servers by hand."""

import numpy as np
import pytest

from dominoperf import fit
from dominoperf.study import added_processors


def test_each_step_is_a_pair_of_runs_or_a_sentence():
    """The gains of pages 3-4 to 3-6 and of Appendices A and B, by hand."""
    gains = added_processors.processor_gains()
    second = [100 * (2850 / 1920 - 1), 25, 100 * (1900 / 1300 - 1), 45]
    third = [100 * (3600 / 2850 - 1), 100 * (3400 / 2850 - 1), 100 / 9]
    assert list(gains["gain_percent"]) == pytest.approx([*second, *third, 100 * (5150 / 3600 - 1)])
    assert list(gains["in_band"]) == [True, False, True, True, True, False, False, False]
    groupware = gains[gains["workload"] == "Groupware_A"].iloc[0]
    assert np.isnan(groupware["users_baseline"])
    assert "the other machines of smp_mail" in groupware["reason"]
    assert "partitioned" in gains["reason"].iloc[-1]


def test_the_law_of_a_step_has_the_interval_of_its_contention():
    """100 (S(3) / S(2) - 1) at both ends of the contention; two points have none."""
    contention = fit("amdahl", "smp_discdb", level=0.8).tidy().set_index("term").loc["contention"]
    gain = [100 * (3 / (1 + 2 * share) / (2 / (1 + share)) - 1) for share in contention[["estimate", "high", "low"]]]
    gains = added_processors.processor_gains(0.8)
    row = gains[(gains["workload"] == "DiscDB") & (gains["from_configuration"] == "2P")].iloc[0]
    assert list(row[["law_percent", "low", "high"]]) == pytest.approx(gain)
    assert row["low"] < row["law_percent"] < row["high"]
    two = gains[gains["platform"] == "OS/2"].iloc[0]
    assert np.isnan(two["low"])
    assert two["reason"] == "two points: no interval of the law"


def test_bands_count_what_they_hold():
    bands = added_processors.processor_bands(added_processors.processor_gains()).set_index("from_configuration")
    assert list(bands["n"]) == [4, 3, 0]
    assert list(bands["n_inside"]) == [3, 1, 0]
    assert 5 < bands.loc["3P", "law_low_percent"] < bands.loc["3P", "law_high_percent"] < 15


def test_the_overhead_of_a_partition_is_one_number_of_one_measurement():
    """By hand from the 1 MB machines: 2L/(1+c) = 2,850 and 3L/(1+2c) = 3,600, and 4L/(1+3h) = 5,150."""
    contention = (3 * 2850 / 2 - 3600) / (2 * 3600 - 3 * 2850 / 2)
    scale = 2850 * (1 + contention) / 2
    model = added_processors.partitioned_users().query("set_up.str.startswith('1 MB')").set_index("partitions")
    overhead = (4 * scale / 5150 - 1) / 3
    assert model["overhead"].unique() == pytest.approx([overhead])
    assert model["users"][1] == pytest.approx(4 * scale / (1 + 3 * contention))
    assert model["users"][2] == pytest.approx(2 * 2 * scale / (1 + contention) / (1 + overhead))
    assert model["users"][4] == pytest.approx(5150)
    assert model["users"][6] == pytest.approx(4 * scale / (1 + 5 * overhead))
    assert model[["low", "high"]].isna().all(axis=None)
