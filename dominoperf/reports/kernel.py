"""The manager of the kernels that notebooks run in."""

from jupyter_client.manager import AsyncKernelManager


class KernelManager(AsyncKernelManager):
    """Encrypts the connection where jupyter_client can (8.9 and later), and lets an idle kernel end in peace.

    ipykernel 7.3 and later warn about an unencrypted connection once a kernel, into every page. jupyter_client
    interrupts a kernel before it asks it to end, and now and then the kernel reports that as an error.
    """

    transport_encryption = "auto"

    async def _async_interrupt_kernel(self):
        """Do nothing: a notebook that has run to its end leaves nothing to interrupt."""
