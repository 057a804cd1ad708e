"""What one more processor brought, by runs, sentences, bands and the law; and several servers on one machine."""

import numpy as np
import pandas as pd

from dominoperf import fitting, laws, runs, tables
from dominoperf.machines.levels import level_of_printed_cell
from dominoperf.study.paired_runs import pairs
from dominoperf.tables import carried_errata

_SOURCE = "compaq_domino45"
_SENTENCES = f"{_SOURCE}/processor_ratios"
_LAW = "amdahl"
_speed_up = laws.LAWS[_LAW].function  # of processors, scale and contention
# The series of a workload and a platform; of Groupware_A one point alone is printed, so that the law is that of Mail.
_SERIES = {
    ("Mail", "Windows NT"): "smp_mail",
    ("DiscDB", "Windows NT"): "smp_discdb",
    ("Groupware_A", "Windows NT"): "smp_mail",
    ("Mail", "OS/2"): "smp_mail_os2",
}
PARTITIONED = f"{_SOURCE}/a_mail#1"
_FOUR_SERVERS = "four partitioned servers beside one server: not a gain of the processor alone"
_GAINS = [
    *("workload", "platform", "from_configuration", "to_configuration", "users_baseline", "users_comparison"),
    *("gain_percent", "band", "in_band", "law_percent", "low", "high", "series", "other_differences", "reason"),
    "locator",
]


def processor_gains(level: float = 0.95) -> pd.DataFrame:
    """Return the gain of each added processor, by runs and by sentences, with the printed band and the law.

    The gain from N to N + 1 processors is ``100 (users(N + 1) / users(N) - 1)``. That of Amdahl's law follows from its
    contention alone, ``S(N) = N / (1 + contention (N - 1))``, and its interval of a `level` from that of the
    contention. A row is a pair of runs that differ by one processor, or a sentence without such a pair, which prints a
    percentage and no users. `band` is the range that the text prints for the step of any workload, `reason` what else
    to know: points of another workload, partitions, no interval.
    """
    sentences = tables.load(_SENTENCES)
    sentences = sentences[sentences["from_configuration"].str.fullmatch(r"\dP")]
    bands = sentences[sentences["workload"] == "any"].set_index("from_configuration")
    machines = runs.benchmarks().set_index("run")
    machines = machines[machines["source"] == _SOURCE]  # of a folder in use no sentence speaks
    platforms = machines["operating_system"].map(lambda name: level_of_printed_cell("operating_system", name))
    measured = pairs("processors")
    one_more = measured["value_comparison"] == measured["value_baseline"] + 1
    same_platform = measured["baseline"].map(platforms) == measured["comparison"].map(platforms)
    measured = measured[one_more & same_platform & measured["baseline"].isin(machines.index)]
    sides = measured[["baseline", "comparison"]]
    of_runs = pd.DataFrame(
        {
            "workload": measured["workload"],
            "platform": measured["baseline"].map(platforms),
            "from_configuration": measured["value_baseline"].map("{:.0f}P".format),
            "to_configuration": measured["value_comparison"].map("{:.0f}P".format),
            "gain_percent": 100 * (measured["ratio"] - 1),
            "reason": sides.eq(PARTITIONED).any(axis=1).map({True: _FOUR_SERVERS, False: ""}),
        }
    ).join(measured[["users_baseline", "users_comparison", "other_differences", "locator"]])
    steps = ["workload", "from_configuration"]
    said = sentences[(sentences["unit"] == "percent") & (sentences["workload"] != "any")]
    said = said[~said.set_index(steps).index.isin(of_runs.set_index(steps).index)]
    said = said.assign(locator=np.array(tables.locators(_SENTENCES))[said.index], platform="Windows NT")
    said = said.assign(reason="a sentence: no run with two processors is printed", gain_percent=said["value"])
    rows = pd.concat([of_runs, said]).to_dict("records")
    contention = {series: _contention(series, level) for series in set(_SERIES.values())}
    for row in rows:
        band = bands.loc[row["from_configuration"]]
        row["band"] = f"{band['value']:g} to {band['value_upper']:g}"
        row["in_band"] = bool(band["value"] <= round(row["gain_percent"]) <= band["value_upper"])
        series = _SERIES[row["workload"], row["platform"]]
        law, low, high, unsure = _gain_by_law(contention[series], int(row["from_configuration"][0]))
        others = f"the law is that of the other machines of {series}"
        notes = [
            row["reason"],
            unsure,
            others * (row["users_baseline"] not in set(runs.find(series).points()["users"])),
        ]
        row |= {"law_percent": law, "low": low, "high": high, "series": series}
        row["reason"] = "; ".join(filter(None, notes))
    gains = pd.DataFrame(rows, columns=_GAINS).fillna({"other_differences": ""})
    gains = gains.sort_values("from_configuration", kind="stable", ignore_index=True)
    return carried_errata.propagate_errata(gains, measured, sentences)


