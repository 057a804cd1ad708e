"""The posterior of the model of users beyond the lower limits of a user's own machines, as a mixture of normals.

A load that a machine carried without being driven to its limit cuts off what lies below it. A normal distribution about
the mode does not know that.
"""

from typing import NamedTuple

import numpy as np
from scipy import special

_NORMALS, _SEED = 256, 1998  # of the mixture
_STANDARD = np.linspace(-8, 8, 321)  # standard normal variables over which a lower limit is integrated
_LIKELY = special.softmax(-(_STANDARD**2) / 2)
_LEAST_CUT = 0.01  # the probability below a lower limit, by all else, from which on it is integrated
_LEAST_LIKELIHOOD = 1e-300


class MixtureOfNormals(NamedTuple):
    """A distribution of terms: normals with equal covariance about several means, normals x terms, with weights."""

    means: np.ndarray
    weights: np.ndarray
    covariance: np.ndarray


class LowerLimits(NamedTuple):
    """Runs that carried at least `log_users`, about the mode of the terms; derivatives are runs x terms."""

    fitted: np.ndarray  # ln(users) that their machines carry at the mode
    jacobian: np.ndarray  # its derivatives by the terms
    cpu: np.ndarray  # the same of what the processors allow
    cpu_columns: np.ndarray
    memory: np.ndarray  # and the memory; infinite where it sets no known limit
    memory_columns: np.ndarray
    log_users: np.ndarray  # what was carried
    scale: np.ndarray  # of the error of a test
    corner: float  # of the soft minimum of the two
    tails: float  # degrees of freedom of Student's t of an error

    def chosen(self, which: np.ndarray) -> "LowerLimits":
        """Return some of the runs."""
        *arrays, corner, tails = self
        return LowerLimits._make([*(each[which] for each in arrays), corner, tails])

    def likelihood(self, log_users: np.ndarray) -> np.ndarray:
        """Return how likely it is that a machine that carries given users carried at least those of all runs."""
        reach = 30 * self.scale.max()  # beyond it the likelihood is 0 or 1
        span = np.linspace(self.log_users.min() - reach, self.log_users.max() + reach, 1000)
        above = special.stdtr(self.tails, (span[:, None] - self.log_users) / self.scale)
        return np.interp(log_users, span, above.prod(axis=1))

    def branches(self) -> tuple[np.ndarray, ...]:
        """Return ln(users) of each branch, derivatives, machine, whether it is the memory; and the machine of a run."""
        parts = [self.cpu_columns, self.cpu, self.memory_columns, self.memory]
        parts = np.column_stack([np.where(np.isfinite(each), each, 0.0) for each in parts])
        _, first, machine = np.unique(parts, axis=0, return_index=True, return_inverse=True)
        one = self.chosen(first)
        values = np.concatenate([one.cpu, one.memory])
        known = np.isfinite(values)
        columns, of_machine = np.concatenate([one.cpu_columns, -one.memory_columns]), np.tile(np.arange(len(first)), 2)
        of_memory = np.repeat([False, True], len(first))
        return values[known], columns[known], of_machine[known], of_memory[known], machine.ravel()


def loss_of_lower_limits(residual: np.ndarray, tails: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return minus the log probability that a capacity lies above a load, its derivative and its information.

    The residual is ln(load) less the logarithm that is fitted, in scales of the error; the derivative is by the latter.
    """
    beyond = special.stdtr(tails, -residual)
    log_density = special.gammaln((tails + 1) / 2) - special.gammaln(tails / 2) - np.log(tails * np.pi) / 2
    hazard = np.exp(log_density - (tails + 1) / 2 * np.log1p(residual**2 / tails)) / beyond
    information = np.clip(hazard * (hazard - (tails + 1) * residual / (tails + residual**2)), 0, None)
    return -np.log(beyond), -hazard, information


def mixture_beyond_limits(normal: MixtureOfNormals, limits: LowerLimits) -> MixtureOfNormals:
    """Return the distribution of terms beyond limits, of which `normal` is Laplace's approximation, with all runs.

    What the processors and the memory of the machines with lower limits allow is drawn one after the other, each given
    those before, by a Latin hypercube and the likelihood of the limits; the weight of a draw is how likely these were
    (Geweke, Hajivassiliou and Keane). Given these the terms are normal. Where no limit cuts anything off, `normal` is
    returned as it is.
    """
    if not len(limits.fitted):
        return normal
    *_, of_branch, _, machine = limits.branches()
    _, _, centres, root = _without(normal, limits)
    cuts = np.zeros(machine.max() + 1)
    for centre, row, at in zip(centres, root, of_branch, strict=True):
        likelihood = limits.chosen(machine == at).likelihood(centre + np.linalg.norm(row) * _STANDARD)
        cuts[at] = max(cuts[at], 1 - likelihood @ _LIKELY)
    limits = limits.chosen(cuts[machine] > _LEAST_CUT)
    if not len(limits.fitted):
        return normal

    _, columns, of_branch, of_memory, machine = limits.branches()
    mean, covariance, centres, root = _without(normal, limits)
    rng, count = np.random.default_rng(_SEED), len(centres)
    drawn, users, log_weights = np.zeros((_NORMALS, count)), np.zeros((_NORMALS, machine.max() + 1)), np.zeros(_NORMALS)
    for branch, at in enumerate(of_branch):
        of_machine = limits.chosen(machine == at)
        given = centres[branch] + drawn @ root[branch]  # those that come later are 0 yet
        values = given[:, None] + root[branch, branch] * _STANDARD
        if of_memory[branch]:  # the processors of the machine were drawn before
            log_weights -= np.log(of_machine.likelihood(users[:, at]) + _LEAST_LIKELIHOOD)
            values = -np.logaddexp(-limits.corner * users[:, [at]], -limits.corner * values) / limits.corner
        likelihood = _LIKELY * (of_machine.likelihood(values) + _LEAST_LIKELIHOOD)
        total = likelihood.sum(axis=1)
        below = (np.cumsum(likelihood, axis=1) - likelihood / 2) / total[:, None]
        chances = rng.permuted((np.arange(_NORMALS) + 0.5) / _NORMALS)
        drawn[:, branch] = [np.interp(chances[k], below[k], _STANDARD) for k in range(_NORMALS)]
        if not of_memory[branch]:
            users[:, at] = given + root[branch, branch] * drawn[:, branch]
        log_weights += np.log(total)
    along = np.linalg.solve(root, columns @ covariance)  # branches x terms
    return MixtureOfNormals(mean + drawn @ along, special.softmax(log_weights), covariance - along.T @ along)


def _without(normal, limits):
    """Mean and covariance of the terms without limits, mean and root of the covariance of the branches."""
    values, columns, *_ = limits.branches()
    _, slope, weight = loss_of_lower_limits((limits.log_users - limits.fitted) / limits.scale, limits.tails)
    of_limits = (limits.jacobian * (weight / limits.scale**2)[:, None]).T @ limits.jacobian
    mode = normal.means[0]
    covariance = np.linalg.inv(np.linalg.inv(normal.covariance) - of_limits)
    mean = mode + covariance @ (limits.jacobian.T @ (slope / limits.scale))
    of_branches = columns @ covariance @ columns.T
    root = np.linalg.cholesky(of_branches + 1e-9 * np.diag(np.diag(of_branches)))
    return mean, covariance, values + columns @ (mean - mode), root
