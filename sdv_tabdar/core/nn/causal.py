"""Contexts of one column at a time where attention is causal: keys and values stay as they are.

What a visible token is in the network depends on the tokens that became visible before it only, so
its keys and values in every block are computed once. A row of C columns then takes C passes of one
token, and for each of them a sum over the keys before it. What is computed equals
:meth:`~sdv_tabdar.core.nn.network.TabDARNetwork.contexts` of the same cells in the same order.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch

from sdv_tabdar.core.nn.network import TabDARNetwork
from sdv_tabdar.core.nn.rows import Rows
from sdv_tabdar.core.nn.transformer import attention_bias, softmax
from sdv_tabdar.core.nn.visibility import seen_before
from sdv_tabdar.core.table import EncodedTable

_SEGMENT = 24  # places whose keys lie together, and ...
_LEAST = 17  # ... no fewer than this: torch multiplies smaller matrices without its library
_TILE = 2**20  # attention logits of known tokens that are computed at a time


class CausalCache:
    """Keys and values of P places in B rows, of which the first ``count`` are in use in some.

    They lie in segments of S places, ``(B, heads, S, d)``: small matrices in a row are multiplied
    several times as fast as ones with gaps between them. Places not yet in use are multiplied as
    well, and hidden.

    Args:
        network: The network.
        num_rows: B.

    Attributes:
        count: Number of places in use.
    """

    def __init__(self, network: TabDARNetwork, num_rows: int) -> None:
        self._network, self._blocks, self.count = network, network.layers, 0
        pad, num_places = network.pad, 1 + len(network.positions) + len(network.crosses)
        self._size = min(max(num_places, _LEAST), _SEGMENT)
        num_segments = -(-num_places // self._size)
        self._keys: list[list[torch.Tensor]] = [[] for _ in self._blocks]
        self._values: list[list[torch.Tensor]] = [[] for _ in self._blocks]
        # What is added to the logits of all places; and which are visible in all rows.
        self._bias = pad.new_full((num_rows, num_segments * self._size), -torch.inf)
        self._everywhere: list[bool] = []
        self._waiting: tuple[int, torch.Tensor] | None = None
        self._asking = self._blocks[0].project_query(network.positions)  # of each column
        self.insert(0, slice(None), pad.expand(num_rows, -1))

    def start(self, table: EncodedTable, crossed: torch.Tensor) -> list[int]:
        """Make the observed cells of a table known, in the order of the columns, all at once.

        Args:
            table: B rows.
            crossed: ``(B, X)``, which crosses are visible.

        Returns:
            What lies in the places behind ``[pad]``: columns, and crosses as C + their number.
        """
        self._waiting = None  # [pad] is among the tokens of the table
        tokens, visible, places = self._network.visible_tokens(table, crossed)
        before = seen_before(places, table.codes.shape[1], self._network.crosses.members)
        self.count = len(places)
        self._bias[:, : self.count].masked_fill_(visible, 0)
        self._everywhere = visible.all(dim=0).tolist()
        size = max(_TILE // (self.count**2 * self._blocks[0].num_heads), 1)
        for first in range(0, len(table), size):
            rows = slice(first, first + size)
            seen = before & visible[rows, None]
            bias = attention_bias(seen, self._blocks[0].num_heads)
            self._start_rows(rows, tokens[:, rows], bias)
        return [place - 1 for place in places.tolist()[1:]]

    def insert(self, place: int, rows: Rows, tokens: torch.Tensor) -> None:
        """Add the tokens ``(N, D)`` of cells that become known in N rows.

        Tokens of all rows wait for the next question, and go through the network with it.

        Args:
            place: Where; at most the number of places in use.
            rows: Which rows; the place is not known in them yet.
            tokens: What enters the first block.
        """
        self._insert_waiting()
        if place == self.count:
            self.count += 1
            self._everywhere.append(False)
        self._bias[rows, place] = 0
        if isinstance(rows, slice):
            self._everywhere[place] = True
            self._waiting = place, tokens
        else:
            self._everywhere[place] = bool((self._bias[:, place] == 0).all())
            self._pass(rows, (place, tokens), None)

    def context(self, position: int, rows: Rows) -> torch.Tensor:
        """The output z ``(N, D)`` for one column of some rows, given the known cells."""
        if not isinstance(rows, slice):
            self._insert_waiting()
        new, self._waiting = self._waiting, None
        return self._pass(rows, new, position)

    def _insert_waiting(self) -> None:
        """Add the tokens that wait for a question."""
        if self._waiting is not None:
            new, self._waiting = self._waiting, None
            self._pass(slice(None), new, None)

    def _pass(
        self, rows: Rows, new: tuple[int, torch.Tensor] | None, position: int | None
    ) -> torch.Tensor:
        """Take new visible tokens, asking ones, or both through the network.

        Args:
            rows: The N rows.
            new: The place of the visible tokens, and these, ``(N, D)``; None without any.
            position: The column asked for; None if none is.

        Returns:
            Contexts ``(N, D)`` of that column, if one is asked for.
        """
        network, last = self._network, self._blocks[-1]
        parts, queries = [], []
        if new is not None:
            parts.append(new[1])
            queries.append(self._blocks[0].project_query(new[1]))
        if position is not None:  # the same in all rows
            num_rows = len(self._bias[rows])
            parts.append(network.positions[position].expand(num_rows, -1))
            queries.append(self._asking[position].expand(num_rows, -1))
        x, query = torch.stack(parts), torch.stack(queries)
        for number, block in enumerate(self._blocks):
            if new is not None:
                self._keep(number, [new[0]], rows, block.project_key_value(x[:1]))
                if block is last:
                    x = x[1:]  # nothing sees what would become of the visible tokens
            if len(x):
                query = block.project_query(x) if number else query[-len(x) :]
                x = block.after_attention(x, self._attend(number, query, rows))
        context: torch.Tensor = network.norm(x.flatten(0, 1))
        return context

    def select(self, index: torch.Tensor) -> None:
        """Keep (and repeat) the rows at ``index``."""
        self._insert_waiting()
        for segments in (*self._keys, *self._values):
            segments[:] = [segment.index_select(0, index) for segment in segments]
        self._bias = self._bias.index_select(0, index)

    def _start_rows(self, rows: slice, x: torch.Tensor, bias: torch.Tensor) -> None:
        """Keys and values of V tokens ``(V, B, D)`` of some rows, by a bias of V x V."""
        for number, block in enumerate(self._blocks):
            query, key_value = block.project(x)
            self._keep(number, range(self.count), rows, key_value)
            if block is not self._blocks[-1]:
                x = block.after_projections(x, query, key_value, bias)

    def _keep(
        self, number: int, places: Sequence[int], rows: Rows, key_value: torch.Tensor
    ) -> None:
        """Write keys with values ``(places, N, 2 D)`` of a block."""
        block = self._blocks[number]
        key, value = block.split_heads(key_value).chunk(2, dim=-1)
        for segments, new in ((self._keys[number], key), (self._values[number], value)):
            while len(segments) * self._size <= places[-1]:
                shape = len(self._bias), block.num_heads, self._size, block.head_width
                segments.append(new.new_zeros(shape))
            for place, vectors in zip(places, new, strict=True):
                segment, slot = divmod(place, self._size)
                segments[segment][rows, :, slot] = vectors

    def _attend(self, number: int, query: torch.Tensor, rows: Rows) -> torch.Tensor:
        """Attended values ``(Q, N, D)`` of a block for Q queries ``(Q, N, D)`` in each row."""
        block = self._blocks[number]
        shape = len(query), -1, block.head_width
        query = (query * block.scale).reshape(shape).transpose(0, 1)
        keys, values = (self._of(parts[number], rows) for parts in (self._keys, self._values))
        logits = torch.cat([query @ segment.transpose(1, 2) for segment in keys], dim=2)
        by_row = logits.unflatten(0, (-1, block.num_heads))
        by_row += self._bias_of(rows)[:, None, None, : logits.shape[-1]]
        weights = softmax(logits).split(self._size, dim=2)
        attended = weights[0] @ values[0]
        for weight, segment in zip(weights[1:], values[1:], strict=True):
            attended.baddbmm_(weight, segment)
        width = block.num_heads * block.head_width
        return attended.transpose(0, 1).reshape(shape[0], -1, width)

    def _bias_of(self, rows: Rows) -> torch.Tensor:
        """The bias ``(N, places)`` of some rows; ``(1, places)`` where it is the same for all."""
        return self._bias[:1] if all(self._everywhere) else self._bias[rows]

    def _of(self, segments: list[torch.Tensor], rows: Rows) -> list[torch.Tensor]:
        """Segments of some rows as matrices ``(N * heads, S, d)``: copies, or views of a slice."""
        if not isinstance(rows, slice):
            segments = [segment.index_select(0, rows) for segment in segments]
        return [segment.flatten(0, 1) for segment in segments]
