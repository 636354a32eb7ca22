"""Locks of objects: one thread at a time for each, the same one as often as it likes."""

from __future__ import annotations

import copy
import threading

from sdv_tabdar.adapter.one_at_a_time import one_at_a_time


class Thing:
    """What has a lock."""


def _could_enter(thing: Thing) -> bool:
    """Whether another thread may do something with it now."""
    entered = threading.Event()

    def enter() -> None:
        with one_at_a_time(thing):
            entered.set()

    thread = threading.Thread(target=enter, daemon=True)
    thread.start()
    return entered.wait(0.2)


def test_others_wait_for_the_same_thing_only() -> None:
    thing = Thing()
    with one_at_a_time(thing):
        with one_at_a_time(thing):
            assert not _could_enter(thing)
        assert _could_enter(Thing())
        assert _could_enter(copy.deepcopy(thing))
    assert _could_enter(thing)
