"""What is fuzzed: for each way in, a function of bytes and an empty folder, and inputs to begin with."""

import contextlib
import io
import json
import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from dominoperf.errors import DominoperfError
from fuzz import designs
from fuzz.judging import check_text

ROOT = Path(__file__).parent.parent.parent
SAMPLES = ROOT / "tests" / "samples"
OWN = SAMPLES / "own" / "web_tier"
_FILE = re.compile(rb"^=== ([a-z0-9_.]+)\n", re.MULTILINE)


@dataclass(frozen=True)
class Target:
    """A way in: what is called with an input, and the inputs to begin with."""

    call: Callable  # bytes, folder ->
    seeds: Callable  # -> list of bytes


def _head(data):
    """The words of the first line, and the rest: settings of a call, and its file."""
    head, _, rest = data.partition(b"\n")
    with contextlib.suppress(ValueError):
        return shlex.split(head.decode("utf-8", "replace")), rest
    return [], rest


def _files(data, folder, known):
    """Write the files of an input that holds several, each after a line ``=== NAME``; give what stands before them."""
    parts = _FILE.split(data)
    for name, content in zip(parts[1::2], parts[2::2], strict=True):
        if name.decode() in known:
            (folder / name.decode()).write_bytes(content)
    return parts[0]


def _builds(data, folder):
    """Write files such as ``=== after_c4.txt`` as ``after/c4.txt``; give the words that stand before them."""
    parts = _FILE.split(data)
    for name, content in list(zip(parts[1::2], parts[2::2], strict=True))[:12]:
        build, _, file = name.decode()[-60:].rpartition("_")
        place = folder / build.strip(".") / (file.strip(".") or "none")
        if not place.is_dir() and not place.parent.is_file():
            place.parent.mkdir(exist_ok=True)
            place.write_bytes(content)
    return _head(parts[0])[0]


def joined(head, **files):
    """Make such an input; ``_csv`` at the end of a name stands for ``.csv``."""
    named = ((re.sub("_(csv|json|toml|ipynb|txt)$", r".\1", name), content) for name, content in files.items())
    ended = ((name.encode(), content.removesuffix(b"\n") + b"\n") for name, content in named)
    return head + b"".join(b"=== " + name + b"\n" + content for name, content in ended)


def _command(words):
    """Run a command of ours as a terminal would see it; every line that it says is one for a user."""
    from dominoperf.cli import main

    out, told = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(told):
        try:
            main([word.replace("\0", "") for word in words])  # the system hands no zero byte to a command
        except SystemExit:  # argparse has told what is wrong with a word
            return
    out.flush()
    told.flush()
    for line in told.buffer.getvalue().decode().splitlines():
        check_text(line)
        assert not line.startswith("dominoperf: [Errno"), line


def _on_file(name, options, *command):
    """A target that writes a file and asks a command of ours for it; the first line has options of the command."""

    def call(data, folder):
        words, content = _head(data)
        (folder / name).write_bytes(content)
        _command([*command, str(folder / name), *_allowed(words, options)])

    return call


def _allowed(words, options):
    """The words without options that start processes, or write."""
    return [word for word in words if not word.startswith("--") or word.partition("=")[0] in options]


# ---- readers


def ingest(data, folder):
    """A file for a reader; the first line names file, reader and mapping: ``run.csv - Latency=response_s[ms]``."""
    from dominoperf.loadtests import readers

    words, content = _head(data)
    name, reader, *pairs = [*words, "file", "-"][: max(2, len(words))]
    path = folder / f"f{re.sub(r'[^a-z_.]', '_', name[-40:])}"
    path.write_bytes(content)
    mapping = {column: ours for column, sign, ours in (pair.rpartition("=") for pair in pairs) if sign}
    readers.read(path, None if reader == "-" else reader, mapping=mapping)


def _ingest_seeds():
    from dominoperf.loadtests.readers import READERS

    mapped = {
        "response_ms": "'response (ms)=response_s' CPU=cpu_utilization_percent",
        "decimal_comma": "Benutzer=users Antwortzeit=response_s Durchsatz=throughput_per_s",
    }
    paths = [path for name in READERS for path in sorted((SAMPLES / name).iterdir()) if path.suffix != ".parquet"]
    for path in paths:
        yield f"{path.name} - {mapped.get(path.stem, '')}\n".encode() + path.read_bytes()[:3000]
        yield f"f {path.parent.name}\n".encode() + b"\n".join(path.read_bytes().split(b"\n")[:12]) + b"\n"
    yield b"t.csv -\ntime,users,response_s\n2026-11-21T20:26:50,1,0.5\n2026-11-21T20:26:51+02:00,2,\n"


