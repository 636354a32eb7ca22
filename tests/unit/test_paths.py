"""Files and folders that cannot be written are refused in words."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sdv_tabdar.paths import check_file, why_no_file, why_no_folder


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
