"""What float32 and rounding have left of sums, products and curves is kept in what comes out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar import Between, TabDARSynthesizer

from .kept_relations import Kept

pytestmark = pytest.mark.changes_random_state('SDV itself draws from the global generators')

N = 400
NUMBERS = ['wage', 'hours', 'log', 'pay', 'one', 'other', 'both', 'reach', 'hit', 'ops']
COLUMNS: dict[str, dict[str, Any]] = {
    **{name: {'sdtype': 'numerical'} for name in NUMBERS},
    'kind': {'sdtype': 'categorical'},
}


def table() -> pd.DataFrame:
    """A wage with its logarithm, a pay, a sum, and a total that was rounded as its parts were."""
    random = np.random.default_rng(0)
    frame = pd.DataFrame({'wage': random.lognormal(2, 0.5, N), 'hours': random.gamma(5, 8, N)})
    frame[['one', 'other']] = random.gamma(2, 30, (N, 2))
    frame = frame.astype('float32')
    frame['log'], frame['pay'] = np.log(frame['wage']), frame['wage'] * frame['hours']
    frame['both'] = frame['one'] + frame['other']
    reach, hit = random.beta(8, 18, N), random.beta(8, 12, N)
    frame['reach'], frame['hit'] = reach.round(3), hit.round(3)
    frame['ops'] = (reach + hit).round(3)
    frame = frame[NUMBERS].astype('float32')
    frame['kind'] = random.choice(['a', 'b'], N)
    return frame


def broken(rows: pd.DataFrame) -> int:
    """In how many rows something is off by more than float32 or rounding leaves."""
    numbers = rows.drop(columns='kind', errors='ignore').astype('float64')
    found = (np.log(numbers['wage']) - numbers['log']).abs() > 2e-6
    found |= (numbers['wage'] * numbers['hours'] / numbers['pay'] - 1).abs() > 2e-6
    found |= ((numbers['one'] + numbers['other']) / numbers['both'] - 1).abs() > 2e-6
    found |= (numbers['reach'] + numbers['hit'] - numbers['ops']).abs() > 0.001501
    return int(found.sum())


KEPT = Kept(COLUMNS, table, broken)


@pytest.fixture(scope='module')
def synthesizer() -> TabDARSynthesizer:
    return KEPT.fitted()


def test_drawn_rows_keep_them(synthesizer: TabDARSynthesizer) -> None:
    rows = synthesizer.sample(500)
    assert broken(table()) == broken(rows) == 0
    assert rows.dtypes.equals(table().dtypes)


@pytest.mark.parametrize('is_written', [False, True])
def test_of_what_has_been_float32_as_well(is_written: bool) -> None:
    data = table()
    exact = NUMBERS if is_written else NUMBERS[:7]
    data[exact] = data[exact].astype(str if is_written else float).astype(float)
    rows = KEPT.fitted(data).sample(200)
    assert broken(rows) == 0


@pytest.mark.parametrize(
    'given', [{'log': 2.0}, {'pay': 300.0}, {'both': Between(40, 60)}, {'ops': 0.7, 'wage': 9.0}]
)
def test_conditions(synthesizer: TabDARSynthesizer, given: dict[str, Any]) -> None:
    KEPT.check_conditions(synthesizer, given)


@pytest.mark.parametrize('hidden', [['log'], ['wage'], ['both'], ['one', 'hit'], ['ops']])
def test_gaps(synthesizer: TabDARSynthesizer, hidden: list[str]) -> None:
    KEPT.check_gaps(synthesizer, hidden, 1)


def test_a_file_keeps_and_tells_it(synthesizer: TabDARSynthesizer, tmp_path: Path) -> None:
    told = str(KEPT.check_file(synthesizer, tmp_path))
    assert "that 'ops' is the sum of 'reach' and 'hit'" in told
    assert "that 'log' is the natural logarithm of 'wage'" in told
