"""The parser of the command line: every command with its options."""

from dominoperf import __version__
from dominoperf.cli import (
    audit_commands,
    fit_commands,
    load_test_commands,
    parsing,
    plan_commands,
    report_commands,
    table_commands,
)
from dominoperf.study.commands import EXAMPLES

_ABOUT = "Capacity from load tests: how many users a server carries, how sure that is, and what to buy."
_EXIT = (
    "Exit status: 0 success; 1 a check found a difference (ab, audit, check, diff, verify), or a set of a sweep "
    "failed; 2 bad usage, told in one message; 130 interrupted."
)
# Words of the library that are named again here, for to import it would make --help slow; a test compares them.
FORMATS = ("text", "csv", "json", "md")
INTERVALS = ("auto", "profile", "wald", "bootstrap-t", "none")
METHODS = ("mser", "fixed")
VERDICTS = ("confirmed", "approximate", "conditional", "repeated", "contradicted", "unverifiable")
ADVICE_VERDICTS = ("supported", "contradicted", "not tested")
VIEWS_OF_DATA = ("printed", "corrected", "suspected")
TABLES_AS = (*VIEWS_OF_DATA, "regenerated")


def parser():
    """Return the parser of the command line."""
    words = parsing.Parser(prog="dominoperf", description=_ABOUT, epilog=_EXIT)
    words.set_defaults(command=None, parser=words)
    words.add_argument("--version", action="version", version=f"dominoperf {__version__}")
    _data_option(words, "data_first")
    listed = words.add_subparsers(title="commands", metavar="COMMAND")

    _report_options(_command(listed, report_commands.report))
    _sweep_options(_command(listed, report_commands.sweep))
    where = "the folder of standard reports (default: reports)"
    _command(listed, report_commands.verify, formats=True).add_argument(
        "--out", default="reports", metavar="DIR", help=where
    )

    archived = _command(listed, report_commands.archive)
    archived.add_argument("out", metavar="OUT", help="the folder to make")
    archived.add_argument("--reports", default="reports", metavar="DIR", help=where)

    _tables_options(_command(listed, table_commands.tables, formats=True))
    _command(listed, table_commands.describe).add_argument(
        "id", metavar="ID", help="source/name of a table or view, or the name of a workload"
    )
    named = _command(listed, table_commands.series, formats=True)
    named.add_argument("name", nargs="?", metavar="NAME", help="name of a series")
    _ingest_options(_command(listed, load_test_commands.ingest, formats=True))
    _curve_options(_command(listed, load_test_commands.curve, formats=True))
    _ab_options(_command(listed, load_test_commands.ab, formats=True))
    which = "a family of laws, or a law (default: all)"
    _command(listed, fit_commands.laws, formats=True).add_argument("family", nargs="?", metavar="FAMILY", help=which)
    _fit_options(_command(listed, fit_commands.fit, formats=True))
    _compare_options(_command(listed, fit_commands.compare, formats=True))
    _forecast_options(_command(listed, fit_commands.forecast, formats=True))
    _steady_options(_command(listed, load_test_commands.steady, formats=True))
    _capacity_options(_command(listed, plan_commands.capacity, formats=True, data=False))
    _plan_options(_command(listed, plan_commands.plan, formats=True))
    _audit_options(_command(listed, audit_commands.audit, formats=True))
    _advice_options(_command(listed, audit_commands.advice, formats=True))
    _command(listed, audit_commands.diff, formats=True).add_argument(
        "id", nargs="?", metavar="ID", help="a table with regenerated cells, or a figure (default: counts of all)"
    )
    _command(listed, table_commands.check, formats=True).add_argument(
        "folder", nargs="?", metavar="FOLDER", help="a folder with a datapackage.json (default: all data in use)"
    )
    _new_options(_command(listed, table_commands.new, formats=True))
    _lab_options(_command(listed, report_commands.lab))
    _app_options(_command(listed, report_commands.app))
    return words


