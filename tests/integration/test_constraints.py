"""SDV's constraints: learnt, kept in samples, conditions and imputations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from rdt.transformers import FloatFormatter, UniformEncoder
from sdv.cag import (
    FixedCombinations,
    FixedIncrements,
    Inequality,
    OneHotEncoding,
    Range,
    SingleTableProgrammableConstraint,
)
from sdv.cag._errors import ConstraintNotMetError
from sdv.errors import InvalidDataTypeError
from sdv.sampling import Condition

from sdv_tabdar.conditions import Between, NotNull, OneOf
from sdv_tabdar.synthesizer import TabDARSynthesizer

from .conftest import TINY, make_metadata

N = 120
DAY = {'sdtype': 'datetime', 'datetime_format': '%Y-%m-%d'}
COLUMNS: dict[str, dict[str, Any]] = {
    'key': {'sdtype': 'id'},
    'low': {'sdtype': 'numerical'},
    'middle': {'sdtype': 'numerical'},
    'high': {'sdtype': 'numerical'},
    'start': DAY,
    'end': DAY,
    'country': {'sdtype': 'categorical'},
    'city': {'sdtype': 'categorical'},
    'fives': {'sdtype': 'numerical'},
    'is_x': {'sdtype': 'numerical'},
    'is_y': {'sdtype': 'numerical'},
    'flag': {'sdtype': 'boolean'},
    'email': {'sdtype': 'email', 'pii': True},
}
CITIES = {'fr': ['Paris', 'Lyon'], 'de': ['Berlin', 'Bonn']}


def make_data(*, gaps: bool) -> pd.DataFrame:
    random = np.random.default_rng(3)
    low = random.integers(0, 50, N).astype(float)
    middle = low + random.integers(1, 20, N)
    high = middle + random.integers(1, 20, N)
    start = pd.Timestamp('2020-01-01') + pd.to_timedelta(random.integers(0, 300, N), 'D')
    end = start + pd.to_timedelta(random.integers(1, 30, N), 'D')
    country = random.choice(['fr', 'de'], N)
    is_x = random.integers(0, 2, N)
    data = pd.DataFrame(
        {
            'key': range(N),
            'low': low,
            'middle': middle,
            'high': high,
            'start': start.strftime('%Y-%m-%d').astype(object),
            'end': end.strftime('%Y-%m-%d').astype(object),
            'country': country,
            'city': [random.choice(CITIES[name]) for name in country],
            'fives': 5 * random.integers(0, 9, N),
            'is_x': is_x,
            'is_y': 1 - is_x,
            'flag': random.random(N) < 0.5,
            'email': [f'p{i}@q.r' for i in range(N)],
        }
    )
    if gaps:
        data.loc[random.random(N) < 0.2, 'low'] = np.nan
        data.loc[random.random(N) < 0.2, 'high'] = np.nan
        data.loc[random.random(N) < 0.2, 'end'] = None
    return data


def constraints() -> list[Any]:
    return [
        Range('low', 'middle', 'high'),
        Inequality('start', 'end'),
        FixedCombinations(['country', 'city']),
        FixedIncrements('fives', 5),
        OneHotEncoding(['is_x', 'is_y']),
    ]


@pytest.fixture(scope='module', params=[False, True], ids=['no gaps', 'gaps'])
def constrained(request: pytest.FixtureRequest) -> tuple[TabDARSynthesizer, pd.DataFrame]:
    data = make_data(gaps=request.param)
    synthesizer = TabDARSynthesizer(make_metadata(COLUMNS, primary_key='key'), **TINY)
    synthesizer.add_constraints(constraints())
    synthesizer.fit(data)
    return synthesizer, data


def check_rows(synthesizer: TabDARSynthesizer, rows: pd.DataFrame, data: pd.DataFrame) -> None:
    synthesizer.validate_constraints(rows)
    pd.testing.assert_series_equal(rows.dtypes, data.dtypes)
    assert list(rows.columns) == list(data.columns)
    assert rows['key'].is_unique


Constrained = tuple[TabDARSynthesizer, pd.DataFrame]


def test_adding_constraints_keeps_the_transformers() -> None:
    synthesizer = TabDARSynthesizer(make_metadata(COLUMNS, primary_key='key'), **TINY)
    synthesizer.add_constraints(constraints())
    synthesizer.auto_assign_transformers(make_data(gaps=True))
    transformers = synthesizer.get_transformers()

    assert transformers['flag'] is None
    assert transformers['country#city'] is None
    assert isinstance(transformers['fives#increment'], FloatFormatter)
    assert transformers['fives#increment'].missing_value_generation is None
    assert not any(isinstance(value, UniformEncoder) for value in transformers.values())


def test_samples_meet_constraints(constrained: Constrained) -> None:
    synthesizer, data = constrained

    sampled = synthesizer.sample(100)

    assert len(sampled) == 100
    check_rows(synthesizer, sampled, data)
    assert sampled.isna().any().tolist() == data.isna().any().tolist()


def test_all_columns_of_each_constraint_known(constrained: Constrained) -> None:
    synthesizer, data = constrained
    known = data.drop(columns=['key', 'flag']).head(50)

    completed = synthesizer.sample_remaining_columns(known)

    pd.testing.assert_frame_equal(completed[list(known.columns)], known)
    check_rows(synthesizer, completed, data)


@pytest.mark.parametrize(
    'columns',
    [['low'], ['low', 'start'], ['country'], ['city', 'low'], ['fives', 'flag'], ['low', 'middle']],
)
def test_some_columns_known_need_no_second_try(
    constrained: Constrained, columns: list[str]
) -> None:
    synthesizer, data = constrained
    known = data[columns].dropna().head(40)

    completed = synthesizer.sample_remaining_columns(known, max_tries_per_batch=3)

    pd.testing.assert_frame_equal(completed[columns], known)
    check_rows(synthesizer, completed, data)


@pytest.mark.filterwarnings('ignore:Only able to sample')
def test_columns_that_can_only_be_tried_for(constrained: Constrained) -> None:
    synthesizer, data = constrained
    known = data[['high', 'is_x']].head(5)

    completed = synthesizer.sample_remaining_columns(known, max_tries_per_batch=4)

    assert len(completed) >= 1
    pd.testing.assert_frame_equal(completed[['high', 'is_x']], known.loc[completed.index])
    check_rows(synthesizer, completed, data)


def test_ranges_and_sets_under_constraints(constrained: Constrained) -> None:
    synthesizer, data = constrained
    sampled = synthesizer.sample_from_conditions(
        [
            Condition(
                {'city': OneOf(['Lyon', 'Bonn']), 'low': Between(10, 30), 'end': NotNull()},
                num_rows=20,
            )
        ]
    )

    assert len(sampled) == 20
    assert set(sampled['city']) <= {'Lyon', 'Bonn'}
    assert sampled['low'].between(10, 30).all()
    assert sampled['end'].notna().all()
    check_rows(synthesizer, sampled, data)


def test_broken_constraints_are_named(constrained: Constrained) -> None:
    synthesizer, _ = constrained
    backwards = pd.DataFrame({'start': ['2020-03-01'], 'end': ['2020-02-01']})
    with pytest.raises(
        ConstraintNotMetError, match='Unable to sample .* known cells break a constraint'
    ):
        synthesizer.sample_remaining_columns(backwards)
    impossible = pd.DataFrame({'country': ['fr'], 'city': ['Bonn']})
    with pytest.raises(ConstraintNotMetError, match=r"'fr', 'city': 'Bonn'.* no row"):
        synthesizer.sample_remaining_columns(impossible)


def test_known_cells_that_break_constraints_are_not_imputed_around(
    constrained: Constrained,
) -> None:
    synthesizer, _ = constrained
    gaps = pd.DataFrame(
        {
            'country': ['fr', 'fr', 'de'],
            'city': ['Bonn', 'Lyon', None],
            'start': ['2020-03-01', '2020-03-01', None],
            'end': ['2020-02-01', '2020-04-01', '2020-05-01'],
            'low': [np.nan, np.nan, 3],
        }
    )

    with pytest.warns(UserWarning, match='1 rows stay as they are'):
        filled = synthesizer.impute(gaps, num_samples=2)

    pd.testing.assert_frame_equal(filled[list(gaps.columns)].head(1), gaps.head(1))
    assert filled.iloc[1:].notna().all(axis=None)
    synthesizer.validate_constraints(filled.iloc[1:])


def test_data_that_break_constraints_are_refused() -> None:
    data = make_data(gaps=False)
    data.loc[3, 'high'] = -1.0
    synthesizer = TabDARSynthesizer(make_metadata(COLUMNS, primary_key='key'), **TINY)
    synthesizer.add_constraints(constraints())

    with pytest.raises(ConstraintNotMetError, match='Range'):
        synthesizer.fit(data)


def test_rows_are_validated_in_a_dictionary(constrained: Constrained) -> None:
    synthesizer, _ = constrained
    rows = synthesizer.sample(5)

    synthesizer.validate_constraints({'table': rows})
    with pytest.raises(Exception, match='fixed increments requirement is not met'):
        synthesizer.validate_constraints({'table': rows.assign(fives=1)})
    with pytest.raises(InvalidDataTypeError, match="named 'table'"):
        synthesizer.validate_constraints({'other': rows})


def test_imputed_rows_meet_constraints(constrained: Constrained) -> None:
    synthesizer, data = constrained
    random = np.random.default_rng(0)
    gaps = data.drop(columns=['key', 'email']).head(60)
    gaps = gaps.mask(random.random(gaps.shape) < 0.2)

    for filled in (synthesizer.impute(gaps, num_samples=4), *synthesizer.impute(gaps, num_draws=2)):
        learnt = list(gaps.columns)
        assert filled[learnt].notna().all(axis=None)
        known = gaps.notna()
        pd.testing.assert_frame_equal(filled[learnt].where(known), gaps.where(known))
        synthesizer.validate_constraints(filled.astype({'flag': bool}))


class Even(SingleTableProgrammableConstraint):
    """Numbers that are even, learnt as their halves."""

    def __init__(self, column: str) -> None:
        self.column = column

    def get_updated_metadata(self, metadata: Any) -> Any:
        return metadata

    def transform(self, data: pd.DataFrame) -> pd.DataFrame:
        return data.assign(**{self.column: data[self.column] / 2})

    def reverse_transform(self, transformed_data: pd.DataFrame) -> pd.DataFrame:
        doubled = 2 * transformed_data[self.column].round()
        return transformed_data.assign(**{self.column: doubled})

    def is_valid(self, synthetic_data: pd.DataFrame) -> pd.Series:
        return synthetic_data[self.column] % 2 == 0


def test_programmable_constraint_that_keeps_its_column() -> None:
    data = pd.DataFrame({'x': 2 * np.arange(60), 'y': list('ab') * 30})
    columns = {'x': {'sdtype': 'numerical'}, 'y': {'sdtype': 'categorical'}}
    synthesizer = TabDARSynthesizer(make_metadata(columns), **TINY)
    synthesizer.add_constraints([Even('x')])
    synthesizer.fit(data)

    assert (synthesizer.sample(30)['x'] % 2 == 0).all()
    known = pd.DataFrame({'x': [10, 100]})
    pd.testing.assert_frame_equal(synthesizer.sample_remaining_columns(known)[['x']], known)


class Gain(SingleTableProgrammableConstraint):
    """A number above another one, learnt as the difference."""

    def __init__(self, *column_names: str) -> None:
        if column_names:
            self.column_names = list(column_names)

    def get_updated_metadata(self, metadata: Any) -> Any:
        return metadata

    def transform(self, data: pd.DataFrame) -> pd.DataFrame:
        return data.assign(high=data['high'] - data['low'])

    def reverse_transform(self, transformed_data: pd.DataFrame) -> pd.DataFrame:
        return transformed_data.assign(high=transformed_data['high'] + transformed_data['low'])

    def is_valid(self, synthetic_data: pd.DataFrame) -> pd.Series:
        return synthetic_data['high'] > synthetic_data['low']


@pytest.mark.parametrize('declared', [(), ('low', 'high')])
def test_programmable_constraint_that_reads_what_is_not_known(declared: tuple[str, ...]) -> None:
    random = np.random.default_rng(0)
    data = pd.DataFrame({'low': random.integers(0, 50, N)}).astype(float)
    data['high'] = data['low'] + random.integers(1, 90, N)
    columns = {name: {'sdtype': 'numerical'} for name in data}
    synthesizer = TabDARSynthesizer(make_metadata(columns), **TINY)
    synthesizer.add_constraints([Gain(*declared)])
    synthesizer.fit(data)

    gaps = data.head(20).copy()
    gaps.loc[::2, 'low'] = np.nan
    filled = synthesizer.impute(gaps)
    assert (filled['low'] < filled['high']).all()
    assert list(filled['high']) == list(gaps['high'])


def test_dates_without_zeros_are_compared_with_others() -> None:
    start = pd.Series(pd.date_range('2021-01-01', periods=N))
    formats = {'start': '%-d/%-m/%Y', 'end': '%Y-%m-%d'}
    dates = {'start': start, 'end': start + pd.Timedelta(40, 'D')}
    data = pd.DataFrame({name: dates[name].dt.strftime(formats[name]) for name in formats})
    columns = {
        name: {'sdtype': 'datetime', 'datetime_format': text} for name, text in formats.items()
    }
    synthesizer = TabDARSynthesizer(make_metadata(columns), **TINY)
    synthesizer.add_constraints([Inequality('start', 'end')])
    synthesizer.fit(data)

    sampled = synthesizer.impute(data[['end']])
    begun = pd.to_datetime(sampled['start'], format='%d/%m/%Y')
    assert (begun <= pd.to_datetime(sampled['end'])).all()


def test_overlapping_constraints_are_met_by_trying() -> None:
    random = np.random.default_rng(0)
    low = random.integers(0, 20, N)
    data = pd.DataFrame(
        {
            'a': low,
            'b': low + random.integers(1, 40, N),
            'c': low + random.integers(1, 40, N),
        }
    )
    columns = {name: {'sdtype': 'numerical'} for name in 'abc'}
    synthesizer = TabDARSynthesizer(make_metadata(columns), **TINY)
    synthesizer.add_constraints([Inequality('a', 'b'), Inequality('a', 'c')])
    synthesizer.fit(data)

    sampled = synthesizer.sample(40)
    assert (sampled['a'] <= sampled['b']).all()
    assert (sampled['a'] <= sampled['c']).all()
    completed = synthesizer.sample_remaining_columns(data[['a']].head(20))
    assert list(completed['a']) == list(data['a'].head(20))
    assert (completed['a'] <= completed['c']).all()
