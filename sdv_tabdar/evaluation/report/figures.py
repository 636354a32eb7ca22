"""What the report draws, binned: no figure holds rows of the real table.

Each function returns plain dicts of names, shares and edges; `charts` turns them into geometry.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from sdv_tabdar.evaluation.columns import ColumnTypes
from sdv_tabdar.evaluation.context import Context

HISTOGRAM_BINS = 32
SHOWN_LEVELS = 8
DENSITY_CELLS = 36
DENSITY_LEVELS = 12
SHOWN_PAIRS = 4
SHOWN_SUSPECTS = 8
SPIKE = 0.5
"""Share of one value from which a column's histogram is drawn without it."""


def figures_of(
    context: Context,
    tables: dict[str, pd.DataFrame],
    arrays: dict[str, np.ndarray],
    density_pairs: Sequence[tuple[str, str]] | None,
) -> dict[str, Any]:
    """Everything that the page draws.

    Args:
        context: The inputs.
        tables: Breakdowns of the metrics that were computed.
        arrays: Their numbers per row.
        density_pairs: Pairs of columns to draw, or None to choose them.
    """
    figures: dict[str, Any] = {'columns': _overlays(context, tables.get('columns'))}
    pairs = density_pairs
    if pairs is None:
        pairs = _interesting_pairs(tables.get('pairs'), context.columns)
    figures['densities'] = [_density(context, first, second) for first, second in pairs]
    if 'suspicion' in arrays:
        figures['suspicion'] = {
            'edges': np.linspace(0, 1, 41),
            'real': _shares(arrays['real_suspicion'], np.linspace(0, 1, 41)),
            'synthetic': _shares(arrays['suspicion'], np.linspace(0, 1, 41)),
        }
        figures['suspects'] = _suspects(context, arrays['suspicion'])
    if 'synthetic_to_real' in arrays:
        figures['dcr'] = _distances(arrays)
    return figures


def _overlays(context: Context, shapes: pd.DataFrame | None) -> list[dict[str, Any]]:
    """Both distributions of each column, worst column first."""
    names = list(context.columns.names)
    scores: dict[str, float] = {}
    if shapes is not None:
        ordered = shapes.sort_values('score', kind='stable', na_position='last')
        names = list(ordered['column'])
        scores = dict(zip(shapes['column'], shapes['score'], strict=True))
    overlays = []
    for name in names:
        real, synthetic = context.real[name], context.synthetic[name]
        overlay = (
            _number_overlay(real, synthetic)
            if context.columns.is_number(name)
            else _category_overlay(real, synthetic)
        )
        overlays.append(
            {
                'name': _title(context, name),
                'sdtype': context.columns.sdtypes[name],
                'error': 1 - scores.get(name, np.nan),
                'missing': (float(real.isna().mean()), float(synthetic.isna().mean())),
                **overlay,
            }
        )
    return overlays


def _title(context: Context, name: str) -> str:
    """What a column is called beside its numbers."""
    return f'{name} / {context.units[name]:g}' if name in context.units else name


def _number_overlay(real: pd.Series, synthetic: pd.Series) -> dict[str, Any]:
    """Histograms on common edges; a value that many rows share is told apart from the rest."""
    mine, theirs = real.dropna().to_numpy(), synthetic.dropna().to_numpy()
    spike = None
    if len(mine):
        values, counts = np.unique(mine, return_counts=True)
        if len(values) > 2 and counts.max() >= SPIKE * len(mine):
            value = values[counts.argmax()]
            spike = (
                float(value),
                *(float(np.mean(x == value)) if len(x) else 0.0 for x in (mine, theirs)),
            )
            mine, theirs = mine[mine != value], theirs[theirs != value]
    edges = _edges(mine, theirs, HISTOGRAM_BINS)
    return {
        'kind': 'number',
        'edges': edges,
        'real': _shares(mine, edges),
        'synthetic': _shares(theirs, edges),
        'spike': spike,
    }


def _category_overlay(real: pd.Series, synthetic: pd.Series) -> dict[str, Any]:
    """Shares of the most frequent levels, and of all others together."""
    mine, theirs = _level_shares(real), _level_shares(synthetic)
    order = mine.sort_values(ascending=False, kind='stable').index
    shown = list(order[:SHOWN_LEVELS] if len(order) > SHOWN_LEVELS + 1 else order)
    labels = list(shown)
    shares = [mine.reindex(shown).tolist(), theirs.reindex(shown, fill_value=0.0).tolist()]
    rest = len(mine.index.union(theirs.index)) - len(shown)
    if rest:
        labels.append(f'{rest} others')
        for values in shares:
            values.append(max(0.0, 1 - sum(values)))
    return {'kind': 'category', 'labels': labels, 'real': shares[0], 'synthetic': shares[1]}


def _interesting_pairs(trends: pd.DataFrame | None, columns: ColumnTypes) -> list[tuple[str, str]]:
    """The strongest correlation, then the pairs with the largest errors."""
    if trends is None or trends['score'].isna().all():
        return []
    chosen: list[tuple[str, str]] = []
    sizes = trends['real'].abs()
    if sizes.notna().any():
        strongest = trends.loc[sizes.idxmax()]
        chosen.append((strongest['column_1'], strongest['column_2']))
    worst = trends.sort_values('score', kind='stable')
    # A picture of two categories says less than one with a number in it.
    has_number = [
        columns.is_number(first) or columns.is_number(second)
        for first, second in zip(worst['column_1'], worst['column_2'], strict=True)
    ]
    for part in (worst[has_number], worst[~np.array(has_number)]):
        for first, second in zip(part['column_1'], part['column_2'], strict=True):
            if len(chosen) < SHOWN_PAIRS and (first, second) not in chosen:
                chosen.append((first, second))
    return chosen


