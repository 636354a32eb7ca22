"""SDV's formatters as plain values, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sdv.data_processing.datetime_formatter import DatetimeFormatter
from sdv.data_processing.numerical_formatter import NumericalFormatter

from sdv_tabdar.adapter import checked
from sdv_tabdar.adapter.checked import Check
from sdv_tabdar.adapter.private_names.saved_kinds import DTYPE, NUMBER, VALUE, plain

_TEXT, _FLAG = checked.text, checked.flag
_OPTIONAL_TEXT = checked.optional(_TEXT)
_NUMBERS: Mapping[str, Check] = {
    'enforce_rounding': _FLAG,
    'enforce_min_max_values': _FLAG,
    'decimal_places': checked.optional(checked.whole(0, 400)),
}
_NUMBERS_LEARNT: Mapping[str, Check] = {
    '_min_value': checked.optional(NUMBER),
    '_max_value': checked.optional(NUMBER),
    '_rounding_digits': checked.optional(checked.whole(-400, 400)),
}


def written(formatters: Mapping[str, Any]) -> dict[str, Any]:
    """The formatters of some columns as plain values."""
    found = {}
    for name, formatter in formatters.items():
        values = {key: plain(value) for key, value in vars(formatter).items()}
        found[name] = {'class': type(formatter).__name__, **values}
    return found


def read(found: Mapping[str, Any], place: str) -> dict[str, Any]:
    """The formatters that :func:`written` described.

    Raises:
        Unfit: If they are described otherwise.
    """
    numbers = {**_NUMBERS, **_NUMBERS_LEARNT, '_dtype': DTYPE}
    dates = {'datetime_format': _OPTIONAL_TEXT, '_dtype': DTYPE}
    kinds: dict[str, tuple[Any, Mapping[str, Check]]] = {
        'NumericalFormatter': (NumericalFormatter, numbers),
        'DatetimeFormatter': (DatetimeFormatter, dates),
    }
    formatters = {}
    for name, entry in found.items():
        where = f'{place}.{name}'
        checked.entries(VALUE)(entry, where)
        if entry.get('class') not in kinds:
            checked.refuse(f'{where}.class', entry.get('class'), f'one of {sorted(kinds)}')
        make, fields = kinds[entry['class']]
        values = {key: value for key, value in entry.items() if key != 'class'}
        checked.record(fields, absent=_NUMBERS_LEARNT)(values, where)
        formatters[name] = make()
        vars(formatters[name]).update(values)
    return formatters
