"""What every law must keep, and what each says of a published example."""

import numpy as np
import pytest

from dominoperf.fitting import fit
from dominoperf.laws import LAWS

X = np.array([1.0, 2, 3, 4, 6, 8])


def inside(law):
    """Parameters well inside the bounds: the scale 100, shares a quarter of the way."""
    rest = [p.low + (min(p.high, 1.0) - p.low) / 4 for p in law.params[1:]]
    return [100.0, *rest]


@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
class TestEveryLaw:
    """The contract over the registry: a law is tested by being listed."""

    def test_takes_arrays_and_is_proportional_to_its_scale(self, law):
        """Doubling the first parameter doubles the curve; shapes are kept."""
        params = inside(law)
        once, twice = law.function(X, *params), law.function(X, 2 * params[0], *params[1:])
        assert once.shape == X.shape
        assert np.allclose(twice, 2 * once)
        assert np.isscalar(float(law.function(2.0, *params)))

    def test_starts_inside_its_bounds(self, law):
        """From its own curve, and from a noisy one."""
        for y in (law.function(X, *inside(law)), law.function(X, *inside(law)) * [1.1, 0.9, 1.2, 0.8, 1, 1]):
            for param, value in zip(law.params, law.start(X, y), strict=True):
                assert param.low <= value <= param.high

    def test_recovers_its_own_parameters(self, law):
        """Points on the curve give the curve back, to 1e-8."""
        import pandas as pd

        found = fit(law, pd.DataFrame({law.x: X, law.y: law.function(X, *inside(law))}))
        assert np.allclose(found.params, inside(law), rtol=1e-8)

    def test_says_where_it_comes_from(self, law):
        """Formula, source, limits and units are given; the nested law exists and has one parameter fewer."""
        assert all((law.formula, law.source, law.limits, law.title, law.family))
        assert all(param.meaning and param.unit for param in law.params)
        assert law.error in ("relative", "constant")
        assert not law.nested or len(LAWS[law.nested].params) == len(law.params) - 1

    def test_becomes_its_nested_law(self, law):
        """With its last parameter at the lower bound it is the simpler law."""
        if law.nested:
            params = [*inside(law)[:-1], law.params[-1].low]
            assert np.allclose(law.function(X, *params), LAWS[law.nested].function(X, *params[:-1]))


def test_amdahl_by_hand():
    """Half the work serial: two processors give 4/3, infinitely many give 2."""
    assert np.isclose(LAWS["amdahl"].function(2, 1, 0.5), 4 / 3)
    assert np.isclose(LAWS["amdahl"].function(1e12, 1, 0.5), 2)
