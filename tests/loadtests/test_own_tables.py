"""Tables of one's own by hand: every value, note and refusal, in CSV and Parquet."""

import datetime
import re

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from made import about, read_whole, written

import dominoperf
from dominoperf import curve, loadtests, measured_runs, node_count, tables
from dominoperf.errors import BadTable, UnknownName
from dominoperf.loadtests import readers
from dominoperf.loadtests.readers import own_tables
from dominoperf.tables import headings

LEFT = "columns left out, as they are not mapped: "
BEGINS = "another run begins here, or rows are out of order"
GAP = "samples are missing, or the clock was set forward"
CASES = {
    "our names, with a time": (
        " users ,time,throughput_per_s,system,speed\n1,2026-11-21T20:00:00Z,10.5, a ,1\n\n2,2026-11-21T20:00:02Z,,,2\n"
        "3,,30,,3\n4,2026-11-21T20:00:06+00:00,-,c,4\n",
        {},
        [
            {"users": 1.0, "time": "2026-11-21T20:00:00Z", "time_s": 0.0, "throughput_per_s": 10.5, "system": "a",
             "line": 2},
            {"users": 2.0, "time": "2026-11-21T20:00:02Z", "time_s": 2.0, "line": 4},
            {"users": 3.0, "throughput_per_s": 30.0, "line": 5},
            {"users": 4.0, "time": "2026-11-21T20:00:06+00:00", "time_s": 6.0, "system": "c", "line": 6},
        ],
        [f"{LEFT}speed", f"line 6: 4 s after the sample before, where 2 s are usual: {GAP}"],
    ),
    "clock times without a date, past midnight": (
        "time,users,throughput_per_s\n23:59:59,1,10\n0:00:00,1,11\n0:00:01.5,1,12\n", {},
        [{"users": 1.0, "throughput_per_s": rate, "time_s": at, "line": line}
         for line, rate, at in ((2, 10.0, 0.0), (3, 11.0, 1.0), (4, 12.0, 2.5))],
        ["times without a date: back by half a day or more is past midnight"],
    ),
    "seconds of its own, that go back": (
        "users;time_s;response_s\n1;5;0,5\n1;6;0,6\n1;;0,7\n1;5,5;0,8\n1;6,5;0,9\n1;7,5;1,0\n1;9,5;1,1\n",
        {},
        [{"users": 1.0, "response_s": response, "line": line} | ({} if at is None else {"time_s": at})
         for line, at, response in ((2, 5.0, 0.5), (3, 6.0, 0.6), (4, None, 0.7), (5, 5.5, 0.8), (6, 6.5, 0.9),
                                    (7, 7.5, 1.0), (8, 9.5, 1.1))],
        [f"line 5: time_s goes back by 0.5 s: {BEGINS}",
         f"line 8: 2 s after the sample before, where 1 s are usual: {GAP}"],
    ),
    "mapped, with units": (
        "n\ttook (ms)\trate\tload %\tline\ttime_ms\n4\t250\t120\t50\t9\t500\n8\t500\t240\t75\t9\t1500\n",
        {"n": "users", "took": "response_s", "rate": "throughput_per_s[1/min]", "load %": "cpu_utilization"},
        [{"users": 4.0, "response_s": 0.25, "throughput_per_s": 2.0, "cpu_utilization": 0.5, "time_s": 0.5, "line": 2},
         {"users": 8.0, "response_s": 0.5, "throughput_per_s": 4.0, "cpu_utilization": 0.75, "time_s": 1.5, "line": 3}],
        [],
    ),
    "thousands": (
        'users;throughput_per_s\n"1.000";"1.234,5"\n2;5\n', {},
        [{"users": 1000.0, "throughput_per_s": 1234.5, "line": 2}, {"users": 2.0, "throughput_per_s": 5.0, "line": 3}],
        [],
    ),
    "a cell of two lines, and a quote that is cut off": (
        'users,system\n1,"a\nb"\n2,c\n3,"d', {},
        [{"users": 1.0, "system": "a\nb", "line": 2}, {"users": 2.0, "system": "c", "line": 4}],
        ["line 5: no line end, so the file may be cut off here; its last cell may lack characters",
         "line 5: not a whole row: a quote is not closed; the line is left out"],
    ),
    "a row that is cut off": (
        "users,response_s,failures\n1,0.5,0\n2,0.5", {}, [{"users": 1.0, "response_s": 0.5, "failures": 0.0,
                                                           "line": 2}],
        ["line 3: no line end, so the file may be cut off here; its last cell may lack characters",
         "line 3: not a whole row: 2 of 3 cells; the line is left out"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_table_by_hand(tmp_path, name):
    text, mapped, rows, told = CASES[name]
    path = written(tmp_path, text, "own.csv")
    assert readers.recognise(path, mapping=mapped) == "csv"
    found, found_notes = read_whole(path, mapping=mapped)
    assert about(rows) == found
    assert found_notes == told


def test_the_columns_of_a_table(tmp_path):
    """In the order of the file; seconds behind them where there is a time; the line at the end."""
    text = "throughput_per_s,time,users\n1,2026-11-21T20:00:00Z,2\n"
    assert [*readers.read(written(tmp_path, text, "a.csv"))] == ["throughput_per_s", "time", "users", "time_s", "line"]
    text = "time_s,time,users\n7,2026-11-21T20:00:00Z,2\n"
    frame = readers.read(written(tmp_path, text, "b.csv"))
    assert [*frame] == ["time_s", "time", "users", "line"]
    assert frame["time_s"].tolist() == [7]
    assert (readers.READERS["csv"].columns, readers.READERS["parquet"].columns) == ((), ())


def test_a_parquet_table_by_hand(tmp_path):
    """Numbers, texts, moments and missing cells; the line is the row."""
    path = tmp_path / "own.parquet"
    moment = datetime.datetime(2026, 11, 21, 20, tzinfo=datetime.UTC)
    frame = pd.DataFrame({"n": [4, 8, None], "took (ms)": [250.0, None, 750.0], "system": ["a", None, "c"]})
    frame.assign(time=[moment, None, moment + datetime.timedelta(seconds=5)], more=[1, 2, 3]).to_parquet(path)
    found, told = read_whole(path, mapping={"n": "users", "took": "response_s"})
    assert about([
        {"users": 4.0, "response_s": 0.25, "system": "a", "time": "2026-11-21T20:00:00+00:00", "time_s": 0.0,
         "line": 1},
        {"users": 8.0, "line": 2},
        {"response_s": 0.75, "system": "c", "time": "2026-11-21T20:00:05+00:00", "time_s": 5.0, "line": 3},
    ]) == found  # fmt: skip
    assert told == [f"{LEFT}more"]
    pd.DataFrame({"users": [1, 2], "system": [5, 6]}).to_parquet(path)
    assert readers.read(path)["system"].tolist() == ["5", "6"]
    pd.DataFrame({"users": ["1", "many"]}).to_parquet(path)
    with pytest.raises(BadTable) as caught:
        readers.read(path)
    assert str(caught.value) == (
        f"{path}, row 2: expected a number in column 'users', found 'many'. Write the column as numbers."
    )
    path.write_bytes(path.read_bytes()[:-8])
    with pytest.raises(BadTable) as caught:
        readers.read(path)
    assert caught.value.expected == "a whole Parquet file"
    assert caught.value.remedy == "Write it again."
    assert not caught.value.found.endswith(".")


MEND = "Mend the cell; leave it empty where nothing was measured."


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("users,throughput_per_s\n1,10\n-2,20\n",
         f", line 3: expected a number from 0 in column 'users', found -2. {MEND}"),
        ("users,throughput_per_s\n1,10\n2\n",
         ", line 3: expected 2 cells, found 1. Give every row as many cells as the header; quote a cell that holds the "
         "separator."),
        ("users,time\n1,noon\n",
         ", line 2: expected an ISO 8601 time, found 'noon'. Write times as 2026-11-21T20:26:50, or have the column "
         "read as a comment: mapping={'time': 'comment'}."),
        ("users,time\n1,0\n2,1\n",
         ", line 2: expected an ISO 8601 time, found '0'. If its numbers are seconds since the beginning: mapping={"
         "'time': 'time_s[s]'}; [ms] if milliseconds."),
        ('users,system\n1,"a\n2,b\n', ", line 2: expected a quote that is closed, found "),
    ],
)  # fmt: skip
def test_what_is_no_table(tmp_path, text, said):
    path = written(tmp_path, text, "own.csv")
    with pytest.raises(BadTable) as caught:
        readers.read(path, "csv")
    assert str(caught.value).startswith(f"{path}{said}")


def test_what_is_recognised_as_a_table(tmp_path):
    """A column that a test measures, or one that is mapped, with or without its unit; else its columns are named."""
    for text in ("a;b\n1;2\n", "time_s,line\n1,2\n", "threads,test_time_s,from_s,to_s\n1,2,3,4\n"):
        with pytest.raises(UnknownName):
            readers.recognise(written(tmp_path, text, "own.csv"))
    for text in ("a (s);b\n1;2\n", "a\tb\n1\t2\n", '"a",b\n1,2\n'):
        assert readers.recognise(written(tmp_path, text, "own.csv"), mapping={"a": "response_s[s]"}) == "csv"
    for name in ("load", "throughput", "failures", "run_queue", "response_s", "throughput_tps", "ram_free_mib"):
        assert readers.recognise(written(tmp_path, f"{name},b\n1,2\n", "own.csv")) == "csv"


def test_a_steady_window_takes_every_column_by_its_heading_and_in_its_unit(tmp_path):
    """Times in ms, and a response in ms beside its name; what is named is taken as it is."""
    rows = "".join(f"{1000 * k},{100 + k % 3},20\n" for k in range(60))
    path = written(tmp_path, f"time_ms,TPS,Latency (ms)\n{rows}", "own.csv")
    means = loadtests.steady_runs(path).means().set_index("metric")
    assert means.loc["response_s", "mean"] == pytest.approx(0.02, rel=1e-12)
    assert loadtests.steady_runs(path).glance()["to_s"].tolist() == [59.0]
    named = loadtests.steady_runs(path, on="TPS", time="time_ms")
    assert "TPS is steady" in named.headline()
    assert named.glance()["to_s"].tolist() == [59.0]
    assert loadtests.roll_up(path, columns=["Latency (ms)"])["mean"].tolist() == [20.0]


def test_a_smaller_unit_in_a_name(tmp_path):
    """time_ms is time_s, and response_us response_s, unless that is there or the column is mapped."""
    columns, others = headings.columns_of_headings(["time_ms", "response_us", "response_p95_ns", "x_ms"], {}, "f")
    assert [(each.source, each.name, each.factor) for each in columns] == [
        ("time_ms", "time_s", pytest.approx(1e-3)), ("response_us", "response_s", pytest.approx(1e-6)),
        ("response_p95_ns", "response_p95_s", pytest.approx(1e-9)),
    ]  # fmt: skip
    assert others == ["x_ms"]
    columns, others = headings.columns_of_headings(["time_ms", "time_s", "users"], {}, "f")
    assert ([each.name for each in columns], others) == (["time_s", "users"], ["time_ms"])
    columns, others = headings.columns_of_headings(["time_ms", "system"], {"time_ms": "response_s[ms]"}, "f")
    assert [(each.name, each.factor) for each in columns] == [("response_s", pytest.approx(1e-3)), ("system", None)]
    mapped = {"a": "line", "b": "system", "c": "time_s[ms]"}
    assert [own_tables.has_measure([name], mapped) for name in ("line", "system", "time_s", "users", "from_s")] == [
        True, False, True, True, False]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("threads,tps\n2,190\n", {"threads": 2, "throughput_tps": 190}),
        ("Concurrency,RPS,latency [ms],p95 (s),size\n2,190,10.5,0.02,7\n",
         {"users": 2, "requests_per_s": 190, "response_s": 0.0105, "response_p95_s": 0.02}),
        ("VUs,Transactions per second,p(95) (ms)\n2,190,20\n",
         {"users": 2, "throughput_tps": 190, "response_p95_s": 0.02}),
        ("Users;Throughput (req/s);Resp. time, msec\n2;190;10,5\n",
         {"users": 2, "throughput_per_s": 190, "response_s": 0.0105}),
        ("Concurrency Level,Requests/sec,RT (ms),95% (ms),99%ile (ms)\n2,190,10.5,20,30\n",
         {"users": 2, "requests_per_s": 190, "response_s": 0.0105, "response_p95_s": 0.02, "response_p99_s": 0.03}),
        ("users,latency (ms),mean latency (s)\n2,10,0.01\n", {"users": 2}),  # which of the two?
        ("threads,events per second,avg (ms)\n2,190,10\n",
         {"threads": 2, "throughput_per_s": 190, "response_s": 0.01}),
        ("users,orders/s,rps\n2,7,190\n", {"users": 2, "requests_per_s": 190}),
        ("users,clients\n2,3\n", {"users": 2}),  # our own name before a word for it
        ("users,elapsed (ms),users (thousand)\n2,10,3\n", {"users": 2}),  # a response, or since the start
    ],
)  # fmt: skip
def test_headings_that_need_no_mapping(tmp_path, text, columns):
    """What a heading surely means is read, by its words and its unit; what is left over is told."""
    frame = readers.read(written(tmp_path, text, "own.csv"))
    assert frame.drop(columns="line").iloc[0].to_dict() == pytest.approx(columns)
    if len(columns) > 1:
        found = loadtests.curve(tmp_path / "own.csv")
        assert found[["load", "throughput_per_s"]].to_numpy().tolist() == [[2, 190]]


