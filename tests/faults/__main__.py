"""``python tests/faults [NAME ...]``: faults that are really made, and what came of each; some minutes.

One line a fault: what was done, when, exit status, the message's beginning, what stood in the folder afterwards. Ends
with status 1 when one came out otherwise than it has to. With ``--log FILE`` the lines go there too.
"""

import argparse
import sys

import folders
import greedy
import kills

FAULTS = {
    "greedy": greedy.report,
    "greedy-sweep": greedy.sweep,
    "full": folders.full_disk,
    "full-output": folders.full_output,
    "read-only": folders.read_only,
    "two": folders.two_at_once,
    "kill-moves": kills.publishing,
    "kill-kernel": kills.kernels,
    "kill-sweep": kills.sweep,
    "kill": kills.report,
    "kill-sphinx": lambda moments: kills.report(max(moments // 4, 1), quick=False),
}
_LONG = 230  # of a message


def main():
    """Print a line for every fault as it comes."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(FAULTS)}")
    parser.add_argument("--moments", type=int, default=10, metavar="N", help="kills of each kind (default: 10)")
    parser.add_argument("--log", type=argparse.FileType("w"), metavar="FILE")
    asked = parser.parse_args()
    unknown = [name for name in asked.names if name not in FAULTS]
    if unknown:
        parser.error(f"no fault is called {', '.join(unknown)}")
    said, wrong = [sys.stdout, *filter(None, [asked.log])], 0
    for name in asked.names or FAULTS:
        for good, line in FAULTS[name](asked.moments):
            wrong += not good
            _print(said, good, *line)
    for stream in said:
        print(f"{wrong} came out wrong" if wrong else "all as they have to be", file=stream, flush=True)
    return bool(wrong)


def _print(streams, good, fault, moment, status, message, after):
    told = message if len(message) <= _LONG else f"{message[:_LONG]}…"
    parts = [f"{fault}{', ' if moment else ''}{moment}", f"exit {status}", *filter(None, [told]), after]
    for stream in streams:
        print(f"{'ok   ' if good else 'WRONG'} {' | '.join(parts)}", file=stream, flush=True)


if __name__ == "__main__":
    sys.exit(main())