def _report_options(command):
    """What to run, with which parameters, and where it goes."""
    command.add_argument("names", nargs="*", metavar="NAME", help="only these reports")
    value = "a value in place of a notebook's default, read as the type declared there; every report named must have it"
    pair = {"nargs": 2, "metavar": ("NAME", "VALUE"), "action": "append", "default": []}
    command.add_argument("-p", dest="parameters", help=value, **pair)
    command.add_argument("--jobs", type=int, metavar="N", help="notebooks at once (default: one a processor)")
    command.add_argument("--fresh", action="store_true", help="run unchanged ones too")
    command.add_argument("--explain", action="store_true", help="say what would run and why; run and write nothing")
    where = "where tables and site go (default: reports; below runs with -p or data of your own)"
    command.add_argument("--out", metavar="DIR", help=where)
    _limit_options(command)


def _sweep_options(command):
    """Notebook, grid, and where the tables go."""
    command.add_argument("notebook", metavar="NOTEBOOK", help="the stem of a notebook of ours, or a path")
    grid = "TOML: a list a parameter, all their combinations; a table (CSV, TSV or Parquet, path or URL): a row a set"
    command.add_argument("grid", metavar="GRID", help=grid)
    where = "where the tables go, and what is finished (default: a folder of this grid below runs)"
    command.add_argument("--out", metavar="DIR", help=where)
    _parallel_options(command, "notebooks")
    _limit_options(command)


def _tables_options(command):
    """Which table, and in which view."""
    command.add_argument("id", nargs="?", metavar="ID", help="a document, or source/name of a table or view")
    shown = (
        "the page to the digit, numbers with certain errata mended (default), with suspected ones too, or recomputed"
    )
    command.add_argument("--as", dest="as_", choices=TABLES_AS, help=shown)
    command.add_argument("--locators", action="store_true", help="add the place of each row in its document")


def _fit_options(command):
    """Law and points."""
    command.add_argument("law", metavar="LAW", help="name of a law: linear, amdahl, usl... (`laws` lists them)")
    command.add_argument("--inverse", type=float, nargs="+", metavar="Y", help="also say which x gives these y")
    _points_options(command, ("tidy", "glance", "augment", "derive", "predict"))


def _compare_options(command):
    """Family, simulations, and points."""
    several = "a family of laws (processors, overhead...), or laws with commas"
    command.add_argument("family", metavar="FAMILY", help=several)
    rates = "also simulate how often points like these would name each law if it held, and how often another"
    command.add_argument("--rates", action="store_true", help=rates)
    then = "also simulate which load to test next, and how often one more point there would name the law that holds"
    command.add_argument("--next-load", action="store_true", help=then)
    _points_options(command, ("tidy", "glance", "predict", "rates", "next_load"))


def _points_options(command, shown):
    """What `fit` and `compare` are told of the points and of their noise, and which tables each can show."""
    _source_options(command, "the law's")
    command.add_argument("--at", type=float, nargs="+", metavar="X", help="forecast at these x values")
    held = {"nargs": 2, "metavar": ("NAME", "VALUE"), "action": "append", "default": []}
    command.add_argument("--fixed", help="a known constant, held and not fitted", **held)
    grows = "how the noise grows: relative, constant, or auto: what the residuals choose (default: as the law says)"
    command.add_argument("--error", help=grows)
    command.add_argument("--sigma", type=float, help="known standard deviation of the noise")
    command.add_argument("--y-err", metavar="COLUMN", help="column of standard errors of y, one per point")
    below = "column of the last load that passed: the capacity lies between it and --y-high"
    command.add_argument("--y-low", metavar="COLUMN", help=below)
    above = "column of the next load, that did not pass; empty or inf where none was tried"
    command.add_argument("--y-high", metavar="COLUMN", help=above)
    command.add_argument("--by-x", action="store_true", help="take the mean of each x with its standard error")
    command.add_argument("--resolution", type=float, help="step of the printed y values")
    made = "how intervals are made (default: auto)"
    command.add_argument("--interval", choices=INTERVALS, default="auto", help=made)
    _level_option(command, "intervals")
    command.add_argument("--unbounded", action="store_true", help="let contention and coherency be negative")
    _show_option(command, shown)


