"""The arithmetic under the laws: derivatives, roots, least squares, and where a fit begins.

Points run down axis 0, so that one call serves one curve (n points) or many at once (n points × curves).
"""

import functools

import numpy as np

# An imaginary step: f(p + ih) = f(p) + ih f'(p) has no difference in it, so nothing cancels. With central differences
# fits miss certified digits of NIST's Bennett5, Lanczos3 and Hahn1, and have no derivative where a parameter ends.
TINY = 1e-100
_HALVINGS = 110  # enough for the widest bracket, 1 to 1e15, down to the last digit; fewer where fewer do
_LEAST, _GREATEST = 0.01, 1e15  # where an inverse looks for x, where its law rises all the way
_SMALL = 1e-3  # a term that least squares would leave out starts with this share, so that it is inside its bounds
_RIDGE = 1e-12  # lets points that cannot tell two terms apart have a start all the same
_NEWTON_STEPS = 4  # what noise leaves after them, the fitter does


def derivative(function, x):
    """Return ``function'(x)``, exact to the last digits, by a step along the imaginary axis; x is real."""
    return np.imag(function(x + 1j * TINY)) / TINY


def defined_where(condition, otherwise=np.nan):
    """Say where a formula holds; elsewhere its value is `otherwise`, which may be a function of the same arguments.

    The formula is computed everywhere, in silence (it may divide by zero), and replaced where the condition is false.
    The condition gets the real parts, for complex numbers, the steps of derivatives, have no order.

    >>> @defined_where(lambda y, slope: slope > 0, otherwise=np.inf)
    ... def at(y, slope):
    ...     return y / slope
    >>> at(4, [2, 0]).tolist()
    [2.0, inf]
    """
    value = otherwise if callable(otherwise) else lambda *args: otherwise

    def decorate(formula):
        @functools.wraps(formula)
        def defined(*args):
            args = [np.asarray(arg, complex if np.iscomplexobj(arg) else float) for arg in args]
            with np.errstate(all="ignore"):
                return np.where(condition(*map(np.real, args)), formula(*args), value(*args))[()]

        return defined

    return decorate


@defined_where(lambda a, b, c: (b > 0) & (c > 0) & (b**2 >= 4 * a * c))
def smaller_root(a, b, c):
    """Return the smaller root above zero of ``a x^2 - b x + c = 0``, as ``2 c / (b + sqrt(b^2 - 4 a c))``.

    So written, nothing cancels, and no quadratic term, ``a = 0``, is no exception.
    """
    return 2 * c / (b + np.sqrt(b**2 - 4 * a * c))


def root(function, low, high, *params):
    """Return where ``function(x, *params)`` rises through zero between `low` and `high`, NaN where it does not.

    By halving, then a step of Newton's with the parameters as they are: with complex ones the root has the derivative
    by them.
    """
    real = [np.real(param) for param in params]
    low, high = (np.array(edge, float) for edge in np.broadcast_arrays(low, high, *real)[:2])
    there = (function(low, *real) <= 0) & (function(high, *real) >= 0)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if np.all((middle == low) | (middle == high)):
            break
        below = function(middle, *real) < 0
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    slope = derivative(lambda x: function(x, *real), middle)
    return np.where(there, middle - function(middle, *params) / np.where(slope == 0, 1, slope), np.nan)


def inverse_of_rising_law(function, *, low=lambda *params: 0.0, high=lambda *params: np.inf):
    """Return the inverse of a law from load `low` up to `high`, both functions of its parameters, by halving.

    It reaches below one processor, for a capacity near that of one has an interval that does.
    """

    def inverse(capacity, *params):
        low_load, high_load = (np.clip(np.real(end(*params)), _LEAST, _GREATEST) for end in (low, high))
        excess = lambda N, X, *params: function(N, *params) - X  # noqa: E731
        found = root(excess, low_load, high_load, capacity, *params)
        return np.where(np.real(function(low_load, *params)) > 0, found, np.nan)  # else what was found is a pole

    return inverse


def solve_positive_definite(matrix, right):
    """Return the solutions of many small systems, by elimination; NaN where one is not positive definite.

    `matrix` is p × p × curves, `right` p × curves.
    """
    rows = np.concatenate([matrix, right[:, None]], axis=1)
    for k in range(len(rows)):
        pivot = rows[k] / np.where(rows[k, k] > 0, rows[k, k], np.nan)
        rows -= rows[:, k, None] * pivot
        rows[k] = pivot
    return rows[:, -1]


def nonnegative_least_squares(columns, z, weights=1.0):
    """Return the coefficients, above zero, of the weighted least squares fit of z by the columns.

    A negative coefficient is taken out and the rest fitted again; what was taken out gets a small value.
    """
    weights = np.sqrt(weights)
    right = z * weights
    terms = np.stack([np.broadcast_to(column * weights, right.shape) for column in columns])
    size = np.sqrt((terms**2).sum(axis=1))
    size = np.where(size == 0, 1.0, size)
    highest = terms.max(axis=1)
    terms = terms / size[:, None]
    identity = np.eye(len(terms)).reshape(len(terms), len(terms), *[1] * (right.ndim - 1))
    normal = np.einsum("in...,jn...->ij...", terms, terms) + _RIDGE * identity
    sides = np.einsum("in...,n...->i...", terms, right)
    with np.errstate(all="ignore"):  # points that are not there
        coefficients, keep = solve_positive_definite(normal, sides), np.True_
        while (coefficients < 0).any():  # as often as there are terms at most: what was taken out comes out as 0
            keep = keep & ~(coefficients < 0)
            coefficients = solve_positive_definite(np.where(keep[:, None] & keep, normal, identity), sides * keep)
    small = _SMALL * np.abs(right).mean(axis=0) / np.where(highest > 0, highest, 1)
    return np.maximum(np.where(np.isfinite(coefficients), coefficients, 0.0) / size, small)


