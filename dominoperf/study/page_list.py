"""Claims, errata and recommendations as a page lists them."""

from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from dominoperf import tables
from dominoperf.study.audit.audited import stated_and_computed
from dominoperf.tables import loading, rendering

_TEMPLATES = Path(__file__).with_name("templates")
_IN_TERMINAL = {
    "claims": ["id", "verdict", "stated", "computed", "unit", "claim"],
    "contradictions": ["bears_on", "id", "stated", "computed", "comment"],
    "errata": ["bears_on", "status", "source", "mistake", "consequence"],
    "recommendations": ["id", "verdict", "advice"],
}


@dataclass(frozen=True)
class PageList:
    """Rows as a page lists them, each with its place; in a terminal some of their columns.

    Parameters
    ----------
    kind : str
        "claims" (rows of `Audit.tidy`), "contradictions" (of `Audit.contradictions`), "errata" (of `errata_groups`) or
        "recommendations" (of `advice`): there is a template of each.
    rows : DataFrame
    """

    kind: str
    rows: pd.DataFrame

    def __repr__(self):
        """Lay the list out for a terminal."""
        return rendering.as_text(self.rows[_IN_TERMINAL[self.kind]])

    def _repr_html_(self):
        known = {"document": tables.document, "erratum_name": loading.erratum_name}
        known |= {"rows": [*self.rows.itertuples()], "stated_and_computed": stated_and_computed}
        return str(rendering.rendered_template(_TEMPLATES, f"{self.kind}.html", **known))
