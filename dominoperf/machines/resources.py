"""How many users each resource of a machine carries: processor, memory, disk space, spindles, response.

By moments of the posterior, or in joint draws of several machines, and beside the nearest machine that was measured.
"""

import functools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import interpolate, special
from scipy.optimize import elementwise

from dominoperf.machines.observations import CAPACITY
from dominoperf.machines.parts import MACHINE_TEXTS, NUMBERS, POWERS, TEXTS
from dominoperf.machines.users_model import BUSY, Posterior, UsersModel, soft_minimum_of_cpu_and_memory

_DRAWS, _SEED = 4000, 1998
_NORMAL = 1e9  # degrees of freedom
_POINTS, _WEIGHTS = np.polynomial.legendre.leggauss(64)  # responses of an idle server, over which is integrated
_FLOORS = (_POINTS + 1) / 2, _WEIGHTS / 2
_DIFFERENCES = np.linspace(-4.5, 4.5, 40)  # in standard deviations, over which a mixture is summed
_LIKELY = special.softmax(-(_DIFFERENCES**2) / 2)
_MANY = 100  # possibilities of a limit from which on Student's t is read off a table
_STEP = 1 / 64
_STANDARD = np.arange(-16, 16 + _STEP, _STEP)  # scales beside the centre, for which the table is made
_REACH = 60.0  # scales beside the centres in which a quantile is sought
_NOBODY = np.log(1e-9)  # of the users of a busy CPU, as a logarithm: two draws of it have a ratio
BY_RULE = ("disk_space", "spindles", "response")
"""Resources of which rules of documents tell, not tests; they cut off what processor and memory allow."""
RESOURCES = ("processor", "memory", *BY_RULE)
ENDS = ("users", "low", "high", "recommended")


def resource_limits(
    posterior: Posterior, machines: pd.DataFrame, utilization: float, response_s: float | None, level: float
) -> pd.DataFrame:
    """Return what each machine carries: users, low, high, recommended of each resource, and of all together.

    Columns are ``<resource>_users``, ``_low``, ``_high``, ``_recommended`` of RESOURCES, the same of "all", and binds.
    What a resource cannot tell is NaN, and sets no limit.

    Users are the median. Beyond lower limits of a user's own it is that of the normal about the most likely terms: how
    much more than its load a machine carries only the prior says there. The ends are those of the whole distribution.
    """
    model, terms, constants = posterior.model, posterior.most_likely, posterior.model.constants
    coded, corner = model.code(machines), constants["model"]["corner"]
    lower, upper = (1 - level) / 2, (1 + level) / 2
    limits = _limits_by_terms(posterior, machines, coded, response_s, terms)
    logs = {name: quantiles_of_least(alike, apart, (0.5, lower, upper)) for name, (alike, apart) in limits.items()}
    logs.setdefault("response", np.full((3, len(machines)), np.nan))
    median = logs["all"][0]

    busy = (terms.weights @ terms.means)[model.column_of(BUSY)]
    full = logs["processor"][0] - busy
    ram, headroom = machines["ram_mb"].to_numpy(), constants["model"]["memory_headroom_mb"]
    with np.errstate(divide="ignore"):
        spared = np.log(np.maximum(ram - headroom, 0) / ram)  # 128 MB are for half as many as fill them (Table 4-5)
    advised = {
        "processor": full + min(np.log(utilization), busy),  # at capacity the CPU is so busy, and no busier
        "memory": logs["memory"][0] + np.where(np.isinf(coded.memory_offset), 0.0, spared),
        "response": logs["response"][0],
    }
    if response_s is not None:
        quick_enough = full + log_utilization_within(constants["response"]["floor_s"], response_s)
        advised["response"] = np.fmin(quick_enough, advised["response"])
    advised["all"], _ = soft_minimum_of_cpu_and_memory(advised["processor"], advised["memory"], corner)

    if posterior.terms is not posterior.most_likely:
        all_limits = _limits_by_terms(posterior, machines, coded, response_s, posterior.terms)
        for name, (alike, apart) in all_limits.items():
            low, high = quantiles_of_least(alike, apart, (lower, upper))
            logs[name] = np.clip(logs[name][0], low, high), low, high
    for name, (users, advised[name]) in log_users_of_disks(model, machines).items():
        width = special.ndtri(upper) * constants[name]["sd"]
        logs[name] = users, users - width, users + width
    ends_of = {name: np.exp([*logs[name], advised[name]]) for name in (*RESOURCES, "all")}
    ends_of |= {name: np.where(np.isfinite(ends_of[name]), ends_of[name], np.nan) for name in RESOURCES}
    ends_of["all"][-1] = np.fmin.reduce([ends_of["all"][-1], *(ends_of[name][-1] for name in BY_RULE), np.exp(median)])
    of_people = ~machines["workload"].isin(model.observations.own_workloads).to_numpy()  # own ones may be thousands
    for ends in ends_of.values():
        ends[:, of_people] = np.where(ends < 1, 0.0, ends)[:, of_people]
        ends[-1, of_people] = np.floor(ends[-1, of_people] + 1e-9)
    users = np.stack([ends_of[name][0] for name in RESOURCES])
    scarcest = np.argmin(np.where(np.isnan(users), np.inf, users), axis=0)
    cells = {f"{name}_{end}": ends_of[name][k] for name in (*RESOURCES, "all") for k, end in enumerate(ENDS)}
    return pd.DataFrame(cells, index=machines.index).assign(binds=np.array(RESOURCES, dtype=object)[scarcest])


