"""Frames in their canonical form, so that every metric sees the same cells.

Numbers and datetimes become float64 with NaN for a missing cell; categories become text with None
for a missing cell. So a category that is 1 in one frame, 1.0 in another and '1' in a third is one
category, and True is the same whether it is a bool, an object or text.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from sdv_tabdar.evaluation.columns import ColumnTypes, _listed


def prepare_frames(
    frames: Mapping[str, pd.DataFrame], columns: ColumnTypes
) -> dict[str, pd.DataFrame]:
    """Check frames against the columns and against each other, and bring them to canonical form.

    Args:
        frames: Frames, or dictionaries of one, by the name that messages shall call them; the
            first is the reference.
        columns: The measured columns.

    Returns:
        Frames with exactly the measured columns, in metadata order, with a fresh RangeIndex.

    Raises:
        TypeError: If one is neither a DataFrame nor a dictionary with one.
        ValueError: If one is empty, has other columns, or has cells that do not fit their type.
    """
    named = {name: _named(name, frame, columns) for name, frame in frames.items()}
    for name, frame in named.items():
        _check_columns(name, frame, columns)
    return {name: canonical_frame(frame, columns, name=name) for name, frame in named.items()}


def the_frame(name: str, rows: object) -> pd.DataFrame:
    """Rows that a user gave as a frame, or as SDV has them: a dictionary of one frame.

    Raises:
        TypeError: If they are neither.
    """
    frames = list(rows.values()) if isinstance(rows, Mapping) else [rows]
    if len(frames) == 1 and isinstance(frames[0], pd.DataFrame):
        return frames[0]
    given = f'tables {[*rows]}' if isinstance(rows, Mapping) else f'a {type(rows).__name__}'
    raise TypeError(
        f'{name} must be a pandas DataFrame, or a dictionary with one, but it is {given}.'
    )


def canonical_frame(frame: pd.DataFrame, columns: ColumnTypes, *, name: str) -> pd.DataFrame:
    """One frame in canonical form; see the module's docstring."""
    result: dict[str, pd.Series] = {}
    for column in columns.names:
        values = frame[column].reset_index(drop=True)
        sdtype = columns.sdtypes[column]
        if sdtype == 'numerical':
            result[column] = _numbers(values, column, name)
        elif sdtype == 'datetime':
            result[column] = _timestamps(values, columns.datetime_formats.get(column), column, name)
        else:
            result[column] = _categories(values, sdtype, column, name)
    return pd.DataFrame(result, index=pd.RangeIndex(len(frame)))


def category_labels(values: pd.Series, *, boolean: bool = False) -> pd.Series:
    """Categories as text, the same text for equal values of different dtypes.

    Args:
        values: Any hashable values.
        boolean: Whether 0, 1, 'true', 'false' stand for False and True.

    Returns:
        An object Series of str, None where the cell is missing.
    """
    codes, uniques = pd.factorize(values.astype(object))
    labels = np.array([_label(value, boolean) for value in uniques] + [None], dtype=object)
    return pd.Series(labels[codes], index=values.index, name=values.name, dtype=object)


def _label(value: object, boolean: bool) -> str:
    """The text of one category."""
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value))
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        text = str(int(value))
    else:
        text = str(value)
    if boolean:
        return {'1': 'True', '0': 'False', 'true': 'True', 'false': 'False'}.get(text.lower(), text)
    return text


def _named(name: str, rows: object, columns: ColumnTypes) -> pd.DataFrame:
    """A frame with the names of the metadata, which SDV holds as text; refuse what is none."""
    frame = the_frame(name, rows)
    if len(frame) == 0:
        raise ValueError(f'{name} has no rows. At least one row is needed to compare with.')
    labels = pd.Index(map(columns.label, frame.columns), tupleize_cols=False)
    if not labels.is_unique:
        twice = labels[labels.duplicated()].unique()
        raise ValueError(
            f'{name} has several columns of the same name: {_listed(twice)}. Column names must be '
            'unique, also when they are read as text.'
        )
    return frame.set_axis(labels, axis=1)


