"""Recorded samples with one thing changed by hand: a cell that they lack, a line that cannot be read, another file."""

import math

import pytest
from made import notes, written
from test_ingest import MAPPED, SAMPLES

from dominoperf.errors import BadTable
from dominoperf.loadtests import readers

LEFT_OUT = "; the line is left out"
NO = math.nan
# Sample, a text of it and what is put there; the first values of columns, computed by hand; what is told.
CHANGED = [
    # processors: what is neither idle nor waiting is busy
    ("nmon/vm_16n.nmon", "18.6,9.3,10.6,61.5,0.0", "18.6,9.3,10.6,61.0,0.5",
     {"cpu_utilization_percent": [28.4], "cpu_steal_percent": [0.5]}, ""),
    ("sadf/vm_all.sadf", "20.50;0.00;10.00;12.00;0.00;57.50", "20.50;1.25;10.00;12.00;0.75;55.50",
     {"cpu_utilization_percent": [32.5], "cpu_steal_percent": [0.75]}, ""),
    ("sadf_json/vm.json", '"user": 30.05, "nice": 64.04, "system": 5.91',
     '"usr": 1, "sys": 4, "nice": 2, "irq": 8, "soft": 16, "guest": 0.5, "gnice": 0.25',
     {"cpu_utilization_percent": [31.75], "cpu_user_percent": [1], "cpu_system_percent": [4]}, ""),
    ("vmstat/with_times.txt", "71   85  0  0 100  0  0", "71   85 10 20 46 15  9",
     {"cpu_utilization_percent": [39], "cpu_user_percent": [10], "cpu_system_percent": [20], "cpu_wait_percent": [15],
      "cpu_steal_percent": [9]}, ""),
    ("iostat/extended.txt", "0.00    0.00    1.01    0.51    0.00   98.48", "0.25 0.50 1.01 0.51 0.75 96.98",
     {"cpu_utilization_percent": [0, 2.51], "cpu_user_percent": [0, 0.25], "cpu_steal_percent": [0, 0.75]}, ""),
    # units, headings and signs of other versions
    ("iostat/extended.txt", "kB/s", "MB/s", {"disk_read_bytes_per_s": [0, 236 * 1024**2]}, ""),
    ("iostat/plain.txt", "kB_", "MB_", {"disk_write_bytes_per_s": [0, 4084 * 1024**2]}, ""),
    ("perfmon/synthetic.csv", "Available Bytes", "Available KBytes", {"ram_available_mib": [512_000]}, ""),
    ("perfmon/synthetic.csv", "Available Bytes", "Available MBytes", {"ram_available_mib": [524_288_000]}, ""),
    ("perfmon/synthetic.csv", '"24.5"', '" "', {"network_bytes_per_s": [NO, NO, 2000]}, ""),
    ("notesnum/ibm_330_both.txt", "1427 msec", "1.5 sec", {"response_s": [0.36, 1.5]}, ""),
    ("notesnum/ibm_330_both.txt", "Total Test Errors = 1\n", "", {"test_errors": [0, NO]}, ""),
    ("prometheus/named.json", '"30192.89875"', '"+Inf"', {"throughput_per_s": [NO, 29894]}, ""),
    ("sysbench/oltp_4.txt", "(ms,95%)", "(ms,99%)", {"response_p95_s": [NO, NO]}, ""),
    ("autocannon/errors.json", '"workers":1', '"workers":0', {"threads": [1]}, ""),
    ("vegeta/rate_8.txt", "rate, throughput]         24, 8.35, 4.17", "rate]  24, 8.35",
     {"throughput_per_s": [12 / 2.875]}, ""),
    ("vegeta/rate_8.txt", "24, 8.35, 4.17", "24, 0.08, 0.04", {"throughput_per_s": [12 / 2.875]}, ""),
    ("vegeta/rate_8.txt", "2.875s, 2", "4m10s, 2", {"test_time_s": [250]}, ""),
    ("pidstat/sections.txt", "15:06:59 ", "00:00:59 ", {"time_s": [0, 0, 54361]}, ""),
    ("pidstat/sections.txt", "15:07:0", "00:07:0",
     {"time": ["2026-11-23T15:06:59"] * 2 + ["2026-11-24T00:07:00"]}, "a short interval"),
    # what failed
    ("wrk/errors.txt", "  Non-2xx", "  Socket errors: connect 1, read 2, write 3, timeout 4\n  Non-2xx",
     {"failures": [20971], "throughput_per_s": [10777.62 * 808 / 21769]}, ""),
    ("wrk/connections_4.txt", "12607 requests in 2.05s", "0 requests in 2.00m",
     {"test_time_s": [120], "requests": [0], "response_s": [NO]}, ""),
    ("ab/resets.txt", "Connect: 0, Receive: 50, Length: 50, Exceptions: 50",
     "Connect: 5, Receive: 50, Length: 40, Exceptions: 60", {"failures": [65], "throughput_per_s": [8011.54 * 0.75]},
     "40 answers of another length than the first"),
    ("hey/errors.txt", "[500]\t428 responses\n",
     "[399]\t8 responses\n  [199]\t420 responses\n\n  [20]\tGet x: refused\n",
     {"requests": [660], "failures": [440], "throughput_per_s": [1197.1505 * 220 / 660]}, ""),
    ("oha/connections_4.json", '"200": 200', '"399": 190, "199": 10', {"failures": [10]}, ""),
    ("vegeta/rate_450.json", '"200":812', '"399":800,"199":12', {"failures": [100]}, ""),
    ("vegeta/rate_8.txt", "200:12 ", "399:10  199:2 ", {"failures": [14]}, ""),
    ("fio/reads_depth_8.json", '"total_ios" : 27936', '"total_ios" : 0',
     {"requests": [0], "throughput_per_s": [0], "response_s": [NO]}, ""),
    ("pgbench/rate_with_summary.txt", "0 failed, lag 1.155 ms, 1 skipped",
     "2 failed, lag 1.155 ms, 30 skipped, 4 retried, 5 retries", {"failures": [32, 8]}, ""),
    ("pgbench/rate_with_summary.txt", "stddev 6.065, 0 failed, lag 1.155 ms, 1 skipped", "stddev 6.065",
     {"failures": [NO, 8]}, ""),
    ("pgbench/clients_4.txt", "0 failed", "2 failed", {"failures": [2, 2]}, ""),
    ("pgbench/rate_with_summary.txt", "progress: 1795292875", "number of clients: 8\nprogress: 1795292875",
     {"users": [8, 8, 4], "time_s": [0, 1, 0]}, ""),
    ("pgbench_summary/clients_4.txt", "transactions: 0 (0.000%)",
     "transactions: 3 (0.035%)\nnumber of transactions skipped: 30 (0.4%)", {"failures": [33]}, ""),
    ("pgbench_summary/clients_4.txt", "tps = 1421.608448 (without initial connection time)",
     "tps = 130.5 (including connections establishing)\ntps = 140.5 (excluding connections establishing)",
     {"throughput_tps": [140.5]}, ""),
    ("pgbench_summary/clients_4.txt", "tps =", "rate =", {"throughput_tps": [NO]},
     "line 2: a run without its transactions per second: it had not ended"),
    ("pgbench_log/rate_300", "6 1001 0 0 0 0 0", "6 1001 7 9 9 3 4", {"failures": [14, 0]}, ""),
    ("pgbench_log/rate_300", "1795292877 289 1195758 7297005298 508 16185", "1795292877 0 0 0 0 0",
     {"throughput_tps": [62, 0], "response_s": [255010 / 62e6, NO]}, ""),
    ("pgbench_log/rate_300", "1795292877", "1795292876", {"throughput_tps": [NO, 289 / 2]},
     "line 2: the time of the sample before"),
    ("pgbench_transactions/one_thread", "0 1 22157", "0 1 deadlock", {"failures": [1, 0]}, ""),
    ("pgbench_transactions/one_thread", "0 1 22157", "0 1 skipped", {"failures": [1, 0]},
     "1 transactions were skipped, as they were too late"),
    # what cannot be read
    ("pgbench/clients_4.txt", "progress: 2.0 s, 3165.7", "progress: 2.0 s, many", {"time_s": [0, 2]},
     "line 3: not an interval as pgbench prints it" + LEFT_OUT),
    ("pgbench_log/rate_300", "1795292877", "some", {"throughput_tps": [31]},
     "line 2: not six whole numbers or more" + LEFT_OUT),
    ("pgbench_transactions/one_thread", "1795445596 459230", "1795445596 1000000", {"line": [2]},
     "line 1: not a request with its time and response" + LEFT_OUT),
    ("nmon/vm_16n.nmon", "ZZZZ,T0002,20:26:51", "ZZZZ,T0002,soon", {"time_s": [0, 2]},
     "line 49: not a time and a date (ZZZZ,T0001,20:26:50,21-NOV-2026), so that the snapshot is lost" + LEFT_OUT),
    ("nmon/vm_16n.nmon", "PROC,T0001,1,0,0.0,", "PROC,T0001,-1,", {"run_queue": [NO, 1]},
     "line 40: not as many cells as its section names: 8 of 10" + LEFT_OUT),
    ("nmon/vm_16n.nmon", "DISKBUSY,T0001,17.6\n", "", {"disk_busy_percent": [NO, 0]},
     "line 33: snapshot T0001 has no DISKBUSY"),
    ("nmon/vm_16n.nmon", "ZZZZ,T0002", "AAA,progname,nmon\nZZZZ,T0002", {"time_s": [0, 1]},
     "line 49: another recording begins"),
    ("sadf/vm_all.sadf", "26:51 UTC;-1;0.00;", "26:51 UTC;-1;", {"cpu_user_percent": [20.5, NO]},
     "line 3: not 10 values" + LEFT_OUT),
    ("sadf/vm_all.sadf", "vm;1;2026-11-21 20:26:51 UTC;-1;", "vm;-1;2026-11-21 20:26:51 UTC;COM a remark;;",
     {"cpu_user_percent": [20.5, NO]}, ""),
    ("sadf/vm_memory.sadf", "2026-11-21 20:26:51", "soon", {"time_s": [0, 2]}, "line 3: not a time such as 2026-11-21"),
    ("sadf/vm_all.sadf", "20:26:51 UTC;vda", "20:26:50 UTC;vdb", {"disk_busy_percent": [20.8, NO]},
     "line 3: no line of a disk, unlike samples before"),
    ("sadf_json/vm.json", '"time": "14:47:18"', '"hour": "14"', {"time_s": [0, 2]},
     "line 33: not a whole sample in JSON" + LEFT_OUT),
    ("sadf_json/vm.json", "14:47:18", "soon", {"time_s": [0, 2]}, "line 33: not a time such as 2026-11-21 20:26:50"),
    ("perfmon/synthetic.csv", "11/21/2008 10:00:00.120", "soon", {"time_s": [0, 30]},
     "line 3: not a time (11/21/2026 20:26:50.123) and 11 values" + LEFT_OUT),
    ("vmstat/with_times.txt", "04:45:09", "soon", {"time_s": [0, 2]}, "line 5: not a time as 2026-11-21 20:26:50"),
    ("vmstat/with_times.txt", "54   67", "54", {"time_s": [0, 2]}, "line 5: not 17 numbers" + LEFT_OUT),
    ("iostat/extended.txt", "1.01    0.51", "1.01", {"cpu_utilization_percent": [0, NO, 0.5]},
     "line 21: not 6 numbers" + LEFT_OUT),
    ("iostat/extended.txt", "vda              9.00", "vda              x",
     {"disk_read_bytes_per_s": [0, NO, 56 * 1024]}, "line 24: not 22 numbers" + LEFT_OUT),
    ("pidstat/sections.txt", "15:07:00        0     26695    0.00", "15:07:00        0",
     {"process_cpu_percent": [17, 0]},
     "line 13: not a time and the cells of a process, under a header" + LEFT_OUT),
    ("pidstat/sections.txt", "15:07:00        0     26695    0.00", "nonsense", {"process_cpu_percent": [17, 0]},
     "line 13: not a time and the cells of a process" + LEFT_OUT),
    ("domstat/rhel5_synthetic_with_statistics.tsv", "712073.21", "x", {"network_bytes_per_s": [352835.13, NO]},
     "line 15: not numbers of Platform.Network.Total.NetworkBytesPerSec" + LEFT_OUT),
    ("domstat/rhel5_synthetic_with_statistics.tsv", "Warnings\t0\t0", "Warnings\t0", {"test_warnings": [NO, NO]},
     "line 5: not 2 values of Warnings" + LEFT_OUT),
    ("notesnum/ibm_330_both.txt", "Users = 1700", "Users = x", {"users": [2200]},
     "line 9: not a test run with users, NotesMark, response time and window" + LEFT_OUT),
    ("locust/demo_stats_history.csv", "1795292883,2,,", "soon,2,,", {"time_s": [0, 2]},
     "line 6: not a line that begins with seconds since 1970" + LEFT_OUT),
    ("locust_stats/demo_stats.csv", "GET,/index.html,1008", "GET,1008", {"requests": [347, 309, 1664]},
     "line 3: not 22 cells under a header" + LEFT_OUT),
    ("wrk/errors.txt", "6.10ms ", ".s ", {"response_s": [NO]}, "line 4: not a number" + LEFT_OUT),
    ("sysbench/oltp_4.txt", "[ 2s ] thds: 4", "[ 2s ] thds: x", {"time_s": [0, 2]},
     "line 14: not an interval as sysbench prints it" + LEFT_OUT),
    ("ab_percentiles/clients_4.csv", "\n51,", "\n51,x", {"response_p95_s": [0.003989]},
     "line 53: not a percentage and a time" + LEFT_OUT),
]  # fmt: skip


