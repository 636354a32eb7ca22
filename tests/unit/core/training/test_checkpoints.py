"""Checkpoints: written as a whole, read by the same training only."""

from __future__ import annotations

import dataclasses
import errno
import os
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.config import ModelConfig, TrainingConfig
from sdv_tabdar.core.table import EncodedTable
from sdv_tabdar.core.training import checkpoints
from sdv_tabdar.core.training.checkpoints import CheckpointFile, Then, fingerprint

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


def _full(content: object, file: Any) -> None:
    file.write(b'half')
    raise OSError(errno.ENOSPC, 'No space left on device')


def test_a_write_that_fails_leaves_the_old_file_and_is_said(
    made_of: Print,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    file = _file(tmp_path / 'training.pt', made_of())
    file.write({'steps': 1})
    with monkeypatch.context() as patch:
        patch.setattr(torch, 'save', _full)
        message = (
            r"training.pt' could not be written \(No space left on device\). Training goes on, and "
            r'the next checkpoint is tried at its time. That of \d{4}-.* is still there, for the '
            r'same call to go on from. Make room on its disk, or let it be written to again.'
        )
        with pytest.warns(RuntimeWarning, match=message):
            file.write({'steps': 2})
        assert file.read() == {'steps': 1}
        assert [path.name for path in tmp_path.iterdir()] == ['training.pt']
        with warnings.catch_warnings():
            warnings.simplefilter('error')
            file.write({'steps': 3})  # the log alone
        with pytest.warns(RuntimeWarning, match='What training has learnt is kept in the model'):
            file.write({'steps': 4}, Then.IS_KEPT)
        with pytest.warns(RuntimeWarning, match='What training has learnt since then is lost'):
            file.write({'steps': 4}, Then.IS_LOST)
    assert [record.levelname for record in caplog.records] == ['WARNING'] * 4
    with caplog.at_level('INFO'):
        file.write({'steps': 5})
    assert 'is written again' in caplog.text
    assert file.read() == {'steps': 5}


def test_without_an_old_file_it_says_so(
    made_of: Print, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch, 'save', _full)
    file = _file(tmp_path / 'training.pt', made_of())
    with pytest.warns(RuntimeWarning, match='There is none that the same call could go on from'):
        file.write({})
    assert list(tmp_path.iterdir()) == []


def test_what_torch_makes_of_a_full_disk_is_an_error_of_the_disk(
    made_of: Print, tmp_path: Path
) -> None:
    resource = pytest.importorskip('resource')
    file = _file(tmp_path / 'training.pt', made_of())
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, before[1]))
    try:
        with pytest.warns(RuntimeWarning, match=r'could not be written \(File too large\)'):
            file.write({'weights': torch.zeros(100_000)})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert list(tmp_path.iterdir()) == []


def test_an_error_that_is_none_of_the_disk_is_raised(
    made_of: Print, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError('a tensor of no kind')

    monkeypatch.setattr(torch, 'save', broken)
    with pytest.raises(RuntimeError, match='a tensor of no kind'):
        _file(tmp_path / 'training.pt', made_of()).write({})


def test_a_file_that_cannot_be_deleted_is_named(
    made_of: Print, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def denied(*_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, 'Permission denied')

    file = _file(tmp_path / 'training.pt', made_of())
    file.write({})
    monkeypatch.setattr(Path, 'unlink', denied)
    with pytest.warns(RuntimeWarning, match=r'could not be deleted \(Permission denied\). Delete'):
        file.remove()


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
        tmp_path / 'absent' / 'training.pt': 'there is no folder',
        tmp_path / ('a' * 300): 'it cannot be used .*too long',
        Path(os.devnull): 'it is no file that can be replaced',
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
