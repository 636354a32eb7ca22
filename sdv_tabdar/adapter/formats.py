"""How a column of a user's table is stored, and the plain form of it that SDV gets to see.

``dates`` and ``numeric`` say how dates and numbers are written; here are the dtype, the type of
objects and what marks a missing cell. Why all this is needed stands in ``table_format``.
"""

from __future__ import annotations

import dataclasses
import numbers
from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from sdv_tabdar.adapter.clocks import Counts
from sdv_tabdar.adapter.date_steps import can_hold, date_step, steps_text
from sdv_tabdar.adapter.dates import DATE_TYPES, DateForm
from sdv_tabdar.adapter.numeric import NumberForm, is_arrow_decimal, nearest
from sdv_tabdar.adapter.values import plain_objects, with_quiet_gaps

_SINGLE = (str, numbers.Number, pd.Period, *DATE_TYPES)  # numbers and dates as a user gives them


@dataclasses.dataclass(frozen=True)
class ColumnFormat:
    """The form of one column.

    Attributes:
        name: The user's label of the column.
        key: SDV's label of it, always a string.
        sdtype: SDV's type of the column; None for a column the metadata does not have.
        dtype: The user's dtype.
        dates: How its dates are written; of no meaning in columns of another sdtype.
        number: How its numbers are held; of no meaning in columns of another sdtype but keys.
        value_type: Type of the values of an object column if they all share one, else None.
        null: What marks a missing cell in an object column.
    """

    name: Hashable
    key: str
    sdtype: str | None
    dtype: Any
    dates: DateForm = dataclasses.field(default_factory=DateForm)
    number: NumberForm = dataclasses.field(default_factory=NumberForm)
    value_type: type | None = None
    null: Any = None

    @classmethod
    def learn(
        cls,
        values: pd.Series,
        sdtype: str | None,
        date_format: str | None,
        *,
        is_key: bool = False,
    ) -> ColumnFormat:
        """Look at a column of the training table."""
        number = NumberForm()
        if sdtype == 'numerical':
            number = NumberForm.learn(values)
        elif sdtype == 'id' and is_key:
            number = NumberForm.of_keys(values)
        present = values.dropna()
        is_object = values.dtype == object
        types = {type(value) for value in present} if is_object else set()
        missing = values[values.isna()]
        return cls(
            name=values.name,
            key=str(values.name),
            sdtype=sdtype,
            dtype=values.dtype,
            dates=DateForm.learn(values, date_format) if sdtype == 'datetime' else DateForm(),
            number=number,
            value_type=next(iter(types)) if len(types) == 1 else None,
            null=missing.iloc[0] if is_object and len(missing) else None,
        )

    def to_state(self) -> dict[str, Any]:
        """The form as plain objects, to be saved."""
        return {**vars(self), 'dates': dict(vars(self.dates)), 'number': dict(vars(self.number))}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> ColumnFormat:
        """The form that :meth:`to_state` wrote."""
        dates, number = DateForm(**state['dates']), NumberForm(**state['number'])
        return cls(**{**state, 'dates': dates, 'number': number})

    def without_categories(self, plain_dtype: Any) -> ColumnFormat:
        """The form without the values that a dtype of categories lists.

        For columns whose values are not to be given out: each part of the rows would add other
        ones to them, and so be of another dtype.

        Args:
            plain_dtype: Dtype of the column's plain form, which it has instead.
        """
        if not isinstance(self.dtype, pd.CategoricalDtype):
            return self
        return dataclasses.replace(self, dtype=plain_dtype)

    @property
    def date_step(self) -> int:
        """The nanoseconds that all dates its dtype or type can hold are multiples of."""
        return date_step(self.dtype, self.value_type)

    def can_hold(self, counts: Counts) -> npt.NDArray[np.bool_]:
        """Which dates, in nanoseconds since 1970, its dtype or type can hold to the last digit."""
        return can_hold(counts, self.dtype, self.value_type)

    @property
    def steps_text(self) -> str:
        """What dates its dtype or type can hold, in words, where it cannot hold all."""
        return steps_text(self.dtype, self.value_type)

    def plain(self, values: pd.Series) -> pd.Series:
        """The column in a form that SDV handles; the length and the index stay.

        Raises:
            InvalidDataError: If a number or a date is too large for SDV.
        """
        values = with_quiet_gaps(values)
        if self.sdtype == 'numerical':
            return self.number.plain(values)
        if self.sdtype == 'datetime':
            return self.dates.plain(values)
        if self.sdtype == 'id':
            # SDV makes numbers for keys that are numbers, and text for keys that are objects.
            values = self.number.plain_keys(values) if self._is_number else _plain_keys(values)
        if values.dtype == np.float16:
            return values.astype(np.float64)  # pandas has no index of them
        if isinstance(values.dtype, np.dtype) and values.dtype != object:
            return values
        return plain_objects(values)

    def plain_entry(self, entry: Mapping[str, Any]) -> Mapping[str, Any]:
        """The metadata's description of the column, with the ends of its range in plain form."""
        ends = {end: entry[end] for end in ('range_min', 'range_max') if entry.get(end) is not None}
        if self.sdtype == 'numerical':
            return {**entry, **{k: self.number.plain_number(v) for k, v in ends.items()}}
        if self.sdtype == 'datetime' and ends and self.dates.time_zone is not None:
            plain = {key: str(self.dates.in_utc(end)) for key, end in ends.items()}
            return {key: v for key, v in {**entry, **plain}.items() if key != 'datetime_format'}
        return entry

    def restore(self, values: pd.Series, given: pd.Series | None = None) -> pd.Series:
        """The column in the user's form, as far as its values allow.

        Args:
            values: Plain values, or some that are in the user's form already.
            given: What the user conditioned the cells on, values or not; these cells are kept
                with all their digits.
        """
        try:
            if self.sdtype == 'numerical':
                restored = self.number.restore(values, as_objects=self.dtype == object)
            elif self.sdtype == 'datetime':
                restored = self.dates.restore(values, self.dtype, self.value_type)
            else:
                restored = self.number.restore_keys(values) if self._is_number else values
            if isinstance(self.dtype, pd.CategoricalDtype):
                restored = self._among_categories(restored, values, given)
            restored = self.cast(restored)
            return restored if given is None else self._with_given(restored, given)
        except (TypeError, ValueError, OverflowError):
            # Generated values need not fit the dtype that the real ones had, and an integer
            # column has no place for a missing cell that a condition asked for.
            return self._in_a_wider_dtype(values)

    def _in_a_wider_dtype(self, values: pd.Series) -> pd.Series:
        """Values that the dtype does not hold; whole numbers need not be objects for that."""
        is_whole = pd.api.types.is_integer_dtype(self.dtype) and values.map(type).eq(int).all()
        return values.infer_objects() if is_whole else values

    @property
    def _is_number(self) -> bool:
        """Whether its values, also if they are keys, are held in a form of numbers."""
        return self.number.is_whole or self.number.is_decimal

    def _among_categories(
        self, restored: pd.Series, plain: pd.Series, given: pd.Series | None
    ) -> pd.Series:
        """Drawn numbers and dates as the nearest category; what is known stays."""
        is_date = self.sdtype == 'datetime'
        kinds = 'MO' if is_date else 'iuf'  # objects: dates as text that SDV reads without a format
        if not (is_date or self.sdtype == 'numerical') or plain.dtype.kind not in kinds:
            return restored
        if isinstance(plain.dtype, pd.CategoricalDtype):
            return restored  # in the user's form already
        categories = pd.Series(self.dtype.categories)
        choices, numbers = self.plain(categories), plain
        if is_date:
            choices, numbers = self.dates.nanoseconds(choices), self.dates.nanoseconds(plain)
        places = nearest(numbers, choices.to_numpy(dtype=np.float64))
        is_drawn = places >= 0
        if given is not None:
            is_single = np.array(
                [isinstance(value, _SINGLE) for value in given.tolist()], dtype=bool
            )
            is_drawn &= ~(is_single & given.notna().to_numpy())
        cells = restored.astype(object).to_numpy(copy=True)
        cells[is_drawn] = categories.astype(object).to_numpy()[places[is_drawn]]
        return pd.Series(cells, index=restored.index, name=restored.name, dtype=object)

    def _with_given(self, restored: pd.Series, given: pd.Series) -> pd.Series:
        """Known numbers with the digits that their plain form has not."""
        number = self.number
        if not (number.is_whole or number.is_decimal or number.is_mixed):
            return restored
        before = restored.tolist()
        cells = np.empty(len(before), dtype=object)
        cells[:] = [number.known(*pair) for pair in zip(before, given.tolist(), strict=True)]
        return self.cast(pd.Series(cells, index=restored.index, name=restored.name))

    def cast(self, values: pd.Series) -> pd.Series:
        """Values of the user's column in its dtype, with its mark of missing cells.

        Raises:
            TypeError, ValueError, OverflowError: If the dtype cannot hold them.
        """
        if self.dtype == object:
            values = values.astype(object)
            if values.isna().any():
                # One missing cell among others: Series.where would turn None into NaN.
                cells = values.to_numpy(dtype=object, copy=True)
                cells[values.isna().to_numpy()] = self.null
                values = pd.Series(cells, index=values.index, name=values.name, dtype=object)
            return values
        if values.dtype == self.dtype or (self.dtype == bool and values.isna().any()):
            return values
        if isinstance(self.dtype, pd.CategoricalDtype):
            return values.astype(with_categories(self.dtype, values))
        if pd.api.types.is_integer_dtype(self.dtype) and pd.api.types.is_float_dtype(values):
            values = values.round()
        if isinstance(self.dtype, pd.ArrowDtype) and values.isna().all():
            values = values.astype(object)  # Arrow makes no null of a number
        with np.errstate(over='ignore'):
            cast = values.astype(self.dtype)
        is_whole = all(map(pd.api.types.is_integer_dtype, (values.dtype, self.dtype)))
        if is_whole and (cast != values).any():
            raise OverflowError(f'{self.dtype} does not hold all of these numbers.')
        if pd.api.types.is_float_dtype(self.dtype) and np.isinf(_floats(cast)).any():
            return values  # numbers that were generated or given, and do not fit
        return cast


def with_categories(dtype: pd.CategoricalDtype, values: pd.Series) -> pd.CategoricalDtype:
    """The dtype, with those of the values as further categories that it has not."""
    new = pd.Index(values.dropna().unique()).difference(dtype.categories, sort=False)
    if not len(new):
        return dtype
    return pd.CategoricalDtype([*dtype.categories, *new], ordered=dtype.ordered)


def _floats(values: pd.Series) -> npt.NDArray[np.float64]:
    return values.to_numpy(dtype=np.float64, na_value=0.0)


def _plain_keys(values: pd.Series) -> pd.Series:
    """Keys without gaps that a nullable or Arrow dtype holds as numbers in NumPy's dtype.

    Decimal numbers become floats where these are as exact.
    """
    dtype = values.dtype
    if not hasattr(dtype, 'numpy_dtype') or values.isna().any():
        return values
    if is_arrow_decimal(dtype):
        floats = values.astype(np.float64)
        return floats if floats.astype(dtype).equals(values) else values
    is_number = pd.api.types.is_integer_dtype(dtype) or pd.api.types.is_float_dtype(dtype)
    return values.astype(dtype.numpy_dtype) if is_number else values
