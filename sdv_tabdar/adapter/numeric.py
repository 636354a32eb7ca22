"""Numbers: how a column holds them, and the int64 or float64 that SDV and the model work with.

A float64 holds whole numbers up to 2**53 and about 15 digits exactly. Where a column has more, its
numbers are drawn as near as a float64 comes, and never beyond those of the training column.
"""

from __future__ import annotations

import dataclasses
import decimal
import fractions
import math
import numbers
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from sdv.errors import InvalidDataError

from sdv_tabdar.adapter.values import is_missing, item, mapped, plain_objects

EXACT = 2**53
"""From here on, a float64 does not hold every whole number."""
_END_OF_WHOLE = 2**63  # of an int64
_DIGITS = decimal.Context(prec=700)  # enough for any float64 in full


@dataclasses.dataclass(frozen=True)
class NumberForm:
    """How the numbers of one column are held.

    Attributes:
        is_whole: Whether its dtype or the type of its values holds whole numbers only.
        is_decimal: Whether its values are Decimal numbers.
        decimals: Digits after the point of a column of Decimal numbers.
        is_mixed: Whether an object column has numbers of several types.
        short: NumPy's dtype of a column of floats of less than 64 bits, else None.
        ends: Least and greatest number where they are beyond the precision of a float64.
    """

    is_whole: bool = False
    is_decimal: bool = False
    decimals: int = 0
    is_mixed: bool = False
    short: Any = None
    ends: tuple[Any, Any] | None = None

    @classmethod
    def learn(cls, values: pd.Series) -> NumberForm:
        """Look at a column of the training table."""
        present = values.dropna()
        is_object = values.dtype == object
        types = {type(value) for value in present} if is_object else set()
        if not all(map(_is_number_type, types)):
            return cls()  # SDV's validation names the values
        is_whole = pd.api.types.is_integer_dtype(values.dtype)
        is_whole |= bool(types) and all(issubclass(kind, numbers.Integral) for kind in types)
        is_decimal = types == {decimal.Decimal} or is_arrow_decimal(values.dtype)
        return cls(
            is_whole=is_whole,
            is_decimal=is_decimal,
            decimals=_decimals(present) if is_decimal else 0,
            is_mixed=len(types) > 1,
            short=_short_dtype(values.dtype),
            ends=_exact_ends(present) if is_whole or is_decimal or is_object else None,
        )

    @classmethod
    def of_keys(cls, values: pd.Series) -> NumberForm:
        """How a key holds numbers, if as objects: SDV makes text for keys that are objects."""
        if not (values.dtype == object or is_arrow_decimal(values.dtype)):
            return cls()
        present = values.dropna()
        types = {type(value) for value in present}
        if types not in ({int}, {decimal.Decimal}) or max(map(abs, present)) >= _END_OF_WHOLE:
            return cls()
        if types == {int}:
            return cls(is_whole=True)
        form = cls(is_decimal=True, decimals=_decimals(present))
        is_exact = form.restore_keys(form.plain_keys(present)).tolist() == present.tolist()
        return form if is_exact else cls()

    def plain_keys(self, values: pd.Series) -> pd.Series:
        """Keys in whose form :meth:`of_keys` has found numbers, as numbers of NumPy's."""
        numbers = mapped(values, self._key)
        return numbers if values.isna().any() else numbers.infer_objects()

    def restore_keys(self, values: pd.Series) -> pd.Series:
        """Keys that are numbers in the form of :meth:`of_keys`; what is none, as it is."""
        restore = self._decimal if self.is_decimal else int
        return mapped(
            values, lambda value: restore(value) if _is_number_type(type(value)) else value
        )

    def plain(self, values: pd.Series) -> pd.Series:
        """A column of numbers in a form that SDV handles.

        Raises:
            InvalidDataError: If a whole number is too large for a float64.
        """
        short = _short_dtype(values.dtype)
        if short is not None:
            return _series(as_written(values.to_numpy(dtype=short, na_value=np.nan)), values)
        if isinstance(values.dtype, np.dtype) and values.dtype != object:
            return values.astype(np.float64) if _has_beyond(values) else values
        present = values.dropna()
        if not all(map(_is_number_type, map(type, present))):
            return plain_objects(values)  # SDV's validation names the values
        is_whole = all(isinstance(value, numbers.Integral) for value in present)
        is_complete = len(present) == len(values) and len(values) > 0
        if is_whole and is_complete and not _has_beyond(values):
            return values.astype(np.int64)
        try:
            floats = [np.nan if is_missing(value) else _as_float(value) for value in values]
        except OverflowError:
            raise InvalidDataError(
                [
                    f"Column '{values.name}' has numbers of more than 308 digits. Numbers must "
                    'lie within those of a float64.'
                ]
            ) from None
        return _series(np.array(floats, dtype=np.float64), values)

    def plain_number(self, value: float) -> float:
        """A single number as :meth:`plain` has it, also if it was read from a short float."""
        if self.short is None:
            return value
        with np.errstate(over='ignore'):
            written = float(as_written(np.array([value]).astype(self.short))[0])
        return written if math.isfinite(written) else value

    def restore(self, values: pd.Series, *, as_objects: bool) -> pd.Series:
        """Plain numbers as the user's column holds them, but for its dtype.

        Args:
            values: Plain numbers.
            as_objects: Whether the column is one of objects, so that types matter.
        """
        if self.is_decimal:
            return mapped(values, self._decimal)
        if self.is_whole and (as_objects or self.ends is not None):
            return mapped(values, self._whole)
        if self.ends is not None:  # objects of several types
            return mapped(values, self._within)
        return values

    @property
    def steps(self) -> fractions.Fraction | None:
        """How many values of the column lie between 0 and 1; None where they may be any floats."""
        if self.is_decimal:
            return fractions.Fraction(10) ** self.decimals
        return fractions.Fraction(1) if self.is_whole else None

    def places(self, low: Any, high: Any) -> tuple[int | None, int | None]:
        """The ends of a range in whole steps; None for open and for infinite ones.

        A float that is the end of a range of Decimal numbers stands for what is written.
        """
        first = None if low is None or abs(low) == math.inf else math.ceil(self._in_steps(low))
        last = None if high is None or abs(high) == math.inf else math.floor(self._in_steps(high))
        return first, last

    def place(self, value: Any) -> int:
        """A value of the column in steps."""
        return round(self._in_steps(value))

    def value_at(self, place: int) -> Any:
        """The value of the column at a number of steps."""
        if self.is_decimal:
            return decimal.Decimal(place).scaleb(-self.decimals, context=_DIGITS)
        return place

    def _in_steps(self, value: Any) -> fractions.Fraction:
        assert self.steps is not None, 'the column has steps'
        is_written = self.is_decimal and isinstance(value, float)
        return fractions.Fraction(str(value) if is_written else value) * self.steps

    def known(self, drawn: Any, given: Any) -> Any:
        """A known cell with all the digits that it was given with.

        Args:
            drawn: The cell as :meth:`restore` and the dtype have it.
            given: What the user gave: a value, or a condition that is none.
        """
        if is_missing(drawn) or not _is_number_type(type(given)) or is_missing(given):
            return drawn
        if self.is_mixed or (self.is_decimal and isinstance(given, decimal.Decimal)):
            return item(given)
        return int(given) if self.is_whole and given == int(given) else drawn

    def _key(self, value: Any) -> Any:
        """A key as a plain number; what is no number stays."""
        if not _is_number_type(type(value)):
            return value
        return float(value) if self.decimals else int(value)

    def _whole(self, value: Any) -> Any:
        is_restored = isinstance(value, numbers.Integral)
        return value if is_restored else self._within(round(value))

    def _decimal(self, value: Any) -> decimal.Decimal:
        if isinstance(value, decimal.Decimal):
            return value
        unit = decimal.Decimal(1).scaleb(-self.decimals)
        return self._within(decimal.Decimal(str(value)).quantize(unit, context=_DIGITS))

    def _within(self, value: Any) -> Any:
        """A number, or the end of the training column if it is beyond it by rounding alone."""
        if self.ends is None:
            return value
        low, high = self.ends
        end = low if value < low else high if value > high else value
        return end if float(value) == float(end) else value


