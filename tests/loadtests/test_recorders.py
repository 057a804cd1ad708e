"""Recordings of machines and of load drivers by hand: every value of every row, every note, every refusal."""

import json

import pytest
from made import about, read_whole, written

from dominoperf.errors import BadTable
from dominoperf.loadtests import readers

KIB = 1024.0
LEFT_OUT = "the line is left out"
NETWORKS = "left out of network_bytes_per_s, as others carry the same bytes: "
AGAIN = "another recording begins"
SINCE_START = "an average since the start of the machine: left out"
OF_VMSTAT = "the first line is an average since the start of the machine, unless vmstat ran with -y: left out"

NMON = """AAA,progname,nmon
AAA,host,vm
BBBP,000,lscpu
CPU_ALL,CPU Total vm,User%,Sys%,Wait%,Idle%,Steal%,Busy,CPUs
MEM,Memory MB vm,memtotal,memfree
PROC,Processes vm,Runnable,Swap-in
NET,Network I/O vm,lo-read-KB/s,eth0-read-KB/s,bond0-read-KB/s,lo-write-KB/s,eth0-write-KB/s,bond0-write-KB/s,
DISKBUSY,Disk %Busy vm,sda,sda1,sdb
DISKREAD,Disk Read KB/s vm,sda,sda1,sdb
DISKWRITE,Disk Write KB/s vm,sda,sda1,sdb
DISKXFER,Disk transfers per second vm,sda,sda1,sdb
ZZZZ,T0001,20:26:50,21-NOV-2026
CPU_ALL,T0001,18.6,9.3,10.6,61.5,0.5,,2
MEM,T0001,100,40.5
PROC,T0001,3,0
NET,T0001,9,1.5,7,9,2.5,7
DISKBUSY,T0001,10.5,90,20.5
DISKREAD,T0001,3,90,4
DISKWRITE,T0001,5,90,6
DISKXFER,T0001,7,90,8
ZZZZ,T0002,20:26:52,21-NOV-2026
CPU_ALL,T0002,18.6,-1,10.6
MEM,T0002,100,x
PROC,T0002,-1,0
AAA,progname,nmon
ZZZZ,T0003,soon,21-NOV-2026
CPU_ALL,T0003,1,1,1,1,1,,2
ZZZZ,T0004,20:26:54,21-NOV-2026
CPU_ALL,T0004,1,2,3,4,5,,2
MEM,T0004,100,1
PROC,T0004,1,0
NET,T0004,0,0,0,0,0,0
DISKBUSY,T0004,0,0,0
DISKREAD,T0004,0,0,0
DISKWRITE,T0004,0,0,0
DISKXFER,T0004,0,0,0
"""
SADF = """# hostname;interval;timestamp;CPU;%user;%nice;%system;%iowait;%steal;%idle[...]
vm;1;2026-11-21 20:26:50 UTC;-1;20.5;1.5;10.25;3.5;0.5;63.75
vm;1;2026-11-21 20:26:50 UTC;0;99;99;99;99;99;99
vm;1;2026-11-21 20:26:52 UTC;-1;1;2;3;4;5;85
vm;-1;2026-11-21 20:26:53 UTC;COM what a person wrote
vm;1;soon;-1;1;2;3;4;5;85
vm;1;2026-11-21
# hostname;interval;timestamp;kbmemfree;kbavail
vm;1;2026-11-21 20:26:50 UTC;2048;4096
vm;1;2026-11-21 20:26:52 UTC;1024;5120
# hostname;interval;timestamp;runq-sz;plist-sz
vm;1;2026-11-21 20:26:50 UTC;7;100
# hostname;interval;timestamp;DEV;tps;rkB/s;wkB/s;%util
vm;1;2026-11-21 20:26:50 UTC;sda;3;10;20;40.5
vm;1;2026-11-21 20:26:50 UTC;sda1;9;99;99;99
vm;1;2026-11-21 20:26:50 UTC;sdb;2;1;2;30.5
# hostname;interval;timestamp;IFACE;rxkB/s;txkB/s
vm;1;2026-11-21 20:26:50 UTC;eth0;1.5;2.5
vm;1;2026-11-21 20:26:50 UTC;lo;9;9
vm;1;2026-11-21 20:26:50 UTC;tun0;5;5
"""
WITH_H = """\
# hostname;interval;timestamp;CPU;%usr;%nice;%sys;%irq;%soft;%guest;%gnice;%iowait;tps;rtps;bread/s;bwrtn/s;runq-sz
vm;1;1795292810;all;1;2;4;8;16;32;64;100;5;3;7;9;11
LINUX-RESTART (2 CPU)
vm;1;1795292811;-1;1;0;0;0;0;0;0;0;0;0;0;0;0
# hostname;interval;timestamp;CPU;%user
vm;1;2026-11-21 20:26:52 CET;-1;50
# hostname;interval;timestamp;CPU;%user
vm;1;2026-11-21 20:26:55;-1;60
"""
SET_BACK = "".join(
    f"# hostname;interval;timestamp;{name}\n" + "".join(f"vm;1;2026-11-21 20:26:{at} UTC;{at}\n" for at in (50, 51, 40))
    for name in ("runq-sz", "kbmemfree")
)
SADF_SAMPLE = {
    "timestamp": {"date": "2026-11-21", "time": "20:26:50", "utc": 1, "interval": 1},
    "cpu-load": [{"cpu": "all", "user": 20.5, "nice": 1.5, "system": 10.25, "iowait": 3.5, "steal": 0.5, "idle": 63.75},
                 {"cpu": "0", "user": 99.0}],
    "memory": {"memfree": 2048, "avail": 4096},
    "queue": {"runq-sz": 7},
    "disk": [{"disk-device": "sda", "tps": 3.0, "rkB": 10.0, "wkB": 20.0, "util-percent": 40.5},
             {"disk-device": "sda1", "tps": 9.0, "rkB": 99.0, "wkB": 99.0, "util-percent": 99.0},
             {"disk-device": "sdb", "tps": 2.0, "rkB": 1.0, "wkB": 2.0, "util-percent": 30.5}],
    "network": {"net-dev": [{"iface": "eth0", "rxkB": 1.5, "txkB": 2.5}, {"iface": "tun0", "rxkB": 5.0, "txkB": 5.0}]},
}  # fmt: skip
WHOLE = {
    "time": "2026-11-21T20:26:50Z", "time_s": 0.0, "cpu_utilization_percent": 32.75, "cpu_user_percent": 20.5,
    "cpu_system_percent": 10.25, "cpu_wait_percent": 3.5, "cpu_steal_percent": 0.5, "ram_free_mib": 2.0,
    "ram_available_mib": 4.0, "run_queue": 7.0, "disk_read_bytes_per_s": 11 * KIB, "disk_write_bytes_per_s": 22 * KIB,
    "disk_transfers_per_s": 5.0, "disk_busy_percent": 40.5, "network_bytes_per_s": 4 * KIB,
}  # fmt: skip
SADF_IO = {
    "timestamp": {"date": "2026-11-21", "time": "20:26:51"},
    "cpu-load-all": [{"cpu": "all", "usr": 1.0, "sys": 4.0, "nice": 2.0, "irq": 8.0, "soft": 16.0, "guest": 32.0,
                      "gnice": 64.0}],
    "io": {"tps": 9.0, "io-reads": {"rtps": 4.0, "bread": 7.0}, "io-writes": {"wtps": 5.0, "bwrtn": 6.0}},
    "disk": [{"disk-device": "sda", "tps": 3.0, "rd_sec": 10.0, "wr_sec": 20.0, "util-percent": 40.5}],
}  # fmt: skip
SADF_JSON = (
    '{"sysstat": {"hosts": [{"nodename": "vm",\n"statistics": [\n'
    f'{json.dumps(SADF_SAMPLE)},\n{json.dumps(SADF_IO)},\n{{"timestamp": {{"date": "2026-11-21"}}}},\n'
    '{"timestamp": {"date": "soon", "time": "now"}}\n'
)
PERFMON = "\n".join(
    ",".join(f'"{cell}"' for cell in row)
    for row in (
        ["(PDH-CSV 4.0) (UTC)(0)", *(rf"\\SUT{path}" for path in (
            r"\Processor(_Total)\% Processor Time", r"\Processor(_Total)\% User Time",
            r"\Processor Information(_Total)\% Privileged Time", r"\Memory\Available KBytes",
            r"\System\Processor Queue Length", r"\PhysicalDisk(_Total)\Disk Read Bytes/sec",
            r"\PhysicalDisk(_Total)\Disk Write Bytes/sec", r"\PhysicalDisk(_Total)\Disk Transfers/sec",
            r"\Network Interface(A)\Bytes Total/sec", r"\Network Interface(B)\Bytes Total/sec",
            r"\Network Interface(isatap.x)\Bytes Total/sec", r"\Memory\Pages/sec"))],
        ["11/21/2026 20:26:50.250", "41.5", "30.5", "11", "2048", "3", "4", "5", "6", "7", "8", "9", "10"],
        ["11/21/2026 20:26:52.250", " ", "30,5", "11", "2048", "3", "4", "5", "6", "7", " ", "9", "10"],
        ["11/21/2026 20:26:53.250", "1"],
        ["soon", *["1"] * 12],
        ["(PDH-CSV 4.0) (UTC)(0)", r"\\SUT\Memory\Available Bytes", r"\\SUT\Processor(_Total)\% Processor Time"],
        ["11/21/2026 20:26:54.250", "1048576", "2"],
        ["(PDH-CSV 4.0) (UTC)(0)", r"\\sut\Memory\Available MBytes"],
        ["11/21/2026 20:26:58.250", "7"],
    )
) + "\n"  # fmt: skip
FIRST = {
    "time": "2026-11-21T20:26:50.250000", "time_s": 0.0, "cpu_utilization_percent": 41.5, "cpu_user_percent": 30.5,
    "cpu_system_percent": 11.0, "ram_available_mib": 2.0, "run_queue": 3.0, "disk_read_bytes_per_s": 4.0,
    "disk_write_bytes_per_s": 5.0, "disk_transfers_per_s": 6.0, "network_bytes_per_s": 15.0, "line": 2,
}  # fmt: skip
PIDSTAT = """Linux 6.1 (vm) \t2026-11-21 \t_x86_64_\t(2 CPU)

23:59:58      UID       PID    %usr %system  %guest   %wait    %CPU   CPU  Command
23:59:59        0       101    9.00    1.00    0.00    2.50   10.50     0  python3 a b
23:59:59        0       102    9.00    1.00    0.00   -1.00   20.50     1  java

23:59:58      UID       PID  minflt/s  majflt/s     VSZ     RSS   %MEM  Command
23:59:59        0       101      1.00      0.00   10000    2048   0.10  python3 a b

23:59:58      UID       PID   kB_rd/s   kB_wr/s kB_ccwr/s iodelay  Command
23:59:59        0       101      3.00      4.00      0.00       0  python3 a b
nonsense

00:00:01      UID       PID    %usr %system  %guest   %wait    %CPU   CPU  Command
00:00:02        0       101    9.00    1.00    0.00    3.50   11.50     0  python3 a b
00:00:02        0
23:00:02        0       101    9.00    1.00    0.00    0.00    0.50     0  python3 a b
00:00:02        0       101    9.00    1.00    0.00    0.50    0.00     0  python3 a b
Average:        0       101    9.00    1.00    0.00    3.50   11.50     -  python3 a b
"""
PIDSTAT_H = """Linux 6.1 (vm) \t11/21/26 \t_x86_64_\t(2 CPU)

# Time        UID      TGID       TID    %CPU   CPU  Command
1795292810      0       101         -   10.50     0  python3
1795292810      0         -       101   10.50     0  |__python3
1795292811      0       101         -   11.50     0  python3
Linux 6.1 (vm) \t_x86_64_\t(2 CPU)

10:00:00 AM      UID       PID    %CPU   CPU  Command
10:00:01 AM        0       103   12.50     0  sh
"""
VMSTAT = """procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu----- -----timestamp-----
 r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st gu                 UTC
 1  0      0 20480    800 98000    0    0  2095  1069  462 1114 67  8 24  0  0  0 2026-11-23 04:45:07
 3  0      0 40960    800 98000    0    0     2     3   71   85 10 20 46 15  5  4 2026-11-23 04:45:08
 3  0      0 40960    800
procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu----- -----timestamp-----
 r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st gu                 UTC
 1  0      0 20480    800 98000    0    0  2095  1069  462 1114 67  8 24  0  0  0 2026-11-23 04:45:08
 3  0      0 40960    800 98000    0    0     2     3   71   85 10 20 46 15  5  4 2026-11-23 soon
 4  0      0 20480    800 98000    0    0     0     0   71   85  1  2 77 15  5  0 2026-11-23 04:45:10
"""
IOSTAT = """Linux 6.1 (vm) \t2026-11-23 \t_x86_64_\t(2 CPU)

2026-11-23T04:51:01+0000
avg-cpu:  %user   %nice %system %iowait  %steal   %idle
          35.92   31.04    7.81    0.33    0.04   24.85

Device            r/s     rkB/s     w/s     wkB/s  %util
vda              9.00      9.00    9.00      9.00   9.00

2026-11-23T04:51:02+0000
avg-cpu:  %user   %nice %system %iowait  %steal   %idle
          10.50    1.25    2.50    3.50    0.50   81.75
          10.50    1.25

Device            r/s     rkB/s     w/s     wkB/s  %util
vda              1.00      2.00    3.00      4.00  50.50
vda1             9.00      9.00    9.00      9.00  99.00
vdb              5.00      6.00    7.00      8.00  20.50

2026-11-23T04:51:04+0000
Device:           tps    MB_read/s    MB_wrtn/s    MB_dscd/s
vda              3.00         2.00         1.00         1.00
vdc              x            2.00         1.00         1.00

Linux 6.1 (vm) \t2026-11-23 \t_x86_64_\t(2 CPU)

2026-11-23T05:51:01+0000
Device:           tps    kB_read/s    kB_wrtn/s
vda              3.00         2.00         1.00

2026-11-23T05:51:02+0000
Device            r/s     rMB/s     w/s     wMB/s
vda              1.00      2.00    3.00      4.00

2026-11-23T05:51:03+0000
Device            tps    kB_read/s    kB_wrtn/s
vda              3.00         2.00         1.00
"""
NOTESNUM = """Min Start Time = 09/13/97 09:30:39 PM  Max Stop Time = 09/14/97 06:45:48 AM
Total Test Errors = 3
Total Test Time = 33300 sec
Users = 2200  NotesMark = 2917.5  Response Time = 0.5 sec (09/13/97 11:53:00 PM to 09/14/97 06:45:00 AM)
Users = 1700  NotesMark = 3914  Response Time = 1427 msec (9/13/1997 2:10:00 to 9/13/1997 9:01:56)
Users = x  NotesMark = 3914
Min Start Time = 09/15/97 09:30:39 PM
Users = 5  NotesMark = 6  Response Time = 7 msec (9/13/97 2:10:00 to 9/13/97 9:01:56)"""
WINDOW = {"window_start": "09/13/97 11:53:00 PM", "window_end": "09/14/97 06:45:00 AM"}
TEST = {"min_start_time": "09/13/97 09:30:39 PM", "max_stop_time": "09/14/97 06:45:48 AM", "test_errors": 3.0,
        "test_time_s": 33300.0}  # fmt: skip
