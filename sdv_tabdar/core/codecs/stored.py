"""A table that is larger than memory: its cells in a file, and then its codes.

First rows are appended to a file, column by column: numbers as float64, levels by their number.
From it codecs learn what they would learn from a table in memory (:class:`Numbers`, sorted in a
file, and :class:`Levels`), and the codes are written. Files are mapped into memory, so that the
system keeps of them what it has room for; they have no names, so that nothing is left of them
however the process ends.
"""

from __future__ import annotations

import copy
import math
import tempfile
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd
import torch

from sdv_tabdar.core.codecs.codec import Codec
from sdv_tabdar.core.codecs.counted import Levels, Numbers
from sdv_tabdar.core.codecs.echoes import Echo, echoed
from sdv_tabdar.core.codecs.values import (
    Codes,
    Floats,
    LevelIndex,
    as_floats,
    distinct_values,
)
from sdv_tabdar.core.schema import ColumnKind
from sdv_tabdar.core.table import EncodedTable

_NUMBER_BYTES, _LEVEL_BYTES, _RESIDUAL_BYTES = 8, 4, 4
_CODE_BYTES = 2  # of a cell; more in columns of more than 32,768 codes
_SORTED_COPIES = 2  # of one column of numbers at a time: with atoms, and without

Cells = npt.NDArray[Any]


