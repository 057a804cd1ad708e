"""Change points of a history of builds: where the throughput went to another level, and how surely.

Each build is a folder of runs, or the rows of one table that name it. A value is the mean over the loads of ln
throughput minus the mean of that load over all builds; builds with k runs of each load have k values. The energy
statistic of a stretch of builds with m values x against all others, n values y, is
``m n / (m + n) (2 mean|x - y| - mean|x - x'| - mean|y - y'|)`` (E-divisive; Matteson
and James, JASA 109 2014). The largest one over all stretches, those in the middle too, is compared with those of the
values in random order; where fewer than 0.8 of ``1 - level`` of these are as large, each end of the stretch is tested
in the same way against its neighbours, and the parts are looked at again. Apache Otava, which has such a method, needs
more than 40 packages, and ruptures gives no confidence; so it is written out here.

No order of so few shows that the newest build, or two or three, are at another level. So these are compared with the
builds of the last level by Student's t of the means of builds, with Bonferroni's correction for the three, at 0.2 of
``1 - level``.
"""

import itertools
import math
import os
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy import special, stats

from dominoperf.errors import BadTable, capitalized, check_level, check_number, check_seed, names_its_keywords, spelling
from dominoperf.loadtests.build_comparison import (
    ROUNDING,
    are_commits,
    are_numbered_builds,
    builds_of_table,
    order_of_build_name,
    runs_of_build,
)
from dominoperf.loadtests.run_settings import RunSettings
from dominoperf.loadtests.runs_from_files import runs_of_files, runs_with_failed_loads
from dominoperf.tables import columns
from dominoperf.tables.folders import path_of_argument
from dominoperf.tables.rendering import Result, p_in_words, percent
from dominoperf.tables.rows_of_one_curve import checked_failed_share

_ASSUMED = (
    "p assumes that the sessions of equal builds differ no more than the runs of one session: where they do, for a "
    "reboot or another day, far too many changes are found; to see it, run one build in several sessions"
)
_OF_NEWEST = "the newest builds are compared with those before by how those differ from each other (Student's t)"
_LOOKS_AT = "throughput and failures alone are looked at, not the response: compare two builds for that"
_ORDERS = 399  # random orders: the least p is 0.0025
_OF_T = 0.2  # of ``1 - level`` for that test, which needs little; the rest is for the orders
_NEWEST = (1, 2, 3)  # so many builds at the end are compared by Student's t
_LEAST_BEFORE = 3  # with so many builds, or more


@dataclass(frozen=True, eq=False)
class History(Result):
    """The builds of a project and where their throughput changed. `tidy` and `glance` give plain frames."""

    builds: pd.DataFrame  # a row each
    fails_from: str | None  # the build from which on more requests failed than may, and not before
    notes: tuple  # what the answer rests on, and what it does not look at
    fail_below: float | None
    level: float

    def tidy(self) -> pd.DataFrame:
        """Return a row for each build: its throughput and that of its level to the mean of the first level, and p.

        change_ratio is the level divided by the one before, at its first build, and 1 elsewhere; failed_share is that
        of the requests at the load of all builds at which most failed.
        """
        return self.builds.copy()

    def glance(self) -> pd.DataFrame:
        """Return one row: the last change, or changes to the same side as one, and whether they are too much."""
        last = self._last_changes
        row = {"build": last["build"].iloc[0] if len(last) else "", "change_ratio": last["change_ratio"].prod()}
        row |= {"p": last["p"].max(), "failed": self.failed, "fails_from": self.fails_from or ""}
        row |= {"fail_below": math.nan if self.fail_below is None else self.fail_below}
        row |= {"runs": self.builds["runs"].sum(), "level": self.level, "reason": "; ".join(self.notes)}
        return pd.DataFrame([row])

    @property
    def _last_changes(self):
        """The rows of the last change and of those before it to the same side: a slow decline is one loss."""
        changed = self.builds[self.builds["p"].notna()]
        other_side = (changed["change_ratio"] < 1) != (changed["change_ratio"].iloc[-1:] < 1).any()
        return changed[~other_side[::-1].cummax()[::-1]]

    @property
    def failed(self) -> bool:
        """Whether the throughput has fallen by more than `fail_below`, or more requests fail, if that was given."""
        return self.fail_below is not None and (self.fails_from is not None or self._falls_too_far)

    @property
    def _falls_too_far(self):
        return bool(self._last_changes["change_ratio"].prod() < (1 - (self.fail_below or 0.0)) * (1 - ROUNDING))

    def headline(self) -> str:
        """Return the last change of the throughput, by how much and since which build, and whether it fails."""
        last, told = self._last_changes, []
        if len(last):
            ratio, first = last["change_ratio"].prod(), last["build"].iloc[0]
            by = f"{percent(abs(ratio - 1), 1)} {'lower' if ratio < 1 else 'higher'}"
            steps = f", in {len(last)} changes, the last one at {last['build'].iloc[-1]}" if len(last) > 1 else ""
            told = [f"From build {first} on the throughput is {by}{steps} ({p_in_words(last['p'].max())})."]
        limit = f"{100 * (self.fail_below or 0.0):.3g} %"
        failed = [f"from build {self.fails_from} on more requests fail than before"] * (self.fails_from is not None)
        failed += [f"the throughput is more than {limit} lower"] * (self.fail_below is not None and self._falls_too_far)
        told += [f"It fails: {'; '.join(failed)}."] * self.failed
        return " ".join(told + [f"{capitalized(note)}." for note in self.notes])


