"""The five documents: what their runs, pairs and sentences say, recomputed and audited.

Two rooms of it have names of their own: `study.audit` judges what is printed, `study.recompute` computes it anew.
"""

from dominoperf import _lazy_import

# Where each name lives; imported when first asked for, so that who only saves a table does not wait for scipy.
_HOMES = {
    "added_processors": ("partition_evidence", "partitioned_users", "processor_bands", "processor_gains"),
    "answers": ("answer_capacity", "answer_case_study", "answer_choice", "answer_claims", "answer_clock_and_cache",
                "answer_disk", "answer_memory", "answer_price", "answer_processors", "answer_response",
                "answer_workloads", "describe_added_processors", "describe_between_systems", "describe_doubled_price",
                "describe_last_processor", "describe_most_influential", "describe_one_machine",
                "describe_price_factors", "describe_processors_ahead", "describe_queues", "describe_user_prices"),
    "changes": ("capacity_shares", "drive_percentages", "drive_ratios", "local_exponents", "memory_for",
                "pair_changes", "raid_levels", "response_by_memory", "stated_ratios", "table_ratios"),
    "data_check": ("DataCheck", "check_data"),
    "drawings": ("beside_grosch", "demand_panels", "loads_by_machine", "machine_names", "named_points",
                 "price_frontier", "queue_lines", "ratio_dots", "reaching", "rule_steps", "space_bullets"),
    "paired_runs": ("pair_labels", "pairs", "peak_loads", "priced_runs", "quoted_gains", "two_prices"),
    "pictures": ("picture_added_processors", "picture_cache_gains", "picture_clock_exponents", "picture_clock_trend",
                 "picture_left_out_machines", "picture_loads", "picture_memory_response", "picture_peak_responses",
                 "picture_price_of_headroom", "picture_processor_laws", "picture_processors_ahead", "picture_queues",
                 "picture_quoted_upgrades", "picture_task_times", "picture_think_times",
                 "picture_users_and_throughput", "picture_utilization_phases"),
    "printed_windows": ("measured_timeline", "steady_states"),
    "recommendations": ("Recommendations", "advice", "unpinned_advice"),
    "release_migration": ("migration", "missing_points", "release_points"),
    "workload_scripts": ("describe_workload", "script_share", "think_times", "workloads"),
}  # fmt: skip
__getattr__, __dir__, __all__ = _lazy_import(__name__, _HOMES)
