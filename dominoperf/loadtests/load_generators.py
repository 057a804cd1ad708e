"""Files of several load generators of one test: which of them ran at the same time, and what they did added up."""

import itertools

import numpy as np
import pandas as pd

from dominoperf.errors import BadTable, DominoperfError, counted, spelling
from dominoperf.loadtests.readers.per_second import response_columns
from dominoperf.loadtests.readers.recording import RESPONSES, ReaderNote
from dominoperf.tables.headings import THROUGHPUTS

TOGETHER, APART = "together", "apart"
_AT_ONCE = 0.5  # share of the shorter run from which on two ran at the same time, and not one after the other
_TOUCHING = 1.0  # seconds that a run may share with the one that follows it: clocks of logs are whole seconds


def clock_of_recording(frame):
    """Return the first and the last clock time of a recording in seconds; NaN where it has none."""
    if "time" not in frame or pd.api.types.is_numeric_dtype(frame["time"]):
        return np.nan, np.nan
    times = pd.to_datetime(frame["time"], format="ISO8601", errors="coerce", utc=True).dropna()
    if times.empty:
        return np.nan, np.nan
    return times.min().timestamp(), times.max().timestamp()


def ran_at_once(one, other):
    """Return whether two recordings, by their clocks, share more than half of the shorter one."""
    shared, shorter = _shared_seconds(one, other)
    return bool(shared > _AT_ONCE * shorter)  # without clocks: no


def overlapping_clocks_in_words(pairs, clocks):
    """Return a note, or none, on the pairs of runs that overlap in time: the longest of them, and what to do."""
    shared = {pair: _shared_seconds(*map(clocks.get, pair)) for pair in pairs}
    longest = sorted((pair for pair in shared if shared[pair][0] > _TOUCHING), key=lambda pair: -shared[pair][0])
    if not longest:
        return []
    (one, other), (seconds, of) = longest[0], shared[longest[0]]
    others = f", {counted(len(longest) - 1, 'other pair')} for no longer" * (len(longest) > 1)
    how = spelling("settle, until", "--settle, --until")
    apart, together = (spelling(f"generators={word!r}", f"--generators {word}") for word in (APART, TOGETHER))
    return [
        f"{one} and {other} ran at the same time for {seconds:.0f} of {of:.0f} s{others}: on one server neither had it "
        f"to itself then. Run one after the other, or leave these seconds out ({how}); if each tested a system of its "
        f"own, say {apart}; if they are load generators of one test, {together}"
    ]


def _shared_seconds(one, other):
    """The seconds that two runs share, below zero where there are some between them; and those of the shorter one."""
    # np.minimum keeps NaN; with min() a recording without clock times would overlap every other
    shared = np.minimum(one[1], other[1]) - np.maximum(one[0], other[0])
    return shared, np.minimum(one[1] - one[0], other[1] - other[0])


def tests_of_generators(files, read):
    """Return the files of each test as a list: all those that ran at the same time as another of them.

    `files` has a list of one (name, logs) for each file; `read` is called with logs, and returns their frame.
    """
    tests = []
    for file in files:
        try:
            clock = clock_of_recording(read(file[0][1]))
        except (DominoperfError, OSError):
            clock = np.nan, np.nan
        shared = [test for test in tests if any(ran_at_once(clock, other) for other in test[1])]
        of_test = [*itertools.chain.from_iterable(test[0] for test in shared), *file]
        clocks = [*itertools.chain.from_iterable(test[1] for test in shared), clock]
        tests = [*(test for test in tests if test not in shared), (of_test, clocks)]
    return [test for test, _ in tests]


def requests_added_up(frames, name):
    """Return the frames of the load generators of one test as one: users, requests, failures of each second added up.

    Only the seconds in which all of them ran count. The frames are logs of single requests as `readers.read` gives them
    with their responses; one alone is returned as it is.
    """
    if len(frames) == 1:
        return frames[0]
    rates = {rate for frame in frames for rate in THROUGHPUTS if rate in frame}
    if len(rates) > 1 or not all(RESPONSES in frame for frame in frames):
        remedy = "Add them up yourself, or give the logs of their single requests."
        found = " and ".join(dict.fromkeys(frame.attrs["reader"] for frame in frames))
        raise BadTable(name, expected="logs of single requests of one tool", found=found, remedy=remedy)
    (rate,) = rates
    every = pd.concat(frames, keys=range(len(frames)))
    every["clock"] = pd.to_datetime(every["time"], format="ISO8601", utc=True)
    start, stop = _time_of_all(every["clock"])
    all_ran = every["clock"].between(start, stop)
    if not all_ran.any():
        remedy = "Give the files of one test alone."
        raise BadTable(
            name, expected="load generators that ran at the same time", found="no such second", remedy=remedy
        )
    left_out = every.loc[~all_ran, "time"].nunique()
    rows = []
    for time, part in every[all_ran].groupby("time"):
        responses = np.concatenate(part[RESPONSES].tolist())
        row = {"time": time, "time_s": (part["clock"].iloc[0] - start).total_seconds()}
        row |= {"users": part["users"].sum(min_count=1), "failures": part["failures"].sum()}
        row |= {rate: part[rate].sum(skipna=False), RESPONSES: responses, "line": part["line"].iloc[0]}
        rows.append(row | response_columns(responses))
    whole = pd.DataFrame(rows)
    notes = dict.fromkeys(note for frame in frames for note in frame.attrs["notes"])
    told = f"{counted(len(frames), 'load generator')} added up"
    if left_out:
        told += f"; {counted(left_out, 'second')} in which not all of them ran left out"
    whole.attrs = frames[0].attrs | {"notes": [*notes, ReaderNote(told)]}
    return whole


def _time_of_all(clock):
    """The latest start and the earliest stop, from the clock times of all rows; their index begins with the file."""
    of_each = clock.groupby(level=0)
    return of_each.min().max(), of_each.max().min()
