"""The audit as a list that opens row by row; on a page of the site a script lets it be filtered and searched."""

import html
from dataclasses import dataclass

from dominoperf import catalog, rendering
from dominoperf.audit.audited import Audit

_FILTERS = ("document", "topic", "verdict")
_DETAILS = (
    ("Where", "locator"),
    ("Computed from", "inputs"),
    ("By", "expression"),
    ("Reading", "reading"),
    ("Hedge", "hedge"),
    ("Assuming", "assumption"),
    ("Tested against", "check"),
    ("Comment", "comment"),
    ("Id", "id"),
)


@dataclass(frozen=True)
class Listing:
    """Claims with their verdicts, a row each, which opens to how it was judged."""

    audit: Audit

    def __repr__(self):
        """Lay the list out for a terminal."""
        return rendering.as_text(self.audit.tidy()[["id", "verdict", "stated", "computed", "unit", "claim"]])

    def _repr_html_(self):
        years = {source: catalog.document(source).get("year") or source for source in _sources(self.audit)}
        rows = "".join(_row(each, years) for each in self.audit.tidy().itertuples())
        heads = "".join(f'<th scope="col">{name}</th>' for name in ("verdict", "document", "topic", "claim"))
        numbers = "".join(f'<th scope="col" class="number">{name}</th>' for name in ("stated", "computed"))
        return (
            f'<div class="scroll claims"><table><thead><tr>{heads}{numbers}<th scope="col">unit</th></tr></thead>\n'
            f"<tbody>\n{rows}</tbody></table></div>"
        )


def _sources(audit):
    return dict.fromkeys(claim.source for claim in audit.claims)


def _row(each, years):
    """A row; what it can be filtered by stands in its attributes, and its id lets other pages link to it."""
    name = f"claim-{each.source}-{each.id}"
    keys = {"document": f"{years[each.source]} {each.source}", "topic": each.topic, "verdict": each.verdict}
    attributes = "".join(f' data-{key}="{html.escape(keys[key])}"' for key in _FILTERS)
    cells = "".join(f"<td>{html.escape(text)}</td>" for text in (each.verdict, keys["document"], each.topic))
    said = "".join(f"<dt>{label}</dt><dd>{html.escape(text)}</dd>" for label, text in _told(each))
    claim = f"<td><details><summary>{html.escape(each.claim)}</summary><dl>{said}</dl></details></td>"
    numbers = "".join(f'<td class="number">{html.escape(text)}</td>' for text in (each.stated, each.computed))
    return (
        f'<tr id="{html.escape(name)}" class="{each.verdict}"{attributes}>{cells}{claim}{numbers}'
        f"<td>{html.escape(each.unit)}</td></tr>\n"
    )


def _told(each):
    """What a row opens to: the parts that say something."""
    return [(label, text) for label, name in _DETAILS if (text := getattr(each, name))]
