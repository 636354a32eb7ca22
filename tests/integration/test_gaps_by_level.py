"""Dates that are near to each other, as a level says: how users draw and fill them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sdv.sampling import Condition

from sdv_tabdar import TabDARSynthesizer
from sdv_tabdar.files.describe import describe

from .conftest import fit_tiny

DAYS = {'air': 3, 'road': 9, 'sea': 40}
COLUMNS = {
    'by': {'sdtype': 'categorical'},
    'weight': {'sdtype': 'numerical'},
    'sent': {'sdtype': 'datetime'},
    'received': {'sdtype': 'datetime'},
}


def parcels(number: int = 1_000, seed: int = 0) -> pd.DataFrame:
    """Parcels that come within days by air, and within weeks by sea."""
    random = np.random.default_rng(seed)
    by = random.choice([*DAYS], number, p=[0.4, 0.35, 0.25])
    days = random.poisson(pd.Series(by).map(DAYS))
    sent = pd.Timestamp('2023-01-01') + pd.to_timedelta(random.integers(0, 600, number), unit='D')
    weight = random.gamma(2, 2, number).round(1)
    received = sent + pd.to_timedelta(days, unit='D')
    return pd.DataFrame({'by': by, 'weight': weight, 'sent': sent, 'received': received})


@pytest.fixture(scope='module')
def synthesizer() -> TabDARSynthesizer:
    return fit_tiny(parcels(), COLUMNS, num_bins=32, epochs=4)


def median_days(rows: pd.DataFrame) -> list[float]:
    days = (rows['received'] - rows['sent']).dt.days.groupby(rows['by']).median()
    return [float(days[level]) for level in DAYS]


def test_rows_are_as_late_as_their_levels_say(synthesizer: TabDARSynthesizer) -> None:
    assert median_days(synthesizer.sample(1_000, seed=1)) == pytest.approx([3, 9, 40], rel=0.35)


def test_a_date_is_drawn_as_a_known_level_says(synthesizer: TabDARSynthesizer) -> None:
    known = parcels()[['by', 'sent']]
    rows = synthesizer.sample_remaining_columns(known)
    assert median_days(rows) == pytest.approx([3, 9, 40], rel=0.35)
    rows = synthesizer.sample_from_conditions([Condition({'by': 'sea'}, num_rows=200)])
    assert (rows['received'] - rows['sent']).dt.days.median() == pytest.approx(40, rel=0.35)


def test_a_level_is_told_by_both_dates(synthesizer: TabDARSynthesizer) -> None:
    rows = parcels()
    days = (rows['received'] - rows['sent']).dt.days
    plain = rows[(days < 2) | (days > 20)].reset_index(drop=True)
    levels = synthesizer.predict_proba(plain[['sent', 'received']], 'by').idxmax(axis=1)
    assert (levels == plain['by']).mean() > 0.95


def test_a_file_keeps_it_and_says_so(synthesizer: TabDARSynthesizer, tmp_path: Path) -> None:
    path = tmp_path / 'model.tabdar'
    synthesizer.save_safe(path)
    loaded = TabDARSynthesizer.load_safe(path)
    pd.testing.assert_frame_equal(loaded.sample(50, seed=5), synthesizer.sample(50, seed=5))
    assert "'received' and 'sent' for each of 3 levels of 'by'" in str(describe(path))


def test_training_goes_on_with_levels_it_has_not_seen(
    synthesizer: TabDARSynthesizer, tmp_path: Path
) -> None:
    path = tmp_path / 'model.tabdar'
    synthesizer.save_safe(path)
    further = TabDARSynthesizer.load_safe(path)
    further.fit(parcels(600, 2).replace({'by': {'road': 'boat'}}), warm_start=True)
    rows = further.sample(1_000, seed=1)
    assert 'boat' in set(rows['by'])
    air, _, sea = median_days(rows.replace({'by': {'boat': 'road'}}))
    assert [air, sea] == pytest.approx([3, 40], rel=0.35)
