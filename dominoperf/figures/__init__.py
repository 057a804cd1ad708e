"""Draw a result or printed numbers in one style."""

from dominoperf import _lazy_import

OKABE_ITO = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""The colours of all pictures, told apart with any kind of colour vision (Okabe and Ito)."""

# Where each name lives; imported when first asked for, and seaborn with it: who draws nothing does not wait for it.
_HOMES = {
    "fits": ("chart", "curves", "overlay", "picture", "plot", "residuals", "small"),
    "load_tests": ("run_words",),
    "marks": ("dots", "points", "shares", "tornado"),
    "pictures": ("Picture",),
}
__getattr__, __dir__, __all__ = _lazy_import(__name__, _HOMES)
__all__ = sorted([*__all__, "OKABE_ITO"])
