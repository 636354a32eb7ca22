"""Contexts of one column at a time, while cells become known one column after the other.

What is computed equals :meth:`~sdv_tabdar.core.nn.network.TabDARNetwork.contexts` of the same
observed cells, with less work: the first block's part is kept in an :class:`AttentionCache`, and
the last block works for the one asked cell only. Where attention is causal, all of it is kept, in a
:class:`CausalCache`.
"""

from __future__ import annotations

import torch

from sdv_tabdar.core.nn.cache import AttentionCache
from sdv_tabdar.core.nn.causal import CausalCache
from sdv_tabdar.core.nn.network import TabDARNetwork
from sdv_tabdar.core.nn.rows import Rows
from sdv_tabdar.core.nn.transformer import attention_bias
from sdv_tabdar.core.nn.visibility import seen_before
from sdv_tabdar.core.table import EncodedTable

Cache = AttentionCache | CausalCache


def empty_cache(network: TabDARNetwork, num_rows: int) -> Cache:
    """The cache of rows of which nothing is known: only ``[pad]``, which every cell sees."""
    if network.is_causal:
        return CausalCache(network, num_rows)
    num_places = 1 + len(network.positions) + len(network.crosses)
    num_heads = network.layers[0].num_heads
    cache = AttentionCache.empty(num_places, num_rows, num_heads, network.pad)
    insert_tokens(network, cache, 0, slice(None), network.pad.unsqueeze(0))
    return cache


def insert_cells(
    network: TabDARNetwork,
    cache: Cache,
    place: int,
    rows: Rows,
    position: int,
    codes: torch.Tensor,
    residuals: torch.Tensor | None,
) -> None:
    """Make cells of one column known in N rows.

    Args:
        network: The network that the cache belongs to.
        cache: Of B rows; it is changed.
        place: The column's place in the cache, the same in every call for it.
        rows: Which rows.
        position: The column.
        codes: ``(N,)``.
        residuals: ``(N,)``, or None for a categorical column.
    """
    tokens = network.tokenizer.column(position, codes, residuals) + network.positions[position]
    insert_tokens(network, cache, place, rows, tokens)


def cached_context(network: TabDARNetwork, cache: Cache, position: int, rows: Rows) -> torch.Tensor:
    """The output z ``(N, D)`` for one column of some rows, given the cells in the cache."""
    if isinstance(cache, CausalCache):
        return cache.context(position, rows)
    asking = network.positions[position].view(1, -1)
    layers = network.layers
    first, others, last = layers[0], layers[:-1], layers[-1]
    query = first.split_heads(first.project_query(asking)[0]) * first.scale
    x, attended, bias = cache.attend(asking, query, rows)
    for number, block in enumerate(others):
        if number:
            x = block(x, num_keys=cache.count, bias=bias)
        else:
            x = block.after_attention(x, attended)
    context: torch.Tensor = network.norm(last.single_query(x[-1], x[:-1], bias))
    return context


def context_beside(network: TabDARNetwork, table: EncodedTable, position: int) -> torch.Tensor:
    """The output z ``(B, D)`` for one column, given the observed cells of all others, at once."""
    observed = table.observed.clone()
    observed[:, position] = False
    known = EncodedTable(table.codes, table.residuals, observed)
    crossed = network.crosses(table.codes)[1] & network.crosses.observed(observed)
    tokens, visible, places = network.visible_tokens(known, crossed)
    *others, last = network.layers
    visible = visible.unsqueeze(1)
    bias = None if visible.all() else attention_bias(visible, last.num_heads)
    bias_before = bias
    if network.is_causal:  # the asking token, which comes last, sees all
        before = seen_before(places, observed.shape[1], network.crosses.members)
        before = torch.nn.functional.pad(before, (0, 0, 0, 1), value=True)
        bias_before = attention_bias(visible & before, last.num_heads)
    asking = network.positions[position].expand(1, len(table), -1)
    x = torch.cat([tokens, asking])
    for block in others:
        x = block(x, num_keys=len(tokens), bias=bias_before)
    context: torch.Tensor = network.norm(last.single_query(x[-1], x[:-1], bias))
    return context


def insert_tokens(
    network: TabDARNetwork, cache: Cache, place: int, rows: Rows, tokens: torch.Tensor
) -> None:
    """Make tokens ``(N, D)`` known in N rows, at their place in the cache."""
    if isinstance(cache, CausalCache):
        cache.insert(place, rows, tokens)
        return
    first = network.layers[0]
    query, key_value = first.project(tokens)
    key, value = first.split_heads(key_value).chunk(2, dim=-1)
    cache.insert(place, rows, tokens, first.split_heads(query) * first.scale, key, value)
