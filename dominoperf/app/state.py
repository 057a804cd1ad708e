"""What a reader has chosen, as plain values: the parameters cell of the notebook, and what is shared."""

import dataclasses
import json
import math
from dataclasses import dataclass, field

from dominoperf.errors import BadTable
from dominoperf.reports.notebooks import is_of_parameter_type
from dominoperf.tables.folders import our_toml_file

_START = our_toml_file("start.toml")


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
    """Refuse a value of another type than declared, or no number.

    The message names the parameter, its type and what was found.
    """
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
