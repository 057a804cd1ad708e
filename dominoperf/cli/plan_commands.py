"""Commands for machines and plans."""

import re
import shlex
from pathlib import Path

from dominoperf.cli.options import (
    Parser,
    failed_share_option,
    level_option,
    map_option,
    parallel_options,
    share_of_option,
    show_option,
)
from dominoperf.cli.printing import print_notes, print_result, print_table, print_text
from dominoperf.errors import BadUsage, CannotPlan, DominoperfError, joined_with

MACHINE_EXAMPLE = "--processors 2 --clock 200 --l2 512 --ram 512"
_NODE_OPTIONS = (
    *("rate_per_s", "response_p95_s", "response_s", "utilization", "headroom", "growth", "spare", "node_price"),
    *("think_s", "failed_share"),
)
_LIMITS = ("max_price_usd", "max_servers")
_EXCLUDE = {  # options of `plan`, and those that mean nothing beside each
    "curve": ("request", "example", "template", "grid", "servers", "rules", "catalogue", *_LIMITS),
    "servers": ("template", "grid", *_LIMITS),
    "template": ("request", "example", *_LIMITS),
    "grid": (*_LIMITS, "show"),
    "example": ("request",),
}
_NEEDED_BY = {"curve": _NODE_OPTIONS, "grid": ("jobs", "scheduler")}  # and those that mean nothing without each


def capacity_options(command):
    """Machine, workload, limits, and an upgrade."""
    which = "a system of the data, a TOML file, or a table with a row per machine; options replace what it says"
    command.add_argument("machine", nargs="?", metavar="MACHINE", help=which)
    what = "what the users do: Mail, MailDB, DiscDB, Groupware_A, ... (a wrong name lists them); by default that of the"
    what += " runs of --data, if it is one, and without them that of the file MACHINE; if runs tell none, they count as"
    what += " what is named here"
    command.add_argument("--workload", metavar="NAME", help=what)
    _machine_options(command)
    most = "share of the CPU that recommended users may take (default: 0.7)"
    command.add_argument("--utilization", type=float, default=0.7, metavar="SHARE", help=most)
    limit = "average response that must not be exceeded"
    command.add_argument("--response", type=float, metavar="SECONDS", help=limit)
    level_option(command, "intervals")
    other = 'what an upgrade buys: the options that change, in quotes: "--processors 3"'
    command.add_argument("--compare", metavar="OPTIONS", help=other)
    goal = "users to be carried: the least upgrade of each part that reaches them"
    command.add_argument("--target", type=float, metavar="USERS", help=goal)
    show_option(command, ("tidy", "glance", "ratio", "upgrades"))
    runs = "runs of your own that join the documents': a data folder, or a CSV file with users or throughput"
    runs += "; drivers in a column limited_by: the load generators stopped it"
    command.add_argument("--data", dest="own", metavar="FOLDER_OR_FILE", help=runs)
    map_option(command)
    command.set_defaults(data=[])


