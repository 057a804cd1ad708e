"""What set the load at which a run stopped: the server, the load drivers, or a choice; often it is unknown."""

import re

import pandas as pd

from dominoperf import tables
from dominoperf.machines.levels import benchmark_runs, columns_of_run, texts_of_column
from dominoperf.runs import printed_text
from dominoperf.tables import folders
from dominoperf.tables.folders import our_toml_file
from dominoperf.tables.rendering import number

CENSORED = ("drivers", "load chosen")  # the server could have carried more: no capacity
LIMITED_BY = ("server", *CENSORED, "cannot tell")
_NEEDED = ("users", "operating_system", "workload", "domino_release", "response_s", "cpu_utilization_percent")
_CHOICES = {"platform": "platform", "workload": "workload", "release": "release_family", "users": "users"}
_BUSY_PERCENT = 85.0  # of a CPU, from where on a server is near its limit
_SLOW_SHARE = 0.5  # likewise of the response that ends a test
_SHARED = 3  # so many runs that stop at one load are more than chance


def censored(data: pd.DataFrame | None = None) -> pd.DataFrame:
    """Return for every run with users what set that load, and by what evidence.

    In this order: what a passage of the document says of the run; whether the load is all that the driver machines
    could play; whether the server was near a limit (CPU of at least 85 %, or a response of at least
    half the limit that ends a test). Where none of the three speaks, it cannot be told: response times
    stay short until shortly before saturation, so that a short response alone proves no reserve.

    Parameters
    ----------
    data : DataFrame, path or URL, optional
        Runs in the columns of `benchmarks`; by default those.

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

    Examples
    --------
    >>> software = {"operating_system": "Linux", "workload": "mail", "domino_release": "8"}
    >>> run = {"users": 1200.0, "response_s": 0.2, "cpu_utilization_percent": 91.0}
    >>> censored(pd.DataFrame([software | run]))[["run", "limited_by", "reason"]]
         run limited_by                  reason
    0  row 1     server  The CPU was 91 % busy.
    """
    frame = benchmark_runs(data, _NEEDED, "censored")
    frame = frame[frame["users"].notna()]
    cells = {"response_s": frame["response_s"].astype(float), "locator": texts_of_column(frame, "locator")}
    runs = columns_of_run(frame).assign(**cells).reset_index(drop=True)
    passages, limits = _passages_by_source(), driver_limits()
    largest = runs.groupby("source")["users"].agg(lambda users: (users.max(), (users == users.max()).sum()))
    verdicts = [
        _what_set_the_load(run, passages.get(run["source"], {}), limits, largest[run["source"]])
        for run in runs.to_dict("records")
    ]
    verdicts = pd.DataFrame(verdicts, columns=["limited_by", "reason", "evidence_at"])
    title = runs["source"].map({source: tables.document(source)["title"] for source in passages})
    place = (title + ", " + verdicts["evidence_at"]).where(verdicts["evidence_at"] != "", runs["locator"])
    run_columns = runs.drop(columns=["locator", "system", "release_family"])
    return run_columns.assign(**verdicts[["limited_by", "reason"]], locator=place)


def driver_limits() -> pd.DataFrame:
    """Return the most users that the driver machines of a platform could play.

    ``limit = driver machines x users of each``, of both the largest number that the table prints which
    ``data/limits.toml`` names.

    Returns
    -------
    DataFrame
        source, platform, count (of driver machines), users_most (of all together), locator.

    Examples
    --------
    >>> driver_limits()[["platform", "count", "users_most"]]
      platform  count  users_most
    0  Solaris     12       12000
    1      AIX     10       10000
    """
    rows = []
    for source, about in _passages_by_source().items():
        for drivers in about.get("drivers", ()):
            settings = tables.load(drivers["table"], text=True)
            settings = settings[settings["platform"] == drivers["platform"]].set_index("parameter")["setting"]
            machines, users = (_last_number_in_text(settings[drivers[name]]) for name in ("machines", "users_each"))
            rows.append((source, drivers["platform"], machines, machines * users, drivers["locator"]))
    return pd.DataFrame(rows, columns=["source", "platform", "count", "users_most", "locator"])


def why_no_capacity(frame: pd.DataFrame, cells: pd.DataFrame, ours: bool) -> pd.Series:
    """Return why the users of a run are no capacity, its document or what set the load; "" where they may be one.

    `frame` is in the columns of `benchmarks`, `cells` has their run and source. `ours` says that `censored` knows what
    set their loads, where no column limited_by says it.
    """
    of_documents = {key: about["no_capacity"] for key, about in _passages_by_source().items() if "no_capacity" in about}
    reasons = cells["source"].map(of_documents).fillna("").astype(object)
    limited = texts_of_column(frame, "limited_by")
    if ours:
        verdicts = censored(frame).set_index("run")["limited_by"].to_dict()
        limited = limited.where(limited != "", cells["run"].map(verdicts))
    stopped = limited.isin(CENSORED) & (reasons == "")
    return reasons.where(~stopped, "censored: the load was set by " + limited.astype(str) + ", not by the server")


def _passages_by_source():
    """What passages of the documents in use say, by source."""
    return {
        source: about for source, about in our_toml_file("limits.toml").items() if (tables.home() / source).is_dir()
    }


def _what_set_the_load(run, about, limits, largest):
    """What set the load of a run, by what evidence, and the place of a passage that says it."""
    for passage in about.get("stated", ()):
        if all(
            run[column] in folders.setting_as_list(passage[name])
            for name, column in _CHOICES.items()
            if name in passage
        ):
            return passage["limited_by"], passage["reason"], passage["locator"]
    for limit in limits.itertuples():
        if (run["source"], run["platform"]) == (limit.source, limit.platform) and run["users"] >= limit.users_most:
            return "drivers", f"All that the drivers could play: {number(limit.users_most)} users.", limit.locator

    cpu, response, slowest = run["cpu_utilization_percent"], run["response_s"], about.get("response_limit_s")
    if cpu >= _BUSY_PERCENT:
        return "server", f"The CPU was {number(cpu)} % busy.", ""
    if slowest and response >= _SLOW_SHARE * slowest:
        return "server", f"The response of {number(response)} s is near the limit of {number(slowest)} s.", ""

    parts = ["no CPU utilization is printed" if cpu != cpu else f"the CPU was {number(cpu)} % busy"]
    stop = f" of {number(slowest)} s allowed" if slowest else ", and no limit is printed"
    parts += ["no response is printed" if response != response else f"the response was {number(response)} s{stop}"]
    users, count = largest
    shared = run["users"] == users and count >= _SHARED
    alike = f" {count} runs of the document stop at this load, its largest." if shared else ""
    return "cannot tell", f"Nothing says what stopped it: {', '.join(parts)}.{alike}", ""


def _last_number_in_text(text):
    """The last number of a text, in digits or as a word: 12 of ``Eight to 12``, 1,000 of ``between 250 and 1,000``."""
    digits = re.findall(r"\d[\d,]*", text)
    return int(digits[-1].replace(",", "")) if digits else printed_text.read_count(text)
