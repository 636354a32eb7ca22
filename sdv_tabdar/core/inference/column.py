"""Cells of one column, given their contexts: draws, draws among allowed pieces, log densities.

What both heads say of a cell is put together here: the code head of its code, the residual head of
its place in the code's bin.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import torch

from sdv_tabdar.core.codecs.pieces import Pieces
from sdv_tabdar.core.config import SamplingConfig
from sdv_tabdar.core.nn.heads.codes import among, draw_categorical
from sdv_tabdar.core.nn.network import TabDARNetwork

_TINY = 1e-300  # stands for a probability of zero, which has no logarithm
_NARROW = 1e-3  # of residuals: in less the distribution function differs by little but rounding


def draw_cells(
    network: TabDARNetwork,
    position: int,
    context: torch.Tensor,
    *,
    possible: torch.Tensor | None = None,
    config: SamplingConfig,
    generator: torch.Generator,
    group: int | None = None,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Draw cells of one column.

    Args:
        network: The network.
        position: The column.
        context: ``(N, D)``.
        possible: ``(N, K)`` bool, the codes that each of them may have; None for all.
        config: Sampling settings.
        generator: Source of randomness.
        group: Cells that are stratified together, see ``stratified_uniforms``.

    Returns:
        Codes and residuals, ``(N,)`` each.
    """
    codes = network.codes.sample(
        context, position, generator=generator, group=group, possible=possible
    )
    if not network.schema.columns[position].bins:
        return codes, torch.zeros(len(codes), device=codes.device)
    residuals = network.residuals.sample(
        context,
        network.residuals.bins(position, codes),
        config=config,
        generator=generator,
        group=group,
    )
    return codes, residuals


