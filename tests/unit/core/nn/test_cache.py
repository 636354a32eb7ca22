"""Means updated with each key are the attention over all of them at once."""

from __future__ import annotations

import copy

import pytest
import torch

from sdv_tabdar.core.nn.cache import AttentionCache

ROWS, HEADS, WIDTH = 5, 2, 8
Cell = tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]


def _cell(size: int, seed: int, scale: float = 1.0) -> Cell:
    generator = torch.Generator().manual_seed(seed)
    shape = (size, HEADS, WIDTH // HEADS)
    query, key, value = (scale * torch.randn(shape, generator=generator) for _ in range(3))
    return torch.randn(size, WIDTH, generator=generator), query, key, value


def _expected(cache: AttentionCache, query: torch.Tensor) -> torch.Tensor:
    """Attention of queries ``(..., B, heads, d)`` over the visible keys, all at once."""
    key, value, visible = (part[: cache.count] for part in (cache.key, cache.value, cache.visible))
    logits = (query.unsqueeze(-4) * key).sum(dim=-1)
    logits = logits.masked_fill(~visible.unsqueeze(-1), -torch.inf)
    return (logits.softmax(dim=-3).unsqueeze(-1) * value).sum(dim=-4)


@pytest.fixture
def cache() -> AttentionCache:
    """Three cells of all rows; a fourth in some rows, then in the others; a fifth in some."""
    found = AttentionCache.empty(6, ROWS, HEADS, torch.zeros(WIDTH))
    for place in range(3):
        found.insert(place, slice(None), *_cell(ROWS, place))
    found.insert(3, torch.tensor([0, 3]), *_cell(2, 3))
    found.insert(4, torch.tensor([1, 4]), *_cell(2, 4, scale=30.0))
    found.insert(3, torch.tensor([1, 2, 4]), *_cell(3, 5))
    return found


def test_attention_among_cached_tokens_is_that_over_all_keys(cache: AttentionCache) -> None:
    known = cache.visible[:5]
    expected = _expected(cache, cache.query[:5])
    assert torch.allclose(cache.attended[:5][known], expected[known], atol=1e-5)


@pytest.mark.parametrize('rows', [slice(None), torch.tensor([4, 1])])
def test_one_more_token_sees_what_is_visible(
    cache: AttentionCache, rows: torch.Tensor | slice
) -> None:
    token, query, _, _ = _cell(1, 7)
    before = cache.attended[:5, rows].clone()
    tokens, attended, _ = cache.attend(token, query[0], rows)
    assert torch.equal(tokens[:-1], cache.tokens[:5, rows])
    assert torch.equal(tokens[-1], token.expand_as(tokens[-1]))
    assert torch.equal(attended[:-1], before.flatten(2))
    assert torch.allclose(attended[-1], _expected(cache, query).flatten(1)[rows], atol=1e-5)


def test_attending_changes_nothing(cache: AttentionCache) -> None:
    cell = _cell(ROWS, 8)
    other = copy.deepcopy(cache)
    token, query, _, _ = _cell(1, 7)
    cache.attend(token, query[0], slice(None))
    for each in (cache, other):
        each.insert(5, slice(None), *cell)
    assert torch.equal(cache.attended[:6], other.attended[:6])
    assert torch.equal(cache.log_normalizer[:6], other.log_normalizer[:6])


def test_rows_that_are_kept_take_all_with_them(cache: AttentionCache) -> None:
    index = torch.tensor([3, 3, 0])
    before = cache.attended[:, index]
    cache.select(index)
    assert torch.equal(cache.attended, before)


def test_bias_hides_what_is_not_known(cache: AttentionCache) -> None:
    token, query, _, _ = _cell(1, 7)
    bias = cache.attend(token, query[0], slice(None))[2]
    assert bias is not None
    assert bias.shape == (ROWS * HEADS, 1, 5)
    assert torch.equal(bias[::HEADS, 0].t().isinf(), ~cache.visible[:5])
    assert cache.attend(token, query[0], torch.tensor([1, 4]))[2] is None


def test_everything_stays_finite_where_a_token_is_not_known(cache: AttentionCache) -> None:
    assert cache.attended[:5].isfinite().all()
