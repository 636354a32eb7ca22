"""Cells that the user gave, in frames: which they are, left out, or written back exactly."""

from __future__ import annotations

import numbers
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

from sdv_tabdar.core.restrictions import Interval, Restriction
from sdv_tabdar.core.schema import ColumnKind, TableSchema


def known_cells(
    frame: pd.DataFrame,
    observed: npt.NDArray[np.bool_] | None,
    restrictions: Mapping[str, Sequence[Restriction | None]],
) -> npt.NDArray[np.bool_]:
    """Which cells of ``frame`` are known: observed (None = all of them) and not restricted.

    Raises:
        ValueError: If ``observed`` has another shape than the frame, or a restricted column
            another number of entries.
    """
    known = np.ones(frame.shape, dtype=bool) if observed is None else observed.copy()
    if known.shape != frame.shape:
        raise ValueError(
            f'observed must have the shape of the frame, {frame.shape}, however: {known.shape}.'
        )
    for name, entries in restrictions.items():
        if len(entries) != len(frame):
            raise ValueError(
                f"restrictions['{name}'] must have one entry a row ({len(frame)}), however: "
                f'{len(entries)}.'
            )
        if name in frame.columns:
            free = np.array([entry is None for entry in entries], dtype=bool)
            known[:, frame.columns.get_loc(name)] &= free
    return known


def rounding_intervals(
    frame: pd.DataFrame,
    steps: Mapping[str, float],
    bare: npt.NDArray[np.bool_],
    schema: TableSchema,
) -> dict[str, list[Restriction | None]]:
    """The numbers that round to each cell of some columns, see ``TabDAR.log_likelihood``.

    Args:
        frame: Any of the fitted columns.
        steps: By column of numbers, the distance of neighbouring values.
        bare: ``(B, C)``, cells that are not known or have no probability; they and missing ones
            have None.
        schema: The fitted columns.

    Raises:
        ValueError: If a column is unknown or holds no numbers, or a step is not above 0.
    """
    found: dict[str, list[Restriction | None]] = {}
    for name, step in steps.items():
        position = schema.position(name)
        is_number = schema.columns[position].kind is ColumnKind.NUMERICAL
        if not is_number or not isinstance(step, numbers.Real) or not step > 0:
            raise ValueError(
                'steps must give columns of numbers a distance above 0, however: '
                f"'{name}' {step!r}."
            )
        if name not in frame.columns:
            continue
        values = pd.to_numeric(frame[name]).to_numpy(np.float64, na_value=np.nan)
        left = np.isnan(values) | bare[:, position]
        found[name] = [
            None if skipped else Interval(number - step / 2, number + step / 2)
            for number, skipped in zip(values.tolist(), left, strict=True)
        ]
    return found


def without(
    frame: pd.DataFrame, observed: npt.NDArray[np.bool_] | None, column: str
) -> tuple[pd.DataFrame, npt.NDArray[np.bool_]]:
    """The frame without ``column``, and which of its cells are known."""
    known = np.ones(frame.shape, dtype=bool) if observed is None else observed
    others = [place for place, name in enumerate(frame.columns) if name != column]
    return frame.iloc[:, others], known[:, others]


def write_back(filled: pd.DataFrame, frame: pd.DataFrame, known: npt.NDArray[np.bool_]) -> None:
    """Write the known cells of ``frame`` into ``filled``, row by row, exactly as they are."""
    for place, name in enumerate(frame.columns):
        rows, given = known[:, place], frame[name]
        if rows.any():
            dtype = filled[name].dtype
            values = filled[name].to_numpy(copy=True)
            if dtype == np.float64:
                values[rows] = pd.to_numeric(given[rows]).to_numpy(np.float64, na_value=np.nan)
            else:
                values[rows] = given[rows].astype(object).to_numpy()
            filled[name] = pd.Series(values, index=filled.index, dtype=dtype)