def processor_bands(gains: pd.DataFrame) -> pd.DataFrame:
    """Return the bands that the text prints for one more processor beside what its own runs and the law give.

    `gains` is of `processor_gains`. Counted are the n gains that are printed, without partitioned servers, and how many
    of them the band holds; the ends of the law are those of the series that have three points.
    """
    contention, rows = [_contention(series) for series in ("smp_mail", "smp_discdb")], []
    sentences, places = tables.load(_SENTENCES), tables.locators(_SENTENCES)
    partitioned = runs.benchmarks().set_index("run").at[PARTITIONED, "users"]
    for band in sentences[sentences["workload"] == "any"].itertuples():
        of_step = gains[gains["from_configuration"] == band.from_configuration]
        alone = of_step[of_step["users_comparison"] != partitioned]
        laws = [_gain_by_law(each, int(band.from_configuration[0]))[0] for each in contention]
        rows.append(
            {"from_configuration": band.from_configuration, "to_configuration": band.to_configuration}
            | {"band": f"{band.value:g} to {band.value_upper:g}", "n": len(alone)}
            | {"gain_low_percent": alone["gain_percent"].min(), "gain_high_percent": alone["gain_percent"].max()}
            | {"n_inside": int(alone["in_band"].sum()), "law_low_percent": min(laws), "law_high_percent": max(laws)}
            | {"locator": places[band.Index]}
        )
    return carried_errata.propagate_errata(pd.DataFrame(rows), gains, sentences)


def _contention(series, level=0.95):
    """The contention of Amdahl's law through a series: a row of `tidy`."""
    return fitting.fit(_LAW, series, level=level).tidy().set_index("term").loc["contention"]


def _gain_by_law(contention, processors):
    """Percent that one more processor brings by Amdahl's law: estimate, low, high, why it has no interval."""
    estimate, low, high = (
        100 * (_speed_up(processors + 1, 1.0, share) / _speed_up(processors, 1.0, share) - 1)
        for share in contention[["estimate", "high", "low"]]  # the more contention the smaller the gain
    )
    return estimate, low, high, "" if np.isfinite(low) else "two points: no interval of the law"


def partitioned_users(level: float = 0.95) -> pd.DataFrame:
    """Return the users of four processors by the number of Domino servers that share them: a model of one measurement.

    The processors of one server contend by Amdahl's law; servers do not contend inside Domino, but each further one
    costs a share `overhead`. With N processors, k servers, users L of one processor and contention c:

        users(N, k) = L k S(N / k) / (1 + overhead (k - 1)),  S(n) = n / (1 + c (n - 1)), and S(n) = n below 1

    L and c are those of unpartitioned machines; the overhead makes four servers the printed 5,150 users. Two sets of
    unpartitioned machines give two overheads: three with 512 KB of cache, and two with 1 MB, as the partitioned machine
    has. One measurement gives one overhead, without an interval; no other row of the model was tested. The model is
    asked for up to six servers, which the document allows; low and high are those of the law for one server, where it
    was fitted.
    """
    machines = runs.benchmarks().set_index("run")
    measured = machines.loc[PARTITIONED]
    processors, carried = int(measured["processors"]), measured["users"]
    small = fitting.fit(_LAW, "smp_mail", level=level)
    term = small.tidy().set_index("term")["estimate"]
    one_server = small.predict([processors]).iloc[0]
    mega = machines[(machines["l2_kb"] == measured["l2_kb"]) & (machines["workload"] == "Mail")].drop(PARTITIONED)
    large = fitting.fit(_LAW, mega, x="processors", y="users").tidy().set_index("term")["estimate"]
    rows = []
    for set_up, scale, contention, ends in (
        ("512 KB of cache, three machines", term["scale"], term["contention"], one_server[["obs_low", "obs_high"]]),
        ("1 MB of cache, two machines", large["scale"], large["contention"], (np.nan, np.nan)),
    ):
        overhead = (scale * processors / carried - 1) / (processors - 1)
        for partitions in range(1, 7):
            each = processors / partitions
            share = _speed_up(each, 1.0, contention) if each > 1 else each
            users = scale * partitions * share / (1 + overhead * (partitions - 1))
            is_measured, single = partitions == processors, partitions == 1
            if is_measured:
                reason = "the overhead is chosen so that it does: agreement is no test"
            else:
                reason = "Amdahl's law for one server" if single else "not tested: no such run is printed"
            low, high = ends if single else (np.nan, np.nan)
            rows.append(
                {"set_up": set_up, "partitions": partitions, "processors": processors, "users": users, "low": low}
                | {"high": high, "printed_users": carried if is_measured else np.nan, "overhead": overhead}
                | {"origin": "printed" if is_measured else "model", "reason": reason}
            )
    return pd.DataFrame(rows)
