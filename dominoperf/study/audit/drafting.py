"""Draft the audit of another document from its text: a data folder with its tables, and a row of claims a sentence.

Nobody's sentences are copied: a drafted claim has the numbers of a sentence and its place, and asks for the statement.
"""

import bisect
import csv
import functools
import io
import os
import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import PurePosixPath

import pandas as pd

from dominoperf.errors import BadTable
from dominoperf.study.audit.claim_rows import COLUMNS
from dominoperf.study.audit.verdicts import AT_LEAST, AT_MOST, NEGATION, NOT_EXACT, read_stated
from dominoperf.tables import headings, new_folder, units
from dominoperf.tables.checking import questions_left_in_draft
from dominoperf.tables.folders import CLAIMS, folder_path, open_descriptor_question, our_toml_file, path_of_argument
from dominoperf.tables.reading import read_anybodys_csv, read_number
from dominoperf.tables.text_tables import LEADERS, read_lines_of_document, tables_and_prose

OWN = ("begins", "numbers", "candidates")
"""Columns of a drafted ``claims.csv`` that help to write it; the audit does not read them."""
_LONGEST_NAME = 60  # characters of the name of a table, which is that of its file too, and of a column
_BULLET = re.compile(r"^\s*(?:[-*•■▪◦●–]|\(?\d{1,2}[.)]|\(?[a-z][.)])\s+")
_HEADING = re.compile(r"^\s*#+\s+")
_ENDS = re.compile(r"[.!?][\"”')\]]*\s+(?=[\"“(]?[A-Z0-9•])")
_NO_END = re.compile(
    r"(?:\b(?i:e\.g|i\.e|vs|cf|approx|ca|no|fig|figs|tab|sec|min|max|avg|inc|corp|co|st|mr|dr|et al)|\b[A-Z])\.$"
)
_NUMBER = r"(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)"
_IN_DIGITS = re.compile(
    rf"(?<![\w.,:/_=-])(?P<number>[$]?{_NUMBER}(?:\s?%?\s?[-–]\s?[$]?{_NUMBER})?)(?![\d_]|[.,/:-]\d|[A-Za-z]+\d)-?\s?(?P<sign>%)?"
)
_NAMING = (  # words behind which a number names something
    *("table", "figure", "fig.", "chart", "chapter", "section", "appendix", "page", "pages", "version", "release"),
    *("model", "revision", "raid", "step", "level", "note", "part", "item", "volume", "no.", "copyright", "©"),
)
_OF_A_NAME = re.compile(
    rf"(?i:(?:^|[\W_])(?:{'|'.join(map(re.escape, _NAMING))}))\s*$|\w[\w,]* [A-Z][\w/]*[A-Za-z]\s*$"
)
_HEDGES = (*AT_LEAST, *AT_MOST, *NOT_EXACT)
_HEDGE = re.compile(
    rf"\b((?:{NEGATION}\s+)?(?:{'|'.join(sorted(_HEDGES, key=len, reverse=True))}))\b(?:\s+\w+)?\s*$", re.IGNORECASE
)
_WORD = re.compile(r"[A-Za-z%/][A-Za-z%/'’]*")
_NUMBERED = re.compile(rf"{_NUMBER}(?:[-.]\d+)*\b(?!\s?%)")  # a heading or a running title, where no sentence ends
_AROUND = 60  # characters beside a number
_POWERS_OF_THOUSAND = ("thousand", "million", "billion")
_NEAR = 3  # words behind a number in which its unit is looked for
_FIRST_WORDS = 5
_LONGEST_SENTENCE = 2_000  # characters; what goes on is none
_HEADING_WORDS = 3
_MOST_CANDIDATES = 3  # cells that print a number; more would be chance


@dataclass(frozen=True)
class Number:
    """A number of a sentence as printed, its unit as claims have it, and the hedge before it."""

    stated: str
    unit: str
    hedge: str