def as_written(floats: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """Floats of less than 64 bits by the decimals that stand for them: 2.81 and not 2.8099999."""
    return floats.astype(str).astype(np.float64)


def nearest(values: pd.Series, choices: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    """Place of the choice nearest to each number; -1 where missing."""
    order = np.argsort(choices)
    ordered = choices[order]
    known = values.notna().to_numpy()
    wanted = values[known].to_numpy(dtype=np.float64)
    above = np.searchsorted(ordered, wanted).clip(0, len(ordered) - 1)
    below = (above - 1).clip(0)
    is_below = np.abs(ordered[below] - wanted) < np.abs(ordered[above] - wanted)
    places = np.full(len(values), -1, dtype=np.int64)
    places[known] = order[np.where(is_below, below, above)]
    return places


def _short_dtype(dtype: Any) -> Any:
    """NumPy's dtype if this one, its own, nullable or Arrow's, has floats of less than 64 bits."""
    kind = dtype if isinstance(dtype, np.dtype) else getattr(dtype, 'numpy_dtype', None)
    is_short = isinstance(kind, np.dtype) and kind.kind == 'f' and kind.itemsize < 8
    return kind if is_short else None


def _is_number_type(kind: type) -> bool:
    return issubclass(kind, numbers.Number) and not issubclass(kind, (bool, np.bool_))


def is_arrow_decimal(dtype: Any) -> bool:
    """Whether Arrow holds a column as decimal numbers."""
    return isinstance(dtype, pd.ArrowDtype) and dtype.type is decimal.Decimal


def _as_float(value: Any) -> float:
    return float(str(value)) if isinstance(value, (np.float16, np.float32)) else float(value)


def _series(numbers: npt.NDArray[np.float64], like: pd.Series) -> pd.Series:
    return pd.Series(numbers, index=like.index, name=like.name)


def _has_beyond(values: pd.Series) -> bool:
    """Whether a column of whole numbers has some that a float64 does not hold."""
    if isinstance(values.dtype, np.dtype) and values.dtype.kind not in 'iuO':
        return False
    if isinstance(values.dtype, pd.CategoricalDtype):
        values = values.astype(object)
    return len(values) > 0 and (values.max() > EXACT or values.min() < -EXACT)


def _exact_ends(present: pd.Series) -> tuple[Any, Any] | None:
    if not len(present):
        return None
    low, high = item(present.min()), item(present.max())
    try:
        return None if float(low) == low and float(high) == high else (low, high)
    except (OverflowError, ValueError):  # refused later, with the column's name
        return None


def _decimals(values: pd.Series) -> int:
    """Most digits after the point."""
    exponents = [value.as_tuple().exponent for value in values if value.is_finite()]
    return max((-exponent for exponent in exponents), default=0)
