"""Results of JMeter in XML, against the same test as JMeter writes it in CSV, and files that are no such results.

Both forms are written here from one list of samples: in CSV a line for each sample and for each that is directly within
it, in XML an element for each, however deep.
"""

import gzip
import itertools
from xml.sax.saxutils import quoteattr

import pandas as pd
import pytest
from made import notes, written

from dominoperf.errors import BadTable, UnknownName
from dominoperf.loadtests import readers
from dominoperf.loadtests.readers import jmeter_xml, per_second

T0 = 1700000000
SUM = "Number of samples in transaction : {}, number of failing samples : 0"
BEGIN = '<?xml version="1.0" encoding="UTF-8"?>\n<testResults version="1.2">\n\n'
END = "\n</testResults>\n"
ENDS = "the first and the last second are not whole, so their throughput is unknown"


def of_jmeter(at, took, label, *parts, thread="Buyers 1-1", good=True, users=3, message="OK"):
    """A sample that begins `at` ms after the start and takes `took` ms, with those within it."""
    cells = {"ts": T0 * 1000 + at, "t": took, "s": str(good).lower(), "lb": label, "rm": message, "tn": thread,
             "by": 500 + took, "na": users}  # fmt: skip
    return cells, parts


def transaction(at, took, label, *parts, **more):
    return of_jmeter(at, took, label, *parts, message=SUM.format(len(parts)), **more)


def elements(samples):
    """The samples as JMeter writes them in XML."""
    text = ""
    for cells, parts in samples:
        tag = "sample" if cells["rm"].startswith("Number") else "httpSample"
        attributes = " ".join(f"{name}={quoteattr(str(cell))}" for name, cell in cells.items())
        within = f"{elements(parts)}  <java.net.URL>http://shop.test/?a=1&amp;b=2</java.net.URL>\n"
        text += f'<{tag} it="0" {attributes} rc="200">\n{within}</{tag}>\n'
    return text


def as_xml(samples):
    return BEGIN + elements(samples) + END


def as_csv(samples):
    """The samples as JMeter writes them in CSV, without those within parts."""
    lines = itertools.chain.from_iterable([cells, *(part for part, _ in parts)] for cells, parts in samples)
    rows = [",".join(f'"{cell}"' if "," in str(cell) else str(cell) for cell in line.values()) for line in lines]
    return "\n".join(["timeStamp,elapsed,success,label,responseMessage,threadName,bytes,allThreads", *rows, ""])


# A redirect within a page, a transaction that comes after its requests, and one that comes with them.
SHOP = [
    of_jmeter(100, 700, "Home", of_jmeter(100, 200, "Home-0"),
              of_jmeter(300, 500, "Home-1", of_jmeter(350, 50, "Home-1-0", users=90), of_jmeter(400, 60, "Home-1-1"))),
    of_jmeter(900, 400, "Find", thread="Buyers 1-2", good=False, users=4),
    of_jmeter(1400, 300, "Item <7> & \"more\"", thread="Buyers 1-2", users=4),
    transaction(900, 700, "Look", thread="Buyers 1-2", users=4),
    transaction(1000, 1900, "Buy", of_jmeter(1000, 400, "Cart", of_jmeter(1000, 100, "Cart-0")),
                of_jmeter(1500, 700, "Pay", good=False), of_jmeter(2300, 600, "Bye"), users=5),
    of_jmeter(2100, 900, "Home", thread="Buyers 1-2", users=2),
    of_jmeter(3100, 600, "Home", users=2),
]  # fmt: skip


def read_forms(tmp_path, samples):
    """What is read of the samples in CSV and in XML."""
    files = written(tmp_path, as_csv(samples), "a.jtl"), written(tmp_path, as_xml(samples), "b.jtl")
    forms = [readers.read(path, responses=True) for path in files]
    assert [form.attrs["reader"] for form in forms] == ["jmeter", "jmeter"]
    return forms


def check_same_rows(one, other):
    pd.testing.assert_frame_equal(one.drop(columns="line"), other.drop(columns="line"))


@pytest.mark.parametrize(("block", "piece"), [(None, None), (700, 10)])
def test_the_rows_are_those_of_the_same_test_in_csv(tmp_path, monkeypatch, block, piece):
    """In one block, and in blocks that part a transaction from its requests."""
    in_csv = readers.read(written(tmp_path, as_csv(SHOP), "a.jtl"), responses=True)
    if block:
        monkeypatch.setattr(jmeter_xml, "_BLOCK", max(block, 400))  # no tag is longer
        monkeypatch.setattr(per_second, "_PIECE", piece)
    in_xml = readers.read(written(tmp_path, as_xml(SHOP), "b.jtl"), responses=True)
    check_same_rows(in_xml, in_csv)
    times = [sorted(round(1000 * float(time)) for time in times) for times in in_xml["responses_s"]]
    assert times == [[700], [300, 400], [600], [600, 900]]
    assert in_xml["failures"].tolist() == [0, 1, 1, 0]
    assert in_xml["users"].tolist() == [3, 4, 3, 2]
    assert in_xml.attrs["notes"] == [
        "5 sub-samples left out (redirects, embedded resources): each is a part of another request",
        "2 transactions left out: each is the sum of other requests", ENDS,
    ]  # fmt: skip
    lines = as_xml(SHOP).split("\n")
    assert [lines[line - 1].split("lb=")[1][:6] for line in in_xml["line"]] == ['"Home"', '"Find"', '"Pay" ', '"Home"']


