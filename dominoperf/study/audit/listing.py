"""The audit as a list that opens row by row; on a page of the site a script lets it be filtered and searched."""

import html
from dataclasses import dataclass

from dominoperf import tables
from dominoperf.study.audit.audited import Audit
from dominoperf.tables import rendering

_HEADS = ("verdict", "claim", "stated", "computed", "document", "topic")
_FILTERS = ("document", "topic", "verdict")
_DETAILS = (
    ("Where", "locator"),
    ("Computed from", "inputs"),
    ("By", "expression"),
    ("Reading", "reading"),
    ("Assuming", "assumption"),
    ("Tested against", "check"),
    ("Comment", "comment"),
    ("Id", "id"),
)


_WEIGHTS = {
    "plan": "What a plan would take over",
    "conclusion": "What the document concludes",
    "wording": "Slips of wording and print",
}


@dataclass(frozen=True)
class Contradictions:
    """The contradicted claims by what they change: stated, computed, and by what each is contradicted."""

    audit: Audit

    def __repr__(self):
        """Lay them out for a terminal."""
        return rendering.as_text(self.audit.contradictions()[["bears_on", "id", "stated", "computed", "comment"]])

    def _repr_html_(self):
        rows = self.audit.contradictions()
        return "".join(_weighed(words, rows[rows["bears_on"] == each]) for each, words in _WEIGHTS.items())


def _weighed(words, rows):
    """The contradictions of one weight."""
    if rows.empty:
        return ""
    body = "".join(_contradiction(row) for row in rows.itertuples())
    heads = "".join(f'<th scope="col">{name}</th>' for name in ("claim", "stated", "computed", "why"))
    return f"<h3>{words} ({len(rows)})</h3><table><thead><tr>{heads}</tr></thead>\n<tbody>\n{body}</tbody></table>"


def _contradiction(row):
    place = f"<br><small>{html.escape(f'{row.source}, {row.locator}')}</small>"
    cells = "".join(f"<td>{html.escape(text)}</td>" for text in (*_numbers(row), row.comment))
    return f"<tr><td>{html.escape(row.claim)}{place}</td>{cells}</tr>\n"


@dataclass(frozen=True)
class Listing:
    """Claims with their verdicts, a row each, which opens to how it was judged."""

    audit: Audit

    def __repr__(self):
        """Lay the list out for a terminal."""
        return rendering.as_text(self.audit.tidy()[["id", "verdict", "stated", "computed", "unit", "claim"]])

    def _repr_html_(self):
        years = {source: tables.document(source).get("year") or source for source in _sources(self.audit)}
        rows = "".join(_row(each, years) for each in self.audit.tidy().itertuples())
        heads = "".join(f'<th scope="col">{name}</th>' for name in _HEADS)
        return (
            f'<div class="scroll claims"><table><thead><tr>{heads}</tr></thead>\n<tbody>\n{rows}</tbody></table></div>'
        )


def _sources(audit):
    return dict.fromkeys(claim.source for claim in audit.claims)


def _row(each, years):
    """A row; what it can be filtered by stands in its attributes, and its id lets other pages link to it."""
    name = f"claim-{each.source}-{each.id}"
    keys = {"document": f"{years[each.source]} {each.source}", "topic": each.topic, "verdict": each.verdict}
    attributes = "".join(f' data-{key}="{html.escape(keys[key])}"' for key in _FILTERS)
    said = "".join(f"<dt>{label}</dt><dd>{html.escape(text)}</dd>" for label, text in _told(each))
    claim = f"<td><details><summary>{html.escape(each.claim)}</summary><dl>{said}</dl></details></td>"
    texts = (*_numbers(each), keys["document"], each.topic)
    cells = "".join(f"<td>{html.escape(text)}</td>" for text in texts)
    top = f'<tr id="{html.escape(name)}" class="{each.verdict}"{attributes}>'
    return f"{top}<td>{html.escape(each.verdict)}</td>{claim}{cells}</tr>\n"


def _numbers(each):
    """Stated, with its hedge, and computed, each with the unit."""
    unit = f" {each.unit}" if each.unit not in ("", "1") and each.stated != "yes" else ""
    return f"{each.hedge} {each.stated}{unit}".strip(), f"{each.computed}{unit}" if each.computed else ""


def _told(each):
    """What a row opens to: the parts that say something."""
    return [(label, text) for label, name in _DETAILS if (text := getattr(each, name))]
