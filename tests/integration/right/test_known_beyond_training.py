"""Known cells that training has not seen: kept exactly, and said once."""

from __future__ import annotations

import copy
import re
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sdv.sampling import Condition, DataFrameCondition

from sdv_tabdar import OneOf, TabDARSynthesizer

from ..conftest import fit_tiny

N = 120
RANDOM = np.random.default_rng(0)
DAYS = pd.Timestamp('2020-01-01') + pd.to_timedelta(RANDOM.integers(0, 300, N), 'D')
DATA = pd.DataFrame(
    {
        'number': RANDOM.integers(0, 100, N),
        'share': RANDOM.random(N).round(2),
        'nullable': pd.Series(RANDOM.integers(0, 100, N), dtype='Int64'),
        'level': RANDOM.choice(list('abc'), N),
        'flag': RANDOM.random(N) < 0.5,
        'text': DAYS.strftime('%d/%m/%Y').astype(object),
        'moment': DAYS[::-1],
    }
)
COLUMNS: dict[str, dict[str, Any]] = {
    'number': {'sdtype': 'numerical'},
    'share': {'sdtype': 'numerical'},
    'nullable': {'sdtype': 'numerical'},
    'level': {'sdtype': 'categorical'},
    'flag': {'sdtype': 'boolean'},
    'text': {'sdtype': 'datetime', 'datetime_format': '%d/%m/%Y'},
    'moment': {'sdtype': 'datetime'},
}
BEYOND: dict[str, Any] = {
    'number': 1000,
    'share': -4.25,
    'nullable': 1000,
    'level': 'z',
    'text': '31/12/2031',
    'moment': pd.Timestamp('1999-12-31'),
}


@pytest.fixture(scope='module')
def fitted() -> TabDARSynthesizer:
    """Tests that look at warnings copy it: it may remember what it has said."""
    return fit_tiny(DATA, COLUMNS)


