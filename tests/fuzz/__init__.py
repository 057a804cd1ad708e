"""Fuzzing: what a user can hand in, mutilated, gives a result or a `DominoperfError`. ``python tests/fuzz`` runs it."""
