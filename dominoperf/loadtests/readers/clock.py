"""Times of samples: seconds since the first one, and what is odd about the clock."""

import re
from datetime import UTC, datetime

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_NEAR = 0.5  # an interval so much longer or shorter than the usual one, as a share of it, is another
_ZERO = datetime(1970, 1, 1)


class Clock:
    """Turn the times of samples into seconds since the first one.

    A clock that goes back (set by hand, the end of summer time, a second recording in one file) leaves unknown how much
    later the sample was: from there on `since` gives NaN, with a note. A gap, a clock set forward and another interval
    are noted, and the seconds are those of the clock.
    """

    def __init__(self, notes):
        self._notes = notes
        self._first = self._last = self._usual = self._odd = None
        self._lost = False

    def since(self, seconds, line):
        """Return the seconds since the first sample; `seconds` is any count that rises by one a second."""
        if self._first is None:
            self._first = self._last = seconds
            return 0.0
        step, self._last = seconds - self._last, seconds
        if step < 0:
            self._back(step, line)
        elif not self._lost:
            self._interval(step, line)
        return float("nan") if self._lost else seconds - self._first

    def finish(self):
        """Tell of the last interval, which no other followed."""
        self._tell_gap()

    def _back(self, step, line):
        self._tell_gap()
        self._lost = True
        told = f"the clock goes back by {-step:g} s; time_s is unknown from here on: split the file here to have it"
        self._notes.add("clock", line, told)

    def _interval(self, step, line):
        """A single odd interval is a gap; two alike are another interval."""
        if step == 0:
            self._notes.add("same time", line, "the time of the sample before")
        elif self._usual is None or _alike(step, self._usual):
            self._tell_gap()
            self._usual = self._usual or step
        elif self._odd and _alike(step, self._odd[1]):
            told = f"the interval changes from {self._usual:g} s to {self._odd[1]:g} s"
            self._notes.add("interval", self._odd[0], told)
            self._usual, self._odd = step, None
        else:
            self._tell_gap()
            self._odd = line, step

    def _tell_gap(self):
        """Note an odd interval that stayed the only one of its kind."""
        if self._odd:
            line, step = self._odd
            cause = "samples are missing, or the clock was set forward" if step > self._usual else "a short interval"
            self._notes.add(
                "gap", line, f"{step:g} s after the sample before, where {self._usual:g} s are usual: {cause}"
            )
        self._odd = None


def _alike(one, other):
    return abs(one - other) <= _NEAR * min(one, other)


def seconds_of(moment):
    """Return a count of seconds to a moment; one without a zone is taken as it stands, whatever its zone."""
    return (moment.astimezone(UTC).replace(tzinfo=None) if moment.tzinfo else moment).__sub__(_ZERO).total_seconds()


def from_epoch(seconds):
    """Return the ISO text of seconds since 1970 in UTC."""
    moment = datetime.fromtimestamp(seconds, UTC)
    return moment.isoformat(timespec="milliseconds" if seconds % 1 else "seconds").replace("+00:00", "Z")


def iso(text):
    """Read an ISO 8601 time; None for anything else."""
    try:
        return datetime.fromisoformat(text.strip())
    except ValueError:
        return None


def day_first(time, date):
    """Read nmon's ``20:26:50`` and ``21-NOV-2026``, whatever the locale here; None for anything else."""
    found = re.fullmatch(r"(\d{1,2})-([A-Za-z]{3})-(\d{4}|\d\d)", date.strip())
    clock = re.fullmatch(r"(\d\d?):(\d\d)[:.](\d\d)", time.strip())
    if not found or not clock or found[2].lower() not in _MONTHS:
        return None
    return _moment(found[3], _MONTHS.index(found[2].lower()) + 1, found[1], *clock.groups())


def month_first(text):
    """Read ``09/13/97 09:30:39 PM`` and ``11/21/2026 20:26:50.123``, month before day; None for anything else."""
    form = r"(\d\d?)/(\d\d?)/(\d{4}|\d\d) (\d\d?):(\d\d):(\d\d)(\.\d{1,6})?(?: ([AP])M)?"
    found = re.fullmatch(form, text.strip())
    if not found:
        return None
    month, day, year, hour, minute, second, part, half = found.groups()
    if half:
        hour = int(hour) % 12 + (12 if half == "P" else 0) if 1 <= int(hour) <= 12 else 99  # no hour
    moment = _moment(year, month, day, hour, minute, second)
    return moment and moment.replace(microsecond=round(float(part or 0) * 1e6))


def _moment(year, *rest):
    """A year of two digits lies between 1970 and 2069."""
    year = int(year) + (0 if len(year) == 4 else 1900 if int(year) >= 70 else 2000)
    try:
        return datetime(year, *map(int, rest))
    except ValueError:
        return None
