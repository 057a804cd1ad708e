"""pgbench by hand: the logs of its threads, which of them are missing, and what is no log of a whole run."""

import gzip
import math

import numpy as np
import pytest
from made import about, read_whole, written

from dominoperf.errors import BadTable
from dominoperf.loadtests import readers

ONE = "read as the whole run: with -j 2 or more each thread writes a log of its own, to be given together"
ENDS = "the first and the last second are not whole, so their throughput is unknown"


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
