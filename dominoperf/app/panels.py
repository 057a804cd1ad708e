"""Controls bound to views: a panel reads its controls into a state, and shows the view of that state."""

import dataclasses
import functools
import urllib.parse

from dominoperf.app import fit_view, markup, plan_view, table_view
from dominoperf.app.state import FitState, PlanState, TableState, parameters
from dominoperf.errors import DominoperfError


class Panel:
    """A state, its view, and the controls that change it; `subject` is the module of pure functions it wires.

    In a notebook it shows its controls and view; where no widget can live, the view alone.
    """

    subject = None
    state_of = None  # the class of its states

    def __init__(self, *values, **named):
        whole = values and isinstance(values[0], self.state_of)
        self.state = values[0] if whole else self.state_of(*values, **named)
        self.view = self.subject.view(self.state)
        self._listeners = []
        self._busy = False

    @functools.cached_property
    def controls(self):
        """The controls by the name of their field, made when first asked for."""
        made = self._controls()
        for control in made.values():
            control.observe(self._turned, "value")
        return made

    @functools.cached_property
    def outputs(self):
        """The widgets that show the view."""
        return self._outputs()

    @functools.cached_property
    def widget(self):
        """All of the panel: controls that wrap, then what they give."""
        import ipywidgets

        wrap = ipywidgets.Layout(display="flex", flex_flow="row wrap", align_items="center")
        top = ipywidgets.Box([*self.controls.values(), *self._more()], layout=wrap)
        whole = ipywidgets.VBox([top, self.trouble, *self.outputs])
        self._show()
        return whole

    @functools.cached_property
    def trouble(self):
        """Where it is told that a control cannot have its value."""
        import ipywidgets

        return ipywidgets.HTML(layout=ipywidgets.Layout(**_WHOLE))

    def listen(self, listener):
        """Have a function called after every change."""
        self._listeners.append(listener)

    def set(self, **values):
        """Take other values, as if controls had been turned to them."""
        self._take(dataclasses.replace(self.state, **values))

    def _turned(self, change):
        """A control has been turned by somebody."""
        if not self._busy:
            name = next(name for name, control in self.controls.items() if control is change["owner"])
            self._take(dataclasses.replace(self.state, **{name: change["new"]}))

    def _take(self, asked):
        """Go over to the state asked for; where it cannot be, say so above the old view."""
        try:
            state = self.subject.settled(self.state, asked)
            self.state, self.view = state, self.subject.view(state)
        except DominoperfError as error:  # of a text that somebody types: the view stays as it is
            self.trouble.value = markup.view(markup.notice(str(error)))
            return
        self.trouble.value = ""
        self._show()
        for listener in self._listeners:
            listener()

    def _show(self):
        """Put state and view into the widgets, which must not answer; what is shown until then is dimmed."""
        self._busy = True
        self.outputs[0].add_class(markup.WAITING)
        try:
            self._put()
        finally:
            self._busy = False
            self.outputs[0].remove_class(markup.WAITING)

    def _put(self):
        offered = self.subject.options(self.state)
        for name, control in self.controls.items():
            # New options take the choice away: only where they are others.
            if name in offered and list(control.options) != offered[name]:
                control.options = offered[name]
            control.value = getattr(self.state, name)
        self.outputs[0].value = self.view.html

    def _outputs(self):
        import ipywidgets

        return [ipywidgets.HTML(layout=ipywidgets.Layout(**_WHOLE))]

    def _more(self):
        return []

    def _repr_mimebundle_(self, include=None, exclude=None):
        """The controls where widgets live, and beside them the view as it stands."""
        bundle = self.widget._repr_mimebundle_()
        still = markup.view(markup.paragraph(_STILL))
        return bundle | {"text/plain": self.view.said(), "text/html": f"{still}{self.view.still}"}


