"""The sets of parameters of a sweep: a grid of lists, or a row a set; all of them checked before anything runs."""

import itertools
import math
import tomllib
from pathlib import Path

from dominoperf import tables
from dominoperf.errors import BadTable, DominoperfError, ReportFailed
from dominoperf.reports import parameters as declarations

_MOST = 1_000_000  # sets of a sweep: years of notebooks


def read_sets(grid, texts=()):
    """Read the sets of a sweep, not yet checked.

    Parameters
    ----------
    grid : path, dict or DataFrame
        A TOML file or a dict: a list a parameter, whose product is taken, the last one changing fastest; a value that
        is no list is held. A table (`tables.read_table`): a row a set.
    texts : collection of str
        Parameters that are texts, whatever they look like in a CSV file.

    Returns
    -------
    list of dict

    Raises
    ------
    BadTable
        When the file cannot be read, or has no set.
    """
    given = isinstance(grid, dict) or hasattr(grid, "columns")
    where = "grid" if given else str(grid)
    try:
        found = (
            _product(grid)
            if isinstance(grid, dict)
            else _rows(tables.read_table(grid))
            if given
            else _of_file(grid, texts)
        )
    except (OSError, ValueError, RecursionError) as error:  # pyarrow's own errors are among them; nested too deep
        expected, remedy = "lists of values in TOML, or a table of sets in CSV or Parquet", "Mend the file."
        raise BadTable(where, expected=expected, found=str(error), remedy=remedy) from error
    if not found or not found[0]:
        remedy = "Give each parameter a value at least."
        raise BadTable(where, expected="a set of parameters at least", found="none", remedy=remedy)
    return found


def check_sets(path, sets):
    """Return the sets with texts read as the declared types; every set that cannot run is named.

    Raises
    ------
    ReportFailed
        Names the sets, counting from 1, and what is wrong with each.
    """
    known, found, wrong = declarations.declared(path), [], {}
    for number, values in enumerate(sets, start=1):
        try:
            values = declarations.read(path, values, known)
            declarations.check(path, values, known)
            for name, value in values.items():
                if not isinstance(value, str | int | float) or (isinstance(value, float) and not math.isfinite(value)):
                    expected, remedy = "a text, number or truth value", "A set has plain values."
                    raise ReportFailed(name, expected=expected, found=repr(value), remedy=remedy)
            found.append(values)
        except DominoperfError as error:
            wrong.setdefault(str(error), []).append(number)
    if wrong:
        told = "; ".join(f"{_numbers(which)}: {why.rstrip('.')}" for why, which in wrong.items())
        where, expected = f"sweep of {path.stem}", "parameters that the notebook declares, in every set"
        said = f"{sum(map(len, wrong.values()))} of {len(sets)} sets otherwise: {told}"
        raise ReportFailed(where, expected=expected, found=said, remedy="Nothing has run. Mend the grid.")
    return found


def _of_file(path, texts):
    """The sets of a file: lists in TOML, else a table."""
    if str(path).endswith(".toml"):
        return _product(tomllib.loads(Path(path).read_text(encoding="utf-8")))
    rows = _rows(tables.read_table(path, texts=texts))
    return [{name: _whole(value) for name, value in row.items()} for row in rows]


def _product(lists):
    values = [value if isinstance(value, list) else [value] for value in lists.values()]
    if math.prod(map(len, values)) > _MOST:
        raise ValueError(f"lists whose product has more than {_MOST:,} sets")
    return [dict(zip(lists, each, strict=True)) for each in itertools.product(*values)]


def _rows(frame):
    """The rows with Python's own numbers: the kernel is told them as Python writes them."""
    return [{str(name): _own(value) for name, value in row.items()} for row in frame.to_dict("records")]


def _whole(value):
    """A number of a file: 1,000 is a whole one, whatever stands between its digits."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _own(value):
    return value.item() if hasattr(value, "item") else value


def _numbers(which):
    """Numbers of sets, in runs: ``set 3``, ``sets 1-4, 7``."""
    place = itertools.count()
    runs = [list(run) for _, run in itertools.groupby(which, lambda number: number - next(place))]
    told = ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)
    return f"set{'s' if len(which) > 1 else ''} {told}"
