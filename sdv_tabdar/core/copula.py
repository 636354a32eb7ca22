"""A Gaussian copula, and the law of one number in it given others.

With the normal scores z = Phi^-1(F(x)) of numbers in their columns, those of visible cells V say of
another one, j,

    mean  m = R_jV R_VV^-1 z_V,        variance  s^2 = 1 - R_jV R_VV^-1 R_Vj

(R are the correlations of the scores: Nelsen 2006, doi:10.1007/0-387-28678-0). Real columns have
heavier tails, and are not bound to each other everywhere. So how many times as dense a number lies
at the score z as in its column by itself is that of a mixture with weights w,

    b(z) = w_1 n(z; m, s) / n(z; 0, 1) + w_2 n(z; m, t) / n(z; 0, 1) + w_3,    t = min(3 s, 1).

What of it lies between two scores is in closed form. Nothing here knows what a table is.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator

import torch

WIDER = 3.0  # the second part of the mixture, beside the first
_LEAST_VARIANCE = 1e-6
_EDGE = 1e-9  # of places in (0, 1), whose normal scores are finite
_AT_ONCE = 1 << 22  # numbers of the matrices of rows, P * P of each, that are inverted together


@dataclasses.dataclass(frozen=True)
class TiedLaw:
    """The mixture of N cells.

    Attributes:
        mean: ``(N, ...)`` m.
        deviation: ``(N, ...)`` s; 1 where a cell is not tied, whose density is that of its column.
        weights: ``(N, ..., 3)``.
    """

    mean: torch.Tensor
    deviation: torch.Tensor
    weights: torch.Tensor

    def between(self, low: torch.Tensor, high: torch.Tensor) -> torch.Tensor:
        """The probability of places between two in the column, of the shape of the cells."""
        width = (high - low).clamp_min(torch.finfo(low.dtype).tiny)
        return self.mass(scores_of(low), scores_of(high), width) * width

    def at(self, places: torch.Tensor) -> torch.Tensor:
        """The density at places in the column, of the shape of the cells."""
        return self.density(scores_of(places))

    def mass(self, low: torch.Tensor, high: torch.Tensor, width: torch.Tensor) -> torch.Tensor:
        """The probability of scores between two, by what it is in the column itself.

        Args:
            low: Of the shape of the cells.
            high: Likewise.
            width: The probability of these scores in the column.
        """
        found = self.weights[..., 2]
        for weight, deviation in self._parts():
            ends = ((end - self.mean) / deviation for end in (low, high))
            found = found + weight * _between(*ends) / width
        return torch.where(self.deviation < 1, found, 1.0)

    def density(self, scores: torch.Tensor) -> torch.Tensor:
        """The function b of scores of the shape of the cells."""
        found = self.weights[..., 2]
        for weight, deviation in self._parts():
            away = (scores - self.mean) / deviation
            found = found + weight * ((scores**2 - away**2) / 2).exp() / deviation
        return torch.where(self.deviation < 1, found, 1.0)

    def _parts(self) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
        """Weights and standard deviations of the two parts that are normal."""
        yield self.weights[..., 0], self.deviation
        yield self.weights[..., 1], (WIDER * self.deviation).clamp_max(1.0)


def conditional(
    correlations: torch.Tensor, scores: torch.Tensor, visible: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """What visible scores say of all.

    Args:
        correlations: ``(P, P)``, float64.
        scores: ``(B, P)``, float64.
        visible: ``(B, P)`` bool.

    Returns:
        Means and standard deviations ``(B, P)``; of visible ones they mean nothing.
    """
    size = max(_AT_ONCE // correlations.numel(), 1)
    pieces = zip(scores.split(size), visible.split(size), strict=True)
    parts = [_conditional(correlations, *piece) for piece in pieces]
    mean, deviation = (torch.cat(part) for part in zip(*parts, strict=True))
    return mean, deviation


def _conditional(
    correlations: torch.Tensor, scores: torch.Tensor, visible: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """As :func:`conditional`, of rows whose matrices lie in memory together."""
    seen = visible.to(correlations.dtype)
    own = correlations * seen[:, None, :]  # of all with those that are visible
    among = own * seen[:, :, None] + torch.diag_embed(1 - seen)
    factor, _ = torch.linalg.cholesky_ex(among)
    share = torch.cholesky_solve(own.transpose(1, 2), factor)
    mean = ((scores * seen)[:, None, :] @ share).squeeze(1)
    variance = 1 - (share * own.transpose(1, 2)).sum(dim=1)
    return mean, variance.clamp(_LEAST_VARIANCE, 1.0).sqrt()


def scores_of(places: torch.Tensor) -> torch.Tensor:
    """Normal scores, finite, of places in [0, 1] in a column."""
    return torch.special.ndtri(places.clamp(_EDGE, 1 - _EDGE))


def variance_between(low: torch.Tensor, high: torch.Tensor) -> torch.Tensor:
    """The variance of a standard normal number between two places of its distribution."""
    ends = scores_of(low), scores_of(high)
    width = (high - low).clamp_min(_EDGE)
    first, second = (torch.exp(-(end**2) / 2) / math.sqrt(2 * math.pi) for end in ends)
    mean = (first - second) / width
    found = 1 + (ends[0] * first - ends[1] * second) / width - mean**2
    return torch.where(high > low, found, 0.0).clamp(0.0, 1.0)


def _between(low: torch.Tensor, high: torch.Tensor) -> torch.Tensor:
    """The probability of a standard normal number between two, precise also far from zero."""
    is_above = low > 0
    low, high = torch.where(is_above, -high, low), torch.where(is_above, -low, high)
    return torch.special.ndtr(high) - torch.special.ndtr(low)
