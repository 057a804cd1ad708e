"""Tables of one's own, in CSV or Parquet: columns with our names, or mapped to them, a row at a time."""

import contextlib
import itertools
from itertools import islice

from dominoperf import tables
from dominoperf.errors import BadTable, as_python, spelling
from dominoperf.loadtests.readers import foreign, resources
from dominoperf.loadtests.readers.recording import (
    EPOCH,
    UNMAPPED_COLUMNS,
    ReaderClock,
    dates_begin_with_day,
    epoch_seconds,
    moment_of_clock,
    moment_of_date,
    plain_number,
    reader,
    seconds_of_day,
    split_csv_line,
)
from dominoperf.tables import reading
from dominoperf.tables.columns import OF_ITS_ROW
from dominoperf.tables.folders import our_toml_file
from dominoperf.tables.headings import (
    LOADS,
    THROUGHPUTS,
    Column,
    columns_of_headings,
    heading_and_unit,
    heading_words,
    means_a_time_of_day,
    possible_meaning,
    target_of_mapping,
)
from dominoperf.tables.reading import PARQUET
from dominoperf.tables.rows_of_one_curve import check_no_totals, names_a_total, refused_total

LEAST, MOST = 1e-30, 1e30  # of what a test measures: fourth powers of its errors are numbers
_SHOWN = 20  # rows that show whether they are samples
_LONGEST = 1e6  # seconds of a response, 12 days
_FIRST = 1000  # rows that show how the file writes its numbers
_HALF_A_DAY = 43_200.0  # seconds
_NAN = float("nan")
_PLACES = ("line", "time_s", "from_s", "to_s", "test_time_s", "threads")  # of a sample or run, not measured in it
_PLAIN = ("load", "throughput", "utilization", "cpu_utilization", "client_drivers", "failures", "requests", "run_queue",
          "test_errors", "test_failures", "test_warnings", "transactions")  # fmt: skip
"""Columns without a unit that are measures all the same."""
_UNSIGNED = ("user", "s", "1/s", "tps", "tpm")  # units of loads, responses and rates


def is_measure(name):
    """Return whether a name is that of a load, a throughput, a response or a use: what a table is read for."""
    unit = tables.vocabulary().get(name, {}).get("unit")  # of every name of a file: too often for a dict of all units
    return unit is not None and name not in _PLACES and (name in _PLAIN or unit not in ("1", *OF_ITS_ROW))


def is_unsigned_measure(name):
    """Return whether a name is that of a measure that cannot be below zero."""
    return is_measure(name) and (name in (*_PLAIN, *resources.COLUMNS) or tables.units()[name] in _UNSIGNED)


def has_measure(names, mapping):
    """Return whether one of our names is a measure, or a column of numbers that was mapped: who names it wants it."""
    mapped = {target_of_mapping(text)[0] for text in mapping.values()}
    return any(is_measure(name) or (name in mapped and name in tables.units()) for name in names)


def recognises_csv(head):
    """Return whether the first line has a name of ours for what a test measures, or one that is mapped."""
    delimiter = reading.delimiter_of_text(_first_lines_of_table(head.lines))
    first = head.lines[1] if reading.separator_told_to_excel(head.first) and head.lines[1:] else head.first
    names = [name.strip() for name in split_csv_line(first, delimiter)]
    return any(name in head.mapping or heading_and_unit(name)[0] in head.mapping or is_measure(name) for name in names)


@reader(
    "csv", "a CSV file of your own", "a column that has one of our names, or is mapped", recognises_csv, mapped=True
)
def csv_of_ones_own(source):
    """Return the columns and rows of a table of text, separated by commas, semicolons or tabs, with a header."""
    delimiter, header, first = _beginning_of_table(source)
    columns = _recognised_columns(source, header, first)
    return _column_names_of_own_table(columns), _rows_with_seconds(
        source,
        columns,
        _rows_of_csv(source, columns, header, delimiter),
        _clock_of_csv(source, columns, header, delimiter),
    )


def _beginning_of_table(source):
    """The separator of a table, its headings, and its first whole rows."""
    delimiter = reading.delimiter_of_text(_first_lines_of_table(source.first_lines()))
    with contextlib.closing(_rows_with_lines(source, delimiter)) as rows:  # of many files one at a time is open
        header = [name.strip() for name in next(rows, (1, []))[1]]
        first = [cells for _, cells in islice(rows, _SHOWN) if len(cells) == len(header)]
    return delimiter, header, first


@reader("parquet", "a Parquet file of your own", "the letters PAR1 at the start",
        lambda head: head.start == PARQUET, mapped=True)  # fmt: skip
