"""Rows come back from a CSV file as the training table would hold them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.benchmark.methods.exchange import read_filled, read_rows, write_rows


def test_round_trip_is_exact(tmp_path: Path) -> None:
    generator = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            'whole': generator.integers(-5, 5, 50),
            'number': generator.normal(size=50) * 10.0 ** generator.integers(-20, 20, 50),
            'text': generator.choice(['1', '2', 'more', 'NA'], 50),
            'flag': generator.choice([True, False], 50),
        }
    )
    table.loc[3, 'number'] = np.nan
    table.loc[4, 'text'] = np.nan
    write_rows(table, tmp_path / 'rows.csv.gz')
    pd.testing.assert_frame_equal(read_rows(tmp_path / 'rows.csv.gz', table), table)


def test_texts_of_digits_stay_texts_and_columns_are_put_in_order(tmp_path: Path) -> None:
    like = pd.DataFrame({'doors': ['2', '4', '5more'], 'size': [1, 2, 3]})
    rows = pd.DataFrame({'size': [2.0, 3.0], 'extra': [0, 0], 'doors': [4, 2]})
    write_rows(rows, tmp_path / 'rows.csv')
    found = read_rows(tmp_path / 'rows.csv', like)
    assert found.to_dict('list') == {'doors': ['4', '2'], 'size': [2, 3]}
    assert found['size'].dtype == like['size'].dtype


def test_a_column_of_whole_numbers_may_come_back_with_fractions_or_gaps(tmp_path: Path) -> None:
    like = pd.DataFrame({'a': [1, 2], 'b': [1, 2], 'c': [1, 2]})
    rows = pd.DataFrame({'a': [1.5, 2.0], 'b': [np.nan, 2.0], 'c': [np.inf, 2.0]})
    write_rows(rows, tmp_path / 'rows.csv')
    pd.testing.assert_frame_equal(read_rows(tmp_path / 'rows.csv', like), rows)


def test_flags_with_gaps_stay_flags(tmp_path: Path) -> None:
    like = pd.DataFrame({'flag': [True, False, None], 'other': [1, 2, 3]}, dtype=object)
    write_rows(like.iloc[::-1], tmp_path / 'rows.csv')
    assert read_rows(tmp_path / 'rows.csv', like)['flag'].tolist()[1:] == [False, True]


def test_unreadable_rows_are_named(tmp_path: Path) -> None:
    like = pd.DataFrame({'a': [1, 2], 'b': [1, 2]})
    with pytest.raises(FileNotFoundError, match='There is no file'):
        read_rows(tmp_path / 'rows.csv', like)
    (tmp_path / 'rows.csv').write_text('a\n1\n')
    with pytest.raises(ValueError, match=r"lack the columns \['b'\]"):
        read_rows(tmp_path / 'rows.csv', like)
    (tmp_path / 'rows.csv').write_text('a,b\n1,many\n')
    with pytest.raises(ValueError, match=r"Column 'b' .* must hold numbers"):
        read_rows(tmp_path / 'rows.csv', like)


def test_filled_rows_keep_what_was_known(tmp_path: Path) -> None:
    like = pd.DataFrame({'number': [1.5, 2.5], 'code': [1, 2]})
    gaps = pd.DataFrame({'number': [1.5, np.nan], 'code': pd.Series([None, 2], dtype=object)})
    path = tmp_path / 'filled.csv'
    write_rows(pd.DataFrame({'number': [1.5, 7.0], 'code': [1, 2]}), path)
    assert read_filled(path, gaps, like).to_dict('list') == {'number': [1.5, 7.0], 'code': [1, 2]}
    for changed, message in (
        ({'number': [9.0, 7.0], 'code': [1, 2]}, "Column 'number' in .* has other values where"),
        ({'number': [1.5, 7.0], 'code': [1, 1]}, "Column 'code' in .* has other values where"),
        ({'number': [1.5], 'code': [1]}, 'must have the 2 rows that were to be filled'),
    ):
        write_rows(pd.DataFrame(changed), path)
        with pytest.raises(ValueError, match=message):
            read_filled(path, gaps, like)
