"""Pictures for a reader's pointer: Vega-Lite by Altair, of the rows that the still pictures show, in the same looks.

Words of data are data in a specification, never an expression or a name of a field. A mark says in `words` what it is;
`place` is where it is printed, or `asks` what a list on the same page is asked for: only a page knows the addresses.
"""

import json
import math
import re
from urllib.parse import urlencode

import altair as alt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.colors import to_hex

from dominoperf import tables
from dominoperf.figures import OKABE_ITO
from dominoperf.figures.marks import piles_of, words_of_marks
from dominoperf.figures.theme import GREY, MARKS, PALE, plain_steps, series_styles, typeset, words_in_lines
from dominoperf.tables.rendering import number

_SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"  # what the scripts of Voilà speak
_CROSS = "M-.5,-1L0,-.5L.5,-1L1,-.5L.5,0L1,.5L.5,1L0,.5L-.5,1L-1,.5L-.5,0L-1,-.5Z"
_SHAPES = dict(
    zip(MARKS, ("circle", "square", "triangle-up", "diamond", "triangle-down", "cross", _CROSS), strict=True)
)
_TEXT = {"baseline": "middle", "fontSize": 12, "lineBreak": "\n", "aria": False}
_TICKS = 6  # of an axis
_ALONG, _UPRIGHT = 46, 36  # characters in a line of the title of an axis, across and upwards
_NAME = 34  # characters in a line of the words at the left
_LOOK_OF_FITTED = ("#000000", "circle", False)  # colour and shape of points, and whether they are hollow
_LOOK_OF_OTHERS = (OKABE_ITO[1], "square", True)
_ROW = re.compile(r"\b((?:row|item) \d+) of \w+")  # of which table, by our id: the link leads there
_PILE = 5  # marks beside each other that a row has room for at least


