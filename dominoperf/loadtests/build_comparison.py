"""Two sets of load tests compared: is the build after faster or slower than the one before, over all loads at once.

One decision rests on four questions, so each has the level ``1 - (1 - level)/4`` (Bonferroni): the throughput over
all loads, the highest throughput, the mean response time over all loads, and, as a build may be faster at low loads and
slower at high ones, each single load, which share the fourth part. Where both sides have 95th percentiles of the
response, these over all loads take half of that part: a mean can stay while the tail grows. Single loads and
percentiles can make a build slower, never faster. `curve_differences` has how an interval is made.
"""

import contextlib
import functools
import itertools
import math
import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from dominoperf import tables
from dominoperf.errors import (
    BadTable,
    CannotFit,
    capitalized,
    check_level,
    check_number,
    counted,
    joined_with,
    names_its_keywords,
    spelling,
)
from dominoperf.fitting.result import DrawnResult
from dominoperf.loadtests.batch_means import t_quantile
from dominoperf.loadtests.curve_differences import Change, compare_columns, loads_to_compare
from dominoperf.loadtests.load_curve import curve_of_runs, law_of_curve
from dominoperf.loadtests.load_generators import APART, overlapping_clocks_in_words
from dominoperf.loadtests.readers.own_tables import LEAST, MOST
from dominoperf.loadtests.readers.reading import PathOrPaths, natural_order
from dominoperf.loadtests.readers.recording import dates_begin_with_day, epoch_seconds, moment_of_clock, moment_of_date
from dominoperf.loadtests.run_settings import RunSettings
from dominoperf.loadtests.runs_from_files import (
    LATE_CHANGES,
    RUN_COLUMNS,
    runs_of_files,
    runs_with_failed_loads,
)
from dominoperf.loadtests.samples import sample_clock
from dominoperf.tables.columns import USER, check_columns, factor_to_per_second, plural_of_user
from dominoperf.tables.headings import THROUGHPUTS, columns_of_headings, in_our_columns, means_a_time_of_day
from dominoperf.tables.reading import as_numbers
from dominoperf.tables.rendering import Result, cell_text, coverage, percent
from dominoperf.tables.rows_of_one_curve import (
    checked_failed_share,
    failed_loads_that_count_in_words,
    loads_that_failed,
    shares_of_failed_requests,
)

SLOWER, FASTER, SAME, UNKNOWN = "slower", "faster", "no difference beyond the threshold", "cannot tell"
SLOWER_AT_LOADS, SLOWER_TAIL = "slower at some loads", "slower in its 95th percentile"
FAILS_MORE, FALLS, FAILS_LESS = "fails more", "falls during its runs", "fails less"
_MEASURES = ("throughput", "capacity", "response")
_QUESTIONS = len(_MEASURES) + 1  # the last is of single loads, and of the tail
_TAIL = "response_p95"
_SIGN = {"throughput": 1, "capacity": 1, "response": -1, _TAIL: -1}  # which way is faster
_IN_WORDS = {
    "throughput": "throughput over all loads",
    "capacity": "highest throughput",
    "response": "mean response time over all loads",
    _TAIL: "95th percentile of the response over all loads",
}
_AT_A_LOAD = {"throughput": "throughput", "response": "response", _TAIL: "95th percentile of the response"}
_COLUMNS = {"throughput": "throughput_per_s", "response": "response_s", _TAIL: "response_p95_s"}  # that are compared
_COMMIT = re.compile("[0-9a-f]{7,40}")
_YEAR_LAST = re.compile(r"\d{1,2}\D\d{1,2}\D(19|20)\d\d(?!\d)")  # of a date, which sorts by its day
_BEFORE_RELEASE = re.compile(r"(?i)(?<=\d)[-._]?(?=alpha|beta|rc)")  # v2.0.0-rc1 comes before v2.0.0
_LAW = "usl"
_FAR_MORE = 2.0  # times the share of failed requests of the other side, where both have more than a load may
ROUNDING = 1e-9  # of a ln ratio, by which floats miss a change that is exactly the threshold


