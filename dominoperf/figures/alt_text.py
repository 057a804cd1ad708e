"""What a drawing shows, in words: its axes and its marks, for a reader who cannot see it."""

import numpy as np
import pandas as pd
from matplotlib.collections import PathCollection, QuadMesh
from matplotlib.colors import to_hex
from matplotlib.container import BarContainer
from matplotlib.text import Annotation
from matplotlib.ticker import PercentFormatter

from dominoperf.tables.rendering import number

BEHIND = "_behind"
"""The label of marks that repeat those of other panels, and are not told again."""
_MARKS_TOLD_ONE_BY_ONE = 6  # marks of a kind that are reported one by one


def alt_text(figure):
    """Return what the axes of a figure show and which marks are on them.

    Returns
    -------
    str
        Sentences: the axes with their units and ends, then each kind of mark with its numbers, panel by panel; of more
        than six marks of a kind, how many they are and between which numbers they lie.
    """
    panels = figure.axes
    first = panels[0]  # rows are named by their place, where the axis runs from the first row at the top
    named = zip(first.get_yticks(), first.get_yticklabels(), strict=True) if first.yaxis_inverted() else ()
    rows = {at: " ".join(label.get_text().split()) for at, label in named}
    axes = [_axis_in_words(panels, "x", "across")] + ([] if rows else [_axis_in_words(panels, "y", "upwards")])
    sentences = [f"Axes: {'; '.join(filter(None, axes))}"]
    for ax in panels:
        marks = list(_greatest_cells(ax, rows) if _is_heat_map(ax) else _marks_in_words(ax, rows))
        panel = ax.get_label() or " ".join(ax.get_title().split())
        marks = [words.removeprefix("points: ").removeprefix(f"{panel}: ") for words in marks] if panel else marks
        sentences += [f"{panel}: {'; '.join(marks)}"] if panel and marks else marks
    return " ".join(f"{sentence}." for sentence in sentences)


def _axis_in_words(panels, name, way):
    """Words, ends and scale of the axis that panels share; the first that has words tells them."""
    words = next((words for ax in panels if (words := " ".join(getattr(ax, f"get_{name}label")().split()))), "")
    low, high = getattr(panels[0], f"get_{name}lim")()
    scale = ", logarithmic" if getattr(panels[0], f"get_{name}scale")() == "log" else ""
    if not words or _is_heat_map(panels[0]):
        return words
    written = _numbers_of_axis(getattr(panels[0], f"{name}axis"))
    return f"{words} {way}, {written(low, 3)} to {written(high, 3)}{scale}"


def _numbers_of_axis(axis):
    """What writes a number of an axis: where the axis has shares as percentages, so too."""
    formatter = axis.get_major_formatter()
    if not isinstance(formatter, PercentFormatter):
        return number
    return lambda value, *digits: f"{number(100 * value / formatter.xmax, *digits)}{formatter.symbol}"


def _is_heat_map(ax):
    """Tell whether axes show a grid of cells."""
    return any(isinstance(grid, QuadMesh) for grid in ax.collections)


