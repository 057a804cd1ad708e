"""The model of users term by term, by loops: priors, columns, limits of resources, the nearest run."""

import math
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import optimize, special, stats

from dominoperf.machines import fitted_users_model
from dominoperf.machines.asked_machines import (
    asked_machines_of,
    machines_beyond_reach,
    measured_ranges,
    parts_beyond_measured,
    read_machines,
)
from dominoperf.machines.observations import all_observations, capacity_observations
from dominoperf.machines.own_runs import read_own_runs
from dominoperf.machines.resources import capacity_scale_and_freedom, nearest_runs, resource_limits
from dominoperf.machines.users_model import UsersModel, fit_users

PRO = {"processor_family": "Pentium Pro", "processors": 2, "clock_mhz": 200, "l2_kb": 512, "ram_mb": 512, "drives": 9}
SOFTWARE = {"operating_system": "Windows NT", "domino_release": "4.51", "workload": "Mail"}
MACHINES = pd.DataFrame(
    [
        PRO | SOFTWARE,
        PRO | SOFTWARE | {"ram_mb": 110, "drive_gb": 1, "drives": 1},
        PRO | SOFTWARE | {"ram_mb": 160, "drives": 2, "workload": "DiscDB"},
        {"processors": 4, "workload": "Groupware_A"},
        {"processor_family": "Pentium", "l2_kb": 1024, "workload": "MailDB", "ram_mb": 300},
        {"processor_family": "Alpha", "clock_mhz": 400, "domino_release": "99", "workload": "R6Mail", "ram_mb": 900},
        {"system": "Compaq ProLiant 5000", "operating_system": "BeOS 5", "workload": "Mail", "processors": 1},
        {"system": "PC Server 330", "workload": "Mail", "drives": 3},
        {"system": "ProSignia 200", "workload": "Mail", "processors": 1},  # of which no run tells the cache
        {"system": "AIX server", "workload": "R6IMAP", "processors": 8, "clock_mhz": 750},
        {"processors": 3, "ram_mb": 2000, "processor_family": "Pentium II", "workload": "MailDB", "drives": 20},
    ]
)
POWERS = ("processors", "clock_mhz", "l2_kb")
LEVELS = ("processor_family", "system", "operating_system", "domino_release", "workload")


@pytest.fixture
def posterior():
    """The fitted model; fitted once by whoever asks first."""
    return fitted_users_model()


def told(machines=MACHINES):
    """The machines as the model reads them, with workloads of their own."""
    return read_machines(fitted_users_model().model, machines)[0]


def prior_of_level(model, name, level):
    """Mean and deviation of a level, from capacity.toml."""
    about, observations = model.constants["levels"][name], model.observations
    if name != "workload":
        known = about.get("known", {}).get(level, {})
        return known.get("mean", 0.0), known.get("sd", about["sd"])
    if level in observations.own_workloads:
        return 0.0, about["own_sd"]
    if level in observations.script_rates:
        return -math.log(observations.script_rates[level]), about["sd"]
    return 0.0, about["unknown_sd"]


def untold(model, system):
    """What no run of a measured system tells."""
    own = model.observations.rows.query("system == @system")
    missing = {name for name in POWERS if own[name].isna().all()} | {name for name in LEVELS if (own[name] == "").all()}
    return missing if len(own) else set()


def relative(model, family, name, value):
    """ln of a part over that which the prior of its family is stated with."""
    about = model.constants["levels"]["processor_family"]["known"].get(family, {})
    return math.log(value / about.get(name, model.constants["model"]["reference"][name]))


