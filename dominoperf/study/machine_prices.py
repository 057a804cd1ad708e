"""Why one machine has two prices: the cents of a price per user, another part, or another seller."""

from itertools import combinations

import pandas as pd

from dominoperf import runs, tables
from dominoperf.study.paired_runs import differing_parts

_CENT = 0.01
_PRICED = "ibm_330/pricing"
_PRICED_PARTS = ("memory", "operating system", "drives", "cache")
_COLUMNS = ["system", "processors", "price_low_usd", "price_high_usd", "difference_usd", "rounding_usd", "reason"]


def two_prices() -> pd.DataFrame:
    """Return every machine of the documents that has two prices, the lowest and the highest, and why they differ.

    Most documents print a price per user, to the cent; times the users it is the price of the machine, give or take
    ``rounding_usd = 0.005 (users + users)``: half a cent for each user of either run. A larger difference is that of
    the parts or of the system software that differ, of the seller, or has no reason that is printed.

    Returns
    -------
    DataFrame
        system, processors, price_low_usd, price_high_usd, difference_usd, rounding_usd (0 where a total is printed),
        reason, locator (of both prices).

    Examples
    --------
    >>> two_prices().query("difference_usd > rounding_usd")[["system", "difference_usd"]].round(0).values.tolist()[-1]
    ['IBM PC Server 330', 2216.0]
    """
    priced = runs.benchmarks().dropna(subset=["price_usd", "price_per_user_usd", "users"])
    names = priced["system"].str.replace(r"\W", "", regex=True).str.casefold()
    rows = []
    for _, machine in priced.groupby([names, "processors"], sort=False):
        several = machine.sort_values(["price_usd", "run"]).to_dict("records")
        one, other = max(combinations(several, 2), key=_difference, default=(several[0], several[0]))
        difference, rounding = _difference((one, other)), _CENT / 2 * (one["users"] + other["users"])
        if difference == 0:
            continue
        parts = [part for part in differing_parts(one, other) if part in _PRICED_PARTS]
        if difference <= rounding:
            reason = "the cents of the prices per user, times the users"
        else:
            reason = (
                f"another {' and '.join(parts)}"
                if parts
                else "more than the cents explain, and nothing printed differs"
            )
        place = "; ".join(dict.fromkeys((one["locator"], other["locator"])))
        ends = one["price_usd"], other["price_usd"], difference, rounding
        rows.append((one["system"], one["processors"], *ends, reason, place))
    total = tables.load(_PRICED).iloc[-1]
    low, high = sorted((total["quote_usd"], total["unit_price_usd"]))
    seller = "the quote of a business partner, which its prices per user take, and IBM's estimate for resellers"
    machine = tables.load("ibm_330/server_under_test")["setting"][0]
    rows.append((machine, 2.0, low, high, high - low, 0.0, seller, tables.locators(_PRICED)[-1]))
    return pd.DataFrame(rows, columns=[*_COLUMNS, "locator"])


def _difference(pair):
    """How much dearer the second is."""
    return pair[1]["price_usd"] - pair[0]["price_usd"]