class FitPanel(Panel):
    """The panel of fits; the arguments are a `FitState`, or its fields."""

    subject = fit_view
    state_of = FitState

    def _controls(self):
        import ipywidgets as w

        low, high = fit_view.LEVELS
        return {
            "document": w.Dropdown(description="Document", **_wide()),
            "points": w.Dropdown(description="Points", **_wide()),
            "x": w.Dropdown(description="Across (x)", **_wide("22rem")),
            "y": w.Dropdown(description="Upwards (y)", **_wide("22rem")),
            "law": w.Dropdown(description="Law", **_wide()),
            "level": w.FloatSlider(
                description="Level", min=low, max=high, step=0.01, continuous_update=False, **_wide("22rem")
            ),
            "error": w.Dropdown(description="Noise grows", **_wide("22rem")),
            "noise_percent": w.BoundedFloatText(description="Noise, %", min=0, max=100, **_wide("14rem")),
            "until": w.FloatSlider(description="Draw to", continuous_update=False, **_wide("22rem")),
            "held": w.Text(
                description="Constants", placeholder="think_s = 45", continuous_update=False, **_wide("22rem")
            ),
        }

    @functools.cached_property
    def ticks(self):
        """The box of ticks, one a point."""
        import ipywidgets as w

        return w.Box(layout=w.Layout(display="flex", flex_flow="row wrap"))

    def _more(self):
        return [self.ticks]

    def _put(self):
        low, high = fit_view.farthest(self.view.chosen)
        _range(self.controls["until"], low, high)
        self.state = dataclasses.replace(
            self.state, x=self.view.chosen.x, y=self.view.chosen.y, until=min(self.view.until, high)
        )
        super()._put()
        self._tick()

    def _tick(self):
        """A tick a point; made anew where the points are others."""
        words = list(self.view.chosen.frame["words"])
        if [tick.description for tick in self.ticks.children] != words:
            self.ticks.children = [self._new_tick(each) for each in words]
        for tick, taken in zip(self.ticks.children, self.view.taken, strict=True):
            tick.value = taken

    def _new_tick(self, words):
        import ipywidgets as w

        tick = w.Checkbox(description=words, indent=False, layout=w.Layout(width="auto", margin="0 1.2em 0 0"))
        tick.observe(self._ticked, "value")
        return tick

    def _ticked(self, _change):
        if not self._busy:
            out = [str(k) for k, tick in enumerate(self.ticks.children, start=1) if not tick.value]
            self.set(left_out=", ".join(out))


class PlanPanel(Panel):
    """The panel of plans; the arguments are a `PlanState`, or its fields."""

    subject = plan_view
    state_of = PlanState

    def _controls(self):
        import ipywidgets as w

        people = {"min": 0, "max": 10000, "step": 10}
        return {
            "light_mail": w.IntSlider(description=plan_view.PEOPLE["mail"], **people, **_wide("26rem")),
            "active": w.IntSlider(description=plan_view.PEOPLE["active"], **people, **_wide("26rem")),
            "groupware": w.IntSlider(description=plan_view.PEOPLE["power"], **people, **_wide("26rem")),
            "databases": w.IntSlider(description="Shared databases", min=0, max=100, **_wide("26rem")),
            "system": w.Dropdown(description="System", **_wide("26rem")),
            "utilization_percent": w.FloatSlider(
                description="Utilization, %", min=5, max=100, step=5, readout_format=".0f", **_wide("26rem")
            ),
            "raid": w.Dropdown(description="RAID", **_wide("26rem")),
            "critical": w.Checkbox(description="The data are critical", indent=False, **_wide("26rem")),
            "growth_percent": w.FloatSlider(
                description="Growth a year, %", min=0, max=100, step=1, readout_format=".0f", **_wide("26rem")
            ),
            "months_ahead": w.FloatSlider(
                description="Months ahead", min=0, max=60, step=1, readout_format=".0f", **_wide("26rem")
            ),
            "spare_servers": w.IntSlider(description="Spare servers", min=0, max=5, **_wide("26rem")),
        }


