"""Fit one law to one table, say how sure, say why not; compare laws."""

from dominoperf.fitting.comparison import Comparison, compare
from dominoperf.fitting.fit import fit, fit_each
from dominoperf.fitting.forecasting import Forecast, forecast, forecast_many
from dominoperf.fitting.frames_of_points import Source, rows_of
from dominoperf.fitting.least_squares import Curves
from dominoperf.fitting.many import fit_many, without_each
from dominoperf.fitting.partitioned import fit_parts
from dominoperf.fitting.resampling import bootstrap
from dominoperf.fitting.result import Fit, Fits

__all__ = [
    "Comparison",
    "Curves",
    "Fit",
    "Fits",
    "Forecast",
    "Source",
    "bootstrap",
    "compare",
    "fit",
    "fit_each",
    "fit_many",
    "fit_parts",
    "forecast",
    "forecast_many",
    "rows_of",
    "without_each",
]
