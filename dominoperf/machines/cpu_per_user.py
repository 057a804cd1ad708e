"""What a user costs in CPU: run by run, whether in proportion to users, and in one release compared with another."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import special

from dominoperf.errors import CannotFit, UnknownName, as_typed, check_level
from dominoperf.machines.levels import benchmark_runs, columns_of_run, texts_of_column
from dominoperf.tables import carried_errata
from dominoperf.tables.reading import numbers_of_column
from dominoperf.tables.rendering import Result, number

PROPORTIONAL = (
    "Assumption: CPU utilization is proportional to users, without a part that an idle server needs too, so that the"
    " cost of a user may be compared between runs with different loads."
)
"""What is said beside a cost per user: the assumption under which it can be compared between loads."""
_NEEDED = ("operating_system", "workload", "domino_release", "users", "cpu_utilization_percent")
COST = "cpu_percent_per_1000_users"


def demand(data: pd.DataFrame | None = None) -> pd.DataFrame:
    """Return the CPU demand per user of every run that has users and a CPU utilization, in the order of the runs.

    ``cpu_percent_per_1000_users = U / users * 1000`` is a share of that one machine; ``processors_per_1000_users =
    U / 100 * processors / users * 1000`` counts busy processors; ``mhz_per_user = U / 100 * processors * clock /
    users`` counts their cycles. The last two let machines of one processor family be laid side by side and no others: a
    cycle does not do the same work everywhere.

    Parameters
    ----------
    data : DataFrame, path or URL, optional
        Runs in the columns of `benchmarks`; by default those.

    Returns
    -------
    DataFrame
        run, source, system, platform, workload, domino_release, release_family, users, cpu_utilization_percent,
        cpu_percent_per_1000_users, processors_per_1000_users, mhz_per_user, reason (why a value is unknown), locator.

    Raises
    ------
    UnknownName
        When a column that it needs is not there.

    Examples
    --------
    Half of two processors for 500 users:

    >>> software = {"operating_system": "Linux", "workload": "mail", "domino_release": "8"}
    >>> run = {"users": 500, "cpu_utilization_percent": 50.0, "processors": 2, "clock_mhz": 400}
    >>> demand(pd.DataFrame([software | run]))[["processors_per_1000_users", "mhz_per_user"]]
       processors_per_1000_users  mhz_per_user
    0                        2.0           0.8
    """
    frame = benchmark_runs(data, _NEEDED, "demand")
    frame = frame[(frame["users"] > 0) & (frame["cpu_utilization_percent"] > 0)]
    hardware = pd.DataFrame({name: numbers_of_column(frame, name) for name in ("processors", "clock_mhz")})
    busy = frame["cpu_utilization_percent"] / frame["users"]
    processors = busy * 10 * hardware["processors"]  # 1,000 users, and 100 percent a processor
    missing = [hardware.columns[row] for row in hardware.isna().to_numpy()]
    cells = {
        COST: busy * 1000,
        "processors_per_1000_users": processors,
        "mhz_per_user": processors * hardware["clock_mhz"] / 1000,
        "reason": [f"{', '.join(names)} not printed" if len(names) else "" for names in missing],
        "locator": texts_of_column(frame, "locator"),
    }
    costs = columns_of_run(frame).assign(**cells).reset_index(drop=True)
    return carried_errata.propagate_errata(costs, carried_errata.columns_used(frame, *_NEEDED, *hardware))


def _mean_of_repeats(costs, alike):
    """Runs of the same load as one: their mean utilization and cost, the places of all."""
    load = [*alike, "users"]
    repeats = costs[costs.duplicated(load, keep=False)]
    if repeats.empty:
        return costs
    same, costs = repeats.groupby(load, dropna=False), costs.copy()
    for name in ("cpu_utilization_percent", COST):
        costs.loc[repeats.index, name] = same[name].transform("mean")
    places = same["locator"].transform(lambda part: "; ".join(dict.fromkeys(filter(None, part))))
    costs.loc[repeats.index, "locator"] = places
    return costs.drop_duplicates(load)


def proportionality(data: pd.DataFrame | None = None) -> pd.DataFrame:
    """Return how CPU grew with users where one release ran one workload on one system with two loads.

    Of a load that was run again it is the mean of its runs.

    The exponent is ``ln(U2 / U1) / ln(users2 / users1)``: 1 where CPU is proportional to users, below where a part
    of it is not, above where a user costs more on a busier server.

    Returns
    -------
    DataFrame
        platform, workload, domino_release, users_fewest, users_most, cpu_percent_fewest, cpu_percent_most, ratio (of
        the cost of a user at the larger load to that at the smaller), exponent, locator.

    Examples
    --------
    >>> proportionality()[["platform", "users_fewest", "users_most", "exponent"]].round(2)
      platform  users_fewest  users_most  exponent
    0  Solaris        9000.0     10000.0      1.48
    1     z/OS        4000.0      6000.0      0.96
    2    Linux         600.0      1200.0      1.09
    """
    alike = ["source", "system", "platform", "workload", "release_family"]
    costs = _mean_of_repeats(demand(data), alike)
    groups = [part for _, part in costs.sort_values("users", kind="stable").groupby(alike)]
    groups, rows = [part for part in groups if part["users"].nunique() > 1], []
    for part in groups:
        few, many = part.iloc[0], part.iloc[-1]
        row = {name: many[name] for name in ("platform", "workload", "domino_release")}
        for name, run in (("fewest", few), ("most", many)):
            row |= {f"users_{name}": run["users"], f"cpu_percent_{name}": run["cpu_utilization_percent"]}
        ratio = many[COST] / few[COST]
        exponent = 1 + np.log(ratio) / np.log(many["users"] / few["users"])
        locator = "; ".join(dict.fromkeys((few["locator"], many["locator"])))
        rows.append(row | {"ratio": ratio, "exponent": exponent, "locator": locator})
    columns = ["platform", "workload", "domino_release", "users_fewest", "users_most", "cpu_percent_fewest"]
    frame = pd.DataFrame(rows, columns=[*columns, "cpu_percent_most", "ratio", "exponent", "locator"])
    return carried_errata.propagate_errata(frame, *groups)


def paired_ratios(
    data: pd.DataFrame | None = None, *, baseline: str = "5.0", comparison: str = "6", level: float = 0.95
) -> "PairedRatios":
    """Return what a user costs in one release over another, on the same platform under the same workload.

    The ratio of a pair is that of `cpu_percent_per_1000_users`, comparison to baseline: processors and clock cancel.
    Each has its peak, the run with the most users, and the mean of the runs where several have so many.

    Parameters
    ----------
    data : DataFrame, path or URL, optional
        Runs in the columns of `benchmarks`; by default those.
    baseline, comparison : str
        Releases by their first two numbers: ``5.0`` stands for 5.0.10 and 5.0.11.
    level : float
        Coverage of the intervals.

    Raises
    ------
    UnknownName
        When no run has such a release.
    CannotFit
        With a level that cannot be, or one release for both.

    Examples
    --------
    >>> alike = {"operating_system": "AIX", "workload": "mail", "users": 1000}
    >>> old = alike | {"domino_release": "5.0.10", "cpu_utilization_percent": 50}
    >>> new = alike | {"domino_release": "6", "cpu_utilization_percent": 40}
    >>> paired_ratios(pd.DataFrame([old, new])).glance()["ratio"].item()
    0.8
    """
    check_level(level, "paired_ratios")
    if baseline == comparison:
        found, remedy = f"{as_typed(baseline)} for both", "Name another for one of them."
        raise CannotFit("paired_ratios, baseline and comparison", expected="two releases", found=found, remedy=remedy)
    costs = demand(data)
    for name in (baseline, comparison):
        seen = sorted(costs["release_family"].unique())
        if name not in seen:
            raise UnknownName.among("release", name, seen)
    alike = ["platform", "workload", "release_family"]  # of several runs of these that with the most users: the peak
    peaks = (
        _mean_of_repeats(costs, alike)
        .sort_values("users", kind="stable")
        .drop_duplicates(alike, keep="last")
        .set_index(alike)
    )
    combinations = pd.MultiIndex.from_product([costs[name].unique() for name in alike[:2]], names=alike[:2])
    pairs, places, missing = pd.DataFrame(index=combinations), [], []
    for side, family in {"baseline": baseline, "comparison": comparison}.items():
        runs = peaks.xs(family, level="release_family").reindex(combinations)
        pairs[side] = runs["domino_release"].fillna(family)
        pairs[f"users_{side}"] = runs["users"]
        pairs[f"{COST}_{side}"] = runs[COST]
        places.append(runs["locator"])
        missing.append(runs["users"].isna().map({True: f"release {family}: no peak load printed", False: ""}))
    pairs["ratio"] = pairs[f"{COST}_comparison"] / pairs[f"{COST}_baseline"]
    pairs["reason"] = ["; ".join(filter(None, row)) for row in zip(*missing, strict=True)]
    pairs["locator"] = ["; ".join(dict.fromkeys(filter(pd.notna, row))) for row in zip(*places, strict=True)]
    return PairedRatios(carried_errata.propagate_errata(pairs.reset_index(), costs), baseline, comparison, level)


@carried_errata.carries_errata("tidy", "glance", "by")
@dataclass(frozen=True)
class PairedRatios(Result):
    """CPU per user of one release over that of another, pair by pair, with geometric means."""

    pairs: pd.DataFrame
    baseline: str
    comparison: str
    level: float

    @property
    def errata(self) -> tuple:
        """The errata that touch the runs of the pairs."""
        return carried_errata.errata_of(self.pairs)

    def tidy(self) -> pd.DataFrame:
        """Return a row per platform and workload, a missing partner named: both loads, both costs, the ratio."""
        return self.pairs.copy()

    def glance(self) -> pd.DataFrame:
        """Return one row: the mean ratio over all pairs, with an interval that knows which pairs are alike.

        Pairs of one platform share a machine and a team, pairs of one workload a script, so they are no independent
        sample. Where platforms or workloads repeat they enter as crossed random effects,
        ``ln(ratio) = mean + platform + workload + rest``, fitted by restricted maximum likelihood. The interval takes t
        on the smaller number of levels less one, for no more than so many platforms or workloads are the sample. Where
        neither repeats it is the t interval of the geometric mean.

        Returns
        -------
        DataFrame
            n, dof, ratio, std_error (of the ratio), low, high, reason.
        """
        pairs = self._known_pairs()
        levels = {name: pairs[name].nunique() for name in ("platform", "workload")}
        repeated = {name: n for name, n in levels.items() if 1 < n < len(pairs)}
        if not repeated:
            return pd.DataFrame([_geometric_mean_ratio(pairs["ratio"], self.level)])
        logs = np.log(pairs["ratio"].to_numpy(float))
        alike = np.array([np.equal.outer(*2 * [pairs[name].to_numpy()]) for name in repeated], float)
        dof = min(repeated.values()) - 1
        centre, error = _restricted_likelihood(logs, alike)
        cells = _mean_ratio(centre, error, dof, self.level)
        return pd.DataFrame([{"n": len(pairs), "dof": dof} | cells | {"reason": ""}])

    def by(self, column: str) -> pd.DataFrame:
        """Return the geometric mean with its t interval per workload or per platform.

        Raises
        ------
        UnknownName
            When the pairs have no such column.
        """
        if column not in ("workload", "platform"):
            raise UnknownName.among("by", column, ("workload", "platform"))
        groups = self._known_pairs().groupby(column, sort=False)["ratio"]
        return pd.DataFrame([{column: name} | _geometric_mean_ratio(ratios, self.level) for name, ratios in groups])

    def finding(self) -> str:
        """Return in words how much less or more the comparison needs, over all pairs."""
        whole = self.glance().iloc[0]
        change = f"{abs(1 - whole['ratio']):.0%} {'less' if whole['ratio'] < 1 else 'more'}".replace(
            "%", "\N{NO-BREAK SPACE}%"
        )
        return f"Release {self.comparison} needs {change} CPU per user than release {self.baseline}"

    def describe(self) -> str:
        """Return the overall ratio in words, with its interval."""
        whole = self.glance().iloc[0]
        pairs = self._known_pairs()
        over = f"{len(pairs)} pairs on {pairs['platform'].nunique()} platforms"
        interval = f"no interval: {whole['reason']}"
        if not np.isnan(whole["low"]):
            ends = f"{number(whole['low'], 2)} to {number(whole['high'], 2)}"
            interval = f"{100 * self.level:g}\N{NO-BREAK SPACE}% interval {ends}"
        return f"{self.finding()} (ratio {number(whole['ratio'], 2)}, {interval}; {over})"

    def describe_below(self, workloads: Iterable[str] | None = None) -> str:
        """Return in how many pairs, of all or of some workloads, the comparison needs less: ``20 of 21``."""
        pairs = self._known_pairs()
        pairs = pairs if workloads is None else pairs[pairs["workload"].isin(workloads)]
        return f"{(pairs['ratio'] < 1).sum()} of {len(pairs)}"

    def headline(self) -> str:
        """Return the overall ratio in words, and what it takes for granted."""
        return f"{self.describe()}. {PROPORTIONAL}"

    def _tables(self):
        return self.tidy(), self.by("workload"), self.glance()

    def _known_pairs(self):
        """The pairs with both partners."""
        return self.pairs[self.pairs["ratio"].notna()]


def _geometric_mean_ratio(ratios, level):
    """Geometric mean and t interval of the logarithms."""
    logs = np.log(ratios.to_numpy(float))
    n = len(logs)
    error = np.std(logs, ddof=1) / np.sqrt(n) if n > 1 else np.nan
    reason = "" if n > 1 else "one pair has no spread: no interval" if n else "no pair"
    cells = _mean_ratio(logs.mean() if n else np.nan, error, n - 1, level)
    return {"n": n, "dof": max(n - 1, 0)} | cells | {"reason": reason}


def _restricted_likelihood(y, alike):
    """The mean of correlated values and its standard error, by restricted maximum likelihood.

    ``V = I + sum t_k A_k``, A_k having 1 where two values share a level of effect k, and t_k >= 0 its variance over
    that of the rest. With ``P = V⁻¹ - V⁻¹ 1 1' V⁻¹ / 1' V⁻¹ 1`` the deviance is
    ``ln |V| + ln 1' V⁻¹ 1 + (n - 1) ln y' P y`` (Patterson and Thompson 1971), its slope by t_k
    ``tr(P A_k) - (n - 1) y' P A_k P y / y' P y``. `MixedLM` of statsmodels has the same model with variance
    components, and stops short of the optimum where one of them is next to 0, as here: its error is 1 % off.
    """
    from scipy import optimize  # takes half a second to load

    def parts(shares):
        """V, the weights of its mean, and P."""
        covariance = np.eye(len(y)) + np.tensordot(shares, alike, 1)
        inverse = np.linalg.inv(covariance)
        weights = inverse.sum(axis=0)
        return covariance, weights, inverse - np.outer(weights, weights) / weights.sum()

    def deviance(shares):
        """The deviance and its slope."""
        covariance, weights, projection = parts(shares)
        residuals = projection @ y
        square = y @ residuals
        value = np.linalg.slogdet(covariance)[1] + np.log(weights.sum()) + (len(y) - 1) * np.log(square)
        scaled = (len(y) - 1) * residuals
        slope = [np.sum(projection * shared) - scaled @ shared @ residuals / square for shared in alike]
        return value, np.array(slope)

    how = {"jac": True, "bounds": [(0, None)] * len(alike), "options": {"ftol": 0, "gtol": 1e-10}}
    starts = ([share] * len(alike) for share in (0.1, 1.0))
    best = min((optimize.minimize(deviance, start, **how) for start in starts), key=lambda result: result.fun)
    _, weights, projection = parts(best.x)
    variance = y @ projection @ y / (len(y) - 1) / weights.sum()
    return weights @ y / weights.sum(), np.sqrt(variance)


def _mean_ratio(centre, error, dof, level):
    """The ratio of a mean logarithm, its standard error and its t interval; NaN without a degree of freedom."""
    reach = special.stdtrit(dof, (1 + level) / 2) * error if dof > 0 else np.nan
    ratio = np.exp(centre)
    return {"ratio": ratio, "std_error": ratio * error, "low": np.exp(centre - reach), "high": np.exp(centre + reach)}
