"""Rows of a table in random order; of very many rows, in the memory of those that are asked for."""

from __future__ import annotations

import dataclasses
from typing import TypeAlias

import numpy as np
import torch

from sdv_tabdar.core.runtime.permutation import permuted

MANY = 1 << 22  # rows; the places of fewer are kept, of more they are computed


@dataclasses.dataclass(frozen=True)
class ComputedOrder:
    """The numbers of rows in an order that follows from a key.

    Attributes:
        size: How many rows it puts in order.
        key: Seed of the permutation; None leaves them as they are.
        start: How many of its first rows are left out.
        of: Which rows; None for the first ``size`` of a table.
        device: Where the numbers are wanted.
    """

    size: int
    device: torch.device
    key: int | None = None
    start: int = 0
    of: ComputedOrder | None = None

    def __len__(self) -> int:
        """How many rows there are."""
        return self.size - self.start

    def __getitem__(self, places: slice) -> torch.Tensor:
        """The numbers of the rows at some places that follow each other."""
        start, stop, step = places.indices(len(self))
        assert step == 1
        found = self.at(np.arange(start, max(start, stop), dtype=np.int64))
        return torch.from_numpy(found).to(self.device)

    def at(self, places: np.typing.NDArray[np.int64]) -> np.typing.NDArray[np.int64]:
        """The numbers of the rows at any places ``(N,)``."""
        numbers = places + self.start
        if self.key is not None:
            numbers = permuted(numbers, self.size, self.key)
        return numbers if self.of is None else self.of.at(numbers)


Rows: TypeAlias = torch.Tensor | ComputedOrder
"""Numbers of rows ``(N,)``: kept, or computed where there are very many."""


def all_rows(num_rows: int, device: torch.device) -> Rows:
    """The rows of a table as it has them."""
    if num_rows > MANY:
        return ComputedOrder(num_rows, device)
    return torch.arange(num_rows, device=device)


def shuffled(rows: Rows, generator: torch.Generator) -> Rows:
    """The same rows in random order."""
    device = generator.device
    if isinstance(rows, ComputedOrder):
        key = int(torch.randint(2**62, (1,), generator=generator, device=device))
        return ComputedOrder(len(rows), rows.device, key=key, of=rows)
    return rows[torch.randperm(len(rows), generator=generator, device=device)]


def beyond(rows: Rows, number: int) -> Rows:
    """The rows after the first ``number``."""
    if isinstance(rows, ComputedOrder):
        return dataclasses.replace(rows, start=rows.start + number)
    return rows[number:]


def some_rows(num_rows: int, number: int, generator: torch.Generator) -> torch.Tensor:
    """As many rows of a table as ``number`` says, chosen at random, on the CPU."""
    return shuffled(all_rows(num_rows, torch.device('cpu')), generator)[:number]
