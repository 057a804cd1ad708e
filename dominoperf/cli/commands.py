"""What each command does: a function for each, named as the command, its docstring the command's help."""

import contextlib
import shlex
import sys
from pathlib import Path

from dominoperf.errors import BadTable, BadUsage, CannotPlan, DominoperfError, UnknownName, counted, visible

FEW_CELLS = 10  # of one table that differ, told one by one
FEW_CAUSES = 10  # of contradictions, the gravest
SAMPLES = 100_000  # lines from which on a table is one of samples, which are no runs
DIFFERS = 1  # exit status where something differs from what it should be
MACHINE_EXAMPLE = "--processors 2 --clock 200 --l2 512 --ram 512"

# Reports


def report(arguments):
    """Run the notebooks that changed, or whose data or library did; write tables and pages."""
    from dominoperf import reports

    if word := next((name for name in arguments.names if "=" in name), ""):
        remedy = f"Write a parameter with -p: {shlex.join(['-p', *word.split('=', 1)])}."
        raise BadUsage("dominoperf report", expected="names of reports", found=repr(word), remedy=remedy)
    parameters = by_name("-p", arguments.parameters)
    selection = {"out": arguments.out, "names": arguments.names, "parameters": parameters}
    if arguments.explain:
        for name, reasons in reports.explain(**selection).items():
            again = reasons or (["--fresh"] if arguments.fresh else [])
            say(f"{name}: would be made again: {'; '.join(again)}" if again else f"{name}: unchanged")
        return
    # For notebooks jsonschema need not know internationalised addresses: to build that grammar takes two seconds.
    sys.modules.setdefault("rfc3987_syntax", None)
    tell_line, show = reports.printers(sys.stderr)
    limits = reports.Limits(arguments.timeout, arguments.max_output)
    how = {"jobs": arguments.jobs, "fresh": arguments.fresh, "limits": limits}
    say(reports.build(**selection, **how, tell=tell_line, show=show))


def sweep(arguments):
    """Run a notebook over a grid of parameters, finished sets kept; print where the tables are."""
    from dominoperf import reports

    how = {"out": arguments.out, "jobs": arguments.jobs, "scheduler": arguments.scheduler}
    how["limits"] = reports.Limits(arguments.timeout, arguments.max_output)
    result = reports.sweep(arguments.notebook, arguments.grid, **how, tell=reports.printers(sys.stderr)[0])
    say(result.out / "tables")
    if len(result.failures):
        tell(f"{counted(len(result.failures), 'set')} failed: see {result.out / 'tables' / 'failures.csv'}")
        return DIFFERS
    return 0


def verify(arguments):
    """Compare the reports and what they were made from with their ledger; print every difference."""
    import pandas as pd

    from dominoperf import reports

    differing = reports.verify(arguments.out)
    if arguments.format == "text":
        for (name, file), rows in differing.groupby(["report", "file"], sort=False):
            for row in rows.head(FEW_CELLS).itertuples():
                cell = "" if row.row is pd.NA else f", row {row.row}{f', {row.column}' if row.column else ''}"
                say(f"{f'{name}, ' if name else ''}{file}{cell}: expected {row.expected}, found {row.found}")
            if len(rows) > FEW_CELLS:
                say(f"{name}, {file}: {len(rows) - FEW_CELLS} more; --format csv lists them all")
    else:
        print_table(differing, arguments)
    tell(f"{arguments.out}: {counted(len(differing), 'difference')} from the ledger")
    return DIFFERS if len(differing) else 0


def archive(arguments):
    """Write data, results, notebooks and site to a folder to deposit, described as RO-Crate and Croissant."""
    from dominoperf import reports

    say(reports.archive(arguments.out, arguments.reports))


def lab(arguments):
    """Explore the notebooks in JupyterLab, from a welcome page on."""
    from dominoperf.app import lab as open_lab

    open_lab(arguments.folder, port=arguments.port, browser=not arguments.no_browser)


def app(arguments):
    """Open the interactive notebook, or another, as a page without code; parameters may stand in its address."""
    from dominoperf.app import app as open_app

    open_app(arguments.notebook, port=arguments.port, browser=not arguments.no_browser)


# Tables, series and files