def parquet_of_ones_own(source):
    """Return the columns and rows of a Parquet file; columns are named and mapped as in CSV."""
    with _open_parquet(source) as file:
        columns = _recognised_columns(source, file.schema_arrow.names)
        if _are_points(columns, file.schema_arrow.names):
            whole = file.read().to_pandas(ignore_metadata=True)
            chosen = [source.chosen is None or row in source.chosen for row in range(1, len(whole) + 1)]
            check_no_totals(whole[chosen], source.path)
    clock = (row["time"] for row in _rows_of_parquet(source, [column for column in columns if column.name == "time"]))
    return _column_names_of_own_table(columns), _rows_with_seconds(
        source, columns, _rows_of_parquet(source, columns), (text for text in clock if text is not None)
    )


def table_headings(source, lines):
    """Return the headings of a table, each once; nothing where the first lines are no table."""
    try:
        sheet = reading.read_anybodys_csv(source.path, _first_lines_of_table(lines))
    except reading.HeadingTwice:
        raise
    except BadTable:
        return ()
    return _beginning_of_table(source)[1] if len(sheet.header) > 1 and sheet.lines else ()


def _first_lines_of_table(lines):
    """The text of the first lines of a file without the last, which may be half a line."""
    return "\n".join(lines[:-1] if len(lines) > 1 else lines)


def _recognised_columns(source, headers, rows=()):
    """The columns that are ours, one of them at least a measure or mapped; those left out are noted."""
    reading.check_headings_once(headers, source.path)
    if not source.mapping:
        foreign.refuse_other_throughputs(source, headers)
    columns, others = columns_of_headings(headers, source.mapping, source.path)
    columns = [column for column in columns if column.name != "line"]  # the line of this file, not of another
    tested = [name for name in others if possible_meaning(name) == "workload"][:1]  # kept, to tell tests apart
    if not any(column.name in ("workload", "request") for column in columns):
        columns += [Column(name, "workload", None) for name in tested]
        others = [name for name in others if name not in tested]
    clocks = _columns_of_clock(columns, headers, rows)
    columns, others = columns + clocks, [name for name in others if name not in {clock.source for clock in clocks}]
    if not has_measure([column.name for column in columns], source.mapping):
        raise foreign.unmapped_file_error(source, headers, BadTable)
    if others:
        told = f"columns left out, as they are not mapped: {', '.join(others)}"
        source.notes.add(UNMAPPED_COLUMNS, None, told, others)
    return columns


def _columns_of_clock(columns, headers, rows):
    """The column of clock times of samples as a list: a row has one, where the heading means it.

    A table with another load in each row has whole runs; when each was made is no time of a sample.
    """
    mapped = {column.source for column in columns}
    clocks = [k for k, name in enumerate(headers) if means_a_time_of_day(name) and name not in mapped]
    if len(clocks) != 1 or any(column.name in ("time", "time_s") for column in columns):
        return []
    load = next((headers.index(column.source) for column in columns if column.name in LOADS), None)
    held = load is None or any(row[load] == after[load] for row, after in itertools.pairwise(rows))
    cells = [row[clocks[0]] for row in rows]
    are_times = all(":" in cell or moment_of_clock(cell) for cell in cells if cell.strip())
    return [Column(headers[clocks[0]], "time", None)] if held and are_times and any(cells) else []


def _column_names_of_own_table(columns):
    """The columns of the rows: ours, the throughput and the seconds that follow from others, and the line."""
    names = [column.name for column in columns]
    rate = ["throughput_per_s"] if _has_throughput_of_counts(names) else []
    return [*names, *rate, *(["time_s"] if "time" in names and "time_s" not in names else []), "line"]


def _has_throughput_of_counts(names):
    """Whether columns tell of each run how many requests it had and how long it took, and no throughput."""
    return {"requests", "test_time_s"} <= {*names} and {*THROUGHPUTS}.isdisjoint(names)


def _are_points(columns, header):
    """Whether a table has a row for each load, and no times: its total would be one more load."""
    clocks = our_toml_file("totals.toml")["clocks"]
    return any(column.name in LOADS for column in columns) and not any(heading_words(h)[0] in clocks for h in header)


def _rows_without_totals(source, columns, header, rows):
    """The rows as they come; one that is named as a total where others are not is refused, but that of all requests."""
    first, parts = None, [header.index(column.source) for column in columns if column.name == "request"]
    for line, cells in rows:
        now = line, cells, [k not in parts and names_a_total(cell) for k, cell in enumerate(cells)]
        first = first or now
        for k, (before, after) in enumerate(zip(first[2], now[2], strict=False)):
            if before != after:
                total = first if before else now
                raise refused_total(f"{source.path}, line {total[0]}", header[k], total[1][k])
        yield line, cells


