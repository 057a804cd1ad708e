"""A notebook as a page without code, by Voilà."""

import functools

from dominoperf.app.opening import KERNELS, environment, listening
from dominoperf.errors import DominoperfError
from dominoperf.reports import notebooks
from dominoperf.tables.rendering import as_markdown_text

NOTEBOOK = "03_explore"
_TOKEN = "token"  # the one word of an address that is not the notebook's
_LEFT_OUT = {
    notebooks.NOTEBOOK_ONLY,
    "run-only",
}  # tags of cells that the app leaves out
_POLICY = {  # what the page may load, and run: files of this server, and nothing that stands in the page itself
    "default-src": "'self'",
    "script-src": "'self' blob:",  # a blob is what a script that runs already has made: the table's, of anywidget
    "style-src": "'self' 'unsafe-inline'",
    "img-src": "'self' data: blob:",
    "font-src": "'self' data:",
    "object-src": "'none'",
    "base-uri": "'none'",
    "form-action": "'self'",
    "frame-ancestors": "'self'",
}
_SERVER = {
    "allow_remote_access": False,  # a page elsewhere that calls itself us
    "local_hostnames": ["localhost"],
    "headers": {"Content-Security-Policy": "; ".join(map(" ".join, _POLICY.items()))},
    "xsrf_cookie_kwargs": {"samesite": "Strict"},
}
_LEFT_S = 600  # a kernel whose page was closed without a word is ended after this time


def app(notebook=NOTEBOOK, *, port=8866, browser=True):
    """Serve a notebook as a page of its results and controls; ends when the server does.

    Every visit has a kernel of its own. Parameters of the notebook may stand in the address, as ``?level=0.9``, and
    nothing else: the page says so. Scripts come from files of the server alone, settings from here alone. A link on
    another page leads to the question for the token.

    Parameters
    ----------
    notebook : str
        Stem of a notebook of ours, or a path.
    port : int
        Where the server listens, on this machine alone; the next free one where it is taken.
    browser : bool
        Open the page; otherwise its address, with the token that it asks for, is printed alone.

    Raises
    ------
    UnknownName
        When there is no such notebook.
    ReportFailed
        When the file is no notebook with a cell tagged ``parameters``.
    """
    from traitlets.config import Config

    path = notebooks.check_run(notebook, {})
    words = [f"--Voila.{name}={value}" for name, value in (listening(port, browser) | {"auto_token": True}).items()]
    told = {
        "Voila": {"tornado_settings": _SERVER, "config_file_paths": []},  # no settings but these
        "VoilaConfiguration": {
            "template": "dominoperf",
            "allow_template_override": "NO",
            "allow_theme_override": "NO",
            "file_allowlist": [],
            "prelaunch_hook": functools.partial(asked, path),
        },
        "TemplateExporter": {"extra_template_basedirs": []},  # else the current folder's
        "MappingKernelManager": {"cull_idle_timeout": _LEFT_S, "cull_interval": _LEFT_S},
        "MultiKernelManager": {"kernel_manager_class": KERNELS},
    }
    with environment():
        _server().launch_instance(argv=[str(path), *words], config=Config(told))


def _server():
    """Voilà, which tells our template of the file that opens the browser the token, too."""
    from voila import app

    class Voila(app.Voila):
        def launch_browser(self):
            self.app.settings["voila_jinja2_env"].globals["token"] = self.identity_provider.token
            super().launch_browser()

    return Voila


def asked(path, handler, notebook, cwd):
    """Return the notebook with the parameters of an address; a mistake in them is told at the head of the page."""
    notebook.cells = [cell for cell in notebook.cells if not _LEFT_OUT & {*cell.metadata.get("tags", [])}]
    given = {name: handler.get_argument(name) for name in handler.request.query_arguments if name != _TOKEN}
    try:
        values = notebooks.read(path, given)
        notebooks.check(path, values)
    except DominoperfError as error:
        return _with(notebook, 0, "markdown", f"**Not as asked.** {as_markdown_text(str(error))}")
    lines = [f"{name} = {value!r}" for name, value in values.items()]
    return _with(notebook, _tagged(notebook) + 1, "code", "\n".join(lines))


def _tagged(notebook):
    return next(k for k, cell in enumerate(notebook.cells) if notebooks.PARAMETERS in cell.metadata.get("tags", []))


def _with(notebook, at, kind, source):
    """The notebook with one cell more."""
    import nbformat

    made = {"code": nbformat.v4.new_code_cell, "markdown": nbformat.v4.new_markdown_cell}[kind](source)
    notebook.cells = [*notebook.cells[:at], made, *notebook.cells[at:]]
    return notebook