@pytest.mark.parametrize(
    ("heading", "column"),
    [
        ("TPS (k)", None),
        ("TPS [1/min]", None),
        ("RPS [1/s]", ("requests_per_s", 1)),
        ("TPS (1/s)", ("throughput_tps", 1)),
        ("Network (Mb/s)", ("network_bytes_per_s", 125_000)),
        ("Network (kB/s)", ("network_bytes_per_s", 1000)),
    ],
)
def test_a_unit_is_never_passed_over(heading, column):
    """A name and a bracket that disagree are not sure; a B is a byte, a b behind a capital a bit."""
    chosen, _ = headings.columns_of_headings([heading])
    assert [(each.name, each.factor) for each in chosen] == ([column] if column else [])


@pytest.mark.parametrize("name", ["TOTAL", "Average", "** Grand Total **"])
@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_a_total_is_no_load(tmp_path, name, form):
    """Whether the column of its name is one of ours or not; a table of totals alone, and one with times, are read."""
    rows = {"run": ["a", "b", name], "users": [10, 20, 30], "throughput_per_s": [98.0, 190.0, 288.0]}
    paths = {}
    for what, frame in (
        ("with a total", pd.DataFrame(rows)),
        ("totals alone", pd.DataFrame(rows | {"run": name})),
        ("with times", pd.DataFrame(rows | {"time_s": [0, 1, 2]})),
        ("with a clock", pd.DataFrame(rows | {"Timestamp": [0, 1, 2]})),
    ):
        paths[what] = tmp_path / f"{what}.{form}"
        frame.to_csv(paths[what], index=False) if form == "csv" else frame.to_parquet(paths[what])
    place = "line 4" if form == "csv" else "row 3"
    for read in (readers.read, loadtests.curve, lambda path: loadtests.ab(path, path)):
        with pytest.raises(BadTable) as error:
            read(paths["with a total"])
        assert error.value.where.endswith(f", {place}")
        assert error.value.found == f"{name!r} in column run, the name of a row that sums up others"
    assert len(loadtests.curve(paths["totals alone"])) == 3
    assert len(readers.read(paths["with times"])) == 3
    assert len(readers.read(paths["with a clock"])) == 3


