"""The answers of the pages on runs and capacity, in sentences: each from the results that its page has computed."""

import math
from fractions import Fraction

import pandas as pd

from dominoperf import tables
from dominoperf.errors import counted
from dominoperf.study.paired_runs import peak_loads
from dominoperf.study.recompute.readings import describe_both
from dominoperf.tables.rendering import coverage, headline_and_points, number

_PARTS = {  # how the columns of a machine are said
    "processors": "{:g} x",
    "processor_family": "{}",
    "clock_mhz": "{:g} MHz,",
    "l2_kb": "{:g} KB of cache,",
    "ram_mb": "{:g} MB of memory,",
    "drives": "{:g} drives,",
    "operating_system": "{},",
    "domino_release": "Domino {},",
}


def answer_capacity(found, machine, workload, shares, *, system="", level=0.95):
    """Return which machine a capacity is of, how many users it carries and how sure that is.

    `machine` has the columns of `benchmarks` that are known, `shares` is what `capacity_evidence.calibration` gives.

    >>> from dominoperf import capacity
    >>> machine = {"processors": 2, "clock_mhz": 200, "l2_kb": 512, "processor_family": "Pentium Pro"}
    >>> shares = pd.DataFrame({"level": [0.8, 0.95], "n": [23, 23], "covered": [1.0, 1.0]})
    >>> answer_capacity(capacity(machine, "Mail"), machine, "Mail", shares).partition("(")[0]
    '**2 x Pentium Pro 200 MHz, 512 KB of cache: about 2,401 Mail users '
    """
    parts = " ".join(form.format(machine[name]) for name, form in _PARTS.items() if name in machine).strip(" ,")
    row, of = found.glance().iloc[0], Fraction(level).limit_denominator(100)
    users, low, high = (number(row[name], 3) for name in ("users", "low", "high"))
    more = found.sentences()
    del more["users"]  # the first sentence here says it in other words
    inside = "{:.0f} of {:.0f} tests lay inside the {:g} % interval".format
    lay = [inside(each.n * each.covered, each.n, 100 * each.level) for each in shares.itertuples()]
    wide = "wider" if (shares["covered"] > shares["level"]).all() else "no wider"
    return headline_and_points(
        f"{system or parts}: about {users} {workload} users (a new test would give {low} to {high}, {of.numerator} "
        f"times in {of.denominator}).",
        f"The interval is {wide} than the runs need: when each machine was left out and predicted from the others, "
        f"{' and '.join(lay[-3::2])}.",
        " ".join(more.values()),
    )


def answer_clock_and_cache(clean, supposed, clocks, caches, *, sigma, level):
    """Return what the runs say of a faster clock and of a larger cache.

    `clean` and `supposed` are the power of the clock through the pair that shares a cache, the second with the noise
    `sigma`; `clocks` and `caches` are pairs of runs, at two clocks and with two caches, as `pairs` gives them.

    >>> from dominoperf import fit, study
    >>> clean, supposed = (fit("clock_power", "clock_mail_clean", bounded=False, sigma=sigma) for sigma in (None, 0.05))
    >>> caches = study.pairs("l2_kb")
    >>> words = answer_clock_and_cache(clean, supposed, study.pairs("clock_mhz"), caches, sigma=0.05, level=0.95)
    >>> words.partition(" if a ")[2].partition(" (")[0]
    'capacity is uncertain by 5 %, it lies between 0.32 and 1.57'
    """
    ends = supposed.tidy().set_index("term").loc["exponent"]
    direct = clocks[clocks["implied_by"] == ""]
    above = int((direct["exponent"] > 1).sum())
    shared = int((pd.concat([direct["baseline"], direct["comparison"]]).value_counts() > 1).sum())
    words = "run is" if shared == 1 else "runs are"
    twice = f" ({shared} {words} in more than one of these pairs)" if shared else ""
    low, high = caches["gain_per_doubling_percent"].agg(["min", "max"])
    along = "; or ".join(" and ".join(each.rsplit(", ", 1)) for each in caches["other_differences"].unique())
    return headline_and_points(
        "These runs cannot settle what a faster clock alone buys, or a larger cache alone: something else always "
        "changes too, or is not printed.",
        f"In the one pair known to share a cache, users grow with the clock to the power {clean.estimates[1]:.2f}. "
        f"Its {len(clean.points[0])} points give no interval; if a capacity is uncertain by {100 * sigma:g} %, it "
        f"lies between {ends['low']:.2f} and {ends['high']:.2f} ({coverage(level)} interval).",
        f"Of {len(direct)} pairs of runs at two clocks{twice}, {above} give a power above 1, which a clock alone "
        "cannot cause. Pairs that follow from two others are not counted.",
        f"Twice the second-level cache goes with {low:.0f} to {high:.0f} % more simulated users in the {len(caches)} "
        f"pairs of one operating system, but these pairs also differ in {along}.",
    )


