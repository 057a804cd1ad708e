"""What each command does: a function each, named as the command, its docstring the command's help."""

from dominoperf.cli.pairs import by_name
from dominoperf.cli.printing import WRONG, counted, print_table, say, tell, tell_doubts
from dominoperf.errors import BadTable, CannotPlan, DominoperfError, UnknownName


def tables(arguments):
    """List the tables, all or those of a document, or print one."""
    from dominoperf.tables import locators, sources

    if arguments.id is None or arguments.id in set(sources()["source"]):
        return _list(arguments)
    frame = SHOWN[arguments.as_ or "corrected"](arguments.id)
    if arguments.locators:
        frame = frame.assign(locator=locators(arguments.id))
    return print_table(frame, arguments)


def _printed(id):
    """The page and no more: what we think of it is told with the numbers."""
    from dominoperf.tables import doubts, load

    return doubts.mark(load(id, "printed", text=True), ())


def _suspected(id):
    from dominoperf.tables import load

    return load(id, "suspected")


def _corrected(id):
    """Printed and corrected values must not be mistaken for each other."""
    from dominoperf.tables import errata as all_errata
    from dominoperf.tables import load

    errata = all_errata(id)
    cells = ((errata["status"] == "certain") & errata["row"].notna()).sum()
    if cells:
        tell(f"note: {cells} cells are corrected by errata; --as printed shows the page")
    return load(id)


def _regenerated(id):
    """Recomputed and carried cells must not be mistaken for each other."""
    from dominoperf.study import recompute

    frame = recompute.regenerate(id)
    done = int(frame.attrs["recomputed"].to_numpy().sum())
    tell(f"note: {done} cells are recomputed from others, {frame.size - done} carried")
    return frame


SHOWN = {"printed": _printed, "corrected": _corrected, "suspected": _suspected, "regenerated": _regenerated}


def _list(arguments):
    """The list of tables has no cells to show in one way or another."""
    from dominoperf.tables import list_tables

    if arguments.as_ or arguments.locators:
        remedy = "Name the table; without the option the tables are listed."
        raise UnknownName("--as and --locators", expected="the ID of a table", found="none", remedy=remedy)
    return print_table(list_tables(arguments.id), arguments)


def describe(arguments):
    """Say what is known of a table."""
    from dominoperf import runs
    from dominoperf.tables import describe as describe_table

    if arguments.id in set(runs.named()["series"]):
        remedy = f"`dominoperf series {arguments.id}` prints its points."
        raise UnknownName("describe", expected="a table", found=f"the series {arguments.id!r}", remedy=remedy)
    say(describe_table(arguments.id), end="")


def series(arguments):
    """List the point series, or print one."""
    from dominoperf import runs

    if arguments.name is None:
        return print_table(runs.named(), arguments)
    found = runs.find(arguments.name)
    for warning in found.warnings:
        tell(f"note: {warning}")
    return print_table(found.points(), arguments)


def fit(arguments):
    """Fit a law to a series, a table or a CSV file of your own; say how sure, or why not."""
    from dominoperf import fitting

    found = fitting.fit(arguments.law, _points(arguments), fixed=_fixed(arguments), **_settings(arguments))
    at = arguments.at or None
    frames = {
        "tidy": found.tidy,
        "glance": found.glance,
        "augment": found.augment,
        "derive": lambda: found.derive(at),
        "predict": lambda: found.predict(at or found.points[0]),
    }
    if found.law.inverse and arguments.inverse:
        frames["inverse"] = lambda: found.inverse(arguments.inverse)
    _show(found, frames, ("derive", "predict", "inverse"), arguments)


def compare(arguments):
    """Fit every law of a family to the same points; say which they refute, and which is left or that several are."""
    from dominoperf import fitting

    family = arguments.family.split(",") if "," in arguments.family else arguments.family
    found = fitting.compare(family, _points(arguments), fixed=_fixed(arguments), **_settings(arguments))
    frames = {"tidy": found.tidy, "glance": found.glance}
    if arguments.at or arguments.show == "predict":
        frames["predict"] = lambda: found.predict(arguments.at or found.best.points[0])
    _show(found, frames, ("predict",), arguments)