def _source_options(command, usual):
    """Which points; `usual` says whose columns are taken where none is named."""
    where = "a series, the id of a table, or a table of your own: a path or URL of CSV, TSV or Parquet"
    command.add_argument("points", metavar="SERIES_OR_TABLE_OR_FILE", help=where)
    command.add_argument("--x", metavar="COLUMN", help=f"column of the x values (default: the series' or {usual})")
    command.add_argument("--y", metavar="COLUMN", help=f"column of the y values (default: the series' or {usual})")
    command.add_argument("--where", action="append", metavar="COLUMN=VALUE", help="only rows with that value")


def _forecast_options(command):
    """Points, and where to forecast."""
    _source_options(command, "processors and users")
    there = {"type": float, "nargs": "+", "metavar": "X", "required": True}
    command.add_argument("--at", help="forecast at these x values", **there)
    command.add_argument("--y-err", metavar="COLUMN", help="column of standard errors of y, one per point")
    _level_option(command, "band")
    _show_option(command, ("tidy", "weights", "glance"))


def _steady_options(command):
    """Samples, how the window is sought, and means."""
    what = "a run or several, a row a sample: a table, or files, folders and patterns as `ingest` takes them"
    command.add_argument("file", nargs="+", metavar="FILE", help=what)
    command.add_argument("--on", metavar="COLUMN", help="what has to be steady (default: a throughput)")
    command.add_argument("--time", default="time_s", metavar="COLUMN", help="seconds or clock times (default: time_s)")
    how = "mser: a level part in the numbers (default); fixed: so long to settle, so long to measure"
    command.add_argument("--method", choices=METHODS, default="mser", help=how)
    who = "how many users are all, or the column of users at work (default: users), for --method fixed"
    command.add_argument("--users", metavar="N_OR_COLUMN", help=who)
    left_out = "for --method fixed: left out from the start on (default: 30 minutes, by data/steady.toml)"
    command.add_argument("--settle", dest="settle_s", type=float, metavar="SECONDS", help=left_out)
    lasts = "for --method fixed: how long it lasts, inf for all the load (default: 60 minutes, by data/steady.toml)"
    command.add_argument("--measure", dest="measure_s", type=float, metavar="SECONDS", help=lasts)
    only = "look only at this stretch"
    command.add_argument("--between", type=float, nargs=2, metavar=("FROM", "TO"), help=only)
    change = "change over the window, as a share of the mean, that counts as level (default: 0.05)"
    command.add_argument("--tolerance", type=float, default=0.05, metavar="SHARE", help=change)
    command.add_argument("--by", action="append", metavar="COLUMN", help="means for each value of this column")
    counts = "a column of counts since the row before: its mean is a rate"
    command.add_argument("--count", dest="counts", action="append", default=[], metavar="COLUMN", help=counts)
    command.add_argument("--weights", metavar="COLUMN", help="transactions, by which responses are weighted")
    _level_option(command, "intervals")
    _show_option(command, ("tidy", "glance", "means"))


def _ingest_options(command):
    """Files, their format and the names of columns."""
    what = (
        "files (packed ones too), folders, patterns, zip and tar archives, - for standard input, URLs that fsspec reads"
    )
    command.add_argument("file", nargs="*", metavar="FILE", help=what)
    command.add_argument("--formats", action="store_true", help="list what can be read, and which columns it gives")
    named = "the format, where the file does not tell it: nmon, sadf, csv... (a wrong name lists them)"
    command.add_argument("--reader", metavar="NAME", help=named)
    ours = "a column of a CSV, Parquet or Performance Monitor file, and our name for it; response_s[ms] names the unit"
    _pairs(command, "--map", metavar="COLUMN=NAME", help=ours)
    command.add_argument("--out", metavar="FILE", help="write a .csv or .parquet, part by part, and print nothing")