def coded(model, machine):
    """What `UsersModel.code` says of one machine: cells by term, offsets, and (label, deviation) by kind."""
    cells, offset, unobserved = dict.fromkeys(model.terms, 0.0) | {"intercept": 1.0}, 0.0, {}
    rows, constants, missing = model.observations.rows, model.constants, untold(model, machine["system"])
    same = rows[rows["workload"] == machine["workload"]]
    for name in POWERS:
        unknown = machine[name] != machine[name]
        of_runs = [relative(model, each.processor_family, name, value)
                   for each, value in zip(same.itertuples(), same[name], strict=True) if value == value]  # fmt: skip
        usual = np.mean(of_runs) if of_runs else 0.0
        cells[name] = usual if unknown else relative(model, machine["processor_family"], name, machine[name])
        sd = model.widened * constants["unknown"][name] * constants["effects"][name]["mean"]
        unobserved[name] = ("?", sd) if unknown and name not in missing else ("", 0.0)
    for name in LEVELS:
        level, measured = machine[name], set(rows[name]) - {""}
        if level in measured:
            cells[f"{name}[{level}]"], unobserved[name] = 1.0, ("", 0.0)
            continue
        mean, sd = prior_of_level(model, name, level)
        offset += mean
        unobserved[name] = level or "?", 0.0 if not level and name in missing else model.widened * sd
        if not level and name not in ("system", "workload"):
            known = same[name][same[name] != ""]
            for other, count in known.value_counts().items():
                cells[f"{name}[{other}]"] = count / len(known)
    for workload in model.levels["workload"]:
        cells[f"processors[{workload}]"] = cells[f"workload[{workload}]"] * cells["processors"]
    ratio, spare = constants["memory_ratios"].get(machine["workload"]), machine["ram_mb"] - 50
    memory = math.inf if ratio is None or spare != spare else -math.inf if spare <= 0 else math.log(spare / ratio)
    return cells, offset, memory, unobserved


@pytest.mark.parametrize("widened", [1.0, 2.0])
def test_the_columns_of_a_machine_by_loops(posterior, widened):
    """Parts over their reference, ones of levels, shares where unknown; what nobody measured, with its deviation."""
    model = UsersModel.from_observations(posterior.model.observations, widened)
    machines = pd.concat([told(), told(MACHINES.iloc[:2]).assign(ram_mb=[50, 49])], ignore_index=True)
    machines.loc[3, "workload"] = "none of these"
    found = model.code(machines)
    for at, machine in enumerate(machines.to_dict("records")):
        cells, offset, memory, unobserved = coded(model, machine)
        assert dict(zip(model.terms, found.columns[at], strict=True)) == pytest.approx(cells), machine
        assert found.cpu_offset[at] == pytest.approx(offset), machine
        assert found.memory_offset[at] == pytest.approx(memory), machine
        of_kinds = {name: (labels[at], sd[at]) for name, (labels, sd) in found.unobserved.items()}
        assert of_kinds == {name: (label, pytest.approx(sd)) for name, (label, sd) in unobserved.items()}, machine


@pytest.mark.parametrize("widened", [1.0, 2.0])
def test_priors_by_hand(posterior, widened):
    """Each of capacity.toml, times the factor; that of a system is wider where its runs do not tell a part."""
    observations = posterior.model.observations
    mail = observations.rows["workload"] == "Mail"
    more = observations.rows[mail].assign(workload="mine", source="own")
    rows = pd.concat([observations.rows, more], ignore_index=True)
    observations = replace(observations, rows=rows)
    model = UsersModel.from_observations(observations, widened)
    constants = posterior.model.constants
    expected = {name: (constants["effects"][name]["mean"], constants["effects"][name]["sd"])
                for name in ("intercept", *POWERS, "busy_at_capacity",
                             "memory_mb_per_user", "memory_base_error_mb")}  # fmt: skip
    for workload in rows["workload"].unique():
        expected[f"processors[{workload}]"] = 0.0, 0.4 if workload == "mine" else 0.15
    expected |= {"clock_mhz[mine]": (0.0, 0.4), "l2_kb[mine]": (0.0, 0.2)}
    for name in LEVELS:
        for level in set(rows[name]) - {""}:
            mean, sd = prior_of_level(model, name, level)
            if name == "system":
                own = rows[rows["system"] == level]
                squares = [0.2**2]
                squares += [(constants["unknown"][part] * constants["effects"][part]["mean"]) ** 2
                            for part in POWERS if own[part].isna().any()]  # fmt: skip
                squares += [constants["levels"][part]["sd"] ** 2 for part in LEVELS if (own[part] == "").any()]
                sd = math.sqrt(sum(squares))
            expected[f"{name}[{level}]"] = mean, sd
    found = {term: (mean, sd / widened) for term, mean, sd in zip(model.terms, model.mean, model.sd, strict=True)}
    assert found == {term: pytest.approx(pair) for term, pair in expected.items()}
    assert prior_of_level(model, "workload", "mine") == (0.0, 5.0)
    assert model.levels["workload"] == tuple(sorted(set(rows["workload"])))


