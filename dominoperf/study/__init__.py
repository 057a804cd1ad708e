"""The five documents: what their runs, pairs and sentences say, recomputed and audited.

Two rooms of it have names of their own: `study.audit` judges what is printed, `study.recompute` computes it anew.
What only our pages call is in the modules of this room: their tables (`changes`, `paired_runs`, `added_processors`,
`printed_windows`, `release_migration`, `workload_scripts`, `recompute.readings`, `recompute.consequences`), sentences
(`answers`) and pictures (`pictures`).
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