@pytest.mark.parametrize(("sample", "old", "new", "values", "told"), CHANGED)
def test_a_changed_sample(tmp_path, sample, old, new, values, told):
    path = SAMPLES / sample
    text = path.read_text(encoding="utf-8")
    assert old in text
    frame = readers.read(written(tmp_path, text.replace(old, new)), path.parent.name, mapping=MAPPED.get(path.stem))
    for column, expected in values.items():
        found = frame[column].head(len(expected)).tolist()
        assert found == (expected if column == "time" else pytest.approx(expected, rel=1e-12, nan_ok=True)), column
    assert told in notes(frame)


NMON, SADF, PIDSTAT, IOSTAT, HISTORY, STATS = (
    (SAMPLES / name).read_text() for name in (
        "nmon/vm_16n.nmon", "sadf/vm_all.sadf", "pidstat/sections.txt", "iostat/plain.txt",
        "locust/demo_stats_history.csv", "locust_stats/demo_stats.csv"))  # fmt: skip
SPLIT = "Split the file at this line, and read each computer by itself."
ONE_SADF = "Read one of them alone: grep -E '^#|^HOST;' FILE | dominoperf ingest -"
HEAD = '"(PDH-CSV 4.0)",'
OF_LOCUST = "Give the file as Locust wrote it; its columns are those of Locust 1.0 and later."