def capacity(arguments):
    """Say how many users a machine carries of a workload, how sure that is, and what runs out first."""
    from dominoperf import machines, tables
    from dominoperf.machines.parts import MACHINE_TEXTS

    parts, named = _machine_parts_of_options(arguments), arguments.machine
    own = _own_table(arguments.own, arguments.map, "--data")
    workload = arguments.workload or _workload_of_own_runs_or_machines(own, named)
    if named is None and not parts:
        remedy = f"Describe it: {MACHINE_EXAMPLE}; or name a system of the data, a TOML file or a table."
        raise BadUsage("dominoperf capacity", expected="a machine", found="none", remedy=remedy)
    if named is None:
        machine = parts
    elif "://" in named or (Path(named).is_file() and not named.endswith(".toml")):
        machine = tables.read_table(named, texts=MACHINE_TEXTS).assign(**parts)
    else:
        runs = (
            None
            if own is None
            else machines.fitted_users_model(data=own, workload=workload).model.observations.own_runs
        )
        machine = machines.parts_of_machine(named, workload, runs) | parts
    several = not isinstance(machine, dict)
    for option, value in (("--compare", arguments.compare), ("--target", arguments.target)):
        if several and value is not None:
            remedy = "Describe one machine with options, or leave the option out."
            raise BadUsage(option, expected="a single machine", found=f"the table {arguments.machine}", remedy=remedy)
    settings = {"response_s": arguments.response, "level": arguments.level, "data": own}
    result = machines.capacity(machine, workload, utilization=arguments.utilization, **settings)
    if several:
        described = machine.rename(columns={name: f"{name}_given" for name in result})
        return print_table(described.reset_index(drop=True).join(result.reset_index(drop=True)), arguments)
    frames = {"tidy": result.tidy, "glance": result.glance}
    if arguments.compare is not None:
        line = Parser(prog="dominoperf capacity", example='--compare "--processors 3"', add_help=False)
        _machine_options(line)
        try:
            words = shlex.split(arguments.compare)
        except ValueError:  # a quote without its end
            words = [arguments.compare]
        other = machine | _machine_parts_of_options(line.parse_args(words))
        if other == machine:
            remedy = 'Write what is different in quotes: --compare "--processors 3".'
            found = repr(arguments.compare)
            raise BadUsage("--compare", expected="options of another machine", found=found, remedy=remedy)
        frames["ratio"] = lambda: machines.capacity_ratio(machine, other, workload, **settings)
    if arguments.target is not None:
        frames["upgrades"] = lambda: machines.cheapest_upgrades(machine, workload, arguments.target, **settings)
    from dominoperf.machines.upgrades import RATIO_IN_WORDS

    return print_result(result, arguments, frames, ("ratio", "upgrades"), {"ratio": f"{RATIO_IN_WORDS}\n"})


def _workload_of_own_runs_or_machines(own, named):
    """The one workload of a user's own runs; without them that which the file of the machines tells."""
    from dominoperf import machines, tables
    from dominoperf.machines.own_runs import read_own_runs
    from dominoperf.machines.parts import MACHINE_TEXTS

    example = f"dominoperf capacity {MACHINE_EXAMPLE} --workload mail"
    remedy = f"Say what the users do, or add runs of your own (--data FILE). An example: `{example}`."
    workloads = []
    if own is not None:
        workloads = sorted(read_own_runs(own).frame["workload"].unique())
        remedy = f"Your runs are of {joined_with('and', workloads)}: name one."
    elif named is not None and named.endswith(".toml"):
        workloads = [machines.parts_of_machine(named, "").get("workload", "")]
    elif named is not None and Path(named).is_file():
        table = tables.read_table(named, texts=(*MACHINE_TEXTS, "workload"))
        workloads = sorted(table["workload"].dropna().unique()) if "workload" in table else []
        if len(workloads) > 1:
            remedy = f"The machines of {named} are of {joined_with('and', workloads)}: name one."
    if len(workloads) != 1 or not workloads[0]:
        raise BadUsage("dominoperf capacity", expected="--workload NAME", found="nothing there", remedy=remedy)
    return workloads[0]


def _own_table(path, mapping, option):
    """The table that an option names, its columns as --map says; the path itself where nothing is mapped."""
    from dominoperf.machines.parts import TEXTS
    from dominoperf.tables import read_table
    from dominoperf.tables.headings import in_mapped_columns, target_of_mapping

    if path is None and mapping:
        raise BadUsage("--map", expected=f"{option} beside it", found="none", remedy=f"Add {option}, or leave it out.")
    if not mapping:
        return path
    if Path(path).is_dir():
        remedy = "Say it in its descriptor (`as`), or give the CSV file."
        raise BadUsage("--map", expected="a file, whose columns it names", found=f"the folder {path}", remedy=remedy)
    texts = [*TEXTS, *(heading for heading, target in mapping.items() if target_of_mapping(target)[0] in TEXTS)]
    return in_mapped_columns(read_table(path, texts=texts, where=option), mapping, option)


def _machine_parts_of_options(arguments):
    """The parts of a machine that options give, by the library's names."""
    from dominoperf import machines

    parts = {name: getattr(arguments, name) for name in machines.MACHINE_PARTS}
    return {name: value for name, value in parts.items() if value is not None}


