"""Judge what is printed against what other printed numbers imply."""

from dominoperf.audit.consistency import IDENTITIES, NOTHING, check_consistency, printed_again

__all__ = ["IDENTITIES", "NOTHING", "check_consistency", "printed_again"]