def _limits_by_terms(posterior, machines, coded, response_s, terms):
    """The limits of processor, memory, response and of all, as `quantiles_of_least` takes them, by one distribution.

    There is none of the response where none was asked for.
    """
    model, constants = posterior.model, posterior.model.constants
    tails, corner, busy = constants["model"]["tails"], constants["model"]["corner"], model.column_of(BUSY)
    columns = coded.columns.copy()
    columns[:, busy] = 1
    fulls = terms.means @ coded.columns.T + coded.cpu_offset  # ln(users) of processors that are fully busy
    memories = coded.memory_offset - terms.means @ coded.memory_columns.T
    cpus = fulls + terms.means[:, [busy]]

    covariances = columns @ terms.covariance
    of_cpu = np.einsum("ij,ij->i", covariances, columns)
    of_memory = np.einsum("ij,ij->i", coded.memory_columns @ terms.covariance, coded.memory_columns)
    both_ways = -np.einsum("ij,ij->i", covariances, coded.memory_columns)  # the memory's users fall with its term
    # Variance from what nobody measured: 2 x machines, below and above the middle.
    unobserved = sum(sd**2 for _, sd in coded.unobserved.values()) + coded.scaling_sd**2

    errors = posterior.error_of_tests(machines)
    of_cpus = capacity_scale_and_freedom(*errors, of_cpu + unobserved, tails)
    of_memories = capacity_scale_and_freedom(*errors, of_memory, tails)
    limits = {
        "processor": ([Limit(cpus, *of_cpus, terms.weights)], []),
        "memory": ([Limit(memories, *of_memories, terms.weights)], []),
    }
    if len(terms.weights) == 1:
        (floors, of_floors), differences, likely = _FLOORS, _DIFFERENCES, _LIKELY
    else:  # each normal of the mixture has a floor and a difference of its own
        rng, count = np.random.default_rng(_SEED), len(terms.weights)
        floors, chances = (rng.permuted((np.arange(count) + 0.5) / count) for _ in range(2))
        of_floors, differences, likely = terms.weights, special.ndtri(chances), terms.weights
    parts = []
    floor_s, sd = constants["response"]["floor_s"], constants["response"]["sd"]
    if response_s is not None:
        quick_enough = special.ndtr(np.log(response_s / floor_s) / sd)  # of a floor below R; above it nobody gets in
        floors_s = floor_s * np.exp(sd * special.ndtri(quick_enough * floors))[:, None]
        answered, nobody = fulls + log_utilization_within(floors_s, response_s), np.full(len(machines), -np.inf)
        shares = np.append(quick_enough * of_floors, 1 - quick_enough)  # the last of a floor above R
        limits["response"] = [Limit(np.vstack([answered, nobody]), *of_cpus, shares)], []
        parts = [Limit(np.vstack([np.minimum(answered, cpus), nobody]), *of_cpus, shares)]

    # Median and ends are those of the least of all. Where it is known by how much the processors allow more than the
    # memory, the logarithm of their soft minimum is normal; so it is a mixture over that difference. Where a user's own
    # memory is known, processors are no forecast, so that its errors are not in the difference.
    known = np.isfinite(memories[0])
    difference = cpus - np.where(known, memories, cpus)
    of_difference = of_cpu + unobserved[0] + of_memory - 2 * both_ways
    apart = difference + np.sqrt(of_difference) * differences[:, None]
    slope = (both_ways - of_memory) / of_difference  # of the memory's users on the difference
    centre = cpus - difference + slope * (apart - difference) - np.logaddexp(0, -corner * apart) / corner
    variance = np.where(known, of_memory - slope**2 * of_difference, of_cpu + unobserved)  # 2 x machines
    of_both = capacity_scale_and_freedom(*errors, variance, tails)
    parts += [Limit(np.where(known, centre, np.minimum(cpus, memories)), *of_both, likely)]
    of_disks = log_users_of_disks(model, machines).items()
    limits["all"] = parts, [Limit(users, constants[name]["sd"], _NORMAL) for name, (users, _) in of_disks]
    return limits


