"""The tables of a document with a third view: as other cells imply them."""

import dataclasses

from dominoperf import tables
from dominoperf.study.recompute.regeneration import as_printed, regenerate


def pages(source):
    """Return all tables and views of a document as `tables.pages` does, with a view "regenerated" where it has one."""
    return tables.Pages(tuple(map(_with_view, tables.pages(source).pages)))


def _with_view(page):
    """The page with its regenerated view: cells that others imply are marked, the rest is as corrected."""
    if tables.is_view(page.about.id):  # every cell is laid out again, which shows nothing new
        return page
    frame = regenerate(page.about.id)
    done = frame.attrs["recomputed"]
    if not done.to_numpy().any():
        return page
    text, marks = page.corrected.copy(), {}
    for row, name in done.stack().loc[lambda each: each].index:
        printed = page.frame[name][row]
        text.loc[row, name] = as_printed(frame[name][row], printed)
        marks[row, name] = _mark(text.loc[row, name], printed)
    label = f"Regenerated ({len(marks)} cells)"
    return dataclasses.replace(page, more=tables.View(label, "regenerated", text, marks))


def _mark(regenerated, printed):
    """How a recomputed cell is marked, and what is shown over it."""
    if regenerated == printed:
        return "implied", "other cells imply the printed number"
    return "differing", f"printed {printed}; other cells imply {regenerated}"
