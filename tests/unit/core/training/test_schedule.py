"""A training of a known length: warm-up, annealing, and an end by steps or by time."""

from __future__ import annotations

import pytest

from sdv_tabdar.core.training.schedule import FixedLength, cosine_factor


def test_learning_rate_warms_up_and_is_annealed() -> None:
    assert 0 < cosine_factor(0.0) <= 0.05
    assert cosine_factor(0.02) == pytest.approx(1)
    assert cosine_factor(1.0) == pytest.approx(0.01)
    falling = [cosine_factor(share / 100) for share in range(2, 101)]
    assert falling == sorted(falling, reverse=True)


def test_it_ends_by_steps_or_by_time_whichever_is_first() -> None:
    schedule = FixedLength(10, 40.0, annealed=True)
    assert schedule.share(0, 0.0) == 0
    assert schedule.share(5, 0.0) == 0.5
    assert schedule.share(5, 30.0) == 0.75
    assert not schedule.finished(9, 39.0)
    assert schedule.finished(10, 0.0)
    assert schedule.finished(0, 40.0)
    assert schedule.share(50, 0.0) == 1


def test_a_first_step_that_waits_does_not_change_the_rate() -> None:
    schedule = FixedLength(100, 900.0, annealed=True)
    assert schedule.factor(0, 8.0) == schedule.factor(0, 0.0)
    assert schedule.factor(0, 60.0) > schedule.factor(0, 0.0)
    assert FixedLength(1, 900.0, annealed=True).factor(0, 800.0) == cosine_factor(0.0)


def test_without_a_limit_steps_decide() -> None:
    schedule = FixedLength(4, None, annealed=True)
    assert schedule.share(1, 1e9) == 0.25
    assert schedule.factor(4, 1e9) == pytest.approx(0.01)


def test_a_rate_that_is_not_annealed_stays() -> None:
    schedule = FixedLength(4, None, annealed=False)
    assert {schedule.factor(steps, 0.0) for steps in range(5)} == {1.0}


def test_its_state_is_the_steps_and_nothing_else() -> None:
    schedule = FixedLength(4, None, annealed=True)
    schedule.restore(schedule.state())
    assert schedule.state() == {}
