"""What the five documents recommend (``data/advice.toml``), what their own numbers say of it, what our models add."""

import dataclasses
import string

import numpy as np
import pandas as pd

from dominoperf import fitting, machines, planning, queueing, runs, tables
from dominoperf.errors import UnknownName
from dominoperf.laws.disk import write_penalty
from dominoperf.study.paired_runs import pairs
from dominoperf.study.recompute import case_request
from dominoperf.study.recompute.readings import releases
from dominoperf.study.recompute.regeneration import printed_cell_as_number
from dominoperf.tables.expressions import FUNCTIONS, evaluate
from dominoperf.tables.folders import cached_until_data_change, our_toml_file

VERDICTS = ("supported", "contradicted", "not tested")
"""By the numbers of its own document."""
COLUMNS = ["id", "topic", "source", "locator", "advice", "verdict", "documents_say", "models_add", "reports"]
_FILE = "advice.toml"


def advice(topic: str | None = None, *, source: str | None = None, as_: str = "printed") -> pd.DataFrame:
    """Return what the documents recommend, with what their own numbers and our models say of it.

    Parameters
    ----------
    topic : str, optional
        Only the recommendations on this topic: processors, memory, disk, raid, tuning, planning, ...
    source : str, optional
        Only those of this document.
    as_ : str
        The cells by which a recommendation is judged: printed, corrected or suspected, as `tables.load` has them. Our
        models take the corrected ones.

    Returns
    -------
    DataFrame
        id, topic, source, locator, advice (in our words), verdict (supported, contradicted, or not tested by the
        numbers of its own document; not tested too where an erratum leaves one of them without a value), documents_say
        (what those numbers are as printed, and which become others by errata; or which is missing), models_add (what a
        fit, a capacity or a plan adds; empty where nothing), reports (which go further).

    Raises
    ------
    UnknownName
        When there is no recommendation on the topic, or no such document.
    BadTable
        When an expression cannot be computed.

    Examples
    --------
    >>> advice("cache")[["id", "verdict"]].values.tolist()
    [['larger-cache', 'supported'], ['nw-no-blaster', 'not tested']]
    """
    written = our_toml_file(_FILE)
    for name, given in (("topic", topic), ("source", source)):
        known = sorted({block[name] for block in written.values()})
        if given is not None and given not in known:
            raise UnknownName.among(name, given, known)
    rows = []
    for id, block in written.items():
        if topic not in (None, block["topic"]) or source not in (None, block["source"]):
            continue
        verdict, numbers = _judged_advice(id, block, as_)
        printed = numbers if as_ == "printed" else _judged_advice(id, block, "printed")[1]
        found = _computed_values(
            id, "models", block, printed, _cell_readers_for_advice(None, "corrected") | FUNCTIONS | _MODELS
        )
        says = block["says"].format_map(printed) + _changed_numbers_in_words(block["says"], printed, numbers, as_)
        texts = (says, block.get("adds", "").format_map(found))
        about = (block[name] for name in ("topic", "source", "locator", "advice"))
        rows.append((id, *about, verdict, *texts, ", ".join(block.get("pages", ()))))
    return pd.DataFrame(rows, columns=COLUMNS)


def unpinned_advice() -> pd.DataFrame:
    """Return the recommendations whose verdict is not the one that is written: id, advice, expected_verdict, verdict.

    Examples
    --------
    >>> len(unpinned_advice())
    0
    """
    rows = [(id, block["advice"], block["verdict"], _judged_advice(id, block, "printed")[0])
            for id, block in our_toml_file(_FILE).items()]  # fmt: skip
    frame = pd.DataFrame(rows, columns=["id", "advice", "expected_verdict", "verdict"])
    return frame[frame["expected_verdict"] != frame["verdict"]].reset_index(drop=True)


def verdicts_by_topic(found: pd.DataFrame) -> pd.DataFrame:
    """Return how many of the recommendations in `found` have each verdict, a row per topic, the largest first.

    Examples
    --------
    >>> verdicts_by_topic(advice("cache")).values.tolist()
    [['cache', 1, 0, 1, 2]]
    """
    counts = pd.crosstab(found["topic"], found["verdict"]).reindex(columns=VERDICTS, fill_value=0)
    counts.columns = [name.replace(" ", "_") for name in VERDICTS]
    counts = counts.assign(recommendations=counts.sum(axis=1)).reset_index()
    return counts.sort_values(["recommendations", "topic"], ascending=[False, True], ignore_index=True)


