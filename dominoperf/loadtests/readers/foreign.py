"""Files that no reader here can read: what they look like, the readers nearest to them, and what to do with them."""

import json
import re

from dominoperf.errors import UnknownName, spelling
from dominoperf.loadtests.readers.recording import EPOCH, json_value_at, recorded_number, split_csv_line
from dominoperf.tables.columns import names_are_listed
from dominoperf.tables.files import check_no_spreadsheet
from dominoperf.tables.headings import likely_mapping
from dominoperf.tables.reading import delimiter_of_text, readings_of_numeral, separator_told_to_excel

_EXPECTED = "a file that `ingest` can read"
# Tables whose throughput is none: how their headings begin, and what they are.
_OTHER_THROUGHPUTS = {
    ("label", "avg_ct"): "the final statistics of Taurus, whose throughput is a number of requests",
    ("Date & Time", "Trans"): "the log of siege, whose throughput is in MB/s",
}


# Other forms of what is read, by how they begin: what they are, and how to have the form that is read.
_OTHER_TEXTS = (
    (r"Linux \S+ \(.+\).*\(\d+ CPU\)", "the text of sar or mpstat",
     "Record with `sar -o FILE 1`, and give what `sadf -d FILE -- -u -r -q -b -d -n DEV` prints."),
    (r"(?:<\?xml[^>]*>\s*)?<testResults\b", "JMeter's results in XML",
     "Have JMeter write CSV: `jmeter -Jjmeter.save.saveservice.output_format=csv`."),
    (r"(?i:<(?:!doctype html|html)\b)", "an HTML page", "Give the file that the load test wrote."),
)  # fmt: skip
_OTHER_BYTES = (
    (rb"(?s:\0\0\0\0.\d+\.\d+)", "a binary simulation.log of Gatling",
     "Give js/stats.json of the report that Gatling made of it, which has the whole run."),
    (rb"(?s:.{,64}Result\x01\xff.*Attack)", "the binary results of vegeta",
     "Give what `vegeta encode` or `vegeta report` prints of it."),
)  # fmt: skip


def refuse_spreadsheets_and_archives(source):
    """Refuse a file that is neither text nor Parquet, but a spreadsheet, an archive or a tool's own binary form."""
    head = source.head()
    check_no_spreadsheet(head, source.path, _EXPECTED)
    if head.startswith(b"PK\x03\x04") or head[257:262] == b"ustar":
        raise source.wrong(None, _EXPECTED, "a zip or tar archive", "Unpack it, and give the folder.")
    for form, found, remedy in _OTHER_BYTES:
        if re.match(form, head[:200]):
            raise source.wrong(None, _EXPECTED, found, remedy)


def refuse_other_throughputs(source, headings):
    """Refuse tables that would pass for one's own, and whose throughput is something else."""
    if found := _OTHER_THROUGHPUTS.get(tuple(headings[:2])):
        remedy = "Make of it a CSV file with a row per load and the columns users, throughput_per_s and response_s."
        raise source.wrong(1, _EXPECTED, found, remedy)


def unmapped_file_error(source, headers, kind=UnknownName):
    """Make the error for a table without a column that says what a test measures."""
    expected = "a column of what a test measures (users, throughput_per_s, response_s, cpu_utilization_percent, ...)"
    found = f"the columns {', '.join(headers) or 'of none'}"
    how = likely_mapping(headers, _headings_without_measures(source, headers))
    remedy = f"Say which of yours is one, with its unit, as {how} or what it is; {names_are_listed()}."
    return kind(f"{source.path}, line 1", expected=expected, found=found, remedy=remedy)


def _headings_without_measures(source, headers):
    """The headings under which the first rows of a table have texts, or numbers that are times since 1970."""
    lines = [line for line in source.first_lines() if line.strip()]
    delimiter = delimiter_of_text("\n".join(lines))
    lines = lines[1:] if lines and separator_told_to_excel(lines[0]) else lines
    rows = [cells for line in lines[:20] if len(cells := split_csv_line(line, delimiter)) == len(headers)][1:]
    unfit = []
    for k, heading in enumerate(headers):
        cells = [row[k] for row in rows if row[k].strip()]
        if any(not readings_of_numeral(cell) or (recorded_number(cell) or 0) >= EPOCH for cell in cells):
            unfit.append(heading)
    return unfit


def _end_of_cut_json(text):
    """Say where JSON, one value or several, breaks off; nothing of JSON that is whole or has another fault."""
    whole, place = text.rstrip(), 0
    while place < len(whole):
        try:
            _, place = json_value_at(text, place)
        except json.JSONDecodeError as error:
            if error.pos < len(whole) and not error.msg.startswith("Unterminated string"):
                return ""
            return f"in line {whole.count(chr(10)) + 1}, after {whole.splitlines()[-1][-30:]!r}"
    return ""


def unrecognised_file_error(source, head, readers):
    """Make the error for a file that no reader recognises: what it looks like, and which two readers are nearest."""
    first = next((line.strip() for line in head.lines if line.strip()), "")
    for form, found, remedy in _OTHER_TEXTS:
        if re.match(form, "\n".join(head.lines).lstrip()):
            return UnknownName(source.path, expected=_EXPECTED, found=found, remedy=remedy)
    is_json = first[:1] in ("{", "[")
    if is_json and (end := _end_of_cut_json(source.text())):
        remedy = "Give the whole file; if it is all that there is, run the test again."
        return UnknownName(source.path, expected="a whole JSON file", found=f"one that is cut off {end}", remedy=remedy)
    keys, found = re.findall(r"[\w.-]+", first), f"text that begins with {first[:60]!r}"
    if is_json:
        keys = list(dict.fromkeys(re.findall(r'"([^"\n]{1,40})"\s*:', "\n".join(head.lines))))
        found = f"JSON with the names {', '.join(keys[:8])}" if keys else "JSON without names"
    marks = {reader: {*re.findall(r"[\w.-]{4,}", reader.by)} for reader in readers}
    shared = {reader: len(words & {*keys}) for reader, words in marks.items()}
    near = [reader for reader in readers if shared[reader] >= min(2, max(1, len(marks[reader]) / 2))]
    nearest = sorted(near, key=shared.get, reverse=True)[:2]  # one word of many, as test, is shared by chance
    near = "".join(f"{reader.name} recognises its files by {reader.by}. " for reader in nearest)
    lists = spelling("`readers.formats()`", "`dominoperf ingest --formats`")
    remedy = (
        f"{near}Make of it a CSV file with columns such as users, throughput_per_s and response_s, and read that; "
        f"{lists} lists what else is read, by readers that can be named."
    )
    return UnknownName(source.path, expected="a file that one reader recognises", found=found, remedy=remedy)
