"""Readers of benchmark files: every sample, what is wrong with a file, and the command."""

import functools
import io
import json
import math
import os
import re
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from conftest import ROOT
from hypothesis import given, settings
from hypothesis import strategies as st
from made import notes, written

from dominoperf import tables
from dominoperf.cli import main
from dominoperf.errors import BadTable, UnknownName
from dominoperf.loadtests import readers
from dominoperf.loadtests.readers import reading, recording, reports_in_text, resources
from dominoperf.tables import headings
from dominoperf.tables.rows_of_one_curve import names_a_total

SAMPLES = ROOT / "tests" / "samples"
NAN = math.nan
MAPPED = {
    "response_ms": {"response (ms)": "response_s", "CPU": "cpu_utilization_percent"},
    "two_handlers": {'{code="200",handler="/-/ready",instance="127.0.0.1:8932",job="self"}': "throughput_per_s[1/s]"},
    "two_metrics": {"process_resident_memory_bytes": "ram_mb[byte]", "go_goroutines": "run_queue"},
    "decimal_comma": {"Benutzer": "users", "Antwortzeit": "response_s", "Durchsatz": "throughput_per_s"},
}
THREADS = [SAMPLES / "pgbench_log" / f"rate_400.28435{end}" for end in ("", ".1", ".2")]  # read together alone
TRANSACTIONS = SAMPLES / "pgbench_transactions"  # whose runs of two threads are read together alone
NO_FILES = [SAMPLES / "locust" / "locustfile.txt", *THREADS, *TRANSACTIONS.glob("*.*")]
FILES = sorted(path for name in readers.READERS for path in (SAMPLES / name).glob("*") if path not in NO_FILES)
FORMS = [*{(path.parent, path.suffix): path for path in reversed(FILES)}.values()][
    ::-1
]  # one of each reader and ending
SADF = SAMPLES / "sadf" / "vm_all.sadf"
IOSTAT = SAMPLES / "iostat" / "plain.txt"
VMSTAT = SAMPLES / "vmstat" / "plain.txt"
NMON = SAMPLES / "nmon" / "vm_16n.nmon"
LOCUST = SAMPLES / "locust" / "demo_stats_history.csv"


@functools.cache
def sample(path):
    """Read a sample with its mapping."""
    return readers.read(path, mapping=MAPPED.get(path.stem))


# ---- the contract over READERS


def test_every_reader_has_a_sample_and_the_folder_is_small():
    assert {path.parent.name for path in FILES} == set(readers.READERS), "every reader has a folder in tests/samples"
    assert sum(path.stat().st_size for path in SAMPLES.rglob("*") if path.is_file()) < 400_000
    told = (SAMPLES / "README.md").read_text(encoding="utf-8")
    assert {name for name in readers.READERS if f"`{name}`" not in told} == set(), (
        "name these in tests/samples/README.md"
    )


def test_a_module_of_the_package_is_enough(tmp_path, monkeypatch):
    """Its readers are found by a scan, whatever their variables are called; no two have one name."""
    made = r'(?m)^(?:\w+ = |@)\w*(?:[rR]eader|report|request_log)\(\s*"(\w+)"'
    modules = [path.read_text(encoding="utf-8") for path in Path(readers.__file__).parent.glob("*.py")]
    assert sorted(name for text in modules for name in re.findall(made, text)) == [*reading.OURS]
    (tmp_path / "benchlog_here.py").write_text(
        "from dominoperf.loadtests.readers.recording import Reader\n"
        'SHORT = Reader("benchlog", None, "BENCH", "the word BENCH", None)\n'
    )
    monkeypatch.setattr(readers, "__path__", [*readers.__path__, str(tmp_path)])
    assert {*reading.readers_of_this_package()} - {*reading.OURS} == {"benchlog"}


def test_what_each_tool_calls_a_user():
    """Clients, connections, threads, workers."""
    words = {
        "client": "ab ab_percentiles pgbench pgbench_log pgbench_summary pgbench_transactions",
        "connection": "autocannon bombardier wrk", "thread": "sysbench sysbench_summary ycsb", "worker": "hey",
        "virtual user": "k6 k6_summary", "process": "pidstat", "outstanding operation": "fio",
        "NotesBench user": "notesnum", "Server.Load user": "domstat",
    }  # fmt: skip
    expected = {name: word for word, names in words.items() for name in names.split()}
    assert {name: readers.READERS[name].user for name in expected} == expected


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_contract(path):
    """Recognised as itself alone; columns, units and types of the vocabulary; lines rise; parts make the whole."""
    assert readers.recognise(path, mapping=MAPPED.get(path.stem)) == path.parent.name
    frame, units = sample(path), tables.units()
    assert frame.attrs["reader"] == path.parent.name
    assert len(frame)
    assert set(frame.columns) <= set(tables.vocabulary())
    assert list(frame.columns)[-1] == "line"
    for name in frame.columns:
        assert pd.api.types.is_numeric_dtype(frame[name]) == (name in units), name
        assert not frame[name].isin([math.inf, -math.inf]).any()
    assert frame["line"].is_monotonic_increasing
    assert frame["line"].between(1, 10_000).all()
    if "time_s" in frame:
        assert frame["time_s"].iloc[0] == 0
        assert frame["time_s"].dropna().is_monotonic_increasing
    parts = list(readers.read_parts(path, mapping=MAPPED.get(path.stem), rows=3))
    assert all(1 <= len(part) <= 3 and part.dtypes.equals(frame.dtypes) for part in parts)
    pd.testing.assert_frame_equal(pd.concat(parts, ignore_index=True), frame)
    assert [note for part in parts for note in part.attrs["notes"]] == frame.attrs["notes"]


@pytest.mark.parametrize("name", sorted(readers.READERS))
def test_a_reader_of_another_format_says_so(name):
    """Never a traceback, never an empty frame: of every reader with a sample of each form of every other."""
    taken, told = [], []
    for path in FORMS:
        folder, tool = path.parent.name, path.parent.name.partition("_")[0]
        plain = (name, tool) == ("csv", "locust")  # headings that mean columns of ours to who names that reader
        if folder not in (name, name.partition("_")[0]) and name != tool and not plain:
            try:
                taken.append((folder, len(readers.read(path, name))))
            except BadTable as refusal:
                told.append((path.name, str(refusal)))
    assert taken == [], f"{name} reads them as its own: let it ask for a line that no other tool writes"
    assert all(file in words for file, words in told)


# ---- what stands in the samples, typed from the raw lines