def test_a_total_above_its_rows_is_named_by_its_own_line(tmp_path):
    """The first row may be the total."""
    path = written(tmp_path, "run,users,throughput_per_s\nTotal,30,288\na,10,98\nb,20,190\n", "own.csv")
    with pytest.raises(BadTable) as error:
        readers.read(path)
    assert error.value.where.endswith(", line 2")


def test_a_heading_that_comes_twice_is_refused(tmp_path):
    """Nobody can say which is meant; in the same words by all that read a table, in CSV and Parquet."""
    heads, places = ["users", "throughput_per_s", "users", "users"], "'users' 3 times, in columns 1, 3 and 4"
    text, parquet = written(tmp_path, f"{','.join(heads)}\n{','.join('4' * len(heads))}\n", "t.csv"), tmp_path / "t"
    pq.write_table(pa.Table.from_arrays([pa.array([1.0, 2.0])] * len(heads), names=heads), parquet)
    for path in (text, parquet):
        for read in (loadtests.curve, readers.read, dominoperf.node_count, lambda path: dominoperf.fit("usl", path)):
            with pytest.raises(BadTable, match=f"expected every column once, found {places}. Give every column a name"):
                read(path)


def test_times_of_a_clock_under_headings_of_other_tools(tmp_path):
    """Epoch numbers, ISO 8601, and dates that can be read in one way: seconds from the first. Others are refused."""
    for heading, cells in {
        "Time": ("1700000000000", "1700000015000"), "timestamp": ("1700000000", "1700000015"),
        "Zeit": ("2023-11-14 22:13:20", "2023-11-14 22:13:35"),
        "Datum": ("14.11.2023 22:13:20", "14.11.2023 22:13:35"),
        "date": ("11/14/2023 10:13:20 PM", "11/14/2023 10:13:35 PM"),
        "timestamp ": ("14 Nov 2023 22:13:20", "14 Nov 2023 22:13:35"),
    }.items():  # fmt: skip
        frame = readers.read(written(tmp_path, f"{heading},rps\n{cells[0]},100\n{cells[1]},110\n", "own.csv"))
        assert frame["time_s"].tolist() == [0, 15], heading
        assert frame["time"][0].replace(" ", "T").startswith("2023-11-14T22:13:20")
        assert not frame.attrs["notes"]
    for cell in ("14.13.2023 22:13:20", "14/14/2023 10:13:20 PM", "10:13:20 PM"):
        path = written(tmp_path, f"Time,rps\n{cell},100\n{cell},110\n", "own.csv")
        with pytest.raises(BadTable, match=r"line 2: expected an ISO 8601 time, found .*\. Write times as 2026-11"):
            readers.read(path)
        assert "time_s" not in readers.read(path, mapping={"Time": "comment"})  # as the message proposes
    whole_runs = written(tmp_path, "users,Time,rps\n1,2023-11-14 10:00,10\n2,2023-11-14 10:30,20\n", "own.csv")
    assert "time_s" not in readers.read(whole_runs)  # when a run was made is no time of a sample
    seconds = written(tmp_path, "users,Time,rps\n1,0,10\n1,1,20\n", "own.csv")
    assert "time_s" not in readers.read(seconds)  # it may be a response