def tables(arguments):
    """List the tables, all or those of a document, or print one."""
    from dominoperf.tables import carried_errata, errata, list_tables, load, locators, sources

    id, as_ = arguments.id, arguments.as_
    if id is None or id in set(sources()["source"]):
        if as_ or arguments.locators:  # the list has no cells to show in one way or another
            remedy = "Name the table; without the option the tables are listed."
            raise UnknownName("--as and --locators", expected="the ID of a table", found="none", remedy=remedy)
        return print_table(list_tables(id), arguments)
    if as_ == "printed":
        frame = carried_errata.attach(load(id, "printed", text=True), ())  # the page and no more, without notes of ours
    elif as_ == "regenerated":
        from dominoperf.study import recompute

        frame = recompute.regenerate(id)
        recomputed = int(frame.attrs["recomputed"].to_numpy().sum())
        tell(f"note: {recomputed} cells are recomputed from others, {frame.size - recomputed} carried")
    elif as_ == "suspected":
        frame = load(id, "suspected")
    else:
        corrections = errata(id)
        cells = ((corrections["status"] == "certain") & corrections["row"].notna()).sum()
        if cells:
            tell(f"note: {cells} cells are corrected by errata; --as printed shows the page")
        frame = load(id)
    return print_table(frame.assign(locator=locators(id)) if arguments.locators else frame, arguments)


def describe(arguments):
    """Say what is known of a table, with the workloads in it, or of a workload."""
    from dominoperf import runs, study
    from dominoperf.tables import describe as describe_table
    from dominoperf.tables import sources

    id = arguments.id
    for kind, names, remedy in (
        ("series", set(runs.named()["series"]), f"`dominoperf series {id}` prints its points."),
        ("document", set(sources()["source"]), f"`dominoperf tables {id}` lists its tables."),
    ):
        if id in names:
            raise UnknownName("describe", expected="a table", found=f"the {kind} {id!r}", remedy=remedy)
    if "/" not in id:
        with contextlib.suppress(UnknownName):
            return say(study.describe_workload(id), end="")
    say(describe_table(id), end="")
    workloads = study.workloads()
    for row in workloads[[id in ids for ids in workloads["results_in"].str.split(", ")]].itertuples():
        tell(f"note: workload {row.workload}: {row.models} ({row.locator})")
    return None


def series(arguments):
    """List the point series, or print one."""
    from dominoperf import runs

    if arguments.name is None:
        return print_table(runs.named(), arguments)
    if "/" in arguments.name and arguments.name not in set(runs.named()["series"]):
        remedy = f"`dominoperf tables {arguments.name}` prints a table; `dominoperf series` lists the series."
        raise UnknownName("series", expected="a series", found=repr(arguments.name), remedy=remedy)
    points = runs.find(arguments.name)
    for warning in points.warnings:
        tell(f"note: {warning}")
    return print_table(points.points(), arguments)


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
        last = changes[changes["p"].notna()]["change"].iloc[-1:]
        return DIFFERS if limit is not None and (last < 1 - limit).any() else 0
    if len(arguments.sets) != 2:
        remedy = "Name the folder before and the folder after, or --history FOLDER."
        raise UnknownName("ab", expected="two sets of runs", found=str(len(arguments.sets)), remedy=remedy)
    result = loadtests.ab(*arguments.sets, fail_below=limit, **how)
    frames = {"tidy": result.tidy, "glance": result.glance, "parameters": result.parameters}
    _print_result(result, frames, (), arguments)
    return DIFFERS if result.failed else 0


def _with_notes(frames):
    """The frames as they come, what was odd in them on stderr."""
    for frame in frames:
        for note in frame.attrs.get("notes", ()):
            tell(f"note: {note}")
        yield frame


# Fits and steady means


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
            about = (f"Limits: {law.limits}", f"Source: {law.reference}", f"Equation: {law.equation}")
            for line in (*law.parameters.split("; "), *about):
                say(f"      {line}")
        say("")
    return None


def fit(arguments):
    """Fit a law to a series, a table or a CSV file of your own; say how sure, or why not."""
    from dominoperf import fitting

    _check_order(arguments.law, arguments)
    curve = fitting.fit(arguments.law, _points(arguments), **_fit_settings(arguments))
    at = arguments.at or None
    frames = {
        "tidy": curve.tidy,
        "glance": curve.glance,
        "augment": curve.augment,
        "derive": lambda: curve.derive(at),
        "predict": lambda: curve.predict(at or curve.points[0]),
    }
    if curve.law.inverse and arguments.inverse:
        frames["inverse"] = lambda: curve.inverse(arguments.inverse)
    _print_result(curve, frames, ("derive", "predict", "inverse"), arguments)


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
    _print_result(laws, frames, ("predict", "rates", "next_load"), arguments)


