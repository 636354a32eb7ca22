"""The exact laws against what is left of many rows of the tables' own laws, and the distances."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from sdv_tabdar.benchmark import known_tables as known
from sdv_tabdar.benchmark import laws
from sdv_tabdar.benchmark.laws import (
    Case,
    Check,
    Law,
    compare,
    kolmogorov_bound,
    most_beyond,
    variation_bound,
)
from sdv_tabdar.conditions import Between, NotNull, OneOf

ROWS = 2**16
# So narrow a window around a number stands for the number.
WINDOW = 0.1


@pytest.fixture(scope='module')
def tables() -> Mapping[str, known.KnownTable]:
    """The tables with so many rows that what meets a condition shows its law."""
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
def test_laws_are_those_of_the_rows_that_meet_the_condition(
    name: str, tables: Mapping[str, known.KnownTable]
) -> None:
    table = tables[name]
    scales = table.frame.std(numeric_only=True)
    for case in table.cases:
        if isinstance(case.given, pd.DataFrame) or (case.kind, name) == ('set', 'gaussian'):
            continue
        rows = meeting(table.frame, case.given, scales)
        assert len(rows) >= 50, case.given
        for columns, law in case.laws.items():
            if isinstance(columns, str) and isinstance(case.given.get(columns), OneOf):
                continue
            for check in compare(rows, columns, law):
                # A window is no point, and a quasi-random table no draw of the law.
                assert check.distance < check.bound + 0.01, (case.given, columns, check)


def test_a_set_of_spikes_has_the_masses_of_the_spikes(
    tables: Mapping[str, known.KnownTable],
) -> None:
    law = known.SPIKED.law({'x': OneOf([0.0, 20.0])}, 'x')
    assert law.masses == pytest.approx({0.0: 0.6 / 0.9, 20.0: 0.3 / 0.9})
    frame = tables['spiked'].frame
    share = (frame['x'] == 0).sum() / frame['x'].isin([0, 20]).sum()
    assert law.masses[0.0] == pytest.approx(share, abs=1e-3)
    # No value within the set is anything else.
    [check] = compare(pd.DataFrame({'x': [0.0, 0.0, 20.0]}), 'x', law)
    assert check.distance == pytest.approx(0, abs=1e-9)


def test_a_set_of_numbers_has_their_densities() -> None:
    [case] = [case for case in known.gaussian_table(64, 10).cases if case.kind == 'set']
    masses = case.laws['x'].masses
    assert masses[13.0] / masses[10.0] == pytest.approx(np.exp(-0.5))


def test_residuals_of_many_values_are_standard_normal(
    tables: Mapping[str, known.KnownTable],
) -> None:
    [case] = [c for c in tables['gaussian'].cases if isinstance(c.given, pd.DataFrame)]
    assert list(case.given.columns) == ['x', 'w']
    assert case.derive is not None
    residuals = case.derive(tables['gaussian'].frame)
    [check] = compare(residuals, 'y', case.laws['y'])
    assert check.distance < 0.005


def test_training_tables_lie_evenly_on_their_law(tables: Mapping[str, known.KnownTable]) -> None:
    frame = tables['gaussian'].frame
    law = stats.norm(known.MEANS[0], known.SCALES[0])
    assert stats.kstest(frame['x'], law.cdf).statistic < 1e-3
    assert frame.corr().to_numpy() == pytest.approx(known.CORRELATION, abs=1e-3)
    missing = tables['spiked'].frame.groupby('g')['y'].apply(lambda column: column.isna().mean())
    assert missing.to_dict() == pytest.approx({'p': 0.6, 'q': 0.1}, abs=1e-3)
    again = known.known_tables(256, 10)
    assert again['discrete'].frame.equals(known.known_tables(256, 10)['discrete'].frame)


def rejections(law: Law, draw: Any, size: int) -> float:
    generator = np.random.default_rng(0)
    checks = [compare(pd.DataFrame({'x': draw(generator, size)}), 'x', law) for _ in range(200)]
    return float(np.mean([not check.within for found in checks for check in found]))


def test_draws_of_the_law_itself_are_beyond_the_bound_once_in_a_hundred(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(laws, 'SIMULATIONS', 1_000)
    normal = Law(cdf=stats.norm.cdf)
    assert 0 <= rejections(normal, lambda rng, n: rng.normal(size=n), 200) < 0.03
    coins = Law({'a': 0.7, 'b': 0.3})
    share = rejections(coins, lambda rng, n: rng.choice(['a', 'b'], n, p=[0.7, 0.3]), 200)
    assert 0 <= share < 0.03


def test_outcomes_the_law_does_not_have_count_as_distance() -> None:
    law = Law({'a': 0.5, 'b': 0.5})
    [check] = compare(pd.DataFrame({'x': ['a', 'b', 'c', None]}), 'x', law)
    assert check == Check('TV', 4, 0.5, variation_bound([0.5, 0.5, 0.0], 4))
    assert compare(pd.DataFrame({'x': ['a']}), 'x', Law({'a': 1.0})) == []


def test_missing_cells_and_tuples_are_outcomes() -> None:
    rows = pd.DataFrame({'x': ['a', None], 'y': [np.nan, 2.0]})
    [check] = compare(rows, ('x', 'y'), Law({('a', None): 0.5, (None, 2.0): 0.5}))
    assert check.distance == 0


def test_few_numbers_have_no_distance() -> None:
    rows = pd.DataFrame({'x': [0.0] * 60 + [1.0] * 40})
    [check] = compare(rows, 'x', Law({0.0: 0.6}, stats.norm.cdf))
    assert (check.statistic, check.distance) == ('TV', pytest.approx(0, abs=1e-9))


def test_bounds_and_chances() -> None:
    assert kolmogorov_bound(1000) == pytest.approx(1.63 / 1000**0.5, rel=0.01)
    # Of a fair coin: half of the 99 % quantile of the absolute deviation.
    assert variation_bound([0.5, 0.5], 10_000) == pytest.approx(2.576 * 0.5 / 100, rel=0.05)
    assert [most_beyond(checks) for checks in (1, 10, 100)] == [0, 1, 4]
    assert Case('value', {}, {}).derive is None
