"""The manager of the kernels that notebooks run in."""

from jupyter_client.manager import AsyncKernelManager


class KernelManager(AsyncKernelManager):
    """Encrypts the connection where jupyter_client can (8.9 and later).

    ipykernel 7.3 and later warn about an unencrypted connection once a kernel, into every page.
    """

    transport_encryption = "auto"
