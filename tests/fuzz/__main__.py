"""``python tests/fuzz [TARGET ...] [--seconds N]``: fuzz each target in a process of its own, one after the other.

A finding is saved in ``tests/fuzz/found/TARGET``, where ``make test`` replays it. Inputs that reached new lines are
kept in ``.fuzz/TARGET`` for the next time.
"""

import argparse
import hashlib
import os
import re
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
sys.path[0] = str(ROOT / "tests")  # not this folder: `fuzz` is a package
LIBRARIES = ROOT / ".venv-fuzz"
IN_MEMORY = "/dev/shm"  # of Linux


def main():
    """Fuzz what is asked for; the exit status is 1 where something was found."""
    from fuzz.targets import TARGETS

    words = argparse.ArgumentParser(prog="python tests/fuzz", description=__doc__.partition("\n")[0])
    words.add_argument("targets", nargs="*", metavar="TARGET", help=f"of {', '.join(TARGETS)} (default: all)")
    words.add_argument("--seconds", type=int, default=180, help="for each target (default: 180)")
    words.add_argument("--here", metavar="CORPUS", help=argparse.SUPPRESS)  # fuzz in this process
    asked = words.parse_args()
    unknown = sorted(set(asked.targets) - set(TARGETS))
    if unknown:
        words.error(f"no target {', '.join(unknown)}; there are {', '.join(TARGETS)}")
    if asked.here:
        from fuzz.hunting import hunt

        hunt(asked.targets[0], asked.here, asked.seconds)
    lines = [_fuzzed(name, TARGETS[name], asked.seconds) for name in asked.targets or TARGETS]
    print(f"\n{'target':<12}{'executions':>12}{'edges':>8}{'inputs kept':>13}  found")
    print("\n".join(lines))
    return 1 if any("nothing" not in line for line in lines) else 0


def _fuzzed(name, target, seconds):
    """Fuzz one target, begun again where an input ended its process; give its line of the table."""
    corpus, end = ROOT / ".fuzz" / name, time.monotonic() + seconds
    corpus.mkdir(parents=True, exist_ok=True)
    for seed in target.seeds():
        (corpus / hashlib.sha256(seed).hexdigest()[:16]).write_bytes(seed)
    folder = Path(__file__).parent / "found" / name
    folder.mkdir(parents=True, exist_ok=True)
    before, runs, edges = set(folder.iterdir()), 0, 0
    while (left := int(end - time.monotonic())) > 0:
        told = _process(name, corpus, left)
        runs += int(next(iter(re.findall(r"number_of_executed_units: (\d+)", told)), 0))
        edges = max([edges, *map(int, re.findall(r"cov: (\d+)", told))])
    new = sorted(path.name for path in set(folder.iterdir()) - before)
    return f"{name:<12}{runs:>12,}{edges:>8,}{len(list(corpus.iterdir())):>13,}  {', '.join(new) or 'nothing'}"


def _process(name, corpus, seconds):
    """What a process of libFuzzer says on the way; lines of ours are shown as they come."""
    command = [sys.executable, str(Path(__file__).parent), name, "--seconds", str(seconds), "--here", str(corpus)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), str(LIBRARIES)]), "PYTHONHASHSEED": "0"}
    if os.access(IN_MEMORY, os.W_OK):  # each input has a folder of its own, and to remove one from a disk takes longest
        environment["TMPDIR"] = IN_MEMORY
    lines = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment) as process:
        for raw in process.stdout:
            lines.append(raw.decode("utf-8", "replace"))
            if re.match(r"FOUND|Traceback|.*Error|SUMMARY|.*ERROR: libFuzzer", lines[-1]):
                print(lines[-1], end="", flush=True)
    (ROOT / ".fuzz" / f"{name}.log").write_text("".join(lines), encoding="utf-8")
    return "".join(lines)


if __name__ == "__main__":
    sys.exit(main())
