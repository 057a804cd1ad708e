"""What the server of `dominoperf.reports.warm` loads, once for all the kernels that are forked from it.

It is imported there alone, for what it does.
"""

import contextlib
import gc
import importlib
import os

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
    "dominoperf.study.audit",
    "dominoperf.fitting",
    "dominoperf.runs",
    "dominoperf.tables",
    "dominoperf.app",
    "dominoperf.figures",
    "dominoperf.fitting",
    "dominoperf.laws",
    "dominoperf.planning",
    "dominoperf.queueing",
    "dominoperf.study.recompute",
    "dominoperf.capacity",
    "dominoperf.reports",
)
for _name in _IMPORTED:
    with contextlib.suppress(Exception):  # a broken module ends no server: the notebook that needs it tells
        importlib.import_module(_name)


def _read():
    """Read what notebooks ask for again and again; it is kept as long as the files are the same."""
    from dominoperf import runs, tables

    for id in tables.list_tables()["id"]:
        for how in ({}, {"text": True}, {"as_": "printed", "text": True}):
            tables.load(id, **how)
    runs.benchmarks()
    runs.prints("printed")


with contextlib.suppress(Exception):  # a user's data may be wrong, a module broken: the notebook that needs it tells
    _read()
gc.enable()
gc.freeze()  # what is shared with the forks is not written to by their garbage collection