def log_utilization_within(floor_s: np.ndarray | float, response_s: float) -> np.ndarray | float:
    """Return the logarithm of the utilization U at which ``floor / (1 - U)`` is a response; -inf where the floor is."""
    with np.errstate(divide="ignore"):
        return np.log1p(-np.minimum(floor_s / response_s, 1.0))


def log_users_of_disks(model: UsersModel, machines: pd.DataFrame) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Return ln(users) of disk space and of spindles, and what is recommended of each, by rules of the documents.

    NaN where the drives, or what the workload takes of them, are not known.
    """
    space, spindles = (model.constants[name] for name in ("disk_space", "spindles"))
    rates = machines["workload"].map(model.observations.script_rates).to_numpy(dtype=float)
    drives, size = machines["drives"].to_numpy(), machines["drive_gb"].fillna(space["drive_gb"]).to_numpy()
    with np.errstate(divide="ignore", invalid="ignore"):
        space_mb = np.log(drives * size * 1000 / rates)
        parity = np.log((drives - (drives > 1)) / drives)  # RAID 5: a drive's worth; a single drive has none to give
        per_drive = np.log(drives * spindles["users_per_drive"] / rates)
    recommended = space_mb + parity - np.log(space["recommended_mb_per_user"])
    return {"disk_space": (space_mb - np.log(space["mb_per_user"]), recommended), "spindles": (per_drive, per_drive)}


def capacity_scale_and_freedom(
    error: np.ndarray | float, error_log_sd: np.ndarray | float, variance: np.ndarray, tails: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return scale and degrees of freedom of Student's t for a sum: normal with a variance, and t with a scale.

    It has the variance and the kurtosis of the sum. The logarithm of the scale of the error is normal about that of
    `error`, with a standard deviation of `error_log_sd`.
    """
    noise = error**2 * np.exp(2 * error_log_sd**2) * tails / (tails - 2)
    kurtosis = 3 * (tails - 2) / (tails - 4) * np.exp(4 * error_log_sd**2)
    total = variance + noise
    with np.errstate(divide="ignore", invalid="ignore"):
        freedom = np.where(noise > 0, 4 + 6 / (kurtosis - 3) * (total / noise) ** 2, np.inf)
        scale = np.sqrt(total * np.where(np.isinf(freedom), 1.0, (freedom - 2) / freedom))
    return scale, np.minimum(freedom, _NORMAL)


