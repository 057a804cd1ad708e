"""The wheel alone, in an empty environment and an empty folder, makes a report."""

import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
from conftest import ROOT, shorten_sites

from dominoperf import __version__


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    """The Python of a new environment with the wheel, and the packages of this one behind it; nothing is fetched."""
    home = tmp_path_factory.mktemp("wheel")
    run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(home / "dist")], ROOT)
    run([sys.executable, "-m", "venv", "--without-pip", str(home / "env")], home)  # pip takes longer than its work
    found = home / "env" / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    wheel = home / "dist" / f"dominoperf-{__version__}-py3-none-any.whl"
    pip = [sys.executable, "-m", "pip", "--python", str(found), "install"]
    run([*pip, "--no-index", "--no-deps", "--quiet", str(wheel)], home)
    site = run([str(found), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], home).strip()
    # A folder that a .pth file names is searched last, and its own .pth files, as of a checkout, are not read.
    Path(site, "locked.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    # What the locked packages put beside their modules: nbconvert's templates.
    (home / "env" / "share").mkdir(exist_ok=True)
    (home / "env" / "share" / "jupyter").symlink_to(Path(sys.prefix, "share", "jupyter"))
    shorten_sites(Path(site, "dominoperf"))
    return found


def run(command, folder):
    """Run with a clean environment; give what it prints."""
    clean = {"PATH": "/usr/bin:/bin", "HOME": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(command, cwd=folder, env=clean, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_wheel_makes_a_report_anywhere(python, tmp_path):
    """Package, data, notebooks and templates all come from the wheel; the result is the committed one."""
    code = "import dominoperf; from dominoperf import tables; print(dominoperf.__file__, tables.home(), sep='\\n')"
    for path in run([str(python), "-c", code], tmp_path).splitlines():
        assert Path(path).is_relative_to(python.parents[1])
    command = str(python.with_name("dominoperf"))
    printed = run([command, "report", "sources", "--out", "out"], tmp_path)
    assert printed.split() == [str(Path("out", "site", "index.html"))]
    assert "Where do the numbers come from?" in (tmp_path / "out/site/sources.html").read_text(encoding="utf-8")
    for table in ("sources.csv", "sources.md", "sources_contents.csv"):
        assert (tmp_path / "out/tables" / table).read_bytes() == (ROOT / "reports/tables" / table).read_bytes()
    assert {path.name for path in tmp_path.iterdir() if not path.name.startswith(".")} == {"out"}
