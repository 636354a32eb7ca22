"""Machine-learning efficiency."""

from __future__ import annotations

import numpy as np
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
