"""MSER-5 over both ends of a run: where its level part begins and ends, from the numbers alone.

The beginning is MSER-5: batches of five samples are cut until the standard error of the mean of the rest,
``sum (z - mean)^2 / n^2``, is least (White, Simulation 69(6) 1997; White, Cobb and Spratt, Winter Simulation
Conference 2000). Below 200 samples batches are smaller, so that there are 40; of more than 512 batches neighbours are
joined: a window is known to 1/512 of a run.

The same quantity, least over both ends, says whether the end of a run has to go too. Either is cut only where it
differs from the rest by more than four standard errors, and where the first (or last) twentieth of the run is off the
level, too: a run that falls and comes back has a dip, which belongs to the mean. Where less than half of the run is
left, MSER is not to be trusted (Hoad, Robinson and Davies 2010), and the best half is looked at instead. There is no
window where another level lasts half as long, nor where a line describes most of the run.
"""

from dataclasses import dataclass

import numpy as np

from dominoperf.loadtests import batch_means

_BATCH = 5  # samples, as MSER-5 is defined
_FEWEST = 10  # batches of a level part
_SHORT, _LONG = 40, 512  # batches of a short run, and of a long one: every pair of ends is looked at
_SURE = 4.0  # standard errors: of many windows the best one was chosen
_CURVE = 3  # degree: a ramp is no noise
_BEGUN = 20  # such a part of the run at its ends tells a ramp from a dip
_RIVAL = 0.5  # another level this long, as a share of the window, is one of its own


@dataclass(frozen=True)
class LevelPart:
    """The level part of a run as a range of batches, or why there is none; all parts with what they are."""

    window: tuple | None
    parts: tuple  # (name, first, one past the last, reason) in order
    reason: str = ""  # where there is no window: drifting, levels or short
    longest: tuple | None = None  # where there is no window: the longest level part
    dips: tuple = ()  # stretches of the window near its ends where the run leaves its level and comes back


