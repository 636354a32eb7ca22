"""Exact nearest neighbours of mixed rows, in bounded memory and on all cores.

Rows are points: numbers divided by their range in the reference table, and categories as codes
that are equal or not. Two distances are offered, those that one-hot coding would give:

    l1:  sum_j |x_j - y_j| + 2 * (number of categories that differ)
    l2:  sqrt(sum_j (x_j - y_j)^2 + 2 * (number of categories that differ))

One-hot columns are never built, so a column of a thousand categories costs as much as one of two.
The search is a blocked full scan (SciPy's compiled `cdist` for the numbers, byte comparisons for
the categories): trees do not prune in tens of mixed dimensions, approximate indexes are not exact,
and an exact zero must stay an exact zero to count copies.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.spatial.distance import cdist

from sdv_tabdar.evaluation.columns import ColumnTypes

QUERY_BLOCK = 256
REFERENCE_BLOCK = 2048


@dataclass(frozen=True)
class Points:
    """Rows as points.

    Attributes:
        numbers: Float64, rows x numbers, divided by the range in the reference table.
        codes: Unsigned integers, categories x rows (one contiguous line per category).
    """

    numbers: np.ndarray
    codes: np.ndarray

    def __len__(self) -> int:
        return len(self.numbers)

    def take(self, rows: np.ndarray) -> Points:
        """Some of the rows, in the given order."""
        return Points(self.numbers[rows], np.ascontiguousarray(self.codes[:, rows]))

    def followed_by(self, others: Points) -> Points:
        """These rows, then others of the same columns."""
        return Points(
            np.concatenate([self.numbers, others.numbers]),
            np.concatenate([self.codes, others.codes], axis=1),
        )


def to_points(reference: pd.DataFrame, columns: ColumnTypes, *others: pd.DataFrame) -> list[Points]:
    """Canonical frames as points that can be compared with each other.

    Numbers are divided by their range in `reference`; a missing number is replaced by its median
    there and adds a category 'is missing'. Categories are compared for equality only, so a value
    that `reference` does not have is simply different from all that it has.

    Returns:
        The points of `reference`, then of each of `others`.
    """
    frames = [reference, *others]
    scaled: list[list[np.ndarray]] = [[] for _ in frames]
    coded: list[list[np.ndarray]] = [[] for _ in frames]
    for name in columns.numbers:
        known = reference[name].dropna()
        spread = float(known.max() - known.min()) if len(known) else 0.0
        middle = float(known.median()) if len(known) else 0.0
        any_missing = any(frame[name].isna().any() for frame in frames)
        for position, frame in enumerate(frames):
            values = frame[name].fillna(middle).to_numpy(dtype=float)
            scaled[position].append((values - middle) / (spread if spread > 0 else 1.0))
            if any_missing:
                coded[position].append(frame[name].isna().to_numpy().astype(np.int64))
    for name in columns.categories:
        codes, _ = pd.factorize(pd.concat([frame[name] for frame in frames], ignore_index=True))
        ends = np.cumsum([len(frame) for frame in frames])
        for position, part in enumerate(np.split(codes + 1, ends[:-1])):
            coded[position].append(part)
    largest = max((int(part.max()) for parts in coded for part in parts if len(part)), default=0)
    dtype = np.uint8 if largest < 2**8 else np.uint16 if largest < 2**16 else np.uint32
    return [
        Points(
            np.column_stack(numbers) if numbers else np.zeros((len(frame), 0)),
            np.stack(codes).astype(dtype) if codes else np.zeros((0, len(frame)), dtype),
        )
        for frame, numbers, codes in zip(frames, scaled, coded, strict=True)
    ]


def nearest(
    queries: Points,
    references: Points,
    *,
    count: int = 1,
    metric: str = 'l1',
    exclude_self: bool = False,
) -> tuple[np.ndarray, np.ndarray]:
    """The `count` nearest references of each query.

    Args:
        queries: The rows to look up.
        references: The rows to look among.
        count: How many neighbours.
        metric: 'l1' or 'l2'; see the module's docstring.
        exclude_self: Whether query i and reference i are the same row, which does not count.

    Returns:
        Distances and positions, both queries x count, nearest first; infinite and -1 where there
        are not enough references.
    """
    distances = np.full((len(queries), count), np.inf)
    positions = np.full((len(queries), count), -1, dtype=np.int64)

    def search(start: int, stop: int) -> None:
        best, where = distances[start:stop], positions[start:stop]
        rows = np.arange(stop - start)
        for offset, block in _blocks(queries, references, start, stop, metric):
            if exclude_self:
                own = np.arange(start, stop) - offset
                inside = (own >= 0) & (own < block.shape[1])
                block[rows[inside], own[inside]] = np.inf
            for _ in range(count):
                found = block.argmin(axis=1)
                value = block[rows, found]
                # Insertion into the sorted list of the nearest so far.
                if not (value < best[:, -1]).any():
                    break
                block[rows, found] = np.inf
                merged = np.column_stack([best, value])
                owners = np.column_stack([where, np.where(value < np.inf, found + offset, -1)])
                order = merged.argsort(axis=1, kind='stable')[:, :count]
                best[:] = np.take_along_axis(merged, order, axis=1)
                where[:] = np.take_along_axis(owners, order, axis=1)

    _in_parallel(search, len(queries))
    return (np.sqrt(distances) if metric == 'l2' else distances), positions


def nearest_by_group(
    queries: Points, references: Points, *, group_size: int, metric: str = 'l1'
) -> np.ndarray:
    """The distance of each query to the nearest reference of each group.

    References 0 to group_size - 1 are the first group, and so on; the last group may be smaller.

    Returns:
        Distances, queries x groups.
    """
    groups = -(-len(references) // group_size)
    result = np.full((len(queries), groups), np.inf)

    def search(start: int, stop: int) -> None:
        for group in range(groups):
            rows = slice(group * group_size, (group + 1) * group_size)
            members = Points(references.numbers[rows], references.codes[:, rows])
            for _, block in _blocks(queries, members, start, stop, metric):
                np.minimum(
                    result[start:stop, group], block.min(axis=1), out=result[start:stop, group]
                )

    _in_parallel(search, len(queries))
    return np.sqrt(result) if metric == 'l2' else result


def nearest_by_other_cells(queries: Points, references: Points) -> Iterator[np.ndarray]:
    """For each column, the nearest reference of each query by all other columns (L1).

    Args:
        queries: The rows to look up.
        references: The rows to look among.

    Yields:
        Positions ``(queries,)``: first for each number, then for each line of codes.
    """
    starts = range(0, len(queries), QUERY_BLOCK)
    parts = [slice(start, min(start + QUERY_BLOCK, len(queries))) for start in starts]
    totals = []
    for part in parts:
        blocks = [block for _, block in _blocks(queries, references, part.start, part.stop, 'l1')]
        totals.append(np.concatenate(blocks, axis=1))
    for number in range(queries.numbers.shape[1]):
        mine, theirs = queries.numbers[:, number], references.numbers[:, number]
        yield np.concatenate(
            [
                (total - np.abs(mine[part, None] - theirs)).argmin(axis=1)
                for part, total in zip(parts, totals, strict=True)
            ]
        )
    for own, other in zip(queries.codes, references.codes, strict=True):
        yield np.concatenate(
            [
                (total - 2 * (own[part, None] != other)).argmin(axis=1)
                for part, total in zip(parts, totals, strict=True)
            ]
        )


def _blocks(
    queries: Points, references: Points, start: int, stop: int, metric: str
) -> Iterator[tuple[int, np.ndarray]]:
    """Distances of queries[start:stop] to one block of references after the other."""
    name = 'cityblock' if metric == 'l1' else 'sqeuclidean'
    counter = np.uint8 if len(queries.codes) < 2**7 else np.uint16
    for offset in range(0, len(references), REFERENCE_BLOCK):
        end = min(offset + REFERENCE_BLOCK, len(references))
        shape = (stop - start, end - offset)
        if queries.numbers.shape[1]:
            block = cdist(queries.numbers[start:stop], references.numbers[offset:end], name)
        else:
            block = np.zeros(shape)
        if len(queries.codes):
            differing = np.zeros(shape, counter)
            different = np.empty(shape, bool)
            for mine, theirs in zip(queries.codes, references.codes, strict=True):
                np.not_equal(mine[start:stop, None], theirs[offset:end], out=different)
                differing += different.view(np.uint8)
            differing += differing
            block += differing
        yield offset, block


def _in_parallel(search: Callable[[int, int], None], rows: int) -> None:
    """Run `search` on consecutive ranges of rows, in one thread per usable core."""
    ranges = [(start, min(start + QUERY_BLOCK, rows)) for start in range(0, rows, QUERY_BLOCK)]
    workers = min(_usable_cores(), len(ranges))
    if workers <= 1:
        for start, stop in ranges:
            search(start, stop)
        return
    with ThreadPoolExecutor(workers) as pool:
        for future in [pool.submit(search, start, stop) for start, stop in ranges]:
            future.result()


def _usable_cores() -> int:
    """Cores that this process may run on."""
    if hasattr(os, 'sched_getaffinity'):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