def forecast(arguments):
    """Forecast a throughput or capacity beyond its points, with a band that public scaling curves calibrated."""
    from dominoperf import fitting

    named = {name: getattr(arguments, name) for name in ("x", "y", "y_err", "level")}
    result = fitting.forecast(_points(arguments), arguments.at, **named)
    frames = {"tidy": result.tidy, "weights": result.weights, "glance": result.glance}
    _print_result(result, frames, (), arguments)


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
    fixed = {name: _number(value) for name, value in by_name("--fixed", arguments.fixed).items()}
    settings = {name: getattr(arguments, name) for name in names}
    return settings | {"fixed": fixed, "bounded": not arguments.unbounded}


def _number(text):
    """A number of an option, or the text itself for the library to refuse by name."""
    try:
        return float(text)
    except ValueError:
        return text


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
    users = arguments.users and _number(arguments.users)  # how many are all, or the column of users at work
    windows = loadtests.steady_runs(frame, users=users, **settings)
    frames = {"tidy": windows.tidy, "glance": windows.glance}
    if windows.found or arguments.show == "means" or arguments.format == "json":
        how = {"counts": arguments.counts, "weights": arguments.weights, "within": arguments.by or ()}
        frames["means"] = lambda: windows.means(**how)
    _print_result(windows, frames, ("means",), arguments)


# Machines and plans


def capacity(arguments):
    """Say how many users a machine carries of a workload, how sure that is, and what runs out first."""
    from dominoperf import machines

    settings = {"response_s": arguments.response, "level": arguments.level, "data": arguments.own}
    machine = _machine(arguments)
    several = not isinstance(machine, dict)
    for option, value in (("--compare", arguments.compare), ("--target", arguments.target)):
        if several and value is not None:
            remedy = "Describe one machine with options, or leave the option out."
            raise BadUsage(option, expected="a single machine", found=f"the table {arguments.machine}", remedy=remedy)
    result = machines.capacity(machine, arguments.workload, utilization=arguments.utilization, **settings)
    if several:
        described = machine.rename(columns={name: f"{name}_given" for name in result})
        return print_table(described.reset_index(drop=True).join(result.reset_index(drop=True)), arguments)
    frames = {"tidy": result.tidy, "glance": result.glance}
    if arguments.compare is not None:
        other = machine | _changed_parts(arguments)
        frames["ratio"] = lambda: machines.capacity_ratio(machine, other, arguments.workload, **settings)
    if arguments.target is not None:
        frames["upgrades"] = lambda: machines.cheapest_upgrades(
            machine, arguments.workload, arguments.target, **settings
        )
    if arguments.show and arguments.show not in frames:
        option = {"ratio": '--compare "--processors 3"', "upgrades": "--target 3000"}[arguments.show]
        remedy = f"Add {option}, with numbers of your own, or leave --show out."
        raise BadUsage(f"--show {arguments.show}", expected=option.split()[0], found="none", remedy=remedy)
    return _print_result(result, frames, ("ratio", "upgrades"), arguments)


def _machine(arguments):
    """The machine of the command line as a dict, or a table of machines; options stand in for what a file has."""
    from pathlib import Path

    from dominoperf import machines, tables

    parts, named = _parts(arguments), arguments.machine
    if named is None:
        if parts:
            return parts
        remedy = f"Describe it: {MACHINE_EXAMPLE}; or name a system of the data, a TOML file or a table."
        raise BadUsage("dominoperf capacity", expected="a machine", found="none", remedy=remedy)
    if "://" in named or (Path(named).is_file() and not named.endswith(".toml")):
        return tables.read_table(named).assign(**parts)
    return machines.described_machine(named, arguments.workload) | parts


def _parts(arguments):
    """The parts of a machine that options give, by the library's names."""
    from dominoperf import machines

    parts = {name: getattr(arguments, name) for name in machines.MACHINE_PARTS}
    return {name: value for name, value in parts.items() if value is not None}


