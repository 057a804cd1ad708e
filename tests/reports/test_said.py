"""What the pages say: the answer of each notebook and the titles of its pictures, as they were looked at last."""

import html
import re
from pathlib import Path

import nbformat
from conftest import pages_of

SAID = Path(__file__).with_name("said.txt")


def said_by_pages(out):
    """The lines of each executed notebook: its sentences in cells tagged `finding`, and the findings over pictures."""
    for run, path in pages_of(out):
        yield f"# {run.name}"
        for cell in nbformat.read(path, as_version=4).cells:
            for output in cell.get("outputs", ()):
                shown = output.get("data", {})
                if "finding" in cell.metadata.get("tags", ()):
                    yield from filter(None, shown["text/plain"].split("\n"))
                yield from map(html.unescape, re.findall(r'data-title="([^"]*)"', shown.get("text/html", "")))


def test_the_pages_say_what_they_said(built):
    """A sentence that a change alters is read again, and `said.txt` written anew after `make report`, by this file."""
    assert [*said_by_pages(built[0])] == SAID.read_text(encoding="utf-8").splitlines()


if __name__ == "__main__":  # PYTHONPATH=tests .venv/bin/python tests/reports/test_said.py > tests/reports/said.txt
    print(*said_by_pages(Path("reports")), sep="\n")
