"""Fit one law to one table, say how sure, say why not; compare laws."""

from dominoperf import _lazy_import
from dominoperf.fitting.fit import fit  # noqa: F401  in front of its module, which has the same name

# Where each name lives; imported when first asked for: who fits one law does not wait for forecasts.
_HOMES = {
    "comparison": ("Comparison", "compare"),
    "fit": ("fit", "fit_each"),
    "forecasting": ("Forecast", "forecast", "forecast_many"),
    "frames_of_points": ("Source", "rows_of"),
    "least_squares": ("Curves",),
    "many": ("fit_many", "without_each"),
    "partitioned": ("fit_parts",),
    "resampling": ("bootstrap",),
    "result": ("Fit", "Fits"),
}
__getattr__, __dir__, __all__ = _lazy_import(__name__, _HOMES)
