"""Faults that are really made, the quick ones (`make faults` has all): what stood there stays, a message says why."""

import math
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from conftest import write_notebook
from faults.places import Place, ended, left_behind, outputs

from dominoperf import reports
from dominoperf.errors import BadTable, ReportFailed
from dominoperf.reports import execution, folder, ledger, notebook_process

# Holds the lock of the folder that is its argument, forks a child that lives on, says so, and waits to be killed.
HOLDS = """
import os, sys, time
from pathlib import Path
from dominoperf.reports import folder
with folder.exclusive_lock_on_reports(Path(sys.argv[1]), ".engine"):
    if not os.fork():  # said by the fork, which may start late: until then its copy of the lock is open
        print("held", flush=True)
    time.sleep(1000)
"""
# Publishes once for each number of moves, in a fork that kills itself after so many; says what stood there then.
MOVES = """
import os, shutil, signal, sys
from pathlib import Path
from dominoperf.reports import folder

old = {"tables/a.csv": "1", "tables/b.csv": "1", "site/p/q.html": "1", "site/gone.html": "1", "ledger.toml": "1"}
new = {"tables/a.csv": "2", "tables/c.csv": "2", "site/p/q.html": "2", "site/new/r.html": "2", "ledger.toml": "2"}


def publish(out, texts):
    work = out / ".work"
    shutil.rmtree(work, ignore_errors=True)
    for name, text in texts.items():
        (work / name).parent.mkdir(parents=True, exist_ok=True)
        (work / name).write_text(text)
    files = {name: work / name for name in texts}
    folder.move_reports_into_place(out, files, gone=lambda name: True, replace=False, work=work)


class Dying:
    def __init__(self, left):
        self.left = left

    def __getattr__(self, name):
        real = getattr(os, name)
        return (lambda *args: self.move(real, args)) if name in ("rename", "replace") else real

    def move(self, real, args):
        self.left -= 1
        if self.left < 0:
            os.kill(os.getpid(), signal.SIGKILL)
        real(*args)


def there(out):
    found = {p.relative_to(out).as_posix(): p.read_text() for p in out.rglob("*") if p.is_file()}
    return {name: text for name, text in found.items() if not name.startswith(".")}


for moves in range(int(sys.argv[2])):
    out = Path(sys.argv[1], str(moves))
    out.mkdir()
    publish(out, old)
    child = os.fork()
    if not child:
        folder.os = Dying(moves)
        publish(out, new)
        os._exit(0)
    status, found = os.waitpid(child, 0)[1], there(out)
    state = "old" if found == old else "new" if found == new else "mixed"
    state = "pending" if folder.are_report_moves_pending(out) else state
    if state == "old":
        publish(out, new)
    folder.complete_pending_moves(out)
    print(os.WIFSIGNALED(status), state, there(out) == new, folder.files_written_by_reports(out) == set(new))
"""