NO = None  # a value that the file has not
# File -> column -> the first values, computed by hand from the raw lines.
VALUES = {
    # ZZZZ,T0001,20:26:50 and its sections: CPU_ALL 18.6,9.3,10.6,61.5,0.0; DISKREAD 54366.2 KB/s; eth0 0.1 and 0.1
    "nmon/vm_16n.nmon": {"time": ["2026-11-21T20:26:50"], "time_s": [*range(12)], "cpu_utilization_percent": [27.9],
        "cpu_user_percent": [18.6], "cpu_system_percent": [9.3], "cpu_wait_percent": [10.6], "ram_free_mib": [23039.3],
        "disk_read_bytes_per_s": [54366.2 * 1024], "disk_write_bytes_per_s": [34609.8 * 1024],
        "disk_transfers_per_s": [1877.3], "disk_busy_percent": [17.6], "run_queue": [1],
        "network_bytes_per_s": [0.2 * 1024], "notes": ["^the file has no values of ram_available_mib$"]},
    # -u, -r, -q, -b, -d and -n DEV of a second in one row; busy are 20.50 + 0.00 + 10.00
    "sadf/vm_all.sadf": {"time": ["2026-11-21T20:26:50Z"], "cpu_utilization_percent": [30.5], "cpu_wait_percent": [12],
        "cpu_steal_percent": [0], "ram_free_mib": [23592236 / 1024], "ram_available_mib": [24201500 / 1024],
        "disk_read_bytes_per_s": [122376 * 512], "disk_write_bytes_per_s": [78832 * 512],
        "disk_transfers_per_s": [2125], "disk_busy_percent": [20.8], "notes": ["^$"]},
    "pgbench/clients_4.txt": {"throughput_tps": [2396.9, 3165.7, 933.1, 292.0, 482.0, 1266.2], "users": [NO] * 6,
        "time": [NO],
        "response_s": [0.001658, 0.001263, 0.004247, 0.013615, 0.008342, 0.003175]},
    "pgbench/rate_with_summary.txt": {"time": ["2026-11-21T20:27:53.755Z"], "users": [4, 4],
        "throughput_tps": [268, 298], "response_s": [0.006397], "response_sd_s": [0.006065],
        "failures": [1, 8], "line": [3], "notes": ["^$"]},
    "pgbench_summary/clients_4.txt": {"users": [4], "threads": [2], "test_time_s": [6], "transactions": [8540],
        "failures": [0], "throughput_tps": [1421.608448], "response_s": [0.002809], "response_sd_s": [0.004342]},
    "pgbench_log/rate_300": {"time": ["2026-11-21T20:27:56Z"], "transactions": [62],
        "throughput_tps": [62, 289, 279, NO],
        "response_s": [255010 / 62 / 1e6], "response_sd_s": [(1441632808 / 62 - (255010 / 62) ** 2) ** 0.5 / 1e6],
        "response_max_s": [0.011183], "failures": [0], "notes": ["^read as the whole run: with -j 2 or more"]},
    "pgbench_transactions/one_thread": {"time": ["2026-11-23T14:53:16Z"], "users": [2, 2],
        "throughput_tps": [NO, 41, 17], "response_s": [0.0314171], "response_max_s": [0.072574],
        "line": [1, 11, 52], "failures": [0],
        "notes": ["^read as the whole run: with -j 2 .*\nthe first and the last second are not whole"]},
    "csv/decimal_comma.csv": {"response_s": [1.2665, 0.182895], "time_s": [0, 60],  # 1.266,5 ms
        "throughput_per_s": [59 / 60, 118 / 60]},
    # The second 1795408120 by awk: end = timeStamp + elapsed, without `Number of samples in transaction`
    "jmeter/four_threads.jtl": {"notes": ["^19 transactions left out: each is the sum of other requests"],
        "time": ["2026-11-23T04:28:38Z"], "users": [3, 4, 4, 4],
        "throughput_per_s": [NO, 4, 8, NO], "failures": [0, 7, 7, 3], "response_s": [(253 + 248 + 16) / 3e3],
        "response_max_s": [0.253, 0.004, 0.023], "response_median_s": [0.248]},
    # 0.658983, 0.300308, 0.223559 ... ms in the first second
    **{f"k6/six_users.{end}": {"time_s": [*range(5)], "users": [NO, 2, 3, 4, 5], "throughput_per_s": [NO, 9, 11, 15],
        "failures": [0, 0, 2, 1, 2], "response_max_s": [0.000658983]} for end in ("csv", "json")},
    **{f"vegeta_requests/rate_8.{end}": {"throughput_per_s": [NO, 4, NO], "failures": [4, 4, 4]}
        for end in ("csv", "json")},
    "hey_requests/rate_32.csv": {"time": [NO], "throughput_per_s": [28, 32, 32, NO], "failures": [0, 0, 0, 0]},
    # 200 requests in 2.924934275 s; 60 of a page that answers 500
    "oha/connections_4.json": {"requests": [200], "failures": [0], "throughput_per_s": [68.37760482669307],
        "response_s": [0.058021584145], "response_median_s": [0.058235026], "response_p95_s": [0.070924627],
        "response_p99_s": [0.075827917], "response_max_s": [0.076045365], "test_time_s": [2.924934275]},
    "oha/all_failed.json": {"requests": [60], "failures": [60], "throughput_per_s": [0], "response_s": [NO]},
    # 200 requests at 8 a second, 20 of them failed; times of the other 180
    "jmeter_statistics/synthetic.json": {"users": [NO], "test_time_s": [25], "requests": [200], "failures": [20],
        "throughput_per_s": [7.2], "response_s": [0.1205], "response_median_s": [0.1], "response_p95_s": [0.38],
        "response_p99_s": [0.65], "response_max_s": [0.9]},
    **{f"gatling_stats/synthetic_{end}.json": {"users": [NO], "test_time_s": [25], "requests": [200], "failures": [20],
        "throughput_per_s": [7.2], "response_s": [0.12], "response_sd_s": [0.065], "response_median_s": [0.1],
        "response_p95_s": [0.4], "response_p99_s": [0.8], "response_max_s": [0.9]}
        for end in ("stats", "global_stats")},
    # 10.00 + 1.00 of one processor; 13400 kB; 12.00 kB/s
    "pidstat/all_h.txt": {"time": ["2026-11-23T14:47:17"] * 2 + ["2026-11-23T14:47:18"], "time_s": [0, 0, 1, 1],
        "process": ["python3 (26695)", "python3 (27232)"], "process_cpu_percent": [0, 11, 0, 12], "line": [4, 5, 8],
        "process_wait_percent": [1, 38], "process_ram_mib": [20716 / 1024, 13400 / 1024],
        "process_read_bytes_per_s": [0, 12288], "process_write_bytes_per_s": [0, 0], "notes": ["^$"]},
    # 30.05 + 64.04 + 5.91 percent; memfree 19037056 kB; bread 4300.99 sectors
    "sadf_json/vm.json": {"time": ["2026-11-23T14:47:17Z"], "time_s": [*range(6)], "cpu_utilization_percent": [100],
        "cpu_user_percent": [30.05], "cpu_system_percent": [5.91], "ram_free_mib": [19037056 / 1024],
        "ram_available_mib": [23126420 / 1024], "run_queue": [7, 6], "disk_read_bytes_per_s": [4300.99 * 512],
        "disk_transfers_per_s": [253.47], "disk_busy_percent": [0.79, 2.38], "line": [13, 33], "notes": ["^$"]},
    # By awk over the lines REQUEST: groups are no requests; starts and ends of users counted by hand
    "gatling/loop.log": {"time": ["2026-11-23T14:48:27Z"], "users": [7, 9, 4, 3], "throughput_per_s": [NO, 10, 9, NO],
        "failures": [0, 10, 4, 2], "response_s": [3.757 / 11, 0.603 / 10, 0.229 / 9], "line": [7],
        "response_max_s": [0.910, 0.135, 0.055, 0.039]},
    # What a report adds up: 600 requests, of which 547 were answered 500; 50 of 200 were reset, 50 of another length
    "ab/errors.txt": {"requests": [600], "failures": [547], "throughput_per_s": [4427 * 53 / 600],
        "response_s": [0.003614], "response_sd_s": [0.0079], "response_p95_s": [0.03], "test_time_s": [0.136],
        "notes": ["line 1: 547 answers of another length .*\nline 1: the response times are of all requests, those"]},
    "ab/resets.txt": {"failures": [50], "throughput_per_s": [8011.54 * 0.75], "response_max_s": [0.001]},
    "hey/errors.txt": {"requests": [640], "failures": [428], "throughput_per_s": [1197.1505 * 212 / 640],
        "response_s": [0.0084], "response_median_s": [0.0011], "response_p95_s": [0.0315], "response_max_s": [0.0378],
        "test_time_s": [0.5346], "notes": ["line 2: the response times are of all requests"]},
    "wrk/errors.txt": {"users": [32], "threads": [2], "requests": [21769], "failures": [20961], "response_s": [0.0061],
        "throughput_per_s": [10777.62 * 808 / 21769], "notes": ["line 1: the response times are of all requests"]},
    "wrk/all_failed.txt": {"requests": [23], "failures": [23], "throughput_per_s": [0], "response_s": [NO],
        "notes": ["line 1: all requests failed, so no response time is known"]},
    "oha/refused.json": {"requests": [7761], "failures": [7761], "throughput_per_s": [0], "test_time_s": [1.0651474]},
    "fio/mixed_2_jobs.json": {"workload": ["small"], "users": [2], "test_time_s": [2.002], "requests": [35285 + 15120],
        "throughput_per_s": [17624.875125 + 7552.447552], "response_max_s": [0.012238678], "response_p95_s": [NO],
        "response_s": [(35285 * 77933.164829e-9 + 15120 * 3882.622884e-9) / 50405]},
    "fio/reads_depth_8.json": {"users": [8], "response_sd_s": [591901.889077e-9], "response_median_s": [444416e-9],
        "response_p95_s": [569344e-9], "response_p99_s": [1892352e-9], "response_max_s": [16726583e-9]},
    "sysbench/cpu_2.txt": {"throughput_per_s": [3209.23, 3627.5], "response_s": [0.00058] * 2, "line": [15, 16],
        "response_p95_s": [0.00239] * 2, "failures_per_s": [NO, NO]},
    "sysbench_summary/cpu_2.txt": {"requests": [2294], "throughput_per_s": [2286.4], "response_p95_s": [0.00828],
        "response_max_s": [0.02426], "test_time_s": [1.0025], "failures": [NO]},
    "perfmon/synthetic.csv": {"time": ["2008-11-21T09:59:45.120000"], "time_s": [0, 15, 30, 45, 105],
        "cpu_utilization_percent": [NO, 41.25], "cpu_user_percent": [NO, 30.5], "cpu_system_percent": [NO, 10.75],
        "ram_available_mib": [500, 499], "run_queue": [3, 5], "disk_read_bytes_per_s": [NO, 8192], "line": [2, 3],
        "disk_write_bytes_per_s": [NO, 16384], "disk_transfers_per_s": [NO, 6.5], "network_bytes_per_s": [NO, 1025],
        "notes": ["1 of 11 counters are not read", "line 6: 60 s after the sample before, where 15 s are usual"]},
    "domstat/rhel5_synthetic_with_statistics.tsv": {"client_drivers": [1, 2], "workload": ["N8Mail"] * 2,
        "users": [600, 1200], "throughput_tps": [59 / 60, 118 / 60], "response_s": [0.26661, 0.182895],
        "window_start": ["10/10/2008 09:11:43 AM"], "window_end": ["10/10/2008 10:11:43 AM"], "line": [1, 1],
        "cpu_utilization_percent": [7.1, 15.14], "cpu_user_percent": [6.14], "cpu_system_percent": [0.96],
        "ram_available_mib": [157.05], "network_bytes_per_s": [352835.13, 712073.21], "test_failures": [0, 0],
        "notes": ["^1 lines of other statistics are not read$"]},
    "notesnum/ibm_330_both.txt": {"users": [2200, 1700], "notesmark_tpm": [2917, 3914], "response_s": [0.36, 1.427],
        "window_start": ["09/13/97 11:53:00 PM"], "window_end": ["09/14/97 06:29:00 AM"], "test_errors": [0, 1],
        "min_start_time": ["09/13/97 09:30:39 PM", "09/12/97 11:43:45 PM"], "test_time_s": [33300, 33480],
        "max_stop_time": ["09/14/97 06:45:48 AM"], "line": [4, 9], "notes": ["^$"]},
    "locust_stats/demo_stats.csv": {"request": ["GET /big.html"], "requests": [347, 1008, 309, 1664],
        "failures": [0, 0, 309, 309], "throughput_per_s": [18.24682472887529, 53.00518537955704, 0],
        "requests_per_s": [18.24682472887529], "response_s": [0.0019887437118123077], "response_median_s": [0.002],
        "response_p95_s": [0.003, 0.003, NO], "response_p99_s": [0.006], "response_max_s": [0.011702290999892284]},
    "sadf/vm_restart.sadf": {"cpu_steal_percent": [0, 0.5], "time_s": [*range(8)],
        "disk_write_bytes_per_s": [0, 0, 24 * 512],
        "notes": ["line 16: the machine, or its recorder, was started again"]},
    "iostat/plain.txt": {"time": ["2026-11-23T04:51:06"], "cpu_utilization_percent": [1.5], "line": [11, 19],
        "notes": ["line 3: the first report is an average since the start of the machine"]},
    "pidstat/sections.txt": {"process": ["python3 (8931)", "python3 (26695)"], "process_cpu_percent": [17, 0, 10.78],
        "process_wait_percent": [60, 3], "process_read_bytes_per_s": [8192, 0], "line": [4, 5, 12],
        "process_write_bytes_per_s": [2204 * 1024, 0], "time": ["2026-11-23T15:06:59"]},
    "sysbench/oltp_4.txt": {"throughput_per_s": [106.65, 13.01], "failures_per_s": [5.98, 3], "users": [4],
        "response_p95_s": [0.02972, 1.03201], "line": [13]},
    "sysbench_summary/oltp_2.txt": {"users": [2], "requests": [289], "failures": [10], "throughput_per_s": [72.73],
        "response_s": [0.02737], "response_p99_s": [0.99551], "test_time_s": [3.9728]},
    # The server let 400 requests a second through and answered the others with 500
    "wrk/connections_4.txt": {"users": [4], "threads": [1], "requests": [12607], "throughput_per_s": [6139.47],
        "response_s": [0.01943], "response_sd_s": [0.04848], "response_median_s": [0.00011], "failures": [0],
        "response_p99_s": [0.21791], "response_max_s": [0.23943], "test_time_s": [2.05]},
    "wrk/wrk2_rate_400.txt": {"users": [8], "throughput_per_s": [400.51], "response_median_s": [0.00103],
        "response_p95_s": [0.005119], "response_p99_s": [0.00842]},
    "ab/clients_4.txt": {"users": [4], "requests": [2000], "failures": [0], "throughput_per_s": [4666.79],
        "response_s": [0.000857], "response_p95_s": [0.004], "response_max_s": [0.014]},
    "ab_percentiles/clients_4.csv": {"response_median_s": [0.000271], "response_p95_s": [0.003989],
        "response_p99_s": [0.008245], "response_max_s": [0.014053]},
    "hey/workers_4.txt": {"users": [NO], "requests": [17837], "throughput_per_s": [8913.7486], "response_s": [0.0004],
        "response_p99_s": [0.0098], "response_max_s": [0.0396], "failures": [0]},
    "vegeta/rate_8.txt": {"users": [NO], "test_time_s": [2.875], "requests": [24], "failures": [12],
        "throughput_per_s": [4.17], "response_s": [0.000447109], "response_median_s": [0.000413025],
        "response_p95_s": [0.000755807], "response_max_s": [0.001076]},
    "vegeta/rate_450.json": {"users": [NO], "requests": [900], "failures": [88], "response_s": [0.024421794],
        "response_p95_s": [0.030531323], "throughput_per_s": [399.4565067576399]},  # the rate that vegeta prints
    "k6_summary/synthetic_export.json": {"users": [10], "requests": [600], "failures": [12], "throughput_per_s": [19.6],
        "test_time_s": [30], "response_s": [0.04825], "response_median_s": [0.041125], "response_p95_s": [0.12075],
        "response_p99_s": [NO], "response_max_s": [0.3105]},
    "k6_summary/synthetic_handle_summary.json": {"users": [NO], "requests": [1000], "failures": [0],
        "throughput_per_s": [25], "test_time_s": [40], "response_s": [0.0355], "response_p95_s": [0.0805],
        "response_p99_s": [0.15025]},
    "k6_summary/full.txt": {"users": [4], "requests": [122], "failures": [11], "response_median_s": [0.03373],
        "throughput_per_s": [28.689749 * (1 - 11 / 122)], "response_s": [0.03346], "response_p95_s": [0.06213],
        "response_max_s": [0.06763], "notes": ["18.0 % of 61 checks failed"]},  # of a group it has them again
    "k6_summary/legacy.txt": {"users": [4], "requests": [120], "failures": [10], "response_p99_s": [0.06521],
        "response_max_s": [0.06604], "notes": ["16.7 % of 60 checks failed"]},
    "k6_summary/ramp.txt": {"users": [NO], "requests": [134], "failures": [18], "response_s": [0.013],
        "notes": ["from 2 to 5 virtual users: no number of users"]},
    "oha/errors.txt": {"users": [NO], "test_time_s": [2.7170412], "requests": [200], "failures": [26],
        "throughput_per_s": [174 / 2.7170412], "response_s": [0.0539733], "response_p95_s": [0.0639237],
        "response_max_s": [0.0642394]},
    "oha/deadline.txt": {"requests": [37], "failures": [6], "throughput_per_s": [31 / 1.0013945]},
    "oha/refused.txt": {"requests": [128224], "failures": [128224], "throughput_per_s": [0], "response_s": [NO]},
    "bombardier/connections_4.txt": {"users": [4], "test_time_s": [2], "requests": [149], "failures": [23],
        "throughput_per_s": [63], "response_s": [0.05419], "response_sd_s": [0.00876], "response_median_s": [0.05596],
        "response_p95_s": [0.06405], "response_p99_s": [0.06799], "response_max_s": [0.06801]},
    "bombardier/requests_60.txt": {"users": [3], "requests": [60], "failures": [12], "response_p95_s": [NO],
        "throughput_per_s": [61.34 * 48 / 60], "notes": ["the mean of bombardier's samples"]},
    "bombardier/connections_4.json": {"users": [4], "test_time_s": [2.047712577], "requests": [152], "failures": [13],
        "throughput_per_s": [139 / 2.047712577], "response_median_s": [0.055938], "response_max_s": [0.068026]},
    "vmstat/with_times.txt": {"time": ["2026-11-23T04:45:08"], "time_s": [*range(5)], "line": [*range(4, 9)],
        "cpu_utilization_percent": [0, 3, 0, 0, 0], "ram_free_mib": [23542416 / 1024], "run_queue": [1, 1]},
    "iostat/extended.txt": {"time_s": [0, 1, 2, 3], "disk_write_bytes_per_s": [0, 8164 * 1024, 4080 * 1024, 0],
        "disk_read_bytes_per_s": [0, 236 * 1024], "disk_transfers_per_s": [0, 9 + 361, 5 + 180],
        "disk_busy_percent": [0, 2.4, 1.2, 0], "cpu_utilization_percent": [0, 1.01, 0.5, 0],
        "cpu_system_percent": [0, 1.01], "cpu_wait_percent": [0, 0.51], "time": ["2026-11-23T04:51:02+00:00"]},
    "prometheus/named.json": {"throughput_per_s": [30192.89875, 29894, 30696], "time_s": [0, 2, 4, 6, 8],
        "time": ["2026-11-23T04:43:07Z"]},  # date -u -d @1795408987
    "prometheus/two_metrics.json": {"ram_mb": [54149120 / 1024**2, 53510144 / 1024**2], "run_queue": [32, 32, 32, 33]},
    "artillery/errors.json": {"users": [NO], "requests": [200], "failures": [100], "throughput_per_s": [100 / 5.024],
        "response_s": [0.0046], "response_median_s": [0.003], "response_p95_s": [0.0131], "response_max_s": [0.063]},
    # The second run has 5,000 operations of READ and 5,000 of READ-MODIFY-WRITE, each a READ and an UPDATE
    "ycsb/synthetic.txt": {"users": [8, 16], "requests": [20000, 10000], "failures": [100, 0], "test_time_s": [20, 10],
        "throughput_per_s": [995, 1000], "response_s": [812.5e-6, (10000 * 700 + 5000 * 1000) / 10000 / 1e6],
        "response_p95_s": [0.0015, NO], "response_max_s": [0.02, NO], "line": [6, 23],
        "notes": ["no percentiles: the file has them of each kind of operation"]},
    "autocannon/errors.json": {"users": [24], "failures": [2137], "throughput_per_s": [796 / 2.04],
        "response_s": [0.39136], "response_p99_s": [0.882], "response_max_s": [0.975]},
}  # fmt: skip


