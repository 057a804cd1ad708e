"""From people to servers: the five steps, the choice among systems, and how sure a plan is."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
