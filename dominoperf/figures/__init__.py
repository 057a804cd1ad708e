"""Draw a result or printed numbers in one style."""

import importlib

OKABE_ITO = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""The colours of all pictures, told apart with any kind of colour vision (Okabe and Ito)."""

# Where each name lives; imported when first asked for, and seaborn with it: who draws nothing does not wait for it.
_HOMES = {
    "fits": ("curves", "overlay", "picture", "plot", "residuals", "small"),
    "marks": ("dots", "points", "shares", "tornado"),
    "pictures": ("Picture",),
    "timeline": ("run", "run_words"),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}
__all__ = sorted([*_HOME, "OKABE_ITO"])


def __getattr__(name):
    if name not in _HOME:
        raise AttributeError(f"module 'dominoperf.figures' has no attribute {name!r}")
    return getattr(importlib.import_module(f"dominoperf.figures.{_HOME[name]}"), name)
