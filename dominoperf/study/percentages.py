"""What a stated change may mean: a text that says "60 % better" does not say of what."""

from collections.abc import Mapping

from dominoperf.runs.reading import read_count

_LONGER = ("longer", "increase")


def speed_ratios(row: Mapping) -> list[tuple[str, float]]:
    """Return the ratios of speed that a stated change may mean, each after the name of its reading.

    A gain of p percent is ``1 + p/100`` ("more"). Of a response time it may also be meant that the time is p percent
    less, ``1 / (1 - p/100)`` ("less time"); of a load that is p percent lower it is ("less load"). A time that is p
    percent longer is ``1 / (1 + p/100)`` ("longer"). A range is read at both its ends. 100 % less of a time or a load
    is no speed, and gives none.

    Parameters
    ----------
    row : mapping
        metric, value, value_upper, unit; direction and comparison, where the table has them.

    Examples
    --------
    >>> change = {"metric": "response time", "value": 60, "value_upper": float("nan"), "unit": "percent"}
    >>> speed_ratios(change)
    [('more', 1.6), ('less time', 2.5)]
    """
    values = [value for value in (row["value"], row["value_upper"]) if value == value]
    if row["unit"] != "percent":
        return [("factor", value) for value in values]
    direction, drives = row.get("direction"), read_count(row.get("comparison", ""))
    found = []
    for share in (value / 100 for value in values):
        less = [1 / (1 - share)] if share < 1 else []
        if direction in _LONGER and drives is None:  # of more drives the page calls a shorter response an increase
            found.append(("longer", 1 / (1 + share)))
        elif direction == "lower":
            found += [("less load", ratio) for ratio in less]
        else:
            found.append(("more", 1 + share))
            found += [("less time", ratio) for ratio in less if row["metric"] == "response time"]
    return found
