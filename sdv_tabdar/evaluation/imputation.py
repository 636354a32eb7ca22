"""Imputation metrics: how close filled cells are to what had been hidden.

The protocol of the imputation literature (and the paper's figure): numbers are standardised by
mean and standard deviation of the reference rows and compared by RMSE and MAE, categories by
accuracy, over the hidden cells alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from sdv_tabdar.evaluation.columns import ColumnTypes, resolve_columns
from sdv_tabdar.evaluation.tables import prepare_frames, the_frame
from sdv_tabdar.evaluation.units import in_units


def imputation_scores(
    truth: pd.DataFrame,
    imputed: pd.DataFrame | Sequence[pd.DataFrame],
    hidden: pd.DataFrame,
    metadata: object,
    *,
    reference: pd.DataFrame | None = None,
) -> dict[str, float]:
    """Compare imputed cells with the true ones.

    Args:
        truth: The complete rows.
        imputed: The same rows with the hidden cells filled, or several such draws: then their mean
            (numbers) or most frequent value (categories) counts.
        hidden: Bool, rows x columns, True where a cell had been hidden. Columns that it lacks count
            as not hidden.
        metadata: SDV metadata of the table, its dict, or a mapping from column to sdtype.
        reference: The rows that give mean and standard deviation, usually the training rows;
            `truth` by default.

    Returns:
        `rmse` and `mae` over all hidden numbers, `accuracy` over all hidden categories (each only
        if there are any), and the same by column as 'rmse/<column>', 'mae/<column>',
        'accuracy/<column>'. Cells that are missing in `truth` do not count; a cell left missing by
        the imputation counts as the reference mean, or as a wrong category.

    Raises:
        ValueError: If the frames differ in rows or columns, or nothing is hidden.
    """
    columns = resolve_columns(metadata)
    draws = [imputed] if isinstance(imputed, (pd.DataFrame, Mapping)) else list(imputed)
    if not draws:
        raise ValueError('imputed is an empty list. Pass a frame or at least one draw.')
    truth = the_frame('truth', truth)
    draws = [the_frame(f'imputed[{i}]', draw) for i, draw in enumerate(draws)]
    hidden = _named_marks(hidden, columns)
    _check_shapes(truth, draws, hidden)
    frames = {'truth': truth, **{f'imputed[{i}]': draw for i, draw in enumerate(draws)}}
    if reference is not None:
        frames['reference'] = reference
    # Squares of the largest numbers are no floats; standardised errors have no unit.
    ready, _ = in_units(prepare_frames(frames, columns), columns)
    true, base = ready['truth'], ready.get('reference', ready['truth'])
    guesses = [ready[f'imputed[{i}]'] for i in range(len(draws))]
    cells: dict[str, np.ndarray] = {}
    for name in columns.names:
        rows = _compared(true, hidden, name)
        if rows.any():
            given = [guess.loc[rows, name] for guess in guesses]
            if columns.is_number(name):
                cells[name] = _standardised_errors(true.loc[rows, name], given, base[name])
            else:
                cells[name] = _hits(true.loc[rows, name], given)
    if not cells:
        raise ValueError(
            'hidden is False everywhere (or only where truth is missing): there is no cell to '
            'compare. hidden must be True where a cell had been hidden.'
        )
    return _scores(cells, columns)


def _scores(cells: dict[str, np.ndarray], columns: ColumnTypes) -> dict[str, float]:
    """The scores over all columns, then those of each."""
    numbers = [found for name, found in cells.items() if columns.is_number(name)]
    categories = [found for name, found in cells.items() if not columns.is_number(name)]
    scores: dict[str, float] = {}
    for pooled in (numbers, categories):
        scores.update(_summary(np.concatenate(pooled)) if pooled else {})
    for name, found in cells.items():
        scores.update({f'{score}/{name}': value for score, value in _summary(found).items()})
    return scores


def _compared(truth: pd.DataFrame, hidden: pd.DataFrame, name: str) -> np.ndarray:
    """Which cells of a column count: those that were hidden and are not missing."""
    if name not in hidden.columns:
        return np.zeros(len(truth), dtype=bool)
    counts: np.ndarray = hidden[name].to_numpy(dtype=bool) & truth[name].notna().to_numpy()
    return counts


def _summary(cells: np.ndarray) -> dict[str, float]:
    """The scores of errors (floats) or of hits (bools)."""
    if cells.dtype == bool:
        return {'accuracy': float(cells.mean())}
    return {
        'rmse': float(np.sqrt(np.mean(cells**2))),
        'mae': float(np.mean(np.abs(cells))),
    }


def _hits(true: pd.Series, given: list[pd.Series]) -> np.ndarray:
    """Whether the most frequent guess is the true category."""
    modes = pd.concat(given, axis=1).mode(axis=1, dropna=True)
    guess = modes[0] if 0 in modes else pd.Series(None, index=true.index, dtype=object)
    hits: np.ndarray = (guess == true).to_numpy(dtype=bool)
    return hits


def _standardised_errors(
    true: pd.Series, given: list[pd.Series], reference: pd.Series
) -> np.ndarray:
    """Errors of the mean guess in standard deviations of the reference."""
    mean, spread = reference.mean(), reference.std(ddof=0)
    guess = pd.concat(given, axis=1).mean(axis=1).fillna(mean)
    scale = spread if spread > 0 else 1.0
    return ((guess - true) / scale).to_numpy(dtype=float)


def _named_marks(hidden: pd.DataFrame, columns: ColumnTypes) -> pd.DataFrame:
    """The marks of hidden cells by the metadata's names of the columns."""
    names = [columns.measured(name, 'hidden has the column') for name in hidden.columns]
    return hidden.set_axis(names, axis=1)


def _check_shapes(truth: pd.DataFrame, draws: list[pd.DataFrame], hidden: pd.DataFrame) -> None:
    """Refuse frames that do not lie on each other."""
    for name, frame in [*((f'imputed[{i}]', d) for i, d in enumerate(draws)), ('hidden', hidden)]:
        if len(frame) != len(truth):
            raise ValueError(
                f'{name} has {len(frame)} rows but truth has {len(truth)}. They must be the same '
                'rows in the same order.'
            )
    for name in hidden.columns:
        if not pd.api.types.is_bool_dtype(hidden[name]):
            raise ValueError(
                f'Column {name!r} of hidden has dtype {hidden[name].dtype}; it must be bool, True '
                'where a cell had been hidden.'
            )
