"""Files of load tests to rows; steady window, drift and means of a run; runs to a curve, two sets of runs compared."""

from lazy_loader import attach_stub

from dominoperf.loadtests import readers  # noqa: F401  whose names are imported when asked for, too

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