def _density(context: Context, first: str, second: str) -> dict[str, Any]:
    """Two-dimensional densities of both tables on one grid."""
    axes = []
    for name in (first, second):
        real, synthetic = context.real[name], context.synthetic[name]
        axes.append(
            _number_axis(real, synthetic)
            if context.columns.is_number(name)
            else _category_axis(real, synthetic)
        )
    (x_label, x_size, x_codes), (y_label, y_size, y_codes) = axes
    grids = []
    for x, y in zip(x_codes, y_codes, strict=True):
        known = (x >= 0) & (y >= 0)
        grid = np.zeros((y_size, x_size))
        np.add.at(grid, (y[known], x[known]), 1)
        grids.append(grid / max(1, known.sum()))
    return {
        'x': _title(context, first),
        'y': _title(context, second),
        'x_labels': x_label,
        'y_labels': y_label,
        'real': grids[0],
        'synthetic': grids[1],
        'x_is_number': context.columns.is_number(first),
        'y_is_number': context.columns.is_number(second),
        'x_sdtype': context.columns.sdtypes[first],
        'y_sdtype': context.columns.sdtypes[second],
    }


def _number_axis(real: pd.Series, synthetic: pd.Series) -> tuple[list[Any], int, list[np.ndarray]]:
    """The two ends of a number's axis, its cells, and the cell of each row (-1 = missing)."""
    edges = _edges(real.dropna().to_numpy(), synthetic.dropna().to_numpy(), DENSITY_CELLS)
    codes = []
    for values in (real, synthetic):
        cell = np.digitize(values.fillna(edges[0]), edges[1:-1])
        codes.append(np.where(values.isna(), -1, cell))
    shift = 0.5 if edges[0] % 1 == 0.5 and edges[-1] % 1 == 0.5 else 0.0
    return [float(edges[0]) + shift, float(edges[-1]) - shift], len(edges) - 1, codes


def _category_axis(
    real: pd.Series, synthetic: pd.Series
) -> tuple[list[Any], int, list[np.ndarray]]:
    """The levels of a category's axis, their number, and the level of each row (-1 = rare)."""
    shares = _level_shares(real).sort_values(ascending=False, kind='stable')
    levels = list(shares.index[:DENSITY_LEVELS])
    codes = [
        pd.Categorical(values.fillna('missing'), categories=levels).codes.astype(np.int64)
        for values in (real, synthetic)
    ]
    return levels, len(levels), codes


def _suspects(context: Context, suspicion: np.ndarray) -> pd.DataFrame:
    """The synthetic rows that the classifier is surest about, with its certainty first."""
    rows = np.argsort(-suspicion, kind='stable')[:SHOWN_SUSPECTS]
    found = context.synthetic.iloc[rows].reset_index(drop=True)
    for name, sdtype in context.columns.sdtypes.items():
        if sdtype == 'datetime':
            found[name] = pd.to_datetime(found[name]).dt.strftime('%Y-%m-%d %H:%M')
    for name, unit in context.units.items():
        found[name] *= unit
    found.insert(0, '\0certainty', suspicion[rows])
    return found


def _distances(arrays: dict[str, np.ndarray]) -> list[dict[str, Any]]:
    """Pairs of distributions of distances that are equal for an honest synthesizer."""
    charts = [['draw_to_real', 'draw_to_holdout'], ['synthetic_to_real', 'holdout_to_real']]
    if 'draw_to_real' not in arrays:
        charts = [['synthetic_to_real']]
    figures = []
    for names in charts:
        top = max(float(np.quantile(arrays[name], 0.99)) for name in names)
        edges = np.linspace(0, top if top > 0 else 1.0, 51)
        figures.append({'edges': edges, **{n: _shares(arrays[n], edges) for n in names}})
    return figures


def _edges(mine: np.ndarray, theirs: np.ndarray, bins: int) -> np.ndarray:
    """Edges over the common range without the outermost half per cent of either side.

    Whole numbers of few values get one bin each, so that no bin holds two of them and its
    neighbour one.
    """
    both = np.concatenate([mine, theirs])
    if not len(both):
        return np.array([0.0, 1.0])
    parts = [part for part in (mine, theirs) if len(part)]
    low = min(float(np.quantile(part, 0.005)) for part in parts)
    high = max(float(np.quantile(part, 0.995)) for part in parts)
    if low == high:
        low, high = float(both.min()), float(both.max())
    if low == high:
        return np.array([low - 0.5, high + 0.5])
    whole = bool((mine == np.round(mine)).all()) and len(mine) > 0
    if whole and high - low <= 3 * bins:
        step = max(1.0, np.ceil((high - low + 1) / bins))
        return np.arange(np.floor(low), high + step, step) - 0.5
    return np.linspace(low, high, bins + 1)


def _shares(values: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """The share of values in each bin; what lies outside counts in the outermost bins."""
    inside = np.clip(values, edges[0], edges[-1])
    return np.histogram(inside, edges)[0] / max(1, len(values))


def _level_shares(values: pd.Series) -> pd.Series:
    """The share of each category, missing cells among them."""
    return values.fillna('missing').value_counts(normalize=True)
