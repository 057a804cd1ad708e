"""Where the level part of a run begins and ends, from the numbers alone.

The beginning is MSER-5: of the means of batches of five samples so many are cut that the standard error of the mean of
the rest, ``sum (z - mean)^2 / n^2``, is least (White, Simulation 69(6) 1997; White, Cobb and Spratt, Winter Simulation
Conference 2000). Below 200 samples batches are smaller, so that there are 40; of more than 512 batches neighbours are
joined: a window is known to 1/512 of a run.

The same quantity, least over both ends, says whether the end of a run has to go too. Beginning and end are cut only
where what is cut differs from the rest by more than four standard errors. Where less than half of the run is left, MSER
is not to be trusted (Hoad, Robinson and Davies 2010), and the best half is looked at instead. There is no window where
another level lasts half as long, nor where a line describes most of the run.
"""

from dataclasses import dataclass

import numpy as np

from dominoperf.loadtests import spread

BATCH = 5  # samples, as MSER-5 is defined
LEAST = 10  # batches
_FEW, _MOST = 40, 512  # batches of a short run, and of a long one: every pair of ends is looked at
_SURE = 4.0  # standard errors: of many windows the best one was chosen
_CURVE = 3  # degree: a ramp is no noise
_OTHER = 0.5  # another level this long, as a share of the window, is one of its own


@dataclass(frozen=True)
class Found:
    """A level part as a range of batches, or why there is none; other parts with what they are."""

    window: tuple | None
    parts: tuple = ()  # (name, first, last, reason) in order
    reason: str = ""  # drifting, levels or short
    level: tuple | None = None  # where there is no window: the longest level part


