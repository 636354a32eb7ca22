"""What SDV asks of every single-table synthesizer of its own."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from rdt.transformers import AnonymizedFaker, FloatFormatter, IndexGenerator, RegexGenerator
from sdv.cag import FixedCombinations, FixedIncrements, Inequality, OneHotEncoding, Range
from sdv.cag._errors import ConstraintNotMetError
from sdv.errors import InvalidDataError, SamplingError, SynthesizerInputError, VersionError
from sdv.metadata import Metadata
from sdv.sampling import Condition, DataFrameCondition
from sdv.utils import load_constraints, load_synthesizer

from sdv_tabdar import TabDARSynthesizer

from ..conftest import TINY, fit_tiny, make_metadata

N = 60
RANDOM = np.random.default_rng(0)
NUMBER: dict[str, Any] = {'sdtype': 'numerical'}
LEVEL: dict[str, Any] = {'sdtype': 'categorical'}
COUNTS = pd.DataFrame(
    {name: np.roll(range(N), 7 * place) for place, name in enumerate(('one', 'two', 'three'))}
)
COUNT_COLUMNS = dict.fromkeys(COUNTS, NUMBER)
DAY_TEXT = '%d %b %Y'
DAY: dict[str, Any] = {'sdtype': 'datetime', 'datetime_format': DAY_TEXT}


def fit_under(
    constraints: list[Any], data: pd.DataFrame, columns: dict[str, Any], **table: Any
) -> TabDARSynthesizer:
    synthesizer = TabDARSynthesizer(make_metadata(columns, **table), **TINY)
    synthesizer.add_constraints(constraints)
    synthesizer.fit(data)
    return synthesizer


def two_days() -> pd.DataFrame:
    """A day, and one at most a month later, as text."""
    days = pd.Timestamp('2020-01-01') + pd.to_timedelta(RANDOM.integers(0, 90, N), 'D')
    later = days + pd.to_timedelta(RANDOM.integers(1, 30, N), 'D')
    texts = {'a': days.strftime(DAY_TEXT), 'b': later.strftime(DAY_TEXT)}
    return pd.DataFrame(texts).astype(object)


@pytest.fixture(scope='module')
def counts() -> TabDARSynthesizer:
    return fit_tiny(COUNTS, COUNT_COLUMNS)


def test_batches_smaller_than_a_condition(counts: TabDARSynthesizer) -> None:
    conditions = [Condition({'one': 10}, num_rows=20), Condition({'one': 50}, num_rows=3)]

    sampled = counts.sample_from_conditions(conditions, batch_size=7)
    assert list(sampled['one']) == [10] * 20 + [50] * 3


def test_values_that_never_occur_together_are_honoured(counts: TabDARSynthesizer) -> None:
    """SDV's synthesizers find none and refuse; this one need not wait for them to turn up."""
    sampled = counts.sample_from_conditions([Condition({'one': 28, 'two': 37, 'three': 3})])

    assert sampled.iloc[0].tolist() == [28, 37, 3]


def test_negative_and_whole_numbers_in_columns_of_floats() -> None:
    data = pd.DataFrame({'one': [-float(number) for number in range(N)], 'two': range(N)})
    synthesizer = fit_tiny(data, {'one': NUMBER, 'two': NUMBER})
    conditions = [Condition({'one': -10.0}, num_rows=3), Condition({'one': -50}, num_rows=2)]

    assert list(synthesizer.sample_from_conditions(conditions)['one']) == [-10.0] * 3 + [-50.0] * 2


def test_rows_of_which_all_known_cells_are_missing() -> None:
    data = pd.DataFrame(
        {
            'day': ['29 Dec 2020', None, '02 Jan 2021'] * 20,
            'fee': [5.0, 7.5, np.nan] * 20,
            'kind': list('abc') * 20,
        }
    )
    day = {'sdtype': 'datetime', 'datetime_format': '%d %b %Y'}
    synthesizer = fit_tiny(data, {'day': day, 'fee': NUMBER, 'kind': LEVEL})
    known = pd.DataFrame({'day': [None, '29 Dec 2020', None], 'fee': [5.0, np.nan, None]})

    completed = synthesizer.sample_remaining_columns(known)
    pd.testing.assert_frame_equal(completed[['day', 'fee']], known)
    assert completed['kind'].notna().all()


