"""The errata of a frame or a result: passed on from what is read to what is shown, in words and as HTML.

A frame carries them in ``attrs["errata"]``; pandas keeps that through selections and new columns. What makes a frame or
a result of its own propagates them with `propagate_errata` or `carries_errata`.
"""

import functools
import html
from typing import Any, NamedTuple

_KEY = "errata"
_STATUS = {"suspected": "Suspected erratum, left as printed", "certain": "Certain erratum, corrected here"}
_STATUS |= {"uncorrected": "Certain erratum, shown as printed", "reread": "Suspected erratum, read as if it were right"}
_HOW = {("certain", "printed"): "uncorrected", ("suspected", "suspected"): "reread"}
_ERRATA_TOLD_ONE_BY_ONE = 2  # that the foot of a picture tells one by one
DAGGER = "†"
"""Behind the title of a picture that a suspected erratum touches; its foot begins with it."""


class CarriedErratum(NamedTuple):
    """An erratum where it touches a frame: its column and row of a table, or run of `benchmarks`; "" and 0 are any."""

    name: str  # its place on the page of the errata
    locator: str  # in its document
    status: str
    mistake: str
    printed: str
    corrected: str
    consequence: str
    column: str = ""
    row: int = 0
    run: str = ""


class NeverChanged:
    """What stands in the ``attrs`` of a frame and never changes, so that pandas need not copy it with every frame."""

    def __deepcopy__(self, memo):
        """Return itself."""
        return self


class _Errata(NeverChanged, tuple):
    """Errata in the ``attrs`` of a frame."""


def errata_of(*things: Any) -> tuple:
    """Return the errata that touch some frames, columns or results, each with the columns and runs that it touches.

    Of a frame those alone count whose column it still has and, where it has a column ``run``, whose run.
    """
    found = []
    for thing in things:
        attrs = getattr(thing, "attrs", None)
        if attrs is None:  # a result, or what has none
            found += getattr(thing, _KEY, ())
            continue
        columns = {"", *thing} if getattr(thing, "ndim", 1) > 1 else {"", thing.name}
        runs = {"", *thing["run"]} if "run" in columns and hasattr(thing, "columns") else None
        for erratum in attrs.get(_KEY, ()):
            if erratum.column in columns and (runs is None or erratum.run in runs):
                found.append(erratum)
    return tuple(dict.fromkeys(found))


def erratum_in_view(erratum, as_):
    """Return an erratum as it reads where a table is seen ``as_`` printed, corrected or with suspected errata."""
    return erratum._replace(status=_HOW.get((erratum.status, as_), erratum.status))


def attach_errata(frame, errata):
    """Return the frame, with these errata in place of those that it had."""
    frame.attrs[_KEY] = _Errata(errata)
    return frame


def columns_used(frame, *columns):
    """Return these columns of a frame, and the runs that its rows are of: what a drawing or a sum of them uses."""
    if not frame.attrs.get(_KEY):
        return frame.iloc[:0]  # it may be large
    wanted = {"run", *columns}
    return frame[[name for name in frame if name in wanted]]


def propagate_errata(result, *things):
    """Return a frame with the errata that touch what it was made from: of all its columns, and of their runs."""
    return attach_errata(result, dict.fromkeys(erratum._replace(column="", row=0) for erratum in errata_of(*things)))


def carries_errata(*methods):
    """Let the frames that these methods of a class return carry its ``errata``; a decorator of classes."""

    def with_errata(method):
        @functools.wraps(method)
        def handed(self, *args, **kwargs):
            frame = method(self, *args, **kwargs)
            return propagate_errata(frame, self) if self.errata else frame

        return handed

    def decorated(cls):
        for name in methods:
            setattr(cls, name, with_errata(getattr(cls, name)))
        return cls

    return decorated


def distinct_errata(errata):
    """Return each erratum once, whatever columns and runs it touches: the suspected ones first."""
    once = {}
    for erratum in errata:
        once.setdefault(erratum.name, erratum)
    return sorted(once.values(), key=lambda erratum: erratum.status != "suspected")


def errata_as_foot(errata):
    """Say in a line or two at the foot of a picture which errata touch it; nothing where there are none."""
    errata = distinct_errata(errata)
    if len(errata) > _ERRATA_TOLD_ONE_BY_ONE:
        suspected = sum(erratum.status == "suspected" for erratum in errata)
        return (
            f"{DAGGER} {len(errata)} errata touch these numbers, {suspected} of them suspected: see the page of errata"
        )
    return "\n".join(f"{DAGGER} " * (erratum.status == "suspected") + erratum_in_a_line(erratum) for erratum in errata)


def erratum_in_a_line(erratum):
    """Say in a line what an erratum is, and of a suspected one what is printed and what perhaps should be."""
    if erratum.status != "suspected":
        return f"{_STATUS[erratum.status]}: {erratum.mistake}"
    one = erratum.corrected and ";" not in erratum.corrected  # of several cells a foot has no room for each
    instead = f" (printed: {erratum.printed}; perhaps: {erratum.corrected})" if one else ""
    return f"Suspected erratum: {erratum.mistake.rstrip('.')}{instead}"


def errata_as_html(errata):
    """Return the errata that touch what is above as HTML: one a line, opened on a click.

    The site adds to each the link to its evidence, by ``data-erratum``: elsewhere there is no page of errata.
    """
    notes = []
    for erratum in distinct_errata(errata):
        parts = {"Where": erratum.locator, "Printed": erratum.printed}
        parts |= {"It should say": erratum.corrected or "not known", "So": erratum.consequence}
        facts = " ".join(f"<b>{label}:</b> {html.escape(text)}" for label, text in parts.items() if text)
        name, mistake = html.escape(erratum.name), html.escape(erratum.mistake)
        notes.append(
            f'<details class="erratum {html.escape(erratum.status)}" data-erratum="{name}">'
            f"<summary>{_STATUS[erratum.status]}: {mistake}</summary><p>{facts}</p></details>"
        )
    return "".join(notes)
