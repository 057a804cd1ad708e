"""What a node carries safely: the largest rate of its measured curve that keeps a limit, the least and the most of it.

On the rising branch of the curve mean response R and its 95th percentile are lines between the measured loads N.
Neither falls with the load, so loads where a measured one does are averaged (isotonic regression); where one falls by
more than it scatters, the longest so far counts. By Little's law ``N / X = R + Z``, the time between two requests of a
user, is a line too: its pause Z is what both loads say. The highest of several noisy rates is too high: where their
errors are known, the loads near it get the nearest curve that never rises more steeply than before (concave
regression), as the throughput of every closed network of servers with fixed rates does. The safe rate of a node is the
largest X that keeps every objective: a share U of the highest throughput, a mean response, a 95th percentile. Where all
measured loads keep a response objective, it is the highest rate that was measured: no law tells how much more a node
carries.

Users may ask at a pace P, whatever the response is, or as soon as they are answered where that takes longer:
``X = N / max(P, R)``. Near ``N = P X`` their response jumps to P, which a line to a load far beyond is above. So such a
load counts as ``P X``. A load that is the rate that was offered is one of ``P = 1`` s.

A response is convex in the load, as it is in every closed network of servers with fixed rates. So between two loads it
is at most the line, on which the safe rate rests, and at least what the lines through the two loads before and the two
after leave. A response that grows less than half as steeply behind two loads as between them, surely, is not convex: it
jumps, as a percentile does once slow answers are more than its share. Then the last load that keeps the limit counts,
and the jump may be anywhere up to the next one.

Where throughput falls behind its peak, the peak may lie between two loads. It is at least the highest throughput at a
measured load, on which the safe rate rests. It is at most what such lines leave of ln X over ln N, which is taken to be
concave with slopes from 1 to -1. The interval of the safe rate reaches from the least to the most, with the errors of
the curve: of the throughput Student's t with the degrees of freedom of its repeats, one scale for all loads, for they
are pooled. A fit to noisy points is too high by some bias b. The drawn rates carry it twice (in the measured curve, and
in the fit to each draw), so 2 b is subtracted.
"""

import functools
import math
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import optimize

from dominoperf import tables
from dominoperf.errors import spelling
from dominoperf.fitting.points import degrees_of_freedom_of_errors, least_degrees_of_freedom
from dominoperf.planning.measured_curve import MEASURED, RESPONSE_ERRORS, RESPONSES
from dominoperf.tables.columns import is_rate_of_requests
from dominoperf.tables.reading import numbers_of_column

OFFERED = 0.02  # share by which a throughput may differ from what users at a pace ask for
_SOONER = 0.06  # share by which users ask sooner than they would with a pause, where they have a pace
_DRAWS = 1000  # of the curve within its errors
_NEAR = 0.5  # of the highest throughput, from where on loads are taken to be near it
_SURE = 2.0  # standard errors by which a later load has to be below the highest to lie behind the peak
_SURE_FALL, _FALLS = 3.0, 0.2  # standard errors, and the share, by which a response falls or jumps that is no scatter
_STEEPER = 2.0  # times as steep as behind a load a response rises to it that jumps
_LEAST_ERROR = 1e-4  # relative: no load weighs more than one with this error
_STEPS = 40


