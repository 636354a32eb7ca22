"""From cells to tokens: column-specific linear maps of a code and, for numbers, of its place.

The paper's tokenizer is ``h_i = W_i x_i`` for a number x_i and a row of ``W_i`` for a category.
Here every cell has a code with a row of its own; levels in an order add what the number of their
place would, and a number adds ``W_i`` times its normal score, a
sum of piecewise linear functions of that score which all codes share (``ordinal``), and a slope of
its bin times its place in the bin.
"""

from __future__ import annotations

import torch
from torch import nn

from sdv_tabdar.core.diffusion import SIGMA_DATA
from sdv_tabdar.core.nn.ordinal import code_hats, code_scores, hats, nodes_of, without_place
from sdv_tabdar.core.schema import Column, ColumnKind, TableSchema

_EDGE = 1e-6  # keeps normal scores finite in float32
_OWN_SCALE = 0.3  # of what sets a code apart that is in an order, beside what all its codes share


class Tokenizer(nn.Module):
    """Maps codes ``(B, C)`` and residuals ``(B, C_num)`` to tokens ``(C, B, D)``.

    Source: paper, appendix 'Tokenizers and Transformers'.
    """

    offsets: torch.Tensor
    numerical: torch.Tensor
    low: torch.Tensor
    span: torch.Tensor
    layout: torch.Tensor
    level_shares: torch.Tensor
    level_codes: torch.Tensor

    def __init__(self, schema: TableSchema, width: int, num_scales: int) -> None:
        """Lay the codes of all columns end to end."""
        super().__init__()
        offsets, total = [], 0
        intervals: list[tuple[float, float]] = []
        for column in schema.columns:
            offsets.append(total)
            total += column.num_codes
            intervals.extend(column.uniform or [(0.0, 1.0)] * column.num_codes)
        uniform = torch.tensor(intervals, dtype=torch.float32)
        self.register_buffer('offsets', torch.tensor(offsets))
        self.register_buffer('numerical', torch.tensor(schema.numerical, dtype=torch.long))
        self.register_buffer('low', uniform[:, 0].clone())
        self.register_buffer('span', uniform[:, 1] - uniform[:, 0])
        nodes = nodes_of(num_scales).float()
        self.register_buffer('layout', nodes)
        scale = width**-0.5
        own = torch.tensor([share for column in schema.columns for share in _own_scales(column)])
        self.code = nn.Parameter(torch.randn(total, width) * scale * own[:, None])
        self.slope = nn.Parameter(torch.zeros(total if schema.numerical else 0, width))
        self.score = nn.Parameter(torch.randn(len(schema.columns), width) * scale)
        self.nodes = nn.Parameter(torch.randn(len(schema.columns), nodes.shape[1], width) * scale)
        self._lay_out_levels(schema, offsets, num_scales)

    def _lay_out_levels(self, schema: TableSchema, offsets: list[int], num_scales: int) -> None:
        """Note what the levels of ordered columns share, end to end, and which codes these are."""
        shares = [torch.zeros(0, self.nodes.shape[1] + 1)]
        codes: list[int] = []
        for position in schema.ordered:
            shares.append(_level_shares(schema.columns[position], num_scales))
            codes += range(offsets[position], offsets[position] + len(shares[-1]))
        self._ordered = list(schema.ordered)
        self._num_levels = [len(part) for part in shares[1:]]
        self.register_buffer('level_shares', torch.cat(shares))
        self.register_buffer('level_codes', torch.tensor(codes, dtype=torch.long))

    def normal_score(self, flat_codes: torch.Tensor, residuals: torch.Tensor) -> torch.Tensor:
        """Normal score (standard deviation 0.5) of numbers within their whole column.

        Args:
            flat_codes: ``(...)`` codes with their column's offset added.
            residuals: ``(...)`` places inside the codes' bins.
        """
        place = torch.special.ndtr(residuals / SIGMA_DATA)
        quantile = self.low[flat_codes] + self.span[flat_codes] * place
        return SIGMA_DATA * torch.special.ndtri(quantile.clamp(_EDGE, 1 - _EDGE))

    def forward(self, codes: torch.Tensor, residuals: torch.Tensor) -> torch.Tensor:
        """Tokens ``(C, B, D)`` of whole rows."""
        flat = codes.t().long() + self.offsets[:, None]
        tokens = nn.functional.embedding(flat, self._code_vectors())
        if not len(self.numerical):
            return tokens
        numbers = self._numbers(flat[self.numerical], residuals.t(), self.numerical)
        return tokens.index_add(0, self.numerical, numbers)

    def column(
        self, position: int, codes: torch.Tensor, residuals: torch.Tensor | None
    ) -> torch.Tensor:
        """Tokens ``(N, D)`` of cells of one column; ``residuals`` is None for a categorical."""
        flat = codes.long() + self.offsets[position]
        if position in self._ordered:
            return nn.functional.embedding(codes.long(), self._level_vectors(position))
        tokens = nn.functional.embedding(flat, self.code)
        if residuals is not None:
            column = self.numerical.new_tensor([position])
            tokens = tokens + self._numbers(flat[None], residuals[None], column).squeeze(0)
        return tokens

    def _code_vectors(self) -> torch.Tensor:
        """Vectors of the codes of all columns end to end, with what levels in an order share."""
        if not self._ordered:
            return self.code
        maps = torch.cat([self.nodes, self.score.unsqueeze(1)], dim=1).unbind()
        parts = zip(self.level_shares.split(self._num_levels), self._ordered, strict=True)
        shared = torch.cat([shares @ maps[position] for shares, position in parts])
        return self.code.index_add(0, self.level_codes, shared)

    def _level_vectors(self, position: int) -> torch.Tensor:
        """The part ``(K, D)`` of :meth:`_code_vectors` that is one ordered column's."""
        number = self._ordered.index(position)
        shares = self.level_shares.split(self._num_levels)[number]
        codes = self.level_codes.split(self._num_levels)[number]
        maps = torch.cat([self.nodes[position], self.score[position].unsqueeze(0)])
        return torch.addmm(self.code[codes], shares, maps)

    def _numbers(
        self, flat: torch.Tensor, residuals: torch.Tensor, columns: torch.Tensor
    ) -> torch.Tensor:
        """What numbers ``(G, N)`` of G columns add to the tokens of their codes, ``(G, N, D)``."""
        score = self.normal_score(flat, residuals)
        nearness = hats(score / SIGMA_DATA, self.layout)
        shares = torch.cat([nearness, score.unsqueeze(-1)], dim=-1)
        maps = torch.cat([self.nodes[columns], self.score[columns].unsqueeze(1)], dim=1)
        slope = nn.functional.embedding(flat, self.slope)
        return torch.baddbmm(residuals.unsqueeze(-1) * slope, shares, maps)


def _own_scales(column: Column) -> list[float]:
    """For each code the size of its own row at first; smaller where it is in an order."""
    apart = without_place(column) if column.kind is ColumnKind.CATEGORICAL else []
    placed = _OWN_SCALE if column.uniform else 1.0
    return [1.0 if code in apart else placed for code in range(column.num_codes)]


def _level_shares(column: Column, num_scales: int) -> torch.Tensor:
    """What the levels of an ordered column take of its nodes and of its score, ``(K, N + 1)``."""
    scores = SIGMA_DATA * code_scores(column).float()
    scores[without_place(column)] = 0
    return torch.cat([code_hats(column, num_scales), scores.unsqueeze(1)], dim=1)