DOMSTAT = """Client Drivers;1;2
Active Users;600;1200
Transactions per Minute;60;90
Response Time;0.25;0.5
Warnings;1;2
Errors;3;4
Failures;5;6
Platform.System.PctCombinedCpuUtil;7;8
Platform.System.PctTotalUserCpuUtil;9;10
Platform.System.PctTotalPrivilegedCpuUtil;11;12
Platform.Memory.RAM.AvailMBytes;13;14
Platform.Network.Total.NetworkBytesPerSec;15;x
Date;10/10/2008;
Start Time;9:11:43 AM;10:11:43 AM
End Time;10:11:43 AM;
Workload_Name;N8Mail;
Some.Other;1;2
Warnings;1

Client Drivers;3;
Active Users;1800;
"""
ROLLED = {
    "client_drivers": 1.0, "workload": "N8Mail", "users": 600.0, "throughput_tps": 1.0, "response_s": 0.25,
    "test_warnings": 1.0, "test_errors": 3.0, "test_failures": 5.0, "window_start": "10/10/2008 9:11:43 AM",
    "window_end": "10/10/2008 10:11:43 AM", "cpu_utilization_percent": 7.0, "cpu_user_percent": 9.0,
    "cpu_system_percent": 11.0, "ram_available_mib": 13.0, "network_bytes_per_s": 15.0, "line": 1,
}  # fmt: skip
HISTORY = (
    "Timestamp,User Count,Type,Name,Requests/s,Failures/s,50%,95%,99%,100%,Total Request Count,Total Failure Count,"
    "Total Average Response Time\n"
)
LOCUST = (
    f"{HISTORY}1790000000,0,,Aggregated,0,0,N/A,N/A,N/A,0,0,0,0\n1790000000,0,GET,/a,0,0,1,1,1,1,0,0,0\n"
    "1790000002,5,,Aggregated,0.5,0,10,20,30,40,20,4,12.5\n1790000003,5,GET,/b,9,0,1,1,1,1,9,0,1\n"
    "1790000004,6,,Aggregated,0,0,10,20,30,40,20,4,12.5\nsoon,6,,Aggregated,0,0,10,20,30,40,20,4,12.5\n"
    "1790000005,7,,Aggregated,0,0,10,20,30,0,22,9,12.5\n1,2\n"
)
STATS = (
    "Type,Name,Request Count,Failure Count,Median Response Time,Average Response Time,Min Response Time,"
    "Max Response Time,Requests/s,Failures/s,95%,99%\n"
)
TIMES = {"response_s": 0.0125, "response_median_s": 0.01, "response_p95_s": 0.02, "response_p99_s": 0.03,
         "response_max_s": 0.04}  # fmt: skip
