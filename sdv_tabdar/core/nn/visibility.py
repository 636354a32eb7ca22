"""When the tokens of a row became visible: what causal attention among them goes by.

A visible cell sees ``[pad]``, itself and what became visible before it; a cell that is asked for
sees all that is visible. A cross becomes visible with the last of its members, right after it.
What a visible token is in the network then never changes, whatever becomes visible later.

Source: Li et al. 2025, 'Autoregressive Image Generation with Randomized Parallel Decoding',
doi:10.48550/arXiv.2503.10568 (queries of asked positions apart from keys of known ones).
"""

from __future__ import annotations

from collections.abc import Sequence

import torch

LAST = 2**31 - 1
"""The time of a cell that is asked for, after that of every visible token."""


def arrivals(ranks: torch.Tensor, crosses: Sequence[Sequence[int]]) -> torch.Tensor:
    """Times at which tokens become visible, of which no two in a row are the same.

    Args:
        ranks: ``(B, C)`` distinct numbers from 0 in each row, the order of its cells.
        crosses: The members of each of X crosses.

    Returns:
        ``(B, 1 + C + X)`` int32 for ``[pad]``, cells and crosses.
    """
    ranks = ranks.to(torch.int32)
    cells = ranks * (len(crosses) + 1) + 1
    together = [
        cells[:, list(members)].amax(dim=1, keepdim=True) + number
        for number, members in enumerate(crosses, start=1)
    ]
    return torch.cat([torch.zeros_like(cells[:, :1]), cells, *together], dim=1)


def seen_before(
    places: torch.Tensor, num_columns: int, crosses: Sequence[Sequence[int]]
) -> torch.Tensor:
    """Which of some tokens see which, where cells became visible in the order of the columns.

    Args:
        places: ``(V,)``, where the tokens are among ``[pad]``, cells and crosses.
        num_columns: C.
        crosses: As in :func:`arrivals`.

    Returns:
        ``(V, V)`` bool.
    """
    since = arrivals(torch.arange(num_columns, device=places.device).unsqueeze(0), crosses)
    since = since[0, places]
    return since <= since.unsqueeze(1)
