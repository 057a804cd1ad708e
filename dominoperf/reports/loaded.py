"""What the server of `dominoperf.reports.warm` loads, once for all the kernels that are forked from it.

It is imported there alone, for what it does.
"""

import contextlib
import gc
import importlib
import os

from dominoperf.errors import DominoperfError

gc.disable()  # nothing of what follows is rubbish

# ipykernel sets it too, but a library that is loaded does not look again.
os.environ.setdefault("MPLBACKEND", "module://matplotlib_inline.backend_inline")

_IMPORTED = (
    "ipykernel.ipkernel",
    "ipykernel.kernelapp",
    "ipykernel.zmqshell",
    "matplotlib.backends.backend_svg",
    "matplotlib.pyplot",
    "pandas",
    "pint",
    "scipy.optimize",
    "scipy.stats",
    "simpleeval",
    "statsmodels.regression.linear_model",
    "dominoperf.audit",
    "dominoperf.batch",
    "dominoperf.benchmarks",
    "dominoperf.catalog",
    "dominoperf.explore",
    "dominoperf.figures.fits",
    "dominoperf.fitting",
    "dominoperf.laws",
    "dominoperf.planning",
    "dominoperf.queueing",
    "dominoperf.recompute",
    "dominoperf.regression",
    "dominoperf.reports",
)
for _name in _IMPORTED:
    importlib.import_module(_name)


def _read():
    """Read what notebooks ask for again and again; it is kept as long as the files are the same."""
    from dominoperf import benchmarks, catalog

    for id in catalog.tables()["id"]:
        for how in ({}, {"text": True}, {"as_": "printed", "text": True}):
            catalog.load(id, **how)
    benchmarks.benchmarks()
    benchmarks.prints("printed")


with contextlib.suppress(DominoperfError):  # a user's data may be wrong: the notebook that reads them tells
    _read()
gc.enable()
gc.freeze()  # what is shared with the forks is not written to by their garbage collection
