"""Orders of the columns that are trained more than others: those in which rows will be drawn.

Where columns have weights for the orders in which they are drawn, half of the pairs of rows are
hidden along such orders and not along uniform ones, so that more is learnt of what drawing asks.
All hidden sets stay possible, for conditions and gaps, and in a cool-down they are uniform again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from sdv_tabdar.core.nn.network import TabDARNetwork
from sdv_tabdar.core.runtime.ranks import Ranks
from sdv_tabdar.core.table import EncodedTable
from sdv_tabdar.core.training.precedence import OF_TRAINING, precedence

_WEIGHED_AT = (0.1, 0.3)  # shares of the training


class TrainedOrders:
    """Weights of the columns in a training, which are measured while it goes on.

    Args:
        table: Its training table.
        network: The network that is trained; what it knows of weights from a former training
            counts until they are measured.
        ranks: Processes that train it together.

    Attributes:
        log_weights: ``(C,)`` on the table's device; None while nothing is known.
    """

    def __init__(self, table: EncodedTable, network: TabDARNetwork, ranks: Ranks) -> None:
        self._table, self._ranks = table, ranks
        self.log_weights = self._on_device(network.precedence)
        self._left = list(_WEIGHED_AT) if network.weighs_columns else []

    def due(self, share: float) -> bool:
        """Whether the columns are to be weighed after this share of the training."""
        return bool(self._left) and share >= self._left[0]

    def weigh(self, network: TabDARNetwork, rows_trained: int) -> None:
        """Weigh the columns by what a network knows, in evaluation mode, after so many rows."""
        self._left.pop(0)
        found = self._ranks.told(
            lambda: precedence(network, self._table, rows_trained, OF_TRAINING)
        )
        if found:
            self.log_weights = self._on_device(found)

    def stop(self) -> None:
        """Hide cells in uniform orders from now on."""
        self.log_weights, self._left = None, []

    def state(self) -> dict[str, Any]:
        """What :meth:`restore` needs, in plain types."""
        weights = self.log_weights
        found = [] if weights is None else weights.tolist()
        return {'log_weights': found, 'left': list(self._left)}

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from a :meth:`state`."""
        self.log_weights = self._on_device(state['log_weights'])
        self._left = list(state['left'])

    def _on_device(self, log_weights: Sequence[float]) -> torch.Tensor | None:
        if not log_weights:
            return None
        return torch.tensor(log_weights, device=self._table.codes.device)
