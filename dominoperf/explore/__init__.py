"""Callbacks and widgets of the interactive notebook, testable without a browser."""

from dominoperf.explore.panels import FitPanel, Panel, PlanPanel, Share, TablePanel, reading
from dominoperf.explore.state import FitState, PlanState, TableState, parameters

__all__ = [
    "FitPanel",
    "FitState",
    "Panel",
    "PlanPanel",
    "PlanState",
    "Share",
    "TablePanel",
    "TableState",
    "parameters",
    "reading",
]