@pytest.mark.parametrize(
    ("reader", "text", "said"),
    [
        ("nmon", NMON.replace("ZZZZ,T0002", "AAA,host,VM\nAAA,host,db\nZZZZ,T0002"),
         f"line 50: expected a recording of one computer, found vm and db. {SPLIT}"),
        ("nmon", NMON.replace("MEM,T0002", "MEM,T0001"),
         "line 53: expected the lines of a snapshot after its ZZZZ, found T0001 of MEM outside its snapshot. Give the "
         "file as nmon wrote it, not sorted, and without pieces cut out of it."),
        ("sadf", SADF.replace("vm;1;2026-11-21 20:26:51 UTC;-1", "db;1;2026-11-21 20:26:51 UTC;-1"),
         f"line 3: expected a recording of one computer, found vm and db. {ONE_SADF}"),
        ("sadf", "vm;1;1795292810;-1;1\n",
         "line 1: expected a header that begins with # hostname;interval;timestamp, found 'vm;1;1795292810;-1;1'. Give "
         "what `sadf -d` prints, from its first line on."),
        ("sadf_json", (SAMPLES / "sadf_json" / "vm.json").read_text().replace('"memory"', '"nodename": "db", "memory"'),
         ": expected a recording of one computer, found vm and db. Write a file for each host: sadf -j FILE of its own "
         "recording."),
        ("perfmon", f'{HEAD}"\\\\SUT\\Memory\\Pages/sec","\\x"\n',
         "line 1: expected a counter that is known, found only \\Memory\\Pages/sec, \\x. Counters of another language "
         "are mapped: --map 'PATH=NAME[unit]', the path without the computer."),
        ("perfmon", HEAD.rstrip(",") + "\n",
         "line 1: expected a counter that is known, found only none. Counters of another language are mapped: --map "
         "'PATH=NAME[unit]', the path without the computer."),
        ("perfmon", f"{'x' * 70}\n",
         f"line 1: expected a header with (PDH-CSV 4.0), found '{'x' * 60}'. Give the log as Performance Monitor or "
         "relog wrote it, from its first line on."),
        ("perfmon", f'{HEAD}"\\\\A\\Memory\\Available MBytes","\\\\b\\Memory\\Available Bytes"\n',
         "line 1: expected counters of one computer, found those of A and b. Make a file for each: its first column, "
         "and those whose path begins with \\\\A. For a log of Performance Monitor, relog LOG -cf PATHS.txt -f csv -o "
         "A.csv keeps the counters in PATHS.txt."),
        ("perfmon", f'{HEAD}"\\\\A\\Memory\\Available MBytes"\n"11/21/2026 20:26:50","7"\n'
         f'{HEAD}"\\\\b\\Memory\\Available MBytes"\n',
         f"line 3: expected a recording of one computer, found A and b. {SPLIT}"),
        ("pidstat", PIDSTAT + PIDSTAT.replace("(vm)", "(db)"),
         f"line 34: expected a recording of one computer, found vm and db. {SPLIT}"),
        ("iostat", IOSTAT + IOSTAT.replace("(vm)", "(db)"),
         f"line 35: expected a recording of one computer, found vm and db. {SPLIT}"),
        ("locust", HISTORY.replace("Requests/s,", "").replace("Total Failure Count,", ""),
         "line 1: expected the columns Total Failure Count, Requests/s in the header, found none of that name. "
         + OF_LOCUST),
        ("locust_stats", STATS.replace("Failures/s,50%", "50%"),
         f"line 1: expected the columns Failures/s in the header, found none of that name. {OF_LOCUST}"),
        ("prometheus", '{"data": {"resultType":"matrix"}}\n',
         ": expected an answer of query_range, found something else or a part of one ('result'). Give the whole answer "
         "of /api/v1/query_range, of one query."),
    ],
)  # fmt: skip
def test_what_a_recorder_refuses(tmp_path, reader, text, said):
    """With its line, what was expected and found, and what to do."""
    path = written(tmp_path, text)
    with pytest.raises(BadTable) as caught:
        readers.read(path, reader)
    where = "" if said.startswith(":") else ", "
    assert str(caught.value) == f"{path}{where}{said}"


