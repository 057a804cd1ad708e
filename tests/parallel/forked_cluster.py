"""A Dask scheduler and workers, processes of their own that are forked from one: libraries are loaded once for all.

`python forked_cluster.py FOLDER COUNT` prints the scheduler's address and the numbers of the workers' processes. They
end when it is asked to.
"""

import asyncio
import contextlib
import json
import os
import signal
import sys
import time
from pathlib import Path

import distributed
import pandas.io.parquet  # noqa: F401

import dominoperf.fitting
import dominoperf.planning  # noqa: F401


async def serve(server):
    """Run a scheduler or a worker until it is killed."""
    async with server() as running:
        await running.finished()


def forked(server):
    """The number of a process that serves."""
    if number := os.fork():
        return number
    asyncio.run(serve(server))
    os._exit(0)


def address(file):
    """What the scheduler wrote once it was ready."""
    while True:
        with contextlib.suppress(OSError, ValueError):
            return json.loads(file.read_text(encoding="utf-8"))["address"]
        time.sleep(0.1)


if __name__ == "__main__":
    folder, count = Path(sys.argv[1]), int(sys.argv[2])
    file, alike = folder / "scheduler.json", {"host": "127.0.0.1", "dashboard": False}
    scheduler = forked(lambda: distributed.Scheduler(scheduler_file=str(file), port=0, **alike))
    of_worker = {"nthreads": 1, "local_directory": str(folder)} | alike
    workers = [forked(lambda: distributed.Worker(address(file), **of_worker)) for _ in range(count)]

    def end(*_):
        for number in (scheduler, *workers):  # one that was killed before is ours until it is waited for
            os.kill(number, signal.SIGKILL)
            os.waitpid(number, 0)
        os._exit(0)

    signal.signal(signal.SIGTERM, end)
    print(address(file), *workers, flush=True)
    while True:
        signal.pause()
