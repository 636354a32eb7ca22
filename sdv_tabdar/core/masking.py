"""Which cells are hidden in training, and in which order they are filled in sampling."""

from __future__ import annotations

import torch

from sdv_tabdar.core.random import spread_uniforms


def random_observed(num_rows: int, num_columns: int, *, generator: torch.Generator) -> torch.Tensor:
    """Draw what the model may see: for every row M ~ U{1..C} hidden cells, uniformly placed.

    A row's hidden cells are those whose uniform score ranks among its M smallest.

    Args:
        num_rows: B.
        num_columns: C.
        generator: Source of randomness; its device is the result's.

    Returns:
        ``(B, C)`` bool, True = observed. Every row hides at least one cell.

    Source: paper, section 'Detailed Architecture', 'Input masking', for each row on its own.
    """
    scores = torch.rand(num_rows, num_columns, generator=generator, device=generator.device)
    ranks = scores.argsort(dim=1).argsort(dim=1)
    return ranks >= _num_hidden(num_rows, num_columns, generator=generator)


def leading_observed(
    num_rows: int, num_columns: int, *, generator: torch.Generator
) -> torch.Tensor:
    """As :func:`random_observed`, but the M hidden cells of a row are its last ones."""
    num_hidden = _num_hidden(num_rows, num_columns, generator=generator)
    return torch.arange(num_columns, device=generator.device) < num_columns - num_hidden


def _num_hidden(num_rows: int, num_columns: int, *, generator: torch.Generator) -> torch.Tensor:
    """M ~ U{1..C} for each row, ``(B, 1)``.

    The numbers of a call are spread evenly (stratified), which takes their share of the noise out
    of a step's gradient.
    """
    uniform = spread_uniforms(num_rows, generator=generator)
    return 1 + (uniform * num_columns).long().clamp_max(num_columns - 1).unsqueeze(1)


def random_order(num_columns: int, *, generator: torch.Generator) -> list[int]:
    """A uniformly random order of the columns (Algorithms 2 and 3 of the paper)."""
    order = torch.randperm(num_columns, generator=generator, device=generator.device)
    return [int(position) for position in order]


def column_order(num_columns: int, *, fixed: bool, generator: torch.Generator) -> list[int]:
    """Left to right if ``fixed``, else a random order."""
    return list(range(num_columns)) if fixed else random_order(num_columns, generator=generator)
