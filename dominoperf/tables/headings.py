"""Which column of a file is what, in which unit: the one answer of every command that reads a table of somebody's own.

A heading is one of our names, is mapped to one (`--map`), or means one by the words of synonyms.toml: surely, or
perhaps, which is asked and never guessed. Its unit is what it ends in or has in brackets: ``wait_ms``, ``wait [ms]``.
"""

import functools
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dominoperf.errors import BadTable, UnknownName, as_typed, spelling
from dominoperf.tables.columns import (
    COUNTED,
    OF_ITS_ROW,
    column_unit_factor,
    is_currency,
    known_unit,
    label,
    names_are_listed,
    unit_factor,
    unit_fits,
    units,
    vocabulary,
)
from dominoperf.tables.reading import as_numbers

LOADS = ("users", "load", "threads")
"""Columns of the load of a test, in the order in which they are looked for."""
THROUGHPUTS = ("throughput_per_s", "throughput_tps", "requests_per_s", "notesmark_tpm", "throughput")
"""Columns of what was delivered, in the order in which they are looked for."""
MEAN_RESPONSES = ("response_s", "response_ms", "response_min")
"""Columns of a mean response time, in the order in which they are looked for."""
_COUNTS = ("1", *OF_ITS_ROW, *COUNTED)  # units that need not be named
_SHARES = ("share", "shares", "fraction", "ratio")  # units of parts of one
_OFTEN = {"s": "ms", "1": "percent"}  # in what a column of ours is often recorded, where not in its own unit
_RATES = {"rate", "throughput", "arrivals", "qps", "rps"}  # words of a heading of an offered rate without its unit
_WORD = re.compile(r"[^\W_]+")
_HUMPS = re.compile(r"(?<=[a-z])(?=[A-Z])(?!B(?:[\W_]|$))")  # responseTime, but not kB
_THOUSANDS = ("k", "k_", "1000_", "thousand_")  # before a count per second: k req/s, 1000/s
_UNIT_WORDS = 4  # words of a unit
_BYTES_OR_BITS = re.compile(
    r"(?:^|[^A-Za-z])([kKMG](?=B)|[MG](?=b))([Bb])(?:ps|/s(?:ec)?|_s|_per_s(?:ec)?)[)\]]?$"
)  # MB/s
_ANY_UNIT = "UNIT"  # what a command to copy has where a heading does not tell the unit
_PLAIN_COUNT = ("count", "counts", "number", "no", "n", "1", "")  # in the brackets of a count: nothing but one, as is #

_CAPACITIES = ("1", "user", "person", "axis", "row")  # units, beside rates, of what grows with a load until a limit
_WORDS_OF_CAPACITIES = {"users", "throughput"}
_WORDS_OF_OTHERS = {
    "latency", "latencies", "response", "resp", "elapsed", "duration", "second", "seconds", "wait", "waiting", "queue",
    "backlog", "error", "errors", "failed", "failure", "failures", "cost", "costs", "price", "utilization",
    "utilisation",
}  # fmt: skip
_PERCENTILE = re.compile(r"p\d\d+|percentile")


@dataclass(frozen=True)
class Column:
    """A column of a file: its heading, our name, and the factor of its numbers; no factor for text.

    Of a share of answered requests, which is our failed_share, `offset` is 1 and the factor below zero.
    """

    source: str
    name: str
    factor: float | None
    offset: float = 0.0

    def in_our_unit(self, numbers):
        """Return numbers of the file in the unit of our column."""
        return self.offset + numbers * self.factor


