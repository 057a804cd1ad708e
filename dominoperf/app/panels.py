"""Controls bound to views: a panel reads its controls into a state, and shows the view of that state."""

import dataclasses
import functools
import urllib.parse
from collections.abc import Callable
from types import ModuleType
from typing import Any

import ipywidgets as w

from dominoperf.app import capacity_view, fit_view, plan_view, table_view, views
from dominoperf.app.views import CapacityState, FitState, PlanState, TableState, parameters
from dominoperf.errors import DominoperfError

_STATIC = "This is a picture of the panel. It has controls in JupyterLab (dominoperf lab) and the app (dominoperf app)."
_VEGA_LITE = "application/vnd.vegalite.v5+json"  # JupyterLab and Voilà draw it by themselves
_EMBED = {"actions": False, "renderer": "svg", "ast": True}  # interpreted: our pages forbid to run text as a script
_FULL = {"width": "100%", "min_width": "0"}  # as wide as the page, and no wider for what is in it
_LABEL = {"description_width": "8rem"}
_ITABLE = {
    "allow_html": False,  # cells are data
    "maxBytes": 0,  # all rows
    "lengthMenu": [10, 25, 100],
    "layout": {"topStart": "pageLength", "topEnd": None, "bottomStart": "info", "bottomEnd": "paging"},
    "classes": "display compact explore-rows",
    "columnDefs": [{"targets": "_all", "className": "dt-left"}],
}


class Panel:
    """A state, its view, and the controls that change it; `view_module` is the module of pure functions it wires.

    In a notebook it shows its controls and view; where no widget can live, the view alone.
    """

    view_module: ModuleType
    state_of: type  # the class of its states

    def __init__(self, *values: Any, **named: Any) -> None:
        whole = values and isinstance(values[0], self.state_of)
        self.state = values[0] if whole else self.state_of(*values, **named)
        self.view = self.view_module.view(self.state)
        self._listeners = []
        self._showing = False  # while the panel itself sets its controls, they must not answer

    @functools.cached_property
    def controls(self) -> dict[str, w.Widget]:
        """The controls by the name of their field, made when first asked for."""
        made = self._controls()
        for name, control in made.items():
            control.observe(functools.partial(self._on_change, name), "value")
        return made

    @functools.cached_property
    def outputs(self) -> list[w.Widget]:
        """The widgets that show the view."""
        return [w.HTML(layout=w.Layout(**_FULL))]

    @functools.cached_property
    def message_area(self) -> w.HTML:
        """Where it says that a control cannot have its value."""
        return w.HTML(layout=w.Layout(**_FULL))

    @functools.cached_property
    def widget(self) -> w.VBox:
        """All of the panel: controls that wrap, then what they give."""
        wrap = w.Layout(display="flex", flex_flow="row wrap", align_items="center")
        rows = [w.Box([self.controls[name] for name in names], layout=wrap) for names in self._rows()]
        whole = w.VBox([*rows, self.message_area, *self.outputs])
        self._show()
        return whole

    def _controls(self):
        """The controls by the name of their field."""
        raise NotImplementedError

    def _rows(self):
        """The names of the controls, in the rows that they are in."""
        return [list(self.controls)]

    def listen(self, listener: Callable[[], object]) -> None:
        """Have a function called after every change."""
        self._listeners.append(listener)

    def _on_change(self, name, change):
        """Take the value that a reader gave a control."""
        if not self._showing:
            self.set(**{name: change["new"]})

    def set(self, **values: Any) -> None:
        """Take other values, as if controls had been turned; where they cannot be, say so above the old view."""
        try:
            state = self._without_stale_choices(dataclasses.replace(self.state, **values))
            self.state, self.view = state, self.view_module.view(state)
        except DominoperfError as error:  # of a text that somebody types
            self.message_area.value = views.panel_html(views.panel_notice(str(error)))
            return
        self.message_area.value = ""
        self._show()
        for listener in self._listeners:
            listener()

    def _without_stale_choices(self, state):
        """The new state without choices that belong to something no longer chosen: of most panels none do."""
        return state

    def _show(self):
        """Put state and view into the widgets; what is shown until then is dimmed."""
        self._showing = True
        self.outputs[0].add_class(views.WAITING)
        try:
            self._fill()
        finally:
            self._showing = False
            self.outputs[0].remove_class(views.WAITING)

    def _fill(self):
        """Put state and view into controls and outputs."""
        offered = self.view_module.options(self.state)
        for name, control in self.controls.items():
            # New options take the choice away: only where they are others.
            if name in offered and list(control.options) != offered[name]:
                control.options = offered[name]
            value = getattr(self.state, name)
            if hasattr(control, "max"):  # what was asked for in an address may lie beyond the usual range
                control.max, control.min = max(control.max, value), min(control.min, value)
            control.value = value
        self.outputs[0].value = self.view.html

    def _repr_mimebundle_(self, include=None, exclude=None):
        """Return the controls where widgets live, and beside them the view as it is.

        The site knows the view by the name of its panel, and puts controls over it that need no server.
        """
        bundle = self.widget._repr_mimebundle_()
        name = type(self).__name__.removesuffix("Panel").lower()
        above = views.panel_html(views.panel_paragraph(_STATIC))
        named = f'<div data-panel="{name}">{above}{self.view.static_html}</div><!-- panel -->'
        return bundle | {"text/plain": self.view.summary(), "text/html": named}


