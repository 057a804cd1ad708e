"""How many users a machine carries, what users cost on it, from many runs at once, and what limited a run.

The way to an answer of `capacity`: `asked_machines` reads the question, `observations` the runs; `users_model` is
fitted to these; `resources` says what each part of the machine carries, and `capacity_answer` puts it in words.
`upgrades` compares machines. Without that model, `regression` and `cpu_per_user` explain runs by several factors and
pair by pair, `service_demands` by operational laws.
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
