"""Pictures of the study with all their words: what each finds as its title, where it is printed, what it shows.

What only one page draws, without words, comes last; the rest is in `figures`.
"""

import matplotlib as mpl
import numpy as np
import pandas as pd
import seaborn as sns

from dominoperf import figures, queueing, runs, tables
from dominoperf.errors import counted
from dominoperf.figures import OKABE_ITO
from dominoperf.figures.fits import overlay, panels_of_fits, plot
from dominoperf.figures.labels import name_points, name_rows
from dominoperf.figures.marks import Panels, draw_marks, shade_stretch
from dominoperf.figures.pictures import Drawing, Picture, picture_for_page
from dominoperf.figures.theme import GREY, SMALL, TEXT, legend, legend_below, plain_numbers, plain_ticks, series_styles
from dominoperf.fitting import Comparison, Fit
from dominoperf.machines import censored
from dominoperf.planning import Plan
from dominoperf.study import memory_rules
from dominoperf.study.answers import describe_added_processors, describe_user_prices
from dominoperf.study.audit import VERDICTS, Audit
from dominoperf.study.changes import drive_ratios, response_by_memory
from dominoperf.study.paired_runs import pair_labels, quoted_gains
from dominoperf.study.recompute import PlanComparison, readings
from dominoperf.tables import carried_errata, rendering

_CLOCKS, _UPGRADES = "compaq_domino45/table_3_1", "compaq_netware/cpu_upgrades"
_MODEL = r"^(?:Compaq|IBM|Sun) |[ ,]+(?:P6/|Model|model).*| \d+P$"  # what a system's name has beside the model
_OVER_BASELINE = {"low": "low", "high": "high", "reference": 1, "log": True}
_OVER_BASELINE["unit"] = "response time divided by\nthat of the baseline (← faster, slower →)"
_STOPPED = {  # what stopped a run, as a reader would say it
    "server": "the server",
    "drivers": "the load drivers",
    "load chosen": "the testers' choice",
    "cannot tell": "not told",
}


def source_of_picture(*tables_of: str) -> str:
    """Return where tables are printed, as the foot of a picture says it; of several the documents alone."""
    about = [tables.describe(table) for table in tables_of]
    if len(about) == 1:
        return f"Source: {about[0].document}, {about[0].full_locator}"
    return f"Sources: {'; '.join(each.document for each in about)}"


def documents_of_picture(frame: pd.DataFrame) -> str:
    """Return the documents that rows of a frame are from, as the foot of a picture says it."""
    titles = tables.sources().set_index("source")["title"]
    found = titles[frame["source"].unique()]
    return f"Source{'s'[: len(found) > 1]}: {'; '.join(found)}"


def picture_loads() -> Picture:
    """Return the picture of every load that a document reports, a row per machine, with what stopped each run.

    The latest year is on top, and in each year the machine that carried most.
    """
    about = runs.benchmarks()[["run", "system", "processor_family", "clock_mhz", "locator"]]
    loads = censored().drop(columns="locator").merge(about, on="run")
    years = {each: tables.document(each).get("year", "") for each in loads["source"].unique()}
    board = loads["processor_family"] + loads["clock_mhz"].map(" {:.0f} MHz".format)
    model = loads["system"].str.replace(_MODEL, "", regex=True).where(loads["system"].fillna("") != "", board)
    loads = loads.assign(year=loads["source"].map(years), **{"stopped by": loads["limited_by"].map(_STOPPED)})
    loads["machine"] = model + " (" + loads["year"] + ")"
    loads["most"] = loads.groupby("machine")["users"].transform("max")
    order = loads.sort_values(["year", "most", "machine"], ascending=False)["machine"].unique()
    kinds = list(_STOPPED.values())
    loads = loads.sort_values("stopped by", key=lambda names: names.map(kinds.index), kind="stable")
    look = {"group": "stopped by", "pale": _STOPPED["cannot tell"], "log": True, "order": order}
    drawing = figures.dots(loads, "machine", "users", **look)
    limits = int((loads["limited_by"] == "server").sum())
    title = f"{limits} of {len(loads)} published loads are known to be the most that the server carried"
    alt = f"{title}; loads run from {loads['users'].min():,.0f} to {loads['users'].max():,.0f} simulated users."
    foot = f"Sources: {len(years)} of the {len(tables.sources())} documents, those that print users; all workloads"
    subtitle = "Simulated users by machine and year; the mark says what stopped the run"
    return figures.picture(drawing, title=title, subtitle=subtitle, foot=foot, alt=alt, height=6.4, pointer=True)


def picture_clock_trend(clean: Fit, free: Fit) -> Picture:
    """Return the picture of users against the clock, with the Pentium Pro beside the trends of the Pentiums."""
    printed = tables.load(_CLOCKS)
    read = pd.DataFrame(list(printed["processor"].map(runs.read_processor)))
    named = printed.assign(clock_mhz=read["clock_mhz"], name=machine_names(read.assign(system=printed["processor"])))
    others = runs.find("clock_mail").left_out_points()
    curves = {f"one cache ({clean.estimates[1]:.2f})": clean, f"all Pentiums ({free.estimates[1]:.2f})": free}
    times = others["users"] / clean.curve(others["clock_mhz"].to_numpy(float))
    title = (
        f"At {others['clock_mhz'].max():g} MHz a Pentium Pro carried {times.min():.1f} to {times.max():.1f} times what "
        "the Pentiums of one cache size predict"
    )
    subtitle = f"{tables.describe(_CLOCKS).title}; curves: powers of the clock, with their exponents"
    alt = f"{title}. Exponents: {', '.join(curves)}."
    drawing = overlay(curves, named, names="name")
    foot = "Hollow points are not fitted: a clock alone does not explain how far they lie off."
    foot = f"{foot} {source_of_picture(_CLOCKS)}"
    return figures.picture(drawing, title=title, subtitle=subtitle, foot=foot, alt=alt)


