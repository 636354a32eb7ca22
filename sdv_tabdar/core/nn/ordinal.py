"""What the codes of an ordered column share, for the layers that have weights for each code.

The codes stand for numbers, or for levels in an order, and neighbours should act alike before
training has seen either of them often. Part of their weights is therefore common: piecewise linear
functions of the normal score, given by their values at evenly spaced nodes. The functions of
several scales are added up, the first with all nodes and each further one with half as many steps
and a larger weight: what holds for half of a column is learnt from all of its rows, at once and not
node by node. What sets a code apart is learnt on top of it.
"""

from __future__ import annotations

import torch

from sdv_tabdar.core.schema import NO_PLACE, Column, ColumnKind

_STEPS = 12  # between the nodes of the first scale
_REACH = 3.0  # the outermost nodes, in standard deviations; the functions are constant beyond


def nodes_of(num_scales: int) -> torch.Tensor:
    """The nodes of so many scales, the finest first; none of 0 scales.

    Returns:
        ``(3, N)`` in float64: normal scores, how many nodes there are in one standard deviation,
        and weights, the root of how many times as long as at the first scale steps are.
    """
    scales = [torch.zeros(3, 0, dtype=torch.float64)]
    for steps in _scales(num_scales):
        places = torch.linspace(-_REACH, _REACH, steps + 1, dtype=torch.float64)
        density = torch.full_like(places, steps / (2 * _REACH))
        weight = torch.full_like(places, (_STEPS / steps) ** 0.5)
        scales.append(torch.stack([places, density, weight]))
    return torch.cat(scales, dim=1)


def num_nodes(num_scales: int) -> int:
    """N of :func:`nodes_of`."""
    return sum(1 + steps for steps in _scales(num_scales))


def hats(scores: torch.Tensor, nodes: torch.Tensor) -> torch.Tensor:
    """Shares of the nodes in the sum of piecewise linear functions at some places.

    Args:
        scores: ``(...)`` standard normal scores.
        nodes: What :func:`nodes_of` gives.

    Returns:
        ``(..., N)``; of each scale at most two are above 0, and they add up to its weight.
    """
    places, density, weight = nodes
    distance = (scores.clamp(-_REACH, _REACH).unsqueeze(-1) - places).abs() * density
    return (1 - distance).clamp_min(0) * weight


def code_hats(column: Column, num_scales: int) -> torch.Tensor:
    """:func:`hats` at the middle of each code of a column, ``(K, N)``.

    Zero for what has no place in an order: missing values, echoes, most categories.
    """
    nodes = nodes_of(num_scales)
    if not column.uniform:
        return torch.zeros(column.num_codes, nodes.shape[1])
    shares = hats(code_scores(column), nodes).float()
    shares[without_place(column)] = 0
    return shares


def code_scores(column: Column) -> torch.Tensor:
    """The normal score ``(K,)`` in float64 at the middle of each code of an ordered column."""
    middle = torch.tensor(column.uniform, dtype=torch.float64).mean(dim=1)
    return torch.special.ndtri(middle)


def without_place(column: Column) -> list[int]:
    """The codes of an ordered column that have no place in its order."""
    beside = [code for code in (column.missing, column.echo) if code is not None]
    if column.kind is ColumnKind.CATEGORICAL:
        beside += [code for code, place in enumerate(column.uniform) if place == NO_PLACE]
    return beside


def _scales(num_scales: int) -> list[int]:
    """Steps between the nodes of each scale."""
    return [_STEPS >> scale for scale in range(num_scales)]
