"""How much a notebook may take: time for a cell, output; and what is said of one that took more, or whose kernel died.

A kernel that the system ended can leave no word itself. So all three are told from outside, by notebook and cell.
"""

import signal
from dataclasses import dataclass

from dominoperf.errors import ReportFailed

MEMORY = "See what the cell keeps in memory; take smaller data, fewer --jobs, or a machine with more."
_LOOK = "Run the notebook in JupyterLab to see more."
_LONG = 1000  # characters: an error's text may be as long as the data
_MEMORY_SIGNALS = ("SIGKILL", "SIGABRT")  # the system's answer to a lack of it, and that of compiled code


@dataclass(frozen=True)
class Limits:
    """What a notebook may take: seconds for each cell, and megabytes of output in all.

    Output is counted as it comes, so that memory does not grow with what a notebook prints. A megabyte is 10⁶ bytes,
    and `MESSAGE_BYTES` are counted for each output beside its text, which is about what it takes to keep one.
    """

    cell_s: int = 600
    output_mb: int = 20

    MESSAGE_BYTES = 500

    @property
    def output_bytes(self):
        """The bound on output, in bytes."""
        return self.output_mb * 1_000_000


def too_long(where, source, limits):
    """Give the error for a cell that did not end in time."""
    remedy = "Make it quicker, or allow more with --timeout SECONDS."
    expected = f"every cell to end within {limits.cell_s} s"
    return ReportFailed(where, expected=expected, found=f"one still at work, {_first(source)}", remedy=remedy)


def too_much(where, source, limits):
    """Give the error for a cell with which a notebook's output passed its bound."""
    remedy = "Print less, or save it to a file; or allow more with --max-output MB."
    expected = f"at most {limits.output_mb} MB of output from a notebook"
    return ReportFailed(where, expected=expected, found=f"more by then, {_first(source)}", remedy=remedy)


def incomplete(where, source):
    """Give the error for a cell whose output did not come to its end."""
    found = f"some of it lost, {_first(source)}"
    return ReportFailed(where, expected="the cell's output", found=found, remedy="Print less, or in larger pieces.")


def died(where, status):
    """Give the error for a kernel that ended by itself, with the exit status that the system told, if it did."""
    ended = _signal(-status) if status and status < 0 else f"exit status {status}" if status is not None else ""
    remedy = f"The system may have run out of memory. {MEMORY}" if ended.endswith(_MEMORY_SIGNALS) else _LOOK
    found = f"its kernel gone ({ended})" if ended else "its kernel gone"
    return ReportFailed(where, expected="the notebook to run to its end", found=found, remedy=remedy)


def failed(where, found):
    """Give the error for a notebook that stopped with an error of its own."""
    found = found if len(found) <= _LONG else f"{found[:_LONG]}…"
    remedy = MEMORY if found.partition(":")[0].endswith("MemoryError") else _LOOK
    return ReportFailed(where, expected="the notebook to run to its end", found=found.rstrip(".: "), remedy=remedy)


def mistaken(where, told):
    """Give the error for a notebook that was given what it cannot use, and said so in words of ours."""
    told = told if len(told) <= _LONG else f"{told[:_LONG]}…"
    remedy = "Mend that, then run again."
    return ReportFailed(where, expected="input that it can use", found=f"this: {told.rstrip('. ')}", remedy=remedy)


def _signal(number):
    try:
        return f"ended by {signal.Signals(number).name}"
    except ValueError:
        return f"ended by signal {number}"


def _first(source):
    """The line that a cell begins with, to know it by."""
    lines = [line.strip() for line in source.splitlines()]
    return f"which begins {next((line for line in lines if line and not line.startswith('#')), '')[:60]!r}"