def columns_of_headings(headings, mapping=None, where=""):
    """Return the columns of a file that are ours, a list of `Column`, and the headings of the others.

    `headings` may be a frame; a name that is no text is no heading. `mapping` is a dict of headings, with or without
    their units, to our names, which may be followed by the unit of the numbers: ``{"elapsed": "response_s[ms]"}``.
    A heading that surely means one of our names, or is one, needs none. Of two that mean the same one both are others,
    unless one of them has its name. Messages call the file `where`.

    `UnknownName` where the mapping names a heading that is not there, or a name that is not ours; `BadTable` where a
    unit is not known or not of the kind, or two columns are the same of ours.

    Examples
    --------
    >>> chosen, others = columns_of_headings(["Threads", "TPS", "latency [ms]", "time_ms", "size"])
    >>> [(column.name, column.factor) for column in chosen], others
    ([('threads', 1.0), ('throughput_tps', 1.0), ('response_s', 0.001), ('time_s', 0.001)], ['size'])
    """
    headings = [heading for heading in headings if isinstance(heading, str)]
    ours, named = vocabulary(), {}
    for name, text in (mapping or {}).items():
        same = [h for h in headings if h == name] or [h for h in headings if heading_and_unit(h)[0] == name]
        if len(same) != 1:
            listing = "Its columns are" if not same else "More than one column has that name; give one of"
            place = f"{where}, {spelling('a key of the mapping', 'what stands before = in --map, or --x')}"
            raise UnknownName.among(place, name, headings, f"{listing} {', '.join(headings)}.")
        target, unit = target_of_mapping(text)
        factor = 1.0 if target in units() else None
        if unit or (factor and target != same[0]):
            factor = factor_of_column(unit or heading_and_unit(same[0])[1], target, same[0], where)
        named[same[0]] = target, factor
    certain = synonyms("columns")  # in somebody's table `failed` are requests, as these say; not our count of runs
    plain = [name for name in headings if name in ours and certain.get(name, name) == name]
    named = {name: (name, 1.0 if name in units() else None) for name in plain} | named
    meant = {name: column_of_heading(name) for name in headings if name not in named}
    answered = {
        name for name, (column, _) in meant.items() if column == "failed_share" and _is_of_answered_requests(name)
    }
    if any(column == "failed_share" for name, (column, _) in meant.items() if name not in answered):
        meant = {name: each for name, each in meant.items() if name not in answered}  # one tells enough
    if {column for column, _ in (*meant.values(), *named.values())}.isdisjoint(THROUGHPUTS):
        rates = {
            name: heading_words(name) for name, (column, _) in meant.items() if not column
        }  # orders/s, iterations/s
        meant |= {name: ("throughput_per_s", unit) for name, (base, unit, _) in rates.items()
                  if base in _words("work")["words"] and unit_fits(unit, "1/s")}  # fmt: skip
    names = [column for column, _ in meant.values()]
    for heading, (name, unit) in meant.items():
        if name and names.count(name) == 1 and name not in {column for column, _ in named.values()}:
            known = units().get(name)
            factor = known and (column_unit_factor(name, unit, known) if unit else 1.0)
            named[heading] = (name, -factor, 1.0) if heading in answered else (name, factor)
    chosen = [Column(heading, *named[heading]) for heading in headings if heading in named]
    names = [column.name for column in chosen]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        remedy = "Map each to a name of its own."
        raise BadTable(where, expected="every column once", found=f"{twice[0]} more than once", remedy=remedy)
    return chosen, [heading for heading in headings if heading not in named]


def in_our_columns(frame, columns):
    """Return a frame whose `columns`, as `columns_of_headings` gives them, have our names and are in our units."""
    frame = frame.copy()
    for column in columns:
        cells = frame[column.source]
        if column.factor not in (None, 1.0) and not (as_numbers(cells).isna() & cells.notna()).any():
            frame[column.source] = column.in_our_unit(as_numbers(cells))  # a cell of text is refused later
    return frame.rename(columns={column.source: column.name for column in columns})


def in_mapped_columns(frame, mapping, where):
    """Return a frame whose columns that are mapped have our names and units; the others stay as they are."""
    if not (mapping := checked_mapping(mapping)):
        return frame
    columns, _ = columns_of_headings([*map(str, frame)], mapping, where)
    return in_our_columns(frame, [c for c in columns if {c.source, heading_and_unit(c.source)[0]} & {*mapping}])


