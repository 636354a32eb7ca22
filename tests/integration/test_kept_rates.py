"""Numbers that are others times the rate of a level in training rows are so in what comes out."""

from __future__ import annotations

import logging
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sdv.sampling import Condition

from sdv_tabdar import Between, OneOf, TabDARSynthesizer
from sdv_tabdar.files.describe import describe

from .conftest import fit_tiny

N = 500
RATES = {'DE': 0.19, 'CH': 0.081, 'US': 0.0}


def bills() -> pd.DataFrame:
    random = np.random.default_rng(0)
    quantity = random.integers(1, 6, N)
    price = random.gamma(3, 8, N).round(2)
    discount = random.choice([0, 5, 20], N)
    country = random.choice([*RATES], N)
    amount = (quantity * price).round(2)
    net = (amount * (1 - discount / 100)).round(2)
    tax = (net * pd.Series(country).map(RATES)).round(2)
    return pd.DataFrame(
        {
            'country': country,
            'quantity': quantity,
            'price': price,
            'amount': amount,
            'discount': discount,
            'net': net,
            'tax': tax,
            'gross': (net + tax).round(2),
        }
    )


def off(rows: pd.DataFrame) -> pd.DataFrame:
    """By how much the columns of rows are off."""
    return pd.DataFrame(
        {
            'amount': rows['quantity'] * rows['price'] - rows['amount'],
            'net': rows['amount'] * (1 - rows['discount'] / 100) - rows['net'],
            'tax': rows['net'] * rows['country'].map(RATES) - rows['tax'],
            'gross': rows['net'] + rows['tax'] - rows['gross'],
        }
    ).abs()


def wrong(rows: pd.DataFrame, *columns: str) -> float:
    """The share of rows in which one of some columns is off, by more than rounding."""
    found = off(rows)[[*columns] or slice(None)]
    return float((found > 0.0051).any(axis=1).mean())


def fitted(**settings: object) -> TabDARSynthesizer:
    columns = {name: {'sdtype': 'numerical'} for name in bills()}
    columns['country'] = columns['discount'] = {'sdtype': 'categorical'}
    return fit_tiny(bills(), columns, **settings)


@pytest.fixture(scope='module')
def synthesizer() -> TabDARSynthesizer:
    return fitted()


def test_drawn_rows(synthesizer: TabDARSynthesizer) -> None:
    assert wrong(bills()) == 0
    rows = synthesizer.sample(600)
    assert wrong(rows) <= 0.01
    assert rows['country'].nunique() == rows['discount'].nunique() == 3


def test_conditions(synthesizer: TabDARSynthesizer) -> None:
    asked = [
        Condition({'country': 'CH', 'net': 40.0}, num_rows=40),
        Condition({'tax': Between(1, 3), 'country': OneOf(['DE', 'CH'])}, num_rows=40),
        Condition({'discount': 20, 'amount': 50.0}, num_rows=40),
    ]
    rows = synthesizer.sample_from_conditions(asked)
    assert (rows['net'][:40] == 40).all()
    assert (rows['tax'][:40] == 3.24).all()
    assert rows['tax'][40:80].between(1, 3).all()
    assert (rows['net'][80:] == 40).all()
    assert wrong(rows, 'net', 'tax', 'gross') <= 0.05


@pytest.mark.parametrize('known', [['country', 'net'], ['discount', 'amount', 'country']])
def test_known_columns_and_gaps(synthesizer: TabDARSynthesizer, known: list[str]) -> None:
    rows = synthesizer.sample_remaining_columns(bills()[known].head(200))
    assert wrong(rows, 'net', 'tax', 'gross') <= 0.02
    assert rows[known].equals(bills()[known].head(200))
    gaps = bills().head(200)
    gaps['tax'] = gaps['tax'].mask(np.arange(200) % 2 == 0)
    gaps['gross'] = np.nan
    filled = synthesizer.impute(gaps)
    assert wrong(filled) == 0


@pytest.mark.filterwarnings('ignore:Known cells hold')
def test_numbers_beyond_those_of_training_are_followed(synthesizer: TabDARSynthesizer) -> None:
    given = pd.DataFrame({'country': ['DE'] * 20, 'net': [9999.0] * 20})
    rows = synthesizer.sample_remaining_columns(given)
    assert (rows['tax'] == 1899.81).all()
    assert (rows['gross'] == 11898.81).all()
    given = pd.DataFrame({'quantity': [3] * 20, 'price': [9999.0] * 20})
    assert wrong(synthesizer.sample_remaining_columns(given)) == 0


def test_a_file_keeps_and_tells_it(synthesizer: TabDARSynthesizer, tmp_path: Path) -> None:
    synthesizer.save_safe(tmp_path / 'bills.tabdar')
    again = TabDARSynthesizer.load_safe(tmp_path / 'bills.tabdar')
    pd.testing.assert_frame_equal(again.sample(100, seed=1), synthesizer.sample(100, seed=1))
    told = str(describe(tmp_path / 'bills.tabdar'))
    assert "that 'tax' is 'net' times a rate that 'country' says" in told
    assert "that 'net' is 'amount' times a rate that 'discount' says" in told


def test_training_goes_on_with_what_still_holds() -> None:
    synthesizer, others = fitted(), bills()
    others.loc[0, ['tax', 'gross']] += 1.0
    synthesizer.fit(others, warm_start=True)
    rows = synthesizer.sample(300)
    assert wrong(rows, 'net') <= 0.02
    assert wrong(rows, 'tax') > 0.2


def test_off_it_is_as_the_model_has_it(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        fitted()
    assert "'tax' is 'net' times a rate that 'country' says in all rows" in caplog.text
    assert wrong(fitted(products=False).sample(300), 'tax') > 0.2
