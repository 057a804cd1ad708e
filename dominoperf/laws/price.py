"""Price and capacity: laws of cost, and which configurations are worth their price."""

import numpy as np

from dominoperf.laws.elementary import USERS, line_law, power_law
from dominoperf.laws.record import Param, WorkedExample


def pareto(frame):
    """Say of each row whether no other has at least its users for at most its price_usd, one of the two better.

    Rows with the same of both stay or go together; a row without either is out. A Series on the index of the frame.
    """
    price, gain = frame["price_usd"].to_numpy(float)[:, None], frame["users"].to_numpy(float)[:, None]
    better = (price >= price.T) & (gain <= gain.T) & ((price > price.T) | (gain < gain.T))
    whole = frame["price_usd"].notna() & frame["users"].notna()
    return whole & ~better.any(axis=1)


def cheapest(frame, demand):
    """Rows of the least price_usd whose users are at least the demand: several where they cost the same, or none."""
    enough = frame[frame["users"] >= demand]
    return enough[enough["price_usd"] == enough["price_usd"].min()]


_PER_USER = Param("per_user", "price of one user more", "{y}/{x}", 0.0, np.inf)
_BASE = Param("base", "price without users", "{y}", 0.0, np.inf)

PRICE_POWER = power_law(
    Param("exponent", "percent of capacity for a percent of cost", "1", 0.0, 3.0),
    at_one="capacity for a cost of 1", name="price_power", family="price", title="Capacity as a power of cost",
    formula="users = scale cost^exponent", x="price_usd", y="users",
    source="Grosch, 1953, who put the exponent at 2",
    equation="without a number: Grosch's law, in words, with his square as the exponent to be fitted",
    worked=WorkedExample(2, (100, 2), "400", "Grosch, 1953: twice the cost, four times the capacity"),
    limits="one family of machines and one year; expect less than 1",
    example=((5e3, 1e4, 2e4, 3e4, 5e4, 8e4), (1.5, 0.7)),
)  # fmt: skip

PRICE_LINEAR = line_law(
    _PER_USER, _BASE, name="price_linear", family="cost", title="Cost by users", formula="cost = per_user users + base",
    x="users", y="price_usd", error="relative",
    source="elementary: a fixed cost and the same for every user", equation="elementary: a sum",
    worked=WorkedExample(1000, (12, 8000), "20000", "by hand: 12 x 1000 + 8000"),
    limits="one family of machines and one year", at_zero=True,
    example=(USERS, (12, 8000)),
)  # fmt: skip

USES = {
    "price": "users that a price buys",
    "cost": "what a number of users costs",
}
LAWS = (PRICE_POWER, PRICE_LINEAR)
