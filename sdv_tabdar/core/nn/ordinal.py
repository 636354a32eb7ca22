"""What the codes of a numerical column share, for the layers that have weights for each code.

The codes stand for numbers, and neighbours should act alike before training has seen either of
them often. Part of their weights is therefore common: a piecewise linear function of the normal
score, given by its values at evenly spaced nodes. What sets a code apart is learnt on top of it.
"""

from __future__ import annotations

import torch

from sdv_tabdar.core.schema import Column

NUM_NODES = 13
_REACH = 3.0  # the outermost nodes, in standard deviations; the function is constant beyond


def hats(scores: torch.Tensor) -> torch.Tensor:
    """Shares of the nodes in the piecewise linear function at some places.

    Args:
        scores: ``(...)`` standard normal scores.

    Returns:
        ``(..., NUM_NODES)``, at most two of them above 0, with sum 1.
    """
    nodes = torch.linspace(-_REACH, _REACH, NUM_NODES, device=scores.device)
    distance = (scores.clamp(-_REACH, _REACH).unsqueeze(-1) - nodes).abs()
    return (1 - distance * ((NUM_NODES - 1) / (2 * _REACH))).clamp_min(0)


def code_hats(column: Column) -> torch.Tensor:
    """:func:`hats` at the middle of each code of a column, ``(K, NUM_NODES)``.

    Zero for categories, missing values and echoes, which have no place in an order.
    """
    if not column.uniform:
        return torch.zeros(column.num_codes, NUM_NODES)
    middle = torch.tensor(column.uniform, dtype=torch.float64).mean(dim=1)
    shares = hats(torch.special.ndtri(middle)).float()
    for code in (column.missing, column.echo):
        if code is not None:
            shares[code] = 0
    return shares
