"""The law of a number by its distance from another one.

An order is sent within three days and comes within a week: whatever the day of the one, that of the
other lies a little behind it. So its law is that of their difference, moved to the known number:
pieces [a_i, b_i] of differences have the shares h_i, and with the number x and the distribution
function F of the column,

    L(u) = w u + (1 - w) sum_i h_i clip((u - F(x + a_i)) / (F(x + b_i) - F(x + a_i)), 0, 1)

is the distribution function of places u in the column; inside a piece numbers are as dense as in
the column by itself. Pieces of which the column has nothing, such as days on which it never is, are
left out. Between a known number below and one above, the day of sending between order and receipt,
the density is the product of both. Nothing here knows what a table is.
"""

from __future__ import annotations

import dataclasses

import torch

LEAST_WIDTH = 1e-7  # of a piece that counts in full, as a share of the column


@dataclasses.dataclass(frozen=True)
class GapLaw:
    """The law of N cells, as a distribution function that is linear between places.

    Attributes:
        places: ``(N, 2 M)`` float64, where M pieces begin and end, in order.
        shares: ``(N, 2 M)`` float64, the distribution function of the pieces there.
        rest: ``(N,)`` w, the weight of the column by itself.
    """

    places: torch.Tensor
    shares: torch.Tensor
    rest: torch.Tensor

    def times(self, other: GapLaw) -> GapLaw:
        """The law whose density is in proportion to the product of both."""
        ends = torch.zeros_like(self.places[:, :1]), torch.ones_like(self.places[:, :1])
        places = torch.cat([self.places, other.places, *ends], dim=1).sort(dim=1).values
        middle = (places[:, 1:] + places[:, :-1]) / 2
        mass = self.at(middle) * other.at(middle) * places.diff(dim=1)
        up_to = mass.cumsum(dim=1)
        shares = torch.cat([ends[0], up_to / up_to[:, -1:]], dim=1)
        return GapLaw(places, shares, torch.zeros_like(self.rest))

    @classmethod
    def of(cls, ends: torch.Tensor, shares: torch.Tensor, rest: torch.Tensor) -> GapLaw:
        """That of pieces.

        Args:
            ends: ``(N, M, 2)`` where the pieces begin and end in the column, in order.
            shares: ``(N, M)`` of the differences; 0 for a piece that is none.
            rest: ``(N,)``.
        """
        width = ends[..., 1] - ends[..., 0]
        shares = shares * (width / (width + LEAST_WIDTH))
        total = shares.sum(dim=-1, keepdim=True)
        up_to = (shares / total.clamp_min(1e-12)).cumsum(dim=-1)
        before = torch.cat([torch.zeros_like(total), up_to[..., :-1]], dim=-1)
        steps = torch.stack([before, up_to], dim=-1)
        nothing = total.squeeze(-1) < LEAST_WIDTH
        return cls(ends.flatten(-2), steps.flatten(-2), torch.where(nothing, 1.0, rest))

    def between(self, low: torch.Tensor, high: torch.Tensor) -> torch.Tensor:
        """The probability of places between two, ``(N, ...)`` each."""
        return self._up_to(high) - self._up_to(low)

    def at(self, places: torch.Tensor) -> torch.Tensor:
        """The density at places ``(N, ...)``."""
        (first, begin), (last, end) = self._around(places)
        inside = (places >= first) & (places <= last)
        slope = torch.where(inside, (end - begin) / (last - first).clamp_min(1e-12), 0.0)
        rest = self._rest(places)
        return rest + (1 - rest) * slope

    def _up_to(self, places: torch.Tensor) -> torch.Tensor:
        (first, begin), (last, end) = self._around(places)
        along = ((places - first) / (last - first).clamp_min(1e-12)).clamp(0, 1)
        rest = self._rest(places)
        return rest * places + (1 - rest) * (begin + along * (end - begin))

    def _rest(self, places: torch.Tensor) -> torch.Tensor:
        return self.rest.reshape(-1, *(1 for _ in places.shape[1:]))

    def _around(
        self, places: torch.Tensor
    ) -> tuple[tuple[torch.Tensor, torch.Tensor], tuple[torch.Tensor, torch.Tensor]]:
        """The ends on both sides of places ``(N, ...)``, and the distribution function there."""
        flat = places.reshape(len(places), -1).contiguous()
        right = torch.searchsorted(self.places, flat, right=True)
        right = right.clamp(1, self.places.shape[1] - 1)
        (first, begin), (last, end) = (
            (self.places.gather(1, at), self.shares.gather(1, at)) for at in (right - 1, right)
        )
        shape = places.shape
        return (first.view(shape), begin.view(shape)), (last.view(shape), end.view(shape))


@dataclasses.dataclass(frozen=True)
class Marks:
    """A function that is linear between marks, and constant beyond them.

    Attributes:
        at: ``(..., T)`` float64, in order.
        values: ``(..., T)`` float64.
    """

    at: torch.Tensor
    values: torch.Tensor

    def __call__(self, places: torch.Tensor) -> torch.Tensor:
        """Its values ``(..., N)`` at places ``(..., N)``."""
        right = torch.searchsorted(self.at, places.contiguous(), right=True)
        right = right.clamp(1, self.at.shape[-1] - 1)
        first, last = self.at.gather(-1, right - 1), self.at.gather(-1, right)
        begin, end = self.values.gather(-1, right - 1), self.values.gather(-1, right)
        along = ((places - first) / (last - first).clamp_min(1e-300)).clamp(0, 1)
        return begin + along * (end - begin)
