"""Where a fit begins: linear least squares where a law is linear after a change of form, a short scan where it is not.

All of it works down axis 0, so that one call serves a curve (shape n) or many at once (n points by rows of curves).
"""

import numpy as np

from dominoperf.laws.solving import products, symmetric

_SMALL = 1e-3  # a term that least squares would leave out starts with this share, so that it is inside its bounds
_RIDGE = 1e-12  # lets points that cannot tell two terms apart have a start all the same


def nonnegative(columns, z, weights):
    """Coefficients, above zero, of the weighted least squares fit of z by the columns.

    A negative coefficient is taken out and the rest fitted again; what was taken out gets a small value.
    """
    shape = np.broadcast_shapes(np.shape(z), np.shape(weights), *map(np.shape, columns))
    root = np.sqrt(np.broadcast_to(weights, shape).reshape(shape[0], -1))
    terms = np.stack([np.broadcast_to(column, shape).reshape(shape[0], -1) for column in columns]) * root
    right = np.broadcast_to(z, shape).reshape(shape[0], -1) * root
    size = np.sqrt((terms**2).sum(1))
    size = np.where(size == 0, 1, size)
    found = _solve(terms / size[:, None], right)
    small = _SMALL * np.abs(right).mean(0) / np.where(terms.max(1) > 0, terms.max(1), 1)
    return np.maximum(found / size, small).reshape(len(columns), *shape[1:])


def _solve(terms, z):
    """Solve the normal equations of all curves; those with negative coefficients again, without these terms."""
    square, right = products(terms, 1.0), np.einsum("pnr,nr->pr", terms, z)
    keep = np.ones(right.shape)
    while True:  # as often as there are terms at most: what was taken out comes out as 0
        with np.errstate(invalid="ignore"):
            found = symmetric(_of_kept(square, keep), right * keep)
        if not (found < 0).any():
            return np.where(np.isfinite(found), found, 0.0)
        keep = keep * ~(found < 0)


def _of_kept(square, keep):
    """The equations of the terms that are kept; that of another says that it is nothing."""
    own = lambda i, j: (_RIDGE + 1 - keep[i]) if i == j else 0.0  # noqa: E731
    return [[each * keep[i] * keep[j] + own(i, j) for j, each in enumerate(row)] for i, row in enumerate(square)]


def separable(params, columns, *, tries=None, change=np.asarray, error="relative"):
    """Make the start of a law that is a sum of terms, linear in most of its parameters.

    Parameters
    ----------
    columns : callable
        ``columns(x, given)`` gives the term of each linear parameter by name; `given` has the others by name.
    tries : tuple, optional
        The name of a parameter that is not linear, and a function of x that gives the values to try.
    change : callable, optional
        What of y the terms add up to, 1/y for example.
    """
    name, values = tries or ("", None)

    def start(x, y, held):
        z = change(y)
        weights = 1 / z**2 if error == "relative" else 1.0
        given = [held | {name: value} for value in values(x)] if name and name not in held else [held]
        tried = np.stack([_try(params, columns(x, each), each, z, weights) for each in given])
        best = np.argmin(tried[:, 0], axis=0)[None, None]
        found = np.take_along_axis(tried, best, 0)[0, 1:]
        return tuple(
            value if param.name in held else within(param, value) for param, value in zip(params, found, strict=True)
        )

    return start


def _try(params, terms, given, z, weights):
    """Sum of squares and parameters of one value tried."""
    left = z - sum(given[name] * term for name, term in terms.items() if name in given)
    free = {name: term for name, term in terms.items() if name not in given}
    found = dict(zip(free, nonnegative([*free.values()], left, weights), strict=True)) if free else {}
    off = left - sum(found[name] * term for name, term in free.items())
    return np.stack(level(z, (weights * off**2).sum(0), *((given | found)[param.name] for param in params)))


def factor(shape, y):
    """The factor that brings a curve closest to y, with relative errors; points where the curve has no value pass."""
    known = np.isfinite(shape)
    ratio = np.where(known, np.where(known, shape, 1) / y, 0)
    total = (ratio**2).sum(0)
    return np.where(total > 0, ratio.sum(0) / np.where(total > 0, total, 1), np.min(y, axis=0))


def slope(x, y):
    """Slope of the straight line through each curve; 1 where all x are the same."""
    off = x - np.mean(x, axis=0)
    spread = (off**2).sum(0)
    return np.where(spread > 0, (off * (y - np.mean(y, axis=0))).sum(0) / np.where(spread > 0, spread, 1), 1.0)


def within(param, value):
    """Keep a start a hundredth of the range away from bounds that are both finite."""
    edge = 0.01 * (param.high - param.low)
    return np.clip(value, param.low + edge, param.high - edge) if np.isfinite(edge) else np.maximum(value, param.low)


def scaled(function, params, guess):
    """Make the start of a law that is proportional to its first parameter.

    ``guess(x, y, held)`` gives the other parameters in order; those that are held are put in their place, and the first
    follows from them.
    """
    first, *others = params

    def start(x, y, held):
        free = zip(others, guess(x, y, held), strict=True)
        rest = [held.get(param.name, within(param, value)) for param, value in free]
        scale = held.get(first.name, factor(function(x, 1.0, *rest), y))
        return level(y, scale, *rest)

    return start


def level(y, *params):
    """Return every parameter the same shape: one value a curve."""
    return tuple(np.broadcast_to(param, np.shape(y)[1:]) + 0.0 for param in params)