def _curve_options(command):
    """Files of load tests, and what to show."""
    what = "files of any format of `ingest`, folders of them, or patterns in quotes"
    command.add_argument("files", nargs="+", metavar="FILES", help=what)
    _runs_options(command)
    _level_option(command, "intervals by which steady windows are sought")
    which = "the curve, a row per load (default), or what it is made of, a row per run"
    command.add_argument("--show", choices=("curve", "runs"), default="curve", help=which)


def _ab_options(command):
    """Two sets of runs, or a history, and the limit."""
    what = "files, folders or patterns of the runs before, and of those after"
    command.add_argument("sets", nargs="*", metavar="BEFORE AFTER", help=what)
    limit = "exit with 1 if it is slower by more than this: 5%% or 0.05"
    command.add_argument("--fail-below", type=parsing.share("--fail-below"), metavar="SHARE", help=limit)
    builds = "in their place: a folder with a folder of runs per build, in order of names; where the throughput changed"
    command.add_argument("--history", metavar="FOLDER", help=builds)
    _runs_options(command)
    _level_option(command, "intervals")
    _show_option(command, ("tidy", "glance", "parameters"))


def _runs_options(command):
    """How `curve` and `ab` read files of load tests."""
    ours = "column of the files that is the load (default: users, which are clients, connections or threads)"
    command.add_argument("--x", metavar="COLUMN", help=ours)
    named = r"a pattern for the load in the names of the files: 'c(\d+)'"
    command.add_argument("--x-from", metavar="PATTERN", help=named)
    table = "a table with the columns file and load"
    command.add_argument("--manifest", metavar="TABLE", help=table)
    begins = "measure each run from this second on (default: its steady window is sought)"
    command.add_argument("--settle", type=float, metavar="SECONDS", help=begins)
    command.add_argument("--until", type=float, metavar="SECONDS", help="measure each run until this second")


def _capacity_options(command):
    """Machine, workload, limits, and an upgrade."""
    which = "a system of the data, a TOML file, or a table with a row per machine; options stand in for what it has"
    command.add_argument("machine", nargs="?", metavar="MACHINE", help=which)
    what = "what the users do: Mail, MailDB, DiscDB, Groupware_A, ... (a wrong name lists them)"
    command.add_argument("--workload", required=True, metavar="NAME", help=what)
    _machine_options(command)
    most = "share of the CPU that recommended users may take (default: 0.7)"
    command.add_argument("--utilization", type=float, default=0.7, metavar="SHARE", help=most)
    limit = "average response that must not be exceeded"
    command.add_argument("--response", type=float, metavar="SECONDS", help=limit)
    _level_option(command, "intervals")
    other = 'what an upgrade buys: the options that change, in quotes: "--processors 3"'
    command.add_argument("--compare", metavar="OPTIONS", help=other)
    goal = "users to be carried: the least upgrade of each part that reaches them"
    command.add_argument("--target", type=float, metavar="USERS", help=goal)
    _show_option(command, ("tidy", "glance", "ratio", "upgrades"))
    runs = "runs of your own that join the documents': a data folder, or a CSV file with users or throughput"
    command.add_argument("--data", dest="own", metavar="FOLDER_OR_FILE", help=runs)
    command.set_defaults(data=[], machine_parser=_machine_parser)


def _machine_options(command):
    """The parts of a machine."""
    for option, name, unit, words in (
        ("--processors", "processors", "N", "how many processors"),
        ("--clock", "clock_mhz", "MHZ", "clock"),
        ("--l2", "l2_kb", "KB", "second-level cache of each processor"),
        ("--ram", "ram_mb", "MB", "memory"),
        ("--drives", "drives", "N", "drives that hold the data"),
        ("--drive-gb", "drive_gb", "GB", "size of a drive"),
    ):
        command.add_argument(option, dest=name, type=float, metavar=unit, help=words)
    for option, name, words in (
        ("--family", "processor_family", "processor family: 'Pentium Pro'"),
        ("--system", "system", "model of the system, where it was measured"),
        ("--os", "operating_system", "operating system"),
        ("--release", "domino_release", "release of Domino"),
    ):
        command.add_argument(option, dest=name, metavar="NAME", help=words)


