"""Judge what is printed against what other printed numbers imply."""

from dominoperf.audit.audited import Audit, audit_claims, judge_claims, unpinned_claims
from dominoperf.audit.claims import claims, read_claims
from dominoperf.audit.consistency import IDENTITIES, NOTHING, check_consistency, printed_again
from dominoperf.audit.corrections import ErrataList, errata_counts, errata_groups
from dominoperf.audit.differences import Diff, diff_cells, diff_counts, diff_table, diffs
from dominoperf.audit.listing import Contradictions, Listing
from dominoperf.audit.rules import RULES, check_verdicts
from dominoperf.audit.verdicts import READINGS, VERDICTS

__all__ = [
    "IDENTITIES",
    "NOTHING",
    "READINGS",
    "RULES",
    "VERDICTS",
    "Audit",
    "Contradictions",
    "Diff",
    "ErrataList",
    "Listing",
    "audit_claims",
    "check_consistency",
    "check_verdicts",
    "claims",
    "diff_cells",
    "diff_counts",
    "diff_table",
    "diffs",
    "errata_counts",
    "errata_groups",
    "judge_claims",
    "printed_again",
    "read_claims",
    "unpinned_claims",
]
