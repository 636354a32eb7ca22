"""Numbers that are products of two others in all training rows are so in what comes out."""

from __future__ import annotations

import logging
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sdv.sampling import Condition

from sdv_tabdar import Between, TabDARSynthesizer
from sdv_tabdar.files.describe import describe

from .conftest import TINY, make_metadata

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


def fitted(data: Any = None, **settings: Any) -> TabDARSynthesizer:
    synthesizer = TabDARSynthesizer(make_metadata(COLUMNS), **{**TINY, **settings})
    synthesizer.fit(orders() if data is None else data)
    return synthesizer


@pytest.fixture(scope='module')
def synthesizer() -> TabDARSynthesizer:
    return fitted()


def broken(rows: pd.DataFrame) -> int:
    """In how many rows without a gap a number is wrong by more than half of its last digit."""
    numbers = rows.drop(columns='kind', errors='ignore').astype('float64')
    amount = (numbers['quantity'] * numbers['price'] - numbers['amount']).abs() > 0.00501
    share = (numbers['amount'] / numbers['guests'] - numbers['share']).abs() > 0.00501
    return int((amount | share).sum())


def test_drawn_rows_are_right_in_their_digits(synthesizer: TabDARSynthesizer) -> None:
    rows = synthesizer.sample(500)
    assert broken(rows) == 0
    assert rows.dtypes.equals(orders().dtypes)
    assert rows['price'].isna().any()
    assert (rows[['amount', 'share']].round(2) == rows[['amount', 'share']]).all(axis=None)


@pytest.mark.parametrize('dtype', ['Float64', 'float32'])
def test_other_dtypes(dtype: str) -> None:
    rows = fitted(orders(dtype)).sample(200)
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
    rows = synthesizer.sample_from_conditions([Condition(given, num_rows=60)])
    assert len(rows) == 60
    assert broken(rows) == 0
    for name, value in given.items():
        if isinstance(value, Between):
            assert rows[name].between(value.low, value.high).all()
        else:
            assert (rows[name] == value).all()


@pytest.mark.parametrize('num_samples', [1, 5])
@pytest.mark.parametrize('hidden', [['price'], ['amount'], ['quantity'], ['amount', 'share']])
def test_gaps(synthesizer: TabDARSynthesizer, hidden: list[str], num_samples: int) -> None:
    data = orders().dropna().reset_index(drop=True)
    gaps = data.copy()
    gaps[hidden] = np.nan
    filled = synthesizer.impute(gaps, num_samples=num_samples)
    assert broken(filled) == 0
    kept = [name for name in gaps if name not in hidden]
    assert filled[kept].equals(data[kept])
    if hidden == ['amount']:  # which the others say
        assert np.allclose(filled['amount'], data['amount'], atol=0.00501)


def test_a_file_keeps_and_tells_it(synthesizer: TabDARSynthesizer, tmp_path: Path) -> None:
    synthesizer.save_safe(tmp_path / 'orders.tabdar')
    again = TabDARSynthesizer.load_safe(tmp_path / 'orders.tabdar')
    rows = again.sample(100, seed=1)
    assert broken(rows) == 0
    pd.testing.assert_frame_equal(rows, synthesizer.sample(100, seed=1))
    told = str(describe(tmp_path / 'orders.tabdar'))
    assert "that 'amount' is 'quantity' times 'price'" in told
    assert "that 'share' is 'amount' divided by 'guests'" in told


def test_training_goes_on_with_what_still_holds() -> None:
    synthesizer, others = fitted(), orders()
    others.loc[0, 'share'] = 1000.0
    synthesizer.fit(others, warm_start=True)
    rows = synthesizer.sample(200)
    cells = rows.dropna()
    assert ((cells['quantity'] * cells['price'] - cells['amount']).abs() < 0.00501).all()
    assert broken(rows) > 100


def test_a_table_in_files(tmp_path: Path) -> None:
    pytest.importorskip('pyarrow')
    orders(num_rows=800).to_parquet(tmp_path / 'orders.parquet', row_group_size=200)
    assert broken(fitted(tmp_path / 'orders.parquet').sample(200)) == 0


def test_the_log_tells_what_is_kept(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO), warnings.catch_warnings():
        warnings.simplefilter('error')
        fitted()
    told = "'amount' is 'quantity' times 'price' in all rows, and will be in drawn ones."
    assert told in caplog.messages


@pytest.mark.parametrize('settings', [{'products': False}, {'column_order': 'fixed'}], ids=str)
def test_off_it_is_not_kept(settings: dict[str, Any]) -> None:
    assert broken(fitted(**settings).sample(300)) > 100
