"""Fields and decimals are told by the first lines of a file, and commas otherwise."""

from __future__ import annotations

import io
from pathlib import Path

import pandas as pd
import pytest

from sdv_tabdar.cli.csv_cells import read_csv
from sdv_tabdar.cli.separators import Separators


@pytest.mark.parametrize('sign', [';', '\t', '|', ','])
def test_the_first_line_tells_what_is_between_fields(sign: str) -> None:
    text = 'a,"b c",d\n1,"x, y",0.5\n2,z,\n'.replace(',', sign).replace(f'x{sign} y', 'x, y')
    rows = read_csv(io.StringIO(text), {})
    assert [*rows] == ['a', 'b c', 'd']
    assert rows['b c'].tolist() == ['x, y', 'z']
    assert rows['a'].dtype == 'int64'
    assert rows['d'].iloc[0] == 0.5


@pytest.mark.parametrize(
    ('lines', 'expected'),
    [
        (['a;b', '1;2,5', ';-3,25'], Separators(';', ',')),
        (['a;b', '1;2,5', '1.5;3'], Separators(';', '.')),
        (['a;b', '1;2.5'], Separators(';', '.')),
        (['a\tb', '"1,5"\t2'], Separators('\t', ',')),
        (['a,b', '1,"2,5"'], Separators()),
        (['a;b', 'no such sign'], Separators()),  # a name, of one column
        (['a;b'], Separators(';')),
        (['alone', '1', '2'], Separators()),
        (['a;b,c', '1,2'], Separators()),
        ([], Separators()),
    ],
)
def test_decimals_have_commas_where_no_number_has_a_point(
    lines: list[str], expected: Separators, tmp_path: Path
) -> None:
    text = ''.join(f'{line}\n' for line in lines)
    opened = io.StringIO(text)
    assert Separators.of(opened) == expected
    assert opened.read() == text
    file = tmp_path / 'rows.csv'
    file.write_text(text)
    assert Separators.of(str(file)) == expected


def test_numbers_with_decimal_commas_are_numbers() -> None:
    rows = read_csv(io.StringIO('price;zip;count\n2,50;01234;3\n;20095;\n'), {})
    expected = pd.DataFrame(
        {
            'price': [2.5, None],
            'zip': ['01234', '20095'],
            'count': pd.array([3, None], dtype='Int64'),
        }
    )
    pd.testing.assert_frame_equal(rows, expected)