def checked_mapping(mapping):
    """Return a mapping as a dict, an empty one of None; what maps no texts to texts is refused."""
    pairs = mapping.items() if isinstance(mapping, Mapping) else [] if mapping is None else [(None, None)]
    if not all(isinstance(text, str) for pair in pairs for text in pair):
        expected, remedy = "a dict of the file's headings to our names", "Write {'elapsed': 'response_s[ms]'}."
        raise BadTable("mapping", expected=expected, found=as_typed(mapping), remedy=remedy)
    return dict(pairs)


def target_of_mapping(text):
    """Return our name in ``response_s[ms]``, which must be in the vocabulary, and the unit, "" without one."""
    name, unit = heading_and_unit(text.strip())
    if name not in vocabulary():
        listing = f"{names_are_listed()}; NAME[unit] says the unit of the file's numbers."
        place = spelling("a value of the mapping", "what stands after = in --map")
        raise UnknownName.among(place, name, vocabulary(), listing)
    return name, unit


def factor_of_column(unit, name, heading, where):
    """Return what numbers in `unit` are multiplied with to be those of our column `name`; a GB of memory is 1,024 MB.

    `BadTable` where the unit is missing, not known, or of another kind.
    """
    wanted, place = units().get(name), f"{where}, column {heading!r}"
    if wanted is None:
        remedy = f"Leave the unit away: {_mapping_as_typed((heading, name))}."
        raise BadTable(place, expected="a name of a column of numbers", found=f"{name}, of texts", remedy=remedy)
    if name == "load" and (rate := unit_of_offered_rate(heading, unit)):
        return 1.0 if rate == "tps" else unit_factor(rate, "1/s")
    if wanted in _COUNTS and not unit:
        return 1.0
    target = _mapping_target_to_propose(heading, name)
    if target == name:
        remedy = f"It is a count, and needs no unit: {_mapping_as_typed((heading, name))}."
    else:
        shares = f", or {_mapping_as_typed((heading, f'{name}[share]'))} for shares from 0 to 1"
        remedy = f"Name the unit of the file's numbers, one that goes into {wanted}: "
        remedy += f"{_mapping_as_typed((heading, target))}{shares * (wanted == 'percent')}."
    if not unit:
        raise BadTable(place, expected=f"a unit, to be {name} in {wanted}", found="none", remedy=remedy)
    unit = "1" if unit.lower() in _SHARES else unit
    in_words = synonyms("units").get(snake_case(_with_per(unit)), "")
    rate = in_words if unit_fits(in_words, "1/s") else ""  # no KB/s: 1,000 bytes or 1,024 is not guessed
    spellings = (unit, synonyms("units").get(unit.lower(), ""), rate)
    spelt = next((each for each in spellings if known_unit(each) and unit_fits(each, wanted)), "")
    if wanted in OF_ITS_ROW or not spelt:
        raise BadTable(place, expected=f"a unit that goes into {wanted}", found=repr(unit), remedy=remedy)
    return column_unit_factor(name, spelt, wanted)


def unit_of_offered_rate(heading, unit=""):
    """Return the unit of a load that is a rate, as it is said or its heading has it; "" where it counts users."""
    known = heading_words(f"load [{unit}]" if unit else heading)[1]
    if known == "tps" or (known and unit_fits(known, "1/s")):
        return known
    return "1/s" if not unit and not _RATES.isdisjoint(heading_words(heading)[2].split("_")) else ""


def user_of_mapped_load(mapping):
    """Return what a heading that is mapped to the load counts, "request per second" or "replica"; "" if users."""
    for heading, text in checked_mapping(mapping).items():
        name, unit = target_of_mapping(text)
        if name == "load" and unit_of_offered_rate(heading, unit):
            return "request per second"
        if name in LOADS and (servers := words_of_servers() & {*heading_words(heading)[2].split("_")}):
            return min(servers).removesuffix("s")
    return ""


