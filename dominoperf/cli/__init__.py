"""Words in, lines out: the `dominoperf` command. No arithmetic here."""

import signal
import sys
import threading

from dominoperf.cli.options import parser
from dominoperf.cli.printing import tell
from dominoperf.errors import DominoperfError

MISTAKE = 2  # the user's mistake, told as one message
INTERRUPTED = 130  # as a shell has it for Ctrl-C


def main(argv=None):
    """Run the command line; the exit status is 0, 1 when a check finds a difference, 2 for a mistake of the user's."""
    arguments = parser().parse_args(argv)
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, signal.default_int_handler)  # a report that is ended clears up after itself
    try:
        return _run(arguments)
    except BrokenPipeError:
        sys.stderr.close()  # the reader of our output went away: not worth a word
        return 0
    except (DominoperfError, OSError) as error:
        tell(f"dominoperf: {error}")
        return MISTAKE
    except KeyboardInterrupt:
        tell("dominoperf: interrupted")
        return INTERRUPTED


def _run(arguments):
    for folder in arguments.data_first + arguments.data:
        from dominoperf import catalog

        catalog.use(folder)
    status = arguments.command(arguments)
    sys.stdout.flush()
    return status or 0
