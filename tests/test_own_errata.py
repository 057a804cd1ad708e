"""Errata of a data folder of one's own: how they are written, that they meet their cells, and where they are told."""

import pytest

from dominoperf import fitting, runs, tables
from dominoperf.errors import BadTable
from dominoperf.tables import carried_errata

RUNS = """system,workload,users,processors,Response time (ms),price_usd,ram_mb
S1,checkout,1000,1,250,5000,1024
S2,checkout,1850,2,300,9000,2048
S3,checkout,3100,4,410,16000,4096
S4,checkout,5000,8,650,30000,8192
"""
SERIES = """[own_users]
title = "Users by processors"
table = "runs"
x = "processors"
y = "users"
rows = {system = ["S1", "S2", "S3", "S4"]}

[own_resp]
title = "Response by processors"
table = "runs"
x = "processors"
y = "response_s"
"""


@pytest.fixture
def own(tmp_path, monkeypatch):
    """What makes a folder of RUNS, or of another text, with these errata: (row, column, printed, corrected, status)."""
    monkeypatch.setenv("DOMINOPERF_DATA", "")

    def make(*errata, text=RUNS):
        (tmp_path / "runs.csv").write_text(text, encoding="utf-8")
        tables.new(tmp_path / "own", tmp_path / "runs.csv", title="Own", source="a log", licence="CC0-1.0")
        (tmp_path / "own" / "series.toml").write_text(SERIES, encoding="utf-8")
        lines = [f"page 1,runs,{row},{','.join(map(quoted, cells))},{cells[0]} is wrong" for row, *cells in errata]
        head = "locator,table,row,column,printed,corrected,status,mistake"
        (tmp_path / "own" / "errata.csv").write_text("\n".join([head, *lines, ""]), encoding="utf-8")
        return tmp_path / "own"

    return make


def quoted(text):
    return f'"{text}"'


def mistakes(*things):
    return {erratum.mistake for erratum in carried_errata.errata_of(*things)}


def test_errata_are_written_as_the_file_writes_its_numbers(own):
    text = "system;users;processors;Response time (ms)\nA;1.000;1;250,5\nB;1.850;2;300,5\nC;3.100;4;410,5\n"
    folder = own((2, "users", "1.850", "1.900", "certain"), (3, "Response time (ms)", "410,5", "400,5", "certain"),
                 text=text)  # fmt: skip
    assert tables.check(folder).empty
    with tables.using(folder):
        assert tables.load("own/runs")["users"].tolist() == [1000, 1900, 3100]
        assert tables.load("own/runs", text=True)["Response time (ms)"].tolist() == ["250.5", "300.5", "400.5"]
        assert tables.errata("own/runs")[["printed", "corrected"]].to_numpy().tolist() == [
            ["1,850", "1,900"],
            ["410.5", "400.5"],
        ]


@pytest.mark.parametrize(
    ("errata", "found"),
    [
        (
            [(2, "users", "9999", "100", "certain")],
            "'9999' as printed in row 2, column 'users' of own/runs, where the table prints '1850'",
        ),
        (
            [(2, "users", "1850", "100", "certain"), (2, "users", "1850", "1900", "certain")],
            "two errata of row 2, column 'users' of own/runs",
        ),
    ],
)
def test_an_erratum_that_does_not_meet_its_cell_is_not_applied(own, errata, found):
    folder = own(*errata)
    assert len(tables.check(folder)) == 1
    with tables.using(folder):
        assert tables.load("own/runs", "printed")["users"].tolist() == [1000, 1850, 3100, 5000]
        with pytest.raises(BadTable, match="dominoperf check") as told:
            fitting.fit("amdahl", "own_users")
    assert told.value.found == found


def test_an_erratum_follows_its_column_under_another_name(own):
    with tables.using(own((3, "Response time (ms)", "410", "900", "suspected"))):
        points = runs.series("own_resp")
        assert mistakes(points) == mistakes(fitting.fit("amdahl", "own_resp")) == {"Response time (ms) is wrong"}
        assert not mistakes(runs.series("own_users"))
        record = runs.find("own_resp")
        assert record.points("suspected")["response_s"].tolist() == [0.25, 0.3, 0.9, 0.65]


def test_rows_of_a_series_name_the_printed_cells(own):
    with tables.using(own((4, "system", "S4", "S4x", "certain"))):
        assert len(runs.series("own_users")) == 4
