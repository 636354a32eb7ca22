"""A synthesizer with causal attention answers all that one with bidirectional attention does."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sdv.sampling import Condition

from sdv_tabdar import Between, OneOf, TabDARSynthesizer

from ..conftest import fit_tiny

RANDOM = np.random.default_rng(0)
DATA = pd.DataFrame(
    {
        'first': RANDOM.integers(0, 100, 160),
        'second': RANDOM.random(160).round(2),
        'third': RANDOM.choice(list('abc'), 160),
        'fourth': RANDOM.choice(np.array(['x', 'y', None], dtype=object), 160),
    }
)
COLUMNS = {
    'first': {'sdtype': 'numerical'},
    'second': {'sdtype': 'numerical'},
    'third': {'sdtype': 'categorical'},
    'fourth': {'sdtype': 'categorical'},
}


@pytest.fixture(scope='module')
def causal() -> TabDARSynthesizer:
    return fit_tiny(DATA, COLUMNS, attention='causal', num_blocks=2)


def test_known_cells_and_ranges_are_met(causal: TabDARSynthesizer) -> None:
    known = DATA[['second', 'third']].head(6)
    pd.testing.assert_frame_equal(causal.sample_remaining_columns(known)[list(known)], known)
    wanted = {'first': Between(20, 40), 'third': OneOf(['a', 'b'])}
    rows = causal.sample_from_conditions([Condition(wanted, num_rows=8)])
    assert rows['first'].between(20, 40).all()
    assert rows['third'].isin(['a', 'b']).all()


def test_gaps_are_filled_and_cells_are_predicted(causal: TabDARSynthesizer) -> None:
    gaps = DATA.head(20).astype(object).mask(RANDOM.random((20, 4)) < 0.4)
    filled = causal.impute(gaps)
    known = gaps['third'].notna()
    assert filled['third'].notna().all()
    assert (filled['third'][known] == gaps['third'][known]).all()
    assert np.allclose(causal.predict_proba(DATA.head(5), 'third').sum(axis=1), 1)
    assert np.isfinite(causal.log_likelihood(DATA.head(5))).all()


def test_it_is_saved_with_its_attention(causal: TabDARSynthesizer, tmp_path: Path) -> None:
    causal.save_safe(tmp_path / 'model.tabdar')
    loaded = TabDARSynthesizer.load_safe(tmp_path / 'model.tabdar')
    assert loaded.get_parameters()['attention'] == 'causal'
    pd.testing.assert_frame_equal(loaded.sample(9, seed=1), causal.sample(9, seed=1))


def test_training_goes_on_with_the_same_attention_only(causal: TabDARSynthesizer) -> None:
    other = fit_tiny(DATA, COLUMNS, attention='causal', num_blocks=2)
    other.fit(DATA, warm_start=True)
    assert len(other.sample(3)) == 3
    other.attention = 'bidirectional'
    with pytest.raises(ValueError, match="attention='causal'"):
        other.fit(DATA, warm_start=True)
