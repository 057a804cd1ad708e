"""Run a variation in a copy of the checkout, and compare what comes out."""

import functools
import shutil
import sys
from dataclasses import dataclass

import comparing
import copies
import interpreters
import locales
from settings import PLAIN, TOGETHER, VARIATIONS

_MOST_TOLD = 12  # differences that are told


@dataclass(frozen=True)
class Outcome:
    """What a variation gave: files compared, what differs, why it was not run."""

    name: str
    what: str
    compared: str = ""
    differing: tuple = ()
    not_run: str = ""

    def __str__(self):
        """One line, and one for each difference below it."""
        result = f"not run: {self.not_run}" if self.not_run else "DIFFERS" if self.differing else "same"
        more = [f"and {len(self.differing) - _MOST_TOLD} more"] if len(self.differing) > _MOST_TOLD else []
        lines = [f"    {line}" for line in "\n".join([*self.differing[:_MOST_TOLD], *more]).splitlines()]
        return "\n".join([f"{self.name:<9} {self.what:<62} {self.compared:<36} {result}", *lines])


def outcomes(names, work):
    """Yield the outcome of every selected variation; one that fails is an outcome too."""
    for each in [each for each in VARIATIONS if each.name in names]:
        yield _told(each.name, each.what, lambda each=each: _settings(each, work))
    if "lowest" in names:
        yield _told("lowest", "lowest direct versions", lambda: _lowest(work))
    if "python" in names:
        yield from _pythons(work)
    if TOGETHER.name in names:
        yield _told(TOGETHER.name, TOGETHER.what, lambda: _site(work))


def _told(name, what, call):
    try:
        return call()
    except copies.Failed as error:
        return Outcome(name, what, differing=tuple(str(error).splitlines()))


def _settings(each, work):
    """A whole report under other settings: tables and site to the byte."""
    more = locales.available(each.locale, work / "locales") if each.locale else {}
    if more is None:
        return Outcome(each.name, each.what, not_run="the system has no such locale and cannot make it")
    copy = copies.clone(work / "varied" / each.folder)
    try:
        out = copies.report(sys.executable, copy, PLAIN | each.environment | more, jobs=each.jobs)
        return _compared(each, _committed(work), _plain(work) / "site", out)
    finally:
        shutil.rmtree(copy)


def _compared(each, tables, site, out):
    told = comparing.folders(tables, out / "tables", comparing.to_the_byte)
    told += comparing.folders(site, out / "site", comparing.to_the_byte)
    count = f"tables {len(comparing.files(tables))}, site {len(comparing.files(site))} files"
    return Outcome(each.name, each.what, count, tuple(told))


def _lowest(work):
    """The lowest versions that the project allows of what it names itself, on the lowest Python."""
    project = copies.ROOT / "pyproject.toml"
    version = interpreters.allowed(project)
    python, what = interpreters.found(project).get(version), f"lowest direct versions, Python {_dotted(version)}"
    if not python:
        return Outcome("lowest", what, not_run=f"no Python {_dotted(version)} was found")
    return _environment("lowest", what, work, python, copies.LOCK)


def _pythons(work):
    """The locked versions on every other minor version of Python that is here."""
    others = interpreters.found(copies.ROOT / "pyproject.toml")
    others.pop(sys.version_info[:2], None)
    if not others:
        yield Outcome("python", "another Python", not_run="no other minor version was found")
    for version, path in others.items():
        what = f"Python {_dotted(version)}"
        yield _told("python", what, lambda what=what, path=path: _environment("python", what, work, path))


def _environment(name, what, work, python, lock=None):
    """A report and the tests in an environment of its own: the tables within the printed digits."""
    copy = copies.clone(work / "varied" / "checkout")
    try:
        own = copies.make_environment(copy, python, lock)
        out = copies.report(own, copy, PLAIN)
        told = comparing.folders(_committed(work), out / "tables", comparing.within_digits)
        count = f"tables {len(comparing.files(_committed(work)))}, to {comparing.DIGITS} digits"
        try:
            count = f"{count}; {copies.test(own, copy)}"
        except copies.Failed as error:
            told += str(error).splitlines()
        return Outcome(name, what, count, tuple(told))
    finally:
        shutil.rmtree(copy)


def _site(work):
    """The site of this checkout's reports, built again from the notebooks that were executed for them."""
    reports, out = copies.ROOT / "reports", work / "Größe – 測試"
    if not (reports / ".engine").is_dir() or not (reports / "site").is_dir():
        raise copies.Failed("there are no reports in this checkout: `make report` first")
    shutil.copytree(reports / ".engine", out / ".engine")
    copies.report(sys.executable, copies.ROOT, PLAIN | TOGETHER.environment, out=out)
    return _compared(TOGETHER, reports / "tables", reports / "site", out)


@functools.cache
def _committed(work):
    """The tables as they are committed."""
    return copies.clone(work / "committed") / "reports" / "tables"


@functools.cache
def _plain(work):
    """The reports of a copy under the settings that the others are compared with."""
    return copies.report(sys.executable, copies.clone(work / "plain"), PLAIN)


def _dotted(version):
    return ".".join(map(str, version))