def parquet(data, folder):
    """A Parquet file, as a run, as a new folder, and as sets of notebooks."""
    from dominoperf import tables
    from dominoperf.errors import DominoperfError
    from dominoperf.loadtests import readers
    from dominoperf.reports.sweeping import read_parameter_sets

    path = folder / "file.parquet"
    path.write_bytes(data)
    for call in (
        lambda: readers.read(path, mapping={"response (ms)": "response_s"}),
        lambda: tables.new(folder / "mine", path),
        lambda: read_parameter_sets(path),
    ):
        with contextlib.suppress(DominoperfError):
            call()
    readers.read(path)


def _parquet_seeds():
    import pyarrow as pa
    from pyarrow import parquet

    yield (SAMPLES / "parquet" / "response_ms.parquet").read_bytes()
    for columns in (
        {"users": [1, 2], "time": ["2026-11-21T20:26:50", None]},
        {"users": [1.5, None], "response_s": [{"a": 1}, {"a": 2}], "system": [b"\xff", b"x"]},
        {"users": [[1], [2, 3]], "time": pa.array([0, 2**62], pa.timestamp("ns")), "system": [b"a", b"b"]},
        {"users": pa.array(["a", "b"]).dictionary_encode(), "time": pa.array([0, 2**52], pa.timestamp("s", "UTC"))},
        {"users": pa.array([1, 2], pa.decimal128(30, 2)), "time": pa.array([0, 5], pa.time64("ns")), "x": pa.nulls(2)},
        {"users": pa.array([1, 2**63], pa.uint64()), "time": pa.array([1, 2], pa.duration("s"))},
        {"users": pa.array([True, False]), "time": pa.array([-(2**31), 2**31 - 1], pa.date32())},
    ):
        sink = io.BytesIO()
        parquet.write_table(pa.table(columns), sink)
        yield sink.getvalue()


# ---- data folders


_OF_FOLDER = ("datapackage.json", "errata.csv", "claims.csv", "series.toml", "scaling.csv", "servers.csv")


def folder(data, folder):
    """A data folder of the user's, checked, and then used by everything that reads it, whatever the check has said."""
    from dominoperf import runs, tables
    from dominoperf.errors import DominoperfError
    from dominoperf.study import audit

    mine = folder / "mine"
    mine.mkdir()
    _files(data, mine, _OF_FOLDER)
    for row in tables.check(mine).itertuples(index=False):
        check_text(" ".join(map(str, row)))
    _command(["check", str(mine)])
    tables.use(mine)
    calls = [
        tables.sources,
        lambda: tables.list_tables("mine"),
        lambda: tables.errata(),
        lambda: tables.cells("mine"),
        lambda: runs.read_own_series("mine"),
        lambda: audit.check_consistency(mine),
        lambda: audit.claims("mine"),
        lambda: audit.audit_claims("mine").unpinned(),
    ]
    with contextlib.suppress(DominoperfError):
        calls += [lambda id=id: _used(id) for id in tables.list_tables("mine")["id"]]
    _each(calls)


def _used(id):
    from dominoperf import tables

    for call in (tables.load, lambda id: tables.load(id, "printed", text=True), tables.describe, tables.show, str):
        str(call(id))


def _each(calls):
    """Make every call, whatever an earlier one gave; the last error in form is raised."""
    from dominoperf.errors import DominoperfError

    last = None
    for call in calls:
        try:
            call()
        except DominoperfError as error:
            check_text(str(error))
            last = error
    if last:
        raise last


