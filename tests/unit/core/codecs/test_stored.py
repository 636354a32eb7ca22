"""A table in files gets the codes that it gets in memory."""

from __future__ import annotations

import contextlib
import os
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch

from sdv_tabdar.core.codecs import atoms, numerical
from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.codecs.stored import StoredTable, bytes_needed
from sdv_tabdar.core.config import ModelConfig, TrainingConfig
from sdv_tabdar.core.model import TabDAR
from sdv_tabdar.core.schema import ColumnKind

KINDS = {
    'free': ColumnKind.NUMERICAL,
    'mixed': ColumnKind.NUMERICAL,
    'level': ColumnKind.CATEGORICAL,
    'empty': ColumnKind.NUMERICAL,
    'truth': ColumnKind.CATEGORICAL,
}
CONFIG = ModelConfig(width=8, num_blocks=1, num_heads=2, max_categories=6)


def _frame(rows: int = 1500, seed: int = 0) -> pd.DataFrame:
    generator = np.random.default_rng(seed)
    free = generator.normal(size=rows)
    mixed = np.where(generator.random(rows) < 0.4, 0.0, generator.exponential(size=rows))
    mixed[generator.random(rows) < 0.1] = np.nan
    level = generator.choice(np.array([*'abcdefgh', None], dtype=object), rows)
    truth = generator.choice(np.array([True, False, 1, 'x'], dtype=object), rows)
    cells = [free, mixed, level, np.full(rows, np.nan), truth]
    return pd.DataFrame(dict(zip(KINDS, cells, strict=True)))


Store = Callable[[pd.DataFrame], StoredTable]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Puts frames into files, some rows at a time."""
    with contextlib.ExitStack() as stack:

        def stored(frame: pd.DataFrame) -> StoredTable:
            kinds = {name: KINDS[name] for name in frame}
            table = stack.enter_context(StoredTable(tmp_path, kinds))
            for start in range(0, len(frame), 333):
                table.append(frame.iloc[start : start + 333])
            return table

        yield stored


def test_codes_and_codecs_are_those_of_the_frame(store: Store) -> None:
    frame = _frame()
    expected = TableEncoder.fit(frame, KINDS, CONFIG)
    table = store(frame)
    found = TableEncoder.fit(table, KINDS, CONFIG)
    assert found.schema == expected.schema
    in_memory, in_files = expected.encode_all(frame), found.encode_all(table)
    assert len(table) == len(frame)
    assert torch.equal(in_files.codes, in_memory.codes)
    assert torch.equal(in_files.residuals, in_memory.residuals)
    assert in_files.codes.dtype == in_memory.codes.dtype
    assert in_files.observed.all()
    assert in_files.observed.shape == in_memory.observed.shape


def test_numbers_are_looked_at_in_parts(monkeypatch: pytest.MonkeyPatch, store: Store) -> None:
    frame = _frame()
    expected = TableEncoder.fit(frame, KINDS, CONFIG)
    monkeypatch.setattr(atoms, '_TOGETHER', 7)
    monkeypatch.setattr(numerical, '_TOGETHER', 7)
    found = TableEncoder.fit(store(frame), KINDS, CONFIG)
    assert found.schema == expected.schema


@pytest.mark.parametrize('scale', [1.0, 3.0])
def test_codecs_grow_as_with_frames(store: Store, scale: float) -> None:
    before = TableEncoder.fit(_frame(seed=1), KINDS, CONFIG)
    frame = _frame(seed=2)
    frame['free'] *= scale
    expected = before.grown(frame, KINDS, CONFIG)
    found = before.grown(store(frame), KINDS, CONFIG)
    assert found.schema == expected.schema


def test_the_model_is_that_of_the_frame(store: Store) -> None:
    frame = _frame(rows=300)[['free', 'level']]
    networks = []
    for table in (frame, store(frame)):
        model = TabDAR(CONFIG, TrainingConfig(epochs=1), device='cpu', random_state=1)
        networks.append(model.fit(table, KINDS).trained.network.state_dict())
    first, second = networks
    assert all(torch.equal(first[name], second[name]) for name in first)


def test_nothing_is_left_in_the_folder(store: Store, tmp_path: Path) -> None:
    table = store(_frame())
    encoder = TableEncoder.fit(table, KINDS, CONFIG)
    assert not os.listdir(tmp_path)
    assert len(encoder.encode_all(table)) == 1500
    assert not os.listdir(tmp_path)


def test_the_disk_that_is_needed_follows_the_rows() -> None:
    kinds = {'number': ColumnKind.NUMERICAL, 'level': ColumnKind.CATEGORICAL}
    assert bytes_needed(2_000, kinds) == 2 * bytes_needed(1_000, kinds) >= 2_000 * (8 + 4 + 5)


def test_memory_follows_the_parts_and_not_the_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(atoms, '_TOGETHER', 10_000)
    kinds = {**dict.fromkeys('abcd', KINDS['free']), 'level': KINDS['level']}
    generator = np.random.default_rng(0)
    levels = np.array(['low', 'high'], dtype=object)
    with StoredTable(tmp_path, kinds) as table:
        tracemalloc.start()
        for _ in range(28):
            part = pd.DataFrame(generator.normal(size=(10_000, 4)), columns=list('abcd'))
            table.append(part.assign(level=levels[generator.integers(0, 2, 10_000)]))
        encoded = TableEncoder.fit(table, kinds, CONFIG).encode_all(table)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert len(encoded) == 280_000
    assert peak < 2 * 2**20 < 280_000 * 8  # less than one column
