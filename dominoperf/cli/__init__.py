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

from dominoperf import __version__, _without_address_grammar
from dominoperf.cli import (
    audit_commands,
    fit_commands,
    load_test_commands,
    plan_commands,
    report_commands,
    table_commands,
)
from dominoperf.cli.options import Parser, data_option, format_options
from dominoperf.cli.printing import print_message, print_text
from dominoperf.errors import BadTable, DominoperfError, MissingFile, at_shell, system_reason
from dominoperf.study.commands import EXAMPLES, OVERVIEW

MISTAKE = 2  # the user's mistake, told as one message
INTERRUPTED = 130  # as a shell has it for Ctrl-C
_NEW_OBJECTS_BEFORE_GC = 100_000  # by default 700, and a tenth of a report's time
_ABOUT = "Capacity from load tests: how many users a server carries, how sure that is, and what to buy."
_EXIT = (
    "Exit status: 0 success; 1 audit, check, diff or verify found a difference, ab --fail-below a slower build, or a "
    "set of a sweep failed; 2 a mistake or a failed notebook, told in one message; 130 interrupted."
)
_COMMANDS = (  # in the order in which help lists them
    (report_commands, ("report", "sweep", "verify", "archive")),
    (table_commands, ("tables", "describe", "series")),
    (load_test_commands, ("ingest", "curve", "ab")),
    (fit_commands, ("laws", "fit", "compare", "forecast")),
    (load_test_commands, ("steady",)),
    (plan_commands, ("capacity", "plan")),
    (audit_commands, ("audit", "advice", "diff")),
    (table_commands, ("check", "new")),
    (report_commands, ("lab", "app")),
)
_NO_TABLE = ("report", "sweep", "archive", "lab", "app")  # what these print is none, and has no --format


def parser():
    """Return the parser of the command line.

    A command is a function, named as it is typed, whose docstring is its help. The function of the same name with
    ``_options`` adds its options, when the command is asked for.
    """
    line = Parser(prog="dominoperf", description=_ABOUT, epilog=_EXIT)
    line.set_defaults(command=None)
    line.add_argument("--version", action="version", version=f"dominoperf {__version__}")
    data_option(line, "data_first")
    listed = line.add_subparsers(title="commands", metavar="COMMAND")
    for module, name in [(module, name) for module, names in _COMMANDS for name in names]:
        function, example = getattr(module, name), EXAMPLES.get(name, f"dominoperf {name}")
        about = {"help": function.__doc__, "description": function.__doc__, "epilog": f"Example: {example}"}
        command = listed.add_parser(name, **about, example=example)
        command.set_defaults(command=function)
        command.commands = listed.choices
        command.options = [data_option] * (name != "capacity")  # which has another --data of its own
        command.options += [format_options] * (name not in _NO_TABLE) + [getattr(module, f"{name}_options")]
    return line


def main(argv=None):
    """Run the command line; the exit status is 0, 1 when a check finds a difference, 2 for a mistake of the user's."""
    words = [str(word) for word in (sys.argv[1:] if argv is None else argv)]
    gc.set_threshold(_NEW_OBJECTS_BEFORE_GC)
    _without_address_grammar()
    atexit.register(gc.freeze)  # what is left then ends with the process: to look for cycles in it takes half a second
    in_main_thread = threading.current_thread() is threading.main_thread()
    if in_main_thread:
        signal.signal(signal.SIGTERM, signal.default_int_handler)  # a report that is ended clears up after itself
    with at_shell(words):
        try:
            arguments = parser().parse_args(words)
            if arguments.command is None:
                print_text(OVERVIEW, end="")
                return 0
            for folder in arguments.data_first + arguments.data:
                from dominoperf import tables

                tables.use(folder)
            with _on_screen(arguments):
                status = arguments.command(arguments)
            sys.stdout.flush()
            return status or 0
        except BrokenPipeError:
            sys.stderr.close()  # the reader of our output went away: not worth a word
            return 0
        except KeyboardInterrupt:
            if in_main_thread:
                for again in (signal.SIGINT, signal.SIGTERM):  # one that comes while we end would change the status
                    signal.signal(again, signal.SIG_IGN)
            print_message("dominoperf: interrupted")
            return INTERRUPTED
        except DominoperfError as error:
            mistake = error
        except FileNotFoundError as error:
            mistake = MissingFile(error.filename or "a file")
        except OSError as error:  # what the system refuses is told as any mistake is
            where, expected = str(error.filename or "a file"), "a place that can be used"
            remedy = "Look whether it is there, whether you may use it, and for room."
            mistake = BadTable(where, expected=expected, found=system_reason(error), remedy=remedy)
        print_message(mistake if str(mistake).startswith(("dominoperf ", "dominoperf:")) else f"dominoperf: {mistake}")
        return MISTAKE


@contextlib.contextmanager
def _on_screen(arguments):
    """To a terminal tables are printed as they fit, and what is longer than its screen goes through the pager."""
    if not sys.stdout.isatty() or getattr(arguments, "format", "") != "text":
        yield
        return
    from dominoperf.tables import rendering

    screen, held = shutil.get_terminal_size(), _Held()
    try:
        with contextlib.redirect_stdout(held), rendering.table_width_limit(None if arguments.wide else screen.columns):
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
