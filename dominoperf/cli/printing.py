"""How a command prints a table, counts things or says something, and its exit status where something differs."""

import sys

from dominoperf.errors import visible

WRONG = 1  # something differs from what it should be


def counted(number, name):
    """Say how many, in the singular or plural."""
    return f"{number or 'no'} {name}{'' if number == 1 else 's'}"


def say(text, *, end="\n"):
    """Print; to a terminal, which would obey what stands in somebody's data, without control characters."""
    print(visible(str(text)) if sys.stdout.isatty() else text, end=end)


def tell(text):
    """Print a message beside the output, always without control characters."""
    print(visible(str(text)), file=sys.stderr)


def tell_doubts(result):
    """Tell beside the output which suspected errata touch a frame or a result."""
    from dominoperf.tables import doubts

    for doubt in doubts.told_once(doubts.doubts(result)):
        if doubt.status in ("suspected", "reread"):
            tell(f"note: {doubts.in_a_line(doubt)}")


def print_table(frame, arguments):
    """Print a table in the format that was asked for."""
    from dominoperf.tables import rendering

    tell_doubts(frame)
    say(rendering.FORMATS[arguments.format](frame), end="")
