"""What a user may name: folders, patterns, packed files, standard input; and many files in one frame."""

import bz2
import errno
import gzip
import io
import lzma
import os
import pickle
import shutil
import sys
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest
from conftest import ROOT

from dominoperf import loadtests, tables
from dominoperf.cli import main
from dominoperf.errors import BadTable, DominoperfError, UnknownName
from dominoperf.loadtests import readers
from dominoperf.tables import files

SAMPLES = ROOT / "tests" / "samples"
CSV = "users,throughput_per_s\n{0},{1}\n"
JTL = SAMPLES / "jmeter" / "four_threads.jtl"
THREADS = [SAMPLES / "pgbench_log" / f"rate_400.28435{end}" for end in ("", ".1", ".2")]


def zstd(content):
    return pa.compress(content, codec="zstd", asbytes=True)


def names(paths, folder):
    return [str(path).removeprefix(f"{folder}/") for path in paths]


@pytest.fixture
def runs(tmp_path):
    """A folder with runs at 2, 10 and 100 users, the last below, and what is no run."""
    folder = tmp_path / "runs"
    (folder / "more").mkdir(parents=True)
    (folder / ".git").mkdir()
    for name, users in (("c10.csv", 10), ("c2.csv", 2), ("more/c100.csv", 100), (".git/c5.csv", 5), (".c7.csv", 7)):
        (folder / name).write_text(CSV.format(users, users * 9))
    return folder


# ---- files


def test_folders_patterns_and_files_in_natural_order(runs):
    everything = ["c2.csv", "c10.csv", "more/c100.csv"]
    assert names(readers.files(runs), runs) == everything
    assert names(readers.files(f"{runs}/*.csv"), runs) == everything[:2]
    assert names(readers.files(f"{runs}/**/*.csv"), runs) == everything
    assert names(readers.files(f"{runs}/c[1-9][0-9].csv", runs / "c2.csv"), runs) == everything[:2]
    assert names(readers.files([runs / "c10.csv", runs / "c2.csv"], runs), runs) == everything  # each once
    (runs / "c[2].csv").write_text("")  # a file of that name is meant, not the pattern
    assert names(readers.files(runs / "c[2].csv"), runs) == ["c[2].csv"]


def test_reports_written_among_the_runs_are_no_runs(runs):
    """A folder of reports is left out with all in it, unless it is what is named."""
    made = runs / "runs" / "your_own_data-1"
    (made / "tables").mkdir(parents=True)
    for path in (made / ".written", made / "tables" / "law.csv", runs / "runs" / "mine.csv"):
        path.write_text("")
    everything = ["c2.csv", "c10.csv", "more/c100.csv", "runs/mine.csv"]
    assert names(readers.files(runs), runs) == names(readers.files(f"{runs}/*"), runs) == everything
    assert names(readers.files(made), made) == names(readers.files(made / "tables"), made) == ["tables/law.csv"]


def test_links_end(runs):
    os.symlink(runs, runs / "more" / "loop")
    os.symlink(runs / "c2.csv", runs / "again.csv")
    assert len(readers.files(runs)) == 3


def test_urls(runs):
    assert [Path(path).name for path in readers.files(f"file://{runs}")] == ["c2.csv", "c10.csv", "c100.csv"]
    assert [Path(path).name for path in readers.files(f"file://{runs}/c*.csv")] == ["c2.csv", "c10.csv"]
    assert readers.files("https://example.org/c1.csv") == ["https://example.org/c1.csv"]


@pytest.mark.parametrize(
    ("path", "error", "says"),
    [
        ("nosuch.csv", FileNotFoundError, "nosuch.csv"),
        ("*.jtl", BadTable, "expected a pattern that some file matches, found none that does"),
        ("empty", BadTable, "expected a folder with files, found it has none"),
        (7, BadTable, "found int"),
    ],
)
def test_nothing_of_that_name(tmp_path, monkeypatch, path, error, says):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    with pytest.raises(error, match=says):
        readers.files(path)
    with pytest.raises(BadTable, match="found none"):
        readers.files()


ASKED = [readers.read, loadtests.curve, loadtests.steady_state, lambda path: loadtests.ab(path, path)]


@pytest.mark.parametrize("ask", ASKED, ids=["read", "curve", "steady_state", "ab"])
def test_a_file_that_is_not_there_is_told_with_those_like_it(tmp_path, monkeypatch, ask):
    """As a mistake of the user's, and as Python's own error; it travels between processes."""
    monkeypatch.chdir(tmp_path)
    Path("rates.csv").write_text("")
    with pytest.raises(FileNotFoundError) as caught:
        ask("rate.csv")
    told = pickle.loads(pickle.dumps(caught.value))
    assert isinstance(told, DominoperfError)
    assert str(told).startswith("rate.csv: expected a file or folder, found no such file. Did you mean rates.csv? ")
    assert (told.filename, told.errno) == ("rate.csv", errno.ENOENT)