MATRIX = {
    "status": "success",
    "data": {"resultType": "matrix", "result": [
        {"metric": {"__name__": "up", "job": "a", "code": "1"}, "values": [[1795408987, "1"], [1795408989.5, "NaN"]]},
        {"metric": {"__name__": "up", "job": "b"}, "values": [[1795408987, "5"], [1795408995.5, "6"]]},
        {"metric": {"__name__": "other", "job": "b"}, "values": [[1795408987, "2.5"], [1795408989.5, "+Inf"]]},
        {"metric": {}, "values": [[1795408987, "2000"]]},
        {"metric": {"job": "c"}, "values": [[1795408987, "7"]]},
    ]},
}  # fmt: skip
MAPPED = {'up{code="1",job="a"}': "run_queue", "other": "ram_free_mib[GiB]", "value": "response_s[ms]"}
STOLEN = (
    "{:g} % of the CPU time was stolen: the host gave it to others while programs wanted it, so it counts in "
    "cpu_utilization_percent"
)
CASES = {
    "nmon": (
        NMON, "nmon", {},
        [
            {"time": "2026-11-21T20:26:50", "time_s": 0.0, "cpu_utilization_percent": 28.4, "cpu_user_percent": 18.6,
             "cpu_system_percent": 9.3, "cpu_wait_percent": 10.6, "cpu_steal_percent": 0.5, "ram_free_mib": 40.5,
             "run_queue": 3.0, "disk_read_bytes_per_s": 7 * KIB, "disk_write_bytes_per_s": 11 * KIB,
             "disk_transfers_per_s": 15.0, "disk_busy_percent": 20.5, "network_bytes_per_s": 4 * KIB, "line": 12},
            {"time": "2026-11-21T20:26:52", "time_s": 2.0, "cpu_user_percent": 18.6, "cpu_wait_percent": 10.6,
             "line": 21},
            {"time": "2026-11-21T20:26:54", "time_s": 4.0, "cpu_utilization_percent": 8.0, "cpu_user_percent": 1.0,
             "cpu_system_percent": 2.0, "cpu_wait_percent": 3.0, "cpu_steal_percent": 5.0, "ram_free_mib": 1.0,
             "run_queue": 1.0, "disk_read_bytes_per_s": 0.0, "disk_write_bytes_per_s": 0.0, "line": 28,
             "disk_transfers_per_s": 0.0, "disk_busy_percent": 0.0, "network_bytes_per_s": 0.0},
        ],
        [
            f"line 22: not as many cells as its section names: 3 of 7; {LEFT_OUT}", f"line 25: {AGAIN}",
            "line 21: snapshot T0002 has no NET, DISKBUSY, DISKREAD, DISKWRITE, DISKXFER",
            "line 26: not a time and a date (ZZZZ,T0001,20:26:50,21-NOV-2026), so that the snapshot is lost; "
            f"{LEFT_OUT}", f"{NETWORKS}bond0", STOLEN.format(1.83),
        ],
    ),
    "sadf": (
        SADF, "sadf", {},
        [
            WHOLE | {"line": 2},
            {"time": "2026-11-21T20:26:52Z", "time_s": 2.0, "cpu_utilization_percent": 11.0, "cpu_user_percent": 1.0,
             "cpu_system_percent": 3.0, "cpu_wait_percent": 4.0, "cpu_steal_percent": 5.0, "ram_free_mib": 1.0,
             "ram_available_mib": 5.0, "line": 4},
        ],
        [f"line 7: not 10 values; {LEFT_OUT}",
         "line 4: no line of a disk, unlike samples before: idle, or not recorded",
         f"line 6: not a time such as 2026-11-21 20:26:50 UTC; {LEFT_OUT}",
         f"{NETWORKS}tun0", STOLEN.format(2.75)],
    ),
    "sadf -h, of three starts": (
        WITH_H, "sadf", {},
        [
            {"time": "2026-11-21T20:26:50Z", "time_s": 0.0, "cpu_utilization_percent": 127.0, "cpu_user_percent": 1.0,
             "cpu_system_percent": 4.0, "cpu_wait_percent": 100.0, "run_queue": 11.0, "disk_transfers_per_s": 5.0,
             "disk_read_bytes_per_s": 7 * 512.0, "disk_write_bytes_per_s": 9 * 512.0, "line": 2},
            {"time": "2026-11-21T20:26:52", "time_s": 2.0, "cpu_utilization_percent": 50.0, "cpu_user_percent": 50.0,
             "line": 6},
            {"time": "2026-11-21T20:26:55", "time_s": 5.0, "cpu_utilization_percent": 60.0, "cpu_user_percent": 60.0,
             "line": 8},
        ],
        ["line 3: the machine, or its recorder, was started again"],
    ),
    "sadf with the clock set back": (
        SET_BACK, "sadf", {},
        [{"time": f"2026-11-21T20:26:{at}Z", "run_queue": float(at), "ram_free_mib": at / KIB, "line": line}
         | ({"time_s": at - 50.0} if at >= 50 else {}) for line, at in ((2, 50), (3, 51), (4, 40))],
        ["line 4: the clock goes back by 11 s; time_s is unknown from here on: split the file here to have it"],
    ),
    "sadf_json": (
        SADF_JSON, "sadf_json", {},
        [
            WHOLE | {"line": 3},
            {"time": "2026-11-21T20:26:51", "time_s": 1.0, "cpu_utilization_percent": 127.0, "cpu_user_percent": 1.0,
             "cpu_system_percent": 4.0, "disk_read_bytes_per_s": 7 * 512.0, "disk_write_bytes_per_s": 6 * 512.0,
             "disk_transfers_per_s": 9.0, "disk_busy_percent": 40.5, "line": 4},
        ],
        [f"line 5: not a whole sample in JSON; {LEFT_OUT}",
         f"line 6: not a time such as 2026-11-21 20:26:50; {LEFT_OUT}", f"{NETWORKS}tun0"],
    ),
    "perfmon": (
        PERFMON, "perfmon", {},
        [
            FIRST,
            {name: value for name, value in FIRST.items() if name not in (
                "cpu_utilization_percent", "network_bytes_per_s")}
            | {"time": "2026-11-21T20:26:52.250000", "time_s": 2.0, "line": 3},
            {"time": "2026-11-21T20:26:54.250000", "time_s": 4.0, "cpu_utilization_percent": 2.0,
             "ram_available_mib": 1.0, "line": 7},
            {"time": "2026-11-21T20:26:58.250000", "time_s": 8.0, "ram_available_mib": 7.0, "line": 9},
        ],
        [
            f"{NETWORKS}isatap.x", "2 of 12 counters are not read",
            *(f"line {k}: not a time (11/21/2026 20:26:50.123) and 12 values; {LEFT_OUT}" for k in (4, 5)),
            f"line 6: {AGAIN}", f"line 8: {AGAIN}",
            "line 9: 4 s after the sample before, where 2 s are usual: samples are missing, or the clock was set "
            "forward",
        ],
    ),
    "perfmon, mapped": (
        '"(PDH-CSV 4.0)","\\\\SUT\\Speicher (KiB)","\\\\SUT\\Nutzer","\\\\SUT\\Prozessorzeit"\n'
        '"11/21/2026 20:26:50","2048","7","5"\n',
        "perfmon",
        {"\\Speicher (KiB)": "ram_free_mib", "\\Nutzer": "users", "\\Prozessorzeit": "cpu_utilization[percent]"},
        [{"time": "2026-11-21T20:26:50", "time_s": 0.0, "ram_free_mib": 2.0, "users": 7.0, "cpu_utilization": 0.05,
          "line": 2}],
        [],
    ),
    "pidstat": (
        PIDSTAT, "pidstat", {},
        [
            {"time": "2026-11-21T23:59:59", "time_s": 0.0, "process": "python3 a b (101)", "process_cpu_percent": 10.5,
             "process_wait_percent": 2.5, "process_ram_mib": 2.0, "process_read_bytes_per_s": 3 * KIB,
             "process_write_bytes_per_s": 4 * KIB, "line": 4},
            {"time": "2026-11-21T23:59:59", "time_s": 0.0, "process": "java (102)", "process_cpu_percent": 20.5,
             "line": 5},
            {"time": "2026-11-22T00:00:02", "time_s": 3.0, "process": "python3 a b (101)", "process_cpu_percent": 11.5,
             "process_wait_percent": 3.5, "line": 15},
            {"time": "2026-11-22T00:00:02", "time_s": 3.0, "process": "java (102)", "process_cpu_percent": 0.0,
             "line": 15},
            {"time": "2026-11-22T23:00:02", "time_s": 82803.0, "process": "python3 a b (101)",
             "process_cpu_percent": 0.5, "process_wait_percent": 0.0, "line": 17},
            {"time": "2026-11-22T23:00:02", "time_s": 82803.0, "process": "java (102)", "process_cpu_percent": 0.0,
             "line": 17},
            {"time": "2026-11-23T00:00:02", "time_s": 86403.0, "process": "python3 a b (101)",
             "process_cpu_percent": 0.0, "process_wait_percent": 0.5, "line": 18},
            {"time": "2026-11-23T00:00:02", "time_s": 86403.0, "process": "java (102)", "process_cpu_percent": 0.0,
             "line": 18},
        ],
        [f"line 12: not a time and the cells of a process; {LEFT_OUT}",
         f"line 16: not a time and the cells of a process, under a header; {LEFT_OUT}",
         "line 17: 82800 s after the sample before, where 3 s are usual: samples are missing, or the clock was set "
         "forward",
         "line 18: 3600 s after the sample before, where 3 s are usual: samples are missing, or the clock was set "
         "forward",
         "3 rows of 0: a process without a line did nothing in that interval"],
    ),
    "pidstat -h -t, and without a date": (
        PIDSTAT_H, "pidstat", {},
        [
            *({"time": f"2026-11-21T20:26:5{k}Z", "time_s": float(k), "process": "python3 (101)", "line": 4 + 2 * k,
               "process_cpu_percent": 10.5 + k} for k in (0, 1)),
            {"process": "sh (103)", "process_cpu_percent": 12.5, "line": 10},
        ],
        ["line 10: the clock goes back by 1.79526e+09 s; time_s is unknown from here on: split the file "
         "here to have it"],
    ),
    "vmstat": (
        VMSTAT, "vmstat", {},
        [
            {"time": "2026-11-23T04:45:08", "time_s": 0.0, "cpu_utilization_percent": 39.0, "cpu_user_percent": 10.0,
             "cpu_system_percent": 20.0, "cpu_wait_percent": 15.0, "cpu_steal_percent": 5.0, "ram_free_mib": 40.0,
             "run_queue": 3.0, "disk_read_bytes_per_s": 2 * KIB, "disk_write_bytes_per_s": 3 * KIB, "line": 4},
            {"time": "2026-11-23T04:45:10", "time_s": 2.0, "cpu_utilization_percent": 8.0, "cpu_user_percent": 1.0,
             "cpu_system_percent": 2.0, "cpu_wait_percent": 15.0, "cpu_steal_percent": 5.0, "ram_free_mib": 20.0,
             "run_queue": 4.0, "disk_read_bytes_per_s": 0.0, "disk_write_bytes_per_s": 0.0, "line": 10},
        ],
        [f"line 3: {OF_VMSTAT}", f"line 5: not 18 numbers; {LEFT_OUT}", f"line 8: {OF_VMSTAT}",
         f"line 9: not a time as 2026-11-21 20:26:50; {LEFT_OUT}", STOLEN.format(5)],
    ),
    "iostat": (
        IOSTAT, "iostat", {},
        [
            {"time": "2026-11-23T04:51:02+00:00", "time_s": 0.0, "cpu_utilization_percent": 14.75,
             "cpu_user_percent": 10.5,
             "cpu_system_percent": 2.5, "cpu_wait_percent": 3.5, "cpu_steal_percent": 0.5,
             "disk_read_bytes_per_s": 8 * KIB, "disk_write_bytes_per_s": 12 * KIB, "disk_transfers_per_s": 16.0,
             "disk_busy_percent": 50.5, "line": 10},
            {"time": "2026-11-23T04:51:04+00:00", "time_s": 2.0, "line": 20},
            {"time": "2026-11-23T05:51:02+00:00", "time_s": 3600.0, "disk_read_bytes_per_s": 2 * KIB**2,
             "disk_write_bytes_per_s": 4 * KIB**2, "disk_transfers_per_s": 4.0, "line": 31},
            {"time": "2026-11-23T05:51:03+00:00", "time_s": 3601.0, "disk_read_bytes_per_s": 2 * KIB,
             "disk_write_bytes_per_s": KIB, "disk_transfers_per_s": 3.0, "line": 35},
        ],
        [f"line 3: the first report is {SINCE_START}", f"line 13: not 6 numbers; {LEFT_OUT}",
         f"line 23: not 4 numbers; {LEFT_OUT}", f"line 27: the first report is {SINCE_START}",
         "line 31: 3598 s after the sample before, where 2 s are usual: samples are missing, or the clock was set "
         "forward",
         "line 35: 1 s after the sample before, where 2 s are usual: a short interval"],
    ),
    "notesnum": (
        NOTESNUM, "notesnum", {},
        [
            TEST | WINDOW | {"users": 2200.0, "notesmark_tpm": 2917.5, "response_s": 0.5, "line": 4},
            TEST | {"users": 1700.0, "notesmark_tpm": 3914.0, "response_s": 1.427, "line": 5,
                    "window_start": "9/13/1997 2:10:00", "window_end": "9/13/1997 9:01:56"},
            {"min_start_time": "09/15/97 09:30:39 PM", "users": 5.0, "notesmark_tpm": 6.0, "response_s": 0.007,
             "line": 8,
             "window_start": "9/13/97 2:10:00", "window_end": "9/13/97 9:01:56"},
        ],
        [f"line 6: not a test run with users, NotesMark, response time and window; {LEFT_OUT}",
         "line 8: no line end, so the file may be cut off here; its last cell may lack characters"],
    ),
    "domstat": (
        DOMSTAT, "domstat", {},
        [
            ROLLED,
            {"client_drivers": 2.0, "users": 1200.0, "throughput_tps": 1.5, "response_s": 0.5, "test_warnings": 2.0,
             "test_errors": 4.0, "test_failures": 6.0, "window_start": "10:11:43 AM", "cpu_utilization_percent": 8.0,
             "cpu_user_percent": 10.0, "cpu_system_percent": 12.0, "ram_available_mib": 14.0, "line": 1},
            {"client_drivers": 3.0, "users": 1800.0, "line": 20},
        ],
        [f"line 12: not numbers of Platform.Network.Total.NetworkBytesPerSec; {LEFT_OUT}",
         f"line 18: not 2 values of Warnings; {LEFT_OUT}", "1 lines of other statistics are not read"],
    ),
    "locust": (
        LOCUST, "locust", {},
        [
            {"time": "2026-09-21T14:13:20Z", "time_s": 0.0, "users": 5.0, "throughput_per_s": 8.0,
             "requests_per_s": 10.0,
             "failures_per_s": 2.0, "response_s": 0.0125, "response_median_s": 0.01, "response_p95_s": 0.02,
             "response_p99_s": 0.03, "line": 4},
            {"time": "2026-09-21T14:13:22Z", "time_s": 2.0, "users": 6.0, "throughput_per_s": 0.0,
             "requests_per_s": 0.0,
             "failures_per_s": 0.0, "response_median_s": 0.01, "response_p95_s": 0.02, "response_p99_s": 0.03,
             "line": 6},
            {"time": "2026-09-21T14:13:24Z", "time_s": 4.0, "users": 7.0, "throughput_per_s": 0.0,
             "requests_per_s": 2.0,
             "failures_per_s": 5.0, "response_s": 0.0125, "line": 8},
        ],
        ["the response times are of all requests, those that failed among them",
         f"line 7: not a line that begins with seconds since 1970; {LEFT_OUT}",
         f"line 9: not 13 cells under a header; {LEFT_OUT}",
         "line 8: 1 s after the sample before, where 2 s are usual: a short interval",
         "lines of single requests are not read (2 names); the file of totals has them, by request"],
    ),
    "locust of one name": (
        f"{HISTORY}1790000000,1,,Aggregated,1,0,1,2,3,4,0,0,0\n1790000000,1,GET,/a,0,0,1,1,1,1,0,0,0\n"
        "1790000001,1,,Aggregated,1,0,1,2,3,4,0,0,0\n", "locust", {},
        [{"time": "2026-09-21T14:13:20Z", "time_s": 0.0, "users": 1.0, "throughput_per_s": 0.0, "requests_per_s": 0.0,
          "failures_per_s": 0.0, "response_median_s": 0.001, "response_p95_s": 0.002, "response_p99_s": 0.003,
          "line": 4}],
        [],
    ),
    "locust whose totals fall": (
        HISTORY + "".join(f"179000000{k},1,,Aggregated,0,0,1,2,3,0,{total},{failed},0\n"
                          for k, (total, failed) in enumerate(((9, 5), (8, 5), (9, 4), (9, 4)))), "locust", {},
        [{"time": f"2026-09-21T14:13:2{k}Z", "time_s": float(k), "users": 1.0, "line": 3 + k}
         | ({"throughput_per_s": 0.0, "requests_per_s": 0.0,
             "failures_per_s": 0.0} if k == 2 else {}) for k in range(3)],
        [f"line {line}: the totals fall, so they were set back; rates here are unknown" for line in (3, 4)],
    ),
    "locust_stats": (
        f"{STATS}GET,/a,100,10,10,12.5,1,40,5.5,0.5,20,30\n,Aggregated,100,10,10,12.5,1,40,0.5,5.5,20,30\n1,2\n"
        f"{STATS}GET,/b,N/A,10,10,12.5,1,40,5.5,0.5,20,30\n", "locust_stats", {},
        [
            TIMES | {"request": "GET /a", "requests": 100.0, "failures": 10.0, "throughput_per_s": 5.0,
                     "requests_per_s": 5.5, "failures_per_s": 0.5, "line": 2},
            TIMES | {"request": "Aggregated", "requests": 100.0, "failures": 10.0, "throughput_per_s": 0.0,
                     "requests_per_s": 0.5, "failures_per_s": 5.5, "line": 3},
            TIMES | {"request": "GET /b", "failures": 10.0, "throughput_per_s": 5.0, "requests_per_s": 5.5,
                     "failures_per_s": 0.5, "line": 6},
        ],
        ["the response times are of all requests, those that failed among them",
         f"line 4: not 12 cells under a header; {LEFT_OUT}", "line 5: another run begins"],
    ),
    "prometheus": (
        json.dumps(MATRIX), "prometheus", MAPPED,
        [
            {"time": "2026-11-23T04:43:07Z", "time_s": 0.0, "run_queue": 1.0, "ram_free_mib": 2560.0, "response_s": 2.0,
             "line": 1},
            {"time": "2026-11-23T04:43:09.500Z", "time_s": 2.5, "line": 2},
            {"time": "2026-11-23T04:43:15.500Z", "time_s": 8.5, "line": 3},
        ],
        ['series left out, as they are not mapped: up{job="b"}, {job="c"}',
         "line 3: 6 s after the sample before, where 2.5 s are usual: samples are missing, or the clock was set "
         "forward"],
    ),
}  # fmt: skip


