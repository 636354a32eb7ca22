"""Drawn levels that follow from others, as in all training rows (``core/codecs/dependencies.py``).

A dependent that is free becomes what its determinant says. Where it was given and a determinant
came out that says otherwise, the latter is drawn again, given all other cells, among the levels
that agree with it. Cells that were given stay, and what is asked of a cell stays asked.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Hashable, Iterator, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd
import torch

from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.codecs.lines import Marks
from sdv_tabdar.core.codecs.pieces import Pieces
from sdv_tabdar.core.codecs.values import Floats
from sdv_tabdar.core.config import SamplingConfig
from sdv_tabdar.core.inference.echoes.rows import ReadRows
from sdv_tabdar.core.inference.predict import drawn_again
from sdv_tabdar.core.nn.network import TabDARNetwork
from sdv_tabdar.core.schema import Dependency
from sdv_tabdar.core.table import EncodedTable

Codes: TypeAlias = npt.NDArray[np.int64]


@dataclasses.dataclass(frozen=True)
class Following:
    """Makes the dependents of completed rows follow from their determinants.

    Attributes:
        encoder: The codes, and which columns follow from which.
        network: A trained network.
        config: Sampling settings.
        generator: Source of all randomness.
        read: What was known of the rows before they were completed.
    """

    encoder: TableEncoder
    network: TabDARNetwork
    config: SamplingConfig
    generator: torch.Generator
    read: ReadRows

    def followed(self, table: EncodedTable) -> EncodedTable:
        """The B completed rows, in which what contradicts itself is another level."""
        if not self.encoder.dependencies:
            return table
        table = dataclasses.replace(table, codes=table.codes.clone())
        groups = itertools.groupby(self.encoder.dependencies, lambda entry: entry.determinant)
        for determinant, group in groups:
            own = list(group)
            table = self._redrawn(table, determinant, own)
            for entry in own:
                self._follow(table, entry)
        return table

    def told(self, table: EncodedTable) -> Marks:
        """Cells ``(B, C)`` of completed rows that follow from known ones."""
        found = np.zeros(tuple(table.codes.shape), dtype=bool)
        for entry in self.encoder.dependencies:
            known = ~self._drawn(entry.determinant)
            found[known & (self._wanted(table, entry) >= 0), entry.dependent] = True
        return found

    def agree(self, table: EncodedTable, position: int, rows: Codes, values: Floats) -> Marks:
        """Whether the known levels of N rows follow from values ``(N,)`` of a column, if any do."""
        found = np.ones(len(rows), dtype=bool)
        for entry in self.encoder.dependencies:
            if entry.determinant == position:
                series = pd.Series(values, name=self.encoder.schema.names[position])
                codes, _ = self.encoder.codecs[position].encode(series)
                wanted = np.array(entry.codes, dtype=np.int64)[codes]
                is_same = wanted == _codes(table, entry.dependent)[rows]
                found &= (wanted < 0) | is_same | self._drawn(entry.dependent)[rows]
        return found

    def followed_since(self, before: EncodedTable, table: EncodedTable) -> EncodedTable:
        """The table, in which levels follow from cells that have changed, or agree with them.

        Args:
            before: B rows in which levels followed from others.
            table: The same after some cells were changed.
        """
        changed = (table.codes != before.codes) & ~torch.from_numpy(self.told(before)).to(
            before.observed
        )
        if not self.encoder.dependencies or not changed.any():
            return table
        known = self.read.table.observed | changed.to(self.read.table.observed.device)
        read = dataclasses.replace(self.read.table, observed=known)
        kept = dataclasses.replace(self, read=dataclasses.replace(self.read, table=read))
        found = kept.followed(table)
        broken = torch.from_numpy(self._is_broken(found)).to(found.observed)
        if not broken.any():
            return found
        other = self.followed(table)  # whatever has changed
        return dataclasses.replace(
            found,
            codes=torch.where(broken[:, None], other.codes, found.codes),
            residuals=torch.where(broken[:, None], other.residuals, found.residuals),
        )

    @property
    def columns(self) -> frozenset[int]:
        """The positions of all columns that follow from others, or tell them."""
        pairs = [(entry.determinant, entry.dependent) for entry in self.encoder.dependencies]
        return frozenset(position for pair in pairs for position in pair)

    def _is_broken(self, table: EncodedTable) -> Marks:
        """In which rows ``(B,)`` a level does not follow."""
        found = np.zeros(len(table), dtype=bool)
        for entry in self.encoder.dependencies:
            wanted = self._wanted(table, entry)
            found |= (wanted >= 0) & (wanted != _codes(table, entry.dependent))
        return found

    def follow_again(self, table: EncodedTable, frame: pd.DataFrame) -> bool:
        """As :meth:`followed_since`, where numbers were changed in decoded rows.

        Args:
            table: The completed rows.
            frame: The same, decoded; it is written into.

        Returns:
            Whether any level has changed.
        """
        codes = table.codes.clone()
        for position in self.encoder.calculated.intersection(self.columns):
            values = frame[self.encoder.schema.names[position]]
            now, _ = self.encoder.codecs[position].encode(values)
            codes[:, position] = torch.from_numpy(now).to(codes)
        found = self.followed_since(table, dataclasses.replace(table, codes=codes))
        for position in self.columns:
            is_new = found.codes[:, position] != codes[:, position]
            self._write(frame, position, np.flatnonzero(is_new.cpu().numpy()), found)
        return not torch.equal(found.codes, codes)

    def _write(self, frame: pd.DataFrame, position: int, rows: Codes, table: EncodedTable) -> None:
        """Write the levels of some rows into decoded ones."""
        if len(rows):
            name, none = self.encoder.schema.names[position], np.zeros(len(rows))
            values = frame[name].to_numpy(copy=True)
            codes = _codes(table, position)[rows]
            values[rows] = self.encoder.codecs[position].decode(codes, none, none)
            frame[name] = pd.Series(values, index=frame.index, dtype=frame[name].dtype)

    def _follow(self, table: EncodedTable, entry: Dependency) -> None:
        """Write the dependent where it may be what its determinant says."""
        wanted, codes = self._wanted(table, entry), _codes(table, entry.dependent)
        rows = np.flatnonzero(self._drawn(entry.dependent) & (wanted >= 0) & (wanted != codes))
        rows = rows[self._is_allowed(entry.dependent, rows, wanted[rows])]
        written = torch.from_numpy(wanted[rows]).to(table.codes)
        table.codes[torch.from_numpy(rows), entry.dependent] = written

    def _redrawn(
        self, table: EncodedTable, determinant: int, own: Sequence[Dependency]
    ) -> EncodedTable:
        """The table with a determinant that agrees with what its dependents may be."""
        agrees = np.ones(len(table), dtype=bool)
        for entry in own:
            wanted = self._wanted(table, entry)
            agrees &= (wanted < 0) | self._may_be(table, entry.dependent, wanted)
        rows = np.flatnonzero(~agrees & self._drawn(determinant))
        alike: dict[Hashable, Pieces | None] = {}
        pieces = []
        for limit, *asked in zip(
            self.read.pieces_of(determinant, rows),
            *(self._asked(table, entry.dependent, rows) for entry in own),
            strict=True,
        ):
            key = (id(limit), *asked)
            if key not in alike:
                alike[key] = self._agreeing(determinant, limit, own, asked)
            pieces.append(alike[key])
        some = [place for place, piece in enumerate(pieces) if piece is not None]
        if not some:
            return table
        return drawn_again(
            self.network,
            table,
            determinant,
            torch.from_numpy(rows[some]),
            [piece for piece in pieces if piece is not None],
            self.config,
            self.generator,
        )

    def _agreeing(
        self,
        determinant: int,
        limit: Pieces | None,
        own: Sequence[Dependency],
        asked: Sequence[frozenset[int] | None],
    ) -> Pieces | None:
        """The levels of a determinant that agree with what its dependents may be, if any do.

        Args:
            determinant: The position of the column.
            limit: What is asked of its cell; None for nothing.
            own: Its dependents.
            asked: The codes that each of these may have; None for all.
        """
        shares = dict.fromkeys(range(self.encoder.schema.columns[determinant].num_codes), 1.0)
        if limit is not None:
            shares = dict(zip(limit.codes.tolist(), limit.share.tolist(), strict=True))
        for entry, allowed in zip(own, asked, strict=True):
            if allowed is not None:
                shares = {
                    code: share for code, share in shares.items() if entry.codes[code] in allowed
                }
        return Pieces.of_codes(shares) if shares else None

    def _asked(
        self, table: EncodedTable, position: int, rows: Codes
    ) -> Iterator[frozenset[int] | None]:
        """The codes that a column may have in some rows; None for all."""
        limits = self.read.pieces_of(position, rows)
        given, codes = ~self._drawn(position)[rows], _codes(table, position)[rows]
        for is_given, code, limit in zip(given.tolist(), codes.tolist(), limits, strict=True):
            if is_given:
                yield frozenset([code])
            else:
                yield None if limit is None else frozenset(limit.codes.tolist())

    def _wanted(self, table: EncodedTable, entry: Dependency) -> Codes:
        """What a dependent ``(B,)`` is to be; -1 for anything."""
        return np.array(entry.codes, dtype=np.int64)[_codes(table, entry.determinant)]

    def _may_be(self, table: EncodedTable, position: int, wanted: Codes) -> Marks:
        """In which rows ``(B,)`` a cell is these codes or may become them."""
        is_drawn = self._drawn(position)
        found = is_drawn | (wanted == _codes(table, position))
        rows = np.flatnonzero(is_drawn)
        found[rows] = self._is_allowed(position, rows, wanted[rows])
        return found

    def _is_allowed(self, position: int, rows: Codes, wanted: Codes) -> Marks:
        """Whether some codes are among what is asked of the cells of some rows."""
        if position not in self.read.pieces:
            return np.ones(len(rows), dtype=bool)
        limits = self.read.pieces_of(position, rows)
        return np.array(
            [
                limit is None or code in limit.codes
                for limit, code in zip(limits, wanted.tolist(), strict=True)
            ],
            dtype=bool,
        )

    def _drawn(self, position: int) -> Marks:
        return ~self.read.table.observed[:, position].cpu().numpy()


def _codes(table: EncodedTable, position: int) -> Codes:
    return table.codes[:, position].cpu().numpy().astype(np.int64)


def followed(encoder: TableEncoder, frame: pd.DataFrame, free: Marks) -> pd.DataFrame:
    """Rows that were averaged, in which free levels follow from others.

    Args:
        encoder: The codes, and which columns follow from which.
        frame: ``(B, C)``, all columns in order.
        free: ``(B, C)``, which cells may change.
    """
    columns = {name: frame[name].to_numpy(copy=True) for name in frame.columns}
    for entry in encoder.dependencies:
        names = [encoder.schema.names[at] for at in (entry.determinant, entry.dependent)]
        codecs = [encoder.codec(name) for name in names]
        codes = [
            codec.encode(pd.Series(columns[name], name=name))[0]
            for codec, name in zip(codecs, names, strict=True)
        ]
        wanted = np.array(entry.codes, dtype=np.int64)[codes[0]]
        rows = free[:, entry.dependent] & (wanted >= 0) & (wanted != codes[1])
        none = np.zeros(int(rows.sum()))
        columns[names[1]][rows] = codecs[1].decode(wanted[rows], none, none)
    return pd.DataFrame(columns, index=frame.index)