def test_a_second_fit_learns_formats_and_constraints_anew() -> None:
    first = pd.DataFrame(
        {'city': ['LA', 'SF', 'CHI'] * 9, 'state': ['CA', 'CA', 'IL'] * 9, 'size': [27.125] * 27}
    )
    second = pd.DataFrame(
        {'city': ['LA', 'LA', 'CHI'] * 9, 'state': ['CA', 'CA', 'IL'] * 9}
    ).assign(size=RANDOM.normal(27, 3, 27).round(1))
    columns = {'city': LEVEL, 'state': LEVEL, 'size': NUMBER}
    synthesizer = fit_under([FixedCombinations(['city', 'state'])], first, columns)
    synthesizer.fit(second)

    sampled = synthesizer.sample(50)
    assert set(zip(sampled['city'], sampled['state'], strict=True)) <= {('LA', 'CA'), ('CHI', 'IL')}
    assert np.array_equal(sampled['size'].round(1), sampled['size'])


def test_a_second_fit_starts_generated_columns_anew() -> None:
    data = pd.DataFrame({'id': range(5), 'number': [1, 2, 3, 2, 1], 'name': list('AABBB')})
    columns = {'id': {'sdtype': 'id'}, 'number': NUMBER, 'name': {'sdtype': 'name', 'pii': True}}
    synthesizer = TabDARSynthesizer(make_metadata(columns, primary_key='id'), **TINY)
    synthesizer.fit(data)
    rows = synthesizer.sample(10)
    synthesizer.fit(data)

    pd.testing.assert_frame_equal(synthesizer.sample(10), rows)


@pytest.mark.parametrize('dtype', ['text', 'numbers'])
def test_dates_to_the_microsecond_without_separators(dtype: str) -> None:
    texts = [
        f'2022090{day}1104{second:02d}{micro:06d}'
        for day, second, micro in zip(
            range(1, 10), range(10, 55, 5), range(0, 900_000, 100_000), strict=True
        )
    ]
    values = texts if dtype == 'text' else [int(text) for text in texts]
    data = pd.DataFrame({'moment': values * 5})
    entry = {'sdtype': 'datetime', 'datetime_format': '%Y%m%d%H%M%S%f'}
    synthesizer = fit_tiny(data, {'moment': entry})

    sampled = synthesizer.sample(20)
    synthesizer.validate(sampled)
    assert sampled['moment'].dtype == data['moment'].dtype


def test_personal_data_may_be_the_key() -> None:
    data = pd.DataFrame(
        {'id': list('NAKFP'), 'number': [1, 2, 3, 2, 1], 'name': ['A', 'A', 'B', 'B', 'B']}
    )
    columns = {'id': {'sdtype': 'first_name'}, 'number': NUMBER, 'name': {'sdtype': 'name'}}
    synthesizer = TabDARSynthesizer(make_metadata(columns, primary_key='id'), **TINY)
    synthesizer.auto_assign_transformers(data)
    assert synthesizer.get_transformers()['id'].function_name == 'first_name'
    synthesizer.fit(data)

    assert synthesizer.sample(3)['id'].is_unique


def test_users_generators_make_the_keys() -> None:
    data = pd.DataFrame({'id': range(12), 'kind': list('abcd') * 3})
    columns = {'id': {'sdtype': 'id'}, 'kind': LEVEL}
    synthesizer = TabDARSynthesizer(make_metadata(columns, primary_key='id'), **TINY)
    synthesizer.auto_assign_transformers(data)
    synthesizer.update_transformers({'id': IndexGenerator(starting_value=5)})
    synthesizer.fit(data)

    sampled = synthesizer.sample(20)
    assert sampled['id'].min() == 5
    assert sampled['id'].is_unique


