"""The public curves are what their README says."""

import re

import numpy as np
import pandas as pd
import pytest
from conftest import ROOT

FOLDER = ROOT / "tests" / "fitting" / "curves"
CURVES = sorted(path.stem for path in FOLDER.glob("*.csv"))
README = (FOLDER / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", CURVES)
def test_a_curve_is_as_described(name):
    """As many points as the README says, above zero, each load once and in order; a throughput from times is theirs."""
    points = pd.read_csv(FOLDER / f"{name}.csv")
    stated = re.search(rf"^\| `{name}\.csv` \|.*\| (\d+) \|$", README, re.MULTILINE)
    assert int(stated[1]) == len(points)
    assert list(points.columns[:2]) == ["load", "throughput"]
    assert (points > 0).all(axis=None)
    assert points["load"].is_monotonic_increasing
    assert points["load"].is_unique
    if "time" in points:
        assert np.allclose(points["throughput"], points["time"][0] / points["time"], rtol=1e-11)
