"""The model of users: its terms and priors, and what the runs leave of them, by mode and curvature of the posterior.

A machine carries what its processors or its memory allow, whichever is less, with a soft corner between the two.
"""

import functools
import itertools
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from scipy import optimize, special
from threadpoolctl import threadpool_limits

from dominoperf.machines.lower_limits import LowerLimits, MixtureOfNormals, loss_of_lower_limits, mixture_beyond_limits
from dominoperf.machines.observations import CAPACITY, LOWER_LIMIT, UTILIZATION, Observations
from dominoperf.machines.parts import POWERS, TEXTS
from dominoperf.tables.folders import our_toml_file

INTERCEPT, BUSY = "intercept", "busy_at_capacity"
MEMORY, MEMORY_BASE = "memory_mb_per_user", "memory_base_error_mb"
UNTOLD = "untold_of_own"  # what no run of a user's own machines tells of them
_AS_USUAL = ("processor_family", "operating_system", "domino_release")  # where unknown, as in the runs of the workload
_ERRORS = ("error", "error_of_utilization", "own_error", "own_error_of_utilization")  # each with a scale of its own
_STEPS = 60
_SPREADS = 3 * np.linspace(0.05, 1, 16) ** 2  # over which that of a user's own machines is averaged
_STEP = 0.3  # of the logarithm of a scale of errors


@dataclass(frozen=True, eq=False)
class DesignRows:
    """Machines as the model takes them; `columns` and `memory_columns` are machines x terms."""

    columns: np.ndarray  # of ln(users of a busy CPU)
    cpu_offset: np.ndarray  # what is added to it
    memory_columns: np.ndarray  # of ln(MB for each user)
    memory_offset: np.ndarray  # the same of memory, infinite where it sets no known limit
    # What nobody measured: kind to the levels ("" where the term is known) and their standard deviations.
    unobserved: Mapping[str, tuple[np.ndarray, np.ndarray]]
    # 2 x machines, of the forecast of a user's own curve over processors, below and above it: 0 without such a curve,
    # and where a term stands for it, of processors that were tested, but not to their limit.
    scaling_sd: np.ndarray


