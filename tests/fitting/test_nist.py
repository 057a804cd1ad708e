"""Certified answers of the NIST StRD problems, from both starting points of each."""

import nist
import numpy as np
import pandas as pd
import pytest

from dominoperf.fitting import fit

PROBLEMS = [(name, start) for name in nist.MODELS for start in (1, 2)]
# Certified residual 1e-13: the y values have no digits left for it, nor for the errors made from it.
EXACT = {"Lanczos1"}


@pytest.fixture(scope="module", params=PROBLEMS, ids=lambda case: f"{case[0]}-{case[1]}")
def case(request):
    """A problem and the fit to it from one starting point."""
    name, number = request.param
    problem = nist.read(name)
    points = pd.DataFrame({"x": problem.x, "y": problem.y})
    start = problem.start(number)
    return problem, fit(
        problem.model, points, x="x", y="y", start=start, error="constant", bounded=False, interval="none"
    )


def test_parameters_to_eight_digits(case):
    """The certified values."""
    problem, found = case
    assert np.allclose(found.params, problem.params, rtol=1e-8, atol=0)


def test_standard_errors_to_six_digits(case):
    """The certified standard deviations, and that of the residuals."""
    problem, found = case
    if problem.name in EXACT:
        assert np.sqrt(found.squares / found.dof) < 1e-10
        return
    assert np.allclose(found.tidy()["std_error"].astype(float), problem.errors, rtol=1e-6, atol=0)
    assert np.isclose(found.residual_sd, problem.residual_sd, rtol=1e-6, atol=0)
    assert found.dof == problem.dof


@pytest.mark.parametrize("name", nist.MODELS)
def test_the_models_are_those_of_the_files(name):
    """At the certified parameters the residuals have the certified standard deviation, whatever the shapes."""
    problem = nist.read(name)
    rows = np.stack([problem.params, 1.001 * problem.params]).T
    both = problem.model(problem.x[:, None], *rows)
    assert both.shape == (len(problem.x), 2)
    residual_sd = np.sqrt(np.sum((both[:, 0] - problem.y) ** 2) / problem.dof)
    assert name in EXACT or np.isclose(residual_sd, problem.residual_sd, rtol=1e-9)
    assert np.iscomplexobj(problem.model(problem.x, *(problem.params + 1e-100j)))


def test_every_file_is_used_or_named():
    """None is left out silently."""
    files = {path.stem for path in nist.HERE.glob("*.dat")}
    assert files == set(nist.MODELS) | set(nist.SKIPPED)
    assert len(files) == 27
