"""One law fitted to one set of points by weighted least squares."""

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
from scipy import optimize

from dominoperf import laws
from dominoperf.errors import (
    CannotFit,
    UnknownName,
    capitalized,
    check_level,
    check_number,
    counted,
    names_its_keywords,
    spelling,
)
from dominoperf.fitting.diagnostics import AUTO, check_error_model, choose_error_model
from dominoperf.fitting.least_squares import GIVEN_PER_POINT, IN_PROPORTION, Curves, Repeats
from dominoperf.fitting.points import PointsLike, ValuesLike, check_points, read_points
from dominoperf.fitting.result import Fit
from dominoperf.laws import Law
from dominoperf.tables.headings import LOADS
from dominoperf.tables.rows_of_one_curve import RAMP_IS_ONE_ROW

_LEAST_NOISE = 1e-7  # of the values, as a root mean square: of less, sums of squares lose what it adds
_FIRST_DAMPINGS = (1.0, 1e-3, 0.0, 1e3)  # tried together; 0 is the full step of Gauss and Newton
_NOTHING_RUN_AGAIN = "lacks how one run differs from the next, for nothing was run again: it weighs the points alone"
_INTERVALS = ("auto", "profile", "wald", "none")


@names_its_keywords()
def fit(
    law: str | Law | Callable, data: PointsLike | None = None, *, x: ValuesLike | None = None,
    y: ValuesLike | None = None, start: Mapping[str, float] | None = None,
    fixed: Mapping[str, float | None] | None = None, error: str | None = None, bounded: bool = True,
    sigma: float | None = None, y_err: ValuesLike | None = None, resolution: float | None = None,
    interval: str = "auto", level: float = 0.95, y_low: ValuesLike | None = None, y_high: ValuesLike | None = None,
    by_x: bool = False,
) -> Fit:  # fmt: skip
    """Return a law fitted to points by weighted least squares within the bounds of its parameters.

    Minimises ``sum(((y - f(x)) w)^2)`` with ``w = 1 / y`` for relative errors, 1 for constant ones and
    ``1 / y_err`` where each point has its own standard error.

    Parameters
    ----------
    law : str, Law or callable
        A name in `LAWS`, a record, or a plain function ``f(x, b1, b2, ...)`` of your own with `start`.
    data : str, path, DataFrame, dict or array, optional
        The name of a series, the id of a table, a frame, the path or URL of a CSV or Parquet file; columns as a dict of
        sequences, or an array of two columns, x and y. Left out, x and y are the values themselves.
    x, y : str or sequence, optional
        Columns; by default those of the series, else those of the law ("x" and "y" for a plain function), else the only
        two of numbers in a file or frame. Without data the values, in the units of the law.
    start : dict, optional
        Where to begin: a value for each parameter of a plain function, or for some of a law's.
    fixed : dict, optional
        Known constants by name (servers, think time, an exponent), held and not fitted, in the units of the law: 0.05
        for 5 %. None frees one that the law itself holds.
    error : {"relative", "constant", "auto"}, optional
        How the noise grows; by default as the law says, and constant for a plain function. "auto" takes what the
        residuals choose by their likelihood: relative, constant, or in proportion to a fitted power of the value; to
        its square root where they cannot choose. `note` says which and why, and intervals hold those of the square root
        too. Weights ``1 / y`` of measured values lower a curve by about ``2 s^2``, s the relative scatter.
    bounded : bool
        Whether parameters keep to their bounds; without them contention and coherency may be negative.
    sigma : float, optional
        Known standard deviation of the noise: by default relative (0.02 is 2 % of each value), with
        ``error="constant"`` in the unit of the column y as it is given. Gives intervals without residual freedom.
    y_err : str or sequence, optional
        A standard error per point, in the unit of y: a column, or one number per point, taken as it is
        (``absolute_sigma=True`` of SciPy's ``curve_fit``). Intervals are normal, and the weighted sum of squares tests
        the law by chi-squared. A column beside it, throughput_dof of throughput_std_error or dof of std_error, as
        `curve` gives it, says on how many degrees of freedom each error rests, empty or infinite for a known one:
        intervals are then Student's, and the test is F, with the least of these. Where all are 0 nothing was run again:
        the errors weigh the points, and the residuals tell their size.
    resolution : float, optional
        Step of the printed y values, in their unit; by default the series' own. A residual error below
        ``step / sqrt(12)`` is not believed.
    interval : {"auto", "profile", "wald", "none"}
        How intervals are made; "auto" is the profile of the sum of squares, which is Student's t for a law that is
        linear in its parameters.
    level : float
        Coverage of the intervals.
    y_low, y_high : str or sequence, optional
        Columns in place of y: a capacity lies between the last load that passed and the next that did not. y_high empty
        or infinite: it lies above y_low, which was the last load tried; y_low empty: below y_high; both alike: an exact
        one. The fit is by maximum likelihood; `sigma` holds the standard deviation.
    by_x : bool
        Whether the rows of one x become one point, their mean. Its standard error is that of their scatter, pooled over
        all x as `error` has it grow with the value: ``s mean^p / sqrt(k)`` for k rows. Intervals are Student's with as
        many degrees of freedom as rows minus different x, and an F test with these judges the law.

    Returns
    -------
    Fit

    Raises
    ------
    BadTable
        When two columns have the name of one that is needed.
    CannotFit
        With fewer different x values than parameters, values that no law can take, units that the law does not
        understand, a constant that is not given, or settings that cannot be, alone or together.
    UnknownName
        When the law, the series, a column or a parameter does not exist.

    Examples
    --------
    >>> from dominoperf import fit
    >>> amdahl = fit("amdahl", "smp_mail")
    >>> amdahl.describe("contention")
    'contention 0.3471 (95 % interval 0.3298 to 0.3646)'
    >>> fit("amdahl", x=[1, 2, 3], y=[1920, 2850, 3400]).points[1].tolist()
    [1920.0, 2850.0, 3400.0]
    """
    check_level(level, "fit")
    if interval not in _INTERVALS:
        raise UnknownName.among("interval", interval, _INTERVALS)
    for name, value in (("sigma", sigma), ("resolution", resolution)):
        if value is not None:
            where = spelling(f"fit({name}=...)", f"--{name}")
            check_number(where, value, 0, np.inf)  # of 0 and -1 it says in plain words that they are not positive
            check_number(where, value, 1e-100, 1e100)  # squares of it are numbers
    if y_low is not None or y_high is not None:
        for name, value in (("y", y), ("y_err", y_err), ("resolution", resolution)):
            if value is not None:
                where = spelling("fit(y_low=..., y_high=...)", "--y-low, --y-high")
                remedy = "Leave it out: the two columns say where each capacity lies."
                raise CannotFit(where, expected="no other column of y", found=name, remedy=remedy)
        from dominoperf.fitting.censored import fit_between  # asked for seldom

        settings = {"fixed": fixed, "error": error, "bounded": bounded, "sigma": sigma, "level": level}
        law = laws.resolve_law(law, start)
        return fit_between(law, data, x, y_low, y_high, interval=interval, **settings)
    _check_noise_of_fit({"by_x": by_x or None, "y_err": y_err, "sigma": sigma, "error": error})
    law = laws.resolve_law(law, start)
    measured = read_points(data, x, y, law, y_err)
    why_error_model = "" if measured.errors_dof else f"{y_err} {_NOTHING_RUN_AGAIN}"
    curves = weighted_curves_of_points(law, measured, fixed=fixed, error=error, bounded=bounded)
    if error == AUTO:
        model, power, why_error_model = choose_error_model(curves)
        curves = Curves.from_points(law, curves.x, curves.y, fixed=fixed, error=model, bounded=bounded, power=power)
    if by_x:
        curves = _means_of_each_x(curves, measured.names, f"fit of {law.name} to {measured.source}")
        measured = replace(measured, index=None)  # a mean is no row
    dampings = _FIRST_DAMPINGS if start else _FIRST_DAMPINGS[:1]  # a law's own start is near
    best, squares, converged = _best_search_of_fit(curves, dampings)
    if not converged:
        raise _error_of_no_best_fit(law, measured, best, start)
    step = measured.step if resolution is None else resolution * measured.y_factor
    if sigma is not None:
        sigma = sigma * (measured.y_factor if curves.error == "constant" else 1.0)
        check_size_of_noise(curves, sigma, "fit(sigma=...)", "--sigma")
    elif curves.error == GIVEN_PER_POINT and not by_x:
        check_size_of_noise(curves, 1.0, "fit(y_err=...)", "--y-err")
    (residual_sd,), (error_from,) = curves.residual_sd(np.array([squares]), sigma=sigma, step=step)
    if measured.kind == "rule":
        residual_sd, error_from = np.nan, "rule"
    interval = "profile" if interval == "auto" else interval
    return Fit(
        law=law, curves=curves, estimates=best, measured=measured, level=level, residual_sd=float(residual_sd),
        error_from=error_from, interval=interval, why_error_model=why_error_model,
    )  # fmt: skip


