"""A recording and what belongs to it, by hand: lines, places, notes, moments, numbers and the clock."""

import gzip
import math
from datetime import UTC, datetime, timedelta, timezone

import pytest
from made import written

from dominoperf.errors import BadTable
from dominoperf.loadtests.readers import recording
from dominoperf.loadtests.readers.recording import HeadOfFile, ReaderClock, ReaderNotes, Recording

CUT = "no line end, so the file may be cut off here; "


def test_lines_and_places_of_a_file(tmp_path):
    """Numbers and offsets from anywhere; a last line without an end is left out or kept, and noted in either case."""
    path = written(tmp_path, "one\r\ntwo\n\nfour \u00e4\nfive")
    whole = [(1, 0, "one"), (2, 5, "two"), (3, 9, ""), (4, 10, "four \u00e4")]
    source = Recording(str(path))
    assert list(source.places()) == whole
    assert source.cut
    assert source.notes.take() == [f"line 5: {CUT}the line is left out"]
    assert list(source.places((3, 9))) == whole[2:]
    kept = Recording(str(path))
    assert list(kept.lines(keep_last=True)) == [*((number, text) for number, _, text in whole), (5, "five")]
    (note,) = kept.notes.take()
    assert (note, note.kind) == (f"line 5: {CUT}its last cell may lack characters", "cut")
    assert list(Recording(str(path)).lines()) == [(number, text) for number, _, text in whole]
    ended = Recording(str(written(tmp_path, "one\n")))
    assert (list(ended.lines()), ended.cut, ended.notes.take()) == ([(1, "one")], False, [])


def test_the_beginning_of_a_file(tmp_path):
    """First lines without a mark of the encoding; no more than 64 KiB of it, read once."""
    path = written(tmp_path, "\ufeffone\r\ntwo\nthree")
    source = Recording(str(path))
    assert source.first_lines() == ["one", "two", "three"]
    path.write_text("other")
    assert source.first_lines() == ["one", "two", "three"]
    long = Recording(str(written(tmp_path, "x" * 70_000)))
    assert len(long.head()) == 1 << 16
    assert HeadOfFile(b"", ["a", "b"], {}).first == "a"
    assert HeadOfFile(b"", [], {}).first == ""


def test_a_packed_file_that_breaks_off(tmp_path):
    """Its lines up to there, with a note; as a whole text it is refused."""
    path = tmp_path / "log.gz"
    path.write_bytes(gzip.compress("".join(f"{k * 7919 % 10007}\n" for k in range(20_000)).encode())[:-200])
    source = Recording(str(path))
    count = sum(1 for _ in source.lines())
    assert 1000 < count < 20_000
    (note,) = source.notes.take()
    assert note.startswith(f"line {count + 1}: the file cannot be read beyond here (")
    with pytest.raises(BadTable) as caught:
        source.text()
    assert (caught.value.expected, caught.value.remedy) == ("a whole file", "Give the file that the tool wrote.")
    longest = Recording(str(written(tmp_path, "a\n" + "x" * (1 << 20))))
    with pytest.raises(BadTable) as caught:
        list(longest.lines())
    assert str(caught.value) == (
        f"{longest.path}, line 2: expected lines of text, found a line longer than 1,048,576 bytes. Save it as text "
        f"with "
        "line ends, or name the reader of its format."
    )
    fits = Recording(str(written(tmp_path, "x" * ((1 << 20) - 1) + "\n")))
    assert [len(text) for _, text in fits.lines()] == [(1 << 20) - 1]


def test_notes_are_kept_once_and_counted_by_their_kind():
    """Ten of each kind, then how many more, and where the last was; what was taken is not told again."""
    kept = ReaderNotes()
    for line in range(1, 13):
        kept.add("a", line, "odd")
        kept.add("b", line, "odd")
    kept.add("a", None, "with\x1b[31m colour\n")
    assert kept.take() == [f"line {line}: odd" for line in range(1, 11) for _ in "ab"]
    assert kept.take() == []
    kept.add("c", None, "with\x1b[31m colour\n")
    last = kept.take(last=True)
    assert last == ["with [31m colour ", "a: 3 more, the last at line None", "b: 2 more, the last at line 12"]
    assert [note.kind for note in last] == ["c", "a", "b"]


