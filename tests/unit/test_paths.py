"""Files and folders that cannot be written are refused in words."""

from __future__ import annotations

import errno
import os
import re
from pathlib import Path

import pytest

from sdv_tabdar.paths import check_file, why_no_file, why_no_folder, writing


def test_files_that_can_be_written(tmp_path: Path) -> None:
    (tmp_path / 'there').touch()
    assert check_file(tmp_path / 'there') == tmp_path / 'there'
    assert check_file(str(tmp_path / 'new')) == tmp_path / 'new'
    assert not why_no_file(Path(os.devnull), replaced=False)


def test_files_that_cannot(tmp_path: Path) -> None:
    (tmp_path / 'there').touch()
    reasons = {
        tmp_path: 'it is a folder',
        tmp_path / 'there' / 'new': f"'{tmp_path / 'there'}' is a file and no folder",
        tmp_path / 'missing' / 'new': f"there is no folder '{tmp_path / 'missing'}'",
        tmp_path / 'a\0': 'that is no name of a file',
        Path(os.devnull): 'it is no file that can be replaced',
    }
    for path, reason in reasons.items():
        assert why_no_file(path) == reason
        with pytest.raises(OSError, match='cannot be written, as .*Give the name of a file in a'):
            check_file(path)


def test_folders(tmp_path: Path) -> None:
    (tmp_path / 'there').touch()
    assert not why_no_folder(tmp_path)
    assert not why_no_folder(tmp_path / 'new' / 'newer')
    for path in (tmp_path / 'there', tmp_path / 'there' / 'new'):
        assert why_no_folder(path) == f"'{tmp_path / 'there'}' is a file and no folder"
    assert why_no_folder(tmp_path / 'a\0') == 'that is no name of a folder'


def test_a_full_disk_is_told_with_the_name_of_the_file(tmp_path: Path) -> None:
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    with pytest.raises(OSError, match=re.escape(str(tmp_path / 'rows'))) as told:
        _fail(tmp_path / 'rows', full)
    assert told.value.errno == errno.ENOSPC


@pytest.mark.parametrize(
    'error', [FileNotFoundError(errno.ENOENT, 'none', 'other'), OSError('none, in words')]
)
def test_what_says_enough_already_stays(tmp_path: Path, error: OSError) -> None:
    with pytest.raises(OSError, match='none') as told:
        _fail(tmp_path / 'rows', error)
    assert told.value is error


def _fail(path: Path, error: OSError) -> None:
    with writing(path):
        raise error
