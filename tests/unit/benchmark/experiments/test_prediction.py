"""Probabilities of a target."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from sdv_tabdar.benchmark.data.datasets import load_dataset
from sdv_tabdar.benchmark.experiments import prediction


def test_a_target_of_numbers_fails(ask_tiny: Callable[..., str]) -> None:
    printed = ask_tiny('prediction', '--target', 'one=age', code=1)
    assert 'FAILED' in printed
    assert "The target 'age' of table 'one' is a number" in printed


def test_a_prediction_needs_a_target_of_categories(prepared: Path) -> None:
    dataset = load_dataset(prepared, 'one', target='age')
    with pytest.raises(ValueError, match="The target 'age' of table 'one' is a number"):
        prediction.checked_target(dataset)
    (prepared / 'own').mkdir()
    table = dataset.train
    table.to_csv(prepared / 'own' / 'mine.csv', index=False)
    dataset.metadata.save_to_json(str(prepared / 'own' / 'mine.json'))
    with pytest.raises(ValueError, match="'mine' does not say what to predict; .*--target mine=C"):
        prediction.checked_target(load_dataset(prepared / 'own', 'mine'))


def test_mean_auc() -> None:
    truth = pd.Series(['a', 'b', 'b', None])
    guesses = pd.DataFrame({'a': [0.9, 0.2, 0.1, 0.5], 'b': [0.1, 0.8, 0.9, 0.5]})
    assert prediction.mean_auc(truth, guesses) == 1
    three = pd.Series(['a', 'b', 'c'])
    # Of 'c' nothing is known, so its AUC is one half.
    certain = pd.DataFrame({'a': [1.0, 0, 0], 'b': [0, 1.0, 0]})
    assert prediction.mean_auc(three, certain) == pytest.approx((1 + 1 + 0.5) / 3)
    with pytest.raises(ValueError, match='An AUC needs two classes'):
        prediction.mean_auc(truth.iloc[1:3], guesses.iloc[1:3])