def said(call: Callable[[], Any]) -> tuple[Any, list[str]]:
    """What a call returns, and its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        result = call()
    return result, [str(warning.message) for warning in caught]


def check_said(messages: list[str], column: str, count: int, example: Any) -> None:
    """One warning that names the column, how many cells, and one of them."""
    assert len(messages) == 1, messages
    assert f"'{column}'" in messages[0]
    assert re.search(rf'\b{count}\b', messages[0])
    shown = example.strftime('%Y-%m-%d') if isinstance(example, pd.Timestamp) else str(example)
    assert shown in messages[0]


@pytest.mark.parametrize('column', BEYOND)
def test_known_columns_are_kept(fitted: TabDARSynthesizer, column: str) -> None:
    """Of 40 rows 2 have a value beyond training; all come back, and these exactly.

    SDV's synthesizers leave such rows out with a warning that does not say which they are. A
    known cell is the user's truth, so here no row is lost.
    """
    synthesizer = copy.deepcopy(fitted)
    known = DATA[[column]].head(40).copy()
    known.loc[[3, 17], column] = BEYOND[column]

    completed, messages = said(lambda: synthesizer.sample_remaining_columns(known))

    pd.testing.assert_frame_equal(completed[[column]], known)
    assert completed.notna().all(axis=None)
    pd.testing.assert_series_equal(completed.dtypes, DATA.dtypes)
    check_said(messages, column, 2, BEYOND[column])


@pytest.mark.parametrize('column', BEYOND)
def test_conditions_are_kept(fitted: TabDARSynthesizer, column: str) -> None:
    synthesizer = copy.deepcopy(fitted)
    conditions = [
        Condition({column: BEYOND[column]}, num_rows=3),
        DataFrameCondition(DATA[[column]].head(2)),
    ]

    sampled, messages = said(lambda: synthesizer.sample_from_conditions(conditions))

    assert list(sampled[column]) == [BEYOND[column]] * 3 + list(DATA[column].head(2))
    assert sampled[column].dtype == DATA[column].dtype
    check_said(messages, column, 3, BEYOND[column])


@pytest.mark.parametrize('column', BEYOND)
def test_imputation_keeps_them_and_says_so(fitted: TabDARSynthesizer, column: str) -> None:
    synthesizer = copy.deepcopy(fitted)
    other = 'share' if column == 'number' else 'number'
    gaps = DATA.head(10).astype({'number': float})
    gaps.loc[[2, 4], column] = BEYOND[column]
    gaps.loc[[1, 2, 6], other] = np.nan

    filled, messages = said(lambda: synthesizer.impute(gaps))

    pd.testing.assert_series_equal(filled[column], gaps[column], check_dtype=False)
    assert filled.notna().all(axis=None)
    check_said(messages, column, 2, BEYOND[column])


def test_one_warning_a_call_names_every_column(fitted: TabDARSynthesizer) -> None:
    synthesizer = copy.deepcopy(fitted)
    known = DATA[['number', 'level', 'share']].head(5).copy()
    known.loc[1, 'number'] = 1000
    known.loc[[2, 3], 'level'] = 'z'

    _, messages = said(lambda: synthesizer.sample_remaining_columns(known))

    assert len(messages) == 1
    assert all(text in messages[0] for text in ("'number'", '1000', "'level'", 'z'))
    assert "'share'" not in messages[0]


@pytest.mark.parametrize(('column', 'end'), [('number', 'max'), ('moment', 'min')])
def test_the_model_sees_the_nearest_end_of_the_range(
    fitted: TabDARSynthesizer, column: str, end: str
) -> None:
    """The other cells are those that the end of the range would have got."""
    synthesizer = copy.deepcopy(fitted)
    nearest = getattr(DATA[column], end)()
    synthesizer.reset_sampling()
    expected = synthesizer.sample_remaining_columns(pd.DataFrame({column: [nearest] * 6}))
    synthesizer.reset_sampling()
    beyond = pd.DataFrame({column: [BEYOND[column]] * 6})
    found, _ = said(lambda: synthesizer.sample_remaining_columns(beyond))

    assert list(found[column]) == [BEYOND[column]] * 6
    pd.testing.assert_frame_equal(found.drop(columns=column), expected.drop(columns=column))


def test_a_new_level_tells_the_model_nothing(fitted: TabDARSynthesizer) -> None:
    """The other cells are those of rows in which the level is unknown."""
    synthesizer = copy.deepcopy(fitted)
    known = pd.DataFrame({'number': [3, 50, 90]})
    synthesizer.reset_sampling()
    expected = synthesizer.sample_remaining_columns(known)
    synthesizer.reset_sampling()
    found, _ = said(lambda: synthesizer.sample_remaining_columns(known.assign(level='z')))

    assert list(found['level']) == ['z'] * 3
    pd.testing.assert_frame_equal(found.drop(columns='level'), expected.drop(columns='level'))


@pytest.mark.parametrize('column', [*BEYOND, 'flag'])
def test_missing_is_honoured_in_columns_without_gaps(
    fitted: TabDARSynthesizer, column: str
) -> None:
    """As in SDV: all cells of the column are missing, the others are drawn."""
    synthesizer = copy.deepcopy(fitted)

    sampled, messages = said(
        lambda: synthesizer.sample_from_conditions([Condition({column: None}, num_rows=4)])
    )

    assert sampled[column].isna().all()
    assert sampled.drop(columns=column).notna().all(axis=None)
    if column in ('nullable', 'moment', 'level', 'text'):
        assert sampled[column].dtype == DATA[column].dtype
    assert len(messages) == 1
    assert f"'{column}'" in messages[0]
    assert 'missing' in messages[0]


def test_missing_and_values_in_one_column(fitted: TabDARSynthesizer) -> None:
    synthesizer = copy.deepcopy(fitted)
    known = pd.DataFrame({'number': [5, None, 7], 'level': ['a', 'b', None]})

    completed, _ = said(lambda: synthesizer.sample_remaining_columns(known))

    pd.testing.assert_frame_equal(completed[['number', 'level']], known, check_dtype=False)
    assert completed.drop(columns=['number', 'level']).notna().all(axis=None)


def test_a_range_or_set_without_anything_seen_is_refused(fitted: TabDARSynthesizer) -> None:
    """A set leaves the draw to the model, and it has no idea of what it has not seen."""
    with pytest.raises(ValueError, match="'level' cannot be"):
        fitted.sample_from_conditions([Condition({'level': OneOf(['y', 'z'])})])


def test_what_is_no_value_of_the_column_is_refused(fitted: TabDARSynthesizer) -> None:
    for column, value in {'number': 'many', 'share': np.inf, 'moment': 'soon'}.items():
        with pytest.raises(ValueError, match=f"'{column}' cannot be"):
            fitted.sample_from_conditions([Condition({column: value})])
