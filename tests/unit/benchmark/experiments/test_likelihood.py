"""Named settings by the likelihood of test rows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

from .conftest import TINY


def test_each_setting_is_fitted_and_tested(
    prepared: Path, tmp_path: Path, command: Callable[..., str]
) -> None:
    settings = [f'one:{TINY},epochs=1', f'two:{TINY},epochs=2']
    given = ['likelihood', '--data', prepared, '--tables', 'one', '--out', tmp_path / 'out']
    printed = command(*given, '--settings', *settings)
    assert '| one: one |' in printed
    rows = pd.read_csv(tmp_path / 'out' / 'likelihood.csv')
    assert rows['setting'].tolist() == ['one', 'two']
    assert rows['epochs'].tolist() == [1, 2]
    assert np.isfinite(rows[['test', 'train', 'fit_seconds']].to_numpy()).all()