class FitPanel(Panel):
    """The panel of fits; the arguments are a `FitState`, or its fields."""

    view_module = fit_view
    state_of = FitState

    def _controls(self):
        low, high = fit_view.LEVELS
        return {
            "document": _control(w.Dropdown, "Document", "22rem"),
            "points": _control(w.Dropdown, "Points", "22rem"),
            "x": _control(w.Dropdown, "Across (x)", "22rem"),
            "y": _control(w.Dropdown, "Upwards (y)", "22rem"),
            "law": _control(w.Dropdown, "Law", "22rem"),
            "level": _control(w.FloatSlider, "Level", "22rem", min=low, max=high, step=0.01, continuous_update=False),
            "error": _control(w.Dropdown, "Noise grows", "22rem"),
            "noise_percent": _control(w.BoundedFloatText, "Noise, %", "14rem", min=0, max=100),
            "until": _control(w.FloatSlider, "Draw to", "22rem", continuous_update=False),
            "held": _control(w.Text, "Constants", "22rem", placeholder="think_s = 45", continuous_update=False),
            "more_laws": _control(w.Text, "Further laws", "22rem", placeholder="usl, power", continuous_update=False),
            "log_axes": _control(w.Dropdown, "Axes", "22rem"),
        }

    @functools.cached_property
    def ticks(self) -> w.Box:
        """The box of ticks, one for each point."""
        return w.Box(layout=w.Layout(display="flex", flex_flow="row wrap"))

    @functools.cached_property
    def upload(self) -> w.FileUpload:
        """The button that takes a file of the reader's, whose columns of numbers can then be chosen."""
        width = w.Layout(width="22rem", max_width="98%")
        button = w.FileUpload(accept=".csv,.tsv,.txt", description="Your own CSV file", layout=width)
        button.observe(self._on_upload, "value")
        return button

    @functools.cached_property
    def outputs(self) -> list[w.Widget]:
        """What is below the curve, the curve for a pointer, and the answer above it."""
        return [*super().outputs, w.Output(), w.HTML(layout=w.Layout(**_FULL))]

    @functools.cached_property
    def widget(self) -> w.VBox:
        """The controls and ticks on the left and the curve beside them, so that one screen shows both; else below."""
        left = w.VBox([self.upload, *self.controls.values(), self.ticks], layout=w.Layout(flex="0 1 24rem"))
        below, curve, answer = self.outputs
        beside = w.VBox([self.message_area, answer, curve], layout=w.Layout(flex="1 1 32rem", min_width="0"))
        self._show()
        wraps = w.Layout(display="flex", flex_flow="row wrap", align_items="flex-start")
        return w.VBox([w.Box([left, beside], layout=wraps), below])

    def _without_stale_choices(self, state):
        return fit_view.validated(self.state, state)

    def _fill(self):
        """Set the reach of the slider and the ticks too."""
        chosen = self.view.chosen
        low = chosen.last if len(chosen.frame) else 1.0
        slider, until = self.controls["until"], self.view.until
        high = max(4 * low, until)
        slider.max = max(slider.max, high)  # first, for the new ends may lie beyond the old ones on either side
        slider.min, slider.max, slider.step = low, high, (high - low) / 60 or 1
        self.state = dataclasses.replace(self.state, x=chosen.x, y=chosen.y, until=until)
        super()._fill()
        _, curve, answer = self.outputs
        answer.value, chart = self.view.head(), self.view.chart()
        data, about = {_VEGA_LITE: chart, "text/plain": self.view.forecast()}, {_VEGA_LITE: {"embed_options": _EMBED}}
        curve.outputs = ({"output_type": "display_data", "data": data, "metadata": about},) if chart else ()

        words = list(chosen.frame["words"])
        if [tick.description for tick in self.ticks.children] != words:
            layout = w.Layout(width="auto", margin="0 1.2em 0 0")
            self.ticks.children = [w.Checkbox(description=text, indent=False, layout=layout) for text in words]
            for tick in self.ticks.children:
                tick.observe(self._on_tick, "value")
        for tick, taken in zip(self.ticks.children, self.view.taken, strict=True):
            tick.value = taken

    def _on_upload(self, _change):
        """Take a file that a reader gave."""
        for file in self.upload.value:
            try:
                key = fit_view.points.take_file(file["name"], bytes(file["content"]))
            except DominoperfError as error:
                self.message_area.value = views.panel_html(views.panel_notice(str(error)))
            else:
                self.set(document=key, x="", y="")  # a file of the same name may have other columns and rows

    def _on_tick(self, _change):
        """Leave out the points without a tick."""
        if not self._showing:
            out = [str(k) for k, tick in enumerate(self.ticks.children, start=1) if not tick.value]
            self.set(left_out=", ".join(out))


