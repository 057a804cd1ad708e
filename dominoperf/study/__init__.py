"""The five documents: what their runs, pairs and sentences say, recomputed and audited."""

from dominoperf.study.changes import (
    local_exponents,
    memory_for,
    pair_changes,
    response_by_memory,
    stated_ratios,
    table_ratios,
)
from dominoperf.study.notesnum_rollup import notesnum
from dominoperf.study.operational import added_demand, stretch, task_demand, think_times, transaction_demand
from dominoperf.study.pairs import pair_labels, pairs, quoted_gains
from dominoperf.study.peaks import peak_loads
from dominoperf.study.phases import steady_states
from dominoperf.study.scripts import script_share

__all__ = [
    "added_demand",
    "local_exponents",
    "memory_for",
    "notesnum",
    "pair_changes",
    "pair_labels",
    "pairs",
    "peak_loads",
    "quoted_gains",
    "response_by_memory",
    "script_share",
    "stated_ratios",
    "steady_states",
    "stretch",
    "table_ratios",
    "task_demand",
    "think_times",
    "transaction_demand",
]
