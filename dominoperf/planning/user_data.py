"""The systems of the user's data folders: their runs of a workload, the planner's or one of their own."""

import numpy as np
import pandas as pd

from dominoperf import tables
from dominoperf.errors import BadTable
from dominoperf.runs import benchmarks, table_of

_DISTINGUISHED_BY = ("processors", "ram_mb", "clock_mhz", "operating_system")


def user_systems(columns: list[str], ours: pd.DataFrame) -> pd.DataFrame:
    """Return the systems of the folders in use that are not ours: a row for each workload that one was measured with.

    Of several runs of one configuration the one with most users counts. Configurations of one system at different
    prices, or at none, are told apart by their processors, else by memory, clock or operating system. Without a price a
    system can be planned with, and is not for sale.

    Parameters
    ----------
    columns : list of str
        Those of `planning.systems`.
    ours : DataFrame
        The systems of ours.

    Raises
    ------
    BadTable
        When a system has the name of one of ours, or of one in another folder.
    """
    folders = {folder.name: folder for folder in tables.foreign()}
    runs = benchmarks() if folders else ours.head(0).assign(source="", notesmark_tpm=np.nan)
    named = (runs["workload"].fillna("") != "") & (runs["system"].fillna("") != "") & (runs["users"] > 0)
    runs = runs[runs["source"].isin(list(folders)) & named]
    if runs.empty:
        return ours.head(0)
    most = runs.assign(system=_names(runs)).sort_values("users", kind="stable")
    most = most.drop_duplicates(["source", "system", "workload"], keep="last").sort_index()
    _check_names(most, ours)
    rate = most["notesmark_tpm"] / 60
    rate = rate.fillna(most["throughput_tps"]) if "throughput_tps" in most else rate
    think = most["users"] / rate - most["response_s"]
    most = most.assign(think_s=think, users_low=most["users"], basis="measured", law="", extrapolated=False)
    return most.reindex(columns=columns).reset_index(drop=True)


def _names(runs):
    """The printed names; where one name has several prices, with what differs between them."""
    names = runs["system"].copy()
    for column in _DISTINGUISHED_BY:
        prices = runs["price_usd"].fillna(np.inf).groupby([runs["source"], names]).transform("nunique")
        unknown = runs["price_usd"].isna()
        values = runs.groupby([runs["source"], names])[column].transform("nunique")
        apart = ((prices > 1) | unknown) & (values > 1)
        names = names.where(~apart, names + ", " + _words(runs[column]))
    return names


def _words(values):
    unit = {"processors": " processors", "ram_mb": " MB", "clock_mhz": " MHz"}.get(values.name, "")
    words = values.map(lambda value: f"{value:g}{unit}" if isinstance(value, float) else str(value))
    return words.replace("1 processors", "1 processor")


def _check_names(systems, ours):
    """Two folders cannot sell one name: a plan that names it would not say which is meant."""
    folders = dict.fromkeys(ours["system"], "ours")
    for (name, source), run in systems.groupby(["system", "source"], sort=False)["run"].first().items():
        if name in folders:
            where, remedy = f"{table_of(run)}, system {name!r}", "Rename the system in one of them."
            raise BadTable(where, expected="a name of its own", found=f"also in {folders[name]}", remedy=remedy)
        folders[name] = source