def test_response_times_of_requests_that_failed_are_told(tmp_path):
    """Error pages are among the times of Locust and of JMeter's Aggregate Report; of failures alone there is none."""
    told = "the response times are of all requests, those that failed among them"
    head = (
        "Timestamp,User Count,Type,Name,Requests/s,Failures/s,50%,95%,99%,100%,Total Request Count,"
        "Total Failure Count,Total Average Response Time\n"
    )
    line = "179000000{},5,,Aggregated,9,1,1,2,3,4,{},{},10\n"
    history = head + "".join(line.format(*cells) for cells in ((0, 0, 0), (1, 10, 4), (2, 20, 14)))
    report = (
        "Label,# Samples,Average,Error %,Throughput\na,100,900,16.000%,50\nb,100,3,100.000%,50\nc,100,9,0.000%,50\n"
    )
    for text, means, where in ((history, [0.01, NO], []), (report, [0.9, NO, 0.009], [3])):
        frame = readers.read(written(tmp_path, text))
        assert frame["response_s"].tolist() == pytest.approx(means, nan_ok=True)
        of_failures = [note for note in frame.attrs["notes"] if note.kind == "failures"]
        assert of_failures == [told, *(f"line {at}: all requests failed, so no response time is known" for at in where)]


def test_counters_of_another_language_are_mapped(tmp_path):
    text = (
        '"(PDH-CSV 4.0)","\\\\SUT\\Speicher (KiB)","\\\\SUT\\Nutzer","\\\\SUT\\Prozessorzeit"\n'
        '"11/21/2026 20:26:50","2048","7","5"\n'
    )
    named = {"\\Speicher (KiB)": "ram_free_mib", "\\Nutzer": "users", "\\Prozessorzeit": "cpu_utilization[percent]"}
    frame = readers.read(written(tmp_path, text), "perfmon", mapping=named)
    assert frame[["ram_free_mib", "users", "cpu_utilization", "line"]].to_numpy().tolist() == [[2, 7, 0.05, 2]]


