"""From the measured curve of one node to the nodes for a rate: how many, how surely, and what to test next.

``nodes = ceil(rate (1 + growth) / (safe (1 - headroom))) + spare``, of the safe rate of a node (`safe_rate`): nodes
share the rate evenly, and what they all use together (a database, a network) is left out.
"""

import functools
import math
import os
from dataclasses import dataclass

import numpy as np
import pandas as pd

from dominoperf import tables
from dominoperf.errors import (
    CannotPlan,
    as_typed,
    capitalized,
    check_level,
    check_seed,
    counted,
    is_number,
    joined_with,
    names_its_keywords,
    spelling,
)
from dominoperf.planning.measured_curve import RESPONSE_ERRORS, RESPONSES, read_curve_of_node
from dominoperf.planning.safe_rate import OFFERED, NodeCurve, surely_falls
from dominoperf.tables.columns import plural_of_user
from dominoperf.tables.reading import numbers_of_column
from dominoperf.tables.rendering import Result, coverage, number, percent

_FAR_LIMIT = 100  # times the longest measured response: milliseconds may be meant
_AS_GOOD_AS_SURE = 0.999
_BEYOND = 2.0  # times the last load: what to test where no measured load is beyond the limit
_FAR_THINK = 0.1  # relative: by how much the loads by Little's law may miss those that were measured
_MOST_GROWTH = 10  # shares; a greater number is rather a percentage without its sign
_MOST_NODES = 1_000_000
_MOSTLY, _BUSY = 0.5, 0.7  # of the users, who wait; of the highest throughput
_NEARLY_FULL = 0.8  # of the time that a processor or disk is busy
_BUSY_SHARES = {  # in words, and the number that is all of it
    "cpu_utilization_percent": ("the CPU", 100),
    "cpu_utilization": ("the CPU", 1),
    "disk_busy_percent": ("the busiest disk", 100),
}
_WITHIN, _NOT_REACHED = "within the measured loads", "no measured load reaches that"
_AT_PEAK = "the throughput peaks before a load exceeds it"
_OBJECTIVES = {  # in words, and the unit of its limit
    "utilization": ("share of the highest throughput", "1"),
    "response_s": ("mean response", "s"),
    "response_p95_s": ("95th percentile of response", "s"),
}


