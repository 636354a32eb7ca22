"""A table as the network sees it."""

from __future__ import annotations

import dataclasses

import torch


@dataclasses.dataclass
class EncodedTable:
    """Codes, residuals and which cells are known.

    Attributes:
        codes: ``(B, C)`` integers (the smallest dtype that holds them); code of each cell.
        residuals: ``(B, C_num)`` float32; place inside the bin as a normal score of standard
            deviation 0.5, zero where the code carries none.
        observed: ``(B, C)`` bool; True = the model may see the cell.
    """

    codes: torch.Tensor
    residuals: torch.Tensor
    observed: torch.Tensor

    def __post_init__(self) -> None:
        """Check that the three parts belong together."""
        assert self.codes.shape == self.observed.shape
        assert self.residuals.shape[0] == self.codes.shape[0]
        assert self.observed.dtype == torch.bool

    def __len__(self) -> int:
        """Number of rows, B."""
        return self.codes.shape[0]

    def rows(self, index: torch.Tensor | slice) -> EncodedTable:
        """The rows at ``index`` (a view where ``index`` is a slice)."""
        return EncodedTable(self.codes[index], self.residuals[index], self.observed[index])

    def to(self, device: torch.device) -> EncodedTable:
        """The same table on another device."""
        return EncodedTable(
            self.codes.to(device), self.residuals.to(device), self.observed.to(device)
        )
