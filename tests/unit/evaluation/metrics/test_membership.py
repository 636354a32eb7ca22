"""What an attacker can do with distances."""

from __future__ import annotations

import numpy as np
import pytest

from sdv_tabdar.evaluation import score
from sdv_tabdar.evaluation.metrics.membership import attack


def test_an_honest_sample_tells_nothing(real, honest, holdout, types):
    ours = score(real, honest, types, holdout, metrics=['membership'])
    assert ours['mia_auc'] == pytest.approx(0.5, abs=0.05)


def test_a_copy_tells_everything(real, holdout, types):
    copy = real.sample(frac=1, random_state=0)
    ours = score(real, copy, types, holdout, metrics=['membership'])
    assert ours['mia_auc'] == ours['mia_advantage'] == 1


def test_attack_on_known_distances():
    auc, advantage = attack(np.array([0.0, 0.0, 1.0, 1.0]), np.array([1.0, 1.0, 2.0, 2.0]))
    assert auc == pytest.approx(0.875)
    assert advantage == pytest.approx(0.5)
