"""Tables on a terminal: they fit, and what is not shown is named."""

import os
import pty
import subprocess
import sys
from collections import Counter

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dominoperf import list_laws, list_tables, tables
from dominoperf.tables import rendering

WORDS = st.text("abcdefgh  _/.", min_size=1, max_size=60).map(lambda text: f"w{text.strip()}")


def shown(frame, width):
    with rendering.table_width_limit(width):
        return rendering.as_text(frame)


def letters(text):
    """What is no blank, rule or minus."""
    return "".join(text.split()).replace("-", "")


@given(rows=st.lists(st.tuples(WORDS, st.floats(-1e9, 1e9), WORDS), min_size=1, max_size=4), width=st.integers(50, 120))
def test_a_table_fits_and_loses_no_letter(rows, width):
    """No line is longer than the terminal; each text is there, though broken, and each number is whole."""
    frame = pd.DataFrame(rows, columns=["law", "value", "why"])
    text = shown(frame, width)
    assert max(map(len, text.splitlines())) <= width
    assert "Not shown" not in text
    numbers = frame["value"].map(rendering.number)
    assert all(number in text for number in numbers)
    whole = "".join(["law", "value", "why", *frame["law"], *numbers, *frame["why"]])
    assert Counter(letters(text)) == Counter(letters(whole))


@pytest.mark.parametrize("width", [60, 80, 132])
def test_our_tables_fit(width):
    """The widest that we print, down to 60 columns; without a terminal nothing is broken or left out."""
    for frame in (list_laws(), list_tables(), tables.errata(), tables.load("compaq_domino45/a_mail")):
        text = shown(frame, width)
        assert max(map(len, text.splitlines())) <= width
        missing = [name for name in frame if name[:4] not in text.partition("\n--")[0]]
        told = text.rpartition("Not shown: ")[2]
        assert all(name in told for name in missing)
        assert "Not shown" not in rendering.as_text(frame)
        assert len(rendering.as_text(frame).splitlines()) == len(frame) + 2


def test_empty_columns_go_first():
    """They are named as such; where there is room they stay."""
    frame = pd.DataFrame({"a": ["x" * 30], "nothing": [""], "b": [12345.0]})
    assert "Not shown: nothing (empty)." in shown(frame, 40)
    assert "Not shown" not in shown(frame, 80)
    assert "12,345" in shown(frame, 40)


def test_a_long_number_stays_whole_between_texts():
    frame = pd.DataFrame({"a": ["word " * 12], "b": [-1e14], "c": ["word " * 12]})
    assert "-100,000,000,000,000" in shown(frame, 54)


def on_terminal(columns, lines, *words, **more):
    """What a command prints to a terminal of that size."""
    ours, theirs = pty.openpty()
    environment = os.environ | {"COLUMNS": str(columns), "LINES": str(lines), "TERM": "xterm", **more}
    command = [sys.executable, "-m", "dominoperf.cli", *words]
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=subprocess.PIPE, env=environment) as process:
        os.close(theirs)
        found = b""
        while True:
            try:
                part = os.read(ours, 4096)
            except OSError:  # Linux has it so when the other end is closed
                break
            if not part:
                break
            found += part
    os.close(ours)
    assert process.returncode == 0
    return found.decode().replace("\r\n", "\n")


def test_on_a_terminal():
    """Fitted, heads bold, no pager where the screen has room; through the pager where it has not; --wide has all."""
    assert "\x1b[1mprocessors" in on_terminal(80, 200, "series", "smp_mail", NO_COLOR="")
    fitted = on_terminal(80, 200, "fit", "amdahl", "smp_mail", PAGER="sed s/^/paged:/", NO_COLOR="1")
    assert max(map(len, fitted.splitlines())) <= 80
    assert "--wide shows all" in fitted
    assert "\x1b" not in fitted
    assert "paged:" not in fitted
    paged = on_terminal(80, 4, "series", "smp_mail", "--wide", PAGER="sed s/^/paged:/", NO_COLOR="1")
    assert paged.startswith("paged:processors")
