"""Make reports again whenever what they are made from changes, with the libraries of the notebooks already loaded."""

import math
import os
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from dominoperf.errors import DominoperfError
from dominoperf.reports import cache, notebook_process, notebooks
from dominoperf.reports.building import build, explain

_LOOK_S = 0.25  # between looks at the files, which take 11 ms


def watch(
    out: str | os.PathLike | None = None,
    names: str | Iterable[str] = (),
    *,
    parameters: Mapping[str, Any] | None = None,
    fresh: bool = False,
    **how: Any,
) -> Iterator[Path | DominoperfError]:
    """Yield what `build` returns, or the mistake that it raises: now, and again after each change of a file.

    A notebook runs in a fork of one process that has loaded what notebooks import, which is most of the time that a
    small notebook takes. So it ends when a file of this package changes, which that process would not see: start it
    in a new Python then, as ``dominoperf report --watch`` does. Elsewhere than on Linux each run starts a Python.

    Parameters
    ----------
    out, names, parameters
        As `build` takes them.
    fresh : bool
        Run everything at first, changed or not.
    **how
        As `build` takes them.

    Yields
    ------
    Path or DominoperfError
        The site's index, or why it could not be made: mend that, and the next item is made.

    Raises
    ------
    UnknownName, BadTable, ReportFailed
        At the beginning, where nothing can be made as asked.
    """
    explain(out, names, parameters=parameters)  # raises what no change of a file is likely to mend
    notebook_process.start_fork_server(math.inf, 1)  # loads while the first notebooks are looked at
    package = _states_of_files(cache.package_files)
    while package == _states_of_files(cache.package_files):
        read = _states_of_what_is_read(parameters)
        try:
            answer = build(out, names, parameters=parameters, fresh=fresh, fork=True, **how)
        except DominoperfError as error:
            answer = error
        fresh = False
        yield answer
        while read == (now := _states_of_what_is_read(parameters)) and package == _states_of_files(cache.package_files):
            time.sleep(_LOOK_S)
        while now != (now := _states_of_what_is_read(parameters)):  # an editor may write in steps
            time.sleep(_LOOK_S)


def _states_of_what_is_read(parameters):
    """The state of every notebook and data file, and of the files that values name."""

    def paths():
        yield from (path for path in notebooks.notebooks_folder().iterdir() if path.suffix in (".ipynb", ".toml"))
        yield from cache.data_files()
        for text in notebooks.given_parameters(parameters).values():
            yield from cache.files_named_by(text)

    return _states_of_files(paths)


def _states_of_files(paths):
    """Time and size of each file; where a mistake is in the way, that."""
    try:
        return {str(path): (stat.st_mtime_ns, stat.st_size) for path in paths() if (stat := path.stat())}
    except (DominoperfError, OSError) as error:
        return str(error)
