"""What the codes of a number share: a partition of one, neighbours alike, no place for the rest."""

from __future__ import annotations

import pytest
import torch

from sdv_tabdar.core.nn.ordinal import code_hats, hats, nodes_of, num_nodes, without_place
from sdv_tabdar.core.schema import NO_PLACE, Column, ColumnKind


def test_of_each_scale_two_neighbours_share_its_weight() -> None:
    scales = hats(torch.linspace(-4, 4, 101), nodes_of(4).float()).split([13, 7, 4, 2], dim=1)
    for shares, weight in zip(scales, (1, 2**0.5, 2, 12**0.5), strict=True):
        assert torch.allclose(shares.sum(dim=1), torch.full((101,), float(weight)))
        for row in shares:
            found = (row > 0).nonzero().squeeze(1)
            assert int(found[-1] - found[0]) <= 1


@pytest.mark.parametrize(('num_scales', 'steps'), [(1, 12), (2, 6), (3, 3), (4, 1)])
def test_each_scale_has_half_the_steps_and_a_linear_function(num_scales: int, steps: int) -> None:
    scores = torch.linspace(-3, 3, 61)
    shares = hats(scores, nodes_of(num_scales).float())
    assert shares.shape == (61, num_nodes(num_scales))
    nodes = torch.linspace(-3, 3, steps + 1)
    found = shares[:, -len(nodes) :] @ nodes
    assert torch.allclose(found, scores * (12 / steps) ** 0.5, atol=1e-5)


def test_without_scales_nothing_is_shared() -> None:
    column = Column('x', ColumnKind.NUMERICAL, (3, 3), uniform=((0.0, 0.5), (0.5, 1.0)))
    assert nodes_of(0).shape == (3, num_nodes(0)) == (3, 0)
    assert code_hats(column, 0).shape == (2, 0)


@pytest.mark.parametrize(
    ('score', 'node'), [(-9.0, 0), (9.0, -1), (-torch.inf, 0), (torch.inf, -1)]
)
def test_beyond_the_last_node_nothing_changes(score: float, node: int) -> None:
    assert float(hats(torch.tensor(score), nodes_of(1))[node]) == 1


def test_codes_stand_at_the_middle_of_their_interval_and_missing_nowhere() -> None:
    column = Column(
        'x',
        ColumnKind.NUMERICAL,
        (20, 40, 40, 5),
        bins=range(1, 3),
        uniform=((0.4, 0.6), (0.0, 0.4), (0.6, 1.0), (0.0, 1.0)),
        missing=3,
    )
    shares = code_hats(column, 1)
    assert shares.shape == (4, 13)
    assert float(shares[0, 6]) == pytest.approx(1)
    places = (shares * torch.arange(13)).sum(dim=1)
    assert places[1] < places[0] < places[2]
    assert not shares[3].any()


def test_categories_without_an_order_share_nothing() -> None:
    assert not code_hats(Column('x', ColumnKind.CATEGORICAL, (3, 1, 2)), 4).any()


def test_levels_in_an_order_share_as_numbers_do() -> None:
    places = ((0.5, 1.0), (0.0, 0.5), NO_PLACE, NO_PLACE)
    column = Column('x', ColumnKind.CATEGORICAL, (3, 3, 1, 2), uniform=places, missing=3)
    number = Column('x', ColumnKind.NUMERICAL, (3, 3), uniform=places[:2])
    shares = code_hats(column, 4)
    assert torch.equal(shares[:2], code_hats(number, 4))
    assert not shares[2:].any()
    assert set(without_place(column)) == {2, 3}


def test_a_bin_as_wide_as_its_column_stands_in_the_middle() -> None:
    column = Column('x', ColumnKind.NUMERICAL, (3,), bins=range(1), uniform=(NO_PLACE,))
    assert float(code_hats(column, 1)[0, 6]) == pytest.approx(1)