@dataclass(frozen=True, eq=False)
class NodePlan(Result):
    """What a node carries, and how many nodes a rate needs. `tidy` and `glance` give plain frames.

    Printing gives a summary. Without a rate, which is NaN then, it is about one node.
    """

    curve: pd.DataFrame
    rate_per_s: float
    objectives: dict  # name of _OBJECTIVES -> its limit
    headroom: float
    growth: float
    spare: int
    node_price: float
    think_s: float
    level: float
    seed: int
    failed_load: float = math.inf  # the lowest beyond those of the curve at which requests failed
    notes: tuple = ()  # what is odd about the curve, and which of its rows are left out and why

    # ---- what a node carries, and how many there are

    @property
    def peak_rate_per_s(self) -> float:
        """The rate with its growth: ``rate (1 + growth)``."""
        return self.rate_per_s * (1 + self.growth)

    @functools.cached_property
    def safe_rates(self) -> pd.DataFrame:
        """The largest rate of a node under each objective, on its rising branch: all other answers follow from it."""
        branch, rows = self._node.branch, []
        for name, limit in self.objectives.items():
            rate, load = branch.safe_rate(name, limit)
            if not rate > 0:
                least = branch.loads[0]
                takes = f"{number(branch.responses[name][0])} s or more, which the lightest load takes"
                remedy = "Measure lighter loads, or allow a longer response."
                where = spelling(f"node_count({name}=...)", "--p95" if name == "response_p95_s" else "--response")
                expected = f"a limit of {takes} ({self._load_in_words(least)})"
                raise CannotPlan(where, expected=expected, found=f"{limit:g} s", remedy=remedy)
            reached = _WITHIN
            if name in RESPONSES and not (branch.responses[name] > limit).any():
                reached = _AT_PEAK if (self._node.columns[name] > limit).any() else _NOT_REACHED
            row = {"objective": name, "limit": limit, "unit": _OBJECTIVES[name][1]}
            rows.append(row | {"node_rate_per_s": rate, "load": load, "limit_reached": reached})
        frame = pd.DataFrame(rows)
        frame["decides"] = frame["node_rate_per_s"] == frame["node_rate_per_s"].min()
        return frame

    @property
    def node_rate_per_s(self) -> float:
        """The rate that a node carries safely, without headroom."""
        return float(self.safe_rates["node_rate_per_s"].min())

    @property
    def nodes(self) -> int:
        """How many nodes, the spare ones among them.

        Raises
        ------
        CannotPlan
            When no rate was asked for, or it needs more than a million nodes.
        """
        if not self._has_rate:
            raise CannotPlan("node_count(rate_per_s=...)", expected="a rate, to count nodes for", found="none",
                             remedy="Call node_count with rate_per_s.")  # fmt: skip
        each = self.node_rate_per_s * (1 - self.headroom)
        needed = self.peak_rate_per_s / each
        if not needed <= _MOST_NODES:
            where, most = spelling("node_count(rate_per_s=...)", "--rate"), number(each * _MOST_NODES)
            remedy = f"The most that are counted are a million nodes, at {number(each)} each: "
            remedy += "give a smaller rate, growth or headroom."
            raise CannotPlan(where, expected=f"at most {most} requests per second",
                             found=number(self.peak_rate_per_s), remedy=remedy)  # fmt: skip
        return math.ceil(needed * (1 - 1e-12)) + self.spare

    @property
    def probability(self) -> float:
        """How likely, at least, the nodes without the spare ones keep the objectives; NaN where `interval` is."""
        if self._why_no_interval or not self._has_rate:
            return math.nan
        return float((self._drawn_rates[0] * (self.nodes - self.spare) >= self.peak_rate_per_s).mean())

    @property
    def interval(self) -> tuple[float, float]:
        """The interval of the safe rate of a node; NaN without errors of the curve or beyond its loads."""
        if self._why_no_interval:
            return math.nan, math.nan
        tail = (1 - self.level) / 2
        least, most = self._drawn_rates
        return float(np.quantile(least, tail)), float(np.quantile(most, 1 - tail))

    @property
    def next_test(self) -> tuple[float, str]:
        """Which load to measure next, and why: near the one at the limit, or beyond a throughput that still rises.

        A share of the highest throughput rests on that, wherever the load at the limit is.
        """
        columns, deciding = self._node.columns, self._deciding_objective
        loads, rates, errors = (columns[name] for name in ("load", "throughput_per_s", "throughput_std_error"))
        whole = (loads % 1 == 0).all()
        to_test = lambda load: round(load) if whole or load >= 10 else float(f"{load:.2g}")  # noqa: E731
        further = to_test(loads[-1] * min(_BEYOND, math.sqrt(self.failed_load / loads[-1])))
        is_last, of_highest = deciding["load"] == loads[-1], deciding["objective"] == "utilization"
        if deciding["limit_reached"] == _NOT_REACHED and is_last:
            return further, "no measured load is beyond the limit"
        second = rates[:-1].argmax()
        rises = rates[-1] - rates[second] > np.nan_to_num(math.hypot(errors[-1], errors[second]))  # beyond their errors
        rises &= not self._node.pace_s * rates[-1] < (1 - OFFERED) * loads[-1]  # that is all it delivers
        if rises and (of_highest or is_last):
            return further, "the throughput still rises at the last load"
        if of_highest or deciding["limit_reached"] == _AT_PEAK:
            top = int(rates.argmax())
            beside = [k for k in (top, top + 1) if 0 < k < len(loads)]
            # The widest stretch; of two alike, that with the higher throughput at its other end.
            after = max(beside, key=lambda k: (round(loads[k] / loads[k - 1], 9), rates[k if k > top else k - 1]))
            near = loads[top]
        else:
            near = deciding["load"]
            after = int(np.clip(np.searchsorted(loads, near, side="right"), 1, len(loads) - 1))
        first, last = loads[after - 1], loads[after]
        apart = (last - first) / 10  # a test beside one that was made teaches nothing
        inside = [load for load in map(to_test, (near, math.sqrt(first * last))) if first + apart < load < last - apart]
        why = f"the answer rests on the stretch between {first:g} and {self._load_in_words(last)}"
        return (inside[0] if inside else to_test(near)), why

    def tidy(self) -> pd.DataFrame:
        """Return a row per objective: objective, limit, unit, node_rate_per_s, load, limit_reached, decides."""
        return self.safe_rates.copy()

    def glance(self) -> pd.DataFrame:
        """Return one row: nodes, the rate of a node with its interval, and how surely they suffice.

        Returns
        -------
        DataFrame
            nodes; spare (of them); node_rate_per_s with low and high; load (of a node at that rate); objective (the one
            that binds); peak_rate_per_s; utilization (of the highest throughput of a node, all nodes at work);
            probability (that the nodes without the spare ones keep the objectives at the peak rate, by the errors of
            the curve); cost (nodes times their price); next_load and next_test (what to measure next, and why); reason
            (why a number is NaN: without a rate all that is about several nodes).
        """
        deciding, (low, high), (next_load, next_test) = self._deciding_objective, self.interval, self.next_test
        nodes = self.nodes if self._has_rate else math.nan
        row = {"nodes": nodes, "spare": self.spare, "node_rate_per_s": deciding["node_rate_per_s"], "low": low,
               "high": high, "load": deciding["load"], "objective": deciding["objective"],
               "peak_rate_per_s": self.peak_rate_per_s,
               "utilization": self.peak_rate_per_s / (nodes * self._node.branch.highest),
               "probability": self.probability, "cost": nodes * self.node_price,
               "next_load": next_load, "next_test": next_test}  # fmt: skip
        missing = [] if self._has_rate else ["no rate was asked for, so it is about one node"]
        row["reason"] = "; ".join([*self._reasons, *missing])
        return pd.DataFrame([row]).astype({"nodes": "Int64"})

    # ---- in words

    def headline(self) -> str:
        """Return in a few sentences how many nodes, what each carries and what binds."""
        row, deciding, branch = self.glance().iloc[0], self._deciding_objective, self._node.branch
        unit = "" if deciding["objective"] == "utilization" else " s"
        low, high = number(row["low"]), number(row["high"])
        band = "" if math.isnan(row["low"]) else f" ({coverage(self.level)} interval {low} to {high})"
        at = "at" if deciding["limit_reached"] == _WITHIN and not self._jump_remark else "below"
        limit = f"{at} a {_OBJECTIVES[deciding['objective']][0]} of {deciding['limit']:g}{unit}"
        rate = number(row["node_rate_per_s"])
        # nobody is a part of a user
        load = deciding["load"] if deciding["load"] < 10 else math.floor(deciding["load"] * (1 + 1e-9))
        load = self._load_in_words(load)
        reached = deciding["limit_reached"]
        sentences = [f"One node carries {load}, {rate} requests per second{band}, {limit}: {reached}."]
        if self._has_rate:
            spare = f", {self.spare} of them spare" if self.spare else ""
            sentences = [
                f"{counted(self.nodes, 'node')}{spare}, for {number(self.peak_rate_per_s)} requests per second.",
                f"A node carries {rate} per second{band} {limit}: {reached}, at {load}.",
            ]
            sentences += [f"Of that rate {100 * self.headroom:g} % is left free."] if self.headroom > 0 else []
        top = self.curve.loc[self.curve["throughput_per_s"].idxmax()]
        highest, most = number(branch.highest), number(top["throughput_per_s"])
        if highest != most:
            smooth = "The throughputs near the highest are smoothed, as the highest of several noisy ones is too high"
            at = self._load_in_words(top["load"])
            sentences.append(f"{smooth}: {highest} per second, where {most} was measured at {at}.")
        if deciding["limit_reached"] == _NOT_REACHED:
            longest = self.curve[deciding["objective"]].max()
            seconds = "; limits are in seconds" * bool(deciding["limit"] > _FAR_LIMIT * longest)
            more = ": a node may carry more, no law tells how much" * bool(deciding["load"] == self.curve["load"].max())
            sentences.append(f"The longest that was measured is {number(longest)} s{seconds}{more}.")
        if math.isfinite(row["probability"]):
            least = "at least " * bool(deciding["objective"] in RESPONSES or branch.most_at_peak > branch.highest)
            sure = row["probability"] > _AS_GOOD_AS_SURE  # no estimate makes it 1.000
            chance = f"{least or 'more than '}{_AS_GOOD_AS_SURE}" if sure else f"{least}{row['probability']:.3f}"
            alone = " without the spare" * bool(self.spare)
            sentences.append(f"They suffice{alone} with a probability of {chance}, by the errors of the curve.")
        if math.isfinite(row["cost"]):
            sentences.append(f"Cost: {number(row['cost'])}.")
        unit = self._load_in_words(row["next_load"]).partition(" ")[2]
        sentences.append(f"Test {row['next_load']} {unit} next: {row['next_test']}.")
        if not self._has_rate:
            how = spelling("rate_per_s=N", "--rate N")
            sentences.append(f"Add {how}, the requests per second at the peak, for how many nodes they need.")
        remarks = [self._busy_remark, self._jump_remark, self._fall_remark, self._closed_remark]
        remarks += ["; ".join(self._reasons), *self.notes]
        return " ".join([*sentences, *(f"{capitalized(remark)}." for remark in remarks if remark)])

    def _load_in_words(self, load):
        user = tables.user_of(self.curve)
        return f"{number(load)} {user if load == 1 else plural_of_user(user)}"

    @property
    def _busy_remark(self):
        """That a processor or disk is nearly full at the load that decides, where the curve tells; else ""."""
        load, at, full = self._deciding_objective["load"], self._node.columns["load"], []
        for name, (what, most) in _BUSY_SHARES.items():
            shares = numbers_of_column(self.curve, name).to_numpy() / most
            measured = np.isfinite(shares)
            if not measured.any() or shares[measured].max() > 1:  # 330 % is of one of several processors
                continue
            share = np.interp(load, at[measured], shares[measured])
            full += [f"{what} is {percent(share)} busy"] * bool(share * (1 - self.headroom) > _NEARLY_FULL)
        left = "which leaves little for a burst, or for the load of a node that fails"
        return f"at {self._load_in_words(load)} {joined_with('and', full)}, {left}" if full else ""

    @property
    def _jump_remark(self):
        """Between which loads the response that decides jumps over its limit; "" where it grows."""
        node, deciding = self._node, self._deciding_objective
        name, loads = deciding["objective"], node.columns["load"]
        last, *behind = np.flatnonzero(loads >= deciding["load"])
        after = next((k for k in behind if np.isfinite(node.columns[name][k])), 0) if name in RESPONSES else 0
        if not after or deciding["load"] != loads[last] or not node.jumps[name][after]:
            return ""
        first, then = (f"{number(node.columns[name][k])} s at {self._load_in_words(loads[k])}" for k in (last, after))
        return (
            f"the {_OBJECTIVES[name][0]} jumps from {first} to {then} and grows far less beyond: nobody knows where "
            "between them it jumps, so the last load that keeps the limit counts"
        )

    @property
    def _fall_remark(self):
        """At which load the response that decides falls though the load rises; "" where it does not."""
        name = self._deciding_objective["objective"]
        if name not in RESPONSES:
            return ""
        columns = self._node.columns
        measured = np.flatnonzero(np.isfinite(columns[name][: len(self._node.branch.loads)]))
        loads, values = columns["load"][measured], columns[name][measured]
        falls = surely_falls(values, columns[RESPONSE_ERRORS[RESPONSES.index(name)]][measured])
        if not falls.any():
            return ""
        at = int(falls.argmax()) + 1
        top = int(values[:at].argmax())
        return (
            f"the {_OBJECTIVES[name][0]} falls from {number(values[top])} s at {self._load_in_words(loads[top])} to "
            f"{number(values[at])} s at {loads[at]:g}: what was asked for differs between these loads, or one was "
            "disturbed; the longer response counts"
        )

    @property
    def _closed_remark(self):
        """That the limit of a response was measured with users who mostly wait, of a busy node; "" elsewhere.

        N users have never more than N requests under way, so a closed test says nothing of an open stream of the same
        rate near saturation (Schroeder, Wierman and Harchol-Balter, NSDI 2006).
        """
        deciding, branch = self._deciding_objective, self._node.branch
        rate, load = deciding["node_rate_per_s"], deciding["load"]
        waiting = rate / load * np.interp(load, branch.loads, branch.responses["response_s"])  # share of the users
        busy = rate > _BUSY * branch.highest and math.isinf(self._node.pace_s)
        if deciding["objective"] not in RESPONSES or not (waiting > _MOSTLY and busy):
            return ""
        return (
            f"{percent(min(waiting, 1.0))} of the users wait for an answer there, and ask again when they have it: "
            "requests that arrive whether or not others are answered wait longer at that rate"
        )

    @property
    def _reasons(self):
        """What is odd about the think time, and why there is no interval and no probability: none, one or both."""
        none = "no interval and no probability" if self._has_rate else "no interval"
        why = self._why_no_interval and f"{none}: {self._why_no_interval}"
        return [*filter(None, [self._think_remark, why])]

    @property
    def _think_remark(self):
        """That the curve implies another think time than was given, by ``N = X (R + Z)``; "" where it does not."""
        load, rate, response = (self._node.columns[name] for name in ("load", "throughput_per_s", "response_s"))
        loads_by_law = rate * (response + self.think_s) / load
        if not np.isfinite(loads_by_law).any() or abs(np.nanmedian(loads_by_law) - 1) <= _FAR_THINK:
            return ""
        implied = max(float(np.nanmedian(load / rate - response)), 0.0)  # then 0 is taken
        if implied == self.think_s:
            return ""
        of = "load / throughput - response"
        return f"the curve implies a think time of {number(implied)} s ({of}), not {number(self.think_s)} s"

    @property
    def _why_no_interval(self):
        """Why the errors of the curve do not tell that of the answer; "" where they do."""
        of = self.curve.get("response_p95_of", pd.Series(dtype="str"))
        if "response_p95_s" in self.objectives and (of == "samples").any():
            return (
                "the 95th percentiles of the curve are means of those of its samples; that of all requests is mostly "
                "longer, so a node may carry less; a log of single requests has it"
            )
        if self._node.errors_dof == 0:
            return "nothing was run again, so nobody knows how runs differ; run each load again"
        return "" if self._node.has_errors else "the curve has no standard errors; run each load again"

    # ---- how it is computed

    def _page_tables(self):
        return self.tidy(), self.glance()

    @property
    def _has_rate(self):
        return not math.isnan(self.rate_per_s)

    @functools.cached_property
    def _node(self):
        return NodeCurve(self.curve)

    @property
    def _deciding_objective(self):
        return self.safe_rates[self.safe_rates["decides"]].iloc[0]

    @functools.cached_property
    def _drawn_rates(self):
        return self._node.drawn_rates(self.objectives, self.seed)