def _named_upgrades():
    """What a text quotes of faster processors, named in two lines, with the kind of each step."""
    upgrades = quoted_gains(_UPGRADES)
    step = upgrades["from_configuration"] + " to " + upgrades["to_configuration"]
    label = upgrades["task"] + ", " + upgrades["metric"] + "\n" + step
    kind = upgrades["exponent"].isna().map({False: "same processor family", True: "from an older family"})
    return upgrades.assign(label=label, kind=kind)


def picture_quoted_upgrades() -> Picture:
    """Return the picture of what the NetWare chapter quotes of faster processors."""
    upgrades = _named_upgrades().sort_values("kind", ascending=False, kind="stable")
    quick = upgrades[upgrades["exponent"].notna() & (upgrades["metric"] == "response time")]
    gains, clock = quick["gain_percent"], 100 * quick["clock_ratio"].iloc[0] - 100
    title = f"A clock {clock:.0f} % faster made responses only {gains.min():.0f} to {gains.max():.0f} % faster"
    drawing = figures.dots(upgrades, "label", "gain_percent", group="kind", joined=True)
    subtitle, alt = "Quoted percentages; a bar joins two readings", f"{title}. Gains over an older family are larger."
    return figures.picture(
        drawing, title=title, subtitle=subtitle, foot=source_of_picture(_UPGRADES), alt=alt, height=5
    )


def picture_clock_exponents(clocks: pd.DataFrame) -> Picture:
    """Return the picture of the exponents of the clock: of pairs of runs, and of what a text quotes."""
    direct = clocks[clocks["implied_by"] == ""]
    kinds = (
        clocks["implied_by"].map(bool).map({False: "two runs, NotesBench users", True: "product of two other pairs"})
    )
    quotes = _named_upgrades().dropna(subset="exponent").query("metric != 'clock speed'")
    quotes = quotes.assign(kind="quoted, " + quotes["metric"])
    shown = pd.concat([clocks.assign(label=pair_labels(clocks), kind=kinds), quotes])
    title = f"{(direct['exponent'] > 1).sum()} of {len(direct)} pairs of runs gain more than the clock can give"
    alt = f"{title}; their exponents go from {clocks['exponent'].min():.2f} to {clocks['exponent'].max():.2f}."
    look = {"group": "kind", "reference": 1, "beyond": "more than a clock can give", "log": True}
    drawing = figures.dots(shown, "label", "exponent", unit="exponent of the clock (log scale)", **look)
    foot, subtitle = source_of_picture(_CLOCKS, _UPGRADES), "At one: in proportion to the clock"
    return figures.picture(drawing, title=title, subtitle=subtitle, foot=foot, alt=alt, height=5.2)


def picture_cache_gains(caches: pd.DataFrame, said: pd.DataFrame) -> Picture:
    """Return the picture of what twice the cache came with: in pairs of runs, and as a text quotes it."""
    systems = runs.benchmarks().set_index("run")["operating_system"]
    other = caches["baseline"].map(systems) != caches["comparison"].map(systems)
    said_in = tables.describe("compaq_domino45/processor_ratios").full_locator
    kinds = other.map({False: "two runs, one operating system", True: "two runs, two operating systems"})
    drawn = caches.assign(label=pair_labels(caches), gain_percent=caches["gain_per_doubling_percent"], kind=kinds)
    families = said[["from_configuration", "to_configuration"]].map(
        lambda printed: runs.read_processor(printed).get("processor_family")
    )
    alike = families["from_configuration"] == families["to_configuration"]
    quoted = said[alike & (said["clock_ratio"] == 1)].assign(kind="quoted in the text", label="Mail, quoted")
    own, shown = caches[~other], pd.concat([drawn.sort_values("kind", kind="stable"), quoted])
    low, high = own["gain_per_doubling_percent"].agg(["min", "max"])
    title = f"Twice the cache came with {low:.0f} to {high:.0f} % more users, but never came alone"
    alt = f"{title}: in {len(own)} pairs of one operating system. {other.sum()} pairs of two systems are grey."
    foot = f"Source: {tables.describe(_CLOCKS).document}, Appendices A to C; {said_in}"
    look = {"group": "kind", "pale": "two runs, two operating systems"}
    drawing = figures.dots(shown, "label", "gain_percent", unit="NotesBench users per doubling, percent more", **look)
    drawing = drawing.with_errata_of(quoted, own)
    subtitle = "Every pair of runs that differs in the cache"
    return figures.picture(drawing, title=title, subtitle=subtitle, foot=foot, alt=alt, height=5)


def picture_memory_response(powers: dict[str, Fit]) -> Picture:
    """Return the picture of response times by memory, a panel per workload with the curve of its own fit."""
    ratios, table = response_by_memory(), "compaq_domino45/memory_response"
    percent = (100 * ratios["ratio"] - 100).map("{:+.0f} %".format)
    last = ratios.assign(percent=percent).drop_duplicates("workload", keep="last").sort_values("ratio", kind="stable")
    change = [f"{row.workload} {row.percent}" for row in last.iloc[[0, -1]].itertuples()]
    title = f"More memory changed the response time: {', '.join(change)}"
    told = "; ".join(f"{row.workload} {row.percent} with {row.ram_mb:,.0f} MB" for row in last.itertuples())
    subtitle = "Response time by workload, relative to the least memory tested; log axes"
    drawn = ratios.assign(words=percent.where(ratios["ratio"] != 1, ""))
    look = {"log": "xy", "unit": "relative response time", "names": "words"}
    drawing = panels_of_fits(powers, drawn, "ram_mb", "ratio", group="workload", **look)
    alt = f"{title}. At the end: {told}."
    return figures.picture(drawing, title=title, subtitle=subtitle, foot=source_of_picture(table), alt=alt)


