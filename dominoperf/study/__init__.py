"""The five documents: what their runs, pairs and sentences say, recomputed and audited.

Two rooms of it have names of their own: `study.audit` judges what is printed, `study.recompute` computes it anew.
What only our pages call is in the modules of this room: their tables (`changes`, `paired_runs`, `added_processors`,
`printed_windows`, `release_migration`, `workload_scripts`, `recompute.readings`, `recompute.consequences`), sentences
(`capacity_answers`, `plan_answers`) and pictures (`pictures`, `drawings`).
"""

from dominoperf import _lazy_import

# Where each name lives; imported when first asked for, so that who only saves a table does not wait for scipy.
_HOMES = {
    "data_check": ("DataCheck", "check_data"),
    "page_list": ("PageList",),
    "paired_runs": ("pairs",),
    "recommendations": ("advice", "unpinned_advice"),
    "release_migration": ("migration",),
    "workload_scripts": ("describe_workload", "workloads"),
}
__getattr__, __dir__, __all__ = _lazy_import(__name__, _HOMES)
