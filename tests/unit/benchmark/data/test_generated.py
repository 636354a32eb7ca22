"""Generated tables."""

from __future__ import annotations

import pandas as pd
import pytest

from sdv_tabdar.benchmark.data import generated


def test_generated_tables() -> None:
    table = generated.make_table(1000, 4, levels=300)
    assert list(table.columns) == ['levels', 'number_0', 'category_1', 'number_2', 'category_3']
    assert table['levels'].nunique() == 300
    assert table['category_1'].nunique() == generated.FEW_LEVELS
    assert abs(table['number_0'].corr(table['number_2'])) > 0.3
    assert table.equals(generated.make_table(1000, 4, levels=300))
    assert 'levels' not in generated.make_table(10, 2)
    with pytest.raises(ValueError, match='Each of the 11 levels must occur, which 10 rows'):
        generated.make_table(10, 2, levels=11)


def test_unique_numbers() -> None:
    table = generated.unique_numbers(500)
    assert table['number_unique'].is_unique
    assert table['category_1'].nunique() == 4
    sdtypes = generated.metadata_of(table).tables[generated.TABLE].columns
    assert sdtypes['number_unique']['sdtype'] == 'numerical'


def test_tied_numbers_follow_their_law() -> None:
    rows = generated.tied_numbers(4_000, seed=1)
    apart = rows['number_y'] - rows['number_x']
    assert abs(apart.std() - 0.02) < 0.001
    assert abs(rows['number_x'].std() - 1) < 0.05
    pd.testing.assert_frame_equal(rows, generated.tied_numbers(4_000, seed=1))