@pytest.mark.parametrize(
    ("times", "since", "told"),
    [
        ([10, 11, 12, 13.5, 14.5], [0, 1, 2, 3.5, 4.5], []),  # 1.5 differs from 1 by no more than a half of it
        ([10, 11, 12, 13.6, 14.6], [0, 1, 2, 3.6, 4.6], [("gap", "line 4: 1.6 s after")]),
        ([10, 12, 14, 15.4, 17.4], [0, 2, 4, 5.4, 7.4], []),
        ([10, 12, 14, 15.3, 17.3], [0, 2, 4, 5.3, 7.3], [("gap", "line 4: 1.3 s after")]),
        ([0, 1, 2, 7, 8, 9, 14, 15], [0, 1, 2, 7, 8, 9, 14, 15], [("gap", "line 4: 5 s"), ("gap", "line 7: 5 s")]),
        ([0, 1, 2, 7, 12, 13], [0, 1, 2, 7, 12, 13],
         [("interval", "line 4: the interval changes from 1 s to 5 s"),
          ("gap", "line 6: 1 s after the sample before, where 5 s")]),
        ([0, 1, 2, 7, 19, 31], [0, 1, 2, 7, 19, 31],
         [("gap", "line 4: 5 s after"), ("interval", "line 5: the interval changes from 1 s to 12 s")]),
        ([0, 1, 1, 1, 2], [0, 1, 1, 1, 2],
         [("same time", f"line {line}: the time of the sample before") for line in (3, 4)]),
        ([0, 5, 4, 4, 90, 3], [0, 5, None, None, None, None],
         [("clock", "line 3: the clock goes back by 1 s"), ("clock", "line 6: the clock goes back by 87 s")]),
    ],
)  # fmt: skip
def test_a_clock_by_hand(times, since, told):
    """Seconds since the first sample; what is odd is told once, and after a clock that was set back nothing more."""
    kept = ReaderNotes()
    clock = ReaderClock(kept)
    found = [clock.since(seconds, line) for line, seconds in enumerate(times, 1)]
    clock.finish()
    assert [None if math.isnan(each) else pytest.approx(each) for each in found] == since
    notes = kept.take()
    assert [note.kind for note in notes] == [kind for kind, _ in told]
    assert all(note.startswith(words) for note, (_, words) in zip(notes, told, strict=True))


def test_a_clock_that_begins_anew():
    kept = ReaderNotes()
    clock = ReaderClock(kept)
    assert [clock.since(at, at) for at in (5, 6, 9)] == [0, 1, 4]
    clock.restart()
    assert [note.kind for note in kept.take()] == ["gap"]
    assert [clock.since(at, at) for at in (3, 5, 7)] == [0, 2, 4]
    stamp = clock.stamp(datetime(1970, 1, 1, 0, 0, 9), 4)
    assert stamp == {"time": "1970-01-01T00:00:09", "time_s": 6.0, "line": 4}
    clock.finish()
    assert kept.take() == []


