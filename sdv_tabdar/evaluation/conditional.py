"""Conditional fidelity: the same metrics on the rows that meet a condition."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from sdv_tabdar.evaluation.columns import ColumnTypes, resolve_columns
from sdv_tabdar.evaluation.evaluate import score
from sdv_tabdar.evaluation.tables import canonical_frame, prepare_frames

Condition = Mapping[Any, object]


def conditional_scores(
    real: pd.DataFrame,
    synthetic: pd.DataFrame,
    metadata: object,
    condition: Condition,
    *,
    metrics: Sequence[str] = ('shape', 'trend', 'xgb_c2st'),
    seed: int | None = 0,
) -> dict[str, float]:
    """Compare real and synthetic rows among those that meet a condition.

    Columns that the condition fixes to one value are left out of the comparison: they are equal
    by construction and would dilute the errors.

    Args:
        real: Real rows, all of them.
        synthetic: Synthetic rows; those that do not meet the condition are counted and left out.
        metadata: SDV metadata of the table, its dict, or a mapping from column to sdtype.
        condition: What rows must meet, by column: a value, a list of values (one of them), or a
            tuple (low, high) with closed ends, either of which may be None. Dates as text are
            written as in the table.
        metrics: Which metrics.
        seed: Decides folds and subsamples; None for another one each time.

    Returns:
        The scores, and `rows_real`, `rows_synthetic` (how many meet the condition) and
        `condition_met` (the share of synthetic rows that do).

    Raises:
        TypeError: If the condition is no mapping.
        ValueError: If the condition names an unknown column, has a value that its column cannot
            hold, is a range of categories, or is met by no real or no synthetic row.
    """
    if not isinstance(condition, Mapping):
        raise TypeError(
            f'condition must be a mapping from columns to what they must meet, such as '
            f"{{'age': (18, 65)}}, but it is a {type(condition).__name__}."
        )
    columns = resolve_columns(metadata)
    ready = prepare_frames({'real': real, 'synthetic': synthetic}, columns)
    kept = {}
    for name, frame in ready.items():
        rows = rows_meeting(frame, columns, condition)
        if not rows.any():
            raise ValueError(
                f'No row of {name} meets the condition {dict(condition)!r}. Conditional metrics '
                'compare the rows that do; widen the condition or pass more rows.'
            )
        kept[name] = frame[rows]
    fixed = [
        columns.label(name)
        for name, wanted in condition.items()
        if not isinstance(wanted, (list, tuple))
    ]
    left = columns.without(fixed)
    if not left.names:
        raise ValueError('The condition fixes every column, so that nothing is left to compare.')
    plain = {
        name: 'numerical' if left.is_number(name) else sdtype
        for name, sdtype in left.sdtypes.items()
    }
    scores = score(
        kept['real'][list(plain)], kept['synthetic'][list(plain)], plain, metrics=metrics, seed=seed
    )
    return {
        **scores,
        'rows_real': float(len(kept['real'])),
        'rows_synthetic': float(len(kept['synthetic'])),
        'condition_met': len(kept['synthetic']) / len(ready['synthetic']),
    }


def rows_meeting(frame: pd.DataFrame, columns: ColumnTypes, condition: Condition) -> np.ndarray:
    """Which rows (bool) of a canonical frame meet a condition; see `conditional_scores`."""
    meets = np.ones(len(frame), dtype=bool)
    for given, wanted in condition.items():
        name = columns.measured(given, 'The condition names')
        if isinstance(wanted, tuple):
            meets &= _in_range(frame[name], name, wanted, columns)
        else:
            values = list(wanted) if isinstance(wanted, list) else [wanted]
            meets &= frame[name].isin(_canonical(values, name, columns)).to_numpy()
    return meets


def _in_range(
    values: pd.Series, name: str, ends: tuple[object, ...], columns: ColumnTypes
) -> np.ndarray:
    """Which values lie in a closed range."""
    if not columns.is_number(name) or len(ends) != 2:
        raise ValueError(
            f'The condition on {name!r} is the tuple {ends!r}. A tuple is a range (low, high) of a '
            'numerical or datetime column; use a list for one of several values.'
        )
    low, high = (None if end is None else _canonical([end], name, columns)[0] for end in ends)
    inside: np.ndarray = values.notna().to_numpy()
    if low is not None:
        inside &= (values >= low).to_numpy()
    if high is not None:
        inside &= (values <= high).to_numpy()
    return inside


def _canonical(values: list[object], name: str, columns: ColumnTypes) -> list[object]:
    """The user's values as they stand in a canonical frame."""
    one = ColumnTypes({name: columns.sdtypes[name]}, columns.datetime_formats)
    frame = pd.DataFrame({name: pd.Series(values, dtype=object)})
    return canonical_frame(frame, one, name='the condition')[name].tolist()
