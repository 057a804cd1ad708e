"""pgbench by hand: its intervals, summaries, and the logs of its threads, with every value and every note."""

import gzip
import math

import numpy as np
import pytest
from made import about, read_whole, written

from dominoperf.errors import BadTable
from dominoperf.loadtests import readers

ONE = "read as the whole run: with -j 2 or more each thread writes a log of its own, to be given together"
ENDS = "the first and the last second are not whole, so their throughput is unknown"
INTERVAL = "progress: {0} s, {1} tps, lat {2} ms stddev {3}"
SUMMARY = (
    "transaction type: x\nnumber of clients: {0}\nnumber of threads: 2\nduration: 30 s\n"
    "number of transactions actually processed: 90\nnumber of failed transactions: 3 (1.0%)\n"
    "latency average = 5.500 ms\nlatency stddev = 1.500 ms\ninitial connection time = 3 ms\n{1}"
)
SUMMED = {
    "users": 4.0, "threads": 2.0, "test_time_s": 30.0, "transactions": 90.0, "failures": 3.0, "response_s": 0.0055,
    "response_sd_s": 0.0015,
}  # fmt: skip
CASES = {
    "three runs with progress": (
        f"{INTERVAL.format(1.0, 100.5, 5.5, 1.5)}, 2 failed\n{INTERVAL.format('2.0', '0.0', 'nan', '-nan')}\n"
        "progress: broken\nother\nnumber of clients: 4\n"
        f"{INTERVAL.format(1.0, 200.5, 6.5, 2.5)}, 0 failed, lag 1.0 ms\nnumber of clients: 8\n"
        f"{INTERVAL.format('1000000000.5', 50.5, 1.5, 1.25)}\n{INTERVAL.format('1000000004', 5, 1, 1)}\n",
        "pgbench",
        [
            {"time_s": 0.0, "users": 4.0, "throughput_tps": 100.5, "response_s": 0.0055, "response_sd_s": 0.0015,
             "failures": 2.0, "line": 1},
            {"time_s": 1.0, "users": 4.0, "throughput_tps": 0.0, "line": 2},
            {"time_s": 0.0, "users": 8.0, "throughput_tps": 200.5, "response_s": 0.0065, "response_sd_s": 0.0025,
             "failures": 0.0, "line": 6},
            {"time": "2001-09-09T01:46:40.500Z", "time_s": 0.0, "throughput_tps": 50.5, "response_s": 0.0015,
             "response_sd_s": 0.00125, "line": 8},
            {"time": "2001-09-09T01:46:44Z", "time_s": 3.5, "throughput_tps": 5.0, "response_s": 0.001,
             "response_sd_s": 0.001, "line": 9},
        ],
        ["line 3: not an interval as pgbench prints it; the line is left out"],
    ),
    "summaries": (
        SUMMARY.format(4, "tps = 120.5 (without initial connection time)\n") + SUMMARY.format(8, "")
        + SUMMARY.format(4, "tps = 130.5 (including connections x)\ntps = 140.5 (excluding connections x)\n"),
        "pgbench_summary",
        [SUMMED | {"throughput_tps": 120.5, "line": 1}, SUMMED | {"users": 8.0, "line": 11},
         SUMMED | {"throughput_tps": 140.5, "line": 20}],
        ["line 11: a run without its transactions per second: it had not ended"],
    ),
    "skipped as too late": (
        f"{INTERVAL.format(1.0, 100.5, 5.5, 1.5)}, 2 failed, lag 1.0 ms, 30 skipped, 4 retried, 5 retries\n"
        f"{INTERVAL.format(2.0, 100.5, 5.5, 1.5)}, lag 1.0 ms, 30 skipped\n",
        "pgbench",
        [{"time_s": time_s, "throughput_tps": 100.5, "response_s": 0.0055, "response_sd_s": 0.0015,
          "failures": failures, "line": line} for time_s, failures, line in ((0.0, 32.0, 1), (1.0, 30.0, 2))],
        [],
    ),
    "a summary of what was skipped": (
        SUMMARY.format(4, "tps = 120.5 (without initial connection time)\n").replace(
            "latency average", "number of transactions skipped: 30 (24.390%)\nlatency average"),
        "pgbench_summary",
        [SUMMED | {"failures": 33.0, "throughput_tps": 120.5, "line": 1}],
        [],
    ),
    "an aggregated log": (
        "1700000000 100 500000 2600000000 1 9000\n1700000010 0 0 0 0 0\n1700000012 50 100000 200000000 1 5000\nsome\n"
        "1700000022 8 800 90000 1 200\n",
        "pgbench_log",
        [
            {"time": "2023-11-14T22:13:20Z", "time_s": 0.0, "transactions": 100.0, "throughput_tps": 10.0,
             "response_s": 0.005, "response_sd_s": 0.001, "response_max_s": 0.009, "line": 1},
            {"time": "2023-11-14T22:13:30Z", "time_s": 10.0, "transactions": 0.0, "throughput_tps": 0.0, "line": 2},
            {"time": "2023-11-14T22:13:32Z", "time_s": 12.0, "transactions": 50.0, "throughput_tps": 5.0,
             "response_s": 0.002, "response_sd_s": 0.0, "response_max_s": 0.005, "line": 3},
            {"time": "2023-11-14T22:13:42Z", "time_s": 22.0, "transactions": 8.0, "response_s": 0.0001,
             "response_sd_s": math.sqrt(90000 / 8 - 100**2) / 1e6, "response_max_s": 0.0002, "line": 5},
        ],
        [ONE, "line 4: not six whole numbers or more; the line is left out",
         "line 3: 2 s after the sample before, where 10 s are usual: a short interval"],
    ),
    "an aggregated log of version 15": (
        f"1700000000 10 10000 10000000 1 9000 {'7 ' * 7}3 4\n1700000000 10 10000 10000000 1 9000 {'7 ' * 7}0 0\n",
        "pgbench_log",
        [{"time": "2023-11-14T22:13:20Z", "time_s": 0.0, "transactions": 10.0, "response_s": 0.001,
          "response_sd_s": 0.0, "response_max_s": 0.009, "failures": failures, "line": line}
         for line, failures in ((1, 14.0), (2, 7.0))],
        [ONE, "line 2: the time of the sample before"],
    ),
    "transactions": (
        "0 1 250000 0 1700000000 500000\n1 1 failed 0 1700000001 0\n0 2 500000 0 1700000001 999999\n"
        "1 2 serialization 0 1700000001 1\n0 3 deadlock 0 1700000001 1\n1 3 skipped 0 1700000001 1\n"
        "1 4 750000 0 1700000001 1 0 1\n0 4 9 0 1700000002 1000000\n0 4 9 0 100000000 5\nx 4 9 0 1700000002 -1\n"
        "0 5 100000 0 1700000002 0\n",
        "pgbench_transactions",
        [
            {"time": "2023-11-14T22:13:20Z", "time_s": 0.0, "users": 2.0, "failures": 0.0, "line": 1,
             "response_s": 0.25, "response_median_s": 0.25, "response_p95_s": 0.25, "response_p99_s": 0.25,
             "response_max_s": 0.25},
            {"time": "2023-11-14T22:13:21Z", "time_s": 1.0, "users": 2.0, "throughput_tps": 2.0, "failures": 4.0,
             "line": 2,
             "response_s": 0.625, "response_median_s": 0.625, "response_p95_s": 0.7375, "response_p99_s": 0.7475,
             "response_max_s": 0.75},
            {"time": "2023-11-14T22:13:22Z", "time_s": 2.0, "users": 2.0, "failures": 0.0, "line": 11,
             "response_s": 0.1,
             "response_median_s": 0.1, "response_p95_s": 0.1, "response_p99_s": 0.1, "response_max_s": 0.1},
        ],
        [ONE, "1 transactions were skipped, as they were too late",
         *(f"line {line}: not a request with its time and response; the line is left out" for line in (8, 9, 10)),
         ENDS],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_pgbench_by_hand(tmp_path, name):
    text, reader, rows, told = CASES[name]
    path = written(tmp_path, text)
    assert readers.recognise(path) == reader
    found, found_notes = read_whole(path)
    assert about(rows) == found
    assert found_notes == told


def logs_of(tmp_path, texts, name="log.4321"):
    """The logs of the threads of a run, by their numbers."""
    return [written(tmp_path, text, f"{name}{f'.{k}' if k else ''}") for k, text in enumerate(texts)]


def test_aggregated_logs_of_two_threads_by_hand(tmp_path):
    """Sums of what both have; intervals by their place, though they are printed a second apart; failures summed."""
    rest = "7 " * 7
    one = [f"17000000{s} 10 10000 12000000 1 {m} {rest}1 2" for s, m in ((10, 900), (20, 800), (30, 700), (40, 600))]
    two = [f"17000000{s} 30 90000 280000000 2 {m} {rest}3 4" for s, m in ((11, 850), (21, 850), (31, 850))]
    paths = logs_of(tmp_path, ["\n".join([*one, ""]), "\n".join([*two, "odd", ""])])
    found, told = read_whole(paths)
    deviation = math.sqrt(292000000 / 40 - (100000 / 40) ** 2) / 1e6
    both = {"transactions": 40.0, "response_s": 0.0025, "response_sd_s": deviation, "failures": 24.0}
    assert about([
        both | {"time": f"2023-11-14T22:13:{30 + 10 * k}Z", "time_s": 10.0 * k, "line": k + 1,
                "response_max_s": longest}
        | ({"throughput_tps": 4.0} if k < 2 else {})
        for k, longest in enumerate((0.0009, 0.00085, 0.00085))
    ]) == found  # fmt: skip
    assert told == [
        "left out, as not every thread has them: 1 of 4 intervals",
        f"{paths[1]}: line 4: not six whole numbers or more; the line is left out",
    ]


def test_transactions_of_two_threads_by_hand(tmp_path):
    """Clients of both; a second of the other thread alone has the line before; an odd line names its file."""
    texts = (
        "0 1 250000 0 1700000000 500000\n" * 2 + "0 2 250000 0 1700000001 500000\n0 2 250000 0 1700000003 500000\n",
        "1 1 750000 0 1700000001 600000\n2 2 750000 0 1700000002 0\nx\n1 3 skipped 0 1700000002 0\n",
    )
    paths = logs_of(tmp_path, texts)
    frame = readers.read(paths)
    assert frame["users"].tolist() == [3.0] * 4
    assert frame["throughput_tps"].fillna(-1).tolist() == [-1, 2, 1, -1]
    assert frame["failures"].tolist() == [0, 0, 1, 0]
    assert frame["response_s"].tolist() == [0.25, 0.5, 0.75, 0.25]
    assert frame["line"].tolist() == [1, 3, 3, 4]
    assert frame.attrs["notes"] == [
        ENDS,
        f"{paths[1]}: 1 transactions were skipped, as they were too late",
        f"{paths[1]}: line 3: not a request with its time and response; the line is left out",
    ]
    assert [note.kind for note in frame.attrs["notes"]] == ["ends", "skipped", "left out"]


LOG = "1700000000 10 10000 10000000 1 900\n1700000010 10 10000 10000000 1 900\n"


@pytest.mark.parametrize(
    ("there", "given", "needed", "missing"),
    [
        (("", ".1"), ("",), ("", ".1"), ".1"),
        (("", ".1"), (".1",), ("", ".1"), ""),
        (("", ".2"), ("", ".2"), ("", ".1", ".2"), ".1"),
        (("", ".1", ".2"), ("", ".1"), ("", ".1", ".2"), ".2"),
        ((".3",), (".3",), ("", ".1", ".2", ".3"), " .1 .2"),
    ],
)
@pytest.mark.parametrize("packed", ["", ".gz"])
def test_logs_that_are_missing_in_words(tmp_path, there, given, needed, missing, packed):
    """All that belong to the run, which of them are missing, and how all are given."""
    for end in there:
        (tmp_path / f"log.4321{end}{packed}").write_bytes(gzip.compress(LOG.encode()) if packed else LOG.encode())
    paths = [tmp_path / f"log.4321{end}{packed}" for end in given]
    with pytest.raises(BadTable) as caught:
        readers.read(paths if len(paths) > 1 else paths[0])
    lacking = ", ".join(f"log.4321{end}{packed}" for end in missing.split(" "))
    files = [str(tmp_path / f"log.4321{end}{packed}") for end in needed]
    assert (caught.value.expected, caught.value.found, caught.value.remedy) == (
        f"the logs of all {len(needed)} threads, which have a share of the transactions each",
        f"{len(given)} without {lacking}",
        f"Give them together: `read({files})`.",
    )


@pytest.mark.parametrize(
    ("name", "others", "alone"),
    [
        ("log.4321", [], True), ("log.4321", ["log.43210", "log.4321.x"], True),
        ("mine", ["mine.1"], True),
        ("log.12.4321", [], True), ("log.4321.12", [], False), ("log.12.4321", ["log.12"], False),
    ],
)  # fmt: skip
def test_logs_that_are_of_one_thread_alone(tmp_path, name, others, alone):
    """A number at the end that is less than the one before is that of a thread, as is one beside the first's log."""
    for each in (name, *others):
        (tmp_path / each).write_text(LOG)
    if alone:
        assert read_whole(tmp_path / name)[1] == [ONE]
    else:
        with pytest.raises(BadTable, match="threads, which have a share of the transactions each"):
            readers.read(tmp_path / name)


def test_logs_that_do_not_go_together(tmp_path):
    """Threads without an interval that both have; two runs whose reader is named."""
    late = LOG.replace("17000000", "17000009")
    paths = [written(tmp_path, text, name) for text, name in ((LOG, "one"), (late, "two"))]
    with pytest.raises(BadTable) as caught:
        readers.read(paths)
    assert str(caught.value) == (
        f"{paths[0]}: expected an interval that all threads worked in, found none. Give the logs of one run."
    )
    source, other = (readers.Recording(str(written(tmp_path, LOG, name))) for name in ("log.4321", "log.5432"))
    source.others = (other,)
    for reader in ("pgbench_log", "pgbench_transactions"):
        with pytest.raises(BadTable) as caught:
            list(readers.READERS[reader].read(source)[1])
        assert str(caught.value) == (
            f"{source.path}: expected logs of the threads of one run of pgbench, each once, found {source.path} and "
            f"{other.path}. Read one run at a time, and each log once."
        )
    assert np.isnan(readers.read(written(tmp_path, LOG, "log.9"))["failures"]).all()


def test_a_sample_of_the_transactions_is_refused(tmp_path):
    """`--sampling-rate=0.25` of two clients with 8 transactions a second each: pgbench counts before it samples."""
    rows = [f"{client} {k} 2000 0 {1795400000 + k // 8} {k % 8}\n" for k in range(1, 81) for client in (0, 1)]
    whole = readers.read(written(tmp_path, "".join(rows), "all"))
    assert whole["throughput_tps"].iloc[1:-1].tolist() == [16.0] * 9
    with pytest.raises(BadTable, match=r"found 40 of 154, as with --sampling-rate\. Log all of them"):
        readers.read(written(tmp_path, "".join(row for row in rows if int(row.split()[1]) % 4 == 0), "some"))
    lost = "".join(row for k, row in enumerate(rows) if k != 70)
    assert len(readers.read(written(tmp_path, lost, "lost"))) == len(whole)


def test_an_interval_without_a_transaction_has_no_response_time(tmp_path):
    """pgbench prints lat 0.000 ms for it, which is no time."""
    line = "progress: {}.0 s, {} tps, lat {} ms stddev {}, 0 failed\n"
    path = written(tmp_path, line.format(1, 480.5, 20.5, 5.5) + line.format(2, "0.0", "0.000", "0.000"))
    frame = readers.read(path)
    assert frame["throughput_tps"].tolist() == [480.5, 0]
    assert frame["response_s"].fillna(-1).tolist() == [0.0205, -1]
    assert frame["response_sd_s"].fillna(-1).tolist() == [0.0055, -1]