@pytest.mark.parametrize(
    ("text", "plain", "recorded"),
    [
        ("5", 5, 5), ("-5.25", -5.25, -5.25), ("+.5", 0.5, 0.5), ("5.", 5, 5), ("3.2e3", 3200, 3200),
        ("1E-2", 0.01, 0.01),
        ("1,5", None, 1.5), (" 5 ", None, 5), ("1,234.5", None, None), ("", None, None), (".", None, None),
        ("nan", None, None), ("1e", None, None), ("0x1", None, None),
    ],
)  # fmt: skip
def test_numbers_of_a_recording(text, plain, recorded):
    assert recording.plain_number(text) == plain
    assert recording.recorded_number(text) == recorded


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("09/13/69 09:30:39 PM", "2069-09-13T21:30:39"), ("09/13/70 09:30:39 AM", "1970-09-13T09:30:39"),
        ("1/2/2026 12:00:00 AM", "2026-01-02T00:00:00"), ("1/2/2026 12:00:00 PM", "2026-01-02T12:00:00"),
        ("1/2/2026 1:00:00 AM", "2026-01-02T01:00:00"), ("1/2/2026 0:00:00 AM", None), ("1/2/2026 13:00:00 AM", None),
        ("1/2/2026 23:00:00.000001", "2026-01-02T23:00:00.000001"), ("1/2/2026 24:00:00", None),
        ("13/2/2026 1:00:00", None),
        (" 1/2/2026 1:00:00 ", "2026-01-02T01:00:00"), ("1/2/026 1:00:00", None),
    ],
)  # fmt: skip
def test_moments_with_the_month_first(text, moment):
    found = recording.moment_with_month_first(text)
    assert (found and found.isoformat()) == moment


@pytest.mark.parametrize(
    ("text", "day_first", "moment"),
    [
        ("01.03.2026 14:00", False, "2026-03-01T14:00:00"), ("1.3.26 14:00:05", True, "2026-03-01T14:00:05"),
        ("01.03.2026 14:00:05.123", False, "2026-03-01T14:00:05.123000"), ("01.03.2026", False, "2026-03-01T00:00:00"),
        ("01.03.2026, 14:00:05,5", False, "2026-03-01T14:00:05.500000"), ("01.13.2026 14:00", False, None),
        ("3/1/2026 2:00 PM", False, "2026-03-01T14:00:00"), ("3/1/2026, 12:05:00 am", True, "2026-01-03T00:05:00"),
        ("3-1-2026 14:00", False, "2026-03-01T14:00:00"), ("3/1-2026 14:00", False, None),
        ("3/1/2026 14:00 PM", False, None), ("3/1/2026 14", False, None), ("3.1 14:00", False, None),
        ("Mar 1, 2026 2:00 PM", True, "2026-03-01T14:00:00"), ("01-Mar-2026 14:00", True, "2026-03-01T14:00:00"),
        ("Mar 1 14:00", False, None), ("March 2026", False, None), ("41 Mar 2026 14:00", False, None),
        ("3/1/2026 14:00 Mar", False, None), ("noon", False, None), ("", False, None),
    ],
)  # fmt: skip
def test_moments_of_dates(text, day_first, moment):
    found = recording.moment_of_date(text, day_first)
    assert (found and found.isoformat()) == moment


def test_every_month_of_nmon():
    names = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
    found = [recording.moment_with_day_first("1:02:03", f"5-{name}-26").month for name in names]
    assert found == [*range(1, 13)]
    assert recording.moment_with_day_first("08:18.54", "10-Oct-08") == datetime(2008, 10, 10, 8, 18, 54)
    for time, date in (("1:02", "5-JAN-26"), ("1:02:03", "5-JAN"), ("25:02:03", "5-JAN-26"), ("1:02:03", "5-FOO-26")):
        assert recording.moment_with_day_first(time, date) is None


def test_seconds_since_1970_and_back():
    """A moment with a zone is that of the world, one without is taken as UTC; milliseconds where there are any."""
    assert recording.epoch_seconds(datetime(1970, 1, 2)) == 86400
    assert recording.epoch_seconds(datetime(1970, 1, 2, tzinfo=UTC)) == 86400
    assert recording.epoch_seconds(datetime(1970, 1, 2, 2, tzinfo=timezone(timedelta(hours=2)))) == 86400
    assert [recording.epoch_as_iso(at) for at in (86400, 86400.25)] == [
        "1970-01-02T00:00:00Z",
        "1970-01-02T00:00:00.250Z",
    ]
    assert recording.iso_moment(" 2026-11-21T20:26:50Z ") == datetime(2026, 11, 21, 20, 26, 50, tzinfo=UTC)
    assert recording.iso_moment("soon") is None
