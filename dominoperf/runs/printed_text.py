"""Read printed descriptions of machines: processors, memory, counts. Text in, numbers out."""

import re

# Look-alikes that text extraction leaves in place of Latin letters and hyphens.
_LATIN = str.maketrans("АВЕКМНОРСТХ–—‑", "ABEKMHOPCTX---")
_WORDS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
          "thirteen", "fourteen"]  # fmt: skip
_KB = {"K": 1, "M": 1024, "G": 1024**2}

# What a family is called, by the forms in which it is printed; the first that fits.
_FAMILIES = (
    ("Pentium III Xeon", r"P(entium )?III Xeon"),
    ("Pentium II", r"Pent(ium|\.) II"),
    ("Pentium Pro", r"P6\b|Pentium Pro\b"),
    ("Pentium", r"P5\b|Pentium"),
    ("486", r"486"),
    ("UltraSPARC II", r"Ultra ?Sparc II"),
    ("Xeon", r"Xeon"),
)
_CORES = {"single": 1, "dual": 2, "quad": 4}


def latin_letters(text):
    """Return the text with look-alike letters of other alphabets and long dashes replaced: ``1024- МВ``."""
    return text.translate(_LATIN)


def read_processor(text: str) -> dict:
    """Return processors, processor_family, clock_mhz and l2_kb of a printed processor, as far as it has them.

    ``2xP6/200 -512`` is two Pentium Pro of 200 MHz with 512 KB of second-level cache each, ``4xP6/200 - 1M`` four with
    1,024 KB. Where no count is printed there is one; a dual-core chip counts as two.
    """
    text = latin_letters(text)
    times = re.search(r"(\d+)\s*x(?=\s*[\dP])|^(\d+)\s+(?=[A-Z])(?![MG]Hz)", text)
    cores = re.search(r"(single|dual|quad)-core", text, re.IGNORECASE)
    count = int(times[1] or times[2] if times else 1) * (_CORES[cores[1].lower()] if cores else 1)
    family = next((name for name, form in _FAMILIES if re.search(form, text)), None)
    clock = re.search(r"(\d+(?:\.\d+)?)\s*([MG])Hz", text)
    short = re.search(r"(?:P[56]|Pentium|486\w*)/(\d+)", text)
    mhz = float(clock[1]) * (1000 if clock[2] == "G" else 1) if clock else float(short[1]) if short else None
    cache = re.search(r"/\d+\s*-\s*(\d+)\s*-?\s*([KM])?", text)  # behind the clock of a short form
    l2_kb = float(cache[1]) * _KB[cache[2] or "K"] if cache else None
    parts = {"processors": count, "processor_family": family, "clock_mhz": mhz, "l2_kb": l2_kb}
    return {name: value for name, value in parts.items() if value}


def read_kb(text):
    """Read an amount of memory in KB, of 1,024 bytes: ``512-MB``, ``1024- МВ``, ``12 GB of storage``; None for none."""
    size = re.search(r"(\d[\d,]*(?:\.\d+)?)\s*-?\s*([KMG])B?\b", latin_letters(text))
    return float(size[1].replace(",", "")) * _KB[size[2]] if size else None


def read_mb(text):
    """Read an amount of memory in MB, of 1,024 KB."""
    kb = read_kb(text)
    return None if kb is None else kb / _KB["M"]


def read_count(text):
    """Read the count a text begins with, in digits or as a word to fourteen: ``9 x 4.51GB``, ``Six``; else None."""
    first = re.match(r"\s*([A-Za-z]+|\d+)", text)
    word = first[1].lower() if first else ""
    if word.isdecimal():
        return int(word)
    return _WORDS.index(word) if word in _WORDS else None


def read_release(text):
    """Read the number of a release: ``5.0.10`` from ``R5.0.10`` and from ``Domino 5.0.10``; "" for none."""
    number = re.search(r"\d+(\.\d+)*", text)
    return number[0] if number else ""


def step_of_digits(text: str) -> float:
    """Return the value of a unit of the last printed digit: 0.01 of ``$13.22``, 1 of ``5,150``, else 0."""
    digits = text.strip("$% ").replace(",", "")
    return 10.0 ** -len(digits.partition(".")[2]) if digits.replace(".", "", 1).isdecimal() else 0.0
