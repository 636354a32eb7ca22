"""A limit of processor time: the load of the machine makes no difference."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator
from typing import Any


@contextlib.contextmanager
def time_limit(seconds: float, error: BaseException) -> Iterator[None]:
    """Raise an error in the block after some seconds of processor time."""

    def stop(*_: Any) -> None:
        raise error

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