@pytest.mark.parametrize("name", ["ab/errors.txt", "autocannon/errors.json",
                                  "hey/errors.txt", "vegeta/rate_450.json", "wrk/errors.txt"])  # fmt: skip
def test_failed_requests_are_no_throughput(name):
    """An independent check: the server let 400 requests a second through, whatever the tool sent and counted."""
    frame = sample(SAMPLES / name)
    assert frame["throughput_per_s"].iloc[0] == pytest.approx(400, rel=0.03)
    assert frame["requests"].iloc[0] / frame["test_time_s"].iloc[0] > 440


@pytest.mark.parametrize("name", VALUES)
def test_values(name):
    frame = sample(SAMPLES / name)
    for column, values in VALUES[name].items():
        if column == "notes":
            assert all(re.search(form, notes(frame)) for form in values)
            continue
        for read, value in zip(frame[column].head(len(values)), values, strict=True):
            if value is NO:
                assert pd.isna(read), column
            else:
                assert read == (value if isinstance(value, str) else pytest.approx(value, rel=1e-12)), column


def test_sadf_in_one_line_is_that_of_sections():
    beside = sample(SADF.with_name("vm_one_line.sadf"))
    same = ["time", "time_s", "cpu_utilization_percent", "ram_free_mib", "ram_available_mib", "run_queue", "line"]
    pd.testing.assert_frame_equal(beside[same], sample(SADF)[same])