def _folder_seeds():
    whole = {path.name: path.read_bytes() for path in OWN.iterdir()}
    yield b"".join(b"=== " + name.encode() + b"\n" + whole[name] for name in _OF_FOLDER if name in whole)
    package = json.loads(whole["datapackage.json"])
    field = {"name": "users", "type": "number", "unit": "user", "groupChar": ",", "description": "Users"}
    schema = {"fields": [{"name": "system", "type": "string", "description": "System"}, field]}
    resource = {"name": "servers", "path": "servers.csv", "schema": schema | {"primaryKey": ["system"]}}
    views = {"view": {"of": "servers", "where": {"system": "A"}, "rows": "system", "across": "users"}}
    small = {"name": "mine", "title": package["title"], "resources": [resource], "views": views}
    rows, errata = b'system,users\nA,"1,200"\nB,.5\n', b"table,row,column,printed,corrected,status,mistake\n"
    described = json.dumps(small).encode()
    yield joined(b"", datapackage_json=described, servers_csv=rows)
    yield joined(
        b"",
        datapackage_json=json.dumps(small | {"benchmarks": [{"table": "servers", "said": {"workload": "W"}}]}).encode(),
        servers_csv=rows,
        errata_csv=errata + b"servers,1,users,1200,1300,certain,why\n",
        series_toml=b'[mine]\ntitle = "t"\ntable = "servers"\nx = "users"\ny = "users"\nrows = {system = ["A"]}\n',
        claims_csv=(
            b"id,locator,topic,claim,stated,unit,reading,inputs,expression,check,expected_verdict\n"
            b"a,p,t,c,5,user,value,x = servers.users[1-2],sum(x) / 2,table,contradicted\n"
        ),
    )


def new(data, folder):
    """A CSV file of which a folder is made; the first line has units and names: ``load=user time=response_s``."""
    from dominoperf import tables

    words, content = _head(data)
    path = folder / "runs.csv"
    path.write_bytes(content)
    units = {name: unit for name, sign, unit in (word.rpartition("=") for word in words[:1]) if sign}
    names = {name: ours for name, sign, ours in (word.rpartition("=") for word in words[1:]) if sign}
    tables.new(folder / "mine", path, units=units, names=names)
    _reread(folder / "mine")


def _reread(mine):
    """What `new` has made is a folder that can be used."""
    from dominoperf import runs, tables

    tables.use(mine)
    tables.cells("mine")
    runs.read_own_series("mine")


def _new_seeds():
    for path in sorted([*OWN.glob("*.csv"), *(SAMPLES / "csv").iterdir()]):
        yield b"\n" + path.read_bytes()[:2000]
    yield b"load=user 'time (s)=response_s'\nload;time (s);day;system\n1.200;0,5;2026-11-21;A\n2.400;NA;2026-11-22;B\n"
    yield b"a=MB\na,b,c\n1,200,$5\n2,300,44%\n-,400,16 KB\n"


# ---- plans


def request(data, folder):
    """A request in TOML: planned with both sets of rules, or the cheapest servers chosen."""
    from dominoperf import planning

    path = folder / "request.toml"
    path.write_bytes(data)
    asked = planning.read_request(path)
    if asked.system is None:
        planning.choose(asked, runners_up=0, work=1e5)
        return
    _each([lambda name=name: str(planning.plan(asked, rules=name)) for name in ("corrected", "compaq_1998")])


def _request_seeds():
    from dominoperf import planning

    text = planning.template().encode()
    yield text
    yield re.sub(rb"(?m)^# ?(?=[a-z_]+ = |\[)", b"", text)  # what the template leaves to the reader, said
    group = b'[[groups]]\nname = "mail"\nusers = 800\nprofile = "light_mail"\n'
    yield group + b'[[groups]]\nname = "b"\nusers = 20\nprofile = "mail"\nmessage_kb = 40\n'
    yield b'system = "ProLiant 5000 1xP6/200-512"\nresponse_s = 0.5\ncritical = true\nraid = 5\n' + group
    more = b"growth_percent = 10\nhours = [%s]\nspread = {kind = 'triangular', low = 700, high = 1000}\n"
    yield b"months_ahead = 12\nspare_servers = 1\n" + group + more % b",".join([b"50"] * 24)
    placed = b'overlap = [{groups = ["mail", "b"], users = 5}]\nplacement = {one = ["mail"], two = ["b"]}\n'
    system = b'system = "ProLiant 5000 1xP6/200-512"\n'
    yield placed + system + group + b'[[groups]]\nname = "b"\nusers = 9\nprofile = "groupware"\n'


_PLAN = ("--catalogue", "--map", "--grid", "--servers", "--rules", "--show", "--format", "--example", "--template")
_OF_PLAN = ("request.toml", "catalogue.csv", "grid.csv")


