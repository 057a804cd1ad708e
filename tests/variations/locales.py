"""A locale that the system has, or that glibc's localedef makes in a folder without being root."""

import shutil
import subprocess


def available(name, folder):
    """Give the environment variables that a program needs to use a locale; None where there is none to use."""
    listed = _said(["locale", "-a"]).lower().replace("utf8", "utf-8").split()
    if name.lower() in listed:
        return {}
    language, _, charset = name.partition(".")
    folder.mkdir(parents=True, exist_ok=True)
    _said(["localedef", "-i", language, "-f", charset, str(folder / name)])
    return {"LOCPATH": str(folder)} if (folder / name / "LC_NUMERIC").is_file() else None


def _said(command):
    if not shutil.which(command[0]):
        return ""
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout
