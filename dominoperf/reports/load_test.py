"""The file or files of a load test as their page shows them: each part is a result, or says why it cannot be had."""

import functools
import math
import os
from dataclasses import dataclass, replace
from pathlib import Path, PurePath

import numpy as np
import pandas as pd
from scipy import special

from dominoperf import figures, fitting, loadtests, planning, tables
from dominoperf.errors import (
    BadTable,
    CannotFit,
    DominoperfError,
    capitalized,
    check_level,
    check_number,
    joined_with,
)
from dominoperf.figures.load_tests import spans_decade
from dominoperf.fitting.comparison import law_within_sentence
from dominoperf.fitting.diagnostics import strongest_test
from dominoperf.fitting.summary import misfit_in_errors_of_points
from dominoperf.loadtests import readers
from dominoperf.loadtests.load_curve import law_of_curve
from dominoperf.loadtests.readers.recording import RESPONSES
from dominoperf.loadtests.run_settings import RunSettings
from dominoperf.loadtests.runs_from_files import runs_of_files
from dominoperf.loadtests.samples import has_times
from dominoperf.reports.saving import Missing
from dominoperf.tables import rendering
from dominoperf.tables.columns import USER, check_columns, factor_to_per_second
from dominoperf.tables.headings import THROUGHPUTS

_LOAD, _RESPONSE, _P95 = "users", "response_s", "response_p95_s"
_WHOLE, _WHOLE_FILE = "run", "the whole file"  # the column and the cell of a file that does not tell its load
_LEAST_INDEPENDENT_SAMPLES = 10  # independent samples that the error of a single run rests on, at least
_MEANS = ["from_s", "to_s", "metric", "mean", "low", "high", "reason"]


def part_or_missing(make):
    """Make a method give `Missing` with the reason where it raises an error of ours, or lacks what is missing."""

    @functools.wraps(make)
    def part_or_reason(self, *arguments, **named):
        lacking = [each for each in (self.measured, *arguments) if isinstance(each, Missing)]
        try:
            return Missing(lacking[0].reason, again=True) if lacking else make(self, *arguments, **named)
        except DominoperfError as error:
            return Missing(str(error))

    return part_or_reason


def part_of_loads(make):
    """Make a method a `part_or_missing` that is missing where the file does not say how large the load was."""

    @functools.wraps(make)
    def part_if_loads(self, *arguments, **named):
        if not self.has_loads:
            remedy = "Name the column of the load: -p load NAME; or the file by its load, as 16_users.csv."
            raise CannotFit(self.source, expected="a load", found="none in the file or its name", remedy=remedy)
        return make(self, *arguments, **named)

    return part_or_missing(part_if_loads)


@dataclass(frozen=True)
class LawOfTest:
    """A law through the points of a load test, and the test of it by their errors."""

    fit: fitting.Fit
    error_from: str  # what its errors are from, as `law_of_curve` has it
    nearest: fitting.Fit | None  # the curve nearest in the errors of the points; None where a point has none

    @property
    def refuted(self):
        """Whether the points' own errors refute the law: even the curve that is nearest in them is too far."""
        return self.nearest is not None and bool(self.nearest.refuted)

    @property
    def drawn(self):
        """The fit; without intervals where the law is refuted."""
        return replace(self.fit, interval="none") if self.refuted else self.fit

    @property
    def words(self):
        """The law within a sentence."""
        return law_within_sentence(self.fit.law.title)


