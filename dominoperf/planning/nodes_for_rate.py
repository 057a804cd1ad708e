"""From the measured curve of one node to the nodes for a rate: what a node carries safely, how many, and how surely.

On the rising branch of the curve mean response R and its 95th percentile are lines between the measured loads N.
Neither falls with the load, so loads where a measured one does are averaged (isotonic regression); where one falls by
more than it scatters, the longest so far counts. The throughput is ``X = N / (R + Z)`` with Z the think time (Little's
law). The highest of several noisy rates is too high: where their
errors are known, the loads near it get the nearest curve that never rises more steeply than before (concave
regression), as the throughput of every closed network of servers with fixed rates does. The safe rate of a node is the
largest X that keeps every objective: a share U of the highest throughput, a mean response, a 95th percentile. Where all
measured loads keep a response objective, it is the highest rate that was measured: no law tells how much more a node
carries. Then ``nodes =
ceil(rate (1 + growth) / (safe (1 - headroom))) + spare``: nodes share the rate evenly, and what they all use together
(a database, a network) is left out.

A response is convex in the load, as it is in every closed network of servers with fixed rates. So between two loads it
is at most the line, on which the safe rate rests, and at least what the lines through the two loads before and the two
after leave. Where throughput falls behind its peak, the peak may lie between two loads. It is at least the highest
throughput at a measured load, on which the safe rate rests. It is at most what such lines leave of ln X over ln N,
which is taken to be concave with slopes from 1 to -1. The interval of the safe rate reaches from the least to the most,
with the errors of the curve: of the throughput Student's t with the degrees of freedom of its repeats, one scale for
all loads, for they are pooled. A fit to noisy points is too high by some bias b. The drawn rates carry it twice (in the
measured curve, and in the fit to each draw), so 2 b is subtracted.
"""

import functools
import math
import os
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from scipy import optimize

from dominoperf import tables
from dominoperf.errors import (
    CannotPlan,
    as_typed,
    capitalized,
    check_level,
    counted,
    is_number,
    names_its_keywords,
    spelling,
)
from dominoperf.fitting.points import degrees_of_freedom_of_errors, least_degrees_of_freedom
from dominoperf.fitting.resampling import check_seed
from dominoperf.planning.measured_curve import MEASURED, RESPONSE_ERRORS, RESPONSES, read_curve_of_node
from dominoperf.tables.columns import is_rate_of_requests, plural_of_user
from dominoperf.tables.rendering import Result, coverage, number, percent

