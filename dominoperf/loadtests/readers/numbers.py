"""Numbers as files write them, in one country or another."""

import re

_PLAIN = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?")


def plain(text):
    """Read a number with a decimal point and no other sign; None for anything else."""
    return float(text) if _PLAIN.fullmatch(text) else None


def recorded(text):
    """Read a number of a recorder, which never groups thousands: a comma can only be that of the decimals."""
    return plain(text.strip().replace(",", "."))
