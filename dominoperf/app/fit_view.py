"""The panel of fits: from what is chosen to a curve, a picture, tables and words; or why not, and what to do."""

import dataclasses
import functools
import math
from dataclasses import dataclass

import pandas as pd

from dominoperf import figures, laws
from dominoperf.app import markup
from dominoperf.app.points import Chosen, axes, choices, choose, documents, short_places
from dominoperf.app.state import FitState, check, wrong
from dominoperf.errors import CannotFit, DominoperfError
from dominoperf.fitting import Fit, fit
from dominoperf.tables import label, rendering, user_of
from dominoperf.tables.rendering import number

ERRORS = ("law", "relative", "constant")
LEVELS = (0.6, 0.99)  # of the slider: at a half `fit` refuses it, at 1 every interval is infinite
_MOST_SERVERS = 256  # of a queue whose every state is added up for each value
_BEYOND = 4  # times the largest x: as far as the slider goes
_SUMMED = ("closed", "users_at_response")  # laws that add up every state of a queue, or search it, for each value
_PLAIN = ("power", "linear")  # for axes that no law is made for
_TIDY = ["term", "unit", "estimate", "std_error", "low", "high", "at_bound", "reason"]  # columns of tables without rows
_PREDICT = ["x", "predicted", "mean_low", "mean_high", "extrapolated"]
_OF_SUMMED = (
    "The intervals of this law are of estimate and standard error (Wald's), the same to both sides up to a bound: "
    "those of the other laws, from the profile of the sum of squares, would take minutes here. Few points make them "
    "too narrow."
)