def plan(data, folder):
    """A request, a catalogue and a grid, in files; the first line has the options of `plan`."""
    words = _allowed(_head(_files(data, folder, _OF_PLAN))[0], _PLAN)
    words += ["--jobs", "1"] * any(word.startswith("--grid") for word in words)
    with contextlib.chdir(folder):
        _command(["plan", *["request.toml"] * Path("request.toml").exists(), *words])


def _plan_seeds():
    group = b'[[groups]]\nname = "mail"\nusers = 800\nprofile = "light_mail"\n'
    request = b'system = "A"\n' + group
    systems = b"machine,task,people,price\nA,Mail,900,10000\nB,Mail,500,6000\nA,MailDB,500,10000\n"
    mapped = b"--catalogue catalogue.csv --map machine=system --map task=workload --map people=users"
    mapped += b" --map 'price=price_usd[USD]'"
    rows = b"system,mail.users\nA,800\nB,900\n"
    yield joined(mapped + b" --grid grid.csv\n", request_toml=request, catalogue_csv=systems, grid_csv=rows)
    yield joined(mapped + b" --rules corrected\n", request_toml=group, catalogue_csv=systems)
    yield joined(mapped + b" --servers '2 A' --servers B --format json\n", catalogue_csv=systems)
    yield joined(b"--servers '2 ProLiant 3000 1xP2/300'\n", request_toml=group)


# ---- fits and runs


_FIT = ("--x", "--y", "--where", "--at", "--fixed", "--error", "--sigma", "--resolution", "--level", "--unbounded")
_FIT += ("--inverse", "--show", "--format", "--interval", "--map", "--y-err", "--y-low", "--y-high", "--by-x")


def fit(data, folder):
    """Points in a CSV file; the first line has the law and the options of `fit`, or a family after ``compare``."""
    words, content = _head(data)
    path = folder / "points.csv"
    path.write_bytes(content)
    command, words = ("compare", words[1:]) if words[:1] == ["compare"] else ("fit", words)
    words = _allowed(words, _FIT)
    law = words[0] if words and not words[0].startswith("-") else "usl"
    _command([command, law, str(path), *words[1:]])


def _fit_seeds():
    points = b"load,throughput,kind\n1,90,a\n2,170,a\n4,310,a\n8,500,b\n16,620,b\n32,580,b\n"
    options = b"--x load --y throughput --error relative"
    for law in (b"usl", b"amdahl", b"linear", b"power", b"saturation"):
        yield law + b" " + options + b" --at 64 --format json\n" + points
    yield b"usl " + options + b" --where kind=a --fixed contention 0.02 --level 0.9 --inverse 300\n" + points
    yield b"compare overhead " + options + b" --at 64\n" + points
    yield b"linear --x load --y throughput --sigma 2 --resolution 0.5 --interval profile\n" + points
    yield b'linear --x a --y b\na,b\n"1,200",$5.00\n.5,44%\n16 KB,\n'
    levels = b"n,low,high,sd\n1,90,100,2\n2,170,190,3\n4,310,350,3\n8,500,,5\n8,520,,5\n"
    yield b"usl --map n=load --x load --y-low low --y-high high\n" + levels
    yield b"amdahl --x n --y low --y-err sd --show augment\n" + levels


_STEADY = ("--on", "--time", "--method", "--users", "--settle", "--measure", "--between", "--tolerance", "--by")
_STEADY += ("--count", "--weights", "--level", "--show", "--format", "--map")


def _steady_seeds():
    lines = [f"{10 * k},{min(k, 9)},{100 + (k * 7) % 5 if k > 8 else 12 * k},{0.5 + k % 3},a" for k in range(40)]
    rows = ("time_s,users,throughput_per_s,response_s,kind\n" + "\n".join(lines) + "\n").encode()
    yield b"--method fixed --settle 60 --measure 120 --users users --format json\n" + rows
    yield b"--on response_s --between 50 300 --tolerance 0.1 --level 0.9 --by kind --show means\n" + rows
    clock = [f"2026-11-21 20:{k:02}:00,{100 + k % 4}" for k in range(30)]
    yield ("--time clock\nclock,throughput\n" + "\n".join(clock) + "\n").encode()
    yield b"--on throughput_tps\n" + (SAMPLES / "pgbench" / "clients_4.txt").read_bytes()


_CURVE = ("--x", "--x-from", "--settle", "--until", "--level", "--show", "--format", "--manifest", "--fail-below")
_CURVE += ("--map", "--generators", "--failed-share", "--reader")


