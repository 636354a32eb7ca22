"""Loss and gradient of a training step: its rows shared out over ranks and threads, or recorded."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable, Sequence

import torch

from sdv_tabdar.core.nn.lowered import lowered
from sdv_tabdar.core.nn.network import TabDARNetwork
from sdv_tabdar.core.runtime.cuda_graph import Results, recorded
from sdv_tabdar.core.runtime.random import split_generator
from sdv_tabdar.core.runtime.ranks import ALONE, Ranks
from sdv_tabdar.core.runtime.threads import Workers
from sdv_tabdar.core.table import EncodedTable

Share = Callable[[torch.Tensor], Results]
BatchLoss = Callable[[TabDARNetwork, EncodedTable, torch.Generator], torch.Tensor]
"""``loss(network, rows, generator)``, the mean over the rows as a scalar."""

_TAIL = 8  # numbers that ranks exchange beside the gradients: the loss and signals

_logger = logging.getLogger(__name__)


class LowPrecisionCopy:
    """A network whose blocks have weights of a shorter type, where that is faster.

    The optimizers work on the exact weights, of which these are rounded copies (mixed precision
    with master weights: Micikevicius et al. 2018, doi:10.48550/arXiv.1710.03740). All other
    parameters are shared.

    Args:
        exact: The network that is trained.

    Attributes:
        network: The one to compute losses with.
        parameters: Its parameters, in the order of those of ``exact``.
    """

    def __init__(self, exact: TabDARNetwork) -> None:
        self.network = lowered(exact)
        self.parameters = list(self.network.parameters())
        pairs = zip(self.parameters, exact.parameters(), strict=True)
        different = [(copied, source) for copied, source in pairs if copied is not source]
        self._copies: list[torch.Tensor] = [copied for copied, _ in different]
        self._sources: list[torch.Tensor] = [source for _, source in different]

    @torch.no_grad()
    def update(self) -> None:
        """Round the exact weights anew."""
        if self._copies:
            torch._foreach_copy_(self._copies, self._sources)


class StepGradient:
    """Leaves the gradient of a step with a network's parameters.

    Args:
        network: The network that is trained.
        table: The training table.
        batch_loss: Loss of some of its rows.
        batch_size: Rows of a step.
        team: Threads, each of which computes the gradient of its share of the rows.
        generator: Seeds a generator for each of them, of all ranks.
        ranks: Each of which computes the gradient of its share of the rows.

    Attributes:
        generators: Those of this rank.
    """

    def __init__(
        self,
        network: TabDARNetwork,
        table: EncodedTable,
        batch_loss: BatchLoss,
        batch_size: int,
        team: Workers,
        generator: torch.Generator,
        ranks: Ranks = ALONE,
    ) -> None:
        self._ranks = ranks
        self._table, self._batch_loss, self._batch_size = table, batch_loss, batch_size
        self._team = team
        self._working = LowPrecisionCopy(network)
        parameters = list(network.parameters())
        sizes = [parameter.numel() for parameter in parameters]
        self._exchanged = torch.zeros(sum(sizes) + _TAIL, device=table.codes.device)
        *parts, self._tail = self._exchanged.split([*sizes, _TAIL])
        self._sums = [
            part.view_as(parameter) for part, parameter in zip(parts, parameters, strict=True)
        ]
        for parameter, gradient in zip(parameters, self._sums, strict=True):
            parameter.grad = gradient
        first = ranks.rank * team.number
        seeded = split_generator(generator, ranks.number * team.number)
        self.generators = seeded[first : first + team.number]
        self._pieces = 1
        self._shares: dict[tuple[int, int], Share] = {}

    def compute(self, rows: torch.Tensor, signals: Sequence[torch.Tensor] = ()) -> torch.Tensor:
        """Gradient and loss of the rows at ``rows`` ``(batch_size,)``.

        Where a GPU has not enough memory for them, in several pieces from then on.

        Args:
            rows: The same on all ranks.
            signals: A few numbers that are added up over ranks in place, on the way of the
                gradients, which lie one behind the other for that.

        Each share's gradients are its own until they are added, so that no two threads write to
        the same place and the sum does not depend on which is first.

        Returns:
            The loss, a scalar without a gradient.
        """
        loss = self._compute_share(self._ranks.share(rows))
        if self._ranks.number == 1:
            return loss
        beside = [loss.view(1), *signals]
        parts = self._tail.split([*map(len, beside), _TAIL - sum(map(len, beside))])
        torch._foreach_copy_(list(parts[:-1]), beside)
        self._ranks.add_up_in_place(self._exchanged)
        torch._foreach_copy_(beside, list(parts[:-1]))
        return loss

    def _compute_share(self, rows: torch.Tensor) -> torch.Tensor:
        """Gradient and loss of this rank's rows."""
        if not len(rows):  # fewer in a step than ranks
            torch._foreach_zero_(self._sums)
            return torch.zeros((), device=rows.device)
        while True:
            try:
                return self._add_up(rows)
            except torch.cuda.OutOfMemoryError:
                if self._pieces >= len(rows):
                    raise
            # Outside of the handler, whose error keeps the step's tensors alive.
            self._shares.clear()
            torch.cuda.empty_cache()
            self._pieces *= 2
            size = -(-len(rows) // self._pieces)
            _logger.warning(
                'The GPU is out of memory. A training step of %d rows is now computed %d rows at '
                'a time, with their gradients added.',
                len(rows),
                size,
            )

    def _add_up(self, rows: torch.Tensor) -> torch.Tensor:
        """Gradient and loss of the rows, some pieces of them one after the other."""
        total = torch.zeros((), device=rows.device)
        for number, piece in enumerate(rows.tensor_split(self._pieces)):
            parts = piece.tensor_split(self._team.number)
            tasks = [functools.partial(self._compute, *pair) for pair in enumerate(parts)]
            for thread, (loss, gradients) in enumerate(self._team.run(tasks)):
                total = total + loss
                if number or thread:
                    torch._foreach_add_(self._sums, gradients)
                else:
                    torch._foreach_copy_(self._sums, gradients)
        return total

    def _compute(self, thread: int, rows: torch.Tensor) -> Results:
        """What a thread does: its share of the rows, recorded once for each number of them."""
        share = self._shares.get((thread, len(rows)))
        if share is None:
            share = recorded(self._share, rows, self.generators[thread])
            self._shares[thread, len(rows)] = share
        return share(rows)

    def weights_changed(self) -> None:
        """Take over what the optimizers did to the network."""
        self._working.update()

    def loss_changed(self) -> None:
        """Record the loss anew, where it is recorded."""
        self._shares.clear()

    def _share(self, rows: torch.Tensor, generator: torch.Generator) -> Results:
        """Loss and gradients of a part of a step's rows, by its share of them."""
        loss = self._batch_loss(self._working.network, self._table.rows(rows), generator)
        loss = loss * (len(rows) / self._batch_size)
        gradients = torch.autograd.grad(loss, self._working.parameters, materialize_grads=True)
        return loss.detach(), gradients
