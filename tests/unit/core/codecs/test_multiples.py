"""What the numbers of a bin are multiples of, and what is rounded to it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.special import ndtr

from sdv_tabdar.core.codecs.multiples import (
    around_multiples,
    common_step,
    decimals,
    nearest_multiples,
)
from sdv_tabdar.core.codecs.numerical import NumericalCodec
from sdv_tabdar.core.config import ModelConfig
from sdv_tabdar.core.restrictions import Interval


def test_the_step_of_numbers_that_all_lie_on_a_grid() -> None:
    hundreds = np.array([100.0, 300.0, 400.0, 1200.0])
    assert common_step(hundreds, 0) == 100
    assert common_step(np.append(hundreds, 1201.0), 0) == 0
    assert common_step(np.append(hundreds, 1200.5), 1) == 0


@pytest.mark.parametrize('step', [0.05, 0.25, 0.5, 0.001, 2.0, 2.5, 1000.0])
def test_numbers_on_a_grid_come_back_to_the_last_bit(step: float) -> None:
    values = np.array([float(f'{count * step:.6f}') for count in range(1, 400, 3)])
    found = common_step(values, 6)
    assert found == step
    near = values + step * 0.4
    assert np.array_equal(nearest_multiples(near, found, values[0], values[-1]), values)


@pytest.mark.parametrize('count', [2, 3, 6])
def test_few_numbers_that_lie_on_a_grid_by_chance_are_on_none(count: int) -> None:
    assert common_step(np.arange(count) * 2.0, 0) == 0


def test_the_grid_of_the_column_itself_is_none_and_that_of_some_of_its_numbers_is() -> None:
    whole = np.arange(1.0, 40.0)
    assert common_step(whole, 0) == 0
    assert common_step(whole, 2) == 1
    assert common_step(whole / 100, 2) == 0


def test_how_many_decimals_numbers_have() -> None:
    assert decimals(np.array([1.0, 2.5])) == 1
    assert decimals(np.array([0.1, 0.25])) == 2
    assert decimals(np.array([np.pi])) == 7
    assert decimals(np.array([2.0**60])) == 7


def test_numbers_too_large_to_be_exact_are_on_no_grid() -> None:
    assert common_step(np.arange(1.0, 9.0) * 2.0**60, 0) == 0


def test_multiples_stay_between_the_ends() -> None:
    found = nearest_multiples(
        np.array([14_999.0, 15_049.0, 15_051.0, 15_290.0]), 100, 14_999, 15_290
    )
    assert found.tolist() == [15_000, 15_000, 15_100, 15_200]


def test_an_interval_without_a_multiple_stays() -> None:
    lows, highs = around_multiples(np.array([1.0, 99.0]), np.array([99.0, 301.0]), 100)
    assert lows.tolist() == [1, 50]
    assert highs.tolist() == [99, 350]


@pytest.fixture(scope='module')
def incomes() -> NumericalCodec:
    """Single francs below 3,000, hundreds above."""
    random = np.random.default_rng(0)
    low = random.integers(1, 3_000, 2_000)
    high = random.integers(31, 20_000, 8_000) * 100
    values = pd.Series(np.concatenate([low, high]).astype(float), name='income')
    return NumericalCodec.fit('income', values, ModelConfig())


def test_large_numbers_are_drawn_on_their_grid_and_small_ones_are_not(
    incomes: NumericalCodec,
) -> None:
    random = np.random.default_rng(1)
    codes = random.integers(incomes.column.bins.start, incomes.column.bins.stop, 20_000)
    drawn = incomes.decode(codes, random.normal(0, 0.5, 20_000), np.zeros(20_000))
    large = drawn[drawn > 50_000]
    assert (large % 100 == 0).all()
    assert (drawn[drawn < 2_000] % 100 != 0).any()


def test_the_masses_of_a_grid_add_up_to_that_of_its_bin(incomes: NumericalCodec) -> None:
    part = next(part for part in incomes.bins if part.step)
    first, last = np.ceil(part.low / 100), np.floor(part.high / 100)
    points = np.arange(first, last + 1) * 100
    pieces = incomes.restrict_each([Interval(point - 0.5, point + 0.5) for point in points])
    code = incomes.column.bins[incomes.bins.index(part)]
    mass = sum(
        float(ndtr(high / 0.5) - ndtr(low / 0.5))
        for found in pieces
        for at, low, high in zip(found.codes, found.low, found.high, strict=True)
        if at == code
    )
    assert mass == pytest.approx(1, abs=0.02)


def test_a_step_is_saved_and_one_that_was_not_is_none(incomes: NumericalCodec) -> None:
    state = incomes.to_state()
    again = NumericalCodec.from_state(state)
    assert [part.step for part in again.bins] == [part.step for part in incomes.bins]
    del state['steps']
    assert {part.step for part in NumericalCodec.from_state(state).bins} == {0}


def test_an_interval_between_two_multiples_is_filled_evenly(incomes: NumericalCodec) -> None:
    part = next(part for part in incomes.bins if part.step and part.low > 100_000)
    middle = np.floor((part.low + part.high) / 200) * 100 + 50
    interval = Interval(middle - 20, middle + 20)
    (pieces,) = incomes.restrict_each([interval])
    uniforms = (np.arange(99) + 0.5) / 99
    codes = np.repeat(pieces.codes, 99)
    drawn = incomes.decode(codes, np.repeat(pieces.low, 99), uniforms)
    for enforced in (
        incomes.enforce(drawn, interval, uniforms),
        incomes.enforce_each(drawn, [interval] * 99, uniforms),
    ):
        assert enforced.min() >= middle - 20
        assert enforced.max() <= middle + 20
        assert enforced.mean() == pytest.approx(middle, abs=1)
        assert enforced.std() == pytest.approx(40 / 12**0.5, rel=0.1)
