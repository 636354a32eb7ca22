"""What plain values that come from a file must look like: small checks that are put together.

A check takes a value and the place where it stands, for the message, and raises :class:`Unfit`
if the value is not what it should be. Nothing is converted.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, NoReturn

import numpy as np

Check = Callable[[Any, str], None]

LONGEST_TEXT = 1 << 20
_SHOWN = 60


class Unfit(ValueError):
    """A value is not what it should be.

    Attributes:
        place: Where it stands, such as ``'model.encoder.codecs[3].atoms'``.
        reason: What is wrong with it, and what is allowed.
    """

    def __init__(self, place: str, reason: str) -> None:
        super().__init__(f"'{place}' {reason}")
        self.place, self.reason = place, reason


def refuse(place: str, value: Any, allowed: str) -> NoReturn:
    """Raise :class:`Unfit` for a value that is not allowed."""
    shown = value if isinstance(value, (str, int, float, bool, type(None))) else type(value)
    text = repr(shown) if not isinstance(shown, type) else f'of type {shown.__name__}'
    if len(text) > _SHOWN:
        text = f'{text[:_SHOWN]} ...'
    raise Unfit(place, f'is {text}; it must be {allowed}.')


def flag(value: Any, place: str) -> None:
    """True or False."""
    if not isinstance(value, bool):
        refuse(place, value, 'true or false')


def anything(value: Any, place: str) -> None:
    """Whatever could be read at all."""


def whole(low: int, high: int) -> Check:
    """A whole number in a range, ends included."""

    def check(value: Any, place: str) -> None:
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            refuse(place, value, f'a whole number from {low} to {high}')

    return check


def number(low: float = -math.inf, high: float = math.inf, *, finite: bool = True) -> Check:
    """A number in a range, ends included."""

    def check(value: Any, place: str) -> None:
        fits = isinstance(value, (int, float)) and not isinstance(value, bool)
        if fits and not (low <= value <= high and abs(value) != math.inf):
            fits = not finite and (value != value or low <= value <= high)
        if not fits:
            words = '' if low == -math.inf and high == math.inf else f' from {low:g} to {high:g}'
            refuse(place, value, f'a{" finite" if finite else ""} number{words}')

    return check


def text(value: Any, place: str) -> None:
    """A text."""
    if not isinstance(value, str) or len(value) > LONGEST_TEXT:
        refuse(place, value, f'a text of at most {LONGEST_TEXT:,} characters')


def names(value: Any, place: str) -> None:
    """A list of texts, each of them once."""
    items(text)(value, place)
    if len(set(value)) < len(value):
        twice = sorted({name[:_SHOWN] for name in value if value.count(name) > 1})
        raise Unfit(place, f'must name each once, however twice: {twice[:5]}.')


def one_of(*choices: Any) -> Check:
    """One of a few texts, numbers or None."""

    def check(value: Any, place: str) -> None:
        if not any(type(value) is type(choice) and value == choice for choice in choices):
            refuse(place, value, f'one of {list(choices)}')

    return check


def instance(*types: type) -> Check:
    """An object of one of some types."""

    def check(value: Any, place: str) -> None:
        if not isinstance(value, types):
            refuse(place, value, ' or '.join(sorted(kind.__name__ for kind in types)))

    return check


def optional(check: Check) -> Check:
    """None, or what passes a check."""
    return lambda value, place: None if value is None else check(value, place)


def either(*checks: Check) -> Check:
    """What passes one of some checks; the last one says what is wrong."""

    def check(value: Any, place: str) -> None:
        for each in checks[:-1]:
            try:
                each(value, place)
            except Unfit:
                continue
            return
        checks[-1](value, place)

    return check


def items(
    check: Check, *, length: int | None = None, kinds: type | tuple[type, ...] = list
) -> Check:
    """A list, of a length if one is given, whose entries pass a check."""

    def each(value: Any, place: str) -> None:
        if not isinstance(value, kinds):
            refuse(place, value, 'a list')
        listed: Any = value
        if length is not None and len(listed) != length:
            raise Unfit(place, f'has {len(listed)} entries; it must have {length}.')
        for number_, entry in enumerate(listed):
            check(entry, f'{place}[{number_}]')

    return each


def pair(first: Check, second: Check) -> Check:
    """A list or tuple of two."""

    def check(value: Any, place: str) -> None:
        items(anything, length=2, kinds=(list, tuple))(value, place)
        first(value[0], f'{place}[0]')
        second(value[1], f'{place}[1]')

    return check


def entries(check: Check, *, key: Check = text) -> Check:
    """A dictionary whose keys and values pass checks."""

    def each(value: Any, place: str) -> None:
        if not isinstance(value, dict):
            refuse(place, value, 'a dictionary')
        for name, entry in value.items():
            key(name, f'a name in {place}')
            check(entry, f'{place}.{str(name)[:_SHOWN]}')

    return each


def record(fields: Mapping[str, Check], *, absent: Collection[str] = ()) -> Check:
    """A dictionary with these names and no others; those in ``absent`` may be left out."""

    def check(value: Any, place: str) -> None:
        if not isinstance(value, dict):
            refuse(place, value, f'a dictionary of {sorted(fields)}')
        unknown = [str(name)[:_SHOWN] for name in value if name not in fields]
        if unknown:
            raise Unfit(
                place, f'has {unknown[:5]}, which this version does not know; {sorted(fields)} are.'
            )
        lacking = [name for name in fields if name not in value and name not in absent]
        if lacking:
            raise Unfit(place, f'lacks {lacking[:5]}.')
        for name, entry in value.items():
            fields[name](entry, f'{place}.{name}')

    return check


def array(kinds: str, shape: Sequence[int | None]) -> Check:
    """A NumPy array.

    Args:
        kinds: Codes of the dtypes that it may have, such as ``'f8'`` or ``'i8'``, with spaces.
        shape: Its lengths; None where any will do.
    """

    def check(value: Any, place: str) -> None:
        if not isinstance(value, np.ndarray) or value.dtype.str[1:] not in kinds.split():
            found = value.dtype if isinstance(value, np.ndarray) else type(value).__name__
            raise Unfit(place, f'is {found}; it must be an array of {kinds}.')
        fits = len(shape) == value.ndim and all(
            wanted is None or wanted == length
            for wanted, length in zip(shape, value.shape, strict=True)
        )
        if not fits:
            wanted_ = [length if length is not None else 'any' for length in shape]
            raise Unfit(place, f'has the shape {list(value.shape)}; it must have {wanted_}.')

    return check
