"""Make a finding smaller: leave out pieces, large ones first, as long as it stays the same finding."""

import time


def shrunk(data, fails, seconds=5.0):
    """Give the smallest input found within some seconds of which ``fails`` is still true."""
    end, size = time.monotonic() + seconds, max(len(data) // 2, 1)
    while size:
        at = 0
        while at < len(data):
            if time.monotonic() > end:
                return data
            less = data[:at] + data[at + size :]
            data, at = (less, at) if fails(less) else (data, at + size)
        size //= 2
    return data
