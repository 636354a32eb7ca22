"""What is known under constraints that replace columns informs every answer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sdv.cag import FixedCombinations, Inequality, Range, SingleTableProgrammableConstraint
from sdv.sampling import Condition

from sdv_tabdar import Between, OneOf, TabDARSynthesizer

from ..conftest import TINY, make_metadata

N = 150
RANDOM = np.random.default_rng(0)
NUMBER: dict[str, Any] = {'sdtype': 'numerical'}
LEVEL: dict[str, Any] = {'sdtype': 'categorical'}


def fit_under(
    constraints: list[Any], data: pd.DataFrame, columns: dict[str, dict[str, Any]], **settings: Any
) -> TabDARSynthesizer:
    synthesizer = TabDARSynthesizer(make_metadata(columns), **{**TINY, **settings})
    synthesizer.add_constraints(constraints)
    synthesizer.fit(data)
    return synthesizer


def make_spans() -> pd.DataFrame:
    """Numbers all over a wide range, and the others a little above them."""
    low = RANDOM.uniform(0, 1000, N).round(1)
    high = (low + RANDOM.uniform(0.5, 5, N)).round(1)
    return pd.DataFrame({'low': low, 'high': high})


def make_rides() -> pd.DataFrame:
    """Starts to the second over a year, and ends some minutes later."""
    start = pd.Timestamp('2021-01-01') + pd.to_timedelta(RANDOM.integers(0, 31_536_000, N), 's')
    return pd.DataFrame(
        {'start': start, 'end': start + pd.to_timedelta(RANDOM.integers(60, 3600, N), 's')}
    )


@pytest.fixture(scope='module')
def spans() -> tuple[TabDARSynthesizer, pd.DataFrame]:
    data = make_spans()
    return fit_under([Inequality('low', 'high')], data, {'low': NUMBER, 'high': NUMBER}), data


@pytest.fixture(scope='module')
def rides() -> tuple[TabDARSynthesizer, pd.DataFrame]:
    data = make_rides()
    columns: dict[str, dict[str, Any]] = {name: {'sdtype': 'datetime'} for name in data}
    return fit_under([Inequality('start', 'end')], data, columns), data


Fitted = tuple[TabDARSynthesizer, pd.DataFrame]


def test_a_known_low_informs_high(spans: Fitted) -> None:
    synthesizer, data = spans
    filled = synthesizer.impute(data.head(50).assign(high=np.nan), num_samples=1)

    assert (filled['high'] - data['high'].head(50)).abs().median() < 10


def test_a_known_high_informs_low(spans: Fitted) -> None:
    """Differences are at most 5 everywhere: whatever the network has learnt, low is near."""
    synthesizer, data = spans
    filled = synthesizer.impute(data.head(50).assign(low=np.nan), num_samples=1)

    assert (filled['low'] - data['low'].head(50)).abs().median() < 10
    assert (filled['low'] <= filled['high']).all()


def test_a_known_end_informs_the_start(rides: Fitted) -> None:
    """Whatever the network has learnt, a ride takes at most an hour."""
    synthesizer, data = rides
    filled = synthesizer.impute(data.head(50).assign(start=pd.NaT))
    errors = (filled['start'] - data['start'].head(50)).abs()

    assert errors.median() < pd.Timedelta(3, 'h')


def test_a_known_high_informs_predictions_of_other_columns() -> None:
    """Where the column below is not known, a prediction is made of draws that end at it."""
    low = RANDOM.uniform(0, 1000, N).round(1)
    high = (low + RANDOM.uniform(0.5, 5, N)).round(1)
    data = pd.DataFrame({'large': low > 500, 'tenth': low / 10, 'low': low, 'high': high})
    columns = {'large': {'sdtype': 'boolean'}, 'tenth': NUMBER, 'low': NUMBER, 'high': NUMBER}
    synthesizer = fit_under([Inequality('low', 'high')], data, columns, width=32, epochs=150)
    given = pd.DataFrame({'high': [200.0, 800.0], 'low': [np.nan, np.nan]}, index=['a', 'b'])
    shares = synthesizer.predict_proba(given, 'large', num_samples=100)
    assert shares.loc['b', True] > shares.loc['a', True] + 0.3
    assert shares.sum(axis=1).tolist() == pytest.approx([1, 1])
    middles = synthesizer.predict_quantiles(given, 'tenth', [0.5], num_samples=100)[0.5]
    assert middles['b'] > middles['a'] + 20


def test_conditions_on_the_high_column_alone_are_met_at_once(rides: Fitted) -> None:
    synthesizer, data = rides
    known = data[['end']].head(20)
    completed = synthesizer.sample_remaining_columns(known, max_tries_per_batch=1)

    pd.testing.assert_frame_equal(completed[['end']], known)
    assert (completed['end'] - completed['start']).between(pd.Timedelta(0), '2h').all()


def test_ranges_of_the_high_column_are_met_at_once(rides: Fitted) -> None:
    synthesizer, _ = rides
    wanted = Between(pd.Timestamp('2021-06-01'), pd.Timestamp('2021-06-03'))
    sampled = synthesizer.sample_from_conditions(
        [Condition({'end': wanted}, num_rows=20)], max_tries_per_batch=1
    )

    assert len(sampled) == 20
    assert sampled['end'].between(wanted.low, wanted.high).all()
    assert (sampled['start'] <= sampled['end']).all()


def test_a_known_end_of_a_range_of_three_informs_the_others() -> None:
    data = make_spans()
    data['top'] = (data['high'] + RANDOM.uniform(0.5, 5, N)).round(1)
    columns = dict.fromkeys(data, NUMBER)
    synthesizer = fit_under([Range('low', 'high', 'top')], data, columns)
    filled = synthesizer.impute(data.head(50).assign(low=np.nan, high=np.nan), num_samples=1)

    assert (filled['low'] - data['low'].head(50)).abs().median() < 20
    assert (filled['low'] <= filled['high']).all()
    assert (filled['high'] <= filled['top']).all()


@pytest.mark.parametrize('unit', ['1D', pytest.param('1s', id='seconds')], ids=['days', 'seconds'])
def test_dates_keep_their_precision_under_inequality(unit: str) -> None:
    days = pd.Timestamp('2020-01-01') + pd.to_timedelta(RANDOM.integers(0, 300, N), 'D')
    start = pd.Series(days) + RANDOM.integers(0, 80_000, N) * pd.Timedelta('1s') * (unit == '1s')
    data = pd.DataFrame({'a': start, 'b': start + RANDOM.integers(1, 900, N) * pd.Timedelta(unit)})
    columns: dict[str, dict[str, Any]] = {name: {'sdtype': 'datetime'} for name in data}
    sampled = fit_under([Inequality('a', 'b')], data, columns, max_atoms=0).sample(60)

    for name in data:
        assert (sampled[name].dt.floor(unit) == sampled[name]).all()
        assert sampled[name].between(data[name].min(), data[name].max()).all()


class Hundredths(SingleTableProgrammableConstraint):
    """Even numbers, learnt in hundredths in the same column."""

    def get_updated_metadata(self, metadata: Any) -> Any:
        return metadata

    def transform(self, data: pd.DataFrame) -> pd.DataFrame:
        return data.assign(x=data['x'] / 100)

    def reverse_transform(self, transformed_data: pd.DataFrame) -> pd.DataFrame:
        return transformed_data.assign(x=2 * (50 * transformed_data['x']).round())

    def is_valid(self, synthetic_data: pd.DataFrame) -> pd.Series:
        return synthetic_data['x'] % 2 == 0


@pytest.fixture(scope='module')
def rewritten() -> Fitted:
    data = pd.DataFrame({'x': 2 * RANDOM.integers(0, 100, N), 'y': RANDOM.choice(list('ab'), N)})
    return fit_under([Hundredths()], data, {'x': NUMBER, 'y': LEVEL}), data


def test_quantiles_of_a_rewritten_column_are_in_the_users_units(rewritten: Fitted) -> None:
    synthesizer, data = rewritten
    found = synthesizer.predict_quantiles(data.head(3), 'x', [0.1, 0.5, 0.9])

    assert found[0.9].between(120, 198).all()
    assert found[0.5].between(40, 160).all()
    assert (found.diff(axis=1).iloc[:, 1:] >= 0).all(axis=None)


@pytest.mark.parametrize('wanted', [Between(50, 100), OneOf([50, 52, 54, 56, 100])], ids=str)
def test_ranges_of_a_rewritten_column_are_in_the_users_units(
    rewritten: Fitted, wanted: Any
) -> None:
    synthesizer, _ = rewritten
    sampled = synthesizer.sample_from_conditions([Condition({'x': wanted}, num_rows=10)])

    assert len(sampled) == 10
    assert sampled['x'].between(50, 100).all()
    assert (sampled['x'] % 2 == 0).all()


def test_likelihoods_with_a_rewritten_column_say_whose_units_they_have(
    rewritten: Fitted,
) -> None:
    """What a user's own function does to a density is not known; the rows still compare."""
    synthesizer, data = rewritten

    with pytest.warns(UserWarning, match=r"'x'.*constraint"):
        assert np.isfinite(synthesizer.log_likelihood(data.head(3))).all()


