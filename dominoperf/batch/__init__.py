"""Many curves or replicates at once, vectorised: the engine under every fit."""

from dominoperf.batch.curves import Curves
from dominoperf.batch.many import bootstrap, fit_many, standard_errors, without_each

__all__ = ["Curves", "bootstrap", "fit_many", "standard_errors", "without_each"]
