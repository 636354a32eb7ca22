"""Both kinds of attention are fitted for as long and judged by test rows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.benchmark.experiments import attention, core_table

from .conftest import TINY

JUDGED = ['likelihood', 'conditional', 'rmse', 'accuracy', 'xgb_c2st', 'speed']


def test_both_kinds_are_judged_after_as_many_passes(
    tmp_path: Path, on_one: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attention, '_DRAWN', 15)
    monkeypatch.setattr(core_table, '_LEAST_EPOCHS', 1)
    settings = [f'{kind},{TINY}' for kind in attention.KINDS]
    printed = on_one('attention', '--cells', 300, '--settings', *settings)
    assert '| one: causal |' in printed
    rows = pd.read_csv(tmp_path / 'out' / 'attention.csv')
    assert rows['setting'].tolist() == ['bidirectional', 'causal']
    assert rows['epochs'].nunique() == 1
    assert np.isfinite(rows[JUDGED].to_numpy()).all()
