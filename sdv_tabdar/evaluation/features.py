"""A mixed table as a numeric matrix for classifiers.

The layout is that of SDMetrics' detection metrics, so that our numbers are theirs wherever theirs
exist: first the numbers, in frame order, then the one-hot columns of each categorical column with
its levels sorted. Missing categories are a level. What SDMetrics hides from the classifier comes
after: one column per number that says 'is missing', and one per category that says 'is a value
that the fitted rows do not have'.

A classifier that is to tell two tables apart must know the levels of both, or else it tells them by
which of them was asked for its levels.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from sdv_tabdar.evaluation.columns import ColumnTypes

MAX_ONE_HOT_COLUMNS = 1000
"""Width at which rare levels stop to get a column of their own (memory, not accuracy)."""


@dataclass(frozen=True)
class FeatureMatrix:
    """Features of some rows.

    Attributes:
        values: Float64, rows x features.
        names: A name for each feature.
        sources: The column of the table that each feature comes from.
    """

    values: np.ndarray
    names: tuple[str, ...]
    sources: tuple[str, ...]


@dataclass(frozen=True)
class TableFeatures:
    """How to turn canonical frames (see `tables`) into matrices.

    Attributes:
        columns: The measured columns.
        fills: What stands in for a missing number: its mean or median in real data.
        levels: The known levels of each categorical column, sorted, None last.
        shown: How many of the levels, most frequent first, have a one-hot column. Smaller than
            the number of levels only where the matrix would be too wide; then a further column
            has the rank of the level by frequency.
        ranks: The rank of each level by frequency.
        flagged: Numbers for which missing cells are flagged.
    """

    columns: ColumnTypes
    fills: dict[str, float]
    levels: dict[str, list[str | None]]
    shown: dict[str, int]
    ranks: dict[str, dict[str | None, int]]
    flagged: tuple[str, ...]

    @classmethod
    def fit(
        cls,
        real: pd.DataFrame,
        columns: ColumnTypes,
        *,
        beside: pd.DataFrame | None = None,
        fill: str = 'median',
        flag_missing: bool = True,
        max_one_hot: int = MAX_ONE_HOT_COLUMNS,
    ) -> TableFeatures:
        """Learn levels and fill values from a canonical real frame.

        Args:
            real: The frame.
            columns: The columns to use.
            beside: Other rows, whose levels count as much as those of the real ones.
            fill: 'median' or 'mean' (what SDMetrics fills with).
            flag_missing: Whether to add 'is missing' columns. They are there for every number,
                so that missing cells that only synthetic data has can be seen.
            max_one_hot: The largest number of one-hot columns of the matrix.
        """
        fills = {}
        for name in columns.numbers:
            known = real[name].dropna()
            middle = known.mean() if fill == 'mean' else known.median()
            fills[name] = float(middle) if len(known) else 0.0
        levels: dict[str, list[str | None]] = {}
        ranks: dict[str, dict[str | None, int]] = {}
        for name in columns.categories:
            labels = real[name]
            if beside is not None:
                labels = pd.concat([labels, beside[name]], ignore_index=True)
            # The labels sort ties, so that the order of rows decides nothing.
            counts = labels.value_counts().rename_axis('label').reset_index(name='rows')
            by_count = counts.sort_values(['rows', 'label'], ascending=[False, True])['label']
            found: list[str | None] = sorted(by_count)
            ordered: list[str | None] = list(by_count)
            if labels.isna().any():
                found.append(None)
                ordered.append(None)
            levels[name] = found
            ranks[name] = {level: rank for rank, level in enumerate(ordered)}
        shown = _shown_levels({name: len(found) for name, found in levels.items()}, max_one_hot)
        flagged = columns.numbers if flag_missing else ()
        return cls(columns, fills, levels, shown, ranks, flagged)

    def transform(self, *frames: pd.DataFrame) -> list[FeatureMatrix]:
        """Matrices of canonical frames, all with the same features.

        'Is missing' and 'is unseen' columns that are zero in all given frames are left out.
        """
        raw = [self._blocks(frame) for frame in frames]
        names, sources, keep = [], [], []
        for index, (name, source, optional, _) in enumerate(raw[0]):
            if not optional or any(blocks[index][3].any() for blocks in raw):
                names.append(name)
                sources.append(source)
                keep.append(index)
        matrices = []
        for frame, blocks in zip(frames, raw, strict=True):
            values = np.empty((len(frame), len(keep)))
            for position, index in enumerate(keep):
                values[:, position] = blocks[index][3]
            matrices.append(FeatureMatrix(values, tuple(names), tuple(sources)))
        return matrices

    def _blocks(self, frame: pd.DataFrame) -> list[tuple[str, str, bool, np.ndarray]]:
        """Name, source, whether it may be left out, and values (rows,) of each feature."""
        numbers = [
            (name, name, False, frame[name].fillna(self.fills[name]).to_numpy(dtype=float))
            for name in self.columns.numbers
        ]
        one_hot: list[tuple[str, str, bool, np.ndarray]] = []
        extra: list[tuple[str, str, bool, np.ndarray]] = [
            (f'{name} is missing', name, True, frame[name].isna().to_numpy())
            for name in self.flagged
        ]
        for name in self.columns.categories:
            labels = frame[name]
            codes = level_codes(labels, self.levels[name])
            ranks = self.ranks[name]
            for code, level in enumerate(self.levels[name]):
                if ranks[level] < self.shown[name]:
                    shown = 'missing' if level is None else level
                    one_hot.append((f'{name} = {shown}', name, False, codes == code))
            unseen = codes < 0
            if self.shown[name] < len(ranks):
                by_code = np.array([ranks[level] for level in self.levels[name]] + [len(ranks)])
                extra.append((f'{name} (rank)', name, False, by_code[codes].astype(float)))
            extra.append((f'{name} is a new value', name, True, unseen))
        return numbers + one_hot + extra


def level_codes(labels: pd.Series, levels: list[str | None]) -> np.ndarray:
    """The position of each label in `levels`, -1 for a label that is not among them."""
    known = [level for level in levels if level is not None]
    codes = pd.Categorical(labels, categories=known).codes.astype(np.int64)
    if None in levels:
        codes[labels.isna().to_numpy()] = len(known)
    return codes


def _shown_levels(sizes: dict[str, int], max_one_hot: int) -> dict[str, int]:
    """How many levels of each column get a one-hot column, all of them where there is room."""
    if sum(sizes.values()) <= max_one_hot or not sizes:
        return sizes
    cap = max(sizes.values())
    while cap > 2 and sum(min(size, cap) for size in sizes.values()) > max_one_hot:
        cap = max(2, cap * 3 // 4)
    return {name: min(size, cap) for name, size in sizes.items()}
