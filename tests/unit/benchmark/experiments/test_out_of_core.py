"""Rows from Parquet beside a frame: both passes, steps and memory are seen."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from sdv_tabdar.benchmark.experiments import out_of_core

from .conftest import TINY


def test_both_are_learnt_and_compared(
    tmp_path: Path,
    command: Callable[..., str],
    called: list[dict[str, Any]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(out_of_core, '_PART', 200)
    asked = ['out-of-core', '--rows', 300, '--frame-rows', 250, '--sample-rows', 100]
    asked += ['--settings', f'{TINY},epochs=1,batch_size=50', '--out', tmp_path / 'out']
    printed = command(*asked, '--fit-seconds', 60)
    assert '| Parquet: 300 |' in printed
    rows = pd.read_csv(tmp_path / 'out' / 'out_of_core.csv').set_index('form')
    assert rows['epoch'].tolist() == [1.0, 1.0]
    assert (rows.loc['Parquet', ['first_pass', 'second_pass']] > 0).all()
    assert not rows.loc['frame', ['first_pass', 'second_pass']].any()
    assert (rows[['shape_error', 'trend_error', 'training']] > 0).all(axis=None)
    assert json.loads(rows.loc['Parquet', 'over_time'])[0][1] == 0
    picture = (tmp_path / 'out' / 'out_of_core.svg').read_text()
    assert '300 rows, Parquet' in picture
    assert '250 rows, frame' in picture
    assert picture.count('<polyline') == 4, 'memory, and where training begins, of each'
