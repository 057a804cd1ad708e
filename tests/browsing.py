"""What the tests of pages and servers share: a command of ours that serves, as its own process, and Chromium on it."""

import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
import time

_ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+/\S*\?token=\w+")
_PATIENCE_S = 120  # how long a server, or a page of it, may take on a machine that is busy with other tests


@contextlib.contextmanager
def serving(folder, *words, package=None, at=None, command=None, browser=None):
    """Start ``dominoperf WORDS`` below a folder, or another, settings of its own in it; give the address it prints.

    It opens no browser, or what `browser` names, the command of one.
    """
    said = folder / "said.txt"
    shown = {"BROWSER": browser} if browser else {}
    with said.open("w") as output:
        started = [command] if command else [sys.executable, "-m", "dominoperf.cli"]
        process = subprocess.Popen(
            [*started, *words, *([] if browser else ["--no-browser"]), "--port", str(free_port())],
            cwd=at or folder,
            env=environment(folder, package) | shown,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
        try:
            yield _address(process, said)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGTERM)
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


def free_port():
    """Give a port that nobody listens at."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def environment(folder, package=None):
    """Give the environment without what Jupyter would find of this machine's user."""
    left = {name: value for name, value in os.environ.items() if not name.startswith(("JUPYTER", "DOMINOPERF_"))}
    own = {"HOME": str(folder / "home"), "JUPYTER_CONFIG_DIR": str(_configuration(folder))}
    return left | own | ({"PYTHONPATH": str(package)} if package else {})


def _configuration(folder):
    """The settings of a user of Jupyter: here one who lets tests drive JupyterLab by its commands."""
    made = folder / "jupyter"
    made.mkdir(exist_ok=True)
    (made / "jupyter_lab_config.json").write_text('{"LabApp": {"expose_app_in_browser": true}}')
    return made


def _address(process, said):
    for _ in range(10 * _PATIENCE_S):
        found = _ADDRESS.search(said.read_text())
        if found:
            return found.group()
        assert process.poll() is None, said.read_text()
        time.sleep(0.1)
    raise AssertionError(f"no address after {_PATIENCE_S} s:\n{said.read_text()}")


@contextlib.contextmanager
def opened(browser, address, *, width=1200, scheme="light"):
    """Open an address; what goes wrong on the page, and every request to elsewhere, must be nothing at the end."""
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page, wrong = context.new_page(), []
    page.set_default_timeout(1000 * _PATIENCE_S)
    page.on("request", lambda r: None if _is_here(r.url) else wrong.append(r.url))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto(address)
    yield page
    assert wrong == []
    context.close()


def _is_here(url):
    return url.startswith(("http://127.0.0.1:", "ws://127.0.0.1:", "data:", "blob:", "file:"))