_DRAWS = 1000  # of the curve within its errors
_FAR_LIMIT = 100  # times the longest measured response: milliseconds may be meant
_AS_GOOD_AS_SURE = 0.999
_BEYOND = 2.0  # times the last load, as far as a law is followed
_FAR_THINK = 0.1  # relative: by how much the loads by Little's law may miss those that were measured
_NEAR = 0.5  # of the highest throughput, from where on loads are taken to be near it
_SURE = 2.0  # standard errors by which a later load has to be below the highest to lie behind the peak
_SURE_FALL, _FALLS = 3.0, 0.2  # standard errors, and the share, by which a response falls that is no scatter
_LEAST_ERROR = 1e-4  # relative: no load weighs more than one with this error
_MOST_GROWTH = 10  # shares; a greater number is rather a percentage without its sign
_MOST_NODES = 1_000_000
_STEPS = 40
_MOSTLY, _BUSY = 0.5, 0.7  # of the users, who wait; of the highest throughput
_OFFERED = 0.02  # share by which a throughput may differ from the rate that was offered
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

    curve: pd.DataFrame = field(repr=False)
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

    @property
    def peak_rate_per_s(self) -> float:
        """The rate with its growth: ``rate (1 + growth)``."""
        return self.rate_per_s * (1 + self.growth)

    @functools.cached_property
    def safe_rates(self) -> pd.DataFrame:
        """The largest rate of a node under each objective, on its rising branch: all other answers follow from it."""
        branch = self._branch
        rows = []
        for name, limit in self.objectives.items():
            rate, at = _safe_rate_of_node(branch, name, limit, self.think_s)
            if not rate > 0:
                least = branch["load"][0]
                lightest = f"{least:g} {_load_unit_of_node(self.curve, least)} {'has' if least == 1 else 'have'} "
                lightest += f"{number(branch[name][0])} s"
                remedy = "Measure lighter loads, or allow a longer response."
                where = spelling(f"node_count({name}=...)", "--p95" if name == "response_p95_s" else "--response")
                raise CannotPlan(where, expected=f"a limit that a measured load keeps, not {limit:g} s",
                                 found=f"the lightest, {lightest}", remedy=remedy)  # fmt: skip
            basis = _WITHIN
            if name in RESPONSES and not (branch[name] > limit).any():
                basis = _AT_PEAK if (self._columns[name] > limit).any() else _NOT_REACHED
            row = {"objective": name, "limit": limit, "unit": _OBJECTIVES[name][1]}
            rows.append(row | {"node_rate_per_s": rate, "load": at, "basis": basis})
        frame = pd.DataFrame(rows)
        frame["decides"] = frame["node_rate_per_s"] == frame["node_rate_per_s"].min()
        return frame

    @property
    def _deciding_objective(self):
        return self.safe_rates[self.safe_rates["decides"]].iloc[0]

    def tidy(self) -> pd.DataFrame:
        """Return a row per objective: objective, limit, unit, node_rate_per_s, load (of a node), basis, decides."""
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
               "utilization": self.peak_rate_per_s / (nodes * self._branch["highest"]),
               "probability": self.probability, "cost": nodes * self.node_price,
               "next_load": next_load, "next_test": next_test}  # fmt: skip
        missing = "" if self._has_rate else "no rate was asked for, so it is about one node"
        row["reason"] = "; ".join(filter(None, [self._reason, missing]))
        return pd.DataFrame([row]).astype({"nodes": "Int64"})

    @property
    def _reason(self):
        """Why there is no interval and no probability, and what is odd about the think time; "" without either."""
        reason, none = "", "no interval and no probability" if self._has_rate else "no interval"
        if self._nothing_run_again:
            reason = f"{none}: nothing was run again, so nobody knows how runs differ; run each load again"
        elif not self._has_errors:
            reason = f"{none}: the curve has no standard errors; run each load again"
        if self._percentiles_of_samples:
            reason = (
                f"{none}: the 95th percentiles of the curve are means of those of its samples; "
                "that of all requests is mostly longer, so a node may carry less; a log of single requests has it"
            )
        return "; ".join(filter(None, [self.think_remark, reason]))

    @property
    def think_remark(self) -> str:
        """That the curve implies another think time than was given, by ``N = X (R + Z)``; "" where it does not."""
        load, rate, response = (self._columns[name] for name in ("load", "throughput_per_s", "response_s"))
        loads_by_law = rate * (response + self.think_s) / load
        if not np.isfinite(loads_by_law).any() or abs(np.nanmedian(loads_by_law) - 1) <= _FAR_THINK:
            return ""
        implied = float(np.nanmedian(load / rate - response))
        implied = max(implied, 0.0)  # then 0 is taken
        if implied == self.think_s:
            return ""
        of = "load / throughput - response"
        return f"the curve implies a think time of {number(implied)} s ({of}), not {number(self.think_s)} s"

    @property
    def _fall_remark(self):
        """At which load the response that decides falls though the load rises; "" where it does not."""
        name = self._deciding_objective["objective"]
        if name not in RESPONSES:
            return ""
        on_branch = len(self._branch["load"])
        measured = np.flatnonzero(np.isfinite(self._columns[name][:on_branch]))
        loads, values = self._columns["load"][measured], self._columns[name][measured]
        falls = _surely_falls(values, self._columns[RESPONSE_ERRORS[RESPONSES.index(name)]][measured])
        if not falls.any():
            return ""
        at = int(falls.argmax()) + 1
        top = int(values[:at].argmax())
        return (
            f"the {_OBJECTIVES[name][0]} falls from {number(values[top])} s at {loads[top]:g} "
            f"{_load_unit_of_node(self.curve)} to {number(values[at])} s at {loads[at]:g}: what was asked for differs "
            "between these loads, or one was disturbed; the longer response counts"
        )

    @property
    def _closed_remark(self):
        """That the limit of a response was measured with users who mostly wait, of a busy node; "" elsewhere.

        N users have never more than N requests under way, so a closed test says nothing of an open stream of the same
        rate near saturation (Schroeder, Wierman and Harchol-Balter, NSDI 2006).
        """
        deciding, branch = self._deciding_objective, self._branch
        rate, load = deciding["node_rate_per_s"], deciding["load"]
        waiting = rate / load * np.interp(load, branch["load"], branch["response_s"])  # share of the users
        busy = rate > _BUSY * branch["highest"]
        if deciding["objective"] not in RESPONSES or self._load_is_the_rate or not (waiting > _MOSTLY and busy):
            return ""
        return (
            f"{percent(min(waiting, 1.0))} of the users wait for an answer there, and ask again when they have it: "
            "requests that arrive whether or not others are answered wait longer at that rate"
        )

    @property
    def _has_rate(self):
        return not math.isnan(self.rate_per_s)

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
        return self._nodes_of(self.node_rate_per_s)

    def _nodes_of(self, node_rate_per_s):
        """How many nodes of such a rate, the spare ones among them."""
        each = node_rate_per_s * (1 - self.headroom)
        needed = self.peak_rate_per_s / each
        if not needed <= _MOST_NODES:
            where, most = spelling("node_count(rate_per_s=...)", "--rate"), number(each * _MOST_NODES)
            found = number(self.peak_rate_per_s)
            remedy = f"The most that are counted are a million nodes, at {number(each)} each: "
            remedy += "give a smaller rate, growth or headroom."
            raise CannotPlan(where, expected=f"at most {most} requests per second", found=found, remedy=remedy)
        return math.ceil(needed * (1 - 1e-12)) + self.spare

    @property
    def probability(self) -> float:
        """How likely, at least, the nodes without the spare ones keep the objectives; NaN where `interval` is."""
        if not (self._errors_tell and self._has_rate):
            return math.nan
        return float((self._drawn_rates[0] * (self.nodes - self.spare) >= self.peak_rate_per_s).mean())

    @property
    def interval(self) -> tuple[float, float]:
        """The interval of the safe rate of a node; NaN without errors of the curve or beyond its loads."""
        if not self._errors_tell:
            return math.nan, math.nan
        tail = (1 - self.level) / 2
        least, most = self._drawn_rates
        return float(np.quantile(least, tail)), float(np.quantile(most, 1 - tail))

    @property
    def next_test(self) -> tuple[int, str]:
        """Which load to measure next, and why: near the one at the limit, or beyond a throughput that still rises.

        A share of the highest throughput rests on that, wherever the load at the limit is.
        """
        loads, deciding = self.curve["load"].to_numpy(), self._deciding_objective
        further = round(loads[-1] * min(_BEYOND, math.sqrt(self.failed_load / loads[-1])))
        if deciding["basis"] == _NOT_REACHED and deciding["load"] == loads[-1]:
            return further, "no measured load is beyond the limit"
        rates, errors = self._columns["throughput_per_s"], self._columns["throughput_std_error"]
        second = rates[:-1].argmax()
        noise = math.hypot(errors[-1], errors[second])
        rises = rates[-1] - rates[second] > (noise if math.isfinite(noise) else 0.0)  # more than the errors explain
        rises &= not (self._load_is_the_rate and rates[-1] < (1 - _OFFERED) * loads[-1])  # that is all it delivers
        if rises and (deciding["objective"] == "utilization" or deciding["load"] == loads[-1]):
            return further, "the throughput still rises at the last load"
        if deciding["objective"] == "utilization" or deciding["basis"] == _AT_PEAK:
            top = int(rates.argmax())
            beside = [k for k in (top, top + 1) if 0 < k < len(loads)]
            # The widest stretch; of two alike, that with the higher throughput at its other end.
            after = max(beside, key=lambda k: (round(loads[k] / loads[k - 1], 9), rates[k if k > top else k - 1]))
            near = loads[top]
        else:
            near = deciding["load"]
            after = int(np.clip(np.searchsorted(loads, near), 1, len(loads) - 1))
        first, last = loads[after - 1], loads[after]
        between = [round(near), round(math.sqrt(first * last))]
        between += [float(f"{math.sqrt(first * last):.2g}")] if (loads % 1).any() else []  # rates may be below 1
        inside = [load for load in between if first < load < last]
        why = f"the answer rests on the stretch between {first:g} and {last:g} {_load_unit_of_node(self.curve)}"
        return (inside[0] if inside else round(near)), why

    def headline(self) -> str:
        """Return in a few sentences how many nodes, what each carries and what binds."""
        row, deciding = self.glance().iloc[0], self._deciding_objective
        unit = "" if deciding["objective"] == "utilization" else " s"
        low, high = number(row["low"]), number(row["high"])
        band = "" if math.isnan(row["low"]) else f" ({coverage(self.level)} interval {low} to {high})"
        at = "at" if deciding["basis"] == _WITHIN else "below"
        limit = f"{at} a {_OBJECTIVES[deciding['objective']][0]} of {deciding['limit']:g}{unit}"
        rate = number(row["node_rate_per_s"])
        # nobody is a part of a user
        load = deciding["load"] if deciding["load"] < 10 else math.floor(deciding["load"] * (1 + 1e-9))
        load = f"{number(load)} {_load_unit_of_node(self.curve, load)}"
        sentences = [f"One node carries {load}, {rate} requests per second{band}, {limit}: {deciding['basis']}."]
        if self._has_rate:
            spare = f", {self.spare} of them spare" if self.spare else ""
            sentences = [
                f"{counted(self.nodes, 'node')}{spare}, for {number(self.peak_rate_per_s)} requests per second.",
                f"A node carries {rate} per second{band} {limit}: {deciding['basis']}, at {load}.",
            ]
            sentences += [f"Of that rate {100 * self.headroom:g} % is left free."] if self.headroom > 0 else []
        top = self.curve.loc[self.curve["throughput_per_s"].idxmax()]
        highest, most = number(self._branch["highest"]), number(top["throughput_per_s"])
        if highest != most:
            at = f"{number(top['load'])} {_load_unit_of_node(self.curve, top['load'])}"
            smooth = "The throughputs near the highest are smoothed, as the highest of several noisy ones is too high"
            sentences.append(f"{smooth}: {highest} per second, where {most} was measured at {at}.")
        if deciding["basis"] == _NOT_REACHED:
            longest = self.curve[deciding["objective"]].max()
            seconds = "; limits are in seconds" * bool(deciding["limit"] > _FAR_LIMIT * longest)
            more = ": a node may carry more, no law tells how much" * bool(deciding["load"] == self.curve["load"].max())
            sentences.append(f"The longest that was measured is {number(longest)} s{seconds}{more}.")
        if self._has_rate and self._errors_tell:
            peak_between = self._branch["most_at_peak"] > self._branch["highest"]
            least = "at least " * bool(deciding["objective"] in RESPONSES or peak_between)
            sure = row["probability"] > _AS_GOOD_AS_SURE  # no estimate makes it 1.000
            chance = f"{least or 'more than '}{_AS_GOOD_AS_SURE}" if sure else f"{least}{row['probability']:.3f}"
            alone = " without the spare" * bool(self.spare)
            sentences.append(f"They suffice{alone} with a probability of {chance}, by the errors of the curve.")
        if self._has_rate and math.isfinite(row["cost"]):
            sentences.append(f"Cost: {number(row['cost'])}.")
        unit = _load_unit_of_node(self.curve, row["next_load"])
        sentences.append(f"Test {row['next_load']} {unit} next: {row['next_test']}.")
        if not self._has_rate:
            how = spelling("rate_per_s=N", "--rate N")
            sentences.append(f"Add {how}, the requests per second at the peak, for how many nodes they need.")
        sentences += [
            f"{capitalized(each)}." for each in (self._fall_remark, self._closed_remark, self._reason) if each
        ]
        return " ".join([*sentences, *(f"{capitalized(note)}." for note in self.notes)])

    def _page_tables(self):
        return self.tidy(), self.glance()

    # ---- how it is computed

    @functools.cached_property
    def _columns(self):
        """The measured columns of the curve as numbers; NaN where it has none."""
        absent = np.full(len(self.curve), np.nan)
        return {name: self.curve[name].to_numpy(float) if name in self.curve else absent for name in MEASURED}

    @functools.cached_property
    def _falls(self):
        """Whether a load was measured behind the peak: a fall in some of the draws alone is noise."""
        loads, rates, errors = (self._columns[name] for name in ("load", "throughput_per_s", "throughput_std_error"))
        return self._has_errors and len(_rising_throughput(loads, rates, errors)) < len(rates)

    @functools.cached_property
    def _branch(self):
        """The rising branch of the measured curve."""
        return self._rising_branch(self._columns["throughput_per_s"])

    def _rising_branch(self, throughput, factors=None):
        """The rising branch: load, throughput, response and percentile by load.

        The factors are those by which a draw differs from the measured responses and percentiles.
        """
        loads, errors = self._columns["load"], self._columns["throughput_std_error"]
        rising = _rising_throughput(loads, throughput, errors if self._has_errors else None)
        top = len(rising)
        branch = {"load": loads[:top], "throughput_per_s": rising}
        factors = np.ones((len(RESPONSES), len(loads))) if factors is None else factors
        for name, error, factor in zip(RESPONSES, RESPONSE_ERRORS, factors, strict=True):
            branch[name] = _never_falling((self._columns[name] * factor)[:top], self._columns[error][:top])
        branch["highest"] = branch["throughput_per_s"][-1]
        branch["most_at_peak"] = branch["highest"]
        if self._falls and top < len(throughput):
            branch["most_at_peak"] = _most_at_peak(loads, rising, throughput[top:])
        return branch

    @functools.cached_property
    def _load_is_the_rate(self):
        """Whether the load is the rate that was offered: the throughput is no more and no less, however long it takes.

        Users who think for a second get less the longer they wait.
        """
        load, rate, response = (self._columns[name] for name in ("load", "throughput_per_s", "response_s"))
        if is_rate_of_requests(tables.user_of(self.curve)):
            return True
        alike = np.abs(rate / load - 1)[:-1] <= _OFFERED  # at the last one it may be too much
        return bool(alike.all() and np.nanmax(response[:-1], initial=0.0) > 3 * _OFFERED)

    @property
    def _errors_tell(self):
        """Whether the errors of the curve tell that of the answer."""
        return self._has_errors and not self._percentiles_of_samples

    @property
    def _percentiles_of_samples(self):
        """Whether an objective rests on means of the percentiles of samples, which are none of the requests."""
        of = self.curve.get("response_p95_of", pd.Series(dtype="str"))
        return "response_p95_s" in self.objectives and bool((of == "samples").any())

    @functools.cached_property
    def _has_errors(self):
        """Whether every load of the curve has a standard error, one of them above zero, that knows how runs differ."""
        error = self._columns["throughput_std_error"]
        return bool(np.isfinite(error).all() and (error > 0).any()) and not self._nothing_run_again

    @property
    def _nothing_run_again(self):
        """Whether the curve says that no load of it was run twice."""
        return self._errors_dof == 0

    @functools.cached_property
    def _errors_dof(self):
        """The degrees of freedom of the errors of the throughput; infinity: they are known."""
        where = spelling("curve", "--curve")
        return least_degrees_of_freedom(degrees_of_freedom_of_errors(self.curve, "throughput_std_error", where))

    @functools.cached_property
    def _drawn_rates(self):
        """The safe rate of a node on curves drawn within the errors of the measured one: the least and the most.

        Each moved by twice the median by which the draws differ from the curve that they are drawn about.
        """
        random = np.random.default_rng(self.seed)
        rates = self._columns["throughput_per_s"].copy()
        rising = self._branch["throughput_per_s"]
        rates[: len(rising)] = rising
        errors = [
            self._columns[error] / self._columns[name] for name, error in zip(RESPONSES, RESPONSE_ERRORS, strict=True)
        ]
        errors[1] = np.where(np.isfinite(errors[1]), errors[1], errors[0])  # of a curve without them that of the mean
        errors = np.where(np.isfinite(errors), errors, 0.0)
        dof = self._errors_dof
        scales = np.sqrt(dof / random.chisquare(dof, _DRAWS)) if np.isfinite(dof) else np.ones(_DRAWS)
        of_rates, of_responses = random.standard_normal((_DRAWS, 2, len(rates))).swapaxes(0, 1)
        noise = scales[:, None] * self._columns["throughput_std_error"] * of_rates
        factors = np.exp(scales[:, None, None] * errors * of_responses[:, None])
        drawn_rates = np.maximum(rates + noise, 1e-9)
        branches = (self._rising_branch(*each) for each in zip(drawn_rates, factors, strict=True))
        drawn = np.array([self._least_and_most(branch) for branch in branches])
        return np.maximum(drawn - 2 * (np.median(drawn, axis=0) - self._least_and_most(self._branch)), 0.0).T

    def _least_and_most(self, branch):
        """The least and the most that the safe rate of a node may be by a branch."""
        for_each = [(branch, name, limit, self.think_s) for name, limit in self.objectives.items()]
        least = min(_safe_rate_of_node(*each)[0] for each in for_each)
        return np.array([least, min(_most_of_safe_rate(*each) for each in for_each)])


