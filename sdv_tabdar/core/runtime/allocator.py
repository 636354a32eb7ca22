"""Keep freed memory in the process while training and sampling on Linux.

glibc returns every freed block above a threshold to the kernel, and asks the kernel for new,
zeroed pages for the next one. A training step frees and allocates the same few megabytes again
and again, so that page faults take a good part of its time. With higher thresholds the process
keeps the blocks; afterwards they are set to the largest values that glibc itself would choose.
"""

from __future__ import annotations

import contextlib
import ctypes
import sys
from collections.abc import Iterator

_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3
_USUAL_MMAP, _USUAL_TRIM = 32 << 20, 64 << 20  # bytes: the most that glibc adapts them to
_KEPT = 1 << 30  # bytes


@contextlib.contextmanager
def kept_memory() -> Iterator[None]:
    """Within it, freed blocks of up to a gibibyte are reused. Without glibc it does nothing."""
    mallopt = None
    if sys.platform == 'linux':
        mallopt = getattr(ctypes.CDLL(None), 'mallopt', None)
    if mallopt is None:
        yield
        return
    mallopt(_M_MMAP_THRESHOLD, _KEPT)
    mallopt(_M_TRIM_THRESHOLD, _KEPT)
    try:
        yield
    finally:
        mallopt(_M_MMAP_THRESHOLD, _USUAL_MMAP)
        mallopt(_M_TRIM_THRESHOLD, _USUAL_TRIM)
