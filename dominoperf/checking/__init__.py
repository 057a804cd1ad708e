"""Validate a data folder, ours or a user's; start a new one; generate the descriptors of ours."""

from dominoperf.checking.contract import check
from dominoperf.checking.generating import generate
from dominoperf.checking.outside import notes
from dominoperf.checking.starting import new
from dominoperf.checking.units import factor, factor_of, known_unit, with_units

__all__ = ["check", "factor", "factor_of", "generate", "known_unit", "new", "notes", "with_units"]