def soft(cpu, memory, corner=6):
    """ln(users) of both, and the share of the processor in its slope."""
    one, two = math.exp(-corner * (cpu - 8)), math.exp(-corner * (memory - 8)) if memory < math.inf else 0.0
    return 8 - math.log(one + two) / corner, one / (one + two)


def carried_by_both(posterior, cpu, memory, spread, of_memory, joint):
    """How likely processors and memory together carry more than so many users, over a grid of both logarithms."""
    normal = np.linspace(-5, 5, 61)
    weights = stats.norm.pdf(normal) / stats.norm.pdf(normal).sum()
    of_cpu, of_both = normal[:, None], np.outer(weights, weights).ravel()
    reached = cpu + math.sqrt(spread) * of_cpu + 0 * normal
    if memory < math.inf:
        left = memory + joint / math.sqrt(spread) * of_cpu + math.sqrt(of_memory - joint**2 / spread) * normal
        reached = -np.log(np.exp(-6 * (reached - 8)) + np.exp(-6 * (left - 8))) / 6 + 8
    return lambda log: of_both @ special.stdtr(6, (reached.ravel() - log) / posterior.error)


def limits_by_hand(posterior, machine, utilization, response_s, level):
    """Logarithms (centre, low, high, recommended) of each resource of one machine; None where it cannot be told."""
    model = posterior.model
    cells, offset, memory, unobserved = coded(model, machine)
    columns = np.array([cells[term] for term in model.terms])
    busy, ram = model.terms.index("busy_at_capacity"), machine["ram_mb"]
    of_ram = {"memory_mb_per_user": 1, "memory_base_error_mb": 1 / (ram - 50) if ram == ram else 0}
    of_ram = np.array([of_ram.get(term, 0) for term in model.terms])
    full = columns @ posterior.mean + offset
    cpu, memory = full + posterior.mean[busy], memory - of_ram @ posterior.mean
    columns[busy] = 1
    spread = columns @ posterior.covariance @ columns + sum(sd**2 for _, sd in unobserved.values())
    of_memory, joint = of_ram @ posterior.covariance @ of_ram, -(of_ram @ posterior.covariance @ columns)

    def noise(share):
        variance = share**2 * spread + (1 - share) ** 2 * of_memory + 2 * share * (1 - share) * joint
        scale, freedom = capacity_scale_and_freedom(posterior.error, 0.0, np.array([variance]), 6)
        return stats.t(freedom[0], scale=scale[0])

    def width(share):
        return noise(share).ppf((1 + level) / 2)

    allowed = full + min(math.log(utilization), posterior.mean[busy])
    ends = {"processor": (cpu, cpu - width(1), cpu + width(1), allowed), "memory": None}
    less = math.inf
    if memory < math.inf:
        less = memory + math.log(1 - 64 / ram)  # 64 MB are not counted
        ends["memory"] = memory, memory - width(0), memory + width(0), less
    point, rate = stats.norm.ppf((1 + level) / 2), model.observations.script_rates.get(machine["workload"])
    drives = machine["drives"]
    ends |= {"disk_space": None, "spindles": None, "response": None}
    if rate is not None and drives == drives:
        size = machine["drive_gb"] if machine["drive_gb"] == machine["drive_gb"] else 9.1
        space, advised = drives * size * 1000 / rate / 5.5, max(drives - 1, 1) * size * 1000 / rate / 25
        reach, at = point * 0.4, math.log(space)
        ends["disk_space"] = at, at - reach, at + reach, math.log(advised)
        at, reach = math.log(800 * drives / rate), point * 0.5
        ends["spindles"] = at, at - reach, at + reach, at
    shares = (0.5, (1 - level) / 2, (1 + level) / 2)

    def answers_in_time(most):
        """How likely the processors carry more than so many users who are answered in time, for any idle response.

        R = floor / (1 - users / users of a busy processor); ln(floor) is normal about ln(0.1 s). `most` is the part of
        the busy processor, as a logarithm, that is used in any case.
        """
        grid = np.linspace(-8, 8, 2001)
        with np.errstate(divide="ignore"):
            idle = np.log1p(-np.minimum(0.1 * np.exp(0.7 * grid) / response_s, 1))
        weights = stats.norm.pdf(grid) * (grid[1] - grid[0])
        return lambda log: weights @ noise(1).sf(log - full - np.minimum(idle, most))

    def quantile(left, of):
        if left(both - 40) < 1 - of:
            return -math.inf
        return optimize.brentq(lambda log: left(log) - 1 + of, both - 40, both + 9, xtol=1e-13)

    both = soft(cpu, memory)[0]
    alike = [carried_by_both(posterior, cpu, memory, spread, of_memory, joint)]
    if response_s is not None:
        usual = full + math.log(1 - 0.1 / response_s) if response_s > 0.1 else -math.inf
        middle, low, high = (quantile(answers_in_time(0.0), of) for of in shares)
        ends["response"] = middle, low, high, min(usual, middle)
        alike.append(answers_in_time(posterior.mean[busy]))
    rules = [(ends[name], sd) for name, sd in (("disk_space", 0.4), ("spindles", 0.5)) if ends[name]]
    apart = [(four[0], stats.norm(scale=sd)) for four, sd in rules]

    def all_carry(log):
        return min(of(log) for of in alike) * math.prod(err.sf(log - at) for at, err in apart)

    advice = [four[3] for name, four in ends.items() if four and name not in ("processor", "memory")]
    whole = [quantile(all_carry, of) for of in shares]
    careful = min(
        [soft(allowed, less)[0] if less > -math.inf else less, whole[0], *(each for each in advice if each is not None)]
    )
    whole.append(careful)
    return {name: four or (None,) * 4 for name, four in ends.items()} | {"all": whole}