def draw_pieces(
    network: TabDARNetwork,
    position: int,
    context: torch.Tensor,
    pieces: Sequence[Pieces],
    *,
    possible: torch.Tensor | None = None,
    config: SamplingConfig,
    generator: torch.Generator,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Draw cells of one column, limited to pieces of their distributions.

    Codes are renormalised, and a bin that an interval cuts is entered through the distribution
    function of the residual.

    Args:
        network: The network.
        position: The column.
        context: ``(N, D)``.
        pieces: What each of the N cells may be.
        possible: ``(N, K)`` bool, the codes that they may have beside known cells; None for all.
            Pieces come first: where they leave none of these, all codes count.
        config: Sampling settings.
        generator: Source of randomness.

    Returns:
        Codes, residuals and the log probabilities of being among the pieces, ``(N,)`` each.
    """
    head = network.residuals
    logits = network.codes.logits(context, position)
    if possible is not None:
        logits = among(logits, possible | ~_any_possible(possible, pieces))
    logs = logits.log_softmax(dim=1)
    log_mass, *parts = _weighed(network, position, context, pieces, config, logs)
    chosen = draw_categorical(log_mass, generator=generator)[:, None]
    codes, low, high, below, up_to = (values.gather(1, chosen).squeeze(1) for values in parts)
    bins = head.bins(position, codes)
    residuals = head.sample_between(
        context, bins, low, high, config=config, generator=generator, cdf=(below, up_to)
    )
    return codes, residuals, log_mass.logsumexp(dim=1).float()


def log_mass(
    network: TabDARNetwork,
    position: int,
    context: torch.Tensor,
    pieces: Sequence[Pieces],
    *,
    possible: torch.Tensor | None = None,
    config: SamplingConfig,
) -> torch.Tensor:
    """Log probabilities ``(N,)`` that cells of one column are among pieces, in nats.

    Args:
        network: The network.
        position: The column.
        context: ``(N, D)``.
        pieces: What each of the N cells may be.
        possible: As in :func:`log_codes`.
        config: Sampling settings.
    """
    logs = log_codes(network, position, context, possible)
    return _weighed(network, position, context, pieces, config, logs)[0].logsumexp(dim=1).float()


def log_density(
    network: TabDARNetwork,
    position: int,
    context: torch.Tensor,
    codes: torch.Tensor,
    residuals: torch.Tensor | None,
    *,
    possible: torch.Tensor | None = None,
    config: SamplingConfig,
) -> torch.Tensor:
    """Log densities of cells of one column: of their codes, and per unit of their residuals.

    Args:
        network: The network.
        position: The column.
        context: ``(N, D)``.
        codes: ``(N,)``.
        residuals: ``(N,)``, or None for a categorical column.
        possible: As in :func:`log_codes`.
        config: Sampling settings.

    Returns:
        ``(N,)`` in nats.
    """
    logs = log_codes(network, position, context, possible)
    found = logs.gather(1, codes.long()[:, None]).squeeze(1)
    if residuals is None:
        return found
    bins = network.residuals.bins(position, codes)
    return found + network.residuals.log_density(context, bins, residuals, config=config)


def log_codes(
    network: TabDARNetwork, position: int, context: torch.Tensor, possible: torch.Tensor | None
) -> torch.Tensor:
    """Log probabilities ``(N, K)`` of the codes of one column, in nats.

    Args:
        network: The network.
        position: The column.
        context: ``(N, D)``.
        possible: ``(N, K)`` bool, the codes that cells may have beside known ones, None for all.
            The others share the probability that the row after training is the first such one, so
            that rows which training did not have are unlikely, and still can be compared.
    """
    logs = network.codes.log_probabilities(context, position)
    if possible is None:
        return logs
    unseen = 1 / (sum(network.schema.columns[position].counts) + 1)
    left, out = (
        logs.masked_fill(~kept, -torch.inf).logsumexp(dim=1, keepdim=True)
        for kept in (possible, ~possible)
    )
    is_all = possible.all(dim=1, keepdim=True)
    shift = torch.where(possible, math.log1p(-unseen) - left, math.log(unseen) - out)
    return torch.where(is_all, logs, logs + shift)


def _weighed(
    network: TabDARNetwork,
    position: int,
    context: torch.Tensor,
    pieces: Sequence[Pieces],
    config: SamplingConfig,
    logs: torch.Tensor,
) -> tuple[torch.Tensor, ...]:
    """Log masses of pieces, their codes, ends in residuals and cdf there, ``(N, P)`` each."""
    head = network.residuals
    codes, low, high, share = _stacked(pieces, context.device)
    bins = head.bins(position, codes)
    below = head.cdf(context, bins, low, config=config)
    up_to = head.cdf(context, bins, high, config=config)
    log_within = (up_to - below).clamp_min(_TINY).log()
    narrow = (bins >= 0) & (high - low < _NARROW)
    if narrow.any():
        rows, bins, width = narrow.nonzero()[:, 0], bins[narrow], (high - low)[narrow]
        middle = (high + low)[narrow] / 2
        ends = (middle - _NARROW / 2, middle + _NARROW / 2)
        start, stop = (head.cdf(context[rows], bins, end, config=config) for end in ends)
        log_within[narrow] = ((stop - start) * (width / _NARROW)).clamp_min(_TINY).log()
    log_code = logs.gather(1, codes).double()
    weights = log_code + log_within + share.clamp_min(_TINY).log()
    return weights, codes, low, high, below, up_to


def _any_possible(possible: torch.Tensor, pieces: Sequence[Pieces]) -> torch.Tensor:
    """Whether cells ``(N, 1)`` have pieces among the codes that they may have."""
    codes, _, _, share = _stacked(pieces, possible.device)
    return (possible.gather(1, codes) & (share > 0)).any(dim=1, keepdim=True)


def _stacked(
    pieces: Sequence[Pieces], device: torch.device
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """Codes, lower ends, upper ends and shares ``(N, P)`` of N cells' pieces.

    Cells with fewer than P pieces repeat code 0 with a share of 0.
    """
    distinct = list({id(piece): piece for piece in pieces}.values())
    number = {id(piece): index for index, piece in enumerate(distinct)}
    shape = (len(distinct), max(len(piece.codes) for piece in distinct))
    codes = np.zeros(shape, dtype=np.int64)
    low, high, share = np.full(shape, -np.inf), np.full(shape, np.inf), np.zeros(shape)
    sizes = np.array([len(piece.codes) for piece in distinct])
    filled = np.arange(shape[1]) < sizes[:, None]
    every = Pieces.joined(distinct)
    codes[filled], share[filled] = every.codes, every.share
    low[filled], high[filled] = every.low, every.high
    rows = torch.tensor([number[id(piece)] for piece in pieces])
    codes_, low_, high_, share_ = (
        torch.from_numpy(values)[rows].to(device) for values in (codes, low, high, share)
    )
    return codes_, low_, high_, share_