def _changed_parts(arguments):
    """What --compare says of the other machine."""

    try:
        words = shlex.split(arguments.compare)
    except ValueError:  # a quote without its end
        words = [arguments.compare]
    changed = _parts(arguments.machine_parser().parse_args(words))
    if not changed:
        remedy = 'Write what is different in quotes: --compare "--processors 3".'
        raise BadUsage("--compare", expected="options of a machine", found=repr(arguments.compare), remedy=remedy)
    return changed


_OF_NODES = ("rate_per_s", "p95_s", "response_s", "utilization", "headroom", "growth", "spare", "node_price", "think_s")


def _plan_nodes(arguments, settings):
    """Plan nodes for a rate of requests."""
    from dominoperf import planning

    if "rate_per_s" not in settings:
        remedy = "Say how many requests a second at the peak: --rate 5000."
        raise CannotPlan("plan --curve", expected="--rate", found="none", remedy=remedy)
    if arguments.request or arguments.example or arguments.template or arguments.grid:
        remedy = "Leave the request out, or --curve."
        raise CannotPlan("plan --curve", expected="no request beside it", found="one", remedy=remedy)
    result = planning.node_count(arguments.curve, **settings)
    return _print_result(result, {"tidy": result.tidy, "glance": result.glance}, (), arguments)


def _recommend(arguments):
    """Say how many people servers that are there are recommended for."""
    import re
    from pathlib import Path

    from dominoperf import planning
    from dominoperf.tables import read_table

    for option, value in (("--grid", arguments.grid), ("--template", arguments.template)):
        if value:
            raise CannotPlan(option, expected="no --servers beside it", found="both", remedy="Leave one of them out.")
    if arguments.request and arguments.example:
        raise CannotPlan("plan", expected="a request or --example", found="both", remedy="Leave one of them out.")
    request = planning.example(arguments.example) if arguments.example else arguments.request
    if len(arguments.servers) == 1 and ("://" in arguments.servers[0] or Path(arguments.servers[0]).is_file()):
        servers = read_table(arguments.servers[0])
    else:
        servers = {}
        for text in arguments.servers:
            count, name = re.fullmatch(r"(?:(\d+)\s+(?:x\s+)?)?(.*)", text.strip(), re.DOTALL).groups()
            servers[name] = servers.get(name, 0) + int(count or 1)
    found = planning.recommend(servers, request, rules=arguments.rules, catalogue=arguments.catalogue)
    return _print_result(found, {"tidy": found.tidy, "glance": found.glance}, (), arguments)


def plan(arguments):
    """Plan servers for groups of people; or nodes for a rate of requests, from a measured curve (--curve).

    With --servers: how many people servers that are there are recommended for.
    """
    from dominoperf import planning
    from dominoperf.tables import rendering

    node_settings = {name: getattr(arguments, name) for name in _OF_NODES}
    node_settings = {name: value for name, value in node_settings.items() if value is not None}
    if arguments.curve is not None:
        return _plan_nodes(arguments, node_settings)
    if node_settings:
        remedy = "Add --curve FILE, the measured curve of a node, or leave it out."
        option = f"--{next(iter(node_settings)).removesuffix('_per_s').removesuffix('_s').replace('_', '-')}"
        raise CannotPlan(option, expected="--curve beside it", found="none", remedy=remedy)
    if arguments.servers:
        return _recommend(arguments)

    if arguments.template and (arguments.request or arguments.example):
        found, remedy = arguments.request or f"--example {arguments.example} too", "Leave one of them out."
        raise CannotPlan("--template", expected="no request beside it", found=found, remedy=remedy)
    if not arguments.grid and (arguments.jobs or arguments.scheduler):
        option, remedy = "--jobs" if arguments.jobs else "--scheduler", "Leave it out: a single plan takes no time."
        raise CannotPlan(option, expected="--grid, whose plans it spreads", found="a single plan", remedy=remedy)
    if arguments.template:
        return say(planning.template(), end="")
    if (arguments.request is None) == (arguments.example is None):
        remedy = "Name a TOML file, or --example case_study; --template prints a request to begin with."
        found = "both" if arguments.request else "neither"
        raise CannotPlan("plan", expected="a request or --example", found=found, remedy=remedy)
    request = planning.example(arguments.example) if arguments.example else planning.read_request(arguments.request)
    settings = {"rules": arguments.rules, "catalogue": arguments.catalogue}
    if arguments.grid:
        how = {"jobs": arguments.jobs, "scheduler": arguments.scheduler}
        return print_table(planning.grid(request, arguments.grid, **settings, **how), arguments)

    if request.system is None:  # the cheapest sets of servers, and the plan of each kind in the best one
        choice = planning.choose(request, **settings)
        _print_result(choice, {"tidy": choice.tidy, "glance": choice.glance}, (), arguments)
        if arguments.format == "text" and not arguments.show:
            for name, servers_of_kind in choice.plans().items():
                say(f"\n{name}\n\n{servers_of_kind}", end="")
        return None

    servers = planning.plan(request, **settings)
    _print_result(servers, {"tidy": servers.tidy, "glance": servers.glance}, (), arguments)
    if arguments.format == "text" and not (arguments.show or arguments.rules):
        say(f"\nWhat {planning.rule_sets()[0]} has otherwise")
        try:
            differing = planning.differing(request, catalogue=arguments.catalogue)
            frame = differing.drop(columns=["group", "key"])  # the quantity says the same
            say(rendering.as_text(frame) if len(frame) else "Nothing.\n", end="")
        except DominoperfError as error:
            say(f"No plan: {error}")
    return None