@dataclass(frozen=True, eq=False)
class UsersModel:
    """Terms and priors of the model of users, over given observations."""

    observations: Observations
    widened: float  # factor on the standard deviation of every prior
    constants: Mapping
    levels: Mapping[str, tuple[str, ...]]
    terms: tuple[str, ...]
    mean: np.ndarray
    sd: np.ndarray
    untold_sd: float  # of what no run of a user's own machines tells, at large
    own_spread: float = 1.0  # of a user's own machines, beside what is told of them; 1: as machines at large

    @classmethod
    def from_observations(cls, observations: Observations, widened: float = 1.0) -> "UsersModel":
        """Return the model whose levels are those of the observations; the constants are those of capacity.toml."""
        constants, rows = our_toml_file("capacity.toml"), observations.rows
        levels = {name: tuple(sorted(set(rows[name]) - {""})) for name in TEXTS}
        effects, priors = constants["effects"], []
        priors += [
            (name, effects[name]["mean"], effects[name]["sd"])
            for name in (INTERCEPT, *POWERS, BUSY, MEMORY, MEMORY_BASE)
        ]
        sd_where_untold = {part: constants["unknown"][part] * effects[part]["mean"] for part in POWERS}
        sd_where_untold |= {part: constants["levels"][part]["sd"] for part in TEXTS}
        untold_of_own = observations.untold_of_own
        untold_sd = float(np.linalg.norm([sd_where_untold[part] for part in sorted(untold_of_own)]))
        if untold_of_own:  # once for all of a user's machines, and once more for each
            priors.append((UNTOLD, effects[UNTOLD]["mean"], untold_sd))
        for level, part in itertools.product(levels["workload"], POWERS):  # what a part does to one workload
            of_workload = effects[part].get("own_sd" if level in observations.own_workloads else "workload_sd")
            if of_workload and not (part == "processors" and level in observations.own_curves):
                priors.append((f"{part}[{level}]", 0.0, of_workload))
        for workload, counts in observations.tested_off_own_curves.items():
            _, (_, sd) = _forecast_of_curve(observations.own_curves[workload], counts)  # above: they carried that much
            names = [_off_the_curve(workload, each) for each in counts]
            priors += zip(names, np.zeros(len(counts)), sd, strict=True)
        told_by_all = _told(rows).groupby(rows["system"]).all()
        parts = sorted(told_by_all)
        of_parts = dict(zip(told_by_all.index, ~told_by_all[parts].to_numpy(), strict=True))
        for name in TEXTS:
            for level in levels[name]:
                mean, sd = _prior_of_level(constants, observations, name, level)
                if name == "system":  # it stands for what is not printed of the machine, too
                    untold = itertools.compress(parts, of_parts[level])
                    sd = np.linalg.norm([sd, *(sd_where_untold[part] for part in untold)])
                priors.append((f"{name}[{level}]", mean, sd))
        terms, mean, sd = zip(*priors, strict=True)
        sd = widened * np.array(sd)
        return cls(observations, widened, constants, levels, terms, np.array(mean), sd, widened * untold_sd)

    def with_own_spread(self, own_spread: float) -> "UsersModel":
        """Return the model where a user's own machines differ from each other by another spread."""
        of_own = np.isin(self.terms, [f"system[{system}]" for system in self.observations.own_systems])
        return replace(self, sd=np.where(of_own, own_spread / self.own_spread, 1.0) * self.sd, own_spread=own_spread)

    @functools.cached_property
    def untold_of_system(self) -> dict[str, set[str]]:
        """The parts and levels of each system that none of its runs tells."""
        rows = self.observations.rows
        told_by_any = _told(rows).groupby(rows["system"]).any()
        untold = zip(told_by_any.index, ~told_by_any.to_numpy(), strict=True)
        return {system: set(itertools.compress(told_by_any, each)) for system, each in untold if system}

    def column_of(self, term: str) -> int:
        """Return the column of a term."""
        return self.terms.index(term)

    def columns_of(self, name: str) -> list[int]:
        """Return the columns of the terms that belong to levels: of workload those of workload[Mail] and so on."""
        return [at for at, term in enumerate(self.terms) if term.startswith(f"{name}[")]

    def code(self, machines: pd.DataFrame) -> DesignRows:
        """Return machines as the model takes them; they have the columns of `machine_columns`."""
        columns, offset = np.zeros((len(machines), len(self.terms))), np.zeros(len(machines))
        columns[:, self.column_of(INTERCEPT)] = 1
        systems, names = pd.factorize(machines["system"])
        in_system = {  # the term of a system stands for what no run of it tells
            name: np.array([name in self.untold_of_system.get(system, ()) for system in names], dtype=bool)[systems]
            for name in (*POWERS, *TEXTS)
        }
        unobserved = {}  # of each part or level that is not known or was not measured: its name, and what that costs
        is_own = self.observations.are_own(machines)
        if untold_of_own := self.observations.untold_of_own:  # there nothing is known to compare a machine with
            of_new = is_own & ~machines["system"].isin(self.levels["system"]).to_numpy()
            # One without a name is like those of a curve, whose forecast has the scatter of public ones, too.
            curves = [name for name, curve in self.observations.own_curves.items() if curve["machines"].max() == 1]
            like_those = machines["workload"].isin(curves) & machines["processors"].notna() & (machines["system"] == "")
            of_new &= ~like_those.to_numpy()
            columns[:, self.column_of(UNTOLD)] = is_own
            machines = machines.assign(
                **{name: machines[name].mask(is_own, np.nan if name in POWERS else "") for name in untold_of_own}
            )
            in_system |= {name: in_system[name] | is_own for name in untold_of_own}
            called = machines["system"].where(machines["system"] != "", "?").to_numpy()
            unobserved[UNTOLD] = np.where(of_new, called, ""), np.where(of_new, self.own_spread * self.untold_sd, 0.0)
        for name in POWERS:
            unobserved[name] = self._code_power(name, machines, in_system[name], columns)
        for name in TEXTS:
            unobserved[name] = self._code_level(name, machines, in_system[name], columns, offset)
        label, sd = unobserved["system"]
        unobserved["system"] = label, np.where(is_own, self.own_spread, 1.0) * sd
        scaling_sd = self._code_scaling(machines, columns, offset)
        memory_columns, memory = self._code_memory(machines)
        return DesignRows(columns, offset, memory_columns, memory, unobserved, scaling_sd)

    def _code_power(self, name, machines, in_system, columns):
        """Write the logarithm of a part of each machine into its column; say where it is unknown, and what that costs.

        An unknown one is as usual in the runs of the workload.
        """
        rows, value = self.observations.rows, machines[name].to_numpy(dtype=float)
        unknown, relative = np.isnan(value), np.where(value > 0, value, np.nan) / self._reference(machines, name)
        columns[:, self.column_of(name)] = np.log(relative)
        if unknown.any():
            usual = np.log(rows[name] / self._reference(rows, name)).groupby(rows["workload"]).mean()
            columns[unknown, self.column_of(name)] = machines["workload"][unknown].map(usual).fillna(0.0)
        sd = self.widened * self.constants["unknown"][name] * self.constants["effects"][name]["mean"]
        costs = unknown & ~in_system
        return np.where(costs, "?", ""), np.where(costs, sd, 0.0)

    def _code_level(self, name, machines, in_system, columns, offset):
        """Write a one where a level was measured, else add its prior to the offset; say which was not, and its cost."""
        measured, at = self.levels[name], self.columns_of(name)
        codes, levels = pd.factorize(machines[name])
        ones = np.array([[level == other for other in measured] for level in levels], dtype=float)
        columns[:, at] = ones.reshape(len(levels), len(measured))[codes]
        priors = [
            (0.0, 0.0) if level in measured else _prior_of_level(self.constants, self.observations, name, level)
            for level in levels
        ]
        mean, sd = np.array(priors).reshape(-1, 2)[codes].T
        offset += mean
        labels = np.array(["" if level in measured else level or "?" for level in levels], dtype=object)[codes]
        told = (machines[name] != "").to_numpy()
        unknown = np.flatnonzero(~told)
        if len(unknown) and name in _AS_USUAL:  # each level by its share of the runs of the workload
            rows = self.observations.rows
            known, workloads = rows[rows[name] != ""], machines["workload"].to_numpy()[unknown]
            of_runs, levels_of_runs = known["workload"].to_numpy(), known[name].to_numpy()
            for workload in set(of_runs) & set(workloads):
                same = levels_of_runs[of_runs == workload]
                shares = [np.mean(same == level) for level in measured]
                columns[np.ix_(unknown[workloads == workload], at)] = shares
        return labels, np.where(told | ~in_system, self.widened * sd, 0.0)

    def _code_scaling(self, machines, columns, offset):
        """Write what processors do to each workload; return the error where a curve of the user's forecasts it."""
        processors, curves = self.column_of("processors"), self.observations.own_curves
        for part in POWERS:
            for at in self.columns_of(part):
                of_workload = columns[:, self.column_of(f"workload{self.terms[at].removeprefix(part)}")]
                columns[:, at] = of_workload * columns[:, self.column_of(part)]
        scaling_sd = np.zeros((2, len(machines)))
        for workload, curve in curves.items():  # a forecast is in the place of the powers
            of_curve = (machines["workload"] == workload).to_numpy()
            known = of_curve & machines["processors"].notna().to_numpy()
            columns[of_curve, processors] = 0
            offset[of_curve] += curve["log_users"].mean()
            forecast, sd = _forecast_of_curve(curve, machines["processors"].to_numpy()[known])
            offset[known] += forecast - curve["log_users"].mean()
            scaling_sd[:, known] = self.widened * sd
            for processors_tested in self.observations.tested_off_own_curves[workload]:
                same = of_curve & (machines["processors"] == processors_tested).to_numpy()
                columns[same, self.column_of(_off_the_curve(workload, processors_tested))] = 1
                scaling_sd[:, same] = 0
        return scaling_sd

    def _code_memory(self, machines):
        """The columns of the limit of memory, and its offset."""
        ratios = machines["workload"].map(self.constants["memory_ratios"]).to_numpy(dtype=float)
        spare = machines["ram_mb"].to_numpy(dtype=float) - self.constants["model"]["memory_base_mb"]
        columns = np.zeros((len(machines), len(self.terms)))
        columns[:, self.column_of(MEMORY)] = 1
        with np.errstate(divide="ignore", invalid="ignore"):
            columns[:, self.column_of(MEMORY_BASE)] = np.where(spare > 0, 1 / spare, 0)  # so fast falls ln(spare)
            memory = np.where(spare > 0, np.log(spare / ratios), -np.inf)
        return columns, np.where(np.isnan(spare) | np.isnan(ratios), np.inf, memory)

    def _reference(self, machines, name):
        """What a part of each machine is relative to: that which the prior of its family was stated with."""
        reference, families = self.constants["model"]["reference"][name], self.constants["levels"]["processor_family"]
        with_family = {family: about[name] for family, about in families["known"].items() if name in about}
        return machines["processor_family"].map(with_family).fillna(reference).to_numpy(dtype=float)