def plan_options(command):
    """The request, its rules and catalogue, or nodes for a rate."""
    command.add_argument("request", nargs="?", metavar="REQUEST.toml", help="what is asked; see --template")
    default = "a set of rules; without one the corrected rules, and how the published ones differ"
    command.add_argument("--rules", metavar="NAME", help=default)
    command.add_argument("--template", action="store_true", help="print a request to begin with, and stop")
    command.add_argument("--example", metavar="NAME", help="an example in place of a request: case_study")
    rows = "one plan per row, whose columns stand in for fields of the request"
    command.add_argument("--grid", metavar="TABLE", help=rows)
    parallel_options(command, "with --grid: processes")
    command.add_argument("--catalogue", metavar="TABLE", help="systems of your own (default: the audited ones, priced)")
    most = "where the request names no system: "
    command.add_argument(
        "--max-price", dest="max_price_usd", type=float, metavar="USD", help=f"{most}what the servers may cost together"
    )
    command.add_argument(
        "--max-servers", type=float, metavar="N", help=f"{most}how many servers there may be, spare ones too"
    )
    given = "servers that you have: how many people of each profile, or of the request's groups, they are recommended "
    given += "for; '2 ProLiant 3000 1xP2/300', again, or behind +, for another system"
    command.add_argument("--servers", action="append", metavar="SERVERS", help=given)
    show_option(command, ("tidy", "glance", "risk"), "tidy and glance")
    file = "what a node carries, and nodes for a rate: the measured curve of one, as `curve` writes it"
    command.add_argument("--curve", metavar="FILE", help=file)
    map_option(command)
    seconds = {"type": float, "metavar": "SECONDS"}
    peak = "with --curve: requests per second at the peak (without it: what one node carries)"
    command.add_argument("--rate", dest="rate_per_s", type=float, metavar="N", help=peak)
    command.add_argument("--p95", dest="response_p95_s", help="longest 95th percentile of the response", **seconds)
    command.add_argument("--response", dest="response_s", help="longest mean response", **seconds)
    used = "largest share of a node's highest throughput (default: 0.7 without another objective)"
    command.add_argument("--utilization", type=share_of_option("--utilization", most=1), metavar="SHARE", help=used)
    free = "share of a node's safe rate that is left free: 0.3 or 30%%"
    command.add_argument("--headroom", type=share_of_option("--headroom", most=1), metavar="SHARE", help=free)
    grows = "share by which the rate grows: 0.5 or 50%%"
    command.add_argument("--growth", type=share_of_option("--growth", most=10), metavar="SHARE", help=grows)
    command.add_argument("--spare", type=float, metavar="N", help="nodes that may fail (default: 1)")
    command.add_argument("--node-price", type=float, metavar="PRICE", help="of a node")
    failed_share_option(command)
    think = "think time of the test's users: it is told where load, throughput and response imply another"
    command.add_argument("--think", dest="think_s", help=think, **seconds)


def plan(arguments):
    """Plan servers for groups of people; or from a measured curve (--curve) what a node carries, or nodes for a rate.

    With --servers: how many people the servers that you have are recommended for.
    """
    from dominoperf import planning

    _check_options_of_plan(arguments)
    if arguments.curve is not None:
        node_settings = {name: getattr(arguments, name) for name in _NODE_OPTIONS}
        node_settings = {name: value for name, value in node_settings.items() if value is not None}
        return print_result(planning.node_count(arguments.curve, **node_settings, mapping=arguments.map), arguments)
    arguments.catalogue = _own_table(arguments.catalogue, arguments.map, "--catalogue or --curve")
    if arguments.servers:
        return _print_recommendation(arguments)
    if arguments.template:
        return print_text(planning.template(), end="")
    if arguments.request is None and arguments.example is None:
        remedy = "Name a TOML file, or --example case_study; --template prints a request to begin with."
        raise CannotPlan("dominoperf plan", expected="a request or --example", found="neither", remedy=remedy)
    request = planning.example(arguments.example) if arguments.example else planning.read_request(arguments.request)
    for option, limit in (("--max-price", arguments.max_price_usd), ("--max-servers", arguments.max_servers)):
        if request.system is not None and limit is not None:
            expected, found = "a request without a system", f"system = {request.system!r} in it"
            remedy = "It limits what is chosen for a request that names no system: leave it out here."
            raise CannotPlan(option, expected=expected, found=found, remedy=remedy)
    if arguments.grid:
        how = {"jobs": arguments.jobs, "scheduler": arguments.scheduler, "rules": arguments.rules}
        plans = planning.grid(request, arguments.grid, catalogue=arguments.catalogue, **how)
        print_notes(plans.attrs["notes"])
        return print_table(plans, arguments)
    return _print_choice(request, arguments) if request.system is None else _print_plan(request, arguments)