@pytest.mark.parametrize('rule', ['unique', 'match', 'scale', None])
def test_users_text_generators_make_ids(rule: str | None) -> None:
    data = pd.DataFrame({'code': [f'x{number}' for number in range(20)], 'n': range(20)})
    synthesizer = TabDARSynthesizer(make_metadata({'code': {'sdtype': 'id'}, 'n': NUMBER}), **TINY)
    synthesizer.auto_assign_transformers(data)
    synthesizer.update_transformers({'code': RegexGenerator(cardinality_rule=rule)})
    synthesizer.fit(data)

    assert synthesizer.sample(20)['code'].str.fullmatch('[A-Za-z]{5}').all()


def test_formatted_keys_are_not_in_order() -> None:
    data = pd.DataFrame({'key': [f'{a}{b}{b}' for a in 'ABC' for b in 'DEFG'], 'n': range(12)})
    columns = {'key': {'sdtype': 'id', 'regex_format': '[A-Z]{3}'}, 'n': NUMBER}
    synthesizer = TabDARSynthesizer(make_metadata(columns, primary_key='key'), **TINY)
    synthesizer.fit(data)
    keys = synthesizer.sample(50)['key']

    assert keys.is_unique
    assert keys.str.fullmatch('[A-Z]{3}').all()
    assert list(keys) != sorted(keys)


def test_whole_number_keys_cannot_start_with_zero() -> None:
    data = pd.DataFrame({'a': [1, 2, 3], 'b': [4, 5, 6]})
    columns = {'a': {'sdtype': 'id', 'regex_format': '[0-9]{3,4}'}, 'b': NUMBER}
    synthesizer = TabDARSynthesizer(make_metadata(columns, primary_key='a'), **TINY)

    with pytest.raises(InvalidDataError, match='allows it to start with "0"'):
        synthesizer.fit(data)


def test_formats_that_sdv_cannot_write_are_refused() -> None:
    columns = {'id': {'sdtype': 'id', 'regex_format': '(10|20|30)[0-9]{4}'}, 'n': NUMBER}

    with pytest.raises(SynthesizerInputError, match='complex regex'):
        TabDARSynthesizer(make_metadata(columns), **TINY)


def test_transformers_that_do_not_round_are_warned_of() -> None:
    data = pd.DataFrame({'fee': RANDOM.normal(5, 1, N).round(2), 'kind': list('ab') * 30})
    synthesizer = TabDARSynthesizer(make_metadata({'fee': NUMBER, 'kind': LEVEL}), **TINY)
    synthesizer.auto_assign_transformers(data)

    with pytest.warns(UserWarning, match='Unable to turn off rounding scheme'):
        synthesizer.update_transformers({'fee': FloatFormatter(learn_rounding_scheme=False)})


