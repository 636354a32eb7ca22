"""Orders of columns: rows in which a start is after its end."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.evaluation import evaluate, score
from sdv_tabdar.evaluation.metric import Reading, Verdict
from sdv_tabdar.evaluation.registry import SCORES

TYPES = {'start': 'numerical', 'end': 'numerical', 'kind': 'categorical'}


def stays(broken: float = 0.0, seed: int = 0, rows: int = 2_000) -> pd.DataFrame:
    generator = np.random.default_rng(seed)
    start = generator.normal(size=rows)
    length = generator.exponential(size=rows)
    length[generator.random(rows) < broken] *= -1
    return pd.DataFrame({'start': start, 'end': start + length, 'kind': 'a'})


def test_the_share_of_rows_that_break_an_order():
    found = score(stays(), stays(0.1, 1), TYPES, metrics=['order'])
    assert found['order_error'] == pytest.approx(0.1, abs=0.02)


def test_a_row_that_breaks_two_orders_counts_once():
    real = stays().assign(later=lambda rows: rows['end'] + 1)
    drawn = real.assign(start=lambda rows: rows['later'] + 1)
    types = {**TYPES, 'later': 'numerical'}
    report = evaluate(real, drawn, types, metrics=['order'], verbose=False)
    assert report.scores['order_error'] == 1
    assert report.tables['order'].loc[0, ['lower', 'upper']].tolist() == ['start', 'end']
    assert report.tables['order']['broken'].tolist() == [1, 1, 0]


def test_honest_rows_are_at_the_floor():
    report = evaluate(stays(), stays(seed=1), TYPES, metrics=['order'], verbose=False)
    assert report.scores['order_error'] == report.floors['order_error'] == 0
    assert verdict(0).words == 'no such row'


def verdict(value: float) -> Verdict:
    rule = SCORES['order_error'].verdict
    assert rule is not None
    found = rule(Reading(value, math.nan, 'lower', {'order_error': value}))
    assert found is not None
    return found


@pytest.mark.parametrize(('share', 'mood'), [(0.0005, 'good'), (0.005, 'fair'), (0.2, 'poor')])
def test_rows_that_cannot_exist_are_told(share: float, mood: str):
    assert verdict(share).mood == mood


@pytest.mark.parametrize(
    'real',
    [
        stays(0.01),  # an order that real rows break
        stays().assign(end=100.0),  # one that says nothing
        stays(rows=40),
        stays().assign(start=np.nan),
    ],
)
def test_without_an_order_there_is_no_score(real: pd.DataFrame):
    report = evaluate(real, stays(0.5, 1, len(real)), TYPES, metrics=['order'], verbose=False)
    assert 'order_error' not in report.scores
    assert not report.notes


def test_missing_cells_break_nothing():
    empty = stays().assign(end=np.nan)
    assert score(stays(), empty, TYPES, metrics=['order'])['order_error'] == 0


def test_dates_are_compared_as_numbers_are():
    days = pd.Series(pd.date_range('2020-01-01', periods=100))
    real = pd.DataFrame({'start': days, 'end': days + pd.Timedelta(days=1)})
    types = dict.fromkeys(real, 'datetime')
    drawn = real.rename(columns={'start': 'end', 'end': 'start'})
    assert score(real, drawn, types, metrics=['order'])['order_error'] == 1
    assert score(real, real, types, metrics=['order'])['order_error'] == 0
