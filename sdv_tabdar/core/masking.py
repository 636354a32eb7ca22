"""Which cells are hidden in training, and in which order they are filled in sampling."""

from __future__ import annotations

import torch


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
    device = generator.device
    scores = torch.rand(num_rows, num_columns, generator=generator, device=device)
    ranks = scores.argsort(dim=1).argsort(dim=1)
    num_hidden = torch.randint(
        1, num_columns + 1, (num_rows, 1), generator=generator, device=device
    )
    return ranks >= num_hidden


def leading_observed(
    num_rows: int, num_columns: int, *, generator: torch.Generator
) -> torch.Tensor:
    """As :func:`random_observed`, but the M hidden cells of a row are its last ones."""
    device = generator.device
    num_hidden = torch.randint(
        1, num_columns + 1, (num_rows, 1), generator=generator, device=device
    )
    return torch.arange(num_columns, device=device) < num_columns - num_hidden


def random_order(num_columns: int, *, generator: torch.Generator) -> list[int]:
    """A uniformly random order of the columns (Algorithms 2 and 3 of the paper)."""
    order = torch.randperm(num_columns, generator=generator, device=generator.device)
    return [int(position) for position in order]


def column_order(num_columns: int, *, fixed: bool, generator: torch.Generator) -> list[int]:
    """Left to right if ``fixed``, else a random order."""
    return list(range(num_columns)) if fixed else random_order(num_columns, generator=generator)
