"""The constraint by itself: sums exact in decimals, and which rows it refuses."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sdv.errors import SynthesizerInputError
from sdv.metadata import Metadata

from sdv_tabdar import FixedSum
from sdv_tabdar.adapter.private_names import ConstraintNotMetError

PARTS = ['a', 'b', 'c']


def metadata_of(*names: str) -> Metadata:
    columns = {name: {'sdtype': 'numerical'} for name in names}
    return Metadata.load_from_dict({'tables': {'table': {'columns': columns}}})


def fitted(rows: list[list[float]], **settings: Any) -> FixedSum:
    constraint = FixedSum(PARTS, **settings)
    names = constraint.column_names
    constraint.fit(pd.DataFrame(rows, columns=names, dtype=float), metadata_of(*names))
    return constraint


@pytest.mark.parametrize('seed', range(3))
def test_percentages_of_two_decimals_add_up_in_decimals(seed: int) -> None:
    constraint = fitted([[33.33, 33.33, 33.34], [0.25, 99.75, 0.0]], total=100)
    drawn = np.random.default_rng(seed).gamma(1, 30, (50, 3))
    drawn[::5, 1] = 0.0
    rows = constraint.reverse_transform(pd.DataFrame(drawn, columns=PARTS))

    for row in rows.to_numpy().tolist():
        assert sum(Decimal(repr(value)) for value in row) == 100
    assert (rows['b'].iloc[::5] == 0).all()
    assert (rows >= 0).all(axis=None)
    assert constraint.is_valid(rows).all()


def test_what_adds_up_stays() -> None:
    constraint = fitted([[1.5, 2.5, 6.0]], total=10)
    parts = np.array([[1.5, 2.5, 6.0], [0.0, 0.0, 10.0]])
    assert (
        constraint.settled(parts, np.zeros((2, 3), dtype=bool), np.full(2, 10.0)) == parts
    ).all()


def test_fixed_parts_stay_and_the_others_keep_their_proportions() -> None:
    constraint = fitted([[1.0, 2.0, 7.0]], total=10)
    fixed = np.array([[True, False, False], [False, True, True], [True, True, True]])
    parts = np.array([[4.0, 1.0, 1.0], [9.0, 2.0, 3.0], [1.0, 1.0, 1.0]])

    found = constraint.settled(parts, fixed, np.full(3, 10.0))
    assert found.tolist() == [[4, 3, 3], [5, 2, 3], [1, 1, 1]]


def test_parts_of_nothing_are_shared_out_evenly() -> None:
    constraint = fitted([[1, 2, 6]], total=9)
    found = constraint.settled(np.zeros((1, 3)), np.zeros((1, 3), dtype=bool), np.array([9.0]))
    assert found.tolist() == [[3, 3, 3]]


def test_each_column_keeps_its_decimals() -> None:
    constraint = fitted([[1.0, 2.5, 6.55]], total=10.05)
    drawn = np.random.default_rng(0).gamma(2, 2, (20, 3))
    found = constraint.settled(drawn, np.zeros((20, 3), dtype=bool), np.full(20, 10.05))

    for place, decimals in enumerate((0, 1, 2)):
        assert (np.round(found[:, place], decimals) == found[:, place]).all()
    assert np.abs(found.sum(axis=1) - 10.05).max() < 1e-9


def test_unrounded_parts_add_up_nearly() -> None:
    constraint = fitted([[1 / 3, 1 / 7, 1 - 1 / 3 - 1 / 7]], total=1)
    found = constraint.settled(
        np.array([[0.2, 0.3, 0.1]]), np.zeros((1, 3), dtype=bool), np.array([1.0])
    )
    assert found.tolist() == [pytest.approx([1 / 3, 1 / 2, 1 / 6])]


def test_a_total_is_the_exact_sum_and_missing_where_a_part_is() -> None:
    constraint = fitted([[0.1, 0.2, 0.3, 0.6]], total_column='sum')
    parts = pd.DataFrame([[0.1, 0.2, 0.3], [0.7, 0.1, math.nan]], columns=PARTS)
    rows = constraint.reverse_transform(parts)

    assert rows['sum'].iloc[0] == 0.6
    assert rows['sum'].isna().tolist() == [False, True]
    assert list(constraint.transform(rows)) == PARTS
    assert (
        list(constraint.get_updated_metadata(metadata_of(*PARTS, 'sum')).tables['table'].columns)
        == PARTS
    )


def test_rows_that_do_not_add_up_are_shown() -> None:
    constraint = FixedSum(PARTS, total=100)
    rows = pd.DataFrame([[50, 25, 25], [50, 30, 25], [1, math.nan, 1]], columns=PARTS)

    assert constraint.is_valid(rows).tolist() == [True, False, True]
    with pytest.raises(ConstraintNotMetError, match=r'do not add up to 100 in 1 rows:(.|\n)*1 +50'):
        constraint.validate_input_data(rows)


@pytest.mark.parametrize(
    ('settings', 'message'),
    [
        ({'part_columns': ['a'], 'total': 1}, 'at least two different columns'),
        ({'part_columns': ['a', 'a'], 'total': 1}, 'at least two different columns'),
        ({'part_columns': 'ab', 'total': 1}, 'must be a list'),
        ({'part_columns': PARTS}, "Give either 'total_column'"),
        ({'part_columns': PARTS, 'total': 1, 'total_column': 'd'}, "Give either 'total_column'"),
        ({'part_columns': PARTS, 'total_column': 'a'}, 'not among the parts'),
        ({'part_columns': PARTS, 'total': math.nan}, 'finite number'),
    ],
    ids=str,
)
def test_arguments_that_are_not_allowed(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        FixedSum(**settings)


def test_columns_must_be_there_and_numerical() -> None:
    with pytest.raises(
        SynthesizerInputError, match="'sum' that is not there.*give FixedSum before"
    ):
        FixedSum(PARTS, total_column='sum').validate(metadata_of(*PARTS))
    metadata = metadata_of(*PARTS)
    metadata.update_column('a', sdtype='categorical')
    with pytest.raises(SynthesizerInputError, match="'a' has the sdtype 'categorical'"):
        FixedSum(PARTS, total=1).validate(metadata)


def test_it_says_what_it_was_made_of() -> None:
    assert repr(FixedSum(PARTS, total=1)) == "FixedSum(['a', 'b', 'c'], total=1)"
    assert repr(FixedSum(['a', 'b'], 'c')) == "FixedSum(['a', 'b'], total_column='c')"
    assert FixedSum(PARTS, total=1).to_dict() == {
        'class_name': 'FixedSum',
        'parameters': {
            'part_columns': PARTS,
            'total_column': None,
            'total': 1,
            'table_name': None,
        },
    }
