"""Pictures that one notebook draws: loads beside theory, a sizing rule beside runs, what a user costs."""

import re

import numpy as np
import pandas as pd
from matplotlib.collections import PathCollection
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from dominoperf import fit, load, machines
from dominoperf.machines import censored, demand, paired_ratios
from dominoperf.study import paired_runs
from dominoperf.study.pictures import (
    beside_grosch,
    demand_panels,
    machine_names,
    picture_loads,
    picture_queues,
    picture_spaces,
    ratio_dots,
    reaching,
    rule_steps,
    space_bullets,
)
from dominoperf.study.recompute import PlanComparison, case_request


def test_a_target_is_a_line_and_a_cross():
    """The cross lies where the fitted line reaches the target, and the axis ends where nothing is idle."""
    two = pd.DataFrame({"users": [600, 1200], "cpu_utilization": [0.1, 0.2]})
    reaching(fit("utilization_proportional", two), [0.5, 0.7])(ax := Figure().subplots())
    assert np.allclose(ax.collections[-1].get_offsets(), [[3000, 0.5], [4200, 0.7]])
    assert ax.get_ylim() == (0, 1)
    reaching(fit("utilization_proportional", two), [0.15])(ax := Figure().subplots())
    (shade,) = [patch for patch in ax.patches if patch.get_alpha() == 0.35]  # it began at what no axis had
    assert (shade.get_x(), ax.get_xlim()[1]) == (1200, 1.12 * 1200)


def test_responses_beside_one_queue():
    """Each point with the curve of its own processors, and the errata of the numbers that are drawn."""
    runs = machines.transaction_demand().dropna(subset="demand_s")
    made = picture_queues(runs)
    assert " \N{DAGGER} " in made.alt
    lines = made.figures[0].axes[0].get_lines()
    curves = [line for line in lines if len(line.get_xdata()) > 2]  # two join a point with its curve
    assert len(curves) == len(runs)
    idle = [line.get_ydata()[0] for line in curves]  # with no queue the response is the demand
    assert np.allclose(sorted(idle), sorted(runs["demand_s"]))


def test_rule_is_another_mark_than_a_measurement():
    """Hollow squares for the rule, filled points for runs, dashes beyond the table."""
    rows = load("compaq_domino45/table_3_2")
    ax = Figure().subplots()
    rule_steps(rows, pd.DataFrame({"users": [5000], "ram_mb": [1536]}))(ax)
    steps, ahead = [line for line in ax.get_lines() if len(line.get_xdata())]
    (rule, _), (runs, measured) = [
        (marks, marks.get_offsets().tolist()) for marks in ax.collections if isinstance(marks, PathCollection)
    ]
    assert (steps.get_linestyle(), ahead.get_linestyle()) == ("-", "--")
    assert ahead.get_xdata().min() > 2500
    assert [to_hex(marks.get_facecolor()[0]) for marks in (rule, runs)] == ["#ffffff", "#000000"]
    assert measured == [[5000, 1536]]
    assert ax.get_ylim()[0] == 0


def test_pictures_of_workloads():
    """As many points as rows; a ratio of one is drawn."""
    panels = demand_panels(demand()[lambda frame: frame["workload"] == "R6IMAP"], title="t")
    assert re.search(r"R6IMAP, AIX: .*?release 5.0: 36 at 1,000[;.]", panels.alt)
    dots = ratio_dots(paired_ratios(paired_runs.peak_loads()), title="t")
    assert dots.alt.startswith("t. Release 6 needs 33")
    assert "all pairs (21)" in [label.get_text() for label in dots.figures[0].axes[0].get_yticklabels()]
    assert " mean: 7, from 0.61" in dots.alt
    assert "geometric mean: 7" not in dots.alt  # that of all pairs is of random effects


def test_every_load_by_machine():
    """A row per machine, the latest year on top; what no document says is grey; each mark has the place of its run."""
    (ax,) = picture_loads().figures[0].axes
    names = [label.get_text() for label in ax.get_yticklabels()]
    years = [name.rpartition("(")[2] for name in names]
    assert years == sorted(years, reverse=True)
    assert len(names) == len(set(names))
    assert {"ProLiant 800 (1998)", "Pentium 166 MHz (1998)"} <= set(names)  # one name of all its configurations
    (marks,) = ax.collections
    loads = censored()
    assert len(marks.get_offsets()) == len(loads)
    greys = [to_hex(face) == "#aaaaaa" for face in marks.get_facecolor()]
    assert sum(greys) == (loads["limited_by"] == "cannot tell").sum()
    assert all(marks.get_urls())


def test_machines_have_names_that_a_reader_can_hold():
    """Count, family, clock and cache, as far as they are known; else the system's own name."""
    parts = {"processors": [2, 1, 1], "processor_family": ["Pentium Pro", "Pentium", None], "clock_mhz": [200, 100, 1]}
    runs = pd.DataFrame(parts | {"l2_kb": [512, None, None], "system": ["x", "y", "z900"]})
    assert list(machine_names(runs)) == ["2 × Pentium Pro 200, 512 KB", "Pentium 100", "z900"]
    own = pd.DataFrame({"processors": [1, 4, 8, np.nan], "system": ["Delta", "Delta", "z900", "Delta"]})
    own[["clock_mhz", "l2_kb"]] = np.nan
    own["processor_family"] = pd.Series([None] * 4, dtype="str")
    assert list(machine_names(own)) == ["Delta, 1 processor", "Delta, 4 processors", "z900", "Delta"]


def test_a_need_is_a_tick_and_what_lacks_is_red():
    """The bar ends at what the drives hold; the part to the tick has its size beside it."""
    rows = [("1", "needed", 40.0), ("1", "as stated", 46.0), ("2", "needed", 28.0), ("2", "by definition", 27.0)]
    space_bullets(pd.DataFrame(rows, columns=["server", "space", "space_gb"]))(ax := Figure().subplots())
    bars = [(bar.get_x(), bar.get_width(), to_hex(bar.get_facecolor())) for bar in ax.patches]
    assert bars == [(0, 46, "#56b4e9"), (0, 27, "#56b4e9"), (27, 1, "#d55e00")]
    assert [text.get_text() for text in ax.texts] == ["1.0 GB short"]


def test_drives_that_are_no_array_hold_nothing():
    """RAID 5 by definition has three drives at least; the title was "Server 1 needs 5.2 GB and has nan"."""
    beside = PlanComparison(case_request(light_mail=100, active=0, groupware=0, critical=False))
    made = picture_spaces(beside)
    assert "Server 1 has nothing of the 5.2 GB needed" in made.title
    assert "missing: 5.2 for Server 1: the same drives, RAID 5" in made.alt  # no bar was red


def test_the_slope_of_grosch():
    """Four times the users for twice the price, through the middle of the points, on logarithmic axes."""
    curve = fit("price_power", pd.DataFrame({"price_usd": [10.0, 20, 40], "users": [100.0, 180, 330]}))
    beside_grosch(curve, pd.DataFrame({"price_usd": [15.0], "users": [90.0]}))(ax := Figure().subplots())
    (line,) = [line for line in ax.get_lines() if line.get_label().startswith("Grosch")]
    assert np.isclose(line.get_ydata()[1] / line.get_ydata()[0], 16)
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")