@pytest.fixture(scope='module')
def replaced() -> Fitted:
    low = RANDOM.integers(0, 100, N)
    letter = RANDOM.choice(list('xy'), N)
    digit = RANDOM.choice(list('12'), N)
    data = pd.DataFrame(
        {
            'low': low,
            'high': low + RANDOM.integers(1, 30, N),
            'letter': letter,
            'place': [a + b for a, b in zip(letter, digit, strict=True)],
            'free': RANDOM.choice(list('uv'), N),
        }
    )
    columns = {'low': NUMBER, 'high': NUMBER, 'letter': LEVEL, 'place': LEVEL, 'free': LEVEL}
    constraints = [Inequality('low', 'high'), FixedCombinations(['letter', 'place'])]
    return fit_under(constraints, data, columns), data


def test_columns_that_no_constraint_replaces_are_answered(replaced: Fitted) -> None:
    synthesizer, data = replaced

    np.testing.assert_allclose(synthesizer.predict_proba(data.head(4), 'free').sum(axis=1), 1)


@pytest.mark.parametrize('column', ['letter', 'place'])
def test_probabilities_of_combined_columns(replaced: Fitted, column: str) -> None:
    synthesizer, data = replaced
    found = synthesizer.predict_proba(data[['low', 'free']].head(5), column)

    assert list(found.columns) == sorted(data[column].unique())
    np.testing.assert_allclose(found.sum(axis=1), 1, atol=1e-5)
    assert ((found > 0.01) & (found < 0.99)).all(axis=None)
    pd.testing.assert_index_equal(found.index, data.head(5).index)