def test_whole_numbers_as_levels_keep_all_levels() -> None:
    data = pd.DataFrame({'a': range(20), 'b': range(20)})
    data = pd.concat([data] * 5, ignore_index=True).assign(c=[str(n // 5) for n in range(100)])
    sampled = fit_tiny(data, {'a': LEVEL, 'b': NUMBER, 'c': LEVEL}).sample(600)

    assert set(sampled['a']) == set(data['a'])
    assert set(sampled['c']) == set(data['c'])


def test_numbers_detected_as_levels_keep_their_gaps() -> None:
    data = pd.DataFrame({'level': [1, 2, 1, np.nan] * 15, 'n': RANDOM.random(N)})
    synthesizer = TabDARSynthesizer(Metadata.detect_from_dataframes({'table': data}), **TINY)
    synthesizer.fit(data)
    sampled = synthesizer.sample(80)

    assert sampled.dtypes.equals(data.dtypes)
    assert set(sampled['level'].dropna()) == {1, 2}
    assert sampled['level'].isna().any()


def test_unknown_columns_get_placeholders() -> None:
    data = pd.DataFrame({'what': list('abc') * 5, 'n': range(15)})
    sampled = fit_tiny(data, {'what': {'sdtype': 'unknown'}, 'n': NUMBER}).sample(5)

    assert sampled['what'].str.startswith('sdv-pii-').all()


def test_personal_data_are_not_the_real_ones() -> None:
    data = pd.DataFrame({'mail': [f'p{n}@real.org' for n in range(N)], 'n': range(N)})
    synthesizer = TabDARSynthesizer(
        make_metadata({'mail': {'sdtype': 'email', 'pii': True}, 'n': NUMBER}), **TINY
    )
    uuid = AnonymizedFaker(provider_name='misc', function_name='uuid4', cardinality_rule='unique')
    synthesizer.auto_assign_transformers(data)
    synthesizer.update_transformers({'mail': uuid})
    synthesizer.fit(data)
    sampled = synthesizer.sample(20)

    assert sampled['mail'].is_unique
    assert not sampled['mail'].isin(data['mail']).any()
    assert sampled['mail'].astype(str).str.fullmatch('[0-9a-f-]{36}').all()


def test_columns_named_by_numbers_under_detected_metadata() -> None:
    data = pd.DataFrame({1: [1, 2, 3] * 9, 2: [4, 5, 6] * 9, 3: list('abc') * 9})
    synthesizer = TabDARSynthesizer(Metadata.detect_from_dataframes({'table': data}), **TINY)
    synthesizer.fit(data)
    first, second = synthesizer.sample(9), synthesizer.sample(9)

    assert list(first.columns) == list(second.columns) == [1, 2, 3]
    assert not first.equals(second)


@pytest.mark.filterwarnings('ignore:The datetime format for column')
def test_dates_of_several_zones() -> None:
    zones = ['UTC-01:00', 'UTC+02:00', 'UTC-12:00', 'UTC+14:00']
    stamps = [pd.Timestamp('2025-01-01 12:00', tz=zone) for zone in zones]
    data = pd.DataFrame({'t': pd.Series([*stamps, np.nan], dtype=object), 'n': range(5)})
    entry = {'sdtype': 'datetime', 'datetime_format': '%Y-%m-%d %H:%M:%S%z'}
    synthesizer = TabDARSynthesizer(make_metadata({'t': entry, 'n': NUMBER}), **TINY)

    synthesizer.auto_assign_transformers(data)
    synthesizer.validate(data)
    synthesizer.fit(data)
    assert len(synthesizer.sample(5)) == 5


def test_conditions_need_a_fitted_synthesizer() -> None:
    synthesizer = TabDARSynthesizer(make_metadata(COUNT_COLUMNS), **TINY)

    with pytest.raises(SamplingError, match='has not been fitted'):
        synthesizer.sample_from_conditions([Condition({'one': 1})])


def test_models_of_other_versions_of_sdv(tmp_path: Path) -> None:
    synthesizer = fit_tiny(COUNTS, COUNT_COLUMNS)
    synthesizer._fitted_sdv_version = '1.0.0'  # what a synthesizer of that version has
    with pytest.raises(VersionError, match='Fitting this synthesizer again is not supported'):
        synthesizer.fit(COUNTS)

    synthesizer._fitted_sdv_version = '1000.0.0'
    synthesizer.save(tmp_path / 'newer.pkl')
    with pytest.raises(VersionError, match='Downgrading'):
        load_synthesizer(tmp_path / 'newer.pkl')


def test_constraints_are_saved_and_loaded(tmp_path: Path) -> None:
    columns = {'one': NUMBER, 'two': NUMBER, 'fives': NUMBER}
    data = pd.DataFrame({'one': range(N), 'two': range(3, N + 3), 'fives': [0, 5, 10] * 20})
    constraints = [Inequality('one', 'two'), FixedIncrements('fives', 5)]
    synthesizer = fit_under(constraints, data, columns)
    synthesizer.get_constraints(tmp_path / 'constraints.json')
    other = fit_under(load_constraints(tmp_path / 'constraints.json'), data, columns)

    assert [type(entry) for entry in synthesizer.get_constraints()] == [Inequality, FixedIncrements]
    pd.testing.assert_frame_equal(other.sample(5), synthesizer.sample(5))


@pytest.mark.filterwarnings('ignore:The table can be learnt as it is:UserWarning')
def test_addresses_beside_a_constraint() -> None:
    """SDV's public version leaves out relationships of addresses; the columns stay generated."""
    data = pd.DataFrame(
        {
            'street': ['1 Street'] * N,
            'city': ['Boston', 'LA'] * 30,
            'code': ['0', '1', '2'] * 20,
            'text': ['code 0', 'code 1', 'code 2'] * 20,
        }
    )
    columns = {
        'street': {'sdtype': 'street_address'},
        'city': {'sdtype': 'city'},
        'code': LEVEL,
        'text': LEVEL,
    }
    synthesizer = fit_under([FixedCombinations(['code', 'text'])], data, columns)
    sampled = synthesizer.sample(60)

    assert list(sampled.columns) == list(data.columns)
    assert (sampled['text'] == 'code ' + sampled['code']).all()
    assert not sampled['street'].isin(data['street']).any()


@pytest.mark.parametrize('gap', [np.nan, None], ids=str)
def test_every_pattern_of_gaps_under_an_inequality(gap: Any) -> None:
    data = pd.DataFrame({'a': [0, 1, gap, gap, 2] * 20, 'b': [2, gap, 3, gap, 3] * 20})
    data = data.astype(float)
    sampled = fit_under([Inequality('a', 'b')], data, {'a': NUMBER, 'b': NUMBER}).sample(300)

    patterns = sampled.isna().value_counts()
    assert len(patterns) == 4
    both = sampled.dropna()
    assert (both['a'] <= both['b']).all()


def test_every_pattern_of_gaps_under_a_range() -> None:
    gap = np.nan
    data = pd.DataFrame(
        {
            'low': [1, 4, gap, 0, 4, gap, gap, 5, gap] * 12,
            'middle': [2, 5, 3, gap, 5, gap, 5, gap, gap] * 12,
            'high': [3, 7, 8, 4, gap, 9, gap, gap, gap] * 12,
        }
    )
    synthesizer = fit_under([Range('low', 'middle', 'high')], data, dict.fromkeys(data, NUMBER))
    sampled = synthesizer.sample(400)

    assert len(sampled.isna().value_counts()) == 8
    synthesizer.validate_constraints(sampled)


def test_text_dates_with_gaps_under_an_inequality() -> None:
    data = pd.DataFrame(
        {
            'a': [None, None, '21 Sep, 15', '29 May, 12'] * 15,
            'b': [None, '12 Oct, 14', '02 Nov, 15', None] * 15,
        }
    )
    day = {'sdtype': 'datetime', 'datetime_format': '%d %b, %y'}
    synthesizer = fit_under([Inequality('a', 'b')], data, {'a': day, 'b': day})
    sampled = synthesizer.sample(100)

    synthesizer.validate(sampled)
    assert len(sampled.isna().value_counts()) == 4


def test_dates_with_a_zone_under_an_inequality() -> None:
    days = pd.date_range('2020-02-02', periods=N, tz='UTC')
    data = pd.DataFrame({'a': days, 'b': days + pd.Timedelta('3D')})
    dates: dict[str, Any] = {'sdtype': 'datetime'}
    constraint = Inequality('a', 'b', strict_boundaries=True)
    sampled = fit_under([constraint], data, {'a': dates, 'b': dates}).sample(60)

    assert (sampled['a'] < sampled['b']).all()
    assert sampled.dtypes.equals(data.dtypes)


def test_dates_stay_within_the_data_under_an_inequality() -> None:
    data = two_days()
    sampled = fit_under([Inequality('a', 'b')], data, {'a': DAY, 'b': DAY}).sample(200)

    for name in data:
        real, found = (pd.to_datetime(rows[name], format=DAY_TEXT) for rows in (data, sampled))
        assert found.between(real.min(), real.max()).all()


@pytest.mark.parametrize('dtype', ['Int8', 'Int64', 'UInt16', 'Float64'])
def test_increments_in_nullable_dtypes(dtype: str) -> None:
    cells = [None if number % 7 == 0 else 5 * (number % 20) for number in range(N)]
    data = pd.DataFrame({'fives': pd.Series(cells, dtype=dtype), 'n': range(N)})
    constraint = FixedIncrements('fives', 5)
    sampled = fit_under([constraint], data, {'fives': NUMBER, 'n': NUMBER}).sample(60)['fives']

    assert sampled.dtype == data['fives'].dtype
    assert (sampled.dropna() % 5 == 0).all()


@pytest.mark.parametrize('kind', ['numerical', 'boolean', 'categorical'])
def test_one_hot_columns_of_every_kind(kind: str) -> None:
    choice = RANDOM.integers(0, 3, N)
    data = pd.DataFrame({name: choice == place for place, name in enumerate('abc')})
    data = data if kind == 'boolean' else data.astype(int)
    columns = {name: {'sdtype': kind} for name in 'abc'}
    synthesizer = fit_under([OneHotEncoding(list('abc'))], data, columns)
    sampled = synthesizer.sample(60)

    assert (sampled.sum(axis=1) == 1).all()
    assert sampled.dtypes.equals(data.dtypes)
    with pytest.raises(ConstraintNotMetError):
        synthesizer.validate_constraints(data.assign(a=data['a'].iloc[0], b=data['a'].iloc[0]))


def test_combinations_with_gaps() -> None:
    data = pd.DataFrame({'a': [1, 2, np.nan, 1] * 15, 'b': ['x', 'y', None, None] * 15})
    synthesizer = fit_under([FixedCombinations(['a', 'b'])], data, {'a': LEVEL, 'b': LEVEL})
    sampled = synthesizer.sample(100)

    def pairs(rows: pd.DataFrame) -> set[tuple[str, str]]:
        return set(zip(rows['a'].astype(str), rows['b'].fillna('-'), strict=True))

    assert pairs(sampled) == pairs(data)


def test_one_column_in_several_inequalities() -> None:
    low = RANDOM.integers(0, 10, N)
    data = pd.DataFrame(
        {'low': low, 'b': low + RANDOM.integers(1, 9, N), 'c': low + RANDOM.integers(1, 9, N)}
    )
    constraints = [Inequality('low', 'b'), Inequality('low.fillna', 'c')]
    sampled = fit_under(constraints, data, dict.fromkeys(data, NUMBER)).sample(60)

    assert (sampled['low'] <= sampled['b']).all()
    assert (sampled['low'] <= sampled['c']).all()


def test_overlapping_constraints_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    columns = dict.fromkeys('abc', NUMBER)
    synthesizer = TabDARSynthesizer(make_metadata(columns), **TINY)

    with caplog.at_level(logging.INFO, logger='sdv.single_table.base'):
        synthesizer.add_constraints([Inequality('a', 'b'), Inequality('b', 'c')])
    assert 'Enforcing constraint Inequality using reject sampling.' in caplog.messages


def test_conditions_on_one_and_on_both_columns_of_an_inequality() -> None:
    synthesizer = fit_under([Inequality('a', 'b')], two_days(), {'a': DAY, 'b': DAY})
    first = synthesizer.sample_from_conditions([Condition({'a': '04 Feb 2020'}, num_rows=20)])
    both = pd.DataFrame({'a': ['04 Feb 2020'] * 3, 'b': ['10 Feb 2020'] * 3})

    assert (first['a'] == '04 Feb 2020').all()
    assert (pd.to_datetime(first['b'], format=DAY_TEXT) >= pd.Timestamp('2020-02-04')).all()
    pd.testing.assert_frame_equal(
        synthesizer.sample_from_conditions([DataFrameCondition(both)]), both
    )