@dataclass(frozen=True, eq=False)
class Difference(Result, DrawnResult):
    """What changed from one set of runs to another. `tidy`, `glance` and `parameters` give plain frames."""

    before: pd.DataFrame  # as `measured_runs` gives them, with a load and a throughput
    after: pd.DataFrame
    fail_below: float | None
    level: float
    failed_share: float = 1.0  # of the requests at a load, beyond which it counts as failed

    def tidy(self) -> pd.DataFrame:
        """Return a row for each load of either side: throughputs and responses before and after, and their ratios.

        The intervals are those of each load by itself; the verdict is not read from them.
        """
        loads = sorted({*self.before["load"], *self.after["load"]})
        frame = pd.DataFrame({"load": loads}).set_index("load", drop=False)
        for side, runs in (("before", self.before), ("after", self.after)):
            for column, unit in (("throughput_per_s", "per_s"), ("response_s", "s"), ("response_p95_s", "p95_s")):
                frame[f"{side}_{unit}"] = np.exp(np.log(runs[column]).groupby(runs["load"]).mean())
            frame[f"runs_{side}"] = runs.groupby("load").size()
        alone = [frame["runs_before"].isna(), frame["runs_after"].isna()]
        sides = np.select(alone, ["only after", "only before"], "").astype(object)
        ends = ("ratio", "low", "high")
        names = {"throughput": ends} | {
            measure: [f"{measure}_{end}" for end in ends] for measure in ("response", _TAIL)
        }
        inside = frame["load"].isin(self._compared_loads) & (sides != "")
        reasons = [np.where(inside, sides + ": the other side interpolated", sides)]
        for measure, three in names.items():
            compared = self._compared.get(measure)
            changes = compared.change_at_each_load(self.level) if compared else {}
            for name, part in zip(three, ends, strict=True):
                frame[name] = pd.Series({load: getattr(change, part) for load, change in changes.items()}, dtype=float)
            missing = "" if measure == _TAIL else f"no {measure} on both sides"
            whys = {load: missing for load, side in zip(frame["load"], sides, strict=True) if not side}
            whys |= {load: change.reason for load, change in changes.items()}
            reasons.append([whys.get(load, "") for load in frame["load"]])
        rows = zip(*reasons, strict=True)
        frame["reason"] = ["; ".join(dict.fromkeys(filter(None, row))) for row in rows]
        frame[["runs_before", "runs_after"]] = frame[["runs_before", "runs_after"]].fillna(0).astype(int)
        order = ["load", "before_per_s", "after_per_s", *names["throughput"], "before_s", "after_s",
                 *names["response"], "before_p95_s", "after_p95_s", *names[_TAIL], "runs_before", "runs_after",
                 "reason"]  # fmt: skip
        frame = frame[order].reset_index(drop=True)
        frame.attrs[USER] = tables.user_of(self.before)
        return frame

    def glance(self) -> pd.DataFrame:
        """Return one row: verdict, failed, the three changes with joint intervals, and how many loads and runs."""
        row = {"verdict": self.verdict, "failed": self.failed}
        for name, change in (self.changes | {_TAIL: self.tail}).items():
            row |= {f"{name}_ratio": change.ratio, f"{name}_low": change.low, f"{name}_high": change.high}
        row |= {"loads": len(self._compared_loads), "runs_before": len(self.before), "runs_after": len(self.after)}
        row |= {"fail_below": math.nan if self.fail_below is None else self.fail_below, "level": self.level}
        return pd.DataFrame([row | {"reason": "; ".join(self._reasons)}])

    @property
    def _reasons(self):
        """Why changes are not known, or less well, each once."""
        reasons = [change.reason for change in (*self.changes.values(), self.tail)]
        reasons += [self._interpolation_in_words, self._not_compared, self._level_changes]
        return list(dict.fromkeys(filter(None, reasons)))

    @functools.cached_property
    def changes(self) -> dict[str, Change]:
        """The `Change` over all loads by measure: throughput, capacity (the highest throughput), response."""
        level = 1 - (1 - self.level) / _QUESTIONS
        changes = {}
        for name in ("throughput", "response"):
            compared = self._compared[name]
            if len(compared.loads):
                changes[name] = compared.change_over_loads(level)
            else:
                missing = f"no {name} on both sides" if len(self._compared_loads) else "no load is on both sides"
                changes[name] = Change(math.nan, reason=missing)

        # The highest mean throughput of a load: of all loads of either side where both were past it.
        compared = self._compared["throughput"]
        past = all(curve.means.argmax() < len(curve.means) - 1 for curve in compared.curves)
        if not (past or len(self._compared_loads)):
            reason = "no load is on both sides, and not both were loaded past their peak"
            changes["capacity"] = Change(math.nan, reason=reason)
        else:
            loads = np.union1d(*(curve.loads for curve in compared.curves)) if past else self._compared_loads
            changes["capacity"] = compared.change_of_highest(loads, level)
        return {name: changes[name] for name in _MEASURES}

    @functools.cached_property
    def tail(self) -> Change:
        """The `Change` of the 95th percentile of the response over all loads."""
        compared = self._compared.get(_TAIL)
        if compared is None or not len(compared.loads):
            return Change(math.nan, reason=self._tails_apart)
        return compared.change_over_loads(1 - (1 - self.level) / _QUESTIONS / 2)

    @property
    def verdict(self) -> str:
        """Slower, faster, no difference beyond the threshold, or cannot tell: one decision over all loads.

        Before it come loads at which more requests fail on one side than may, and far fewer on the other, and a
        throughput that falls during the runs after; behind it, a 95th percentile or single loads that are slower by
        more than the threshold.
        """
        if "more" in self._failures:
            return FAILS_MORE
        if self._fall:
            return FALLS
        if "less" in self._failures:
            return FAILS_LESS
        if self._verdict_of_intervals == SLOWER:
            return SLOWER
        if self._tail_is_slower:
            return SLOWER_TAIL
        return SLOWER_AT_LOADS if self._slower_loads else self._verdict_of_intervals

    @property
    def _verdict_of_intervals(self):
        """Slower, faster, no difference beyond the threshold, or cannot tell, by the changes alone."""
        intervals = [_gain(name, change) for name, change in self.changes.items() if change.ratio == change.ratio]
        if intervals and all(-self._threshold < low and high < self._threshold for low, high in intervals):
            return SAME
        if any(high < 0 for _, high in intervals):
            return SLOWER
        return FASTER if any(low > 0 for low, _ in intervals) else UNKNOWN

    @property
    def failed(self) -> bool:
        """Whether it is slower, also at one load, or falls in its runs by more than `fail_below`, or fails more."""
        worse = self.verdict in (FAILS_MORE, FALLS) or self._failed_by or self._slower_loads
        return self.fail_below is not None and bool(worse)

    @functools.cached_property
    def _failures(self):
        """Of "more" and "less", where one side fails and the other far less: the shares of the load that fails most."""
        sides, found = {"before": self.before, "after": self.after}, {}
        if not all("failed_share" in runs for runs in sides.values()):
            return found
        shares = pd.DataFrame({name: runs.groupby("load")["failed_share"].max() for name, runs in sides.items()})
        shares = shares.loc[sorted({*self.before["load"]} & {*self.after["load"]})]
        for word, passes, fails in (("more", "before", "after"), ("less", "after", "before")):
            far_fewer = ~(shares[passes] > (shares[fails] / _FAR_MORE).clip(lower=self.failed_share))
            apart = shares[(shares[fails] > self.failed_share) & far_fewer]
            if len(apart):
                found[word] = apart.loc[apart[fails].idxmax()]
        return found

    @functools.cached_property
    def _fall(self):
        """The load and the `LateChange` of the deepest fall, where each run after falls and none before; or None."""
        before, after = (runs.attrs.get(LATE_CHANGES, ()) for runs in (self.before, self.after))
        falls, limit = {}, 1 - (self.fail_below or 0.0)
        for _, load, change in after:
            if change.users_known and change.ratio < limit and load not in {each for _, each, _ in before}:
                falls.setdefault(load, []).append(change)
        runs = self.after["load"].value_counts()
        both = {*self.before["load"]}
        sure = [(load, max(each, key=lambda change: change.ratio)) for load, each in falls.items()
                if load in both and len(each) == runs[load]]  # fmt: skip
        return min(sure, key=lambda pair: pair[1].ratio, default=None)

    @property
    def _level_changes(self):
        """In how many runs of each side the throughput goes to another level, in words; empty of none."""
        before, after = (len(runs.attrs.get(LATE_CHANGES, ())) for runs in (self.before, self.after))
        if not before + after:
            return ""
        told = f"{before} of {counted(len(self.before), 'run')} before and {after} of {len(self.after)} after"
        return f"the throughput goes to another level in {told}: their rates are means over both"

    @property
    def _failed_by(self):
        """The measures that are surely slower, and by more than `fail_below`."""
        tail = [_TAIL] if self._tail_is_slower else []
        if self._verdict_of_intervals != SLOWER:
            return tail
        limit = -self._threshold - ROUNDING
        slower = [name for name, change in self.changes.items()
                  if _gain(name, change)[1] < 0 and _SIGN[name] * math.log(change.ratio) < limit]  # fmt: skip
        return slower + tail

    @property
    def _threshold(self):
        """`fail_below` as a change of an ln; 0 if there is none."""
        return -math.log1p(-(self.fail_below or 0.0))

    @property
    def _tail_is_slower(self):
        """Whether the 95th percentile over all loads is longer by surely more than the threshold."""
        return self.tail.ratio == self.tail.ratio and _gain(_TAIL, self.tail)[1] < -self._threshold - ROUNDING

    @functools.cached_property
    def _slower_loads(self):
        """The loads that are slower by surely more than the threshold: each with its measure and `Change`."""
        tests = max(sum(len(compared.loads) for compared in self._compared.values()), 1)
        tests *= 2 if _TAIL in self._compared else 1  # the other half of the part is of the tail over all loads
        slower = {}
        for name, compared in self._compared.items():
            changes = compared.change_at_each_load(1 - (1 - self.level) / _QUESTIONS / tests)
            for load, change in changes.items():
                if _gain(name, change)[1] < -self._threshold - ROUNDING:
                    slower.setdefault(load, (name, change))
        return slower

    def parameters(self) -> pd.DataFrame:
        """Return a row for each parameter of the universal scalability law: before, after, and its change.

        The interval is of the difference of two estimates, with the smaller of their degrees of freedom; error_from
        says what the errors of either side are from, as `law_of_curve` has it.
        """
        columns = ["term", "unit", "before", "after", "change", "low", "high", "error_from", "reason"]
        try:
            fits, origins = zip(*(law_of_curve(_LAW, curve) for curve in self.curves()), strict=True)
        except CannotFit as error:
            row = dict.fromkeys(columns, math.nan) | dict.fromkeys(("term", "unit", "error_from"), "")
            return pd.DataFrame([row | {"reason": f"no law: expected {error.expected}, found {error.found}"}])
        rows = []
        dof, error_from = min(fit.interval_dof for fit in fits), "; ".join(dict.fromkeys(origins))
        for (_, old), (_, new) in zip(*(fit.tidy().iterrows() for fit in fits), strict=True):
            change = new["estimate"] - old["estimate"]
            reach = math.hypot(old["std_error"], new["std_error"]) * t_quantile(self.level, dof)
            reason = "; ".join(dict.fromkeys(filter(None, (old["reason"], new["reason"]))))
            if not math.isfinite(reach):
                reason = reason or "the points leave no error"
            rows.append((old["term"], old["unit"], old["estimate"], new["estimate"], change, change - reach,
                         change + reach, error_from, reason))  # fmt: skip
        return pd.DataFrame(rows, columns=columns)

    def curves(self) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Return the two curves, as `curve` gives them."""
        return curve_of_runs(self.before), curve_of_runs(self.after)

    def headline(self) -> str:
        """Return in a few sentences the verdict, and by how much with which intervals."""
        limit = self.fail_below or 0.0
        threshold = f"{100 * limit:.3g} %"
        longer = f"{100 * limit / (1 - limit):.3g} %"  # a response of the same slow-down
        lower, later = f"more than {threshold} lower", f"more than {longer} longer, which is {threshold} slower"
        too_much = {"throughput": lower, "capacity": lower, "response": later, _TAIL: later}
        verdict = {
            SLOWER: "Slower.", FASTER: "Faster.", SAME: f"No difference beyond {threshold}.",
            UNKNOWN: "The runs do not settle whether it is faster or slower.",
            SLOWER_TAIL: "Slower in its 95th percentile.",
            SLOWER_AT_LOADS: f"Slower at {joined_with('and', self._slower_loads_in_words())}.",
        }  # fmt: skip
        failures, fall, amounts = self._failures_in_words(), self._fall_in_words(), {}
        sentences = [*failures, *self._failures_of_both_in_words(), *fall]
        sentences += [] if failures or fall else [verdict[self.verdict]]
        for name, change in (self.changes | {_TAIL: self.tail}).items():
            if change.ratio == change.ratio:
                amounts[name] = _amount_in_words(change)
                sentences.append(f"{_IN_WORDS[name].capitalize()}: {amounts[name]}.")
        if any(change.low == change.low for change in self.changes.values()):
            sentences.append(f"The intervals hold together with {coverage(self.level)}.")
        sentences += [f"{capitalized(reason)}." for reason in self._reasons]
        failed = []
        if self.verdict == FAILS_MORE:
            failed.append(
                f"more than {100 * self.failed_share:.4g} % of the requests fail at a load, and far fewer before"
            )
        if self._fall:
            failed.append(f"the throughput falls by more than {threshold} during its runs")
        failed += [f"{_IN_WORDS[name]} is {too_much[name]}, {amounts[name]}" for name in self._failed_by]
        if not self._failed_by:
            failed += [f"surely more than {threshold} slower at {told}" for told in self._slower_loads_in_words()]
        if self.failed:
            sentences.append(f"It fails: {'; '.join(failed)}.")
        elif limit and self.verdict == SLOWER:
            sentences.append(f"It does not fail: nothing that is surely slower is so by more than {threshold}.")
        return " ".join(sentences)

    def _failures_in_words(self):
        """Of how many more or fewer requests fail after, and at which load: a list of one sentence, or of none."""
        users = plural_of_user(tables.user_of(self.after))
        for word, shares in self._failures.items():
            before, after = (
                "of an unknown share" if math.isnan(shares[side]) else f"{100 * shares[side]:.3g} %"
                for side in ("before", "after")
            )
            return [f"Fails {word}: {after} of the requests at {shares.name:g} {users}, before {before}."]
        return []

    def _failures_of_both_in_words(self):
        """The loads at which more requests fail than may on both sides: a list of one sentence, or of none."""
        failed = [runs[loads_that_failed(runs, self.failed_share)] for runs in (self.before, self.after)
                  if "failed_share" in runs]  # fmt: skip
        loads = sorted(set.intersection(*(set(runs["load"]) for runs in failed))) if len(failed) == 2 else []
        if not loads:
            return []
        before, after = (f"{100 * runs['failed_share'][runs['load'].isin(loads)].max():.3g} %" for runs in failed)
        at = f"{joined_with('and', [f'{load:g}' for load in loads])} {plural_of_user(tables.user_of(self.after))}"
        return [
            f"At {at} more than {100 * self.failed_share:.4g} % of the requests fail on both sides, up to {before} "
            f"before and {after} after: what is compared there are those that succeeded."
        ]

    def _slower_loads_in_words(self):
        """The loads that are surely slower, each with what changes there, and by how much."""
        users = plural_of_user(tables.user_of(self.after))
        return [f"{load:g} {users} ({_AT_A_LOAD[name]} {_amount_in_words(change)})"
                for load, (name, change) in sorted(self._slower_loads.items())]  # fmt: skip

    def _fall_in_words(self):
        """By how much and when the throughput falls during the runs after: a list of one sentence, or of none."""
        if not self._fall:
            return []
        load, change = self._fall
        users = plural_of_user(tables.user_of(self.after))
        by = f"by {percent(1 - change.ratio)} at {sample_clock(change.at_s)} s"
        return [f"The throughput falls during its runs at {load:g} {users}, {by}; before it does not."]

    def _tables(self):
        return self.tidy(), self.parameters()

    @functools.cached_property
    def _compared_loads(self):
        """The loads that are compared, rising."""
        return loads_to_compare(self.before, self.after)

    @functools.cached_property
    def _compared(self):
        """By measure: the `ColumnsCompared` of both sides; without 95th percentiles that are not of the same thing."""
        both_have_tails = all((runs["response_p95_s"] > 0).any() for runs in (self.before, self.after))
        without = {} if both_have_tails and not self._tails_apart else {_TAIL}
        return {name: self._compared_column(column) for name, column in _COLUMNS.items() if name not in without}

    @property
    def _tails_apart(self):
        """Why 95th percentiles are not compared that both sides have, in words; empty where they are."""
        before, after = ({*runs["response_p95_of"].dropna()} - {""} for runs in (self.before, self.after))
        if before == after or not (before and after):
            return ""
        return "95th percentiles are not compared: those of one side are of all requests, of the other means of samples"

    def _compared_column(self, column):
        alone = bool(self._interpolated_loads)
        return compare_columns(self.before, self.after, column, self._compared_loads, interpolated=alone)

    @property
    def _interpolated_loads(self):
        """Those of the compared loads that one side alone was run at."""
        return {*self._compared_loads} - ({*self.before["load"]} & {*self.after["load"]})

    @property
    def _interpolation_in_words(self):
        """How many of the compared loads one side alone was run at, in words; empty of none."""
        if not self._interpolated_loads:
            return ""
        return (
            f"{counted(len(self._interpolated_loads), 'load')} of {len(self._compared_loads)} run on one side alone: "
            "there the other lies between bounds, which widen the intervals; run the same loads on both sides for "
            "narrower ones"
        )

    @property
    def _not_compared(self):
        """The loads that one side alone was run at, and that are not compared, in words; empty of none."""
        told = []
        for word, one, other in (("before", self.before, self.after), ("after", self.after, self.before)):
            alone = sorted({*one["load"]} - {*other["load"]} - {*self._compared_loads})
            told += [f"{joined_with('and', [f'{load:g}' for load in alone])} {word} only"] * bool(alone)
        return f"not compared, as they were run on one side alone: {'; '.join(told)}" if told else ""


def _gain(name, change):
    """The ends of the interval of a measure in ln, rising, where more is faster."""
    with np.errstate(divide="ignore"):  # of an interval from 0
        return sorted(_SIGN[name] * np.log([change.low, change.high]))


def _amount_in_words(change):
    """A change in percent, with its interval where there is one."""
    value, low, high = (
        f"{100 * (ratio - 1):+.1f} %".replace("-", "−") for ratio in (change.ratio, change.low, change.high)
    )
    return value if math.isnan(change.low) else f"{value} ({low} to {high})"


@names_its_keywords("dominoperf.loadtests.run_settings:RunSettings")
def ab(
    before: PathOrPaths | pd.DataFrame,
    after: PathOrPaths | pd.DataFrame | None = None,
    *,
    by: str | None = None,
    fail_below: float | None = None,
    failed_share: float | None = None,
    level: float = 0.95,
    **settings: Any,
) -> Difference:
    """Return what changed from one set of load tests to another, as one decision over all loads.

    Parameters
    ----------
    before, after : str or Path, list of them, or DataFrame
        The files of the runs, as `curve` takes them, what `measured_runs` made of them, or a frame with a row per run,
        its load (or users, clients, ...) and throughput_per_s; what succeeded at loads that failed counts. The loads
        should be the same: where fewer than three are, the curves are compared within the range of both, with wider
        intervals, and the answer says so.
    by : str, optional
        In place of `after`: the column of the table `before` that names the two builds; before is the one that was run
        first by the table's column of times, or else the one that it names first.
    fail_below : float, optional
        The slow-down that is too much, as a share: 0.2 is a throughput 20 % lower, or a response time 25 % longer. Then
        `failed` says whether it was: of any of the three measures, of the 95th percentile of the response, at a single
        load, or during the runs after.
    failed_share : float, optional
        Share of the requests above which a load did not pass; by default 0.01, as `curve` has it.
    level : float
        Coverage of the three intervals, and of those of single loads that decide, together.
    **settings
        Others as for `curve`.

    Returns
    -------
    Difference
        `verdict` is "fails more" where at some load of both more requests fail after than `failed_share`, and before
        no more than that, or at most half as many (`failed` is then true, if `fail_below` was given); "fails less"
        where it is the other way round; "falls during its runs" where at some load the throughput of every run after
        falls to another level under unchanged users, and that of no run before; "slower" where any of the three
        intervals lies below no change (of the response: above it) and not within the threshold; "slower in its 95th
        percentile" where that of the response over all loads is longer by surely more than the threshold; "slower at
        some loads" where throughput, response or its 95th percentile at a load is slower by surely more than the
        threshold; else "faster", "no difference beyond the threshold" or "cannot tell", which are of the means alone.

    Raises
    ------
    BadTable
        When one side has no run with a load and a throughput, `by` names no two builds, or only one of `after` and `by`
        is not given.
    CannotFit
        When a level or threshold cannot be.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = {"load": [1, 2, 4, 8] * 2, "throughput_per_s": [100, 190, 340, 560, 101, 188, 343, 557]}
    >>> old = pd.DataFrame(rows | {"response_s": float("nan"), "throughput_std_error": 1.0, "steady": 1, "reason": ""})
    >>> new = old.assign(throughput_per_s=0.9 * old["throughput_per_s"])
    >>> found = ab(old, new, fail_below=0.05)
    >>> found.verdict, found.failed, round(found.changes["throughput"].ratio, 3)
    ('slower', True, 0.9)
    """
    check_level(level, "ab")
    if fail_below is not None:
        check_number(spelling("ab(fail_below=...)", "--fail-below"), fail_below, 0, 1)
    limit = checked_failed_share(failed_share, "ab")
    of_files = RunSettings(failed_share=1, **settings)
    if (after is None) == (by is None):
        remedy = "Name the runs after, or the column of one table that names the builds."
        raise BadTable("ab", expected=f"two sets of runs, or one and {spelling('by', '--by')}",
                       found="one alone" if by is None else "two and a column", remedy=remedy)  # fmt: skip
    sides, told = [(before, of_files), (after, of_files)], []
    if by is not None:
        builds, order = builds_of_table(before, by, of_files.where)
        if len(builds) != 2:
            place = f"column {by}" if isinstance(before, pd.DataFrame) else f"{before}, column {by}"
            history = spelling("change_points(..., by=...)", "--history TABLE --by COLUMN")
            remedy = f"Choose rows of two ({spelling('where=...', '--where')}), or take all as a history ({history})."
            raise BadTable(place, expected="two builds", found=", ".join(builds) or "none", remedy=remedy)
        rows = [settings | {"where": [*of_files.where, (by, build)]} for build in builds]
        sides = [(before, RunSettings(failed_share=1, **of_build)) for of_build in rows]
        told = [f"before is {by} {builds[0]}, after is {by} {builds[1]}: in the order of {order}"]
        if are_numbered_builds(builds) and order_of_build_name(builds[1]) < order_of_build_name(builds[0]):
            told[0] += f", though {builds[1]} is the smaller number: if it is the older one, give its rows first"
    first, second = (runs_of_build(name, *side, limit) for name, side in zip(("before", "after"), sides, strict=True))
    second.attrs["notes"] += told
    second.attrs["notes"] += _notes_on_both(first, second, at_once=of_files.generators == APART)
    return Difference(first, second, fail_below, level, limit)


def builds_of_table(path: PathOrPaths | pd.DataFrame, by: str, where: list) -> tuple[list[str], str]:
    """Return the builds that a column of a table names in their order, and in words which that is.

    The order is that of the rows, or that of a column of times, where it tells that each build was run after another:
    tables may have the newest row first. `where` chooses among the rows.
    """
    frame = _rows_of_frame(tables.read_table(path), where)
    check_columns(frame, [by], "the table of builds" if isinstance(path, pd.DataFrame) else str(path))
    builds = frame[by].map(cell_text)
    frame, builds = frame[builds != ""], builds[builds != ""]
    clocks = [name for name in frame if means_a_time_of_day(str(name))]
    times = _seconds_of_times(frame[clocks[0]]) if len(clocks) == 1 else None
    if times is not None:
        spans = times.groupby(builds.to_numpy()).agg(["min", "max"]).sort_values("min", kind="stable")
        if (spans["max"].to_numpy()[:-1] <= spans["min"].to_numpy()[1:]).all():
            return [*spans.index], f"the column {clocks[0]}"
    return [*builds.drop_duplicates()], "the rows"


def order_of_build_name(name):
    """A key by which names are in the order of their numbers, 2 before 10, a release candidate before its release."""
    return [*map(natural_order, [*_BEFORE_RELEASE.split(name, 1), "~"][:2])]


def are_commits(names):
    """Whether names are those of commits of git, which have no order."""
    return bool(all(map(_COMMIT.fullmatch, names)) and re.search("[a-f]", "".join(names)))


def are_numbered_builds(names):
    """Whether names begin with numbers behind the same letters, which are no dates with the year last."""
    begins = [re.match(r"\D*(?=\d)", name) for name in names]
    alike = all(begins) and len({match[0] for match in begins}) == 1
    return alike and not are_commits(names) and not any(map(_YEAR_LAST.search, names))


def _seconds_of_times(cells):
    """Times of a clock as seconds; None where a cell is none, or days and months cannot be told apart."""
    texts = [*map(cell_text, cells)]
    with contextlib.suppress(BadTable):
        day_first, _ = dates_begin_with_day(texts, "the table of builds")
        moments = [moment_of_clock(text) or moment_of_date(text, day_first) for text in texts]
        return None if None in moments else pd.Series([*map(epoch_seconds, moments)], dtype=float)
    return None


def _rows_of_frame(frame, where):
    """The rows of a frame whose columns print certain values."""
    from dominoperf import fitting  # with every law

    return fitting.rows_of(frame, where) if where else frame


def runs_of_build(name: str, source: PathOrPaths | pd.DataFrame, settings: RunSettings, limit: float) -> pd.DataFrame:
    """Return the runs of one build that have a load and a throughput, of files or as `measured_runs` has made them."""
    if isinstance(source, pd.DataFrame):
        source = _rows_of_frame(source, settings.where)
        runs = source
        if not {"load", "throughput_per_s"} <= {*source}:  # a table of one's own, with the headings of its file
            ours, _ = columns_of_headings(source, settings.mapping, f"ab({name})")
            runs = in_our_columns(source, ours)
            load = "load" if "load" in runs else settings.load_column(runs)
            if rate := next(filter(runs.columns.__contains__, THROUGHPUTS), ""):
                runs = runs.assign(throughput_per_s=as_numbers(runs[rate]) * factor_to_per_second(rate))
            runs = runs.rename(columns={load: "load"})
        hint = "Give what `measured_runs` gives, or the file."
        check_columns(runs, ["load", "throughput_per_s"], f"ab({name})", hint=hint)
        runs = runs.assign(**{column: as_numbers(runs[column]) for column in ("load", "throughput_per_s")})
        if "failed_share" not in runs:
            runs = runs.assign(failed_share=shares_of_failed_requests(runs, runs["throughput_per_s"]))
    else:
        runs = runs_of_files(source, settings)
    runs = runs.reindex(columns=[*dict.fromkeys([*runs, *RUN_COLUMNS])])
    runs["reason"] = runs["reason"].astype("object").fillna("")
    runs = runs_with_failed_loads(runs)
    if runs.empty:
        remedy = "Give the runs of `measured_runs`, or the files."
        raise BadTable(f"ab({name})", expected="runs with a load and a throughput", found="none", remedy=remedy)
    for column in ("load", "throughput_per_s", "response_s"):
        beyond = runs[column][(runs[column] > MOST) | ((runs[column] > 0) & (runs[column] < LEAST))]
        if len(beyond):
            expected, found = f"measured numbers, from {LEAST:g} to {MOST:g}", f"{beyond.iloc[0]:g}"
            raise BadTable(f"ab({name}), column {column}", expected=expected, found=found, remedy="Mend the run.")
    runs = runs.reset_index(drop=True)
    runs.attrs["notes"] = [f"{name}: {note}" if getattr(note, "kind", "") == LATE_CHANGES else note
                           for note in runs.attrs.get("notes", ())]  # fmt: skip
    if told := failed_loads_that_count_in_words(runs, name, limit):
        runs.attrs["notes"].append(told)
    return runs


def _notes_on_both(before, after, *, at_once):
    """Whether both builds are the same files, ran at the same time unless that was meant, or one after the other."""
    measured = [name for name in RUN_COLUMNS if name not in ("file", "reason")]
    times = [runs.attrs.get("clocks", {}) for runs in (before, after)]
    same_times = sorted(times[0].values()) == sorted(times[1].values())  # copied files have other names
    if same_times and before[measured].equals(after[measured]):
        return [
            "every run before is one after, to the last digit: the two are the same files, and the difference is none"
        ]
    if at_once:
        return []
    clocks = [{f"{file} ({name})": clock for file, clock in of_side.items()}
              for name, of_side in zip(("before", "after"), times, strict=True)]  # fmt: skip
    return [*overlapping_clocks_in_words(itertools.product(*clocks), clocks[0] | clocks[1]), *_order_in_words(*clocks)]


def _order_in_words(before, after):
    """A note, or none, where all runs of a build were made before all of the other, by the clocks of their files."""
    if not before or not after:
        return []
    spans = [(min(first for first, _ in each.values()), max(last for _, last in each.values()))
             for each in (before, after)]  # fmt: skip
    if spans[0][1] > spans[1][0] and spans[1][1] > spans[0][0]:
        return []
    return [
        "all runs of one build were made before those of the other, so whatever else changed in between is in the"
        " difference: run them in turn"
    ]
