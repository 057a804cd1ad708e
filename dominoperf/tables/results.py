"""What every result that speaks has in common: a headline in words, then its tables, in a terminal and on a page."""

import abc
import html

import pandas as pd

from dominoperf.tables.rendering import Table


class Result(abc.ABC):
    """A result, which is a frozen dataclass: `headline()`, `tidy()` and `glance()`, and how they are shown."""

    @abc.abstractmethod
    def headline(self) -> str:
        """Return what was found, in a sentence or a few."""

    @abc.abstractmethod
    def tidy(self) -> pd.DataFrame:
        """Return a row for each part."""

    @abc.abstractmethod
    def glance(self) -> pd.DataFrame:
        """Return one row for the whole."""

    def _tables(self):
        """The frames below the headline."""
        return (self.tidy(),)

    def _page_tables(self):
        """Those of them on a page."""
        return self._tables()

    def __str__(self):
        """Return the headline and the tables as text for a terminal."""
        return "\n".join([f"{self.headline()}\n", *(str(Table(frame)) for frame in self._tables())])

    def __repr__(self):
        """Return what `print` shows."""
        return str(self)

    def __init_subclass__(cls, **settings):
        """Keep that where a dataclass would write its fields."""
        super().__init_subclass__(**settings)
        cls.__repr__ = Result.__repr__

    def _repr_html_(self):
        tables = "".join(Table(frame)._repr_html_() for frame in self._page_tables())
        return f"<p>{html.escape(self.headline())}</p>{tables}"