@dataclass(frozen=True, eq=False)
class RisingBranch:
    """The loads of a curve up to the peak of its throughput: what was delivered at each, and how long it took."""

    loads: np.ndarray
    rates: np.ndarray  # which never fall
    responses: dict  # of each of RESPONSES its values, which never fall; NaN where it was not measured
    jumps: dict  # of each of them whether it jumps somewhere between the load before and this one
    most_at_peak: float  # the highest throughput, or more where the peak may lie between two loads
    pace_s: float  # infinite of users who pause after each answer

    @property
    def highest(self) -> float:
        """The highest throughput at a measured load."""
        return self.rates[-1]

    def safe_rate(self, objective: str, limit: float) -> tuple[float, float]:
        """Return the largest rate that keeps an objective, and the load there; 0 where not even the first load does."""
        rates, loads = self.rates, self.loads
        if objective == "utilization":
            rate = min(limit, 1.0) * self.highest
            k = int(np.searchsorted(rates, rate))
            cycle = loads[k] / rates[k]  # the time between two requests of a user, a line to that of the load before
            slope = (cycle - loads[k - 1] / rates[k - 1]) / (loads[k] - loads[k - 1]) if k else 0.0
            load = rate * (cycle - slope * loads[k]) / (1 - slope * rate)
            return rate, float(min(load, loads[k], rate * self.pace_s))  # rounded, it may be a hair beyond the load
        values = self.responses[objective]
        measured = np.isfinite(values)
        rates, loads, values = rates[measured], loads[measured], values[measured]
        over = np.flatnonzero(values > limit)
        if not len(over):
            return float(rates[-1]), float(loads[-1])
        k = over[0]
        if k == 0:
            return 0.0, float(loads[0])
        if self._jumps_to(objective, k):
            return float(rates[k - 1]), float(loads[k - 1])
        part = (limit - values[k - 1]) / (values[k] - values[k - 1])
        beyond = max(min(loads[k], self.pace_s * rates[k]), loads[k - 1])
        load = float(loads[k - 1] + part * (beyond - loads[k - 1]))
        cycle = loads[k - 1] / rates[k - 1] + part * (beyond / rates[k] - loads[k - 1] / rates[k - 1])
        return load / cycle, load  # the time between two requests of a user is a line as the response is

    def most_of_safe_rate(self, objective: str, limit: float) -> float:
        """Return the most that the safe rate may be between two loads, for a response that is convex in the load."""
        if objective == "utilization":
            return limit * self.most_at_peak
        rate, load = self.safe_rate(objective, limit)
        measured = np.isfinite(self.responses[objective])
        loads, rates, over = self.loads[measured], self.rates[measured], self.responses[objective][measured] > limit
        k = int(over.argmax()) if over.any() else len(loads) - 1
        at_most = max(rates[k], self.most_at_peak) if rates[k] >= self.highest else rates[k]
        if over[0]:
            return rate
        if not over.any() or math.isfinite(self.pace_s) or self._jumps_to(objective, k):
            return at_most
        between = np.linspace(load, loads[k], _STEPS + 1)
        least = {
            each: _least_response(loads, self.responses[each][measured], between, k)
            for each in (objective, "response_s")
        }
        kept = least[objective] <= limit * (1 + 1e-12)
        at, response = between[kept][-1:], least["response_s"][kept][-1:]  # nothing where not even that load keeps it
        pause = np.interp(at, loads, loads / rates - self.responses["response_s"][measured])
        return max(rate, *np.fmin(at / (response + pause), at_most))

    def _jumps_to(self, objective, k):
        """Whether a response jumps somewhere between the measured loads k - 1 and k."""
        return self.jumps[objective][: len(self.loads)][np.isfinite(self.responses[objective])][k]