def curve(data, folder):
    """Files of load tests, in folders: a curve of all; the first line has the options."""
    words = _builds(data, folder)
    with contextlib.chdir(folder):
        _command(["curve", ".", *_allowed(words, _CURVE)])


def ab(data, folder):
    """Files of load tests, in the folders of two builds, or of a history; the first line has the options."""
    words = _builds(data, folder)
    sets = ["--history", "."] if words[:1] == ["history"] else ["before", "after"]
    with contextlib.chdir(folder):
        _command(["ab", *sets, *_allowed(words, _CURVE)])


def _curve_seeds():
    runs = {f"{build}_c{users}_txt": (SAMPLES / "pgbench" / f"clients_{users}.txt").read_bytes()
            for build in ("before", "after") for users in (4, 8)}  # fmt: skip
    yield joined(b"--settle 5 --until 20\n", **runs)
    yield joined(b"--x-from 'c(\\d+)'\n", **runs)
    yield joined(b"--manifest runs.csv\n", runs_csv=b"file,load\nbefore/c4.txt,4\nc8.txt,8\n", **runs)
    log = (SAMPLES / "jmeter" / "four_threads.jtl").read_bytes()
    logs = {f"{build}_c{users}g{k}.jtl": log.replace(b"OK", str(200 + 10 * k + users).encode())
            for build in ("before", "after") for users in (4, 8) for k in (1, 2)}  # fmt: skip
    yield joined(b"--x-from 'c(\\d+)' --generators together --failed-share 0.9\n", **logs)
    loads = b"load,throughput_per_s,throughput_std_error\n1,90,1\n2,170,2\n4,300,9\n"
    for first in (b"--fail-below 5%\n", b"history --level 0.99\n"):
        yield joined(first, before_a_csv=loads, after_a_csv=loads.replace(b"300", b"280"), third_a_csv=loads)


_FORECAST = ("--x", "--y", "--where", "--at", "--y-err", "--level", "--show", "--format", "--map")


def _forecast_seeds():
    points = b"load,throughput,error\n1,90,1\n2,170,2\n4,310,2\n8,500,5\n16,620,9\n"
    yield b"--x load --y throughput --at 32 64\n" + points
    yield b"--x load --y throughput --y-err error --at 32 --level 0.9 --show weights\n" + points
    yield b"--at 4 8 --format json\nprocessors,users\n1,1150\n2,2070\n4,3450\n"


# ---- machines and nodes


_NODES = ("--rate", "--p95", "--response", "--utilization", "--headroom", "--growth", "--spare", "--node-price")
_NODES += ("--think", "--show", "--format", "--map", "--failed-share")


def _nodes_seeds():
    rows = b"1,90,1,0.01,0.02,1\n2,170,2,0.011,0.03,1\n4,310,3,0.013,0.04,2\n8,500,9,0.016,0.1,1\n"
    curve = b"load,throughput_per_s,throughput_std_error,response_s,p95_s,runs\n" + rows
    yield b"--rate 5000\n" + curve
    yield b"--rate 5000 --p95 0.05 --growth 30% --headroom 0.2 --spare 2 --node-price 900 --format json\n" + curve
    yield b"--rate 900 --response 0.012 --utilization 0.6 --think 1\n" + curve
    yield b"--map n=load --map 'rate=throughput_per_s[1/s]' --failed-share 2%\nn,rate,failures\n1,90,0\n4,300,40\n"


_MACHINE = ("--workload", "--processors", "--clock", "--l2", "--ram", "--drives", "--drive-gb", "--family", "--system")
_MACHINE += ("--os", "--release", "--utilization", "--response", "--level", "--compare", "--show", "--format")
_MACHINE += ("--target", "--map")


def capacity(data, folder):
    """Machines, as TOML or as a table, and runs of one's own; the first line has the options of `capacity`."""
    words = _head(_files(data, folder, ("machine.toml", "machines.csv", "runs.csv")))[0]
    files = [name for name in ("machine.toml", "machines.csv") if (folder / name).exists()][:1]
    own = ["--data", "runs.csv"] if (folder / "runs.csv").exists() else []
    with contextlib.chdir(folder):
        _command(["capacity", *files, *_allowed(words, _MACHINE), *own])


