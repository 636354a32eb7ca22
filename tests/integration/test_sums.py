"""Rows whose parts add up: drawn, conditioned, imputed, scored, saved."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sdv.cag import Inequality
from sdv.sampling import Condition
from sdv.utils import load_synthesizer

from sdv_tabdar import Between, FixedSum, OneOf, TabDARSynthesizer
from sdv_tabdar.adapter.private_names import ConstraintNotMetError

from .conftest import TINY, make_metadata

pytestmark = [
    pytest.mark.changes_random_state('SDV itself draws from the global generators'),
    pytest.mark.filterwarnings('ignore:Known cells hold', 'ignore:In .* rows the conditions'),
]

SHARES = ['x', 'y', 'z']
COLUMNS = {
    **{name: {'sdtype': 'numerical'} for name in ('net', 'tax', 'gross', *SHARES)},
    'kind': {'sdtype': 'categorical'},
}


def make_bills(num_rows: int = 120, *, gaps: bool = True) -> pd.DataFrame:
    """Net and tax make gross; x, y and z are percentages of two decimals."""
    random = np.random.default_rng(0)
    net = random.integers(100, 9000, num_rows)
    tax = np.rint(net * random.choice([0.0, 0.07, 0.19], num_rows)).astype(int)
    cuts = np.sort(random.integers(0, 10_001, (num_rows, 2)), axis=1)
    x, y = cuts[:, 0], cuts[:, 1] - cuts[:, 0]
    frame = pd.DataFrame(
        {
            'net': net / 100,
            'tax': tax / 100,
            'gross': (net + tax) / 100,
            'x': x / 100,
            'y': y / 100,
            'z': (10_000 - x - y) / 100,
            'kind': np.where(net > 4000, 'dear', 'cheap'),
        }
    )
    if gaps:
        frame.loc[::9, 'tax'] = np.nan
        frame.loc[::11, 'gross'] = np.nan
        frame.loc[::13, 'z'] = np.nan
    return frame


def fit(data: pd.DataFrame) -> TabDARSynthesizer:
    synthesizer = TabDARSynthesizer(make_metadata(COLUMNS), **TINY)
    synthesizer.add_constraints(
        [FixedSum(['net', 'tax'], total_column='gross'), FixedSum(SHARES, total=100)]
    )
    synthesizer.fit(data)
    return synthesizer


@pytest.fixture(scope='module')
def fitted() -> TabDARSynthesizer:
    return fit(make_bills())


def check_sums(rows: pd.DataFrame) -> None:
    """Exactly, as decimals, wherever no cell is missing."""
    assert len(rows)
    for names in (['net', 'tax', 'gross'], SHARES):
        for row in rows[names].dropna().to_numpy().tolist():
            cells = [Decimal(repr(value)) for value in row]
            if len(cells) == 3 and names != SHARES:
                assert cells[0] + cells[1] == cells[2]
            else:
                assert sum(cells) == 100
    assert not (rows[['net', 'tax', *SHARES]] < 0).any(axis=None)


def test_rows_add_up(fitted: TabDARSynthesizer) -> None:
    rows = fitted.sample(200)
    check_sums(rows)
    assert len(rows) == 200
    assert rows['tax'].isna().any()
    assert (rows['gross'].isna() == rows[['net', 'tax']].isna().any(axis=1)).all()
    assert list(rows) == list(COLUMNS)


@pytest.mark.parametrize(
    ('asked', 'met'),
    [
        ({'gross': 50.25}, lambda rows: rows['gross'] == 50.25),
        ({'gross': 50.25, 'net': 45.0}, lambda rows: rows['tax'].dropna() == 5.25),
        ({'net': 45.0, 'tax': 5.25}, lambda rows: rows['gross'] == 50.25),
        ({'gross': Between(40, 45), 'kind': 'cheap'}, lambda rows: rows['gross'].between(40, 45)),
        ({'gross': OneOf([20.0, 30.0])}, lambda rows: rows['gross'].isin([20, 30])),
        ({'tax': Between(1, 5), 'gross': 60}, lambda rows: rows['tax'].between(1, 5)),
        ({'x': 12.34}, lambda rows: rows['x'] == 12.34),
        ({'x': 12.34, 'y': 50.0}, lambda rows: rows['z'].dropna() == 37.66),
        ({'x': Between(70, None)}, lambda rows: rows['x'] >= 70),
        ({'x': Between(10, 20), 'z': 50}, lambda rows: rows['x'].between(10, 20)),
        ({'net': 89.0, 'tax': 89.0}, lambda rows: rows['gross'] == 178),
    ],
    ids=lambda value: None if callable(value) else str(value),
)
def test_conditions_are_met_and_rows_add_up(
    fitted: TabDARSynthesizer, asked: dict[str, Any], met: Any
) -> None:
    rows = fitted.sample_from_conditions([Condition(asked, num_rows=12)])
    assert len(rows) == 12
    check_sums(rows)
    assert met(rows).all()


@pytest.mark.parametrize(
    'asked',
    [
        {'gross': 10.0, 'net': 50.0},
        {'gross': Between(None, 10), 'net': Between(20, None)},
        {'x': 60.0, 'y': 60.0},
        {'x': 10.0, 'y': 20.0, 'z': 30.0},
    ],
    ids=str,
)
def test_conditions_that_cannot_add_up_are_refused(
    fitted: TabDARSynthesizer, asked: dict[str, Any]
) -> None:
    with pytest.raises(ConstraintNotMetError, match='cannot be met, because of the .* FixedSum'):
        fitted.sample_from_conditions([Condition(asked, num_rows=2)])


@pytest.mark.parametrize('settings', [{}, {'num_samples': 1}, {'num_draws': 2}], ids=str)
def test_gaps_are_filled_so_that_rows_add_up(
    fitted: TabDARSynthesizer, settings: dict[str, int]
) -> None:
    data = make_bills(30, gaps=False)
    whole = data.copy()
    data.loc[::2, 'tax'] = np.nan
    data.loc[::3, 'net'] = np.nan
    data.loc[1::4, 'gross'] = np.nan
    data.loc[::4, 'x'] = np.nan
    data.loc[::5, 'y'] = np.nan
    filled = fitted.impute(data, **settings)

    for table in filled if isinstance(filled, list) else [filled]:
        check_sums(table)
        assert table.notna().all(axis=None)
        implied = data['tax'].isna() & data['net'].notna() & data['gross'].notna()
        assert (table.loc[implied, 'tax'] == whole.loc[implied, 'tax']).all()


@pytest.mark.parametrize(
    ('name', 'beside'),
    [('x', {}), ('x', {'y': 30.0}), ('net', {'gross': 50.0}), ('net', {'gross': Between(50, 60)})],
    ids=str,
)
def test_a_part_that_is_one_of_a_set_is_so_beside_a_known_sum(
    fitted: TabDARSynthesizer, name: str, beside: dict[str, Any]
) -> None:
    chosen = OneOf([10.0, 45.0, 48.0])
    rows = fitted.sample_from_conditions([Condition({name: chosen, **beside}, num_rows=12)])
    assert rows[name].isin(chosen.values).all()
    check_sums(rows)


def test_a_sum_in_a_range_of_few_values_is_exact(fitted: TabDARSynthesizer) -> None:
    rows = fitted.sample_from_conditions([Condition({'gross': Between(50, 50.02)}, num_rows=30)])
    assert rows['gross'].between(50, 50.02).all()
    check_sums(rows)


def test_probabilities_and_likelihoods(fitted: TabDARSynthesizer) -> None:
    data = make_bills(gaps=False).head(12)
    chances = fitted.predict_proba(data[['gross', 'x']], 'kind', num_samples=20)
    assert chances.sum(axis=1).tolist() == pytest.approx([1] * 12)
    quantiles = fitted.predict_quantiles(data.drop(columns='tax'), 'tax', num_samples=5)
    assert quantiles.to_numpy()[:, 1] == pytest.approx(data['tax'].to_numpy())

    likelihoods = fitted.log_likelihood(data)
    assert np.isfinite(likelihoods).all()
    data.loc[0, 'gross'] += 1
    assert fitted.log_likelihood(data).iloc[0] == -np.inf


def test_saved_and_loaded(fitted: TabDARSynthesizer, tmp_path: Path) -> None:
    fitted.save(tmp_path / 'bills.pkl')
    loaded = load_synthesizer(tmp_path / 'bills.pkl')
    check_sums(loaded.sample_from_conditions([Condition({'gross': 30.0}, num_rows=5)]))


def test_a_table_that_does_not_add_up_is_refused() -> None:
    data = make_bills(40, gaps=False)
    data.loc[3, 'gross'] += 0.01
    with pytest.raises(ConstraintNotMetError, match="do not add up to 'gross' in 1 rows"):
        fit(data)


def test_the_law_of_the_parts_is_the_models_given_the_sum(fitted: TabDARSynthesizer) -> None:
    """What is known beside the sum still counts, and draws differ."""
    rows = fitted.sample_from_conditions([Condition({'gross': 50.0}, num_rows=20)])
    assert rows['net'].dropna().nunique() > 1


def make_counts() -> pd.DataFrame:
    random = np.random.default_rng(0)
    low, more = random.integers(0, 50, (2, 80))
    return pd.DataFrame({'low': low, 'high': low + more, 'both': 2 * low + more})


@pytest.mark.parametrize(
    ('dtype', 'others'),
    [
        ('int64', []),
        ('Int64', []),
        ('float32', []),
        ('object', []),
        ('int64', [Inequality('low', 'high')]),
    ],
    ids=str,
)
def test_in_every_dtype_and_before_another_constraint(dtype: str, others: list[Any]) -> None:
    data = make_counts().astype(dtype)
    if dtype == 'object':
        data = data.map(lambda cell: Decimal(int(cell)))
    columns = {name: {'sdtype': 'numerical'} for name in data}
    synthesizer = TabDARSynthesizer(make_metadata(columns), **TINY)
    synthesizer.add_constraints([FixedSum(['low', 'high'], total_column='both'), *others])
    synthesizer.fit(data)

    conditions = [Condition({'both': data['both'].iloc[0]}, num_rows=5)]
    gaps = data.head(8).copy()
    gaps.loc[::2, 'low'] = pd.NA if dtype == 'Int64' else None
    for rows in (
        synthesizer.sample(20),
        synthesizer.sample_from_conditions(conditions),
        synthesizer.impute(gaps),
    ):
        cells = rows.astype(float)
        assert (cells['low'] + cells['high'] == cells['both']).all()
        assert len(rows) in (20, 5, 8)
