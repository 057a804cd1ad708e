"""What a load test says of capacity: of all its samples one run per machine and workload, or the reason for none."""

import math

import pandas as pd

from dominoperf.machines.censoring import CENSORED
from dominoperf.machines.levels import names, numbers, texts
from dominoperf.machines.observations import NUMBERS, TEXTS, described_machines
from dominoperf.tables.folders import our_file
from dominoperf.tables.rendering import number


def one_run_per_load_test(frame: pd.DataFrame) -> tuple[pd.DataFrame, tuple[tuple[str, str], ...]]:
    """Return runs with one row at most for the load test of a machine and workload, and which of its loads counts.

    Rows with a number in ``time_s`` are samples of a load test; the others stay. The steady part of each load is a
    point of the curve of throughput over load, as of `loadtests.curve`. The test is a capacity where the server set its
    load: at the peak of the curve if a higher load brought significantly less than in proportion, and at the highest
    load that passed if a higher one failed (more than 1 % of the requests) or the CPU was at least 85 % busy there.
    Else the highest load is a lower limit.

    Returns
    -------
    DataFrame, tuple of pairs
        The runs; that of a load test with users, throughput_per_s and limited_by ("load chosen" of a lower limit, else
        "server"). Then workload of each load test, and which of its loads counts, or why it gives no run.

    Examples
    --------
    Each load is held for a minute, and the highest of three brings no more:

    >>> users = pd.Series([10] * 60 + [20] * 60 + [40] * 60)
    >>> rate = 5.0 * users.clip(upper=20) + [0.1, -0.1] * 90
    >>> columns = {"workload": "orders", "time_s": range(180), "users": users, "throughput_per_s": rate}
    >>> runs, load_tests = one_run_per_load_test(pd.DataFrame(columns))
    >>> runs[["users", "limited_by"]].to_numpy().tolist(), load_tests
    ([[20.0, 'server']], (('orders', '20 users are the peak of the load test in row 1 to row 180'),))
    """
    sampled = numbers(frame, "time_s").notna()
    if not sampled.any():
        return frame, ()
    from dominoperf.loadtests import load_curve  # loaded for a load test alone

    constants = our_file("capacity.toml")["load_test"]
    rows, load_tests = [frame[~sampled]], []
    described = described_machines(frame).assign(source=texts(frame, "source"))
    for _, alike in described[sampled].groupby(["source", *NUMBERS, *TEXTS], sort=False, dropna=False):
        samples = frame.loc[alike.index].assign(users=numbers(frame, "users")).dropna(axis=1, how="all")
        test = "the load test in " + " to ".join(dict.fromkeys(names(frame)[alike.index[[0, -1]]]))
        rate = next((name for name in load_curve.THROUGHPUTS if name in samples), None)
        loads = pd.DataFrame(load_curve.runs_of_samples(samples, rate) if rate else (), columns=load_curve.RUN_COLUMNS)
        loads = loads[load_curve.usable_runs(loads.fillna({"reason": ""}))]
        requests = loads["throughput_per_s"] * loads["samples"] * numbers(samples, "time_s").diff().median()
        failed = loads["load"].isin(loads["load"][loads["failures"] > constants["failed_share"] * requests])
        points = load_curve.combined(loads[~failed])
        lacking = {
            "throughput": rate is None,
            "users": "users" not in samples,
            "workload": not alike["workload"].iloc[0],
        }
        if points.empty or any(lacking.values()):
            missing = " and no ".join(name for name, lacks in lacking.items() if lacks)
            why = f"its rows have no {missing}" if missing else "no load was held and passed"
            load_tests.append((alike["workload"].iloc[0], f"{test} gives no capacity: {why}"))
            continue
        peak, point = points.loc[points["throughput_per_s"].idxmax()], points.iloc[-1]
        times = point["load"] / peak["load"]
        falls_short = times * peak["throughput_per_s"] - point["throughput_per_s"]
        within = 2 * (times * peak["throughput_std_error"] + point["throughput_std_error"])
        busy_percent = numbers(samples[numbers(samples, "users") == point["load"]], "cpu_utilization_percent").mean()
        limited_by = "server"
        if falls_short > within:
            point, busy_percent, which = peak, math.nan, f"the peak of {test}"
        elif (loads["load"][failed] > point["load"]).any():
            which = f"the highest load of {test} that passed"
        elif busy_percent >= constants["busy_percent"]:
            which = f"the highest load of {test}, where the CPU was {busy_percent:.0f} % busy"
        else:
            limited_by, which = CENSORED[1], f"a lower limit: nothing in {test} shows that more would be too much"
        load_tests.append((alike["workload"].iloc[0], f"{number(point['load'])} users are {which}"))
        point = {"users": point["load"], "throughput_per_s": point["throughput_per_s"], "time_s": math.nan}
        point |= {"cpu_utilization_percent": busy_percent, "limited_by": limited_by}
        rows.append(frame.loc[alike.index[:1]].assign(**point))
    return pd.concat(rows).sort_index(), tuple(load_tests)
