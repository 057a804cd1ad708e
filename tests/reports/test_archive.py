"""`dominoperf archive`: a folder to deposit, which other programs can read by its two descriptions."""

import csv
import hashlib
import json
import subprocess
import sys

import pytest

from dominoperf import __version__, load, reports, tables
from dominoperf.cli import main
from dominoperf.errors import BadTable
from dominoperf.reports import citation


@pytest.fixture(scope="module")
def made_reports(tmp_path_factory):
    """A folder as reports leave it: a table, the ledger, a page."""
    folder = tmp_path_factory.mktemp("made") / "reports"
    for name in ("tables/a.csv", "ledger.toml", "site/index.html", ".engine/state.json"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("made", encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def archived(tmp_path_factory, made_reports):
    return reports.archive(tmp_path_factory.mktemp("deposit") / "archive", made_reports)


def read(path):
    return json.loads(path.read_text(encoding="utf-8"))


def test_what_it_holds(archived):
    assert {path.name for path in archived.iterdir()} == {
        *("CITATION.cff", "LICENSE", "README.md", "SHA256SUMS", "croissant.json", "ro-crate-metadata.json"),
        *("corrected", "data", "notebooks", "results", "site"),
    }
    assert (archived / "data/compaq_domino45/a_mail.csv").read_bytes() == (
        tables.home() / "compaq_domino45/a_mail.csv"
    ).read_bytes()
    assert (archived / "results/tables/a.csv").read_text() == (archived / "site/index.html").read_text() == "made"
    assert not list(archived.rglob(".*"))


def test_the_crate_names_every_file(archived):
    """RO-Crate: each file once, with its size and checksum, below a folder of the root; the site as a whole."""
    graph = {entity["@id"]: entity for entity in read(archived / "ro-crate-metadata.json")["@graph"]}
    assert graph["ro-crate-metadata.json"]["about"] == {"@id": "./"}
    files = {path.relative_to(archived).as_posix() for path in archived.rglob("*") if path.is_file()}
    described = {name for name, entity in graph.items() if "File" in entity["@type"]}
    assert described == files - {"ro-crate-metadata.json", "SHA256SUMS", "site/index.html"}
    for name in described:
        content = (archived / name).read_bytes()
        found = hashlib.sha256(content).hexdigest(), str(len(content))
        assert (graph[name]["sha256"], graph[name]["contentSize"]) == found, name
    reached, left = set(), ["./"]
    while left:
        reached.add(name := left.pop())
        left += [part["@id"] for part in graph[name].get("hasPart", ())]
    assert reached == described | {"./", "data/", "corrected/", "notebooks/", "results/", "site/"}
    named = [edge["@id"] for entity in graph.values() for edge in entity.get("isBasedOn", ())]
    assert {*named, *(graph["./"][key]["@id"] for key in ("author", "license", "publisher"))} <= {*graph}


def test_a_depositor_finds_rights_version_citation_and_checksums(archived):
    about = (archived / "README.md").read_text(encoding="utf-8")
    assert f"Version {__version__}" in about
    assert "@software{" in about
    assert "claims no right in the facts" in " ".join((archived / "LICENSE").read_text(encoding="utf-8").split())
    sums = dict(line.split("  ")[::-1] for line in (archived / "SHA256SUMS").read_text(encoding="utf-8").splitlines())
    files = {path.relative_to(archived).as_posix(): path for path in archived.rglob("*") if path.is_file()}
    del files["SHA256SUMS"]
    assert sums == {name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in files.items()}


def test_croissant_has_every_column_of_the_corrected_tables(archived):
    """Each record set is a table that loads as it says, with plain numbers and the place of each row."""
    about = read(archived / "croissant.json")
    files = {file["@id"]: file for file in about["distribution"]}
    sets = {records["@id"]: records for records in about["recordSet"]}
    assert set(sets) == {id for id in tables.list_tables()["id"] if not tables.is_view(id)}
    for records in sets.values():
        (name,) = {field["source"]["fileObject"]["@id"] for field in records["field"]}
        content = (archived / files[name]["contentUrl"]).read_bytes()
        assert hashlib.sha256(content).hexdigest() == files[name]["sha256"]
        head, *rows = csv.reader(content.decode("utf-8").splitlines())
        assert [field["source"]["extract"]["column"] for field in records["field"]] == head
        assert head[-1] == "locator"
        for place, field in enumerate(records["field"]):
            if field["dataType"] in ("sc:Integer", "sc:Float"):
                assert all(float(row[place]) is not None for row in rows if row[place]), field["@id"]
    (users,) = [field for field in sets["compaq_domino45/a_mail"]["field"] if field["name"] == "users"]
    assert (users["dataType"], users["description"][-6:]) == ("sc:Integer", "[user]")
    with (archived / "corrected/compaq_domino45/a_mail.csv").open(encoding="utf-8", newline="") as file:
        printed = [float(row["users"]) for row in csv.DictReader(file)]
    assert printed == load("compaq_domino45/a_mail")["users"].tolist()


_READ_OFFLINE = """
import json, socket, sys
def refused(*args): raise OSError("no network")
socket.socket.connect = socket.getaddrinfo = refused
import mlcroissant, rocrate.rocrate
crate = rocrate.rocrate.ROCrate(sys.argv[1])
tables = mlcroissant.Dataset(f"{sys.argv[1]}/croissant.json")
rows = tables.records("compaq_domino45/a_mail")
print(json.dumps({
    "files": [file.id for file in crate.data_entities if "File" in file.type],
    "license": crate.root_dataset["license"].id,
    "author": crate.root_dataset["author"]["name"],
    "mistakes": [*tables.metadata.ctx.issues.errors, *tables.metadata.ctx.issues.warnings],
    "tables": [records.uuid for records in tables.metadata.record_sets],
    "users": [row["compaq_domino45/a_mail/users"] for row in rows],
}))
"""


def test_the_libraries_of_both_standards_read_it_without_a_network(archived):
    """What RO-Crate's and Croissant's own libraries find: every file, rights and author; every table, no mistake."""
    words = [sys.executable, "-W", "ignore", "-c", _READ_OFFLINE, str(archived)]
    found = json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)
    of_crate = {path.relative_to(archived).as_posix() for path in archived.rglob("*") if path.is_file()}
    assert set(found["files"]) == of_crate - {"ro-crate-metadata.json", "SHA256SUMS", "site/index.html"}
    assert found["license"] == "https://spdx.org/licenses/MIT"
    assert found["author"] == citation.software_citation()["authors"][0]
    assert found["mistakes"] == []
    assert found["tables"] == [id for id in tables.list_tables()["id"] if not tables.is_view(id)]
    assert found["users"] == load("compaq_domino45/a_mail")["users"].tolist()


def test_the_same_inputs_give_the_same_bytes(archived, made_reports, tmp_path):
    again = reports.archive(tmp_path / "again", made_reports)
    for path in archived.rglob("*"):
        if path.is_file():
            assert (again / path.relative_to(archived)).read_bytes() == path.read_bytes(), path


def test_a_folder_of_the_user_goes_with_it(folder, made_reports, tmp_path):
    """Data in use beside ours are data of the archive."""
    with tables.using(folder):
        out = reports.archive(tmp_path / "archive", made_reports)
    assert (out / "data/mine/runs.csv").read_bytes() == (folder / "runs.csv").read_bytes()
    assert (out / "corrected/mine/runs.csv").is_file()
    assert "#mine" in {entity["@id"] for entity in read(out / "ro-crate-metadata.json")["@graph"]}


def test_what_is_there_stays(tmp_path, made_reports, capsys):
    """A folder with files is refused, and so are reports that are none; nothing is half made."""
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine").write_text("mine")
    with pytest.raises(BadTable, match="a new or empty folder"):
        reports.archive(tmp_path / "full", made_reports)
    assert main(["archive", str(tmp_path / "out"), "--reports", str(tmp_path / "none")]) == 2
    assert "Run `dominoperf report`" in capsys.readouterr().err
    assert [path.name for path in tmp_path.rglob("*")] == ["full", "mine"]
