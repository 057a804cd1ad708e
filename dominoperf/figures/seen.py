"""What a drawing shows, in words: its axes and its marks, for a reader who cannot see it."""

import numpy as np

from dominoperf.tables.rendering import number

_FEW = 6  # marks of a kind that are told one by one


def seen(ax):
    """Say what the axes are and what marks stand on them.

    Returns
    -------
    str
        Sentences: the axes with their units and ends, then each kind of mark with its numbers; of more than six marks
        of a kind, how many they are and between which numbers they lie.
    """
    rows = _rows(ax)
    axes = [_axis(ax, "x", "across")] + ([] if rows else [_axis(ax, "y", "upwards")])
    marks = [_marks(line, rows) for line in ax.get_lines() if _is_marked(line)]
    bars = [_bars(bars, rows) for bars in ax.containers]
    return " ".join(f"{said}." for said in (f"Axes: {'; '.join(filter(None, axes))}", *marks, *bars))


def _rows(ax):
    """Names of rows by their place, where the axis runs from the first row at the top."""
    if not ax.yaxis_inverted():
        return {}
    named = zip(ax.get_yticks(), ax.get_yticklabels(), strict=True)
    return {at: " ".join(label.get_text().split()) for at, label in named}


def _axis(ax, name, way):
    low, high = getattr(ax, f"get_{name}lim")()
    scale = ", logarithmic" if getattr(ax, f"get_{name}scale")() == "log" else ""
    words = " ".join(getattr(ax, f"get_{name}label")().split())
    return f"{words} {way}, {number(low)} to {number(high)}{scale}" if words else ""


def _is_marked(line):
    return line.get_marker() not in ("", " ", "None", None) and len(line.get_xdata()) > 0


def _marks(line, rows):
    """One kind of mark: its name, and its numbers."""
    x, y = (np.asarray(values, float) for values in (line.get_xdata(), line.get_ydata()))
    label = str(line.get_label())  # those that begin with an underscore are not in the legend
    name = "points" if label.startswith("_child") else label.removeprefix("_")
    if len(x) > _FEW:
        ends = [f"{number(each.min())} to {number(each.max())}" for each in ((x,) if rows else (x, y))]
        return f"{name}: {len(x)}, from {', '.join(ends)}"
    pairs = [(at, number(across), number(at)) for across, at in zip(x, y, strict=True)]
    told = [f"{rows.get(at, '')} {across}".strip() if rows else f"{up} at {across}" for at, across, up in pairs]
    return f"{name}: {', '.join(told)}"


def _bars(bars, rows):
    """One kind of bar, the longest ones by name."""
    lengths = sorted(((bar.get_width(), bar.get_y() + bar.get_height() / 2) for bar in bars), reverse=True)[:_FEW]
    named = [f"{rows.get(round(at), '')} {number(length)}".strip() for length, at in lengths if length]
    return f"{bars.get_label()}, the most: {', '.join(named)}"
