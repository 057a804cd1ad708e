"""The workloads of the documents: every one that was run is described or said to be undescribed, with its places."""

import tomllib

import pytest
from conftest import ROOT

from dominoperf import runs, study, tables
from dominoperf.errors import UnknownName
from dominoperf.study.audit.claim_rows import claims
from dominoperf.tables import validation

WRITTEN = tomllib.loads((ROOT / "data" / "workloads.toml").read_text(encoding="utf-8"))
EIGHT = ["Mail", "MailDB", "DiscDB", "GroupWare", "Repl_Hub", "Mail Routing Hub", "Cluster Mail and Shared Database",
         "Idle"]  # fmt: skip
UNDESCRIBED = WRITTEN["WebWalker"]


@pytest.mark.parametrize("name", WRITTEN)
def test_a_workload_is_whole(name):
    """Its keys are those of the schema, and each place is one of its document where claims are."""
    block = WRITTEN[name]
    assert validation.schema_fault("workloads", block) is None
    known = {(claim.source, claim.locator) for claim in claims()}
    assert not {tuple(place) for place in block["places"]} - known - {("rhel5", "section 2.7.2")}


def test_every_workload_that_was_run_is_there():
    """By its name or by what a table calls it, once."""
    names = [each for name, block in WRITTEN.items() for each in (name, *block.get("names", ()))]
    assert len({name.casefold() for name in names}) == len(names)
    assert set(runs.benchmarks()["workload"]) - {""} <= set(names)
    found = study.workloads()
    assert found["runs"].sum() == (runs.benchmarks()["workload"] != "").sum()


def test_the_eight_of_notesbench():
    """Five have results in some table, three in none."""
    found = study.workloads().head(len(EIGHT))
    assert found["workload"].tolist() == EIGHT
    title = tables.document("compaq_domino45")["title"]
    assert found["locator"].str.contains(f"{title}, page 2-8/2-9", regex=False).all()
    assert found.loc[found["results_in"] == "", "workload"].tolist() == EIGHT[-3:]
    assert (found["missing"] != "").all()


def test_results_are_where_they_are_said_to_be():
    ids = set(tables.list_tables()["id"])
    assert all(set(each.split(", ")) <= ids for each in study.workloads()["results_in"] if each)
    assert study.workloads("Repl_Hub")["results_in"].item() == "compaq_domino45/memory_response"


def test_a_workload_in_lines():
    assert "described: nowhere" in study.describe_workload("webwalker")
    assert "no document says what it models" in study.describe_workload("WebWalker")
    assert study.describe_workload("mail-only") == study.describe_workload("Mail")


def test_an_unknown_one_is_named():
    with pytest.raises(UnknownName, match="workload"):
        study.workloads("Idel")


@pytest.mark.parametrize(
    ("change", "where"),
    [({"models": "A crawler"}, ("models",)), ({"places": [["rhel5"]]}, ("places", 0)), ({"modles": ""}, ())],
)
def test_the_schema_refuses(change, where):
    """What no document describes models nothing; a place has a document."""
    assert validation.schema_fault("workloads", UNDESCRIBED | change).path == where
