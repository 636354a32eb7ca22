"""The imputers that ours stands beside."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.benchmark.experiments.imputation import hidden_cells, with_gaps
from sdv_tabdar.benchmark.methods import imputers
from sdv_tabdar.benchmark.methods.imputers import IMPUTERS, Codes, Columns

COLUMNS = Columns(['x', 'y'], ['code', 'kind'])


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(imputers, 'TREES', 10)
    monkeypatch.setattr(imputers, 'ROUNDS', 2)


def related(rows: int, seed: int) -> pd.DataFrame:
    """Each column says most of the others."""
    generator = np.random.default_rng(seed)
    code = generator.integers(1, 4, rows)
    x = code * 10 + generator.normal(size=rows)
    return pd.DataFrame(
        {
            'kind': np.where(code == 1, 'low', 'high'),
            'x': x,
            'code': code,
            'y': 100 - 2 * x + generator.normal(size=rows),
        }
    )


@pytest.mark.parametrize('name', IMPUTERS)
def test_gaps_are_filled_and_known_cells_kept(name: str) -> None:
    train, truth = related(300, 0), related(80, 1)
    hidden = hidden_cells(truth, 0.25, 0)
    known = with_gaps(truth, hidden, COLUMNS)
    imputer = IMPUTERS[name](COLUMNS, share=0.25, seed=0)
    imputer.fit(train)
    filled = imputer.fill(known)
    assert list(filled.columns) == list(truth.columns)
    assert filled.notna().all(axis=None)
    for column in truth.columns:
        kept = ~hidden[column]
        assert (filled.loc[kept, column] == truth.loc[kept, column]).all()
    gaps = hidden['code']
    accuracy = (filled.loc[gaps, 'code'] == truth.loc[gaps, 'code']).mean()
    error = (filled.loc[hidden['x'], 'x'] - truth.loc[hidden['x'], 'x']).abs().mean()
    if name == 'mean/mode':
        # Both are those of the training rows.
        assert set(filled.loc[gaps, 'code']) == {train['code'].mode()[0]}
        assert filled.loc[hidden['x'], 'x'].to_numpy() == pytest.approx(train['x'].mean())
    else:
        # A linear law of indicators cannot tell a category between two others.
        assert accuracy > (0.4 if name == 'iterative-linear' else 0.85)
        assert error < 3
    # The same seed, the same cells.
    again = IMPUTERS[name](COLUMNS, share=0.25, seed=0)
    again.fit(train)
    pd.testing.assert_frame_equal(again.fill(known), filled)


@pytest.mark.parametrize('name', IMPUTERS)
def test_gaps_in_training_rows_and_new_categories_do_no_harm(name: str) -> None:
    train, rows = related(100, 0), related(20, 1)
    train.loc[:9, 'x'] = np.nan
    train['kind'] = train['kind'].where(train.index > 4, None)
    rows.loc[0, 'kind'] = 'never seen'
    rows.loc[1, ['kind', 'x']] = None
    imputer = IMPUTERS[name](COLUMNS, share=0.3, seed=0)
    imputer.fit(train)
    filled = imputer.fill(rows)
    assert filled.loc[0, 'kind'] == 'never seen'
    assert filled.loc[1, 'kind'] in ('low', 'high')
    assert filled.notna().all(axis=None)


def test_a_column_of_one_value_is_filled_with_it() -> None:
    train, rows = related(60, 0).assign(kind='only'), related(5, 1).assign(kind=None)
    imputer = IMPUTERS['iterative-forest'](COLUMNS, share=0.3, seed=0)
    imputer.fit(train)
    assert imputer.fill(rows)['kind'].tolist() == ['only'] * 5


def test_indicators_and_back() -> None:
    rows = related(50, 0)
    codes = Codes(COLUMNS, rows)
    encoded = codes.encode(rows)
    assert encoded[['x', 'y']].mean().to_numpy() == pytest.approx([0, 0], abs=1e-9)
    for redundant, width in ((True, 3 + 2), (False, 2 + 1)):
        indicators = codes.indicators(encoded, redundant=redundant).to_numpy()
        assert indicators.shape == (50, 2 + width)
        back = codes.from_indicators(indicators, redundant=redundant)
        assert back == pytest.approx(encoded.to_numpy())
    # Two rows that differ in a category alone are as far apart as numbers that differ by one.
    indicators = codes.indicators(encoded, redundant=True).to_numpy()
    assert (indicators[:, 2:5] ** 2).sum(axis=1) == pytest.approx(0.5)
    encoded.loc[0, 'code'] = np.nan
    assert codes.indicators(encoded, redundant=True).iloc[0, 2:5].isna().all()


def test_the_asked_share_is_hidden_with_a_seed() -> None:
    rows = related(2_000, 0)
    rows.loc[:99, 'x'] = np.nan
    hidden = hidden_cells(rows, 0.3, 5)
    assert hidden.equals(hidden_cells(rows, 0.3, 5))
    assert not hidden.equals(hidden_cells(rows, 0.3, 6))
    # Cells that are missing anyway cannot be compared with anything.
    assert not hidden.loc[:99, 'x'].any()
    assert hidden['y'].mean() == pytest.approx(0.3, abs=0.04)
    known = with_gaps(rows, hidden, COLUMNS)
    assert known.isna().sum().sum() == hidden.to_numpy().sum() + 100
    assert {type(cell) for cell in known['code'].dropna()} == {int}