@names_its_keywords("dominoperf.loadtests.run_settings:RunSettings")
def change_points(
    folder: str | os.PathLike | pd.DataFrame | dict[Any, pd.DataFrame],
    *,
    by: str | None = None,
    fail_below: float | None = None,
    failed_share: float | None = None,
    level: float = 0.95,
    seed: int = 0,
    **settings: Any,
) -> History:
    """Return the history of a project's builds with the points at which its throughput changed.

    Parameters
    ----------
    folder : str, Path, DataFrame or dict of DataFrame
        A folder with a folder of runs for each build, in the order of the numbers that their names begin with, behind
        the same letters (2 comes before 10, 2.0-rc1 before 2.0); of other names, as of commits and dates by their day,
        in the order of the clocks of their files where all have one and none were run in turn. Or, with `by`, one
        table with a row per run; or frames of `measured_runs` by the name of the build, in order.
    by : str, optional
        The column of one table that names the build of each run; builds are in the order of the numbers that their
        names begin with, else of the table's column of times, else of the rows.
    fail_below : float, optional
        The loss of throughput that is too much, as a share. The last change counts, with those before it to the same
        side: losses of 3 % in four builds are one of 11 %.
    failed_share : float, optional
        Share of the requests above which a load did not pass; by default 0.01, as `curve` has it.
    level : float
        A change is reported if fewer than four fifths of ``1 - level`` of the random orders show one as large, or if p
        of the newest builds is below a fifth of it, so that of equal histories ``1 - level`` at most report one, where
        builds differ by their runs alone.
    seed : int
        Of the random orders.
    **settings
        Others as for `curve`.

    Returns
    -------
    History
        Its `notes` say from which build on more requests failed, that no change is found, or that these runs are too
        few to show any, and what p assumes.

    Raises
    ------
    BadTable
        When there are fewer than two builds, or names of commits tell no order and neither do clocks; when a table is
        given without `by`, or `by` without one.

    Notes
    -----
    Of simulated histories of 25 or 60 equal builds, 80 of each kind, 0 to 4 % were called changed at the level 0.95:
    with one or two runs of a build, also where the loads of a run share half of its noise. Where one of ten builds is
    far off, with a standard deviation of 10 % where runs differ by 1 %, they were 10 to 13 %, most of them for the
    newest build. Where the runs of a build share as much as they differ by, they were 30 to 34 %.

    Examples
    --------
    >>> rows = {"load": [1, 2] * 3, "throughput_per_s": [100, 190, 101, 189, 99, 191]}
    >>> runs = pd.DataFrame(rows)
    >>> slower = runs.assign(throughput_per_s=0.9 * runs["throughput_per_s"])
    >>> found = change_points({"a": runs, "b": runs, "c": slower, "d": slower}, fail_below=0.05)
    >>> found.failed, found.tidy()[["build", "change_ratio", "p"]].round(3).to_numpy().tolist()
    (True, [['a', 1.0, nan], ['b', 1.0, nan], ['c', 0.9, 0.008], ['d', 1.0, nan]])
    """
    check_level(level, "change_points")
    check_seed("change_points", seed, BadTable)
    if fail_below is not None:
        check_number(spelling("change_points(fail_below=...)", "--fail-below"), fail_below, 0, 1)
    share = checked_failed_share(failed_share, "change_points")
    of_files = RunSettings(failed_share=1, **settings)
    place, told = spelling("change_points(folder)", "--history"), []
    of_table = f"one table with the column of the builds ({spelling('by=...', '--by')})"
    remedy = f"Give a folder with a folder of runs for each build, or {of_table}."
    if by is not None:
        names, order = builds_of_table(folder, by, of_files.where)
        by_number = sorted(names, key=order_of_build_name)
        if names != by_number and are_numbered_builds(names):
            names, order = by_number, f"the numbers in their names, not of {order}"
        told = [f"builds are in the order of {order}, from {names[0]} to {names[-1]}"] * (len(names) > 1)
        rows = [settings | {"where": [*of_files.where, (by, name)]} for name in names]
        measured = {
            name: runs_of_build(f"{by} {name}", folder, RunSettings(failed_share=1, **of_build), share)
            for name, of_build in zip(names, rows, strict=True)
        }
    elif isinstance(folder, dict):
        measured = folder
        for runs in measured.values():
            columns.check_columns(runs, ["load", "throughput_per_s"], "change_points")
    else:
        path = path_of_argument(folder, place, "a folder, or frames of runs by build")
        if not path.is_dir():
            found = "a file" if path.exists() else "none of this name"
            raise BadTable(str(folder), expected="a folder", found=found, remedy=remedy)
        names = [build.name for build in path.iterdir() if build.is_dir() and not build.name.startswith(".")]
        names.sort(key=order_of_build_name)
        measured = {name: runs_of_files(path / name, of_files) for name in names}
        measured, told = _builds_in_order(measured, str(folder))
    builds = {str(name): runs_with_failed_loads(runs) for name, runs in measured.items()}
    if len(builds) < 2:
        raise BadTable(place, expected="two builds or more", found=str(len(builds)), remedy=remedy)
    values, limit, of_newest = _build_values(builds), (1 - _OF_T) * (1 - level), _OF_T * (1 - level)
    splits = sorted(_split_stretch(values, 0, len(values), limit, np.random.default_rng(seed)))
    last_level = splits[-1][0] if splits else 0
    newest, p = _change_of_newest_builds([build.mean() for build in values[last_level:]])
    told += [_ASSUMED] * bool(splits) + [_OF_NEWEST] * (p < of_newest)
    if p < of_newest:
        splits.append((len(values) - newest, p))
    starts = [0, *(at for at, _ in splits), len(values)]
    means = [np.concatenate(values[a:b]).mean() for a, b in itertools.pairwise(starts)]
    levels = np.repeat(means, np.diff(starts))
    frame = pd.DataFrame({"build": [*builds], "runs": [len(runs) for runs in builds.values()]})
    frame["loads"] = [runs["load"].nunique() for runs in builds.values()]
    frame["ratio"] = np.exp([of_build.mean() - levels[0] for of_build in values])
    frame["level_ratio"] = np.exp(levels - levels[0])
    frame["change_ratio"] = np.exp(np.diff(levels, prepend=levels[0]))
    frame["p"] = frame.index.map(dict(splits)).astype(float)
    worst = _worst_loads(builds)
    frame["failed_share"] = worst["failed_share"]
    reasons = {"p": "no change", "failed_share": "failures unknown"}
    frame["reason"] = ["; ".join(reasons[name] for name in reasons if row[name] != row[name])
                       for _, row in frame.iterrows()]  # fmt: skip
    fails_from, failures = _failures_of_history_in_words(frame, worst["load"], share)
    unchanged = [] if splits else [_why_no_change(values, level, limit, np.random.default_rng(seed))]
    return History(frame, fails_from, (*failures, *unchanged, *told, _LOOKS_AT), fail_below, level)


