"""What recorders of a machine's resources have in common: the columns, and what counts as a disk or a network."""

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
_NAMED = 8  # interfaces in a note
_STACKED = re.compile(r"(?:dm-|md|loop|ram|zram)\d")  # lie on other disks, or on none


def kernel_line_host(text):
    """Return the host in the first line of sysstat's tools, ``Linux 6.18.44 (vm) ...``; empty where there is none."""
    match = re.search(r"\(([^()]*)\)", text)
    return match[1] if match else ""


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


def outside_networks(names):
    """Return the network interfaces among the `names` that lead out, and count no byte twice.

    The loopback, a mirror (``ifb0``) and a VLAN beside its interface (``eth0.100``) never count. Bonds, teams, bridges,
    tunnels and the interfaces of containers and virtual machines carry what goes through a physical one: they count
    only where there is none.
    """
    names = set(names)
    outside = {name for name in names
               if not re.fullmatch(r"lo|ifb\d+", name) and name.rpartition(".")[0] not in names}  # fmt: skip
    return {name for name in outside if not _VIRTUAL.match(name)} or outside


def note_networks_left_out(notes, names):
    """Note which interfaces `network_bytes_per_s` leaves out; of the loopback and mirrors nobody wonders."""
    names = sorted(name for name in names if not re.fullmatch(r"lo|ifb\d+", name))
    if names:
        more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        named = f"{', '.join(names[:_NAMED])}{more}"
        notes.add("networks", None, f"left out of network_bytes_per_s, as others carry the same bytes: {named}")
