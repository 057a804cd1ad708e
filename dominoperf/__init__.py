"""Published Lotus Domino capacity benchmarks as checked data, honest fits and regenerated reports."""

import importlib

__version__ = "0.1.0"

# Where each public name lives; imported when first asked for, so that `import dominoperf` costs next to nothing.
_HOMES = {
    "tables": ("check", "describe", "document", "errata", "list_tables", "load", "locators", "new", "pages", "show",
               "sources", "use"),
    "runs": ("benchmarks", "series"),
    "laws": ("FAMILIES", "LAWS", "Law", "Param", "Quantity", "list_laws"),
    "queueing": ("bounds", "erlang_b", "erlang_c", "mva"),
    "fitting": ("Comparison", "Fit", "Forecast", "bootstrap", "compare", "fit", "fit_many", "fit_parts", "forecast",
                "forecast_many"),
    "loadtests": ("Steady", "roll_up", "steady_state"),
    "loadtests.readers": ("READERS", "read"),
    "capacity": ("FactorModel", "factor_model"),
    "planning": ("Group", "Plan", "Request", "plan"),
    "figures": ("picture", "plot"),
    "study": ("notesnum",),
    "study.audit": ("Audit", "Diff", "audit_claims", "check_consistency", "diff_table"),
    "study.recompute": ("regenerate",),
    "reports": ("build", "run_notebook", "save", "sweep"),
    "errors": ("DominoperfError",),
}  # fmt: skip
_HOME = {name: home for home, names in _HOMES.items() for name in names}
__all__ = sorted(_HOME)


def __getattr__(name):
    if name not in _HOME:
        raise AttributeError(f"module 'dominoperf' has no attribute {name!r}")
    return getattr(importlib.import_module(f"dominoperf.{_HOME[name]}"), name)


def __dir__():
    return sorted([*globals(), *__all__])