def _builds_in_order(measured, folder):
    """The builds by the clocks of their files where all have one, else by their names; a note where these disagree.

    Names that number the builds have the order, though an old build may be run late. Of builds that were run in turn
    the clocks tell no order, of commits of git the names do not.
    """
    clocks = {name: [*runs.attrs["clocks"].values()] for name, runs in measured.items() if runs.attrs["clocks"]}
    spans = {name: (min(times)[0], max(last for _, last in times)) for name, times in clocks.items()}
    commits = are_commits(measured)
    if len(spans) < len(measured):
        if not commits:
            return measured, []
        remedy = "Number the folders, as 001-5a1d538e, 002-16a7aaa0."
        raise BadTable(folder, expected="names or clocks that tell the order of the builds",
                       found="names of commits, and files without a clock", remedy=remedy)  # fmt: skip
    by_clock = {name: measured[name] for name in sorted(measured, key=spans.get)}
    if commits or [*by_clock] == [*measured]:
        return by_clock, []
    later, earlier = next(pair for pair in itertools.pairwise(measured) if spans[pair[0]] > spans[pair[1]])
    told = f"by the clocks of their files {later} was run after {earlier}, by their names before it"
    if are_numbered_builds(measured):
        return measured, [f"{told}: the order is that of the numbers in their names"]
    if any(spans[one][1] > spans[other][0] for one, other in itertools.pairwise(by_clock)):
        return measured, [f"{told}: the order is that of the names, as builds were run in turn"]
    return by_clock, [f"{told}: the order is that of the clocks"]


