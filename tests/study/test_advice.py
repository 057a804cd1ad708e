"""What the documents recommend: every block is whole, its verdict follows, and what is wrong in one is named."""

import copy
import functools
import re
import tomllib

import pytest
from conftest import ROOT

from dominoperf import study, tables
from dominoperf.errors import BadTable, UnknownName
from dominoperf.reports import linking, notebooks
from dominoperf.study import recommendations
from dominoperf.tables import validation

WRITTEN = tomllib.loads((ROOT / "data" / "advice.toml").read_text(encoding="utf-8"))
# Names that have digits of their own; any other digit of a sentence is computed.
NAMES = re.compile(
    r"RAID \d|Table \d-\d|Domino \d|release \d|ProLiant \d+|PC Server \d+|Windows 2000|Fast SCSI-2|ext2|N8Mail|R6Mail"
    r"|M/M/1|95 % CI|\(n . 1\)/n|\b(?:19|20)\d\d\b"
)


@functools.cache
def advice_by_id(as_):
    """All recommendations judged by these cells, to look at only: the capacities and plans in them take seconds."""
    return study.advice(as_=as_).set_index("id", drop=False)


@pytest.fixture
def block(monkeypatch):
    """Blocks of which one is changed; the others are left out."""

    def change(id, **keys):
        changed = copy.deepcopy(WRITTEN[id]) | keys
        monkeypatch.setattr(recommendations, "our_toml_file", lambda name: {id: changed})

    return change


@pytest.mark.parametrize("id", WRITTEN)
def test_a_block_is_whole(id):
    """Its keys, topic, document, place and reports exist; every number of it is used; no other number is typed."""
    block = WRITTEN[id]
    assert validation.schema_fault("advice", block) is None
    topics = tomllib.loads((tables.home() / "claim_words.toml").read_text(encoding="utf-8"))["topics"]
    assert block["topic"] in topics
    assert block["source"] in set(tables.sources()["source"])
    pattern = r"page \d-\d+(/\d-\d+)?(, Table \d-\d)?" if block["source"] == "compaq_domino45" else r"[A-Zs].+"
    assert re.fullmatch(pattern, block["locator"])
    assert set(block.get("pages", ())) <= {path.stem for path in notebooks.notebooks_folder().glob("*.ipynb")}
    sentences = [block["says"], block.get("adds", "")]
    used = " ".join([*sentences, block.get("test", ""), *block.get("numbers", {}).values(),
                     *block.get("models", {}).values()])  # fmt: skip
    for name in [*block.get("numbers", ()), *block.get("models", ())]:
        assert len(re.findall(rf"\b{name}\b", used)) > 0, name
    for sentence in sentences:
        assert not re.search(r"\d", NAMES.sub("", re.sub(r"\{[^}]*\}", "", sentence))), sentence


def test_every_recommendation_has_its_verdict():
    """The verdicts are those written; each of the five documents and the topics that the issue names has some."""
    found = advice_by_id("printed")
    assert found["verdict"].to_dict() == {id: block["verdict"] for id, block in WRITTEN.items()}
    assert len(found) == len(WRITTEN) > 80
    assert set(found["source"]) == set(tables.sources()["source"])
    assert {"processors", "memory", "disk", "raid", "tuning", "planning", "method", "utilization"} <= set(
        found["topic"]
    )
    assert set(found["verdict"]) == set(recommendations.VERDICTS)
    assert found["documents_say"].str.len().min() > 0
    assert not found[["documents_say", "models_add"]].apply(lambda text: text.str.contains(r"nan\b")).to_numpy().any()


def test_the_sentences_have_the_numbers_of_the_tables():
    row = advice_by_id("printed").loc["larger-cache"]
    assert row["documents_say"].startswith("1,920 Mail users with the larger cache, 1,500 with the smaller: 28 % more")
    assert "power 0.36" in row["models_add"]  # log(1920 / 1500) / log(2)
    assert set(study.advice("cache", source="compaq_domino45")["source"]) == {"compaq_domino45"}