def reciprocal_least_squares(terms, y):
    """Return the coefficients c, above zero, with which ``1 / sum(c term)`` is closest to y, with relative errors.

    First ``y sum(c term) = 1`` by linear least squares. Then Newton's steps: with z = y term and q = 1 / sum(c z) the
    residual is q - 1, its derivative - q² z, the Hessian of half the sum of squares q³ (3 q - 2) z z'. The first ones
    stay where the steps leave the bounds.
    """
    z = np.stack([y * term for term in terms])
    linear = coefficients = nonnegative_least_squares(z, np.ones_like(y))
    with np.errstate(all="ignore"):
        for _ in range(_NEWTON_STEPS):
            q = 1 / np.einsum("p...,pn...->n...", coefficients, z)
            gradient = np.einsum("pn...,n...->p...", z, (q - 1) * q**2)
            hessian = np.einsum("in...,jn...,n...->ij...", z, z, q**3 * (3 * q - 2))
            coefficients = coefficients + solve_positive_definite(hessian, gradient)
    return np.where(np.all(coefficients > 0, axis=0), coefficients, linear)


def separable_start(function, params, linear, *, tries=None, change=np.asarray, error="relative"):
    """Return the start of a law that is linear in some of its parameters: least squares for these, the others tried.

    Parameters
    ----------
    linear : sequence of str
        Names of the parameters in which ``change(function(x, *params))`` is linear.
    tries : tuple, optional
        The name of the one other parameter that is fitted, and a function of x and y that gives the values to try.
    change : callable, optional
        A function of y: 1/y for example.
    """
    name, values = tries or ("", None)

    def start(x, y, held):
        def curve(values):
            return change(function(x, *(values[param.name] for param in params)))

        z = change(y)
        weights = 1 / z**2 if error == "relative" else 1.0
        free = [each for each in linear if each not in held]
        least = np.full(np.shape(y)[1:], np.inf)
        found = [np.zeros_like(least)] * len(params)
        for tried in [{name: value} for value in values(x, y)] if name and name not in held else [{}]:
            known = dict.fromkeys(linear, 0.0) | held | tried
            with np.errstate(all="ignore"):  # 1 / 0, where nothing takes time
                base = curve(known)
                columns = [curve(known | {each: 1.0}) - base for each in free]
            fitted = nonnegative_least_squares(columns, z - base, weights) if free else ()
            off = z - base - sum(value * column for value, column in zip(fitted, columns, strict=True))
            squares = (weights * off**2).sum(axis=0)
            known |= dict(zip(free, fitted, strict=True))
            better = squares < least
            found = [np.where(better, known[param.name], old) for param, old in zip(params, found, strict=True)]
            least = np.where(better, squares, least)
        pairs = zip(params, found, strict=True)
        return tuple(value if param.name in held else inside_bounds(param, value) for param, value in pairs)

    return start


def proportional_start(function, params, guess):
    """Return the start of a law that is proportional to its first parameter.

    ``guess(x, y, held)`` gives the other parameters in order; those that are held are put in their place, and the first
    follows from them.
    """
    first, *others = params

    def start(x, y, held):
        pairs = zip(others, guess(x, y, held), strict=True)
        rest = [held.get(param.name, inside_bounds(param, value)) for param, value in pairs]
        scale = held.get(first.name, best_scale(function(x, 1.0, *rest), y))
        return one_value_per_curve(y, scale, *rest)

    return start


def start_from_example(function, params, example):
    """Return a start at the parameters of an example; of a law proportional to its first one that is found first."""
    x, (first, *rest) = np.asarray(example[0], float), example[1]
    with np.errstate(all="ignore"):
        if np.allclose(function(x, 2 * first, *rest), 2 * function(x, first, *rest), rtol=1e-9, atol=0):
            return proportional_start(function, params, lambda x, y, held: rest)
    values = {param.name: value for param, value in zip(params, example[1], strict=True)}
    return lambda x, y, held: one_value_per_curve(y, *(held.get(name, value) for name, value in values.items()))


def best_scale(shape, y):
    """Return the factor that brings a curve closest to y, with relative errors, where the curve has values."""
    ratio = np.where(np.isfinite(shape), shape, 0.0) / y
    total = (ratio * ratio).sum(axis=0)
    return np.where(total > 0, ratio.sum(axis=0) / np.where(total > 0, total, 1), np.min(y, axis=0))


def fitted_slope(x, y):
    """Return the slope of the straight line through each curve; 1 where all x are the same."""
    off = x - np.mean(x, axis=0)
    squares = (off**2).sum(axis=0)
    return np.where(squares > 0, (off * (y - np.mean(y, axis=0))).sum(axis=0) / np.where(squares > 0, squares, 1), 1.0)


def inside_bounds(param, value):
    """Return a start inside its bounds: one on or beyond them is moved in, by a hundredth of the range if finite."""
    edge = 0.01 * (param.high - param.low)
    if not np.isfinite(edge):
        return np.maximum(value, param.low)
    inside = (value > param.low) & (value < param.high)
    return np.where(inside, value, np.clip(value, param.low + edge, param.high - edge))


def one_value_per_curve(y, *params):
    """Return every parameter the same shape: one value per curve."""
    return tuple(np.full(np.shape(y)[1:], param, float) for param in params)
