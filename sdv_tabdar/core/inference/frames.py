"""Cells that the user gave, in frames: left out, or written back exactly."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd
import torch

from sdv_tabdar.core.codecs.encoder import Codec
from sdv_tabdar.core.restrictions import Restriction


def without(
    frame: pd.DataFrame, observed: npt.NDArray[np.bool_] | None, column: str
) -> tuple[pd.DataFrame, npt.NDArray[np.bool_]]:
    """The frame without ``column``, and which of its cells are known."""
    known = np.ones(frame.shape, dtype=bool) if observed is None else observed
    others = [place for place, name in enumerate(frame.columns) if name != column]
    return frame.iloc[:, others], known[:, others]


def overwritten(filled: pd.Series, given: pd.Series, rows: npt.NDArray[np.bool_]) -> pd.Series:
    """``filled`` with the given cells in the marked rows, exactly as they are."""
    if filled.dtype == np.float64:
        values = filled.to_numpy(copy=True)
        values[rows] = pd.to_numeric(given[rows]).to_numpy(dtype=np.float64, na_value=np.nan)
    else:
        values = filled.to_numpy(copy=True)
        values[rows] = given[rows].astype(object).to_numpy()
    return pd.Series(values, index=filled.index, dtype=filled.dtype)


def enforce(
    filled: pd.DataFrame,
    codec: Codec,
    entries: Sequence[Restriction | None],
    generator: torch.Generator,
) -> None:
    """Cells of one column that decoding left beside their restriction are moved onto it."""
    name = codec.column.name
    values = filled[name].to_numpy(copy=True)
    uniforms = torch.rand(len(values), generator=generator, device=generator.device)
    uniforms_of_rows = uniforms.cpu().numpy().astype(np.float64)
    groups: dict[Restriction, list[int]] = {}
    for row, entry in enumerate(entries):
        if entry is not None:
            groups.setdefault(entry, []).append(row)
    for entry, rows in groups.items():
        values[rows] = codec.enforce(values[rows], entry, uniforms_of_rows[rows])
    filled[name] = pd.Series(values, index=filled.index, dtype=filled[name].dtype)