def draft(
    folder: str | os.PathLike, text: str | os.PathLike, *, title: str = "", source: str = "", licence: str = ""
) -> pd.DataFrame:
    """Make a data folder from the text of a document: its tables, and a claim to write for a sentence with a number.

    A row of its ``claims.csv`` has the place of a sentence, a number of it with unit and hedge, all its numbers, the
    cells that print one of them, and the sentence's first words. The statement, and how it is tested, are to be
    written; until then its verdict is unverifiable. While its ``datapackage.json`` says ``"draft": true`` what is left
    open is told as a note: such a folder passes `dominoperf.check`, and can be audited.

    Not drafted are numbers that are negative, have a decimal comma, are times of day or ratios as 1:4, are in words, or
    are part of a name or a reference. Signs as ≥ and < and words as million beside a number are not read.

    Parameters
    ----------
    folder : path
        The folder to make, as `dominoperf.new` makes it.
    text : path or URL
        The document as plain text, in UTF-8, UTF-16 or Windows-1252; form feeds part its pages.
    title, source, licence : str, optional
        Of the document.

    Returns
    -------
    DataFrame
        What is left to write: file, line, column, expected, found, remedy.

    Raises
    ------
    BadTable
        When the folder is there already, or the file is no text or has no number; then nothing has been made.
    """
    folder = folder_path(folder, "draft(folder, ...)", "the path of the folder to make").resolve()
    for option, given in (("title", title), ("source", source), ("licence", licence)):
        if not isinstance(given, str):
            remedy = "Give a text, or leave it out."
            raise BadTable(f"draft({option}=...)", expected="a text", found=repr(given), remedy=remedy)
    new_folder.check_new_folder_name(folder)
    path_of_argument(text, "draft(text=...)", "the path or URL of a text")
    lines = read_lines_of_document(text)
    printed, prose = tables_and_prose(lines)
    files, times = {}, Counter()
    for table in printed:
        name = re.sub(r"[^a-z0-9]+", "_", f"table {table.label or table.line.locator}"[:_LONGEST_NAME].lower())
        name = name.strip("_")
        times[name] += 1
        name = name if times[name] == 1 else f"{name}_again_{times[name]}"
        content, printed_headings = _drafted_table_as_csv(table)
        path = PurePosixPath(f"{name}.csv")
        files[name] = new_folder.File(path, read_anybodys_csv(path, content), printed_headings)
    sentences = [found for found in _sentences_with_numbers(prose) if found[2]]
    if not files and not sentences:
        found, remedy = f"{len(lines)} lines without any", "Name a text that states numbers, or has tables."
        raise BadTable(str(text), expected="a text with numbers", found=found, remedy=remedy)
    descriptor = new_folder.descriptor_of(folder.name, files, title=title, source=source, licence=licence)
    descriptor.pop("benchmarks", None)  # which of its tables hold runs, a person says
    descriptor = {"$schema": descriptor.pop("$schema"), "draft": True} | descriptor
    for table, resource in zip(printed, descriptor["resources"], strict=True):
        resource["title"] = f"Table {table.label}" if table.label else f"Table at {table.line.locator}"
        resource["locator"] = table.line.locator
        for field, heading in zip(resource["schema"]["fields"], table.header, strict=True):
            field["title"] = heading or field["name"]
    with new_folder.new_folder_beside(folder) as made:
        new_folder.write_folder(made, files, descriptor)
        _write_claims(made / CLAIMS, sentences, {name: file.sheet.columns for name, file in files.items()})
        return questions_left_in_draft(made)


def _drafted_table_as_csv(table):
    """A table as CSV, and the printed headings by the names that a claim can write, of which none is a number."""
    names, printed_headings = [], {}
    for k, heading in enumerate(table.header):
        cells = [row[k] for row in table.rows if row[k]]
        numbers = sum(read_number(cell) is not None for cell in cells)
        name = headings.heading_words(heading)[2] or f"column_{k + 1}"
        name = name[:_LONGEST_NAME].rstrip("_")
        name = f"column_{name}" if read_number(name) is not None else name
        # A column that is partly numbers cannot have the unit and the meaning that its name would promise.
        partly = 0 < numbers < len(cells)
        name = f"{name}_as_printed" if partly else name
        names.append(name if name not in names else f"{name}_in_column_{k + 1}")
        if heading and not partly:
            printed_headings[names[-1]] = heading
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([names, *table.rows])
    return out.getvalue(), printed_headings


def _sentences_with_numbers(prose):
    """Yield the place, the first words and the numbers of each sentence of the prose, an id with it."""
    paragraph, gap = [], False
    for line in prose:
        if not line.text.strip():
            gap = True
        elif not LEADERS.search(line.text):
            begins = not paragraph or _BULLET.match(line.text) or _HEADING.match(line.text)
            if not begins:  # it goes on if it is the next line of its page, or a page cuts the sentence
                last = paragraph[-1]
                if line.page == last.page:
                    begins = line.number != last.number + 1 or gap
                else:
                    begins = last.text.rstrip()[-1] in ".:!?" or not line.text.lstrip()[:1].islower()
            if begins and paragraph:
                yield from _claim_sentences_of_paragraph(paragraph)
                paragraph = []
            paragraph.append(line)
            gap = False
    if paragraph:
        yield from _claim_sentences_of_paragraph(paragraph)


