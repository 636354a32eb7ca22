"""Stopping: goes on while the held-out loss falls, then cools down; in time whatever happens."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from sdv_tabdar.core.training.stopping import LAST_PART, Stopping

COOL_DOWN = 0.5
SPREAD = np.random.default_rng(0).normal(0, 1, 400)
NOISE = np.random.default_rng(1)


def _run(curve: Callable[[int], float], *, max_steps: int = 10_000) -> tuple[Stopping, int]:
    """The steps at which the cool-down begins if the held-out loss follows ``curve``."""
    stopping = Stopping(10, max_steps, None, COOL_DOWN)
    steps = 0
    while True:
        steps += 1
        out_of_time = stopping.out_of_time(steps, 0.0)
        if not (stopping.due(steps) or out_of_time):
            continue
        rows = curve(steps) + SPREAD + 0.2 * NOISE.normal(size=len(SPREAD))
        if not stopping.observe(steps, rows, 0.0) or out_of_time:
            stopping.cool_down(steps, 0.0, 'stalled')
            return stopping, steps


def test_it_stops_soon_after_the_best_moment() -> None:
    _, steps = _run(lambda steps: 10 + (steps / 300 - 1) ** 2)
    assert 250 < steps < 480


def test_it_stops_where_nothing_more_is_gained() -> None:
    _, steps = _run(lambda steps: 10 + 5 * np.exp(-steps / 50))
    assert 300 < steps < 700


def test_it_waits_where_what_is_hard_is_found_late() -> None:
    _, steps = _run(lambda steps: 10 + 5 * np.exp(-steps / 20) - np.tanh((steps - 280) / 20))
    assert steps > 600


def test_it_goes_on_while_the_loss_falls() -> None:
    _, steps = _run(lambda steps: 20 - steps / 50, max_steps=4000)
    assert steps == pytest.approx((1 - LAST_PART) * 4000, rel=0.01)


def test_the_rate_follows_a_cosine_until_nothing_is_gained() -> None:
    stopping, steps = _run(lambda steps: 10 + (steps / 300 - 1) ** 2)
    before = Stopping(10, 10_000, None, COOL_DOWN)
    assert 0 < before.factor(0, 0.0) < before.factor(100, 0.0) < before.factor(200, 0.0) <= 1
    assert before.factor(9_999, 0.0) == pytest.approx(0.01, rel=0.01)
    length = next(more for more in range(1, 1000) if stopping.finished(steps + more, 0.0))
    assert 0.2 * COOL_DOWN * steps < length <= COOL_DOWN * steps
    rates = [stopping.factor(steps + more, 0.0) for more in range(length + 1)]
    assert rates[0] == before.factor(steps, 0.0)
    assert rates == sorted(rates, reverse=True)
    assert rates[-1] == pytest.approx(0.01)
    assert not stopping.due(steps + 100)


def test_at_the_end_of_its_length_the_cosine_goes_on() -> None:
    stopping, steps = _run(lambda steps: 20 - steps / 50, max_steps=4000)
    before = Stopping(10, 4000, None, COOL_DOWN)
    for step in range(steps, 4000, 100):
        assert stopping.factor(step, 0.0) == before.factor(step, 0.0)
    assert not stopping.finished(3999, 0.0)
    assert stopping.finished(4000, 0.0)


def test_time_is_kept() -> None:
    stopping = Stopping(10, 10_000, 100.0, COOL_DOWN)
    assert not stopping.out_of_time(50, 70.0)
    assert stopping.out_of_time(50, 100.0 * (1 - LAST_PART))
    stopping.cool_down(50, 85.0, 'time')
    assert not stopping.finished(51, 99.0)
    assert stopping.finished(51, 100.0)
    late = Stopping(10, 10_000, 100.0, COOL_DOWN)
    late.cool_down(50, 101.0, 'time')
    assert late.finished(50, 101.0)


def test_the_share_done_never_falls() -> None:
    stopping = Stopping(10, 1000, None, COOL_DOWN)
    shares = [stopping.share(steps, 0.0) for steps in range(0, 400, 10)]
    stopping.observe(400, SPREAD, 0.0)
    stopping.cool_down(400, 0.0, 'stalled')
    shares += [stopping.share(steps, 0.0) for steps in range(400, 601, 10)]
    assert shares == sorted(shares)
    assert shares[0] == 0
    assert shares[-1] == 1


def test_the_best_evaluation_is_known() -> None:
    stopping = Stopping(10, 1000, None, COOL_DOWN)
    assert stopping.best_loss is None
    for steps, level, is_best in ((10, 3.0, True), (20, 2.0, True), (30, 2.5, False)):
        stopping.observe(steps, level + SPREAD * 0, 0.0)
        assert stopping.is_best is is_best
    assert stopping.best_loss == 2.0


@pytest.mark.parametrize('cooling', [False, True])
def test_its_state_restores_it(cooling: bool) -> None:
    stopping = Stopping(10, 1000, None, COOL_DOWN)
    stopping.observe(10, SPREAD, 2.0)
    stopping.observe(20, SPREAD + 1, 1.0)
    if cooling:
        stopping.cool_down(20, 3.0, 'stalled')
    other = Stopping(10, 1000, None, COOL_DOWN)
    other.restore(stopping.state())
    for steps in (20, 21, 22, 30):
        assert other.factor(steps, 4.0) == stopping.factor(steps, 4.0)
        assert other.due(steps) == stopping.due(steps)
        assert other.finished(steps, 4.0) == stopping.finished(steps, 4.0)
    assert (other.best_loss, other.reason) == (stopping.best_loss, stopping.reason)
    assert other.observe(30, SPREAD - 1, 0.0) == stopping.observe(30, SPREAD - 1, 0.0)


@pytest.mark.parametrize(('of_held_out', 'length'), [(1.0, 1500), (0.8, 1500), (0.6, 1000)])
def test_it_goes_further_where_held_out_rows_gain_nearly_as_much(
    of_held_out: float, length: int
) -> None:
    stopping = Stopping(10, 1000, 100.0, COOL_DOWN, further={0.75: 1.5})
    for steps in range(50, 701, 50):
        falls = stopping.observe(steps, SPREAD - of_held_out * steps / 100, -steps / 100)
        assert falls
    assert not stopping.finished(length - 1, 0.0)
    assert stopping.finished(length, 0.0)
    assert stopping.finished(701, 100.0)  # in time nevertheless
    other = Stopping(10, 1000, 100.0, COOL_DOWN, further={0.75: 1.5})
    other.restore(stopping.state())
    assert not other.finished(length - 1, 0.0)
    assert other.finished(length, 0.0)


def test_it_goes_as_far_as_held_out_rows_follow() -> None:
    for of_held_out, length in ((0.8, 1200), (0.97, 1500), (1.2, 1500)):
        stopping = Stopping(10, 1000, None, COOL_DOWN, further={0.75: 1.2, 0.95: 1.5})
        for steps in range(50, 701, 50):
            stopping.observe(steps, SPREAD - of_held_out * steps / 100, -steps / 100)
        assert not stopping.finished(length - 1, 0.0)
        assert stopping.finished(length, 0.0)


@pytest.mark.parametrize(('of_training', 'length'), [(-1.0, 2.0), (0.01, 2.0), (1.0, 0.25)])
def test_it_cools_down_for_long_where_nothing_is_memorised(
    of_training: float, length: float
) -> None:
    stopping = Stopping(10, 10_000, None, 0.25, following=2.0)
    for steps in range(100, 1001, 100):
        stopping.observe(steps, SPREAD - min(steps, 950) / 5_000, -of_training * steps / 100)
    stopping.cool_down(1000, 0.0, 'stalled')
    end = 1000 + int(length * 1000)
    assert not stopping.finished(end - 1, 0.0)
    assert stopping.finished(end, 0.0)


def test_it_decides_that_once() -> None:
    stopping = Stopping(10, 1000, None, COOL_DOWN, further={0.75: 1.5})
    for steps in range(100, 801, 100):
        gained = steps if steps > 500 else 0
        stopping.observe(steps, SPREAD - gained / 100, -steps / 100)
    assert stopping.finished(1000, 0.0)