class PlanPanel(Panel):
    """The panel of plans; the arguments are a `PlanState`, or its fields."""

    view_module = plan_view
    state_of = PlanState

    def _controls(self):
        people = {"min": 0, "max": 10000, "step": 10}
        percent = {"max": 100, "readout_format": ".0f"}
        return {
            "light_mail": _control(w.IntSlider, plan_view.PEOPLE["mail"], "26rem", **people),
            "active": _control(w.IntSlider, plan_view.PEOPLE["active"], "26rem", **people),
            "groupware": _control(w.IntSlider, plan_view.PEOPLE["power"], "26rem", **people),
            "databases": _control(w.IntSlider, "Shared databases", "26rem", min=0, max=100),
            "system": _control(w.Dropdown, "System", "26rem"),
            "utilization_percent": _control(w.FloatSlider, "Utilization, %", "26rem", min=5, step=5, **percent),
            "raid": _control(w.Dropdown, "RAID", "26rem"),
            "critical": _control(w.Checkbox, "The data are critical", "26rem", indent=False),
            "growth_percent": _control(w.FloatSlider, "Growth a year, %", "26rem", min=0, step=1, **percent),
            "months_ahead": _control(
                w.FloatSlider, "Months ahead", "26rem", min=0, max=60, step=1, readout_format=".0f"
            ),
            "spare_servers": _control(w.IntSlider, "Spare servers", "26rem", min=0, max=5),
        }


