"""The five documents: what their runs, pairs and sentences say, recomputed and audited.

Two rooms of it have names of their own: `study.audit` judges what is printed, `study.recompute` computes it anew.
The sentences and pictures of the pages, which nobody else calls, are in `study.capacity_answers`, `study.plan_answers`,
`study.pictures` and `study.drawings`.
"""

from dominoperf import _lazy_import

# Where each name lives; imported when first asked for, so that who only saves a table does not wait for scipy.
_HOMES = {
    "added_processors": ("partition_evidence", "partitioned_users", "processor_bands", "processor_gains"),
    "changes": ("capacity_shares", "drive_percentages", "drive_ratios", "local_exponents", "memory_for",
                "pair_changes", "raid_levels", "response_by_memory", "stated_ratios", "table_ratios"),
    "data_check": ("DataCheck", "check_data"),
    "page_list": ("PageList",),
    "paired_runs": ("chosen_runs", "pair_labels", "pairs", "peak_loads", "priced_runs", "quoted_gains", "two_prices"),
    "printed_windows": ("measured_timeline", "steady_states"),
    "recommendations": ("advice", "unpinned_advice"),
    "release_migration": ("migration", "missing_points", "release_points"),
    "workload_scripts": ("describe_workload", "script_share", "think_times", "workloads"),
}  # fmt: skip
__getattr__, __dir__, __all__ = _lazy_import(__name__, _HOMES)