def mser_batch_size(count):
    """Return the samples of a batch."""
    return max(min(_BATCH, count // _SHORT), -(-count // _LONG), 1)


def means_of_batches(values):
    """Return the means of batches; samples that fill no batch at the end are left out."""
    size = mser_batch_size(len(values))
    return values[: len(values) // size * size].reshape(-1, size).mean(axis=1)


def mser_truncation(z, floor=0.0):
    """Return the batches that MSER cuts from the beginning, up to the last five (Spratt 1998).

    `z` are batch means; a variance up to `floor` counts as none.
    """
    count = np.arange(len(z), 0, -1.0)
    total, squares = np.cumsum(z[::-1])[::-1], np.cumsum(z[::-1] ** 2)[::-1]
    error = ((squares - total**2 / count) / count + floor) / count
    return int(np.argmin(error[: max(1, len(z) - 5)]))


def initial_transient(z, *, tolerance):
    """Return the batches that MSER cuts from the beginning; none where they do not differ from the rest.

    A change of up to `tolerance`, as a share of the median, counts as none.
    """
    middle, deviation = float(np.median(z)), float(np.std(z))
    if deviation <= 1e-12 * max(abs(middle), np.finfo(float).tiny):
        return 0
    z = (z - middle) / deviation
    first = mser_truncation(z, (tolerance * middle / deviation) ** 2 / 12)
    ramp = first and _batch_means_differ(z, (0, first), (first, len(z))) and not _is_dip(z, first, z[first:].mean())
    return first if ramp else 0


def level_part_by_mser(z, *, tolerance, share):
    """Return the level part of batch means.

    `z` are at least 10 batch means. A change over the window of up to `tolerance`, as a share of the mean, counts as
    level; `share` is the least share of the batches that a level part must have.
    """
    middle, deviation = float(np.median(z)), float(np.std(z))
    if deviation <= 1e-12 * max(abs(middle), np.finfo(float).tiny):
        return LevelPart((0, len(z)), (("steady", 0, len(z), "the mean of every batch of samples is the same"),))
    z, floor = (z - middle) / deviation, (tolerance * middle / deviation) ** 2 / 12  # a rise that counts as level
    first, last = window = _mser_window(z, floor)
    rivals = [*_other_level_of_run(z, 0, first, window, floor), *_other_level_of_run(z, last, len(z), window, floor)]
    alone = all(b - a < _RIVAL * (last - first) for a, b in rivals)
    if last - first >= share * len(z) and alone:
        if not share:  # of users: fewer of them for a while are another load, no dip
            return LevelPart(window, _ramp_up_level_and_end(len(z), first, last, rivals))
        return _level_part_or_dip(z, window, rivals)

    # No level part: a rise or fall throughout, several levels, or the longest part is short.
    a, b = _range_of_least_marginal_error(z, floor, line=True)
    on_line = min(b, last) - max(a, first) >= (last - first) / 2 and b - a >= share * len(z)
    if on_line and _level_has_slope(z, a, b) and not _level_has_step(z[a:b]):
        return LevelPart(None, _ramp_up_level_and_end(len(z), a, b, [], "drifting"), "drifting", window)
    if not alone and (last - first >= 2 * _FEWEST or not share):  # without a least share no best one is looked for
        return LevelPart(None, _several_levels_of_run(len(z), sorted([*rivals, window])), "levels")
    a, b = _mser_window(z, floor, max(_FEWEST, int(np.ceil(share * len(z)))))  # some queues have quiet stretches
    if b - a >= share * len(z):
        return _level_part_or_dip(z, (a, b), [])
    return LevelPart(None, (("unknown", 0, len(z), ""),), "short", window)


def _mser_window(z, floor, least=_FEWEST):
    """The beginning by MSER, after an end that must go has gone."""
    first, last = _range_of_least_marginal_error(z, floor, least)
    # An end goes where it is neither at the level of the window nor on its line.
    at = np.arange(len(z)) - (first + last - 1) / 2
    line = at * float(np.sum(at[first:last] * z[first:last]) / np.sum(at[first:last] ** 2))
    window, tail = (first, last), (last, len(z))
    if last == len(z) or not (_batch_means_differ(z, tail, window) and _batch_means_differ(z - line, tail, window)):
        last = len(z)
    first = min(mser_truncation(z[:last], floor), max(last - _FEWEST, 0))
    return first if first and _batch_means_differ(z, (0, first), (first, last)) else 0, last


def _level_part_or_dip(z, window, others):
    """The level part; up to the end of the run where what was cut is a dip, no ramp."""
    ends, dips = list(window), []
    for k, run, count in ((0, z, window[0]), (1, z[::-1], len(z) - window[1])):  # from its first, and its last, batch
        if _is_dip(run, count, z[slice(*window)].mean()):
            first = step_by_least_squares(run[:count])
            last = first + step_by_least_squares(run[first:])
            ends[k] = k * len(z)
            dips.append((first, last) if k == 0 else (len(z) - last, len(z) - first))
    return LevelPart(tuple(ends), _ramp_up_level_and_end(len(z), *ends, others), dips=tuple(dips))


def _is_dip(z, count, level):
    """Whether the first `count` batches are off the level though the run begins at it."""
    begun = -(-len(z) // _BEGUN)
    return count > begun and np.abs(z[:begun] - level).max() <= abs(z[begun:count].mean() - level) / 2


def _range_of_least_marginal_error(z, floor, least=_FEWEST, line=False):
    """The range whose mean, or whose line, has the least marginal standard error."""
    begin, end = np.triu_indices(len(z) + 1, least)
    count = (end - begin).astype(float)
    residual = _batch_squares_about_mean(z, begin, end) - (_batch_squares_of_slope(z, begin, end) if line else 0.0)
    k = int(np.argmin((np.maximum(residual, 0.0) / count + floor) / count))
    return int(begin[k]), int(end[k])


def _sums_of_batch_ranges(values, begin, end):
    total = np.concatenate([[0.0], np.cumsum(values)])
    return total[end] - total[begin]


def _batch_squares_about_mean(z, begin, end):
    """Sum of squares about the mean of each range."""
    return _sums_of_batch_ranges(z**2, begin, end) - _sums_of_batch_ranges(z, begin, end) ** 2 / (end - begin)


def _batch_squares_of_slope(z, begin, end):
    """What the least-squares line of each range takes from its sum of squares."""
    count = (end - begin).astype(float)
    at = np.arange(len(z)) - len(z) / 2
    middle = (begin + end - 1) / 2 - len(z) / 2
    return (_sums_of_batch_ranges(at * z, begin, end) - middle * _sums_of_batch_ranges(z, begin, end)) ** 2 / (
        (count**3 - count) / 12
    )


def _batch_means_differ(z, one, other):
    """Whether two ranges have means further apart than noise explains: that of either about its own curve.

    Both count, for some queues are the quieter the shorter they are, and the best window is a quiet one.
    """
    a, b = z[slice(*one)], z[slice(*other)]
    noise, widening = _noise_variance_of_batches(b, 0)
    error = noise * min(widening, len(a)) / len(a)
    if len(a) >= 2 * _FEWEST:
        noise_a, widening_a = _noise_variance_of_batches(a, _CURVE)
        error = max(error, noise_a * widening_a / len(a))
    return bool(abs(a.mean() - b.mean()) > _SURE * np.sqrt(error + noise * widening / len(b)))


def _noise_variance_of_batches(values, degree):
    """Variance about a curve, and by how much autocorrelation widens that of a mean."""
    at = np.linspace(-1, 1, len(values))
    residual = values - np.polynomial.legendre.legval(at, np.polynomial.legendre.legfit(at, values, degree))
    return float(np.var(residual)), batch_means.autocorrelation_widening(residual, 1 + degree)


def _other_level_of_run(z, begin, end, window, floor):
    """The level that what lies before or after the window has of its own: a list of one range, or of none."""
    if end - begin < 2 * _FEWEST:
        return []
    first, last = (begin + k for k in _range_of_least_marginal_error(z[begin:end], floor))
    short = last - first < (end - begin) / 2 or not _batch_means_differ(z, (first, last), window)
    return [] if short or _level_has_slope(z, first, last) else [(first, last)]


def _level_has_slope(z, first, last):
    """Whether a range has a slope that its noise does not explain."""
    slope = batch_means.slope_by_batches(np.arange(first, last, dtype=float), z[first:last], 0.95)
    return bool(abs(slope.value) > _SURE * slope.std_error)


def _squares_about_two_levels(z):
    """Sum of squares about two means, for each first place of the second one from 1 on."""
    cut = np.arange(1, len(z))
    first = _batch_squares_about_mean(z, np.zeros_like(cut), cut)
    return first + _batch_squares_about_mean(z, cut, np.full_like(cut, len(z)))


def step_by_least_squares(values, earliest=1):
    """Return the first place of the second of two levels, from the `earliest` one on."""
    return earliest + int(_squares_about_two_levels(values - values.mean())[earliest - 1 :].argmin())


def two_levels_differ(values, step):
    """Return whether the means before and from a step on are further apart than the noise about both explains."""
    before, after = values[:step], values[step:]
    residual = np.r_[before - before.mean(), after - after.mean()]
    widening = batch_means.autocorrelation_widening(residual, 2)
    error = np.sqrt(np.var(residual) * widening * (1 / len(before) + 1 / len(after)))
    return bool(abs(before.mean() - after.mean()) > _SURE * error)


def _level_has_step(z):
    """Whether two levels leave less than one line does."""
    whole = np.array([0]), np.array([len(z)])
    line = (_batch_squares_about_mean(z, *whole) - _batch_squares_of_slope(z, *whole))[0]
    return bool(_squares_about_two_levels(z).min() < line)


def _several_levels_of_run(count, ranges):
    """Several levels, none of which is the steady state of the run, and what lies around them."""
    parts, at = [("ramp-up", 0, ranges[0][0], "")], ranges[0][0]
    for k, (first, last) in enumerate(ranges, 1):
        close = first - at < _FEWEST
        parts += [] if close else [("change", at, first, "")]
        parts.append(("level", at if close else first, last, f"level {k} of {len(ranges)}"))
        at = last
    parts.append(("change", at, count, ""))
    return tuple(part for part in parts if part[1] < part[2])


def _ramp_up_level_and_end(count, first, last, others, name="steady"):
    """A run with one part in the middle; a beginning or end that has a level of its own says so."""
    level = "has a level of its own"
    before = level if any(a < first for a, _ in others) else ""
    after = level if any(a >= first for a, _ in others) else ""
    parts = [("ramp-up", 0, first, before), (name, first, last, ""), ("ramp-down", last, count, after)]
    return tuple(part for part in parts if part[1] < part[2])
