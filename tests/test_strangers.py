"""What strangers wrote is not run: files in a working, data or out folder, pages in the same browser, addresses.

Every file here that Python, Jupyter, Voilà or nbconvert would find in a folder writes down that it was run. The command
is the installed one: ``python -m`` itself looks into the working folder, as its manual says.
"""

import contextlib
import json
import pickle
import re
import shutil
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlencode

import pytest
from browsing import environment, serving
from conftest import ROOT, shorten_sites, write_executed, write_notebook

from dominoperf import reports
from dominoperf.reports import site

COMMAND = Path(sys.executable).parent / "dominoperf"
OWN = ROOT / "tests" / "samples" / "own" / "web_tier"

# --- files

MODULES = "pandas numpy matplotlib scipy statsmodels IPython ipykernel ipykernel_launcher joblib papermill dominoperf"
MODULES += " frictionless pint pyarrow simpleeval highspy jupyter_server nbformat yaml"
OPTIONAL = "bottleneck numexpr evil_backend"  # what libraries try to import: nothing installed stands before them
STANDARD = "multiprocessing threading signal socket json logging csv re random subprocess tempfile types typing"
STANDARD += " dataclasses functools statistics tomllib encodings"
SETTINGS = "sitecustomize usercustomize conftest conf dodo voila ipython_config ipython_kernel_config"
SETTINGS += " jupyter_config jupyter_server_config jupyter_lab_config jupyter_notebook_config nbconvert_config"
CODE = """import matplotlib.pyplot, pandas
from dominoperf import reports
reports.save(pandas.DataFrame({'n': [7]}), 'NAME', computed_from='claims')"""
DRAWS = """import hashlib, pandas
from dominoperf import reports
from dominoperf.figures.pictures import picture_for_page
picture = picture_for_page(lambda ax: ax.plot([1, 2], [3, 4]), title='A line')
told = hashlib.sha256((picture.svg + picture.half).encode()).hexdigest()"""


@pytest.fixture
def hostile(tmp_path):
    """A working folder with a data, an out and a notebooks folder, all full of what must not run."""
    shutil.copytree(OWN, tmp_path / "work" / OWN.name)
    for folder in ("work", f"work/{OWN.name}", "work/out", "work/notebooks"):
        _fill(tmp_path / folder, tmp_path / "ran.txt")
    return tmp_path / "work"


def _fill(folder, told):
    folder.mkdir(exist_ok=True)
    tells = f"with open({str(told)!r}, 'a') as file:\n    file.write(__file__ + '\\n')\n"
    for name in f"{MODULES} {OPTIONAL} {STANDARD} {SETTINGS}".split():
        (folder / f"{name}.py").write_text(tells)
    (folder / "matplotlibrc").write_text("backend: module://evil_backend\nlines.linewidth: 9\naxes.grid: True\n")
    (folder / "voila.json").write_text(json.dumps({"VoilaConfiguration": {"template": "base"}}))
    for name in ("lab", "dominoperf", "base"):
        (folder / name).mkdir()
        (folder / name / "index.html.j2").write_text("{{ 'from the folder'.upper() }}")
    startup = folder / ".ipython" / "profile_default" / "startup"
    startup.mkdir(parents=True)
    shutil.copyfile(folder / "pandas.py", startup / "00.py")


def files_run(folder):
    """The files that were run and must not be."""
    told = folder.parent / "ran.txt"
    return told.read_text().splitlines() if told.exists() else []