def for_a_page(layers, around, texts):
    """Return a chart of layers with the words around it as JSON; no text in it would end a script.

    `texts` are those of the still picture, which has found room for them: beside points, and at the ends of curves.
    """
    whole = around | {"spec": specification(layers, texts)}
    made = json.dumps(whole, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    return made.replace("<", "\\u003c")


def specification(layers, texts=()):
    """Return a chart of layers as Vega-Lite has it, without sizes and a theme."""
    beside = [text for text in texts if getattr(text, "anncoords", "") == "offset points" and text.get_text()]
    ends, axes = [text for text in texts if hasattr(text, "end")], layers[-1].encoding
    every = [*layers, *(_words_beside_point(text, axes) for text in beside)]
    every += [layer for text in ends for layer in _words_at_line_end(text, axes)]
    made = {"layer": [layer.to_dict(validate=False) for layer in every]}  # a test validates, which takes long
    for layer in made["layer"]:
        del layer["$schema"], layer["config"]  # the page has its own, in light and in dark
    made["usermeta"] = {"named": bool(ends)}  # a narrow page leaves them out for the legend
    made["resolve"] = {"scale": dict.fromkeys(("stroke", "fill", "shape"), "independent")}  # each has its own legend
    made["$schema"] = _SCHEMA
    return made


def dots(frame, label, value, *, low="", high="", group="", hollow="", pale="", joined=False, reference=None,
         order=(), log=False, unit="", means=None):  # fmt: skip
    """Return the layers of a chart of one dot a row, as `figures.dots` draws it.

    `means` are wide bars below the dots, each with its middle.
    """
    names = list(order) or list(dict.fromkeys(frame[label]))
    rows = frame[frame[value].notna()].reset_index(drop=True)
    piles, above = piles_of(rows[label].map(names.index), rows[value], log=log, joined=joined)
    most = 0.45 * max(_PILE, piles.max())
    ends = [rows[value], *(rows[end] for end in (low, high) if end), pd.Series([reference], dtype=float)]
    ends += [] if means is None else [means["low"], means["high"]]
    across = _encoding_of_axis("x", pd.concat(ends), unit or tables.label(value, tables.user_of(frame)), log)
    row = alt.Y(
        field="row", type="nominal", title=None, sort=None,
        scale=alt.Scale(type="band", padding=0, domain=[words_in_lines(name, _NAME) for name in names]),
        axis=alt.Axis(grid=True, ticks=False, labelLimit=0, labelPadding=8, labelExpr="split(datum.label, '\\n')"),
    )  # fmt: skip
    apart = alt.YOffset(field="above", type="quantitative", scale=alt.Scale(domain=[-most, most]))
    shown = _marks_of(rows, rows[value], None, group, (value,)).assign(
        row=[words_in_lines(name, _NAME) for name in rows[label]], above=above
    )
    layers = []
    if means is not None:
        bars = _marks_of(means, means["low"], None, "", ("low", value, "high"))
        bars = bars.assign(
            high=means["high"], mean=means[value], row=[words_in_lines(name, _NAME) for name in means[label]]
        )
        base, middle = alt.Chart(_rows_of_chart(bars)), alt.X(field="mean", type="quantitative")
        bar = base.mark_bar(height=9, color="#bbbbbb")
        layers.append(bar.encode(x=across, x2="high", y=row, **_tooltip_of_marks(False)))
        layers.append(base.mark_tick(color="#000000", thickness=2.5, height=18, aria=False).encode(x=middle, y=row))
    if joined:
        ends = shown.groupby("row", sort=False)["x"].agg(x="min", high="max").reset_index()
        layers.append(_layer_of_straight_lines(ends, x=across, x2="high", y=row))
    if low:
        bars = shown.assign(x=rows[low], high=rows[high]).dropna(subset=["x", "high"])
        layers.append(_layer_of_straight_lines(bars, x=across, x2="high", y=row, yOffset=apart))
    if reference is not None:
        layers.append(_layer_of_straight_lines(pd.DataFrame({"x": [reference]}), x=across))
    layers.append(_layer_of_marks(shown, across, row, hollow=[hollow] if hollow else (), pale=pale, yOffset=apart))
    return layers


def points(frame, x, y, *, group="", steps=False, lines=False, log="", names="", hollow=False, pale="", start=0,
           unit="", curves=None, low=""):  # fmt: skip
    """Return the layers of a chart of points, as `figures.points` draws it.

    `curves` are dashed lines below: x, y, curve, and the one kind that they are; an upright joins a point with its
    number in the column `low`.
    """
    rows, user = frame[frame[x].notna() & frame[y].notna()], tables.user_of(frame)
    drawn = pd.concat([rows[[x, y]].set_axis(["x", "y"], axis="columns"), *([] if curves is None else [curves])])
    across = _encoding_of_axis("x", drawn["x"], tables.label(x, user), "x" in log, start)
    upwards = _encoding_of_axis("y", drawn["y"], unit or tables.label(y, user), "y" in log)
    shown = _marks_of(rows, rows[x], rows[y], group, (x, y), names)
    layers = []
    if curves is not None:
        by = {"detail": alt.Detail(field="curve", type="nominal"), "strokeDash": [5, 3]}
        grey = _looks_by_kind("stroke", list(curves["kind"].unique()), [GREY])
        layers.append(_layer_of_lines(curves, across, upwards, stroke=grey, **by))
    if low:
        uprights = pd.DataFrame({"x": rows[x], "y": rows[low], "high": rows[y]})
        layers.append(_layer_of_straight_lines(uprights, x=across, y=upwards, y2=alt.Y2(field="high")))
    if steps or lines:
        how = {"interpolate": "step-after"} if steps else {"strokeDash": [2, 3]}
        joined = shown[shown["kind"] != pale] if pale else shown
        layers.append(_layer_of_lines(joined, across, upwards, color=OKABE_ITO[0], **how))
    layers.append(_layer_of_marks(shown, across, upwards, hollow=set(shown["kind"]) if hollow else (), pale=pale))
    return layers


def shares(frame, label, parts, *, unit="", asks=""):
    """Return the layers of a chart of counts as a heat map, as `figures.shares` draws it.

    A click on a cell asks a list for what it counts. `asks` is the name by which the list knows what is over the
    columns; it knows the rows by that of their column.
    """
    total = frame[list(parts)].sum(axis="columns")
    names = [f"{name} ({count:,})" for name, count in zip(frame[label], total, strict=True)]
    counts = zip(frame[label], names, total, frame[list(parts)].to_dict("records"), strict=True)
    cells = pd.DataFrame(
        {
            "row": row, "part": part, "count": int(count), "share": count / of,
            "words": f"{name}, {part}: {count:,} {unit} of {of:,}",
            "asks": urlencode({label: name, asks: part}) if asks and count else None,
        }
        for name, row, of, by_part in counts
        for part, count in by_part.items()
    )  # fmt: skip
    row = alt.Y(field="row", type="nominal", title=None, sort=None, scale=alt.Scale(domain=names),
                axis=alt.Axis(ticks=False, labelLimit=0))  # fmt: skip
    part = alt.X(
        field="part", type="nominal", sort=None, scale=alt.Scale(domain=list(parts)),
        title=f"number of {unit}, colour: share of the row", axis=alt.Axis(ticks=False, labelLimit=0),
    )  # fmt: skip
    shades = sns.light_palette(OKABE_ITO[5]).as_hex()
    colour = alt.Color(
        field="share", type="quantitative", legend=None, scale=alt.Scale(domain=[0, 1], range=[shades[0], shades[-1]])
    )
    base = alt.Chart(_rows_of_chart(cells))
    cell = base.mark_rect(stroke="#ffffff").encode(x=part, y=row, color=colour, **_tooltip_of_marks(asks))
    words = base.mark_text(color="#111111", aria=False, tooltip=None).encode(
        x=part, y=row, text=alt.Text(field="count", type="quantitative", format=",")
    )
    return [cell, words]


def laws(fits, printed, x, y, *, until=None, beside=None, names="", band=None, log=""):
    """Return the layers of a chart of curves over points, as `figures.plot` draws them.

    Across the picture, all curves tell what they give there.
    `fits` are words to name a curve by, and its fit, colour and width; `printed` the points fitted, `beside` others.
    """
    low, high = printed[x].min(), printed[x].max()
    last = max(high, until or high)
    one = next(iter(fits.values()))[0]
    across_words, upwards_words = one.label(x), one.label(y)
    points = {"points fitted": (printed, _LOOK_OF_FITTED), "other points, not fitted": (beside, _LOOK_OF_OTHERS)}
    points = {kind: (rows, look) for kind, (rows, look) in points.items() if rows is not None and len(rows)}
    curves = _curves_of(fits, low, high, last)
    drawn = [curves[["x", "y"]], *(rows[[x, y]].set_axis(["x", "y"], axis="columns") for rows, _ in points.values())]
    drawn = pd.concat(drawn)
    start = low - 0.05 * (last - low) if last > low else 0
    across = _encoding_of_axis("x", drawn["x"], across_words, "x" in log, start, printed[x])
    least = printed[y].min() / 2 if "y" in log else 0  # what lies below, or far above, would make the rest flat
    top = 3 * printed[y].max()
    heights = [drawn["y"]] if band is None else [drawn["y"], band["mean_high"]]
    upwards = _encoding_of_axis("y", pd.concat(heights).clip(least, top), upwards_words, "y" in log)

    layers = [] if band is None else [_layer_of_interval(band, least, top, across, upwards)]
    dash = alt.StrokeDash(
        field="part", type="nominal", legend=None, scale=alt.Scale(domain=["fitted", "beyond"], range=[[1, 0], [5, 3]])
    )
    by_law = _looks_by_kind("stroke", list(fits), [colour for _, colour, _ in fits.values()])
    width = alt.StrokeWidth(field="width", type="quantitative", scale=None, legend=None)
    inside = curves[(curves["y"] >= least) & (curves["y"] <= top)]
    layers.append(_layer_of_lines(inside, across, upwards, strokeDash=dash, stroke=by_law, strokeWidth=width))
    told = np.arange(low, last + 1) if (printed[x] % 1 == 0).all() and last - low < 40 else np.linspace(low, last, 25)
    hover = alt.Chart(_rows_of_chart(_what_all_give(fits, np.unique(told), high, across_words)))
    hover = hover.mark_rect(opacity=0, color=GREY, aria=False)
    layers.append(hover.encode(x=across, x2=alt.X2(field="high"), tooltip=alt.Tooltip(field="words", type="nominal")))
    for kind, (rows, look) in points.items():
        shown = _marks_of(rows.assign(kind=kind), rows[x], rows[y], "kind", (x, y), names)
        layers.append(_layer_of_marks(shown, across, upwards, look=look))
    return layers


def _curves_of(fits, low, high, last):
    """The curve of each fit by its name: at places from the lowest to the highest point, and beyond to the last."""
    places = np.unique(np.concatenate([np.linspace(low, high, 41), np.linspace(high, last, 41)]))
    parts = {"fitted": places[places <= high]}
    if last > high:
        parts["beyond"] = places[places >= high]
    return pd.concat(
        pd.DataFrame({"x": at, "y": fit.curve(at), "kind": name, "part": part, "width": width})
        for name, (fit, _, width) in fits.items()
        for part, at in parts.items()
    )


def _layer_of_interval(band, least, top, across, upwards):
    """The interval of a curve as an area between two heights."""
    shade = band.rename(columns={"mean_low": "low", "mean_high": "high"})[["x", "low", "high"]].dropna()
    shade = shade.assign(low=shade["low"].clip(lower=least), high=shade["high"].clip(upper=top))
    base = alt.Chart(_rows_of_chart(shade))
    low_end, high_end = alt.Y(field="low", type="quantitative"), alt.Y2(field="high")
    return base.mark_area(color=OKABE_ITO[0], opacity=0.18, aria=False).encode(x=across, y=low_end, y2=high_end)


def _what_all_give(fits, places, high, words):
    """What all curves give at each place, in words, and how far they are told: half way to the places beside it.

    `words` are those of the axis; `high` is the highest point fitted.
    """
    ends = places[[0, -1]] if len(places) > 1 else places[0] * np.array([0.98, 1.02])
    edges = np.concatenate([ends[:1], (places[1:] + places[:-1]) / 2, ends[1:]])
    told = [
        f"{words}: {number(at)}{', extrapolated' if at > high else ''}"
        + "".join(f"\n{name}: {number(float(fit.curve(np.array([at]))[0]), 4)}" for name, (fit, *_) in fits.items())
        for at in places
    ]
    return pd.DataFrame({"x": edges[:-1], "high": edges[1:], "words": told})


def _words_beside_point(text, encoding):
    """Words beside a point, as many pixels from it as in the still picture, which is drawn in points of print."""
    (x, y), (right, up) = text.xy, np.array(text.xyann) * 4 / 3
    rows = pd.DataFrame({"x": [float(x)], "y": [float(y)], "name": [text.get_text()]})
    look = _TEXT | {"align": text.get_ha(), "dx": float(right), "dy": float(-up) + _pixels_to_lift_words(text)}
    words = alt.Chart(_rows_of_chart(rows)).mark_text(**look)
    return words.encode(x=encoding.x, y=encoding.y, text=alt.Text(field="name", type="nominal"))


def _pixels_to_lift_words(text):
    """Pixels by which text of several lines goes up, so that its middle is where it belongs."""
    return -7.0 * text.get_text().count("\n")


def _words_at_line_end(text, encoding):
    """Words right of the axes, where the still picture has them, and the line of their colour that leads there."""
    (x, y), up, colour = text.xy, float(text.xyann[1]), to_hex(text.arrow_patch.get_edgecolor())
    height = alt.value(alt.ExprRef(f"height * {1 - up:.4f}"))
    rows = pd.DataFrame({"x": [float(x)], "y": [float(y)], "name": [text.get_text()]})
    base = alt.Chart(_rows_of_chart(rows))
    line = base.mark_rule(color=colour, strokeWidth=1.4, aria=False).encode(
        x=encoding.x, y=encoding.y, x2=alt.value(alt.ExprRef("width + 14")), y2=height
    )
    words = base.mark_text(**_TEXT, align="left", dy=_pixels_to_lift_words(text)).encode(
        x=alt.value(alt.ExprRef("width + 18")), y=height, text=alt.Text(field="name", type="nominal")
    )
    return line, words


def _encoding_of_axis(way, values, words, log, start=0, whole=None):
    """A quantitative encoding with few plain ticks, from zero or `start` on or logarithmic, as in the still picture."""
    values = values.dropna().astype(float)
    low, high = values.min(), values.max()
    if log:
        domain = [low / 1.25, high * 1.25]
        ticks = {"values": plain_steps(*domain, _TICKS)}
    else:
        domain = [start or min(0, low - 0.08 * (high - low)), high + 0.06 * (high - min(start, low))]
        ticks = {"tickCount": _TICKS}
        if (values if whole is None else whole).mod(1).eq(0).all():  # there is no half a processor
            few = range(math.ceil(low), math.floor(high) + 1)
            ticks = {"values": [*few]} if len(few) <= _TICKS else ticks | {"tickMinStep": 1}
    scale = alt.Scale(type="log" if log else "linear", domain=[float(f"{end:.6g}") for end in domain], nice=False)
    channel = alt.X if way == "x" else alt.Y
    lines = words_in_lines(" ".join(words.split()), _ALONG if way == "x" else _UPRIGHT).split("\n")
    return channel(field=way, type="quantitative", title=[typeset(line) for line in lines], scale=scale,
                   axis=alt.Axis(format=",~r", **ticks))  # fmt: skip


def _marks_of(rows, x, y, group, columns, names=""):
    """Rows of a specification: where a mark stands, its kind, its words with its first place, and its places."""
    named = rows.assign(name=rows[names]) if names in rows and "name" not in rows else rows
    places = rows["locator"].fillna("") if "locator" in rows else pd.Series("", index=rows.index)
    first = [_ROW.sub(r"\1", place.partition("; ")[0]) for place in places]  # it is where the mark leads
    words = [". ".join(filter(None, pair)) for pair in zip(words_of_marks(named, columns), first, strict=True)]
    made = pd.DataFrame({"x": x, "y": y, "kind": rows[group] if group else "", "words": words, "place": places})
    return made.drop(columns=["y"] if y is None else []).reset_index(drop=True)


def _layer_of_marks(shown, x, y, *, hollow=(), pale="", look=None, **more):
    """The marks, by kind in its colour and shape; a click on a name in the legend keeps that kind alone.

    `look` is the colour and shape of a single kind, and whether its marks are hollow.
    """
    names = list(dict.fromkeys(shown["kind"]))
    looking = series_styles(names)
    colours = [PALE if name == pale and pale else looking["palette"][name] for name in names]
    shapes = [_SHAPES[looking["markers"][name]] for name in names]
    if look:
        colours, shapes, hollow = [look[0]], [look[1]], names if look[2] else ()
    legend = names != [""]
    looks = [(colour, "#ffffff") if name in hollow else ("#ffffff", colour)
             for name, colour in zip(names, colours, strict=True)]  # fmt: skip
    edges, fills = map(list, zip(*looks, strict=True))
    marks = alt.Chart(_rows_of_chart(shown)).mark_point(size=75, strokeWidth=1.2, opacity=1)
    return marks.encode(
        x=x,
        y=y,
        stroke=_looks_by_kind("stroke", names, edges, legend),
        fill=_looks_by_kind("fill", names, fills, legend),
        shape=_looks_by_kind("shape", names, shapes, legend),
        **_tooltip_of_marks(shown["place"].any()),
        **more,
    )


def _looks_by_kind(channel, names, looks, legend=True):
    """A channel of colours or shapes, one for each kind."""
    of = {"stroke": alt.Stroke, "fill": alt.Fill, "shape": alt.Shape}[channel]
    explained = alt.Legend(title=None, symbolLimit=0) if legend else None
    return of(field="kind", type="nominal", scale=alt.Scale(domain=names, range=looks), legend=explained)


def _tooltip_of_marks(leads):
    """What a mark tells a pointer and a screen reader, and whether it leads: the page puts `href` into the rows."""
    told = {"tooltip": alt.Tooltip(field="words", type="nominal"), "description": alt.Description(field="words")}
    return told | ({"href": alt.Href(field="href", type="nominal")} if leads else {})


def _layer_of_lines(rows, x, y, *, interpolate="linear", strokeDash=(1, 0), color=GREY, **by):
    """Lines through rows, in the order of x; more about them by channel."""
    look = {"interpolate": interpolate, "aria": False, "color": color}
    if isinstance(strokeDash, list | tuple):
        look["strokeDash"] = list(strokeDash)
    else:
        by["strokeDash"] = strokeDash
    kept = [name for name in ("x", "y", "kind", "part", "width", "curve") if name in rows]
    return alt.Chart(_rows_of_chart(rows[kept])).mark_line(**look).encode(x=x, y=y, **by)


def _layer_of_straight_lines(rows, *, x, x2="", **by):
    """Straight lines, grey: an interval, what joins two numbers, no change."""
    more = {"x2": alt.X2(field=x2)} if x2 else {}
    kept = [name for name in ("x", "y", "high", "row", "above") if name in rows]
    lines = alt.Chart(_rows_of_chart(rows[kept])).mark_rule(color=GREY, strokeWidth=1.6, aria=False)
    return lines.encode(x=x, **more, **by)


def _rows_of_chart(frame):
    """Rows as the data of a chart, with unknown numbers as null."""
    return alt.Data(values=json.loads(frame.to_json(orient="records", double_precision=6, force_ascii=False)))