class Limit(NamedTuple):
    """ln(users) that a resource allows: Student's t by centre, scale and degrees of freedom.

    With two rows of scales and freedoms, the first holds below the centre and the second above it.
    A centre that is NaN or infinite sets no limit, one of -inf lets nobody in. Several rows of centres are
    possibilities with `weights`.
    """

    centre: np.ndarray
    scale: np.ndarray | float
    freedom: np.ndarray | float
    weights: np.ndarray | tuple = (1.0,)


def quantiles_of_least(alike: Sequence[Limit], apart: Sequence[Limit], shares: Sequence[float]) -> np.ndarray:
    """Return quantiles of the least of several limits, shares x machines; -inf is nobody, inf that none is known.

    Those `alike` rise and fall together, as what follows from the same processors; those `apart` are independent:
    ``P(least > t) = min P(alike > t) * prod P(apart > t)``.

    Examples
    --------
    The least of two independent normal variables has its median where each is exceeded with probability sqrt(1/2):

    >>> one = Limit(np.zeros(1), 1.0, 1e9)
    >>> [quantiles_of_least(*pair, [0.5]).round(4).tolist() for pair in (([one], [one]), ([one, one], []))]
    [[[-0.545]], [[0.0]]]
    """
    if len(alike) == 1 and not apart and [*alike[0].weights] == [1.0]:
        return _quantiles_of_student_t(alike[0], np.asarray(shares))
    exceeded, spans = [], []  # of each how likely it is above a value, and where all of its probability is
    for centre, scale, freedom, weights in (*alike, *apart):
        centre = np.atleast_2d(centre)
        finite = np.isfinite(centre)
        centre = np.where(finite | np.isneginf(centre), centre, np.inf)  # what sets no limit is always exceeded
        scale, freedom = (np.broadcast_to(each, (2, centre.shape[1])) for each in (scale, freedom))
        limit = Limit(centre, np.where(finite.any(axis=0), scale, 1.0), freedom, np.asarray(weights))
        exceeded.append((_exceeded_by_table if len(weights) > _MANY else _exceeded)(limit))
        least, most = (np.where(finite, centre, way * np.inf) for way in (1, -1))
        span = least.min(axis=0) - _REACH * scale[0], most.max(axis=0) + _REACH * scale[1]
        spans.append(np.where(finite.any(axis=0), span, np.inf))
    low, high = np.min(spans, axis=0)
    share, machine = (each.ravel() for each in np.meshgrid(shares, np.arange(len(low)), indexing="ij"))

    def beyond_share(value, share, machine):
        """By how much it is likelier than asked that the least of a machine, by its number, is above a value."""
        above = [of_limit(value, machine.astype(int)) for of_limit in exceeded]
        return np.min(above[: len(alike)], axis=0) * np.prod(above[len(alike) :], axis=0) - (1 - share)

    lowest = np.where(np.isfinite(low), low, 0.0)  # what sets no limit is exceeded anywhere
    quantiles = np.where(beyond_share(lowest[machine], share, machine) >= 0, low[machine], -np.inf)
    sought = np.isfinite(quantiles)
    share, machine = share[sought], machine[sought]
    quantiles[sought] = elementwise.find_root(beyond_share, (low[machine], high[machine]), args=(share, machine)).x
    return quantiles.reshape(len(shares), len(low))


