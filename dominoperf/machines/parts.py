"""The parts of a machine: what can be said of it, in which units, and what the options of the command line are called.

Numbers and texts are columns of `benchmarks`, but for the size of the drives, which no run has.
"""

from collections.abc import Collection

import pandas as pd

from dominoperf.errors import as_option, near_spellings
from dominoperf.tables.columns import vocabulary
from dominoperf.tables.headings import columns_of_heading, possible_meaning
from dominoperf.tables.reading import as_numbers

POWERS = ("processors", "clock_mhz", "l2_kb")
"""Parts of whose powers the CPU users of the model of users are a product."""
NUMBERS = (*POWERS, "ram_mb", "drives")
PARTS = (*NUMBERS, "drive_gb")
MACHINE_TEXTS = ("processor_family", "system", "operating_system", "domino_release")
MACHINE_PARTS = (*PARTS, *MACHINE_TEXTS)
"""What can be said of a machine: columns of `benchmarks`, and the size of its drives."""
TEXTS = (*MACHINE_TEXTS, "workload")
"""What a run has a level of: what can be said of its machine in words, and its workload."""
COUNTED = ("processors", "drives")
"""Parts of which a machine has whole numbers alone."""
UNITS = {"clock_mhz": "MHz (2 GHz are 2000)", "l2_kb": "KB of each processor", "ram_mb": "MB", "drive_gb": "GB"}
_WORDS = {"clock_mhz": "clock", "l2_kb": "L2 cache", "ram_mb": "memory", "drive_gb": "size of the drives"}
_OPTIONS = {"clock_mhz": "--clock", "l2_kb": "--l2", "processor_family": "--family", "operating_system": "--os"}
_OPTIONS |= {"ram_mb": "--ram", "drive_gb": "--drive-gb", "domino_release": "--release"}


def part_in_words(name: str) -> str:
    """Return a part as a sentence names it."""
    return _WORDS.get(name, name.replace("_", " ").replace("domino", "Domino"))


def not_known(name: str) -> str:
    """Return that a part is not known, in words: "memory is not known", "drives are not known"."""
    return f"{part_in_words(name)} {'are' if name in COUNTED else 'is'} not known"


def number_of_part(name: str) -> str:
    """Return what is expected of a part: a number, in its unit."""
    return f"a number, in {UNITS[name]}" if name in UNITS else "a number"


def part_as_option(name: str) -> str:
    """Return a part as the user wrote it: its option, where the command line has it."""
    return as_option(name, _OPTIONS.get(name, ""))


def parts_of_heading(heading: str, cells: pd.Series, lacking: Collection[str]) -> list[str]:
    """Return the lacking parts that a column may be, by its heading; of a processor by its cells, too.

    What set the load of a run, limited_by, counts as a part where it is lacking: a column of texts may be that.

    Examples
    --------
    >>> cells = pd.Series([2, 4])
    >>> [parts_of_heading(heading, cells, MACHINE_PARTS) for heading in ("processor", "RAM", "release", "users")]
    [['processors'], ['ram_mb'], ['domino_release'], []]
    >>> parts_of_heading("processor", pd.Series(["Pentium Pro"]), MACHINE_PARTS)
    ['processor_family']
    """
    if heading in ("processor", "cpu"):  # as printed: how many there are, or of which kind
        meant = ["processors" if as_numbers(cells).notna().any() else "processor_family"]
    else:
        perhaps = possible_meaning(heading)
        asked = (*NUMBERS, "limited_by") if as_numbers(cells).isna().all() else NUMBERS
        meant = [*columns_of_heading(heading), *([perhaps] if perhaps in asked else [])]
        meant += [name for name in MACHINE_PARTS if name.endswith(f"_{heading}") or name.startswith(f"{heading}_")]
        if heading not in vocabulary():
            meant += near_spellings(heading.casefold(), MACHINE_PARTS)
    return [name for name in dict.fromkeys(meant) if name in lacking]
