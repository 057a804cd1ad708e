"""What a newer release of Domino changes on one machine: the points that its article pairs, and a migration by them."""

import math

import numpy as np
import pandas as pd
from scipy import special

from dominoperf import machines, tables
from dominoperf.errors import CannotPlan, check_level
from dominoperf.machines.levels import level_of_printed_cell
from dominoperf.runs import benchmarks, table_of
from dominoperf.study.paired_runs import peak_loads
from dominoperf.tables import carried_errata

_CHANGES = "domino6/release_changes"
_POINTS = "domino6/utilization_points"
_CPU = "CPU utilization"
_MIGRATION = [
    *("platform", "workload", "users_baseline", "cpu_percent_baseline", "response_baseline_s", "ratio", "low", "high"),
    *("cpu_percent_comparison", "users_comparison", "users_tested", "response_comparison_s", "servers"),
    *("servers_needed", "servers_most", "servers_saved", "reason"),
]


def release_points() -> pd.DataFrame:
    """Return the points that the article on Domino 6 pairs in words, and what follows from each.

    A sentence says that release 6 needs the same CPU as release 5 with fewer users, less, or a percentage less. So the
    CPU of one side follows from that of the other, where it is printed, and the cost per user is

        ratio = (1 - percent / 100) users_baseline / users_comparison

    `ratio_peaks` is the same by the two peak loads of the table; `reason` says what is missing, or only a bound. What
    is not printed is NaN.
    """
    changes, places = tables.load(_CHANGES), tables.locators(_CHANGES)
    loads, of_pair = _release_loads_of_article(), peak_ratios()
    platforms, rows = _platform_names(loads), []
    for change in changes[(changes["metric"] == _CPU) & changes["users_comparison"].notna()].itertuples():
        before = loads[
            (platforms == change.platform) & (loads["workload"] == change.workload)
            & loads["domino_release"].str.contains("5.0") & (loads["users"] == change.users_baseline)
        ]  # fmt: skip
        busy = before["cpu_utilization_percent"].iloc[0] if len(before) else np.nan
        reasons = []
        if change.value > 0:
            left, stated = 1 - change.value / 100, f"{change.value:g} % less"
        else:
            left, stated = 1, {"less": "less CPU", "same": "the same CPU"}[change.direction]
            reasons += ["at most: the sentence prints no percentage"] if change.direction == "less" else []
        if len(before) == 0:
            reasons.append(f"no CPU of release 5 with {change.users_baseline:,.0f} users is printed")
        peaks = of_pair.get((change.platform, change.workload), np.nan)
        if math.isnan(peaks):
            reasons.append("no peak load of release 5 is printed")
        rows.append(
            {"platform": change.platform, "workload": change.workload, "users_baseline": change.users_baseline}
            | {"users_comparison": change.users_comparison, "stated": stated, "cpu_percent_baseline": busy}
            | {"cpu_percent_comparison": busy * left, "ratio_peaks": peaks, "reason": "; ".join(reasons)}
            | {"ratio": left * change.users_baseline / change.users_comparison, "locator": places[change.Index]}
        )
    columns = ["platform", "workload", "users_baseline", "users_comparison", "stated", "cpu_percent_baseline"]
    columns += ["cpu_percent_comparison", "ratio", "ratio_peaks", "reason", "locator"]
    printed = carried_errata.columns_used(loads, "users", "cpu_utilization_percent")
    return carried_errata.propagate_errata(pd.DataFrame(rows, columns=columns), printed)


def missing_points() -> pd.DataFrame:
    """Return what no table of the peak loads prints, cell by cell: the values that a lost figure would need."""
    table = tables.load("domino6/peak_load").assign(locator=tables.locators("domino6/peak_load"))
    wanted = {"users": "users", "response_s": "response", "cpu_utilization_percent": "CPU utilization"}
    lost = table[list(wanted)].isna()
    rows = table[lost.any(axis=1)]
    names = [", ".join(words for name, words in wanted.items() if lost.loc[k, name]) for k in rows.index]
    release = rows["release"].str.removeprefix("Domino ")
    return (
        rows[["platform", "workload"]]
        .assign(domino_release=release, missing=names, locator=rows["locator"])
        .reset_index(drop=True)
    )


