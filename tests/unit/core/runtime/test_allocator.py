"""The allocator's thresholds are raised within and put back after, also after an error."""

from __future__ import annotations

import ctypes
import sys
from types import SimpleNamespace

import pytest

from sdv_tabdar.core.runtime.allocator import kept_memory


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    made: list[tuple[int, int]] = []
    library = SimpleNamespace(mallopt=lambda option, value: made.append((option, value)))
    monkeypatch.setattr(sys, 'platform', 'linux')
    monkeypatch.setattr(ctypes, 'CDLL', lambda name: library)
    return made


def test_raised_within_and_put_back_after(calls: list[tuple[int, int]]) -> None:
    with kept_memory():
        raised = dict(calls)
        assert min(raised.values()) > 1 << 20
    after = dict(calls[len(raised) :])
    assert after.keys() == raised.keys()
    assert all(after[option] < raised[option] for option in raised)


def test_put_back_after_an_error(calls: list[tuple[int, int]]) -> None:
    with pytest.raises(KeyboardInterrupt), kept_memory():
        raise KeyboardInterrupt
    assert len(calls) == 4


def test_does_nothing_without_glibc(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, 'platform', 'linux')
    monkeypatch.setattr(ctypes, 'CDLL', lambda name: SimpleNamespace())
    with kept_memory():
        pass


def test_does_nothing_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, 'platform', 'darwin')
    monkeypatch.delattr(ctypes, 'CDLL')
    with kept_memory():
        pass
