"""Open the notebooks in JupyterLab, or one of them as a page without code: on this machine alone, behind a token."""

from dominoperf.serving.opening import lab
from dominoperf.serving.visits import app

__all__ = ["app", "lab"]
