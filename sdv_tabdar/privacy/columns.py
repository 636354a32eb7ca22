"""The columns of a table under a privacy budget: how cells are read, asked about and written.

A row is read by itself: what a cell means follows from the dtype and the metadata, and from no
other row.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from sdv.errors import InvalidDataError

from sdv_tabdar.adapter.date_texts import readable
from sdv_tabdar.core.codecs.values import Floats, LevelIndex
from sdv_tabdar.privacy.marginals import (
    LEVELS_WEIGHT,
    NUMBER_WEIGHT,
    LevelMarginal,
    Marginal,
    NumberMarginal,
)
from sdv_tabdar.privacy.public import Ends
from sdv_tabdar.privacy.questions import Questions

Ints = npt.NDArray[np.int64]

_DECIMALS = 6  # that numbers are rounded to at most
_DATE_UNITS = (86_400e9, 3_600e9, 60e9, 1e9, 1e6)  # nanoseconds
_FARTHEST = 9.2e18  # nanoseconds that a date may be from 1970


@dataclasses.dataclass(frozen=True)
class Column:
    """One column, and how its cells are read and written; its dtype is public.

    Attributes:
        name: The user's label.
        key: SDV's label.
        dtype: Its dtype.
    """

    name: Hashable
    key: str
    dtype: Any

    weight = 0.0

    @property
    def law(self) -> Marginal | None:
        """What is known of its values; None for a column of which nothing is asked."""
        return None

    @property
    def is_open(self) -> bool:
        """Whether values of it are asked for that are not known beforehand."""
        return self.weight > 0

    @property
    def is_silent(self) -> bool:
        """Whether nothing is told."""
        return False

    @property
    def levels(self) -> Sequence[Hashable]:
        """The levels that are told; None for missing is not among them."""
        return ()

    @property
    def num_values(self) -> int:
        """How many values and intervals are told."""
        return 1

    def asked(self, questions: Questions, frame: pd.DataFrame) -> Column:
        """The same, with what was asked of it."""
        return self

    def spread(self, order: Ints) -> pd.Series:
        """Cells in the user's form, arranged in an order ``(N,)``."""
        raise NotImplementedError

    def places(self, frame: pd.DataFrame) -> Ints:
        """Which value of the marginal each row has; -1 for none."""
        raise NotImplementedError

    def in_model_form(self, frame: pd.DataFrame) -> Any:
        """The cells of the rows as the model reads them."""
        raise NotImplementedError


@dataclasses.dataclass(frozen=True)
class Generated(Column):
    """A column that is made anew: nothing is asked of it."""

    def spread(self, order: Ints) -> pd.Series:
        """Numbers or texts that no two rows share."""
        numbers = pd.Series(np.arange(len(order)))
        if pd.api.types.is_numeric_dtype(self.dtype) and self.dtype != bool:
            return numbers.astype(self.dtype)
        return numbers.map(str).astype(object)

    def in_model_form(self, frame: pd.DataFrame) -> Any:
        """Refused: the model never has such a column."""
        raise InvalidDataError(
            [
                f"Column '{self.name}' is described as one that is made anew, but a transformer "
                "has the model learn it. Leave its transformer as it is, or make it 'categorical'."
            ]
        )


@dataclasses.dataclass(frozen=True)
class Levels(Column):
    """A column of levels.

    Attributes:
        known: All values that a cell may have, None for missing among them; empty if these are to
            be asked for.
        marginal: What is told of them.
    """

    known: Sequence[Hashable] = ()
    marginal: LevelMarginal | None = None

    weight = LEVELS_WEIGHT

    @property
    def is_open(self) -> bool:
        """Whether levels are asked for."""
        return not self.known

    @property
    def law(self) -> Marginal | None:
        """What is known of its levels, once they were asked for."""
        return self.marginal

    @property
    def levels(self) -> Sequence[Hashable]:
        """Those that are told; None for missing is not among them."""
        assert self.marginal is not None
        return [level for level in self.marginal.levels if level is not None]

    @property
    def num_values(self) -> int:
        """How many levels are told, with missing."""
        assert self.marginal is not None
        return len(self.marginal.levels)

    @property
    def is_silent(self) -> bool:
        """Whether nothing is told."""
        return not self.levels

    def asked(self, questions: Questions, frame: pd.DataFrame) -> Column:
        """The same, with its marginal."""
        index, places = LevelIndex.of(_objects(frame[self.name]))
        marginal = LevelMarginal.asked(questions, self.key, index, places, self.known)
        return dataclasses.replace(self, marginal=marginal)

    def places(self, frame: pd.DataFrame) -> Ints:
        """Which level each row has; -1 where it is not told."""
        assert self.marginal is not None
        found = LevelIndex(self.marginal.levels).numbers(_objects(frame[self.name]))
        return np.asarray(found, dtype=np.int64)

    def spread(self, order: Ints) -> pd.Series:
        """Levels in their shares."""
        assert self.marginal is not None
        cells = np.empty(len(order), dtype=object)
        cells[:] = self.marginal.spread(len(order))
        cells = pd.Series(cells[order], dtype=object)
        if isinstance(self.dtype, pd.CategoricalDtype):
            told = dict.fromkeys(self.levels)
            listed = [level for level in self.dtype.categories if level in told]
            listed = [*dict.fromkeys([*listed, *told])]  # public ones may be no categories
            return cells.astype(pd.CategoricalDtype(listed, self.dtype.ordered))
        holds_none = isinstance(self.dtype, np.dtype) and self.dtype.kind in 'iub'
        return cells if holds_none and cells.isna().any() else cells.astype(self.dtype)

    def in_model_form(self, frame: pd.DataFrame) -> Any:
        """Levels; those that are not told are replaced."""
        assert self.marginal is not None
        places = self.places(frame)
        cells = np.empty(len(self.marginal.levels) + 1, dtype=object)
        cells[:-1] = self.marginal.levels
        found = cells[places]
        found[places < 0] = self.marginal.drawn(int((places < 0).sum()))
        return found


