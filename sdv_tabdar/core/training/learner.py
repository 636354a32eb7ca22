"""What learns in a training: a network, the average of its weights, and their optimizers."""

from __future__ import annotations

from typing import Any

import torch

from sdv_tabdar.core.config import TrainingConfig
from sdv_tabdar.core.nn.network import TabDARNetwork
from sdv_tabdar.core.runtime.ranks import Ranks
from sdv_tabdar.core.runtime.threads import Workers
from sdv_tabdar.core.training.ema import Ema
from sdv_tabdar.core.training.optimizers import make_optimizers, update_weights

Weights = dict[str, Any]

_PLATEAU_PATIENCE = 50  # epochs


class Learner:
    """A network that its gradients change.

    Args:
        network: The network; it is changed.
        config: Training settings.
        learning_rate: The highest, of AdamW.
        weight_decay: Of all but biases, norms and positions.
        team: Threads that share the work.
        ranks: Processes that do.

    Attributes:
        network: The same network.
    """

    def __init__(
        self,
        network: TabDARNetwork,
        config: TrainingConfig,
        learning_rate: float,
        weight_decay: float,
        team: Workers,
        ranks: Ranks,
    ) -> None:
        self.network = network
        self._team, self._ranks = team, ranks
        self._ema = Ema(network, config.ema_decay) if config.ema_decay else None
        self._optimizers = make_optimizers(
            network, config, learning_rate, weight_decay, team.number
        )
        self._plateaus = [
            torch.optim.lr_scheduler.ReduceLROnPlateau(
                optimizer, factor=0.5, patience=_PLATEAU_PATIENCE
            )
            for optimizer in self._optimizers
        ]

    @property
    def averaged(self) -> TabDARNetwork:
        """The network with averaged weights, which is what samples."""
        return self._ema.network if self._ema is not None else self.network

    @property
    def rate(self) -> float:
        """AdamW's present learning rate."""
        return float(self._groups[0]['lr'])

    @property
    def highest_rate(self) -> float:
        """AdamW's highest learning rate."""
        return float(self._groups[0]['initial_lr'])

    def step(self) -> None:
        """Change the weights by the gradients that are there."""
        update_weights(self._optimizers, self._team, self._ranks)
        if self._ema is not None:
            self._ema.update()

    def set_rate(self, factor: float) -> None:
        """Learn at a part of the highest rate."""
        for group in self._groups:
            group['lr'] = group['initial_lr'] * factor

    def lower_rates(self, factor: float) -> None:
        """Make the present and the highest rate a part of what they are."""
        for group in self._groups:
            group['lr'] *= factor
            group['initial_lr'] *= factor

    def note_loss(self, loss: float) -> None:
        """Learn at half the rate where the losses of many epochs have not fallen."""
        for plateau in self._plateaus:
            plateau.step(loss)

    @torch.no_grad()
    def is_finite(self) -> bool:
        """Whether all weights are finite numbers."""
        norms = torch._foreach_norm(list(self.network.parameters()))
        return bool(torch.stack(list(norms)).isfinite().all())

    def weights(self) -> Weights:
        """A copy of what :meth:`step` changes."""
        return {
            'network': _copied(self.network.state_dict()),
            'ema': _copied(self._ema.network.state_dict()) if self._ema else {},
            'ema_steps': self._ema.steps if self._ema else 0,
            'optimizers': [_copied(one.state_dict()['state']) for one in self._optimizers],
        }

    def set_weights(self, weights: Weights) -> None:
        """Go back to :meth:`weights`; learning rates stay."""
        self.network.load_state_dict(weights['network'])
        if self._ema is not None:
            self._ema.network.load_state_dict(weights['ema'])
            self._ema.steps = weights['ema_steps']
        for optimizer, state in zip(self._optimizers, weights['optimizers'], strict=True):
            groups = optimizer.state_dict()['param_groups']
            optimizer.load_state_dict({'state': _copied(state), 'param_groups': groups})

    def rates(self) -> dict[str, Any]:
        """Where the learning rates stand, in plain types."""
        return {
            'rates': [
                [(group['lr'], group['initial_lr']) for group in optimizer.param_groups]
                for optimizer in self._optimizers
            ],
            'plateaus': [_plain_state(plateau) for plateau in self._plateaus],
        }

    def set_rates(self, state: dict[str, Any]) -> None:
        """Go back to :meth:`rates`."""
        for optimizer, rates in zip(self._optimizers, state['rates'], strict=True):
            for group, (rate, initial) in zip(optimizer.param_groups, rates, strict=True):
                group['lr'], group['initial_lr'] = rate, initial
        for plateau, own in zip(self._plateaus, state['plateaus'], strict=True):
            plateau.load_state_dict(own)

    @property
    def _groups(self) -> list[dict[str, Any]]:
        return [group for optimizer in self._optimizers for group in optimizer.param_groups]


def _copied(state: Any) -> Any:
    """A state with tensors of its own; what else is in it does not change."""
    if isinstance(state, torch.Tensor):
        return state.clone()
    if isinstance(state, dict):
        return {name: _copied(value) for name, value in state.items()}
    return state


def _plain_state(plateau: torch.optim.lr_scheduler.ReduceLROnPlateau) -> dict[str, Any]:
    plain = (bool, int, float, str, list)
    return {name: value for name, value in plateau.state_dict().items() if isinstance(value, plain)}
