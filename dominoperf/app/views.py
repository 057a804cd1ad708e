"""What all panels share: the state that a reader has chosen, as plain values, and the HTML of every view.

All text is escaped.
"""

import dataclasses
import functools
import html
import json
import math
from dataclasses import dataclass, field

from dominoperf.errors import BadTable
from dominoperf.reports.notebooks import is_of_parameter_type
from dominoperf.tables import rendering
from dominoperf.tables.folders import our_toml_file

_START = our_toml_file("start.toml")
WAITING = "explore-waiting"  # class of what is shown while another view is made: seldom for long
# A scope of its own, since JupyterLab, Voilà and the site each have a style; colours are theirs, so that dark is dark.
_STYLE = """<style>
.explore { line-height: 1.5; max-width: 62rem; font-size: 0.95rem; overflow-wrap: anywhere; }
.widget-html-content:has(> .explore) { flex: 1 1 0; min-width: 0; }
.explore-waiting .explore { opacity: 0.4; cursor: progress; transition: opacity 0.2s 0.5s; }
.explore p, .explore ul { margin: 0.4em 0; }
.explore h3 { margin: 1em 0 0.3em; font-size: 1.05em; font-weight: 600; }
.explore figure { margin: 0.6em 0; width: fit-content; max-width: 100%; background: white; }
.explore figure { padding: 0.3rem; box-sizing: border-box; }
.explore figure svg { display: block; width: 46rem; max-width: 100%; height: auto; }
.explore figure svg.half { display: none; }
@media (max-width: 40rem) {
  .explore figure:has(svg.half) svg { display: none; }
  .explore figure:has(svg.half) svg.half { display: block; width: 26rem; }
}
.explore .scroll { overflow-x: auto; }
.explore table { border-collapse: collapse; margin: 0.3em 0 0.8em; font-size: 0.9em; overflow-wrap: normal; }
.explore caption { text-align: left; caption-side: top; font-weight: 600; padding: 0.2em 0; }
.explore :is(th, td) { padding: 0.15em 0.6em; border-bottom: 1px solid #8886; text-align: left; vertical-align: top; }
.explore :is(th, td).number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.explore td:first-child { min-width: 7em; }
.explore td:last-child:not(.number) { min-width: 10em; }
.explore a { text-decoration: underline; }
.explore pre { overflow-wrap: normal; white-space: pre; margin: 0.3em 0; }
.explore td.number:first-child { min-width: 0; }
.explore-rows td { vertical-align: top; min-width: 6em; max-width: 26em; overflow-wrap: anywhere; }
.explore td.differing { font-weight: 700; outline: 2px dashed; outline-offset: -2px; }
.explore td.differing::after { content: " ≠"; }
.explore .notice { border: 1px solid; border-left-width: 6px; padding: 0.4em 0.8em; margin: 0.6em 0; }
:root:has(.explore) #vg-tooltip-element { white-space: pre-line; }
.explore .said { font-size: 1.05rem; font-weight: 600; }
</style>"""


def _control_of_field(default, help_):
    """A field of a state: its default, and the help in the parameters cell."""
    return field(default=default, metadata={"help": help_})


@dataclass(frozen=True)
class FitState:
    """What the panel of fits shows."""

    document: str = _control_of_field(_START["document"], "key of the document that prints the points")
    points: str = _control_of_field(_START["series"], "name of a series, or of a workload as in runs: Mail")
    x: str = _control_of_field(
        "", "column across, of the runs of a workload; empty: the series' own, or the first that serves"
    )
    y: str = _control_of_field("", "column upwards")
    law: str = _control_of_field("amdahl", "name of a law")
    held: str = _control_of_field("", "constants that the law needs or is to keep, with their values")
    left_out: str = _control_of_field("", "numbers of the points that are not fitted, as in 1, 3")
    level: float = _control_of_field(0.95, "coverage of the intervals, 0.6 to 0.99")
    error: str = _control_of_field("law", "how the noise grows: law (as the law says), relative or constant")
    noise_percent: float = _control_of_field(0.0, "known noise of a point in percent of it; 0: as the points show it")
    until: float = _control_of_field(4.0, "draw and forecast to here; 0: as far as the points go")
    more_laws: str = _control_of_field("", "names of further laws to draw through the same points, as in usl, power")
    log_axes: str = _control_of_field("", "axes on which ratios matter: x, y or xy")


@dataclass(frozen=True)
class PlanState:
    """What the panel of plans shows: the case study's request, and what is changed of it."""

    light_mail: int = _control_of_field(800, "people with light mail")
    active: int = _control_of_field(300, "people with mail who take an active part in shared databases")
    groupware: int = _control_of_field(100, "people with groupware")
    databases: int = _control_of_field(5, "shared databases of the active people")
    critical: bool = _control_of_field(True, "whether the data are critical, which decides the RAID level by the rules")
    system: str = _control_of_field(_START["system"], "name of a system that the documents measured")
    utilization_percent: float = _control_of_field(50.0, "CPU utilization to plan at; the rules have 50")
    raid: str = _control_of_field("rules", "RAID level of the data: rules, 0, 1, 4, 5 or 10")
    growth_percent: float = _control_of_field(0.0, "growth of the people a year")
    months_ahead: float = _control_of_field(0.0, "months that the plan is to hold")
    spare_servers: int = _control_of_field(0, "servers beyond the need")


