"""Machine-learning efficiency."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.evaluation import evaluate, score
from sdv_tabdar.evaluation.metrics import mle as mle_module


@pytest.fixture(autouse=True)
def _few_trees(monkeypatch):
    monkeypatch.setattr(mle_module, 'SEEDS', 2)
    monkeypatch.setitem(mle_module.TREES, 'n_estimators', 40)


@pytest.mark.parametrize('target', ['member', 'city'])
def test_honest_rows_teach_as_much_as_real_ones(real, honest, broken, holdout, types, target):
    good = score(real, honest, types, holdout, target=target, metrics=['mle'])
    bad = score(real, broken, types, holdout, target=target, metrics=['mle'])
    assert good['mle'] == pytest.approx(good['mle_real'], abs=0.03)
    assert good['mle_real'] > 0.8
    # Chance relations of the shuffled rows hold the other way round as often as not.
    assert bad['mle'] < 0.7
    assert bad['mle_real'] == good['mle_real']


def test_number_is_predicted_in_its_own_units(real, honest, broken, holdout, types):
    good = score(real, honest, types, holdout, target='weight', metrics=['mle'])
    bad = score(real, broken, types, holdout, target='weight', metrics=['mle'])
    # The law's noise has a standard deviation of 0.4; without relations it is that of weight.
    assert 0.35 < good['mle'] < 0.5
    assert bad['mle'] > 0.9


def test_synthetic_rows_without_a_class_still_have_a_score(real, holdout, types):
    poor = real[real['city'] != 'oslo']
    ours = score(real, poor, types, holdout, target='city', metrics=['mle'])
    assert 0.5 < ours['mle'] < ours['mle_real']
    constant = real.assign(city='bonn')
    assert score(real, constant, types, holdout, target='city', metrics=['mle'])['mle'] == 0.5


@pytest.mark.parametrize('target', ['member', 'weight'])
def test_published_protocol(real, honest, holdout, types, target, monkeypatch):
    monkeypatch.setitem(mle_module.PAPER_GRID, 'n_estimators', [10])
    monkeypatch.setitem(mle_module.PAPER_GRID, 'max_depth', [5])
    ours = score(
        real[:400],
        honest[:400],
        types,
        holdout,
        target=target,
        metrics=['mle'],
        paper_compatible=True,
    )
    assert np.isfinite(ours['mle_paper'])
    assert ours['mle_paper'] > (0.7 if target == 'member' else 0)


def test_a_published_number_without_a_value_takes_no_other_with_it(real, honest, holdout, types):
    constant = honest.assign(city='bonn')[:100]
    report = evaluate(
        real[:100],
        constant,
        types,
        holdout[:100],
        target='city',
        metrics=['mle'],
        paper_compatible=True,
        floors=False,
        verbose=False,
    )
    assert report.scores['mle'] == 0.5
    assert np.isnan(report.scores['mle_paper'])
    assert 'one value only in the rows' in report.notes['mle_paper']
    assert set(report.notes) == {'mle_paper'}


def test_target_that_is_constant_in_the_holdout_has_no_score(real, honest, holdout, types):
    ours = score(real, honest, types, holdout.assign(member=True), target='member', metrics=['mle'])
    assert np.isnan(ours['mle'])


def classes(*counts):
    labels = [f'k{number}' for number, count in enumerate(counts) for _ in range(count)]
    return pd.DataFrame({'x': range(len(labels)), 'k': labels})


def test_few_classes_stay_as_they_are(monkeypatch):
    monkeypatch.setattr(mle_module, 'MAX_CLASSES', 3)
    frames = [classes(2, 3, 1), classes(1, 1), classes(0, 1, 1)]
    assert mle_module._with_few_classes(frames, 'k') is frames


def test_of_many_classes_the_rarest_real_ones_are_one(monkeypatch):
    monkeypatch.setattr(mle_module, 'MAX_CLASSES', 3)
    real = pd.DataFrame({'k': ['b', 'a', None, 'c', 'c', 'other', 'd']})
    synthetic = pd.DataFrame({'k': ['d', 'd', 'd', 'a', 'new']})
    holdout = pd.DataFrame({'k': ['b', 'c', None]})
    found = mle_module._with_few_classes([real, synthetic, holdout], 'k')
    assert found[0]['k'].tolist() == ['other_', 'a', None, 'c', 'c', 'other_', 'other_']
    assert found[1]['k'].tolist() == ['other_', 'other_', 'other_', 'a', 'other_']
    assert found[2]['k'].tolist() == ['other_', 'c', None]
    assert real['k'].tolist()[0] == 'b'


def test_a_target_of_many_classes_has_a_score(real, honest, broken, holdout, types, monkeypatch):
    monkeypatch.setattr(mle_module, 'MAX_CLASSES', 2)
    good, bad = (
        score(real, frame, types, holdout, target='city', metrics=['mle'])
        for frame in (honest, broken)
    )
    assert good['mle'] == pytest.approx(good['mle_real'], abs=0.03)
    assert bad['mle'] < 0.7 < good['mle_real'] == bad['mle_real']