def test_response_times_of_requests_that_failed_are_told(tmp_path):
    """Error pages are among the times of Locust and of JMeter's Aggregate Report; of failures alone there is none."""
    told = "the response times are of all requests, those that failed among them"
    line = "179000000{},5,,Aggregated,9,1,1,2,3,4,{},{},10\n"
    history = HISTORY + "".join(line.format(*cells) for cells in ((0, 0, 0), (1, 10, 4), (2, 20, 14)))
    stats = (
        f"{STATS}GET,/a,100,10,10,12.5,1,40,5.5,0.5,20,30\nGET,/b,100,100,10,12.5,1,40,5.5,5.5,20,30\n"
        "GET,/c,100,50,10,12.5,1,40,5.5,2.5,20,30\n"
    )
    report = (
        "Label,# Samples,Average,Error %,Throughput\na,100,900,16.000%,50\nb,100,3,100.000%,50\nc,100,9,0.000%,50\n"
    )
    for text, means, where in ((history, [0.01, None], []), (stats, [0.0125, None, 0.0125], [3]),
                               (report, [0.9, None, 0.009], [3])):  # fmt: skip
        frame = readers.read(written(tmp_path, text))
        assert frame["response_s"].astype("object").where(frame["response_s"].notna(), None).tolist() == means
        notes = [note for note in frame.attrs["notes"] if note.kind == "failures"]
        assert notes == [told, *(f"line {at}: all requests failed, so no response time is known" for at in where)]


