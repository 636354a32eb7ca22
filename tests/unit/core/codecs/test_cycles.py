"""Where in periods numbers are: what is found, stretched and put back."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.special import ndtr

from sdv_tabdar.core.codecs.cycles import (
    LEAST_DISTINCT,
    Cycle,
    Months,
    filled,
    find_cycles,
    log_slope,
    restored,
    stretched,
    written,
)
from sdv_tabdar.core.codecs.multiples import decimals
from sdv_tabdar.core.codecs.numerical import NumericalCodec
from sdv_tabdar.core.codecs.values import Floats
from sdv_tabdar.core.config import ModelConfig
from sdv_tabdar.core.restrictions import Interval, Members

DAY = 86_400e9
SUNDAY = 3 * DAY  # 1970-01-04, nanoseconds


def _prices(number: int = 3_000, seed: int = 0) -> Floats:
    """Prices of many francs that end in .99, or less often in .50."""
    random = np.random.default_rng(seed)
    whole = np.floor(random.lognormal(5, 1.2, number))
    return np.sort(np.round(whole + random.choice([0.5, 0.99], number, p=[0.2, 0.8]), 2))


def _working_days(number: int = 3_000) -> Floats:
    random = np.random.default_rng(0)
    days = random.integers(10_000, 18_000, 2 * number)
    days = days[(days + 3) % 7 < 5][:number]  # day 0 was a Thursday
    return np.sort(days * DAY)


def _found(values: Floats, digits: int) -> tuple[Cycle, ...]:
    return find_cycles([values], digits, float(np.abs(values).max(initial=0)))


def _days_of_months(which: str) -> Floats:
    """Dates of 80 years: the first, the last, the 1st and 15th, or the 15th and last of a month."""
    random = np.random.default_rng(0)
    months = random.integers(-240, 720, 4_000).astype('datetime64[M]')
    firsts = months.astype('datetime64[D]')
    lasts = (months + 1).astype('datetime64[D]') - 1
    middles = firsts + 14
    chosen = random.random(4_000) < 0.5
    days = {
        'first': firsts,
        'last': lasts,
        'first and middle': np.where(chosen, firsts, middles),
        'middle and last': np.where(chosen, middles, lasts),
    }[which]
    return np.sort(days.astype(np.float64) * DAY)


@pytest.mark.parametrize('which', ['first', 'last', 'first and middle', 'middle and last'])
def test_days_of_months_come_back(which: str) -> None:
    values = _days_of_months(which)
    (cycle,) = _found(values, 7)
    assert isinstance(cycle, Months)
    assert np.abs(cycle.restored(cycle.stretched(values)) - values).max() < 1e6
    codec = NumericalCodec.fit('day', pd.Series(values, name='day'), ModelConfig())
    drawn = np.rint(_drawn(codec) / DAY).astype('datetime64[D]')
    of_month = (drawn - drawn.astype('datetime64[M]')).astype(int) + 1
    is_last = (drawn + 1).astype('datetime64[M]') > drawn.astype('datetime64[M]')
    shown = {'first': of_month == 1, 'middle': of_month == 15, 'last': is_last}
    parts = [shown[part] for part in which.split(' and ')]
    assert np.logical_or.reduce(parts).all()
    assert all(part.mean() > 0.45 for part in parts)
    assert written(cycle).startswith('each month')


def test_days_of_all_months_are_not_cut_by_month() -> None:
    random = np.random.default_rng(0)
    days = random.integers(0, 20_000, 5_000)
    mondays = days[(days + 3) % 7 == 0]
    (cycle,) = _found(np.sort(mondays * DAY), 7)
    assert cycle.period == 7 * DAY


def test_last_digits_that_people_like_are_found() -> None:
    (cycle,) = _found(_prices(), 2)
    assert (cycle.period, len(cycle.shares)) == (1, 100)
    assert np.flatnonzero(cycle.shares).tolist() == [50, 99]
    assert cycle.shares[99] == pytest.approx(0.8, abs=0.05)


def test_days_of_the_week_are_found_and_hours_of_the_day() -> None:
    (week,) = _found(_working_days(), 7)
    assert week.period == 7 * DAY
    assert np.flatnonzero(week.shares == 0).tolist() == [2, 3]  # the week begins with a Thursday
    random = np.random.default_rng(0)
    moments = _working_days() + random.integers(8 * 60, 18 * 60, 3_000) * 60e9
    day, week = _found(np.sort(moments), 7)
    assert day.period == DAY
    assert np.flatnonzero(day.shares).tolist() == list(range(8, 18))
    assert np.flatnonzero(week.shares == 0).tolist() == [2, 3]


def test_days_and_months_in_digits_are_found() -> None:
    random = np.random.default_rng(0)
    days = pd.Timestamp('1950-01-01') + pd.to_timedelta(random.integers(0, 25_000, 4_000), 'D')
    values = pd.Series(days.year * 10_000 + days.month * 100 + days.day, name='day', dtype=float)
    codec = NumericalCodec.fit('day', values, ModelConfig())
    drawn = np.rint(_drawn(codec)).astype(int)
    assert set(drawn % 100) == set(range(1, 32))
    assert set(drawn // 100 % 100) == set(range(1, 13))


@pytest.mark.parametrize(
    'values',
    [
        np.arange(0.0, 5_000.0),
        np.random.default_rng(0).integers(0, 5_000, 4_000).astype(float),
        np.floor(np.random.default_rng(0).exponential(150, 20_000)),
        np.random.default_rng(0).normal(size=4_000).round(3),
        np.random.default_rng(0).integers(10**18, 2 * 10**18, 4_000).astype(float),
        np.random.default_rng(0).integers(0, 8_000, 4_000) * DAY + 10_000 * DAY,
        np.array([-1e308, 1e308] * 50),
        np.arange(3.0),
        np.zeros(0),
    ],
)
def test_even_numbers_have_no_cycle(values: Floats) -> None:
    assert _found(np.sort(values), decimals(values)) == ()


def test_a_column_with_an_end_far_out_has_no_cycle_that_it_has_no_place_in() -> None:
    values = np.append(_working_days(200), -8e32)
    codec = NumericalCodec.fit('day', pd.Series(values, name='day'), ModelConfig())
    assert codec.cycles == ()
    assert np.isfinite(codec.log_volume(pd.Series(values, name='day'))).all()


def test_a_cell_of_few_numbers_has_no_share_of_its_own() -> None:
    strangers = np.array([17.23, 120.41, 300.77])
    (cycle,) = _found(np.sort(np.append(_prices(), strangers)), 2)
    rare = np.delete(cycle.shares, [50, 99])
    assert len(np.unique(rare)) == 1
    assert 0 < rare.sum() < 0.01
    assert len(strangers) < LEAST_DISTINCT


def _restored(cycles: tuple[Cycle, ...], even: Floats) -> Floats:
    return restored(cycles, even, np.zeros(1), stretched(cycles, np.zeros(1)))


def test_what_is_stretched_comes_back_and_stays_in_order() -> None:
    values = np.sort(_working_days() + np.random.default_rng(1).integers(480, 1080, 3_000) * 60e9)
    cycles = _found(values, 7)
    everywhere = np.linspace(values[0] - 9 * DAY, values[-1] + 9 * DAY, 5_001)
    assert (np.diff(stretched(cycles, everywhere)) > 0).all()
    assert np.abs(_restored(cycles, stretched(cycles, values)) - values).max() < 1e6  # nanoseconds
    slopes = (stretched(cycles, values + 30e9) - stretched(cycles, values - 30e9)) / 60e9
    assert np.allclose(np.log(slopes), log_slope(cycles, values), atol=1e-3)


def test_what_is_nowhere_goes_up_or_down_to_where_numbers_are() -> None:
    cycles = _found(_working_days(), 7)
    sunday = np.array([20 * 7 * DAY + SUNDAY])
    assert np.rint(filled(cycles, sunday) / DAY).tolist() == [20 * 7 + 4]
    assert np.rint(filled(cycles, sunday, down=True) / DAY).tolist() == [20 * 7 + 1]
    monday = sunday + DAY
    assert filled(cycles, monday).tolist() == filled(cycles, monday, down=True).tolist() == monday


@pytest.mark.parametrize('values', [_prices(), _working_days(), _days_of_months('first')])
def test_a_cycle_is_saved(values: Floats) -> None:
    (cycle,) = _found(values, 2)
    again = Cycle.from_state(cycle.to_state())
    assert type(again) is type(cycle)
    assert (again.period, again.start) == (cycle.period, cycle.start)
    assert np.array_equal(again.shares, cycle.shares)


def test_a_cycle_in_words() -> None:
    assert written(Cycle(7 * DAY, 0.0, np.array([0.5, 0.5, 0, 0, 0, 0, 0]))) == (
        'each week (2 of 7 parts)'
    )
    assert written(Cycle(10.0, 0.0, np.ones(10) / 10)) == 'each 10 (10 of 10 parts)'


@pytest.fixture(scope='module')
def prices() -> NumericalCodec:
    return NumericalCodec.fit('price', pd.Series(_prices(), name='price'), ModelConfig(max_atoms=8))


def _drawn(codec: NumericalCodec, number: int = 40_000) -> Floats:
    random = np.random.default_rng(1)
    shares = np.array(codec.column.counts) / sum(codec.column.counts)
    codes = random.choice(len(shares), number, p=shares)
    return codec.decode(codes, random.normal(0, 0.5, number), np.zeros(number))


def test_drawn_numbers_end_as_those_of_the_table(prices: NumericalCodec) -> None:
    cents = np.rint(_drawn(prices) * 100) % 100
    assert set(cents) == {50, 99}
    assert (cents == 99).mean() == pytest.approx(0.8, abs=0.03)


def test_working_days_stay_working_days() -> None:
    values = _working_days()
    codec = NumericalCodec.fit('day', pd.Series(values, name='day'), ModelConfig())
    days = np.rint(_drawn(codec) / DAY)
    assert ((days + 3) % 7 < 5).all()
    low, high = codec.limits
    assert days.min() >= low / DAY - 0.5
    assert days.max() <= high / DAY + 0.5


def test_means_go_to_the_nearest_working_day_and_atoms_stay() -> None:
    values = np.concatenate([_working_days(), np.full(500, 2 * DAY)])  # a Saturday, of its own code
    codec = NumericalCodec.fit('day', pd.Series(values, name='day'), ModelConfig(max_atoms=1))
    monday = np.rint(12_000 / 7) * 7 + 4
    friday, tuesday = (monday - 3) * DAY, (monday + 1) * DAY
    means = np.array([2 * DAY, tuesday, friday + 0.6 * DAY, friday + 2.4 * DAY, np.nan])
    moved = codec.nearest_numbers(means)
    assert moved[:2].tolist() == means[:2].tolist()
    assert np.rint(moved[2:4] / DAY).tolist() == [monday - 3, monday]
    assert np.isnan(moved[4])


def test_numbers_come_back_from_their_residuals(prices: NumericalCodec) -> None:
    values = pd.Series(_prices(500, seed=3), name='price').clip(*prices.limits)
    codes, residuals = prices.encode(values)
    found = prices.decode(codes, residuals, np.zeros(len(values)))
    assert np.array_equal(np.round(found, 2), values)


def test_the_masses_of_all_numbers_are_one(prices: NumericalCodec) -> None:
    part = max(prices.bins, key=lambda part: len(part.knots))
    points = np.arange(np.ceil(part.low * 100), np.floor(part.high * 100) + 1) / 100
    code = prices.column.bins[prices.bins.index(part)]
    masses = [
        sum(
            float(ndtr(high / 0.5) - ndtr(low / 0.5))
            for at, low, high in zip(found.codes, found.low, found.high, strict=True)
            if at == code
        )
        for found in prices.restrict_each([Interval(p - 0.005, p + 0.005) for p in points])
    ]
    assert sum(masses) == pytest.approx(1, abs=0.02)
    cents = np.rint(points * 100) % 100
    assert sum(np.array(masses)[~np.isin(cents, [50, 99])][1:-1]) < 1e-5  # but for the bin's ends


def test_an_interval_in_which_there_is_nothing_is_filled_evenly(prices: NumericalCodec) -> None:
    interval = Interval(100.10, 100.40)
    (pieces,) = prices.restrict_each([interval])
    uniforms = (np.arange(99) + 0.5) / 99
    drawn = prices.decode(np.repeat(pieces.codes[:1], 99), np.repeat(pieces.low[:1], 99), uniforms)
    found = prices.enforce(drawn, interval, uniforms)
    assert found.min() >= 100.10
    assert found.max() <= 100.40
    assert found.std() == pytest.approx(0.3 / 12**0.5, rel=0.1)


def test_members_are_drawn_wherever_they_are(prices: NumericalCodec) -> None:
    members = Members((99.99, 100.5, 100.25))
    (pieces,) = prices.restrict_each([members])
    assert len(pieces.codes) >= 3


def test_log_density_is_that_of_the_masses(prices: NumericalCodec) -> None:
    values = pd.Series(_prices(300, seed=4), name='price').clip(*prices.limits)
    volume = prices.log_volume(values)
    assert np.isfinite(volume).all()
    shifted = values.mask(values < values.max(), values + 0.2)
    assert (prices.log_volume(shifted)[: len(values) - 1] < volume[: len(values) - 1]).mean() > 0.9


def test_numbers_of_bins_with_a_step_have_no_say() -> None:
    """Amounts of hundreds above 3,000; below there are all."""
    random = np.random.default_rng(0)
    low = random.integers(1, 3_000, 4_000)
    values = np.concatenate([low, random.integers(31, 9_000, 4_000) * 100]).astype(float)
    codec = NumericalCodec.fit('x', pd.Series(values, name='x'), ModelConfig())
    assert codec.cycles == ()
    assert any(part.step for part in codec.bins)


def test_a_saved_codec_has_its_cycles_and_one_of_before_has_none(prices: NumericalCodec) -> None:
    state = prices.to_state()
    again = NumericalCodec.from_state(state)
    assert np.array_equal(_drawn(again, 500), _drawn(prices, 500))
    del state['cycles']
    assert NumericalCodec.from_state(state).cycles == ()
