"""Many files of load tests to one curve: a row for each load, with errors that say how well it is known.

The runs are those of `runs_from_files`. Several runs of a load are repeats. The variance of a run is the larger of its
own and of what repeats show, ``sum((k - 1) v / m^2) / sum(k - 1)`` over the loads with k > 1 runs of mean m and
variance v, relative to m^2; runs are averaged with the inverse of their variance as weight. Responses are averaged with
the same weights; the variance of a response is the larger of its own and of what repeats of it show. Repeats are steady
runs, if these have as many degrees of freedom as there are loads, less one: a run in which the service stood still for
a while has a large variance of its own, and says nothing of how others differ.

The throughput of runs may differ more at high loads than at low ones, or less. So its repeats are pooled relative to
``(N^g m)^2`` for powers g of the load N, of ``data/capacity.toml``; loads below the first repeated one and above the
last are taken for these. By Little's law ``N = X (R + Z)`` the relative change of X is that of R times the share
``b = X R / N`` of the users that wait for an answer: repeats are pooled relative to ``(b N^g m)^2`` too. The variance
is the mean of all, weighted by their likelihoods for normal noise, times a normal prior of g.

A law is fitted to a curve (`law_of_curve`) with the errors of its means where runs were repeated, else with those of
the residuals. Where the means miss the law by more than their errors let them, intervals are wider by ``sqrt(S / d)``,
S the weighted sum of squares and d the points less the parameters (Birge, Physical Review 40 1932); never narrower.
"""

import dataclasses
import math
import os
from collections.abc import Mapping

import numpy as np
import pandas as pd
from scipy import special

from dominoperf import tables
from dominoperf.errors import names_its_keywords
from dominoperf.loadtests.readers.reading import PathOrPaths, Where
from dominoperf.loadtests.run_settings import RunSettings
from dominoperf.loadtests.runs_from_files import (
    FAILED_RUNS,
    OF_REQUESTS,
    OF_SAMPLES,
    runs_of_files,
    take_out_errors_of_equal_values,
    usable_runs,
)
from dominoperf.tables import columns
from dominoperf.tables.folders import our_toml_file
from dominoperf.tables.rows_of_one_curve import contradictions_of_littles_law_in_words

CURVE_COLUMNS = (
    "load", "throughput_per_s", "throughput_std_error", "response_s", "response_std_error", "response_p95_s",
    "response_p95_std_error", "response_p95_of", "failures", "failed_share", "failed_load",
    "runs", "steady_runs", "throughput_dof", "files", "load_unit", "reason",
)  # fmt: skip
_RESPONSE_ERRORS = {"response_s": "response_std_error", "response_p95_s": "response_p95_std_error"}
RESIDUALS, REPEATS, WIDER = "residuals", "repeats", "repeats, widened to the residuals"  # what errors of a law are from