def steady(arguments):
    """Find ramp-up, steady window and drift in each run of a file, a sample a row; print the means over the windows."""
    from dominoperf import loadtests

    (frame,) = _noted([loadtests.read_run(arguments.file)])
    names = ("on", "time", "method", "settle_s", "measure_s", "between", "tolerance", "level")
    settings = {name: getattr(arguments, name) for name in names}
    found = loadtests.steady_runs(frame, users=_users(arguments.users), **settings)
    frames = {"tidy": found.tidy, "glance": found.glance}
    if found.found or arguments.show == "means" or arguments.format == "json":
        rolled = {"counts": arguments.counts, "weights": arguments.weights, "within": arguments.by or ()}
        frames["means"] = lambda: found.means(**rolled)
    _show(found, frames, ("means",), arguments)


def _users(text):
    """How many users are all, or the column of users at work."""
    return text and _number(text)


def _show(found, frames, more, arguments):
    """Print a result: in words, with the frames of `more` that have rows; all its frames; or the one asked for."""
    from dominoperf.tables import rendering

    if arguments.format in ("json", "text"):  # a table tells its own
        tell_doubts(found)
    if arguments.format == "json":
        say(rendering.as_json_of({name: make() for name, make in frames.items()}), end="")
    elif arguments.format == "text":
        shown = [make() for name, make in frames.items() if name in more]
        say("\n".join([str(found), *(str(rendering.Table(frame)) for frame in shown if len(frame))]), end="")
    else:
        print_table(frames[arguments.show](), arguments)


def _points(arguments):
    """The points as the library takes them; with --where those rows alone."""
    if not arguments.where:
        return arguments.points
    from dominoperf import fitting

    return fitting.rows_of(arguments.points, [pair.partition("=")[::2] for pair in arguments.where])


def _fixed(arguments):
    return {name: _number(value) for name, value in by_name("--fixed", arguments.fixed).items()}


def _number(text):
    """A number of an option, or the text itself for the library to refuse by name."""
    try:
        return float(text)
    except ValueError:
        return text


def _settings(arguments):
    """What fit and compare share, as the library names it."""
    names = ("x", "y", "error", "sigma", "resolution", "interval", "level")
    return {name: getattr(arguments, name) for name in names} | {"bounded": not arguments.unbounded}


def ingest(arguments):
    """Read a benchmark file of your own into our columns; print the rows, or write them with --out."""
    from dominoperf.loadtests import readers

    asked = {"reader": arguments.reader, "mapping": by_name("--map", map(_mapped, arguments.map))}
    if arguments.out:
        count = readers.write(_noted(readers.read_parts(arguments.file, **asked)), arguments.out)
        tell(f"{arguments.out}: {counted(count, 'row')}")
        return None
    (frame,) = _noted([readers.read(arguments.file, **asked)])
    return print_table(frame, arguments)


def _mapped(pair):
    """A column and our name for it; the column may have an equals sign in it, our names have none."""
    column, sign, name = pair.rpartition("=")
    if not (column and sign and name):
        remedy = "Write the column of the file, an equals sign and our name: --map 'Latency=response_s[ms]'."
        raise UnknownName("--map", expected="COLUMN=NAME", found=repr(pair), remedy=remedy)
    return column, name


def _noted(parts):
    """The frames as they come, what was odd in them on stderr."""
    for part in parts:
        for note in part.attrs.get("notes", ()):
            tell(f"note: {note}")
        yield part


def plan(arguments):
    """Plan servers, memory and disks for groups of people; without --rules say what the two sets have otherwise."""
    from dominoperf import planning

    if arguments.template:
        say(planning.template(), end="")
    elif arguments.grid:
        settings = {"rules": arguments.rules, "catalogue": arguments.catalogue}
        settings |= {"jobs": arguments.jobs, "scheduler": arguments.scheduler}
        print_table(planning.grid(_request(arguments), arguments.grid, **settings), arguments)
    else:
        _one_plan(_request(arguments), arguments)


