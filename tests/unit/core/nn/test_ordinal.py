"""What the codes of a number share: a partition of one, neighbours alike, no place for the rest."""

from __future__ import annotations

import pytest
import torch

from sdv_tabdar.core.nn.ordinal import NUM_NODES, code_hats, hats
from sdv_tabdar.core.schema import Column, ColumnKind


def test_shares_add_up_to_one_and_belong_to_two_neighbours() -> None:
    shares = hats(torch.linspace(-4, 4, 101))
    assert shares.shape == (101, NUM_NODES)
    assert torch.allclose(shares.sum(dim=1), torch.ones(101))
    assert bool(((shares > 0).sum(dim=1) <= 2).all())
    for row in shares:
        found = (row > 0).nonzero().squeeze(1)
        assert int(found[-1] - found[0]) <= 1


def test_a_linear_function_is_one_of_them() -> None:
    scores = torch.linspace(-3, 3, 61)
    nodes = torch.linspace(-3, 3, NUM_NODES)
    assert torch.allclose(hats(scores) @ nodes, scores, atol=1e-5)


@pytest.mark.parametrize(
    ('score', 'node'), [(-9.0, 0), (9.0, -1), (-torch.inf, 0), (torch.inf, -1)]
)
def test_beyond_the_last_node_nothing_changes(score: float, node: int) -> None:
    assert float(hats(torch.tensor(score))[node]) == 1


def test_codes_stand_at_the_middle_of_their_interval_and_missing_nowhere() -> None:
    column = Column(
        'x',
        ColumnKind.NUMERICAL,
        (20, 40, 40, 5),
        bins=range(1, 3),
        uniform=((0.4, 0.6), (0.0, 0.4), (0.6, 1.0), (0.0, 1.0)),
        missing=3,
    )
    shares = code_hats(column)
    assert shares.shape == (4, NUM_NODES)
    assert float(shares[0, NUM_NODES // 2]) == pytest.approx(1)
    places = (shares * torch.arange(NUM_NODES)).sum(dim=1)
    assert places[1] < places[0] < places[2]
    assert not shares[3].any()


def test_categories_share_nothing() -> None:
    assert not code_hats(Column('x', ColumnKind.CATEGORICAL, (3, 1, 2))).any()
