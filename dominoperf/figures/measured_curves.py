"""Curves of load tests: throughput against load with the band of its errors, one of a build or two of a comparison."""

import math

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dominoperf import tables
from dominoperf.figures import OKABE_ITO
from dominoperf.figures.marks import band, scales, scatter
from dominoperf.figures.theme import HEIGHT, TEXT, legend, plain_ticks
from dominoperf.loadtests import Difference
from dominoperf.tables import columns

_TWO_SIDED = 1.96  # standard errors: 95 % of a normal distribution
_DECADE = 10  # the greatest load divided by the least, from which on the axis is logarithmic


def load_curves(curves: dict[str, pd.DataFrame], ax: Axes | None = None, *, y: str = "throughput_per_s") -> Axes:
    """Return axes with curves of load tests, each with a band of 1.96 standard errors to either side.

    Parameters
    ----------
    curves : dict
        Words to name a curve by, and the frame that `curve` gave. Loads that span a decade have a logarithmic axis.
    ax : Axes, optional
        Where to draw; by default on axes of a new figure.
    y : str
        ``throughput_per_s``, ``response_s`` or ``response_p95_s``; response times that span a decade have a logarithmic
        axis.

    Returns
    -------
    Axes

    Examples
    --------
    >>> import pandas as pd
    >>> rows = pd.DataFrame({"load": [1, 4, 16], "throughput_per_s": [9, 30, 60], "throughput_std_error": [1, 1, 2]})
    >>> load_curves({"one build": rows}).get_xscale()
    'log'
    """
    ax = ax or Figure((TEXT.width, HEIGHT), layout="constrained").subplots()
    measured = {name: frame[frame[y].notna()] for name, frame in curves.items()}
    error = {"throughput_per_s": "throughput_std_error", "response_s": "response_std_error"}.get(y, "")
    for k, (name, frame) in enumerate(measured.items()):
        look = {"color": OKABE_ITO[k]}
        ax.plot(frame["load"], frame[y], linewidth=1.4, **look)
        if error in frame and frame[error].notna().any():
            reach = _TWO_SIDED * frame[error]
            low, high = (frame[y] - reach).clip(lower=0), frame[y] + reach
            band(ax, frame["load"], low, high, label=f"{name}, 95 % band", **look)
        scatter(ax, frame, "load", y, label=name, size=6, **look)
    whole = pd.concat([frame.drop(columns="files", errors="ignore") for frame in measured.values()], ignore_index=True)
    whole.attrs[columns.USER] = tables.user_of(next(iter(curves.values())))
    log = "x" * spans_decade(whole["load"]) + "y" * (y != "throughput_per_s" and spans_decade(whole[y]))
    unit = "requests per second" if y == "throughput_per_s" else ""
    scales([ax], whole, "load", y, log, unit)
    legend(ax, "best")
    return ax


def spans_decade(values):
    """Return whether values span a decade, so that their axis is logarithmic; a throughput's always begins at zero."""
    least, most = float(np.min(values)), float(np.max(values))
    return least > 0 and math.isfinite(most) and most >= _DECADE * least


def log_loads(ax: Axes) -> Axes:
    """Return axes whose axis of loads is made logarithmic, with plain ticks.

    Examples
    --------
    >>> from dominoperf import fit
    >>> log_loads(fit("usl", x=[1, 4, 16, 64], y=[10, 38, 120, 200]).plot()).get_xscale()
    'log'
    """
    positions = [line.get_xdata() for line in ax.get_lines()]
    positions += [dots.get_offsets()[:, 0] for dots in ax.collections if len(dots.get_offsets())]
    at = np.concatenate([np.asarray(values, float) for values in positions])
    least, most = at[at > 0].min() / 1.25, at.max() * 1.25
    ax.set(xscale="log", xlim=(least, most))
    plain_ticks(ax.xaxis, least, most)
    return ax


def difference(result: Difference, ax: Axes | None = None) -> Axes:
    """Return axes with the curves of a comparison, before and after.

    Parameters
    ----------
    result : Difference
    ax : Axes, optional
        Where to draw; by default on axes of a new figure.

    Returns
    -------
    Axes

    Examples
    --------
    >>> import pandas as pd
    >>> from dominoperf import ab
    >>> old = pd.DataFrame({"load": [1, 2, 4, 1, 2, 4], "throughput_per_s": [9.0, 17, 30, 9.1, 17.2, 30.5]})
    >>> old = old.assign(steady=1, reason="")
    >>> ax = ab(old, old.assign(throughput_per_s=old["throughput_per_s"] * 0.9)).plot()
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['before, 95 % band', 'before', 'after, 95 % band', 'after']
    """
    before, after = result.curves()
    return load_curves({"before": before, "after": after}, ax)
