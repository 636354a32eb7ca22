"""What is paid: sums, noise, thresholds."""

from __future__ import annotations

import math
import sys

import pytest
from scipy.stats import norm

from sdv_tabdar.privacy import budget
from sdv_tabdar.privacy.budget import BudgetError, Counts, Spent, Steps

DELTA = 1e-6


def gaussian_epsilon(noise: float, delta: float) -> float:
    """Of one Gaussian mechanism, by its closed formula (Balle and Wang 2018)."""
    low, high = 0.0, 50.0
    for _ in range(60):
        middle = (low + high) / 2
        found = norm.cdf(0.5 / noise - middle * noise)
        found -= math.exp(middle) * norm.cdf(-0.5 / noise - middle * noise)
        low, high = (middle, high) if found > delta else (low, middle)
    return high


def test_counts_cost_what_the_formula_says() -> None:
    spent = Spent(DELTA, 0.0, [Counts('a', 3.0), Counts('b', 4.0)])
    assert spent.epsilon == pytest.approx(gaussian_epsilon(12 / 5, DELTA), rel=1e-3)


def test_steps_in_which_each_row_is_cost_what_as_many_counts_do() -> None:
    steps = Spent(DELTA, 0.0, (), [Steps(25, 1.0, 10.0)])
    assert steps.epsilon == pytest.approx(gaussian_epsilon(2.0, DELTA), rel=1e-3)


def test_drawing_rows_makes_steps_cheaper() -> None:
    one, other = (Spent(DELTA, 0.0, (), [Steps(25, rate, 10.0)]) for rate in (1.0, 0.1))
    assert other.epsilon < 0.5 * one.epsilon


def test_the_noise_keeps_the_budget_and_wastes_little_of_it() -> None:
    noise = budget.counts_noise(3.0, DELTA) * 2  # four of them cost what counts may
    counts = [Counts('one', noise)] * 4
    multiplier = budget.steps_noise(3.0, DELTA, counts, number=50, rate=0.05)
    chance = budget.CHANCE_SHARE * DELTA
    spent = Spent(DELTA, chance, counts, [Steps(50, 0.05, multiplier)])
    assert 0.97 * 3 < spent.epsilon <= 3
    assert Spent(DELTA, 0.0, (), spent.steps).epsilon < spent.epsilon


def test_a_second_training_adds_to_what_is_spent() -> None:
    one = Spent(DELTA, 1e-7, [Counts('a', 5.0)], [Steps(50, 0.05, 2.0)])
    both = one.and_then(one)
    assert both.delta == 2 * DELTA
    assert one.epsilon < both.epsilon
    assert Spent.from_state(both.to_state()) == both
    assert both.to_state()['epsilon'] == both.epsilon


def test_a_value_of_one_row_is_told_no_more_often_than_the_chance_says() -> None:
    noise, chance = 4.0, 1e-3
    least = budget.threshold(noise, chance)
    assert norm.sf(least - 0.5 - 1, scale=noise) <= chance * (1 + 1e-9)


def test_there_is_no_guarantee_where_values_are_told_as_often_as_delta() -> None:
    assert Spent(DELTA, DELTA).epsilon == math.inf


@pytest.mark.parametrize(('rows', 'delta'), [(9_999, 1e-5), (10_000, 1e-6), (48_842, 1e-6)])
def test_the_default_delta_tells_the_digits_of_the_number_of_rows(rows: int, delta: float) -> None:
    assert budget.default_delta(rows) == pytest.approx(delta)


def test_what_steps_cost_follows_from_the_digits_alone() -> None:
    assert budget.step_rate(10_000, None) == budget.step_rate(99_999, None) == 1 / 40
    assert budget.step_rate(5_000_000, None) == pytest.approx(1024 / 10**6.5)
    assert budget.step_rate(1_000, 10**6) == 1.0
    assert budget.step_rate(30_000, 600) == pytest.approx(0.02, rel=0.1)


def test_a_budget_that_no_noise_keeps_is_refused() -> None:
    with pytest.raises(BudgetError, match='No noise is enough'):
        budget.steps_noise(0.01, 1e-15, [Counts('a', 0.1)], number=10, rate=0.5)


def test_without_the_accountant_it_is_said_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, 'dp_accounting', None)
    with pytest.raises(BudgetError, match=r"pip install 'sdv_tabdar\[dp\]'"):
        budget.check_accountant()
