"""Training that is watched, ended early, and goes on from where it was."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from sdv.errors import SynthesizerInputError

from sdv_tabdar.synthesizer import TabDARSynthesizer

New = Callable[..., TabDARSynthesizer]


def test_a_callback_sees_each_epoch_and_may_end_training(new: New, table: pd.DataFrame) -> None:
    epochs = []

    def after_two(report: Any) -> bool:
        epochs.append(report.epoch)
        return report.epoch == 2

    synthesizer = new(epochs=5)
    synthesizer.fit(table, on_epoch_end=after_two)
    assert epochs == [1, 2]
    assert len(synthesizer.get_loss_values()) == 2
    assert len(synthesizer.sample(3)) == 3


def test_an_ended_training_goes_on_to_the_same_model(
    new: New, table: pd.DataFrame, tmp_path: Path
) -> None:
    whole, parts = new(epochs=4), new(epochs=4)
    whole.fit(table)
    path = tmp_path / 'fit.ckpt'
    parts.fit(table, on_epoch_end=lambda report: report.epoch == 2, checkpoint_path=path)
    assert path.exists()
    again = new(epochs=4)
    again.fit(table, checkpoint_path=str(path))

    assert not path.exists()
    pd.testing.assert_frame_equal(again.get_loss_values(), whole.get_loss_values())
    pd.testing.assert_frame_equal(again.sample(20), whole.sample(20))


def test_the_checkpoint_of_another_table_is_refused(
    new: New, table: pd.DataFrame, tmp_path: Path
) -> None:
    path = tmp_path / 'fit.ckpt'
    new(epochs=3).fit(table, on_epoch_end=lambda _: True, checkpoint_path=path)
    with pytest.raises(ValueError, match='another table'):
        new(epochs=3).fit(table.head(90), checkpoint_path=path)
    assert path.exists()


@pytest.mark.parametrize(('first', 'then'), [(0, 7), (0, None), (None, 0)])
def test_the_checkpoint_of_another_seed_is_refused(
    new: New, table: pd.DataFrame, tmp_path: Path, first: int | None, then: int | None
) -> None:
    path = tmp_path / 'fit.ckpt'
    new(epochs=3, random_state=first).fit(table, on_epoch_end=lambda _: True, checkpoint_path=path)
    message = 'was made with another random_state. Train with what it was made with, give another'
    with pytest.raises(ValueError, match=message):
        new(epochs=3, random_state=then).fit(table, checkpoint_path=path)
    assert path.exists()
    new(epochs=3, random_state=first).fit(table, checkpoint_path=path)
    assert not path.exists()


@pytest.mark.parametrize(
    ('options', 'message'),
    [
        ({'on_epoch_end': 3}, "'on_epoch_end' must be a function"),
        ({'checkpoint_path': 3}, "'checkpoint_path' must be the path of a file"),
        ({'checkpoint_path': 'no/such/folder/fit.ckpt'}, 'exists .* there is no folder'),
        ({'checkpoint_path': '.'}, "however: '.', as it is a folder. .* give another path"),
        ({'checkpoint_path': 'a' * 300}, 'can be written to, however: .* too long'),
        ({'checkpoint_path': 'fit\0.ckpt'}, 'can be written to, however: .* no name of a file'),
    ],
)
def test_options_of_wrong_type_are_named(
    new: New, table: pd.DataFrame, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(SynthesizerInputError, match=message):
        new().fit(table, **options)