def _check_noise_of_fit(given):
    """Refuse two statements of one noise."""
    words = {
        "by_x": "by_x takes the errors of the means, {} others",
        "y_err": "y_err has the error of each point, {} what all have in common",
    }
    for one, other in (("by_x", "y_err"), ("by_x", "sigma"), ("y_err", "sigma"), ("y_err", "error")):
        if given[one] is not None and given[other] is not None:
            where, remedy = spelling(f"fit({one}=...)", f"--{one.replace('_', '-')}"), words[one].format(other)
            raise CannotFit(where, expected=f"{one} or {other}", found="both", remedy=f"Leave one out: {remedy}.")
    if given["sigma"] is not None and given["error"] == AUTO:
        where, remedy = spelling("fit(sigma=...)", "--sigma"), "Say whether sigma is relative or constant."
        raise CannotFit(where, expected="an error model", found="auto", remedy=remedy)


def weighted_curves_of_points(law, points, *, fixed, error, bounded):
    """Return the points weighted for a fit, once nothing speaks against it.

    `CannotFit` with fewer different x values than free parameters, or values that the law cannot take; `UnknownName`
    where there is no such error model or parameter.
    """
    laws.check_fixed(law, fixed or {})
    check_error_model(error, (AUTO,))
    if error == AUTO:  # chosen once there are residuals, beginning with the law's own
        error = None if (points.y > 0).all() else "constant"
    if points.y_err is not None:
        error = GIVEN_PER_POINT if points.errors_dof else IN_PROPORTION
    where, rows = f"fit of {law.name} to {points.source}", np.arange(len(points.x))
    check_points(where, law, error or law.error, points.names, (points.x, points.y), rows, points.source)
    curves = Curves.from_points(law, points.x[:, None], points.y[:, None], fixed=fixed, error=error, bounded=bounded)
    if points.y_err is not None:
        stated = Repeats(0, np.nan, GIVEN_PER_POINT, 0.0, points.errors_dof)
        repeats = stated if np.isfinite(points.errors_dof) and points.errors_dof else None
        curves = replace(curves, weights=1 / points.y_err[:, None], repeats=repeats)
    different, free = len(np.unique(points.x)), np.count_nonzero(curves.free)
    if not free:
        remedy = spelling("Leave one out of fixed.", "Leave one of --fixed out.")
        raise CannotFit(where, expected="a parameter to seek", found="all held", remedy=remedy)
    if different < free:
        fewer = []  # laws that would fit, each with the constants that somebody has to give
        for other in laws.LAWS.values():
            if other.family == law.family and len(other.fitted_names) <= different:
                names = [param.name for param in other.params if param.required]
                constants = ", ".join(spelling(f"{name}=...", f"--fixed {name} VALUE") for name in names)
                how = spelling(f" with fixed={{{constants}}}", f" with {constants}") if names else ""
                fewer.append(f"{other.name}{how}")
        expected = f"at least {free} points with different x, one for each parameter"
        others = f"; of its family {', '.join(fewer)} would fit" if fewer else ""
        remedy = f"Measure at more x{others}."
        if different == 1 and points.names[0] in LOADS:
            remedy += f" {capitalized(RAMP_IS_ONE_ROW)}."
        raise CannotFit(where, expected=expected, found=str(different), remedy=remedy)
    return curves


