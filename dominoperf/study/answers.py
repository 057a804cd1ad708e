"""The answer of each page in sentences, from the results that the page has computed."""

import math
from fractions import Fraction

import numpy as np
import pandas as pd

from dominoperf import tables
from dominoperf.errors import check_number, counted, joined_with
from dominoperf.fitting.comparison import law_within_sentence
from dominoperf.fitting.summary import x_of_fit_in_words
from dominoperf.laws import price
from dominoperf.machines.parts import part_in_words
from dominoperf.runs import benchmarks
from dominoperf.study.added_processors import PARTITIONED
from dominoperf.study.audit import errata_groups
from dominoperf.study.audit.verdicts import HOLDS
from dominoperf.study.paired_runs import peak_loads
from dominoperf.study.recompute.readings import describe_both
from dominoperf.tables import carried_errata
from dominoperf.tables.rendering import SafeMarkdown, coverage, headline_and_points, number

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

_GROUPS = {  # how the profiles of a request are said
    "light_mail": "people with light mail",
    "medium_mail": "people with medium mail",
    "heavy_mail": "people with heavy mail",
    "maildb_reader": "readers of shared databases",
    "maildb_active": "active in shared databases",
    "groupware": "with groupware",
    "discdb": "in discussion databases",
}


def answer_sources(chosen):
    """Return who published some documents, how many cells they print, and how many of those are wrong or doubtful."""
    publishers = "; ".join(dict.fromkeys(tables.document(each).get("publisher", "") for each in chosen))
    cells, listed = (sum(len(count(each)) for each in chosen) for count in (tables.cells, tables.list_tables))
    found = errata_groups().query("source in @chosen")
    return headline_and_points(
        f"Every number comes from {counted(len(chosen), 'document')}, published by {publishers.rstrip('.')}.",
        f"{cells:,} printed cells, each with its place, in {listed} tables.",
        f"{found['count'].sum()} cells and sentences are wrong or doubtful, by {len(found)} errors: "
        "what is wrong for one reason counts as one.",
    )


def answer_benchmarks(runs, broken, workload):
    """Return how many cells break an identity (`audit.check_consistency`), and how many runs a workload has."""
    told = (broken["status"] != "").sum()
    span = " to ".join(f"{end:,.0f}" for end in dict.fromkeys((runs["users"].min(), runs["users"].max())))
    return SafeMarkdown(
        f"**The numbers of all documents agree but for {len(broken)} cells that break an identity; "
        f"{'each of them' if told == len(broken) else told} has an explanation.** Certainly wrong among them: "
        f"{(broken['status'] == 'certain').sum()}. Distinct runs{f' of {workload}' if workload else ''}: {len(runs)}, "
        f"with {span} simulated users."
    )


def answer_capacity(found, machine, workload, shares, *, system="", level=0.95):
    """Return which machine a capacity is of, how many users it carries and how sure that is.

    `machine` has the columns of `benchmarks` that are known, `shares` is what `capacity_evidence.calibration` gives.
    """
    parts = " ".join(form.format(machine[name]) for name, form in _PARTS.items() if name in machine).strip(" ,")
    name = system or parts or "A machine of which nothing is known"
    row, of = found.glance().iloc[0], Fraction(level).limit_denominator(100)
    users, low, high = (number(row[name], 3) for name in ("users", "low", "high"))
    more = found.sentences()
    del more["users"]  # the first sentence here says it in other words
    inside = "{:.0f} of {:.0f} tests lay inside the {:g} % interval".format
    lay = [inside(each.n * each.coverage, each.n, 100 * each.level) for each in shares.itertuples()]
    wide = "wider" if (shares["coverage"] > shares["level"]).all() else "no wider"
    of_tested = f"The interval is {wide} than the runs need"
    if beyond := found.row["beyond_measured"]:
        words = joined_with("and", map(part_in_words, beyond.split(", ")))
        of_tested = f"No run tells how far the interval holds beyond what was measured, in {words}; within it"
    return headline_and_points(
        f"{name}: about {users} {workload} users (a new test would give {low} to {high}, {of.numerator} "
        f"times in {of.denominator}).",
        f"{of_tested}: when each machine was left out and predicted from the others, {' and '.join(lay[-3::2])}.",
        " ".join(more.values()),
    )


