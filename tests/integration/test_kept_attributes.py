"""Numbers and dates that belong to what another column names do so in what comes out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar import Between, TabDARSynthesizer

from .kept_relations import Kept

pytestmark = pytest.mark.changes_random_state('SDV itself draws from the global generators')

SHOPS, N = 300, 2400  # more shops than a number has atoms
COLUMNS: dict[str, dict[str, Any]] = {
    'north': {'sdtype': 'numerical'},
    'sales': {'sdtype': 'numerical'},
    'shop': {'sdtype': 'categorical'},
    'opened': {'sdtype': 'datetime'},
    'area': {'sdtype': 'numerical'},
}


def shops(number: int = SHOPS) -> pd.DataFrame:
    """What there is to know of shops; those of a smaller number are among those of a larger one."""
    random = np.random.default_rng(0)
    cells = random.random((number, 3))
    opened = pd.Timestamp('2000-01-01') + pd.to_timedelta((cells[:, 0] * 8000).round(), 'D')
    return pd.DataFrame(
        {
            'north': (50 + 5 * cells[:, 1]).round(5),
            'shop': [f'shop {place}' for place in range(number)],
            'opened': opened,
            'area': (cells[:, 2] * 5000).astype(int),
        }
    )


def sales(num_rows: int = N, number: int = SHOPS) -> pd.DataFrame:
    """Sales of shops; the size of some is not known."""
    random = np.random.default_rng(1)
    frame = shops(number).iloc[random.integers(0, number, num_rows)].reset_index(drop=True)
    frame.insert(1, 'sales', (frame['area'] * random.lognormal(0, 0.3, num_rows)).round(2))
    return frame


def broken(rows: pd.DataFrame, number: int = SHOPS) -> int:
    """In how many rows a cell is not that of the shop."""
    wanted = shops(number).set_index('shop').loc[rows['shop']].reset_index()
    found = [wanted[name] != rows[name].to_numpy() for name in ('north', 'opened', 'area')]
    return int(np.any(found, axis=0).sum())


KEPT = Kept(COLUMNS, sales, broken)


@pytest.fixture(scope='module')
def synthesizer() -> TabDARSynthesizer:
    return KEPT.fitted()


def test_drawn_rows_keep_them(synthesizer: TabDARSynthesizer) -> None:
    rows = synthesizer.sample(600)
    assert broken(rows) == 0
    assert rows.dtypes.equals(sales().dtypes)
    assert rows['shop'].nunique() > SHOPS / 2
    assert not rows['sales'].isin(sales()['sales']).all()  # which belong to nothing


@pytest.mark.parametrize(
    'given',
    [
        {'shop': 'shop 7'},
        {'north': shops().loc[9, 'north']},
        {'north': Between(51, 51.5)},
        {'area': shops().loc[20, 'area'], 'sales': Between(0, 10_000)},
    ],
)
def test_conditions(synthesizer: TabDARSynthesizer, given: dict[str, Any]) -> None:
    KEPT.check_conditions(synthesizer, given)


@pytest.mark.parametrize('num_samples', [1, 5])
@pytest.mark.parametrize('hidden', [['north', 'area'], ['shop', 'opened'], ['shop', 'sales']])
def test_gaps(synthesizer: TabDARSynthesizer, hidden: list[str], num_samples: int) -> None:
    KEPT.check_gaps(synthesizer, hidden, num_samples)


def test_probabilities_know_the_number(synthesizer: TabDARSynthesizer) -> None:
    rows = sales().head(50)
    found = synthesizer.predict_proba(rows[['north', 'sales']], 'shop')
    assert (found.idxmax(axis=1).to_numpy() == rows['shop'].to_numpy()).all()


def test_a_file_keeps_and_tells_it(synthesizer: TabDARSynthesizer, tmp_path: Path) -> None:
    assert "'area' follows from 300 levels of 'shop'" in str(KEPT.check_file(synthesizer, tmp_path))


def test_a_fit_tells_it() -> None:
    assert "'area' follows from 'shop' in all rows, and will in drawn ones." in KEPT.logged


def test_training_goes_on_with_shops_that_have_opened() -> None:
    synthesizer = KEPT.fitted()
    synthesizer.fit(sales(number=SHOPS + 9), warm_start=True)
    rows = synthesizer.sample(900)
    assert broken(rows, SHOPS + 9) == 0
    assert rows['shop'].isin(shops(SHOPS + 9)['shop'][SHOPS:]).any()


def test_the_switch_turns_it_off() -> None:
    assert broken(KEPT.fitted(dependencies=False).sample(300)) > 0


def test_protected_rows_have_them_but_for_values_of_few() -> None:
    """Values of few rows become those of groups, which are no shop's own."""
    rows = KEPT.fitted(sales(6000), protect_values=True).sample(600)
    assert broken(rows) < 0.2 * len(rows)


def test_from_files(tmp_path: Path) -> None:
    pytest.importorskip('pyarrow')
    sales().to_parquet(tmp_path / 'table.parquet', row_group_size=500)
    assert broken(KEPT.fitted(tmp_path / 'table.parquet').sample(200)) == 0