def test_probabilities_of_combined_columns_follow_the_combinations(replaced: Fitted) -> None:
    synthesizer, data = replaced
    rows = data.head(20)
    letters = synthesizer.predict_proba(rows, 'letter')
    places = synthesizer.predict_proba(rows, 'place')

    for row, letter in zip(rows.index, rows['letter'], strict=True):
        assert letters.loc[row, letter] == pytest.approx(1)
        mine = [name for name in places if name.startswith(letter)]
        assert places.loc[row, mine].sum() == pytest.approx(1)


def test_quantiles_of_compared_columns(replaced: Fitted) -> None:
    synthesizer, data = replaced
    rows = data.head(10)
    high = synthesizer.predict_quantiles(rows, 'high')
    low = synthesizer.predict_quantiles(rows, 'low')

    assert list(high.columns) == [0.05, 0.5, 0.95]
    for found, column in ((low, 'low'), (high, 'high')):
        assert (found.diff(axis=1).iloc[:, 1:] >= 0).all(axis=None)
        assert found.min(axis=None) >= data[column].min()
        assert found.max(axis=None) <= data[column].max()
    assert high.ge(rows['low'], axis=0).all(axis=None)
    assert low.le(rows['high'], axis=0).all(axis=None)


@pytest.fixture(scope='module')
def days() -> tuple[TabDARSynthesizer, pd.DataFrame]:
    """Midnights of a zone in which clocks are put on and back."""
    random = np.random.default_rng(0)
    first = pd.Timestamp('2020-01-01') + pd.to_timedelta(random.integers(0, 300, 120), 'D')
    middle = first + pd.to_timedelta(random.integers(1, 60, 120), 'D')
    last = middle + pd.to_timedelta(random.integers(1, 60, 120), 'D')
    data = pd.DataFrame({'a': first, 'b': middle, 'c': last}).apply(
        lambda dates: dates.dt.tz_localize('Europe/Berlin')
    )
    columns: dict[str, dict[str, Any]] = {name: {'sdtype': 'datetime'} for name in data}
    return fit_under([Range('a', 'b', 'c', strict_boundaries=True)], data, columns), data