def _rows_with_lines(source, delimiter):
    """The line in which each row begins, and its cells; a cell in quotes may hold line ends."""
    lines = (f"{text}\n" for _, text in source.lines(keep_last=True))
    try:
        for line, cells in reading.rows_with_lines(lines, delimiter):
            told = line == 1 and reading.separator_told_to_excel(delimiter.join(cells))
            if not told and not reading.is_blank_row(cells):
                yield line, cells
    except reading.TornRow as torn:
        line, why = torn.args
        if not source.cut:
            raise source.wrong(line, "a quote that is closed", why, "Close it.") from None
        source.skip(line, "a whole row: a quote is not closed")


def _rows_of_csv(source, columns, header, delimiter):
    """The rows; one of another length breaks the table, unless the file was cut off there."""
    with contextlib.closing(_rows_with_lines(source, delimiter)) as rows:  # how numbers are written, by the first rows
        first = [cells for _, cells in islice(rows, 1, _FIRST) if len(cells) == len(header)]
    signs = reading.decimal_signs({name: [row[k] for row in first] for k, name in enumerate(header)}, delimiter)
    units = {column.source: tables.units().get(column.name) if column.factor == 1 else "the unit that is named"
             for column in columns}  # fmt: skip
    places = [(header.index(column.source), column) for column in columns]
    rows = islice(_rows_with_lines(source, delimiter), 1, None)
    if source.chosen is not None:
        rows = ((line, cells) for line, cells in rows if line in source.chosen)
    if _are_points(columns, header):
        rows = _rows_without_totals(source, columns, header, rows)
    for line, cells in rows:
        if len(cells) != len(header):
            if not source.cut:
                remedy = "Give every row as many cells as the header; quote a cell that holds the separator."
                raise source.wrong(line, f"{len(header)} cells", str(len(cells)), remedy)
            source.skip(line, f"a whole row: {len(cells)} of {len(header)} cells")
            return  # nothing comes after a line without an end
        row, where = {}, f"{source.path}, line {line}"
        for k, column in places:
            text, name = cells[k], column.source
            if column.factor is None:
                row[column.name] = text.strip() or None
                continue
            number = reading.number_in_cell(text, signs[name])
            if number is None:
                if not reading.is_absent_cell(text):
                    raise reading.refused_numeral(where, name, text, signs[name])
                row[column.name] = _NAN
                continue
            reading.check_unit_sign(where, name, text, units[name])
            signs[name] = signs[name] or reading.decimal_sign([text])
            row[column.name] = column.in_our_unit(number)
        row["line"] = line
        yield row


def _clock_of_csv(source, columns, header, delimiter):
    """The texts of the column of clock times, a row at a time."""
    place = next((header.index(column.source) for column in columns if column.name == "time"), None)
    with contextlib.closing(_rows_with_lines(source, delimiter)) as rows:
        yield from (cells[place] for _, cells in rows if len(cells) == len(header))


@contextlib.contextmanager
def _open_parquet(source):
    """The open file; one that is torn is refused."""
    import pyarrow
    import pyarrow.parquet

    with source.open(how=None) as bytes_:
        try:
            with pyarrow.parquet.ParquetFile(bytes_) as file:
                yield file
        except (pyarrow.ArrowException, OSError, ValueError, OverflowError) as error:  # dates beyond the calendar's
            raise source.wrong(
                None, "a whole Parquet file", str(error).strip().rstrip("."), "Write it again."
            ) from error


def _rows_of_parquet(source, columns):
    """The rows of a Parquet file, batch by batch."""
    line = 0
    with _open_parquet(source) as file:
        for batch in file.iter_batches(columns=[column.source for column in columns]):
            for values in batch.to_pylist():
                line += 1
                if source.chosen is not None and line not in source.chosen:
                    continue
                row = {"line": line}
                for column in columns:
                    value = values[column.source]
                    if column.factor is None:
                        text = value.isoformat() if hasattr(value, "isoformat") else str(value)
                        row[column.name] = None if value is None else text
                        continue
                    try:
                        row[column.name] = _NAN if value is None else column.in_our_unit(float(value))
                    except (TypeError, ValueError, OverflowError) as error:
                        where, expected = f"{source.path}, row {line}", f"a number in column {column.source!r}"
                        remedy = "Write the column as numbers."
                        raise BadTable(where, expected=expected, found=as_python(value), remedy=remedy) from error
                yield row