def _capacity_seeds():
    machine = b"processors = 2\nclock_mhz = 200\nl2_kb = 512\nram_mb = 512\nprocessor_family = 'Pentium Pro'\n"
    yield joined(b"--workload Mail '--compare=--processors 4' --level 0.9 --format json\n", machine_toml=machine)
    yield joined(b"--workload Mail --target 3000 --show upgrades\n", machine_toml=machine)
    rows = b"processors,clock_mhz,l2_kb,ram_mb\n2,200,512,512\n4,200,,1024\n"
    yield joined(b"--workload MailDB --response 1\n", machines_csv=rows)
    tests = b"cores,GHz,memory,rate,team\n2,2.4,8,900,a\n4,2.4,8,1700,a\n8,2.4,16,2900,b\n8,3,16,3400,b\n"
    mapped = b"--map cores=processors --map 'GHz=clock_mhz[GHz]' --map 'memory=ram_mb[GB]'"
    mapped += b" --map 'rate=throughput_per_s[1/s]'"
    yield joined(mapped + b" --workload orders --processors 16 --clock 2400\n", runs_csv=tests)


# ---- drafts, packed files


def draft(data, folder):
    """The text of a document, of which an audit is drafted."""
    from dominoperf.study.audit import draft as drafted

    path = folder / "report.txt"
    path.write_bytes(data)
    drafted(folder / "mine", path)
    _reread(folder / "mine")


def _draft_seeds():
    text = (SAMPLES / "sixth_document" / "report.txt").read_bytes()
    yield text[:2500]
    yield b"Table 1\n\nServer   Users  Price\n------   -----  -----\nA        1,200  $9,000\nB        .5     44%\n"
    yield b"With 2 processors the server carried 1,200 users, 80% more than 650.\n\nT\tx (s)\tusers\nA\t0.5\t3\n"


_PACKED = {".gz": "gzip", ".bz2": "bz2", ".xz": "lzma"}
_UNPACKED = 120 << 20  # bytes of a member at most: a little more than what is harmless