@names_its_keywords()
def curve(
    paths: PathOrPaths,
    *,
    settle: float | None = None,
    until: float | None = None,
    x: str | None = None,
    x_from: str | None = None,
    manifest: pd.DataFrame | str | os.PathLike | None = None,
    mapping: Mapping[str, str] | None = None,
    generators: str | None = None,
    failed_share: float | None = None,
    level: float = 0.95,
    reader: str | None = None,
    where: Where | None = None,
) -> pd.DataFrame:
    """Return the scaling curve that many files of load tests make: a row for each load.

    Parameters
    ----------
    paths : str or Path, or list of them
        Files of any format of `readers.READERS`, folders, patterns (``runs/*.jtl``), as `readers.files` takes them.
    settle, until : float, optional
        Seconds from the beginning of each run: the intervals are measured that begin from `settle` on and before
        `until`. Without them the steady window of each run is sought (`steady_state`).
    x : str, optional
        Column of the files that is the load, a heading of a table of your own too; by default ``users``, as clients,
        connections or threads are called here. One of a rate (``target_rate``, or mapped to ``load[1/s]``) is offered.
    x_from : str, optional
        A pattern with one group that is the load in the name of the file: ``c(\\d+)``. Without it the load is that
        which the file tells, else the number beside a word such as clients in its name. A name that can be read in
        two ways (``run_2_users_50``) is refused.
    manifest : str, Path or DataFrame, optional
        A table with the columns ``file`` and ``load``, a row for each file.
    mapping : dict, optional
        Headings of the files by our names, with the unit of the file's numbers, as for `readers.read`:
        ``{"rate": "throughput_per_s[1/s]"}``.
    generators : {"together", "apart"}, optional
        What files are that ran at the same time, by their clocks. Together: logs of the load generators of one test,
        whose requests, users and named loads are added up. Apart: tests of systems of their own. By default those of
        one load are refused, and those of different loads are noted.
    failed_share : float, optional
        Share of the requests above which a load did not pass, by default 0.01, as `capacity` has it: it is left out,
        with a note, if more failed in a run of it.
    level : float
        Coverage, for the search of steady windows.
    reader : str, optional
        A name of `readers.READERS` that all files are read by; by default each file's own.
    where : dict, optional
        Headings and values: only the rows count that print these, as in `fitting.rows_of`: ``{"machine": "a"}``.

    Returns
    -------
    DataFrame
        load; throughput_per_s, response_s and response_p95_s, each with its standard error; response_p95_of
        (``requests``, or ``samples``: the mean of the percentiles of samples, where the file has no single requests);
        failures, which are no throughput; failed_share (the greatest of its runs), failed_load (the next higher load
        that failed), runs, steady_runs (with a steady window; unknown of totals), throughput_dof (degrees of freedom of
        the repeats, pooled over the loads: 0 where none was run again), files, load_unit (clients, ...), reason.
        ``attrs["notes"]`` says which files and loads are left out, and why.

    Raises
    ------
    BadTable
        When no file has a run with a load and a throughput, or files of one load ran at the same time, and `generators`
        does not say what they are.
    UnknownName
        When the pattern has no group, the manifest lacks a column, or `generators` is neither word.

    Notes
    -----
    `fit(..., y_err="throughput_std_error")` weighs the rows, and knows from throughput_dof how few repeats the errors
    rest on. Samples that are all equal give no error. Files that have the same content are read as one.

    Examples
    --------
    >>> import pandas as pd, tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> for users in (8, 16):
    ...     run = pd.DataFrame({"time_s": range(60), "throughput_per_s": [9.0 * users, 11.0 * users] * 30})
    ...     run.to_csv(folder / f"{users}_users.csv", index=False)
    >>> curve(folder)[["load", "throughput_per_s", "runs", "steady_runs"]]
       load  throughput_per_s  runs  steady_runs
    0   8.0              80.0     1            1
    1  16.0             160.0     1            1
    """
    settings = RunSettings(settle, until, x, x_from, manifest, mapping, generators, reader, where, level, failed_share)
    return curve_of_runs(runs_of_files(paths, settings))


def repeat_variance(runs, column="throughput_per_s"):
    """Return the variance of a run relative to its squared value as repeats show it, pooled over loads, and its
    degrees of freedom; NaN and 0 where no load has repeats.
    """
    known = runs[column].notna()
    _, at, count = np.unique(runs["load"][known], return_inverse=True, return_counts=True)
    dof = int((count - 1).sum())
    if not dof:
        return math.nan, 0
    values = runs[column][known].to_numpy(float)
    mean = np.bincount(at, values) / count
    with np.errstate(all="ignore"):  # a mean of 0
        squares = np.bincount(at, (values - mean[at]) ** 2) / mean**2
    return float(np.nansum(squares) / dof), dof


def variances_of_runs(loads, variances, dof, waiting=None):
    """Return the variance of a run at each load, relative to its squared value, as repeats at all loads show it.

    Arrays of each load: the variance of its runs relative to its squared mean, some of which is above 0; its degrees of
    freedom, 0 without repeats; maybe the share of the users that wait for an answer. The head has the method.
    """
    repeated, about = loads[dof > 0], our_toml_file("capacity.toml")["load_test"]["scatter_growth"]
    growths = np.linspace(-about["most"], about["most"], about["values"])
    log_shapes = 2 * growths[:, None] * np.log(loads.clip(repeated.min(), repeated.max()))
    log_priors = -0.5 * (growths / about["sd"]) ** 2
    if waiting is not None:
        log_shapes = np.r_[log_shapes, log_shapes + 2 * np.log(waiting)]
        log_priors = np.r_[log_priors, log_priors]
    squares = np.where(dof > 0, dof * variances, 0)
    log_scales = special.logsumexp(-log_shapes, axis=1, b=squares) - np.log(dof.sum())
    weights = special.softmax(log_priors - dof.sum() / 2 * log_scales - log_shapes @ dof / 2)
    return weights @ np.exp(log_scales[:, None] + log_shapes)


def _runs_that_tell_scatter(runs):
    """The runs that say how runs differ: those that are steady, or totals, if they are enough, else all."""
    steady = runs[(runs["steady"] != 0) | runs["throughput_std_error"].isna()]
    enough = repeat_variance(steady)[1] >= max(runs["load"].nunique() - 1, 1)
    return steady if enough else runs


