"""Columns and schemas know their codes, positions and names."""

from __future__ import annotations

import pytest

from sdv_tabdar.core.schema import Column, ColumnKind, TableSchema


@pytest.fixture
def schema() -> TableSchema:
    return TableSchema(
        (
            Column('a', ColumnKind.CATEGORICAL, (5, 3)),
            Column('b', ColumnKind.NUMERICAL, (4, 2, 2), bins=range(1, 2), missing=2),
            Column('c', ColumnKind.NUMERICAL, (8,), bins=range(1)),
        )
    )


def test_number_of_codes_is_the_number_of_counts(schema: TableSchema) -> None:
    assert [column.num_codes for column in schema.columns] == [2, 3, 1]


def test_names_and_numerical_positions_follow_the_order(schema: TableSchema) -> None:
    assert schema.names == ('a', 'b', 'c')
    assert schema.numerical == (1, 2)


def test_position_of_a_name(schema: TableSchema) -> None:
    assert [schema.position(name) for name in 'abc'] == [0, 1, 2]


def test_unknown_name_is_an_error_that_lists_the_columns(schema: TableSchema) -> None:
    with pytest.raises(ValueError, match=r"no column 'd' .* \['a', 'b', 'c'\]"):
        schema.position('d')


def test_kinds_are_the_words_of_sdv() -> None:
    assert [kind.value for kind in ColumnKind] == ['numerical', 'categorical']


def test_a_column_comes_back_from_its_state(schema: TableSchema) -> None:
    uniform = Column('d', ColumnKind.NUMERICAL, (1, 2), range(1), ((0.0, 0.25), (0.25, 1.0)))
    for column in (*schema.columns, uniform):
        state = column.to_state()
        assert {type(value) for value in state.values()} <= {str, list, int, type(None)}
        assert Column.from_state(state) == column