def run(folder, *words, **variables):
    """Run a command in a folder; it must not fail."""
    told = environment(folder.parent) | variables
    done = subprocess.run([COMMAND, *words], cwd=folder, env=told, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


COMMANDS = """tables web_tier
describe web_tier/scaling
check web_tier
new made --from web_tier/rows.csv
fit usl web_tier/rows.csv --x users --y throughput_per_s
compare processors web_tier/rows.csv --x users --y throughput_per_s
forecast web_tier/rows.csv --x users --y throughput_per_s --at 64
ingest web_tier/rows.csv --out out/rows.csv
steady web_tier/run_8.csv
curve web_tier/run_8.csv web_tier/run_16.csv
ab web_tier/run_8.csv web_tier/run_8.csv
capacity --processors 2 --clock 200 --workload Mail
plan --curve web_tier/curve.csv --rate 500
diff compaq_domino45/a_mail"""


EACH = """import json, os, sys
from dominoperf.cli import main
words, ran, data = json.loads(sys.argv[1])
for line in words:
    os.environ["DOMINOPERF_DATA"] = data
    assert main(line.split()) in (0, 1), line
    assert not os.path.exists(ran), line
    assert {"", ".", os.getcwd(), data, os.path.abspath("out")}.isdisjoint(sys.path), line
print("all of them", file=sys.stderr)"""


def test_commands_run_nothing_of_their_folders(hostile):
    """With shadows of fifty modules in the working folder, in the data folder in use, and in the out folder.

    They are commands of one process, begun as the installed one: none leaves such a folder where modules are found.
    """
    rows = "".join(f"{users},{90.0 * users / (1 + 0.01 * users)},0.01\n" for users in (1, 2, 4, 8, 16))
    (hostile / OWN.name / "rows.csv").write_text(f"users,throughput_per_s,response_s\n{rows}")
    (hostile / OWN.name / "curve.csv").write_text(f"load,throughput_per_s,response_s\n{rows}")
    for users in (8, 16):
        run_rows = "".join(f"{second},{users},{100 * users + second % 3}\n" for second in range(120))
        (hostile / OWN.name / f"run_{users}.csv").write_text(f"time_s,users,throughput_per_s\n{run_rows}")
    assert len(list(hostile.glob("*.py"))) >= 50
    (hostile.parent / "bin").mkdir()
    (hostile.parent / "bin" / "each").write_text(EACH)
    asked = [COMMANDS.splitlines(), str(hostile.parent / "ran.txt"), str(hostile / OWN.name)]
    done = subprocess.run(
        [sys.executable, hostile.parent / "bin" / "each", json.dumps(asked)],
        cwd=hostile, env=environment(hostile.parent), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.stderr.endswith("all of them\n"), done.stderr
    assert "Traceback" not in done.stderr
    run(hostile, "tables", OWN.name, DOMINOPERF_DATA=str(hostile / OWN.name))  # and the installed command itself
    assert files_run(hostile) == []


def test_a_sweep_runs_nothing_of_its_folders(hostile):
    """Its processes are loky's, and their kernel is started as Jupyter does it."""
    write_notebook(hostile / "notebooks" / "n.ipynb", CODE.replace("NAME", "t"))
    (hostile / "grid.toml").write_text("n = [1]")
    run(hostile, "sweep", "notebooks/n.ipynb", "grid.toml", "--jobs", "2", "--out", "out", "--data", OWN.name)
    assert (hostile / "out" / "tables" / "t.csv").read_text().split() == ["n,table_n", "1,7"]
    assert files_run(hostile) == []


def test_reports_run_nothing_of_their_folders(hostile, tmp_path):
    """For three notebooks, one after another, the fork server loads what they import; then Sphinx builds the site.

    Nor do settings of the drawing library change a picture.
    """
    checkout = tmp_path / "checkout"
    # With what is compiled, but for what another process compiles just now.
    shutil.copytree(ROOT / "dominoperf", checkout / "dominoperf", ignore=shutil.ignore_patterns("*.pyc.*"))
    shorten_sites(checkout / "dominoperf")
    (checkout / "notebooks").mkdir()
    for name in ("data", "CITATION.cff"):
        (checkout / name).symlink_to(ROOT / name)
    for k in range(3):
        saves = f"reports.save(pandas.DataFrame({{'n': [told]}}), 't{k}', computed_from='claims')"
        write_notebook(checkout / "notebooks" / f"0{k}_n{k}.ipynb", f"{DRAWS}\n{saves}")
    (checkout / "notebooks" / "runs.toml").write_text("".join(f"[0{k}_n{k}]\n" for k in range(3)))
    run(hostile, "report", "--jobs", "1", "--out", "out", "--data", OWN.name, PYTHONPATH=str(checkout))
    drawn = {}
    exec(DRAWS, drawn)  # here, where no such settings lie
    tables = sorted((hostile / "out" / "tables").glob("t*.csv"))
    assert [path.read_text().split() for path in tables] == [["n", drawn["told"]]] * 3
    assert files_run(hostile) == []


class Runs:
    """Runs as soon as it is unpickled."""

    def __init__(self, told):
        self._told = told

    def __reduce__(self):
        return Path.touch, (self._told,)


@pytest.mark.usefixtures("small_site")
def test_a_pickle_in_an_out_folder_is_not_loaded(tmp_path):
    """Sphinx keeps some there; those of somebody else, who knows the key of the build, are removed."""
    pages = [(reports.NotebookRun("a", "20_processors", {}), write_executed(tmp_path / "a.ipynb", "# A question"))]
    work = site.prepare_common_pages(pages, tmp_path / "kept", "key")
    (work / "doctrees").mkdir()
    (work / "doctrees" / "environment.pickle").write_bytes(pickle.dumps(Runs(tmp_path / "ran.txt")))
    (work / "key").write_text("key")
    site.build_site(pages, tmp_path / "site", cache=tmp_path / "kept", key="key")
    assert (tmp_path / "site" / "a.html").exists()
    assert not (tmp_path / "ran.txt").exists()


def test_only_the_user_signs_what_was_built(tmp_path, monkeypatch):
    """With a secret that nobody else reads; any change of a file, of its name or of the key is seen."""
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "own"))
    (tmp_path / "trees").mkdir()
    (tmp_path / "trees" / "a").write_bytes(b"ab")
    signed = site.folder_signature(tmp_path / "trees", "key")
    assert (
        site.folder_signature(tmp_path / "trees", "key") == signed != site.folder_signature(tmp_path / "trees", "other")
    )
    (secret,) = (tmp_path / "own").iterdir()
    assert secret.stat().st_mode & 0o777 == 0o600
    (tmp_path / "trees" / "a").rename(tmp_path / "trees" / "b")
    assert site.folder_signature(tmp_path / "trees", "key") != signed
    (tmp_path / "trees" / "b").rename(tmp_path / "trees" / "a")
    secret.write_bytes(bytes(32))
    assert site.folder_signature(tmp_path / "trees", "key") != signed