def test_dates_with_slashes_are_read_in_the_order_that_the_column_tells(tmp_path):
    """A number above 12 in any row, else AM or PM, with a note; else refused with both readings, in CSV and Parquet."""
    for cells, times, noted in (
        (("2/3/2026 14:00", "2/3/2026 14:05", "13/3/2026 14:00"), ("2026-03-02", 0, 300, 11 * 86400), False),
        (("2/3/2026 14:00", "2/3/2026 14:05", "2/14/2026 14:00"), ("2026-02-03", 0, 300, 11 * 86400), False),
        (("2/3/2026 2:00 PM", "2/3/2026 2:05 pm", "2/3/2026 2:10 PM"), ("2026-02-03", 0, 300, 600), True),
    ):
        frame = pd.DataFrame({"time": cells, "rps": (100.0, 110.0, 120.0)})
        frame.to_csv(tmp_path / "own.csv", index=False)
        frame.to_parquet(tmp_path / "own.parquet")
        for name in ("own.csv", "own.parquet"):
            found = readers.read(tmp_path / name)
            assert found["time"][0] == f"{times[0]}T14:00:00"
            assert found["time_s"].tolist() == [*times[1:]]
            assert any("month first, as AM and PM" in note for note in found.attrs["notes"]) == noted
        steady = loadtests.steady_state(tmp_path / "own.csv")
        assert steady.tidy()["to_s"].max() == times[-1]
    path = written(tmp_path, "time,rps\n3/1/2026 14:00,100\n3/1/2026 14:05,110\n", "own.csv")
    both = "'3/1/2026 14:00', which may be 2026-01-03 or 2026-03-01. Write times as 2026-11-21T20:26:50"
    for read in (readers.read, loadtests.steady_state):
        with pytest.raises(BadTable, match=re.escape(f"expected dates that can be read in one way, found {both}")):
            read(path)