def _check_columns(name: str, frame: pd.DataFrame, columns: ColumnTypes) -> None:
    """Refuse other columns than those of the metadata."""
    absent = [column for column in columns.names if column not in frame.columns]
    known = {*columns.names, *columns.ignored}
    extra = [column for column in frame.columns if column not in known]
    if absent or extra:
        parts = []
        if absent:
            parts.append(f'it lacks {_listed(absent)}')
        if extra:
            parts.append(f'it has {_listed(extra)}, which the metadata does not name')
        raise ValueError(
            f'The columns of {name} differ from the metadata: {" and ".join(parts)}. Real and '
            'synthetic data must both have the columns of the metadata; drop or rename columns, '
            'or pass metadata that fits.'
        )


def _numbers(values: pd.Series, column: str, name: str) -> pd.Series:
    """A numerical column as float64."""
    try:
        numbers = (
            pd.to_numeric(values, errors='raise')
            .astype('Float64')
            .to_numpy(dtype=np.float64, na_value=np.nan)
        )
    except (ValueError, TypeError, OverflowError) as error:
        raise ValueError(
            f'Column {column!r} of {name} is numerical in the metadata but has values that are '
            f'not numbers ({error}). Change its type to categorical, or convert the values.'
        ) from error
    if np.isinf(numbers).any():
        raise ValueError(
            f'Column {column!r} of {name} has {int(np.isinf(numbers).sum())} infinite values. '
            'Numbers must be finite; use NaN for a missing cell.'
        )
    return pd.Series(numbers, name=column)


def _timestamps(
    values: pd.Series, datetime_format: str | None, column: str, name: str
) -> pd.Series:
    """A datetime column as float64 nanoseconds since 1970, NaN where missing."""
    try:
        moments = _moments(values, datetime_format)
    except pd.errors.OutOfBoundsDatetime:
        raise ValueError(
            f'Column {column!r} of {name} has dates that are too far from 1970. Dates must lie '
            f'between {pd.Timestamp.min:%Y-%m-%d} and {pd.Timestamp.max:%Y-%m-%d}. Replace the '
            'others, or leave the cells empty.'
        ) from None
    except (ValueError, TypeError, OverflowError) as error:
        # What pandas proposes after this are arguments that nobody can pass here.
        reason = str(error).split('. You might want to try')[0]
        raise ValueError(
            f'Column {column!r} of {name} is a datetime in the metadata but could not be read as '
            f'one ({reason}). Give its datetime_format in the metadata, or convert the column with '
            'pandas.to_datetime.'
        ) from error
    stamps = moments.astype('int64').to_numpy(dtype=np.float64)
    return pd.Series(np.where(moments.isna(), np.nan, stamps), name=column)


def _moments(values: pd.Series, datetime_format: str | None) -> pd.Series:
    """Dates, text in a format or the first moments of periods, in nanoseconds and UTC."""
    if isinstance(values.dtype, pd.PeriodDtype):
        values = values.dt.to_timestamp()
    # Days without a leading zero are written with these; pandas reads them without.
    plain = datetime_format and datetime_format.replace('%-', '%').replace('%#', '%')
    return pd.to_datetime(values, format=plain, utc=True).astype('datetime64[ns, UTC]')


def _categories(values: pd.Series, sdtype: str, column: str, name: str) -> pd.Series:
    """A column of categories as text."""
    try:
        return category_labels(values, boolean=sdtype == 'boolean')
    except TypeError as error:
        raise ValueError(
            f'Column {column!r} of {name} is {sdtype} in the metadata but has cells that are no '
            f'single values ({error}). A category must be a text, a number or the like: convert '
            'the cells, as with column.map(str), or leave the column out of tables and metadata.'
        ) from error
