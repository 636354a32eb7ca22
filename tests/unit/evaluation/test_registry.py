"""The list of metrics and what they declare."""

from __future__ import annotations

from pathlib import Path

import pytest

from sdv_tabdar.evaluation import metrics
from sdv_tabdar.evaluation.registry import ALIASES, FILES, METRICS, SCORES, chosen_metrics


def test_every_file_of_a_metric_is_listed_once():
    files = {path.stem for path in Path(metrics.__path__[0]).glob('*.py')} - {'__init__'}
    assert sorted(FILES) == sorted(files)


def test_names_and_keys_belong_to_one_metric():
    keys = [score.key for metric in METRICS.values() for score in metric.scores]
    assert len(METRICS) == len(FILES)
    assert len(keys) == len(set(keys)) == len(SCORES)
    assert not set(ALIASES) & set(METRICS)


@pytest.mark.parametrize('key', SCORES)
def test_every_score_says_what_it_means(key):
    score = SCORES[key]
    assert score.title
    assert score.meaning.endswith('.')
    assert score.goal in {'higher', 'lower', 'floor'}
    assert score.floor is not None or score.ideal is not None or key == 'mle_paper'
    assert len(score.meaning) < 250


def test_a_metric_can_be_asked_for_by_the_key_of_a_score():
    chosen, _ = chosen_metrics(['mia_auc', 'membership'], holdout=True, target=False)
    assert [metric.name for metric in chosen] == ['membership']