@pytest.mark.parametrize(("first", "sign"), [("sep=;", ";"), ('"sep=,"', ","), ("sep=\t", "\t"), ("sep=|", "|")])
@pytest.mark.parametrize("bom", ["", "\ufeff"])
def test_the_first_line_that_excel_reads_is_no_row(tmp_path, first, sign, bom):
    """It names what is between the cells; lines are counted with it. Below it an unknown heading is told as ever."""
    path = tmp_path / "own.csv"
    path.write_text(f"{bom}{first}\n" + "users;tps;note\n1;100;\n2;190;\n".replace(";", sign), encoding="utf-8")
    for frame in (readers.read(path), tables.read_table(path)):
        assert frame.iloc[:, :2].to_numpy().tolist() == [[1, 100], [2, 190]]
    assert readers.read(path)["line"].tolist() == [3, 4]
    path.write_text(f"{bom}{first}\n" + "Nutzer;Durchsatz\n1;100\n2;190\n".replace(";", sign), encoding="utf-8")
    with pytest.raises((UnknownName, BadTable), match="found the columns Nutzer, Durchsatz"):
        readers.read(path, "csv")


@pytest.mark.parametrize(
    ("heading", "cell"),
    [
        ("error_rate", 0.2), ("Fail Ratio", 0.2), ("http_req_failed", 0.2), ("Fehlerquote (%)", 20), ("% errors", 20),
        ("failed_pct", 20), ("KO %", 20), ("errors/s", 50), ("errors/min", 3000),
    ],
)  # fmt: skip
def test_failed_requests_by_what_tools_call_them(tmp_path, heading, cell):
    """A load of which a fifth failed is no point of the curve, nor what a node carries."""
    text = f"users,rps,response_ms,{heading}\n1,50,10,0\n2,100,10,0\n4,200,10,{cell}\n"
    path = written(tmp_path, text, "own.csv")
    found = measured_runs(path)
    assert found["failed_share"].tolist() == pytest.approx([0, 0, 0.2])
    assert found["reason"].tolist()[2] == "left out: 20 % of the requests at load 4 failed, more than 1 %"
    assert curve(path)["load"].tolist() == [1, 2]
    assert node_count(path, 100, response_s=0.05).tidy()["node_rate_per_s"].tolist() == [100]


