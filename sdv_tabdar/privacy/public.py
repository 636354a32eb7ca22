"""What users know of columns without a look at the rows, so that no budget pays for it.

``public_values`` has, by column, the least and the greatest value of numbers and dates, and the
levels of all else.
"""

from __future__ import annotations

import datetime
import difflib
import math
import numbers
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from sdv.errors import SynthesizerInputError

from sdv_tabdar.adapter.dates import DateForm
from sdv_tabdar.adapter.values import is_missing

Ends = tuple[float, float]

_UTC = datetime.timezone.utc
_DISCRETE = ('categorical', 'boolean', 'ordinal', 'unknown', 'id')
_EXAMPLES = {'numbers': '(0, 120)', 'dates': "('2020-01-01', '2026-12-31')"}
_FORM = (
    "Please provide a dictionary such as {'age': (0, 120), 'sex': ['F', 'M']}: of a column of "
    'numbers or dates the least and the greatest value that there can be, of others all levels.'
)


def is_generated(entry: Mapping[str, Any], *, is_key: bool) -> bool:
    """Whether a column is made anew, so that nothing is asked about it.

    Args:
        entry: The metadata's description of it.
        is_key: Whether it is a key.
    """
    sdtype = entry.get('sdtype')
    is_pattern = sdtype == 'id' and entry.get('regex_format') is not None
    return is_key or is_pattern or sdtype not in (*_DISCRETE, 'numerical', 'datetime')


def check_public_values(
    values: Any,
    described: Mapping[str, Mapping[str, Any]],
    keys: Sequence[str],
    *,
    has_budget: bool,
) -> None:
    """Refuse public values that are none, or of no column that a budget asks about.

    Args:
        values: The parameter.
        described: The metadata's description of each column.
        keys: Columns that are keys.
        has_budget: Whether there is an epsilon.

    Raises:
        SynthesizerInputError: If they are.
    """
    if values is None:
        return
    if not isinstance(values, Mapping):
        raise SynthesizerInputError(
            f"Invalid value {values!r} for parameter 'public_values'. {_FORM}"
        )
    if not has_budget:
        raise SynthesizerInputError(
            "'public_values' says what a privacy budget need not pay for. Give it beside "
            "'epsilon', or leave it out."
        )
    for name, value in values.items():
        entry = described.get(str(name))
        if entry is None:
            close = difflib.get_close_matches(str(name), described, 1)
            hint = f' Did you mean {close[0]!r}?' if close else ''
            raise SynthesizerInputError(
                f"'public_values' has {name!r}, which is no column.{hint} Columns are "
                f'{", ".join(map(repr, described))}.'
            )
        if is_generated(entry, is_key=str(name) in keys):
            raise SynthesizerInputError(
                f"'public_values' has {name!r}, whose values are made anew: nothing is asked about "
                'it. Leave it out.'
            )
        if entry.get('sdtype') in ('numerical', 'datetime'):
            public_ends(name, value, entry)
        else:
            public_levels(name, value)


def public_ends(
    name: Hashable, value: Any, entry: Mapping[str, Any], time_zone: Any = None
) -> Ends:
    """The least and the greatest number of a column; of dates in nanoseconds since 1970.

    Args:
        name: Of the column.
        value: What was given for it.
        entry: The metadata's description of it.
        time_zone: Of its dates, if they have one.

    Raises:
        SynthesizerInputError: If they are no such ends.
    """
    kind = 'dates' if entry.get('sdtype') == 'datetime' else 'numbers'
    try:
        low, high = value if isinstance(value, (tuple, list)) else ()
        if kind == 'dates':
            form = DateForm(entry.get('datetime_format'), time_zone=time_zone or _UTC)
            low, high = (form.in_utc(end).as_unit('ns').value for end in (low, high))
        elif not all(_is_number(end) for end in (low, high)):
            raise TypeError
        low, high = float(low), float(high)
    except (TypeError, ValueError):
        raise SynthesizerInputError(
            f"'public_values' has {value!r} for {name!r}, a column of {kind}. Please provide two "
            f'{kind}, the least and the greatest that there can be, as in '
            f'{_EXAMPLES[kind]}.'
        ) from None
    if low >= high:
        raise SynthesizerInputError(
            f"'public_values' has {value!r} for {name!r}: the least value must be below the "
            'greatest one.'
        )
    return low, high


def public_levels(name: Hashable, value: Any) -> Sequence[Hashable]:
    """The levels of a column; missing is not among them.

    Args:
        name: Of the column.
        value: What was given for it.

    Raises:
        SynthesizerInputError: If they are no such levels.
    """
    is_list = isinstance(value, (list, tuple)) and all(isinstance(e, Hashable) for e in value)
    levels = [level for level in value if not is_missing(level)] if is_list else []
    if not levels or len(set(levels)) < len(levels):
        raise SynthesizerInputError(
            f"'public_values' has {value!r} for {name!r}. Please provide a list of all levels of "
            "the column, each of them once, as in ['F', 'M']. Cells may be missing all the same."
        )
    return levels


def _is_number(value: Any) -> bool:
    is_real = isinstance(value, numbers.Real) and not isinstance(value, bool)
    return is_real and math.isfinite(value)