def _marks_in_words(ax, rows):
    """Each kind of mark: its name, and its numbers, each with the words that stand beside it."""
    place = "{:.6g} {:.6g}".format
    texts = [text for text in ax.texts if isinstance(text, Annotation)]
    across, upwards = map(_numbers_of_axis, (ax.xaxis, ax.yaxis))
    beside = {(getattr(text, "kind", ""), place(*text.xy)): " ".join(text.get_text().split()) for text in texts}
    for name, marks in _kinds_of_marks(ax).groupby("kind", sort=False):
        if len(marks) > _MARKS_TOLD_ONE_BY_ONE:
            columns = (across, marks["x"]), (upwards, marks["y"])
            ends = [f"{written(values.min())} to {written(values.max())}" for written, values in columns]
            yield f"{name}: {len(marks)}, from {', '.join(ends[:1] if rows else ends)}"
            continue
        if rows:
            marks["row"] = [rows[min(rows, key=lambda row: abs(row - y))] for y in marks["y"]]
            listed = []
            for row, of_row in marks.groupby("row", sort=False):  # equal numbers once: 3 times 4,000
                counts = of_row["x"].map(across).value_counts(sort=False)
                values = [value if count == 1 else f"{count} times {value}" for value, count in counts.items()]
                listed.append(f"{' and '.join(values)} for {row}")
        else:
            at = marks.sort_values("x", kind="stable")[["x", "y"]].to_numpy()
            words = [beside.get((name, place(x, y)), beside.get(("", place(x, y)), "")) for x, y in at]
            told = [f" ({each})" if each not in ("", name) else "" for each in words]
            listed = [f"{upwards(y)} at {across(x)}{each}" for (x, y), each in zip(at, told, strict=True)]
        yield f"{name}: {', '.join(listed)}"


def _kinds_of_marks(ax):
    """All marks of axes: kind, x, y."""
    handles, names = ax.get_legend_handles_labels()
    for legend in ax.figure.legends:
        handles, names = legend.legend_handles, [text.get_text() for text in legend.get_texts()]
    # Seaborn draws the marks of all groups at once, without their names: the legend has them, by colour.
    lines = [(handle, name) for handle, name in zip(handles, names, strict=True) if hasattr(handle, "get_color")]
    of_colour = {to_hex(handle.get_color()): name for handle, name in lines}
    kinds = [pd.DataFrame(columns=["kind", "x", "y"])]
    for bars in ax.containers:
        if isinstance(bars, BarContainer) and bars.orientation == "horizontal" and len(bars):
            lengths = [(bar.get_width(), bar.get_y() + bar.get_height() / 2) for bar in bars]
            kinds.append(pd.DataFrame(lengths, columns=["x", "y"]).assign(kind=bars.get_label()))
    for line in ax.get_lines():
        if line.get_marker() not in ("", " ", "None", None) and len(line.get_xdata()):
            x, y = (np.asarray(values, float) for values in (line.get_xdata(), line.get_ydata()))
            kinds.append(pd.DataFrame({"kind": _name_of_mark(line), "x": x, "y": y}))
    for marks in ax.collections:
        if isinstance(marks, PathCollection) and marks.get_label() != BEHIND:
            x, y = np.asarray(marks.get_offsets(), float).T
            colours = (np.resize(shades, (len(x), 4)) for shades in (marks.get_facecolor(), marks.get_edgecolor()))
            seen = [edge if to_hex(face) == "#ffffff" else face for face, edge in zip(*colours, strict=True)]
            name = _name_of_mark(marks)
            kind = [of_colour.get(to_hex(colour), name) if name == "points" else name for colour in seen]
            kinds.append(pd.DataFrame({"kind": kind, "x": x, "y": y}))
    return pd.concat(kinds[1:] or kinds)


def _name_of_mark(artist):
    """What a mark is called: its label, or "points"."""
    label = str(artist.get_label())  # those that begin with an underscore are not in the legend
    return "points" if label.startswith("_child") else label.removeprefix("_")


def _greatest_cells(ax, rows):
    """Each column of a heat map: the greatest numbers written in its cells, by the names of their rows."""
    cells = pd.DataFrame([(*text.get_position(), text.get_text()) for text in ax.texts], columns=["x", "y", "words"])
    cells["count"] = cells["words"].str.replace(",", "").astype(float)
    for name, column in zip(ax.get_xticklabels(), cells.groupby("x"), strict=True):
        most = (
            column[1]
            .sort_values("count", ascending=False, kind="stable")
            .head(_MARKS_TOLD_ONE_BY_ONE)
            .query("count > 0")
        )
        listed = [f"{rows[cell.y]} {cell.words}" for cell in most.itertuples()]
        yield f"{name.get_text()}, the most: {', '.join(listed) or 'none'}"