def _told(rows):
    """Which parts and levels each run tells of its machine."""
    described = rows[[*POWERS, *TEXTS]]
    return described.notna() & (described != "")


def _off_the_curve(workload, processors):
    """The term of what processors that were not tested to their limit do, beside the forecast of a curve."""
    return f"processors off the curve[{workload}, {processors:g}]"


def _forecast_of_curve(curve, processors):
    """ln(users) at other processors as `forecast` continues a curve, and the standard deviations below and above it."""
    from dominoperf.fitting import forecasting  # loaded for a curve of a user's own alone

    constants, level = forecasting.constants_of_forecasts(), 0.95
    x, logs, errors = curve.index.to_numpy(), curve["log_users"].to_numpy(), curve["std_error"].to_numpy()
    forecast = forecasting.combine_forecasts_of_laws(x, logs[:, None], processors, constants, errors)
    moved = forecasting.combine_forecasts_of_laws(x, logs[:, None] + np.diag(errors), processors, constants, errors)
    ends = constants.ends(forecast.distance, level, points=len(curve), bridge=forecast.bridge, least=0.0)
    of_errors = np.linalg.norm(moved.centre - forecast.centre, axis=1)
    return forecast.centre[:, 0], np.hypot(np.stack(ends) / special.ndtri((1 + level) / 2), of_errors)