@dataclass(frozen=True, eq=False)
class NodeCurve:
    """The measured curve of a node, a row for each load, and what follows from it for any objective."""

    rows: pd.DataFrame

    @functools.cached_property
    def columns(self) -> dict:
        """The measured columns as numbers; NaN where the curve has none."""
        return {name: numbers_of_column(self.rows, name).to_numpy() for name in MEASURED}

    @functools.cached_property
    def pace_s(self) -> float:
        """The time between two requests of a user at a pace, 1 s of a load that is a rate; else infinity.

        With a pause Z the time between two requests is R + Z, which grows with the response R. The last load may be
        more than can be delivered.
        """
        if is_rate_of_requests(tables.user_of(self.rows)):
            return 1.0
        response, cycle = self.columns["response_s"], self.columns["load"] / self.columns["throughput_per_s"]
        at_pace = np.abs(cycle / np.fmax(cycle[0], response) - 1) <= OFFERED
        sooner = cycle[0] - response[0] + response > (1 + _SOONER) * cycle
        return float(cycle[0]) if at_pace[:-1].all() and sooner.any() else math.inf

    @functools.cached_property
    def errors_dof(self) -> float:
        """Degrees of freedom of the errors of the throughput: infinity where known, 0 where nothing was run again."""
        where = spelling("curve", "--curve")
        return least_degrees_of_freedom(degrees_of_freedom_of_errors(self.rows, "throughput_std_error", where))

    @functools.cached_property
    def has_errors(self) -> bool:
        """Whether every load has a standard error, one of them above zero, that knows how runs differ."""
        error = self.columns["throughput_std_error"]
        return bool(np.isfinite(error).all() and (error > 0).any()) and self.errors_dof != 0

    @functools.cached_property
    def branch(self) -> RisingBranch:
        """The rising branch of the curve as it was measured."""
        return self._rising_branch(self.columns["throughput_per_s"], np.ones((len(RESPONSES), len(self.rows))))

    @functools.cached_property
    def _falls(self):
        """Whether a load was measured behind the peak: a fall in some of the draws alone is noise."""
        loads, rates, errors = (self.columns[name] for name in ("load", "throughput_per_s", "throughput_std_error"))
        return self.has_errors and len(_rising_throughput(loads, rates, errors)) < len(rates)

    @functools.cached_property
    def jumps(self) -> dict:
        """Of each of RESPONSES, whether it jumps somewhere between the load before and each load."""
        errors = zip(RESPONSES, RESPONSE_ERRORS, strict=True)
        return {name: _jumps(self.columns["load"], self.columns[name], self.columns[error]) for name, error in errors}

    def _rising_branch(self, throughput, factors):
        """The rising branch of other throughputs, and of responses and percentiles that differ by factors."""
        loads, errors = self.columns["load"], self.columns["throughput_std_error"]
        rising = _rising_throughput(loads, throughput, errors if self.has_errors else None)
        top = len(rising)
        responses = {
            name: _never_falling((self.columns[name] * factor)[:top], self.columns[error][:top])
            for name, error, factor in zip(RESPONSES, RESPONSE_ERRORS, factors, strict=True)
        }
        behind = throughput[top:] if self._falls else ()
        most = _most_at_peak(loads, rising, behind) if len(behind) else rising[-1]
        return RisingBranch(loads[:top], rising, responses, self.jumps, most, self.pace_s)

    def drawn_rates(self, objectives: dict, seed: int) -> np.ndarray:
        """Return the safe rate on curves drawn within the errors of the measured one: the least and the most of each.

        Each moved by twice the median by which the draws differ from the curve that they are drawn about.
        """
        random = np.random.default_rng(seed)
        rates = self.columns["throughput_per_s"].copy()
        rates[: len(self.branch.rates)] = self.branch.rates
        errors = [
            self.columns[error] / self.columns[name] for name, error in zip(RESPONSES, RESPONSE_ERRORS, strict=True)
        ]
        errors[1] = np.where(np.isfinite(errors[1]), errors[1], errors[0])  # of a curve without them that of the mean
        errors = np.where(np.isfinite(errors), errors, 0.0)
        dof = self.errors_dof
        scales = np.sqrt(dof / random.chisquare(dof, _DRAWS)) if np.isfinite(dof) else np.ones(_DRAWS)
        of_rates, of_responses = random.standard_normal((_DRAWS, 2, len(rates))).swapaxes(0, 1)
        noise = scales[:, None] * self.columns["throughput_std_error"] * of_rates
        factors = np.exp(scales[:, None, None] * errors * of_responses[:, None])
        branches = map(self._rising_branch, np.maximum(rates + noise, 1e-9), factors)
        drawn = np.array([_least_and_most(branch, objectives) for branch in branches])
        bias = np.median(drawn, axis=0) - _least_and_most(self.branch, objectives)
        return np.maximum(drawn - 2 * bias, 0.0).T


def _least_and_most(branch, objectives):
    """The least and the most that the safe rate of a node may be by a branch."""
    least = min(branch.safe_rate(*each)[0] for each in objectives.items())
    return np.array([least, min(branch.most_of_safe_rate(*each) for each in objectives.items())])


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
    if surely_falls(values[measured], errors[measured]).any():
        values[measured] = np.maximum.accumulate(values[measured])
        return values
    known = np.isfinite(errors[measured]) & (errors[measured] > 0)
    weights = errors[measured] ** -2.0 if known.all() else None
    values[measured] = optimize.isotonic_regression(values[measured], weights=weights).x
    return values


def _jumps(loads, values, errors):
    """At which loads a response lies behind a jump: it rose to the load far more steeply than it goes on to rise."""
    jumps, measured = np.zeros(len(loads), bool), np.flatnonzero(np.isfinite(values))
    loads, values, errors = loads[measured], _never_falling(values, errors)[measured], np.nan_to_num(errors[measured])
    rises, wide = np.diff(values), np.diff(loads)
    times = _STEEPER * wide[:-1] / wide[1:]
    scatter = np.sqrt(errors[:-2] ** 2 + ((1 + times) * errors[1:-1]) ** 2 + (times * errors[2:]) ** 2)
    steeper = rises[:-1] - times * rises[1:] > np.maximum(_SURE_FALL * scatter, _FALLS * values[1:-1])
    jumps[measured[1:-1]] = steeper
    return jumps


def surely_falls(values, errors):
    """Where each value but the first lies below the highest before it by more than its error and that one's explain."""
    highest, errors = np.maximum.accumulate(values), np.nan_to_num(errors)
    at = np.maximum.accumulate(np.where(values == highest, np.arange(len(values)), 0))[:-1]
    scatter = _SURE_FALL * np.hypot(errors[1:], errors[at])
    return highest[:-1] - values[1:] > np.maximum(scatter, _FALLS * highest[:-1])


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
