"""The columns of sums of an encoder, in the terms of what moves their numbers (``balance.py``)."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping

import numpy as np

from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.codecs.lines import SINGLE, finest
from sdv_tabdar.core.codecs.numerical import NumericalCodec
from sdv_tabdar.core.codecs.sums import Digits, Sum
from sdv_tabdar.core.codecs.values import Floats
from sdv_tabdar.core.inference.balance import EXACT, Balance, Total


@dataclasses.dataclass(frozen=True)
class SummedColumns:
    """Columns of sums, and behind them the constants that some make.

    Attributes:
        encoder: The codes, and which columns are sums.
        made: Columns of products that are no totals.
    """

    encoder: TableEncoder
    made: frozenset[int] = frozenset()

    @functools.cached_property
    def columns(self) -> list[int]:
        """The positions of the n columns of sums."""
        return sorted({position for one in self.encoder.sums for position in one.columns})

    @functools.cached_property
    def places(self) -> Mapping[int, int]:
        """For each position of such a column its place among them."""
        return {position: place for place, position in enumerate(self.columns)}

    @functools.cached_property
    def constants(self) -> list[float]:
        """What parts make in all rows; the balance has a place for each behind the columns."""
        return [one.constant for one in self.encoder.sums if one.constant is not None]

    def with_constants(self, values: Floats) -> Floats:
        """Numbers ``(B, n)`` of columns, and behind them the constants."""
        constants = np.tile(np.array(self.constants), (len(values), 1))
        return np.hstack([values, constants])

    @functools.cached_property
    def unlimited(self) -> set[int]:
        """Positions of totals and of parts of constants, which may leave the limits of training."""
        sums = () if self.encoder.keeps_values else self.encoder.sums
        of_constants = {part for one in sums if one.total is None for part in one.parts}
        return of_constants | {one.total for one in sums if one.total is not None}

    @functools.cached_property
    def balance(self) -> Balance:
        """What makes them add up."""
        totals: list[Total] = []
        digits: dict[int, Digits] = {}
        of_constants: list[Digits] = []
        for one in self.encoder.sums:
            parts = tuple(self.places[part] for part in one.parts)
            if one.total is None:
                place = len(self.columns) + len(of_constants)
                of_constants.append(finest(one.digits))
            else:
                place = self.places[one.total]
            rest = SINGLE if one.is_single else EXACT
            totals.append(Total(place, parts, one in self._followed, rest))
            digits.update(zip(one.columns, one.digits, strict=True))
        levels = [levels_of(self.encoder, column, digits[column]) for column in self.columns]
        all_digits = [*(digits[column] for column in self.columns), *of_constants]
        levels += [None] * len(of_constants)
        return Balance(totals, all_digits, levels, self.encoder.keeps_values)

    @property
    def _followed(self) -> list[Sum]:
        """Of each total the sum that it follows: that whose parts are least easily moved."""

        def stiffness(one: Sum) -> tuple[int, int]:
            few = [part for part in one.parts if not self.encoder.schema.columns[part].bins]
            return len(self.made.intersection(one.parts)), len(few)

        found: dict[int, Sum] = {}
        for one in sorted(self.encoder.sums, key=stiffness, reverse=True):
            if one.total is not None:
                found.setdefault(one.total, one)
        return [*found.values()]


def levels_of(encoder: TableEncoder, position: int, digits: Digits) -> Floats | None:
    """All numbers of a column, where it has to keep to them or they are few; else None."""
    codec = codec_of(encoder, position)
    if encoder.keeps_values and not codec.bins:
        return codec.atoms
    return codec.few_numbers(digits)


def codec_of(encoder: TableEncoder, position: int) -> NumericalCodec:
    """The codec of a column of numbers."""
    codec = encoder.codecs[position]
    assert isinstance(codec, NumericalCodec)
    return codec
