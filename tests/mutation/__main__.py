"""``make mutate ROOM=laws``: change the code a little, one place at a time, and see whether a test notices.

Prints branch coverage, the mutants that no test noticed, and the share that tests noticed. Changes of prose (a text
with a blank in it, the words of an error) are counted apart. Nothing of the checkout is written but .mutation/.
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
QUICK, SLOW = 0.05, 0.3  # seconds of a test


def main():
    """Try the mutants of a room; the exit code says whether enough were killed."""
    asked = _asked()
    os.chdir(ROOT)
    os.nice(19 - os.nice(0))
    room = tomllib.loads(Path(__file__).with_name("rooms.toml").read_text(encoding="utf-8"))[asked.room]
    trying.prepare()
    known = _watched(room)
    print(known["report"], flush=True)
    if asked.coverage:
        return 0
    past = Path(".mutation", f"{asked.room}.json")
    past.parent.mkdir(exist_ok=True)
    before = json.loads(past.read_text("utf-8")) if asked.again else {}
    chosen = _chosen(room["code"], asked, before)
    verdicts = {mutant: before[mutant.key] for mutant in chosen if before.get(mutant.key) in trying.NOTICED}
    left = [mutant for mutant in chosen if mutant not in verdicts]
    for mutant, verdict in _tried(left, known, asked):
        verdicts[mutant] = verdict
        _tell(mutant, verdict, len(verdicts), len(chosen))
        past.write_text(json.dumps(_kept(verdicts), indent=1), "utf-8")
    return _summary(verdicts, asked.least)


def _tried(mutants, known, asked):
    """Verdicts as they come: first of what no import runs, in a process that has the tests."""
    seconds = int(3 * sum(known["seconds"].values()) + 30)
    orders = {mutant: _order(mutant, known, asked.slow) for mutant in mutants}
    late = [mutant for mutant in mutants if "" in _contexts(mutant, known)]
    early = [mutant for mutant in mutants if mutant not in set(late)]
    for mutant, verdict in trying.try_loaded(early, [orders[mutant] for mutant in early], seconds, asked.jobs):
        if verdict == trying.UNFIT:
            late.append(mutant)
        else:
            yield mutant, verdict
    yield from trying.try_all(late, [orders[mutant] for mutant in late], seconds, asked.jobs)


def _contexts(mutant, known):
    """The tests that run a line of the statement; "" is an import."""
    by_line = known["lines"].get(mutant.path, {})
    return {test for line in mutant.lines for test in by_line.get(str(line), ())}


def _asked():
    parser = argparse.ArgumentParser(prog="python tests/mutation", description=__doc__.splitlines()[0])
    parser.add_argument("room")
    parser.add_argument("--only", default="", help="modules whose path has this in it")
    parser.add_argument("--sample", type=int, default=0, help="so many mutants, drawn at random")
    parser.add_argument("--seed", type=int, default=0, help="of the draw")
    parser.add_argument(
        "--again", action="store_true", help="the mutants of last time, those killed then taken as killed"
    )
    parser.add_argument("--slow", action="store_true", help="let slow tests judge, too: after the others, with --again")
    parser.add_argument("--prose", action="store_true", help="try changes of prose, too")
    parser.add_argument("--coverage", action="store_true", help="only the coverage")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--least", type=float, default=85.0, help="per cent to be killed")
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


def _chosen(code, asked, past):
    paths = sorted(path.relative_to(ROOT) for path in (ROOT / code).rglob("*.py"))
    found = [mutant for path in paths if asked.only in str(path) for mutant in mutants(path, ROOT)]
    prose = sum(mutant.prose for mutant in found)
    print(f"{len(found)} mutants of {code}, {prose} of them of prose", flush=True)
    found = [mutant for mutant in found if asked.prose or not mutant.prose]
    if past:
        return [mutant for mutant in found if mutant.key in past]
    if 0 < asked.sample < len(found):
        found = random.Random(asked.seed).sample(found, asked.sample)
    return found


def _order(mutant, known, slow):
    """The tests that run the statement, or all where an import runs it: quick ones first, slow ones if asked for."""
    seconds, tests = known["seconds"], _contexts(mutant, known)
    chosen = [test for test in seconds if "" in tests or test in tests]
    quick = [test for test in chosen if slow or seconds[test] < SLOW]
    return sorted(quick or chosen, key=lambda test: seconds[test] > QUICK)


def _kept(verdicts):
    """By key; of two changes alike the one that is left over."""
    return {mutant.key: found for mutant, found in sorted(verdicts.items(), key=_left)}


def _left(each):
    return each[1] not in trying.NOTICED


def _tell(mutant, verdict, done, total):
    if verdict not in trying.NOTICED:
        print(f"\n{mutant.path}:{mutant.line}: {verdict}\n{mutant.change}", flush=True)
    if done % 100 == 0:
        print(f"  {done} of {total}", file=sys.stderr, flush=True)


def _summary(verdicts, least):
    """Print the counts, and those by module; give 0 if enough were killed."""
    modules = sorted({mutant.path for mutant in verdicts})
    print(f"\n{'':<44}" + "".join(f"{name:>10}" for name in ("mutants", "killed", "timeout", "left", "%")))
    for name, picked in [*((module, module) for module in modules), ("all", "")]:
        counts = Counter(verdict for mutant, verdict in verdicts.items() if picked in mutant.path)
        total, noticed = sum(counts.values()), sum(counts[name] for name in trying.NOTICED)
        share = 100 * noticed / max(total, 1)
        row = (total, counts[trying.KILLED], counts[trying.TIMEOUT], total - noticed)
        print(f"{name:<44}" + "".join(f"{count:>10}" for count in row) + f"{share:>10.1f}")
    return int(share < least)


if __name__ == "__main__":
    sys.exit(main())