def test_pgbench_with_both_outputs_in_one_file():
    """The intervals are read; the summary when it is asked for, with 29 transactions that were skipped."""
    frame = readers.read(SAMPLES / "pgbench" / "rate_with_summary.txt", "pgbench_summary")
    assert frame.iloc[0][["users", "failures", "response_s"]].tolist() == [4, 29, 0.008648]


@pytest.mark.parametrize("threads", [[1], [2], [1, 2]])
def test_pgbench_logs_keep_the_law_of_little(threads):
    """An independent check: each thread had two clients that never waited, so throughput times response is 2."""
    paths = [SAMPLES / "pgbench_log" / f"clients_4.thread_{k}" for k in threads]
    whole = readers.read(paths if len(paths) > 1 else paths[0])
    assert math.isnan(whole["throughput_tps"].iloc[-1])  # how long the last interval was is not known
    whole = whole.iloc[1:-1]  # it began within a second
    clients = (whole["throughput_tps"] * whole["response_s"]).tolist()
    assert clients == pytest.approx([2 * len(threads)] * len(whole), rel=0.02)


@pytest.mark.parametrize(
    ("run", "count", "failures", "mean"), [("rate_60", 294, 0, 0.013116), ("failed", 99, 26, 0.019755)]
)
def test_pgbench_transactions_add_up_to_the_summary(run, count, failures, mean):
    """An independent check: what pgbench printed at the end of the same run, with and without failed transactions."""
    frame = readers.read(TRANSACTIONS / f"{run}.*")
    raw = "".join(path.read_text() for path in TRANSACTIONS.glob(f"{run}.*")).splitlines()
    ended = [int(text.split()[4]) for text in raw if text.split()[2].isdigit()]
    done = [ended.count(second) for second in sorted(set(ended))]
    assert sum(done) == count
    assert frame["throughput_tps"].iloc[1:-1].tolist() == done[1:-1]
    assert frame["failures"].sum() == failures
    assert (frame["response_s"] * done).sum() / count == pytest.approx(mean, abs=6e-7)
    assert frame["line"].is_monotonic_increasing


@pytest.mark.parametrize(
    "recordings",
    [
        [[21, 21, 2]],  # into a file the header comes again after 21 lines
        [[21, 4], [21, 4]],
        [[21], [21]],  # ends where the header comes; the averages since the start of the machine are those of before
        [[30], [30]],  # -n
        [[46, 46, 5]],  # on a high terminal
    ],
)
def test_vmstat_leaves_out_the_first_line_of_each_recording(tmp_path, recordings):
    """It is an average since the start of the machine, and no interval."""
    *head, first, usual = VMSTAT.read_text().splitlines(keepends=True)[:4]
    lines = [line for begun, *more in recordings for line in [*head, first, *[usual] * (begun - 1),
             *[line for count in more for line in [*head, *[usual] * count]]]]  # fmt: skip
    frame = readers.read(written(tmp_path, "".join(lines)))
    assert len(frame) == sum(map(sum, recordings)) - len(recordings)
    assert frame["cpu_user_percent"].unique().tolist() == [0]


@pytest.mark.parametrize(
    ("second", "rows"),
    [
        ({}, [[16, 2 * 27936]]),  # numjobs=2 without group_reporting: an entry for each
        ({"jobname": "writes"}, [[16, 2 * 27936]]),
        ({"groupid": 1, "options": {"new_group": "1"}}, [[16, 2 * 27936]]),  # apart in the report alone
        ({"groupid": 1, "options": {"stonewall": "1"}}, [[8, 27936], [8, 27936]]),  # waited for the first
    ],
)
def test_jobs_of_fio_that_ran_at_the_same_time_are_added_up(tmp_path, second, rows):
    report = json.loads((SAMPLES / "fio" / "reads_depth_8.json").read_text())
    (job,) = report["jobs"]
    other = job | second | {"job options": job["job options"] | second.get("options", {})}
    frame = readers.read(written(tmp_path, json.dumps(report | {"jobs": [job, other]}, indent=1)))
    assert frame[["users", "requests"]].to_numpy().tolist() == rows
    assert frame["throughput_per_s"].tolist() == pytest.approx([13961.01949 * 2 / len(rows)] * len(rows))
    assert frame["response_s"].tolist() == pytest.approx([571703.893113e-9] * len(rows))
    assert frame["response_p95_s"].notna().tolist() == [len(rows) == 2] * len(rows)  # of two they are not known


def test_pidstat_of_a_process_without_a_line(tmp_path):
    """It did nothing in that interval, in which it may be that none did: of its memory nothing is known."""
    head = "Linux 6.1 (vm) \t2026-11-23 \t_x86_64_\t(2 CPU)\n"
    cpu, memory = "UID PID %usr %CPU CPU Command", "UID PID VSZ RSS %MEM Command"
    text = f"""{head}
15:00:00 {cpu}
15:00:01 0 1 30 30 0 a
15:00:01 0 2 80 80 0 b

15:00:00 {memory}
15:00:01 0 1 9 2048 0 a

15:00:01 {cpu}
15:00:02 0 1 10 10 0 a

15:00:02 {cpu}

15:00:03 {cpu}
15:00:04 0 2 40 40 0 b

"""
    ends = f"Average: {cpu}\nAverage: 0 1 9 9 - a\n"
    frame = readers.read(written(tmp_path, text + ends))
    columns = ["time_s", "process", "process_cpu_percent", "process_ram_mib", "line"]
    assert frame[columns].fillna(-1).to_numpy().tolist() == [
        [0, "a (1)", 30, 2, 4], [0, "b (2)", 80, -1, 5],
        [1, "a (1)", 10, -1, 11], [1, "b (2)", 0, -1, 11],
        [2, "a (1)", 0, -1, 15], [2, "b (2)", 0, -1, 15],
        [3, "b (2)", 40, -1, 16], [3, "a (1)", 0, -1, 16],
    ]  # fmt: skip
    assert "4 rows of 0: a process without a line did nothing in that interval" in notes(frame)
    cut = readers.read(written(tmp_path, text))  # nobody knows whether the last sample is whole
    pd.testing.assert_frame_equal(cut, frame.iloc[:-1])
    sections = (SAMPLES / "pidstat" / "sections.txt").read_text()
    cut = readers.read(
        written(tmp_path, sections[: sections.rindex("15:07:01 ")])
    )  # before what its last process wrote
    numbers = ["process_cpu_percent", "process_write_bytes_per_s"]
    assert cut[numbers].tail(2).fillna(-1).to_numpy().tolist() == [[12, 4384 * 1024], [0, -1]]


def test_pidstat_of_very_many_processes_is_refused(tmp_path):
    """A build starts thousands, each of which would have a row in every sample."""
    rows = [f"{1795446000 + k} 0 {k} 5 1 cc\n" for k in range(1001)]
    with pytest.raises(BadTable, match=r"found 1,001 samples of 1,001 processes.*pidstat -p"):
        readers.read(written(tmp_path, "# Time UID PID %CPU CPU Command\n" + "".join(rows)))


def test_locust_history_adds_up_to_the_totals():
    """An independent check against the other file: 1664 requests, 309 failures, mean 2.0038 ms."""
    frame, stats = sample(LOCUST), sample(SAMPLES / "locust_stats" / "demo_stats.csv")
    total = stats[stats["request"] == "Aggregated"].iloc[0]
    lengths = frame["time_s"].diff().shift(-1, fill_value=1)  # a row is timed by the beginning of its seconds
    counts = frame["requests_per_s"] * lengths
    assert counts.sum() == total["requests"] == 1664
    assert (frame["failures_per_s"] * lengths).sum() == total["failures"] == 309
    assert (frame["throughput_per_s"] * lengths).sum() == pytest.approx(1664 - 309)
    assert total["throughput_per_s"] == pytest.approx(total["requests_per_s"] - total["failures_per_s"])
    assert (counts * frame["response_s"]).sum() / 1664 == pytest.approx(total["response_s"])
    assert total["response_max_s"] == pytest.approx(0.021553384000071674)
    assert stats["request"].tolist() == ["GET /big.html", "GET /index.html", "GET /missing.html", "Aggregated"]


def test_notesnum_as_the_source_text_has_it(source_texts):
    """The whole disclosure report is read for its two outputs."""
    (path,) = source_texts.glob("002_*.txt")
    frame = readers.read(path, "notesnum")
    mine = sample(SAMPLES / "notesnum" / "ibm_330_both.txt")
    pd.testing.assert_frame_equal(frame.drop(columns="line"), mine.drop(columns="line"))


def test_domstat_is_our_table():
    """The same numbers as the table of the document."""
    table = tables.load("rhel5/nb_domstat", text=True).set_index("metric")
    frame = sample(SAMPLES / "domstat" / "rhel5_first_lines.csv")
    assert [float(text) for text in table.loc["Response Time"][["driver_1", "driver_2"]]] == frame[
        "response_s"
    ].tolist()


# ---- what may be wrong with a file