@pytest.mark.parametrize(
    ("heading", "whole"),
    [("success_rate", 1), ("Success %", 100), ("OK (%)", 100), ("Erfolgsquote (%)", 100), ("% passed", 100)],
)
def test_what_is_not_answered_has_failed(tmp_path, heading, whole):
    """A share of answered requests is one less that of the failed ones, in a file of text, a frame and Parquet."""
    frame = pd.DataFrame({"users": [1, 2, 4], "rps": [50, 100, 200], heading: [whole, whole, 0.8 * whole]})
    path, packed = tmp_path / "own.csv", tmp_path / "own.parquet"
    frame.to_csv(path, index=False)
    frame.to_parquet(packed)
    for each in (path, packed):
        assert measured_runs(each)["failed_share"].tolist() == pytest.approx([0, 0, 0.2])
        assert curve(each)["load"].tolist() == [1, 2]
    assert node_count(frame, 100, utilization=1).tidy()["node_rate_per_s"].tolist() == [100]
    assert "20 % of the requests at load 4 failed" in dominoperf.fit("usl", frame, y="rps", x="users").headline()
    both = frame.assign(error_rate=[0, 0, 0.2])
    both.to_csv(path, index=False)
    assert measured_runs(path)["failed_share"].tolist() == pytest.approx([0, 0, 0.2])