@names_its_keywords
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

    Formula: ``nodes = ceil(rate (1 + growth) / (safe (1 - headroom))) + spare``; the head of this module says what the
    safe rate is.

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
        Think time of the users of the test; by default ``N/X - R`` in the median of the loads.
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
        When the level is none, or the degrees of freedom of an error are none.
    CannotPlan
        When the curve lacks a column or has fewer than two loads, or no load keeps an objective.
    BadTable, UnknownName
        When the mapping names a heading, a name or a unit that does not exist, or two columns are the same of ours.

    Examples
    --------
    >>> rows = {"load": [1, 4, 16, 32], "throughput_per_s": [100, 380, 900, 950]}
    >>> nodes = node_count(pd.DataFrame(rows), 5000, utilization=0.7, growth=0.2)
    >>> nodes.nodes, nodes.node_rate_per_s
    (11, 665.0)
    >>> node_count(pd.DataFrame(rows), utilization=0.7).glance()[["node_rate_per_s", "load"]].iloc[0].round(1).tolist()
    [665.0, 10.6]
    """
    check_level(level, "node_count")
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
    ):
        unset = value is None and argument in ("rate_per_s", "response_p95_s", "response_s", "utilization", "think_s")
        inside = is_number(value) and low < value < high
        if unset or (inside and (argument != "spare" or value == int(value))):
            continue
        remedy = f"Give {ends}, or leave it out."
        if is_number(value) and argument in ("utilization", "headroom", "growth") and 2 <= value <= 100:  # 70
            remedy = f"Write it as a share: {value / 100:g}{spelling('', f' or {value:g}%')}."
        where = spelling(f"node_count({argument}=...)", option)
        raise CannotPlan(where, expected=ends, found=as_typed(value), remedy=remedy)
    if not is_number(node_price) or node_price < 0:
        where, remedy = spelling("node_count(node_price)", "--node-price"), "Give a price, or leave it out."
        raise CannotPlan(where, expected="a number of 0 or more", found=as_typed(node_price), remedy=remedy)
    if rate_per_s is None:
        rate_per_s = math.nan
        given = {"headroom": headroom != 0, "growth": growth != 0, "spare": spare != 1, "node_price": node_price > 0}
        if any(given.values()):
            name = next(name for name, is_given in given.items() if is_given)
            where = spelling(f"node_count({name}=...)", f"--{name.replace('_', '-')}")
            beside = spelling("rate_per_s", "--rate")
            remedy = f"Say how many requests a second at the peak: {spelling('rate_per_s=5000', '--rate 5000')}."
            raise CannotPlan(where, expected=f"{beside} beside it", found="none", remedy=remedy)
    rows = measured.rows
    if think_s is None:
        think = rows["load"] / rows["throughput_per_s"] - rows.get("response_s", math.nan)
        think_s = max(float(np.nanmedian(think)), 0.0) if np.isfinite(think).any() else 0.0
    return NodePlan(rows, float(rate_per_s), objectives, float(headroom), float(growth), int(spare), float(node_price),
                    float(think_s), level, seed, *measured[1:])  # fmt: skip


def _rising_throughput(loads, rates, errors):
    """The throughput of the loads up to its peak: never falling; with errors concave where it is near the highest."""
    peak = int(rates.argmax())
    if errors is None:
        return np.maximum.accumulate(rates[: peak + 1])
    errors = np.maximum(errors, _LEAST_ERROR * rates)
    behind = rates[peak + 1 :] < rates[peak] - _SURE * np.hypot(errors[peak + 1 :], errors[peak])
    count = peak + 1 + int(np.append(behind, True).argmax())
    first = int((rates >= _NEAR * rates[peak]).argmax())
    beyond, weights = loads[first:count] - loads[first], 1 / errors[first:count]
    # Lines that rise to one of the loads and stay there: a sum of them, each 0 or more times, is concave and rising.
    lines = np.ones((count - first, count - first))
    np.minimum(beyond[:, None], beyond[1:], out=lines[:, 1:])
    parts, _ = optimize.nnls(lines * weights[:, None], rates[first:count] * weights)
    return np.maximum.accumulate(np.concatenate([rates[:first], lines @ parts]))


def _never_falling(values, errors):
    """The nearest values that never fall, by least squares weighted with the errors if all are known.

    Where one falls by more than they scatter, the highest so far are taken: an average makes a bad load a good one.
    """
    measured, values = np.isfinite(values), values.copy()
    if (np.diff(values[measured]) > 0).all():
        return values
    if _surely_falls(values[measured], errors[measured]).any():
        values[measured] = np.maximum.accumulate(values[measured])
        return values
    known = np.isfinite(errors[measured]) & (errors[measured] > 0)
    weights = errors[measured] ** -2.0 if known.all() else None
    values[measured] = optimize.isotonic_regression(values[measured], weights=weights).x
    return values


def _surely_falls(values, errors):
    """Where each value but the first lies below the highest before it by more than its error and that one's explain."""
    highest, errors = np.maximum.accumulate(values), np.nan_to_num(errors)
    at = np.maximum.accumulate(np.where(values == highest, np.arange(len(values)), 0))[:-1]
    scatter = _SURE_FALL * np.hypot(errors[1:], errors[at])
    return highest[:-1] - values[1:] > np.maximum(scatter, _FALLS * highest[:-1])


