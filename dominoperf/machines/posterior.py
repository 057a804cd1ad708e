"""What the runs leave of the priors: mode and curvature of the posterior, errors of Student's t, censored limits."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import optimize, special

from dominoperf.machines.observations import CAPACITY, LOWER_LIMIT, UTILIZATION
from dominoperf.machines.users_model import BUSY, MEMORY, POWERS, DesignRows, UsersModel, soft_minimum

_STEPS = 60
_ERRORS = ("error", "error_of_utilization")


@dataclass(frozen=True, eq=False)
class Posterior:
    """The fitted model of users: mean and covariance of its terms, and the errors of the runs.

    Parameters
    ----------
    model : UsersModel
    mean, covariance : array
        Of the terms.
    error, error_of_utilization : float
        Scale of the errors of ln(users) at capacity and of ln(users / utilization).
    log_evidence : float
        Logarithm of the marginal likelihood of the runs, by Laplace's approximation, but for a constant: models of the
        same runs and terms that differ in their priors can be compared by it.
    """

    model: UsersModel
    mean: np.ndarray
    covariance: np.ndarray
    error: float
    error_of_utilization: float
    log_evidence: float

    @cached_property
    def covariance_root(self) -> np.ndarray:
        """A root of the covariance: draws of the terms are ``mean + covariance_root @ normal``."""
        values, vectors = np.linalg.eigh(self.covariance)
        return vectors * np.sqrt(np.clip(values, 0, None))

    def busy_users(self, coded: DesignRows) -> np.ndarray:
        """Return ln(users) at which the processors would be fully busy."""
        return coded.columns @ self.mean + coded.cpu_offset

    def memory_users(self, coded: DesignRows) -> np.ndarray:
        """Return ln(users) that the memory holds; infinite where that is not known."""
        return coded.memory_offset - self.mean[self.model.place(MEMORY)]


def fit_users(model: UsersModel) -> Posterior:
    """Return the posterior of a model: the mode of the terms, with the scales of errors at their marginal mode.

    Errors are Student's t; a lower limit counts by the probability that the capacity lies above it. The terms are found
    by Fisher scoring; the two scales maximise the marginal likelihood by Laplace's approximation, so that they allow
    for the terms that were estimated. The covariance is the inverse of information and prior precision.

    Examples
    --------
    >>> import pandas as pd
    >>> from dominoperf.machines.observations import observe
    >>> runs = pd.DataFrame({"workload": "Mail", "processors": [1, 2, 4], "users": [1000, 1600, 2500]})
    >>> posterior = fit_users(UsersModel.from_observations(observe(runs, ours=False)))
    >>> round(float(posterior.mean[posterior.model.place("processors")]), 2)
    0.65
    """
    rows = model.observations.rows
    task = _Task(model, model.code(rows), rows["log_users"].to_numpy(), rows["observation"].to_numpy())
    priors = [model.constants["effects"][name] for name in _ERRORS]
    start = np.array([prior["mean"] for prior in priors])
    terms = model.mean.copy()

    def loss(scales):
        """Minus the logarithm of the marginal likelihood times the priors, at given logarithms of the scales."""
        nonlocal terms
        if np.abs(scales - start).max() > 4:
            return np.inf
        terms, value, information = task.mode(terms, np.exp(scales), 1e-4)
        prior_loss = sum(
            ((scale - prior["mean"]) / (model.widened * prior["sd"])) ** 2 / 2
            for scale, prior in zip(scales, priors, strict=True)
        )
        return value + np.linalg.slogdet(information)[1] / 2 + prior_loss

    optimum = optimize.minimize(
        loss, start, method="Nelder-Mead", options={"xatol": 0.01, "fatol": 0.005, "initial_simplex": start + _SIMPLEX}
    )
    terms, _, information = task.mode(terms, np.exp(optimum.x))
    shared = model.place("processors")
    for name in POWERS:  # more of a part never carries less, whatever few runs say
        terms[model.place(name)] = max(terms[model.place(name)], 0.0)
    for workload in model.levels["workload"]:
        at = model.place(f"processors[{workload}]")
        terms[at] = max(terms[at], -terms[shared])
    evidence = -float(optimum.fun + np.log(model.sd).sum())
    return Posterior(model, terms, np.linalg.inv(information), *map(float, np.exp(optimum.x)), evidence)


_SIMPLEX = np.array([[0.0, 0.0], [0.3, 0.0], [0.0, 0.3]])


class _Task:
    """The posterior of given rows as a function of terms and scales."""

    def __init__(self, model, coded, observed, kind):
        self.model, self.coded, self.observed = model, coded, observed
        self.tails, self.corner = model.constants["model"]["tails"], model.constants["model"]["corner"]
        self.precision = model.sd**-2
        self.limit, self.of_cpu = kind == LOWER_LIMIT, kind == UTILIZATION
        assert set(kind) <= {CAPACITY, LOWER_LIMIT, UTILIZATION}
        self.cpu_columns = coded.columns.copy()
        self.cpu_columns[~self.of_cpu, model.place(BUSY)] = 1
        self.memory_offset = np.where(self.of_cpu, np.inf, coded.memory_offset)

    def mode(self, terms, scales, enough=1e-9):
        """The terms that maximise the posterior at given scales, the loss there and its information.

        It ends with a step that gains less than `enough`.
        """
        value, gradient, information = self.at(terms, scales)
        for _ in range(_STEPS):
            step = np.linalg.solve(information, gradient)
            for shrink in (1.0, 0.5, 0.25, 0.1, 0.01):
                trial = self.at(terms - shrink * step, scales)
                if trial[0] <= value + 1e-12:
                    break
            else:
                break
            gain = value - trial[0]
            terms, (value, gradient, information) = terms - shrink * step, trial
            if gain < enough:
                break
        return terms, value, information

    def at(self, terms, scales):
        """Loss (minus the log posterior), its gradient and its information."""
        scale = np.where(self.of_cpu, scales[1], scales[0])
        cpu = self.cpu_columns @ terms + self.coded.cpu_offset
        memory_place = self.model.place(MEMORY)
        fitted, share = soft_minimum(cpu, self.memory_offset - terms[memory_place], self.corner)
        jacobian = share[:, None] * self.cpu_columns
        jacobian[:, memory_place] -= 1 - share
        residual = (self.observed - fitted) / scale
        tails = self.tails
        value = (tails + 1) / 2 * np.log1p(residual**2 / tails) + np.log(scale)
        slope = -(tails + 1) * residual / (tails + residual**2)  # d value / d fitted, times scale
        weight = np.full(len(residual), (tails + 1) / (tails + 3))
        if self.limit.any():  # P(capacity above the load) = P(error > residual)
            at = residual[self.limit]
            beyond = special.stdtr(tails, -at)
            log_density = special.gammaln((tails + 1) / 2) - special.gammaln(tails / 2) - np.log(tails * np.pi) / 2
            hazard = np.exp(log_density - (tails + 1) / 2 * np.log1p(at**2 / tails)) / beyond
            value[self.limit], slope[self.limit] = -np.log(beyond), -hazard
            weight[self.limit] = np.clip(hazard * (hazard - (tails + 1) * at / (tails + at**2)), 0, None)
        away = terms - self.model.mean
        loss = value.sum() + (self.precision * away**2).sum() / 2
        gradient = jacobian.T @ (slope / scale) + self.precision * away
        information = (jacobian * (weight / scale**2)[:, None]).T @ jacobian + np.diag(self.precision)
        return loss, gradient, information


def quantile_width(error: float, variance: np.ndarray, tails: float, level: float) -> np.ndarray:
    """Return half the width of the interval of a sum: normal with a variance, and Student's t with a scale.

    It is Student's t with the variance and the kurtosis of the sum.

    Examples
    --------
    >>> quantile_width(0.0, np.array([0.01]), 6.0, 0.95).round(4).tolist()
    [0.196]
    >>> quantile_width(0.1, np.array([0.0]), 6.0, 0.95).round(4).tolist()
    [0.2447]
    """
    noise = error**2 * tails / (tails - 2)
    total = variance + noise
    with np.errstate(divide="ignore", invalid="ignore"):
        freedom = np.where(noise > 0, 4 + (tails - 4) * (total / noise) ** 2, np.inf)
        scale = np.sqrt(total * np.where(np.isinf(freedom), 1.0, (freedom - 2) / freedom))
    far = np.minimum(freedom, 1e9)  # where it is the normal distribution
    return special.stdtrit(far, (1 + level) / 2) * scale
