"""A part of a page that cannot be had: it says why, and the others stay."""

import functools
from dataclasses import dataclass

from dominoperf.errors import DominoperfError
from dominoperf.tables import rendering


@dataclass(frozen=True)
class Missing:
    """A part of a page that cannot be had, and why; what hangs on it is missing for the same reason, told once."""

    reason: str
    again: bool = False

    def __bool__(self):
        """Nothing is there."""
        return False

    def __repr__(self):
        """Return the reason."""
        return "Not here, for the reason given above." if self.again else f"Not here: {self.reason}"

    def _repr_markdown_(self):
        return rendering.SafeMarkdown(repr(self))._repr_markdown_()

    def tidy(self):
        """Return what is there of the table: itself."""
        return self


def part_or_missing(make):
    """Make a method give `Missing` with the reason where it raises an error of ours, or is given what is missing."""

    @functools.wraps(make)
    def made(self, *arguments, **named):
        lacking = [argument for argument in arguments if isinstance(argument, Missing)]
        try:
            return Missing(lacking[0].reason, again=True) if lacking else make(self, *arguments, **named)
        except DominoperfError as error:
            return Missing(str(error))

    return made
