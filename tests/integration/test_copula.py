"""Numbers that nearly follow from others do so in drawn, conditioned and completed rows."""

from __future__ import annotations

import logging
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sdv.errors import SynthesizerInputError
from sdv.sampling import Condition

from sdv_tabdar import Between, TabDARSynthesizer
from sdv_tabdar.files.describe import describe

from .conftest import fit_tiny, make_metadata

N = 1_500
COLUMNS = {name: {'sdtype': 'numerical'} for name in ('first', 'second', 'third', 'alone')}
COLUMNS['kind'] = {'sdtype': 'categorical'}


def gauges(size: int = N, seed: int = 0) -> pd.DataFrame:
    """Two gauges of one thing, what falls with it, and two columns of their own."""
    random = np.random.default_rng(seed)
    number = np.exp(random.normal(size=size))
    second = number * np.exp(0.01 * random.normal(size=size))
    return pd.DataFrame(
        {
            'first': number.round(5),
            'second': pd.Series(second.round(5)).mask(random.random(size) < 0.1),
            'third': (10 / number * np.exp(0.02 * random.normal(size=size))).round(4),
            'alone': random.normal(size=size).round(3),
            'kind': random.choice(['a', 'b', 'c'], size),
        }
    )


def off(rows: pd.DataFrame) -> float:
    """By what share of it the second gauge is off the first one, in the middle."""
    return float(np.log(rows['second'] / rows['first']).abs().median())


@pytest.fixture(scope='module')
def synthesizer() -> TabDARSynthesizer:
    return fit_tiny(gauges(), COLUMNS, num_bins=32, epochs=6)


def test_drawn_rows_are_as_near_as_those_of_the_table(synthesizer: TabDARSynthesizer) -> None:
    rows = synthesizer.sample(1_000)
    assert off(rows) < 3 * off(gauges())
    assert float(np.log(rows['third'] * rows['first'] / 10).abs().median()) < 0.06
    assert 0.05 < rows['second'].isna().mean() < 0.2


def test_without_it_a_network_takes_longer() -> None:
    plain = fit_tiny(gauges(), COLUMNS, num_bins=32, epochs=6, copula=False)
    assert off(plain.sample(1_000)) > 10 * off(gauges())


@pytest.mark.parametrize(('given', 'other'), [('first', 'second'), ('second', 'first')])
def test_either_is_told_by_the_other(
    synthesizer: TabDARSynthesizer, given: str, other: str
) -> None:
    rows = synthesizer.sample_from_conditions([Condition({given: 1.25}, num_rows=100)])
    assert (rows[given] == 1.25).all()
    assert float(np.log(rows[other] / 1.25).abs().median()) < 0.03


def test_ranges_and_sets_are_met(synthesizer: TabDARSynthesizer) -> None:
    conditions = Condition({'first': 2.0, 'second': Between(1.9, 1.97)}, num_rows=50)
    rows = synthesizer.sample_from_conditions([conditions])
    assert rows['second'].between(1.9, 1.97).all()
    both = Condition({'first': Between(0.5, 0.6), 'second': Between(0.5, 0.6)}, num_rows=50)
    rows = synthesizer.sample_from_conditions([both])
    assert rows[['first', 'second']].map(lambda value: 0.5 <= value <= 0.6).to_numpy().all()


def test_gaps_are_filled_by_it(synthesizer: TabDARSynthesizer) -> None:
    real = gauges().head(300).dropna(ignore_index=True)
    known = np.random.default_rng(0).random((len(real), 2)) < 0.5
    gaps = real.copy()
    gaps[['first', 'second']] = gaps[['first', 'second']].where(known)
    filled = synthesizer.impute(gaps)
    one = known.sum(axis=1) == 1
    assert float(np.log(filled['first'] / real['first'])[one].abs().median()) < 0.03
    drawn = synthesizer.impute(gaps, num_samples=1)
    assert float(np.log(drawn['first'] / real['first'])[one].abs().median()) < 0.03


def test_rows_that_fit_are_likelier(synthesizer: TabDARSynthesizer) -> None:
    rows = gauges(100, seed=3)
    wrong = rows.assign(second=rows['second'].sample(frac=1, random_state=0).to_numpy())
    fits, does_not = (np.median(synthesizer.log_likelihood(part)) for part in (rows, wrong))
    assert fits > does_not + 2


def test_a_file_keeps_and_tells_it(synthesizer: TabDARSynthesizer, tmp_path: Path) -> None:
    path = tmp_path / 'gauges.tabdar'
    synthesizer.save_safe(path)
    again = TabDARSynthesizer.load_safe(path)
    pd.testing.assert_frame_equal(again.sample(200, seed=1), synthesizer.sample(200, seed=1))
    description = describe(path)
    assert list(description.tied) == ['first', 'second', 'third']
    assert "correlations of the ranks of ['first', 'second', 'third']" in str(description)


def test_going_on_goes_on_with_it(tmp_path: Path, synthesizer: TabDARSynthesizer) -> None:
    synthesizer.save_safe(tmp_path / 'gauges.tabdar')
    again = TabDARSynthesizer.load_safe(tmp_path / 'gauges.tabdar')
    again.fit(gauges(400, seed=4), warm_start=True)
    assert off(again.sample(500)) < 3 * off(gauges())


@pytest.mark.parametrize(
    'settings', [{'attention': 'causal'}, {'num_members': 2}, {'column_order': 'fixed'}]
)
def test_other_networks_have_it_too(settings: dict[str, object]) -> None:
    rows = fit_tiny(gauges(), COLUMNS, num_bins=32, epochs=6, **settings).sample(500)
    assert off(rows) < 0.03


def test_it_is_said(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        fit_tiny(gauges(), COLUMNS, num_bins=32)
    assert "'first', 'second', 'third' nearly follow from others" in caplog.text


def test_a_switch_is_true_or_false() -> None:
    with pytest.raises(SynthesizerInputError, match='copula must be True or False'):
        TabDARSynthesizer(make_metadata(COLUMNS), copula='yes')