@pytest.mark.parametrize(
    ("utilization", "response_s", "level"), [(0.7, None, 0.95), (1.0, 0.4, 0.8), (0.95, 0.12, 0.5)]
)
def test_limits_of_resources_by_hand(posterior, utilization, response_s, level):
    """Each end of each resource of a machine, and of all together; what binds is the least centre."""
    machines = told()
    found = resource_limits(posterior, machines, utilization, response_s, level)
    for at, machine in enumerate(machines.to_dict("records")):
        expected = limits_by_hand(posterior, machine, utilization, response_s, level)
        for name, four in expected.items():
            for end, log in zip(("users", "low", "high", "recommended"), four, strict=True):
                users = math.nan if log is None else math.exp(log)
                users = math.floor(users + 1e-9) if end == "recommended" and users == users else users * (not users < 1)
                exact = {"all": 0.01, "response": 5e-3}.get(name, 1e-9)  # a sum of errors as one; 400 idle responses
                close = pytest.approx(users, rel=exact, abs=1e-6, nan_ok=True)
                assert found[f"{name}_{end}"][at] == close, (name, end, machine)
        centres = {name: four[0] for name, four in expected.items() if name != "all" and four[0] is not None}
        assert found["binds"][at] == min(centres, key=centres.get), machine


@pytest.mark.parametrize("log_sd", [0.0, 0.5])
def test_a_sum_has_its_variance_and_kurtosis(log_sd):
    """Normal plus Student's t of 6: a t whose variance and excess kurtosis, 6 / (f - 4), are those of the sum.

    The moments of a lognormal scale are exp(2 s²) and exp(8 s²).
    """
    error, variance = 0.1, np.array([0.0, 0.002, 0.01, 1.0])
    noise = error**2 * stats.t.var(6) * math.exp(2 * log_sd**2)
    fourth = (3 + stats.t.stats(6, moments="k")) * (error**2 * stats.t.var(6)) ** 2 * math.exp(8 * log_sd**2)
    for known, scale, freedom in zip(variance, *capacity_scale_and_freedom(error, log_sd, variance, 6.0), strict=True):
        excess = (fourth - 3 * noise**2) / (noise + known) ** 2
        assert freedom == pytest.approx(4 + 6 / excess)
        assert scale == pytest.approx(math.sqrt((noise + known) / stats.t.var(freedom)))
    scale, freedom = capacity_scale_and_freedom(0.0, 0.0, np.array([0.04]), 6.0)
    assert (scale[0], stats.t.ppf(0.95, freedom[0])) == (pytest.approx(0.2), pytest.approx(stats.norm.ppf(0.95)))


