"""Commands for files of load tests: rows, curves, steady windows, two builds."""

from dominoperf.cli.options import (
    METHODS,
    failed_share_option,
    level_option,
    map_option,
    reader_option,
    share_of_option,
    show_option,
    where_option,
)
from dominoperf.cli.printing import DIFFERS, print_message, print_notes, print_result, print_table
from dominoperf.errors import BadUsage, UnknownName, counted


def ingest_options(command):
    """Files, their format and the names of columns."""
    what = "files (packed ones too), folders, patterns, - for standard input, URLs that fsspec reads"
    command.add_argument("file", nargs="*", metavar="FILE", help=what)
    command.add_argument("--formats", action="store_true", help="list what can be read, and which columns it gives")
    reader_option(command)
    map_option(command)
    command.add_argument("--out", metavar="FILE", help="write a .csv or .parquet, part by part, and print nothing")


def ingest(arguments):
    """Read benchmark files of your own into our columns; print the rows, or write them with --out."""
    from dominoperf.loadtests import readers

    if arguments.formats:
        return print_table(readers.formats(), arguments)
    if not arguments.file:
        remedy = "Name one, or list with --formats what can be read."
        raise UnknownName("ingest", expected="a file, a folder or a pattern", found="none", remedy=remedy)
    if arguments.out and arguments.format != "text":
        remedy = "Leave it out: the ending of --out, .csv or .parquet, says what is written."
        raise BadUsage("--format", expected="no --out beside it", found=f"--out {arguments.out}", remedy=remedy)
    if arguments.out:
        parts = readers.read_parts(arguments.file, reader=arguments.reader, mapping=arguments.map)
        count = readers.write(_frames_with_printed_notes(parts), arguments.out)
        print_message(f"{arguments.out}: {counted(count, 'row')}")
        return None
    (frame,) = _frames_with_printed_notes(
        [readers.read(arguments.file, reader=arguments.reader, mapping=arguments.map)]
    )
    return print_table(frame, arguments)


def curve_options(command):
    """Files of load tests, and what to show."""
    what = "files of any format of `ingest`, folders of them, or patterns in quotes"
    command.add_argument("files", nargs="+", metavar="FILES", help=what)
    _runs_options(command)
    failed_share_option(command)
    level_option(command, "intervals by which steady windows are sought")
    which = "the curve, a row per load (default), or what it is made of, a row per run"
    command.add_argument("--show", choices=("curve", "runs"), default="curve", help=which)


def curve(arguments):
    """Make one scaling curve of many files of load tests: a row per load, with standard errors."""
    from dominoperf import loadtests

    settings = _run_settings(arguments)
    runs = loadtests.measured_runs(arguments.files, **settings)
    frame = loadtests.curve_of_runs(runs)
    print_notes(frame.attrs["notes"])
    return print_table(runs if arguments.show == "runs" else frame, arguments)


def ab_options(command):
    """Two sets of runs, or a history, and the limit."""
    what = "files, folders or patterns of the runs before, and of those after"
    command.add_argument("sets", nargs="*", metavar="BEFORE AFTER", help=what)
    limit = (
        "exit with 1 if the throughput, the highest throughput, or the mean or 95th percentile of the response time is "
        "surely slower, and by more than this: 20%% or 0.2 is a throughput 20 %% lower, or a response 25 %% longer; "
        "also at one load, or if the throughput falls during the runs, or more requests fail; of a --history the "
        "throughput and the failures"
    )
    command.add_argument("--fail-below", type=share_of_option("--fail-below"), metavar="SHARE", help=limit)
    builds = "in their place: a folder with one of runs per build, numbered or in order of clocks; or a table and --by"
    command.add_argument("--history", metavar="FOLDER", help=builds)
    column = "of one table: the column that names the build of each run; the one that it names first is that before"
    command.add_argument("--by", metavar="COLUMN", help=column)
    _runs_options(command)
    failed_share_option(command, "a load fails if more than this share of its requests failed")
    level_option(command, "intervals")
    show_option(command, ("tidy", "glance", "parameters"))


def ab(arguments):
    """Compare the load tests of two builds: is the second faster or slower, over all loads at once; or a history."""
    from dominoperf import loadtests

    how = _run_settings(arguments)
    limit = arguments.fail_below
    if len(arguments.sets) != (0 if arguments.history else 1 if arguments.by else 2):
        expected, found = "two sets of runs, one and --by, or none and --history", str(len(arguments.sets))
        remedy = "Name the folder before and the folder after, one table and --by COLUMN, or --history FOLDER alone;"
        remedy += " a table of many builds is --history TABLE --by COLUMN."
        raise UnknownName("ab", expected=expected, found=found, remedy=remedy)
    if arguments.history:
        result = loadtests.change_points(arguments.history, by=arguments.by, fail_below=limit, **how)
        print_result(result, arguments)
        return DIFFERS if result.failed else 0
    result = loadtests.ab(*arguments.sets, by=arguments.by, fail_below=limit, **how)
    print_notes(dict.fromkeys([*result.before.attrs["notes"], *result.after.attrs["notes"]]))
    frames = {"tidy": result.tidy, "glance": result.glance, "parameters": result.parameters}
    print_result(result, arguments, frames)
    return DIFFERS if result.failed else 0


