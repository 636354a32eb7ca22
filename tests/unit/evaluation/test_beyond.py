"""Why a score is better than its floor."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.evaluation import beyond, evaluate

TYPES = {'x': 'numerical', 'y': 'numerical'}


def independent(seed: int, rows: int = 400) -> pd.DataFrame:
    """A sample of a known distribution."""
    return pd.DataFrame(np.random.default_rng(seed).random((rows, 2)), columns=['x', 'y'])


@pytest.fixture(scope='module')
def training() -> pd.DataFrame:
    return independent(1)


@pytest.fixture(scope='module')
def spread(training) -> pd.DataFrame:
    """Draws at evenly spaced quantiles of the training rows, without a copy."""
    levels = (np.arange(400) + 0.5) / 400
    generator = np.random.default_rng(2)
    return training.apply(lambda column: generator.permutation(np.quantile(column, levels)))


def reason(*frames, **settings):
    metrics = settings.pop('metrics', ['shape', 'dcr'])
    report = evaluate(*frames, metrics=metrics, verbose=False, **settings)
    assert report.reasons.keys() <= report.scores.keys()
    return report.reasons.get('shape_error')


def test_spread_draws_are_told_by_independent_ones(training, spread):
    holdout = independent(3)
    assert reason(training, spread, TYPES, holdout) == beyond.UNTRIED
    said = reason(training, spread, TYPES, holdout, independent_draws=independent(4))
    assert said is not None
    assert said.startswith(beyond.SPREAD.split('{')[0])


def test_copies_are_told_by_the_privacy_scores(training):
    assert reason(training, training[::-1], TYPES, independent(3)) == beyond.COPIED


def test_without_the_privacy_scores_nothing_is_claimed(training, spread):
    assert reason(training, spread, TYPES, metrics=['shape']) == beyond.UNKNOWN


def test_independent_draws_that_are_as_good_were_fitted(training, spread):
    said = reason(training, spread, TYPES, independent(3), independent_draws=spread)
    assert said is not None
    assert 'with independent draws too' in said


def test_what_is_no_better_needs_no_reason(training):
    assert reason(training, independent(5) ** 2, TYPES, independent(3)) is None


def test_the_page_shows_the_reason(training, spread):
    report = evaluate(training, spread, TYPES, metrics=['shape'], verbose=False)
    assert beyond.UNKNOWN in report.to_html()
    assert '>at the floor<' in report.to_html()


def test_independent_draws_must_fit_the_metadata(training):
    with pytest.raises(ValueError, match="columns of independent_draws differ .* lacks 'y'"):
        evaluate(training, training, TYPES, independent_draws=training[['x']], metrics=['shape'])
