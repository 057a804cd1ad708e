"""The panel of fits: from what is chosen to a curve, a picture, tables and words; or why not, and what to do."""

import contextlib
import dataclasses
import functools
import math
from dataclasses import dataclass

import numpy as np
import pandas as pd

from dominoperf import figures, laws
from dominoperf.app import points, views
from dominoperf.app.views import FitState, check_state_of_panel, wrong_parameter_of_panel
from dominoperf.errors import CannotFit, DominoperfError
from dominoperf.figures.fits import chart
from dominoperf.fitting import Fit, fit
from dominoperf.fitting.comparison import law_within_sentence
from dominoperf.tables import label, meanings, rendering, user_of
from dominoperf.tables.headings import LOADS, THROUGHPUTS, possible_meaning
from dominoperf.tables.rendering import number

ERRORS = {"law": "as the law says", "relative": "relative", "constant": "constant"}  # how noise grows: value to words
LEVELS = (0.6, 0.99)  # of the slider: at a half `fit` refuses it, at 1 every interval is infinite
LOG_AXES = {"": "even", "x": "logarithmic across", "y": "logarithmic upwards", "xy": "logarithmic both ways"}
_MOST_SERVERS = 256  # of a queue whose every state is added up for each value
_QUEUES = ("closed", "users_at_response")  # laws that add up every state of a queue, or search it, for each value
_WALD = (
    "The intervals of this law are of estimate and standard error (Wald's), the same to both sides up to a bound: "
    "those of the other laws, from the profile of the sum of squares, would take minutes here. Few points make them "
    "too narrow."
)


