"""How likely the known cells of frames are: log-likelihoods of rows, log densities of cells."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping

import numpy as np
import numpy.typing as npt
import pandas as pd
import torch

from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.config import SamplingConfig
from sdv_tabdar.core.inference.echoes.reader import EchoReader
from sdv_tabdar.core.inference.echoes.rows import ReadRows
from sdv_tabdar.core.inference.frames import known_cells, rounding_intervals, without
from sdv_tabdar.core.inference.likelihood import log_likelihood
from sdv_tabdar.core.inference.predict import cell_log_densities
from sdv_tabdar.core.nn.network import TabDARNetwork
from sdv_tabdar.core.table import EncodedTable

Floats = npt.NDArray[np.float64]
Marks = npt.NDArray[np.bool_]
Progress = Callable[[int], None]


@dataclasses.dataclass(frozen=True)
class Scoring:
    """A trained network, and how likely it finds the rows of frames.

    Attributes:
        encoder: What writes values in the network's codes.
        network: A trained network.
        config: Sampling settings.
        generator: Source of all randomness, on the network's device.
    """

    encoder: TableEncoder
    network: TabDARNetwork
    config: SamplingConfig
    generator: torch.Generator

    def log_likelihood(
        self,
        frame: pd.DataFrame,
        observed: Marks | None,
        *,
        num_orders: int,
        by_column: bool,
        steps: Mapping[str, float],
        progress: Progress | None,
    ) -> Floats:
        """Log-likelihood of rows or of their cells, see ``TabDAR.log_likelihood``."""
        if num_orders < 1:
            raise ValueError(f'num_orders must be at least 1, however: num_orders={num_orders}.')
        known = known_cells(frame, observed, {})
        read = EchoReader(self.encoder, self.network, self.config).read(frame, known, {})
        table, given = read.table, self.encoder.by_position(frame, known)
        is_echo = self._is_echo(table)
        volumes = np.where(is_echo, 0.0, self.encoder.log_volume(frame, given))
        bare = ~given | is_echo | np.isneginf(volumes)
        intervals = rounding_intervals(frame, steps, bare, self.encoder.schema)
        rounded = self.encoder.restrict(intervals)
        found = log_likelihood(
            self.network,
            table,
            num_orders=num_orders,
            config=self.config,
            generator=self.generator,
            by_column=by_column,
            rounded=rounded,
            progress=progress,
        )
        for position, cells in rounded.items():
            volumes[[cell is not None for cell in cells], position] = 0.0
        logs: Floats = found.double().numpy()
        volumes += self._log_volumes_told(read, given) - read.log_stretches - read.log_shares
        if not by_column:
            return logs + volumes.sum(axis=1)
        logs += volumes
        for echo in reversed(self.encoder.echoes):  # what an echo tells of a hidden cell is its own
            hidden = ~given[:, echo.source]
            logs[hidden, echo.position] += logs[hidden, echo.source]
            logs[hidden, echo.source] = 0.0
        return logs

    def log_density(self, frame: pd.DataFrame, observed: Marks | None, column: str) -> Floats:
        """Log density of the cells of a column, see ``TabDAR.log_density``."""
        position = self.encoder.schema.position(column)
        known = known_cells(frame, observed, {})
        if not known[:, frame.columns.get_loc(column)].all():
            raise ValueError(f"Cells of column '{column}' are hidden and have no density.")
        table = self.encoder.encode(frame, known)
        found = cell_log_densities(self.network, table, position, self.config)
        given = self.encoder.by_position(frame, known)
        found = found + self.encoder.log_volume(frame, given)[:, position]
        own = [echo for echo in self.encoder.echoes if position in (echo.position, echo.source)]
        if not own:
            return found
        reader = EchoReader(self.encoder, self.network, self.config)
        whole, read = reader.read(frame, known, {}), reader.read(*without(frame, known, column), {})
        for source in [echo.source for echo in own if echo.position == position]:
            joint, rest = (part.log_joints[:, source] for part in (whole, read))
            found = np.where(np.isnan(joint), found, joint - np.nan_to_num(rest))
        echoes = [echo.position for echo in own if echo.source == position]
        repeated = (self._is_echo(table) & given)[:, echoes].any(axis=1)
        log_share = read.log_shares[:, position]
        with np.errstate(divide='ignore'):
            log_rest = np.log1p(-np.exp(log_share))
        is_taken = repeated == read.table.observed[:, position].numpy()
        return np.where(repeated, 0.0, found) + np.where(is_taken, log_share, log_rest)

    def _is_echo(self, table: EncodedTable) -> Marks:
        """Which cells ``(B, C)`` have the number of another one."""
        found = np.zeros(table.codes.shape, dtype=bool)
        for echo in self.encoder.echoes:
            found[:, echo.position] = table.codes[:, echo.position].numpy() == echo.code
        return found

    def _log_volumes_told(self, read: ReadRows, given: Marks) -> Floats:
        """As ``TableEncoder.log_volume``, of hidden cells that echoes tell; 0 for others."""
        volumes = np.zeros(given.shape)
        told = read.table.observed.numpy() & ~given & ~self._is_echo(read.table)
        for position in np.flatnonzero(told.any(axis=0)).tolist():
            codec, rows = self.encoder.codecs[position], told[:, position]
            numbers = pd.Series(read.numbers[rows, position], name=codec.column.name)
            volumes[rows, position] = codec.log_volume(numbers)
        return volumes
