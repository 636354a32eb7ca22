"""What may be known where the model has learnt one order of the columns."""

from __future__ import annotations

import pytest
import torch

from sdv_tabdar.core.inference.order import check_all_before, check_leading

NAMES = ('a', 'b', 'c')
NONE = torch.zeros(1, 3, dtype=torch.bool)


def cells(*places: int) -> torch.Tensor:
    marked = NONE.clone()
    marked[0, list(places)] = True
    return marked


@pytest.mark.parametrize(
    ('known', 'restricted'),
    [((), ()), ((0, 1), ()), ((0, 1, 2), ()), ((), (0,)), ((0,), (1,))],
)
def test_leading_columns_may_be_given(known: tuple[int, ...], restricted: tuple[int, ...]) -> None:
    check_leading(NAMES, cells(*known), cells(*restricted))


@pytest.mark.parametrize(
    ('known', 'restricted', 'message'),
    [
        ((1,), (), "'b' is asked about where 'a' before it is not known"),
        ((0, 2), (), "'c' is asked about where 'b' before it is not known"),
        ((), (1,), "'b' is asked about where 'a' before"),
        ((), (0, 1), "'b' is asked about where 'a' before"),
        ((2,), (), "'c' is asked about where 'a', 'b' before .* in the order 'a', 'b', 'c'"),
    ],
)
def test_what_lies_behind_is_refused(
    known: tuple[int, ...], restricted: tuple[int, ...], message: str
) -> None:
    with pytest.raises(ValueError, match=f'{message}.*column_order='):
        check_leading(NAMES, cells(*known), cells(*restricted))


def test_a_column_is_predicted_from_all_before_it() -> None:
    check_all_before(NAMES, cells(0), 1)
    check_all_before(NAMES, cells(0, 1), 1)
    with pytest.raises(ValueError, match="'b' cannot be predicted from 'c'"):
        check_all_before(NAMES, cells(0, 2), 1)
    with pytest.raises(ValueError, match="'c' is asked about where 'a' before it is not known"):
        check_all_before(NAMES, cells(1), 2)


def test_long_tables_are_not_listed_to_the_end() -> None:
    names = [f'x{number}' for number in range(40)]
    known = torch.zeros(1, 40, dtype=torch.bool)
    known[0, 39] = True
    with pytest.raises(ValueError, match=r"'x9' \.\.\. before") as error:
        check_leading(names, known, torch.zeros_like(known))
    assert 'x20' not in str(error.value)