@dataclass(frozen=True)
class FitView(views.View):
    """Points, and the fit through those that are ticked; or `problem`, why there is none, and `alternatives`."""

    state: FitState
    chosen: points.ChosenPoints
    curve: Fit | None
    problem: str
    alternatives: tuple
    others: tuple = ()  # fits of further laws through the same points
    not_fitted: tuple = ()  # why a further law has no curve, a sentence each

    @property
    def taken(self):
        """Whether each point is fitted."""
        return _points_ticked_in_panel(self.state, self.chosen)

    @property
    def until(self):
        """How far the curve is drawn: beyond the points, or to their end."""
        return max(self.state.until, self.chosen.last)

    def summary(self):
        """Return in a few sentences what was fitted and what it forecasts, or why there is no fit."""
        return f"{self.forecast()} {self.curve.headline()}" if self.curve else self.problem

    def reading(self):
        """Return what the curve forecasts, and what it is of, as two texts; or that there is none, and why."""
        if not self.curve:
            return "No curve goes through these points.", self.problem
        law, count = law_within_sentence(self.curve.law.title), len(self.curve.points[0])
        return self.forecast(), f"That is {law} through {count} points: {self.chosen.title}."

    def notes(self):
        """Return what to mind about the points, and about intervals that are not as those of the other laws."""
        wald = self.curve and self.curve.interval == "wald"
        return (*self.chosen.warnings, *self.not_fitted, *([_WALD] if wald else []))

    def forecast(self):
        """Return what the curve has at the end of its picture, in a sentence; nothing without a curve."""
        if not self.curve:
            return ""
        row = self.curve.predict([self.until / self._scale("x")]).iloc[0]
        x, y = self.curve.label(self.curve.x), self.curve.label(self.curve.y)
        if math.isnan(row["predicted"]):
            return f"Where {x} = {number(row['x'])}, the law gives no {y} ({row['reason']})."
        ends = f"{number(row['mean_low'])} to {number(row['mean_high'])}"
        interval = f"{rendering.coverage(self.curve.level)} interval {ends}"
        interval = "no interval" if math.isnan(row["mean_low"]) else f"{interval} if the law is right"
        beyond = "; beyond the points" if row["extrapolated"] else ""
        return f"Where {x} = {number(row['x'])}, {y} = {number(row['predicted'])} ({interval}{beyond})."

    def tidy(self):
        """Return the parameters, as `Fit.tidy`; no row where there is no fit."""
        columns = ["term", "unit", "estimate", "std_error", "low", "high", "at_bound", "reason"]
        return self.curve.tidy() if self.curve else pd.DataFrame(columns=columns)

    def predict(self):
        """Return the forecasts at the points and at the end, as `Fit.predict`; no row where there is no fit."""
        if not self.curve:
            return pd.DataFrame(columns=["x", "predicted", "mean_low", "mean_high", "extrapolated"])
        return self.curve.predict(sorted({*self.curve.points[0], self.until / self._scale("x")}))

    def points(self):
        """Return every point: x, y, fitted, residual, whether it was fitted (used), locator."""
        frame = self.chosen.frame
        x = frame[self.chosen.x].astype(float) / self._scale("x")
        y = frame[self.chosen.y].astype(float) / self._scale("y")
        fitted = self.curve.curve(x.to_numpy()) if self.curve else math.nan
        parts = {"x": x, "y": y, "fitted": fitted, "residual": y - fitted, "used": self.taken}
        return pd.DataFrame(parts | {"locator": frame["locator"]})

    def _scale(self, axis):
        """What an axis was divided by to be in the unit of the law: 100 where it takes a share for percent."""
        if not self.curve:
            return 1.0
        total = float(self.curve.points["xy".index(axis)].sum())
        return float(self.chosen.frame[getattr(self.chosen, axis)][self.taken].sum()) / total if total else 1.0

    def picture(self):
        """Return the picture: curve, interval, points; the points alone where there is no fit. None without points."""
        chosen, title = self.chosen, self.chosen.title
        subtitle = title if len(title) <= 90 else title[:88].rstrip() + " …"
        words = {"subtitle": subtitle, "foot": f"Source: {chosen.source.locator}"}
        if not self.curve:
            if chosen.frame.empty:
                return None
            drawing = figures.points(chosen.frame, chosen.x, chosen.y, hollow=True)
            alt = f"No law is fitted. The points: {'; '.join(chosen.frame['words'])}"
            return figures.picture(drawing, title="No law is fitted to these points", alt=alt, **words)
        title = f"{self.curve.law.title} through {len(self.curve.points[0])} points"
        words |= {"title": title, "alt": self.summary()}
        return figures.picture(self.curve, **self._drawn(), **words)

    def _drawn(self):
        """How far the curve is drawn, on which axes, and what is beside it."""
        chosen = self.chosen
        # Hollow: the points left out by hand, and those of the table that were never in the series.
        out = chosen.frame[[not taken for taken in self.taken]]
        rows = pd.concat([frame for frame in (out, chosen.left_out) if len(frame)] or [out])
        beside = pd.DataFrame(
            {
                self.curve.x: rows[chosen.x].astype(float) / self._scale("x"),
                self.curve.y: rows[chosen.y].astype(float) / self._scale("y"),
            }
        )
        until = self.until / self._scale("x")
        return {"until": until, "beside": beside, "more": self.others, "log": self.state.log_axes}

    def residuals(self):
        """Return the small picture of what the fit leaves; None without a fit."""
        if not self.curve:
            return None
        rows = self.points()[self.taken]
        residuals = "; ".join(f"{number(row.x)}: {number(row.residual)}" for row in rows.itertuples())
        words = {"title": "What the curve leaves at each point", "height": 2.2}
        return figures.picture(figures.residuals(self.curve), alt=f"Residuals by {self.curve.x}: {residuals}", **words)

    def chart(self):
        """Return the picture for a reader's pointer as a Vega-Lite specification; None where there is no fit."""
        if not self.curve:
            return None
        from dominoperf.figures import interactive  # with Altair, which takes a second

        layers = chart(self.curve, **self._drawn())
        looks = {"view": {"stroke": None}, "axis": {"grid": False}, "legend": {"orient": "bottom", "columns": 2}}
        looks |= {"font": "system-ui, sans-serif"}
        sizes = {"width": 560, "height": 340, "background": "white", "config": looks}
        return interactive.specification(layers) | sizes

    def head(self):
        """Return the answer as HTML: what the curve has at its end, or why there is none and what to do about it."""
        return views.panel_html(self._answer(self.alternatives))

    @functools.cached_property
    def html(self):
        """The view next to its controls, below its answer and its chart."""
        pictures = (self.residuals(),) if self.curve else (self.picture(),)
        return views.panel_html(*self._parts(pictures))

    def _answer(self, alternatives):
        if not self.curve:
            return views.panel_notice(self.problem, alternatives)
        return views.panel_paragraph(self.forecast(), "said") + views.panel_paragraph(self.curve.headline())

    def _html(self, alternatives):
        return views.panel_html(self._answer(alternatives), *self._parts((self.picture(), self.residuals())))

    def _parts(self, pictures):
        """What is below the answer, as HTML."""
        tables, every = [], self.points()
        if self.curve:
            words, fits = meanings(), (self.curve, *self.others)
            rows = []  # one for each quantity: of as many columns, half would lie beyond the page
            for name in self.curve.glance().columns.drop("law"):
                cells = {each.law.title: _cell_of_fit(each.glance()[name].item()) for each in fits}
                rows += [{"quantity": f"{words[name]} ({name})"} | cells] * any(cells.values())
            whole = pd.DataFrame(rows)
            frames = {"Parameters": self.tidy(), "Whole fit": whole, "Forecasts": self.predict()}
            tables = [views.panel_table(frame, caption) for caption, frame in frames.items()]
        download = rendering.as_download("explore_points.csv", rendering.as_csv(every))
        return [
            *(picture._repr_html_() for picture in pictures if picture),
            views.panel_notes(self.notes()),
            *tables,
            views.panel_paragraph(f"Source: {self.chosen.source.locator}"),
            views.panel_table(every.assign(locator=self.chosen.frame["place"]), "Points"),
            f"<p>Download: {download}</p>",
        ]


