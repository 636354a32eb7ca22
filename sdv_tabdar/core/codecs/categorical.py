"""The codec of a categorical column.

A level is a code, most frequent first. Beyond ``max_categories`` the rarest levels share a code;
when it is drawn, the level follows their training frequencies.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Hashable
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from sdv_tabdar.core.codecs.pieces import Pieces
from sdv_tabdar.core.codecs.values import SHOWN, Codes, Floats, distinct_values, numbers_of, shown
from sdv_tabdar.core.config import ModelConfig
from sdv_tabdar.core.restrictions import Interval, Members, NotMissing, Restriction
from sdv_tabdar.core.schema import Column, ColumnKind


@dataclasses.dataclass(frozen=True)
class CategoricalCodec:
    """Levels of one column to codes, and back.

    Attributes:
        column: The codes.
        levels: Levels, most frequent first; those from ``column.num_codes - 1`` on share the
            last code if there are more levels than codes. Missing is a level, written None,
            and never one of those that share.
        counts: Training count of each level.
    """

    column: Column
    levels: tuple[Hashable, ...]
    counts: npt.NDArray[np.int64]

    @property
    def num_shared(self) -> int:
        """How many levels share the last code (0 if none do)."""
        extra = len(self.levels) - self.column.num_codes
        return extra + 1 if extra else 0

    def encode(self, values: pd.Series) -> tuple[Codes, Floats]:
        """Codes ``(B,)`` (and zero residuals) of any objects.

        Raises:
            ValueError: If a value was never seen in training.
        """
        numbers = self.level_numbers(values)
        unseen = numbers < 0
        if unseen.any():
            bad = list(dict.fromkeys(values[unseen].tolist()))[:SHOWN]
            raise ValueError(
                f"Column '{self.column.name}' has values that the model has never seen: {bad}. "
                f'Allowed are the {len(self.levels)} values of the training data: '
                f'{shown(self.levels)}.'
            )
        return numbers.clip(max=self.column.num_codes - 1), np.zeros(len(values))

    def pieces(self, restriction: Restriction) -> Pieces:
        """The codes that ``restriction`` allows.

        Raises:
            ValueError: If it is an interval, or allows no level that training has seen.
        """
        if isinstance(restriction, Interval):
            raise ValueError(
                f"Column '{self.column.name}' is categorical; {restriction} needs a numerical one. "
                'Give the set of allowed values instead.'
            )
        if isinstance(restriction, NotMissing):
            codes = range(self.column.num_codes)
            allowed = {code: 1.0 for code in codes if code != self.column.missing}
        else:
            allowed, shares = {}, self.code_shares()
            for number in self._member_numbers(restriction):
                code = min(number, self.column.num_codes - 1)
                allowed[code] = allowed.get(code, 0.0) + float(shares[number])
        if not allowed:
            raise ValueError(
                f"Column '{self.column.name}' cannot meet {restriction}: the training data had "
                'nothing but missing values in it.'
            )
        return Pieces.of_codes(allowed)

    def enforce(
        self, values: npt.NDArray[Any], restriction: Restriction, uniforms: Floats
    ) -> npt.NDArray[Any]:
        """Levels ``(B,)`` drawn under a restriction, without those that only share a code with it.

        ``uniforms`` ``(B,)`` in [0, 1) choose among the allowed levels that share the code.
        """
        if not self.num_shared or not isinstance(restriction, Members):
            return values
        first = self.column.num_codes - 1
        allowed = [number for number in self._member_numbers(restriction) if number >= first]
        shared = self.level_numbers(pd.Series(values, dtype=object)) >= first
        if not allowed or not shared.any():
            return values
        counts = self.counts[allowed]
        drawn = np.searchsorted(counts.cumsum() / counts.sum(), uniforms[shared], side='right')
        obeying = values.copy()
        for row, rank in zip(np.flatnonzero(shared), drawn, strict=True):
            obeying[row] = self.levels[allowed[min(rank, len(allowed) - 1)]]
        return obeying

    def _member_numbers(self, members: Members) -> list[int]:
        """Positions in ``levels`` of the members of a set, each once."""
        values = pd.Series(list(members.values), dtype=object, name=self.column.name)
        self.encode(values)
        return sorted(set(self.level_numbers(values).tolist()))

    def decode(self, codes: Codes, uniforms: Floats) -> npt.NDArray[Any]:
        """Levels ``(B,)``; ``uniforms`` ``(B,)`` in [0, 1) choose among levels that share."""
        chosen = codes.copy()
        if self.num_shared:
            first = self.column.num_codes - 1
            shared = codes == first
            cumulative = np.cumsum(self.counts[first:]) / self.counts[first:].sum()
            drawn = np.searchsorted(cumulative, uniforms[shared], side='right')
            chosen[shared] = first + drawn.clip(max=self.num_shared - 1)
        levels = np.empty(len(self.levels), dtype=object)
        levels[:] = self.levels
        return levels[chosen]

    def code_shares(self) -> npt.NDArray[np.float64]:
        """Share ``(levels,)`` of each level within its code: 1 but for levels that share one."""
        shares = np.ones(len(self.levels))
        if self.num_shared:
            first = self.column.num_codes - 1
            shares[first:] = self.counts[first:] / self.counts[first:].sum()
        return shares

    def level_numbers(self, values: pd.Series) -> Codes:
        """Position ``(B,)`` in ``levels`` of each value, -1 where it was never seen."""
        return numbers_of(values, self._lookup())

    def _lookup(self) -> dict[Hashable, int]:
        return {level: number for number, level in enumerate(self.levels)}


def fit_categorical(name: str, values: pd.Series, config: ModelConfig) -> CategoricalCodec:
    """Learn the codes of a column from its values ``(B,)``."""
    seen = list(dict.fromkeys(distinct_values(values)[1]))
    numbers = numbers_of(values, {level: i for i, level in enumerate(seen)})
    counts = np.bincount(numbers, minlength=len(seen))
    ranking = np.argsort(-counts, kind='stable').tolist()
    first_shared = config.max_categories - 1
    if len(seen) > config.max_categories and None in seen:
        place = ranking.index(seen.index(None))
        ranking.insert(min(place, first_shared - 1), ranking.pop(place))
    levels = tuple(seen[i] for i in ranking)
    counts = counts[ranking]
    kept = [int(count) for count in counts]
    if len(kept) > config.max_categories:
        kept = [*kept[:first_shared], sum(kept[first_shared:])]
    missing = levels.index(None) if None in levels else None
    column = Column(name, ColumnKind.CATEGORICAL, tuple(kept), missing=missing)
    return CategoricalCodec(column, levels, counts)
