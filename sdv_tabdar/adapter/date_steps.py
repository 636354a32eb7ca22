"""Which dates the dtype of a column, or the type of its values, can hold."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from sdv_tabdar.adapter.clocks import Counts

DAY = 86_400 * 10**9  # in nanoseconds, as are the others
MICROSECOND = 1_000
_STEPS = {'s': 10**9, 'ms': 10**6, 'us': MICROSECOND}  # of dtypes
_NAMES = {
    DAY: 'days',
    3_600 * 10**9: 'hours',
    60 * 10**9: 'minutes',
    10**9: 'seconds',
    10**6: 'milliseconds',
    MICROSECOND: 'microseconds',
}


def date_step(dtype: Any, value_type: type | None) -> int:
    """The nanoseconds that all dates of a dtype, or objects of a type, are multiples of."""
    if is_arrow_date(dtype) or value_type is datetime.date:
        return DAY
    if value_type is datetime.datetime:
        return MICROSECOND
    if isinstance(dtype, pd.PeriodDtype):
        return DAY if _is_calendar(dtype) else int(dtype.freq.base.nanos)
    kind = dtype.numpy_dtype if isinstance(dtype, pd.ArrowDtype) else dtype
    unit = kind.unit if isinstance(kind, pd.DatetimeTZDtype) else None
    if isinstance(kind, np.dtype) and kind.kind == 'M':
        unit = np.datetime_data(kind)[0]
    return _STEPS.get(str(unit), 1)


def can_hold(counts: Counts, dtype: Any, value_type: type | None) -> npt.NDArray[np.bool_]:
    """Which dates a dtype, or objects of a type, can hold to the last digit.

    Args:
        counts: In nanoseconds since 1970.
        dtype: As in :func:`date_step`. A period stands for its first moment.
        value_type: As in :func:`date_step`.
    """
    held: npt.NDArray[np.bool_] = counts % date_step(dtype, value_type) == 0
    if _is_calendar(dtype):
        dates = pd.Series(counts.view('datetime64[ns]'))
        held &= (dates.dt.to_period(dtype.freq).dt.to_timestamp() == dates).to_numpy()
    return held


def steps_text(dtype: Any, value_type: type | None) -> str:
    """What dates a column can hold, in words, where it cannot hold all."""
    if _is_calendar(dtype):
        return f'the column holds periods ({dtype}), each of which stands for its first moment'
    return f'the column holds whole {unit_name(date_step(dtype, value_type))}'


def unit_name(unit: int) -> str:
    """The name of so many nanoseconds as a unit of dates."""
    return _NAMES[unit]


def is_arrow_date(dtype: Any) -> bool:
    """Whether a dtype is one of Arrow's for dates without a time of day."""
    return isinstance(dtype, pd.ArrowDtype) and dtype.type is datetime.date


def _is_calendar(dtype: Any) -> bool:
    """Whether a dtype has periods of days that are not all as long, or not as long as a day."""
    is_period = isinstance(dtype, pd.PeriodDtype)
    return is_period and not isinstance(dtype.freq.base, pd.offsets.Tick)