def _machine_parser():
    """Read the parts of the other machine that --compare names."""
    words = parsing.Parser(prog="--compare", example='--compare "--processors 3"', add_help=False)
    words.set_defaults(parser=words)
    _machine_options(words)
    return words


def _plan_options(command):
    """The request, its rules and catalogue, or nodes for a rate."""
    command.add_argument("request", nargs="?", metavar="REQUEST.toml", help="what is asked; see --template")
    default = "a set of rules; without one the corrected rules, and what the published ones have otherwise"
    command.add_argument("--rules", metavar="NAME", help=default)
    command.add_argument("--template", action="store_true", help="print a request to begin with, and stop")
    command.add_argument("--example", metavar="NAME", help="an example in place of a request: case_study")
    command.add_argument(
        "--grid", metavar="TABLE", help="a plan a row, whose columns stand in for fields of the request"
    )
    _parallel_options(command, "with --grid: processes")
    command.add_argument("--catalogue", metavar="TABLE", help="systems of your own (default: the audited ones, priced)")
    given = "servers that are there: the people they are recommended for, of each profile, or of the request's groups; "
    given += "'2 ProLiant 3000 1xP2/300', again for another system; or a table of machines"
    command.add_argument("--servers", action="append", metavar="SERVERS", help=given)
    _show_option(command, ("tidy", "glance"), "both")
    _nodes_options(command)


def _nodes_options(command):
    """How `plan` counts nodes for a rate of requests."""
    file = "plan nodes for a rate: the measured curve of one, as `curve` writes it"
    command.add_argument("--curve", metavar="FILE", help=file)
    seconds = {"type": float, "metavar": "SECONDS"}
    peak = "with --curve: requests per second at the peak"
    command.add_argument("--rate", dest="rate_per_s", type=float, metavar="N", help=peak)
    command.add_argument("--p95", dest="response_p95_s", help="longest 95th percentile of the response", **seconds)
    command.add_argument("--response", dest="response_s", help="longest mean response", **seconds)
    used = "largest share of a node's highest throughput (default: 0.7 without another objective)"
    command.add_argument("--utilization", type=parsing.share("--utilization"), metavar="SHARE", help=used)
    command.add_argument(
        "--headroom",
        type=parsing.share("--headroom"),
        metavar="SHARE",
        help="share of a node's safe rate that is left free: 0.3 or 30%%",
    )
    command.add_argument(
        "--growth", type=parsing.share("--growth"), metavar="SHARE", help="share by which the rate grows"
    )
    command.add_argument("--spare", type=float, metavar="N", help="nodes that may fail (default: 1)")
    command.add_argument("--node-price", type=float, metavar="PRICE", help="of a node")
    think = "think time of the test's users (default: as load, throughput and response imply it)"
    command.add_argument("--think", dest="think_s", help=think, **seconds)


def _audit_options(command):
    """Which claims, and by which view of the cells."""
    command.add_argument("--source", metavar="SOURCE", help="only the claims of this document")
    command.add_argument("--verdict", choices=VERDICTS, help="only the claims with this verdict")
    command.add_argument("--topic", metavar="TOPIC", help="only the claims of this topic")
    _view_option(command)


def _advice_options(command):
    about = "processors, memory, disk, raid, tuning, planning, method, ... (default: all)"
    command.add_argument("topic", nargs="?", metavar="TOPIC", help=about)
    command.add_argument("--source", metavar="SOURCE", help="only what this document recommends")
    command.add_argument("--verdict", choices=ADVICE_VERDICTS, help="only the recommendations with this verdict")
    _view_option(command)