def picture_think_times(loads: pd.DataFrame) -> Picture:
    """Return the picture of how far the implied think time of each run is from that of its workload."""
    off = loads.assign(off_s=loads["think_s"] - loads.groupby("workload")["think_s"].transform("median"))
    far = off["off_s"].abs() > off["response_s"]
    off["name"] = (off["workload"] + ", " + off["users"].map("{:,.0f} users".format)).where(far, "")
    odd = off.loc[off["off_s"].abs().idxmax()]
    title = f"{far.sum()} of {len(off)} runs imply a think time unlike that of their workload"
    alt = f"{title}. Furthest off, by {odd['off_s']:.1f} s: {odd['workload']} with {odd['users']:,.0f} users"
    about = {"names": "name", "unit": "think time minus that of the workload (s)"}
    drawing = figures.points(off, "users", "off_s", group="workload", log="x", **about)
    subtitle = "Implied think time minus the median of the workload; named: further off than the response time"
    return figures.picture(
        drawing, title=title, subtitle=subtitle, foot=documents_of_picture(off), alt=alt, pointer=True
    )


def picture_task_times(tasks: pd.DataFrame) -> Picture:
    """Return the picture of the CPU time per task in each table of the NetWare chapter."""
    number = tasks["run"].map(runs.table_of).map(tables.list_tables().set_index("id")["number"])
    low, high, odd = tasks["ratio"].min(), tasks["ratio"].max(), (tasks["ratio"] - 1).abs().idxmax()
    title = f"{number[odd]} has {100 * tasks.loc[odd, 'ratio']:.0f} % of the CPU time per task of the others"
    alt = f"{title}. Over all runs it goes from {low:.2f} to {high:.2f} of the middle run."
    place = number + tasks["workstations"].map(" ({:.0f})".format)
    drawing = figures.dots(
        tasks.assign(label=place), "label", "demand_s", group="workload", unit="CPU seconds per task"
    )
    words = {"subtitle": "By table, in brackets the workstations", "height": 5.4}
    return figures.picture(
        drawing, title=title, foot=f"Source: {tables.document('compaq_netware')['title']}", alt=alt, **words
    )


def picture_queues(busy: pd.DataFrame) -> Picture:
    """Return the picture of printed responses, each beside what the queue for its own processors gives.

    A curve is M/M/m with the run's demand as service time: theory, not fitted; the thin upright joins it with the
    point. Seconds are on a logarithmic axis.
    """
    label = busy["users"].map("{:,.0f} users".format)
    unexplained = (100 - busy["queue_share_percent"]).map("\n{:.0f} % unexplained".format)
    printed = "printed, " + busy["source"].replace({"rhel5": "Red Hat", "compaq_domino45": "Compaq"})
    busy = busy.assign(label=label, printed=printed)
    x, y = "cpu_utilization_percent", "response_s"
    least, most = busy["demand_s"].min() / 2, 4 * busy[y].max()
    only, share = "theory: the processors the only queue", np.linspace(0, 0.97, 98)  # at 1 a queue grows without end
    curves = [queueing.mmc_response(run.demand_s, share, run.processors) for run in busy.itertuples()]
    theory = busy[["printed"]].assign(run=range(len(busy)), percent=[100 * share] * len(busy), response_s=curves)
    theory = theory.explode(["percent", y]).astype({"percent": float, y: float})
    palette = series_styles(printed.unique())["palette"]

    def draw(ax):
        ax.set_yscale("log")
        sns.lineplot(theory, x="percent", y=y, hue="printed", palette=palette, units="run", estimator=None,
                     linestyle="--", legend=False, ax=ax)  # fmt: skip
        for run, colour in zip(busy.itertuples(), printed.map(palette), strict=True):
            at = [run.cpu_utilization_percent] * 2
            ax.plot(at, [run.queue_s, run.response_s], color=colour, linewidth=0.8, zorder=1)
        draw_marks(ax, busy, x, y, "printed")
        ax.plot([], [], "--", color=GREY, linewidth=1.3, label=only)
        ax.set(xlim=(0, 100), ylim=(least, most), xlabel=tables.label(x), ylabel=tables.label(y))
        plain_ticks(ax.yaxis, least, most)
        name_points(ax, busy.assign(label=label + unexplained), x, y, "label")
        legend(ax, "upper left")

    def chart():
        from dominoperf.figures import interactive  # with Altair, which takes a second

        rows = theory.set_axis(["kind", "curve", "x", "y"], axis="columns").assign(kind=only)
        by = {"group": "printed", "log": "y", "names": "label", "low": "queue_s"}
        return interactive.points(busy, x, y, curves=rows[rows["y"].between(least, most)], **by)

    drawing = Drawing(draw, chart=chart).with_errata_of(carried_errata.columns_used(busy, x, y, "demand_s"))
    waited = rendering.numbers_as_shown(busy[y]).map(": {} s printed, ".format)
    told = (
        label
        + busy["processors"].map(", {:.0f} processors".format)
        + waited
        + busy["queue_s"].map("{:.2g} s by theory".format)
    )
    percent = busy["queue_share_percent"]
    title = f"The queue for the processors gives {percent.min():.0f} to {percent.max():.0f} % of the response"
    words = {"subtitle": "Mail loads with CPU and throughput printed", "alt": f"{title}. {'; '.join(told)}."}
    foot = documents_of_picture(busy)
    return figures.picture(drawing, title=title, foot=foot, height=4.8, pointer=True, **words)


