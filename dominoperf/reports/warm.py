"""Kernels that are there at once: forked from a process that has loaded what notebooks import.

The start of a kernel and its imports are most of what a small notebook takes. Here `multiprocessing`'s fork server pays
them once (`dominoperf.reports.loaded`), and every kernel is a fork of it: a process of its own, with its own memory.
Where that is not safe, or the server has ended, kernels start as Jupyter starts them.
"""

import multiprocessing
import os
import sys
import threading
from multiprocessing import forkserver
from pathlib import Path

from jupyter_client.provisioning import LocalProvisioner

from dominoperf import parallel

_LOADED = "dominoperf.reports.loaded"
_FEW = 2  # notebooks for each processor: so few are done before the server has loaded
_LAUNCHER = "ipykernel_launcher"


def prepared(count, jobs):
    """Tell whether kernels are to be forked, for so many notebooks, so many at once; begin to load where they are.

    The fork server loads while this process goes on.
    """
    if count <= _FEW * jobs or not _is_safe():
        return False
    multiprocessing.set_forkserver_preload([_LOADED])
    with parallel.starting():
        forkserver.ensure_running()
    return True


def _is_safe():
    """Linux alone forks safely what has loaded so much; and a user's script must not be run again for each kernel."""
    main = sys.modules["__main__"]
    spec, file = getattr(main, "__spec__", None), getattr(main, "__file__", None)
    again = not spec.name.endswith("__main__") if spec else file and Path(file).parent != Path(sys.executable).parent
    return sys.platform == "linux" and not again and not multiprocessing.current_process().daemon


class Forked(LocalProvisioner):
    """Starts a kernel of this Python as a fork of the server, any other as usual."""

    async def launch_kernel(self, cmd, **kwargs):
        """Start the kernel."""
        if cmd[0] != sys.executable or _LAUNCHER not in cmd:
            return await super().launch_kernel(cmd, **kwargs)
        arguments = cmd[cmd.index(_LAUNCHER) + 1 :]
        place = str(kwargs.get("cwd") or Path.cwd())
        process = multiprocessing.get_context("forkserver").Process(
            target=_kernel, args=(arguments, kwargs["env"], place), name="kernel"
        )
        try:
            process.start()
        except (EOFError, ConnectionError):  # the server ended: a module that it loads is broken, or memory ran out
            return await super().launch_kernel(cmd, **kwargs)
        self.process, self.pid, self.pgid, self.cwd = _Child(process), process.pid, process.pid, place
        return self.connection_info


class _Child:
    """The process as the provisioner asks for it: like one of `subprocess`."""

    stdin = stdout = stderr = None

    def __init__(self, process):
        self._process, self.pid = process, process.pid

    def poll(self):
        return self._process.exitcode

    def wait(self):
        self._process.join()
        return self._process.exitcode

    def send_signal(self, number):
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self):
        self._process.terminate()

    def kill(self):
        self._process.kill()


def _end_after(process):
    """End with the process that asked for the kernel: the server, whose child it is, stays while it has children."""
    process.join()
    os._exit(1)


def _kernel(arguments, environment, place):
    """Be a kernel, in the fork, to its end."""
    import time

    from ipykernel.kernelapp import IPKernelApp

    threading.Thread(target=_end_after, args=(multiprocessing.parent_process(),), daemon=True).start()
    os.setsid()  # what is typed at the terminal is not for it
    os.environ.clear()
    os.environ.update(environment)
    time.tzset()
    os.chdir(place)
    sys.argv = [_LAUNCHER, *arguments]
    IPKernelApp.launch_instance([*arguments, f"--IPKernelApp.parent_handle={os.getppid()}"])  # whom it ends with
    os._exit(0)  # nothing that the server registered for its own end is this process's
