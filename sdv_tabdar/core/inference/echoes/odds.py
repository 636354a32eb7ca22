"""How likely readings of rows are, by what the network says of their cells."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np
import pandas as pd
import torch

from sdv_tabdar.core.codecs.echoes import Echo
from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.codecs.lines import Marks
from sdv_tabdar.core.codecs.pieces import Pieces
from sdv_tabdar.core.codecs.values import Floats
from sdv_tabdar.core.config import SamplingConfig
from sdv_tabdar.core.inference.echoes.cells import Rows, write_echoes, write_numbers
from sdv_tabdar.core.inference.echoes.family import Family
from sdv_tabdar.core.inference.predict import cell_log_densities, cell_log_masses
from sdv_tabdar.core.nn.network import TabDARNetwork
from sdv_tabdar.core.table import EncodedTable


@dataclasses.dataclass(frozen=True)
class Odds:
    """What says how likely readings are. All answers are logs, and given the other cells.

    Attributes:
        encoder: The codes.
        network: A trained network.
        config: Sampling settings.
    """

    encoder: TableEncoder
    network: TabDARNetwork
    config: SamplingConfig

    def of_numbers(self, part: EncodedTable, family: Family, values: Floats) -> Floats:
        """Density ``(N,)`` of the known numbers of a family, read in one way, and of its source.

        Args:
            part: N rows, in which the numbers are known.
            family: The numbers in these rows.
            values: ``(N,)``, the number of the source; NaN where it is another one than these,
                of which nothing is counted then.
        """
        table = EncodedTable(part.codes.clone(), part.residuals.clone(), part.observed.clone())
        follows, is_read = family.follows(values), ~np.isnan(family.own)
        for place, echo in enumerate(family.echoes):
            write_echoes(self.encoder, table, echo, np.flatnonzero(follows[:, place]))
            table.observed[torch.from_numpy(is_read[:, place]), echo.position] = False
        found = np.zeros(len(part))
        for place, echo in enumerate(family.echoes):
            rows = np.flatnonzero(is_read[:, place])
            numbers, is_echo = family.own[rows, place], follows[rows, place]
            found[rows] += self._next(table, echo.position, rows, numbers, is_echo)
        rows = np.flatnonzero(~np.isnan(values))
        write_numbers(self.encoder, table, family.source, rows, values[rows])
        is_echo = np.zeros(len(rows), dtype=bool)
        found[rows] += self._next(table, family.source, rows, values[rows], is_echo)
        return found - family.log_stretches(values)

    def of_echoes(self, part: EncodedTable, echo: Echo, sources: Sequence[Pieces | None]) -> Floats:
        """Probability ``(N,)`` that cells are echoes, and their sources among pieces."""
        table = part.rows(torch.arange(len(part)))
        write_echoes(self.encoder, table, echo, np.arange(len(part)))
        found = cell_log_densities(self.network, table, echo.position, self.config)
        table.observed[:, echo.position] = True
        return found + self.of_pieces(table, echo.source, sources)

    def of_pieces(
        self, part: EncodedTable, position: int, pieces: Sequence[Pieces | None]
    ) -> Floats:
        """Probability ``(N,)`` that cells of a column are among pieces; 0 where they are all."""
        found = np.zeros(len(part))
        places = [place for place, entry in enumerate(pieces) if entry is not None]
        if places:
            kept = [entry for entry in pieces if entry is not None]
            cells = part.rows(torch.tensor(places))
            found[places] = cell_log_masses(self.network, cells, position, kept, self.config)
        return found

    def _next(
        self, table: EncodedTable, position: int, rows: Rows, values: Floats, is_echo: Marks
    ) -> Floats:
        """Density ``(N,)`` of hidden cells of a column in N rows, which then are known.

        Args:
            table: The table; it is written into.
            position: The column.
            rows: Which rows.
            values: ``(N,)``, the numbers of the cells.
            is_echo: ``(N,)``, which of them count with the mass of their code.
        """
        if not len(rows):
            return np.zeros(0)
        codec, index = self.encoder.codecs[position], torch.from_numpy(rows)
        found = cell_log_densities(self.network, table.rows(index), position, self.config)
        volumes = codec.log_volume(pd.Series(values, name=codec.column.name))
        table.observed[index, position] = True
        return found + np.where(is_echo, 0.0, volumes)