def _print_choice(request, arguments):
    """Say which sets of servers are the cheapest for a request, and the plan of each kind in the best one."""
    from dominoperf import planning

    limits = {"max_price_usd": arguments.max_price_usd, "max_servers": arguments.max_servers}
    choice = planning.choose(request, rules=arguments.rules, catalogue=arguments.catalogue, **limits)
    print_result(choice, arguments)
    if arguments.format == "text" and not arguments.show:
        for name, servers_of_kind in choice.plans().items():
            print_text(f"\n{name}\n\n{servers_of_kind}", end="")


def _print_plan(request, arguments):
    """Say what a request for a system needs, how surely that suffices, and what the published rules have otherwise."""
    from dominoperf import planning
    from dominoperf.tables import rendering

    servers = planning.plan(request, rules=arguments.rules, catalogue=arguments.catalogue)
    risk = planning.assess(servers, catalogue=arguments.catalogue)
    frames = {"tidy": servers.tidy, "glance": servers.glance}
    if risk.is_uncertain or arguments.show == "risk":
        frames["risk"] = risk.tidy
    print_result(servers, arguments, frames)
    if arguments.format != "text" or arguments.show:
        return
    if risk.is_uncertain:
        print_text(f"\n{risk.headline()}\n\n{rendering.as_text(risk.tidy())}", end="")
    if not arguments.rules:
        print_text(f"\nWhat {planning.rule_sets()[0]} has otherwise: planned; planned_other is by {servers.rules.name}")
        try:
            differing = planning.differing(request, catalogue=arguments.catalogue)
            frame = differing.drop(columns=["group", "key", "rule"])  # the quantity says the same
            print_text(rendering.as_text(frame) if len(frame) else "Nothing.\n", end="")
        except DominoperfError as error:
            print_text(f"No plan: {error}")


def _check_options_of_plan(arguments):
    """Refuse options that exclude each other, and those without the one that they belong to."""
    words = {action.dest: (action.option_strings or [action.metavar])[-1] for action in arguments.parser._actions}
    given = [name for name in words if getattr(arguments, name, None) not in (None, False, [])]
    for name, others in _EXCLUDE.items():
        for other in [each for each in others if name in given and each in given]:
            expected, remedy = f"{words[name]} or {words[other]}", "Leave one of them out."
            raise CannotPlan("dominoperf plan", expected=expected, found="both", remedy=remedy)
    for name, others in _NEEDED_BY.items():
        for other in [each for each in others if name not in given and each in given]:
            remedy = f"Add {words[name]}, or leave it out."
            raise CannotPlan(words[other], expected=f"{words[name]} beside it", found="none", remedy=remedy)


def _print_recommendation(arguments):
    """Say how many people the servers that a user has are recommended for."""
    from dominoperf import planning

    request = planning.example(arguments.example) if arguments.example else arguments.request
    servers = {}
    for text in " + ".join(arguments.servers).split(" + "):  # as an answer writes a set
        count, name = re.fullmatch(r"(?:(-?\d{1,9})(?:\s*x)?\s+)?(.*)", text.strip(), re.DOTALL).groups()
        servers[name] = servers.get(name, 0) + int(count or 1)
    found = planning.recommend(servers, request, rules=arguments.rules, catalogue=arguments.catalogue)
    return print_result(found, arguments)


def _machine_options(command):
    for option, name, unit, words in (
        ("--processors", "processors", "N", "how many processors"),
        ("--clock", "clock_mhz", "MHZ", "clock"),
        ("--l2", "l2_kb", "KB", "second-level cache of each processor"),
        ("--ram", "ram_mb", "MB", "memory"),
        ("--drives", "drives", "N", "drives that hold the data"),
        ("--drive-gb", "drive_gb", "GB", "size of a drive; the answer says what is assumed without it"),
    ):
        command.add_argument(option, dest=name, type=float, metavar=unit, help=words)
    for option, name, words in (
        ("--family", "processor_family", "processor family: 'Pentium Pro'"),
        ("--system", "system", "model of the system, where it was measured"),
        ("--os", "operating_system", "operating system"),
        ("--release", "domino_release", "release of Domino"),
    ):
        command.add_argument(option, dest=name, metavar="NAME", help=words)
