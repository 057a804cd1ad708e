"""What the rows of a model cannot tell apart, or hardly can, in words."""

import pandas as pd

from dominoperf.capacity.design import Category

_LARGE = 10.0  # variance inflation from which a factor's own effect is hardly told
_COLUMNS = ["term", "confounded_with", "kind", "reason"]


def confounding(design, rows):
    """List what is confounded: aliased terms, variance inflation over 10, levels that meet one value of another factor.

    Returns
    -------
    DataFrame
        term, confounded_with, kind ("aliased", "one value", "source", "inflated", "one row" or "one surrounding"),
        reason. "source" is a factor that has a single value in each document: it may stand for anything else in which
        the documents' vendors and laboratories differ, and no inflation of variances shows it, for no term is a vendor.
    """
    found = [
        *_aliased(design), *_constant(design), *_sources(design, rows), *_inflated(design), *_levels(design, rows)
    ]  # fmt: skip
    return pd.DataFrame(found, columns=_COLUMNS)


def _aliased(design):
    for term, others in design.aliases().items():
        if others:
            yield term, ", ".join(others), "aliased", "The rows cannot tell it from these: their columns add up to it."
        else:
            yield term, "intercept", "one value", "Every row has the same value."


def _constant(design):
    """Categories of one level have no term at all."""
    for factor in design.factors:
        if isinstance(factor, Category) and len(factor.levels) == 1:
            yield factor.name, "intercept", "one value", f"Every row has {factor.levels[0]}."


def _sources(design, rows):
    """Factors that vary between the documents and within none of them."""
    if rows["source"].nunique() < 2:
        return
    for factor in design.factors:
        inside = rows.groupby("source", sort=False)[factor.name]
        if factor.name != "source" and rows[factor.name].nunique() > 1 and (inside.nunique() == 1).all():
            values = ", ".join(f"{_shown(part)} in all {len(part)} rows of {name}" for name, part in inside)
            yield factor.name, "source", "source", f"It has one value in each document: {values}."


def _inflated(design):
    """Factors of large variance, each with the other whose absence would relieve it most."""
    inflation = design.inflation()
    for name, vif in inflation.items():
        if vif > _LARGE:
            relief = {other: design.without(other).inflation().get(name, vif) for other in inflation if other != name}
            partner = min(relief, key=relief.get)
            said = (
                f"Its variance is {vif:.0f} times what it would be by itself; without {partner} {relief[partner]:.1f}."
            )
            yield name, partner, "inflated", said


def _levels(design, rows):
    """Levels of a category that stand on one row, or that meet one value of another factor only."""
    for factor in design.factors:
        if not isinstance(factor, Category) or len(factor.levels) == 1:
            continue
        for level in factor.levels:
            part, term = rows[rows[factor.name] == level], f"{factor.name}[{level}]"
            if len(part) == 1:
                said = f"One row alone, {part['run'].iloc[0]}: the model passes through it."
                yield term, part["run"].iloc[0], "one row", said
                continue
            fixed = [
                f"{other.name} {_shown(part[other.name])}"
                for other in design.factors
                if _fixed(other, factor, part, rows)
            ]
            if fixed:
                said = f"All its {len(part)} rows have the same, which vary elsewhere."
                yield term, ", ".join(fixed), "one surrounding", said


def _fixed(other, factor, part, rows):
    return other is not factor and part[other.name].nunique() == 1 < rows[other.name].nunique()


def _shown(values):
    value = values.iloc[0]
    return f"{value:g}" if isinstance(value, float) else value
