"""The progress bar: shows epochs and loss, and is absent where it is not wanted."""

from __future__ import annotations

import math

import pytest

from sdv_tabdar.core.runtime.progress import training_bar


def test_nothing_is_shown_where_nothing_is_wanted(capsys: pytest.CaptureFixture[str]) -> None:
    with training_bar(False) as show:
        assert show is None
    assert capsys.readouterr().err == ''


def test_it_shows_percent_epoch_and_loss(capsys: pytest.CaptureFixture[str]) -> None:
    with training_bar(True) as show:
        assert show is not None
        show(0.25, 0, math.nan)
        show(1.0, 3, 0.5)
    shown = capsys.readouterr().err
    assert 'epoch 4, loss 0.5000' in shown
    assert '100%' in shown
    assert 'nan' not in shown
