"""Mistakes at the shell: each ends with 2 and one message, in the words typed, that says what to do."""

import re
import shlex
import shutil

import pytest
from conftest import ROOT

from dominoperf.cli import main

FILES = {
    "my.csv": "threads,tps\n1,100\n2,190\n4,350\n8,600\n16,900\n",
    "empty.csv": "",
    "one.csv": "threads,tps\n1,100\n",
    "curve.csv": "load,throughput_per_s,response_p95_s\n1,100,\n4,350,\n",
    "nodes.csv": "load,throughput_per_s,response_s,response_p95_s\n1,100,0.01,0.02\n4,380,0.0105,0.03\n",
    "cluster.csv": "pods,tps\n1,100\n2,190\n",
    "header.csv": "threads,tps\n",
    "idle.csv": "users\n0\n",
    "wordy.csv": "threads,tps\n1,100\n2,abc\n4,350\n",
    "ragged.csv": "threads,tps\n1,100\n2,190,7\n4,350\n",
    "samples.csv": "time_s,throughput_tps,users\n" + "".join(f"{k},{100 + k % 7},10\n" for k in range(99)),
    "ask.toml": '[[groups]]\nname = "mail"\nusers = 1500\nprofile = "light_mail"\n',
    "typo.toml": '[[groups]]\nname = "mail"\nuser = 1500\nprofile = "light_mail"\n',
    "above.toml": 'users = 1500\n[[groups]]\nname = "mail"\nusers = 1500\nprofile = "light_mail"\n',
    "below.toml": '[[groups]]\nname = "mail"\nusers = 1500\nprofile = "light_mail"\nsystem = "Box"\n',
    "minus.toml": '[[groups]]\nname = "mail"\nusers = -5\nprofile = "light_mail"\n',
    "broken.toml": 'system = "Box\n',
    "levle.toml": "levle = [0.9]\n",
    "systems.csv": "sys,users\nBox,2000\n",
    "odd.csv": "users,resp\n4,abc\n-2,5\n",
    **dict.fromkeys(("runs.tsv", "my runs.txt"), "boxes\trate\tp95_s\n1\t100\t1\n2\t190\t1\n4\t350\t2\n"),
    "blank.txt": "clients tps\n1 100\n2 190\n",
    "kilo.csv": "threads,tps\n1,0.10k\n2,0.19k\n4,0.35k\n",
    "gaps.csv": "threads,tps\n1,100\n2,\n4,350\n8,x\n",
    "report.csv": "Bezeichnung,# Proben,Durchschnitt,Durchsatz\nGET /a,3000,100,49.9\n",
    "single.toml": '[groups]\nname = "mail"\nusers = 1500\nprofile = "light_mail"\n',
    "lite.toml": '[[groups]]\nname = "mail"\nusers = 1500\nprofile = "lite_mail"\n',
    "bare.toml": '[[groups]]\nname = "mail"\nusers = 1500\n',
    "date.toml": 'months_ahead = 2026-01-01\n[[groups]]\nname = "mail"\nusers = 5\nprofile = "light_mail"\n',
    "no_price.csv": "system,workload,users\nBig,Mail,3000\n",
    "under.csv": "load,throughput_per_s\n\n1,100\n2,-1\n",
    "minus.csv": "processors,load,low,high,throughput_per_s\n\n1,1,5,9,100\n2,2,9,7,-1\n",
    "quote.csv": 'threads,tps\n1,100\n2,"190\n4,350\n',
    "rows.json": '{"threads": [1, 2]}',
    "named.csv": "users,note,rest\n1,100,1\n2,190,1\n",
}
SAMPLES = ROOT / "tests" / "samples"
COPIED = {
    "capture.nmon": next((SAMPLES / "nmon").glob("*.nmon")),
    "samples.txt": SAMPLES / "pgbench" / "clients_1.txt",
    "totals.txt": SAMPLES / "pgbench_summary" / "clients_1.txt",
    **{path.name: path for path in (SAMPLES / "pgbench_log").glob("rate_400.28435*")},
}

