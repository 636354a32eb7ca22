"""NumPy's and Python's global generators, used by one thread at a time and left as they were.

SDV's validation of dates samples rows with NumPy's global generator, and RDT puts the state of a
transformer into it while the transformer works. Two threads that did so at once would draw each
other's numbers.
"""

from __future__ import annotations

import contextlib
import random
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np

_turn = threading.Lock()


class _OfThread(threading.local):
    """What a thread found when its turn began, to be put back; None if it is not its turn."""

    found: tuple[Any, Any] | None = None


_of_thread = _OfThread()


@contextlib.contextmanager
def untouched_random_states(seed: int | None = None) -> Iterator[None]:
    """Leave the global generators as they are found; other threads wait for their turn.

    Args:
        seed: What to seed them with meanwhile; None to go on from what is found.
    """
    outermost = _of_thread.found is None
    if outermost:
        _turn.acquire()
        _of_thread.found = _states()
    try:
        if seed is not None:
            _set_states(_seeded_states(int(seed)))
        yield
    finally:
        found = _of_thread.found
        if outermost and found is not None:
            _set_states(found)
            _of_thread.found = None
            _turn.release()


def seed_random_states(seed: int) -> None:
    """Seed the global generators anew, within :func:`untouched_random_states`."""
    _set_states(_seeded_states(seed))


@contextlib.contextmanager
def others_turn() -> Iterator[None]:
    """Let other threads have their turn, during long work that needs no global generator."""
    found = _of_thread.found
    if found is None:
        yield
        return
    own = _states()
    _set_states(found)
    _of_thread.found = None
    _turn.release()
    try:
        yield
    finally:
        _turn.acquire()
        _of_thread.found = _states()
        _set_states(own)


def _states() -> tuple[Any, Any]:
    return np.random.get_state(), random.getstate()


def _set_states(states: tuple[Any, Any]) -> None:
    numpy_state, python_state = states
    np.random.set_state(numpy_state)
    random.setstate(python_state)


def _seeded_states(seed: int) -> tuple[Any, Any]:
    numpy_seed = np.random.SeedSequence(seed).generate_state(8)
    return np.random.RandomState(numpy_seed).get_state(), random.Random(seed).getstate()
