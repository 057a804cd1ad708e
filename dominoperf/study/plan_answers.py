"""The answers of the pages on prices and plans, in sentences: each from the results that its page has computed."""

from dominoperf.errors import capitalized, counted
from dominoperf.laws import price
from dominoperf.tables.rendering import headline_and_points

_GROUPS = {  # how the profiles of a request are said
    "light_mail": "people with light mail",
    "medium_mail": "people with medium mail",
    "heavy_mail": "people with heavy mail",
    "maildb_reader": "readers of shared databases",
    "maildb_active": "active in shared databases",
    "groupware": "with groupware",
    "discdb": "in discussion databases",
}


def describe_user_prices(priced):
    """Return the least and the greatest price per user, each with its machine; columns price_per_user_usd, name.

    >>> import pandas as pd
    >>> describe_user_prices(pd.DataFrame({"price_per_user_usd": [9, 12.5, 10], "name": ["a", "b", "c"]}))
    '$9.00 (a) to $12.50 (b)'
    """
    ends = (priced.loc[priced["price_per_user_usd"].agg(how)] for how in ("idxmin", "idxmax"))
    return " to ".join(f"${end['price_per_user_usd']:.2f} ({end['name']})" for end in ends)


def describe_doubled_price(curve):
    """Return how many percent more users twice the price goes with, by a power of the price.

    >>> from dominoperf import fit
    >>> describe_doubled_price(fit("price_power", {"price_usd": [10, 20, 40], "users": [100, 200, 400]}))
    '100 % more users'
    """
    exponent = curve.tidy().set_index("term").loc["exponent", "estimate"]
    return f"{100 * 2**exponent - 100:.0f} % more users"


def describe_one_machine(single):
    """Return what one machine costs that carries a demand, of `laws.price.cheapest`; or that none does.

    >>> import pandas as pd
    >>> describe_one_machine(pd.DataFrame({"price_usd": [59053.0]}))
    '$59,053 on one machine'
    """
    return f"${single['price_usd'].min():,.0f} on one machine" if len(single) else "no one machine carries them"


def answer_price(priced, curve, turned, families, fleets, *, workload, platform, demand):
    """Return what a user costs, whether a bigger server costs less per user, and the cheapest machines for a demand.

    `curve` has the users as a power of the price, `turned` the price as a power of the users; `families` has the
    power of `curve` for each processor family, `fleets` is of `laws.price.fleets`.

    >>> from dominoperf import fitting
    >>> from dominoperf.study.drawings import machine_names
    >>> from dominoperf.study.paired_runs import priced_runs
    >>> priced = priced_runs("Mail", "Windows NT").query("source == 'compaq_domino45'")
    >>> priced = priced.assign(name=machine_names(priced))
    >>> curve = fitting.fit("price_power", priced, x="price_usd", y="users")
    >>> turned = fitting.fit("price_power", priced, x="users", y="price_usd", bounded=False)
    >>> how = {"x": "price_usd", "y": "users", "interval": "profile"}
    >>> families = fitting.fit_many(priced, "price_power", by="processor_family", **how).assign(n=[7, 2])
    >>> fleets = price.fleets(priced, 5000).merge(priced[["run", "name"]])
    >>> scope = {"workload": "Mail", "platform": "Windows NT", "demand": 5000}
    >>> words = answer_price(priced, curve, turned, families, fleets, **scope)
    >>> words.partition(";")[0]
    '**On Windows NT a simulated Mail user costs $9.40 (Pentium II 300) to $19.97 (Pentium Pro 200, 512 KB)'
    """
    ends = ["exponent_low", "exponent_high"]
    exponent, back = (fit.tidy().set_index("term").loc["exponent"] for fit in (curve, turned))
    inverse = 1 / back[["high", "low"]].astype(float).clip(lower=0)  # of a price that falls: any power, however large
    whole, around = (price.describe_size(*ends) for ends in (exponent[["low", "high"]], inverse))
    big = families.loc[families["n"].idxmax()]
    alone = price.describe_size(*big[ends])
    analyses = {whole, around} | ({alone} if big[ends].notna().any() else set())
    firm = whole if analyses == {whole} else "whether a bigger server costs more per user depends on the analysis"
    best, single = fleets.iloc[0], price.cheapest(priced, demand)
    cheapest = f"one machine ({best['name']})"
    if best["servers"] > 1:
        cheapest = f"{best['servers']:g} equal servers ({best['name']}), if users can be spread at no cost"
        cheapest += f"; {describe_one_machine(single)}"
    return headline_and_points(
        f"On {platform} a simulated {workload} user costs {describe_user_prices(priced)}; {firm}.",
        f"Over {len(curve.points[0])} machines of one vendor, twice the price goes with "
        f"{describe_doubled_price(curve)}, {curve.describe('exponent')}: {whole}.",
        f"If the price is fitted to the users instead, {around}.",
        f"Among the {big['n']} {big['processor_family']} machines alone, {alone}.",
        f"{demand:,} simulated users cost ${best['fleet_price_usd']:,.0f} on {cheapest}.",
    )


def answer_choice(choice, risk, *, spread_percent, level):
    """Return which set of servers is the cheapest, and how sure a plan is whose people are uncertain.

    Each group may have up to `spread_percent` fewer or more people; `risk` is of the plan on the system of the request.

    >>> from dominoperf import planning
    >>> choice = planning.choose(planning.example("case_study"), rules="corrected")
    >>> risk = planning.assess(planning.plan(planning.with_spread(planning.example("case_study"), 20)), n=1000)
    >>> words = answer_choice(choice, risk, spread_percent=20, level=0.95)
    >>> words.partition(" the cheapest")[0]
    '**For 800 people with light mail, 300 active in shared databases, 100 with groupware'
    >>> words.partition(" set is ")[2].partition(".")[0]
    '1 ProLiant 3000 1xP2/300 + 1 ProLiant 5000 1xP6/200-512 for $59,053; every cheaper set was ruled out'
    """
    best, sure, weak = choice.glance().iloc[0], risk.glance().iloc[0], risk.weakest()
    first = " and ".join(f"the {row.resource} of {row.server}" for row in weak.itertuples())
    first += " runs short first" if len(weak) == 1 else " run short equally often" if first else "no future falls short"
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
        f"{capitalized(first)}.",
        f"{sure['servers_bound']:.0f} servers carry the load with {100 * level:g} % certainty, "
        "if people may be moved between them in every future.",
    )


def answer_case_study(beside, examples):
    """Return whether the document's plan has the space that it needs, what corrected rules change, and what agrees.

    >>> from dominoperf.study import recompute
    >>> from dominoperf.study.recompute.case_study import worked_examples_beside
    >>> beside = recompute.PlanComparison(recompute.case_request())
    >>> answer_case_study(beside, worked_examples_beside()).rpartition(", ")[2]
    '65 of 65 match.'
    """
    left, right = (row for _, row in beside.glance().iterrows())
    by_document, by_other = (
        f"{counted(int(row['servers']), 'server')}, {row['drives']:,.0f} drives and {row['ram_mb']:,.0f} MB of memory"
        + (f" for ${row['price_usd']:,.0f}" if row["price_usd"] == row["price_usd"] else "")
        for row in (left, right)
    )
    other = "They stand on both sides here"
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
