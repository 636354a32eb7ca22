"""Dates that follow within days do so in drawn, conditioned and completed rows, and in a file."""

from __future__ import annotations

import logging
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sdv.sampling import Condition

from sdv_tabdar import TabDARSynthesizer
from sdv_tabdar.files.describe import describe

from .conftest import TINY, fit_tiny, make_metadata

COLUMNS = {name: {'sdtype': 'datetime'} for name in ('ordered', 'sent', 'received', 'returned')}
COLUMNS |= {'state': {'sdtype': 'categorical'}, 'amount': {'sdtype': 'numerical'}}
MOST = {'sent': 3, 'received': 9, 'returned': 30}  # days after the date before
BEFORE = {'sent': 'ordered', 'received': 'sent', 'returned': 'received'}


def orders(size: int = 1_500, seed: int = 0) -> pd.DataFrame:
    """Orders of two years, of which not all have come, and few came back."""
    random = np.random.default_rng(seed)
    state = random.choice(['open', 'sent', 'received', 'returned'], size, p=[0.1, 0.1, 0.65, 0.15])
    rank = pd.Series(state).map({'open': 0, 'sent': 1, 'received': 2, 'returned': 3})
    days = {'ordered': random.integers(0, 730, size)}
    days['sent'] = days['ordered'] + random.choice([0, 1, 2, 3], size, p=[0.2, 0.4, 0.2, 0.2])
    days['received'] = days['sent'] + 1 + random.binomial(8, 0.3, size)
    days['returned'] = days['received'] + random.integers(1, 31, size)
    start = pd.Timestamp('2023-01-01')
    dates = {name: start + pd.to_timedelta(found, 'D') for name, found in days.items()}
    frame = pd.DataFrame({'state': state, **dates, 'amount': random.gamma(2, 40, size).round(2)})
    for number, name in enumerate(days):
        frame[name] = frame[name].where(rank >= number)
    return frame


def after(rows: pd.DataFrame, name: str) -> pd.Series:
    return (rows[name] - rows[BEFORE[name]]).dt.days.dropna()


def check(rows: pd.DataFrame, *, share: float = 0.04) -> None:
    """Nearly no date is farther behind the one before than any of the table."""
    for name, most in MOST.items():
        days = after(rows, name)
        assert len(days) > 20
        assert days.min() >= 0
        assert (days > most).mean() < share, name


@pytest.fixture(scope='module')
def synthesizer() -> TabDARSynthesizer:
    return fit_tiny(orders(), COLUMNS, num_bins=32, epochs=2)


def test_drawn_dates_follow_as_those_of_the_table(synthesizer: TabDARSynthesizer) -> None:
    rows = synthesizer.sample(1_000)
    check(rows)
    shares = after(rows, 'sent').value_counts(normalize=True)
    assert 0.1 < shares[0] < 0.3
    assert 0.25 < shares[1] < 0.55


def test_without_it_they_do_not() -> None:
    plain = fit_tiny(orders(), COLUMNS, num_bins=32, epochs=2, copula=False)
    assert (after(plain.sample(1_000), 'sent') > MOST['sent']).mean() > 0.2


@pytest.mark.parametrize('known', [['sent'], ['received'], ['ordered', 'received']])
def test_dates_around_known_ones_are_near(synthesizer: TabDARSynthesizer, known: list[str]) -> None:
    asked = orders(600, 1)
    asked = asked[asked['state'] == 'returned'].reset_index(drop=True)
    rows = synthesizer.sample_remaining_columns(asked[['state', *known]])
    pd.testing.assert_frame_equal(rows[known], asked[known])
    check(rows, share=0.08)


def test_dates_are_filled_near_those_of_their_rows(synthesizer: TabDARSynthesizer) -> None:
    asked = orders().head(600)
    asked = asked[asked['state'] != 'open'].reset_index(drop=True)
    rows = synthesizer.impute(asked.assign(sent=pd.NaT))
    days = after(rows, 'sent')
    assert (days > MOST['sent']).mean() < 0.04
    assert ((rows['received'] - rows['sent']).dt.days.dropna() >= 0).all()


def test_a_condition_has_dates_near_it(synthesizer: TabDARSynthesizer) -> None:
    sent = pd.Timestamp('2024-02-29')
    rows = synthesizer.sample_from_conditions([Condition({'sent': sent}, num_rows=100)])
    assert (rows['sent'] == sent).all()
    assert ((sent - rows['ordered']).dt.days.dropna().between(0, 3)).mean() > 0.9


def test_likelihoods_tell_near_dates_from_others(synthesizer: TabDARSynthesizer) -> None:
    rows = orders(200, 3)
    early = rows['received'] < pd.Timestamp('2024-10-01')
    rows = rows[(rows['state'] == 'received') & early].reset_index(drop=True)
    late = rows.assign(received=rows['received'] + pd.Timedelta(days=60))
    near, far = synthesizer.log_likelihood(rows), synthesizer.log_likelihood(late)
    assert np.median(near) > np.median(far) + 2


def test_a_file_keeps_it(synthesizer: TabDARSynthesizer, tmp_path: Path) -> None:
    path = tmp_path / 'model.tabdar'
    synthesizer.save_safe(path)
    loaded = TabDARSynthesizer.load_safe(path)
    pd.testing.assert_frame_equal(loaded.sample(50, seed=5), synthesizer.sample(50, seed=5))
    assert "intervals of what 'sent' is more or less than 'ordered'" in str(describe(path))


def test_the_log_says_so(caplog: pytest.LogCaptureFixture) -> None:
    synthesizer = TabDARSynthesizer(make_metadata(COLUMNS), **TINY)
    with caplog.at_level(logging.INFO, logger='sdv_tabdar'):
        synthesizer.fit(orders(600))
    assert any('are never far from each other' in record.message for record in caplog.records)


def test_a_date_that_mostly_is_another_one_is_near_to_it_elsewhere() -> None:
    random = np.random.default_rng(1)
    ordered = pd.Timestamp('2022-01-01') + pd.to_timedelta(random.integers(0, 900, 1_500), 'D')
    sent = ordered + pd.to_timedelta(random.integers(2, 12, 1_500), 'D')
    billed = pd.Series(np.where(random.random(1_500) < 0.65, sent, ordered))
    billed -= pd.to_timedelta(np.where(billed == sent, 0, random.integers(0, 4, 1_500)), 'D')
    data = pd.DataFrame({'ordered': ordered, 'sent': sent, 'billed': billed})
    entries = {name: {'sdtype': 'datetime'} for name in data}
    rows = fit_tiny(data, entries, num_bins=32, epochs=2).sample(1_000)
    days = (rows['ordered'] - rows['billed'])[rows['billed'] != rows['sent']].dt.days
    assert 0.2 < len(days) / 1_000 < 0.5
    assert days.between(-12, 5).mean() > 0.9
