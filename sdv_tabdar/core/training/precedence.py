"""Which columns to draw early: those of which the others know less than they know of the others.

By the chain rule it makes no difference in which order two cells become known. A network that was
trained on all conditionals is not consistent, though: what it knows of cell j from cell i may be
more than what it knows of i from j. Then i is better drawn before j. Here the gains

    gain(i, j) = E [log p(j | known, i) - log p(j | known)]

are measured along chains: the cells of some training rows become known one after the other, in a
random order of each row, and every hidden cell is asked before and after. A chain and its reverse
are asked together, as pairs of rows are in training. Column i gains

    sum over j  gain(i, j) - gain(j, i)

by being drawn before all others in place of after them.

What members of a cross tell only together (a day: its year, month and day) the last of them tells.
In other chains of the same rows the members of the first cross follow each other, so that this is
shared among them; these chains count where the members gain much more in them, and where there are
rows for one kind alone.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch

from sdv_tabdar.core.nn.network import TabDARNetwork
from sdv_tabdar.core.runtime.row_order import some_rows
from sdv_tabdar.core.table import EncodedTable
from sdv_tabdar.core.training.likelihood import cell_losses

OF_TRAINING, OF_DRAWING = 0.3, 0.5
"""Nats that make it e times as likely for a column to be the next, in orders that are trained, and
in those in which rows are drawn: these make a better mixture if they differ more."""

_MIN_ROWS = 1_000  # of a table; fewer say too little, and a training of them should be short
_ROWS, _FEWEST = 800, 150  # that are asked, and the fewest that are worth it ...
_CELLS = 4_000_000  # ... as no more cells than these are asked for ...
_SHARE_OF_TRAINING = 0.06  # ... and together no more rows than this of those trained
_TOGETHER = 0.3  # nats that members of a cross must gain by following each other
_SEED = 0  # of the rows and chains, which do not depend on the model's seed


@torch.no_grad()
def precedence(
    network: TabDARNetwork, table: EncodedTable, rows_trained: int, nats: float
) -> tuple[float, ...]:
    """Log weights of the columns, for orders in which they are trained or drawn.

    Args:
        network: A trained network that knows cells in any order, in evaluation mode.
        table: Its training table, on any device.
        rows_trained: Rows that all training steps had together; asking takes a small part of the
            time of these.
        nats: :data:`OF_TRAINING` or :data:`OF_DRAWING`.

    Returns:
        One for each column, in a form in which 0 for all is no preference; none where rows are
        too few, or columns too many, to tell.
    """
    num_columns, members = table.codes.shape[1], network.schema.leading
    times = num_columns + 1  # each row is asked
    most = min(_CELLS // (num_columns * times), int(_SHARE_OF_TRAINING * rows_trained / times))
    if len(table) < _MIN_ROWS or most < _FEWEST or num_columns < 2:
        return ()
    compares = bool(members) and most >= 2 * _FEWEST
    number = min(_ROWS, len(table), most // 2 if compares else most)
    generator = torch.Generator().manual_seed(_SEED)
    chosen = some_rows(len(table), number, generator).to(table.codes.device)
    rows = table.rows(chosen).to(network.pad.device)
    order = torch.rand(number, num_columns, generator=generator).argsort(dim=1)
    gained = _gained(network, rows, _following(order, members, generator) if members else order)
    if compares:
        apart = _gained(network, rows, order)
        if gained[[*members]].sum() <= apart[[*members]].sum() + _TOGETHER:
            gained = apart
    return tuple((gained / nats).tolist())


def _following(
    order: torch.Tensor, members: Sequence[int], generator: torch.Generator
) -> torch.Tensor:
    """These orders ``(N, C)`` with some columns after each other, at a random place."""
    places = torch.rand(order.shape, generator=generator)
    places[:, members] = places[:, members[:1]]
    return order.gather(1, places.gather(1, order).argsort(dim=1, stable=True))


def _gained(network: TabDARNetwork, table: EncodedTable, order: torch.Tensor) -> torch.Tensor:
    """``(C,)``, what columns gain by being drawn first and not last, in nats, along N chains.

    Args:
        network: The network.
        table: N rows.
        order: ``(N, C)``, the columns of each in the order in which they become known.
    """
    gains = _gains(network, table, order.argsort(dim=1))
    return (gains - gains.t()).sum(dim=1)


def _gains(network: TabDARNetwork, table: EncodedTable, ranks: torch.Tensor) -> torch.Tensor:
    """``(C, C)``, the mean gain of column j where column i becomes known.

    Args:
        network: The network.
        table: N rows.
        ranks: ``(N, C)``, when the cells of a row become known in its chain.
    """
    num_columns = ranks.shape[1]
    total = torch.zeros(num_columns, num_columns, dtype=torch.double)
    count = torch.zeros_like(total)
    before = total
    for known in range(num_columns + 1):
        observed = (ranks < known).to(table.codes.device)
        rows = EncodedTable(table.codes, table.residuals, observed)
        losses = cell_losses(network, rows).cpu().double()
        if known:
            added = (ranks == known - 1).to(torch.int8).argmax(dim=1)
            for gained, asked in (
                (before - losses, ranks >= known),  # the chain: hidden cells
                (losses - before, ranks < known - 1),  # its reverse: those hidden there
            ):
                total.index_add_(0, added, gained * asked)
                count.index_add_(0, added, asked.double())
        before = losses
    return total / count.clamp_min(1)
