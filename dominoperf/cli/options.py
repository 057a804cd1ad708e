"""Options that several commands have; each other one is in the module of its command, above it."""

from dominoperf.cli.parsing import pair_of_option, share_of_option

# Words of the library that are named again here, for to import it would make --help slow; a test compares them.
FORMATS = ("text", "csv", "json", "md")
INTERVALS = ("auto", "profile", "wald", "bootstrap-t", "none")
METHODS = ("mser", "fixed")
VERDICTS = ("confirmed", "approximate", "conditional", "repeated", "contradicted", "unverifiable")
ADVICE_VERDICTS = ("supported", "contradicted", "not tested")
VIEWS_OF_DATA = ("printed", "corrected", "suspected")
TABLES_AS = (*VIEWS_OF_DATA, "regenerated")


def data_option(command, name="data"):
    """A further data folder."""
    command.add_argument("--data", dest=name, action="append", default=[], metavar="FOLDER", help="use this data too")


def format_options(command):
    """How a table is printed."""
    command.add_argument("--format", choices=FORMATS, default="text", help="how to print (default: text)")
    wide = "every column and no line broken, wider than the terminal (as in a file or pipe)"
    command.add_argument("--wide", action="store_true", help=wide)


def pairs_option(command, option, **settings):
    """An option that may come again, each time with a heading and what belongs to it."""
    read = pair_of_option(option, settings["metavar"])
    command.add_argument(option, type=read, action="append", default=[], **settings)


def reader_option(command, what="the format, where the file does not tell it"):
    """The format of files of load tests."""
    command.add_argument("--reader", metavar="NAME", help=f"{what}: nmon, sadf, csv... (a wrong name lists them)")


def map_option(command):
    """Which column of a table of one's own is what."""
    ours = "a column of a table of your own, and our name for it; response_s[ms] names the unit: 'took=response_s[ms]'"
    pairs_option(command, "--map", metavar="COLUMN=NAME", help=ours)


def where_option(command):
    """Which rows of a table of one's own."""
    command.add_argument("--where", action="append", metavar="COLUMN=VALUE", help="only rows with that value")


def level_option(command, what):
    """How sure intervals are."""
    command.add_argument("--level", type=float, default=0.95, help=f"coverage of the {what} (default: 0.95)")


def failed_share_option(command, which="a load is left out if more than this share of its requests failed"):
    """Of how many requests a load may fail and count."""
    which += " (default: 0.01; 1: none is)"
    command.add_argument("--failed-share", type=share_of_option("--failed-share", most=1), metavar="SHARE", help=which)


def show_option(command, tables, usual="all"):
    """Which table of a result is printed."""
    which = f"print this table alone (default: {usual} in text and json, tidy in csv and md)"
    command.add_argument("--show", choices=tables, help=which)


def parallel_options(command, what):
    """How many processes, or which cluster."""
    command.add_argument("--jobs", type=int, metavar="N", help=f"{what} at once (default: one per processor)")
    there = "run on this Dask cluster instead (needs the extra `cluster`)"
    command.add_argument("--scheduler", metavar="tcp://HOST:PORT", help=there)