def size(count):
    """Return the samples of a batch."""
    return max(min(BATCH, count // _FEW), -(-count // _MOST), 1)


def batches(values):
    """Return the means of batches; samples that fill no batch at the end are left out."""
    each = size(len(values))
    return values[: len(values) // each * each].reshape(-1, each).mean(axis=1)


def search(z, *, tolerance, share):
    """Find the level part of batch means.

    Parameters
    ----------
    z : array
        At least `LEAST` batch means.
    tolerance : float
        Change over the window, as a share of the mean, that counts as level.
    share : float
        Least share of the batches that a level part must have.
    """
    z, floor = _scaled(z, tolerance)
    if np.ptp(z) == 0:
        return Found((0, len(z)), (("steady", 0, len(z), "all samples are equal"),))
    first, last = _level(z, floor)
    if last - first < share * len(z):
        return _none(z, floor, share, (first, last))
    others = [*_other(z, 0, first, (first, last), floor), *_other(z, last, len(z), (first, last), floor)]
    if any(end - begin >= _OTHER * (last - first) for begin, end in others):
        return _none(z, floor, share, (first, last))
    return Found((first, last), _phases(len(z), first, last, others))


def _scaled(z, tolerance):
    """Numbers about 0 with a spread about 1, and the variance of a rise that counts as level."""
    middle, wide = float(np.median(z)), float(np.std(z))
    if wide <= 1e-12 * max(abs(middle), np.finfo(float).tiny):
        return np.zeros(len(z)), 0.0
    return (z - middle) / wide, (tolerance * middle / wide) ** 2 / 12


def mser(z, floor=0.0):
    """Return the batches that MSER cuts from the beginning, up to the last five (Spratt 1998)."""
    left = np.arange(len(z), 0, -1.0)
    total, squares = np.cumsum(z[::-1])[::-1], np.cumsum(z[::-1] ** 2)[::-1]
    error = ((squares - total**2 / left) / left + floor) / left
    return int(np.argmin(error[: max(1, len(z) - 5)]))


def _level(z, floor, least=LEAST):
    """The beginning by MSER, after an end that must go has gone."""
    first, last = _best(z, floor, least)
    last = last if last < len(z) and _ends(z, first, last) else len(z)
    first = min(mser(z[:last], floor), max(last - LEAST, 0))
    return first if first and _differs(z, (0, first), (first, last)) else 0, last


def _ends(z, first, last):
    """Whether what follows a range is no part of it: neither at its level nor on its line."""
    tail, own = (last, len(z)), (first, last)
    at = np.arange(len(z)) - (first + last - 1) / 2
    trend = float(np.sum(at[first:last] * z[first:last]) / np.sum(at[first:last] ** 2))
    return _differs(z, tail, own) and _differs(z - trend * at, tail, own)


def _best(z, floor, least=LEAST, line=False):
    """The range whose mean, or whose line, has the least marginal standard error."""
    begin, end = np.triu_indices(len(z) + 1, least)
    count = (end - begin).astype(float)
    left = _squares(z, begin, end, count)
    left -= _explained(z, begin, end, count) if line else 0.0
    k = int(np.argmin((np.maximum(left, 0.0) / count + floor) / count))
    return int(begin[k]), int(end[k])


def _sums(values, begin, end):
    total = np.concatenate([[0.0], np.cumsum(values)])
    return total[end] - total[begin]


def _squares(z, begin, end, count):
    """Sum of squares about the mean of each range."""
    return _sums(z**2, begin, end) - _sums(z, begin, end) ** 2 / count


def _explained(z, begin, end, count):
    """What the least-squares line of each range takes from its sum of squares."""
    at = np.arange(len(z)) - len(z) / 2
    across = (count**3 - count) / 12
    middle = (begin + end - 1) / 2 - len(z) / 2
    return (_sums(at * z, begin, end) - middle * _sums(z, begin, end)) ** 2 / across


def _differs(z, one, other):
    """Whether two ranges have means further apart than noise explains: that of either about its own curve.

    Both count, for some queues are the quieter the shorter they are, and the best window is a quiet one.
    """
    a, b = z[slice(*one)], z[slice(*other)]
    variance, alike = _noise(b, 0)
    own = variance * min(alike, len(a)) / len(a)
    if len(a) >= 2 * LEAST:
        wild, close = _noise(a, _CURVE)
        own = max(own, wild * close / len(a))
    return bool(abs(a.mean() - b.mean()) > _SURE * np.sqrt(own + variance * alike / len(b)))


def _noise(values, degree):
    """Variance about a curve, and by how much likeness of neighbours widens that of a mean."""
    at = np.linspace(-1, 1, len(values))
    left = values - np.polynomial.legendre.legval(at, np.polynomial.legendre.legfit(at, values, degree))
    return float(np.var(left)), spread.widening(left, 1 + degree)


def _other(z, begin, end, window, floor):
    """The level that what lies before or after the window has of its own, if it has one."""
    if end - begin < 2 * LEAST:
        return []
    first, last = (begin + k for k in _best(z[begin:end], floor))
    short = last - first < (end - begin) / 2 or not _differs(z, (first, last), window)
    return [] if short or _rises(z, first, last) else [(first, last)]


def _rises(z, first, last):
    """Whether a range has a slope that its noise does not explain."""
    found = spread.slope(np.arange(first, last, dtype=float), z[first:last], 0.95)
    return bool(abs(found.value) > _SURE * found.std_error)


def _none(z, floor, share, level):
    """Say what there is in place of a level part: a rise or fall throughout, several levels, or neither."""
    first, last = _best(z, floor, line=True)
    on_line = min(last, level[1]) - max(first, level[0]) >= (level[1] - level[0]) / 2 and last - first >= share * len(z)
    if on_line and _rises(z, first, last) and not _stepped(z[first:last]):
        return Found(None, _phases(len(z), first, last, [], "drifting"), "drifting", level)
    others = [*_other(z, 0, level[0], level, floor), *_other(z, level[1], len(z), level, floor)]
    long = level[1] - level[0] >= 2 * LEAST and any(b - a >= _OTHER * (level[1] - level[0]) for a, b in others)
    if long:
        return _levels(z, sorted([*others, level]))
    first, last = _level(z, floor, int(np.ceil(share * len(z))))  # some queues have quiet stretches
    if last - first >= share * len(z):
        return Found((first, last), _phases(len(z), first, last, []))
    return Found(None, (("unknown", 0, len(z), ""),), "short", level)


def _stepped(z):
    """Whether two levels leave less than one line does."""
    cut = np.arange(1, len(z))
    zero, all_ = np.zeros_like(cut), np.full_like(cut, len(z))
    two = _squares(z, zero, cut, cut.astype(float)) + _squares(z, cut, all_, (all_ - cut).astype(float))
    whole = np.array([0]), np.array([len(z)]), np.array([float(len(z))])
    return bool(two.min() < (_squares(z, *whole) - _explained(z, *whole))[0])


def _levels(z, ranges):
    """Several levels, none of which is the steady state of the run, and what lies around them."""
    parts, at = [("ramp-up", 0, ranges[0][0], "")], ranges[0][0]
    for k, (first, last) in enumerate(ranges):
        close = first - at < LEAST
        parts += [] if close else [("change", at, first, "")]
        parts.append(("level", at if close else first, last, f"level {k + 1} of {len(ranges)}"))
        at = last
    parts.append(("change", at, len(z), ""))
    return Found(None, tuple(part for part in parts if part[1] < part[2]), "levels")


def _phases(count, first, last, others, name="steady"):
    """Rows of a run with one part in the middle; what has a level of its own says so."""
    said = {"before": "", "after": ""}
    for begin, _ in others:
        said["before" if begin < first else "after"] = "has a level of its own"
    parts = [("ramp-up", 0, first, said["before"]), (name, first, last, ""), ("ramp-down", last, count, said["after"])]
    return tuple(part for part in parts if part[1] < part[2])