@dataclass(frozen=True)
class CapacityState:
    """State of the capacity panel: a machine, its workload, and the upgrade to compare with."""

    workload: str = _control_of_field(_START["workload"], "a workload that was run")
    family: str = _control_of_field(_START["processor_family"], "processor family; empty: not known")
    operating_system: str = _control_of_field(_START["operating_system"], "operating system; empty: not known")
    release: str = _control_of_field(_START["domino_release"], "Domino release; empty: not known")
    processors: float = _control_of_field(2.0, "processors of the machine; 0 is not known, here and below")
    clock_mhz: float = _control_of_field(200.0, "clock in MHz")
    l2_kb: float = _control_of_field(512.0, "second-level cache of each processor in KB")
    ram_mb: float = _control_of_field(512.0, "memory in MB")
    drives: float = _control_of_field(4.0, "drives that hold the data")
    busy_percent: float = _control_of_field(70.0, "CPU utilization that the recommended users may take")
    response_s: float = _control_of_field(0.0, "average response that must not be exceeded; 0: any")
    to_processors: float = _control_of_field(4.0, "processors after the upgrade; 0 leaves them, here and below")
    to_clock_mhz: float = _control_of_field(0.0, "clock in MHz after the upgrade")
    to_l2_kb: float = _control_of_field(0.0, "cache of each processor in KB after the upgrade")
    to_ram_mb: float = _control_of_field(0.0, "memory in MB after the upgrade")
    to_drives: float = _control_of_field(0.0, "drives of the data after the upgrade")


@dataclass(frozen=True)
class TableState:
    """What the panel of tables shows."""

    table: str = _control_of_field(_START["table"], "id of a table or view; or benchmarks, claims or errata")
    version: str = _control_of_field("printed", "printed or corrected")
    search: str = _control_of_field("", "only rows with these words in a cell")


State = FitState | PlanState | CapacityState | TableState
"""What a reader has chosen in a panel."""


def check_state_of_panel(state):
    """Refuse a value of another type than declared, or no number."""
    for parameter in dataclasses.fields(state):
        value, kind = getattr(state, parameter.name), parameter.type.__name__
        if not is_of_parameter_type(value, kind) or (kind == "float" and not math.isfinite(value)):
            raise wrong_parameter_of_panel(parameter.name, f"{kind}: {parameter.metadata['help']}", value)


def wrong_parameter_of_panel(name, expected, found):
    """Return the error for a parameter that cannot have its value."""
    return BadTable(f"parameter {name}", expected=expected, found=repr(found), remedy="Give another value.")


def parameters(*states: State) -> str:
    """Return states as the parameters cell of the notebook: ``name: type = value  # help``, a line each."""
    lines = []
    for state in states:
        for parameter in dataclasses.fields(state):
            value = getattr(state, parameter.name)
            literal = json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)
            kind = type(parameter.default).__name__
            lines.append(f"{parameter.name}: {kind} = {literal}  # {parameter.metadata['help']}\n")
    return "".join(lines)


class View:
    """What a panel shows, written once as HTML by `_html`, which is given the ways out of a refusal, `alternatives`.

    `view` of a panel's module gives it for a state: `UnknownName` where a document, table, law or another name does not
    exist, `BadTable` where another value cannot be.
    """

    @functools.cached_property
    def html(self):
        """The view next to its controls."""
        return self._html(self.alternatives)

    @functools.cached_property
    def static_html(self):
        """The view where no controls are: it tells no one to use them."""
        return self._html(())


def panel_html(*parts):
    """Return parts as one block in the style of all panels."""
    return f'{_STYLE}<div class="explore">{"".join(parts)}</div>'


def panel_paragraph(text, look=""):
    """Return a paragraph."""
    kind = f' class="{look}"' if look else ""
    return f"<p{kind}>{html.escape(text)}</p>" if text else ""


def panel_notes(notes):
    """Return under a heading what to mind about an answer; nothing where there is nothing."""
    return f"<h3>Before believing it</h3>{rendering.as_html_list(notes)}" if notes else ""


def panel_notice(text, items=()):
    """Return the problem and what can be done about it; a screen reader reads it at once."""
    return f'<div class="notice" role="status">{panel_paragraph(text)}{rendering.as_html_list(items)}</div>'


def panel_code(text):
    """Return a line of Python."""
    return f'<div class="scroll"><pre><code>{html.escape(text)}</code></pre></div>'


def panel_table(frame, caption=""):
    """Return a table that scrolls by itself."""
    return f'<div class="scroll">{rendering.as_html(frame, caption=caption)}</div>'
