"""Fidelity with and without protection, and what it keeps back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.benchmark.data.datasets import load_dataset
from sdv_tabdar.benchmark.experiments import protection

from .conftest import TINY


def test_settings_are_compared(
    tmp_path: Path, on_one: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(protection, '_JUDGED_ROWS', 15)
    settings = [f'off:{TINY},epochs=1', f'on:{TINY},epochs=1,protect_values=True']
    printed = on_one('protection', '--rows', 40, '--settings', *settings)
    assert '| one: 40: on |' in printed
    rows = pd.read_csv(tmp_path / 'out' / 'protection.csv').set_index('setting')
    assert rows.loc['on', 'kept'] < rows.loc['off', 'kept']
    assert np.isfinite(rows[['shape_error', 'trend_error', 'xgb_c2st', 'encoding']]).all(None)


def test_rare_levels_are_counted(prepared: Path) -> None:
    dataset = load_dataset(prepared, 'one')
    assert protection.rare_share(dataset, dataset.train) >= 0
    unseen = dataset.train.assign(**dict.fromkeys(dataset.discrete, 'unseen'))
    assert protection.rare_share(dataset, unseen) == 0