def _one_plan(request, arguments):
    """Print a plan: the steps, or its tables."""
    from dominoperf import planning
    from dominoperf.tables import rendering

    settings = {"catalogue": arguments.catalogue}
    if request.system is None:
        _cheapest(request, arguments)
        return
    found = planning.plan(request, rules=arguments.rules, **settings)
    if arguments.format not in ("json", "text"):
        print_table(getattr(found, arguments.show)(), arguments)
        return
    tell_doubts(found)
    if arguments.format == "json":
        say(rendering.as_json_of({"tidy": found.tidy(), "glance": found.glance()}), end="")
    else:
        other = planning.rule_sets()[0]
        more = "" if arguments.rules else f"\nWhat {other} has otherwise\n{_differing(request, settings)}"
        say(f"{found}{more}", end="")


def _cheapest(request, arguments):
    """Print the cheapest sets of servers, and the plan of each kind in the best one."""
    from dominoperf import planning

    found = planning.choose(request, rules=arguments.rules, catalogue=arguments.catalogue)
    if arguments.format != "text":
        print_table(getattr(found, arguments.show)(), arguments)
        return
    say(found, end="")
    for name, each in found.plans().items():
        say(f"\n{name}\n\n{each}", end="")


def _differing(request, settings):
    """What differs between the sets of rules, or why the other one has no plan."""
    from dominoperf import planning
    from dominoperf.tables import rendering

    try:
        frame = planning.differing(request, **settings).drop(columns=["group", "key"])  # the quantity says the same
        return rendering.as_text(frame) if len(frame) else "Nothing.\n"
    except DominoperfError as error:
        return f"No plan: {error}\n"


def _request(arguments):
    """The request of a file, or an example."""
    from dominoperf import planning

    if (arguments.request is None) == (arguments.example is None):
        remedy = "Name a TOML file, or --example case_study; --template prints a request to begin with."
        found = "both" if arguments.request else "neither"
        raise CannotPlan("plan", expected="a request or --example", found=found, remedy=remedy)
    return planning.example(arguments.example) if arguments.example else planning.read_request(arguments.request)


def audit(arguments):
    """Judge every quantitative claim of the documents; print those asked for, and what differs from its pin."""
    from dominoperf.study.audit import audit_claims

    whole = audit_claims(arguments.source, as_=arguments.as_)
    found = whole.only(arguments.verdict, arguments.topic)
    if arguments.format == "text" and not (arguments.verdict or arguments.topic):
        say(found, end="")
    else:
        print_table(_brief(found.tidy()) if arguments.format == "text" else found.tidy(), arguments)
    pinned = arguments.as_ == "printed"  # the pins are those of the page
    news = whole.unpinned() if pinned else whole.unpinned().iloc[:0]
    tell(f"{counted(len(whole.claims), 'claim')}, {len(news) or 'none'} against the pinned verdict")
    return WRONG if len(news) else 0


def _brief(frame):
    """What a terminal has room for."""
    return frame[["id", "verdict", "stated", "computed", "unit", "reading", "claim"]]


def diff(arguments):
    """Lay regenerated cells beside the published ones: counts by table, or the cells of a table or figure."""
    from dominoperf.study.audit import diff_counts, diff_table, diffs

    if arguments.id is None:
        found = diffs()
        print_table(diff_counts(), arguments)
    else:
        found = [diff_table(arguments.id)]
        print_table(found[0].tidy(), arguments)
    news = sum(len(each.unpinned()) for each in found)
    tell(f"{counted(news, 'cell')} against errata and pins")
    return WRONG if news else 0


