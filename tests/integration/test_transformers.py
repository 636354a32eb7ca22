"""Transformers: the defaults, and what users put in their place."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from rdt.transformers import (
    BaseTransformer,
    BinaryEncoder,
    ClusterBasedNormalizer,
    FloatFormatter,
    GaussianNormalizer,
    LabelEncoder,
    LogScaler,
    OneHotEncoder,
    OptimizedTimestampEncoder,
    OrderedLabelEncoder,
    UniformEncoder,
    UnixTimestampEncoder,
)
from sdv.cag import FixedCombinations, Inequality, OneHotEncoding
from sdv.errors import InvalidDataError
from sdv.metadata import Metadata
from sdv.sampling import Condition

from sdv_tabdar.conditions import Between, NotNull, OneOf
from sdv_tabdar.core.schema import ColumnKind
from sdv_tabdar.synthesizer import TabDARSynthesizer

from .conftest import TINY, make_metadata

New = Callable[..., TabDARSynthesizer]


def test_default_transformers(table: pd.DataFrame, new: New) -> None:
    synthesizer = new()
    synthesizer.auto_assign_transformers(table)
    transformers = synthesizer.get_transformers()

    for column in ('city', 'flag', 'maybe', 'level', 'group'):
        assert transformers[column] is None
    for column, kind in (('age', FloatFormatter), ('moment', UnixTimestampEncoder)):
        transformer = transformers[column]
        assert type(transformer) is kind
        assert transformer.missing_value_generation is None
        assert transformer.missing_value_replacement is None
    for column in ('key', 'email', 'mystery'):
        assert transformers[column].is_generator()


def test_two_synthesizers_share_no_transformer(table: pd.DataFrame, new: New) -> None:
    first, second = new(), new()
    for synthesizer in (first, second):
        synthesizer.auto_assign_transformers(table)

    assert first.get_transformers()['age'] is not second.get_transformers()['age']


def test_kinds_of_the_processed_columns(fitted: TabDARSynthesizer) -> None:
    kinds = fitted._table.trained[1].kinds

    numerical = {name for name, kind in kinds.items() if kind is ColumnKind.NUMERICAL}
    assert numerical == {'age', 'income', 'gap', 'day', 'moment'}
    assert set(kinds) - numerical == {'city', 'flag', 'maybe', 'level', 'group'}


# What users put in the place of the default transformers, some for each column. The first ones of
# all columns are those of one synthesizer, the second ones those of another, and so on.
CHOICES: dict[str, list[Callable[[], BaseTransformer | None]]] = {
    'city': [
        UniformEncoder,
        LabelEncoder,
        lambda: LabelEncoder(add_noise=True),
        OneHotEncoder,
    ],
    'maybe': [
        BinaryEncoder,
        lambda: BinaryEncoder(missing_value_generation='from_column'),
        UniformEncoder,
    ],
    'level': [lambda: OrderedLabelEncoder(order=[1, 2, 3, 4])],
    'group': [LabelEncoder],
    'age': [lambda: None, GaussianNormalizer, LogScaler],
    'income': [ClusterBasedNormalizer],
    'gap': [
        FloatFormatter,
        lambda: FloatFormatter(missing_value_generation='from_column'),
        lambda: None,
    ],
    'day': [OptimizedTimestampEncoder],
    'moment': [
        lambda: UnixTimestampEncoder(missing_value_generation='from_column'),
        lambda: None,
    ],
}
CASES = [(place, name) for name, made in CHOICES.items() for place in range(len(made))]


@pytest.fixture(scope='module')
def chosen(table: pd.DataFrame, metadata: Metadata) -> Callable[[int], TabDARSynthesizer]:
    """The synthesizer with the transformers at a place of their columns' choices, fitted once."""

    @functools.cache
    def fit(place: int) -> TabDARSynthesizer:
        synthesizer = TabDARSynthesizer(metadata, **TINY)
        synthesizer.auto_assign_transformers(table)
        synthesizer.update_transformers(
            {name: made[place]() for name, made in CHOICES.items() if place < len(made)}
        )
        synthesizer.fit(table)
        return synthesizer

    return fit


@pytest.mark.filterwarnings('ignore:Replacing the default transformer')
@pytest.mark.filterwarnings('ignore:Unable to turn off rounding')
@pytest.mark.filterwarnings('ignore:No rounding scheme')
@pytest.mark.parametrize(('place', 'column'), CASES)
def test_users_choose_transformers(
    table: pd.DataFrame, chosen: Callable[[int], TabDARSynthesizer], place: int, column: str
) -> None:
    synthesizer = chosen(place)

    sampled = synthesizer.sample(40)
    pd.testing.assert_series_equal(sampled.dtypes, table.dtypes)
    if table[column].nunique() < 5:
        assert set(sampled[column].dropna()) <= set(table[column].dropna())
    known = table[[column]].head(20)
    pd.testing.assert_frame_equal(synthesizer.sample_remaining_columns(known)[[column]], known)
    restricted = synthesizer.sample_from_conditions([Condition({column: NotNull()}, num_rows=10)])
    assert restricted[column].notna().all()
    if table[column].nunique() < 5:
        asked = list(table[column].dropna().unique()[:2])
        some = synthesizer.sample_from_conditions([Condition({column: OneOf(asked)}, num_rows=10)])
        assert set(some[column]) <= set(asked)
    if column == 'age':
        some = synthesizer.sample_from_conditions([Condition({'age': Between(30, 60)}, num_rows=5)])
        assert some['age'].between(30, 60).all()
    filled = synthesizer.impute(table[['flag']].head(10), num_samples=2)
    assert filled[column].notna().all()


