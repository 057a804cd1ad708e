"""YCSB: what its operations add up to, and which files are whole."""

import pytest
from made import about, read_whole, written

from dominoperf.errors import BadTable
from dominoperf.loadtests import readers

WHOLE = "[OVERALL], RunTime(ms), 10000\n[OVERALL], Throughput(ops/sec), {}\n"
KIND = "[{0}], Operations, {1}\n[{0}], AverageLatency(us), {2}\n"
CLEANUP = KIND.format("CLEANUP", 4, 9e6)
NO_PERCENTILES = "no percentiles: the file has them of each kind of operation, and those of several cannot be joined"
MIXED = "of READ-MODIFY-WRITE whose READ failed has its UPDATE among those done"


@pytest.mark.parametrize(("text", "row", "said"), [
    (WHOLE.format(100) + KIND.format("SCAN", 200, 4000) + CLEANUP + KIND.format("INSERT", 800, 1000),
     {"requests": 1000, "failures": 0, "throughput_per_s": 100, "response_s": (200 * 4000 + 800 * 1000) / 1e9},
     NO_PERCENTILES),
    (WHOLE.format(100.0) + KIND.format("READ", 900.0, 4000) + "[READ], Return=OK, 900\n[READ], Return=ERROR, 100\n"
     + "[READ-FAILED], Operations, 100\n" + CLEANUP,
     {"requests": 1000, "failures": 100, "throughput_per_s": 90, "response_s": 0.004}, None),
    (WHOLE.format(100) + KIND.format("READ", 900, 300) + "[READ], Return=OK, 900\n[READ], Return=NOT_FOUND, 100\n"
     + KIND.format("READ-MODIFY-WRITE", 500, 600) + CLEANUP + KIND.format("UPDATE", 500, 300)
     + "[UPDATE], Return=OK, 500\n",
     {"requests": 1000, "failures": 100, "throughput_per_s": 90}, MIXED),
    (WHOLE.format("0.0") + "[INSERT], Operations, 0\n[INSERT], AverageLatency(us), NaN\n[INSERT], Return=ERROR, 7\n",
     {"requests": 7, "failures": 7, "throughput_per_s": 0}, "all requests failed"),
    (WHOLE.format(100) + KIND.format("READ", 1000, 4000),
     {"requests": 1000, "failures": 0, "throughput_per_s": 100}, "no CLEANUP, so the file may be cut off"),
])  # fmt: skip
def test_a_run_of_ycsb(tmp_path, text, row, said):
    """The failed operations are no throughput; a kind that is missing shows."""
    (found,), told = read_whole(written(tmp_path, text))
    assert [found] == about([{"test_time_s": 10, "line": 1} | row])
    assert (told == [] and said is None) or said in told[0]


def test_a_run_of_ycsb_that_is_not_whole_is_refused(tmp_path):
    """Some kinds are missing: neither their failures nor their times are known."""
    path = written(tmp_path, WHOLE.format(100) + KIND.format("READ", 600, 4000) + CLEANUP)
    with pytest.raises(BadTable, match=r"line 1: 600 operations, where its throughput says 1,000: not whole"):
        readers.read(path)


@pytest.mark.parametrize("returned", ["[READ], Return=0, 1000\n", "[READ], Return=OK, 950\n[READ], Return=ERROR, 50\n"])
def test_a_report_of_an_older_ycsb_is_refused(tmp_path, returned):
    """Its operations include those that failed, or count all of them under another name."""
    path = written(tmp_path, WHOLE.format(100) + KIND.format("READ", 1000, 4000) + returned + CLEANUP)
    with pytest.raises(BadTable, match=r"expected the report of YCSB 0.17, found \[READ\] with 1,000 operations"):
        readers.read(path)
