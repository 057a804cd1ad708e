"""Commands that fit, compare and forecast scaling laws."""

from dominoperf.cli.options import (
    INTERVALS,
    ValuesByName,
    level_option,
    map_option,
    number_of_option_or_text,
    show_option,
    where_option,
)
from dominoperf.cli.printing import print_message, print_result, print_table, print_text


def laws_options(command):
    """Which laws."""
    which = "a family of laws, or a law (default: all)"
    command.add_argument("family", nargs="?", metavar="FAMILY", help=which)


def laws(arguments):
    """List the laws that can be fitted, all or those of a family: formula, parameters, what each is for."""
    from dominoperf import list_laws

    listed = list_laws(arguments.family)
    if arguments.format != "text":
        return print_table(listed, arguments)
    for name, members in listed.groupby("family", sort=False):
        print_text(f"{name}: {members['use'].iloc[0]}")
        for law in members.itertuples():
            print_text(f"\n  {law.law}: {law.title}\n      {law.formula}")
            facts = {"Limits": law.limits, "Source": law.reference, "Equation": law.equation, "Example": law.worked}
            about = [f"{word}: {text}" for word, text in facts.items() if text]
            for line in (*law.parameters.split("; "), *about):
                print_text(f"      {line}")
        print_text("")
    return None


def fit_options(command):
    """Law and points."""
    command.add_argument("law", metavar="LAW", help="name of a law: linear, amdahl, usl... (`laws` lists them)")
    command.add_argument(
        "--inverse", type=float, nargs="+", metavar="Y", help="also say which x gives these y, in the unit of the law"
    )
    below = "column of the last load that passed: the capacity lies between it and --y-high"
    command.add_argument("--y-low", metavar="COLUMN", help=below)
    above = "column of the next load, that did not pass; empty or inf where none was tried"
    command.add_argument("--y-high", metavar="COLUMN", help=above)
    _points_options(command, ("tidy", "glance", "augment", "derive", "predict", "inverse"))


def fit(arguments):
    """Fit a law to a series, a table or a CSV file of your own; say how sure it is, or why it cannot be fitted."""
    import numpy as np

    from dominoperf import fitting

    settings = _fit_settings_of_options(arguments) | {"y_low": arguments.y_low, "y_high": arguments.y_high}
    curve = fitting.fit(arguments.law, _points_of_options(arguments), **settings)
    at = arguments.at or None
    frames = {
        "tidy": curve.tidy,
        "glance": curve.glance,
        "augment": curve.augment,
        "derive": lambda: curve.derive(at),
        "predict": lambda: curve.predict(at or np.unique(curve.points[0])),
    }
    if arguments.inverse:
        frames["inverse"] = lambda: curve.inverse(arguments.inverse)
    _note_converted_columns(curve, arguments)
    meanings = "".join(f"{quantity.name}: {quantity.meaning}\n" for quantity in curve.law.derived)
    shown = ("derive", *(["predict"] if at else ()), "inverse")
    print_result(curve, arguments, frames, shown, notes={"derive": meanings})


def compare_options(command):
    """Family, simulations, and points."""
    several = "a family of laws (processors, overhead...), or laws with commas"
    command.add_argument("family", metavar="FAMILY", help=several)
    rates = "also simulate how often points like these would name each law if it held, and how often another"
    command.add_argument("--rates", action="store_true", help=rates)
    then = "also simulate which load to test next, and how often one more point there would name the law that holds"
    command.add_argument("--next-load", action="store_true", help=then)
    _points_options(command, ("tidy", "glance", "predict", "rates", "next_load"))


def compare(arguments):
    """Fit every law of a family to the same points; say which laws the points refute, and which are left."""
    from dominoperf import fitting

    family = arguments.family.split(",") if "," in arguments.family else arguments.family
    laws = fitting.compare(family, _points_of_options(arguments), **_fit_settings_of_options(arguments))
    _note_converted_columns(laws.fits[0], arguments)
    frames = {"tidy": laws.tidy, "glance": laws.glance}
    if arguments.at or arguments.show == "predict":
        frames["predict"] = lambda: laws.predict(arguments.at or laws.best.points[0])
    if arguments.rates or arguments.show == "rates":
        frames["rates"] = laws.rates
    if arguments.next_load or arguments.show == "next_load":
        frames["next_load"] = laws.next_load
    print_result(laws, arguments, frames, ("predict", "rates", "next_load"))


