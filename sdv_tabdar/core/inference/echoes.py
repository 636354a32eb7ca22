"""Cells that may hold the number of a hidden cell, and draws that repeat what cannot be.

A column with an echo (:mod:`sdv_tabdar.core.codecs.echoes`) writes a number in two ways: by its
own codes, or as what follows from its source. Where both cells are known there is no choice. Where
the source is hidden there is: its number is that which one of the known columns follows from, and
all of these that follow from it are echoes; or it is another one, and none is. A
reading has the probability that the network gives these cells, with the source's where that is
known by it, given the other known cells. One is drawn, or the likeliest is taken where nothing
is to be drawn. A cell known in part is read likewise, with the probabilities of its restriction.
That this leaves restrictions of other cells out of account is the one approximation.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd
import torch

from sdv_tabdar.core.codecs.echoes import Echo
from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.codecs.lines import Line
from sdv_tabdar.core.codecs.pieces import Pieces
from sdv_tabdar.core.codecs.values import as_floats
from sdv_tabdar.core.config import SamplingConfig
from sdv_tabdar.core.inference.complete import complete
from sdv_tabdar.core.inference.predict import cell_log_densities, cell_log_masses
from sdv_tabdar.core.nn.network import TabDARNetwork
from sdv_tabdar.core.restrictions import Interval, Members, Restriction, both, meets
from sdv_tabdar.core.table import EncodedTable

Floats = npt.NDArray[np.float64]
Rows = npt.NDArray[np.int64]


@dataclasses.dataclass
class Read:
    """Rows whose echoes have been read one way or the other; written into while that is done.

    Attributes:
        table: B rows. Sources that a reading makes known are observed.
        numbers: ``(B, C)`` the known numbers, NaN for all other cells.
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