def new(arguments):
    """Make a data folder of CSV or Parquet files; print what is left to fill in."""
    from dominoperf.tables import new as new_folder

    said = {"title": arguments.title, "source": arguments.source, "licence": arguments.licence}
    said |= {"units": by_name("--unit", arguments.units), "names": by_name("--as", arguments.names)}
    left = new_folder(arguments.folder, arguments.from_, **said)
    _say_each(left, _problem, arguments)
    _notes(arguments.folder)
    again = f"; then `dominoperf check {arguments.folder}`" if len(left) else ""
    told = counted(len(left), "question") if len(left) else "nothing"
    tell(f"{arguments.folder}: made, {told} left to fill in{again}")


def _notes(folder):
    """What is worth knowing of a folder's columns, and no mistake."""
    from dominoperf.tables import notes

    for note in notes(folder).itertuples():
        tell(f"note: {_problem(note)}")


def check(arguments):
    """Check a data folder; print every problem, cell against an identity and claim against its pin or a rule."""
    from dominoperf.tables import check as check_folder

    problems = check_folder(arguments.folder)
    if len(problems):
        _say_each(problems, _problem, arguments)
        tell(f"{arguments.folder or 'all data in use'}: {counted(len(problems), 'problem')}")
        return WRONG
    if arguments.folder:
        _notes(arguments.folder)
    broken, turned = _identities(arguments.folder)
    _say_each(broken, _broken, arguments)
    for claim in turned.itertuples():
        tell(f"claim {claim.id}: expected {claim.expected}, found {claim.verdict}: {claim.claim}")
    doubtful = _doubtful(arguments.folder)
    for claim in doubtful.itertuples():
        tell(f"claim {claim.id}, {claim.rule}: expected {claim.expected}, found {claim.found}. {claim.remedy}")
    fresh = int((broken["status"] == "").sum())
    told = f"{counted(len(broken), 'cell')} against an identity, {fresh} of them in no erratum"
    claims = f"{counted(len(turned), 'claim')} against the pinned verdict"
    claims += "" if arguments.folder else f", {len(doubtful) or 'none'} against a rule for verdicts"
    tell(f"{arguments.folder or 'all data in use'}: no problems; {told}; {claims}")
    return WRONG if fresh or len(turned) or len(doubtful) else 0


def _say_each(frame, line, arguments):
    """A sentence a row, or the frame in another format."""
    if arguments.format == "text":
        for row in frame.itertuples():
            say(line(row))
    else:
        print_table(frame, arguments)


def _identities(folder):
    """What breaks an identity, and what turns a claim; nothing of a folder that cannot stand beside ours.

    Runs and series that cannot be read stop it, as they would stop every other command.
    """
    from dominoperf import runs
    from dominoperf.study import audit
    from dominoperf.tables import in_turn, using

    try:
        used = list(in_turn(folder)) if folder else []
    except BadTable as error:
        tell(f"note: the identities are not tested: {error}")
        return audit.NOTHING, audit.NOTHING
    for path in used:
        with using(path):
            runs.read_own(path.name)
    return audit.check_consistency(folder), audit.unpinned_claims(folder)


def _doubtful(folder):
    """Verdicts of our own claims that break a rule; of a folder of one's own none are asked."""
    from dominoperf.study import audit

    return audit.NOTHING if folder else audit.check_verdicts()


def _problem(problem):
    line = "" if problem.line != problem.line or problem.line is None else f", line {int(problem.line)}"
    column = f", column {problem.column}" if problem.column else ""
    return f"{problem.file}{line}{column}: expected {problem.expected}, found {problem.found}. {problem.remedy}"


def _broken(cell):
    """A cell that breaks an identity, in a line."""
    from dominoperf.tables import rendering

    row = rendering.cell_text(cell.row)
    place = f"{cell.table}{f', row {row}' if row else ''}, column {cell.column}"
    values = f"printed {cell.printed or 'as headed'}" + (f", computed {cell.computed}" if cell.computed else "")
    return f"{place}: {values}. {cell.identity}: {cell.reason}. Erratum: {cell.status or 'none'}."
