"""Tables on their way in."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from sdv.errors import InvalidDataError, InvalidDataTypeError
from sdv.sampling import Condition, DataFrameCondition

from sdv_tabdar.adapter.tables import (
    check_finite,
    condition_frames,
    plain_tables,
    single_table,
    with_text_labels,
)
from sdv_tabdar.synthesizer import TabDARSynthesizer

FRAME = pd.DataFrame({'x': [1.0]})


def test_a_frame_or_a_dictionary_of_one() -> None:
    assert single_table(FRAME, 'table') is FRAME
    assert single_table({'table': FRAME}, 'table') is FRAME


@pytest.mark.parametrize(
    ('data', 'message'),
    [
        ([FRAME], r"a DataFrame of pandas or \{'table': DataFrame\}, however: list\.$"),
        (pa.Table.from_pandas(FRAME), r'however: pyarrow\.Table\. Give what its to_pandas\(\) ret'),
        (FRAME.to_numpy(), r'however: numpy\.ndarray\.$'),
        ({'other': FRAME}, r"named 'table' as in the metadata, however: tables \['other'\]"),
        ({'table': [1]}, "Table 'table' must be a DataFrame of pandas, however: list"),
    ],
)
def test_anything_else_is_refused(data: Any, message: str) -> None:
    with pytest.raises(InvalidDataTypeError, match=message):
        single_table(data, 'table')


def test_infinite_numbers_are_named() -> None:
    frame = pd.DataFrame({'x': [1.0, float('inf')], 'y': [float('-inf')] * 2}, index=['r', 's'])
    columns = {name: {'sdtype': 'numerical'} for name in 'xy'}

    with pytest.raises(InvalidDataError, match="'x' has 1 infinite values .first in row 's'.") as e:
        check_finite(frame, columns)
    assert "'y' has 2 infinite values" in str(e.value)


def test_a_table_without_rows_is_refused(synthesizer: TabDARSynthesizer) -> None:
    with pytest.raises(InvalidDataError, match="Table 'table' has no rows"):
        plain_tables(synthesizer, FRAME.head(0))


def test_conditions_over_the_same_columns_come_together() -> None:
    frames = condition_frames(
        [
            Condition({'x': 1}, num_rows=2),
            Condition({'y': (1, 2)}),
            DataFrameCondition(pd.DataFrame({'x': [3]})),
        ]
    )

    assert [frame.to_dict('list') for frame in frames] == [{'x': [1, 1, 3]}, {'y': [(1, 2)]}]


def test_a_condition_needs_a_number_of_rows() -> None:
    for number in (True, None):
        condition = Condition({'a': 1})
        condition.num_rows = number
        with pytest.raises(ValueError, match='no whole number of rows'):
            condition_frames([condition])


def test_conditions_on_two_columns_of_one_name_are_refused() -> None:
    twice = pd.DataFrame([[1, 2]], columns=['x', 'x'])

    with pytest.raises(InvalidDataError, match=r"\['x'\] occur more than once"):
        condition_frames([DataFrameCondition(twice)])


def test_labels_are_text_to_sdv() -> None:
    assert list(with_text_labels(pd.DataFrame({0: [1]}))) == ['0']