# What was typed, and a part of what is told. Every command is here.
MISTAKES = """
fitt usl my.csv                              | expected a command, found 'fitt'. Did you mean fit?
--format csv tables                          | Options stand behind the command
report procesors                             | Did you mean processors?
report processors -p nosuch 2                | parameter of 20_processors: expected a known name, found 'nosuch'
report processors -p level x                 | parameter of 20_processors, level: expected a number, found 'x'
report my.ipynb                              | `dominoperf sweep my.ipynb GRID` runs each set of parameters.
report --job 2                               | found '--job'. Did you mean --jobs
report --jobs 0                              | --jobs: expected a whole number from 1, found '0'
report processors -p level 0.9 -p level 0.8 --explain | level as 0.9 and as 0.8
report --fresh=yes                           | --fresh: expected no value: it is on or off, found 'yes'
report -p level                              | two values behind it: -p NAME VALUE, found level.
sweep 71_case_study                          | expected GRID, found nothing there (71_case_study is taken for NOTEBOOK).
compare my.csv                               | found nothing there (my.csv is taken for FAMILY).
sweep 20_processors levle.toml               | found 'levle'. Did you mean level?
verify --out nowhere                         | Run `dominoperf report --out nowhere`
verify reports                               | expected options alone, found reports. Leave out what is too many
tables compaq_domino45.a_mail                | Did you mean compaq_domino45/a_mail?
--data nowhere tables                        | dominoperf: nowhere: expected a folder, found none. Name the folder
tables --data my.csv                         | dominoperf: my.csv: expected a folder, found a file. Name the folder
tables nosuch/none                           | found 'nosuch/none'. `dominoperf tables` lists them all.
tables --as printed                          | expected the ID of a table
tables compaq_domino45/a_mail --as           | --as: expected a word behind it: printed, corrected, suspected
tables --format csv --format json            | --format: expected this option once, found it twice
curve nowhere --show rows                    | --show: expected curve or runs, found 'rows'
capacity                                     | expected --workload NAME, found nothing there. Say what the users do, or
capacity --workload mail                     | dominoperf capacity: expected a machine, found none. Describe it:
capacity --workload mial --clock 200         | Did you mean Mail
capacity --workload mail --clock 2GHz        | --clock: expected a number, found '2GHz'
capacity --workload mail --clock 2           | found --clock 2 is too far from the
capacity --workload mail --clcok 200         | found '--clcok'. Did you mean --clock
capacity --workload mail --ram 49            | found --ram 49 is too far from the 128 to
capacity --workload mail --clock 200 --data idle.csv | dominoperf: --data: expected
capacity --workload mail --clock 200 --utilization 70 | found 70. Write it as a share: 0.7.
capacity --workload mail --clock 200 --compare "--clock 200" | found '--clock 200'. Write
capacity --workload mail --clock 200 --compare "clock 3" | found clock 3. Leave out what is too many
capacity --workload mail --clock 200 --show upgrades  | --target USERS makes it; or leave
capacity --workload mail --clock 200 --compare 3      | --compare
capacity --workload mail --clock 200 --compare "--processor 3" | Did you mean --processors
capacity --workload mail --clock 200 --show ratio     | found an answer with tidy and glance. --compare OPTIONS makes
capacity --workload mail --clock 200 --data nowhere   | nowhere
plan --servers '10000000000 Box'             | --servers: expected a known name
plan --servers 1000000000000                 | --servers: expected the name of a system beside a number of them
plan --servers '0 ProLiant 3000 1xP2/300'    | found 0 of 'ProLiant 3000 1xP2/300'. Write --servers '2 ProLiant
capacity nosuch.csv --workload mail          | a file has to be there
capacity my.csv --workload mail              | found 'threads'. Did you mean processors?
capacity systems.csv --workload mail --target 3       | --target: expected a single machine, found the table systems.csv
capacity 'PC Server 33' --workload mail      | Did you mean IBM PC Server 330
describe nothing                             | `dominoperf tables` lists the tables; workloads are Mail,
describe Mail2                               | expected a table or workload, found 'Mail2'. Did you mean Mail or
series nosuch                                | found 'nosuch'. Series are smp_mail, smp_discdb,
ingest empty.csv                             | empty.csv: expected a file with rows, found an empty one
ingest binary.csv                            | zero bytes, as in a binary file
ingest my.csv --map threads                  | --map: expected COLUMN=NAME, found 'threads'
ingest odd.csv                               | line 3: expected a number from 0 in column 'users', found -2
ingest odd.csv --map resp=load               | odd.csv, line 2: expected a number in column 'resp', found 'abc'
ingest odd.csv --map resp=response_s         | one that goes into s: --map 'resp=response_s[ms]'.
ingest odd.csv --map users=throughput_tps[s] | --map 'users=throughput_tps[tps]'.
ingest odd.csv --map resp=system[ms]         | Leave the unit away: --map 'resp=system'
ingest samples.txt --out gone/x.csv          | gone/x.csv: expected a folder to write to, found no folder gone.
ingest samples.txt --out full.csv            | dominoperf: full.csv: expected a place
ingest capture.nmon --reader nmom            | Did you mean nmon
ingest capture.nmon --out rows.xlsx          | expected .csv or .parquet, found .xlsx
laws procesors                               | found 'procesors'. Did you mean processors?
fit                                          | expected LAW and SERIES_OR_TABLE_OR_FILE, found nothing there. An
fit usl my.csv extra                         | and no more words, found usl my.csv extra. Leave
fit usl my.csv --x threads --y tps --y-err tps | found tps, which is one of the two. Leave --y-err
fit usl my.csv --sigma -1                    | --sigma: expected a positive number, found -1. Give a positive
forecast usl --at 4                          | found 'usl'. `dominoperf series` lists
fit usl my.csv --level 95                    | between 0.5 and 1, found 95. Write it as a share: 0.95
fit usl my.csv --where threads=3             | expected a value of threads, found '3'. Values are 1,
fit usl my.csv --fixed contention=2          | two values behind it: --fixed NAME VALUE, found contention=2.
fit usl my.csv --fixed contention 2          | expected a number from 0 to 1, found 2. Give
fit usl my.csv --fixed contention lots       | Give --fixed contention such a number; it is: serial share of
fit usll my.csv                              | Did you mean usl?
fit nosuch my.csv                            | law: expected the name of a law, before the points, found 'nosuch'
fit usl smp_mial                             | Did you mean smp_mail
fit usl wordy.csv                            | wordy.csv, column tps, line 3: expected a number, found 'abc'
fit usl one.csv                              | users_at_response with --fixed response_max_s VALUE
fit mm1 my.csv                               | line 3: expected a share from 0 to 1, found 2. Divide percent
fit usl mu.csv                               | found no such file. Did you mean my.csv?
fit usl my.csv --x threads --y threads       | expected two columns, found threads for both
fit usl my.csv --where threads               | --where: expected COLUMN=VALUE, found 'threads'
fit usl gaps.csv                             | gaps.csv, column tps, line 5: expected a number, found 'x'. Write
fit usl kilo.csv                             | kilo.csv, column tps, line 2: expected a number, found '0.10k'. Write
fit usl third.csv                            | third.csv: expected a file or folder, found no such file. Look
fit usl empty.csv                            | empty.csv: expected a table with a header, found an empty file. Look
fit usl quote.csv                            | as many cells, found a quote that is not closed
fit usl rows.json                            | rows.json: expected a table, in CSV or Parquet, found JSON. What
fit usl header.csv                           | header.csv: expected rows of points, found none. Give a row
fit usl named.csv --y rest                   | a column for x, found no column processors among
fit usl,amdahl my.csv                        | expected a single law, found 'usl,amdahl'. Name one, or compare them:
fit usl my.csv --settle 10                   | found '--settle'. It is an option of curve, ab and steady. An example:
fit usl my.csv --rate 10                     | found '--rate'. It is an option of plan. An example:
fit usl my.csv --map tps=bogus               | found 'bogus'. `dominoperf ingest --formats` lists
fit usl my.csv --show inverse                | derive and predict. --inverse Y makes it; or leave
fit usl my.csv --fixed scale abc             | expected a number from 0 on, found 'abc'.
fit usl compaq_domino45/a_mail --x cpus      | Series of this table: smp_mail.
fit usl ragged.csv                           | ragged.csv, line 3: expected
fit usl my.csv --x thread                    | Did you mean threads?
fit usl named.csv                            | expected a column for x, found no column processors among
fit usl blank.txt                            | expected columns for x and y
fit amdahl smp_mail --error log              | dominoperf: --error: expected a known name, found 'log'
fit amdahl compaq_domino45/a_mail --where cpus=1 | Columns are
fit usl my.csv --y_err tps                   | found '--y_err'. Did you mean --y-err
fit usl my.csv --zed 3                       | found '--zed'. An example: `dominoperf fit
fit usl my.csv --at 1,000                    | --at: expected a number, found '1,000'. Write --at 1000.
fit usl my.csv --at 128,256                  | found '128,256'. Write --at 128256, or apart: --at 128 256.
plan --curve nodes.csv --p95 50ms            | --p95: expected a number, found '50ms'. Write it in seconds: --p95 0.05.
fit usl my.csv --at 4,8,16                   | a decimal point, no commas, no unit, no percent sign; several stand
plan --curve nodes.csv my.toml               | expected --curve or REQUEST.toml, found both. Leave one of them out
plan --template --max-price 9                | expected --template or --max-price, found both
plan --grid my.csv --show risk               | expected --grid or --show, found both
plan --servers Box --grid my.csv             | expected --servers or --grid, found both
plan ask.toml --rate 9                       | --rate: expected --curve beside it, found none. Add --curve, or
fit my.csv usl                               | the name of a law, before the points, found 'my.csv'
fit processors my.csv                        | the name of a law, before the points, found 'processors'
compare usl my.csv                           | or name several laws, usl,amdahl.
plan ask.toml --jobs 2                       | --jobs: expected --grid
plan binary.csv                              | found bytes that are no text in UTF-8
app broken.toml                              | found text that is no JSON (line 1)
fit usl my.csv --at                          | one value or more behind it: --at X, found none
fit usl my.csv --fixed contension 0.1        | Did you mean contention?
fit usl my.csv --y-err tps --sigma 2         | Leave one out
compare overhead 'my runs.txt'               | Name them with --x and --y
compare linear,amdhal my.csv                 | Did you mean amdahl?
forecast usl my.csv --at 32                  | and no more words, found usl my.csv. Leave out what is too many
forecast my.csv                              | dominoperf forecast: expected --at X, found nothing there
forecast my.csv --at -1e3                    | --at: expected threads above zero
steady samples.txt --level 2                 | dominoperf: --level: expected a number
steady samples.txt --between 900 901         | --between: expected two times, found 900, 901,
steady odd.csv                               | Name the column of times (--time COLUMN).
steady odd.csv --time users                  | Name a column: --on COLUMN.
steady rate_400.28435                        | Give them together: `dominoperf ingest
steady samples.csv --settle 10               | --settle: expected --method fixed, whose window it sets
steady samples.csv --weights nosuch           | column of --weights: expected one that is there, found 'nosuch'
steady samples.csv --on throughput           | Did you mean throughput_tps?
steady samples.csv --method fixed --measure -1 | dominoperf: --measure: expected
curve report.csv                             | found the columns Bezeichnung, # Proben, Durchschnitt, Durchsatz.
ingest samples.csv --reader gatling          | found line 1: not a line of RUN, USER, REQUEST, GROUP or ERROR as Gatling
ab my.csv my.csv --history full.csv          | expected two sets of runs, one and --by, or none and --history, found 2
ab --history samples.csv                     | samples.csv: expected a folder, found a file. Give
curve my.csv --settle -1                     | dominoperf: --settle: expected
curve my.csv --generators no                 | dominoperf: --generators: expected
curve my.csv --manifest my.csv               | --manifest
ab my.csv my.csv --fail-below 2              | dominoperf: --fail-below: expected
plan ./above.toml                            | ./above.toml, key: expected a known key, found 'users'. It is a key
plan below.toml                              | found 'system'. It is a key of the request: write it above the first
plan nosuch.toml                             | nosuch.toml: expected a file or folder, found no such file
plan --users 500                             | found '--users'. It is an option of steady. An example:
plan --curve nodes.csv --reader jmeter       | found '--reader'. It is an option of ingest, curve, ab and steady.
plan --servers '2x Box'                      | dominoperf: --servers: expected a known name, found 'Box'.
plan --servers '1 Box + -1 Case'             | --servers: expected a whole number of each, found -1 of 'Case'
plan --servers 'PC Server 33'                | found 'PC Server 33'. Did you mean IBM PC Server 330?
plan date.toml                               | 0 or more, at most 1e+12, found 2026-01-01.
capacity --workload mail --clock 200 --utilization 70% | found '70%'. Write it as a share: --utilization 0.7.
capacity --workload mail --clock 200 --target 70% | --target: expected a number, found '70%'. Write the number alone
ab my.csv my.csv --fail-below -20%           | dominoperf: --fail-below: expected
plan --servers my.csv                        | found 'my.csv'. Systems of your own need --catalogue TABLE. Known
plan my.csv                                  | my.csv, line 1, column 8: expected a request in TOML, found text
plan single.toml                             | Write [[groups]], in double brackets, above each group.
plan lite.toml                               | lite.toml, group 'mail', profile: expected a known name, found 'lite_mail
plan bare.toml                               | bare.toml, group 'mail': expected the key 'profile', found none.
plan ask.toml --catalogue no_price.csv       | Give it a rating in a catalogue of your own, with users and price_usd.
plan ask.toml --show risk                    | A request that names a system has it; or leave
plan typo.toml                               | found 'user'. Did you mean users?
plan minus.toml                              | minus.toml, group 'mail', users: expected people, 0 or more
plan broken.toml                             | broken.toml, line 1, column 14: expected a request in TOML, found
plan ask.toml --example case_study           | expected --example or REQUEST.toml, found both
plan ask.toml --catalogue systems.csv        | found no system, no workload
plan --curve nodes.csv --rate 9 --growth 5x  | --growth: expected a share, found '5x'. Write one, such as --growth 0.3
plan --curve nodes.csv --servers '2 Box'     | expected --curve or --servers, found both
plan --curve under.csv                       | --curve, column throughput_per_s, line 4: expected a number of 0 or
capacity --workload W --clock 200 --data minus.csv | --data, column throughput_per_s, line 4: expected a number
fit usl minus.csv --y-low low --y-high high  | --y-low, --y-high, line 4: expected y_low not above y_high
plan --curve cluster.csv --map pods=load      | carry together says `dominoperf forecast FILE --x pods --at N`.
plan --curve nodes.csv --rate 0              | dominoperf: --rate: expected a number above 0, found 0
plan --curve nodes.csv --rate 9 --p95 0.001  | dominoperf: --p95: expected
plan --curve nodes.csv --rate 9 --response 0.001 | dominoperf: --response: expected
plan --curve nodes.csv --rate 9 --utilization 2 | found 2. Write it as a share: 0.02 or 2%.
plan --curve nodes.csv --rate 9 --utilization 120% | expected a share of at most 100%, found 120%. Write a smaller one
plan --curve nodes.csv --rate 9 --growth 50  | at most 10, found 50. Write it as a share: 0.5 or 50%.
plan --curve nodes.csv --rate 9 --spare 0.5  | --spare: expected
plan --curve nodes.csv --rate 9 --think -1   | dominoperf: --think: expected
plan --curve nodes.csv --rate 9 --node-price -1 | dominoperf: --node-price: expected
plan --curve curve.csv --rate 9 --p95 0.2    | --curve: expected a curve of load tests, found no response_p95_s
audit --topic=diks                           | dominoperf: --topic: expected
audit --verdict contradict                   | Did you mean contradicted?
diff compaq_domino45/a_mial                  | Did you mean compaq_domino45/a_mail
check my.csv                                 | expected a folder, found a file
new made                                     | expected --from or --from-text, found neither. Name
new made --from header.csv                   | expected rows under the header
new made --from totals.txt                   | `dominoperf ingest FILE --out rows.csv`
new made --from samples.txt                  | 4 cells under 1 heading.
lab --port http                              | --port: expected a whole number from 1 to 65535, found 'http'
app 03_explor                                | Did you mean 03_explore?
"""
CASES = [tuple(map(str.strip, line.split(" | "))) for line in MISTAKES.strip().splitlines()]
PYTHON = r"\w\(|\w=(\.\.\.|[\[{(])|Errno|Error:|codec|Traceback|usage:"


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder with files that are wrong in one way each."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DOMINOPERF_DATA", raising=False)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "binary.csv").write_bytes(bytes(range(256)) * 40)
    (tmp_path / "full.csv").mkdir()
    for name, path in COPIED.items():
        shutil.copy(path, name)
    return tmp_path


@pytest.mark.parametrize(("typed", "says"), CASES, ids=[typed for typed, _ in CASES])
def test_a_mistake_is_one_message(capsys, place, typed, says):
    """Four parts, nothing on stdout, and neither argparse's words nor Python's."""
    before = set(place.rglob("*"))
    status = main(shlex.split(typed))
    out, err = capsys.readouterr()
    assert (status, out) == (2, "")
    *notes, message = err.splitlines()
    assert all(line.startswith("note: ") for line in notes)
    assert re.fullmatch(r"dominoperf\b.*: expected .+, found .+\. .+[.?]", message), message
    assert says in message
    assert not re.search(PYTHON, message)
    assert set(place.rglob("*")) == before
