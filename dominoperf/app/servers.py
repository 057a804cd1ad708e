"""JupyterLab on the notebooks, and a notebook as a page without code, by Voilà: on this machine alone, with a token."""

import contextlib
import dataclasses
import functools
import os
import shutil
import warnings
from pathlib import Path

from dominoperf.errors import DominoperfError, UnknownName
from dominoperf.reports import notebooks, saving
from dominoperf.tables.rendering import as_markdown_text

WELCOME = "welcome.md"
COPIES = "dominoperf-notebooks"  # where an installed package, whose own folder is no place to work in, puts them
EXPLORE = "03_explore"  # the notebook that `app` shows
_JUPYTER = Path(__file__).parent / "jupyter"  # settings and templates: folders as Jupyter looks for them
_CLASSES = "dominoperf.app.jupyter_classes"
_KERNELS = f"{_CLASSES}.KernelManager"
_TOKEN = "token"  # the one word of an address that is not the notebook's
_POLICY = {  # what the page may load, and run: files of this server, and nothing that is in the page itself
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


def lab(folder: str | os.PathLike | None = None, *, port: int = 8888, browser: bool = True) -> None:
    """Open JupyterLab on the notebooks; ends when the server does.

    A notebook imports what is installed, and no module that lies beside it: put the line ``sys.path.append(".")`` into
    a notebook whose folder you trust.

    Parameters
    ----------
    folder : path, optional
        Gets a copy of every notebook that it does not have yet, and is opened; nothing in it is overwritten. By default
        a checkout's own notebooks are opened, and saved without outputs, as they are kept; an installed package copies
        its notebooks to ``dominoperf-notebooks``.
    port : int
        Where the server listens, on this machine alone; the next free one where it is taken.
    browser : bool
        Open the page; otherwise its address, with the token that it asks for, is printed alone.

    Raises
    ------
    UnknownName
        When the folder is a file.
    """
    from jupyterlab.labapp import LabApp

    root = notebooks_folder_to_open(folder)
    server = {
        "root_dir": root,
        "log_level": "WARN",
        "allow_root": True,  # in a container everybody is root; the token guards it
        # No other page may ask, or name us.
        "allow_remote_access": False,
        "allow_origin": "",
        "allow_origin_pat": "",
        "tornado_settings": {"xsrf_cookie_kwargs": {"path": "/", "samesite": "Strict"}},
        # Voilà in a lab runs settings of the current folder, and scripts of an address; a language server is a program.
        "jpserver_extensions": {"voila.server_extension": False, "jupyter_lsp": False},
    }
    if root == notebooks.notebooks_folder():
        server["contents_manager_class"] = f"{_CLASSES}.Notebooks"
    settings = {f"ServerApp.{name}": value for name, value in (_server_settings(port, browser) | server).items()}
    settings |= {
        "LabApp.log_level": "WARN",
        "LabApp.default_url": f"/lab/tree/{WELCOME}",
        "LabApp.news_url": None,  # nothing is fetched from elsewhere
        "LabApp.check_for_updates_class": "jupyterlab.handlers.announcements.NeverCheckForUpdate",
        "LabApp.extension_manager": "readonly",
        "MultiKernelManager.kernel_manager_class": _KERNELS,
        "TemplateExporter.extra_template_basedirs": [],  # else an export takes templates from the current folder
    }
    with _jupyter_server_environment(), warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # what Jupyter's parts say of each other
        LabApp.launch_instance(argv=[f"--{name}={value}" for name, value in settings.items()])


def notebooks_folder_to_open(folder=None):
    """Return the folder that `lab` opens; the notebooks that it lacks are copied into it.

    `UnknownName` where the folder is a file.
    """
    if folder is None and notebooks.notebooks_folder().name == "notebooks":
        return notebooks.notebooks_folder()
    root = Path(folder or COPIES).absolute()
    if root.exists() and not root.is_dir():
        remedy = "Name a folder, or none."
        raise UnknownName("lab", expected="a folder", found=f"the file {folder}", remedy=remedy)
    root.mkdir(parents=True, exist_ok=True)
    for path in (*notebooks.notebooks_folder().glob("*.ipynb"), notebooks.notebooks_folder() / WELCOME):
        if not (root / path.name).exists():
            shutil.copyfile(path, root / path.name)
    return root


def app(notebook: str | os.PathLike = EXPLORE, *, port: int = 8866, browser: bool = True) -> None:
    """Serve a notebook as a page of its results and controls; ends when the server does.

    Every visit has a kernel of its own. Parameters of the notebook may be in the address, as ``?level=0.9``, and
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
    words = {**_server_settings(port, browser), "auto_token": True}
    server = {
        "allow_remote_access": False,  # a page elsewhere that calls itself us
        "local_hostnames": ["localhost"],
        "headers": {"Content-Security-Policy": "; ".join(map(" ".join, _POLICY.items()))},
        "xsrf_cookie_kwargs": {"samesite": "Strict"},
    }
    settings = {
        "Voila": {"tornado_settings": server, "config_file_paths": []},  # no settings but these
        "VoilaConfiguration": {
            "template": "dominoperf",
            "allow_template_override": "NO",
            "allow_theme_override": "NO",
            "file_allowlist": [],
            "prelaunch_hook": functools.partial(notebook_with_address_parameters, path),
        },
        "TemplateExporter": {"extra_template_basedirs": []},  # else the current folder's
        "VoilaExecutor": {"cell_error_instruction": "JupyterLab (dominoperf lab) shows what is wrong."},
        # A page ends its kernel when it is closed; that of a browser that died is ended after ten to eleven minutes.
        "MappingKernelManager": {"cull_idle_timeout": 600, "cull_interval": 60},
        "MultiKernelManager": {"kernel_manager_class": _KERNELS},
    }
    with _jupyter_server_environment():
        from voila import app as voila

        class Voila(voila.Voila):
            def launch_browser(self):  # our template of the file that opens the browser needs the token
                self.app.settings["voila_jinja2_env"].globals["token"] = self.identity_provider.token
                super().launch_browser()

        argv = [str(path), *(f"--Voila.{name}={value}" for name, value in words.items())]
        Voila.launch_instance(argv=argv, config=Config(settings))


def notebook_with_address_parameters(path, handler, notebook, cwd):
    """Return the notebook as `app` runs it: with the parameters of an address, without cells that speak of itself.

    A mistake in the parameters is reported at the head of the page, and the notebook runs with its own.
    """
    import nbformat

    _ = handler.xsrf_token  # sets the cookie without which the page may not end its kernel
    left_out = {notebooks.NOTEBOOK_ONLY, "run-only"}  # what is run-only would not follow the controls
    cells = [cell for cell in notebook.cells if not left_out & {*cell.metadata.get("tags", [])}]
    texts = {name: handler.get_argument(name) for name in handler.request.query_arguments if name != _TOKEN}
    try:
        values = notebooks.read_parameters(path, texts)
        if path.name == f"{EXPLORE}.ipynb":
            _check_values_of_panels(values)
    except DominoperfError as error:
        cells.insert(0, nbformat.v4.new_markdown_cell(f"**Not as asked.** {as_markdown_text(str(error))}"))
    else:
        declared = next(k for k, cell in enumerate(cells) if notebooks.PARAMETERS in cell.metadata.get("tags", []))
        lines = [f"{name} = {value!r}" for name, value in values.items()]
        cells.insert(declared + 1, nbformat.v4.new_code_cell("\n".join(lines)))
    notebook.cells = cells
    return notebook


def _check_values_of_panels(values):
    """Refuse, as the panel would, a value that a panel cannot begin with."""
    from dominoperf.app import panels

    for panel in (panels.FitPanel, panels.PlanPanel, panels.CapacityPanel, panels.TablePanel):
        fields = {each.name for each in dataclasses.fields(panel.state_of)}
        if own := {name: value for name, value in values.items() if name in fields}:
            panel(**own)


def _server_settings(port, browser):
    """The settings of a Jupyter server that listens on this machine alone, and lets nobody in without a token.

    They are given as words of a command line, which count for more than files of settings; no process gets them.
    """
    guard = f"{_CLASSES}.TokenLogin"
    return {"ip": "127.0.0.1", "port": port, "open_browser": browser, "identity_provider_class": guard}


@contextlib.contextmanager
def _jupyter_server_environment():
    """While a server runs: Jupyter finds our settings, and tables that a notebook saves go below the current folder."""
    before = dict(os.environ)
    for name in ("JUPYTER_CONFIG_PATH", "JUPYTER_PATH"):
        os.environ[name] = os.pathsep.join(filter(None, [before.get(name), str(_JUPYTER)]))
    os.environ[saving.OUT] = before.get(saving.OUT) or str(Path("runs", "interactive").absolute())
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
