"""Words in, lines out: the `dominoperf` command. No arithmetic here."""

import atexit
import contextlib
import gc
import io
import os
import shutil
import signal
import sys
import threading

from dominoperf.cli.options import parser
from dominoperf.cli.printing import say, tell
from dominoperf.errors import BadTable, DominoperfError, MissingFile, at_shell, system_reason
from dominoperf.study.commands import OVERVIEW

MISTAKE = 2  # the user's mistake, told as one message
INTERRUPTED = 130  # as a shell has it for Ctrl-C
_OBJECTS = 100_000  # new ones, before a search for cycles among them: by default 700, and a tenth of a report's time


def main(argv=None):
    """Run the command line; the exit status is 0, 1 when a check finds a difference, 2 for a mistake of the user's."""
    words = [str(word) for word in (sys.argv[1:] if argv is None else argv)]
    gc.set_threshold(_OBJECTS)
    # To build a grammar of internationalised addresses takes jsonschema two seconds, and nothing here asks for one.
    sys.modules.setdefault("rfc3987_syntax", None)
    atexit.register(gc.freeze)  # what is left then ends with the process: to look for cycles in it takes half a second
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, signal.default_int_handler)  # a report that is ended clears up after itself
    try:
        return _run(words)
    except BrokenPipeError:
        sys.stderr.close()  # the reader of our output went away: not worth a word
        return 0
    except (DominoperfError, OSError) as error:
        tell(error if str(error).startswith(("dominoperf ", "dominoperf:")) else f"dominoperf: {error}")
        return MISTAKE
    except KeyboardInterrupt:
        if threading.current_thread() is threading.main_thread():
            for again in (signal.SIGINT, signal.SIGTERM):  # one that comes while we end would change the exit status
                signal.signal(again, signal.SIG_IGN)
        tell("dominoperf: interrupted")
        return INTERRUPTED


def _run(words):
    """Run the command with the data folders that it was given."""
    with at_shell(words), _refusals_told():
        arguments = parser().parse_args(words)
        if arguments.command is None:
            say(OVERVIEW, end="")
            return 0
        for folder in arguments.data_first + arguments.data:
            from dominoperf import tables

            tables.use(folder)
        with _on_screen(arguments):
            status = arguments.command(arguments)
    sys.stdout.flush()
    return status or 0


@contextlib.contextmanager
def _on_screen(arguments):
    """To a terminal tables are printed as they fit, and what is longer than its screen goes through the pager."""
    if not sys.stdout.isatty() or getattr(arguments, "format", "") != "text":
        yield
        return
    from dominoperf.tables import terminal

    screen, held = shutil.get_terminal_size(), _Held()
    try:
        with contextlib.redirect_stdout(held), terminal.as_wide_as(None if arguments.wide else screen.columns):
            yield
    finally:  # a mistake that ends the command does not hide what it has said
        text = held.getvalue()
        if text.count("\n") < screen.lines:
            sys.stdout.write(text)
        else:
            os.environ.setdefault("LESS", "-FRSX")  # wide lines are cut, and scrolled
            import pydoc

            pydoc.pager(text)


class _Held(io.StringIO):
    """What is printed to a terminal, kept until all of it is there."""

    def isatty(self):
        return True


@contextlib.contextmanager
def _refusals_told():
    """What the system refuses is told as any mistake is: where, what was expected and found, what to do."""
    try:
        yield
    except (BrokenPipeError, DominoperfError):  # of whoever reads our output, and no file's; told already
        raise
    except FileNotFoundError as error:
        raise MissingFile(error.filename or "a file") from error
    except OSError as error:
        expected, remedy = "a place that can be used", "Look whether it is there, whether you may use it, and for room."
        where, found = str(error.filename or "a file"), system_reason(error)
        raise BadTable(where, expected=expected, found=found, remedy=remedy) from error
