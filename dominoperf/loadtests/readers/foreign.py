"""Files that no reader here can read: the tool that wrote them, if known, and what to do with them.

Forms: what the tools write today, by their manuals.
"""

import json
import re

from dominoperf.errors import UnknownName, spelling
from dominoperf.loadtests.readers.recording import EPOCH, json_value_at, recorded_number, split_csv_line
from dominoperf.tables.columns import names_are_listed
from dominoperf.tables.files import check_no_spreadsheet
from dominoperf.tables.headings import likely_mapping
from dominoperf.tables.reading import delimiter_of_text

_EXPECTED = "a file that `ingest` can read"
_AGGREGATE = (
    "It is not read yet. Make of it a CSV file with a row per load and the columns users, throughput_per_s and "
    "response_s; columns of other names are mapped, as elapsed=response_s[ms]."
)
_CONVERT = "Give the file that the load test wrote, or a CSV file of a row per load or per sample."
_SADF = (
    "It is not read, but what sadf prints of the same recording is: record with `sar -o FILE 1`, and give the output "
    "of `sadf -d FILE -- -u -r -q -b -d -n DEV`, or of `sadf -j FILE -- ...`."
)
_TAURUS = (
    "It has the number of requests, as `throughput`, and not how long the test took. Give kpi.jtl of the folder of "
    "artifacts, or what the load generator itself wrote."
)
_JMETER_XML = "Have JMeter write CSV, as it does by itself: `jmeter -Jjmeter.save.saveservice.output_format=csv`."
_JMETER_HEADER = (
    "Have JMeter write it (jmeter.save.saveservice.print_field_names=true), or put the names of the columns above the "
    "first line: timeStamp,elapsed,label,..."
)
# What a file is, what its first lines have, and what to do.
_TEXTS = (
    ("a summary of k6 in text (`k6 run --summary-export FILE` and `--out csv=FILE` are read)",
     r'"iterations": ?\{|^ *(?:http_reqs|iterations)\.{3,}:', _AGGREGATE),
    ("the histogram of vegeta (`vegeta report` is read)",
     r"^Bucket +# +% +Histogram|^Value\(ms\) +Percentile +TotalCount", _AGGREGATE),
    ("the report of oha in text (`oha --output-format json` is read)", r"^ +Success rate:\s", _AGGREGATE),
    ("requests of ab (-g), sorted by their response time (what ab prints is read, and `ab -e`)",
     r"^starttime\tseconds\tctime\tdtime\tttime", _AGGREGATE),
    ("the final statistics of Taurus", r"^label,avg_ct,avg_lt,avg_rt,", _TAURUS),
    ("failures or exceptions of Locust", r"^Method,Name,Error,Occurrences|^Count,Message,Traceback", _AGGREGATE),
    ("what JMeter prints as it runs (its results, `jmeter -l FILE.jtl`, are read)", r"^summary [+=] .* Avg: ",
     _AGGREGATE),
    ("the table of autocannon (`autocannon --json` is read)", r"^[│|] Stat +[│|]", _AGGREGATE),
    ("the report of fio in text (`fio --output-format=json` is read)", r"^\S+: \(g=\d+\): rw=", _AGGREGATE),
    ("the report of Artillery 1, or of a test without HTTP (one of Artillery 2 is read)",
     r'"vusers\.created|"scenariosCreated"', _AGGREGATE),
    ("the report of siege, or its log",
     r'^\s*Date & Time,  Trans,|^\*\* (?:SIEGE|Preparing \d)|^\{?\s*"transactions":\s|^Transactions:\s+\d+ hits',
     _AGGREGATE),
    ("the report of sysbench before 1.0, or without its first lines",
     r"^sysbench 0\.\d|^ +transactions: +\d+ +\(", _AGGREGATE),
    ("vmstat with times that `ts` wrote (`vmstat -t` is read)", r"^\d{4}-\d\d-\d\d[ T]\S+ (?:procs -|--procs--)",
     _AGGREGATE),
    ("the result of fio before 3", r'"fio version"\s*:\s*"fio-2', _AGGREGATE),
    ("the report of h2load", r"^starting benchmark\.\.\.", _AGGREGATE),
    ("the result of fortio", r'"(?:ActualQPS|DurationHistogram)"', _AGGREGATE),
    ("the result of bombardier", r'"numberOfConnections"|^Bombarding |^Statistics +Avg +Stdev +Max', _AGGREGATE),
    ("what Artillery prints (`artillery run --output FILE` is read)", r"^vusers\.created\w*:? *\.{3,}|^Test run id: ",
     _AGGREGATE),
    ("an instant query of Prometheus", r'"resultType": ?"(?:vector|scalar|string)"',
     "It has one moment. Ask /api/v1/query_range, with start, end and step: its answer is read."),
    ("an error that Prometheus answered", r'"status": ?"error", ?"errorType"',
     "Look at its message, and ask /api/v1/query_range again."),
    ("the report of ghz", r'"endReason"\s*:|^ +Count:\s+\d+$', _AGGREGATE),
    ("the report of memtier_benchmark", r"^\d+ +Connections per thread", _AGGREGATE),
    ("the report of redis-benchmark", r"^====== .+ ======$", _AGGREGATE),
    ("the log of HammerDB", r"^Vuser \d+:", _AGGREGATE),
    ("the text of sar or mpstat", r"^Linux \S+ \(.+\).*\(\d+ CPU\)\s*$|"
     r"^\d\d:\d\d:\d\d(?: [AP]M)? +(?:CPU +%us|kbmemfree|runq-sz|IFACE|DEV |tps )", _SADF),
    ("JMeter's results in XML (those in CSV are read)", r"^\s*(?:<\?xml[^>]*>\s*)?<testResults\b", _JMETER_XML),
    ("results of JMeter without their header line", r"^\d{12,13}([,;\t|])\d+\1.*\1(?:true|false)\1", _JMETER_HEADER),
    ("JMeter's report in another language than English", r"\A[^,\n]+, ?\"?# [^,\n]+,",
     "Have JMeter save it in English, `jmeter -Jlanguage=en`, or give its results, `jmeter -l FILE.jtl`."),
    ("a table whose first line says what parts its cells", r"\Asep=", "Delete this line: the cells tell it."),
    ("an HTML page", r"(?i:^\s*<(?:!doctype html|html)\b)", _CONVERT),
)  # fmt: skip
_GATLING = re.compile(rb"\0\0\0\0.(\d+\.\d+(?:\.\d+)?)", re.DOTALL)