@dataclass(frozen=True)
class LoadTest:
    """The rows of a load test, and what can be made of them."""

    rows: pd.DataFrame  # of a file as `loadtests.readers.read` gives them; of several files their runs
    measured: pd.DataFrame | Missing  # the rows of `loadtests.measured_runs`, or why there are none
    load: str  # column that tells the runs apart: how many users, clients or threads were at work
    rate: str  # column of what was delivered; "" where the file has none
    settings: RunSettings  # how the files became runs, with the coverage of the intervals
    source: str  # name of the file, or what several are called
    path: str = ""  # what was asked for: a file, a folder, a pattern

    @classmethod
    def from_files(cls, raw="", *, load="", rate="", settle_s=0.0, failed_share=0.0, level=0.95):
        """Return the load test that a file or several hold; the arguments are the parameters of the notebook.

        `raw` is a path or URL in any format that `loadtests.readers` knows; "": the file that comes with the package. A
        folder or a pattern with several files is read as many runs, each in a file. `load` and `rate` are columns,
        by default the users and the first throughput; 0 seconds to settle: the steady part is sought; a failed
        share of 0: the usual one of `loadtests.curve`.

        `BadTable` where there is no such file, or it cannot be read; `UnknownName` where no reader recognises it, or a
        column that is named is not there.
        """
        check_level(level, "your_own_data, -p level")
        check_number("your_own_data, -p settle_s", settle_s, 0, np.inf, low_included=True)
        path = str(raw or readers.sample())
        named = {"x": load or None, "rate": rate or None, "failed_share": failed_share or None}
        settings = RunSettings(settle=settle_s or None, level=level, **named)
        try:
            several = os.path.isdir(path) or len(readers.files(path)) > 1
            rows = None if several else readers.read(path)
            measured = runs_of_files(path, settings) if several else None
        except OSError as error:
            found = (error.strerror or str(error)).lower()
            remedy = "Look at the path; one that does not begin with / counts from the folder of the command."
            raise BadTable(str(raw), expected="the file of a load test", found=found, remedy=remedy) from error
        if several:
            rows = measured[loadtests.usable_runs(measured)].drop(columns=["samples"]).reset_index(drop=True)
            rows = rows.rename(columns={"load": _LOAD})
            name = f"{rows['file'].nunique()} files of {PurePath(path).name}"
            return cls(rows, measured, _LOAD, rate or "throughput_per_s", settings, name, path)
        check_columns(rows, filter(None, (load, rate)), str(raw) or "raw")
        named, load, name = load, load or _LOAD, PurePath(path).name
        loads = pd.to_numeric(rows[load], errors="coerce") if load in rows else pd.Series(np.nan, rows.index)
        if named and not (loads > 0).any():
            where, remedy = f"{raw or 'raw'}, column {load}", "Name a column of loads, or leave load out."
            raise BadTable(where, expected="numbers above zero", found="none", remedy=remedy)
        if not (loads > 0).any():
            try:
                loads = settings.load_named_by_file(name, rows.drop(columns=load, errors="ignore"))
                if loads is None:  # the rows tell it in another column: threads
                    load = settings.load_column(rows)
                    loads = pd.to_numeric(rows[load], errors="coerce")
            except BadTable:
                load, loads = _WHOLE, _WHOLE_FILE
                one_run = pd.DataFrame({"file": [name], "load": [1.0]})
                settings = replace(settings, x=None, manifest=one_run)
        rows = rows.assign(**{load: loads})
        there = [each for each in THROUGHPUTS if each in rows and rows[each].notna().any()]
        rate = rate or next(iter(there), "")
        try:
            if not rate:
                numbers = ", ".join(rows.select_dtypes("number").columns) or "none"
                remedy = f"Name a column of what was delivered: -p rate NAME. Numbers are in {numbers}."
                raise BadTable(name, expected="a throughput", found="none", remedy=remedy)
            measured = runs_of_files(path, settings)
        except DominoperfError as error:
            measured = Missing(str(error))
        return cls(rows, measured, load, rate, settings, name, path)

    @property
    def file(self):
        """The file's name, as `reports.save` takes what a table is computed from."""
        return Path(self.source)

    @property
    def has_loads(self):
        """Whether the file says how large the load was."""
        return self.load != _WHOLE

    @property
    def taken(self):
        """The rows that have a load and a rate: a tool's first line may have neither."""
        taken = pd.Series(True, index=self.rows.index)
        if self.has_loads:
            taken &= self.rows[self.load] > 0
        if self.rate in self.rows:
            taken &= self.rows[self.rate].notna()
        return self.rows[taken]

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
            users = tables.label(_LOAD, tables.user_of(self.rows))  # or clients: in the words of the tool
            notes.append(f"The file does not say how many {users} there were, so it is taken as one run.")
        without = len(self.rows) - len(self.taken)
        if without and self.rate:
            lacking = f"without {'a load or ' if self.has_loads else ''}{tables.label(self.rate)}"
            notes.append(f"{without:,} of {len(self.rows):,} rows {lacking} are left out.")
        read = self.rows if isinstance(self.measured, Missing) else self.measured
        notes += [f"Note: {note}.".replace("`", "") for note in read.attrs["notes"]]
        return rendering.SafeMarkdown(" ".join(notes)) if notes else None

    def first_rows(self):
        """Return the first row of each run, as a table; of a single run the first five."""
        first = self.taken.groupby(self.load, sort=False).head(1) if self.has_loads else self.rows.head(5)
        clock = ["time"] if "time_s" in first and "time" in first and first["time"].isna().all() else []
        shown = first.drop(columns=[_WHOLE, RESPONSES, "reason", *clock], errors="ignore")
        return rendering.Table(shown)

    def points(self):
        """Return the mean rate and response of each load, as `loadtests.curve` has them, in the words of the file."""
        if isinstance(self.measured, Missing):
            return self.measured
        runs, curve = self.measured[loadtests.usable_runs(self.measured)], loadtests.curve_of_runs(self.measured)
        alone = runs.drop_duplicates("load", keep=False).set_index("load")  # loads run once: their seconds, samples
        known = alone.reindex(curve["load"])[["from_s", "to_s", "samples", "effective_samples"]].reset_index(drop=True)
        points = curve.drop(columns=["throughput_per_s", "throughput_std_error", "throughput_dof"]).join(known)
        points[self.rate] = curve["throughput_per_s"] / factor_to_per_second(self.rate)
        points["std_error"] = curve["throughput_std_error"] / factor_to_per_second(self.rate)
        points["dof"] = curve["throughput_dof"]  # what `fit` takes these errors to rest on
        points["samples"] = points["samples"].fillna(points["runs"])
        points["effective_samples"] = points["effective_samples"].fillna(_LEAST_INDEPENDENT_SAMPLES)
        points.loc[points["dof"] > 0, "effective_samples"] = points["dof"] + 1.0
        points = points.rename(columns={"load": self.load})
        return points if self.has_loads else points.assign(**{self.load: _WHOLE_FILE})

    def means(self, points):
        """Return the points as a table of a row for each load and measure, with the interval of each mean."""
        if isinstance(points, Missing):
            return points
        reach = special.stdtrit(np.maximum(points["effective_samples"] - 1, 1), (1 + self.settings.level) / 2)
        steady = zip(points["reason"], points["steady_runs"], points["runs"], strict=True)
        reasons = [reason or (f"{k} of {n} runs steady" if k < n else "") for reason, k, n in steady]
        errors = {self.rate: "std_error", _RESPONSE: "response_std_error", _P95: "response_p95_std_error"}
        frames = []
        for metric, error in errors.items():
            mean, std_error = points[metric], points[error]
            part = points[[self.load, "from_s", "to_s"]].assign(metric=metric, unit=tables.units().get(metric, ""))
            low, high = mean - reach * std_error, mean + reach * std_error
            part = part.assign(mean=mean, std_error=std_error, low=low, high=high)
            frames.append(part.join(points[["samples", "effective_samples"]]).assign(reason=reasons)[mean.notna()])
        means = pd.concat(frames).sort_values(self.load, kind="stable", ignore_index=True)
        means.attrs[USER] = tables.user_of(self.rows)
        return means

    @part_or_missing
    def busiest(self):
        """Draw the run at the highest load, with its steady part."""
        runs = self.measured[loadtests.usable_runs(self.measured)]
        top, source, samples = runs["load"].max(), self.source, self.rows
        if "in_curve" in self.rows:  # the rows are runs of several files
            source = runs.loc[runs["load"].idxmax(), "file"]
            samples = readers.read(next(path for path in readers.files(self.path) if path.endswith(source)))
        elif self.has_loads:
            top = self.taken[self.load].max()
            samples = self.taken[self.taken[self.load] == top]
        if not has_times(samples):
            remedy = "Keep the samples of a run as the load tool prints them, to look at its beginning."
            raise BadTable(source, expected="rows with times", found="whole runs, a row each", remedy=remedy)
        settle_s = self.settings.settle
        window = {"method": "fixed", "settle_s": settle_s, "measure_s": np.inf} if settle_s else {}
        on = self.rate if self.rate in samples else None
        steady = loadtests.steady_runs(samples, on=on, level=self.settings.level, **window).each[-1]
        words = f"The run at {self.at(top)}" if self.has_loads else "The run"
        return figures.picture(steady, subtitle=words, foot=f"Source: {source}. {figures.run_words(steady)['foot']}")

    @property
    def shown(self):
        """The columns of `means` that a page has room for."""
        return [self.load, *_MEANS]

    @part_of_loads
    def curve(self, points, law):
        """Fit a law to the points, and test it by their errors."""
        if len(points) < 2:
            remedy = "Test at several loads, each for long enough to settle."
            raise CannotFit(self.source, expected="several loads with a mean", found="one", remedy=remedy)
        columns = {"x": self.load, "y": self.rate, "y_err": "std_error", "level": self.settings.level}
        fit, error_from = law_of_curve(law, points, **columns)
        known = (points["std_error"] > 0).all()
        return LawOfTest(fit, error_from, fitting.fit(law, points, **columns, interval="none") if known else None)

    @part_or_missing
    def verdict(self, points, *, curve):
        """Say whether the law holds, as far as the errors of the points can tell; or why there is none."""
        if isinstance(curve, Missing):
            return curve
        nearest, law = curve.nearest, curve.words
        _, p = strongest_test(nearest) if nearest else ("", math.nan)
        if math.isnan(p):
            why = "no more points than parameters" if nearest else "a point has no standard error"
            if nearest and (points["dof"] == 0).all():
                why = "no load was run again, so nobody knows how much one run differs from the next"
            return rendering.SafeMarkdown(f"Whether {law} holds cannot be tested: {why}.")
        test = misfit_in_errors_of_points(nearest)
        missed = np.abs(curve.fit.curve(points[self.load]) / points[self.rate] - 1).max()
        if curve.refuted:
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

    @part_of_loads
    def ahead(self, points):
        """Say what twice the largest load would bring, by no single law; the errors of the means count."""
        have_errors = (np.isfinite(points["std_error"]) & (points["std_error"] > 0)).all()
        far = 2 * points[self.load].max()
        errors = "std_error" if have_errors else None
        forecast = fitting.forecast(points, far, x=self.load, y=self.rate, y_err=errors, level=self.settings.level)
        return rendering.SafeMarkdown(forecast.headline())

    @part_of_loads
    def picture(self, points, *, curve=None):
        """Draw the points, and the curve where there is one."""
        title, foot = self.peak(points), f"Source: {self.source}"
        what = "Means over the steady parts" if points["steady_runs"].any() else "Whole runs"
        log = "x" * spans_decade(points[self.load])
        if not curve:
            drawing = figures.points(points, self.load, self.rate, log=log)
            return figures.picture(drawing, title=title, subtitle=f"{what}; no law is fitted", foot=foot, alt=title)
        bare = ", which they refute: no interval" if curve.refuted else ""
        words = {"subtitle": f"{what}; line: {curve.words}{bare}", "foot": foot}
        return figures.picture(curve.drawn, log=log, title=title, alt=f"{title}. {curve.drawn.headline()}", **words)

    @part_of_loads
    def responses(self, points):
        """Draw the mean response and its 95th percentile against the load."""
        kinds = {_RESPONSE: "mean", _P95: "95th percentile"}
        frame = points.melt(self.load, list(kinds), "kind", "response").replace({"kind": kinds})
        frame = frame[frame["response"] > 0].rename(columns={"response": _RESPONSE})
        if frame.empty:
            remedy = "Keep the response times that the load tool prints."
            raise CannotFit(self.source, expected="response times at a load", found="none", remedy=remedy)
        frame = frame.sort_values(["kind", self.load], kind="stable", ignore_index=True)
        frame.attrs[USER] = tables.user_of(self.rows)
        log = "x" * spans_decade(frame[self.load]) + "y" * spans_decade(frame[_RESPONSE])
        one = frame[frame["kind"] == ("mean" if (frame["kind"] == "mean").any() else kinds[_P95])]
        what = "The mean response" if one["kind"].iloc[0] == "mean" else "The 95th percentile of the response"
        least, most = one.loc[one[self.load].idxmin()], one.loc[one[self.load].idxmax()]
        title = f"{what} is {_short_time(least[_RESPONSE])} at {self.at(least[self.load])}"
        title += f" and {_short_time(most[_RESPONSE])} at {self.at(most[self.load])}" if len(one) > 1 else ""
        look = {"group": "kind", "lines": True, "log": log}
        if frame[_RESPONSE].max() < 1:
            frame = frame.assign(response_ms=1000 * frame[_RESPONSE])
            drawing = figures.points(frame, self.load, "response_ms", unit="response time (ms)", **look)
        else:
            drawing = figures.points(frame, self.load, _RESPONSE, **look)
        return figures.picture(drawing, title=title, subtitle="Means of each load", foot=f"Source: {self.source}")

    @part_of_loads
    def nodes(self, rate_per_s, limit_s, *, response_p95_s=0.0, headroom=0.0):
        """Plan nodes like the one tested for a rate of requests, within a mean response and a 95th percentile.

        Without a rate it is what one node carries.
        """
        targets = {"response_s": limit_s or None, "response_p95_s": response_p95_s or None}
        targets["failed_share"] = self.settings.failed_share
        targets |= {"headroom": headroom} if rate_per_s else {}
        curve = loadtests.curve_of_runs(self.measured)
        curve.attrs.pop("notes")  # `about` has them
        if curve["response_s"].isna().all():
            targets["response_s"] = None
        plan = planning.node_count(curve, rate_per_s or None, **targets)
        plan.glance()
        return plan

    @part_or_missing
    def both(self, change):
        """Draw the curves of a comparison."""
        title = f"Over all loads: {change.verdict}"
        return figures.picture(change, title=title, subtitle="Before and after", foot=f"Source: {self.source}")

    @part_of_loads
    def against(self, before, fail_below):
        """Compare with earlier runs: what changed from them to these, as one decision over all loads."""
        if not before:
            remedy = "Name their file or folder: -p before FOLDER."
            raise BadTable("before", expected="earlier runs to compare with", found="none", remedy=remedy)
        earlier = runs_of_files(before, self.settings)
        return loadtests.ab(earlier, self.measured, fail_below=fail_below or None, level=self.settings.level)

    @part_or_missing
    def parameters(self, curve):
        """Return the parameters of the law, and what their errors are from; none of a law that is refuted."""
        parameters = curve.drawn.tidy()
        parameters.insert(parameters.columns.get_loc("at_bound"), "error_from", curve.error_from)
        if curve.refuted:
            why = "the points refute the law: no error can be told"
            parameters = parameters.assign(std_error=np.nan, low=np.nan, high=np.nan, error_from="", reason=why)
        return parameters

    def peak(self, points):
        """Say at which load throughput is highest, and which others are within two standard errors of it."""
        top = points.loc[points[self.rate].idxmax()]
        highest = f"{rendering.number(top[self.rate], 3)} {self.unit}"
        if not self.has_loads:
            return f"The file tells no load: its run delivered {highest}"
        if len(points) == 1:
            return f"One load was measured: {highest} at {self.at(top[self.load])}"
        said = f"Throughput is highest at {self.at(top[self.load])}: {highest}"
        if points["std_error"].isna().any():
            return f"{said}; without known errors nobody can say whether its neighbours differ"
        near = top[self.rate] - points[self.rate] <= 2 * np.hypot(points["std_error"], top["std_error"])
        alike = [f"{load:,.6g}" for load in points[near].drop(index=top.name)[self.load]]
        return f"{said}; at {joined_with('and', alike)} it is within two standard errors of that" if alike else said

    def answer(self, points, curve):
        """Say in a few sentences what the test shows, each part as far as it can be had."""
        if isinstance(points, Missing):
            return rendering.SafeMarkdown(f"**The file gives no curve to look at.** {points.reason}")
        law = "" if curve else " No law goes through these points."
        law = f" {capitalized(curve.words)} does not hold for them." if curve and curve.refuted else law
        return rendering.SafeMarkdown(f"**{self.peak(points)}.**{law}")


def _short_time(value):
    """A time in seconds or milliseconds."""
    return f"{rendering.number(value, 3)} s" if value >= 1 else f"{rendering.number(1000 * value, 3)} ms"
