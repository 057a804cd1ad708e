"""Judge what is printed against what other printed numbers imply."""

from dominoperf import _lazy_import

_HOMES = {
    "audited": ("Audit", "audit_claims", "judge_claims", "unpinned_in_words"),
    "claim_rows": ("claims", "faults_of_claims", "read_claims"),
    "coding": ("assumptions", "codebook", "coding_agreement", "coding_confusion", "kappa", "second_coding"),
    "consistency": ("IDENTITIES", "NOTHING", "check_consistency", "printed_again"),
    "differences": ("RegeneratedTable", "diff_table", "diffs"),
    "drafting": ("draft",),
    "grounds": ("EVIDENCE",),
    "listing": ("causes", "errata_counts", "errata_groups"),
    "rules": ("RULES", "check_verdicts"),
    "sensitivity": ("Sensitivity", "verdict_sensitivity"),
    "verdicts": ("HOLDS", "READINGS", "VERDICTS"),
}  # fmt: skip
__getattr__, __dir__, __all__ = _lazy_import(__name__, _HOMES)
