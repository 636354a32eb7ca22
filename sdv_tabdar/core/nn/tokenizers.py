"""From cells to tokens: column-specific linear maps of a code and, for numbers, of its place.

The paper's tokenizer is ``h_i = W_i x_i`` for a number x_i and a row of ``W_i`` for a category.
Here every cell has a code with a row of its own; a number adds ``W_i`` times its normal score, a
sum of piecewise linear functions of that score which all codes share (``ordinal``), and a slope of
its bin times its place in the bin.
"""

from __future__ import annotations

import torch
from torch import nn

from sdv_tabdar.core.diffusion import SIGMA_DATA
from sdv_tabdar.core.nn.ordinal import hats, nodes_of
from sdv_tabdar.core.schema import TableSchema

_EDGE = 1e-6  # keeps normal scores finite in float32
_OWN_SCALE = 0.3  # of what sets a code of a number apart, beside what all its codes share


class Tokenizer(nn.Module):
    """Maps codes ``(B, C)`` and residuals ``(B, C_num)`` to tokens ``(C, B, D)``.

    Source: paper, appendix 'Tokenizers and Transformers'.
    """

    offsets: torch.Tensor
    numerical: torch.Tensor
    low: torch.Tensor
    span: torch.Tensor
    layout: torch.Tensor

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
        own = torch.tensor(
            [
                _OWN_SCALE if column.uniform else 1.0
                for column in schema.columns
                for _ in range(column.num_codes)
            ]
        )
        self.code = nn.Parameter(torch.randn(total, width) * scale * own[:, None])
        self.slope = nn.Parameter(torch.zeros(total if schema.numerical else 0, width))
        self.score = nn.Parameter(torch.randn(len(schema.columns), width) * scale)
        self.nodes = nn.Parameter(torch.randn(len(schema.columns), nodes.shape[1], width) * scale)

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
        tokens = nn.functional.embedding(flat, self.code)
        if not len(self.numerical):
            return tokens
        numbers = self._numbers(flat[self.numerical], residuals.t(), self.numerical)
        return tokens.index_add(0, self.numerical, numbers)

    def column(
        self, position: int, codes: torch.Tensor, residuals: torch.Tensor | None
    ) -> torch.Tensor:
        """Tokens ``(N, D)`` of cells of one column; ``residuals`` is None for a categorical."""
        flat = codes.long() + self.offsets[position]
        tokens = nn.functional.embedding(flat, self.code)
        if residuals is not None:
            column = self.numerical.new_tensor([position])
            tokens = tokens + self._numbers(flat[None], residuals[None], column).squeeze(0)
        return tokens

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
