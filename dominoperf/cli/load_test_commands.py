"""Commands for files of load tests: rows, curves, steady windows, two builds."""

from dominoperf.cli.parsing import by_name, number_or_text
from dominoperf.cli.printing import DIFFERS, print_result, print_table, tell
from dominoperf.errors import BadUsage, UnknownName, counted


def ingest(arguments):
    """Read benchmark files of your own into our columns; print the rows, or write them with --out."""
    from dominoperf.loadtests import readers

    if arguments.formats:
        return print_table(readers.formats(), arguments)
    if not arguments.file:
        remedy = "Name one, or list with --formats what can be read."
        raise UnknownName("ingest", expected="a file, a folder or a pattern", found="none", remedy=remedy)
    mapping = by_name("--map", arguments.map)
    if arguments.out and arguments.format != "text":
        remedy = "Leave it out: the ending of --out, .csv or .parquet, says what is written."
        raise BadUsage("--format", expected="no --out beside it", found=f"--out {arguments.out}", remedy=remedy)
    if arguments.out:
        parts = readers.read_parts(arguments.file, reader=arguments.reader, mapping=mapping)
        count = readers.write(_with_notes(parts), arguments.out)
        tell(f"{arguments.out}: {counted(count, 'row')}")
        return None
    (frame,) = _with_notes([readers.read(arguments.file, reader=arguments.reader, mapping=mapping)])
    return print_table(frame, arguments)


def curve(arguments):
    """Make one scaling curve of many files of load tests: a row per load, with standard errors."""
    from dominoperf import loadtests
    from dominoperf.loadtests import load_curve

    names = ("settle", "until", "x", "x_from", "manifest", "level")
    runs = loadtests.measured_runs(arguments.files, **{name: getattr(arguments, name) for name in names})
    frame = load_curve.combined(runs)
    for note in frame.attrs["notes"]:
        tell(f"note: {note}")
    return print_table(runs if arguments.show == "runs" else frame, arguments)


def ab(arguments):
    """Compare the load tests of two builds: is the second faster or slower, over all loads at once; or a history."""
    from dominoperf import loadtests

    how = {name: getattr(arguments, name) for name in ("level", "settle", "until", "x", "x_from", "manifest")}
    limit = arguments.fail_below
    if arguments.history:
        changes = loadtests.change_points(arguments.history, **how)
        print_table(changes, arguments)
        last = changes[changes["p"].notna()]["change_ratio"].iloc[-1:]
        return DIFFERS if limit is not None and (last < 1 - limit).any() else 0
    if len(arguments.sets) != 2:
        remedy = "Name the folder before and the folder after, or --history FOLDER."
        raise UnknownName("ab", expected="two sets of runs", found=str(len(arguments.sets)), remedy=remedy)
    result = loadtests.ab(*arguments.sets, fail_below=limit, **how)
    frames = {"tidy": result.tidy, "glance": result.glance, "parameters": result.parameters}
    print_result(result, frames, (), arguments)
    return DIFFERS if result.failed else 0


def steady(arguments):
    """Find ramp-up, steady window and drift in each run of a file, a sample a row; print the means over the windows."""
    from dominoperf import loadtests
    from dominoperf.tables.columns import check_columns

    (frame,) = _with_notes([loadtests.read_run(arguments.file)])
    weights = [arguments.weights] if arguments.weights else []
    for option, columns in (("--weights", weights), ("--count", arguments.counts), ("--by", arguments.by or ())):
        check_columns(frame, columns, option)  # also where no window is steady, and no means are taken
    names = ("on", "time", "method", "settle_s", "measure_s", "between", "tolerance", "level")
    settings = {name: getattr(arguments, name) for name in names}
    users = arguments.users and number_or_text(arguments.users)  # how many are all, or the column of users at work
    windows = loadtests.steady_runs(frame, users=users, **settings)
    frames = {"tidy": windows.tidy, "glance": windows.glance}
    if windows.found or arguments.show == "means" or arguments.format == "json":
        how = {"counts": arguments.counts, "weights": arguments.weights, "within": arguments.by or ()}
        frames["means"] = lambda: windows.means(**how)
    print_result(windows, frames, ("means",), arguments)


def _with_notes(frames):
    """The frames as they come, what was odd in them on stderr."""
    for frame in frames:
        for note in frame.attrs.get("notes", ()):
            tell(f"note: {note}")
        yield frame
