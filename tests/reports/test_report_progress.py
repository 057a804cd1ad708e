"""Plain lines in a log; on a terminal one line that changes and leaves nothing of itself behind."""

import io

from dominoperf.reports.building import BuildProgress, printers


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self):
        return True


def screen(text):
    """What a terminal shows after it got the text: a carriage return goes back, and what follows overwrites."""
    lines = [""]
    for part in text.replace("\n", "\r\n\r").split("\r"):
        if part == "\n":
            lines.append("")
        else:
            lines[-1] = part + lines[-1][len(part) :]
    return [line.rstrip() for line in lines]


def test_a_terminal_is_left_clean():
    """A longer text under a shorter one does not shine through."""
    stream = Terminal()
    tell, show = printers(stream)
    show("processors: cell 3/12")
    assert screen(stream.getvalue()) == ["processors: cell 3/12"]
    show("a: cell 1/2")
    assert screen(stream.getvalue()) == ["a: cell 1/2"]
    tell("done a")
    show("b: cell 1/2")
    show("")
    assert screen(stream.getvalue()) == ["done a", ""]


def test_cells_are_shown_as_they_come():
    """Of every run that goes on, and of none that ended; the line is left empty."""
    told, shown = [], []
    with BuildProgress(told.append, shown.append) as progress:
        for name in ("a", "b"):
            progress.began(name)
        progress.at("a", 1, 3)
        progress.at("b", 2, 3)
        progress.ended("a", well=True)
        progress.at("b", 3, 3)
    assert [line.rpartition(" 0.")[0] or line for line in told] == ["start a", "start b", "done a"]
    assert shown == ["a: cell 1/3", "a: cell 1/3, b: cell 2/3", "b: cell 3/3", ""]
