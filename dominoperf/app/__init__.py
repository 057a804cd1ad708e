"""JupyterLab on the notebooks, the page without code, and the controls of the interactive notebook."""

import importlib

# Where each public name lives; imported when first asked for: a server needs no widget, and a panel no server.
_HOMES = {
    "panels": ("FitPanel", "Panel", "PlanPanel", "Share", "TablePanel", "reading"),
    "servers": ("app", "lab"),
    "state": ("FitState", "PlanState", "TableState", "parameters"),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}
__all__ = sorted(_HOME)


def __getattr__(name):
    if name not in _HOME:
        raise AttributeError(f"module 'dominoperf.app' has no attribute {name!r}")
    return getattr(importlib.import_module(f"dominoperf.app.{_HOME[name]}"), name)
