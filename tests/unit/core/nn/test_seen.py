"""Sums that grow with each key are the attention over all of them at once."""

from __future__ import annotations

import pytest
import torch

from sdv_tabdar.core.nn.seen import SeenTokens

ROWS, HEADS, WIDTH = 5, 2, 8
Cell = tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]


def _cell(size: int, seed: int, scale: float = 1.0) -> Cell:
    generator = torch.Generator().manual_seed(seed)
    shape = (size, HEADS, WIDTH // HEADS)
    query, key, value = (scale * torch.randn(shape, generator=generator) for _ in range(3))
    return torch.randn(size, WIDTH, generator=generator), query, key, value


def _expected(seen: SeenTokens, query: torch.Tensor) -> torch.Tensor:
    """Attention of queries ``(..., B, heads, d)`` over the visible keys, all at once."""
    logits = (query.unsqueeze(-4) * seen.key).sum(dim=-1)
    logits = logits.masked_fill(~seen.visible.unsqueeze(-1), -torch.inf)
    return (logits.softmax(dim=-3).unsqueeze(-1) * seen.value).sum(dim=-4).flatten(-2)


@pytest.fixture
def seen() -> SeenTokens:
    """Three cells of all rows; a fourth in some rows, then in the others; a fifth in some."""
    found = SeenTokens.room(6, ROWS, HEADS, torch.zeros(WIDTH))
    for place in range(3):
        found.put(place, slice(None), *_cell(ROWS, place))
    found.put(3, torch.tensor([0, 3]), *_cell(2, 3))
    found.put(4, torch.tensor([1, 4]), *_cell(2, 4, scale=30.0))
    found.put(3, torch.tensor([1, 2, 4]), *_cell(3, 5))
    return found


def test_attention_among_the_seen_is_that_over_all_keys(seen: SeenTokens) -> None:
    used = seen.of(slice(None))
    attended = used.attended()
    assert attended.shape == (5, ROWS, WIDTH)
    assert torch.allclose(
        attended[used.visible], _expected(used, used.query)[used.visible], atol=1e-5
    )


@pytest.mark.parametrize('rows', [slice(None), torch.tensor([4, 1])])
def test_one_more_token_sees_what_is_visible(seen: SeenTokens, rows: torch.Tensor | slice) -> None:
    used = seen.of(rows)
    query = _cell(1, 7)[1]
    assert torch.allclose(used.attend(query), _expected(used, query), atol=1e-5)


def test_rows_that_are_kept_take_all_with_them(seen: SeenTokens) -> None:
    index = torch.tensor([3, 3, 0])
    before = seen.of(slice(None)).attended()[:, index]
    seen.keep(index)
    assert torch.equal(seen.of(slice(None)).attended(), before)


def test_bias_hides_what_is_not_known(seen: SeenTokens) -> None:
    bias = seen.of(slice(None)).bias()
    assert bias is not None
    assert bias.shape == (ROWS * HEADS, 1, 5)
    assert torch.equal(bias[::HEADS, 0].t().isinf(), ~seen.visible[:5])
    assert seen.of(torch.tensor([1, 4])).bias() is None
