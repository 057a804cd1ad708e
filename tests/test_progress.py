"""Plain lines in a log; on a terminal one line that changes and leaves nothing of itself behind."""

import io

from dominoperf.reports.progress import Progress, mark, printers


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


def test_a_log_gets_plain_lines():
    """Nothing that changes."""
    stream = io.StringIO()
    tell, show = printers(stream)
    tell("start a")
    assert (stream.getvalue(), show) == ("start a\n", None)


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


def test_start_comes_before_the_end(tmp_path):
    """Also of a run that was over before anyone looked."""
    told = []
    with Progress(tmp_path, ["a", "b"], told.append) as progress:
        progress.ended("b", "done b")
    assert told == ["start b", "done b"]


def test_cells_are_shown_as_they_come(tmp_path):
    """Of every run that goes on, and of none that ended."""
    told, shown = [], []
    progress = Progress(tmp_path, ["a", "b"], told.append, shown.append)
    progress._look()
    for name, number in (("a", 1), ("b", 2)):
        mark(tmp_path, name, number, 3)
    progress._look()
    progress._look()
    progress.ended("a", "done a")
    progress._look()
    assert told == ["start a", "start b", "done a"]
    assert shown == ["a: cell 1/3, b: cell 2/3", "b: cell 2/3"]
