"""Constraints on an order whose columns also stand in other relations.

SDV replaces the columns of an Inequality or a Range by differences, which show nothing of a sum or
a product that these columns belong to. The model keeps such an order by itself, if it sees the
columns; so these are learnt as they are, and SDV checks the constraint in the training table and in
all rows that come out.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd

from sdv_tabdar.adapter import private_names
from sdv_tabdar.adapter.profile import ColumnProfile, Role, role_of
from sdv_tabdar.adapter.table_format import TableFormat
from sdv_tabdar.core.codecs.related import RelatedColumns
from sdv_tabdar.core.config import ModelConfig
from sdv_tabdar.core.schema import ColumnKind

_LOOKED_AT = 10_000  # rows; what holds in these is taken to hold in all
_LEARNT = ('numerical', 'datetime', 'categorical', 'boolean', 'ordinal')


def related_orders(
    synth: Any, plain: pd.DataFrame, form: TableFormat, config: ModelConfig, *, is_protected: bool
) -> list[Any]:
    """The constraints on an order that hide relations which the model would keep.

    Args:
        synth: The synthesizer.
        plain: A training table in plain form, which need not be valid: of one that is not, SDV
            says so.
        form: Its form.
        config: Which relations are kept.
        is_protected: Whether values are replaced in what SDV makes of the columns.
    """
    orders = private_names.replacing_orders(synth)
    if 'inequalities' not in config.kept_relations or not orders:
        return []
    try:
        frame = _as_learnt(synth, plain.iloc[:: math.ceil(len(plain) / _LOOKED_AT)], form)
        kinds = {
            name: ColumnKind.NUMERICAL if values.dtype.kind == 'f' else ColumnKind.CATEGORICAL
            for name, values in frame.items()
        }
        related = RelatedColumns(frame, kinds, config)
    except (TypeError, ValueError, ArithmeticError):
        return []
    found = []
    for constraint in orders:
        names = private_names.ordered_names(constraint)
        if not {*names} <= {*frame} or not _in_order(frame[[*names]]):
            continue
        is_whole = not is_protected and frame[names[0]].notna().all()
        if related.needs(names, names[1:] if is_whole else names):
            found.append(constraint)
    return found


def _as_learnt(synth: Any, plain: pd.DataFrame, form: TableFormat) -> pd.DataFrame:
    """The columns that are learnt: numbers, dates in nanoseconds, and levels."""
    keys = {key for names in private_names.unique_columns(synth) for key in names}
    found = {}
    for column in form.columns:
        if column.sdtype not in _LEARNT or column.key in keys:
            continue
        values, role = plain[column.key], role_of(column.sdtype, generated=False)
        if role is Role.DISCRETE:
            found[column.key] = values.astype(object).where(values.notna(), None)
        else:
            profile = ColumnProfile.learn(values, column, role, rounds=True, extrapolates=False)
            numbers = profile.comparable(values).to_numpy(dtype=np.float64, na_value=np.nan)
            found[column.key] = pd.Series(numbers, index=plain.index)
    return pd.DataFrame(found).reset_index(drop=True)


def _in_order(numbers: pd.DataFrame) -> bool:
    """Whether no number is above one to its right."""
    pairs = zip(numbers, numbers.columns[1:], strict=False)
    return not any((numbers[low] > numbers[high]).any() for low, high in pairs)
