"""``make mutate ROOM=laws``: change the code a little, one place at a time, and see whether a test notices.

Prints branch coverage, the mutants that no test noticed, and the share that tests noticed. Changes of prose (a text
with a blank in it, the words of an error) are left out. Nothing of the checkout is written.
"""

import argparse
import json
import os
import random
import sys
import tempfile
import tomllib
from collections import Counter
from pathlib import Path

os.environ["OMP_NUM_THREADS"] = "1"  # a process with threads is not forked

import trying
from mutants import mutants

ROOT = Path(__file__).parent.parent.parent
JOBS = 2
LEAST = 88.0  # per cent to be killed


def main():
    """Try the mutants of a room; the exit code says whether enough were killed."""
    asked = _asked()
    os.chdir(ROOT)
    os.nice(19 - os.nice(0))
    room = tomllib.loads(Path(__file__).with_name("rooms.toml").read_text(encoding="utf-8"))[asked.room]
    trying.prepare()
    known = _watched(room)
    print(known["report"], flush=True)
    chosen, verdicts = _chosen(room["code"], asked), {}
    seconds = int(3 * sum(known["seconds"].values()) + 30)
    for mutant, verdict in trying.try_all(chosen, [_order(mutant, known) for mutant in chosen], seconds, JOBS):
        verdicts[mutant] = verdict
        _tell(mutant, verdict, len(verdicts), len(chosen))
    return _summary(verdicts)


def _asked():
    parser = argparse.ArgumentParser(prog="python tests/mutation", description=__doc__.splitlines()[0])
    parser.add_argument("room")
    parser.add_argument("--only", default="", help="modules whose path has this in it")
    parser.add_argument("--sample", type=int, default=0, help="so many mutants, drawn at random")
    return parser.parse_args()


def _watched(room):
    """Run the tests once as they are."""
    with tempfile.TemporaryDirectory() as folder:
        out, log = Path(folder, "watched.json"), Path(folder, "log")
        tests = [f"tests/{name}" for name in room["tests"]]
        _, status = os.waitpid(trying.forked(trying.watch, tests, room["code"], out, seconds=3600, log=log), 0)
        if status:
            sys.exit(f"the tests fail without a mutant:\n{log.read_text('utf-8')[-3000:]}")
        return json.loads(out.read_text("utf-8"))


def _chosen(code, asked):
    paths = sorted(path.relative_to(ROOT) for path in (ROOT / code).rglob("*.py"))
    found = [mutant for path in paths if asked.only in str(path) for mutant in mutants(path, ROOT)]
    found = [mutant for mutant in found if not mutant.prose]
    print(f"{len(found)} mutants of {code} beside those of prose", flush=True)
    return random.Random(0).sample(found, asked.sample) if 0 < asked.sample < len(found) else found


def _order(mutant, known):
    """The tests that run a line of the statement, or all where an import ("") runs it: the quick ones first."""
    seconds, by_line = known["seconds"], known["lines"].get(mutant.path, {})
    tests = {test for line in mutant.lines for test in by_line.get(str(line), ())}
    return sorted((test for test in seconds if "" in tests or test in tests), key=seconds.get)


def _tell(mutant, verdict, done, total):
    if verdict not in trying.NOTICED:
        print(f"\n{mutant.path}:{mutant.line}: {verdict}\n{mutant.change}", flush=True)
    if done % 100 == 0:
        print(f"  {done} of {total}", file=sys.stderr, flush=True)


def _summary(verdicts):
    """Print the counts, and those by module; give 0 if enough were killed."""
    modules = sorted({mutant.path for mutant in verdicts})
    print(f"\n{'':<44}" + "".join(f"{name:>10}" for name in ("mutants", "killed", "timeout", "left", "%")))
    for name, picked in [*((module, module) for module in modules), ("all", "")]:
        counts = Counter(verdict for mutant, verdict in verdicts.items() if picked in mutant.path)
        total, noticed = sum(counts.values()), sum(counts[name] for name in trying.NOTICED)
        share = 100 * noticed / max(total, 1)
        row = (total, counts[trying.KILLED], counts[trying.TIMEOUT], total - noticed)
        print(f"{name:<44}" + "".join(f"{count:>10}" for count in row) + f"{share:>10.1f}")
    return int(share < LEAST)


if __name__ == "__main__":
    sys.exit(main())
