"""Whether each group lies in one part of the data: proven by the ends of the parts, or else looked up."""

import numpy as np
import pandas as pd

from dominoperf.errors import CannotFit

_AT_ONCE = 2**25  # rows whose groups are compared at once, eight bytes a group


def check(parts, keys, read):
    """Refuse parts that share a group.

    Parameters
    ----------
    parts : list of Part
    keys : list of str
    read : callable
        Gives the key columns of a part.

    Raises
    ------
    CannotFit
        Names the group and two parts that have it.
    """
    for cluster in _clusters(parts, keys[0]):
        rows = sum(part.rows for part in cluster)
        passes = 1 + rows // _AT_ONCE
        for turn in range(passes):
            for number in _twice(cluster, read, turn, passes):
                _refuse_shared(cluster, keys, read, number)


def _clusters(parts, key):
    """Parts whose ends overlap, together; one whose ends are unknown may overlap with any."""
    if any(key not in part.ends for part in parts):
        return [parts] if len(parts) > 1 else []
    clusters, highest = [], None
    for part in sorted(parts, key=lambda part: part.ends[key]):
        low, high = part.ends[key]
        if clusters and low <= highest:
            clusters[-1].append(part)
            highest = max(highest, high)
        else:
            clusters.append([part])
            highest = high
    return [cluster for cluster in clusters if len(cluster) > 1]


def _twice(cluster, read, turn, passes):
    """Hashes of groups that more than one part has, or seems to."""
    found = [numbers[numbers % passes == turn] for numbers in (_hashes(read(part))[0] for part in cluster)]
    found = np.sort(np.concatenate(found))
    return np.unique(found[1:][found[1:] == found[:-1]])


def _hashes(frame):
    """A number for each group of a part, and the groups."""
    groups = frame.drop_duplicates(ignore_index=True)
    return pd.util.hash_pandas_object(groups, index=False).to_numpy(), groups


def _refuse_shared(cluster, keys, read, number):
    """Two groups may have one number by chance: the groups themselves decide."""
    seen = {}
    for part in cluster:
        numbers, groups = _hashes(read(part))
        for group in groups[numbers == number].itertuples(index=False, name=None):
            if group in seen:
                there = " and ".join(f"{each.path}, row group {each.group}" for each in (seen[group], part))
                named = ", ".join(f"{key} = {value!r}" for key, value in zip(keys, group, strict=True))
                remedy = "Write the data so that all rows of a group are in one row group."
                raise CannotFit("fit_parts(by=...)", expected="each group in one row group",
                                found=f"{named} in {there}", remedy=remedy)  # fmt: skip
            seen[group] = part
