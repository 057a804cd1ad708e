"""Which laws of a family the points refute, which still stand, and whether that leaves a single one."""

import functools
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from dominoperf.errors import CannotFit, UnknownName
from dominoperf.fitting import goodness_of_fit, summary
from dominoperf.fitting.points import Source
from dominoperf.tables import carried_errata, rendering
from dominoperf.tables.rendering import number

CANNOT_TELL, NONE = "cannot tell", "none"
_LEFT_OUT = ["law", "x", "observed", "predicted", "log_error", "extrapolated"]
_GLANCE = ["best", "runner_up", "standing", "verdict", "reason"]
_UNTESTED = "refuted_p: no larger law, repeats or sigma to test it by"


@carried_errata.handing_on("tidy", "glance", "augment", "predict", "derive", "left_out")
@dataclass(frozen=True)
class Comparison:
    """Laws fitted to the same points, those with fewer parameters first.

    A law whose residuals are more than noise is refuted (`goodness_of_fit` says how that is judged); the others stand.
    The verdict names a law where it alone stands. Of those that stand `best` forecasts left-out points best, which is
    no evidence that it holds. No forecast and no span is that of a refuted law.
    """

    fits: tuple = field(repr=False)
    refused: dict = field(repr=False)  # laws that could not be fitted, and why
    source: Source
    level: float

    @property
    def errata(self):
        """The errata that touch the points."""
        return carried_errata.errata_of(*self.fits)

    @functools.cached_property
    def errors(self):
        """Logarithms of forecast over observed of every left-out point, by law; those laws alone that have them."""
        errors = {}
        for fit in self.fits:
            y = fit.points[1]
            forecasts = None if fit.error_from == "rule" else goodness_of_fit.left_out(fit.curves, fit.estimates)
            if forecasts is not None and np.isfinite(forecasts).all() and (forecasts > 0).all() and (y > 0).all():
                errors[fit.law.name] = np.log(forecasts / y)
        return errors

    def left_out(self):
        """Return a row per law and point: what the other points forecast for it, over what was observed.

        Returns
        -------
        DataFrame
            law, x, observed, predicted, log_error, extrapolated (the point left out is the first or the last); laws
            alone whose points can all be left out.
        """
        if not self.errors:
            return pd.DataFrame(columns=_LEFT_OUT)
        frames = []
        for name, errors in self.errors.items():
            x, y = self._fit(name).points
            outside = (x == x.min()) | (x == x.max())
            parts = (name, x, y, y * np.exp(errors), errors, outside)
            frames.append(pd.DataFrame(dict(zip(_LEFT_OUT, parts, strict=True))))
        return pd.concat(frames, ignore_index=True)

    def derive(self, x=None):
        """Return what follows from the parameters of each law, as `Fit.derive` has it, with the law in front."""
        frames = [fit.derive(x).assign(law=fit.law.name) for fit in self.fits]
        frame = pd.concat(frames, ignore_index=True)
        return frame[["law", *frame.columns.drop("law")]]

    @functools.cached_property
    def judged(self):
        """The strongest test of each law, and its p value, by law; as `goodness_of_fit.judged` has them."""
        return {fit.law.name: goodness_of_fit.judged(fit, self.fits) for fit in self.fits}

    @functools.cached_property
    def refuted(self):
        """P values of the laws that the residuals refute, by law: below ``1 - level``."""
        return {name: p for name, (_, p) in self.judged.items() if p < 1 - self.level}

    @functools.cached_property
    def standing(self):
        """Names of the laws that are not refuted, those with fewer parameters first; often more than one, or none."""
        return [fit.law.name for fit in self.fits if fit.law.name not in self.refuted]

    @functools.cached_property
    def order(self):
        """Names of the laws that stand by leave-one-out error; of equals the one with fewer parameters comes first.

        Where none stands, of all laws.
        """
        size = {name: np.sqrt(np.mean(errors**2)) for name, errors in self.errors.items()}
        size = {name: size[name] for name in self.standing or size if name in size}
        return sorted(size, key=lambda name: (float(f"{size[name]:.9g}"), self._fit(name).curves.free.sum()))

    @property
    def best(self):
        """The fit that forecasts left-out points best, of the laws that stand, or of all where none stands.

        Where no point can be left out, that with fewest parameters.
        """
        return self._fit([*self.order, *self.standing, self.fits[0].law.name][0])

    def _fit(self, name):
        return next(fit for fit in self.fits if fit.law.name == name)

    def __getitem__(self, name):
        """Return the fit of a law by its name."""
        if name not in {fit.law.name for fit in self.fits}:
            names = [fit.law.name for fit in self.fits]
            raise UnknownName.among("law of this comparison", name, names, f"Compared are {', '.join(names)}.")
        return self._fit(name)

    def tidy(self):
        """Return a row per law, as `Fit.glance` has it, with what refutes it and its p value.

        Returns
        -------
        DataFrame
            Before the reason stand refuted_by (a law, "sigma", "y_err", "repeats", or "" for a law that stands) and
            refuted_p (its p value, NaN where nothing tests it). A law that could not be fitted has the reason alone.
        """
        rows = []
        for fit in self.fits:
            (by, p), row = self.judged[fit.law.name], fit.glance()
            reasons = [*row.pop("reason"), _UNTESTED if p != p and fit.error_from != "rule" else ""]
            row["refuted_by"], row["refuted_p"] = by if fit.law.name in self.refuted else "", p
            rows.append(row.assign(reason="; ".join(filter(None, reasons))))
        lost = [pd.DataFrame([{"law": name, "reason": why}]) for name, why in self.refused.items()]
        frame = pd.concat([*rows, *lost], ignore_index=True) if lost else pd.concat(rows, ignore_index=True)
        texts = frame.columns.drop(["law", *frame.select_dtypes("number").columns])
        return frame.assign(**{name: frame[name].fillna("") for name in texts})

    def augment(self):
        """Return a row per law and point: law, x, y, fitted, residual."""
        parts = [fit.augment().assign(law=fit.law.name) for fit in self.fits]
        return pd.concat(parts, ignore_index=True)[["law", "x", "y", "fitted", "residual"]]

    def glance(self):
        """Return one row: best, runner_up, standing (each law that does), verdict, reason."""
        runner_up, standing = self.order[1] if len(self.order) > 1 else "", ", ".join(self.standing)
        return pd.DataFrame([(self.best.law.name, runner_up, standing, *self.verdict)], columns=_GLANCE)

    @functools.cached_property
    def verdict(self):
        """The law that alone stands, "cannot tell" where several do, "none" where none does; and why."""
        standing, best = self.standing, self.best
        if best.error_from == "rule":
            return CANNOT_TELL, "a published rule is not data"
        shown = summary.listed(f"{name} ({summary.refutation(*self.judged[name])})" for name in self.refuted)
        if not standing:
            return NONE, f"the residuals refute {shown}"
        if len(self.fits) == 1:
            return CANNOT_TELL, "a single law could be fitted"
        full = [name for name in standing if not self[name].dof and np.isnan(self.judged[name][1])]
        if len(standing) == 1 and not full:
            return standing[0], f"the residuals refute {shown}"
        if not shown and all(p != p for _, p in self.judged.values()):
            return CANNOT_TELL, "too few points to test a law by"
        stand = f"{summary.listed(standing)} stand{'s'[: len(standing) == 1]}"
        ahead = f", of which {best.law.name} forecasts left-out points best" if len(self.order) > 1 else ""
        refuted = f"; the residuals refute {shown}" if shown else ""
        spare = f"; nothing can test {summary.listed(full)}, with as many parameters as points" if full else ""
        return CANNOT_TELL, f"{stand}{ahead}{refuted}{spare}"

    def check_x(self):
        """Refuse to set laws side by side at one x where some follow y from another column."""
        check_same(self.fits, "x")

    def predict(self, x):
        """Return forecasts of the best law, beside the least and the most that any law that stands says.

        Returns
        -------
        DataFrame
            x, law, predicted, span_low, span_high, n_laws (that stand and say something there), extrapolated. Where no
            law stands there is no forecast: NaN.

        Raises
        ------
        CannotFit
            When the laws took different columns of a frame for x.
        """
        self.check_x()
        best, at = self.best, self.best.asked(x)
        spans = self._ahead(at)
        predicted = best.curve(at) if self.standing else np.nan
        parts = {"x": at, "law": best.law.name if self.standing else "", "predicted": predicted}
        parts |= {"span_low": spans.min().to_numpy(), "span_high": spans.max().to_numpy()}
        parts |= {"n_laws": spans.count().to_numpy()}
        return pd.DataFrame(parts | {"extrapolated": best.outside(at)})

    def _ahead(self, x):
        """What each law that stands forecasts, a row per law and a column per x; NaN where it ends before that x."""
        curves = [self._fit(name).curve(x) for name in self.standing]
        frame = pd.DataFrame(curves, index=self.standing, columns=range(len(x)), dtype=float)
        return frame.where(np.isfinite(frame) & ((frame > 0) | (not self.best.positive)))

    def headline(self):
        """Return in a sentence or three what was compared, by which error model, and what came of it."""
        count, points = len(self.fits), len(self.fits[0].points[0])
        what = f"{count} law{'s'[: count != 1]} through {summary.of_points(points, self.source)}."
        lost = f"Not fitted: {', '.join(self.refused)}." if self.refused else ""
        return " ".join(
            filter(None, (what, summary.columns(self.fits[0]), summary.error_model(*self.fits), self.say(), lost))
        )

    def say(self):
        """Return the verdict and its reason."""
        return f"The points {self.finding()}: {self.verdict[1]}."

    def finding(self):
        """Return the verdict as what the points do, to follow the words "the points"."""
        verdict = self.verdict[0]
        words = {CANNOT_TELL: "cannot tell which law holds", NONE: "refute every law"}
        return words.get(verdict, f"speak for {verdict}")

    def say_forecast(self, x):
        """Return in words what the laws that stand forecast at one x; others are named apart."""
        self.check_x()
        ahead = self._ahead(np.array([float(x)]))[0].dropna()
        below = [name for name in self.standing if self._fit(name).positive and self._fit(name).curve([x])[0] < 0]
        if len(ahead) > 1:
            ends = f"{number(ahead.min(), 3)} to {number(ahead.max(), 3)}"
            forecast = f"{len(ahead)} of {len(self.fits)} laws forecast {ends}"
        else:
            forecast = (
                f"{ahead.index[0]} forecasts {number(ahead.iloc[0], 3)}" if len(ahead) else "no law forecasts any"
            )
        beyond = ", extrapolated" if self.best.outside(x) else ""
        refuted = f"; refuted: {summary.listed(self.refuted)}" if self.refuted else ""
        ended = f"; below zero, which cannot be: {summary.listed(below)}" if below else ""
        x_label, y_label = self.best.label(self.best.x), self.best.label(self.best.y)
        return f"{forecast} {y_label} at {number(x, 6)} {x_label}{beyond}{refuted}{ended}"

    def __str__(self):
        """Return the comparison as text for a terminal."""
        return rendering.as_report(self.headline(), (self.tidy(),))

    __repr__ = __str__

    def _repr_html_(self):
        return rendering.as_html_report(self.headline(), (self.tidy(),))


def check_same(fits, axis):
    """Refuse laws that took different columns of a frame for an axis."""
    taken = {getattr(fit, axis): f"{getattr(fit, axis)} of {fit.law.name}" for fit in fits}
    if len(taken) > 1:
        remedy = f"Name the column with {axis}=, or compare laws of one kind."
        found = ", ".join(taken.values())
        raise CannotFit("compare", expected=f"laws of the same {axis}", found=found, remedy=remedy)