def _mapping_as_typed(*pairs):
    python = ", ".join(f"{heading!r}: {target!r}" for heading, target in pairs)
    return spelling(f"mapping={{{python}}}", " ".join(f"--map '{heading}={target}'" for heading, target in pairs))


def possible_meaning(heading):
    """Return the name of ours that a heading may mean, `processors` of "vCPUs"; "" where there is none."""
    known, (base, _, whole) = synonyms("perhaps") | synonyms("columns"), heading_words(heading)
    return known.get(base) or known.get(whole, "")  # p(95): 95 is no unit


def meaning_of_some_words(heading):
    """Return the name of ours that most words of a heading together may mean, `users` of "Users carried"; else ""."""
    words, known = heading_words(heading)[2].split("_"), synonyms("perhaps") | synonyms("columns")
    if not _words_of_failures("failed").isdisjoint(words) or column_of_heading(heading)[0] == "failed_share":
        return ""
    longest = 1 + max(text.count("_") for text in known)  # a heading may have thousands of words
    spans = ((k, k + count) for count in range(longest, 0, -1) for k in range(len(words) - count + 1))
    texts = ("_".join(words[first:last]) for first, last in spans)
    return next((known[text] for text in texts if text in known), "")


def means_a_time_of_day(heading):
    """Return whether a heading without a unit is that of clock times: Time, timestamp, Zeit; not ``Time (ms)``."""
    base, unit, _ = heading_words(heading)
    return not unit and base in synonyms("clocks")


def likely_mapping(headings, unfit=(), missing=()):
    """Return what may be typed to map the headings that may mean a column of numbers of ours; COLUMN where none may.

    Each with the unit that it names, UNIT where that cannot be read. Nothing is proposed for those that are `unfit`, of
    texts or times of day, nor for one that has our name. Where names of ours are `missing`, these alone are proposed.

    Examples
    --------
    >>> likely_mapping(["Nutzer", "Durchsatz (1/s)", "Antwortzeit (ms)"])
    "mapping={'Durchsatz (1/s)': 'throughput_per_s[1/s]', 'Antwortzeit (ms)': 'response_s[ms]'}"
    """
    numbers = [heading for heading in headings if heading not in unfit and not means_a_time_of_day(heading)]
    proposed = {}
    for heading, name in ((heading, _mapped_column_to_propose(heading)) for heading in numbers):
        kind = "load" if name in LOADS else "throughput_per_s" if name in THROUGHPUTS else name
        if name in units() and name != heading and (kind in missing or not missing):  # ours is read as it is
            proposed.setdefault(name, heading)
    proposed = proposed or {missing[0] if missing else "response_s": "COLUMN"}
    pairs = [(heading, "time") for heading in headings if means_a_time_of_day(heading)][:1]
    pairs += [(heading, _mapping_target_to_propose(heading, name)) for name, heading in proposed.items()]
    asked = any(target.endswith(f"[{_ANY_UNIT}]") for _, target in pairs)
    words = " (for UNIT, write the unit of that column's numbers: s, ms, 1/min, ktps, kuser, percent...)"
    return _mapping_as_typed(*pairs) + words * asked


def _mapped_column_to_propose(heading):
    """Our column that a heading may mean, else one by its unit: a rate, but not of errors, or a time."""
    _, unit, words = heading_words(heading)
    name = possible_meaning(heading) or column_of_heading(heading)[0]
    if not unit or unit_fits(unit, units().get(name)):
        return name
    by_unit = ("throughput_per_s", "response_s") if _words_of_failures("failed").isdisjoint(words.split("_")) else ()
    return next((each for each in by_unit if unit_fits(unit, units()[each])), name)


