"""Options that are given again and again, a name and a value each."""

from dominoperf.errors import UnknownName


def by_name(option, pairs):
    """Return the values by name.

    Raises
    ------
    UnknownName
        When a name is given twice: nobody can say which value was meant.
    """
    found = {}
    for name, value in pairs:
        if name in found:
            told = f"{name} as {found[name]} and as {value}"
            raise UnknownName(option, expected="every name once", found=told, remedy="Leave one of them out.")
        found[name] = value
    return found
