"""What a page answers without a server: fits, capacities and plans computed ahead, and the script that draws them.

A page opened from a disk may not fetch a file, so each answer is a classic script that calls `exploreData`.
"""

import contextvars
import itertools
import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
from jupyter_core.paths import jupyter_path
from markupsafe import Markup

from dominoperf import laws, planning, runs, tables
from dominoperf.errors import CannotPlan, DominoperfError, ReportFailed, at_shell
from dominoperf.reports.cells import rendered_template
from dominoperf.study import recompute
from dominoperf.study.recompute.case_study import CORRECTED, PUBLISHED
from dominoperf.tables.folders import our_toml_file
from dominoperf.tables.rendering import number, numbers_as_shown

NOTEBOOK = "03_explore"
FOLDER, VEGA = "explore", "vega.js"  # in the site
LEVELS = (0.8, 0.9, 0.95, 0.99)
_SUBSETS = 5  # points of which every choice is fitted; of more each one is left out in turn
_STEPS = 40  # of a curve
_REACH = 4  # times the last point: how far a curve is drawn
_STILL = re.compile(r'<div data-panel="(fit|capacity|plan)">(.*)</div><!-- panel -->', re.DOTALL)
_RUNTIME = """\
// Vega, Vega-Lite and Vega-Embed, as they come with Voilà, without the rest of it: `vegaEmbed` draws a specification.
(() => {
  const made = {}, modules = {};
  const need = (id) => {
    if (!made[id]) modules[id].call((made[id] = { exports: {} }).exports, made[id], made[id].exports, need);
    return made[id].exports;
  };
  need.r = () => {};
  need.o = (of, name) => Object.hasOwn(of, name);
  need.d = (to, of) => {
    for (const name in of) Object.defineProperty(to, name, { enumerable: true, get: of[name] });
  };
  need.n = (module) => {
    const get = module?.__esModule ? () => module.default : () => module;
    need.d(get, { a: get });
    return get;
  };
  self.%s = { push: ([, more]) => Object.assign(modules, more) };
%s
  self.vegaEmbed = need(%s).default;
})();
"""


