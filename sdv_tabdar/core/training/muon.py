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
        self._found: list[tuple[dict[str, Any], list[torch.Tensor], torch.Tensor]] = []

    @torch.no_grad()
    def step(self, closure: Any = None) -> None:  # type: ignore[override]
        """Apply one update; parameters of one shape go through it together.

        Of these either all have a gradient or none has.
        """
        self.find_updates()
        self.apply_updates()

    @torch.no_grad()
    def find_updates(self, ranks: int = 1, rank: int = 0) -> None:
        """The first half of a step: take in the gradients and make matrices orthogonal.

        Args:
            ranks: How many share the matrices, all of which have the same gradients.
            rank: Which of them this is.
        """
        self._found = [
            (group, parameters, self._ahead(parameters, group))
            for group in self.param_groups
            for parameters in _by_shape(group['params'])
        ]
        work = sum(updating_work(stack) for _, _, stack in self._found)
        done = 0
        for group, _, stack in self._found:
            first, last = (_cut(done, stack, work, part, ranks) for part in (rank, rank + 1))
            own = stack[first:last]
            if len(own):
                own.copy_(orthogonalised(own, group['num_iterations'], group['dtype']))
            stack[:first], stack[last:] = 0, 0
            done += updating_work(stack)

    @property
    def updates(self) -> list[torch.Tensor]:
        """Between the halves: a stack ``(N, R, C)`` of each shape, zero for other ranks' parts."""
        return [stack for _, _, stack in self._found]

    @torch.no_grad()
    def apply_updates(self) -> None:
        """The second half: change the parameters by what :attr:`updates` hold now."""
        for group, parameters, stack in self._found:
            wide = [_wide(parameter) for parameter in parameters]
            shape = stack.shape[-2:]
            updates = stack.split([one.numel() // shape.numel() for one in wide])
            if group['weight_decay']:
                torch._foreach_mul_(parameters, 1 - group['lr'] * group['weight_decay'])
            rate = group['lr'] * _RMS * max(shape) ** 0.5
            directions = [update.view_as(one) for update, one in zip(updates, wide, strict=True)]
            torch._foreach_add_(wide, directions, alpha=-rate)
        self._found = []

    def _ahead(self, parameters: list[torch.Tensor], group: dict[str, Any]) -> torch.Tensor:
        """Take in the gradients of parameters of one shape; the momentum of each matrix."""
        gradients = [
            _wide(parameter.grad) for parameter in parameters if parameter.grad is not None
        ]
        shape = gradients[0].shape[-2:]
        stacked = torch.cat([gradient.reshape(-1, *shape) for gradient in gradients])
        state = self.state[parameters[0]]
        if 'mean' not in state:
            state['mean'] = torch.zeros_like(stacked)
        mean = state['mean'].lerp_(stacked, 1 - group['momentum'])
        # Nesterov's momentum: the mean as it would be after the same gradient once more.
        return stacked.lerp_(mean, group['momentum'])


def _by_shape(parameters: list[torch.Tensor]) -> list[list[torch.Tensor]]:
    """Those that have a gradient, by the shape of their matrices."""
    found: dict[torch.Size, list[torch.Tensor]] = {}
    for parameter in parameters:
        if parameter.grad is not None:
            found.setdefault(_wide(parameter).shape[-2:], []).append(parameter)
    return list(found.values())


def _cut(done: int, stack: torch.Tensor, work: int, part: int, parts: int) -> int:
    """Where in a stack the matrices of a part begin, if all work is cut into equal parts.

    Args:
        done: Work of the stacks before.
        stack: The matrices.
        work: Of all stacks.
        part: Which part.
        parts: How many there are.
    """
    each = updating_work(stack) / len(stack)
    return min(max(round((work * part / parts - done) / each), 0), len(stack))


def updating_work(matrices: torch.Tensor) -> int:
    """Multiplications of a Newton-Schulz step, to share them out by."""
    rows, columns = _wide(matrices).shape[-2:]
    return matrices.numel() // columns * rows * (2 * columns + rows)


def _wide(matrices: torch.Tensor) -> torch.Tensor:
    """Transposed where there are more rows than columns."""
    return matrices.mT if matrices.shape[-2] > matrices.shape[-1] else matrices


def orthogonalised(
    matrices: torch.Tensor, num_iterations: int, dtype: torch.dtype = torch.float32
) -> torch.Tensor:
    """Matrices ``(N, R, C)`` with all singular values near 1 and the same singular vectors."""
    x = _wide(matrices)
    x = (x / x.norm(dim=(1, 2), keepdim=True).clamp_min(1e-12)).to(dtype)
    linear, cubic, quintic = _COEFFICIENTS
    for _ in range(num_iterations):
        square = x @ x.mT
        odd = torch.baddbmm(square, square, square, beta=cubic, alpha=quintic)
        x = torch.baddbmm(x, odd, x, beta=linear)
    return x if x.shape == matrices.shape else x.mT
