"""The kernels that notebooks run in, many of them there at once: forked from a process that has loaded what they need.

The start of a kernel and its imports are most of what a small notebook takes. `multiprocessing`'s fork server pays them
once (`dominoperf.reports.loaded`), and every kernel is a fork of it: a process of its own, with its own memory. Where
that is not safe, or the server has ended, kernels start as Jupyter starts them.
"""

import multiprocessing
import os
import sys
import threading
import weakref
from multiprocessing import forkserver
from pathlib import Path
from types import MappingProxyType

from jupyter_client.manager import AsyncKernelManager
from jupyter_client.provisioning import LocalProvisioner

from dominoperf import parallel

_LOADED = "dominoperf.reports.loaded"
_FEW = 2  # notebooks for each processor: so few are done before the server has loaded
_LAUNCHER = "ipykernel_launcher"
_managers = weakref.WeakSet()  # of the kernels of this process


def prepare(count, jobs):
    """Tell whether kernels are to be forked, for so many notebooks, so many at once; begin to load where they are.

    Linux alone forks safely what has loaded so much; and a user's script must not be run again for each kernel. The
    fork server loads while this process goes on.
    """
    main = sys.modules["__main__"]
    spec, file = getattr(main, "__spec__", None), getattr(main, "__file__", None)
    again = not spec.name.endswith("__main__") if spec else file and Path(file).parent != Path(sys.executable).parent
    if count <= _FEW * jobs or sys.platform != "linux" or again or multiprocessing.current_process().daemon:
        return False
    multiprocessing.set_forkserver_preload([_LOADED])
    with parallel.starting():
        forkserver.ensure_running()
    return True


def managed(environment, *, warm):
    """Return a manager for kernels with these variables in their environment; processes of this one share its own."""
    return type("KernelManager", (KernelManager,), {"environment": environment, "warm": warm})


def end_all():
    """End every kernel of this process at once; the threads that wait for them are told."""
    for manager in list(_managers):
        if manager.has_kernel and manager.provisioner.process:
            manager.provisioner.process.kill()


class KernelManager(AsyncKernelManager):
    """Encrypts the connection where jupyter_client can (8.9 and later), and lets an idle kernel end in peace.

    ipykernel 7.3 and later warn about an unencrypted connection once a kernel, into every page. jupyter_client
    interrupts a kernel before it asks it to end, and now and then the kernel reports that as an error.
    """

    transport_encryption = "auto"
    environment = MappingProxyType({})  # beside that of this process
    warm = False  # whether kernels are forked

    async def _async_pre_start_kernel(self, **kwargs):
        if self.warm and self.provisioner is None:
            self.provisioner = Forked(kernel_id=self.kernel_id or "", kernel_spec=self.kernel_spec, parent=self)
        _managers.add(self)
        environment = {**os.environ, **parallel.SAFE_PATH, **self.environment}
        return await super()._async_pre_start_kernel(**{"env": environment, **kwargs})

    async def _async_interrupt_kernel(self):
        """Do nothing: a notebook that has run to its end leaves nothing to interrupt."""


class Forked(LocalProvisioner):
    """Starts a kernel of this Python as a fork of the server, any other as usual."""

    async def launch_kernel(self, cmd, **kwargs):
        """Start the kernel."""
        if cmd[0] != sys.executable or _LAUNCHER not in cmd:
            return await super().launch_kernel(cmd, **kwargs)
        place = str(kwargs.get("cwd") or Path.cwd())
        told = (cmd[cmd.index(_LAUNCHER) + 1 :], kwargs["env"], place)
        process = multiprocessing.get_context("forkserver").Process(target=_kernel, args=told, name="kernel")
        try:
            process.start()
        except (EOFError, ConnectionError):  # the server ended: a module that it loads is broken, or memory ran out
            return await super().launch_kernel(cmd, **kwargs)
        self.process, self.pid, self.pgid, self.cwd = _Child(process), process.pid, process.pid, place
        return self.connection_info


class _Child:
    """A process of multiprocessing as the provisioner asks for it: like one of `subprocess`."""

    stdin = stdout = stderr = None

    def __init__(self, process):
        self._process, self.pid = process, process.pid
        self.terminate, self.kill = process.terminate, process.kill

    def poll(self):
        return self._process.exitcode

    def wait(self):
        self._process.join()
        return self._process.exitcode

    def send_signal(self, number):
        if self.poll() is None:
            os.kill(self.pid, number)


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


def _end_after(process):
    """End with the process that asked for the kernel: the server, whose child it is, stays while it has children."""
    process.join()
    os._exit(1)