def _claim_sentences_of_paragraph(lines):
    """Yield id, place and numbers of each sentence of a paragraph, and its first words."""
    joined, starts = "", []
    for line in lines:
        words = re.sub(r"\\([$%_&#])", r"\1", _HEADING.sub("", _BULLET.sub("", line.text, count=1)).strip())
        joined = joined[:-1] if re.search(r"[a-z]-$", joined) else f"{joined} " if joined else ""
        starts.append(len(joined))
        joined += words
    ends = [
        found.end()
        for found in _ENDS.finditer(joined)
        if not _NO_END.search(joined[max(0, found.start() - _AROUND) : found.start() + 1])
    ]
    order = defaultdict(int)
    for first, last in zip([0, *ends], [*ends, len(joined)], strict=True):
        line = lines[bisect.bisect_right(starts, first) - 1]
        order[line] += 1
        locator = line.locator if order[line] == 1 else f"{line.locator}, sentence {order[line]}"
        sentence = joined[first : min(last, first + _LONGEST_SENTENCE)].strip()
        yield locator, sentence, _numbers_stated_in_sentence(sentence)


def _numbers_stated_in_sentence(sentence):
    """The numbers that a sentence states, in its order; those that are part of a name or a reference are none."""
    numbers, is_open = [], sentence[-1:] not in ".!?"
    heading = _NUMBERED.match(sentence) if is_open else None
    for match in _IN_DIGITS.finditer(sentence, heading.end() if heading else 0):
        before, behind = sentence[max(0, match.start() - _AROUND) : match.start()], sentence[match.end() :]
        number, unit = match["number"].strip(), "%" if match["sign"] or "%" in match["number"] else ""
        unit = unit or ("USD" if number.startswith("$") else _claim_unit_behind_number(behind[:_AROUND]))
        counted = unit.islower() and len(unit) > 2  # users, servers: "Domino 6 servers" are not six
        if (unit and not counted) or not _OF_A_NAME.search(before):
            numbers.append(Number(number.replace("%", ""), unit, _claim_hedge_before_number(before)))
    is_heading = is_open and len(sentence.split()) <= _HEADING_WORDS
    return [] if is_heading and not any(each.unit for each in numbers) else numbers


def _claim_hedge_before_number(before):
    """The hedge that ends what is before a number, a word between at most."""
    found = _HEDGE.search(before)
    return found[1].lower() if found else ""


def _claim_unit_behind_number(behind):
    """The unit that one of the next words names, before another number or the end of the phrase."""
    known = _claim_units_by_word()
    phrase = re.split(r"[\d.,;:()]", behind, maxsplit=1)[0]
    for word in _WORD.findall(phrase)[:_NEAR]:
        if word.lower() in _POWERS_OF_THOUSAND:  # 1.2 million dollars are not 1.2 dollars: a person has to write it
            return ""
        for spelt in (word, word.lower(), word.lower().removesuffix("s"), re.sub("ies$", "y", word.lower())):
            if spelt in known:
                return known[spelt]
    return ""


@functools.cache
def _claim_units_by_word():
    """The words for a unit to the unit as claims have it."""
    words = our_toml_file("claim_words.toml")["units"]
    ours = {unit: unit for unit in {*words, *units().values()} if len(unit) > 1}
    return headings.synonyms("units") | ours | {"percent": "%", "points": "percentage point"}


def _write_claims(path, sentences, tables):
    """Write a row for each sentence: what is known of it, what helps, and what is asked."""
    cells = defaultdict(list)
    for table, columns in tables.items():
        for column, texts in columns.items():
            for row, text in enumerate(texts, start=1):
                if (number := read_number(text)) is not None:
                    cells[number].append(f"{table}.{column}[{row}]")  # as an input of a claim names it
    with open(path, "w", encoding="utf-8", newline="") as file:
        rows = csv.DictWriter(file, [*COLUMNS, *OWN], restval="", lineterminator="\n")
        rows.writeheader()
        for locator, sentence, numbers in sentences:
            first = min(numbers, key=lambda number: not number.unit)
            candidates = []
            for each in numbers:
                stated = read_stated(each.stated)
                same = cells.get(stated.low, []) if stated and stated.low == stated.high else []
                candidates.append((each.stated, same))
            rows.writerow(
                {
                    "id": re.sub(r"[^0-9a-z]+", "-", locator.replace("sentence ", "").lower()),
                    "locator": locator,
                    "topic": "draft",
                    "claim": open_descriptor_question("what the sentence states, in words of your own"),
                    "stated": first.stated,
                    "unit": first.unit,
                    "hedge": first.hedge,
                    "expected_verdict": "unverifiable",
                    "comment": "Drafted; not yet written",
                    "begins": " ".join(re.findall(r"\w(?:[\w'’.,-]*\w)?", sentence)[:_FIRST_WORDS]),
                    "numbers": "; ".join(f"{each.stated} {each.unit}".strip() for each in numbers),
                    "candidates": "; ".join(
                        f"{stated}: {' | '.join(found[:_MOST_CANDIDATES])}" for stated, found in candidates if found
                    ),
                }
            )
