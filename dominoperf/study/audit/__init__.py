"""Judge what is printed against what other printed numbers imply."""

from dominoperf.study.audit.audited import Audit, audit_claims, judge_claims, unpinned_claims, unpinned_in_words
from dominoperf.study.audit.claims import claims, read_claims
from dominoperf.study.audit.coding import (
    assumptions,
    codebook,
    coding_agreement,
    coding_confusion,
    kappa,
    second_coding,
    second_sample,
)
from dominoperf.study.audit.consistency import IDENTITIES, NOTHING, check_consistency, printed_again
from dominoperf.study.audit.differences import RegeneratedTable, diff_cells, diff_counts, diff_table, diffs
from dominoperf.study.audit.drafting import draft
from dominoperf.study.audit.grounds import EVIDENCE
from dominoperf.study.audit.listing import Contradictions, ErrataList, Listing, causes, errata_counts, errata_groups
from dominoperf.study.audit.rules import RULES, check_verdicts
from dominoperf.study.audit.sensitivity import Sensitivity, verdict_sensitivity
from dominoperf.study.audit.verdicts import HOLDS, READINGS, VERDICTS

__all__ = [
    "EVIDENCE",
    "HOLDS",
    "IDENTITIES",
    "NOTHING",
    "READINGS",
    "RULES",
    "VERDICTS",
    "Audit",
    "Contradictions",
    "ErrataList",
    "Listing",
    "RegeneratedTable",
    "Sensitivity",
    "assumptions",
    "audit_claims",
    "causes",
    "check_consistency",
    "check_verdicts",
    "claims",
    "codebook",
    "coding_agreement",
    "coding_confusion",
    "diff_cells",
    "diff_counts",
    "diff_table",
    "diffs",
    "draft",
    "errata_counts",
    "errata_groups",
    "judge_claims",
    "kappa",
    "printed_again",
    "read_claims",
    "second_coding",
    "second_sample",
    "unpinned_claims",
    "unpinned_in_words",
    "verdict_sensitivity",
]
