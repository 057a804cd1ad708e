"""JupyterLab on the notebooks, the page without code, and the controls of the interactive notebook."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
