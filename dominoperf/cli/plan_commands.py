"""Commands for machines and plans."""

import shlex
from pathlib import Path

from dominoperf.cli.printing import print_result, print_table, say
from dominoperf.errors import BadUsage, CannotPlan, DominoperfError

MACHINE_EXAMPLE = "--processors 2 --clock 200 --l2 512 --ram 512"
_OF_NODES = (
    "rate_per_s",
    "response_p95_s",
    "response_s",
    "utilization",
    "headroom",
    "growth",
    "spare",
    "node_price",
    "think_s",
)


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
    return print_result(result, frames, ("ratio", "upgrades"), arguments)


def _machine(arguments):
    """The machine of the command line as a dict, or a table of machines; options stand in for what a file has."""
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
        print_result(choice, {"tidy": choice.tidy, "glance": choice.glance}, (), arguments)
        if arguments.format == "text" and not arguments.show:
            for name, servers_of_kind in choice.plans().items():
                say(f"\n{name}\n\n{servers_of_kind}", end="")
        return None

    servers = planning.plan(request, **settings)
    print_result(servers, {"tidy": servers.tidy, "glance": servers.glance}, (), arguments)
    if arguments.format == "text" and not (arguments.show or arguments.rules):
        say(f"\nWhat {planning.rule_sets()[0]} has otherwise")
        try:
            differing = planning.differing(request, catalogue=arguments.catalogue)
            frame = differing.drop(columns=["group", "key"])  # the quantity says the same
            say(rendering.as_text(frame) if len(frame) else "Nothing.\n", end="")
        except DominoperfError as error:
            say(f"No plan: {error}")
    return None


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
    return print_result(result, {"tidy": result.tidy, "glance": result.glance}, (), arguments)


def _recommend(arguments):
    """Say how many people servers that are there are recommended for."""
    import re

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
    return print_result(found, {"tidy": found.tidy, "glance": found.glance}, (), arguments)
