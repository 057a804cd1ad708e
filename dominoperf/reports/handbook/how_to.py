"""How to add something at each seam: a section each, with an example that a test runs."""

from dominoperf.reports.handbook.cells import notebook, prose

SEAMS = ("data", "law", "series", "reader", "report", "claim", "rules")


def page(pages):
    """Give the page of all seams."""
    return notebook(prose("how_to.md"), *(prose(f"how_to/{seam}.md") for seam in SEAMS))
