"""Settings compared by the likelihood of test rows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

from sdv_tabdar.benchmark.experiments.likelihood import gains, likelihood_tables

from .conftest import TINY


def _rows(**drawn: list[float]) -> pd.DataFrame:
    """Two seeds of the table 'one', then two of the table 'two', by setting."""
    parts = []
    for setting, values in drawn.items():
        part = pd.DataFrame({'table': ['one', 'one', 'two', 'two'], 'seed': [0, 1, 0, 1]})
        columns = dict.fromkeys(('drawn', 'mixture', 'any_order'), values)
        parts.append(part.assign(setting=setting, rows=60, fit_seconds=2.0, **columns))
    return pd.concat(parts)


def test_each_setting_is_fitted_once_and_all_are_compared_with_the_first(
    tmp_path: Path, on_one: Callable[..., str], called: list[dict[str, object]]
) -> None:
    settings = [f'first:{TINY},epochs=1', f'second:{TINY},epochs=2']
    on_one('likelihood', '--settings', *settings)
    printed = on_one('likelihood', '--settings', *settings, '--seeds', 0, 1)
    assert len(called) == 4
    assert '| one: 60: first |' in printed
    assert "Gain over 'first'" in printed
    rows = pd.read_csv(tmp_path / 'out' / 'likelihood.csv')
    assert rows['epochs'].tolist() == [1, 2, 1, 2]
    assert rows['setting'].tolist() == ['first', 'second'] * 2
    figures = rows[['drawn', 'mixture', 'any_order', 'drawn_train', 'fit_seconds']]
    assert np.isfinite(figures.to_numpy()).all()
    # A mean of densities is at least the density of the mean of logs.
    assert (rows['mixture'] >= rows['drawn']).all()


def test_gains_are_differences_seed_by_seed() -> None:
    rows = _rows(first=[-3.0, -2.0, -5.0, -4.0], second=[-2.0, -1.0, -6.0, -4.0])
    rows.loc[rows['setting'] == 'second', 'fit_seconds'] = 3.0
    texts = {label: [cell.text for cell in cells] for label, cells in gains(rows).rows}
    assert texts == {
        'one: 60: second': [*['+1.000 ± 0.000'] * 3, '1.50'],
        'two: 60: second': [*['-0.500 ± 0.707'] * 3, '1.50'],
        'mean of the tables: second': [*['+0.250, 1 of 2'] * 3, '1.50'],
    }


def test_seeds_without_a_partner_do_not_count() -> None:
    rows = _rows(first=[-3.0, -2.0, -5.0, -4.0], second=[-2.0, -1.0, -6.0, -4.0])
    rows = rows[(rows['setting'] == 'first') | (rows['seed'] == 0)]
    labels = [cells[0].text for _, cells in gains(rows).rows]
    assert labels == ['+1.000', '-1.000', '+0.000, 1 of 2']


def test_one_setting_is_compared_with_nothing() -> None:
    rows = _rows(first=[-3.0, -2.0, -5.0, -4.0]).assign(epochs=1, drawn_train=-1.0)
    assert [grid.title for grid in likelihood_tables(rows)] == ['Likelihood of rows']
