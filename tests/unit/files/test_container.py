"""A model file is written whole, where a file can be, for whom new files are."""

from __future__ import annotations

import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from safetensors import SafetensorError

from sdv_tabdar.files import container

ARRAYS = {'numbers': np.arange(1000.0)}


def _write(path: Path) -> None:
    container.write(path, {'is': 'a document'}, ARRAYS, {})


def test_it_has_the_permissions_of_other_files(tmp_path: Path) -> None:
    other = tmp_path / 'other'
    other.touch()
    _write(tmp_path / 'model')
    assert stat.S_IMODE((tmp_path / 'model').stat().st_mode) == stat.S_IMODE(other.stat().st_mode)


def test_what_is_no_file_is_not_replaced(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / 'pipe')
    for path in (tmp_path / 'pipe', tmp_path, Path()):
        with pytest.raises(OSError, match='it is (a folder|no file that can be replaced)'):
            _write(path)
    assert stat.S_ISFIFO((tmp_path / 'pipe').stat().st_mode)


def test_a_folder_that_is_not_there_is_an_error_of_the_system(tmp_path: Path) -> None:
    with pytest.raises(OSError, match='cannot be written, as there is no folder'):
        _write(tmp_path / 'nowhere' / 'model')


def test_so_is_a_disk_that_is_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_room(*_: object, **__: object) -> None:
        raise SafetensorError('I/O error: No space left on device')

    monkeypatch.setattr(container, 'save_file', no_room)
    with pytest.raises(OSError, match=r"model' cannot be written: .*No space left"):
        _write(tmp_path / 'model')
    assert list(tmp_path.iterdir()) == []


def test_several_may_write_the_same_file(tmp_path: Path) -> None:
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(_write, [tmp_path / 'model'] * 40))
    assert [file.name for file in tmp_path.iterdir()] == ['model']
    np.testing.assert_array_equal(
        container.ModelFile(tmp_path / 'model').description()[1]['numbers'], ARRAYS['numbers']
    )
