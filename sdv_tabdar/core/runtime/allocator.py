"""Keep freed memory in the process while training and sampling on Linux.

glibc hands every freed block above a threshold back to the kernel, and asks the kernel for fresh
zeroed pages for the next one. A training step frees and asks for the same few megabytes over
and over, and page faults then cost a good part of its time. Raising the two thresholds keeps
the blocks; they are put back to glibc's defaults afterwards.
"""

from __future__ import annotations

import contextlib
import ctypes
import sys
from collections.abc import Iterator

_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3
_GROWN_MMAP, _GROWN_TRIM = 32 << 20, 64 << 20
_KEPT = 1 << 30


@contextlib.contextmanager
def kept_memory() -> Iterator[None]:
    """Within it, blocks of up to a gibibyte are reused; does nothing where there is no glibc."""
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
        mallopt(_M_MMAP_THRESHOLD, _GROWN_MMAP)
        mallopt(_M_TRIM_THRESHOLD, _GROWN_TRIM)