def _quantiles_of_student_t(limit, shares):
    """The same of one limit without other possibilities."""
    centre, side = np.atleast_2d(limit.centre)[0], (shares > 0.5).astype(int)
    scale, freedom = (np.broadcast_to(each, (2, len(centre)))[side] for each in (limit.scale, limit.freedom))
    quantiles = centre + scale * special.stdtrit(freedom, shares[:, None])
    return np.where(np.isfinite(centre), quantiles, np.where(np.isneginf(centre), -np.inf, np.inf))


def _exceeded(limit):
    """How likely a limit is above values of machines by their numbers, as a function of the two."""

    def probability(value, machine):
        away = limit.centre[:, machine] - value
        side = (away < 0).astype(int)
        return limit.weights @ special.stdtr(limit.freedom[side, machine], away / limit.scale[side, machine])

    return probability


def _exceeded_by_table(limit):
    """The same of many possibilities: linear between the entries of a table of each machine, good to some 1e-5.

    Beyond lower limits `cheapest_upgrades` asks some thousand machines: 3 s with the table, 8 s without.
    """
    below, above = (_student_t_by_freedom()(1 / limit.freedom[side]) for side in (1, 0))
    table = np.where(_STANDARD < 0, below, above).ravel()
    centre, steps_above, steps_below = limit.centre.T.copy(), *(1 / (limit.scale * _STEP))
    middle, last = len(_STANDARD) // 2, len(_STANDARD) - 1

    def probability(value, machine):
        away = centre[machine] - value[:, None]
        steps = away * np.where(away < 0, steps_below[machine, None], steps_above[machine, None])
        steps = np.clip(steps + middle, 0, last - 1e-6)
        entry = steps.astype(int)
        steps -= entry
        entry += (len(_STANDARD) * machine)[:, None]
        first = table[entry]
        return (first + steps * (table[entry + 1] - first)) @ limit.weights

    return probability


@functools.cache
def _student_t_by_freedom():
    """The distribution function of Student's t at _STANDARD, as a function of 1 / degrees of freedom."""
    inverse = np.linspace(1 / _NORMAL, 1 / 4, 65)
    return interpolate.CubicSpline(inverse, special.stdtr(1 / inverse[:, None], _STANDARD))


def capacity_draws(
    posterior: Posterior, machines: pd.DataFrame, response_s: float | None, *, of_tests: bool = True
) -> np.ndarray:
    """Return seeded joint draws of ln(users), draws x machines: terms, what nobody measured, rules, errors of tests.

    Without those errors (`of_tests`) they are of the machines, whatever a test of each would find.
    """
    rng = np.random.default_rng(_SEED)
    model, constants = posterior.model, posterior.model.constants
    coded = model.code(machines)
    means, weights, covariance = posterior.terms
    values, vectors = np.linalg.eigh(covariance)
    root = vectors * np.sqrt(np.clip(values, 0, None))  # of the covariance
    terms = rng.standard_normal((_DRAWS, len(covariance))) @ root.T
    terms += means[rng.choice(len(weights), _DRAWS, p=weights) if len(weights) > 1 else 0]
    full = terms @ coded.columns.T + coded.cpu_offset
    for labels, sd in coded.unobserved.values():
        codes, levels = pd.factorize(labels)
        full += rng.standard_normal((_DRAWS, len(levels)))[:, codes] * sd  # machines share what they have in common
    if coded.scaling_sd.any():
        off = rng.standard_normal((_DRAWS, 1))  # a forecast that is too high for one machine is so for the others
        full += off * np.where(off < 0, *coded.scaling_sd[:, None])
    memory = coded.memory_offset - terms @ coded.memory_columns.T
    both, _ = soft_minimum_of_cpu_and_memory(
        full + terms[:, [model.column_of(BUSY)]], memory, constants["model"]["corner"]
    )
    error, error_log_sd = posterior.error_of_tests(machines)
    noise = of_tests * error * rng.standard_t(constants["model"]["tails"], both.shape)
    if error_log_sd.any():
        noise *= np.exp(error_log_sd * rng.standard_normal((_DRAWS, 1)))
    logs = both + noise
    for name, (users, _) in log_users_of_disks(model, machines).items():
        logs = np.fmin(logs, users + constants[name]["sd"] * rng.standard_normal((_DRAWS, 1)))
    if response_s is not None:
        rule = constants["response"]
        floor = rule["floor_s"] * np.exp(rule["sd"] * rng.standard_normal((_DRAWS, 1)))
        answered = full + np.maximum(log_utilization_within(floor, response_s), _NOBODY)
        logs = np.fmin(logs, answered + noise)
    return logs


