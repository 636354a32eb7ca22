"""Checkpoints: written as a whole, read by the same training only."""

from __future__ import annotations

import dataclasses
import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.config import ModelConfig, TrainingConfig
from sdv_tabdar.core.table import EncodedTable
from sdv_tabdar.core.training import checkpoints
from sdv_tabdar.core.training.checkpoints import CheckpointFile, fingerprint

Print = Callable[..., dict[str, str]]


@pytest.fixture
def made_of(encoded: EncodedTable, encoder: TableEncoder, tiny: ModelConfig) -> Print:
    """The fingerprint of a training, with some of it replaced."""

    def of(**changes: Any) -> dict[str, str]:
        parts = {
            'table': encoded,
            'schema': encoder.schema,
            'model': tiny,
            'config': TrainingConfig(),
            'batch_size': 32,
            'num_threads': 1,
            **changes,
        }
        return fingerprint(**parts)

    return of


def _file(path: Path, made_of: dict[str, str], seed: int = 0) -> CheckpointFile:
    return CheckpointFile(path, made_of, torch.Generator().manual_seed(seed))


def test_what_is_written_is_read(made_of: Print, tmp_path: Path) -> None:
    path = tmp_path / 'training.pt'
    state = {'weights': {'a': torch.arange(3.0)}, 'steps': 4, 'rates': [(0.1, 0.2)], 'none': None}
    first = _file(path, made_of(), seed=1)
    assert first.read() is None
    first.write(state)
    first.write(state)
    generator = torch.Generator().manual_seed(2)
    found = CheckpointFile(path, made_of(), generator).read()
    assert found is not None
    assert torch.equal(found.pop('weights')['a'], torch.arange(3.0))
    assert found == {'steps': 4, 'rates': [(0.1, 0.2)], 'none': None}
    assert torch.equal(generator.get_state(), torch.Generator().manual_seed(1).get_state())
    assert [file.name for file in tmp_path.iterdir()] == ['training.pt']
    first.remove()
    first.remove()
    assert not path.exists()


def test_a_write_that_fails_leaves_the_old_file(
    made_of: Print, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = _file(tmp_path / 'training.pt', made_of())
    file.write({'steps': 1})

    def full(content: object, file: Any) -> None:
        file.write(b'half')
        raise OSError('no space left')

    monkeypatch.setattr(torch, 'save', full)
    with pytest.raises(OSError, match='no space'):
        file.write({'steps': 2})
    assert file.read() == {'steps': 1}


def test_more_time_is_the_same_training(made_of: Print) -> None:
    assert made_of(config=TrainingConfig(max_training_time=5.0)) == made_of()


def test_another_training_is_refused(
    made_of: Print, tmp_path: Path, encoded: EncodedTable, tiny: ModelConfig
) -> None:
    path = tmp_path / 'training.pt'
    _file(path, made_of()).write({})
    codes = encoded.codes.clone()
    codes[0, 0] = (codes[0, 0] + 1) % 2
    others: dict[str, dict[str, Any]] = {
        'another table': {'table': dataclasses.replace(encoded, codes=codes)},
        'other settings of the model': {'model': dataclasses.replace(tiny, num_blocks=1)},
        'other training settings': {'config': TrainingConfig(epochs=3)},
        'another random_state': {'random_state': 5},
        'steps of another number of rows or threads': {'num_threads': 2},
    }
    for words, change in others.items():
        with pytest.raises(ValueError, match=f'was made with {words}.* remove it to begin anew'):
            _file(path, made_of(**change)).read()


def test_another_version_is_refused(
    made_of: Print, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / 'training.pt'
    _file(path, made_of()).write({})
    monkeypatch.setattr(checkpoints, '_VERSION', 99)
    with pytest.raises(ValueError, match='another version of sdv_tabdar or torch'):
        _file(path, made_of()).read()


@pytest.mark.parametrize('content', [b'', b'some text', b'PK'])
def test_another_file_is_refused(made_of: Print, tmp_path: Path, content: bytes) -> None:
    path = tmp_path / 'notes.txt'
    path.write_bytes(content)
    with pytest.raises(ValueError, match='is not a checkpoint of a training'):
        _file(path, made_of()).read()
    assert path.read_bytes() == content


def test_the_path_must_be_a_file_in_a_folder(made_of: Print, tmp_path: Path) -> None:
    reasons = {
        tmp_path: 'it is a folder',
        tmp_path / 'absent' / 'training.pt': 'there is no such folder',
        tmp_path / ('a' * 300): 'it cannot be used .*too long',
        Path(os.devnull): 'it is a device',
    }
    for path, reason in reasons.items():
        message = f'must be a file in a folder that exists and can be written to, .*{reason}'
        with pytest.raises(ValueError, match=message):
            _file(path, made_of())
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(not hasattr(os, 'geteuid') or os.geteuid() == 0, reason='root may write')
@pytest.mark.parametrize('locked', ['folder', 'file'])
def test_a_path_without_permission_is_refused(made_of: Print, tmp_path: Path, locked: str) -> None:
    path = tmp_path / 'training.pt'
    path.touch()
    place = tmp_path if locked == 'folder' else path
    place.chmod(0o500 if locked == 'folder' else 0o200)
    try:
        with pytest.raises(ValueError, match='it cannot be used .*denied'):
            _file(path, made_of())
    finally:
        place.chmod(0o700)


def test_a_folder_that_cannot_be_written_to_is_refused(
    made_of: Print, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def denied(**_: object) -> None:
        raise PermissionError(errno.EACCES, 'Permission denied')

    monkeypatch.setattr(checkpoints.tempfile, 'NamedTemporaryFile', denied)
    with pytest.raises(ValueError, match=r'it cannot be used \(Permission denied\)'):
        _file(tmp_path / 'training.pt', made_of())


def test_it_is_due_after_a_while_that_grows_with_its_cost(
    made_of: Print, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 0.0
    monkeypatch.setattr(checkpoints.time, 'perf_counter', lambda: now)
    file = _file(tmp_path / 'training.pt', made_of())
    assert not file.due
    now = 31.0
    assert file.due
    save = torch.save

    def slow(content: object, target: Any) -> None:
        nonlocal now
        save(content, target)
        now += 2.0

    monkeypatch.setattr(torch, 'save', slow)
    file.write({})
    now += 60.0
    assert not file.due
    now += 50.0
    assert file.due
