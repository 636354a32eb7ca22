"""Which optimizer trains which parameters."""

from __future__ import annotations

import torch

from sdv_tabdar.core.config import TrainingConfig
from sdv_tabdar.core.nn.network import TabDARNetwork
from sdv_tabdar.core.runtime.device import matrix_type
from sdv_tabdar.core.training.muon import Muon, updating_work

_BETAS = (0.9, 0.98)
_MUON_FACTOR = 3.0  # Muon's learning rate, as a multiple of AdamW's


def make_optimizers(
    network: TabDARNetwork, config: TrainingConfig, learning_rate: float, number: int
) -> list[torch.optim.Optimizer]:
    """Muon for the matrices of hidden layers, if it is asked for, and AdamW for what remains.

    Args:
        network: Whose parameters are to be trained.
        config: For the kind of optimizer and the weight decay.
        learning_rate: AdamW's highest; Muon's is a multiple of it.
        number: How many Muons to share the matrices out to, for as many threads.

    Returns:
        Optimizers that may step at the same time; each group has its ``initial_lr``.
    """
    matrices = network.hidden_matrices() if config.optimizer == 'muon' else []
    others = {id(parameter): parameter for parameter in network.parameters()}
    for matrix in matrices:
        del others[id(matrix)]
    found: list[torch.optim.Optimizer] = [
        torch.optim.AdamW(
            others.values(),
            lr=learning_rate,
            betas=_BETAS,
            weight_decay=config.weight_decay,
            fused=True,
        )
    ]
    if matrices:
        rate = _MUON_FACTOR * learning_rate
        dtype = matrix_type(matrices[0].device, network.precision)
        found.extend(
            Muon(part, lr=rate, weight_decay=config.weight_decay, dtype=dtype)
            for part in _equal_parts(matrices, number)
        )
    for optimizer in found:
        for group in optimizer.param_groups:
            group['initial_lr'] = group['lr']
    return found


def _equal_parts(matrices: list[torch.Tensor], number: int) -> list[list[torch.Tensor]]:
    """At most ``number`` lists of about the same work for Muon, each of few shapes."""
    matrices = sorted(matrices, key=lambda matrix: sorted(matrix.shape[-2:]))
    parts: list[list[torch.Tensor]] = [[] for _ in range(number)]
    work = [updating_work(matrix) for matrix in matrices]
    done = 0
    for matrix, own in zip(matrices, work, strict=True):
        parts[int((done + own / 2) / sum(work) * number)].append(matrix)
        done += own
    return [part for part in parts if part]