class CapacityPanel(Panel):
    """The panel of capacity; the arguments are a `CapacityState`, or its fields."""

    view_module = capacity_view
    state_of = CapacityState

    def _controls(self):
        """The controls by the name of their field; those of the upgrade come last."""
        wide, narrow, most = "19rem", "14rem", {"min": 0, "max": 1e6}
        parts = dict(capacity_view.PARTS)
        parts |= {
            f"to_{field}": f"New {words[0].lower()}{words[1:]}".replace(" each", "") for field, words in parts.items()
        }
        return {
            "workload": _control(w.Dropdown, "Workload", wide),
            "family": _control(w.Dropdown, "Processor family", wide),
            "operating_system": _control(w.Dropdown, "Operating system", wide),
            "release": _control(w.Dropdown, "Domino release", wide),
            "busy_percent": _control(w.BoundedFloatText, "CPU at most, %", wide, min=1, max=100),
            "response_s": _control(w.BoundedFloatText, "Response, s", wide, **most),
            **{field: _control(w.BoundedFloatText, words, narrow, **most) for field, words in parts.items()},
        }

    def _rows(self):
        """What runs on the machine, then its parts, and below each part what the upgrade makes of it."""
        parts = [*capacity_view.PARTS]
        upgrade = [f"to_{field}" for field in parts]
        return [[name for name in self.controls if name not in {*parts, *upgrade}], parts, upgrade]


class TablePanel(Panel):
    """The panel of tables; the arguments are a `TableState`, or its fields."""

    view_module = table_view
    state_of = TableState

    def _controls(self):
        return {
            "table": _control(w.Dropdown, "Table"),
            "version": _control(w.Dropdown, "Numbers", "18rem"),
            "search": _control(w.Text, "Search", "22rem", placeholder="words in a row"),
        }

    @functools.cached_property
    def outputs(self) -> list[w.Widget]:
        """The words about the table, and its rows."""
        from itables.widget import ITable

        rows = ITable(self.view.shown, **_ITABLE)
        return [w.HTML(layout=w.Layout(**_FULL)), w.Box([rows], layout=w.Layout(overflow="auto", **_FULL))]

    def _without_stale_choices(self, state):
        return table_view.validated(self.state, state)

    def _fill(self):
        """Put the words beside the table and its rows into the outputs."""
        super()._fill()
        self.outputs[0].value = self.view.about
        self.outputs[1].children[0].update(self.view.shown, **_ITABLE)  # it forgets them


class Share:
    """The parameters cell that gives the same views again, as the panels stand, and the end of an address that does."""

    def __init__(self, *panels: Panel) -> None:
        self.panels = panels
        for panel in panels:
            panel.listen(self._follow)

    @property
    def text(self) -> str:
        """The cell."""
        return parameters(*(panel.state for panel in self.panels))

    @property
    def address(self) -> str:
        """What the address of the app ends with for these views: the values that are not those of the notebook."""
        changed = {
            field.name: value
            for panel in self.panels
            for field in dataclasses.fields(panel.state)
            if (value := getattr(panel.state, field.name)) != field.default
        }
        return f"?{urllib.parse.urlencode(changed)}" if changed else ""

    @functools.cached_property
    def widget(self) -> w.VBox:
        """The end of the address and a box with the cell, to copy."""
        width = {"width": "100%", "max_width": "62rem"}
        end = w.Text(self.address, description="In the address", layout=w.Layout(**width), style=_LABEL)
        layout = w.Layout(height="18rem", **width)
        return w.VBox([end, w.Textarea(self.text, description="Parameters", layout=layout, style=_LABEL)])

    def _follow(self):
        """Show the cell and the end of the address as the panels stand now."""
        if "widget" in self.__dict__:  # else nobody has looked at it yet
            end, cell = self.widget.children
            end.value, cell.value = self.address, self.text

    def _repr_mimebundle_(self, include=None, exclude=None):
        bundle = self.widget._repr_mimebundle_()
        return bundle | {"text/plain": self.text, "text/html": views.panel_html(views.panel_code(self.text))}


def sentences_of_panels(curves: FitPanel, plans: PlanPanel) -> str:
    """Return what panels of fits and of plans show, in sentences for `rendering.SafeMarkdown`, forecast in bold."""
    answer, rest = curves.view.reading()
    return f"**{answer}** {rest} {plans.view.reading()}"


def _control(kind, text, width="46rem", **settings):
    """A control with a label, room for it, and a layout that is never wider than the screen."""
    return kind(description=text, layout=w.Layout(width=width, max_width="98%"), style=_LABEL, **settings)
