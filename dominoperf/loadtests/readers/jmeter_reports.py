"""JMeter's Aggregate Report and Summary Report, saved as CSV: a row for each label, and TOTAL, of a whole run.

Form: the manual of JMeter 5.6. Times are in milliseconds, and are of all samples, those that failed among them; the
throughput is of the others.
"""

import math
import re

from dominoperf.loadtests.readers.recording import (
    MS,
    reader,
    recorded_number,
    split_csv_line,
    without_failed_responses,
)

_TIMES = {
    "response_s": "Average",
    "response_median_s": "Median",
    "response_p95_s": "95% Line",
    "response_p99_s": "99% Line",
    "response_max_s": "Max",
}
_NEEDED = ("Label", "# Samples", "Average", "Error %", "Throughput")
_SECONDS = {"": 1, "sec": 1, "min": 60, "hour": 3600}  # what a rate is per: the table of the window has 3.2/min
COLUMNS = ("request", "requests", "failures", "throughput_per_s", "requests_per_s", *_TIMES, "line")


@reader(
    "jmeter_report",
    "JMeter's Aggregate Report or Summary Report",
    "its header: Label,# Samples,Average,...",
    lambda head: _header(head.first)[:3] == ["Label", "# Samples", "Average"],
    COLUMNS,
)
def jmeter_report(source):
    """Yield a row for each label of a run, and one of all together (`TOTAL`)."""
    header = None
    for line, text in source.lines(keep_last=True):
        if header is None:
            header = _header(text)
            if missing := [name for name in _NEEDED if name not in header]:
                remedy = "Give the table as JMeter saved it, with its header."
                raise source.wrong(line, f"the columns {', '.join(missing)} in the header", "none of that name", remedy)
            continue
        cells = [cell.strip() for cell in split_csv_line(text)]
        row = dict(zip(header, cells, strict=False))
        requests, share = recorded_number(row.get("# Samples", "")), recorded_number(row.get("Error %", "").rstrip("%"))
        rate = re.fullmatch(r"(\d+(?:[.,]\d*)?|[.,]\d+)(?:/(sec|min|hour))?", row.get("Throughput", ""))
        if len(cells) != len(header) or requests is None or share is None or not rate or math.isinf(requests * share):
            if text.strip():
                source.skip(line, "a label with its samples, their Error % and Throughput")
            continue
        done = recorded_number(rate[1]) / _SECONDS[rate[2] or ""]
        counts = {"requests": requests, "failures": float(round(requests * share / 100)), "requests_per_s": done}
        numbers = ((name, recorded_number(row.get(column, ""))) for name, column in _TIMES.items())
        times = {name: number / MS for name, number in numbers if number is not None and requests > 0}
        row = {"request": row["Label"], "throughput_per_s": done * (1 - share / 100), "line": line} | counts | times
        yield without_failed_responses(source, row, of_table=True)


def _header(line):
    return [cell.strip() for cell in split_csv_line(line)]
