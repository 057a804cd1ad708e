"""The same workload on two releases, pair by pair: CPU per user of the one over that of the other."""

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from scipy import special

from dominoperf.errors import UnknownName, check_level
from dominoperf.machines.cpu_per_user import COST, PROPORTIONAL, demand
from dominoperf.tables import carried_errata
from dominoperf.tables.rendering import number
from dominoperf.tables.results import Result

_SIDE = {"baseline": "users_baseline", "comparison": "users_comparison"}


def paired_ratios(
    data: pd.DataFrame | None = None, *, baseline: str = "5.0", comparison: str = "6", level: float = 0.95
) -> "PairedRatios":
    """Return what a user costs in one release over another, on the same platform under the same workload.

    The ratio of a pair is that of `cpu_percent_per_1000_users`, comparison to baseline: processors and clock cancel.

    Parameters
    ----------
    data : DataFrame, path or URL, optional
        Runs in the columns of `benchmarks`; by default those.
    baseline, comparison : str
        Releases as `levels.release` reads them: ``5.0`` stands for 5.0.10 and 5.0.11.
    level : float
        Coverage of the intervals.

    Returns
    -------
    PairedRatios

    Raises
    ------
    UnknownName
        When no run has such a release.
    CannotFit
        With a level that cannot be.

    Examples
    --------
    >>> alike = {"operating_system": "AIX", "workload": "mail", "users": 1000}
    >>> old = alike | {"domino_release": "5.0.10", "cpu_utilization_percent": 50}
    >>> new = alike | {"domino_release": "6", "cpu_utilization_percent": 40}
    >>> paired_ratios(pd.DataFrame([old, new])).glance()["ratio"].item()
    0.8
    """
    check_level(level, "paired_ratios")
    costs = demand(data)
    for name in (baseline, comparison):
        seen = sorted(costs["release_family"].unique())
        if name not in seen:
            raise UnknownName.among("release", name, seen, f"Known are {', '.join(seen)}.")
    # Of several runs of one release that with the most users: the peak.
    peaks = costs.sort_values("users", kind="stable").drop_duplicates(
        ["platform", "workload", "release_family"], keep="last"
    )
    peaks = peaks.set_index(["platform", "workload", "release_family"])
    pairs = [
        _release_pair(peaks, platform, workload, baseline, comparison)
        for platform in costs["platform"].unique()
        for workload in costs["workload"].unique()
    ]
    return PairedRatios(carried_errata.propagate(pd.DataFrame(pairs), costs), baseline, comparison, level)


@carried_errata.propagates_errata("tidy", "glance", "by")
@dataclass(frozen=True)
class PairedRatios(Result):
    """CPU per user of one release over that of another, pair by pair, with geometric means."""

    pairs: pd.DataFrame = field(repr=False)
    baseline: str
    comparison: str
    level: float

    @property
    def errata(self):
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
        return pd.DataFrame([_crossed_mean(self._known_pairs(), self.level)])

    def by(self, column: str) -> pd.DataFrame:
        """Return the geometric mean with its t interval per workload or per platform.

        Raises
        ------
        UnknownName
            When the pairs have no such column.
        """
        if column not in ("workload", "platform"):
            raise UnknownName.among("by", column, ("workload", "platform"), "It is workload or platform.")
        groups = self._known_pairs().groupby(column, sort=False)["ratio"]
        return pd.DataFrame([{column: name} | _geometric_mean(ratios, self.level) for name, ratios in groups])

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
        return f"{self.finding()} (ratio {number(whole['ratio'], 2)}{_interval_text(whole, self.level)}; {over})"

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


def _release_pair(peaks, platform, workload, *releases):
    """Both releases on one platform under one workload; a missing partner is named."""
    cells, places, missing = {"platform": platform, "workload": workload}, [], []
    for side, release in zip(_SIDE, releases, strict=True):
        key = (platform, workload, release)
        run = peaks.loc[key] if key in peaks.index else None
        cells[side] = release if run is None else run["domino_release"]
        cells[_SIDE[side]] = np.nan if run is None else run["users"]
        cells[f"cpu_percent_per_1000_users_{side}"] = np.nan if run is None else run[COST]
        places += [] if run is None else [run["locator"]]
        missing += [f"release {release}: no peak load printed"] if run is None else []
    ratio = cells["cpu_percent_per_1000_users_comparison"] / cells["cpu_percent_per_1000_users_baseline"]
    return cells | {"ratio": ratio, "reason": "; ".join(missing), "locator": "; ".join(dict.fromkeys(places))}


def _geometric_mean(ratios, level):
    """Geometric mean and t interval of the logarithms."""
    logs = np.log(ratios.to_numpy(float))
    n = len(logs)
    error = np.std(logs, ddof=1) / np.sqrt(n) if n > 1 else np.nan
    reason = "" if n > 1 else "one pair has no spread: no interval" if n else "no pair"
    return (
        {"n": n, "dof": max(n - 1, 0)}
        | _mean_ratio(logs.mean() if n else np.nan, error, n - 1, level)
        | {"reason": reason}
    )


def _crossed_mean(pairs, level):
    """Mean ratio and interval with the platforms and workloads that repeat as crossed random effects."""
    levels = {name: pairs[name].nunique() for name in ("platform", "workload")}
    repeated = {name: n for name, n in levels.items() if 1 < n < len(pairs)}
    if not repeated:
        return _geometric_mean(pairs["ratio"], level)
    logs = np.log(pairs["ratio"].to_numpy(float))
    alike = np.array([np.equal.outer(*2 * [pairs[name].to_numpy()]) for name in repeated], float)
    centre, error = _restricted_likelihood(logs, alike)
    dof = min(repeated.values()) - 1
    return {"n": len(pairs), "dof": dof} | _mean_ratio(centre, error, dof, level) | {"reason": ""}


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


def _interval_text(row, level):
    """The interval of a mean ratio in words, or why there is none."""
    if np.isnan(row["low"]):
        return f", no interval: {row['reason']}"
    return f", {100 * level:g}\N{NO-BREAK SPACE}% interval {number(row['low'], 2)} to {number(row['high'], 2)}"
