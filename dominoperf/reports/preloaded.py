"""What the fork server of `dominoperf.reports.execution` loads, once for all the kernels that are forked from it.

It is imported there alone, for what it does.
"""

import contextlib
import gc
import importlib
import os
import pkgutil

import dominoperf

gc.disable()  # imports leave no garbage
dominoperf._without_address_grammar()

# ipykernel sets it too, but a library that is loaded does not look again.
os.environ.setdefault("MPLBACKEND", "module://matplotlib_inline.backend_inline")

_LIBRARIES = "dominoperf.reports.worker jupyter_client.jsonutil matplotlib.backends.backend_svg "
_LIBRARIES += "matplotlib.pyplot pandas pint scipy.optimize scipy.stats simpleeval statsmodels.regression.linear_model "
_LIBRARIES += "dominoperf.figures.fits dominoperf.figures.interactive"
_NOT = {"cli"}  # that no report asks for
_ROOMS = [f"dominoperf.{room.name}" for room in pkgutil.iter_modules(dominoperf.__path__) if room.name not in _NOT]
for _name in (*_LIBRARIES.split(), *_ROOMS):
    with contextlib.suppress(Exception):  # a broken module ends no server: the notebook that needs it tells
        importlib.import_module(_name)

# What notebooks ask for again and again is kept as long as the files are the same.
with contextlib.suppress(Exception):  # a user's data may be wrong, a module broken: the notebook that needs it tells
    from dominoperf import runs, tables

    for _id in tables.list_tables()["id"]:
        for _as in tables.loading.VIEWS_OF_DATA:
            tables.load(_id, _as)
            tables.load(_id, _as, text=True)
    runs.benchmarks()
    runs.prints("printed")
    runs.prints("suspected")
gc.enable()
gc.freeze()  # what is shared with the forks is not written to by their garbage collection