GOLDEN = (math.sqrt(5) - 1) / 2
RECORDED = [path for path in FORMS if path.parent.name not in ("csv", "parquet", "notesnum", "domstat")]


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_cut_off_anywhere(tmp_path, path):
    """Every row of the cut file is one of the whole one (a snapshot or sample may have lost its last values); the cut
    is told, or nothing was left to read."""
    whole, raw = readers.read(path, responses=True), path.read_bytes()
    last = len(raw.rstrip())  # the line end behind it is no loss to JSON
    for at in [1 + int(last * (part * GOLDEN % 1)) for part in (1, 2, 3)]:  # equal steps would meet equal samples alike
        (tmp_path / path.name).write_bytes(raw[:at])
        try:
            frame = readers.read(tmp_path / path.name, path.parent.name)
        except BadTable:
            continue
        if recording.RESPONSES in whole:  # a log of requests, whose last second has lost some
            frame = frame.iloc[:-1]
        if not raw[:at].endswith(b"\n"):
            assert "the file may be cut off here" in notes(frame)
        joined = frame.merge(whole, on="line", suffixes=("", "_whole"), how="left", indicator=True)
        assert (joined["_merge"] == "both").all()
        for name in set(frame.columns) - {"line", "users"}:  # the users of pgbench stand below its intervals
            known = joined[joined[name].notna()]
            if name not in ("network_bytes_per_s", "disk_read_bytes_per_s", "disk_write_bytes_per_s"):
                told = f"{path.name}, {name}: cut at byte {at} it gives another number; give it when the run has ended"
                assert (known[name] == known[f"{name}_whole"]).all(), told


@pytest.mark.parametrize(
    ("content", "error", "says"),
    [
        (b"", BadTable, "found an empty one"),
        (b"\0\1\2", BadTable, "zero bytes"),
        ("AAA,progname,nmon\n".encode("utf-16-le"), BadTable, "zero bytes"),
        (b"PAR1 and no more", BadTable, "a whole Parquet file"),
        (b"some words\nand more\n", UnknownName, "found text that begins with 'some words'. Make of it a CSV"),
        (b"users,response_s\n1,0.2\n2,\x81\n", BadTable, "line 3: expected text in UTF-8, UTF-16 or Windows"),
        (b"users,response_s\n1,0.2,3\n2,0.3\n", BadTable, "line 2: expected 2 cells, found 3"),
        (b"users,response_s\n1,fast\n2,0.3\n", BadTable, "line 2: expected a number in column 'response_s', found"),
        (b"users\n", BadTable, "expected rows as csv reads them"),
        (b"AAA,progname,nmon\n", BadTable, "expected rows as nmon reads them"),
        (b"# hostname;interval;timestamp;CPU;%user\n", BadTable, "expected rows as sadf reads them"),
    ],
)  # fmt: skip
def test_unreadable(tmp_path, content, error, says):
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(error, match=re.escape(says)):
        readers.read(path)


JMETER = (
    "timeStamp,elapsed,label,responseCode,responseMessage,threadName,dataType,success,failureMessage,bytes,sentBytes,"
    "grpThreads,allThreads,URL,Latency,IdleTime,Connect\n"
    "1700000000000,12,Home,200,OK,TG 1-1,text,true,,100,50,1,1,http://x,11,0,3\n"
)
HTTP_REQS = (
    "metric_name,timestamp,metric_value,check,error,error_code,expected_response,group,method,name,proto,scenario,"
    "service,status,subproto,tls_version,url,extra_tags,metadata\n"
    "http_reqs,1700000000,1.000000,,,,true,,GET,http://x,HTTP/1.1,default,,200,,,http://x,,\n"
)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("label,avg_ct,avg_lt,avg_rt,users,throughput\n,0,0,0.1,4,400\n", "final statistics of Taurus"),
        (
            "      Date & Time,  Trans,  Trans Rate,  Throughput\n2026-05-22 17:31:06, 400, 100.00, 2.00\n",
            "log of siege",
        ),
    ],
)
def test_a_table_of_another_tool_is_not_taken_for_ones_own(tmp_path, text, found):
    """Its throughput is none; a mapping is trusted."""
    path = written(tmp_path, text)
    with pytest.raises(BadTable, match=f"line 1: expected a file that `ingest` can read, found (the )?{found}, whose"):
        readers.read(path)
    heading = "throughput" if "throughput" in text else "Trans Rate"
    mapped = readers.read(path, mapping={heading: "requests_per_s[1/s]"})
    assert mapped["requests_per_s"].tolist() == [400 if heading == "throughput" else 100]


def test_a_query_of_prometheus_without_a_name_is_to_be_mapped(tmp_path):
    """The sum over all series has neither name nor label, and is called value."""
    answer = {"metric": {}, "values": [[1700000000 + 15 * k, str(100 + k)] for k in range(3)]}
    for series, said in (([answer], r"found the columns value\. Say which"), ([], "expected a series in the answer")):
        text = json.dumps({"status": "success", "data": {"resultType": "matrix", "result": series}})
        with pytest.raises(BadTable, match=said):
            readers.read(path := written(tmp_path, text))
    path = written(tmp_path, text.replace("[]", json.dumps([answer])))
    rates = readers.read(path, mapping={"value": "throughput_per_s[1/s]"})["throughput_per_s"]
    assert rates.tolist() == [100, 101, 102]
    path = written(tmp_path, path.read_text().replace('"metric": {}', '"metric": {"__name__": "requests_total"}'))
    with pytest.raises(BadTable, match=r"requests_total, a counter.*rate\(requests_total\[1m\]\)"):
        readers.read(path, mapping={"requests_total": "throughput_per_s[1/s]"})


def test_columns_of_a_known_tool_can_be_mapped_all_the_same(tmp_path):
    """Request by request; and a reader that is named reads no nonsense."""
    path = written(tmp_path, JMETER)
    frame = readers.read(path, mapping={"elapsed": "response_s[ms]", "allThreads": "users"})
    assert frame.iloc[0][["response_s", "users"]].tolist() == [0.012, 1]
    for text in (JMETER, HTTP_REQS):
        written(tmp_path, text)
        with pytest.raises(BadTable, match="expected a column of what a test measures"):
            readers.read(path, "csv")
        with pytest.raises(BadTable, match="expected a column of what a test measures"):
            readers.read(path, mapping={text.partition(",")[0]: "system"})


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (b"label,line,group\na,1,b\n", "the columns label, line, group"),
        (b"name;count;year\na;1;1998\n", "the columns name, count, year"),
        (b"time_s,label\n1,a\n2,b\n", "the columns time_s, label"),
        (b"a,b\n1,2\n", "the columns a, b"),
        (b"<!DOCTYPE html>\n<html><body>users,response_s</body></html>\n", "an HTML page"),
        (b"%PDF-1.7\n%\xe2\xe3\n", "text that begins with '%PDF-1.7'"),
        (b"\x89PNG\r\n\x1a\n\0\0", "zero bytes, as in a binary file"),
        (b'{"users": 1, "response_s": 2}\n', "JSON with the names users, response_s"),
        (b"[\n {}\n]\n", "JSON without names"),
        (b'{"a": 1,\n "b": [1, 2', "one that is cut off in line 2, after ' \"b\": \\[1, 2'"),
        (b'{"a": 1}\n{"a": 2}\n{"a": "x\n', 'one that is cut off in line 3, after \'{"a": "x\''),
        (b'{"a": 1} {"a": 2,,}', "JSON with the names a"),  # wrong, but whole
        (b"users,response_s\n,\n,\n", "rows without a value of users, response_s"),
        (
            b"AAA,progname,nmon\nZZZZ,T0001,08:18:54,10-OCT-2008\nZZZZ,T0002,08:18:55,10-OCT-2008\n",
            "rows without a value",
        ),
        (
            b"# hostname;interval;timestamp;INTR;intr/s\nvm;1;1795292810;sum;3\n",
            "rows without a value|nothing of the kind",
        ),
    ],
)
def test_nonsense_is_refused(tmp_path, content, found):
    """What is found, and what to do; never rows without what a test measures."""
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises((BadTable, UnknownName), match=f"found .*({found}).*(mapping=|Give|Look|Name|Make|Have|Save)"):
        readers.read(path)


@pytest.mark.parametrize("path", [path for path in FORMS if "log" not in path.parent.name], ids=lambda path: path.name)
def test_whenever_seconds_are_called_unknown_they_are(tmp_path, path):
    """Of every format, twice in one file and its halves the other way round."""
    if path.suffix == ".parquet":
        return
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    half = len(lines) // 2
    for text in ("".join(lines * 2), "".join(lines[:3] + lines[half:] + lines[:half])):
        try:
            frame = readers.read(written(tmp_path, text), path.parent.name, mapping=MAPPED.get(path.stem))
        except BadTable:
            continue
        for line in map(int, re.findall(r"line (\d+): .*time_s is unknown from here on", notes(frame))):
            assert frame.loc[frame["line"] >= line, "time_s"].isna().all()


def test_a_table_of_other_headings_is_answered_in_its_words(tmp_path):
    """As something to add to whichever command was typed: what a heading may mean is asked, not guessed."""
    (tmp_path / "b.csv").write_text("threads,rate\n1,100\n2,190\n")
    with pytest.raises(
        UnknownName,
        match=r"found the columns threads, rate.* mapping=\{'threads': 'users', 'rate': 'throughput_tps\[tps\]'\}",
    ):
        readers.read(tmp_path / "b.csv")


def test_a_number_of_a_report_may_have_no_unit(tmp_path):
    """A reader of one's own may state a pattern with groups that are not in every line."""
    (tmp_path / "report.txt").write_text("run\ntime 250 ms\nrun\ntime 2\nrun\ntime\n")
    forms = {"response_s": (r"time(?: (\d+))?(?: (ms))?", 1)}
    runs = reports_in_text.stated_runs(recording.Recording(str(tmp_path / "report.txt")), "run", forms)
    assert [run.get("response_s") for run in runs] == [0.25, 2, None]


def test_unknown_names(tmp_path):
    with pytest.raises(UnknownName, match="Did you mean nmon"):
        readers.read(NMON, "nmom")
    with pytest.raises(BadTable, match="rthp"):
        readers.read("rthp://nowhere/file.csv")
    with pytest.raises(FileNotFoundError):
        readers.read(tmp_path / "nothing.csv")