@dataclass(frozen=True)
class FitView:
    """Points, and the fit through those that are ticked; or `problem`, why there is none, and `ways` out of it."""

    state: FitState
    chosen: Chosen
    curve: Fit | None
    problem: str
    ways: tuple

    @property
    def taken(self):
        """Whether each point is fitted."""
        out = left_out(self.state.left_out)
        return [number not in out for number in range(1, len(self.chosen.frame) + 1)]

    @property
    def until(self):
        """How far the curve is drawn: beyond the points, or to their end."""
        own = self.chosen.frame[self.chosen.x]
        return max(self.state.until, own.max()) if len(own) else self.state.until

    def said(self):
        """Say in a few sentences what was fitted and what it forecasts, or why there is no fit."""
        return f"{self.forecast()} {self.curve.headline()}" if self.curve else self.problem

    def notes(self):
        """Tell what to mind about the points, and about intervals that are not as those of the other laws."""
        plain = (_OF_SUMMED,) if self.curve and self.curve.interval == "wald" else ()
        return (*self.chosen.warnings, *plain)

    @functools.cached_property
    def _forecast(self):
        return self.curve.predict([self.until / self._factor(0)]).iloc[0]

    def forecast(self):
        """Say what the curve has at the end of its picture; nothing without one."""
        if not self.curve:
            return ""
        row = self._forecast
        sure = f"{self.curve.level:.0%} interval {number(row['mean_low'])} to {number(row['mean_high'])}"
        known = sure if row["mean_low"] == row["mean_low"] else "no interval"
        beyond = ", extrapolated" if row["extrapolated"] else ""
        x, y = self.curve.label(self.curve.x), self.curve.label(self.curve.y)
        return f"Where {x} = {number(row['x'])}, {y} = {number(row['predicted'])} ({known}{beyond})."

    def reading(self):
        """Return what the curve forecasts, and what it is of, as two texts; or that there is none, and why."""
        if not self.curve:
            return "No curve goes through these points.", self.problem
        law, count = self.curve.law.title, len(self.curve.points[0])
        return self.forecast(), f"That is {law} through {count} points: {self.chosen.title}."

    def tidy(self):
        """Return the parameters, as `Fit.tidy`; no row where there is no fit."""
        return self._frames["parameters"]

    def predict(self):
        """Return the forecasts at the points and at the end, as `Fit.predict`."""
        return self._frames["forecasts"]

    def frames(self):
        """Return the tables of the panel: parameters, whole fit, forecasts; none without a fit."""
        return dict(self._frames) if self.curve else {}

    @functools.cached_property
    def _frames(self):
        if not self.curve:
            return {"parameters": pd.DataFrame(columns=_TIDY), "forecasts": pd.DataFrame(columns=_PREDICT)}
        asked = sorted({*self.curve.points[0], self.until / self._factor(0)})
        return {
            "parameters": self.curve.tidy(),
            "whole fit": self.curve.glance(),
            "forecasts": self.curve.predict(asked),
        }

    def points(self):
        """Return every point: x, y, fitted, residual, whether it was fitted (used), locator."""
        frame, chosen = self.chosen.frame, self.chosen
        x, y = (frame[name].astype(float) / self._factor(k) for k, name in enumerate((chosen.x, chosen.y)))
        fitted = self.curve.curve(x.to_numpy()) if self.curve else math.nan
        parts = {"x": x, "y": y, "fitted": fitted, "residual": y - fitted, "used": self.taken}
        return pd.DataFrame(parts | {"locator": frame["locator"]})

    def _factor(self, axis):
        """What an axis was divided by to be in the unit of the law: 100 where it takes a share for percent."""
        if not self.curve:
            return 1.0
        name = (self.chosen.x, self.chosen.y)[axis]
        total = float(self.curve.points[axis].sum())
        return float(self.chosen.frame[name][self.taken].sum()) / total if total else 1.0

    def code(self):
        """Return the Python that makes the same fit."""
        state, chosen = self.state, self.chosen
        dropped = [k for k, taken in enumerate(self.taken) if not taken]
        known = f'.dropna(subset=["{chosen.x}", "{chosen.y}"], ignore_index=True)' if not chosen.is_series else ""
        data = chosen.code + known + (f".drop({dropped})" if dropped else "")
        told = ", ".join(f"{name}={value!r}" for name, value in _settings(state, chosen).items())
        return f'fit("{state.law}", {data}, {told})'

    def picture(self):
        """Return the picture: curve, interval, points; the points alone where there is no fit. None without points."""
        chosen = self.chosen
        words = {"subtitle": _short(chosen.title), "foot": f"Source: {chosen.source.locator}"}
        if self.curve:
            beside = self._beside()
            title = f"{self.curve.law.title} through {len(self.curve.points[0])} points"
            return figures.picture(
                self.curve, until=self.until / self._factor(0), beside=beside, title=title, alt=self.said(), **words
            )
        if chosen.frame.empty:
            return None
        drawing = figures.points(chosen.frame, chosen.x, chosen.y, hollow=True)
        return figures.picture(drawing, title="No law is fitted to these points", alt=self._alone(), **words)

    def _alone(self):
        return f"No law is fitted. The points: {'; '.join(self.chosen.frame['words'])}"

    def _beside(self):
        """The points that are not fitted: those left out by hand, and those of the table that were never in."""
        names = [self.chosen.x, self.chosen.y]
        out = self.chosen.frame[[not taken for taken in self.taken]]
        rows = pd.concat([out[names], self.chosen.beside[names]] if len(self.chosen.beside) else [out[names]])
        own = zip(names, (self.curve.x, self.curve.y), (self._factor(0), self._factor(1)), strict=True)
        return pd.DataFrame({ours: rows[name].astype(float) / factor for name, ours, factor in own})

    def residuals(self):
        """Return the small picture of what the fit leaves; None without a fit."""
        if not self.curve:
            return None
        rows = self.points()[self.taken]
        told = "; ".join(f"{number(row.x)}: {number(row.residual)}" for row in rows.itertuples())
        words = {"title": "What the curve leaves at each point", "height": 2.2}
        return figures.picture(figures.residuals(self.curve), alt=f"Residuals by {self.curve.x}: {told}", **words)

    @functools.cached_property
    def html(self):
        """The panel's view as HTML."""
        return self._html(self.ways)

    @functools.cached_property
    def still(self):
        """The view as HTML where no controls are: it tells no one to use them."""
        return self._html(())

    def _html(self, ways):
        drawn = [picture._repr_html_() for picture in (self.picture(), self.residuals()) if picture]
        tables = [markup.table(frame, name.capitalize()) for name, frame in self.frames().items()]
        head = markup.notice(self.problem, ways)
        if self.curve:
            head = markup.paragraph(self.forecast(), "said") + markup.paragraph(self.curve.headline())
        notes = markup.listing(self.notes())
        return markup.view(
            head,
            *drawn,
            markup.heading("Before believing it") if notes else "",
            notes,
            *tables,
            markup.paragraph(f"Source: {self.chosen.source.locator}"),
            markup.table(short_places(self.points(), self.state.document), "Points"),
            f"<p>Download: {self.download()}</p>",
            markup.heading("The same in Python"),
            markup.code(self.code()),
        )

    def download(self):
        """Return the link to the points as CSV."""
        return rendering.as_download("explore_points.csv", rendering.as_csv(self.points()))


