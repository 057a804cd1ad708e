"""Fit one law to one table, say how sure, say why not; compare laws."""

from lazy_loader import attach_stub

from dominoperf.fitting.fit import fit  # noqa: F401  in front of its module, which has the same name

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
