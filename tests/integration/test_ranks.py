"""A synthesizer that two processes train together."""

from __future__ import annotations

import os
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar import TabDARSynthesizer

from ..ranks import in_ranks
from .conftest import TINY, make_metadata

COLUMNS: dict[str, dict[str, Any]] = {
    'id': {'sdtype': 'id'},
    'colour': {'sdtype': 'categorical'},
    'size': {'sdtype': 'numerical'},
    'day': {'sdtype': 'datetime', 'datetime_format': '%Y-%m-%d'},
}


def _table(seed: int = 0) -> pd.DataFrame:
    random = np.random.default_rng(seed)
    days = pd.Timestamp('2024-01-01') + pd.to_timedelta(random.integers(0, 300, 150), unit='D')
    return pd.DataFrame(
        {
            'id': range(150),
            'colour': random.choice(['red', 'green', None], 150),
            'size': np.where(random.random(150) < 0.2, np.nan, random.normal(size=150)),
            'day': days.strftime('%Y-%m-%d'),
        }
    )


@pytest.mark.skipif(not hasattr(os, 'fork'), reason='processes are copied')
def test_ranks_have_one_model_and_refuse_another_table(tmp_path: Path) -> None:
    """Without a random state the first one's seed is that of both."""

    def work(rank: int) -> tuple[pd.DataFrame, bytes, str]:
        np.random.seed(rank)
        synthesizer = TabDARSynthesizer(make_metadata(COLUMNS), **{**TINY, 'random_state': None})
        synthesizer.fit(_table())
        rows = synthesizer.sample(20, seed=1)
        with pytest.raises(ValueError, match='All ranks of a training must have the same') as info:
            synthesizer.fit(_table(seed=rank))
        assert synthesizer.sample(20, seed=1).equals(rows)
        weights = synthesizer._fitted_table.model.trained.to_state()['weights']
        return rows, pickle.dumps({name: w.numpy() for name, w in weights.items()}), str(info.value)

    first, second = in_ranks(work, tmp_path / 'ranks')
    assert not isinstance(first, Exception), first
    pd.testing.assert_frame_equal(first[0], second[0])
    assert first[1:] == second[1:]
    assert 'rank 1 has' in first[2]