def _new_options(command):
    """The folder, its files, and answers known from the start."""
    command.add_argument("folder", metavar="FOLDER", help="the folder to make; its name is that of the source")
    files = "a CSV, TSV or Parquet file, or its URL; again for another table"
    command.add_argument("--from", dest="from_", action="append", default=[], metavar="FILE", help=files)
    text = "the text of a document: its tables and its sentences with numbers become the draft of an audit"
    command.add_argument("--from-text", metavar="FILE", help=text)
    command.add_argument("--title", default="", metavar="TEXT", help="what the data are, in a line")
    command.add_argument("--source", default="", metavar="TEXT", help="where they come from")
    command.add_argument("--licence", default="", metavar="NAME", help="the licence they are under: CC-BY-4.0, ...")
    unit = "the unit of a column"
    _pairs(command, "--unit", dest="units", metavar="COLUMN=UNIT", help=unit)
    ours = "the column of our vocabulary that a column is; COLUMN=COLUMN: none of ours"
    _pairs(command, "--as", dest="names", metavar="COLUMN=NAME", help=ours)


def _lab_options(command):
    """The folder of notebooks, and where to listen."""
    copies = "gets copies of the notebooks, and is opened (default: a checkout's own; else dominoperf-notebooks)"
    command.add_argument("folder", nargs="?", metavar="FOLDER", help=copies)
    _server_options(command, 8888)


def _app_options(command):
    """The notebook, and where to listen."""
    served = "the stem of a notebook of ours, or a path (default: 03_explore)"
    command.add_argument("notebook", nargs="?", default="03_explore", metavar="NOTEBOOK", help=served)
    _server_options(command, 8866)


def _server_options(command, port):
    """Port and browser of what serves pages."""
    where = f"where to listen, on this machine alone (default: {port}, or the next that is free)"
    command.add_argument("--port", type=int, most=65535, default=port, metavar="N", help=where)
    command.add_argument("--no-browser", action="store_true", help="open no browser; the address is printed")


def _pairs(command, option, **settings):
    """An option that may come again, each time with a heading and what belongs to it."""
    read = parsing.pair(option, settings["metavar"])
    command.add_argument(option, type=read, action="append", default=[], **settings)


def _level_option(command, what):
    """How sure intervals are."""
    command.add_argument("--level", type=float, default=0.95, help=f"coverage of the {what} (default: 0.95)")


def _show_option(command, tables, usual="all"):
    """Which table of a result is printed."""
    which = f"print this table alone (default: {usual} in text and json, tidy in csv and md)"
    command.add_argument("--show", choices=tables, help=which)


def _view_option(command):
    """By which view of the cells claims and recommendations are judged."""
    cells = "the cells as the pages have them (default), or with certain errata applied, or with suspected ones too"
    command.add_argument("--as", dest="as_", choices=VIEWS_OF_DATA, default="printed", help=cells)


def _limit_options(command):
    """How long a cell may take, and how much it may print."""
    longest = "how long a cell may take before its notebook is stopped (default: 600)"
    command.add_argument("--timeout", type=int, default=600, metavar="SECONDS", help=longest)
    most = "how much a notebook may print and show before it is stopped (default: 20)"
    command.add_argument("--max-output", type=int, default=20, metavar="MB", help=most)


def _parallel_options(command, what):
    """How many processes, or which cluster."""
    command.add_argument("--jobs", type=int, metavar="N", help=f"{what} at once (default: one a processor)")
    there = "run on this Dask cluster instead (needs the extra `cluster`)"
    command.add_argument("--scheduler", metavar="tcp://HOST:PORT", help=there)


def _command(listed, function, formats=False, data=True):
    """Add a subcommand named after its function, whose docstring is its help; `data`: whether it has --data."""
    name, summary = function.__name__, function.__doc__
    example = EXAMPLES.get(name, f"dominoperf {name}")
    parser = listed.add_parser(name, help=summary, description=summary, example=example, epilog=f"Example: {example}")
    parser.set_defaults(command=function, parser=parser)
    if data:
        _data_option(parser, "data")
    if formats:
        parser.add_argument("--format", choices=FORMATS, default="text", help="how to print (default: text)")
        wide = "every column and no line broken, wider than the terminal (as in a file or pipe)"
        parser.add_argument("--wide", action="store_true", help=wide)
    return parser


def _data_option(parser, name):
    """A further data folder."""
    parser.add_argument("--data", dest=name, action="append", default=[], metavar="FOLDER", help="use this data too")
