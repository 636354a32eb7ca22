"""The codec of a categorical column.

A level is a code, most frequent first. Those that occur equally often are in the order of their
values: that in which the table has them would tell which levels of two columns share a row. Beyond
``max_categories`` the rarest levels share a code; when it is drawn, the level follows their
training frequencies.
"""

from __future__ import annotations

import functools
from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from sdv_tabdar.core.codecs.codec import Codec
from sdv_tabdar.core.codecs.counted import Counted, Levels
from sdv_tabdar.core.codecs.pieces import Pieces
from sdv_tabdar.core.codecs.values import SHOWN, Codes, Floats, LevelIndex, level_order, shown
from sdv_tabdar.core.config import ModelConfig
from sdv_tabdar.core.restrictions import (
    Interval,
    Members,
    NothingAllowedError,
    NotMissing,
    Restriction,
)
from sdv_tabdar.core.schema import Column, ColumnKind


class CategoricalCodec(Codec):
    """Levels of one column to codes, and back. Residuals are 0."""

    def __init__(
        self, column: Column, levels: tuple[Hashable, ...], counts: npt.NDArray[np.int64]
    ) -> None:
        """Use :meth:`fit` to make one from data.

        Args:
            column: The codes.
            levels: ``(L,)`` levels, most frequent first; those from ``column.num_codes - 1`` on
                share the last code if there are more levels than codes. Missing is a level,
                written None, and never one of those that share.
            counts: ``(L,)`` training count of each level.
        """
        self.column = column
        self._levels = levels
        self._counts = counts

    @classmethod
    def fit(cls, name: str, values: Counted, config: ModelConfig) -> CategoricalCodec:
        """Learn the codes of a column, see :meth:`Codec.fit`."""
        levels = Levels.of(values)
        return cls._of_counts(name, levels.found, levels.counts, config.max_categories)

    @classmethod
    def _of_counts(
        cls,
        name: str,
        found: list[Hashable],
        counts: npt.NDArray[np.int64],
        max_categories: int,
    ) -> CategoricalCodec:
        """The codec of levels that occur so often."""
        order = [level_order(level) for level in found]
        ranking = sorted(range(len(found)), key=lambda number: (-counts[number], order[number]))
        first_shared = max_categories - 1
        if len(found) > max_categories and None in found:
            place = ranking.index(found.index(None))
            ranking.insert(min(place, first_shared - 1), ranking.pop(place))
        levels = tuple(found[number] for number in ranking)
        counts = counts[ranking]
        code_counts = counts.tolist()
        if len(levels) > max_categories:
            code_counts[first_shared:] = [sum(code_counts[first_shared:])]
        missing = levels.index(None) if None in levels else None
        column = Column(name, ColumnKind.CATEGORICAL, tuple(code_counts), missing=missing)
        return cls(column, levels, counts)

    def grown(self, values: Counted, config: ModelConfig) -> CategoricalCodec:
        """The levels of ``values`` and, as if each had occurred once, the others known so far."""
        levels = Levels.of(values)
        known = pd.Series(list(self._levels), dtype=object)
        numbers = LevelIndex(levels.found).numbers(known)
        absent = [self._levels[place] for place in np.flatnonzero(numbers < 0)]
        counts = np.concatenate([levels.counts, np.ones(len(absent), dtype=levels.counts.dtype)])
        found = [*levels.found, *absent]
        return self._of_counts(self.column.name, found, counts, config.max_categories)

    def codes_in(self, before: Codec) -> Codes:
        """The codes of the same levels, see :meth:`Codec.codes_in`."""
        assert isinstance(before, CategoricalCodec)
        first = pd.Series(list(self._levels[: self.column.num_codes]), dtype=object)
        return before.known_codes(first)

    def known_codes(self, values: pd.Series) -> Codes:
        """Codes ``(B,)`` of values; -1 where a value is no level."""
        return self._index.numbers(values).clip(max=self.column.num_codes - 1)

    @property
    def levels(self) -> tuple[Hashable, ...]:
        """The levels, most frequent first, None for missing."""
        return self._levels

    @property
    def needs_uniforms(self) -> bool:
        """Whether levels share a code."""
        return self._num_shared > 0

    def encode(self, values: pd.Series) -> tuple[Codes, Floats]:
        """Codes and residuals ``(B,)``, see :meth:`Codec.encode`."""
        return self._known_numbers(values).clip(max=self.column.num_codes - 1), np.zeros(
            len(values)
        )

    def decode(self, codes: Codes, residuals: Floats, uniforms: Floats) -> npt.NDArray[Any]:
        """Levels ``(B,)``; ``uniforms`` choose among levels that share a code."""
        chosen = codes.copy()
        if self._num_shared:
            shared = codes == self._first_shared
            drawn = _drawn(self._counts[self._first_shared :], uniforms[shared])
            chosen[shared] = self._first_shared + drawn
        levels = np.empty(len(self._levels), dtype=object)
        levels[:] = self._levels
        return levels[chosen]

    def log_volume(self, values: pd.Series) -> Floats:
        """Log of the share ``(B,)`` of each level in its code."""
        logs: Floats = np.log(self._shares)[self._known_numbers(values)]
        return logs

    def restrict(self, restriction: Restriction) -> Pieces:
        """The codes that a restriction allows, see :meth:`Codec.restrict`."""
        if isinstance(restriction, Interval):
            raise ValueError(
                f"Column '{self.column.name}' is categorical; {restriction} needs a numerical one. "
                'Give the set of allowed values instead.'
            )
        if isinstance(restriction, NotMissing):
            codes = range(self.column.num_codes)
            allowed = {code: 1.0 for code in codes if code != self.column.missing}
        else:
            allowed = {}
            for number in self._member_numbers(restriction):
                code = min(number, self.column.num_codes - 1)
                allowed[code] = allowed.get(code, 0.0) + float(self._shares[number])
        if not allowed:
            reason = 'the training data had nothing but missing values in it.'
            raise NothingAllowedError(self.column.name, restriction, reason)
        return Pieces.of_codes(allowed)

    def enforce(
        self, values: npt.NDArray[Any], restriction: Restriction, uniforms: Floats
    ) -> npt.NDArray[Any]:
        """Levels ``(B,)`` drawn under a restriction, without those that only share a code with it.

        ``uniforms`` choose among the allowed levels that share the code.
        """
        if not self._num_shared or not isinstance(restriction, Members):
            return values
        members = self._member_numbers(restriction)
        allowed = [number for number in members if number >= self._first_shared]
        shared = self._known_numbers(pd.Series(values, dtype=object)) >= self._first_shared
        if not allowed or not shared.any():
            return values
        obeying = values.copy()
        drawn = _drawn(self._counts[allowed], uniforms[shared])
        for row, rank in zip(np.flatnonzero(shared), drawn, strict=True):
            obeying[row] = self._levels[allowed[rank]]
        return obeying

    def level_probabilities(self, code_probabilities: Floats) -> Floats:
        """Probabilities ``(B, L)`` of levels; those that share a code by their training counts."""
        code_of_level = np.arange(len(self._levels)).clip(max=self.column.num_codes - 1)
        probabilities: Floats = code_probabilities[:, code_of_level] * self._shares
        return probabilities

    def to_state(self) -> dict[str, Any]:
        """See :meth:`Codec.to_state`."""
        return {
            'column': self.column.to_state(),
            'levels': list(self._levels),
            'counts': self._counts,
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> CategoricalCodec:
        """See :meth:`Codec.from_state`."""
        return cls(Column.from_state(state['column']), tuple(state['levels']), state['counts'])

    @property
    def _num_shared(self) -> int:
        """How many levels share the last code (0 if none do)."""
        extra = len(self._levels) - self.column.num_codes
        return extra + 1 if extra else 0

    @property
    def _first_shared(self) -> int:
        """The last code, and the first level that has it."""
        return self.column.num_codes - 1

    @functools.cached_property
    def _shares(self) -> Floats:
        """Share ``(L,)`` of each level in its code: 1 but for levels that share one."""
        shares = np.ones(len(self._levels))
        if self._num_shared:
            counts = self._counts[self._first_shared :]
            shares[self._first_shared :] = counts / counts.sum()
        return shares

    @functools.cached_property
    def _index(self) -> LevelIndex:
        return LevelIndex(self._levels)

    def _known_numbers(self, values: pd.Series) -> Codes:
        """Position ``(B,)`` in ``levels`` of each value.

        Raises:
            ValueError: If training did not contain a value.
        """
        numbers = self._index.numbers(values)
        unseen = numbers < 0
        if unseen.any():
            bad = list(dict.fromkeys(values[unseen].tolist()))[:SHOWN]
            raise ValueError(
                f"Column '{self.column.name}' has values that the model has never seen: {bad}. "
                f'Allowed are the {len(self._levels)} values of the training data: '
                f'{shown(self._levels)}.'
            )
        return numbers

    def _member_numbers(self, members: Members) -> list[int]:
        """Positions in ``levels`` of the members of a set, each once."""
        values = pd.Series(list(members.values), dtype=object, name=self.column.name)
        return sorted(set(self._known_numbers(values).tolist()))


def _drawn(counts: npt.NDArray[np.int64], uniforms: Floats) -> Codes:
    """Positions ``(B,)`` in ``counts``, drawn with probabilities in proportion to them."""
    drawn = np.searchsorted(counts.cumsum() / counts.sum(), uniforms, side='right')
    return drawn.clip(max=len(counts) - 1)
