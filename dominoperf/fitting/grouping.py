"""Which rows of a frame belong to one curve, a few thousand curves at a time."""

import numpy as np
import pandas as pd

ROWS = 32_768  # rows looked at together: what is made on the way does not grow with the data


def of(data, keys):
    """Return the number of groups, in the order of their first rows, and their rows, piece by piece.

    Where the keys only rise from row to row, each group standing in one piece, nothing as long as the data is made.

    Returns
    -------
    count : int
    pieces : iterator
        Numbers of groups of equally many rows, and these rows: one column per group.
    """
    columns = [data[name].to_numpy() for name in keys]
    count = _rising(columns)
    if count:
        return count, _standing(columns)
    whole = data[keys[0]] if len(keys) == 1 else pd.MultiIndex.from_frame(data[keys])
    codes, known = pd.factorize(whole, use_na_sentinel=False)
    return len(known), _sorted(codes, np.bincount(codes, minlength=len(known)))


def _rising(columns):
    """The number of groups whose single key is a number that only rises; 0 where it is not so."""
    if len(columns) != 1 or columns[0].dtype.kind not in "iuf":
        return 0
    count = 1
    for first in range(0, len(columns[0]), ROWS):
        part = columns[0][max(first - 1, 0) : first + ROWS]
        if not (part[1:] >= part[:-1]).all():  # NaN is no number to rise from
            return 0
        count += int(np.count_nonzero(part[1:] != part[:-1]))
    return count


def _standing(columns):
    """Groups that stand in one piece each, in the order of the rows."""
    (key,), number, begun = columns, 0, 0
    for first in range(0, len(key), ROWS):
        part = key[first : first + ROWS + 1]
        starts = np.flatnonzero(part[1:] != part[:-1]) + first + 1
        edges = np.concatenate([[begun], starts])
        if first + ROWS >= len(key):
            edges = np.append(edges, len(key))
        yield from _alike(np.arange(number, number + len(edges) - 1), edges[:-1], np.diff(edges))
        number, begun = number + len(edges) - 1, edges[-1]


def _sorted(codes, counts):
    """Groups whose rows are strewn over the data, or named by more than one number."""
    order, starts = np.argsort(codes, kind="stable"), np.cumsum(counts) - counts
    size = max(int(ROWS // max(counts.mean(), 1)), 1)
    for first in range(0, len(counts), size):
        part = slice(first, first + size)
        for which, rows in _alike(np.arange(len(counts))[part], starts[part], counts[part]):
            yield which, order[rows]


def _alike(numbers, starts, counts):
    """Split groups by how many rows they have."""
    for count in np.unique(counts):
        mine = counts == count
        yield numbers[mine], starts[mine] + np.arange(count)[:, None]
