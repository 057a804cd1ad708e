"""The files of drivers rolled up by brute force, and what they may not be."""

import numpy as np
import pandas as pd
import pytest

from dominoperf.errors import BadTable, UnknownName
from dominoperf.loadtests import notesnum

NAN = np.nan


def driver(start, rows):
    """Rows of (seconds, users, transactions, response)."""
    frame = pd.DataFrame(rows, columns=["at", "users", "transactions", "response_s"])
    return frame.assign(time=pd.Timestamp(start) + pd.to_timedelta(frame.pop("at"), unit="s"))


ONE = driver("2026-01-01 10:00:30", [(0, 5, 99, 9.0), (30, 5, 99, 9.0), (60, 6, 10, 0.5), (90, 7, 20, NAN),
                                     (150, 7, 30, 1.0),
                                     (180, 9, 40, 9.0)])  # fmt: skip
TWO = driver(
    "2026-01-01 09:59:00", [(0, 3, 99, 9.0), (120, 3, 99, 9.0), (150, 4, NAN, 9.0), (240, 2, 5, 2.0), (900, 1, 9, 9.0)]
)


def test_two_drivers_by_hand():
    """The window is 10:01 to 10:03, the first instant out, the last in: of one 10 + 20 + 30, of two 5 transactions."""
    found = notesnum([ONE, TWO])
    assert found.to_dict("records") == [{
        "client_drivers": 2, "users": 11.0, "notesmark_tpm": 65 / 2,
        "response_s": pytest.approx((10 * 0.5 + 30 * 1.0 + 5 * 2.0) / 45), "min_start_time": "2026-01-01 09:59:00",
        "max_stop_time": "2026-01-01 10:14:00", "test_time_s": 900.0, "window_start": "2026-01-01 10:01:00",
        "window_end": "2026-01-01 10:03:00", "reason": "",
    }]  # fmt: skip
    pd.testing.assert_frame_equal(notesnum({"a": ONE, "b": TWO}), found)


def test_drivers_without_a_transaction_or_a_minute():
    idle = notesnum([ONE.assign(transactions=0), TWO.assign(transactions=NAN, users=NAN)]).iloc[0]
    assert idle[["notesmark_tpm", "reason", "window_start"]].tolist() == [0.0, "no transactions", "2026-01-01 10:01:00"]
    assert np.isnan(idle[["users", "response_s"]].to_numpy(float)).all()
    apart = notesnum([ONE, TWO.assign(time=TWO["time"] + pd.Timedelta(hours=1))]).to_dict("records")
    nan = pytest.approx(NAN, nan_ok=True)
    assert apart == [{
        "client_drivers": 2, "users": nan, "notesmark_tpm": nan, "response_s": nan,
        "min_start_time": "2026-01-01 10:00:30", "max_stop_time": "2026-01-01 11:14:00", "test_time_s": 4380.0,
        "window_start": "", "window_end": "", "reason": "no minute with all drivers",
    }]  # fmt: skip
    short = ONE[ONE["time"] < "2026-01-01 10:01:30"]
    assert notesnum([short])["reason"].item() == "no minute with all drivers"
    for seconds, minutes in ((33309, 555), (59.9, 0), (60, 1)):
        lasting = driver("2026-01-01", [(0, 1, 1, 1.0), (seconds, 1, 1, 1.0)])
        assert notesnum([lasting])["test_time_s"].item() == 60.0 * minutes


CLOCK = "Give clock times: drivers are compared by them."


@pytest.mark.parametrize(
    ("drivers", "said"),
    [
        ([], "notesnum: expected a frame per driver, in a list, found none. Name at least one."),
        (5, "notesnum: expected a frame per driver, in a list, found int. Name at least one."),
        ([ONE, "x"], "notesnum: expected a frame per driver, in a list, found DataFrame, str. Name at least one."),
        ([ONE, TWO.assign(time=range(5))],
         f"notesnum, driver 2, column time: expected clock times, found plain numbers. {CLOCK}"),
        ([ONE.assign(time=pd.NaT)], f"notesnum, driver 1, column time: expected clock times, found none. {CLOCK}"),
        ([ONE.assign(time=[(1,)] * 6)], "notesnum, driver 1, column time: expected times, found "),
        ([ONE, TWO.assign(time=TWO["time"].dt.tz_localize("UTC"))],
         "notesnum, driver 2, column time: expected clock times as the drivers wrote them, found times with an offset"),
    ],
)  # fmt: skip
def test_what_are_no_drivers(drivers, said):
    with pytest.raises(BadTable) as caught:
        notesnum(drivers)
    assert str(caught.value).startswith(said)


def test_a_column_that_a_driver_lacks():
    for name in ("users", "transactions", "response_s", "time"):
        with pytest.raises(UnknownName, match=f"notesnum, driver 2.*{name}"):
            notesnum([ONE, TWO.drop(columns=name)])
