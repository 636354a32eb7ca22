"""Structural zeros: rows with values in two columns that never meet."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.evaluation import evaluate, score

TYPES = {'kids': 'numerical', 'youngest': 'numerical', 'job': 'categorical', 'size': 'numerical'}


def people(broken: float = 0.0, seed: int = 0, rows: int = 2_000) -> pd.DataFrame:
    generator = np.random.default_rng(seed)
    kids = generator.poisson(0.8, rows)
    youngest = pd.Series(generator.gamma(2, 5, rows)).mask(kids == 0)
    wrong = generator.random(rows) < broken
    return pd.DataFrame(
        {
            'kids': np.where(wrong, 0, kids),
            'youngest': youngest.mask(wrong, 7.0),
            'job': generator.choice(['a', 'b', None], rows),
            'size': generator.normal(size=rows),
        }
    )


def test_the_share_of_rows_that_cannot_exist():
    report = evaluate(people(), people(0.1, 1), TYPES, metrics=['zeros'], verbose=False)
    assert report.scores['zero_error'] == pytest.approx(0.1, abs=0.02)
    assert report.floors['zero_error'] == 0
    table = report.tables['zeros']
    assert table.loc[0, ['column', 'other']].tolist() == ['kids', 'youngest']
    assert len(table) == 1


def test_a_missing_cell_can_be_wrong_as_well():
    drawn = people(seed=1).assign(youngest=np.nan)
    share = drawn['kids'].isin([1, 2]).mean()  # three kids or more are too few to tell
    found = score(people(), drawn, TYPES, metrics=['zeros'])['zero_error']
    assert share <= found <= (drawn['kids'] > 0).mean()


def test_honest_rows_have_none():
    assert score(people(), people(seed=1), TYPES, metrics=['zeros'])['zero_error'] == 0
    some = people()[:1]
    assert score(people(), some, TYPES, metrics=['zeros'])['zero_error'] == 0


@pytest.mark.parametrize(
    'real', [people().assign(youngest=people(seed=1)['youngest']), people(rows=40)]
)
def test_without_values_that_never_meet_there_is_no_score(real: pd.DataFrame):
    report = evaluate(real, people(0.5, 1, len(real)), TYPES, metrics=['zeros'], verbose=False)
    assert 'zero_error' not in report.scores
    assert not report.notes


def test_dates_levels_and_truth_values_meet_as_numbers_do():
    generator = np.random.default_rng(0)
    is_open = generator.random(500) < 0.4
    days = pd.Series(
        pd.Timestamp('2024-01-01') + pd.to_timedelta(generator.integers(0, 99, 500), 'D')
    )
    real = pd.DataFrame(
        {'open': is_open, 'end': days.mask(is_open), 'state': np.where(is_open, 'new', 'old')}
    )
    types = {'open': 'boolean', 'end': 'datetime', 'state': 'categorical'}
    report = evaluate(real, real.assign(end=days), types, metrics=['zeros'], verbose=False)
    assert report.scores['zero_error'] == pytest.approx(is_open.mean(), abs=0.05)
    assert len(report.tables['zeros']) == 3
