"""Published Lotus Domino capacity benchmarks as checked data, honest fits and regenerated reports."""

import importlib
import sys

__version__ = "0.2.0"  # the one place: pyproject.toml reads it here

# Where each public name lives; imported when first asked for, so that `import dominoperf` costs next to nothing.
_HOMES = {
    "tables": ("check", "describe", "document", "errata", "list_tables", "load", "locators", "new", "pages", "show",
               "sources", "use"),
    "runs": ("benchmarks", "series"),
    "laws": ("FAMILIES", "LAWS", "Law", "Param", "Quantity", "list_laws"),
    "queueing": ("bounds", "erlang_b", "erlang_c", "mva"),
    "fitting": ("Comparison", "Fit", "Forecast", "bootstrap", "compare", "fit", "fit_many", "fit_parts", "forecast",
                "forecast_many"),
    "loadtests": ("Difference", "Steady", "ab", "change_points", "curve", "measured_runs", "notesnum", "roll_up",
                  "steady_state"),
    "loadtests.readers": ("READERS", "read"),
    "machines": ("Capacity", "FactorModel", "capacity", "capacity_ratio", "cheapest_upgrades",
                 "factor_model"),
    "planning": ("Group", "NodePlan", "Plan", "Request", "node_count", "plan"),
    "figures": ("picture", "plot"),
    "study.audit": ("Audit", "RegeneratedTable", "audit_claims", "check_consistency", "diff_table"),
    "study.recompute": ("regenerate",),
    "reports": ("build", "run_notebook", "save", "sweep"),
    "errors": ("DominoperfError",),
}  # fmt: skip


def _lazy_import(package, homes):
    """Return ``__getattr__``, ``__dir__`` and ``__all__`` of a package whose names are imported when first asked for.

    `homes` says which names each module of it has. Who asks for none waits for no module.
    """
    home = {name: module for module, names in homes.items() for name in names}

    def find(name):
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}", name=name, obj=sys.modules[package])
        return getattr(importlib.import_module(f"{package}.{home[name]}"), name)

    return find, lambda: sorted([*vars(sys.modules[package]), *home]), sorted(home)


def _without_address_grammar():
    """Keep jsonschema from building a grammar of internationalised addresses, for which nothing here asks.

    It takes two seconds of every process of ours that loads jsonschema after this.
    """
    sys.modules.setdefault("rfc3987_syntax", None)


__getattr__, __dir__, __all__ = _lazy_import(__name__, _HOMES)
