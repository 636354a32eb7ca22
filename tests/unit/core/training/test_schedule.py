"""The schedule: warm-up, annealing, and an end by steps or by time."""

from __future__ import annotations

import time

import pytest

from sdv_tabdar.core.training.schedule import Clock, learning_rate_factor


def test_learning_rate_warms_up_and_is_annealed() -> None:
    assert 0 < learning_rate_factor(0.0) <= 0.05
    assert learning_rate_factor(0.02) == pytest.approx(1)
    assert learning_rate_factor(1.0) == pytest.approx(0.01)
    falling = [learning_rate_factor(share / 100) for share in range(2, 101)]
    assert falling == sorted(falling, reverse=True)


def test_the_clock_ends_by_steps_or_by_time_whichever_is_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = 100.0
    monkeypatch.setattr(time, 'perf_counter', lambda: now)
    clock = Clock(10, max_seconds=40.0)
    clock.steps = 5
    assert clock.share == 0.5
    now += 30
    assert clock.seconds == 30
    assert clock.share == 0.75
    now += 30
    assert clock.share == 1


def test_a_clock_without_a_limit_counts_steps() -> None:
    clock = Clock(4, max_seconds=None)
    assert clock.share == 0
    clock.steps = 4
    assert clock.share == 1
