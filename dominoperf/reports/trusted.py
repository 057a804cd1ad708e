"""Whether what lies in an out folder was written by this user: Sphinx keeps pickles there, which run what is in them.

A stranger's folder may have them too. What a build leaves is signed with a secret of the user's own, as Jupyter signs
the notebooks that it trusts, and read again only with that signature.
"""

import contextlib
import hmac
import os
import secrets
from pathlib import Path

from jupyter_core.paths import jupyter_data_dir

_BYTES = 32


def signature(folder, key):
    """Sign the files of a folder, names and content, and a key."""
    told = hmac.new(_secret(), key.encode(), "sha256")
    for path in sorted(path for path in Path(folder).rglob("*") if path.is_file()):
        content = path.read_bytes()
        told.update(f"\0{path.relative_to(folder).as_posix()}\0{len(content)}\0".encode() + content)
    return told.hexdigest()


def _secret():
    """The user's, made at first; where none can be kept, one of this time alone: nothing is trusted the next time."""
    path = Path(jupyter_data_dir(), "dominoperf_secret")
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(FileExistsError), open(path, "xb", opener=_for_the_user_alone) as file:
            file.write(secrets.token_bytes(_BYTES))
        found = path.read_bytes()
        if len(found) == _BYTES:
            return found
    return secrets.token_bytes(_BYTES)


def _for_the_user_alone(path, flags):
    return os.open(path, flags, 0o600)
