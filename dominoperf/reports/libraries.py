"""What most notebooks import, loaded before their first cell comes."""

import contextlib
import gc
import importlib
import os
import pkgutil

import dominoperf

_LIBRARIES = "dominoperf.reports.worker jupyter_client.jsonutil matplotlib.backends.backend_svg "
_LIBRARIES += "matplotlib.pyplot pandas pint scipy.optimize scipy.stats simpleeval statsmodels.regression.linear_model "
_LIBRARIES += "dominoperf.figures.fits dominoperf.figures.interactive"
_NOT = {"cli"}  # that no report asks for


def import_libraries():
    """Import them; a broken module ends nothing: the notebook that needs it tells."""
    gc.disable()  # imports leave no garbage
    dominoperf._without_address_grammar()
    # ipykernel sets it too, but a library that is loaded does not look again.
    os.environ.setdefault("MPLBACKEND", "module://matplotlib_inline.backend_inline")
    rooms = [f"dominoperf.{room.name}" for room in pkgutil.iter_modules(dominoperf.__path__) if room.name not in _NOT]
    for name in (*_LIBRARIES.split(), *rooms):
        with contextlib.suppress(Exception):
            importlib.import_module(name)
    gc.enable()
