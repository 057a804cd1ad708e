"""JupyterLab on the notebooks, the page without code, and the controls of the interactive notebook."""

from dominoperf import _lazy_import

# Where each public name lives; imported when first asked for: a server needs no widget, and a panel no server.
_HOMES = {
    "panels": ("CapacityPanel", "FitPanel", "Panel", "PlanPanel", "Share", "TablePanel", "sentences_of_panels"),
    "servers": ("app", "lab"),
    "state": ("CapacityState", "FitState", "PlanState", "TableState", "parameters"),
}
__getattr__, __dir__, __all__ = _lazy_import(__name__, _HOMES)
