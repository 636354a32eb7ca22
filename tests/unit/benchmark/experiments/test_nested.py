"""Numbers are placed in their bins by the diffusion or evenly, after as many passes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.benchmark.experiments import core_table, nested

from .conftest import TINY


def test_both_ways_are_judged_on_a_table_and_on_the_law(
    tmp_path: Path, on_one: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (('_TIED_ROWS', 200), ('_TIED_TEST', 40), ('_DRAWN', 30)):
        monkeypatch.setattr(nested, name, value)
    monkeypatch.setattr(core_table, '_LEAST_EPOCHS', 1)
    settings = [f'{text},{TINY}' for text in nested.SETTINGS[:2]]
    asked = ['--tables', 'one', nested.TIED, '--cells', 200, '--settings', *settings]
    printed = on_one('nested-diffusion', *asked)
    assert '| tied: 8 bins evenly |' in printed
    rows = pd.read_csv(tmp_path / 'out' / 'nested_diffusion.csv')
    assert rows['table'].tolist() == ['one', 'one', 'tied', 'tied']
    assert rows['setting'].tolist() == ['8 bins diffusion', '8 bins evenly'] * 2
    assert np.isfinite(rows[['likelihood', 'xgb_c2st', 'shape_error', 'beta_recall']]).all(None)
    assert rows['tie'].notna().tolist() == rows['tie_test'].notna().tolist()
    # All of the law's numbers lie in bins; of the table 'one' age is atoms only.
    assert rows['placed'].iloc[2:].tolist() == [1.0, 1.0]
    assert (rows['placed'].iloc[:2] < 1).all()
    assert rows['tie_test'].dropna().between(0.005, 0.03).all()
