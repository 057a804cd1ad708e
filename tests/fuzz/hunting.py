"""One target under libFuzzer, in this process: what it finds is made smaller, saved once a kind, and on it goes."""

import functools
import hashlib
import importlib
import pkgutil
import random
import signal
import time
from pathlib import Path

from fuzz.judging import kind_of, meet
from fuzz.mutating import LONGEST, mutated

FOUND = Path(__file__).parent / "found"
HANGS = 10.0  # seconds of the processor on an input, which are a finding
_SHRINKS = 5.0  # seconds by the clock to make a finding smaller
_STOPS = 600  # seconds by the clock after which libFuzzer ends the process: others may be at work on the machine
MEMORY = 1_500  # MB of the process, of which the library and its imports take 400


def hunt(name, corpus, seconds):
    """Fuzz until the time is over; libFuzzer then ends the process."""
    import atheris

    with atheris.instrument_imports(include=["dominoperf"]):
        _import_all()
        from dominoperf import cli
        from fuzz.targets import TARGETS
    cli.parser = functools.cache(cli.parser)  # it keeps nothing of a call, and takes a third of the time of a short one
    target, known = TARGETS[name].call, set()
    flags = [f"-max_total_time={seconds}", f"-timeout={_STOPS}", f"-rss_limit_mb={MEMORY}", f"-max_len={LONGEST}"]
    flags += [
        "-len_control=0",
        "-print_final_stats=1",
        "-reload=0",
        "-report_slow_units=1000",
        f"-artifact_prefix={FOUND / name}/",
    ]

    def one(data):
        error = _fault(target, data)
        if error is not None and kind_of(error) not in known:
            known.add(kind_of(error))
            save(name, target, data, kind_of(error))

    atheris.Setup(["fuzz", str(corpus), *flags], one, custom_mutator=_mutate)
    atheris.Fuzz()


def save(name, target, data, kind):
    """Save a finding under its kind, without the pieces that it stays the same finding without, large ones first."""
    end, size = time.monotonic() + _SHRINKS, max(len(data) // 2, 1)
    while size:
        at = 0
        while at < len(data) and time.monotonic() < end:
            less = data[:at] + data[at + size :]
            error = _fault(target, less)
            if error is not None and kind_of(error) == kind:
                data = less
            else:
                at += size
        size //= 2
    (FOUND / name / f"{kind}-{hashlib.sha256(data).hexdigest()[:8]}").write_bytes(data)
    print(f"FOUND {name}: {kind}, {len(data)} bytes", flush=True)


def _fault(target, data):
    """What an input raises that it must not."""
    signal.signal(signal.SIGPROF, _hangs)
    signal.setitimer(signal.ITIMER_PROF, HANGS)
    try:
        meet(target, data)
    except (Exception, Hang) as error:
        return error
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return None


class Hang(BaseException):
    """An input takes too long; no `Exception`, which somebody may catch on the way."""


def _hangs(_signal, _frame):
    raise Hang(f"over {HANGS:g} s of the processor")


def _mutate(data, most, seed):
    """Bytes as libFuzzer changes them, or words and lines as we do."""
    import atheris

    chance = random.Random(seed)
    return atheris.Mutate(data, most) if chance.random() < 0.4 else mutated(data, chance)[:most]


def _import_all():
    """Every module of ours, so that all are instrumented, also those imported where they are used."""
    import dominoperf

    for found in pkgutil.walk_packages(dominoperf.__path__, "dominoperf."):
        if not found.name.endswith(("__main__", ".conf")):
            importlib.import_module(found.name)