def test_two_readers_recognise_a_file():
    """A mapping makes a CSV of one's own of it, too: the reader is to be named."""
    with pytest.raises(UnknownName, match="found csv and locust"):
        readers.read(LOCUST, mapping={"User Count": "users"})
    frame = readers.read(LOCUST, "csv", mapping={"User Count": "users", "Requests/s": "requests_per_s[1/s]"})
    assert len(frame) == 77


def test_sadf_of_disks_alone_and_beside_the_whole(tmp_path):
    """-b speaks for the machine; without it the disks are added up, not the partitions; some versions print sectors."""
    disks = "# hostname;interval;timestamp;DEV;tps;rkB/s;wr_sec/s;%util\n"
    lines = [f"vm;1;1795292810;{name}\n" for name in ("sda;3;10;8;40", "sda1;3;10;8;70", "sdb;1;5;2;50")]
    alone = readers.read(written(tmp_path, disks + "".join(lines))).iloc[0]
    assert alone["disk_read_bytes_per_s"] == 15 * 1024
    assert alone["disk_write_bytes_per_s"] == 10 * 512
    assert (alone["disk_transfers_per_s"], alone["disk_busy_percent"]) == (4, 50)
    whole = "# hostname;interval;timestamp;tps;rtps;wtps;bread/s;bwrtn/s\nvm;1;1795292810;9;4;5;7;6\n"
    for text in (whole + disks + "".join(lines), disks + "".join(lines) + whole):
        both = readers.read(written(tmp_path, text)).iloc[0]
        assert both["disk_read_bytes_per_s"] == 7 * 512
        assert (both["disk_transfers_per_s"], both["disk_busy_percent"]) == (9, 50)


def test_disks_of_sadf_in_json(tmp_path):
    """Kilobytes of the disk, where the section of all transfers is not there; sectors before version 12."""
    disk = {"disk-device": "sda", "tps": 3.0, "rkB": 2.0, "wkB": 5.0, "util-percent": 7.5}
    sample = {"timestamp": {"date": "2026-11-21", "time": "20:26:50", "utc": 1}, "disk": [disk],
              "network": {"net-dev": [{"iface": "eth0", "rxkB": 1.0, "txkB": 3.0}, {"iface": "lo", "rxkB": 9}]},
              "memory": {"memfree": 2048, "avail": 4096}}  # fmt: skip
    later = {**sample, "timestamp": {**sample["timestamp"], "time": "20:26:51"}}
    whole = {"sysstat": {"hosts": [{"nodename": "x", "statistics": [sample, later]}]}}
    row = readers.read(written(tmp_path, json.dumps(whole, indent=1), "a.json")).iloc[1]
    names = ["disk_read_bytes_per_s", "disk_write_bytes_per_s", "disk_busy_percent", "disk_transfers_per_s"]
    assert row[names].tolist() == [2048, 5120, 7.5, 3]
    assert row[["ram_free_mib", "ram_available_mib", "network_bytes_per_s"]].tolist() == [2, 4, 4096]
    old = {name: cell for name, cell in disk.items() if "kB" not in name} | {"rd_sec": 4.0, "wr_sec": 10.0}
    for each in (sample, later):
        each["disk"] = [old]
    row = readers.read(written(tmp_path, json.dumps(whole, indent=1), "b.json")).iloc[1]
    assert row[names].tolist() == [2048, 5120, 7.5, 3]


def test_networks_on_others_count_once(tmp_path):
    """A bond has the bytes of its two cards, docker0 and a VLAN go through one of them: 1.5 + 1.5 kB/s of the cards."""
    header = "# hostname;interval;timestamp;IFACE;rxkB/s;txkB/s\n"
    names = ("lo", "bond0", "eth0", "eth1", "docker0", "eth0.100", "br-1a2b", "veth12", "virbr0", "tun0", "ifb0")
    rows = [f"vm;1;1795292810;{name};{3 if name == 'bond0' else 1.5};0\n" for name in names]
    frame = readers.read(written(tmp_path, header + "".join(rows)))
    assert frame["network_bytes_per_s"].tolist() == [3 * 1024]
    assert "same bytes: bond0, br-1a2b, docker0, eth0.100, tun0, veth12, virbr0" in notes(frame)
    nmon = "AAA,progname,nmon\nNET,Network I/O vm,{0}-read-KB/s,eth0-read-KB/s\nZZZZ,T0001,08:18:54,10-OCT-2008\n"
    frame = readers.read(written(tmp_path, nmon.format("bond0") + "NET,T0001,7,7\n"))
    assert (frame["network_bytes_per_s"].tolist(), "same bytes: bond0" in notes(frame)) == ([7 * 1024], True)
    paths = [f"\\\\A\\Network Interface({name})\\Bytes Total/sec" for name in ("Broadcom BCM57", "TEAM : LAN")]
    log = f'"(PDH-CSV 4.0)","{paths[0]}","{paths[1]}"\n"11/21/2026 20:26:50.123","5","5"\n'
    frame = readers.read(written(tmp_path, log))
    assert (frame["network_bytes_per_s"].tolist(), "same bytes: TEAM : LAN" in notes(frame)) == ([5], True)
    for only in (["bond0", "bond0.100"], ["bond0"]):  # without a card that is named, a bond speaks for the machine
        assert resources.outside_networks(only) == {"bond0"}


def test_tps_of_pgbench_that_connects_anew(tmp_path):
    """From version 14 on `-C` prints one rate, which has the time to connect in it."""
    path = written(tmp_path, "transaction type: TPC-B\ntps = 500.5 (including reconnection times)\n")
    frame = readers.read(path)
    assert frame["throughput_tps"].tolist() == [500.5]
    assert "it had not ended" not in notes(frame)


def test_forms_of_other_versions_and_locales(tmp_path):
    """vmstat -w has a wider header; of iostat times that are neither ISO 8601 nor month first are none.

    Beyond 150 disks a section of nmon goes on in another one.
    """
    text = "AAA,progname,nmon\nDISKREAD,Read vm,sda\nDISKREAD1,Read vm,sdb\nDISKBUSY,Busy vm,sda,sdb\n"
    text += "ZZZZ,T0001,08:18:54,10-OCT-2008\nDISKREAD,T0001,3\nDISKREAD1,T0001,5\nDISKBUSY,T0001,20.5,10\n"
    frame = readers.read(written(tmp_path, text))
    assert frame[["disk_read_bytes_per_s", "disk_busy_percent"]].to_numpy().tolist() == [[8 * 1024, 20.5]]
    text = VMSTAT.read_text()
    wide = written(tmp_path, text.replace("procs -----------memory----------", "--procs-- ----------memory--------"))
    pd.testing.assert_frame_equal(readers.read(wide), readers.read(VMSTAT))
    with pytest.raises(BadTable, match="no time that is read but that of the first"):
        readers.read(written(tmp_path, re.sub(r"(?m)^(\d\d)/(\d\d)/26 ", r"\2.\1.2026 ", IOSTAT.read_text())))


@pytest.mark.parametrize(("cells", "busy"), [("92 9 0 0 0", 100), ("92 7 1 0 0", 99), ("0 0 100 1 0", 0)])
def test_processors_of_vmstat_are_never_busier_than_100_percent(tmp_path, cells, busy):
    """Each cell is rounded to whole percents."""
    path = written(tmp_path, VMSTAT.read_text().replace(" 0  1 99  0  0", f" {cells}"))
    assert readers.read(path)["cpu_utilization_percent"].iloc[0] == busy


@pytest.mark.parametrize("order", [1, -1])
def test_sections_that_begin_with_the_same_column(tmp_path, order):
    """sadf -A has errors of networks behind their bytes, and the clock of processors behind their use."""
    sections = [("IFACE;rxkB/s;txkB/s", "eth0;100;50"), ("IFACE;rxerr/s;txerr/s", "eth0;0;0"),
                ("CPU;%user;%idle", "-1;30.5;69.5"), ("CPU;MHz", "-1;2400"), ("CPU;total/s", "-1;9")]  # fmt: skip
    text = "".join(f"# hostname;interval;timestamp;{header}\nvm;1;2026-11-21 20:26:50 UTC;{cells}\n"
                   for header, cells in sections[::order])  # fmt: skip
    row = readers.read(written(tmp_path, text)).iloc[0]
    assert row["network_bytes_per_s"] == 150 * 1024
    assert (row["cpu_utilization_percent"], row["cpu_user_percent"]) == (30.5, 30.5)


def test_sections_that_lost_samples_are_joined_by_time(tmp_path):
    """sadf: a second that one section has not is still a row."""
    lines = SADF.read_text().splitlines(keepends=True)
    del lines[2]  # the processors at 20:26:51
    frame = readers.read(written(tmp_path, "".join(lines)))
    assert frame["time_s"].tolist() == list(range(10))
    assert frame["cpu_user_percent"].isna().tolist() == [k == 1 for k in range(10)]
    assert frame["ram_free_mib"].notna().all()


def test_older_locust_quotes_its_cells(tmp_path):
    """As Locust 1.0 wrote them; the same rows as without the quotes."""
    lines = [",".join(f'"{cell}"' for cell in line.split(",")) for line in LOCUST.read_text().splitlines()]
    quoted = readers.read(written(tmp_path, "\n".join(lines) + "\n", "demo_stats_history.csv"))
    pd.testing.assert_frame_equal(quoted, sample(LOCUST))


