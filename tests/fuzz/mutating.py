"""Edits of a file that keep most of its form: what a byte flipped at random rarely gives."""

import re

LONGEST = 100_000  # bytes of an input
_TOKEN = re.compile(rb"[\w.+-]+")
# What readers stumble over: ends of ranges, what is none, what a byte or a quote more does, and repetitions.
ODD = (
    *(b"", b" ", b"0", b"-0", b"1", b"-1", b"2", b"24", b"1e300", b"1e308", b"1e-320", b"-1e300", b"1e999", b"0.1"),
    *(b"nan", b"NaN", b"inf", b"-inf", b"true", b"false", b"null", b"None", b"[]", b"{}", b"[1]", b'""', b"''", b"x"),
    *(b"9007199254740993", b"18446744073709551616", b"9" * 400, b"9" * 5000, b"1" + b"0" * 30, b"0x10", b"1_0", b"00"),
    *(b"\0", b"\xef\xbb\xbf", b"\xff\xfe", b"\xed\xa0\x80", b"\\ud800", b"\\u0000", b"\xe2\x80\xa8", b"\x1b[31m", b"\r"),
    *(b'"', b"'", b"\\", b",", b";", b"\t", b"\n", b"=", b"#", b"|", b"%", b"$", b"..", b"../x", b"/", b"//", b"C:\\x"),
    *(b"[" * 3000, b"{" * 3000, b"(" * 3000, b"a." * 3000, b"-" * 3000, b'{"a":' * 3000, b"x" * 50_000, b"a,b;" * 9000),
    *(b"0001-01-01", b"9999-12-31T23:59:59", b"2026-02-30", b"1970-01-01T00:00:00+23:59", b"24:00:00", b"9999999999"),
    *("٣".encode(), "½".encode(), "１２".encode(), "é".encode(), "\u202f".encode(), b"2**99", b"9**9**9", b"s/s/s", b"km"),
)


def mutated(data, random):
    """Give the data after one to four edits that a `random.Random` chooses."""
    for _ in range(random.choice((1, 1, 1, 2, 3, 4))):
        data = random.choice(_EDITS)(data, random)[:LONGEST]
    return data


def _token(data, random):
    """A word or number becomes an odd one, or another of the file."""
    spans = [match.span() for match in _TOKEN.finditer(data)]
    if not spans:
        return data + random.choice(ODD)
    first, last = random.choice(spans)
    begin, end = random.choice(spans)
    return data[:first] + random.choice((data[begin:end], random.choice(ODD), random.choice(ODD))) + data[last:]


def _line(data, random):
    """A line is dropped, repeated, moved, or repeated very often."""
    lines = data.split(b"\n")
    at = random.randrange(len(lines))
    line = lines[at]
    made = random.choice(([], [line, line], [line] * 300, [b""], [random.choice(lines)]))
    return b"\n".join([*lines[:at], *made, *lines[at + 1 :]])


def _insert(data, random):
    at = random.randrange(len(data) + 1)
    return data[:at] + random.choice(ODD) + data[at:]


def _cut(data, random):
    """A piece is left out; the end, at times."""
    first = random.randrange(len(data) + 1)
    last = random.choice((len(data), min(len(data), first + random.randrange(1, 40))))
    return data[:first] + data[last:]


def _byte(data, random):
    at = random.randrange(len(data) + 1)
    return data[:at] + bytes([random.randrange(256)]) + data[at + 1 :]


_EDITS = (_token, _token, _token, _line, _insert, _cut, _byte)
