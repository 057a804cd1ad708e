"""What no fit can have: settings and values, refused with words that say what to do."""

import numpy as np

from dominoperf.errors import CannotFit, UnknownName

_ERRORS = ("relative", "constant")


def check_error(error):
    """Refuse an error model that does not exist; None stands for the law's own."""
    if error not in (None, *_ERRORS):
        raise UnknownName.among("error", error, _ERRORS, f"It is {' or '.join(_ERRORS)}.")


def check_points(where, law, error, names, points, rows):
    """Refuse values that no curve can have; `rows` says which row of the data each comes from."""
    for name, values, positive in zip(names, points, (law.positive, error == "relative"), strict=True):
        bad = ~np.isfinite(values) | (positive & (values <= 0))
        if bad.any():
            row = rows[bad].min()
            expected, found = "a number above zero" if positive else "a number", str(values[rows == row][0])
            remedy = "Leave out the rows without a value, and text."
            raise CannotFit(f"{where}, column {name}, row {row + 1}", expected=expected, found=found, remedy=remedy)
