"""Balances, amounts by level, what is beyond a number, and rests hold in what comes out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar import Between, TabDARSynthesizer

from .kept_relations import Kept

pytestmark = pytest.mark.changes_random_state('SDV itself draws from the global generators')

N = 600
DAYS = {'at once': 0, 'a month': 30, 'a quarter': 91}
RATES = {'DE': 0.19, 'CH': 0.081, 'FR': 0.2}
SDTYPES = {
    'categorical': 'terms country',
    'datetime': 'issued due',
    'numerical': 'month before paid_in fee after net tax left deductible refund',
}
COLUMNS: dict[str, dict[str, Any]] = {
    name: {'sdtype': sdtype} for sdtype, names in SDTYPES.items() for name in names.split()
}


def accounts(num_rows: int = N) -> pd.DataFrame:
    """A bill by its terms, an account that pays it, and a tax of which a part is given back."""
    random = np.random.default_rng(0)
    frame = pd.DataFrame({'terms': random.choice([*DAYS], num_rows)})
    frame['country'] = random.choice([*RATES], num_rows)
    frame['issued'] = pd.Timestamp('2022-01-01') + pd.to_timedelta(
        random.integers(0, 700, num_rows), 'D'
    )
    frame['due'] = frame['issued'] + pd.to_timedelta(frame['terms'].map(DAYS), 'D')
    frame['month'] = frame['issued'].dt.month
    for name, size in {'before': 7, 'paid_in': 5, 'fee': 1, 'net': 5}.items():
        frame[name] = random.lognormal(size, 0.5, num_rows).round(2)
    frame['after'] = (frame['before'] + frame['paid_in'] - frame['fee']).round(2)
    frame['tax'] = (frame['net'] * frame['country'].map(RATES)).round(2)
    frame['left'] = (frame['net'] - frame['tax']).round(2)
    frame['deductible'] = random.choice([5.0, 15.0, 30.0], num_rows)
    frame['refund'] = (frame['tax'] - frame['deductible']).clip(lower=0).round(2)
    return frame[[*COLUMNS]]


def broken(rows: pd.DataFrame) -> int:
    """In how many rows something else stands, as far as can be seen."""
    is_other = rows['issued'] + pd.to_timedelta(rows['terms'].map(DAYS), 'D') != rows['due']
    is_other |= rows['issued'].dt.month != rows['month']
    tax = rows['net'] * rows['country'].map(RATES)
    pairs = [
        (rows['before'] + rows['paid_in'] - rows['fee'], rows['after']),
        (tax, rows['tax']),
        (rows['net'] - rows['tax'], rows['left']),
        ((rows['tax'] - rows['deductible']).clip(lower=0), rows['refund']),
    ]
    for made, own in pairs:
        is_other |= (made - own).abs() > 0.0051
    return int(is_other.sum())


KEPT = Kept(COLUMNS, accounts, broken)


@pytest.fixture(scope='module')
def synthesizer() -> TabDARSynthesizer:
    return KEPT.fitted()


def test_drawn_rows(synthesizer: TabDARSynthesizer) -> None:
    assert broken(accounts()) == 0
    assert broken(synthesizer.sample(600)) <= 6  # some beyond their column's limits


@pytest.mark.parametrize(
    'given',
    [
        {'terms': 'a month', 'month': 4},
        {'after': 1500.0},
        {'before': Between(900, 1000), 'fee': 2.5},
        {'country': 'CH', 'net': 200.0},
        {'refund': 0.0},
    ],
)
def test_conditions(synthesizer: TabDARSynthesizer, given: dict[str, Any]) -> None:
    KEPT.check_conditions(synthesizer, given)


@pytest.mark.parametrize(
    'hidden',
    [['due'], ['issued', 'month'], ['after', 'left'], ['fee', 'refund'], ['tax', 'refund']],
)
@pytest.mark.parametrize('num_samples', [1, 8])
def test_gaps(synthesizer: TabDARSynthesizer, hidden: list[str], num_samples: int) -> None:
    filled, data = KEPT.check_gaps(synthesizer, hidden, num_samples)
    if hidden != ['issued', 'month']:  # of a due date that is told by its terms
        pd.testing.assert_frame_equal(filled, data)


def test_a_file_keeps_and_tells_it(synthesizer: TabDARSynthesizer, tmp_path: Path) -> None:
    synthesizer.save_safe(tmp_path / 'model.tabdar')
    rows = TabDARSynthesizer.load_safe(tmp_path / 'model.tabdar').sample(100, seed=1)
    pd.testing.assert_frame_equal(rows, synthesizer.sample(100, seed=1))


def test_it_is_told() -> None:
    told = '\n'.join(KEPT.logged)
    assert "'due' is 'issued' and what 'terms' says in all rows" in told
    assert "'after' is 'before' + 'paid_in' - 'fee' in all rows" in told
    assert "'left' is 'net' - 'tax' in all rows" in told
    assert "'refund' is 'tax' - 'deductible' (0 where that is less) in all rows" in told
