"""The way in: rows are read before the network completes them, mended and joined afterwards."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pandas as pd
import torch

from sdv_tabdar.core.codecs.echoes import Echo, sources_last_first
from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.codecs.lines import Marks
from sdv_tabdar.core.codecs.pieces import Pieces
from sdv_tabdar.core.codecs.values import Floats, as_floats
from sdv_tabdar.core.config import SamplingConfig
from sdv_tabdar.core.inference.echoes.cells import Rows, can_hold, write_echoes
from sdv_tabdar.core.inference.echoes.in_part import read_in_part
from sdv_tabdar.core.inference.echoes.known import read_known
from sdv_tabdar.core.inference.echoes.odds import Odds
from sdv_tabdar.core.inference.echoes.rows import ReadRows, Uniforms
from sdv_tabdar.core.inference.predict import drawn_again
from sdv_tabdar.core.nn.network import TabDARNetwork
from sdv_tabdar.core.restrictions import Restriction
from sdv_tabdar.core.table import EncodedTable


@dataclasses.dataclass(frozen=True)
class EchoReader:
    """What reads the echoes of rows.

    Attributes:
        encoder: The codes.
        network: A trained network.
        config: Sampling settings.
        uniforms: By which readings are drawn; None takes the likeliest one.
    """

    encoder: TableEncoder
    network: TabDARNetwork
    config: SamplingConfig
    uniforms: Uniforms | None = None

    def read(
        self,
        frame: pd.DataFrame,
        known: Marks,
        restrictions: Mapping[str, Sequence[Restriction | None]],
    ) -> ReadRows:
        """Encode the known cells of a frame and read them, those known in part as well.

        Later sources come first, behind those that follow from them: what is told of one may follow
        from another.

        Args:
            frame: Any of the fitted columns.
            known: ``(B, len(frame.columns))``, which cells are known.
            restrictions: For a column, what each row's cell may be.
        """
        read = ReadRows.of(self.encoder, self.uniforms, frame, known, restrictions)
        odds = Odds(self.encoder, self.network, self.config)
        for source in sources_last_first(self.encoder.echoes):
            echoes = [echo for echo in self.encoder.echoes if echo.source == source]
            echoes.sort(key=lambda echo: not echo.line.is_same)  # what is exact comes first
            read_known(read, odds, source, echoes)
            for echo in echoes:
                read_in_part(read, odds, echo)
        return read

    def mended(self, read: ReadRows, table: EncodedTable) -> EncodedTable:
        """A completed table whose echoes of what their column cannot hold are drawn anew.

        What follows in all rows always does, but where known cells contradict that.

        Args:
            read: What was known of the rows before they were completed.
            table: The rows; it is written into.
        """
        for echo in self.encoder.echoes:
            held = can_hold(self.encoder, echo, self.encoder.numbers(table, echo.source))
            if echo.always:
                missing = self.encoder.schema.columns[echo.position].missing
                codes = table.codes[:, echo.position].cpu().numpy()
                is_there = codes != (-1 if missing is None else missing)
                rows = np.flatnonzero(held & is_there & read.free(echo.position))
                write_echoes(self.encoder, table, echo, rows)
            echoing = table.codes[:, echo.position].cpu().numpy() == echo.code
            rows = np.flatnonzero(echoing & ~held)
            if len(rows):
                table = self._with_own(table, echo, rows, read.limits(echo.position, rows))
        return table

    def join(self, frame: pd.DataFrame, table: EncodedTable, known: Marks) -> None:
        """Give cells that follow from each other by their codes such numbers, to the last digit.

        Args:
            frame: The decoded table with known cells written into it; it is written into.
            table: The completed table.
            known: ``(B, C)``, cells that are as they have to be.
        """
        names = self.encoder.schema.names
        codes, known = table.codes.cpu().numpy(), known.copy()
        for echo in reversed(self.encoder.echoes):
            rows = (codes[:, echo.position] == echo.code) & known[:, echo.position]
            rows &= ~known[:, echo.source]
            _copy_cells(frame, names[echo.position], names[echo.source], rows, echo.line.back)
            known[rows, echo.source] = True  # and so on, to its own source
        for echo in self.encoder.echoes:
            rows = (codes[:, echo.position] == echo.code) & ~known[:, echo.position]
            own, source = (as_floats(frame[names[at]]) for at in (echo.position, echo.source))
            rows &= ~echo.line.holds(own, source)
            _copy_cells(frame, names[echo.source], names[echo.position], rows, echo.line.of)

    def _with_own(
        self,
        table: EncodedTable,
        echo: Echo,
        rows: Rows,
        limits: Sequence[Restriction | None],
    ) -> EncodedTable:
        """A table in some of whose rows a column has its own number, drawn given the others.

        Args:
            table: The rows.
            echo: What the column is not to be.
            rows: Which of them.
            limits: What its cells may be there.
        """
        name, every = self.encoder.schema.names[echo.position], range(echo.code)
        own = Pieces.of_codes(dict.fromkeys(every, 1.0))
        asked = self.encoder.restrict({name: limits})[echo.position]
        pieces = [own if entry is None else entry for entry in asked]
        generator = torch.Generator(device=table.codes.device)
        uniform = 0.0 if self.uniforms is None else self.uniforms(1)[0]
        generator.manual_seed(int(uniform * 2**53))
        index = torch.from_numpy(rows)
        return drawn_again(
            self.network, table, echo.position, index, pieces, self.config, generator
        )


def follow_always(encoder: TableEncoder, frame: pd.DataFrame, known: Marks) -> Marks:
    """Have numbers follow that do in all training rows, where they need not stay.

    Args:
        encoder: The codes.
        frame: Numbers of any of the fitted columns; it is written into.
        known: ``(B, C)``, cells that are as they have to be.

    Returns:
        ``(B, C)``, the cells that follow now, and those from which they do.
    """
    names, found = encoder.schema.names, np.zeros_like(known)
    for echo in encoder.echoes:
        own, source = names[echo.position], names[echo.source]
        if echo.always and own in frame and source in frame:
            numbers = echo.line.of(as_floats(frame[source]))
            there = ~(np.isnan(numbers) | np.isnan(as_floats(frame[own])))
            rows = there & ~known[:, echo.position]
            _copy_cells(frame, source, own, rows, echo.line.of)
            found[rows, echo.position] = found[rows, echo.source] = True
    return found


def _copy_cells(
    frame: pd.DataFrame,
    source: str,
    target: str,
    rows: Marks,
    changed: Callable[[Floats], Floats],
) -> None:
    if rows.any():
        values = frame[target].to_numpy(copy=True)
        values[rows] = changed(frame[source].to_numpy()[rows])
        frame[target] = pd.Series(values, index=frame.index, dtype=frame[target].dtype)