def describe_added_processors(curve):
    """Return by how many percent the users grow with each further processor, of a fit of users by processors.

    >>> from dominoperf import fit
    >>> describe_added_processors(fit("amdahl", "smp_mail"))
    'Users gained by each further processor: 48 %, then 19 %'
    """
    gains = (curve.augment()["y"].pct_change().dropna() * 100).round().astype(int).astype(str)
    return f"Users gained by each further processor: {' %, then '.join(gains)} %"


def describe_processors_ahead(ahead):
    """Return what a forecast says of one number of processors.

    >>> from dominoperf import forecast
    >>> describe_processors_ahead(forecast("smp_mail", 4))
    '4 processors: about 3,694 users, 95 % band 2,120 to 4,442'
    """
    row = ahead.tidy().iloc[0]
    value, low, high = (number(each, 3) for each in row[["predicted", "low", "high"]])
    return (
        f"{row['x']:g} processors: about {value} {tables.label(ahead.y)}, {100 * ahead.level:g} % band {low} to {high}"
    )


def describe_last_processor(both):
    """Return how the last processor changes each quantity: columns processors, quantity, ratio.

    >>> both = pd.DataFrame({"processors": [1, 2, 1, 2], "quantity": [*"aabb"], "ratio": [1, 1.5, 1, 0.9]})
    >>> describe_last_processor(both)
    'The last processor changes a by +50 % and b by −10 %'
    """
    wide = both.pivot(index="processors", columns="quantity", values="ratio")
    last = wide.pct_change().iloc[-1] * 100
    change = " and ".join(f"{name} by {change:+.0f} %" for name, change in last.items())
    return f"The last processor changes {change.replace('-', '−')}"


def answer_processors(curve, laws, ahead, bent, both, about, *, until, sigma):
    """Return what a further processor brings, with and without one law taken for granted.

    `curve` is the law that is shown with its interval, `laws` and `ahead` need none, `bent` has coherency and the noise
    `sigma`; `both` are users and throughput relative to the fewest processors, of the series `about`.

    >>> from dominoperf import compare, fit, forecast, runs
    >>> curve, bent = fit("amdahl", "smp_mail"), fit("usl", "smp_mail", sigma=0.02)
    >>> laws, ahead = compare(["linear", "amdahl"], "smp_mail"), forecast("smp_mail", 4)
    >>> about = runs.find("smp_discdb")
    >>> both = about.relative("users", "notesmark_tpm")
    >>> answer_processors(curve, laws, ahead, bent, both, about, until=4, sigma=0.02).partition("\\n")[0]
    '**Users gained by each further processor: 48 %, then 19 %.**'
    """
    right = f"{curve.law.title} is right{', which the points refute' * (curve.law.name in laws.refuted)}"
    zero = " and ".join(bent.tidy().query("at_bound and estimate == 0")["term"])
    why = f" Its best {zero} is zero, so its curve is that of a law without {zero}." if zero else ""
    other = describe_last_processor(both)
    return headline_and_points(
        f"{describe_added_processors(curve)}.",
        f"{describe_processors_ahead(ahead)}, without assuming a law. The {len(curve.augment())} points "
        f"{laws.finding()}.",
        f"If {right}, there are {curve.describe_forecast(until)}.",
        f"{bent.law.title}, with {100 * sigma:g} % assumed noise: {bent.describe_forecast(until)}.{why}",
        f"{tables.describe(about.table).title}: {other[0].lower()}{other[1:]}.",
    )


