"""Predictions: the distribution of single cells given the others, in the user's own units."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
import torch

from sdv_tabdar.core.codecs.codec import Points, ResidualLaw
from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.codecs.pieces import Pieces
from sdv_tabdar.core.config import SamplingConfig
from sdv_tabdar.core.inference.chunk import rows_at_once, table_chunks
from sdv_tabdar.core.inference.column import draw_pieces, log_density, log_mass
from sdv_tabdar.core.nn.heads.codes import among
from sdv_tabdar.core.nn.incremental import context_beside
from sdv_tabdar.core.nn.network import TabDARNetwork
from sdv_tabdar.core.runtime.random import split_generator
from sdv_tabdar.core.runtime.threads import workers
from sdv_tabdar.core.table import EncodedTable

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int64]


def level_probabilities(
    encoder: TableEncoder,
    network: TabDARNetwork,
    table: EncodedTable,
    position: int,
    config: SamplingConfig,
) -> Floats:
    """Probabilities ``(B, levels)`` of a categorical column, given the other cells.

    Levels that share a code share its probability in proportion to their training counts.
    """
    codec = encoder.codecs[position]

    def answer(_: slice, chunk: EncodedTable) -> Floats:
        logits = network.codes.logits(context_beside(network, chunk, position), position)
        found = among(logits, _possible(network, chunk, position)).softmax(dim=1)
        return found.double().cpu().numpy()

    found = _by_chunk(network, table, config, answer)
    return codec.level_probabilities(
        np.concatenate([np.zeros((0, codec.column.num_codes)), *found])
    )


def quantiles_of(
    encoder: TableEncoder,
    network: TabDARNetwork,
    table: EncodedTable,
    position: int,
    levels: Floats,
    config: SamplingConfig,
    echoed: Floats | None = None,
) -> Floats:
    """Quantiles ``(B, len(levels))`` of a numerical column, given the others and not missing.

    The masses of the column's codes and the residual head's distributions within bins make the
    distribution function that the codec inverts. ``echoed`` ``(B,)`` are the numbers that
    the column's echo stands for; where it is NaN there is none.
    """
    codec, echo = encoder.codecs[position], encoder.schema.columns[position].echo

    def answer(rows: slice, chunk: EncodedTable) -> Floats:
        context = context_beside(network, chunk, position)
        logits = network.codes.logits(context, position)
        present = codec.column.num_codes - (codec.column.missing is not None)
        possible = _possible(network, chunk, position)
        if possible is not None:
            left = possible.clone()
            if codec.column.missing is not None:
                left[:, codec.column.missing] = False
            logits = among(logits, possible | ~left.any(dim=1, keepdim=True))
        law = _residual_law(network, context, position, config)
        if echo is None or echoed is None:
            masses = logits[:, :present].softmax(dim=1).double().cpu().numpy()
            return codec.quantiles(masses, levels, law)
        point = echoed[rows]
        logits[torch.from_numpy(np.isnan(point)).to(logits.device), echo] = -torch.inf
        kept = torch.cat([logits[:, :present], logits[:, echo, None]], dim=1)
        masses = kept.softmax(dim=1).double().cpu().numpy()
        return codec.quantiles(masses[:, :-1], levels, law, Points(point, masses[:, -1]))

    found = _by_chunk(network, table, config, answer)
    return np.concatenate([np.zeros((0, len(levels))), *found])


def cell_log_densities(
    network: TabDARNetwork, table: EncodedTable, position: int, config: SamplingConfig
) -> Floats:
    """Log density ``(B,)`` of the cells of one column, given the other observed cells.

    In nats, and per unit of the residual; the cells must be encoded, observed or not.
    """
    numerical = {column: place for place, column in enumerate(network.schema.numerical)}

    def answer(_: slice, chunk: EncodedTable) -> Floats:
        residuals = None
        if position in numerical:
            residuals = chunk.residuals[:, numerical[position]]
        context = context_beside(network, chunk, position)
        found = log_density(
            network,
            position,
            context,
            chunk.codes[:, position],
            residuals,
            possible=_possible(network, chunk, position),
            config=config,
        )
        return found.double().cpu().numpy()

    return np.concatenate([np.zeros(0), *_by_chunk(network, table, config, answer)])


def cell_log_masses(
    network: TabDARNetwork,
    table: EncodedTable,
    position: int,
    pieces: Sequence[Pieces],
    config: SamplingConfig,
) -> Floats:
    """Log probabilities ``(B,)`` that the cells of a column are among pieces, given the others."""

    def answer(rows: slice, chunk: EncodedTable) -> Floats:
        context = context_beside(network, chunk, position)
        possible = _possible(network, chunk, position)
        found = log_mass(network, position, context, pieces[rows], possible=possible, config=config)
        return found.double().cpu().numpy()

    return np.concatenate([np.zeros(0), *_by_chunk(network, table, config, answer)])


def drawn_again(
    network: TabDARNetwork,
    table: EncodedTable,
    position: int,
    rows: torch.Tensor,
    pieces: Sequence[Pieces],
    config: SamplingConfig,
    generator: torch.Generator,
) -> EncodedTable:
    """A table in which the cells of a column are drawn again in some rows.

    Args:
        network: The network.
        table: Completed rows.
        position: The column.
        rows: Index ``(N,)`` of the rows.
        pieces: Among which each of the N cells is drawn, given the others of its row.
        config: Sampling settings.
        generator: Source of randomness.
    """
    size = rows_at_once(config, table.codes.shape[1], network.pad.device)
    generators = split_generator(generator, len(range(0, len(rows), size)))

    def answer(part: slice, chunk: EncodedTable) -> Floats:
        context = context_beside(network, chunk, position)
        own = generators[part.start // size]
        codes, residuals, _ = draw_pieces(
            network,
            position,
            context,
            pieces[part],
            possible=_possible(network, chunk, position),
            config=config,
            generator=own,
        )
        return torch.stack([codes.double(), residuals.double()]).cpu().numpy()

    found = torch.from_numpy(
        np.concatenate(_by_chunk(network, table.rows(rows), config, answer), axis=1)
    )
    codes, residuals = table.codes.clone(), table.residuals.clone()
    codes[rows, position] = found[0].to(codes)
    if position in network.schema.numerical:
        residuals[rows, network.schema.numerical.index(position)] = found[1].to(residuals)
    return EncodedTable(codes, residuals, table.observed)


def _by_chunk(
    network: TabDARNetwork,
    table: EncodedTable,
    config: SamplingConfig,
    answer: Callable[[slice, EncodedTable], Floats],
) -> list[Floats]:
    """What is answered about each chunk of a table and its rows, side by side."""

    def alone(rows: slice, chunk: EncodedTable) -> Floats:
        with torch.no_grad():  # a setting of each thread
            return answer(rows, chunk)

    tasks, start = [], 0
    for chunk in table_chunks(table, network, config):
        tasks.append(functools.partial(alone, slice(start, start + len(chunk)), chunk))
        start += len(chunk)
    with workers(len(tasks), network.pad.device, single=True) as team:
        return list(team.run(tasks))


def _residual_law(
    network: TabDARNetwork, context: torch.Tensor, position: int, config: SamplingConfig
) -> ResidualLaw:
    """What the residual head says of a column's bins, given the contexts ``(B, D)`` of rows."""
    head = network.residuals

    def within(
        answer: Callable[..., torch.Tensor], rows: Codes, codes: Codes, numbers: Floats
    ) -> Floats:
        index, own, at = (
            torch.from_numpy(part).to(context.device) for part in (rows, codes, numbers)
        )
        found = answer(context[index], head.bins(position, own), at, config=config)
        result: Floats = found.double().cpu().numpy()
        return result

    return ResidualLaw(
        functools.partial(within, head.cdf), functools.partial(within, head.quantiles)
    )


def _possible(network: TabDARNetwork, table: EncodedTable, position: int) -> torch.Tensor | None:
    """The codes ``(B, K)`` that one column may have beside the others' known cells; or None."""
    return network.possible.beside(position, table.codes, table.observed, slice(None))