def test_a_rate_of_failures_that_is_no_share_is_asked_for(tmp_path):
    """Of numbers above one a share cannot be; a single error may be that of a measurement."""
    path = written(tmp_path, "users,rps,error_rate\n1,50,0\n2,100,20\n", "own.csv")
    with pytest.raises(BadTable, match=r"percent: mapping=\{'error_rate': 'failed_share\[percent\]'\}"):
        readers.read(path)
    path = written(tmp_path, "users,rps,success_rate\n1,50,100\n2,100,80\n", "own.csv")
    with pytest.raises(
        BadTable, match=r"'success_rate', found 10000 %. If its numbers are percent, .*'success_rate %'"
    ):
        readers.read(path)
    assert "failures" not in readers.read(written(tmp_path, "users,rps,error\n1,50,2\n", "own.csv"))


@pytest.mark.parametrize(("more", "rates"), [("failures", [9, 18]), ("failed_share", [5, 16]), ("note", [10, 20])])
def test_requests_and_how_long_they_took_are_a_throughput(tmp_path, more, rates):
    """Those that failed are none of it; without the seconds the message proposes the column that may have them."""
    cells = {"failures": (60, 120), "failed_share": (0.5, 0.2), "note": ("a", "b")}[more]
    text = f"users,requests,duration_s,{more}\n1,600,60,{cells[0]}\n2,1200,60,{cells[1]}\n3,9,0,0\n"
    path = written(tmp_path, text, "own.csv")
    with pytest.raises(
        BadTable, match=r"its requests are a throughput: mapping=\{'duration_s': 'test_time_s\[s\]'\}\. Or"
    ):
        loadtests.curve(path)
    frame = readers.read(path, mapping={"duration_s": "test_time_s[s]"})
    assert frame["throughput_per_s"].tolist()[:2] == rates
    assert frame["throughput_per_s"].isna().tolist() == [False, False, True]
    assert "the throughput is requests - failures, divided by test_time_s" in frame.attrs["notes"]
    told = written(tmp_path, "users,requests,test_time_s,tps\n1,600,60,7\n", "told.csv")
    assert "throughput_per_s" not in readers.read(told)  # it has its own


def test_thousands_per_second_are_read_or_proposed(tmp_path):
    """A hint never has 1/s where the heading names thousands; a unit of a mapping may be written so, too."""
    for heading in ("Throughput (k req/s)", "throughput [k/s]", "Throughput (1000/s)", "throughput kops/s"):
        frame = readers.read(written(tmp_path, f"users,{heading}\n1,1.5\n", "own.csv"))
        assert frame["throughput_per_s"].tolist() == [1500], heading
    path = written(tmp_path, "users,Tput (k/s)\n1,1.5\n", "own.csv")
    with pytest.raises(
        BadTable, match=r"Say which .*: mapping=\{'Tput \(k/s\)': 'throughput_per_s\[krps\]'\}\. To fit"
    ):
        loadtests.curve(path)
    for unit in ("k/s", "1000/s", "krps", "1/ms"):
        frame = readers.read(path, mapping={"Tput (k/s)": f"throughput_per_s[{unit}]"})
        assert frame["throughput_per_s"].tolist() == [1500], unit
    assert "krps" in headings.likely_mapping(["k/s"])


