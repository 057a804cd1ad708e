"""What the fork server of `dominoperf.reports.notebook_process` loads, once for all kernels that are forked from it.

It is imported there alone, for what it does.
"""

import contextlib
import gc
import signal

from dominoperf.reports.worker import import_libraries

signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C ends it without a word, also one that has come by now
signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
import_libraries()
gc.disable()  # what is read stays
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
