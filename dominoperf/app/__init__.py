"""JupyterLab on the notebooks, the page without code, and the controls of the interactive notebook."""

from dominoperf.app.opening import lab
from dominoperf.app.panels import FitPanel, Panel, PlanPanel, Share, TablePanel, reading
from dominoperf.app.state import FitState, PlanState, TableState, parameters
from dominoperf.app.visits import app

__all__ = [
    "FitPanel",
    "FitState",
    "Panel",
    "PlanPanel",
    "PlanState",
    "Share",
    "TablePanel",
    "TableState",
    "app",
    "lab",
    "parameters",
    "reading",
]