def _worst_loads(builds):
    """The row of each build at which most requests failed, of the loads that all have; its share is NaN if untold."""
    loads = set.intersection(*(set(runs["load"]) for runs in builds.values()))
    told = [runs.reindex(columns=["load", "failed_share"]).astype(float) for runs in builds.values()]
    told = [
        each[each["load"].isin(loads)].sort_values("failed_share", na_position="first", kind="stable") for each in told
    ]
    return pd.concat([each.tail(1) for each in told], ignore_index=True)


def _failures_of_history_in_words(frame, loads, limit):
    """The build from which on more requests fail, or None, and a list of one note on it, or of none."""
    failing = (frame["failed_share"] > limit).tolist()
    if not any(failing):
        return None, []
    first = len(failing) - failing[::-1].index(False) if False in failing else 0
    if not 0 < first < len(failing):
        names = ", ".join(name for name, fails in zip(frame["build"], failing, strict=True) if fails)
        return None, [f"more than {100 * limit:.4g} % of the requests fail at a load in {names}"]
    build, share, before = frame["build"][first], frame["failed_share"][first], frame["failed_share"][first - 1]
    was = "of an unknown share" if math.isnan(before) else f"{100 * before:.3g} %"
    told = f"{100 * share:.3g} % at load {loads[first]:g}, in the build before {was}"
    return build, [f"from build {build} on more requests fail: {told}"]