@functools.lru_cache(maxsize=16)
def _tests_of_workload(observations, workload):
    """The observations of a workload, of all where it has none: of alike runs the first.

    Of repeated tests of a capacity the users are the mean of all, with the number of these.
    """
    rows, alike = observations.rows, [*NUMBERS, *TEXTS, "observation"]
    same = rows["workload"] == workload
    rows = rows[same] if same.any() else rows
    tested = rows["users"].where(rows["observation"] == CAPACITY).groupby([rows[name] for name in alike], dropna=False)
    rows = rows.assign(users=tested.transform("mean").fillna(rows["users"]), tests=tested.transform("count"))
    return rows[~rows.duplicated(alike)]


def nearest_runs(posterior: Posterior, machines: pd.DataFrame) -> pd.DataFrame:
    """Return run, users and system of the nearest measured machine, and whether all of it is the same (`same_machine`).

    Of several tests of a capacity the users are the mean, the run is the first; `nearest_tests` counts them.

    The nearest has the least sum of squared logarithms of the ratios of the parts. Another family, operating system,
    system or release counts as a ratio of 1.5 each; a part that is unknown as the ratio to the nearest known one, 1.2
    at least. It ran the same workload; all machines are asked with one.
    """
    rows = _tests_of_workload(posterior.model.observations, next(iter(machines["workload"]), ""))
    of_capacity = (rows["observation"] == CAPACITY).to_numpy()
    distance = np.zeros((len(machines), len(rows))) + 1e-3 * ~of_capacity
    exact = np.ones(distance.shape, dtype=bool) & of_capacity
    for name in (*POWERS, "ram_mb"):
        of_machines, ran = (np.log(frame[name].to_numpy(dtype=float)) for frame in (machines, rows))
        apart = (of_machines[:, None] - ran[None, :]) ** 2
        unknown = np.isnan(apart)
        nearest = np.where(unknown, np.inf, apart).min(axis=1, keepdims=True)
        of_unknown = np.maximum(np.log(1.2) ** 2, np.where(np.isinf(nearest), 0.0, nearest))
        distance += np.where(unknown, of_unknown, apart)
        exact &= (apart < 1e-12) | (np.isnan(of_machines)[:, None] & np.isnan(ran)[None, :])
    drives, ran = (frame["drives"].to_numpy(dtype=float) for frame in (machines, rows))
    with np.errstate(divide="ignore"):
        distance += 1e-3 * np.nan_to_num(np.log(drives[:, None] / ran) ** 2)  # where all else is alike
    exact &= (drives[:, None] == ran) | np.isnan(drives)[:, None] | np.isnan(ran)  # few documents tell them
    for name in MACHINE_TEXTS:
        codes, texts = pd.factorize(machines[name])
        ran = rows[name].to_numpy(dtype=object)
        differs = np.array([ran != text for text in texts], dtype=bool).reshape(-1, len(rows))[codes]
        distance += (differs & (texts != "")[codes][:, None]) * np.log(1.5) ** 2
        exact &= ~differs
    at = distance.argmin(axis=1)
    cells = {f"nearest_{name}": rows[name].to_numpy()[at] for name in ("run", "users", "system", "tests")}
    return pd.DataFrame(cells | {"same_machine": exact[np.arange(len(at)), at]}, index=machines.index)