def test_transactions_without_their_requests_are_the_requests(tmp_path):
    """As JMeter writes those of "Generate parent sample" where it saves no sub-samples."""
    in_csv, in_xml = read_forms(tmp_path, [transaction(700 * k, 250, "Buy", users=k) for k in range(1, 6)])
    check_same_rows(in_xml, in_csv)
    assert in_xml["response_s"].dropna().tolist() == [0.25] * 4
    assert "5 transactions and nothing else: each counts as a request" in in_xml.attrs["notes"]


def test_requests_of_transactions_within_each_other_are_counted(tmp_path):
    """CSV does not have them."""
    deep = transaction(0, 900, "Buy", transaction(0, 500, "Cart", of_jmeter(0, 400, "Add")), of_jmeter(600, 300, "Pay"))
    frame = readers.read(written(tmp_path, as_xml([deep, of_jmeter(1000, 200, "Bye")])), responses=True)
    assert [sorted(times) for times in frame["responses_s"]] == [[0.3, 0.4], [0.2]]
    assert "2 transactions left out" in notes(frame)


def test_a_label_that_ends_in_a_number_is_no_sub_sample(tmp_path):
    """What is a part is within its request: nothing is guessed of names, with or without threads."""
    samples = [of_jmeter(0, 500, "Page"), of_jmeter(100, 200, "Page-0"), of_jmeter(1300, 100, "Page")]
    for text in (as_xml(samples), as_xml(samples).replace(' tn="Buyers 1-1"', "")):
        frame = readers.read(written(tmp_path, text), responses=True)
        assert [len(times) for times in frame["responses_s"]] == [2, 1]
        assert "sub-samples" not in notes(frame)


def test_every_sample_twice_counts_once(tmp_path):
    """As two listeners with one file name write them."""
    twice = [sample for sample in SHOP for _ in range(2)]
    once, both = (readers.read(written(tmp_path, as_xml(each)), responses=True) for each in (SHOP, twice))
    check_same_rows(both, once)
    assert "15 of 30 samples left out: each is there 2 times" in notes(both)


@pytest.mark.parametrize("form", [as_csv, as_xml])
def test_requests_that_are_logged_with_their_transaction_set_no_clock_back(tmp_path, form):
    """The requests of 20 s are logged after those of others that ended meanwhile. A clock that is set back is told."""
    long = transaction(5000, 15_000, "Buy", of_jmeter(5000, 300, "Cart"), of_jmeter(19_000, 1000, "Pay"))
    others = [of_jmeter(15_000, 300, "Home", thread="Buyers 1-2"), long]
    frame = readers.read(written(tmp_path, form(others)), responses=True)
    assert sum(map(len, frame["responses_s"])) == 3
    assert "clock" not in notes(frame)
    for again in (transaction(3000, 800, "Buy", of_jmeter(3000, 500, "Cart")), of_jmeter(3000, 800, "Home")):
        back = readers.read(written(tmp_path, form([*others, again])))
        assert "the clock goes back by 16 s" in notes(back)


@pytest.mark.parametrize(
    "before",
    ["\ufeff", '<?xml version="1.0"?>\n<?xml-stylesheet type="text/xsl" href="report.xsl"?>\n', "<!-- > --> <!-- -->"],
)
def test_what_may_stand_before_the_results(tmp_path, before):
    text = as_xml(SHOP)
    check_same_rows(
        readers.read(written(tmp_path, before + text[text.index("<testResults") :], "a.jtl")),
        readers.read(written(tmp_path, text, "b.jtl")),
    )


@pytest.mark.parametrize(
    ("upto", "count"),
    [(END, 8), ('<httpSample it="0" ts="1700000003100"', 7), ('"Home" rm="OK" tn="Buyers 1-1" by="1100"', 7)],
)
def test_a_file_that_is_cut_off_is_read_as_far_as_it_goes(tmp_path, upto, count):
    """Before its end, as JMeter leaves it when it is killed; before a sample, and within its tag."""
    text = as_xml(SHOP)
    frame = readers.read(path := written(tmp_path, text[: text.rindex(upto)]), responses=True)
    assert sum(map(len, frame["responses_s"])) + frame["failures"].sum() == count
    line = len(path.read_text(encoding="utf-8").split("\n"))
    told = "no end of testResults, so the file may be cut off here; the samples before it are read"
    assert f"line {line}: {told}" in frame.attrs["notes"]