@names_its_keywords()
def node_count(
    curve: pd.DataFrame | str | os.PathLike,
    rate_per_s: float | None = None,
    *,
    response_p95_s: float | None = None,
    response_s: float | None = None,
    utilization: float | None = None,
    headroom: float = 0.0,
    growth: float = 0.0,
    spare: int = 1,
    node_price: float = math.nan,
    think_s: float | None = None,
    mapping: dict[str, str] | None = None,
    failed_share: float | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> NodePlan:
    """Return how many nodes a peak rate needs, or what one node carries, from the measured curve of one of them.

    Formula: ``nodes = ceil(rate (1 + growth) / (safe (1 - headroom))) + spare``; the head of `planning.safe_rate` says
    what the safe rate is.

    Parameters
    ----------
    curve : DataFrame, str or path
        What `curve` gave, or a table with load, throughput_per_s, response_s and, for their objectives, response_p95_s;
        with throughput_std_error, response_std_error and response_p95_std_error for the probability. A column runs
        says of how many runs each error is. Those of fewer than ten know little, so they are replaced by what all loads
        together say of how much runs differ. A column throughput_dof says that this was done, with so many degrees of
        freedom. With neither, errors are taken for known exactly. A response_p95_of of ``samples`` says that the
        percentiles are none of the requests: then there is no probability.
    rate_per_s : float, optional
        Requests per second at the peak. Without it the answer is how many users and what rate one node carries.
    response_p95_s, response_s : float, optional
        Longest 95th percentile and mean of the response time, in seconds.
    utilization : float, optional
        Largest share of the highest throughput of a node; by default 0.7 where there is no other objective.
    headroom : float
        Share of the safe rate that is left free.
    growth : float
        Share by which the rate grows: 0.5 is half as much again. At most 10, as 50 may be meant as 50 percent; give
        what has grown already as the rate.
    spare : int
        Nodes that may fail.
    node_price : float, optional
        Of a node, in any unit.
    think_s : float, optional
        Think time of the users of the test, to be compared with ``N/X - R`` of the loads: a curve that implies another
        is told.
    mapping : dict, optional
        Headings of the table by our names, with the unit of their numbers, as for `loadtests.readers.read`:
        ``{"took": "response_s[ms]"}``. Headings such as VUs, RPS or latency [ms] need none.
    failed_share : float, optional
        Share of the requests above which a load did not pass, as of `loadtests.curve`: where the curve tells it
        (failed_share, or failures and requests), such a load is left out, with a note.
    level : float
        Coverage of the interval of the safe rate.
    seed : int
        Of the draws.

    Returns
    -------
    NodePlan

    Raises
    ------
    CannotFit
        When the degrees of freedom of an error are none.
    CannotPlan
        When a setting cannot be, the curve lacks a column or has fewer than two loads, or no load keeps an objective.
    BadTable, UnknownName
        When the mapping names a heading, a name or a unit that does not exist, or two columns are the same of ours.

    Examples
    --------
    >>> rows = {"load": [1, 4, 16, 32], "throughput_per_s": [100, 380, 900, 950]}
    >>> nodes = node_count(pd.DataFrame(rows), 5000, utilization=0.7, growth=0.2)
    >>> nodes.nodes, nodes.node_rate_per_s
    (11, 665.0)
    >>> node_count(pd.DataFrame(rows), utilization=0.7).glance()[["node_rate_per_s", "load"]].iloc[0].round(1).tolist()
    [665.0, 9.0]
    """
    check_level(level, "node_count", CannotPlan)
    check_seed("node_count", seed, CannotPlan)
    objectives = {"utilization": utilization, "response_s": response_s, "response_p95_s": response_p95_s}
    objectives = {name: limit for name, limit in objectives.items() if limit is not None} or {"utilization": 0.7}
    limited = [name for name in RESPONSES if name in objectives]
    measured = read_curve_of_node(curve, limited, mapping, failed_share)
    for argument, option, value, low, high, ends in (
        ("rate_per_s", "--rate", rate_per_s, 0, math.inf, "a number above 0"),
        ("response_p95_s", "--p95", response_p95_s, 0, math.inf, "seconds, above 0"),
        ("response_s", "--response", response_s, 0, math.inf, "seconds, above 0"),
        ("utilization", "--utilization", utilization, 0, 1 + 1e-12, "a share above 0, at most 1"),
        ("headroom", "--headroom", headroom, -1e-12, 1, "a share from 0 to below 1"),
        ("growth", "--growth", growth, -1, _MOST_GROWTH + 1e-12, f"a share above -1, at most {_MOST_GROWTH}"),
        ("spare", "--spare", spare, -1e-12, _MOST_NODES + 1, f"a whole number of nodes from 0 to {_MOST_NODES:,}"),
        ("think_s", "--think", think_s, -1e-12, math.inf, "seconds, 0 or more"),
        ("node_price", "--node-price", node_price, -1e-12, math.inf, "a number of 0 or more"),
    ):
        unset = value is None and argument in ("rate_per_s", "response_p95_s", "response_s", "utilization", "think_s")
        unset |= argument == "node_price" and is_number(value) and math.isnan(value)
        inside = is_number(value) and low < value < high
        if unset or (inside and (argument != "spare" or value == int(value))):
            continue
        remedy = f"Give {ends}, or leave it out."
        if is_number(value) and argument in ("utilization", "headroom", "growth") and 2 <= value <= 100:  # 70
            remedy = f"Write it as a share: {value / 100:g}{spelling('', f' or {value:g}%')}."
        where = spelling(f"node_count({argument}=...)", option)
        raise CannotPlan(where, expected=ends, found=as_typed(value), remedy=remedy)
    if rate_per_s is None:
        rate_per_s = math.nan
        for name, is_given in (("headroom", headroom != 0), ("growth", growth != 0), ("spare", spare != 1),
                               ("node_price", node_price > 0)):  # fmt: skip
            if is_given:
                where = spelling(f"node_count({name}=...)", f"--{name.replace('_', '-')}")
                beside = spelling("rate_per_s", "--rate")
                remedy = f"Say how many requests a second at the peak: {spelling('rate_per_s=5000', '--rate 5000')}."
                raise CannotPlan(where, expected=f"{beside} beside it", found="none", remedy=remedy)
    rows = measured.rows
    if think_s is None:
        think = rows["load"] / rows["throughput_per_s"] - rows.get("response_s", math.nan)
        think_s = max(float(np.nanmedian(think)), 0.0) if np.isfinite(think).any() else 0.0
    return NodePlan(rows, float(rate_per_s), objectives, float(headroom), float(growth), int(spare), float(node_price),
                    float(think_s), level, seed, failed_load=measured.failed_load, notes=measured.notes)  # fmt: skip