def packed(data, folder):
    """A packed file; the first line says how often it is repeated, where a byte is wrong, and its endings.

    ``1 - .txt .gz`` packs a file; ``9 40 a.txt .zst`` one, repeated, with a wrong byte.
    """
    from dominoperf.loadtests import readers

    words, content = _head(data)
    times, wrong, name, *packings = [*words, "1", "-", "a.txt"][: max(3, len(words))]
    content *= min(int(times) if re.fullmatch(r"[0-9]{1,7}", times) else 1, _UNPACKED // max(len(content), 1)) or 1
    for ending in packings[:3]:
        content, name = _packing(content, ending), name + ending
    if re.fullmatch(r"[0-9]{1,7}", wrong) and content:
        at = int(wrong) % len(content)
        content = content[:at] + bytes([content[at] ^ 0x5A]) + content[at + 1 :]
    path = folder / re.sub(r"[^\w.]|^\.+$", "_", name[-60:])
    path.write_bytes(content)
    readers.read(path)


def _packing(content, ending):
    """What a program that packs makes of a content."""
    import importlib

    import pyarrow

    if ending == ".zst":
        return pyarrow.compress(content, "zstd", asbytes=True)
    return importlib.import_module(_PACKED[ending]).compress(content) if ending in _PACKED else content


def _packed_seeds():
    run = (SAMPLES / "pgbench" / "clients_4.txt").read_bytes()
    for endings in (
        b".gz",
        b".bz2",
        b".xz",
        b".zst",
        b".csv .gz",
    ):
        yield b"1 - clients_4.txt " + endings + b"\n" + run
        yield b"9 200 ../c4.txt " + endings + b"\n" + run[:300]
    yield b"200000 - a.csv .gz\ntime_s,users,throughput_per_s\n"


# ---- notebooks


def sets(data, folder):
    """The sets of a sweep, in TOML or CSV as the first line says, for a notebook of three notebooks."""
    from dominoperf.reports.sweeping import check_parameter_sets, read_parameter_sets

    words, content = _head(data)
    grid = folder / ("grid.csv" if words[:1] == ["csv"] else "grid.toml")
    grid.write_bytes(content)
    notebook = folder / "mine.ipynb"
    notebook.write_bytes(_notebook('n: int = 1\nname: str = "a"\nshare: float = 0.5\nsure: bool = True'))
    check_parameter_sets(notebook, read_parameter_sets(grid))


def _sets_seeds():
    yield b'toml\nn = [1, 2, 3]\nname = ["a", "b"]\nshare = 0.5\nsure = [true, false]\n'
    yield b"csv\nn,name,share,sure\n1,a,0.5,true\n2,b,1e3,false\n"
    yield b"toml\nn = [1, 2.5]\n[share]\nx = 1\n"


def _notebook(cell):
    """A notebook with a parameters cell."""
    tagged = {"cell_type": "code", "metadata": {"tags": ["parameters"]}, "source": cell, "outputs": [], "id": "a"}
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    return json.dumps({"cells": [tagged], "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}).encode()


def notebook(data, folder):
    """A notebook handed in as a file, and what ``-p`` says: a line ``name=value`` each, before ``=== mine.ipynb``."""
    from dominoperf.reports import notebooks

    told = _files(data, folder, ("mine.ipynb",)).decode("utf-8", "replace").splitlines()
    path = folder / "mine.ipynb"
    given = {name: value for name, _, value in (line.partition("=") for line in told)}
    path.touch()
    _each(
        [
            lambda: notebooks.read_parameters(path, given),
            lambda: notebooks.check_run(str(path), given),
            lambda: notebooks.check_parameters(path, given),
        ]
    )


def _notebook_seeds():
    cell = 'n: int = 1  # a number\nname: str = "a"\nshare: float = 0.5\nsure: bool = True\nx = 5\n'
    told = b"n=5\nname=b\nshare=1e3\nsure=true\n"
    yield joined(told, mine_ipynb=_notebook(cell))
    yield joined(b"n=x\n", mine_ipynb=_notebook(cell.splitlines()[0]))
    yield joined(b"", mine_ipynb=_notebook("a, b = 1, 2\nc: list[int] = []"))


def address(data, folder):
    """The end of an address for the app: parameters of the notebook, and the states of the panels that they make."""
    from urllib.parse import parse_qsl

    from dominoperf.app import fit_view, plan_view, table_view
    from dominoperf.app.views import FitState, PlanState, TableState
    from dominoperf.reports import notebooks
    from dominoperf.reports.notebooks import notebooks_folder

    given = dict(parse_qsl(data.decode("utf-8", "replace"), keep_blank_values=True))
    path = notebooks_folder() / "03_explore.ipynb"
    values, calls = notebooks.read_parameters(path, given), []
    for state, view in ((FitState, fit_view.view), (PlanState, plan_view.view), (TableState, table_view.view)):
        own = {name: value for name, value in values.items() if name in state.__dataclass_fields__}
        if own:
            calls.append(lambda state=state, view=view, own=own: view(state(**own)).html)
    _each(calls)


def _address_seeds():
    yield b"level=0.9&law=usl&points=smp_mail&until=4&noise_percent=2&error=relative&left_out=1,3"
    yield b"law=usl&held=coherency=0&document=compaq_domino45&points=Mail&x=processors&y=users"
    yield b"light_mail=800&active=300&groupware=100&databases=5&critical=false&raid=5&growth_percent=10&months_ahead=12"
    yield b"utilization_percent=70&spare_servers=1&system=ProLiant+5000+1xP6%2F200-512"
    yield b"table=compaq_domino45/a_mail&version=corrected&search=server+1"


# ---- words


def expression(data, folder):
    """An expression over two columns, a number and a text."""
    import numpy as np

    from dominoperf.tables import expressions

    names = {"x": np.array([1.0, 2.0, 4.0]), "n": 5.0, "t": "12 MB", "w": np.array(["a", "8:15"], dtype=object)}
    expressions.evaluate(data.decode("utf-8", "replace"), names, expressions.FUNCTIONS, "claim")


def _expression_seeds():
    yield from (b"sum(x) / n", b"x ** 2 if n > 3 else -x", b"interp(n, x, x)", b"near(n, 5, 10) and not rising(x)")
    yield from (b"round(n / 3, 2)", b"amounts(t) + n", b"steps(seconds(w))", b"same(t, '12 mb')", b"max(x, n) % 3")
    yield from (b"all(x < 5) or any(x == n)", b"seconds('8:15.30') - seconds('1998-01-02 8:14')", b"log(exp(count(w)))")


def words(data, folder):
    """Names, units, places and selectors, a line each: what stands on a command line or in a cell."""
    from dominoperf import laws, tables
    from dominoperf.app import fit_view
    from dominoperf.app.views import FitState
    from dominoperf.study import audit, recompute
    from dominoperf.study.audit.verdicts import read_stated
    from dominoperf.tables import columns, headings, reading

    lines = (data.decode("utf-8", "surrogateescape").split("\n") + [""] * 8)[:8]
    unit, stated, cell, id, target, held, left_out, more = lines
    _each(
        [
            lambda: columns.known_unit(unit) and columns.unit_fits(unit, "s"),
            lambda: read_stated(stated),
            lambda: (
                reading.read_number(cell),
                reading.unit_sign(cell),
                reading.numeral_in_our_form(cell, "."),
            ),
            lambda: reading.numeral_in_our_form(cell, ","),
            lambda: (reading.readings_of_numeral(cell), reading.decimal_signs({"a": [cell]}, ";")),
            lambda: tables.load(id),
            lambda: tables.describe(id),
            lambda: recompute.regenerate(id),
            lambda: audit.diff_table(id),
            lambda: headings.columns_of_headings([cell, unit], {cell: target}, "b"),
            lambda: headings.columns_of_headings([cell, unit]),
            lambda: fit_view.held_constants_of_panel(FitState(held=held)),
            lambda: fit_view.points_left_out_in_panel(left_out),
            lambda: laws.find(more),
        ]
    )
    quiet = [each for each in (id, more) if "\0" not in each and not each.startswith("-")]
    for word in quiet:
        _command(["tables", word])
        _command(["series", word])


def _words_seeds():
    yield b"ms\nabout 5,150\n$13.22\ncompaq_domino45/a_mail\nresponse_s[ms]\ncoherency = 0\n1, 3\nusl"
    yield b"user/processor**2\n10 to 20 %\n1.234,5\nsmp_mail\nusers\ncontention=0.1; coherency=0\n1-3\nsmp_mail"
    yield b"1/s\nless than 150\n16 KB\ndomino6/figure_1\ncpu_utilization_percent[percent]\n\n\ncompaq_domino45"


# ---- designs


def design(data, folder):
    """A comparison or a forecast, as JSON: the call, its family or its places, its settings; `designs` makes many."""
    from dominoperf import compare, forecast

    try:
        asked = json.loads(data)
        call, first, settings = asked["call"], asked["first"], dict(asked["settings"])
    except (ValueError, TypeError, KeyError, RecursionError):
        return
    if call == "forecast":
        found = forecast(settings.pop("data", None), first, **_of(settings, "x", "y", "y_err", "level"))
        found.tidy(), found.weights(), found.glance(), str(found)
    elif call == "compare":
        names = ("data", "x", "y", "y_err", "y_low", "y_high", "error", "bounded", "sigma", "level", "fixed")
        found = compare(first, **_of(settings, *names))
        str(found), found.glance(), found.augment(), found.left_out(), found.derive()
        with contextlib.suppress(DominoperfError):  # an x that the law cannot take
            found.predict([2 * float(found.best.points[0].max())])


def _of(settings, *names):
    """The settings that a call has."""
    return {name: settings[name] for name in names if name in settings}


def _design_seeds():
    yield from map(designs.design, range(300))


TARGETS = {
    "ingest": Target(ingest, _ingest_seeds),
    "parquet": Target(parquet, _parquet_seeds),
    "folder": Target(folder, _folder_seeds),
    "new": Target(new, _new_seeds),
    "request": Target(request, _request_seeds),
    "plan": Target(plan, _plan_seeds),
    "fit": Target(fit, _fit_seeds),
    "steady": Target(_on_file("run.csv", _STEADY, "steady"), _steady_seeds),
    "curve": Target(curve, _curve_seeds),
    "ab": Target(ab, _curve_seeds),
    "forecast": Target(_on_file("points.csv", _FORECAST, "forecast"), _forecast_seeds),
    "nodes": Target(_on_file("curve.csv", _NODES, "plan", "--curve"), _nodes_seeds),
    "capacity": Target(capacity, _capacity_seeds),
    "draft": Target(draft, _draft_seeds),
    "packed": Target(packed, _packed_seeds),
    "sets": Target(sets, _sets_seeds),
    "notebook": Target(notebook, _notebook_seeds),
    "address": Target(address, _address_seeds),
    "expression": Target(expression, _expression_seeds),
    "words": Target(words, _words_seeds),
    "design": Target(design, _design_seeds),
}
"""Every way in by its name."""