def test_requests_per_time_in_german_and_french():
    for heading, unit in {"Anfragen/s": "1/s", "Transaktionen/min": "1/minute", "requêtes/s": "1/s"}.items():
        assert headings.column_of_heading(heading) == ("throughput_per_s", unit)
    whole = "Durchsatz (Anfragen/s)"
    assert headings.factor_of_column("Anfragen/s", "throughput_per_s", whole, "own.csv") == 1
    assert f"'{whole}': 'throughput_per_s[1/s]'" in headings.likely_mapping([whole])


def test_a_suggested_mapping_is_of_columns_that_can_be_it(tmp_path):
    """Times of day as time, nothing for texts, shares beside percent; what no response can be is refused."""
    path = written(tmp_path, "Time,label,http_rps,latency_p95\n1700000000000,GET,100.5,0.0452\n", "own.csv")
    proposed = r"'http_rps': 'throughput_per_s\[1/s\]', 'latency_p95': 'response_p95_s\[ms\]'\}"
    with pytest.raises(BadTable, match=proposed):
        readers.read(path, "csv")
    with pytest.raises(BadTable, match=r"found 1,700,000,000 s, which are .*mapping=\{'Time': 'time'\}"):
        readers.read(path, mapping={"Time": "response_s[ms]"})
    texts = written(tmp_path, "Full label,x\nStart,now\n", "own.csv")
    with pytest.raises(BadTable, match=r"mapping=\{'COLUMN': 'response_s\[ms\]'\}"):
        readers.read(texts, "csv")
    busy = written(tmp_path, "node_cpu\n0.25\n", "own.csv")
    with pytest.raises(BadTable, match=r"or mapping=\{'node_cpu': 'cpu_user_percent\[share\]'\} for shares"):
        readers.read(busy, mapping={"node_cpu": "cpu_user_percent"})
    assert readers.read(busy, mapping={"node_cpu": "cpu_user_percent[share]"})["cpu_user_percent"].tolist() == [25]


def test_units_beside_numbers_are_refused(tmp_path):
    """12 ms is no 12: what to do is told."""
    path = written(tmp_path, "users,throughput_per_s,response_s\n1,100,12 ms\n", "a.csv")
    with pytest.raises(BadTable, match=r"line 2: expected a number in column 'response_s', found '12 ms'\. Write numb"):
        readers.read(path)


@pytest.mark.parametrize(
    ("heading", "settings", "loads", "unit"),
    [
        ("target_rate", {"x": "target_rate"}, [100, 200], "requests per second"),
        ("offered", {"mapping": {"offered": "load[1/s]"}}, [100, 200], "requests per second"),
        ("offered (1/min)", {"x": "offered (1/min)"}, [100 / 60, 200 / 60], "requests per second"),
        ("goal", {"x": "goal", "mapping": {"goal": "load[tps]"}}, [100, 200], "requests per second"),
        ("QPS goal", {"x": "QPS goal"}, [100, 200], "requests per second"),
        ("people at work", {"x": "people at work"}, [100, 200], "users"),
    ],
)
def test_a_load_that_is_an_offered_rate(tmp_path, heading, settings, loads, unit):
    """By its heading, which needs no mapping, or its unit; a plan of the table calls it so, too."""
    path = written(tmp_path, f"{heading},rps,p95_ms\n100,100,30\n200,200,40\n", "own.csv")
    found = loadtests.curve(path, **settings)
    assert found["load"].tolist() == pytest.approx(loads)
    assert {*found["load_unit"]} == {unit}
    mapping = settings.get("mapping", {heading: "load"})
    plan = dominoperf.node_count(path, rate_per_s=1000, response_p95_s=0.035, mapping=mapping)
    assert f"loads, at {sum(loads) / 2:.4g} {unit}." in plan.headline()


def test_a_heading_of_a_load_that_is_not_there(tmp_path):
    with pytest.raises(UnknownName, match=r"'goal'.*Its columns are target_rate, rps"):
        loadtests.curve(written(tmp_path, "target_rate,rps\n100,100\n", "own.csv"), x="goal")