# Audit and check


def audit(arguments):
    """Judge every quantitative claim of the documents; print those asked for, and what differs from its pin."""
    from dominoperf.study.audit import audit_claims

    whole = audit_claims(arguments.source, as_=arguments.as_)
    chosen = whole.only(arguments.verdict, arguments.topic)
    if arguments.format != "text":
        print_table(chosen.tidy(), arguments)
    elif arguments.verdict or arguments.topic:  # a terminal has room for some columns
        columns = ["id", "verdict", "stated", "computed", "unit", "reading", "claim"]
        print_table(chosen.tidy()[columns], arguments)
    else:
        from dominoperf.study.audit import causes

        say(chosen, end="")
        found = causes(chosen)
        if len(found):
            say(f"\nWhy claims are contradicted: {counted(len(found), 'cause')}, what puts a plan furthest off first")
            shown = ["bears_on", "source", "reason", "quantity", "by_print", "by_numbers", "unit", "claims"]
            print_table(found[shown].head(FEW_CAUSES), arguments)
            if len(found) > FEW_CAUSES:
                say(f"{len(found) - FEW_CAUSES} more; --verdict contradicted lists the claims.")
    news = len(whole.unpinned()) - len(whole.failed) if arguments.as_ == "printed" else 0  # the pins are the page's
    for claim, error in whole.failed:
        tell(f"claim {claim.id} is not judged: {error}")
    tell(f"{counted(len(whole.claims), 'claim')}, {news or 'none'} against the pinned verdict")
    return DIFFERS if news or whole.failed else 0


def advice(arguments):
    """Say what the documents recommend, what their own numbers say of it, and what our models add."""
    from dominoperf import study
    from dominoperf.tables import document

    found = study.advice(arguments.topic, source=arguments.source, as_=arguments.as_)
    counts = found["verdict"].value_counts().to_dict()
    if arguments.verdict:
        found = found[found["verdict"] == arguments.verdict]
    if arguments.format != "text":
        print_table(found, arguments)
    for topic, rows in found.groupby("topic", sort=False) if arguments.format == "text" else ():
        say(f"{topic.capitalize()}\n")
        for row in rows.itertuples():
            say(f"  {row.advice} [{row.verdict}]\n    {document(row.source)['title']}, {row.locator} ({row.id})")
            say(f"    Its numbers: {row.documents_say}")
            for name, told in (("Our models", row.models_add), ("Reports", row.reports)):
                if told:
                    say(f"    {name}: {told}")
            say("")
    verdicts = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
    tell(f"{counted(sum(counts.values()), 'recommendation')}: {verdicts} by the numbers of their own document")


