"""Pictures of load tests: a run over time with its phases, and throughput against load with the band of its errors."""

import math

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes

from dominoperf import tables
from dominoperf.errors import capitalized
from dominoperf.figures import OKABE_ITO
from dominoperf.figures.marks import draw_marks, set_axis_scales, shade_interval
from dominoperf.figures.theme import (
    GREY,
    SMALL,
    is_half_width,
    legend,
    legend_below,
    plain_numbers,
)
from dominoperf.loadtests import Difference, Steady
from dominoperf.tables import columns
from dominoperf.tables.rendering import number

_TWO_SIDED = 1.96  # standard errors: 95 % of a normal distribution
_DECADE = 10  # the greatest load divided by the least, from which on the axis is logarithmic
_SHADES = {  # colour and strength of a phase; what is not here stays white
    "steady": (OKABE_ITO[2], 0.20),
    "ramp-up": (OKABE_ITO[2], 0.07),
    "ramp-down": (OKABE_ITO[2], 0.07),
    "drifting": (OKABE_ITO[4], 0.20),
    "level": (OKABE_ITO[5], 0.18),
}
_UNITS = (("h", 3600.0), ("min", 60.0), ("s", 1.0))
_POINTS = 1200  # more samples than this are drawn as their range


def plot_run(steady: Steady, ax: Axes) -> Axes:
    """Return axes with a run: samples, phases, and the mean of the steady window with its interval, or its drift.

    Examples
    --------
    >>> from dominoperf import figures, steady_state
    >>> samples = pd.DataFrame({"time_s": range(60), "throughput_tps": [50, 98] + 29 * [101, 99]})
    >>> [text.get_text() for text in figures.plot(steady_state(samples)).get_legend().get_texts()]
    ['samples', 'mean 99.97, 95 % interval 99.7 to 100.2']
    """
    unit, scale = _time_unit_of_run(steady.samples.times)
    at, values = steady.samples.times / scale, steady.samples.values
    if len(at) <= _POINTS:
        sns.lineplot(x=at, y=values, estimator=None, color=GREY, linewidth=0.8, label="samples", ax=ax)
    else:  # the range from the least to the greatest in each of some hundred steps
        edges = np.linspace(0, len(at), _POINTS // 2 + 1).astype(int)[:-1]
        low, high = np.minimum.reduceat(values, edges), np.maximum.reduceat(values, edges)
        ax.fill_between(at[edges], low, high, color=GREY, alpha=0.55, linewidth=0.4, zorder=2, label="range of samples")
    ax.set(
        xlim=(at[0], at[-1]) if at[-1] > at[0] else None,
        xlabel=f"time ({unit})",
        ylabel=tables.label(steady.samples.column),
    )
    least, most = min(0, 1.05 * values.min()), 1.2 * max(values.max(), 0)  # the names of phases stand on top
    ax.set_ylim((least, most) if least < most else (-1, 1))
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter(plain_numbers)
    phases = steady.tidy()
    ends = [*phases["from_s"].iloc[1:], phases["to_s"].iloc[-1]]  # a phase ends where the next one begins
    for k, (phase, end) in enumerate(zip(phases.itertuples(), ends, strict=True)):
        part = steady.samples.part(phase.from_s, phase.to_s)
        _draw_phase(ax, steady, k, phase.phase, phase.from_s / scale, end / scale, part)
    if is_half_width(ax):
        legend_below(ax)
    else:
        ax.legend(loc="lower right", fontsize=SMALL, frameon=True, framealpha=0.85, edgecolor="none")
    return ax


def run_words(steady: Steady) -> dict[str, str]:
    """Return the words of a run's picture: title (the finding), subtitle (the data), foot, alt."""
    phases, by_mser = list(steady.tidy()["phase"]), steady.method == "mser"
    if steady.found:
        unit, scale = _time_unit_of_run(steady.samples.times)
        ends = f"{number(steady.from_s / scale, 3)} to {number(steady.to_s / scale, 3)} {unit}"
        title, foot = f"{'Steady' if by_mser else 'Measured'} from {ends}", steady.describe_drift()
    else:
        title, foot = "No steady window: cannot tell", f"{capitalized(steady.reasons[0])}."
        if "drifting" in phases and steady.drifting == "yes":
            way = "rising" if steady.drift.value > 0 else "falling"
            title = f"No steady window: it keeps {way}, by {100 * abs(steady.drift.value):.1f} % an hour"
        elif levels := phases.count("level"):
            title = f"No steady window: {levels} levels"
    how = "level part by MSER-5" if by_mser else "period by the clock"
    subtitle = f"{tables.label(steady.samples.column)}; {how}"
    return {"title": title, "subtitle": subtitle, "foot": foot, "alt": steady.headline()}


def _time_unit_of_run(times):
    """Hours, minutes or seconds: the largest of which a run has two."""
    span = float(np.ptp(times))
    return next((unit for unit in _UNITS if span >= 2 * unit[1]), _UNITS[-1])


def _draw_phase(ax, steady, k, name, first, last, part):
    """Shade a phase, name it where there is room, and draw what is known of it."""
    colour, strength = _SHADES.get(name, ("white", 0.0))
    strength *= 1 - k % 2 / 2 if name == "level" else 1  # two levels in a row are told apart
    ax.axvspan(first, last, color=colour, alpha=strength, linewidth=0, zorder=0)
    words = {"unknown": "no level part", "level": f"mean {number(part.values.mean())}"}.get(name, name)
    if (last - first) / np.ptp(ax.get_xlim()) > 0.013 * len(words):
        place = {"transform": ax.get_xaxis_transform(), "ha": "center", "va": "top"}
        ax.text((first + last) / 2, 0.97, words, fontsize=SMALL, color=GREY, **place)
    if name == "drifting":
        slope, middle = np.polyfit(part.times - part.times.mean(), part.values, 1)
        drift, known = steady.drift, steady.drift.low == steady.drift.low
        label = f"{100 * drift.low:+.1f} to {100 * drift.high:+.1f} %" if known else "not known"
        label = f"drift, {100 * steady.level:g} % interval {label} an hour"
        ends = middle + slope * (part.times[[0, -1]] - part.times.mean())
        ax.plot([first, last], ends, color=OKABE_ITO[1], linewidth=2, zorder=3, label=label)
    elif name == "level":
        ax.hlines(part.values.mean(), first, last, color=OKABE_ITO[0], linewidth=2, zorder=3)
    elif name == "steady":
        mean, interval = steady.mean, ""
        if np.isfinite(mean.low):
            interval = f", {100 * steady.level:g} % interval {number(mean.low)} to {number(mean.high)}"
            shade_interval(ax, [first, last], mean.low, mean.high, color=OKABE_ITO[0], alpha=0.3, zorder=2.5)
        label = f"mean {number(mean.value)}{interval}"
        ax.plot([first, last], [mean.value] * 2, color=OKABE_ITO[0], linewidth=1.6, zorder=3, label=label)


def spans_decade(values):
    """Return whether values span a decade, so that their axis is logarithmic; a throughput's always begins at zero."""
    least, most = float(np.min(values)), float(np.max(values))
    return least > 0 and math.isfinite(most) and most >= _DECADE * least


def plot_difference(result: Difference, ax: Axes) -> Axes:
    """Return axes with the curves of a comparison, before and after, each in a band of 1.96 standard errors either way.

    Examples
    --------
    >>> from dominoperf import ab
    >>> old = pd.DataFrame({"load": [1, 2, 4, 1, 2, 4], "throughput_per_s": [9.0, 17, 30, 9.1, 17.2, 30.5]})
    >>> old = old.assign(steady=1, reason="")
    >>> ax = ab(old, old.assign(throughput_per_s=old["throughput_per_s"] * 0.9)).plot()
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['before, 95 % band', 'before', 'after, 95 % band', 'after']
    """
    curves = result.curves()
    measured = [frame[frame["throughput_per_s"].notna()] for frame in curves]
    for name, frame, colour in zip(("before", "after"), measured, OKABE_ITO, strict=False):
        load, rate, error = frame["load"], frame["throughput_per_s"], frame.get("throughput_std_error")
        ax.plot(load, rate, linewidth=1.4, color=colour)
        if error is not None and error.notna().any():
            reach = _TWO_SIDED * error
            shade_interval(
                ax, load, (rate - reach).clip(lower=0), rate + reach, label=f"{name}, 95 % band", color=colour
            )
        draw_marks(ax, frame, "load", "throughput_per_s", label=name, size=6, color=colour)
    both = pd.concat([frame[["load", "throughput_per_s"]] for frame in measured], ignore_index=True)
    both.attrs[columns.USER] = tables.user_of(curves[0])
    set_axis_scales([ax], both, "load", "throughput_per_s", "x" * spans_decade(both["load"]), "requests per second")
    legend(ax, "best")
    return ax