def test_changed_processed_data_can_be_fitted(table: pd.DataFrame, new: New) -> None:
    synthesizer = new()
    processed = synthesizer.preprocess(table)
    processed['noise'] = np.random.default_rng(0).normal(size=len(processed))
    processed['word'] = 'w'
    synthesizer.fit_processed_data(processed)

    assert list(synthesizer.sample(3).columns) == list(table.columns)


CHANGES: dict[str, tuple[Callable[[pd.DataFrame, pd.DataFrame], pd.DataFrame], str]] = {
    'no rows': (lambda processed, _: processed.head(0), 'has no rows'),
    'a column less': (lambda processed, _: processed.drop(columns='age'), r"lacks .* \['age'\]"),
    'text': (lambda processed, _: processed.assign(age='old'), "'age' holds object, .* numbers"),
    'not processed': (lambda _, table: table, "'moment' holds datetime64.* are numbers"),
}


@pytest.mark.parametrize(('change', 'message'), CHANGES.values(), ids=CHANGES)
def test_processed_data_of_another_kind_are_refused(
    table: pd.DataFrame, new: New, change: Callable[..., pd.DataFrame], message: str
) -> None:
    synthesizer = new()
    processed = synthesizer.preprocess(table)

    with pytest.raises(InvalidDataError, match=message):
        synthesizer.fit_processed_data(change(processed, table))


def test_keys_refuse_what_is_no_generator(table: pd.DataFrame, new: New) -> None:
    synthesizer = new()
    synthesizer.auto_assign_transformers(table)

    with pytest.raises(Exception, match="'key' is a key"):
        synthesizer.update_transformers({'key': FloatFormatter()})
    with pytest.raises(ValueError, match="'key' is a key, which must have a transformer .* None"):
        synthesizer.update_transformers({'key': None})


@pytest.mark.parametrize(
    ('transformers', 'message'),
    [
        ({'city': 'LabelEncoder'}, "of column 'city' must be one of rdt.transformers, or None"),
        ({'city': LabelEncoder}, "of column 'city' must be one of rdt.transformers, or None"),
        ([('city', None)], 'must be a dictionary of transformers by column'),
    ],
)
def test_what_is_no_transformer_is_refused(
    table: pd.DataFrame, new: New, transformers: Any, message: str
) -> None:
    synthesizer = new()
    synthesizer.auto_assign_transformers(table)

    with pytest.raises(TypeError, match=message):
        synthesizer.update_transformers(transformers)


@pytest.mark.filterwarnings('ignore:Replacing the default transformer')
@pytest.mark.filterwarnings('ignore:Downcasting object dtype arrays:FutureWarning')
@pytest.mark.parametrize('encoder', [LabelEncoder, UniformEncoder, OneHotEncoder])
def test_users_encode_the_levels_that_constraints_make(
    encoder: Callable[[], BaseTransformer], tmp_path: Path
) -> None:
    random = np.random.default_rng(0)
    low, is_x = random.integers(0, 50, 90), random.integers(0, 2, 90)
    data = pd.DataFrame(
        {
            'low': low,
            'high': np.where(low % 5 > 0, low + random.integers(0, 9, 90), np.nan),
            'country': np.where(is_x > 0, 'fr', 'de'),
            'city': np.where(is_x > 0, 'Paris', random.choice(['Bonn', 'Berlin'], 90)),
            'is_x': is_x,
            'is_y': 1 - is_x,
        }
    )
    numbers = {name: {'sdtype': 'numerical'} for name in ('low', 'high', 'is_x', 'is_y')}
    texts = {name: {'sdtype': 'categorical'} for name in ('country', 'city')}
    synthesizer = TabDARSynthesizer(make_metadata({**numbers, **texts}), **TINY)
    synthesizer.add_constraints(
        [
            Inequality('low', 'high'),
            FixedCombinations(['country', 'city']),
            OneHotEncoding(['is_x', 'is_y'], learning_strategy='categorical'),
        ]
    )
    synthesizer.auto_assign_transformers(data)
    made = ('low#high.nan_component', 'country#city', 'is_x#is_y')
    synthesizer.update_transformers({name: encoder() for name in made})
    synthesizer.fit(data)

    wanted = [
        {'country': 'fr'},
        {'high': None},
        {'high': 30.0, 'is_x': 0},
        {'city': OneOf(['Bonn'])},
    ]
    for values in wanted:
        rows = synthesizer.sample_from_conditions([Condition(values, num_rows=5)])
        synthesizer.validate_constraints(rows)
        assert len(rows) == 5
    filled = synthesizer.impute(data[['city', 'is_y', 'low']].head(10))
    synthesizer.validate_constraints(filled)
    assert filled.notna().all(axis=None)

    synthesizer.save_safe(tmp_path / 'model')
    loaded = TabDARSynthesizer.load_safe(tmp_path / 'model')
    pd.testing.assert_frame_equal(loaded.sample(5), synthesizer.sample(5))
