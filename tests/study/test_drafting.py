"""`dominoperf new --from-text`: the audit of another document, drafted from its text and carried through."""

import csv
import re
import shutil

import pandas as pd
import pytest
from conftest import ROOT, read_package, write_package

from dominoperf import check, load, tables
from dominoperf.cli import main
from dominoperf.errors import BadTable
from dominoperf.study import audit
from dominoperf.study.audit.grounds import numbers_in_claim
from dominoperf.study.audit.verdicts import read_stated

SIXTH = ROOT / "tests" / "samples" / "sixth_document"
LINE = "The server carried 1,200 users."


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """The folder where commands run; `--data` of one of them is forgotten afterwards."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DOMINOPERF_DATA", "")


def drafted(tmp_path, text, name="drafted"):
    """Draft a folder from a text, and return its claims as texts."""
    file = tmp_path / "text.txt"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    audit.draft(tmp_path / name, file, title="T", source="S", licence="CC0-1.0")
    return claims_of(tmp_path / name)


def claims_of(folder):
    return pd.read_csv(folder / "claims.csv", dtype=str, keep_default_na=False)


def cells_of(folder, name):
    with open(folder / f"{name}.csv", encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def test_a_report_of_two_pages_is_drafted(tmp_path):
    left = audit.draft(tmp_path / "larchmont", SIXTH / "report.txt")
    folder = tmp_path / "larchmont"
    assert cells_of(folder, "table_1")[0] == [
        *("processors", "mail_users", "response_time_s", "cpu_utilization_percent", "throughput_tps")
    ]
    assert cells_of(folder, "table_1")[4] == ["8", "5,040", "0.63", "69", "420"]
    assert cells_of(folder, "table_2")[4] == ["LX480", "8", "16", "18", "$65,520", "$12.00"]
    with tables.using(folder):
        assert load("larchmont/table_1")["mail_users"].tolist() == [1150, 2070, 3450, 5040]
        assert tables.describe("larchmont/table_2").full_locator.endswith("page 2, line 8")
    claims = claims_of(folder)
    assert (len(claims), claims["id"].nunique(), claims["locator"].nunique()) == (9, 9, 9)
    found = claims.set_index("locator")
    second = found.loc["page 1, line 22, sentence 2"]
    assert (second["stated"], second["unit"]) == ("80", "%")
    assert found.loc["page 1, line 22", "numbers"] == "1,150 user"
    assert "1,150: table_1.mail_users[1]" in found.loc["page 1, line 22", "candidates"]
    assert found.loc["page 1, line 24", ["stated", "unit", "hedge"]].tolist() == ["0.7", "s", "below"]
    assert found.loc["page 2, line 15", ["stated", "unit"]].tolist() == ["$10.00", "USD"]
    assert set(left["file"]) == {"datapackage.json", "claims.csv"}


@pytest.mark.parametrize(
    ("sentence", "hedge"),
    [
        ("The server carried never more than 400 users.", "never more than"),
        ("The response cannot exceed 2 s at that load.", "cannot exceed"),
        ("It doesn't exceed 90 % CPU with all users.", "doesn't exceed"),
        ("The server carried not more than 400 users.", "not more than"),
        ("The server carried more than 400 users.", "more than"),
    ],
)
def test_a_negation_belongs_to_the_hedge(tmp_path, sentence, hedge):
    """A floor and a ceiling differ by it."""
    assert drafted(tmp_path, sentence)["hedge"].tolist() == [hedge]


def test_no_sentence_is_copied(tmp_path):
    """A drafted claim asks for the statement: no cell of it has six words of the text one after the other."""
    audit.draft(tmp_path / "larchmont", SIXTH / "report.txt")
    words = re.findall(r"\w[\w.,]*", (SIXTH / "report.txt").read_text(encoding="utf-8").lower())
    runs = {tuple(words[k : k + 6]) for k in range(len(words))}
    for cell in claims_of(tmp_path / "larchmont").to_numpy().ravel():
        parts = re.findall(r"\w[\w.,]*", cell.lower())
        assert not {tuple(parts[k : k + 6]) for k in range(len(parts) - 5)} & runs, cell


def test_a_draft_passes_the_check_and_can_be_audited(tmp_path, capsys):
    """What is open is told as a note; without the mark of a draft it is a problem, as in any other folder."""
    assert main(["new", "larchmont", "--from-text", str(SIXTH / "report.txt")]) == 0
    out, err = capsys.readouterr()
    assert "9 of 9 rows as drafted" in out
    assert "2 tables and 9 claims to be written" in err
    assert main(["check", "larchmont"]) == 0
    assert "note: claims.csv, line 2, column claim" in capsys.readouterr().err
    assert main(["audit", "--source", "larchmont", "--data", "larchmont", "--format", "csv"]) == 0
    assert capsys.readouterr().out.count(",unverifiable,unverifiable,") == 9
    package = read_package(tmp_path / "larchmont")
    write_package(tmp_path / "larchmont", {key: value for key, value in package.items() if key != "draft"})
    assert set(check("larchmont")["found"]) == {"a question left open"}
    assert main(["check", "larchmont"]) == 1


def test_the_audit_finds_the_planted_errors(tmp_path, capsys):
    """The draft carried through: two of the ten statements of the text are wrong on purpose, and these are found."""
    answers = ["--title", "T", "--source", "S", "--licence", "CC0-1.0"]
    assert main(["new", "larchmont", "--from-text", str(SIXTH / "report.txt"), *answers]) == 0
    shutil.copy(SIXTH / "claims.csv", "larchmont")
    assert main(["check", "larchmont"]) == 0
    with tables.using("larchmont"):
        found = audit.audit_claims("larchmont")
    assert found.glance().loc[0, ["claims", "confirmed", "contradicted"]].tolist() == [10, 8, 2]
    wrong = found.contradictions().set_index("id")
    assert set(wrong.index) == {"eight-processors", "largest-per-user"}
    assert (wrong.loc["eight-processors", "computed"], wrong.loc["largest-per-user", "computed"]) == ("5,040", "13")
    assert len(found.unpinned()) == 0
    capsys.readouterr()


FORMS = {
    "tabs": "Table 3-1 Loads\t\t\nMachine\tUsers\tResponse (s)\nA\t100\t0.25\nB\t1,200\t0.5\t\n",
    "pipes": "Table 3-1. Loads\n\n| Machine | Users | Response (s) |\n|---|--:|--:|\n| A | 100 | 0.25 |\n"
    "| B | 1,200 | 0.5 |\n",
    "gaps": "Table 3-1  Loads\n\n              Active    Response\nMachine       Users     (s)\n\n"
    "A             100       0.25\nB             1,200     0.5\n",
}


@pytest.mark.parametrize("form", FORMS)
def test_tables_of_a_text(tmp_path, form):
    """Columns that tabs, pipes or blanks part; the headings may stand above each other."""
    drafted(tmp_path, f"Prose before it.\n\n{FORMS[form]}\n{LINE}\n")
    head, *rows = cells_of(tmp_path / "drafted", "table_3_1")
    assert rows == [["A", "100", "0.25"], ["B", "1,200", "0.5"]]
    expected = {"gaps": ["machine", "active_users", "response_s"]}
    assert head == expected.get(form, ["machine", "users", "response_s"])
    assert len(check(tmp_path / "drafted")) == 0


PRICES = [
    "Item|Order number|Quantity|Unit price|Quote",
    "Server|8640-PT0|1|$6,159|$5,643",
    "1 x 233MHz / 512KB Pentium II Processor|",
    "1 x 64MB ECC DIMM|",
    "Adapter|76H3584|1|1,949|1,805",
    "Software|",
    "Domino||1|1,778|1,778",
    "Total|||$31,797|$29,581",
]


@pytest.mark.parametrize("form", ["tabs", "pipes", "gaps"])
def test_a_row_whose_other_cells_are_blank_stays_in_its_table(tmp_path, form):
    """Parts of what the row above names, one after the other, and names of groups."""
    grid = [[*row.split("|"), "", "", ""][:5] for row in PRICES]
    lines = {
        "tabs": ["\t".join(row) for row in grid],
        "pipes": [f"| {' | '.join(row)} |" for row in grid],
        "gaps": [f"{row[0]:<42}{row[1]:<15}{row[2]:<11}{row[3]:<14}{row[4]}".rstrip() for row in grid],
    }[form]
    claims = drafted(tmp_path, "\n".join(["Prose before it.", "", *lines, "", LINE, ""]))
    head, *rows = cells_of(tmp_path / "drafted", "table_line_3")
    assert head == ["item", "order_number", "quantity", "unit_price", "quote"]
    assert rows == grid[1:]
    assert claims["numbers"].tolist() == ["1,200 user"]


def test_names_beside_values_are_no_headings(tmp_path):
    """The first rows of a set-up were headings up to the first value that is a number alone."""
    rows = [["System", "PC Server 330"], ["Processors", "2 x 233MHz processors"], ["Memory", "512MB"]]
    drafted(tmp_path, "\n".join(["Set-up", "", *map("\t".join, rows), "", LINE, ""]))
    assert cells_of(tmp_path / "drafted", "table_line_3")[1:] == rows


def test_what_is_no_table(tmp_path):
    """A list of contents, sentences that two blanks part, and words alone that happen to line up."""
    text = "1.1 Loads ........ 12\n1.2 Prices ....... 15\n\nOne thing.  Another thing.\nA third.  A fourth thing.\n\n"
    drafted(tmp_path, f"{text}alpha   beta\ngamma   delta\n\n{LINE}\n")
    assert sorted(path.name for path in (tmp_path / "drafted").iterdir()) == ["claims.csv", "datapackage.json"]
    assert main(["check", str(tmp_path / "drafted")]) == 0


def test_a_column_that_is_partly_numbers_promises_nothing(tmp_path):
    """`users` of our vocabulary would be numbers; such a column is text under another name, and the check passes."""
    drafted(tmp_path, "Machine\tUsers\nA\t100\nB\tmany\nC\t300\nD\t400\n")
    assert cells_of(tmp_path / "drafted", "table_line_1")[0] == ["machine", "users_as_printed"]
    assert len(check(tmp_path / "drafted")) == 0


def test_units_are_those_that_new_reads_from_a_csv(tmp_path):
    """The names of a drafted table have no brackets; 1/s is no second all the same."""
    table = ["Users,Throughput (1/s),Price (USD/h),Answer (ms)", "1,10,0.5,20", "10,57,0.7,21", "20,96,0.9,29"]
    drafted(tmp_path, "\n".join(["Table 1. Runs", "", *(line.replace(",", "   ") for line in table), "", LINE, ""]))
    (tmp_path / "table_1.csv").write_text("\n".join(table))
    tables.new(tmp_path / "made", tmp_path / "table_1.csv")
    ours, theirs = (
        {field.get("title", field["name"]): (field["unit"], field.get("as", field["name"])) for field in fields}
        for fields in (
            read_package(tmp_path / each)["resources"][0]["schema"]["fields"] for each in ("drafted", "made")
        )
    )
    assert {heading: unit for heading, (unit, _) in ours.items()} == {
        "Users": "user", "Throughput (1/s)": "1/s", "Price (USD/h)": "USD/h", "Answer (ms)": "ms",
    }  # fmt: skip
    assert [unit for unit, _ in ours.values()] == [unit for unit, _ in theirs.values()]
    assert ours["Throughput (1/s)"] == theirs["Throughput (1/s)"] == ("1/s", "throughput_per_s")


PAGES = {
    "form feeds": f"{LINE}\nTotal response was\n\fbelow 2 s in most tests.\n\n{LINE}\n\f",
    "printed numbers": f"{LINE}\nTotal response was\nPage 1 of 2\nbelow 2 s in most tests.\n\n{LINE}\n- 2 -\n",
}


@pytest.mark.parametrize("form", PAGES)
def test_pages(tmp_path, form):
    """A place is a page and a line of it; a sentence may go on behind the break."""
    claims = drafted(tmp_path, PAGES[form])
    assert claims["locator"].tolist() == ["page 1, line 1", "page 1, line 2", "page 2, line 3"]
    assert claims["numbers"][1] == "2 s"


SENTENCES = {
    "Release 4.51 ran on ProLiant 5000 servers, see Table 3-4 and page 12.": "",
    "It ran from 09:30:39 on R5.0.10 (z900 model 2064-116).": "",
    "2.7 Workloads": "",
    "It was approx. 4 GB, e.g. 3.5 GB at 233MHz.": "4 GB; 3.5 GB; 233 MHz",
    "Between 20-30% of 1,500 concurrent active users took $13.22 each.": "20-30 %; 1,500 user; $13.22 USD",
    "Two drivers and four machines made it twice as fast.": "",
    "One of them did; the price fell by .5 percent.": ".5 %",
    "Each of the two has 6 drives; double-click on it.": "6 drive",
    "They paid 1.2 million dollars for 40 disks.": "1.2; 40 disk",  # no 1.2 dollars
}


@pytest.mark.parametrize("sentence", SENTENCES)
def test_numbers_of_a_sentence(tmp_path, sentence):
    """With their units; what is part of a name, a reference or a time of day is no number that is claimed."""
    claims = drafted(tmp_path, f"{sentence}\n\n{LINE}\n")
    assert claims["numbers"].tolist() == [*filter(None, [SENTENCES[sentence]]), "1,200 user"]


REFUSED = {
    "an empty file": b" \n\n",
    "a PDF or office file": b"%PDF-1.7 1,200 users",
    "lines without any": b"No number is here.\nNone is there.\n",
    "zero bytes": bytes(range(256)),
}


@pytest.mark.parametrize("found", REFUSED)
def test_what_is_no_document_is_refused(tmp_path, found):
    """With what it is; and nothing has been made."""
    (tmp_path / "text.txt").write_bytes(REFUSED[found])
    with pytest.raises(BadTable, match=found):
        audit.draft(tmp_path / "drafted", tmp_path / "text.txt")
    assert [path.name for path in tmp_path.iterdir()] == ["text.txt"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_encodings(tmp_path, encoding):
    claims = drafted(tmp_path, "Die größte Maschine trug 1,200 users – nicht mehr.\r\n".encode(encoding))
    assert claims[["numbers", "begins"]].loc[0].tolist() == ["1,200 user", "Die größte Maschine trug 1,200"]


def test_marks_that_a_terminal_obeys_are_left_out(tmp_path):
    claims = drafted(tmp_path, "The \x1b[Kserver\u202e carried 1,200\u200b users.\n\nA\tB\n\x1b]0;x\x07\t2\nc\t3\n")
    everything = claims.to_csv() + str(cells_of(tmp_path / "drafted", "table_line_3"))
    assert not re.search("[\x00-\x08\x1b\u202e\u200b]", everything)
    assert claims["numbers"][0] == "1,200 user"


def test_a_folder_is_made_whole_or_not_at_all(tmp_path):
    """One that is there stays; and both kinds of source at once are refused."""
    drafted(tmp_path, LINE)
    before = (tmp_path / "drafted" / "claims.csv").read_bytes()
    with pytest.raises(BadTable, match="a new or empty folder"):
        audit.draft(tmp_path / "drafted", SIXTH / "report.txt")
    assert (tmp_path / "drafted" / "claims.csv").read_bytes() == before


@pytest.mark.parametrize(
    "words", [[], ["--from", "a.csv", "--from-text", "b.txt"], ["--from-text", "b", "--unit", "a=s"]]
)
def test_either_files_or_a_text(capsys, words):
    assert main(["new", "mine", *words]) == 2
    assert "--from-text" in capsys.readouterr().err


def test_most_claims_of_the_documents_are_in_their_drafts(tmp_path, source_texts):
    """Of the numbers that our claims of the five texts state nine in ten are in a drafted row of the same text."""
    found = total = 0
    for source in ("compaq_domino45", "compaq_netware", "ibm_330", "domino6", "rhel5"):
        (file,) = [path for path in source_texts.iterdir() if path.name == tables.document(source)["text"]]
        audit.draft(tmp_path / "drafts" / f"of_{source}", file)
        assert len(check(tmp_path / "drafts" / f"of_{source}")) == 0
        drafts = {number for row in claims_of(tmp_path / "drafts" / f"of_{source}")["numbers"] for number in _all(row)}
        stated = [_all(claim.stated) for claim in audit.claims(source)]
        total += sum(map(bool, stated))
        found += sum(bool(numbers) and numbers <= drafts for numbers in stated)
    assert found > 0.9 * total > 500


def _all(text):
    """The numbers in a text, in digits or each part as a word."""
    words = [read_stated(part.split(" ")[0]) for part in text.split("; ")]
    return set(numbers_in_claim(text)) | {end for word in words if word for end in (word.low, word.high)}
