"""The model of users on machines that it did not see: its error, its coverage, and simpler methods beside it."""

import functools

import numpy as np
import pandas as pd
import pytest

from dominoperf import tables
from dominoperf.errors import UnknownName
from dominoperf.machines import capacity_evidence


@functools.cache
def of(function, by):
    """A frame of the module, computed once."""
    return getattr(capacity_evidence, function)(by)


def test_machines_left_out():
    """All 23 runs of 1997 and 1998 answered; log error below 0.18; at least 90 % of them inside their intervals."""
    found = of("held_out", "machine")
    assert len(found) == 23
    assert found["predicted"].notna().all()
    assert np.sqrt((found["log_ratio"] ** 2).mean()) < 0.18
    assert found["inside"].mean() >= 0.9
    width = np.log(found["high"] / found["low"])
    assert width.median() < 1.3  # a factor of 1.9 either way: not wide enough to hold anything


def test_it_beats_each_simpler_method_where_that_answers():
    """Over the same rows, which for some methods are far fewer."""
    found = of("scores", "machine").set_index("method").drop(capacity_evidence.MODEL)
    assert (found["held_out_log_error_model"] < found["held_out_log_error"]).all()
    assert (found["answered"] < 23).all()


def test_the_left_out_runs_are_not_seen():
    """The answer for a run is another when its machine was left out, and a machine is left out as a whole."""
    seen = capacity_evidence.influence(["compaq_domino45/a_groupware_a#1"]).iloc[0]
    assert seen["cooks_distance"] > 1  # the one run of its workload
    assert seen["predicted"] > 1.3 * seen["observed"]
    held = of("held_out", "machine").set_index("run").loc["compaq_domino45/a_groupware_a#1"]
    assert held["predicted"] != pytest.approx(seen["predicted"], rel=1e-3)


def test_utilizations_without_their_machine():
    """Domino 6 on four platforms: 40 % off in the mean, inside their intervals, and no answer beyond reach."""
    found = of("utilization_held_out", "machine")
    of_2002 = found[found["source"] == "domino6"]
    assert np.sqrt((of_2002["log_ratio"] ** 2).mean()) < 0.4
    assert of_2002["inside"].mean() >= 0.9
    assert found[found["source"] == "rhel5"]["reason"].str.contains("clock_mhz 3000 is too far").all()
    assert found["predicted"].isna().equals(found["reason"] != "")


def test_utilizations_of_a_machine_that_is_known():
    """Each run left out alone: at least 90 % are inside, within a factor of 1.8 either way."""
    found = of("utilization_held_out", "run")
    assert found["inside"].mean() >= 0.9
    assert np.log(found["high"] / found["low"]).median() < 2 * np.log(1.8)


@pytest.mark.parametrize("function", ["held_out", "utilization_held_out"])
def test_the_runs_of_one_document_alone(function):
    """Their forecasts are those among all documents; a document without such runs has none."""
    found, alone = of(function, "machine"), functools.partial(getattr(capacity_evidence, function), "machine")
    ours = found[found["source"] == "compaq_domino45"].reset_index(drop=True)
    pd.testing.assert_frame_equal(alone(source="compaq_domino45"), ours)
    none = alone(source="compaq_netware")
    assert len(none) == 0
    assert list(none) == list(found)


def test_columns_are_the_vocabulary():
    """Every column of every frame is described; what cannot be left out is refused."""
    frames = [of("held_out", "machine"), of("scores", "machine"), of("utilization_held_out", "machine")]
    for frame in frames:
        assert set(frame.columns) <= set(tables.vocabulary())
    with pytest.raises(UnknownName, match="machine"):
        capacity_evidence.held_out("machin")


def test_the_interval_score_is_width_and_what_misses():
    """By hand from the forecasts themselves, at a level where some runs are outside."""
    shares = capacity_evidence.calibration("machine", (0.2, 0.95)).set_index("level")
    narrow = capacity_evidence.held_out("machine", level=0.2)
    total = 0.0
    for row in narrow.itertuples():
        low, high, seen = np.log([row.low, row.high, row.observed])
        total += high - low + 2 / 0.8 * max(low - seen, seen - high, 0.0)
    assert shares.loc[0.2, "interval_score"] == pytest.approx(total / 23)
    assert shares.loc[0.2, "covered"] == pytest.approx(narrow["inside"].mean())
    assert shares.loc[0.95, "covered"] == of("held_out", "machine")["inside"].mean()
    assert shares["n"].tolist() == [23, 23]


def test_the_runs_do_not_settle_how_far_systems_differ():
    """The prior is within what they leave open; no difference at all, or a factor of seven, they exclude."""
    found = capacity_evidence.between_systems((0.01, 0.1, 0.2, 1.0)).set_index("prior_sd")["log_evidence"]
    assert found[0.2] > -capacity_evidence.UNDECIDED
    assert (found[[0.01, 1.0]] < -capacity_evidence.UNDECIDED).all()
