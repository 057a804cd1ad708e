"""One tidy row per benchmark run of any data folder; named series of points for fits."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
