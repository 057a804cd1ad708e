"""What is varied: each variation is a report in a copy of the checkout, compared with committed tables and a site."""

from dataclasses import dataclass, field

ASCII = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}  # else Python takes UTF-8 in place of C
COMMA = "de_DE.UTF-8"  # writes 1,5
PLAIN = {
    "PYTHONHASHSEED": "0",
    "TZ": "UTC",
    "LC_ALL": "C.UTF-8",
    "OMP_NUM_THREADS": "2",
    "OPENBLAS_NUM_THREADS": "2",
}
"""What the run has that the others are compared with."""


@dataclass(frozen=True)
class Variation:
    """One run under other settings: the name that ONLY selects it by, and what is varied, in words."""

    name: str
    what: str
    environment: dict = field(default_factory=dict)
    folder: str = "checkout"
    jobs: int = 2
    locale: str = ""  # that the system has to have, or to make


def _threads(number):
    return {"OMP_NUM_THREADS": str(number), "OPENBLAS_NUM_THREADS": str(number), "MKL_NUM_THREADS": str(number)}


VARIATIONS = (
    Variation("folder", "a folder with blanks and letters outside ASCII", folder="Größe und Lesbarkeit – 測試"),
    Variation("hashseed", "PYTHONHASHSEED 20260", {"PYTHONHASHSEED": "20260"}),
    Variation("zone", "TZ Pacific/Kiritimati, 14 h ahead", {"TZ": "Pacific/Kiritimati"}),
    Variation("zone", "TZ Asia/Kolkata, 5 h 30 min ahead", {"TZ": "Asia/Kolkata"}),
    Variation("locale", "locale C, ASCII", ASCII),
    Variation("locale", f"locale {COMMA}, a comma in decimals", {"LC_ALL": COMMA, "LANG": COMMA}, locale=COMMA),
    Variation("threads", "one thread of OpenMP and BLAS, --jobs 1", _threads(1), jobs=1),
    Variation("threads", "two threads, --jobs 2", _threads(2)),
)
ENVIRONMENTS = ("lowest", "python")
"""The variations that need an environment of their own: lowest allowed direct versions, and other Pythons."""

TOGETHER = Variation(
    "site",
    "the site again: other folder, hash seed, zone, ASCII, 2 threads",
    ASCII | _threads(2) | {"PYTHONHASHSEED": "20260", "TZ": "Pacific/Kiritimati"},
)
"""All at once, and the site alone: quick, since no notebook is run again."""
NAMES = (*dict.fromkeys(each.name for each in VARIATIONS), *ENVIRONMENTS, TOGETHER.name)
