"""Published Lotus Domino capacity benchmarks as checked data, honest fits and regenerated reports."""

import importlib

__version__ = "0.1.0"

# Where each public name lives; imported when first asked for, so that `import dominoperf` costs next to nothing.
_HOMES = {
    "catalog": ("describe", "document", "errata", "load", "locators", "pages", "show", "sources", "tables", "use"),
    "checking": ("check", "new"),
    "benchmarks": ("series",),  # not benchmarks(): the room has that name
    "ingest": ("READERS", "read"),
    "laws": ("FAMILIES", "LAWS", "Law", "Param", "Quantity"),
    "batch": ("bootstrap", "fit_many", "fit_parts"),
    "fitting": ("Comparison", "Fit", "compare", "fit"),
    "queueing": ("bounds", "erlang_b", "erlang_c", "mva"),
    "regression": ("FactorModel", "factor_model"),
    "steady": ("Steady", "notesnum", "roll_up", "steady_state"),
    "planning": ("Group", "Plan", "Request", "plan"),
    "figures": ("picture", "plot"),
    "reports": ("build", "run_notebook", "save", "sweep"),
    "audit": ("Audit", "Diff", "audit_claims", "check_consistency", "diff_table"),
    "recompute": ("regenerate",),
    "errors": ("DominoperfError",),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}
__all__ = sorted(_HOME)


def __getattr__(name):
    if name not in _HOME:
        raise AttributeError(f"module 'dominoperf' has no attribute {name!r}")
    return getattr(importlib.import_module(f"dominoperf.{_HOME[name]}"), name)


def __dir__():
    return sorted([*globals(), *__all__])
