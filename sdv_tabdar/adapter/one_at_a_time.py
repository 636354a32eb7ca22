"""A synthesizer serves one thread at a time: fitting and drawing change it meanwhile.

Locks are kept apart from the synthesizers, so that these are copied and saved without them.
"""

from __future__ import annotations

import contextlib
import threading
import weakref
from collections.abc import Iterator
from typing import Any

_locks: weakref.WeakKeyDictionary[Any, threading.RLock] = weakref.WeakKeyDictionary()
_choosing = threading.Lock()


@contextlib.contextmanager
def one_at_a_time(synth: Any) -> Iterator[None]:
    """Within it other threads wait until they may do the same with ``synth``.

    To be entered before :func:`~sdv_tabdar.adapter.global_generators.untouched_random_states`,
    which a waiting thread must not hold.
    """
    with _choosing:
        lock = _locks.setdefault(synth, threading.RLock())
    with lock:
        yield