def forecast_options(command):
    """Points, and where to forecast."""
    _source_options(command, "processors and users")
    there = {"type": float, "nargs": "+", "metavar": "X", "required": True}
    command.add_argument("--at", help="forecast at these x values", **there)
    command.add_argument("--y-err", metavar="COLUMN", help="column of standard errors of y, one per point")
    level_option(command, "band")
    show_option(command, ("tidy", "weights", "glance"))


def forecast(arguments):
    """Forecast a throughput or capacity beyond its points, with a band that public scaling curves calibrated."""
    from dominoperf import fitting

    named = {name: getattr(arguments, name) for name in ("x", "y", "y_err", "level")}
    result = fitting.forecast(_points_of_options(arguments), arguments.at, **named)
    frames = {"tidy": result.tidy, "weights": result.weights, "glance": result.glance}
    print_result(result, arguments, frames)


def _note_converted_columns(curve, arguments):
    """Say which columns are in another unit now where the text, which says it, is not printed."""
    from dominoperf.fitting import summary

    if (arguments.show or arguments.format != "text") and (sentence := summary.converted_columns_in_words(curve)):
        print_message(f"note: {sentence}")


def _points_of_options(arguments):
    """The points as the library takes them; with --where those rows alone, with --map under our names."""
    if not (arguments.where or arguments.map):
        return arguments.points
    from dominoperf import fitting

    return fitting.rows_of(arguments.points, arguments.where, mapping=arguments.map)


def _fit_settings_of_options(arguments):
    """What fit and compare share, as the library names it."""
    names = ("x", "y", "error", "sigma", "y_err", "resolution", "interval", "level", "by_x")
    fixed = {name: number_of_option_or_text(value) for name, value in arguments.fixed.items()}
    settings = {name: getattr(arguments, name) for name in names}
    return settings | {"fixed": fixed, "bounded": not arguments.unbounded}


def _points_options(command, shown):
    """What `fit` and `compare` are told of the points and of their noise, and which tables each can show."""
    _source_options(command, "the law's")
    command.add_argument(
        "--at", type=float, nargs="+", metavar="X", help="forecast at these x values, in the unit of the law"
    )
    held = {"nargs": 2, "metavar": ("NAME", "VALUE"), "action": ValuesByName, "default": {}}
    command.add_argument("--fixed", help="a known constant, in the unit of the law, held and not fitted", **held)
    grows = "how the noise grows: relative, constant, or auto: what the residuals choose (default: as the law says)"
    command.add_argument("--error", help=grows)
    command.add_argument(
        "--sigma",
        type=float,
        help="known standard deviation of the noise: relative (0.02 is 2 %%), or, with --error constant, in that of y",
    )
    command.add_argument("--y-err", metavar="COLUMN", help="column of standard errors of y, one per point")
    means = "take the mean of each x, with its standard error from the scatter of all rows about their means"
    command.add_argument("--by-x", action="store_true", help=means)
    command.add_argument("--resolution", type=float, help="step of the printed y values, in the unit of the column")
    made = "how intervals are made (default: auto)"
    command.add_argument("--interval", choices=INTERVALS, default="auto", help=made)
    level_option(command, "intervals")
    command.add_argument("--unbounded", action="store_true", help="let contention and coherency be negative")
    show_option(command, shown)


def _source_options(command, usual):
    """Which points; `usual` says whose columns are taken where none is named."""
    where = "a series, the id of a table, or a table of your own: a path or URL of CSV, TSV or Parquet"
    command.add_argument("points", metavar="SERIES_OR_TABLE_OR_FILE", help=where)
    command.add_argument("--x", metavar="COLUMN", help=f"column of the x values (default: the series' or {usual})")
    command.add_argument("--y", metavar="COLUMN", help=f"column of the y values (default: the series' or {usual})")
    map_option(command)
    where_option(command)
