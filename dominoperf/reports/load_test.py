"""The file or files of a load test as their page shows them: each part is a result, or says why it cannot be had."""

import functools
import math
import os
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import special

from dominoperf import figures, fitting, loadtests, planning, tables
from dominoperf.errors import (
    BadTable,
    CannotFit,
    CannotPlan,
    DominoperfError,
    capitalized,
    check_level,
    check_number,
    counted,
)
from dominoperf.figures.load_tests import spans_decade
from dominoperf.fitting.goodness_of_fit import strongest_test
from dominoperf.fitting.summary import misfit_in_errors_of_points
from dominoperf.loadtests import readers
from dominoperf.loadtests.readers.recording import RESPONSES
from dominoperf.loadtests.samples import factor_to_per_second
from dominoperf.reports.saving import Missing
from dominoperf.tables import rendering
from dominoperf.tables.columns import USER, check_columns

_LOAD, _RESPONSE, _TIME = "users", "response_s", "time_s"
_WHOLE = "run"  # tells runs apart in a file that has one
_SYSTEM, _WORKLOAD = "the server tested", "as tested"
_P95 = "response_p95_s"
_LEAST_INDEPENDENT_SAMPLES = 10  # independent samples that the error of a single run rests on, at least
_MEANS = ["from_s", "to_s", "metric", "mean", "low", "high", "reason"]


def part_or_missing(make):
    """Make a method give `Missing` with the reason where it raises an error of ours, or is given what is missing."""

    @functools.wraps(make)
    def part_or_reason(self, *arguments, **named):
        lacking = [argument for argument in arguments if isinstance(argument, Missing)]
        try:
            return Missing(lacking[0].reason, again=True) if lacking else make(self, *arguments, **named)
        except DominoperfError as error:
            return Missing(str(error))

    return part_or_reason