def migration(servers: int = 10, *, level: float = 0.95) -> pd.DataFrame:
    """Return what a migration of equal servers from release 5 to 6 changes: CPU, users, response, servers.

    Each server carries the peak load of the older release. With `ratio` the CPU per user, newer over older:

        the same users:   cpu_after = cpu_before ratio
        the same CPU:     users_after = users_before / ratio
        servers needed:   ceil(servers users_before / min(users_after, users_tested))

    The newer release is not asked for more users than it was tested with below one second of response: `users_tested`.

    Parameters
    ----------
    servers : int
        Servers of the older release, each at its peak load.
    level : float
        Coverage of the interval.

    Returns
    -------
    DataFrame
        platform, workload, users_baseline, cpu_percent_baseline, response_baseline_s, ratio, low, high (of the ratio of
        a further machine under that workload, by the spread over the platforms), cpu_percent_comparison (with the same
        users), users_comparison (with the same CPU), users_tested, response_comparison_s (printed at users_tested),
        servers, servers_needed, servers_most (with the upper end of the ratio), servers_saved, reason.

    Raises
    ------
    CannotPlan
        With fewer than one server.
    CannotFit
        With a level that cannot be.

    Notes
    -----
    CPU is taken to grow in proportion to users. One pair of runs gives a ratio without an interval; low and high are
    for a machine that was not tested, ``exp(mean +- t s sqrt(1 + 1/n))`` of the logarithms over the n platforms.

    Examples
    --------
    Ten servers with 7,000 mail users each, on z/OS:

    >>> plan = migration(10).query("platform == 'z/OS' and workload == 'R6Mail'")
    >>> plan[["ratio", "users_comparison", "servers_needed", "servers_saved"]].round(3).values.tolist()
    [[0.726, 9640.832, 8.0, 2.0]]
    """
    check_level(level, "migration")
    if not servers >= 1 or servers != int(servers):
        where, expected, remedy = "migration(servers=...)", "a whole number from 1", "Give the servers of today."
        raise CannotPlan(where, expected=expected, found=str(servers), remedy=remedy)
    loads = peak_loads()
    pairs = machines.paired_ratios(loads, level=level).tidy()
    pairs = pairs.dropna(subset="ratio")

    # Of a machine that was not tested, from the ratios on those that were.
    logs = np.log(pairs["ratio"]).groupby(pairs["workload"])
    n, mean = logs.transform("size"), logs.transform("mean")
    half = special.stdtrit(n - 1, (1 + level) / 2) * logs.transform("std") * np.sqrt(1 + 1 / n)
    before, tested = pairs["users_baseline"], pairs["users_comparison"]
    busy = before * pairs["cpu_percent_per_1000_users_baseline"] / 1000
    moved = pairs.assign(
        low=np.exp(mean - half),
        high=np.exp(mean + half),
        servers=servers,
        users_tested=tested,
        cpu_percent_baseline=busy,
        cpu_percent_comparison=busy * pairs["ratio"],
        users_comparison=before / pairs["ratio"],
    )
    for name, ratio in (("servers_needed", moved["ratio"]), ("servers_most", moved["high"])):
        needed = servers * before / np.minimum(before / ratio, tested)
        moved[name] = np.ceil(needed * (1 - 1e-12)).astype(int)  # 204 times 203/204 is a little over 203 in binary
    moved["servers_saved"] = servers - moved["servers_needed"]
    beyond = tested.map("; no more than the {:,.0f} users that were tested".format)
    words = n.map("interval over {} platforms".format)
    moved["reason"] = words + beyond.where(moved["users_comparison"] > tested, "")
    is_old = loads["domino_release"].str.contains("5.0", regex=False)
    for name, rows in (("response_baseline_s", loads[is_old]), ("response_comparison_s", loads[~is_old])):
        response = rows.assign(platform=_platform_names(rows)).set_index(["platform", "workload"])["response_s"]
        moved = moved.join(response.rename(name), on=["platform", "workload"])
    return carried_errata.propagate_errata(moved[_MIGRATION].reset_index(drop=True), pairs)


def peak_ratios(*, sentences: bool = False) -> pd.Series:
    """Return the CPU per user of release 6 over that of release 5, by platform and workload of the peak loads.

    With `sentences`, a load that only a sentence prints is taken where the table has none.
    """
    keys = ["platform", "workload"]
    ratios = machines.paired_ratios(peak_loads()).tidy().set_index(keys)["ratio"]
    if not sentences:
        return ratios
    return ratios.combine_first(machines.paired_ratios(_release_loads_of_article()).tidy().set_index(keys)["ratio"])


def _release_loads_of_article():
    """The peak loads, and the loads that sentences of the article print."""
    runs = benchmarks()
    return pd.concat([peak_loads(), runs[runs["run"].map(table_of) == _POINTS]], ignore_index=True)


def _platform_names(loads):
    """The platform of each run as the article calls it."""
    return loads["operating_system"].map(lambda name: level_of_printed_cell("operating_system", name))
