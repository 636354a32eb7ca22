"""Orders between columns are found where they hold in all rows and say something."""

from __future__ import annotations

import numpy as np
import pandas as pd

from sdv_tabdar.adapter.advice import noted_orders
from sdv_tabdar.adapter.relations import orders_in

from .conftest import profile_of

N = 400
RANDOM = np.random.default_rng(3)
LOW = RANDOM.normal(50, 10, N).round(1)


def orders(data: pd.DataFrame, sdtypes: dict[str, str] | None = None) -> list[tuple[str, str]]:
    """The orders in a table of numbers, or of columns of the given sdtypes."""
    given = sdtypes or {}
    profiles = {name: profile_of(data[name], given.get(name, 'numerical')) for name in data}
    plain = pd.DataFrame({name: profiles[name].column.plain(data[name]) for name in data})
    return orders_in(plain, profiles)


def test_an_order_holds_in_all_rows_that_have_both_numbers() -> None:
    high = np.where(np.arange(N) % 5 == 0, np.nan, LOW + RANDOM.exponential(5, N))
    data = pd.DataFrame({'high': high, 'low': LOW, 'other': RANDOM.normal(50, 10, N)})
    assert orders(data) == [('low', 'high')]
    data.loc[1, 'high'] = data.loc[1, 'low'] - 0.1
    assert orders(data) == []


def test_dates_are_compared_with_dates() -> None:
    start = pd.Timestamp('2024-01-01') + pd.to_timedelta(RANDOM.integers(0, 300, N), unit='D')
    end = start + pd.to_timedelta(RANDOM.integers(0, 30, N), unit='D')
    data = pd.DataFrame({'start': start, 'end': end, 'amount': LOW})
    assert orders(data, {'start': 'datetime', 'end': 'datetime'}) == [('start', 'end')]


def test_what_is_so_by_itself_or_by_other_orders_is_not_told() -> None:
    middle = LOW + RANDOM.exponential(5, N)
    chain = pd.DataFrame({'low': LOW, 'middle': middle, 'high': middle + RANDOM.exponential(5, N)})
    assert orders(chain) == [('low', 'middle'), ('middle', 'high')]
    apart = pd.DataFrame({'age': RANDOM.integers(18, 90, N), 'pay': RANDOM.integers(900, 9000, N)})
    assert orders(apart.astype(float)) == []


def test_the_note_names_the_constraint() -> None:
    data = pd.DataFrame({'low': LOW, 'high': LOW + RANDOM.exponential(5, N)})
    profiles = {name: profile_of(data[name], 'numerical') for name in data}
    plain = pd.DataFrame({name: profiles[name].column.plain(data[name]) for name in data})
    note = noted_orders(plain, profiles, ())
    assert note is not None
    assert "'low' <= 'high'" in note
    assert "Inequality(low_column_name='low', high_column_name='high')" in note
    assert noted_orders(plain, profiles, {'low'}) is None