# --- pages and addresses, of servers that were started in such a folder

# Every way by which a page elsewhere could reach the server whose address it knows, even the id of a kernel.
ATTACK = """async ([root, link, kernel]) => {
  const socket = new WebSocket(`${root.replace("http", "ws")}/api/kernels/${kernel}/channels`);
  const opened = await new Promise(tell => { socket.onopen = () => tell(true); socket.onclose = () => tell(false); });
  const read = await fetch(link, {credentials: "include"}).then(() => true, () => false);
  const how = {mode: "no-cors", credentials: "include"};
  for (const [path, method] of [["/", "GET"], [`/voila/api/shutdown/${kernel}`, "POST"], ["/api/kernels", "POST"]])
    await fetch(root + path, {...how, method}).catch(() => null);
  const frame = document.body.appendChild(document.createElement("iframe"));
  await new Promise(tell => { frame.onload = tell; frame.src = link; });
  return {opened, read};
}"""


LOOSE = {"ip": "0.0.0.0", "token": "", "password": "", "allow_origin": "*", "allow_remote_access": True}


def open_to_everybody(folder):
    """Write settings of a user of Jupyter that open every server to whoever asks."""
    (folder / "jupyter").mkdir()
    loose = json.dumps({"ServerApp": LOOSE, "IdentityProvider": {"token": ""}, "Voila": {"ip": "0.0.0.0", "token": ""}})
    for name in ("jupyter_config", "jupyter_server_config", "voila"):
        (folder / "jupyter" / f"{name}.json").write_text(loose)