@dataclasses.dataclass(frozen=True)
class EchoReader:
    """What reads the echoes of rows.

    Attributes:
        encoder: The codes.
        network: A trained network.
        config: Sampling settings.
        uniforms: Draws so many numbers in [0, 1), by which readings are drawn; None takes the
            likelier one.
    """

    encoder: TableEncoder
    network: TabDARNetwork
    config: SamplingConfig
    uniforms: Callable[[int], Floats] | None = None

    def read(
        self,
        frame: pd.DataFrame,
        known: npt.NDArray[np.bool_],
        restrictions: Mapping[str, Sequence[Restriction | None]],
    ) -> Read:
        """Encode the known cells of a frame and read them, those known in part as well.

        Args:
            frame: Any of the fitted columns.
            known: ``(B, len(frame.columns))``, which cells are known.
            restrictions: For a column, what each row's cell may be.
        """
        table = self.encoder.encode(frame, known)
        read = Read(
            table,
            np.full(table.codes.shape, np.nan),
            {name: list(entries) for name, entries in restrictions.items()},
            self.encoder.restrict(restrictions),
        )
        schema = self.encoder.schema
        for position in {place for echo in self.encoder.echoes for place in _both(echo)}:
            if schema.names[position] in frame.columns:
                cells = known[:, frame.columns.get_loc(schema.names[position])]
                read.numbers[cells, position] = as_floats(frame[schema.names[position]][cells])
        for source in sorted({echo.source for echo in self.encoder.echoes}, reverse=True):
            echoes = [echo for echo in self.encoder.echoes if echo.source == source]
            echoes.sort(key=lambda echo: not echo.line.is_same)  # what is exact comes first
            self._read_known(read, source, echoes)
            for echo in echoes:
                self._read_restricted(read, echo)
        return read

    def mended(self, table: EncodedTable) -> EncodedTable:
        """A completed table whose echoes of what their column cannot hold are drawn anew."""
        for echo in self.encoder.echoes:
            low, high = self.encoder.codecs[echo.position].limits
            numbers = echo.line.of(self.encoder.numbers(table, echo.source))
            echoing = table.codes[:, echo.position].cpu().numpy() == echo.code
            rows = np.flatnonzero(echoing & ~((numbers >= low) & (numbers <= high)))
            if len(rows):
                table = self._with_own(table, echo, torch.from_numpy(rows))
        return table

    def _with_own(self, table: EncodedTable, echo: Echo, rows: torch.Tensor) -> EncodedTable:
        """A table in some of whose rows a column has its own number, drawn given the others."""
        part = table.rows(rows)
        part.observed[:, echo.position] = False
        own = Pieces.of_codes(dict.fromkeys(range(echo.code), 1.0))
        generator = torch.Generator(device=part.codes.device)
        generator.manual_seed(int(self._uniform(1)[0] * 2**53))
        found = complete(
            self.network,
            part,
            config=self.config,
            generator=generator,
            restrictions={echo.position: [own] * len(rows)},
        ).table
        codes, residuals = table.codes.clone(), table.residuals.clone()
        codes[rows], residuals[rows] = found.codes, found.residuals
        return EncodedTable(codes, residuals, table.observed)

    def _read_known(self, read: Read, source: int, echoes: Sequence[Echo]) -> None:
        """Read the known numbers of columns whose common source is hidden."""
        own = np.stack([self._own_numbers(read, echo) for echo in echoes], axis=1)
        hidden = ~read.table.observed[:, source].numpy()
        rows = np.flatnonzero(hidden & ~np.isnan(own).all(axis=1))
        if not len(rows):
            return
        own, part = own[rows], read.table.rows(torch.from_numpy(rows))
        logs = np.full((len(rows), 1 + len(echoes)), -np.inf)
        logs[:, 0] = self._log_joint(part, source, echoes, own, np.full(len(rows), np.nan))
        logs[:, 0] += self._log_mass(read, source, rows, part)
        limits = self._entries(read, source, rows)
        told = [echo.line.back(own[:, place]) for place, echo in enumerate(echoes)]
        for place, echo in enumerate(echoes):
            before = [echo.line.holds(own[:, place], earlier) for earlier in told[:place]]
            values = np.where(np.any(before, axis=0), np.nan, told[place])
            values[~echo.line.holds(own[:, place], values)] = np.nan  # no number leads there
            can_be = [
                number == number and (limit is None or meets(limit, number))
                for limit, number in zip(limits, values.tolist(), strict=True)
            ]
            chosen = np.flatnonzero(can_be)
            if len(chosen):
                asked = part.rows(torch.from_numpy(chosen))
                logs[chosen, 1 + place] = self._log_joint(
                    asked, source, echoes, own[chosen], values[chosen]
                )
        read.log_joints[rows, source] = np.logaddexp.reduce(logs, axis=1)
        taken = self._taken(read, source, rows, logs)
        chosen = np.flatnonzero(taken > 0)
        if len(chosen):
            values = np.stack(told, axis=1)[chosen, taken[chosen] - 1]
            self._tell(read, source, echoes, rows[chosen], own[chosen], values)

    def _own_numbers(self, read: Read, echo: Echo) -> Floats:
        """The known numbers ``(B,)`` of a column that may be echoes; NaN for all other cells."""
        bins, codes = self.encoder.codecs[echo.position].column.bins, read.table.codes
        code = codes[:, echo.position].numpy()
        is_own = (code >= bins.start) & (code < bins.stop)
        is_own &= read.table.observed[:, echo.position].numpy()
        return np.where(is_own, read.numbers[:, echo.position], np.nan)

    def _log_joint(
        self,
        part: EncodedTable,
        source: int,
        echoes: Sequence[Echo],
        own: Floats,
        values: Floats,
    ) -> Floats:
        """How likely ``(N,)`` is a reading of rows, given their other cells.

        Args:
            part: N rows.
            source: The hidden column.
            echoes: Columns that may repeat it.
            own: ``(N, len(echoes))``, their numbers; NaN for those that are not read.
            values: ``(N,)``, the number of the source; NaN where it is another one than these.
        """
        table = EncodedTable(part.codes.clone(), part.residuals.clone(), part.observed.clone())
        for place, echo in enumerate(echoes):
            self._echo(table, echo, np.flatnonzero(echo.line.holds(own[:, place], values)))
            table.observed[torch.from_numpy(~np.isnan(own[:, place])), echo.position] = False
        found = np.zeros(len(part))
        for place, echo in enumerate(echoes):
            rows = np.flatnonzero(~np.isnan(own[:, place]))
            is_echo = echo.line.holds(own[rows, place], values[rows])
            found[rows] += self._log_density(table, echo.position, rows, own[rows, place], is_echo)
        rows = np.flatnonzero(~np.isnan(values))
        self._write(table, source, rows, values[rows])
        found[rows] += self._log_density(table, source, rows, values[rows])
        return found - _log_stretches(echoes, own, values)

    def _log_density(
        self,
        table: EncodedTable,
        position: int,
        rows: Rows,
        values: Floats,
        is_echo: npt.NDArray[np.bool_] | None = None,
    ) -> Floats:
        """Log density of hidden cells of a column in some rows, which then are known.

        Args:
            table: The table; it is written into.
            position: The column.
            rows: Which N rows.
            values: ``(N,)``, the numbers of the cells.
            is_echo: ``(N,)``, which of them count with their mass; None for none.
        """
        codec, index = self.encoder.codecs[position], torch.from_numpy(rows)
        if not len(rows):
            return np.zeros(0)
        found = cell_log_densities(self.network, table.rows(index), position, self.config)
        volumes = codec.log_volume(pd.Series(values, name=codec.column.name))
        table.observed[index, position] = True
        return found + (volumes if is_echo is None else np.where(is_echo, 0.0, volumes))

    def _tell(
        self,
        read: Read,
        source: int,
        echoes: Sequence[Echo],
        rows: Rows,
        own: Floats,
        values: Floats,
    ) -> None:
        """Make numbers those of a hidden source, which is known from them."""
        for place, echo in enumerate(echoes):
            self._echo(read.table, echo, rows[echo.line.holds(own[:, place], values)])
        read.log_stretches[rows, source] = _log_stretches(echoes, own, values)
        self._write(read.table, source, rows, values)
        read.table.observed[torch.from_numpy(rows), source] = True
        read.numbers[rows, source] = values
        for row in rows.tolist() if source in read.pieces else ():
            read.pieces[source][row] = None

    def _read_restricted(self, read: Read, echo: Echo) -> None:
        """Read the cells of a column that are known in part."""
        own, source = _both(echo)
        entries, name = read.pieces.get(own), self.encoder.schema.names[own]
        if entries is None:
            return
        rows = np.array([row for row, entry in enumerate(entries) if entry is not None], np.int64)
        is_known = read.table.observed[:, source].numpy()
        joined: dict[int, Pieces] = {}
        for row in rows[is_known[rows]].tolist():
            piece, limit = entries[row], read.restrictions[name][row]
            assert piece is not None
            assert limit is not None
            if meets(limit, float(echo.line.of(read.numbers[row, source]))):
                echo_piece = Pieces.of_codes({echo.code: 1.0})
                entries[row] = joined.setdefault(id(piece), Pieces.joined([piece, echo_piece]))
                read.is_changed = True
        self._read_within(read, echo, rows[~is_known[rows]])

    def _read_within(self, read: Read, echo: Echo, rows: Rows) -> None:
        """Read cells known in part whose sources are hidden."""
        own, source = _both(echo)
        names, codec = self.encoder.schema.names, self.encoder.codecs[source]
        found = [
            _within(first, second, echo.line)
            for first, second in zip(
                self._entries(read, own, rows), self._entries(read, source, rows), strict=True
            )
        ]
        distinct = list(dict.fromkeys(entry for entry in found if entry is not None))
        allowed = dict(zip(distinct, codec.allows_each(distinct).tolist(), strict=True))
        kept = np.array([entry is not None and allowed[entry] for entry in found], dtype=bool)
        rows, within = rows[kept], [found[index] for index in np.flatnonzero(kept)]
        if not len(rows):
            return
        pieces = self.encoder.restrict({names[source]: within})[source]
        part = read.table.rows(torch.from_numpy(rows))
        logs = np.zeros((len(rows), 2))
        logs[:, 0] = self._log_mass(read, own, rows, part)
        logs[:, 0] += self._log_mass(read, source, rows, part)
        echoing = part.rows(torch.arange(len(rows)))
        self._echo(echoing, echo, np.arange(len(rows)))
        logs[:, 1] = cell_log_densities(self.network, echoing, own, self.config)
        echoing.observed[:, own] = True
        masses = [piece for piece in pieces if piece is not None]
        logs[:, 1] += cell_log_masses(self.network, echoing, source, masses, self.config)
        taken = np.flatnonzero(self._taken(read, own, rows, logs))
        self._echo(read.table, echo, rows[taken])
        read.table.observed[torch.from_numpy(rows[taken]), own] = True
        read.pieces.setdefault(source, [None] * len(read.table))
        read.restrictions.setdefault(names[source], [None] * len(read.table))
        for index in taken:
            read.pieces[own][rows[index]] = None
            read.pieces[source][rows[index]] = pieces[index]
            read.restrictions[names[source]][rows[index]] = within[index]

    def _taken(self, read: Read, position: int, rows: Rows, logs: Floats) -> Rows:
        """Which reading is taken of some rows, by the logs of their probabilities ``(N, R)``."""
        logs = np.where(np.isnan(logs), -np.inf, logs)
        logs[np.isneginf(logs).all(axis=1), 0] = 0.0
        shares = torch.from_numpy(logs).softmax(dim=1).numpy()
        taken: Rows = shares.argmax(axis=1)
        if self.uniforms is not None:
            reached = shares.cumsum(axis=1)[:, :-1] <= self.uniforms(len(rows))[:, None]
            taken = reached.sum(axis=1)
        read.is_changed = True
        read.log_shares[rows, position] += np.log(shares[np.arange(len(rows)), taken])
        return taken

    def _echo(self, table: EncodedTable, echo: Echo, rows: Rows) -> None:
        """Make cells echoes."""
        index = torch.from_numpy(rows)
        table.codes[index, echo.position] = echo.code
        table.residuals[index, self._place(echo.position)] = 0

    def _entries(self, read: Read, position: int, rows: Rows) -> list[Restriction | None]:
        """What the cells of a column may be, in some rows."""
        entries = read.restrictions.get(self.encoder.schema.names[position])
        return [None if entries is None else entries[row] for row in rows.tolist()]

    def _log_mass(self, read: Read, position: int, rows: Rows, part: EncodedTable) -> Floats:
        """Log probabilities ``(N,)`` of what the cells of a column may be; 0 where it is all."""
        found = np.zeros(len(rows))
        entries = read.pieces.get(position, [])
        own = [entries[row] for row in rows.tolist()] if entries else []
        places = [place for place, entry in enumerate(own) if entry is not None]
        if places:
            pieces = [entry for entry in own if entry is not None]
            cells = part.rows(torch.tensor(places))
            found[places] = cell_log_masses(self.network, cells, position, pieces, self.config)
        return found

    def _write(self, table: EncodedTable, position: int, rows: Rows, values: Floats) -> None:
        """Write numbers into the cells of a column in some rows."""
        codec, index = self.encoder.codecs[position], torch.from_numpy(rows)
        codes, residuals = codec.encode(pd.Series(values, name=codec.column.name))
        table.codes[index, position] = torch.from_numpy(codes).to(table.codes.dtype)
        table.residuals[index, self._place(position)] = torch.from_numpy(residuals).float()

    def _place(self, position: int) -> int:
        return self.encoder.schema.numerical.index(position)

    def _uniform(self, count: int) -> Floats:
        return np.zeros(count) if self.uniforms is None else self.uniforms(count)


