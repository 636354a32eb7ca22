"""Shares, times between dates and what is in per cent of others are so in what comes out."""

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
NAMES = ['loan', 'rate', 'interest', 'price', 'cost', 'margin', 'wins', 'losses', 'share', 'days']
DATES = ['start', 'end']


def table(dtype: str = 'float64', num_rows: int = N) -> pd.DataFrame:
    """Interest in per cent of loans, margins of prices, shares of wins, and days of stays."""
    random = np.random.default_rng(0)
    loan, rate = random.gamma(3, 800, num_rows).round(2), random.uniform(1, 9, num_rows).round(2)
    price = random.gamma(3, 20, num_rows).round(2) + 1
    cost = (price * random.beta(30, 20, num_rows)).round(2)
    wins, losses = random.integers(1, 60, num_rows), random.integers(1, 60, num_rows)
    cells = [
        *(loan, rate, (loan * rate / 100).round(2)),
        *(price, cost, ((price - cost) / price * 100).round(1)),
        *(wins, losses, (wins / (wins + losses)).round(3)),
        random.geometric(0.1, num_rows),
    ]
    frame = pd.DataFrame(dict(zip(NAMES, cells, strict=True))).astype({'loan': dtype})
    starts = random.integers(0, 900, num_rows)
    frame['start'] = pd.Timestamp('2024-01-01') + pd.to_timedelta(starts, 'D')
    frame['end'] = frame['start'] + pd.to_timedelta(frame['days'], 'D')
    return frame


def off(rows: pd.DataFrame) -> pd.DataFrame:
    """By how many of their last digits the results of rows are off."""
    interest = rows['loan'] * rows['rate'] / 100 - rows['interest']
    margin = (rows['price'] - rows['cost']) / rows['price'] * 100 - rows['margin']
    share = rows['wins'] / (rows['wins'] + rows['losses']) - rows['share']
    days = (rows['end'] - rows['start']).dt.days - rows['days']
    found = {'interest': interest * 100, 'margin': margin * 10, 'share': share * 1000}
    return pd.DataFrame({**found, 'days': days})


def broken(rows: pd.DataFrame) -> int:
    """In how many rows one of them is."""
    return int((off(rows).abs() > 0.501).any(axis=1).sum())


COLUMNS: dict[str, dict[str, Any]] = {
    **{name: {'sdtype': 'numerical'} for name in NAMES},
    **{name: {'sdtype': 'datetime'} for name in DATES},
}
KEPT = Kept(COLUMNS, table, broken)


@pytest.fixture(scope='module')
def synthesizer() -> TabDARSynthesizer:
    return KEPT.fitted()


def test_drawn_rows_are_right_in_their_digits(synthesizer: TabDARSynthesizer) -> None:
    rows = synthesizer.sample(500)
    assert broken(rows) == 0
    assert rows.dtypes.equals(table().dtypes)


@pytest.mark.parametrize('name', ['margin', 'days'])
def test_what_is_fine_is_as_it_was_learnt(synthesizer: TabDARSynthesizer, name: str) -> None:
    """Costs and ends follow it: of numbers that are nearly right neither is made."""
    rows, real = synthesizer.sample(2000), table()
    assert rows[name].std() == pytest.approx(real[name].std(), rel=0.15)


@pytest.mark.parametrize(
    'given',
    [
        {'margin': 40.0},
        {'interest': 100.0},
        {'rate': 4.0, 'loan': 2500.0},
        {'share': 0.25},
        {'wins': 20, 'price': 60.0},
        {'margin': Between(30, 45), 'interest': Between(50, 80)},
        {'days': 12},
        {'end': pd.Timestamp('2025-05-06'), 'days': 3},
    ],
)
def test_conditions(synthesizer: TabDARSynthesizer, given: dict[str, Any]) -> None:
    KEPT.check_conditions(synthesizer, given)


@pytest.mark.parametrize('num_samples', [1, 5])
@pytest.mark.parametrize(
    'hidden',
    [
        ['interest', 'margin', 'share', 'days'],
        ['cost'],
        ['wins', 'margin'],
        ['start'],
        ['start', 'end', 'days'],
    ],
)
def test_gaps(synthesizer: TabDARSynthesizer, hidden: list[str], num_samples: int) -> None:
    filled, data = KEPT.check_gaps(synthesizer, hidden, num_samples)
    if 'interest' in hidden:  # which the others say
        assert np.allclose(filled['interest'], data['interest'], atol=0.0051)


def test_a_prediction_says_what_follows(synthesizer: TabDARSynthesizer) -> None:
    rows = table().head(50)
    found = synthesizer.predict_quantiles(rows, 'share', quantiles=[0.05, 0.95])
    assert np.allclose(found, rows[['share']], atol=0.00051)


def test_a_file_keeps_and_tells_it(synthesizer: TabDARSynthesizer, tmp_path: Path) -> None:
    told = str(KEPT.check_file(synthesizer, tmp_path))
    assert "that 'interest' is 'loan' * 'rate' / 100" in told
    assert "that 'margin' is ('price' - 'cost') / 'price' * 100" in told
    assert "that 'share' is 'wins' / ('wins' + 'losses')" in told
    assert "that 'days' is 'end' - 'start' in days" in told


def test_a_table_in_files(tmp_path: Path) -> None:
    KEPT.check_parquet(tmp_path)


def test_off_it_is_not_kept() -> None:
    assert broken(KEPT.fitted(products=False).sample(300)) > 250
