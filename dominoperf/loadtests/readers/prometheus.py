"""Answers of Prometheus to a range query, as its HTTP API gives them in JSON: a row for each time.

Form: answers of Prometheus 2.42 recorded for the tests; Thanos, Mimir and VictoriaMetrics answer likewise.
"""

import math

from dominoperf.errors import BadTable
from dominoperf.loadtests.readers import foreign
from dominoperf.loadtests.readers.own_tables import has_measure
from dominoperf.loadtests.readers.recording import LATEST, ReaderClock, epoch_as_iso, json_value_at, reader
from dominoperf.tables.headings import columns_of_headings

_COUNTERS = ("_total", "_bucket", "_sum", "_count")  # what names of counters end in, by the convention of Prometheus


@reader("prometheus", "a range query of Prometheus, in JSON", '{"status":"success" and "resultType":"matrix"',
        lambda head: '"resultType":"matrix"' in "".join(head.lines).replace(" ", ""), mapped=True)  # fmt: skip
def prometheus(source):
    """Return the columns and rows of a range query, a row for each time; `line` is the row, counting from 1.

    A series is called by the name of its metric, or as Prometheus writes it where more than one has that name
    (``up{job="a"}``), or ``value`` where it has neither name nor label. The mapping says what it is in our columns.
    """
    series = _prometheus_series(source)
    columns, others = columns_of_headings(list(series), source.mapping, source.path)
    if not series:
        remedy = "Look whether the query has a value in the time that was asked for."
        raise source.wrong(None, "a series in the answer", "none", remedy)
    if not has_measure([column.name for column in columns], source.mapping):
        raise foreign.unmapped_file_error(source, list(series), BadTable)
    for name in (column.source.partition("{")[0] for column in columns):
        if name.endswith(_COUNTERS):
            remedy = f"Query what it grows by in a second: rate({name}[1m])."
            raise source.wrong(None, "series of values at a time", f"{name}, a counter, which only rises", remedy)
    if others:
        source.notes.add("series", None, f"series left out, as they are not mapped: {', '.join(others)}")
    clock, rows = ReaderClock(source.notes), []
    for number, at in enumerate(sorted({at for values in series.values() for at in values}), 1):
        row = {"time": epoch_as_iso(at), "time_s": clock.since(at, number), "line": number}
        for column in columns:
            value = series[column.source].get(at, math.nan) * (column.factor or 1.0)
            row[column.name] = value if math.isfinite(value) else math.nan
        rows.append(row)
    clock.finish()
    return ("time", "time_s", *(column.name for column in columns), "line"), rows


def _prometheus_series(source):
    """The values of every series, by what it is called: time -> number."""
    expected, remedy = "an answer of query_range", "Give the whole answer of /api/v1/query_range, of one query."
    try:
        answer, end = json_value_at(text := source.text())
        if text[end:].strip():
            raise ValueError(f"more behind its end: {text[end:].strip()[:30]!r}")
        results = answer["data"]["result"]
        named = [
            (
                {label: str(text) for label, text in result["metric"].items()},
                {float(at): float(value) for at, value in result["values"]},
            )
            for result in results
        ]
        if wrong := [at for _, values in named for at in values if not abs(at) < LATEST]:
            raise ValueError(f"the time {wrong[0]}")
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError) as error:
        raise source.wrong(None, expected, f"something else or a part of one ({error})", remedy) from error
    names = [metric.get("__name__", "") for metric, _ in named]
    series = {}
    for metric, values in named:
        name = metric.pop("__name__", "")
        labels = ",".join(f'{key}="{value}"' for key, value in sorted(metric.items()))
        alone = name and names.count(name) == 1
        series[name if alone else f"{name}{{{labels}}}" if labels else name or "value"] = values
    return series
