"""The history: by epoch, by column, and as plain types."""

from __future__ import annotations

import json
import math

import numpy as np

from sdv_tabdar.core.training.held_out import Evaluation
from sdv_tabdar.core.training.history import TrainingHistory
from sdv_tabdar.core.training.likelihood import RowLoss


def _loss(level: float) -> RowLoss:
    return RowLoss(np.array([level, 2 * level]), np.array([-0.5, 0.0]), np.array([level] * 3))


def _history() -> TrainingHistory:
    history = TrainingHistory(losses=[3.0, 2.0, 1.5], seconds=4.0, reason='over')
    for epoch, level in ((0.5, 4.0), (1.0, 3.0), (2.4, 2.0)):
        history.add(epoch, Evaluation(held_out=_loss(level + 1), training=_loss(level)))
    return history


def test_by_epoch_it_has_the_last_evaluation_of_each() -> None:
    frame = _history().by_epoch()
    assert list(frame) == [
        'Epoch',
        'Loss',
        'Training codes',
        'Training residuals',
        'Held-out codes',
        'Held-out residuals',
    ]
    assert frame['Epoch'].tolist() == [0, 1, 2]
    assert frame['Loss'].tolist() == [3.0, 2.0, 1.5]
    codes = frame['Held-out codes'].tolist()
    assert codes[0] == 12.0
    assert math.isnan(codes[1])
    assert codes[2] == 9.0
    assert frame['Training residuals'].tolist()[0] == -0.5


def test_without_held_out_rows_it_has_the_loss_alone() -> None:
    history = TrainingHistory(losses=[1.0])
    assert list(history.by_epoch()) == ['Epoch', 'Loss']
    assert history.by_column(['a', 'b']).empty


def test_by_column_it_has_every_evaluation() -> None:
    frame = _history().by_column(['a', 'b'])
    assert frame['Column'].tolist() == ['a', 'b'] * 3
    assert frame['Epoch'].tolist() == [0.5, 0.5, 1.0, 1.0, 2.4, 2.4]
    assert frame['Held-out codes'].tolist() == [5.0, 10.0, 4.0, 8.0, 3.0, 6.0]
    assert frame['Held-out residuals'].tolist() == [-0.5, 0.0] * 3


def test_it_is_plain_and_comes_back() -> None:
    history = _history()
    plain = json.loads(json.dumps(history.plain()))
    assert TrainingHistory.from_plain(plain) == history


def test_what_was_kept_before_there_were_evaluations_is_read() -> None:
    history = TrainingHistory.from_plain({'losses': [1.0], 'seconds': 2.0})
    assert history.evaluations == {}