def test_a_packed_file_that_breaks_off(tmp_path):
    samples = [of_jmeter(7 * k, 100 + k % 50, f"Page {k * k % 991}") for k in range(4000)]
    packed = gzip.compress(as_xml(samples).encode())
    (tmp_path / "a.jtl.gz").write_bytes(packed[: len(packed) // 2])
    frame = readers.read(tmp_path / "a.jtl.gz", responses=True)
    assert 500 < sum(map(len, frame["responses_s"])) < 3000
    assert "the file cannot be read to its end" in notes(frame)
    assert "the file may be cut off here" in notes(frame)


def test_what_is_no_xml_ends_the_file(tmp_path):
    """JMeter writes a zero byte of a page as `&#x0;`, which is none of XML; the samples before it are read."""
    text = as_xml(SHOP)
    at = text.index("<java.net.URL>", text.index('lb="Find"'))
    frame = readers.read(written(tmp_path, text[:at] + "<m>&#x0;</m>" + text[at:]))
    line = text.count("\n", 0, at) + 1
    told = "no XML from here on (reference to invalid character number); the samples before it are read"
    assert f"line {line}: {told}" in frame.attrs["notes"]
    assert frame["failures"].tolist() == [0, 1]


DECLARED = [
    '<!DOCTYPE testResults [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>',
    '<!DOCTYPE testResults [<!ENTITY file SYSTEM "secret.txt">]>',
    '<!DOCTYPE testResults SYSTEM "results.dtd">',
]


@pytest.mark.parametrize("declared", DECLARED)
def test_a_document_type_is_refused(tmp_path, declared):
    """No entity is expanded, and nothing else loaded, whatever follows."""
    (tmp_path / "secret.txt").write_text("17")
    text = as_xml(SHOP).replace("<testResults", f"{declared}\n<testResults")
    with pytest.raises(BadTable, match=r"line 2: expected results of JMeter, found a document type \(<!DOCTYPE\)"):
        readers.read(written(tmp_path, text.replace('lb="Find"', 'lb="&file;&b;"')))


@pytest.mark.parametrize(
    ("text", "reader", "says"),
    [
        (BEGIN + '<httpSample t="5" s="true" lb="a"/>' + END, None,
         "line 4: expected a sample with ts, t and s, found none of ts. Have JMeter save time, elapsed"),
        (BEGIN.replace("UTF-8", "UTF-88"), None, "line 1: expected XML in UTF-8, found unknown encoding: UTF-88. Save"),
        (BEGIN.replace("UTF-8", "GB2312"), None, "line 1: expected XML in UTF-8, found multi-byte encodings are not"),
        (BEGIN + END, None, "expected rows as jmeter reads them"),
        (BEGIN + '<sample ts="soon" t="5" s="true"/>' + END, None, "expected rows as jmeter reads them"),
        (BEGIN + "<a>" * 100_000, None, "line 4: expected at most 100 elements within each other, found more"),
        ('<?xml version="1.0"?>\n<a><testResults/></a>\n', "jmeter",
         "line 2: expected results of JMeter: testResults, found XML of a"),
        ('<?xml version="1.0"?>\n<a><testResults/></a>\n', None, "found XML"),
        ("<!DOCTYPE html>\n<html><testResults></html>\n", None, "found an HTML page"),
    ],
)  # fmt: skip
def test_what_are_no_results_of_jmeter(tmp_path, text, reader, says):
    with pytest.raises(BadTable) as caught:
        readers.read(written(tmp_path, text), reader)
    assert says in str(caught.value)


def test_a_tag_that_fills_the_memory_is_refused(tmp_path, monkeypatch):
    """Long texts between tags are none of it, such as pages that JMeter was told to save."""
    monkeypatch.setattr(jmeter_xml, "_BLOCK", 5000)
    monkeypatch.setattr(per_second, "_PIECE", 100)
    page = f"<responseData>{'x' * 50_000}</responseData>\n  <java.net.URL>"
    frame = readers.read(written(tmp_path, as_xml(SHOP).replace("<java.net.URL>", page)))
    assert len(frame) == 4
    with pytest.raises(BadTable, match="line 4: expected tags of at most 5,000 bytes, found a longer one"):
        readers.read(written(tmp_path, as_xml([of_jmeter(0, 1, "x" * 50_000)])))


def test_names_cannot_be_mapped(tmp_path):
    """They are those of JMeter."""
    with pytest.raises(UnknownName, match="expected names of one's own, found a file of jmeter"):
        readers.read(written(tmp_path, as_xml(SHOP)), mapping={"t": "response_s[ms]"})