def test_the_second_is_told_who_is_there_and_a_dead_one_blocks_nobody(tmp_path):
    """The process is named; SIGKILL frees the lock at once, though a fork of the process lives on."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLDS, tmp_path / "out"], stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as holder:
        try:
            assert holder.stdout.readline() == "held\n"
            with (
                pytest.raises(ReportFailed, match=rf"out: .* found process {holder.pid}, since 20"),
                folder.exclusive_lock_on_reports(tmp_path / "out", ".engine"),
            ):
                pass
            holder.kill()
            holder.wait()
            with folder.exclusive_lock_on_reports(tmp_path / "out", ".engine"):
                pass
        finally:
            os.killpg(holder.pid, signal.SIGKILL)


def test_killed_at_any_move_the_files_are_old_or_new_or_told_to_be_on_their_way(tmp_path):
    """Never a mixture that nobody knows of; the next run has the new ones, and what we wrote is known."""
    done = subprocess.run(
        [sys.executable, "-c", MOVES, tmp_path, "20"], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    killed, states, right, known = zip(*map(str.split, done), strict=True)
    order = [state for k, state in enumerate(states) if k == 0 or states[k - 1] != state]
    assert order == ["old", "pending", "new"]
    assert states.count("pending") >= 6  # a file of each, and the list
    assert set(right) == set(known) == {"True"}
    assert "False" in killed  # the last were not reached: all moves have been tried


def test_verify_tells_of_files_on_their_way_and_a_list_that_is_none_is_refused(tmp_path):
    """And names that lead elsewhere are not moved."""
    (tmp_path / "ledger.toml").write_text("", encoding="utf-8")
    ready = tmp_path / folder.PENDING
    (ready / "tables").mkdir(parents=True)
    (ready / "tables" / "a.csv").write_text("2", encoding="utf-8")
    (ready / "moves.json").write_text('{"put": ["tables/a.csv", "../b"], "remove": ["../ledger.toml"]}', "utf-8")
    assert ledger.verify(tmp_path)["file"].tolist() == [folder.PENDING]
    folder.complete_pending_moves(tmp_path)
    assert (tmp_path / "tables" / "a.csv").read_text(encoding="utf-8") == "2"
    assert not ready.exists()
    with pytest.raises(BadTable):
        ledger.verify(tmp_path)
    ready.mkdir()
    (ready / "moves.json").write_text("[", encoding="utf-8")
    with pytest.raises(ReportFailed, match=r"moves\.json: expected the list of files"):
        folder.complete_pending_moves(tmp_path)


GREEDY = {
    "hangs": (
        "x = 1\nimport time; time.sleep(1000)",
        r"within 2 s, found one still at work, which begins 'x = 1'.*--timeout",
    ),
    "prints on and on": ("while True: print('x' * 1000)", r"at most 1 MB of output.*--max-output"),
    "is killed": ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", r"ended by SIGKILL.*memory"),
    "fails at length": ("raise ValueError('x' * 100_000)", r"found ValueError: x{900,1000}…\. Run the notebook"),
    "has no memory": (
        "import resource; resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30)); bytearray(8 << 30)",
        r"found MemoryError\. See what the cell keeps",
    ),
}


@pytest.fixture(scope="module")
def warm():
    """Whether notebooks run in forks, as where there are many: a Python for each takes longer to start."""
    return notebook_process.start_fork_server(math.inf, 1)


@pytest.mark.parametrize("what", GREEDY)
def test_a_notebook_that_takes_too_much_is_stopped_and_its_cell_named(tmp_path, warm, what):
    """Whatever it does, one in a Python of its own, the others in a fork; the message says what to do."""
    cell, says = GREEDY[what]
    path = write_notebook(tmp_path / "greedy.ipynb", cell)
    allowed = reports.Limits(cell_s=2 if "2 s" in says else 60, output_mb=1)
    with pytest.raises(ReportFailed, match=rf"^greedy\.ipynb, cell 2: .*{says}"):
        reports.run_notebook(path, out=tmp_path / "out", limits=allowed, warm=warm and what != "is killed")


def test_words_for_a_process_that_died():
    """A signal by its name, one that has none by its number; or the status that it left with."""
    assert "(ended by SIGSEGV). Run the notebook in JupyterLab" in str(execution.process_died("n", -signal.SIGSEGV))
    assert "ended by signal 99" in str(execution.process_died("n", -99))
    assert "exit status 3" in str(execution.process_died("n", 3))


def test_a_folder_to_read_alone_is_named_before_anything_runs():
    """And one that cannot be made."""
    code = (
        "import os, sys; from pathlib import Path; from dominoperf.reports import folder\n"
        "os.geteuid() or os.setuid(65534)\n"
        "try:\n    folder.exclusive_lock_on_reports(Path(sys.argv[1]), '.engine').__enter__()\n"
        "except Exception as error: print(error)"
    )
    with tempfile.TemporaryDirectory() as home:
        tables = Path(home, "out", "tables")
        tables.mkdir(parents=True)
        for folder in (Path(home), tables.parent, tables):
            folder.chmod(0o755)
        for readable, asked, named in ((tables, "out", "out"), (Path(home), "new", "new")):
            readable.chmod(0o555)
            done = subprocess.run(
                [sys.executable, "-c", code, Path(home, asked)], capture_output=True, text=True, check=True
            )
            assert done.stdout.startswith(str(Path(home, named))), done
            assert "may only be read" in done.stdout or "leave to write" in done.stdout


def test_a_full_disk_is_named():
    """By the file, or where that is not known by the folder."""
    told = folder.refused_report_file(OSError(28, "No space left on device"), "out")
    assert str(told).startswith("out: expected room for what is written, found no space left on device. Nothing unfin")
    assert folder.refused_report_file(OSError(28, "No space left on device", "a", None, "b"), "out").where == "b"
    assert "read and written" in str(folder.refused_report_file(OSError(5, "Input/output error"), "out"))


def _small_files():
    import resource

    resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024))


def test_a_report_without_room_or_killed_leaves_the_old_outputs(tmp_path):
    """Exit 2 and a message for files that cannot grow; SIGKILL leaves no process; the next run makes the new ones."""
    place = Place(tmp_path / "place")
    place.list_reports("one", value=1)
    assert place.report().status == 0
    old = outputs(place.out)
    place.list_reports("one", value=2)
    full = place.report(before=_small_files)
    assert (full.status, outputs(place.out)) == (2, old)
    assert "found file too large. Nothing unfinished was put in place." in full.message
    place.forget_kernels()
    process = place.start("report", "--out", place.out)
    while not place.kernels() and process.poll() is None:
        time.sleep(0.01)
    ended(process)
    assert place.gone_after() is not None
    assert outputs(place.out) == old
    assert place.report().status == 0
    assert outputs(place.out) != old
    assert left_behind(place.out) == []


def test_forked_processes_end_with_a_report_that_is_killed(tmp_path):
    """And so does the process that they were forked from, which waits for its children."""
    place = Place(tmp_path / "place")
    place.list_reports(*"abcde", value=1)  # one job: so many are worth a server
    process = place.start("report", "--out", place.out, "--jobs", "1")
    while not place.kernels() and process.poll() is None:
        time.sleep(0.01)
    ended(process)
    assert place.gone_after() is not None