def refuse_foreign_file(source, head, lines):
    """Refuse a file that is another tool's, or none of a load test."""
    check_no_spreadsheet(head, source.path, _EXPECTED)
    if head.startswith(b"PK\x03\x04") or head[257:262] == b"ustar":
        raise source.wrong(None, _EXPECTED, "a zip or tar archive", "Unpack it, and give the folder.")
    if b"Result\x01\xff" in head[:64] and b"Attack" in head[:128]:
        remedy = "Give what `vegeta report` or `vegeta encode` prints of it."
        raise source.wrong(None, _EXPECTED, "the binary results of vegeta", remedy)
    if log := _GATLING.match(head):
        remedy = (
            f"Gatling {log[1].decode()} writes it in no other form. Give js/stats.json or js/global_stats.json of the "
            "report that Gatling made of it, which has the whole run; Gatling up to 3.9 writes the log as text."
        )
        raise source.wrong(None, _EXPECTED, "a binary simulation.log of Gatling", remedy)
    text = "\n".join(lines)
    for name, form, remedy in _TEXTS:
        if re.search(form, text, re.MULTILINE):
            raise source.wrong(None, _EXPECTED, name, remedy)


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
    rows = [cells for line in lines[:20] if len(cells := split_csv_line(line, delimiter)) == len(headers)][1:]
    unfit = []
    for k, heading in enumerate(headers):
        numbers = [recorded_number(row[k]) for row in rows if row[k].strip()]
        if any(number is None or number >= EPOCH for number in numbers):
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
    is_json = first[:1] in ("{", "[")
    if is_json and (end := _end_of_cut_json(source.text())):
        remedy = "Give the whole file; if it is all that there is, run the test again."
        return UnknownName(source.path, expected="a whole JSON file", found=f"one that is cut off {end}", remedy=remedy)
    keys, found = re.findall(r"[\w.-]+", first), f"text that begins with {first[:60]!r}"
    if is_json:
        keys = list(dict.fromkeys(re.findall(r'"([^"\n]{1,40})"\s*:', "\n".join(head.lines))))
        found = f"JSON with the names {', '.join(keys[:8])}" if keys else "JSON without names"
    shared = {reader: len({*re.findall(r"[\w.-]{4,}", reader.by)} & {*keys}) for reader in readers}
    nearest = sorted(filter(shared.get, readers), key=shared.get, reverse=True)[:2]
    near = "".join(f"{reader.name} recognises its files by {reader.by}. " for reader in nearest)
    lists = spelling("`readers.formats()`", "`dominoperf ingest --formats`")
    remedy = (
        f"{near}Make of it a CSV file with columns such as users, throughput_per_s and response_s, and read that; "
        f"{lists} lists what else is read, by readers that can be named."
    )
    return UnknownName(source.path, expected="a file that one reader recognises", found=found, remedy=remedy)
