"""Equal cells: rows in which two columns hold the same number."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.evaluation import evaluate, score

TYPES = {'bill': 'numerical', 'paid': 'numerical', 'kind': 'categorical'}


def bills(share: float, seed: int = 0) -> pd.DataFrame:
    generator = np.random.default_rng(seed)
    bill = generator.gamma(2, 100, 2_000)
    paid = np.where(generator.random(2_000) < share, bill, bill * generator.random(2_000))
    return pd.DataFrame({'bill': bill, 'paid': paid, 'kind': 'a'})


def test_the_difference_of_two_shares():
    found = score(bills(0.3), bills(0.1, 1), TYPES, metrics=['equal'])
    assert found['equal_error'] == pytest.approx(0.2, abs=0.03)


def test_honest_rows_are_at_the_floor():
    report = evaluate(bills(0.3), bills(0.3, 1), TYPES, metrics=['equal'], verbose=False)
    assert report.scores['equal_error'] < 0.03
    assert 0 < report.floors['equal_error'] < 0.03
    assert report.tables['equal'].loc[0, ['column', 'other']].tolist() == ['bill', 'paid']


def test_without_equal_columns_there_is_no_score():
    report = evaluate(bills(0), bills(0, 1), TYPES, metrics=['equal'], verbose=False)
    assert 'equal_error' not in report.scores
    assert not report.notes


def test_missing_cells_are_not_equal():
    empty = bills(0).assign(bill=np.nan, paid=np.nan)
    assert score(bills(1), empty, TYPES, metrics=['equal'])['equal_error'] == 1


def test_dates_are_compared_as_numbers_are():
    days = pd.Series(pd.date_range('2020-01-01', periods=100))
    real = pd.DataFrame({'start': days, 'end': days})
    drawn = real.assign(end=days.shift(-1, fill_value=days[0]))
    types = dict.fromkeys(real, 'datetime')
    assert score(real, drawn, types, metrics=['equal'])['equal_error'] == 1
    assert score(real, real, types, metrics=['equal'])['equal_error'] == 0
