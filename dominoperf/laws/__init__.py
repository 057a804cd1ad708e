"""Scaling laws as records; adding one is adding a record to `LAWS`."""

from dominoperf.laws.processors import AMDAHL, LINEAR
from dominoperf.laws.record import Law, Param

LAWS = {law.name: law for law in (LINEAR, AMDAHL)}

__all__ = ["LAWS", "Law", "Param"]
