"""The audited systems of the document that the planner's method is of, by the short names that a plan prints."""

import functools
import re

import pandas as pd

from dominoperf.runs import benchmarks
from dominoperf.tables.folders import our_toml_file

_KEYS = ["model", "processors", "clock_mhz", "l2_kb", "ram_mb", "operating_system"]


@functools.cache
def audited_runs() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the audited runs of the appendices, as printed, and with those of one configuration under one short name.

    The name is like ``ProLiant 5000 2xP6/200-512``, with operating system or memory where two would be alike.
    """
    runs, method = benchmarks(), our_toml_file("planning.toml")
    runs = runs[(runs["source"] == method["document"]) & runs["price_usd"].notna()]
    runs = runs.assign(model=[re.match(method["systems"]["model"], text)[1] for text in runs["system"]])
    names, naming = runs[_KEYS].drop_duplicates(), method["systems"]
    families = benchmarks().drop_duplicates("clock_mhz").set_index("clock_mhz")["processor_family"]
    names["system"] = [
        f"{row.model} {row.processors:.0f}x{naming['families'][families[row.clock_mhz]]}/{row.clock_mhz:.0f}"
        + (f"-{row.l2_kb:.0f}" if row.l2_kb == row.l2_kb else "")
        + ("" if row.operating_system == naming["usual_operating_system"] else f", {row.operating_system.split()[0]}")
        for row in names.itertuples()
    ]
    alike = names["system"].duplicated(keep=False)
    names["system"] = names["system"].where(~alike, names["system"] + ", " + names["ram_mb"].map("{:.0f} MB".format))
    return runs, runs.drop(columns="system").merge(names, on=_KEYS)
