"""SDMetrics' own score."""

from __future__ import annotations

import pytest
from sdmetrics.single_table.privacy import DCROverfittingProtection

from sdv_tabdar.evaluation import score


def test_sdmetrics_score_is_beside_ours(real, holdout, types):
    real, holdout = real[:150], holdout[:150]
    ours = score(real, real, types, holdout, metrics=['sdmetrics_dcr'])
    categories = {name: real[name].astype(str) for name in ('city', 'code', 'member', 'grade')}
    metadata = {
        'columns': {
            name: {'sdtype': 'categorical' if name in categories else 'numerical'}
            for name in real.columns
        }
    }
    expected = DCROverfittingProtection.compute(
        real.assign(**categories),
        real.assign(**categories),
        holdout.assign(**{name: holdout[name].astype(str) for name in categories}),
        metadata,
        table_name=None,
    )
    assert ours['sdmetrics_dcr'] == pytest.approx(expected)
    assert ours['sdmetrics_dcr'] == 0