def proposed_mapping(meant):
    """Return what may be typed to map headings to what each may mean: a dict of heading to the names of ours.

    Of several names it is the one that the heading means elsewhere, else the first; each is proposed once.
    """
    headings = {}
    for heading, names in meant.items():
        elsewhere = possible_meaning(str(heading))
        headings.setdefault(elsewhere if elsewhere in names else names[0], str(heading))
    return _mapping_as_typed(
        *((heading, _mapping_target_to_propose(heading, name)) for name, heading in headings.items())
    )


def _mapping_target_to_propose(heading, name):
    """Our column `name` with the unit that a heading names, ``[UNIT]`` where it names another; of texts the name alone.

    A heading without a unit gets the usual one.
    """
    if name not in units():
        return name
    base, unit, _ = heading_words(heading)
    bracket, wanted = heading_and_unit(heading)[1], units()[name]
    if unit and unit_fits(unit, wanted):
        return f"{name}[{unit}]"
    if wanted in OF_ITS_ROW or (wanted in _COUNTS and is_plain_count(bracket, base, name)):
        return name
    if unit or bracket:
        return f"{name}[{_ANY_UNIT}]"
    return f"{name}[{_OFTEN.get(wanted, wanted)}]"


def heading_and_unit(heading):
    """Return ``response (ms)``, ``response [ms]`` or ``CPU %`` split into the name and the unit, "" without any.

    By hand: a pattern would try every way to share out a long row of blanks.
    """
    text = heading.strip()
    if text.endswith("%"):
        return text[:-1].rstrip(), "%"
    begun = max(text.rfind("("), text.rfind("["))
    inner = text[begun + 1 : -1]
    if begun < 0 or text[-1] not in ")]" or not inner.strip() or ")" in inner or "]" in inner:
        return text, ""
    return text[:begun].rstrip(), inner.strip()


def column_of_heading(heading):
    """Return the column of ours that a heading surely means, and the unit of its numbers; "" and "" without one.

    One that needs a unit and names none is not sure, nor is one of texts that names a unit.

    Examples
    --------
    >>> [column_of_heading(text) for text in ("Cores", "avg (ms)", "Transactions/hour", "Average")]
    [('processors', ''), ('response_s', 'ms'), ('throughput_per_s', '1/hour'), ('', '')]
    """
    base, unit, whole = heading_words(heading)
    bracket, said = heading_and_unit(heading)[1], synonyms("units").get(base)
    if (of_failures := _failures_of_heading(base, unit, bracket)) and whole not in synonyms("columns"):
        return of_failures
    same = {unit, said} == {"1/s", "tps"} or (unit and said and unit_fits(unit, said) and unit_factor(unit, said) == 1)
    if bracket and said and not same:
        return "", ""  # TPS (thousand), requests_per_s [1/min]
    for words in (whole, base):
        if name := synonyms("columns").get(words):
            wanted, own = units().get(name), synonyms("units").get(words, unit)
            bare = wanted is None or (wanted in _COUNTS and is_plain_count(bracket, base, name))
            if (bare and not own) or (own and unit_fits(own, wanted)):
                return name, own
    if units().get(whole, OF_ITS_ROW[0]) not in OF_ITS_ROW:  # Threads, Time (s)
        return whole, ""
    for name in (f"{base}_s", f"{base}_per_s"):  # time_ms is our time_s, throughput (1/min) our throughput_per_s
        if unit and unit_fits(unit, units().get(name)):
            return name, unit
    if unit and unit_fits(unit, "1/s") and base in _words("rates")["events"]:  # transactions per hour
        return "throughput_per_s", unit
    return "", ""


