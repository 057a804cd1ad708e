"""A notebook whose prose alone changed is not run again: what its code gave stays, among the new prose."""

import hashlib
import json

from dominoperf.reports.parameters import TAG
from dominoperf.tables import rendering

_INJECTED = "injected-parameters"  # papermill's tag of the cell that it puts below the declared ones


def digests(path):
    """Give the SHA-256 of a notebook's code, with all that says how to run it, and of its prose.

    Where the prose stands among the code is part of the prose.
    """
    notebook = _read(path)
    cells = notebook.pop("cells")
    notebook["cells"] = [cell for cell in cells if _is_code(cell)]
    prose = [cell.get("id") if _is_code(cell) else cell for cell in cells]
    return {"code": _digest(notebook), "prose": _digest(prose)}


def reword(executed, path):
    """Give an executed notebook the prose that its source has by now; tell whether that was possible.

    It is not where they differ in code.
    """
    done, wanted = _read(executed), _read(path)
    ran = [cell for cell in done["cells"] if _is_code(cell)]
    injected = [cell for cell in ran if _INJECTED in _tags(cell)]
    own = [cell for cell in ran if cell not in injected]
    if [_text(cell) for cell in wanted["cells"] if _is_code(cell)] != [_text(cell) for cell in own]:
        return False
    outputs, done["cells"] = iter(own), []
    for cell in wanted["cells"]:
        done["cells"].append(next(outputs) if _is_code(cell) else cell)
        if TAG in _tags(cell):
            done["cells"] += injected
    rendering.replace_file(executed, json.dumps(done, indent=1, ensure_ascii=False) + "\n")
    return True


def _tags(cell):
    return cell["metadata"].get("tags", ())


def _text(cell):
    return "".join(cell["source"])


def _is_code(cell):
    return cell["cell_type"] == "code"


def _read(path):
    return json.loads(path.read_text(encoding="utf-8"))


def _digest(value):
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()
