"""Gradients of single rows, clipped and with noise: what a step may learn under a privacy budget.

The sum over the rows of a step of

    g_i / (|g_i| + gamma)

changes by less than 1 in norm when a row comes or goes; Gaussian noise of standard deviation
``noise_multiplier`` in each coordinate makes it a Gaussian mechanism. Rows are in a step
independently of each other, each with the same probability (Poisson sampling), which is what the
accountant assumes.

Source: Abadi et al. 2016, doi:10.1145/2976749.2978318; the clipping without a threshold is that of
Bu et al. 2023, 'Automatic Clipping', doi:10.48550/arXiv.2206.07136.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import torch
from torch import nn
from torch.func import functional_call, grad, vmap
from torch.nn.attention import SDPBackend, sdpa_kernel

from sdv_tabdar.core.nn.network import TabDARNetwork
from sdv_tabdar.core.nn.pairs import pair_contexts
from sdv_tabdar.core.runtime.secret import secret_normals, secret_uniforms
from sdv_tabdar.core.table import EncodedTable

_GAMMA = 0.01  # keeps the gradient of a row that is known well from being blown up
_CHUNK = 16_000_000  # numbers of the gradients of the rows that are computed together
_GRID = 2.0**-24  # of the noise: sums and noise are whole multiples of it, see noisy_sum

Gradients = dict[str, torch.Tensor]


class RowLoss(nn.Module):
    """The loss of one row, a mean over several hidden sets of it.

    Args:
        network: The network.
    """

    def __init__(self, network: TabDARNetwork) -> None:
        super().__init__()
        self.network = network

    def forward(
        self, codes: torch.Tensor, residuals: torch.Tensor, sides: torch.Tensor
    ) -> torch.Tensor:
        """Nats per cell, of the codes alone.

        Args:
            codes: ``(C,)``.
            residuals: ``(C_num,)``.
            sides: ``(P, C)``, the first halves of P complementary pairs of hidden sets.

        Returns:
            A scalar.
        """
        num_pairs, num_columns = sides.shape
        codes = codes.expand(num_pairs, -1)
        context = pair_contexts(self.network, codes, residuals.expand(num_pairs, -1), sides)
        parts = zip(self.network.members, self.network.split(context), strict=True)
        of_members = [member.code_head.loss(codes.t(), own) for member, own in parts]
        losses = (sum(of_members[1:], of_members[0]) / len(of_members)).t()
        by_second = sides.sum(dim=1, keepdim=True)
        num_hidden = torch.where(sides, by_second, num_columns - by_second)
        return (losses / num_hidden).sum() / (2 * num_pairs)


class RowGradients:
    """Sums of clipped gradients of the rows of a table.

    Args:
        network: The network; its residual head must have nothing to learn.
        table: The encoded rows, on a CPU.
        pairs: Pairs of hidden sets of a row in a step; its gradient is that of the mean loss.
    """

    def __init__(self, network: TabDARNetwork, table: EncodedTable, pairs: int) -> None:
        self._module, self._table, self._pairs = RowLoss(network), table, pairs
        self.parameters: Mapping[str, nn.Parameter] = dict(self._module.named_parameters())
        self._buffers = dict(self._module.named_buffers())
        self._rows_at_once = max(
            _CHUNK // sum(parameter.numel() for parameter in self.parameters.values()), 1
        )
        self._of_rows = vmap(grad(self._loss), in_dims=(None, 0, 0, 0))

    def _loss(
        self,
        parameters: Gradients,
        codes: torch.Tensor,
        residuals: torch.Tensor,
        sides: torch.Tensor,
    ) -> torch.Tensor:
        found: torch.Tensor = functional_call(
            self._module, {**parameters, **self._buffers}, (codes, residuals, sides)
        )
        return found

    def clipped_sum(self, rows: torch.Tensor, *, generator: torch.Generator) -> Gradients:
        """The sum of the clipped gradients of some rows, each of norm less than 1.

        Args:
            rows: ``(B,)`` numbers of the rows; may be none.
            generator: Chooses the hidden sets of each row.
        """
        values = {name: value.detach() for name, value in self.parameters.items()}
        total = {name: torch.zeros_like(value) for name, value in values.items()}
        for part in rows.split(self._rows_at_once):
            if not len(part):
                continue
            table = self._table.rows(part)
            shape = (len(part), self._pairs, table.codes.shape[1])
            sides = own_sides(shape, generator=generator)
            with sdpa_kernel(SDPBackend.MATH):  # vmap takes the fused ones apart row by row
                found = self._of_rows(values, table.codes.long(), table.residuals, sides)
            factors = clipping_factors(found)
            told = factors > 0
            for name, gradients in found.items():
                rows_of = gradients.flatten(1)
                if not told.all():
                    rows_of = rows_of[told]
                total[name].view(-1).addmv_(rows_of.t(), factors[told])
        return total


def own_sides(shape: tuple[int, int, int], *, generator: torch.Generator) -> torch.Tensor:
    """What the first halves of pairs of hidden sets see, for each row by itself.

    As ``masking.complementary_observed``, but stratified among the pairs of one row: hidden sets
    that depended on how many rows there are would let one row change the gradients of the others.

    Args:
        shape: ``(B, P, C)``.
        generator: Source of randomness.

    Returns:
        ``(B, P, C)`` bool.
    """
    num_rows, pairs, num_columns = shape
    place = torch.rand(num_rows, pairs, generator=generator).argsort(dim=1)
    inside = torch.rand(num_rows, pairs, generator=generator)
    hidden = ((place + inside) / pairs * (num_columns + 1)).long().clamp_max(num_columns)
    ranks = torch.rand(shape, generator=generator).argsort(dim=2).argsort(dim=2)
    return ranks >= hidden.unsqueeze(2)


def clipping_factors(gradients: Gradients) -> torch.Tensor:
    """What the gradient of each row is multiplied by, ``(B,)``: its norm is then less than 1.

    Args:
        gradients: By parameter, ``(B, ...)``.
    """
    squares = [part.flatten(1).square().sum(dim=1) for part in gradients.values()]
    norms = torch.stack(squares).sum(dim=0).sqrt()
    # A row whose gradient is not finite has no part in the sum.
    return torch.where(norms.isfinite(), 1 / (norms + _GAMMA), 0.0)


def noisy_sum(total: torch.Tensor, noise_multiplier: float) -> torch.Tensor:
    """A sum of clipped gradients with Gaussian noise from secret random numbers.

    Both are rounded to a grid first, so that the last digits of the result tell nothing of the sum
    (Mironov 2012, doi:10.1145/2382196.2382264).

    Args:
        total: The sum, of sensitivity 1.
        noise_multiplier: Standard deviation of the noise.
    """
    grid = _GRID * noise_multiplier
    noise = secret_normals(total.numel()).view(total.shape) * noise_multiplier
    steps = (total.double() / grid).round() + (noise / grid).round()
    return (steps * grid).to(total.dtype)


def rows_of_step(num_rows: int, rate: float) -> torch.Tensor:
    """Numbers of the rows of a step: each is among them with probability ``rate``, by itself."""
    return torch.nonzero(secret_uniforms(num_rows) < rate).squeeze(1)


def sensitivity_with_rounding(num_parameters: int, noise_multiplier: float) -> float:
    """By how much a clipped sum can change at most in norm, once it is rounded to the grid."""
    return 1.0 + math.sqrt(num_parameters) * _GRID * noise_multiplier
