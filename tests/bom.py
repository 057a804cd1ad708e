"""What dominoperf is made of, in CycloneDX: `python tests/bom.py` writes bom.cdx.json from the lock and licences.csv.

Each locked package with its version, its licence and what needs it. One that only our own work needs is "excluded", one
of an extra "optional". Checksums of the files stand in requirements.lock.
"""

import json
import re
import tomllib
from pathlib import Path

import licences

from dominoperf import __version__

ROOT = Path(__file__).parent.parent
BOM = ROOT / "bom.cdx.json"
_PIN = re.compile(r"^([A-Za-z0-9._-]+)==([^\s;\\]+)", re.MULTILINE)
_OURS = "dominoperf"


def made():
    """Give the list as it should be, as text."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    versions = dict(_PIN.findall(licences.LOCK.read_text(encoding="utf-8")))
    said = {name: row["licence"] for name, row in licences.read().items()}
    needed_by = {name: needed.split("; ") for name, needed in licences.locked().items()}
    needs = {name: sorted(other for other in versions if name in needed_by[other]) for name in (_OURS, *versions)}
    required = _below(needs, map(_name, project["dependencies"]))
    optional = _below(needs, (_name(line) for lines in project["optional-dependencies"].values() for line in lines))
    components = [
        {
            "type": "library",
            "bom-ref": _purl(name, version),
            "name": name,
            "version": version,
            "scope": "required" if name in required else "optional" if name in optional else "excluded",
            "licenses": [{"expression": said[name]}],
            "purl": _purl(name, version),
        }
        for name, version in sorted(versions.items())
    ]
    versions[_OURS] = __version__
    ours = {
        "type": "library",
        "bom-ref": _purl(_OURS, __version__),
        "name": _OURS,
        "version": __version__,
        "description": project["description"],
        "licenses": [{"expression": project["license"]}],
        "purl": _purl(_OURS, __version__),
    }
    edges = [
        {"ref": _purl(name, versions[name]), "dependsOn": [_purl(other, versions[other]) for other in others]}
        for name, others in needs.items()
    ]
    bom = {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": ours},
        "components": components,
        "dependencies": edges,
    }
    return json.dumps(bom, indent=1) + "\n"


def _below(needs, names):
    """Give these packages and all that they need."""
    found, left = set(), list(names)
    while left:
        name = left.pop()
        left += [] if name in found else needs[name]
        found.add(name)
    return found


def _name(requirement):
    """Give the name of a requirement as the lock has it."""
    return re.match(r"[\w.-]+", requirement)[0].lower().replace("_", "-")


def _purl(name, version):
    return f"pkg:pypi/{name}@{version}"


if __name__ == "__main__":
    BOM.write_text(made(), encoding="utf-8")