# ---- packed files, standard input


@pytest.mark.parametrize(
    ("sample", "ending"),
    [
        ("jmeter/four_threads.jtl", ".gz"), ("nmon/vm_16n.nmon", ".bz2"), ("pgbench/clients_4.txt", ".xz"),
        ("fio/reads_depth_8.json", ""), ("sadf/vm_all.sadf", ".zst"), ("sadf/vm_all.sadf", ".gz"),
    ],
)  # fmt: skip
def test_packed_files_are_the_files(tmp_path, sample, ending):
    """Whatever packed it, and also where the name does not say so; sadf goes to and fro in its file."""
    whole = SAMPLES / sample
    pack = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress, ".zst": zstd, "": zstd}[ending]
    path = tmp_path / f"{whole.name}{ending}"
    path.write_bytes(pack(whole.read_bytes()))
    pd.testing.assert_frame_equal(readers.read(path), readers.read(whole))


def test_zstd_goes_to_any_place(tmp_path):
    content = bytes(k % 251 for k in range(300_000))
    path = tmp_path / "a.zst"
    path.write_bytes(zstd(content))
    with files.opened_file(path) as file:
        for place in (0, 299_990, 17, 150_000, 150_001, 3):
            file.seek(place)
            assert file.read(5) == content[place : place + 5]
        assert file.seek(-4, io.SEEK_END) == 299_996
        assert file.read() == content[-4:]
    path.write_bytes(zstd(content)[:-20])
    with pytest.raises(BadTable, match="expected a whole packed file, found"), files.opened_file(path):
        pass


@pytest.mark.parametrize("ending", ["zip", "tar", "tar.gz"])
def test_an_archive_is_to_be_unpacked(runs, ending):
    kind = {"tar.gz": "gztar"}.get(ending, ending)
    path = shutil.make_archive(str(runs.parent / "all"), kind, runs)
    with pytest.raises(BadTable, match=r"found a zip or tar archive\. Unpack it, and give the folder"):
        readers.read(path)
    shutil.move(path, runs)
    assert [*readers.read(runs).attrs["unread"]] == [str(runs / f"all.{ending}")]


class _Piped:
    """What `sys.stdin` is behind a pipe: bytes that come once."""

    def __init__(self, content):
        self.buffer = io.BytesIO(content)

    def isatty(self):
        return self.buffer.getbuffer().nbytes == 0


@pytest.mark.parametrize("pack", [bytes, gzip.compress, zstd])
def test_standard_input(monkeypatch, pack):
    monkeypatch.setattr(sys, "stdin", _Piped(pack(JTL.read_bytes())))
    assert readers.recognise("-") == "jmeter"
    pd.testing.assert_frame_equal(readers.read("-"), readers.read(JTL))
    monkeypatch.setattr(sys, "stdin", _Piped(b""))
    with pytest.raises(BadTable, match=r"standard input \(-\): expected a file, found a terminal. Pipe a file in"):
        readers.read("-")


# ---- many files in one frame


def test_a_list_a_pattern_and_a_folder_are_the_same(runs):
    frame = readers.read(runs)
    for named in ([runs], [f"{runs}/*.csv", runs / "more"], readers.files(runs)[::-1]):
        pd.testing.assert_frame_equal(readers.read(named), frame)
    assert "file" not in readers.read(runs / "more")  # one file is read as itself


def test_logs_of_threads_are_one_run(tmp_path):
    """Two runs of three threads beside each other, and a part of a third."""
    text = {path.name: path.read_bytes() for path in THREADS}
    for name, content in text.items():
        (tmp_path / name).write_bytes(content)
        (tmp_path / name.replace("28435", "3000")).write_bytes(content)
    (tmp_path / "alone.77.1").write_bytes(content)
    frame = readers.read(tmp_path)
    added = readers.read(THREADS)
    assert names(dict.fromkeys(frame["file"]), tmp_path) == [
        "rate_400.3000",
        "rate_400.28435",
    ]
    for _, run in frame.groupby("file"):
        pd.testing.assert_frame_equal(run.drop(columns="file").reset_index(drop=True), added)
    assert names(frame.attrs["unread"], tmp_path) == ["alone.77.1"]
    assert "the logs of all 2 threads" in "".join(frame.attrs["notes"])
    pd.testing.assert_frame_equal(readers.read(f"{tmp_path}/rate_400.28435*"), added)


