"""Numbers of which a level says which other number they are, in all that a synthesizer draws."""

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
COLUMNS: dict[str, dict[str, Any]] = {
    'express': {'sdtype': 'boolean'},
    'ordered': {'sdtype': 'datetime'},
    'soon': {'sdtype': 'datetime'},
    'later': {'sdtype': 'datetime'},
    'promised': {'sdtype': 'datetime'},
    'list': {'sdtype': 'numerical'},
    'reduced': {'sdtype': 'numerical'},
    'paid': {'sdtype': 'numerical'},
}


def orders(num_rows: int = N) -> pd.DataFrame:
    """A day is promised as delivery is an express one or not; what is reduced is paid so."""
    random = np.random.default_rng(0)
    frame = pd.DataFrame({'express': random.random(num_rows) < 0.4})
    days = np.cumsum(random.integers(1, [300, 4, 9], (num_rows, 3)), axis=1)
    for name, own in zip(('ordered', 'soon', 'later'), days.T, strict=True):
        frame[name] = pd.Timestamp('2024-01-01') + pd.to_timedelta(own, unit='D')
    frame['promised'] = frame['soon'].where(frame['express'], frame['later'])
    frame['list'] = random.lognormal(4, 1, num_rows).round(2)
    reduced = (frame['list'] * random.uniform(0.4, 0.9, num_rows)).round(2)
    frame['reduced'] = reduced.where(random.random(num_rows) < 0.5)
    frame['paid'] = frame['reduced'].fillna(frame['list'])
    return frame


def broken(rows: pd.DataFrame) -> int:
    """In how many rows a result is not the number of its source."""
    promised = rows['soon'].where(rows['express'].astype(bool), rows['later'])
    paid = rows['reduced'].fillna(rows['list'])
    return int(((promised != rows['promised']) | (paid != rows['paid'])).sum())


KEPT = Kept(COLUMNS, orders, broken)


@pytest.fixture(scope='module')
def synthesizer() -> TabDARSynthesizer:
    return KEPT.fitted()


def test_drawn_rows_keep_them(synthesizer: TabDARSynthesizer) -> None:
    assert broken(orders()) == 0
    rows = synthesizer.sample(600)
    assert broken(rows) == 0
    assert rows.dtypes.equals(orders().dtypes)
    assert 0.2 < rows['reduced'].isna().mean() < 0.8


@pytest.mark.parametrize(
    'given',
    [
        {'express': True},
        {'express': False, 'promised': pd.Timestamp('2024-05-05')},
        {'promised': pd.Timestamp('2024-05-05')},
        {'paid': 55.5},
        {'paid': 55.5, 'list': 80.0},
        {'reduced': 40.0},
        {'paid': Between(50, 60)},
    ],
)
def test_conditions(synthesizer: TabDARSynthesizer, given: dict[str, Any]) -> None:
    KEPT.check_conditions(synthesizer, given)


@pytest.mark.parametrize('num_samples', [1, 5])
@pytest.mark.parametrize('hidden', [['promised', 'paid'], ['express'], ['soon', 'list']])
def test_gaps(synthesizer: TabDARSynthesizer, hidden: list[str], num_samples: int) -> None:
    KEPT.check_gaps(synthesizer, hidden, num_samples)


def test_probabilities_know_the_numbers(synthesizer: TabDARSynthesizer) -> None:
    rows = orders().head(50)
    found = synthesizer.predict_proba(rows, 'express')
    assert (found.idxmax(axis=1).to_numpy() == rows['express'].to_numpy()).all()


def test_a_file_keeps_and_tells_it(synthesizer: TabDARSynthesizer, tmp_path: Path) -> None:
    found = KEPT.check_file(synthesizer, tmp_path)
    assert ('promised', "'soon' or 'later', as 'express' says") in found.products


def test_a_table_in_a_file(tmp_path: Path) -> None:
    KEPT.check_parquet(tmp_path)


def test_a_fit_tells_it() -> None:
    line = "'promised' is 'soon' or 'later', as 'express' says in all rows, and will be in drawn "
    assert f'{line}ones.' in KEPT.logged


def test_training_goes_on_with_what_still_holds() -> None:
    synthesizer, others = KEPT.fitted(), orders()
    others['promised'] = others['later']
    synthesizer.fit(others, warm_start=True)
    rows = synthesizer.sample(200)
    paid = rows['reduced'].fillna(rows['list'])
    assert (paid == rows['paid']).all()
    assert broken(rows) > 0


def test_the_switch_turns_it_off() -> None:
    assert broken(KEPT.fitted(products=False).sample(300)) > 0


def test_protected_rows_have_them() -> None:
    assert broken(KEPT.fitted(protect_values=True).sample(300)) == 0
