"""The kernels of the servers: encrypted, and without modules of the folder that their notebook lies in.

Only the servers of `dominoperf lab` and `dominoperf app` load this module.
"""

import os

from jupyter_server.services.kernels.kernelmanager import ServerKernelManager

from dominoperf.parallel import SAFE_PATH


class KernelManager(ServerKernelManager):
    """Encrypts the connection, without which every kernel warns, and imports nothing that merely lies there."""

    transport_encryption = "auto"

    async def _async_pre_start_kernel(self, **kwargs):
        environment = {**(kwargs.get("env") or os.environ), **SAFE_PATH}
        return await super()._async_pre_start_kernel(**{**kwargs, "env": environment})
