"""What recorders of a machine's resources have in common: the columns, and what counts as a disk or a network.

CPU utilization is what is neither idle nor waiting for a disk. Time that the host of a virtual machine stole counts:
programs wanted the processors then, and more load finds only the idle time. 27 % of work with 30 % stolen are 57 %.
"""

import re

# What nmon, sadf and Performance Monitor are read as; one row per sample, NaN for what a recording has not.
COLUMNS = ("time", "time_s", "cpu_utilization_percent", "cpu_user_percent", "cpu_system_percent", "cpu_wait_percent",
           "cpu_steal_percent", "ram_free_mib", "ram_available_mib", "run_queue", "disk_read_bytes_per_s",
           "disk_write_bytes_per_s", "disk_transfers_per_s", "disk_busy_percent", "network_bytes_per_s",
           "line")  # fmt: skip
KIB = 1024  # bytes: what Linux's recorders call a KB
_VIRTUAL = re.compile(
    r"bond|team|br(?:\d|[-_]|q|idge)|docker|podman|virbr|lxcbr|lxdbr|vmbr|veth|vnet|vif|tun|tap|wg\d|ppp|cali|cilium|"
    r"flannel|cni|vxlan|vlan|.*\.\d+$|microsoft network adapter multiplexor|hyper-v virtual ethernet|isatap|teredo",
    re.IGNORECASE,
)
_NAMED = 8  # devices in a note
_NO_DISK = re.compile(r"(?:loop|ram|zram|sr|fd)\d")  # files of a disk, memory, CDs, floppies
_STACKED = re.compile(r"(?:dm-|md|zd|drbd|bcache)\d")  # lie on other disks
_DISK = re.compile(  # what Linux calls a disk, whatever its driver
    r"(?:[shv]d|xvd|ubd|dasd)[a-z]+\d*|(?:nvme\d+(?:c\d+)?n|mmcblk|nbd|rbd|pmem)\d+\S*|c\d+d\d+\S*"
)
_NUMBERED = re.compile(r"dev\d+-\d+")  # older sysstat: the numbers of the driver and of the device


def kernel_line_host(text):
    """Return the host in the first line of sysstat's tools, ``Linux 6.18.44 (vm) ...``; empty where there is none."""
    match = re.search(r"\(([^()]*)\)", text)
    return match[1] if match else ""


def whole_disks(names):
    """Return the disks among the `names` of block devices.

    A partition (``sda1`` beside ``sda``), a volume on other disks (``dm-0``, or by a name of its own with ``iostat
    -N``), a multipath NVMe disk beside its paths (``nvme0n1`` beside ``nvme0c0n1``) and a disk in memory would count
    the same bytes twice. Of numbers (``dev8-0``) nobody can tell.
    """
    names = {name for name in names if not _NO_DISK.match(name) and not _NUMBERED.match(name)}
    parts = {name for name in names if _disks_of_partition(name) & names}
    multipath = {re.sub(r"c\d+(?=n)", "", name) for name in names if re.match(r"nvme\d+c\d+n", name)}
    whole = {name for name in names if not _STACKED.match(name)} - parts - multipath
    return {name for name in whole if _DISK.fullmatch(name)} or whole


def _disks_of_partition(name):
    """The names that the disk of a partition may have."""
    disk = name.rstrip("0123456789")
    return {disk, disk.removesuffix("p")} - {name, name.removesuffix("p"), ""}


def outside_networks(names):
    """Return the network interfaces among the `names` that lead out, and count no byte twice.

    The loopback, a mirror (``ifb0``) and a VLAN beside its interface (``eth0.100``) never count; bonds, bridges,
    tunnels and the interfaces of containers, which carry what goes through a physical one, only where there is none.
    """
    names = set(names)
    outside = {name for name in names
               if not re.fullmatch(r"lo|ifb\d+", name) and name.rpartition(".")[0] not in names}  # fmt: skip
    return {name for name in outside if not _VIRTUAL.match(name)} or outside


def note_networks_left_out(notes, names):
    """Note which interfaces `network_bytes_per_s` leaves out; of the loopback and mirrors nobody wonders."""
    if names := {name for name in names if not re.fullmatch(r"lo|ifb\d+", name)}:
        text = f"left out of network_bytes_per_s, as others carry the same bytes: {_first_devices(names)}"
        notes.add("networks", None, text)


def note_disks_left_out(notes, devices):
    """Note which of the block devices `devices` count as disks, where others than partitions are left out."""
    named = {name for name in devices if not _NO_DISK.match(name) and not _NUMBERED.match(name)}
    named = {name for name in named if not _disks_of_partition(name) & named}
    counted = whole_disks(named)
    if named - counted:
        why = f"left out, as they carry the same bytes: {_first_devices(named - counted)}"
        notes.add("disks", None, f"disks are {_first_devices(counted) or 'none'}; {why}")
    if any(map(_NUMBERED.match, devices)):
        text = "disks have numbers, which do not show which of them are parts of others, so none is added up"
        notes.add("disks", None, f"{text}: sadf -d FILE -- -d -p prints names")


def _first_devices(names):
    """The first names, and how many more there are, in words."""
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return f"{', '.join(sorted(names)[:_NAMED])}{more}"