def check_that_only_the_token_opens(address, secret, page):
    """A server listens on this machine alone, and answers nobody without its token, which no other user can read."""
    root, token = re.match(r"(http://[^/]*)", address)[1], address.partition("token=")[2]
    assert len(token) == 48
    assert listeners(root.rpartition(":")[2]) == {"0100007F"}
    status, headers = asked(root + page)
    assert (status, headers["Location"].partition("?")[0]) == (302, "/login")
    assert "frame-ancestors 'self'" in headers["Content-Security-Policy"]
    assert asked(root + secret)[0] == asked(f"{root}{secret}?token=wrong")[0] == 403
    assert asked(f"{root}{secret}?token={token}")[0] in (200, 404)
    assert asked(f"{root}{secret}?token={token}", Host="evil.invalid")[0] == 403
    assert asked(f"{root}/api/kernels", "POST", Origin="https://evil.invalid")[0] in (403, 404)
    cookie = asked(f"{root}{secret}?token={token}")[1].get("Set-Cookie", "").partition(";")[0]
    answer = asked(root + secret, Cookie=cookie, Origin="https://evil.invalid")[1]
    assert answer.get("Access-Control-Allow-Origin") not in ("*", "https://evil.invalid")
    assert not [path for path in Path("/proc").glob("[0-9]*/cmdline") if token in words_of(path)]


def asked(url, method="GET", **headers):
    """Status and headers of an answer; nothing is followed."""

    class Here(urllib.request.HTTPRedirectHandler):
        def redirect_request(self, *_):
            return None

    request = urllib.request.Request(url, headers=headers, method=method)
    try:
        answer = urllib.request.build_opener(Here).open(request, timeout=120)
    except urllib.error.HTTPError as error:
        answer = error
    with answer:
        return answer.status, answer.headers


def listeners(port):
    """The addresses at which somebody listens at a port, as the kernel writes them."""
    lines = [
        line.split() for name in ("tcp", "tcp6") for line in Path(f"/proc/net/{name}").read_text().splitlines()[1:]
    ]
    places = [line[1].split(":") for line in lines if line[3] == "0A"]
    return {place for place, at in places if int(at, 16) == int(port)}


def words_of(path):
    """The command line of a process; none of one that has ended."""
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""


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


def patient(browser):
    """A user of the browser who waits as long as a busy machine takes."""
    context = browser.new_context()
    context.set_default_timeout(120_000)
    return context


def written(path):
    """The line of a file, once another process has written it."""
    for _ in range(600):
        if path.exists() and (text := path.read_text()).endswith("\n"):
            return text.strip()
        time.sleep(0.1)
    raise AssertionError(f"{path} was not written")


def begun(folder):
    """How many kernels the server has started, by what it says."""
    return (folder / "said.txt").read_text().count("Kernel started")


def test_the_app_runs_nothing_of_strangers(hostile, browser):
    """Nor does a page elsewhere reach its kernel by a link, a frame, a script or a websocket; the user is logged in.

    The stranger is of another site (localhost) or of another port of the same (127.0.0.1), where SameSite does nothing.
    The user comes by the file that the server hands the browser, which brings the token.
    """
    shown = "import ipywidgets, pandas\nnumber = ipywidgets.IntText(1)\nlabel = ipywidgets.Label('1')"
    linked = "number.observe(lambda change: setattr(label, 'value', str(change['new'] * 7)), 'value')"
    ends = "ipywidgets.VBox([number, label])"
    cells = (f"{shown}\n{linked}\n{ends}", "print(name)")
    write_notebook(hostile / "notebooks" / "n.ipynb", *cells, parameters="name: str = ''")
    place = hostile.parent
    handed = place / "opens"
    handed.write_text(f'#!/bin/sh\necho "$1" > {place}/handed.txt\n')
    handed.chmod(0o700)
    how = {"at": hostile, "command": COMMAND, "browser": str(handed)}
    open_to_everybody(place)
    with stranger() as (port, ran), serving(place, "app", "notebooks/n.ipynb", **how) as address:
        check_that_only_the_token_opens(address, "/api/kernels/00000000-0000-0000-0000-000000000000", "/")
        root, text, context = address.partition("/?")[0], evil(port), patient(browser)
        own = context.new_page()
        own.goto(written(place / "handed.txt"))
        own.locator(".widget-label", has_text="1").wait_for()
        kernel = json.loads(own.locator("#jupyter-config-data").text_content())["kernelId"]

        typed = context.new_page()  # by the user, deceived: the worst that an address can be
        typed.goto(f"{root}/?{urlencode({'name': text})}")
        typed.locator(".jp-OutputArea-output", has_text="7*7").wait_for()
        assert ran == []
        typed.goto(f"{root}/?{urlencode(dict.fromkeys(('theme', 'voila-theme', 'template', text, 'name'), text))}")
        assert ran == []
        typed.get_by_text("Not as asked").wait_for()
        typed.goto(f"{root}/{text}?theme={text}")
        typed.close()

        before, link = begun(place), f"{root}/?{urlencode({'theme': text, 'name': text})}"
        for host in ("localhost", "127.0.0.1"):
            page = context.new_page()
            page.goto(f"http://{host}:{port}/")
            assert page.evaluate(ATTACK, [root, link, kernel]) == {"opened": False, "read": False}
            assert root not in page.frames[1].url
            page.evaluate("to => { location = to }", link)
            page.wait_for_url("**/login?**")
            assert page.locator("#password_input").count() == 1
            page.close()
        assert begun(place) == before
        assert ran == []

        own.locator("input[type=number]").fill("6")
        own.locator("input[type=number]").press("Enter")
        own.locator(".widget-label", has_text="42").wait_for()  # its kernel is there, and answers
        assert {cookie["sameSite"] for cookie in context.cookies(root)} == {"Strict"}
    assert files_run(hostile) == []