def _repeat_variance_by_load(runs, repeats):
    """The variance of a run's throughput relative to its squared value, by load, and its degrees of freedom."""
    alike, dof = repeat_variance(repeats)
    means = runs.groupby("load")[["throughput_per_s", "response_s"]].mean()
    if not alike > 0:
        return pd.Series(alike, means.index), dof
    means.update(repeats.groupby("load")[["throughput_per_s", "response_s"]].mean())
    rates = repeats.groupby("load")["throughput_per_s"]
    waiting = (means["throughput_per_s"] * means["response_s"] / means.index).clip(upper=1).to_numpy()
    relative = (rates.var() / means["throughput_per_s"] ** 2).to_numpy()
    free = (rates.count().reindex(means.index, fill_value=0) - 1).clip(lower=0).to_numpy()
    variances = variances_of_runs(means.index.to_numpy(), relative, free, waiting if (waiting > 0).all() else None)
    return pd.Series(variances, means.index), dof


def curve_of_runs(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of `measured_runs` as those of `curve`: the repeats of a load averaged."""
    usable = runs[usable_runs(runs)]
    repeats = _runs_that_tell_scatter(usable)
    between, dof = _repeat_variance_by_load(usable, repeats)
    among = {name: repeat_variance(repeats, name)[0] for name in _RESPONSE_ERRORS}
    rows, unit = [], columns.plural_of_user(tables.user_of(runs))
    for load, part in usable.groupby("load"):
        row = {"load": load, "load_unit": unit, "runs": len(part), "steady_runs": part["steady"].sum(min_count=1)}
        rates, errors = (part[name].to_numpy(float) for name in ("throughput_per_s", "throughput_std_error"))
        variance = np.fmax(errors**2, between[load] * rates.mean() ** 2)
        weight = 1 / variance if (np.isfinite(variance) & (variance > 0)).all() else np.ones(len(part))
        row["throughput_per_s"] = np.average(rates, weights=weight)
        row["throughput_std_error"] = math.sqrt(np.sum(weight**2 * variance)) / weight.sum()
        row["throughput_dof"] = dof
        for name, error in _RESPONSE_ERRORS.items():
            response, within = part[name].to_numpy(float), part[error].to_numpy(float)
            measured = np.isfinite(response)
            shares = weight[measured] / weight[measured].sum()
            row[name] = float(shares @ response[measured]) if measured.any() else math.nan
            variance = np.fmax(within[measured] ** 2, among[name] * (row[name] or math.nan) ** 2)  # a time of 0 is none
            row[error] = math.sqrt(shares**2 @ variance) if measured.any() else math.nan
        percentiles_of = part["response_p95_of"].tolist()
        row["response_p95_of"] = next((of for of in (OF_SAMPLES, OF_REQUESTS) if of in percentiles_of), "")
        row["failures"] = part["failures"].sum(min_count=1)
        row["failed_share"] = part["failed_share"].max() if "failed_share" in part else math.nan
        row["failed_load"] = next((higher for higher, _ in runs.attrs.get(FAILED_RUNS, ()) if higher > load), math.nan)
        row["files"] = "; ".join(dict.fromkeys(part["file"].dropna()))
        reasons = list(dict.fromkeys(each for reason in part["reason"] if reason for each in reason.split("; ")))
        reasons += take_out_errors_of_equal_values(row, "repeats")
        if np.isnan(row["throughput_std_error"]) and "of throughput_per_s are equal" not in "; ".join(reasons):
            reasons.append("no error without samples or repeats")
        row["reason"] = "; ".join(reasons)
        rows.append(row)
    frame = pd.DataFrame(rows, columns=list(CURVE_COLUMNS))
    notes = list(runs.attrs.get("notes", ()))
    frame.attrs = {columns.USER: tables.user_of(runs), "notes": notes}
    notes += contradictions_of_littles_law_in_words(frame)
    if not dof:
        notes.append("no load was run again: the errors do not know how runs differ from each other")
    return frame


def law_of_curve(law, curve, *, x="load", y="throughput_per_s", y_err="throughput_std_error", level=0.95):
    """Return a law fitted to the means of a curve, and what its errors are from: residuals, repeats, or both.

    The curve is as `curve` gives it, or with other names of its columns of load, of what was delivered and of its
    standard errors.
    """
    from dominoperf import fitting  # takes longer than to make a curve, which needs no law
    from dominoperf.fitting.points import degrees_of_freedom_of_errors, least_degrees_of_freedom

    columns_of_law = {"x": x, "y": y, "level": level}
    if y_err not in curve or not (np.isfinite(curve[y_err]) & (curve[y_err] > 0)).all():
        return fitting.fit(law, curve, **columns_of_law), RESIDUALS
    if least_degrees_of_freedom(degrees_of_freedom_of_errors(curve, y_err, "curve")) == 0:
        return fitting.fit(law, curve, **columns_of_law), RESIDUALS
    nearest = fitting.fit(law, curve, y_err=y_err, **columns_of_law)
    if not nearest.squares > nearest.dof > 0:
        return nearest, REPEATS
    return dataclasses.replace(nearest, residual_sd=math.sqrt(nearest.squares / nearest.dof)), WIDER
