"""What differs between two folders: to the byte, or within the printed digits."""

import re
from math import floor, log10

DIGITS = 6  # significant ones, as `reports.save` writes numbers
_NUMBER = re.compile(r"(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)")
_SHOWN = 60  # letters of a line on either side of where it differs


def files(folder):
    """Map the name of every file below a folder to its path; those that start with a point are nobody's result."""
    named = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    return {name: named[name] for name in sorted(named) if not any(part.startswith(".") for part in name.split("/"))}


def folders(expected, found, compare):
    """List what differs between two folders.

    Parameters
    ----------
    expected, found : Path
    compare : callable
        `to_the_byte` or `within_digits`.

    Returns
    -------
    list of str
        A sentence for each file that is missing, that nobody asked for, or whose content differs.
    """
    left, right = files(expected), files(found)
    if not left:
        return [f"{expected.name}: there is no file to compare with"]
    missing = [f"{name}: missing" for name in left if name not in right]
    strange = [f"{name}: not expected" for name in right if name not in left]
    both = [name for name in left if name in right]
    told = {name: compare(left[name].read_bytes(), right[name].read_bytes()) for name in both}
    return missing + strange + [f"{name}, {where}" for name, where in told.items() if where]


def to_the_byte(expected, found):
    """Say where two contents first differ; an empty text where they are the same."""
    if expected == found:
        return ""
    return _first(expected, found, str.__eq__)


def within_digits(expected, found):
    """Say where two texts first differ by more than one unit of the last of the significant digits that are printed.

    A number so rounded can fall to either side by the last bit of the arithmetic. Everything between the numbers has to
    be the same.
    """
    return "" if expected == found else _first(expected, found, _same_but_for_the_last_digit)


def _first(expected, found, same):
    """The first line that is not the same, or the first byte of what is no text."""
    try:
        left, right = expected.decode().split("\n"), found.decode().split("\n")
    except UnicodeDecodeError:
        shorter = min(len(expected), len(found))
        at = next((k for k in range(shorter) if expected[k] != found[k]), shorter)
        return f"byte {at + 1:,}: no text, {len(expected):,} bytes expected, {len(found):,} found"
    for number, (ours, theirs) in enumerate(zip(left, right, strict=False), start=1):
        if not same(ours, theirs):
            ours, theirs = _around(ours, theirs)
            return f"line {number}: expected {ours!r}, found {theirs!r}"
    return "" if len(left) == len(right) else f"{len(left):,} lines expected, {len(right):,} found"


def _around(ours, theirs):
    """Both lines where they differ: those of a page may be long."""
    shorter = min(len(ours), len(theirs))
    at = next((k for k in range(shorter) if ours[k] != theirs[k]), shorter)
    cut = slice(max(0, at - _SHOWN), at + _SHOWN)
    return ours[cut], theirs[cut]


def _same_but_for_the_last_digit(ours, theirs):
    left, right = _NUMBER.split(ours), _NUMBER.split(theirs)
    return len(left) == len(right) and all(
        one == other or (k % 2 and _near(float(one), float(other)))
        for k, (one, other) in enumerate(zip(left, right, strict=True))
    )


def _near(one, other):
    """Whether two numbers are at most a unit of the last printed digit of the larger apart."""
    unit = 10.0 ** (floor(log10(max(abs(one), abs(other)))) + 1 - DIGITS)
    return abs(one - other) <= 1.001 * unit  # the difference of two decimals is seldom one
