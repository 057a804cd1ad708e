"""What a user costs in CPU: demand per user of every run, and whether it is proportional to users."""

import numpy as np
import pandas as pd

from dominoperf.machines.levels import described, numbers, runs_of, texts
from dominoperf.tables import carried_errata

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
    frame = runs_of(data, _NEEDED, "demand")
    frame = frame[(frame["users"] > 0) & (frame["cpu_utilization_percent"] > 0)]
    hardware = pd.DataFrame({name: numbers(frame, name) for name in ("processors", "clock_mhz")})
    busy = frame["cpu_utilization_percent"] / frame["users"]
    processors = busy * 10 * hardware["processors"]  # 1,000 users, and 100 percent a processor
    missing = [hardware.columns[row] for row in hardware.isna().to_numpy()]
    cells = {
        COST: busy * 1000,
        "processors_per_1000_users": processors,
        "mhz_per_user": processors * hardware["clock_mhz"] / 1000,
        "reason": [f"{', '.join(names)} not printed" if len(names) else "" for names in missing],
        "locator": texts(frame, "locator"),
    }
    costs = described(frame).assign(**cells).reset_index(drop=True)
    return carried_errata.propagate(costs, carried_errata.columns_used(frame, *_NEEDED, *hardware))


def proportionality(data: pd.DataFrame | None = None) -> pd.DataFrame:
    """Return how CPU grew with users where one release ran one workload on one system with two loads.

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
    costs = demand(data)
    alike = ["source", "system", "platform", "workload", "release_family"]
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
    return carried_errata.propagate(frame, *groups)