@dataclasses.dataclass(frozen=True)
class Numbers(Column):
    """A column of numbers.

    Attributes:
        marginal: What is told of them.
        ends: The least and the greatest that there can be, if that is known beforehand; cells
            beyond count as these.
    """

    marginal: NumberMarginal | None = None
    ends: Ends | None = None

    weight = NUMBER_WEIGHT

    @property
    def law(self) -> Marginal | None:
        """What is known of its numbers, once they were asked for."""
        return self.marginal

    @property
    def num_values(self) -> int:
        """How many values and intervals are told, with missing."""
        assert self.marginal is not None
        return len(self.marginal.shares)

    @property
    def is_silent(self) -> bool:
        """Whether nothing is told."""
        assert self.marginal is not None
        return not len(self.marginal.atoms) and not len(self.marginal.lows)

    @property
    def grids(self) -> Sequence[float]:
        """What the numbers may be multiples of."""
        if pd.api.types.is_integer_dtype(self.dtype):
            return (1.0,)
        return [10.0**-digits for digits in range(_DECIMALS + 1)]

    def read(self, frame: pd.DataFrame) -> Floats:
        """The numbers ``(B,)``, NaN where missing; infinite ones count as missing."""
        numbers = frame[self.name].to_numpy(dtype=np.float64, na_value=np.nan)
        return self.within(np.where(np.isfinite(numbers), numbers, np.nan))

    def within(self, numbers: Floats) -> Floats:
        """Numbers ``(B,)`` between the ends, where these are known."""
        return numbers if self.ends is None else numbers.clip(*self.ends)

    def asked(self, questions: Questions, frame: pd.DataFrame) -> Column:
        """The same, with its marginal."""
        numbers = self.read(frame)
        marginal = NumberMarginal.asked(questions, self.key, numbers, self.grids, self.ends)
        return dataclasses.replace(self, marginal=marginal)

    def places(self, frame: pd.DataFrame) -> Ints:
        """Which value or interval each row has; -1 where none is told."""
        assert self.marginal is not None
        return self.marginal.places(self.read(frame))

    def spread(self, order: Ints) -> pd.Series:
        """Numbers of the marginal."""
        assert self.marginal is not None
        return self.written(self.marginal.spread(len(order))[order])

    @property
    def _holds_none(self) -> bool:
        """Whether its dtype has no place for missing cells."""
        return isinstance(self.dtype, np.dtype) and self.dtype.kind in 'iu'

    def written(self, numbers: Floats) -> pd.Series:
        """Numbers in the user's form."""
        if self._holds_none:
            numbers = np.nan_to_num(numbers)
        if pd.api.types.is_integer_dtype(self.dtype):
            ends = np.iinfo(getattr(self.dtype, 'numpy_dtype', self.dtype))
            # the greatest float64 below the end
            numbers = np.rint(numbers).clip(ends.min, np.nextafter(float(ends.max), 0))
        return pd.Series(numbers, dtype='Float64').astype(self.dtype)

    def in_model_form(self, frame: pd.DataFrame) -> Any:
        """The numbers, or the nearest that is told; missing ones where these are told of."""
        assert self.marginal is not None
        if self.is_silent:
            return np.full(len(frame), 0.0 if self._holds_none else np.nan)
        numbers = self.read(frame)
        missing = np.isnan(numbers)
        if not self.marginal.shares[-1]:
            told = self.marginal.spread(len(numbers))
            places = np.random.default_rng().integers(0, len(told), int(missing.sum()))
            numbers[missing] = told[places]
        return numbers


@dataclasses.dataclass(frozen=True)
class Dates(Numbers):
    """A column of dates, as nanoseconds since 1970.

    Attributes:
        text_format: Of dates that are text.
    """

    text_format: str | None = None

    @property
    def grids(self) -> Sequence[float]:
        """Units of time."""
        return _DATE_UNITS

    def read(self, frame: pd.DataFrame) -> Floats:
        """Nanoseconds ``(B,)``, NaN where missing, and where a text is no date in the format."""
        values = frame[self.name]
        if self.text_format is not None:
            text_format = readable(self.text_format)
            values = pd.to_datetime(values.astype(object), format=text_format, errors='coerce')
        zone = getattr(values.dtype, 'tz', None)
        if zone is not None:
            values = values.dt.tz_convert('UTC').dt.tz_localize(None)
        values = values.astype('datetime64[ns]')
        found = values.to_numpy().astype(np.int64).astype(np.float64)
        return self.within(np.where(values.isna().to_numpy(), np.nan, found))

    def written(self, numbers: Floats) -> pd.Series:
        """Dates in the user's form."""
        assert self.marginal is not None
        unit = max(self.marginal.grid, 1.0)
        # whole numbers: a float64 has not all nanoseconds of our time
        within = np.nan_to_num(numbers).clip(-_FARTHEST, _FARTHEST)
        counts = np.rint(within / unit).astype(np.int64) * int(unit)
        dates = pd.Series(pd.to_datetime(counts)).where(~np.isnan(numbers))
        if self.text_format is not None:
            texts = dates.dt.strftime(self.text_format).astype(object)
            return texts.where(dates.notna(), None)
        zone = getattr(self.dtype, 'tz', None)
        if zone is not None:
            dates = dates.dt.tz_localize('UTC').dt.tz_convert(zone)
        return dates.astype(self.dtype)


def _objects(values: pd.Series) -> pd.Series:
    return values.astype(object).where(values.notna(), None)