def view(state):
    """Return what the panel of fits shows for a state.

    Raises
    ------
    UnknownName
        When the document, the points, a column or the law does not exist.
    BadTable
        When another value cannot be.
    """
    _check(state)
    chosen = choose(state.document, state.points, state.x, state.y)
    out = left_out(state.left_out)
    if out and max(out) > len(chosen.frame):
        raise wrong("left_out", f"numbers from 1 to {len(chosen.frame)}", state.left_out)
    held(state)
    try:
        return FitView(state, chosen, fitted(state, chosen), "", ())
    except DominoperfError as error:  # of points, constants or units: the reader turns another control
        return FitView(state, chosen, None, str(error), _ways(state, chosen))


def fitted(state, chosen):
    """Fit the law of a state to the points that are not left out."""
    out = left_out(state.left_out)
    data = chosen.frame[[k not in out for k in range(1, len(chosen.frame) + 1)]]
    if data.empty:
        remedy = "Leave fewer points out."
        raise CannotFit(f"fit of {state.law}", expected="a point at least", found="none", remedy=remedy)
    _not_too_many(state, chosen)
    data.attrs["source"] = chosen.source
    return fit(state.law, data, **_settings(state, chosen))


def _not_too_many(state, chosen):
    """Refuse a law of queues with as many servers as nobody has: x that are no processors, or a constant mistyped."""
    law, most = laws.find(state.law), held(state).get("servers", 0.0)
    most = max(most, chosen.frame[chosen.x].max(), state.until) if state.law == _SUMMED[1] else most
    if most > _MOST_SERVERS:
        remedy = "Choose points by processors, or another law."
        expected = f"at most {_MOST_SERVERS} servers"
        raise CannotFit(f"fit of {law.name}", expected=expected, found=number(most), remedy=remedy)


def _settings(state, chosen):
    """The arguments of `fit`; only those that are not its defaults, but for columns and level."""
    given = {"x": chosen.x, "y": chosen.y, "level": state.level}
    given |= {"error": state.error} if state.error != "law" else {}
    given |= {"fixed": held(state)} if held(state) else {}
    given |= {"interval": "wald"} if state.law in _SUMMED else {}
    return given | ({"sigma": _sigma(state, chosen)} if state.noise_percent else {})


def _sigma(state, chosen):
    """The known noise as `fit` takes it: relative, or for constant errors in units of y, of the mean point."""
    error = laws.find(state.law).error if state.error == "law" else state.error
    share = state.noise_percent / 100
    return share if error == "relative" else share * float(chosen.frame[chosen.y].abs().mean())


def held(state):
    """Read the constants that are held, as in ``think_s = 45, servers = 1``.

    Raises
    ------
    BadTable
        When a part is no ``name = number``.
    """
    parts = [part.partition("=") for part in state.held.split(",") if part.strip()]
    try:
        return {name.strip(): float(value) for name, _, value in parts}
    except ValueError:
        raise wrong("held", "name = number, further ones after a comma", state.held) from None


def left_out(text):
    """Read the numbers of the points that are not fitted, as in ``1, 3``.

    Raises
    ------
    BadTable
        When a part is no whole number from 1.
    """
    try:
        numbers = {int(part) for part in text.split(",") if part.strip()}
    except ValueError:
        numbers = {0}
    if numbers and min(numbers) < 1:
        raise wrong("left_out", "whole numbers from 1, further ones after a comma", text)
    return numbers


def _check(state):
    """Refuse what no control of the panel could have been set to."""
    check(state)
    laws.find(state.law)
    if not LEVELS[0] <= state.level <= LEVELS[1]:
        raise wrong("level", f"{LEVELS[0]} to {LEVELS[1]}", state.level)
    if state.error not in ERRORS:
        raise wrong("error", f"one of {', '.join(ERRORS)}", state.error)
    for name in ("noise_percent", "until"):
        if getattr(state, name) < 0:
            raise wrong(name, "0 or more", getattr(state, name))


