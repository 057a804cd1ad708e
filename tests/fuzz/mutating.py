"""Edits of a file that keep most of its form: what a byte flipped at random rarely gives."""

import re

LONGEST = 100_000  # bytes of an input
_TOKEN, _NUMBER = re.compile(rb"[\w.+-]+"), re.compile(rb"\d+(?:[.,]\d+)?")
# What readers stumble over: ends of ranges, what is none, what a byte or a quote more does, and repetitions.
ODD = (
    *b" |0|-0|1|-1|2|24|1e300|1e308|1e-320|-1e300|1e999|0.1|nan|NaN|inf|-inf|[]|{}|[1]".split(b"|"),
    *b"true false null None x ' \" \\ , ; = # $ % .. ../x / // C:\\x s/s/s km 2**99 9**9**9 0x10 1_0 00".split(),
    *b". 1.2.3 -.5 1,5 99:99:99 00:00:00".split(),
    *b"9007199254740993 18446744073709551616 9999999999 \\ud800 \\u0000 24:00:00".split(),
    *b"0001-01-01 9999-12-31T23:59:59 2026-02-30 1970-01-01T00:00:00+23:59".split(),
    *(b"", b"9" * 400, b"9" * 5000, b"1" + b"0" * 30, b"x" * 50_000, b"a,b;" * 9000),
    *(each * 3000 for each in (b"[", b"{", b"(", b"a.", b"-", b'{"a":')),
    *(b"\0", b"\xef\xbb\xbf", b"\xff\xfe", b"\xed\xa0\x80", b"\xe2\x80\xa8", b"\x1b[31m", b"\r", b"\n", b"\t", b"|"),
    *(each.encode() for each in ("٣", "½", "１２", "é", "\u202f")),
)


def mutated(data, random):
    """Give the data after one to four edits that a `random.Random` chooses."""
    for _ in range(random.choice((1, 1, 1, 2, 3, 4))):
        data = random.choice(_EDITS)(data, random)[:LONGEST]
    return data


def _token(data, random):
    """A word or number becomes an odd one, or another of the file."""
    spans = [match.span() for match in random.choice((_TOKEN, _NUMBER)).finditer(data)]
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
