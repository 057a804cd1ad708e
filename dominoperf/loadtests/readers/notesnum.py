"""NotesNum, which NotesBench printed its results with: a line per test run, under the times and errors of the test.

Form: the two outputs that a disclosure report of 1997 prints. What NotesNum printed otherwise is not known here.
"""

import re

from dominoperf.loadtests.readers.recording import reader

COLUMNS = ("users", "notesmark_tpm", "response_s", "window_start", "window_end", "min_start_time", "max_stop_time",
           "test_errors", "test_time_s", "line")  # fmt: skip
_STAMP = r"\d\d?/\d\d?/\d\d(?:\d\d)? \d\d?:\d\d:\d\d(?: [AP]M)?"
_NUMBER = r"(\d+(?:\.\d+)?)"
_RUN = re.compile(
    rf"Users = {_NUMBER}\s+NotesMark = {_NUMBER}\s+Response Time = {_NUMBER} (msec|sec)\s+\(({_STAMP}) to ({_STAMP})\)"
)
_UNITS = {"msec": 1e3, "sec": 1.0}  # in a second
_TIMES = ("min_start_time", "max_stop_time")
_STATED = {
    "min_start_time": rf"Min Start Time = ({_STAMP})",
    "max_stop_time": rf"Max Stop Time = ({_STAMP})",
    "test_errors": rf"Total Test Errors = {_NUMBER}",
    "test_time_s": rf"Total Test Time = {_NUMBER} sec",
}


@reader("notesnum", "the output of NotesNum", "a NotesMark or a Min Start Time",
        lambda head: any(re.search(r"Min Start Time = |Users = .*NotesMark = ", line) for line in head.lines),
        COLUMNS, user="NotesBench user")  # fmt: skip
def notesnum(source):
    """Yield one row per test run, with what the lines before it state of its test; times stay as they are printed."""
    test = {}
    for number, text in source.lines(keep_last=True):
        if re.search(_STATED["min_start_time"], text):
            test = {}  # another one begins
        for name, form in _STATED.items():
            if match := re.search(form, text):
                test[name] = match[1] if name in _TIMES else float(match[1])
        if run := _RUN.search(text):
            users, notesmark, response, unit, start, end = run.groups()
            yield test | {
                "users": float(users),
                "notesmark_tpm": float(notesmark),
                "response_s": float(response) / _UNITS[unit],
                "window_start": start,
                "window_end": end,
                "line": number,
            }
        elif "NotesMark = " in text:
            source.skip(number, "a test run with users, NotesMark, response time and window")