def test_a_log_out_of_order(tmp_path):
    """Many lines that end before the one above are no clocks that were set."""
    header = "timeStamp,elapsed,label,success,threadName,allThreads\n"
    begun = [(k, thread) for k in range(60) for thread in "ab"]
    lines = [f"{1_700_000_000 + k}000,900,x,true,{thread},2\n" for k, thread in begun]
    joined = [line for at in range(110, -1, -10) for line in lines[at : at + 10]]  # back by 9 s, eleven times
    told = notes(readers.read(written(tmp_path, header + "".join(joined))))
    assert "clock" not in told
    assert "lines end before the one above, by up to" in told


def test_a_label_without_samples_has_no_times(tmp_path):
    """JMeter prints the least and the greatest whole number there."""
    header = "Label,# Samples,Average,Median,95% Line,Min,Max,Error %,Throughput\n"
    none = "home,0,0,0,0,9223372036854775807,-9223372036854775808,0.000%,0.0\n"
    frame = readers.read(written(tmp_path, header + none + "TOTAL,0,0,0,0,0,-9223372036854775808,0.000%,0.0\n"))
    assert not set(frame.filter(like="response").dropna(axis=1, how="all").columns)


def test_locust_totals_that_fall_and_begin_anew(tmp_path):
    """Rates between lines; a reset has none; a header again is another run; a pause of over a minute has no rate."""
    head = ("Timestamp,User Count,Type,Name,Requests/s,Failures/s,50%,95%,99%,100%,Total Request Count,"
            "Total Failure Count,Total Average Response Time")  # fmt: skip
    line = lambda at, total, failed, mean: f"{1790000000 + at},5,,Aggregated,1,0,10,20,30,40,{total},{failed},{mean}"  # noqa: E731
    lines = [head, line(0, 0, 0, 0), line(2, 20, 4, 10), line(4, 10, 4, 10), line(64, 70, 4, 10), line(125, 80, 4, 10)]
    lines += [head, line(200, 5, 1, 1), line(201, 9, 1, 3), line(202, 19, 0, 3)]
    frame = readers.read(written(tmp_path, "\n".join(lines) + "\n"))
    assert frame["throughput_per_s"].tolist() == pytest.approx([8, NAN, 1, NAN, 4, NAN], nan_ok=True)
    assert frame["requests_per_s"].tolist() == pytest.approx([10, NAN, 1, NAN, 4, NAN], nan_ok=True)
    assert frame["failures_per_s"].tolist() == pytest.approx([2, NAN, 0, NAN, 0, NAN], nan_ok=True)
    assert frame["response_s"].tolist()[-2] == pytest.approx((27 - 5) / 4 / 1000)
    assert frame["time_s"].tolist() == [0, 2, 4, 64, 0, 1]  # when the seconds of a row begin
    with pytest.raises(BadTable, match="found a single line"):
        readers.read(written(tmp_path, "\n".join(lines[:2]) + "\n"))
    for number in (4, 10):
        assert f"line {number}: the totals fall, so they were set back; rates here are unknown" in notes(frame)
    assert notes(frame).count("the totals fall") == 2
    assert "line 7: another run begins" in notes(frame)
    assert frame["response_p95_s"].tolist() == [0.02] * 6


def test_sadf_with_decimal_commas(tmp_path):
    frame = readers.read(written(tmp_path, SADF.read_text().replace(".", ",")))
    pd.testing.assert_frame_equal(frame, sample(SADF))


# ---- clocks, numbers, units


def test_ambiguous_numbers_are_refused(tmp_path):
    """1,234 alone, between semicolons, is a thousand or a little more than one; 12,5 below a 1.5 is a mistake."""
    with pytest.raises(BadTable, match="line 2: expected a number in column 'response_s', found '1,234'"):
        readers.read(written(tmp_path, "users;response_s\n1;1,234\n"))
    with pytest.raises(BadTable, match=r"line 3: .*a point before decimals as in its other cells, found '12,5'"):
        readers.read(written(tmp_path, "users;response_s\n1;1.5\n2;12,5\n"))
    assert readers.read(written(tmp_path, 'users,response_s\n"5,150",0.2\n'))["users"].tolist() == [5150]
    late = written(tmp_path, "users;response_s\n" + "1;2\n" * 1100 + "1;1,5\n1;1,234\n")  # told far below
    assert readers.read(late)["response_s"].tolist()[-2:] == [1.5, 1.234]


@pytest.mark.parametrize(
    ("header", "target", "factor"),
    [
        ("response (ms)", "response_s", 1e-3),
        ("Latency", "response_s[ms]", 1e-3),
        ("Latency (min)", "response_s", 60),
        ("CPU %", "cpu_utilization_percent", 1),
        ("CPU (%)", "cpu_utilization", 0.01),
        ("Users (kilouser)", "users", 1000),
        ("memory (GB)", "ram_free_mib", 1024),  # of memory all are binary, as `new` and the printed tables have it
        ("disk (MiB/s)", "disk_read_bytes_per_s", 1 << 20),
        ("per minute (1/min)", "requests_per_s", 1 / 60),
        ("tps (1/s)", "throughput_tps", BadTable),  # not transactions
        ("Latency", "response_s", BadTable),
        ("Latency (KB)", "response_s", BadTable),
        ("Latency (row)", "response_s", BadTable),
        ("disk (KB/s)", "disk_read_bytes_per_s", BadTable),  # 1,000 bytes or 1,024: not guessed
        ("Latency", "responze_s[ms]", UnknownName),
    ],
)
def test_units(header, target, factor):
    """Converted, never guessed; an error says how to name the unit."""
    if isinstance(factor, type):
        with pytest.raises(factor, match=r"mapping=|NAME\[unit\]"):
            headings.columns_of_headings([header], {header: target}, "file")
    else:
        ((column,), left) = headings.columns_of_headings([header], {header: target}, "file")
        assert column.factor == pytest.approx(factor)
        assert left == []


def test_a_mapping_of_a_name_that_two_columns_have():
    with pytest.raises(UnknownName, match="More than one column has that name"):
        headings.columns_of_headings(["a (ms)", "a (s)"], {"a": "response_s"}, "file")


@pytest.mark.parametrize(
    ("named", "error", "says"),
    [
        ({"rate": "speed"}, UnknownName, "a value of the mapping"),
        ({"pace": "users", "rate": "throughput_per_s[1/s]"}, UnknownName, r"a key of the mapping.*are n, rate"),
        ({"rate": "throughput_per_s"}, BadTable, "expected a unit, to be throughput_per_s in 1/s, found none"),
        ({"rate": "throughput_per_s[kg]"}, BadTable, "expected a unit that goes into 1/s, found 'kg'"),
        ({"rate": "throughput_per_s[1/s]", "n": "throughput_per_s[1/s]"}, BadTable, "every column once"),
        ({"n": "workload[s]", "rate": "throughput_per_s[1/s]"}, BadTable, "a name of a column of numbers, found w"),
    ],
)  # fmt: skip
def test_mappings_that_are_none(tmp_path, named, error, says):
    """A name that is not ours, a heading that is not there, a unit that is missing or of another kind."""
    path = written(tmp_path, "n,rate\n1,10\n2,20\n", "own.csv")
    with pytest.raises(error, match=says):
        readers.read(path, mapping=named)


@pytest.mark.parametrize(
    ("names", "disks"),
    [
        ("sda sdb mpatha vg0-root dm-0 md127 zd0 drbd1 bcache0 loop0 sr0", "sda sdb"),
        ("vg0-root", "vg0-root"),  # asked for alone
        ("sda sda1 sda2 sdaa vdb1 nvme0n1 nvme0n1p1", "sda sdaa vdb1 nvme0n1"),
        ("nvme0n1 nvme0c0n1 nvme0c1n1 nvme1n1", "nvme0c0n1 nvme0c1n1 nvme1n1"),  # before Linux 6.4 nvme0n1 counts none
        ("hdisk0 hdisk1", "hdisk0 hdisk1"),  # AIX
    ],
)
def test_volumes_are_left_out(names, disks):
    assert resources.whole_disks(names.split()) == set(disks.split())


@pytest.mark.parametrize(
    ("names", "rate", "note"),
    [
        ("dev8-0 dev253-0 dev253-1", None, "so none is added up: sadf -d FILE -- -d -p prints names"),
        ("sda dm-0", 1, "disks are sda; left out, as they carry the same bytes: dm-0"),
        ("sda sda1 loop0", 1, ""),  # nobody wonders
        ("dm-0", None, "disks are none; left out, as they carry the same bytes: dm-0"),
    ],
)
def test_disks_that_were_added_up_are_named(tmp_path, names, rate, note):
    """In the order of the names: 1, 2, 4... transfers a second."""
    rows = [f"h;60;2026-11-21 20:00:01 UTC;{name};{2**k};9\n" for k, name in enumerate(names.split())]
    text = "# hostname;interval;timestamp;DEV;tps;rkB/s\n" + "".join(rows)
    cpu = "# hostname;interval;timestamp;CPU;%user\nh;60;2026-11-21 20:00:01 UTC;-1;5\n"
    frame = readers.read(written(tmp_path, text + cpu))
    assert frame["disk_transfers_per_s"].tolist() == pytest.approx([rate or math.nan], nan_ok=True)
    told = [sentence for sentence in frame.attrs["notes"] if sentence.kind == "disks"]
    assert note in "".join(told)
    assert len(told) == bool(note)


finite = st.floats(-1e12, 1e12, allow_nan=False).map(lambda value: round(value, 6))
texts = st.text(st.characters(codec="utf-8", exclude_categories=("Cs",), exclude_characters="\0\n\r"))
names = texts.filter(lambda text: not names_a_total(text))  # "SUM" beside others is refused