def _rows_with_seconds(source, columns, rows, clock_texts):
    """The rows with the seconds since the first one, where there is a time; what is odd about it is noted.

    `clock_texts` are those of all rows, which tell in which order their dates are written.
    """
    names = {column.name for column in columns}
    timed = [column for column in columns if column.name.startswith("response_") and column.source in source.mapping]
    factors = {column.name: column.factor for column in timed}
    unsigned = {column.name: column.source for column in columns if is_unsigned_measure(column.name)}
    counted = _has_throughput_of_counts(names)
    if counted:
        source.notes.add("throughput", None, "the throughput is requests - failures, divided by test_time_s")
    clock, last, days, day_first = ReaderClock(source.notes), float("-inf"), 0, None
    for row in rows:
        for name, header in unsigned.items():
            if row[name] < 0 or row[name] > MOST or 0 < row[name] < LEAST:
                remedy = "Mend the cell; leave it empty where nothing was measured."
                kind = "number from 0" if row[name] < 0 else f"measured number, from {LEAST:g} to {MOST:g},"
                raise source.wrong(row["line"], f"a {kind} in column {header!r}", f"{row[name]:g}", remedy)
            if row[name] > _LONGEST and name in factors and row[name] / factors[name] >= EPOCH:
                how = spelling(f"mapping={{{header!r}: 'time'}}", f"--map '{header}=time'")
                remedy = f"Name the unit of its numbers; if they are times of a clock: {how}."
                expected = f"a response time in column {header!r}"
                raise source.wrong(
                    row["line"], expected, f"{row[name]:,.0f} s, which are {row[name] / 86400:,.0f} days", remedy
                )
        share = row.get("failed_share", _NAN)
        if share < 0 or share > 1:
            column = next(column for column in columns if column.name == "failed_share")
            expected, found = f"a share from 0 to 100 % in column {column.source!r}", f"{100 * share:g} %"
            target = spelling(f"mapping={{{column.source!r}: 'failed_share[percent]'}}",
                              f"--map '{column.source}=failed_share[percent]'")  # fmt: skip
            remedy = f"If its numbers are percent: {target}; if it counts requests, call it failures."
            if column.offset:
                found = f"{100 * (share - column.offset) / column.factor:g} %"
                remedy = f"If its numbers are percent, call it '{column.source} %'."
            raise source.wrong(row["line"], expected, found, remedy)
        if counted:
            done = row["requests"] * (1 - row["failed_share"]) if "failed_share" in row else row["requests"]
            done -= 0.0 if "failed_share" in row else row.get("failures", 0.0)
            row["throughput_per_s"] = max(done, 0.0) / row["test_time_s"] if row["test_time_s"] > 0 else _NAN
        if "time_s" in names:
            now = row["time_s"]
            if now < last:
                text = f"time_s goes back by {last - now:g} s: another run begins here, or rows are out of order"
                source.notes.add("run", row["line"], text)
                clock.restart()
            if now == now:
                last = now
                clock.since(now, row["line"])
        elif "time" in names and row["time"] is not None:
            if (of_day := seconds_of_day(row["time"])) is not None:
                source.notes.add("no date", None, "times without a date: back by half a day or more is past midnight")
                days += of_day < last - _HALF_A_DAY
                last, row["time"] = of_day, None
                row["time_s"] = clock.since(days * 2 * _HALF_A_DAY + of_day, row["line"])
            else:
                moment = moment_of_clock(row["time"])
                if moment is None:
                    header = next(column.source for column in columns if column.name == "time")
                    how = spelling(f"mapping={{{header!r}: 'comment'}}", f"--map '{header}=comment'")
                    no_time = f", or have the column read as a comment: {how}"
                    if day_first is None:
                        place = f"{source.path}, column {header!r}"
                        day_first, note = dates_begin_with_day(clock_texts, place, no_time)
                        if note:
                            source.notes.add("dates", None, note)
                    moment = moment_of_date(row["time"], day_first)
                    row["time"] = moment.isoformat() if moment else row["time"]
                if moment is None:
                    remedy = f"Write times as 2026-11-21T20:26:50{no_time}."
                    if plain_number(row["time"]) is not None:
                        how = spelling(f"mapping={{{header!r}: 'time_s[s]'}}", f"--map '{header}=time_s[s]'")
                        remedy = f"If its numbers are seconds since the beginning: {how}; [ms] if milliseconds."
                    raise source.wrong(row["line"], "an ISO 8601 time", repr(row["time"]), remedy)
                if plain_number(row["time"]) is not None:
                    row["time"] = f"{moment.isoformat()}Z"
                row["time_s"] = clock.since(epoch_seconds(moment), row["line"])
        yield row
    clock.finish()
