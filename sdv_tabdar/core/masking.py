"""Which cells are hidden in training, and in which order they are filled in sampling."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import torch

from sdv_tabdar.core.runtime.random import stratified_uniforms


def complementary_observed(
    num_pairs: int,
    num_columns: int,
    *,
    generator: torch.Generator,
    log_weights: torch.Tensor | None = None,
) -> torch.Tensor:
    """Draw what the model may see of pairs of rows: one sees what the other does not.

    The number M of hidden cells of every row is uniform on {0..C}, their places are uniform, and
    the rows of a pair hide C cells between them. That is the paper's distribution, M ~ U{1..C},
    except that one row in C + 1 hides nothing and has no loss.

    Args:
        num_pairs: P.
        num_columns: C.
        generator: Source of randomness; its device is the result's.
        log_weights: ``(C,)``, if any: then the first half of the pairs has its places in
            :func:`weighted_order`, of which the first row sees the beginning.

    Returns:
        ``(2 P, C)`` bool, True = observed; row P + p is the complement of row p.

    Source: paper, section 'Detailed Architecture', 'Input masking', for each row on its own.
    """
    scores = torch.rand(num_pairs, num_columns, generator=generator, device=generator.device)
    if log_weights is not None:
        half = num_pairs // 2
        gumbel = log_weights - (-scores[:half].log()).log()
        scores = torch.cat([gumbel, scores[half:]])
    ranks = scores.argsort(dim=1).argsort(dim=1)
    first = ranks >= _stratified_integers(num_pairs, num_columns + 1, generator=generator)
    return torch.cat([first, ~first])


def leading_observed(
    num_rows: int, num_columns: int, *, generator: torch.Generator
) -> torch.Tensor:
    """``(B, C)``: the M ~ U{1..C} hidden cells of a row are its last ones."""
    num_observed = _stratified_integers(num_rows, num_columns, generator=generator)
    return torch.arange(num_columns, device=generator.device) < num_observed


def _stratified_integers(size: int, stop: int, *, generator: torch.Generator) -> torch.Tensor:
    """Integers ``(size, 1)``, each uniform on {0..stop - 1}.

    The integers of a call are stratified, which lowers the variance of a step's gradient.
    """
    uniform = stratified_uniforms(size, generator=generator)
    return (uniform * stop).long().clamp_max(stop - 1).unsqueeze(1)


def random_ranks(num_rows: int, num_columns: int, *, generator: torch.Generator) -> torch.Tensor:
    """Orders in which the cells of rows become visible: a permutation of 0..C-1 in each row.

    Args:
        num_rows: B.
        num_columns: C.
        generator: Source of randomness; its device is the result's.

    Returns:
        ``(B, C)``.
    """
    scores = torch.rand(num_rows, num_columns, generator=generator, device=generator.device)
    return scores.argsort(dim=1)


def random_order(num_columns: int, *, generator: torch.Generator) -> list[int]:
    """A uniformly random order of the columns (Algorithms 2 and 3 of the paper)."""
    order = torch.randperm(num_columns, generator=generator, device=generator.device)
    return [int(position) for position in order]


def column_order(
    num_columns: int,
    *,
    fixed: bool,
    generator: torch.Generator,
    leading: Collection[int] = (),
) -> list[int]:
    """Left to right if ``fixed``, else a random order in which ``leading`` columns come first."""
    if fixed:
        return list(range(num_columns))
    order = random_order(num_columns, generator=generator)
    return sorted(order, key=lambda position: position not in leading)


def weighted_order(log_weights: Sequence[float], *, generator: torch.Generator) -> list[int]:
    """An order in which each column comes next with a probability in proportion to its weight.

    Drawn as the order of the log weights with Gumbel noise (Plackett and Luce's model).

    Args:
        log_weights: One for each column.
        generator: Source of randomness.
    """
    device = generator.device
    keys = torch.tensor(log_weights, device=device)
    noise = torch.empty_like(keys).exponential_(generator=generator).log()
    return [int(position) for position in (noise - keys).argsort()]
