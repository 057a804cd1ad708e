"""How JupyterLab saves our own notebooks: without outputs, as they came.

A notebook of ours keeps no output, and its digest stands in the ledger; JupyterLab saves by itself every two minutes.
Only the server of `dominoperf lab` loads this module.
"""

import json

from jupyter_server.services.contents.largefilemanager import AsyncLargeFileManager
from traitlets import default

_KEPT = ("kernelspec", "language_info")  # what JupyterLab writes of the machine: stays as the file had it


class Notebooks(AsyncLargeFileManager):
    """The files of the server's folder; a notebook of the run list is saved without outputs."""

    @default("pre_save_hook")
    def _strip(self):
        return without_outputs


def without_outputs(model, path, contents_manager):
    """Take the outputs out of a notebook that is about to be saved; one that is no report of ours stays whole."""
    from dominoperf import reports

    ours = {f"{run.notebook}.ipynb" for run in reports.runs()}
    if model["type"] != "notebook" or not model.get("content") or path.strip("/") not in ours:
        return
    content = model["content"]
    for cell in content["cells"]:
        if cell["cell_type"] == "code":
            cell["outputs"], cell["execution_count"] = [], None
        cell["metadata"] = {name: value for name, value in cell["metadata"].items() if name == "tags"}
    content["metadata"] = _metadata(contents_manager._get_os_path(path))


def _metadata(path):
    """What the file says of itself so far."""
    with open(path, encoding="utf-8") as file:
        return json.load(file)["metadata"]