def _failures_of_heading(base, unit, bracket):
    """The column and unit of a heading of failed requests: per second, a share, or a count; None where it is of others.

    A rate or ratio without a unit is a share, as load generators write it; of numbers above one the reader asks. Of
    answered requests only a share tells the failed ones.
    """
    words = _distinct_words_of_failures(base)
    failed, answered, share = (_words_of_failures(kind) for kind in ("failed", "answered", "share"))
    is_of_answered = bool(words & answered) and words <= answered | share
    if not is_of_answered and (not words & failed or not words <= failed | share):
        return None
    if unit and unit_fits(unit, "1/s"):
        return None if is_of_answered else ("failures_per_s", unit)
    if unit == "percent" or words & {"percent", "percentage", "pct"} or bracket in _SHARES:
        return "failed_share", "1" if bracket in _SHARES else "percent"
    if unit or (bracket and not is_plain_count(bracket, base, "failures")):
        return None
    if words & share:
        return "failed_share", "1"
    return None if is_of_answered or words & {"error", "err"} else ("failures", "")  # an error may be of a measurement


def _is_of_answered_requests(heading):
    """Whether a heading of requests is of those that were answered: success_rate, OK %."""
    return not _words_of_failures("answered").isdisjoint(_distinct_words_of_failures(heading_words(heading)[0]))


def _distinct_words_of_failures(base):
    """The words of a heading that may tell of failed requests, without those that add nothing."""
    apart = re.sub("fehler|erfolgs?", lambda match: f"{match[0].removesuffix('s')}_", base)  # Fehlerquote, Erfolgsrate
    return set(apart.split("_")) - _words_of_failures("idle") - {""}


def _words_of_failures(kind):
    return frozenset(_words("failures")[kind])


def words_of_servers():
    """Return the words of a heading that counts servers, which is no load of one of them."""
    return frozenset(_words("servers")["words"])


def is_plain_count(bracket, base, column):
    """Tell whether what is in brackets says no more than what is counted: ``users (#)``, ``disks [drives]``."""
    word = snake_case(bracket)
    known = {synonyms(kind).get(words) for kind in ("columns", "perhaps") for words in (word, f"{word}_{base}")}
    return word in (*_PLAIN_COUNT, column, f"{column}s", units().get(column)) or column in known


def heading_words(name):
    """Return a heading as words joined by ``_`` without its unit, the unit as pint reads it, and all words together.

    Money in a heading that ends in "per user" is money per user.

    Examples
    --------
    >>> [heading_words(text)[:2] for text in ("Rate (req/min)", "Requests/h", "price USD/h", "price per user ($)")]
    [('rate', '1/minute'), ('requests', '1/hour'), ('price', 'USD/hour'), ('price_per_user', 'USD/user')]
    """
    before, bracket = heading_and_unit(name)
    base, flow, known = snake_case(_with_per(before)), _BYTES_OR_BITS.search(name), synonyms("units")
    flow = flow and f"{flow[1].replace('K', 'k')}{'B' if flow[2] == 'B' else 'bit'}/s"
    if bracket:
        word = snake_case(bracket)
        of_pint = bracket if known_unit(bracket) else ""
        unit = flow or known.get(word) or of_pint or known.get(snake_case(_with_per(bracket)), "")
        return base, _money_per_user(unit, base) if word != "min" else "", f"{base}_{word}"
    words = base.split("_")
    if known.get(base) == "krps":  # k/s, 1000 req/s
        return base, "krps", base
    for first in range(max(1, len(words) - _UNIT_WORDS), len(words)):
        unit = known.get("_".join(words[first:]))
        if unit:
            unit, rest = flow or unit, "_".join(words[:first])
            counted = known.get(words[first - 1], "")
            if words[first] == "per" and counted:  # price USD/h: no price per hour is a count per hour
                unit = f"{counted}/{unit.removeprefix('1/')}"
                return "_".join(words[: first - 1]) or rest, unit if known_unit(unit) else "", base
            return rest, _money_per_user(unit, rest), base
    return base, known.get(base, ""), base


def _money_per_user(unit, words):
    return f"{unit}/user" if words.endswith("_per_user") and is_currency(unit) else unit


