"""Which optimizer trains which parameters."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence
from typing import Any

import torch

from sdv_tabdar.core.config import TrainingConfig
from sdv_tabdar.core.nn.network import TabDARNetwork
from sdv_tabdar.core.runtime.device import matrix_type
from sdv_tabdar.core.runtime.ranks import Ranks
from sdv_tabdar.core.runtime.threads import Workers
from sdv_tabdar.core.training.muon import Muon, updating_work

_BETAS = (0.9, 0.98)
_NOT_DECAYED = re.compile(r'bias|norm|(^|\.)(pad|positions)$')
_MANY_RANKS = 3
_MUON_FACTOR = 3.0  # Muon's learning rate, as a multiple of AdamW's


def make_optimizers(
    network: TabDARNetwork,
    config: TrainingConfig,
    learning_rate: float,
    weight_decay: float,
    number: int,
) -> list[torch.optim.Optimizer]:
    """Muon for the matrices of hidden layers, if it is asked for, and AdamW for what remains.

    Args:
        network: Whose parameters are to be trained.
        config: For the kind of optimizer.
        learning_rate: AdamW's highest; Muon's is a multiple of it.
        weight_decay: Of all but biases, norms and positions.
        number: How many Muons to share the matrices out to, for as many threads.

    Returns:
        Optimizers that may step at the same time; each group has its ``initial_lr``.
    """
    matrices = network.hidden_matrices() if config.optimizer == 'muon' else []
    own = {id(matrix) for matrix in matrices}
    others = [(name, value) for name, value in network.named_parameters() if id(value) not in own]
    decayed = [value for name, value in others if not _NOT_DECAYED.search(name)]
    rest = [value for name, value in others if _NOT_DECAYED.search(name)]
    groups: list[dict[str, Any]] = [
        {'params': decayed},
        {'params': rest, 'weight_decay': 0.0},
    ]
    found: list[torch.optim.Optimizer] = [
        torch.optim.AdamW(
            groups,
            lr=learning_rate,
            betas=_BETAS,
            weight_decay=weight_decay,
            fused=True,
        )
    ]
    if matrices:
        rate = _MUON_FACTOR * learning_rate
        dtype = matrix_type(matrices[0].device, network.precision)
        found.extend(
            Muon(part, lr=rate, weight_decay=weight_decay, dtype=dtype)
            for part in _equal_parts(matrices, number)
        )
    for optimizer in found:
        for group in optimizer.param_groups:
            group['initial_lr'] = group['lr']
    return found


def update_weights(
    optimizers: Sequence[torch.optim.Optimizer], team: Workers, ranks: Ranks
) -> None:
    """One step of all optimizers, side by side; with many ranks each has some of Muon's work."""
    muons = [optimizer for optimizer in optimizers if isinstance(optimizer, Muon)]
    if not muons or not shares_matrices(ranks.number):
        list(team.run([optimizer.step for optimizer in optimizers]))
        return
    shares = [functools.partial(muon.find_updates, ranks.number, ranks.rank) for muon in muons]
    others = [optimizer.step for optimizer in optimizers if not isinstance(optimizer, Muon)]
    tasks: list[Callable[[], Any]] = [*shares, *others]
    list(team.run(tasks))
    ranks.add_up([update for muon in muons for update in muon.updates])
    list(team.run([muon.apply_updates for muon in muons]))


def shares_matrices(number: int) -> bool:
    """Whether so many ranks share Muon's matrices, and exchange its updates.

    Two would wait for each other for longer than each needs to do all of the work.
    """
    return number >= _MANY_RANKS


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