def write_explore_page(folder, links):
    """Write the answers of the three panels into a folder of the site; `links` say where the printed rows are."""
    folder.mkdir(parents=True)
    # Why a law is not fitted is told as in Python, even where a command makes the page: a new context has no command.
    fitted = contextvars.Context().run(fits_by_series, links)
    for name, answers in {"fit": fitted, "capacity": capacity_grid(links), "plan": plan_grid()}.items():
        data = json.dumps(answers, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        (folder / f"{name}.js").write_text(f'exploreData("{name}", {data});\n', encoding="utf-8")


def vega_script():
    """Return a script that defines `vegaEmbed`: the part of Voilà that draws Vega-Lite, and what it needs.

    `ReportFailed` says that it is not among the installed packages.
    """
    for path in jupyter_path("voila", "templates", "base", "static"):
        for file in sorted(Path(path).glob("*.js")):
            text = file.read_text(encoding="utf-8")
            module = re.search(r'(\d+):\(\w,\w,\w\)=>\{"use strict";\w\.r\(\w\),\w\.d\(\w,\{DEFAULT_ACTIONS:', text)
            if module and "vegaLite:()=>" in text:
                return _RUNTIME % (re.search(r"self\.(webpackChunk\w+)", text)[1], text, module[1])
    expected, remedy = "the script of Vega-Embed in the templates of Voilà", "Install the Voilà of requirements.lock."
    raise ReportFailed("the explore page", expected=expected, found="none", remedy=remedy)


def fits_by_series(links):
    """Return every series with its points, and every law fitted to every choice of them, at each level."""
    return {
        "levels": LEVELS,
        "series": [_series_with_fits(runs.find(name), links) for name in runs.series_names()],
    }


def _series_with_fits(series, links):
    """A series as JSON can hold it: its points, the x of its curves, and the fits of its laws."""
    frame, user = runs.series(series.name), tables.user_of(series.table)
    x, y = frame[series.x].astype(float), frame[series.y].astype(float)
    count, last = len(frame), float(x.max())
    whole = series.x in ("processors", "drives")
    further = [1.5 * last, 2 * last, 3 * last, _REACH * last]
    steps = range(int(x.min()), int(_REACH * last) + 1) if whole else ()
    curve = [float(f"{value:.4g}") for value in np.geomspace(x.min(), _REACH * last, _STEPS)]
    grid = sorted({*curve, *x, *further, *map(float, steps)})
    suitable = laws.made_for_axes(series.x, series.y)
    if count <= _SUBSETS:
        choices = [mask for mask in itertools.product((True, False), repeat=count) if any(mask)]
    else:
        choices = [tuple(k != out for k in range(count)) for out in (None, *range(count))]
    shown = zip(numbers_as_shown(frame[series.x]), numbers_as_shown(frame[series.y]), strict=True)
    words = [f"{across}: {upwards}" for across, upwards in shown]
    return {
        "name": series.name,
        "title": series.title,
        "short": series.short,
        "x": tables.label(series.x, user),
        "y": tables.label(series.y, user),
        "notes": list(series.warnings),
        "points": [
            {"x": a, "y": b, "words": said, "href": links.of_place(place), "place": links.short_place(place)}
            for a, b, said, place in zip(x, y, words, frame["locator"], strict=True)
        ],
        "grid": grid,
        "whole": whole,
        "asked": [value for value in grid if value.is_integer()] if whole else sorted({*x, *further}),
        "laws": [
            _fits_of_law(laws.find(name), frame, series, choices, grid)
            for name in dict.fromkeys([*suitable, *laws.OF_ANY_AXES])
        ],
    }


def _fits_of_law(law, frame, series, choices, grid):
    """A law with its fits: to each choice of points, as ones and noughts, a fit or the reason why there is none.

    A fit has its curve, the parameters, and at each level its band, their intervals and the fit in words.
    """
    from dominoperf.fitting import fit  # with scipy, which pages that are not made again do without

    fits = {}
    for mask in choices:
        chosen, levels = "".join("01"[taken] for taken in mask), []
        try:
            best = fit(law.name, frame[list(mask)], x=series.x, y=series.y)
            known = np.isfinite(best.residual_sd)  # else no level has an interval
            for made in best.at_levels(LEVELS if known else LEVELS[:1]):
                forecast, terms = made.predict(grid), made.tidy()
                band = forecast[["mean_low", "mean_high"]].to_numpy()
                intervals = [[number(row.low, 3), number(row.high, 3)] for row in terms.itertuples()]
                band = None if np.isnan(band[:, 0]).all() else _seven_digits(band)
                levels.append({"band": band, "terms": intervals, "words": made.headline()})
        except DominoperfError as error:
            fits[chosen] = str(error)
            continue
        fits[chosen] = {
            "curve": _seven_digits(forecast["predicted"].to_numpy()),
            "terms": [[row.term, row.unit, number(row.estimate, 3), row.reason] for row in terms.itertuples()],
            "levels": levels if known else levels * len(LEVELS),
        }
    return {"name": law.name, "title": law.title, "formula": law.formula, "limits": law.limits, "fits": fits}


def _seven_digits(values):
    """Numbers with seven digits, those that are none as null: the page rounds them again, to four or fewer."""
    if isinstance(values, np.ndarray):
        return [_seven_digits(value) for value in values]
    return float(f"{values:.7g}") if np.isfinite(values) else None


def capacity_grid(links):
    """Return the users that each machine of a grid carries of each workload; the grid is in ``data/start.toml``."""
    from dominoperf.machines.asked_machines import asked_machines_of
    from dominoperf.machines.capacity_answer import Capacity, capacity_rows, fitted_users_model, what_limits_advice

    grid = our_toml_file("start.toml")["capacity"]
    machines = pd.DataFrame(
        [
            {**grid["processor"][processor], "processors": count, "ram_mb": ram, "drives": drives}
            for processor, count, ram, drives in itertools.product(
                grid["processor"], grid["processors"], grid["ram_mb"], grid["drives"]
            )
        ]
    ).assign(**{name: grid[name] for name in ("operating_system", "domino_release") if grid[name]})
    every, posterior = runs.benchmarks().set_index("run"), fitted_users_model()
    answers, binds, first_out, notes, nearest, release = {}, {}, {}, {}, {}, grid["domino_release"]
    for workload in grid["workload"]:
        rows = []
        asked = asked_machines_of(posterior.model, machines, workload)[0]
        for at, row in capacity_rows(posterior, asked, grid["busy"], None, 0.95).iterrows():
            if at % len(grid["drives"]) == 0 or row["binds"] not in first_out:  # what is noted does not hang on drives
                with at_shell(["capacity"]):
                    answer = Capacity(workload, grid["busy"], None, 0.95, asked.loc[at], row, posterior).sentences()
                first_out.setdefault(row["binds"], answer["first_out"])
                note = notes.setdefault(answer.get("notes", ""), len(notes))
            resource, limit = (binds.setdefault(name, len(binds)) for name in (row["binds"], what_limits_advice(row)))
            near = nearest.setdefault((row.nearest_run, row.nearest_users), len(nearest))
            numbers = [round(value) if value == value else None for value in (row.users, row.low, row.high)]
            recommended = round(row.recommended_users) if row.recommended_users == row.recommended_users else None
            rows.append([*numbers, resource, recommended, near, note, limit])
        answers[workload] = rows
    return {
        "processor": list(grid["processor"]),
        "processors": grid["processors"],
        "ram_mb": grid["ram_mb"],
        "drives": grid["drives"],
        "drive_gb": posterior.model.constants["disk_space"]["drive_gb"],
        "start": grid["start"],
        "busy": round(100 * grid["busy"]),
        "about": f"{grid['operating_system']}, {f'Domino {release}' if release else 'no Domino release told'}",
        "runs_on": f"--os '{grid['operating_system']}'{f' --release {release}' if release else ''}",
        "answers": answers,
        "binds": [str(name).replace("_", " ") for name in binds],
        "first_out": [first_out.get(name, "") for name in binds],
        "notes": list(notes),
        "nearest": [
            {
                "system": str(every.loc[run, "system"]),
                "users": number(users),
                "href": links.of_place(str(every.loc[run, "locator"])),
            }
            if run in every.index
            else None
            for run, users in nearest
        ],
    }


def plan_grid():
    """Return what each company of a grid has to buy, by the document's rules and by the corrected ones."""
    grid = our_toml_file("start.toml")["plan"]
    answers = []
    for people in itertools.product(grid["light_mail"], grid["active"], grid["groupware"]):
        for critical in (True, False):
            row = []
            for name in (PUBLISHED, CORRECTED):
                try:
                    request = recompute.case_request(*people, grid["databases"], critical, grid["system"])
                    bought = planning.plan(request, rules=name).summary()
                    price = bought["price_usd"] if bought["price_usd"] == bought["price_usd"] else None
                    row.append([bought["servers"], bought["ram_mb"], bought["drives"], price])
                except (CannotPlan, ValueError) as error:
                    row.append(str(error) if any(people) else "There are no people to plan for.")
            answers.append(row)
    return {name: grid[name] for name in ("light_mail", "active", "groupware", "databases", "system", "start")} | {
        "answers": answers
    }


def panel_with_controls(page):
    """Return HTML of an executed panel with controls that need no server above it, and the panel folded below."""
    panel = _STILL.fullmatch(page)
    return str(rendered_template(f"explore/{panel[1]}.html", still=Markup(panel[2]))) if panel else page