def _cell_of_fit(value):
    """A quantity of a fit as text, for a column that has texts and numbers."""
    return value if isinstance(value, str) else "" if np.isnan(value) else number(value)


def view(state):
    """Return what the panel of fits shows for a state."""
    check_state_of_panel(state)
    law = laws.find(state.law)
    for name, good, expected in (
        ("level", LEVELS[0] <= state.level <= LEVELS[1], f"{LEVELS[0]} to {LEVELS[1]}"),
        ("error", state.error in ERRORS, f"one of {', '.join(ERRORS)}"),
        ("log_axes", state.log_axes in LOG_AXES, "x, y, xy or nothing"),
        ("noise_percent", state.noise_percent >= 0, "0 or more"),
        ("until", state.until >= 0, "0 or more"),
    ):
        if not good:
            raise wrong_parameter_of_panel(name, expected, getattr(state, name))
    names = [name.strip() for name in state.more_laws.split(",") if name.strip()]
    further = [laws.find(name).name for name in dict.fromkeys(names) if name != state.law]
    chosen = points.chosen_points(state.document, state.points, state.x, state.y)
    out = points_left_out_in_panel(state.left_out)
    if out and max(out) > len(chosen.frame):
        raise wrong_parameter_of_panel("left_out", f"numbers from 1 to {len(chosen.frame)}", state.left_out)
    constants = held_constants_of_panel(state)
    try:
        curve, others, not_fitted = fit_of_panel(state, chosen), [], []
        for name in further:
            try:
                others.append(fit_of_panel(dataclasses.replace(state, law=name, held=""), chosen))
            except DominoperfError as error:
                not_fitted.append(f"{laws.find(name).title} has no curve here: {error}")
        return FitView(state, chosen, curve, "", (), tuple(others), tuple(not_fitted))
    except DominoperfError as error:  # of points, constants or units: the reader turns another control
        lacking = [param for param in law.params if param.required and param.name not in constants]
        alternatives = [f"Write into Constants: {param.name} = ... ({param.meaning})." for param in lacking]
        alternatives += [f"Tick more of the {len(chosen.frame)} points."] if out else []
        bare, titles = dataclasses.replace(state, held="", noise_percent=0.0), []
        for name in dict.fromkeys([*laws_for_axes(chosen.x, chosen.y), *laws.OF_ANY_AXES]):
            with contextlib.suppress(DominoperfError):
                titles.append(fit_of_panel(dataclasses.replace(bare, law=name), chosen).law.title)
        alternatives += [
            f"Choose another law; these points take {', '.join(titles)}." if titles else "Choose other points."
        ]
        return FitView(state, chosen, None, str(error), tuple(alternatives))


def _points_ticked_in_panel(state, chosen):
    """Whether each point is fitted."""
    out = points_left_out_in_panel(state.left_out)
    return [number not in out for number in range(1, len(chosen.frame) + 1)]