def test_the_nearest_run_by_loops(posterior):
    """The least sum of squared logarithms; another text counts 1.5, an unknown part 1.2 or as the nearest known one."""
    rows = posterior.model.observations.rows
    parts = ["processors", "clock_mhz", "l2_kb", "ram_mb"]
    texts = ["processor_family", "operating_system", "system", "domino_release"]
    random, drawn = np.random.default_rng(0), {}
    for name in (*parts, *texts):  # of what was measured, any beside any
        drawn[name] = random.choice(rows[name].unique(), 30)
    machines = pd.concat([told()[told()["workload"] == "Mail"], pd.DataFrame(drawn)], ignore_index=True)
    machines = machines.assign(workload="Mail")
    found, of_mail = nearest_runs(posterior, machines), rows[rows["workload"] == "Mail"].to_dict("records")
    for at, machine in enumerate(machines.to_dict("records")):
        best, unknown = (math.inf, None, None), {}
        for name in parts:
            ratios = [abs(math.log(machine[name] / run[name])) for run in of_mail]
            unknown[name] = max(math.log(1.2), min((each for each in ratios if each == each), default=0.0))
        for run in of_mail:
            known = {name: run[name] == run[name] and machine[name] == machine[name] for name in parts}
            apart = [math.log(machine[name] / run[name]) if known[name] else unknown[name] for name in parts]
            apart += [math.log(1.5) for name in texts if machine[name] not in ("", run[name])]
            squares = sum(each**2 for each in apart) + 1e-3 * (run["observation"] != "capacity")
            both = all(run[name] == machine[name] or (run[name] != run[name] and machine[name] != machine[name])
                       for name in parts)  # fmt: skip
            tested = both and all(run[name] == machine[name] for name in texts) and run["observation"] == "capacity"
            tested = tested and not (machine.get("drives", math.nan) - run["drives"]) ** 2 > 0
            if squares < best[0] - 1e-12:
                best = squares, run, tested
        run, tested = best[1:]
        names = ["nearest_run", "nearest_users", "nearest_system", "same_machine"]
        assert found.loc[at, names].tolist() == [run["run"], run["users"], run["system"], tested], machine


def test_the_nearest_run_of_a_workload_that_nobody_ran_is_of_any(posterior):
    """The same machine with another workload, where there is none of its own."""
    row = posterior.model.observations.rows.iloc[[0]]
    found = nearest_runs(posterior, row.assign(workload="none of these"))
    assert found["nearest_run"].item() == row["run"].item()


def test_the_measured_ranges(posterior):
    """The least and the greatest of the runs, of the clock by family; of drives those of capacity.toml."""
    ranges, rows = measured_ranges(posterior.model), posterior.model.observations.rows
    pro = rows["clock_mhz"][rows["processor_family"] == "Pentium Pro"]
    assert ranges["clock_mhz"]["Pentium Pro"] == (pro.min(), pro.max())
    assert ranges["ram_mb"] == {"": (rows["ram_mb"].min(), rows["ram_mb"].max())}
    assert (ranges["drives"], ranges["drive_gb"]) == ({"": (1.0, 28.0)}, {"": (2.1, 146.8)})
    assert measured_ranges(posterior.model, "DiscDB")["ram_mb"] == {"": (256, 1024)}
    assert list(ranges) == PARTS