def test_the_cells_are_those_asked_for():
    """The cheapest printed price per user stands in an exchanged column; what is said of printed cells stays so."""
    printed, corrected = map(advice_by_id, ("printed", "corrected"))
    says = printed["documents_say"]["alternatives"]
    assert says.endswith("the cheapest $7.10.")
    assert corrected["documents_say"]["alternatives"] == f"{says} With certain errata applied, 7.10 becomes 9.40."
    assert corrected["models_add"].equals(printed["models_add"])


def test_what_errata_leave_without_a_value_is_not_tested():
    """A suspected erratum empties the best ratio without partitions, and a NotesMark, whose row is then not counted."""
    found, as_printed = map(advice_by_id, ("suspected", "printed"))
    assert found["verdict"]["partition-to-scale"] == "not tested"
    applied = "With certain and suspected errata applied"
    ends = {
        "partition-to-scale": "15 has no value.",
        "maildb-readers": "4 becomes 2.",
        "audited-results": "5 becomes 0.",
    }
    for id, end in ends.items():
        assert found["documents_say"][id].endswith(f"{applied}, {end}")
    assert found["models_add"].tolist() == as_printed["models_add"].tolist()


def test_an_erratum_of_a_heading_is_counted_once():
    """1,500 users are 750 people, and Table 3-2 asks 384 MB for them, whichever of the two its heading means."""
    for as_ in ("printed", "corrected", "suspected"):
        row = advice_by_id(as_).loc["mail-memory-table"]
        assert row["verdict"] == "contradicted"
        assert row["documents_say"].endswith("at least 384 MB (its row of 800): it is cautious.")


def test_another_verdict_is_news(block):
    block("larger-cache", test="large < small")
    assert recommendations.unpinned_advice().values.tolist() == [
        ["larger-cache", WRITTEN["larger-cache"]["advice"], "supported", "contradicted"]
    ]


@pytest.mark.parametrize(
    ("keys", "where"),
    [
        ({"numbers": {"small": 'cell("table_3_9", "users", 4)'}}, "advice.toml, larger-cache, numbers, small"),
        ({"test": "large > smal"}, "advice.toml, larger-cache, test"),
        ({"models": {"exponent": 'term("cache_powr", "cache_mail", "exponent")'}}, "larger-cache, models, exponent"),
    ],
)
def test_what_is_wrong_in_a_block_is_named(block, keys, where):
    block("larger-cache", **keys)
    with pytest.raises((BadTable, UnknownName), match="expected") as told:
        study.advice()
    assert where in str(told.value) or "cache_powr" in str(told.value) or "table_3_9" in str(told.value)


def test_an_unknown_topic_is_named():
    with pytest.raises(UnknownName, match="topic"):
        study.advice("diks")


@pytest.mark.parametrize(
    ("change", "where"),
    [({"verdcit": "supported"}, ()), ({"verdict": "yes"}, ("verdict",)), ({"verdict": "not tested"}, ("verdict",))],
)
def test_the_schema_refuses(change, where):
    fault = validation.schema_fault("advice", WRITTEN["larger-cache"] | change)
    assert fault.path == where


def test_a_page_lists_them_with_links():
    """Each has an anchor, its verdict and place; the report that goes further is linked where the site has it."""
    page = study.PageList("recommendations", study.advice("cache"))._repr_html_()
    assert (
        '<tr id="advice-larger-cache" class="supported" data-document="compaq_domino45"'
        ' data-document-words="1998 Compaq TechNote" data-topic="cache"' in page
    )
    assert ">1998 Compaq TechNote, page 3-2/3-3</span>" in page
    linked = linking.LocatorLinks([], {"10_clock_and_cache": "clock_and_cache"}).linked(page)
    assert '<a href="clock_and_cache.html">clock and cache</a>' in linked
    assert "<a " not in linking.LocatorLinks([], {}).linked(page)
