"""Which codes a cell may have beside the known cells of its row."""

from __future__ import annotations

import pytest
import torch

from sdv_tabdar.core.nn import possible
from sdv_tabdar.core.nn.possible import PossibleCodes
from sdv_tabdar.core.schema import Column, ColumnKind, Dependency, Joint, TableSchema, Zeros

COLUMNS = tuple(
    Column(name, ColumnKind.CATEGORICAL, (10,) * size)
    for name, size in (('a', 2), ('b', 3), ('c', 2))
)
OF_B = Zeros(0, 1, ((0,), (1, 2)), (0, 1))
"""Beside the first a only the first b, beside the second one of the others."""
OF_B_TOO = Zeros(2, 1, ((0, 1),), (0, -1))
"""Beside the first c not the third b."""
ANY = slice(None)


def beside(
    position: int,
    rows: list[list[int]],
    zeros: tuple[Zeros, ...] = (OF_B, OF_B_TOO),
    dependencies: tuple[Dependency, ...] = (),
    joints: tuple[Joint, ...] = (),
) -> list[list[int]] | None:
    """The codes that are left; -1 for a cell that is not known."""
    codes = torch.tensor(rows, dtype=torch.int16)
    schema = TableSchema(COLUMNS, zeros=zeros, dependencies=dependencies, joints=joints)
    found = PossibleCodes(schema).beside(position, codes.clamp(0), codes >= 0, ANY)
    return None if found is None else [row.nonzero().flatten().tolist() for row in found]


def test_what_is_known_rules_codes_out() -> None:
    assert beside(1, [[0, -1, -1], [1, -1, -1], [-1, -1, 0], [1, -1, 0], [-1, -1, 1]]) == [
        [0],
        [1, 2],
        [0, 1],
        [1],
        [0, 1, 2],
    ]


def test_it_does_the_other_way_round_as_well() -> None:
    assert beside(0, [[-1, 0, -1], [-1, 2, 0], [-1, -1, 1]]) == [[0], [1], [0, 1]]
    assert beside(2, [[1, 2, -1], [1, 1, -1]]) == [[1], [0, 1]]


def test_two_ways_of_one_pair_count_together() -> None:
    turned = Zeros(1, 0, ((0,),), (-1, -1, 0))
    assert beside(0, [[-1, 1, -1], [-1, 0, -1]], (OF_B, turned)) == [[1], [0]]
    assert beside(1, [[1, -1, -1]], (OF_B, turned)) == [[1]]


def test_cells_that_contradict_each_other_leave_all_codes() -> None:
    crossed = (OF_B, Zeros(2, 1, ((1,),), (0, -1)))
    assert beside(1, [[0, -1, 0]], crossed) == [[0, 1, 2]]


def test_two_cells_do_not_meet_that_leave_nothing_of_a_third_one() -> None:
    of_b = (OF_B, Zeros(2, 1, ((0,), (1, 2)), (0, 1)))
    assert beside(2, [[0, -1, -1], [1, -1, -1]], of_b) == [[0], [1]]
    assert beside(0, [[-1, -1, 1], [-1, 0, 1]], of_b) == [[1], [0, 1]]  # the latter do not agree


def test_levels_that_follow_from_a_third_one_and_from_another_do_not_meet_either() -> None:
    follows = (Dependency(1, 0, (0, 1, 1)), Dependency(1, 2, (0, 1, 1)))
    assert beside(2, [[0, -1, -1], [1, -1, -1]], (), follows) == [[0], [1]]


def test_a_code_that_meets_nothing_says_nothing_of_others() -> None:
    crossed = (OF_B, Zeros(2, 1, ((),), (0, -1)))
    assert beside(2, [[1, -1, -1]], crossed) is None


def test_nothing_known_and_nothing_to_know_is_none() -> None:
    assert beside(1, [[-1, -1, -1]]) is None
    assert beside(2, [[0, -1, -1]]) is None
    assert beside(1, [[0, -1, 0]], ()) is None
    index = torch.tensor([1])
    codes = torch.tensor([[1, 0, 0], [0, 0, 0]])
    observed = torch.tensor([[False, False, False], [True, False, False]])
    found = PossibleCodes(TableSchema(COLUMNS, zeros=(OF_B,))).beside(1, codes, observed, index)
    assert found is not None
    assert found.tolist() == [[True, False, False]]


@pytest.mark.parametrize('most', [1 << 20, 0])
def test_levels_follow_from_known_ones_and_known_ones_from_them(
    monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr(possible, '_ALL_WRITTEN', most)
    follows = (Dependency(1, 0, (0, 1, -1)),)
    rows = [[-1, 0, -1], [-1, 1, -1], [-1, 2, -1], [-1, -1, -1]]
    assert beside(0, rows, (), follows) == [[0], [1], [0, 1], [0, 1]]
    assert beside(1, [[0, -1, -1], [1, -1, -1]], (), follows) == [[0, 2], [1, 2]]
    assert beside(2, [[0, 1, -1]], (), follows) is None


def test_two_cells_say_what_the_third_is_and_one_what_it_may_be() -> None:
    of_both = Joint(0, 2, 1, 2, (0, 0, 1, -1))  # nothing is said of the second a and c

    def left(position: int, row: list[int]) -> list[int]:
        found = beside(position, [row], (), (), (of_both,))
        assert found is not None
        return found[0]

    assert left(1, [0, -1, 0]) == [0]
    assert left(1, [1, -1, 0]) == [1]
    assert left(1, [1, -1, 1]) == [0, 1, 2]
    assert left(1, [0, -1, -1]) == [0]
    assert left(0, [-1, 1, 0]) == [1]
    assert left(0, [-1, 2, -1]) == [1]
    assert left(2, [1, 0, -1]) == [1]
    assert left(2, [0, 0, -1]) == [0, 1]