def _judged_advice(id, block, as_):
    """The verdict of the document's own cells, and the numbers by name."""
    functions = _cell_readers_for_advice(block["source"], as_) | FUNCTIONS
    numbers = _computed_values(id, "numbers", block, {}, functions)
    empty = any(np.any(pd.isna(value)) for value in numbers.values())
    if "test" not in block or empty:
        return "not tested", numbers
    holds = evaluate(block["test"], numbers, functions, f"{_FILE}, {id}, test")
    return "supported" if holds else "contradicted", numbers


def _changed_numbers_in_words(says, printed, numbers, as_):
    """A sentence on the numbers of a sentence that errata change: its other words are about the printed cells."""
    changes = []
    for _, name, spec, _ in string.Formatter().parse(says):
        before, now = (format(found[name], spec) if name else "" for found in (printed, numbers))
        if before != now:
            changes.append(f"{before} has no value" if now == "nan" else f"{before} becomes {now}")
    applied = {"corrected": "certain errata", "suspected": "certain and suspected errata"}
    return f" With {applied[as_]} applied, {' and '.join(changes)}." if changes else ""


def _computed_values(id, which, block, known, functions):
    """The values of a block's expressions by name, each of which may use those before it."""
    found = dict(known)
    for name, expression in block.get(which, {}).items():
        value = evaluate(expression, found, functions, f"{_FILE}, {id}, {which}, {name}")
        found[name] = value if isinstance(value, str) or np.size(value) > 1 else np.asarray(value).item()
    return found


def _cell_readers_for_advice(source, as_):
    """What reads cells: of one document by the name of a table, of all documents by its id."""
    id_of = lambda table: f"{source}/{table}" if source else table  # noqa: E731

    def text(table, column, row):
        return tables.load(id_of(table), as_, text=True)[column][row - 1]

    def cell(table, column, row):
        return printed_cell_as_number(id_of(table), column, row, as_)

    def column(table, name, *where):
        frame = tables.load(id_of(table), as_)
        for key, start in zip(where[::2], where[1::2], strict=True):
            frame = frame[frame[key].str.startswith(start)]
        return frame[name].to_numpy()

    def printed_cell(table, column, row):
        return printed_cell_as_number(id_of(table), column, row, "printed")

    return {"cell": cell, "text": text, "column": column, "printed_cell": printed_cell}


# What `models` of a recommendation may call, beside the functions of a claim


def _ratio_of_changed_machine(system, workload, part, value):
    """Users of a machine with one part changed, divided by those that it has."""
    before = machines.capacity(system, workload)
    after = machines.capacity(before.machine.to_dict() | {part: value}, workload)
    return after.users / before.users


def _pairs_of_runs_with_one_change(factor):
    """Pairs of runs in which nothing else that is printed changes, and nothing is unknown."""
    found = pairs(factor)
    return int(((found["other_differences"] == "") & (found["unknown"] == "")).sum())


def _grown_case_study(column, percent):
    """The case study with so many percent more people within a year."""
    request = dataclasses.replace(planning.example("case_study"), growth_percent=float(percent), months_ahead=12.0)
    return planning.plan(request).glance()[column].item()


def _planned_number(key, overlap):
    """A number of the case study's plan, with so many people counted in two of its groups."""
    tidy = planning.plan(case_request(overlap=overlap)).tidy()
    return tidy.loc[tidy["key"] == key, "value"].iloc[0]


_DEAR = {  # each is the same whichever cells a recommendation is judged by
    "users": lambda system, workload: machines.capacity(system, workload).users,
    "recommended": lambda system, workload, utilization: (
        machines.capacity(system, workload, utilization=utilization).glance()["recommended_users"].item()
    ),
    "binds": lambda system, workload: machines.capacity(system, workload).glance()["binds"].item().replace("_", " "),
    "changed": _ratio_of_changed_machine,
    "pairs": lambda factor: len(pairs(factor)),
    "pairs_alone": _pairs_of_runs_with_one_change,
    "plan": lambda column, by: planning.plan(planning.example("case_study"), rules=by).glance()[column].item(),
    "grown": _grown_case_study,
    "planned": _planned_number,
    "releases": lambda column: releases()[column].iloc[0],
}
_MODELS = {
    "term": lambda law, series, name, end="estimate": fitting.fit(law, series).tidy().set_index("term")[end][name],
    "at": lambda law, series, x: fitting.fit(law, series).predict([x])["predicted"].item(),
    "rule": lambda rules, step, name: planning.rules_named(rules).value(step, name),
    "rate": lambda run: runs.benchmarks().set_index("run").eval("notesmark_tpm / users")[run],
    "erlang_c": queueing.erlang_c,
    "write_penalty": write_penalty,
} | {name: cached_until_data_change(64, ours=True)(function) for name, function in _DEAR.items()}