def describe_influence(moved):
    """Return which of the runs the one with the least memory and the partitioned one are, the most influential first.

    `moved` is of `capacity_evidence.influence`.
    """
    memory = benchmarks().set_index("run")["ram_mb"]
    rows = moved.reset_index(drop=True)
    named = {
        rows["run"].map(memory).idxmin(): "The run with the least memory",
        rows.index[rows["run"] == PARTITIONED].item(): "the run of partitioned servers",
    }
    parts = (f"{words} ({rows['system'][k]}, {rows['workload'][k]}) is number {k + 1}" for k, words in named.items())
    return SafeMarkdown(f"{', '.join(parts)} of {len(rows)} by its influence.")


def answer_clock_and_cache(clean, supposed, clocks, caches, *, sigma, level):
    """Return what the runs say of a faster clock and of a larger cache.

    `clean` and `supposed` are the power of the clock through the pair that shares a cache, the second with the noise
    `sigma`; `clocks` and `caches` are pairs of runs, at two clocks and with two caches, as `pairs` gives them.
    """
    ends = supposed.tidy().set_index("term").loc["exponent"]
    direct = clocks[clocks["implied_by"] == ""]
    above = int((direct["exponent"] > 1).sum())
    shared = int((pd.concat([direct["baseline"], direct["comparison"]]).value_counts() > 1).sum())
    low, high = caches["gain_per_doubling_percent"].agg(["min", "max"])
    along = "; or ".join(" and ".join(each.rsplit(", ", 1)) for each in caches["other_differences"].unique())
    return headline_and_points(
        "These runs cannot settle what a faster clock alone buys, or a larger cache alone: something else always "
        "changes too, or is not printed.",
        f"In the one pair known to share a cache, users grow with the clock to the power {clean.estimates[1]:.2f}. "
        f"Its {len(clean.points[0])} points give no interval; if a capacity is uncertain by {100 * sigma:g} %, it "
        f"lies between {ends['low']:.2f} and {ends['high']:.2f} ({coverage(level)} interval).",
        f"Of {len(direct)} pairs of runs at two clocks (runs in more than one of them: {shared}), {above} give a power "
        "above 1, which a clock alone cannot cause. Pairs that follow from two others are not counted.",
        f"Twice the second-level cache goes with {low:.0f} to {high:.0f} % more simulated users in the {len(caches)} "
        f"pairs of one operating system, but these pairs also differ in {along}.",
    )


def describe_added_processors(curve):
    """Return by how many percent the users grow with each further processor, of a fit of users by processors."""
    gains = (curve.augment()["y"].pct_change().dropna() * 100).round().astype(int).astype(str)
    return f"Users gained by each further processor: {' %, then '.join(gains)} %"


def describe_processors_ahead(ahead):
    """Return what a forecast says of one number of processors."""
    row = ahead.tidy().iloc[0]
    value, low, high = (number(each, 3) for each in row[["predicted", "low", "high"]])
    return (
        f"{x_of_fit_in_words(ahead, row['x'])}: about {value} {tables.label(ahead.y)}, "
        f"{100 * ahead.level:g} % band {low} to {high}"
    )


def describe_last_processor(both):
    """Return how the last processor changes each quantity: columns processors, quantity, ratio."""
    wide = both.pivot(index="processors", columns="quantity", values="ratio")
    last = wide.pct_change().iloc[-1] * 100
    change = " and ".join(f"{name} by {change:+.0f} %" for name, change in last.items())
    return f"The last processor changes {change.replace('-', '−')}"