def test_threads_of_pidstat_are_parts_of_their_process(tmp_path):
    text = (
        "# Time        UID      TGID       TID    %CPU   CPU  Command\n"
        "1795292810      0       101         -   10.50     0  python3 a b\n"
        "1795292810      0         -       101   10.50     0  |__python3\n"
    )
    frame = readers.read(written(tmp_path, text))
    assert frame[["process", "process_cpu_percent", "line"]].to_numpy().tolist() == [["python3 a b (101)", 10.5, 2]]


def test_a_disk_that_iostat_leaves_out_was_idle(tmp_path):
    """As -z asks for: the means over two busy disks that take turns are those of a recording without -z."""
    when = "2026-11-23T04:51:0{}+0000\nDevice            r/s     rkB/s     w/s     wkB/s  %util\n"
    line = "{}              4.00      8.00    2.00      6.00  50.00\n"
    reports = [line.format("vda") + line.format("vdb"), line.format("vda"), "", line.format("vdb"), line.format("dm-0")]
    text = "".join(when.format(k) + report + "\n" for k, report in enumerate(reports))
    frame = readers.read(written(tmp_path, "Linux 6.1 (vm) \n\n" + text))
    assert frame["disk_read_bytes_per_s"].tolist() == [8192, 0, 8192, 0]
    assert frame["disk_transfers_per_s"].tolist() == [6, 0, 6, 0]
    assert frame["disk_busy_percent"].tolist() == [50, 0, 50, 0]


@pytest.mark.parametrize(
    ("line", "known"),
    [
        ("40960 800 98000", True),
        ("4 4 16376", True),
        ("4 4 16372", False),
        ("40961 800 98000", False),
        ("4 800 x", True),
    ],
)
def test_when_the_memory_of_vmstat_is_in_kib(tmp_path, line, known):
    """Whole pages of 4 KiB, 16 MiB at least."""
    text = (SAMPLES / "vmstat" / "with_times.txt").read_text()
    path = written(tmp_path, text.replace("23542416    804 980320", line))
    frame = readers.read(path) if "x" not in line else None
    told = (
        "the memory is not in KiB, as with vmstat -S, and the file does not name its unit: ram_free_mib is left "
        "out; run "
        "vmstat without -S to have it"
    )
    if frame is not None:
        assert frame["ram_free_mib"].notna().all() == known
        assert (told in frame.attrs["notes"]) == (not known)
