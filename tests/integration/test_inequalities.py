"""Numbers and dates that are in order in all training rows are so in what comes out."""

from __future__ import annotations

import logging
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from rdt.transformers.numerical import LogScaler
from sdv.cag import Inequality
from sdv.metadata import Metadata
from sdv.sampling import Condition

from sdv_tabdar import Between, TabDARSynthesizer
from sdv_tabdar.files.describe import describe

from .conftest import TINY

N = 300


def stays() -> pd.DataFrame:
    random = np.random.default_rng(0)
    start = pd.Timestamp('2025-01-01') + pd.to_timedelta(random.integers(0, 900, N), 'D')
    end = pd.Series(start + pd.to_timedelta(random.poisson(5, N), 'D'))
    end[::9] = pd.NaT
    paid = random.gamma(2, 50, N).round(2)
    bill = paid + random.gamma(1, 20, N).round(2)
    return pd.DataFrame({'end': end, 'start': start, 'bill': bill, 'paid': paid})


def fitted(**settings: object) -> TabDARSynthesizer:
    sdtypes = dict.fromkeys(('end', 'start'), 'datetime') | dict.fromkeys(
        ('bill', 'paid'), 'numerical'
    )
    columns = {name: {'sdtype': sdtype} for name, sdtype in sdtypes.items()}
    metadata = Metadata.load_from_dict({'tables': {'stays': {'columns': columns}}})
    synthesizer = TabDARSynthesizer(metadata, **TINY, **settings)
    synthesizer.fit(stays())
    return synthesizer


@pytest.fixture(scope='module')
def synthesizer() -> TabDARSynthesizer:
    return fitted()


def disorder(rows: pd.DataFrame) -> int:
    return int((rows['start'] > rows['end']).sum() + (rows['paid'] > rows['bill']).sum())


def test_rows_conditions_and_gaps(synthesizer: TabDARSynthesizer) -> None:
    assert disorder(synthesizer.sample(500)) == 0
    given = Condition({'end': '2025-03-01', 'bill': Between(40, 60)}, num_rows=100)
    rows = synthesizer.sample_from_conditions([given])
    assert disorder(rows) == 0
    assert (rows['end'] == pd.Timestamp('2025-03-01')).all()
    assert rows['bill'].between(40, 60).all()
    gaps = stays().mask(np.random.default_rng(1).random((N, 4)) < 0.5)
    filled = synthesizer.impute(gaps)
    assert disorder(filled) == 0
    assert filled[gaps.notna()].equals(gaps)


def test_a_file_keeps_and_tells_it(synthesizer: TabDARSynthesizer, tmp_path: Path) -> None:
    synthesizer.save_safe(tmp_path / 'stays.tabdar')
    again = TabDARSynthesizer.load_safe(tmp_path / 'stays.tabdar')
    assert disorder(again.sample(500)) == 0
    told = str(describe(tmp_path / 'stays.tabdar'))
    assert "that 'start' is never more than 'end'" in told
    assert "that 'paid' is never more than 'bill'" in told


def test_off_it_is_as_the_model_has_it(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        fitted()
    assert "'start' is never more than 'end'" in caplog.text
    assert disorder(fitted(inequalities=False, copula=False).sample(500)) > 50


def test_relations_are_told_of_the_columns_of_the_user(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    low = np.random.default_rng(0).normal(size=N).round(4)
    rise, other = np.random.default_rng(1).exponential(size=(2, N)).round(4)
    data = pd.DataFrame(
        {'low': low, 'high': low + rise, 'same': low, 'more': low + 0.5 + other, 'log': other}
    )
    columns = {name: {'sdtype': 'numerical'} for name in data}
    metadata = Metadata.load_from_dict({'tables': {'numbers': {'columns': columns}}})
    synthesizer = TabDARSynthesizer(metadata, **TINY)
    synthesizer.add_constraints([Inequality('low', 'high')])
    synthesizer.auto_assign_transformers(data)
    synthesizer.update_transformers({'log': LogScaler(learn_rounding_scheme=True)})
    with caplog.at_level(logging.INFO, 'sdv_tabdar'):
        synthesizer.fit(data)
    synthesizer.save_safe(tmp_path / 'numbers.tabdar')
    described = str(describe(tmp_path / 'numbers.tabdar')).splitlines()
    told = [line for line in [*caplog.messages, *described] if "' is " in line]

    assert "'same' is 'low' in all rows, and will be in drawn ones." in told
    assert "  that 'same' is 'low' in 300 rows" in told
    assert "  that 'low' is never more than 'more'" in told
    for made in ('fillna', '#', "'log'"):
        assert not any(made in line for line in told)


def test_rounding_puts_nothing_out_of_order() -> None:
    random = np.random.default_rng(0)
    least = random.gamma(2, 50, N).round(1)
    mean = least + random.exponential(0.1, N) * (random.random(N) < 0.7)
    start = pd.Timestamp('2025-01-01') + pd.to_timedelta(random.integers(0, 20, N), 'D')
    end = start + pd.to_timedelta(random.integers(0, 5_000, N), 's')
    data = pd.DataFrame({'least': least, 'mean': mean, 'end': end, 'start': start})
    sdtypes = {'least': 'numerical', 'mean': 'numerical', 'end': 'datetime', 'start': 'datetime'}
    columns = {name: {'sdtype': sdtype} for name, sdtype in sdtypes.items()}
    metadata = Metadata.load_from_dict({'tables': {'stays': {'columns': columns}}})
    synthesizer = TabDARSynthesizer(metadata, **TINY)
    synthesizer.fit(data)

    gaps = data.mask(random.random(data.shape) < 0.5)
    filled = synthesizer.impute(gaps)
    conditions = [Condition({'mean': 60.123456}, num_rows=50), Condition({'least': 70.1}, 50)]
    for rows in (
        synthesizer.sample(500),
        filled,
        synthesizer.sample_from_conditions(conditions),
    ):
        assert (rows['least'] <= rows['mean']).all()
        assert (rows['start'] <= rows['end']).all()
        assert (rows['least'] == rows['least'].round(1)).all()
        assert (rows['start'] == rows['start'].dt.normalize()).all()
    assert filled[gaps.notna()].equals(gaps)


def test_what_is_above_cannot_be_as_high_as_what_is_below() -> None:
    """Nobody who left late has paid yet, so that no payment is as late as the last ends."""
    random = np.random.default_rng(3)
    end = pd.Series(pd.Timestamp('2025-01-01') + pd.to_timedelta(random.integers(0, 900, N), 'D'))
    late = pd.to_timedelta(np.where(random.random(N) < 0.5, 0, random.integers(1, 50, N)), 'D')
    paid = (end + late).mask(end > end.quantile(0.8))
    table = pd.DataFrame({'end': end, 'paid': paid})
    columns = {name: {'sdtype': 'datetime'} for name in table}
    metadata = Metadata.load_from_dict({'tables': {'stays': {'columns': columns}}})
    synthesizer = TabDARSynthesizer(metadata, **TINY, structural_zeros=False)
    synthesizer.fit(table)
    rows = synthesizer.sample(2_000)
    assert (rows['end'] > paid.max()).any()
    assert not (rows['end'] > rows['paid']).any()