PARTS = ["processors", "clock_mhz", "l2_kb", "ram_mb", "drives", "drive_gb"]


@pytest.mark.parametrize("name", PARTS)
def test_reach_of_a_part(posterior, name):
    """A quarter of the least (of memory 64 MB) to four times the most, ends included; beyond the measured is told."""
    ranges = measured_ranges(posterior.model)[name]
    low, high = ranges.get("Pentium Pro", ranges[""])
    least = 64 if name == "ram_mb" else low / 4
    at = [least, high * 4, least * (1 - 1e-9), high * 4 * (1 + 1e-9), low, high, low * 0.999, high * 1.001]
    frame = told(pd.DataFrame([PRO | {"drive_gb": 9.1}] * 8)).assign(**{name: at})
    refused, outside = machines_beyond_reach(posterior.model, frame), parts_beyond_measured(posterior.model, frame)
    assert (refused != "").tolist() == [False, False, True, True] + [False] * 4
    assert [name in each for each in outside] == [True] * 4 + [False, False, True, True]
    assert f"{low:g} to {high:g} that were measured" in refused[2]
    assert (" on Pentium Pro" in refused[2]) == (name == "clock_mhz")


def test_reach_of_several_parts(posterior):
    """Each that is too far, in the order of parts; a family that nobody measured has the reach of all."""
    model, rows = posterior.model, posterior.model.observations.rows
    pro = rows["clock_mhz"][rows["processor_family"] == "Pentium Pro"]
    several = told(pd.DataFrame([PRO | {"clock_mhz": 2, "l2_kb": 1, "processors": 99}]))
    assert machines_beyond_reach(model, several)[0] == (
        "processors 99 is too far from the 1 to 12 that were measured; 1 to 48 can be answered;"
        " clock_mhz 2 is too far from the"
        f" {pro.min():g} to {pro.max():g} that were measured on Pentium Pro; its unit is MHz (2 GHz are 2000);"
        f" {pro.min() / 4:g} to {pro.max() * 4:g} can be answered; l2_kb 1"
        " is too far from the 256 to 2048 that were measured; its unit is KB of each processor;"
        " 64 to 8192 can be answered"
    )
    unknown_family = told(pd.DataFrame([{"clock_mhz": 13000}, {"clock_mhz": 13000, "processor_family": "Alpha"}]))
    assert all("measured; its unit is MHz (2 GHz are 2000); " in told
               for told in machines_beyond_reach(model, unknown_family))  # fmt: skip


def test_texts_of_a_machine_are_spelt_as_those_of_the_runs(posterior):
    """Small letters, a vendor before the name, a number as text; the size of the drives of a system that is known."""
    asked = {"processor_family": "pentium pro", "system": "ibm pc server 330", "operating_system": "windows NT"}
    machines, single = asked_machines_of(posterior.model, asked | {"processors": "2"}, "MAIL-ONLY")
    row = machines.iloc[0]
    assert (row["processor_family"], row["operating_system"], row["workload"]) == ("Pentium Pro", "Windows NT", "Mail")
    assert (row["processors"], single) == (2.0, True)
    named = told(pd.DataFrame([{"system": "PC Server 330"}, {"system": "PC Server 330", "drive_gb": 9.1}, {}]))
    assert named["drive_gb"].tolist() == pytest.approx([np.nan, 9.1, np.nan], nan_ok=True)
    assert told(pd.DataFrame([{"system": "PC Server 330"}, {}]))["drive_gb"].tolist()[0] == 4.51
    assert not asked_machines_of(posterior.model, pd.DataFrame([asked]), "Mail")[1]


