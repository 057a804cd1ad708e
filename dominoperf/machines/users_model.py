"""The model of users: what a machine carries of a workload, with its priors; two branches, processor and memory."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from dominoperf.machines.observations import Observations
from dominoperf.tables.folders import our_file

POWERS = ("processors", "clock_mhz", "l2_kb")
LEVELS = ("processor_family", "system", "operating_system", "domino_release", "workload")
INTERCEPT, BUSY, MEMORY = "intercept", "busy_at_capacity", "memory_mb_per_user"
_OF_WORKLOAD = "processors_of_workload"
_AS_USUAL = ("processor_family", "operating_system", "domino_release")  # where unknown, as in the runs of the workload


@dataclass(frozen=True, eq=False)
class DesignRows:
    """Machines as the model takes them.

    Parameters
    ----------
    columns : array, machines x terms
        Of ln(users of a busy CPU).
    cpu_offset, memory_offset : array
        What is added to either branch; the memory's is infinite where it sets no known limit.
    unobserved : dict
        What nobody measured: kind to the levels ("" where the term is known) and their standard deviations.
    """

    columns: np.ndarray
    cpu_offset: np.ndarray
    memory_offset: np.ndarray
    unobserved: Mapping[str, tuple[np.ndarray, np.ndarray]]

    @property
    def unobserved_variance(self) -> np.ndarray:
        """Variance of ln(users) from what nobody measured."""
        return sum(sd**2 for _, sd in self.unobserved.values())


@dataclass(frozen=True, eq=False)
class UsersModel:
    """Terms and priors of the model of users, over given observations.

    Parameters
    ----------
    observations : Observations
    widened : float
        Factor on the standard deviation of every prior.
    """

    observations: Observations
    widened: float
    constants: Mapping
    levels: Mapping[str, tuple[str, ...]]
    terms: tuple[str, ...]
    mean: np.ndarray
    sd: np.ndarray

    @classmethod
    def from_observations(
        cls, observations: Observations, widened: float = 1.0, *, system_sd: float | None = None
    ) -> "UsersModel":
        """Return the model whose levels are those of the observations; the constants are those of capacity.toml.

        `system_sd`, where it is given, stands for the standard deviation between systems with the same parts.
        """
        constants, rows = our_file("capacity.toml"), observations.rows
        if system_sd is not None:
            of_system = {"system": constants["levels"]["system"] | {"sd": system_sd}}
            constants = constants | {"levels": constants["levels"] | of_system}
        levels = {name: tuple(sorted(set(rows[name]) - {""})) for name in LEVELS}
        effects, priors = constants["effects"], []
        priors += [(name, effects[name]["mean"], effects[name]["sd"]) for name in (INTERCEPT, *POWERS, BUSY, MEMORY)]
        of_workload = effects[_OF_WORKLOAD]
        priors += [(f"processors[{level}]", of_workload["mean"], of_workload["sd"]) for level in levels["workload"]]
        for name in LEVELS:
            for level in levels[name]:
                mean, sd = _prior_of_level(constants, observations, name, level)
                if name == "system":
                    sd = np.hypot(
                        sd, _unprinted_deviation(constants, rows[rows["system"] == level])
                    )  # it stands for those too
                priors.append((f"{name}[{level}]", mean, sd))
        terms, mean, sd = zip(*priors, strict=True)
        return cls(observations, widened, constants, levels, terms, np.array(mean), widened * np.array(sd))

    def place(self, term: str) -> int:
        """Return the column of a term."""
        return self.terms.index(term)

    def code(self, machines: pd.DataFrame) -> DesignRows:
        """Return machines as the model takes them; they have the columns of `described_machines`."""
        constants, count = self.constants, len(machines)
        columns, offset, unobserved = np.zeros((count, len(self.terms))), np.zeros(count), {}
        columns[:, self.place(INTERCEPT)] = 1
        for name in POWERS:
            value = machines[name].to_numpy(dtype=float)
            unknown = np.isnan(value)
            columns[:, self.place(name)] = np.log(np.where(value > 0, value, np.nan) / self._reference(machines, name))
            if unknown.any():
                usual = machines["workload"][unknown].map(self._usual[name]).fillna(0.0)
                columns[unknown, self.place(name)] = usual
            sd = self.widened * constants["unknown"][name] * constants["effects"][name]["mean"]
            unobserved[name] = np.where(unknown, "?", ""), np.where(unknown, sd, 0.0)
        for name in LEVELS:
            offset += self._code_level(machines, name, columns, unobserved)
        first = self.place(f"processors[{self.levels['workload'][0]}]")
        workloads = self.place(f"workload[{self.levels['workload'][0]}]")
        width = len(self.levels["workload"])
        of_workload = columns[:, workloads : workloads + width] * columns[:, [self.place("processors")]]
        columns[:, first : first + width] = of_workload
        ratios = machines["workload"].map(constants["memory_ratios"]).to_numpy(dtype=float)
        spare = machines["ram_mb"].to_numpy() - constants["model"]["memory_base_mb"]
        with np.errstate(divide="ignore", invalid="ignore"):
            memory = np.where(spare > 0, np.log(spare / ratios), -np.inf)
        memory = np.where(np.isnan(spare) | np.isnan(ratios), np.inf, memory)
        return DesignRows(columns, offset, memory, unobserved)

    def _reference(self, machines, name):
        """What a part of each machine is relative to: that which the prior of its family was stated with."""
        reference, families = self.constants["model"]["reference"][name], self.constants["levels"]["processor_family"]
        with_family = {family: about[name] for family, about in families["known"].items() if name in about}
        return machines["processor_family"].map(with_family).astype(float).fillna(reference).to_numpy()

    @cached_property
    def _usual(self):
        """The mean logarithm of each part in the runs of a workload, relative to its reference."""
        rows = self.observations.rows
        return {
            name: np.log(rows[name] / self._reference(rows, name)).groupby(rows["workload"]).mean().dropna().to_dict()
            for name in POWERS
        }

    @cached_property
    def _shares(self):
        """How often each level is met in the runs of a workload: what is not known is as usual there."""
        rows = self.observations.rows
        shares = {}
        for name in _AS_USUAL:
            runs = rows[rows[name] != ""]
            counts = pd.crosstab(runs["workload"], runs[name], normalize="index")
            shares[name] = counts.reindex(columns=list(self.levels[name]), fill_value=0.0)
        return shares

    def _code_level(self, machines, name, columns, unobserved):
        """Put a one where a level was measured, else its prior into `unobserved`; return the prior means of those."""
        measured = self.levels[name]
        codes, levels = pd.factorize(machines[name])
        first = self.place(f"{name}[{measured[0]}]") if measured else 0
        places = {level: first + at for at, level in enumerate(measured)}
        labels = np.array(["" if level in places else level or "?" for level in levels], dtype=object)[codes]
        priors = [
            (0.0, 0.0) if level in places else _prior_of_level(self.constants, self.observations, name, level)
            for level in levels
        ]
        mean, prior_sd = np.array(priors).reshape(-1, 2)[codes].T
        of_level = np.array([places.get(level, -1) for level in levels], dtype=int)[codes]
        rows = np.flatnonzero(of_level >= 0)
        columns[rows, of_level[rows]] = 1
        unknown = np.flatnonzero(machines[name].to_numpy() == "")
        if len(unknown) and measured and name in _AS_USUAL:
            shares = self._shares[name].reindex(machines["workload"].iloc[unknown]).fillna(0.0)
            columns[unknown, first : first + len(measured)] = shares.to_numpy()
        unobserved[name] = labels, self.widened * prior_sd
        return mean


def soft_minimum(cpu: np.ndarray, memory: np.ndarray, corner: float) -> tuple[np.ndarray, np.ndarray]:
    """Return ``-ln(exp(-corner cpu) + exp(-corner memory)) / corner`` and its derivative by the first.

    Examples
    --------
    >>> value, share = soft_minimum(np.array([7.0, 7.0]), np.array([7.0, np.inf]), 6.0)
    >>> value.round(3).tolist(), share.tolist()
    ([6.884, 7.0], [0.5, 1.0])
    """
    least = np.minimum(cpu, memory)
    with np.errstate(invalid="ignore"):
        first, second = np.exp(-corner * (cpu - least)), np.exp(-corner * (memory - least))
    total = first + second
    return least - np.log(total) / corner, first / total


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


def _unprinted_deviation(constants, rows):
    """Standard deviation of ln(users) from what is not printed of a machine, all parts together."""
    unknown = constants["unknown"]
    parts = [unknown[name] * constants["effects"][name]["mean"] for name in POWERS if rows[name].isna().any()]
    parts += [constants["levels"][name]["sd"] for name in LEVELS if (rows[name] == "").any()]
    return float(np.sqrt(np.sum(np.square(parts))))
