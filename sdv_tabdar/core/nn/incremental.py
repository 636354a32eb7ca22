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
from sdv_tabdar.core.nn.heads.tied import with_ties
from sdv_tabdar.core.nn.network import TabDARNetwork, end_to_end
from sdv_tabdar.core.nn.rows import Rows
from sdv_tabdar.core.nn.transformer import attention_bias
from sdv_tabdar.core.nn.visibility import seen_before
from sdv_tabdar.core.table import EncodedTable


class Cache:
    """What is kept of the known cells of B rows, by each member of a committee.

    Args:
        network: The network.
        num_rows: B; nothing is known of them yet but ``[pad]``, which every cell sees.
    """

    def __init__(self, network: TabDARNetwork, num_rows: int) -> None:
        self.parts = [(member, _empty(member, num_rows)) for member in network.members]

    def start(self, table: EncodedTable, crossed: torch.Tensor) -> list[int]:
        """Make the observed cells of a table known; see :meth:`CausalCache.start`."""
        places: list[int] = []
        for _, own in self.parts:
            assert isinstance(own, CausalCache), 'others take one column after the other'
            places = own.start(table, crossed)
        return places

    def insert_cells(
        self,
        place: int,
        rows: Rows,
        position: int,
        codes: torch.Tensor,
        residuals: torch.Tensor | None,
    ) -> None:
        """Make cells of one column known in N rows.

        Args:
            place: The column's place in the cache, the same in every call for it.
            rows: Which rows.
            position: The column.
            codes: ``(N,)``.
            residuals: ``(N,)``, or None for a categorical column.
        """
        for member, own in self.parts:
            tokens = member.tokenizer.column(position, codes, residuals)
            _insert(member, own, place, rows, tokens + member.positions[position])

    def insert_cross(self, place: int, rows: Rows, number: int, levels: torch.Tensor) -> None:
        """Make a cross known in N rows.

        Args:
            place: Its place in the cache.
            rows: Which rows.
            number: The cross.
            levels: ``(N,)``, of :meth:`CrossTokens.levels_of`.
        """
        for member, own in self.parts:
            _insert(member, own, place, rows, member.crosses.column(number, levels))

    def context(self, position: int, rows: Rows) -> torch.Tensor:
        """The output z ``(N, D)`` for one column of some rows, given the cells in the cache.

        Without what is known of ties, which the cells themselves say.
        """
        return end_to_end([_context(member, own, position, rows) for member, own in self.parts])

    def select(self, index: torch.Tensor) -> None:
        """Keep (and repeat) the rows at ``index``."""
        for _, own in self.parts:
            own.select(index)


def _empty(network: TabDARNetwork, num_rows: int) -> AttentionCache | CausalCache:
    """The cache of one member, with ``[pad]``."""
    if network.is_causal:
        return CausalCache(network, num_rows)
    num_places = 1 + len(network.positions) + len(network.crosses)
    num_heads = network.layers[0].num_heads
    cache = AttentionCache.empty(num_places, num_rows, num_heads, network.pad)
    _insert(network, cache, 0, slice(None), network.pad.unsqueeze(0))
    return cache


def _context(
    network: TabDARNetwork, cache: AttentionCache | CausalCache, position: int, rows: Rows
) -> torch.Tensor:
    """As :meth:`Cache.context`, of one member."""
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
    parts = [_own_context_beside(member, table, position) for member in network.members]
    context, ties = end_to_end(parts), network.ties
    return context if ties is None else with_ties(context, ties.beside(table, position))


def _own_context_beside(network: TabDARNetwork, table: EncodedTable, position: int) -> torch.Tensor:
    """As :func:`context_beside`, of one member of a committee."""
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


def _insert(
    network: TabDARNetwork,
    cache: AttentionCache | CausalCache,
    place: int,
    rows: Rows,
    tokens: torch.Tensor,
) -> None:
    """Make tokens ``(N, D)`` known in N rows, at their place in the cache of a member."""
    if isinstance(cache, CausalCache):
        cache.insert(place, rows, tokens)
        return
    first = network.layers[0]
    query, key_value = first.project(tokens)
    key, value = first.split_heads(key_value).chunk(2, dim=-1)
    cache.insert(place, rows, tokens, first.split_heads(query) * first.scale, key, value)
