"""Machines drawn together: what two of them share, as the terms of the model, they share in each draw."""

import numpy as np
import pandas as pd

from dominoperf.machines.asked_machines import like_known, read_machines
from dominoperf.machines.capacity_answer import fitted_users
from dominoperf.machines.posterior import Posterior
from dominoperf.machines.resources import resource_limits
from dominoperf.machines.users_model import BUSY, MEMORY, soft_minimum

_DRAWS, _SEED = 4000, 1998


def draws(posterior: Posterior, machines: pd.DataFrame, response_s: float | None) -> np.ndarray:
    """Return seeded joint draws of ln(users), draws x machines: terms, what nobody measured, rules, errors of tests."""
    rng = np.random.default_rng(_SEED)
    model, constants = posterior.model, posterior.model.constants
    coded = model.code(machines)
    terms = posterior.mean + rng.standard_normal((_DRAWS, len(posterior.mean))) @ posterior.covariance_root.T
    full = terms @ coded.columns.T + coded.cpu_offset
    for labels, sd in coded.unobserved.values():
        codes, levels = pd.factorize(labels)
        full += rng.standard_normal((_DRAWS, len(levels)))[:, codes] * sd  # machines share what they have in common
    memory = coded.memory_offset - terms[:, [model.place(MEMORY)]]
    both, _ = soft_minimum(full + terms[:, [model.place(BUSY)]], memory, constants["model"]["corner"])
    logs = both + posterior.error * rng.standard_t(constants["model"]["tails"], both.shape)
    centre = resource_limits(posterior, machines, 1.0, response_s, 0.95)
    for name in ("disk_space", "spindles"):
        rule = np.log(centre[f"{name}_users"].to_numpy()) + constants[name]["sd"] * rng.standard_normal((_DRAWS, 1))
        logs = np.fmin(logs, rule)
    if response_s is not None:
        law = constants["response"]
        floor = law["floor_s"] * np.exp(law["sd"] * rng.standard_normal((_DRAWS, 1)))
        logs = np.fmin(logs, full + np.log1p(-np.minimum(floor / response_s, 1 - 1e-9)))
    return logs


def correlation(machines: pd.DataFrame) -> np.ndarray:
    """Return the correlation of ln(users) between new tests of machines, a workload each, as the model draws them.

    Two workloads of one machine share its system, family, release and parts, and the errors of the model's terms; the
    error of each test is its own.

    Parameters
    ----------
    machines : DataFrame
        A row per test: the columns of a machine, and workload.

    Examples
    --------
    >>> machine = {"system": "Mine", "processors": 2, "clock_mhz": 200, "ram_mb": 4096}
    >>> shared = correlation(pd.DataFrame([machine | {"workload": name} for name in ("Mail", "DiscDB")]))
    >>> shared.shape, bool(0.9 < shared[0, 1] < 1)
    ((2, 2), True)
    """
    posterior = fitted_users()
    described, _ = read_machines(machines, "")
    return np.corrcoef(draws(posterior, like_known(posterior.model, described), None), rowvar=False)
