"""Several laws fitted to the same points, and set against each other."""

import numpy as np

from dominoperf import laws
from dominoperf.errors import CannotFit, UnknownName, spelling
from dominoperf.fitting.comparison import Comparison, check_same
from dominoperf.fitting.fit import fit
from dominoperf.fitting.points import check_order

_MOST = 5000  # points: the simulation of larger sets takes minutes and gigabytes


def compare(family, data=None, *, fixed=None, level=0.95, **settings):
    """Return every law of a family fitted to the same points, which laws these refute, and which one they name.

    A law is refuted by simulating it at its own fit: ``T = ln S - min ln S`` of the other laws (S the weighted sum of
    squares) is larger than in most replicates. Of linear scaling, Amdahl's law and the universal law the simplest that
    stands is named, unless another law that stands may lie far from it at twice the last load; `fitting.evidence` has
    the method, ``data/evidence.toml`` its limits. A refuted law has no part in forecasts and spans.

    Parameters
    ----------
    family : str or list
        A name in `FAMILIES`, or laws by name or record.
    data : str, path, DataFrame, dict or array, optional
        As for `fit`; left out, x and y are the values.
    fixed : dict, optional
        Known constants by name; each law takes those that it has.
    level : float
        Coverage of the intervals; a law is refuted when its p value is below ``1 - level``, some sooner or later.
    **settings
        x, y, error, bounded, sigma, y_err, resolution, interval, by_x, y_low, y_high, as for `fit`. With y_low and
        y_high the laws are fitted by likelihood and none is refuted or named, for nothing calibrates such a verdict.

    Returns
    -------
    Comparison

    Raises
    ------
    CannotFit
        When no law of the family can be fitted to the points, or two take different columns of them for y; with more
        than 5,000 points, for each law is simulated on as many: `by_x` makes one of the rows of each x.
    UnknownName
        When the family, a law, a column or a held parameter of no law exists.

    Examples
    --------
    >>> from dominoperf import compare
    >>> compare(["linear", "amdahl"], "smp_mail").not_rejected
    ['amdahl']
    """
    check_order("compare", family, data, {**laws.FAMILIES, **laws.LAWS})
    members, fixed = laws.family(family), fixed or {}
    laws.check_named("fixed", fixed)
    names = sorted({name for law in members for name in law.names})
    for name in fixed:
        if name not in names:
            listing = f"Parameters are {', '.join(names)}."
            raise UnknownName.among("parameter of these laws to hold", name, names, listing)
    fits, refused = [], {}
    for law in members:
        constants = {name: value for name, value in fixed.items() if name in law.names}
        try:
            fits.append(fit(law, data, fixed=constants, level=level, **settings))
        except CannotFit as error:
            refused[law.name] = error
            continue
        if (count := len(fits[-1].curves.x)) > _MOST:
            found = f"{count:,} at {len(np.unique(fits[-1].curves.x)):,} different x"
            how = spelling("by_x=True", "--by-x")
            remedy = f"Compare the means of each x with their standard errors ({how}), or fit one law to all of them."
            expected = f"at most {_MOST:,} points, for each law is simulated on as many"
            raise CannotFit(f"compare, {fits[-1].source}", expected=expected, found=found, remedy=remedy)
    if not fits:
        raise next(iter(refused.values()))
    check_same(fits, "y")
    fits.sort(key=lambda fit: fit.curves.free.sum())
    reasons = {
        name: f"{error.where}: expected {error.expected}, found {error.found}" for name, error in refused.items()
    }
    return Comparison(tuple(fits), reasons, fits[0].source, level)
