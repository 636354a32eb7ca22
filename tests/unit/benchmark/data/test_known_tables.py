"""The exact distributions against what is left of many rows of the known tables."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from sdv_tabdar.benchmark.data import known_tables as known
from sdv_tabdar.benchmark.data.distributions import compare
from sdv_tabdar.conditions import Between, NotNull, OneOf

ROWS = 2**16
# So narrow a window around a number stands for the number.
WINDOW = 0.1


@pytest.fixture(scope='module')
def tables() -> Mapping[str, known.KnownTable]:
    """The tables with so many rows that what meets a condition shows its distribution."""
    return known.known_tables(ROWS, 200)


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


@pytest.mark.parametrize('name', ['gaussian', 'discrete', 'spiked'])
def test_distributions_are_those_of_the_rows_that_meet_the_condition(
    name: str, tables: Mapping[str, known.KnownTable]
) -> None:
    table = tables[name]
    scales = table.frame.std(numeric_only=True)
    for case in table.cases:
        if isinstance(case.given, pd.DataFrame) or (case.kind, name) == ('set', 'gaussian'):
            continue
        rows = meeting(table.frame, case.given, scales)
        assert len(rows) >= 50, case.given
        for columns, distribution in case.distributions.items():
            if isinstance(columns, str) and isinstance(case.given.get(columns), OneOf):
                continue
            for check in compare(rows, columns, distribution):
                # A window is no point, and a quasi-random table no draw of the distribution.
                assert check.distance < check.bound + 0.01, (case.given, columns, check)


def test_a_set_of_numbers_has_their_densities() -> None:
    [case] = [case for case in known.gaussian_table(64, 10).cases if case.kind == 'set']
    masses = case.distributions['x'].masses
    assert masses[13.0] / masses[10.0] == pytest.approx(np.exp(-0.5))


def test_residuals_of_many_values_are_standard_normal(
    tables: Mapping[str, known.KnownTable],
) -> None:
    [case] = [c for c in tables['gaussian'].cases if isinstance(c.given, pd.DataFrame)]
    assert list(case.given.columns) == ['x', 'w']
    assert case.derive is not None
    residuals = case.derive(tables['gaussian'].frame)
    [check] = compare(residuals, 'y', case.distributions['y'])
    assert check.distance < 0.005


def test_training_tables_lie_evenly_on_their_distribution(
    tables: Mapping[str, known.KnownTable],
) -> None:
    frame = tables['gaussian'].frame
    distribution = stats.norm(known.MEANS[0], known.SCALES[0])
    assert stats.kstest(frame['x'], distribution.cdf).statistic < 1e-3
    assert frame.corr().to_numpy() == pytest.approx(known.CORRELATION, abs=1e-3)
    missing = tables['spiked'].frame.groupby('g')['y'].apply(lambda column: column.isna().mean())
    assert missing.to_dict() == pytest.approx({'p': 0.6, 'q': 0.1}, abs=1e-3)
    again = known.known_tables(256, 10)
    assert again['discrete'].frame.equals(known.known_tables(256, 10)['discrete'].frame)
