"""Conditions that contradict each other or a constraint are found out, not tried for."""

from __future__ import annotations

import contextlib
import signal
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sdv.cag import (
    FixedCombinations,
    FixedIncrements,
    Inequality,
    OneHotEncoding,
    Range,
    SingleTableProgrammableConstraint,
)
from sdv.cag._errors import ConstraintNotMetError
from sdv.sampling import Condition

from sdv_tabdar import Between, NotNull, OneOf, TabDARSynthesizer

from ...processor_time import time_limit
from ..conftest import TINY, make_metadata

N = 150
RANDOM = np.random.default_rng(0)
LOW = RANDOM.integers(0, 100, N)
OTHER = np.roll(LOW, 1)
SIDE = RANDOM.integers(0, 3, N)
LETTER = RANDOM.choice(list('xy'), N)
DATA = pd.DataFrame(
    {
        'low': LOW,
        'high': LOW + RANDOM.integers(1, 30, N),
        'a': OTHER,
        'b': OTHER + RANDOM.integers(1, 10, N),
        'c': OTHER + RANDOM.integers(11, 30, N),
        **{f'is_{number}': (number == SIDE).astype(int) for number in range(3)},
        'fives': 5 * RANDOM.integers(0, 20, N),
        'letter': LETTER,
        'place': [f'{letter}1' for letter in LETTER],
        'free': RANDOM.random(N).round(3),
    }
)
COLUMNS: dict[str, dict[str, Any]] = {
    name: {'sdtype': 'categorical' if name in ('letter', 'place') else 'numerical'} for name in DATA
}


@pytest.fixture(scope='module')
def synthesizer() -> TabDARSynthesizer:
    synthesizer = TabDARSynthesizer(make_metadata(COLUMNS), **TINY)
    synthesizer.add_constraints(
        [
            Inequality('low', 'high'),
            Range('a', 'b', 'c'),
            OneHotEncoding(['is_0', 'is_1', 'is_2']),
            FixedIncrements('fives', 5),
            FixedCombinations(['letter', 'place']),
        ]
    )
    synthesizer.fit(DATA)
    return synthesizer


def at_once() -> contextlib.AbstractContextManager[None]:
    """Fail if it takes long."""
    return time_limit(3, AssertionError('It took longer than 3 s.'))


def refusal(synthesizer: TabDARSynthesizer, condition: dict[str, Any]) -> str:
    """Why a condition is refused. Two tries are enough to see whether it is found out."""
    with pytest.raises((ValueError, ConstraintNotMetError)) as error:
        synthesizer.sample_from_conditions(
            [Condition(condition, num_rows=3)], max_tries_per_batch=2
        )
    return str(error.value)


KNOWN_VALUES: list[tuple[dict[str, Any], str]] = [
    ({'low': 60, 'high': 50}, 'Inequality'),
    ({'is_0': 0, 'is_1': 0, 'is_2': 0}, 'OneHotEncoding'),
    ({'fives': 7}, "FixedIncrements: 'fives' holds multiples of 5"),
    ({'letter': 'x', 'place': 'y1'}, 'FixedCombinations'),
]


@pytest.mark.parametrize(('condition', 'constraint'), KNOWN_VALUES, ids=str)
def test_values_that_break_a_constraint_name_it(
    synthesizer: TabDARSynthesizer, condition: dict[str, Any], constraint: str
) -> None:
    message = refusal(synthesizer, condition)

    assert constraint in message
    assert 'max_tries_per_batch' not in message


CONTRADICTIONS: list[tuple[dict[str, Any], str]] = [
    ({'low': Between(60, None), 'high': Between(None, 50)}, 'Inequality'),
    ({'low': 60, 'high': Between(None, 50)}, 'Inequality'),
    ({'low': OneOf([60, 70]), 'high': OneOf([40, 50])}, 'Inequality'),
    ({'a': Between(60, None), 'c': Between(None, 50)}, 'Range'),
    ({'b': 60, 'c': Between(None, 50)}, 'Range'),
    ({'is_0': 1, 'is_1': 1}, 'OneHotEncoding'),
    ({'is_0': 1, 'is_2': OneOf([1])}, 'OneHotEncoding'),
    ({'fives': Between(11, 14)}, 'FixedIncrements'),
    ({'fives': OneOf([7, 8])}, 'FixedIncrements'),
    ({'letter': 'x', 'place': OneOf(['y1'])}, 'FixedCombinations'),
    ({'letter': OneOf(['x']), 'place': OneOf(['y1'])}, 'FixedCombinations'),
]


@pytest.mark.parametrize(('condition', 'constraint'), CONTRADICTIONS, ids=str)
def test_contradictions_are_found_at_once(
    synthesizer: TabDARSynthesizer, condition: dict[str, Any], constraint: str
) -> None:
    """The message names the columns and the constraint, and gives no advice to try more."""
    message = refusal(synthesizer, condition)

    assert all(f"'{column}'" in message for column in condition)
    assert constraint in message
    assert 'max_tries_per_batch' not in message


