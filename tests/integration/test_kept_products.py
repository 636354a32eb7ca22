"""Numbers that are products of two others in all training rows are so in what comes out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar import Between, TabDARSynthesizer

from .kept_relations import Kept

pytestmark = pytest.mark.changes_random_state('SDV itself draws from the global generators')

N = 300
COLUMNS: dict[str, dict[str, Any]] = {
    'quantity': {'sdtype': 'categorical'},  # as SDV detects columns of few numbers
    **{name: {'sdtype': 'numerical'} for name in ('price', 'amount', 'guests', 'share')},
    'kind': {'sdtype': 'categorical'},
}


def orders(dtype: str = 'float64', num_rows: int = N) -> pd.DataFrame:
    """Orders of some pieces at a price, and what each guest pays of the amount."""
    random = np.random.default_rng(0)
    quantity, price = random.integers(1, 9, num_rows), random.gamma(3, 8, num_rows).round(2)
    guests = random.integers(1, 30, num_rows)
    amount = (quantity * price).round(2)
    frame = pd.DataFrame({'quantity': quantity, 'price': price, 'amount': amount})
    frame[['price', 'amount']] = frame[['price', 'amount']].astype(dtype)
    frame['guests'], frame['share'] = guests, (amount / guests).round(2)
    frame.loc[::9, 'price'] = None
    frame['kind'] = np.where(price > 20, 'dear', 'cheap')
    return frame[[*COLUMNS]]


def broken(rows: pd.DataFrame) -> int:
    """In how many rows without a gap a number is wrong by more than half of its last digit."""
    numbers = rows.drop(columns='kind', errors='ignore').astype('float64')
    amount = (numbers['quantity'] * numbers['price'] - numbers['amount']).abs() > 0.00501
    share = (numbers['amount'] / numbers['guests'] - numbers['share']).abs() > 0.00501
    return int((amount | share).sum())


KEPT = Kept(COLUMNS, orders, broken)


@pytest.fixture(scope='module')
def synthesizer() -> TabDARSynthesizer:
    return KEPT.fitted()


def test_drawn_rows_are_right_in_their_digits(synthesizer: TabDARSynthesizer) -> None:
    rows = synthesizer.sample(500)
    assert broken(rows) == 0
    assert rows.dtypes.equals(orders().dtypes)
    assert rows['price'].isna().any()
    assert (rows[['amount', 'share']].round(2) == rows[['amount', 'share']]).all(axis=None)


@pytest.mark.parametrize('dtype', ['Float64', 'float32'])
def test_other_dtypes(dtype: str) -> None:
    rows = KEPT.fitted(orders(dtype)).sample(200)
    assert rows.dtypes.equals(orders(dtype).dtypes)
    numbers = rows.drop(columns='kind').astype('float64').round(2)  # float32 has few digits
    assert broken(numbers) == 0


@pytest.mark.parametrize(
    'given',
    [
        {'amount': 50.0},
        {'quantity': 3},
        {'quantity': 4, 'guests': 7},
        {'price': 19.99},
        {'amount': Between(40, 60), 'price': Between(8, 30)},
    ],
)
def test_conditions(synthesizer: TabDARSynthesizer, given: dict[str, Any]) -> None:
    KEPT.check_conditions(synthesizer, given)


@pytest.mark.parametrize('num_samples', [1, 5])
@pytest.mark.parametrize('hidden', [['price'], ['amount'], ['quantity'], ['amount', 'share']])
def test_gaps(synthesizer: TabDARSynthesizer, hidden: list[str], num_samples: int) -> None:
    filled, data = KEPT.check_gaps(synthesizer, hidden, num_samples)
    if hidden == ['amount']:  # which the others say
        assert np.allclose(filled['amount'], data['amount'], atol=0.00501)


def test_a_file_keeps_and_tells_it(synthesizer: TabDARSynthesizer, tmp_path: Path) -> None:
    told = str(KEPT.check_file(synthesizer, tmp_path))
    assert "that 'amount' is 'quantity' * 'price'" in told
    assert "that 'share' is 'amount' / 'guests'" in told


def test_training_goes_on_with_what_still_holds() -> None:
    synthesizer, others = KEPT.fitted(), orders()
    others.loc[0, 'share'] = 1000.0
    synthesizer.fit(others, warm_start=True)
    rows = synthesizer.sample(200)
    cells = rows.dropna()
    assert ((cells['quantity'] * cells['price'] - cells['amount']).abs() < 0.00501).all()
    assert broken(rows) > 100


def test_a_table_in_files(tmp_path: Path) -> None:
    KEPT.check_parquet(tmp_path)


def test_the_log_tells_what_is_kept() -> None:
    told = "'amount' is 'quantity' * 'price' in all rows, and will be in drawn ones."
    assert told in KEPT.logged


@pytest.mark.parametrize('settings', [{'products': False}, {'column_order': 'fixed'}], ids=str)
def test_off_it_is_not_kept(settings: dict[str, Any]) -> None:
    assert broken(KEPT.fitted(**settings).sample(300)) > 100
