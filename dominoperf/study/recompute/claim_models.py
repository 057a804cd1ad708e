"""The claims on Red Hat's report that no expression can state, each a function of its cells."""

from dominoperf.tables.expressions import seconds
from dominoperf.tables.reading import read_number

_SOURCE = "rhel5"


def nmon_file_name(cells):
    """Return the name of nmon's file, ``host_yymmdd_hhmm.nmon``, of its header and of the date of the first hour."""
    month, day, year = _red_hat_cell(cells, "nb_domstat", 9, "driver_1").split("/")
    clock = _red_hat_cell(cells, "nmon_header", 11).partition(".")[0].replace(":", "")
    return f"{_red_hat_cell(cells, 'nmon_header', 7)}_{year[2:]}{month}{day}_{clock}.nmon"


def server_tasks_agree(cells):
    """Tell whether the two lists of server tasks (sections 2.7.4 and 3.4) name the same."""
    lists = (_red_hat_cell(cells, table, 7) for table in ("server_features", "notes_ini"))
    ours, theirs = (set(tasks.casefold().split(",")) for tasks in lists)
    return ours == theirs


def tables_show_users(cells):
    """Tell whether a cell of Tables 1 to 4 has a number of users that was run."""
    runs = {_red_hat_number(cells, "results", 1, f"value_{users}_users") for users in (600, 1200)}
    tables = (cells(f"{_SOURCE}/table_{k}") for k in range(1, 5))
    return any(read_number(text) in runs for table in tables for text in table.to_numpy().ravel())


def delivered_recipients(cells):
    """Return the recipients of a user in six hours that the mail delivered between the two measured hours implies.

    360 minutes x growth of Mail.Delivered / user-minutes between the ends of the hours. The first driver's users are
    there all the time; the second's from its start (the hour's start less what the rollup leaves out), less half of
    the ramp-up, users x interval.
    """
    users, interval = (_red_hat_number(cells, "n8mail_test_parameters", row) for row in (1, 3))
    growth = _red_hat_number(cells, "results", 12, "value_1200_users") - _red_hat_number(
        cells, "results", 12, "value_600_users"
    )
    starts, ends = (
        seconds([_red_hat_cell(cells, "nb_domstat", row, f"driver_{driver}") for driver in (1, 2)]) / 60
        for row in (7, 8)
    )
    second = ends[1] - (starts[1] - _red_hat_number(cells, "rollup_notes_ini", 2)) - users * interval / 60 / 2
    return 360 * growth / (users * (ends[1] - ends[0] + second))


def _red_hat_number(cells, table, row, column="setting"):
    return read_number(_red_hat_cell(cells, table, row, column))


def _red_hat_cell(cells, table, row, column="setting"):
    return cells(f"{_SOURCE}/{table}")[column].iloc[row - 1]


MODELS = {
    model.__name__: model for model in (nmon_file_name, server_tasks_agree, tables_show_users, delivered_recipients)
}
"""Functions for the claims that no expression can state, by name."""