def soft_minimum_of_cpu_and_memory(cpu: np.ndarray, memory: np.ndarray, corner: float) -> tuple[np.ndarray, np.ndarray]:
    """Return ``-ln(exp(-corner cpu) + exp(-corner memory)) / corner`` and its derivative by the first."""
    return -np.logaddexp(-corner * cpu, -corner * memory) / corner, special.expit(corner * (memory - cpu))


def _prior_of_level(constants, observations, name, level):
    """Mean and standard deviation of a level before any run."""
    about = constants["levels"][name]
    if name == "workload":
        if level in observations.own_workloads:
            return 0.0, about["own_sd"]
        rate = observations.script_rates.get(level)
        return (0.0, about["unknown_sd"]) if rate is None else (-np.log(rate), about["sd"])
    printed = about.get("known", {}).get(level, {})
    return printed.get("mean", 0.0), printed.get("sd", about["sd"])


@dataclass(frozen=True, eq=False)
class Posterior:
    """The fitted model of users: the distribution of its terms, and the errors of the runs."""

    model: UsersModel
    terms: MixtureOfNormals  # one normal, or several where lower limits of a user's own cut it off
    most_likely: MixtureOfNormals  # the normal about the most likely terms; the same as `terms` without such limits
    error: float  # scale of the errors of ln(users) at capacity, of the documents' runs
    error_of_utilization: float  # of ln(users / utilization)
    own_error: float  # at capacity, of a user's own runs
    own_error_log_sd: float  # standard deviation of its logarithm
    # Logarithm of the marginal likelihood of the runs, by Laplace's approximation, but for a constant: models of the
    # same runs can be compared by it. With the spread that the model was given, `UsersModel.own_spread`.
    log_evidence: float

    @functools.cached_property
    def mean(self) -> np.ndarray:
        """The mean of the terms."""
        return self.terms.weights @ self.terms.means

    @functools.cached_property
    def covariance(self) -> np.ndarray:
        """The covariance of the terms."""
        away = self.terms.means - self.mean
        return self.terms.covariance + (away.T * self.terms.weights) @ away

    def error_of_tests(self, machines: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
        """Return the scale of the error of a new test of each machine, and the standard deviation of its logarithm.

        Where a system or a workload is a user's own, the test is taken to be like that user's.
        """
        observations = self.model.observations
        own = (
            machines["workload"].isin(observations.own_workloads) | machines["system"].isin(observations.own_systems)
        ).to_numpy()
        return np.where(own, self.own_error, self.error), np.where(own, self.own_error_log_sd, 0.0)


@threadpool_limits.wrap(limits=1, user_api="blas")  # several threads wait for each other while the machine is busy
def fit_users(model: UsersModel) -> Posterior:
    """Return the posterior of a model: the mode of the terms, with the scales of errors at their marginal mode.

    A user's own machines differ from each other more or less than machines at large. That spread is averaged over its
    posterior, of a half-normal prior about that of machines at large, and the scales of errors are found again with it.

    Errors are Student's t; a lower limit counts by the probability that the capacity lies above it. A user's own tests
    scatter more or less than those of the documents, so their errors have scales of their own. The terms are found by
    Fisher scoring; the scales maximise the marginal likelihood by Laplace's approximation, so that they allow for the
    terms that were estimated. The terms are normal about their mode, and their covariance is the inverse of information
    and prior precision; but lower limits of a user's own runs are integrated (`mixture_beyond_limits`).
    """
    rows, observations = model.observations.rows, model.observations
    own, of_cpu = rows["source"].isin(observations.own_sources), rows["observation"] == UTILIZATION
    which = pd.Categorical.from_codes(2 * own + of_cpu, _ERRORS)
    task = _PosteriorOfTerms(
        model, model.code(rows), rows["log_users"].to_numpy(), rows["observation"].to_numpy(), which.codes
    )
    priors = [model.constants["effects"][name] for name in _ERRORS]
    start = np.array([prior["mean"] for prior in priors])
    told = np.unique(which.codes)  # the scales that the runs say something about
    terms = model.mean.copy()

    def errors_of(scales):
        """The errors whose logarithms are the scales; those of a user's own are not below the least that is usual."""
        return np.maximum(np.exp(scales), [prior.get("least", 0.0) for prior in priors])

    def loss(logs):
        """Minus the logarithm of the marginal likelihood times the priors, at given logarithms of those scales."""
        nonlocal terms
        if np.abs(logs - start[told]).max() > 4:
            return np.inf
        scales = start.copy()
        scales[told] = logs
        off = (scales - start) / (model.widened * np.array([prior["sd"] for prior in priors]))
        terms, value, information = task.mode(terms, errors_of(scales), 1e-4)
        return value + np.linalg.slogdet(information)[1] / 2 + off @ off / 2

    def scales_from(logs):
        """The scales whose marginal likelihood is greatest, from given logarithms of them, and the loss there."""
        simplex = logs + _STEP * np.eye(len(told) + 1, len(told), -1)
        how = {"xatol": 0.01, "fatol": 0.005, "initial_simplex": simplex}
        optimum = optimize.minimize(loss, logs, method="Nelder-Mead", options=how)
        return optimum.x, float(optimum.fun)

    logs, least = scales_from(start[told])
    evidence = -float(least + np.log(model.sd).sum())
    if observations.own_systems:
        scales, losses = start.copy(), []
        scales[told] = logs
        for spread in _SPREADS:
            trial = model.with_own_spread(spread * model.own_spread)
            task.precision = trial.sd**-2
            terms, value, information = task.mode(terms, errors_of(scales), 1e-4)
            losses.append(value + np.linalg.slogdet(information)[1] / 2 + np.log(trial.sd).sum() + spread**2 / 2)
        likelihoods = np.exp(np.min(losses) - losses) * np.gradient(_SPREADS)
        model = model.with_own_spread(model.own_spread * float(np.sqrt(np.average(_SPREADS**2, weights=likelihoods))))
        task.precision = model.sd**-2
        logs, least = scales_from(logs)
    scales = start.copy()
    scales[told] = logs
    own_error_log_sd = model.widened * priors[_ERRORS.index("own_error")]["sd"]
    if _ERRORS.index("own_error") in told:  # by the curvature of the marginal likelihood
        step = _STEP * (told == _ERRORS.index("own_error"))
        bend = (loss(logs - step) + loss(logs + step) - 2 * least) / _STEP**2
        own_error_log_sd = min(own_error_log_sd, bend**-0.5) if bend > 0 else own_error_log_sd
    terms, _, information = task.mode(terms, errors_of(scales))
    error, error_of_utilization, own_error, _ = map(float, errors_of(scales))
    most_likely = MixtureOfNormals(terms[None, :], np.ones(1), np.linalg.inv(information))
    limits = task.lower_limits(terms, errors_of(scales), own.to_numpy())
    mixture = mixture_beyond_limits(most_likely, limits)
    for each in (most_likely, mixture):
        _raise_powers_to_zero(model, each)
    errors = error, error_of_utilization, own_error, own_error_log_sd
    return Posterior(model, mixture, most_likely, *errors, evidence)


def _raise_powers_to_zero(model, terms):
    """Move means to where more of a part never carries less, whatever few runs say; the other terms as these imply."""
    for name in POWERS:
        for at in (None, *model.columns_of(name)):  # of all workloads, and of each
            power = np.zeros(len(model.terms))
            power[[model.column_of(name), *([] if at is None else [at])]] = 1
            with_power = terms.covariance @ power
            terms.means[:] -= np.outer(np.minimum(terms.means @ power, 0.0), with_power / (power @ with_power))


class _PosteriorOfTerms:
    """The posterior of given rows as a function of terms and scales."""

    def __init__(self, model, coded, observed, kind, which_scale):
        self.model, self.coded, self.observed, self.which_scale = model, coded, observed, which_scale
        self.tails, self.corner = model.constants["model"]["tails"], model.constants["model"]["corner"]
        self.precision = model.sd**-2
        self.limit, self.of_cpu = kind == LOWER_LIMIT, kind == UTILIZATION
        assert set(kind) <= {CAPACITY, LOWER_LIMIT, UTILIZATION}
        self.cpu_columns = coded.columns.copy()
        self.cpu_columns[~self.of_cpu, model.column_of(BUSY)] = 1
        self.memory_columns = np.where(self.of_cpu[:, None], 0, coded.memory_columns)
        self.memory_offset = np.where(self.of_cpu, np.inf, coded.memory_offset)
        self.limits, self.of_memory = np.flatnonzero(self.limit), np.flatnonzero(self.memory_columns.any(axis=0))

    def mode(self, terms, scales, enough=1e-9):
        """The terms that maximise the posterior at given scales, the loss there and its information.

        It ends with a step that gains less than `enough`.
        """
        value, gradient, of_step, expected = self.at(terms, scales)
        for _ in range(_STEPS):
            step = np.linalg.solve(self._information(*of_step), gradient)
            for shrink in (1.0, 0.5, 0.25, 0.1, 0.01):
                trial = self.at(terms - shrink * step, scales)
                if trial[0] <= value + 1e-12:
                    break
            else:
                break
            gain = value - trial[0]
            terms, (value, gradient, of_step, expected) = terms - shrink * step, trial
            if gain < enough:
                break
        return terms, value, self._information(*expected)

    def lower_limits(self, terms, scales, which):
        """Those of the rows `which` that are lower limits, about given terms."""
        which = which & self.limit
        cpu, memory, *fitted = (each[which] for each in self._fitted(terms))
        columns = self.cpu_columns[which], self.memory_columns[which]
        observed, scale = self.observed[which], scales[self.which_scale][which]
        return LowerLimits(*fitted, cpu, columns[0], memory, columns[1], observed, scale, self.corner, self.tails)

    def _fitted(self, terms):
        """ln(users) that processors and memory allow, and of each row; the derivatives of the latter by the terms."""
        cpu = self.cpu_columns @ terms + self.coded.cpu_offset
        memory = self.memory_offset - self.memory_columns @ terms
        fitted, share = soft_minimum_of_cpu_and_memory(cpu, memory, self.corner)
        jacobian = share[:, None] * self.cpu_columns
        jacobian[:, self.of_memory] -= (1 - share)[:, None] * self.memory_columns[:, self.of_memory]
        return cpu, memory, fitted, jacobian

    def at(self, terms, scales):
        """Loss (minus the log posterior), its gradient; derivatives and weights of the rows to step by, and expected.

        With the expected weight of a run one comes near it slowly from afar. From there one steps by the weight that it
        has in repeated least squares for Student's t.
        """
        scale = scales[self.which_scale]
        *_, fitted, jacobian = self._fitted(terms)
        residual = (self.observed - fitted) / scale
        tails = self.tails
        value = (tails + 1) / 2 * np.log1p(residual**2 / tails) + np.log(scale)
        of_squares = (tails + 1) / (tails + residual**2)
        slope = -of_squares * residual  # d value / d fitted, times scale
        expected = np.full(len(residual), (tails + 1) / (tails + 3))
        of_step = np.minimum(of_squares, expected)
        if len(self.limits):  # P(capacity above the load) = P(error > residual)
            value[self.limits], slope[self.limits], of_limits = loss_of_lower_limits(residual[self.limits], tails)
            of_step[self.limits] = expected[self.limits] = of_limits
        of_prior = self.precision * (terms - self.model.mean)
        loss = value.sum() + of_prior @ (terms - self.model.mean) / 2
        gradient = jacobian.T @ (slope / scale) + of_prior
        return loss, gradient, (jacobian, of_step / scale**2), (jacobian, expected / scale**2)

    def _information(self, jacobian, weights):
        """Information of rows with derivatives and weights, and of the prior."""
        root = jacobian * np.sqrt(weights)[:, None]
        information = root.T @ root
        information.flat[:: len(information) + 1] += self.precision
        return information