def columns_of_heading(name: str) -> list[str]:
    """Return the columns of ours that a heading may mean: by its words, or by its words and its unit."""
    base, unit, whole = heading_words(name)
    sure, perhaps = ([synonyms(kind).get(words) for words in (whole, base)] for kind in ("columns", "perhaps"))
    perhaps = [column for column in perhaps if unit and column and unit_fits(unit, units().get(column))]
    return [column for column in dict.fromkeys([*sure, *perhaps]) if column]


def most_of_column(name, measured):
    """Return what a column can be at most: all of a processor, of its utilization by any heading; else infinity.

    So it is too where one of the `measured` values is above that: they are in another unit than the name says.
    """
    heading, greatest = str(name), np.max(measured)
    if column_of_heading(heading)[0] == "cpu_utilization":
        most = 1.0
    elif "cpu_utilization_percent" in columns_of_heading(heading):
        words = heading_words(heading)
        told = "percent" in words[1:] or "percent" in words[2].split("_")
        most = 100.0 if told or greatest > 1 else np.inf  # cpu_util, whose numbers may be shares
    else:
        most = np.inf
    return most if greatest <= most else np.inf


def why_no_throughput(name):
    """Return that a column is no throughput or capacity, by its unit, meaning or words; "" if it may be one."""
    heading, known = str(name), units()
    meant = [column_of_heading(heading)[0], *columns_of_heading(heading)]
    unit = known.get(heading) or heading_words(heading)[1] or next(filter(None, map(known.get, meant)), "1")
    words = {*snake_case(heading).split("_")}
    if any(unit_fits(unit, rate) for rate in ("1/s", "tps")) or unit.endswith("/s") or words & _WORDS_OF_CAPACITIES:
        return ""
    is_other = bool(words & _WORDS_OF_OTHERS) or any(_PERCENTILE.fullmatch(word) for word in words)
    return f"{label(name)} is no throughput or capacity" if unit not in _CAPACITIES or is_other else ""


def snake_case(text):
    """The words of a text in small letters, joined by underscores."""
    spelt = _HUMPS.sub(" ", text)
    for sign, word in {"%": "percent", "$": "usd", "€": "eur", "£": "gbp"}.items():
        spelt = spelt.replace(sign, f" {word} ")
    return "_".join(word.lower() for word in _WORD.findall(spelt))


def _with_per(text):
    """A text whose slash, or word of another language, before a time at its end is per: requests/min, pro Minute."""
    return _slash_before_time().sub(r" per \1", text)


@functools.cache
def _slash_before_time():
    times = "|".join(time for unit, words in _words("rates").items() if unit != "events" for time in words)
    return re.compile(rf"(?:\s*/\s*|\s(?:pro|je|par|por)\s)({times})$", re.IGNORECASE)


@functools.cache
def synonyms(kind: str) -> dict[str, str]:
    """Return the words of one kind of synonyms.toml to the column, or the unit, that they are.

    A count of events per time is a unit: ``requests_per_minute``, ``req_per_min``, ``per_h``, ``k_req_per_s``.
    """
    own = {name: name for name in _words(kind)} if kind == "columns" else {}  # Workload, L2 KB
    if kind == "units":
        events, *rates = _words("rates").items()
        for unit, times in rates:
            counts = ["", *(f"{event}_" for event in events[1])]
            own |= {f"{event}per_{time}": unit for event in ("1_", *counts) for time in times}
            if unit == "1/s":
                own |= {f"{k}{event}per_{time}": "krps" for k in _THOUSANDS for event in counts for time in times}
    return own | {word: name for name, words in _words(kind).items() for word in words}


@functools.cache
def _words(kind):
    """One kind of synonyms.toml as it is written."""
    return tomllib.loads((Path(__file__).parent / "synonyms.toml").read_text(encoding="utf-8"))[kind]