def test_a_file_that_is_not_recognised_has_the_nearest_readers_named(tmp_path):
    """By the words that readers look for: of k6 a summary without requests, of hey a report without responses."""
    for text, nearest in (
        ('{"root_group": 1, "metrics": {}}', "k6_summary recognises its files by metrics and http_reqs. Make of it"),
        ("Summary:\n  Total: 3", "hey recognises its files by Summary: and Slowest:. Make of it"),
        ("hello", "found text that begins with 'hello'. Make of it"),
        (
            "Load test results of v4.2\n\nusers,x\n1,2\n",
            "found text that begins with 'Load test results of v4.2'. Make",
        ),
    ):
        (tmp_path / "a").write_text(text)
        with pytest.raises(UnknownName, match=nearest):
            readers.read(tmp_path / "a")


def test_another_form_of_what_is_read_is_told_how_to_have_it(tmp_path):
    for text, found in (
        (
            "Linux 5.15.0 (host)\t12/01/26\t_x86_64_\t(2 CPU)\n\n10:00:01 CPU %user\n",
            "the text of sar .* `sadf -d FILE",
        ),
        ('<?xml version="1.0"?>\n<testResults version="1.2">\n', "JMeter's results in XML.*output_format=csv"),
        ("<!DOCTYPE html>\n<html></html>\n", "an HTML page"),
        ("\0\0\0\0\x063.10.5", r"simulation\.log of Gatling.*stats\.json"),
        ("\x1b\x7f\3\1\1\6Result\x01ÿ\0\0Attack\0", "results of vegeta.*vegeta encode"),
    ):
        (tmp_path / "a").write_bytes(text.encode("latin-1"))
        with pytest.raises((UnknownName, BadTable), match=found):
            readers.read(tmp_path / "a")


def test_none_can_be_read(tmp_path):
    (tmp_path / "a").write_text("nothing")
    with pytest.raises(UnknownName, match="a: expected a file that one reader recognises, found text that begins with"):
        readers.read(tmp_path)
    (tmp_path / "b").write_text("")
    with pytest.raises(
        BadTable, match=r"a and 1 other: expected files that `read` takes, found none of 2; .*Look at the first"
    ):
        readers.read(tmp_path)


# ---- the table of formats, and the command


def test_formats_say_what_the_samples_give():
    """Each reader's columns: no value that is not announced, and nothing announced that no sample has, but these."""
    unseen = {
        "nmon": {"ram_available_mib"},
        "perfmon": {"disk_busy_percent", "cpu_wait_percent", "ram_free_mib", "cpu_steal_percent"},
    }
    table = readers.formats().set_index("reader")
    assert list(table.index) == list(readers.READERS)
    assert set(readers.formats()) <= set(tables.vocabulary())
    for name, reader in readers.READERS.items():
        if name in ("csv", "parquet", "prometheus"):  # names of one's own
            assert reader.columns == ()
            continue
        given = set(table.loc[name, "columns_given"].split(", "))
        paths = [path for path in readers.files(SAMPLES / name) if Path(path).name != "locustfile.txt"]
        frame = readers.read(paths)
        found = {column for column in frame if frame[column].notna().any()} - {"file"}
        assert given - found == unseen.get(name, set()), name
        assert found <= given, name


def test_command(capsys, monkeypatch, tmp_path, runs):
    (runs / "README").write_text("Runs of Monday")
    assert main(["ingest", str(runs), "--format", "csv"]) == 0
    out, err = capsys.readouterr()
    assert out.splitlines()[0] == "file,users,throughput_per_s,line"
    assert len(out.splitlines()) == 4
    assert f"note: not read: {runs / 'README'}: expected a file that one reader recognises" in err
    assert main(["ingest", f"{runs}/c*.csv", "--out", str(tmp_path / "all.parquet")]) == 0
    assert capsys.readouterr().err.endswith("all.parquet: 2 rows\n")
    assert pd.read_parquet(tmp_path / "all.parquet")["users"].tolist() == [2, 10]
    monkeypatch.setattr(sys, "stdin", _Piped(JTL.read_bytes()))
    assert main(["ingest", "-", "--format", "csv"]) == 0
    assert capsys.readouterr().out.startswith("time,time_s,users,")
    assert main(["ingest", "--formats"]) == 0
    listed = capsys.readouterr().out
    assert all(name in listed for name in readers.READERS)
    assert main(["ingest"]) == 2
    assert "expected a file, a folder or a pattern, found none" in capsys.readouterr().err


def test_a_column_that_may_be_the_load_is_named(tmp_path):
    """Threads may be those of the server: what to type if they are those of the load."""
    path = tmp_path / "own.csv"
    path.write_text("num_threads,rps\n1,95\n2,188\n4,362\n")
    with pytest.raises(BadTable, match=r"If num_threads is the load: mapping=\{'num_threads': 'users'\}\. Else: Say"):
        loadtests.curve(path)
    assert loadtests.curve(path, mapping={"num_threads": "users"})["load"].tolist() == [1, 2, 4]