def diff(arguments):
    """Lay regenerated cells beside the published ones: counts by table, or the cells of a table or figure."""
    from dominoperf.study.audit import diff_counts, diff_table, diffs
    from dominoperf.study.recompute import failing

    lost = {}
    if arguments.id is None:
        laid, lost = diffs(), failing()
        print_table(diff_counts(), arguments)
    else:
        laid = [diff_table(arguments.id)]
        print_table(laid[0].tidy(), arguments)
    news = sum(len(table_diff.unpinned()) for table_diff in laid)
    for id, why in lost.items():
        tell(f"{id}: not regenerated: {why}")
    tell(f"{counted(news, 'cell')} against errata and pins")
    return DIFFERS if news or lost else 0


def new(arguments):
    """Make a data folder of CSV or Parquet files, or draft one from a text; print what is left to fill in."""
    from dominoperf.study.audit import draft, read_claims
    from dominoperf.tables import folders
    from dominoperf.tables import new as new_folder

    if bool(arguments.from_) == bool(arguments.from_text):
        found = "both" if arguments.from_ else "neither"
        remedy = "Name files of tables with --from, or the text of a document with --from-text."
        raise BadUsage("dominoperf new", expected="--from or --from-text", found=found, remedy=remedy)
    answers = {"title": arguments.title, "source": arguments.source, "licence": arguments.licence}
    columns = {"units": by_name("--unit", arguments.units), "names": by_name("--as", arguments.names)}
    if arguments.from_text:
        if any(columns.values()):
            remedy = "Write units and names into the datapackage.json that is made."
            raise BadUsage("dominoperf new", expected="no --unit or --as with --from-text", found="one", remedy=remedy)
        left = draft(arguments.folder, arguments.from_text, **answers)
        _print_lines(left, _problem, arguments)
        drafted = len(read_claims(Path(arguments.folder) / folders.CLAIMS))
        count = len(folders.package(Path(arguments.folder))["resources"])
        tell(f"{arguments.folder}: drafted, {counted(count, 'table')} and {counted(drafted, 'claim')} to be written")
        return
    questions = new_folder(arguments.folder, arguments.from_, **answers, **columns)
    _print_lines(questions, _problem, arguments)
    _tell_notes(arguments.folder)
    again = f"; then `dominoperf check {arguments.folder}`" if len(questions) else ""
    open_ones = counted(len(questions), "question") if len(questions) else "nothing"
    tell(f"{arguments.folder}: made, {open_ones} left to fill in{again}")


def check(arguments):
    """Check a data folder; print every problem, cell that breaks an identity and claim against its pin or a rule."""
    from dominoperf import runs
    from dominoperf import tables as data
    from dominoperf.study import audit, unpinned_advice
    from dominoperf.tables import folders

    folder, name = arguments.folder, arguments.folder or "all data in use"
    problems = data.check(folder)
    if len(problems):
        _print_lines(problems, _problem, arguments)
        tell(f"{name}: {counted(len(problems), 'problem')}")
        return DIFFERS

    broken = turned = against_rules = turned_advice = audit.NOTHING
    cells = "no cell breaks an identity"
    if not folder:
        turned_advice = unpinned_advice()
        broken, turned, against_rules = audit.check_consistency(), audit.unpinned_claims(), audit.check_verdicts()
    else:
        _tell_notes(folder)
        try:
            beside_ours = list(folders.in_turn(folder))
        except BadTable as error:  # it cannot stand beside ours
            tell(f"note: the identities are not tested: {error}")
        else:
            long = [table for path in beside_ours for table in folders.long_tables(path, SAMPLES)]
            if long:
                samples = f"{', '.join(long)}: more than {SAMPLES:,} lines, more samples than runs"
                remedy = (
                    "A row for each run is tested: `dominoperf curve` and `dominoperf steady --show means` make it."
                )
                tell(f"note: runs and identities are not tested, {samples}. {remedy}")
                cells = "identities not tested"
            else:
                for path in beside_ours:  # runs and series that cannot be read stop it, as every other command
                    with data.using(path):
                        runs.read_own(path.name)
                broken = audit.check_consistency(folder)
            turned = audit.unpinned_claims(folder)
    for claim in turned.itertuples():
        found = f"found {claim.verdict}: {claim.claim}" if claim.verdict else f"not judged: {claim.comment}"
        tell(f"claim {claim.id}: expected {claim.expected}, {found}")
    for row in turned_advice.itertuples():
        tell(f"recommendation {row.id}: expected {row.expected}, found {row.verdict}: {row.advice}")
    for claim in against_rules.itertuples():
        tell(f"claim {claim.id}, {claim.rule}: expected {claim.expected}, found {claim.found}. {claim.remedy}")
    _print_lines(broken, _broken_identity, arguments)
    fresh = int((broken["status"] == "").sum())
    if len(broken):
        explained = f"{fresh} of them in no erratum" if fresh else "each is in an erratum"
        cells = f"{counted(len(broken), 'cell')} break{'s'[: len(broken) == 1]} an identity; {explained}"
    claims = f"{counted(len(turned), 'claim')} against the pinned verdict"
    claims += "" if folder else f", {len(against_rules) or 'none'} against a rule for verdicts"
    claims += (
        f"; {counted(len(turned_advice), 'recommendation')} against the written verdict" if len(turned_advice) else ""
    )
    tell(f"{name}: no problems; {cells}; {claims}")
    return DIFFERS if fresh or len(turned) or len(turned_advice) or len(against_rules) else 0