def test_the_evidence_of_the_runs_by_the_book():
    """Laplace: the densities at the mode, half the logarithm of the determinant, the priors; no scale is better."""
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"workload": "Mail", "processors": [1, 2, 4, 8] * 4, "system": "M 1"})
    frame["users"] = 1000 * frame["processors"] ** 0.7 * np.exp(rng.normal(0, 0.1, 16))
    frame["cpu_utilization_percent"] = [np.nan, 60, np.nan, 90] * 4
    frame["limited_by"] = ["", "load chosen", "", ""] * 4
    observations = capacity_observations(frame, ours=False)
    found = fit_users(UsersModel.from_observations(observations))
    model, rows = found.model, observations.rows
    busy, limit = rows["observation"] == "utilization", rows["observation"] == "lower limit"
    columns, offset = model.code(rows).columns.copy(), model.code(rows).cpu_offset
    columns[~busy, model.column_of("busy_at_capacity")] = 1

    def minus_log(terms, scales):
        scale = np.where(busy, scales[1], scales[0])
        error = (rows["log_users"] - columns @ terms - offset) / scale
        density = stats.t.logpdf(error, 6) - stats.t.logpdf(0, 6) - np.log(scale)
        density = np.where(limit, stats.t.logsf(error, 6), density)
        return -density.sum() + (((terms - model.mean) / model.sd) ** 2).sum() / 2

    def loss(terms, information, scales):
        off = (np.log(scales) - [-2.3, -1.9]) / 0.5
        return minus_log(terms, scales) + np.linalg.slogdet(information)[1] / 2 + (off**2).sum() / 2

    scales = np.array([found.error, found.error_of_utilization])
    evidence = -loss(found.mean, np.linalg.inv(found.covariance), scales) - np.log(model.sd).sum()
    assert found.log_evidence == pytest.approx(evidence, abs=1e-3)


@pytest.mark.parametrize("ln_sd", [0.0, 0.8])
def test_the_spread_of_ones_own_machines_is_that_of_its_posterior(ln_sd):
    """By brute force: the evidence of each spread with the scales of errors fitted to it, a half-normal prior."""
    rng, count = np.random.default_rng(3), 12
    processors, clock_mhz = rng.choice([1.0, 2, 4, 8], count), rng.choice([1000.0, 2000], count)
    machines = {"system": [f"m{n}" for n in range(count)], "processors": processors, "clock_mhz": clock_mhz}
    users = 100 * processors * np.exp(ln_sd * rng.standard_normal(count))
    runs = pd.DataFrame(machines | {"users": users, "workload": "w"})
    model = UsersModel.from_observations(all_observations(read_own_runs(runs)))
    spreads = 3 * np.linspace(0.05, 1, 16) ** 2
    evidence = np.array([fit_users(model.with_own_spread(each)).log_evidence for each in spreads])
    likely = np.exp(evidence - evidence.max() - spreads**2 / 2) * np.gradient(spreads)
    expected = np.sqrt(np.average(spreads**2, weights=likely))
    assert fit_users(model).model.own_spread == pytest.approx(expected, rel=0.1, abs=0.05)


def test_the_fit_computes_in_one_thread_and_leaves_the_others_afterwards():
    """On two busy processors a fit of 30 servers of one's own took five times as long with two threads."""
    code = """if True:
        import pandas as pd
        from scipy import optimize
        from threadpoolctl import threadpool_info, threadpool_limits
        from dominoperf.machines.observations import capacity_observations
        from dominoperf.machines.users_model import UsersModel, fit_users

        def threads():
            return {each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"}

        def minimize(*given, found=optimize.minimize, **named):
            meanwhile.append(threads())
            return found(*given, **named)

        meanwhile, optimize.minimize = [], minimize
        runs = pd.DataFrame({"workload": "w", "processors": [1, 2, 4], "users": [1000, 1600, 2500]})
        with threadpool_limits(2, "blas"):
            fit_users(UsersModel.from_observations(capacity_observations(runs, ours=False)))
            print(meanwhile, threads())
    """
    said = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert said == "[{1}] {2}\n"
