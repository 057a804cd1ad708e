"""All that is tested of data at once: the folder, identities of printed numbers, claims, and recommendations."""

import os
from dataclasses import dataclass, field

import pandas as pd

from dominoperf import runs, tables
from dominoperf.errors import counted
from dominoperf.study import audit
from dominoperf.study.audit.claim_rows import faults_of_claims
from dominoperf.study.recommendations import unpinned_advice
from dominoperf.tables import folders
from dominoperf.tables.checking import table_problem


@dataclass(frozen=True, eq=False)
class DataCheck:
    """What a check of data found, a frame for each kind; where it has problems, no number and no verdict was tested."""

    folder: str  # "" for all data in use
    problems: pd.DataFrame  # of the folder, as `tables.check` lists them, and of rows of claims.csv that are none
    broken: pd.DataFrame = field(default_factory=audit.NOTHING.copy)  # cells that break an identity
    claims: pd.DataFrame = field(default_factory=audit.NOTHING.copy)  # with another verdict than the expected one
    against_rules: pd.DataFrame = field(default_factory=audit.NOTHING.copy)  # claims that break a rule for verdicts
    advice: pd.DataFrame = field(default_factory=audit.NOTHING.copy)  # with another verdict than the written one

    @property
    def unexplained(self) -> pd.DataFrame:
        """The cells that break an identity and are in no erratum."""
        return self.broken[self.broken["status"] == ""]

    @property
    def differs(self) -> bool:
        """Whether anything was found that is not known already."""
        return any(map(len, (self.problems, self.unexplained, self.claims, self.against_rules, self.advice)))

    def headline(self) -> str:
        """Return how much of each kind was found."""
        name = self.folder or "all data in use"
        if len(self.problems):
            untested = "numbers and verdicts are tested when nothing is wrong with the files"
            return f"{name}: {counted(len(self.problems), 'problem')}; {untested}"
        cells = "no cell breaks an identity"
        if len(self.broken):
            fresh = len(self.unexplained)
            explained = f"{fresh} of them in no erratum" if fresh else "each is in an erratum (--format csv lists them)"
            breaks = f"break{'s'[: len(self.broken) == 1]}"
            cells = f"{counted(len(self.broken), 'cell')} {breaks} an identity; {explained}"
        claims = f"{counted(len(self.claims), 'claim')} with another verdict than expected"
        claims += "" if self.folder else f", {len(self.against_rules) or 'none'} against a rule for verdicts"
        if len(self.advice):
            claims += f"; {counted(len(self.advice), 'recommendation')} against the written verdict"
        return f"{name}: {'not as expected' if self.differs else 'no problems'}; {cells}; {claims}"


def check_data(folder: str | os.PathLike | None = None) -> DataCheck:
    """Return what is wrong with a data folder, or with all data in use.

    First what keeps its files from being read as they are meant: descriptor, tables, errata and claims. Where there is
    nothing of that, the cells that break an identity, the claims whose verdict is not the expected one, and for all
    data in use the claims that break a rule for verdicts and the recommendations whose verdict is not the written one.

    Parameters
    ----------
    folder : str or Path, optional
        A folder with a ``datapackage.json``.

    Raises
    ------
    BadTable, UnknownName
        When runs or series of the folder cannot be read.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> found = check_data(pathlib.Path(tempfile.mkdtemp()))
    >>> found.differs, found.headline().rpartition(": ")[2]
    (True, '1 problem; numbers and verdicts are tested when nothing is wrong with the files')
    """
    problems = tables.check(folder)
    if unread := _problems_of_claims(folder):
        problems = pd.concat([problems, pd.DataFrame(unread, columns=list(problems))], ignore_index=True)
    if len(problems):
        return DataCheck(str(folder or ""), problems)
    if not folder:
        broken, claims = audit.check_consistency(), audit.audit_claims().unpinned()
        return DataCheck("", problems, broken, claims, audit.check_verdicts(), unpinned_advice())
    for path in folders.each_data_folder(folder):  # runs and series that cannot be read stop every command
        runs.read_own_series(path.name)
    broken = audit.check_consistency(folder)
    claims = [audit.audit_claims(path.name).unpinned() for path in folders.each_data_folder(folder)]
    return DataCheck(str(folder), problems, broken, pd.concat(claims, ignore_index=True))


def _problems_of_claims(folder):
    """The rows of the files of claims that do not keep their contract, as problems."""
    if folder is None:
        files = {folders.CLAIMS: tables.home() / folders.CLAIMS}
        files |= {f"{path.name}/{folders.CLAIMS}": path / folders.CLAIMS for path in folders.users_data_folders()}
    else:
        inner = folders.data_folders_in(folder)
        files = {(path / folders.CLAIMS).relative_to(folder).as_posix(): path / folders.CLAIMS for path in inner}
    return [
        table_problem(file, line, "" if line is None else error.where, error.expected, error.found, error.remedy)
        for file, path in files.items()
        if path.exists()
        for line, error in faults_of_claims(path)
    ]