def suiting(x, y):
    """List the laws made for two axes, by name; a share may be given in percent."""
    axes_ = [name.removesuffix("_percent") for name in (x, y)]
    return [law.name for law in laws.LAWS.values() if [law.x, law.y] == axes_]


def _ways(state, chosen):
    """What a reader can do about a fit that cannot be had."""
    law, count = laws.find(state.law), len(chosen.frame)
    lacking = [param for param in _asked_for(law) if param.name not in state.held]
    ways = [f"Write into Constants: {param.name} = ... ({param.meaning})." for param in lacking]
    if left_out(state.left_out):
        ways.append(f"Tick more of the {count} points.")
    known = _that_fit(dataclasses.replace(state, law="", held="", noise_percent=0.0))
    if known:
        titles = ", ".join(laws.find(name).title for name in known)
        return (*ways, f"Choose another law; these points take {titles}.")
    return (*ways, "Choose other points.")


def _asked_for(law):
    """The constants that a reader has to know."""
    return [param for param in law.params if param.held is not None and math.isnan(param.held)]


@functools.lru_cache(maxsize=64)
def _that_fit(state):
    """The laws, of those that suit and the plain ones, that the ticked points take."""
    chosen, found = choose(state.document, state.points, state.x, state.y), []
    for name in dict.fromkeys([*suiting(chosen.x, chosen.y), *_PLAIN]):
        try:
            fitted(dataclasses.replace(state, law=name), chosen)
            found.append(name)
        except DominoperfError:
            continue
    return found


def settled(before, after):
    """Return a new state in which nothing belongs to points that are no longer chosen.

    Another document begins with its first points; other points with all of them ticked, their own axes, and a law that
    suits them unless the old one does.
    """
    if after.document != before.document:
        after = dataclasses.replace(after, points=next(iter(choices(after.document)), ""))
    moved = (after.document, after.points) != (before.document, before.points)
    if moved:
        after = dataclasses.replace(after, x="", y="")
    if moved or (after.x, after.y) != (before.x, before.y):
        return _begun(after)
    return after if after.law == before.law else dataclasses.replace(after, held="")


def _begun(state):
    """All points ticked, the picture somewhat beyond them, the law kept where it suits the axes."""
    chosen = choose(state.document, state.points, state.x, state.y)
    own = chosen.frame[chosen.x]
    state = dataclasses.replace(state, x=chosen.x, y=chosen.y, left_out="", until=float(own.max()) if len(own) else 0.0)
    known = suiting(chosen.x, chosen.y)
    if state.law in known:
        return state
    return dataclasses.replace(state, law=_first_law(known, own.nunique()), held="")


def _first_law(known, different):
    """Of the laws that suit the one with most parameters that still leaves a degree of freedom; else a plain one."""
    ready = [law for law in map(laws.find, known) if not _asked_for(law)]
    if not ready:
        return _PLAIN[0] if different > 1 else _PLAIN[1]
    spare = [law for law in ready if len(law.free) < different]
    return max(spare, key=_count).name if spare else min(ready, key=_count).name


def _count(law):
    return len(law.free)


def options(state):
    """Return what each list of the panel offers for a state: field to pairs of words and value."""
    columns = axes(state.document, state.points)
    known = choose(state.document, state.points, state.x, state.y)
    mine, user = suiting(known.x, known.y), user_of(known.frame)
    others = [name for name in laws.LAWS if name not in mine]
    words = [(laws.find(name).title, name) for name in mine]
    words += [(f"other: {laws.find(name).title} ({laws.find(name).family})", name) for name in others]
    return {
        "document": [(title, key) for key, title in documents().items()],
        "points": [(title, name) for name, title in choices(state.document).items()],
        "x": [(label(name, user), name) for name in columns],
        "y": [(label(name, user), name) for name in columns],
        "law": words,
        "error": [("as the law says", "law"), ("relative", "relative"), ("constant", "constant")],
    }


def farthest(chosen):
    """Return the range of the slider that says how far the curve is drawn."""
    own = chosen.frame[chosen.x]
    last = float(own.max()) if len(own) else 1.0
    return last, _BEYOND * last


def _short(title):
    return title if len(title) <= 90 else title[:88].rstrip() + " …"
