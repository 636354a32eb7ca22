"""Tokens of crosses: what several cells of a row are together.

Attention adds up what it sees of each cell, and leaves products of several to the small layers
behind it. A cross has a vector for each of its levels, visible where all of its members are (the
'wide' part of wide and deep learning: Cheng et al. 2016, doi:10.1145/2988450.2988454).
"""

from __future__ import annotations

import torch
from torch import nn

from sdv_tabdar.core.schema import TableSchema

_SCALE = 0.3  # of a level's first vector, beside its cross's position


class CrossTokens(nn.Module):
    """Maps codes ``(B, C)`` to tokens of the X crosses of a table ``(X, B, D)``."""

    level: nn.Parameter
    position: nn.Parameter

    def __init__(self, schema: TableSchema, width: int) -> None:
        """Lay the levels of all crosses end to end."""
        super().__init__()
        self.members = [list(cross.members) for cross in schema.crosses]
        total = 0
        self.offsets: list[int] = []
        for number, cross in enumerate(schema.crosses):
            self.offsets.append(total)
            total += len(cross.levels)
            self.register_buffer(f'levels{number}', torch.tensor(cross.levels))
            factor = 1
            for place in reversed(range(len(cross.members))):
                groups = torch.tensor(cross.groups[place])
                self.register_buffer(f'digits{number}_{place}', groups * factor)
                factor *= int(groups.max()) + 1
        self.width, scale = width, width**-0.5
        self.register_parameter('level', None)  # a parameter without numbers has no gradient
        self.register_parameter('position', None)
        if self.members:
            self.level = nn.Parameter(torch.randn(total, width) * (scale * _SCALE))
            self.position = nn.Parameter(torch.randn(len(self), width) * scale)

    def __len__(self) -> int:
        """Number of crosses, X."""
        return len(self.members)

    def forward(self, codes: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Tokens ``(X, B, D)``, and whether training contained their levels ``(B, X)``."""
        if not self.members:
            known = torch.zeros(len(codes), 0, dtype=torch.bool, device=codes.device)
            return torch.zeros(0, len(codes), self.width, device=codes.device), known
        found = [self.levels_of(number, codes) for number in range(len(self))]
        tokens = [self.column(number, levels) for number, (levels, _) in enumerate(found)]
        return torch.stack(tokens), torch.stack([known for _, known in found], dim=1)

    def levels_of(self, number: int, codes: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Levels ``(B,)`` of one cross in rows ``(B, C)``, and whether training contained them."""
        levels = self.get_buffer(f'levels{number}')
        key = torch.zeros(len(codes), dtype=levels.dtype, device=codes.device)
        for place, member in enumerate(self.members[number]):
            key = key + self.get_buffer(f'digits{number}_{place}')[codes[:, member].long()]
        index = torch.searchsorted(levels, key).clamp_max(len(levels) - 1)
        return index, levels[index] == key

    def column(self, number: int, levels: torch.Tensor) -> torch.Tensor:
        """Tokens ``(N, D)`` of levels ``(N,)`` of one cross."""
        tokens = nn.functional.embedding(levels + self.offsets[number], self.level)
        return tokens + self.position[number]

    def observed(self, observed: torch.Tensor) -> torch.Tensor:
        """Whether all members are observed, ``(B, X)`` from ``(B, C)``."""
        found = [observed[:, members].all(dim=1) for members in self.members]
        if not found:
            return observed[:, :0]
        return torch.stack(found, dim=1)
