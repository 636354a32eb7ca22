"""Numbers in a bin, by a law of their column that known numbers say.

Nothing here knows what a table is, nor which law it is (:mod:`sdv_tabdar.core.copula`,
:mod:`sdv_tabdar.core.gaps`).
"""

from __future__ import annotations

import dataclasses
from typing import Protocol

import torch

_HALVINGS = 45  # of (0, 1), in the search for a place


class Law(Protocol):
    """A law of N numbers, by their places in their columns, from 0 to 1."""

    def between(self, low: torch.Tensor, high: torch.Tensor) -> torch.Tensor:
        """The probabilities ``(N,)`` of places between two."""

    def at(self, places: torch.Tensor) -> torch.Tensor:
        """The densities ``(N,)`` at places."""


@dataclasses.dataclass(frozen=True)
class TiedBins:
    """Bins of N cells, in which what lies evenly in the column lies as a law says.

    Attributes:
        law: The cells' law, float64.
        low: ``(N,)`` the least place of the bin in its column, from 0 to 1.
        span: ``(N,)`` the share of the column that it covers.
    """

    law: Law
    low: torch.Tensor
    span: torch.Tensor

    def cdf(self, places: torch.Tensor) -> torch.Tensor:
        """The distribution function ``(N,)`` at places ``(N,)`` in the bins, from 0 to 1."""
        return self._up_to(places) / self._up_to(torch.ones_like(places))

    def log_density(self, places: torch.Tensor) -> torch.Tensor:
        """The log of the derivative of :meth:`cdf`, ``(N,)``."""
        at = self.law.at(self.low + self.span * places)
        return (at * self.span / self._up_to(torch.ones_like(places))).log()

    def quantile(self, levels: torch.Tensor) -> torch.Tensor:
        """The places ``(N,)`` at which the distribution function is ``levels``."""
        low, high = torch.zeros_like(levels), torch.ones_like(levels)
        wanted = levels * self._up_to(high)
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            is_below = self._up_to(middle) < wanted
            low, high = torch.where(is_below, middle, low), torch.where(is_below, high, middle)
        return (low + high) / 2

    def _up_to(self, places: torch.Tensor) -> torch.Tensor:
        """The probability between the beginning of the bin and places in it."""
        return self.law.between(self.low, self.low + self.span * places)
