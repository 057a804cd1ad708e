"""How a command prints a table or counts things, and its exit status where something differs."""

WRONG = 1  # something differs from what it should be


def counted(number, name):
    """Say how many, in the singular or plural."""
    return f"{number or 'no'} {name}{'' if number == 1 else 's'}"


def print_table(frame, arguments):
    """Print a table in the format that was asked for."""
    from dominoperf import rendering

    print(rendering.FORMATS[arguments.format](frame), end="")