def picture_utilization_phases(target: float) -> Picture:
    """Return the picture of what the text quotes of utilization in the phases of two tests."""
    table, limit = "compaq_domino45/utilization_points", 100 * target
    phases = tables.load(table).dropna(subset="users").sort_values("statistic", ascending=False, kind="stable")
    phases = phases.drop_duplicates(["system", "phase", "value"])
    phases["label"] = phases["users"].map("{:,.0f} users, ".format) + phases["phase"].str.removeprefix("test ")
    ends = phases.groupby("statistic")["value"].agg(["min", "max"])
    averages = f"averages {ends.at['average', 'min']:g} to {ends.at['average', 'max']:g} %"
    title = f"Peaks to {ends.at['peak', 'max']:g} % at ramp-up, {averages}"
    alt = f"{title}. Beyond the target of {limit:g} %: {'; '.join(phases.loc[phases['value'] > limit, 'label'])}."
    drawing = figures.dots(phases, "label", "value", group="statistic", reference=limit, unit="CPU (percent)")
    subtitle = f"NotesBench Mail, largest loads of two machines; line: target of {limit:g} %"
    return figures.picture(drawing, title=title, subtitle=subtitle, foot=source_of_picture(table), alt=alt, height=3.2)


def picture_series(drawn, about: runs.Series, title: str, told: str = "", *, subtitle="", foot="", **how) -> Picture:
    """Return the picture of what is drawn through the points of a series, a result or a drawing, with their source.

    `told` is said after the points to a reader who cannot see them; `how` is as for `figures.picture`.
    """
    points = about.points()
    pairs = zip(rendering.numbers_as_shown(points[about.x]), rendering.numbers_as_shown(points[about.y]), strict=True)
    alt = f"{title}. The points are {', '.join(f'{y} at {x}' for x, y in pairs)}. {told}".strip()
    words = {"title": title, "subtitle": subtitle or about.title, "alt": alt}
    return figures.picture(drawn, **words, foot=f"{foot} {source_of_picture(about.table)}".strip(), **how)


def picture_left_out_machines(left_out: pd.DataFrame, level: float) -> Picture:
    """Return the picture of machines that the model of users did not see: forecast and test of each."""
    inside = f"{left_out['inside'].sum():.0f} of {left_out['inside'].count():.0f}"
    title = f"{inside} tests are inside the {100 * level:g} % interval of a model that did not see the machine"
    named = left_out["system"] + ", " + left_out["workload"] + ", " + left_out["operating_system"]
    users = left_out["observed"].map(", {:,.0f} users".format).where(named.duplicated(keep=False), "")
    rows = left_out.assign(item=named + users).sort_values("observed", ascending=False, kind="stable")
    forecasts = rows.assign(users=rows["predicted"], number="forecast without it")
    tested = rows.assign(users=rows["observed"], low=float("nan"), high=float("nan"), number="tested")
    look = {"low": "low", "high": "high", "group": "number", "log": True, "unit": "users"}
    drawing = figures.dots(pd.concat([forecasts, tested]), "item", "users", **look)
    words = {"subtitle": "Every machine of the nineties, left out with all its runs"}
    words["foot"] = "Source: all runs of the documents with printed memory"
    return figures.picture(drawing, title=title, **words, alt=f"{title}.", height=1.4 + 0.24 * len(left_out))


