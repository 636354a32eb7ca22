"""Interrupts: noted once, raised twice, and left alone where they are not ours."""

from __future__ import annotations

import logging
import signal
import threading

import pytest

from sdv_tabdar.core.training.interrupts import Interrupts


def test_the_first_is_noted_and_the_second_raised(caplog: pytest.LogCaptureFixture) -> None:
    with Interrupts() as interrupts:
        assert not interrupts.asked
        with caplog.at_level(logging.WARNING):
            signal.raise_signal(signal.SIGINT)
        assert interrupts.asked
        assert 'Interrupt again to stop at once' in caplog.text
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_programs_own_handler_stays() -> None:
    caught: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: caught.append(number))
    try:
        with Interrupts() as interrupts:
            signal.raise_signal(signal.SIGINT)
        assert caught == [signal.SIGINT]
        assert not interrupts.asked
    finally:
        signal.signal(signal.SIGINT, before)


def test_another_thread_leaves_signals_alone() -> None:
    handlers: list[object] = []

    def look() -> None:
        with Interrupts():
            handlers.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert handlers == [signal.default_int_handler]
