"""JSON files are there whole or not at all."""

from __future__ import annotations

from pathlib import Path

from sdv_tabdar.benchmark.files import read_json, write_json


def test_what_is_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / 'deep' / 'file.json'
    assert read_json(path) is None
    write_json({'a': [1, None]}, path)
    assert read_json(path) == {'a': [1, None]}
    assert [found.name for found in path.parent.iterdir()] == ['file.json']
