"""A problem of a data folder, as `check` tells it."""

from dominoperf.errors import shortened

COLUMNS = ["file", "line", "column", "expected", "found", "remedy"]
# What libraries raise over a file or descriptor that is none: all mean the same to the user.
UNREADABLE = (TypeError, AttributeError, KeyError, ValueError, IndexError, RuntimeError, OSError)


_LONGEST = 350  # characters of a part: a line for a terminal


def problem(file, line, column, expected, found, remedy):
    """Make a problem: where, what was expected, what was found, what to do."""
    file, column, *told = (shortened(text, _LONGEST) for text in (file, column, expected, found, remedy))
    return dict(zip(COLUMNS, (file, line, column, *told), strict=True))


def bad_byte(error):
    """Return the line and the value of the byte that a `UnicodeDecodeError` is about.

    Of the bytes that it carries: a byte-order mark, which a codec takes off before, is not among them.
    """
    return error.object[: error.start].count(b"\n") + 1, f"byte 0x{error.object[error.start]:02x}"


def unknown_unit(file, line, column, unit):
    """Make the problem of a unit that pint does not know."""
    remedy = "Write it as pint does: s, MB, GB, percent, user, USD/user, tpm."
    return problem(file, line, column, "a unit that pint knows", repr(unit), remedy)
