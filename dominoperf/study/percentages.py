"""What a stated change may mean: a text that says "60 % better" does not say of what."""

from dominoperf.runs.reading import read_count

_LONGER = ("longer", "increase")


def speeds(row):
    """Give the ratios of speed that a stated change may mean, each under the name of its reading: a list of pairs.

    A gain of p percent is ``1 + p/100`` ("more"). Of a response time it may also be meant that the time is p percent
    less, ``1 / (1 - p/100)`` ("less time"); of a load that is p percent lower it is ("less load"). A time that is p
    percent longer is ``1 / (1 + p/100)`` ("longer"). A range is read at both its ends.

    Parameters
    ----------
    row : dict
        metric, value, value_upper, unit; direction and comparison, where the table has them.
    """
    values = [value for value in (row["value"], row["value_upper"]) if value == value]
    if row["unit"] != "percent":
        return [("factor", value) for value in values]
    return [each for value in values for each in _of_share(value / 100, row)]


def _of_share(share, row):
    """The readings of one percentage; 100 % less of a time or load is no speed, and gives none."""
    direction, drives = row.get("direction"), read_count(row.get("comparison", ""))
    if direction in _LONGER and drives is None:  # of more drives the page calls a shorter response an increase
        return [("longer", 1 / (1 + share))]
    less = [1 / (1 - share)] if share < 1 else []
    if direction == "lower":
        return [("less load", ratio) for ratio in less]
    return [("more", 1 + share), *(("less time", ratio) for ratio in less if row["metric"] == "response time")]
