"""Rows as far as their echoes have been read."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

import numpy as np
import pandas as pd
import torch

from sdv_tabdar.core.codecs.echoes import Echo, codes_that_echo
from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.codecs.lines import Marks
from sdv_tabdar.core.codecs.pieces import Pieces
from sdv_tabdar.core.codecs.values import Floats, as_floats
from sdv_tabdar.core.inference.echoes.cells import Rows, write_echoes, write_numbers
from sdv_tabdar.core.restrictions import Restriction
from sdv_tabdar.core.table import EncodedTable

Entry = TypeVar('Entry')
Uniforms = Callable[[int], Floats]
"""Draws so many numbers in [0, 1)."""


@dataclasses.dataclass
class ReadRows:
    """Rows whose echoes have been read one way or the other; written into while that is done.

    Attributes:
        encoder: The codes.
        uniforms: By which readings are drawn; None takes the likeliest one.
        table: B rows. Sources that a reading makes known are observed.
        numbers: ``(B, C)`` the known numbers of columns with an echo or in order, and of sources;
            NaN for all other cells.
        restrictions: By name, one entry a row for the cells known in part.
        pieces: The same in codes, by position.
        log_shares: ``(B, C)`` log of the probability of the reading that was taken, at the hidden
            sources; 0 where there was no choice.
        log_stretches: ``(B, C)`` at the hidden sources log of their density by that of the column
            that tells them; 0 where nothing tells them.
        log_joints: ``(B, C)`` at the hidden sources the log density of what is known of the columns
            that may follow from them, given the other cells; NaN where nothing is.
        is_changed: Whether some echo was read.
    """

    encoder: TableEncoder
    uniforms: Uniforms | None
    table: EncodedTable
    numbers: Floats
    restrictions: dict[str, list[Restriction | None]]
    pieces: dict[int, list[Pieces | None]]
    log_shares: Floats = dataclasses.field(init=False)
    log_stretches: Floats = dataclasses.field(init=False)
    log_joints: Floats = dataclasses.field(init=False)
    is_changed: bool = False

    def __post_init__(self) -> None:
        """There is no choice yet."""
        self.log_shares = np.zeros(self.table.codes.shape)
        self.log_stretches = np.zeros(self.table.codes.shape)
        self.log_joints = np.full(self.table.codes.shape, np.nan)

    @classmethod
    def of(
        cls,
        encoder: TableEncoder,
        uniforms: Uniforms | None,
        frame: pd.DataFrame,
        known: Marks,
        restrictions: Mapping[str, Sequence[Restriction | None]],
    ) -> ReadRows:
        """The rows of a frame before anything is read."""
        table, names = encoder.encode(frame, known), encoder.schema.names
        numbers = np.full(table.codes.shape, np.nan)
        pairs = [*encoder.inequalities, *((echo.position, echo.source) for echo in encoder.echoes)]
        for position in {at for pair in pairs for at in pair}:
            if names[position] in frame.columns:
                cells = known[:, frame.columns.get_loc(names[position])]
                numbers[cells, position] = as_floats(frame[names[position]][cells])
        entries = {name: list(entries) for name, entries in restrictions.items()}
        return cls(encoder, uniforms, table, numbers, entries, encoder.restrict(restrictions))

    @property
    def told(self) -> Marks:
        """Cells ``(B, C)`` that are given or follow from given ones; no echoes of hidden cells."""
        found = self.table.observed.cpu().numpy().copy()
        codes = self.table.codes.cpu().numpy()
        for echo in self.encoder.echoes:
            own = echo.position
            found[:, own] &= (codes[:, own] != echo.code) | ~np.isnan(self.numbers[:, own])
        return found

    def own_numbers(self, echo: Echo) -> Floats:
        """The known numbers ``(B,)`` of a column that may be echoes; NaN for all other cells."""
        codec, code = self.encoder.codecs[echo.position], self.table.codes[:, echo.position].numpy()
        is_own = np.isin(code, codes_that_echo(codec, echo))
        is_own &= self.table.observed[:, echo.position].numpy()
        return np.where(is_own, self.numbers[:, echo.position], np.nan)

    def free(self, position: int) -> Marks:
        """In which rows ``(B,)`` a cell may be anything."""
        return ~self.limited(position) & ~self.table.observed[:, position].cpu().numpy()

    def limits(self, position: int, rows: Rows) -> list[Restriction | None]:
        """What the cells of a column may be, in some rows; None for anything."""
        return _of_rows(self.restrictions.get(self.encoder.schema.names[position]), rows)

    def limited(self, position: int) -> Marks:
        """In which rows ``(B,)`` something is asked of the cells of a column."""
        limits = self.restrictions.get(self.encoder.schema.names[position])
        if limits is None:
            return np.zeros(len(self.table), dtype=bool)
        return np.array([limit is not None for limit in limits], dtype=bool)

    def pieces_of(self, position: int, rows: Rows) -> list[Pieces | None]:
        """As :meth:`limits`, in codes."""
        return _of_rows(self.pieces.get(position), rows)

    def taken(self, position: int, rows: Rows, logs: Floats) -> Rows:
        """Which reading ``(N,)`` is taken of some rows.

        Args:
            position: The column that is noted to have been read.
            rows: Which N rows.
            logs: ``(N, R)``, logs of what the probabilities of the readings are multiples of; NaN
                for a reading without probability. Of rows without any the first one is taken.
        """
        logs = np.where(np.isnan(logs), -np.inf, logs)
        logs[np.isneginf(logs).all(axis=1), 0] = 0.0
        shares = torch.from_numpy(logs).softmax(dim=1).numpy()
        taken: Rows = shares.argmax(axis=1)
        if self.uniforms is not None:
            reached = shares.cumsum(axis=1)[:, :-1] <= self.uniforms(len(rows))[:, None]
            taken = reached.sum(axis=1)
        self.is_changed = True
        self.log_shares[rows, position] += np.log(shares[np.arange(len(rows)), taken])
        return taken

    def make_echoes(self, echo: Echo, rows: Rows) -> None:
        """Make the cells of a column in some rows echoes."""
        write_echoes(self.encoder, self.table, echo, rows)

    def make_known(self, position: int, rows: Rows, values: Floats) -> None:
        """Give the cells of a column in some rows numbers, which then are known."""
        write_numbers(self.encoder, self.table, position, rows, values)
        self.table.observed[torch.from_numpy(rows), position] = True
        self.numbers[rows, position] = values
        for row in rows.tolist() if position in self.pieces else ():
            self.pieces[position][row] = None


def _of_rows(entries: Sequence[Entry] | None, rows: Rows) -> list[Entry | None]:
    return [None if entries is None else entries[row] for row in rows.tolist()]