def _problem(row):
    """A problem of a data folder, in a line."""
    line = "" if row.line != row.line or row.line is None else f", line {int(row.line)}"
    column = f", column {row.column}" if row.column else ""
    return f"{row.file}{line}{column}: expected {row.expected}, found {row.found}. {row.remedy}"


def _broken_identity(cell):
    """A cell that breaks an identity, in a line."""
    from dominoperf.tables import rendering

    row = rendering.cell_text(cell.row)
    place = f"{cell.table}{f', row {row}' if row else ''}, column {cell.column}"
    values = f"printed {cell.printed or 'as headed'}" + (f", computed {cell.computed}" if cell.computed else "")
    return f"{place}: {values}. {cell.identity}: {cell.reason}. Erratum: {cell.status or 'none'}."


def _tell_notes(folder):
    """What is worth knowing of a folder's columns, and no mistake."""
    from dominoperf.tables import notes

    for note in notes(folder).itertuples():
        tell(f"note: {_problem(note)}")


# How a command reads options that come again and again, and prints


def by_name(option, pairs):
    """Return the values by name.

    Raises
    ------
    UnknownName
        When a name is given twice: nobody can say which value was meant.
    """
    values = {}
    for name, value in pairs:
        if name in values:
            found = f"{name} as {values[name]} and as {value}"
            raise UnknownName(option, expected="every name once", found=found, remedy="Leave one of them out.")
        values[name] = value
    return values


def say(text, *, end="\n"):
    """Print; to a terminal, which would obey what stands in somebody's data, without control characters, as it fits."""
    if sys.stdout.isatty():
        from dominoperf.tables import terminal

        text = terminal.wrapped(visible(str(text)))
    print(text, end=end)


def tell(text):
    """Print a message on stderr, always without control characters."""
    print(visible(str(text)), file=sys.stderr)


def tell_errata(result):
    """Print on stderr which suspected errata touch a frame or a result."""
    from dominoperf.tables import carried_errata

    for erratum in carried_errata.distinct(carried_errata.errata_of(result)):
        if erratum.status in ("suspected", "reread"):
            tell(f"note: {carried_errata.in_a_line(erratum)}")


def print_table(frame, arguments):
    """Print a table in the format that was asked for."""
    from dominoperf.tables import rendering

    tell_errata(frame)
    if arguments.format in rendering.PARTS:
        for part in rendering.PARTS[arguments.format](frame):
            say(part, end="")
    else:
        say(rendering.FORMATS[arguments.format](frame), end="")


def _print_lines(frame, line, arguments):
    """A line for each row, or the frame in another format."""
    if arguments.format == "text":
        for row in frame.itertuples():
            say(line(row))
    else:
        print_table(frame, arguments)


def _print_result(result, frames, shown, arguments):
    """Print a result: as JSON with all its frames; in words, with the `shown` frames that have rows; or one frame."""
    from dominoperf.tables import rendering

    if arguments.show or arguments.format not in ("json", "text"):
        print_table(frames[arguments.show or "tidy"](), arguments)  # which tells its own errata
        return
    tell_errata(result)
    if arguments.format == "json":
        say(rendering.as_json_of({name: make() for name, make in frames.items()}), end="")
        return
    tables = [make() for name, make in frames.items() if name in shown]
    say("\n".join([str(result), *(str(rendering.Table(frame)) for frame in tables if len(frame))]), end="")
