"""Files, runs and builds that several test modules here make, and the notes of a frame in one text."""

import numpy as np
import pandas as pd
import pytest
from scipy.signal import lfilter

from dominoperf.loadtests import readers
from dominoperf.loadtests.readers.recording import EMPTY_COLUMNS


def notes(frame):
    """The notes of a frame in one text."""
    return "\n".join(frame.attrs["notes"])


def written(tmp_path, text, name="file.txt"):
    """A file with a text."""
    path = tmp_path / name
    path.write_text(text, encoding="utf-8", newline="")
    return path


def every_second(values, **columns):
    """A sample a second."""
    return pd.DataFrame({"time_s": np.arange(len(values)) * 1.0, "throughput_tps": values} | columns)


def noisy(level, count, seed=0):
    """A level with noise of 1 %."""
    return level * (1 + 0.01 * np.random.default_rng(seed).standard_normal(count))


def build(rates, loads=(1, 2, 4), **columns):
    """A run of each load."""
    return pd.DataFrame({"load": [*map(float, loads)], "throughput_per_s": rates, "reason": ""} | columns)


def noise(seed, count=1440, alike=0.5, wide=5.0):
    """An autoregressive series about 0 that has settled: y = alike y' + e."""
    drawn = np.random.default_rng(seed).standard_normal(count + 300)
    return lfilter([wide], [1, -alike], drawn)[300:]


def read_whole(path, reader=None, **more):
    """The rows of a file as dicts of the values that they have, and its notes but that on empty columns."""
    frame = readers.read(path, reader, **more)
    rows = [{name: value for name, value in row.items() if not pd.isna(value)} for row in frame.to_dict("records")]
    return rows, [note for note in frame.attrs["notes"] if note.kind != EMPTY_COLUMNS]


def about(rows):
    """Rows whose numbers are right to 12 digits."""
    near = {float: lambda value: pytest.approx(value, rel=1e-12)}
    return [{name: near.get(type(value), lambda same: same)(value) for name, value in row.items()} for row in rows]