class TablePanel(Panel):
    """The panel of tables; the arguments are a `TableState`, or its fields."""

    subject = table_view
    state_of = TableState

    def _controls(self):
        import ipywidgets as w

        return {
            "table": w.Dropdown(description="Table", **_wide()),
            "version": w.Dropdown(description="Numbers", **_wide("18rem")),
            "search": w.Text(description="Search", placeholder="words in a row", **_wide("22rem")),
        }

    def _outputs(self):
        import ipywidgets as w
        from itables.widget import ITable

        words = w.HTML(layout=w.Layout(**_WHOLE))
        rows = ITable(self.view.shown, **_ITABLE)
        return [words, w.Box([rows], layout=w.Layout(overflow="auto", **_WHOLE))]

    def _put(self):
        super()._put()
        self.outputs[0].value = self.view.about
        self.outputs[1].children[0].update(self.view.shown, **_ITABLE)  # it forgets them


_ITABLE = {
    "allow_html": False,  # cells are data
    "maxBytes": 0,  # all rows
    "lengthMenu": [10, 25, 100],
    "layout": {"topStart": "pageLength", "topEnd": None, "bottomStart": "info", "bottomEnd": "paging"},
    "classes": "display compact explore-rows",
    "columnDefs": [{"targets": "_all", "className": "dt-left"}],
}


class Share:
    """The parameters cell that gives the same views again, as the panels stand, and the end of an address that does."""

    def __init__(self, *panels):
        self.panels = panels
        for panel in panels:
            panel.listen(self._told)

    @property
    def text(self):
        """The cell."""
        return parameters(*(panel.state for panel in self.panels))

    @property
    def address(self):
        """What the address of the app ends with for these views: the values that are not those of the notebook."""
        states = [panel.state for panel in self.panels]
        changed = {
            each.name: getattr(state, each.name)
            for state in states
            for each in dataclasses.fields(state)
            if getattr(state, each.name) != each.default
        }
        return f"?{urllib.parse.urlencode(changed)}" if changed else ""

    @functools.cached_property
    def widget(self):
        """The end of the address and a box with the cell, to copy."""
        import ipywidgets as w

        layout = w.Layout(width="100%", max_width="62rem", height="18rem")
        cell = w.Textarea(self.text, description="Parameters", disabled=False, layout=layout, style=_STYLE)
        end = w.Text(
            self.address, description="In the address", layout=w.Layout(width="100%", max_width="62rem"), style=_STYLE
        )
        return w.VBox([end, cell])

    def _told(self):
        if "widget" in self.__dict__:
            end, cell = self.widget.children
            end.value, cell.value = self.address, self.text

    def _repr_mimebundle_(self, include=None, exclude=None):
        bundle = self.widget._repr_mimebundle_()
        return bundle | {"text/plain": self.text, "text/html": markup.view(markup.code(self.text))}


def reading(curves, plans):
    """Say what a panel of fits and one of plans show, in sentences for `rendering.Words`, the forecast in bold."""
    answer, rest = curves.view.reading()
    return f"**{answer}** {rest} {plans.view.reading()}"


_STILL = "A still of the panel: its controls are in JupyterLab (dominoperf lab) and in the app (dominoperf app)."
_WHOLE = {"width": "100%", "min_width": "0"}  # as wide as the page, and no wider for what is in it
_STYLE = {"description_width": "8rem"}


def _wide(width="46rem"):
    """A layout that is never wider than the screen, and a style with room for the label."""
    import ipywidgets

    return {"layout": ipywidgets.Layout(width=width, max_width="98%"), "style": _STYLE}


def _range(slider, low, high):
    """Return a slider other ends, which may lie beyond the old ones on either side."""
    slider.max = max(slider.max, high)
    slider.min, slider.max, slider.step = low, high, (high - low) / 60 or 1