def picture_price_of_headroom(front: pd.DataFrame) -> Picture:
    """Return the picture of the price of a set of servers against the headroom that it has."""
    first, last = front.iloc[0], front.iloc[-1]
    prices = f"{last['price_usd'] / first['price_usd']:.2g} times the price (${first['price_usd']:,.0f}"
    people = f"room for {1 + last['headroom_percent'] / 100:.2g} times the people"
    title = f"{prices} to ${last['price_usd']:,.0f}) buys {people}"
    half = front[front["headroom_percent"] >= 50].head(1).index
    names = front["servers"].map("{:g} servers, ".format) + front["price_usd"].map("${:,.0f}".format)
    drawn = front.assign(name=names.where(front.index.isin([front.index[0], *half, front.index[-1]]), ""))
    look = {"steps": True, "start": first["price_usd"] // 10_000 * 10_000, "names": "name"}
    drawing = figures.points(drawn, "price_usd", "headroom_percent", **look)
    foot = "Named where there is room: the cheapest set, the first with 50 % headroom, the roomiest"
    words = {"subtitle": "Sets of servers that no other set beats"}
    words["foot"] = f"{foot}. Source: {tables.document('compaq_domino45')['title']}; prices as tested"
    return figures.picture(drawing, title=title, **words, alt=f"{title}.", pointer=True)


def picture_added_processors(curve: Fit, about: runs.Series, until: float) -> Picture:
    """Return the picture of a law through points by processors, beside the machines that are not fitted."""
    told = f"If the law is right: {curve.describe_forecast(until)}."
    foot = "Filled points are fitted; hollow ones, if any, are machines that differ in more than the processors."
    words = {"subtitle": f"{about.title}, and {curve.law.title}", "foot": foot, "pointer": True, "names": "name"}
    beside = named_points(about.left_out_points())
    return picture_series(curve, about, describe_added_processors(curve), told, **words, until=until, beside=beside)


def picture_memory_rule(table: str, passed: pd.DataFrame) -> Picture:
    """Return the picture of a published sizing rule, with the runs that `readings.beside_rule` sets beside it."""
    about, rows = tables.describe(table), readings.sizing_tables(table)
    as_printed = passed[passed["view"] == readings.PRINTED]
    steps = rule_steps(rows[readings.PRINTED], as_printed, rows.get(readings.SUSPECTED))
    fewer = readings.describe_both(readings.count_short(passed), "{fewer} of {n}")
    foot = "A point below the steps is a server that passed with less memory than the rule asks."
    return figures.picture(
        steps,
        title=f"Measured runs that passed with less memory than the rule asks: {fewer}",
        subtitle=f"{about.title}; and measured runs of NotesBench",
        foot=f"{foot} {documents_of_picture(passed)}; the rule: {about.full_locator}",
    )


def picture_drive_laws(laws: Comparison, about: runs.Series) -> Picture:
    """Return the picture of the laws of response through a series of drives."""
    tested = about.points().sort_values(about.x, kind="stable")
    first, second, last = tested[about.x].iloc[[0, 1, -1]]
    percent = 100 * tested[about.y] / tested[about.y].iloc[0]
    title = f"With {second:g} drives the response takes {percent.iloc[1]:.0f} % of the time with {first:g}, "
    title += f"with {last:g} drives {percent.iloc[-1]:.0f} %"
    foot = "Points: printed. In the shaded range nothing was tested, and the laws disagree."
    how = {"log": "x", "untested": (first, second), "height": 4.8}
    return picture_series(laws, about, title, laws.describe(), foot=foot, **how)


def picture_busy_with_drives(about: runs.Series) -> Picture:
    """Return the picture of the CPU utilization in the tests of a series of drives."""
    busy, points = "cpu_utilization_percent", about.points()
    cpu = points.assign(**{busy: tables.load(about.table)[busy]})
    least = 100 * points[about.y].min() / points[about.y].max()
    title = f"CPU utilization stays within {cpu[busy].min():g} to {cpu[busy].max():g} percent "
    title += f"while the response falls to {least:.0f} %"
    words = {"subtitle": "Average of each test, as printed", "foot": source_of_picture(about.table)}
    return figures.picture(figures.points(cpu, about.x, busy).with_errata_of(cpu), title=title, **words)


def picture_drive_ratios() -> Picture:
    """Return the picture of the ratios of response times that sentences on drives quote, and those of their table."""
    times = drive_ratios()
    title = f"Quoted response times are {times['ratio'].min():.2f} to {times['ratio'].max():.2f} times their baseline"
    order = list(times.groupby("item")["ratio"].min().sort_values(kind="stable").index)
    drawing = figures.dots(times, "item", "ratio", group="origin", hollow="sentence", order=order, **_OVER_BASELINE)
    words = {"subtitle": "Sentences, and the table that some of them are about", "height": 6.2}
    foot = f"Source: {tables.document('compaq_domino45')['title']}"
    return figures.picture(drawing, title=title, foot=foot, **words)


def picture_netware_ratios(netware: pd.DataFrame) -> Picture:
    """Return the picture of the ratios of response times in tables of the NetWare chapter (`changes.table_ratios`)."""
    number = netware["table"].map(tables.list_tables().set_index("id")["number"])
    pair = netware["comparison"] + "\ninstead of " + netware["baseline"] + ", " + number
    low, high = 100 * netware["ratio"].agg(["min", "max"]) - 100
    rows = netware.assign(item=pair).sort_values("ratio", kind="stable")
    title = f"On NetWare the response changed by {low:+.1f} to {high:+.1f} %"
    words = {"subtitle": "What was changed, and what it is compared with, by table", "height": 6}
    foot = f"Source: {tables.document('compaq_netware')['title']}"
    return figures.picture(figures.dots(rows, "item", "ratio", **_OVER_BASELINE), title=title, foot=foot, **words)


def picture_user_prices(priced: pd.DataFrame, workload: str, platform: str) -> Picture:
    """Return the picture of prices per user, of runs with names and with what `laws.price.pareto` says of each."""
    beaten = "another carries as many users for less"
    kinds = priced["pareto"].map({True: "no other carries as many users for less", False: beaten})
    drawn = priced.assign(front=kinds).sort_values("users", kind="stable")
    look = {"group": "front", "names": "name", "key": True, "pale": beaten, "log": "y"}
    drawing = figures.points(drawn, "users", "price_per_user_usd", **look)
    title = f"A NotesBench {workload} user costs {describe_user_prices(priced)}"
    words = {"subtitle": f"{workload} on {platform}, corrected prices", "foot": documents_of_picture(priced)}
    return figures.picture(drawing, title=title, **words, height=6.6, pointer=True)


def picture_doubled_parts(effects: pd.DataFrame, level: float) -> Picture:
    """Return the picture of what doubling each part of a machine buys (`capacity_evidence.doubling`)."""
    names = {"clock_mhz": "clock", "l2_kb": "cache of each", "ram_mb": "memory"}
    bought = effects.assign(item=effects["component"].replace(names)).dropna(subset="ratio")
    bought = bought.sort_values("ratio", ascending=False, kind="stable")
    title = "No part is known that could be doubled"
    if len(bought):
        title = f"Twice the {bought['item'].iloc[0]}: {bought['ratio'].iloc[0]:.2f} times the users"
    drawing = figures.dots(bought, "item", "ratio", low="low", high="high", reference=1, unit="users, ratio")
    subtitle = f"Users after doubling one part, divided by those before, with {100 * level:g} % intervals"
    return figures.picture(drawing, title=title, subtitle=subtitle, foot="Source: all runs of the documents")


def picture_spaces(beside: PlanComparison) -> Picture:
    """Return the picture of the space that each data volume of the document's plan needs, and what its drives hold."""
    spaces = beside.spaces()
    title = f"In the document's plan {beside.shortfall()}"
    words = {"subtitle": "Space of the data volumes, needed and usable", "height": 1.4 + 0.5 * len(spaces)}
    foot = f"Source: planned by rules of {tables.document('compaq_domino45')['title']}"
    return figures.picture(space_bullets(spaces), title=title, foot=foot, **words)


def picture_uncertain_inputs(swings: pd.DataFrame, bought: Plan) -> Picture:
    """Return the picture of how far each uncertain number moves the systems of a plan (`Assessment.tornado`)."""
    moved = swings.query("input_kind != 'scenario'")
    title = "No number is uncertain, so none moves the plan"
    if len(moved):
        title = f"Of the uncertain numbers, the people of {moved['key'].iloc[0]} move the plan most"
    ends, volumes = ("systems_low", "systems_high"), len(bought.volumes)
    bars = figures.tornado(moved, "input", *ends, bought.systems, limit=volumes, unit="systems")
    foot = f"Source: {tables.document('compaq_domino45')['title']}; line: the plan; dashes: what it buys"
    return figures.picture(bars, title=title, subtitle="By the low and high end of each input", foot=foot, height=3.2)


def picture_verdicts(audit: Audit) -> Picture:
    """Return the picture of claims by topic and verdict, the topic that is most often contradicted first."""
    topics, counts = audit.glance("topic"), audit.glance().iloc[0]
    worst = topics.iloc[(-topics["contradicted"] / topics["claims"]).argsort(kind="stable")]
    tested = counts["claims"] - counts["unverifiable"]
    title = f"{counts['contradicted']:,} of {tested:,} testable claims do not follow from the documents' own numbers"
    words = {"subtitle": "Claims by topic and verdict; most often contradicted first"}
    words["foot"] = "Sources: those of each claim, in the list below"
    cells = figures.shares(worst, "topic", VERDICTS, unit="claims", asks="verdict")
    return figures.picture(cells, title=title, height=6.4, pointer=True, **words)


def picture_exchanged_prices(prices: pd.DataFrame) -> Picture:
    """Return the picture of prices per user as printed in the wrong column and corrected (`price_consequences`)."""
    low, change = prices["difference_percent"].abs(), prices["difference_percent"].map("{:+.0f} %".format)
    items = prices["system"] + prices["users"].map(", {:,.0f} users".format)
    both = prices.rename(columns={"printed_usd": "printed", "corrected_usd": "corrected"})
    both = both.assign(item=items, note=change.str.replace("-", "−"))
    pairs = both.melt(["item", "note"], ["printed", "corrected"], "origin", "price_usd")
    look = {"group": "origin", "hollow": "printed", "joined": True, "notes": "note", "unit": "USD per user"}
    foot = f"Hollow: as printed; filled: corrected. Source: {tables.document('compaq_domino45')['title']}"
    return figures.picture(
        figures.dots(pairs, "item", "price_usd", **look).with_errata_of(prices),
        title=f"The printed prices per user are {low.min():.0f} to {low.max():.0f} % too low",
        subtitle="Price per user of the systems whose price columns are exchanged",
        foot=foot,
    )


def machine_names(machines: pd.DataFrame) -> pd.Series:
    """Return the processors of each run by a name that a reader can hold: ``2 × Pentium Pro 200, 512 KB``.

    A cache that is not known is left out; where no family is known it is the system's own name, with its processors
    where the runs have it with several numbers of them.
    """
    count = machines["processors"].map("{:.0f} × ".format).where(machines["processors"] > 1, "")
    megabytes = (machines["l2_kb"] / 1024).map(", {:g} MB".format)
    cache = machines["l2_kb"].map(", {:.0f} KB".format).where(machines["l2_kb"] < 1024, megabytes)
    clock = machines["clock_mhz"].map(" {:.0f}".format).where(machines["clock_mhz"].notna(), "")
    names = count + machines["processor_family"] + clock + cache.where(machines["l2_kb"].notna(), "")
    apart = machines.groupby("system")["processors"].transform("nunique") > 1
    number = (
        machines["processors"]
        .map(lambda n: f", {counted(round(n), 'processor')}", na_action="ignore")
        .where(apart)
        .fillna("")
    )
    return names.where(machines["processor_family"].fillna("") != "", machines["system"] + number)


def named_points(rows: pd.DataFrame) -> pd.DataFrame:
    """Return rows of a published series with the machine of each as `name`; "" where no run is printed there."""
    printed = runs.benchmarks()
    printed = printed.assign(name=machine_names(printed), locator=printed["locator"].str.split("; ")).explode("locator")
    names = printed.drop_duplicates("locator").set_index("locator")["name"]
    return rows.assign(name=rows["locator"].map(names).fillna(""))


def beside_grosch(fit: Fit, beside: pd.DataFrame) -> Drawing:
    """Return a drawing of capacity against price on logarithmic axes, beside the slope of Grosch's law; for `picture`.

    The dotted line has Grosch's exponent of two, through the middle of the points. Machines `beside` are hollow.
    """

    def draw(ax):
        plot(fit, ax, beside=beside, log="xy")
        price, users = fit.points
        middle, ends = np.exp(np.mean(np.log(price))), np.array([min(price), max(price)])
        limits = ax.get_ylim()
        grosch = np.exp(np.mean(np.log(users))) * (ends / middle) ** 2
        about = {"color": GREY, "linestyle": ":", "linewidth": 1.4}
        ax.plot(ends, grosch, **about, label="Grosch's law: twice the price, four times the users")
        ax.set_ylim(limits)
        if ax.get_legend():
            ax.get_legend().remove()
        legend_below(ax)

    return Drawing(draw).with_errata_of(fit, carried_errata.columns_used(beside, fit.x, fit.y))


def demand_panels(demand: pd.DataFrame, *, title: str, subtitle: str = "", foot: str = "") -> Picture:
    """Return CPU utilization against users as a picture: a row of panels per workload, a column per platform.

    Points are what the document prints (`machines.demand`), a mark per release; the dashed line joins the origin with
    the point of the most users: the curve if CPU were proportional to users. The words are as for `figures.picture`.
    """
    x, y, group = "users", "cpu_utilization_percent", "release"
    demand = demand.assign(release="release " + demand["release_family"])
    looking = series_styles(sorted(demand["release_family"].unique()))
    looking = {
        name: {f"release {key}": look for key, look in by_release.items()} for name, by_release in looking.items()
    }
    most = demand.sort_values(x, kind="stable").drop_duplicates(["platform", "workload", group], keep="last")
    lines = pd.concat([most, most.assign(**{x: 0, y: 0})])

    def draw(size):
        row, col = ("workload", "platform") if size is TEXT else ("platform", "workload")  # the narrow one is turned
        height, columns = 1.75 if size is TEXT else 1.45, demand[col].nunique()
        how = {"height": height, "aspect": size.width / columns / height, "margin_titles": True, "dropna": False}
        grid = Panels(demand, row=row, col=col, **how)
        grid.map_dataframe(sns.scatterplot, x=x, y=y, hue=group, style=group, **looking, s=45, zorder=3, legend=False)
        for name in demand[group].unique():
            look = {"color": looking["palette"][name], "marker": looking["markers"][name], "linestyle": "none"}
            grid.axes.flat[0].plot([], [], label=name, markersize=7.5, markeredgecolor="white", **look)
        grid.figure.legend(*grid.axes.flat[0].get_legend_handles_labels(), loc="center right")
        for (one, other), ax in grid.axes_dict.items():
            ax.set_label(f"{one}, {other}")
            panel = lines[(lines[row] == one) & (lines[col] == other)]
            if panel.empty:
                ax.text(0.5, 0.5, "not printed", transform=ax.transAxes, ha="center", color=GREY)
                continue
            sns.lineplot(panel, x=x, y=y, hue=group, palette=looking["palette"], linestyle=(0, (4, 3)), linewidth=1.1,
                         legend=False, ax=ax)  # fmt: skip
        grid.set(xlim=(0, 1.1 * demand[x].max()), ylim=(0, 105), yticks=(0, 50, 100))
        grid.set_titles(row_template="{row_name}", col_template="{col_name}").set_axis_labels("users", "CPU (percent)")
        grid.axes.flat[0].xaxis.set_major_locator(mpl.ticker.MaxNLocator(3))
        grid.axes.flat[0].xaxis.set_major_formatter(plain_numbers)
        return grid

    errata = carried_errata.errata_of(carried_errata.columns_used(demand, x, y))
    about = f"{subtitle}; dashes: if CPU were proportional to users"
    drawing = Drawing(draw, figure_level=True)
    return picture_for_page(drawing, title=title, subtitle=about, foot=foot, errata=errata)


def ratio_dots(pairs, *, title: str, subtitle: str = "", foot: str = "") -> Picture:
    """Return the ratios of pairs as a picture: dots on a logarithmic axis, each workload's mean with its interval.

    Over each bar, the interval of a mean, are the pairs that it is the mean of: a geometric mean of each workload, that
    of crossed random effects over all pairs. The words are as for `figures.picture`.
    """
    ratios = pairs.tidy()[lambda frame: frame["ratio"].notna()]
    means = pd.concat([pairs.by("workload"), pairs.glance().assign(workload="all pairs")], ignore_index=True)
    means["row"] = means["workload"] + " (" + means["n"].astype(str) + ")"
    ratios = ratios.merge(means[["workload", "row"]], on="workload")
    looking = series_styles(ratios["platform"].unique())
    ends = means.melt("row", ["low", "ratio", "high"], value_name="end")  # of these the mean is the median
    across = f"CPU per user of release {pairs.comparison}, divided by that of release {pairs.baseline} (log scale)"

    def draw(ax):
        ax.set_xscale("log")
        ax.axvline(1, color="#888888", linewidth=0.9, zorder=0)
        sns.pointplot(ends, x="end", y="row", estimator="median", errorbar=("pi", 100), linestyle="none", marker="|",
                      markersize=16, markeredgewidth=2.2, color="black", label="mean",
                      err_kws={"color": "#bbbbbb", "linewidth": 6, "solid_capstyle": "butt"}, ax=ax)  # fmt: skip
        for platform, colour in looking["palette"].items():
            here, mark = ratios[ratios["platform"] == platform], looking["markers"][platform]
            sns.stripplot(here, x="ratio", y="row", order=means["row"], jitter=False, color=colour, marker=mark,
                          size=7.5, label=platform, zorder=3, ax=ax)  # fmt: skip
        name_rows(ax, means["row"])
        plain_ticks(ax.xaxis, *ax.get_xlim())
        ax.set_xlabel(across)
        legend_below(ax)

    def chart():
        from dominoperf.figures import interactive

        look = {"group": "platform", "reference": 1, "log": True, "unit": across, "means": means}
        return interactive.dots(ratios, "row", "ratio", order=means["row"], **look)

    about = f"{subtitle}; in brackets the number of pairs; tick: geometric mean, of all pairs by random effects"
    about += f"; bar: {100 * pairs.level:g} % interval"
    words = {"title": title, "subtitle": about, "foot": foot, "alt": f"{title}. {pairs.describe()}."}
    how = {"height": 2 + 0.46 * len(means), "errata": carried_errata.errata_of(pairs), "pointer": True}
    return picture_for_page(Drawing(draw, chart=chart), **words, **how)


def reaching(fit: Fit, targets: list[float]) -> Drawing:
    """Return a drawing of a utilization law with the users at each target marked on a rule; for `picture`."""

    def draw(ax):
        users, tested = fit.inverse(targets)["estimate"].to_numpy(float), np.max(fit.points[0])
        end = 1.12 * np.nanmax([*users, tested])
        plot(fit, ax, until=end)
        for target in targets:
            ax.axhline(target, color=GREY, linewidth=1, linestyle=":", zorder=1)
            ax.annotate(f"target {100 * target:g} %", (0.01, target), xycoords=("axes fraction", "data"), xytext=(0, 3),
                        textcoords="offset points", fontsize=SMALL, color=GREY)  # fmt: skip
        crosses = {"color": OKABE_ITO[1], "marker": "X", "size": 9.5, "label": "law at a target"}
        draw_marks(ax, pd.DataFrame({"x": users, "y": targets}), "x", "y", **crosses)
        ax.set(xlim=(0, end), ylim=(0, 1))
        ax.xaxis.set_major_formatter(plain_numbers)
        ax.yaxis.set_major_formatter(mpl.ticker.PercentFormatter(1, symbol="\N{NO-BREAK SPACE}%"))
        shade_stretch(ax, tested, end, "no load this large was tested")
        legend(ax, "lower right")

    return Drawing(draw).with_errata_of(fit)


def rule_steps(table: pd.DataFrame, passed: pd.DataFrame, other: pd.DataFrame | None = None) -> Drawing:
    """Return a drawing of a sizing table: its rows, what it asks between them, measured runs; for `picture`.

    A rule is hollow, measurements are filled; beyond the last printed row the rule is dashed. Of `other`, the table in
    another reading, what it asks is drawn alone.
    """
    last = table["users"].max()
    most = max([last, *passed["users"]])
    at = np.linspace(1, most, 2001)
    lines = [("what the table asks: its next row", table, at <= last, "-", OKABE_ITO[0])]
    lines += [("the same beyond the table", table, at > last, "--", OKABE_ITO[0])]
    if other is not None:
        lines += [("what it asks if the suspected erratum is right", other, at > 0, "-.", OKABE_ITO[2])]

    def draw(ax):
        for name, rows, here, style, colour in lines:
            steps = memory_rules.memory_by_table(at[here], rows["users"], rows["ram_least_mb"])
            sns.lineplot(x=at[here], y=steps, estimator=None, linestyle=style, color=colour, label=name, ax=ax)
        printed = {"color": OKABE_ITO[1], "marker": "s", "hollow": True, "size": 6.5}
        draw_marks(ax, table, "users", "ram_least_mb", label="published rule: least memory", **printed)
        draw_marks(ax, passed, "users", "ram_mb", color="black", label="measured runs")
        user = tables.user_of(table)
        ax.set(xlabel=tables.label("users", user), ylabel=tables.label("ram_mb"), xlim=(0, 1.04 * most))
        ax.set_ylim(0, 1.08 * ax.get_ylim()[1])
        for axis in (ax.xaxis, ax.yaxis):
            axis.set_major_formatter(plain_numbers)
        legend(ax, "upper left")

    printed, measured = (
        carried_errata.columns_used(table, "users", "ram_least_mb"),
        carried_errata.columns_used(passed, "users", "ram_mb"),
    )
    return Drawing(draw).with_errata_of(printed, measured)


def space_bullets(spaces: pd.DataFrame) -> Drawing:
    """Return a drawing of what each data volume needs, a tick, and what its drives hold, a bar; for `picture`.

    What a bar lacks to the tick is red, with its size. The first row of a server is its need.
    """
    need = spaces.drop_duplicates("server").set_index("server")["space_gb"]
    held = spaces[spaces.duplicated("server")].fillna({"space_gb": 0}).reset_index(drop=True)  # too few drives: nothing
    held = held.assign(need=held["server"].map(need), item=held["server"] + ": " + held["space"])
    short = held[held["space_gb"] < held["need"]]

    def draw(ax):
        ax.barh(held.index, held["space_gb"], height=0.5, color=OKABE_ITO[5], label="held by drives")
        ax.barh(short.index, short["need"] - short["space_gb"], left=short["space_gb"], height=0.5, color=OKABE_ITO[1],
                label="missing")  # fmt: skip
        ax.plot(held["need"], held.index, linestyle="none", marker="|", markersize=20, markeredgewidth=2.4,
                color="black", label="needed")  # fmt: skip
        for row in short.itertuples():
            ax.annotate(f"{row.need - row.space_gb:.1f} GB short", (row.need, row.Index), xytext=(8, 0), va="center",
                        textcoords="offset points", fontsize=SMALL, color=OKABE_ITO[1])  # fmt: skip
        name_rows(ax, held["item"])
        ax.set(xlim=(0, 1.12 * spaces["space_gb"].max()), xlabel=tables.label("space_gb"))
        ax.xaxis.set_major_formatter(plain_numbers)
        legend_below(ax)

    return Drawing(draw).with_errata_of(carried_errata.columns_used(spaces, "space_gb"))
