"""The manager of the kernels that notebooks run in."""

import os
import weakref
from types import MappingProxyType

from jupyter_client.manager import AsyncKernelManager

from dominoperf.parallel import SAFE_PATH
from dominoperf.reports.warm import Forked

_managers = weakref.WeakSet()  # of the kernels of this process


class KernelManager(AsyncKernelManager):
    """Encrypts the connection where jupyter_client can (8.9 and later), and lets an idle kernel end in peace.

    ipykernel 7.3 and later warn about an unencrypted connection once a kernel, into every page. jupyter_client
    interrupts a kernel before it asks it to end, and now and then the kernel reports that as an error.
    """

    transport_encryption = "auto"
    environment = MappingProxyType({})  # beside that of this process
    warm = False  # whether kernels are forked from a process that has loaded what notebooks import

    async def _async_pre_start_kernel(self, **kwargs):
        """Choose how the kernel starts, and give it its environment."""
        if self.warm and self.provisioner is None:
            self.provisioner = Forked(kernel_id=self.kernel_id or "", kernel_spec=self.kernel_spec, parent=self)
        _managers.add(self)
        environment = {**os.environ, **SAFE_PATH, **self.environment}
        return await super()._async_pre_start_kernel(**{"env": environment, **kwargs})

    async def _async_interrupt_kernel(self):
        """Do nothing: a notebook that has run to its end leaves nothing to interrupt."""


def managed(environment, *, warm):
    """Give a manager for kernels with these variables in their environment; processes of this one share its own."""
    return type("KernelManager", (KernelManager,), {"environment": environment, "warm": warm})


def end_kernels():
    """End every kernel of this process at once; the threads that wait for them are told."""
    for manager in list(_managers):
        if manager.has_kernel and manager.provisioner.process:
            manager.provisioner.process.kill()