def _safe_rate_of_node(branch, name, limit, think_s):
    """The largest rate of a branch that keeps an objective, and the load there; 0 where not even the first does."""
    rates, loads = branch["throughput_per_s"], branch["load"]
    if name == "utilization":
        rate = limit * branch["highest"]
        return rate, float(np.interp(rate, rates, loads)) if rate >= rates[0] else loads[0] * rate / rates[0]
    values = branch[name]
    measured = np.isfinite(values)
    rates, loads, values = rates[measured], loads[measured], values[measured]
    over = np.flatnonzero(values > limit)
    if not len(over):
        return float(rates[-1]), float(loads[-1])
    k = over[0]
    if k == 0:
        return 0.0, float(loads[0])
    part = (limit - values[k - 1]) / (values[k] - values[k - 1])
    rate, load, response = (float(values_at[k - 1] + part * (values_at[k] - values_at[k - 1]))
                            for values_at in (rates, loads, branch["response_s"][measured]))  # fmt: skip
    if math.isfinite(response):  # by Little's law rather than by a chord below a curve
        rate = float(np.clip(load / (response + think_s), rates[k - 1], rates[k]))
    return rate, load


def _most_of_safe_rate(branch, name, limit, think_s):
    """The most that the safe rate may be between two loads, for a response that is convex in the load."""
    if name == "utilization":
        return limit * branch["most_at_peak"]
    rate, load = _safe_rate_of_node(branch, name, limit, think_s)
    measured = np.isfinite(branch[name])
    loads, rates = branch["load"][measured], branch["throughput_per_s"][measured]
    k = int(np.searchsorted(loads, load))
    at_most = max(rates[k], branch["most_at_peak"]) if rates[k] >= branch["highest"] else rates[k]
    if load == loads[-1]:
        return at_most
    if k == 0:
        return rate
    between = np.linspace(load, loads[k], _STEPS + 1)
    least = {each: _least_response(loads, branch[each][measured], between, k) for each in (name, "response_s")}
    kept = least[name] <= limit * (1 + 1e-12)
    at, response = between[kept][-1:], least["response_s"][kept][-1:]  # nothing where not even that load keeps it
    return max(rate, *np.fmin(at / (response + think_s), at_most))


