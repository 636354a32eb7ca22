"""Tables on their way in and out: a frame or a dictionary, checked, in plain form."""

from __future__ import annotations

import contextlib
import re
import reprlib
import warnings
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from sdv.errors import InvalidDataError, InvalidDataTypeError
from sdv.sampling import Condition, DataFrameCondition

from sdv_tabdar.adapter import private_names
from sdv_tabdar.adapter.table_format import TableFormat, unique_names

Tables = Mapping[str, pd.DataFrame]

_INTO_PANDAS = ('to_pandas', 'toPandas')
# Sdtypes that containers are no values of.
_SINGLE = ('numerical', 'datetime', 'boolean', 'categorical', 'ordinal', 'id')


class PlainTables(dict[str, pd.DataFrame]):
    """One table that is already in plain form: SDV's methods call each other with these.

    Attributes:
        form: The form that the user has the table in.
    """

    form: TableFormat


def single_table(data: Any, name: str) -> pd.DataFrame:
    """The one table of ``data``, checked for its type and name.

    Raises:
        InvalidDataTypeError: If it is neither a frame nor a dictionary with the table ``name``.
    """
    if isinstance(data, pd.DataFrame):
        return data
    if not isinstance(data, Mapping):
        raise InvalidDataTypeError(
            f"The data must be a DataFrame of pandas or {{'{name}': DataFrame}}, however: "
            f'{_kind_of(data)}.'
        )
    if list(data) != [name]:
        raise InvalidDataTypeError(
            f'The data must be a dictionary with exactly one table, named {name!r} as in the '
            f'metadata, however: tables {list(data)}.'
        )
    if not isinstance(data[name], pd.DataFrame):
        raise InvalidDataTypeError(
            f"Table '{name}' must be a DataFrame of pandas, however: {_kind_of(data[name])}."
        )
    return data[name]


def _kind_of(data: Any) -> str:
    """What something is that is no frame of pandas, and how it becomes one if it can."""
    kind = type(data)
    package = kind.__module__.split('.')[0]
    name = kind.__name__ if package == 'builtins' else f'{package}.{kind.__name__}'
    turned = next((turn for turn in _INTO_PANDAS if hasattr(data, turn)), None)
    return name if turned is None else f'{name}. Give what its {turned}() returns'


def plain_tables(synth: Any, data: Any) -> PlainTables:
    """A training table in plain form, with the form that it has.

    Raises:
        InvalidDataTypeError: As :func:`single_table`.
        InvalidDataError: If the table has no rows, or two columns of one name.
    """
    name = private_names.table_name(synth)
    frame = single_table(data, name)
    if not len(frame):
        raise InvalidDataError([f"Table '{name}' has no rows. There must be at least one."])
    form = TableFormat.learn(
        frame,
        private_names.original_table(synth).columns,
        private_names.compared_columns(synth),
        private_names.keys(synth),
    )
    # SDV only reads the table, but a user's own constraint may write into it.
    tables = PlainTables({name: form.plain(frame, copy=private_names.has_constraints(synth))})
    tables.form = form
    return tables


def check_finite(plain: pd.DataFrame, columns: Mapping[str, Mapping[str, Any]]) -> None:
    """Refuse infinite numbers.

    Args:
        plain: A table in plain form.
        columns: The metadata's description of each column.

    Raises:
        InvalidDataError: If there are some; it names every column that has them.
    """
    errors = []
    for key, entry in columns.items():
        if entry.get('sdtype') != 'numerical' or key not in plain.columns:
            continue
        values = plain[key]
        if not pd.api.types.is_float_dtype(values.dtype):
            continue
        infinite = np.isinf(values.to_numpy(dtype=np.float64, na_value=np.nan))
        if infinite.any():
            errors.append(
                f"Column '{key}' has {int(infinite.sum())} infinite values (first in row "
                f'{values.index[int(infinite.argmax())]!r}). Numbers must be finite; replace '
                'them or leave the cells empty.'
            )
    if errors:
        raise InvalidDataError(errors)


def check_no_containers(plain: pd.DataFrame, columns: Mapping[str, Mapping[str, Any]]) -> None:
    """Refuse cells that are lists, dictionaries or the like where there can only be single values.

    Args:
        plain: A table in plain form.
        columns: The metadata's description of each column.

    Raises:
        InvalidDataError: If there are some; it names every column that has them.
    """
    errors = []
    for key, entry in columns.items():
        if entry.get('sdtype') not in _SINGLE or key not in plain or plain[key].dtype != object:
            continue
        kinds = {kind for kind in set(map(type, plain[key])) if not issubclass(kind, Hashable)}
        if kinds:
            found = next(cell for cell in plain[key] if type(cell) in kinds)
            errors.append(
                f"Column '{key}' is {entry['sdtype']} and holds containers such as "
                f'{reprlib.repr(found)}. Give each of their values a column, or make them text.'
            )
    if errors:
        raise InvalidDataError(errors)


@contextlib.contextmanager
def quiet_about_plain_dates(form: TableFormat) -> Iterator[None]:
    """Silence SDV where it says of dates that are not the user's that it cannot check their text.

    Of columns of Python's dates SDV itself writes a format in the metadata that it detects.
    """
    with warnings.catch_warnings():
        for column in form.columns:
            is_own = isinstance(column.dtype, (np.dtype, pd.DatetimeTZDtype))
            if column.dates.is_text or not (is_own and column.dtype.kind == 'M'):
                message = f"The datetime format for column '{column.key}'"
                warnings.filterwarnings('ignore', message=re.escape(message))
        yield


def condition_frames(conditions: Sequence[Condition | DataFrameCondition]) -> list[pd.DataFrame]:
    """One frame for each set of columns, with cells exactly as they were given.

    Raises:
        ValueError: If ``conditions`` is no list of SDV's conditions, each with a number of rows.
        InvalidDataError: If two columns of a frame have the same name.
    """
    _check_conditions(conditions)
    frames: dict[tuple[str, ...], list[pd.DataFrame]] = {}
    for condition in conditions:
        if isinstance(condition, Condition):
            values = condition.get_column_values()
            cells = np.empty((condition.get_num_rows(), len(values)), dtype=object)
            for place, value in enumerate(values.values()):
                cells[:, place] = [value] * len(cells)
            frame = pd.DataFrame(cells, columns=[str(name) for name in values])
        else:
            given = condition.get_dataframe()
            unique_names(given)
            frame = with_text_labels(given.astype(object))
        frames.setdefault(tuple(frame.columns), []).append(frame)
    return [pd.concat(parts, ignore_index=True) for parts in frames.values()]


def _check_conditions(conditions: Any) -> None:
    """Refuse what is no list of SDV's conditions.

    Raises:
        ValueError: If it is not.
    """
    if not isinstance(conditions, (list, tuple)) or not conditions:
        raise ValueError(
            'The conditions must be a list of at least one Condition or DataFrameCondition, '
            f'however: {conditions!r}.'
        )
    for condition in conditions:
        if not isinstance(condition, (Condition, DataFrameCondition)):
            raise ValueError(
                '`conditions` must be list of Condition or DataFrameCondition, however: '
                f'{condition!r}.'
            )
        num_rows = condition.get_num_rows()
        if num_rows is None or isinstance(num_rows, bool):
            raise ValueError(
                'A condition has no whole number of rows; give num_rows of at least 1: '
                f'{condition!r}.'
            )


def with_text_labels(frame: pd.DataFrame) -> pd.DataFrame:
    """The same cells under SDV's labels, which are always text."""
    renamed = frame.copy(deep=False)
    renamed.columns = pd.Index([str(name) for name in frame.columns])
    return renamed