def check_size_of_noise(curves, noise, python, shell):
    """Refuse a stated noise so far below the values that sums of squares do not show it."""
    size = curves.norm.max() / np.sqrt(len(curves.x))
    if noise < _LEAST_NOISE * size:
        expected = f"noise of {_LEAST_NOISE:g} of the values or more, as measurements have"
        found, remedy = f"{noise / size:.3g} of them", "State how far runs of one load differ."
        raise CannotFit(spelling(python, shell), expected=expected, found=found, remedy=remedy)


def _means_of_each_x(curves, names, where):
    """Rows of one curve with each x once: the mean of its y, with the standard error of that mean.

    The scatter of the rows about their means is pooled over all x, as the error model has it grow with the value:
    ``s^2 = sum(((y - mean) / mean^p)^2) / (rows - x)``, and the error of a mean of k rows is ``s mean^p / sqrt(k)``.
    `CannotFit` where no x has two rows that differ, and so nothing shows the scatter.
    """
    x, group, count = np.unique(curves.x[:, 0], return_inverse=True, return_counts=True)
    y, dof = curves.y[:, 0], count - 1
    means = np.bincount(group, y) / count
    off = y - means[group]
    if curves.exact(np.sum((curves.weights[:, 0] * off) ** 2))[0]:
        found = f"{counted(len(y), 'row')} at {len(x)} different {names[0]}, without a difference at any of them"
        remedy = spelling("Leave by_x out: take the rows as they are.", "Leave --by-x out: take the rows as they are.")
        raise CannotFit(where, expected="rows of one x that differ", found=found, remedy=remedy)
    grows = means**curves.power
    pooled = np.sqrt(np.sum((off / grows[group]) ** 2) / dof.sum())
    repeats = Repeats(len(y), float(pooled), curves.error, curves.power, int(dof.sum()))
    weights, given = np.sqrt(count) / (pooled * grows), {"error": GIVEN_PER_POINT, "power": 0.0, "repeats": repeats}
    return replace(curves, x=x[:, None], y=means[:, None], weights=weights[:, None], **given)