@given(
    st.lists(st.tuples(st.integers(0, 10**9), finite.map(abs) | st.none(), names), min_size=1, max_size=12),
    st.sampled_from(",;\t"),
    st.sampled_from([("ms", 1000), ("s", 1), ("min", 1 / 60), ("us", 10**6)]),
    st.booleans(),
)
@settings(max_examples=20)
def test_round_trip_of_csv(tmp_path_factory, rows, delimiter, unit, comma):
    """Any separator, unit, decimal sign and text: what was written comes back."""
    name, per_second = unit
    head = ["Benutzer", f"Zeit ({name})", "system"]
    cells = [[str(n), "" if t is None else f"{t:.9f}".replace(".", "," if comma else "."), word] for n, t, word in rows]
    frame = pd.DataFrame(cells, columns=head)
    text = frame.to_csv(index=False, sep=delimiter, lineterminator="\n", quoting=1)
    path = written(tmp_path_factory.mktemp("csv", numbered=True), text, "own.csv")
    read = readers.read(path, mapping={"Benutzer": "users", "Zeit": "response_s"})
    assert read["users"].tolist() == [n for n, _, _ in rows]
    seconds = [math.nan if t is None else t / per_second for _, t, _ in rows]
    np.testing.assert_allclose(read["response_s"], seconds, rtol=1e-12, atol=1e-12)
    assert [w if isinstance(w, str) else "" for w in read["system"]] == [word.strip() for _, _, word in rows]
    assert read["line"].tolist() == list(range(2, len(rows) + 2))
    again = io.StringIO()
    read.drop(columns="line").to_csv(again, index=False)
    back = readers.read(written(path.parent, again.getvalue(), "again.csv"))
    pd.testing.assert_frame_equal(back.drop(columns="line"), read.drop(columns="line"))


# ---- large files, URLs, the command


def test_large_files_come_in_parts(tmp_path):
    """Bounded frames that make the whole; sections of sadf are laid side by side without holding any."""
    count, head = 5000, "# hostname;interval;timestamp;"
    lines = [f"vm;1;{1795292810 + k};-1;{k % 100}.5;0.00;1.00;0.00;0.00;{k % 7}.00\n" for k in range(count)]
    memory = [f"vm;1;{1795292810 + k};{k}\n" for k in range(count)]
    text = f"{head}CPU;%user;%nice;%system;%iowait;%steal;%idle\n{''.join(lines)}{head}kbmemfree\n{''.join(memory)}"
    sizes, begun = [], 0
    for part in readers.read_parts(written(tmp_path, text), rows=400):
        sizes.append(len(part))
        assert part["time_s"].tolist() == list(range(begun, begun + len(part)))
        assert part["ram_free_mib"].tolist() == [k / 1024 for k in range(begun, begun + len(part))]
        begun += len(part)
    assert sizes == [400] * 12 + [200]


def test_reading_does_not_run_ahead(tmp_path):
    """The first part is there before a fault far below is met: a part is read when it is asked for."""
    count = reading.ROWS + 2000
    parts = readers.read_parts(written(tmp_path, "users\n" + "1\n" * count + "x\n"), rows=1000)
    assert len(next(parts)) == 1000
    with pytest.raises(BadTable, match=f"line {count + 2}"):
        list(parts)


def test_of_many_files_few_are_open_at_once(tmp_path):
    """A folder of more tables than a process may open."""
    resource = pytest.importorskip("resource")
    for k in range(80):
        written(tmp_path, f"users,throughput_per_s\n{k},100\n", f"c{k}.csv")
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (len(os.listdir("/dev/fd")) + 40, limits[1]))
        frame = readers.read(tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
    assert (frame["users"].tolist(), frame.attrs["unread"]) == ([*range(80)], {})


def test_urls(tmp_path):
    import fsspec

    with fsspec.open("memory://runs/vm.nmon", "wb") as file:
        file.write(NMON.read_bytes())
    pd.testing.assert_frame_equal(readers.read("memory://runs/vm.nmon"), sample(NMON))
    pd.testing.assert_frame_equal(readers.read(f"file://{SADF}"), sample(SADF))
    with fsspec.open("memory://runs/own.parquet", "wb") as file:
        file.write((SAMPLES / "parquet" / "response_ms.parquet").read_bytes())
    assert len(readers.read("memory://runs/own.parquet", mapping=MAPPED["response_ms"])) == 3


def test_written_csv_is_no_formula(tmp_path):
    """A text that a spreadsheet would run gets an apostrophe, as everywhere."""
    readers.write(readers.read_parts(written(tmp_path, 'users,system\n1,"=1+2"\n')), tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text() == "users,system,line\n1,'=1+2,2\n"


def test_command(capsys, tmp_path):
    """The table alone goes to stdout, notes to stderr; options reach the library."""
    own = ["ingest", str(SAMPLES / "csv" / "response_ms.csv"), "--map", "response (ms)=response_s"]
    assert main([*own, "--format", "json"]) == 0
    assert [each["response_s"] for each in json.loads(capsys.readouterr().out)] == [0.26661, 0.1829, None]
    out = tmp_path / "out.parquet"
    assert main([*own, "--reader", "csv", "--out", str(out)]) == 0
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.endswith("out.parquet: 3 rows\n")
    assert "columns left out, as they are not mapped: tester" in shown.err
    assert pd.read_parquet(out)["response_s"].tolist()[:2] == [0.26661, 0.1829]


# ---- readers of other packages, and pipes


def test_readers_of_other_packages(tmp_path, monkeypatch):
    """A package names them as entry points; one that breaks, or takes a name of ours, is left out with a warning."""
    written(tmp_path, """from dominoperf.loadtests.readers import Reader
def read(source):
    return ("users", "line"), ({"users": float(text), "line": n} for n, text in source.lines() if n > 1)
READER = Reader("benchlog", read, "BENCH", "the word BENCH", lambda head: head.first == "BENCH")
TAKEN = Reader("nmon", read, "BENCH", "the word BENCH", lambda head: head.first == "BENCH")
""", "benchlog_of_theirs.py")  # fmt: skip
    (tmp_path / "theirs-1.0.dist-info").mkdir()
    (tmp_path / "theirs-1.0.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: theirs\nVersion: 1.0\n")
    points = "[dominoperf.readers]\nbenchlog = benchlog_of_theirs:READER\nbroken = benchlog_of_theirs:GONE\n"
    (tmp_path / "theirs-1.0.dist-info" / "entry_points.txt").write_text(points + "nmon = benchlog_of_theirs:TAKEN\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.warns(UserWarning, match="left out") as warned:
        found = reading.installed_readers()
    assert [*found] == ["benchlog"]
    assert len(warned) == 2
    monkeypatch.setitem(readers.READERS, "benchlog", found["benchlog"])
    assert readers.read(written(tmp_path, "BENCH\n5\n7\n"))["users"].tolist() == [5, 7]
    code = "from dominoperf.loadtests import readers; print('benchlog' in readers.READERS)"
    command = [sys.executable, "-W", "ignore", "-c", code]  # a new process, which imports theirs while it imports ours
    more = {"PYTHONPATH": os.pathsep.join([str(tmp_path), str(ROOT)])}
    done = subprocess.run(command, env=os.environ | more, capture_output=True, text=True, check=True)
    assert done.stdout == "True\n"


def test_a_pipe_is_read_once(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    path = SAMPLES / "jmeter" / "four_threads.jtl"
    writer = threading.Thread(target=lambda: pipe.write_bytes(path.read_bytes()))
    writer.start()
    frame = readers.read(pipe)
    writer.join()
    pd.testing.assert_frame_equal(frame, sample(path))


def test_seconds_in_which_nothing_ended_are_rows(tmp_path):
    """A stall is seen; a pause of more than ten minutes is another run."""
    header = "timeStamp,elapsed,success,allThreads\n"
    times = (1000, 4200, 5100, 5900, 2_000_000)
    rows = "".join(f"{1_700_000_000_000 + each},100,true,3\n" for each in times)
    frame = readers.read(written(tmp_path, header + rows))
    assert frame["time_s"].tolist() == [0, 1, 2, 3, 4, 5, 0]
    assert frame["throughput_per_s"].fillna(-1).tolist() == [-1, 0, 0, 1, 1, -1, -1]
    assert "line 6: 1994 s without a request: another run begins here, or another clock" in notes(frame)
    for pause, seconds in ((600, [*range(601)]), (601, [0, 0])):
        rows = "".join(f"{1_700_000_000 + at}000,100,true,3\n" for at in (0, pause))
        assert readers.read(written(tmp_path, header + rows))["time_s"].tolist() == seconds


def test_runs_appended_to_one_log_are_several(tmp_path):
    """JMeter appends. Five minutes in which nobody waits part them; a stall of as long, and long thinking, do not."""
    line = "{},{},true,5\n".format
    once = lambda begin: "".join(line(1_700_000_000_000 + 1000 * (begin + k), 200) for k in range(30))  # noqa: E731
    header = "timeStamp,elapsed,success,allThreads\n"
    frame = readers.read(written(tmp_path, header + once(0) + once(330)))
    assert frame["time_s"].tolist() == [*range(30), *range(30)]
    assert "line 32: 301 s without a request: another run begins here, or another clock" in notes(frame)
    assert frame["throughput_per_s"].isna().to_numpy().nonzero()[0].tolist() == [0, 29, 30, 59]  # ends of runs
    stall = line(1_700_000_029_500, 300_600)
    assert readers.read(written(tmp_path, header + once(0) + once(330) + stall))["time_s"].iloc[-1] == 359
    thinking = "".join(line(1_700_000_000_000 + 70_000 * k, 200) for k in range(30))
    assert readers.read(written(tmp_path, header + thinking))["time_s"].iloc[-1] == 70 * 29
