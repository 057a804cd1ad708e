"""What set the load at which a run stopped: the server, the drivers, a choice; often it cannot be told."""

import re

import pandas as pd

from dominoperf import tables
from dominoperf.capacity.selection import described, runs_of, texts
from dominoperf.runs import reading
from dominoperf.tables.folders import our_file
from dominoperf.tables.rendering import number

CENSORED = ("drivers", "load chosen")  # the server could have carried more: no capacity
_NEEDED = ("users", "operating_system", "workload", "domino_release", "response_s", "cpu_utilization_percent")
_CHOICES = {"platform": "platform", "workload": "workload", "release": "release_family", "users": "users"}
_SHARED = 3  # so many runs that stop at one load are more than chance


def censored(data=None, *, busy_percent=85.0, slow_share=0.5):
    """Say of every run with users what set that load, and by what evidence.

    In this order: what a passage of the document says of the run; whether the load is all that the driver machines
    could play; whether the server was near a limit (CPU of at least `busy_percent`, or a response of at least
    `slow_share` of the limit that ends a test). Where none of the three speaks, it cannot be told: response times
    stay short until shortly before saturation, so that a short response alone proves no reserve.

    Parameters
    ----------
    data : DataFrame, path or URL, optional
        Runs in the columns of `benchmarks`; by default those.
    busy_percent, slow_share : float
        From where a server counts as near its limit.

    Returns
    -------
    DataFrame
        run, source, platform, workload, domino_release, users, cpu_utilization_percent, response_s, limited_by
        ("server", "drivers", "load chosen" or "cannot tell"), reason, locator (of the evidence, else of the run). The
        load of a run limited by the drivers or by choice is censored: a capacity lies above it, nobody knows how far.

    Raises
    ------
    UnknownName
        When a column that it needs is not there.
    """
    frame = runs_of(data, _NEEDED, "censored")
    frame = frame[frame["users"].notna()]
    known, said, played = _known(frame), _said(), driver_limits().to_dict("records")
    tops = known.groupby("source")["users"].agg(lambda users: (users.max(), (users == users.max()).sum()))
    rows = [
        _stated(row, said.get(row["source"], {}))
        or _played(row, played)
        or _near(row, said.get(row["source"], {}).get("response_limit_s"), busy_percent, slow_share)
        or _doubt(row, tops[row["source"]], said.get(row["source"], {}).get("response_limit_s"))
        for row in known.to_dict("records")
    ]
    verdicts = pd.DataFrame(rows, columns=["limited_by", "reason", "evidence_at"])
    found = known.drop(columns=["locator", "system", "release_family"]).assign(**verdicts[["limited_by", "reason"]])
    return found.assign(locator=verdicts["evidence_at"].where(verdicts["evidence_at"] != "", known["locator"]))


def driver_limits():
    """Give the most users that the driver machines of a platform could play.

    ``limit = driver machines x users of each``, of both the largest number that the article prints.

    Returns
    -------
    DataFrame
        source, platform, count (of driver machines), users_most (of all together), locator.
    """
    rows = []
    for source, about in _said().items():
        for each in about.get("drivers", ()):
            settings = tables.load(f"{source}/systems", text=True)
            settings = settings[settings["platform"] == each["platform"]].set_index("parameter")["setting"]
            machines = _last_number(settings["driver machines"])
            most = machines * _last_number(settings["virtual users per driver"])
            rows.append((source, each["platform"], machines, most, each["locator"]))
    return pd.DataFrame(rows, columns=["source", "platform", "count", "users_most", "locator"])


def no_capacity():
    """Give the documents whose users are loads that somebody chose or that a driver capped: source to the reason."""
    return {source: about["no_capacity"] for source, about in _said().items() if "no_capacity" in about}


def _said():
    """What passages of the documents in use say, by source."""
    return {source: about for source, about in our_file("limits.toml").items() if (tables.home() / source).is_dir()}


def _known(frame):
    cells = {"response_s": frame["response_s"].astype(float), "locator": texts(frame, "locator")}
    return described(frame).assign(**cells).reset_index(drop=True)


def _stated(row, about):
    """What a passage says of the run; None where none does."""
    for each in about.get("stated", ()):
        if all(row[column] in tables.listed(each[name]) for name, column in _CHOICES.items() if name in each):
            return each["limited_by"], each["reason"], each["locator"]
    return None


def _played(row, limits):
    """Whether the load is all that the driver machines could play; None where it is not, or not known."""
    for each in limits:
        if (row["source"], row["platform"]) == (each["source"], each["platform"]) and row["users"] >= each[
            "users_most"
        ]:
            return "drivers", f"All that the drivers could play: {number(each['users_most'])} users.", each["locator"]
    return None


def _near(row, limit, busy_percent, slow_share):
    """Whether the server was near a limit of its own; None where it was not, or where that is not printed."""
    if row["cpu_utilization_percent"] >= busy_percent:
        return "server", f"The CPU was {number(row['cpu_utilization_percent'])} % busy.", ""
    if limit and row["response_s"] >= slow_share * limit:
        return "server", f"The response of {number(row['response_s'])} s is near the limit of {number(limit)} s.", ""
    return None


def _doubt(row, top, limit):
    """Why it cannot be told."""
    cpu, response = row["cpu_utilization_percent"], row["response_s"]
    parts = ["no CPU utilization is printed" if cpu != cpu else f"the CPU was {number(cpu)} % busy"]
    stop = f" of {number(limit)} s allowed" if limit else ", and no limit is printed"
    parts += ["no response is printed" if response != response else f"the response was {number(response)} s{stop}"]
    largest, count = top
    shared = row["users"] == largest and count >= _SHARED
    said = f" {count} runs of the document stop at this load, its largest." if shared else ""
    return "cannot tell", f"Nothing says what stopped it: {', '.join(parts)}.{said}", ""


def _last_number(text):
    """The last number of a text, in digits or as a word: 12 of ``Eight to 12``, 1,000 of ``between 250 and 1,000``."""
    digits = re.findall(r"\d[\d,]*", text)
    return int(digits[-1].replace(",", "")) if digits else reading.read_count(text)
