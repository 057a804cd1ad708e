"""Numbers as files write them, in one country or another."""

import re

_PLAIN = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?")
_GROUPED = re.compile(r"[-+]?\d{1,3}(?:[ \u00a0\u202f']\d{3})+(?=[.,]|$)")  # 1 234,5 and 1'234.5
_COMMAS = re.compile(r"[-+]?\d{1,3}(?:,\d{3})+(?:\.\d*)?")  # commas between thousands
_DOTS = re.compile(r"[-+]?\d{1,3}(?:\.\d{3})+(?:,\d*)?")  # dots between thousands
ABSENT = {"", "-", "--", "n/a", "na", "nan", "-nan", "null", "none"}


def plain(text):
    """Read a number with a decimal point and no other sign; None for anything else."""
    return float(text) if _PLAIN.fullmatch(text) else None


def recorded(text):
    """Read a number of a recorder, which never groups thousands: a comma can only be that of the decimals."""
    return plain(text.strip().replace(",", "."))


def absent(text):
    """Tell whether a cell stands for no value."""
    return text.strip().lower() in ABSENT


def style(cells, *, comma_separated):
    """Say what a comma means in a file of one's own, from its first cells.

    Returns
    -------
    str
        ``","`` where it begins the decimals (some cell reads ``12,5``), ``"."`` where a point does. ``""`` where every
        comma could be either (``1,234`` alone). In a comma-separated file such a comma stands between thousands.
    """
    cells = [_joined(cell.strip()) for cell in cells if "," in cell or "." in cell]
    if any("," in cell and not _COMMAS.fullmatch(cell) and plain(_turned(cell)) is not None for cell in cells):
        return ","
    sure = comma_separated or not any("," in cell for cell in cells)
    return "." if sure or any(plain(cell.replace(",", "")) is not None and "." in cell for cell in cells) else ""


def local(text, point):
    """Read a number whose decimals begin with `point`, thousands grouped or not; None for anything else."""
    text = _joined(text.strip())
    if point == ",":
        fits = _DOTS.fullmatch(text) or "." not in text
        return plain(_turned(text)) if fits else None
    fits = _COMMAS.fullmatch(text) or "," not in text
    return plain(text.replace(",", "")) if fits else None


def _joined(text):
    """Blanks and apostrophes between thousands mean nothing else anywhere."""
    found = _GROUPED.match(text)
    return re.sub(r"[ \u00a0\u202f']", "", found[0]) + text[found.end() :] if found else text


def _turned(text):
    """Decimal comma to decimal point, dots between thousands away."""
    return text.replace(".", "").replace(",", ".") if _DOTS.fullmatch(text) or "." not in text else text
