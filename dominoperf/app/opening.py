"""JupyterLab on the notebooks, with the welcome page open."""

import contextlib
import os
import shutil
import warnings
from pathlib import Path

from dominoperf.errors import UnknownName
from dominoperf.reports import notebooks, running

WELCOME = "welcome.md"
COPIES = "dominoperf-notebooks"  # where an installed package, whose own folder is no place to work in, puts them
JUPYTER = Path(__file__).parent / "jupyter"  # settings and templates: folders as Jupyter looks for them
_PATHS = ("JUPYTER_CONFIG_PATH", "JUPYTER_PATH")
KERNELS = "dominoperf.app.kernels.KernelManager"
_LAB = {
    "LabApp.log_level": "WARN",
    "LabApp.default_url": f"/lab/tree/{WELCOME}",
    "LabApp.news_url": None,  # nothing is fetched from elsewhere
    "LabApp.check_for_updates_class": "jupyterlab.handlers.announcements.NeverCheckForUpdate",
    "LabApp.extension_manager": "readonly",
    "MultiKernelManager.kernel_manager_class": KERNELS,
    "TemplateExporter.extra_template_basedirs": [],  # else an export takes templates from the current folder
}
GUARDED = "dominoperf.app.guarding.Guarded"
_OTHERS = {  # no other page may ask, or name us
    "allow_remote_access": False,
    "allow_origin": "",
    "allow_origin_pat": "",
    # Voilà in a lab runs settings of the current folder, and scripts of an address; a language server is a program.
    "jpserver_extensions": {"voila.server_extension": False, "jupyter_lsp": False},
    "tornado_settings": {"xsrf_cookie_kwargs": {"path": "/", "samesite": "Strict"}},
}
HERE = "127.0.0.1"  # nobody else's machine reaches a server that runs what it is sent


def lab(folder=None, *, port=8888, browser=True):
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

    root = _folder(folder)
    server = listening(port, browser) | _saving(root)
    told = {f"ServerApp.{name}": value for name, value in server.items()} | _LAB
    with environment(), warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # what Jupyter's parts say of each other
        LabApp.launch_instance(argv=[f"--{name}={value}" for name, value in told.items()])


def _folder(folder):
    """The folder to open; the notebooks that it lacks are copied into it."""
    if folder is None and notebooks.home().name == "notebooks":
        return notebooks.home()
    root = Path(folder or COPIES).absolute()
    if root.exists() and not root.is_dir():
        remedy = "Name a folder, or none."
        raise UnknownName("lab", expected="a folder", found=f"the file {folder}", remedy=remedy)
    root.mkdir(parents=True, exist_ok=True)
    for path in (*notebooks.home().glob("*.ipynb"), notebooks.home() / WELCOME):
        if not (root / path.name).exists():
            shutil.copyfile(path, root / path.name)
    return root


def _saving(root):
    """What the server is told of its folder: our own notebooks are saved as they came."""
    ours = {"contents_manager_class": "dominoperf.app.saving.Notebooks"} if root == notebooks.home() else {}
    whoever = {"allow_root": True}  # in a container everybody is root; the token guards it
    return {"root_dir": root, "log_level": "WARN"} | _OTHERS | whoever | ours


def listening(port, browser):
    """Return the settings of a Jupyter server that listens on this machine alone, and lets nobody in without a token.

    They are given as words of a command line, which count for more than files of settings; no process gets them.
    """
    return {"ip": HERE, "port": port, "open_browser": browser, "identity_provider_class": GUARDED}


@contextlib.contextmanager
def environment():
    """While a server runs: Jupyter finds our settings, and tables that a notebook saves go below the current folder."""
    settings = {name: os.pathsep.join(filter(None, [os.environ.get(name), str(JUPYTER)])) for name in _PATHS}
    tables = {running.OUT: os.environ.get(running.OUT) or str(Path("runs", "interactive").absolute())}
    before = dict(os.environ)
    os.environ.update(settings | tables)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
