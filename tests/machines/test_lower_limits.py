"""Lower limits of a user's own machines: the posterior beyond them, by brute force, and what an answer makes of it."""

import numpy as np
import pandas as pd
import pytest
from scipy import optimize, special, stats

from dominoperf import capacity
from dominoperf.errors import CannotFit
from dominoperf.machines import lower_limits
from dominoperf.machines.asked_machines import asked_machines_of
from dominoperf.machines.lower_limits import LowerLimits, MixtureOfNormals, loss_of_lower_limits, mixture_beyond_limits
from dominoperf.machines.resources import Limit, capacity_draws, quantiles_of_least

CORNER, TAILS = 6.0, 6.0
MEAN = np.array([0.0, 0.1, 0.2])  # of three terms: two of processors, one of memory
COVARIANCE = np.array([[0.25, 0.05, 0.0], [0.05, 0.16, 0.02], [0.0, 0.02, 0.2]])
CPU_COLUMNS = np.array([[1.0, 0.5, 0.0], [1.0, 0.5, 0.0], [1.0, -0.5, 0.0]])  # of a run each; the third has a memory
MEMORY_COLUMNS = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
MEMORY_OFFSET = np.array([np.inf, np.inf, 0.5])
SCALE = np.array([0.05, 0.05, 0.1])
OWN = pd.DataFrame({"processors": [4, 8], "users": [5000, 12000], "limited_by": ["server", "drivers"]})
WITH_MEMORY = pd.DataFrame(
    {
        "workload": "Mail", "processors": [2, 4], "ram_mb": [2048, 1024], "clock_mhz": 400,
        "users": [3000, 8000], "limited_by": ["server", "drivers"],
    }
)  # fmt: skip


def carried(terms):
    """ln(users) of each run, of terms in the last axis; and those that the processors and the memory allow."""
    cpu, memory = terms @ CPU_COLUMNS.T, MEMORY_OFFSET - terms @ MEMORY_COLUMNS.T
    return -np.logaddexp(-CORNER * cpu, -CORNER * memory) / CORNER, cpu, memory


def mean_sd_and_quantiles(values, weights):
    """Of values with weights; the quantiles are the 25, 50, 75, 2.5 and 97.5 %."""
    order = np.argsort(values)
    share = np.cumsum(weights[order]) / weights.sum()
    mean = np.average(values, weights=weights)
    sd = np.sqrt(np.average((values - mean) ** 2, weights=weights))
    return [mean, sd, *np.interp([0.25, 0.5, 0.75, 0.025, 0.975], share, values[order])]


@pytest.mark.parametrize("log_users", [(0.3, 0.1, 0.2), (1.2, 1.1, -3.0), (-3.0, -3.0, 0.6), (0.9, 0.0, 0.4)])
def test_the_posterior_beyond_limits_by_a_grid(log_users, monkeypatch):
    """ln(users) of each machine: moments and quantiles of a large mixture are those of a grid of the terms."""
    monkeypatch.setattr(lower_limits, "_NORMALS", 4096)
    log_users, precision = np.array(log_users), np.linalg.inv(COVARIANCE)

    def loss(terms):
        away = terms - MEAN
        beyond = stats.t.logsf((log_users - carried(terms)[0]) / SCALE, TAILS)
        return np.einsum("...i,ij,...j", away, precision, away) / 2 - beyond.sum(axis=-1)

    mode = optimize.minimize(loss, MEAN, method="Nelder-Mead", options={"xatol": 1e-7, "fatol": 1e-12}).x
    fitted, cpu, memory = carried(mode)
    share = np.exp(-CORNER * (cpu - fitted))[:, None]
    jacobian = share * CPU_COLUMNS - (1 - share) * MEMORY_COLUMNS
    _, _, weight = loss_of_lower_limits((log_users - fitted) / SCALE, TAILS)
    information = precision + (jacobian * (weight / SCALE**2)[:, None]).T @ jacobian
    branches = cpu, CPU_COLUMNS, memory, MEMORY_COLUMNS
    limits = LowerLimits(fitted, jacobian, *branches, log_users, SCALE, CORNER, TAILS)
    normal = MixtureOfNormals(mode[None, :], np.ones(1), np.linalg.inv(information))
    means, weights, covariance = mixture_beyond_limits(normal, limits)
    standard = special.ndtri(stats.qmc.Sobol(3, seed=1).random(64).T)
    drawn = means[:, :, None] + np.linalg.cholesky(covariance + 1e-12 * np.eye(3)) @ standard
    drawn, of_drawn = drawn.transpose(0, 2, 1).reshape(-1, 3), np.repeat(weights, 64)

    sds = np.sqrt(np.diag(COVARIANCE))
    axes = [mean + sd * np.linspace(-4.5, 6, 71) for mean, sd in zip(MEAN, sds, strict=True)]
    grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    losses = loss(grid)
    of_grid = np.exp(losses.min() - losses)
    for machine in (0, 2):
        expected = mean_sd_and_quantiles(carried(grid)[0][:, machine], of_grid)
        found = mean_sd_and_quantiles(carried(drawn)[0][:, machine], of_drawn)
        assert found[:5] == pytest.approx(expected[:5], abs=0.03), machine
        assert found[5:] == pytest.approx(expected[5:], abs=0.06), machine


