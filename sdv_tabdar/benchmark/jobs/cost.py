"""What a piece of work takes: wall-clock and processor seconds, and the peak of memory.

Memory is the process's resident set. On Linux its peak can be set back, so that fitting and
sampling in one process are told apart; elsewhere the peak is that of the process so far.
"""

from __future__ import annotations

import contextlib
import dataclasses
import resource
import sys
import time
from collections.abc import Iterator
from pathlib import Path

_STATUS = Path('/proc/self/status')
_CLEAR = Path('/proc/self/clear_refs')
_RESET_PEAK = '5'
KIB = 1024
MIB = 1024**2


@dataclasses.dataclass
class Cost:
    """What the work took; filled in when it ends.

    Attributes:
        seconds: Wall-clock time.
        cpu_seconds: Processor time of this process and of the children it waited for.
        peak_memory_mib: Highest resident memory in MiB, of this process or of a child that
            it waited for and that took more than every child before.
        memory_before_mib: Resident memory in MiB when the work began.
    """

    seconds: float = 0.0
    cpu_seconds: float = 0.0
    peak_memory_mib: float = 0.0
    memory_before_mib: float = 0.0


@contextlib.contextmanager
def measured() -> Iterator[Cost]:
    """Measure the body of a ``with`` statement."""
    cost = Cost()
    _reset_peak()
    cost.memory_before_mib = _resident_mib('VmRSS')
    children = _peak_mib(resource.RUSAGE_CHILDREN)
    cpu, start = _cpu_seconds(), time.perf_counter()
    try:
        yield cost
    finally:
        cost.seconds = time.perf_counter() - start
        cost.cpu_seconds = _cpu_seconds() - cpu
        cost.peak_memory_mib = max(_resident_mib('VmHWM'), _peak_of_children_since(children))


def _reset_peak() -> None:
    # Not there outside Linux, and not writable in some containers.
    with contextlib.suppress(OSError):
        _CLEAR.write_text(_RESET_PEAK)


def _resident_mib(field: str) -> float:
    """A field of the process's status in MiB, or the peak so far where there is no such file."""
    try:
        lines = _STATUS.read_text().splitlines()
    except OSError:
        return _peak_mib(resource.RUSAGE_SELF)
    line = next(line for line in lines if line.startswith(f'{field}:'))
    return int(line.split()[1]) / KIB


def _peak_mib(who: int) -> float:
    peak = resource.getrusage(who).ru_maxrss
    return peak / (MIB if sys.platform == 'darwin' else KIB)


def _peak_of_children_since(before: float) -> float:
    """The children's peak if it rose above ``before``, else 0: it cannot be set back."""
    peak = _peak_mib(resource.RUSAGE_CHILDREN)
    return peak if peak > before else 0.0


def _cpu_seconds() -> float:
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)
