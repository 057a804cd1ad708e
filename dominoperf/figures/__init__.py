"""Draw a result or printed numbers in one style."""

from lazy_loader import attach_stub

OKABE_ITO = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""The colours of all pictures, told apart with any kind of colour vision (Okabe and Ito)."""

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
__all__ = sorted([*__all__, "OKABE_ITO"])