@pytest.mark.parametrize(
    'condition',
    [
        {'low': Between(60, None), 'high': Between(None, 70)},
        {'is_0': 0, 'is_1': 0},
        {'fives': Between(11, 16)},
        {'letter': 'x', 'place': OneOf(['x1', 'y1'])},
    ],
    ids=str,
)
def test_what_can_be_met_is_met(synthesizer: TabDARSynthesizer, condition: dict[str, Any]) -> None:
    sampled = synthesizer.sample_from_conditions([Condition(condition, num_rows=4)])

    assert len(sampled) == 4
    synthesizer.validate_constraints(sampled)


WITHOUT_ROOM: list[tuple[dict[str, Any], str, str]] = [
    ({'high': -3}, 'Inequality', "'low' is drawn within the training range, 0 to "),
    ({'low': 500}, 'Inequality', "'high' is drawn within the training range"),
    ({'b': 0}, 'Range', "'a' < 'b' must hold, and 'a' is drawn"),
    ({'c': 1}, 'Range', "'a' < 'b' < 'c' must hold, and 'a' is drawn"),
    ({'a': 3, 'c': 3}, 'Range', "'a' < 'b' < 'c' must hold."),
    ({'a': 3, 'b': NotNull(), 'c': 4}, 'Range', "'a' < 'b' < 'c' must hold."),
    ({'a': OneOf([50, 60]), 'c': Between(None, 51)}, 'Range', "'a' < 'b' < 'c' must hold."),
]


@pytest.mark.filterwarnings('ignore:Known cells hold what the training data had not')
@pytest.mark.parametrize(('condition', 'constraint', 'why'), WITHOUT_ROOM, ids=str)
def test_known_cells_that_leave_no_room_are_refused_at_once(
    synthesizer: TabDARSynthesizer, condition: dict[str, Any], constraint: str, why: str
) -> None:
    with (
        at_once(),
        pytest.raises((ValueError, ConstraintNotMetError), match=constraint) as error,
    ):
        synthesizer.sample_from_conditions([Condition(condition, num_rows=3)])
    message = str(error.value)

    assert why in message
    assert ('enforce_min_max_values=False' in message) == ('is drawn' in why)


@pytest.mark.filterwarnings('ignore:Known cells hold what the training data had not')
def test_rows_that_have_room_are_drawn_beside_those_that_have_none(
    synthesizer: TabDARSynthesizer,
) -> None:
    with at_once(), pytest.warns(UserWarning, match='Only able to sample 2 rows'):
        rows = synthesizer.sample_remaining_columns(pd.DataFrame({'c': [1, 40, 50]}))

    assert rows['c'].tolist() == [40, 50]


@pytest.mark.filterwarnings('ignore:Known cells hold what the training data had not')
def test_predictions_from_cells_without_room_are_missing_and_the_others_are_there(
    synthesizer: TabDARSynthesizer,
) -> None:
    rows = pd.DataFrame({'high': [-3, 50]})

    with pytest.warns(UserWarning, match='In 1 rows no draw'):
        shares = synthesizer.predict_proba(rows, 'letter', num_samples=20)

    assert shares['x'].isna().tolist() == [True, False]


class Uphill(SingleTableProgrammableConstraint):
    """The columns never sum to more than 120, which only the constraint knows."""

    def is_valid(self, synthetic_data: pd.DataFrame) -> pd.Series:
        return synthetic_data['low'] + synthetic_data['high'] <= 120

    def transform(self, data: pd.DataFrame) -> pd.DataFrame:
        return data

    def reverse_transform(self, transformed_data: pd.DataFrame) -> pd.DataFrame:
        return transformed_data

    def get_updated_metadata(self, metadata: Any) -> Any:
        return metadata


@pytest.mark.skipif(not hasattr(signal, 'setitimer'), reason='needs a timer of the system')
def test_trying_ends_and_says_which_condition_fails() -> None:
    """With SDV's default of 100 tries: nothing in thousands of draws is reason to stop.

    ``free`` is met by every row and is not to blame; low and high together are.
    """
    data = DATA.loc[DATA['low'] + DATA['high'] <= 120, ['low', 'high', 'free']]
    synthesizer = TabDARSynthesizer(make_metadata({name: COLUMNS[name] for name in data}), **TINY)
    synthesizer.add_constraints([Uphill()])
    synthesizer.fit(data)
    wanted = {'low': Between(50, None), 'high': Between(71, None), 'free': Between(0, 1)}

    with at_once(), pytest.raises((ValueError, ConstraintNotMetError)) as error:
        synthesizer.sample_from_conditions([Condition(wanted, num_rows=3)])
    message = str(error.value)
    assert "'low'" in message
    assert "'high'" in message
    assert 'Uphill' in message
    assert 'constraint Uphill 0' in message
    assert "column 'free' Between(low=0, high=1) 1" in message