def fit_of_panel(state, chosen):
    """Return the fit of the law of a state to the points that are not left out.

    `CannotFit` where no point is left, or a law of queues has as many servers as nobody has: x that are no processors,
    or a constant mistyped.
    """
    data = chosen.frame[_points_ticked_in_panel(state, chosen)]
    if data.empty:
        remedy = "Leave fewer points out."
        raise CannotFit(f"fit of {state.law}", expected="a point at least", found="none", remedy=remedy)
    constants = held_constants_of_panel(state)
    servers = constants.get("servers", 0.0)
    if state.law == "users_at_response":  # its x are the servers
        servers = max(servers, chosen.last, state.until)
    if servers > _MOST_SERVERS:
        remedy = "Choose points by processors, or another law."
        expected = f"at most {_MOST_SERVERS} servers"
        raise CannotFit(f"fit of {state.law}", expected=expected, found=number(servers), remedy=remedy)
    data.attrs["source"] = chosen.source
    settings = {"x": chosen.x, "y": chosen.y, "level": state.level, "fixed": constants}
    settings["error"] = None if state.error == "law" else state.error
    settings["interval"] = "wald" if state.law in _QUEUES else "auto"
    if state.noise_percent:  # relative; for constant errors in the unit of the column, of the mean fitted point
        relative = (settings["error"] or laws.find(state.law).error) == "relative"
        settings["sigma"] = state.noise_percent / 100 * (1.0 if relative else float(data[chosen.y].abs().mean()))
    return fit(state.law, data, **settings)


def held_constants_of_panel(state):
    """Return the constants that are held, from a text as ``think_s = 45, servers = 1``."""
    parts = [part.partition("=") for part in state.held.split(",") if part.strip()]
    try:
        return {name.strip(): float(value) for name, _, value in parts}
    except ValueError:
        raise wrong_parameter_of_panel("held", "name = number, further ones after a comma", state.held) from None


def points_left_out_in_panel(text):
    """Return the numbers of the points that are not fitted, from a text as ``1, 3``."""
    try:
        numbers = {int(part) for part in text.split(",") if part.strip()}
    except ValueError:
        numbers = {0}
    if numbers and min(numbers) < 1:
        raise wrong_parameter_of_panel("left_out", "whole numbers from 1, further ones after a comma", text)
    return numbers


def validated(before, after):
    """Return a new state in which nothing belongs to points that are no longer chosen.

    Another document begins with its first points; other points with all of them ticked, their own axes, the picture to
    their end, and a law that suits them unless the old one does.
    """
    if after.document != before.document:
        after = dataclasses.replace(after, points=next(iter(points.point_choices_of_document(after.document)), ""))
    moved = (after.document, after.points) != (before.document, before.points)
    if moved:
        after = dataclasses.replace(after, x="", y="")
    if not moved and (after.x, after.y) == (before.x, before.y):
        return after if after.law == before.law else dataclasses.replace(after, held="")
    chosen = points.chosen_points(after.document, after.points, after.x, after.y)
    after = dataclasses.replace(after, x=chosen.x, y=chosen.y, left_out="", until=chosen.last)
    suitable = laws_for_axes(chosen.x, chosen.y)
    if after.law in suitable:
        return after

    # The law with most parameters that still leaves a degree of freedom; a plain one where none suits.
    different = chosen.frame[chosen.x].nunique()
    ready = [law for law in map(laws.find, suitable) if not any(param.required for param in law.params)]
    spare = [law for law in ready if len(law.fitted_names) < different]
    if spare:
        law = max(spare, key=lambda law: len(law.fitted_names)).name
    elif ready:
        law = min(ready, key=lambda law: len(law.fitted_names)).name
    else:
        law = "power" if different > 1 else "linear"
    return dataclasses.replace(after, law=law, held="")


def laws_for_axes(x, y):
    """Return the names of the laws made for two columns: of any load and throughput those of processors and users.

    >>> laws_for_axes("threads", "tps") == laws_for_axes("processors", "users"), laws_for_axes("threads", "wait")
    (True, [])
    """
    load, rate = (possible_meaning(name) or name for name in (x, y))
    scaling = load in ("processors", *LOADS) and rate in THROUGHPUTS
    return laws.made_for_axes(x, y) or (laws.made_for_axes("processors", "users") if scaling else [])


def options(state):
    """Return what each list of the panel offers for a state: field to pairs of words and value."""
    chosen = points.chosen_points(state.document, state.points, state.x, state.y)
    suitable, user = laws_for_axes(chosen.x, chosen.y), user_of(chosen.frame)
    columns = [(label(name, user), name) for name in points.axis_columns_offered(state.document, state.points)]
    others = [law for law in laws.LAWS.values() if law.name not in suitable]
    return {
        "document": [(title, key) for key, title in points.documents_offered().items()],
        "points": [(title, name) for name, title in points.point_choices_of_document(state.document).items()],
        "x": columns,
        "y": columns,
        "law": [(laws.find(name).title, name) for name in suitable]
        + [(f"other: {law.title} ({law.family})", law.name) for law in others],
        "error": [(words, name) for name, words in ERRORS.items()],
        "log_axes": [(words, name) for name, words in LOG_AXES.items()],
    }
