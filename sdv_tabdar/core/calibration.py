"""The shares of codes among drawn rows, brought to those of the training table.

What a network gets slightly wrong in one cell is known to it in the next one, so that errors of a
row add up, and a column's shares among drawn rows differ a little from those that were trained on.
A bias on the logits of its codes takes most of it back:

    bias of code k  +=  s log(q_k / p_k)

where q are the shares of the training table, p those of rows that are drawn for it, and s in
[0, 1] is how much of their distance is more than the noise of drawing (James & Stein 1961),

    s = max(0, 1 - V / D),    D = sum_k (p_k - q_k)^2 / q_k,    V = sum_k Var(p_k) / q_k.

The variance is that of the mean over groups of rows that are drawn apart from each other.
"""

from __future__ import annotations

import itertools
import logging
from collections.abc import Callable

import torch

from sdv_tabdar.core.config import SamplingConfig
from sdv_tabdar.core.inference.complete import complete
from sdv_tabdar.core.nn.lowered import lowered
from sdv_tabdar.core.nn.network import TabDARNetwork
from sdv_tabdar.core.runtime.device import answering_device
from sdv_tabdar.core.table import EncodedTable

_logger = logging.getLogger(__name__)

_GROUPS, _FEWEST_GROUPS = 8, 4
_MOST_ROWS, _FEWEST_ROWS = 16_384, 1_024  # drawn in all; with fewer, noise would be all there is
_FEWEST_TRAINED = 1_500  # rows of a table; the shares of fewer are those of other rows by chance
_SHARE_OF_TRAINING = 0.5  # rows drawn for each pass of a row through training and each column


def rows_to_draw(rows_trained: int, num_columns: int) -> int:
    """How many rows calibration draws, so that it takes a small part of the time of training.

    Args:
        rows_trained: Rows that all training steps had together.
        num_columns: Columns of the table.

    Returns:
        The number; 0 where calibration would not be worth it.
    """
    rows = min(int(_SHARE_OF_TRAINING * rows_trained / num_columns), _MOST_ROWS)
    return rows if rows >= _FEWEST_ROWS else 0


@torch.no_grad()
def calibrate(
    network: TabDARNetwork, rows_trained: int, stop: Callable[[], bool] = lambda: False
) -> None:
    """Change the biases of the codes, so that drawn columns have the shares of the training table.

    Args:
        network: A trained network; its ``schema`` has the counts of the training table. It is moved
            to where it answers.
        rows_trained: Rows that all training steps had together; nothing changes if they are few,
            or if the table has few.
        stop: Asked before each group of rows whether to draw no more; nothing changes if few groups
            were drawn.
    """
    columns = network.schema.columns
    num_rows = rows_to_draw(rows_trained, len(columns))
    if not num_rows or sum(columns[0].counts) < _FEWEST_TRAINED:
        return
    network.to(answering_device(network.pad.device))
    seeds = itertools.takewhile(lambda _: not stop(), range(_GROUPS))
    drawn = [_drawn_codes(network, num_rows // _GROUPS, seed) for seed in seeds]
    if len(drawn) < _FEWEST_GROUPS:
        _logger.info('There was no time to bring the shares of drawn rows to those of the table.')
        return
    for position, column in enumerate(columns):
        groups = torch.stack(
            [codes[:, position].long().bincount(minlength=column.num_codes) for codes in drawn]
        )
        counts = torch.tensor(column.counts, dtype=torch.double)
        change = correction(groups.double(), counts)
        for member in network.members:
            bias = member.code_head.column_weights(position).bias[0, : column.num_codes]
            bias += change.to(bias)


def correction(groups: torch.Tensor, counts: torch.Tensor) -> torch.Tensor:
    """What to add to the logits ``(K,)`` of a column's codes.

    Args:
        groups: ``(G, K)`` how often each code was drawn, in each of G groups of as many rows.
        counts: ``(K,)`` how often training rows have it.
    """
    size = groups.sum()
    wanted = (counts + 1) / (counts + 1).sum()  # no code is impossible
    share = groups.sum(dim=0) / size
    variance = (groups / groups.sum(dim=1, keepdim=True)).var(dim=0) / len(groups)
    distance = ((share - wanted) ** 2 / wanted).sum()
    noise = (variance / wanted).sum()
    trust = (1 - noise / distance).clamp_min(0) if distance > 0 else 0.0
    return trust * ((wanted + 1 / size) / (share + 1 / size)).log()


def _drawn_codes(network: TabDARNetwork, num_rows: int, seed: int) -> torch.Tensor:
    """Codes ``(num_rows, C)`` of drawn rows, on the CPU."""
    schema = network.schema
    empty = EncodedTable(
        torch.zeros(num_rows, len(schema.columns), dtype=torch.long),
        torch.zeros(num_rows, len(schema.numerical)),
        torch.zeros(num_rows, len(schema.columns), dtype=torch.bool),
    )
    generator = torch.Generator(network.pad.device).manual_seed(seed)
    drawn = complete(lowered(network), empty, config=SamplingConfig(), generator=generator)
    return drawn.table.codes.cpu()