def _both(echo: Echo) -> tuple[int, int]:
    return echo.position, echo.source


def _log_stretches(echoes: Sequence[Echo], own: Floats, values: Floats) -> Floats:
    """The stretch ``(N,)`` of the first column that follows from its source's number, in logs.

    Args:
        echoes: Columns of the same source.
        own: ``(N, len(echoes))``, their numbers.
        values: ``(N,)``, the number of the source; NaN where they do not follow from it.
    """
    found = np.zeros(len(values))
    for place, echo in reversed(list(enumerate(echoes))):
        found[echo.line.holds(own[:, place], values)] = echo.line.log_stretch
    return found


def _within(own: Restriction | None, source: Restriction | None, line: Line) -> Restriction | None:
    """What a source may be where both it and what follows from it are restricted; None: nothing."""
    if isinstance(own, Members) and not line.is_same:
        numbers = [line.back(value) for value in own.values if isinstance(value, int | float)]
        numbers = [value for value in numbers if meets(own, line.of(value))]
        return both(Members(tuple(numbers)), source) if numbers else None
    if isinstance(own, Interval):
        ends = [own.low, own.high][:: 1 if line.slope > 0 else -1]
        low, high = (None if end is None else line.inverse(end) for end in ends)
        own = Interval(low, high)
    return both(own, source)