class StoredTable:
    """Rows in a file.

    Args:
        folder: Where that file is to be.
        kinds: The columns in order, and the kind of each.

    Attributes:
        numbers: The numerical columns.
    """

    def __init__(self, folder: str | Path, kinds: Mapping[str, ColumnKind]) -> None:
        self._folder = Path(folder)
        self.kinds = dict(kinds)
        self.numbers = [name for name in kinds if kinds[name] is ColumnKind.NUMERICAL]
        self._levels = {name: LevelIndex([]) for name in kinds if name not in self.numbers}
        self._limits = dict.fromkeys(self.numbers, (math.inf, -math.inf))
        self._file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 - lives as long as this
        self._sizes: list[int] = []
        self._read_by: Mapping[str, Callable[[Floats], Floats]] = {}

    def __enter__(self) -> StoredTable:
        """The table, until the end of the block."""
        return self

    def __exit__(self, *error: object) -> None:
        """Give the disk free; what was encoded stays for as long as it is used."""
        self._file.close()

    def append(self, frame: pd.DataFrame) -> None:
        """Add rows of all columns.

        Raises:
            TypeError: If a value does not suit the kind of its column.
            ValueError: If a number is infinite.
        """
        for name in self.numbers:
            cells = as_floats(frame[name])
            low, high = self._limits[name]
            self._limits[name] = (
                np.fmin.reduce(cells, initial=low),
                np.fmax.reduce(cells, initial=high),
            )
            self._file.write(cells.tobytes())
        for name, index in self._levels.items():
            codes, distinct = distinct_values(frame[name])
            numbers = index.added(distinct)[codes].astype(np.int32)
            self._file.write(numbers.tobytes())
            self._file.write(bytes(-numbers.nbytes % _NUMBER_BYTES))
        self._sizes.append(len(frame))

    def read_by(self, maps: Mapping[str, Callable[[Floats], Floats]]) -> StoredTable:
        """The same rows, which are not stored again, with other numbers in some columns.

        Args:
            maps: By column of numbers what makes them of those that were appended, monotone.
        """
        return copy.copy(self)._reading_by(maps)

    def _reading_by(self, maps: Mapping[str, Callable[[Floats], Floats]]) -> StoredTable:
        self._read_by = dict(maps)
        self._limits = {
            name: tuple(maps[name](np.array(ends)).tolist()) if name in maps else ends
            for name, ends in self._limits.items()
        }
        return self

    def __len__(self) -> int:
        """Number of rows."""
        return sum(self._sizes)

    @property
    def columns(self) -> list[str]:
        """Names of the columns in order."""
        return list(self.kinds)

    def __getitem__(self, name: str) -> Numbers | Levels:
        """What a codec learns of a column."""
        if name in self._levels:
            levels = self._levels[name].levels
            counts = np.zeros(len(levels), dtype=np.int64)
            for part in self.parts([name]):
                counts += np.bincount(part[name], minlength=len(levels))
            return Levels(list(levels), counts)
        present = self._allocate(len(self))
        filled = 0
        for part in self.parts([name]):
            numbers = part[name][~np.isnan(part[name])]
            present[filled : filled + len(numbers)] = numbers
            filled += len(numbers)
        present = present[:filled]
        present.sort()  # in place, and so in the file
        return Numbers(present, len(self) - filled, self._allocate)

    def limits(self, name: str) -> tuple[float, float]:
        """The least and the greatest number of a column; infinite, and in turn, without any."""
        return self._limits[name]

    def encoded(
        self,
        codecs: Sequence[Codec],
        code_dtype: type[np.integer[Any]],
        echoes: Sequence[Echo] = (),
    ) -> EncodedTable:
        """The codes and residuals of all rows, in files; all cells are observed.

        Nothing can be done with the stored table afterwards.

        Args:
            codecs: One for each column, fitted on it.
            code_dtype: The integer type of the codes.
            echoes: Columns with a code for the number of another.
        """
        names = [codec.column.name for codec in codecs]
        place_of = {name: place for place, name in enumerate(names) if name not in self._levels}
        residual_of = {name: place for place, name in enumerate(place_of)}
        codes = self._array((len(self), len(codecs)), code_dtype)
        residuals = self._array((len(self), len(residual_of)), np.float32)
        code_of = self._codes_of_levels(dict(zip(names, codecs, strict=True)))
        stop = 0
        for part in self.parts(names):
            start, stop = stop, stop + len(part[names[0]])
            for place, (name, codec) in enumerate(zip(names, codecs, strict=True)):
                if name in code_of:
                    codes[start:stop, place] = code_of[name][part[name]]
                else:
                    found, residual = codec.encode(pd.Series(part[name], name=name))
                    codes[start:stop, place] = found
                    residuals[start:stop, residual_of[name]] = residual
            for echo in echoes:
                name = names[echo.position]
                own, source = part[name], part[names[echo.source]]
                same = echoed(codecs[echo.position], echo, own, source)
                rows = np.flatnonzero(same) + start
                codes[rows, echo.position] = echo.code
                residuals[rows, residual_of[name]] = 0
        self._file.close()  # from here on its place on the disk is free
        everything = torch.ones((), dtype=torch.bool).expand(codes.shape)
        return EncodedTable(torch.from_numpy(codes), torch.from_numpy(residuals), everything)

    def parts(self, names: Sequence[str]) -> Iterator[dict[str, Cells]]:
        """The cells of some columns: of the rows that were appended together, one by one."""
        self._file.flush()
        offset = 0
        for size in self._sizes:
            part = {}
            for name in (*self.numbers, *self._levels):
                dtype = np.dtype(np.int32 if name in self._levels else np.float64)
                if name in names:
                    cells = self._read(offset, size, dtype)
                    part[name] = self._read_by[name](cells) if name in self._read_by else cells
                offset += -(-size * dtype.itemsize // _NUMBER_BYTES) * _NUMBER_BYTES
            yield part

    def number_parts(self, names: Sequence[str]) -> Iterator[dict[str, Floats]]:
        """As :meth:`parts`, but the numbers that levels are, where these are numbers."""
        levels = {
            name: as_floats(_column(name, index.levels))
            for name, index in self._levels.items()
            if name in names
        }
        for part in self.parts(names):
            yield {
                name: levels[name][cells] if name in levels else cells
                for name, cells in part.items()
            }

    def code_parts(self, codecs: Sequence[Codec]) -> Iterator[dict[str, Codes]]:
        """As :meth:`parts`, of the columns of some codecs the codes that these give to cells."""
        by_name = {codec.column.name: codec for codec in codecs}
        code_of = self._codes_of_levels(by_name)
        for part in self.parts([*by_name]):
            yield {
                name: code_of[name][cells]
                if name in code_of
                else by_name[name].encode(pd.Series(cells, name=name))[0]
                for name, cells in part.items()
            }

    def _codes_of_levels(self, codecs: Mapping[str, Codec]) -> dict[str, Codes]:
        """For columns of categories the code of each level."""
        return {
            name: codec.encode(_column(name, self._levels[name].levels))[0]
            for name, codec in codecs.items()
            if name in self._levels
        }

    def _read(self, offset: int, size: int, dtype: np.dtype[Any]) -> Cells:
        self._file.seek(offset)
        return np.frombuffer(self._file.read(size * dtype.itemsize), dtype=dtype)

    def _allocate(self, size: int) -> Floats:
        """Room for numbers in a file."""
        return self._array((size,), np.float64)

    def _array(self, shape: tuple[int, ...], dtype: Any) -> Cells:
        """An array in a file, which is gone when nothing refers to the array."""
        if 0 in shape:
            return np.zeros(shape, dtype)
        with tempfile.TemporaryFile(dir=self._folder) as file:
            return np.asarray(np.memmap(file, dtype=dtype, mode='w+', shape=shape))


Table: TypeAlias = 'pd.DataFrame | StoredTable'
"""A training table, in memory or in files."""


def bytes_needed(num_rows: int, kinds: Mapping[str, ColumnKind]) -> int:
    """What a stored table of so many rows takes on the disk at its largest."""
    numbers = sum(kind is ColumnKind.NUMERICAL for kind in kinds.values())
    cells = numbers * _NUMBER_BYTES + (len(kinds) - numbers) * _LEVEL_BYTES
    encoded = len(kinds) * _CODE_BYTES + numbers * _RESIDUAL_BYTES
    sorting = _SORTED_COPIES * _NUMBER_BYTES if numbers else 0
    return num_rows * (cells + max(encoded, sorting))


def _column(name: str, levels: Sequence[Hashable]) -> pd.Series:
    cells = np.empty(len(levels), dtype=object)
    cells[:] = levels
    return pd.Series(cells, name=name, dtype=object)
