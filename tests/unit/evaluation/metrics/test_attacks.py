"""The scores of the attacks."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.evaluation import evaluate, score


def test_an_honest_sample_gives_nobody_away(real, honest, holdout, types):
    ours = score(real[:400], honest[:400], types, holdout, metrics=['attacks'])
    assert ours['attack_auc'] <= ours['attack_auc_chance'] + 0.01
    assert ours['attribute_gain_low'] < 0 < ours['attribute_gain_high']


def test_a_copy_gives_everybody_away(real, holdout, types):
    report = evaluate(real[:300], real[:300], types, holdout, metrics=['attacks'], verbose=False)
    assert report.scores['attack_auc'] > 0.95
    assert report.scores['attack_tpr_1'] > 0.9
    verdict = report.verdict('attack_auc')
    assert verdict is not None
    assert verdict.words == 'a leak'
    assert report.floors['attack_auc'] == report.scores['attack_auc_floor'] < 0.6


def test_a_model_that_remembers_is_seen_by_its_likelihood(real, honest, holdout, types):
    known = set(real['height'][:400])

    def remembers(rows: pd.DataFrame) -> np.ndarray:
        return rows['height'].isin(known).to_numpy() - rows['height'].to_numpy() ** 2

    report = evaluate(
        *(real[:400], honest[:400], types, holdout),
        metrics=['attacks'],
        floors=False,
        log_likelihood=remembers,
        reference_log_likelihood=lambda rows: -(rows['height'] ** 2),
        verbose=False,
    )
    table = report.tables['attacks'].set_index('attack')
    assert table.index[0] == 'likelihood_ratio'
    assert table.loc['likelihood_ratio', 'auc'] == 1
    assert 0.5 < table.loc['likelihood', 'auc'] < 1
    assert set(table.loc[['likelihood', 'likelihood_ratio'], 'access']) == {'model'}


def test_models_need_somebody_to_compare_with(real, honest, holdout, types):
    with pytest.raises(ValueError, match='log_likelihood is for the attacks, .* as real_test'):
        score(real, honest, types, log_likelihood=len)
    with pytest.raises(ValueError, match='reference_log_likelihood stands beside log_likelihood'):
        score(real, honest, types, holdout, reference_log_likelihood=len)


def test_too_few_rows_are_noted(real, honest, holdout, types):
    report = evaluate(real, honest, types, holdout[:10], metrics=['attacks'], verbose=False)
    assert np.isnan(report.scores['attack_auc'])
    assert 'attacks need 20 training rows' in report.notes['attacks']
    assert 'What an attacker gains' not in report.to_html()