def answer_memory(rule, line, module, short, exponents):
    """Return what the published sizing rule and the measured runs say of memory.

    `rule` is as printed, `line` what gives it (`memory_rules.sizing_rule`) in steps of `module` MB; `short` is what
    `recompute.count_short` gives, `exponents` what `local_exponents` does.

    >>> rule = pd.DataFrame({"users": [150, 500, 1000], "ram_least_mb": [96, 250, 500]})
    >>> line = pd.DataFrame({"estimate": [16, 0.5], "low": [10, 0.4], "high": [20, 0.6]})
    >>> short = pd.DataFrame({"view": ["as printed"], "n": [8], "fewer": [3], "ram_share_percent": [40.0]})
    >>> exponents = pd.DataFrame({"workload": ["Mail", "Mail"], "estimate": [1.2, 2.0]})
    >>> answer = answer_memory(rule, line, 32, short, exponents)
    >>> answer.partition(", and measured")[0]
    '**The published rule asks for 250 MB for 500 users and 500 MB for 1,000 (0.5 and 0.5 MB per user)'
    >>> answer.partition("The line is ")[2].partition(".\\n")[0]
    '0.4 to 0.6 MB per user plus a base of 10 to 20 MB, rounded up to modules of 32 MB'
    """
    base_low, each_low, base_high, each_high = (*line["low"], *line["high"])
    a_line = "A" if line["estimate"].notna().all() else "No"
    last = rule.loc[rule["users"].idxmax()]
    half = rule.loc[(rule["users"] - last["users"] / 2).abs().idxmin()]
    each = " and ".join(f"{row['ram_least_mb'] / row['users']:.2g}" for row in (half, last))
    ranges = exponents.groupby("workload", sort=False)["estimate"].agg(["min", "max"])
    spread = ", ".join(f"{row.Index} {row.min:.2f} to {row.max:.2f}" for row in ranges.itertuples())
    return headline_and_points(
        f"The published rule asks for {half['ram_least_mb']:,} MB for {half['users']:,} users and "
        f"{last['ram_least_mb']:,} MB for {last['users']:,} ({each} MB per user), and measured runs passed with less: "
        f"{describe_both(short, '{fewer} of {n}')}.",
        f"{a_line} straight line gives every value of the rule, which is advice and not data. The line is "
        f"{each_low:.3g} to {each_high:.3g} MB per user plus a base of {base_low:.3g} to {base_high:.3g} MB, rounded "
        f"up to modules of {module} MB.",
        "The run that was shortest of memory had this share of what the rule asks for: "
        f"{describe_both(short, '{ram_share_percent:.0f} %')}.",
        "In the tests of response time no power of the memory fits: the exponent differs by workload and from step to "
        f"step ({spread}; below zero the time grew).",
    )


def answer_response(curve, costs, added, queues, loads, *, target, sigma):
    """Return what Red Hat's two loads say of the users at a target, their cost, and the response.

    `curve` is a law of utilization through the loads, `costs` and `added` are of `machines.demand` and `added_demand`,
    `queues` the laws of response through the two `loads`; `target` is a share, `sigma` the standard deviation of a
    utilization in percentage points.

    >>> from dominoperf import compare, fit, machines, runs
    >>> costs = machines.demand().query("source == 'rhel5'")
    >>> curve = fit("utilization_proportional", costs, y="cpu_utilization_percent")
    >>> loads = runs.benchmarks().query("source == 'rhel5'")
    >>> loads = loads.assign(cpu_utilization=loads["cpu_utilization_percent"] / 100)
    >>> queues = compare("response", loads, fixed={"servers": 4, "think_s": 600})
    >>> added = machines.added_demand(costs)
    >>> answer_response(curve, costs, added, queues, loads, target=0.7, sigma=0.5).partition(" the ")[0]
    "**Red Hat's machine would be 70 % busy at 4.7 times"
    """
    extra, cost = added.iloc[-1], costs["processors_per_1000_users"]
    times = curve.inverse(target)["estimate"].iloc[0] / costs["users"].max()
    chance = "would be more than chance" if sigma < extra["sigma_percent"] else "could be chance"
    law = queues.augment().groupby("law")["fitted"].agg(["first", "last"])
    rising = int((law["last"] >= law["first"]).sum())
    waits = 1000 * loads.sort_values("users", kind="stable")["response_s"]
    return headline_and_points(
        f"Red Hat's machine would be {100 * target:g} % busy at {times:.1f} times the largest load tried, if its "
        f"utilization stays in proportion to the users that far: {curve.describe_inverse(target)}. How long a user "
        "would then wait is unknown.",
        f"A thousand simulated users kept {cost.min():.2f} to {cost.max():.2f} of a processor busy.",
        f"With the larger load, each added user cost {extra['ratio']:.2f} times the CPU of a user of the smaller "
        f"load. That is more than chance only if utilization varies by less than {extra['sigma_percent']:.2g} "
        f"percentage points from run to run; this page assumes {sigma:g}, so it {chance}.",
        f"The printed response time goes from {number(waits.iloc[0], 3)} ms to {number(waits.iloc[-1], 3)} ms as the "
        f"load grows, but in {rising} of {len(law)} queueing laws it can only rise or stay.",
    )


