"""Known cells that no draw reaches: the others are moved to where there is room, or it is said."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sdv.cag import FixedCombinations, FixedIncrements, Inequality, OneHotEncoding, Range
from sdv.cag._errors import ConstraintNotMetError
from sdv.sampling import Condition

from sdv_tabdar import Between, NotNull, OneOf, TabDARSynthesizer

from ..conftest import TINY, make_metadata

N = 60
RANDOM = np.random.default_rng(0)
NUMBER: dict[str, Any] = {'sdtype': 'numerical'}
LEVEL: dict[str, Any] = {'sdtype': 'categorical'}
DATE: dict[str, Any] = {'sdtype': 'datetime'}


def fit_under(
    constraint: Any, data: pd.DataFrame, columns: dict[str, dict[str, Any]], **settings: Any
) -> TabDARSynthesizer:
    synthesizer = TabDARSynthesizer(make_metadata(columns), **{**TINY, **settings})
    synthesizer.add_constraints([constraint])
    synthesizer.fit(data)
    return synthesizer


def far_low() -> pd.DataFrame:
    """The least low number has no number in the middle beside it, and none comes near."""
    low = RANDOM.uniform(0, 20, N).round(2)
    middle = (low + RANDOM.uniform(1, 9, N)).round(2)
    high = (middle + RANDOM.uniform(1, 9, N)).round(2)
    low[0], middle[0] = -30.78, np.nan
    return pd.DataFrame({'low': low, 'middle': middle, 'high': high})


def starts() -> pd.DataFrame:
    """The first end lies before all starts that are there."""
    start = pd.Series(pd.Timestamp('2020-02-01') + pd.to_timedelta(np.arange(N), 'D'))
    end = start + pd.to_timedelta(RANDOM.integers(1, 9, N), 'D')
    start[0], end[0] = pd.NaT, pd.Timestamp('2020-01-19')
    return pd.DataFrame({'start': start, 'end': end, 'c': RANDOM.choice(list('ab'), N)})


ORDER: dict[str, dict[str, Any]] = {'start': DATE, 'end': DATE, 'c': LEVEL}


@pytest.mark.parametrize('num_samples', [1, 3])
def test_gaps_are_filled_where_differences_of_training_do_not_reach(num_samples: int) -> None:
    data = far_low()
    columns = dict.fromkeys(data, NUMBER)
    synthesizer = fit_under(Range('low', 'middle', 'high'), data, columns)
    gaps = pd.DataFrame({'low': [-30.78], 'middle': [np.nan], 'high': [np.nan]})

    with warnings.catch_warnings():
        warnings.simplefilter('error')
        filled = synthesizer.impute(gaps, num_samples=num_samples)

    assert (filled['low'] < filled['middle']).all()
    assert (filled['middle'] < filled['high']).all()
    for name in ('middle', 'high'):
        assert filled[name].between(data[name].min(), data[name].max()).all()


def test_a_gap_without_room_is_named_and_the_others_are_filled() -> None:
    synthesizer = fit_under(Inequality('start', 'end'), starts(), ORDER)
    gaps = pd.DataFrame({'start': [pd.NaT], 'end': [pd.Timestamp('2020-01-19')], 'c': [None]})

    with pytest.warns(UserWarning, match="1 in column 'start' .*enforce_min_max_values=False"):
        filled = synthesizer.impute(gaps, num_samples=2)

    assert filled['start'].isna().all()
    assert filled['c'].isin(['a', 'b']).all()
    pd.testing.assert_series_equal(filled['end'], gaps['end'])


def test_a_gap_without_room_is_named_in_a_table_of_nothing_else() -> None:
    data = starts()[['start', 'end']].iloc[1:]
    synthesizer = fit_under(Inequality('start', 'end'), data, {'start': DATE, 'end': DATE})
    gaps = pd.DataFrame(
        {'start': [pd.NaT] * 2, 'end': pd.to_datetime(['2019-01-03', '2020-03-01'])}
    )

    with (
        pytest.warns(UserWarning, match='hold what the training data had not'),
        pytest.warns(UserWarning, match="1 in column 'start' .*enforce_min_max_values=False"),
    ):
        filled = synthesizer.impute(gaps)

    assert filled['start'].isna().tolist() == [True, False]


@pytest.mark.parametrize('settings', [{}, {'enforce_min_max_values': False}], ids=str)
def test_an_end_before_all_starts_is_met_where_starts_may_be_missing_or_earlier(
    settings: dict[str, Any],
) -> None:
    data = starts() if not settings else starts().iloc[1:]
    synthesizer = fit_under(Inequality('start', 'end'), data, ORDER, **settings)
    wanted = Condition({'end': '2020-01-19'}, num_rows=3)

    with warnings.catch_warnings():
        warnings.filterwarnings('ignore', message='Known cells hold')
        rows = synthesizer.sample_from_conditions([wanted])

    assert len(rows) == 3
    assert (rows['start'].isna() | (rows['start'] <= rows['end'])).all()


def test_the_cure_that_is_named_helps() -> None:
    free = fit_under(Inequality('start', 'end'), starts(), ORDER, enforce_min_max_values=False)
    gaps = pd.DataFrame({'start': [pd.NaT], 'end': [pd.Timestamp('2020-01-19')], 'c': [None]})

    filled = free.impute(gaps, num_samples=2)

    assert (filled['start'] <= filled['end']).all()


def test_combinations_that_training_has_only_with_a_gap() -> None:
    data = pd.DataFrame(
        {'country': ['fr', 'fr', 'de'] * 20, 'city': ['Paris', 'Lyon', None] * 20, 'x': range(60)}
    )
    columns = {'country': LEVEL, 'city': LEVEL, 'x': NUMBER}
    synthesizer = fit_under(FixedCombinations(['country', 'city']), data, columns)
    gaps = pd.DataFrame({'country': ['de', 'fr'], 'city': [None, None], 'x': [np.nan, np.nan]})

    with pytest.warns(UserWarning, match="1 in column 'city' .*Change or empty known cells"):
        filled = synthesizer.impute(gaps)

    assert filled['city'].isna().tolist() == [True, False]
    assert filled['x'].notna().all()


def gaps_below() -> pd.DataFrame:
    """Every third low number is missing; some of the others are far from the mean."""
    low = RANDOM.uniform(0, 1000, 150).round()
    middle = low + RANDOM.integers(1, 6, 150)
    data = pd.DataFrame({'low': low, 'middle': middle, 'high': middle + RANDOM.integers(4, 7, 150)})
    data.loc[::3, 'low'] = np.nan
    return data


@pytest.mark.parametrize('known', ['middle', 'high'])
def test_columns_above_a_missing_one_keep_their_difference(known: str) -> None:
    data = gaps_below()
    columns = dict.fromkeys(data, NUMBER)
    synthesizer = fit_under(Range('low', 'middle', 'high'), data, columns)
    asked = pd.DataFrame({'low': [None] * 5, known: [900.0] * 5}, dtype=object)

    rows = synthesizer.sample_remaining_columns(asked, max_tries_per_batch=2)

    assert len(rows) == 5
    assert rows['low'].isna().all()
    assert (rows[known] == 900).all()
    assert (rows['high'] - rows['middle']).between(1, 8).all()


def test_a_middle_column_of_which_the_lowest_is_open() -> None:
    data = gaps_below()
    columns = dict.fromkeys(data, NUMBER)
    synthesizer = fit_under(Range('low', 'middle', 'high'), data, columns)

    rows = synthesizer.sample_remaining_columns(pd.DataFrame({'middle': [900.0] * 5}))

    assert len(rows) == 5
    assert (rows['high'] - 900).between(1, 8).all()


def test_what_no_draw_meets_is_an_error_of_the_class_that_sdv_raises() -> None:
    place = np.arange(30) % 3
    data = pd.DataFrame({name: (place == i) * 1 for i, name in enumerate('abc')})
    synthesizer = fit_under(OneHotEncoding(list(data)), data, dict.fromkeys(data, NUMBER))
    never = Condition({'a': 1001, 'b': NotNull()}, num_rows=2)

    with (
        pytest.warns(UserWarning, match='hold what the training data had not'),
        pytest.raises(ValueError, match='Unable to sample any rows .* no draw met') as error,
    ):
        synthesizer.sample_from_conditions([never], max_tries_per_batch=2)

    assert type(error.value) is ValueError


def strict_range() -> TabDARSynthesizer:
    """High numbers begin well above the low ones."""
    low = np.arange(N)
    data = pd.DataFrame({'low': low, 'middle': low + 1 + low % 9, 'high': low + 9 + low % 9})
    return fit_under(Range('low', 'middle', 'high'), data, dict.fromkeys(data, NUMBER))


def test_known_upper_values_below_those_of_training_leave_room_under_a_strict_range() -> None:
    synthesizer = strict_range()
    known = pd.DataFrame({'high': [2, 3, 4, 6, 8, 20] * 3})

    with pytest.warns(UserWarning, match='hold what the training data had not'):
        rows = synthesizer.sample_remaining_columns(known)

    assert rows['high'].tolist() == known['high'].tolist()
    assert (rows['low'] < rows['middle']).all()
    assert (rows['middle'] < rows['high']).all()
    between = synthesizer.sample_from_conditions([Condition({'low': 3, 'high': 5}, num_rows=5)])
    assert between['middle'].tolist() == [4] * 5


@pytest.mark.parametrize('formats', [('%Y-%m-%d', '%Y-%m-%d'), ('%Y-%m-%d', '%Y-%m-%d %H:%M')])
def test_known_ends_before_those_of_training_leave_room_under_a_strict_inequality(
    formats: tuple[str, str],
) -> None:
    start = pd.Series(pd.Timestamp('2020-01-01') + pd.to_timedelta(np.arange(N), 'D'))
    end = start + pd.to_timedelta(RANDOM.integers(72, 200, N), 'h')
    dates = {'start': start, 'end': end}
    data = pd.DataFrame(
        {name: dates[name].dt.strftime(text) for name, text in zip(dates, formats, strict=True)}
    )
    columns = {
        name: {**DATE, 'datetime_format': text} for name, text in zip(data, formats, strict=True)
    }
    constraint = Inequality('start', 'end', strict_boundaries=True)
    synthesizer = fit_under(constraint, data, columns)
    asked = pd.Timestamp('2020-01-02 13:00').strftime(formats[1])

    with pytest.warns(UserWarning, match='hold what the training data had not'):
        rows = synthesizer.sample_from_conditions([Condition({'end': asked}, num_rows=5)])

    assert rows['start'].tolist() == ['2020-01-01'] * 5


def test_constraints_are_refused_in_the_words_of_the_call() -> None:
    data = pd.DataFrame({'low': [0, 9] * 20, 'high': [5, 20] * 20, 'c': ['a', 'b'] * 20})
    columns = {'low': NUMBER, 'high': NUMBER, 'c': LEVEL}
    synthesizer = fit_under(Inequality('low', 'high'), data, columns)
    known = pd.DataFrame({'low': [9], 'high': [6]})

    with pytest.raises(ConstraintNotMetError, match='^Unable to sample any rows .*Inequality'):
        synthesizer.sample_remaining_columns(known)
    with pytest.raises(ConstraintNotMetError, match='^Unable to predict.*Inequality'):
        synthesizer.predict_proba(known, 'c')


def few_steps() -> pd.DataFrame:
    """Numbers with few differences: 2 or 9 to the middle, 1 or 7 to the high one."""
    low = RANDOM.integers(0, 5, N) * 10
    middle = low + RANDOM.choice([2, 9], N)
    return pd.DataFrame({'low': low, 'mid': middle, 'high': middle + RANDOM.choice([1, 7], N)})


@pytest.fixture(scope='module')
def stepped() -> TabDARSynthesizer:
    data = few_steps()
    return fit_under(Range('low', 'mid', 'high'), data, dict.fromkeys(data, NUMBER))


@pytest.mark.parametrize(
    'wanted',
    [
        {'low': 10, 'mid': OneOf([13, 15])},
        {'low': 10, 'mid': Between(14, 16)},
        {'low': 10, 'high': OneOf([15, 16])},
        {'mid': OneOf([15, 16])},
        {'mid': 12, 'high': OneOf([15])},
        {'low': 10, 'mid': OneOf([11, 14]), 'high': 16},
    ],
    ids=str,
)
def test_sets_and_ranges_that_no_difference_of_training_reaches_are_met(
    stepped: TabDARSynthesizer, wanted: dict[str, Any]
) -> None:
    rows = stepped.sample_from_conditions([Condition(wanted, num_rows=3)])

    assert len(rows) == 3
    assert ((rows['low'] < rows['mid']) & (rows['mid'] < rows['high'])).all()
    for name, asked in wanted.items():
        allowed = {Between: [14, 15, 16], OneOf: getattr(asked, 'values', ())}
        assert rows[name].isin(allowed.get(type(asked), [asked])).all()


def test_a_set_that_the_lowest_column_never_had_is_refused_by_its_name(
    stepped: TabDARSynthesizer,
) -> None:
    words = r"column 'low' cannot be OneOf\(\[15, 25\]\), because no value .*had 0 to 40"
    with pytest.raises(ValueError, match=words):
        stepped.sample_from_conditions([Condition({'low': OneOf([15, 25])}, num_rows=3)])


def test_a_multiple_that_training_never_had_is_refused_by_its_column() -> None:
    data = pd.DataFrame({'fives': [0, 5, 20] * 20, 'c': list('ab') * 30})
    columns = {'fives': NUMBER, 'c': LEVEL}
    synthesizer = fit_under(FixedIncrements('fives', 5), data, columns)
    words = r"{'fives': OneOf\(\[10\]\)} cannot be met.*no row of the training data has such"
    with pytest.raises(ConstraintNotMetError, match=words):
        synthesizer.sample_from_conditions([Condition({'fives': OneOf([10])}, num_rows=3)])
