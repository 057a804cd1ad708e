"""What recorders of a machine's resources have in common: the columns, and what counts as a disk or a network."""

import re

# What nmon, sadf and Performance Monitor are read as; one row per sample, NaN for what a recording has not.
COLUMNS = ("time", "time_s", "cpu_utilization_percent", "cpu_user_percent", "cpu_system_percent", "cpu_wait_percent",
           "cpu_steal_percent", "ram_free_mib", "ram_available_mib", "run_queue", "disk_read_bytes_per_s",
           "disk_write_bytes_per_s", "disk_transfers_per_s", "disk_busy_percent", "network_bytes_per_s",
           "line")  # fmt: skip
KIB = 1024  # bytes: what Linux's recorders call a KB
_STACKED = re.compile(r"(?:dm-|md|loop|ram|zram)\d")  # lie on other disks, or on none


def whole_disks(names):
    """Return the disks among the `names` of block devices.

    A partition (``sda1`` beside ``sda``, ``nvme0n1p2``), a volume on other disks (``dm-0``, ``md0``) and a disk in
    memory would count the same bytes twice.
    """
    names, whole = set(names), set()
    for name in names:
        disk = name.rstrip("0123456789")
        parts_of = {disk, disk.removesuffix("p")} - {name, name.removesuffix("p"), ""}
        if not _STACKED.match(name) and not parts_of & names:
            whole.add(name)
    return whole


def is_outside_interface(name):
    """Return whether a network interface leads out: not the loopback, nor a mirror of another (``ifb0``)."""
    return not re.fullmatch(r"lo|ifb\d+", name)
