"""Levels that follow from how two numbers compare in all rows, in all that a synthesizer draws."""

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
    'complaint': {'sdtype': 'categorical'},
    'promised': {'sdtype': 'datetime'},
    'delivered': {'sdtype': 'datetime'},
    'late': {'sdtype': 'boolean'},
    'revenue': {'sdtype': 'numerical'},
    'cost': {'sdtype': 'numerical'},
    'verdict': {'sdtype': 'categorical'},
}


def orders(num_rows: int = N) -> pd.DataFrame:
    """Days with whether they were kept, of which complaints come, and money with a verdict."""
    random = np.random.default_rng(0)
    promised = pd.Timestamp('2024-01-01') + pd.to_timedelta(
        random.integers(0, 300, num_rows), unit='D'
    )
    days = random.integers(-20, 20, num_rows)
    frame = pd.DataFrame({'promised': promised})
    frame['delivered'] = promised + pd.to_timedelta(days, unit='D')
    frame['late'] = days > 0
    frame['revenue'] = random.lognormal(5, 1, num_rows).round(2)
    frame['cost'] = (frame['revenue'] * random.uniform(0.5, 1.5, num_rows)).round(2)
    frame.loc[::20, 'cost'] = frame.loc[::20, 'revenue']
    sign = np.sign(frame['revenue'] - frame['cost']).astype(int) + 1
    frame['verdict'] = np.array(['loss', 'even', 'gain'], dtype=object)[sign]
    is_heard = random.uniform(size=num_rows) < np.where(days > 0, 0.9, 0.1)
    frame.insert(0, 'complaint', np.where(is_heard, 'yes', 'no').astype(object))
    frame.loc[3::40, 'delivered'] = pd.NaT
    frame.loc[5::40, 'verdict'] = None
    return frame


def broken(rows: pd.DataFrame) -> int:
    """In how many rows a level is not that of the numbers, as far as can be seen."""
    is_there = rows['promised'].notna() & rows['delivered'].notna() & rows['late'].notna()
    found = is_there & ((rows['delivered'] > rows['promised']) != rows['late'].astype(bool))
    sign = np.sign((rows['revenue'] - rows['cost']).round(2).fillna(0)).astype(int) + 1
    wanted = np.array(['loss', 'even', 'gain'], dtype=object)[sign]
    is_there = rows['verdict'].notna() & rows['revenue'].notna() & rows['cost'].notna()
    return int((found | (is_there & (wanted != rows['verdict']))).sum())


KEPT = Kept(COLUMNS, orders, broken)


@pytest.fixture(scope='module')
def synthesizer() -> TabDARSynthesizer:
    return KEPT.fitted()


def test_drawn_rows_keep_them(synthesizer: TabDARSynthesizer) -> None:
    assert broken(orders()) == 0
    rows = synthesizer.sample(600)
    assert broken(rows) == 0
    assert rows.dtypes.equals(orders().dtypes)
    assert rows['verdict'].isna().any()


@pytest.mark.parametrize(
    'given',
    [
        {'late': True},
        {'late': False, 'verdict': 'loss'},
        {'verdict': 'gain', 'revenue': 100.0},
        {'promised': pd.Timestamp('2024-05-05'), 'late': True},
        {'delivered': pd.Timestamp('2024-05-05'), 'late': False},
        {'promised': pd.Timestamp('2024-05-05'), 'delivered': pd.Timestamp('2024-05-06')},
        {'cost': Between(50, 60), 'verdict': 'loss'},
        {'complaint': 'yes'},
    ],
)
def test_conditions(synthesizer: TabDARSynthesizer, given: dict[str, Any]) -> None:
    KEPT.check_conditions(synthesizer, given)


@pytest.mark.parametrize('num_samples', [1, 5])
@pytest.mark.parametrize('hidden', [['late', 'verdict'], ['delivered', 'cost'], ['promised']])
def test_gaps(synthesizer: TabDARSynthesizer, hidden: list[str], num_samples: int) -> None:
    KEPT.check_gaps(synthesizer, hidden, num_samples)


def test_the_rest_is_drawn_beside_what_is_told() -> None:
    names = ['complaint', 'promised', 'delivered', 'late']
    kept = Kept({name: COLUMNS[name] for name in names}, lambda: orders()[names], broken)
    learning: dict[str, Any] = {'epochs': 20, 'batch_size': 64, 'learning_rate': 0.01}
    rows = kept.fitted(copula=False, **learning).sample(2000)
    is_heard = rows['complaint'].eq('yes').groupby(rows['late'].astype(bool)).mean()
    assert is_heard[False] < 0.3
    assert is_heard[True] > 0.7


def test_probabilities_know_the_numbers(synthesizer: TabDARSynthesizer) -> None:
    rows = orders().dropna().head(50)
    found = synthesizer.predict_proba(rows, 'late')
    assert (found.idxmax(axis=1).to_numpy() == rows['late'].to_numpy()).all()


def test_a_file_keeps_and_tells_it(synthesizer: TabDARSynthesizer, tmp_path: Path) -> None:
    found = KEPT.check_file(synthesizer, tmp_path)
    assert ('late', "ranges of 'promised' less 'delivered'") in found.told_by_numbers


def test_a_fit_tells_it() -> None:
    line = "'verdict' follows from ranges of 'revenue' less 'cost' in all rows, and will in "
    assert f'{line}drawn ones.' in KEPT.logged


def test_training_goes_on_with_what_still_holds() -> None:
    synthesizer, others = KEPT.fitted(), orders()
    others.loc[others['cost'].idxmax(), 'verdict'] = 'even'
    synthesizer.fit(others, warm_start=True)
    rows = synthesizer.sample(200)
    assert broken(rows) > 0
    assert broken(rows.assign(verdict=None)) == 0


def test_the_switch_turns_it_off() -> None:
    assert broken(KEPT.fitted(dependencies=False).sample(300)) > 0


def test_protected_rows_have_them() -> None:
    assert broken(KEPT.fitted(protect_values=True).sample(300)) == 0