def steady_options(command):
    """Samples, how the window is sought, and means."""
    what = "a run or several, one row per sample: a table, or files, folders and patterns as `ingest` takes them"
    command.add_argument("file", nargs="+", metavar="FILE", help=what)
    command.add_argument("--on", metavar="COLUMN", help="what has to be steady (default: a throughput)")
    command.add_argument(
        "--time", metavar="COLUMN", help="seconds or clock times (default: time_s, else time, timestamp...)"
    )
    how = "mser: a level part in the numbers (default); fixed: so long to settle, so long to measure"
    command.add_argument("--method", choices=METHODS, default="mser", help=how)
    who = "the column of users at work (default: users), for --method fixed"
    command.add_argument("--users", metavar="COLUMN", help=who)
    left_out = "for --method fixed: left out from the start on (default: 30 minutes, by data/steady.toml)"
    command.add_argument("--settle", dest="settle_s", type=float, metavar="SECONDS", help=left_out)
    lasts = (
        "for --method fixed: how long it lasts, inf for all the load (default: 60 minutes, by data/steady.toml); the "
        "sample at which it ends is not in it"
    )
    command.add_argument("--measure", dest="measure_s", type=float, metavar="SECONDS", help=lasts)
    reader_option(command)
    map_option(command)
    only = "look only at the samples from the one second on and before the other"
    command.add_argument("--between", type=float, nargs=2, metavar=("FROM", "TO"), help=only)
    change = "change over the window, as a share of the mean, that counts as level (default: 0.05)"
    command.add_argument("--tolerance", type=float, default=0.05, metavar="SHARE", help=change)
    command.add_argument(
        "--by", action="append", metavar="COLUMN", help="the column that tells runs apart (default: found)"
    )
    counts = "a column of counts since the row before: its mean is a rate"
    command.add_argument("--count", dest="counts", action="append", default=[], metavar="COLUMN", help=counts)
    command.add_argument("--weights", metavar="COLUMN", help="transactions, by which responses are weighted")
    level_option(command, "intervals")
    show_option(command, ("tidy", "glance", "means"))


def steady(arguments):
    """Find ramp-up, steady window and drift in each run of a file of samples; print the means over the windows."""
    from dominoperf import loadtests
    from dominoperf.tables.columns import check_columns

    weights = [arguments.weights] if arguments.weights else []
    named = [arguments.on, arguments.time, arguments.users, weights, arguments.counts, arguments.by]
    (frame,) = _frames_with_printed_notes([loadtests.read_run(arguments.file, arguments.map, named, arguments.reader)])
    for option, columns in (("--weights", weights), ("--count", arguments.counts)):
        check_columns(frame, columns, option)  # also where no window is steady, and no means are taken
    names = ("by", "on", "time", "method", "users", "settle_s", "measure_s", "between", "tolerance", "level")
    settings = {name: getattr(arguments, name) for name in names}
    windows = loadtests.steady_runs(frame, **settings)
    frames = {"tidy": windows.tidy, "glance": windows.glance}
    if windows.found or arguments.show == "means" or arguments.format == "json":
        how = {"counts": arguments.counts, "weights": arguments.weights}
        frames["means"] = lambda: windows.means(**how)
    print_result(windows, arguments, frames, ("means",))


def _frames_with_printed_notes(frames):
    """The frames as they come, what was odd in them on stderr."""
    for frame in frames:
        print_notes(frame.attrs.get("notes", ()))
        yield frame


def _run_settings(arguments):
    """How the files of `curve` and `ab` become runs."""
    names = ("settle", "until", "x", "x_from", "manifest", "generators", "level", "reader", "failed_share", "where")
    return {name: getattr(arguments, name) for name in names} | {"mapping": arguments.map}


def _runs_options(command):
    """How `curve` and `ab` read files of load tests."""
    ours = "column of the files, or heading of a table of your own, that is the load (default: users or clients)"
    command.add_argument("--x", metavar="COLUMN", help=ours)
    named = r"a pattern for the load in the names of the files: 'c(\d+)'"
    command.add_argument("--x-from", metavar="PATTERN", help=named)
    table = "a table with the columns file and load"
    command.add_argument("--manifest", metavar="TABLE", help=table)
    reader_option(command)
    map_option(command)
    where_option(command)
    which = (
        "files that ran at the same time, by their clocks: together is one test, with users and requests added up; "
        "apart is each a test of a system of its own"
    )
    command.add_argument("--generators", choices=("together", "apart"), help=which)
    begins = "measure each run from this second of it on (default: its steady window is sought)"
    command.add_argument("--settle", type=float, metavar="SECONDS", help=begins)
    ends = "measure each run until this second of it: what begins then is not in it"
    command.add_argument("--until", type=float, metavar="SECONDS", help=ends)
