"""What the rows of a model cannot tell apart, or hardly can, in words."""

import pandas as pd

from dominoperf.capacity.design import Design

LARGE = 10.0
"""Variance inflation above which the effect of a factor is hardly told from that of the others."""
_COLUMNS = ["term", "confounded_with", "kind", "reason"]


def confounding(design: Design) -> pd.DataFrame:
    """Return what is confounded: aliased terms, inflated variances, levels that meet one value of another factor.

    Parameters
    ----------
    design : Design
        Over rows with the columns run and source besides the factors.

    Returns
    -------
    DataFrame
        term, confounded_with, kind ("aliased", "one value", "source", "inflated", "one row" or "one surrounding"),
        reason. "source" is a factor that has a single value in each document: it may stand for anything else in which
        the documents' vendors and laboratories differ, and no inflation of variances shows it, for no term is a vendor.
    """
    found = [*_aliased(design), *_constant(design), *_sources(design), *_inflated(design), *_levels(design)]
    return pd.DataFrame(found, columns=_COLUMNS)


def _aliased(design):
    for term in design.aliases:
        if others := design.partners(term):
            yield term, ", ".join(others), "aliased", "The rows cannot tell it from these: their columns add up to it."
        else:
            yield term, "intercept", "one value", "Every row has the same value."


def _constant(design):
    """Categories of one level have no term at all."""
    for name, levels in design.levels.items():
        if len(levels) == 1:
            yield name, "intercept", "one value", f"Every row has {levels[0]}."


def _sources(design):
    """Factors that vary between the documents and within none of them."""
    documents = design.rows.groupby("source", sort=False)
    for name in design.factors if len(documents) > 1 else ():
        if name != "source" and design.rows[name].nunique() > 1 and (documents[name].nunique() == 1).all():
            values = ", ".join(f"{_shown(part)} in all {len(part)} rows of {key}" for key, part in documents[name])
            yield name, "source", "source", f"It has one value in each document: {values}."


def _inflated(design):
    """Factors of large variance, each with the other whose absence would relieve it most."""
    inflation = design.inflation()
    for name, vif in inflation.items():
        if vif > LARGE:
            relief = {other: design.without(other).inflation().get(name, vif) for other in inflation if other != name}
            partner = min(relief, key=relief.get)
            reason = f"Its variance is {vif:.0f} times what it would be by itself"
            yield name, partner, "inflated", f"{reason}; without {partner} {relief[partner]:.1f}."


def _levels(design):
    """Levels of a category that stand on one row, or that meet one value of another factor only."""
    varying = [name for name in design.factors if design.rows[name].nunique() > 1]
    for factor in varying:
        for level in design.levels.get(factor, ()):
            part, term = design.rows[design.rows[factor] == level], f"{factor}[{level}]"
            fixed = [name for name in varying if name != factor and part[name].nunique() == 1]
            if len(part) == 1:
                run = part["run"].iloc[0]
                yield term, run, "one row", f"One row alone, {run}: the model passes through it."
            elif fixed:
                values = ", ".join(f"{name} {_shown(part[name])}" for name in fixed)
                yield term, values, "one surrounding", f"All its {len(part)} rows have the same, which vary elsewhere."


def _shown(values):
    value = values.iloc[0]
    return f"{value:g}" if isinstance(value, float) else value