def answer_processors(curve, laws, ahead, bent, both, about, *, until, sigma):
    """Return what a further processor brings, with and without one law taken for granted.

    `curve` is the law that is shown with its interval, `laws` and `ahead` need none, `bent` has coherency and the noise
    `sigma`; `both` are users and throughput relative to the fewest processors, of the series `about`.
    """
    law, wider = (law_within_sentence(fit.law.title) for fit in (curve, bent))
    right = f"{law} is right{', which the points refute' * (curve.law.name in laws.refuted)}"
    zero = " and ".join(bent.tidy().query("at_bound and estimate == 0")["term"])
    why = f" Its best {zero} is zero, so its curve is that of a law without {zero}." if zero else ""
    other = describe_last_processor(both)
    return headline_and_points(
        f"{describe_added_processors(curve)}.",
        f"{describe_processors_ahead(ahead)}, without assuming a law. The {len(curve.augment())} points "
        f"{laws.finding()}.",
        f"If {right}, there are {curve.describe_forecast(until)}.",
        f"By {wider}, with {100 * sigma:g} % assumed noise, there are {bent.describe_forecast(until)}.{why}",
        f"{tables.describe(about.table).title}: {other[0].lower()}{other[1:]}.",
    )


def describe_bands(bands):
    """Return how many printed gains lie in the band of their step, and what stands in for the last step."""
    last = bands.iloc[-1]
    return (
        f"Of the printed gains, {bands['n_inside'].sum()} of {bands['n'].sum()} lie in the band of their step. From "
        f"{last['from_configuration']} to {last['to_configuration']} no run of one Domino server is printed: the laws "
        f"give {last['law_low_percent']:.0f} to {last['law_high_percent']:.0f} %, the document {last['band']} %."
    )


