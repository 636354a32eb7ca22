"""Muon: momentum whose matrices are made orthogonal before they are applied.

The update of a weight matrix is the nearest orthogonal matrix to its momentum, so that all of its
directions are learnt at the same pace, and not only the few that dominate a gradient.

Source: Jordan et al. 2024, 'Muon: an optimizer for hidden layers in neural networks'; the scale of
the update is that of Liu et al. 2025, doi:10.48550/arXiv.2502.16982, which makes AdamW's learning
rates fit.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch

_COEFFICIENTS = (3.4445, -4.7750, 2.0315)
_RMS = 0.2  # of an update of AdamW


class Muon(torch.optim.Optimizer):
    """For parameters of two dimensions, and of three for stacks of matrices.

    Args:
        parameters: Weights of hidden layers.
        lr: Learning rate, as for AdamW.
        momentum: Decay of the mean gradient.
        weight_decay: Decoupled weight decay.
        num_iterations: Newton-Schulz steps towards an orthogonal matrix.
        dtype: Of these steps, which bear rounding well.
    """

    def __init__(
        self,
        parameters: Iterable[torch.Tensor],
        *,
        lr: float,
        momentum: float = 0.95,
        weight_decay: float = 0.0,
        num_iterations: int = 3,
        dtype: torch.dtype = torch.float32,
    ) -> None:
        settings = {
            'lr': lr,
            'momentum': momentum,
            'weight_decay': weight_decay,
            'num_iterations': num_iterations,
            'dtype': dtype,
        }
        super().__init__(parameters, settings)

    @torch.no_grad()
    def step(self, closure: Any = None) -> None:  # type: ignore[override]
        """Apply one update; parameters of one shape go through it together."""
        for group in self.param_groups:
            by_shape: dict[tuple[int, ...], list[torch.Tensor]] = {}
            for parameter in group['params']:
                if parameter.grad is not None:
                    by_shape.setdefault(tuple(parameter.shape[-2:]), []).append(parameter)
            for shape, parameters in by_shape.items():
                self._update(parameters, shape, group)

    def _update(
        self, parameters: list[torch.Tensor], shape: tuple[int, ...], group: dict[str, Any]
    ) -> None:
        gradients = [parameter.grad for parameter in parameters if parameter.grad is not None]
        means = [self._mean(parameter) for parameter in parameters]
        torch._foreach_lerp_(means, gradients, 1 - group['momentum'])
        # Nesterov's momentum: the mean as it would be after the same gradient once more.
        ahead = torch._foreach_lerp(gradients, means, group['momentum'])
        stacked = torch.cat([matrix.reshape(-1, *shape) for matrix in ahead])
        updates = orthogonalised(stacked, group['num_iterations'], group['dtype']).to(stacked)
        sizes = [parameter.numel() // (shape[0] * shape[1]) for parameter in parameters]
        directions = [
            update.view_as(parameter)
            for update, parameter in zip(updates.split(sizes), parameters, strict=True)
        ]
        torch._foreach_mul_(parameters, 1 - group['lr'] * group['weight_decay'])
        rate = group['lr'] * _RMS * max(shape) ** 0.5
        torch._foreach_add_(parameters, directions, alpha=-rate)

    def _mean(self, parameter: torch.Tensor) -> torch.Tensor:
        state = self.state[parameter]
        if 'mean' not in state:
            state['mean'] = torch.zeros_like(parameter)
        mean: torch.Tensor = state['mean']
        return mean


def orthogonalised(
    matrices: torch.Tensor, num_iterations: int, dtype: torch.dtype = torch.float32
) -> torch.Tensor:
    """Matrices ``(N, R, C)`` with all singular values near 1 and the same singular vectors."""
    is_tall = matrices.shape[1] > matrices.shape[2]
    x = matrices.transpose(1, 2) if is_tall else matrices
    x = (x / x.norm(dim=(1, 2), keepdim=True).clamp_min(1e-12)).to(dtype)
    linear, cubic, quintic = _COEFFICIENTS
    for _ in range(num_iterations):
        square = x @ x.transpose(1, 2)
        odd = torch.baddbmm(square, square, square, beta=cubic, alpha=quintic)
        x = torch.baddbmm(x, odd, x, beta=linear)
    return x.transpose(1, 2) if is_tall else x