KINDS = {  # what many notes of a kind are counted as
    "nmon": "left out, restart, incomplete, left out, networks, stolen",
    "sadf": "left out, no disk, left out, networks, stolen",
    "sadf -h, of three starts": "restart", "sadf_json": "left out, left out, networks",
    "perfmon": "networks, columns, left out, left out, restart, restart, gap",
    "vmstat": "first, left out, first, left out, stolen",
    "iostat": "first, left out, left out, first, gap, gap", "domstat": "left out, left out, columns",
    "locust": "failures, left out, left out, gap, requests", "locust whose totals fall": "totals, totals",
    "locust_stats": "failures, left out, restart", "prometheus": "series, gap",
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_recording_by_hand(tmp_path, name):
    text, reader, named, rows, told = CASES[name]
    path = written(tmp_path, text)
    if name != "perfmon, mapped":  # of which one's own table could be made too
        assert readers.recognise(path, mapping=named or None) == reader
    found, found_notes = read_whole(path, reader, mapping=named or None)
    assert about(rows) == found
    assert found_notes == told
    if name in KINDS:
        assert ", ".join(note.kind for note in found_notes) == KINDS[name]


SPLIT = "Split the file at this line, and read each computer by itself."
ONE_SADF = "Read one of them alone: grep -E '^#|^HOST;' FILE | dominoperf ingest -"
HEAD = '"(PDH-CSV 4.0)",'


@pytest.mark.parametrize(
    ("reader", "text", "said"),
    [
        ("nmon", NMON.replace("AAA,progname,nmon\nZ", "AAA,host,VM\nAAA,host,db\nZ"),
         f"line 26: expected a recording of one computer, found vm and db. {SPLIT}"),
        ("nmon", NMON.replace("MEM,T0002", "MEM,T0001"),
         "line 23: expected the lines of a snapshot after its ZZZZ, found T0001 of MEM outside its snapshot. Give the "
         "file as nmon wrote it, not sorted, and without pieces cut out of it."),
        ("sadf", SADF.replace("vm;1;2026-11-21 20:26:52 UTC;1", "db;1;2026-11-21 20:26:52 UTC;1"),
         f"line 10: expected a recording of one computer, found vm and db. {ONE_SADF}"),
        ("sadf", "vm;1;1795292810;-1;1\n",
         "line 1: expected a header that begins with # hostname;interval;timestamp, found 'vm;1;1795292810;-1;1'. Give "
         "what `sadf -d` prints, from its first line on."),
        ("sadf_json", SADF_JSON.replace('"cpu-load-all"', '"nodename": "db", "cpu-load-all"'),
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
         f"line 20: expected a recording of one computer, found vm and db. {SPLIT}"),
        ("iostat", IOSTAT + IOSTAT.replace("(vm)", "(db)"),
         f"line 38: expected a recording of one computer, found vm and db. {SPLIT}"),
        ("locust", HISTORY.replace("Requests/s,", "").replace("Total Failure Count,", ""),
         "line 1: expected the columns Total Failure Count, Requests/s in the header, found none of that name. Give "
         "the "
         "file as Locust wrote it; its columns are those of Locust 1.0 and later."),
        ("locust_stats", STATS.replace("Failures/s,95%", "95%"),
         "line 1: expected the columns Failures/s in the header, found none of that name. Give the file as Locust "
         "wrote "
         "it; its columns are those of Locust 1.0 and later."),
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


def test_a_disk_that_iostat_leaves_out_was_idle(tmp_path):
    """As -z asks for: the means over two busy disks that take turns are those of a recording without -z."""
    when = "2026-11-23T04:51:0{}+0000\nDevice            r/s     rkB/s     w/s     wkB/s  %util\n"
    line = "{}              4.00      8.00    2.00      6.00  50.00\n"
    reports = [line.format("vda") + line.format("vdb"), line.format("vda"), "", line.format("vdb"), line.format("dm-0")]
    text = "".join(when.format(k) + report + "\n" for k, report in enumerate(reports))
    frame = readers.read(written(tmp_path, "Linux 6.1 (vm) \n\n" + text))
    assert frame["disk_read_bytes_per_s"].tolist() == [8 * KIB, 0, 8 * KIB, 0]
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
    path = written(tmp_path, VMSTAT.replace("40960    800 98000", line).replace("20480    800 98000", line))
    frame = readers.read(path) if "x" not in line else None
    told = (
        "the memory is not in KiB, as with vmstat -S, and the file does not name its unit: ram_free_mib is left "
        "out; run "
        "vmstat without -S to have it"
    )
    if frame is not None:
        assert frame["ram_free_mib"].notna().all() == known
        assert (told in frame.attrs["notes"]) == (not known)