def answer_memory(rule, line, module, short, exponents):
    """Return what the published sizing rule and the measured runs say of memory.

    `rule` is as printed, `line` what gives it (`memory_rules.sizing_rule`) in steps of `module` MB; `short` is what
    `recompute.count_short` gives, `exponents` what `local_exponents` does.
    """
    base_low, each_low, base_high, each_high = (*line["low"], *line["high"])
    how = f"No straight line, rounded up to modules of {module} MB, gives every value of the rule."
    if line["estimate"].notna().all():
        how = (
            f"A straight line gives every value of the rule: {each_low:.3g} to {each_high:.3g} MB per user plus a "
            f"base of {base_low:.3g} to {base_high:.3g} MB, rounded up to modules of {module} MB."
        )
    last = rule.loc[rule["users"].idxmax()]
    half = rule.loc[(rule["users"] - last["users"] / 2).abs().idxmin()]
    each = " and ".join(f"{row['ram_least_mb'] / row['users']:.2g}" for row in (half, last))
    ranges = exponents.groupby("workload", sort=False)["estimate"].agg(["min", "max"])
    spread = ", ".join(f"{row.Index} {row.min:.2f} to {row.max:.2f}" for row in ranges.itertuples())
    return headline_and_points(
        f"The published rule asks for {half['ram_least_mb']:,} MB for {half['users']:,} users and "
        f"{last['ram_least_mb']:,} MB for {last['users']:,} ({each} MB per user). Measured runs that passed with less: "
        f"{describe_both(short, '{fewer} of {n}')}.",
        f"{how} The rule is advice and not data.",
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
    """
    check_number("target", target, 0, 1)
    extra, cost = added.iloc[-1], costs["processors_per_1000_users"]
    times = curve.inverse(target)["estimate"].iloc[0] / costs["users"].max()
    far, wait = (" that far", " How long a user would then wait is unknown.") if times > 1 else ("", "")
    chance = "would be more than chance" if sigma < extra["sigma_percent"] else "could be chance"
    law = queues.augment().groupby("law")["fitted"].agg(["first", "last"])
    rising = int((law["last"] >= law["first"]).sum())
    waits = 1000 * loads.sort_values("users", kind="stable")["response_s"]
    return headline_and_points(
        f"Red Hat's machine would be {100 * target:g} % busy at {times:.1f} times the largest load tried, if the "
        f"law holds{far} ({law_within_sentence(curve.law.title)}): {curve.describe_inverse(target)}.{wait}",
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
    """
    left, titled = laws.left_out(), f"The law '{curve.law.title}'"
    titled += ", which the points refute," * (curve.law.name in laws.refuted)
    gains = laws.derive(drives)
    share = 100 * gains["estimate"][~gains["law"].isin(laws.refuted)]
    gain = f"With {counted(drives, 'drive')}, it is not known how much one more would cut the response time."
    if len(share):
        gain = (
            f"With {counted(drives, 'drive')}, one more would cut the response time by {number(share.min(), 2)} to "
            f"{number(share.max(), 2)} %, according to the {counted(len(share), 'law')} that the points do not refute."
        )
    own = left[left["law"] == curve.law.name].sort_values("x", kind="stable")
    first, *others = own["predicted"] / own["observed"]
    within = math.ceil(1000 * max(abs(ratio - 1) for ratio in others)) / 10
    usable = shares[shares["metric"] == "usable capacity"]
    mirrored = usable[usable["comparison"] == "RAID 1"].iloc[0]
    wrong = usable.loc[(usable["planner_percent"] - usable["computed_percent"]).idxmax()]
    return headline_and_points(
        f"{gain} The points {laws.finding()}.",
        f"{titled} typically misses the points by {100 * curve.glance()['log_error'].item():.1f} %.",
        f"It predicts every point but the first from the others within {within:g} %. The first it predicts at "
        f"{100 * first:.0f} % of what was measured.",
        f"RAID 1 leaves {mirrored['computed_percent']:.0f} % of the space, RAID 5 all but one drive: "
        f"{wrong['computed_percent']:.0f} % of {wrong['drives']:g} drives, where the planning formula promises "
        f"{wrong['planner_percent']:.0f} %.",
    )


def answer_workloads(pairs, costs, capacities):
    """Return what a user costs in a newer release, by workload, and why the clock alone cannot be judged.

    `pairs` are of `machines.paired_ratios`, `costs` of `machines.demand`, `capacities` of the users of older documents.
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
        f"The few platforms cannot settle whether the CPU per user changed for these workloads: {wide}.",
        f"{means.index[-1]} takes {times.min():.1f} to {times.max():.1f} times the CPU per user of {means.index[0]} "
        "on the same machine and release.",
        f"The older documents cannot show what a faster clock alone does for capacity{why}. The fitted power of the "
        f"clock is {capacities.describe('clock_mhz', named=False)}.",
        "Users are simulated ones.",
    )


def describe_user_prices(priced):
    """Return the least and the greatest price per user, each with its machine; columns price_per_user_usd, name."""
    ends = (priced.loc[priced["price_per_user_usd"].agg(how)] for how in ("idxmin", "idxmax"))
    return " to ".join(f"${end['price_per_user_usd']:.2f} ({end['name']})" for end in ends)


def describe_doubled_price(curve):
    """Return how many percent more users twice the price goes with, by a power of the price."""
    exponent = curve.tidy().set_index("term").loc["exponent", "estimate"]
    return f"{100 * 2**exponent - 100:.0f} % more users"


def equal_servers(frame, demand):
    """Price the demand with several equal servers of each kind: ``ceil(demand / users) * price_usd``.

    It holds for work that can be split over servers at no cost: of running more of them, and of what passes between
    them, it knows nothing. The rows that have both numbers, with servers and fleet_price_usd, the least price first.
    """
    priceable = frame[(frame["users"] > 0) & frame["price_usd"].notna()]
    servers = np.ceil(demand / priceable["users"] * (1 - 1e-12))  # 1.1 / 0.1 is a little over 11 in binary
    priced = priceable.assign(servers=servers, fleet_price_usd=servers * priceable["price_usd"])
    return carried_errata.propagate_errata(
        priced.sort_values("fleet_price_usd", kind="stable"),
        carried_errata.columns_used(priceable, "users", "price_usd"),
    )


def describe_cheapest(fleets, priced, demand):
    """Return what a demand costs on the cheapest of `equal_servers`, and on one machine of those with a price."""
    best, single = fleets.iloc[0], price.cheapest(priced, demand)
    cost = f"${best['fleet_price_usd']:,.0f} on"
    if best["servers"] == 1:
        return f"{cost} one machine ({best['name']})"
    one = f"${single['price_usd'].min():,.0f} on one machine" if len(single) else "no one machine carries them"
    return f"{cost} {best['servers']:g} equal servers ({best['name']}), if users can be spread at no cost; {one}"


def describe_size(low, high):
    """Say what an interval of the exponent in ``users = scale cost^exponent`` means for the price of a user.

    The price of a user grows as ``cost^(1 - exponent)``.
    """
    if low > 1 or high < 1:
        return f"a user costs {'less' if low > 1 else 'more'} on a bigger server"
    return "the fit does not settle whether a user costs more on a bigger server"


def answer_price(priced, curve, turned, families, fleets, *, workload, platform, demand):
    """Return what a user costs, whether a bigger server costs less per user, and the cheapest machines for a demand.

    `curve` has the users as a power of the price, `turned` the price as a power of the users; `families` has the
    power of `curve` for each processor family, `fleets` is of `equal_servers`.
    """
    check_number("demand", demand, 0, math.inf)
    ends = ["exponent_low", "exponent_high"]
    exponent, back = (fit.tidy().set_index("term").loc["exponent"] for fit in (curve, turned))
    inverse = 1 / back[["high", "low"]].astype(float).clip(lower=0)  # of a price that falls: any power, however large
    whole, around = (describe_size(*ends) for ends in (exponent[["low", "high"]], inverse))
    big = families.loc[families["n"].idxmax()]
    alone = describe_size(*big[ends])
    analyses = {whole, around} | ({alone} if big[ends].notna().any() else set())
    firm = whole if analyses == {whole} else "whether a bigger server costs more per user depends on the analysis"
    return headline_and_points(
        f"On {platform} a simulated {workload} user costs {describe_user_prices(priced)}; {firm}.",
        f"Over {len(curve.points[0])} machines of one vendor, twice the price goes with "
        f"{describe_doubled_price(curve)}, {curve.describe('exponent')}: {whole}.",
        f"If the price is fitted to the users instead, {around}.",
        f"Among the {big['n']} {big['processor_family']} machines alone, {alone}.",
        f"{demand:,} simulated {'user costs' if demand == 1 else 'users cost'} "
        f"{describe_cheapest(fleets, priced, demand)}.",
    )


def answer_choice(choice, risk, *, spread_percent, level):
    """Return which set of servers is the cheapest, and how sure a plan is whose people are uncertain.

    Each group may have up to `spread_percent` fewer or more people; `risk` is of the plan on the system of the request.
    """
    best, sure, weak = choice.glance().iloc[0], risk.glance().iloc[0], risk.weakest()
    first = " and ".join(f"the {row.resource} of {row.server}" for row in weak.itertuples())
    edge = weak["at_row_end"].any()
    why = (
        " (the plan lies exactly on rows of the memory table, so one more person asks for the next row)" if edge else ""
    )
    request, plan = choice.request, risk.plan.glance().iloc[0]
    people = ", ".join(f"{each.users:,.0f} {_GROUPS.get(each.profile, each.name)}" for each in request.groups)
    proved = best["price_usd"] <= best["bound_usd"]
    proof = "every cheaper set was ruled out" if proved else f"no set can cost less than ${best['bound_usd']:,.0f}"
    headline = f"For {people} the cheapest set is {best['set']} for ${best['price_usd']:,.0f}; {proof}."
    bought = f"A plan of {plan['servers']} x {request.system} (${plan['price_usd']:,.0f})"
    if not risk.is_uncertain:
        return headline_and_points(headline, f"{bought} has one future alone, for none of its numbers is uncertain.")
    return headline_and_points(
        headline,
        f"{bought}, if each group may have up to {spread_percent:g} % fewer or more people: the servers carry the load "
        f"in {100 * sure['probability_load']:.2f} % of the simulated futures, the drives suffice in "
        f"{100 * sure['probability_disk']:.0f} %, and the memory is what the rules ask in "
        f"{100 * sure['probability_memory']:.0f} %{why}.",
        f"Most often short: {first or 'nothing'}.",
        f"{sure['servers_bound']:.0f} servers carry the load with {100 * level:g} % certainty, "
        "if people may be moved between them in every future.",
    )


def answer_case_study(beside, examples):
    """Return whether the document's plan has the space that it needs, what corrected rules change, and what agrees."""
    left, right = (row for _, row in beside.glance().iterrows())
    by_document, by_other = (
        f"{counted(int(row['servers']), 'server')}, {row['drives']:,.0f} drives and {row['ram_mb']:,.0f} MB of memory"
        + (f" for ${row['price_usd']:,.0f}" if row["price_usd"] == row["price_usd"] else "")
        for row in (left, right)
    )
    other = "The plan beside it is by the same rules"
    if right["rules"] != left["rules"]:
        other = f"The {right['rules']} rules buy {'the same' if by_other == by_document else by_other}"
    if left["price_usd"] == left["price_usd"]:
        other += ". The price is of the servers as tested: drives and memory beyond theirs are not in it"
    return headline_and_points(
        f"In the document's plan {beside.shortfall()}, by the definition of its RAID level.",
        beside.headline(),
        f"The document's rules buy {by_document}. {other}.",
        f"Of the values in the worked examples that can be recomputed, {examples['agrees'].sum()} of "
        f"{examples['agrees'].count()} match.",
    )


def answer_claims(audit, causes_of_contradicted):
    """Return how many claims hold, and what becomes of the others.

    `causes_of_contradicted` is what `causes` gives.
    """
    counts, wrong, agree = audit.glance().iloc[0], audit.contradictions(), list(HOLDS)
    assumed = int((wrong["assumption"] != "").sum())
    percent = audit.glance("unit").set_index("unit").reindex(["%"], fill_value=0).iloc[0]
    testable, percentages = (each["claims"] - each["unverifiable"] for each in (counts, percent))
    return headline_and_points(
        f"Of {counts['claims']:,} claims {testable:,} can be tested. Of these, {counts[agree].sum():,} agree "
        f"with the numbers ({counts['confirmed']:,} exactly, {counts['approximate']:,} nearly, "
        f"{counts['conditional']:,} only under an assumption), {counts['contradicted']:,} are contradicted, and "
        f"{counts['repeated']:,} agree only with another sentence of the document.",
        f"The other {counts['unverifiable']:,} cannot be tested.",
        f"The contradicted claims have {len(causes_of_contradicted):,} causes in all. Of these claims, "
        f"{(wrong['bears_on'] == 'plan').sum()} would change a capacity plan, and {assumed} "
        f"depend{'s' * (assumed == 1)} on an assumption that is named.",
        f"Of {percentages:,} percentages that can be tested, {percent[agree].sum():,} agree with the numbers."
        if percentages
        else "",
    )


def answer_errata(errors, prices, drives, readers):
    """Return how many errors change a plan, and how three of them do (`recompute.consequences`)."""
    times = readers["systems"].max() / readers["systems"].min()
    return headline_and_points(
        f"{(errors['bears_on'] == 'plan').sum()} of {len(errors)} errors listed here would change a plan.",
        "Prices in the wrong column make a simulated user look up to "
        f"{prices['difference_percent'].abs().max():.0f} % cheaper than it is.",
        f"A wrong count of drives leaves {(~drives['enough']).sum()} of the {len(drives)} data volumes of the case "
        "study too small.",
        "For people who only read shared databases, the prose asks for "
        f"{times:.0f} times as many systems as the table of the same chapter.",
        f"Of those listed, {(errors['status'] == 'certain').sum()} are certain. What is wrong for one reason counts as "
        f"one error: the {len(errors)} are in {errors['count'].sum()} printed cells and sentences.",
    )


def answer_advice(found, counts, least):
    """Return how much of what the documents recommend their numbers test; topics have `least` of them to be named."""
    number = counts.sum(numeric_only=True)
    tested = counts.query("recommendations >= @least and supported + contradicted > not_tested")["topic"]
    unknown = counts.sort_values(["not_tested", "topic"], ascending=[False, True]).iloc[0]
    least_known = (
        f"Least is known of {unknown['topic']}: for {unknown['not_tested']:,} of {unknown['recommendations']:,} "
        "recommendations there is only experience or a model."
    )
    return headline_and_points(
        f"Of {counted(len(found), 'recommendation')} the documents' own numbers support {number['supported']:,} and "
        f"contradict {number['contradicted']:,}; no printed number tests the other {number['not_tested']:,}.",
        f"Of the topics with {least} or more recommendations, more than half of the advice is tested on these: "
        f"{', '.join(tested) or 'none'}.",
        least_known if unknown["not_tested"] else "",
    )
