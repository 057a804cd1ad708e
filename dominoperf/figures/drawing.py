"""A drawing: what is drawn on axes, the chart for a pointer that goes with it, and the errata that touch it."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from dominoperf.tables.carried_errata import errata_of


@dataclass(frozen=True)
class Drawing:
    """Something to draw, for `picture`; called as ``draw`` is."""

    draw: Callable[[Any], Any]
    """Draws on the axes that it is given; where it is `figure_level`, makes a grid of panels of the size given."""
    errata: tuple = ()
    chart: Callable[[], list] | None = None
    """Returns the layers of a chart for a reader's pointer."""
    figure_level: bool = False

    def __call__(self, where: Any) -> Any:
        """Draw."""
        return self.draw(where)

    def with_errata_of(self, *things: Any) -> "Drawing":
        """Return the drawing with the errata that touch what it draws, for `picture` to tell."""
        return replace(self, errata=tuple(errata_of(*things)))
