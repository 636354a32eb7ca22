"""Numbers that are sums and products of others in most training rows are so in as many others."""

from __future__ import annotations

import logging
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sdv.sampling import Condition

from sdv_tabdar import Between, TabDARSynthesizer
from sdv_tabdar.files.describe import describe

from .conftest import TINY, make_metadata

pytestmark = pytest.mark.changes_random_state('SDV itself draws from the global generators')

N = 600
COLUMNS = {
    'kind': {'sdtype': 'categorical'},
    **{
        name: {'sdtype': 'numerical'}
        for name in ('pieces', 'price', 'amount', 'fee', 'tip', 'paid')
    },
}


def bills() -> pd.DataFrame:
    """Pieces at a price, of which the amount is wrong in 10 %, and a bill that is in 3 %."""
    random = np.random.default_rng(0)
    frame = pd.DataFrame({'kind': random.choice(['a', 'b'], N)})
    frame['pieces'] = random.integers(1, 30, N)
    frame['price'] = random.gamma(3, 8, N).round(2)
    is_wrong = random.random((2, N)) < [[0.1], [0.03]]
    frame['amount'] = (frame['pieces'] * frame['price']).round(2) + 3 * is_wrong[0]
    frame['fee'], frame['tip'] = random.gamma(2, 5, (2, N)).round(2)
    frame['paid'] = (frame['fee'] + frame['tip'] + is_wrong[1]).round(2)
    return frame[[*COLUMNS]]


def holds(rows: pd.DataFrame) -> tuple[pd.Series, pd.Series]:
    """In which rows amounts and bills are right."""
    amount = (rows['pieces'] * rows['price'] - rows['amount']).abs() < 0.00501
    return amount, (rows['fee'] + rows['tip'] - rows['paid']).abs() < 0.00501


@pytest.fixture(scope='module')
def fitted() -> TabDARSynthesizer:
    synthesizer = TabDARSynthesizer(make_metadata(COLUMNS), **TINY)
    synthesizer.fit(bills())
    return synthesizer


def assert_often(rows: pd.DataFrame) -> None:
    amount, paid = (own.mean() for own in holds(rows))
    assert 0.84 < amount < 0.96
    assert 0.94 < paid < 1


def test_drawn_rows_keep_them_as_often(fitted: TabDARSynthesizer) -> None:
    assert_often(fitted.sample(800))


def test_rows_with_conditions_keep_them_as_often(fitted: TabDARSynthesizer) -> None:
    asked = [
        Condition({'amount': 100.0, 'paid': Between(10, 20)}, num_rows=400),
        Condition({'pieces': 4, 'tip': 5.0}, num_rows=400),
    ]
    rows = fitted.sample_from_conditions(asked)
    assert (rows['amount'][:400] == 100).all()
    assert rows['paid'][:400].between(10, 20).all()
    amount, paid = holds(rows.iloc[400:])
    assert amount.mean() > 0.8
    assert paid.mean() > 0.9
    assert holds(rows.iloc[:400])[1].mean() > 0.9


def test_filled_cells_keep_them_and_what_is_known_stays(fitted: TabDARSynthesizer) -> None:
    rows, gaps = bills(), bills()
    gaps.loc[:299, ['amount', 'paid']] = np.nan
    filled = fitted.impute(gaps)
    assert all(own[:300].all() for own in holds(filled))
    pd.testing.assert_frame_equal(filled[300:], rows[300:], check_dtype=False)


def test_files_and_logs_tell_them(
    fitted: TabDARSynthesizer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / 'bills.tabdar'
    fitted.save_safe(path)
    opened = TabDARSynthesizer.load_safe(path)
    for one in (opened, fitted):
        one.reset_sampling()
    pd.testing.assert_frame_equal(opened.sample(40), fitted.sample(40))
    told = dict(describe(path).products)
    assert told['paid'].startswith("the sum of 'fee' and 'tip' in 9")
    assert told['amount'].startswith("'pieces' * 'price' in ")
    again = TabDARSynthesizer(make_metadata(COLUMNS), **TINY)
    with caplog.at_level(logging.INFO, 'sdv_tabdar'):
        again.fit(bills())
    assert any(
        "'paid' is the sum of 'fee' and 'tip' in 9" in line and 'as many drawn ones' in line
        for line in caplog.messages
    )
