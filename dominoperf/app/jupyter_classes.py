"""What the servers of `dominoperf lab` and `dominoperf app` do otherwise than Jupyter: log in, start kernels, save.

Jupyter gets these classes by name; nothing else loads this module.
"""

import json
import os
import secrets

from jupyter_server.auth.identity import PasswordIdentityProvider
from jupyter_server.services.contents.largefilemanager import AsyncLargeFileManager
from jupyter_server.services.kernels.kernelmanager import ServerKernelManager
from traitlets import default

from dominoperf import reports
from dominoperf.parallel import SAFE_PATH


class TokenLogin(PasswordIdentityProvider):
    """Asks for a token, or for the password that a user has set; settings that ask for neither get a token.

    The cookie that stands for it afterwards counts only where a page of this server asks, or the user types the
    address. What any other page asks, by a link, a frame, a script or a websocket, has to bring the token.
    """

    def __init__(self, **settings):
        super().__init__(**settings)
        self.cookie_options = self.cookie_options | {"samesite": "Strict"}
        if not (self.token or self.hashed_password):
            self.token, self.token_generated = secrets.token_hex(24), True

    async def get_user(self, handler):
        """Return the user; nobody where another page asks in the user's name."""
        if request_of_other_origin(handler.request.headers) and not await self.get_user_token(handler):
            return None
        return await self._get_user(handler)


def request_of_other_origin(headers):
    """Return whether a page of another origin sent a request, by headers that a browser adds and no page can set.

    A site is no origin: all ports of this machine are one site, for which SameSite does not hold a cookie back.
    """
    origin = headers.get("Origin")
    if origin is not None:
        return origin.partition("://")[2] != headers.get("Host")
    return headers.get("Sec-Fetch-Site", "none") not in {"same-origin", "none"}  # none: the user typed the address


class KernelManager(ServerKernelManager):
    """Encrypts the connection, without which every kernel warns, and imports no module that lies beside a notebook."""

    transport_encryption = "auto"  # pyrefly: ignore[bad-assignment]  no trait, so that no setting turns it off

    async def _async_pre_start_kernel(self, **kwargs):
        environment = {**(kwargs.get("env") or os.environ), **SAFE_PATH}
        return await super()._async_pre_start_kernel(**{**kwargs, "env": environment})


class Notebooks(AsyncLargeFileManager):
    """The files of the server's folder; a notebook of the run list is saved without outputs, as it came.

    A notebook of ours keeps no output, and its digest is in the ledger; JupyterLab saves every two minutes.
    """

    @default("pre_save_hook")
    def _outputs_taken_out_on_save(self):
        return notebook_without_outputs


def notebook_without_outputs(model, path, contents_manager):
    """Take the outputs out of a notebook that is about to be saved; one that is no report of ours stays whole."""
    ours = {f"{run.notebook}.ipynb" for run in reports.runs()}
    if model["type"] != "notebook" or not model.get("content") or path.strip("/") not in ours:
        return
    content = model["content"]
    for cell in content["cells"]:
        if cell["cell_type"] == "code":
            cell["outputs"], cell["execution_count"] = [], None
        cell["metadata"] = {name: value for name, value in cell["metadata"].items() if name == "tags"}
    # What JupyterLab writes of this machine stays as the file has it.
    with open(contents_manager._get_os_path(path), encoding="utf-8") as file:
        content["metadata"] = json.load(file)["metadata"]
