"""Distributions of single cells, given the other known cells of their rows.

Probabilities of a categorical column's levels and quantiles of a numerical column, in the table's
own units, computed in chunks of rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from sdv_tabdar.core.codecs.categorical import CategoricalCodec
from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.codecs.numerical import NumericalCodec
from sdv_tabdar.core.config import SamplingConfig
from sdv_tabdar.core.inference.chunk import table_chunks
from sdv_tabdar.core.nn.network import TabDARNetwork
from sdv_tabdar.core.table import EncodedTable

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.signedinteger[Any]]

_BISECTIONS = 50


@torch.inference_mode()
def level_probabilities(
    encoder: TableEncoder,
    network: TabDARNetwork,
    table: EncodedTable,
    position: int,
    config: SamplingConfig,
) -> Floats:
    """Probability ``(B, levels)`` of each level of a categorical column, given the other cells.

    Levels that share a code share its probability in proportion to their training counts.
    """
    codec = encoder.codecs[position]
    assert isinstance(codec, CategoricalCodec)
    parts = [
        network.code_head.log_probabilities(_context(network, chunk, position), position)
        .exp()
        .cpu()
        .numpy()
        for chunk in table_chunks(table, network, config)
    ]
    num_codes = codec.column.num_codes
    by_code = np.concatenate(parts).astype(np.float64) if parts else np.zeros((0, num_codes))
    code_of_level = np.arange(len(codec.levels)).clip(max=num_codes - 1)
    return by_code[:, code_of_level] * codec.code_shares()


@torch.inference_mode()
def quantiles_of(
    encoder: TableEncoder,
    network: TabDARNetwork,
    table: EncodedTable,
    position: int,
    levels: Floats,
    config: SamplingConfig,
) -> Floats:
    """Quantiles ``(B, len(levels))`` of a numerical column, given the other cells and not missing.

    The distribution function of the column, which is made of the masses of its atoms and bins and
    of the residual head's distribution function within a bin, is inverted by bisection.
    """
    codec = encoder.codecs[position]
    assert isinstance(codec, NumericalCodec)
    parts = []
    for chunk in table_chunks(table, network, config):
        cells = _NumericalCells(codec, network, chunk, position, config)
        parts.append(np.stack([cells.quantile(level) for level in levels], axis=1))
    return np.concatenate(parts) if parts else np.zeros((0, len(levels)))


def _context(network: TabDARNetwork, table: EncodedTable, position: int) -> torch.Tensor:
    """The output z ``(B, D)`` for one column, given the observed cells of the other columns."""
    observed = table.observed.clone()
    observed[:, position] = False
    hidden = EncodedTable(table.codes, table.residuals, observed)
    return network.contexts(hidden)[:, position]


class _NumericalCells:
    """The distribution of one numerical column's cells in B rows."""

    def __init__(
        self,
        codec: NumericalCodec,
        network: TabDARNetwork,
        table: EncodedTable,
        position: int,
        config: SamplingConfig,
    ) -> None:
        self.codec, self.network, self.position, self.config = codec, network, position, config
        self.context = _context(network, table, position)
        logits = network.code_head.logits(self.context, position)
        present = codec.column.num_codes - (codec.column.missing is not None)
        self.mass = logits[:, :present].softmax(dim=1).double().cpu().numpy()

    def quantile(self, level: float) -> Floats:
        """Least value ``(B,)`` at which the distribution function reaches ``level``."""
        low, high = (np.full(len(self.mass), end) for end in self.codec.limits)
        low = np.nextafter(low, -np.inf)
        for _ in range(_BISECTIONS):
            middle = low + (high - low) / 2
            reached = self.cdf(middle) >= level
            low, high = np.where(reached, low, middle), np.where(reached, middle, high)
        return self._on_atoms(low, high)

    def cdf(self, values: Floats) -> Floats:
        """Probability ``(B,)`` of being at most ``values`` ``(B,)``."""
        codec, rows = self.codec, np.arange(len(values))
        below = np.searchsorted(codec.atoms, values, side='right')
        atoms = self.mass[:, : len(codec.atoms)].cumsum(axis=1)
        total = np.where(below > 0, atoms[rows, below - 1] if len(codec.atoms) else 0.0, 0.0)
        if not codec.knots:
            return total
        starts = np.array([knots[0] for knots in codec.knots])
        stops = np.array([knots[-1] for knots in codec.knots])
        bins = self.mass[:, codec.column.bins.start : codec.column.bins.stop]
        total = total + (bins * (values[:, None] >= stops)).sum(axis=1)
        number = np.searchsorted(starts, values, side='right') - 1
        inside = (number >= 0) & (values < stops[number.clip(min=0)])
        index = np.flatnonzero(inside)
        if len(index):
            total[index] += bins[index, number[index]] * self._within(index, number, values)
        return total

    def _within(self, index: Integers, number: Integers, values: Floats) -> Floats:
        """Distribution function within the bins ``number`` of the rows at ``index``."""
        codec, device = self.codec, self.context.device
        residuals = np.array(
            [codec.residual_at(int(number[row]), float(values[row])) for row in index]
        )
        head = self.network.residual_head
        codes = torch.from_numpy(codec.column.bins.start + number[index]).to(device)
        within: Floats = (
            head.cdf(
                self.context[torch.from_numpy(index).to(device)],
                head.bins(self.position, codes),
                torch.from_numpy(residuals).to(device),
                config=self.config,
            )
            .cpu()
            .numpy()
        )
        return within

    def _on_atoms(self, low: Floats, high: Floats) -> Floats:
        """``high``, or the atom between ``low`` and ``high`` where there is one."""
        atoms = self.codec.atoms
        if not len(atoms):
            return high
        after = np.searchsorted(atoms, low, side='right').clip(max=len(atoms) - 1)
        return np.where((atoms[after] > low) & (atoms[after] <= high), atoms[after], high)
