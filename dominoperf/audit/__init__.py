"""Judge what is printed against what other printed numbers imply."""

from dominoperf.audit.audited import Audit, audit_claims, audited
from dominoperf.audit.claims import claims, read_claims
from dominoperf.audit.consistency import IDENTITIES, NOTHING, check_consistency, printed_again
from dominoperf.audit.verdicts import READINGS, VERDICTS

__all__ = [
    "IDENTITIES",
    "NOTHING",
    "READINGS",
    "VERDICTS",
    "Audit",
    "audit_claims",
    "audited",
    "check_consistency",
    "claims",
    "printed_again",
    "read_claims",
]
