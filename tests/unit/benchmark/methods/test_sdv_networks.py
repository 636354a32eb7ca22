"""SDV's networks train for a number of epochs or for a time."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from ctgan.synthesizers import ctgan, tvae

from sdv_tabdar.benchmark.data.datasets import load_dataset
from sdv_tabdar.benchmark.methods.spec import Request, parse_spec
from sdv_tabdar.benchmark.methods.synthesizers import build

pytestmark = pytest.mark.changes_random_state('SDV draws from the global generators')


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """A processor clock that goes on by one second whenever it is looked at."""
    seconds = iter(range(1000))
    monkeypatch.setattr(time, 'process_time', lambda: float(next(seconds)))


def fitted(prepared: Path, text: str) -> Any:
    """The fitted synthesizer of a text, with batches that suit a table of few rows."""
    dataset = load_dataset(prepared, 'one')
    made: Any = build(Request(parse_spec(text), dataset, seed=0))
    made.fit(dataset.train)
    return made


@pytest.mark.usefixtures('clock')
@pytest.mark.parametrize('kind', ['ctgan', 'tvae', 'copulagan'])
def test_no_epoch_begins_when_the_time_is_over(prepared: Path, kind: str) -> None:
    former = ctgan.tqdm, tvae.tqdm
    made = fitted(prepared, f'{kind}:seconds=3,batch_size=20')
    assert made.synthesizer.get_loss_values()['Epoch'].nunique() == 3
    assert len(made.sample(7)) == 7
    assert (ctgan.tqdm, tvae.tqdm) == former


@pytest.mark.usefixtures('clock')
def test_a_number_of_epochs_may_end_a_training_sooner(prepared: Path) -> None:
    made = fitted(prepared, 'tvae:seconds=5,epochs=2,batch_size=20')
    assert made.synthesizer.get_loss_values()['Epoch'].nunique() == 2


def test_without_a_time_all_epochs_are_done(prepared: Path) -> None:
    made = fitted(prepared, 'tvae:epochs=4,batch_size=20')
    assert made.synthesizer.get_loss_values()['Epoch'].nunique() == 4