def _why_no_change(values, level, limit, random):
    """Whether a change without any scatter, in the middle of as many runs, would have been found."""
    clear = np.concatenate([np.full(len(build), k >= len(values) // 2, float) for k, build in enumerate(values)])
    least = _permutation_p_of_change(clear, np.cumsum([0, *map(len, values)]), random)
    if least < limit:
        p = stats.f_oneway(*values).pvalue if min(map(len, values)) > 1 else math.nan
        apart = f", though builds differ by more than their runs (F test, {p_in_words(p)}): their sessions differ, or "
        apart += "they are in another order"
        return f"no change is found at the level {100 * level:g} %{apart * bool(p < limit)}"
    but = "but one of the newest builds" if len(values) > _LEAST_BEFORE else "however large"
    remedy = "run every load of each build several times, or compare two builds"
    return f"so few runs can show no change at the level {100 * level:g} %, {but}: {remedy}"


def _build_values(builds):
    """The values of each build: ln throughput, less the mean of its load, averaged over the loads that all have."""
    loads = sorted(set.intersection(*(set(runs["load"]) for runs in builds.values())))
    if not loads:
        remedy = "Run at least one load in every build."
        raise BadTable("the builds", expected="a load that all have", found="none", remedy=remedy)
    grids = []
    for runs in builds.values():
        logs = [np.log(runs.loc[runs["load"] == load, "throughput_per_s"].to_numpy()) for load in loads]
        fewest = min(map(len, logs))
        grids.append(np.array([repeats[:fewest] for repeats in logs]))
    centre = np.mean([grid.mean(axis=1) for grid in grids], axis=0)
    return [(grid - centre[:, None]).mean(axis=0) for grid in grids]


def _split_stretch(values, first, last, limit, random):
    """Yield the builds at which the values of a stretch change, each with its p."""
    part = values[first:last]
    if len(part) < 2:
        return
    ends = np.cumsum([0, *(len(build) for build in part)])
    flat = np.concatenate(part)
    p_of_stretch = _permutation_p_of_change(flat, ends, random)
    if p_of_stretch >= limit:
        return
    energies = _energy_statistics(flat, ends)
    arc = np.unravel_index(np.nanargmax(energies), energies.shape)
    edges = [int(edge) for edge in arc if 0 < edge < len(part)]
    bounds, sure = [0, *edges, len(part)], []
    for k, edge in enumerate(edges, 1):
        neighbours = ends[[bounds[k - 1], edge, bounds[k + 1]]]
        p = _permutation_p_of_change(flat[neighbours[0] : neighbours[-1]], neighbours - neighbours[0], random)
        if p < limit:
            sure.append(edge)
            yield first + edge, max(p, p_of_stretch)
    for start, stop in itertools.pairwise([0, *sure, len(part)] if sure else []):
        yield from _split_stretch(values, first + start, first + stop, limit, random)


def _change_of_newest_builds(means):
    """How many builds at the end differ most surely from those before, and its p; 1 where fewer than three are before.

    The pooled two-sample t of k against the others, for each k; p is the least times their number.
    """
    tested = [k for k in _NEWEST if len(means) - k >= _LEAST_BEFORE]
    found = [(0, 1.0)]
    for k in tested:
        before, after = np.split(np.asarray(means), [-k])
        dof = len(means) - 2
        variance = (before.var() * len(before) + after.var() * len(after)) / dof
        error = math.sqrt(variance * (1 / len(before) + 1 / len(after)))
        difference = abs(after.mean() - before.mean())
        p = 2 * special.stdtr(dof, -difference / error) if error > 0 else float(difference == 0)
        found.append((k, min(len(tested) * float(p), 1.0)))
    return min(found, key=lambda each: each[1])


def _permutation_p_of_change(values, ends, random):
    """The share of random orders, this one among them, in which the largest energy statistic is as large as in this."""
    largest = np.nanmax(_energy_statistics(values, ends)) * (1 - 1e-12)
    as_large = sum(np.nanmax(_energy_statistics(random.permutation(values), ends)) >= largest for _ in range(_ORDERS))
    return (1 + as_large) / (1 + _ORDERS)


def _energy_statistics(values, ends):
    """The energy statistic of the values from one end to another against all others, in a square of ends; else NaN."""
    count = len(values)
    summed = np.zeros((count + 1, count + 1))
    summed[1:, 1:] = np.abs(values[:, None] - values).cumsum(axis=0).cumsum(axis=1)
    total, to_all = summed[count, count], summed[ends, count]
    a, b = np.ix_(range(len(ends)), range(len(ends)))
    square = summed[np.ix_(ends, ends)]
    inner = square[b, b] - square[a, b] - square[b, a] + square[a, a]
    across = to_all[b] - to_all[a] - inner
    outer = total - 2 * across - inner
    m = (ends[b] - ends[a]).astype(float)
    m[(m <= 0) | (m >= count)] = np.nan
    n = count - m
    return m * n / count * (2 * across / (m * n) - inner / m**2 - outer / n**2)
