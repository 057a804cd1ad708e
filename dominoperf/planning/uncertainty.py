"""What of a plan is uncertain, people and ratings of systems, and the futures that are drawn of it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import special

from dominoperf.errors import CannotPlan, check_draws, check_level
from dominoperf.machines import MACHINE_PARTS, correlation
from dominoperf.planning.plan import Plan
from dominoperf.planning.systems import is_modelled_rating, rating_describes_machine
from dominoperf.tables.rendering import number

PEOPLE, RATING = "people", "rating"


class UncertainInput(NamedTuple):
    """An uncertain number: which it is, its name in words, unit, central value and quantile function."""

    id: tuple  # its kind, then the group of people, or the system and workload of a rating
    name: str
    unit: str
    value: float
    quantile: Callable
    words: str  # how it is distributed

    @property
    def kind(self) -> str:
        """Whether it is a number of people or a rating."""
        return self.id[0]

    @property
    def key(self) -> str:
        """Which of its kind it is, as the tables have it."""
        return ": ".join(self.id[1:])


def uncertain_inputs(plan: Plan) -> tuple[UncertainInput, ...]:
    """Return the uncertain inputs of a plan: people with a spread, ratings with a std_error and dof.

    People: uniform, triangular with its mode at `users`, or normal around them, cut at 0. A rating is
    ``users + std_error × t`` with Student's t on the dof of its fit: the law's own interval, whether its errors are
    relative or not; of the model of users it is lognormal. It is cut at 0, which raises its quantiles a little where
    few dof leave much below, and drawn once for all servers of a system, as they are one model.
    """
    people = [_people_input(group) for group in plan.request.groups if group.spread]
    return (*filter(None, people), *uncertain_ratings(plan.ratings[part.group] for part in plan.parts))


def uncertain_ratings(rows: Iterable[Mapping]) -> tuple[UncertainInput, ...]:
    """Return the uncertain ones of some ratings, each once: those with a std_error and dof."""
    by_id = {rating_id(row): row for row in rows}
    unsure = [row for row in by_id.values() if row.get("std_error", np.nan) > 0 and row.get("dof", np.nan) > 0]
    return tuple(map(_rating_input, unsure))


def draw_inputs(
    uncertain: Sequence[UncertainInput], rows: Iterable[Mapping], n: int, seed: int
) -> dict[tuple, np.ndarray]:
    """Return n values of each uncertain input, by its id; modelled ratings are drawn together, all else independently.

    ``quantile(Phi(z))`` with z normal and correlated as ln(users) of such machines is by `machines.correlation` (a
    Gaussian copula): each rating keeps its own distribution. `rows` are the ratings of the inputs, as `systems` has
    them; one that does not describe its machine is drawn by itself.
    """
    uniform = np.random.default_rng(seed).random((len(uncertain), n))
    described = {rating_id(row): row for row in rows if is_modelled_rating(row) and rating_describes_machine(row)}
    together = [place for place, one in enumerate(uncertain) if one.id in described]
    if len(together) > 1:
        machines = pd.DataFrame([described[uncertain[place].id] for place in together])
        values, vectors = np.linalg.eigh(correlation(machines[[*MACHINE_PARTS, "workload"]]))
        root = vectors * np.sqrt(np.clip(values, 0, None))
        uniform[together] = special.ndtr(root @ special.ndtri(uniform[together]))
    return {one.id: one.quantile(row) for one, row in zip(uncertain, uniform, strict=True)}


def _people_input(group):
    """The people of a group; None where both ends of their distribution are one."""
    from scipy import stats

    distribution, users = group.spread, float(group.users)
    kind, ends = distribution["kind"], {name: end for name, end in distribution.items() if name != "kind"}
    if kind == "normal":
        law = stats.truncnorm(-users / ends["sd"], np.inf, users, ends["sd"]) if ends["sd"] else None
    else:
        low, wide = ends["low"], ends["high"] - ends["low"]
        if not wide:
            law = None
        elif kind == "uniform":
            law = stats.uniform(low, wide)
        else:
            law = stats.triang((users - low) / wide, low, wide)
    words = f"{kind}, " + ", ".join(f"{name} {end:g}" for name, end in ends.items())
    return law and UncertainInput((PEOPLE, group.name), f"{group.name}: people", "person", users, law.ppf, words)


def rating_id(row: Mapping) -> tuple[str, str, str]:
    """Return the id of the input that a rating would be: one for all servers of a system."""
    return RATING, row["system"], row["workload"]


def _rating_input(row):
    """A rating: Student's t around the estimate, what lies at or below 0 cut off; lognormal where it is modelled."""
    from scipy import stats

    where = rating_id(row), f"{row['system']}: {row['workload']} users", "user", row["users"]
    if is_modelled_rating(row):
        sigma = row["std_error"] / row["users"]
        law = stats.lognorm(sigma, scale=row["users"])
        return UncertainInput(*where, law.ppf, f"lognormal, standard deviation of ln users {number(sigma, 2)}")
    law = stats.t(row["dof"], row["users"], row["std_error"])
    below = law.cdf(0.0)
    words = f"t, std_error {number(row['std_error'])}, dof {row['dof']:g}"
    quantile = lambda u: law.ppf(below + u * (1 - below))  # noqa: E731
    return UncertainInput(*where, quantile, words)


def check_drawn_futures(where: str, n: int, seed: int, level: float) -> None:
    """Refuse a number of futures, a seed or a level that cannot be; `where` is the function that errors name."""
    check_draws(where, n, seed, CannotPlan)
    check_level(level, where, CannotPlan)
