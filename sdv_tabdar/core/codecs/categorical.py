"""The codec of a categorical column.

A level is a code, most frequent first. Those that occur equally often are in the order of their
values: that in which the table has them would tell which levels of two columns share a row.

Beyond ``max_categories`` the rarest levels share codes, with those next to them in the order of
their values: neighbouring zip codes, products of one family, diagnoses of one chapter begin alike,
and have more in common than any two levels. When such a code is drawn, the level follows their
training frequencies.
"""

from __future__ import annotations

import functools
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from sdv_tabdar.core.codecs.codec import Codec
from sdv_tabdar.core.codecs.counted import Counted, Levels
from sdv_tabdar.core.codecs.level_places import level_places
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

_SHARED_PART = 8  # one in so many codes is shared, where levels have to share


class CategoricalCodec(Codec):
    """Levels of one column to codes, and back. Residuals are 0."""

    def __init__(
        self,
        column: Column,
        levels: tuple[Hashable, ...],
        counts: npt.NDArray[np.int64],
        sharing: Sequence[int] = (),
    ) -> None:
        """Use :meth:`fit` to make one from data.

        Args:
            column: The codes.
            levels: ``(L,)`` levels: those with a code of their own, most frequent first, and then
                those that share one, in their order. Missing is a level, written None, and never
                one of those that share.
            counts: ``(L,)`` training count of each level.
            sharing: How many levels have each of the last codes, as many of these as there are
                numbers; every other code has one level.
        """
        self.column = column
        self._levels = levels
        self._counts = counts
        self._sharing = tuple(sharing)

    @classmethod
    def fit(
        cls, name: str, values: Counted, config: ModelConfig, order: Sequence[Hashable] = ()
    ) -> CategoricalCodec:
        """Learn the codes of a column, see :meth:`Codec.fit`."""
        levels = Levels.of(values)
        return cls._of_counts(name, levels.found, levels.counts, config, order)

    @classmethod
    def _of_counts(
        cls,
        name: str,
        found: list[Hashable],
        counts: npt.NDArray[np.int64],
        config: ModelConfig,
        order: Sequence[Hashable],
    ) -> CategoricalCodec:
        """The codec of levels that occur so often."""
        max_categories, by_value = config.max_categories, [level_order(level) for level in found]
        ranking = sorted(range(len(found)), key=lambda number: (-counts[number], by_value[number]))
        sharing: list[int] = []
        if len(found) > max_categories:
            first = max_categories - max(max_categories // _SHARED_PART, 1)
            if None in found:
                place = ranking.index(found.index(None))
                ranking.insert(min(place, first - 1), ranking.pop(place))
            ranking[first:] = sorted(ranking[first:], key=by_value.__getitem__)
            sharing = even_parts(counts[ranking[first:]], max_categories - first)
        levels, counts = tuple(found[number] for number in ranking), counts[ranking]
        codes = _codes_of(len(levels), sharing)
        column = Column(
            name,
            ColumnKind.CATEGORICAL,
            tuple(np.bincount(codes, weights=counts).astype(np.int64).tolist()),
            uniform=level_places(levels, counts, codes, order) if config.ordered_levels else (),
            missing=levels.index(None) if None in levels else None,
        )
        return cls(column, levels, counts, sharing)

    def grown(
        self, values: Counted, config: ModelConfig, order: Sequence[Hashable] = ()
    ) -> CategoricalCodec:
        """The levels of ``values`` and, as if each had occurred once, the others known so far."""
        levels = Levels.of(values)
        known = pd.Series(list(self._levels), dtype=object)
        numbers = LevelIndex(levels.found).numbers(known)
        absent = [self._levels[place] for place in np.flatnonzero(numbers < 0)]
        counts = np.concatenate([levels.counts, np.ones(len(absent), dtype=levels.counts.dtype)])
        found = [*levels.found, *absent]
        return self._of_counts(self.column.name, found, counts, config, order)

    def codes_in(self, before: Codec) -> Codes:
        """The codes of the same levels, see :meth:`Codec.codes_in`."""
        assert isinstance(before, CategoricalCodec)
        firsts = np.unique(self._codes, return_index=True)[1]
        return before.known_codes(pd.Series([self._levels[at] for at in firsts], dtype=object))

    def known_codes(self, values: pd.Series) -> Codes:
        """Codes ``(B,)`` of values; -1 where a value is no level."""
        return np.append(self._codes, -1)[self._index.numbers(values)]

    @property
    def levels(self) -> tuple[Hashable, ...]:
        """The levels in the order of their codes, None for missing."""
        return self._levels

    @property
    def num_single(self) -> int:
        """How many codes stand for one level each, see :attr:`Codec.num_single`."""
        return self.column.num_codes - len(self._sharing)

    def encode(self, values: pd.Series) -> tuple[Codes, Floats]:
        """Codes and residuals ``(B,)``, see :meth:`Codec.encode`."""
        return self._codes[self._known_numbers(values)], np.zeros(len(values))

    def decode(self, codes: Codes, residuals: Floats, uniforms: Floats) -> npt.NDArray[Any]:
        """Levels ``(B,)``; ``uniforms`` choose among levels that share a code."""
        chosen = codes.copy()
        if self._sharing:
            first = self.num_single
            shared = codes >= first
            within = np.cumsum(self._shares[first:])
            within[np.cumsum(self._sharing) - 1] = np.arange(len(self._sharing)) + 1
            drawn = np.searchsorted(within, codes[shared] - first + uniforms[shared], side='right')
            chosen[shared] = first + drawn
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
                code = int(self._codes[number])
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
        if not self._sharing or not isinstance(restriction, Members):
            return values
        members = np.array(self._member_numbers(restriction))
        codes = self._codes[self._known_numbers(pd.Series(values, dtype=object))]
        obeying = values.copy()
        for code in np.unique(codes[codes >= self.num_single]).tolist():
            allowed, rows = members[self._codes[members] == code], np.flatnonzero(codes == code)
            if len(allowed):
                drawn = allowed[_drawn(self._counts[allowed], uniforms[rows])]
                for row, number in zip(rows.tolist(), drawn.tolist(), strict=True):
                    obeying[row] = self._levels[number]
        return obeying

    def level_probabilities(self, code_probabilities: Floats) -> Floats:
        """Probabilities ``(B, L)`` of levels; those that share a code by their training counts."""
        probabilities: Floats = code_probabilities[:, self._codes] * self._shares
        return probabilities

    def to_state(self) -> dict[str, Any]:
        """See :meth:`Codec.to_state`."""
        return {
            'column': self.column.to_state(),
            'levels': list(self._levels),
            'counts': self._counts,
            'sharing': list(self._sharing),
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> CategoricalCodec:
        """See :meth:`Codec.from_state`."""
        column, levels = Column.from_state(state['column']), tuple(state['levels'])
        extra = len(levels) - column.num_codes
        before = [extra + 1] if extra else []  # one code for all, in former versions
        return cls(column, levels, state['counts'], state.get('sharing', before))

    @functools.cached_property
    def _codes(self) -> Codes:
        """The code ``(L,)`` of each level."""
        return _codes_of(len(self._levels), self._sharing)

    @functools.cached_property
    def _shares(self) -> Floats:
        """Share ``(L,)`` of each level in its code: 1 but for levels that share one."""
        return self._counts / np.bincount(self._codes, weights=self._counts)[self._codes]

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


def _codes_of(num_levels: int, sharing: Sequence[int]) -> Codes:
    """The code ``(L,)`` of each level, by how many levels have each of the last codes."""
    first = num_levels - sum(sharing)
    return np.concatenate([np.arange(first), first + np.repeat(np.arange(len(sharing)), sharing)])


def even_parts(counts: npt.NDArray[np.int64], number: int) -> list[int]:
    """Lengths of parts, one at least, of about the same sum.

    Args:
        counts: ``(N,)``, what is parted where it lies.
        number: How many parts; at most N.
    """
    ends = counts.cumsum()
    starts = np.searchsorted(ends, np.arange(number) * counts.sum() / number, side='right')
    places = np.arange(number)
    starts = np.maximum.accumulate(starts - places) + places  # one at least in each
    starts = np.minimum(starts, len(counts) - number + places)
    lengths: list[int] = np.diff(starts, append=len(counts)).tolist()
    return lengths


def _drawn(counts: npt.NDArray[np.int64], uniforms: Floats) -> Codes:
    """Positions ``(B,)`` in ``counts``, drawn with probabilities in proportion to them."""
    drawn = np.searchsorted(counts.cumsum() / counts.sum(), uniforms, side='right')
    return drawn.clip(max=len(counts) - 1)
