"""What the fork server of `dominoperf.reports.notebook_process` loads, once for all kernels that are forked from it.

It is imported there alone, for what it does.
"""

import contextlib
import gc
import importlib
import os
import pkgutil
import signal

import dominoperf
from dominoperf.reports.worker import MATPLOTLIB_BACKEND

_LIBRARIES = "jupyter_client.jsonutil matplotlib.backends.backend_svg "
_LIBRARIES += "matplotlib.pyplot pandas pint scipy.optimize scipy.stats simpleeval statsmodels.regression.linear_model "
_LIBRARIES += "dominoperf.figures.fits dominoperf.figures.interactive "
_LIBRARIES += "dominoperf.fitting.comparison dominoperf.fitting.forecasting dominoperf.tables.document_pages"
_NOT = {"cli"}  # that no report asks for

signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C ends it without a word, also one that has come by now
signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
gc.disable()  # what is imported and read stays
dominoperf._without_address_grammar()
os.environ.setdefault("MPLBACKEND", MATPLOTLIB_BACKEND)  # a library that is loaded does not look again
_ROOMS = [f"dominoperf.{room.name}" for room in pkgutil.iter_modules(dominoperf.__path__) if room.name not in _NOT]
for _name in (*_LIBRARIES.split(), *_ROOMS):
    with contextlib.suppress(Exception):  # a broken module ends nothing: the notebook that needs it tells
        importlib.import_module(_name)
# What notebooks ask for again and again is kept as long as the files are the same.
with contextlib.suppress(Exception):  # a user's data may be wrong, a module broken: the notebook that needs it tells
    from dominoperf import machines, runs, tables
    from dominoperf.study import audit
    from dominoperf.tables.columns import known_unit
    from dominoperf.tables.loading import VIEWS_OF_DATA

    for _id in tables.list_tables()["id"]:
        for _as in VIEWS_OF_DATA:
            tables.load(_id, _as)
            tables.load(_id, _as, text=True)
    runs.benchmarks()
    runs.prints("printed")
    runs.prints("suspected")
    audit.claims()
    known_unit("furlong")  # loads the units of pint
    machines.fitted_users_model()
gc.enable()
gc.freeze()  # what is shared with the forks is not written to by their garbage collection
