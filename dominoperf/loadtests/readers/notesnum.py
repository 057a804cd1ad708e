"""NotesNum, which NotesBench printed its results with: a line per test run, under the times and errors of the test.

Form: the two outputs that a disclosure report of 1997 prints. What NotesNum printed otherwise is not known here.
"""

import re

COLUMNS = (
    "users",
    "notesmark_tpm",
    "response_s",
    "window_start",
    "window_end",
    "min_start_time",
    "max_stop_time",
    "test_errors",
    "test_time_s",
    "line",
)
_STAMP = r"\d\d?/\d\d?/\d\d(?:\d\d)? \d\d?:\d\d:\d\d(?: [AP]M)?"
_NUMBER = r"(\d+(?:\.\d+)?)"
_RUN = re.compile(
    rf"Users = {_NUMBER}\s+NotesMark = {_NUMBER}\s+Response Time = {_NUMBER} (msec|sec)\s+\(({_STAMP}) to ({_STAMP})\)"
)
_UNITS = {"msec": 1e3, "sec": 1.0}  # in a second
_STATED = {
    "min_start_time": rf"Min Start Time = ({_STAMP})",
    "max_stop_time": rf"Max Stop Time = ({_STAMP})",
    "test_errors": rf"Total Test Errors = {_NUMBER}",
    "test_time_s": rf"Total Test Time = {_NUMBER} sec",
}


def read(source):
    """Read the output of NotesNum, a row per test run; times stay as they are printed."""
    return COLUMNS, _rows(source)


def recognises(head):
    """Tell by a NotesMark among the first lines, or the start that stands before it."""
    return any("Min Start Time = " in line or re.search(r"Users = .*NotesMark = ", line) for line in head.lines)


def _rows(source):
    """A row a test run, with what the lines before it state of its test."""
    stated = {}
    for number, text in source.lines(keep_last=True):
        new = {name: re.search(form, text) for name, form in _STATED.items()}
        if new["min_start_time"]:
            stated = {}  # those of the next test
        stated |= {name: _value(name, match[1]) for name, match in new.items() if match}
        run = _RUN.search(text)
        if run:
            yield stated | _run(run) | {"line": number}
        elif "NotesMark = " in text:
            source.skip(number, "a test run with users, NotesMark, response time and window")


def _run(found):
    users, notesmark, response, unit, start, end = found.groups()
    return {
        "users": float(users),
        "notesmark_tpm": float(notesmark),
        "response_s": float(response) / _UNITS[unit],
        "window_start": start,
        "window_end": end,
    }


def _value(name, text):
    return float(text) if name.startswith("test_") else text
