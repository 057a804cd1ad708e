"""Commands that fit, compare and forecast scaling laws."""

import shlex

from dominoperf.cli.parsing import by_name, number_or_text
from dominoperf.cli.printing import print_result, print_table, say
from dominoperf.errors import BadUsage


def laws(arguments):
    """List the laws that can be fitted, all or those of a family: formula, parameters, what each is for."""
    from dominoperf import list_laws

    listed = list_laws(arguments.family)
    if arguments.format != "text":
        return print_table(listed, arguments)
    for name, members in listed.groupby("family", sort=False):
        say(f"{name}: {members['use'].iloc[0]}")
        for law in members.itertuples():
            say(f"\n  {law.law}: {law.title}\n      {law.formula}")
            facts = {"Limits": law.limits, "Source": law.reference, "Equation": law.equation, "Example": law.worked}
            about = [f"{word}: {text}" for word, text in facts.items() if text]
            for line in (*law.parameters.split("; "), *about):
                say(f"      {line}")
        say("")
    return None


def fit(arguments):
    """Fit a law to a series, a table or a CSV file of your own; say how sure, or why not."""
    import numpy as np

    from dominoperf import fitting

    _check_order(arguments.law, arguments)
    curve = fitting.fit(arguments.law, _points(arguments), **_fit_settings(arguments))
    at = arguments.at or None
    frames = {
        "tidy": curve.tidy,
        "glance": curve.glance,
        "augment": curve.augment,
        "derive": lambda: curve.derive(at),
        "predict": lambda: curve.predict(at or np.unique(curve.points[0])),
    }
    if curve.law.inverse and arguments.inverse:
        frames["inverse"] = lambda: curve.inverse(arguments.inverse)
    print_result(curve, frames, ("derive", "predict", "inverse"), arguments)


def compare(arguments):
    """Fit every law of a family to the same points; say which they refute, and which is left or that several are."""
    from dominoperf import fitting

    _check_order(arguments.family, arguments)
    family = arguments.family.split(",") if "," in arguments.family else arguments.family
    laws = fitting.compare(family, _points(arguments), **_fit_settings(arguments))
    frames = {"tidy": laws.tidy, "glance": laws.glance}
    if arguments.at or arguments.show == "predict":
        frames["predict"] = lambda: laws.predict(arguments.at or laws.best.points[0])
    if arguments.rates or arguments.show == "rates":
        frames["rates"] = laws.rates
    if arguments.next_load or arguments.show == "next_load":
        frames["next_load"] = laws.next_load
    print_result(laws, frames, ("predict", "rates", "next_load"), arguments)


def forecast(arguments):
    """Forecast a throughput or capacity beyond its points, with a band that public scaling curves calibrated."""
    from dominoperf import fitting

    named = {name: getattr(arguments, name) for name in ("x", "y", "y_err", "level")}
    result = fitting.forecast(_points(arguments), arguments.at, **named)
    frames = {"tidy": result.tidy, "weights": result.weights, "glance": result.glance}
    print_result(result, frames, (), arguments)


def _check_order(first, arguments):
    """Refuse points and a law or family that changed places."""
    from dominoperf.laws import FAMILIES, LAWS

    if first not in {*LAWS, *FAMILIES} and arguments.points in {*LAWS, *FAMILIES}:
        command = arguments.command.__name__
        remedy = f"Write them the other way round: `dominoperf {command} {arguments.points} {shlex.quote(first)}`."
        expected = f"{'a law' if command == 'fit' else 'a family or laws'} first, and then the points"
        raise BadUsage(f"dominoperf {command}", expected=expected, found=f"{first} {arguments.points}", remedy=remedy)


def _points(arguments):
    """The points as the library takes them; with --where those rows alone."""
    if arguments.x and arguments.x == arguments.y:
        remedy = "Name another one for --x or for --y."
        raise BadUsage("--x and --y", expected="two columns", found=f"{arguments.x} for both", remedy=remedy)
    if not arguments.where:
        return arguments.points
    from dominoperf import fitting

    for pair in arguments.where:
        if "=" not in pair:
            remedy = "Write the heading, an equals sign and the value of the rows to keep."
            raise BadUsage("--where", expected="COLUMN=VALUE", found=repr(pair), remedy=remedy)
    return fitting.rows_of(arguments.points, [pair.partition("=")[::2] for pair in arguments.where])


def _fit_settings(arguments):
    """What fit and compare share, as the library names it."""
    names = ("x", "y", "error", "sigma", "y_err", "resolution", "interval", "level", "by_x", "y_low", "y_high")
    fixed = {name: number_or_text(value) for name, value in by_name("--fixed", arguments.fixed).items()}
    settings = {name: getattr(arguments, name) for name in names}
    return settings | {"fixed": fixed, "bounded": not arguments.unbounded}
