"""The NIST StRD problems: their files read, and their models written by hand.

A model takes x of any shape and parameters that broadcast with it, real or complex.
"""

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
SKIPPED = {"Nelson": "two predictors, and the logarithm of the response"}


def misra1a(x, b1, b2):
    return b1 * (1 - np.exp(-b2 * x))


def misra1b(x, b1, b2):
    return b1 * (1 - (1 + b2 * x / 2) ** -2)


def misra1c(x, b1, b2):
    return b1 * (1 - (1 + 2 * b2 * x) ** -0.5)


def misra1d(x, b1, b2):
    return b1 * b2 * x / (1 + b2 * x)


def chwirut(x, b1, b2, b3):
    return np.exp(-b1 * x) / (b2 + b3 * x)


def lanczos(x, b1, b2, b3, b4, b5, b6):
    return b1 * np.exp(-b2 * x) + b3 * np.exp(-b4 * x) + b5 * np.exp(-b6 * x)


def gauss(x, b1, b2, b3, b4, b5, b6, b7, b8):
    return b1 * np.exp(-b2 * x) + b3 * np.exp(-(((x - b4) / b5) ** 2)) + b6 * np.exp(-(((x - b7) / b8) ** 2))


def danwood(x, b1, b2):
    return b1 * x**b2


def kirby2(x, b1, b2, b3, b4, b5):
    return (b1 + b2 * x + b3 * x**2) / (1 + b4 * x + b5 * x**2)


def cubic_ratio(x, b1, b2, b3, b4, b5, b6, b7):
    return (b1 + b2 * x + b3 * x**2 + b4 * x**3) / (1 + b5 * x + b6 * x**2 + b7 * x**3)


def mgh17(x, b1, b2, b3, b4, b5):
    return b1 + b2 * np.exp(-x * b4) + b3 * np.exp(-x * b5)


def roszman1(x, b1, b2, b3, b4):
    return b1 - b2 * x - np.arctan(b3 / (x - b4)) / np.pi


def enso(x, b1, b2, b3, b4, b5, b6, b7, b8, b9):
    year, second, third = (2 * np.pi * x / period for period in (12, b4, b7))
    return (
        b1
        + b2 * np.cos(year)
        + b3 * np.sin(year)
        + b5 * np.cos(second)
        + b6 * np.sin(second)
        + b8 * np.cos(third)
        + b9 * np.sin(third)
    )


def mgh09(x, b1, b2, b3, b4):
    return b1 * (x**2 + x * b2) / (x**2 + x * b3 + b4)


def rat42(x, b1, b2, b3):
    return b1 / (1 + np.exp(b2 - b3 * x))


def mgh10(x, b1, b2, b3):
    return b1 * np.exp(b2 / (x + b3))


def eckerle4(x, b1, b2, b3):
    return b1 / b2 * np.exp(-0.5 * ((x - b3) / b2) ** 2)


def rat43(x, b1, b2, b3, b4):
    return b1 / (1 + np.exp(b2 - b3 * x)) ** (1 / b4)


def bennett5(x, b1, b2, b3):
    return b1 * (b2 + x) ** (-1 / b3)


MODELS = {
    "Bennett5": bennett5,
    "BoxBOD": misra1a,
    "Chwirut1": chwirut,
    "Chwirut2": chwirut,
    "DanWood": danwood,
    "ENSO": enso,
    "Eckerle4": eckerle4,
    "Gauss1": gauss,
    "Gauss2": gauss,
    "Gauss3": gauss,
    "Hahn1": cubic_ratio,
    "Kirby2": kirby2,
    "Lanczos1": lanczos,
    "Lanczos2": lanczos,
    "Lanczos3": lanczos,
    "MGH09": mgh09,
    "MGH10": mgh10,
    "MGH17": mgh17,
    "Misra1a": misra1a,
    "Misra1b": misra1b,
    "Misra1c": misra1c,
    "Misra1d": misra1d,
    "Rat42": rat42,
    "Rat43": rat43,
    "Roszman1": roszman1,
    "Thurber": cubic_ratio,
}


@dataclass(frozen=True)
class Problem:
    """A problem and its certified answer."""

    name: str
    model: object
    x: np.ndarray
    y: np.ndarray
    starts: np.ndarray  # a row per starting point
    params: np.ndarray
    errors: np.ndarray
    residual_sd: float

    @property
    def dof(self):
        """Degrees of freedom, counted: the file of Rat43 says 9 where its own residual standard deviation is on 11."""
        return len(self.y) - len(self.params)

    def start(self, number):
        """Give starting point 1 or 2 by the names of the parameters."""
        return {f"b{k}": float(value) for k, value in enumerate(self.starts[number - 1], 1)}


def read(name):
    """Read a problem from its file: a row per parameter (start 1, start 2, value, error), and y and x at the end."""
    text = (HERE / f"{name}.dat").read_text(encoding="ascii")
    rows = re.findall(r"^\s*b\d+\s*=\s*(\S+)\s+(\S+)\s+(\S+)\s+(\S+)\s*$", text, re.MULTILINE)
    table = np.array(rows, dtype=float)
    body = text.rsplit("Data:", 1)[1].splitlines()[1:]
    y, x = np.array([line.split() for line in body if line.strip()], dtype=float).T
    residual_sd = float(re.search(r"Residual Standard Deviation:\s*(\S+)", text)[1])
    return Problem(name, MODELS[name], x, y, table[:, :2].T, table[:, 2], table[:, 3], residual_sd)