def _assert_midnights(rows: pd.DataFrame) -> None:
    assert (rows == rows.apply(lambda dates: dates.dt.normalize())).all(axis=None)
    assert (rows['a'] < rows['b']).all()
    assert (rows['b'] < rows['c']).all()


def test_midnights_of_a_time_zone_stay_midnights(days: Fitted) -> None:
    synthesizer, data = days
    rows = synthesizer.sample(80)
    assert len(rows) == 80
    _assert_midnights(rows)
    for column in data:
        known = data[[column]].head(10)
        asked = synthesizer.sample_remaining_columns(known)
        _assert_midnights(asked)
        assert asked[column].tolist() == known[column].tolist()


@pytest.mark.parametrize('column', ['a', 'b', 'c'])
@pytest.mark.parametrize(
    ('low', 'high', 'found'),
    [
        ('2020-05-03', '2020-05-03', ['2020-05-03']),
        ('2020-05-03 13:00', '2020-05-04 01:00', ['2020-05-04']),
        ('2020-03-28 12:00', '2020-03-30 12:00', ['2020-03-29', '2020-03-30']),
        ('2020-10-24 00:30', '2020-10-26 00:30', ['2020-10-25', '2020-10-26']),
    ],
)
def test_narrow_ranges_hold_midnights_of_a_time_zone(
    days: Fitted, column: str, low: str, high: str, found: list[str]
) -> None:
    synthesizer, data = days
    zone = data[column].dt.tz
    ends = pd.Timestamp(low, tz=zone), pd.Timestamp(high, tz=zone)
    rows = synthesizer.sample_from_conditions([Condition({column: Between(*ends)}, num_rows=30)])
    _assert_midnights(rows)
    assert len(rows) == 30
    assert set(rows[column]) == {pd.Timestamp(day, tz=zone) for day in found}


def test_dates_are_midnights_where_no_difference_of_training_reaches(days: Fitted) -> None:
    synthesizer, data = days
    zone = data['a'].dt.tz
    known = {'a': pd.Timestamp('2020-01-05', tz=zone), 'c': pd.Timestamp('2020-12-01', tz=zone)}
    _assert_midnights(synthesizer.sample_from_conditions([Condition(known, num_rows=20)]))


def test_quantiles_and_rows_alike_are_midnights_of_a_time_zone(days: Fitted) -> None:
    synthesizer, data = days
    found = synthesizer.predict_quantiles(data[['a', 'c']].head(5), 'b')
    assert (found == found.apply(lambda dates: dates.dt.normalize())).all(axis=None)
    _assert_midnights(synthesizer.sample_like(data[['b']].iloc[0].to_dict(), 10))