@dataclass(frozen=True)
class LoadTest:
    """The rows of a load test, and what can be made of them.

    Parameters
    ----------
    rows : DataFrame
        As `loadtests.readers.read` gives them; of several files their runs.
    load : str
        Column that tells the runs apart: how many users, clients or threads were at work.
    rate : str
        Column of what was delivered; "" where the file has none.
    level : float
        Coverage of the intervals.
    source : str
        Name of the file, or what several are called.
    path : str
        What was asked for: a file, a folder, a pattern.
    measured : DataFrame, optional
        What `loadtests.measured_runs` made of them; None where no file says how large the load was.
    settle_s : float
        Seconds of each run that are left out; 0: its steady part is sought.
    """

    rows: pd.DataFrame
    load: str
    rate: str
    level: float
    source: str
    path: str = ""
    measured: pd.DataFrame | None = None
    settle_s: float = 0.0

    @classmethod
    def from_files(cls, raw="", *, load="", rate="", settle_s=0.0, level=0.95):
        """Return the load test that a file or several hold.

        Parameters
        ----------
        raw : str
            Its path or URL, in any format that `loadtests.readers` knows; by default the file that comes with the
            package. A folder, a pattern or an archive with several files is read as many runs, each in a file.
        load, rate : str
            Columns of the load and of what was delivered; by default the users, and the first throughput in it.
        settle_s : float
            Seconds of each run that are left out; 0: its steady part is sought.
        level : float
            Coverage of the intervals.

        Raises
        ------
        BadTable
            When there is no such file, or it cannot be read.
        UnknownName
            When no reader recognises it, or a column that is named is not there.
        """
        check_level(level, "your_own_data, -p level")
        check_number("your_own_data, -p settle_s", settle_s, 0, np.inf, low_included=True)
        path = raw or readers.sample()
        try:
            several = os.path.isdir(path) or len(readers.files(path)) > 1
            how = {"x": load or None, "settle": settle_s or None, "level": level}
            if several:
                measured = loadtests.measured_runs(str(raw), **how)
                rows = measured[loadtests.usable_runs(measured)].rename(columns={"load": _LOAD})
                rows = rows.drop(columns=["samples"]).reset_index(drop=True)
                rows.attrs = dict(measured.attrs)
                name = f"{len(set(rows['file']))} files of {str(raw).rstrip('/').rpartition('/')[2]}"
                return cls(rows, _LOAD, "throughput_per_s", level, name, str(raw), measured, settle_s)
            rows = readers.read(path, responses=True)
        except OSError as error:
            found = (error.strerror or str(error)).lower()
            remedy = "Look at the path; one that does not begin with / counts from the folder of the command."
            raise BadTable(str(raw), expected="the file of a load test", found=found, remedy=remedy) from error
        for name in filter(None, (load, rate)):
            check_columns(rows, [name], str(raw) or "raw")
        there = [name for name in loadtests.THROUGHPUTS if name in rows and rows[name].notna().any()]
        named, load = load, load or _LOAD
        if load not in rows or not (pd.to_numeric(rows[load], errors="coerce") > 0).any():
            if named:
                where, remedy = f"{raw or 'raw'}, column {load}", "Name a column of loads, or leave load out."
                raise BadTable(where, expected="numbers above zero", found="none", remedy=remedy)
            load = _WHOLE
            rows = rows.assign(run="the whole file")
        is_curve = load != _WHOLE and there and rate in ("", there[0])  # some load delivered something
        is_curve = is_curve and ((pd.to_numeric(rows[load], errors="coerce") > 0) & (rows[there[0]] > 0)).any()
        measured = loadtests.measured_runs(path, **how) if is_curve else None
        name = str(path).rpartition("/")[2]
        return cls(rows, load, rate or next(iter(there), ""), level, name, str(path), measured, settle_s)

    @property
    def file(self):
        """The file's name, as `reports.save` takes what a table is computed from."""
        return Path(self.source)

    @property
    def runs(self):
        """The rows that have a load and a rate: a tool's first line may have neither."""
        measured = self.rows[self.rate].notna() if self.rate else pd.Series(True, index=self.rows.index)
        return self.rows[measured & (self.rows[self.load] > 0)] if self.has_loads else self.rows[measured]

    @property
    def has_loads(self):
        """Whether the file says how large the load was."""
        return self.load != _WHOLE

    @property
    def has_times(self):
        """Whether the rows are samples with times, rather than whole runs."""
        return _TIME in self.rows and bool(self.rows[_TIME].notna().any())

    @property
    def window(self):
        """How `loadtests.steady_state` is asked for the part of a run that is measured."""
        return {"method": "fixed", "settle_s": self.settle_s, "measure_s": np.inf} if self.settle_s else {}

    @property
    def load_label(self):
        """What the users of the test are called, as a column's label."""
        return tables.label(self.load, tables.user_of(self.rows))

    @property
    def unit(self):
        """What was delivered, in words."""
        unit = tables.units().get(self.rate, self.rate)
        if unit == "1/s":
            return f"{'requests' if self.rate.startswith('requests') else 'operations'} per second"
        return {"tps": "transactions per second", "tpm": "transactions per minute"}.get(unit, unit)

    def at(self, load):
        """Say a load: 16 clients, 1 client."""
        return f"{load:,.6g} {self.load_label.removesuffix('s') if load == 1 else self.load_label}"

    def about(self):
        """Say what of the file is not taken, and how the rest is read; None where there is nothing to say."""
        notes = []
        if not self.has_loads:
            notes.append(f"The file does not say how many {self.user_label()} there were, so it is taken as one run.")
        without = len(self.rows) - len(self.runs)
        if without and self.rate:
            lacking = f"without {'a load or ' if self.has_loads else ''}{tables.label(self.rate)}"
            notes.append(f"{without:,} of {len(self.rows):,} rows {lacking} are left out.")
        empty = "the file has no values of time" if self.has_times else ""  # of the day: the samples have seconds
        taken = [f"Note: {note}." for note in self.rows.attrs.get("notes", ()) if note != empty]
        return rendering.SafeMarkdown(" ".join([*notes, *taken])) if notes or taken else None

    def user_label(self):
        """Users, or clients: in the words of the tool."""
        return tables.label(_LOAD, tables.user_of(self.rows))

    def first_rows(self):
        """Return the first row of each run, as a table; of a single run the first five."""
        first = self.runs.groupby(self.load, sort=False).head(1) if self.has_loads else self.rows.head(5)
        clock = ["time"] if self.has_times and "time" in first and first["time"].isna().all() else []
        shown = first.drop(columns=[_WHOLE, RESPONSES, "reason", *clock], errors="ignore")
        return rendering.Table(shown, headings=tables.meanings())

    @part_or_missing
    def busiest(self):
        """Draw the run at the highest load, with its steady part."""
        self._check_rate()
        top = self.runs[self.load].max() if self.has_loads else _WHOLE
        several = "file" in self.rows
        if not several:
            run, source, timed = self.runs[self.runs[self.load] == top], self.source, self.has_times
        else:
            source = self.rows.loc[self.rows[self.load].idxmax(), "file"]
            path = next(path for path in readers.files(self.path) if path.endswith(source))
            run = readers.read(path)
            timed = _TIME in run and run[_TIME].notna().any()
        if not timed:
            remedy = "Keep the samples of a run as the load tool prints them, to look at its beginning."
            raise BadTable(source, expected="rows with times", found="whole runs, a row each", remedy=remedy)
        if not several:
            steady = loadtests.steady_state(run, on=self.rate, level=self.level, **self.window)
        else:
            steady = loadtests.steady_runs(run, level=self.level, **self.window).each[-1]
        words = f"The run at {self.at(top)}" if self.has_loads else "The run"
        return figures.picture(steady, subtitle=words, foot=f"Source: {source}. {figures.run_words(steady)['foot']}")

    @part_or_missing
    def means(self):
        """Return the mean of rate and response of each run, over its steady part where there are times.

        Of several files it is the mean of each load, repeats averaged.
        """
        self._check_rate()
        if self.measured is None:
            columns = [name for name in (self.rate, _RESPONSE, _P95) if name in self.rows]
            settings = {"by": self.load, "columns": columns, "level": self.level}
            if self.has_times:
                return loadtests.steady_means(self.runs, on=self.rate, **settings, **self.window)
            means = loadtests.roll_up(self.runs, **settings)
            means.insert(1, "from_s", np.nan)
            means.insert(2, "to_s", np.nan)
            whole = "a whole run: its beginning cannot be left out"
            return means.assign(reason=[f"{whole}; {reason}" if reason else whole for reason in means["reason"]])
        runs = self.measured[loadtests.usable_runs(self.measured)]
        loads, frames = loadtests.combined(self.measured), []
        _, free = loadtests.repeat_variance(runs)
        steady, count = loads["steady_runs"], loads["runs"]
        steady_words = [f"{k} of {n} runs steady" if k < n else "" for k, n in zip(steady, count, strict=True)]
        reasons = [reason or words for reason, words in zip(loads["reason"], steady_words, strict=True)]
        alone = runs.drop_duplicates("load", keep=False).set_index("load")  # loads run once: their seconds, samples
        known = alone.reindex(loads["load"])[["from_s", "to_s", "samples", "effective_samples"]].reset_index(drop=True)
        independent = known["effective_samples"].fillna(_LEAST_INDEPENDENT_SAMPLES)
        dof = free if free else np.maximum(independent - 1, 1)
        reach = special.stdtrit(dof, (1 + self.level) / 2)
        per_second = factor_to_per_second(self.rate)
        for metric, name, error in (
            (self.rate, "throughput_per_s", "throughput_std_error"),
            (_RESPONSE, "response_s", "response_std_error"),
            (_P95, _P95, "response_p95_std_error"),
        ):
            factor = per_second if metric == self.rate else 1.0
            mean, std_error = loads[name] / factor, loads[error] / factor
            part = pd.DataFrame({self.load: loads["load"], "from_s": known["from_s"], "to_s": known["to_s"]})
            part = part.assign(metric=metric, unit=tables.units()[metric], mean=mean, std_error=std_error)
            part = part.assign(low=mean - reach * std_error, high=mean + reach * std_error)
            part = part.assign(
                samples=known["samples"].fillna(count), effective_samples=free + 1.0 if free else independent
            )
            part = part.assign(reason=reasons)
            frames.append(part[mean.notna()])
        means = pd.concat(frames).sort_values(self.load, kind="stable", ignore_index=True)
        means.attrs[USER] = tables.user_of(self.rows)
        return means

    @property
    def shown(self):
        """The columns of `means` that a page has room for."""
        return [self.load, *_MEANS]

    def _check_rate(self):
        """Refuse to look for throughput where there is none."""
        if not self.rate or self.runs.empty:
            numbers = ", ".join(self.rows.select_dtypes("number").columns) or "none"
            remedy = f"Name a column of what was delivered: -p rate NAME. Numbers are in {numbers}."
            raise BadTable(
                self.source,
                expected="a throughput",
                found=f"no number in {self.rate}" if self.rate else "none",
                remedy=remedy,
            )

    def points(self, means):
        """Return the load and throughput of each run that has a mean, by load."""
        if isinstance(means, Missing) or not self.has_loads:
            return pd.DataFrame(columns=[self.load, self.rate, "std_error", "effective_samples"])
        points = means[means["metric"] == self.rate].rename(columns={"mean": self.rate}).dropna(subset=self.rate)
        if self.measured is not None:  # what `fit` takes the errors of these means to rest on
            _, dof = loadtests.repeat_variance(self.measured[loadtests.usable_runs(self.measured)])
            points["dof"] = dof
        return points.sort_values(self.load, kind="stable", ignore_index=True)

    @part_or_missing
    def curve(self, means, law):
        """Fit a law to the points; without intervals where the errors of the points refute it."""
        points = self.points(means)
        if len(points) < 2:
            remedy = "Test at several loads, each for long enough to settle."
            found = f"{len(points)} of {means[self.load].nunique()}"
            raise CannotFit(self.source, expected="several loads with a mean", found=found, remedy=remedy)
        curve = fitting.fit(law, points, x=self.load, y=self.rate, level=self.level)
        return replace(curve, interval="none") if self.refuted(means, curve) else curve

    def refuted(self, means, curve):
        """Whether the points' own errors refute the law of a curve."""
        nearest = self.nearest_curve(means, curve)
        return nearest is not None and bool(nearest.refuted)

    def nearest_curve(self, means, curve):
        """Return the curve of the same law that is nearest in the errors of the points, which test it.

        That need not be the curve itself, which was fitted with other weights. None where a point has no error.
        """
        points = self.points(means)
        if not (points["std_error"] > 0).all():
            return None
        settings = {"x": self.load, "y": self.rate, "y_err": "std_error", "level": self.level, "interval": "none"}
        return fitting.fit(curve.law, points, **settings)

    @part_or_missing
    def verdict(self, means, *, curve):
        """Say whether the law holds, as far as the errors of the points can tell; or why there is none."""
        if isinstance(curve, Missing):
            return curve
        points, nearest, law = self.points(means), self.nearest_curve(means, curve), _law(curve)
        _, p = strongest_test(nearest) if nearest else ("", math.nan)
        if math.isnan(p):
            why = "no more points than parameters" if nearest else "a point has no standard error"
            if nearest and (points.get("dof", pd.Series([math.nan])) == 0).all():
                why = "no load was run again, so nobody knows how much one run differs from the next"
            return rendering.SafeMarkdown(f"Whether {law} holds cannot be tested: {why}.")
        test = misfit_in_errors_of_points(nearest)
        missed = np.abs(curve.curve(points[self.load]) / points[self.rate] - 1).max()
        if nearest.refuted:
            error = (points["std_error"] / points[self.rate]).max()
            return rendering.SafeMarkdown(
                f"**{capitalized(law)} does not hold here.** Even its nearest curve misses the means by far more than "
                f"their errors allow: {test}. The curve drawn misses one by {rendering.percent(missed)}, where no "
                f"standard error is above {rendering.percent(error, 1)}. So it has no interval, and what it says "
                "beyond the points is not to be relied on."
            )
        return rendering.SafeMarkdown(
            f"The errors of the means do not refute {law}: {test}, and so much or more would come about "
            f"in {rendering.percent(p)} of cases if it held. The curve misses no mean by more than "
            f"{rendering.percent(missed, 1)}."
        )

    @part_or_missing
    def ahead(self, means, *, times=2.0):
        """Say what a multiple of the largest load would bring, by no single law; the errors of the means count."""
        points = self.points(means).astype({"std_error": float})
        have_errors = (np.isfinite(points["std_error"]) & (points["std_error"] > 0)).all()
        far = times * points[self.load].max()
        errors = "std_error" if have_errors else None
        forecast = fitting.forecast(points, far, x=self.load, y=self.rate, y_err=errors, level=self.level)
        return rendering.SafeMarkdown(forecast.headline())

    @part_or_missing
    def picture(self, means, *, curve=None):
        """Draw the points, and the curve where there is one."""
        points = self.points(means)
        if points.empty:
            raise CannotFit(self.source, expected="a mean at a load", found="none", remedy="The table has the reasons.")
        if not points[self.rate].max() > 0:
            raise CannotFit(self.source, expected="a throughput above zero", found="none", remedy="Look at its errors.")
        title, foot = self.peak(means), f"Source: {self.source}"
        steady = self.has_times if self.measured is None else self.measured["steady"].any()
        what = "Means over the steady parts" if steady else "Whole runs"
        log = "x" * spans_decade(points[self.load])
        if not curve:
            drawing = figures.points(points, self.load, self.rate, log=log)
            return figures.picture(drawing, title=title, subtitle=f"{what}; no law is fitted", foot=foot, alt=title)
        bare = ", which they refute: no interval" if self.refuted(means, curve) else ""
        words = {"subtitle": f"{what}; line: {_law(curve)}{bare}", "foot": foot}
        drawing = (lambda ax: figures.log_loads(figures.plot(curve, ax))) if log else curve
        return figures.picture(drawing, title=title, alt=f"{title}. {curve.headline()}", **words)

    @part_or_missing
    def responses(self, means):
        """Draw the mean response and its 95th percentile against the load."""
        names = {_RESPONSE: "mean", _P95: "95th percentile"}
        responses = means[means["metric"].isin(names)].dropna(subset="mean") if self.has_loads else means.head(0)
        responses = responses[responses["mean"] > 0]
        if responses.empty:
            remedy = "Keep the response times that the load tool prints."
            raise CannotFit(self.source, expected="response times at a load", found="none", remedy=remedy)
        frame = responses[[self.load, "mean"]].rename(columns={"mean": _RESPONSE})
        frame = frame.assign(kind=responses["metric"].map(names))
        frame = frame.sort_values(["kind", self.load], kind="stable", ignore_index=True)
        frame.attrs[USER] = tables.user_of(self.rows)
        log = "x" * spans_decade(frame[self.load]) + "y" * spans_decade(frame[_RESPONSE])
        one = frame[frame["kind"] == ("mean" if (frame["kind"] == "mean").any() else names[_P95])]
        what = "The mean response" if one["kind"].iloc[0] == "mean" else "The 95th percentile of the response"
        least, most = one.loc[one[self.load].idxmin()], one.loc[one[self.load].idxmax()]
        title = f"{what} is {_short_time(least[_RESPONSE])} at {self.at(least[self.load])}"
        title += f" and {_short_time(most[_RESPONSE])} at {self.at(most[self.load])}" if len(one) > 1 else ""
        drawing = figures.points(frame, self.load, _RESPONSE, group="kind", lines=True, log=log)
        return figures.picture(drawing, title=title, subtitle="Means of each load", foot=f"Source: {self.source}")

    @part_or_missing
    def nodes(self, rate_per_s, limit_s, *, response_p95_s=0.0, headroom=0.0, growth=0.0):
        """Plan nodes like the one tested for a rate of requests, within a mean response and a 95th percentile."""
        targets = {
            "response_s": limit_s or None,
            "response_p95_s": response_p95_s or None,
            "headroom": headroom,
            "growth": growth,
        }
        load = None if self.load in (_LOAD, _WHOLE) else self.load
        curve = loadtests.curve(self.path, x=load, settle=self.settle_s or None)
        if curve["response_s"].isna().all():
            targets["response_s"] = None
        plan = planning.node_count(curve, rate_per_s, **targets)
        plan.glance()
        return plan

    @part_or_missing
    def both(self, change):
        """Draw the curves of a comparison."""
        title = f"Over all loads: {change.verdict}"
        return figures.picture(change, title=title, subtitle="Before and after", foot=f"Source: {self.source}")

    @part_or_missing
    def against(self, before, fail_below):
        """Compare with earlier runs: what changed from them to these, as one decision over all loads."""
        if not before:
            remedy = "Name their file or folder: -p before FOLDER."
            raise BadTable("before", expected="earlier runs to compare with", found="none", remedy=remedy)
        settings = {"fail_below": fail_below or None, "settle": self.settle_s or None, "level": self.level}
        return loadtests.ab(before, self.path, **settings)

    @part_or_missing
    def parameters(self, means, curve):
        """Return the parameters of the law; of one that is refuted without errors, which would be those of another."""
        parameters = curve.tidy()
        if self.refuted(means, curve):
            why = "the points refute the law: no error can be told"
            parameters = parameters.assign(std_error=np.nan, low=np.nan, high=np.nan, reason=why)
        return parameters

    def peak(self, means):
        """Say at which load throughput is highest, or which loads are too close to decide."""
        points = self.points(means)
        if points.empty:
            return "No load has a mean"
        top = points.loc[points[self.rate].idxmax()]
        highest, most = f"{rendering.number(top[self.rate], 3)} {self.unit}", self.at(top[self.load])
        if len(points) == 1:
            return f"One load was measured: {highest} at {most}"
        # One-sided Welch tests, at Bonferroni's level for all; unknown errors leave it open.
        error = np.hypot(points["std_error"], top["std_error"])
        parts = points["std_error"] ** 4 / (points["effective_samples"] - 1).clip(lower=1)
        dof = error**4 / (parts + top["std_error"] ** 4 / max(top["effective_samples"] - 1, 1))
        reach = special.stdtrit(dof.fillna(1), 1 - (1 - self.level) / (len(points) - 1)) * error
        alike = points[~(top[self.rate] - points[self.rate] > reach)][self.load]
        if len(alike) == 1:
            return f"Of {len(points)} loads that of {most} delivers most: {highest}"
        if points["std_error"].isna().all():
            why = "without known errors nobody can say whether its neighbours differ"
            return f"Most was measured at {most}, {highest}; {why}"
        if len(alike) == 2:
            which = f"{alike.iloc[0]:,.6g} and {self.at(alike.iloc[1])}"
        else:
            which = f"{len(alike)} loads, {alike.min():,.6g} to {self.at(alike.max())}"
        return f"Throughput is highest at {which}, without a clear difference between them: up to {highest}"

    @part_or_missing
    def plan(self, means, limit_s, people, *, clients_per_person=0.0, ram_mb_per_user=0.0, disk_mb_per_user=0.0):
        """Plan servers like the one tested for people, at the highest load that answered within the limit.

        A person counts for as many clients as leave half of the server idle, if clients pause as people do; else for
        `clients_per_person`, and without it there is no plan.
        """
        for name, value in (("people", people), ("limit_s", limit_s)):
            if not value > 0:
                remedy = f"Give another: -p {name} NUMBER."
                raise CannotPlan(self.source, expected=f"{name} above zero", found=f"{value:g}", remedy=remedy)
        at = self._passed(means, limit_s)
        points = self.points(means).set_index(self.load)[self.rate]
        rate = points.get(at[self.load], 0.0) * factor_to_per_second(self.rate)
        think = at[self.load] / rate - at["mean"] if rate > 0 else np.nan
        if not clients_per_person and not (np.isfinite(think) and think > at["mean"]):
            pause = f"pause {max(think, 0.0):.2g} s between answers of {at['mean']:.2g} s"
            pause = pause if np.isfinite(think) else "got no answers to pause between"
            remedy = (
                "Clients without think time are concurrent requests, not people. Say how many of them a person counts "
                "for (-p clients_per_person NUMBER), or measure with the pauses that people make."
            )
            expected, found = f"{self.load_label} that pause as people do", f"{self.at(at[self.load])} that {pause}"
            raise CannotPlan(self.source, expected=expected, found=found, remedy=remedy)
        row = {"system": _SYSTEM, "workload": _WORKLOAD, "users": at[self.load]}
        tested = pd.DataFrame([row | {_RESPONSE: at["mean"], "think_s": think}])
        needs = {"ram_mb_per_user": ram_mb_per_user, "disk_mb_per_user": disk_mb_per_user, "workload": _WORKLOAD}
        group = {"name": "people", "users": people, "profile": "own", "multiplier": clients_per_person or None} | needs
        return planning.plan({"groups": [group], "system": _SYSTEM}, catalogue=tested)

    def _passed(self, means, limit_s):
        """The row of the highest load whose mean response was within the limit."""
        answered = means[means["metric"] == _RESPONSE].dropna(subset="mean") if self.has_loads else means.head(0)
        where = f"{self.source}, limit_s {limit_s:g}"
        if answered.empty:
            remedy = "A plan needs the response at each load; the parts above do without."
            raise CannotPlan(where, expected="loads with a mean response time", found="none", remedy=remedy)
        passed = answered[answered["mean"] <= limit_s]
        if passed.empty:
            quickest = answered.loc[answered["mean"].idxmin()]
            found = f"no less than {quickest['mean']:.3g} s, at {self.at(quickest[self.load])}"
            remedy = "Ask for a longer limit: -p limit_s SECONDS."
            raise CannotPlan(where, expected="a load that answered within it", found=found, remedy=remedy)
        return passed.loc[passed[self.load].idxmax()]

    def answer(self, means, curve, bought, people):
        """Say in a few sentences what the test shows, each part as far as it can be had."""
        if isinstance(means, Missing):
            return rendering.SafeMarkdown(f"**The file has no throughput to look at.** {means.reason}")
        sentences = [f"**{self.peak(means)}.**"]
        if not curve:
            sentences.append("No law goes through these points.")
        elif self.refuted(means, curve):
            sentences.append(f"{capitalized(_law(curve))} does not hold for them.")
        if not bought:
            return rendering.SafeMarkdown(
                " ".join([*sentences, f"The test does not show how many servers {people:,} people need."])
            )
        row, multiplier = bought.system, bought.request.groups[0].multiplier
        pause = f"who pause {row['think_s']:.2g} s between requests, as {self.load_label} of the test did"
        who = f"each counted for {self.at(multiplier)}" if multiplier else pause
        servers = f"{counted(bought.servers, 'server')} like the one tested"
        sentences.append(f"{people:,} people, {who}, need {servers}, which carried {self.at(row['users'])}.")
        return rendering.SafeMarkdown(" ".join(sentences))


def _law(curve):
    """The law of a curve within a sentence."""
    title = curve.law.title
    return title if title.partition(" ")[0].endswith("'s") else f"the {title[0].lower()}{title[1:]}"


def _short_time(value):
    """A time in seconds or milliseconds."""
    return f"{rendering.number(value, 3)} s" if value >= 1 else f"{rendering.number(1000 * value, 3)} ms"
