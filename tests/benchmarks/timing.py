"""Two sides timed in turns, so that what else the machine does meets both."""

import time
import tracemalloc
from dataclasses import dataclass
from statistics import median


@dataclass(frozen=True)
class Row:
    """One line of the table: milliseconds of both sides, and how many times longer theirs takes."""

    what: str
    other: str
    ours: float
    theirs: float
    target: str = ""

    def __str__(self):
        """As printed."""
        ratio = self.theirs / self.ours
        return f"{self.what:<44} {self.other:<34} {self.ours:>10.3f} {self.theirs:>12.2f} {ratio:>9,.1f}  {self.target}"


HEAD = f"{'ours':<44} {'other side':<34} {'ours ms':>10} {'theirs ms':>12} {'ratio':>9}  target"


def took(call):
    """Milliseconds of one call."""
    begun = time.perf_counter()
    call()
    return 1000 * (time.perf_counter() - begun)


def race(what, ours, other, theirs, *, scale=1.0, repeats=5, inner=1, target=""):
    """Time both sides in turns after a warm-up; `scale` multiplies theirs where it did a sample of the work."""
    took(ours)
    took(theirs)
    times = [(took(lambda: [ours() for _ in range(inner)]) / inner, took(theirs)) for _ in range(repeats)]
    mine, its = zip(*times, strict=True)
    return Row(what, other, median(mine), scale * median(its), target)


def peak_beyond_the_result(call):
    """Give the megabytes a call allocates at its peak besides the frame that it returns."""
    tracemalloc.start()
    try:
        result = call()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    return (peak - result.memory_usage(deep=True).sum()) / 1e6