def answer_disk(laws, curve, shares, *, drives):
    """Return what one more drive takes off the response time, and how well the laws predict it.

    `curve` is the law that is asked, `drives` are those before one more, `shares` is what `capacity_shares` gives.

    >>> from dominoperf import compare, fit
    >>> from dominoperf.study.changes import capacity_shares
    >>> laws = compare("disk", "spindles", interval="none")
    >>> words = answer_disk(laws, fit("spindles", "spindles"), capacity_shares(), drives=1)
    >>> words.rpartition("- ")[2].partition(",")[0]
    'RAID 1 leaves 50 % of the space'
    >>> words.partition(",")[2].partition(",")[0]
    ' one more would cut the response time by 67 to 73 %'
    """
    left, name, titled = laws.left_out(), curve.law.name, f"The law '{curve.law.title}'"
    open_laws, refuted = laws.not_refuted, [other for other in laws.refuted if other != name]
    gains = laws.derive(drives).merge(laws.tidy()[["law", "refuted_by"]])
    share = 100 * gains[gains["refuted_by"] == ""]["estimate"]
    errors, first = 100 * laws.tidy().set_index("law")["log_error"], left["x"] == left["x"].min()
    others = left[(left["law"] == name) & ~first]
    inner = math.ceil(1000 * (others["predicted"] / others["observed"] - 1).abs().max()) / 10
    miss = (left["observed"] / left["predicted"])[first & left["law"].isin(open_laws or [name])].min()
    before = f"With {counted(drives, 'drive')}, "
    gain = f"{before}it is not known how much one more would cut the response time. The points {laws.finding()}."
    if len(share):
        gain = (
            f"{before}one more would cut the response time by {share.min():.2g} to {share.max():.2g} %, according to "
            f"the {counted(len(share), 'law')} that the points do not refute. The points {laws.finding()}."
        )
    rivals = f", the laws that are not refuted by {errors[open_laws].max():.1f} % or less" if open_laws else ""
    lost = f"The points refute {counted(len(refuted), 'other law')}, which typically miss them by "
    lost = f"{lost}{errors[refuted].min():.2g} % or more." if refuted else ""
    usable = shares[shares["metric"] == "usable capacity"]
    mirrored = usable[usable["comparison"] == "RAID 1"].iloc[0]
    wrong = usable.loc[(usable["planner_percent"] - usable["computed_percent"]).idxmax()]
    return headline_and_points(
        gain,
        f"{titled} typically misses the points by {errors[name]:.1f} %{rivals}.",
        lost,
        f"{titled} predicts every point but the first from the others within {inner:g} %. The first is predicted too "
        f"low, by a factor of {math.floor(10 * miss) / 10:g} or more.",
        f"RAID 1 leaves {mirrored['computed_percent']:.0f} % of the space, RAID 5 all but one drive: "
        f"{wrong['computed_percent']:.0f} % of {wrong['drives']:g} drives, where the planning formula promises "
        f"{wrong['planner_percent']:.0f} %.",
    )


def answer_workloads(pairs, costs, capacities):
    """Return what a user costs in a newer release, by workload, and why the clock alone cannot be judged.

    `pairs` are of `machines.paired_ratios`, `costs` of `machines.demand`, `capacities` of the users of older documents.

    >>> from dominoperf import factor_model, machines
    >>> words = answer_workloads(machines.paired_ratios(peak_loads()), machines.demand(), factor_model())
    >>> words.partition("release.\\n- ")[0].rpartition("- ")[2].partition(" the CPU")[0]
    'R6iNotes takes 4.3 to 7.0 times'
    """
    by = pairs.by("workload")
    wide = ", ".join(by.loc[(by["low"] < 1) & (by["high"] > 1), "workload"]) or "none"
    clocks = capacities.rows.groupby("source", sort=False)["clock_mhz"].first()
    vendors = [f"{tables.document(key)['publisher']} {mhz:g} MHz" for key, mhz in clocks.items()]
    is_vendor = "clock_mhz" in set(capacities.confounding().query("confounding == 'source'")["term"])
    runs = f"the {len(capacities.rows)} runs that print every part that the model needs"
    why = f": in {runs}, each vendor has one clock ({', '.join(vendors)})" if is_vendor else ""
    peaks = costs[costs["run"].isin(peak_loads()["run"])]
    grid = peaks.pivot_table("cpu_percent_per_1000_users", ["platform", "release_family"], "workload")
    means = grid.mean().sort_values(kind="stable")
    times = (grid[means.index[-1]] / grid[means.index[0]]).dropna()
    return headline_and_points(
        f"{pairs.describe()}.",
        f"The few platforms cannot settle whether these workloads need less CPU: {wide}.",
        f"{means.index[-1]} takes {times.min():.1f} to {times.max():.1f} times the CPU per user of {means.index[0]} "
        "on the same machine and release.",
        f"The older documents cannot show what a faster clock alone does for capacity{why}. The fitted power of the "
        f"clock is {capacities.describe('clock_mhz', named=False)}.",
        "Users are simulated ones.",
    )