def _best_search_of_fit(curves, dampings):
    """The best parameters of one curve by several searches from the one start, of equals the first.

    Where none comes to an end, the best curve lies in a narrow curved valley: MINPACK's search, or SciPy's own within
    bounds, goes along it, and ours finds the last digits.
    """
    searches = curves if len(dampings) == 1 else curves.take(np.zeros(len(dampings), int))
    params, squares, converged = searches.solve(damping=np.array(dampings))
    best = np.lexsort((~converged, squares > squares.min() * (1 + 1e-9)))[0]
    near = params[:, best]
    if converged[best] or not np.isfinite(squares[best]):
        return near, squares[best], converged[best]
    free, (low, high) = curves.free, (bound[:, 0] for bound in curves.bounds)

    def all_params(free_params):
        params = near.copy()
        params[free] = free_params
        return params[:, None]

    def residuals(free_params):
        return curves.residuals(all_params(free_params))[:, 0]

    def jacobian(free_params):
        return curves.jacobian(all_params(free_params))[free, :, 0].T

    settings = {"method": "lm", "max_nfev": 20_000}
    if np.isfinite([low[free], high[free]]).any():  # SciPy's bounded steps are slow; what needs more never arrives
        settings = {"method": "trf", "bounds": (low[free], high[free]), "x_scale": "jac", "max_nfev": 500}
    settings |= {"ftol": 1e-15, "xtol": 1e-15, "gtol": 1e-15}  # near the least that SciPy takes
    try:
        with np.errstate(all="ignore"):
            reached = optimize.least_squares(residuals, near[free], jacobian, **settings)
    except ValueError:  # a step led to where the law has no value
        return near, np.nan, False
    params, squares, converged = curves.solve(all_params(reached.x))
    return params[:, 0], squares[0], converged[0]


def _error_of_no_best_fit(law, data, reached, start):
    """What to raise where a search found no best parameters."""
    stopped = ", ".join(f"{name} = {value:.4g}" for name, value in zip(law.names, reached, strict=True))
    found = f"a search that stopped at {stopped}"
    begin = "Begin nearer the answer with start={...}, hold a parameter with fixed={...}, or scale the columns."
    remedy = spelling(begin, "Hold a parameter with --fixed NAME VALUE, or scale the columns.")
    if np.isnan(reached).any() and law.name in laws.LAWS and not start:
        found = f"points that no curve of it comes near: x is {data.names[0]}, y is {data.names[1]}"
        x = f"{law.x or 'x'}{' (a share, from 0 to 1)' * (law.x_unit == '1')}"
        named = spelling("give such values or columns as x=... and y=...", "name such columns with --x and --y")
        remedy = f"The law is one of {law.y or 'y'} by {x}: {named}."
    where = f"fit of {law.name} to {data.source}"
    return CannotFit(where, expected="parameters that fit best", found=found, remedy=remedy)
