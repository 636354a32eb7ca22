"""The exact distributions against what is left of many rows of the known tables."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from sdv_tabdar.benchmark.data.distributions import compare
from sdv_tabdar.benchmark.data.hard_tables import HARD_TABLES
from sdv_tabdar.benchmark.data.known_tables import COLUMNS, GAUSSIAN, KNOWN_TABLES, SPIKED
from sdv_tabdar.benchmark.data.named_tables import known_table
from sdv_tabdar.conditions import Between, NotNull, OneOf

ROWS = 2**15
# So narrow a window around a number stands for the number.
WINDOW = 0.1


def meeting(frame: pd.DataFrame, given: Mapping[str, object], scales: pd.Series) -> pd.DataFrame:
    kept = np.ones(len(frame), dtype=bool)
    for name, cell in given.items():
        column = frame[name]
        if isinstance(cell, NotNull):
            kept &= column.notna()
        elif isinstance(cell, Between):
            low = -np.inf if cell.low is None else cell.low
            kept &= column.between(low, np.inf if cell.high is None else cell.high)
        elif isinstance(cell, OneOf):
            kept &= column.isin([value for value in cell.values if value is not None]) | (
                column.isna() & (None in cell.values)
            )
        elif cell is None:
            kept &= column.isna()
        elif isinstance(cell, float) and not (column == cell).any():
            kept &= (column - cell).abs() < WINDOW * scales[name]
        else:
            kept &= column == cell
    return frame[kept]


@pytest.mark.parametrize('name', [*KNOWN_TABLES, 'chequerboard', 'parity'])
def test_distributions_are_those_of_the_rows_that_meet_the_condition(name: str) -> None:
    table = known_table(name)
    frame = table.mixture.table(ROWS)
    scales = frame.std(numeric_only=True)
    for case in table.cases(200):
        if isinstance(case.given, pd.DataFrame) or (case.kind, name) == ('set', 'gaussian'):
            continue
        rows = meeting(frame, case.given, scales)
        assert len(rows) >= 30, case.given
        for column, distribution in case.distributions.items():
            for check in compare(rows[column], distribution):
                # A window is no point, and a quasi-random table no draw of the distribution.
                assert check.distance < check.bound + 0.01, (case.given, column, check)


def test_a_set_of_numbers_has_their_densities_and_a_set_of_spikes_their_masses() -> None:
    masses = GAUSSIAN.mixture.distribution({'x': OneOf([10.0, 13.0])}, 'x').masses
    assert masses[13.0] / masses[10.0] == pytest.approx(np.exp(-0.5))
    distribution = SPIKED.mixture.distribution({'x': OneOf([0.0, 20.0])}, 'x')
    assert distribution.masses == pytest.approx({0.0: 0.6 / 0.9, 20.0: 0.3 / 0.9})
    # No value within the set is anything else.
    [check] = compare(pd.Series([0.0, 0.0, 20.0]), distribution)
    assert check.distance == pytest.approx(0, abs=1e-9)


def test_ranks_of_many_values_are_uniform() -> None:
    [case] = [c for c in GAUSSIAN.cases(200) if isinstance(c.given, pd.DataFrame)]
    assert case.given.shape == (200, 2)
    assert case.derive is not None
    ranks = case.derive(GAUSSIAN.mixture.table(2**12))
    [check] = compare(ranks['y'], case.distributions['y'])
    assert check.distance < 0.01


def test_the_mixture_of_normals_is_a_normal_distribution() -> None:
    frame = GAUSSIAN.mixture.table(ROWS)
    loads = np.array([load for _, _, load in COLUMNS.values()])
    expected = np.outer(loads, loads) + np.diag(1 - loads**2)
    assert frame.corr().to_numpy() == pytest.approx(expected, abs=5e-3)
    places = np.linspace(-3, 25, 50)
    cdf = GAUSSIAN.mixture.distribution({}, 'x').cdf
    assert cdf is not None
    assert cdf(places) == pytest.approx(stats.norm.cdf(places, 10, 3), abs=1e-9)
    given = GAUSSIAN.mixture.distribution({'x': 16.0}, 'y').cdf
    assert given is not None
    spread = 0.5 * np.sqrt(1 - (0.95 * 0.85) ** 2)
    mean = -2 + 0.5 * 0.95 * 0.85 * 2
    assert given(places) == pytest.approx(stats.norm.cdf(places, mean, spread), abs=1e-9)


def test_training_tables_are_the_same_every_time() -> None:
    frame = SPIKED.mixture.table(2**12)
    missing = frame.groupby('g')['y'].apply(lambda column: column.isna().mean())
    assert missing.to_dict() == pytest.approx({'p': 0.6, 'q': 0.1}, abs=5e-3)
    assert frame.equals(SPIKED.mixture.table(2**12))


@pytest.mark.parametrize('name', [*KNOWN_TABLES, *HARD_TABLES])
def test_rows_are_as_likely_as_their_entropy_says(name: str) -> None:
    known = known_table(name)
    logs = known.mixture.log_density(known.mixture.table(8192, seed=1))
    assert -logs.mean() == pytest.approx(known.entropy, abs=0.01)
