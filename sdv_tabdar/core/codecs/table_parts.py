"""What the searches for relations read of a training table, which may be in files.

Numbers and codes of some columns: of all rows, a part after the other, or of some rows at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol, TypeAlias

import numpy as np
import pandas as pd

from sdv_tabdar.core.codecs.codec import Codec
from sdv_tabdar.core.codecs.lines import digits_of, finest
from sdv_tabdar.core.codecs.values import Codes, Floats, as_floats

_ROWS = 10_000  # that the search looks at, and fewer ...
_COMPARISONS = 4e8  # ... where there are so many pairs of cells to compare


class InParts(Protocol):
    """A training table in files."""

    def __len__(self) -> int:
        """Number of rows."""

    def number_parts(self, names: Sequence[str]) -> Iterator[Mapping[str, Floats]]:
        """Numbers of some columns, of some rows after the others."""

    def code_parts(self, codecs: Sequence[Codec]) -> Iterator[Mapping[str, Codes]]:
        """The codes of some columns, of the same rows after the others."""


Table: TypeAlias = 'pd.DataFrame | InParts'
"""A training table, in memory or in files."""


def some_numbers(frame: Table, names: Sequence[str], step: int | None = None) -> Floats:
    """Numbers ``(columns, rows)`` of evenly spaced rows.

    Args:
        frame: A table.
        names: The columns.
        step: Of every so many rows; None if all pairs of columns are to be compared, for as many
            rows as there is time for.
    """
    step = step_between(frame, names) if step is None else step
    found: list[list[Floats]] = [[] for _ in names]
    start = 0
    for part in parts_of(frame, names) if names else ():
        for place, name in enumerate(names):
            found[place].append(part[name][-start % step :: step].copy())
        start += len(part[names[0]])
    return np.array([np.concatenate(parts) for parts in found])


def step_between(frame: Table, names: Sequence[str]) -> int:
    """Every so many rows :func:`some_numbers` has one."""
    most = int(_COMPARISONS / max(len(names), 1) ** 2)
    return max(-(-len(frame) // max(min(most, _ROWS), 1)), 1)


def digits_in(frame: Table, names: Sequence[str]) -> dict[str, int | None]:
    """Digits behind the point of some columns in all rows; None where they are not rounded."""
    digits: dict[str, int | None] = dict.fromkeys(names, 0)
    for cells in parts_of(frame, names) if names else ():
        for name in names:
            digits[name] = finest((digits[name], digits_of(cells[name])))
    return digits


def parts_of(frame: Table, names: Sequence[str]) -> Iterator[Mapping[str, Floats]]:
    """Numbers of some columns, of some rows after the others."""
    if isinstance(frame, pd.DataFrame):
        yield {name: as_floats(frame[name]) for name in names}
    else:
        yield from frame.number_parts(names)


def numbers_of(frame: Table, names: Sequence[str], replaced: pd.DataFrame | None) -> Table:
    """A table whose numbers in some columns are wanted; those that were replaced are gaps."""
    if replaced is None:
        return frame
    assert isinstance(frame, pd.DataFrame), 'cells are replaced in memory only'
    return frame[[*names]].mask(replaced[[*names]].to_numpy(dtype=bool))


def code_parts_of(
    frame: Table, codecs: Sequence[Codec], replaced: pd.DataFrame | None = None
) -> Iterator[Mapping[str, Codes]]:
    """The codes of some columns in their order, of the same rows after the others.

    Those of cells that were ``replaced``, as in ``TabDAR.fit``, are -1.
    """
    names = [codec.column.name for codec in codecs]
    if not isinstance(frame, pd.DataFrame):
        for part in frame.code_parts(codecs):
            yield {name: part[name] for name in names}
        return
    found = {}
    for name, codec in zip(names, codecs, strict=True):
        codes = codec.encode(frame[name])[0].astype(np.int64)
        gone = False if replaced is None else replaced[name].to_numpy(dtype=bool)
        found[name] = np.where(gone, -1, codes)
    yield found


def some_codes(
    frame: Table, codecs: Sequence[Codec], step: int, replaced: pd.DataFrame | None
) -> list[Codes]:
    """Of each of some columns the codes of every so many rows."""
    found: list[list[Codes]] = [[] for _ in codecs]
    start = 0
    for part in code_parts_of(frame, codecs, replaced):
        size = len(next(iter(part.values())))
        for own, codes in zip(found, part.values(), strict=True):
            own.append(codes[-start % step :: step].copy())
        start += size
    return [np.concatenate(parts).astype(np.int64) for parts in found]