def test_limits_that_cut_nothing_off_leave_a_normal_posterior():
    limits = LowerLimits(*np.zeros((10, 0)))
    normal = MixtureOfNormals(MEAN[None, :], np.ones(1), COVARIANCE)
    assert mixture_beyond_limits(normal, limits) is normal


@pytest.mark.parametrize(
    ("runs", "machine", "low", "high"),
    [
        (OWN, {"processors": 8}, (9600, 11300), (120_000, 280_000)),
        (WITH_MEMORY, {"processors": 4, "ram_mb": 1024, "clock_mhz": 400}, (4300, 6090), (11_100, 12_300)),
    ],
)
def test_a_machine_that_carried_so_many_carries_them(runs, machine, low, high):
    """The ends lie between those of Markov chains over the terms, scales of errors held fixed or free, to 5 % or so.

    Users stay near what was carried: in 200 simulated tables the median of the chains was 1.5 times the truth.
    """
    row = capacity(machine, runs.get("workload", pd.Series("own"))[0], data=runs).glance().iloc[0]
    assert low[0] < row["low"] < low[1]
    assert high[0] < row["high"] < high[1]
    assert row["low"] < row["users"] < 1.25 * runs["users"].max()
    assert row["recommended_users"] < runs["users"].max()


@pytest.mark.parametrize(("runs", "ram_mb"), [(OWN, np.nan), (WITH_MEMORY, 1024)])
def test_joint_draws_beyond_a_limit_have_the_intervals_of_the_answer(runs, ram_mb):
    workload = runs.get("workload", pd.Series("own"))[0]
    machine = {"processors": [4, 8], "ram_mb": ram_mb}
    frame = pd.DataFrame(machine if workload == "own" else machine | {"clock_mhz": 400})
    found = capacity(frame, workload, data=runs)
    posterior = capacity(frame.iloc[0].to_dict(), workload, data=runs).posterior
    machines, _ = asked_machines_of(posterior.model, frame, workload)
    ends = np.exp(np.quantile(capacity_draws(posterior, machines, None), [0.025, 0.975], axis=0))
    assert ends == pytest.approx(found[["low", "high"]].to_numpy().T, rel=0.12)


def test_quantiles_of_a_mixture_are_those_of_its_distribution_function():
    """Machines with scales and degrees of freedom of their own below and above the centres; by a root of scipy's t."""
    rng = np.random.default_rng(3)
    weights, centres = rng.dirichlet(np.ones(256)), rng.normal(size=(256, 3)) * [0.01, 0.4, 2]
    scales, freedoms = np.array([[0.1, 0.1, 0.6], [0.2, 0.1, 0.3]]), np.array([[4.3, 6, 1e9], [7, 12, 5]])
    shares = (0.5, 0.025, 0.975, 0.0005)
    found = quantiles_of_least([Limit(centres, scales, freedoms, weights)], [], shares)

    def above(value, machine):
        away = centres[:, machine] - value
        side = (away < 0).astype(int)
        return weights @ stats.t.cdf(away / scales[side, machine], freedoms[side, machine])

    for machine in range(3):
        expected = [
            optimize.brentq(lambda value, share, machine=machine: above(value, machine) - 1 + share, -20, 20, share)
            for share in shares
        ]
        assert found[:, machine] == pytest.approx(expected, abs=1.5e-4)


def test_a_machine_that_was_not_driven_to_its_limit_is_said_to_be_so():
    said = str(capacity({"processors": 8}, "own", data=OWN))
    assert "It was not driven to its limit: that it carries 12,000 is known, how many more is not." in " ".join(
        said.split()
    )
    assert "not driven to its limit" not in str(capacity({"processors": 4}, "own", data=OWN))
    with pytest.raises(CannotFit, match=r"a run of own whose load the server set.*found lower limits alone"):
        capacity({"processors": 4}, "own", data=OWN.assign(limited_by="drivers"))
