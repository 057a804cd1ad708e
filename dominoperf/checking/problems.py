"""A problem of a data folder, as `check` tells it."""

COLUMNS = ["file", "line", "column", "expected", "found", "remedy"]
# What libraries raise over a file or descriptor that is none: all mean the same to the user.
UNREADABLE = (TypeError, AttributeError, KeyError, ValueError, IndexError, RuntimeError, OSError)


def problem(file, line, column, expected, found, remedy):
    """Make a problem: where, what was expected, what was found, what to do."""
    return dict(zip(COLUMNS, (file, line, column, expected, found, remedy), strict=True))


def unknown_unit(file, line, column, unit):
    """Make the problem of a unit that pint does not know."""
    remedy = "Write it as pint does: s, MB, GB, percent, user, USD/user, tpm."
    return problem(file, line, column, "a unit that pint knows", repr(unit), remedy)