def test_jupyterlab_runs_nothing_of_strangers(hostile, browser):
    """Nor do they reach its kernels, or an export the template of a folder; who brings the token is let in."""
    how = {"at": hostile, "command": COMMAND}
    open_to_everybody(hostile.parent)
    with stranger() as (port, ran), serving(hostile.parent, "lab", "notebooks", **how) as address:
        check_that_only_the_token_opens(address, "/api/contents", "/lab")
        root, token, text = address.partition("/lab")[0], address.partition("token=")[2], evil(port)
        about = {"path": "n.ipynb", "name": "n.ipynb", "type": "notebook", "kernel": {"name": "python3"}}
        with urllib.request.urlopen(f"{root}/api/sessions?token={token}", json.dumps(about).encode()) as answer:
            kernel = json.load(answer)["kernel"]["id"]
        channels = f"{root.replace('http', 'ws')}/api/kernels/{kernel}/channels?token={token}"
        assert executed(channels, CODE)["status"] == "ok"
        with urllib.request.urlopen(f"{root}/nbconvert/html/20_processors.ipynb?token={token}") as answer:
            assert "FROM THE FOLDER" not in answer.read().decode()

        context = patient(browser)
        page = context.new_page()
        page.goto(f"http://localhost:{port}/")
        page.evaluate("to => { location = to }", address)
        page.wait_for_function("window.jupyterapp")
        words = urlencode(dict.fromkeys(("theme", "reset", "mode", text), text))
        for place in (f"/lab/tree/{text}", "/lab", f"/{text}", "/voila/render/n.ipynb"):
            page.goto(f"{root}{place}?{words}")
        for host in ("localhost", "127.0.0.1"):
            page.goto(f"http://{host}:{port}/")
            assert page.evaluate(ATTACK, [root, f"{root}/lab", kernel]) == {"opened": False, "read": False}
            page.evaluate("to => { location = to }", f"{root}/lab")
            page.wait_for_url("**/login?**")
        assert ran == []
        assert {cookie["sameSite"] for cookie in context.cookies(root)} == {"Strict"}
        with urllib.request.urlopen(f"{root}/api/kernels?token={token}") as answer:
            assert [each["id"] for each in json.load(answer)] == [kernel]
    assert files_run(hostile) == []
    kept = [path for path in hostile.parent.rglob("*") if path.is_file() and token.encode() in path.read_bytes()]
    assert [path.name for path in kept] == ["said.txt"]  # what the test itself caught of the terminal


def executed(address, code):
    """What a kernel of a server answers to code."""
    from websocket import create_connection

    header = {"msg_id": "1", "msg_type": "execute_request", "session": "1", "username": "", "version": "5.3"}
    content = {"code": code, "silent": False, "store_history": False, "user_expressions": {}, "allow_stdin": False}
    asked = {"header": header, "parent_header": {}, "metadata": {}, "content": content, "channel": "shell"}
    with contextlib.closing(create_connection(address, timeout=120)) as socket:
        socket.send(json.dumps(asked))
        while (told := json.loads(socket.recv()))["msg_type"] != "execute_reply":
            pass
    return told["content"]