def _least_response(loads, values, at, k):
    """The least of a convex response between the loads k - 1 and k: the lines through the two before and after them."""
    least = np.full(len(at), values[k - 1])
    for first in (k - 2, k):
        if 0 <= first < len(loads) - 1:
            slope = (values[first + 1] - values[first]) / (loads[first + 1] - loads[first])
            least = np.fmax(least, values[first] + slope * (at - loads[first]))
    return np.fmin(least, np.interp(at, loads, values))


def _most_at_peak(loads, rising, behind):
    """The most that the throughput may be at a peak between two loads, with loads behind it.

    Between two loads it is at most where the lines through the two before and through the two after meet.
    """
    x, y = np.log(loads), np.log(np.r_[rising, behind])
    slopes = np.r_[1, np.diff(y) / np.diff(x), -1]  # before each load, and after the last
    top = len(rising) - 1
    first = int((y[: top + 1] >= y[top] - 1e-9).argmax())  # of the loads with the highest throughput
    most = y[top]
    for k in range(max(first, 1), top + 2):  # from the load before them to the load behind them
        rises, falls, width = slopes[k - 1], slopes[k + 1], x[k] - x[k - 1]
        if rises > falls:
            at = np.clip((y[k] - y[k - 1] - falls * width) / (rises - falls), 0, width)
            most = max(most, min(y[k - 1] + rises * at, y[k] + falls * (at - width)))
    return math.exp(most)


def _load_unit_of_node(curve, load=2):
    """What the load counts, in the plural unless there is one of it."""
    user = tables.user_of(curve)
    return user if load == 1 else plural_of_user(user)
